// The functions of operations.h that reduce, slide windows, sort and map; dots, convolutions and the other numeric ones.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ops/builder/constants.h"
#include "core/ops/builder/internal.h"

namespace hloscope::hlo {

std::vector<std::pair<int64_t, int64_t>> MakePadding(Dims sizes, Dims window, Dims strides, Padding padding) {
  std::vector<std::pair<int64_t, int64_t>> result(sizes.size());
  if (padding == Padding::kValid) return result;
  for (size_t d = 0; d < sizes.size() && d < window.size(); ++d) {
    const int64_t stride = d < strides.size() ? std::max<int64_t>(strides[d], 1) : 1;
    const int64_t places = (sizes[d] + stride - 1) / stride;
    const int64_t total = std::max<int64_t>((places - 1) * stride + window[d] - sizes[d], 0);
    result[d] = {total / 2, total - total / 2};
  }
  return result;
}

std::optional<Window> MakeWindow(Builder* builder, Dims sizes, Dims strides, Pairs padding, Dims base_dilations, Dims window_dilations,
                                 const std::vector<bool>& reversal, Place place) {
  const auto fits = [&](size_t count) { return count == 0 || count == sizes.size(); };
  if (!fits(strides.size()) || !fits(padding.size()) || !fits(base_dilations.size()) || !fits(window_dilations.size()) ||
      !fits(reversal.size())) {
    builder->Error(HLO_LABEL("builder.window-lists"),
                   absl::StrCat("the strides, paddings and dilations of a window of ", sizes.size(), " dimensions need as many entries"),
                   place);
    return std::nullopt;
  }
  Window window(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    window[d].size = sizes[d];
    if (!strides.empty()) window[d].stride = strides[d];
    if (!padding.empty()) window[d].padding_low = padding[d].first, window[d].padding_high = padding[d].second;
    if (!base_dilations.empty()) window[d].base_dilation = base_dilations[d];
    if (!window_dilations.empty()) window[d].window_dilation = window_dilations[d];
    if (!reversal.empty()) window[d].reversal = reversal[d];
  }
  return window;
}

namespace {

Attribute WindowAttribute(Window window) { return {AttrId::kWindow, {}, std::move(window), {}}; }

std::vector<Op> Joined(Ops a, Ops b) {
  std::vector<Op> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

Dims DimensionsOf(const Op& op) { return op.shape().dimensions(); }

}  // namespace

// -- Reductions --

Op Reduce(Op operand, Op init_value, Computation* computation, Dims dimensions_to_reduce, Place place) {
  return Make(Opcode::kReduce, {operand, init_value},
              {Ints(AttrId::kDimensions, dimensions_to_reduce), Callee(AttrId::kToApply, computation)}, std::nullopt, place);
}

Op Reduce(Builder* builder, Ops operands, Ops init_values, Computation* computation, Dims dimensions_to_reduce, Place place) {
  return builder->Add(Opcode::kReduce, Joined(operands, init_values),
                      {Ints(AttrId::kDimensions, dimensions_to_reduce), Callee(AttrId::kToApply, computation)}, std::nullopt, place);
}

Op ReduceAll(Op operand, Op init_value, Computation* computation, Place place) {
  std::vector<int64_t> all;
  for (int d = 0; d < operand.shape().rank(); ++d) all.push_back(d);
  return Reduce(operand, init_value, computation, all, place);
}

Op ReduceWindow(Op operand, Op init_value, Computation* computation, Dims window_dimensions, Dims window_strides, Padding padding,
                Place place) {
  return ReduceWindow({&operand, 1}, {&init_value, 1}, computation, window_dimensions, window_strides, padding, place);
}

Op ReduceWindow(Ops operands, Ops init_values, Computation* computation, Dims window_dimensions, Dims window_strides, Padding padding,
                Place place) {
  if (operands.empty()) return Op();
  return ReduceWindowWithGeneralPadding(operands, init_values, computation, window_dimensions, window_strides, {}, {},
                                        MakePadding(DimensionsOf(operands[0]), window_dimensions, window_strides, padding), place);
}

Op ReduceWindowWithGeneralPadding(Ops operands, Ops init_values, Computation* computation, Dims window_dimensions, Dims window_strides,
                                  Dims base_dilations, Dims window_dilations, Pairs padding, Place place) {
  const std::vector<Op> all = Joined(operands, init_values);
  Builder* builder = BuilderOf(all);
  if (builder == nullptr || !AllValid(all)) return Missing(Opcode::kReduceWindow, all, place);
  std::optional<Window> window =
      MakeWindow(builder, window_dimensions, window_strides, padding, base_dilations, window_dilations, {}, place);
  if (!window.has_value()) return Op();  // the builder has the error
  return Make(Opcode::kReduceWindow, all, {WindowAttribute(*std::move(window)), Callee(AttrId::kToApply, computation)}, std::nullopt,
              place);
}

Op SelectAndScatter(Op operand, Computation* select, Dims window_dimensions, Dims window_strides, Padding padding, Op source, Op init_value,
                    Computation* scatter, Place place) {
  return SelectAndScatterWithGeneralPadding(operand, select, window_dimensions, window_strides,
                                            MakePadding(DimensionsOf(operand), window_dimensions, window_strides, padding), source,
                                            init_value, scatter, place);
}

Op SelectAndScatterWithGeneralPadding(Op operand, Computation* select, Dims window_dimensions, Dims window_strides, Pairs padding,
                                      Op source, Op init_value, Computation* scatter, Place place) {
  const std::vector<Op> all = {operand, source, init_value};
  Builder* builder = BuilderOf(all);
  if (builder == nullptr || !AllValid(all)) return Missing(Opcode::kSelectAndScatter, all, place);
  std::optional<Window> window = MakeWindow(builder, window_dimensions, window_strides, padding, {}, {}, {}, place);
  if (!window.has_value()) return Op();  // the builder has the error
  return Make(Opcode::kSelectAndScatter, all,
              {WindowAttribute(*std::move(window)), Callee(AttrId::kSelect, select), Callee(AttrId::kScatter, scatter)}, std::nullopt,
              place);
}

Op Sort(Ops operands, Computation* comparator, int64_t dimension, bool is_stable, Place place) {
  if (dimension == -1 && !operands.empty()) dimension = std::max(operands[0].shape().rank() - 1, 0);
  std::vector<Attribute> attributes = {Ints(AttrId::kDimensions, {dimension})};
  if (is_stable) attributes.push_back(Flag(AttrId::kIsStable, true));
  attributes.push_back(Callee(AttrId::kToApply, comparator));
  return Make(Opcode::kSort, operands, std::move(attributes), std::nullopt, place);
}

Op TopK(Op operand, int64_t k, bool largest, Place place) {
  return Make(Opcode::kTopk, {operand}, {Int(AttrId::kK, k), Flag(AttrId::kLargest, largest)}, std::nullopt, place);
}

Op Map(Builder* builder, Ops operands, Computation* computation, Dims dimensions, Place place) {
  return builder->Add(Opcode::kMap, operands, {Ints(AttrId::kDimensions, dimensions), Callee(AttrId::kToApply, computation)}, std::nullopt,
                      place);
}

Op Scan(Ops inputs, Ops init_values, Computation* computation, int64_t dimension, const Shape& shape, bool is_reverse, Place place) {
  std::vector<Attribute> attributes = {Ints(AttrId::kDimensions, {dimension})};
  if (is_reverse) attributes.push_back(Flag(AttrId::kIsScan, true));
  attributes.push_back(Callee(AttrId::kToApply, computation));
  return Make(Opcode::kScan, Joined(inputs, init_values), std::move(attributes), shape, place);
}

// -- Dots and convolutions --

namespace {

Op MakeTyped(Opcode opcode, Ops operands, std::vector<Attribute> attributes, MaybeType type, Place place) {
  Builder* builder = BuilderOf(operands);
  if (builder == nullptr || !type.has_value()) return Make(opcode, operands, std::move(attributes), std::nullopt, place);
  return builder->AddTyped(opcode, operands, std::move(attributes), *type, place);
}

std::vector<Attribute> DotAttributes(const DotDimensionNumbers& n) {
  std::vector<Attribute> attributes;
  if (!n.lhs_batch.empty()) attributes.push_back(Ints(AttrId::kLhsBatchDims, n.lhs_batch));
  if (!n.lhs_contracting.empty()) attributes.push_back(Ints(AttrId::kLhsContractingDims, n.lhs_contracting));
  if (!n.rhs_batch.empty()) attributes.push_back(Ints(AttrId::kRhsBatchDims, n.rhs_batch));
  if (!n.rhs_contracting.empty()) attributes.push_back(Ints(AttrId::kRhsContractingDims, n.rhs_contracting));
  return attributes;
}

}  // namespace

Op Dot(Op lhs, Op rhs, MaybeType preferred_element_type, Place place) {
  const Op operands[] = {lhs, rhs};
  if (!AllValid(operands)) return Missing(Opcode::kDot, operands, place);
  for (const Op& op : operands) {
    if (op.shape().IsArray() && (op.shape().rank() == 1 || op.shape().rank() == 2)) continue;
    return op.builder()->Error(
        HLO_LABEL("builder.dot-rank"),
        absl::StrCat("Dot takes vectors and matrices, not ", op.shape().ToString(false), "; DotGeneral takes any rank"), place);
  }
  return DotGeneral(lhs, rhs, {{lhs.shape().rank() - 1}, {0}}, preferred_element_type, place);
}

Op DotGeneral(Op lhs, Op rhs, const DotDimensionNumbers& dimension_numbers, MaybeType preferred_element_type, Place place) {
  const Op operands[] = {lhs, rhs};
  return MakeTyped(Opcode::kDot, operands, DotAttributes(dimension_numbers), preferred_element_type, place);
}

Op RaggedDot(Op lhs, Op rhs, Op group_sizes, const RaggedDotDimensionNumbers& n, MaybeType preferred_element_type, Place place) {
  const Op operands[] = {lhs, rhs, group_sizes};
  std::vector<Attribute> attributes = DotAttributes(n.dot);
  attributes.push_back(Ints(AttrId::kLhsRaggedDims, n.lhs_ragged));
  if (!n.rhs_group.empty()) attributes.push_back(Ints(AttrId::kRhsGroupDims, n.rhs_group));
  return MakeTyped(Opcode::kRaggedDot, operands, std::move(attributes), preferred_element_type, place);
}

ConvDimensionNumbers DefaultConvDimensionNumbers(int spatial) {
  ConvDimensionNumbers n;
  n.input_batch = n.output_batch = n.kernel_output_feature = 0;
  n.input_feature = n.output_feature = n.kernel_input_feature = 1;
  for (int d = 0; d < spatial; ++d) {
    for (auto* list : {&n.input_spatial, &n.kernel_spatial, &n.output_spatial}) list->push_back(2 + d);
  }
  return n;
}

Op Conv(Op lhs, Op rhs, Dims window_strides, Padding padding, int64_t feature_group_count, int64_t batch_group_count, Place place) {
  const Op operands[] = {lhs, rhs};
  if (!AllValid(operands) || lhs.shape().rank() < 2 || rhs.shape().rank() < 2) return Missing(Opcode::kConvolution, operands, place);
  return ConvWithGeneralPadding(lhs, rhs, window_strides,
                                MakePadding(DimensionsOf(lhs).subspan(2), DimensionsOf(rhs).subspan(2), window_strides, padding), {}, {},
                                feature_group_count, batch_group_count, place);
}

Op ConvWithGeneralPadding(Op lhs, Op rhs, Dims window_strides, Pairs padding, Dims lhs_dilation, Dims rhs_dilation,
                          int64_t feature_group_count, int64_t batch_group_count, Place place) {
  return ConvGeneralDilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation,
                            DefaultConvDimensionNumbers(std::max(lhs.shape().rank() - 2, 0)), feature_group_count, batch_group_count,
                            std::nullopt, {}, place);
}

Op ConvGeneral(Op lhs, Op rhs, Dims window_strides, Pairs padding, const ConvDimensionNumbers& dimension_numbers,
               int64_t feature_group_count, int64_t batch_group_count, Place place) {
  return ConvGeneralDilated(lhs, rhs, window_strides, padding, {}, {}, dimension_numbers, feature_group_count, batch_group_count,
                            std::nullopt, {}, place);
}

Op ConvGeneralDilated(Op lhs, Op rhs, Dims window_strides, Pairs padding, Dims lhs_dilation, Dims rhs_dilation,
                      const ConvDimensionNumbers& n, int64_t feature_group_count, int64_t batch_group_count,
                      MaybeType preferred_element_type, const std::vector<bool>& window_reversal, Place place) {
  const Op operands[] = {lhs, rhs};
  if (!AllValid(operands)) return Missing(Opcode::kConvolution, operands, place);
  Builder* builder = lhs.builder();
  std::vector<int64_t> sizes;
  for (int64_t d : n.kernel_spatial) {
    if (d < 0 || d >= rhs.shape().rank()) {
      return builder->Error(HLO_LABEL("builder.kernel-dimension"),
                            absl::StrCat("the kernel ", rhs.shape().ToString(false), " has no spatial dimension ", d), place);
    }
    sizes.push_back(rhs.shape().dim(static_cast<int>(d)));
  }
  std::optional<Window> window = MakeWindow(builder, sizes, window_strides, padding, lhs_dilation, rhs_dilation, window_reversal, place);
  if (!window.has_value()) return Op();  // the builder has the error
  std::vector<Attribute> attributes;
  if (!window->empty()) attributes.push_back(WindowAttribute(*std::move(window)));
  attributes.push_back({AttrId::kDimLabels, {}, n, {}});
  if (feature_group_count != 1) attributes.push_back(Int(AttrId::kFeatureGroupCount, feature_group_count));
  if (batch_group_count != 1) attributes.push_back(Int(AttrId::kBatchGroupCount, batch_group_count));
  return MakeTyped(Opcode::kConvolution, operands, std::move(attributes), preferred_element_type, place);
}

// -- Others --

namespace {

std::vector<Attribute> BatchNorm(double epsilon, int64_t feature_index) {
  return {{AttrId::kEpsilon, {}, epsilon, {}}, Int(AttrId::kFeatureIndex, feature_index)};
}

}  // namespace

Op BatchNormTraining(Op operand, Op scale, Op offset, double epsilon, int64_t feature_index, Place place) {
  return Make(Opcode::kBatchNormTraining, {operand, scale, offset}, BatchNorm(epsilon, feature_index), std::nullopt, place);
}

Op BatchNormInference(Op operand, Op scale, Op offset, Op mean, Op variance, double epsilon, int64_t feature_index, Place place) {
  return Make(Opcode::kBatchNormInference, {operand, scale, offset, mean, variance}, BatchNorm(epsilon, feature_index), std::nullopt,
              place);
}

Op BatchNormGrad(Op operand, Op scale, Op mean, Op variance, Op grad_output, double epsilon, int64_t feature_index, Place place) {
  return Make(Opcode::kBatchNormGrad, {operand, scale, mean, variance, grad_output}, BatchNorm(epsilon, feature_index), std::nullopt,
              place);
}

Op Cholesky(Op a, bool lower, Place place) { return Make(Opcode::kCholesky, {a}, {Flag(AttrId::kLower, lower)}, std::nullopt, place); }

Op TriangularSolve(Op a, Op b, bool left_side, bool lower, bool unit_diagonal, TransposeOfA transpose_a, Place place) {
  static constexpr absl::string_view kWords[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  return Make(Opcode::kTriangularSolve, {a, b},
              {Flag(AttrId::kLeftSide, left_side), Flag(AttrId::kLower, lower), Flag(AttrId::kUnitDiagonal, unit_diagonal),
               Text(AttrId::kTransposeA, kWords[static_cast<int>(transpose_a)])},
              std::nullopt, place);
}

Op Fft(Op operand, FftType fft_type, Dims fft_length, Place place) {
  static constexpr absl::string_view kWords[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  return Make(Opcode::kFft, {operand}, {Text(AttrId::kFftType, kWords[static_cast<int>(fft_type)]), Ints(AttrId::kFftLength, fft_length)},
              std::nullopt, place);
}

Op RngNormal(Op mu, Op sigma, const Shape& shape, Place place) {
  return Make(Opcode::kRng, {mu, sigma}, {Text(AttrId::kDistribution, "rng_normal")}, shape, place);
}

Op RngUniform(Op a, Op b, const Shape& shape, Place place) {
  return Make(Opcode::kRng, {a, b}, {Text(AttrId::kDistribution, "rng_uniform")}, shape, place);
}

Op RngBitGenerator(RandomAlgorithm algorithm, Op initial_state, const Shape& shape, Place place) {
  static constexpr absl::string_view kWords[] = {"rng_default", "rng_three_fry", "rng_philox"};
  return Make(Opcode::kRngBitGenerator, {initial_state}, {Text(AttrId::kAlgorithm, kWords[static_cast<int>(algorithm)])},
              Shape::Tuple({initial_state.shape().WithoutLayouts(), shape}), place);
}

Op RngGetAndUpdateState(Builder* builder, const Shape& shape, int64_t delta, Place place) {
  return builder->Add(Opcode::kRngGetAndUpdateState, {}, {Int(AttrId::kDelta, delta)}, shape, place);
}

}  // namespace hloscope::hlo
