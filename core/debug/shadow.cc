// Measuring; see the header. Time is kept in bounds by looking at every instruction once, whatever it costs, and again (in loops) only
// while the looking has cost less than the program itself, or next to nothing.
#include "core/debug/shadow.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/debug/check.h"
#include "core/debug/member_walk.h"
#include "core/debug/text_util.h"
#include "core/exec/fuse.h"
#include "core/ir/opcode.h"
#include "core/literal/format.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kFreeSeconds = 0.05;           // of looking that is never held against the program's time: short programs are looked at whole
constexpr double kMostSecondsOfSamples = 0.02;  // of one instruction at one look
constexpr size_t kFewestSamples = 4;

double Seconds(Clock::time_point from, Clock::time_point to) { return std::chrono::duration<double>(to - from).count(); }

bool IsNarrowNumber(ElementType type) { return (IsFloat(type) && type != ElementType::kF64) || type == ElementType::kC64; }

bool HasNarrowNumbers(const Shape& shape) {
  if (shape.IsTuple()) return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), HasNarrowNumbers);
  return shape.IsArray() && IsNarrowNumber(shape.element_type());
}

}  // namespace

int ErrorBin(double ulp) {
  if (!(ulp < HUGE_VAL)) return kErrorBins - 1;
  if (ulp == 0) return 0;
  int bin = 1;
  for (double edge = 0.5; ulp > edge && bin < kErrorBins - 2; edge *= 2) ++bin;
  return bin;
}

std::string ErrorBinText(int bin) {
  if (bin == 0) return "exact";
  if (bin == kErrorBins - 1) return "not finite";
  if (bin == kErrorBins - 2) return absl::StrCat("beyond ", FormatDouble(std::ldexp(0.5, bin - 2)));
  return absl::StrCat("up to ", FormatDouble(std::ldexp(0.5, bin - 1)));
}

void AddError(ErrorStatistics& s, const Scalar& got, const Scalar& exact, const Shape& shape, int64_t linear) {
  const ElementType type = RealTypeOf(got.type);
  double ulp = 0;
  const Scalar rounded = IsComplex(got.type) ? Scalar::Complex(got.type, exact.c()) : Scalar::Float(got.type, exact.re);
  if (!got.IsFinite() || !exact.IsFinite() || !rounded.IsFinite()) {
    // An overflow of the type is no error where the exact number rounds to the same infinity.
    const bool same = (got.IsNaN() && exact.IsNaN()) || SameBits(got, rounded);
    ulp = same ? 0 : HUGE_VAL;
  } else {
    const double distance = IsComplex(got.type) ? std::abs(got.c() - exact.c()) : std::fabs(got.re - exact.re);
    const double magnitude = IsComplex(got.type) ? std::abs(exact.c()) : std::fabs(exact.re);
    ulp = distance / UlpAt(type, magnitude);
  }
  ++s.elements;
  ++s.bins[ErrorBin(ulp)];
  if (std::isfinite(ulp)) s.sum_ulp += ulp;
  if (s.elements > 1 && !(ulp > s.worst_ulp)) return;
  s.worst_ulp = ulp;
  s.worst_index = IndexOf(shape, linear);
  s.worst_got = got;
  s.worst_exact = exact;
}

ShadowWatcher::ShadowWatcher(Backend& backend, ShadowOptions options) : backend_(backend), options_(options), start_(Clock::now()) {}
ShadowWatcher::~ShadowWatcher() = default;

ShadowReport ShadowWatcher::TakeReport() {
  report_.seconds = spent_;
  return std::move(report_);
}

ShadowRow& ShadowWatcher::Row(const Instruction& instruction) {
  const auto [entry, fresh] = rows_.try_emplace(&instruction, report_.rows.size());
  if (fresh) report_.rows.emplace_back().instruction = &instruction;
  return report_.rows[entry->second];
}

