// The generator: sources, operands, and the choice of what to add. See generate.h.
#include "tests/random/generate.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random/maker.h"

namespace hloscope {

std::string Braces(const std::vector<int64_t>& list) { return absl::StrCat("{", absl::StrJoin(list, ","), "}"); }
bool IsFunnyType(ElementType type) { return type == ElementType::kF8E8M0FNU; }

std::vector<ElementType> TypesWhere(bool (*wanted)(ElementType)) {
  std::vector<ElementType> types;
  for (int t = 0; t < kElementTypeCount; ++t) {
    if (IsArrayType(static_cast<ElementType>(t)) && wanted(static_cast<ElementType>(t))) types.push_back(static_cast<ElementType>(t));
  }
  return types;
}

ElementType Maker::RandomType() {
  static const auto& all = *new std::vector<ElementType>(TypesWhere([](ElementType) { return true; }));
  static const auto& usual = *new std::vector<ElementType>{ElementType::kF32, ElementType::kF32, ElementType::kS32, ElementType::kBF16,
                                                           ElementType::kF16, ElementType::kF64, ElementType::kU8, ElementType::kPred};
  return dice_.One(2) ? dice_.Of(usual) : dice_.Of(all);
}

Sizes Maker::RandomSizes(int max_rank) {
  static const auto& sizes = *new std::vector<int64_t>{1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33};
  static const auto& large = *new std::vector<int64_t>{1, 3, 17, 31, 32, 33, 64, 100, 129, 257};
  Sizes s(dice_.Between(0, max_rank));
  int64_t count = 1;
  for (int64_t& d : s) {
    d = dice_.One(25) ? 0 : dice_.Of(program_.large ? large : sizes);
    if (count * d > (program_.large ? 9000 : dice_.One(10) ? 2000 : 200)) d = dice_.Between(1, 2);
    count *= std::max<int64_t>(1, d);
  }
  return s;
}

Shape Maker::Dressed(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> parts;
    for (const Shape& part : shape.tuple_shapes()) parts.push_back(Dressed(part));
    return Shape::Tuple(std::move(parts));
  }
  if (!shape.IsArray()) return shape;
  Layout layout = Layout::RowMajor(shape.rank());
  if (depth_ != 0 || !dice_.One(3)) return shape.WithLayout(layout);
  std::shuffle(layout.minor_to_major.begin(), layout.minor_to_major.end(), dice_.engine);
  if (shape.rank() > 0 && dice_.One(3)) {
    for (int64_t d : shape.dimensions()) layout.padded_dimensions.push_back(d + dice_.Below(3));
    layout.padding_value = static_cast<PaddingValue>(dice_.Below(5));
  }
  if (dice_.One(5)) {
    Tile& tile = layout.tiles.emplace_back();
    for (int64_t n = dice_.Between(1, std::max(1, std::min(3, shape.rank()))); n > 0; --n) tile.dimensions.push_back(dice_.Between(1, 4));
  }
  const int bits = IsPred(shape.element_type()) ? 1 : BitWidth(shape.element_type());
  if (dice_.One(bits < 8 ? 2 : 12) && (bits == 1 || bits % 2 == 0) && bits != 6) layout.element_size_in_bits = bits;
  return shape.WithLayout(layout);
}

int Maker::Add(std::string op, const Shape& shape, std::vector<int> operands, std::string attributes) {
  for (int o : operands) used_[o] = 1;
  ProgNode node;
  node.op = std::move(op);
  node.shape = Dressed(shape);
  node.operands = std::move(operands);
  node.attributes = std::move(attributes);
  comp_.nodes.push_back(std::move(node));
  used_.push_back(0);
  const int k = static_cast<int>(comp_.nodes.size()) - 1;
  if (shape.IsTuple()) UnpackTuple(k);
  return k;
}

// Most tuples are taken apart at once, so that their elements take part.
void Maker::UnpackTuple(int k) {
  if (dice_.One(8)) return;
  const Shape tuple = comp_.nodes[k].shape;
  for (size_t e = 0; e < tuple.tuple_shapes().size(); ++e) {
    if (tuple.tuple_shapes()[e].IsArray()) Add("get-tuple-element", tuple.tuple_shapes()[e], {k}, absl::StrCat(", index=", e));
  }
}

int Maker::Parameter(const Shape& shape) {
  const int k = Add("parameter", shape, {});
  comp_.nodes[k].id = parameters_;
  comp_.nodes[k].literal = absl::StrCat(parameters_++);
  return k;
}

int Maker::Constant(ElementType type, const std::string& scalar_text) {
  const int k = Add("constant", Shape::Scalar(type), {});
  comp_.nodes[k].literal = scalar_text;
  return k;
}

