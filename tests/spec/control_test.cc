// The specification's vectors of control flow, calls, feeds, and of exchanges in a program of one replica: on both backends.
#include "core/exec/custom_call.h"
#include "tests/spec/spec.h"

namespace hloscope {
namespace {

constexpr char kAdd[] = "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b)\n}\n";

TEST(Control, WhileCountsToAThousand) {
  const std::string f =
      "more {\n t = (s32[], f32[10]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n n = s32[] constant(1000)\n"
      " ROOT p = pred[] compare(i, n), direction=LT\n}\n"
      "body {\n t = (s32[], f32[10]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n v = f32[10] get-tuple-element(t), index=1\n"
      " one = s32[] constant(1)\n j = s32[] add(i, one)\n c = f32[] constant(0.5)\n w = f32[10] broadcast(c), dimensions={}\n x = f32[10] add(v, w)\n"
      " ROOT r = (s32[], f32[10]) tuple(j, x)\n}\n";
  ExpectSpec(f + Entry("z = s32[] constant(0)\nc = f32[] constant(0)\nv = f32[10] broadcast(c), dimensions={}\nt = (s32[], f32[10]) tuple(z, v)\n"
                       "ROOT r = (s32[], f32[10]) while(t), condition=more, body=body"),
             "n = s32[] constant(1000)\nv = f32[10] constant({500,500,500,500,500,500,500,500,500,500})\nROOT t = (s32[], f32[10]) tuple(n, v)");
}

TEST(Control, ConditionalsByPredAndByIndex) {
  const std::string f = "twice {\n a = f32[] parameter(0)\n ROOT r = f32[] add(a, a)\n}\nsame {\n ROOT a = f32[] parameter(0)\n}\n"
                        "minus {\n a = f32[] parameter(0)\n ROOT r = f32[] negate(a)\n}\n";
  const std::string x = "x = f32[] constant(3)\ny = f32[] constant(5)\nw = f32[] constant(7)\n";
  ExpectSpec(f + Entry(x + "p = pred[] constant(true)\nROOT r = f32[] conditional(p, x, y), true_computation=twice, false_computation=minus"), "f32[] constant(6)");
  ExpectSpec(f + Entry(x + "p = pred[] constant(false)\nROOT r = f32[] conditional(p, x, y), true_computation=twice, false_computation=minus"), "f32[] constant(-5)");
  for (const auto& [index, want] : {std::pair<int, const char*>{0, "6"}, {1, "5"}, {2, "-7"}, {3, "-7"}, {-1, "-7"}}) {
    ExpectSpec(f + Entry(x + "i = s32[] constant(" + std::to_string(index) + ")\nROOT r = f32[] conditional(i, x, y, w), branch_computations={twice, same, minus}"),
               std::string("f32[] constant(") + want + ")");
  }
}

TEST(Control, CallsCompositesMapsAndTuples) {
  const std::string f = kAdd;
  ExpectSpec(f + Entry("x = f32[] constant(3)\nROOT r = f32[] call(x, x), to_apply=add"), "f32[] constant(6)");
  ExpectSpec(f + Entry("x = f32[] constant(3)\nROOT r = f32[] call(x, x), to_apply=add, is_composite=true, "
                       "frontend_attributes={composite.name=\"foo.bar\",composite.attributes={n = 1 : i32, tensor = dense<1> : "
                       "tensor<i32>},composite.version=\"1\"}"),
             "f32[] constant(6)");
  ExpectSpec(f + Entry("x = f32[2,2] constant({{1,2},{3,4}})\nROOT r = f32[2,2] map(x, x), dimensions={0,1}, to_apply=add"), "f32[2,2] constant({{2,4},{6,8}})");
  ExpectSpec("v = f32[10] iota(), iota_dimension=0\ns = s32[] constant(5)\nt = (f32[10], s32[]) tuple(v, s)\nROOT e = s32[] get-tuple-element(t), index=1",
             "s32[] constant(5)");
  ExpectSpec("v = f32[2] constant({1,2})\ns = s32[] constant(5)\nt = (f32[2], s32[]) tuple(v, s)\nb = (f32[2], s32[]) opt-barrier(t)\n"
             "n = ((f32[2], s32[])) tuple(b)\ng = (f32[2], s32[]) get-tuple-element(n), index=0\nROOT e = f32[2] get-tuple-element(g), index=0",
             "f32[2] constant({1,2})");
  ExpectSpec("v = f32[2] constant({1,2})\na = token[] after-all()\nb = token[] after-all(a, a)\nROOT r = f32[2] add-dependency(v, b)", "f32[2] constant({1,2})");
  ExpectSpec("v = f32[2] constant({1,2})\nROOT r = f32[2] domain(v), domain={kind=\"sharding\", entry={maximal device=0}, exit={maximal device=1}}",
             "f32[2] constant({1,2})");
}

TEST(Control, AsynchronousForms) {
  const std::string f = "twice {\n a = f32[2] parameter(0)\n ROOT r = f32[2] add(a, a)\n}\n";
  const std::string x = "x = f32[2] constant({1,2})\n";
  ExpectSpec(f + Entry(x + "s = ((f32[2]), f32[2], u32[]) async-start(x), calls=twice\nu = ((f32[2]), f32[2], u32[]) async-update(s)\n"
                           "ROOT d = f32[2] async-done(u)"),
             "f32[2] constant({2,4})");
  ExpectSpec(x + "s = ((f32[2]), f32[2], u32[]) negate-start(x)\nROOT d = f32[2] negate-done(s)", "f32[2] constant({-1,-2})");
  ExpectSpec(x + "s = (f32[2], f32[2], u32[]) copy-start(x)\nROOT d = f32[2] copy-done(s)", "f32[2] constant({1,2})");
}

void MyFunc(void* out, void** in) {
  const float* x = static_cast<const float*>(in[0]);
  const float* y = static_cast<const float*>(in[1]);
  float* z = static_cast<float*>(out);
  for (int k = 0; k < 9; ++k) z[k] = 0;
  z[0] = x[1] + y[3];  // y[1][0]
}

TEST(Control, CustomCallOfAUserFunction) {
  CustomCallLibrary library;
  library.Register("myfunc", MyFunc);
  SpecOptions options;
  options.layouts = false;  // the function sees memory as it lies
  options.machine.custom_calls = &library;
  const std::string text = "x = f32[2] constant({1,2})\ny = f32[2,3] constant({{10,20,30},{40,50,60}})\n"
                           "ROOT r = f32[3,3] custom-call(x, y), custom_call_target=\"myfunc\"";
  ExpectSpec(text, "f32[3,3] constant({{42,0,0},{0,0,0},{0,0,0}})", options);
  ExpectSpecRunError(text, "\"myfunc\" is not known");
}

TEST(Feeds, ItemsComeAndLeaveInOrder) {
  SpecOptions options;
  options.layouts = false;
  options.machine.infeed = {ValueFrom("f32[2] constant({1,2})"), ValueFrom("s32[] constant(7)"), ValueFrom("f32[2] constant({3,4})")};
  ExpectSpec("t = token[] after-all()\na = ((f32[2], s32[]), token[]) infeed(t)\nu = token[] get-tuple-element(a), index=1\n"
             "b = (f32[2], token[]) infeed(u)\nv = (f32[2], s32[]) get-tuple-element(a), index=0\nw = f32[2] get-tuple-element(b), index=0\n"
             "x = f32[2] get-tuple-element(v), index=0\nn = s32[] get-tuple-element(v), index=1\nROOT r = (f32[2], s32[], f32[2]) tuple(x, n, w)",
             "x = f32[2] constant({1,2})\nn = s32[] constant(7)\nw = f32[2] constant({3,4})\nROOT r = (f32[2], s32[], f32[2]) tuple(x, n, w)", options);
  // In a loop, one item a round.
  SpecOptions loop;
  loop.machine.infeed = {ValueFrom("f32[] constant(1)"), ValueFrom("f32[] constant(20)"), ValueFrom("f32[] constant(300)")};
  ExpectSpec("more {\n t = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n n = s32[] constant(3)\n ROOT p = pred[] compare(i, n), direction=LT\n}\n"
             "body {\n t = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n s = f32[] get-tuple-element(t), index=1\n k = token[] after-all()\n"
             " f = (f32[], token[]) infeed(k)\n x = f32[] get-tuple-element(f), index=0\n q = f32[] add(s, x)\n one = s32[] constant(1)\n j = s32[] add(i, one)\n"
             " ROOT r = (s32[], f32[]) tuple(j, q)\n}\n" +
                 Entry("z = s32[] constant(0)\nc = f32[] constant(0)\nt = (s32[], f32[]) tuple(z, c)\nw = (s32[], f32[]) while(t), condition=more, body=body\n"
                       "ROOT r = f32[] get-tuple-element(w), index=1"),
             "f32[] constant(321)", loop);
  // An empty tuple reads nothing.
  ExpectSpec("t = token[] after-all()\na = ((), token[]) infeed(t)\nROOT e = () get-tuple-element(a), index=0", "() tuple()");
  ExpectSpecRunError("t = token[] after-all()\na = (f32[2], token[]) infeed(t)\nROOT e = f32[2] get-tuple-element(a), index=0", "the infeed is empty");
  ExpectSpecError("t = token[] after-all()\nROOT a = ((f32[2], (f32[])), token[]) infeed(t)", "infeed.nested");
}

TEST(OneReplica, EveryCollective) {
  const std::string x = "x = f32[2] constant({1,2.5})\n", same = "f32[2] constant({1,2.5})";
  const auto expect = [&](const std::string& body, const std::string& want) { ExpectSpec(kAdd + Entry(x + body), want); };
  expect("ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add", same);
  expect("ROOT r = f32[2] all-reduce(x), replica_groups={{0}}, to_apply=add, channel_id=3, use_global_device_ids=true", same);
  expect("s = f32[2] all-reduce-start(x), replica_groups={}, to_apply=add\nROOT r = f32[2] all-reduce-done(s)", same);
  expect("ROOT r = (f32[2], f32[2]) all-reduce(x, x), replica_groups={}, to_apply=add", x + "ROOT r = (f32[2], f32[2]) tuple(x, x)");
  expect("ROOT r = f32[2] all-gather(x), dimensions={0}, replica_groups={}", same);
  expect("s = (f32[2], f32[2]) all-gather-start(x), dimensions={0}, replica_groups={}\nROOT r = f32[2] all-gather-done(s)", same);
  expect("ROOT r = f32[2] reduce-scatter(x), dimensions={0}, replica_groups={}, to_apply=add", same);
  expect("ROOT r = f32[2] all-to-all(x), dimensions={0}, replica_groups={}", same);
  expect("ROOT r = (f32[2]) all-to-all(x), replica_groups={}", x + "ROOT r = (f32[2]) tuple(x)");
  expect("ROOT r = f32[2] collective-broadcast(x), replica_groups={{0}}", same);
  expect("ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,0}}", same);
  expect("ROOT r = f32[2] collective-permute(x), source_target_pairs={}", "f32[2] constant({0,0})");
  expect("s = (f32[2], f32[2]) collective-permute-start(x), source_target_pairs={{0,0}}\nROOT r = f32[2] collective-permute-done(s)", same);
  expect("s = ((f32[2]), f32[2]) reduce-scatter-start(x), dimensions={0}, replica_groups={}, to_apply=add\nROOT r = f32[2] reduce-scatter-done(s)", same);
  expect("s = ((f32[2]), f32[2]) all-to-all-start(x), dimensions={0}, replica_groups={}\nROOT r = f32[2] all-to-all-done(s)", same);
  expect("s = ((f32[2]), f32[2]) collective-broadcast-start(x), replica_groups={{0}}\nROOT r = f32[2] collective-broadcast-done(s)", same);
  ExpectSpec("ROOT r = u32[] replica-id()", "u32[] constant(0)");
  ExpectSpec("ROOT r = u32[] partition-id()", "u32[] constant(0)");
}

TEST(OneReplica, RaggedAllToAllMovesBlocks) {
  ExpectSpec("x = f32[4,2] constant({{1,2},{3,4},{5,6},{7,8}})\ny = f32[5,2] constant({{0,0},{0,0},{0,0},{0,0},{9,9}})\n"
             "i = s32[2] constant({2,0})\nn = s32[2] constant({1,2})\no = s32[2] constant({0,1})\nm = s32[2] constant({1,2})\n"
             "ROOT r = f32[5,2] ragged-all-to-all(x, y, i, n, o, m), replica_groups={}",
             "f32[5,2] constant({{5,6},{1,2},{3,4},{0,0},{9,9}})");
  // Rows that leave an array, and sizes that contradict each other, are refused; where no row is sent, offsets say nothing.
  const std::string x = "x = s32[2] constant({1,2})\ny = s32[2] constant({7,8})\nzero = s64[1] constant({0})\none = s64[1] constant({1})\nfar = s64[1] constant({-1})\nn = s64[1] constant({2})\n";
  ExpectSpec(x + "ROOT r = s32[2] ragged-all-to-all(x, y, far, zero, far, zero), replica_groups={{0}}", "s32[2] constant({7,8})");
  ExpectSpec(x + "ROOT r = s32[2] ragged-all-to-all(x, y, one, one, zero, one), replica_groups={{0}}", "s32[2] constant({2,8})");
  ExpectSpecRunError(x + "ROOT r = s32[2] ragged-all-to-all(x, y, one, n, zero, n), replica_groups={{0}}", "from row 1 on, but %x has 2 rows");
  ExpectSpecRunError(x + "ROOT r = s32[2] ragged-all-to-all(x, y, far, one, zero, one), replica_groups={{0}}", "from row -1 on, but %x has 2 rows");
  ExpectSpecRunError(x + "ROOT r = s32[2] ragged-all-to-all(x, y, zero, n, one, n), replica_groups={{0}}", "into %y from row 1 on, but %y has 2 rows");
  ExpectSpecRunError(x + "ROOT r = s32[2] ragged-all-to-all(x, y, zero, far, zero, far), replica_groups={{0}}", "no number of rows that can be sent");
  ExpectSpecRunError(x + "ROOT r = s32[2] ragged-all-to-all(x, y, zero, one, zero, n), replica_groups={{0}}", "which waits for 2");
}

TEST(OneReplica, WhatIsSentOnAChannelArrivesThere) {
  const std::string x = "x = f32[2] constant({1,2})\ny = s32[] constant(7)\nt = token[] after-all()\n";
  const std::string want = "f32[2] constant({1,2})";
  ExpectSpec(x + "q = (f32[2], u32[], token[]) recv(t), channel_id=1\ns = (f32[2], u32[], token[]) send(x, t), channel_id=1\n"
                 "d = (f32[2], token[]) recv-done(q), channel_id=1\ne = token[] send-done(s), channel_id=1\nROOT r = f32[2] get-tuple-element(d), index=0",
             want);
  // The text's order need not be the order of events; two channels do not mix; old texts have no token.
  ExpectSpec(x + "q = (f32[2], u32[]) recv(), channel_id=1\nd = f32[2] recv-done(q), channel_id=1\nw = (s32[], u32[]) recv(), channel_id=2\n"
                 "v = s32[] recv-done(w)\ns = (f32[2], u32[]) send(x), channel_id=1\nz = (s32[], u32[]) send(y), channel_id=2\n"
                 "e = () send-done(s), channel_id=1\ng = () send-done(z), channel_id=2\nROOT r = (f32[2], s32[]) tuple(d, v)",
             x + "ROOT r = (f32[2], s32[]) tuple(x, y)");
  ExpectSpecRunError(x + "q = (f32[2], u32[]) recv(), channel_id=1\nROOT d = f32[2] recv-done(q), channel_id=1", "would wait for ever on channel 1");
  ExpectSpecRunError(x + "s = (f32[2], u32[]) send(x), channel_id=5\nROOT d = () send-done(s), channel_id=5", "another device");
  ExpectSpecRunError(x + "s = (f32[2], u32[]) send(x), channel_id=5, is_host_transfer=true\nROOT d = () send-done(s), channel_id=5, is_host_transfer=true",
                     "the host");
  ExpectSpecRunError("q = (f32[], u32[]) recv(), channel_id=1\nd = f32[] recv-done(q), channel_id=1\ns = (f32[], u32[]) send(d), channel_id=1\n"
                     "ROOT e = () send-done(s), channel_id=1",
                     "would wait for ever");
}

TEST(Feeds, TheOutfeedIsKept) {
  ReadModule read = ReadAndVerify(
      "t = token[] after-all()\nx = f32[2] constant({1,2})\ny = s32[] constant(7)\na = token[] outfeed(x, t), outfeed_shape=f32[2]\n"
      "p = (f32[2], s32[]) tuple(x, y)\nb = token[] outfeed(p, a)\nROOT r = token[] after-all(b)");
  ASSERT_EQ(read.problems, "");
  for (Backend* backend : {&ReferenceForTests(), &JitForTests()}) {
    Machine machine(*read.module, *backend, {});
    ASSERT_TRUE(machine.Start(std::vector<Value>()).ok());
    ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
    ASSERT_EQ(machine.outfeed().size(), 2u);
    EXPECT_EQ(PrintLiteral(machine.outfeed()[0]), "{1, 2}");
    EXPECT_EQ(PrintLiteral(machine.outfeed()[1]), "({1, 2}, 7)");
  }
}

TEST(Control, ConditionalsInsideReducers) {
  const std::string f = "yes {\n p = (f32[], f32[]) parameter(0)\n a = f32[] get-tuple-element(p), index=0\n b = f32[] get-tuple-element(p), index=1\n"
                        " ROOT r = f32[] add(a, b)\n}\nno {\n p = (f32[], f32[]) parameter(0)\n ROOT a = f32[] get-tuple-element(p), index=0\n}\n"
                        "positive {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n z = f32[] constant(0)\n c = pred[] compare(b, z), direction=GT\n"
                        " t = (f32[], f32[]) tuple(a, b)\n ROOT r = f32[] conditional(c, t, t), true_computation=yes, false_computation=no\n}\n";
  ExpectSpec(f + Entry("x = f32[2,3] constant({{1,-2,3},{-4,5,6}})\nz = f32[] constant(0)\nROOT r = f32[2] reduce(x, z), dimensions={1}, to_apply=positive"),
             "f32[2] constant({4,11})");
  const std::string g = "a0 {\n ROOT a = s32[] parameter(0)\n}\na1 {\n a = s32[] parameter(0)\n ROOT r = s32[] negate(a)\n}\n"
                        "a2 {\n a = s32[] parameter(0)\n ROOT r = s32[] add(a, a)\n}\n"
                        "m {\n i = s32[] parameter(0)\n x = s32[] parameter(1)\n ROOT r = s32[] conditional(i, x, x, x), branch_computations={a0, a1, a2}\n}\n";
  ExpectSpec(g + Entry("i = s32[5] constant({0,1,2,3,-1})\nx = s32[5] constant({10,20,30,40,50})\nROOT r = s32[5] map(i, x), dimensions={0}, to_apply=m"),
             "s32[5] constant({10,-20,60,80,100})");
}

// Programs that pass the verifier and once broke something, or could.
TEST(Edges, NothingIsWrittenIntoEmptyArrays) {
  const std::string f = kAdd;
  ExpectSpec(f + Entry("o = f32[0,3] constant({})\ni = s32[2,1] constant({{0},{1}})\nu = f32[2] constant({1,2})\n"
                       "ROOT r = f32[0,3] scatter(o, i, u), to_apply=add, update_window_dims={}, inserted_window_dims={0,1}, "
                       "scatter_dims_to_operand_dims={1}, index_vector_dim=1"),
             "f32[0,3] constant({})");
  ExpectSpec("o = f32[0,3] constant({})\ni = s32[2,1] constant({{0},{1}})\nROOT r = f32[2,0] gather(o, i), offset_dims={1}, collapsed_slice_dims={1}, "
             "start_index_map={1}, index_vector_dim=1, slice_sizes={0,1}",
             "f32[2,0] constant({{},{}})");
  ExpectSpec(f + Entry("o = f32[2,3] constant({{1,2,3},{4,5,6}})\ni = s64[2,1] constant({{9223372036854775807},{-9223372036854775808}})\n"
                       "u = f32[2,2] constant({{1,2},{3,4}})\nROOT r = f32[2,3] scatter(o, i, u), to_apply=add, update_window_dims={1}, "
                       "inserted_window_dims={0}, scatter_dims_to_operand_dims={1}, index_vector_dim=1"),
             "f32[2,3] constant({{1,2,3},{4,5,6}})");
}

}  // namespace
}  // namespace hloscope
