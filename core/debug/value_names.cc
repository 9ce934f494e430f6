// What a name in an expression means where the program stands: the session as the host of expressions. Commands about values: values.cc.
#include <algorithm>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/ahead_together.h"
#include "core/debug/calls.h"
#include "core/debug/devices.h"
#include "core/debug/instruction_names.h"
#include "core/debug/session_state.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/debug/ways.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

constexpr char kResult[] = "$result";
constexpr absl::string_view kNoFrame = "hloscope/no-frame";  // its payload: a moment of a frame in the past that the value may be of
constexpr absl::string_view kBreakThere = "; break there to see it";
constexpr char kLast[] = "$_";  // what the instruction before the frame's position has computed

absl::Status NoSuchValue(const Session::State& s, absl::string_view text) {
  const InstructionName parsed = ParseInstructionName(text);
  const absl::string_view name = parsed.name;
  const Computation* never = nullptr;  // that has it, and that this program does not come to
  for (const Computation* computation : s.module->computations) {
    if (FindNamed(*computation, text) == nullptr) continue;
    const std::vector<const Computation*> around = Surroundings(CallsOf(const_cast<Session::State&>(s)), *computation);
    if (std::find(around.begin(), around.end(), s.module->entry) == around.end()) {
      if (never == nullptr) never = computation;
      continue;
    }
    const int frames = s.visible() ? static_cast<int>(s.machine->frames().size()) : 0;
    for (int depth = frames - 1; depth > s.selected; --depth) {  // up has been said
      if (s.machine->frames()[depth].computation != computation) continue;
      return absl::FailedPreconditionError(absl::StrCat("%", name, " is an instruction of frame ", frames - 1 - depth, " (",
                                                        computation->name, "); frame ", frames - 1 - depth, " selects it"));
    }
    if (const std::string combined = OnlyCombinedText(*s.module, CallsOf(const_cast<Session::State&>(s)), *computation); !combined.empty())
      return absl::FailedPreconditionError(absl::StrCat("%", name, " is an instruction of ", computation->name, ", and its values are not held: ", combined));
    absl::Status status = absl::FailedPreconditionError(
        absl::StrCat("%", name, " is an instruction of ", computation->name,
                     s.visible() ? absl::StrCat(", which is no frame of the program now", kBreakThere) : "; the program is not running"));
    if (s.visible() && !RunsByElements(*s.module, CallsOf(const_cast<Session::State&>(s)), *computation)) {
      status.SetPayload(kNoFrame, absl::Cord("run 1"));
    }
    return status;
  }
  if (never != nullptr)
    return absl::FailedPreconditionError(absl::StrCat("%", name, " is an instruction of ", never->name, ", which ", s.module->entry->name, " never runs"));
  if (!parsed.computation.empty()) return NoSuchNamed(*s.module, parsed);
  int64_t budget = 20 << 20;
  NearestName nearest(name, &budget);
  for (const Computation* computation : s.module->computations) {
    for (const Instruction* i : computation->instructions) OfferName(nearest, *i);
  }
  const std::string hint = nearest.Hint();
  return absl::NotFoundError(absl::StrCat("there is no instruction '", name, "'", hint.empty() ? "" : absl::StrCat("; ", hint)));
}

}  // namespace

absl::Status WithMoment(const absl::Status& status, absl::string_view command, absl::string_view args) {
  const auto moment = status.GetPayload(kNoFrame);
  if (!moment.has_value()) return status;
  args = absl::StripAsciiWhitespace(absl::StripSuffix(args, "@"));  // the moment itself is missing
  // Nobody is there to break where an option of the program was typed.
  const bool option = absl::StartsWith(command, "-");
  const absl::string_view what = option ? absl::StripSuffix(status.message(), kBreakThere) : status.message();
  return absl::FailedPreconditionError(absl::StrCat(
      what, option ? "; name" : ", or name", " a moment of the past: ", AsTyped(command, absl::StrCat(args, " @ ", std::string(*moment)))));
}

bool Session::State::IsName(absl::string_view name) const {
  if (name == kResult || name == kLast) return true;
  if (const Frame* f = frame(); f != nullptr && FindNamed(*f->computation, name) != nullptr) return true;
  return std::any_of(module->computations.begin(), module->computations.end(), [&](const Computation* c) { return FindNamed(*c, name) != nullptr; });
}

