// info iterations %loss: a row of statistics for every iteration.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/ahead_together.h"
#include "core/debug/calls.h"
#include "core/debug/expression_integers.h"
#include "core/debug/instruction_names.h"
#include "core/debug/moments.h"
#include "core/debug/stop_walk.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/ir/written_names.h"
#include "core/literal/element_at.h"
#include "core/literal/format.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"
#include "core/literal/statistics.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int kMostArrays = 8;  // of a tuple, told by name or in a table each

// Of a tuple: which of its elements have numbers.
std::string NoNumbersText(absl::string_view expression, const Shape& shape) {
  std::vector<std::string> arrays;
  int more = 0;
  for (int leaf = 0; leaf < LeafCountOf(shape); ++leaf) {
    if (!LeafShape(shape, leaf).IsArray()) continue;
    if (static_cast<int>(arrays.size()) == kMostArrays) {
      ++more;
      continue;
    }
    arrays.push_back(absl::StrCat(expression, LeafPathText(shape, leaf), " (", LeafShape(shape, leaf).ToString(), ")"));
  }
  if (arrays.empty()) return absl::StrCat(expression, " is ", shape.ToString(), ", which has no numbers");
  if (more > 0) arrays.push_back(absl::StrCat(more, " more"));
  return absl::StrCat(expression, " is a tuple; its elements have numbers: ", absl::StrJoin(arrays, ", "));
}

constexpr int kColumn = 12, kWideColumn = 23;

// Of integers that a double may not hold.
std::string IntegersRow(const Value& array, double mean) {
  const auto less = [](const Scalar& a, const Scalar& b) { return IsUnsigned(a.type) ? a.u() < b.u() : a.i < b.i; };
  const Value dense = ToDense(array);
  Scalar low = ElementAt(dense, 0), high = low;
  for (int64_t k = 1; k < dense.element_count(); ++k) {
    const Scalar x = ElementAt(dense, k);
    if (less(x, low)) low = x;
    if (less(high, x)) high = x;
  }
  const std::string middle = less(low, high) ? FormatDouble(mean) : ToText(low);
  return absl::StrFormat("%*s %*s %*s %6d %6d\n", kWideColumn, ToText(low), kWideColumn, ToText(high), kWideColumn, middle, 0, 0);
}

// The same of integers that an expression computes; empty: doubles hold them.
std::string ComputedIntegersRow(const ExpressionResult& r) {
  const bool held = std::all_of(r.re.begin(), r.re.end(), [](double v) { return std::fabs(v) < 9007199254740992.0; });
  const bool integers = !r.integers.empty() || (r.value.has_value() && IsInteger(r.value.shape().element_type()));
  if (held || !integers) return "";
  const auto low = expression::CallWithIntegers("min", r), high = expression::CallWithIntegers("max", r);
  if (!low.ok() || !high.ok() || !low->has_value() || !high->has_value()) return "";
  const std::string least = expression::IntegerText(**low, 0), most = expression::IntegerText(**high, 0);
  const std::string mean = least == most ? least : FormatDouble(std::accumulate(r.re.begin(), r.re.end(), 0.0) / static_cast<double>(r.re.size()));
  return absl::StrFormat("%*s %*s %*s %6d %6d\n", kWideColumn, least, kWideColumn, most, kWideColumn, mean, 0, 0);
}

// Statistics of an expression's value where the program stands. `column`: of how many letters each of them is.
absl::StatusOr<std::string> StatisticsRow(Session::State& s, absl::string_view expression, int* column) {
  bool wide = false;  // six digits may be the same in every row though the numbers are not
  *column = kColumn;
  const auto text = [&](int64_t finite, double low, double high, double mean, int64_t nan, int64_t inf) {
    const auto number = [&](double v, bool whole) {
      std::string digits = finite > 0 ? FormatDouble(v) : "-";
      if (double read = 0; finite > 0 && whole && !(absl::SimpleAtod(digits, &read) && read == v)) digits = ToText(Scalar::Float(ElementType::kF64, v));
      return absl::StrFormat("%*s", *column, digits);
    };
    return absl::StrCat(number(low, wide), " ", number(high, wide), " ", number(mean, wide && low == high), absl::StrFormat(" %6d %6d\n", nan, inf));
  };
  const absl::StatusOr<ExpressionResult> result = EvaluateExpression(expression, s);
  if (!result.ok()) return result.status();
  if (result->kind == ExpressionResult::kValue && result->value.shape().IsArray()) {
    const Statistics stats = Summarize(result->value);
    const ElementType type = result->value.shape().element_type();
    wide = expression::NeedsAllDigits(type);
    if (wide && BitWidth(type) > 32) *column = kWideColumn;
    if (IsInteger(type) && BitWidth(type) > 32 && stats.count > 0) return IntegersRow(result->value, stats.mean);
    return text(stats.finite, stats.min, stats.max, stats.mean, stats.nan, stats.inf);
  }
  if (result->kind == ExpressionResult::kValue) return absl::InvalidArgumentError(NoNumbersText(expression, result->value.shape()));
  if (result->kind != ExpressionResult::kNumbers) return absl::InvalidArgumentError("this has no numbers; name an array or an element of a tuple");
  wide = result->value.has_value() || !result->integers.empty();
  if (wide) *column = kWideColumn;
  if (std::string row = ComputedIntegersRow(*result); !row.empty()) return row;
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
  int64_t nan = 0, inf = 0, count = 0;
  for (double v : result->re) {
    if (std::isnan(v)) {
      ++nan;
    } else if (std::isinf(v)) {
      ++inf;
    } else {
      low = std::min(low, v);
      high = std::max(high, v);
      sum += v;
      ++count;
    }
  }
  return text(count, low, high, count > 0 ? sum / static_cast<double>(count) : 0, nan, inf);
}

