// Operations between devices and with the world outside: collectives, send and recv, feeds, tokens.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ops/exchange_def.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {
namespace {

// dense<[[0, 1], [2, -1]]> as {{0,1},{2}}: -1 fills up short groups.
bool AddGroups(OpContext& c, Attributes& attributes) {
  const mlir::Attr* a = c.attr("replica_groups");
  if (a == nullptr) {
    attributes.push_back(c.Text(AttrId::kReplicaGroups, "{}"));
    return true;
  }
  if (absl::StrContains(a->raw, "mesh") || absl::StrContains(a->text, "mesh")) {
    c.Error(HLO_LABEL("stablehlo.mesh-groups"), absl::StrCat("the replica_groups of ", c.op.name, " are given by axes of a mesh, which are not read"),
            "write the groups out as rows of device numbers: replica_groups = dense<[[0, 1], [2, 3]]>");
    return false;
  }
  const auto rows = RowsOf(*a);
  if (!rows) {
    c.Error(HLO_LABEL("stablehlo.replica-groups"), "replica_groups must be rows of device numbers, dense<[[0, 1], [2, 3]]>");
    return false;
  }
  std::vector<std::string> groups;
  for (const std::vector<int64_t>& row : *rows) {
    std::vector<int64_t> members;
    std::copy_if(row.begin(), row.end(), std::back_inserter(members), [](int64_t id) { return id != -1; });
    if (!members.empty() || rows->size() > 1) groups.push_back(absl::StrCat("{", absl::StrJoin(members, ","), "}"));
  }
  attributes.push_back(c.Text(AttrId::kReplicaGroups, absl::StrCat("{", absl::StrJoin(groups, ","), "}")));
  return true;
}

void AddChannel(OpContext& c, Attributes& attributes) {
  if (const mlir::Attr* channel = c.attr("channel_handle")) {
    const int64_t id = IntField(*channel, "handle", 0);
    if (id > 0) attributes.push_back(IntAttribute(AttrId::kChannelId, id));
  } else if (const int64_t id = c.Int("channel_id", 0); id > 0) {
    attributes.push_back(IntAttribute(AttrId::kChannelId, id));
  }
  if (!c.Bool("use_global_device_ids", false)) return;
  if (std::none_of(attributes.begin(), attributes.end(), [](const Attribute& a) { return a.id == AttrId::kChannelId; })) {
    c.Error(HLO_LABEL("stablehlo.global-ids"), "use_global_device_ids needs a channel_handle whose handle is greater than 0");
  }
  attributes.push_back(IntAttribute(AttrId::kUseGlobalDeviceIds, 1));
}

void AddCollective(OpContext& c, Opcode opcode, Operands operands, Attributes attributes, absl::string_view frontend_attributes = "") {
  std::vector<Shape> shapes;
  for (int i = 0; i < c.result_count(); ++i) {
    const std::optional<Shape> shape = c.Written(i);
    if (!shape) break;
    shapes.push_back(*shape);
  }
  const bool known = static_cast<int>(shapes.size()) == c.result_count() && !shapes.empty();
  const Shape shape = known ? (shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes)) : Shape();
  Instruction* made = c.e.Add(opcode, std::move(operands), std::move(attributes), known ? &shape : nullptr, c.result_count() == 1 ? c.name() : "");
  if (made != nullptr && !frontend_attributes.empty()) made->frontend_attributes = c.c.module().Intern(frontend_attributes);
  c.SetAll(made);
}

Operands Widened(OpContext& c) {
  Operands operands = c.ins();
  if (const auto type = c.RegionType(0, 0)) {
    for (Instruction*& x : operands) x = c.e.Convert(x, *type);
  }
  return operands;
}

void AllReduce(OpContext& c) {
  Attributes attributes;
  if (!AddGroups(c, attributes)) return;
  AddChannel(c, attributes);
  Computation* reducer = c.ScalarRegion(0, "reducer");
  if (reducer == nullptr) return;
  attributes.push_back(ComputationAttribute(AttrId::kToApply, reducer));
  AddCollective(c, Opcode::kAllReduce, Widened(c), std::move(attributes));
}

