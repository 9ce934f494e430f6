// The comparison's rule: a result agrees when it is bit for bit the reference's, when both are NaN, or when it lies within the bound that
// the interpreter accumulated beside the value. A bound of 0 asks for the bits; an infinite one decides nothing and is counted apart.
#include "core/debug/check.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "absl/strings/str_cat.h"
#include "core/base/hash.h"
#include "core/base/threads.h"
#include "core/debug/compare_values.h"
#include "core/debug/interruption.h"
#include "core/debug/member_walk.h"
#include "core/debug/text_util.h"
#include "core/element/visit.h"
#include "core/exec/fuse.h"
#include "core/ir/written_names.h"
#include "core/literal/element_at.h"
#include "core/literal/scalar.h"
#include "core/literal/statistics.h"
#include "core/ops/called_run.h"
#include "core/ops/cost.h"
#include "core/ops/element_calls.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kSamplesOfOneElement = 4;  // of a result whose elements are all the same
constexpr double kStepsOfPart = 2e5;         // that a thread takes at once
constexpr int64_t kMostOfPart = 4096, kPartsOfSlab = 64;

int64_t LeafCount(const Program& program) { return static_cast<int64_t>(program.outputs.size()); }

// Whether the elements of some output differ by their indices. Where they do not (a repeated constant), many samples are one.
bool DependsOnIndices(const Program& program) {
  if (program.is_push) return true;
  const ExprGraph& graph = *program.graph;
  return !VisitNodes(graph, RootsOf(program), [&](NodeId, const Node& node) { return node.kind == NodeKind::kIndex && node.var < program.rank() ? Visit::kEnd : Visit::kInto; });
}

int64_t SamplesOf(const Program& program, int64_t samples) {
  return samples > kSamplesOfOneElement && !DependsOnIndices(program) ? kSamplesOfOneElement : samples;
}

// What a thread found in its part of a result.
struct PartChecked {
  struct Other {
    int64_t linear, output;
    BoundedScalar expected;
  };
  int64_t agree = 0;  // bit for bit
  std::vector<Other> others;
  absl::Status status;
};

// Elements first ... last - 1 of a list, or of the result itself.
PartChecked CheckPart(Interpreter& interpreter, absl::Span<const Value* const> operands, const Value& result, const int64_t* list,
                      int64_t first, int64_t last) {
  PartChecked part;
  const auto take = [&](int64_t at, absl::Span<const BoundedScalar> expected) {
    for (size_t o = 0; o < expected.size(); ++o) {
      const Scalar got = ElementAt(result.shape().IsTuple() ? result.elements()[o] : result, at);
      if (got.IsFinite() && SameBits(got, expected[o].value)) {
        ++part.agree;
      } else {
        part.others.push_back({at, static_cast<int64_t>(o), expected[o]});
      }
    }
  };
  if (list == nullptr) part.status = interpreter.ForRange(operands, first, last, take);
  for (int64_t i = first; list != nullptr && i < last && part.status.ok(); ++i) {
    part.status = interpreter.ForRange(operands, list[i], list[i] + 1, take);
  }
  return part;
}

// Calls a computation of scalars by interpreting it: what a sort's comparator needs.
class ScalarCaller {
 public:
  absl::StatusOr<Value> Call(const Computation& computation, absl::Span<const Value> arguments) {
    std::unique_ptr<Code>& code = codes_[&computation];
    if (code == nullptr) {
      absl::StatusOr<std::unique_ptr<Code>> made = Make(computation);
      if (!made.ok()) return made.status();
      code = *std::move(made);
    }
    std::vector<const Value*> operands;
    for (const Value& argument : arguments) operands.push_back(&argument);
    absl::StatusOr<std::vector<BoundedScalar>> results = code->interpreter->At(operands, {});
    if (!results.ok()) return results.status();
    std::vector<Value> values;
    for (size_t o = 0; o < results->size(); ++o) {
      Value value = Value::Allocate(code->program.outputs[o].shape);
      StoreScalar((*results)[o].value, value.mutable_data());
      values.push_back(std::move(value));
    }
    if (computation.root->shape.IsTuple()) return Value::Tuple(computation.root->shape, std::move(values));
    return values[0];
  }

