// Evaluates the nodes of a prepared program: values, bounds and folds. Inside of the interpreter, which sets the indices and asks;
// interpret.cc opens with how it works.
#ifndef HLOSCOPE_CORE_ELEMENT_EVALUATOR_H_
#define HLOSCOPE_CORE_ELEMENT_EVALUATOR_H_

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/element/bounds.h"
#include "core/element/fold_block.h"
#include "core/element/interpret.h"
#include "core/element/scalar_eval.h"
#include "core/element/tape.h"
#include "core/literal/float_bits.h"

namespace hloscope::tape {

struct Evaluator : Tape {
  static constexpr double kInf = std::numeric_limits<double>::infinity();
  static constexpr int64_t kLeastForBlocks = 8;  // points of a fold

  Evaluator(const Program& p, InterpretOptions o) : Tape(p), options(o) {}

  InterpretOptions options;
  std::vector<const std::byte*> data;
  std::function<void(int, int64_t, const Scalar&)> on_load;
  const std::atomic<bool>* cancel = nullptr;
  absl::Status status;
  int64_t fold_turns = 0;
  std::vector<std::optional<std::unique_ptr<FoldBlock>>> blocks;  // by fold, made when first needed; null: not of that kind

  // ---- Evaluation --------------------------------------------------------------------------------------------------------------
  // kFull: with bounds and traced loads.

  template <bool kFull>
  const Slot& Get(NodeId id) {
    Slot& s = slots[id];
    if (s.stamp != *s.epoch) Eval<kFull>(id);
    return s;
  }

  Scalar ToScalar(ElementType type, const Slot& s) const {
    Scalar r;
    r.type = type;
    r.i = s.i;
    r.re = s.re;
    r.im = s.im;
    return r;
  }

  void Generic(const Step& s, const Slot& a, const Slot& b, Slot& out) const {
    const Scalar in[2] = {ToScalar(s.input_type, a), ToScalar(s.input_type, b)};
    const Scalar r = EvalScalarOp(s.op, s.type, s.aux, absl::MakeConstSpan(in, s.b == kNoNode ? 1 : 2));
    out.i = r.i;
    out.re = r.re;
    out.im = r.im;
  }

  template <bool kFull>
  void Apply(const Step& s, const Slot& a, const Slot& b, Slot& out) const {
    [[maybe_unused]] const int64_t aux = s.aux;
    switch (s.code) {
#define CODE(name, to, from, result)                    \
  case Code::name: {                                    \
    [[maybe_unused]] const auto x = a.from, y = b.from; \
    out.to = result;                                    \
    break;                                              \
  }
#include "core/element/tape_codes.def"
      case Code::kUnary:
      case Code::kBinary: Generic(s, a, b, out); break;
      case Code::kFixed:
      case Code::kLoad:
      case Code::kSelect:
      case Code::kFold:
      case Code::kFoldResult: break;
    }
    if constexpr (kFull) {
      if (s.ulps || a.bound != 0 || b.bound != 0) {
        out.bound = PropagateBound(s.op, s.type, s.aux, {ToScalar(s.input_type, a), a.bound}, {ToScalar(s.input_type, b), b.bound},
                                   ToScalar(s.type, out));
      } else {
        out.bound = 0;
      }
    }
  }

  template <bool kFull>
  void Eval(NodeId id) {
    const Step& s = steps[id];
    Slot& out = slots[id];
    switch (s.code) {
      case Code::kLoad: EvalLoad<kFull>(s, out); break;
      case Code::kSelect: {
        const Slot& pred = Get<kFull>(s.a);
        const Slot& taken = Get<kFull>(pred.i ? s.b : s.c);
        Assign(out, taken);
        if constexpr (kFull) {
          if (pred.bound != 0 && options.bounds) {
            const Slot& other = Get<kFull>(pred.i ? s.c : s.b);
            out.bound = SelectBound({ToScalar(ElementType::kPred, pred), pred.bound}, {ToScalar(s.type, taken), taken.bound},
                                    {ToScalar(s.type, other), other.bound});
          }
        }
        break;
      }
      case Code::kFold: EvalFold<kFull>(s.extra); break;
      case Code::kFoldResult: {
        Get<kFull>(s.a);
        Assign(out, folds[s.extra].running[s.aux]);
        break;
      }
      default: {
        const Slot& a = Get<kFull>(s.a);
        const Slot& b = s.b == kNoNode ? a : Get<kFull>(s.b);
        Apply<kFull>(s, a, b, out);
      }
    }
    out.stamp = *out.epoch;
  }

  // Value and bound, not the memo.
  static void Assign(Slot& to, const Slot& from) {
    to.i = from.i;
    to.re = from.re;
    to.im = from.im;
    to.bound = from.bound;
  }

