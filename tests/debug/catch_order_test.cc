// Catches on random programs: fused regions stop where the same program stops that runs one instruction after the other, on every way through it,
// and whatever snapshots there are.
#include <cstdlib>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "core/debug/session_state.h"
#include "gtest/gtest.h"
#include "tests/debug/opened.h"

namespace hloscope {
namespace {

#ifdef HLOSCOPE_JIT

// All values are f32[4], and every one is read. Elementwise operations fuse; reverse, calls and loops stand between; updates happen in place.
class RandomProgram {
 public:
  explicit RandomProgram(std::mt19937& random) : random_(random) {
    const std::string f = Computation("f", 2 + Below(3), {"q"}, 0);
    const std::string body = Computation("body", 3 + Below(6), {"v", "u"}, 1);
    text_ = absl::StrCat("HloModule random\n", f, body, R"(condition {
  p = (s32[], f32[4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant()", 1 + Below(4), R"()
  ROOT less = pred[] compare(i, limit), direction=LT
}
)", Computation("main", 6 + Below(14), {"x", "y"}, 2));
  }
  const std::string& text() const { return text_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  const std::string& Any() { return values_[Below(static_cast<int>(values_.size()))]; }

  std::string Add(const std::string& made, const std::vector<std::string>& operands, std::string* text) {
    const std::string name = absl::StrCat("n", ++count_);
    for (const std::string& operand : operands) std::erase(unread_, operand);
    absl::StrAppend(text, "  ", name, " = ", made, "\n");
    values_.push_back(name);
    unread_.push_back(name);
    names_.push_back(name);
    return name;
  }

  void Operation(int level, std::string* text) {
    constexpr const char* kUnary[] = {"negate", "abs", "sqrt", "sqrt"};
    constexpr const char* kBinary[] = {"add", "subtract", "multiply", "divide", "maximum", "subtract"};
    const std::string a = Any(), b = Any();
    const int kind = Below(level == 2 ? 21 : 19);
    if (kind < 6) {
      Add(absl::StrCat("f32[4] ", kUnary[Below(4)], "(", a, ")"), {a}, text);
    } else if (kind < 14) {
      Add(absl::StrCat("f32[4] ", kBinary[Below(6)], "(", a, ", ", b, ")"), {a, b}, text);
    } else if (kind < 16) {
      Add(absl::StrCat("f32[4] reverse(", a, "), dimensions={0}"), {a}, text);
    } else if (kind < 18) {
      const std::string c = absl::StrCat("c", ++count_), at = absl::StrCat("c", ++count_);
      absl::StrAppend(text, "  ", c, " = f32[1] constant({", Below(6) - 3, "})\n  ", at, " = s32[] constant(", Below(4), ")\n");
      Add(absl::StrCat("f32[4] dynamic-update-slice(", a, ", ", c, ", ", at, ")"), {a}, text);
    } else if (kind < 19) {
      if (level > 0) Add(absl::StrCat("f32[4] call(", a, "), to_apply=f"), {a}, text);
    } else {
      const std::string z = absl::StrCat("c", ++count_), init = absl::StrCat("t", ++count_), loop = absl::StrCat("w", ++count_);
      absl::StrAppend(text, "  ", z, " = s32[] constant(0)\n  ", init, " = (s32[], f32[4], f32[4]) tuple(", z, ", ", a, ", ", b, ")\n");
      absl::StrAppend(text, "  ", loop, " = (s32[], f32[4], f32[4]) while(", init, "), condition=condition, body=body\n");
      Add(absl::StrCat("f32[4] get-tuple-element(", loop, "), index=", 1 + Below(2)), {a, b}, text);
    }
  }

  std::string Computation(const std::string& name, int operations, const std::vector<std::string>& parameters, int level) {
    std::string text = absl::StrCat(level == 2 ? "ENTRY " : "", name, " {\n");
    values_ = parameters;
    unread_ = parameters;
    if (level == 1) {
      absl::StrAppend(&text, "  p = (s32[], f32[4], f32[4]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n");
      for (int k = 0; k < 2; ++k) absl::StrAppend(&text, "  ", parameters[k], " = f32[4] get-tuple-element(p), index=", k + 1, "\n");
    } else {
      for (size_t k = 0; k < parameters.size(); ++k) absl::StrAppend(&text, "  ", parameters[k], " = f32[4] parameter(", k, ")\n");
    }
    for (int k = 0; k < operations; ++k) Operation(level, &text);
    if (level == 2) {
      std::vector<std::string> shapes(unread_.size(), "f32[4]");
      absl::StrAppend(&text, "  ROOT out = (", absl::StrJoin(shapes, ", "), ") tuple(", absl::StrJoin(unread_, ", "), ")\n}\n");
      return text;
    }
    while (unread_.size() > (level == 0 ? 1 : 2)) {
      const std::string a = unread_[0], b = unread_[1];
      Add(absl::StrCat("f32[4] maximum(", a, ", ", b, ")"), {a, b}, &text);
    }
    if (level == 0) {
      absl::StrAppend(&text, "  ROOT fr = f32[4] negate(", unread_[0], ")\n}\n");
      return text;
    }
    if (unread_.size() < 2) unread_.push_back(Any());
    absl::StrAppend(&text, "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n  ROOT carry = (s32[], f32[4], f32[4]) tuple(next, ", unread_[0], ", ", unread_[1], ")\n}\n");
    return text;
  }

  std::mt19937& random_;
  int count_ = 0;
  std::vector<std::string> values_, unread_, names_;
  std::string text_;
};

std::vector<std::string> RandomScript(std::mt19937& random, const std::vector<std::string>& names) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  constexpr const char* kCatches[] = {"catch nan", "catch inf", "catch nan if iteration > 0", "catch nan\nignore 1 1", "catch nan if hits % 2 == 0", "catch inf\ncatch nan"};
  std::vector<std::string> script = {kCatches[below(6)]};
  for (int k = below(3); k > 0; --k) script.push_back(absl::StrCat("break ", names[below(static_cast<int>(names.size()))]));
  if (below(3) == 0) script.push_back(absl::StrCat("catch nan if min(abs(%", names[below(static_cast<int>(names.size()))], ")) < 2"));
  if (below(4) == 0) script.push_back(absl::StrCat("watch %", names[below(static_cast<int>(names.size()))], "[1]"));
  script.push_back("run");
  int marks = 0;
  for (int k = 6 + below(14); k > 0; --k) {
    const int kind = below(22);
    if (kind >= 20) script.push_back(absl::StrCat("set %", names[below(static_cast<int>(names.size()))], "[", below(4), "] = ", below(7) - 3));
    else if (kind < 8) script.push_back("continue");
    else if (kind < 12) script.push_back("reverse-continue");
    else if (kind < 13) script.push_back(absl::StrCat("step ", 1 + below(5)));
    else if (kind < 14) script.push_back(absl::StrCat("next ", 1 + below(3)));
    else if (kind < 15) script.push_back(absl::StrCat("reverse-step ", 1 + below(5)));
    else if (kind < 16) script.push_back("reverse-next");
    else if (kind < 17) script.push_back("finish");
    else if (kind < 18 || marks == 0) script.push_back(absl::StrCat("bookmark m", marks++));
    else if (kind < 19) script.push_back(absl::StrCat("goto m", below(marks)));
    else script.push_back("info break");
  }
  script.push_back("goto end");
  script.push_back("print $result");
  for (int k = 0; k < 4; ++k) script.push_back("reverse-continue");
  script.push_back("info break");
  return script;
}

std::string Play(const std::string& program, const std::vector<std::string>& script, bool reference, const char* seconds, int64_t retain) {
  seconds != nullptr ? setenv("HLOSCOPE_SNAPSHOT_SECONDS", seconds, 1) : unsetenv("HLOSCOPE_SNAPSHOT_SECONDS");
  std::string text;
  SessionOptions options;
  options.fill.kind = Fill::kIota;
  options.retain_bytes = retain;
  const std::unique_ptr<Session> session = OpenSession(program, reference, options, [&](absl::string_view out) { absl::StrAppend(&text, out); });
  if (session == nullptr) return "";
  for (const std::string& lines : script) {
    for (const absl::string_view line : absl::StrSplit(lines, '\n')) {
      absl::StrAppend(&text, "> ", line, "\n");
      session->Execute(line);
    }
  }
  unsetenv("HLOSCOPE_SNAPSHOT_SECONDS");
  return absl::StrReplaceAll(text, {{" on reference", ""}, {" on jit", ""}});
}

TEST(CatchOrderTest, FusedRegionsStopWhereSingleInstructionsDo) {
  constexpr const char* kSeconds[] = {"0", "1e9", "0.0003", "0.001", "0.003"};
  int stops = 0;
  for (int seed = 0; seed < 250; ++seed) {
    std::mt19937 random(seed);
    const RandomProgram program(random);
    const std::vector<std::string> script = RandomScript(random, program.names());
    const std::string wanted = Play(program.text(), script, true, kSeconds[(seed / 5) % 5], int64_t{1} << 30);
    const std::string found = Play(program.text(), script, false, kSeconds[seed % 5], seed % 2 == 0 ? 1000 : int64_t{1} << 30);
    stops += static_cast<int>(std::vector<std::string>(absl::StrSplit(wanted, "caught ")).size()) - 1;
    ASSERT_EQ(found, wanted) << "seed " << seed << "\n" << program.text();
  }
  EXPECT_GT(stops, 500);
}

#endif

}  // namespace
}  // namespace hloscope