absl::Status ShadowWatcher::Observe(const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
  if (kernel == nullptr) return absl::OkStatus();
  const Computation& computation = *frame.computation;
  const Instruction& root = *computation.schedule[region.root];
  std::unique_ptr<Entry>& entry = entries_[&root];
  if (entry == nullptr) entry = std::make_unique<Entry>();
  const Clock::time_point begin = Clock::now();
  // In a loop errors may begin late: besides what the time allows, executions 0, 1, 4, 16, ... are looked at.
  const int64_t turn = entry->executions++;
  const bool milestone = (turn & (turn - 1)) == 0 && (turn & 0x5555555555555555) == turn;
  if (!milestone && options_.samples >= 0 && spent_ > kFreeSeconds && spent_ > options_.most_times * (Seconds(start_, begin) - spent_)) return absl::OkStatus();
  ++entry->times;
  if (region.members.size() == 1) {
    Look(*entry, 0, frame, region, inputs, result);
  } else {
    size_t k = 0;
    const auto visit = [&](int, const Region& single, const Kernel* ran, absl::Span<const Value> operands, const Value& value) {
      if (ran != nullptr) Look(*entry, k++, frame, single, operands, value);
      return true;
    };
    const absl::Status walked = WalkMembers(backend_, computation, region, inputs, visit);
    if (!walked.ok() && report_.without_program++ == 0) report_.first_without = absl::StrCat("%", root.name, ": ", walked.message());
  }
  spent_ += Seconds(begin, Clock::now());
  return absl::OkStatus();
}

void ShadowWatcher::Look(Entry& entry, size_t k, const Frame& frame, const Region& single, absl::Span<const Value> operands, const Value& value) {
  const Instruction& instruction = *frame.computation->schedule[single.root];
  // A copy has no error of its own.
  if (!HasNarrowNumbers(instruction.shape) || Def(instruction).movement != Movement::kCompute) return;
  if (entry.programs.size() <= k) {
    entry.programs.resize(k + 1);
    const absl::StatusOr<Program> program = FuseRegion(*frame.computation, single);
    if (program.ok()) {
      entry.programs[k] = std::make_unique<Program>(WidenProgram(*program));
    } else if (report_.without_program++ == 0) {
      report_.first_without = absl::StrCat("%", instruction.name, ": ", program.status().message());
    }
  }
  if (entry.programs[k] == nullptr) return;
  const Program& program = *entry.programs[k];
  InterpretOptions interpret;
  interpret.bounds = false;
  Interpreter interpreter(program, interpret);
  std::vector<const Value*> values;
  for (const Value& operand : operands) values.push_back(&operand);
  const Shape& shape = program.outputs[0].shape;
  std::vector<int64_t> linear = SampleIndices(shape.ElementCount(), options_.samples, static_cast<uint64_t>(instruction.index) * 131 + static_cast<uint64_t>(entry.times));
  if (linear.empty()) return;
  ShadowRow& row = Row(instruction);
  ++row.times;
  const double worst = row.own.worst_ulp;
  const bool tuple = value.shape().IsTuple();
  const auto add = [&](int64_t at, const std::vector<BoundedScalar>& exact) {
    for (size_t o = 0; o < exact.size(); ++o) {
      const Value& leaf = tuple ? value.elements()[o] : value;
      const ElementType type = leaf.shape().element_type();
      if (!IsNarrowNumber(type)) continue;
      AddError(row.own, LoadScalar(type, leaf.data() + at * StorageBytes(type)), exact[o].value, leaf.shape(), at);
      ++report_.elements;
    }
  };
  absl::Status failed;
  if (program.is_push) {
    std::vector<std::vector<int64_t>> indices;
    for (const int64_t at : linear) indices.push_back(IndexOf(shape, at));
    const absl::StatusOr<std::vector<std::vector<BoundedScalar>>> exact = interpreter.AtMany(values, indices);
    failed = exact.status();
    for (size_t i = 0; exact.ok() && i < linear.size(); ++i) add(linear[i], (*exact)[i]);
  } else {
    // The first and the last, then those between from both ends, as far as the time goes.
    const Clock::time_point begin = Clock::now();
    for (size_t i = 0; i < linear.size(); ++i) {
      const int64_t at = i % 2 == 0 ? linear[i / 2] : linear[linear.size() - 1 - i / 2];
      const absl::StatusOr<std::vector<BoundedScalar>> exact = interpreter.At(values, IndexOf(shape, at));
      failed = exact.status();
      if (!exact.ok()) break;
      add(at, *exact);
      if (options_.samples >= 0 && i + 1 >= kFewestSamples && Seconds(begin, Clock::now()) > kMostSecondsOfSamples) break;
    }
  }
  if (!failed.ok()) {
    entry.programs[k] = nullptr;
    if (report_.without_program++ == 0) report_.first_without = absl::StrCat("%", instruction.name, ": ", failed.message());
  }
  const bool loop = frame.kind == FrameKind::kWhileBody || frame.kind == FrameKind::kWhileCondition;
  if (row.own.worst_ulp > worst && loop) row.worst_where = absl::StrCat("iteration ", frame.iteration);
}

