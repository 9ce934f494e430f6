// Random operations that reach outside of the program: infeed and outfeed, random numbers of the session, custom calls that have a meaning.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random/maker.h"

namespace hloscope {
namespace {

using Names = std::vector<std::string>;

}  // namespace

bool Maker::Outside() {
  const int x = SomeArray();
  const Shape s = shape(x).WithoutLayouts();
  const ElementType type = s.element_type();
  const auto target = [](const std::string& name) { return absl::StrCat(", custom_call_target=\"", name, "\""); };
  switch (dice_.Below(8)) {
    case 0: {  // infeed: an array or a flat tuple
      if (!feeds_) return false;
      Shape data = Shape::Array(RandomType(), RandomSizes(3));
      if (dice_.One(3)) data = Shape::Tuple({data, Shape::Array(RandomType(), RandomSizes(2))});
      const int token = Add("after-all", Shape::Token(), {});
      const int item = Add("infeed", Shape::Tuple({data, Shape::Token()}), {token});
      if (data.IsTuple()) Add("get-tuple-element", data, {item}, ", index=0");
      return true;
    }
    case 1: {  // outfeed, kept alive by a dependency
      if (!feeds_) return false;
      const int token = Add("after-all", Shape::Token(), {});
      const int item = dice_.One(2) ? x : Add("tuple", Shape::Tuple({s, s}), {x, x});
      const int sent = Add("outfeed", Shape::Token(), {item, token});
      const int y = SomeArray();
      Add("add-dependency", shape(y).WithoutLayouts(), {y, sent});
      return true;
    }
    case 2: {  // numbers of the session
      if (!dice_.One(3)) return false;  // nobody knows them, so seldom
      if (dice_.One(4)) {
        Add("rng-get-and-update-state", Shape::Array(ElementType::kU64, {dice_.Between(1, 3)}), {}, ", delta=2");
        return true;
      }
      static const auto& types = *new std::vector<ElementType>{ElementType::kF32, ElementType::kF64, ElementType::kBF16, ElementType::kS32, ElementType::kU8};
      const ElementType t = dice_.Of(types);
      const int low = Constant(t, "0"), high = Constant(t, "5");
      Add("rng", Shape::Array(t, RandomSizes(3)), {low, high}, absl::StrCat(", distribution=", IsFloat(t) && dice_.One(2) ? "rng_normal" : "rng_uniform"));
      return true;
    }
    case 3:
    case 4: {  // annotations pass their operands through
      const std::string name = dice_.Of(Names{"Sharding", "LayoutConstraint", "MoveToHost", "MoveToDevice", "annotate_device_placement"});
      if (dice_.One(3)) {
        const int y = SomeArray();
        Add("custom-call", Shape::Tuple({s, shape(y).WithoutLayouts()}), {x, y}, target(name));
      } else {
        Add("custom-call", s, {x}, target(name));
      }
      return true;
    }
    case 5: {  // the largest
      if (s.rank() == 0 || IsComplex(type)) return false;
      Sizes out = SizesOf(s);
      out.back() = dice_.Between(0, out.back());
      Add("custom-call", Shape::Tuple({Shape::Array(type, out), Shape::Array(ElementType::kS32, out)}), {x}, target("TopK"));
      return true;
    }
    case 6:  // a function of the user's: of one scalar, so that no program can make it write beyond its result
      Add("custom-call", Shape::Scalar(ElementType::kS32), {Make(ElementType::kS32, {})}, target("random_triple"));
      return true;
    default: {  // an assertion that holds
      if (IsFloat(type) || IsComplex(type)) return false;
      const int y = Add("opt-barrier", s, {x});
      Add("custom-call", Shape::Tuple({}), {x, y}, absl::StrCat(target("check.expect_eq"), ", custom_call_has_side_effect=true"));
      return true;
    }
  }
}

}  // namespace hloscope
