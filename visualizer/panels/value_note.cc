#include "visualizer/panels/value_note.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/debug/set_readers.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/literal/scalar.h"
#include "core/literal/statistics.h"
#include "visualizer/model/range_text.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr int64_t kFirstNumbers = 16;
constexpr int64_t kMostElements = int64_t{1} << 24;  // more would take too long for a list
constexpr int64_t kMostBytesToMake = int64_t{1} << 26;

std::string FirstNumbers(const Value& array) {
  const int64_t count = array.element_count();
  if (count == 0) return "empty";
  if (array.shape().rank() == 0) return FormatValue(array);
  if (count <= kFirstNumbers) {
    FormatOptions options;
    options.digits = kShortDigits;
    return absl::StrReplaceAll(FormatValue(array, options), {{"\n", ""}});
  }
  std::string text = "[";
  const ElementType type = array.shape().element_type();
  const bool real = type != ElementType::kPred && !IsComplex(type);
  for (int64_t k = 0; k < kFirstNumbers; ++k) absl::StrAppend(&text, k > 0 ? ", " : "", real ? ShortText(ElementAsDouble(array, k), type) : ToText(LoadScalar(type, array.data() + k * StorageBytes(type))));
  return text + ", \u2026";
}

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-'; }

// "nan" and "inf" are words too (a module may be called so): they are numbers behind what numbers stand behind, or before "..".
bool StandsAsNumber(absl::string_view text, size_t begin, size_t end) {
  if (text.substr(begin, end - begin) == "NaN") return true;
  const absl::string_view behind = absl::StripLeadingAsciiWhitespace(text.substr(end));
  if (absl::StartsWith(behind, "..")) return true;
  const absl::string_view before = absl::StripTrailingAsciiWhitespace(text.substr(0, begin));
  if (before.empty()) return behind.empty() || behind[0] == ',';
  const char last = before.back();
  return absl::StrContains("=,[({:/*+<>-", last) || absl::EndsWith(before, "..") || absl::ascii_isdigit(static_cast<unsigned char>(last));
}

struct Piece {
  size_t begin = 0, end = 0;
  enum Kind : uint8_t { kPlain, kName, kShape, kTrouble, kNumber } kind = kPlain;
};

// The pieces of a line of program text or of what the console says.
std::vector<Piece> PiecesOf(absl::string_view text) {
  std::vector<Piece> pieces;
  size_t at = 0, plain = 0;
  const auto add = [&](size_t end, Piece::Kind kind) {
    if (plain < at) pieces.push_back({plain, at, Piece::kPlain});
    pieces.push_back({at, end, kind});
    at = plain = end;
  };
  while (at < text.size()) {
    const char ch = text[at];
    size_t end = at + 1;
    if (ch == '%' && end < text.size() && (absl::ascii_isalpha(static_cast<unsigned char>(text[end])) || text[end] == '_')) {
      while (end < text.size() && IsWord(text[end])) ++end;
      while (end > at + 1 && (text[end - 1] == '.' || text[end - 1] == '-')) --end;  // the end of a sentence
      add(end, Piece::kName);
    } else if (IsWord(ch)) {
      while (end < text.size() && (IsWord(text[end]) || ((text[end] == '+') && absl::ascii_tolower(text[end - 1]) == 'e'))) ++end;
      absl::string_view word = text.substr(at, end - at);
      while (word.size() > 1 && (absl::EndsWith(word, ".") || absl::EndsWith(word, "-"))) word.remove_suffix(1);
      end = at + word.size();
      const bool number = absl::ascii_isdigit(static_cast<unsigned char>(word[0])) || (word[0] == '-' && word.size() > 1 && absl::ascii_isdigit(static_cast<unsigned char>(word[1])));
      static constexpr absl::string_view kTypes[] = {"f64", "f32", "f16", "bf16", "f8", "f4", "s64", "s32", "s16", "s8", "s4", "u64", "u32", "u16", "u8", "u4", "pred", "c64", "c128"};
      const bool type = end < text.size() && text[end] == '[' && std::any_of(std::begin(kTypes), std::end(kTypes), [&](absl::string_view t) { return absl::StartsWith(word, t); });
      const absl::string_view bare = word[0] == '-' ? word.substr(1) : word;
      if (type) {
        const size_t close = text.find(']', end);
        add(close == absl::string_view::npos ? text.size() : close + 1, Piece::kShape);
      } else if ((absl::EqualsIgnoreCase(bare, "nan") || absl::EqualsIgnoreCase(bare, "inf")) && StandsAsNumber(text, at, end)) {
        add(end, Piece::kTrouble);
      } else if (number) {
        add(end, Piece::kNumber);
      } else {
        at = end;
      }
    } else {
      ++at;
    }
  }
  if (plain < text.size()) pieces.push_back({plain, text.size(), Piece::kPlain});
  return pieces;
}

