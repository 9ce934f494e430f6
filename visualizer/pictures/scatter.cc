// Scatter: each index vector's window in the operand, and where its updates go: what is left out, and where several meet.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ops/op.h"
#include "visualizer/pictures/reducer_part.h"
#include "visualizer/pictures/window_story.h"

namespace hloscope {
namespace {

void ExplainAttributes(Board& board, const IndexWindows& w) {
  const Captions& tr = board.captions();
  const Instruction& i = board.scene().instruction();
  const std::vector<GridAxis> of_operand = w.WindowedAxes(), of_updates = w.MovedAxes();
  ExplainIndexVectors(board, w, "scatter_dims_to_operand_dims", i.Ints(AttrId::kScatterDimsToOperandDims));
  const auto window = i.Ints(AttrId::kUpdateWindowDims);
  board.Explain(absl::StrCat("update_window_dims=", ListText(window)), PaintOf(WindowDim::kOffset),
                window.empty() ? tr("no dimension of the updates walks inside a window: each update is one element.")
                               : absl::StrCat(window.size() == 1 ? tr("this dimension of the updates walks inside the window ($0)", LettersText(tr, of_updates, window)) : tr("these dimensions of the updates walk inside the window ($0)", LettersText(tr, of_updates, window)),
                                              "; ", tr("the others walk over the index vectors.")));
  if (const auto dims = i.Ints(AttrId::kInsertedWindowDims); !dims.empty()) {
    board.Explain(absl::StrCat("inserted_window_dims=", ListText(dims)), PaintOf(WindowDim::kCollapsed),
                  tr("along $0 a window is one element wide, and the updates have no dimension for it.", LettersText(tr, of_operand, dims)));
  }
  ExplainBatching(board, w, "input_batching_dims", i.Ints(AttrId::kInputBatchingDims), "scatter_indices_batching_dims", i.Ints(AttrId::kScatterIndicesBatchingDims));
  if (i.Bool(AttrId::kIndicesAreSorted)) board.Explain("indices_are_sorted=true", Ink::kViolet, tr("a promise that the vectors come in order."));
  if (i.Bool(AttrId::kUniqueIndices)) board.Explain("unique_indices=true", Ink::kViolet, tr("a promise that no two updates meet."));
}

// The result after the vectors up to a step: what no update has reached is the operand's, what all have reached the result's, and between
// them the updates so far are combined, as if the indices of the later ones lay outside.
class AfterSteps {
 public:
  AfterSteps(const Board& board, const WindowStory& story) : board_(board), story_(story), indices_(static_cast<int>(board.scene().instruction().operands.size()) / 2) {}

  std::optional<Scalar> At(int leaf, absl::Span<const int64_t> index) {
    const IndexWindows& w = story_.windows();
    const int64_t linear = LinearIndex(w.windowed->shape.dimensions(), index);
    const auto hits = story_.hits().find(linear);
    int64_t done = 0, all = 0;
    if (hits != story_.hits().end()) {
      all = static_cast<int64_t>(hits->second.size());
      done = std::count_if(hits->second.begin(), hits->second.end(), [&](int64_t v) { return v <= story_.subject(); });
    }
    const PictureScene& scene = board_.scene();
    if (done == all) return scene.result(leaf).At(linear);
    if (done == 0) return scene.operand(leaf).At(linear);
    ElementTracer* tracer = board_.relation().tracer();
    if (tracer == nullptr || (walked_ += tracer->push_points()) > kMostWalked) return std::nullopt;
    const auto loader = [&](int operand, int64_t place) -> absl::StatusOr<Scalar> {
      if (operand == indices_) {
        std::vector<int64_t> at(w.indices[0]->shape.rank());
        DelinearizeIndex(w.indices[0]->shape.dimensions(), place, absl::MakeSpan(at));
        if (w.VectorOfCell({w.indices[0]->id, at}) > story_.subject()) return Outside();
      }
      return board_.relation().loader()(operand, place);
    };
    if (!HasOutside()) return std::nullopt;
    const absl::StatusOr<TracedElement> element = tracer->At(leaf, index, loader, int64_t{1} << 20);
    if (!element.ok()) return std::nullopt;
    return element->value;
  }

