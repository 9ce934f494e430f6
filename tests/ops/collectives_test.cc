// Collectives: groups, rules for many devices, the meaning on one device, and each requirement.
#include "core/ops/collectives.h"

#include "tests/ops/running.h"

namespace hloscope {
namespace {

const std::string kAdd = ScalarFunction("add", "f32", "add");
const char kX[] =
    "  x = f32[4,6] parameter(0)\n  s = f32[] parameter(1)\n  t = (f32[4]) parameter(2)\n  n = s32[4] parameter(3)\n  y = f32[4,5] "
    "parameter(4)\n  ROOT r = ";

TEST(Collectives, GroupSizes) {
  EXPECT_EQ(GroupSizeOf(""), 0);
  EXPECT_EQ(GroupSizeOf("{}"), 0);
  EXPECT_EQ(GroupSizeOf("{{0}}"), 1);
  EXPECT_EQ(GroupSizeOf("{{0,1,2},{3,4,5}}"), 3);
  EXPECT_EQ(GroupSizeOf("{{0,1},{2}}"), -1);
  EXPECT_EQ(GroupSizeOf("[2,8]<=[16]"), 8);
  EXPECT_EQ(GroupSizeOf("[2,8]<=[8,2]T(1,0)"), 8);
  EXPECT_EQ(GroupSizeOf("[2"), -1);
}

TEST(Collectives, RulesForManyDevices) {
  ExpectAccepted(ModuleText(kAdd, std::string(kX) + "f32[4,6] all-reduce(x), replica_groups={{0,1}}, to_apply=add"));
  ExpectAccepted(ModuleText(kAdd, std::string(kX) + "(f32[4,6], f32[]) all-reduce(x, s), replica_groups={}, to_apply=add"));
  ExpectAccepted(std::string(kX) + "f32[4,12] all-gather(x), replica_groups={{0,1}}, dimensions={1}");
  ExpectAccepted(std::string(kX) + "f32[4,18] all-gather(x), replica_groups={}, dimensions={1}");
  ExpectAccepted(std::string(kX) + "f32[8,6] all-gather(x), replica_groups=[1,2]<=[2], dimensions={0}");
  ExpectAccepted(std::string(kX) + "(f32[4,6], f32[8,6]) all-gather-start(x), replica_groups=[1,2]<=[2], dimensions={0}");
  ExpectAccepted(ModuleText(kAdd, std::string(kX) + "f32[2,6] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add"));
  ExpectAccepted(std::string(kX) + "f32[4,6] all-to-all(x), replica_groups={{0,1,2}}, dimensions={1}");
  ExpectAccepted(std::string(kX) + "(f32[4,6], f32[4,6]) all-to-all(x, x), replica_groups={{0,1}}");
  ExpectAccepted(std::string(kX) + "(f32[4,6], f32[4,6], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}");
  ExpectError(std::string(kX) + "f32[4,18] all-gather(x), replica_groups={{0,1}}, dimensions={1}", "verify.shape-mismatch");
}

// Empty groups with a channel are those that a run makes: of partitions where blocks move, of all devices elsewhere.
TEST(Collectives, EmptyGroupsByTheHeader) {
  const auto module = [](const std::string& header, const std::string& instruction) { return "HloModule m, " + header + "\n\n" + kAdd + "ENTRY e {\n" + kX + instruction + "\n}\n"; };
  ExpectAccepted(module("replica_count=5, num_partitions=2", "f32[4,6] all-to-all(x), channel_id=1, replica_groups={}, dimensions={0}"));
  ExpectAccepted(module("replica_count=5, num_partitions=1", "f32[4,6] all-to-all(x), channel_id=1, replica_groups={}, dimensions={0}"));
  ExpectAccepted(module("replica_count=2, num_partitions=5", "f32[4,6] all-to-all(x), replica_groups={}, dimensions={0}"));
  ExpectAccepted(module("replica_count=5, num_partitions=2", "(f32[4,6], f32[4,6]) all-to-all(x, x), channel_id=1, replica_groups={}"));
  ExpectAccepted(module("replica_count=5, num_partitions=2", "f32[4,6] ragged-all-to-all(x, x, n, n, n, n), channel_id=1, replica_groups={}"));
  ExpectAccepted(module("replica_count=3, num_partitions=2", "f32[24,6] all-gather(x), channel_id=1, replica_groups={}, dimensions={0}"));
  ExpectError(module("replica_count=2, num_partitions=5", "f32[4,6] all-to-all(x), channel_id=1, replica_groups={}, dimensions={0}"), "all-to-all.divisible");
  ExpectError(module("replica_count=2, num_partitions=2", "(f32[4,6], f32[4,6], f32[4,6], f32[4,6]) all-to-all(x, x, x, x), channel_id=1, replica_groups={}"), "all-to-all.operand-count");
  ExpectError(module("replica_count=2, num_partitions=3", "f32[4,6] ragged-all-to-all(x, x, n, n, n, n), channel_id=1, replica_groups={}"), "ragged-all-to-all.offsets-divisible");
}

TEST(Collectives, WhatIsDoneWasBegun) {
  ExpectError("  x = f32[2] parameter(0)\n  n = f32[2] negate(x)\n  ROOT r = f32[2] all-reduce-done(n)", "all-reduce-done.operand");
  ExpectError("  x = (f32[2], f32[2]) parameter(0)\n  ROOT r = f32[2] all-gather-done(x)", "collective-done.operand");
  ExpectError("  x = (f32[2], f32[2]) parameter(0)\n  ROOT r = f32[2] collective-permute-done(x)", "collective-done.operand");
}

TEST(Collectives, OnOneDeviceTheyAreIdentities) {
  const std::string x = "  x = f32[2] constant({1,2.5})\n  ";
  const std::string wanted = "f32[2] constant({1,2.5})";
  ExpectValue(ModuleText(kAdd, x + "ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add"), wanted);
  ExpectValue(
      ModuleText(kAdd, x + "b = f32[2] all-reduce-start(x), replica_groups={{0}}, to_apply=add\n  ROOT r = f32[2] all-reduce-done(b)"),
      wanted);
  ExpectValue(x + "ROOT r = f32[2] all-gather(x), dimensions={0}", wanted);
  ExpectValue(x + "b = (f32[2], f32[2]) all-gather-start(x), replica_groups={{0}}, dimensions={0}\n  ROOT r = f32[2] all-gather-done(b)",
              wanted);
  ExpectValue(ModuleText(kAdd, x + "ROOT r = f32[2] reduce-scatter(x), replica_groups={{0}}, dimensions={0}, to_apply=add"), wanted);
  ExpectValue(x + "ROOT r = f32[2] all-to-all(x), replica_groups={{0}}, dimensions={0}", wanted);
  ExpectValue(x + "t = (f32[2]) all-to-all(x), replica_groups={{0}}\n  ROOT r = f32[2] get-tuple-element(t), index=0", wanted);
  ExpectValue(x + "ROOT r = f32[2] collective-broadcast(x), replica_groups={{0}}", wanted);
  ExpectValue(x + "ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,0}}", wanted);
  ExpectValue(x + "b = (f32[2], f32[2], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,0}}\n  ROOT r = f32[2] "
                  "collective-permute-done(b)",
              wanted);
  ExpectValue(x + "ROOT r = f32[2] collective-permute(x), source_target_pairs={}", "f32[2] constant({0,0})");
  ExpectValue("  ROOT r = u32[] replica-id()", "u32[] constant(0)");
  ExpectValue("  ROOT r = u32[] partition-id()", "u32[] constant(0)");
}

TEST(Collectives, ARootThatTheProgramNames) {
  const std::string x = "  x = f32[2] constant({1,2.5})\n  k = s32[1] constant({0})\n  m = s32[1] constant({1})\n  ROOT r = f32[2] collective-broadcast(";
  ExpectValue(x + "x, k), replica_groups={{0}}, frontend_attributes={has_dynamic_root=\"true\"}", "f32[2] constant({1,2.5})");
  ExpectRunError(x + "x, m), replica_groups={{0}}, frontend_attributes={has_dynamic_root=\"true\"}", "is member 1 of a group of 1");
}

TEST(Collectives, MoreDevicesAreAnErrorThatSaysSo) {
  const std::string x = "  x = f32[2] constant({1,2.5})\n  ROOT r = ";
  ExpectRunError(ModuleText(kAdd, x + "f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=add"), "among 2 devices");
  ExpectRunError("HloModule m, replica_count=4\n\nENTRY e {\n" + x + "f32[8] all-gather(x), replica_groups={}, dimensions={0}\n}\n",
                 "among 4 devices");
  ExpectRunError("HloModule m, num_partitions=8\n\n" + kAdd + "ENTRY e {\n" + x +
                     "f32[2] all-reduce(x), channel_id=1, replica_groups={}, to_apply=add\n}\n",
                 "among 8 devices");
  ExpectRunError(x + "f32[2] collective-permute(x), source_target_pairs={{0,1},{1,0}}", "from device 0 to device 1");
  // Sizes that only several devices can make, where the groups do not say how many there are.
  ExpectRunError(x + "f32[4] all-gather(x), replica_groups={}, dimensions={0}", "takes several devices");
  ExpectRunError(ModuleText(kAdd, x + "f32[1] reduce-scatter(x), replica_groups={}, dimensions={0}, to_apply=add"), "takes several devices");
  ExpectRunError(x + "(f32[2], f32[2]) all-to-all(x, x), replica_groups={}", "one for each operand");
}

TEST(Collectives, Requirements) {
  const auto expect = [&](const std::string& instruction, const std::string& label) {
    ExpectError(ModuleText(kAdd, kX + instruction), label);
  };
  expect("f32[4] all-reduce(t), to_apply=add", "all-reduce.operand-arrays");
  expect("s32[4] all-reduce(n), to_apply=add", "all-reduce.reducer-signature");
  expect("f32[4] all-gather(t), dimensions={0}", "all-gather.operand-arrays");
  expect("f32[4,6] all-gather(x), replica_groups={{0,1},{2}}, dimensions={0}", "all-gather.replica-groups");
  expect("f32[4,6] all-gather(x), dimensions={2}", "all-gather.dimension");
  expect("(f32[4,6], f32[]) all-gather(x, s), dimensions={0}", "all-gather.operand-rank");
  expect("f32[4] reduce-scatter(t), dimensions={0}, to_apply=add", "reduce-scatter.operand-arrays");
  expect("f32[4,6] reduce-scatter(x), replica_groups={{0,1},{2}}, dimensions={0}, to_apply=add", "reduce-scatter.replica-groups");
  expect("f32[4,6] reduce-scatter(x), dimensions={2}, to_apply=add", "reduce-scatter.dimension");
  expect("s32[4] reduce-scatter(n), dimensions={0}, to_apply=add", "reduce-scatter.reducer-signature");
  expect("(f32[4,6], f32[]) reduce-scatter(x, s), dimensions={0}, to_apply=add", "reduce-scatter.operand-rank");
  expect("f32[4,1] reduce-scatter(y), replica_groups={{0,1}}, dimensions={1}, to_apply=add", "reduce-scatter.divisible");
  expect("f32[4] all-to-all(t), dimensions={0}", "all-to-all.operand-arrays");
  expect("f32[4,6] all-to-all(x), replica_groups={{0,1},{2}}, dimensions={0}", "all-to-all.replica-groups");
  expect("f32[4,6] all-to-all(x), dimensions={2}", "all-to-all.dimension");
  expect("f32[4,5] all-to-all(y), replica_groups={{0,1}}, dimensions={1}", "all-to-all.divisible");
  expect("(f32[4,6], f32[]) all-to-all(x, s), replica_groups={{0,1}}", "all-to-all.same-shapes");
  expect("(f32[4,6]) all-to-all(x), replica_groups={{0,1}}", "all-to-all.operand-count");
  expect("f32[4] collective-broadcast(t)", "collective-broadcast.operand-arrays");
  expect("f32[4,6] all-reduce(x), replica_groups={{0,0}}, to_apply=add", "all-reduce.replica-groups");
  expect("f32[4,6] all-reduce(x), replica_groups=[3,2]<=[4], to_apply=add", "all-reduce.replica-groups");
  expect("f32[4,6] all-reduce(x), replica_groups=[2,2]<=[2,2]T(0,0), to_apply=add", "all-reduce.replica-groups");
  expect("f32[4,6] all-reduce(x), replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add", "collective.global-device-ids");
  expect("f32[4,6] collective-permute(x), source_target_pairs={{0,1}}, use_global_device_ids=true", "collective.global-device-ids");
  expect("f32[4,6] all-reduce(x), replica_groups={{0},{0}}, to_apply=add", "all-reduce.replica-groups");
  expect("f32[4,6] all-reduce(x), replica_groups={{-1}}, to_apply=add", "all-reduce.replica-groups");
  expect("(f32[4,6], s32[4]) all-reduce(x, n), to_apply=add", "all-reduce.reducer-signature");
  expect("(f32[4,6], s32[4]) reduce-scatter(x, n), dimensions={0}, to_apply=add", "reduce-scatter.reducer-signature");
  expect("f32[4,6] collective-broadcast(x), replica_groups={{0,1},{1}}", "collective-broadcast.replica-groups");
  expect("f32[4,6] collective-broadcast(x, y), replica_groups={{0,1}}, frontend_attributes={has_dynamic_root=\"true\"}", "collective-broadcast.root");
  expect("f32[4,6] collective-broadcast(x, n), replica_groups={{0,1}}, frontend_attributes={has_dynamic_root=\"true\"}", "collective-broadcast.root");
  expect("f32[4,6] collective-permute(x), source_target_pairs={{0,-1}}", "collective-permute.pairs");
  expect("f32[4,6] collective-permute(x), source_target_pairs={{0,1},{0,2}}", "collective-permute.pairs");
  expect("f32[4,6] collective-permute(x), source_target_pairs={{0,1},{2,1}}", "collective-permute.pairs");
  expect("f32[4,6] all-gather-done(x)", "collective-done.operand-tuple");
  expect("f32[4,6] ragged-all-to-all(x, x, n, n, n, t)", "ragged-all-to-all.operand-arrays");
  expect("f32[4,6] ragged-all-to-all(x, n, n, n, n, n)", "ragged-all-to-all.output-like-input");
  expect("f32[4,6] ragged-all-to-all(x, x, n, n, n, s)", "ragged-all-to-all.offsets");
  expect("f32[4,5] ragged-all-to-all(x, y, n, n, n, n)", "ragged-all-to-all.output-like-input");
  expect("f32[4,6] ragged-all-to-all(x, x, n, n, n, n), replica_groups={{0,1},{2}}", "ragged-all-to-all.replica-groups");
  expect("f32[4,6] ragged-all-to-all(x, x, n, n, n, n), replica_groups={{0,1,2}}", "ragged-all-to-all.offsets-divisible");
  ExpectAccepted(ModuleText(kAdd, std::string(kX) + "f32[4,6] ragged-all-to-all(x, x, n, n, n, n)"));
}

}  // namespace
}  // namespace hloscope
