// The kinds of exercises (exercises.def): the right answer of each, and what to say to a wrong one.
#include "visualizer/lessons/exercise_kinds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/expression.h"
#include "core/literal/format.h"
#include "core/literal/statistics.h"
#include "core/shape/layout_map.h"
#include "core/shape/layout_util.h"
#include "core/text/hlo_text.h"

namespace hloscope::lessons {
namespace {

Judged Wrong(std::string why, std::string same_as = "") { return {false, std::move(why), std::move(same_as)}; }

// Values of a run, for expressions and claims.
class Host : public ExpressionHost {
 public:
  explicit Host(const ProgramRun& run) : run_(run) {}
  bool IsName(absl::string_view name) const override { return name == "$result" || run_.Find(name) != nullptr; }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override {
    const Instruction* i = Named(name);
    if (i == nullptr) return absl::NotFoundError(absl::StrCat("there is no %", name));
    Value value = run_.ValueOf(*i);
    if (!value.has_value()) return absl::FailedPreconditionError(absl::StrCat("%", name, " has no value"));
    return value;
  }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override {
    const Instruction* i = Named(name);
    if (i == nullptr) return absl::NotFoundError(absl::StrCat("there is no %", name));
    return i->shape;
  }
  absl::StatusOr<bool> StoppedAt(absl::string_view) const override { return false; }
  bool Finished() const override { return true; }

 private:
  const Instruction* Named(absl::string_view name) const { return name == "$result" ? run_.root() : run_.Find(name); }
  const ProgramRun& run_;
};

// The sizes in "f32[2,3]", "[2,3]", "2,3", "2x3", "(2, 3)".
absl::StatusOr<std::vector<int64_t>> Sizes(absl::string_view text) {
  std::vector<int64_t> sizes;
  for (absl::string_view part : absl::StrSplit(text, absl::ByAnyChar("[](){}<> ,x;"), absl::SkipEmpty())) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(part, &size)) return absl::InvalidArgumentError(absl::StrCat("'", part, "' is not a number"));
    sizes.push_back(size);
  }
  return sizes;
}

// Of a shape without its type, which may have a layout: "[5,3]{1,0}", "2,3".
absl::StatusOr<std::vector<int64_t>> SizesOf(absl::string_view answer, const Shape& wanted) {
  if (!absl::StartsWith(answer, "[") || !absl::StrContains(answer, '{')) return Sizes(answer);
  const absl::StatusOr<Shape> shape = ParseShape(absl::StrCat(Name(wanted.element_type()), answer));
  if (!shape.ok()) return shape.status();
  return std::vector<int64_t>(shape->dimensions().begin(), shape->dimensions().end());
}

// "%c[0,1]" without the name.
std::string WithoutNames(absl::string_view text) {
  std::string rest;
  for (const char c : text) {
    while (c == '[' && !rest.empty() && (absl::ascii_isalnum(rest.back()) || absl::StrContains("%_.-", rest.back()))) rest.pop_back();
    rest += c;
  }
  return rest;
}

// The names in it: "b" of "%b[0,1]".
std::vector<std::string> NamesIn(absl::string_view text) {
  std::vector<std::string> names;
  std::string word;
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || absl::StrContains("%_.-", c)) {
      word += c;
      continue;
    }
    if (c == '[' && !word.empty()) names.emplace_back(absl::StripPrefix(word, "%"));
    word.clear();
  }
  return names;
}

