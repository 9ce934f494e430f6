// A regular expression of POSIX, as the program is searched with: it matches in time linear in a line, however long that is.
#ifndef HLOSCOPE_VISUALIZER_MODEL_POSIX_PATTERN_H_
#define HLOSCOPE_VISUALIZER_MODEL_POSIX_PATTERN_H_

#include <regex.h>

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/base/source.h"

namespace hloscope {

class PosixPattern {
 public:
  // Extended syntax; \d is a digit.
  PosixPattern(absl::string_view pattern, bool match_case);
  ~PosixPattern();
  PosixPattern(const PosixPattern&) = delete;
  PosixPattern& operator=(const PosixPattern&) = delete;
  const std::string& error() const { return error_; }  // empty: it can be used

  // [0] is the whole match, [k] what the k-th parentheses hold; places in the text, invalid where they hold nothing.
  using Groups = std::array<SourceRange, 10>;
  // The first match within [begin, end) of the text, which lies on one line. `at_line`: the line begins at `begin`.
  bool Find(absl::string_view text, int64_t begin, int64_t end, bool at_line, Groups* groups) const;

 private:
  regex_t compiled_ = {};
  std::string error_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_POSIX_PATTERN_H_
