// A program with the values of its parameters as files, and the options of a command that runs it so. For one device it is what extract
// writes (extract.h); of several the values that all have are in the archive, and what a device has of its own is a file.
#ifndef HLOSCOPE_CORE_DEBUG_PROGRAM_FILES_H_
#define HLOSCOPE_CORE_DEBUG_PROGRAM_FILES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/debug/program_run.h"
#include "core/ir/module.h"

namespace hloscope {

struct ProgramFiles {
  std::string program;
  std::string archive;                                   // .npz; empty: there is none
  std::vector<std::pair<std::string, std::string>> own;  // "1:0", or "1.0:0" where there are partitions: parameter 0 of a device, and its .npy
  // "--inputs small.npz --input 1:0=small_replica_1_0.npy"; empty: nothing is given.
  std::string InputOptions() const;
  // "2 values to small.npz", "2 values to small.npz and 1 of single devices beside it".
  std::string Text(int64_t values) const;
};

// Whether some device has a parameter of its own.
bool HasOwn(const DeviceValues& parameters);
// Writes HLO text at `path`, and the values beside it.
absl::Status WriteProgramFiles(const Module& module, const DeviceValues& parameters, const SessionDevices& devices, const std::string& path,
                               ProgramFiles* files);
// Makes the archive where there are no values.
absl::Status NeedArchive(ProgramFiles* files);
// " --replicas 2 --partitions 1", as many as there are, where it matters for the program: of one device too where its header says another number.
std::string DeviceOptions(const Module& module, const SessionDevices& devices);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PROGRAM_FILES_H_
