// Runs a module on every backend, under many layouts, with its constants given as such and as parameters, and compares bit for bit.
// For the specification's vectors and for sweeps over element types. Not for element programs alone (tests/ops/testing.h).
#ifndef HLOSCOPE_TESTS_SPEC_SPEC_H_
#define HLOSCOPE_TESTS_SPEC_SPEC_H_

#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "backends/reference/backend.h"
#include "core/exec/machine.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {

// The entry computation whose instructions are `body`.
inline std::string Entry(const std::string& body) { return "ENTRY main {\n" + body + "\n}\n"; }

inline Backend& ReferenceForTests() {
  static Backend* backend = MakeReferenceBackend({}).release();
  return *backend;
}
inline Backend& JitForTests() {
  static Backend* backend = [] {
    auto made = MakeJitCpuBackend({.threads = 2});
    EXPECT_TRUE(made.ok()) << made.status();
    return made->release();
  }();
  return *backend;
}

// `text` is a whole module, or computations and ENTRY, or just the instructions of the entry.
inline std::string WholeModule(const std::string& text) {
  std::string whole = absl::StrContains(text, "ENTRY") ? text : absl::StrCat("ENTRY main {\n", text, "\n}\n");
  if (!absl::StrContains(whole, "HloModule")) whole = absl::StrCat("HloModule spec\n\n", whole);
  return whole;
}

struct ReadModule {
  std::shared_ptr<const SourceText> source;
  std::unique_ptr<Module> module;
  std::string problems;  // errors only
};

inline ReadModule ReadAndVerify(const std::string& text) {
  ReadModule read;
  DiagnosticSink sink;
  read.source = std::make_shared<const SourceText>("spec", WholeModule(text));
  read.module = ReadHloText(read.source, sink);
  if (sink.error_count() == 0) Verify(*read.module, sink);
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.severity == Severity::kError) read.problems += Render(d, *read.source);
  }
  return read;
}

inline absl::StatusOr<Value> RunOn(Backend& backend, const Module& module, std::vector<Value> parameters, MachineOptions options = {}) {
  Machine machine(module, backend, std::move(options));
  if (absl::Status status = machine.Start(std::move(parameters)); !status.ok()) return status;
  const StopReason reason = machine.Run();
  if (reason != StopReason::kFinished) return machine.status().ok() ? absl::InternalError("it did not finish") : machine.status();
  return machine.result();
}

// -- Variants of one text --