// "[0,1] [1,1]", "%b[0,1] and %b[1,1]", "(0,1), (1,1)", "0,1; 1,1", "0,1 1,1", "0 1".
absl::StatusOr<std::set<Index>> Indices(absl::string_view text, size_t rank) {
  std::set<Index> all;
  for (const char* none : {"none", "nothing", "no", "ninguno", "ninguna", "nada", "-"}) {
    if (absl::EqualsIgnoreCase(text, none)) return all;
  }
  const std::string brackets =
      absl::StrReplaceAll(WithoutNames(text), {{"(", "["}, {")", "]"}, {"{", "["}, {"}", "]"}, {" and ", " "}, {" y ", " "}});
  std::string parted = absl::StrReplaceAll(brackets, {{"],", "];"}, {"] ,", "];"}, {"] [", "];["}, {"][", "];["}});
  const std::vector<absl::string_view> words = absl::StrSplit(parted, ' ', absl::SkipEmpty());
  const bool whole = rank > 1 && words.size() > 1 && std::all_of(words.begin(), words.end(), [&](absl::string_view word) {
    const absl::StatusOr<std::vector<int64_t>> sizes = Sizes(word);
    return sizes.ok() && sizes->size() == rank && !absl::EndsWith(word, ",");
  });
  if (whole) parted = absl::StrJoin(words, ";");
  for (absl::string_view one : absl::StrSplit(parted, ';', absl::SkipWhitespace())) {
    const absl::StatusOr<std::vector<int64_t>> sizes = Sizes(one);
    if (!sizes.ok()) return sizes.status();
    // "x" and ",": only what stands between numbers. "[]" is a scalar's index.
    if (sizes->empty() && !absl::StrContains(one, '[')) return absl::InvalidArgumentError(absl::StrCat("'", one, "' is not an index"));
    if (rank == 1 && sizes->size() > 1) {
      for (int64_t s : *sizes) all.insert({s});
    } else {
      all.insert(*sizes);
    }
  }
  return all;
}

// "%c = [1, 2]" without the name and the sign.
absl::string_view AfterName(absl::string_view text) {
  if (const size_t equals = text.find('='); equals != absl::string_view::npos && equals > 0 && text[equals - 1] != '<')
    text.remove_prefix(equals + 1);
  return absl::StripAsciiWhitespace(text);
}

std::string Text(const std::set<Index>& indices) {
  std::string text;
  for (const Index& index : indices) absl::StrAppend(&text, text.empty() ? "" : " ", IndexText(index));
  return text.empty() ? "none" : text;
}

Answer Unusable(const Task& task, absl::string_view why) { return absl::InvalidArgumentError(absl::StrCat("exercise ", task.exercise.id, ": ", why)); }

// The result under another text of the program.
bool SameResult(const ProgramRun& a, const ProgramRun& b, bool memory) {
  if (!a.ok() || !b.ok()) return false;
  const Value va = a.ValueOf(*a.root()), vb = b.ValueOf(*b.root());
  if (!va.has_value() || !vb.has_value() || !Shape::Compatible(va.shape(), vb.shape()) || !Value::BitEqual(va, vb)) return false;
  return !memory || !a.root()->shape.IsArray() || SameStorage(a.root()->shape, b.root()->shape);
}

// What the reader or the run says of a program that is none.
std::string RefusedText(const Task& task, const ProgramRun& run) {
  const auto [line, message] = run.FirstProblemAndLine();
  return line > 0 ? task.words.Get("fill-invalid", {absl::StrCat(line), message}) : task.words.Get("fill-fails", {message});
}

std::string OneLine(const Value& value) {
  FormatOptions options;
  options.elements = 24;
  options.digits = 5;
  return value.has_value() ? absl::StrReplaceAll(FormatValue(value, options), {{"\n", " "}}) : std::string("?");
}

// What a program gives instead of what is wanted.
std::string Difference(const Task& task, const ProgramRun& got, const ProgramRun& wanted) {
  if (!got.ok()) return RefusedText(task, got);
  const std::string shape = got.root()->shape.ToString(), wish = wanted.root()->shape.ToString();
  if (!Shape::Compatible(got.root()->shape, wanted.root()->shape)) return task.words.Get("fill-shape", {shape, wish});
  const Value value = got.ValueOf(*got.root()), other = wanted.ValueOf(*wanted.root());
  if (value.has_value() && other.has_value() && Value::BitEqual(value, other)) return task.words.Get("fill-memory", {shape});
  return task.words.Get("fill-values", {OneLine(value), OneLine(other)});
}