// Takes "10-20", "3,0-5", "call 2", "in NAME" off the end of what info iterations is given.
absl::string_view TakeIterations(absl::string_view& args) {
  const absl::string_view all = args;
  while (true) {
    const size_t space = args.rfind(' ');
    if (space == absl::string_view::npos) break;
    const absl::string_view last = args.substr(space + 1), before = absl::StripAsciiWhitespace(args.substr(0, space));
    const bool numbers = !last.empty() && std::all_of(last.begin(), last.end(), [](char c) { return absl::ascii_isdigit(c) || c == ',' || c == '-'; }) && absl::ascii_isdigit(last[0]);
    const bool part = absl::EndsWith(before, " in condition of") || absl::EndsWith(before, " in body of");
    const bool pair = part || absl::EndsWith(before, " in") || absl::EndsWith(before, " call");
    if (!numbers && !pair) break;
    args = pair ? absl::StripAsciiWhitespace(before.substr(0, before.rfind(part ? " in " : " "))) : before;
    const char end = args.empty() ? ' ' : args.back();
    if (!pair && (end == '+' || end == '*' || end == '/' || end == '<' || end == '>' || end == '=')) {  // a number of the expression's
      args = absl::StripAsciiWhitespace(all.substr(0, static_cast<size_t>(last.data() + last.size() - all.data())));
      break;
    }
  }
  return absl::StripAsciiWhitespace(all.substr(args.size()));
}

absl::Status IterationTable(Session::State& s, const std::string& text, Occurrences& occurrences, const std::string& title, bool whole, int64_t* all) {
  const std::string legend = occurrences.Legend();
  constexpr int64_t kMostRows = 100000, kFirst = 40, kLast = 10;
  int64_t rows = 0;
  std::deque<std::string> last;  // of those that are not shown in their turn
  const absl::Status status = LookAround(s, [&] {
    return occurrences.Visit(s, [&](const Occurrence& occurrence) -> absl::StatusOr<bool> {
      int column = 0;
      const absl::StatusOr<std::string> row = StatisticsRow(s, text, &column);
      if (!row.ok()) return row.status();
      const std::string label = occurrences.RowLabel(occurrence);
      const size_t width = occurrences.RowLabelWidth();
      const auto padded = [&](const std::string& word) { return absl::StrCat(std::string(width > word.size() ? width - word.size() : 0, ' '), word); };
      if (rows == 0) {
        if (!title.empty()) s.Say(title, ":\n");
        if (!legend.empty()) s.Say(legend, "\n");
        const absl::string_view head = occurrences.plain() ? "iteration" : "moment";
        s.Say(head, std::string(width - head.size(), ' '), absl::StrFormat(" %*s %*s %*s    nan    inf\n", column, "min", column, "max", column, "mean"));
      }
      if (whole || rows < kFirst) {
        s.Say(padded(label), " ", *row);
      } else {
        last.push_back(absl::StrCat(padded(label), " ", *row));
        if (static_cast<int64_t>(last.size()) > kLast) last.pop_front();
      }
      return ++rows < kMostRows;
    });
  });
  if (const int64_t between = whole ? 0 : rows - kFirst - static_cast<int64_t>(last.size()); between > 0) {
    s.Say("      ... (", Count(between, "row"), " of ", rows, " left out; info iterations /all ", text, " shows all, ", text, " FIRST-LAST some)\n");
  }
  for (const std::string& row : last) s.Say(row);
  *all += rows;
  if (status.ok() && rows > 0) s.Say(occurrences.LeftOut());
  if (status.ok() && rows == kMostRows) s.Say("(at most ", kMostRows, " rows are shown; info iterations ", text, " FIRST-LAST shows others)\n");
  return status;
}

// Of a loop in a loop, what was shown are the iterations of the present one of those around it.
void SayOthers(Session::State& s, absl::string_view expression) {
  const absl::StatusOr<const Instruction*> value = s.FindInstruction(absl::StripPrefix(expression, "%"));
  const int depth = value.ok() ? s.FrameThatShows(**value) : -1;
  const Frame* outer = nullptr;
  int loops = 0;
  for (int k = 0; k <= depth; ++k) {
    const Frame& frame = s.machine->frames()[static_cast<size_t>(k)];
    if (frame.kind != FrameKind::kWhileBody) continue;
    if (++loops == 1) outer = &frame;
  }
  if (loops < 2) return;
  const std::string name = LoopName(*s.module, *outer->caller);
  if (absl::StrContains(name, ":")) return;  // a computation of several loops: each row says of which it is
  s.Say("note: of iteration ", outer->iteration, " of ", name, " alone, the present one; info iterations ", expression, " in ", name, " shows those of all\n");
}

