// The interpreter: memoised evaluation of a private copy of the program, one slot a node.
//
// Every node belongs to the innermost loop it depends on (an output dimension, a dimension of a push domain, a fold) and is evaluated at
// most once for each turn of that loop: a slot remembers the stamp of the turn it was evaluated in. Loops nest like dependencies do, so a
// node that only depends on outer loops keeps its value while inner ones turn. Nothing is evaluated that is not asked for, which makes
// select lazy. Copying the program first gives every fold variables of its own and joins the indices of a load into one linear index.
#include "core/element/interpret.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/element/bounds.h"
#include "core/element/fold_block.h"
#include "core/element/scalar_eval.h"
#include "core/element/tape.h"
#include "core/literal/float_bits.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr int64_t kLeastForBlocks = 8;  // points of a fold

double RoundFloat(ElementType type, double v) { return Scalar::Float(type, v).re; }

}  // namespace

using tape::Code;
using tape::FoldBlock;
using tape::FoldStep;
using tape::LoadStep;
using tape::Slot;
using tape::Step;
using tape::ToSlot;

struct Interpreter::Impl : tape::Tape {
  Impl(const Program& p, InterpretOptions o) : tape::Tape(p), options(o) {}

  InterpretOptions options;
  std::vector<const std::byte*> data;
  std::vector<Value> dense;  // of operands that came in other layouts
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
#define CODE(name, to, from, result)            \
  case Code::name: {                            \
    [[maybe_unused]] const auto x = a.from, y = b.from; \
    out.to = result;                            \
    break;                                      \
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
        if (block.real()) x.re = block.reals()[k];
        else x.i = block.integers()[k];
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
    out.re = RoundFloat(type, static_cast<double>(sum));
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

  // ---- Whole programs ----------------------------------------------------------------------------------------------------------

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

void Interpreter::set_on_load(std::function<void(int operand, int64_t linear, const Scalar&)> f) { impl_->on_load = std::move(f); }
void Interpreter::set_cancel(const std::atomic<bool>* cancel) { impl_->cancel = cancel; }

}  // namespace hloscope