void ReduceScatter(OpContext& c) {
  Attributes attributes;
  if (!AddGroups(c, attributes)) return;
  AddChannel(c, attributes);
  attributes.push_back(IntsAttribute(AttrId::kDimensions, {c.Int("scatter_dimension", 0)}));
  Computation* reducer = c.ScalarRegion(0, "reducer");
  if (reducer == nullptr) return;
  attributes.push_back(ComputationAttribute(AttrId::kToApply, reducer));
  AddCollective(c, Opcode::kReduceScatter, Widened(c), std::move(attributes));
}

void AllGather(OpContext& c) {
  Attributes attributes;
  if (!AddGroups(c, attributes)) return;
  AddChannel(c, attributes);
  attributes.push_back(IntsAttribute(AttrId::kDimensions, {c.Int("all_gather_dim", 0)}));
  AddCollective(c, Opcode::kAllGather, c.ins(), std::move(attributes));
}

// HLO splits and concatenates along one dimension; another one to concatenate along is a matter of moving the blocks afterwards.
// The blocks of dimension `split`, one behind the other along dimension `concat`: what an all-to-all along that cuts apart again.
Instruction* BlocksAlong(OpContext& c, Instruction* x, int64_t split, int64_t concat, int64_t count) {
  std::vector<int64_t> apart, permutation, result;
  for (int64_t d = 0; d < x->shape.rank(); ++d) {
    const int64_t size = x->shape.dim(static_cast<int>(d));
    if (d == split) apart.push_back(count);
    apart.push_back(size / (d == split ? count : 1));
    result.push_back(d == split ? size / count : size * (d == concat ? count : 1));
    if (d == concat) permutation.push_back(split);
    permutation.push_back(d + (d >= split ? 1 : 0));
  }
  return c.e.Reshape(c.e.Add(Opcode::kTranspose, {c.e.Reshape(x, apart)}, {IntsAttribute(AttrId::kDimensions, permutation)}), result);
}

// The operation of HLO cuts and joins along one dimension. What is to be cut along another one is made before it, so that an async_start may end
// with the exchange.
void AllToAll(OpContext& c) {
  Attributes attributes;
  if (!AddGroups(c, attributes)) return;
  AddChannel(c, attributes);
  const int64_t split = c.Int("split_dimension", 0), concat = c.Int("concat_dimension", 0), count = c.Int("split_count", 1);
  const mlir::Attr* written = c.attr("replica_groups");
  const auto rows = written != nullptr ? RowsOf(*written) : std::nullopt;
  const bool named = rows && !rows->empty() && !(*rows)[0].empty();
  if (named && static_cast<int64_t>((*rows)[0].size()) != count) {
    return c.Error(HLO_LABEL("stablehlo.all-to-all"), absl::StrCat("split_count is ", count, ", but each of the replica_groups has ", (*rows)[0].size(),
                                                                   ": every member of a group gets one block"));
  }
  attributes.push_back(IntsAttribute(AttrId::kDimensions, {concat}));
  Operands results;
  for (Instruction* x : c.ins()) {
    if (x == nullptr) return;
    const int64_t rank = x->shape.rank();
    if (split < 0 || split >= rank || concat < 0 || concat >= rank || count < 1 || x->shape.dim(static_cast<int>(split)) % count != 0) {
      return c.Error(HLO_LABEL("stablehlo.all-to-all"), absl::StrCat("dimension ", split, " of ", x->shape.ToString(false), " cannot be split into ", count, " blocks for dimension ", concat));
    }
    Instruction* blocks = split == concat ? x : BlocksAlong(c, x, split, concat, count);
    Instruction* moved = c.e.Add(Opcode::kAllToAll, {blocks}, attributes);
    if (moved != nullptr && !named) moved->frontend_attributes = c.c.module().Intern(SplitCountText(count));  // how many there are, the run knows
    results.push_back(moved);
  }
  for (int i = 0; i < c.result_count() && i < static_cast<int>(results.size()); ++i) c.Set(i, results[i]);
}

