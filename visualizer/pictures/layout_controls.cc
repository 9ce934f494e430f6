#include "visualizer/pictures/layout_controls.h"

#include <algorithm>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace hloscope {
namespace {

constexpr float kLeft = 14;

std::vector<int64_t> Numbers(absl::string_view text) {
  std::vector<int64_t> numbers;
  for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    int64_t i = 0;
    if (!absl::SimpleAtoi(part, &i)) return {};
    numbers.push_back(i);
  }
  return numbers;
}

const char* NameOf(PaddingValue value) {
  switch (value) {
    case PaddingValue::kUnknown: return HLO_CAPTION("unknown");
    case PaddingValue::kZero: return HLO_CAPTION("zero");
    case PaddingValue::kOne: return HLO_CAPTION("one");
    case PaddingValue::kLowest: return HLO_CAPTION("lowest");
    case PaddingValue::kHighest: return HLO_CAPTION("highest");
  }
  return "";
}
constexpr PaddingValue kPaddingValues[] = {PaddingValue::kZero, PaddingValue::kOne, PaddingValue::kLowest, PaddingValue::kHighest, PaddingValue::kUnknown};

TriedLayout Try(const Layout& own, ElementType type, absl::Span<const int64_t> dims, const PictureSelection& selection) {
  TriedLayout tried{own};
  Layout& layout = tried.layout;
  const auto option = [&](const char* name) -> const std::string* {
    const auto found = selection.options.find(name);
    return found == selection.options.end() ? nullptr : &found->second;
  };
  if (const std::string* order = option("minor_to_major")) layout.minor_to_major = Numbers(*order);
  // "0>2": dimension 0 goes to place 2 of the order.
  if (const std::string* move = option("move")) {
    const std::vector<std::string> parts = absl::StrSplit(*move, '>');
    int64_t dim = 0, to = 0;
    if (parts.size() == 2 && absl::SimpleAtoi(parts[0], &dim) && absl::SimpleAtoi(parts[1], &to)) {
      auto& order = layout.minor_to_major;
      const auto at = std::find(order.begin(), order.end(), dim);
      if (at != order.end() && to >= 0 && to < static_cast<int64_t>(order.size())) {
        order.erase(at);
        order.insert(order.begin() + to, dim);
      }
    }
  }
  if (const std::string* pad = option("pad")) layout.padded_dimensions = Numbers(*pad);
  if (const std::string* value = option("pad_value")) {
    for (const PaddingValue v : kPaddingValues) {
      if (*value == NameOf(v)) layout.padding_value = v;
    }
  }
  if (const std::string* tile = option("tile")) {
    layout.tiles.clear();
    if (*tile != "none") layout.tiles.push_back({Numbers(*tile)});
  }
  if (layout.padded_dimensions.size() == dims.size() && std::equal(dims.begin(), dims.end(), layout.padded_dimensions.begin())) layout.padded_dimensions.clear();
  if (const std::optional<LayoutProblem> problem = FindLayoutProblem(type, dims, layout)) {
    tried.problem = problem->message;
    layout = own;
  } else if (LayoutMap(type, dims, layout).ByteSize() == std::numeric_limits<int64_t>::max()) {
    const std::string sizes = absl::StrJoin(dims, ",");
    tried.problem = Message{HLO_CAPTION("an array of the shape $0 has more elements than any memory"), {absl::StrCat(Name(type), "[", sizes, "]", layout.ToString())}};
    layout = own;
  }
  tried.changed = !(layout == own);
  return tried;
}

}  // namespace

LayoutControls::LayoutControls(Board& board, const PictureSelection& selection, std::string name, ElementType type, std::vector<int64_t> dims, const Layout& own)
    : board_(board), d_(board.drawing()), selection_(selection), tr_(selection.captions), name_(std::move(name)), type_(type), dims_(std::move(dims)), axes_(CustomaryAxes(static_cast<int>(dims_.size()))),
      tried_(Try(own, type_, dims_, selection)), map_(type_, dims_, tried_.layout) {}

