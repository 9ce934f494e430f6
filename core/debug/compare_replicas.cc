// compare replicas: a value in all replicas, by its bits. Not for runs that are compared beside the session (compare_commands.cc).
#include "core/debug/ahead_together.h"
#include "core/debug/compare_replicas.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/compare_values.h"
#include "core/debug/device_names.h"
#include "core/debug/devices.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

// An array of a value: "[1]" of a tuple, "" itself.
struct Leaf {
  std::string place;
  Value value;  // dense
};

// Devices that have the same.
struct Group {
  Value value;
  std::vector<Leaf> leaves;  // of it
  std::vector<std::string> names;
};

void AddLeaves(const Value& value, const std::string& place, std::vector<Leaf>& leaves) {
  if (value.shape().IsArray()) leaves.push_back({place, value});
  for (size_t k = 0; k < value.elements().size(); ++k) AddLeaves(value.elements()[k], absl::StrCat(place, "[", k, "]"), leaves);
}

bool SameBits(const Value& a, const Value& b) {
  return Shape::SameDimensions(a.shape(), b.shape()) && a.shape().element_type() == b.shape().element_type() && (a.byte_size() == 0 || std::memcmp(a.data(), b.data(), a.byte_size()) == 0);
}

// "0x7fc00001".
std::string BitsText(const std::byte* data, int64_t bytes) {
  std::string text = "0x";
  for (int64_t k = bytes; k-- > 0;) absl::StrAppend(&text, absl::Hex(std::to_integer<int>(data[k]), absl::kZeroPad2));
  return text;
}

// "[3] is 0.5, replica 0 has 0.25; 2 of 4 elements differ".
std::string DifferenceText(const Value& got, const Value& first, const std::string& has_first) {
  if (!Shape::SameDimensions(got.shape(), first.shape())) return absl::StrCat("is ", got.shape().ToString(false), ", ", has_first, " has ", first.shape().ToString(false));
  const int64_t bytes = StorageBytes(got.shape().element_type());
  int64_t at = -1, differing = 0;
  for (int64_t k = 0; k < got.element_count(); ++k) {
    if (std::memcmp(got.data() + k * bytes, first.data() + k * bytes, bytes) == 0) continue;
    if (at < 0) at = k;
    ++differing;
  }
  if (at < 0) return "is of another type";
  const ElementType type = got.shape().element_type();
  const std::byte *a = got.data() + at * bytes, *b = first.data() + at * bytes;
  std::string here = ToText(LoadScalar(type, a)), there = ToText(LoadScalar(type, b));
  if (here == there) {  // NaNs of other bits
    absl::StrAppend(&here, " (", BitsText(a, bytes), ")");
    absl::StrAppend(&there, " (", BitsText(b, bytes), ")");
  }
  const std::string is = absl::StrCat("is ", here, ", ", has_first, " has ", there);
  if (got.shape().rank() == 0) return is;
  return absl::StrCat("[", absl::StrJoin(IndexOf(got.shape(), at), ","), "] ", is, "; ", differing, " of ", got.element_count(), " elements differ");
}

bool SameLeaves(const std::vector<Leaf>& a, const std::vector<Leaf>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Leaf& x, const Leaf& y) { return x.place == y.place && SameBits(x.value, y.value); });
}

// By what each has at one of its leaves.
std::vector<Group> GroupsAt(const std::vector<Group>& groups, size_t leaf) {
  std::vector<Group> at;
  for (const Group& group : groups) {
    const std::vector<Leaf> one = {group.leaves[leaf]};
    const auto same = std::find_if(at.begin(), at.end(), [&](const Group& other) { return SameLeaves(other.leaves, one); });
    if (same == at.end()) at.push_back({group.value, one, group.names});
    else same->names.insert(same->names.end(), group.names.begin(), group.names.end());
  }
  return at;
}

// "[0] is 3, replica 0 has 1; 4 of 4 elements differ": of the first array that differs, which is named where it is in a tuple.
std::string DifferenceText(const Group& got, const Group& first) {
  if (got.leaves.size() != first.leaves.size() || got.value.shape().IsTuple() != first.value.shape().IsTuple()) {
    return absl::StrCat("is ", got.value.shape().ToString(false), ", ", first.names[0], " has ", first.value.shape().ToString(false));
  }
  for (size_t k = 0; k < got.leaves.size(); ++k) {
    if (SameLeaves({got.leaves[k]}, {first.leaves[k]})) continue;
    const std::string& place = got.leaves[k].place;
    return absl::StrCat(place, place.empty() ? "" : ": ", DifferenceText(got.leaves[k].value, first.leaves[k].value, first.names[0]));
  }
  return "is another tuple";
}

