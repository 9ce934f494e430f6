// What the fields of an instruction say in HLO text. Which fields count depends on the operation: in the messages a number that is zero is
// not there, so `index=0` of a get-tuple-element is no field at all.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "core/text/attribute_text.h"
#include "core/text/proto/convert.h"
#include "core/text/proto/names.h"

namespace hloscope {
namespace {

using namespace proto_names;

template <typename Field>
std::vector<int64_t> Ints(const Field& field) {
  return {field.begin(), field.end()};
}

std::string KindText(AttrKind kind, const AttrValue& value) {
  std::string text;
  TextOf(kind).print(value, PrintOptions(), &text);
  return text;
}

bool ValidLabels(const ConvDimensionNumbers& d) {
  const auto in_range = [](int64_t x) { return x >= 0 && x < 64; };
  const auto list = [&](const std::vector<int64_t>& l) { return l.size() <= 10 && std::all_of(l.begin(), l.end(), in_range); };
  return in_range(d.input_batch) && in_range(d.input_feature) && in_range(d.kernel_input_feature) && in_range(d.kernel_output_feature) &&
         in_range(d.output_batch) && in_range(d.output_feature) && list(d.input_spatial) && list(d.kernel_spatial) && list(d.output_spatial);
}

class Texts {
 public:
  Texts(const pb::HloInstructionProto& p, const InstructionContext& context) : p_(p), c_(context) {}

  AttributeTexts Make(Opcode opcode) {
    Operation(opcode);
    Common();
    return std::move(texts_);
  }

 private:
  void Add(absl::string_view name, std::string text) { texts_.emplace_back(std::string(name), std::move(text)); }
  void AddInt(absl::string_view name, int64_t value) { Add(name, absl::StrCat(value)); }
  void AddBool(absl::string_view name, bool value) { Add(name, value ? "true" : "false"); }
  void AddTrue(absl::string_view name, bool value) {
    if (value) Add(name, "true");
  }
  template <typename Field>
  void AddList(absl::string_view name, const Field& field) {
    Add(name, ListText(field));
  }
  template <typename Field>
  void AddSome(absl::string_view name, const Field& field) {
    if (field.size() > 0) AddList(name, field);
  }
  void Dimensions() { AddList("dimensions", p_.dimensions()); }
  void Called(absl::string_view name, size_t i) {
    if (i >= c_.called.size()) return;
    std::string text;
    AppendName(c_.called[i], /*percent=*/false, &text);
    Add(name, std::move(text));
  }
  void CalledList(absl::string_view name) {
    if (c_.called.empty()) return;
    std::string text = "{";
    for (absl::string_view computation : c_.called) {
      if (text.size() > 1) text += ", ";
      AppendName(computation, /*percent=*/false, &text);
    }
    Add(name, text + "}");
  }