int64_t LayoutControls::Stride(int d) const {
  int64_t stride = 1;
  for (const int64_t minor : layout().minor_to_major) {
    if (minor == d) break;
    stride *= Padded(static_cast<int>(minor));
  }
  return stride;
}

void LayoutControls::Draw() {
  DrawType();
  if (!dims_.empty()) DrawOrder();
  DrawDimensions();
}

void LayoutControls::DrawType() {
  float x = kLeft;
  const float y = board_.y() + 14;
  const auto add = [&](absl::string_view text, Paint paint, float gap = 0) {
    d_.AddText({x, y}, text, {13, Face::kMono, paint});
    x += TextWidth(text, Face::kMono, 13) + gap;
  };
  add(absl::StrCat(name_, " "), Ink::kText);
  add(absl::StrCat(Name(type_), "["), Ink::kTeal);
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (d > 0) add(",", Ink::kDim);
    add(absl::StrCat(dims_[d]), Ink::kTeal);
  }
  add("]", Ink::kTeal);
  add(layout().ToString(), Ink::kViolet, 14);
  if (tried_.changed) Button(&x, y - 13, tr_("tried out · undo"), Ink::kAmber, tr_("Back to the program's layout"), kForgetTriedLayout);
  board_.Skip(24);
  if (tried_.problem.has_value()) board_.Say(tr_("Not possible: $0.", tr_(*tried_.problem)), Ink::kRed);
}

void LayoutControls::Button(float* x, float y, const std::string& text, Paint paint, const std::string& hint, const std::string& action) {
  if (!selection_.live) return;
  const Box box{*x, y, TextWidth(text, Face::kUi, 11) + 14, 18};
  d_.AddBox(box, Paint(paint.ink, 0.16f), Paint(paint.ink, 0.8f), 4);
  d_.AddTextIn(box, text, {11, Face::kUi, paint});
  d_.AddSpot({.box = box, .hint = hint, .action = action});
  *x = box.right() + 6;
}

std::string LayoutControls::OrderAction(const std::vector<int64_t>& order) const { return absl::StrCat("minor_to_major=", absl::StrJoin(order, ","), ";move="); }

// Chips from the most minor to the most major. Dragged, or clicked to become the most minor.
void LayoutControls::DrawOrder() {
  const std::vector<int64_t>& order = layout().minor_to_major;
  const float top = board_.y() + 4, tall = 26;
  d_.AddText({kLeft, top + 17}, "minor_to_major", {12, Face::kMonoStrong, Ink::kViolet});
  float x = kLeft + TextWidth("minor_to_major", Face::kMonoStrong, 12) + 14;
  const float first = x;
  float last = x;
  for (size_t k = 0; k < order.size(); ++k) {
    const int64_t d = order[k];
    const Box box{x, top, std::max(46.0f, 2 * TextWidth(axes_[d].letter, Face::kStrong, 13) + 20), tall};
    d_.AddBox(box, Paint(Ink::kViolet, 0.14f), Paint(Ink::kViolet, 0.7f), 5);
    const float middle = box.x + box.width / 2;
    d_.AddText({middle - 3, top + 17}, axes_[d].letter, {13, Face::kStrong, Ink::kText, Align::kRight});
    d_.AddText({middle + 3, top + 17}, absl::StrCat(d), {12, Face::kMono, Ink::kDim});
    std::vector<int64_t> front = order;
    front.erase(front.begin() + static_cast<ptrdiff_t>(k));
    front.insert(front.begin(), d);
    Spot spot{.box = box, .hint = tr_("dimension $0 ($1), size $2", d, axes_[d].letter, dims_[d])};
    if (order.size() > 1 && selection_.live) {
      absl::StrAppend(&spot.hint, "\n", tr_("Drag it to another place, or click to make it the most minor"));
      if (k > 0) spot.action = OrderAction(front);
      spot.drag = absl::StrCat("order:", d);
      spot.drop = absl::StrCat("order:minor_to_major=", absl::StrJoin(order, ","), ";move=$>", k);
    }
    d_.AddSpot(std::move(spot));
    last = box.right();
    x = box.right() + (k + 1 < order.size() ? 22 : 0);
    if (k + 1 < order.size()) d_.AddLine({box.right() + 4, top + tall / 2}, {x - 3, top + tall / 2}, {.paint = Ink::kDim, .arrow = true});
  }
  if (order.size() > 1) {
    const std::string minor = tr_("most minor: changes fastest"), major = tr_("most major");
    d_.AddText({first, top + tall + 13}, minor, {11, Face::kUi, Ink::kDim});
    // Each below its own, or the last beside it.
    const bool room = first + TextWidth(minor, Face::kUi, 11) + 24 + TextWidth(major, Face::kUi, 11) <= last;
    d_.AddText({room ? last : last + 10, room ? top + tall + 13 : top + 17}, major,
               {11, Face::kUi, Ink::kDim, room ? Align::kRight : Align::kLeft});
    board_.Skip(4 + tall + 22);
  } else {
    board_.Skip(4 + tall + 8);
  }
}

