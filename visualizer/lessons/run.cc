#include "visualizer/lessons/run.h"

#include <algorithm>
#include <deque>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/element_reads.h"
#include "core/literal/format.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"

namespace hloscope::lessons {
namespace {

// What somebody writes while reading must not take the machine away.
constexpr int64_t kMemory = int64_t{256} << 20, kIterations = 20000;

absl::StatusOr<Value> InputOf(const Module& module, int number) { return MakeInput(module, number, Fill{}, nullptr); }

absl::Status Execute(ProgramRun& run, const BackendMaker& make, const std::atomic<bool>* cancel) {
  run.backend = make();
  MachineOptions options;
  options.retain_bytes = kMemory;
  options.memory_limit = 2 * kMemory;
  options.max_iterations = kIterations;
  run.machine = std::make_unique<Machine>(*run.module, *run.backend, options);
  Machine& machine = *run.machine;
  std::vector<Value> inputs;
  for (size_t k = 0; k < run.module->entry->parameters.size(); ++k) {
    absl::StatusOr<Value> input = InputOf(*run.module, static_cast<int>(k));
    if (!input.ok()) return input.status();
    inputs.push_back(*std::move(input));
  }
  if (absl::Status started = machine.Start(std::move(inputs)); !started.ok()) return started;
  const auto size = static_cast<int>(run.module->entry->schedule.size());
  run.values.resize(static_cast<size_t>(size));
  absl::Status status = absl::OkStatus();
  int seen = 0;
  const auto take = [&](int to) {
    for (; seen < to; ++seen) {
      absl::StatusOr<Value> value = machine.ValueOf(0, seen);
      if (value.ok()) run.values[static_cast<size_t>(seen)] = *std::move(value);
    }
  };
  while (status.ok() && !machine.finished()) {
    if (cancel != nullptr && cancel->load()) return absl::CancelledError("given up");
    const StopReason why = machine.Step(/*into=*/false);
    if (why == StopReason::kError) status = machine.status();
    if (why == StopReason::kFinished) break;
    if (!machine.frames().empty()) take(std::min(size, machine.frames().front().position));
  }
  if (status.ok()) {
    take(size);
    run.stored = machine.stored_result();
  }
  return status;
}

struct PlaceHash {
  size_t operator()(const std::pair<const Instruction*, int64_t>& p) const { return absl::HashOf(p.first, p.second); }
};

}  // namespace

const Instruction* ProgramRun::Find(absl::string_view name) const {
  if (module->entry == nullptr) return nullptr;
  return module->entry->FindInstruction(absl::StripPrefix(absl::StripAsciiWhitespace(name), "%"));
}

Value ProgramRun::ValueOf(const Instruction& instruction) const {
  if (module->entry == nullptr || instruction.parent != module->entry || instruction.index < 0 || static_cast<size_t>(instruction.index) >= values.size()) return Value();
  return values[static_cast<size_t>(instruction.index)];
}

std::pair<int, std::string> ProgramRun::FirstProblemAndLine() const {
  for (const Diagnostic& d : problems) {
    if (d.severity == Severity::kError)
      return {std::max(1, source->Locate(d.range.begin).line), absl::StrCat(d.message, d.hint.empty() ? "" : absl::StrCat("; ", d.hint))};
  }
  return {0, status.ok() ? "" : std::string(status.message())};
}

std::string ProgramRun::FirstProblem() const {
  const auto [line, message] = FirstProblemAndLine();
  return absl::StrCat(line > 0 ? absl::StrCat("line ", line, ": ") : "", message);
}

std::shared_ptr<const ProgramRun> RunProgram(const std::string& name, const std::string& text, const BackendMaker& backend, const std::atomic<bool>* cancel) {
  auto run = std::make_shared<ProgramRun>();
  run->source = std::make_shared<SourceText>(name, text);
  DiagnosticSink sink;
  run->module = ReadHloText(run->source, sink);
  Verify(*run->module, sink);
  sink.SortByPlace();
  run->problems = sink.diagnostics();
  if (sink.error_count() > 0) {
    run->status = absl::InvalidArgumentError("the program has errors");
  } else if (run->module->entry == nullptr || run->module->entry->root == nullptr) {
    run->status = absl::InvalidArgumentError("there is no ENTRY computation");
  } else {
    run->status = Execute(*run, backend, cancel);
  }
  return run;
}

// ---- Elements ----

absl::StatusOr<std::vector<Index>> ReadsOf(const ProgramRun& run, const Instruction& of, const Index& index, const Instruction& source) {
  if (!run.ok()) return run.status;
  ElementReader reader(*run.machine, kMemory);
  std::deque<ElementPlace> waiting = {{0, &of, 0, LinearIndex(of.shape.dimensions(), index)}};
  absl::flat_hash_set<std::pair<const Instruction*, int64_t>, PlaceHash> seen;
  std::set<int64_t> found;
  while (!waiting.empty()) {
    const ElementPlace place = waiting.front();
    waiting.pop_front();
    if (place.instruction == &source && place.instruction != &of) {
      found.insert(place.linear);
      continue;
    }
    absl::StatusOr<ElementReads> reads = reader.Reads(place, ReadLimits());
    if (!reads.ok()) return reads.status();
    for (const ElementRead& read : reads->reads) {
      // Numbers alone: not those that say where.
      if (read.role != ReadRole::kValue && read.place.instruction != &source) continue;
      if (read.place.frame == 0 && seen.emplace(read.place.instruction, read.place.linear).second) waiting.push_back(read.place);
    }
  }
  std::vector<Index> indices;
  for (int64_t linear : found) indices.push_back(IndexOfPlace(source.shape, linear));
  return indices;
}

absl::StatusOr<std::vector<Index>> ReadersOf(const ProgramRun& run, const Instruction& of, const Index& index, const Instruction& target) {
  if (!target.shape.IsArray() || target.shape.ElementCount() > 4096) return absl::InvalidArgumentError(absl::StrCat("%", target.name, " is no small array"));
  std::vector<Index> found;
  for (int64_t k = 0; k < target.shape.ElementCount(); ++k) {
    const Index at = IndexOfPlace(target.shape, k);
    absl::StatusOr<std::vector<Index>> reads = ReadsOf(run, target, at, of);
    if (!reads.ok()) return reads.status();
    if (std::find(reads->begin(), reads->end(), index) != reads->end()) found.push_back(at);
  }
  return found;
}

absl::StatusOr<ElementName> ParseElementName(absl::string_view text) {
  ElementName parsed;
  text = absl::StripPrefix(absl::StripAsciiWhitespace(text), "%");
  const size_t bracket = text.find('[');
  parsed.name = std::string(absl::StripAsciiWhitespace(text.substr(0, bracket)));
  if (bracket == absl::string_view::npos) return parsed;
  parsed.has_index = true;
  absl::string_view inner = text.substr(bracket + 1);
  if (!absl::ConsumeSuffix(&inner, "]")) return absl::InvalidArgumentError(absl::StrCat("'", text, "' has no closing ]"));
  for (absl::string_view part : absl::StrSplit(inner, ',', absl::SkipWhitespace())) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(part), &number)) return absl::InvalidArgumentError(absl::StrCat("'", part, "' is not a number"));
    parsed.index.push_back(number);
  }
  return parsed;
}

