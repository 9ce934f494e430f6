// What stopped a run, as `run` tells it: a diagnostic at the program's text, and of a catch JSON. Not for one line of a console (core/debug).
#ifndef HLOSCOPE_APP_CLI_CAUGHT_H_
#define HLOSCOPE_APP_CLI_CAUGHT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/types/span.h"
#include "core/debug/catches.h"
#include "core/ir/module.h"

namespace hloscope::cli {

// An error of a run at an instruction: its first line with the place in the program's text, further ones behind it.
std::string ErrorAt(const Module& module, const Instruction& at, const std::string& text);

// Lines with a line break at the end. `device`: "replica 1" where there are several; else empty.
std::string CaughtDiagnostic(const Module& module, const Caught& caught, const std::string& device = "");
nlohmann::ordered_json CaughtJson(const Module& module, const Caught& caught);
// What parameters bring, which is not caught.
nlohmann::ordered_json GivenJson(absl::Span<const GivenBad> given);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_CAUGHT_H_
