#include "app/cli/arguments.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "app/cli/verb.h"
#include "core/debug/text_util.h"
#include "core/ops/collectives.h"
#include "core/ops/exchange_def.h"
#include "core/ops/parallel_call.h"
#if __has_include("backends/reference/backend.h")
#include "backends/reference/backend.h"
#define HLOSCOPE_REFERENCE_BACKEND 1
#endif
#ifdef HLOSCOPE_JIT
#include "backends/jit_cpu/jit_cpu.h"
#endif

namespace hloscope::cli {
namespace {

constexpr absl::string_view kTakeSeveral =
    "run, debug, test, minimize, report of one program, export of what is drawn and the window";  // replicas and partitions
constexpr int kMaxThreads = 1024;
constexpr int kMaxDevices = 4096;

// Takes "R:" or "R.P:" off the front of the text: for one replica, or for one partition of it.
struct OneDevice {
  int64_t replica = -1, partition = -1;  // -1: any
  bool any() const { return replica < 0; }
  bool Is(const Device& d) const { return replica == d.replica && (partition < 0 || partition == d.partition); }
};
OneDevice TakeDevice(absl::string_view& text) {
  const size_t colon = text.find(':');
  OneDevice device;
  if (colon == absl::string_view::npos) return device;
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text.substr(0, colon), absl::MaxSplits('.', 1));
  int64_t replica = -1, partition = -1;
  if (!absl::SimpleAtoi(parts.first, &replica) || replica < 0) return device;
  if (text.substr(0, colon).find('.') != absl::string_view::npos && (!absl::SimpleAtoi(parts.second, &partition) || partition < 0)) return device;
  text.remove_prefix(colon + 1);
  return {replica, partition};
}

// Of what --input was given, "1:0=x.npy".
InputFile FileOf(int number, const std::string& given) {
  const size_t equals = given.find('=');
  return {number, given.substr(equals + 1), absl::StrCat("--input ", given.substr(0, equals))};
}

}  // namespace

absl::StatusOr<int64_t> ParseBytes(absl::string_view text) { return ParseByteCount(text); }

namespace {

// 0 stands for "not given" where devices are counted, and nobody may ask for it.
std::string NotZero(const std::string& text) {
  int64_t n = 1;
  return absl::SimpleAtoi(text, &n) && n == 0 ? absl::StrCat("takes 1 to ", kMaxDevices, ", not 0") : "";
}

}  // namespace

void ProgramOptions::AddTo(OptionParser& app, bool several) {
  const char* of_device = several ? "; R:I of replica R alone, R.P:I of its partition P" : "";
  app.add_option("--input", input, absl::StrCat("parameter I from a .npy file", of_device))
      ->type_name(several ? "[R[.P]:]I=FILE.npy" : "I=FILE.npy")
      ->expected(1)
      ->repeated();
  app.add_option("--inputs", inputs, "parameters from a .npz file, by name or number")->type_name("FILE.npz");
  app.add_option("--fill", fill, "how the other parameters are made: random:SEED, zeros, ones, iota")->capture_default_str();
  app.add_option("--backend", backend, "jit or reference")->capture_default_str();
  app.add_option("--threads", threads, "threads of the backend (0: all)")->type_name("N");
  const std::string shown = several ? "Options" : "";  // what is refused with a word of its own is not offered
  app.add_option("--replicas", replicas, "replicas of the program (as many as its header says, where it exchanges data)")
      ->type_name("N")
      ->check(NotZero)
      ->group(shown);
  app.add_option("--partitions", partitions, "partitions of each replica (likewise)")->type_name("M")->check(NotZero)->group(shown);
  app.add_option("--memory-limit", memory_limit, "bytes of values and scratch, as 16GiB")->type_name("BYTES");
  app.add_option("--max-iterations", max_iterations, "stops a loop after N iterations, with a diagnostic")->type_name("N");
  app.add_option("--custom-call", custom_call, "loads functions for custom calls from a shared library")->type_name("LIB.so")->expected(1)->repeated();
  app.add_option("--infeed", infeed, absl::StrCat("items of the infeed, in order", several ? "; R: of replica R alone" : ""))
      ->type_name(several ? "[R[.P]:]FILE.npz" : "FILE.npz")
      ->expected(1)
      ->repeated();
  app.add_flag("--no-cache", no_cache, "neither reads nor writes the disk cache of kernels");
}