// One line for each array of a tuple that differs. False: they are no tuples of as many arrays.
bool SayLeaves(Session::State& s, const std::string& what, const std::vector<Group>& groups) {
  const size_t count = groups[0].leaves.size();
  const bool tuples = std::all_of(groups.begin(), groups.end(), [&](const Group& g) { return g.value.shape().IsTuple() && g.leaves.size() == count; });
  if (!tuples) return false;
  std::vector<std::string> lines;
  for (size_t k = 0; k < count; ++k) {
    const std::vector<Group> at = GroupsAt(groups, k);
    if (at.size() > 1) lines.push_back(absl::StrCat(at[0].leaves[0].place, ": ", at.size(), " different values; ", at[1].names[0], ": ", DifferenceText(at[1].leaves[0].value, at[0].leaves[0].value, at[0].names[0])));
  }
  s.Say(what, ": ", lines.size(), " of ", Count(count, "array"), lines.size() == 1 ? " differs\n" : " differ\n");
  for (const std::string& line : lines) s.Say("  ", line, "\n");
  return true;
}

std::string IterationsAround(const Session::State& s, const Computation& computation) {
  const std::vector<Frame>& frames = s.machine->frames();
  int depth = std::min(s.selected, static_cast<int>(frames.size()) - 1);
  while (depth >= 0 && frames[depth].computation != &computation) --depth;
  std::vector<int64_t> iterations;
  for (int k = 0; k <= depth; ++k) {
    if (IsLoop(frames[k].kind)) iterations.push_back(frames[k].iteration);
  }
  return iterations.empty() ? "" : absl::StrCat("iteration ", absl::StrJoin(iterations, ","));
}

// The session as the host of an expression whose names mean the same instructions on all devices: those that they mean in the frame where
// they are asked for first. Another device may stand in a computation that has the names too.
class OneMeaning : public ExpressionHost {
 public:
  explicit OneMeaning(const Session::State& s) : s_(s) {}
  // "e:x y:z", for who takes an expression to find out where it is meant; `text` as long as nothing was asked for.
  std::string Names(const std::string& text) const {
    return meant_.empty() ? text
                          : absl::StrJoin(meant_, " ", [](std::string* out, const auto& pair) { absl::StrAppend(out, pair.second); });
  }
  // "%v means b1:v here; there is also b2:v": of each name that other computations of the program have too.
  std::vector<std::string> Others() const {
    constexpr size_t kNamed = 4;
    std::vector<std::string> lines;
    for (const auto& [name, meant] : meant_) {
      const absl::StatusOr<const Instruction*> found = s_.FindInstruction(meant);
      if (!found.ok()) continue;
      const Instruction& instruction = **found;
      std::vector<std::string> others;
      size_t more = 0;
      for (const Computation* computation : instruction.parent->module->computations) {
        for (const Instruction* i : computation->schedule) {
          if (i == &instruction || i->name != instruction.name) continue;
          if (others.size() == kNamed) ++more;
          else others.push_back(absl::StrCat(computation->name, ":", i->name));
        }
      }
      if (more > 0) others.push_back(absl::StrCat(more, " more"));
      if (!others.empty()) lines.push_back(absl::StrCat(ShownName(instruction), " means ", meant, " here; there is also ", ListOfNames(others)));
    }
    return lines;
  }
  // "iteration 0,3": where all that is meant stands in loops, and in the same ones; else "".
  std::string Iterations() const {
    std::vector<std::string> all;
    for (const auto& [name, meant] : meant_) {
      const absl::StatusOr<const Instruction*> found = s_.FindInstruction(meant);
      all.push_back(found.ok() ? IterationsAround(s_, *(*found)->parent) : "");
    }
    const bool one = !all.empty() && std::all_of(all.begin(), all.end(), [&](const std::string& text) { return text == all[0]; });
    return one ? all[0] : "";
  }
  // What the names mean there.
  void Take(const OneMeaning& other) { meant_ = other.meant_; }
  bool IsName(absl::string_view name) const override { return s_.IsName(name); }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override { return s_.ValueOf(Meant(name)); }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override { return s_.ShapeOf(Meant(name)); }
  absl::StatusOr<bool> StoppedAt(absl::string_view location) const override { return s_.StoppedAt(location); }
  bool Finished() const override { return s_.Finished(); }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override { return s_.Fact(name, argument); }

