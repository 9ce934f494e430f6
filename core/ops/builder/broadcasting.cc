#include "core/ops/builder/broadcasting.h"

#include "absl/strings/str_cat.h"
#include "core/ops/builder/internal.h"
#include "core/ops/shape_rules.h"

namespace hloscope::hlo {
namespace {

std::string Text(const Op& op) { return op.shape().ToString(false); }

// `op` placed among the dimensions of `target` (of higher rank): dimension k becomes dimension dims[k], the others repeat.
Op InDim(Op op, const Shape& target, Dims dims, Place place) {
  Builder* b = op.builder();
  if (dims.empty() && op.shape().rank() > 0) {
    return b->Error(HLO_LABEL("broadcasting.dimensions-needed"),
                    absl::StrCat(Text(op), " and ", target.ToString(false),
                                 " have different ranks: broadcast_dimensions must say which dimensions match"),
                    place);
  }
  if (static_cast<int>(dims.size()) != op.shape().rank()) {
    return b->Error(HLO_LABEL("broadcasting.dimension-count"),
                    absl::StrCat("broadcast_dimensions=", ListText(dims), " must have one entry for each dimension of ", Text(op)), place);
  }
  std::vector<int64_t> sizes = List(target.dimensions());
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] < 0 || dims[k] >= target.rank()) {
      return b->Error(HLO_LABEL("broadcasting.dimension-range"),
                      absl::StrCat("broadcast_dimensions=", ListText(dims), " names dimension ", dims[k], " of ", target.ToString(false)),
                      place);
    }
    if (k > 0 && dims[k] <= dims[k - 1]) {
      return b->Error(HLO_LABEL("broadcasting.dimension-order"), absl::StrCat("broadcast_dimensions=", ListText(dims), " must increase"),
                      place);
    }
    const int64_t mine = op.shape().dim(static_cast<int>(k)), other = target.dim(static_cast<int>(dims[k]));
    if (mine != other && mine != 1 && other != 1) {
      return b->Error(HLO_LABEL("broadcasting.sizes"),
                      absl::StrCat("dimension ", k, " of ", Text(op), " cannot match dimension ", dims[k], " of ", target.ToString(false)),
                      place);
    }
    sizes[dims[k]] = mine;
  }
  return Make(Opcode::kBroadcast, {op}, {Ints(AttrId::kDimensions, dims)}, Shape::Array(op.shape().element_type(), sizes), place);
}

// Dimensions of size 1 stretched to `sizes`: they go in a reshape and come back in a broadcast.
Op Stretch(Op op, Dims sizes, Place place) {
  if (op.shape().dimensions() == sizes) return op;
  return BroadcastInDim(
      op, sizes,
      [&] {
        std::vector<int64_t> all;
        for (int d = 0; d < op.shape().rank(); ++d) all.push_back(d);
        return all;
      }(),
      place);
}

}  // namespace

std::pair<Op, Op> BroadcastTogether(Op lhs, Op rhs, Dims dims, Place place) {
  if (!lhs.valid() || !rhs.valid() || !lhs.shape().IsArray() || !rhs.shape().IsArray()) return {lhs, rhs};  // the operation complains
  Builder* b = lhs.builder();
  if (lhs.shape().rank() == rhs.shape().rank()) {
    bool identity = dims.empty() || static_cast<int>(dims.size()) == lhs.shape().rank();
    for (size_t k = 0; identity && k < dims.size(); ++k) identity = dims[k] == static_cast<int64_t>(k);
    if (!identity) {
      const Op error = b->Error(HLO_LABEL("broadcasting.equal-ranks"),
                                absl::StrCat("between equal ranks broadcast_dimensions says nothing, but it is ", ListText(dims)), place);
      return {error, error};
    }
  } else if (lhs.shape().rank() < rhs.shape().rank()) {
    lhs = InDim(lhs, rhs.shape(), dims, place);
  } else {
    rhs = InDim(rhs, lhs.shape(), dims, place);
  }
  if (!lhs.valid() || !rhs.valid() || lhs.shape().dimensions() == rhs.shape().dimensions()) return {lhs, rhs};
  std::vector<int64_t> sizes;
  for (int d = 0; d < lhs.shape().rank(); ++d) {
    const int64_t l = lhs.shape().dim(d), r = rhs.shape().dim(d);
    if (l != r && l != 1 && r != 1) {
      const Op error =
          b->Error(HLO_LABEL("broadcasting.sizes"),
                   absl::StrCat("dimension ", d, " of ", Text(lhs), " and of ", Text(rhs), " must be equal, or 1 in one of them"), place);
      return {error, error};
    }
    sizes.push_back(l == 1 ? r : l);
  }
  return {Stretch(lhs, sizes, place), Stretch(rhs, sizes, place)};
}

}  // namespace hloscope::hlo