absl::StatusOr<std::pair<int, const Instruction*>> Session::State::FindValue(absl::string_view name) const {
  if (!visible()) return NeedFrames();
  const int top = std::min<int>(selected, static_cast<int>(machine->frames().size()) - 1);
  for (int depth = top; depth >= 0; --depth) {
    if (const Instruction* found = FindNamed(*machine->frames()[depth].computation, name)) return std::make_pair(depth, found);
  }
  return NoSuchValue(*this, name);
}

absl::StatusOr<Value> Session::State::ValueOf(absl::string_view name) const {
  if (name == kResult) {
    if (!Finished()) return absl::FailedPreconditionError("$result is there when the program has finished");
    return machine->result();
  }
  if (name == kLast) {
    const Frame* f = frame();
    if (f == nullptr) return NeedFrames();
    if (f->position == 0) return absl::FailedPreconditionError(absl::StrCat("$_ is what the instruction before has computed, and none of ", f->computation->name, " has run here"));
    return machine->ValueOf(std::min<int>(selected, static_cast<int>(machine->frames().size()) - 1), f->position - 1);
  }
  // Constants are known without running.
  if (!visible()) {
    for (const Computation* computation : module->computations) {
      const Instruction* found = FindNamed(*computation, name);
      if (found != nullptr && found->literal != nullptr && found->literal->value.has_value()) return found->literal->value;
    }
  }
  const absl::StatusOr<std::pair<int, const Instruction*>> found = FindValue(name);
  if (!found.ok()) return found.status();
  // Looking at another moment of the same run, what its frames have not computed yet counts too.
  const auto travel = extensions_of_run.find(std::type_index(typeid(Travel)));
  const bool ahead = travel != extensions_of_run.end() && static_cast<const Travel*>(travel->second.get())->ahead;
  const int position = found->second->index;
  if (!ahead) return machine->ValueOf(found->first, position);
  const absl::StatusOr<Value> value = machine->ValueAhead(found->first, position);
  if (!absl::IsFailedPrecondition(value.status())) return value;
  const absl::Status exchanged = ExchangeBefore(const_cast<State&>(*this), found->first, position + 1);
  if (absl::IsFailedPrecondition(exchanged)) return value;
  if (!exchanged.ok()) return exchanged;
  return machine->ValueAhead(found->first, position);
}

absl::StatusOr<Value> Session::State::StoredValueOf(absl::string_view name) const {
  if (!name.empty() && name[0] == '%') name.remove_prefix(1);
  if (name == kResult && Finished()) return machine->stored_result();
  if (machine != nullptr && name != kResult) {
    const absl::StatusOr<std::pair<int, const Instruction*>> found = FindValue(name);
    if (found.ok()) return machine->StoredValueOf(found->first, found->second->index);
  }
  return ValueOf(name);
}

absl::StatusOr<Shape> Session::State::ShapeOf(absl::string_view name) const {
  if (name == kResult) return module->entry->root->shape;
  if (name == kLast) {
    const absl::StatusOr<Value> value = ValueOf(name);
    if (!value.ok()) return value.status();
    return value->shape();
  }
  const absl::StatusOr<const Instruction*> found = FindInstruction(name);
  if (!found.ok()) return found.status();
  return (*found)->shape;
}

absl::StatusOr<bool> Session::State::StoppedAt(absl::string_view location) const {
  absl::StatusOr<std::vector<Location>> found = ResolveLocations(*module, location, started() ? machine->top().computation : nullptr);
  if (!found.ok()) return found.status();
  const Instruction* here = started() ? machine->next_instruction() : nullptr;
  return std::any_of(found->begin(), found->end(), [&](const Location& l) { return &l.instruction() == here; });
}