int Maker::SomeArray(const std::function<bool(const Shape&)>& wanted) {
  std::vector<int> found;
  for (size_t k = 0; k < comp_.nodes.size(); ++k) {
    if (shape(static_cast<int>(k)).IsArray() && !shape(static_cast<int>(k)).has_dynamic_dimension() && wanted(shape(static_cast<int>(k)))) found.push_back(static_cast<int>(k));
  }
  if (found.empty()) return -1;
  const int64_t n = static_cast<int64_t>(found.size());
  return found[std::max(dice_.Below(n), dice_.Below(n))];
}
int Maker::SomeArray() {
  const int k = SomeArray([](const Shape&) { return true; });
  return k >= 0 ? k : Source(RandomType(), RandomSizes(3));
}

void Maker::Begin() { Parameter(Shape::Array(RandomType(), RandomSizes(4))); }

int Maker::Source(ElementType type, const Sizes& sizes) {
  const Shape shape = Shape::Array(type, sizes);
  if (depth_ == 0 && !dice_.One(3)) return Parameter(shape);
  if (!sizes.empty() && type != ElementType::kPred && dice_.One(2)) {
    return Add("iota", shape, {}, absl::StrCat(", iota_dimension=", dice_.Below(static_cast<int64_t>(sizes.size()))));
  }
  std::string text = absl::StrCat(dice_.Between(0, 3));
  if (IsPred(type)) text = dice_.One(2) ? "true" : "false";
  if (BitWidth(type) <= 2 && !IsPred(type)) text = IsSigned(type) ? "-1" : "1";
  if (IsFloat(type)) text = IsFunnyType(type) ? "2" : dice_.Of(std::vector<std::string>{"0", "1", "-1", "0.5", "2", "1.5", "-3"});
  if (IsComplex(type)) text = "(1, -0.5)";
  const int scalar = Constant(type, text);
  return sizes.empty() ? scalar : Add("broadcast", shape, {scalar}, ", dimensions={}");
}

int Maker::Make(ElementType type, const Sizes& sizes) {
  const auto same_sizes = [&](const Shape& s) { return Sizes(s.dimensions().begin(), s.dimensions().end()) == sizes; };
  if (!dice_.One(6)) {
    const int exact = SomeArray([&](const Shape& s) { return s.element_type() == type && same_sizes(s); });
    if (exact >= 0) return exact;
  }
  const Shape shape = Shape::Array(type, sizes);
  if (!dice_.One(4)) {
    const int other = SomeArray([&](const Shape& s) {
      return same_sizes(s) && s.element_type() != type && (!IsComplex(s.element_type()) || IsComplex(type)) && !IsFunnyType(type);
    });
    if (other >= 0) return Add("convert", shape, {other});
  }
  if (!dice_.One(3)) {
    const int flat = SomeArray([&](const Shape& s) { return s.element_type() == type && s.ElementCount() == shape.ElementCount(); });
    if (flat >= 0) return same_sizes(this->shape(flat)) ? flat : Add("reshape", shape, {flat});
  }
  if (sizes.empty() || shape.ElementCount() > 0) {
    // A part of something larger.
    const int larger = SomeArray([&](const Shape& s) {
      if (s.rank() != shape.rank() || s.rank() == 0 || s.element_type() != type) return false;
      for (int d = 0; d < s.rank(); ++d) {
        if (s.dim(d) < sizes[d]) return false;
      }
      return true;
    });
    if (larger >= 0 && dice_.One(2)) {
      std::vector<std::string> parts;
      for (size_t d = 0; d < sizes.size(); ++d) {
        const int64_t start = dice_.Between(0, this->shape(larger).dim(static_cast<int>(d)) - sizes[d]);
        parts.push_back(absl::StrCat("[", start, ":", start + sizes[d], "]"));
      }
      return Add("slice", shape, {larger}, absl::StrCat(", slice={", absl::StrJoin(parts, ","), "}"));
    }
    // One element, alone or spread out.
    const int any = SomeArray([&](const Shape& s) { return s.ElementCount() == 1 && s.element_type() == type; });
    if (any >= 0 && dice_.One(2)) {
      const int scalar = this->shape(any).rank() == 0 ? any : Add("reshape", Shape::Scalar(type), {any});
      return sizes.empty() ? scalar : Add("broadcast", shape, {scalar}, ", dimensions={}");
    }
    // The lower dimensions, repeated.
    const int tail = SomeArray([&](const Shape& s) {
      if (s.element_type() != type || s.rank() >= shape.rank() || s.rank() == 0) return false;
      return std::equal(s.dimensions().begin(), s.dimensions().end(), sizes.end() - s.rank());
    });
    if (tail >= 0) {
      std::vector<int64_t> dimensions;
      for (int d = shape.rank() - this->shape(tail).rank(); d < shape.rank(); ++d) dimensions.push_back(d);
      return Add("broadcast", shape, {tail}, absl::StrCat(", dimensions=", Braces(dimensions)));
    }
    // Enough elements of something, cut off and folded up.
    if (!sizes.empty() && !dice_.One(4)) {
      const int enough = SomeArray([&](const Shape& s) {
        return s.ElementCount() >= shape.ElementCount() && (IsComplex(type) || !IsComplex(s.element_type())) && !IsFunnyType(type);
      });
      if (enough >= 0) {
        int k = enough;
        const int64_t count = shape.ElementCount(), all = this->shape(k).ElementCount();
        if (this->shape(k).rank() != 1) k = Add("reshape", Shape::Array(this->shape(k).element_type(), {all}), {k});
        if (all != count) k = Add("slice", Shape::Array(this->shape(k).element_type(), {count}), {k}, absl::StrCat(", slice={[", all - count, ":", all, "]}"));
        if (this->shape(k).element_type() != type) k = Add("convert", Shape::Array(type, {count}), {k});
        return sizes.size() == 1 ? k : Add("reshape", shape, {k});
      }
    }
  }
  return Source(type, sizes);
}

