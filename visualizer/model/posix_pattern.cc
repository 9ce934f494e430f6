#include "visualizer/model/posix_pattern.h"

namespace hloscope {

PosixPattern::PosixPattern(absl::string_view pattern, bool match_case) {
  std::string written;
  for (size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] == '\\' && k + 1 < pattern.size() && pattern[k + 1] == 'd') {
      written += "[0-9]";
      ++k;
    } else {
      written += pattern[k];
      if (pattern[k] == '\\' && k + 1 < pattern.size()) written += pattern[++k];
    }
  }
  if (const int error = regcomp(&compiled_, written.c_str(), REG_EXTENDED | (match_case ? 0 : REG_ICASE)); error != 0) {
    char why[200];
    regerror(error, &compiled_, why, sizeof(why));
    error_ = why;
  }
}

PosixPattern::~PosixPattern() {
  if (error_.empty()) regfree(&compiled_);
}

bool PosixPattern::Find(absl::string_view text, int64_t begin, int64_t end, bool at_line, Groups* groups) const {
  if (!error_.empty()) return false;
  std::array<regmatch_t, std::tuple_size_v<Groups>> match;
  match[0].rm_so = 0;
  match[0].rm_eo = static_cast<regoff_t>(end - begin);
  if (regexec(&compiled_, text.data() + begin, match.size(), match.data(), REG_STARTEND | (at_line ? 0 : REG_NOTBOL)) != 0) return false;
  for (size_t k = 0; k < match.size(); ++k) {
    (*groups)[k] = match[k].rm_so < 0
                       ? SourceRange()
                       : SourceRange{static_cast<int32_t>(begin + match[k].rm_so), static_cast<int32_t>(begin + match[k].rm_eo)};
  }
  return true;
}

}  // namespace hloscope