  template <bool kFull>
  void EvalLoad(const Step& s, Slot& out) {
    const LoadStep& load = loads[s.extra];
    int64_t linear = 0;
    double bound = 0;
    if (load.linear != kNoNode) {
      const Slot& index = Get<kFull>(load.linear);
      linear = index.i;
      bound = index.bound;
    } else {
      for (size_t d = 0; d < load.indices.size(); ++d) {
        const Slot& index = Get<kFull>(load.indices[d]);
        if (index.i < 0 || index.i >= load.dims[d]) {
          if (status.ok()) {
            status = absl::InternalError(absl::StrCat("element program: index ", index.i, " in dimension ", d, " of operand ", load.operand,
                                                      " of shape ", program.operands[load.operand].ToString(false), " is out of bounds"));
          }
          out.i = 0;
          out.re = out.im = 0;
          out.bound = kInf;
          return;
        }
        linear += index.i * load.strides[d];
        bound += index.bound;
      }
    }
    const std::byte* base = data[load.operand];
    switch (load.type) {
      case ElementType::kF32: out.re = Widen(reinterpret_cast<const float*>(base)[linear]); break;
      case ElementType::kF64: out.re = reinterpret_cast<const double*>(base)[linear]; break;
      case ElementType::kS32: out.i = reinterpret_cast<const int32_t*>(base)[linear]; break;
      case ElementType::kS64:
      case ElementType::kU64: out.i = reinterpret_cast<const int64_t*>(base)[linear]; break;
      case ElementType::kBF16: out.re = DecodeFloat(ElementType::kBF16, reinterpret_cast<const uint16_t*>(base)[linear]); break;
      default: {
        const Scalar x = LoadScalar(load.type, base + linear * StorageBytes(load.type));
        out.i = x.i;
        out.re = x.re;
        out.im = x.im;
      }
    }
    if constexpr (kFull) {
      out.bound = bound != 0 ? kInf : 0;
      if (on_load) on_load(load.operand, linear, ToScalar(load.type, out));
    }
  }

