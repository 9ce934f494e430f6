#include "core/ops/collectives_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/collective_exchange.h"
#include "core/ops/collectives.h"
#include "core/ops/device_groups.h"
#include "core/ops/exchange_def.h"
#include "core/ops/reducer.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

// No device is in two groups, or twice in one.
bool CheckMembers(ShapeContext& c, absl::string_view label, const std::vector<std::vector<int64_t>>& groups) {
  std::vector<int64_t> members;
  for (const std::vector<int64_t>& group : groups) members.insert(members.end(), group.begin(), group.end());
  std::sort(members.begin(), members.end());
  const auto twice = std::adjacent_find(members.begin(), members.end());
  if (twice == members.end() && (members.empty() || members[0] >= 0)) return true;
  c.FailAttribute(AttrId::kReplicaGroups, label,
                  twice != members.end() ? absl::StrCat("device ", *twice, " is named twice") : absl::StrCat("there is no device ", members[0]));
  return false;
}

// Numbers over all devices tell partitions apart, which takes a channel.
bool CheckGlobalIds(ShapeContext& c) {
  if (!c.instruction().Bool(AttrId::kUseGlobalDeviceIds) || c.instruction().Int(AttrId::kChannelId) > 0) return true;
  c.FailAttribute(AttrId::kUseGlobalDeviceIds, HLO_LABEL("collective.global-device-ids"), "use_global_device_ids=true needs a channel_id, which is greater than 0",
                  "add channel_id=1, or leave use_global_device_ids out: then the groups name replicas");
  return false;
}

// Where every member of a group has the same part in the exchange, groups may differ in size.
bool CheckGroups(ShapeContext& c, absl::string_view label, bool any_sizes = false) {
  const absl::string_view text = absl::StripAsciiWhitespace(c.instruction().Text(AttrId::kReplicaGroups));
  const std::optional<std::vector<std::vector<int64_t>>> groups = text.empty() ? std::vector<std::vector<int64_t>>() : ReadGroups(text);
  if (!groups) {
    c.FailAttribute(AttrId::kReplicaGroups, label, absl::StrCat("replica_groups=", text, " cannot be read"),
                    absl::StrCat("write {{0,1},{2,3}}, or [2,2]<=[4] or [2,2]<=[2,2]T(1,0) with as many devices on both sides, at most ", kMostDevices));
    return false;
  }
  // {{}} is one group of all, as {} is; beside others an empty one means nothing.
  if (groups->size() > 1 && std::any_of(groups->begin(), groups->end(), [](const std::vector<int64_t>& group) { return group.empty(); })) {
    c.FailAttribute(AttrId::kReplicaGroups, label, absl::StrCat("there is an empty group among ", text),
                    "leave it out; replica_groups={} is one group of all devices");
    return false;
  }
  if (!any_sizes && GroupSizeOf(text) < 0) {
    c.FailAttribute(AttrId::kReplicaGroups, label, absl::StrCat("groups of one size are needed, not ", text));
    return false;
  }
  return CheckMembers(c, label, *groups) && CheckGlobalIds(c);
}

Shape OneOrTuple(std::vector<Shape> shapes) { return shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes)); }

std::vector<Shape> PlainOperands(const ShapeContext& c) {
  std::vector<Shape> shapes;
  for (int k = 0; k < c.operand_count(); ++k) shapes.push_back(c.operand(k).WithoutLayouts());
  return shapes;
}

std::optional<int> OneDimension(ShapeContext& c, absl::string_view label) {
  const auto dims = c.instruction().Ints(AttrId::kDimensions);
  if (dims.size() != 1 || dims[0] < 0 || dims[0] >= c.operand(0).rank()) {
    return c.FailAttribute(AttrId::kDimensions, label,
                           absl::StrCat("one dimension of ", TypeText(c.operand(0)), " is needed, not ", ListText(dims)));
  }
  return static_cast<int>(dims[0]);
}