 private:
  const std::string& Meant(absl::string_view name) const {
    const auto [entry, fresh] = meant_.try_emplace(std::string(name), name);
    if (!fresh || name == "$result") return entry->second;
    if (name == "$_") {
      const Frame* frame = s_.frame();
      if (frame != nullptr && frame->position > 0) {
        const Instruction& last = *frame->computation->schedule[frame->position - 1];
        entry->second = absl::StrCat(frame->computation->name, ":", last.name);
      }
      return entry->second;
    }
    const absl::StatusOr<const Instruction*> found = s_.FindInstruction(name);
    if (found.ok()) entry->second = absl::StrCat((*found)->parent->name, ":", (*found)->name);
    return entry->second;
  }

  const Session::State& s_;
  mutable std::map<std::string, std::string> meant_;
};

// What a device has for the expression.
absl::StatusOr<Value> DenseValue(const std::string& text, const ExpressionHost& host) {
  const absl::StatusOr<ExpressionResult> result = EvaluateExpression(text, host);
  if (!result.ok()) return result.status();
  const absl::StatusOr<Value> value = result->kind == ExpressionResult::kValue ? absl::StatusOr<Value>(result->value) : ToValue(*result);
  if (!value.ok()) return value.status();
  std::vector<Leaf> leaves;
  AddLeaves(*value, "", leaves);
  if (leaves.empty()) return absl::InvalidArgumentError(absl::StrCat(text, " is ", value->shape().ToString(false), ", which has no array to compare"));
  return ToDense(*value);
}

// The expression's value on the device that is looked at now, at the moment where one is named; else in `iterations` of the loops around it.
absl::StatusOr<Value> ValueOnDevice(Session::State& s, const std::string& text, absl::string_view moment, bool as_selected,
                                    const std::string& iterations, const OneMeaning& meaning) {
  if (!s.visible()) return absl::FailedPreconditionError("it is not running");
  SettleRun(s);
  const int frame = s.selected;
  absl::StatusOr<Value> value = absl::FailedPreconditionError("it is not running");
  if (moment.empty()) {
    // Any frame of the others will do.
    if (!as_selected) s.selected = static_cast<int>(s.machine->frames().size()) - 1;
    if (meaning.Iterations() == iterations || iterations.empty()) {
      value = DenseValue(text, meaning);
    } else {
      moment = iterations;
    }
  }
  if (!moment.empty()) {
    int looks = 0;
    const absl::Status looked = LookAtMoments(s, moment, meaning.Names(text), [&](const std::string&) {
      if (looks++ > 0)
        return absl::InvalidArgumentError(absl::StrCat(moment, " is not one moment here; name one, as iteration 3,17 or with call K"));
      value = DenseValue(text, meaning);
      return value.status();
    });
    if (!looked.ok()) value = looked;
  }
  s.selected = frame;
  return value;
}

}  // namespace

ValuesMeant ForEachDeviceValue(Session::State& s, const std::string& text, absl::string_view moment, const std::function<bool(int device, const absl::StatusOr<Value>& value)>& each) {
  // The selected one first: what it means by the names is looked at on all.
  OneMeaning meaning(s);
  const int selected = DevicesOf(s).selected;
  const absl::StatusOr<Value> first = ValueOnDevice(s, text, moment, true, "", meaning);
  ValuesMeant meant{moment.empty() ? meaning.Iterations() : "", {}};
  // It stands nowhere that this is in: the first device that has a value says what the names mean, and the first that stands in a loop with them which
  // iteration is meant, of all devices.
  bool found = false;
  if (moment.empty() && !first.ok()) {
    ForEachRun(s, [&](int d) {
      if (d == selected || found || !s.visible()) return;
      OneMeaning there(s);
      found = ValueOnDevice(s, text, "", false, "", there).ok();
      if (found) meaning.Take(there);
    });
    ForEachRun(s, [&](int d) {
      if (d == selected || !meant.iterations.empty() || !s.visible()) return;
      const int frame = std::exchange(s.selected, static_cast<int>(s.machine->frames().size()) - 1);
      meant.iterations = meaning.Iterations();
      s.selected = frame;
    });
  }
  const bool again = !first.ok() && !meant.iterations.empty();
  bool more = true;
  ForEachRun(s, [&](int d) {
    if (more) more = each(d, d == selected && !again ? first : ValueOnDevice(s, text, moment, d == selected, meant.iterations, meaning));
  });
  meant.others = meaning.Others();
  return meant;
}

