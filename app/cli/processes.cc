#include "app/cli/processes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backends/exchange/across.h"
#include "core/debug/text_util.h"

namespace hloscope::cli {

absl::StatusOr<std::unique_ptr<Processes>> Processes::Join(const std::string& exchange) {
  if (exchange != "mpi") return absl::InvalidArgumentError(absl::StrCat("--exchange takes mpi, not ", exchange, "; without it all devices run in this process"));
  absl::StatusOr<std::unique_ptr<ProcessLink>> link = ProcessLink::OpenMpi();
  if (!link.ok()) return absl::Status(link.status().code(), absl::StrCat("--exchange mpi: ", link.status().message()));
  std::unique_ptr<Processes> made(new Processes());
  made->link_ = *std::move(link);
  if (made->first()) return made;
  std::fflush(nullptr);
  if (const int none = open("/dev/null", O_WRONLY); none >= 0) {
    dup2(none, STDOUT_FILENO);
    close(none);
  }
  made->kept_ = memfd_create("kept", 0);
  made->error_ = dup(STDERR_FILENO);
  if (made->kept_ >= 0) dup2(made->kept_, STDERR_FILENO);
  return made;
}

absl::Status Processes::Share(ProgramOptions& options, DeviceCounts* devices) const {
  const int count = link_->count();
  if (!devices->several() && options.replicas == 0 && options.partitions == 0) devices->replicas = options.replicas = count;
  if (devices->replicas * devices->partitions >= count) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("there are ", count, " processes, but only ", Count(devices->replicas * devices->partitions, "device"), "; start fewer, or give it more with --replicas N"));
}

void Processes::Leave(const std::string& why) {
  took_part_ = true;
  AcrossProcesses::Leave(*link_, why);
}

Processes::~Processes() {
  if (first()) {
    if (!took_part_) AcrossProcesses::Leave(*link_, "the first process did not begin it");
    return;
  }
  std::fflush(nullptr);
  std::string why(4096, '\0');
  const ssize_t size = kept_ >= 0 ? pread(kept_, why.data(), why.size(), 0) : 0;
  why.resize(size > 0 ? static_cast<size_t>(size) : 0);
  if (error_ >= 0) dup2(error_, STDERR_FILENO);
  absl::string_view text = absl::StripAsciiWhitespace(why);
  absl::ConsumePrefix(&text, "hloscope: ");
  const bool fails = !took_part_ || !text.empty();
  if (!took_part_) AcrossProcesses::Leave(*link_, text.empty() ? "it did not begin the run" : std::string(text));
  if (!fails) return;
  // mpirun ends the others, and drops what they have written, as soon as one ends with an error: the first process, which tells of it, goes first.
  link_.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

}  // namespace hloscope::cli