inline std::vector<std::vector<int>> Orders(int rank) {
  std::vector<int> order(rank);
  for (int d = 0; d < rank; ++d) order[d] = d;
  std::vector<std::vector<int>> all;
  do {
    all.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

// Every array shape of rank 2 or 3 that has no layout gets one. `variant` 0..5: the variant-th order of its rank everywhere (counted
// round at rank 2); beyond: orders mixed, by place.
constexpr int kUniformLayouts = 6;
inline std::string WithLayouts(const std::string& text, int variant) {
  static const std::regex shape(R"(\b(pred|[su]\d+|bf16|f\d\w*|c64|c128)\[([0-9,<=]*)\](\{)?)");
  std::string out;
  size_t last = 0;
  uint64_t random = 88172645463325252ull + static_cast<uint64_t>(variant) * 7919;
  for (std::sregex_iterator it(text.begin(), text.end(), shape), end; it != end; ++it) {
    const std::smatch& m = *it;
    out.append(text, last, m.position() + m.length() - last);
    last = m.position() + m.length();
    if (m[3].matched) continue;
    const std::string dims = m[2];
    const int rank = dims.empty() ? 0 : 1 + static_cast<int>(std::count(dims.begin(), dims.end(), ','));
    if (rank < 2 || rank > 3) continue;
    const std::vector<std::vector<int>> orders = Orders(rank);
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    const size_t pick = (variant < kUniformLayouts ? static_cast<uint64_t>(variant) : random >> 8) % orders.size();
    absl::StrAppend(&out, "{", absl::StrJoin(orders[pick], ","), "}");
  }
  out.append(text, last, std::string::npos);
  return out;
}

// The entry's constants become parameters; their values, in order. Nothing where the entry has parameters or literals are too involved.
inline std::optional<std::pair<std::string, std::vector<Value>>> ConstantsAsParameters(const std::string& text) {
  const std::string whole = WholeModule(text);
  const size_t entry = whole.find("ENTRY");
  std::string body = whole.substr(entry);
  if (absl::StrContains(body, "parameter(") || !absl::StrContains(body, "constant(")) return std::nullopt;
  ReadModule read = ReadAndVerify(whole);
  if (!read.problems.empty()) return std::nullopt;
  std::vector<Value> values;
  for (const Instruction* i : read.module->entry->instructions) {
    if (i->literal == nullptr) continue;
    if (!i->literal->value.has_value() || !i->shape.IsArray()) return std::nullopt;
    values.push_back(i->literal->value);
  }
  std::string out;
  size_t at = 0, number = 0;
  for (size_t found; (found = body.find("constant(", at)) != std::string::npos;) {
    out.append(body, at, found - at);
    int depth = 0;
    size_t end = found + 8;
    do {
      depth += body[end] == '(' ? 1 : body[end] == ')' ? -1 : 0;
      ++end;
    } while (depth > 0 && end < body.size());
    absl::StrAppend(&out, "parameter(", number++, ")");
    at = end;
  }
  out.append(body, at, std::string::npos);
  if (number != values.size()) return std::nullopt;
  return std::make_pair(whole.substr(0, entry) + out, std::move(values));
}

// -- Comparing --

// Bit for bit, but a NaN is as good as another NaN of the type; within `ulps` or `absolute` where asked.
struct Closeness {
  double absolute = 0, relative = 0;
};
inline std::string Difference(const Value& got, const Value& want, Closeness close = {}) {
  if (!Shape::Compatible(got.shape(), want.shape())) {
    return absl::StrCat("shape ", got.shape().ToString(false), " instead of ", want.shape().ToString(false));
  }
  if (got.shape().IsTuple()) {
    for (size_t k = 0; k < got.elements().size(); ++k) {
      const std::string inner = Difference(got.elements()[k], want.elements()[k], close);
      if (!inner.empty()) return absl::StrCat("element ", k, ": ", inner);
    }
    return "";
  }
  if (!got.shape().IsArray() || Value::BitEqual(got, want)) return "";
  // Which NaN comes out of arithmetic is nobody's promise.
  static const std::regex any_nan(R"(-?nan(\(0x[0-9a-f]+\))?)");
  const std::string g = std::regex_replace(PrintLiteral(got), any_nan, "nan"), w = std::regex_replace(PrintLiteral(want), any_nan, "nan");
  if (g == w && absl::StrContains(g, "nan")) return "";
  if (close.absolute > 0 || close.relative > 0) {
    static const std::regex number(R"([-+]?(\d[\d.]*(e[-+]?\d+)?|inf|nan))");
    std::sregex_iterator a(g.begin(), g.end(), number), b(w.begin(), w.end(), number), end;
    bool fine = true;
    for (; fine && a != end && b != end; ++a, ++b) {
      const double x = std::stod(a->str()), y = std::stod(b->str());
      fine = a->str() == b->str() || std::abs(x - y) <= close.absolute + close.relative * std::abs(y);
    }
    if (fine && a == end && b == end) return "";
  }
  return absl::StrCat(g, " instead of ", w);
}

// Reads "s32[2] constant({1, 2})" or further instructions whose root is the value.
inline Value ValueFrom(const std::string& text) {
  const std::string whole = absl::StrContains(text, "ROOT") ? text : absl::StrCat("ROOT expected = ", text);
  ReadModule read = ReadAndVerify(whole);
  EXPECT_TRUE(read.problems.empty()) << read.problems;
  if (!read.problems.empty()) return Value();
  auto value = RunOn(ReferenceForTests(), *read.module, {});
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *value : Value();
}

struct SpecOptions {
  bool layouts = true;   // false: the meaning depends on them (bitcast), or nothing has two dimensions
  Closeness close;
  MachineOptions machine;
};

// Runs one variant on both backends; `want` may be empty: then the reference's result is what the JIT must give.
inline void ExpectVariant(const std::string& text, const std::vector<Value>& parameters, const Value& want, const SpecOptions& options) {
  ReadModule read = ReadAndVerify(text);
  ASSERT_TRUE(read.problems.empty()) << read.problems << text;
  auto reference = RunOn(ReferenceForTests(), *read.module, parameters, options.machine);
  ASSERT_TRUE(reference.ok()) << "reference: " << reference.status() << "\n" << text;
  if (want.has_value()) ASSERT_EQ(Difference(*reference, want, options.close), "") << "reference\n" << text;
  auto jit = RunOn(JitForTests(), *read.module, parameters, options.machine);
  ASSERT_TRUE(jit.ok()) << "jit: " << jit.status() << "\n" << text;
  const Closeness none;
  ASSERT_EQ(Difference(*jit, want.has_value() && options.close.absolute + options.close.relative > 0 ? want : *reference,
                       want.has_value() ? options.close : none),
            "")
      << "jit\n"
      << text;
}

// The text's result is `want` on both backends: as written, under every uniform and some mixed layouts, and with parameters for constants.
inline void ExpectSpecValue(const std::string& text, const Value& want, const SpecOptions& options = {}) {
  ExpectVariant(text, {}, want, options);
  if (::testing::Test::HasFatalFailure()) return;
  const auto as_parameters = ConstantsAsParameters(text);
  if (as_parameters.has_value()) {
    ExpectVariant(as_parameters->first, as_parameters->second, want, options);
    if (::testing::Test::HasFatalFailure()) return;
  }
  if (!options.layouts) return;
  const std::string& base = as_parameters.has_value() ? as_parameters->first : text;
  const std::vector<Value>& parameters = as_parameters.has_value() ? as_parameters->second : std::vector<Value>();
  std::string before;
  for (int variant = 0; variant < kUniformLayouts + 3; ++variant) {
    const std::string with = WithLayouts(base, variant);
    if (with == base) return;  // nothing of rank 2 or 3
    ExpectVariant(with, parameters, want, options);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

inline void ExpectSpec(const std::string& text, const std::string& expected, const SpecOptions& options = {}) {
  SCOPED_TRACE(text);
  const Value want = ValueFrom(expected);
  ASSERT_TRUE(want.has_value());
  ExpectSpecValue(text, want, options);
}

// The text reads without errors and has just this diagnostic.
inline void ExpectSpecError(const std::string& text, const std::string& label) {
  DiagnosticSink sink;
  auto source = std::make_shared<const SourceText>("spec", WholeModule(text));
  std::unique_ptr<Module> module = ReadHloText(source, sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  std::string all;
  int errors = 0;
  bool found = false;
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.severity != Severity::kError) continue;
    ++errors;
    found = found || d.label == label;
    all += Render(d, *source);
  }
  EXPECT_EQ(errors, 1) << text << "\n" << all;
  EXPECT_TRUE(found) << "expected " << label << " of\n" << text << "\n" << all;
}

// Both backends fail with a message that contains `part`.
inline void ExpectSpecRunError(const std::string& text, const std::string& part, const SpecOptions& options = {}) {
  ReadModule read = ReadAndVerify(text);
  ASSERT_TRUE(read.problems.empty()) << read.problems << text;
  for (Backend* backend : {&ReferenceForTests(), &JitForTests()}) {
    auto value = RunOn(*backend, *read.module, {}, options.machine);
    ASSERT_FALSE(value.ok()) << backend->name() << "\n" << text;
    EXPECT_NE(value.status().ToString().find(part), std::string::npos) << backend->name() << ": " << value.status();
  }
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_SPEC_SPEC_H_
