// What is drawn can be read: no text lies on another one or under something, none is cut, and all of it stands inside of its margins. Of all
// samples, of random programs, and of programs with awkward attributes.
#include <filesystem>
#include <map>
#include <set>

#include "tests/pictures/random_programs.h"

namespace hloscope {
namespace {

// Every picture of an instruction: as it is, at a step, with a selected element of an operand and of the result, and narrow.
void Look(const PictureData& data, const std::string& what, std::map<std::string, std::vector<std::string>>* faults, int* drawn) {
  std::vector<PictureSelection> selections(4);
  selections[1].step = 1;
  selections[2].width = 560;
  selections[3].width = 300;
  const absl::StatusOr<PictureScene> scene = PictureScene::Make(data);
  if (!scene.ok()) return;
  for (const std::vector<PictureArray>* side : {&scene->operands(), &scene->results()}) {
    if (side->empty() || side->front().shape.ElementCount() == 0) continue;
    std::vector<int64_t> index(side->front().shape.rank());
    DelinearizeIndex(side->front().shape.dimensions(), side->front().shape.ElementCount() / 2, absl::MakeSpan(index));
    selections.emplace_back();
    selections.back().pinned = Cell{side->front().id, index};
  }
  for (const PictureRow* row : PicturesFor(*data.instruction)) {
    for (const PictureSelection& selection : selections) {
      const absl::StatusOr<MadePicture> made = row->draw(data, selection);
      if (!made.ok()) continue;
      ++*drawn;
      const std::string asked = AsksForHands(made->drawing);
      const std::string fault = asked.empty() ? UnreadableText(made->drawing) : absl::StrCat("asks for hands: ", asked);
      const std::string how = absl::StrCat(row->id, selection.step >= 0 ? " step" : "", selection.width < 900 ? " narrow" : "", selection.pinned ? absl::StrCat(" ", selection.pinned->array, IndexText(selection.pinned->index)) : "");
      if (!fault.empty()) (*faults)[row->id].push_back(absl::StrCat(what, " %", data.instruction->name, " ", how, ": ", fault));
    }
  }
}

void ExpectNone(const std::map<std::string, std::vector<std::string>>& faults) {
  for (const auto& [picture, of_it] : faults) {
    std::string some;
    for (size_t k = 0; k < std::min<size_t>(of_it.size(), 12); ++k) absl::StrAppend(&some, "\n  ", of_it[k]);
    ADD_FAILURE() << of_it.size() << " of " << picture << ":" << some;
  }
}

TEST(Looks, OfSamples) {
  std::map<std::string, std::vector<std::string>> faults;
  int drawn = 0;
  for (const char* folder : {"assets/samples/ops", "assets/samples/spec", "tests/pictures/programs"}) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".hlo") continue;
      RunProgram run(RunProgram::ReadFile(file.path().string()));
      if (!run.problems().empty()) continue;
      for (const Instruction* i : run.module().entry->schedule) Look(run.DataOf(*i), file.path().filename().string(), &faults, &drawn);
    }
  }
  EXPECT_GT(drawn, 1000);
  ExpectNone(faults);
}