absl::StatusOr<FoundElement> FindElement(const ProgramRun& run, absl::string_view text) {
  const absl::StatusOr<ElementName> parsed = ParseElementName(text);
  if (!parsed.ok()) return parsed.status();
  FoundElement found;
  found.instruction = run.Find(parsed->name);
  if (found.instruction == nullptr) return absl::NotFoundError(absl::StrCat("the program has no instruction %", parsed->name));
  found.has_index = parsed->has_index;
  found.index = parsed->index;
  if (!parsed->has_index) return found;
  const Shape& shape = found.instruction->shape;
  bool fits = shape.IsArray() && static_cast<int>(found.index.size()) == shape.rank();
  for (size_t d = 0; fits && d < found.index.size(); ++d) fits = found.index[d] >= 0 && found.index[d] < shape.dim(static_cast<int>(d));
  if (!fits) return absl::OutOfRangeError(absl::StrCat("%", parsed->name, " is ", shape.ToString(false), ", which has no element ", IndexText(parsed->index)));
  return found;
}

std::string IndexText(const Index& index) { return absl::StrCat("[", absl::StrJoin(index, ","), "]"); }

std::string ValueText(const Instruction& instruction, const Value& value) {
  const std::string head = absl::StrCat("%", instruction.name, " = ", instruction.shape.ToString(instruction.shape.IsArray() && !instruction.shape.IsStoredDense()));
  if (!value.has_value()) return absl::StrCat(head, " ?");
  FormatOptions options;
  options.elements = 160;
  options.digits = 6;
  std::string text = FormatValue(value, options);
  if (text.find('\n') == std::string::npos) return absl::StrCat(head, " ", text);
  return absl::StrCat(head, "\n", text);
}

}  // namespace hloscope::lessons
