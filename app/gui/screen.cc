#include "app/gui/screen.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace hloscope::gui {

absl::StatusOr<VirtualScreen> VirtualScreen::Start(int width, int height) {
  int ends[2];
  if (pipe(ends) != 0) return absl::UnavailableError("no pipe can be made");
  const std::string size = absl::StrCat(width, "x", height, "x24"), number = absl::StrCat(ends[1]);
  const int process = fork();
  if (process < 0) return absl::UnavailableError("no process can be started");
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // goes when we go, however that comes about
    close(ends[0]);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 0);
    dup2(nothing, 1);
    dup2(nothing, 2);
    execlp("Xvfb", "Xvfb", "-displayfd", number.c_str(), "-screen", "0", size.c_str(), "-nolisten", "tcp", "-noreset", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  VirtualScreen screen(process);
  // It writes its number when it is ready.
  std::string text;
  pollfd wait = {ends[0], POLLIN, 0};
  while (text.find('\n') == std::string::npos && poll(&wait, 1, 15000) > 0) {
    char buffer[32];
    const ssize_t n = read(ends[0], buffer, sizeof(buffer));
    if (n <= 0) break;
    text.append(buffer, n);
  }
  close(ends[0]);
  text = std::string(absl::StripAsciiWhitespace(text));
  if (text.empty()) return absl::UnavailableError("Xvfb does not start (the Debian package xvfb has it)");
  setenv("DISPLAY", absl::StrCat(":", text).c_str(), 1);
  return screen;
}

VirtualScreen::~VirtualScreen() {
  if (process_ <= 0) return;
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

}  // namespace hloscope::gui