  bool Cancelled() {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed) && status.ok()) status = absl::CancelledError("interrupted");
    return !status.ok();
  }

  // ---- Folds -------------------------------------------------------------------------------------------------------------------

  void StartTurn(FoldStep& f) {
    f.epoch = ++counter;
    if ((++fold_turns & 0xfff) == 0) Cancelled();
  }
  void SetVar(FoldStep& f, size_t d, int64_t v) {
    f.index[d] = v;
    if (f.var_nodes[d] != kNoNode) slots[f.var_nodes[d]].i = v;
  }
  void FirstPoint(FoldStep& f) {
    for (size_t d = 0; d < f.index.size(); ++d) SetVar(f, d, 0);
  }
  void NextPoint(FoldStep& f) {
    for (size_t d = f.index.size(); d-- > 0;) {
      if (f.index[d] + 1 < f.info.extents[d]) return SetVar(f, d, f.index[d] + 1);
      SetVar(f, d, 0);
    }
  }

  // Hands over the fold's elements in order, many at a time: take(element of `type` as a slot, innermost index). False: this fold cannot.
  template <bool kFull, typename Take>
  bool TakeBlocks(int number, const Take& take) {
    FoldStep& f = folds[number];
    if (f.total < kLeastForBlocks || (kFull && on_load)) return false;
    if (blocks.empty()) blocks.resize(folds.size());
    std::optional<std::unique_ptr<FoldBlock>>& made = blocks[number];
    if (!made.has_value()) made = FoldBlock::Make(*this, f, options.bounds);
    FoldBlock* block = made->get();
    if (block == nullptr) return false;
    for (NodeId outside : block->outside()) {
      if (Get<kFull>(outside).bound != 0 && kFull) return false;
    }
    block->Begin(slots);
    for (int64_t t = 0; t < f.total && !Cancelled(); t += FoldBlock::kPoints) {
      const int64_t n = std::min(FoldBlock::kPoints, f.total - t);
      if (!block->Next(n, data)) {
        if (status.ok()) status = absl::InternalError(block->failure());
        return true;
      }
      take(*block, n);
    }
    return true;
  }

  // The same, an element at a time.
  template <bool kFull, typename Take>
  bool TakeEach(int number, const Take& take) {
    Slot x;
    return TakeBlocks<kFull>(number, [&](const FoldBlock& block, int64_t n) {
      for (int64_t k = 0; k < n; ++k) {
        if (block.real())
          x.re = block.reals()[k];
        else
          x.i = block.integers()[k];
        take(x, block.innermost()[k]);
      }
    });
  }

  template <bool kFull>
  void EvalFold(int number) {
    FoldStep& f = folds[number];
    if (kFull && options.bounds && options.library_order && f.element != kNoNode && steps[f.info.bodies[0]].op == ScalarOp::kAdd &&
        IsFloat(steps[f.info.bodies[0]].type)) {
      return EvalLibrarySum<kFull>(number);
    }
    if (f.info.order == FoldOrder::kInterleaved16 && f.element != kNoNode) return EvalInterleaved<kFull>(number);
    if (f.element != kNoNode) {
      const Step& combine = steps[f.info.bodies[0]];
      const bool first = combine.a == f.accumulators[0];
      Assign(f.running[0], Get<kFull>(f.info.inits[0]));
      const auto take = [&](const Slot& x, int64_t) {
        const Slot acc = f.running[0];
        Apply<kFull>(combine, first ? acc : x, first ? x : acc, f.running[0]);
      };
      if (TakeEach<kFull>(number, take)) return;
    }
    for (size_t p = 0; p < f.running.size(); ++p) Assign(f.running[p], Get<kFull>(f.info.inits[p]));
    FirstPoint(f);
    for (int64_t t = 0; t < f.total && status.ok(); ++t, NextPoint(f)) {
      for (size_t p = 0; p < f.running.size(); ++p) {
        if (f.accumulators[p] != kNoNode) Assign(slots[f.accumulators[p]], f.running[p]);
      }
      StartTurn(f);
      if (f.running.size() == 1) {
        Assign(f.running[0], Get<kFull>(f.info.bodies[0]));
        continue;
      }
      for (size_t p = 0; p < f.next.size(); ++p) Assign(f.next[p], Get<kFull>(f.info.bodies[p]));
      for (size_t p = 0; p < f.next.size(); ++p) Assign(f.running[p], f.next[p]);
    }
  }

  template <bool kFull>
  void EvalInterleaved(int number) {
    FoldStep& f = folds[number];
    const Step& combine = steps[f.info.bodies[0]];
    const Slot init = Get<kFull>(f.info.inits[0]);
    Assign(f.running[0], init);
    if (f.total == 0) return;
    Slot lanes[16];
    bool filled[16] = {};
    const auto take = [&](const Slot& x, int64_t innermost) {
      const int lane = static_cast<int>(innermost & 15);
      if (filled[lane]) {
        const Slot acc = lanes[lane];
        Apply<kFull>(combine, acc, x, lanes[lane]);
      } else {
        Assign(lanes[lane], x);
        filled[lane] = true;
      }
    };
    if (!TakeEach<kFull>(number, take)) {
      FirstPoint(f);
      for (int64_t t = 0; t < f.total && status.ok(); ++t, NextPoint(f)) {
        StartTurn(f);
        take(Get<kFull>(f.element), f.index.back());
      }
    }
    for (int width = 8; width >= 1; width /= 2) {
      for (int l = 0; l < width; ++l) {
        const Slot low = lanes[l];
        Apply<kFull>(combine, low, lanes[l + width], lanes[l]);
      }
    }
    Apply<kFull>(combine, init, lanes[0], f.running[0]);
  }

  // A sum whose order is a library's own: nearly exact here, and a bound that every order keeps.
  template <bool kFull>
  void EvalLibrarySum(int number) {
    FoldStep& f = folds[number];
    const ElementType type = steps[f.info.bodies[0]].type;
    const bool wide = options.library_wide_accumulation && BitWidth(type) < 32;
    const double u = UnitRoundoff(wide ? ElementType::kF32 : type);
    const Slot init = Get<kFull>(f.info.inits[0]);
    long double sum = init.re;
    double magnitude = std::fabs(init.re), bound = init.bound;
    const auto take = [&](const Slot& x, int64_t) {
      sum += x.re;
      magnitude += std::fabs(x.re) + x.bound;
      bound += x.bound;
    };
    if (!TakeEach<kFull>(number, take)) {
      FirstPoint(f);
      for (int64_t t = 0; t < f.total && status.ok(); ++t, NextPoint(f)) {
        StartTurn(f);
        take(Get<kFull>(f.element), 0);
      }
    }
    Slot& out = f.running[0];
    out.re = Scalar::Float(type, static_cast<double>(sum)).re;
    // K + 1 roundings: a fused multiply-add may also have left out the product's own.
    out.bound = bound + (static_cast<double>(f.total) + 1) * u * magnitude;
    if (std::isfinite(out.re)) {
      out.bound += UlpAt(type, out.re);
    } else if (std::isfinite(magnitude) || std::isnan(bound)) {
      out.bound = kInf;  // overflow depends on the order
    } else {
      out.bound = 0;
    }
    if (std::isnan(out.bound)) out.bound = kInf;
  }
};

}  // namespace hloscope::tape

#endif  // HLOSCOPE_CORE_ELEMENT_EVALUATOR_H_