bool AddPairs(OpContext& c, const mlir::Attr& a, Attributes& attributes) {
  const auto rows = RowsOf(a);
  const bool fits = rows && std::all_of(rows->begin(), rows->end(), [](const auto& row) { return row.size() == 2; });
  if (!fits) {
    c.Error(HLO_LABEL("stablehlo.source-target-pairs"), "source_target_pairs must be rows of two device numbers");
    return false;
  }
  Attribute pairs;
  pairs.id = AttrId::kSourceTargetPairs;
  pairs.name = Info(AttrId::kSourceTargetPairs).name;
  std::vector<std::pair<int64_t, int64_t>> list;
  for (const auto& row : *rows) list.push_back({row[0], row[1]});
  pairs.value = std::move(list);
  attributes.push_back(std::move(pairs));
  return true;
}

void CollectivePermute(OpContext& c) {
  const mlir::Attr* a = c.Need("source_target_pairs");
  Attributes attributes;
  if (a == nullptr || !AddPairs(c, *a, attributes)) return;
  AddChannel(c, attributes);
  AddCollective(c, Opcode::kCollectivePermute, c.ins(), std::move(attributes));
}

void CollectiveBroadcast(OpContext& c) {
  Attributes attributes;
  if (!AddGroups(c, attributes)) return;
  AddChannel(c, attributes);
  // A further operand may say which member of each group sends; else it is the first one.
  const bool dynamic_root = c.attr("has_dynamic_root") != nullptr && c.operand_count() > c.result_count();
  AddCollective(c, Opcode::kCollectiveBroadcast, c.ins(0, c.result_count() + (dynamic_root ? 1 : 0)), std::move(attributes), dynamic_root ? kDynamicRoot : "");
}

// The sum of all replicas of a group.
void CrossReplicaSum(OpContext& c) {
  Attributes attributes;
  if (!AddGroups(c, attributes) || c.in(0) == nullptr) return;
  const ElementType type = c.in(0)->shape.element_type();
  Computation* sum = c.c.Helper(absl::StrCat("sum ", Name(type)), "sum", [&](Emitter& e, Computation*) {
    Instruction* a = e.Parameter(Shape::Scalar(type), "a");
    Instruction* b = e.Parameter(Shape::Scalar(type), "b");
    return e.Add(Opcode::kAdd, {a, b});
  });
  attributes.push_back(ComputationAttribute(AttrId::kToApply, sum));
  AddCollective(c, Opcode::kAllReduce, c.ins(), std::move(attributes));
}

void PartitionId(OpContext& c) { c.Simple(Opcode::kPartitionId, {}); }
void ReplicaId(OpContext& c) { c.Simple(Opcode::kReplicaId, {}); }
void AfterAll(OpContext& c) { c.Simple(Opcode::kAfterAll, c.ins()); }

// One value, or a tuple of several (or none), for operations that take one.
Instruction* Bundle(OpContext& c, Operands values) { return values.size() == 1 ? values[0] : c.e.Tuple(std::move(values)); }

std::optional<Shape> BundleShape(const OpContext& c, int count) {
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) {
    const std::optional<Shape> shape = c.Written(i);
    if (!shape) return std::nullopt;
    shapes.push_back(*shape);
  }
  return shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
}

// The elements of a bundle and the token as results.
void Unbundle(OpContext& c, Instruction* data_and_token) {
  const int n = c.result_count() - 1;
  Instruction* data = c.e.Element(data_and_token, 0);
  for (int i = 0; i < n; ++i) c.Set(i, n == 1 ? data : c.e.Element(data, i));
  c.Set(n, c.e.Element(data_and_token, 1));
}

Attributes TransferAttributes(OpContext& c) {
  Attributes attributes;
  AddChannel(c, attributes);
  if (c.Bool("is_host_transfer", false)) attributes.push_back(IntAttribute(AttrId::kIsHostTransfer, 1));
  if (const mlir::Attr* pairs = c.attr("source_target_pairs"); pairs != nullptr && RowsOf(*pairs) && !RowsOf(*pairs)->empty()) AddPairs(c, *pairs, attributes);
  return attributes;
}

