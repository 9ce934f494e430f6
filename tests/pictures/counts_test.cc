// What pictures say in numbers is so: updates that are left out or meet, windows that are clamped, elements that moved, bytes of padding, on
// random instances, counted here in another way.
#include <map>
#include <random>
#include <regex>

#include "absl/strings/str_join.h"
#include "core/shape/layout_map.h"
#include "tests/pictures/making.h"
#include "visualizer/pictures/relation.h"

namespace hloscope {
namespace {

std::string Said(const PictureData& data, const char* picture) {
  PictureSelection selection;
  selection.width = 4000;  // sentences in one line
  const absl::StatusOr<MadePicture> made = FindPictureRow(picture)->draw(data, selection);
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? TextOf(*made) : "";
}

// The groups of the first match; "one" is 1. Empty: nothing matches.
std::vector<int64_t> Numbers(const std::string& text, const std::string& pattern) {
  std::smatch match;
  std::vector<int64_t> numbers;
  if (!std::regex_search(text, match, std::regex(pattern))) return numbers;
  for (size_t k = 1; k < match.size(); ++k) numbers.push_back(match[k] == "one" ? 1 : std::stoll(match[k]));
  return numbers;
}

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}
  int operator()(int low, int high) { return low + static_cast<int>(random_() % static_cast<uint32_t>(high - low + 1)); }
  // "{{1, 2}, {3, 4}}" of numbers in a range.
  std::string Table(int rows, int columns, int low, int high) {
    std::vector<std::string> lines;
    for (int r = 0; r < rows; ++r) {
      std::vector<int> line;
      for (int c = 0; c < columns; ++c) line.push_back((*this)(low, high));
      lines.push_back(absl::StrCat("{", absl::StrJoin(line, ", "), "}"));
    }
    return absl::StrCat("{", absl::StrJoin(lines, ", "), "}");
  }

 private:
  std::mt19937 random_;
};

TEST(Counts, OfUpdatesThatAreLeftOutOrMeet) {
  int with_left = 0, with_met = 0;
  for (uint32_t seed = 1; seed <= 160; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const int rows = draw(1, 5), columns = draw(1, 5), vectors = draw(1, 6), high = draw(1, rows), wide = draw(1, columns);
    RunProgram run(absl::StrCat("f { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT c = s32[] add(a, b) }\nENTRY main {\n x = s32[", rows, ",", columns, "] iota(), iota_dimension=0\n i = s32[", vectors,
                                ",2] constant(", draw.Table(vectors, 2, -1, 4), ")\n u = s32[", vectors, ",", high, ",", wide, "] iota(), iota_dimension=0\nROOT s = s32[", rows, ",", columns,
                                "] scatter(x, i, u), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=f\n}"));
    ASSERT_EQ(run.problems(), "");
    const PictureData data = run.DataOf(*run.module().entry->root);
    const absl::StatusOr<PictureScene> scene = PictureScene::Make(data);
    ASSERT_TRUE(scene.ok());
    const Relation relation(*scene);
    int64_t left_out = 0, met = 0, most = 0;
    std::map<int64_t, int64_t> hits;
    const int64_t updates = scene->operand(2).shape.ElementCount();
    for (int64_t e = 0; e < updates; ++e) {
      const absl::StatusOr<int64_t> target = relation.tracer()->PushPoint(e, relation.loader(), nullptr);
      ASSERT_TRUE(target.ok());
      left_out += *target < 0;
      if (*target >= 0) ++hits[*target];
    }
    for (const auto& [place, count] : hits) met += count > 1, most = std::max(most, count);
    const std::string text = Said(data, "scatter");
    EXPECT_EQ(Numbers(text, "Left out: (\\d+) of (\\d+) updates"), left_out > 0 ? (std::vector<int64_t>{left_out, updates}) : std::vector<int64_t>()) << text;
    EXPECT_EQ(Numbers(text, "Met: on (one|\\d+) elements? several updates meet, up to (\\d+);"), met > 0 ? (std::vector<int64_t>{met, most}) : std::vector<int64_t>()) << text;
    with_left += left_out > 0;
    with_met += met > 0;
  }
  EXPECT_GT(with_left, 20);
  EXPECT_GT(with_met, 20);
}

