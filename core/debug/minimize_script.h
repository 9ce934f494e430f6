// An outside command that says whether a program fails: for making it smaller (minimize.h).
#ifndef HLOSCOPE_CORE_DEBUG_MINIMIZE_SCRIPT_H_
#define HLOSCOPE_CORE_DEBUG_MINIMIZE_SCRIPT_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "core/debug/program_files.h"
#include "core/debug/program_run.h"

namespace hloscope {

// A program fails when the command ends as it did with the first program that was asked about.
class Script {
 public:
  // In place of {} comes the program's file, of {npz} the archive of its values, of {inputs} the options that give it these and those of single
  // devices.
  Script(std::string command, const SessionDevices& devices);
  ~Script();
  absl::StatusOr<bool> Fails(const Module& module, const DeviceValues& parameters);
  // How it ended then.
  int wanted() const { return wanted_; }
  bool takes_values() const;
  // The command for files; an archive is made where it names one and there are no values.
  absl::StatusOr<std::string> CommandWith(ProgramFiles* files) const;

 private:
  std::string command_, folder_;
  const SessionDevices& devices_;
  std::set<std::string> written_;
  int wanted_ = -1;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MINIMIZE_SCRIPT_H_
