// Windows of index vectors are where the element programs read and write; the permutation of a sort is the one that was made.
#include <algorithm>

#include "tests/pictures/making.h"
#include "visualizer/pictures/index_windows.h"
#include "visualizer/pictures/relation.h"

namespace hloscope {
namespace {

struct WindowCase {
  const char* what;
  const char* text;
};

const WindowCase kReads[] = {
    {"rows", "x = s32[4,3] iota(), iota_dimension=0\n i = s32[5] constant({2, 0, 9, -4, 3})\n"
             "ROOT g = s32[5,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"},
    {"windows at pairs, swapped", "x = s32[6,5] iota(), iota_dimension=1\n i = s64[2,3] constant({{0, 2, 9}, {1, 4, -1}})\n"
                                  "ROOT g = s32[2,3,2] gather(x, i), offset_dims={0,2}, collapsed_slice_dims={}, start_index_map={1,0}, index_vector_dim=0, slice_sizes={2,2}"},
    {"batching", "x = s32[3,4,5] iota(), iota_dimension=2\n i = s32[2,3,1] constant({{{0}, {1}, {7}}, {{3}, {2}, {0}}})\n"
                 "ROOT g = s32[2,3,5] gather(x, i), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={1}, "
                 "index_vector_dim=2, slice_sizes={1,1,5}"},
    {"a slice", "x = s32[4,6] iota(), iota_dimension=1\n a = s32[] constant(3)\n b = s32[] constant(-2)\nROOT d = s32[2,3] dynamic-slice(x, a, b), dynamic_slice_sizes={2,3}"},
    {"unsigned starts", "x = s32[9] iota(), iota_dimension=0\n a = u64[] constant(18446744073709551615)\nROOT d = s32[4] dynamic-slice(x, a), dynamic_slice_sizes={4}"},
};

TEST(IndexWindows, AreWhereGathersAndSlicesRead) {
  for (const WindowCase& c : kReads) {
    SCOPED_TRACE(c.what);
    RunProgram run(c.text);
    ASSERT_EQ(run.problems(), "");
    const PictureData data = run.DataOf(*run.module().entry->root);
    const absl::StatusOr<PictureScene> scene = PictureScene::Make(data);
    ASSERT_TRUE(scene.ok());
    const Relation relation(*scene);
    const IndexWindows w = data.instruction->operands.size() == 2 && data.instruction->Has(AttrId::kSliceSizes) ? IndexWindows::OfGather(*scene) : IndexWindows::OfDynamicSlice(*scene);
    const PictureArray& result = scene->result();
    std::vector<int64_t> index(result.shape.rank());
    for (int64_t e = 0; e < result.shape.ElementCount(); ++e) {
      DelinearizeIndex(result.shape.dimensions(), e, absl::MakeSpan(index));
      const StartVector v = w.At(w.VectorOfMoved(index));
      const auto place = w.PlaceOf(v, index);
      ASSERT_TRUE(place);
      const Related reads = relation.Reads(0, index);
      EXPECT_EQ(reads.RoleOf({0, *place}), LoadRole::kValue) << result.name << IndexText(index) << " from " << IndexText(*place);
      for (const Cell& cell : reads.List(100)) {
        if (cell.array != 0) {
          EXPECT_EQ(w.VectorOfCell(cell), w.VectorOfMoved(index));
        }
      }
    }
  }
}

const WindowCase kWrites[] = {
    {"places", "x = s32[4] constant({0, 0, 0, 0})\n i = s32[5] constant({1, 3, 1, 9, -1})\n u = s32[5] constant({1, 2, 3, 4, 5})\n"
               "ROOT s = s32[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f"},
    {"windows that reach out", "x = s32[4,5] iota(), iota_dimension=0\n i = s32[3,2] constant({{0, 3}, {3, 1}, {-1, 0}})\n u = s32[3,2,3] iota(), iota_dimension=0\n"
                               "ROOT s = s32[4,5] scatter(x, i, u), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=f"},
    {"batching", "x = s32[2,4] iota(), iota_dimension=1\n i = s32[2,3,1] constant({{{0}, {1}, {9}}, {{3}, {3}, {0}}})\n u = s32[2,3] iota(), iota_dimension=1\n"
                 "ROOT s = s32[2,4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, "
                 "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=f"},
};
std::string WithSum(const char* entry) {
  return absl::StrCat("f { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT c = s32[] add(a, b) }\nENTRY main {\n", entry, "\n}\n");
}

TEST(IndexWindows, AreWhereScattersWrite) {
  for (const WindowCase& c : kWrites) {
    SCOPED_TRACE(c.what);
    RunProgram run(WithSum(c.text));
    ASSERT_EQ(run.problems(), "");
    const PictureData data = run.DataOf(*run.module().entry->root);
    const absl::StatusOr<PictureScene> scene = PictureScene::Make(data);
    ASSERT_TRUE(scene.ok());
    const Relation relation(*scene);
    const IndexWindows w = IndexWindows::OfScatter(*scene);
    const PictureArray& updates = scene->operand(2);
    std::vector<int64_t> index(updates.shape.rank());
    for (int64_t e = 0; e < updates.shape.ElementCount(); ++e) {
      DelinearizeIndex(updates.shape.dimensions(), e, absl::MakeSpan(index));
      const auto place = w.PlaceOf(w.At(w.VectorOfMoved(index)), index);
      const absl::StatusOr<int64_t> target = relation.tracer()->PushPoint(e, relation.loader(), nullptr);
      ASSERT_TRUE(target.ok());
      EXPECT_EQ(place ? LinearIndex(w.windowed->shape.dimensions(), *place) : -1, *target) << IndexText(index);
    }
  }
}

// With each step one more vector is applied: the last step shows the result.
TEST(ScatterPicture, ShowsWhatIsThereAfterEachVector) {
  RunProgram run(WithSum(kWrites[0].text));
  const PictureData data = run.DataOf(*run.module().entry->root);
  const std::vector<std::vector<std::string>> wanted = {{"0", "1", "0", "0"}, {"0", "1", "0", "2"}, {"0", "4", "0", "2"}, {"0", "4", "0", "2"}, {"0", "4", "0", "2"}};
  for (int step = 0; step < 5; ++step) {
    PictureSelection selection;
    selection.step = step;
    const absl::StatusOr<MadePicture> picture = FindPictureRow("scatter")->draw(data, selection);
    ASSERT_TRUE(picture.ok()) << picture.status();
    EXPECT_EQ(picture->steps, 5);
    // The numbers inside the cells of the result.
    std::vector<std::string> shown;
    for (const Spot& spot : picture->drawing.spots()) {
      if (!spot.is_cell || spot.cell.array != kResultArray) continue;
      for (const Drawn& item : picture->drawing.items()) {
        const auto* text = std::get_if<DrawnText>(&item);
        if (text != nullptr && text->style.size == 12 && spot.box.Has(text->at)) shown.push_back(text->text);
      }
    }
    EXPECT_EQ(shown, wanted[step]) << "step " << step;
  }
}

// In an array of small cells the names of windows stand off: what the windows hold is seen, and so are the numbers round the cells.
TEST(ScatterPicture, NamesCoverNoWindowOfSmallCells) {
  RunProgram run(WithSum("x = s32[300,200] iota(), iota_dimension=0\n i = s32[7,2] constant({{1,5},{1,5},{0,0},{0,3},{0,4},{3,3},{20,26}})\n u = s32[7] iota(), iota_dimension=0\n"
                         "ROOT s = s32[300,200] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=f"));
  ASSERT_EQ(run.problems(), "");
  PictureSelection selection;
  selection.options["cells"] = "colours";
  const absl::StatusOr<MadePicture> picture = FindPictureRow("scatter")->draw(run.DataOf(*run.module().entry->root), selection);
  ASSERT_TRUE(picture.ok()) << picture.status();
  std::vector<Box> names, windows;
  std::vector<const DrawnText*> numbers;
  for (const Drawn& item : picture->drawing.items()) {
    const auto* box = std::get_if<DrawnBox>(&item);
    const auto* text = std::get_if<DrawnText>(&item);
    if (text != nullptr && text->style.face == Face::kUi && text->style.size == 10) numbers.push_back(text);
    if (box == nullptr || box->radius != 2) continue;
    if (box->line_width == 2) windows.push_back(box->box);
    else if (box->box.height == 10) names.push_back(box->box);
  }
  EXPECT_GE(names.size(), 10);
  EXPECT_EQ(windows.size(), 14);
  EXPECT_FALSE(numbers.empty());
  for (const Box& name : names) {
    for (const Box& window : windows) {
      EXPECT_FALSE(name.x < window.right() && window.x < name.right() && name.y < window.bottom() && window.y < name.bottom()) << name.x << "," << name.y;
    }
    for (const DrawnText* number : numbers) EXPECT_FALSE(name.Has({number->at.x, number->at.y - 3})) << number->text;
  }
}

TEST(SortPicture, TellsWhereEachElementCameFrom) {
  RunProgram run("l { a = f32[] parameter(0)\n b = f32[] parameter(1)\n p = s32[] parameter(2)\n q = s32[] parameter(3)\n ROOT c = pred[] compare(a, b), direction=LT }\n"
                 "ENTRY main {\n k = f32[5] constant({3, 1, 2, 1, -nan})\n v = s32[5] constant({0, 1, 2, 3, 4})\n"
                 "ROOT s = (f32[5], s32[5]) sort(k, v), dimensions={0}, is_stable=true, to_apply=l\n}\n");
  ASSERT_EQ(run.problems(), "");
  const PictureData data = run.DataOf(*run.module().entry->root);
  const Value& places = data.result.elements()[1];
  for (int64_t p = 0; p < 5; ++p) {
    PictureSelection selection;
    selection.pinned = Cell{kResultArray + 1, {p}};
    const absl::StatusOr<MadePicture> picture = FindPictureRow("sort")->draw(data, selection);
    ASSERT_TRUE(picture.ok());
    const int64_t from = places.as<int32_t>()[p];
    const std::vector<Cell> wanted = {{0, {from}}, {1, {from}}};  // the key that decided, and the element itself
    EXPECT_EQ(picture->related.size(), 2u);
    EXPECT_TRUE(std::is_permutation(picture->related.begin(), picture->related.end(), wanted.begin(), wanted.end())) << p;
  }
}

}  // namespace
}  // namespace hloscope