Judged JudgeHole(const Task& task, absl::string_view answer, bool memory) {
  const std::shared_ptr<const ProgramRun> got = RunProgram(task.program->id, task.program->Filled(answer), task.backend);
  Judged judged;
  judged.right = SameResult(*got, *task.run, memory);
  judged.same_as = absl::StrReplaceAll(answer, {{" ", ""}});
  if (!judged.right) judged.why = Difference(task, *got, *task.run);
  return judged;
}

}  // namespace

// ---- shape ----

Answer ExpectShape(const Task& task) {
  const Instruction* of = task.run->Find(task.exercise.Get("of"));
  if (of == nullptr) return Unusable(task, absl::StrCat("the program has no ", task.exercise.Get("of")));
  return of->shape.ToString(false);
}

Judged JudgeShape(const Task& task, absl::string_view given) {
  // "%c = F32 [2, 3]" is f32[2,3] as well.
  const std::string plain = absl::AsciiStrToLower(absl::StrReplaceAll(AfterName(given), {{"\u00d7", "x"}, {" [", "["}}));
  const absl::string_view answer = plain;
  const Shape& wanted = task.run->Find(task.exercise.Get("of"))->shape;
  std::vector<int64_t> sizes;
  std::string same_as;
  const size_t bracket = answer.find('[');
  if (bracket != absl::string_view::npos && bracket > 0) {
    const absl::StatusOr<Shape> shape = ParseShape(answer);
    if (!shape.ok() || !shape->IsArray()) return Wrong(task.words.Get("shape-unreadable", {std::string(answer)}));
    if (Shape::Compatible(*shape, wanted)) return {true, "", shape->ToString(false)};
    if (shape->has_dynamic_dimension()) return Wrong(task.words.Get("shape-dynamic", {shape->ToString(false)}), shape->ToString(false));
    if (shape->element_type() != wanted.element_type()) return Wrong(task.words.Get("shape-type", {shape->ToString(false)}), shape->ToString(false));
    sizes.assign(shape->dimensions().begin(), shape->dimensions().end());
  } else {
    const absl::StatusOr<std::vector<int64_t>> parsed = SizesOf(answer, wanted);
    if (!parsed.ok()) return Wrong(task.words.Get("shape-unreadable", {std::string(answer)}));
    sizes = *parsed;
  }
  same_as = absl::StrCat("[", absl::StrJoin(sizes, ","), "]");
  if (absl::MakeSpan(sizes) == wanted.dimensions()) return {true, "", same_as};
  if (static_cast<int>(sizes.size()) != wanted.rank()) return Wrong(task.words.Get("shape-rank", {absl::StrCat(sizes.size())}), same_as);
  std::vector<int64_t> a = sizes, b(wanted.dimensions().begin(), wanted.dimensions().end());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (a == b) return Wrong(task.words.Get("shape-order", {same_as}), same_as);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != wanted.dim(static_cast<int>(d))) return Wrong(task.words.Get("shape-size", {absl::StrCat(d), absl::StrCat(sizes[d])}), same_as);
  }
  return Wrong(task.words.Get("answer-wrong"), same_as);
}

// ---- number ----

Answer ExpectNumber(const Task& task) {
  const std::string ask = task.exercise.Get("ask");
  const absl::StatusOr<FoundElement> found = FindElement(*task.run, task.exercise.Get("of"));
  if (!found.ok()) return found.status();
  const Shape& shape = found->instruction->shape;
  if (ask == "rank") return absl::StrCat(shape.rank());
  if (ask == "true-rank") return absl::StrCat(TrueRank(shape));
  if (ask == "elements") return absl::StrCat(shape.ElementCount());
  if (ask == "bytes") return absl::StrCat(shape.ByteSize());
  if (ask == "padding") {
    const LayoutMap map(shape);
    return absl::StrCat(map.PhysicalSize() - shape.ElementCount());
  }
  if (ask == "position" && found->has_index) return absl::StrCat(LayoutMap(shape).PhysicalOf(found->index));
  return Unusable(task, absl::StrCat("ask is rank, true-rank, elements, bytes, padding, or position of an element, not '", ask, "'"));
}

