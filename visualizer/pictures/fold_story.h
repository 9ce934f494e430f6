// How one result element is folded, term after term, in the order that every backend obeys: what each term is made of, and the running value
// after it. For pictures of dot, reduce, reduce-window and convolution. Not for results that count (core/element/interpret.h).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_FOLD_STORY_H_
#define HLOSCOPE_VISUALIZER_PICTURES_FOLD_STORY_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/pictures/grid.h"
#include "visualizer/pictures/relation.h"

namespace hloscope {

struct FoldTerm {
  std::vector<int64_t> at;         // of the fold's domain
  std::vector<Cell> reads;
  std::optional<Scalar> value;     // what is combined; none where values are missing
  std::optional<Scalar> running;   // after it; of lanes the lane's
  std::vector<Scalar> parts;       // what a reducer's parts are after it (RunReducer)
  bool passed_over = false;        // it lies on padding or in a hole
};
struct FoldStory {
  ScalarOp op{};
  bool single_op = false;             // op(running, term); else `running` is not known
  bool lanes = false;                 // sixteen, by the innermost index; joined pairwise at the end
  std::vector<int64_t> extents;       // of the domain, row-major
  std::vector<FoldTerm> terms;        // the first of them
  int64_t total = 0;
  std::optional<Scalar> init;
  std::vector<std::vector<std::optional<Scalar>>> joins;  // lanes: 16 totals, then 8, 4, 2, 1
};

// Of element `index` of result leaf `leaf`. Nothing where its program is no fold.
std::optional<FoldStory> TellFold(const PictureScene& scene, const Relation& relation, int leaf, absl::Span<const int64_t> index, int64_t most = 2048);

// Runs a reducer that is more than one operation over the terms, one after the other: its parts after each, and what each reads of the
// arrays (operands 0 to `arrays` - 1; their initial values follow). `element`: the arrays' element of a term; nothing on padding. Leaves
// the parts empty where values are missing.
void RunReducer(const PictureScene& scene, const Computation& reducer, int arrays, const std::function<std::optional<std::vector<int64_t>>(const FoldTerm&)>& element,
                FoldStory* story);

// An own array of a picture: a few named rows over the terms, "term", "sum".
struct FoldRow {
  std::string name;
  std::function<std::optional<Scalar>(const FoldTerm&)> number;
};
GridSpec FoldStrip(const FoldStory& story, int array, std::vector<FoldRow> rows, int step, std::function<std::string(const FoldTerm&)> label);

// The running value: "sum", or "lane's sum".
FoldRow RunningRow(const Captions& tr, const FoldStory& story);
// The lanes' totals and how they are joined, of a story with joins.
GridSpec FoldJoins(const Captions& tr, const FoldStory& story, int array);
// What its rows are, in a sentence.
std::string JoinsText(const Captions& tr);

// Whether the result is a library's sum, in another order than the story's: its last number may differ from the result. Whole numbers do
// not depend on the order.
bool AddsInItsOwnOrder(const PictureScene& scene);
std::string OwnOrderText(const Captions& tr);  // what is to be said then beside the terms

// "+" as a word: "sum", "product", "maximum".
std::string FoldWord(ScalarOp op);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_FOLD_STORY_H_
