// Where elements of what is exchanged come from (core/ops/exchange_origin.h), against what the exchange gives: every element is the reduction, in
// the order that is told, of the elements that are told, and a zero where none is.
#include "core/ops/exchange_origin.h"

#include "core/ops/device_groups.h"
#include "core/ops/leaf_flow.h"
#include "tests/exchange/devices.h"

namespace hloscope {
namespace {

// `fold` of what is told; of one alone itself.
void Check(int replicas, int partitions, const std::string& text, double (*fold)(double, double), int64_t* told) {
  const DevicesResult got = RunOn(replicas, partitions, text, Telling);
  ASSERT_EQ(got.problems, "") << text;
  auto source = std::make_shared<const SourceText>("<test>", WholeModule(text));
  DiagnosticSink sink;
  const std::unique_ptr<Module> module = ReadHloText(source, sink);
  Verify(*module, sink);
  const Instruction& root = *module->entry->root;
  const auto groups = ExchangeGroups(root, replicas, partitions);
  ASSERT_TRUE(groups.ok()) << groups.status();
  for (const ExchangeGroup& group : *groups) {
    const auto index = [&](int member) { return static_cast<int>(group.members[member].replica * partitions + group.members[member].partition); };
    const auto brought = [&](int member, int operand) { return Telling(index(member), static_cast<int>(root.operands[operand]->parameter_number), root.operands[operand]->shape.WithoutLayouts()); };
    for (int m = 0; m < static_cast<int>(group.members.size()); ++m) {
      const auto origins = ExchangeOrigins::Of(root, static_cast<int>(group.members.size()), m, group.sends, [&](int member, int operand) { return absl::StatusOr<Value>(brought(member, operand)); });
      ASSERT_TRUE(origins.ok()) << origins.status() << text;
      for (int leaf = 0; leaf < LeafCountOf(root.shape); ++leaf) {
        const std::vector<double> numbers = Numbers(LeafOf(got.results[index(m)], leaf));
        for (size_t e = 0; e < numbers.size(); ++e) {
          const std::vector<ExchangeOrigin> from = (*origins)->At(leaf, static_cast<int64_t>(e));
          double value = 0;
          for (size_t k = 0; k < from.size(); ++k) {
            const double one = Numbers(brought(from[k].member, from[k].operand))[from[k].linear];
            value = k == 0 ? one : fold(value, one);
          }
          EXPECT_EQ(numbers[e], value) << text << "\ndevice " << index(m) << ", leaf " << leaf << ", element " << e;
          *told += static_cast<int64_t>(from.size());
        }
      }
    }
  }
}

double Add(double a, double b) { return a + b; }
double Subtract(double a, double b) { return a - b; }

TEST(ExchangeOrigins, AreWhatEachElementIsMadeFrom) {
  const std::string x = "  x = f32[4,2] parameter(0)\n  y = f32[3] parameter(1)\n  ROOT r = ";
  int64_t told = 0;
  Check(3, 1, x + "f32[4,2] all-reduce(x), replica_groups={{2,0,1}}, to_apply=sub", Subtract, &told);
  Check(2, 2, x + "(f32[4,2], f32[3]) all-reduce(x, y), channel_id=1, replica_groups={{0,3},{2,1}}, use_global_device_ids=true, to_apply=sum", Add, &told);
  Check(2, 1, x + "f32[4,4] all-gather(x), replica_groups={{1,0}}, dimensions={1}", Add, &told);
  Check(2, 1, x + "(f32[8,2], f32[6]) all-gather(x, y), replica_groups={{1,0}}, dimensions={0}", Add, &told);
  Check(2, 1, x + "f32[2,2] reduce-scatter(x), replica_groups={{1,0}}, dimensions={0}, to_apply=sub", Subtract, &told);
  Check(2, 1, x + "f32[4,2] all-to-all(x), replica_groups={{1,0}}, dimensions={1}", Add, &told);
  Check(2, 1, x + "(f32[4,2], f32[4,2]) all-to-all(x, x), replica_groups={{1,0}}", Add, &told);
  Check(3, 1, x + "f32[4,2] collective-broadcast(x), replica_groups={{2,0}}", Add, &told);
  EXPECT_EQ(told, 3 * 8 * 3 + 4 * 11 * 2 + 2 * 16 + 2 * 22 + 2 * 4 * 2 + 2 * 8 + 2 * 16 + 2 * 8);
  told = 0;
  Check(3, 1, x + "f32[4,2] collective-permute(x), source_target_pairs={{0,2},{2,1}}", Add, &told);
  EXPECT_EQ(told, 2 * 8);  // nobody sends to the first
}

TEST(ExchangeOrigins, TooManyElementsAreRefused) {
  auto source = std::make_shared<const SourceText>("<test>", WholeModule("  x = f32[4096,4096] parameter(0)\n  ROOT r = f32[4096,4096] all-reduce(x), replica_groups={}, to_apply=sum"));
  DiagnosticSink sink;
  const std::unique_ptr<Module> module = ReadHloText(source, sink);
  const auto none = [](int, int) { return absl::StatusOr<Value>(absl::InternalError("nothing is asked for")); };
  EXPECT_TRUE(absl::IsResourceExhausted(ExchangeOrigins::Of(*module->entry->root, 4, 0, {}, none).status()));
}

}  // namespace
}  // namespace hloscope
