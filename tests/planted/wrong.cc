// Makes one thing of a program wrong (a bit of one element in one iteration, a constant, an attribute of any instruction) and demands that it is
// named with its element and iteration: a bit by the comparison with a record of the sound run, the others by the comparison of the two programs.
// A plant that does not change the instruction's own output there (a bit of a NaN is none) is drawn again; that is found out without the
// comparison.
//
//   build/tests/wrong                   a few cases in each small program, and in one model if the corpus is there
//   build/tests/wrong --count 500       as many cases in five models, and a few in each small program
//   build/tests/wrong --model NAME      only in that one; --seed N: other draws
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "core/debug/lockstep.h"
#include "core/debug/program_inputs.h"
#include "core/debug/record.h"
#include "core/debug/session.h"
#include "core/exec/inputs.h"
#include "tests/planted/place.h"
#include "tests/planted/subject.h"

namespace hloscope {
namespace {

enum class Wrong { kBit, kConstant, kAttribute };
constexpr const char* kNames[] = {"bit", "constant", "attribute"};

struct Program {
  std::string name, text;
  std::string record;  // an archive of every value of the sound run
  std::unique_ptr<Module> module;
  std::vector<Where> places[3];  // by Wrong
  double seconds = 0;
};

struct Planted {
  std::string text;
  std::vector<int64_t> element;
  int64_t iteration = 0;
};

// One low bit of one element, in one iteration.
std::string PlantBit(const Module& module, const Where& where, const std::vector<int64_t>& element, int64_t iteration) {
  Text text(module);
  const int at = text.Find(where.computation, where.instruction);
  if (at < 0) return "";
  std::string& line = text.lines_[at];
  const size_t equals = line.find(" = ");
  const bool root = absl::StrContains(line.substr(0, equals), "ROOT ");
  line = absl::StrCat("  planted.base", line.substr(equals));
  const std::string type = where.shape.substr(0, where.shape.find('['));
  const bool floats = absl::StartsWith(type, "f") || absl::StartsWith(type, "bf");
  const std::string bits = !floats ? type : type == "f64" ? "u64" : type == "f32" ? "u32" : "u16";
  std::vector<std::string> add;
  const auto put = [&](const std::string& l) { add.push_back("  " + l); };
  const auto broadcast = [&](const std::string& name, const std::string& t, const std::string& value) {
    put(absl::StrCat(name, ".1 = ", t, "[] constant(", value, ")"));
    put(absl::StrCat(name, " = ", OfType(where.shape, t), " broadcast(", name, ".1), dimensions={}"));
  };
  const std::string mask = PutMask(where, element, iteration, put, broadcast);
  broadcast("planted.one", bits, type == "pred" ? "true" : "4");
  broadcast("planted.none", bits, type == "pred" ? "false" : "0");
  put(absl::StrCat("planted.flip = ", OfType(where.shape, bits), " select(", mask, ", planted.one, planted.none)"));
  const std::string made = absl::StrCat(root ? "ROOT " : "", where.instruction, " = ", where.shape);
  if (floats) {
    put(absl::StrCat("planted.bits = ", OfType(where.shape, bits), " bitcast-convert(planted.base)"));
    put(absl::StrCat("planted.flipped = ", OfType(where.shape, bits), " xor(planted.bits, planted.flip)"));
    put(absl::StrCat(made, " bitcast-convert(planted.flipped)"));
  } else {
    put(absl::StrCat(made, " xor(planted.base, planted.flip)"));
  }
  text.Insert(where, at, add);
  return absl::StrJoin(text.lines_, "\n");
}

// The numbers of a line after `from` that can be changed: where they are, and how long.
std::vector<std::pair<size_t, size_t>> NumbersIn(const std::string& line, size_t from) {
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t k = from; k < line.size();) {
    const bool starts = absl::ascii_isdigit(line[k]) && (k == 0 || (!absl::ascii_isalnum(line[k - 1]) && line[k - 1] != '.' && line[k - 1] != '%' && line[k - 1] != '_'));
    if (!starts) {
      ++k;
      continue;
    }
    size_t end = k;
    while (end < line.size() && (absl::ascii_isdigit(line[end]) || line[end] == '.' || line[end] == 'e' || (line[end] == '-' && line[end - 1] == 'e'))) ++end;
    found.emplace_back(k, end - k);
    k = end;
  }
  return found;
}

// Another number in a constant or an attribute, or another comparison. Whether it means anything the verifier says.
std::string PlantChange(const Module& module, const Where& where, Wrong kind, std::mt19937_64& random) {
  Text text(module);
  const int at = text.Find(where.computation, where.instruction);
  if (at < 0) return "";
  std::string& line = text.lines_[at];
  const size_t open = line.find('(', line.find(" = "));
  size_t from = open;
  if (kind == Wrong::kAttribute) {
    int depth = 0;
    for (from = open; from < line.size(); ++from) {
      depth += line[from] == '(' ? 1 : line[from] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    if (const size_t direction = line.find("direction=", from); direction != std::string::npos && line.size() >= direction + 12) {
      constexpr const char* kDirections[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
      line.replace(direction + 10, 2, kDirections[random() % 6]);
      return absl::StrJoin(text.lines_, "\n");
    }
  }
  const std::vector<std::pair<size_t, size_t>> numbers = NumbersIn(line, from);
  if (numbers.empty()) return "";
  const auto [start, length] = numbers[random() % numbers.size()];
  const std::string number = line.substr(start, length);
  std::string other;
  int64_t integer = 0;
  double real = 0;
  if (absl::SimpleAtoi(number, &integer)) {
    other = absl::StrCat(std::max<int64_t>(0, integer + (random() % 2 == 0 ? 1 : -1)));
  } else if (absl::SimpleAtod(number, &real)) {
    other = absl::StrCat(real * 1.25);
  } else {
    return "";
  }
  line.replace(start, length, other);
  return absl::StrJoin(text.lines_, "\n");
}

// The planted instruction's value the first time it is computed in that iteration, with the inputs that are made up for `sound`.
absl::StatusOr<Value> ValueIn(const Module& module, const Module& sound, Backend& backend, const Where& where, int64_t iteration) {
  const Computation* computation = module.FindComputation(where.computation);
  const Instruction* instruction = computation == nullptr ? nullptr : computation->FindInstruction(where.instruction);
  if (instruction == nullptr) return absl::NotFoundError("not there");
  auto machine = std::make_unique<Machine>(module, backend, PlantedOptions());
  if (absl::Status started = StartWithMadeUpInputs(sound, *machine); !started.ok()) return started;
  machine->Arm(*computation, instruction->index);
  while (machine->next_instruction() != instruction || (!where.counter.empty() && machine->top().iteration != iteration)) {
    if (machine->Run() != StopReason::kBreakpoint) return absl::NotFoundError("never computed");
  }
  return machine->ValueAhead(static_cast<int>(machine->frames().size()) - 1, instruction->index);
}

// The first element that differs; nothing: none, or other shapes.
std::optional<std::vector<int64_t>> FirstDifference(const Value& a, const Value& b) {
  if (!(a.shape().ToString(false) == b.shape().ToString(false))) return std::nullopt;
  const ArrayDifference difference = CompareArrays(b, a, Budget());
  if (difference.first < 0) return std::nullopt;
  return IndexOf(a.shape(), difference.first);
}

// Of a type that a bit of can be changed by an operation of the program.
bool HasPlainBits(const Instruction& i) {
  const ElementType type = i.shape.element_type();
  return IsWideFloat(i) || IsPred(type) || (IsInteger(type) && BitWidth(type) >= 8);
}

bool Prepare(Program& p, Backend& backend) {
  p.module = Read(p.name, p.text);
  if (p.module == nullptr) return false;
  const SoundRun run = RunSoundly(*p.module, backend);
  if (!run.status.ok()) return false;
  p.seconds = run.seconds;
  for (const auto& [i, where] : Candidates(*p.module, run)) {
    const bool computes = i->literal == nullptr && Def(*i).control == ControlKind::kNone && Def(*i).op_class != OpClass::kStructural;
    if (HasPlainBits(*i) && computes) p.places[0].push_back(where);
    if (i->literal != nullptr && !i->literal->elided && i->shape.ElementCount() <= 1000) p.places[1].push_back(where);
    if (computes && !i->attributes.empty()) p.places[2].push_back(where);
  }
  const absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = ProgramInputs::Open(*p.module, SessionOptions());
  if (!inputs.ok()) return false;
  p.record = (std::filesystem::temp_directory_path() / absl::StrCat("wrong-", getpid(), ".npz")).string();
  if (!RecordRun(WatchedRun{*p.module, backend, **inputs, PlantedOptions()}, p.record, {}).ok()) return false;
  return true;
}

// A plant whose instruction's own output is another one; nothing: none was found in many draws.
std::optional<std::pair<Where, Planted>> Draw(const Program& p, Backend& backend, Wrong kind, std::mt19937_64& random) {
  const std::vector<Where>& places = p.places[static_cast<int>(kind)];
  for (int draw = 0; draw < 60 && !places.empty(); ++draw) {
    const Where& where = places[random() % places.size()];
    Planted planted;
    if (kind == Wrong::kBit) {
      for (int64_t d : where.dims) planted.element.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(d)));
      planted.iteration = where.counter.empty() ? 0 : static_cast<int64_t>(random() % static_cast<uint64_t>(where.iterations));
      planted.text = PlantBit(*p.module, where, planted.element, planted.iteration);
    } else {
      planted.text = PlantChange(*p.module, where, kind, random);
    }
    if (planted.text.empty()) continue;
    DiagnosticSink sink;
    std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>(p.name, planted.text), sink);
    if (sink.error_count() == 0) Verify(*module, sink);
    if (sink.error_count() > 0) continue;  // a change that means nothing
    const absl::StatusOr<Value> before = ValueIn(*p.module, *p.module, backend, where, planted.iteration);
    const absl::StatusOr<Value> after = ValueIn(*module, kind == Wrong::kBit ? *p.module : *module, backend, where, planted.iteration);
    if (!before.ok() || !after.ok()) continue;
    const std::optional<std::vector<int64_t>> element = FirstDifference(*before, *after);
    if (!element.has_value()) continue;
    if (kind == Wrong::kBit && *element != planted.element) std::printf("%s: the bit at %%%s is not where it was put\n", p.name.c_str(), where.instruction.c_str());
    planted.element = *element;
    return std::make_pair(where, std::move(planted));
  }
  return std::nullopt;
}

