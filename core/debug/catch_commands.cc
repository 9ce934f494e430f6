#include "core/debug/catch_commands.h"

#include "core/debug/device_readers.h"
#include "core/debug/devices.h"

#include <algorithm>
#include <map>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/catch_list.h"
#include "core/debug/catches.h"
#include "core/debug/stop_walk.h"
#include "core/debug/text_util.h"
#include "core/element/scalar_hazards.h"

namespace hloscope {
namespace {

constexpr size_t kMostRemembered = 1000;

struct CatchState {
  static constexpr bool kOfRun = true;
  std::unique_ptr<Catches> catches;
  bool attached_whole = false;  // since something was caught: what is updated in place is wanted from then on
  std::map<Mark, Caught> at;    // of this run, the first of each stop
};

Catches& CatchesOf(Session::State& s) {
  CatchState& state = s.Extension<CatchState>();
  if (state.catches == nullptr) state.catches = std::make_unique<Catches>(*s.module, *s.backend);
  return *state.catches;
}

bool Same(const CatchRequest& a, const CatchRequest& b) { return a.number == b.number && a.kind == b.kind && a.bits == b.bits; }

}  // namespace

namespace {

// What elements of a value were made from that the running device has just exchanged.
std::vector<std::vector<CaughtRead>> ReadsOfExchanged(Session::State& s, const Instruction& instruction, int leaf, absl::Span<const int64_t> elements) {
  DeviceReaders readers(s);
  std::vector<std::vector<CaughtRead>> all;
  ElementPlace place{static_cast<int>(s.machine->frames().size()) - 1, &instruction, leaf, 0, readers.selected()};
  for (int64_t element : elements) {
    place.linear = element;
    std::vector<CaughtRead>& reads = all.emplace_back();
    const absl::StatusOr<ElementReads> found = readers.of(place.device).Reads(place, ReadLimits());
    if (!found.ok()) continue;
    for (const ElementRead& read : found->reads) {
      const std::optional<Scalar> was = read.reader != nullptr ? readers.of(read.place.device).Before(read.place, *read.reader) : std::nullopt;
      const absl::StatusOr<Scalar> value = was.has_value() ? absl::StatusOr<Scalar>(*was) : readers.of(read.place.device).Element(read.place);
      if (value.ok()) reads.push_back({read.place.instruction, IndexOfPlace(read.place.instruction->shape, read.place.linear), *value, read.place.device == place.device ? "" : s.options.devices.Name(read.place.device)});
    }
  }
  return all;
}

}  // namespace

void AttachCatches(Session::State& s) {
  Catches& catches = CatchesOf(s);
  catches.Restarted();
  s.Extension<CatchState>().attached_whole = false;
  s.Extension<CatchState>().at.clear();
  if (Several(s)) catches.set_exchanged([&s](const Instruction& instruction, int leaf, absl::Span<const int64_t> elements) { return ReadsOfExchanged(s, instruction, leaf, elements); });
  if (!catches.requests().empty()) catches.Attach(*s.machine);
}

void DetachCatches(Session::State& s) {
  if (s.machine != nullptr && !CatchesOf(s).requests().empty()) CatchesOf(s).Detach(*s.machine);
}

void CatchesOfNewProgram(Session::State& s) {
  CatchState& state = s.Extension<CatchState>();
  state.at.clear();
  if (state.catches == nullptr) return;
  std::vector<CatchRequest> requests = state.catches->requests();
  state.catches = std::make_unique<Catches>(*s.module, *s.backend);
  state.catches->requests() = std::move(requests);
  if (s.machine != nullptr) AttachCatches(s);
}

void SetCatches(Session::State& s, const std::vector<const Breakpoint*>& wanted) {
  Catches& catches = CatchesOf(s);
  std::vector<CatchRequest> requests;
  for (const Breakpoint* b : wanted) {
    CatchRequest& request = requests.emplace_back();
    request.kind = b->catches;
    request.number = b->number;
    request.bits = b->bits;
  }
  if (std::equal(requests.begin(), requests.end(), catches.requests().begin(), catches.requests().end(), Same)) return;
  catches.requests() = std::move(requests);
  if (s.machine != nullptr) catches.Attach(*s.machine);
}

std::vector<CaughtThere> TakeCaught(Session::State& s) {
  Catches& catches = CatchesOf(s);
  std::vector<CaughtThere> there;
  CatchState& state = s.Extension<CatchState>();
  for (const Caught& caught : catches.TakeFresh()) {
    if (there.empty()) {
      state.at.insert_or_assign(s.machine->caught_at().mark, caught);
      if (state.at.size() > kMostRemembered) state.at.erase(state.at.begin());
    }
    there.push_back({caught.number, CaughtText(*s.module, caught)});
  }
  if (there.empty()) return there;
  if (!state.attached_whole) catches.Attach(*s.machine);
  state.attached_whole = true;
  return there;
}

const Caught* CaughtHere(Session::State& s) {
  const CatchState& state = s.Extension<CatchState>();
  const auto here = s.visible() ? state.at.find(s.machine->Where()) : state.at.end();
  return here != state.at.end() ? &here->second : nullptr;
}

void BeginCatchWalk(Session::State& s) {
  (void)CatchesOf(s).TakeFresh();  // of the end of a walk before, which nobody asked for
}

void ShowCatchNotices(Session::State& s) {
  Catches& catches = CatchesOf(s);
  if (s.machine != nullptr && s.machine->finished()) catches.LookAtParameters(*s.machine);
  for (std::string& notice : catches.TakeNotices()) {
    s.Say("note: ", notice, "\n");
    s.notices.push_back(std::move(notice));
  }
}

std::string CatchDescription(const Breakpoint& b) { return CatchDescription(b.catches, b.bits); }

std::string CatchText(const Breakpoint& b) { return CatchText(b.catches, b.bits); }

absl::Status InfoCatch(Session::State& s, absl::string_view) {
  if (absl::Status known = KnowCounts(s, Need::kAll); !known.ok()) return known;
  bool any = false;
  for (const auto& b : s.breakpoints) {
    if (b->kind == Breakpoint::kCatch) ShowBreakpoint(s, *b);
    any |= b->kind == Breakpoint::kCatch;
  }
  if (!any) s.Say("There are no catches.\n");
  if (const std::string given = GivenText(CatchesOf(s).given()); any && !given.empty()) s.Say("Given, not made: ", given, "\n");
  // The last one at or before the present, whatever walks through the past have met.
  const std::map<Mark, Caught>& all = s.Extension<CatchState>().at;
  const auto after = s.visible() ? all.upper_bound(s.machine->Where()) : all.end();
  if (after != all.begin()) s.Say("Last: ", CaughtText(*s.module, std::prev(after)->second), "\n");
  return absl::OkStatus();
}

absl::Status CommandCatch(Session::State& s, absl::string_view args) {
  const size_t at = absl::StrCat(" ", args, " ").find(" if ");  // the condition is the rest
  absl::string_view words = args.substr(0, at), condition;
  if (at != absl::string_view::npos) {
    condition = at + 3 > args.size() ? absl::string_view() : absl::StripAsciiWhitespace(args.substr(at + 2));
    if (condition.empty()) return absl::InvalidArgumentError("an expression is expected after if");
  }
  const absl::StatusOr<std::vector<CatchRequest>> fresh = ParseCatches(words);
  if (!fresh.ok()) return fresh.status();
  for (const CatchRequest& request : *fresh) {
    const auto same = std::find_if(s.breakpoints.begin(), s.breakpoints.end(), [&](const auto& b) {
      return b->kind == Breakpoint::kCatch && b->catches == request.kind && b->bits == request.bits && b->condition == condition;
    });
    if (same != s.breakpoints.end()) {
      s.Say("Catch ", (*same)->number, ": ", CatchDescription(**same), " is there already", (*same)->enabled ? "" : absl::StrCat(", disabled; enable ", (*same)->number, " wakes it"), "\n");
      continue;
    }
    auto b = std::make_unique<Breakpoint>();
    b->kind = Breakpoint::kCatch;
    b->catches = request.kind;
    b->bits = request.bits;
    b->condition = std::string(condition);
    if (absl::Status checked = CheckCatchCondition(s, *b); !checked.ok()) return checked;
    b->number = s.next_breakpoint++;
    s.Say("Catch ", b->number, ": ", CatchDescription(*b), b->condition.empty() ? "" : absl::StrCat(", only if ", b->condition), "\n");
    Adopt(s, std::move(b));
  }
  return absl::OkStatus();
}

}  // namespace hloscope
