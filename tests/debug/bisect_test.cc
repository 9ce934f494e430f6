// Names of dumps, and their order.
#include "core/debug/bisect.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;

DumpFile Parsed(const char* name) {
  DumpFile dump;
  EXPECT_TRUE(ParseDumpName(name, dump)) << name;
  return dump;
}

TEST(DumpName, WhatItSays) {
  DumpFile d = Parsed("module_0001.jit_f.0003.simplification.after_algsimp.before_dce.txt");
  EXPECT_EQ(d.module, "module_0001.jit_f");
  EXPECT_EQ(d.step, 3);
  EXPECT_EQ(d.pipeline, "simplification");
  EXPECT_EQ(d.pass, "algsimp");
  d = Parsed("module_0001.jit_f.0003.algsimp.after_pipeline.hlo");
  EXPECT_EQ(d.pass, "algsimp");
  EXPECT_EQ(d.step, 3);
  d = Parsed("module_0001.jit_f.0000.simplification.after_pipeline-start.before_algsimp.txt");
  EXPECT_EQ(d.pass, "");
  d = Parsed("module_0012.jit__lambda_.27.before_optimizations.hlo.pb");
  EXPECT_EQ(d.module, "module_0012.jit__lambda_.27") << "a number of the module's own name";
  EXPECT_EQ(d.step, -1);
  d = Parsed("module_0012.jit_f.27.0004.p.after_q.before_r.txt");
  EXPECT_EQ(d.module, "module_0012.jit_f.27");
  EXPECT_EQ(d.step, 4);
  d = Parsed("module_0001.f.sm_8.0_gpu_after_optimizations.txt");
  EXPECT_EQ(d.rank, 100);
}

TEST(DumpName, WhatIsNoDump) {
  DumpFile d;
  for (const char* name : {"module_0001.f.cpu_after_optimizations-buffer-assignment.txt", "module_0001.f.ir-with-opt.ll", "module_0001.f.cpu_after_optimizations-memory-usage-report.txt", ".hidden.txt",
                           "module_0001.f.debug_options", "module_0001.f.0001.p.after_q.html", "module_0001.f.autotune_results.pbtxt", "module_0001.f.thunk_sequence.txt"}) {
    EXPECT_FALSE(ParseDumpName(name, d)) << name;
  }
}

TEST(OrderDumps, ByStepNotByText) {
  std::vector<std::string> names;
  for (const DumpFile& d : OrderDumps({"module_0001.f.cpu_after_optimizations.txt", "module_0001.f.10.p.after_c.before_d.txt", "module_0001.f.9.p.after_b.before_c.txt", "module_0001.f.9.p.before_b.txt",
                                       "module_0001.f.before_optimizations.txt", "module_0001.f.9.p.after_b.before_c.hlo.pb", "module_0001.f.cpu_after_optimizations-buffer-assignment.txt"})) {
    names.push_back(d.file);
  }
  EXPECT_THAT(names, ElementsAre("module_0001.f.before_optimizations.txt", "module_0001.f.9.p.before_b.txt", "module_0001.f.9.p.after_b.before_c.txt", "module_0001.f.10.p.after_c.before_d.txt",
                                 "module_0001.f.cpu_after_optimizations.txt"));
}

TEST(OrderDumps, PlainNames) {
  std::vector<std::string> names;
  for (const DumpFile& d : OrderDumps({"step10.hlo", "step2.hlo", "step1.hlo"})) names.push_back(d.file);
  EXPECT_THAT(names, ElementsAre("step1.hlo", "step2.hlo", "step10.hlo"));
}

}  // namespace
}  // namespace hloscope
