// catch overflow on conversions between all types of numbers, on each backend: what is beyond the type that it is converted to is caught, and
// what is within it is not.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/debug/opened.h"

namespace hloscope {
namespace {

// The largest power of two that a type has, as an exponent, and whether it has numbers below zero; written down from the formats.
struct Row {
  const char* type;
  int top;
  bool negative;
  bool integer;
};
constexpr Row kRows[] = {
    {"s2", 0, true, true},          {"s4", 2, true, true},           {"s8", 6, true, true},      {"s16", 14, true, true},         {"s32", 30, true, true},
    {"s64", 62, true, true},        {"u2", 1, false, true},          {"u4", 3, false, true},     {"u8", 7, false, true},          {"u16", 15, false, true},
    {"u32", 31, false, true},       {"u64", 63, false, true},        {"f16", 15, true, false},   {"bf16", 127, true, false},      {"f32", 127, true, false},
    {"f64", 1023, true, false},     {"f8e5m2", 15, true, false},     {"f8e4m3", 7, true, false}, {"f8e4m3fn", 8, true, false},    {"f8e4m3b11fnuz", 4, true, false},
    {"f8e5m2fnuz", 15, true, false}, {"f8e4m3fnuz", 7, true, false}, {"f8e3m4", 3, true, false}, {"f4e2m1fn", 2, true, false},    {"f6e2m3fn", 2, true, false},   {"f6e3m2fn", 4, true, false},   {"u1", 0, false, true},    {"f8e8m0fnu", 127, false, false},
};

std::string Power(const Row& row, int exponent) {
  if (row.integer) return absl::StrCat(uint64_t{1} << exponent);
  return absl::StrFormat("%.17g", std::ldexp(1.0, exponent));
}

// A program with conversions to every other type; the names of those that overflow go to `wanted`.
std::string Conversions(const Row& from, std::set<std::string>* wanted) {
  std::string body;
  std::vector<std::string> names, shapes;
  const auto add = [&](absl::string_view kind, const Row& to, absl::string_view second, bool overflows) {
    const std::string name = absl::StrCat(kind, "_", to.type);
    absl::StrAppend(&body, "  c_", name, " = ", from.type, "[2] constant({1, ", second, "})\n  ", name, " = ", to.type, "[2] convert(c_", name, ")\n");
    names.push_back(name);
    shapes.push_back(absl::StrCat(to.type, "[2]"));
    if (overflows) wanted->insert(name);
  };
  for (const Row& to : kRows) {
    if (std::string(from.type) == to.type) continue;
    add("within", to, Power(from, std::min(from.top, to.top)), false);
    if (from.top > to.top) add("beyond", to, Power(from, to.top + 1), true);
    if (from.negative && !to.negative && to.integer) add("below", to, "-1", true);
  }
  return absl::StrCat("HloModule m\nENTRY main {\n", body, "  ROOT t = (", absl::StrJoin(shapes, ", "), ") tuple(", absl::StrJoin(names, ", "), ")\n}\n");
}

std::set<std::string> Caught(const std::string& text, bool reference, size_t most) {
  std::string said;
  const std::unique_ptr<Session> session = OpenSession(text, reference, SessionOptions(), [&](absl::string_view out) { absl::StrAppend(&said, out); });
  if (session == nullptr) return {};
  EXPECT_TRUE(session->Execute("catch overflow").ok);
  EXPECT_TRUE(session->Execute("run").ok);
  for (size_t k = 0; k <= most && session->running(); ++k) session->Execute("continue");
  std::set<std::string> caught;
  const std::string before = "caught overflow: %";
  for (size_t at = said.find(before); at != std::string::npos; at = said.find(before, at + 1)) {
    const size_t begin = at + before.size();
    caught.insert(said.substr(begin, said.find(' ', begin) - begin));
  }
  return caught;
}

TEST(CatchConversions, BeyondTheTypeIsCaughtAndWithinItIsNot) {
  for (const Row& from : kRows) {
    std::set<std::string> wanted;
    const std::string text = Conversions(from, &wanted);
    for (const bool reference : {true, false}) {
      EXPECT_EQ(Caught(text, reference, wanted.size() + 5), wanted) << "from " << from.type << (reference ? ", reference" : ", as it is run");
    }
  }
}

}  // namespace
}  // namespace hloscope
