// The programs that something is planted into: where they come from, how they run, and which of their instructions may be chosen. For the
// programs of this folder; where a plant goes in the text is place.h's.
#ifndef HLOSCOPE_TESTS_PLANTED_SUBJECT_H_
#define HLOSCOPE_TESTS_PLANTED_SUBJECT_H_

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "core/exec/inputs.h"
#include "core/exec/machine.h"
#include "core/ops/op.h"
#include "tests/planted/place.h"

namespace hloscope {

inline MachineOptions PlantedOptions() {
  MachineOptions options;
  options.max_iterations = 5000;
  return options;
}

inline absl::Status StartWithMadeUpInputs(const Module& module, Machine& machine) {
  return machine.Start([&module, &machine](int number) { return MakeInput(module, number, Fill(), &machine.account()); });
}

struct PlantedArguments {
  int64_t count = 0, seed = 1;  // --count N: cases in the models together; 0: a few
  std::string model;            // --model NAME: only that one
};

inline PlantedArguments ReadArguments(int argc, char** argv) {
  PlantedArguments a;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string option = argv[k];
    if (option == "--count") (void)absl::SimpleAtoi(argv[k + 1], &a.count);
    if (option == "--seed") (void)absl::SimpleAtoi(argv[k + 1], &a.seed);
    if (option == "--model") a.model = argv[k + 1];
  }
  return a;
}

inline constexpr const char* kModels[] = {"mha_block_1x12x128x64_bf16.hlo", "layer_norm_1x4096x768_bf16.hlo", "depthwise_conv_3x3_1x256x56x56_bf16.hlo", "bench_scan_N2000_M3.hlo",
                                          "dlrm_keras_jax_f32_train_step.hlo"};

// Names and texts: the small programs, and models of the corpus as far as it is there.
inline std::vector<std::pair<std::string, std::string>> SubjectTexts(const PlantedArguments& a) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const char* text : kSmall) {
    const std::string t = text;
    if (a.model.empty()) found.emplace_back(t.substr(10, t.find('\n') - 10), t);
  }
  const char* corpus = std::getenv("HLOSCOPE_CORPUS");
  const std::filesystem::path models = std::filesystem::path(corpus != nullptr ? corpus : "../shared/corpus") / "models";
  std::vector<std::string> names(std::begin(kModels), std::end(kModels));
  if (!a.model.empty()) names = {a.model};
  else if (a.count == 0) names.resize(1);
  for (const std::string& name : names) {
    std::ifstream file(models / name, std::ios::binary);
    if (!file) continue;
    std::stringstream text;
    text << file.rdbuf();
    found.emplace_back(name, text.str());
  }
  return found;
}

inline int64_t CasesIn(const std::string& subject, const PlantedArguments& a) {
  if (a.count > 0 && subject == a.model) return a.count;
  const int64_t models = std::size(kModels);
  return a.count > 0 && std::find(std::begin(kModels), std::end(kModels), subject) != std::end(kModels) ? (a.count + models - 1) / models : 12;
}

// A plain run: how often each computation ran (the most iterations), and how long it took.
struct SoundRun {
  absl::Status status;
  std::map<const Computation*, int64_t> ran;
  double seconds = 0;
};

inline SoundRun RunSoundly(const Module& module, Backend& backend) {
  SoundRun run;
  Machine machine(module, backend, PlantedOptions());
  run.status = StartWithMadeUpInputs(module, machine);
  if (!run.status.ok()) return run;
  machine.set_light_region_observer([&](const Frame& frame, const Region&, const Kernel*, absl::Span<const Value>, const Value&) {
    int64_t& most = run.ran[frame.computation];
    const bool loop = IsLoop(frame.kind);
    if (frame.kind != FrameKind::kElement) most = std::max(most, loop ? frame.iteration + 1 : 1);
    return absl::OkStatus();
  });
  const auto begin = std::chrono::steady_clock::now();
  if (machine.Run() != StopReason::kFinished) run.status = machine.status();
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return run;
}

// Arrays with elements that run, and that something of their computation needs; ordered by name.
inline std::vector<std::pair<const Instruction*, Where>> Candidates(const Module& module, const SoundRun& run) {
  std::vector<std::pair<const Instruction*, Where>> found;
  for (const auto& [computation, iterations] : run.ran) {
    absl::flat_hash_set<const Instruction*> live = {computation->root};
    for (size_t k = computation->schedule.size(); k-- > 0;) {
      const Instruction* i = computation->schedule[k];
      if (live.contains(i) || HasSideEffect(*i)) live.insert(i->operands.begin(), i->operands.end());
    }
    Where of;
    FindCounter(module, *computation, of);
    for (const Instruction* i : computation->schedule) {
      if (!live.contains(i) || !i->shape.IsArray() || i->shape.ElementCount() == 0 || i->parameter_number >= 0 || i->shape.has_dynamic_dimension()) continue;
      Where w = of;
      w.computation = std::string(computation->name);
      w.instruction = std::string(i->name);
      w.shape = i->shape.ToString(true);
      w.dims.assign(i->shape.dimensions().begin(), i->shape.dimensions().end());
      w.iterations = iterations;
      found.emplace_back(i, std::move(w));
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.computation, a.second.instruction) < std::tie(b.second.computation, b.second.instruction);
  });
  return found;
}

inline bool IsWideFloat(const Instruction& i) {
  const ElementType type = i.shape.element_type();
  return type == ElementType::kF32 || type == ElementType::kBF16 || type == ElementType::kF16 || type == ElementType::kF64;
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_PLANTED_SUBJECT_H_
