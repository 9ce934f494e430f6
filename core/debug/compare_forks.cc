// Forks compared: the values of the frames in which both stand. What is inside of loops and calls: compare_forks_inside.cc.
#include "core/debug/compare_forks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/hand_sets.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/ops/op.h"

namespace hloscope {

// Of arrays, and the leaves of tuples; no rows: the same bits. False: they cannot be compared.
bool CompareLeaves(const std::string& name, const Value& a, const Value& b, std::vector<ForkRow>& rows) {
  if (a.shape().IsTuple() && b.shape().IsTuple() && a.elements().size() == b.elements().size()) {
    bool all = true;
    for (size_t k = 0; k < a.elements().size(); ++k)
      all &= CompareLeaves(absl::StrCat(name, "[", k, "]"), a.elements()[k], b.elements()[k], rows);
    return all;
  }
  if (!a.shape().IsArray() || !b.shape().IsArray()) return a.shape().ToString(false) == b.shape().ToString(false);
  if (!Shape::SameDimensions(a.shape(), b.shape()) || !AreLikeTypes(a.shape().element_type(), b.shape().element_type())) return false;
  ArrayDifference difference = CompareArrays(b, a, Budget());
  if (difference.other_bits > 0) rows.push_back({name, a.shape(), difference});
  return true;
}

std::string ToText(const ForkRow& row) {
  const ArrayDifference& d = row.difference;
  double relative = 0;
  if (d.worst >= 0) relative = Distance(d.worst_got, d.worst_expected) / std::abs(d.worst_expected.re);
  const bool finite = std::isfinite(d.worst_ulp);  // else a NaN or an infinity stands against a number somewhere, which is no distance
  std::string text =
      absl::StrCat(ToText(d, row.shape),
                   row.more == 0 ? "" : absl::StrCat("; ", row.more, " more of its leaves ", row.more == 1 ? "differs" : "differ"));
  if (!finite && d.largest_absolute == 0) return text;
  absl::StrAppend(&text, "; largest absolute ", d.largest_absolute, finite ? "" : " where both are finite");
  if (finite && d.worst >= 0 && IsFloat(d.worst_expected.type) && std::isfinite(relative)) absl::StrAppend(&text, ", relative ", relative);
  if (finite) absl::StrAppend(&text, "; worst ", d.worst_ulp, " ulp");
  return text;
}

namespace {

// Where a fork stands: its frames up to where element computations begin, which are only looked at.
struct Standing {
  ForkPath levels;
  std::vector<std::string> at;  // by level: what is next, or is being run; empty at the end
  std::string text;
  Mark mark;
  const Module* module = nullptr;
  std::vector<std::string> set_ahead;  // parameters of the entry that it has not come to, and that were set by hand
};

// What has a value in a frame though it is not executed yet: parameters have theirs from the frame's beginning. Those of the entry are made when
// they are needed, and the same in all forks, unless they were set.
bool HasValueAhead(const Frame& frame, const Instruction& i, absl::Span<const std::string> set_ahead) {
  if (i.parameter_number < 0) return false;
  return frame.kind != FrameKind::kEntry || std::find(set_ahead.begin(), set_ahead.end(), i.name) != set_ahead.end();
}

Standing StandingOf(Session::State& s) {
  Standing standing;
  standing.module = s.module.get();
  if (!s.visible()) return standing;
  const std::vector<Frame>& frames = s.machine->frames();
  for (const Frame& frame : frames) {
    if (frame.kind == FrameKind::kElement) break;
    const bool ended = frame.position >= static_cast<int>(frame.computation->schedule.size());
    standing.levels.push_back({frame.kind, frame.iteration, frame.branch, frame.caller == nullptr ? "" : std::string(frame.caller->name)});
    standing.at.push_back(ended ? "" : std::string(frame.computation->schedule[frame.position]->name));
    for (const SetByHand& set : frame.set_by_hand) {
      if (frame.kind == FrameKind::kEntry && set.position >= frame.position) standing.set_ahead.emplace_back(frame.computation->schedule[set.position]->name);
    }
  }
  standing.text = s.machine->finished() ? "at its end" : absl::StrCat("at ", s.DescribeFrame(static_cast<int>(standing.levels.size()) - 1));
  standing.mark = s.machine->Where();
  return standing;
}

// How many frames are the same in both: in the same iterations of the same loops.
size_t SharedFrames(const Standing& a, const Standing& b) {
  size_t shared = 0;
  for (; shared < std::min(a.levels.size(), b.levels.size()); ++shared) {
    const ForkFrame &x = a.levels[shared], &y = b.levels[shared];
    if (x.kind != y.kind || x.iteration != y.iteration || x.branch != y.branch || x.caller != y.caller) break;
  }
  return shared;
}

// Whether `a` stands earlier in the program than `b`, whose program may be another; nothing: they cannot be told apart.
std::optional<bool> IsBefore(const Standing& a, const Standing& b) {
  if (a.levels.empty() || b.levels.empty()) return std::nullopt;
  const auto place = PlaceOf(*a.module, b.levels, b.at.back());
  if (!place.has_value()) return std::nullopt;
  Mark here = a.mark;
  here.levels.resize(a.levels.size());
  if (here < place->first) return true;
  return place->first < here ? std::make_optional(false) : std::nullopt;
}

struct Compared {
  int depth = 0;
  std::string name;
  const Computation* computation = nullptr;  // of fork a that it is of, where that is known
  std::string shown;                         // as the program's text calls it
};

// The value of an instruction of that frame at the present; empty where it has none.
Value ValueIn(Session::State& s, int depth, absl::string_view name) {
  if (!s.visible() || depth >= static_cast<int>(s.machine->frames().size())) return Value();
  const Frame& frame = s.machine->frames()[depth];
  const Instruction* i = frame.computation->FindInstruction(name);
  if (i == nullptr || (i->index >= frame.position && i->parameter_number < 0)) return Value();
  absl::StatusOr<Value> got = s.machine->ValueOf(depth, i->index);
  return got.ok() ? *std::move(got) : Value();
}

std::vector<Value> ValuesOf(Session::State& s, absl::Span<const Compared> names) {
  std::vector<Value> values;
  for (const Compared& each : names) values.push_back(ValueIn(s, each.depth, each.name));
  return values;
}

constexpr size_t kMostRows = 10;
constexpr int64_t kInside = 1000;

struct Comparison {
  std::vector<ForkRow> rows;
  int64_t compared = 0, differing = 0;
  std::vector<std::string> unlike;
  std::optional<Compared> first;  // that differs
  ForkPath first_path;            // of its frame
  std::optional<InnerDifference> inner;  // where that begins, if it is inside of what the first one ran
  std::optional<InnerDifference> before;  // one that was found inside of what gave the same
  std::string through;            // what was found inside of what gave the same, if that was asked for
  ForkOrders orders;