// `written` is the array that result k was written as, if any.
std::optional<std::vector<Shape>> GatheredShapes(ShapeContext& c, const Shape& written) {
  if (!RequireArrays(c, HLO_LABEL("all-gather.operand-arrays")) || !CheckGroups(c, HLO_LABEL("all-gather.replica-groups")))
    return std::nullopt;
  const std::optional<int> dim = OneDimension(c, HLO_LABEL("all-gather.dimension"));
  if (!dim) return std::nullopt;
  int64_t group = KnownGroupSize(c.instruction());
  std::vector<Shape> shapes;
  for (int k = 0; k < c.operand_count(); ++k) {
    const Shape& s = c.operand(k);
    if (*dim >= s.rank()) {
      return c.FailOperand(k, HLO_LABEL("all-gather.operand-rank"),
                           absl::StrCat("operand ", k, " has no dimension ", *dim, ": ", TypeText(s)));
    }
    if (group == 0) {  // the groups do not say: take the factor that was written
      const Shape& w = written.IsTuple() && k < static_cast<int>(written.tuple_shapes().size()) ? written.tuple_shapes()[k] : written;
      group = w.IsArray() && w.rank() == s.rank() && s.dim(*dim) > 0 && w.dim(*dim) % s.dim(*dim) == 0
                  ? std::max<int64_t>(1, w.dim(*dim) / s.dim(*dim))
                  : 1;
    }
    DimensionList list;
    for (int d = 0; d < s.rank(); ++d) list.Add(d == *dim ? s.dim(d) * group : s.dim(d), s.is_dynamic(d));
    shapes.push_back(list.Build(s.element_type()));
  }
  return shapes;
}

// What a done operation takes, which is nothing but what its start gives.
bool CheckBegun(ShapeContext& c, Opcode start, absl::string_view label) {
  const Instruction& operand = *c.instruction().operands[0];
  if (operand.opcode == start) return true;
  c.FailOperand(0, label, absl::StrCat("the operand must be what ", Name(start), " gave, but ", ShownName(operand), " is made by ", Name(operand.opcode)));
  return false;
}

bool CheckPairs(ShapeContext& c) {
  const auto* pairs = PairsOf(c.instruction());
  if (pairs == nullptr) return true;
  if (!CheckGlobalIds(c)) return false;
  for (size_t a = 0; a < pairs->size(); ++a) {
    if ((*pairs)[a].first < 0 || (*pairs)[a].second < 0) {
      c.FailAttribute(AttrId::kSourceTargetPairs, HLO_LABEL("collective-permute.pairs"), "devices are numbered from 0");
      return false;
    }
    for (size_t b = 0; b < a; ++b) {
      const bool source = (*pairs)[a].first == (*pairs)[b].first;
      if (!source && (*pairs)[a].second != (*pairs)[b].second) continue;
      c.FailAttribute(AttrId::kSourceTargetPairs, HLO_LABEL("collective-permute.pairs"),
                      absl::StrCat("no two pairs may share a ", source ? "source" : "target", ", ",
                                   source ? (*pairs)[a].first : (*pairs)[a].second, " is there twice"));
      return false;
    }
  }
  return true;
}

std::optional<Shape> InferAllReduce(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("all-reduce.operand-arrays")) || !CheckGroups(c, HLO_LABEL("all-reduce.replica-groups"), true))
    return std::nullopt;
  for (int k = 0; k < c.operand_count(); ++k) {
    if (!CheckReducer(c, AttrId::kToApply, {c.operand(k).element_type()}, HLO_LABEL("all-reduce.reducer-signature"))) return std::nullopt;
  }
  return OneOrTuple(PlainOperands(c));
}

std::optional<Shape> InferAllGather(ShapeContext& c) {
  auto shapes = GatheredShapes(c, c.written());
  if (!shapes) return std::nullopt;
  return OneOrTuple(*shapes);
}

std::optional<Shape> InferAllGatherStart(ShapeContext& c) {
  const Shape written = c.written().IsTuple() && c.written().tuple_shapes().size() == 2 ? c.written().tuple_shapes()[1] : Shape();
  auto shapes = GatheredShapes(c, written);
  if (!shapes) return std::nullopt;
  return Shape::Tuple({OneOrTuple(PlainOperands(c)), OneOrTuple(*shapes)});
}

std::optional<Shape> InferSecondElement(ShapeContext& c) {
  const Shape& s = c.operand(0);
  if (!s.IsTuple() || s.tuple_shapes().size() < 2) {
    return c.FailOperand(0, HLO_LABEL("collective-done.operand-tuple"),
                         absl::StrCat("the operand must be what the start operation gave, (operand, result, ...), it is ", TypeText(s)));
  }
  const Opcode start = c.instruction().opcode == Opcode::kAllGatherDone ? Opcode::kAllGatherStart : Opcode::kCollectivePermuteStart;
  if (!CheckBegun(c, start, HLO_LABEL("collective-done.operand"))) return std::nullopt;
  return s.tuple_shapes()[1].WithoutLayouts();
}

