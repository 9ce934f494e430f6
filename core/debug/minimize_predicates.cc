#include "core/debug/minimize_predicates.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/catch_given.h"
#include "core/debug/catches.h"
#include "core/debug/check.h"
#include "core/debug/expression.h"
#include "core/debug/minimize_loops.h"
#include "core/debug/subscript.h"
#include "core/debug/text_util.h"
#include "core/debug/time_limit.h"
#include "core/ops/device_groups.h"
#include "core/ops/op.h"
#include "core/ops/operand_role.h"

namespace hloscope {
namespace {

// Names of the entry computation, after a run.
class RunHost : public ExpressionHost {
 public:
  RunHost(const Module& module, Machine& machine, Device device) : module_(module), machine_(machine), device_(device) {}
  bool IsName(absl::string_view name) const override { return name == "$result" || module_.entry->FindInstruction(name) != nullptr; }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override {
    if (name == "$result") return machine_.finished() ? absl::StatusOr<Value>(machine_.result()) : absl::FailedPreconditionError("the program has not finished");
    const Instruction* found = module_.entry->FindInstruction(name);
    if (found == nullptr) return NotThere(name);
    return machine_.ValueOf(0, found->index);
  }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override {
    if (name == "$result") return module_.entry->root->shape;
    const Instruction* found = module_.entry->FindInstruction(name);
    if (found == nullptr) return NotThere(name);
    return found->shape;
  }
  absl::StatusOr<bool> StoppedAt(absl::string_view) const override { return absl::FailedPreconditionError("stopped at says nothing here: the program runs to its end"); }
  bool Finished() const override { return machine_.finished(); }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override {
    if (name == "replica") return static_cast<double>(device_.replica);
    if (name == "partition") return static_cast<double>(device_.partition);
    return ExpressionHost::Fact(name, argument);
  }

 private:
  absl::Status NotThere(absl::string_view name) const {
    for (const Computation* computation : module_.computations) {
      if (computation->FindInstruction(name) == nullptr) continue;
      return absl::NotFoundError(absl::StrCat("%", name, " is an instruction of ", computation->name,
                                              "; here the entry's values are known, at the program's end"));
    }
    return absl::NotFoundError(absl::StrCat("there is no instruction '", name, "'"));
  }

