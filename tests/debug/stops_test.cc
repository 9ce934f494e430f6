// What stops where, asked without the console: judging without counting, what watches remember, who calls whom, and what is armed.
#include "core/debug/stops.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/debug/location_kinds.h"
#include "core/debug/subscript.h"
#include "core/debug/travel.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/debug/opened.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kNested[] = R"(HloModule nested
inner_body {
  q = (s32[], s32[]) parameter(0)
  k = s32[] get-tuple-element(q), index=0
  total = s32[] get-tuple-element(q), index=1
  one = s32[] constant(1)
  k_next = s32[] add(k, one)
  sum = s32[] add(total, k_next)
  ROOT inner_out = (s32[], s32[]) tuple(k_next, sum)
}
inner_condition {
  q = (s32[], s32[]) parameter(0)
  k = s32[] get-tuple-element(q), index=0
  three = s32[] constant(3)
  ROOT inner_less = pred[] compare(k, three), direction=LT
}
outer_body {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  t = s32[] get-tuple-element(p), index=1
  zero = s32[] constant(0)
  start = (s32[], s32[]) tuple(zero, t)
  inner = (s32[], s32[]) while(start), condition=inner_condition, body=inner_body
  t_next = s32[] get-tuple-element(inner), index=1
  one = s32[] constant(1)
  i_next = s32[] add(i, one)
  ROOT outer_out = (s32[], s32[]) tuple(i_next, t_next)
}
outer_condition {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  four = s32[] constant(4)
  ROOT outer_less = pred[] compare(i, four), direction=LT
}
ENTRY main {
  zero = s32[] constant(0)
  init = (s32[], s32[]) tuple(zero, zero)
  outer = (s32[], s32[]) while(init), condition=outer_condition, body=outer_body
  ROOT result = s32[] get-tuple-element(outer), index=1
}
)";

class StopsTest : public testing::Test {
 protected:
  void Open(const std::string& text) {
    session_ = OpenSession(text, true, SessionOptions(), [this](absl::string_view out) { absl::StrAppend(&text_, out); });
    ASSERT_NE(session_, nullptr);
  }
  std::string Do(const std::string& line) {
    text_.clear();
    last_ = session_->Execute(line);
    return text_;
  }
  Session::State& s() { return session_->state(); }
  std::unique_ptr<Session> session_;
  std::string text_;
  CommandResult last_;
};

TEST_F(StopsTest, JudgingWithoutCountingChangesNothing) {
  Open(kNested);
  Do("break sum if iteration == 2");
  Do("ignore 1 1");
  Do("logpoint %sum never seen here");
  Do("run");
  ASSERT_THAT(Do("info frame"), HasSubstr("iteration 2"));
  const StopCounts before = PresentMemory(s()).counts[1];
  EXPECT_EQ(before.hits, 2) << "the ignored one counts";
  EXPECT_EQ(before.reached, 6);
  text_.clear();
  StopMemory memory;
  EXPECT_TRUE(ArmedHere(s()));
  EXPECT_THAT(StopsHere(s(), memory, false), SizeIs(1)) << "ignore counts are of the program's own way, logpoints never stop";
  EXPECT_EQ(text_, "");
  EXPECT_EQ(PresentMemory(s()).counts[1].hits, before.hits);
  EXPECT_EQ(PresentMemory(s()).counts[1].reached, before.reached);
  Do("step");
  EXPECT_FALSE(ArmedHere(s()));
  EXPECT_THAT(StopsHere(s(), memory, false), IsEmpty());
}

// The counts that a moment has are those of the first way there, from wherever it is come back to.
// Whichever snapshots there are: one wherever it can be, a few, none but the first.
class StopsWithSnapshotsTest : public StopsTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { setenv("HLOSCOPE_SNAPSHOT_SECONDS", GetParam(), 1); }
  void TearDown() override { unsetenv("HLOSCOPE_SNAPSHOT_SECONDS"); }
};
INSTANTIATE_TEST_SUITE_P(Intervals, StopsWithSnapshotsTest, testing::Values("0", "0.0001", "0.0002", "0.0003", "0.0006", "0.001", "0.002", "1000"));

