// Random element programs, native against the interpreter.
#include <cmath>
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "core/element/interpret.h"
#include "core/element/scalar_eval.h"
#include "gtest/gtest.h"
#include "tests/jit_cpu/kernel_check.h"

namespace hloscope {
namespace {

using T = ElementType;

// Makes programs of random shape: nested folds of every order, guarded and gathered loads, lazy selects, shared subexpressions.
class ProgramMaker {
 public:
  explicit ProgramMaker(uint64_t seed) : random_(seed) {}

  Program Make(std::vector<Value>* operands) {
    std::vector<int64_t> out;
    for (int64_t r = random_.Int(0, 3); r > 0; --r) out.push_back(Extent());
    std::vector<Shape> shapes;
    for (int k = 0; k < 3; ++k) {
      std::vector<int64_t> dims;
      for (int64_t r = random_.Int(0, 3); r > 0; --r) dims.push_back(Extent());
      shapes.push_back(Shape::Array(k == 2 ? T::kS32 : random_.Int(0, 3) ? T::kF32 : T::kBF16, dims));
      operands->push_back(random_.Array(shapes.back(), false));
    }
    Program p = Program::Pull(shapes, Shape::Array(T::kF32, out));
    p.outputs.push_back({Shape::Array(T::kS32, out), kNoNode});
    p_ = &p;
    g_ = p.graph.get();
    for (size_t d = 0; d < out.size(); ++d) vars_.push_back(static_cast<int32_t>(d));
    p.outputs[0].value = g_->Convert(T::kF32, Float(4));
    p.outputs[1].value = g_->Convert(T::kS32, Index(2));
    if (random_.Int(0, 2) == 0) p.outputs[0].value = g_->Binary(ScalarOp::kAdd, p.outputs[0].value, g_->Convert(T::kF32, Index(2)));
    return p;
  }

 private:
  int64_t Extent() {
    static constexpr int64_t kExtents[] = {1, 2, 3, 5, 8, 16, 17, 20, 33, 48};
    return kExtents[random_.Int(0, 9)];
  }
  NodeId Index(int depth) {
    const int64_t choice = random_.Int(0, 9);
    if (depth > 0 && choice < 3) return g_->Add(Index(depth - 1), Index(depth - 1));
    if (depth > 0 && choice == 3) return g_->Mul(Index(depth - 1), g_->IndexConstant(random_.Int(-2, 3)));
    if (depth > 0 && choice == 4) return g_->FloorDiv(Index(depth - 1), random_.Int(1, 7));
    if (depth > 0 && choice == 5) return g_->Mod(Index(depth - 1), random_.Int(1, 20));
    if (depth > 0 && choice == 6) return g_->Convert(T::kS64, Load(2, depth - 1));
    if (choice == 7 || vars_.empty()) return g_->IndexConstant(random_.Int(-3, 9));
    return g_->Index(vars_[random_.Int(0, static_cast<int64_t>(vars_.size()) - 1)]);
  }
  // A load that is safe by clamping, or guarded by a select on its own bounds.
  NodeId Load(int k, int depth) {
    const Shape& shape = p_->operands[k];
    std::vector<NodeId> index;
    NodeId inside = kNoNode;
    const bool guard = random_.Int(0, 2) == 0 && shape.rank() > 0;
    for (int d = 0; d < shape.rank(); ++d) {
      // Mostly a plain variable, so that the usual kinds of movement are met.
      NodeId i = Index(random_.Int(0, 2) == 0 ? std::min(depth, 2) : 0);
      if (guard) {
        const NodeId in = g_->InRange(i, 0, shape.dim(d));
        inside = inside == kNoNode ? in : g_->And(inside, in);
      } else {
        i = g_->Clamp(i, 0, shape.dim(d) - 1);
      }
      index.push_back(i);
    }
    const NodeId load = g_->Load(k, shape.element_type(), index);
    if (!guard) return load;
    return g_->Select(inside, load, g_->Constant(IsFloat(shape.element_type()) ? hloscope::Scalar::Float(shape.element_type(), 0.5) : hloscope::Scalar::Int(shape.element_type(), 7)));
  }
  NodeId Float(int depth) {
    if (!made_.empty() && random_.Int(0, 5) == 0) {
      const auto& [node, vars] = made_[random_.Int(0, static_cast<int64_t>(made_.size()) - 1)];
      if (vars <= vars_.size() && std::equal(vars_.begin(), vars_.begin() + vars, vars_.begin())) return node;
    }
    if (depth == 0) return g_->Convert(T::kF32, Load(static_cast<int>(random_.Int(0, 2)), 1));
    switch (random_.Int(0, 9)) {
      case 0: case 1: case 2: {
        static constexpr ScalarOp kOps[] = {ScalarOp::kAdd, ScalarOp::kSubtract, ScalarOp::kMultiply, ScalarOp::kMaximum, ScalarOp::kMinimum};
        return g_->Binary(kOps[random_.Int(0, 4)], Float(depth - 1), Float(depth - 1));
      }
      case 3: return g_->Unary(random_.Int(0, 1) ? ScalarOp::kNegate : ScalarOp::kAbs, Float(depth - 1));
      case 4: return g_->Convert(T::kF32, g_->Convert(T::kBF16, Float(depth - 1)));
      case 5: return g_->Select(g_->Binary(ScalarOp::kLt, Index(1), Index(1)), Float(depth - 1), Float(depth - 1));
      case 6: return g_->Select(g_->Binary(ScalarOp::kGt, Float(depth - 1), Float(0)), Float(depth - 1), Float(depth - 1));
      case 7: case 8: if (folds_ < 3) return Fold(depth); [[fallthrough]];
      default: return Float(0);
    }
  }
  NodeId Fold(int depth) {
    ++folds_;
    const NodeId init = Float(0);
    std::vector<int32_t> vars;
    for (int64_t n = random_.Int(1, 2); n > 0; --n) vars.push_back(g_->NewVar(folds_ > 1 ? random_.Int(1, 18) : Extent()));
    const size_t before = vars_.size();
    vars_.insert(vars_.end(), vars.begin(), vars.end());
    const std::vector<std::pair<NodeId, size_t>> made = made_;
    made_.clear();  // what is made inside may depend on the fold's variables
    const NodeId x = Float(depth - 1);
    made_ = made;
    vars_.resize(before);
    static constexpr ScalarOp kOps[] = {ScalarOp::kAdd, ScalarOp::kMaximum, ScalarOp::kMinimum, ScalarOp::kMultiply};
    const NodeId r = g_->FoldOp(kOps[random_.Int(0, 3)], init, x, vars, random_.Int(0, 2) != 0);
    made_.push_back({r, before});
    return r;
  }

  Random random_;
  Program* p_ = nullptr;
  ExprGraph* g_ = nullptr;
  std::vector<int32_t> vars_;
  std::vector<std::pair<NodeId, size_t>> made_;
  int folds_ = 0;
};

TEST(Lower, RandomPrograms) {
  const char* count = std::getenv("HLOSCOPE_RANDOM_PROGRAMS");
  const int64_t programs = count != nullptr ? std::atoll(count) : 150;
  for (int64_t seed = 0; seed < programs; ++seed) {
    std::vector<Value> operands;
    const Program p = ProgramMaker(static_cast<uint64_t>(seed)).Make(&operands);
    Check(p, operands, absl::StrCat("program ", seed), 40);
    if (HasFailure()) {
      ADD_FAILURE() << CanonicalText(p);
      return;
    }
  }
}

}  // namespace
}  // namespace hloscope