std::optional<Shape> InferReduceScatter(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("reduce-scatter.operand-arrays")) || !CheckGroups(c, HLO_LABEL("reduce-scatter.replica-groups")))
    return std::nullopt;
  const std::optional<int> dim = OneDimension(c, HLO_LABEL("reduce-scatter.dimension"));
  if (!dim) return std::nullopt;
  for (int k = 0; k < c.operand_count(); ++k) {
    if (!CheckReducer(c, AttrId::kToApply, {c.operand(k).element_type()}, HLO_LABEL("reduce-scatter.reducer-signature"))) return std::nullopt;
  }
  int64_t group = KnownGroupSize(c.instruction());
  std::vector<Shape> shapes;
  for (int k = 0; k < c.operand_count(); ++k) {
    const Shape& s = c.operand(k);
    if (*dim >= s.rank()) {
      return c.FailOperand(k, HLO_LABEL("reduce-scatter.operand-rank"),
                           absl::StrCat("operand ", k, " has no dimension ", *dim, ": ", TypeText(s)));
    }
    if (group == 0) {
      const Shape& w =
          c.written().IsTuple() && k < static_cast<int>(c.written().tuple_shapes().size()) ? c.written().tuple_shapes()[k] : c.written();
      group = w.IsArray() && w.rank() == s.rank() && w.dim(*dim) > 0 && s.dim(*dim) % w.dim(*dim) == 0
                  ? std::max<int64_t>(1, s.dim(*dim) / w.dim(*dim))
                  : 1;
    }
    if (s.dim(*dim) % group != 0) {
      return c.FailOperand(k, HLO_LABEL("reduce-scatter.divisible"),
                           absl::StrCat("dimension ", *dim, " of ", TypeText(s), " must be divisible by the group's size ", group));
    }
    DimensionList list;
    for (int d = 0; d < s.rank(); ++d) list.Add(d == *dim ? s.dim(d) / group : s.dim(d), s.is_dynamic(d));
    shapes.push_back(list.Build(s.element_type()));
  }
  return OneOrTuple(shapes);
}

std::optional<Shape> InferAllToAll(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("all-to-all.operand-arrays")) || !CheckGroups(c, HLO_LABEL("all-to-all.replica-groups")))
    return std::nullopt;
  const int64_t group = KnownGroupSize(c.instruction());
  if (!c.instruction().Has(AttrId::kDimensions)) {
    for (int k = 1; k < c.operand_count(); ++k) {
      if (Shape::Compatible(c.operand(k), c.operand(0))) continue;
      return c.FailOperand(k, HLO_LABEL("all-to-all.same-shapes"),
                           absl::StrCat("all operands must be alike: operand 0 is ", TypeText(c.operand(0)), ", operand ", k, " is ",
                                        TypeText(c.operand(k))));
    }
    if (group > 0 && group != c.operand_count()) {
      return c.Fail(HLO_LABEL("all-to-all.operand-count"),
                    absl::StrCat("one operand a device of the group (", group, ") is needed, there are ", c.operand_count()));
    }
    return Shape::Tuple(PlainOperands(c));
  }
  const std::optional<int> dim = OneDimension(c, HLO_LABEL("all-to-all.dimension"));
  if (!dim) return std::nullopt;
  if (group > 0 && c.operand(0).dim(*dim) % group != 0) {
    return c.FailOperand(
        0, HLO_LABEL("all-to-all.divisible"),
        absl::StrCat("dimension ", *dim, " of ", TypeText(c.operand(0)), " must be divisible by the group's size ", group));
  }
  return OneOrTuple(PlainOperands(c));
}

std::optional<Shape> InferRaggedAllToAll(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("ragged-all-to-all.operand-arrays")) || !CheckGroups(c, HLO_LABEL("ragged-all-to-all.replica-groups")))
    return std::nullopt;
  const Shape& input = c.operand(0);
  const Shape& output = c.operand(1);
  bool fits = input.element_type() == output.element_type() && input.rank() == output.rank() && input.rank() > 0;
  for (int d = 1; fits && d < input.rank(); ++d) fits = input.dim(d) == output.dim(d);
  if (!fits) {
    return c.FailOperand(1, HLO_LABEL("ragged-all-to-all.output-like-input"),
                         absl::StrCat("input and output must agree in type, rank and all dimensions but the first, they are ", TypeText(input),
                                      " and ", TypeText(output)));
  }
  for (int k = 2; k < 6; ++k) {
    if (c.operand(k).rank() >= 1 && IsInteger(c.operand(k).element_type()) && Shape::SameDimensions(c.operand(k), c.operand(2))) continue;
    return c.FailOperand(
        k, HLO_LABEL("ragged-all-to-all.offsets"),
        absl::StrCat("offsets and sizes must be integer arrays of equal dimensions, operand ", k, " is ", TypeText(c.operand(k))));
  }
  const int64_t group = KnownGroupSize(c.instruction());
  if (group > 0 && c.operand(2).dim(0) % group != 0) {
    return c.FailOperand(2, HLO_LABEL("ragged-all-to-all.offsets-divisible"),
                         absl::StrCat("offsets and sizes have as many entries for each of the group's ", group, " devices, so ",
                                      TypeText(c.operand(2)), " does not fit"));
  }
  return output.WithoutLayouts();
}

