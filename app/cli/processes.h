// A run of several processes, as mpirun starts them: all execute the same command line; the first one tells of the run, and the others are quiet
// but for what kept them from it. Not for the exchange (backends/exchange/across.h).
#ifndef HLOSCOPE_APP_CLI_PROCESSES_H_
#define HLOSCOPE_APP_CLI_PROCESSES_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "app/cli/arguments.h"
#include "backends/exchange/process_link.h"

namespace hloscope::cli {

class Processes {
 public:
  // "mpi". From here on the others' standard output and error are kept back.
  static absl::StatusOr<std::unique_ptr<Processes>> Join(const std::string& exchange);
  // Where the run was not taken part in, the first process is told what was written to standard error instead.
  ~Processes();

  // One replica a process where neither the options nor the program say how many there are. InvalidArgument: there are more processes than devices.
  absl::Status Share(ProgramOptions& options, DeviceCounts* devices) const;
  ProcessLink& link() { return *link_; }
  bool first() const { return link_->rank() == 0; }
  void TookPart() { took_part_ = true; }
  // The other processes need not wait for this one: there is no further run.
  void Leave(const std::string& why);

 private:
  Processes() = default;
  std::unique_ptr<ProcessLink> link_;
  bool took_part_ = false;
  int kept_ = -1;   // the file that standard error goes to
  int error_ = -1;  // where it went
};

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_PROCESSES_H_