TEST(Counts, OfWindowsThatAreClamped) {
  int with_clamped = 0;
  for (uint32_t seed = 1; seed <= 80; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const int rows = draw(1, 5), columns = draw(1, 5), vectors = draw(2, 6), high = draw(1, rows), wide = draw(1, columns);
    RunProgram run(absl::StrCat("x = s32[", rows, ",", columns, "] iota(), iota_dimension=0\n i = s32[", vectors, ",2] constant(", draw.Table(vectors, 2, -1, 5), ")\nROOT g = s32[", vectors, ",", high, ",", wide,
                                "] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={", high, ",", wide, "}"));
    ASSERT_EQ(run.problems(), "");
    const PictureData data = run.DataOf(*run.module().entry->root);
    int64_t clamped = 0;
    for (int v = 0; v < vectors; ++v) {
      const int32_t* start = data.operands[1].as<int32_t>() + 2 * v;
      clamped += start[0] < 0 || start[0] > rows - high || start[1] < 0 || start[1] > columns - wide;
    }
    const std::string text = Said(data, "gather");
    EXPECT_EQ(Numbers(text, "Clamped: (\\d+) of (\\d+) windows"), clamped > 0 ? (std::vector<int64_t>{clamped, vectors}) : std::vector<int64_t>()) << text;
    with_clamped += clamped > 0;
  }
  EXPECT_GT(with_clamped, 40);
}

TEST(Counts, OfElementsThatSortingMoved) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const int count = draw(1, 12);
    const std::string keys = draw.Table(1, count, 0, 6);
    RunProgram run(absl::StrCat("l { a = s32[] parameter(0)\n b = s32[] parameter(1)\n p = s32[] parameter(2)\n q = s32[] parameter(3)\n ROOT c = pred[] compare(a, b), direction=LT }\nENTRY main {\n k = s32[", count, "] constant(",
                                keys.substr(1, keys.size() - 2), ")\n v = s32[", count, "] iota(), iota_dimension=0\nROOT s = (s32[", count, "], s32[", count, "]) sort(k, v), dimensions={0}, is_stable=true, to_apply=l\n}"));
    ASSERT_EQ(run.problems(), "");
    const PictureData data = run.DataOf(*run.module().entry->root);
    int64_t moved = 0;
    for (int k = 0; k < count; ++k) moved += data.result.elements()[1].as<int32_t>()[k] != k;
    const std::string text = Said(data, "sort");
    if (moved == 0) EXPECT_NE(text.find("Nothing moved: it was sorted."), std::string::npos) << text;
    else EXPECT_EQ(Numbers(text, "(\\d+) of (\\d+) elements moved"), (std::vector<int64_t>{moved, count})) << text;
  }
}

TEST(Counts, OfBytesOfPadding) {
  int padded = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const int rows = draw(1, 9), columns = draw(1, 9);
    const std::string layout = absl::StrCat(draw(0, 1) == 0 ? "{1,0" : "{0,1", ":T(", draw(1, 4), ",", draw(1, 4), ")", draw(0, 2) == 0 ? "(2,1)" : "", "}");
    RunProgram run(absl::StrCat("x = bf16[", rows, ",", columns, "]", layout, " iota(), iota_dimension=0\nROOT y = bf16[", rows, ",", columns, "] negate(x)"));
    if (!run.problems().empty()) continue;  // tiles that do not fit into each other
    const Instruction& x = *run.Find("x");
    const LayoutMap map(x.shape);
    int64_t bytes = 0, waste = 0;
    for (int64_t place = 0; place < map.PhysicalSize(); ++place) {
      bytes += 2;
      waste += map.LogicalOfPhysical(place) ? 0 : 2;
    }
    const std::string text = Said(run.DataOf(x), "layout");
    const std::vector<int64_t> said = Numbers(text, "of 2 bytes: (\\d+) bytes in memory, (\\d+) bytes of them padding");
    if (waste == 0) EXPECT_NE(text.find(absl::StrCat(": ", bytes, " bytes, none wasted.")), std::string::npos) << text;
    else EXPECT_EQ(said, (std::vector<int64_t>{bytes, waste})) << text;
    padded += waste > 0;
  }
  EXPECT_GT(padded, 20);
}

}  // namespace
}  // namespace hloscope
