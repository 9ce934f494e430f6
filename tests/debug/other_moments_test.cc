// Values of other moments on random programs of loops in each other that share what they call: wherever the program stands, every moment is
// what it is when the run has ended, and looking at it moves nothing.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/session_state.h"
#include "gtest/gtest.h"
#include "tests/debug/opened.h"

namespace hloscope {
namespace {

// Everything carries (s32[], f32[2]). `leaf` and `twice` (which calls it) are called by bodies, conditions, branches and the entry.
class NestedLoops {
 public:
  explicit NestedLoops(std::mt19937& random) : random_(random) {
    text_ = R"(HloModule random
leaf {
  q = f32[2] parameter(0)
  a = f32[2] sine(q)
  ROOT b = f32[2] add(a, q)
}
twice {
  q = f32[2] parameter(0)
  c = f32[2] call(q), to_apply=leaf
  d = f32[2] call(c), to_apply=leaf
  ROOT e = f32[2] subtract(d, q)
}
)";
    const int loops = 2 + Below(3);
    for (int k = 0; k < loops; ++k) Loop(k);
    absl::StrAppend(&text_, "ENTRY main {\n  v = f32[2] parameter(0)\n");
    last_ = "v";
    for (int k = 1 + Below(2); k > 0; --k) Operation(loops);
    Run(loops - 1, loops);  // the outermost at least
    if (Below(2) == 0) Operation(loops);
    absl::StrAppend(&text_, "  ROOT out = f32[2] negate(", last_, ")\n}\n");
  }
  const std::string& text() const { return text_; }
  // Of what is called, and of loops' bodies.
  const std::vector<std::string>& names() const { return names_; }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  void Add(const std::string& made) {
    last_ = absl::StrCat("n", ++count_);
    absl::StrAppend(&text_, "  ", last_, " = f32[2] ", made, "\n");
  }

  // Another loop, of those before.
  void Run(int loop, int level) {
    const std::string init = absl::StrCat("t", ++count_), zero = absl::StrCat("z", count_);
    const std::string name = Below(2) == 0 && named_ != level ? "w" : absl::StrCat("w", count_);
    if (name == "w") named_ = level;
    absl::StrAppend(&text_, "  ", zero, " = s32[] constant(0)\n  ", init, " = (s32[], f32[2]) tuple(", zero, ", ", last_, ")\n  ", name,
                    " = (s32[], f32[2]) while(", init, "), condition=condition", loop, ", body=body", loop, "\n");
    Add(absl::StrCat("get-tuple-element(", name, "), index=1"));
  }

  // In the body of loop `level`, or behind all of them in the entry.
  void Operation(int level) {
    switch (Below(level > 0 ? 8 : 5)) {
      case 0: return Add(absl::StrCat("cosine(", last_, ")"));
      case 1:
      case 2: return Add(absl::StrCat("call(", last_, "), to_apply=leaf"));
      case 3: return Add(absl::StrCat("call(", last_, "), to_apply=twice"));
      case 4: {
        const std::string sum = absl::StrCat("s", ++count_);
        absl::StrAppend(&text_, "  z", sum, " = f32[] constant(0)\n  x", sum, " = f32[1] slice(", last_, "), slice={[0:1]}\n  ", sum,
                        " = f32[] reshape(x", sum, ")\n  p", sum, " = pred[] compare(", sum, ", z", sum, "), direction=LT\n");
        return Add(absl::StrCat("conditional(p", sum, ", ", last_, ", ", last_,
                                "), true_computation=leaf, false_computation=", Below(2) == 0 ? "leaf" : "twice"));
      }
      default: return Run(Below(level), level);
    }
  }

  void Loop(int k) {
    absl::StrAppend(&text_, "condition", k, " {\n  p = (s32[], f32[2]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n");
    if (Below(3) == 0)
      absl::StrAppend(&text_,
                      "  v = f32[2] get-tuple-element(p), index=1\n  unused = f32[2] call(v), to_apply=leaf\n  one = f32[1] slice(unused), "
                      "slice={[1:2]}\n"
                      "  r = f32[] reshape(one)\n  same = pred[] compare(r, r), direction=EQ\n  limit = s32[] constant(",
                      1 + Below(3), ")\n  less = pred[] compare(i, limit), direction=LT\n  ROOT go = pred[] and(same, less)\n}\n");
    else
      absl::StrAppend(&text_, "  limit = s32[] constant(", Below(4), ")\n  ROOT less = pred[] compare(i, limit), direction=LT\n}\n");
    absl::StrAppend(
        &text_, "body", k,
        " {\n  p = (s32[], f32[2]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  v = f32[2] get-tuple-element(p), index=1\n");
    last_ = "v";
    for (int n = 1 + Below(3); n > 0; --n) Operation(k);
    names_.push_back(absl::StrCat("body", k, ":", last_));
    absl::StrAppend(&text_, "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n  ROOT carry = (s32[], f32[2]) tuple(next, ", last_,
                    ")\n}\n");
  }

