// compare replicas: a value in all replicas, by its bits. Not for runs that are compared beside the session (compare_commands.cc).
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/compare_replicas.h"
#include "core/debug/compare_values.h"
#include "core/debug/devices.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

struct Group {
  Value value;
  std::vector<std::string> names;
};

bool SameBits(const Value& a, const Value& b) {
  return Shape::SameDimensions(a.shape(), b.shape()) && a.shape().element_type() == b.shape().element_type() && (a.byte_size() == 0 || std::memcmp(a.data(), b.data(), a.byte_size()) == 0);
}

// "[3] is 0.5, replica 0 has 0.25; 2 of 4 elements differ".
std::string DifferenceText(const Value& got, const Group& first) {
  if (!Shape::SameDimensions(got.shape(), first.value.shape())) return absl::StrCat("is ", got.shape().ToString(false), ", ", first.names[0], " has ", first.value.shape().ToString(false));
  const int64_t bytes = StorageBytes(got.shape().element_type());
  int64_t at = -1, differing = 0;
  for (int64_t k = 0; k < got.element_count(); ++k) {
    if (std::memcmp(got.data() + k * bytes, first.value.data() + k * bytes, bytes) == 0) continue;
    if (at < 0) at = k;
    ++differing;
  }
  if (at < 0) return "is of another type";
  const ElementType type = got.shape().element_type();
  return absl::StrCat("[", absl::StrJoin(IndexOf(got.shape(), at), ","), "] is ", ToText(LoadScalar(type, got.data() + at * bytes)), ", ", first.names[0], " has ",
                      ToText(LoadScalar(type, first.value.data() + at * bytes)), "; ", differing, " of ", got.element_count(), " elements differ");
}

}  // namespace

absl::Status CompareReplicas(Session::State& s, absl::string_view args) {
  if (!Several(s)) return absl::FailedPreconditionError("the program runs on one device; --replicas N gives it several");
  args = absl::StripAsciiWhitespace(args);
  if (args.empty()) return absl::InvalidArgumentError("compare replicas takes a value, as: compare replicas %x, or compare replicas %x @ iteration 3");
  if (!s.visible()) return s.NeedRunning();
  absl::string_view expression = args, moment;
  const bool then = SplitMoment(args, &expression, &moment);
  const std::string text(expression);
  Devices& all = DevicesOf(s);
  std::vector<Group> groups;
  std::vector<std::string> without;
  const auto look = [&](int d) -> absl::Status {
    const absl::StatusOr<ExpressionResult> result = EvaluateExpression(text, s);
    if (!result.ok()) return result.status();
    absl::StatusOr<Value> value = result->kind == ExpressionResult::kValue ? absl::StatusOr<Value>(result->value) : ToValue(*result);
    if (!value.ok()) return value.status();
    if (!value->shape().IsArray()) return absl::InvalidArgumentError(absl::StrCat(text, " is ", value->shape().ToString(false), "; compare replicas takes an array or an element of a tuple, as %x[0]"));
    const Value dense = ToDense(*value);
    for (Group& group : groups) {
      if (!SameBits(group.value, dense)) continue;
      group.names.push_back(all.room->Name(d));
      return absl::OkStatus();
    }
    groups.push_back({dense, {all.room->Name(d)}});
    return absl::OkStatus();
  };
  absl::Status bad;
  ForEachRun(s, [&](int d) {
    if (!bad.ok()) return;
    const int selected = s.selected;
    absl::Status status = absl::FailedPreconditionError("it is not running");
    if (s.visible()) {
      SettleRun(s);
      int looks = 0;
      status = !then ? look(d) : LookAtMoments(s, moment, expression, [&](const std::string&) {
        return looks++ == 0 ? look(d) : absl::InvalidArgumentError(absl::StrCat(moment, " is not one moment here; name one, as iteration 3,17 or with call K"));
      });
    }
    s.selected = selected;
    if (absl::IsInvalidArgument(status)) bad = status;
    else if (!status.ok()) without.push_back(absl::StrCat(all.room->Name(d), ": ", status.message()));
  });
  if (!bad.ok()) return bad;
  if (groups.empty()) return absl::FailedPreconditionError(absl::StrCat("no device has a value for it. ", without.empty() ? "" : without[0]));
  const int64_t compared = s.options.devices.count() - static_cast<int64_t>(without.size());
  const bool same = groups.size() == 1;
  if (same) {
    s.Say(args, ": the same bits on ", without.empty() ? absl::StrCat("all ", Count(compared, "device")) : absl::StrJoin(groups[0].names, ", "), "\n");
  } else {
    s.Say(args, ": ", groups.size(), " different values\n");
    for (const Group& group : groups) s.Say("  ", absl::StrJoin(group.names, ", "), &group == &groups[0] ? "" : absl::StrCat(": ", DifferenceText(group.value, groups[0])), "\n");
  }
  for (const std::string& text_of : without) s.Say("  not compared: ", text_of, "\n");
  // Like an expect: a script goes on, and ends with status 1.
  s.expects.push_back({absl::StrCat("compare replicas ", args), same, same ? "" : absl::StrCat(groups[1].names[0], ": ", DifferenceText(groups[1].value, groups[0]))});
  return absl::OkStatus();
}

}  // namespace hloscope
