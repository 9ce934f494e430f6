// The bits of one element: sign, exponent and fraction, what they come to, the numbers next to it and how far apart they are, where it lies in
// the range of its type, and what it would be in other types. Bits can be flipped. Of conversions the number before and after.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/literal/scalar.h"
#include "visualizer/pictures/bit_lanes.h"
#include "visualizer/pictures/board.h"

namespace hloscope {
namespace {

constexpr float kLeft = 14;
constexpr Ink kSignInk = Ink::kOrange, kExponentInk = Ink::kViolet, kFractionInk = Ink::kBlue;

Scalar ScalarOfBits(ElementType type, uint64_t bits) {
  std::byte storage[16] = {};
  std::memcpy(storage, &bits, sizeof(bits));
  return LoadScalar(type, storage);
}

// A number as its type writes it, taken apart.
struct FloatParts {
  ElementType type;
  uint64_t bits = 0;
  FloatFields fields{};
  bool has_sign = false, negative = false;
  uint64_t exponent = 0, fraction = 0;
  double value = 0;
  bool lowest = false;  // the exponent of denormals and zero

  FloatParts(ElementType type, uint64_t bits) : type(type), bits(bits), fields(FieldsOf(type)) {
    const int below = fields.exponent_bits + fields.mantissa_bits;
    has_sign = below < BitWidth(type);
    negative = has_sign && (bits >> below & 1) != 0;
    exponent = bits >> fields.mantissa_bits & ((uint64_t{1} << fields.exponent_bits) - 1);
    fraction = fields.mantissa_bits == 0 ? 0 : bits & ((uint64_t{1} << fields.mantissa_bits) - 1);
    value = DecodeFloat(type, bits);
    lowest = exponent == 0 && has_sign;
  }
  bool normal() const { return std::isfinite(value) && value != 0 && !lowest; }
  const char* kind() const { return std::isnan(value) ? HLO_CAPTION("not a number") : std::isinf(value) ? HLO_CAPTION("infinity") : value == 0 ? HLO_CAPTION("zero") : lowest ? HLO_CAPTION("denormal") : HLO_CAPTION("normal"); }
  int64_t power() const { return (lowest ? 1 : static_cast<int64_t>(exponent)) - fields.bias; }
  double significand() const { return std::ldexp(static_cast<double>(fraction), -fields.mantissa_bits) + (lowest ? 0 : 1); }
  // Numbers in order have places in order; both zeros are 0.
  int64_t place() const {
    const uint64_t size = has_sign ? bits & ((uint64_t{1} << (fields.exponent_bits + fields.mantissa_bits)) - 1) : bits;
    return negative ? -static_cast<int64_t>(size) : static_cast<int64_t>(size);
  }
};

// The number `by` places further; nothing where the type ends.
std::optional<FloatParts> Neighbour(const FloatParts& of, int64_t by) {
  const int64_t place = of.place() + by;
  const int below = of.fields.exponent_bits + of.fields.mantissa_bits;
  const uint64_t size = static_cast<uint64_t>(std::abs(place));
  if (size >> below != 0 || (place < 0 && !of.has_sign)) return std::nullopt;
  FloatParts next(of.type, place < 0 ? size | uint64_t{1} << below : size);
  if (std::isnan(next.value)) return std::nullopt;
  return next;
}

// All digits, where they are few enough to read.
std::string ExactText(double x) {
  if (!std::isfinite(x)) return "";
  const std::string text = absl::StrFormat("%.46g", x);
  return text == absl::StrFormat("%.90g", x) ? text : "";
}
// Wide enough for every integer: in a double, 2^53 and the number after it are one.
long double NumberOf(const Scalar& s) { return IsFloat(s.type) ? static_cast<long double>(s.re) : IsUnsigned(s.type) ? static_cast<long double>(s.u()) : static_cast<long double>(s.i); }
std::string Rough(double x) { return absl::StrFormat("%.4g", x); }
std::string WrittenOut(const Scalar& s) {
  if (!IsFloat(s.type)) return ToText(s);
  const std::string exact = ExactText(s.re);
  return exact.empty() ? absl::StrFormat("%.17g", s.re) : exact;
}
// As the type writes it; of small denormals, whose exact digits are too many and whose own are too few for sums to come out, four digits.
std::string NumberText(const FloatParts& p) {
  const std::string own = ToText(ScalarOfBits(p.type, p.bits));
  double read = 0;
  const bool near = !std::isfinite(p.value) || (absl::SimpleAtod(own, &read) && std::abs(read - p.value) <= 5e-4 * std::abs(p.value));
  return near || !ExactText(p.value).empty() ? own : Rough(p.value);
}
// "3 × 2^-149"; x is not 0.
std::string OddTimesPower(double x) {
  int exponent = 0;
  double odd = std::frexp(x, &exponent);
  while (odd != std::trunc(odd)) {
    odd *= 2;
    --exponent;
  }
  return absl::StrCat(std::abs(odd) == 1 ? (odd < 0 ? "-" : "") : absl::StrFormat("%.0f × ", odd), "2^", exponent);
}
// 2^-23 where it is a power of two.
std::string PowerText(double x) {
  int exponent = 0;
  return std::frexp(std::abs(x), &exponent) == 0.5 ? absl::StrCat("2^", exponent - 1) : Rough(x);
}

// Formats without infinity (f8e4m3fn) use the highest exponent too; their NaN is its last fraction.
bool HighestExponentIsOrdinary(const FloatParts& p) {
  const uint64_t exponent = ((uint64_t{1} << p.fields.exponent_bits) - 1) << p.fields.mantissa_bits;
  return p.fields.mantissa_bits > 0 && p.bits != 0 && (p.bits & exponent) == exponent && ScalarOfBits(p.type, exponent).IsFinite();
}

struct BitRun {
  std::string name;     // "exponent"
  std::string meaning;  // "124 - 127 = -3"
  Ink ink = Ink::kDim;
  int low = 0, count = 0;
};

class NumbersPicture {
 public:
  NumbersPicture(Board& board, float width, bool live)
      : board_(board), d_(board.drawing()), tr_(board.captions()), width_(width - 2 * kLeft), live_(live) {}

