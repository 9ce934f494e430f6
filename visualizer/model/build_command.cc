#include "visualizer/model/build_command.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/file_words.h"
#include "core/text/hlo_text.h"
#include "visualizer/model/build_text.h"

namespace hloscope::build {
namespace {

// Words end at blanks outside of brackets and quotes.
std::vector<std::string> Words(absl::string_view text) {
  std::vector<std::string> words;
  int depth = 0;
  bool quoted = false, open = false;
  for (const char c : text) {
    if (depth == 0 && !quoted && absl::ascii_isspace(c)) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    words.back() += c;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '{' || c == '(' || c == '[') ++depth;
    if ((c == '}' || c == ')' || c == ']') && depth > 0) --depth;
  }
  return words;
}

struct Said {
  Draft draft;
  Rooting rooting = Rooting::kAuto;
  std::string after;
  bool named = false, literal = false;
};

absl::StatusOr<Said> DraftFrom(const std::vector<std::string>& words, size_t first) {
  Said said;
  if (words.size() <= first) return absl::InvalidArgumentError("an operation is needed, as add add %x %y");
  said.draft.opcode = words[first];
  for (size_t k = first + 1; k < words.size(); ++k) {
    const std::string& word = words[k];
    const size_t equals = word.find('=');
    const size_t bracket = word.find_first_of("({[\"");
    if (word[0] == '%' || equals == std::string::npos || bracket < equals) {
      said.draft.operands.push_back(BareName(word));
      continue;
    }
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "shape") {
      said.draft.shape = value;
    } else if (key == "name") {
      said.draft.name = std::string(absl::StripPrefix(value, "%"));
      said.named = true;
    } else if (key == "literal") {
      said.draft.literal = value;
      said.literal = true;
    } else if (key == "root") {
      if (value != "yes" && value != "no") return absl::InvalidArgumentError("root=yes or root=no");
      said.rooting = value == "yes" ? Rooting::kYes : Rooting::kNo;
    } else if (key == "after") {
      said.after = value;
    } else {
      said.draft.Set(key, value);
    }
  }
  return said;
}

absl::Status Usage(absl::string_view text) { return absl::InvalidArgumentError(absl::StrCat("window builder ", text)); }

