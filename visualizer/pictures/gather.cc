// Gather: each index vector's window in the operand, and where its elements go.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/pictures/window_story.h"

namespace hloscope {
namespace {

void ExplainAttributes(Board& board, const IndexWindows& w) {
  const Captions& tr = board.captions();
  const Instruction& i = board.scene().instruction();
  const std::vector<GridAxis> of_operand = w.WindowedAxes(), of_result = w.MovedAxes();
  ExplainIndexVectors(board, w, "start_index_map", i.Ints(AttrId::kStartIndexMap));
  board.Explain(absl::StrCat("slice_sizes=", ListText(w.sizes)), PaintOf(WindowDim::kOffset), tr("the window that is taken from $0, $1.", w.windowed->name, absl::StrJoin(w.sizes, " × ")));
  if (const auto dims = i.Ints(AttrId::kCollapsedSliceDims); !dims.empty()) {
    board.Explain(absl::StrCat("collapsed_slice_dims=", ListText(dims)), PaintOf(WindowDim::kCollapsed),
                  tr("along $0 a window is one element wide, and the result has no dimension for it.", LettersText(tr, of_operand, dims)));
  }
  const auto offset = i.Ints(AttrId::kOffsetDims);
  board.Explain(absl::StrCat("offset_dims=", ListText(offset)), PaintOf(WindowDim::kOffset),
                offset.empty() ? tr("no dimension of the result walks inside a window: each window is one element.")
                               : absl::StrCat(offset.size() == 1 ? tr("this dimension of the result walks inside the window ($0)", LettersText(tr, of_result, offset)) : tr("these dimensions of the result walk inside the window ($0)", LettersText(tr, of_result, offset)),
                                              w.batch.empty() ? "." : absl::StrCat("; ", tr("the others, in their order, walk over the index vectors."))));
  ExplainBatching(board, w, "operand_batching_dims", i.Ints(AttrId::kOperandBatchingDims), "start_indices_batching_dims", i.Ints(AttrId::kStartIndicesBatchingDims));
  if (i.Bool(AttrId::kIndicesAreSorted)) board.Explain("indices_are_sorted=true", Ink::kViolet, tr("a promise that the vectors come in order; it may be relied on, and changes nothing where it is true."));
}

}  // namespace

int SuitsGather(const Instruction& instruction) { return instruction.opcode == Opcode::kGather ? 60 : 0; }

absl::StatusOr<MadePicture> DrawGather(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  board.Headline();
  WindowStory story(board, IndexWindows::OfGather(board.scene()));
  ExplainAttributes(board, story.windows());
  story.SayCounts();
  std::vector<Board::Piece> row = story.Indices();
  row.push_back(std::string());
  row.push_back(story.Windowed(*story.windows().windowed));
  row.push_back(std::string("->"));
  row.push_back(story.Moved(*story.windows().moved));
  board.Row(std::move(row));
  story.Frames(*story.windows().windowed);
  story.MovedFrames(*story.windows().moved);
  board.RelationArrows();
  story.SaySubject();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