  // One number; `from`: what it was rounded from.
  void Card(const std::string& name, ElementType type, uint64_t bits, bool may_flip, bool flipped, std::optional<Scalar> from = std::nullopt) {
    name_ = name;
    Head(type, bits, flipped);
    if (IsFloat(type)) {
      const FloatParts parts(type, bits);
      Bits(type, bits, RunsOf(parts), may_flip);
      board_.Code(Equation(parts));
      const std::string exact = ExactText(parts.value);
      if (exact.empty() && parts.lowest && std::isfinite(parts.value)) {
        board_.Say(tr_("Exactly $0.", OddTimesPower(parts.value)));
      } else if (!exact.empty() && exact != ToText(ScalarOfBits(type, bits))) {
        board_.Say(tr_("Exactly $0.", exact));
      }
      if (std::isfinite(parts.value)) Neighbours(parts, from);
      Range(parts);
    } else {
      Bits(type, bits, RunsOfWhole(type, bits), may_flip);
      if (IsInteger(type)) WholeRange(type, ScalarOfBits(type, bits));
    }
  }

  // The same value, and the same bits, in other types.
  void Others(ElementType type, uint64_t bits) {
    const Scalar s = ScalarOfBits(type, bits);
    static constexpr ElementType kFloats[] = {ElementType::kF64, ElementType::kF32, ElementType::kBF16, ElementType::kF16, ElementType::kF8E5M2, ElementType::kF8E4M3FN, ElementType::kF6E3M2FN, ElementType::kF4E2M1FN};
    static constexpr ElementType kWholes[] = {ElementType::kS32, ElementType::kS8, ElementType::kU8};
    Heading(tr_("In other types"));
    // The bits have no room in narrow panels.
    constexpr float kBitsWidth = 136, kWithBits = 500;
    const bool with_bits = width_ >= kWithBits;
    const float by = with_bits ? std::min(1.0f, (width_ - kBitsWidth) / 420) : 1;
    const float columns[] = {0, with_bits ? 92 * by : 62, with_bits ? 260 * by : 234, 420 * by};
    const auto line = [&](std::vector<std::string> texts, Paint paint, Face face) {
      if (!with_bits) texts.pop_back();
      Line(columns, texts, paint, face);
    };
    line({"", tr_("converted"), with_bits ? tr_("relative error") : "", tr_("bits")}, Ink::kFaint, Face::kUi);
    const long double x = NumberOf(s);
    const auto row = [&](ElementType other) {
      if (other == type) return;
      const Scalar c = ConvertScalar(s, other);
      const long double y = NumberOf(c);
      const bool exact = y == x || (std::isnan(x) && std::isnan(y));
      const bool lost = !exact && (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0 || Outside(other, x, y));
      const std::string error = exact ? tr_("exact") : lost ? tr_("lost") : absl::StrFormat("%.2g", static_cast<double>(std::abs((y - x) / x)));
      line({std::string(Name(other)), SignedText(c), error, absl::StrFormat("0x%0*x", (BitWidth(other) + 3) / 4, BitsOfScalar(c))}, exact ? Ink::kText : lost ? Ink::kPink : Ink::kDim, Face::kMono);
    };
    for (const ElementType other : kFloats) row(other);
    for (const ElementType other : kWholes) row(other);
    // The same bits, read as another type of the same size.
    std::vector<std::pair<ElementType, Scalar>> read;
    for (const ElementType other : {ElementType::kF32, ElementType::kS32, ElementType::kU32, ElementType::kF64, ElementType::kS64, ElementType::kBF16, ElementType::kF16, ElementType::kS16, ElementType::kF8E5M2, ElementType::kF8E4M3FN, ElementType::kS8, ElementType::kU8}) {
      if (other != type && BitWidth(other) == BitWidth(type)) read.emplace_back(other, ScalarOfBits(other, bits));
    }
    if (read.empty()) return;
    std::vector<std::string> parts;
    for (const auto& [other, number] : read) parts.push_back(tr_("as $0 are $1", Name(other), SignedText(number)));
    board_.Skip(4);
    board_.Say(tr_("The same bits read $0.", tr_.And(parts)));
  }

