#include "app/cli/profile_report.h"

#include "absl/strings/str_cat.h"

namespace hloscope::cli {

std::string ProfileReportText(const ProfileData& profile) {
  constexpr size_t kOperations = 40, kRows = 20, kScopes = 10, kIterations = 10;
  return absl::StrCat("\n", ProfileSummary(profile), "\ntime by operation (a fused region counts as its root)\n", ProfileTable(profile, ProfileBy::kOperation, kOperations),
                      "\nlongest instructions\n", ProfileTable(profile, ProfileBy::kInstruction, kRows),
                      "\nscopes (a fused region's time is shared by estimated work)\n", ProfileTable(profile, ProfileBy::kScope, kScopes),
                      "\nsource lines\n", ProfileTable(profile, ProfileBy::kLine, kScopes),
                      profile.loops.empty() ? "" : absl::StrCat("\nlongest iterations\n", ProfileTable(profile, ProfileBy::kIteration, kIterations)), "\n", MemoryText(profile));
}

}  // namespace hloscope::cli
