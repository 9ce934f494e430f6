// Where two forks part inside of what an instruction ran: by what loops carry first, iteration by iteration, then by the values of the
// iteration in which that parts; and on into what those ran. Where devices exchange inside of it, by what they brought and got there, too: a
// value may go to another device alone.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "core/debug/calls.h"
#include "core/debug/compare_forks.h"
#include "core/debug/devices.h"
#include "core/debug/instruction_names.h"
#include "core/debug/occurrences.h"
#include "core/debug/stop_walk.h"
#include "core/debug/text_util.h"
#include "core/exec/not_on_the_way.h"
#include "core/ir/written_names.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kBatch = int64_t{256} << 20;  // bytes of values of one fork that wait for the other's

const Computation* CalledFor(const Instruction& i, const ForkFrame& frame) {
  if (frame.kind == FrameKind::kWhileBody) return i.Called(AttrId::kBody);
  if (frame.kind == FrameKind::kWhileCondition) return i.Called(AttrId::kCondition);
  const std::vector<Computation*> all = i.CalledComputations();
  const size_t which = frame.kind == FrameKind::kBranch ? static_cast<size_t>(frame.branch) : 0;
  return which < all.size() ? all[which] : nullptr;
}

}  // namespace

std::optional<std::pair<Mark, const Computation*>> PlaceOf(const Module& module, const ForkPath& path, absl::string_view at) {
  Mark mark;
  const Computation* computation = module.entry;
  for (const ForkFrame& frame : path) {
    if (!frame.caller.empty()) {
      const Instruction* caller = computation->FindInstruction(frame.caller);
      if (caller == nullptr) return std::nullopt;
      mark.levels.back().position = caller->index;
      computation = CalledFor(*caller, frame);
      if (computation == nullptr) return std::nullopt;
    }
    mark.levels.push_back({frame.kind, frame.iteration, frame.branch, static_cast<int>(computation->schedule.size())});
  }
  if (!at.empty()) {
    const Instruction* next = computation->FindInstruction(at);
    if (next == nullptr) return std::nullopt;
    mark.levels.back().position = next->index;
  }
  return std::make_pair(std::move(mark), computation);
}

