// Collectives: all-reduce and its kin. Rules for any number of devices, and `evaluate` with the meaning they have on one; among several the
// Machine asks an exchange (core/exec/exchange.h), whose meaning is in collective_exchange.h.
#include "core/ops/collectives.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/ir/written_names.h"
#include "core/ops/collective_exchange.h"
#include "core/ops/device_groups.h"
#include "core/ops/exchange_def.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/reducer.h"
#include "core/ops/rules.h"
#include "core/ops/typed.h"
#include "core/ops/zeros.h"

namespace hloscope {

int64_t GroupSizeOf(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return 0;
  const std::optional<std::vector<std::vector<int64_t>>> groups = ReadGroups(text);
  if (!groups) return -1;
  int64_t size = 0;
  for (const std::vector<int64_t>& group : *groups) {
    if (size > 0 && !group.empty() && static_cast<int64_t>(group.size()) != size) return -1;
    if (!group.empty()) size = static_cast<int64_t>(group.size());
  }
  return size;
}

namespace {

int64_t GroupSize(const Instruction& i, int64_t replicas, int64_t partitions) {
  const GroupMode mode = GroupModeOf(i);
  const int64_t written = GroupSizeOf(i.Text(AttrId::kReplicaGroups));
  return DevicesOf(mode, written > 0 ? written : NumbersOf(mode, replicas, partitions), partitions);
}

// Group size for shape rules: 0 when it cannot be known from the instruction and its module.
int64_t KnownGroupSize(const Instruction& i) {
  const std::optional<int64_t> replicas = HeaderCount(i, "replica_count"), partitions = HeaderCount(i, "num_partitions");
  const GroupMode mode = GroupModeOf(i);
  const int64_t written = GroupSizeOf(i.Text(AttrId::kReplicaGroups));
  if (written < 0) return 0;
  const bool by_partitions = mode == GroupMode::kPartitions || (written > 0 && mode == GroupMode::kReplicasTogether);
  const bool says_all = written > 0 && mode != GroupMode::kReplicasTogether;
  if (!says_all && !(by_partitions ? partitions : replicas)) return 0;
  return GroupSize(i, replicas.value_or(1), partitions.value_or(1));
}

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

std::optional<Shape> InferAllReduce(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("all-reduce.operand-arrays")) || !CheckGroups(c, HLO_LABEL("all-reduce.replica-groups"), true))
    return std::nullopt;
  for (int k = 0; k < c.operand_count(); ++k) {
    if (!CheckReducer(c, AttrId::kToApply, {c.operand(k).element_type()}, HLO_LABEL("all-reduce.reducer-signature"))) return std::nullopt;
  }
  return OneOrTuple(PlainOperands(c));
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

// What a done operation takes, which is nothing but what its start gives.
bool CheckBegun(ShapeContext& c, Opcode start, absl::string_view label) {
  const Instruction& operand = *c.instruction().operands[0];
  if (operand.opcode == start) return true;
  c.FailOperand(0, label, absl::StrCat("the operand must be what ", Name(start), " gave, but ", ShownName(operand), " is made by ", Name(operand.opcode)));
  return false;
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

std::optional<Shape> InferBroadcast(ShapeContext& c) {
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

std::optional<Shape> InferId(ShapeContext& c) { return Shape::Scalar(ElementType::kU32); }

// -- On one device --

absl::Status OneDevice(const Instruction& i) {
  const int64_t n = ParticipantCount(i);
  if (n <= 1) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(Name(i.opcode), " exchanges data among ", n, " devices; this run has one replica and one partition", kSayOtherwise));
}

Value Retyped(const Value& v, const Shape& shape) { return v.shape().IsArray() && shape.IsArray() ? v.WithShape(shape) : v; }

// All operands as the result: an array, or a tuple of them. A result of another size was written for more devices than there are.
absl::StatusOr<Value> Operands(const EvalContext& c, const Shape& shape) {
  const bool several = shape.IsTuple() && !(c.operands.size() == 1 && c.operands[0].shape().IsTuple());
  for (size_t k = 0; k < (several ? c.operands.size() : 1); ++k) {
    const Shape& wanted = several ? shape.tuple_shapes()[k] : shape;
    if (SameUpToDynamic(c.operands[k].shape(), wanted)) continue;
    return absl::UnimplementedError(
        absl::StrCat(Name(c.instruction.opcode), " gives ", TypeText(wanted), " for ", TypeText(c.operands[k].shape()),
                     ", which takes several devices; this run has one replica and one partition", kSayOtherwise));
  }
  if (!shape.IsTuple() || (c.operands.size() == 1 && c.operands[0].shape().IsTuple())) return Retyped(c.operands[0], shape);
  std::vector<Value> elements;
  for (size_t k = 0; k < c.operands.size(); ++k) elements.push_back(Retyped(c.operands[k], shape.tuple_shapes()[k]));
  return Value::Tuple(shape, std::move(elements));
}

absl::StatusOr<Value> EvaluateIdentity(const EvalContext& c) {
  if (absl::Status s = OneDevice(c.instruction); !s.ok()) return s;
  return Operands(c, c.instruction.shape);
}

// The one device is the root of its group.
absl::StatusOr<Value> EvaluateBroadcast(const EvalContext& c) {
  if (!HasDynamicRoot(c.instruction)) return EvaluateIdentity(c);
  if (absl::Status s = OneDevice(c.instruction); !s.ok()) return s;
  for (int64_t k = 0; k < c.operands.back().element_count(); ++k) {
    const int64_t root = LoadIntAt(c.operands.back().shape().element_type(), c.operands.back().data(), k);
    if (root != 0) return absl::InvalidArgumentError(absl::StrCat("the root of operand ", k, " is member ", root, " of a group of 1"));
  }
  const EvalContext data{c.instruction, c.operands.subspan(0, c.operands.size() - 1), c.account};
  return Operands(data, c.instruction.shape);
}

// The device sends to itself.
absl::StatusOr<Value> EvaluateRaggedAllToAll(const EvalContext& c) {
  if (absl::Status s = OneDevice(c.instruction); !s.ok()) return s;
  const std::vector<std::vector<Value>> brought = {std::vector<Value>(c.operands.begin(), c.operands.end())};
  absl::StatusOr<std::vector<Value>> results = ExchangeRaggedAllToAll({c.instruction, brought, {}, c.account});
  if (!results.ok()) return results.status();
  return Retyped((*results)[0], c.instruction.shape);
}

absl::StatusOr<Value> EvaluateAllToAll(const EvalContext& c) {
  if (c.operands.size() > 1) {
    return absl::UnimplementedError(absl::StrCat(Name(c.instruction.opcode), " exchanges data among ", c.operands.size(),
                                                 " devices, one for each operand; this run has one replica and one partition",
                                                 kSayOtherwise));
  }
  if (absl::Status s = CheckSplitCount(c.instruction, 1); !s.ok()) return absl::Status(s.code(), absl::StrCat(s.message(), kSayOtherwise));
  return EvaluateIdentity(c);
}

absl::StatusOr<Value> EvaluateAllGatherStart(const EvalContext& c) {
  if (absl::Status s = OneDevice(c.instruction); !s.ok()) return s;
  auto a = Operands(c, c.instruction.shape.tuple_shapes()[0]);
  auto b = Operands(c, c.instruction.shape.tuple_shapes()[1]);
  if (!a.ok()) return a.status();
  if (!b.ok()) return b.status();
  return Value::Tuple(c.instruction.shape, {*a, *b});
}

absl::StatusOr<Value> Permuted(const EvalContext& c, const Shape& shape) {
  const auto& operands = c.instruction.operands;
  if (operands.size() > 1 && PermutesIntoBuffer(operands.size(), operands[1]->shape, shape)) {
    return absl::UnimplementedError(absl::StrCat(Name(c.instruction.opcode), " into parts of a buffer (slice_sizes) is not executed; write it as dynamic-slice, ", Name(c.instruction.opcode), " and dynamic-update-slice"));
  }
  const auto* pairs = PairsOf(c.instruction);
  for (const auto& [source, target] : pairs ? *pairs : std::vector<std::pair<int64_t, int64_t>>()) {
    if (source == 0 && target == 0) return Operands(c, shape);
    if (source == 0 || target == 0) {
      return absl::UnimplementedError(absl::StrCat(Name(c.instruction.opcode), " sends from device ", source, " to device ", target,
                                                   "; this run has one replica and one partition", kSayOtherwise));
    }
  }
  return Zeros(shape, c.account);  // no target of any pair
}

absl::StatusOr<Value> EvaluatePermute(const EvalContext& c) { return Permuted(c, c.instruction.shape); }

absl::StatusOr<Value> EvaluatePermuteStart(const EvalContext& c) {
  const Shape& shape = c.instruction.shape;
  auto a = Operands(c, shape.tuple_shapes()[0]);
  auto b = Permuted(c, shape.tuple_shapes()[1]);
  if (!a.ok()) return a.status();
  if (!b.ok()) return b.status();
  std::vector<Value> elements = {*a, *b};
  for (size_t k = 2; k < shape.tuple_shapes().size(); ++k) elements.push_back(Zeros(shape.tuple_shapes()[k], c.account));
  return Value::Tuple(shape, std::move(elements));
}

absl::StatusOr<Value> EvaluateSame(const EvalContext& c) { return c.operands[0]; }
absl::StatusOr<Value> EvaluateSecond(const EvalContext& c) { return c.operands[0].elements()[1]; }
absl::StatusOr<Value> EvaluateId(const EvalContext& c) { return Value::Scalar<uint32_t>(ElementType::kU32, 0); }

// Array k of the operands becomes array k of the result, after the operands themselves where a start operation gives both. With several
// devices the other members' arrays play a part that is not told here, and where this device's goes depends on which one it is.
std::vector<Reach> ReachOfCollective(const ReachQuestion& q) {
  const Instruction& i = q.instruction;
  int array = q.operand_leaf, arrays = 0;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    const int leaves = LeafCountOf(i.operands[k]->shape);
    if (static_cast<int>(k) < q.operand) array += leaves;
    arrays += leaves;
  }
  if (i.opcode == Opcode::kCollectiveBroadcast && HasDynamicRoot(i) && q.operand + 1 == static_cast<int>(i.operands.size())) {
    Reach root = q.Whole(Reach::Kind::kDecides);
    root.relation.Is(IndexRelation::From(0), q.leaf);
    return {root};
  }
  const bool starts = (i.opcode == Opcode::kAllGatherStart || i.opcode == Opcode::kCollectivePermuteStart) && i.shape.IsTuple();
  if (starts && q.leaf < arrays) return q.leaf == array ? std::vector<Reach>{q.Same()} : std::vector<Reach>();
  if (starts && q.leaf >= 2 * arrays) return {};
  const bool exchanges_operands = i.opcode == Opcode::kAllToAll && arrays > 1;
  if (!exchanges_operands && (starts ? q.leaf - arrays : q.leaf) != array) return {};
  const bool permutes = i.opcode == Opcode::kCollectivePermute || i.opcode == Opcode::kCollectivePermuteStart;
  if (permutes) {
    Reach reach = q.Same();
    const auto* pairs = PairsOf(i);
    reach.exact = pairs != nullptr && pairs->size() == 1 && (*pairs)[0].first == (*pairs)[0].second && (*pairs)[0].first == 0;
    return {reach};
  }
  if (ParticipantCount(i) == 1) return {q.Same()};
  const bool reduces = i.opcode == Opcode::kAllReduce || i.opcode == Opcode::kAllReduceStart;
  if (reduces) return {q.Same(Reach::Kind::kValue)};
  const auto dims = i.Ints(AttrId::kDimensions);
  Reach reach = i.opcode == Opcode::kCollectiveBroadcast || dims.empty() ? q.Same(Reach::Kind::kValue) : q.Line(static_cast<int>(dims[0]), Reach::Kind::kValue);
  reach.exact = false;
  return {reach};
}

// Blocks of rows of the input, to places that the vectors say; the output elsewhere.
std::vector<Reach> ReachOfRagged(const ReachQuestion& q) {
  Reach reach = q.operand == 0 ? q.Line(0, Reach::Kind::kValue) : q.operand == 1 ? q.Same(Reach::Kind::kValue) : q.Whole(Reach::Kind::kDecides);
  reach.exact = false;
  return {reach};
}

constexpr absl::string_view kSpec = "operations.md: Across replicas";
constexpr absl::string_view kReason = "it exchanges data with other devices";

OpDef& Collective(OpRegistry& r, Opcode opcode, std::vector<AttrSpec> attributes, std::optional<Shape> (*infer)(ShapeContext&),
                  absl::StatusOr<Value> (*evaluate)(const EvalContext&), absl::string_view summary, absl::string_view doc) {
  OpDef& d = r.Define(opcode);
  d.op_class = OpClass::kOpaque;
  d.min_operands = 1;
  d.max_operands = -1;
  d.attributes = std::move(attributes);
  for (AttrId id : {AttrId::kChannelId, AttrId::kReplicaGroups, AttrId::kUseGlobalDeviceIds, AttrId::kConstrainLayout})
    d.attributes.push_back({id});
  d.infer = infer;
  d.evaluate = evaluate;
  d.reach = ReachOfCollective;
  d.opaque_reason = kReason;
  d.summary = summary;
  d.doc = doc;
  d.spec = kSpec;
  return d;
}

std::optional<Shape> InferAllReduceDone(ShapeContext& c) {
  if (!CheckBegun(c, Opcode::kAllReduceStart, HLO_LABEL("all-reduce-done.operand"))) return std::nullopt;
  return c.operand(0).WithoutLayouts();
}

OpDef& Done(OpRegistry& r, Opcode opcode, std::optional<Shape> (*infer)(ShapeContext&),
            absl::StatusOr<Value> (*evaluate)(const EvalContext&)) {
  OpDef& d = r.Define(opcode);
  d.op_class = OpClass::kStructural;
  d.movement = Movement::kMove;
  d.min_operands = d.max_operands = 1;
  d.attributes = {{AttrId::kChannelId}};
  d.infer = infer;
  d.evaluate = evaluate;
  d.summary = "waits for the collective that a start operation began";
  d.doc = "Takes the value of the start operation, waits until all devices have come to that, and gives the collective's result.";
  d.spec = kSpec;
  return d;
}

}  // namespace

