// Products, convolutions, transforms, factorisations, normalisation and random numbers.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {
namespace {

// precision_config as operand_precision={highest,default}; nothing when all are default.
void AddPrecision(OpContext& c, Attributes& attributes) {
  const mlir::Attr* config = c.attr("precision_config");
  if (config == nullptr) return;
  c.Among("precision_config", {"DEFAULT", "HIGH", "HIGHEST"});
  std::vector<std::string> words = WordsOf(*config);
  if (!words.empty() && words.size() != 2) {
    c.Error(HLO_LABEL("stablehlo.precision-count"), absl::StrCat("precision_config has a word for each of the two operands, not ", words.size()));
  }
  for (std::string& word : words) absl::AsciiStrToLower(&word);
  if (std::all_of(words.begin(), words.end(), [](const std::string& w) { return w == "default"; })) return;
  attributes.push_back(c.Text(AttrId::kOperandPrecision, absl::StrCat("{", absl::StrJoin(words, ","), "}")));
}

// A type that an algorithm names: "bf16", "tf32".
std::string PartName(const mlir::Attr& algorithm, const char* field) {
  const mlir::Attr* f = algorithm.Field(field);
  if (f == nullptr) return std::string();
  std::string text = f->type.kind != mlir::Type::Kind::kNone && f->type.kind != mlir::Type::Kind::kOther ? std::string(Name(f->type.shape.element_type()))
                     : !f->raw.empty() ? f->raw : !f->type.text.empty() ? f->type.text : f->text;
  return absl::AsciiStrToLower(text);
}

// The algorithm's name in HLO text, from the types and counts of its parts; empty where HLO has none.
std::string AlgorithmName(const mlir::Attr& a) {
  const std::string l = PartName(a, "lhs_precision_type"), r = PartName(a, "rhs_precision_type"), acc = PartName(a, "accumulation_type");
  const int64_t n = IntField(a, "num_primitive_operations", 1);
  const std::string name = absl::StrCat("dot_", l, "_", r, "_", acc, n > 1 ? absl::StrCat("_x", n) : "");
  for (const char* known : {"dot_f16_f16_f16", "dot_f16_f16_f32", "dot_bf16_bf16_bf16", "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6", "dot_bf16_bf16_f32_x9",
                            "dot_tf32_tf32_f32", "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32", "dot_f64_f64_f64"}) {
    if (name == known) return name;
  }
  return "";
}

void DotGeneral(OpContext& c) {
  const mlir::Attr* n = c.Need("dot_dimension_numbers");
  if (n == nullptr) return;
  Attributes attributes;
  const std::vector<int64_t> lb = IntsField(*n, "lhs_batching_dimensions"), rb = IntsField(*n, "rhs_batching_dimensions");
  if (!lb.empty() || !rb.empty()) attributes.push_back(IntsAttribute(AttrId::kLhsBatchDims, lb));
  attributes.push_back(IntsAttribute(AttrId::kLhsContractingDims, IntsField(*n, "lhs_contracting_dimensions")));
  if (!lb.empty() || !rb.empty()) attributes.push_back(IntsAttribute(AttrId::kRhsBatchDims, rb));
  attributes.push_back(IntsAttribute(AttrId::kRhsContractingDims, IntsField(*n, "rhs_contracting_dimensions")));
  AddPrecision(c, attributes);
  if (const mlir::Attr* algorithm = c.attr("algorithm")) {
    if (PartName(*algorithm, "lhs_precision_type") != PartName(*algorithm, "rhs_precision_type")) {
      c.Error(HLO_LABEL("stablehlo.dot-algorithm"), "the algorithm's lhs_precision_type and rhs_precision_type must be the same");
    }
    const std::string name = AlgorithmName(*algorithm);
    if (!name.empty()) attributes.push_back(c.Text(AttrId::kAlgorithm, name));
  }
  c.Simple(Opcode::kDot, c.ins(0, 2), std::move(attributes));
}

void Dot(OpContext& c) {
  Instruction* l = c.in(0);
  if (l == nullptr) return;
  Attributes attributes = {IntsAttribute(AttrId::kLhsContractingDims, {std::max(0, l->shape.rank() - 1)}), IntsAttribute(AttrId::kRhsContractingDims, {0})};
  AddPrecision(c, attributes);
  c.Simple(Opcode::kDot, c.ins(), std::move(attributes));
}

void Convolve(OpContext& c, const std::vector<std::vector<int64_t>>* padding) {
  Instruction* rhs = c.in(1);
  const mlir::Attr* written = c.Need("dimension_numbers");
  if (rhs == nullptr || written == nullptr) return;
  const auto numbers = ConvolutionOf(*written);
  if (!numbers) return c.Error(HLO_LABEL("stablehlo.convolution-dimensions"), absl::StrCat("dimension_numbers must look like [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], not ", written->raw));
  const int64_t rank = static_cast<int64_t>(numbers->kernel_spatial.size());
  Window window(rank);
  const std::vector<int64_t> strides = c.Ints("window_strides", rank, 1), base = c.Ints("lhs_dilation", rank, 1), dilation = c.Ints("rhs_dilation", rank, 1),
                             reversal = c.Ints("window_reversal", rank, 0);
  std::vector<std::vector<int64_t>> rows(rank, {0, 0});
  if (padding != nullptr) {
    rows = *padding;
  } else if (const mlir::Attr* a = c.attr("padding")) {
    rows = RowsOf(*a).value_or(std::vector<std::vector<int64_t>>());
    if (rows.empty() && a->kind == mlir::Attr::Kind::kElements && a->value.has_value() && a->value.element_count() == 1) rows.assign(rank, {IntOf(*a).value_or(0), IntOf(*a).value_or(0)});
  }
  const bool fits = static_cast<int64_t>(rows.size()) == rank && std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.size() == 2; });
  for (const std::vector<int64_t>* list : {&strides, &base, &dilation, &reversal}) {
    if (static_cast<int64_t>(list->size()) == rank && fits) continue;
    return c.Error(HLO_LABEL("stablehlo.convolution-window"), absl::StrCat("strides, dilations, reversal and padding must have an entry for each of the ", rank, " spatial dimensions"));
  }
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t place = numbers->kernel_spatial[d];
    if (place < 0 || place >= rhs->shape.rank()) return c.Error(HLO_LABEL("stablehlo.convolution-kernel"), absl::StrCat("the kernel has no dimension ", place));
    window[d] = {rhs->shape.dim(static_cast<int>(place)), strides[d], rows[d][0], rows[d][1], base[d], dilation[d], reversal[d] != 0};
  }
  Attributes attributes;
  Attribute w, labels;
  w.id = AttrId::kWindow;
  w.name = Info(AttrId::kWindow).name;
  w.value = std::move(window);
  labels.id = AttrId::kDimLabels;
  labels.name = Info(AttrId::kDimLabels).name;
  labels.value = *numbers;
  if (rank > 0) attributes.push_back(w);
  attributes.push_back(labels);
  const int64_t features = c.Int("feature_group_count", 1), batches = c.Int("batch_group_count", 1);
  if (features != 1) attributes.push_back(IntAttribute(AttrId::kFeatureGroupCount, features));
  if (batches != 1) attributes.push_back(IntAttribute(AttrId::kBatchGroupCount, batches));
  AddPrecision(c, attributes);
  c.Simple(Opcode::kConvolution, c.ins(0, 2), std::move(attributes));
}

