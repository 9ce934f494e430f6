// A profile as `run` prints it: the tables, and what memory held. Not for the tables themselves (core/debug/profile.h).
#ifndef HLOSCOPE_APP_CLI_PROFILE_REPORT_H_
#define HLOSCOPE_APP_CLI_PROFILE_REPORT_H_

#include <string>

#include "core/debug/profile.h"

namespace hloscope::cli {

std::string ProfileReportText(const ProfileData& profile);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_PROFILE_REPORT_H_