// Whether the device may receive what it sends, further on in the same block: no pairs say that it is for another one.
bool MayReceiveItself(const OpContext& c, const Attributes& attributes) {
  const auto written = std::find_if(attributes.begin(), attributes.end(), [](const Attribute& a) { return a.id == AttrId::kSourceTargetPairs; });
  if (written != attributes.end()) {
    const auto& pairs = std::get<std::vector<std::pair<int64_t, int64_t>>>(written->value);
    if (std::any_of(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.first != pair.second; })) return false;
  }
  const auto channel = [](const mlir::Op& op) {
    const mlir::Attr* handle = op.Find("channel_handle");
    return handle == nullptr ? 0 : IntField(*handle, "handle", 0);
  };
  return c.op.parent != nullptr && std::any_of(c.op.parent->ops.begin(), c.op.parent->ops.end(), [&](const auto& op) {
           return op->name == "stablehlo.recv" && channel(*op) == channel(c.op);
         });
}

// The token of a send comes after it is complete. Not where the device may be the one that receives, as it need not do so before: then that of
// what begins the send.
void Send(OpContext& c) {
  const Attributes attributes = TransferAttributes(c);
  Instruction* data = Bundle(c, c.ins(0, c.operand_count() - 1));
  Instruction* send = c.e.Add(Opcode::kSend, {data, c.in(c.operand_count() - 1)}, attributes);
  Instruction* done = c.e.Add(Opcode::kSendDone, {send}, attributes);
  c.Set(0, send != nullptr && MayReceiveItself(c, attributes) ? c.e.Element(send, 2) : done);
}

void Recv(OpContext& c) {
  if (c.result_count() < 1) return;
  const Attributes attributes = TransferAttributes(c);
  const std::optional<Shape> data = BundleShape(c, c.result_count() - 1);
  if (!data) return c.Error(HLO_LABEL("stablehlo.unknown-sizes"), absl::StrCat(c.op.name, " needs a result type of known sizes"));
  const Shape shape = Shape::Tuple({*data, Shape::Scalar(ElementType::kU32), Shape::Token()});
  Unbundle(c, c.e.Add(Opcode::kRecvDone, {c.e.Add(Opcode::kRecv, {c.in(0)}, attributes, &shape)}, attributes));
}

void Infeed(OpContext& c) {
  if (c.result_count() < 1) return;
  const std::optional<Shape> data = BundleShape(c, c.result_count() - 1);
  if (!data) return c.Error(HLO_LABEL("stablehlo.unknown-sizes"), absl::StrCat(c.op.name, " needs a result type of known sizes"));
  Attributes attributes;
  if (const mlir::Attr* config = c.attr("infeed_config"); config != nullptr && !config->text.empty()) attributes.push_back(c.Text(AttrId::kInfeedConfig, config->text));
  const Shape shape = Shape::Tuple({*data, Shape::Token()});
  Unbundle(c, c.e.Add(Opcode::kInfeed, {c.in(0)}, std::move(attributes), &shape));
}

void Outfeed(OpContext& c) {
  Instruction* data = Bundle(c, c.ins(0, c.operand_count() - 1));
  if (data == nullptr) return;
  Attributes attributes = {c.Text(AttrId::kOutfeedShape, data->shape.ToString(false))};
  if (const mlir::Attr* config = c.attr("outfeed_config"); config != nullptr && !config->text.empty()) attributes.push_back(c.Text(AttrId::kOutfeedConfig, config->text));
  c.Simple(Opcode::kOutfeed, {data, c.in(c.operand_count() - 1)}, std::move(attributes));
}

// The tuple that all of these are the elements of, in order; null: there is none.
Instruction* TupleOf(const Operands& results) {
  Instruction* tuple = nullptr;
  for (size_t k = 0; k < results.size(); ++k) {
    const Instruction* element = results[k];
    if (element == nullptr || element->opcode != Opcode::kGetTupleElement || element->Int(AttrId::kIndex) != static_cast<int64_t>(k)) return nullptr;
    if (tuple != nullptr && element->operands[0] != tuple) return nullptr;
    tuple = element->operands[0];
  }
  return tuple != nullptr && tuple->shape.tuple_shapes().size() == results.size() ? tuple : nullptr;
}