  void Window() {
    if (p_.window().dimensions_size() == 0) return;
    hloscope::Window window;
    for (const pb::WindowDimension& d : p_.window().dimensions()) {
      window.push_back({d.size(), d.stride() == 0 ? 1 : d.stride(), d.padding_low(), d.padding_high(),
                        d.base_dilation() == 0 ? 1 : d.base_dilation(), d.window_dilation() == 0 ? 1 : d.window_dilation(),
                        d.window_reversal()});
    }
    Add("window", KindText(AttrKind::Window, window));
  }
  void Labels() {
    if (!p_.has_convolution_dimension_numbers()) return;
    const pb::ConvolutionDimensionNumbers& n = p_.convolution_dimension_numbers();
    ConvDimensionNumbers d{n.input_batch_dimension(), n.input_feature_dimension(), n.kernel_input_feature_dimension(),
                           n.kernel_output_feature_dimension(), n.output_batch_dimension(), n.output_feature_dimension(),
                           Ints(n.input_spatial_dimensions()), Ints(n.kernel_spatial_dimensions()), Ints(n.output_spatial_dimensions())};
    Add("dim_labels", ValidLabels(d) ? KindText(AttrKind::DimLabels, d) : "invalid");
  }
  void Groups() {
    if (p_.feature_group_count() > 1) AddInt("feature_group_count", p_.feature_group_count());
    if (p_.batch_group_count() > 1) AddInt("batch_group_count", p_.batch_group_count());
  }
  void Precision(bool with_algorithm) {
    const auto& list = p_.precision_config().operand_precision();
    if (std::any_of(list.begin(), list.end(), [](int x) { return x != 0; })) {
      std::vector<absl::string_view> names;
      for (int x : list) names.push_back(NameAt(kPrecisions, x));
      Add("operand_precision", absl::StrCat("{", absl::StrJoin(names, ","), "}"));
    }
    if (with_algorithm && p_.precision_config().algorithm() != 0) {
      Add("algorithm", std::string(NameAt(kAlgorithms, p_.precision_config().algorithm())));
    }
  }
  void Dot(const pb::DotDimensionNumbers& d) {
    AddSome("lhs_batch_dims", d.lhs_batch_dimensions());
    AddList("lhs_contracting_dims", d.lhs_contracting_dimensions());
    AddSome("rhs_batch_dims", d.rhs_batch_dimensions());
    AddList("rhs_contracting_dims", d.rhs_contracting_dimensions());
  }
  void IndexFlags() {
    AddTrue("indices_are_sorted", p_.indices_are_sorted());
    AddTrue("unique_indices", p_.unique_indices());
  }
  void Gather() {
    const pb::GatherDimensionNumbers& g = p_.gather_dimension_numbers();
    AddList("offset_dims", g.offset_dims());
    AddList("collapsed_slice_dims", g.collapsed_slice_dims());
    AddList("start_index_map", g.start_index_map());
    AddSome("operand_batching_dims", g.operand_batching_dims());
    AddSome("start_indices_batching_dims", g.start_indices_batching_dims());
    AddInt("index_vector_dim", g.index_vector_dim());
    AddList("slice_sizes", p_.gather_slice_sizes());
    IndexFlags();
  }
  void Scatter() {
    const pb::ScatterDimensionNumbers& s = p_.scatter_dimension_numbers();
    AddList("update_window_dims", s.update_window_dims());
    AddList("inserted_window_dims", s.inserted_window_dims());
    AddList("scatter_dims_to_operand_dims", s.scatter_dims_to_operand_dims());
    AddSome("input_batching_dims", s.input_batching_dims());
    AddSome("scatter_indices_batching_dims", s.scatter_indices_batching_dims());
    AddInt("index_vector_dim", s.index_vector_dim());
    IndexFlags();
    Called("to_apply", 0);
  }
  void Compare() {
    Add("direction", p_.comparison_direction());
    const std::string& type = p_.comparison_type();
    if (c_.first_operand == nullptr || type.empty()) return;
    const ElementType t = c_.first_operand->element_type();
    const absl::string_view usual = IsFloat(t) || IsComplex(t) ? "FLOAT" : IsSigned(t) ? "SIGNED" : "UNSIGNED";
    if (usual != View(type)) Add("type", type);
  }
  void Slices() {
    std::vector<SliceDimension> slices;
    for (const auto& s : p_.slice_dimensions()) slices.push_back({s.start(), s.limit(), s.stride() == 0 ? 1 : s.stride()});
    Add("slice", KindText(AttrKind::Slices, slices));
  }
  void Padding() {
    std::vector<PaddingDimension> padding;
    for (const auto& d : p_.padding_config().dimensions()) padding.push_back({d.edge_padding_low(), d.edge_padding_high(), d.interior_padding()});
    Add("padding", KindText(AttrKind::Padding, padding));
  }
  void Channel() {
    const int64_t id = p_.channel_id() > 0 ? p_.channel_id() : p_.all_reduce_id();
    if (id > 0) AddInt("channel_id", id);
  }
  void Collective(bool groups) {
    Channel();
    if (groups) Add("replica_groups", DevicesText(p_));
    AddTrue("use_global_device_ids", p_.use_global_device_ids());
    AddTrue("constrain_layout", p_.constrain_layout());
  }
  void Pairs() {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const pb::SourceTarget& pair : p_.source_target_pairs()) pairs.emplace_back(pair.source(), pair.target());
    Add("source_target_pairs", KindText(AttrKind::Pairs, pairs));
  }
  void Aliasing() {
    if (p_.output_operand_aliasing_size() == 0) return;
    std::vector<std::string> entries;
    for (const pb::OutputOperandAliasing& a : p_.output_operand_aliasing()) {
      entries.push_back(absl::StrCat(ListText(a.output_shape_index()), ": (", a.operand_index(), ", ", ListText(a.operand_shape_index()), ")"));
    }
    Add("output_to_operand_aliasing", absl::StrCat("{", absl::StrJoin(entries, ", "), "}"));
  }
  void CustomCall() {
    Add("custom_call_target", absl::StrCat("\"", absl::CEscape(p_.custom_call_target()), "\""));
    Window();
    Labels();
    Groups();
    Precision(/*with_algorithm=*/false);
    AddTrue("custom_call_has_side_effect", p_.custom_call_has_side_effect());
    if (p_.constrain_layout()) {
      std::vector<std::string> shapes;
      for (const pb::ShapeProto& proto : p_.operand_shapes_with_layout()) {
        const absl::StatusOr<Shape> shape = ShapeOf(proto);
        shapes.push_back(shape.ok() ? shape->ToString() : "invalid");
      }
      Add("operand_layout_constraints", absl::StrCat("{", absl::StrJoin(shapes, ", "), "}"));
    }
    Aliasing();
    if (p_.custom_call_schedule() != 0) Add("schedule", std::string(NameAt(kSchedules, p_.custom_call_schedule())));
    if (p_.custom_call_api_version() > 1) Add("api_version", std::string(NameAt(kApiVersions, p_.custom_call_api_version())));
    CalledList("called_computations");
  }
  void Conditional() {
    if (c_.called.size() == 2 && c_.first_operand != nullptr && IsPred(c_.first_operand->element_type())) {
      Called("true_computation", 0);
      Called("false_computation", 1);
    } else {
      CalledList("branch_computations");
    }
  }
  void TriangularSolve() {
    const pb::TriangularSolveOptions& o = p_.triangular_solve_options();
    AddBool("left_side", o.left_side());
    AddBool("lower", o.lower());
    AddBool("unit_diagonal", o.unit_diagonal());
    Add("transpose_a", std::string(NameAt(kTransposes, o.transpose_a() == 0 ? 1 : o.transpose_a())));
  }
  void CopyStart() {
    if (p_.has_cross_program_prefetch_index()) AddInt("cross_program_prefetch_index", p_.cross_program_prefetch_index());
    else AddTrue("is_cross_program_prefetch", p_.is_cross_program_prefetch());
  }
  void Float(absl::string_view name, float value) {
    std::string text;
    // As few digits as give the number back: the text is of a double otherwise.
    Add(name, KindText(AttrKind::Float, static_cast<double>(value)));
    for (int digits = 6; digits <= 9; ++digits) {
      char buffer[32];
      std::snprintf(buffer, sizeof(buffer), "%.*g", digits, static_cast<double>(value));
      if (std::strtof(buffer, nullptr) == value) {
        texts_.back().second = buffer;
        return;
      }
    }
  }
  void TopK() {
    AddInt("k", p_.k());
    AddBool("largest", p_.largest());
    Called("to_apply", 0);
  }