void Convolution(OpContext& c) { Convolve(c, nullptr); }

void DynamicConvolution(OpContext& c) {
  const auto flat = c.KnownInts(2, "the padding");
  if (!flat) return;
  std::vector<std::vector<int64_t>> rows;
  for (size_t k = 0; k + 1 < flat->size(); k += 2) rows.push_back({(*flat)[k], (*flat)[k + 1]});
  Convolve(c, &rows);
}

void Fft(OpContext& c) {
  if (c.Need("fft_length") == nullptr) return;
  c.Simple(Opcode::kFft, c.ins(), {c.Text(AttrId::kFftType, c.Word("fft_type", "FFT")), IntsAttribute(AttrId::kFftLength, c.Ints("fft_length"))});
}
void Cholesky(OpContext& c) { c.Simple(Opcode::kCholesky, c.ins(), {IntAttribute(AttrId::kLower, c.Bool("lower", false))}); }
void TriangularSolve(OpContext& c) {
  c.Simple(Opcode::kTriangularSolve, c.ins(),
           {IntAttribute(AttrId::kLeftSide, c.Bool("left_side", false)), IntAttribute(AttrId::kLower, c.Bool("lower", false)),
            IntAttribute(AttrId::kUnitDiagonal, c.Bool("unit_diagonal", false)), c.Text(AttrId::kTransposeA, c.Word("transpose_a", "NO_TRANSPOSE"))});
}

