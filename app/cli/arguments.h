// The options that `run`, `debug` and other verbs share.
#ifndef HLOSCOPE_APP_CLI_ARGUMENTS_H_
#define HLOSCOPE_APP_CLI_ARGUMENTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "app/cli/option_parser.h"
#include "core/debug/session.h"
#include "core/exec/backend.h"
#include "core/ops/device_groups.h"

namespace hloscope::cli {

// "16GiB", "512MiB", "1000000" -> bytes.
absl::StatusOr<int64_t> ParseBytes(absl::string_view text);

// How many devices a program runs on.
struct DeviceCounts {
  int64_t replicas = 1, partitions = 1;
  bool several() const { return replicas > 1 || partitions > 1; }
};

// The options for inputs, memory and backend.
struct ProgramOptions {
  std::vector<std::string> input;   // I=FILE.npy, R:I=FILE.npy for a replica, R.P:I=FILE.npy for one partition of it
  std::vector<std::string> infeed;  // FILE.npz, R:FILE.npz, R.P:FILE.npz
  std::string inputs, fill = "random:0", backend = "jit", memory_limit;
  std::vector<std::string> custom_call;
  int threads = 0;
  int replicas = 0, partitions = 0;  // 0: not given
  int64_t max_iterations = 0;
  bool no_cache = false;
  std::string cache_directory;  // of kernels; empty: the user's

  // `several`: runs of several devices are offered.
  void AddTo(OptionParser& app, bool several = true);
  // `several`: the verb runs programs of several devices; else more than one is refused, and so are inputs for one of them.
  absl::StatusOr<SessionOptions> ToSession(bool several = false) const;
  // The same with the inputs and the infeed of one device, where it has its own.
  struct OfDevice {
    bool own = false;
    SessionOptions session;
  };
  absl::StatusOr<OfDevice> ToSession(const Device& device) const;
  // Of a run on one device. InvalidArgument too where inputs are given for another one.
  absl::StatusOr<SessionOptions> ToOneDevice() const;
  // InvalidArgument: inputs are given for a device that there is not.
  absl::Status CheckDevices(const DeviceCounts& devices) const;
};

// "1" or "1.0", a replica and its partition (0 where none is named): the number of the device.
absl::StatusOr<int> ParseDevice(absl::string_view text, const DeviceCounts& counts);
// As the options ask for, else as the header says where an operation of the program has to do with other devices, or one has inputs of its own.
DeviceCounts CountDevices(const ProgramOptions& options, const Module& module);
// The error of a run on one device, of a verb that takes no more: without advice that the verb refuses.
std::string OnOneDevice(absl::string_view error, absl::string_view verb);

// "jit" or "reference".
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const ProgramOptions& options);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_ARGUMENTS_H_