  const Module& module_;
  Machine& machine_;
  const Device device_;
};

// Whether subscripts mean the same of both: parts of tuples stay what they are, as many as are left; elements stay elements.
bool SameKind(const Shape& before, const Shape& now) {
  if (before.IsTuple() != now.IsTuple()) return false;
  if (!before.IsTuple()) return before.IsArray() == now.IsArray() && (!before.IsArray() || before.rank() == now.rank());
  if (now.tuple_shapes().size() > before.tuple_shapes().size()) return false;
  for (size_t k = 0; k < now.tuple_shapes().size(); ++k) {
    if (!SameKind(before.tuple_shapes()[k], now.tuple_shapes()[k])) return false;
  }
  return true;
}

// An array with a part of it written anew.
bool IsUpdate(const Instruction& i) {
  const auto is = [&i](int operand, OperandRole role) { return RoleOf(i, operand).role == role; };
  return Def(i).movement == Movement::kMove && i.operands.size() > 2 && is(0, OperandRole::kThrough) && is(1, OperandRole::kThrough) && is(2, OperandRole::kIndex);
}

// What computed the part `path` of an instruction's value: found through tuples, calls, loops and data that is only moved. Of an update, as of
// what a loop stacks up, what computed the new part, where something did.
const Instruction* ComputedBy(const Instruction* i, std::vector<int64_t> path) {
  const Instruction* update = nullptr;
  const auto found = [&update](const Instruction* maker) { return update != nullptr && (maker->parameter_number >= 0 || maker->literal != nullptr) ? update : maker; };
  std::vector<const Instruction*> callers;
  std::set<std::pair<const Instruction*, std::vector<int64_t>>> loops;  // bodies gone through for a part
  for (int steps = 0; steps < 100000; ++steps) {
    const OpDef& def = Def(*i);
    if (i->parameter_number >= 0) {
      if (callers.empty()) return found(i);
      const Instruction* caller = callers.back();
      callers.pop_back();
      if (Def(*caller).control == ControlKind::kWhile) {
        i = loops.contains({caller, path}) ? caller->operands[0] : caller;  // the iteration before
      } else {
        i = caller->operands[i->parameter_number];
      }
    } else if (def.control == ControlKind::kWhile && IsNeverEntered(*i)) {
      i = i->operands[0];
    } else if (def.control == ControlKind::kWhile) {
      if (!loops.insert({i, path}).second) {
        i = i->operands[0];
        continue;
      }
      callers.push_back(i);
      i = i->Called(AttrId::kBody)->root;
    } else if (def.control == ControlKind::kCall && i->CalledComputations().size() == 1 && i->CalledComputations()[0]->parameters.size() == i->operands.size()) {
      callers.push_back(i);
      i = i->CalledComputations()[0]->root;
    } else if (i->Has(AttrId::kIndex) && i->operands.size() == 1 && i->operands[0]->shape.IsTuple()) {
      path.insert(path.begin(), i->Int(AttrId::kIndex));
      i = i->operands[0];
    } else if (def.op_class == OpClass::kStructural && i->shape.IsTuple() && !path.empty() && path[0] < static_cast<int64_t>(i->operands.size()) && i->operands.size() == i->shape.tuple_shapes().size()) {
      const int64_t part = path[0];
      path.erase(path.begin());
      i = i->operands[part];
    } else if (def.movement == Movement::kMove && i->operands.size() == 1 && path.empty()) {
      i = i->operands[0];
    } else if (path.empty() && IsUpdate(*i)) {
      if (update == nullptr) update = i;
      i = i->operands[1];
    } else {
      return found(i);
    }
  }
  return found(i);
}

// Of each value that the expression names, in their order, what kind of operation has computed it; parameters and constants are one kind.
std::vector<std::string> Makers(const Module& module, const ExpressionHost& host, absl::string_view text) {
  std::vector<std::string> makers;
  const auto part_of_name = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; };
  while (!text.empty()) {
    absl::string_view rest = text;
    absl::StatusOr<Reference> reference = absl::ascii_isalpha(text[0]) || text[0] == '_' || text[0] == '%' || text[0] == '$' ? ParseReference(rest, host) : absl::NotFoundError("");
    if (!reference.ok() || !host.IsName(reference->name)) {
      const bool name = part_of_name(text[0]);
      text.remove_prefix(1);
      while (name && !text.empty() && part_of_name(text[0])) text.remove_prefix(1);
      continue;
    }
    text = rest;
    const Instruction* i = reference->name == "$result" ? module.entry->root : module.entry->FindInstruction(reference->name);
    std::vector<int64_t> path;
    Shape shape = i->shape;
    for (absl::string_view subscript_text : reference->subscripts) {
      const absl::StatusOr<Subscript> subscript = ParseSubscript(subscript_text);
      if (!shape.IsTuple() || !subscript.ok()) break;
      const int64_t k = subscript->size() == 1 ? (*subscript)[0].index : -1, size = static_cast<int64_t>(shape.tuple_shapes().size());
      const int64_t part = k < 0 ? k + size : k;
      if (part < 0 || part >= size) break;
      path.push_back(part);
      shape = Shape(shape.tuple_shapes()[part]);
    }
    const Instruction* maker = ComputedBy(i, std::move(path));
    makers.push_back(maker->parameter_number >= 0 || maker->literal != nullptr ? "" : std::string(Name(maker->opcode)));
  }
  return makers;
}

// Of a run that stopped with an error: "replica 1: %x ...".
std::string ErrorOf(const ProgramRun::End& end) {
  return absl::StrCat(end.device_name, end.device_name.empty() ? "" : ": ", end.status.message());
}

// What a message says whatever the program's names, sizes and numbers are: its first clause, without what stands in parentheses.
std::string KindOfMessage(absl::string_view message) {
  std::string clause;
  int depth = 0;
  while (absl::StartsWith(message, "%") && absl::StrContains(message, ": ")) message.remove_prefix(message.find(": ") + 2);
  for (const char c : message) {
    if (depth == 0 && (c == ':' || c == ';' || c == '\n')) break;
    depth += c == '(';
    if (depth == 0) clause += c;
    depth -= c == ')' && depth > 0;
  }
  std::vector<absl::string_view> words;
  for (const absl::string_view word : absl::StrSplit(clause, ' ', absl::SkipEmpty())) {
    const bool varies = std::any_of(word.begin(), word.end(), [](char c) { return absl::ascii_isdigit(c) || c == '%' || c == '['; });
    if (!varies) words.push_back(word);
  }
  return absl::StrJoin(words, " ");
}

struct Fault {
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string kind;
  std::optional<Opcode> at;
  friend bool operator==(const Fault&, const Fault&) = default;
};

}  // namespace

FailurePredicate ExpectFails(Backend& backend, const RunSettings& run, const std::string& text, int device) {
  return [&backend, &run, text, device, first = true, result = Shape(), makers = std::vector<std::string>(),
          of_result = absl::StrContains(text, "$result")](const Module& module, const DeviceValues& parameters) mutable -> absl::StatusOr<Failing> {
    ProgramRun all(module, backend, run);
    const bool whole = std::exchange(first, false);
    if (whole) result = module.entry->root->shape;
    if (of_result && !SameKind(result, module.entry->root->shape)) return false;
    if (const absl::Status started = all.Begin(parameters); !started.ok()) return whole ? absl::StatusOr<Failing>(started) : Failing(false);
    if (const ProgramRun::End end = all.Run(); end.reason != StopReason::kFinished) {
      if (!whole || end.reason == StopReason::kInterrupted) return false;
      return absl::InvalidArgumentError(absl::StrCat("the program stops with an error before anything can be expected of it: ", ErrorOf(end)));
    }
    bool holds = true;
    for (int d = std::max(0, device); holds && d < (device < 0 ? all.devices() : device + 1); ++d) {
      const absl::StatusOr<Claim> claim = EvaluateClaim(text, RunHost(module, all.machine(d), {d / run.session.devices.partitions, d % run.session.devices.partitions}));
      if (whole && !claim.ok()) return absl::InvalidArgumentError(absl::StrCat("expect ", text, ": ", claim.status().message()));
      if (!claim.ok()) return false;
      holds = claim->holds;
    }
    if (holds) return false;
    std::vector<std::string> now = Makers(module, RunHost(module, all.machine(0), Device()), text);
    if (whole) makers = now;
    return now == makers;
  };
}

