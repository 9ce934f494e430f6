// Tuples and what takes them apart: numbered places, and the one that is handed on. No element is touched.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

int SuitsTuple(const Instruction& instruction) { return instruction.opcode == Opcode::kTuple || instruction.opcode == Opcode::kGetTupleElement ? 40 : 0; }

absl::StatusOr<MadePicture> DrawTuple(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  Drawing& drawing = board.drawing();
  const PictureScene& scene = board.scene();
  const Instruction& i = *data.instruction;
  const bool takes = i.Has(AttrId::kIndex);
  const int64_t index = i.Int(AttrId::kIndex);
  const Shape& tuple = takes && !i.operands.empty() ? i.operands[0]->shape : i.shape;
  const int64_t count = tuple.IsTuple() ? static_cast<int64_t>(tuple.tuple_shapes().size()) : 0;
  board.Headline();
  board.Say(takes ? tr.Counted(count, "Hands on place $1 of $0 place. No element is copied.", "Hands on place $1 of $0 places. No element is copied.", index) : tr.Counted(count, "Puts $0 value together. No element is copied.", "Puts $0 values together. No element is copied."));
  // A window of places round the one that is taken.
  constexpr int64_t kMost = 24;
  const int64_t first = std::clamp<int64_t>(index - kMost / 2, 0, std::max<int64_t>(count - kMost, 0)), last = std::min(count, first + kMost);
  const float width = std::max(selection.width, 320.0f) - 28, wide = std::clamp(width / static_cast<float>(std::clamp<int64_t>(last - first, 1, 6)) - 6, 90.0f, 220.0f);
  const int64_t across = std::max<int64_t>(1, static_cast<int64_t>(width / (wide + 6)));
  const float y0 = board.y() + 6;
  for (int64_t k = first; k < last; ++k) {
    const Box box{14 + static_cast<float>((k - first) % across) * (wide + 6), y0 + static_cast<float>((k - first) / across) * 52, wide, 46};
    const bool chosen = takes && k == index;
    drawing.AddBox(box, chosen ? Paint(Ink::kAmber, 0.2f) : Paint(Ink::kRaised), chosen ? Paint(Ink::kAmber) : Paint(Ink::kBorder), 4, chosen ? 2.0f : 1.0f);
    drawing.AddText({box.x + 6, box.y + 13}, absl::StrCat("[", k, "]"), {11, Face::kStrong, chosen ? Ink::kAmber : Ink::kDim});
    std::string name;
    const Instruction* source = takes ? i.operands[0] : k < static_cast<int64_t>(i.operands.size()) ? i.operands[k] : nullptr;
    if (!takes && source != nullptr) name = ShownName(*source);
    // Through to what was put there, where the tuple is made at once.
    if (takes && source != nullptr && source->operands.size() == static_cast<size_t>(count) && SuitsTuple(*source) > 0 && !source->Has(AttrId::kIndex)) name = ShownName(*source->operands[k]);
    const std::string type = tuple.tuple_shapes()[k].ToString(false);
    drawing.AddTextIn({box.x + 6, box.y + 15, wide - 12, 14}, name, {11, Face::kMonoStrong});
    drawing.AddTextIn({box.x + 6, box.y + 29, wide - 12, 14}, type, {11, Face::kMono, Ink::kTeal});
    Spot spot;
    spot.box = box;
    spot.hint = absl::StrCat(tr("place $0", k), name.empty() ? "" : absl::StrCat(": ", name), "\n", type);
    drawing.AddSpot(std::move(spot));
  }
  board.Skip(6 + static_cast<float>((std::max<int64_t>(last - first, 1) + across - 1) / across) * 52);
  if (last - first < count) board.Say(tr("Places $0 to $1 of $2.", first, last - 1, count));
  // Of a tuple that is taken apart the other places are not drawn, unless one is selected.
  std::vector<Board::Piece> row;
  for (const std::vector<PictureArray>* side : {&scene.operands(), &scene.results()}) {
    const bool of_result = side == &scene.results();
    size_t drawn = 0;
    for (const PictureArray& array : *side) {
      if (!board.FocusOf(array.id) && ((takes && !of_result) || drawn >= 6)) continue;
      if (!row.empty()) row.push_back(of_result && drawn == 0 ? std::string("->") : std::string());
      row.push_back(board.SpecOf(array));
      ++drawn;
    }
  }
  board.Row(std::move(row), 240);
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
