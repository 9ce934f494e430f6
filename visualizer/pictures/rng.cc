// Random numbers: what was drawn, and how often what.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/plot.h"

namespace hloscope {

int SuitsRng(const Instruction& instruction) {
  return instruction.opcode == Opcode::kRng || instruction.opcode == Opcode::kRngBitGenerator || instruction.opcode == Opcode::kRngGetAndUpdateState ? 60 : 0;
}

absl::StatusOr<MadePicture> DrawRng(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& i = scene.instruction();
  board.Headline();
  const auto number = [&](int k) {
    const PictureArray* array = scene.Find(k);
    const std::optional<Scalar> s = array != nullptr ? array->At(int64_t{0}) : std::nullopt;
    return s ? ShortText(*s) : array != nullptr ? array->name : std::string("?");
  };
  if (const absl::string_view how = i.Text(AttrId::kDistribution); !how.empty()) {
    board.Explain(absl::StrCat("distribution=", how), Ink::kViolet,
                  how == "rng_uniform" ? tr("every number from $0 up to $1, which is not among them, is as likely as any other.", number(0), number(1))
                                       : tr("round the mean $0 with the standard deviation $1.", number(0), number(1)));
    board.Say(tr("The same program draws the same numbers again: a replay is exact."));
  } else if (const absl::string_view algorithm = i.Text(AttrId::kAlgorithm); !algorithm.empty()) {
    board.Explain(absl::StrCat("algorithm=", algorithm), Ink::kViolet, tr("bits are a function of the state alone: the same state gives the same bits, and the state that is given back makes the next ones."));
  } else {
    board.Explain(absl::StrCat("delta=", i.Int(AttrId::kDelta)), Ink::kViolet, tr("accepted, and changes nothing here: the words differ at each place of a run, and are the same in each replay."));
  }
  std::vector<Board::Piece> row;
  for (const PictureArray& array : scene.operands()) {
    if (!row.empty()) row.push_back(std::string());
    row.push_back(board.SpecOf(array));
  }
  if (!row.empty()) row.push_back(std::string("->"));
  for (size_t k = 0; k < scene.results().size(); ++k) {
    if (k > 0) row.push_back(std::string());
    row.push_back(board.SpecOf(scene.results()[k]));
  }
  board.Row(std::move(row), 260);
  // How often: of the last result, which is the drawn one.
  const PictureArray& drawn = scene.results().back();
  const int64_t count = drawn.shape.ElementCount(), most = 1 << 16;
  if (drawn.has_value() && count >= 8 && !IsComplex(drawn.shape.element_type())) {
    std::vector<double> numbers;
    for (int64_t e = 0; e < std::min(count, most); ++e) {
      if (const std::optional<Scalar> s = drawn.At(e)) {
        if (const std::optional<double> x = HeatOf(*s); x && std::isfinite(*x)) numbers.push_back(*x);
      }
    }
    if (numbers.size() >= 8) {
      const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
      const int bins = static_cast<int>(std::clamp<size_t>(static_cast<size_t>(std::sqrt(static_cast<double>(numbers.size()))), 4, 48));
      PlotLine line;
      line.y.assign(bins, 0);
      line.paint = Ink::kTeal;
      for (double x : numbers) line.y[std::min(bins - 1, *high > *low ? static_cast<int>((x - *low) / (*high - *low) * bins) : 0)] += 1;
      board.Say(tr("How often, from $0 to $1 in $2 steps:", ShortText(Scalar::Float(ElementType::kF64, *low)), ShortText(Scalar::Float(ElementType::kF64, *high)), bins));
      DrawPlot(&board.drawing(), tr, {14, board.y(), std::min(460.0f, std::max(selection.width, 320.0f) - 28), 90}, {line}, PlotKind::kBars);
      board.Skip(96);
    }
  }
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