 private:
  struct Code {
    Program program;
    std::unique_ptr<Interpreter> interpreter;
  };
  static absl::StatusOr<std::unique_ptr<Code>> Make(const Computation& computation) {
    auto code = std::make_unique<Code>();
    std::vector<NodeId> arguments;
    for (const Instruction* parameter : computation.parameters) {
      code->program.operands.push_back(parameter->shape);
      arguments.push_back(code->program.graph->Load(static_cast<int>(arguments.size()), parameter->shape.element_type(), {}));
    }
    absl::StatusOr<std::vector<NodeId>> nodes = InlineScalarComputation(*code->program.graph, computation, arguments);
    if (!nodes.ok()) return nodes.status();
    for (NodeId node : *nodes) code->program.outputs.push_back({Shape::Scalar(code->program.graph->node(node).type), node});
    InterpretOptions options;
    options.bounds = false;
    code->interpreter = std::make_unique<Interpreter>(code->program, options);
    return code;
  }
  absl::flat_hash_map<const Computation*, std::unique_ptr<Code>> codes_;
};

}  // namespace

Agreement CompareScalars(const Scalar& got, const BoundedScalar& expected) {
  const Scalar& want = expected.value;
  const bool floats = IsFloat(got.type) || IsComplex(got.type);
  if (floats && !got.IsFinite() && !want.IsFinite()) {
    const bool same = (got.IsNaN() && want.IsNaN()) || SameBits(got, want);
    return same || expected.bound != 0 ? Agreement::kNotFinite : Agreement::kMismatch;
  }
  if (SameBits(got, want)) return Agreement::kAgrees;
  if (expected.bound == 0) return Agreement::kMismatch;
  if (!(expected.bound < HUGE_VAL)) return Agreement::kUndecided;
  if (Distance(got, want) <= expected.bound) return Agreement::kAgrees;
  // Within the bound of an overflow: the exact value plus the bound rounds to an infinity.
  if (IsFloat(got.type) && std::isinf(got.re) && want.IsFinite()) {
    const double edge = Scalar::Float(got.type, want.re + std::copysign(expected.bound, got.re)).re;
    if (edge == got.re) return Agreement::kUndecided;
  }
  return Agreement::kMismatch;
}