// Nothing of what was said is left out in silence: a name of two words is no name.
absl::Status FitsAction(const std::vector<std::string>& words) {
  static constexpr struct {
    absl::string_view action;
    size_t most;
  } kMost[] = {{"parameter", 3}, {"constant", 4}, {"computation", 4}, {"shape", 3},
               {"literal", 3},   {"delete", 3},   {"rename", 3},      {"root", 2}};
  for (const auto& [action, most] : kMost) {
    if (words[0] == action && words.size() > most)
      return Usage(absl::StrCat(action, ": '", words[most], "' is one word too many; a name is one word"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> LiteralOf(const std::string& given, std::string* shape) {
  if (given == "zeros" || given == "ones" || given == "iota" || given == "random" || absl::StartsWith(given, "random:")) {
    const absl::StatusOr<Shape> parsed = ParseShape(*shape);
    if (!parsed.ok()) return parsed.status();
    return MadeUpLiteral(*parsed, given);
  }
  if (absl::EndsWith(absl::StripSuffix(given, "\""), ".npy")) {
    const absl::StatusOr<std::string> file = WholeFile(given);
    return file.ok() ? LiteralFromFile(*file, shape) : file.status();
  }
  return given;
}

}  // namespace

std::string WordsOf(const Draft& draft) {
  std::string words = draft.opcode;
  for (const std::string& operand : draft.operands) absl::StrAppend(&words, " ", absl::StrContains(operand, "(") ? operand : absl::StrCat("%", operand));
  // What is not the operation's own stays with the instruction.
  for (const auto& [name, value] : draft.attributes) {
    if (AttrIdFromName(name) != AttrId::kUnknown) absl::StrAppend(&words, " ", name, "=", value);
  }
  if (!draft.literal.empty()) absl::StrAppend(&words, " literal=", draft.literal);
  if (!draft.shape.empty()) absl::StrAppend(&words, " shape=", draft.shape);
  if (!draft.name.empty()) absl::StrAppend(&words, " name=", draft.name);
  return words;
}

const Instruction* FindIn(const Reading& reading, const Computation* home, absl::string_view name) {
  if (reading.module == nullptr) return nullptr;
  absl::ConsumePrefix(&name, "%");
  if (const size_t colon = name.find(':'); colon != absl::string_view::npos) {
    const Computation* computation = reading.module->FindComputation(name.substr(0, colon));
    if (computation != nullptr) return computation->FindInstruction(name.substr(colon + 1));
  }
  if (home == nullptr) home = reading.module->entry;
  if (home != nullptr) {
    if (const Instruction* found = home->FindInstruction(name)) return found;
  }
  if (reading.module->entry != nullptr) {
    if (const Instruction* found = reading.module->entry->FindInstruction(name)) return found;
  }
  for (const Computation* computation : reading.module->computations) {
    if (const Instruction* found = computation->FindInstruction(name)) return found;
  }
  return nullptr;
}

absl::StatusOr<TextEdit> RunBuildCommand(const Reading& reading, const Computation* home, absl::string_view command) {
  if (reading.source == nullptr) return absl::FailedPreconditionError("there is no program; window builder new begins one");
  if (!IsHloText(reading.source->text())) return absl::FailedPreconditionError("the builder writes HLO, and this program is StableHLO; window builder convert makes HLO of it");
  const std::vector<std::string> words = Words(command);
  if (words.empty()) return Usage("takes an action: add, change, operand, attribute, shape, delete, rename, root, parameter, constant, literal, computation");
  const std::string& action = words[0];
  const auto word = [&words](size_t k) { return k < words.size() ? words[k] : std::string(); };
  if (absl::Status fits = FitsAction(words); !fits.ok()) return fits;
  if (action == "add") {
    absl::StatusOr<Said> said = DraftFrom(words, 1);
    if (!said.ok()) return said.status();
    const Instruction* after = nullptr;
    if (!said->after.empty()) {
      after = FindIn(reading, home, said->after);
      if (after == nullptr) return absl::NotFoundError(absl::StrCat("there is no instruction ", said->after));
      home = after->parent;
    }
    for (const std::string& operand : said->draft.operands) {
      const Computation* place = home != nullptr ? home : reading.module != nullptr ? reading.module->entry : nullptr;
      if (!absl::StrContains(operand, "(") && (place == nullptr || place->FindInstruction(operand) == nullptr)) {
        return absl::NotFoundError(absl::StrCat("there is no value ", operand, place != nullptr ? absl::StrCat(" in ", place->name) : ""));
      }
    }
    return InsertInstruction(reading, home, said->draft, said->rooting, after);
  }
  if (action == "parameter") {
    if (words.size() < 2) return Usage("parameter SHAPE [NAME]");
    return AddParameter(reading, home, words[1], word(2));
  }
  if (action == "constant") {
    if (words.size() < 3) return Usage("constant SHAPE LITERAL|zeros|ones|iota|random[:SEED]|FILE.npy [NAME]");
    std::string shape = words[1] == "?" ? "" : words[1];
    const absl::StatusOr<std::string> literal = LiteralOf(words[2], &shape);
    if (!literal.ok()) return literal.status();
    return AddConstant(reading, home, shape, *literal, word(3));
  }
  if (action == "computation") return AddComputation(reading, word(1) == "empty" ? "" : word(1), word(2), word(3));
  // What is done to an instruction.
  static constexpr absl::string_view kActions[] = {"change", "operand", "attribute", "shape", "literal", "delete", "rename", "root"};
  if (std::find(std::begin(kActions), std::end(kActions), action) == std::end(kActions)) {
    return absl::InvalidArgumentError(absl::StrCat("the builder does not know '", action, "'; it knows add, parameter, constant, computation, ", absl::StrJoin(kActions, ", "),
                                                   ", new, run, undo, redo, convert, in, form"));
  }
  if (words.size() < 2) return Usage(absl::StrCat(action, " %INSTRUCTION ..."));
  const Instruction* of = FindIn(reading, home, words[1]);
  if (of == nullptr && action == "rename" && reading.module != nullptr) {
    if (const Computation* computation = reading.module->FindComputation(absl::StripPrefix(words[1], "%"))) return RenameComputation(reading, *computation, word(2));
  }
  if (of == nullptr) return absl::NotFoundError(absl::StrCat("there is no instruction ", words[1]));
  if (action == "root") return MakeRoot(reading, *of);
  if (action == "rename") return Rename(reading, *of, word(2));
  if (action == "operand") {
    int number = 0;
    if (!absl::SimpleAtoi(word(2), &number) || words.size() != 4) return Usage("operand %INSTRUCTION NUMBER %VALUE");
    return ChangeOperand(reading, *of, number, words[3]);
  }
  if (action == "attribute") {
    const std::string rest = absl::StrJoin(words.begin() + 2, words.end(), " ");
    const size_t equals = rest.find('=');
    if (equals == std::string::npos) return Usage("attribute %INSTRUCTION NAME=VALUE");
    return SetAttribute(reading, *of, rest.substr(0, equals), rest.substr(equals + 1));
  }
  if (action == "shape") {
    Draft draft = DraftOf(reading, *of);
    if (words.size() < 3) return Usage("shape %INSTRUCTION SHAPE");
    if (absl::StatusOr<Shape> parsed = ParseShape(words[2]); !parsed.ok()) return parsed.status();
    draft.shape = words[2];
    return ChangeInstruction(reading, *of, std::move(draft));
  }
  if (action == "literal") {
    if (words.size() < 3) return Usage("literal %CONSTANT LITERAL|zeros|ones|iota|random[:SEED]|FILE.npy");
    std::string shape = DraftOf(reading, *of).shape;
    const absl::StatusOr<std::string> literal = LiteralOf(words[2], &shape);
    if (!literal.ok()) return literal.status();
    return SetConstant(reading, *of, *literal);
  }
  if (action == "delete") {
    const Instruction* instead = nullptr;
    if (words.size() > 2) {
      instead = FindIn(reading, of->parent, words[2]);
      if (instead == nullptr) return absl::NotFoundError(absl::StrCat("there is no instruction ", words[2]));
    }
    return DeleteInstruction(reading, *of, instead);
  }
  absl::StatusOr<Said> said = DraftFrom(words, 2);
  if (!said.ok()) return said.status();
  const Draft before = DraftOf(reading, *of);
  if (!said->named) said->draft.name = before.name;
  if (!said->literal) said->draft.literal = before.literal;
  if (said->draft.shape.empty()) said->draft.shape = before.shape;
  for (const auto& [name, value] : before.attributes) {
    if (AttrIdFromName(name) == AttrId::kUnknown) said->draft.attributes.push_back({name, value});
  }
  return ChangeInstruction(reading, *of, std::move(said->draft));
}

}  // namespace hloscope::build
