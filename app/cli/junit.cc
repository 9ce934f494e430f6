#include "app/cli/junit.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "absl/strings/str_cat.h"
#include "core/base/markup.h"

namespace hloscope::cli {

bool WriteJunit(const std::string& path, const std::string& suite, const std::vector<JunitCase>& cases) {
  const auto count = [&](JunitCase::Outcome outcome) { return std::count_if(cases.begin(), cases.end(), [&](const JunitCase& c) { return c.outcome == outcome; }); };
  std::ofstream file(path, std::ios::binary);
  file << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" << EscapeAttribute(suite) << "\" tests=\"" << cases.size() << "\" failures=\"" << count(JunitCase::kFailed) << "\" errors=\""
       << count(JunitCase::kError) << "\"";
  if (count(JunitCase::kSkipped) > 0) file << " skipped=\"" << count(JunitCase::kSkipped) << "\"";
  file << ">\n";
  std::map<std::string, int> named;
  for (const JunitCase& c : cases) {
    const int same = ++named[c.name];
    file << "  <testcase classname=\"" << EscapeAttribute(suite) << "\" name=\"" << EscapeAttribute(same > 1 ? absl::StrCat(c.name, " #", same) : c.name) << "\"";
    if (!c.file.empty()) file << " file=\"" << EscapeAttribute(c.file) << "\" line=\"" << c.line << "\"";
    if (c.outcome == JunitCase::kPassed) {
      file << "/>\n";
      continue;
    }
    const char* element = c.outcome == JunitCase::kFailed ? "failure" : c.outcome == JunitCase::kError ? "error" : "skipped";
    file << ">\n    <" << element << " message=\"" << EscapeAttribute(c.message) << "\"";
    if (c.text.empty()) {
      file << "/>\n";
    } else {
      file << ">" << EscapeMarkup(c.text) << "</" << element << ">\n";
    }
    file << "  </testcase>\n";
  }
  file << "</testsuite>\n";
  file.close();
  return file.good();
}

void WriteJunitError(const std::string& path, const std::string& suite, const std::string& name, const std::string& text) {
  if (path.empty()) return;
  (void)WriteJunit(path, suite, {{name, JunitCase::kError, text.substr(0, text.find('\n')), text.find('\n') + 1 < text.size() ? text : ""}});
}

}  // namespace hloscope::cli
