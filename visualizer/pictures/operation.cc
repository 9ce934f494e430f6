// Any operation as a card: what goes in, what comes out, and its attributes with their values. For operations without a picture of their own,
// tokens and whatever else is no array.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "core/text/attribute_text.h"
#include "visualizer/pictures/board.h"

namespace hloscope {
namespace {

std::string TypeOf(const Shape& shape) {
  std::string text = shape.ToString(false);
  if (text.size() > 52) text = absl::StrCat(absl::string_view(text).substr(0, 49), "...");
  return text;
}

// As programs write it, which is the same in every language.
std::string ValueOf(const Attribute& a) {
  std::string text;
  TextOf(Info(a.id).kind).print(a.value, PrintOptions(), &text);
  if (text.size() > 300) text = absl::StrCat(absl::string_view(text).substr(0, 297), "...");
  return text;
}

}  // namespace

int SuitsOperation(const Instruction&) { return 4; }

absl::StatusOr<MadePicture> DrawOperation(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  Drawing& drawing = board.drawing();
  const Instruction& i = *data.instruction;
  const OpDef& def = Def(i);
  board.Headline();
  board.Summary();
  if (!def.not_executed.empty()) board.Say(tr(def.not_executed), Ink::kOrange);
  const auto there = [](const Value& v) { return v.has_value(); };
  // Operands in a column, the operation, its result.
  const float width = std::max(selection.width, 320.0f) - 28, wide = std::clamp(TextWidth(Name(i.opcode), Face::kStrong, 13) + 24, 120.0f, 240.0f),
              side = std::min(300.0f, (width - wide - 100) / 2), high = 36, gap = 8;
  const size_t shown = std::min<size_t>(i.operands.size(), 12);
  const float rows = static_cast<float>(std::max<size_t>(shown, 1)), tall = rows * (high + gap), y0 = board.y() + 8;
  const Box op{14 + (shown > 0 ? side + 50 : 0), y0 + tall / 2 - 22 - gap / 2, wide, 44};
  const auto place = [&](Box box, const std::string& name, const Shape& shape, bool value) {
    drawing.AddBox(box, Ink::kRaised, value ? Paint(Ink::kTeal) : Paint(Ink::kBorder), 4);
    drawing.AddTextIn({box.x + 6, box.y + 3, box.width - 12, 15}, name, {12, Face::kMonoStrong});
    drawing.AddTextIn({box.x + 6, box.y + 18, box.width - 12, 14}, TypeOf(shape), {11, Face::kMono, Ink::kTeal});
    Spot spot;
    spot.box = box;
    spot.hint = absl::StrCat(name, ": ", shape.ToString(false), value ? "" : absl::StrCat("\n", tr("no value yet")));
    drawing.AddSpot(std::move(spot));
  };
  for (size_t k = 0; k < shown; ++k) {
    const Box box{14, y0 + static_cast<float>(k) * (high + gap), side, high};
    place(box, ShownName(*i.operands[k]), i.operands[k]->shape, k < data.operands.size() && there(data.operands[k]));
    const Place p{box.right(), box.middle().y}, q{op.x, op.middle().y};
    drawing.AddPath({p, {p.x + 24, p.y}, {q.x - 24, q.y}, q}, {Ink::kDim, 1.3f, LineKind::kSolid, true}, true);
  }
  drawing.AddBox(op, Paint(Ink::kBlue, 0.18f), Ink::kBlue, 8);
  drawing.AddTextIn(op, absl::string_view(Name(i.opcode)), {13, Face::kStrong, Ink::kText, Align::kCenter});
  const Box out{op.right() + 50, op.middle().y - high / 2, side, high};
  place(out, ShownName(i), i.shape, there(data.result));
  drawing.AddLine({op.right(), op.middle().y}, {out.x, out.middle().y}, {Ink::kDim, 1.3f, LineKind::kSolid, true});
  board.Skip(std::max(tall, 48.0f) + 18);
  if (shown < i.operands.size()) board.Say(tr("$0 more operands.", i.operands.size() - shown));
  for (const Attribute& a : i.attributes) board.Explain(absl::StrCat(a.name.empty() ? Info(a.id).name : a.name, "=", ValueOf(a)), Ink::kViolet, "");
  if (i.parameter_number >= 0) board.Explain(tr("parameter $0", i.parameter_number), Ink::kViolet, i.parent != nullptr && i.parent->is_entry ? tr("of the program: given from outside.") : tr("of its computation: given by whoever calls it."));
  // The page of an operation is written in English.
  if (tr.texts() == nullptr) board.Say(absl::StrReplaceAll(def.doc, {{"`", ""}}));
  return board.Finish();
}

}  // namespace hloscope
