#include "core/debug/minimize_script.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/debug/extract.h"

namespace hloscope {
namespace {

// Runs a shell command; its exit status (128 + the signal where one ended it).
absl::StatusOr<int> RunScript(const std::string& command) {
  std::fflush(nullptr);
  const int status = std::system(command.c_str());
  if (status == -1) return absl::UnavailableError(absl::StrCat("cannot start a shell for: ", command));
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code == 127) return absl::NotFoundError(absl::StrCat("the shell did not find the command: ", command));
  return code;
}

}  // namespace

Script::Script(std::string command, const SessionDevices& devices) : command_(std::move(command)), devices_(devices) {
  std::string folder = absl::StrCat("/tmp/hloscope-minimize-", std::string(6, 'X'));  // mkdtemp's pattern
  if (mkdtemp(folder.data()) != nullptr) folder_ = folder;
}

Script::~Script() {
  for (const std::string& file : written_) std::remove(file.c_str());
  if (!folder_.empty()) rmdir(folder_.c_str());
}

bool Script::takes_values() const { return absl::StrContains(command_, "{npz}") || absl::StrContains(command_, "{inputs}"); }

absl::StatusOr<std::string> Script::CommandWith(ProgramFiles* files) const {
  if (absl::StrContains(command_, "{npz}")) {
    if (absl::Status made = NeedArchive(files); !made.ok()) return made;
  }
  return absl::StrReplaceAll(
      command_, {{"{inputs}", files->InputOptions()}, {"{npz}", ShellWord(files->archive)}, {"{}", ShellWord(files->program)}});
}

absl::StatusOr<bool> Script::Fails(const Module& module, const DeviceValues& parameters) {
  if (folder_.empty()) return absl::UnavailableError("cannot make a folder in /tmp");
  if (!absl::StrContains(command_, "{}")) return absl::InvalidArgumentError("the script's command needs {}, in whose place the program's file comes");
  if (absl::StrContains(command_, "{npz}") && !absl::StrContains(command_, "{inputs}") && HasOwn(parameters)) {
    if (wanted_ >= 0) return false;  // another candidate may do without
    return absl::InvalidArgumentError(
        "the devices have inputs of their own, which one archive cannot give: write {inputs} in the script's command, in place of --inputs {npz}");
  }
  ProgramFiles files;
  absl::Status written = WriteProgramFiles(module, parameters, devices_, absl::StrCat(folder_, "/candidate.hlo"), &files);
  if (!written.ok()) return written;
  const absl::StatusOr<std::string> command = CommandWith(&files);
  if (!command.ok()) return command.status();
  for (const std::string& file : {files.program, files.archive}) {
    if (!file.empty()) written_.insert(file);
  }
  for (const auto& [of, file] : files.own) written_.insert(file);
  const absl::StatusOr<int> status = RunScript(*command);
  if (!status.ok()) return status.status();
  if (wanted_ < 0) wanted_ = *status;
  return *status == wanted_;
}

}  // namespace hloscope