namespace {

std::optional<std::pair<Mark, const Computation*>> EndOf(const Module& module, const ForkPath& path) { return PlaceOf(module, path, ""); }

const Computation* ComputationOf(const Module& module, const ForkPath& path) {
  const auto end = EndOf(module, path);
  return end.has_value() ? end->second : nullptr;
}

// The values of these names at the end of each frame, which are in order of time; none of a frame that the fork's run does not come to, nor of
// those behind it.
using FrameValues = std::optional<std::vector<Value>>;
absl::StatusOr<std::vector<FrameValues>> Collect(Session::State& s, const std::string& fork, absl::Span<const ForkPath> paths,
                                                 absl::Span<const std::string> names) {
  if (absl::Status there = SwitchTo(s, fork); !there.ok()) return there;
  std::vector<FrameValues> found(paths.size());
  const absl::Status looked = LookAround(s, [&]() -> absl::Status {
    Timeline& timeline = *s.Extension<Travel>().timeline;
    for (size_t k = 0; k < paths.size(); ++k) {
      const auto end = EndOf(*s.module, paths[k]);
      if (!end.has_value()) continue;
      const StopReason reason = timeline.Seek(AfterEdits(timeline, end->first));
      if (reason == StopReason::kError && IsNotOnTheWay(s.machine->status())) break;
      if (reason == StopReason::kWaiting) break;  // behind an exchange that is not made yet
      if (absl::Status there = SeekStatus(s, reason); !there.ok()) return there;
      const int depth = static_cast<int>(s.machine->frames().size()) - 1;
      std::vector<Value> values;
      for (const std::string& name : names) {
        const Instruction* i = end->second->FindInstruction(name);
        absl::StatusOr<Value> value = i == nullptr ? absl::StatusOr<Value>(Value()) : s.machine->ValueOf(depth, i->index);
        values.push_back(value.ok() ? *std::move(value) : Value());
      }
      found[k] = std::move(values);
    }
    return absl::OkStatus();
  });
  if (!looked.ok()) return looked;
  return found;
}

std::optional<ForkRow> Differs(const std::string& name, const Value& a, const Value& b) {
  std::vector<ForkRow> rows;
  if (a.has_value() && b.has_value()) CompareLeaves(name, a, b, rows);
  if (rows.empty()) return std::nullopt;
  rows[0].more = static_cast<int64_t>(rows.size()) - 1;
  return rows[0];
}

std::string WhereText(const Module& module, const ForkPath& path) {
  std::vector<const Instruction*> callers;
  const Computation* computation = module.entry;
  for (const ForkFrame& frame : path) {
    callers.push_back(frame.caller.empty() ? nullptr : computation->FindInstruction(frame.caller));
    if (callers.back() != nullptr) computation = CalledFor(*callers.back(), frame);
  }
  std::vector<std::string> around;
  for (size_t k = 0; k < path.size(); ++k) {
    if (callers[k] == nullptr) continue;
    const ForkFrame& frame = path[k];
    const std::string name = NameAmong(*callers[k], callers);
    if (IsLoop(frame.kind)) around.push_back(absl::StrCat("iteration ", frame.iteration, " of %", name));
    if (frame.kind == FrameKind::kBranch) around.push_back(absl::StrCat("branch ", frame.branch, " of %", name));
    if (frame.kind == FrameKind::kCall || frame.kind == FrameKind::kFusion) around.push_back(absl::StrCat("call by %", name));
  }
  return absl::StrCat(" in ", computation->name, around.empty() ? "" : absl::StrCat(" (", absl::StrJoin(around, ", "), ")"));
}

class Search {
 public:
  Search(Session::State& s, const std::string& a, const std::string& b, const ForkOrders& orders) : s_(s), a_(a), b_(b), orders_(orders) {}
  // Into what gave the same in both, too, and into at most that many frames.
  Search(Session::State& s, const std::string& a, const std::string& b, const ForkOrders& orders, int64_t most)
      : s_(s), a_(a), b_(b), orders_(orders), through_(true), most_(most) {}
  int64_t frames() const { return frames_; }
  int64_t same() const { return same_; }

  // Of what `caller` ran, which may have given the same in both, what devices exchanged: nothing where it exchanges nothing.
  absl::StatusOr<std::optional<InnerDifference>> Exchanged(const ForkPath& path, const std::string& caller,
                                                           const std::optional<ForkFrame>& until) {
    if (absl::Status there = SwitchTo(s_, a_); !there.ok()) return there;
    const Computation* home = ComputationOf(*s_.module, path);
    const Instruction* i = home == nullptr ? nullptr : home->FindInstruction(caller);
    if (i == nullptr || !Exchanges(*i)) return std::nullopt;
    if (until.has_value()) return InLoop(path, caller, until->iteration, until);
    return Inside(path, caller, -1);
  }

