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
  board.Headline();
  WindowStory story(board, IndexWindows::OfDynamicUpdateSlice(board.scene()));
  const IndexWindows& w = story.windows();
  board.Say(absl::StrCat("The result is ", w.windowed->name, " with a window", w.sizes.empty() ? "" : absl::StrCat(" of ", absl::StrJoin(w.sizes, " by ")), " replaced by ", w.moved->name,
                         ". The window starts where the other operands say, moved so that it fits."));
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