ImU32 InkOf(const Piece& piece, ImU32 color) {
  const ui::Palette& c = ui::Colors();
  switch (piece.kind) {
    case Piece::kName: return c.blue;
    case Piece::kShape: return c.teal;
    case Piece::kTrouble: return c.pink;
    case Piece::kNumber: return color == c.dim ? c.text : color;
    case Piece::kPlain: return color;
  }
  return color;
}

}  // namespace

namespace {

// `known`: of an array of more than one element.
ValueNote NoteOfArray(const Value& value, const KnownValue& known) {
  ValueNote note;
  note.shape = Cut(value.shape().ToString(false), 200);
  note.text = FirstNumbers(value);
  note.nan = known.statistics.nan;
  note.inf = known.statistics.inf;
  note.trouble_text = TroubleText(known);
  note.partial = !known.whole;
  if (value.element_count() > 1) note.range = RangeText(value.shape().element_type(), known);
  return note;
}

}  // namespace

ValueNote NoteOf(const Value& value) {
  ValueNote note;
  note.shape = Cut(value.shape().ToString(false), 200);
  if (value.shape().IsTuple()) {
    note.text = Count(static_cast<int64_t>(value.elements().size()), "element");
    for (const Value& element : value.elements()) {
      if (!element.shape().IsArray() || element.element_count() > kMostElements) continue;
      const Statistics stats = Summarize(element);
      note.nan += stats.nan;
      note.inf += stats.inf;
    }
    return note;
  }
  if (!value.shape().IsArray()) {
    note.text = "no numbers";
    return note;
  }
  if (value.element_count() <= kMostElements) return NoteOfArray(value, KnowAll(value));
  note.text = FirstNumbers(value);
  note.range = "large";
  return note;
}

namespace {

ValueNote NoteOfExpression(Session::State& s, const std::string& expression) {
  ValueNote note;
  if (!s.visible()) {
    note.error = "the program is not running";
    return note;
  }
  absl::StatusOr<ExpressionResult> result = EvaluateExpression(expression, s);
  if (!result.ok()) {
    note.error = std::string(result.status().message());
    return note;
  }
  if (result->kind == ExpressionResult::kShape) {
    note.text = ToText(*result, 64);
    return note;
  }
  const bool is_bool = result->is_bool;
  const size_t numbers = result->re.size();
  if (result->kind == ExpressionResult::kNumbers && numbers == 1) {
    note.text = ToText(*result, 8);
    note.shape = is_bool ? "pred[]" : "";
    if (!is_bool) {
      note.nan = std::isnan(result->re[0]);
      note.inf = std::isinf(result->re[0]);
    }
    return note;
  }
  absl::StatusOr<Value> value = ToValue(*std::move(result));
  if (!value.ok()) {
    note.error = std::string(value.status().message());
    return note;
  }
  return NoteOf(*value);
}

}  // namespace

ValueNote NoteOf(Session::State& s, const std::string& expression) {
  ValueNote note = NoteOfExpression(s, expression);
  if (note.error.empty()) {
    const std::string marks = SetMarksOfExpression(s, expression);
    note.by_hand = absl::StrReplaceAll(absl::StripAsciiWhitespace(marks), {{"\n  ", "\n"}});
  }
  return note;
}

