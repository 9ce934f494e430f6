#include "core/debug/minimize_sizes.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "core/literal/relayout.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

std::vector<int64_t> Range(int64_t first, int64_t last) {
  std::vector<int64_t> indices(last - first);
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

SizeCut SameOnAll(int64_t size, SizeCut::Part kept) {
  const int64_t count = kept.end - kept.begin;
  return {size, kept.without ? size - count : count, kept, nullptr, 0, nullptr, false, {}};
}

template <typename Each>
void ForEachSize(const Module& module, Each each) {
  for (const Computation* c : module.computations) {
    for (const Instruction* i : c->instructions) {
      if (!i->shape.IsArray()) continue;
      for (size_t k = 0; k < i->shape.dimensions().size(); ++k) each(*i, static_cast<int>(k), i->shape.dimensions()[k]);
    }
  }
}

// A dimension of an array that is given.
struct Given {
  const Instruction* array;
  int dimension;
};

std::vector<Given> GivenOf(const Module& module, int64_t size, const DimensionClasses* classes, int of_class) {
  std::vector<Given> found;
  ForEachSize(module, [&](const Instruction& i, int k, int64_t d) {
    if (d != size || (classes != nullptr && classes->Of(i, k) != of_class)) return;
    if (i.literal != nullptr || (i.parameter_number >= 0 && i.parent == module.entry)) found.push_back({&i, k});
  });
  return found;
}

// The first or the last half, of each group of dimensions by itself.
void AddHalves(int64_t size, const std::vector<Given>& given, const std::function<int(size_t)>& group_of, std::vector<SizeCut>* cuts) {
  const int64_t half = (size + 1) / 2;
  int groups = 0;
  for (size_t k = 0; k < given.size(); ++k) groups = std::max(groups, group_of(k) + 1);
  for (int choice = 0; choice < 1 << groups; ++choice) {
    SizeCut cut = SameOnAll(size, {0, half});
    for (size_t k = 0; k < given.size(); ++k) {
      if ((choice >> group_of(k) & 1) != 0) cut.others[{given[k].array, given[k].dimension}] = {size - half, size};
    }
    cuts->push_back(std::move(cut));
  }
}

void AddAllHalves(int64_t size, const std::vector<Given>& given, std::vector<SizeCut>* cuts) {
  constexpr size_t kFew = 4;
  constexpr int kAxes = 3;  // dimensions that are told apart by their numbers, from the first or from the last one on
  const auto rank = [&](size_t k) { return static_cast<int>(given[k].array->shape.dimensions().size()); };
  AddHalves(size, given, [&](size_t k) { return std::min(given[k].dimension, kAxes - 1); }, cuts);
  bool same = true;
  for (size_t k = 1; k < given.size(); ++k) same = same && rank(k) == rank(0);
  if (!same) AddHalves(size, given, [&](size_t k) { return std::min(rank(k) - 1 - given[k].dimension, kAxes - 1); }, cuts);
  if (given.size() <= kFew) AddHalves(size, given, [](size_t k) { return static_cast<int>(k); }, cuts);  // of each array by itself
}

// The elements of `value` at the indices of each dimension.
Value Taken(const Value& value, const Shape& shape, absl::Span<const std::vector<int64_t>> indices) {
  Value taken = Value::Allocate(shape);
  const int bytes = StorageBytes(shape.element_type());
  const absl::Span<const int64_t> dims = value.shape().dimensions();
  std::vector<size_t> at(dims.size(), 0);
  for (int64_t k = 0; k < shape.ElementCount(); ++k) {
    int64_t linear = 0;
    for (size_t d = 0; d < dims.size(); ++d) linear = linear * dims[d] + indices[d][at[d]];
    std::memcpy(taken.mutable_data() + k * bytes, value.data() + linear * bytes, bytes);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++at[d] < indices[d].size()) break;
      at[d] = 0;
    }
  }
  return taken;
}

}  // namespace

std::vector<int64_t> SizeCut::Part::IndicesOf(int64_t size) const {
  if (!without) return Range(begin, end);
  std::vector<int64_t> indices = Range(0, begin);
  for (int64_t k = end; k < size; ++k) indices.push_back(k);
  return indices;
}

void SizeCut::ApplyTo(Rewrite* rewrite, bool multiples) const {
  const int64_t was = from, is = to;
  const auto other = [was, is, multiples](int64_t d) { return d == was ? is : multiples && d > was && d % was == 0 ? d / was * is : d; };
  rewrite->size = [other, in = classes, c = of_class](const Instruction& of, int dimension, int64_t d) {
    return in == nullptr || in->Of(of, dimension) == c ? other(d) : d;
  };
  rewrite->attribute_size = [other, in = classes, c = of_class](const Instruction& of, int dimension, int64_t d) {
    return in == nullptr || (dimension < 0 ? in->Meets(of, c) : in->MeetsAt(of, dimension, c)) ? other(d) : d;
  };
  if (follow != nullptr) ResizeClasses(*classes, *follow, rewrite);
  rewrite->cut = [cut = *this](const Instruction& of, const Value& value, const Shape& shape) {
    const Value dense = ToDense(value);
    const int rank = static_cast<int>(shape.dimensions().size());
    std::vector<std::vector<int64_t>> indices(rank);
    for (int k = 0; k < rank; ++k) {
      const int64_t now = dense.shape().dimensions()[k], then = shape.dimensions()[k];
      if (now == then) {
        indices[k] = Range(0, now);
        continue;
      }
      if (cut.follow != nullptr && cut.classes->Of(of, k) != cut.of_class) {
        indices[k] = cut.follow_ends ? Range(now - then, now) : Range(0, then);
        continue;
      }
      const int64_t times = now / cut.from;  // of a multiple: so many side by side
      const auto other = cut.others.find({&of, k});
      for (const int64_t index : (other == cut.others.end() ? cut.kept : other->second).IndicesOf(cut.from)) {
        for (int64_t beside = 0; beside < times; ++beside) indices[k].push_back(index * times + beside);
      }
    }
    return Taken(dense, shape, indices);
  };
}