TEST_P(StopsWithSnapshotsTest, CountsAreThoseOfTheMoment) {
  Open(kNested);
  Do("break sum if hits % 4 == 3");
  Do("break i_next");
  Do("ignore 2 2");
  Do("watch %t_next when $_ > 4");
  Do("logpoint k_next seen {hits}");
  Do("run");
  struct Stop {
    Mark mark;
    std::vector<StopCounts> counts;
  };
  std::vector<Stop> stops;
  const auto counts = [&] {
    Do("info break");
    std::vector<StopCounts> now;
    for (int number = 1; number <= 4; ++number) now.push_back(PresentMemory(s()).counts.at(number));
    return now;
  };
  while (session_->running()) {
    stops.push_back({PresentMark(s()), counts()});
    Do("continue");
  }
  ASSERT_GT(stops.size(), 4);
  const auto check = [&](const Stop& stop) {
    const std::vector<StopCounts> now = counts();
    for (size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(now[k].reached, stop.counts[k].reached) << "of " << k + 1;
      EXPECT_EQ(now[k].hits, stop.counts[k].hits) << "of " << k + 1;
      EXPECT_EQ(now[k].ignored, stop.counts[k].ignored) << "of " << k + 1;
    }
  };
  for (auto stop = stops.rbegin(); stop != stops.rend(); ++stop) {
    Do("reverse-continue");
    ASSERT_TRUE(PresentMark(s()) == stop->mark) << stop - stops.rbegin() << ": " << text_;
    check(*stop);
  }
  uint64_t random = 7;
  for (int turn = 0; turn < 60; ++turn) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const size_t to = (random >> 33) % stops.size();
    ASSERT_TRUE(GoTo(s(), stops[to].mark).ok());
    StopsMoved(s());
    if ((random >> 13) % 2 == 0) Do(absl::StrCat("reverse-step ", 1 + (random >> 20) % 9));
    Mark now = PresentMark(s());
    Do("continue");
    const auto next = std::find_if(stops.begin(), stops.end(), [&](const Stop& stop) { return now < stop.mark; });
    if (next == stops.end()) {
      EXPECT_FALSE(session_->running());
      continue;
    }
    ASSERT_TRUE(PresentMark(s()) == next->mark) << "turn " << turn << ", from stop " << to << ": " << text_;
    check(*next);
  }
}

TEST_F(StopsTest, AWatchWithoutAMemoryIsUnsure) {
  Open(kNested);
  Do("watch %sum");
  Do("run");
  StopMemory empty;
  const std::vector<Stop> first = StopsHere(s(), empty, false);
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_TRUE(first[0].unsure);
  EXPECT_THAT(StopsHere(s(), empty, false), IsEmpty()) << "now it has seen this value";
  StopMemory::Seen before;
  before.known = true;
  const Breakpoint& watch = *s().breakpoints[0];
  before.value = empty.watches[watch.number].value;
  EXPECT_EQ(WatchChange(watch, &before, empty.watches[watch.number], "note"), std::nullopt) << "the same as before";
  EXPECT_EQ(WatchChange(watch, nullptr, empty.watches[watch.number], "note"), std::nullopt) << "a first value is no change";
}

