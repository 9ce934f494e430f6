// Random control flow: loops, branches, calls, fusions, asynchronous calls; and what only passes values on.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random/maker.h"

namespace hloscope {
namespace {

using Names = std::vector<std::string>;

}  // namespace

bool Maker::Control() {
  std::vector<int> operands;
  std::vector<Shape> shapes;
  for (int64_t k = dice_.Between(1, 3); k > 0; --k) {
    operands.push_back(SomeArray());
    shapes.push_back(shape(operands.back()).WithoutLayouts());
  }
  const int operations = static_cast<int>(dice_.Between(1, 6));
  switch (dice_.Below(5)) {
    case 0: {  // while: a counter and some state
      const Shape s32 = Shape::Scalar(ElementType::kS32);
      std::vector<Shape> parts = {s32};
      parts.insert(parts.end(), shapes.begin(), shapes.end());
      const Shape state = Shape::Tuple(parts);
      Maker condition(program_, dice_, "", 2);
      const int t = condition.Parameter(state);
      const int i = condition.Add("get-tuple-element", s32, {t}, ", index=0");
      const int limit = condition.Constant(ElementType::kS32, absl::StrCat(dice_.Between(0, 4)));
      Comp c = condition.Finish(condition.Add("compare", Shape::Scalar(ElementType::kPred), {i, limit}, ", direction=LT"));
      c.name = NewName("w");
      const std::string condition_name = c.name;
      program_.computations.push_back(std::move(c));
      Maker body(program_, dice_, "", depth_ + 1);
      body.feeds_ = feeds_;
      const int u = body.Parameter(state);
      const int j = body.Add("get-tuple-element", s32, {u}, ", index=0");
      const int one = body.Constant(ElementType::kS32, "1");
      const int next = body.Add("add", s32, {j, one});
      body.Grow(operations);
      std::vector<int> results = {next};
      for (const Shape& s : shapes) results.push_back(body.Coerced(s));
      Comp b = body.Finish(body.Add("tuple", state, results));
      b.name = NewName("b");
      const std::string body_name = b.name;
      program_.computations.push_back(std::move(b));
      std::vector<int> inits = {Constant(ElementType::kS32, "0")};
      inits.insert(inits.end(), operands.begin(), operands.end());
      const int init = Add("tuple", state, inits);
      Add("while", state, {init}, absl::StrCat(", condition=", condition_name, ", body=", body_name));
      return true;
    }
    case 1: {  // conditional
      const Shape result = dice_.One(2) ? shapes[0] : Shape::Tuple(shapes);
      const bool two = dice_.One(2);
      const int64_t branches = two ? 2 : dice_.Between(1, 3);
      std::vector<int> given = {Make(two ? ElementType::kPred : ElementType::kS32, {})};
      Names names;
      for (int64_t b = 0; b < branches; ++b) {
        const size_t which = static_cast<size_t>(dice_.Below(static_cast<int64_t>(operands.size())));
        if (dice_.One(2)) {
          given.push_back(operands[which]);
          names.push_back(SubComputation({shapes[which]}, result, operations));
        } else {
          given.push_back(Add("tuple", Shape::Tuple(shapes), operands));
          names.push_back(SubComputation({Shape::Tuple(shapes)}, result, operations));
        }
      }
      Add("conditional", result, given,
          two ? absl::StrCat(", true_computation=", names[0], ", false_computation=", names[1])
              : absl::StrCat(", branch_computations={", absl::StrJoin(names, ", "), "}"));
      return true;
    }
    case 2: {
      const Shape result = dice_.One(2) ? shapes[0] : Shape::Tuple(shapes);
      const std::string callee = SubComputation(shapes, result, operations);
      Add("call", result, operands, absl::StrCat(", to_apply=", callee));
      return true;
    }
    case 3: {
      const std::string callee = SubComputation(shapes, shapes[0], operations, /*feeds=*/false);
      const Shape start = Shape::Tuple({Shape::Tuple(shapes), shapes[0], Shape::Scalar(ElementType::kU32)});
      ProgNode node;  // not taken apart: only its done may look at it
      for (int o : operands) used_[o] = 1;
      node.op = "async-start";
      node.shape = start;
      node.operands = operands;
      node.attributes = absl::StrCat(", calls=", callee);
      comp_.nodes.push_back(std::move(node));
      used_.push_back(1);
      const int k = static_cast<int>(comp_.nodes.size()) - 1;
      comp_.nodes[k].shape = start;
      Add("async-done", shapes[0], {k});
      return true;
    }
    default: {
      const Shape result = dice_.One(2) ? shapes[0] : Shape::Tuple(shapes);
      Maker inner(program_, dice_, "", 2);
      for (const Shape& s : shapes) inner.Parameter(s);
      for (int k = 0; k < operations; ++k) {
        switch (dice_.Below(5)) {
          case 0: inner.Comparing(); break;
          case 1: inner.Movement(); break;
          case 2: inner.Converting(); break;
          case 3: inner.Folding(); break;
          default: inner.Elementwise(); break;
        }
      }
      Comp comp = inner.Finish(inner.Coerced(result));
      comp.name = NewName("fused");
      const std::string name = comp.name;
      program_.computations.push_back(std::move(comp));
      Add("fusion", result, operands, absl::StrCat(", kind=", dice_.Of(Names{"kLoop", "kInput", "kOutput"}), ", calls=", name));
      return true;
    }
  }
}

bool Maker::Plumbing() {
  const int x = SomeArray();
  const Shape s = shape(x).WithoutLayouts();
  switch (dice_.Below(7)) {
    case 0: {
      const int y = SomeArray();
      const int t = Add("tuple", Shape::Tuple({s, shape(y)}), {x, y});
      Add("get-tuple-element", s, {t}, ", index=0");
      return true;
    }
    case 1: {
      const int y = SomeArray();
      const Shape pair = Shape::Tuple({s, shape(y)});
      const int t = Add("tuple", pair, {x, y});
      Add("opt-barrier", pair, {t});
      return true;
    }
    case 2: Add("opt-barrier", s, {x}); return true;
    case 3: {
      const int token = Add("after-all", Shape::Token(), {});
      Add("add-dependency", s, {x, token});
      return true;
    }
    case 4: {
      if (s.rank() == 0) return false;
      const int64_t d = dice_.Below(s.rank());
      Add("get-dimension-size", Shape::Scalar(ElementType::kS32), {x}, absl::StrCat(", dimensions=", Braces({d})));
      return true;
    }
    case 5: {
      if (IsComplex(s.element_type())) return false;
      const std::string sum = Reducer({s.element_type()});
      Add("all-reduce", s, {x}, absl::StrCat(", replica_groups={}, to_apply=", sum));
      return true;
    }
    default: {
      Add(dice_.One(2) ? "replica-id" : "partition-id", Shape::Scalar(ElementType::kU32), {});
      Add("collective-permute", s, {x}, dice_.One(2) ? ", source_target_pairs={{0,0}}" : ", source_target_pairs={}");
      return true;
    }
  }
}

}  // namespace hloscope
