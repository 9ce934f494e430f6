#include "core/debug/catch_commands.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/catches.h"
#include "core/debug/text_util.h"
#include "core/element/scalar_hazards.h"

namespace hloscope {
namespace {

struct CatchState {
  std::unique_ptr<Catches> catches;
  std::string rest;  // arguments without the numbers of catches
};

Catches& CatchesOf(Session::State& s) {
  CatchState& state = s.Extension<CatchState>();
  if (state.catches == nullptr) state.catches = std::make_unique<Catches>(*s.module, *s.backend);
  return *state.catches;
}

std::string Describe(const CatchRequest& r) { return absl::StrCat(Name(r.kind), r.bits > 0 ? absl::StrCat(" of ", Count(r.bits, "bit"), " or more") : ""); }

void Reattach(Session::State& s) {
  if (s.machine != nullptr) CatchesOf(s).Attach(*s.machine);
}

}  // namespace

void AttachCatches(Session::State& s) {
  Catches& catches = CatchesOf(s);
  catches.Restarted();
  if (!catches.requests().empty()) catches.Attach(*s.machine);
}

void DetachCatches(Session::State& s) {
  if (s.machine != nullptr && !CatchesOf(s).requests().empty()) CatchesOf(s).Detach(*s.machine);
}

void CatchesOfNewProgram(Session::State& s) {
  CatchState& state = s.Extension<CatchState>();
  if (state.catches == nullptr) return;
  std::vector<CatchRequest> requests = state.catches->requests();
  state.catches = std::make_unique<Catches>(*s.module, *s.backend);
  state.catches->requests() = std::move(requests);
  if (s.machine != nullptr) AttachCatches(s);
}

void ShowCaught(Session::State& s) {
  Catches& catches = CatchesOf(s);
  for (const std::string& notice : catches.TakeNotices()) s.Say("note: ", notice, "\n");
  if (!catches.caught().has_value()) return;
  s.Say("Catch ", catches.caught()->number, ", ", CaughtText(*s.module, *catches.caught()), "\n");
  catches.Attach(*s.machine);  // from now on what is updated in place may be wanted
}

void BeginCatchWalk(Session::State& s) { CatchesOf(s).ForgetCaught(); }

CaughtThere CaughtOnWalk(Session::State& s) {
  Catches& catches = CatchesOf(s);
  if (!catches.caught().has_value()) return {};
  for (CatchRequest& r : catches.requests()) {
    if (r.number == catches.caught()->number && r.hits > 0) --r.hits;
  }
  CaughtThere there{absl::StrCat("Catch ", catches.caught()->number), CaughtText(*s.module, *catches.caught())};
  catches.Attach(*s.machine);
  return there;
}

std::vector<CatchInfo> ListedCatches(const Session::State& s) {
  std::vector<CatchInfo> listed;
  for (const CatchRequest& r : CatchesOf(const_cast<Session::State&>(s)).requests()) listed.push_back({r.number, Describe(r), r.enabled, r.hits});
  return listed;
}

bool ListCatches(Session::State& s) {
  const std::vector<CatchRequest>& requests = CatchesOf(s).requests();
  for (const CatchRequest& r : requests) {
    s.Say(absl::StrFormat("%-3d catch %s", r.number, Describe(r)), r.enabled ? "" : ", disabled", "\n");
    if (r.hits > 0) s.Say("    caught ", Count(r.hits, "time"), "\n");
  }
  return !requests.empty();
}

absl::Status InfoCatch(Session::State& s, absl::string_view) {
  if (!ListCatches(s)) s.Say("There are no catches.\n");
  const std::optional<Caught>& caught = CatchesOf(s).caught();
  if (caught.has_value()) s.Say("Last: ", CaughtText(*s.module, *caught), "\n");
  return absl::OkStatus();
}

bool ChangeCatches(Session::State& s, absl::string_view* args, CatchChange change) {
  Catches& catches = CatchesOf(s);
  std::vector<CatchRequest>& requests = catches.requests();
  if (requests.empty()) return false;
  const bool all = absl::StripAsciiWhitespace(*args).empty();
  std::string rest;
  std::vector<int> chosen;
  for (absl::string_view word : absl::StrSplit(*args, absl::ByAnyChar(" ,\t"), absl::SkipEmpty())) {
    int number = 0;
    const bool is_catch = absl::SimpleAtoi(word, &number) && std::any_of(requests.begin(), requests.end(), [&](const CatchRequest& r) { return r.number == number; });
    if (is_catch) {
      chosen.push_back(number);
    } else {
      absl::StrAppend(&rest, rest.empty() ? "" : " ", word);
    }
  }
  if (!all && chosen.empty()) return false;
  const auto is_chosen = [&](const CatchRequest& r) { return all || std::find(chosen.begin(), chosen.end(), r.number) != chosen.end(); };
  if (change == CatchChange::kDelete) {
    requests.erase(std::remove_if(requests.begin(), requests.end(), is_chosen), requests.end());
  } else {
    for (CatchRequest& r : requests) {
      if (is_chosen(r)) r.enabled = change == CatchChange::kEnable;
    }
  }
  Reattach(s);
  CatchState& state = s.Extension<CatchState>();
  state.rest = std::move(rest);
  *args = state.rest;
  return all ? s.breakpoints.empty() : state.rest.empty();
}

absl::Status CommandCatch(Session::State& s, absl::string_view args) {
  const std::string usage = absl::StrCat("catch takes one of ", CatchKindNames(), " (after cancellation, how many bits)");
  absl::string_view words = args;
  if (absl::StripAsciiWhitespace(words).empty()) return absl::InvalidArgumentError(usage);
  std::vector<CatchRequest> fresh;
  while (!absl::StripAsciiWhitespace(words).empty()) {
    absl::string_view word = TakeWord(words);
    absl::ConsumeSuffix(&word, ",");
    int bits = 0;
    if (!fresh.empty() && fresh.back().kind == CatchKind::kCancellation && fresh.back().bits == 0 && absl::SimpleAtoi(word, &bits)) {
      if (bits < 1 || bits > kMostCancellationBits) {
        return absl::InvalidArgumentError(
            absl::StrCat("catch cancellation takes how many bits, 1 to ", kMostCancellationBits, " (f64 has no more to lose, f32 24, bf16 8), not ", bits));
      }
      fresh.back().bits = bits;
      continue;
    }
    for (absl::string_view name : absl::StrSplit(word, ',', absl::SkipEmpty())) {
      const std::optional<CatchKind> kind = CatchKindOf(name);
      if (!kind.has_value()) return absl::InvalidArgumentError(absl::StrCat("there is nothing called '", name, "' to catch; ", usage));
      CatchRequest request;
      request.kind = *kind;
      fresh.push_back(request);
    }
  }
  for (CatchRequest& request : fresh) {
    const std::vector<CatchRequest>& all = CatchesOf(s).requests();
    const auto same = std::find_if(all.begin(), all.end(), [&](const CatchRequest& r) { return r.kind == request.kind && r.bits == request.bits; });
    if (same != all.end()) {
      s.Say("Catch ", same->number, ": ", Describe(request), " is there already", same->enabled ? "" : absl::StrCat(", disabled; enable ", same->number, " wakes it"), "\n");
      continue;
    }
    request.number = s.next_breakpoint++;
    s.Say("Catch ", request.number, ": ", Describe(request), "\n");
    CatchesOf(s).requests().push_back(request);
  }
  Reattach(s);
  return absl::OkStatus();
}

}  // namespace hloscope
