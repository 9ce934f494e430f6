// The fields of an instruction's attributes, and the attributes as text. What has no field is left to the text (writer.cc compares).
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "core/text/attribute_text.h"
#include "core/text/proto/convert.h"
#include "core/text/proto/names.h"
#include "core/text/proto/raw_cursor.h"

namespace hloscope {
namespace {

using namespace proto_names;

using Proto = pb::HloInstructionProto;

void FillWindow(const Window& window, Proto* p) {
  for (const WindowDimension& d : window) {
    pb::WindowDimension* w = p->mutable_window()->add_dimensions();
    w->set_size(d.size);
    w->set_stride(d.stride);
    w->set_padding_low(d.padding_low);
    w->set_padding_high(d.padding_high);
    w->set_window_dilation(d.window_dilation);
    w->set_base_dilation(d.base_dilation);
    if (d.reversal) w->set_window_reversal(true);
  }
}

void FillLabels(const ConvDimensionNumbers& d, pb::ConvolutionDimensionNumbers* n) {
  n->set_input_batch_dimension(d.input_batch);
  n->set_input_feature_dimension(d.input_feature);
  n->set_kernel_input_feature_dimension(d.kernel_input_feature);
  n->set_kernel_output_feature_dimension(d.kernel_output_feature);
  n->set_output_batch_dimension(d.output_batch);
  n->set_output_feature_dimension(d.output_feature);
  for (int64_t x : d.input_spatial) n->add_input_spatial_dimensions(x);
  for (int64_t x : d.kernel_spatial) n->add_kernel_spatial_dimensions(x);
  for (int64_t x : d.output_spatial) n->add_output_spatial_dimensions(x);
}

template <typename List>
void Put(absl::Span<const int64_t> values, List* list) {
  for (int64_t v : values) list->Add(v);
}

void FillPrecision(absl::string_view text, Proto* p) {
  RawCursor c(text);
  if (!c.Take("{")) return;
  do {
    p->mutable_precision_config()->add_operand_precision(NumberOf(kPrecisions, c.Word()));
  } while (c.Take(","));
}

void FillAliasing(absl::string_view text, Proto* p) {
  RawCursor c(text);
  if (!c.Take("{") || c.Take("}")) return;
  do {
    pb::OutputOperandAliasing* a = p->add_output_operand_aliasing();
    int64_t operand = 0;
    if (!c.Integers("{", "}", a->mutable_output_shape_index()) || !c.Take(":") || !c.Take("(") || !c.Integer(&operand) || !c.Take(",") ||
        !c.Integers("{", "}", a->mutable_operand_shape_index()) || !c.Take(")")) {
      return p->clear_output_operand_aliasing();
    }
    a->set_operand_index(operand);
  } while (c.Take(","));
}

// {f32[2]{0}, (s32[], f32[4]{0})}: as many shapes as operands.
void FillConstraints(absl::string_view text, Proto* p) {
  p->set_constrain_layout(true);
  if (text.size() < 2 || text[0] != '{') return;
  text = text.substr(1, text.size() - 2);
  size_t begin = 0;
  int depth = 0;
  const auto take = [&](size_t end) {
    const absl::string_view one = absl::StripAsciiWhitespace(text.substr(begin, end - begin));
    begin = end + 1;
    if (one.empty()) return;
    const absl::StatusOr<Shape> shape = ParseShape(one);
    if (shape.ok()) FillShape(*shape, p->add_operand_shapes_with_layout());
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "/*") {
      const size_t close = text.find("*/", i);
      if (close == absl::string_view::npos) return;
      begin = close + 2;
      i = close + 1;
      continue;
    }
    depth += text[i] == '(' || text[i] == '{' || text[i] == '[';
    depth -= text[i] == ')' || text[i] == '}' || text[i] == ']';
    if (text[i] == ',' && depth == 0) take(i);
  }
  take(text.size());
}

void FillReplication(absl::string_view text, Proto* p) {
  RawCursor c(text);
  if (!c.Take("{")) return;
  do {
    p->mutable_parameter_replication()->add_replicated_at_leaf_buffers(c.Word() == "true");
  } while (c.Take(","));
}

void FillDomain(absl::string_view text, Proto* p) {
  RawCursor c(text);
  std::string kind;
  absl::string_view entry, exit;
  if (c.Take("{") && c.Take("kind") && c.Take("=") && c.Quoted(&kind) && c.Take(",") && c.Take("entry") && c.Take("=") &&
      c.Balanced(&entry) && c.Take(",") && c.Take("exit") && c.Take("=") && c.Balanced(&exit)) {
    ParseSharding(entry, p->mutable_domain_entry_sharding());
    ParseSharding(exit, p->mutable_domain_exit_sharding());
  }
}

void FillAccuracy(absl::string_view text, Proto* p) {
  RawCursor c(text);
  if (!c.Take("{")) return;
  if (c.Take("mode")) {
    if (c.Take("=") && c.Word() == "highest") p->mutable_result_accuracy()->set_mode(1);
    return;
  }
  pb::ResultAccuracy::Tolerance tolerance;
  double atol, rtol;
  int64_t ulps;
  if (!c.Take("tolerance") || !c.Take("=") || !c.Take("{") || !c.Take("atol=") || !c.Number(&atol) || !c.Take(",") || !c.Take("rtol=") ||
      !c.Number(&rtol) || !c.Take(",") || !c.Take("ulps=") || !c.Integer(&ulps)) {
    return;
  }
  tolerance.set_atol(atol);
  tolerance.set_rtol(rtol);
  tolerance.set_ulps(ulps);
  *p->mutable_result_accuracy()->mutable_tolerance() = tolerance;
}

pb::DotDimensionNumbers* DotOf(const Instruction& i, Proto* p) {
  return i.opcode == Opcode::kRaggedDot ? p->mutable_ragged_dot_dimension_numbers()->mutable_dot_dimension_numbers()
                                        : p->mutable_dot_dimension_numbers();
}

void FillInts(const Instruction& i, AttrId id, absl::Span<const int64_t> v, Proto* p) {
  pb::GatherDimensionNumbers* g = nullptr;
  pb::ScatterDimensionNumbers* s = nullptr;
  if (i.opcode == Opcode::kGather) g = p->mutable_gather_dimension_numbers();
  if (i.opcode == Opcode::kScatter) s = p->mutable_scatter_dimension_numbers();
  switch (id) {
    case AttrId::kDimensions: return Put(v, p->mutable_dimensions());
    case AttrId::kDynamicSliceSizes: return Put(v, p->mutable_dynamic_slice_sizes());
    case AttrId::kLhsContractingDims: return Put(v, DotOf(i, p)->mutable_lhs_contracting_dimensions());
    case AttrId::kRhsContractingDims: return Put(v, DotOf(i, p)->mutable_rhs_contracting_dimensions());
    case AttrId::kLhsBatchDims: return Put(v, DotOf(i, p)->mutable_lhs_batch_dimensions());
    case AttrId::kRhsBatchDims: return Put(v, DotOf(i, p)->mutable_rhs_batch_dimensions());
    case AttrId::kLhsRaggedDims: return Put(v, p->mutable_ragged_dot_dimension_numbers()->mutable_lhs_ragged_dimensions());
    case AttrId::kRhsGroupDims: return Put(v, p->mutable_ragged_dot_dimension_numbers()->mutable_rhs_group_dimensions());
    case AttrId::kSliceSizes: return Put(v, p->mutable_gather_slice_sizes());
    case AttrId::kFftLength: return Put(v, p->mutable_fft_length());
    default: break;
  }
  if (g != nullptr) {
    if (id == AttrId::kOffsetDims) Put(v, g->mutable_offset_dims());
    if (id == AttrId::kCollapsedSliceDims) Put(v, g->mutable_collapsed_slice_dims());
    if (id == AttrId::kStartIndexMap) Put(v, g->mutable_start_index_map());
    if (id == AttrId::kOperandBatchingDims) Put(v, g->mutable_operand_batching_dims());
    if (id == AttrId::kStartIndicesBatchingDims) Put(v, g->mutable_start_indices_batching_dims());
  }
  if (s != nullptr) {
    if (id == AttrId::kUpdateWindowDims) Put(v, s->mutable_update_window_dims());
    if (id == AttrId::kInsertedWindowDims) Put(v, s->mutable_inserted_window_dims());
    if (id == AttrId::kScatterDimsToOperandDims) Put(v, s->mutable_scatter_dims_to_operand_dims());
    if (id == AttrId::kInputBatchingDims) Put(v, s->mutable_input_batching_dims());
    if (id == AttrId::kScatterIndicesBatchingDims) Put(v, s->mutable_scatter_indices_batching_dims());
  }
}

void FillInt(const Instruction& i, AttrId id, int64_t v, Proto* p) {
  switch (id) {
    case AttrId::kIotaDimension: return p->add_dimensions(v);
    case AttrId::kIndex: return p->set_tuple_index(v);
    case AttrId::kFeatureGroupCount: return p->set_feature_group_count(v);
    case AttrId::kBatchGroupCount: return p->set_batch_group_count(v);
    case AttrId::kIndexVectorDim:
      if (i.opcode == Opcode::kScatter) return p->mutable_scatter_dimension_numbers()->set_index_vector_dim(v);
      return p->mutable_gather_dimension_numbers()->set_index_vector_dim(v);
    case AttrId::kIndicesAreSorted: return p->set_indices_are_sorted(v);
    case AttrId::kUniqueIndices: return p->set_unique_indices(v);
    case AttrId::kIsStable: return p->set_is_stable(v);
    case AttrId::kFeatureIndex: return p->set_feature_index(v);
    case AttrId::kExponentBits: return p->set_exponent_bits(static_cast<int32_t>(v));
    case AttrId::kMantissaBits: return p->set_mantissa_bits(static_cast<int32_t>(v));
    case AttrId::kLeftSide: return p->mutable_triangular_solve_options()->set_left_side(v);
    case AttrId::kUnitDiagonal: return p->mutable_triangular_solve_options()->set_unit_diagonal(v);
    case AttrId::kLower:
      if (i.opcode == Opcode::kCholesky) return p->mutable_cholesky_options()->set_lower(v);
      return p->mutable_triangular_solve_options()->set_lower(v);
    case AttrId::kK: return p->set_k(v);
    case AttrId::kLargest: return p->set_largest(v);
    case AttrId::kDelta: return p->set_delta(v);
    case AttrId::kCustomCallHasSideEffect: return p->set_custom_call_has_side_effect(v);
    case AttrId::kChannelId: return p->set_channel_id(v);
    case AttrId::kUseGlobalDeviceIds: return p->set_use_global_device_ids(v);
    case AttrId::kConstrainLayout: return p->set_constrain_layout(v);
    case AttrId::kIsHostTransfer: return p->set_is_host_transfer(v);
    case AttrId::kIsCrossProgramPrefetch: return p->set_is_cross_program_prefetch(v);
    case AttrId::kCrossProgramPrefetchIndex: return p->set_cross_program_prefetch_index(static_cast<int32_t>(v));
    case AttrId::kIsComposite: return p->set_is_composite(v);
    case AttrId::kIsScan: return p->set_is_reverse(v);
    default: return;
  }
}

void FillText(const Instruction& i, AttrId id, absl::string_view name, absl::string_view v, Proto* p) {
  const auto unescaped = [&](std::string* field) {
    if (!absl::CUnescape(v, field)) Set(field, v);
  };
  switch (id) {
    case AttrId::kDirection: return Set(p->mutable_comparison_direction(), v);
    case AttrId::kType: return Set(p->mutable_comparison_type(), v);
    case AttrId::kFftType: return p->set_fft_type(NumberOf(kFftTypes, v));
    case AttrId::kTransposeA: return p->mutable_triangular_solve_options()->set_transpose_a(NumberOf(kTransposes, v));
    case AttrId::kDistribution: return p->set_distribution(NumberOf(kDistributions, v));
    case AttrId::kAlgorithm:
      if (i.opcode == Opcode::kRngBitGenerator) return p->set_rng_algorithm(NumberOf(kRandomAlgorithms, v));
      return p->mutable_precision_config()->set_algorithm(NumberOf(kAlgorithms, v));
    case AttrId::kCustomCallTarget: return unescaped(p->mutable_custom_call_target());
    case AttrId::kApiVersion: return p->set_custom_call_api_version(NumberOf(kApiVersions, v));
    case AttrId::kSchedule: return p->set_custom_call_schedule(NumberOf(kSchedules, v));
    case AttrId::kOperandLayoutConstraints: return FillConstraints(v, p);
    case AttrId::kOutputToOperandAliasing: return FillAliasing(v, p);
    case AttrId::kReplicaGroups: ParseDevices(v, p); return;
    case AttrId::kInfeedConfig: return unescaped(p->mutable_infeed_config());
    case AttrId::kOutfeedConfig: return unescaped(p->mutable_outfeed_config());
    case AttrId::kOutfeedShape: {
      const absl::StatusOr<Shape> shape = ParseShape(v);
      if (shape.ok()) FillShape(*shape, p->mutable_outfeed_shape());
      return;
    }
    case AttrId::kKind: return Set(p->mutable_fusion_kind(), v);
    case AttrId::kOperandPrecision: return FillPrecision(v, p);
    case AttrId::kResultAccuracy: return FillAccuracy(v, p);
    case AttrId::kDomain: return FillDomain(v, p);
    case AttrId::kAsyncExecutionThread: return Set(p->mutable_async_execution_thread(), v);
    case AttrId::kParameterReplication: return FillReplication(v, p);
    case AttrId::kUnknown: {
      int64_t number;
      if (name == "num_carries" && absl::SimpleAtoi(v, &number)) p->set_num_carries(number);
      return;
    }
    default: return;
  }
}

void FillAttribute(const Instruction& i, const Attribute& a, Proto* p) {
  if (const auto* v = std::get_if<int64_t>(&a.value)) return FillInt(i, a.id, *v, p);
  if (const auto* v = std::get_if<double>(&a.value)) {
    if (a.id == AttrId::kEpsilon) p->set_epsilon(static_cast<float>(*v));
    return;
  }
  if (const auto* v = std::get_if<absl::string_view>(&a.value)) return FillText(i, a.id, a.name, *v, p);
  if (const auto* v = std::get_if<std::vector<int64_t>>(&a.value)) return FillInts(i, a.id, *v, p);
  if (const auto* v = std::get_if<Window>(&a.value)) return FillWindow(*v, p);
  if (const auto* v = std::get_if<Boxed<ConvDimensionNumbers>>(&a.value)) return FillLabels(**v, p->mutable_convolution_dimension_numbers());
  if (const auto* v = std::get_if<std::vector<PaddingDimension>>(&a.value)) {
    for (const PaddingDimension& d : *v) {
      auto* to = p->mutable_padding_config()->add_dimensions();
      to->set_edge_padding_low(d.low);
      to->set_edge_padding_high(d.high);
      to->set_interior_padding(d.interior);
    }
  } else if (const auto* v = std::get_if<std::vector<SliceDimension>>(&a.value)) {
    for (const SliceDimension& d : *v) {
      auto* to = p->add_slice_dimensions();
      to->set_start(d.start);
      to->set_limit(d.limit);
      to->set_stride(d.stride);
    }
  } else if (const auto* v = std::get_if<std::vector<std::pair<int64_t, int64_t>>>(&a.value)) {
    for (const auto& [source, target] : *v) {
      pb::SourceTarget* to = p->add_source_target_pairs();
      to->set_source(source);
      to->set_target(target);
    }
  }
}

// What XLA's messages always say, also where the text leaves it out.
void FillDefaults(const Instruction& i, Proto* p) {
  if (i.opcode == Opcode::kCompare && !p->has_comparison_type() && !i.operands.empty()) {
    const ElementType t = i.operands[0]->shape.element_type();
    p->set_comparison_type(IsFloat(t) || IsComplex(t) ? "FLOAT" : IsSigned(t) ? "SIGNED" : "UNSIGNED");
  }
  if (i.opcode == Opcode::kConvolution || i.opcode == Opcode::kCustomCall) {
    if (!p->has_feature_group_count()) p->set_feature_group_count(1);
    if (!p->has_batch_group_count()) p->set_batch_group_count(1);
  }
  if (i.opcode == Opcode::kCustomCall && !p->has_custom_call_api_version()) p->set_custom_call_api_version(1);
  if ((i.opcode == Opcode::kDot || i.opcode == Opcode::kConvolution) && p->precision_config().operand_precision_size() == 0) {
    for (int k = 0; k < 2; ++k) p->mutable_precision_config()->add_operand_precision(0);
  }
}

}  // namespace

