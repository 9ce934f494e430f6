// The functions of operations.h that call computations, handle tuples and tokens, and speak with the world outside and other replicas.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ops/builder/constants.h"
#include "core/ops/builder/internal.h"

namespace hloscope::hlo {

Op Parameter(Builder* builder, int64_t number, const Shape& shape, absl::string_view name, Place place) {
  return builder->AddParameter(number, shape, name, place);
}

Op ConstantLiteral(Builder* builder, const Value& literal, Place place) { return builder->AddConstant(literal, place); }

Op Tuple(Builder* builder, Ops elements, Place place) { return builder->Add(Opcode::kTuple, elements, {}, std::nullopt, place); }

Op GetTupleElement(Op tuple, int64_t index, Place place) {
  return Make(Opcode::kGetTupleElement, {tuple}, {Int(AttrId::kIndex, index)}, std::nullopt, place);
}

Op OptimizationBarrier(Op operand, Place place) { return Make(Opcode::kOptBarrier, {operand}, {}, std::nullopt, place); }

Op AfterAll(Builder* builder, Ops operands, Place place) { return builder->Add(Opcode::kAfterAll, operands, {}, std::nullopt, place); }

Op AddDependency(Op operand, Op token, Place place) { return Make(Opcode::kAddDependency, {operand, token}, {}, std::nullopt, place); }

Op Domain(Op operand, absl::string_view domain, Place place) {
  return Make(Opcode::kDomain, {operand}, {Text(AttrId::kDomain, domain)}, std::nullopt, place);
}

Op Call(Builder* builder, Computation* computation, Ops args, Place place) {
  return builder->Add(Opcode::kCall, args, {Callee(AttrId::kToApply, computation)}, std::nullopt, place);
}

Op CompositeCall(Builder* builder, Ops inputs, absl::string_view name, absl::string_view composite_attributes, Computation* decomposition,
                 std::optional<int64_t> version, Place place) {
  const Op call =
      builder->Add(Opcode::kCall, inputs, {Callee(AttrId::kToApply, decomposition), Flag(AttrId::kIsComposite, true)}, std::nullopt, place);
  builder->SetInstructionFrontendAttribute(call, "composite.name", name);
  if (!composite_attributes.empty()) {
    builder->SetInstructionFrontendAttribute(
        call, "composite.attributes",
        composite_attributes.front() == '{' ? std::string(composite_attributes) : absl::StrCat("{", composite_attributes, "}"));
  }
  if (version.has_value()) builder->SetInstructionFrontendAttribute(call, "composite.version", absl::StrCat(*version));
  return call;
}

Op Conditional(Op pred, Op true_operand, Computation* true_computation, Op false_operand, Computation* false_computation, Place place) {
  return Make(Opcode::kConditional, {pred, true_operand, false_operand},
              {Callee(AttrId::kTrueComputation, true_computation), Callee(AttrId::kFalseComputation, false_computation)}, std::nullopt,
              place);
}

Op Conditional(Op branch_index, absl::Span<Computation* const> branch_computations, Ops branch_operands, Place place) {
  std::vector<Op> operands = {branch_index};
  operands.insert(operands.end(), branch_operands.begin(), branch_operands.end());
  return Make(Opcode::kConditional, operands,
              {{AttrId::kBranchComputations, {}, std::vector<Computation*>(branch_computations.begin(), branch_computations.end()), {}}},
              std::nullopt, place);
}

Op While(Computation* condition, Computation* body, Op init, Place place) {
  return Make(Opcode::kWhile, {init}, {Callee(AttrId::kCondition, condition), Callee(AttrId::kBody, body)}, std::nullopt, place);
}

Op Fusion(Builder* builder, Ops operands, absl::string_view kind, Computation* computation, Place place) {
  return builder->Add(Opcode::kFusion, operands, {Text(AttrId::kKind, kind), Callee(AttrId::kCalls, computation)}, std::nullopt, place);
}

Op CustomCall(Builder* builder, absl::string_view call_target_name, Ops args, const Shape& shape, absl::string_view opaque,
              bool has_side_effect, Place place) {
  std::vector<Attribute> attributes = {Text(AttrId::kCustomCallTarget, call_target_name)};
  if (has_side_effect) attributes.push_back(Flag(AttrId::kCustomCallHasSideEffect, true));
  const Op call = builder->Add(Opcode::kCustomCall, args, std::move(attributes), shape, place);
  if (call.valid() && !opaque.empty()) {
    const bool braces = opaque.front() == '{';
    call.instruction()->backend_config = builder->module()->Intern(braces ? std::string(opaque) : absl::StrCat("\"", opaque, "\""));
  }
  return call;
}

Op Infeed(Builder* builder, const Shape& shape, absl::string_view config, Place place) {
  return GetTupleElement(InfeedWithToken(AfterAll(builder, {}, place), shape, config, place), 0, place);
}

Op InfeedWithToken(Op token, const Shape& shape, absl::string_view config, Place place) {
  std::vector<Attribute> attributes;
  if (!config.empty()) attributes.push_back(Text(AttrId::kInfeedConfig, config));
  return Make(Opcode::kInfeed, {token}, std::move(attributes), Shape::Tuple({shape, Shape::Token()}), place);
}

Op Outfeed(Op operand, absl::string_view config, Place place) {
  return operand.builder() == nullptr ? Op() : OutfeedWithToken(operand, AfterAll(operand.builder(), {}, place), config, place);
}

Op OutfeedWithToken(Op operand, Op token, absl::string_view config, Place place) {
  const std::string shape = operand.shape().ToString();
  std::vector<Attribute> attributes;
  if (operand.valid()) attributes.push_back(Text(AttrId::kOutfeedShape, shape));
  if (!config.empty()) attributes.push_back(Text(AttrId::kOutfeedConfig, config));
  return Make(Opcode::kOutfeed, {operand, token}, std::move(attributes), std::nullopt, place);
}

Op AsyncStart(Builder* builder, Ops operands, Computation* computation, Place place) {
  return builder->Add(Opcode::kAsyncStart, operands, {Callee(AttrId::kCalls, computation)}, std::nullopt, place);
}

namespace {

// The computation that the start named: update and done name it as well.
std::vector<Attribute> CalleeOfStart(const Op& start) {
  Computation* f = start.valid() ? start.instruction()->Called(AttrId::kCalls) : nullptr;
  return f == nullptr ? std::vector<Attribute>() : std::vector<Attribute>{Callee(AttrId::kCalls, f)};
}

}  // namespace

Op AsyncUpdate(Op start, Place place) { return Make(Opcode::kAsyncUpdate, {start}, CalleeOfStart(start), std::nullopt, place); }
Op AsyncDone(Op start, Place place) { return Make(Opcode::kAsyncDone, {start}, CalleeOfStart(start), std::nullopt, place); }
Op CopyStart(Op operand, Place place) { return Make(Opcode::kCopyStart, {operand}, {}, std::nullopt, place); }
Op CopyDone(Op start, Place place) { return Make(Opcode::kCopyDone, {start}, {}, std::nullopt, place); }

// -- Across replicas --

namespace {

std::string GroupsText(Groups groups) {
  std::vector<std::string> parts;
  for (const std::vector<int64_t>& group : groups) parts.push_back(absl::StrCat("{", absl::StrJoin(group, ","), "}"));
  return absl::StrCat("{", absl::StrJoin(parts, ","), "}");
}

std::vector<Attribute> Exchange(Channel channel, const std::string& groups) {
  std::vector<Attribute> attributes;
  if (channel.has_value()) attributes.push_back(Int(AttrId::kChannelId, *channel));
  attributes.push_back(Text(AttrId::kReplicaGroups, groups));
  return attributes;
}

// A tuple's elements, or the operand alone.
std::vector<Op> Parts(Op operand, Place place) {
  if (!operand.valid() || !operand.shape().IsTuple()) return {operand};
  std::vector<Op> parts;
  for (size_t k = 0; k < operand.shape().tuple_shapes().size(); ++k)
    parts.push_back(GetTupleElement(operand, static_cast<int64_t>(k), place));
  return parts;
}

Shape OneOrTuple(std::vector<Shape> shapes) { return shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes)); }

