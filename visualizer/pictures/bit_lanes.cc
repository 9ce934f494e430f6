#include "visualizer/pictures/bit_lanes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hloscope {
namespace {

constexpr float kLeft = 14, kTall = 24, kGap = 8;

// Narrow elements of one wide element, lowest bits first: the narrow array has one more dimension, the last, which counts them.
struct Lanes {
  const PictureArray *wide = nullptr, *narrow = nullptr;
  std::vector<int64_t> of;  // the wide element
  int64_t chosen = -1;      // the narrow one that is looked at; -1: all of them
  int bits = 0, count = 0;  // of each, and how many

  std::vector<int64_t> Index(int64_t lane) const {
    std::vector<int64_t> index = of;
    index.push_back(lane);
    return index;
  }
  std::string NameOf(int64_t lane) const { return absl::StrCat(narrow->name, IndexText(Index(lane))); }
};

std::optional<Lanes> LanesOf(const PictureScene& scene, int array, absl::Span<const int64_t> index) {
  const PictureArray &operand = scene.operands().front(), &result = scene.results().front();
  const ElementType from = operand.shape.element_type(), to = result.shape.element_type();
  if (IsComplex(from) || IsComplex(to) || BitWidth(from) == BitWidth(to)) return std::nullopt;
  Lanes lanes;
  const bool splits = BitWidth(from) > BitWidth(to);
  lanes.wide = splits ? &operand : &result;
  lanes.narrow = splits ? &result : &operand;
  lanes.bits = BitWidth(lanes.narrow->shape.element_type());
  lanes.count = BitWidth(lanes.wide->shape.element_type()) / lanes.bits;
  lanes.of.assign(index.begin(), index.end());
  if (array == lanes.narrow->id && !lanes.of.empty()) {
    lanes.chosen = lanes.of.back();
    lanes.of.pop_back();
  }
  return lanes;
}

// "bits 8 to 15", "bit 3".
std::string BitsText(const Captions& tr, const Lanes& lanes, int64_t lane) {
  const int64_t low = lane * lanes.bits;
  return lanes.bits == 1 ? tr("bit $0", low) : tr("bits $0 to $1", low, low + lanes.bits - 1);
}

// One narrow element's bits, its name above and its number below.
void DrawLane(Board& board, const Lanes& lanes, int64_t lane, uint64_t bits, Box box) {
  Drawing& d = board.drawing();
  const bool chosen = lane == lanes.chosen, quiet = lanes.chosen >= 0 && !chosen;
  const Paint ink = GroupInk(static_cast<int>(lane % kGroupInks));
  const float each = box.width / static_cast<float>(lanes.bits);
  for (int k = 0; k < lanes.bits; ++k) {
    const bool on = (bits >> (lanes.bits - 1 - k) & 1) != 0;
    const Box cell{box.x + each * static_cast<float>(k), box.y, each, box.height};
    d.AddBox(cell, Paint(ink.ink, quiet ? 0.08f : on ? 0.36f : 0.16f), Paint(ink.ink, quiet ? 0.3f : 0.6f));
    d.AddTextIn(cell, on ? "1" : "0", {each < 10 ? 10.0f : 12.0f, on ? Face::kMonoStrong : Face::kMono, quiet ? Ink::kFaint : on ? Ink::kText : Ink::kDim});
  }
  if (chosen) d.AddBox({box.x - 1.5f, box.y - 1.5f, box.width + 3, box.height + 3}, Paint(), Ink::kAmber, 2, 2.5f);
  const std::string name = IndexText(lanes.Index(lane));
  const std::optional<Scalar> number = lanes.narrow->At(lanes.Index(lane));
  const Paint words = quiet ? Paint(Ink::kDim) : Paint(Ink::kText);
  d.AddTextIn({box.x - kGap / 2, box.y - 17, box.width + kGap, 14}, TextWidth(lanes.NameOf(lane), Face::kMono, 11) <= box.width ? lanes.NameOf(lane) : name, {11, Face::kMono, words, Align::kCenter});
  const std::string high = absl::StrCat((lane + 1) * lanes.bits - 1), low = absl::StrCat(lane * lanes.bits);
  d.AddText({box.x, box.bottom() + 11}, high, {9, Face::kUi, Ink::kFaint});
  // In a narrow lane the places of both ends do not fit: the next lane's tells this one's.
  if (TextWidth(high, Face::kUi, 9) + TextWidth(low, Face::kUi, 9) + 4 <= box.width) d.AddText({box.right(), box.bottom() + 11}, low, {9, Face::kUi, Ink::kFaint, Align::kRight});
  if (number.has_value()) d.AddTextIn({box.x - kGap / 2, box.bottom() + 13, box.width + kGap, 16}, ShortText(*number), {12, chosen ? Face::kMonoStrong : Face::kMono, words, Align::kCenter});
  Spot spot;
  spot.box = box;
  spot.is_cell = true;
  spot.cell = {lanes.narrow->id, lanes.Index(lane)};
  spot.hint = absl::StrCat(lanes.NameOf(lane), number.has_value() ? absl::StrCat(" = ", ToText(*number)) : "", "\n", board.captions()("$0 of $1", BitsText(board.captions(), lanes, lane), absl::StrCat(lanes.wide->name, IndexText(lanes.of))));
  d.AddSpot(std::move(spot));
}

}  // namespace

