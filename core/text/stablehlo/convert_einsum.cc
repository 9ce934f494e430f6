// einsum and unary_einsum: letters for dimensions, "ab,bc->ac". A letter that stands twice in one operand means its diagonal; one that is not in the
// result is summed over; `...` stands for any further dimensions, which broadcast. What is left becomes transposes and one dot.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {
namespace {

constexpr int kEllipsis = 256;  // labels from here on are the dimensions of `...`, the last one highest
constexpr int kMostDimensions = 64;
using Labels = std::vector<int>;

// "a...b" for an operand of `rank` dimensions (-1: as many for the ellipsis as `ellipsis` says).
std::optional<Labels> LabelsOf(absl::string_view text, int rank, int ellipsis) {
  Labels before, after;
  bool dots = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (absl::ascii_isspace(text[i])) continue;
    if (text.substr(i, 3) == "...") {
      if (dots) return std::nullopt;
      dots = true;
      i += 2;
    } else if (absl::ascii_isalpha(text[i])) {
      (dots ? after : before).push_back(static_cast<unsigned char>(text[i]));
    } else {
      return std::nullopt;
    }
  }
  int middle = rank < 0 ? ellipsis : rank - static_cast<int>(before.size() + after.size());
  if (middle < 0 || (!dots && rank >= 0 && middle != 0)) return std::nullopt;
  if (!dots) middle = 0;
  for (int k = 0; k < middle; ++k) before.push_back(kEllipsis + kMostDimensions - middle + k);
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

bool Has(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
int64_t PlaceOf(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) - labels.begin(); }

// An operand and what its dimensions mean.
struct Term {
  Instruction* x = nullptr;
  Labels labels;
};

Instruction* Transposed(Emitter& e, Instruction* x, const std::vector<int64_t>& permutation) {
  if (x == nullptr || std::is_sorted(permutation.begin(), permutation.end())) return x;
  return e.Add(Opcode::kTranspose, {x}, {IntsAttribute(AttrId::kDimensions, permutation)});
}

// The sum over some dimensions.
Instruction* Summed(OpContext& c, Instruction* x, const std::vector<int64_t>& dimensions) {
  if (x == nullptr || dimensions.empty()) return x;
  const ElementType type = x->shape.element_type();
  Computation* sum = c.c.Helper(absl::StrCat("einsum sum ", Name(type)), "sum", [&](Emitter& e, Computation*) {
    Instruction* a = e.Parameter(Shape::Scalar(type), "a");
    Instruction* b = e.Parameter(Shape::Scalar(type), "b");
    return e.Add(IsPred(type) ? Opcode::kOr : Opcode::kAdd, {a, b});
  });
  return c.e.Add(Opcode::kReduce, {x, c.e.Scalar(type, 0)}, {IntsAttribute(AttrId::kDimensions, dimensions), ComputationAttribute(AttrId::kToApply, sum)});
}

// Of a letter that stands at two dimensions of equal size n: their diagonal. Behind each other and flat, the diagonal is every (n+1)th element.
bool TakeDiagonals(OpContext& c, Term& term) {
  for (size_t i = 0; i < term.labels.size(); ++i) {
    for (size_t j = i + 1; j < term.labels.size();) {
      if (term.labels[j] != term.labels[i]) {
        ++j;
        continue;
      }
      const std::vector<int64_t> dims(term.x->shape.dimensions().begin(), term.x->shape.dimensions().end());
      const int64_t n = dims[i];
      if (dims[j] != n) {
        c.Error(HLO_LABEL("stablehlo.einsum-sizes"), absl::StrCat("one letter of ", c.op.name, " stands for dimensions of ", n, " and of ", dims[j], " elements"));
        return false;
      }
      std::vector<int64_t> permutation, sizes, rest;
      for (size_t d = 0; d < dims.size(); ++d) {
        if (d == i || d == j) continue;
        permutation.push_back(static_cast<int64_t>(d));
        sizes.push_back(dims[d]);
      }
      permutation.push_back(static_cast<int64_t>(i));
      permutation.push_back(static_cast<int64_t>(j));
      Instruction* x = Transposed(c.e, term.x, permutation);
      std::vector<SliceDimension> slice;
      for (int64_t size : sizes) slice.push_back({0, size, 1});
      slice.push_back({0, n * n, n + 1});
      rest = sizes;
      rest.push_back(n * n);
      Attribute limits;
      limits.id = AttrId::kSlice;
      limits.name = Info(AttrId::kSlice).name;
      limits.value = slice;
      x = n == 0 ? c.e.Reshape(x, [&] { auto s = sizes; s.push_back(0); return s; }()) : c.e.Add(Opcode::kSlice, {c.e.Reshape(x, rest)}, {limits});
      // The diagonal stands last; back to where its first dimension was.
      std::vector<int64_t> back;
      for (size_t d = 0; d < dims.size() - 1; ++d) back.push_back(d == i ? static_cast<int64_t>(dims.size()) - 2 : static_cast<int64_t>(d < i ? d : d - 1));
      term.x = Transposed(c.e, x, back);
      term.labels.erase(term.labels.begin() + static_cast<int64_t>(j));
      if (term.x == nullptr) return false;
    }
  }
  return true;
}

// Sums away what neither the result nor the other operand names.
void SumAway(OpContext& c, Term& term, const Labels& kept) {
  std::vector<int64_t> gone;
  Labels labels;
  for (size_t d = 0; d < term.labels.size(); ++d) {
    if (Has(kept, term.labels[d])) {
      labels.push_back(term.labels[d]);
    } else {
      gone.push_back(static_cast<int64_t>(d));
    }
  }
  term.x = Summed(c, term.x, gone);
  term.labels = labels;
}

// Dimensions of size 1 that the other operand has larger are dropped: they broadcast. False where sizes differ otherwise.
bool DropOnes(OpContext& c, Term& term, const Term& other) {
  std::vector<int64_t> sizes;
  Labels labels;
  for (size_t d = 0; d < term.labels.size(); ++d) {
    const int64_t size = term.x->shape.dim(static_cast<int>(d));
    const int64_t there = Has(other.labels, term.labels[d]) ? other.x->shape.dim(static_cast<int>(PlaceOf(other.labels, term.labels[d]))) : size;
    if (size == 1 && there != 1) continue;
    if (size != there && there != 1) {
      c.Error(HLO_LABEL("stablehlo.einsum-sizes"), absl::StrCat("one letter of ", c.op.name, " stands for dimensions of ", size, " and of ", there, " elements"));
      return false;
    }
    sizes.push_back(size);
    labels.push_back(term.labels[d]);
  }
  if (labels.size() != term.labels.size()) term.x = c.e.Reshape(term.x, sizes);
  term.labels = labels;
  return term.x != nullptr;
}

// The dimensions in the order of the result; the result of the operation.
void SetResult(OpContext& c, Term term, const Labels& result) {
  std::vector<int64_t> permutation;
  for (int label : result) permutation.push_back(PlaceOf(term.labels, label));
  Instruction* x = Transposed(c.e, term.x, permutation);
  if (x == nullptr) return;
  const std::optional<Shape> written = c.Written();
  if (written && written->IsArray() && written->dimensions() != x->shape.dimensions()) {
    return c.Error(HLO_LABEL("stablehlo.einsum-result"), absl::StrCat(c.op.name, " gives ", x->shape.ToString(false), ", not ", written->ToString(false)));
  }
  c.Set(0, written ? c.e.Convert(x, written->element_type()) : x);
}

void Einsum(OpContext& c) {
  const mlir::Attr* config = c.attr("einsum_config");
  if (config == nullptr) config = c.attr("config");
  if (config == nullptr) config = c.Need("einsum_config");
  if (config == nullptr) return;
  const std::vector<absl::string_view> sides = absl::StrSplit(config->text, "->");
  const std::vector<absl::string_view> inputs = absl::StrSplit(sides[0], ',');
  const auto wrong = [&] {
    c.Error(HLO_LABEL("stablehlo.einsum-config"), absl::StrCat("the config \"", config->text, "\" of ", c.op.name, " does not fit its operands"),
            "a letter names each dimension, \"...\" any others: \"ab,bc->ac\"");
  };
  if (sides.size() != 2 || static_cast<int>(inputs.size()) != c.operand_count()) return wrong();
  std::vector<Term> terms;
  int ellipsis = 0;
  for (int i = 0; i < c.operand_count(); ++i) {
    Instruction* x = c.in(i);
    if (x == nullptr) return;
    const std::optional<Labels> labels = LabelsOf(inputs[i], x->shape.rank(), 0);
    if (!labels || x->shape.rank() > kMostDimensions) return wrong();
    ellipsis = std::max(ellipsis, static_cast<int>(std::count_if(labels->begin(), labels->end(), [](int l) { return l >= kEllipsis; })));
    terms.push_back({x, *labels});
  }
  const std::optional<Labels> result = LabelsOf(sides[1], -1, ellipsis);
  if (!result) return wrong();
  for (size_t i = 0; i < result->size(); ++i) {
    const bool known = std::any_of(terms.begin(), terms.end(), [&](const Term& t) { return Has(t.labels, (*result)[i]); });
    if (!known || std::count(result->begin(), result->end(), (*result)[i]) > 1) return wrong();
  }
  for (Term& term : terms) {
    if (!TakeDiagonals(c, term)) return;
  }
  if (terms.size() == 1) {
    SumAway(c, terms[0], *result);
    return SetResult(c, terms[0], *result);
  }
  Term &l = terms[0], &r = terms[1];
  const Term was = l;
  if (!DropOnes(c, l, r) || !DropOnes(c, r, was)) return;
  for (int side = 0; side < 2; ++side) {
    Labels kept = *result;
    kept.insert(kept.end(), terms[1 - side].labels.begin(), terms[1 - side].labels.end());
    SumAway(c, terms[side], kept);
  }
  std::vector<int64_t> lb, rb, lc, rc;
  Term product;
  for (size_t d = 0; d < l.labels.size(); ++d) {
    const int label = l.labels[d];
    if (!Has(r.labels, label)) continue;
    const bool batch = Has(*result, label);
    (batch ? lb : lc).push_back(static_cast<int64_t>(d));
    (batch ? rb : rc).push_back(PlaceOf(r.labels, label));
    if (batch) product.labels.push_back(label);
  }
  for (int label : l.labels) {
    if (!Has(r.labels, label)) product.labels.push_back(label);
  }
  for (int label : r.labels) {
    if (!Has(l.labels, label)) product.labels.push_back(label);
  }
  Attributes attributes;
  if (!lb.empty()) attributes.push_back(IntsAttribute(AttrId::kLhsBatchDims, lb));
  attributes.push_back(IntsAttribute(AttrId::kLhsContractingDims, lc));
  if (!lb.empty()) attributes.push_back(IntsAttribute(AttrId::kRhsBatchDims, rb));
  attributes.push_back(IntsAttribute(AttrId::kRhsContractingDims, rc));
  product.x = c.e.Add(Opcode::kDot, {l.x, r.x}, std::move(attributes));
  if (product.x == nullptr) return;
  SetResult(c, std::move(product), *result);
}

constexpr Row kRows[] = {
    {"stablehlo.einsum", Einsum, 2, 2},
    {"stablehlo.unary_einsum", Einsum, 1, 1},
};

}  // namespace

absl::Span<const Row> EinsumRows() { return kRows; }

}  // namespace hloscope::stablehlo
