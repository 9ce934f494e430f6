// Iterations of a loop, exchanges between devices, and arrays that are large, empty or of many dimensions.
#include <chrono>

#include "gmock/gmock.h"
#include "tests/pictures/making.h"

namespace hloscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(WhilePicture, EachIterationIsThere) {
  RunProgram run(RunProgram::ReadFile("assets/samples/ops/while.hlo"));
  const PictureData data = run.DataOf(*run.module().entry->root);
  ASSERT_EQ(data.iterations.size(), 11u);
  PictureSelection selection;
  selection.step = 3;
  selection.pinned = Cell{kOwnArray + 1, {3, 2}};
  const absl::StatusOr<MadePicture> picture = FindPictureRow("while")->draw(data, selection);
  ASSERT_TRUE(picture.ok()) << picture.status();
  EXPECT_EQ(picture->steps, 11);
  EXPECT_EQ(picture->step_text, "At the start of iteration 3: %while[0] = 3.");
  EXPECT_EQ(picture->related_total, 10);  // the same element in the others
  const std::string text = TextOf(*picture);
  EXPECT_THAT(text, HasSubstr("10 iterations"));
  EXPECT_THAT(text, HasSubstr("10 20 30"));
}

// Of a long loop some iterations are at hand: what is the same in them need not be so in the others, unless the body hands it on.
TEST(WhilePicture, SaysWhatIsTheSameWhere) {
  RunProgram run("body { p = (s32[], s32[], f32[2]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n m = s32[] get-tuple-element(p), index=1\n w = f32[2] get-tuple-element(p), index=2\n one = s32[] constant(1)\n"
                 "three = s32[] constant(3)\n j = s32[] add(i, one)\n n = s32[] minimum(j, three)\n ROOT t = (s32[], s32[], f32[2]) tuple(j, n, w) }\n"
                 "cond { p = (s32[], s32[], f32[2]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n ten = s32[] constant(10)\n ROOT c = pred[] compare(i, ten), direction=LT }\n"
                 "ENTRY main { z = s32[] constant(0)\n w = f32[2] constant({1, 2})\n t = (s32[], s32[], f32[2]) tuple(z, z, w)\n r = (s32[], s32[], f32[2]) while(t), condition=cond, body=body\n"
                 "ROOT g = s32[] get-tuple-element(r), index=0\n}");
  ASSERT_EQ(run.problems(), "");
  PictureData data = run.DataOf(*run.Find("r"));
  ASSERT_EQ(data.iterations.size(), 11u);
  EXPECT_THAT(TextOf(*FindPictureRow("while")->draw(data, {})), HasSubstr("The same in every iteration: %r[2] = {1, 2}."));
  data.iterations.erase(data.iterations.begin(), data.iterations.begin() + 4);
  data.first_iteration = 4;
  data.iteration_count = 10;
  const std::string text = TextOf(*FindPictureRow("while")->draw(data, {}));
  EXPECT_THAT(text, HasSubstr("The same in every iteration: %r[2] = {1, 2}."));
  EXPECT_THAT(text, HasSubstr("The same in the iterations that are shown: %r[1] = 3."));
}

std::string Exchange(const std::string& header, const std::string& operation, int step = -1, std::optional<Cell> pinned = std::nullopt) {
  const std::string text = absl::StrCat("HloModule m", header, "\n\nf { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n\nENTRY main {\n x = f32[4,2] parameter(0)\n ROOT r = ", operation, "\n}\n");
  DiagnosticSink sink;
  const std::unique_ptr<Module> module = ReadHloText(std::make_shared<const SourceText>("<test>", text), sink);
  EXPECT_EQ(sink.error_count(), 0) << text;
  PictureData data;
  data.instruction = module->entry->root;
  data.operands.resize(1);
  PictureSelection selection;
  selection.step = step;
  selection.pinned = std::move(pinned);
  const absl::StatusOr<MadePicture> picture = FindPictureRow("collective")->draw(data, selection);
  EXPECT_TRUE(picture.ok()) << picture.status();
  return picture.ok() ? TextOf(*picture) : "";
}