  void Gap(float height) { board_.Skip(height); }

 private:
  void Heading(absl::string_view text) {
    board_.Skip(10);
    d_.AddText({kLeft, board_.y() + 12}, text, {12, Face::kStrong, Ink::kDim});
    board_.Skip(20);
  }
  // Whether it is another number because the type does not reach so far: whole numbers wrap, and a float without infinity is its largest.
  static bool Outside(ElementType type, long double from, long double to) {
    if (!IsFloat(type)) return std::abs(from - to) >= 1;
    return std::abs(to) < std::abs(from) && std::abs(from - to) > UlpAt(type, static_cast<double>(to)) / 2;
  }

  void Line(const float* columns, const std::vector<std::string>& texts, Paint paint, Face face) {
    for (size_t k = 0; k < texts.size(); ++k) d_.AddText({kLeft + columns[k], board_.y() + 12}, texts[k], {12, face, k == 0 ? Paint(Ink::kTeal) : paint});
    board_.Skip(17);
  }

  void Head(ElementType type, uint64_t bits, bool flipped) {
    board_.Skip(8);
    float x = kLeft;
    const float y = board_.y() + 15;
    const auto add = [&](absl::string_view text, float size, Face face, Paint paint, float gap) {
      d_.AddText({x, y}, text, {size, face, paint});
      x += TextWidth(text, face, size) + gap;
    };
    add(name_, 14, Face::kMonoStrong, Ink::kText, 10);
    add(Name(type), 13, Face::kMono, Ink::kTeal, 14);
    const Scalar s = ScalarOfBits(type, bits);
    add(absl::StrCat("= ", SignedText(s)), 15, Face::kMonoStrong, s.IsNaN() || !s.IsFinite() ? Ink::kPink : Ink::kText, 14);
    add(absl::StrFormat("0x%0*x", (BitWidth(type) + 3) / 4, bits), 12, Face::kMono, Ink::kDim, 14);
    if (IsFloat(type)) add(tr_(FloatParts(type, bits).kind()), 12, Face::kUi, Ink::kDim, 14);
    if (flipped && !live_) add(tr_("bits changed"), 12, Face::kUi, Ink::kAmber, 14);
    if (flipped && live_) {
      const std::string undo = tr_("bits changed · undo");
      const Box box{x, y - 12, TextWidth(undo, Face::kUi, 11) + 20, 18};
      d_.AddBox(box, Paint(Ink::kAmber, 0.2f), Ink::kAmber, 3);
      d_.AddTextIn(box, undo, {11, Face::kUi, Ink::kAmber});
      d_.AddSpot({.box = box, .hint = tr_("Back to the program's number"), .action = "bits="});
    }
    board_.Skip(28);
  }

