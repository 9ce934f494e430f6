// Call, fusion and conditional: which computation runs on which operands, and what it is made of.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "core/text/attribute_text.h"
#include "core/text/hlo_text.h"
#include "visualizer/pictures/board.h"

namespace hloscope {
namespace {

constexpr size_t kMostLines = 14;

struct Branch {
  const Computation* runs = nullptr;
  std::string operands, when;
};

std::vector<Branch> BranchesOf(const Instruction& i, const Captions& tr) {
  std::vector<Branch> branches;
  const auto operand = [&i](size_t k) { return k < i.operands.size() ? ShownName(*i.operands[k]) : std::string("?"); };
  if (const Computation* when_true = i.Called(AttrId::kTrueComputation)) {
    branches.push_back({when_true, operand(1), "true"});
    branches.push_back({i.Called(AttrId::kFalseComputation), operand(2), "false"});
    return branches;
  }
  const std::vector<Computation*> called = i.CalledComputations();
  const bool of_pred = called.size() == 2 && IsPred(i.operands[0]->shape.element_type());
  for (size_t k = 0; k < called.size(); ++k) branches.push_back({called[k], operand(k + 1), of_pred ? (k == 0 ? "true" : "false") : k + 1 == called.size() ? tr("$0, and all other numbers", k) : absl::StrCat(k)});
  return branches;
}

bool IsChoice(const Instruction& i) { return Def(i).control == ControlKind::kConditional; }

std::string LineOf(const Instruction& i) {
  std::vector<std::string> operands;
  for (const Instruction* o : i.operands) operands.push_back(ShownName(*o));
  std::string inside = absl::StrJoin(operands, ", ");
  if (i.operands.empty()) inside = InsideOf(i);
  std::string type = i.shape.ToString(false);
  if (type.size() > 48) type = absl::StrCat(absl::string_view(type).substr(0, 45), "...");
  std::string text = absl::StrCat(ShownName(i), " = ", type, " ", absl::string_view(Name(i.opcode)), "(", inside, ")");
  // What it does depends on them: which element, which comparison, which bounds.
  for (const Attribute& attribute : i.attributes) {
    absl::StrAppend(&text, ", ", attribute.name.empty() ? Info(attribute.id).name : attribute.name, "=");
    TextOf(Info(attribute.id).kind).print(attribute.value, PrintOptions(), &text);
  }
  return text;
}

// The computation as a box of lines; gives back its height.
float BoxOf(Board& board, const Computation& c, const std::string& head, Paint line, float x, float width) {
  Drawing& drawing = board.drawing();
  const std::vector<Instruction*>& all = c.schedule.empty() ? c.instructions : c.schedule;
  std::vector<std::string> lines;
  for (const Instruction* i : all) {
    if (lines.size() + 1 < kMostLines || all.size() <= kMostLines || i == c.root) lines.push_back(absl::StrCat(i == c.root ? "ROOT " : "", LineOf(*i)));
  }
  if (lines.size() < all.size()) lines.insert(lines.end() - 1, board.captions()("... $0 more", all.size() - lines.size()));
  const float height = 26 + 15 * static_cast<float>(lines.size()) + 6;
  drawing.AddBox({x, board.y(), width, height}, Ink::kRaised, line, 5, line.ink == Ink::kAmber ? 2.0f : 1.0f);
  drawing.AddCutText({x + 10, board.y() + 17}, width - 18, head, {12, Face::kMonoStrong, line.ink == Ink::kBorder ? Paint(Ink::kText) : line});
  float y = board.y() + 34;
  for (const std::string& text : lines) {
    drawing.AddCutText({x + 10, y}, width - 18, text, {11, Face::kMono, Ink::kDim});
    y += 15;
  }
  return height;
}

}  // namespace

int SuitsCall(const Instruction& instruction) {
  if (Def(instruction).control == ControlKind::kWhile || instruction.CalledComputations().empty()) return 0;
  return Def(instruction).control != ControlKind::kNone ? 60 : 5;
}

absl::StatusOr<MadePicture> DrawCall(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& i = *data.instruction;
  const float width = std::max(selection.width, 320.0f) - 28;
  board.Headline();
  board.Summary();
  constexpr size_t kMost = 6;
  const auto side = [&](const std::vector<PictureArray>& arrays, int only) {
    std::vector<Board::Piece> pieces;
    for (const PictureArray& array : arrays) {
      if ((only >= 0 && array.id % kOperandLeaf != only) || pieces.size() >= 2 * kMost) continue;
      if (!pieces.empty()) pieces.push_back(std::string());
      pieces.push_back(board.SpecOf(array));
    }
    return pieces;
  };
  int chosen = -1;
  if (IsChoice(i) && !i.operands.empty()) {
    const std::vector<Branch> branches = BranchesOf(i, tr);
    const PictureArray* which = scene.Find(0);
    const std::optional<Scalar> index = which != nullptr ? which->At(int64_t{0}) : std::nullopt;
    const int count = static_cast<int>(branches.size());
    if (index) chosen = IsPred(index->type) ? (index->i != 0 ? 0 : 1) : index->i < 0 || index->i >= count ? count - 1 : static_cast<int>(index->i);
    if (index && !IsPred(index->type) && (index->i < 0 || index->i >= count)) board.Explain("!", Ink::kOrange, tr("there is no branch $0: the last one runs.", index->i));
    if (!index) board.Say(tr("Which branch runs is not known yet."), Ink::kAmber);
    if (which != nullptr) board.Row({board.SpecOf(*which)}, 80);
    for (int b = 0; b < count; ++b) {
      if (branches[b].runs == nullptr) continue;
      const bool runs = b == chosen;
      const float height = BoxOf(board, *branches[b].runs, absl::StrCat(branches[b].when, ": ", branches[b].runs->name, "(", branches[b].operands, ")", runs ? absl::StrCat("   ", tr("runs")) : ""), runs ? Paint(Ink::kAmber) : Paint(Ink::kBorder), 44, std::min(width - 30, 620.0f));
      const LineStyle style{runs ? Paint(Ink::kAmber) : Paint(Ink::kFaint), runs ? 2.0f : 1.0f, runs ? LineKind::kSolid : LineKind::kDashed, true};
      board.drawing().AddLine({18, board.y() + 14}, {42, board.y() + 14}, style);
      board.Skip(height + 8);
    }
  } else {
    const std::vector<Computation*> called = i.CalledComputations();
    for (size_t k = 0; k < std::min<size_t>(called.size(), 3); ++k) {
      if (called[k] == nullptr) continue;
      std::vector<std::string> operands = scene.OperandNames();
      if (operands.size() > 6) operands.resize(6), operands.push_back("...");
      const bool of_operands = Def(i).control != ControlKind::kNone;
      board.Skip(4);
      board.Skip(BoxOf(board, *called[k], of_operands ? absl::StrCat(called[k]->name, "(", absl::StrJoin(operands, ", "), ")") : std::string(called[k]->name), Ink::kBorder, 14, std::min(width, 660.0f)) + 8);
    }
  }
  std::vector<Board::Piece> row = side(scene.operands(), IsChoice(i) ? (chosen >= 0 ? chosen + 1 : -1) : -1), results = side(scene.results(), -1);
  if (!row.empty() && !results.empty()) row.push_back(std::string("->"));
  row.insert(row.end(), std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()));
  board.Row(std::move(row), 260);
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