// A stop of reverse-continue is one that continue made, in the same words, whatever lies between.
TEST_F(StopsTest, ReverseContinueFindsTheStopsThatContinueMade) {
  for (const char* stops : {"watch %sum if $_ % 2 == 0", "watch -if %t > 4", "watch %outer_out", "break k_next if iteration == 1", "watch %i in outer_body", "break sum if %sum % 3 == 0", "break sum if hits % 5 == 2", "watch -if %t > 4"}) {
    Open(kNested);
    Do(stops);
    ASSERT_TRUE(last_.ok) << stops << ": " << text_;
    std::vector<std::string> forward = {Do("run")};
    while (session_->running()) forward.push_back(Do("continue"));
    forward.pop_back();  // the end
    ASSERT_FALSE(forward.empty()) << stops;
    forward[0] = forward[0].substr(forward[0].find('\n') + 1);
    for (size_t k = forward.size(); k-- > 0;) EXPECT_EQ(Do("reverse-continue"), forward[k]) << stops << " " << k;
    EXPECT_THAT(Do("reverse-continue"), HasSubstr("Nothing stops before")) << stops;
    for (size_t k = 0; k < forward.size(); ++k) EXPECT_EQ(Do("continue"), forward[k]) << stops << ", forward again " << k;
  }
}

TEST_F(StopsTest, TheEndOfAFrameIsAStopAndIsLeftByAStep) {
  Open(kNested);
  Do("watch %inner_out");
  EXPECT_THAT(Do("run"), HasSubstr("at the end in inner_body (loop body of %inner, iteration 1, in iteration 0 of %outer)"));
  EXPECT_EQ(s().machine->next_instruction(), nullptr);
  EXPECT_TRUE(session_->running());
  for (const char* line : {"list", "info frame", "bt", "info locals", "info op", "print %inner_out[1]", "print $_[0]", "up", "down", "display 1"}) Do(line);
  Do("delete");
  EXPECT_THAT(Do("step"), HasSubstr("%q in inner_condition (loop condition of %inner, iteration 2, in iteration 0 of %outer)"));
}

TEST_F(StopsTest, TheEntrysLastValueCanBeWatched) {
  Open(kNested);
  Do("watch %result when $_ > 0");
  EXPECT_THAT(Do("run"), HasSubstr("at the end in main"));
  EXPECT_TRUE(session_->running());
  EXPECT_THAT(Do("print %result"), HasSubstr("24"));
  EXPECT_THAT(Do("continue"), HasSubstr("has finished"));
}

TEST_F(StopsTest, ManyBreakpointsOfTheProgramShareANumber) {
  std::string text = "HloModule many\nENTRY main {\n  x = f32[] parameter(0)\n";
  for (int i = 0; i < 30; ++i) absl::StrAppend(&text, "  y", i, " = f32[] add(x, x), frontend_attributes={breakpoint=\"true\"}\n");
  Open(text + "  ROOT r = f32[] add(y1, y2)\n}\n");
  ASSERT_THAT(s().breakpoints, SizeIs(1));
  EXPECT_THAT(s().breakpoints[0]->locations, SizeIs(30));
  EXPECT_THAT(Do("info break"), HasSubstr("30 places, from the program"));
  EXPECT_THAT(Do("run"), HasSubstr("Breakpoint 1, at %y0"));
}

TEST_F(StopsTest, CommandsGoOnThroughManyStopsWithoutNesting) {
  Open(std::string(kNested).replace(std::string(kNested).find("constant(4)"), 11, "constant(20000)"));
  Do("break i_next");
  Do("commands 1: silent; continue");
  EXPECT_THAT(Do("run"), HasSubstr("has finished"));
  EXPECT_EQ(PresentMemory(s()).counts[1].hits, 20000);
  EXPECT_TRUE(Stops(s()).pending.empty());
}

TEST_F(StopsTest, CommandsThatAreTypedTakeEveryLine) {
  Open(kNested);
  Do("break i_next");
  Do("commands");
  EXPECT_EQ(Do("  print %i  "), "");
  EXPECT_EQ(Do("nonsense"), "");
  EXPECT_EQ(Do("end"), "");
  EXPECT_THAT(s().breakpoints[0]->commands, ElementsAre(Field(&Breakpoint::Command::text, "print %i"), Field(&Breakpoint::Command::text, "nonsense")));
  EXPECT_THAT(Do("run"), HasSubstr("this command of a breakpoint failed: nonsense"));
  EXPECT_FALSE(last_.ok);
}

