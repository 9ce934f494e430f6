// Gather: each index vector's window in the operand, and where its elements go.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/pictures/window_story.h"

namespace hloscope {
namespace {

void ExplainAttributes(Board& board, const IndexWindows& w) {
  const Instruction& i = board.scene().instruction();
  const std::vector<GridAxis> of_operand = w.WindowedAxes(), of_result = w.MovedAxes();
  const auto letters = [](const std::vector<GridAxis>& axes, absl::Span<const int64_t> dims) {
    std::vector<std::string> words;
    for (int64_t d : dims) words.push_back(axes[d].letter);
    return AndText(words);
  };
  const PictureArray& indices = *w.indices[0];
  const int64_t dim = i.Int(AttrId::kIndexVectorDim);
  board.Explain(absl::StrCat("index_vector_dim=", dim), PaintOf(WindowDim::kVector),
                dim == indices.shape.rank() ? absl::StrCat("this is the rank of ", indices.name, ": every single number of it is an index vector. There are ", w.count(), ".")
                                            : absl::StrCat("the numbers of one index vector stand along dimension ", dim, " (n) of ", indices.name, "; the others walk over the ", w.count(), " vectors."));
  const auto map = i.Ints(AttrId::kStartIndexMap);
  std::vector<std::string> starts;
  for (size_t k = 0; k < map.size(); ++k) starts.push_back(absl::StrCat("number ", k, " is the start along ", of_operand[map[k]].letter));
  board.Explain(absl::StrCat("start_index_map=", ListText(map)), PaintOf(WindowDim::kVector),
                starts.empty() ? "vectors have no numbers: every window starts at 0." : absl::StrCat("of a vector ", absl::StrJoin(starts, ", "), map.size() < w.sizes.size() ? "; elsewhere windows start at 0." : "."));
  board.Explain(absl::StrCat("slice_sizes=", ListText(w.sizes)), PaintOf(WindowDim::kOffset), absl::StrCat("the window that is taken from ", w.windowed->name, ", ", absl::StrJoin(w.sizes, " by "), "."));
  if (const auto dims = i.Ints(AttrId::kCollapsedSliceDims); !dims.empty()) {
    board.Explain(absl::StrCat("collapsed_slice_dims=", ListText(dims)), PaintOf(WindowDim::kCollapsed),
                  absl::StrCat("along ", letters(of_operand, dims), " a window is one element wide, and the result has no dimension for it."));
  }
  const auto offset = i.Ints(AttrId::kOffsetDims);
  board.Explain(absl::StrCat("offset_dims=", ListText(offset)), PaintOf(WindowDim::kOffset),
                offset.empty() ? "no dimension of the result walks inside a window: each window is one element."
                               : absl::StrCat(offset.size() == 1 ? "this dimension of the result walks" : "these dimensions of the result walk", " inside the window (", letters(of_result, offset), "); the others, ",
                                              w.batch.empty() ? "of which there are none," : "in their order,", " walk over the index vectors."));
  const auto batching = i.Ints(AttrId::kOperandBatchingDims), of_indices = i.Ints(AttrId::kStartIndicesBatchingDims);
  if (!batching.empty()) {
    std::vector<std::string> pairs;
    for (size_t k = 0; k < batching.size(); ++k) pairs.push_back(absl::StrCat("dimension ", batching[k], " of ", w.windowed->name, " goes along with dimension ", of_indices[k], " of ", indices.name, " (", of_operand[batching[k]].letter, ")"));
    board.Explain(absl::StrCat("operand_batching_dims=", ListText(batching), ", start_indices_batching_dims=", ListText(of_indices)), PaintOf(WindowDim::kTogether),
                  absl::StrCat(absl::StrJoin(pairs, ", "), ": the same index on both sides."));
  }
  if (i.Bool(AttrId::kIndicesAreSorted)) board.Explain("indices_are_sorted=true", Ink::kViolet, "a promise that the vectors come in order; it may be relied on, and changes nothing where it is true.");
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