  // What `caller` ran, frame by frame in order of time.
  absl::StatusOr<std::optional<InnerDifference>> Through(const ForkPath& path, const std::string& caller,
                                                         const std::optional<ForkFrame>& until = std::nullopt) {
    if (absl::Status there = SwitchTo(s_, a_); !there.ok()) return there;
    const Computation* home = ComputationOf(*s_.module, path);
    const Instruction* i = home == nullptr ? nullptr : home->FindInstruction(caller);
    if (i == nullptr) return std::nullopt;
    if (Def(*i).control != ControlKind::kWhile) return Inside(path, caller, -1);
    std::map<FrameKind, std::vector<Held>> ahead;
    int64_t first = 0, end = 0;
    for (int64_t k = 0; path.size() <= kDeepest; ++k) {
      if (k == end) {
        first = k;
        end = k + std::clamp<int64_t>(most_ - frames_, 1, kAhead);
        if (until.has_value()) end = std::min(end, std::max(k + 1, until->iteration));
        ahead.clear();
        for (const FrameKind kind : {FrameKind::kWhileCondition, FrameKind::kWhileBody}) {
          auto held = FramesAhead(path, *i, kind, first, end);
          if (!held.ok()) return held.status();
          ahead[kind] = *std::move(held);
        }
      }
      for (const FrameKind kind : {FrameKind::kWhileCondition, FrameKind::kWhileBody}) {
        if (until.has_value() && until->iteration == k && until->kind == kind) return std::nullopt;
        came_ = false;
        const std::vector<Held>& held = ahead[kind];
        auto inside = InFrame(With(path, {kind, k, -1, caller}), held.empty() ? nullptr : &held[static_cast<size_t>(k - first)]);
        if (!inside.ok() || inside->has_value()) return inside;
        if (!came_) return std::nullopt;  // the loop has ended, or enough was looked at
      }
    }
    return std::nullopt;
  }

