// Convolution: the kernel's window walking over the padded and dilated input, which dimension is which by letter, feature and batch groups by
// colour, the products of an element and their running sum. Steps go from output position to output position.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/pictures/fold_story.h"
#include "visualizer/pictures/window_view.h"

namespace hloscope {
namespace {

// Letters of dim_labels: b, f, i, o, and 0, 1, .. for the spatial ones.
struct ConvolutionAxes {
  std::vector<GridAxis> input, kernel, output;
};
ConvolutionAxes AxesOf(const Instruction& i) {
  const ConvDimensionNumbers& n = *i.GetDimLabels();
  ConvolutionAxes axes;
  axes.input.resize(i.operands[0]->shape.rank());
  axes.kernel.resize(i.operands[1]->shape.rank());
  axes.output.resize(i.shape.rank());
  axes.input[n.input_batch] = axes.output[n.output_batch] = {"b", GroupInk(0)};
  axes.input[n.input_feature] = {"f", GroupInk(1)};
  axes.kernel[n.kernel_input_feature] = {"i", GroupInk(1)};
  axes.kernel[n.kernel_output_feature] = {"o", GroupInk(3)};
  axes.output[n.output_feature] = {"f", GroupInk(3)};
  for (size_t s = 0; s < n.input_spatial.size(); ++s) {
    axes.input[n.input_spatial[s]] = axes.kernel[n.kernel_spatial[s]] = axes.output[n.output_spatial[s]] = {absl::StrCat(s), Ink::kTeal};
  }
  return axes;
}

// The last two spatial dimensions lie down and across.
void PutSpatialInFront(const std::vector<int64_t>& spatial, GridSpec* spec) {
  const size_t n = spatial.size();
  if (n == 0) return;
  spec->columns = static_cast<int>(spatial[n - 1]);
  if (n > 1) spec->rows = static_cast<int>(spatial[n - 2]);
}

}  // namespace

int SuitsConvolution(const Instruction& instruction) { return instruction.opcode == Opcode::kConvolution && instruction.GetDimLabels() != nullptr ? 50 : 0; }

absl::StatusOr<MadePicture> DrawConvolution(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& i = scene.instruction();
  const ConvDimensionNumbers& n = *i.GetDimLabels();
  const PictureArray &x = scene.operand(0), &kernel = scene.operand(1), &result = scene.result();
  const int spatial = static_cast<int>(n.input_spatial.size());
  Window window = i.GetWindow() != nullptr ? *i.GetWindow() : Window(spatial);
  window.resize(spatial);
  std::vector<int> of_dimension(x.shape.rank(), -1);
  for (int s = 0; s < spatial; ++s) of_dimension[n.input_spatial[s]] = s;
  const WindowView view(x, window, of_dimension);
  const ConvolutionAxes axes = AxesOf(i);
  const int64_t feature_groups = i.Int(AttrId::kFeatureGroupCount, 1), batch_groups = i.Int(AttrId::kBatchGroupCount, 1);
  board.set_focus_word(tr("under the window"));
  board.Headline();
  board.Explain("b", GroupInk(0), tr("batch: kept."));
  board.Explain("f i", GroupInk(1), tr("input features: summed over, together with the window's places."));
  board.Explain("o f", GroupInk(3), tr("output features: one for each kernel."));
  for (int s = 0; s < spatial; ++s) {
    if (const std::string text = view.Describe(tr, s); !text.empty()) board.Explain(absl::StrCat(s), Ink::kTeal, tr.Counted(result.shape.dim(static_cast<int>(n.output_spatial[s])), "$1: $0 position.", "$1: $0 positions.", text));
  }
  if (feature_groups > 1) board.Explain(absl::StrCat("feature_group_count=", feature_groups), Ink::kViolet, tr("features fall into groups, by colour: a group of outputs sees its own group of inputs alone."));
  if (batch_groups > 1) board.Explain(absl::StrCat("batch_group_count=", batch_groups), Ink::kViolet, tr("the batch falls into groups, by colour: a group of output features sees its own group of the batch alone."));

  // Steps: output positions in row-major order of the spatial dimensions, for the batch and feature of the selected element.
  std::vector<int64_t> subject(result.shape.rank(), 0);
  bool has_subject = result.shape.ElementCount() > 0;
  if (board.result_cell() != nullptr) {
    subject = board.result_cell()->index;
  } else if (selection.pinned && selection.pinned->array == kResultArray && scene.Has(*selection.pinned)) {
    subject = selection.pinned->index;
  }
  std::vector<int64_t> places;
  int64_t positions = 1;
  for (int s = 0; s < spatial; ++s) {
    places.push_back(result.shape.dim(static_cast<int>(n.output_spatial[s])));
    positions *= places.back();
  }
  if (has_subject) board.set_steps(static_cast<int>(std::min<int64_t>(positions, 1 << 20)));
  const int step = board.step();
  if (step >= 0) {
    std::vector<int64_t> at(spatial);
    DelinearizeIndex(places, step, absl::MakeSpan(at));
    for (int s = 0; s < spatial; ++s) subject[n.output_spatial[s]] = at[s];
  }
  const bool shown = has_subject && (step >= 0 || board.result_cell() != nullptr);
  std::vector<int64_t> at(spatial, 0);  // the window's position
  for (int s = 0; s < spatial; ++s) at[s] = subject[n.output_spatial[s]];
  Related of_step;
  if (step >= 0) of_step = board.relation().Reads(0, subject);
  board.set_marks([&](const Cell& cell) {
    if (step < 0) return CellMark::kNone;
    if (cell.array == kResultArray) return cell.index == subject ? CellMark::kNow : CellMark::kNone;
    return of_step.RoleOf(cell) ? CellMark::kNow : CellMark::kNone;
  });
  // What the window covers in the batch and features that the element sees.
  const int64_t out_features = std::max<int64_t>(kernel.shape.dim(static_cast<int>(n.kernel_output_feature)), 1);
  const int64_t in_group = kernel.shape.dim(static_cast<int>(n.kernel_input_feature));
  const int64_t o = subject[n.output_feature], of_batch = x.shape.dim(static_cast<int>(n.input_batch)) / batch_groups;
  const int64_t feature_group = feature_groups == 1 ? 0 : o / std::max<int64_t>(out_features / feature_groups, 1);
  const int64_t batch = batch_groups == 1 ? subject[n.output_batch] : o / std::max<int64_t>(out_features / batch_groups, 1) * of_batch + subject[n.output_batch];
  const auto seen = [&](absl::Span<const int64_t> place) {
    const bool feature = feature_groups == 1 || place[n.input_feature] / std::max<int64_t>(in_group, 1) == feature_group;
    return feature && place[n.input_batch] == batch;
  };
  GridSpec input = view.Spec(board, kOwnArray + 100, [&](absl::Span<const int64_t> place) { return shown && seen(place) && view.Covers(at, place) ? CellMark::kFocus : CellMark::kNone; });
  GridSpec kernels = board.SpecOf(kernel), out = board.SpecOf(result);
  input.axes = axes.input;
  kernels.axes = axes.kernel;
  out.axes = axes.output;
  PutSpatialInFront(n.input_spatial, &input);
  PutSpatialInFront(n.kernel_spatial, &kernels);
  PutSpatialInFront(n.output_spatial, &out);
  if (shown) {
    // All that the element reads; a window that covers padding and holes alone reads nothing, and is somewhere all the same.
    std::vector<int64_t> of_input(x.shape.rank(), 0), of_kernel(kernel.shape.rank(), 0);
    of_input[n.input_batch] = batch;
    of_input[n.input_feature] = feature_group * in_group;
    of_kernel[n.kernel_output_feature] = o;
    std::vector<int64_t> last_input = of_input;
    last_input[n.input_feature] += in_group - 1;
    view.Focus(at, of_input, last_input, &input);
    kernels.focus = of_kernel;
    kernels.focus_last = of_kernel;
    for (const int64_t d : n.kernel_spatial) (*kernels.focus_last)[d] = kernel.shape.dim(static_cast<int>(d)) - 1;
    (*kernels.focus_last)[n.kernel_input_feature] = in_group - 1;
    if (step >= 0) out.focus = subject;
  } else {
    view.FocusElements(&input);
  }
  const auto tint = [](GridSpec& spec, std::function<int64_t(const Cell&)> group) {
    spec.cell = [inner = std::move(spec.cell), group = std::move(group)](absl::Span<const int64_t> index) {
      GridCell cell = inner(index);
      if (cell.state == CellState::kElement) cell.tint = Paint(GroupInk(static_cast<int>(group(cell.cell))), 0.2f);
      return cell;
    };
  };
  if (feature_groups > 1 || batch_groups > 1) {
    const int64_t groups = std::max(feature_groups, batch_groups), per = std::max<int64_t>(out_features / groups, 1);
    if (feature_groups > 1) {
      tint(input, [&, d = n.input_feature](const Cell& c) { return c.index[d] / std::max<int64_t>(in_group, 1); });
    } else {
      tint(input, [&, d = n.input_batch](const Cell& c) { return c.index[d] / std::max<int64_t>(x.shape.dim(static_cast<int>(d)) / batch_groups, 1); });
    }
    tint(kernels, [per, d = n.kernel_output_feature](const Cell& c) { return c.index[d] / per; });
    tint(out, [per, d = n.output_feature](const Cell& c) { return c.index[d] / per; });
  }
  board.Row({std::move(input), std::string("*"), std::move(kernels), std::string("->"), std::move(out)});
  if (shown) {
    const std::optional<FoldStory> story = TellFold(scene, board.relation(), 0, subject, 512);
    if (story && story->total > 0) {
      const auto of_side = [&scene](int side) {
        return [&scene, side](const FoldTerm& term) -> std::optional<Scalar> {
          for (const Cell& cell : term.reads) {
            if (cell.array == side) return scene.operand(side).At(cell.index);
          }
          return std::nullopt;
        };
      };
      GridSpec strip = FoldStrip(*story, kOwnArray,
                                 {{tr("input"), of_side(0)},
                                  {tr("kernel"), of_side(1)},
                                  {tr("product"), [](const FoldTerm& t) { return t.passed_over ? std::nullopt : t.value; }},
                                  RunningRow(tr, *story)},
                                 -1, [](const FoldTerm& t) { return absl::StrJoin(t.at, ","); });
      strip.title = tr("$0 term by term", scene.NameOf({kResultArray, subject}));
      if (story->total > static_cast<int64_t>(story->terms.size())) strip.note = tr("the first $0 of $1 terms", story->terms.size(), story->total);
      if (AddsInItsOwnOrder(scene)) board.Say(OwnOrderText(tr));
      board.Row({std::move(strip)}, 150);
    }
  }
  if (step >= 0) {
    const std::optional<Scalar> value = result.At(subject);
    board.set_step_text(tr.Counted(of_step.total(), "Position $1: $2 reads $0 element.", "Position $1: $2 reads $0 elements.", IndexText(at),
                                   absl::StrCat(scene.NameOf({kResultArray, subject}), value ? absl::StrCat(" = ", ToText(*value)) : "")));
  }
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
