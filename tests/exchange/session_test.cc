// Sessions of several devices: whatever way leads to a moment of a device, its values there are those of a run that went straight on.
#include <map>
#include <random>

#include "backends/exchange/run_parallel.h"
#include "core/debug/devices.h"
#include "core/debug/parallel_main.h"
#include "tests/exchange/debugged.h"
#include "tests/exchange/devices.h"

namespace hloscope {
namespace {

constexpr char kLoop[] = R"(HloModule loop

sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
condition { t = (u32[], f32[4]) parameter(0)  i = u32[] get-tuple-element(t), index=0  n = u32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
body {
  t = (u32[], f32[4]) parameter(0)
  i = u32[] get-tuple-element(t), index=0
  x = f32[4] get-tuple-element(t), index=1
  one = u32[] constant(1)
  j = u32[] add(i, one)
  id = u32[] replica-id()
  me = f32[] convert(id)
  mine = f32[4] broadcast(me), dimensions={}
  y = f32[4] add(x, mine)
  ar = f32[4] all-reduce(y), replica_groups={}, to_apply=sum
  turned = f32[4] collective-permute(ar), source_target_pairs={{0,1},{1,2},{2,0}}
  z = f32[4] subtract(turned, y)
  ROOT r = (u32[], f32[4]) tuple(j, z)
}

ENTRY main {
  x = f32[4] parameter(0)
  z = u32[] constant(0)
  t = (u32[], f32[4]) tuple(z, x)
  loop = (u32[], f32[4]) while(t), condition=condition, body=body
  r = f32[4] get-tuple-element(loop), index=1
  all = f32[12] all-gather(r), replica_groups={}, dimensions={0}
  ROOT last = f32[12] negate(all)
}
)";

constexpr char kTransfer[] = R"(HloModule transfer

sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }

ENTRY main {
  x = f32[4] parameter(0)
  id = u32[] replica-id()
  me = f32[] convert(id)
  mine = f32[4] broadcast(me), dimensions={}
  y = f32[4] multiply(x, mine)
  t = token[] after-all()
  r = (f32[4], u32[], token[]) recv(t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,0}}"}
  s = (f32[4], u32[], token[]) send(y, t), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,0}}"}
  rd = (f32[4], token[]) recv-done(r), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,0}}"}
  sd = token[] send-done(s), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs="{{0,1},{1,2},{2,0}}"}
  got = f32[4] get-tuple-element(rd), index=0
  both = f32[4] add(got, y)
  ROOT ar = f32[4] all-reduce(both), replica_groups={{0,1,2}}, to_apply=sum
}
)";

// Three functions: what the first sends the second has and gives on; the last runs on two devices. All call one of them's helper.
constexpr char kFunctions[] = R"(HloModule functions

sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
twice { x = f32[4] parameter(0)  ROOT y = f32[4] add(x, x) }
condition { t = (u32[], f32[4]) parameter(0)  i = u32[] get-tuple-element(t), index=0  n = u32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
give {
  t = (u32[], f32[4]) parameter(0)
  i = u32[] get-tuple-element(t), index=0
  x = f32[4] get-tuple-element(t), index=1
  one = u32[] constant(1)
  j = u32[] add(i, one)
  ready = token[] after-all()
  s = (f32[4], u32[], token[]) send(x, ready), channel_id=1
  sd = token[] send-done(s), channel_id=1
  y = f32[4] call(x), to_apply=twice
  ROOT r = (u32[], f32[4]) tuple(j, y)
}
take {
  t = (u32[], f32[4]) parameter(0)
  i = u32[] get-tuple-element(t), index=0
  x = f32[4] get-tuple-element(t), index=1
  one = u32[] constant(1)
  j = u32[] add(i, one)
  ready = token[] after-all()
  r = (f32[4], u32[], token[]) recv(ready), channel_id=1
  rd = (f32[4], token[]) recv-done(r), channel_id=1
  got = f32[4] get-tuple-element(rd), index=0
  y = f32[4] subtract(got, x)
  ROOT back = (u32[], f32[4]) tuple(j, y)
}
first {
  x = f32[4] parameter(0)
  z = u32[] constant(0)
  t = (u32[], f32[4]) tuple(z, x)
  loop = (u32[], f32[4]) while(t), condition=condition, body=give
  y = f32[4] get-tuple-element(loop), index=1
  ROOT ar = f32[4] all-reduce(y), replica_groups={{0,1,2,3}}, to_apply=sum
}
second {
  k = f32[] parameter(0)
  z = u32[] constant(0)
  ks = f32[4] broadcast(k), dimensions={}
  t = (u32[], f32[4]) tuple(z, ks)
  loop = (u32[], f32[4]) while(t), condition=condition, body=take
  y = f32[4] get-tuple-element(loop), index=1
  d = f32[4] call(y), to_apply=twice
  total = f32[4] all-reduce(d), replica_groups={{0,1,2,3}}, to_apply=sum
  ROOT both = (f32[4], f32[]) tuple(total, k)
}
last {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  d = f32[4] call(x), to_apply=twice
  e = f32[4] multiply(d, y)
  ROOT ar = f32[4] all-reduce(e), replica_groups={{0,1,2,3}}, to_apply=sum
}

ENTRY main {
  a = f32[4] constant({1, 2, 3, 4})
  k = f32[] constant(10)
  b = f32[4] negate(a)
  ROOT all = (f32[4], f32[4], f32[], f32[4], f32[4]) custom-call(a, k, a, b, b, b), custom_call_target="interpreter.run_parallel", called_computations={first, second, last, last}
}
)";

using Known = std::vector<std::map<Mark, std::string>>;  // by device

