// Plants one nan, infinity or overflow into a program (any instruction, one element, any iteration of its loop) and demands that the catch
// names the planted instruction, the element and the iteration. Small programs of its own; with --count also the models of the corpus.
//
//   build/tests/planted                   a few cases in each small program, and in one model if the corpus is there
//   build/tests/planted --count 500       as many cases in five models, and a few in each small program
//   build/tests/planted --model NAME      only in that one; --seed N: other draws
#include <chrono>
#include <cstdio>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "core/debug/catches.h"
#include "core/ops/op.h"
#include "tests/planted/place.h"
#include "tests/planted/subject.h"

namespace hloscope {
namespace {

enum class Plant { kNan, kHiddenNan, kInf, kOverflow };
constexpr const char* kPlantNames[] = {"nan", "hidden nan", "inf", "overflow"};

// The text with the plant; empty: it cannot be put there.
std::string Planted(const Module& module, const Where& where, Plant plant, const std::vector<int64_t>& element, int64_t iteration) {
  Text text(module);
  const int at = text.Find(where.computation, where.instruction);
  if (at < 0) return "";
  std::string& line = text.lines_[at];
  const size_t equals = line.find(" = ");
  const std::string left = line.substr(0, equals);
  const bool root = absl::StrContains(left, "ROOT ");
  const std::string& shape = where.shape;
  const std::string type = shape.substr(0, shape.find('['));
  line = absl::StrCat("  planted.base", line.substr(equals));
  std::vector<std::string> add;
  const auto put = [&](const std::string& l) { add.push_back("  " + l); };
  const auto broadcast = [&](const std::string& name, const std::string& t, const std::string& value) {
    put(absl::StrCat(name, ".1 = ", t, "[] constant(", value, ")"));
    put(absl::StrCat(name, " = ", OfType(shape, t), " broadcast(", name, ".1), dimensions={}"));
  };
  const std::string mask = PutMask(where, element, iteration, put, broadcast);
  const std::string from = plant == Plant::kOverflow ? "f32" : type;
  broadcast("planted.bad", from, plant == Plant::kInf ? "0" : plant == Plant::kOverflow ? "1e6" : "-1");
  broadcast("planted.good", from, "1");
  put(absl::StrCat("planted.x = ", OfType(shape, from), " select(", mask, ", planted.bad, planted.good)"));
  std::string result = "planted";
  if (plant == Plant::kOverflow) {
    put(absl::StrCat("planted = ", OfType(shape, "f16"), " convert(planted.x)"));
    put(absl::StrCat("planted.more = ", OfType(shape, "pred"), " compare(planted, planted), direction=LT"));
    put(absl::StrCat("planted.flat = ", shape, " convert(planted.more)"));
    result = "planted.flat";
  } else {
    put(absl::StrCat("planted = ", shape, " log(planted.x)"));
  }
  if (plant == Plant::kHiddenNan) {
    put(absl::StrCat("planted.more = ", OfType(shape, "pred"), " compare(planted, planted.good), direction=GT"));
    put(absl::StrCat("planted.flat = ", shape, " convert(planted.more)"));
    result = "planted.flat";
  }
  put(absl::StrCat(root ? "ROOT " : "", where.instruction, " = ", shape, " add(planted.base, ", result, ")"));
  text.Insert(where, at, add);
  return absl::StrJoin(text.lines_, "\n");
}

struct Program {
  std::string name;
  std::string text;
  std::unique_ptr<Module> module;
  std::vector<Where> places;
  std::vector<Plant> plants;  // that do not come up by themselves
  double seconds = 0;
};

// What a kind of plant is caught by.
CatchKind KindOf(Plant plant) {
  return plant == Plant::kInf ? CatchKind::kInf : plant == Plant::kOverflow ? CatchKind::kOverflow : CatchKind::kNan;
}

bool Prepare(Program& p, Backend& backend) {
  p.module = Read(p.name, p.text);
  if (p.module == nullptr) return false;
  const SoundRun run = RunSoundly(*p.module, backend);
  if (!run.status.ok()) {
    std::printf("%s: does not run to its end: %s\n", p.name.c_str(), std::string(run.status.message()).c_str());
    return false;
  }
  p.seconds = run.seconds;
  for (auto& [i, where] : Candidates(*p.module, run)) {
    if (i->literal != nullptr || !IsWideFloat(*i) || Name(i->opcode) == "get-tuple-element" || Def(*i).movement == Movement::kCreate) continue;
    p.places.push_back(std::move(where));
  }
  for (Plant plant : {Plant::kNan, Plant::kHiddenNan, Plant::kInf, Plant::kOverflow}) {
    Machine clean(*p.module, backend, PlantedOptions());
    Catches catches(*p.module, backend);
    CatchRequest request;
    request.kind = KindOf(plant);
    catches.requests().push_back(request);
    catches.Attach(clean);
    if (StartWithMadeUpInputs(*p.module, clean).ok() && clean.Run() == StopReason::kFinished) p.plants.push_back(plant);
    else if (catches.caught().has_value()) std::printf("%s: %s\n", p.name.c_str(), CaughtHeadline(*p.module, *catches.caught()).c_str());
  }
  return !p.places.empty() && !p.plants.empty();
}

// One case; empty: as it should be.
std::string Try(const Program& p, Backend& backend, const Where& where, Plant plant, const std::vector<int64_t>& element, int64_t iteration) {
  const std::string text = Planted(*p.module, where, plant, element, iteration);
  if (text.empty()) return "the instruction is not found in the text";
  const std::unique_ptr<Module> module = Read(p.name, text);
  if (module == nullptr) return "the planted text does not verify";
  Machine machine(*module, backend, PlantedOptions());
  Catches catches(*module, backend);
  CatchRequest request;
  request.kind = KindOf(plant);
  catches.requests().push_back(request);
  catches.Attach(machine);
  if (absl::Status started = StartWithMadeUpInputs(*module, machine); !started.ok()) return std::string(started.message());
  const StopReason reason = machine.Run();
  if (reason != StopReason::kCaught) return absl::StrCat("nothing was caught", reason == StopReason::kError ? absl::StrCat(": ", machine.status().message()) : "");
  const Caught& caught = *catches.caught();
  if (caught.instruction->name != "planted" || caught.instruction->parent->name != where.computation) return CaughtText(*module, caught);
  if (caught.finding.index != element) return absl::StrCat("another element: ", CaughtText(*module, caught));
  if (!where.counter.empty() && caught.frames.back().iteration != iteration) return absl::StrCat("another iteration: ", CaughtText(*module, caught));
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
    if (!Prepare(p, **backend)) continue;
    const auto begin = std::chrono::steady_clock::now();
    const int64_t per = CasesIn(p.name, arguments);
    int64_t here = 0;
    for (int64_t n = 0; n < per; ++n) {
      const Where& where = p.places[random() % p.places.size()];
      const Plant plant = p.plants[random() % p.plants.size()];
      std::vector<int64_t> element;
      for (int64_t d : where.dims) element.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(d)));
      const int64_t iteration = where.counter.empty() ? 0 : static_cast<int64_t>(random() % static_cast<uint64_t>(where.iterations));
      const std::string why = Try(p, **backend, where, plant, element, iteration);
      if (why.empty()) {
        ++passed;
        ++here;
        continue;
      }
      ++failed;
      std::printf("FAILED %s: %s at %%%s[%s] of %s, iteration %ld:\n  %s\n", p.name.c_str(), kPlantNames[static_cast<int>(plant)], where.instruction.c_str(),
                  absl::StrJoin(element, ",").c_str(), where.computation.c_str(), static_cast<long>(iteration), why.c_str());
    }
    std::printf("%s: %ld of %ld, %zu places, a plain run %.0f ms, a case %.0f ms\n", p.name.c_str(), static_cast<long>(here), static_cast<long>(per), p.places.size(), p.seconds * 1e3,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() * 1e3 / static_cast<double>(per));
    p.module.reset();
  }
  std::printf("%ld named, %ld not\n", static_cast<long>(passed), static_cast<long>(failed));
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hloscope

int main(int argc, char** argv) { return hloscope::Main(argc, argv); }
