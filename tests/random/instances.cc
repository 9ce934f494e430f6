// See instances.h.
#include "tests/random/instances.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/base/diagnostic.h"
#include "core/exec/machine.h"
#include "core/ir/rewrite.h"
#include "core/literal/relayout.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "tests/random/generate.h"

namespace hloscope {
namespace {

constexpr int64_t kMostIterations = 100;

int64_t ElementsOf(const Shape& shape) {
  int64_t n = 0;
  for (int l = 0; l < LeafCountOf(shape); ++l) n += LeafShape(shape, l).IsArray() ? LeafShape(shape, l).ElementCount() : 0;
  return n;
}

bool IsPointwise(const Instruction& i) {
  return Def(i).op_class == OpClass::kPull && std::all_of(i.operands.begin(), i.operands.end(), [&](const Instruction* o) {
           return o->shape.IsArray() && i.shape.IsArray() && o->shape.dimensions() == i.shape.dimensions();
         });
}

const Value& PartOf(const Value& value, const std::vector<int64_t>& leaf) {
  const Value* part = &value;
  for (int64_t k : leaf) part = &part->elements()[k];
  return *part;
}

using ValueOf = std::function<absl::StatusOr<Value>(const Instruction&)>;

// The instruction with `inputs` given from outside.
absl::StatusOr<Instance> CutOut(const Module& module, const Instruction& i, const absl::flat_hash_set<const Instruction*>& inputs,
                                const ValueOf& value) {
  Rewrite rewrite;
  rewrite.entry = i.parent;
  rewrite.root = &i;
  rewrite.inputs = inputs;
  absl::StatusOr<Rewritten> rewritten = RewriteModule(module, rewrite);
  if (!rewritten.ok()) return rewritten.status();
  DiagnosticSink sink;
  Verify(*rewritten->module, sink);
  if (sink.error_count() > 0) return absl::InvalidArgumentError(sink.diagnostics().front().message);
  Instance instance;
  instance.operation = i.opcode;
  for (const RewrittenInput& input : rewritten->inputs) {
    const absl::StatusOr<Value> given = value(*input.original);
    if (!given.ok()) return given.status();
    instance.parameters.push_back(ToDense(PartOf(*given, input.leaf)));
  }
  instance.module = std::move(rewritten->module);
  return instance;
}

absl::StatusOr<Instance> InstanceOf(const Module& module, const Instruction& i, const ValueOf& value) {
  absl::flat_hash_set<const Instruction*> inputs(i.operands.begin(), i.operands.end());
  absl::StatusOr<Instance> alone = CutOut(module, i, inputs, value);
  if (alone.ok() || i.operands.empty()) return alone;
  // It belongs to what made its first operand, as an end to its start.
  inputs.clear();
  std::vector<const Instruction*> todo = {i.operands[0]};
  while (!todo.empty()) {
    const Instruction* from = todo.back();
    todo.pop_back();
    for (const Instruction* operand : from->operands)
      (Def(*from).op_class == Def(i).op_class && operand->shape.IsTuple() ? todo.push_back(operand) : void(inputs.insert(operand)));
  }
  for (size_t k = 1; k < i.operands.size(); ++k) inputs.insert(i.operands[k]);
  return CutOut(module, i, inputs, value);
}

class Chooser {
 public:
  Chooser(const InstanceOptions& options, const std::function<void(const Instance&)>& each)
      : options_(options), each_(each), backend_(MakeReferenceBackend()) {}

  bool HasEnough(const Instruction& i) const {
    const auto known = counts_.find(i.opcode);
    return known != counts_.end() && known->second >= (IsPointwise(i) ? options_.per_pointwise : options_.per_operation);
  }
  bool Has(Opcode opcode) const { return counts_.count(opcode) > 0; }

  void Offer(const Module& module, const std::vector<Value>& arguments, const std::string& origin, bool again) {
    std::vector<const Instruction*> wanted;
    for (const Instruction* i : module.entry->schedule) {
      if ((again ? !Has(i->opcode) : !HasEnough(*i)) && IsSmall(*i) && !ReadsTwice(*i)) wanted.push_back(i);
    }
    if (wanted.empty()) return;
    MachineOptions options;
    options.retain_bytes = int64_t{1} << 26;
    options.max_iterations = kMostIterations;
    Machine machine(module, *backend_, options);
    if (!machine.Start(arguments).ok()) return;
    machine.RunTo(0, static_cast<int>(module.entry->schedule.size()) - 1);
    for (const Instruction* i : wanted) {
      if (HasEnough(*i)) continue;
      absl::StatusOr<Instance> instance = InstanceOf(module, *i, [&](const Instruction& of) { return machine.ValueAhead(0, of.index); });
      if (!instance.ok() || !ResultOf(*instance, *backend_, instance->parameters).ok()) continue;
      instance->origin = absl::StrCat(origin, ", %", i->name);
      ++counts_[i->opcode];
      each_(*instance);
    }
  }

 private:
  // x - x: its elements are not the operands' to change one by one.
  static bool ReadsTwice(const Instruction& i) {
    return absl::flat_hash_set<const Instruction*>(i.operands.begin(), i.operands.end()).size() != i.operands.size();
  }

  bool IsSmall(const Instruction& i) const {
    int64_t read = 0;
    for (const Instruction* operand : i.operands) read += ElementsOf(operand->shape);
    const int64_t made = ElementsOf(i.shape);
    const bool empty = made == 0 && i.shape.IsArray();
    return read <= options_.operand_elements && made <= options_.result_elements && !empty;
  }

  const InstanceOptions& options_;
  const std::function<void(const Instance&)>& each_;
  std::unique_ptr<Backend> backend_;
  std::map<Opcode, int> counts_;
};

}  // namespace

void EachInstance(const InstanceOptions& options, const std::string& samples, const std::function<void(const Instance&)>& each) {
  Chooser chooser(options, each);
  for (uint64_t seed = 1; seed <= options.seeds; ++seed) {
    const Prog program = Generate(seed);
    std::string problems;
    const std::unique_ptr<Module> module = ReadProgram(Text(program), &problems);
    if (module != nullptr) chooser.Offer(*module, ArgumentsOf(program, *module), absl::StrCat("seed ", seed), false);
  }
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(samples)) files.push_back(file.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& path : files) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    std::string problems;
    const std::unique_ptr<Module> module = ReadProgram(text.str(), &problems);
    if (module != nullptr) chooser.Offer(*module, MakeArguments(*module, Inputs::kSmall, 1), path, true);
  }
}

std::vector<Value> RedrawnParameters(const Instance& instance, Inputs inputs, uint64_t seed) {
  std::vector<Value> values;
  for (size_t k = 0; k < instance.parameters.size(); ++k)
    values.push_back(MakeValue(instance.parameters[k].shape().WithoutLayouts(), inputs, seed * 131 + k));
  return values;
}

absl::StatusOr<Value> ResultOf(const Instance& instance, Backend& backend, const std::vector<Value>& parameters) {
  MachineOptions options;
  options.max_iterations = kMostIterations;
  Machine machine(*instance.module, backend, options);
  if (absl::Status started = machine.Start(parameters); !started.ok()) return started;
  if (machine.Run() != StopReason::kFinished) return machine.status().ok() ? absl::InternalError("stopped") : machine.status();
  return ToDense(machine.result());
}

}  // namespace hloscope