absl::StatusOr<SessionOptions> ProgramOptions::ToSession(bool several) const {
  SessionOptions session;
  absl::StatusOr<Fill> parsed = ParseFill(fill);
  if (!parsed.ok()) return parsed.status();
  session.fill = *parsed;
  for (absl::string_view text : input) {
    const std::string whole(text);
    const OneDevice device = TakeDevice(text);
    const size_t equals = text.find('=');
    int number = -1;
    if (equals == std::string::npos || !absl::SimpleAtoi(text.substr(0, equals), &number) || number < 0) {
      return absl::InvalidArgumentError(absl::StrCat("--input takes NUMBER=FILE.npy, or REPLICA:NUMBER=FILE.npy, not ", whole));
    }
    if (!device.any() && !several)
      return absl::InvalidArgumentError(absl::StrCat("--input ", whole, " is for one replica; only ", kTakeSeveral, " take several"));
    if (device.any()) session.input_files.push_back(FileOf(number, whole));
  }
  session.inputs_npz = inputs;
  if (!memory_limit.empty()) {
    absl::StatusOr<int64_t> bytes = ParseBytes(memory_limit);
    if (!bytes.ok()) return absl::InvalidArgumentError(absl::StrCat("--memory-limit: ", bytes.status().message()));
    session.memory_limit = *bytes;
  }
  for (const auto& [option, count] : {std::make_pair("--replicas", replicas), std::make_pair("--partitions", partitions)}) {
    if (count < 0 || count > kMaxDevices) return absl::InvalidArgumentError(absl::StrCat(option, " takes 1 to ", kMaxDevices, ", not ", count));
    if (count > 1 && !several)
      return absl::InvalidArgumentError(absl::StrCat(option, ": only ", kTakeSeveral, " take more than one so far"));
  }
  if (int64_t{std::max(1, replicas)} * std::max(1, partitions) > kMaxDevices) return absl::InvalidArgumentError(absl::StrCat("at most ", kMaxDevices, " devices can run, not ", replicas, " x ", partitions));
  if (max_iterations < 0) return absl::InvalidArgumentError(absl::StrCat("--max-iterations takes a number of at least 0 (0: no limit), not ", max_iterations));
  if (threads < 0 || threads > kMaxThreads) {
    return absl::InvalidArgumentError(absl::StrCat("--threads takes 1 to ", kMaxThreads, ", or 0 for all, not ", threads));
  }
  session.max_iterations = max_iterations;
  session.custom_call_libraries = custom_call;
  for (absl::string_view text : infeed) {
    const std::string whole(text);
    const OneDevice device = TakeDevice(text);
    if (!device.any() && !several)
      return absl::InvalidArgumentError(absl::StrCat("--infeed ", whole, " is for one replica; only ", kTakeSeveral, " take several"));
    if (device.any()) session.infeed_npz = whole;
  }
  return session;
}

absl::StatusOr<ProgramOptions::OfDevice> ProgramOptions::ToSession(const Device& device) const {
  absl::StatusOr<SessionOptions> all = ToSession(true);
  if (!all.ok()) return all.status();
  OfDevice of{false, *std::move(all)};
  for (absl::string_view text : input) {
    int number = 0;
    const std::string whole(text);
    const OneDevice one = TakeDevice(text);
    const size_t equals = text.find('=');
    if (one.any() || !one.Is(device) || !absl::SimpleAtoi(text.substr(0, equals), &number)) continue;
    of.own = true;
    of.session.input_files.push_back(FileOf(number, whole));
  }
  for (absl::string_view text : infeed) {
    const std::string whole(text);
    const OneDevice one = TakeDevice(text);
    if (one.any() || !one.Is(device)) continue;
    of.own = true;
    of.session.infeed_npz = std::string(text);
    of.session.infeed_option = absl::StrCat("--infeed ", whole);
  }
  return of;
}