// Every device straight on, a step at a time, in an order that the seed chooses.
Known StraightOn(const std::string& text, int replicas, uint32_t seed, std::vector<std::string>* results) {
  std::unique_ptr<Debugged> d = Open(text, replicas);
  std::mt19937 random(seed);
  Known known(replicas);
  d->Do("start");
  std::vector<int> left(replicas);
  for (int k = 0; k < replicas; ++k) left[k] = k;
  while (!left.empty()) {
    const size_t at = random() % left.size();
    d->Do(absl::StrCat("replica ", left[at]));
    if (d->s().started()) {
      known[left[at]][d->s().machine->Where()] = BitsHere(d->s());
      d->Do("step");
    }
    if (!d->s().started()) left.erase(left.begin() + static_cast<ptrdiff_t>(at));
  }
  for (int k = 0; k < replicas; ++k) {
    d->Do(absl::StrCat("replica ", k));
    std::string bits;
    Append(d->s().machine->result(), bits);
    results->push_back(bits);
  }
  return known;
}

TEST(Devices, WhateverOrderTheyAreSteppedInTheyComeToTheSame) {
  for (const char* text : {kLoop, kTransfer}) {
    std::vector<std::string> first, second;
    const Known a = StraightOn(text, 3, 1, &first), b = StraightOn(text, 3, 2, &second);
    EXPECT_EQ(first, second);
    const DevicesResult run = RunOn(3, 1, text, [](int, int, const Shape& shape) {
      Value v = Value::Allocate(shape);
      for (int64_t e = 0; e < v.element_count(); ++e) v.mutable_as<float>()[e] = static_cast<float>(e);
      return v;
    });
    ASSERT_EQ(run.problems, "");
    for (int d = 0; d < 3; ++d) {
      std::string bits;
      Append(run.results[d], bits);
      EXPECT_EQ(first[d], bits) << d;
      for (const auto& [mark, values] : a[d]) {
        const auto other = b[d].find(mark);
        if (other != b[d].end()) EXPECT_EQ(values, other->second);
      }
    }
  }
}

TEST(Devices, RandomWalksMeetTheValuesOfAStraightRun) {
  for (const char* text : {kLoop, kTransfer, kFunctions}) {
    const int devices = text == kFunctions ? 4 : 3;
    std::vector<std::string> results;
    const Known known = StraightOn(text, devices, 1, &results);
    for (uint32_t seed = 1; seed <= 8; ++seed) {
      std::unique_ptr<Debugged> d = Open(text, devices);
      std::mt19937 random(seed);
      d->Do("start");
      int met = 0;
      for (int k = 0; k < 150; ++k) {
        const uint32_t what = random() % 8;
        if (what == 0) d->Do(absl::StrCat("replica ", random() % devices));
        else if (what < 5 && d->s().started()) d->Do(what == 1 ? "step 4" : what == 2 ? "next" : "step");
        else d->session->Execute(what == 5 ? "reverse-next" : what == 6 ? "reverse-step 3" : "reverse-step");  // refused at the beginning
        if (!d->s().started()) continue;
        const int device = DevicesOf(d->s()).selected;
        const auto straight = known[device].find(d->s().machine->Where());
        if (straight == known[device].end()) continue;
        ++met;
        ASSERT_EQ(BitsHere(d->s()), straight->second) << "seed " << seed << ", step " << k << "\n" << d->said;
      }
      EXPECT_GT(met, text == kFunctions ? 20 : 50);  // two of the functions are short
    }
  }
}

TEST(Devices, FunctionsOfMainComeToWhatMainGets) {
  auto source = std::make_shared<const SourceText>("<test>", kFunctions);
  DiagnosticSink sink;
  const std::unique_ptr<Module> module = ReadHloText(source, sink);
  Verify(*module, sink);
  ASSERT_EQ(sink.error_count(), 0);
  const std::unique_ptr<Backend> backend = MakeReferenceBackend({});
  MachineOptions options;
  AllowRunParallel(options, *backend, 2);
  Machine machine(*module, *backend, std::move(options));
  ASSERT_TRUE(machine.Start(std::vector<Value>()).ok());
  ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
  std::string wanted;
  Append(machine.result(), wanted);
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    std::vector<std::string> results;
    StraightOn(kFunctions, 4, seed, &results);
    EXPECT_EQ(absl::StrCat(results[0], results[1], results[2], results[3]), wanted) << seed;
  }
}

TEST(Devices, EachStandsInItsOwnFunctionAndSharedOnesStopAll) {
  std::unique_ptr<Debugged> d = Open(kFunctions, 4);
  d->Do("start");
  std::vector<std::string> entries;
  ForEachRun(d->s(), [&](int) { entries.push_back(std::string(d->s().machine->frames()[0].computation->name)); });
  EXPECT_EQ(entries, (std::vector<std::string>{"first", "second", "last", "last"}));
  d->Do("break twice:y");
  std::map<int, int> stops;  // by device
  for (int k = 0; k < 20 && d->s().started(); ++k) {
    d->Do("continue");
    if (d->s().started()) ++stops[DevicesOf(d->s()).selected];
  }
  EXPECT_EQ(stops, (std::map<int, int>{{0, 3}, {1, 1}, {2, 1}, {3, 1}}));
}

TEST(Devices, BreakpointsAreCountedOnEachDeviceForItself) {
  std::unique_ptr<Debugged> d = Open(kLoop, 3);
  d->Do("break body:z if replica == 2");
  d->Do("run");
  for (int iteration = 0; iteration < 3; ++iteration) {
    EXPECT_EQ(DevicesOf(d->s()).selected, 2);
    d->Do(absl::StrCat("expect iteration == ", iteration));
    d->Do("continue");
  }
  EXPECT_EQ(d->session->failed_expects(), 0);
  EXPECT_FALSE(d->s().started());
}

}  // namespace
}  // namespace hloscope
