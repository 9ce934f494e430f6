// `info kernels`, and what the panels of kernels show.
#include "core/debug/kernel_texts.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

// The plan of a computation that no frame has; of one, the last asked for.
struct LookedPlan {
  const Computation* computation = nullptr;
  std::unique_ptr<Plan> made;
};

const Plan* PlanOf(Session::State& s, const Computation& computation) {
  if (s.machine != nullptr) {
    for (const Frame& frame : s.machine->frames()) {
      if (frame.computation == &computation && frame.plan != nullptr) return frame.plan;
    }
  }
  LookedPlan& looked = s.Extension<LookedPlan>();
  if (looked.computation != &computation) {
    absl::StatusOr<std::unique_ptr<Plan>> made = s.backend->MakePlan(computation);
    looked.computation = &computation;
    looked.made = made.ok() ? *std::move(made) : nullptr;
  }
  return looked.made.get();
}

// The words of the command for the backends' texts.
struct TextWord {
  absl::string_view word, artifact;
};
constexpr TextWord kTextWords[] = {{"/formula", "formula"}, {"/program", "element program"}, {"/ir", "LLVM IR"}, {"/assembly", "assembly"}};

std::string WithNewline(std::string text) {
  if (!absl::EndsWith(text, "\n")) text += '\n';
  return text;
}

// One of them whole, or what there is.
absl::Status SayTexts(Session::State& s, const KernelTexts& texts, const TextWord* wanted) {
  std::vector<absl::string_view> words;
  for (const TextWord& text : kTextWords) {
    const auto found = std::find_if(texts.artifacts.begin(), texts.artifacts.end(), [&](const Artifact& a) { return a.name == text.artifact; });
    if (found == texts.artifacts.end()) continue;
    words.push_back(text.word);
    if (wanted != &text) continue;
    s.Say(WithNewline(found->text));
    return absl::OkStatus();
  }
  const std::string there = words.empty() ? "it has no text" : absl::StrCat("there is ", absl::StrJoin(words, ", "));
  if (wanted != nullptr) {
    return absl::NotFoundError(absl::StrCat(ShownName(*texts.of), " has no ", wanted->artifact, " on the backend ", s.backend->name(), ": ", there));
  }
  s.Say(texts.region, "\n");
  for (const Artifact& artifact : texts.artifacts) {
    if (artifact.name == "kernel") s.Say("kernel: ", WithNewline(artifact.text));
  }
  s.Say(there, "\n");
  return absl::OkStatus();
}

}  // namespace

const Region* RegionOf(Session::State& s, const Instruction& instruction) {
  const Plan* plan = PlanOf(s, *instruction.parent);
  if (plan == nullptr || instruction.index < 0) return nullptr;
  if (instruction.index < static_cast<int>(plan->region_at.size()) && plan->region_at[instruction.index] >= 0) return &plan->regions[plan->region_at[instruction.index]];
  for (const Region& region : plan->regions) {
    if (std::binary_search(region.members.begin(), region.members.end(), instruction.index)) return &region;
  }
  return nullptr;
}

absl::StatusOr<KernelTexts> TextsOfKernel(Session::State& s, const Instruction& instruction) {
  KernelTexts texts;
  texts.of = &instruction;
  const Region* region = RegionOf(s, instruction);
  if (region == nullptr) return absl::NotFoundError(absl::StrCat(ShownName(instruction), " is needed by nothing that runs, so it has no kernel"));
  const Instruction* root = instruction.parent->schedule[region->root];
  texts.region = region->members.size() <= 1 ? absl::StrCat(ShownName(*root), " alone") : absl::StrCat(ShownName(*root), " with ", Count(static_cast<int64_t>(region->members.size()) - 1, "other"), " fused into it");
  absl::StatusOr<std::vector<Artifact>> artifacts = s.backend->Artifacts(*instruction.parent, *region);
  if (!artifacts.ok()) return artifacts.status();
  texts.artifacts = *std::move(artifacts);
  return texts;
}

absl::Status InfoKernels(Session::State& s, absl::string_view args) {
  const TextWord* wanted = nullptr;
  args = absl::StripAsciiWhitespace(args);
  if (absl::StartsWith(args, "/")) {
    const absl::string_view word = args.substr(0, args.find_first_of(" \t"));
    for (const TextWord& text : kTextWords) {
      if (text.word == word) wanted = &text;
    }
    if (wanted == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("there is no option ", word, "; info kernels takes ",
                                                     absl::StrJoin(kTextWords, ", ", [](std::string* out, const TextWord& t) { absl::StrAppend(out, t.word); })));
    }
    args = absl::StripAsciiWhitespace(args.substr(word.size()));
  }
  if (args.empty() && wanted == nullptr) {
    const BackendStats stats = s.backend->stats();
    s.Say("backend ", s.backend->name(), ": ", Count(stats.kernels_compiled, "kernel"), " compiled, ", stats.kernels_from_cache, " from the disk cache, ",
          absl::StrFormat("%.1f ms", stats.compile_ms), "\n");
    const Frame* f = s.frame();
    if (f == nullptr || f->plan == nullptr || f->position >= static_cast<int>(f->computation->schedule.size())) return absl::OkStatus();
  }
  const absl::StatusOr<const Instruction*> found = s.FindInstruction(args);
  if (!found.ok()) return found.status();
  const absl::StatusOr<KernelTexts> texts = TextsOfKernel(s, **found);
  if (!texts.ok()) return texts.status();
  return SayTexts(s, *texts, wanted);
}

}  // namespace hloscope