// The loop that `text` names, where its iterations are meant and not its result in those of a loop around it; null: it is something else.
const Instruction* LoopItself(Session::State& s, absl::string_view text) {
  const absl::StatusOr<const Instruction*> named = s.FindInstruction(absl::StripPrefix(text, "%"));
  if (!named.ok() || Def(**named).control != ControlKind::kWhile) return nullptr;
  const bool is_value = (*named)->shape.IsArray() && CallsOf(s).in_loop[(*named)->parent->id];
  return is_value ? nullptr : *named;
}

// The rows of an expression; `title` empty: its own.
absl::Status RowsOf(Session::State& s, absl::string_view expression, const Asked& asked, const std::string& title, bool whole) {
  absl::StatusOr<Meant> meant = FindMeant(s, asked, expression);
  if (!meant.ok()) return meant.status();
  int64_t rows = 0;
  for (size_t k = 0; k < meant->occurrences.size(); ++k) {
    const absl::Status status = IterationTable(s, std::string(expression), meant->occurrences[k], title.empty() ? meant->labels[k] : title, whole, &rows);
    absl::string_view why = status.message();
    const bool told = rows > 0 && !status.ok() && absl::ConsumePrefix(&why, kBeforeThat);
    if (told) s.Say(absl::IsFailedPrecondition(status) ? "What comes after that is not known yet: " : "Nothing comes after that: ", why, "\n");
    else if (!status.ok()) return status;
  }
  if (rows == 0) {
    const std::string in = asked.caller == nullptr ? "" : absl::StrCat(" in ", LoopName(*s.module, *asked.caller));
    return absl::NotFoundError(meant->occurrences[0].NoneText(absl::StrCat("iteration ", asked.iterations.back().first, in)));
  }
  s.Say(meant->note);
  if (asked.caller == nullptr && meant->note.empty() && meant->occurrences.size() == 1) SayOthers(s, expression);
  return absl::OkStatus();
}

// A table for each array that the loop carries: what its iterations begin with.
absl::Status CarriedTables(Session::State& s, const Instruction& loop, Asked asked, bool whole) {
  const Computation& body = *loop.Called(AttrId::kBody);
  if (asked.loop == nullptr && CallsOf(s).callers[body.id].size() > 1) {  // other loops run that body, too
    asked.caller = &loop;
    asked.loop = &body;
  }
  int told = 0, more = 0;
  for (const Instruction* parameter : body.parameters) {
    for (int leaf = 0; leaf < LeafCountOf(parameter->shape); ++leaf) {
      const Shape& shape = LeafShape(parameter->shape, leaf);
      if (!shape.IsArray()) continue;
      if (told == kMostArrays) {
        ++more;
        continue;
      }
      ++told;
      const std::string element = absl::StrCat(body.name, ":", parameter->name, parameter->shape.IsTuple() ? LeafPathText(parameter->shape, leaf) : "");
      const std::string title = absl::StrCat(element, ", ", shape.ToString(), ", at the beginning of each iteration of %", LoopName(*s.module, loop));
      if (absl::Status rows = RowsOf(s, element, asked, title, whole); !rows.ok()) return rows;
    }
  }
  if (told == 0) return absl::InvalidArgumentError(absl::StrCat(ShownName(loop), " carries no array"));
  if (more > 0) s.Say("(", Count(more, "more array"), " of ", ShownName(loop), " can be asked for by name, as the last one: info iterations ", body.name, ":", body.parameters[0]->name, "[...])\n");
  return absl::OkStatus();
}

}  // namespace

absl::Status InfoIterations(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  const bool all = absl::ConsumePrefix(&args, "/all ");
  args = absl::StripAsciiWhitespace(args);
  const absl::string_view asked_text = TakeIterations(args);
  if (args.empty()) return absl::InvalidArgumentError("info iterations takes a value of a loop's body, or the loop itself, as: info iterations %loss, or info iterations %loss 10-20");
  if (absl::Status known = s.CheckExpression(args); !known.ok()) return known;
  if (s.Extension<Travel>().timeline == nullptr || !s.visible()) return absl::FailedPreconditionError("the program is not running; run or start begins it");
  const AheadTogether together(s);  // rows may lie behind exchanges that have not been made
  absl::StatusOr<Asked> asked = ParseAsked(s, asked_text, true);
  if (!asked.ok()) return asked.status();
  const bool whole = all || !asked->iterations.empty();
  if (asked->iterations.empty()) asked->iterations.push_back({0, -1});
  if (const Instruction* loop = LoopItself(s, args)) return CarriedTables(s, *loop, *asked, whole);
  return RowsOf(s, args, *asked, "", whole);
}

}  // namespace hloscope