// The shape with dimension `dim` times `times`, over `parts`. Nullopt where there is no such dimension or it does not divide.
std::optional<Shape> Scaled(const Shape& shape, int64_t dim, int64_t times, int64_t parts) {
  if (!shape.IsArray() || dim < 0 || dim >= shape.rank() || times < 1 || parts < 1) return std::nullopt;
  std::vector<int64_t> sizes = List(shape.dimensions());
  if (sizes[dim] % parts != 0) return std::nullopt;
  sizes[dim] = sizes[dim] / parts * times;
  return Shape::Array(shape.element_type(), sizes, std::nullopt, shape.dynamic_dimensions());
}

Op BadShards(Op operand, int64_t dim, int64_t count, Place place) {
  return operand.builder()->Error(
      HLO_LABEL("builder.shard-count"),
      absl::StrCat("dimension ", dim, " of ", operand.shape().ToString(false), " does not fit ", count, " shards"), place);
}

Op Gathered(Opcode opcode, bool start, Op operand, int64_t dim, int64_t shard_count, Groups groups, Channel channel, Place place) {
  const std::vector<Op> parts = Parts(operand, place);
  if (!AllValid(parts)) return Missing(opcode, parts, place);
  std::vector<Shape> from, to;
  for (const Op& part : parts) {
    const std::optional<Shape> shape = Scaled(part.shape(), dim, shard_count, 1);
    if (!shape.has_value()) return BadShards(part, dim, shard_count, place);
    from.push_back(part.shape().WithoutLayouts());
    to.push_back(*shape);
  }
  const std::string text = GroupsText(groups);
  std::vector<Attribute> attributes = Exchange(channel, text);
  attributes.push_back(Ints(AttrId::kDimensions, {dim}));
  Shape shape = OneOrTuple(std::move(to));
  if (start) shape = Shape::Tuple({OneOrTuple(std::move(from)), shape});
  return Make(opcode, parts, std::move(attributes), shape, place);
}