absl::StatusOr<ShadowReport> RunShadow(WatchedRun run, ShadowOptions options) {
  Machine machine(run.module, run.backend, std::move(run.options));
  std::vector<Value> parameters;  // made before, so that making them is not the program's time
  for (int i = 0; i < run.inputs.parameter_count(); ++i) {
    absl::StatusOr<Value> value = run.inputs.Parameter(i, &machine.account());
    if (!value.ok()) return value.status();
    parameters.push_back(*std::move(value));
  }
  machine.PrepareAll();
  const absl::Status started = machine.Start(std::move(parameters));
  if (!started.ok()) return started;
  ShadowWatcher watcher(run.backend, options);
  machine.set_region_observer([&](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
    return watcher.Observe(frame, region, kernel, inputs, result);
  });
  if (run.interrupt != nullptr) run.interrupt->store(&machine.interrupt());
  const Clock::time_point begin = Clock::now();
  const StopReason reason = machine.Run();
  const double all = Seconds(begin, Clock::now());
  if (run.interrupt != nullptr) run.interrupt->store(nullptr);
  if (reason == StopReason::kInterrupted) return absl::AbortedError("interrupted");
  if (reason != StopReason::kFinished) {
    const Instruction* at = machine.next_instruction();
    return absl::Status(machine.status().code(), absl::StrCat("the program stopped with an error", at == nullptr ? "" : absl::StrCat(" at %", at->name), ": ", machine.status().message()));
  }
  ShadowReport report = watcher.TakeReport();
  report.run_seconds = all - report.seconds;
  return report;
}

std::string ShadowSummary(const ShadowReport& report) {
  ErrorStatistics own;
  const ShadowRow* worst = nullptr;
  for (const ShadowRow& row : report.rows) {
    own.elements += row.own.elements;
    own.sum_ulp += row.own.sum_ulp;
    for (int bin = 0; bin < kErrorBins; ++bin) own.bins[bin] += row.own.bins[bin];
    if (row.own.elements > 0 && (worst == nullptr || row.own.worst_ulp > worst->own.worst_ulp)) worst = &row;
  }
  std::string text = absl::StrCat(Count(own.elements, "element"), " of ", Count(static_cast<int64_t>(report.rows.size()), "instruction"), " against f64; own error ");
  if (worst == nullptr) text += "not measured: no instruction makes numbers narrower than f64";
  else absl::StrAppend(&text, "at most ", std::isfinite(worst->own.worst_ulp) ? absl::StrFormat("%.3g ulp", worst->own.worst_ulp) : "not finite", " (%", worst->instruction->name, "), on average ", absl::StrFormat("%.3g", own.mean_ulp()));
  text += "\n";
  for (int bin = 0; bin < kErrorBins; ++bin) {
    if (own.bins[bin] > 0) absl::StrAppendFormat(&text, "  %-12s %9d %5.1f%%\n", ErrorBinText(bin), own.bins[bin], 100.0 * static_cast<double>(own.bins[bin]) / static_cast<double>(own.elements));
  }
  absl::StrAppendFormat(&text, "the program took %.4g ms, the measuring %.4g ms more\n", report.run_seconds * 1e3, report.seconds * 1e3);
  if (report.without_program > 0) absl::StrAppend(&text, Count(report.without_program, "instruction"), " could not be measured, first ", report.first_without, "\n");
  if (!report.accumulated_why.empty()) absl::StrAppend(&text, "no accumulated errors: ", report.accumulated_why, "\n");
  return text;
}