FailurePredicate Mismatches(Backend& backend, const RunSettings& run) {
  return [&backend, &run](const Module& module, const DeviceValues& parameters) -> absl::StatusOr<Failing> {
    CheckOptions check;
    check.samples = 256;
    std::vector<std::unique_ptr<RegionChecker>> checkers;  // after the machines that tell them
    ProgramRun all(module, backend, run);
    if (!all.Begin(parameters).ok()) return false;
    for (int d = 0; d < all.devices(); ++d) {
      RegionChecker* checker = checkers.emplace_back(std::make_unique<RegionChecker>(backend, check)).get();
      all.machine(d).set_region_observer([checker](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) -> absl::Status {
        const absl::Status status = checker->Observe(frame, region, kernel, inputs, result);
        return checker->report().mismatch_count > 0 ? absl::AbortedError("found") : status;
      });
    }
    all.Run();
    for (int d = 0; d < all.devices(); ++d) {
      if (checkers[d]->report().mismatch_count > 0) return Failing(true, all.machine(d).Where());
    }
    return false;
  };
}

namespace {

// What the parameters bring of what is looked for is nobody's failure.
Failing NotCaught(const Module& module, const DeviceValues& parameters, absl::Span<const CatchRequest> requests) {
  Failing failing(false);
  for (const std::vector<Value>& of_device : parameters) {
    std::vector<GivenBad> given;
    for (size_t k = 0; k < of_device.size() && k < module.entry->parameters.size(); ++k) {
      if (of_device[k].has_value()) FindGiven(requests, *module.entry->parameters[k], of_device[k], &given);
    }
    if (given.empty()) continue;
    failing.why = absl::StrCat(GivenText(given), ", and what follows from it is inherited, not caught");
    break;
  }
  return failing;
}

}  // namespace

FailurePredicate CatchStops(Backend& backend, const RunSettings& run, std::vector<CatchRequest> requests) {
  return [&backend, &run, requests, wanted = std::optional<Opcode>()](const Module& module, const DeviceValues& parameters) mutable -> absl::StatusOr<Failing> {
    ProgramRun all(module, backend, run);
    if (!all.Begin(parameters, requests).ok()) return false;
    const ProgramRun::End end = all.Run();
    if (end.reason != StopReason::kCaught || end.at == nullptr) return NotCaught(module, parameters, requests);
    if (!wanted.has_value()) wanted = end.at->opcode;
    return end.at->opcode == *wanted ? Failing(true, all.machine(end.device).Where()) : Failing(false);
  };
}

FailurePredicate StopsWithError(Backend& backend, const RunSettings& run) {
  return [&backend, &run, wanted = std::optional<Fault>()](const Module& module, const DeviceValues& parameters) mutable -> absl::StatusOr<Failing> {
    ProgramRun all(module, backend, run);
    if (!all.Begin(parameters).ok()) return false;
    const ProgramRun::End end = all.Run();
    if (end.reason != StopReason::kError) return false;
    const Fault fault{end.status.code(), KindOfMessage(end.status.message()), end.at != nullptr ? std::optional<Opcode>(end.at->opcode) : std::nullopt};
    if (!wanted.has_value()) wanted = fault;
    return fault == *wanted ? Failing(true, all.machine(end.device).Where()) : Failing(false);
  };
}

PlainRun RunPlainly(const Module& module, const DeviceValues& parameters, Backend& backend, const RunSettings& run, double most_seconds) {
  PlainRun plain;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&start] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  RunSettings limited = run;
  limited.until = After(start, most_seconds);
  if (run.until.has_value()) limited.until = std::min(*limited.until, *run.until);
  ProgramRun all(module, backend, limited);
  if (!all.Begin(parameters).ok()) return plain;
  for (int d = 0; d < all.devices(); ++d) {
    Machine& machine = all.machine(d);
    machine.set_light_region_observer([&](const Frame&, const Region&, const Kernel*, absl::Span<const Value>, const Value&) {
      for (const Frame& frame : machine.frames()) plain.iterations = std::max(plain.iterations, frame.iteration + 1);
      return absl::OkStatus();
    });
  }
  plain.ended = all.Run().reason == StopReason::kFinished;
  plain.seconds = seconds();
  return plain;
}

FailurePredicate EndingToo(FailurePredicate fails, Backend& backend, const RunSettings& run, double most_seconds) {
  return [fails = std::move(fails), &backend, &run, most_seconds](const Module& module, const DeviceValues& parameters) -> absl::StatusOr<Failing> {
    if (!RunPlainly(module, parameters, backend, run, most_seconds).ended) return false;
    return fails(module, parameters);
  };
}

}  // namespace hloscope
