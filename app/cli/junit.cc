#include "app/cli/junit.h"

#include <algorithm>
#include <fstream>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace hloscope::cli {
namespace {

// Characters that XML cannot hold become spaces.
std::string Xml(absl::string_view text) {
  std::string clean(text.data(), text.size());
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') c = ' ';
  }
  return absl::StrReplaceAll(clean, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::string XmlAttribute(absl::string_view text) { return absl::StrReplaceAll(Xml(text), {{"\n", "&#10;"}, {"\t", "&#9;"}}); }

}  // namespace

bool WriteJunit(const std::string& path, const std::string& suite, const std::vector<JunitCase>& cases) {
  const auto count = [&](JunitCase::Outcome outcome) { return std::count_if(cases.begin(), cases.end(), [&](const JunitCase& c) { return c.outcome == outcome; }); };
  std::ofstream file(path, std::ios::binary);
  file << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" << XmlAttribute(suite) << "\" tests=\"" << cases.size() << "\" failures=\"" << count(JunitCase::kFailed) << "\" errors=\""
       << count(JunitCase::kError) << "\"";
  if (count(JunitCase::kSkipped) > 0) file << " skipped=\"" << count(JunitCase::kSkipped) << "\"";
  file << ">\n";
  for (const JunitCase& c : cases) {
    file << "  <testcase name=\"" << XmlAttribute(c.name) << "\"";
    if (c.outcome == JunitCase::kPassed) {
      file << "/>\n";
      continue;
    }
    const char* element = c.outcome == JunitCase::kFailed ? "failure" : c.outcome == JunitCase::kError ? "error" : "skipped";
    file << ">\n    <" << element << " message=\"" << XmlAttribute(c.message) << "\"";
    if (c.text.empty()) {
      file << "/>\n";
    } else {
      file << ">" << Xml(c.text) << "</" << element << ">\n";
    }
    file << "  </testcase>\n";
  }
  file << "</testsuite>\n";
  file.close();
  return file.good();
}

}  // namespace hloscope::cli
