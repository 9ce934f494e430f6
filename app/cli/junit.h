// JUnit XML, as CI systems read it: one suite of cases. Not for what the cases are.
#ifndef HLOSCOPE_APP_CLI_JUNIT_H_
#define HLOSCOPE_APP_CLI_JUNIT_H_

#include <string>
#include <vector>

namespace hloscope::cli {

struct JunitCase {
  std::string name;
  enum Outcome { kPassed, kFailed, kError, kSkipped } outcome = kPassed;
  std::string message;  // of one that did not pass
  std::string text;     // more of it
};

// False when the file cannot be written.
bool WriteJunit(const std::string& path, const std::string& suite, const std::vector<JunitCase>& cases);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_JUNIT_H_