int64_t ParticipantCount(const Instruction& i) {
  return GroupSize(i, HeaderCount(i, "replica_count").value_or(1), HeaderCount(i, "num_partitions").value_or(1));
}

const Instruction* FirstExchange(const Module& module) {
  if (module.entry == nullptr || module.entry->root == nullptr) return nullptr;
  absl::flat_hash_set<const Instruction*> needed = {module.entry->root};
  std::vector<const Instruction*> open = {module.entry->root};
  while (!open.empty()) {
    const Instruction* i = open.back();
    open.pop_back();
    for (const Instruction* operand : i->operands) {
      if (operand != nullptr && needed.insert(operand).second) open.push_back(operand);
    }
  }
  for (const Instruction* i : module.entry->schedule) {
    if (i->Has(AttrId::kReplicaGroups) && needed.contains(i) && ParticipantCount(*i) > 1) return i;
  }
  return nullptr;
}

std::string OptionsForDevices(const Instruction& exchange) {
  const DeviceGroups groups = GroupsOf(exchange);
  if (groups.mode == GroupMode::kFlattened) {  // numbers of devices: of a program that was partitioned
    const int64_t devices = groups.replicas * groups.partitions;
    return devices > 1 ? absl::StrCat("--partitions ", devices) : "";
  }
  const std::string replicas = groups.replicas > 1 ? absl::StrCat("--replicas ", groups.replicas) : "";
  if (groups.partitions <= 1) return replicas;
  return absl::StrCat(replicas, replicas.empty() ? "" : " ", "--partitions ", groups.partitions);
}