// A minus and a plus round a number.
void LayoutControls::Stepper(float x, float y, const std::string& less_hint, const std::string& more_hint, bool less, const std::string& less_action, const std::string& more_action) {
  if (!selection_.live) return;
  const auto sign = [&](float at, const char* text, bool can, const std::string& action, const std::string& hint) {
    const Box box{at, y, 16, 16};
    d_.AddBox(box, Paint(Ink::kRaised), {}, 3);
    d_.AddTextIn(box, text, {12, Face::kStrong, can ? Ink::kBlue : Ink::kFaint});
    if (can) d_.AddSpot({.box = box, .hint = hint, .action = action});
  };
  sign(x, "−", less, less_action, less_hint);
  sign(x + 19, "+", true, more_action, more_hint);
}

void LayoutControls::DrawDimensions() {
  const int rank = static_cast<int>(dims_.size());
  if (rank > 0) {
    const float at[] = {kLeft, kLeft + 92, kLeft + 150, kLeft + 286};
    const auto head = [&](float x, absl::string_view text, Align align = Align::kLeft) { d_.AddText({x, board_.y() + 12}, text, {11, Face::kUi, Ink::kFaint, align}); };
    head(at[0], tr_("dimension"));
    head(at[1] + 34, tr_("size"), Align::kRight);
    head(at[2], tr_("padded to"));
    head(at[3], tr_("stride, in places"));
    board_.Skip(18);
    for (int d = 0; d < rank; ++d) {
      const float y = board_.y() + 13;
      d_.AddText({at[0], y}, axes_[d].letter, {13, Face::kStrong, axes_[d].paint});
      d_.AddText({at[0] + 24, y}, tr_("dim $0", d), {12, Face::kUi, Ink::kDim});
      d_.AddText({at[1] + 34, y}, absl::StrCat(dims_[d]), {13, Face::kMono, Ink::kText, Align::kRight});
      const bool padded = Padded(d) > dims_[d];
      d_.AddText({at[2] + 40, y}, absl::StrCat(Padded(d)), {13, Face::kMono, padded ? Ink::kOrange : Ink::kFaint, Align::kRight});
      Stepper(at[2] + 52, board_.y() + 1, tr_("less padding"), tr_("more padding"), padded, PadAction(d, -1), PadAction(d, 1));
      d_.AddText({at[3], y}, StrideText(d), {13, Face::kMono, Ink::kText});
      board_.Skip(21);
    }
  }
  // Padding's value and tiles, one line each, where there is something to say or to try.
  if (map_.HasPadding()) {
    const std::string label = tr_("padding value");
    float x = kLeft + std::max(92.0f, TextWidth(label, Face::kUi, 12) + 10);
    d_.AddText({kLeft, board_.y() + 15}, label, {12, Face::kUi, Ink::kDim});
    for (const PaddingValue v : kPaddingValues) {
      const std::string text = tr_(NameOf(v));
      if (!selection_.live && layout().padding_value != v) continue;
      const Box box{x, board_.y() + 1, TextWidth(text, Face::kUi, 11) + 14, 19};
      const bool on = layout().padding_value == v;
      d_.AddBox(box, on ? Paint(Ink::kOrange, 0.25f) : Paint(Ink::kRaised), {}, 4);
      d_.AddTextIn(box, text, {11, Face::kUi, on ? Ink::kText : Ink::kDim});
      if (!on) d_.AddSpot({.box = box, .hint = tr_("What the padding holds"), .action = absl::StrCat("pad_value=", NameOf(v))});
      x = box.right() + 4;
    }
    board_.Skip(25);
  }
  if (rank > 0 && (selection_.live || !layout().tiles.empty())) DrawTiles();
}