// A bit, against the record of the sound run; empty: as it should be.
std::string TryRecord(const Program& p, Backend& backend, const Where& where, const Planted& planted) {
  const std::unique_ptr<Module> module = Read(p.name, planted.text);
  const absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = ProgramInputs::Open(*p.module, SessionOptions());
  if (!inputs.ok()) return "no inputs";
  const absl::StatusOr<RecordComparison> report = CompareWithRecord(WatchedRun{*module, backend, **inputs, PlantedOptions()}, p.record, BudgetTable(), false);
  if (!report.ok()) return std::string(report.status().message());
  if (report->divergences.empty()) return absl::StrCat("no divergence in ", report->compared, " arrays");
  const RecordDivergence& d = report->divergences.front();
  if (d.instruction->name != where.instruction || d.instruction->parent->name != where.computation || d.origin == RecordOrigin::kInherited)
    return absl::StrCat("another instruction: ", ToText(d));
  if (IndexOf(d.shape, d.difference.first) != planted.element || d.difference.other_bits != 1) return absl::StrCat("another element: ", ToText(d));
  if (!where.counter.empty() && !absl::StrContains(d.place, absl::StrCat("[", planted.iteration, "]/"))) return absl::StrCat("another iteration: ", ToText(d));
  return "";
}

// Two programs; empty: as it should be.
std::string Try(const Program& p, Backend& backend, const Where& where, const Planted& planted) {
  const std::unique_ptr<Module> module = Read(p.name, planted.text);
  const absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = ProgramInputs::Open(*p.module, SessionOptions());
  const absl::StatusOr<std::unique_ptr<ProgramInputs>> more = ProgramInputs::Open(*module, SessionOptions());
  if (!inputs.ok() || !more.ok()) return "no inputs";
  const ProgramMatch match = MatchPrograms(*p.module, *module);
  LockstepOptions options;
  options.machine = PlantedOptions();
  const absl::StatusOr<LockstepReport> report = RunLockstep(*p.module, *module, match, **inputs, **more, backend, backend, std::move(options));
  if (!report.ok()) return std::string(report.status().message());
  if (report->divergences.empty()) return absl::StrCat("no divergence in ", report->pairs, " pairs", report->error_b.empty() ? "" : absl::StrCat("; ", report->error_b));
  const Divergence& d = report->divergences.front();
  const std::string found = absl::StrCat("%", d.a->name, " of ", d.a->parent->name, " [", absl::StrJoin(d.difference.first < 0 ? std::vector<int64_t>() : IndexOf(d.shape, d.difference.first), ","), "] ",
                                         d.where, d.own ? "" : " (inherited)");
  if (d.a->name != where.instruction || d.a->parent->name != where.computation || !d.own) return absl::StrCat("another instruction: ", found);
  if (IndexOf(d.shape, d.difference.first) != planted.element) return absl::StrCat("another element: ", found);
  if (!where.counter.empty() && !absl::StrContains(absl::StrCat(d.where, ")"), absl::StrCat("iteration ", planted.iteration, ")"))) return absl::StrCat("another iteration: ", found);
  return "";
}