 private:
  static constexpr int64_t kMostWalked = 200000;
  ElementType type() const { return story_.windows().indices[0]->shape.element_type(); }
  // An index with which nothing of a window lies inside.
  Scalar Outside() const {
    const int bits = BitWidth(type());
    if (IsUnsigned(type())) return Scalar::Int(type(), -1);
    return Scalar::Int(type(), bits >= 64 ? INT64_MIN / 2 : -(int64_t{1} << (bits - 1)));
  }
  bool HasOutside() const {
    const IndexWindows& w = story_.windows();
    const auto map = board_.scene().instruction().Ints(AttrId::kScatterDimsToOperandDims);
    for (int64_t d : map) {
      const Scalar outside = Outside();
      if (IsUnsigned(type()) ? outside.u() >= static_cast<uint64_t>(w.windowed->shape.dim(static_cast<int>(d))) : outside.i <= -w.sizes[d]) return true;
    }
    return false;
  }

  const Board& board_;
  const WindowStory& story_;
  int indices_;
  int64_t walked_ = 0;
};

}  // namespace

int SuitsScatter(const Instruction& instruction) { return instruction.opcode == Opcode::kScatter ? 60 : 0; }

absl::StatusOr<MadePicture> DrawScatter(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  board.Headline();
  WindowStory story(board, IndexWindows::OfScatter(scene));
  const IndexWindows& w = story.windows();
  ExplainAttributes(board, w);
  if (const Computation* combine = scene.data().instruction->Called(AttrId::kToApply); combine != nullptr && combine->root != nullptr) {
    const std::vector<ReducerPart> parts = PartsOfReducer(*combine);
    const auto what = [&](size_t k) {
      const ReducerPart part = k < parts.size() ? parts[k] : ReducerPart();
      switch (part.kind) {
        case ReducerPart::kRight: return tr("the update replaces what is there.");
        case ReducerPart::kLeft: return tr("what is there stays as it is.");
        case ReducerPart::kOperation: return tr("what is there and the update go through $0.", Name(part.opcode));
        case ReducerPart::kOther: break;
      }
      return tr("what is there and the update go through $0.", absl::string_view(combine->name));
    };
    std::string text;
    const size_t count = combine->root->shape.IsTuple() ? scene.results().size() : 1;
    for (size_t k = 0; k < count; ++k)
      absl::StrAppend(&text, k > 0 ? " " : "", combine->root->shape.IsTuple() ? absl::StrCat(scene.results()[k].name, ": ") : "", what(k));
    board.Explain(absl::StrCat("to_apply=", absl::string_view(combine->name)), Ink::kViolet, text);
  }
  story.SayCounts();
  AfterSteps after(board, story);
  const auto result = [&](int leaf) {
    GridSpec spec = story.Windowed(scene.result(leaf));
    if (board.step() >= 0) {
      spec.note = tr.Counted(story.subject() + 1, "after $0 index vector", "after $0 index vectors");
      spec.cell = [&after, inner = std::move(spec.cell), leaf](absl::Span<const int64_t> index) {
        GridCell cell = inner(index);
        const std::optional<Scalar> now = after.At(leaf, index);
        cell.Empty();
        if (now) cell.Take(*now);
        return cell;
      };
    } else {
      spec.cell = [&story, inner = std::move(spec.cell), dims = scene.result(leaf).shape.dimensions()](absl::Span<const int64_t> index) {
        GridCell cell = inner(index);
        const auto hits = story.hits().find(LinearIndex(dims, index));
        if (hits != story.hits().end() && hits->second.size() > 1 && cell.mark == CellMark::kNone) cell.tint = Paint(Ink::kAmber, 0.3f);
        return cell;
      };
    }
    return spec;
  };
  const int count = static_cast<int>(scene.results().size());
  for (int k = 0; k < count; ++k) {
    for (const int array : {OperandArray(k), OperandArray(count + 1 + k), kResultArray + k}) board.set_scale(array, k);
  }
  constexpr int kMostArrays = 4;
  std::vector<Board::Piece> row = story.Indices();
  for (int k = 0; k < std::min(count, kMostArrays); ++k) {
    row.push_back(std::string());
    row.push_back(story.Moved(scene.operand(count + 1 + k)));
  }
  board.Row(std::move(row), w.count() <= 16 ? std::max(260.0f, 95 + 20 * static_cast<float>(w.count())) : 260);  // all of a few vectors
  for (int k = 0; k < std::min(count, kMostArrays); ++k) story.MovedFrames(scene.operand(count + 1 + k));
  for (int k = 0; k < std::min(count, kMostArrays); ++k) {
    board.Row({story.Windowed(scene.operand(k)), std::string("->"), result(k)}, count > 1 ? 220 : 380);
    story.Frames(scene.operand(k));
    story.Frames(scene.result(k));
  }
  if (count > kMostArrays) board.Say(tr.Counted(count - kMostArrays, "$0 more array is updated alike.", "$0 more arrays are updated alike."));
  board.RelationArrows();
  story.SaySubject();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
