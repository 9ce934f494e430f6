// One program on the oracle and both backends, see harness.h.
#include "tests/random/harness.h"

#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/base/diagnostic.h"
#include "core/exec/custom_call.h"
#include "core/exec/machine.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "tests/oracle/oracle.h"
#ifdef HLOSCOPE_JIT
#include "backends/jit_cpu/jit_cpu.h"
#endif

namespace hloscope {

std::unique_ptr<Module> ReadProgram(const std::string& text, std::string* problems) {
  DiagnosticSink sink;
  auto source = std::make_shared<const SourceText>("program", text);
  std::unique_ptr<Module> module = ReadHloText(source, sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  if (sink.error_count() == 0) return module;
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.severity == Severity::kError) absl::StrAppend(problems, Render(d, *source));
  }
  return nullptr;
}

namespace {

oracle::Number RandomInteger(ElementType type, Inputs inputs, std::mt19937_64& random) {
  if (IsPred(type)) return oracle::Int(random() & 1);
  int64_t v = static_cast<int64_t>(random() % 9) - (IsSigned(type) ? 4 : 0);
  if (inputs == Inputs::kMixed && random() % 4 == 0) v = static_cast<int64_t>(random());
  if (inputs == Inputs::kSpecial) {
    const int bits = BitWidth(type);
    const int64_t top = IsSigned(type) ? static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1) : -1;
    const int64_t choices[] = {0, 1, -1, top, top - 1, -top - 1, -top, bits, bits - 1, static_cast<int64_t>(random())};
    v = choices[random() % 10];
  }
  return oracle::Int(oracle::Wrap(type, v));
}

double RandomReal(ElementType type, Inputs inputs, std::mt19937_64& random) {
  double v = static_cast<double>(static_cast<int64_t>(random() % 17) - 8) / 2;
  if (inputs == Inputs::kMixed) v = (static_cast<double>(random() % 4001) / 1000 - 2) * (random() % 5 == 0 ? 10 : 1);
  if (inputs == Inputs::kSpecial || (inputs == Inputs::kMixed && random() % 40 == 0)) {
    const double least = oracle::Ulp(type, 0), max = oracle::MaxFinite(type);
    const double choices[] = {0.0, -0.0, INFINITY, -INFINITY, std::nan(""), least, -least, max, -max, 1, -1, 0.5, -1.5, 2.5,
                              std::ldexp(1, -oracle::FormatOf(type).mantissa_bits), 3 * least, max / 2, 1e3, -7};
    v = choices[random() % (sizeof(choices) / sizeof(choices[0]))];
  }
  return oracle::Round(type, v);
}

}  // namespace

Value MakeValue(const Shape& shape, Inputs inputs, uint64_t seed) {
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15u + 1);
  if (shape.IsTuple()) {
    std::vector<Value> parts;
    for (const Shape& part : shape.tuple_shapes()) parts.push_back(MakeValue(part, inputs, random()));
    return Value::Tuple(shape, std::move(parts));
  }
  if (!shape.IsArray()) return Value::Token();
  const ElementType type = shape.element_type();
  oracle::Array array(shape);
  for (oracle::Number& x : array.elements) {
    if (IsFloat(type)) {
      x = oracle::Real(RandomReal(type, inputs, random));
    } else if (IsComplex(type)) {
      const double re = RandomReal(RealTypeOf(type), inputs, random);
      x = oracle::Complex(re, RandomReal(RealTypeOf(type), inputs, random));
    } else {
      x = RandomInteger(type, inputs, random);
    }
  }
  return oracle::ToValue(array);
}

std::vector<Value> MakeArguments(const Module& module, Inputs inputs, uint64_t seed) {
  std::vector<Value> arguments;
  for (const Instruction* p : module.entry->parameters) arguments.push_back(MakeValue(p->shape, inputs, seed * 31 + arguments.size()));
  return arguments;
}

namespace {

// A function that the user would bring: of one s32.
void TripleAndOne(void* out, void** in) { *static_cast<uint32_t*>(out) = 3 * *static_cast<const uint32_t*>(in[0]) + 1; }
const CustomCallLibrary& UserFunctions() {
  static const CustomCallLibrary& library = *[] {
    auto* l = new CustomCallLibrary;
    l->Register("random_triple", TripleAndOne);
    return l;
  }();
  return library;
}
absl::StatusOr<oracle::Array> UserFunction(const Instruction& i, oracle::Operands operands) {
  if (i.Text(AttrId::kCustomCallTarget) != "random_triple") return absl::NotFoundError("another function");
  oracle::Array out(i.shape);
  const oracle::Number& x = operands[0]->elements[0];
  out.elements[0] = x.unknown() ? oracle::Unknown() : oracle::Int(oracle::Wrap(ElementType::kS32, static_cast<int64_t>(3 * static_cast<uint64_t>(x.i) + 1)));
  return out;
}

}  // namespace

