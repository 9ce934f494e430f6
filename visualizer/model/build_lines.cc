// The text that the builder edits: its statements and names, its lines, uses and headers.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/model/build_parts.h"

namespace hloscope::build {

absl::string_view TextOfReading(const Reading& reading) { return reading.source != nullptr ? reading.source->text() : absl::string_view(); }

absl::Status Unread() { return absl::FailedPreconditionError("the text has not been read yet"); }

bool InText(const Reading& reading, SourceRange range) { return range.valid() && range.end <= static_cast<int64_t>(TextOfReading(reading).size()); }

// Stands in the text as a statement of its own: not made by the reader, not written inside another instruction.
bool IsStatement(const Reading& reading, const Instruction& i) { return InText(reading, i.range) && i.name_range.end > i.name_range.begin && i.name_range.begin >= i.range.begin; }

bool PercentStyle(const Reading& reading, const Computation* computation) {
  const absl::string_view text = TextOfReading(reading);
  const auto percent = [&](const Instruction& i) { return TextOf(text, TakeApart(text, i.range.begin).name).substr(0, 1) == "%"; };
  if (computation != nullptr && !computation->instructions.empty() && IsStatement(reading, *computation->instructions.front())) return percent(*computation->instructions.front());
  if (reading.module != nullptr) {
    for (const Computation* other : reading.module->computations) {
      if (!other->instructions.empty() && IsStatement(reading, *other->instructions.front())) return percent(*other->instructions.front());
    }
  }
  return false;
}

std::string FreeName(const Computation* computation, absl::string_view wanted) {
  const auto taken = [&](absl::string_view name) { return computation != nullptr && computation->FindInstruction(name) != nullptr; };
  if (!taken(wanted)) return std::string(wanted);
  for (int n = 1;; ++n) {
    std::string name = absl::StrCat(wanted, ".", n);
    if (!taken(name)) return name;
  }
}

absl::Status CheckName(absl::string_view name) {
  absl::ConsumePrefix(&name, "%");
  if (name.empty()) return absl::InvalidArgumentError("a name is needed");
  for (const char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '.' && c != '-') {
      return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no name: letters, digits, '_', '.' and '-' make names"));
    }
  }
  if (absl::ascii_isdigit(name[0]) || name[0] == '-' || name[0] == '.') return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no name: it begins with a letter or '_'"));
  if (name == "ROOT" || name == "ENTRY") return absl::InvalidArgumentError(absl::StrCat("'", name, "' is a word of the language"));
  return absl::OkStatus();
}

TextEdit Joined(Patches& patches, int64_t focus, std::string name) {
  TextEdit edit;
  edit.cursor = focus;
  patches.Join(&edit.begin, &edit.end, &edit.text, &edit.cursor);
  edit.name = std::move(name);
  return edit;
}

bool RootIsWritten(const Reading& reading, const Instruction& i) { return absl::StartsWith(TextOfReading(reading).substr(i.range.begin), "ROOT"); }

void TakeRootAway(const Reading& reading, const Instruction& i, Patches& patches) {
  if (!RootIsWritten(reading, i)) return;
  TextWalk walk(TextOfReading(reading), i.range.begin + 4);
  walk.SkipBlanks();
  patches.Remove(i.range.begin, walk.at());
}

Promise PromiseOf(const Computation& computation) {
  Promise promise;
  for (const Instruction* parameter : computation.parameters) {
    if (parameter != nullptr) promise.parameters.push_back({std::string(parameter->name), parameter->shape.ToString()});
  }
  if (computation.root != nullptr) promise.result = computation.root->shape.ToString();
  return promise;
}

// Writes the headers anew that say what parameters and result are: the computation's own, and the program's where it is the entry.
void MendHeaders(const Reading& reading, const Computation& computation, const Promise& promise, Patches& patches) {
  if (promise == PromiseOf(computation)) return;
  const absl::string_view text = TextOfReading(reading);
  const bool percent = absl::StartsWith(TextOf(text, computation.name_range), "%");
  TextWalk walk(text, std::max(0, computation.name_range.end));
  walk.SkipBlanks();
  if (walk.Peek() == '(') {
    const int64_t begin = walk.at();
    walk.SkipBalanced();
    int64_t end = walk.at();
    bool result = false;
    walk.SkipBlanks();
    if (absl::StartsWith(text.substr(walk.at()), "->")) {
      walk.Go(walk.at() + 2);
      const SourceRange shape = walk.ShapeText();
      if (shape.valid()) end = shape.end;
      result = shape.valid();
    }
    std::vector<std::string> parameters;
    for (const auto& [name, shape] : promise.parameters) parameters.push_back(absl::StrCat(WrittenName(name, percent && text[begin + 1] == '%'), ": ", shape));
    patches.Replace(begin, end, absl::StrCat("(", absl::StrJoin(parameters, ", "), ")", result ? absl::StrCat(" -> ", promise.result) : ""));
  }
  constexpr absl::string_view kLayout = "entry_computation_layout=";
  if (!computation.is_entry && reading.module->entry != &computation) return;
  const size_t at = text.find(kLayout);
  if (at == absl::string_view::npos || static_cast<int64_t>(at) > computation.range.begin) return;
  TextWalk layout(text, static_cast<int64_t>(at + kLayout.size()));
  const int64_t begin = layout.at();
  if (layout.Peek() != '{') return;
  layout.SkipBalanced();
  std::vector<std::string> shapes;
  for (const auto& [name, shape] : promise.parameters) shapes.push_back(shape);
  patches.Replace(begin, layout.at(), absl::StrCat("{(", absl::StrJoin(shapes, ", "), ")->", promise.result, "}"));
}