absl::StatusOr<SessionOptions> ProgramOptions::ToOneDevice() const {
  if (absl::Status s = CheckDevices({1, 1}); !s.ok()) return s;
  absl::StatusOr<OfDevice> of = ToSession(Device{0, 0});
  if (!of.ok()) return of.status();
  return std::move(of->session);
}

absl::Status ProgramOptions::CheckDevices(const DeviceCounts& devices) const {
  for (const auto& [option, texts] : {std::make_pair("--input ", &input), std::make_pair("--infeed ", &infeed)}) {
    for (absl::string_view text : *texts) {
      const std::string whole(text);
      const OneDevice one = TakeDevice(text);
      if (one.any() || (one.replica < devices.replicas && one.partition < devices.partitions)) continue;
      return absl::InvalidArgumentError(absl::StrCat(option, whole, ": the run has ", Count(devices.replicas, "replica"), " and ", Count(devices.partitions, "partition"), ", numbered from 0"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int> ParseDevice(absl::string_view text, const DeviceCounts& counts) {
  const std::string prefixed = absl::StrCat(text, ":");
  absl::string_view rest = prefixed;
  const OneDevice one = TakeDevice(rest);
  if (!rest.empty() || one.any())
    return absl::InvalidArgumentError(absl::StrCat("--device takes R or R.P, a replica and its partition, not ", text));
  const int64_t partition = std::max<int64_t>(0, one.partition);
  if (one.replica < counts.replicas && partition < counts.partitions) return static_cast<int>(one.replica * counts.partitions + partition);
  return absl::InvalidArgumentError(absl::StrCat("--device ", text, ": the run has ", Count(counts.replicas, "replica"), " and ",
                                                 Count(counts.partitions, "partition"), ", numbered from 0"));
}

DeviceCounts CountDevices(const ProgramOptions& options, const Module& module) {
  DeviceCounts counts{options.replicas, options.partitions};
  bool exchanges = false, parallel = false;
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      exchanges |= ExchangeOf(*i).role != ExchangeRole::kNone;
      parallel |= IsParallelCall(*i);
    }
  }
  for (const std::vector<std::string>* texts : {&options.input, &options.infeed}) {
    for (absl::string_view text : *texts) exchanges |= !TakeDevice(text).any();
  }
  if (parallel) exchanges = false;  // it brings its devices along
  const auto complete = [&](int64_t& count, absl::string_view header) {
    if (count > 0) return;
    const std::string* text = exchanges ? module.FindHeader(header) : nullptr;
    if (text == nullptr || !absl::SimpleAtoi(*text, &count) || count < 1 || count > kMaxDevices) count = 1;
  };
  complete(counts.replicas, "replica_count");
  complete(counts.partitions, "num_partitions");
  return counts;
}

std::string OnOneDevice(absl::string_view error, absl::string_view verb) {
  const std::string only = absl::StrCat(", and ", verb, " does not work with several devices");
  return absl::StrReplaceAll(error, {{kSayOtherwise, only}, {kSayReplicas, only}});
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
    if (!options.no_cache) backend_options.cache_directory = options.cache_directory.empty() ? CacheDirectory() : options.cache_directory;
    return MakeJitCpuBackend(backend_options);
#else
    return absl::UnimplementedError("this build has no jit backend; use --backend reference");
#endif
  }
  return absl::InvalidArgumentError(absl::StrCat("--backend takes jit or reference, not ", options.backend));
}

}  // namespace hloscope::cli