absl::StatusOr<const Instruction*> Session::State::FindInstruction(absl::string_view name) const {
  name = absl::StripPrefix(absl::StripAsciiWhitespace(name), "%");
  if (name.empty()) {
    const Frame* f = frame();
    if (f == nullptr) return absl::FailedPreconditionError("name an instruction; the program is not running, so it stands at none");
    if (f->position >= static_cast<int>(f->computation->schedule.size())) return absl::FailedPreconditionError("the frame is at its end; name an instruction");
    return f->computation->schedule[f->position];
  }
  if (visible()) {
    for (int depth = selected; depth >= 0; --depth) {
      if (const Instruction* found = FindNamed(*machine->frames()[depth].computation, name)) return found;
    }
  }
  if (const Instruction* found = FindNamed(*module->entry, name)) return found;
  for (const Computation* computation : module->computations) {
    if (const Instruction* found = FindNamed(*computation, name)) return found;
  }
  if (name.find(':') != absl::string_view::npos) {  // a place of another form: model.py:12
    const InstructionName parsed = ParseInstructionName(name);
    const absl::StatusOr<std::vector<Location>> found = ResolveLocations(*module, name, nullptr);
    if (found.ok()) return &found->front().instruction();
    return absl::IsNotFound(found.status()) && module->FindComputation(parsed.computation) == nullptr ? NoSuchValue(*this, name) : found.status();
  }
  return NoSuchValue(*this, name);
}

namespace {

// Where only the form of an expression is looked at: names are known or not, and no value is there.
class NoValues : public ExpressionHost {
 public:
  NoValues(const Session::State& s, bool moments) : s_(s), moments_(moments) {}
  bool IsName(absl::string_view name) const override { return s_.IsName(name); }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override { return absl::UnavailableError(""); }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override { return s_.ShapeOf(name); }
  absl::StatusOr<Shape> FormOf(absl::string_view name) const override {
    if (name == kLast) return absl::UnavailableError("");
    if (!s_.IsName(name)) return NoSuchValue(s_, name);
    return s_.ShapeOf(name);
  }
  absl::StatusOr<bool> StoppedAt(absl::string_view location) const override { return s_.StoppedAt(location); }
  bool Finished() const override { return s_.Finished(); }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override {
    if (!argument.empty()) {
      const absl::StatusOr<std::vector<const Instruction*>> loops = FindLoops(*s_.module, argument);
      if (!loops.ok()) return loops.status();
    }
    if (name == "hits") return s_.Fact(name, argument);  // says where it is known
    return 0;
  }
  absl::Status AtMoment(absl::string_view moment, absl::string_view expression, const std::function<absl::Status()>& look) const override {
    return moments_ ? look() : ExpressionHost::AtMoment(moment, expression, look);
  }
  bool form_only() const override { return true; }

 private:
  const Session::State& s_;
  const bool moments_;
};

}  // namespace

absl::StatusOr<double> Session::State::Fact(absl::string_view name, absl::string_view argument) const {
  if (name == "hits") return absl::FailedPreconditionError("hits is known in conditions and logpoints only; info break shows how often a breakpoint was reached");
  if (name == "replica" || name == "partition") {
    const int device = DevicesOf(const_cast<Session::State&>(*this)).selected;
    const int64_t partitions = options.devices.partitions;
    return static_cast<double>(name == "replica" ? device / partitions : device % partitions);
  }
  if (!visible()) return NeedFrames();
  const int top = std::min<int>(selected, static_cast<int>(machine->frames().size()) - 1);
  if (name == "depth") return top;
  std::vector<const Instruction*> running;  // of those that are meant, the innermost first
  int64_t iteration = -1;
  for (int depth = top; depth >= 0; --depth) {
    const Frame& f = machine->frames()[depth];
    if (!IsLoop(f.kind)) continue;
    if (argument.empty()) return static_cast<double>(f.iteration);
    if (!IsCalled(*f.caller, argument)) continue;
    if (running.empty()) iteration = f.iteration;
    running.push_back(f.caller);
  }
  if (running.size() == 1) return static_cast<double>(iteration);
  if (running.size() > 1) return SeveralLoops(argument, running);
  if (argument.empty()) return absl::FailedPreconditionError("no loop is running here, so there is no iteration");
  const absl::StatusOr<std::vector<const Instruction*>> loops = FindLoops(*module, argument);
  if (!loops.ok()) return loops.status();
  absl::Status status = absl::FailedPreconditionError(absl::StrCat("the loop ", ShownName(*loops->front()), " is not running here"));
  status.SetPayload(kLoopNotRunning, absl::Cord());
  return status;
}

absl::Status Session::State::CheckExpression(absl::string_view text, bool moments) const {
  const absl::Status status = EvaluateExpression(text, NoValues(*this, moments)).status();
  return absl::IsUnavailable(status) ? absl::OkStatus() : status;
}

}  // namespace hloscope
