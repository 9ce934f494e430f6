// Many random programs, see campaign.h.
#include "tests/random/campaign.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "tests/random/generate.h"
#include "tests/random/harness.h"
#include "tests/random/shrink.h"

namespace hloscope {
namespace {

// The JIT keeps every kernel that it makes; now and then it starts anew.
constexpr int64_t kProgramsOfOneJit = 500;

TrioOutcome RunOne(const Prog& program, Trio& trio) {
  std::string problems;
  std::unique_ptr<Module> module = ReadProgram(Text(program), &problems);
  if (module == nullptr) return {TrioOutcome::kFailed, absl::StrCat("refused: ", problems)};
  return trio.Compare(*module, ArgumentsOf(program, *module), program.seed % 3 == 0);
}

bool Refused(const TrioOutcome& o) { return o.kind == TrioOutcome::kFailed && o.what.rfind("refused", 0) == 0; }
// Enough of a message to know the same failure again: its first words, without numbers.
std::string Kind(const TrioOutcome& o) {
  if (Refused(o)) {
    const size_t label = o.what.find('['), end = o.what.find(']', label);
    return label == std::string::npos ? "refused" : o.what.substr(label, end - label);
  }
  return absl::StrCat(static_cast<int>(o.kind), o.what.substr(0, o.what.find_first_of(" :")));
}

}  // namespace

CampaignReport RunCampaign(const CampaignOptions& options) {
  CampaignReport report;
  std::unique_ptr<Trio> trio;
  int kept = 0;
  for (int64_t k = 0; k < options.count; ++k) {
    if (k % kProgramsOfOneJit == 0) trio = std::make_unique<Trio>(options.threads);
    const uint64_t seed = options.seed + static_cast<uint64_t>(k);
    const Prog program = Generate(seed);
    for (const Comp& comp : program.computations) {
      for (const ProgNode& node : comp.nodes) ++report.operations[node.op];
    }
    const TrioOutcome o = RunOne(program, *trio);
    ++report.programs;
    report.compared += o.compared;
    report.exact += o.exact;
    report.unknown += o.unknown;
    if (o.kind == TrioOutcome::kAgrees) ++report.agreed;
    if (o.kind == TrioOutcome::kSkipped) ++report.skipped;
    if (o.kind == TrioOutcome::kMismatch) ++report.mismatches;
    if (o.kind == TrioOutcome::kFailed) ++(Refused(o) ? report.refused : report.failed);
    if (o.kind == TrioOutcome::kMismatch || o.kind == TrioOutcome::kFailed) {
      std::string text = absl::StrCat("seed ", seed, ": ", o.what, "\n");
      if (kept < options.keep) {
        ++kept;
        Prog small = program;
        if (options.shrink) {
          small = Shrink(program, [&](const Prog& candidate) { return Kind(RunOne(candidate, *trio)) == Kind(o); });
          absl::StrAppend(&text, "shrunk from ", NodeCount(program), " to ", NodeCount(small), " instructions, inputs ", static_cast<int>(small.inputs), ": ",
                          RunOne(small, *trio).what, "\n");
        }
        absl::StrAppend(&text, Text(small), "\n");
      }
      report.text += text;
      if (options.progress) options.progress(text);
    }
    if (options.progress && (k + 1) % 1000 == 0) {
      options.progress(absl::StrCat(k + 1, " programs: ", report.agreed, " agree, ", report.skipped, " skipped, ", report.mismatches, " mismatches, ",
                                    report.failed, " failed, ", report.refused, " refused; ", report.compared, " elements compared, ", report.exact,
                                    " to the bit, ", report.unknown, " undecided\n"));
    }
  }
  return report;
}

}  // namespace hloscope