bool IsTaken(const mlir::SsaValue& value, const mlir::Region& region) {
  return std::any_of(region.ops.begin(), region.ops.end(), [&](const auto& op) {
    return std::find(op->operands.begin(), op->operands.end(), &value) != op->operands.end() ||
           std::any_of(op->regions.begin(), op->regions.end(), [&](const auto& inner) { return IsTaken(value, *inner); });
  });
}

// One collective that goes on beside the program until async_done: a computation of its own, whose root it is.
void AsyncStart(OpContext& c) {
  const mlir::Region& region = *c.op.regions[0];
  if (c.op.parent != nullptr && !c.op.results.empty() && !IsTaken(*c.op.results[0], *c.op.parent)) {
    const mlir::SsaValue& future = *c.op.results[0];
    return c.Error(HLO_LABEL("stablehlo.never-completed"), absl::StrCat("nothing completes ", future.name, ": no async_done takes the future that it is"),
                   absl::StrCat("add \"stablehlo.async_done\"(", future.name, ")"));
  }
  const RegionCaptures captures = FindCaptures(c);
  Operands operands = c.ins();
  const size_t own = operands.size();
  for (const mlir::SsaValue* value : captures.passed) operands.push_back(c.Lookup(value));
  if (!captures.ok || std::find(operands.begin(), operands.end(), nullptr) != operands.end()) return;
  if (region.arguments.size() != own)
    return c.Error(HLO_LABEL("stablehlo.async-arguments"), absl::StrCat("async_start has ", own, own == 1 ? " operand" : " operands", ", its computation takes ", region.arguments.size()));
  Computation* computation = c.c.ConvertRegion(
      region, "async",
      [&](Scope& inner) {
        for (size_t i = 0; i < operands.size(); ++i) {
          const mlir::SsaValue* value = i < own ? region.arguments[i].get() : captures.passed[i - own];
          inner.values[value] = inner.emit.Parameter(operands[i]->shape.WithoutLayouts(), CleanName(value->name));
        }
        Repeat(inner, captures);
      },
      [](Scope& inner, const Operands& results) {
        if (results.size() == 1) return results[0];
        Instruction* tuple = TupleOf(results);
        return tuple != nullptr ? tuple : inner.emit.Tuple(results);
      });
  c.Set(0, c.e.Add(Opcode::kAsyncStart, operands, {ComputationAttribute(AttrId::kCalls, computation)}, nullptr, c.name()));
}

void AsyncDone(OpContext& c) {
  if (c.in(0) == nullptr) return;
  if (c.in(0)->opcode != Opcode::kAsyncStart) {
    return c.Error(HLO_LABEL("stablehlo.async-done"), "async_done takes the future that an async_start of the same computation gives",
                   "futures that functions, loops and branches hand on are not followed");
  }
  c.SetAll(c.e.Add(Opcode::kAsyncDone, {c.in(0)}, {}, nullptr, c.result_count() == 1 ? c.name() : ""));
}

constexpr Row kRows[] = {
    {"stablehlo.all_reduce", AllReduce, 1, -1, 1},
    {"stablehlo.reduce_scatter", ReduceScatter, 1, -1, 1},
    {"stablehlo.all_gather", AllGather, 1, -1},
    {"stablehlo.all_to_all", AllToAll, 1, -1},
    {"stablehlo.collective_permute", CollectivePermute, 1, -1},
    {"stablehlo.collective_broadcast", CollectiveBroadcast, 1, -1},
    {"stablehlo.cross-replica-sum", CrossReplicaSum, 1, 1},
    {"stablehlo.partition_id", PartitionId, 0, 0},
    {"stablehlo.replica_id", ReplicaId, 0, 0},
    {"stablehlo.after_all", AfterAll, 0, -1},
    {"stablehlo.create_token", AfterAll, 0, 0},
    {"stablehlo.send", Send, 1, -1},
    {"stablehlo.recv", Recv, 1, 1},
    {"stablehlo.infeed", Infeed, 1, 1},
    {"stablehlo.outfeed", Outfeed, 1, -1},
    {"stablehlo.async_start", AsyncStart, 0, -1, 1},
    {"stablehlo.async_done", AsyncDone, 1, 1},
};

}  // namespace

absl::Span<const Row> DistributionRows() { return kRows; }

}  // namespace hloscope::stablehlo