  std::mt19937& random_;
  int count_ = 0, named_ = -1;  // the last that has a loop named w
  std::string last_, text_;
  std::vector<std::string> names_ = {"leaf:a", "leaf:b", "twice:c", "twice:e"};
};

class Console {
 public:
  Console(const std::string& program, bool reference, int64_t retain) {
    SessionOptions options;
    options.fill.kind = Fill::kIota;
    options.retain_bytes = retain;
    session_ = OpenSession(program, reference, options, [this](absl::string_view out) { absl::StrAppend(&text_, out); });
  }
  std::string operator()(const std::string& command) {
    text_.clear();
    if (!session_->Execute(command).ok) text_ = absl::StrCat("failed: ", text_);
    return text_;
  }
  bool stands() const { return session_->state().visible(); }
  Mark where() const { return session_->state().machine->Where(); }
  std::string WhereText() const {
    return session_->state().DescribeFrame(static_cast<int>(session_->state().machine->frames().size()) - 1);
  }

 private:
  std::string text_;
  std::unique_ptr<Session> session_;
};

using Rows = std::vector<std::pair<std::string, std::string>>;  // "1,0 in w", and the numbers

Rows RowsOf(const std::string& table) {
  constexpr size_t kNumbers = 53;
  Rows rows;
  for (const absl::string_view line : absl::StrSplit(table, '\n')) {
    if (line.size() <= kNumbers || !(line[0] == ' ' || absl::ascii_isdigit(line[0])) || !absl::ascii_isdigit(line.back())) continue;
    rows.emplace_back(absl::StripAsciiWhitespace(line.substr(0, line.size() - kNumbers)), line.substr(line.size() - kNumbers));
  }
  return rows;
}

// What is told of a moment whatever else is going on; empty: the text means several.
struct Told {
  std::string value, why, influence;
};

class OtherMoments {
 public:
  OtherMoments(int seed, bool reference)
      : random_(seed),
        program_(random_),
        retain_(Below(2) == 0 ? 2000 : int64_t{1} << 30),
        end_(program_.text(), reference, int64_t{1} << 30),
        console_(program_.text(), reference, retain_) {}

  // How many moments were compared.
  int Test() {
    end_("run");
    for (const std::string& name : program_.names()) {
      rows_[name] = RowsOf(end_(absl::StrCat("info iterations /all ", name)));
      std::set<std::string> labels;
      for (const auto& [label, numbers] : rows_[name]) {
        moments_.emplace_back(name, absl::StrCat("iteration ", label));
        if (!labels.insert(label).second) vague_.emplace(name, LoopOf(moments_.back().second));
      }
    }
    if (moments_.empty()) return 0;
    console_("start");
    for (int k = 0; k < 12 && console_.stands() && !testing::Test::HasFatalFailure(); ++k) {
      Move();
      if (!console_.stands()) break;
      for (int n = 0; n < 4 && !testing::Test::HasFatalFailure(); ++n) Look();
    }
    return compared_;
  }
  const std::string& text() const { return program_.text(); }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  static std::string LoopOf(const std::string& moment) { return moment.substr(std::min(moment.size(), moment.rfind(" in "))); }
  template <typename T>
  const T& AnyOf(const std::vector<T>& all) {
    return all[Below(static_cast<int>(all.size()))];
  }
  std::string Do(const std::string& command) {
    absl::StrAppend(&log_, command, "\n");
    return console_(command);
  }

