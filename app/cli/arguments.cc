#include "app/cli/arguments.h"

#include <cstdlib>
#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "app/cli/verb.h"
#include "core/debug/text_util.h"
#if __has_include("backends/reference/backend.h")
#include "backends/reference/backend.h"
#define HLOSCOPE_REFERENCE_BACKEND 1
#endif
#ifdef HLOSCOPE_JIT
#include "backends/jit_cpu/jit_cpu.h"
#endif

namespace hloscope::cli {
namespace {
constexpr int kMaxThreads = 1024;
}  // namespace

std::optional<int> Parse(CLI::App& app, const std::vector<std::string>& args) {
  std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 takes them last first
  try {
    app.parse(std::move(reversed));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return kOk;
  } catch (const CLI::ParseError& e) {
    return UsageError(absl::StrCat(e.what(), "; see: ", app.get_name(), " --help"));
  }
}

absl::StatusOr<int64_t> ParseBytes(absl::string_view text) { return ParseByteCount(text); }

void ProgramOptions::AddTo(CLI::App& app) {
  app.add_option("--input", input, "parameter I from a .npy file")->type_name("I=FILE.npy")->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--inputs", inputs, "parameters from a .npz file, by name or number")->type_name("FILE.npz");
  app.add_option("--fill", fill, "how the other parameters are made: random:SEED, zeros, ones, iota")->capture_default_str();
  app.add_option("--backend", backend, "jit or reference")->capture_default_str();
  app.add_option("--threads", threads, "threads of the backend (0: all)")->type_name("N");
  app.add_option("--replicas", replicas, "replicas of the program (only 1 so far)")->type_name("N");
  app.add_option("--memory-limit", memory_limit, "bytes of values and scratch, as 16GiB")->type_name("BYTES");
  app.add_option("--max-iterations", max_iterations, "stops a loop after N iterations, with a diagnostic")->type_name("N");
  app.add_option("--custom-call", custom_call, "loads functions for custom calls from a shared library")->type_name("LIB.so")->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--infeed", infeed, "items of the infeed, in order")->type_name("FILE.npz");
  app.add_flag("--no-cache", no_cache, "neither reads nor writes the disk cache of kernels");
}

absl::StatusOr<SessionOptions> ProgramOptions::ToSession() const {
  SessionOptions session;
  absl::StatusOr<Fill> parsed = ParseFill(fill);
  if (!parsed.ok()) return parsed.status();
  session.fill = *parsed;
  for (const std::string& text : input) {
    const size_t equals = text.find('=');
    int number = -1;
    if (equals == std::string::npos || !absl::SimpleAtoi(text.substr(0, equals), &number) || number < 0) {
      return absl::InvalidArgumentError(absl::StrCat("--input takes NUMBER=FILE.npy, not ", text));
    }
    session.input_files.emplace_back(number, text.substr(equals + 1));
  }
  session.inputs_npz = inputs;
  if (!memory_limit.empty()) {
    absl::StatusOr<int64_t> bytes = ParseBytes(memory_limit);
    if (!bytes.ok()) return absl::InvalidArgumentError(absl::StrCat("--memory-limit: ", bytes.status().message()));
    session.memory_limit = *bytes;
  }
  if (replicas != 1) return absl::InvalidArgumentError("--replicas: only one replica can run so far");
  if (max_iterations < 0) return absl::InvalidArgumentError(absl::StrCat("--max-iterations takes a number of at least 0 (0: no limit), not ", max_iterations));
  if (threads < 0 || threads > kMaxThreads) {
    return absl::InvalidArgumentError(absl::StrCat("--threads takes 1 to ", kMaxThreads, ", or 0 for all, not ", threads));
  }
  session.max_iterations = max_iterations;
  session.custom_call_libraries = custom_call;
  session.infeed_npz = infeed;
  return session;
}

namespace {
[[maybe_unused]] std::string CacheDirectory() {
  if (const char* directory = std::getenv("HLOSCOPE_CACHE")) return directory;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != 0) return absl::StrCat(cache, "/hloscope");
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) return absl::StrCat(home, "/.cache/hloscope");
  return "";
}
}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const ProgramOptions& options) {
  BackendOptions backend_options;
  backend_options.threads = options.threads;
  if (options.backend == "reference") {
#ifdef HLOSCOPE_REFERENCE_BACKEND
    return MakeReferenceBackend(backend_options);
#else
    return absl::UnimplementedError("this build has no reference backend");
#endif
  }
  if (options.backend == "jit") {
#ifdef HLOSCOPE_JIT
    if (!options.no_cache) backend_options.cache_directory = CacheDirectory();
    return MakeJitCpuBackend(backend_options);
#else
    return absl::UnimplementedError("this build has no jit backend; use --backend reference");
#endif
  }
  return absl::InvalidArgumentError(absl::StrCat("--backend takes jit or reference, not ", options.backend));
}

}  // namespace hloscope::cli