  std::vector<BitRun> RunsOf(const FloatParts& p) const {
    std::vector<BitRun> runs;
    const FloatFields& f = p.fields;
    const bool special = !std::isfinite(p.value) && (p.exponent != 0 || !p.has_sign);  // else the sign alone makes it a NaN
    if (p.has_sign) runs.push_back({tr_("sign"), p.negative ? "-" : "+", kSignInk, f.exponent_bits + f.mantissa_bits, 1});
    const std::string exponent = special                                            ? tr_("special")
                                 : p.exponent == 0 && p.fraction == 0 && p.has_sign ? tr_("zero")
                                 : p.lowest                                         ? absl::StrCat("0: 1 - ", f.bias, " = ", p.power())
                                            : absl::StrCat(p.exponent, " - ", f.bias, " = ", p.power());
    runs.push_back({tr_("exponent"), exponent, kExponentInk, f.mantissa_bits, f.exponent_bits});
    if (f.mantissa_bits > 0) {
      const std::string fraction = std::isnan(p.value) && special ? (HighestExponentIsOrdinary(p) ? "NaN" : tr_("payload"))
                                   : !std::isfinite(p.value)
                                       ? "0"
                                       : absl::StrCat(p.lowest ? "0" : "1", " + ", p.fraction, " / ", uint64_t{1} << f.mantissa_bits, " = ",
                                                      absl::StrFormat("%.*g", f.mantissa_bits > 23 ? 17 : 9, p.significand()));
      runs.push_back({tr_("fraction"), fraction, kFractionInk, 0, f.mantissa_bits});
    }
    return runs;
  }

  std::vector<BitRun> RunsOfWhole(ElementType type, uint64_t bits) const {
    const int width = BitWidth(type);
    if (IsPred(type)) return {{"", bits != 0 ? "true" : "false", kFractionInk, 0, width}};
    if (!IsSigned(type)) return {{"", absl::StrCat(bits), kFractionInk, 0, width}};
    const bool negative = (bits >> (width - 1) & 1) != 0;
    const uint64_t rest = bits & ((uint64_t{1} << (width - 1)) - 1);
    std::vector<BitRun> runs = {{tr_("sign"), negative ? absl::StrCat("-2^", width - 1) : "0", kSignInk, width - 1, 1}};
    if (width > 1) runs.push_back({tr_("two's complement"), absl::StrCat("+ ", rest), kFractionInk, 0, width - 1});
    return runs;
  }

  void Bits(ElementType type, uint64_t bits, const std::vector<BitRun>& runs, bool may_flip) {
    const int width = BitWidth(type);
    constexpr float kBetweenWords = 14, kMostWords = 280, kPlaceWidth = 13;
    const float gap = 10, room = width_ - gap * static_cast<float>(runs.size() - 1);
    // Long numbers take two lines in narrow panels rather than bits that nobody can read.
    const float each = std::clamp(std::floor(room / static_cast<float>(width)), 8.0f, 20.0f), tall = 26;
    float x = kLeft;
    const float top = board_.y() + 16;
    for (const BitRun& run : runs) {
      // A single bit's words may be wider than the bit.
      const float run_width = each * static_cast<float>(run.count);
      const float words = std::max(TextWidth(run.name, Face::kUi, 11), TextWidth(run.meaning, Face::kMono, 11)) + kBetweenWords;
      const float place = std::max(run_width, std::min(words, kMostWords)), from = x + (place - run_width) / 2;
      const float middle = x + place / 2;
      d_.AddText({middle, top - 5}, run.name, {11, Face::kUi, run.ink, Align::kCenter});
      for (int k = 0; k < run.count; ++k) {
        const int bit = run.low + run.count - 1 - k;
        const bool on = (bits >> bit & 1) != 0;
        const Box box{from + each * static_cast<float>(k), top, each, tall};
        d_.AddBox(box, Paint(run.ink, on ? 0.34f : 0.07f), Paint(run.ink, 0.5f));
        d_.AddTextIn(box, on ? "1" : "0", {each < 10 ? 10.0f : 12.0f, on ? Face::kMonoStrong : Face::kMono, on ? Ink::kText : Ink::kDim});
        std::string hint = may_flip ? tr_("bit $0: click to flip it", bit) : tr_("bit $0", bit);
        Spot spot{.box = box, .hint = std::move(hint)};
        if (may_flip) spot.action = absl::StrFormat("bits=0x%x", bits ^ uint64_t{1} << bit);
        d_.AddSpot(std::move(spot));
      }
      d_.AddText({from + each / 2, top + tall + 11}, absl::StrCat(run.low + run.count - 1), {9, Face::kUi, Ink::kFaint, Align::kCenter});
      if (run.count > 1 && run_width - each >= kPlaceWidth) d_.AddText({from + run_width - each / 2, top + tall + 11}, absl::StrCat(run.low), {9, Face::kUi, Ink::kFaint, Align::kCenter});
      d_.AddText({middle, top + tall + 26}, run.meaning, {11, Face::kMono, run.ink, Align::kCenter});
      x += place + gap;
    }
    board_.Skip(16 + tall + 36);
  }

