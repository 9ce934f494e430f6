// Fourier transforms: input and result as heat maps, complex numbers as magnitude and phase, and curves of one slice.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/plot.h"

namespace hloscope {
namespace {

// The array's own cells with a number made of them.
GridSpec PartOf(const Board& board, const PictureArray& array, int id, absl::string_view note, double (*part)(const Scalar&)) {
  GridSpec spec = board.SpecOf(array);
  spec.array = id;
  spec.note = std::string(note);
  spec.cell = [inner = std::move(spec.cell), &array, part](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    const std::optional<Scalar> s = array.At(index);
    if (!s) return cell;
    const double x = part(*s);
    cell.Take(Scalar::Float(ElementType::kF32, x));
    return cell;
  };
  AddHeat(&spec, array);
  return spec;
}

double Magnitude(const Scalar& s) { return std::abs(s.c()); }
double Phase(const Scalar& s) {
  // Of what is zero but for rounding there is no direction to speak of.
  return std::abs(s.c()) < 1e-6 ? 0 : std::arg(s.c());
}

void AddParts(const Board& board, const PictureArray& array, int own, std::vector<Board::Piece>* row) {
  if (!IsComplex(array.shape.element_type())) {
    GridSpec spec = board.SpecOf(array);
    AddHeat(&spec, array);
    row->push_back(std::move(spec));
    return;
  }
  row->push_back(PartOf(board, array, array.id, board.captions()("magnitude"), Magnitude));
  row->push_back(std::string());
  row->push_back(PartOf(board, array, own, board.captions()("phase, from -pi to pi"), Phase));
}

// Where the plotted line lies in all but the last dimension, which have the same sizes in the input and in the result: through the selected
// element of either.
std::vector<int64_t> PlottedRow(const Board& board, const PictureArray& x, const PictureArray& result) {
  const auto rank = static_cast<size_t>(x.shape.rank());
  const Cell* cell = board.cell();
  const bool theirs = cell != nullptr && (cell->array == x.id || cell->array == result.id || cell->array == kOwnArray || cell->array == kOwnArray + 1);
  return theirs && cell->index.size() == rank ? cell->index : std::vector<int64_t>(rank, 0);
}

// The line along the last dimension there.
std::vector<PlotLine> LineAt(const Board& board, const PictureArray& array, std::vector<int64_t> index) {
  constexpr int64_t kMost = 4096;
  const bool complex = IsComplex(array.shape.element_type());
  std::vector<PlotLine> lines(complex ? 2 : 1);
  lines[0].name = complex ? board.captions()("real") : array.name;
  if (complex) lines[1].name = board.captions()("imaginary"), lines[1].paint = Ink::kOrange;
  const int last = array.shape.rank() - 1;
  for (int64_t k = 0; k < std::min(array.shape.dim(last), kMost); ++k) {
    index[last] = k;
    const std::optional<Scalar> s = array.At(index);
    lines[0].y.push_back(s ? s->re : std::nan(""));
    if (complex) lines[1].y.push_back(s ? s->im : std::nan(""));
  }
  return lines;
}

}  // namespace

int SuitsFft(const Instruction& instruction) { return instruction.opcode == Opcode::kFft && instruction.shape.rank() > 0 ? 60 : 0; }

absl::StatusOr<MadePicture> DrawFft(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& i = scene.instruction();
  const PictureArray &x = scene.operand(0), &result = scene.result();
  board.Headline();
  const absl::string_view type = i.Text(AttrId::kFftType);
  const auto length = i.Ints(AttrId::kFftLength);
  board.Explain(absl::StrCat("fft_type=", type), Ink::kViolet,
                type == "FFT"    ? tr("place k of the result tells how much of the wave with k periods is in the input: its magnitude how much, its phase where the wave begins.")
                : type == "IFFT" ? tr("adds up waves; the result is divided by the length, so that it undoes FFT.")
                : type == "RFFT" ? tr("of real numbers: the second half of the result would mirror the first and is left out.")
                                 : tr("back to real numbers from half a spectrum, divided by the length."));
  board.Explain(absl::StrCat("fft_length={", absl::StrJoin(length, ","), "}"), Ink::kViolet, length.size() == 1 ? tr("along the last dimension.") : tr("along the last $0 dimensions.", length.size()));
  std::vector<Board::Piece> row;
  AddParts(board, x, kOwnArray, &row);
  row.push_back(std::string("->"));
  AddParts(board, result, kOwnArray + 1, &row);
  board.Row(std::move(row), 300);
  if (x.has_value() && x.shape.ElementCount() > 0 && x.shape.rank() > 0) {
    const float width = (std::max(selection.width, 320.0f) - 28 - 16) / 2;
    board.Say(IsComplex(result.shape.element_type())
                  ? length.size() == 1 ? tr("The slice of the selected element, or the first one: before, and the magnitudes after.") : tr("The last dimension's slice of the selected element, or the first one: before, and the magnitudes after.")
              : length.size() == 1 ? tr("The slice of the selected element, or the first one: before and after.")
                                   : tr("The last dimension's slice of the selected element, or the first one: before and after."));
    const std::vector<int64_t> plotted = PlottedRow(board, x, result);
    DrawPlot(&board.drawing(), tr, {14, board.y(), width, 90}, LineAt(board, x, plotted), PlotKind::kCurve);
    std::vector<PlotLine> after = LineAt(board, result, plotted);
    const bool magnitudes = after.size() == 2;
    if (magnitudes) {
      for (size_t k = 0; k < after[0].y.size(); ++k) after[0].y[k] = std::hypot(after[0].y[k], after[1].y[k]);
      after.pop_back();
      after[0].name = tr("magnitude");
    }
    if (result.has_value()) DrawPlot(&board.drawing(), tr, {30 + width, board.y(), width, 90}, after, magnitudes ? PlotKind::kStems : PlotKind::kCurve);
    board.Skip(98);
  }
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
