// Dynamic slice: one window whose start is computed.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/pictures/window_story.h"

namespace hloscope {

int SuitsDynamicSlice(const Instruction& instruction) { return instruction.opcode == Opcode::kDynamicSlice ? 60 : 0; }

absl::StatusOr<MadePicture> DrawDynamicSlice(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  board.Headline();
  WindowStory story(board, IndexWindows::OfDynamicSlice(board.scene()));
  const IndexWindows& w = story.windows();
  board.Explain(absl::StrCat("dynamic_slice_sizes=", ListText(w.sizes)), PaintOf(WindowDim::kOffset),
                tr("the window that is taken from $0; it starts where the other operands say, moved so that it fits.", absl::StrCat(w.windowed->name, w.sizes.empty() ? "" : absl::StrCat(", ", absl::StrJoin(w.sizes, " × ")))));
  story.SayCounts();
  std::vector<Board::Piece> row = story.Indices();
  if (!row.empty()) row.push_back(std::string());
  row.push_back(story.Windowed(*w.windowed));
  row.push_back(std::string("->"));
  row.push_back(story.Moved(*w.moved));
  board.Row(std::move(row));
  story.Frames(*w.windowed);
  board.RelationArrows();
  story.SaySubject();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