  std::string Equation(const FloatParts& p) const {
    const FloatFields& f = p.fields;
    if (std::isnan(p.value) && HighestExponentIsOrdinary(p)) return absl::StrCat(p.negative ? "-" : "", "NaN: ", tr_("all bits of exponent and fraction are 1; with other fractions the highest exponent makes ordinary numbers"));
    if (std::isnan(p.value)) return absl::StrCat(p.negative && p.exponent != 0 ? "-" : "", "NaN: ", f.mantissa_bits == 0 ? tr_("the highest exponent") : p.exponent == 0 ? tr_("the sign alone is its code in this type") : tr_("its exponent is the highest, its fraction says which"));
    if (std::isinf(p.value)) return absl::StrCat(p.negative ? "-" : "", tr_("infinity: the highest exponent, and no fraction"));
    std::string text = p.has_sign ? absl::StrCat("(-1)^", p.negative ? 1 : 0, " × ") : "";
    absl::StrAppend(&text, "2^", p.power());
    if (f.mantissa_bits > 0) absl::StrAppend(&text, " × ", absl::StrFormat("%.17g", p.significand()));
    absl::StrAppend(&text, " = ", NumberText(p));
    if (p.lowest && p.value != 0) absl::StrAppend(&text, "    ", tr_("(denormal: no leading 1)"));
    return text;
  }

  // The numbers on both sides, at their distances.
  void Neighbours(const FloatParts& p, std::optional<Scalar> from) {
    Heading(tr_("The numbers next to it"));
    struct Tick {
      FloatParts parts;
      int by;
    };
    std::vector<Tick> ticks;
    for (int by = -3; by <= 3; ++by) {
      if (const std::optional<FloatParts> next = by == 0 ? std::optional<FloatParts>(p) : Neighbour(p, by)) ticks.push_back({*next, by});
    }
    const auto text_of = [](const Tick& t) { return NumberText(t.parts); };
    const auto style_of = [](const Tick& t) { return t.by == 0 ? TextStyle{12, Face::kMonoStrong, Ink::kText, Align::kCenter} : TextStyle{11, Face::kMono, Ink::kDim, Align::kCenter}; };
    double low = p.value, high = p.value, step = 0;
    float pad = 48;  // room for the texts at the ends
    for (const Tick& t : ticks) {
      if (!std::isfinite(t.parts.value)) continue;
      low = std::min(low, t.parts.value);
      high = std::max(high, t.parts.value);
      if (std::abs(t.by) == 1) step = std::max(step, std::abs(t.parts.value - p.value));
      pad = std::max(pad, std::ceil(TextWidth(text_of(t), style_of(t).face, style_of(t).size) / 2));
    }
    const float line_width = std::min(width_, 860.0f), y = board_.y() + 40;
    const double span = high > low ? high - low : 1;
    const auto x_of = [&](double v) { return kLeft + pad + static_cast<float>((v - low) / span) * (line_width - 2 * pad); };
    d_.AddLine({kLeft, y}, {kLeft + line_width, y}, {Ink::kDim, 1});
    // Where texts would run into each other one stands lower, the nearest numbers first. What fits nowhere is told by its hint.
    struct Taken {
      float left, right;
      int row;
    };
    constexpr int kRows = 3;
    std::vector<Taken> taken;
    int rows = 1;
    std::stable_sort(ticks.begin(), ticks.end(), [](const Tick& a, const Tick& b) { return std::abs(a.by) < std::abs(b.by); });
    for (const Tick& t : ticks) {
      if (!std::isfinite(t.parts.value)) continue;
      const bool own = t.by == 0;
      const float x = x_of(t.parts.value);
      d_.AddLine({x, y - (own ? 14.0f : 7.0f)}, {x, y + (own ? 8.0f : 7.0f)}, {own ? Paint(Ink::kBlue) : Paint(Ink::kDim), own ? 3.0f : 1.0f});
      const std::string text = text_of(t);
      const TextStyle style = style_of(t);
      const float half = TextWidth(text, style.face, style.size) / 2;
      for (int row = 0; row < kRows; ++row) {
        if (std::any_of(taken.begin(), taken.end(), [&](const Taken& other) { return other.row == row && x - half < other.right + 8 && other.left < x + half + 8; })) continue;
        d_.AddText({x, y + 23 + static_cast<float>(row) * 15}, text, style);
        taken.push_back({x - half, x + half, row});
        rows = std::max(rows, row + 1);
        break;
      }
      d_.AddSpot({.box = {x - 12, y - 14, 24, 52}, .hint = absl::StrCat(text, own ? "" : absl::StrCat(", ", t.by < 0 ? tr_("$0 below", std::abs(t.by)) : tr_("$0 above", std::abs(t.by))), absl::StrFormat("\n0x%0*x", (BitWidth(p.type) + 3) / 4, t.parts.bits))});
    }
    const std::optional<FloatParts> above = Neighbour(p, 1), below = Neighbour(p, -1);
    const auto brace = [&](double a, double b) {
      const float x0 = x_of(std::min(a, b)), x1 = x_of(std::max(a, b));
      const std::string text = PowerText(std::abs(b - a));
      d_.AddPath({{x0, y - 18}, {x0, y - 22}, {x1, y - 22}, {x1, y - 18}}, {kFractionInk, 1});
      d_.AddText({(x0 + x1) / 2, y - 27}, text, {11, Face::kMono, kFractionInk, Align::kCenter});
    };
    if (above.has_value() && std::isfinite(above->value)) brace(p.value, above->value);
    const bool above_ends = !above.has_value() || !std::isfinite(above->value);
    const auto words = [](double gap) { return TextWidth(PowerText(gap), Face::kMono, 11); };
    // Where the texts of both would meet, that of the larger one.
    const bool room = above_ends || !below.has_value() || !std::isfinite(below->value) || (x_of(above->value) - x_of(below->value)) / 2 > (words(above->value - p.value) + words(p.value - below->value)) / 2 + 6;
    if (room && below.has_value() && std::isfinite(below->value) && (above_ends || p.value - below->value != above->value - p.value)) brace(below->value, p.value);
    const long double before = from.has_value() ? NumberOf(*from) : 0;
    if (from.has_value() && std::isfinite(before) && before >= low && before <= high) {
      const float x = x_of(static_cast<double>(before));
      d_.AddPolygon({{x, y - 3}, {x - 5, y - 12}, {x + 5, y - 12}}, Ink::kAmber);
      d_.AddSpot({.box = {x - 8, y - 16, 16, 18}, .hint = tr_("before rounding: $0", WrittenOut(*from))});
    }
    board_.Skip(rows < kRows ? 86.0f : 101.0f);
    std::string text = step <= 0 ? tr_("The spacing here is not finite.") : p.value == 0 ? tr_("The spacing here is $0.", Rough(step)) : tr_("The spacing here is $0, one part in $1 of the number.", Rough(step), Rough(std::abs(p.value) / step));
    if (from.has_value() && !std::isnan(before) && step > 0) absl::StrAppend(&text, " ", BeforeText(p, *from, step, above, below));
    board_.Say(text);
  }