TEST_F(StopsTest, CallsAreKnown) {
  Open(kNested);
  const Module& m = *s().module;
  const CallGraph& calls = CallsOf(s());
  const Computation& inner = *m.FindComputation("inner_body");
  EXPECT_TRUE(calls.in_loop[inner.id]);
  EXPECT_FALSE(calls.in_loop[m.entry->id]);
  EXPECT_FALSE(calls.repeats[m.entry->id]);
  EXPECT_THAT(Surroundings(calls, inner), ElementsAre(&inner, m.FindComputation("outer_body"), m.entry));
  EXPECT_EQ(ResolveFrom(calls, inner, "one")->parent, &inner) << "the nearest";
  EXPECT_EQ(ResolveFrom(calls, inner, "i")->parent, m.FindComputation("outer_body"));
  EXPECT_EQ(ResolveFrom(calls, inner, "inner_less"), nullptr);
  EXPECT_EQ(FindLoops(m, "%inner")->front()->name, "inner");
  EXPECT_EQ(FindLoops(m, "outer_condition")->front()->name, "outer");
  EXPECT_THAT(std::string(FindLoops(m, "innr").status().message()), HasSubstr("did you mean 'inner'"));
}

TEST_F(StopsTest, OddLinesAreErrorsNotCrashes) {
  Open(kNested);
  const std::vector<std::string> lines = {"watch max(%sum) - %t in inner_body if $_ != $old", "watch -if (%sum[0] > 1)", "logpoint %sum to x if iteration > 1 \"a {%sum} \\n\"", "commands 1: print {x}; echo [;",
                                          "break shape:(s32[], f32[*,...,>=3])", "break re:/a b\\/c/ if 1", "enable count 3 1-2", "break scope:**/a*/?b", "stop save ", "break op:add,|,*", "tbreak call:*body if depth"};
  for (const std::string& line : lines) {
    for (size_t length = 1; length <= line.size(); ++length) {
      Do(line.substr(0, length));
      if (!Stops(s()).collecting.empty()) Do("end");
    }
  }
  Do("delete");
  EXPECT_THAT(Do("run"), HasSubstr("has finished"));
  std::remove("x");
}

TEST(Globs, StarsAndQuestions) {
  EXPECT_TRUE(GlobMatches("all-reduce", "all-*"));
  EXPECT_TRUE(GlobMatches("abc", "a*c"));
  EXPECT_TRUE(GlobMatches("abcabc", "*c"));
  EXPECT_TRUE(GlobMatches("", "*"));
  EXPECT_TRUE(GlobMatches("a", "?"));
  EXPECT_FALSE(GlobMatches("", "?"));
  EXPECT_FALSE(GlobMatches("abd", "a*c"));
  EXPECT_FALSE(GlobMatches("abc", "ab"));
}

TEST(ShapeSubscripts, AgreeWithThoseOfValues) {
  const Value value = Value::Allocate(Shape::Array(ElementType::kF32, {4, 5, 6}));
  for (const std::string text : {"[0]", "[1:3]", "[..., 2]", "[0, :, ::2]", "[-1, -1, -1]", "[4]", "[0,0,0,0]", "[]", "[::-1, 2:1]"}) {
    absl::string_view rest = text;
    const absl::StatusOr<Subscript> subscript = ParseSubscript(rest);
    ASSERT_TRUE(subscript.ok()) << text;
    const absl::StatusOr<Value> part = ApplySubscript(value, *subscript);
    const absl::StatusOr<Shape> shape = ApplySubscript(value.shape(), *subscript);
    EXPECT_EQ(part.status(), shape.status()) << text;
    if (part.ok() && shape.ok()) {
      EXPECT_TRUE(Shape::Compatible(part->shape(), *shape)) << text;
    }
  }
}

}  // namespace
}  // namespace hloscope
