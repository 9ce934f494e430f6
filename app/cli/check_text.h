// What a check against the reference found, in words for the terminal. Not for the check (core/debug/check.h) nor for CI (run_report.h).
#ifndef HLOSCOPE_APP_CLI_CHECK_TEXT_H_
#define HLOSCOPE_APP_CLI_CHECK_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "core/debug/check.h"

namespace hloscope::cli {

// How much was compared, and every mismatch that was kept.
std::string CheckText(const CheckReport& report);
// What the check could not say, for standard error so that --json has it too.
std::string CheckNotes(const CheckReport& report);
// The mismatches that were kept, for --json.
nlohmann::ordered_json MismatchesJson(const CheckReport& report);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_CHECK_TEXT_H_
