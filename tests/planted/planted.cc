// Plants one nan, infinity or overflow into a program (any instruction, one element, any iteration of its loop) and demands that the catch
// names the planted instruction, the element and the iteration. Small programs of its own; with --count also the models of the corpus.
//
//   build/tests/planted                   a few cases in each small program, and in one model if the corpus is there
//   build/tests/planted --count 500       as many cases, most of them in five models
//   build/tests/planted --model NAME      only in that one; --seed N: other draws
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "core/debug/catches.h"
#include "core/exec/inputs.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "tests/planted/place.h"

namespace hloscope {
namespace {

enum class Plant { kNan, kHiddenNan, kInf, kOverflow };
constexpr const char* kPlantNames[] = {"nan", "hidden nan", "inf", "overflow"};

MachineOptions Options() {
  MachineOptions options;
  options.max_iterations = 5000;
  return options;
}

absl::Status Start(const Module& module, Machine& machine) {
  return machine.Start([&module, &machine](int number) { return MakeInput(module, number, Fill(), &machine.account()); });
}

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
  // What runs, and how often: places are drawn from that.
  std::map<const Computation*, int64_t> ran;
  Machine machine(*p.module, backend, Options());
  if (!Start(*p.module, machine).ok()) return false;
  machine.set_light_region_observer([&](const Frame& frame, const Region&, const Kernel*, absl::Span<const Value>, const Value&) {
    int64_t& most = ran[frame.computation];
    if (frame.kind != FrameKind::kElement) most = std::max(most, frame.kind == FrameKind::kWhileBody || frame.kind == FrameKind::kWhileCondition ? frame.iteration + 1 : 1);
    return absl::OkStatus();
  });
  const auto begin = std::chrono::steady_clock::now();
  if (machine.Run() != StopReason::kFinished) {
    std::printf("%s: does not run to its end: %s\n", p.name.c_str(), std::string(machine.status().message()).c_str());
    return false;
  }
  p.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const auto& [computation, iterations] : ran) {
    absl::flat_hash_set<const Instruction*> live = {computation->root};
    for (size_t k = computation->schedule.size(); k-- > 0;) {
      const Instruction* i = computation->schedule[k];
      if (live.contains(i) || HasSideEffect(*i)) live.insert(i->operands.begin(), i->operands.end());
    }
    Where of;
    FindCounter(*p.module, *computation, of);
    for (const Instruction* i : computation->schedule) {
      if (!live.contains(i) || !i->shape.IsArray() || i->shape.ElementCount() == 0 || i->parameter_number >= 0 || i->literal != nullptr) continue;
      const ElementType type = i->shape.element_type();
      if (type != ElementType::kF32 && type != ElementType::kBF16 && type != ElementType::kF16 && type != ElementType::kF64) continue;
      if (i->shape.has_dynamic_dimension() || Name(i->opcode) == "get-tuple-element" || Def(*i).movement == Movement::kCreate) continue;
      Where w = of;
      w.computation = std::string(computation->name);
      w.instruction = std::string(i->name);
      w.shape = i->shape.ToString(true);
      w.dims.assign(i->shape.dimensions().begin(), i->shape.dimensions().end());
      w.iterations = iterations;
      p.places.push_back(std::move(w));
    }
  }
  std::sort(p.places.begin(), p.places.end(), [](const Where& a, const Where& b) { return std::tie(a.computation, a.instruction) < std::tie(b.computation, b.instruction); });
  for (Plant plant : {Plant::kNan, Plant::kHiddenNan, Plant::kInf, Plant::kOverflow}) {
    Machine clean(*p.module, backend, Options());
    Catches catches(*p.module, backend);
    CatchRequest request;
    request.kind = KindOf(plant);
    catches.requests().push_back(request);
    catches.Attach(clean);
    if (Start(*p.module, clean).ok() && clean.Run() == StopReason::kFinished) p.plants.push_back(plant);
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
  Machine machine(*module, backend, Options());
  Catches catches(*module, backend);
  CatchRequest request;
  request.kind = KindOf(plant);
  catches.requests().push_back(request);
  catches.Attach(machine);
  if (absl::Status started = Start(*module, machine); !started.ok()) return std::string(started.message());
  const StopReason reason = machine.Run();
  if (reason != StopReason::kCaught) return absl::StrCat("nothing was caught", reason == StopReason::kError ? absl::StrCat(": ", machine.status().message()) : "");
  const Caught& caught = *catches.caught();
  if (caught.instruction->name != "planted" || caught.instruction->parent->name != where.computation) return CaughtText(*module, caught);
  if (caught.finding.index != element) return absl::StrCat("another element: ", CaughtText(*module, caught));
  if (!where.counter.empty() && caught.frames.back().iteration != iteration) return absl::StrCat("another iteration: ", CaughtText(*module, caught));
  return "";
}

int Main(int argc, char** argv) {
  int64_t count = 0, seed = 1;
  std::string only;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string option = argv[k];
    if (option == "--count") (void)absl::SimpleAtoi(argv[k + 1], &count);
    if (option == "--seed") (void)absl::SimpleAtoi(argv[k + 1], &seed);
    if (option == "--model") only = argv[k + 1];
  }
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeJitCpuBackend(BackendOptions());
  if (!backend.ok()) return 2;
  std::vector<Program> programs;
  for (const char* text : kSmall) {
    Program p;
    p.name = std::string(text).substr(10, std::string(text).find('\n') - 10);
    p.text = text;
    if (only.empty()) programs.push_back(std::move(p));
  }
  const char* corpus = std::getenv("HLOSCOPE_CORPUS");
  const std::filesystem::path models = std::filesystem::path(corpus != nullptr ? corpus : "../shared/corpus") / "models";
  std::vector<std::string> names = {"mha_block_1x12x128x64_bf16.hlo", "layer_norm_1x4096x768_bf16.hlo", "depthwise_conv_3x3_1x256x56x56_bf16.hlo", "bench_scan_N2000_M3.hlo",
                                    "dlrm_keras_jax_f32_train_step.hlo"};
  if (!only.empty()) names = {only};
  else if (count == 0) names.resize(1);
  for (const std::string& name : names) {
    std::ifstream file(models / name, std::ios::binary);
    if (!file) continue;
    std::stringstream text;
    text << file.rdbuf();
    Program p;
    p.name = name;
    p.text = text.str();
    programs.push_back(std::move(p));
  }
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  int64_t failed = 0, passed = 0;
  const int64_t per = std::max<int64_t>(count == 0 ? 12 : 1, (count + static_cast<int64_t>(programs.size()) - 1) / static_cast<int64_t>(programs.size()));
  for (Program& p : programs) {
    if (!Prepare(p, **backend)) continue;
    const auto begin = std::chrono::steady_clock::now();
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
