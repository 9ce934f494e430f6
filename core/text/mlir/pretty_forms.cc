// The rows: facts of the StableHLO, CHLO, check, func and builtin dialects' assembly formats.
#include "core/text/mlir/pretty_forms.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hloscope::mlir {
namespace {

using K = FieldKind;

constexpr FieldForm kIota[] = {{"dim", "iota_dimension", K::kInteger}};
constexpr FieldForm kBroadcastInDim[] = {{"dims", "broadcast_dimensions", K::kIntegers}};
constexpr FieldForm kBroadcast[] = {{"sizes", "broadcast_sizes", K::kIntegers}};
constexpr FieldForm kTranspose[] = {{"dims", "permutation", K::kIntegers}};
constexpr FieldForm kReverse[] = {{"dims", "dimensions", K::kIntegers}};
constexpr FieldForm kSlice[] = {{"[", "", K::kSliceRanges}};
constexpr FieldForm kDynamicSlice[] = {{"sizes", "slice_sizes", K::kIntegers}};
constexpr FieldForm kPad[] = {
    {"low", "edge_padding_low", K::kIntegers}, {"high", "edge_padding_high", K::kIntegers}, {"interior", "interior_padding", K::kIntegers}};
constexpr FieldForm kDimension[] = {{"dim", "dimension", K::kInteger}};
constexpr FieldForm kTorchIndexSelect[] = {{"dim", "dim", K::kInteger}, {"batch_dims", "batch_dims", K::kInteger}};
constexpr FieldForm kTupleElement[] = {{"[", "index", K::kInteger32}};
constexpr FieldForm kCompare[] = {{"", "comparison_direction", K::kEnum, "stablehlo.comparison_direction"},
                                  {"", "compare_type", K::kEnum, "stablehlo.comparison_type"}};
constexpr FieldForm kDot[] = {{"precision", "precision_config", K::kPrecisions, "stablehlo.precision"}};
constexpr FieldForm kDotGeneral[] = {{"contracting_dims", "dot_dimension_numbers", K::kContracting, "stablehlo.dot"},
                                     {"batching_dims", "dot_dimension_numbers", K::kBatching, "stablehlo.dot"},
                                     {"precision", "precision_config", K::kPrecisions, "stablehlo.precision"},
                                     {"algorithm", "algorithm", K::kDialect, "stablehlo.dot_algorithm"}};
constexpr FieldForm kConvolution[] = {{"dim_numbers", "dimension_numbers", K::kConvolution, "stablehlo.conv"}, {"window", "", K::kWindow}};
constexpr FieldForm kReducePrecision[] = {{"format", "", K::kExponentMantissa}};
constexpr FieldForm kFft[] = {{"type", "fft_type", K::kEnum, "stablehlo.fft_type"}, {"length", "fft_length", K::kIntegers}};
constexpr FieldForm kCholesky[] = {{"lower", "lower", K::kAttribute}};
constexpr FieldForm kRng[] = {{"distribution", "rng_distribution", K::kEnum, "stablehlo.rng_distribution"}};
constexpr FieldForm kRngBitGenerator[] = {{"algorithm", "rng_algorithm", K::kEnum, "stablehlo.rng_algorithm"}};
constexpr FieldForm kCustomCall[] = {{"", "call_target_name", K::kSymbolAsString}};
constexpr FieldForm kComposite[] = {{"", "name", K::kString}};
constexpr FieldForm kCall[] = {{"", "callee", K::kSymbol}};
constexpr FieldForm kEinsum[] = {{"config", "einsum_config", K::kString}};
constexpr FieldForm kTrace[] = {{"", "tag", K::kString}};
constexpr FieldForm kTopK[] = {{"k", "k", K::kInteger}};
constexpr FieldForm kValueConstant[] = {{"", "value", K::kConstant}};
constexpr FieldForm kTolerance[] = {{"", "value", K::kConstant}, {"tolerance", "tolerance", K::kAttribute}};
constexpr FieldForm kClose[] = {{"max_ulp_difference", "max_ulp_difference", K::kInteger},
                                {"min_ulp_difference", "min_ulp_difference", K::kInteger}};
constexpr FieldForm kSerialized[] = {
    {"probe_id", "probe_id", K::kString}, {"probe_dir", "probe_dir", K::kString}, {"iteration", "iteration", K::kInteger32}};
constexpr FieldForm kShardingConstraint[] = {{"", "sharding", K::kDialect, "sdy.sharding"}};
constexpr FieldForm kOutSharding[] = {{"out_sharding", "out_sharding", K::kDialect, "sdy.sharding"}};

constexpr PrettyForm kForms[] = {
    {"builtin.module", TypeRule::kDefault, {}, SpecialForm::kModule},
    {"func.func", TypeRule::kDefault, {}, SpecialForm::kFunction},
    {"func.call", TypeRule::kDefault, kCall},
    {"func.return", TypeRule::kOperands},
    {"arith.constant", TypeRule::kFromConstant, kValueConstant},

    {"stablehlo.constant", TypeRule::kFromConstant, kValueConstant, SpecialForm::kConstant},
    {"stablehlo.return", TypeRule::kOperands},
    {"stablehlo.while", TypeRule::kDefault, {}, SpecialForm::kWhile},
    {"stablehlo.reduce", TypeRule::kDefault, {}, SpecialForm::kReduce},
    {"stablehlo.iota", TypeRule::kDefault, kIota},
    {"stablehlo.dynamic_iota", TypeRule::kDefault, kIota},
    {"stablehlo.broadcast", TypeRule::kDefault, kBroadcast},
    {"stablehlo.broadcast_in_dim", TypeRule::kDefault, kBroadcastInDim},
    {"stablehlo.dynamic_broadcast_in_dim", TypeRule::kDefault, kBroadcastInDim},
    {"stablehlo.transpose", TypeRule::kDefault, kTranspose},
    {"stablehlo.reverse", TypeRule::kDefault, kReverse},
    {"stablehlo.slice", TypeRule::kDefault, kSlice},
    {"stablehlo.dynamic_slice", TypeRule::kDefault, kDynamicSlice},
    {"stablehlo.pad", TypeRule::kDefault, kPad},
    {"stablehlo.concatenate", TypeRule::kDefault, kDimension},
    {"stablehlo.get_dimension_size", TypeRule::kDefault, kDimension},
    {"stablehlo.set_dimension_size", TypeRule::kDefault, kDimension},
    {"stablehlo.torch_index_select", TypeRule::kDefault, kTorchIndexSelect},
    {"stablehlo.get_tuple_element", TypeRule::kDefault, kTupleElement},
    {"stablehlo.tuple", TypeRule::kTuple},
    {"stablehlo.compare", TypeRule::kDefault, kCompare},
    {"stablehlo.select", TypeRule::kSelect},
    {"stablehlo.complex", TypeRule::kComplex},
    {"stablehlo.dot", TypeRule::kDefault, kDot},
    {"stablehlo.dot_general", TypeRule::kDefault, kDotGeneral},
    {"stablehlo.convolution", TypeRule::kDefault, kConvolution},
    {"stablehlo.dynamic_conv", TypeRule::kDefault, kConvolution},
    {"stablehlo.reduce_precision", TypeRule::kDefault, kReducePrecision},
    {"stablehlo.fft", TypeRule::kDefault, kFft},
    {"stablehlo.cholesky", TypeRule::kDefault, kCholesky},
    {"stablehlo.rng", TypeRule::kDefault, kRng},
    {"stablehlo.rng_bit_generator", TypeRule::kDefault, kRngBitGenerator},
    {"stablehlo.custom_call", TypeRule::kDefault, kCustomCall},
    {"stablehlo.composite", TypeRule::kDefault, kComposite},
    {"stablehlo.einsum", TypeRule::kDefault, kEinsum},
    {"stablehlo.unary_einsum", TypeRule::kDefault, kEinsum},
    {"stablehlo.trace", TypeRule::kOperands, kTrace},

    {"chlo.constant", TypeRule::kFromConstant, kValueConstant, SpecialForm::kConstant},
    {"chlo.top_k", TypeRule::kDefault, kTopK},
    {"chlo.scan", TypeRule::kDefault, {}, SpecialForm::kScan},

    {"check.eq", TypeRule::kFromConstant, kValueConstant},
    {"check.almost_eq", TypeRule::kFromConstant, kTolerance},
    {"check.expect_eq", TypeRule::kOperands},
    {"check.expect_eq_const", TypeRule::kFromConstant, kValueConstant},
    {"check.expect_almost_eq", TypeRule::kOperands, kTolerance},
    {"check.expect_almost_eq_const", TypeRule::kFromConstant, kTolerance},
    {"check.expect_close", TypeRule::kOperands, kClose},
    {"check.expect_close_const", TypeRule::kFromConstant, kClose},
    {"check.expect_serialized_eq", TypeRule::kOperands, kSerialized},

    {"sdy.mesh", TypeRule::kDefault, {}, SpecialForm::kMesh},
    {"sdy.return", TypeRule::kOperands},
    {"sdy.sharding_constraint", TypeRule::kDefault, kShardingConstraint},
    {"sdy.reshard", TypeRule::kDefault, kShardingConstraint},
    {"sdy.all_gather", TypeRule::kDefault, kOutSharding},
    {"sdy.all_reduce", TypeRule::kDefault, kOutSharding},
    {"sdy.manual_computation", TypeRule::kDefault, {}, SpecialForm::kManualComputation},
};

const absl::flat_hash_map<absl::string_view, const PrettyForm*>& Table() {
  static const auto* table = [] {
    auto* t = new absl::flat_hash_map<absl::string_view, const PrettyForm*>();
    for (const PrettyForm& form : kForms) (*t)[form.name] = &form;
    return t;
  }();
  return *table;
}

}  // namespace

const PrettyForm* FindPrettyForm(absl::string_view operation) {
  auto found = Table().find(operation);
  if (found != Table().end()) return found->second;
  if (!absl::StartsWith(operation, "mhlo.")) return nullptr;
  found = Table().find(absl::StrCat("stablehlo.", operation.substr(5)));
  return found == Table().end() ? nullptr : found->second;
}

absl::string_view FullOperationName(absl::string_view name) {
  if (name == "return") return "func.return";
  if (name == "call") return "func.call";
  if (name == "func") return "func.func";
  if (name == "module") return "builtin.module";
  return "";
}

}  // namespace hloscope::mlir