absl::StatusOr<Value> RunOnBackend(const Module& module, Backend& backend, const std::vector<Value>& arguments, bool steps, Feeds* feeds) {
  MachineOptions options;
  options.custom_calls = &UserFunctions();
  if (feeds != nullptr) options.infeed = feeds->in;
  Machine machine(module, backend, options);
  absl::Status started = machine.Start(arguments);
  if (!started.ok()) return started;
  if (steps) {
    StopReason reason = StopReason::kStep;
    for (int64_t k = 0; k < 20000 && reason == StopReason::kStep; ++k) reason = machine.Step(/*into=*/true);
    if (reason == StopReason::kStep) return absl::ResourceExhaustedError("many steps");
    if (reason != StopReason::kFinished) return machine.status().ok() ? absl::InternalError("stopped") : machine.status();
  } else if (machine.Run() != StopReason::kFinished) {
    return machine.status().ok() ? absl::InternalError("stopped") : machine.status();
  }
  if (feeds != nullptr) {
    for (const Value& v : machine.outfeed()) feeds->out.push_back(v);
  }
  return machine.result();
}

// Bit for bit, but for which NaN a NaN is.
static bool SameBits(const Value& a, const Value& b) { return oracle::CompareWith(oracle::FromValue(a), b).ok(); }

Trio::Trio(int threads) : reference_(MakeReferenceBackend()) {
#ifdef HLOSCOPE_JIT
  BackendOptions options;
  options.threads = threads;
  auto jit = MakeJitCpuBackend(options);
  if (jit.ok()) jit_ = *std::move(jit);
#endif
}
Trio::~Trio() = default;

TrioOutcome Trio::Compare(const Module& module, const std::vector<Value>& arguments, bool steps) {
  TrioOutcome outcome;
  const auto failed = [&](const std::string& who, const absl::Status& status) {
    outcome.kind = TrioOutcome::kFailed;
    outcome.what = absl::StrCat(who, ": ", status.ToString());
    return outcome;
  };
  // The items of the infeed are made as the oracle asks for them.
  Feeds feeds;
  std::vector<oracle::Array> expected_out;
  oracle::Options world;
  world.infeed = [&](const Shape& shape) { return feeds.in.emplace_back(MakeValue(shape.WithoutLayouts(), Inputs::kSmall, 977 + feeds.in.size())); };
  world.outfeed = &expected_out;
  world.custom_call = UserFunction;
  absl::StatusOr<oracle::Array> expected = oracle::Evaluate(module, arguments, world);
  const bool skipped = absl::IsUnimplemented(expected.status()) || absl::IsAborted(expected.status()) || absl::IsResourceExhausted(expected.status());
  if (!expected.ok() && !skipped) return failed("oracle", expected.status());
  bool fed = false;
  for (const Computation* c : module.computations) {
    for (const Instruction* i : c->instructions) fed |= i->opcode == Opcode::kInfeed;
  }
  // Nobody knows how many items it would have taken.
  if (!expected.ok() && (fed || absl::IsResourceExhausted(expected.status()))) {
    outcome.kind = TrioOutcome::kSkipped;
    return outcome;
  }
  Feeds of_reference{feeds.in, {}}, of_jit{feeds.in, {}}, of_steps{feeds.in, {}};
  const absl::StatusOr<Value> reference = RunOnBackend(module, *reference_, arguments, /*steps=*/false, &of_reference);
  if (!reference.ok()) return failed("reference", reference.status());
  absl::StatusOr<Value> jit = absl::UnavailableError("no JIT");
  if (jit_ != nullptr) {
    jit = RunOnBackend(module, *jit_, arguments, /*steps=*/false, &of_jit);
    if (!jit.ok()) return failed("jit", jit.status());
  }
  if (skipped) {
    outcome.kind = TrioOutcome::kSkipped;
    outcome.what = expected.status().ToString();
    return outcome;
  }
  const auto compare_one = [&](const std::string& who, const oracle::Array& want, const Value& got) {
    const oracle::Comparison c = oracle::CompareWith(want, got);
    outcome.compared += c.compared;
    outcome.exact += c.exact;
    outcome.unknown += c.unknown;
    if (c.ok() || outcome.kind == TrioOutcome::kMismatch) return;
    outcome.kind = TrioOutcome::kMismatch;
    outcome.what = absl::StrCat(who, " ", c.difference);
  };
  const auto compare = [&](const std::string& who, const Value& got, const std::vector<Value>& out) {
    compare_one(who, *expected, got);
    if (out.size() != expected_out.size()) {
      outcome.kind = TrioOutcome::kMismatch;
      outcome.what = absl::StrCat(who, " ", out.size(), " items went to the outfeed, expected ", expected_out.size());
      return;
    }
    for (size_t k = 0; k < out.size(); ++k) compare_one(absl::StrCat(who, " outfeed ", k), expected_out[k], out[k]);
  };
  compare("reference", *reference, of_reference.out);
  if (jit.ok()) compare("jit", *jit, of_jit.out);
  if (jit.ok() && steps && outcome.kind == TrioOutcome::kAgrees) {
    const absl::StatusOr<Value> stepped = RunOnBackend(module, *jit_, arguments, /*steps=*/true, &of_steps);
    if (!stepped.ok() && !absl::IsResourceExhausted(stepped.status())) return failed("steps", stepped.status());
    bool same = !stepped.ok() || (SameBits(*stepped, *jit) && of_steps.out.size() == of_jit.out.size());
    for (size_t k = 0; same && stepped.ok() && k < of_jit.out.size(); ++k) same = SameBits(of_steps.out[k], of_jit.out[k]);
    if (!same) {
      outcome.kind = TrioOutcome::kMismatch;
      outcome.what = "steps differ from the whole run";
      const oracle::Comparison c = oracle::CompareWith(oracle::FromValue(*jit), *stepped);
      outcome.what += " " + c.difference;
    }
  }
  return outcome;
}

}  // namespace hloscope