  // What it was before a conversion. `step`: the larger one of the spacings beside it.
  std::string BeforeText(const FloatParts& p, const Scalar& from, double step, const std::optional<FloatParts>& above,
                         const std::optional<FloatParts>& below) {
    const std::string was = IsFloat(from.type) ? absl::StrFormat("%.17g", from.re) : ToText(from);
    const long double before = NumberOf(from);
    const auto ends = [](const std::optional<FloatParts>& next) { return !next.has_value() || !std::isfinite(next->value); };
    const long double off = std::abs(before - p.value);
    if (before == p.value) return tr_("It was not rounded.");
    // Beyond the last number by more than half of a spacing, nothing rounds to it.
    if (off > step / 2 && before > p.value && ends(above))
      return tr_("It was $0 before: more than the largest number of $1, which it became.", was, Name(p.type));
    if (off > step / 2 && before < p.value && ends(below))
      return tr_("It was $0 before: less than the lowest number of $1, which it became.", was, Name(p.type));
    if (off > step) return tr_("It was $0 before, rounded to a coarser format than $1.", was, Name(p.type));
    // Of the spacing on its own side: above a power of two that is another one than below.
    const std::optional<FloatParts>& beside = before > p.value ? above : below;
    const double own = beside.has_value() && std::isfinite(beside->value) ? std::abs(beside->value - p.value) : step;
    return tr_("It was rounded from $0 (the amber mark), $1 of a spacing away.", was,
               absl::StrFormat("%.2g", static_cast<double>(off / own)));
  }

