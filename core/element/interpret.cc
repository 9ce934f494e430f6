// The interpreter: memoised evaluation of a private copy of the program, one slot a node.
//
// Every node belongs to the innermost loop it depends on (an output dimension, a dimension of a push domain, a fold) and is evaluated at
// most once for each turn of that loop: a slot remembers the stamp of the turn it was evaluated in. Loops nest like dependencies do, so a
// node that only depends on outer loops keeps its value while inner ones turn. Nothing is evaluated that is not asked for, which makes
// select lazy. Copying the program first gives every fold variables of its own and joins the indices of a load into one linear index.
#include "core/element/interpret.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/element/evaluator.h"
#include "core/literal/relayout.h"

namespace hloscope {

using tape::Slot;
using tape::ToSlot;

struct Interpreter::Impl : tape::Evaluator {
  using tape::Evaluator::Evaluator;

  std::vector<Value> dense;  // of operands that came in other layouts

  absl::Status Bind(absl::Span<const Value* const> given) {
    if (given.size() != program.operands.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the program takes ", program.operands.size(), " operands, not ", given.size()));
    }
    data.clear();
    dense.clear();
    for (size_t i = 0; i < given.size(); ++i) {
      const Shape& want = program.operands[i];
      if (given[i] == nullptr || !given[i]->has_value() || !Shape::SameDimensions(given[i]->shape(), want) ||
          given[i]->shape().element_type() != want.element_type()) {
        return absl::InvalidArgumentError(absl::StrCat("operand ", i, " must be a value of shape ", want.ToString(false)));
      }
      if (given[i]->IsDense()) {
        data.push_back(given[i]->data());
      } else {
        dense.push_back(ToDense(*given[i]));
        if (!dense.back().has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for ", want.ToString(false)));
        data.push_back(dense.back().data());
      }
    }
    status = absl::OkStatus();
    run = ++counter;
    BumpOutput(0);
    for (uint64_t& e : push_epochs) e = ++counter;
    return absl::OkStatus();
  }

  // Dimension d of the output (and so every later one) turned.
  void BumpOutput(size_t d) {
    const uint64_t now = ++counter;
    for (; d < output_epochs.size(); ++d) output_epochs[d] = now;
  }
  void BumpPush(size_t d) {
    const uint64_t now = ++counter;
    for (; d < push_epochs.size(); ++d) push_epochs[d] = now;
  }

  void SetOutputIndex(absl::Span<const int64_t> index) {
    for (size_t d = 0; d < index.size(); ++d) {
      if (output_index[d] != kNoNode) slots[output_index[d]].i = index[d];
    }
    BumpOutput(0);
  }

  static void Store(ElementType type, const Slot& s, std::byte* base, int64_t linear) {
    switch (type) {
      case ElementType::kF32: reinterpret_cast<float*>(base)[linear] = Narrow(s.re); break;
      case ElementType::kF64: reinterpret_cast<double*>(base)[linear] = s.re; break;
      case ElementType::kS32: reinterpret_cast<int32_t*>(base)[linear] = static_cast<int32_t>(s.i); break;
      case ElementType::kS64:
      case ElementType::kU64: reinterpret_cast<int64_t*>(base)[linear] = s.i; break;
      case ElementType::kPred: reinterpret_cast<uint8_t*>(base)[linear] = s.i != 0; break;
      default: {
        Scalar x;
        x.type = type;
        x.i = s.i;
        x.re = s.re;
        x.im = s.im;
        StoreScalar(x, base + linear * StorageBytes(type));
      }
    }
  }

  BoundedScalar Bounded(ElementType type, const Slot& s) const { return {ToScalar(type, s), s.bound}; }

  // To the next element in row-major order: only what turns with a dimension that turned is evaluated again.
  void NextOutput(std::vector<int64_t>& index) {
    for (size_t d = index.size(); d-- > 0;) {
      index[d] = index[d] + 1 < output_dims[d] ? index[d] + 1 : 0;
      if (output_index[d] != kNoNode) slots[output_index[d]].i = index[d];
      if (index[d] != 0) return BumpOutput(d);
    }
  }

  template <bool kFull, typename Take>
  absl::Status ForRange(absl::Span<const Value* const> given, int64_t begin, int64_t end, const Take& take) {
    if (absl::Status s = Bind(given); !s.ok()) return s;
    std::vector<int64_t> index(output_dims.size(), 0);
    DelinearizeIndex(output_dims, begin, absl::MakeSpan(index));
    SetOutputIndex(index);
    std::vector<BoundedScalar> element(values.size());
    for (int64_t linear = begin; linear < end; ++linear) {
      for (size_t o = 0; o < values.size(); ++o) {
        element[o] = Bounded(program.outputs[o].shape.element_type(), Get<kFull>(values[o]));
        if (!options.bounds) element[o].bound = 0;
      }
      if ((linear & 0xff) == 0) Cancelled();
      if (!status.ok()) return status;
      take(linear, element);
      NextOutput(index);
    }
    return status;
  }

  absl::StatusOr<std::vector<Value>> All(absl::Span<const Value* const> given, MemoryAccount* account) {
    if (absl::Status s = Bind(given); !s.ok()) return s;
    std::vector<Value> results;
    for (const auto& output : program.outputs) {
      results.push_back(Value::Allocate(output.shape, account));
      if (!results.back().has_value())
        return absl::ResourceExhaustedError(absl::StrCat("no memory for a result of ", output.shape.ByteSize(), " bytes"));
    }
    const int64_t count = results.empty() ? 0 : results[0].element_count();
    std::vector<int64_t> index(output_dims.size(), 0);
    SetOutputIndex(index);
    for (int64_t linear = 0; linear < count; ++linear) {
      for (size_t o = 0; o < values.size(); ++o) {
        Store(program.outputs[o].shape.element_type(), Get<false>(values[o]), results[o].mutable_data(), linear);
      }
      if ((linear & 0xff) == 0) Cancelled();
      if (!status.ok()) return status;
      NextOutput(index);
    }
    if (program.is_push) {
      if (absl::Status s = PushAll(results); !s.ok()) return s;
    }
    return results;
  }

  // Calls visit() at every point of the push domain.
  template <typename Visit>
  absl::Status ForPushDomain(const Visit& visit) {
    int64_t count = 1;
    for (int64_t e : push_extents) count *= e;
    std::vector<int64_t> index(push_extents.size(), 0);
    for (NodeId n : push_index) {
      if (n != kNoNode) slots[n].i = 0;
    }
    BumpPush(0);
    for (int64_t t = 0; t < count; ++t) {
      visit();
      if ((t & 0xff) == 0) Cancelled();
      if (!status.ok()) return status;
      for (size_t d = index.size(); d-- > 0;) {
        index[d] = index[d] + 1 < push_extents[d] ? index[d] + 1 : 0;
        if (push_index[d] != kNoNode) slots[push_index[d]].i = index[d];
        if (index[d] != 0) {
          BumpPush(d);
          break;
        }
      }
    }
    return absl::OkStatus();
  }

  // Row-major index of the current point's target, or -1: skipped. `bound` is nonzero when that is uncertain.
  template <bool kFull>
  int64_t Target(double* bound) {
    if (in_bounds != kNoNode) {
      const Slot& inside = Get<kFull>(in_bounds);
      *bound += inside.bound;
      if (!inside.i) return -1;
    }
    int64_t linear = 0;
    for (size_t d = 0; d < targets.size(); ++d) {
      const Slot& x = Get<kFull>(targets[d]);
      *bound += x.bound;
      if (x.i < 0 || x.i >= output_dims[d]) {
        if (status.ok())
          status = absl::InternalError(absl::StrCat("element program: an update's target ", x.i, " in dimension ", d, " is out of bounds"));
        return -1;
      }
      linear += x.i * output_strides[d];
    }
    return linear;
  }

  absl::Status PushAll(std::vector<Value>& results) {
    return ForPushDomain([&] {
      double bound = 0;
      const int64_t linear = Target<false>(&bound);
      if (linear < 0) return;
      for (size_t o = 0; o < results.size(); ++o) {
        const ElementType type = program.outputs[o].shape.element_type();
        Assign(slots[push_accumulators[o]], ToSlot(LoadScalar(type, results[o].data() + linear * StorageBytes(type))));
      }
      push_epochs.back() = ++counter;
      // All combinations see the elements before.
      for (size_t o = 0; o < results.size(); ++o) Get<false>(combined[o]);
      for (size_t o = 0; o < results.size(); ++o)
        Store(program.outputs[o].shape.element_type(), slots[combined[o]], results[o].mutable_data(), linear);
    });
  }

  absl::Status CheckIndex(absl::Span<const int64_t> index) const {
    bool good = index.size() == output_dims.size();
    for (size_t d = 0; good && d < index.size(); ++d) good = index[d] >= 0 && index[d] < output_dims[d];
    if (good) return absl::OkStatus();
    return absl::OutOfRangeError(
        absl::StrCat("[", absl::StrJoin(index, ", "), "] is not an index of ",
                     program.outputs.empty() ? std::string("a program without outputs") : program.outputs[0].shape.ToString(false)));
  }

  template <bool kFull>
  absl::StatusOr<std::vector<std::vector<BoundedScalar>>> Many(absl::Span<const Value* const> given,
                                                               absl::Span<const std::vector<int64_t>> indices) {
    if (absl::Status s = Bind(given); !s.ok()) return s;
    std::vector<std::vector<BoundedScalar>> results;
    for (const auto& index : indices) {
      if (absl::Status s = CheckIndex(index); !s.ok()) return s;
      run = ++counter;  // so that every load of this element is reported
      SetOutputIndex(index);
      results.emplace_back();
      for (size_t o = 0; o < values.size(); ++o)
        results.back().push_back(Bounded(program.outputs[o].shape.element_type(), Get<kFull>(values[o])));
      if (Cancelled()) return status;
    }
    if (program.is_push) {
      if (absl::Status s = PushMany<kFull>(indices, results); !s.ok()) return s;
    }
    return results;
  }

  template <bool kFull>
  absl::Status PushMany(absl::Span<const std::vector<int64_t>> indices, std::vector<std::vector<BoundedScalar>>& results) {
    absl::flat_hash_map<int64_t, std::vector<size_t>> wanted;
    for (size_t k = 0; k < indices.size(); ++k) wanted[LinearIndex(output_dims, indices[k])].push_back(k);
    bool anywhere = false;  // an update whose place is uncertain
    const auto trace = std::move(on_load);
    on_load = nullptr;
    const absl::Status done = ForPushDomain([&] {
      double bound = 0;
      const int64_t linear = Target<kFull>(&bound);
      anywhere = anywhere || bound != 0;
      const auto it = linear < 0 ? wanted.end() : wanted.find(linear);
      if (it == wanted.end()) return;
      for (size_t k : it->second) {
        if (trace) {
          // Once more, with everybody watching.
          on_load = trace;
          run = ++counter;
          BumpPush(0);
          Target<kFull>(&bound);
        }
        for (size_t o = 0; o < values.size(); ++o) {
          Slot s = ToSlot(results[k][o].value);
          s.bound = results[k][o].bound;
          Assign(slots[push_accumulators[o]], s);
        }
        push_epochs.back() = ++counter;
        for (size_t o = 0; o < values.size(); ++o) Get<kFull>(combined[o]);
        for (size_t o = 0; o < values.size(); ++o) results[k][o] = Bounded(program.outputs[o].shape.element_type(), slots[combined[o]]);
        on_load = nullptr;
      }
    });
    on_load = trace;
    if (!done.ok()) return done;
    if (anywhere && options.bounds) {
      for (auto& result : results) {
        for (BoundedScalar& s : result) s.bound = kInf;
      }
    }
    return absl::OkStatus();
  }
};

Interpreter::Interpreter(const Program& program, InterpretOptions options) : impl_(std::make_unique<Impl>(program, options)) {}
Interpreter::~Interpreter() = default;

absl::StatusOr<std::vector<BoundedScalar>> Interpreter::At(absl::Span<const Value* const> operands, absl::Span<const int64_t> index) {
  const std::vector<int64_t> one(index.begin(), index.end());
  auto many = AtMany(operands, absl::MakeConstSpan(&one, 1));
  if (!many.ok()) return many.status();
  return std::move((*many)[0]);
}

absl::StatusOr<std::vector<std::vector<BoundedScalar>>> Interpreter::AtMany(absl::Span<const Value* const> operands,
                                                                            absl::Span<const std::vector<int64_t>> indices) {
  if (impl_->options.bounds || impl_->on_load) {
    auto result = impl_->Many<true>(operands, indices);
    if (result.ok() && !impl_->options.bounds) {
      for (auto& r : *result) {
        for (BoundedScalar& s : r) s.bound = 0;
      }
    }
    return result;
  }
  return impl_->Many<false>(operands, indices);
}

absl::StatusOr<std::vector<Value>> Interpreter::All(absl::Span<const Value* const> operands, MemoryAccount* account) {
  return impl_->All(operands, account);
}

absl::Status Interpreter::ForRange(absl::Span<const Value* const> operands, int64_t begin, int64_t end,
                                   const std::function<void(int64_t linear, absl::Span<const BoundedScalar>)>& take) {
  if (impl_->options.bounds || impl_->on_load) return impl_->ForRange<true>(operands, begin, end, take);
  return impl_->ForRange<false>(operands, begin, end, take);
}

void Interpreter::set_on_load(std::function<void(int operand, int64_t linear, const Scalar&)> f) { impl_->on_load = std::move(f); }
void Interpreter::set_cancel(const std::atomic<bool>* cancel) { impl_->cancel = cancel; }

}  // namespace hloscope