std::string LayoutControls::PadAction(int d, int by) const {
  std::vector<int64_t> padded;
  for (size_t k = 0; k < dims_.size(); ++k) padded.push_back(Padded(static_cast<int>(k)));
  padded[d] = std::max(dims_[d], padded[d] + by);
  std::string action = absl::StrCat("pad=", absl::StrJoin(padded, ","));
  if (layout().padding_value == PaddingValue::kUnknown && !selection_.options.contains("pad_value")) action += ";pad_value=zero";
  return action;
}
std::string LayoutControls::StrideText(int d) const {
  if (!layout().tiles.empty()) return tr_("$0 before tiling", Stride(d));
  return absl::StrCat(Stride(d));
}

void LayoutControls::DrawTiles() {
  float x = kLeft + 92;
  const float y = board_.y() + 15;
  d_.AddText({kLeft, y}, tr_("tiles"), {12, Face::kUi, Ink::kDim});
  if (layout().tiles.empty()) {
    std::vector<int64_t> suggestion(std::min<size_t>(dims_.size(), 2), 2);
    if (suggestion.size() == 1) suggestion[0] = 4;
    Button(&x, y - 13, tr_("try $0", absl::StrCat("T(", absl::StrJoin(suggestion, ","), ")")), Ink::kBlue, tr_("Cuts the memory into tiles that lie one after the other"), absl::StrCat("tile=", absl::StrJoin(suggestion, ",")));
    board_.Skip(25);
    return;
  }
  for (const Tile& tile : layout().tiles) {
    const std::string text = absl::StrCat("T(", absl::StrJoin(tile.dimensions, ",", [](std::string* out, int64_t t) { absl::StrAppend(out, t == Tile::kCombine ? "*" : absl::StrCat(t)); }), ")");
    d_.AddText({x, y}, text, {13, Face::kMono, Ink::kViolet});
    x += TextWidth(text, Face::kMono, 13) + 8;
  }
  if (layout().tiles.size() == 1) {
    const std::vector<int64_t>& tile = layout().tiles[0].dimensions;
    const auto changed = [&](size_t k, int64_t to) {
      std::vector<int64_t> other = tile;
      other[k] = to;
      return absl::StrCat("tile=", absl::StrJoin(other, ","));
    };
    for (size_t k = 0; k < tile.size(); ++k) {
      if (tile[k] == Tile::kCombine) continue;
      Stepper(x, y - 12, tr_("less in entry $0 of the tile", k), tr_("more in entry $0 of the tile", k), tile[k] > 1, changed(k, tile[k] - 1), changed(k, tile[k] + 1));
      x += 46;
    }
  }
  Button(&x, y - 13, tr_("without"), Ink::kBlue, tr_("Without tiles"), "tile=none");
  board_.Skip(25);
}

}  // namespace hloscope