  // Its size among those of the type, by powers of two.
  void Range(const FloatParts& p) {
    const FloatFields& f = p.fields;
    Heading(tr_("Where it lies in its type"));
    // The ends, by looking: formats differ in what their highest codes mean.
    const uint64_t codes = uint64_t{1} << (f.exponent_bits + f.mantissa_bits);
    uint64_t top = codes - 1;
    if (f.mantissa_bits > 12) {
      top = codes - (uint64_t{1} << f.mantissa_bits) - 1;
    } else {
      while (top > 0 && !std::isfinite(DecodeFloat(p.type, top))) --top;
    }
    const double most = DecodeFloat(p.type, top), least = DecodeFloat(p.type, p.has_sign ? 1 : 0), least_normal = p.has_sign ? DecodeFloat(p.type, uint64_t{1} << f.mantissa_bits) : least;
    const double low = std::log2(least), high = std::log2(most);
    const float line_width = std::min(width_, 860.0f), pad = 24, y = board_.y() + 14, tall = 14;
    const auto x_of = [&](double size) { return kLeft + pad + static_cast<float>((std::log2(size) - low) / std::max(1e-9, high - low)) * (line_width - 2 * pad); };
    if (least_normal > least) d_.AddHatchedBox({x_of(least), y, x_of(least_normal) - x_of(least), tall}, Ink::kSunken, Paint(Ink::kFaint, 0.6f));
    d_.AddBox({x_of(least_normal), y, x_of(most) - x_of(least_normal), tall}, Paint(kExponentInk, 0.18f), Paint(kExponentInk, 0.5f));
    float free_from = -1e9f, free_below = -1e9f;
    const auto label = [&](double size, const std::string& name) {
      const std::string text = absl::StrCat(name, name.empty() ? "" : " ", Rough(size));
      const float x = x_of(size), half = TextWidth(text, Face::kUi, 11) / 2, at = std::clamp(x, kLeft + half, kLeft + line_width - half);
      d_.AddLine({x, y + tall}, {x, y + tall + 5}, {Ink::kDim, 1});
      const bool lower = at - half < free_from;
      float& free = lower ? free_below : free_from;
      if (lower && at - half < free_below) return;
      d_.AddText({at, y + tall + (lower ? 32.0f : 17.0f)}, text, {11, Face::kUi, Ink::kDim, Align::kCenter});
      free = at + half + 8;
    };
    if (least_normal > least) label(least, tr_("smallest"));
    label(least_normal, least_normal > least ? tr_("smallest normal") : tr_("smallest"));
    if (least_normal != 1 && least < 1 && most > 1) label(1, "");
    label(most, tr_("largest"));
    const double size = std::abs(p.value);
    if (size > 0 && std::isfinite(size)) {
      const float x = x_of(size);
      d_.AddLine({x, y - 6}, {x, y + tall}, {Ink::kBlue, 3});
      d_.AddSpot({.box = {x - 8, y - 8, 16, tall + 8}, .hint = absl::StrCat("|", name_, "| = ", ToText(ScalarOfBits(p.type, p.bits)))});
    }
    board_.Skip(14 + tall + 42);
    if (size == 0) board_.Say(p.negative ? tr_("Zero lies below all of them; this is the negative zero.") : tr_("Zero lies below all of them."));
    else if (!std::isfinite(size))
      board_.Say(std::isnan(size) ? tr_("A NaN has no size: it is neither less than, equal to nor greater than anything.")
                                  : tr_("In size an infinity lies above all of them."));
  }

  void WholeRange(ElementType type, const Scalar& s) {
    const int width = BitWidth(type);
    const double low = IsSigned(type) ? -std::ldexp(1.0, width - 1) : 0, high = std::ldexp(1.0, IsSigned(type) ? width - 1 : width) - 1;
    const double x = IsSigned(type) ? static_cast<double>(s.i) : static_cast<double>(s.u());
    Heading(tr_("Where it lies in its type"));
    const float line_width = std::min(width_, 860.0f), pad = 48, y = board_.y() + 14, tall = 14;
    const auto x_of = [&](double v) { return kLeft + pad + static_cast<float>((v - low) / (high - low)) * (line_width - 2 * pad); };
    d_.AddBox({x_of(low), y, x_of(high) - x_of(low), tall}, Paint(kFractionInk, 0.15f), Paint(kFractionInk, 0.5f));
    const std::string ends[] = {IsSigned(type) ? absl::StrCat(width >= 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (width - 1))) : "0",
                                IsSigned(type) ? absl::StrCat(width >= 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (width - 1)) - 1) : absl::StrCat(width >= 64 ? std::numeric_limits<uint64_t>::max() : (uint64_t{1} << width) - 1)};
    const bool meet = TextWidth(absl::StrCat(ends[0], ends[1]), Face::kMono, 11) + 12 > x_of(high) - x_of(low);
    d_.AddText({x_of(low), y + tall + 16}, ends[0], {11, Face::kMono, Ink::kDim});
    d_.AddText({x_of(high), y + tall + (meet ? 30 : 16)}, ends[1], {11, Face::kMono, Ink::kDim, Align::kRight});
    const float at = x_of(x);
    d_.AddLine({at, y - 6}, {at, y + tall}, {Ink::kBlue, 3});
    board_.Skip(14 + tall + (meet ? 40.0f : 26.0f));
  }

