#include "app/cli/option_parser.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "app/cli/verb.h"

namespace hloscope::cli {
namespace {

// An option that was given, but with nothing: a script's variable that is not set would otherwise switch off what the script relies on.
const CLI::Option* GivenNothing(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_expected_min() == 0) continue;  // may stand alone
    for (const std::string& value : option->results()) {
      if (value.find_first_not_of(" ,") == std::string::npos) return option;
    }
  }
  return nullptr;
}

}  // namespace

ParserOption* ParserOption::required() {
  option_->required();
  return this;
}

ParserOption* ParserOption::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

ParserOption* ParserOption::group(const std::string& heading) {
  option_->group(heading);
  return this;
}

ParserOption* ParserOption::expected(int count) {
  option_->expected(count);
  return this;
}

ParserOption* ParserOption::expected(int least, int most) {
  option_->expected(least, most);
  return this;
}

ParserOption* ParserOption::repeated() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return this;
}

ParserOption* ParserOption::repeated_one_each() {
  option_->expected(1)->allow_extra_args(false);
  return repeated();
}

ParserOption* ParserOption::capture_default_str() {
  option_->capture_default_str();
  return this;
}

ParserOption* ParserOption::excludes(const std::string& other) {
  option_->excludes(other);
  return this;
}

ParserOption* ParserOption::range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return this;
}

ParserOption* ParserOption::range(double least, double most) {
  option_->check(CLI::Range(least, most));
  return this;
}

ParserOption* ParserOption::existing_file() {
  option_->check(CLI::ExistingFile);
  return this;
}

ParserOption* ParserOption::check(std::function<std::string(const std::string&)> check) {
  option_->check(std::move(check));
  return this;
}

size_t ParserOption::count() const { return option_->count(); }

OptionParser::OptionParser(std::string description, std::string name)
    : own_(std::make_unique<CLI::App>(std::move(description), std::move(name))), app_(own_.get()) {}

OptionParser::OptionParser(CLI::App* subcommand) : app_(subcommand) {}

OptionParser::~OptionParser() = default;

ParserOption* OptionParser::Keep(CLI::Option* option) { return options_.emplace_back(std::make_unique<ParserOption>(option)).get(); }

template <typename T>
ParserOption* OptionParser::add_option(const std::string& names, T& value, const std::string& help) {
  return Keep(app_->add_option(names, value, help));
}
template ParserOption* OptionParser::add_option(const std::string&, int&, const std::string&);
template ParserOption* OptionParser::add_option(const std::string&, int64_t&, const std::string&);
template ParserOption* OptionParser::add_option(const std::string&, float&, const std::string&);
template ParserOption* OptionParser::add_option(const std::string&, double&, const std::string&);
template ParserOption* OptionParser::add_option(const std::string&, std::string&, const std::string&);
template ParserOption* OptionParser::add_option(const std::string&, std::vector<std::string>&, const std::string&);

ParserOption* OptionParser::add_flag(const std::string& names, bool& value, const std::string& help) { return Keep(app_->add_flag(names, value, help)); }

OptionParser* OptionParser::add_subcommand(const std::string& name, const std::string& description) {
  app_->require_subcommand(0, 1);
  CLI::App* const subcommand = app_->add_subcommand(name, description);
  subcommand->fallthrough();  // the options of the verb may stand behind it
  return subcommands_.emplace_back(std::unique_ptr<OptionParser>(new OptionParser(subcommand))).get();
}

bool OptionParser::given() const { return app_->parsed(); }

size_t OptionParser::count(const std::string& name) const { return app_->count(name); }

std::optional<int> OptionParser::Parse(const std::vector<std::string>& args) {
  std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 takes them last first
  try {
    app_->parse(std::move(reversed));
    const CLI::Option* const nothing = GivenNothing(*app_);
    if (nothing == nullptr) return std::nullopt;
    return UsageError(absl::StrCat(nothing->get_name(), " was given nothing",
                                   nothing->get_type_name().empty() ? "" : absl::StrCat("; it takes ", nothing->get_type_name()),
                                   "; see: ", app_->get_name(), " --help"));
  } catch (const CLI::CallForHelp&) {
    std::cout << app_->help();
    return kOk;
  } catch (const CLI::ParseError& e) {
    return UsageError(absl::StrCat(e.what(), "; see: ", app_->get_name(), " --help"));
  }
}

}  // namespace hloscope::cli
