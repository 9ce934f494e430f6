// A file that logpoints write: its lines stand in the order of the program's time, also where the program came by a moment only after it had come
// by later ones. Not about when a line is written (logpoints.cc).
#ifndef HLOSCOPE_CORE_DEBUG_LOG_FILE_H_
#define HLOSCOPE_CORE_DEBUG_LOG_FILE_H_

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/exec/machine.h"

namespace hloscope {

class LogFile {
 public:
  // Begins the file anew.
  explicit LogFile(std::string path);
  bool good() const { return file_.good(); }

  void Add(const Mark& mark, absl::string_view line);
  // What was written stays where it is: later lines stand after it.
  void Seal();
  // False: it cannot be written.
  bool Flush();

 private:
  const std::string path_;
  std::ofstream file_;
  int64_t sealed_ = 0;                               // bytes that stay
  std::vector<std::pair<Mark, std::string>> lines_;  // after them
  bool moved_ = false;                               // some lines stand elsewhere than in the file
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOG_FILE_H_