// Attributes and shapes that are seldom.
constexpr const char* kAwkward[] = {
    "x = f32[2,2,2,2,2,3] iota(), iota_dimension=5\n ROOT r = f32[3,2,2,2,2,2] transpose(x), dimensions={5,4,3,2,1,0}",
    "x = s8[1,2,1,2,1,2,2] iota(), iota_dimension=6\n ROOT r = s8[2,2,1,2,1,2,1] transpose(x), dimensions={6,5,4,3,2,1,0}",
    "x = c64[2,3] constant({{(-1e10,1e-10), (nan,inf), (1.5,-2.25)}, {(0,-0), (-1.23456e-10,-1.23456e-20), (3,4)}})\n ROOT r = c64[3,2] transpose(x), dimensions={1,0}",
    "x = f32[3,3] constant({{1e-30, -1.23456789e30, 123456.789}, {-inf, nan, 3.14159265}, {0.1, 1e10, -1e-5}})\n ROOT r = f32[3,3] reverse(x), dimensions={0,1}",
    "x = f32[64,3] iota(), iota_dimension=0\n ROOT r = f32[3,64] transpose(x), dimensions={1,0}",
    "x = f8e4m3fn[5] constant({448, nan, -0, 0.001, -448})\n y = f8e4m3fn[4] constant({1, 2, 3, 4})\n ROOT r = f8e4m3fn[9] concatenate(x, y), dimensions={0}",
    "x = s4[3,5] iota(), iota_dimension=1\n ROOT r = s4[3,5] negate(x)",
    "x = f4e2m1fn[4] constant({6, -0.5, 0, 1.5})\n ROOT r = bf16[4] convert(x)",
    "x = f32[4,3] iota(), iota_dimension=0\n z = f32[] constant(-1)\n ROOT r = f32[7,4] pad(x, z), padding=-1_1_1x2_-1_0",
    "x = f32[3,0,2] constant({{}, {}, {}})\n z = f32[] constant(7)\n ROOT r = f32[3,3,2] pad(x, z), padding=0_0x1_2x0_0",
    "x = f64[] constant(-2.5)\n ROOT r = f64[] negate(x)",
    "x = f32[4,6] iota(), iota_dimension=1\n i = s32[3,2] constant({{0, 1}, {3, 5}, {-1, 0}})\n ROOT r = f32[3,2,2] gather(x, i), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=2, slice_sizes={2,1}",
    "x = f32[4,6] iota(), iota_dimension=1\n i = s32[3,2] constant({{0, 0}, {0, 0}, {0, 0}})\n ROOT r = f32[2,3,2] gather(x, i), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=2, slice_sizes={2,1}",
    "a = f32[2,3,4,5] iota(), iota_dimension=3\n b = f32[3,2,6,5] iota(), iota_dimension=1\n ROOT r = f32[3,2,4,6] dot(a, b), lhs_batch_dims={1,0}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={3}",
    "x = f32[1,7,6,2] iota(), iota_dimension=1\n k = f32[3,2,1,4] iota(), iota_dimension=0\n ROOT r = f32[1,4,3,4] convolution(x, k), window={size=3x2 stride=2x1 pad=1_1x0_-1 rhs_dilate=1x2 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, feature_group_count=2",
    "a_name_that_is_so_long_that_no_grid_has_the_room_for_it_in_its_head_and_goes_on_and_on_and_on_and_on = f32[2,3] iota(), iota_dimension=0\n"
    "ROOT another_name_that_is_so_long_that_it_has_to_be_cut_or_to_stand_in_a_line_of_its_own_in_every_picture = f32[3,2] transpose(a_name_that_is_so_long_that_no_grid_has_the_room_for_it_in_its_head_and_goes_on_and_on_and_on_and_on), dimensions={1,0}",
    "l { a = bf16[] parameter(0)\n b = bf16[] parameter(1)\n p = s32[] parameter(2)\n q = s32[] parameter(3)\n ROOT c = pred[] compare(a, b), direction=GT }\n"
    "ENTRY main { k = bf16[3,300] iota(), iota_dimension=1\n v = s32[3,300] iota(), iota_dimension=1\n ROOT r = (bf16[3,300], s32[3,300]) sort(k, v), dimensions={1}, to_apply=l }",
};

TEST(Looks, OfAwkwardPrograms) {
  std::map<std::string, std::vector<std::string>> faults;
  int drawn = 0, ran = 0;
  for (const char* text : kAwkward) {
    RunProgram run(text);
    EXPECT_EQ(run.problems(), "") << text;
    if (!run.problems().empty()) continue;
    ++ran;
    for (const Instruction* i : run.module().entry->schedule) Look(run.DataOf(*i), absl::StrCat("program ", ran), &faults, &drawn);
  }
  EXPECT_EQ(ran, static_cast<int>(std::size(kAwkward)));
  ExpectNone(faults);
}

TEST(Looks, OfRandomPrograms) {
  std::map<std::string, std::vector<std::string>> faults;
  int drawn = 0;
  ForRandomPrograms(40, [&](RunProgram& run, const Instruction& i, const std::string& seed) { Look(run.DataOf(i), seed, &faults, &drawn); });
  EXPECT_GT(drawn, 1000);
  ExpectNone(faults);
}

}  // namespace
}  // namespace hloscope