TEST(CollectivePicture, WhoSendsWhatToWhom) {
  EXPECT_THAT(Exchange(", replica_count=4", "f32[8,2] all-gather(x), dimensions={0}, replica_groups={{0,1},{2,3}}", 1), HasSubstr("What replica 1 gets: block 0 of the result: what replica 0 has and block 1 of the result: what replica 1 has."));
  // Blocks are named after devices, not after places in the group.
  EXPECT_THAT(Exchange(", replica_count=4", "f32[8,2] all-gather(x), dimensions={0}, replica_groups={{3,1},{2,0}}"), HasSubstr("replica 3 of r3 of r3 of r1"));
  EXPECT_THAT(Exchange(", replica_count=2", "f32[2,2] reduce-scatter(x), dimensions={0}, replica_groups={{0,1}}, to_apply=f"), HasSubstr("Each block is f32[2,2]."));
  // Block 1 of member 0 goes to member 1.
  EXPECT_THAT(Exchange(", replica_count=2", "f32[4,2] all-to-all(x), dimensions={0}, replica_groups={{0,1}}", -1, Cell{kOwnArray + 1, {0, 1}}), HasSubstr("related 1: 2002[1,0]"));
  const std::string ring = Exchange(", replica_count=4", "f32[4,2] collective-permute(x), source_target_pairs={{0,1},{1,2},{2,3}}", 2);
  EXPECT_THAT(ring, HasSubstr("steps 3: replica 2 sends f32[4,2] to replica 3."));
  EXPECT_THAT(ring, HasSubstr("1 device is no target and gets zeros."));
  EXPECT_THAT(Exchange(", replica_count=2, num_partitions=2", "f32[4,2] all-reduce(x), replica_groups=[2,2]<=[4], channel_id=1, use_global_device_ids=true, to_apply=f"), HasSubstr("a number is replica * partitions + partition"));
}

TEST(CollectivePicture, FaultsOfGroupsAreSaid) {
  const std::string text = Exchange(", replica_count=4", "f32[4,2] all-reduce(x), replica_groups={{0,1},{1,7}}, to_apply=f");
  EXPECT_THAT(text, HasSubstr("1 is named more than once"));
  EXPECT_THAT(text, HasSubstr("there is no device 7"));
  EXPECT_THAT(text, HasSubstr("replica 2 and replica 3: what they get is not defined"));
  EXPECT_THAT(Exchange("", "f32[4,2] all-reduce(x), replica_groups={{0,1}}, to_apply=f"), Not(HasSubstr("named more than once")));
}

// Large, empty, without dimensions, with five: sensible, and quick.
TEST(Pictures, OfExtremeShapes) {
  const char* const kPrograms[] = {
      "x = f32[0,4] constant({})\n i = s32[3] constant({0, 1, 2})\n ROOT g = f32[3,0] gather(x, i), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={0,1}",
      "x = f32[4] iota(), iota_dimension=0\n i = s32[0] constant({})\n ROOT g = f32[0] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
      "x = f32[2,3,4,5,6] iota(), iota_dimension=4\n i = s32[7,2] iota(), iota_dimension=0\n ROOT g = f32[7,2,1,4,5,6] gather(x, i), offset_dims={1,2,3,4,5}, collapsed_slice_dims={}, "
      "start_index_map={1,0}, index_vector_dim=1, slice_sizes={2,1,4,5,6}",
      "x = f32[] constant(1)\n ROOT d = f32[] dynamic-slice(x), dynamic_slice_sizes={}",
      "x = f32[3000,300] iota(), iota_dimension=0\n i = s32[20000] iota(), iota_dimension=0\n ROOT g = f32[20000,300] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,300}",
      "x = f32[64,64] iota(), iota_dimension=0\n ROOT t = f32[64,64] cholesky(x), lower=true",
  };
  for (const char* program : kPrograms) {
    SCOPED_TRACE(program);
    RunProgram run(program);
    ASSERT_EQ(run.problems(), "");
    const PictureData data = run.DataOf(*run.module().entry->root);
    for (const PictureRow* row : PicturesFor(*data.instruction)) {
      for (const int step : {-1, 2}) {
        PictureSelection selection;
        selection.step = step;
        const auto start = std::chrono::steady_clock::now();
        const absl::StatusOr<MadePicture> picture = row->draw(data, selection);
        ASSERT_TRUE(picture.ok()) << row->id << picture.status();
        // 0.2 s is wished for; a busy machine has its time.
        EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 3) << row->id;
      }
    }
  }
}

}  // namespace
}  // namespace hloscope
