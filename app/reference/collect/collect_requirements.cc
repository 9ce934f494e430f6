// Run while building: collects the labelled diagnostics of the operations from their sources, with what each says, as rows
// X("label", "Definition", "Function", "message") for the operation pages. So the pages list what the rules really require.
//
//   collect_requirements OUT.inc ATTRIBUTES.def SOURCES...
//
// A message is put together from the string literals of its expression; what is filled in when it is reported becomes "…".
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The end of the string literal that begins at `at`.
size_t AfterString(const std::string& s, size_t at) {
  for (++at; at < s.size() && s[at] != '"'; ++at) {
    if (s[at] == '\\') ++at;
  }
  return at + 1;
}

// From `at`, after an opening bracket or a comma: the end of this argument (its comma or the closing bracket).
size_t ArgumentEnd(const std::string& s, size_t at) {
  int depth = 0;
  while (at < s.size()) {
    const char ch = s[at];
    if (ch == '"') {
      at = AfterString(s, at);
      continue;
    }
    if (ch == '\'' && at + 2 < s.size()) {
      at += s[at + 1] == '\\' ? 4 : 3;
      continue;
    }
    if (ch == '(' || ch == '{' || ch == '[') ++depth;
    if (ch == ')' || ch == '}' || ch == ']') {
      if (depth-- == 0) return at;
    }
    if ((ch == ',' || ch == ';') && depth == 0) return at;
    ++at;
  }
  return at;
}

std::string Trim(std::string s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.pop_back();
  size_t i = 0;
  while (i < s.size() && std::isspace(static_cast<unsigned char>(s[i]))) ++i;
  return s.substr(i);
}

// The arguments of the call whose opening bracket is at `open`.
std::vector<std::string> Arguments(const std::string& s, size_t open) {
  std::vector<std::string> arguments;
  size_t at = open + 1;
  while (at < s.size()) {
    const size_t end = ArgumentEnd(s, at);
    arguments.push_back(Trim(s.substr(at, end - at)));
    if (end >= s.size() || s[end] != ',') break;
    at = end + 1;
  }
  return arguments;
}

// All literals of an expression, in their order, joined by `between`; literals that only a blank separates are one.
std::string Literals(const std::string& s, const std::string& between) {
  std::string text;
  size_t last = std::string::npos;
  for (size_t at = 0; at < s.size();) {
    if (s[at] != '"') {
      ++at;
      continue;
    }
    const size_t end = AfterString(s, at);
    const std::string literal = s.substr(at + 1, end - at - 2);
    if (!literal.empty() && last != std::string::npos && !Trim(s.substr(last, at - last)).empty()) text += between;
    text += literal;
    if (!literal.empty()) last = end;
    at = end;
  }
  return text;
}

std::map<std::string, std::string> attribute_names;  // "kOffsetDims": "offset_dims"

// What an argument of a helper's call says by itself: a number, or an attribute's name. Empty: nothing.
std::string Said(const std::string& argument) {
  if (!argument.empty() && argument.find_first_not_of("0123456789") == std::string::npos) return argument;
  if (argument.rfind("AttrId::", 0) == 0) return attribute_names[argument.substr(8)];
  return "";
}

// What an expression that makes a message says; `bound` are the parameters that are known.
std::string Message(const std::string& expression, const std::map<std::string, std::string>& bound) {
  const std::string call = "absl::StrCat(", info = "Info(";
  if (expression.rfind(call, 0) != 0) return Literals(expression, "/");
  std::string text;
  for (const std::string& argument : Arguments(expression, call.size() - 1)) {
    std::string variable = argument;
    if (argument.rfind(info, 0) == 0) variable = argument.substr(info.size(), argument.find(')') - info.size());
    const auto found = bound.find(variable);
    if (!argument.empty() && argument[0] == '"') {
      text += Literals(argument, "");
    } else if (found != bound.end() && !found->second.empty()) {
      text += found->second;
    } else if (variable != argument && !Said(variable).empty()) {
      text += Said(variable);
    } else if (argument.find('?') != std::string::npos && argument.find('"') != std::string::npos &&
               argument.find("StrCat") == std::string::npos) {
      text += Literals(argument, "/");
    } else if (argument.rfind(call, 0) == 0) {
      text += Message(argument, bound);
    } else {
      text += "…";
    }
  }
  return text;
}