  absl::StatusOr<std::optional<InnerDifference>> Inside(const ForkPath& path, const std::string& caller, int64_t last) {
    if (absl::Status there = SwitchTo(s_, a_); !there.ok()) return there;
    const Computation* home = ComputationOf(*s_.module, path);
    const Instruction* i = home == nullptr ? nullptr : home->FindInstruction(caller);
    if (i == nullptr || path.size() > kDeepest) return std::nullopt;
    switch (Def(*i).control) {
      case ControlKind::kWhile: return InLoop(path, caller, last);
      case ControlKind::kCall: {
        const std::vector<Computation*> called = i->CalledComputations();
        if (called.empty()) return std::nullopt;
        return InFrame(With(path, {called[0]->is_fusion ? FrameKind::kFusion : FrameKind::kCall, 0, -1, caller}));
      }
      case ControlKind::kConditional: {
        const int branches = static_cast<int>(i->CalledComputations().size());
        for (int k = 0; k < branches; ++k) {
          auto inside = InFrame(With(path, {FrameKind::kBranch, 0, k, caller}));
          if (!inside.ok() || inside->has_value()) return inside;
        }
        return std::nullopt;
      }
      case ControlKind::kNone: break;
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kDeepest = 100;
  static constexpr int64_t kAhead = 64;  // iterations whose values are asked for at once

  // All values of a frame in both forks.
  struct Held {
    FrameValues a, b;
  };
  // Of these iterations of a loop; empty: one is to be looked at alone.
  absl::StatusOr<std::vector<Held>> FramesAhead(const ForkPath& path, const Instruction& loop, FrameKind kind, int64_t first, int64_t end) {
    std::vector<Held> held;
    const Computation* computation = CalledFor(loop, {kind, 0, -1, ""});
    if (computation == nullptr || end - first < 2) return held;
    std::vector<std::string> names;
    int64_t bytes = 0;
    for (const Instruction* i : computation->schedule) {
      names.emplace_back(i->name);
      bytes += i->shape.ByteSize();
    }
    if (bytes > kBatch / (end - first)) return held;
    std::vector<ForkPath> paths;
    for (int64_t k = first; k < end; ++k) paths.push_back(With(path, {kind, k, -1, std::string(loop.name)}));
    auto of_a = Collect(s_, a_, paths, names);
    if (!of_a.ok()) return of_a.status();
    auto of_b = Collect(s_, b_, paths, names);
    if (!of_b.ok()) return of_b.status();
    for (size_t k = 0; k < paths.size(); ++k) held.push_back({std::move((*of_a)[k]), std::move((*of_b)[k])});
    return held;
  }

  static ForkPath With(ForkPath path, ForkFrame frame) {
    path.push_back(std::move(frame));
    return path;
  }

  // Devices exchange in what it runs, at any depth.
  bool Exchanges(const Instruction& caller) const {
    if (!Several(s_) || Def(caller).control == ControlKind::kNone) return false;
    const std::vector<Computation*> called = caller.CalledComputations();
    return std::any_of(called.begin(), called.end(), [](const Computation* c) { return !ExchangesIn(*c).empty(); });
  }

  // Iterations of a loop that both forks came to, and the first whose values are not the same, or that one of them alone comes to.
  struct Iterations {
    int64_t count = 0, parts = -1;  // -1: none
  };
  using FrameOf = std::function<ForkPath(int64_t)>;
  // Of the values with these names, `bytes` an iteration, up to the iteration `last` (-1: all).
  absl::StatusOr<Iterations> FirstApart(const FrameOf& frame, const Computation& computation, absl::Span<const std::string> names, int64_t bytes, int64_t last) {
    const int64_t batch = std::clamp<int64_t>(kBatch / std::max<int64_t>(1, bytes), 1, 4096);
    Iterations found;
    for (bool over = false; !over;) {
      std::vector<ForkPath> paths;
      for (int64_t k = found.count; k < found.count + batch && (last < 0 || k <= last); ++k) paths.push_back(frame(k));
      auto of_a = Collect(s_, a_, paths, names);
      if (!of_a.ok()) return of_a.status();
      auto of_b = Collect(s_, b_, paths, names);
      if (!of_b.ok()) return of_b.status();
      over = paths.size() < static_cast<size_t>(batch);
      for (size_t k = 0; k < paths.size(); ++k) {
        FrameValues &x = (*of_a)[k], &y = (*of_b)[k];
        if (!x.has_value() && !y.has_value()) return found;
        bool differs = x.has_value() != y.has_value();
        for (size_t n = 0; n < names.size() && !differs; ++n) differs = Apart(computation, names[n], (*x)[n], (*y)[n]).has_value();
        if (differs) {
          found.parts = found.count;
          return found;
        }
        ++found.count;
      }
    }
    return found;
  }

  // Of an instruction of a's computation, which b has, too.
  std::optional<ForkRow> Apart(const Computation& computation, const std::string& name, Value& a, Value& b) const {
    orders_.BringInOrder(computation, name, a, b);
    const Instruction* i = computation.FindInstruction(name);
    return Differs(i == nullptr ? name : NameInText(*i), a, b);
  }

  // What devices bring and get in the frames of a loop of one kind; whether they exchange in what those run.
  struct InFrames {
    FrameKind kind;
    std::vector<std::string> names;
    int64_t bytes = 0;
    bool deeper = false;
  };
  InFrames ExchangedIn(FrameKind kind, const Computation& computation) const {
    InFrames in{kind};
    const auto add = [&](const Instruction& i) {
      if (std::find(in.names.begin(), in.names.end(), i.name) != in.names.end()) return;
      in.names.emplace_back(i.name);
      in.bytes += i.shape.ByteSize();
    };
    const std::vector<const Instruction*> exchanges = ExchangesIn(computation);
    for (const Instruction* i : computation.schedule) {
      if (Exchanges(*i)) in.deeper = true;
      if (CollectiveOf(*i).collective == nullptr && std::find(exchanges.begin(), exchanges.end(), i) == exchanges.end()) continue;
      for (const Instruction* operand : i->operands) add(*operand);
      add(*i);
    }
    return in;
  }

  // The first iteration whose condition is not given the same in both, or is come to by one of them alone; then the one before is looked
  // at. Where devices exchange in the loop, the first before that in which one of those values is not the same. `until`: of a loop that is
  // not over, the condition or body that is left out.
  absl::StatusOr<std::optional<InnerDifference>> InLoop(const ForkPath& path, const std::string& caller, int64_t last,
                                                        const std::optional<ForkFrame>& until = std::nullopt) {
    const auto frame = [&](FrameKind kind, int64_t k) { return With(path, {kind, k, -1, caller}); };
    const Computation* condition = ComputationOf(*s_.module, frame(FrameKind::kWhileCondition, 0));
    const Computation* body = ComputationOf(*s_.module, frame(FrameKind::kWhileBody, 0));
    if (condition == nullptr || body == nullptr || condition->parameters.empty()) return std::nullopt;
    absl::StatusOr<std::optional<Parting>> parting = PartingByWalk(path, caller, last, until);
    if (parting.ok() && !parting->has_value()) parting = PartingOf(frame, *condition, *body, last, until);
    if (!parting.ok()) return parting.status();
    const int64_t parts = (*parting)->parts, end = parts < 0 ? (*parting)->count - 1 : parts;
    for (int64_t k = (*parting)->first; k <= end; ++k) {
      for (const FrameKind kind : {FrameKind::kWhileCondition, FrameKind::kWhileBody}) {
        if (until.has_value() && until->iteration == k && until->kind == kind) return std::nullopt;
        if (k == parts && kind == FrameKind::kWhileBody) break;  // what it is given differs already
        auto inside = InFrame(frame(kind, k));
        if (!inside.ok() || inside->has_value()) return inside;
      }
    }
    return std::nullopt;
  }

  // Iterations, and the first that is looked at.
  struct Parting {
    int64_t count = 0, parts = -1, first = 0;
  };
  // Up to which iteration of a loop that is not over frames of a kind are compared.
  static int64_t Before(FrameKind kind, int64_t first, const std::optional<ForkFrame>& until) {
    if (!until.has_value()) return first;
    return std::min(first, until->iteration + (until->kind == FrameKind::kWhileBody && kind != until->kind ? 1 : 0));
  }

  // Of several devices; nothing: where the programs of the forks exchange, or carry, other values in the loop.
  absl::StatusOr<std::optional<Parting>> PartingByWalk(const ForkPath& path, const std::string& caller, int64_t last, const std::optional<ForkFrame>& until) {
    if (!Several(s_)) return std::nullopt;
    if (absl::Status there = SwitchTo(s_, b_); !there.ok()) return there;
    const std::shared_ptr<const Module> of_b = s_.module;
    if (absl::Status there = SwitchTo(s_, a_); !there.ok()) return there;
    if (s_.module != of_b && (!orders_.same() || !LoopsWalkAlike(*s_.module, *of_b, path, caller))) return std::nullopt;
    const absl::StatusOr<WalkedLoop> walked_a = WalkLoop(s_, a_, path, caller, last);
    if (!walked_a.ok()) return walked_a.status();
    const absl::StatusOr<WalkedLoop> walked_b = WalkLoop(s_, b_, path, caller, last);
    if (!walked_b.ok()) return walked_b.status();
    const std::vector<LoopIteration> &x = walked_a->iterations, &y = walked_b->iterations;
    const int64_t both = static_cast<int64_t>(std::min(x.size(), y.size()));
    Parting parting;
    while (parting.count < both && x[parting.count].carried == y[parting.count].carried) ++parting.count;
    if (parting.count < both || x.size() != y.size()) parting.parts = parting.count;
    parting.first = parting.parts < 0 ? parting.count : std::max<int64_t>(0, parting.parts - 1);
    for (const FrameKind kind : {FrameKind::kWhileCondition, FrameKind::kWhileBody}) {
      const auto same = [&](int64_t k) { return kind == FrameKind::kWhileBody ? x[k].body == y[k].body : x[k].condition == y[k].condition; };
      const int64_t before = Before(kind, parting.first, until);
      int64_t k = 0;
      while (k < before && same(k)) ++k;
      if (k < before) parting.first = k;
    }
    return parting;
  }

  // Of other programs, whose values have the same names.
  absl::StatusOr<std::optional<Parting>> PartingOf(const std::function<ForkPath(FrameKind, int64_t)>& frame, const Computation& condition, const Computation& body,
                                                   int64_t last, const std::optional<ForkFrame>& until) {
    std::vector<InFrames> exchanged;
    for (const auto& [kind, computation] : {std::pair(FrameKind::kWhileCondition, &condition), std::pair(FrameKind::kWhileBody, &body)}) {
      InFrames in = ExchangedIn(kind, *computation);
      if (Several(s_) && (in.deeper || !in.names.empty())) exchanged.push_back(std::move(in));
    }
    const std::vector<std::string> carried = {std::string(condition.parameters[0]->name)};
    const auto at_begin = [&](int64_t k) { return frame(FrameKind::kWhileCondition, k); };
    const absl::StatusOr<Iterations> all = FirstApart(at_begin, condition, carried, condition.parameters[0]->shape.ByteSize(), last);
    if (!all.ok()) return all.status();
    int64_t first = all->parts < 0 ? all->count : std::max<int64_t>(0, all->parts - 1);
    for (const InFrames& in : exchanged) {
      if (in.deeper) {
        first = 0;
        continue;
      }
      const auto of_kind = [&](int64_t k) { return frame(in.kind, k); };
      const int64_t before = Before(in.kind, first, until);
      const absl::StatusOr<Iterations> apart = before == 0 ? Iterations() : FirstApart(of_kind, in.kind == FrameKind::kWhileBody ? body : condition, in.names, in.bytes, before - 1);
      if (!apart.ok()) return apart.status();
      if (apart->parts >= 0) first = apart->parts;
    }
    return Parting{all->count, all->parts, first};
  }

  // `held`: its values, where they have been asked for.
  absl::StatusOr<std::optional<InnerDifference>> InFrame(const ForkPath& path, const Held* held = nullptr) {
    if (through_ && frames_ > most_) return std::nullopt;
    if (of_a_ == nullptr || held == nullptr) {
      if (absl::Status there = SwitchTo(s_, a_); !there.ok()) return there;
      of_a_ = s_.module;
    }
    const Computation* computation = ComputationOf(*of_a_, path);
    if (computation == nullptr) return std::nullopt;
    std::vector<std::string> names;
    std::vector<int64_t> sizes;
    std::vector<bool> control;
    for (const Instruction* i : computation->schedule) {
      names.emplace_back(i->name);
      sizes.push_back(i->shape.ByteSize());
      control.push_back(Def(*i).control != ControlKind::kNone);
    }
    for (size_t k = 0; k < names.size();) {
      size_t end = k;
      for (int64_t bytes = 0; end < names.size() && (end == k || bytes + sizes[end] <= kBatch); ++end) bytes += sizes[end];
      const absl::Span<const std::string> batch = absl::MakeSpan(names).subspan(k, end - k);
      Held alone;
      if (held == nullptr) {
        auto of_a = Collect(s_, a_, {path}, batch);
        if (!of_a.ok()) return of_a.status();
        auto of_b = Collect(s_, b_, {path}, batch);
        if (!of_b.ok()) return of_b.status();
        alone = {std::move((*of_a)[0]), std::move((*of_b)[0])};
      }
      const Held& values = held == nullptr ? alone : *held;
      if (!values.a.has_value() || !values.b.has_value()) return std::nullopt;
      if (k == 0 && ++frames_ > most_ && through_) return std::nullopt;
      for (size_t n = 0; n < batch.size(); ++n) {
        Value of_a = (*values.a)[n], of_b = (*values.b)[n];
        const std::optional<ForkRow> row = Apart(*computation, batch[n], of_a, of_b);
        if (!row.has_value()) {
          if (!control[k + n]) continue;
          auto deeper = through_ ? Through(path, batch[n]) : Exchanged(path, batch[n], std::nullopt);
          if (!deeper.ok() || deeper->has_value()) return deeper;
          continue;
        }
        if (control[k + n]) {
          auto deeper = through_ ? Through(path, batch[n]) : Inside(path, batch[n], -1);
          if (!deeper.ok() || deeper->has_value()) return deeper;
          if (through_ && frames_ > most_) return std::nullopt;  // where that begins was not come to
        }
        return InnerDifference{absl::StrCat("%", row->name, WhereText(*of_a_, path)), ToText(*row), path, batch[n]};
      }
      k = end;
    }
    came_ = frames_ <= most_;
    same_ += came_ ? 1 : 0;
    return std::nullopt;
  }

  Session::State& s_;
  const std::string &a_, &b_;
  const ForkOrders& orders_;
  std::shared_ptr<const Module> of_a_;  // what fork `a_` runs, once that was asked for
  const bool through_ = false;
  const int64_t most_ = std::numeric_limits<int64_t>::max();
  int64_t frames_ = 0;  // looked into
  int64_t same_ = 0;    // of those, to their ends, with the same values
  bool came_ = false;   // the last frame was there in both
};

// Where its values are, in the present fork: one computation has the name.
absl::StatusOr<const Instruction*> OnlyNamed(Session::State& s, absl::string_view name) {
  std::vector<const Instruction*> found;
  for (const Computation* computation : s.module->computations) {
    if (const Instruction* i = FindNamed(*computation, name)) found.push_back(i);
  }
  if (found.empty()) return absl::NotFoundError(absl::StrCat("there is no instruction '", name, "' in ", s.Extension<Forks>().current));
  if (found.size() == 1) return found[0];
  std::vector<std::string> all;
  for (const Instruction* i : found) all.push_back(absl::StrCat(i->parent->name, ":", NameInText(*i)));
  return absl::InvalidArgumentError(absl::StrCat("there is more than one %", name, "; say which: ", absl::StrJoin(all, " or ")));
}

struct Everywhere {
  std::vector<std::string> labels;
  std::vector<Value> values;
  std::vector<ForkPlace> places;
  std::string name;
  bool more = false;
};

// What has been executed of it: up to where the fork stands.
absl::StatusOr<Everywhere> AllValues(Session::State& s, const std::string& fork, absl::string_view name) {
  if (absl::Status there = SwitchTo(s, fork); !there.ok()) return there;
  if (!s.visible()) return absl::FailedPreconditionError(absl::StrCat(fork, " is not running"));
  const absl::StatusOr<const Instruction*> i = OnlyNamed(s, name);
  if (!i.ok()) return i.status();
  absl::StatusOr<Occurrences> occurrences = Occurrences::Of(s, *(*i)->parent, Asked(), false);
  if (!occurrences.ok()) return occurrences.status();
  Everywhere all;
  all.name = absl::StrCat(ShownName(**i), " in ", (*i)->parent->name);
  const Mark present = s.machine->Where();
  int64_t bytes = 0;
  const absl::Status looked = LookAround(s, [&] {
    return occurrences->Visit(s, [&](const Occurrence& occurrence) -> absl::StatusOr<bool> {
      Mark there = s.machine->Where();
      there.levels.back().position = (*i)->index + 1;
      if (present < there) return false;
      if (bytes > kBatch) {
        all.more = true;
        return false;
      }
      // Behind it: something may have been set in what it ran.
      const StopReason reason = s.Extension<Travel>().timeline->Seek(there);
      if (absl::Status status = SeekStatus(s, reason); !status.ok()) return status;
      absl::StatusOr<Value> value = s.machine->ValueOf(static_cast<int>(there.levels.size()) - 1, (*i)->index);
      if (!value.ok()) return value.status();
      bytes += value->byte_size();
      all.labels.push_back(occurrences->Label(occurrence));
      all.values.push_back(*std::move(value));
      there.levels.back().position = (*i)->index;
      all.places.push_back({there, *i});
      return true;
    });
  });
  if (!looked.ok()) return looked;
  return all;
}

}  // namespace

absl::StatusOr<std::optional<InnerDifference>> FirstInside(Session::State& s, const std::string& a, const std::string& b, const ForkOrders& orders,
                                                           ForkPath path, const std::string& caller, int64_t last) {
  return Search(s, a, b, orders).Inside(path, caller, last);
}

absl::StatusOr<ThroughResult> FirstExchanged(Session::State& s, const std::string& a, const std::string& b, const ForkOrders& orders,
                                             absl::Span<const InnerCaller> callers) {
  Search search(s, a, b, orders);
  ThroughResult result;
  for (const InnerCaller& each : callers) {
    absl::StatusOr<std::optional<InnerDifference>> found = search.Exchanged(each.path, each.caller, each.until);
    if (!found.ok()) return found.status();
    result.first = *std::move(found);
    result.before = each.until.has_value();
    if (result.first.has_value()) break;
  }
  return result;
}

absl::StatusOr<ThroughResult> FirstThrough(Session::State& s, const std::string& a, const std::string& b, const ForkOrders& orders,
                                           absl::Span<const InnerCaller> callers, int64_t most) {
  Search search(s, a, b, orders, most);
  ThroughResult result;
  for (const InnerCaller& each : callers) {
    absl::StatusOr<std::optional<InnerDifference>> found = search.Through(each.path, each.caller, each.until);
    if (!found.ok()) return found.status();
    result.first = *std::move(found);
    result.before = each.until.has_value();
    if (result.first.has_value()) break;
  }
  result.frames = result.first.has_value() ? search.same() : std::min(search.frames(), most);
  result.more = search.frames() > most && !result.first.has_value();
  return result;
}

absl::StatusOr<std::optional<ForkPlace>> CompareEverywhere(Session::State& s, const std::string& a, const std::string& b, const ForkOrders& orders, absl::string_view name, absl::string_view device) {
  std::optional<ForkPlace> place;
  absl::StatusOr<Everywhere> of_a = AllValues(s, a, name);
  if (!of_a.ok()) return of_a.status();
  absl::StatusOr<Everywhere> of_b = AllValues(s, b, name);
  if (!of_b.ok()) return of_b.status();
  int64_t compared = 0, differing = 0;
  std::string first;
  size_t k = 0;
  for (size_t n = 0; n < of_a->labels.size(); ++n) {  // both are in order of time
    const auto same = std::find(of_b->labels.begin() + static_cast<ptrdiff_t>(k), of_b->labels.end(), of_a->labels[n]);
    if (same == of_b->labels.end()) continue;
    k = static_cast<size_t>(same - of_b->labels.begin());
    ++compared;
    orders.BringInOrder(*of_a->places[n].instruction->parent, of_a->places[n].instruction->name, of_a->values[n], of_b->values[k]);
    const std::optional<ForkRow> row = Differs("", of_a->values[n], of_b->values[k]);
    if (!row.has_value() || ++differing > 1) continue;
    first = absl::StrCat(of_a->labels[n], of_a->labels[n].empty() ? "" : ": ", ToText(*row));
    place = of_a->places[n];
  }
  if (compared == 0) return absl::FailedPreconditionError(absl::StrCat(of_a->name, " has not been executed in both forks"));
  s.Say(device, of_a->name, " was executed ", Count(compared, "time"), " in both, ",
        differing == 0 ? "always with the same value" : absl::StrCat(differing, differing == 1 ? " differs" : " differ"), ".\n");
  if (!first.empty()) s.Say("first: ", first, "\n");
  if (of_a->more || of_b->more) s.Say("Later ones are left out: they are too large to be held side by side.\n");
  const size_t most = std::max(of_a->labels.size(), of_b->labels.size());
  if (most > static_cast<size_t>(compared) && !of_a->more && !of_b->more)
    s.Say(Count(static_cast<int64_t>(most) - compared, "more execution"), " of only one of them.\n");
  return place;
}

}  // namespace hloscope
