// Groups of devices from the attributes: every way in which they are written, what their numbers mean, and their faults.
#include "core/ops/device_groups.h"

#include "absl/strings/str_join.h"
#include "tests/ops/running.h"

namespace hloscope {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

TEST(ReadGroups, EveryForm) {
  EXPECT_EQ(ReadGroups("{}"), Groups());
  EXPECT_EQ(ReadGroups("{{0,1},{3, 2}}"), (Groups{{0, 1}, {3, 2}}));
  EXPECT_EQ(ReadGroups("[2,4]<=[8]"), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(ReadGroups("[4,2]<=[2,4]T(1,0)"), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(ReadGroups("[2,4]<=[2,2,2]T(1,0,2)"), (Groups{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  for (const char* wrong : {"{0,1}", "{{0,1}", "[2,4]<=[9]", "[2,4]", "[2,4]<=[8]T(1)", "[4,2]<=[2,4]T(0,0)", "[-1,2]<=[2]", "{{a}}", "[999999999,999999999]<=[999999999,999999999]"}) {
    EXPECT_EQ(ReadGroups(wrong), std::nullopt) << wrong;
  }
}

std::string TextOfGroups(const DeviceGroups& g) {
  return absl::StrJoin(g.groups, " | ", [](std::string* out, const std::vector<Device>& group) {
    absl::StrAppend(out, absl::StrJoin(group, " ", [](std::string* o, const Device& d) { absl::StrAppend(o, d.replica, ".", d.partition); }));
  });
}
DeviceGroups Of(const std::string& header, const std::string& attributes) {
  const std::string text = absl::StrCat("HloModule m", header, "\n\nf { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n\nENTRY main {\n x = f32[2] parameter(0)\n ROOT r = f32[2] all-reduce(x), to_apply=f", attributes, "\n}\n");
  DiagnosticSink sink;
  static auto& modules = *new std::vector<std::unique_ptr<Module>>();
  modules.push_back(ReadHloText(std::make_shared<const SourceText>("<test>", text), sink));
  EXPECT_EQ(sink.error_count(), 0) << text;
  return GroupsOf(*modules.back()->entry->root);
}

TEST(GroupsOf, WhatNumbersMean) {
  EXPECT_EQ(TextOfGroups(Of(", replica_count=2, num_partitions=2", ", replica_groups={{0,1}}")), "0.0 1.0 | 0.1 1.1");
  EXPECT_EQ(TextOfGroups(Of(", replica_count=2, num_partitions=2", ", replica_groups={{0},{1}}, channel_id=1")), "0.0 0.1 | 1.0 1.1");
  EXPECT_EQ(TextOfGroups(Of(", replica_count=2, num_partitions=2", ", replica_groups={{0,3},{1,2}}, channel_id=1, use_global_device_ids=true")), "0.0 1.1 | 0.1 1.0");
  EXPECT_EQ(TextOfGroups(Of(", replica_count=3", "")), "0.0 1.0 2.0");
  EXPECT_FALSE(Of("", ", replica_groups={{0,1}}").counts_known);
}

TEST(GroupsOf, Faults) {
  const DeviceGroups g = Of(", replica_count=4", ", replica_groups={{0,1},{1,7}}");
  EXPECT_EQ(g.twice, std::vector<int64_t>{1});
  EXPECT_EQ(g.beyond, std::vector<int64_t>{7});
  ASSERT_EQ(g.missing.size(), 2u);
  EXPECT_EQ(g.missing[0].replica, 2);
}

}  // namespace
}  // namespace hloscope