namespace {

constexpr int64_t kMostCounted = int64_t{1} << 50;  // of what exercises ask for; more is said as much more

// "60", "[60]", "60.0", "60 bytes", "2 KiB".
bool WholeNumber(absl::string_view text, int64_t* number) {
  std::string plain = absl::AsciiStrToLower(AfterName(text));
  absl::string_view rest = plain;
  if (absl::ConsumePrefix(&rest, "[")) absl::ConsumeSuffix(&rest, "]");
  int64_t unit = 1;
  if (absl::ConsumeSuffix(&rest, "kib")) unit = 1024;
  for (const char* word : {"bytes", "byte", "b", "elements", "elementos"}) {
    if (unit == 1 && absl::ConsumeSuffix(&rest, word)) break;
  }
  double value = 0;
  if (!absl::SimpleAtod(absl::StripAsciiWhitespace(rest), &value) || std::isnan(value) || value != std::trunc(value)) return false;
  const auto most = static_cast<double>(kMostCounted);
  *number = static_cast<int64_t>(std::clamp(value, -most, most)) * unit;
  return true;
}

}  // namespace

Judged JudgeNumber(const Task& task, absl::string_view answer) {
  int64_t given = 0, wanted = 0;
  if (!WholeNumber(answer, &given)) return Wrong(task.words.Get("number-unreadable", {std::string(answer)}));
  const Answer expected = ExpectNumber(task);
  if (!expected.ok() || !absl::SimpleAtoi(*expected, &wanted)) return Wrong(std::string(expected.status().message()));
  const std::string same_as = std::abs(given) < kMostCounted ? absl::StrCat(given) : std::string(absl::StripAsciiWhitespace(answer));
  if (given == wanted) return {true, "", same_as};
  return Wrong(task.words.Get(given < wanted ? "number-small" : "number-large", {same_as}), same_as);
}

// ---- value ----

Answer ExpectValue(const Task& task) {
  const absl::StatusOr<ExpressionResult> result = EvaluateExpression(task.exercise.Get("of"), Host(*task.run));
  if (!result.ok()) return result.status();
  return absl::StrReplaceAll(ToText(*result, 64), {{"\n", " "}});
}