absl::Status CompareReplicas(Session::State& s, absl::string_view args) {
  if (!Several(s)) return absl::FailedPreconditionError("the program runs on one device; --replicas N gives it several");
  args = absl::StripAsciiWhitespace(args);
  if (args.empty()) return absl::InvalidArgumentError("compare replicas takes a value, as: compare replicas %x, or compare replicas %x @ iteration 3");
  if (!s.visible()) return s.NeedRunning();
  absl::string_view expression = args, moment;
  SplitMoment(args, &expression, &moment);
  const std::string text(expression);
  Devices& all = DevicesOf(s);
  const int selected = all.selected;
  std::optional<AheadTogether> together;
  if (!moment.empty()) together.emplace(s);
  absl::Status bad;
  std::vector<Group> groups;
  std::vector<std::string> without;
  const ValuesMeant meant = ForEachDeviceValue(s, text, moment, [&](int d, const absl::StatusOr<Value>& value) {
    if (absl::IsInvalidArgument(value.status())) bad = value.status();
    if (!value.ok()) {
      const bool other = all.modules[d] != all.modules[selected];
      without.push_back(absl::StrCat(all.room->Name(d), other ? absl::StrCat(", which runs ", s.module->entry->name) : "", ": ", value.status().message()));
      return bad.ok();
    }
    std::vector<Leaf> leaves;
    AddLeaves(*value, "", leaves);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return SameLeaves(group.leaves, leaves); });
    if (same != groups.end()) {
      same->names.push_back(all.room->Name(d));
    } else {
      groups.push_back({*value, std::move(leaves), {all.room->Name(d)}});
    }
    return true;
  });
  if (!bad.ok()) return bad;
  if (groups.empty()) return absl::FailedPreconditionError(absl::StrCat("no device has a value for it. ", without.empty() ? "" : without[0]));
  const std::string what = meant.iterations.empty() ? std::string(args) : absl::StrCat(args, " @ ", meant.iterations);
  const int64_t compared = s.options.devices.count() - static_cast<int64_t>(without.size());
  const bool same = groups.size() == 1 && compared > 1;
  if (compared == 1) {
    s.Say(what, ": nothing to compare, only ", groups[0].names[0], " has a value for it\n");
  } else if (same) {
    s.Say(what, ": the same bits on ", without.empty() ? absl::StrCat("all ", Count(compared, "device")) : ListOfNames(groups[0].names),
          groups[0].value.shape().IsTuple() ? absl::StrCat(", in ", Count(groups[0].leaves.size(), "array")) : "", "\n");
  } else if (!SayLeaves(s, what, groups)) {
    s.Say(what, ": ", groups.size(), " different values\n");
    for (const Group& group : groups) s.Say("  ", ListOfNames(group.names), &group == &groups[0] ? "" : absl::StrCat(": ", DifferenceText(group, groups[0])), "\n");
  }
  for (const std::string& text_of : without) s.Say("  not compared: ", text_of, "\n");
  if (!without.empty()) {
    for (const std::string& line : meant.others) s.Say("  ", line, "\n");
  }
  // Like an expect: a script goes on, and ends with status 1.
  s.expects.push_back({absl::StrCat("compare replicas ", args), same,
                       same            ? ""
                       : compared == 1 ? absl::StrCat("only ", groups[0].names[0], " has a value for it")
                                       : absl::StrCat(groups[1].names[0], ": ", DifferenceText(groups[1], groups[0])),
                       WhereAsked(s), s.script, s.script_line});
  return absl::OkStatus();
}

}  // namespace hloscope