uint64_t BitsOfScalar(const Scalar& s) {
  std::byte storage[16] = {};
  StoreScalar(s, storage);
  uint64_t bits = 0;
  std::memcpy(&bits, storage, sizeof(bits));
  const int width = BitWidth(s.type);
  return width >= 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

void DrawBitLanes(Board& board, int array, absl::Span<const int64_t> index) {
  const std::optional<Lanes> lanes = LanesOf(board.scene(), array, index);
  if (!lanes.has_value()) return;
  const std::optional<Scalar> whole = lanes->wide->At(lanes->of);
  if (!whole.has_value()) return;
  const Captions& tr = board.captions();
  Drawing& d = board.drawing();
  const uint64_t bits = BitsOfScalar(*whole);
  const int width = lanes->bits * lanes->count;
  const std::string name = absl::StrCat(lanes->wide->name, IndexText(lanes->of));
  board.Skip(8);
  float x = kLeft;
  const auto add = [&](absl::string_view text, float size, Face face, Paint paint, float gap) {
    d.AddText({x, board.y() + 15}, text, {size, face, paint});
    x += TextWidth(text, face, size) + gap;
  };
  add(name, 14, Face::kMonoStrong, Ink::kText, 10);
  add(Name(whole->type), 13, Face::kMono, Ink::kTeal, 14);
  add(absl::StrCat("= ", ToText(*whole)), 15, Face::kMonoStrong, Ink::kText, 14);
  add(absl::StrFormat("0x%0*x", (width + 3) / 4, bits), 12, Face::kMono, Ink::kDim, 14);
  board.Skip(28);
  const float room = std::max(board.selection().width, 320.0f) - 2 * kLeft - kGap * static_cast<float>(lanes->count - 1);
  const float each = std::clamp(std::floor(room / static_cast<float>(width)), 8.0f, 20.0f);
  x = kLeft;
  for (int64_t lane = lanes->count; lane-- > 0;) {
    const Box box{x, board.y() + 18, each * static_cast<float>(lanes->bits), kTall};
    DrawLane(board, *lanes, lane, bits >> (lane * lanes->bits) & (lanes->bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << lanes->bits) - 1), box);
    x = box.right() + kGap;
  }
  board.Skip(18 + kTall + 34);
  const bool splits = lanes->wide->id < kResultArray;
  if (lanes->chosen >= 0) {
    board.Say(splits ? tr("$0 is $1 of $2.", lanes->NameOf(lanes->chosen), BitsText(tr, *lanes, lanes->chosen), name) : tr("$0 becomes $1 of $2.", lanes->NameOf(lanes->chosen), BitsText(tr, *lanes, lanes->chosen), name), Ink::kText);
  } else {
    board.Say(splits ? tr("$0 is cut into $1 elements of $2 bits; the lowest bits are the first one.", name, lanes->count, lanes->bits) : tr("$0 is put together from $1 elements of $2 bits; the first one is its lowest bits.", name, lanes->count, lanes->bits), Ink::kText);
  }
  board.Skip(6);
}

}  // namespace hloscope