// `line` behind an instruction, or as the first of a computation.
void InsertLine(const Reading& reading, const Computation& computation, const Instruction* after, const std::string& line, Patches& patches, int64_t* at) {
  const absl::string_view text = TextOfReading(reading);
  if (after == nullptr) {
    for (const Instruction* i : computation.instructions) {
      if (IsStatement(reading, *i) && (after == nullptr || i->range.end > after->range.end)) after = i;
    }
  }
  if (after == nullptr) {
    // Behind the brace that opens the computation.
    TextWalk walk(text, std::max(0, computation.name_range.end));
    walk.SkipBlanks();
    if (walk.Peek() == '(') walk.SkipBalanced();
    while (!walk.AtEnd() && walk.Peek() != '{') {
      if (walk.Peek() == '(') {
        walk.SkipBalanced();
      } else {
        walk.Go(walk.at() + 1);
      }
    }
    const int64_t open = std::min<int64_t>(walk.at() + 1, text.size());
    const int64_t close = std::max<int64_t>(open, computation.range.end - 1);
    const bool alone = text.substr(open, close - open).find('\n') != absl::string_view::npos;
    patches.Insert(open, absl::StrCat("\n  ", line, alone ? "" : "\n"));
    *at = open;
    return;
  }
  const int64_t end = TakeApart(text, after->range.begin).end;
  const bool one_line = computation.range.valid() && text.substr(computation.range.begin, computation.range.end - computation.range.begin).find('\n') == absl::string_view::npos;
  if (one_line && text.substr(0, computation.range.end).find('{', computation.range.begin) != absl::string_view::npos && computation.range.end > end) {
    patches.Insert(end, absl::StrCat("  ", line));
    *at = end;
    return;
  }
  size_t begin = text.rfind('\n', after->range.begin);
  begin = begin == absl::string_view::npos ? 0 : begin + 1;
  size_t indent = begin;
  while (indent < text.size() && (text[indent] == ' ' || text[indent] == '\t')) ++indent;
  // Behind a comment at the end of the line.
  size_t stop = end;
  while (stop < text.size() && (text[stop] == ' ' || text[stop] == '\t')) ++stop;
  if (absl::StartsWith(text.substr(stop), "//")) stop = std::min(text.find('\n', stop), text.size());
  if (stop < text.size() && text[stop] != '\n') stop = end;
  patches.Insert(stop, absl::StrCat("\n", static_cast<int64_t>(indent) <= after->range.begin ? text.substr(begin, indent - begin) : "  ", line));
  *at = static_cast<int64_t>(stop);
}

// Takes an instruction's text away, with its line where it stands alone there.
void RemoveLine(const Reading& reading, const Instruction& i, Patches& patches) {
  const absl::string_view text = TextOfReading(reading);
  int64_t begin = i.range.begin, end = TakeApart(text, i.range.begin).end;
  int64_t left = begin, right = end;
  while (left > 0 && (text[left - 1] == ' ' || text[left - 1] == '\t')) --left;
  while (right < static_cast<int64_t>(text.size()) && (text[right] == ' ' || text[right] == '\t')) ++right;
  if (absl::StartsWith(text.substr(right), "//")) right = static_cast<int64_t>(std::min(text.find('\n', right), text.size()));
  const bool first = left == 0 || text[left - 1] == '\n', last = right >= static_cast<int64_t>(text.size()) || text[right] == '\n';
  if (first && last) {
    begin = left;
    end = std::min<int64_t>(right + 1, text.size());
  } else {
    end = right;
    if (last) begin = left;
  }
  patches.Remove(begin, end);
}

// Every place where an instruction of `computation` names `of` as an operand or waits for it.
void ReplaceUses(const Reading& reading, const Instruction& of, absl::string_view name, Patches& patches) {
  const absl::string_view text = TextOfReading(reading);
  for (const Instruction* user : of.parent->instructions) {
    const bool reads = std::find(user->operands.begin(), user->operands.end(), &of) != user->operands.end();
    const bool waits = std::find(user->control_predecessors.begin(), user->control_predecessors.end(), &of) != user->control_predecessors.end();
    if (!reads && !waits) continue;
    for (size_t k = 0; reads && k < user->operands.size() && k < user->operand_ranges.size(); ++k) {
      if (user->operands[k] != &of) continue;
      const SourceRange range = user->operand_ranges[k];
      patches.Replace(range.begin, range.end, WrittenName(name, text[range.begin] == '%'));
    }
    if (!waits) continue;
    for (const AttributeParts& attribute : TakeApart(text, user->range.begin).attributes) {
      if (TextOf(text, attribute.name) != "control-predecessors") continue;
      TextWalk walk(text, attribute.value.begin + 1);
      while (walk.at() < attribute.value.end) {
        const SourceRange found = walk.Name();
        if (found.begin == found.end) break;
        if (BareName(TextOf(text, found)) == of.name) patches.Replace(found.begin, found.end, WrittenName(name, text[found.begin] == '%'));
        if (!walk.Take(',')) break;
      }
    }
  }
}

const Computation* EntryOf(const Reading& reading) { return reading.module != nullptr ? reading.module->entry : nullptr; }

}  // namespace hloscope::build