  void Operation(Opcode opcode) {
    switch (opcode) {
      case Opcode::kBroadcast:
      case Opcode::kTranspose:
      case Opcode::kReverse:
      case Opcode::kConcatenate:
      case Opcode::kGetDimensionSize:
      case Opcode::kSetDimensionSize: return Dimensions();
      case Opcode::kReduce: Dimensions(); return Called("to_apply", 0);
      case Opcode::kMap: Dimensions(); return Called("to_apply", 0);
      case Opcode::kSort: Dimensions(); AddTrue("is_stable", p_.is_stable()); return Called("to_apply", 0);
      case Opcode::kScan:
        Dimensions();
        AddTrue("is_reverse", p_.is_reverse());
        if (p_.num_carries() > 0) AddInt("num_carries", p_.num_carries());
        return Called("to_apply", 0);
      case Opcode::kIota:
        if (p_.dimensions_size() > 0) AddInt("iota_dimension", p_.dimensions(0));
        return;
      case Opcode::kSlice: return Slices();
      case Opcode::kDynamicSlice: return AddList("dynamic_slice_sizes", p_.dynamic_slice_sizes());
      case Opcode::kPad: return Padding();
      case Opcode::kGather: return Gather();
      case Opcode::kScatter: return Scatter();
      case Opcode::kReduceWindow: Window(); return Called("to_apply", 0);
      case Opcode::kSelectAndScatter: Window(); Called("select", 0); return Called("scatter", 1);
      case Opcode::kDot: Dot(p_.dot_dimension_numbers()); return Precision(true);
      case Opcode::kRaggedDot: {
        const pb::RaggedDotDimensionNumbers& r = p_.ragged_dot_dimension_numbers();
        Dot(r.dot_dimension_numbers());
        AddList("lhs_ragged_dims", r.lhs_ragged_dimensions());
        AddSome("rhs_group_dims", r.rhs_group_dimensions());
        return Precision(true);
      }
      case Opcode::kConvolution: Window(); Labels(); Groups(); return Precision(true);
      case Opcode::kBatchNormTraining:
      case Opcode::kBatchNormInference:
      case Opcode::kBatchNormGrad: Float("epsilon", p_.epsilon()); return AddInt("feature_index", p_.feature_index());
      case Opcode::kCompare: return Compare();
      case Opcode::kReducePrecision: AddInt("exponent_bits", p_.exponent_bits()); return AddInt("mantissa_bits", p_.mantissa_bits());
      case Opcode::kGetTupleElement: return AddInt("index", p_.tuple_index());
      case Opcode::kParameter:
        if (p_.parameter_replication().replicated_at_leaf_buffers_size() > 0) {
          Add("parameter_replication", absl::StrCat("{", absl::StrJoin(p_.parameter_replication().replicated_at_leaf_buffers(), ",",
                                                                       [](std::string* out, bool b) { out->append(b ? "true" : "false"); }),
                                                    "}"));
        }
        return;
      case Opcode::kFusion:
        Add("kind", p_.fusion_kind().empty() ? "kLoop" : p_.fusion_kind());
        Aliasing();
        return Called("calls", 0);
      case Opcode::kCall: AddTrue("is_composite", p_.is_composite()); Aliasing(); return Called("to_apply", 0);
      case Opcode::kWhile: Called("condition", 1); return Called("body", 0);
      case Opcode::kConditional: return Conditional();
      case Opcode::kCustomCall: return CustomCall();
      case Opcode::kAsyncStart:
      case Opcode::kAsyncUpdate:
      case Opcode::kAsyncDone:
        if (!p_.async_execution_thread().empty() && p_.async_execution_thread() != "main") {
          Add("async_execution_thread", absl::StrCat("\"", p_.async_execution_thread(), "\""));
        }
        if (opcode == Opcode::kAsyncStart) Called("calls", 0);
        return;
      case Opcode::kCopyStart: return CopyStart();
      case Opcode::kFft: Add("fft_type", std::string(NameAt(kFftTypes, p_.fft_type()))); return AddList("fft_length", p_.fft_length());
      case Opcode::kTriangularSolve: return TriangularSolve();
      case Opcode::kCholesky: return AddBool("lower", p_.cholesky_options().lower());
      case Opcode::kTopk: return TopK();
      case Opcode::kRng: return Add("distribution", std::string(NameAt(kDistributions, p_.distribution())));
      case Opcode::kRngBitGenerator: return Add("algorithm", std::string(NameAt(kRandomAlgorithms, p_.rng_algorithm())));
      case Opcode::kRngGetAndUpdateState: return AddInt("delta", p_.delta());
      case Opcode::kInfeed:
        if (!p_.infeed_config().empty()) Add("infeed_config", absl::StrCat("\"", absl::CEscape(p_.infeed_config()), "\""));
        return;
      case Opcode::kOutfeed: {
        const absl::StatusOr<Shape> shape = ShapeOf(p_.outfeed_shape());
        if (p_.has_outfeed_shape() && shape.ok()) Add("outfeed_shape", shape->ToString());
        if (!p_.outfeed_config().empty()) Add("outfeed_config", absl::StrCat("\"", absl::CEscape(p_.outfeed_config()), "\""));
        return;
      }
      case Opcode::kSend:
      case Opcode::kSendDone:
      case Opcode::kRecv:
      case Opcode::kRecvDone: Channel(); return AddTrue("is_host_transfer", p_.is_host_transfer());
      case Opcode::kAllReduce:
      case Opcode::kAllReduceStart: Collective(true); return Called("to_apply", 0);
      case Opcode::kAllGather:
      case Opcode::kAllGatherStart: Collective(true); return Dimensions();
      case Opcode::kReduceScatter: Collective(true); Dimensions(); return Called("to_apply", 0);
      case Opcode::kAllToAll: Collective(true); return AddSome("dimensions", p_.dimensions());
      case Opcode::kRaggedAllToAll:
      case Opcode::kCollectiveBroadcast: return Collective(true);
      case Opcode::kCollectivePermute:
      case Opcode::kCollectivePermuteStart: Collective(false); return Pairs();
      case Opcode::kDomain:
        return Add("domain", absl::StrCat("{kind=\"sharding\", entry=", ShardingText(p_.domain_entry_sharding()),
                                          ", exit=", ShardingText(p_.domain_exit_sharding()), "}"));
      default: return;
    }
  }

