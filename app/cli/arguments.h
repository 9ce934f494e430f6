// A verb's options: a CLI11 parser with our habits (status 2 and one line for bad usage), and the options that `run` and `debug` share.
#ifndef HLOSCOPE_APP_CLI_ARGUMENTS_H_
#define HLOSCOPE_APP_CLI_ARGUMENTS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/session.h"
#include "core/exec/backend.h"

namespace hloscope::cli {

// Parses; a value is the status to end with (0 after --help, 2 after bad usage, whose message is written).
std::optional<int> Parse(CLI::App& app, const std::vector<std::string>& args);

// "16GiB", "512MiB", "1000000" -> bytes.
absl::StatusOr<int64_t> ParseBytes(absl::string_view text);

// The options for inputs, memory and backend.
struct ProgramOptions {
  std::vector<std::string> input;  // I=FILE.npy
  std::string inputs, fill = "random:0", backend = "jit", memory_limit, infeed;
  std::vector<std::string> custom_call;
  int threads = 0, replicas = 1;
  int64_t max_iterations = 0;
  bool no_cache = false;

  void AddTo(CLI::App& app);
  absl::StatusOr<SessionOptions> ToSession() const;
};

// "jit" or "reference".
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const ProgramOptions& options);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_ARGUMENTS_H_