int Maker::Coerced(const Shape& result) {
  if (result.IsTuple()) {
    std::vector<int> parts;
    for (const Shape& part : result.tuple_shapes()) parts.push_back(Coerced(part));
    return Add("tuple", result, parts);
  }
  if (!result.IsArray()) return Add("after-all", Shape::Token(), {});
  return Make(result.element_type(), Sizes(result.dimensions().begin(), result.dimensions().end()));
}

int Maker::MakeRoot() {
  std::vector<int> loose;
  for (int k = static_cast<int>(comp_.nodes.size()) - 1; k >= 0; --k) {
    if (!used_[k] && (shape(k).IsArray() || shape(k).IsTuple()) && comp_.nodes[k].op != "parameter") loose.push_back(k);
  }
  if (loose.empty()) return static_cast<int>(comp_.nodes.size()) - 1;
  if (loose.size() == 1) return loose[0];
  if (loose.size() > 6) loose.resize(6);
  std::vector<Shape> shapes;
  for (int k : loose) shapes.push_back(shape(k));
  return Add("tuple", Shape::Tuple(shapes), loose);
}

void Maker::Grow(int count) {
  using Step = bool (Maker::*)();
  struct Choice {
    Step step;
    int weight;
  };
  std::vector<Choice> choices = {{&Maker::Elementwise, 10}, {&Maker::Comparing, 4}, {&Maker::Converting, 4}, {&Maker::Movement, 10},
                                 {&Maker::Indexed, 3},      {&Maker::Folding, 4},   {&Maker::Windowed, 2},   {&Maker::Ordering, 2},
                                 {&Maker::Products, 3},     {&Maker::Linear, 1},    {&Maker::Plumbing, 2},
                                 {&Maker::Outside, 1}};
  if (depth_ < 2) choices.push_back({&Maker::Bounded, 1});
  if (depth_ < 2) choices.push_back({&Maker::Control, depth_ == 0 ? 3 : 1});
  int total = 0;
  for (const Choice& c : choices) total += c.weight;
  for (int done = 0, tries = 0; done < count && tries < 20 * count; ++tries) {
    int64_t at = dice_.Below(total);
    for (const Choice& c : choices) {
      at -= c.weight;
      if (at >= 0) continue;
      done += (this->*c.step)() ? 1 : 0;
      break;
    }
  }
}

std::string Maker::NewName(const std::string& what) { return absl::StrCat(what, program_.computations.size()); }

std::string Maker::SubComputation(const std::vector<Shape>& parameters, const Shape& result, int operations, bool feeds) {
  // The name is taken when it is done: what it calls comes before it.
  Maker inner(program_, dice_, "", depth_ + 1);
  inner.feeds_ = feeds_ && feeds;
  for (const Shape& shape : parameters) inner.Parameter(shape);
  inner.Grow(operations);
  const int root = inner.Coerced(result);
  Comp comp = inner.Finish(root);
  comp.name = NewName("c");
  const std::string name = comp.name;
  program_.computations.push_back(std::move(comp));
  return name;
}

Prog Generate(uint64_t seed) {
  Prog program;
  program.seed = seed;
  Dice dice(seed);
  const int64_t kind = dice.Below(10);
  program.inputs = kind < 6 ? Inputs::kSmall : kind < 9 ? Inputs::kMixed : Inputs::kSpecial;
  program.large = dice.One(15);
  Maker maker(program, dice, "main", 0);
  const int64_t parameters = dice.Between(1, 3);
  for (int64_t k = 0; k < parameters; ++k) maker.Begin();
  maker.Grow(static_cast<int>(program.large ? dice.Between(1, 6) : dice.One(10) ? dice.Between(18, 45) : dice.Between(2, 18)));
  const int root = maker.MakeRoot();
  program.computations.push_back(maker.Finish(root));
  return WithoutDeadCode(program);
}

}  // namespace hloscope