  // origin={({"a"}, {"b" {0}})}: where the parts of the result came from.
  std::string Origin(const Shape& shape, std::vector<int64_t>& at) const {
    if (shape.IsTuple()) {
      std::vector<std::string> parts;
      for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
        at.push_back(static_cast<int64_t>(i));
        parts.push_back(Origin(shape.tuple_shapes()[i], at));
        at.pop_back();
      }
      return absl::StrCat("(", absl::StrJoin(parts, ", "), ")");
    }
    for (const pb::OriginalValueElementProto& e : p_.original_value().elements()) {
      if (!std::equal(at.begin(), at.end(), e.shape_index().begin(), e.shape_index().end())) continue;
      const pb::OriginalArrayProto& array = e.original_array();
      const std::string index = array.shape_index_size() > 0 ? absl::StrCat(" ", ListText(array.shape_index())) : "";
      return absl::StrCat("{\"", absl::CEscape(array.instruction_name()), "\"", index, "}");
    }
    return "{}";
  }

  void Accuracy() {
    const pb::ResultAccuracy& a = p_.result_accuracy();
    if (a.has_tolerance()) {
      Add("result_accuracy", absl::StrCat("{tolerance={atol=", a.tolerance().atol(), ",rtol=", a.tolerance().rtol(), ",ulps=",
                                          a.tolerance().ulps(), "}}"));
    } else if (a.mode() == 1) {
      Add("result_accuracy", "{mode=highest}");
    }
  }