void FillAttributes(const Instruction& i, Proto* p) {
  for (const Attribute& a : i.attributes) FillAttribute(i, a, p);
  FillDefaults(i, p);
  if (!i.sharding.empty() && !ParseSharding(i.sharding, p->mutable_sharding())) p->clear_sharding();
  if (!i.frontend_attributes.empty() && !ParseFrontendAttributes(i.frontend_attributes, p->mutable_frontend_attributes())) {
    p->clear_frontend_attributes();
  }
  if (!i.metadata.raw.empty()) {
    pb::OpMetadata* m = p->mutable_metadata();
    if (!ParseMetadata(i.metadata.raw, m) || !SameRawText(MetadataText(*m), absl::StrCat("{", i.metadata.raw, "}"))) {
      Set(m->mutable_other_text(), i.metadata.raw);
    }
  }
  if (!i.backend_config.empty() && !ParseConfig(i.backend_config, p->mutable_backend_config())) p->clear_backend_config();
  if (!i.statistics.empty() && !ParseStatistics(i.statistics, p->mutable_statistics_viz())) p->clear_statistics_viz();
}

AttributeTexts TextsOf(const Instruction& i) {
  AttributeTexts texts;
  for (const Attribute& a : i.attributes) {
    const absl::string_view name = a.name.empty() ? Info(a.id).name : a.name;
    std::string text;
    PrintOptions options;
    TextOf(Info(a.id).kind).print(a.value, options, &text);
    texts.emplace_back(std::string(name), std::move(text));
  }
  const auto add = [&](absl::string_view name, absl::string_view value) {
    if (!value.empty()) texts.emplace_back(std::string(name), std::string(value));
  };
  add("sharding", i.sharding);
  add("frontend_attributes", i.frontend_attributes);
  if (!i.metadata.raw.empty()) add("metadata", absl::StrCat("{", i.metadata.raw, "}"));
  add("backend_config", i.backend_config);
  add("statistics", i.statistics);
  return texts;
}

}  // namespace hloscope
