// The operations as functions of Ops, with the names and arguments of the specification (operations.md). Each adds its instruction (some
// add several: implicit broadcasts, a kSame padding, an AllToAll that moves dimensions) to its operands' builder and gives its result.
// Where operands can be lacking, the builder is the first argument. The last argument is the place of the call, for errors; leave it out.
// Which function makes which operation: methods.def. Constants of C++ numbers: constants.h.
#ifndef HLOSCOPE_CORE_OPS_BUILDER_OPERATIONS_H_
#define HLOSCOPE_CORE_OPS_BUILDER_OPERATIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ops/builder/builder.h"

namespace hloscope::hlo {

using Dims = absl::Span<const int64_t>;
using Ops = absl::Span<const Op>;
using Groups = absl::Span<const std::vector<int64_t>>;  // replica groups; empty: one of all
using Pairs = absl::Span<const std::pair<int64_t, int64_t>>;

inline constexpr ElementType PRED = ElementType::kPred, S8 = ElementType::kS8, S16 = ElementType::kS16, S32 = ElementType::kS32,
                             S64 = ElementType::kS64, U8 = ElementType::kU8, U16 = ElementType::kU16, U32 = ElementType::kU32,
                             U64 = ElementType::kU64, BF16 = ElementType::kBF16, F16 = ElementType::kF16, F32 = ElementType::kF32,
                             F64 = ElementType::kF64, C64 = ElementType::kC64, C128 = ElementType::kC128;

// -- Elementwise: two operands. Broadcast as broadcasting.md says: scalars freely, a lower rank through broadcast_dimensions, sizes of 1 --

Op Add(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Sub(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Mul(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Div(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Pow(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Rem(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Max(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Min(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op And(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Or(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Xor(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op ShiftLeft(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op ShiftRightArithmetic(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op ShiftRightLogical(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Atan2(Op y, Op x, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Complex(Op real, Op imag, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Mulhi(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());

enum class Direction { kEq, kNe, kGe, kGt, kLe, kLt };
Op Compare(Op lhs, Op rhs, Direction direction, Dims broadcast_dimensions = {}, bool total_order = false, Place place = Place::current());
Op Eq(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Ne(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Ge(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Gt(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Le(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op Lt(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op EqTotalOrder(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op NeTotalOrder(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op GeTotalOrder(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op GtTotalOrder(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op LeTotalOrder(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());
Op LtTotalOrder(Op lhs, Op rhs, Dims broadcast_dimensions = {}, Place place = Place::current());

// -- Elementwise: one operand --

Op Abs(Op operand, Place place = Place::current());
Op Acos(Op operand, Place place = Place::current());
Op Acosh(Op operand, Place place = Place::current());
Op Asin(Op operand, Place place = Place::current());
Op Asinh(Op operand, Place place = Place::current());
Op Atanh(Op operand, Place place = Place::current());
Op Cbrt(Op operand, Place place = Place::current());
Op Ceil(Op operand, Place place = Place::current());
Op Clz(Op operand, Place place = Place::current());
Op Cos(Op operand, Place place = Place::current());
Op Cosh(Op operand, Place place = Place::current());
Op Erf(Op operand, Place place = Place::current());
Op Exp(Op operand, Place place = Place::current());
Op Expm1(Op operand, Place place = Place::current());
Op Floor(Op operand, Place place = Place::current());
Op Imag(Op operand, Place place = Place::current());
Op IsFinite(Op operand, Place place = Place::current());
Op Log(Op operand, Place place = Place::current());
Op Log1p(Op operand, Place place = Place::current());
Op Logistic(Op operand, Place place = Place::current());
Op Neg(Op operand, Place place = Place::current());
Op Not(Op operand, Place place = Place::current());
Op PopulationCount(Op operand, Place place = Place::current());
Op Real(Op operand, Place place = Place::current());
Op Round(Op operand, Place place = Place::current());
Op RoundNearestEven(Op operand, Place place = Place::current());
Op Rsqrt(Op operand, Place place = Place::current());
Op Sign(Op operand, Place place = Place::current());
Op Sin(Op operand, Place place = Place::current());
Op Sinh(Op operand, Place place = Place::current());
Op Sqrt(Op operand, Place place = Place::current());
Op Tan(Op operand, Place place = Place::current());
Op Tanh(Op operand, Place place = Place::current());
Op Copy(Op operand, Place place = Place::current());

Op Clamp(Op min, Op operand, Op max, Place place = Place::current());
Op Select(Op pred, Op on_true, Op on_false, Place place = Place::current());
Op ConvertElementType(Op operand, ElementType new_element_type, Place place = Place::current());
Op BitcastConvertType(Op operand, ElementType new_element_type, Place place = Place::current());
Op ReducePrecision(Op operand, int64_t exponent_bits, int64_t mantissa_bits, Place place = Place::current());
Op StochasticConvert(Op operand, Op random, ElementType new_element_type, Place place = Place::current());

// -- Shape and data movement --

Op Broadcast(Op operand, Dims broadcast_sizes, Place place = Place::current());
Op BroadcastInDim(Op operand, Dims out_dim_size, Dims broadcast_dimensions, Place place = Place::current());
Op Reshape(Op operand, Dims dimensions, Place place = Place::current());
Op Collapse(Op operand, Dims dimensions, Place place = Place::current());
Op Transpose(Op operand, Dims permutation, Place place = Place::current());
Op Rev(Op operand, Dims dimensions, Place place = Place::current());
Op Bitcast(Op operand, const Shape& shape, Place place = Place::current());
Op Slice(Op operand, Dims start_indices, Dims limit_indices, Dims strides = {}, Place place = Place::current());
Op SliceInDim(Op operand, int64_t start_index, int64_t limit_index, int64_t stride, int64_t dimension, Place place = Place::current());
Op DynamicSlice(Op operand, Ops start_indices, Dims size_indices, Place place = Place::current());
Op DynamicUpdateSlice(Op operand, Op update, Ops start_indices, Place place = Place::current());
Op ConcatInDim(Builder* builder, Ops operands, int64_t dimension, Place place = Place::current());
Op Concatenate(Ops operands, int64_t dimension, Place place = Place::current());
Op Pad(Op operand, Op padding_value, absl::Span<const PaddingDimension> padding_config, Place place = Place::current());
Op PadInDim(Op operand, Op padding_value, int64_t dimension, int64_t low, int64_t high, Place place = Place::current());
Op Iota(Builder* builder, const Shape& shape, int64_t iota_dimension, Place place = Place::current());
Op Iota(Builder* builder, ElementType type, int64_t size, Place place = Place::current());

struct GatherDimensionNumbers {
  std::vector<int64_t> offset_dims, collapsed_slice_dims, start_index_map;
  int64_t index_vector_dim = 0;
  std::vector<int64_t> operand_batching_dims = {}, start_indices_batching_dims = {};
};
Op Gather(Op operand, Op start_indices, const GatherDimensionNumbers& dimension_numbers, Dims slice_sizes, bool indices_are_sorted = false,
          Place place = Place::current());

struct ScatterDimensionNumbers {
  std::vector<int64_t> update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  int64_t index_vector_dim = 0;
  std::vector<int64_t> input_batching_dims = {}, scatter_indices_batching_dims = {};
};
Op Scatter(Ops operands, Op scatter_indices, Ops updates, Computation* update_computation, const ScatterDimensionNumbers& dimension_numbers,
           bool indices_are_sorted = false, bool unique_indices = false, Place place = Place::current());
Op Scatter(Op operand, Op scatter_indices, Op updates, Computation* update_computation, const ScatterDimensionNumbers& dimension_numbers,
           bool indices_are_sorted = false, bool unique_indices = false, Place place = Place::current());

Op GetDimensionSize(Op operand, int64_t dimension, Place place = Place::current());
Op SetDimensionSize(Op operand, Op size, int64_t dimension, Place place = Place::current());
Op DynamicReshape(Op operand, Ops dim_sizes, Dims new_size_bounds, const std::vector<bool>& dims_are_dynamic,
                  Place place = Place::current());

// -- Reductions, windows, sorting --

enum class Padding { kValid, kSame };

Op Reduce(Op operand, Op init_value, Computation* computation, Dims dimensions_to_reduce, Place place = Place::current());
Op Reduce(Builder* builder, Ops operands, Ops init_values, Computation* computation, Dims dimensions_to_reduce,
          Place place = Place::current());
Op ReduceAll(Op operand, Op init_value, Computation* computation, Place place = Place::current());
Op ReduceWindow(Op operand, Op init_value, Computation* computation, Dims window_dimensions, Dims window_strides, Padding padding,
                Place place = Place::current());
Op ReduceWindow(Ops operands, Ops init_values, Computation* computation, Dims window_dimensions, Dims window_strides, Padding padding,
                Place place = Place::current());
Op ReduceWindowWithGeneralPadding(Ops operands, Ops init_values, Computation* computation, Dims window_dimensions, Dims window_strides,
                                  Dims base_dilations, Dims window_dilations, Pairs padding, Place place = Place::current());
Op SelectAndScatter(Op operand, Computation* select, Dims window_dimensions, Dims window_strides, Padding padding, Op source, Op init_value,
                    Computation* scatter, Place place = Place::current());
Op SelectAndScatterWithGeneralPadding(Op operand, Computation* select, Dims window_dimensions, Dims window_strides, Pairs padding,
                                      Op source, Op init_value, Computation* scatter, Place place = Place::current());
Op Sort(Ops operands, Computation* comparator, int64_t dimension = -1, bool is_stable = false, Place place = Place::current());
Op TopK(Op operand, int64_t k, bool largest = true, Place place = Place::current());
Op Map(Builder* builder, Ops operands, Computation* computation, Dims dimensions, Place place = Place::current());
Op Scan(Ops inputs, Ops init_values, Computation* computation, int64_t dimension, const Shape& shape, bool is_reverse = false,
        Place place = Place::current());

// -- Linear algebra and others --

struct DotDimensionNumbers {
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch = {}, rhs_batch = {};
};
using MaybeType = std::optional<ElementType>;  // preferred_element_type: the result's, where it is not the operands'
Op Dot(Op lhs, Op rhs, MaybeType preferred_element_type = std::nullopt, Place place = Place::current());
Op DotGeneral(Op lhs, Op rhs, const DotDimensionNumbers& dimension_numbers, MaybeType preferred_element_type = std::nullopt,
              Place place = Place::current());
struct RaggedDotDimensionNumbers {
  DotDimensionNumbers dot;
  std::vector<int64_t> lhs_ragged, rhs_group = {};
};
Op RaggedDot(Op lhs, Op rhs, Op group_sizes, const RaggedDotDimensionNumbers& dimension_numbers,
             MaybeType preferred_element_type = std::nullopt, Place place = Place::current());

// Batch and feature first, spatial dimensions behind; the kernel output features first, then input features.
ConvDimensionNumbers DefaultConvDimensionNumbers(int spatial);
Op Conv(Op lhs, Op rhs, Dims window_strides, Padding padding, int64_t feature_group_count = 1, int64_t batch_group_count = 1,
        Place place = Place::current());
Op ConvWithGeneralPadding(Op lhs, Op rhs, Dims window_strides, Pairs padding, Dims lhs_dilation = {}, Dims rhs_dilation = {},
                          int64_t feature_group_count = 1, int64_t batch_group_count = 1, Place place = Place::current());
Op ConvGeneral(Op lhs, Op rhs, Dims window_strides, Pairs padding, const ConvDimensionNumbers& dimension_numbers,
               int64_t feature_group_count = 1, int64_t batch_group_count = 1, Place place = Place::current());
Op ConvGeneralDilated(Op lhs, Op rhs, Dims window_strides, Pairs padding, Dims lhs_dilation, Dims rhs_dilation,
                      const ConvDimensionNumbers& dimension_numbers, int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                      MaybeType preferred_element_type = std::nullopt, const std::vector<bool>& window_reversal = {},
                      Place place = Place::current());

Op BatchNormTraining(Op operand, Op scale, Op offset, double epsilon, int64_t feature_index, Place place = Place::current());
Op BatchNormInference(Op operand, Op scale, Op offset, Op mean, Op variance, double epsilon, int64_t feature_index,
                      Place place = Place::current());
Op BatchNormGrad(Op operand, Op scale, Op mean, Op variance, Op grad_output, double epsilon, int64_t feature_index,
                 Place place = Place::current());
Op Cholesky(Op a, bool lower = true, Place place = Place::current());
enum class TransposeOfA { kNoTranspose, kTranspose, kAdjoint };
Op TriangularSolve(Op a, Op b, bool left_side, bool lower, bool unit_diagonal, TransposeOfA transpose_a, Place place = Place::current());
enum class FftType { kFft, kIfft, kRfft, kIrfft };
Op Fft(Op operand, FftType fft_type, Dims fft_length, Place place = Place::current());
Op RngNormal(Op mu, Op sigma, const Shape& shape, Place place = Place::current());
Op RngUniform(Op a, Op b, const Shape& shape, Place place = Place::current());
enum class RandomAlgorithm { kDefault, kThreeFry, kPhilox };
Op RngBitGenerator(RandomAlgorithm algorithm, Op initial_state, const Shape& shape, Place place = Place::current());
Op RngGetAndUpdateState(Builder* builder, const Shape& shape, int64_t delta, Place place = Place::current());

// -- Control, tuples, calls --

Op Parameter(Builder* builder, int64_t number, const Shape& shape, absl::string_view name, Place place = Place::current());
Op ConstantLiteral(Builder* builder, const Value& literal, Place place = Place::current());
Op Tuple(Builder* builder, Ops elements, Place place = Place::current());
Op GetTupleElement(Op tuple, int64_t index, Place place = Place::current());
Op OptimizationBarrier(Op operand, Place place = Place::current());
Op AfterAll(Builder* builder, Ops operands, Place place = Place::current());
Op AddDependency(Op operand, Op token, Place place = Place::current());
Op Domain(Op operand, absl::string_view domain, Place place = Place::current());
Op Call(Builder* builder, Computation* computation, Ops args, Place place = Place::current());
Op CompositeCall(Builder* builder, Ops inputs, absl::string_view name, absl::string_view composite_attributes, Computation* decomposition,
                 std::optional<int64_t> version = std::nullopt, Place place = Place::current());
Op Conditional(Op pred, Op true_operand, Computation* true_computation, Op false_operand, Computation* false_computation,
               Place place = Place::current());
Op Conditional(Op branch_index, absl::Span<Computation* const> branch_computations, Ops branch_operands, Place place = Place::current());
Op While(Computation* condition, Computation* body, Op init, Place place = Place::current());
Op Fusion(Builder* builder, Ops operands, absl::string_view kind, Computation* computation, Place place = Place::current());
Op CustomCall(Builder* builder, absl::string_view call_target_name, Ops args, const Shape& shape, absl::string_view opaque = {},
              bool has_side_effect = false, Place place = Place::current());
Op Infeed(Builder* builder, const Shape& shape, absl::string_view config = {}, Place place = Place::current());
Op InfeedWithToken(Op token, const Shape& shape, absl::string_view config = {}, Place place = Place::current());
Op Outfeed(Op operand, absl::string_view config = {}, Place place = Place::current());
Op OutfeedWithToken(Op operand, Op token, absl::string_view config = {}, Place place = Place::current());
Op AsyncStart(Builder* builder, Ops operands, Computation* computation, Place place = Place::current());
Op AsyncUpdate(Op start, Place place = Place::current());
Op AsyncDone(Op start, Place place = Place::current());
Op CopyStart(Op operand, Place place = Place::current());
Op CopyDone(Op start, Place place = Place::current());

// -- Across replicas. `shard_count` is the size of a group. An operand that is a tuple stands for its elements --

using Channel = std::optional<int64_t>;
Op AllGather(Op operand, int64_t all_gather_dim, int64_t shard_count, Groups replica_groups = {}, Channel channel_id = std::nullopt,
             Place place = Place::current());
Op AllGatherStart(Op operand, int64_t all_gather_dim, int64_t shard_count, Groups replica_groups = {}, Channel channel_id = std::nullopt,
                  Place place = Place::current());
Op AllGatherDone(Op start, Place place = Place::current());
Op AllReduce(Op operand, Computation* computation, Groups replica_groups = {}, Channel channel_id = std::nullopt,
             Place place = Place::current());
Op AllReduceStart(Op operand, Computation* computation, Groups replica_groups = {}, Channel channel_id = std::nullopt,
                  Place place = Place::current());
Op AllReduceDone(Op start, Place place = Place::current());
Op CrossReplicaSum(Op operand, Groups replica_groups = {}, Place place = Place::current());
Op ReduceScatter(Op operand, Computation* computation, int64_t scatter_dim, int64_t shard_count, Groups replica_groups = {},
                 Channel channel_id = std::nullopt, Place place = Place::current());
Op AllToAll(Op operand, int64_t split_dimension, int64_t concat_dimension, int64_t split_count, Groups replica_groups = {},
            Channel channel_id = std::nullopt, Place place = Place::current());
Op AllToAllTuple(Ops operands, Groups replica_groups = {}, Channel channel_id = std::nullopt, Place place = Place::current());
Op RaggedAllToAll(Op input, Op output, Op input_offsets, Op send_sizes, Op output_offsets, Op recv_sizes, Groups replica_groups = {},
                  Channel channel_id = std::nullopt, Place place = Place::current());
Op CollectivePermute(Op operand, Pairs source_target_pairs, Channel channel_id = std::nullopt, Place place = Place::current());
Op CollectivePermuteStart(Op operand, Pairs source_target_pairs, Channel channel_id = std::nullopt, Place place = Place::current());
Op CollectivePermuteDone(Op start, Place place = Place::current());
Op CollectiveBroadcast(Op operand, Groups replica_groups = {}, Channel channel_id = std::nullopt, Place place = Place::current());
Op ReplicaId(Builder* builder, Place place = Place::current());
Op PartitionId(Builder* builder, Place place = Place::current());
Op Send(Op operand, int64_t channel_id, Place place = Place::current());
Op SendWithToken(Op operand, Op token, int64_t channel_id, Place place = Place::current());
Op SendDone(Op send, Place place = Place::current());
Op Recv(Builder* builder, const Shape& shape, int64_t channel_id, Place place = Place::current());
Op RecvWithToken(Op token, const Shape& shape, int64_t channel_id, Place place = Place::current());
Op RecvDone(Op recv, Place place = Place::current());

// -- Operators. A C++ number stands for a scalar of the other side's type. `>>` fills with the sign on signed integers, else with zeros --

// An operand that remembers where it was written: operators can have no further argument.
struct At {
  At(Op op, Place place = Place::current()) : op(op), place(place) {}  // NOLINT: implicit on purpose
  Op op;
  Place place;
};
Op operator+(At lhs, At rhs);
Op operator-(At lhs, At rhs);
Op operator*(At lhs, At rhs);
Op operator/(At lhs, At rhs);
Op operator%(At lhs, At rhs);
Op operator&(At lhs, At rhs);
Op operator|(At lhs, At rhs);
Op operator^(At lhs, At rhs);
Op operator<<(At lhs, At rhs);
Op operator>>(At lhs, At rhs);
Op operator-(At operand);
Op operator~(At operand);
Op operator+(At lhs, double rhs);
Op operator-(At lhs, double rhs);
Op operator*(At lhs, double rhs);
Op operator/(At lhs, double rhs);
Op operator+(double lhs, At rhs);
Op operator-(double lhs, At rhs);
Op operator*(double lhs, At rhs);
Op operator/(double lhs, At rhs);

}  // namespace hloscope::hlo

#endif  // HLOSCOPE_CORE_OPS_BUILDER_OPERATIONS_H_