void DefineCollectives(OpRegistry& r) {
  const absl::string_view all_reduce =
      "Every device of a group gets the reduction of all members' arrays, element by element. `replica_groups` lists the groups by device; "
      "an empty "
      "list is one group of all. In a group of one it is the identity. Arrays are reduced in the order of the group." HLO_ORDER_OF_REPLICAS_TOGETHER;
  Collective(r, Opcode::kAllReduce, {{AttrId::kToApply, true}}, InferAllReduce, EvaluateIdentity,
             "reduces arrays across the devices of a group", all_reduce);
  Collective(r, Opcode::kAllReduceStart, {{AttrId::kToApply, true}}, InferAllReduce, EvaluateIdentity, "begins an all-reduce", all_reduce);
  Done(r, Opcode::kAllReduceDone, InferAllReduceDone, EvaluateSame);
  const absl::string_view all_gather =
      "Every device of a group gets the members' arrays concatenated in group order along the one dimension given. In a group of one it is "
      "the identity." HLO_ORDER_OF_REPLICAS_TOGETHER;
  Collective(r, Opcode::kAllGather, {{AttrId::kDimensions, true}}, InferAllGather, EvaluateIdentity,
             "concatenates the arrays of a group's devices", all_gather);
  Collective(r, Opcode::kAllGatherStart, {{AttrId::kDimensions, true}}, InferAllGatherStart, EvaluateAllGatherStart, "begins an all-gather",
             all_gather);
  Done(r, Opcode::kAllGatherDone, InferSecondElement, EvaluateSecond);
  Collective(r, Opcode::kReduceScatter, {{AttrId::kDimensions, true}, {AttrId::kToApply, true}}, InferReduceScatter, EvaluateIdentity,
             "reduces across a group and leaves one block on each device",
             "Like all-reduce, but the result is cut along the dimension into as many blocks as the group has members, and member i keeps "
             "block i." HLO_ORDER_OF_REPLICAS_TOGETHER);
  Collective(
      r, Opcode::kAllToAll, {{AttrId::kDimensions}, {AttrId::kSplitDimension}}, InferAllToAll, EvaluateAllToAll,
      "each device sends one block to each other device",
      "The operand is cut into as many blocks along the dimension as the group has members; block j goes to member j, and what arrives is "
      "concatenated along the same dimension in group order. Without `dimensions` the blocks are separate operands and results. "
      "With `frontend_attributes={split_count=\"N\"}` (StableHLO's split_count) a group of another number of devices is an error when it runs.");
  Collective(r, Opcode::kCollectiveBroadcast, {}, InferBroadcast, EvaluateBroadcast,
             "the first device of each group sends its array to the others",
             "Every member of a group gets the array of the group's first member; with `frontend_attributes={has_dynamic_root=\"true\"}` the last operand says of which one. A device "
             "in no group gets zeros.");
  OpDef& ragged = Collective(r, Opcode::kRaggedAllToAll, {}, InferRaggedAllToAll, EvaluateRaggedAllToAll, "an all-to-all whose blocks differ in size",
                             "Operands: input, output to be updated, input offsets, send sizes, output offsets, receive sizes. Entry b of the "
                             "vectors stands for one block of rows: `send sizes[b]` rows from `input offsets[b]` of the input go to "
                             "`output offsets[b]` of the receiver's output, which elsewhere stays as it was. The receive sizes say the same from the "
                             "other side. Rows outside of either array, and sizes that contradict each other, are errors when it runs.");
  ragged.reach = ReachOfRagged;
  ragged.min_operands = ragged.max_operands = 6;
  const absl::string_view permute =
      "Each pair of `source_target_pairs` sends the source's array to the target. A device that is no target gets zeros. XLA's form that writes "
      "parts of a buffer (four operands and `slice_sizes`) is read, and not executed.";
  Collective(r, Opcode::kCollectivePermute, {{AttrId::kSourceTargetPairs, true}, {AttrId::kSliceSizes}}, InferCollectivePermute, EvaluatePermute,
             "sends arrays from device to device", permute);
  Collective(r, Opcode::kCollectivePermuteStart, {{AttrId::kSourceTargetPairs, true}, {AttrId::kSliceSizes}}, InferCollectivePermuteStart, EvaluatePermuteStart,
             "begins a collective-permute", permute);
  Done(r, Opcode::kCollectivePermuteDone, InferSecondElement, EvaluateSecond);
  for (Opcode opcode : {Opcode::kReplicaId, Opcode::kPartitionId}) {
    OpDef& d = r.Define(opcode);
    d.op_class = OpClass::kOpaque;
    d.movement = Movement::kCreate;
    d.infer = InferId;
    d.evaluate = EvaluateId;
    d.opaque_reason = "it depends on the device that runs it";
    d.summary = opcode == Opcode::kReplicaId ? "the number of this replica" : "the number of this partition";
    d.doc = "A u32 scalar from 0 to the number of replicas (partitions) less one; 0 where only one runs.";
    d.spec = kSpec;
  }
}

}  // namespace hloscope