Op Reduced(Opcode opcode, Op operand, Computation* computation, Groups groups, Channel channel, Place place) {
  const std::string text = GroupsText(groups);
  std::vector<Attribute> attributes = Exchange(channel, text);
  attributes.push_back(Callee(AttrId::kToApply, computation));
  return Make(opcode, Parts(operand, place), std::move(attributes), std::nullopt, place);
}

std::vector<Attribute> PairsAttributes(Pairs pairs, Channel channel) {
  std::vector<Attribute> attributes;
  if (channel.has_value()) attributes.push_back(Int(AttrId::kChannelId, *channel));
  attributes.push_back({AttrId::kSourceTargetPairs, {}, std::vector<std::pair<int64_t, int64_t>>(pairs.begin(), pairs.end()), {}});
  return attributes;
}

}  // namespace

Op AllGather(Op operand, int64_t all_gather_dim, int64_t shard_count, Groups replica_groups, Channel channel_id, Place place) {
  return Gathered(Opcode::kAllGather, false, operand, all_gather_dim, shard_count, replica_groups, channel_id, place);
}
Op AllGatherStart(Op operand, int64_t all_gather_dim, int64_t shard_count, Groups replica_groups, Channel channel_id, Place place) {
  return Gathered(Opcode::kAllGatherStart, true, operand, all_gather_dim, shard_count, replica_groups, channel_id, place);
}
Op AllGatherDone(Op start, Place place) { return Make(Opcode::kAllGatherDone, {start}, {}, std::nullopt, place); }