namespace {

// Numbers in a row, whatever brackets stand between.
absl::StatusOr<std::vector<double>> Numbers(absl::string_view text) {
  std::vector<double> numbers;
  const std::string plain = absl::StrReplaceAll(AfterName(text), {{"\u2212", "-"}, {"\u221e", "inf"}, {" and ", " "}, {" y ", " "}});
  for (absl::string_view part : absl::StrSplit(plain, absl::ByAnyChar("[](){} ,;\n"), absl::SkipEmpty())) {
    double number = 0;
    if (absl::EqualsIgnoreCase(part, "true")) {
      number = 1;
    } else if (absl::EqualsIgnoreCase(part, "false")) {
      number = 0;
    } else if (absl::EqualsIgnoreCase(part, "nan") || absl::EqualsIgnoreCase(part, "-nan")) {
      number = std::numeric_limits<double>::quiet_NaN();
    } else if (!absl::SimpleAtod(part, &number)) {
      return absl::InvalidArgumentError(absl::StrCat("'", part, "' is not a number"));
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Judged JudgeValue(const Task& task, absl::string_view answer) {
  const Answer expected = ExpectValue(task);
  if (!expected.ok()) return Wrong(std::string(expected.status().message()));
  const absl::StatusOr<std::vector<double>> given = Numbers(answer), wanted = Numbers(*expected);
  if (!given.ok() || given->empty()) return Wrong(task.words.Get("number-unreadable", {std::string(answer)}));
  if (!wanted.ok()) return Wrong(std::string(wanted.status().message()));
  const std::string same_as = absl::StrJoin(*given, " ");
  double tolerance = 0;
  if (const std::string t = task.exercise.Get("tolerance"); !t.empty() && !absl::SimpleAtod(t, &tolerance)) return Wrong("tolerance is a number");
  if (given->size() != wanted->size()) return Wrong(task.words.Get("value-count", {absl::StrCat(given->size()), absl::StrCat(wanted->size())}), same_as);
  for (size_t k = 0; k < given->size(); ++k) {
    const double a = (*given)[k], b = (*wanted)[k];
    const bool same = (std::isnan(a) && std::isnan(b)) || a == b || (std::isfinite(b) && std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b)));
    if (same) continue;
    if (given->size() > 1) return Wrong(k == 0 ? task.words.Get("value-first") : task.words.Get("value-at", {absl::StrCat(k)}), same_as);
    if (std::isnan(b) || std::isnan(a)) return Wrong(task.words.Get("answer-wrong"), same_as);
    return Wrong(task.words.Get(a < b ? "number-small" : "number-large", {FormatDouble(a, 12)}), same_as);
  }
  return {true, "", same_as};
}

// ---- index ----

namespace {

// The array whose elements are asked for; null where the exercise is not in order.
const Instruction* AskedArray(const Task& task) {
  for (const char* key : {"reads", "reaches"}) {
    if (const std::string name = task.exercise.Get(key); !name.empty()) return task.run->Find(name);
  }
  const absl::StatusOr<FoundElement> found = FindElement(*task.run, task.exercise.Get("of"));
  return found.ok() ? found->instruction : nullptr;
}

absl::StatusOr<std::set<Index>> WantedIndices(const Task& task, size_t* rank) {
  const absl::StatusOr<FoundElement> found = FindElement(*task.run, task.exercise.Get("of"));
  if (!found.ok()) return found.status();
  const std::string position = task.exercise.Get("position"), reads = task.exercise.Get("reads"), reaches = task.exercise.Get("reaches");
  if (!position.empty()) {
    int64_t at = 0;
    *rank = static_cast<size_t>(found->instruction->shape.rank());
    if (!absl::SimpleAtoi(position, &at)) return absl::InvalidArgumentError("position is a number");
    const std::optional<Index> index = LayoutMap(found->instruction->shape).LogicalOfPhysical(at);
    return index.has_value() ? std::set<Index>{*index} : std::set<Index>{};
  }
  const Instruction* other = task.run->Find(reads.empty() ? reaches : reads);
  if (other == nullptr || !found->has_index) return absl::InvalidArgumentError("needs an element, and reads=, reaches= or position=");
  *rank = static_cast<size_t>(other->shape.rank());
  const absl::StatusOr<std::vector<Index>> indices =
      reads.empty() ? ReadersOf(*task.run, *found->instruction, found->index, *other) : ReadsOf(*task.run, *found->instruction, found->index, *other);
  if (!indices.ok()) return indices.status();
  return std::set<Index>(indices->begin(), indices->end());
}

}  // namespace

Answer ExpectIndex(const Task& task) {
  size_t rank = 0;
  const absl::StatusOr<std::set<Index>> wanted = WantedIndices(task, &rank);
  if (!wanted.ok()) return wanted.status();
  return Text(*wanted);
}

Judged JudgeIndex(const Task& task, absl::string_view answer) {
  size_t rank = 0;
  const absl::StatusOr<std::set<Index>> wanted = WantedIndices(task, &rank);
  if (!wanted.ok()) return Wrong(std::string(wanted.status().message()));
  const absl::StatusOr<std::set<Index>> given = Indices(answer, rank);
  if (!given.ok()) return Wrong(task.words.Get("index-unreadable", {std::string(answer)}));
  const Instruction* asked = AskedArray(task);
  for (const std::string& name : NamesIn(answer)) {
    // Which array an index belongs to is half of the answer, where somebody writes it.
    if (asked != nullptr && name != asked->name) return Wrong(task.words.Get("index-name", {absl::StrCat("%", name), absl::StrCat("%", asked->name)}));
  }
  const std::string same_as = Text(*given);
  if (*given == *wanted) return {true, "", same_as};
  for (const Index& index : *given) {
    if (index.size() != rank) return Wrong(task.words.Get(rank == 1 ? "index-rank-1" : "index-rank", {IndexText(index), absl::StrCat(rank)}), same_as);
  }
  if (given->empty()) return Wrong(task.words.Get("index-some"), same_as);
  if (wanted->empty()) return Wrong(task.words.Get("index-none"), same_as);
  if (given->size() < wanted->size() && std::includes(wanted->begin(), wanted->end(), given->begin(), given->end())) return Wrong(task.words.Get("index-more"), same_as);
  for (const Index& index : *given) {
    if (wanted->count(index) == 0) return Wrong(task.words.Get("index-not", {IndexText(index)}), same_as);
  }
  return Wrong(task.words.Get("answer-wrong"), same_as);
}

// ---- fill ----

Answer ExpectFill(const Task& task) {
  if (!task.program->has_hole()) return Unusable(task, "its program has no hole");
  return task.program->text.substr(static_cast<size_t>(task.program->hole_begin), static_cast<size_t>(task.program->hole_end - task.program->hole_begin));
}

namespace {

// "4,8" of "PAD(4,8)=zero" where "PAD(" stands before the hole already; other texts as they are.
std::string WithoutCall(absl::string_view given, absl::string_view before) {
  absl::string_view list = absl::StripPrefix(given, "{");
  const size_t word = static_cast<size_t>(
      std::find_if_not(list.begin(), list.end(), [](char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }) - list.begin());
  if (word == 0 || word == list.size() || list[word] != '(' || !absl::EndsWith(before, list.substr(0, word + 1))) return std::string(given);
  list.remove_prefix(word + 1);
  return std::string(list.substr(0, list.find(')')));
}

}  // namespace

Judged JudgeFill(const Task& task, absl::string_view answer) {
  // Attributes in braces may be written without them.
  const Answer expected = ExpectFill(task);
  if (!expected.ok()) return Wrong(std::string(expected.status().message()));
  std::string given(answer);
  // And what stands before the hole may be repeated: "dimensions={0}".
  const absl::string_view before = absl::string_view(task.program->text).substr(0, static_cast<size_t>(task.program->hole_begin));
  if (const size_t equals = given.find('='); equals != std::string::npos && absl::EndsWith(before, absl::StrCat(" ", given.substr(0, equals + 1)))) given = given.substr(equals + 1);
  if (absl::StartsWith(*expected, "{") && !absl::StartsWith(given, "{")) given = absl::StrCat("{", given, "}");
  given = WithoutCall(given, before);
  // Numbers may stand in any brackets, with commas or without: "2 0 1", "(4,8)".
  const bool joined = expected->find('_') != std::string::npos;
  const absl::StatusOr<std::vector<int64_t>> wanted = Sizes(absl::StrReplaceAll(*expected, {{"_", ","}})),
                                             numbers = Sizes(absl::StrReplaceAll(given, {{"_", ","}}));
  if (wanted.ok() && !wanted->empty() && numbers.ok() && !numbers->empty()) {
    const std::string list = absl::StrJoin(*numbers, joined ? "_" : ",");
    given = absl::StartsWith(*expected, "{") ? absl::StrCat("{", list, "}") : list;
  }
  return JudgeHole(task, given, task.exercise.Get("compare") == "memory");
}

// ---- choice ----

Answer ExpectChoice(const Task& task) {
  if (const std::string right = task.exercise.Get("right"); !right.empty()) return right;
  std::string right;
  for (const char* letter : {"a", "b", "c", "d"}) {
    const std::string hole = task.exercise.Get(letter);
    if (hole.empty() || !JudgeHole(task, hole, false).right) continue;
    if (!right.empty()) return Unusable(task, absl::StrCat("both ", right, " and ", letter, " are right"));
    right = letter;
  }
  if (right.empty()) return Unusable(task, "no choice is right");
  return right;
}

std::string ChoiceLetter(absl::string_view answer) {
  absl::ConsumePrefix(&answer, "(");
  if (!absl::ConsumeSuffix(&answer, ")")) absl::ConsumeSuffix(&answer, ".");
  return absl::AsciiStrToLower(answer);
}

Judged JudgeChoice(const Task& task, absl::string_view answer) {
  const std::string letter = ChoiceLetter(answer);
  if (letter.size() != 1 || letter[0] < 'a' || letter[0] > 'd') return Wrong(task.words.Get("choice-unreadable", {std::string(answer)}));
  const Answer expected = ExpectChoice(task);
  if (!expected.ok()) return Wrong(std::string(expected.status().message()));
  if (letter == *expected) return {true, "", letter};
  const std::string hole = task.exercise.Get(letter);
  return Wrong(hole.empty() ? task.words.Get("answer-wrong") : JudgeHole(task, hole, false).why, letter);
}

// ---- name ----

Answer ExpectName(const Task& task) {
  for (const Instruction* i : task.run->module->entry->schedule) {
    if (!i->shape.IsArray() || !task.run->ValueOf(*i).has_value()) continue;
    const absl::StatusOr<Claim> claim = EvaluateClaim(absl::StrReplaceAll(task.exercise.Get("first"), {{"IT", absl::StrCat("%", i->name)}}), Host(*task.run));
    if (!claim.ok()) return claim.status();
    if (claim->holds) return absl::StrCat("%", i->name);
  }
  return Unusable(task, "the claim holds for no instruction");
}

Judged JudgeName(const Task& task, absl::string_view answer) {
  const Answer expected = ExpectName(task);
  if (!expected.ok()) return Wrong(std::string(expected.status().message()));
  // Who names an element names its instruction.
  const Instruction *given = task.run->Find(answer.substr(0, answer.find('['))), *wanted = task.run->Find(*expected);
  if (given == nullptr) return Wrong(task.words.Get("name-unknown", {std::string(answer)}));
  const std::string same_as = absl::StrCat("%", given->name);
  if (given == wanted) return {true, "", same_as};
  return Wrong(task.words.Get(given->index < wanted->index ? "name-early" : "name-late", {same_as}), same_as);
}

// ---- program ----

Answer ExpectProgram(const Task& task) {
  const Program* answer = task.lesson.FindProgram(task.exercise.Get("answer"));
  if (answer == nullptr) return Unusable(task, "there is no program that is its answer");
  return answer->text;
}

namespace {

// What to say of the first instruction with numbers for which `every` does not hold; "" where it holds for all.
std::string BrokenClaim(const Task& task, const ProgramRun& run) {
  const std::string every = task.exercise.Get("every");
  if (every.empty()) return "";
  for (const Instruction* i : run.module->entry->schedule) {
    if (!i->shape.IsArray() || !IsFloat(i->shape.element_type()) || i->shape.ElementCount() == 0 || !run.ValueOf(*i).has_value()) continue;
    const std::string text = absl::StrReplaceAll(every, {{"IT", absl::StrCat("%", i->name)}});
    const absl::StatusOr<Claim> claim = EvaluateClaim(text, Host(run));
    if (!claim.ok()) return task.words.Get("claim-unknown", {text, std::string(claim.status().message())});
    if (!claim->holds) return task.words.Get("claim-fails", {text, claim->detail});
  }
  return "";
}

// The text with other numbers in an array of it, which it gives by a constant then.
std::string WithNumbers(const ProgramRun& run, const Instruction& array, absl::string_view numbers) {
  const absl::string_view text = run.source->text();
  return absl::StrCat(text.substr(0, static_cast<size_t>(array.range.begin)), array.name, " = ", array.shape.ToString(false), " constant(",
                      numbers, ")", text.substr(static_cast<size_t>(array.range.end)));
}

// `same`: an array that has the numbers of the answer, also where `with` gets other numbers: "%x={1,2,3}". "" where it has.
std::string OtherNumbers(const Task& task, const ProgramRun& got, const ProgramRun& wanted) {
  const std::string same = task.exercise.Get("same"), with = task.exercise.Get("with");
  if (same.empty()) return "";
  const auto differs = [&](const ProgramRun& a, const ProgramRun& b, absl::string_view where) -> std::string {
    if (!a.ok()) return RefusedText(task, a);
    const Instruction *one = a.Find(same), *other = b.Find(same);
    if (!Shape::Compatible(one->shape, other->shape))
      return task.words.Get("program-shape", {same, one->shape.ToString(false), other->shape.ToString(false)});
    const Value x = a.ValueOf(*one), y = b.ValueOf(*other);
    for (int64_t k = 0; k < x.element_count(); ++k) {
      const double u = ElementAsDouble(x, k), v = ElementAsDouble(y, k);
      if (!(std::fabs(u - v) <= 1e-3 * std::max(1.0, std::fabs(v))))
        return task.words.Get(where.empty() ? "program-values" : "program-other-values",
                              {same, OneLine(x), OneLine(y), std::string(where)});
    }
    return "";
  };
  if (const std::string now = differs(got, wanted, ""); !now.empty() || with.empty()) return now;
  const auto [name, numbers] = std::pair<std::string, std::string>(absl::StrSplit(with, absl::MaxSplits('=', 1)));
  const Instruction *given = got.Find(name), *fed = wanted.Find(name);
  if (given == nullptr || !Shape::Compatible(given->shape, fed->shape))
    return task.words.Get("program-input", {name, fed->shape.ToString(false)});
  return differs(*RunProgram("answer", WithNumbers(got, *given, numbers), task.backend),
                 *RunProgram("wanted", WithNumbers(wanted, *fed, numbers), task.backend), absl::StrCat(name, " = ", numbers));
}

}  // namespace

Judged JudgeProgram(const Task& task, absl::string_view answer) {
  const Answer expected = ExpectProgram(task);
  if (!expected.ok()) return Wrong(std::string(expected.status().message()));
  // A program of the lesson goes by its name.
  const Program* named = task.lesson.FindProgram(answer);
  const std::string same_as(named != nullptr ? absl::StripAsciiWhitespace(named->text) : answer);
  const std::shared_ptr<const ProgramRun> got = RunProgram("answer", same_as, task.backend);
  if (!got->ok()) return Wrong(RefusedText(task, *got), same_as);
  const std::string claim_text = task.exercise.Get("claim");
  if (!claim_text.empty()) {
    const absl::StatusOr<Claim> claim = EvaluateClaim(claim_text, Host(*got));
    if (!claim.ok()) return Wrong(task.words.Get("claim-unknown", {claim_text, std::string(claim.status().message())}), same_as);
    if (!claim->holds) return Wrong(task.words.Get("claim-fails", {claim_text, claim->detail}), same_as);
    if (const std::string broken = BrokenClaim(task, *got); !broken.empty()) return Wrong(broken, same_as);
  }
  const std::shared_ptr<const ProgramRun> wanted = RunProgram("wanted", *expected, task.backend);
  if (!claim_text.empty()) {
    const std::string other = OtherNumbers(task, *got, *wanted);
    return other.empty() ? Judged{true, "", same_as} : Wrong(other, same_as);
  }
  if (SameResult(*got, *wanted, false)) return {true, "", same_as};
  return Wrong(Difference(task, *got, *wanted), same_as);
}

}  // namespace hloscope::lessons
