// readline, kept inside this file. Its callbacks are plain functions, so the completer is a variable of the file.
#include "app/cli/line_reader.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "core/debug/completion.h"

#ifdef HLOSCOPE_READLINE
#include <readline/history.h>
#include <readline/readline.h>
#endif

namespace hloscope::cli {

#ifdef HLOSCOPE_READLINE
namespace {

std::function<std::vector<std::string>(const std::string&)>& Completer() {
  static auto& completer = *new std::function<std::vector<std::string>(const std::string&)>;
  return completer;
}

char* NextMatch(const char* text, int state) {
  static std::vector<std::string>& matches = *new std::vector<std::string>;
  static size_t next = 0;
  if (state == 0) {
    matches = Completer()(std::string(rl_line_buffer, rl_point));
    next = 0;
  }
  while (next < matches.size()) {
    const std::string& match = matches[next++];
    if (match.compare(0, std::strlen(text), text) == 0) return strdup(match.c_str());
  }
  return nullptr;
}

char** Matches(const char* text, int, int) {
  rl_attempted_completion_over = 1;  // no file names
  return rl_completion_matches(text, NextMatch);
}

}  // namespace

LineReader::LineReader(std::function<std::vector<std::string>(const std::string& line)> complete) {
  Completer() = std::move(complete);
  rl_readline_name = "hloscope";
  rl_attempted_completion_function = Matches;
  rl_basic_word_break_characters = kWordBreaks;
  rl_catch_signals = 0;  // Ctrl-C is the console's
  using_history();
  stifle_history(1000);
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) {
    history_file_ = std::string(home) + "/.hloscope_history";
    read_history(history_file_.c_str());
  }
}

LineReader::~LineReader() {
  if (!history_file_.empty()) write_history(history_file_.c_str());
  Completer() = nullptr;
}

std::optional<std::string> LineReader::Read(const std::string& prompt) {
  char* text = readline(prompt.c_str());
  if (text == nullptr) return std::nullopt;
  std::string line = text;
  std::free(text);
  if (!line.empty()) add_history(line.c_str());
  return line;
}

#else

LineReader::LineReader(std::function<std::vector<std::string>(const std::string& line)> complete) {}
LineReader::~LineReader() = default;

std::optional<std::string> LineReader::Read(const std::string& prompt) {
  std::fputs(prompt.c_str(), stdout);
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

#endif

}  // namespace hloscope::cli