std::vector<int64_t> SampleIndices(int64_t count, int64_t samples, uint64_t seed) {
  std::vector<int64_t> indices;
  if (samples < 0 || count <= samples) {
    indices.resize(count);
    for (int64_t i = 0; i < count; ++i) indices[i] = i;
    return indices;
  }
  indices = {0};
  if (samples > 1) indices.push_back(count - 1);
  for (int64_t k = 2; k < samples; ++k) indices.push_back(static_cast<int64_t>(MixHash(seed * 0x100000001b3ull + k + 0x9e3779b97f4a7c15ull) % static_cast<uint64_t>(count)));
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

absl::Status ForEachSlab(
    const Shape& shape, int64_t samples, uint64_t seed,
    const std::function<absl::Status(absl::Span<const int64_t> linear, absl::Span<const std::vector<int64_t>> indices)>& each) {
  constexpr int64_t kSlab = int64_t{1} << 17;
  const int64_t count = shape.ElementCount();
  const bool all = samples < 0 || count <= samples;
  const std::vector<int64_t> list = all ? std::vector<int64_t>() : SampleIndices(count, samples, seed);
  const int64_t total = all ? count : static_cast<int64_t>(list.size());
  for (int64_t from = 0; from < total; from += kSlab) {
    std::vector<int64_t> linear;
    std::vector<std::vector<int64_t>> indices;
    for (int64_t k = from; k < std::min(total, from + kSlab); ++k) {
      linear.push_back(all ? k : list[k]);
      indices.push_back(IndexOf(shape, linear.back()));
    }
    if (absl::Status done = each(linear, indices); !done.ok()) return done;
  }
  return absl::OkStatus();
}

RegionChecker::RegionChecker(Backend& backend, CheckOptions options) : backend_(backend), options_(options) {
  if (options_.threads <= 0) options_.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
RegionChecker::~RegionChecker() = default;

void RegionChecker::Failed(const Instruction& instruction, const absl::Status& status) {
  ++report_.unchecked_failed;
  if (report_.first_failure.empty()) report_.first_failure = absl::StrCat(ShownName(instruction), ": ", status.message());
}

std::string ExchangedText(const CheckReport& report) {
  return report.unchecked_exchanged == 0 ? "" : absl::StrCat(Count(report.unchecked_exchanged, "result"), " of exchanges with other devices");
}

absl::Status RegionChecker::Observe(const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
  const Computation& computation = *frame.computation;
  const Instruction& root = *computation.schedule[region.root];
  const bool by_calls = !CallsAreExpressions(root);  // then the Machine makes it call by call
  const bool exchanged = ExchangeOf(root).role == ExchangeRole::kCollective || ExchangeOf(root).role == ExchangeRole::kReceiveDone;
  if (kernel == nullptr && !by_calls && !exchanged) return absl::OkStatus();  // control flow and handles compute nothing themselves
  std::unique_ptr<Entry>& entry = entries_[&root];
  if (entry == nullptr) entry = std::make_unique<Entry>();
  if (++entry->times > options_.times) return absl::OkStatus();
  if (kernel == nullptr && exchanged) {
    ++report_.unchecked_exchanged;
    return absl::OkStatus();
  }
  ++report_.regions;
  if (Def(root).op_class == OpClass::kOpaque || by_calls) {
    CheckOpaque(root, inputs, region, result);
    return absl::OkStatus();
  }
  if (entry->programs.empty()) entry->programs.push_back(FuseRegion(computation, region));
  CheckProgram(entry->programs[0], *kernel, inputs, result, root, region.members.size() > 1);
  if (region.members.size() > 1) {
    CheckMembers(*entry, computation, region, inputs, result);
  } else {
    ++report_.instructions;
  }
  return Cancelled() ? Interruption() : absl::OkStatus();
}

void RegionChecker::CheckMembers(Entry& entry, const Computation& computation, const Region& region, absl::Span<const Value> inputs, const Value& result) {
  size_t k = 0;
  const auto visit = [&](int position, const Region& single, const Kernel* kernel, absl::Span<const Value> operands, const Value& value) {
    const Instruction& instruction = *computation.schedule[position];
    if (kernel != nullptr) {
      if (entry.programs.size() <= ++k) entry.programs.push_back(FuseRegion(computation, single));
      CheckProgram(entry.programs[k], *kernel, operands, value, instruction, false);
      ++report_.instructions;
    }
    if (position == region.root && !Value::BitEqual(value, result) && report_.split_differences++ == 0) {
      report_.first_split_difference = NameInText(instruction);
    }
    return !Cancelled();
  };
  const absl::Status status = WalkMembers(backend_, computation, region, inputs, visit);
  if (!status.ok()) Failed(*computation.schedule[region.root], status);
}

void RegionChecker::CheckProgram(const absl::StatusOr<Program>& program, const Kernel& kernel, absl::Span<const Value> operands, const Value& result,
                                 const Instruction& instruction, bool fused) {
  if (!program.ok()) return Failed(instruction, program.status());
  InterpretOptions interpret;
  interpret.library_order = kernel.library_order();
  interpret.library_wide_accumulation = kernel.library_wide_accumulation();
  std::vector<const Value*> values;
  for (const Value& operand : operands) values.push_back(&operand);
  const absl::Status checked = CheckEach(*program, interpret, values, result, instruction, fused);
  if (!checked.ok() && !Cancelled()) Failed(instruction, checked);
}

absl::Status RegionChecker::CheckEach(const Program& program, const InterpretOptions& interpret, absl::Span<const Value* const> operands,
                                      const Value& result, const Instruction& instruction, bool fused) {
  const int64_t samples = SamplesOf(program, options_.samples), count = program.outputs[0].shape.ElementCount();
  const bool all = samples < 0 || count <= samples, tuple = result.shape().IsTuple();
  const auto compare = [&](int64_t at, int64_t o, const BoundedScalar& expected) {
    Compare(instruction, fused, tuple ? static_cast<int>(o) : -1, tuple ? result.elements()[o] : result, at, expected);
  };
  const uint64_t seed = static_cast<uint64_t>(instruction.index) + 1;
  if (program.is_push) return CheckPush(program, interpret, operands, samples, seed, compare);
  const std::vector<int64_t> linear = all ? std::vector<int64_t>() : SampleIndices(count, samples, seed);
  // Threads take parts of a slab in turn, and keep what does not agree bit for bit; that is judged in order, whoever found it.
  const int64_t total = all ? count : static_cast<int64_t>(linear.size());
  const double steps = StepsOfElement(program);
  const int64_t part = std::clamp<int64_t>(static_cast<int64_t>(kStepsOfPart / steps), 1, kMostOfPart), slab = part * kPartsOfSlab;
  const int threads = static_cast<int>(std::clamp<int64_t>((total + part - 1) / part, 1, options_.threads));
  std::vector<std::unique_ptr<Interpreter>> interpreters;
  for (int t = 0; t < threads; ++t) {
    interpreters.push_back(std::make_unique<Interpreter>(program, interpret));
    interpreters.back()->set_cancel(options_.cancel);
  }
  for (int64_t from = 0; from < total; from += slab) {
    const int64_t to = std::min(total, from + slab), parts = (to - from + part - 1) / part;
    std::vector<PartChecked> checked(parts);
    std::atomic<int64_t> next{0};
    OnThreads(threads, [&](int t) {
      for (int64_t p; (p = next.fetch_add(1)) < parts;) {
        const int64_t first = from + p * part, last = std::min(to, first + part);
        checked[p] = CheckPart(*interpreters[t], operands, result, all ? nullptr : linear.data(), first, last);
      }
    });
    for (const PartChecked& c : checked) {
      if (!c.status.ok()) return c.status;
      report_.checked_elements += c.agree;
      for (const PartChecked::Other& other : c.others) compare(other.linear, other.output, other.expected);
    }
    Progressed(steps * static_cast<double>(to - from));
  }
  return absl::OkStatus();
}

// One pass over the updates for many elements.
absl::Status RegionChecker::CheckPush(const Program& program, const InterpretOptions& interpret, absl::Span<const Value* const> operands,
                                      int64_t samples, uint64_t seed,
                                      const std::function<void(int64_t at, int64_t output, const BoundedScalar& expected)>& compare) {
  Interpreter interpreter(program, interpret);
  interpreter.set_cancel(options_.cancel);
  const absl::Status checked = ForEachSlab(
      program.outputs[0].shape, samples, seed, [&](absl::Span<const int64_t> linear, absl::Span<const std::vector<int64_t>> indices) {
        const absl::StatusOr<std::vector<std::vector<BoundedScalar>>> expected = interpreter.AtMany(operands, indices);
        if (!expected.ok()) return expected.status();
        for (int64_t o = 0; o < LeafCount(program); ++o) {
          for (size_t i = 0; i < linear.size(); ++i) compare(linear[i], o, (*expected)[i][o]);
        }
        return absl::OkStatus();
      });
  if (checked.ok()) Progressed(StepsOfElement(program));
  return checked;
}

void RegionChecker::Progressed(double steps) {
  steps_ += steps;
  if (options_.progress) options_.progress(steps_);
}

double StepsToCheck(const Computation& computation, const Region& region, int64_t samples) {
  double all = 0;
  const auto add = [&](const Region& part) {
    const Instruction& root = *computation.schedule[part.root];
    if (root.literal != nullptr || Def(root).op_class == OpClass::kStructural || Def(root).op_class == OpClass::kOpaque) return;
    const absl::StatusOr<Program> program = FuseRegion(computation, part);
    if (!program.ok()) return;
    const double steps = StepsOfElement(*program);
    const int64_t count = program->outputs[0].shape.ElementCount(), most = SamplesOf(*program, samples);
    all += program->is_push ? steps : steps * static_cast<double>(most < 0 ? count : std::min(count, most));
  };
  add(region);
  for (size_t k = 0; region.members.size() > 1 && k < region.members.size(); ++k) add(SingleRegion(computation, region.members[k]));
  return all;
}

void RegionChecker::Compare(const Instruction& instruction, bool fused, int output, const Value& got, int64_t linear, const BoundedScalar& expected) {
  const Scalar element = ElementAt(got, linear);
  Agreement agreement = CompareScalars(element, expected);
  // A copy is right or wrong whatever the number: an infinity that the program writes itself and moves about is compared like any other.
  const OpDef& def = Def(instruction);
  const bool copies = def.movement != Movement::kCompute || def.op_class == OpClass::kPush;  // a push leaves most elements as they were
  if (agreement == Agreement::kNotFinite && !fused && copies && expected.bound == 0) agreement = Agreement::kAgrees;
  switch (agreement) {
    case Agreement::kAgrees: ++report_.checked_elements; return;
    case Agreement::kNotFinite:
      ++report_.unchecked_nonfinite;
      ++report_.nonfinite_by_instruction[NameInText(instruction)];
      return;
    case Agreement::kUndecided: ++report_.undecided; return;
    case Agreement::kMismatch: break;
  }
  ++report_.checked_elements;
  ++report_.mismatch_count;
  if (report_.mismatches.size() >= options_.keep_mismatches) return;
  Mismatch mismatch;
  mismatch.instruction = std::string(instruction.name);
  mismatch.fused = fused;
  mismatch.output = output;
  mismatch.index.resize(got.shape().rank());
  DelinearizeIndex(got.shape().dimensions(), linear, absl::MakeSpan(mismatch.index));
  mismatch.got = element;
  mismatch.expected = expected.value;
  mismatch.ulp = UlpDistance(element, expected.value);
  mismatch.bound = expected.bound;
  report_.mismatches.push_back(std::move(mismatch));
}

// An opaque operation is its own reference where that is cheap, as is one whose computation is called element by element, with what it calls
// interpreted. Ours and a library's may round differently, so floats get a bound from the
// largest magnitude; a result that depends on the random stream cannot be compared.
void RegionChecker::CheckOpaque(const Instruction& instruction, absl::Span<const Value> inputs, const Region& region, const Value& result) {
  const OpDef& def = Def(instruction);
  int64_t elements = 0;
  for (const Value& input : inputs) elements += input.shape().IsArray() ? input.element_count() : 0;
  const int64_t most = instruction.CalledComputations().empty() ? int64_t{1} << 20 : int64_t{1} << 16;
  const bool by_calls = !CallsAreExpressions(instruction);
  if ((def.evaluate == nullptr && !by_calls) || def.has_side_effect || elements > most) {
    ++report_.unchecked_opaque;
    return;
  }
  std::vector<Value> operands;
  for (const Instruction* operand : instruction.operands) {
    const auto at = std::find(region.inputs.begin(), region.inputs.end(), operand->index);
    operands.push_back(inputs[at - region.inputs.begin()]);
  }
  ScalarCaller caller;
  CalledRun run(std::nullopt);
  EvalContext context{instruction, operands};
  context.call = [&](const Computation& computation, absl::Span<const Value> arguments) -> absl::StatusOr<Value> {
    if (!by_calls) return caller.Call(computation, arguments);
    std::optional<Value> made = run.Run(computation, arguments);
    if (!made.has_value()) return absl::UnimplementedError("something in it is not interpreted");
    return *std::move(made);
  };
  const auto evaluate = [&] { return def.evaluate != nullptr ? def.evaluate(context) : ElementCalls::Evaluate(context); };
  const absl::StatusOr<Value> reference = evaluate();
  if (!reference.ok()) {
    ++report_.unchecked_opaque;
    return;
  }
  if (!Value::BitEqual(*reference, result)) {
    context.stream_seed = 0x5eed;
    const absl::StatusOr<Value> other = evaluate();
    if (!other.ok() || !Value::BitEqual(*reference, *other)) {
      ++report_.unchecked_opaque;
      return;
    }
  }
  ++report_.instructions;
  const bool tuple = result.shape().IsTuple();
  const size_t leaves = tuple ? result.elements().size() : 1;
  for (size_t o = 0; o < leaves; ++o) {
    const Value& got = tuple ? result.elements()[o] : result;
    const Value& want = tuple ? reference->elements()[o] : *reference;
    if (!got.shape().IsArray()) continue;
    const ElementType type = got.shape().element_type();
    double bound = 0;
    if ((IsFloat(type) || IsComplex(type)) && !Value::BitEqual(got, want)) {
      const Statistics s = Summarize(want);
      bound = 1024 * UnitRoundoff(RealTypeOf(type)) * std::max(std::fabs(s.min), std::fabs(s.max));
    }
    for (int64_t at : SampleIndices(got.element_count(), options_.samples, o + 1)) {
      Compare(instruction, false, tuple ? static_cast<int>(o) : -1, got, at, {ElementAt(want, at), bound});
    }
  }
}

absl::StatusOr<int> FindOrigin(Backend& backend, const Computation& computation, const Region& region, absl::Span<const Value> inputs, bool nan, bool inf) {
  int origin = -1;
  const auto bad = [&](const Value& value) {
    const NonFinite found = FindNonFinite(value);
    return (nan && found.nan) || (inf && found.inf);
  };
  const auto visit = [&](int position, const Region&, const Kernel*, absl::Span<const Value> operands, const Value& value) {
    if (!bad(value) || std::any_of(operands.begin(), operands.end(), bad)) return true;
    origin = position;
    return false;
  };
  const absl::Status status = WalkMembers(backend, computation, region, inputs, visit);
  if (!status.ok()) return status;
  return origin;
}

}  // namespace hloscope
