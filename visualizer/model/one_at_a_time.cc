#include "visualizer/model/one_at_a_time.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

namespace hloscope {

OneAtATime::OneAtATime(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  file_ = open((folder + "/writing").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct flock all = {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  for (int k = 0; file_ >= 0 && k < 50 && fcntl(file_, F_OFD_SETLK, &all) != 0 && (errno == EAGAIN || errno == EACCES); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

OneAtATime::~OneAtATime() {
  if (file_ >= 0) close(file_);
}

}  // namespace hloscope