bool IsWord(char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_'; }

std::string LastWord(const std::string& s) {
  size_t begin = s.size();
  while (begin > 0 && IsWord(s[begin - 1])) --begin;
  return s.substr(begin);
}

size_t EnclosingCall(const std::string& s, size_t at, size_t* argument);

// A helper that reports under a label which it is given: the message beside that label, argument number `argument` of the call.
std::string HelperMessage(const std::string& helpers, const std::string& name, size_t argument, const std::vector<std::string>& given,
                          int depth) {
  for (size_t at = helpers.find(name + "("); depth < 4 && at != std::string::npos; at = helpers.find(name + "(", at + 1)) {
    if (at > 0 && IsWord(helpers[at - 1])) continue;
    const size_t open = at + name.size();
    const std::vector<std::string> parameters = Arguments(helpers, open);
    if (argument >= parameters.size()) continue;
    const std::string variable = LastWord(parameters[argument]);
    if (variable.size() < 5 || variable.substr(variable.size() - 5) != "label" || variable == parameters[argument]) continue;
    const size_t body = helpers.find('{', open), end = helpers.find("\n}", open), semicolon = helpers.find(';', open);
    if (body == std::string::npos || end == std::string::npos || semicolon < body) continue;
    std::map<std::string, std::string> bound;
    for (size_t i = 0; i < parameters.size() && i < given.size(); ++i) bound[LastWord(parameters[i])] = Said(given[i]);
    const std::string text = helpers.substr(body, end - body);
    for (size_t use = text.find(variable); use != std::string::npos; use = text.find(variable, use + 1)) {
      const size_t from = use + variable.size();
      if (IsWord(text[use - 1]) || from >= text.size()) continue;
      std::string message;
      if (text[from] == ',') message = Message(Trim(text.substr(from + 1, ArgumentEnd(text, from + 1) - from - 1)), bound);
      if (text[from] == ')') {  // handed on to another helper
        size_t number = 0;
        const size_t inner = EnclosingCall(text, use, &number);
        if (inner != std::string::npos)
          message = HelperMessage(helpers, LastWord(text.substr(0, inner)), number, Arguments(text, inner), depth + 1);
      }
      if (!message.empty()) return message;
    }
  }
  return "";
}

// The opening bracket of the call that the position stands in, and which argument of it this is.
size_t EnclosingCall(const std::string& s, size_t at, size_t* argument) {
  int depth = 0;
  *argument = 0;
  while (at-- > 0) {
    const char ch = s[at];
    if (ch == ')' || ch == '}' || ch == ']') ++depth;
    if (ch == '(' || ch == '{' || ch == '[') {
      if (depth-- == 0) return at;
    }
    if (ch == ',' && depth == 0) ++*argument;
    if (ch == ';' && depth == 0) break;
  }
  return std::string::npos;
}

// The function that the position stands in: the last line before it that begins at the margin and opens a body.
std::string EnclosingFunction(const std::string& s, size_t at) {
  for (size_t end = s.rfind(" {\n", at); end != std::string::npos && end > 0; end = s.rfind(" {\n", end - 1)) {
    size_t begin = s.rfind('\n', end);
    begin = begin == std::string::npos ? 0 : begin + 1;
    const std::string line = s.substr(begin, end - begin);
    const size_t open = line.find('(');
    if (line.empty() || std::isspace(static_cast<unsigned char>(line[0])) || open == std::string::npos) continue;
    return LastWord(line.substr(0, open));
  }
  return "";
}

std::string Words(const std::string& label) {
  std::string text = label.substr(label.find('.') + 1);
  for (char& ch : text) ch = ch == '-' ? ' ' : ch;
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string attributes = ReadFile(argv[2]);
  for (size_t at = attributes.find("\nX("); at != std::string::npos; at = attributes.find("\nX(", at + 1)) {
    const std::vector<std::string> row = Arguments(attributes, at + 2);
    if (row.size() == 3) attribute_names[row[0]] = Literals(row[1], "");
  }
  std::string helpers;
  std::vector<std::string> paths(argv + 3, argv + argc);
  for (const std::string& path : paths) helpers += ReadFile(path);
  std::ofstream out(argv[1]);
  out << "// Made while building, by collect_requirements, from the sources of core/ops.\n";
  for (const std::string& path : paths) {
    const std::string s = ReadFile(path);
    std::string definition;
    if (const size_t at = s.find("void Define"); at != std::string::npos) definition = s.substr(at + 11, s.find('(', at) - at - 11);
    std::map<std::string, std::string> messages;
    std::vector<std::pair<std::string, std::string>> order;  // label, function
    const std::string mark = "HLO_LABEL(\"";
    for (size_t at = s.find(mark); at != std::string::npos; at = s.find(mark, at + 1)) {
      const size_t name_at = at + mark.size(), name_end = s.find('"', name_at);
      const std::string label = s.substr(name_at, name_end - name_at);
      size_t after = name_end + 2, argument = 0;
      const size_t open = EnclosingCall(s, at, &argument);
      const std::string callee = open == std::string::npos ? "" : LastWord(s.substr(0, open));
      std::string message;
      if (callee.rfind("Fail", 0) == 0 || callee == "Error") {
        while (after < s.size() && (s[after] == ',' || std::isspace(static_cast<unsigned char>(s[after])))) ++after;
        message = Message(Trim(s.substr(after, ArgumentEnd(s, after) - after)), {});
      } else if (!callee.empty()) {
        message = HelperMessage(helpers, callee, argument, Arguments(s, open), 0);
      }
      const std::pair<std::string, std::string> place(label, EnclosingFunction(s, at));
      if (std::find(order.begin(), order.end(), place) == order.end()) order.push_back(place);
      if (messages[label].empty()) messages[label] = message;
    }
    for (const auto& [label, function] : order) {
      const std::string& message = messages[label];
      out << "X(\"" << label << "\", \"" << definition << "\", \"" << function << "\", \"" << (message.empty() ? Words(label) : message)
          << "\")\n";
    }
  }
  return 0;
}