std::vector<int64_t> SizesIn(const Module& module) {
  std::set<int64_t, std::greater<>> sizes;
  ForEachSize(module, [&](const Instruction&, int, int64_t d) {
    if (d > 1) sizes.insert(d);
  });
  return std::vector<int64_t>(sizes.begin(), sizes.end());
}

bool HasMultiple(const Module& module, int64_t size) {
  bool has = false;
  ForEachSize(module, [&](const Instruction&, int, int64_t d) { has |= d > size && d % size == 0; });
  return has;
}

namespace {

// Those with which other sizes have to change, and can: of given arrays of those the first elements stay, or the last.
std::vector<SizeCut> WithWhatFollows(const Module& module, const std::vector<SizeCut>& cuts) {
  std::map<int64_t, std::shared_ptr<const ClassSizes>> known;  // by the new size
  std::vector<SizeCut> all;
  for (SizeCut cut : cuts) {
    const auto [follow, added] = known.try_emplace(cut.to, nullptr);
    if (added) {
      std::optional<ClassSizes> sizes = SizesThatFollow(module, *cut.classes, cut.of_class, cut.to);
      if (sizes.has_value() && sizes->size() > 1) follow->second = std::make_shared<const ClassSizes>(*std::move(sizes));
    }
    if (follow->second == nullptr) continue;
    cut.follow = follow->second;
    all.push_back(cut);
    bool given = false;
    ForEachSize(module, [&](const Instruction& i, int k, int64_t) {
      const bool is_given = i.literal != nullptr || (i.parameter_number >= 0 && i.parent == module.entry);
      given |= is_given && cut.classes->Of(i, k) != cut.of_class && cut.follow->contains(cut.classes->Of(i, k));
    });
    cut.follow_ends = true;
    if (given) all.push_back(std::move(cut));
  }
  return all;
}

}  // namespace

std::vector<SizeCut> SizeCuts(const Module& module, int64_t size, std::shared_ptr<const DimensionClasses> classes, int of_class, bool follow) {
  constexpr int64_t kFew = 16;
  std::vector<SizeCut> cuts = {SameOnAll(size, {0, 1})};
  const std::vector<Given> arrays = GivenOf(module, size, classes.get(), of_class);
  const bool given = !arrays.empty();
  if (given) cuts.push_back(SameOnAll(size, {size - 1, size}));
  if (size / 8 > 1) cuts.push_back(SameOnAll(size, {0, size / 8}));
  AddAllHalves(size, arrays, &cuts);
  for (int64_t parts = 4; given && parts <= kFew && parts < size; parts *= 2) {
    for (int64_t part = 0; part < parts; ++part) cuts.push_back(SameOnAll(size, {size * part / parts, size * (part + 1) / parts, true}));
  }
  for (int64_t k = size - 1; k >= 0; --k) {
    const bool end = k == 0 || k == size - 1;
    if (given ? end || size <= kFew : k == size - 1) cuts.push_back(SameOnAll(size, {k, k + 1, true}));
  }
  // With others only some sizes may fit together.
  constexpr int64_t kMostSizes = 64;
  for (int64_t to = 2; follow && to < std::min(size, kMostSizes); ++to) {
    cuts.push_back(SameOnAll(size, {0, to}));
    if (given) cuts.push_back(SameOnAll(size, {size - to, size}));
  }
  for (SizeCut& cut : cuts) {
    cut.classes = classes;
    cut.of_class = of_class;
  }
  return follow ? WithWhatFollows(module, cuts) : cuts;
}

int64_t Elements(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() ? shape.ElementCount() : 0;
  int64_t n = 0;
  for (const Shape& element : shape.tuple_shapes()) n += Elements(element);
  return n;
}

bool AllSame(const std::vector<Value>& values) {
  return std::all_of(values.begin(), values.end(), [&](const Value& value) { return Value::BitEqual(value, values[0]); });
}

Value LeafOf(Value value, const std::vector<int64_t>& leaf) {
  for (int64_t k : leaf) {
    const Value element = value.elements()[k];
    value = element;
  }
  return value;
}

Value Filled(const Shape& shape, double number) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(Filled(element, number));
    return Value::Tuple(shape, std::move(elements));
  }
  if (shape.IsToken()) return Value::Token();
  Value value = Value::Allocate(shape);
  const ElementType type = shape.element_type();
  const Scalar s = IsFloat(type) ? Scalar::Float(type, number) : IsComplex(type) ? Scalar::Complex(type, {number, 0}) : Scalar::Int(type, static_cast<int64_t>(number));
  for (int64_t k = 0; k < shape.ElementCount(); ++k) StoreScalar(s, value.mutable_data() + k * StorageBytes(type));
  return value;
}

}  // namespace hloscope
