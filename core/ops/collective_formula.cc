#include "core/ops/collective_formula.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/element/index_letter.h"
#include "core/ir/written_names.h"
#include "core/ops/collectives.h"
#include "core/ops/device_groups.h"
#include "core/ops/exchange_def.h"
#include "core/ops/reducer.h"

namespace hloscope {
namespace {

constexpr size_t kMostListed = 16;  // numbers of devices in a formula

absl::string_view NumbersWord(GroupMode mode) {
  switch (mode) {
    case GroupMode::kReplicas: return "replicas";
    case GroupMode::kPartitions: return "partitions";
    case GroupMode::kReplicasTogether: return "replicas with all of their partitions";
    case GroupMode::kFlattened: return "devices";
  }
  return "";
}

std::string Braced(const std::vector<int64_t>& group) { return absl::StrCat("{", absl::StrJoin(group, ","), "}"); }

// "all 4 replicas", "the replicas {0,2}", "its group of replicas, {0,2} or {1,3}".
std::string GroupWords(const Instruction& i) {
  const DeviceGroups groups = GroupsOf(i);
  const absl::string_view word = NumbersWord(groups.mode);
  if (groups.all || groups.written.empty()) {
    const int64_t count = NumbersOf(groups.mode, groups.replicas, groups.partitions);
    return absl::StrCat("all ", groups.counts_known && groups.readable ? absl::StrCat(count, " ") : "", word);
  }
  size_t numbers = 0;
  for (const std::vector<int64_t>& group : groups.written) numbers += group.size();
  if (numbers > kMostListed) return absl::StrCat("its group of ", groups.written[0].size(), " ", word, " in ", i.Text(AttrId::kReplicaGroups));
  if (groups.written.size() == 1) return absl::StrCat("the ", word, " ", Braced(groups.written[0]));
  std::vector<std::string> all;
  for (const std::vector<int64_t>& group : groups.written) all.push_back(Braced(group));
  const std::string last = all.back();
  all.pop_back();
  return absl::StrCat("its group of ", word, ", ", absl::StrJoin(all, ", "), " or ", last);
}

// The letters of an array's dimensions in brackets, one of them as `write` has it; nothing of a scalar.
std::string Indices(int rank, int dim = -1, const std::function<std::string(const std::string&)>& write = nullptr) {
  std::vector<std::string> letters;
  for (int d = 0; d < rank; ++d) letters.push_back(d == dim ? write(IndexLetter(d)) : IndexLetter(d));
  return rank == 0 ? "" : absl::StrCat("[", absl::StrJoin(letters, ", "), "]");
}

int DimensionOf(const Instruction& i) { return i.Ints(AttrId::kDimensions).empty() ? 0 : static_cast<int>(i.Ints(AttrId::kDimensions)[0]); }

// "sum", or "fold with f" where the reducer is not one operation that may go in any order.
std::string ReducerWords(const Instruction& i) {
  const Computation* reducer = i.Called(AttrId::kToApply);
  if (reducer == nullptr) return "fold";
  const std::optional<ScalarOp> op = SimpleReducer(*reducer);
  if (!op) return absl::StrCat("fold with ", absl::string_view(reducer->name));
  return *op == ScalarOp::kAdd ? "sum" : *op == ScalarOp::kMultiply ? "product" : std::string(Name(*op));
}

// A line for each operand: "out", or "out0", "out1".
std::string Lines(const Instruction& i, const std::function<std::string(absl::string_view out, const Instruction& operand)>& line) {
  std::vector<std::string> lines;
  for (size_t k = 0; k < i.operands.size(); ++k) lines.push_back(line(i.operands.size() == 1 ? "out" : absl::StrCat("out", k), *i.operands[k]));
  return absl::StrJoin(lines, "\n");
}

std::string Names(absl::Span<Instruction* const> operands) {
  std::vector<std::string> names;
  for (const Instruction* operand : operands) names.push_back(ShownName(*operand));
  return absl::StrJoin(names, ", ");
}

}  // namespace

std::string AllReduceFormula(const Instruction& i) {
  return Lines(i, [&](absl::string_view out, const Instruction& x) {
    const std::string at = Indices(x.shape.rank());
    return absl::StrCat(out, at, " = ", ReducerWords(i), " over d in ", GroupWords(i), ": ", ShownName(x), at, " on d");
  });
}

std::string AllGatherFormula(const Instruction& i) {
  const int dim = DimensionOf(i);
  return Lines(i, [&](absl::string_view out, const Instruction& x) {
    const int64_t size = dim < x.shape.rank() ? x.shape.dim(dim) : 1;
    const std::string from = Indices(x.shape.rank(), dim, [&](const std::string& at) { return absl::StrCat(at, " mod ", size); });
    return absl::StrCat(out, Indices(x.shape.rank()), " = ", ShownName(x), from, " on member ", IndexLetter(dim), " / ", size, " of ", GroupWords(i));
  });
}

std::string ReduceScatterFormula(const Instruction& i) {
  const int dim = DimensionOf(i);
  return Lines(i, [&](absl::string_view out, const Instruction& x) {
    const int64_t members = std::max<int64_t>(ParticipantCount(i), 1), size = dim < x.shape.rank() ? x.shape.dim(dim) / members : 1;
    const std::string from = Indices(x.shape.rank(), dim, [&](const std::string& at) { return absl::StrCat(size, " * member + ", at); });
    return absl::StrCat(out, Indices(x.shape.rank()), " on each member = ", ReducerWords(i), " over d in ", GroupWords(i), ": ", ShownName(x), from, " on d");
  });
}

std::string AllToAllFormula(const Instruction& i) {
  if (i.Ints(AttrId::kDimensions).empty()) {
    return absl::StrCat("out.from on member to = (", Names(i.operands), ").to on member from of ", GroupWords(i));
  }
  const int dim = DimensionOf(i);
  return Lines(i, [&](absl::string_view out, const Instruction& x) {
    const int64_t members = std::max<int64_t>(ParticipantCount(i), 1), size = std::max<int64_t>(dim < x.shape.rank() ? x.shape.dim(dim) / members : 1, 1);
    const std::string from = Indices(x.shape.rank(), dim, [&](const std::string& at) { return absl::StrCat(size, " * member + ", at, " mod ", size); });
    return absl::StrCat(out, Indices(x.shape.rank()), " on each member = ", ShownName(x), from, " on member ", IndexLetter(dim), " / ", size, " of ", GroupWords(i));
  });
}

std::string RaggedAllToAllFormula(const Instruction& i) {
  if (i.operands.size() < 5) return "";
  std::vector<std::string> x;
  for (const Instruction* operand : i.operands) x.push_back(ShownName(*operand));
  const int64_t blocks = i.operands[2]->shape.IsArray() && i.operands[2]->shape.rank() > 0 ? i.operands[2]->shape.dim(0) : 1;
  const int64_t each = std::max<int64_t>(blocks / std::max<int64_t>(ParticipantCount(i), 1), 1);
  return absl::StrCat("out[", x[4], "[b] + r] on member b", each > 1 ? absl::StrCat(" / ", each) : "", " = ", x[0], "[", x[2], "[b] + r] for r < ", x[3], "[b], from each of ", GroupWords(i), "; elsewhere ",
                      x[1]);
}

std::string CollectiveBroadcastFormula(const Instruction& i) {
  const std::string of = absl::StrCat(" of ", GroupWords(i), GroupsOf(i).missing.empty() ? "" : "; 0 on a device of no group");
  if (!HasDynamicRoot(i) || i.operands.size() < 2) return absl::StrCat("out = ", Names(i.operands), " on member 0", of);
  // The last operand has a member's number for each of the others.
  std::vector<std::string> lines;
  const size_t sent = i.operands.size() - 1;
  for (size_t k = 0; k < sent; ++k) {
    lines.push_back(absl::StrCat("out", sent == 1 ? "" : absl::StrCat(k), " = ", ShownName(*i.operands[k]), " on member ", ShownName(*i.operands.back()), "[", k, "]", of));
  }
  return absl::StrJoin(lines, "\n");
}

std::string CollectivePermuteFormula(const Instruction& i) {
  const DeviceGroups groups = GroupsOf(i);
  const absl::Span<Instruction* const> sent = i.operands;
  const std::string x = Names(sent);
  const absl::string_view word = NumbersWord(groups.mode);
  std::string text;
  const auto* pairs = PairsOf(i);
  if (pairs == nullptr || pairs->empty()) return "out = 0";
  if (2 * pairs->size() > kMostListed) {
    text = absl::StrCat("out on target = ", x, " on source, for each of ", pairs->size(), " pairs of ", word);
  } else {
    for (const auto& [source, target] : *pairs) absl::StrAppend(&text, text.empty() ? "out" : ",", " on ", target, " = ", x, " on ", source);
    absl::StrAppend(&text, " (", word, ")");
  }
  const bool all = groups.counts_known && static_cast<int64_t>(pairs->size()) >= NumbersOf(groups.mode, groups.replicas, groups.partitions);
  return absl::StrCat(text, all ? "" : "; 0 elsewhere");
}

}  // namespace hloscope