  void Move() {
    switch (Below(9)) {
      case 0: Do(absl::StrCat("step ", 1 + Below(40))); break;
      case 1: Do(absl::StrCat("reverse-step ", 1 + Below(40))); break;
      case 2: Do(absl::StrCat("next ", 1 + Below(5))); break;
      case 3: Do("finish"); break;
      case 4: Do("reverse-finish"); break;
      case 5:
      case 6: {
        const auto& [name, moment] = AnyOf(moments_);
        Do(absl::StrCat("goto ", moment));
        break;
      }
      default: Do(absl::StrCat("tbreak ", AnyOf(program_.names()), " if hits > ", Below(6))); Do(Below(2) == 0 ? "continue" : "run");
    }
  }

  const Told& ToldAtEnd(const std::string& name, const std::string& moment) {
    const std::string what = absl::StrCat(name, " @ ", moment);
    const auto [found, unknown] = told_.try_emplace(what);
    if (!unknown) return found->second;
    const std::string value = end_(absl::StrCat("print ", what));
    if (std::count(value.begin(), value.end(), '\n') != 1 || vague_.contains({name, LoopOf(moment)})) return found->second;
    found->second = {value, end_(absl::StrCat("why ", name, "[1] @ ", moment)), end_(absl::StrCat("influence ", name, "[1] @ ", moment))};
    return found->second;
  }

  void Look() {
    const auto& [name, moment] = AnyOf(moments_);
    const Mark before = console_.where();
    const std::string standing = absl::StrCat(" at ", console_.WhereText());
    const Told& told = ToldAtEnd(name, moment);
    const int kind = Below(6);
    if (kind == 0 && !told.value.empty()) {
      ++compared_;
      ASSERT_EQ(Do(absl::StrCat("why ", name, "[1] @ ", moment)), told.why) << standing << "\n" << log_ << text();
    } else if (kind == 1 && !told.value.empty()) {
      ++compared_;
      Do("bookmark here");
      ASSERT_EQ(Do(absl::StrCat("influence /to-end ", name, "[1] @ ", moment)), told.influence) << standing << "\n" << log_ << text();
      Do("goto here");
    } else if (kind == 2) {
      Table(name, standing);
    } else if (kind == 3) {
      Do(absl::StrCat("influence ", name, "[0] @ iteration ", Below(4)));
    } else if (kind == 4) {
      Some(name, standing);
    } else if (!told.value.empty()) {
      ++compared_;
      ASSERT_EQ(Do(absl::StrCat("print ", name, " @ ", moment)), told.value) << standing << "\n" << log_ << text();
    }
    ASSERT_TRUE(console_.where() == before) << standing << "\n" << log_ << text();
  }

  // A row of another moment may leave out the iterations of loops that the program stands in.
  void Table(const std::string& name, const std::string& standing) {
    for (const auto& [label, numbers] : RowsOf(Do(absl::StrCat("info iterations /all ", name)))) {
      const bool known = std::any_of(rows_[name].begin(), rows_[name].end(), [&, &label = label, &numbers = numbers](const auto& row) {
        return row.second == numbers && (row.first == label || absl::EndsWith(row.first, absl::StrCat(",", label)));
      });
      ++compared_;
      ASSERT_TRUE(known) << label << numbers << standing << "\n" << log_ << text();
    }
  }

  // What a number alone may mean: each as it is when it is named exactly.
  void Some(const std::string& name, const std::string& standing) {
    const std::string all = Do(absl::StrCat("print ", name, " @ iteration ", Below(4)));
    for (const absl::string_view line : absl::StrSplit(all, '\n')) {
      const size_t at = line.find(": ");
      if (!absl::StartsWith(line, "iteration ") || at == absl::string_view::npos) continue;
      const Told& told = ToldAtEnd(name, std::string(line.substr(0, at)));
      if (told.value.empty()) continue;
      ++compared_;
      ASSERT_EQ(absl::StrCat(line.substr(at + 2), "\n"), told.value) << standing << "\n" << log_ << text();
    }
  }

  std::mt19937 random_;
  NestedLoops program_;
  int64_t retain_;
  int compared_ = 0;
  Console end_, console_;
  std::map<std::string, Rows> rows_;
  std::vector<std::pair<std::string, std::string>> moments_;
  std::set<std::pair<std::string, std::string>> vague_;  // a loop's condition and body, and one loop inside of several, have the same name
  std::map<std::string, Told> told_;
  std::string log_ = "start\n";
};

TEST(OtherMomentsTest, AreTheSameFromAnywhere) {
  int compared = 0;
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    compared += OtherMoments(seed, seed % 4 == 0).Test();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace hloscope