  void Common() {
    if (p_.has_result_accuracy()) Accuracy();
    if (p_.has_sharding()) Add("sharding", ShardingText(p_.sharding()));
    if (p_.frontend_attributes().map_size() > 0) Add("frontend_attributes", FrontendAttributesText(p_.frontend_attributes()));
    if (p_.original_value().elements_size() > 0 && c_.shape != nullptr) {
      std::vector<int64_t> at;
      Add("origin", absl::StrCat("{", Origin(*c_.shape, at), "}"));
    }
    if (p_.has_metadata()) {
      std::string text = MetadataText(p_.metadata());
      if (text != "{}" || p_.metadata().has_other_text()) Add("metadata", std::move(text));
    }
    absl::string_view config = p_.backend_config();
    const pb::Payload& payload = p_.backend_config_payload();
    if (config.empty() && payload.has_value()) config = payload.value();
    if (config.empty() && payload.has_id() && c_.payloads != nullptr && payload.id() >= 0 && payload.id() < c_.payloads->size()) {
      config = c_.payloads->Get(static_cast<int>(payload.id()));
    }
    if (!config.empty()) Add("backend_config", ConfigText(config));
    if (p_.has_statistics_viz()) Add("statistics", StatisticsText(p_.statistics_viz()));
  }

  const pb::HloInstructionProto& p_;
  const InstructionContext& c_;
  AttributeTexts texts_;
};

}  // namespace

AttributeTexts TextsOf(const pb::HloInstructionProto& proto, Opcode opcode, const InstructionContext& context) {
  return Texts(proto, context).Make(opcode);
}

bool SameTexts(AttributeTexts a, AttributeTexts b) {
  if (a.size() != b.size()) return false;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].first != b[i].first || !SameRawText(a[i].second, b[i].second)) return false;
  }
  return true;
}

std::string JoinTexts(const AttributeTexts& texts) {
  return absl::StrJoin(texts, ", ", [](std::string* out, const auto& t) {
    AppendName(t.first, /*percent=*/false, out);
    absl::StrAppend(out, "=", t.second);
  });
}

}  // namespace hloscope