ValueNote NoteOf(Session::State& s, int depth, const Instruction& instruction, KnowUntil until) {
  ValueNote note;
  note.shape = Cut(instruction.shape.ToString(false), 200);
  if (s.machine == nullptr || depth >= static_cast<int>(s.machine->frames().size()) || s.machine->frames()[depth].computation != instruction.parent) {
    note.error = "the frame is gone";
    return note;
  }
  const Frame& frame = s.machine->frames()[depth];
  const bool held = instruction.index < static_cast<int>(frame.values.size()) && frame.values[instruction.index].has_value();
  if (!held && (instruction.shape.ByteSize() > kMostBytesToMake || !s.machine->settled())) {
    note.error = absl::StrCat("not held now; print ", ShownName(instruction), " makes it again");
    return note;
  }
  const absl::StatusOr<Value> value = s.machine->ValueOf(depth, instruction.index);
  if (!value.ok()) {
    note.error = std::string(value.status().message());
    return note;
  }
  ValueNote made = value->shape().IsArray() ? NoteOfArray(*value, LookOn(s, depth, instruction, *value, until)) : NoteOf(*value);
  made.shape = note.shape;
  return made;
}

std::string TroubleText(const ValueNote& note) {
  if (!note.trouble_text.empty()) return note.trouble_text;
  return absl::StrCat(note.nan > 0 ? absl::StrCat(note.nan, " NaN") : "", note.nan > 0 && note.inf > 0 ? ", " : "", note.inf > 0 ? absl::StrCat(note.inf, " inf") : "");
}

float DrawCode(ImVec2 at, float width, ImU32 color, ImFont* font, absl::string_view text, bool* cut) {
  if (cut != nullptr) *cut = false;
  const float letter = std::max(1.0f, ui::Measure(font, "0").x);
  // All that cannot be seen is left away before it is measured.
  const auto room = static_cast<size_t>(std::max(0.0f, width / letter)) * 4 + 8;
  text = text.substr(0, room);
  // Where a piece ends and the next has no room, the dots are to have some.
  const float most = ui::Measure(font, text).x <= width + 0.5f ? width : width - ui::Measure(font, "\u2026").x;
  float x = at.x;
  for (const Piece& piece : PiecesOf(text)) {
    const absl::string_view word = text.substr(piece.begin, piece.end - piece.begin);
    const bool fits = ui::Measure(font, word).x <= at.x + most - x + 0.5f;
    x += ui::DrawTextIn({x, at.y}, at.x + width - x, InkOf(piece, color), font, fits ? word : text.substr(piece.begin));
    if (fits) continue;
    if (cut != nullptr) *cut = true;
    break;
  }
  return x - at.x;
}

void DrawCodePart(ImVec2 at, ImU32 color, ImFont* font, absl::string_view text, size_t begin, size_t end) {
  float x = at.x;
  for (const Piece& piece : PiecesOf(text)) {
    const size_t from = std::max(piece.begin, begin), to = std::min(piece.end, end);
    if (from >= to) continue;
    const absl::string_view part = text.substr(from, to - from);
    ui::DrawText({x, at.y}, InkOf(piece, color), font, part);
    const float width = ui::Measure(font, part).x;
    if (piece.kind == Piece::kName && ui::TheTags().on) ui::Tag(absl::StrCat("link:", text.substr(piece.begin, piece.end - piece.begin)), {x, at.y}, {x + width, at.y + font->FontSize});
    x += width;
  }
}

absl::string_view NameAround(absl::string_view text, size_t at) {
  for (const Piece& piece : PiecesOf(text)) {
    if (piece.kind == Piece::kName && at >= piece.begin && at < piece.end) return text.substr(piece.begin, piece.end - piece.begin);
  }
  return "";
}

}  // namespace hloscope
