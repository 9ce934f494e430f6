// Lines from a person at a terminal, with editing, history and completion where a library for it is there; plain lines elsewhere.
#ifndef HLOSCOPE_APP_CLI_LINE_READER_H_
#define HLOSCOPE_APP_CLI_LINE_READER_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hloscope::cli {

class LineReader {
 public:
  // `complete` gives whole words that the word at the end of the line may become.
  explicit LineReader(std::function<std::vector<std::string>(const std::string& line)> complete);
  ~LineReader();
  // Nothing at the end of input.
  std::optional<std::string> Read(const std::string& prompt);

 private:
  std::string history_file_;
};

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_LINE_READER_H_
