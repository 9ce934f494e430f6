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
  std::string file;     // what asked for it; empty: nothing but the command line
  int line = 0;         // there
};

// `suite`: the program's file, the class of each case. Cases of one name are told apart by a number. False when the file cannot be written.
bool WriteJunit(const std::string& path, const std::string& suite, const std::vector<JunitCase>& cases);

// A file of one case that says why nothing was run, so that none of an earlier run is taken for this one's. `path` empty: nothing is written.
void WriteJunitError(const std::string& path, const std::string& suite, const std::string& name, const std::string& text);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_JUNIT_H_