Op AllReduce(Op operand, Computation* computation, Groups replica_groups, Channel channel_id, Place place) {
  return Reduced(Opcode::kAllReduce, operand, computation, replica_groups, channel_id, place);
}
Op AllReduceStart(Op operand, Computation* computation, Groups replica_groups, Channel channel_id, Place place) {
  return Reduced(Opcode::kAllReduceStart, operand, computation, replica_groups, channel_id, place);
}
Op AllReduceDone(Op start, Place place) { return Make(Opcode::kAllReduceDone, {start}, {}, std::nullopt, place); }

Op CrossReplicaSum(Op operand, Groups replica_groups, Place place) {
  if (!operand.valid()) return Missing(Opcode::kAllReduce, {&operand, 1}, place);
  const Shape& first =
      operand.shape().IsTuple() && !operand.shape().tuple_shapes().empty() ? operand.shape().tuple_shapes()[0] : operand.shape();
  if (!first.IsArray()) return operand.builder()->Error(HLO_LABEL("builder.sum-of-arrays"), "CrossReplicaSum takes arrays", place);
  return AllReduce(operand, CreateScalarAddComputation(first.element_type(), operand.builder(), place), replica_groups, std::nullopt,
                   place);
}

Op ReduceScatter(Op operand, Computation* computation, int64_t scatter_dim, int64_t shard_count, Groups replica_groups, Channel channel_id,
                 Place place) {
  const std::vector<Op> parts = Parts(operand, place);
  if (!AllValid(parts)) return Missing(Opcode::kReduceScatter, parts, place);
  std::vector<Shape> to;
  for (const Op& part : parts) {
    const std::optional<Shape> shape = Scaled(part.shape(), scatter_dim, 1, shard_count);
    if (!shape.has_value()) return BadShards(part, scatter_dim, shard_count, place);
    to.push_back(*shape);
  }
  const std::string text = GroupsText(replica_groups);
  std::vector<Attribute> attributes = Exchange(channel_id, text);
  attributes.push_back(Ints(AttrId::kDimensions, {scatter_dim}));
  attributes.push_back(Callee(AttrId::kToApply, computation));
  return Make(Opcode::kReduceScatter, parts, std::move(attributes), OneOrTuple(std::move(to)), place);
}

// The instruction keeps its dimension: block j of it comes from member j. Where the results are to be concatenated along another one, the
// blocks are moved there afterwards.
Op AllToAll(Op operand, int64_t split_dimension, int64_t concat_dimension, int64_t split_count, Groups replica_groups, Channel channel_id,
            Place place) {
  if (!operand.valid()) return Missing(Opcode::kAllToAll, {&operand, 1}, place);
  if (!Scaled(operand.shape(), split_dimension, 1, split_count).has_value()) return BadShards(operand, split_dimension, split_count, place);
  if (!Scaled(operand.shape(), concat_dimension, split_count, 1).has_value())
    return BadShards(operand, concat_dimension, split_count, place);
  const std::string text = GroupsText(replica_groups);
  std::vector<Attribute> attributes = Exchange(channel_id, text);
  attributes.push_back(Ints(AttrId::kDimensions, {split_dimension}));
  const Op exchanged = Make(Opcode::kAllToAll, {operand}, std::move(attributes), std::nullopt, place);
  if (split_dimension == concat_dimension || !exchanged.valid()) return exchanged;
  const int rank = exchanged.shape().rank();
  std::vector<int64_t> apart, permutation, together;
  for (int d = 0; d < rank; ++d) {  // the split dimension becomes (block, place in the block)
    if (d == split_dimension) apart.push_back(split_count);
    apart.push_back(exchanged.shape().dim(d) / (d == split_dimension ? split_count : 1));
    together.push_back(d == split_dimension ? exchanged.shape().dim(d) / split_count
                                            : exchanged.shape().dim(d) * (d == concat_dimension ? split_count : 1));
  }
  const auto moved = [&](int d) { return d + (d >= split_dimension ? 1 : 0); };
  for (int d = 0; d < rank; ++d) {
    if (d == concat_dimension) permutation.push_back(split_dimension);  // the block's number goes in front of it
    permutation.push_back(moved(d));
  }
  return Reshape(Transpose(Reshape(exchanged, apart, place), permutation, place), together, place);
}

