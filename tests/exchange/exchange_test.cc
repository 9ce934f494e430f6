// Collectives among several devices: the vectors of the specification ("Across replicas"), every way of naming groups, transfers on channels,
// and that neither threads nor their number change a bit.
#include "tests/exchange/devices.h"

namespace hloscope {
namespace {

Value F32(const std::vector<float>& x) {
  Value v = Value::Allocate(Shape::Array(ElementType::kF32, {static_cast<int64_t>(x.size())}));
  std::copy(x.begin(), x.end(), v.mutable_as<float>());
  return v;
}
// Parameter 0 of each device.
Rows RunNumbers(int replicas, int partitions, const std::string& text, const std::vector<std::vector<float>>& inputs) {
  return RowsOf(RunOn(replicas, partitions, text, [&](int d, int, const Shape&) { return F32(inputs[d]); }));
}
Rows RunTelling(int replicas, int partitions, const std::string& text) { return RowsOf(RunOn(replicas, partitions, text, Telling)); }

TEST(Exchange, VectorsOfTheSpecification) {
  const std::string x = "  x = f32[2] parameter(0)\n  ROOT r = ";
  EXPECT_EQ(RunNumbers(2, 1, x + "f32[4] all-gather(x), replica_groups={{0,1}}, dimensions={0}", {{1, 2.5}, {3, 5.25}}), (Rows{{1, 2.5, 3, 5.25}, {1, 2.5, 3, 5.25}}));
  EXPECT_EQ(RunNumbers(2, 1, x + "f32[2] all-reduce(x), replica_groups={}, to_apply=sum", {{1, 2.5}, {3, 5.25}}), (Rows{{4, 7.75}, {4, 7.75}}));
  EXPECT_EQ(RunNumbers(2, 1, x + "f32[1] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=sum", {{1, 2.25}, {3, 5.25}}), (Rows{{4}, {7.5}}));
  EXPECT_EQ(RunNumbers(3, 1, x + "f32[2] collective-permute(x), source_target_pairs={{0,1},{1,2}}", {{1, 2}, {3, 4}, {5, 6}}), (Rows{{0, 0}, {1, 2}, {3, 4}}));
  EXPECT_EQ(RunNumbers(3, 1, x + "f32[2] collective-broadcast(x), replica_groups={{2,1}}", {{1, 2}, {3, 4}, {5, 6}}), (Rows{{0, 0}, {5, 6}, {5, 6}}));
}

TEST(Exchange, Tuples) {
  const std::string two = "  x = f32[2] parameter(0)\n  y = f32[] parameter(1)\n  ROOT r = ";
  EXPECT_EQ(RunTelling(2, 1, two + "(f32[2], f32[]) all-reduce(x, y), replica_groups={{0,1}}, to_apply=sum"), (Rows{{100, 102, 120}, {100, 102, 120}}));
  const std::string blocks = "  x = f32[1] parameter(0)\n  y = f32[1] parameter(1)\n  ROOT r = ";
  EXPECT_EQ(RunTelling(2, 1, blocks + "(f32[1], f32[1]) all-to-all(x, y), replica_groups={{0,1}}"), (Rows{{0, 100}, {10, 110}}));
  EXPECT_EQ(RunTelling(2, 1, blocks + "(f32[1], f32[1]) all-to-all(x, y), replica_groups={{1,0}}"), (Rows{{110, 10}, {100, 0}}));
}

// The reducer adds f32: 256 + 1 + 1 is 258, and would stay 256 if it were rounded to bf16 on the way.
TEST(Exchange, AReducerOfAnotherType) {
  const std::string x = "  x = f32[1] parameter(0)\n  b = bf16[1] convert(x)\n";
  const std::vector<std::vector<float>> inputs = {{256}, {1}, {1}};
  EXPECT_EQ(RunNumbers(3, 1, x + "  s = bf16[1] all-reduce(b), replica_groups={}, to_apply=sum\n  ROOT r = f32[1] convert(s)", inputs), (Rows(3, {258})));
  EXPECT_EQ(RunNumbers(3, 1, x + "  s = (f32[1], bf16[1]) all-reduce(x, b), replica_groups={}, to_apply=sum\n  t = bf16[1] get-tuple-element(s), index=1\n  ROOT r = f32[1] convert(t)", inputs),
            (Rows(3, {258})));
}

TEST(Exchange, DimensionsInTheMiddle) {
  const std::string x = "  x = f32[2,2] parameter(0)\n  ROOT r = ";
  EXPECT_EQ(RunTelling(2, 1, x + "f32[2,4] all-gather(x), replica_groups={}, dimensions={1}"), (Rows(2, {0, 1, 100, 101, 2, 3, 102, 103})));
  EXPECT_EQ(RunTelling(2, 1, x + "f32[2,2] all-to-all(x), replica_groups={{0,1}}, dimensions={1}"), (Rows{{0, 100, 2, 102}, {1, 101, 3, 103}}));
  EXPECT_EQ(RunTelling(2, 1, x + "f32[2,1] reduce-scatter(x), replica_groups={{0,1}}, dimensions={1}, to_apply=sum"), (Rows{{100, 104}, {102, 106}}));
}

// Four devices: 2 replicas of 2 partitions, numbered 0.0, 0.1, 1.0, 1.1.
TEST(Exchange, WhatGroupsName) {
  const std::string x = "  x = f32[] parameter(0)\n  ROOT r = f32[] all-reduce(x), to_apply=sum, ";
  EXPECT_EQ(RunTelling(2, 2, x + "replica_groups={{0,1}}"), (Rows{{200}, {400}, {200}, {400}}));                                        // replicas
  EXPECT_EQ(RunTelling(2, 2, x + "replica_groups={{0},{1}}, channel_id=1"), (Rows{{100}, {100}, {500}, {500}}));                        // with their partitions
  EXPECT_EQ(RunTelling(2, 2, x + "replica_groups={{0,3},{1,2}}, channel_id=1, use_global_device_ids=true"), (Rows{{300}, {300}, {300}, {300}}));
  EXPECT_EQ(RunTelling(2, 2, x + "replica_groups=[2,2]<=[4], channel_id=1, use_global_device_ids=true"), (Rows{{100}, {100}, {500}, {500}}));
  EXPECT_EQ(RunTelling(2, 2, x + "replica_groups=[2,2]<=[2,2]T(1,0), channel_id=1, use_global_device_ids=true"), (Rows{{200}, {400}, {200}, {400}}));
  EXPECT_EQ(RunTelling(2, 2, x + "replica_groups={}"), (Rows{{200}, {400}, {200}, {400}}));
  EXPECT_EQ(RunTelling(2, 2, x + "replica_groups={}, channel_id=1"), (Rows(4, {600})));
  const std::string p = "  x = f32[] parameter(0)\n  ROOT r = f32[] collective-permute(x), source_target_pairs={{0,1}}";
  EXPECT_EQ(RunTelling(2, 2, p), (Rows{{0}, {0}, {0}, {100}}));
  EXPECT_EQ(RunTelling(2, 2, p + ", channel_id=1"), (Rows{{0}, {0}, {0}, {200}}));  // partitions of each replica
}

// The partitions of the group's replicas follow each other: StableHLO's cross_replica_and_partition.
TEST(Exchange, OrderOfReplicasWithTheirPartitions) {
  EXPECT_EQ(RunTelling(2, 2, "  x = f32[1] parameter(0)\n  ROOT r = f32[4] all-gather(x), dimensions={0}, replica_groups={{0,1}}, channel_id=1"), (Rows(4, {0, 200, 100, 300})));
}

// ((a - b) - c) - d: the order is the group's, whoever comes first.
TEST(Exchange, ReductionGoesFromTheFirstMemberToTheLast) {
  std::vector<std::vector<float>> inputs;
  for (int d = 0; d < 20; ++d) inputs.push_back({static_cast<float>(d == 7 ? 1000 : d)});
  const std::string text = "  x = f32[1] parameter(0)\n  ROOT r = f32[1] all-reduce(x), to_apply=sub, replica_groups=";
  double wanted = 0;
  for (int d = 1; d < 20; ++d) wanted -= inputs[d][0];
  EXPECT_EQ(RunNumbers(20, 1, text + "{}", inputs), Rows(20, {wanted}));
  EXPECT_EQ(RunNumbers(3, 1, text + "{{2,0,1}}", {{1}, {10}, {100}}), (Rows(3, {89})));
}

TEST(Exchange, Ids) {
  const std::string text = "  r = u32[] replica-id()\n  p = u32[] partition-id()\n  ROOT t = (u32[], u32[]) tuple(r, p)";
  EXPECT_EQ(RunTelling(2, 3, text), (Rows{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
}

TEST(Exchange, StartAndDone) {
  const std::string x = "  x = f32[2] parameter(0)\n  s = ";
  EXPECT_EQ(RunTelling(2, 1, x + "f32[2] all-reduce-start(x), replica_groups={}, to_apply=sum\n  ROOT r = f32[2] all-reduce-done(s)"), (Rows(2, {100, 102})));
  EXPECT_EQ(RunTelling(2, 1, x + "(f32[2], f32[4]) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}\n  ROOT r = f32[4] all-gather-done(s)"), (Rows(2, {0, 1, 100, 101})));
  EXPECT_EQ(RunTelling(2, 1, x + "(f32[2], f32[2], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,1}}\n  ROOT r = f32[2] collective-permute-done(s)"),
            (Rows{{0, 0}, {0, 1}}));
  const std::string wrapped =
      "HloModule m\n\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
      "w { x = f32[2] parameter(0)\n ROOT r = f32[1] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=sum }\n\nENTRY main {\n  x = f32[2] parameter(0)\n"
      "  s = ((f32[2]), f32[1], u32[]) async-start(x), calls=w\n  u = ((f32[2]), f32[1], u32[]) async-update(s)\n  ROOT r = f32[1] async-done(u)\n}\n";
  EXPECT_EQ(RunTelling(2, 1, wrapped), (Rows{{100}, {102}}));
}

TEST(Exchange, DynamicRoot) {
  const std::string text = "  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  root = s32[2] constant({1,0})\n  ROOT r = (f32[], f32[]) collective-broadcast(x, y, root), frontend_attributes={has_dynamic_root=\"true\"}, ";
  EXPECT_EQ(RunTelling(2, 1, text + "replica_groups={{0,1}}"), (Rows{{100, 10}, {100, 10}}));
}

TEST(Exchange, Ragged) {
  // Replica 0 sends one row to 0 and two to 1; replica 1 two rows to 0 and none to 1.
  const std::string text =
      "  x = f32[3] parameter(0)\n  out = f32[4] parameter(1)\n  me = u32[] replica-id()\n  zero = u32[] constant(0)\n  first = pred[] compare(me, zero), direction=EQ\n"
      "  a = s32[2] constant({0,1})\n  b = s32[2] constant({0,2})\n  c = s32[2] constant({1,2})\n  d = s32[2] constant({2,0})\n  e = s32[2] constant({0,0})\n  f = s32[2] constant({1,2})\n"
      "  g = s32[2] constant({1,2})\n  h = s32[2] constant({2,0})\n  fs = pred[2] broadcast(first), dimensions={}\n"
      "  at = s32[2] select(fs, a, b)\n  n = s32[2] select(fs, c, d)\n  to = s32[2] select(fs, e, f)\n  got = s32[2] select(fs, g, h)\n"
      "  ROOT r = f32[4] ragged-all-to-all(x, out, at, n, to, got), replica_groups={{0,1}}";
  EXPECT_EQ(RunTelling(2, 1, text), (Rows{{0, 100, 101, 13}, {1, 2, 112, 113}}));
}

const char kRing[] =
    "  t = token[] after-all()\n  x = f32[] parameter(0)\n  q = (f32[], u32[], token[]) recv(t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2},{2,0}}\"}\n"
    "  s = (f32[], u32[], token[]) send(x, t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2},{2,0}}\"}\n"
    "  d = (f32[], token[]) recv-done(q), channel_id=1\n  e = token[] send-done(s), channel_id=1\n  ROOT r = f32[] get-tuple-element(d), index=0";

TEST(Exchange, SendsAndReceives) {
  EXPECT_EQ(RunTelling(3, 1, kRing), (Rows{{200}, {0}, {100}}));
  std::string chain = kRing;
  for (size_t at; (at = chain.find(",{2,0}}")) != std::string::npos;) chain.replace(at, 7, "}");
  EXPECT_EQ(RunTelling(3, 1, chain), (Rows{{0}, {0}, {100}}));  // nobody sends to replica 0
  // Without pairs, in a program that has both: each device to itself.
  const std::string self =
      "  t = token[] after-all()\n  x = f32[] parameter(0)\n  q = (f32[], u32[], token[]) recv(t), channel_id=1\n  s = (f32[], u32[], token[]) send(x, t), channel_id=1\n"
      "  d = (f32[], token[]) recv-done(q), channel_id=1\n  e = token[] send-done(s), channel_id=1\n  ROOT r = f32[] get-tuple-element(d), index=0";
  EXPECT_EQ(RunTelling(2, 1, self), (Rows{{0}, {100}}));
}

// One branch sends, the other receives.
TEST(Exchange, ChannelBetweenBranches) {
  const std::string text =
      "HloModule m\n\nsender { x = f32[] parameter(0)\n t = token[] after-all()\n s = (f32[], u32[], token[]) send(x, t), channel_id=5\n e = token[] send-done(s), channel_id=5\n ROOT r = f32[] copy(x) }\n"
      "receiver { x = f32[] parameter(0)\n t = token[] after-all()\n q = (f32[], u32[], token[]) recv(t), channel_id=5\n d = (f32[], token[]) recv-done(q), channel_id=5\n"
      " ROOT r = f32[] get-tuple-element(d), index=0 }\n\nENTRY main {\n  x = f32[] parameter(0)\n  me = u32[] replica-id()\n  i = s32[] convert(me)\n"
      "  ROOT r = f32[] conditional(i, x, x), branch_computations={sender, receiver}\n}\n";
  EXPECT_EQ(RunTelling(2, 1, text), (Rows{{0}, {0}}));
}

std::string Loop(const std::string& body) {
  return absl::StrCat(
      "HloModule m\n\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
      "condition { t = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n n = s32[] constant(5)\n ROOT r = pred[] compare(i, n), direction=LT }\n"
      "body { t = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n x = f32[4] get-tuple-element(t), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n",
      body, " ROOT r = (s32[], f32[4]) tuple(j, y) }\n\nENTRY main {\n  x = f32[4] parameter(0)\n  z = s32[] constant(0)\n  t = (s32[], f32[4]) tuple(z, x)\n"
            "  w = (s32[], f32[4]) while(t), condition=condition, body=body\n  ROOT r = f32[4] get-tuple-element(w), index=1\n}\n");
}

// Any number of threads gives the same bits, in a program that exchanges in a loop.
TEST(Exchange, ThreadsDoNotMatter) {
  const std::string text = Loop(
      " s = f32[4] all-reduce(x), replica_groups={}, to_apply=sum\n p = f32[4] collective-permute(s), source_target_pairs={{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,0}}\n"
      " k = f32[] constant(0.37)\n ks = f32[4] broadcast(k), dimensions={}\n z = f32[4] multiply(p, ks)\n v = f32[4] sine(z)\n y = f32[4] add(v, x)\n");
  const auto input = [](int d, int, const Shape&) { return F32({0.1f * d, 1.0f / (d + 1), -0.3f * d, 7}); };
  const DevicesResult one = RunOn(7, 1, text, input, 1);
  ASSERT_EQ(one.problems, "");
  for (int threads : {2, 3, 7}) {
    const DevicesResult other = RunOn(7, 1, text, input, threads);
    ASSERT_EQ(other.problems, "");
    for (int d = 0; d < 7; ++d) EXPECT_TRUE(Value::BitEqual(one.results[d], other.results[d])) << threads << " threads, replica " << d;
  }
}

TEST(Exchange, SixtyFourReplicas) {
  const Rows rows = RunTelling(64, 1, Loop(" y = f32[4] collective-permute(x), source_target_pairs={{0,1},{1,0}}\n"));
  EXPECT_EQ(rows[0], (std::vector<double>{100, 101, 102, 103}));
  EXPECT_EQ(rows[63], (std::vector<double>{0, 0, 0, 0}));
}

// A reducer with a call in it runs element by element.
TEST(Exchange, ReducerThatIsNoExpression) {
  const std::string text =
      "HloModule m\n\nc { x = f32[] parameter(0)\n n = f32[] constant(1000)\n ROOT r = pred[] compare(x, n), direction=LT }\nb { x = f32[] parameter(0)\n n = f32[] constant(1000)\n ROOT r = f32[] add(x, n) }\n"
      "f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n s = f32[] add(a, b)\n ROOT w = f32[] while(s), condition=c, body=b }\n\nENTRY main {\n  x = f32[2] parameter(0)\n"
      "  ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=f\n}\n";
  EXPECT_EQ(RunTelling(2, 1, text), (Rows(2, {1100, 1102})));
}

}  // namespace
}  // namespace hloscope