template <Opcode opcode>
void BatchNorm(OpContext& c) {
  const mlir::Attr* epsilon = c.attr("epsilon");
  c.SetAll(c.e.Add(opcode, c.ins(), {FloatAttribute(AttrId::kEpsilon, epsilon == nullptr ? 0 : NumberOf(*epsilon).value_or(0)), IntAttribute(AttrId::kFeatureIndex, c.Int("feature_index", 0))},
                   nullptr, c.result_count() == 1 ? c.name() : ""));
}

void Rng(OpContext& c) {
  c.Among("rng_distribution", {"UNIFORM", "NORMAL"});
  std::optional<Shape> shape = c.Written();
  if (const auto sizes = c.TryKnownInts(2); shape && sizes && !std::equal(sizes->begin(), sizes->end(), shape->dimensions().begin(), shape->dimensions().end())) {
    return c.Error(HLO_LABEL("stablehlo.rng-shape"), absl::StrCat("the shape operand says [", absl::StrJoin(*sizes, ", "), "], the result is ", shape->ToString(false)));
  }
  if (!shape) {
    const auto sizes = c.KnownInts(2, "the shape");
    if (!sizes) return;
    if (std::any_of(sizes->begin(), sizes->end(), [](int64_t n) { return n < 0; })) return c.Error(HLO_LABEL("stablehlo.negative-size"), "a size of the result is negative");
    shape = Shape::Array(c.WrittenElement(), *sizes);
  }
  c.Set(0, c.e.Add(Opcode::kRng, c.ins(0, 2), {c.Text(AttrId::kDistribution, c.Word("rng_distribution") == "NORMAL" ? "rng_normal" : "rng_uniform")}, &*shape, c.name()));
}

void RngBits(OpContext& c) {
  Instruction* state = c.in(0);
  if (state == nullptr) return;
  c.Among("rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"});
  const std::string word = c.Word("rng_algorithm", "DEFAULT");
  const std::optional<Shape> bits = c.Written(1);
  if (!bits) return c.Error(HLO_LABEL("stablehlo.unknown-sizes"), absl::StrCat(c.op.name, " needs a result type of known sizes"));
  const Shape shape = Shape::Tuple({state->shape.WithoutLayouts(), *bits});
  c.SetAll(c.e.Add(Opcode::kRngBitGenerator, {state}, {c.Text(AttrId::kAlgorithm, word == "PHILOX" ? "rng_philox" : word == "THREE_FRY" ? "rng_three_fry" : "rng_default")}, &shape));
}

constexpr Row kRows[] = {
    {"stablehlo.dot_general", DotGeneral, 2, 2},
    {"stablehlo.dot", Dot, 2, 2},
    {"stablehlo.convolution", Convolution, 2, 2},
    {"stablehlo.dynamic_conv", DynamicConvolution, 3, 3},
    {"stablehlo.fft", Fft, 1, 1},
    {"stablehlo.cholesky", Cholesky, 1, 1},
    {"stablehlo.triangular_solve", TriangularSolve, 2, 2},
    {"stablehlo.batch_norm_training", BatchNorm<Opcode::kBatchNormTraining>, 3, 3},
    {"stablehlo.batch_norm_inference", BatchNorm<Opcode::kBatchNormInference>, 5, 5},
    {"stablehlo.batch_norm_grad", BatchNorm<Opcode::kBatchNormGrad>, 5, 5},
    {"stablehlo.rng", Rng, 3, 3},
    {"stablehlo.rng_bit_generator", RngBits, 1, 1},
};

}  // namespace

absl::Span<const Row> LinearRows() { return kRows; }

}  // namespace hloscope::stablehlo
