// Dynamic update slice: one window whose start is computed, overwritten.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/pictures/window_story.h"

namespace hloscope {

int SuitsDynamicUpdateSlice(const Instruction& instruction) { return instruction.opcode == Opcode::kDynamicUpdateSlice ? 60 : 0; }

absl::StatusOr<MadePicture> DrawDynamicUpdateSlice(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  board.Headline();
  WindowStory story(board, IndexWindows::OfDynamicUpdateSlice(board.scene()));
  const IndexWindows& w = story.windows();
  board.Say(tr("The result is $0 with a window of $1 replaced by $2. The window starts where the other operands say, moved so that it fits.", w.windowed->name,
               w.sizes.empty() ? "1" : absl::StrJoin(w.sizes, " × "), w.moved->name));
  story.SayCounts();
  std::vector<Board::Piece> row = story.Indices();
  if (!row.empty()) row.push_back(std::string());
  row.push_back(story.Windowed(*w.windowed));
  row.push_back(std::string());
  row.push_back(story.Moved(*w.moved));
  row.push_back(std::string("->"));
  row.push_back(story.Windowed(board.scene().result()));
  board.Row(std::move(row));
  story.Frames(*w.windowed);
  story.Frames(board.scene().result());
  board.RelationArrows();
  story.SaySubject();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
