// Collectives: all-reduce and its kin. `evaluate` has the meaning that they have on one device; among several the Machine asks an exchange
// (core/exec/exchange.h), whose meaning is in collective_exchange.h. Their shape rules are in collectives_rules.cc.
#include "core/ops/collectives.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/collective_exchange.h"
#include "core/ops/collectives_rules.h"
#include "core/ops/device_groups.h"
#include "core/ops/exchange_def.h"
#include "core/ops/leaf_flow.h"
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

}  // namespace

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

namespace {

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

OpDef& Collective(OpRegistry& r, Opcode opcode, std::vector<AttrSpec> attributes, absl::StatusOr<Value> (*evaluate)(const EvalContext&),
                  absl::string_view summary, absl::string_view doc) {
  OpDef& d = r.Define(opcode);
  d.op_class = OpClass::kOpaque;
  d.min_operands = 1;
  d.max_operands = -1;
  d.attributes = std::move(attributes);
  for (AttrId id : {AttrId::kChannelId, AttrId::kReplicaGroups, AttrId::kUseGlobalDeviceIds, AttrId::kConstrainLayout})
    d.attributes.push_back({id});
  d.evaluate = evaluate;
  d.reach = ReachOfCollective;
  d.opaque_reason = kReason;
  d.summary = summary;
  d.doc = doc;
  d.spec = kSpec;
  return d;
}

OpDef& Done(OpRegistry& r, Opcode opcode, absl::StatusOr<Value> (*evaluate)(const EvalContext&)) {
  OpDef& d = r.Define(opcode);
  d.op_class = OpClass::kStructural;
  d.movement = Movement::kMove;
  d.min_operands = d.max_operands = 1;
  d.attributes = {{AttrId::kChannelId}};
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
  DefineCollectivesRules(r);
  const absl::string_view all_reduce =
      "Every device of a group gets the reduction of all members' arrays, element by element. `replica_groups` lists the groups by device; "
      "an empty "
      "list is one group of all. In a group of one it is the identity. Arrays are reduced in the order of the group." HLO_ORDER_OF_REPLICAS_TOGETHER;
  Collective(r, Opcode::kAllReduce, {{AttrId::kToApply, true}}, EvaluateIdentity,
             "reduces arrays across the devices of a group", all_reduce);
  Collective(r, Opcode::kAllReduceStart, {{AttrId::kToApply, true}}, EvaluateIdentity, "begins an all-reduce", all_reduce);
  Done(r, Opcode::kAllReduceDone, EvaluateSame);
  const absl::string_view all_gather =
      "Every device of a group gets the members' arrays concatenated in group order along the one dimension given. In a group of one it is "
      "the identity." HLO_ORDER_OF_REPLICAS_TOGETHER;
  Collective(r, Opcode::kAllGather, {{AttrId::kDimensions, true}}, EvaluateIdentity,
             "concatenates the arrays of a group's devices", all_gather);
  Collective(r, Opcode::kAllGatherStart, {{AttrId::kDimensions, true}}, EvaluateAllGatherStart, "begins an all-gather",
             all_gather);
  Done(r, Opcode::kAllGatherDone, EvaluateSecond);
  Collective(r, Opcode::kReduceScatter, {{AttrId::kDimensions, true}, {AttrId::kToApply, true}}, EvaluateIdentity,
             "reduces across a group and leaves one block on each device",
             "Like all-reduce, but the result is cut along the dimension into as many blocks as the group has members, and member i keeps "
             "block i." HLO_ORDER_OF_REPLICAS_TOGETHER);
  Collective(
      r, Opcode::kAllToAll, {{AttrId::kDimensions}, {AttrId::kSplitDimension}}, EvaluateAllToAll,
      "each device sends one block to each other device",
      "The operand is cut into as many blocks along the dimension as the group has members; block j goes to member j, and what arrives is "
      "concatenated along the same dimension in group order. Without `dimensions` the blocks are separate operands and results. "
      "With `frontend_attributes={split_count=\"N\"}` (StableHLO's split_count) a group of another number of devices is an error when it runs.");
  Collective(r, Opcode::kCollectiveBroadcast, {}, EvaluateBroadcast,
             "the first device of each group sends its array to the others",
             "Every member of a group gets the array of the group's first member; with `frontend_attributes={has_dynamic_root=\"true\"}` the last operand says of which one. A device "
             "in no group gets zeros.");
  OpDef& ragged = Collective(r, Opcode::kRaggedAllToAll, {}, EvaluateRaggedAllToAll, "an all-to-all whose blocks differ in size",
                             "Operands: input, output to be updated, input offsets, send sizes, output offsets, receive sizes. Entry b of the "
                             "vectors stands for one block of rows: `send sizes[b]` rows from `input offsets[b]` of the input go to "
                             "`output offsets[b]` of the receiver's output, which elsewhere stays as it was. The receive sizes say the same from the "
                             "other side. Rows outside of either array, and sizes that contradict each other, are errors when it runs.");
  ragged.reach = ReachOfRagged;
  ragged.min_operands = ragged.max_operands = 6;
  const absl::string_view permute =
      "Each pair of `source_target_pairs` sends the source's array to the target. A device that is no target gets zeros. XLA's form that writes "
      "parts of a buffer (four operands and `slice_sizes`) is read, and not executed.";
  Collective(r, Opcode::kCollectivePermute, {{AttrId::kSourceTargetPairs, true}, {AttrId::kSliceSizes}}, EvaluatePermute,
             "sends arrays from device to device", permute);
  Collective(r, Opcode::kCollectivePermuteStart, {{AttrId::kSourceTargetPairs, true}, {AttrId::kSliceSizes}}, EvaluatePermuteStart,
             "begins a collective-permute", permute);
  Done(r, Opcode::kCollectivePermuteDone, EvaluateSecond);
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