int Main(int argc, char** argv) {
  const PlantedArguments arguments = ReadArguments(argc, argv);
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeJitCpuBackend(BackendOptions());
  if (!backend.ok()) return 2;
  std::vector<Program> programs;
  for (auto& [name, text] : SubjectTexts(arguments)) {
    Program p;
    p.name = name;
    p.text = std::move(text);
    programs.push_back(std::move(p));
  }
  std::mt19937_64 random(static_cast<uint64_t>(arguments.seed));
  int64_t failed = 0, passed = 0;
  for (Program& p : programs) {
    if (!Prepare(p, **backend)) {
      std::printf("%s: does not run\n", p.name.c_str());
      continue;
    }
    const int64_t wanted = CasesIn(p.name, arguments);
    int64_t here = 0, tried = 0;
    // In turn; of a kind that this program has no place for, another one.
    for (int64_t n = 0, without = 0; tried < wanted && without < 3; ++n) {
      const Wrong kind = static_cast<Wrong>(n % 3);
      const std::optional<std::pair<Where, Planted>> drawn = Draw(p, **backend, kind, random);
      if (!drawn.has_value()) {
        ++without;
        continue;
      }
      without = 0;
      const auto& [where, planted] = *drawn;
      ++tried;
      const std::string why = kind == Wrong::kBit ? TryRecord(p, **backend, where, planted) : Try(p, **backend, where, planted);
      if (why.empty()) {
        ++passed;
        ++here;
        continue;
      }
      ++failed;
      std::printf("FAILED %s: %s at %%%s[%s] of %s, iteration %ld:\n  %s\n", p.name.c_str(), kNames[static_cast<int>(kind)], where.instruction.c_str(),
                  absl::StrJoin(planted.element, ",").c_str(), where.computation.c_str(), static_cast<long>(planted.iteration), why.c_str());
      if (std::getenv("PRINT") != nullptr) std::printf("%s\n", planted.text.c_str());
    }
    std::printf("%s: %ld of %ld; places: %zu bits, %zu constants, %zu attributes\n", p.name.c_str(), static_cast<long>(here), static_cast<long>(tried), p.places[0].size(), p.places[1].size(),
                p.places[2].size());
    p.module.reset();
    std::filesystem::remove(p.record);
  }
  std::printf("%ld named, %ld not\n", static_cast<long>(passed), static_cast<long>(failed));
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace hloscope

int main(int argc, char** argv) { return hloscope::Main(argc, argv); }
