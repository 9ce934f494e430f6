// A verb's options. CLI11 does the work; option_parser.cc alone reads its headers, which doubled the time to compile each file of a verb.
#ifndef HLOSCOPE_APP_CLI_OPTION_PARSER_H_
#define HLOSCOPE_APP_CLI_OPTION_PARSER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hloscope::cli {

// One option, or one word without a name. Lives as long as its parser; each setter returns it again.
class ParserOption {
 public:
  explicit ParserOption(CLI::Option* option) : option_(option) {}

  ParserOption* required();
  ParserOption* type_name(const std::string& name);
  // Under which heading of --help it stands; "": it is not shown.
  ParserOption* group(const std::string& heading);
  // How many values it takes.
  ParserOption* expected(int count);
  ParserOption* expected(int least, int most);
  // May be given several times, and keeps all values.
  ParserOption* repeated();
  // The same, with one value each time: the word after it is another option, or one without a name.
  ParserOption* repeated_one_each();
  // --help shows the value that the variable has now.
  ParserOption* capture_default_str();
  ParserOption* excludes(const std::string& other);
  ParserOption* range(int least, int most);
  ParserOption* range(double least, double most);
  ParserOption* existing_file();
  // `check` returns what is wrong with a value, or nothing.
  ParserOption* check(std::function<std::string(const std::string&)> check);

  // How many values were given.
  size_t count() const;

 private:
  CLI::Option* const option_;
};

class OptionParser {
 public:
  // `name` is how the verb is called, "hloscope run".
  OptionParser(std::string description, std::string name);
  ~OptionParser();
  OptionParser(const OptionParser&) = delete;
  OptionParser& operator=(const OptionParser&) = delete;

  // `names` as "-o,--output", or "FILE" for a word without a name. Of the types that option_parser.cc instantiates.
  template <typename T>
  ParserOption* add_option(const std::string& names, T& value, const std::string& help = "");
  ParserOption* add_flag(const std::string& names, bool& value, const std::string& help = "");

  // Verbs of the verb; at most one of them is given.
  OptionParser* add_subcommand(const std::string& name, const std::string& description);
  // Whether this subcommand was given.
  bool given() const;

  // How many values an option of the parser was given.
  size_t count(const std::string& name) const;

  // A value is the status to end with (0 after --help, 2 after bad usage, whose message is written).
  std::optional<int> Parse(const std::vector<std::string>& args);

 private:
  explicit OptionParser(CLI::App* subcommand);
  ParserOption* Keep(CLI::Option* option);

  std::unique_ptr<CLI::App> own_;  // none of a subcommand
  CLI::App* const app_;
  std::vector<std::unique_ptr<ParserOption>> options_;
  std::vector<std::unique_ptr<OptionParser>> subcommands_;
};

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_OPTION_PARSER_H_
