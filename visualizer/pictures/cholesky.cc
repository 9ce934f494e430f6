// Cholesky: a matrix and the triangle whose product with its transpose gives it back, column by column.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/plot.h"

namespace hloscope {
namespace {

// An element of column c needs its own row up to c, and of the rows before c all of the triangle. Upper triangles are the same the other way
// round: rows are columns there.
Related RelateTriangle(const Cell& cell, bool lower, int64_t n) {
  Related related;
  const size_t rank = cell.index.size();
  const bool of_result = cell.array >= kResultArray;
  const int64_t r = cell.index[lower ? rank - 2 : rank - 1], c = cell.index[lower ? rank - 1 : rank - 2];
  if (c > r) return related;  // the other triangle
  const auto add = [&](int64_t row, int64_t first, int64_t last) {
    if (first > last) return;
    std::vector<int64_t> low = cell.index, high = cell.index;
    low[lower ? rank - 2 : rank - 1] = high[lower ? rank - 2 : rank - 1] = row;
    low[lower ? rank - 1 : rank - 2] = first;
    high[lower ? rank - 1 : rank - 2] = last;
    related.AddBox({of_result ? 0 : kResultArray, low, high, LoadRole::kValue});
  };
  if (of_result) {
    for (int64_t row = 0; row <= c; ++row) add(row, 0, row);
    if (r > c) add(r, 0, c);
  } else {
    if (r > c) add(r, c, r - 1);
    for (int64_t row = r; row < n; ++row) add(row, r, row);
  }
  return related;
}

}  // namespace

int SuitsCholesky(const Instruction& instruction) { return instruction.opcode == Opcode::kCholesky ? 60 : 0; }

absl::StatusOr<MadePicture> DrawCholesky(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const PictureArray &a = scene.operand(0), &result = scene.result();
  const bool lower = scene.instruction().Bool(AttrId::kLower);
  const int rank = a.shape.rank();
  const int64_t n = a.shape.dim(rank - 1);
  if (const Cell* cell = board.cell(); cell != nullptr && scene.Has(*cell)) board.set_related(RelateTriangle(*cell, lower, n));
  board.Headline();
  board.Explain(lower ? "lower=true" : "lower=false", Ink::kViolet, lower ? tr("the result L is a lower triangle, and L times its (conjugate) transpose is the matrix. Only the lower triangle is read.") : tr("the result U is an upper triangle, and its (conjugate) transpose times U is the matrix. Only the upper triangle is read."));
  board.set_steps(static_cast<int>(std::min<int64_t>(n, 4096)));
  const int step = board.step();
  // Of lower triangles columns are made one after the other, of upper ones rows.
  const auto along = [&](const Cell& cell) { return cell.index[lower ? rank - 1 : rank - 2]; };
  board.set_marks([&](const Cell& cell) {
    if (step < 0 || static_cast<int>(cell.index.size()) != rank) return CellMark::kNone;
    const bool used = lower ? cell.index[rank - 2] >= cell.index[rank - 1] : cell.index[rank - 2] <= cell.index[rank - 1];
    if (!used) return CellMark::kNone;
    if (along(cell) == step) return CellMark::kNow;
    return cell.array >= kResultArray && along(cell) < step ? CellMark::kDone : CellMark::kNone;
  });
  const auto spec_of = [&](const PictureArray& array) {
    GridSpec spec = board.SpecOf(array);
    const bool of_result = array.id >= kResultArray;
    spec.cell = [=, &board, inner = std::move(spec.cell)](absl::Span<const int64_t> index) {
      GridCell cell = inner(index);
      const int64_t r = index[rank - 2], c = index[rank - 1];
      if (lower ? c > r : c < r) {
        cell.state = CellState::kUnused;
        absl::StrAppend(&cell.hint, "\n", of_result ? tr("the other triangle: not part of the result") : tr("not read"));
      } else if (of_result && board.step() >= 0 && (lower ? c : r) > board.step()) {
        cell.Empty();
      }
      return cell;
    };
    if (step >= 0) {
      spec.focus.emplace(rank, 0);
      (*spec.focus)[rank - 1] = (*spec.focus)[rank - 2] = step;
    }
    AddHeat(&spec, array);
    return spec;
  };
  board.Row({spec_of(a), std::string("->"), spec_of(result)});
  board.RelationArrows();
  if (step >= 0) {
    board.set_step_text(lower ? tr("Column $0: on the diagonal the square root of what is left of the matrix there after the columns before; the others are what is left, divided by it.", step)
                              : tr("Row $0: on the diagonal the square root of what is left of the matrix there after the rows before; the others are what is left, divided by it.", step));
  }
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