// ---- Showing ----

namespace {

std::string Ulp(const ErrorStatistics& s, double ulp) { return s.elements == 0 ? "-" : std::isfinite(ulp) ? absl::StrFormat("%.3g", ulp) : "not finite"; }

void Describe(const ErrorStatistics& s, absl::string_view what, std::string& text) {
  if (s.elements == 0) return;
  absl::StrAppend(&text, what, ": ", Count(s.elements, "element"), ", worst ", Ulp(s, s.worst_ulp), " ulp at [", absl::StrJoin(s.worst_index, ","), "]: ", ToText(s.worst_got), ", exactly ",
                  ToText(s.worst_exact), "; mean ", Ulp(s, s.mean_ulp()), " ulp\n");
  for (int bin = 0; bin < kErrorBins; ++bin) {
    if (s.bins[bin] == 0) continue;
    const double share = static_cast<double>(s.bins[bin]) / static_cast<double>(s.elements);
    absl::StrAppendFormat(&text, "  %-12s %9d %5.1f%% %s\n", ErrorBinText(bin), s.bins[bin], 100 * share, std::string(static_cast<size_t>(std::ceil(40 * share)), '#'));
  }
}

}  // namespace

std::string ShadowDetails(const ShadowRow& row) {
  std::string text = absl::StrCat("%", row.instruction->name, " ", Name(row.instruction->opcode), " ", ShapeText(row.instruction->shape), ", looked at ", Count(row.times, "time"), "\n");
  Describe(row.own, "own error", text);
  if (!row.worst_where.empty()) absl::StrAppend(&text, "  the worst in ", row.worst_where, "\n");
  Describe(row.accumulated, "accumulated error", text);
  return text;
}

std::string ShadowTable(const ShadowReport& report, size_t most) {
  std::vector<const ShadowRow*> rows;
  for (const ShadowRow& row : report.rows) rows.push_back(&row);
  const auto worse = [](const ShadowRow* x, const ShadowRow* y) {
    if (x->own.worst_ulp != y->own.worst_ulp) return x->own.worst_ulp > y->own.worst_ulp;
    return x->accumulated.worst_ulp > y->accumulated.worst_ulp;
  };
  std::stable_sort(rows.begin(), rows.end(), worse);
  std::string text = absl::StrFormat("%10s %10s %12s %9s  %s\n", "own worst", "own mean", report.accumulated ? "accumulated" : "", "elements", "instruction (ulp of its type)");
  for (size_t k = 0; k < rows.size() && k < most; ++k) {
    const ShadowRow& row = *rows[k];
    std::string at = absl::StrCat("%", row.instruction->name, " ", Name(row.instruction->opcode), " ", Cut(row.instruction->shape.ToString(false), 40));
    if (row.own.elements > 0 && row.own.worst_ulp > 0) {
      absl::StrAppend(&at, " [", absl::StrJoin(row.own.worst_index, ","), "]", row.worst_where.empty() ? "" : absl::StrCat(", ", row.worst_where));
    }
    absl::StrAppendFormat(&text, "%10s %10s %12s %9d  %s\n", Ulp(row.own, row.own.worst_ulp), Ulp(row.own, row.own.mean_ulp()),
                          report.accumulated ? Ulp(row.accumulated, row.accumulated.worst_ulp) : "", row.own.elements, at);
  }
  if (rows.size() > most) absl::StrAppend(&text, Count(static_cast<int64_t>(rows.size() - most), "more instruction"), "; info shadow all lists them, info shadow %x one\n");
  return text;
}

}  // namespace hloscope