  Board& board_;
  Drawing& d_;
  const Captions& tr_;
  float width_;
  bool live_;
  std::string name_;
};

// Operations that say the same numbers in another type.
bool IsConversion(const Instruction& i) {
  return i.opcode == Opcode::kConvert || i.opcode == Opcode::kReducePrecision || i.opcode == Opcode::kStochasticConvert || i.opcode == Opcode::kBitcastConvert;
}

}  // namespace

int SuitsNumbers(const Instruction& instruction) {
  if (IsConversion(instruction)) return 80;
  if (instruction.shape.IsArray()) return 5;
  for (const Instruction* operand : instruction.operands) {
    if (operand->shape.IsArray()) return 2;
  }
  return 0;
}

absl::StatusOr<MadePicture> DrawNumbers(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  board.Headline();
  // The selected element; else the first one of the result.
  const Cell* selected = board.cell() != nullptr && scene.Has(*board.cell()) ? board.cell() : nullptr;
  const PictureArray* array = selected != nullptr ? scene.Find(selected->array) : !scene.results().empty() ? &scene.results().front() : scene.operands().empty() ? nullptr : &scene.operands().front();
  if (array == nullptr || array->shape.ElementCount() == 0) {
    board.Say(tr("There is no element whose bits could be shown."));
    return board.Finish();
  }
  const std::vector<int64_t> index = selected != nullptr ? selected->index : std::vector<int64_t>(array->shape.rank(), 0);
  if (selected == nullptr) board.set_marks([id = array->id, index](const Cell& c) { return c.array == id && c.index == index ? CellMark::kSelected : CellMark::kNone; });
  const bool conversion = IsConversion(data.instruction[0]) && !scene.operands().empty() && !scene.results().empty();
  std::vector<Board::Piece> row;
  if (conversion) {
    for (const PictureArray& operand : scene.operands()) {  // with the random bits that round
      if (!row.empty()) row.push_back(std::string());
      row.push_back(board.SpecOf(operand));
    }
    row.push_back(std::string("->"));
    row.push_back(board.SpecOf(scene.results().front()));
  } else {
    row.push_back(board.SpecOf(*array));
  }
  board.Row(std::move(row), 170);

  NumbersPicture picture(board, std::max(selection.width, 320.0f), selection.live);
  const ElementType type = array->shape.element_type();
  const std::optional<Scalar> value = array->At(index);
  const auto flipped = selection.options.find("bits");
  uint64_t bits = 0;
  const bool has_flipped = flipped != selection.options.end() && absl::SimpleHexAtoi(flipped->second, &bits);
  const std::string name = absl::StrCat(array->name, IndexText(index));
  if (!value.has_value() && !has_flipped && !IsComplex(type)) {
    board.Say(selection.live ? tr("$0 has no value yet. These are the bits of 1; click them to see others.", name) : tr("$0 has no value yet. These are the bits of 1.", name));
    bits = BitsOfScalar(IsFloat(type) ? Scalar::Float(type, 1) : Scalar::Int(type, 1));
  } else if (!has_flipped && !IsComplex(type)) {
    bits = BitsOfScalar(*value);
  }
  if (IsComplex(type)) {
    if (!value.has_value()) {
      board.Say(tr("$0 has no value yet.", name));
      return board.Finish();
    }
    const ElementType part = RealTypeOf(type);
    picture.Card(tr("re $0", name), part, BitsOfScalar(Scalar::Float(part, value->re)), false, false);
    picture.Card(tr("im $0", name), part, BitsOfScalar(Scalar::Float(part, value->im)), false, false);
    return board.Finish();
  }
  if (data.instruction->opcode == Opcode::kBitcastConvert && conversion && !has_flipped) DrawBitLanes(board, array->id, index);
  // Before and after a conversion, where elements correspond one to one.
  const bool same_place = conversion && Shape::SameDimensions(scene.operands().front().shape, scene.results().front().shape) && !has_flipped && array->id >= kResultArray;
  std::optional<Scalar> from;
  if (same_place) {
    const PictureArray& operand = scene.operands().front();
    if (const std::optional<Scalar> before = operand.At(index); before.has_value() && !IsComplex(before->type)) {
      picture.Card(absl::StrCat(operand.name, IndexText(index)), before->type, BitsOfScalar(*before), false, false);
      picture.Gap(8);
      if (data.instruction->opcode != Opcode::kBitcastConvert) from = *before;
    }
  }
  picture.Card(name, type, bits, !same_place && selection.live, has_flipped, from);
  if (!same_place) picture.Others(type, bits);
  return board.Finish();
}

}  // namespace hloscope
