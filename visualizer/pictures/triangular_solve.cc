// Triangular solve: the triangle, the unknowns and the right side as an equation, in the order in which the unknowns are found.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/plot.h"

namespace hloscope {

int SuitsTriangularSolve(const Instruction& instruction) { return instruction.opcode == Opcode::kTriangularSolve ? 60 : 0; }

absl::StatusOr<MadePicture> DrawTriangularSolve(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& i = scene.instruction();
  const PictureArray &a = scene.operand(0), &b = scene.operand(1), &x = scene.result();
  const bool left = i.Bool(AttrId::kLeftSide), lower = i.Bool(AttrId::kLower), unit = i.Bool(AttrId::kUnitDiagonal);
  const absl::string_view how = i.Text(AttrId::kTransposeA);
  const bool transposed = how == "TRANSPOSE" || how == "ADJOINT";
  const int rank = a.shape.rank();
  const int64_t n = a.shape.dim(rank - 1);
  const std::string matrix = absl::StrCat(a.name, how == "ADJOINT" ? "^H" : transposed ? "^T" : "");
  board.Headline();
  board.Explain(left ? "left_side=true" : "left_side=false", Ink::kViolet, tr("$0 = $1, solved for $2.", left ? absl::StrCat(matrix, " . ", x.name) : absl::StrCat(x.name, " . ", matrix), b.name, x.name));
  board.Explain(lower ? "lower=true" : "lower=false", Ink::kViolet, lower ? tr("of $0 only the lower triangle is read.", a.name) : tr("of $0 only the upper triangle is read.", a.name));
  if (unit) board.Explain("unit_diagonal=true", Ink::kViolet, tr("ones are taken for the diagonal, whatever stands there."));
  if (transposed) board.Explain(absl::StrCat("transpose_a=", how), Ink::kViolet, how == "ADJOINT" ? tr("rows and columns change places, and numbers become their conjugates.") : tr("rows and columns change places."));
  board.set_steps(static_cast<int>(std::min<int64_t>(n, 4096)));
  const int step = board.step();
  // The unknown that depends on no other comes first: row 0 where the matrix, as it is taken, is a lower triangle on the left.
  const bool forward = (lower != transposed) == left;
  const int64_t now = step < 0 ? -1 : forward ? step : n - 1 - step;
  const int of_x = left ? rank - 2 : rank - 1, of_a = (left != transposed) ? rank - 2 : rank - 1;  // the dimension that numbers unknowns; equations
  const auto done = [&](int64_t k) { return forward ? k < now : k > now; };
  board.set_marks([&](const Cell& cell) {
    if (step < 0 || static_cast<int>(cell.index.size()) != rank) return CellMark::kNone;
    const int64_t k = cell.index[cell.array == 0 ? of_a : of_x];
    if (k == now) return CellMark::kNow;
    return cell.array != 0 && done(k) ? CellMark::kDone : CellMark::kNone;
  });
  GridSpec triangle = board.SpecOf(a), unknowns = board.SpecOf(x), right = board.SpecOf(b);
  triangle.cell = [=, &board, inner = std::move(triangle.cell)](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    const int64_t r = index[rank - 2], c = index[rank - 1];
    if (unit && r == c) {
      cell.text = "1";
      cell.number = 1;
      cell.is_nan = false;
      absl::StrAppend(&cell.hint, "\n", board.captions()("taken as 1"));
    } else if (lower ? c > r : c < r) {
      cell.state = CellState::kUnused;
      absl::StrAppend(&cell.hint, "\n", board.captions()("not read: taken as 0"));
    }
    return cell;
  };
  unknowns.cell = [=, inner = std::move(unknowns.cell)](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    if (step >= 0 && (forward ? index[of_x] > now : index[of_x] < now)) {
      cell.text.clear();
      cell.number.reset();
    }
    return cell;
  };
  AddHeat(&triangle, a);
  AddHeat(&unknowns, x);
  AddHeat(&right, b);
  triangle.note = !transposed ? "" : unit ? tr("not transposed, with the diagonal that is taken") : tr("as it is given, not transposed");
  if (step >= 0) {
    for (GridSpec* spec : {&triangle, &unknowns, &right}) {
      spec->focus.emplace(rank, 0);
      (*spec->focus)[spec == &triangle ? of_a : of_x] = now;
    }
  }
  if (left) {
    board.Row({std::move(triangle), std::string(transposed ? (how == "ADJOINT" ? "^H ." : "^T .") : "."), std::move(unknowns), std::string("="), std::move(right)}, 300);
  } else {
    board.Row({std::move(unknowns), std::string("."), std::move(triangle), std::string(transposed ? (how == "ADJOINT" ? "^H =" : "^T =") : "="), std::move(right)}, 300);
  }
  board.RelationArrows();
  if (step >= 0) {
    board.set_step_text(absl::StrCat(left ? tr("Row $0 of $1: that of $2, less what the unknowns before make of it", now, x.name, b.name) : tr("Column $0 of $1: that of $2, less what the unknowns before make of it", now, x.name, b.name), unit ? "" : ", ", unit ? "" : tr("divided by the diagonal"), "."));
  }
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