Op AllToAllTuple(Ops operands, Groups replica_groups, Channel channel_id, Place place) {
  const std::string text = GroupsText(replica_groups);
  return Make(Opcode::kAllToAll, operands, Exchange(channel_id, text), std::nullopt, place);
}

Op RaggedAllToAll(Op input, Op output, Op input_offsets, Op send_sizes, Op output_offsets, Op recv_sizes, Groups replica_groups,
                  Channel channel_id, Place place) {
  const std::string text = GroupsText(replica_groups);
  return Make(Opcode::kRaggedAllToAll, {input, output, input_offsets, send_sizes, output_offsets, recv_sizes}, Exchange(channel_id, text),
              std::nullopt, place);
}

Op CollectivePermute(Op operand, Pairs source_target_pairs, Channel channel_id, Place place) {
  return Make(Opcode::kCollectivePermute, {operand}, PairsAttributes(source_target_pairs, channel_id), std::nullopt, place);
}
Op CollectivePermuteStart(Op operand, Pairs source_target_pairs, Channel channel_id, Place place) {
  return Make(Opcode::kCollectivePermuteStart, {operand}, PairsAttributes(source_target_pairs, channel_id), std::nullopt, place);
}
Op CollectivePermuteDone(Op start, Place place) { return Make(Opcode::kCollectivePermuteDone, {start}, {}, std::nullopt, place); }

Op CollectiveBroadcast(Op operand, Groups replica_groups, Channel channel_id, Place place) {
  const std::string text = GroupsText(replica_groups);
  return Make(Opcode::kCollectiveBroadcast, {operand}, Exchange(channel_id, text), std::nullopt, place);
}

Op ReplicaId(Builder* builder, Place place) { return builder->Add(Opcode::kReplicaId, {}, {}, std::nullopt, place); }
Op PartitionId(Builder* builder, Place place) { return builder->Add(Opcode::kPartitionId, {}, {}, std::nullopt, place); }

Op Send(Op operand, int64_t channel_id, Place place) {
  return operand.builder() == nullptr ? Op() : SendWithToken(operand, AfterAll(operand.builder(), {}, place), channel_id, place);
}
Op SendWithToken(Op operand, Op token, int64_t channel_id, Place place) {
  return Make(Opcode::kSend, {operand, token}, {Int(AttrId::kChannelId, channel_id)}, std::nullopt, place);
}
Op SendDone(Op send, Place place) {
  return Make(Opcode::kSendDone, {send}, {Int(AttrId::kChannelId, send.valid() ? send.instruction()->Int(AttrId::kChannelId) : 0)},
              std::nullopt, place);
}
Op Recv(Builder* builder, const Shape& shape, int64_t channel_id, Place place) {
  return RecvWithToken(AfterAll(builder, {}, place), shape, channel_id, place);
}
Op RecvWithToken(Op token, const Shape& shape, int64_t channel_id, Place place) {
  return Make(Opcode::kRecv, {token}, {Int(AttrId::kChannelId, channel_id)},
              Shape::Tuple({shape, Shape::Scalar(ElementType::kU32), Shape::Token()}), place);
}
Op RecvDone(Op recv, Place place) {
  return Make(Opcode::kRecvDone, {recv}, {Int(AttrId::kChannelId, recv.valid() ? recv.instruction()->Int(AttrId::kChannelId) : 0)},
              std::nullopt, place);
}

}  // namespace hloscope::hlo