std::optional<Shape> InferCollectivePermute(ShapeContext& c) {
  if (!CheckPairs(c)) return std::nullopt;
  if (c.operand_count() > 1 && PermutesIntoBuffer(c.operand_count(), c.operand(1), c.written())) return c.operand(1).WithoutLayouts();
  return OneOrTuple(PlainOperands(c));
}

std::optional<Shape> InferCollectivePermuteStart(ShapeContext& c) {
  if (!CheckPairs(c)) return std::nullopt;
  const bool written = c.written().IsTuple() && c.written().tuple_shapes().size() > 1;
  const bool into_buffer = c.operand_count() > 1 && PermutesIntoBuffer(c.operand_count(), c.operand(1), written ? c.written().tuple_shapes()[1] : Shape());
  const Shape operand = into_buffer ? c.operand(0).WithoutLayouts() : OneOrTuple(PlainOperands(c));
  std::vector<Shape> shapes = {operand, into_buffer ? c.operand(1).WithoutLayouts() : operand};
  // Contexts, as many as were written, are u32 or s32 scalars.
  if (c.written().IsTuple()) {
    for (size_t k = 2; k < c.written().tuple_shapes().size(); ++k) shapes.push_back(c.written().tuple_shapes()[k].WithoutLayouts());
  }
  return Shape::Tuple(shapes);
}

std::optional<Shape> InferCollectiveBroadcast(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("collective-broadcast.operand-arrays")) || !CheckGroups(c, HLO_LABEL("collective-broadcast.replica-groups"), true))
    return std::nullopt;
  std::vector<Shape> shapes = PlainOperands(c);
  if (HasDynamicRoot(c.instruction())) {
    const Shape roots = shapes.back();
    shapes.pop_back();
    if (shapes.empty() || roots.rank() != 1 || !IsInteger(roots.element_type()) || roots.dim(0) != static_cast<int64_t>(shapes.size())) {
      return c.FailOperand(c.operand_count() - 1, HLO_LABEL("collective-broadcast.root"),
                           absl::StrCat("the last operand names the member that sends each of the others: an integer vector of as many, not ", TypeText(roots)));
    }
  }
  return OneOrTuple(std::move(shapes));
}

std::optional<Shape> InferAllReduceDone(ShapeContext& c) {
  if (!CheckBegun(c, Opcode::kAllReduceStart, HLO_LABEL("all-reduce-done.operand"))) return std::nullopt;
  return c.operand(0).WithoutLayouts();
}

struct Rule {
  Opcode opcode;
  std::optional<Shape> (*infer)(ShapeContext&);
};
constexpr Rule kRules[] = {
    {Opcode::kAllReduce, InferAllReduce},
    {Opcode::kAllReduceStart, InferAllReduce},
    {Opcode::kAllReduceDone, InferAllReduceDone},
    {Opcode::kAllGather, InferAllGather},
    {Opcode::kAllGatherStart, InferAllGatherStart},
    {Opcode::kAllGatherDone, InferSecondElement},
    {Opcode::kReduceScatter, InferReduceScatter},
    {Opcode::kAllToAll, InferAllToAll},
    {Opcode::kRaggedAllToAll, InferRaggedAllToAll},
    {Opcode::kCollectiveBroadcast, InferCollectiveBroadcast},
    {Opcode::kCollectivePermute, InferCollectivePermute},
    {Opcode::kCollectivePermuteStart, InferCollectivePermuteStart},
    {Opcode::kCollectivePermuteDone, InferSecondElement},
};

}  // namespace

void DefineCollectivesRules(OpRegistry& r) {
  for (const Rule& rule : kRules) r.Define(rule.opcode).infer = rule.infer;
}

}  // namespace hloscope
