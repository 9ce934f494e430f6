// A backend for tests of the Machine alone: a handful of f32 / s32 operations, fused greedily, with counters of what it did.
// Not a reference for what operations mean.
#ifndef HLOSCOPE_TESTS_EXEC_FAKE_BACKEND_H_
#define HLOSCOPE_TESTS_EXEC_FAKE_BACKEND_H_

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/exec/backend.h"
#include "core/ops/op.h"

namespace hloscope {

struct FakeCounters {
  int kernels_made = 0, kernels_run = 0, updates_in_place = 0, updates_copied = 0, singles_made = 0, prepared = 0;
};

inline double FakeGet(const Value& v, int64_t k) {
  switch (v.shape().element_type()) {
    case ElementType::kF32: return v.as<float>()[k];
    case ElementType::kS32: return v.as<int32_t>()[k];
    default: return v.as<uint8_t>()[k];
  }
}
inline void FakePut(Value& v, int64_t k, double x) {
  switch (v.shape().element_type()) {
    case ElementType::kF32: v.mutable_as<float>()[k] = static_cast<float>(x); break;
    case ElementType::kS32: v.mutable_as<int32_t>()[k] = static_cast<int32_t>(x); break;
    default: v.mutable_as<uint8_t>()[k] = x != 0; break;
  }
}

class FakeKernel : public Kernel {
 public:
  FakeKernel(const Computation& computation, Region region, FakeCounters* counters) : computation_(computation), region_(std::move(region)), counters_(counters) {}
  std::string description() const override { return "fake"; }

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override {
    ++counters_->kernels_run;
    std::map<int, Value> values;
    for (size_t k = 0; k < inputs.size(); ++k) values[region_.inputs[k]] = std::move(inputs[k]);
    inputs.clear();
    for (int member : region_.members) {
      const Instruction& i = *computation_.schedule[member];
      if (i.literal != nullptr) {
        values[member] = i.literal->value;
        continue;
      }
      absl::StatusOr<Value> value = One(context, i, values);
      if (!value.ok()) return value;
      values[member] = *std::move(value);
    }
    return values[region_.root];
  }

 private:
  absl::StatusOr<Value> One(const RunContext& context, const Instruction& i, std::map<int, Value>& values) const {
    auto operand = [&](int k) -> const Value& { return values[i.operands[k]->index]; };
    if (i.opcode == Opcode::kDynamicUpdateSlice) {  // one dimension
      Value updated = std::move(values[i.operands[0]->index]);
      values.erase(i.operands[0]->index);
      if (updated.unique()) {
        ++counters_->updates_in_place;
      } else {
        ++counters_->updates_copied;
        Value copy = Value::Allocate(i.shape, context.account);
        memcpy(copy.mutable_data(), updated.data(), updated.byte_size());
        updated = std::move(copy);
      }
      FakePut(updated, static_cast<int64_t>(FakeGet(operand(2), 0)), FakeGet(operand(1), 0));
      return updated;
    }
    if (i.opcode == Opcode::kRng) {
      Value value = Value::Allocate(i.shape, context.account);
      for (int64_t k = 0; k < value.element_count(); ++k) FakePut(value, k, static_cast<double>((context.stream_seed >> 40) + k));
      return value;
    }
    Value out = Value::Allocate(i.shape, context.account);
    if (!out.has_value()) return absl::ResourceExhaustedError("no memory");
    for (int64_t k = 0; k < out.element_count(); ++k) {
      auto x = [&](int n) { return FakeGet(operand(n), operand(n).element_count() == 1 ? 0 : k); };
      double y = 0;
      switch (i.opcode) {
        case Opcode::kAdd: y = x(0) + x(1); break;
        case Opcode::kSubtract: y = x(0) - x(1); break;
        case Opcode::kMultiply: y = x(0) * x(1); break;
        case Opcode::kNegate: y = -x(0); break;
        case Opcode::kBroadcast: case Opcode::kCopy: case Opcode::kConvert: y = x(0); break;
        case Opcode::kIota: y = static_cast<double>(k); break;
        case Opcode::kCompare: y = i.Text(AttrId::kDirection) == "LT" ? x(0) < x(1) : x(0) > x(1); break;
        case Opcode::kReduce:
          y = FakeGet(operand(1), 0);
          for (int64_t n = 0; n < operand(0).element_count(); ++n) y = static_cast<float>(y + FakeGet(operand(0), n));
          break;
        default: return absl::UnimplementedError(absl::StrCat("fake: ", Name(i.opcode)));
      }
      FakePut(out, k, y);
    }
    return out;
  }

  const Computation& computation_;
  Region region_;
  FakeCounters* counters_;
};

class FakeBackend : public Backend {
 public:
  explicit FakeBackend(bool fuse = false) : fuse_(fuse) {}
  absl::string_view name() const override { return "fake"; }

  absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const Computation& computation) override {
    if (!fuse_) return SingleStepPlan(computation);
    const int n = static_cast<int>(computation.schedule.size());
    std::vector<int> users(n, 0), user(n, -1);
    for (const Instruction* i : computation.schedule) {
      for (const Instruction* o : i->operands) ++users[o->index], user[o->index] = i->index;
    }
    // Interior: pulled, one user, which is pulled too.
    auto pulled = [&](const Instruction& i) { return Def(i).op_class == OpClass::kPull && !Def(i).has_side_effect; };
    std::vector<bool> interior(n, false);
    for (const Instruction* i : computation.schedule) {
      interior[i->index] = pulled(*i) && users[i->index] == 1 && pulled(*computation.schedule[user[i->index]]) && i != computation.root;
    }
    auto plan = std::make_unique<Plan>();
    plan->computation = &computation;
    plan->region_at.assign(n, -1);
    plan->use_count.assign(n, 0);
    for (int p = 0; p < n; ++p) {
      if (interior[p]) continue;
      Region region;
      region.root = p;
      std::vector<bool> in(n, false);
      in[p] = true;
      for (int q = p; q >= 0; --q) {
        if (!in[q]) continue;
        region.members.insert(region.members.begin(), q);
        for (const Instruction* o : computation.schedule[q]->operands) {
          if (interior[o->index]) in[o->index] = true;
          else if (std::find(region.inputs.begin(), region.inputs.end(), o->index) == region.inputs.end()) region.inputs.push_back(o->index);
        }
      }
      for (int input : region.inputs) ++plan->use_count[input];
      plan->region_at[p] = static_cast<int>(plan->regions.size());
      plan->regions.push_back(std::move(region));
    }
    ++plan->use_count[computation.root->index];
    return plan;
  }

  absl::StatusOr<std::shared_ptr<const Kernel>> GetKernel(const Computation& computation, const Region& region) override {
    ++counters.kernels_made;
    return std::make_shared<FakeKernel>(computation, region, &counters);
  }
  void Prepare(const Computation&, absl::Span<const Region* const> regions) override { counters.prepared += static_cast<int>(regions.size()); }

  FakeCounters counters;

 private:
  bool fuse_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_EXEC_FAKE_BACKEND_H_