  // Of the frame `what.depth` of `levels`.
  void Add(const Compared& what, absl::Span<const ForkFrame> levels, const std::string& where, Value a, Value b) {
    if (!a.has_value() || !b.has_value()) return;
    if (what.computation != nullptr) orders.BringInOrder(*what.computation, what.name, a, b);
    std::vector<ForkRow> leaves;
    if (!CompareLeaves(what.shown, a, b, leaves)) unlike.push_back(what.shown + where);
    ++compared;
    if (leaves.empty()) return;
    if (++differing == 1) {
      first = what;
      first_path.assign(levels.begin(), levels.begin() + what.depth + 1);
    }
    if (rows.size() >= kMostRows) return;
    leaves[0].name += where;
    leaves[0].more = static_cast<int64_t>(leaves.size()) - 1;
    rows.push_back(std::move(leaves[0]));
  }
};

void SayComparison(const Session::State& s, const Comparison& comparison, absl::string_view device) {
  const std::vector<ForkRow>& rows = comparison.rows;
  const int64_t differing = comparison.differing;
  const bool alike = differing == 0 && comparison.unlike.empty();
  s.Say(device, Count(comparison.compared, "instruction"), " compared, ",
        alike ? std::string(comparison.compared == 1 ? "with the same value" : "all with the same values")
              : absl::StrCat(differing, differing == 1 ? " differs" : " differ"),
        ".\n");
  for (size_t k = 0; k < rows.size(); ++k) {
    s.Say(k == 0 ? "first: %" : "  %", rows[k].name, ": ", ToText(rows[k]), "\n");
    if (k == 0 && comparison.inner.has_value()) s.Say("  it begins at ", comparison.inner->where, ": ", comparison.inner->text, "\n");
  }
  if (differing > static_cast<int64_t>(rows.size())) s.Say("  and more\n");
  s.Say(comparison.through);
  if (const int64_t left_out = comparison.orders.left_out(); left_out > 0) {
    s.Say(Count(left_out, "array"), " in tuples that only one of the programs carries, or that cannot be told apart from others there, ", left_out == 1 ? "was" : "were", " not compared.\n");
  }
  if (!comparison.unlike.empty()) s.Say("Of other shapes: %", absl::StrJoin(comparison.unlike, ", %"), "\n");
}

// What one of them has not come to was not compared.
void SayNotCompared(const Session::State& s, const std::string& a, const Standing& at_a, const std::string& b, const Standing& at_b,
                    size_t shared) {
  const bool same = at_a.levels.size() == at_b.levels.size() && shared == at_a.levels.size() && at_a.at == at_b.at;
  if (!same)
    s.Say("Compared is what both have executed: ", a, " stands ", at_a.text, ", ", b, " ", at_b.text,
          ". What only one of them has come to is not.\n");
}

// Where frames that both forks have executed are found: in the one that is behind.
struct Both {
  std::string fork;
  const Standing* at;
  size_t depth;  // so many of its frames
};

// Where the first difference is what a loop or a call made, or what a loop carried to the present iteration, it began inside.
absl::Status LookInside(Session::State& s, const std::string& a, const std::string& b, const Both& both, Comparison& comparison) {
  const Standing& at = *both.at;
  if (!comparison.first.has_value() || static_cast<size_t>(comparison.first->depth) >= at.levels.size()) return absl::OkStatus();
  if (absl::Status there = SwitchTo(s, both.fork); !there.ok()) return there;
  const size_t depth = static_cast<size_t>(comparison.first->depth);
  const Frame& frame = s.machine->frames()[depth];
  const Instruction* i = frame.computation->FindInstruction(comparison.first->name);
  if (i == nullptr) return absl::OkStatus();
  ForkPath path(at.levels.begin(), at.levels.begin() + static_cast<ptrdiff_t>(depth) + 1);
  const bool loop = IsLoop(path.back().kind);
  absl::StatusOr<std::optional<InnerDifference>> inside = std::optional<InnerDifference>();
  if (Def(*i).control != ControlKind::kNone) {
    inside = FirstInside(s, a, b, comparison.orders, path, std::string(i->name), -1);
  } else if (loop && i->parameter_number >= 0 && path.back().iteration > 0) {
    const ForkFrame now = path.back();
    path.pop_back();
    inside = FirstInside(s, a, b, comparison.orders, path, now.caller, now.iteration);
  }
  if (!inside.ok()) return inside.status();
  comparison.inner = *std::move(inside);
  return absl::OkStatus();
}

// The loops, calls and branches before the first difference; of loops that are not over the iterations before. `and_first`: and what gave the
// first difference, if that is one.
absl::StatusOr<std::vector<InnerCaller>> CallersBefore(Session::State& s, const Both& both, const Comparison& comparison, bool and_first) {
  const Standing& at = *both.at;
  if (absl::Status there = SwitchTo(s, both.fork); !there.ok()) return there;
  std::vector<InnerCaller> callers;
  bool on = true;
  for (size_t depth = 0; depth < both.depth && on; ++depth) {
    const Frame& frame = s.machine->frames()[depth];
    ForkPath path(at.levels.begin(), at.levels.begin() + static_cast<ptrdiff_t>(depth));
    const ForkFrame& now = at.levels[depth];
    if (IsLoop(now.kind)) callers.push_back({path, now.caller, now});
    path.push_back(now);
    for (const Instruction* i : frame.computation->schedule) {
      const bool first = comparison.first.has_value() && comparison.first->depth == static_cast<int>(depth) && comparison.first->name == i->name;
      on = on && !first;
      if ((!on && !(first && and_first)) || i->index >= frame.position) break;
      if (Def(*i).control != ControlKind::kNone) callers.push_back({path, std::string(i->name), std::nullopt});
    }
    on = on && !(comparison.first.has_value() && comparison.first->depth == static_cast<int>(depth));  // a parameter that it has not come to
  }
  return callers;
}

// What was found inside of them, if it is not where the first difference begins anyway.
void FoundBefore(const ThroughResult& found, absl::string_view inside, Comparison& comparison) {
  if (comparison.inner.has_value() && found.first->where == comparison.inner->where) return;
  if (comparison.before.has_value() && found.first->where == comparison.before->where) return;
  comparison.before = found.first;
  comparison.through = absl::StrCat(found.before ? "in an iteration before" : inside, ": ", found.first->where, ": ", found.first->text, "\n");
}

// Where devices exchange in them.
absl::Status LookExchanged(Session::State& s, const std::string& a, const std::string& b, const Both& both, Comparison& comparison) {
  const absl::StatusOr<std::vector<InnerCaller>> callers = CallersBefore(s, both, comparison, false);
  if (!callers.ok()) return callers.status();
  const absl::StatusOr<ThroughResult> found = FirstExchanged(s, a, b, comparison.orders, *callers);
  if (found.ok() && found->first.has_value()) FoundBefore(*found, "inside, where devices exchange", comparison);
  return found.status();
}

// Into all of them, frame by frame.
absl::Status LookThrough(Session::State& s, const std::string& a, const std::string& b, const Both& both, int64_t most,
                         Comparison& comparison) {
  const absl::StatusOr<std::vector<InnerCaller>> callers = CallersBefore(s, both, comparison, comparison.inner.has_value());
  if (!callers.ok()) return callers.status();
  const absl::StatusOr<ThroughResult> found = FirstThrough(s, a, b, comparison.orders, *callers, most);
  if (!found.ok()) return found.status();
  if (found->first.has_value() && !(comparison.inner.has_value() && found->first->where == comparison.inner->where)) {
    FoundBefore(*found, "inside, not handed on", comparison);
  } else if (!comparison.before.has_value()) {
    const std::string looked = absl::StrCat(found->frames == 1 ? std::string("1 iteration, call or branch") : absl::StrCat(found->frames, " iterations, calls and branches"), comparison.first.has_value() ? " before that" : "");
    comparison.through = absl::StrCat(looked, " looked into, with the same values.",
                                      found->more ? absl::StrCat(" There are more; inside ", 10 * most, " looks into as many.") : "", "\n");
  }
  return absl::OkStatus();
}

struct Named {
  std::vector<Compared> names;
  std::vector<int64_t> sizes;
  std::vector<std::string> where;  // " in body"
  ForkPath levels;                 // the frames that they are of
};
// What a fork has of them.
using ValuesGetter = std::function<absl::Status(absl::Span<const Compared>, std::vector<Value>*)>;

absl::Status CompareAll(const Named& all, const ValuesGetter& get_a, const ValuesGetter& get_b, Comparison& comparison) {
  constexpr int64_t kBatch = int64_t{256} << 20;  // bytes whose values wait for the other fork's
  for (size_t k = 0; k < all.names.size();) {
    size_t end = k;
    for (int64_t bytes = 0; end < all.names.size() && (end == k || bytes + all.sizes[end] <= kBatch); ++end) bytes += all.sizes[end];
    const absl::Span<const Compared> batch = absl::MakeSpan(all.names).subspan(k, end - k);
    std::vector<Value> of_a, of_b;
    if (absl::Status got = get_a(batch, &of_a); !got.ok()) return got;
    if (absl::Status got = get_b(batch, &of_b); !got.ok()) return got;
    for (size_t n = 0; n < batch.size(); ++n) comparison.Add(batch[n], all.levels, all.where[k + n], of_a[n], of_b[n]);
    k = end;
  }
  return absl::OkStatus();
}

// The one that is behind stands in iterations and calls that the other one has left: what it has executed there, against what the other one
// had at that moment. Nothing where the other one did not come there.
absl::Status CompareBehind(Session::State& s, const std::string& a, const std::string& b, const Standing& at_a, const Standing& at_b,
                           size_t shared, Comparison& comparison) {
  const std::optional<bool> a_behind = IsBefore(at_a, at_b);
  if (!a_behind.has_value()) return absl::OkStatus();
  const bool first = *a_behind;
  const Standing &here = first ? at_a : at_b, &ahead = first ? at_b : at_a;
  const std::string &behind = first ? a : b, &other = first ? b : a;
  const auto past = PlaceOf(*ahead.module, here.levels, here.at.back());
  if (here.levels.size() <= shared || !past.has_value()) return absl::OkStatus();
  if (absl::Status there = SwitchTo(s, behind); !there.ok()) return there;
  Mark mark = here.mark;
  mark.levels.resize(here.levels.size());
  Named all;
  all.levels = here.levels;
  for (size_t depth = shared; depth < here.levels.size(); ++depth) {
    const Frame& frame = s.machine->frames()[depth];
    Mark around = mark;
    around.levels.resize(depth + 1);
    const auto in_a = PlaceOf(*at_a.module, ForkPath(here.levels.begin(), here.levels.begin() + static_cast<ptrdiff_t>(depth) + 1), "");
    for (const Instruction* i : frame.computation->schedule) {
      if (i->index >= frame.position && !HasValueAhead(frame, *i, {})) continue;
      all.names.push_back({static_cast<int>(depth), std::string(i->name), in_a.has_value() ? in_a->second : nullptr, NameInText(*i)});
      all.sizes.push_back(i->shape.ByteSize());
      all.where.push_back(absl::StrCat(" in ", frame.computation->name, " (", InsideText(*s.module, around), ")"));
    }
  }
  const auto here_values = [&](absl::Span<const Compared> batch, std::vector<Value>* values) {
    const absl::Status there = SwitchTo(s, behind);
    if (there.ok()) *values = ValuesOf(s, batch);
    return there;
  };
  const auto past_values = [&](absl::Span<const Compared> batch, std::vector<Value>* values) {
    values->assign(batch.size(), Value());
    if (absl::Status there = SwitchTo(s, other); !there.ok()) return there;
    const absl::Status looked = LookAt(s, past->first, [&] {
      *values = ValuesOf(s, batch);
      return absl::OkStatus();
    });
    const bool not_there = absl::IsNotFound(looked) || (Several(s) && absl::IsFailedPrecondition(looked));  // behind an exchange that is not made
    return not_there ? absl::OkStatus() : looked;
  };
  const ValuesGetter get_here = here_values, get_past = past_values;
  return CompareAll(all, first ? get_here : get_past, first ? get_past : get_here, comparison);
}

absl::Status CompareTwo(Session::State& s, const std::string& a, const std::string& b, absl::string_view only, int64_t inside, Comparison& comparison,
                        std::function<void()>* notes, bool* everywhere) {
  if (absl::Status there = SwitchTo(s, b); !there.ok()) return there;
  const Standing at_b = StandingOf(s);
  if (absl::Status there = SwitchTo(s, a); !there.ok()) return there;
  const Standing at_a = StandingOf(s);
  const size_t shared = SharedFrames(at_a, at_b);
  std::vector<Compared> names;
  std::vector<int64_t> sizes;
  std::vector<std::string> where, set_ahead = at_a.set_ahead;
  set_ahead.insert(set_ahead.end(), at_b.set_ahead.begin(), at_b.set_ahead.end());
  if (at_a.module != at_b.module) comparison.orders = ForkOrders(*at_a.module, *at_b.module);
  for (size_t depth = 0; depth < shared; ++depth) {
    const Frame& frame = s.machine->frames()[depth];
    for (const Instruction* i : frame.computation->schedule) {
      if (!only.empty() ? frame.computation->FindInstruction(only) != i : i->index >= frame.position && !HasValueAhead(frame, *i, set_ahead)) continue;
      names.push_back({static_cast<int>(depth), std::string(i->name), frame.computation, NameInText(*i)});
      sizes.push_back(i->shape.ByteSize());
      where.push_back(depth == 0 ? "" : absl::StrCat(" in ", frame.computation->name));
    }
  }
  const auto at_present = [&s](const std::string& fork) {
    return [&s, fork](absl::Span<const Compared> batch, std::vector<Value>* values) {
      const absl::Status there = SwitchTo(s, fork);
      if (there.ok()) *values = ValuesOf(s, batch);
      return there;
    };
  };
  if (absl::Status done = CompareAll({names, sizes, where, at_a.levels}, at_present(a), at_present(b), comparison); !done.ok()) return done;
  if (only.empty()) {
    if (absl::Status behind = CompareBehind(s, a, b, at_a, at_b, shared, comparison); !behind.ok()) return behind;
  }
  if (!only.empty() && names.empty()) {
    // One of them stands in a frame that has it, and the other one has been there or not got there.
    for (const bool first : {true, false}) {
      const Standing &here = first ? at_a : at_b, &there = first ? at_b : at_a;
      const std::string &stands = first ? a : b, &other = first ? b : a;
      if (absl::Status status = SwitchTo(s, stands); !status.ok()) return status;
      for (size_t depth = here.levels.size(); depth-- > shared;) {
        const Value value = ValueIn(s, static_cast<int>(depth), only);
        if (!value.has_value()) continue;
        const std::string in = absl::StrCat(" in ", s.machine->frames()[depth].computation->name);
        if (here.module != there.module || there.levels.empty()) {
          return absl::FailedPreconditionError(
              absl::StrCat("%", only, ": ", stands, " stands ", here.text, ", and ", other,
                           there.levels.empty() ? " is not running" : " runs another program and stands elsewhere"));
        }
        Mark mark = here.mark;
        mark.levels.resize(depth + 1);
        if (absl::Status status = SwitchTo(s, other); !status.ok()) return status;
        Value past;
        const absl::Status looked = LookAt(s, mark, [&] {
          past = ValueIn(s, static_cast<int>(depth), only);
          return absl::OkStatus();
        });
        if (!looked.ok())
          return absl::FailedPreconditionError(
              absl::StrCat("%", only, ": ", stands, " stands ", here.text, "; ", other, " does not come there"));
        const Compared what{static_cast<int>(depth), std::string(only), nullptr, std::string(only)};
        first ? comparison.Add(what, here.levels, in, value, past) : comparison.Add(what, here.levels, in, past, value);
        return absl::OkStatus();
      }
    }
    *everywhere = true;
    return absl::OkStatus();
  }
  if (only.empty()) *notes = [&s, a, at_a, b, at_b, shared] { SayNotCompared(s, a, at_a, b, at_b, shared); };
  const std::optional<bool> a_behind = IsBefore(at_a, at_b);
  const bool behind = a_behind.has_value() && !*a_behind;
  const Standing& at = behind ? at_b : at_a;
  const Both both{behind ? b : a, &at, a_behind.has_value() && only.empty() ? at.levels.size() : shared};
  if (absl::Status looked = LookInside(s, a, b, both, comparison); !looked.ok()) return looked;
  if (Several(s) && only.empty()) {
    if (absl::Status looked = LookExchanged(s, a, b, both, comparison); !looked.ok()) return looked;
  }
  return inside < 0 ? absl::OkStatus() : LookThrough(s, a, b, both, inside, comparison);
}

// Of the selected device in both; the forks stay as they are left. `device`: "replica 1: ". Where the first value differs, in `a`. `said`: false:
// that alone is wanted.
absl::StatusOr<std::optional<ForkPlace>> CompareOn(Session::State& s, const std::string& a, const std::string& b, absl::string_view only, int64_t inside, const std::string& device, bool said = true) {
  Comparison comparison;
  std::function<void()> notes;
  bool everywhere = false;
  const absl::Status status = CompareTwo(s, a, b, only, inside, comparison, &notes, &everywhere);
  if (!status.ok()) return status;
  if (everywhere) return CompareEverywhere(s, a, b, comparison.orders, only, device);
  if (comparison.compared == 0)
    return absl::FailedPreconditionError(only.empty() ? std::string("nothing has been executed in both forks")
                                                      : absl::StrCat("%", only, " has not been executed in both forks"));
  if (said) SayComparison(s, comparison, device);
  if (said && notes) notes();
  std::optional<ForkPlace> first;
  if (!comparison.first.has_value() && !comparison.before.has_value()) return first;
  if (absl::Status there = SwitchTo(s, a); !there.ok()) return there;
  const std::optional<InnerDifference>& inner = comparison.before.has_value() ? comparison.before : comparison.inner;
  const ForkPath& path = inner.has_value() ? inner->path : comparison.first_path;
  const std::string name = inner.has_value() ? inner->name : comparison.first->name;
  const auto place = PlaceOf(*s.module, path, name);
  if (place.has_value()) first = ForkPlace{place->first, place->second->FindInstruction(name)};
  return first;
}

// All devices, one after the other.
absl::Status CompareDevices(Session::State& s, const std::string& a, const std::string& b, absl::string_view only, int64_t inside) {
  std::vector<std::optional<ForkPlace>> first;
  std::vector<std::string> without;
  bool differs = false;
  for (int d = 0; d < s.options.devices.count(); ++d) {
    for (const std::string& fork : {a, b}) {  // a fork keeps which one is selected
      if (absl::Status there = SwitchTo(s, fork); !there.ok()) return there;
      SwapTo(s, d);
      SettleRun(s);
    }
    absl::StatusOr<std::optional<ForkPlace>> found = CompareOn(s, a, b, only, inside, absl::StrCat(s.options.devices.Name(d), ": "));
    if (!found.ok() && !absl::IsFailedPrecondition(found.status())) return found.status();
    if (!found.ok()) without.push_back(absl::StrCat(s.options.devices.Name(d), ": ", found.status().message()));
    differs |= found.ok() && found->has_value();
    if (!only.empty()) found = CompareOn(s, a, b, "", -1, "", false);  // where that comes from
    first.push_back(found.ok() ? *found : std::nullopt);
  }
  if (without.size() == first.size()) return absl::FailedPreconditionError(absl::StrJoin(without, "\n"));
  for (const std::string& text : without) s.Say(text, "\n");
  return !differs ? absl::OkStatus() : SayWhereItBegins(s, a, b, first);
}

absl::Status CompareTwo(Session::State& s, const std::string& a, const std::string& b, absl::string_view only, int64_t inside) {
  const std::string home = s.Extension<Forks>().current;
  if (!Several(s)) {
    const absl::Status status = CompareOn(s, a, b, only, inside, "").status();
    const absl::Status back = SwitchTo(s, home);
    return status.ok() ? back : status;
  }
  Devices& all = DevicesOf(s);
  const int shown = all.shown;
  std::map<std::string, int> selected;
  absl::Status status;
  for (const std::string& fork : {a, b}) {
    if (status.ok()) status = SwitchTo(s, fork);
    if (status.ok()) selected[fork] = all.selected;
  }
  if (status.ok()) status = CompareDevices(s, a, b, only, inside);
  absl::Status back;
  for (const auto& [fork, device] : selected) {
    if (back.ok()) back = SwitchTo(s, fork);
    if (back.ok()) SwapTo(s, device);
  }
  if (back.ok()) back = SwitchTo(s, home);
  all.shown = shown;
  return status.ok() ? back : status;
}

}  // namespace

absl::Status CompareForks(Session::State& s, absl::string_view args) {
  std::vector<std::string> words = absl::StrSplit(args, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  Forks& forks = s.Extension<Forks>();
  int64_t inside = -1;  // how many frames are looked into
  if (const auto word = std::find(words.begin(), words.end(), "inside"); word != words.end()) {
    inside = kInside;
    const bool number = word + 1 != words.end();
    if (number && (!absl::SimpleAtoi(*(word + 1), &inside) || inside < 1 || word + 2 != words.end())) {
      return absl::InvalidArgumentError("inside takes how many iterations, calls and branches are looked into, as: compare forks main other inside 10000");
    }
    words.erase(word, words.end());
  }
  if (words.empty() || (words.size() == 1 && absl::StartsWith(words[0], "%"))) {  // the only other one and this one are meant
    if (forks.others.empty()) return absl::FailedPreconditionError("there is no other fork to compare with; fork makes one");
    if (forks.others.size() > 1)
      return absl::InvalidArgumentError("which forks are compared? compare forks A B names two, and info forks lists them");
    words.insert(words.begin(), {forks.others.begin()->first, forks.current});
  }
  if (words.size() == 1) words.push_back(forks.current);
  if (words.size() < 2 || words.size() > 3) return absl::InvalidArgumentError("two forks are compared, as: compare forks main other [%x | inside]");
  if (words.size() == 3 && inside >= 0) return absl::InvalidArgumentError("of one value all iterations are compared; without it, inside looks into loops and calls");
  for (size_t k = 0; k < 2; ++k) {
    if (words[k] != forks.current && !forks.others.contains(words[k])) return NoFork(forks, words[k]);
  }
  if (words[0] == words[1]) return absl::InvalidArgumentError("a fork is the same as itself; name another");
  return CompareTwo(s, words[0], words[1], words.size() == 3 ? absl::StripPrefix(words[2], "%") : absl::string_view(), inside);
}

}  // namespace hloscope
