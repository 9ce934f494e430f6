// The program is copied with the sizes that are known, and what its shape rules infer for the copy are sizes that follow; that goes on until
// nothing new does. A reshape has no rule: the dimensions between which it moves elements keep their product.
#include "core/debug/minimize_follow.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// A dimension of an instruction, and its size in the copy.
struct Dimension {
  int of_class = 0;
  int64_t was = 0, is = 0;
};

std::vector<Dimension> DimensionsOf(const DimensionClasses& classes, const Instruction& original, const Instruction& copy) {
  std::vector<Dimension> found;
  for (int d = 0; d < original.shape.rank(); ++d) found.push_back({classes.Of(original, d), original.shape.dim(d), copy.shape.dim(d)});
  return found;
}

class Following {
 public:
  Following(const Module& module, const DimensionClasses& classes, int of_class, int64_t to) : module_(module), classes_(classes), sizes_{{of_class, to}} {}

  std::optional<ClassSizes> Find() {
    constexpr int kMostRounds = 32;
    for (int round = 0; round < kMostRounds; ++round) {
      Rewrite rewrite;
      ResizeClasses(classes_, sizes_, &rewrite);
      absl::StatusOr<Rewritten> copy = RewriteModule(module_, rewrite);
      if (!copy.ok()) return std::nullopt;
      fits_ = true;
      more_ = false;
      for (const Computation* c : copy->module->computations) {
        const Computation* home = module_.FindComputation(c->name);
        for (size_t k = 0; home != nullptr && k < c->schedule.size() && fits_; ++k) Follow(*home, *c->schedule[k]);
      }
      if (!fits_) return std::nullopt;
      if (!more_) return sizes_;
    }
    return std::nullopt;
  }

 private:
  void Follow(const Computation& home, Instruction& copy) {
    const Instruction* original = home.FindInstruction(copy.name);
    if (original == nullptr || original->opcode != copy.opcode || original->operands.size() != copy.operands.size()) return;
    DiagnosticSink sink;
    ShapeContext context(copy, sink);
    const OpDef& def = Def(copy);
    const std::optional<Shape> inferred = def.infer != nullptr ? def.infer(context) : std::nullopt;
    const bool moves = def.movement == Movement::kMove && copy.operands.size() == 1 && copy.shape.IsArray() && copy.operands[0]->shape.IsArray();
    if (inferred.has_value() && sink.error_count() == 0) {
      int dimension = 0;
      Take(*original, copy.shape, *inferred, &dimension);
    } else if (moves && original->shape.ElementCount() == original->operands[0]->shape.ElementCount() && copy.shape.ElementCount() != copy.operands[0]->shape.ElementCount()) {
      Reshape(DimensionsOf(classes_, *original->operands[0], *copy.operands[0]), DimensionsOf(classes_, *original, copy));
    }
  }

  void Set(int of_class, int64_t size) {
    const auto [at, added] = sizes_.try_emplace(of_class, size);
    fits_ = fits_ && size > 0 && at->second == size;
    more_ = more_ || added;
  }

  void Take(const Instruction& original, const Shape& has, const Shape& inferred, int* dimension) {
    if (has.IsTuple() != inferred.IsTuple() || (has.IsTuple() && has.tuple_shapes().size() != inferred.tuple_shapes().size())) return;
    for (size_t k = 0; has.IsTuple() && k < has.tuple_shapes().size(); ++k) Take(original, has.tuple_shapes()[k], inferred.tuple_shapes()[k], dimension);
    if (!has.IsArray() || !inferred.IsArray() || has.rank() != inferred.rank()) return;
    for (int d = 0; d < has.rank(); ++d, ++*dimension) {
      if (has.dim(d) != inferred.dim(d)) Set(classes_.Of(original, *dimension), inferred.dim(d));
    }
  }

  // Of as few dimensions of both as have the same product.
  void Reshape(const std::vector<Dimension>& from, const std::vector<Dimension>& to) {
    for (size_t i = 0, j = 0; i < from.size() || j < to.size();) {
      std::vector<Dimension> a, b;
      int64_t x = 1, y = 1;
      do {
        const bool of_from = i < from.size() && (x <= y || j == to.size());
        if (!of_from && j == to.size()) break;
        (of_from ? x : y) *= of_from ? from[i].was : to[j].was;
        (of_from ? a : b).push_back(of_from ? from[i++] : to[j++]);
      } while (x != y || a.empty() || b.empty());
      // What has not changed yet follows the other.
      if (Product(a) == Product(b)) continue;
      const bool changed = Product(a) != x;
      if (!Fit(changed ? b : a, Product(changed ? a : b)) && !Fit(changed ? a : b, Product(changed ? b : a))) fits_ = false;
    }
  }

  static int64_t Product(const std::vector<Dimension>& group) {
    int64_t product = 1;
    for (const Dimension& d : group) product *= d.is;
    return product;
  }

  // One of them changes.
  bool Fit(const std::vector<Dimension>& group, int64_t product) {
    for (const Dimension& d : group) {
      const int64_t others = Product(group) / d.is;
      if (sizes_.contains(d.of_class) || product % others != 0 || product / others >= d.was) continue;
      Set(d.of_class, product / others);
      return true;
    }
    return false;
  }

  const Module& module_;
  const DimensionClasses& classes_;
  ClassSizes sizes_;
  bool fits_ = true, more_ = false;
};

}  // namespace

std::optional<ClassSizes> SizesThatFollow(const Module& module, const DimensionClasses& classes, int of_class, int64_t to) {
  return Following(module, classes, of_class, to).Find();
}

void ResizeClasses(const DimensionClasses& classes, const ClassSizes& sizes, Rewrite* rewrite) {
  const auto size_of = [&classes, sizes](const Instruction& of, int dimension) {
    const auto found = sizes.find(classes.Of(of, dimension));
    return found == sizes.end() ? std::optional<int64_t>() : found->second;
  };
  rewrite->size = [size_of](const Instruction& of, int dimension, int64_t d) { return size_of(of, dimension).value_or(d); };
  rewrite->attribute_size = [size_of](const Instruction& of, int dimension, int64_t d) {
    const auto has = [dimension](const Instruction& i) { return i.shape.IsArray() && dimension >= 0 && dimension < i.shape.rank(); };
    if (has(of) && of.shape.dim(dimension) == d) {
      if (const std::optional<int64_t> is = size_of(of, dimension)) return *is;
    }
    if (of.operands.empty() || !has(*of.operands[0])) return d;
    const std::optional<int64_t> is = size_of(*of.operands[0], dimension);
    if (!is.has_value()) return d;
    return d == of.operands[0]->shape.dim(dimension) ? *is : std::min(d, *is);
  };
}

}  // namespace hloscope
