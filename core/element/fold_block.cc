#include "core/element/fold_block.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/element/scalar_eval.h"
#include "core/element/visit.h"
#include "core/literal/float_bits.h"

namespace hloscope::tape {

std::unique_ptr<FoldBlock> FoldBlock::Make(const Tape& tape, const FoldStep& fold, bool bounds) {
  if (fold.element == kNoNode || fold.index.empty() || IsComplex(tape.steps[fold.element].type)) return nullptr;
  auto block = std::unique_ptr<FoldBlock>(new FoldBlock(tape, fold));
  for (size_t d = 0; d < fold.index.size(); ++d) {
    block->var_rows_.push_back(block->row_count_++);
    if (fold.var_nodes[d] != kNoNode) block->rows_[fold.var_nodes[d]] = block->var_rows_.back();
  }
  if (!block->Add(fold.element, {}, bounds)) return nullptr;
  block->element_ = block->rows_.at(fold.element);
  block->real_ = block->IsReal(fold.element);
  block->integers_.resize(block->row_count_ * kPoints);
  block->reals_.resize(block->row_count_ * kPoints);
  block->index_.resize(fold.index.size());
  return block;
}

bool FoldBlock::IsReal(NodeId id) const { return IsFloat(tape_.steps[id].type); }

int FoldBlock::NewRow(NodeId id) {
  rows_[id] = row_count_;
  return row_count_++;
}

// Whether a node may be evaluated though nobody may ask for it: nothing below reads where there is nothing, or takes long.
bool FoldBlock::IsSafe(NodeId id) const {
  return VisitNodes(tape_.graph, absl::MakeConstSpan(&id, 1), [&](NodeId below, const Node& node) {
    if (node.kind == NodeKind::kFold || (node.kind == NodeKind::kLoad && tape_.loads[tape_.steps[below].extra].linear == kNoNode)) return Visit::kEnd;
    return Visit::kInto;
  });
}

bool FoldBlock::AddLoad(NodeId id, const std::vector<Guard>& guards, bool bounds) {
  const Step& s = tape_.steps[id];
  const LoadStep& load = tape_.loads[s.extra];
  Work w{&s, 0, 0, 0, 0, &load, {}, guards};
  if (load.linear != kNoNode) {
    if (!Add(load.linear, guards, bounds)) return false;
    w.a = rows_.at(load.linear);
  } else {
    for (NodeId index : load.indices) {
      if (!Add(index, guards, bounds)) return false;
      w.indices.push_back(rows_.at(index));
    }
    guards_[id] = guards;
  }
  w.out = NewRow(id);
  work_.push_back(std::move(w));
  return true;
}

// Programs of folds are shallow, so recursion is: a chain that is not would be long for a row, too.
bool FoldBlock::Add(NodeId id, const std::vector<Guard>& guards, bool bounds) {
  if (rows_.contains(id)) {
    // Another way to a load that must not be done everywhere: which of them asks for it is not known ahead.
    const auto guarded = guards_.find(id);
    return guarded == guards_.end() || guarded->second.empty() || guarded->second == guards;
  }
  const Step& s = tape_.steps[id];
  if (row_count_ > 200 || IsComplex(s.type) || IsComplex(s.input_type)) return false;
  if (tape_.slots[id].epoch != &fold_.epoch) {
    if (!guards.empty() && !IsSafe(id)) return false;
    outside_.push_back(id);
    outside_rows_.push_back(NewRow(id));
    return true;
  }
  if (bounds && s.ulps) return false;
  switch (s.code) {
    case Code::kLoad: return AddLoad(id, guards, bounds);
    case Code::kFixed:
    case Code::kFold:
    case Code::kFoldResult: return false;
    case Code::kSelect: {
      if (!Add(s.a, guards, bounds)) return false;
      std::vector<Guard> more = guards;
      more.push_back({rows_.at(s.a), true});
      if (!Add(s.b, more, bounds)) return false;
      more.back().taken = false;
      if (!Add(s.c, more, bounds)) return false;
      work_.push_back({&s, NewRow(id), rows_.at(s.a), rows_.at(s.b), rows_.at(s.c), nullptr, {}, {}});
      return true;
    }
    default: {
      if (!Add(s.a, guards, bounds) || (s.b != kNoNode && !Add(s.b, guards, bounds))) return false;
      const int a = rows_.at(s.a), b = s.b == kNoNode ? a : rows_.at(s.b);
      work_.push_back({&s, NewRow(id), a, b, 0, nullptr, {}, {}});
      return true;
    }
  }
}

void FoldBlock::Begin(absl::Span<const Slot> slots) {
  const int64_t n = std::min(kPoints, fold_.total);
  for (size_t k = 0; k < outside_.size(); ++k) {
    const Slot& s = slots[outside_[k]];
    if (IsReal(outside_[k])) std::fill_n(Reals(outside_rows_[k]), n, s.re);
    else std::fill_n(Integers(outside_rows_[k]), n, s.i);
  }
  std::fill(index_.begin(), index_.end(), 0);
}

bool FoldBlock::Next(int64_t n, absl::Span<const std::byte* const> data) {
  const std::vector<int64_t>& extents = fold_.info.extents;
  const size_t last = index_.size() - 1;
  for (int64_t k = 0; k < n;) {
    const int64_t run = std::min(n - k, extents[last] - index_[last]);
    for (size_t d = 0; d < last; ++d) std::fill_n(Integers(var_rows_[d]) + k, run, index_[d]);
    int64_t* inner = Integers(var_rows_[last]) + k;
    for (int64_t j = 0; j < run; ++j) inner[j] = index_[last] + j;
    k += run;
    index_[last] += run;
    for (size_t d = last; index_[d] == extents[d] && d > 0; --d) {
      index_[d] = 0;
      ++index_[d - 1];
    }
  }
  for (const Work& w : work_) {
    if (w.load == nullptr) Run(w, n);
    else if (!RunLoad(w, n, data[w.load->operand])) return false;
  }
  return true;
}

void FoldBlock::Run(const Work& w, int64_t n) {
  const Step& s = *w.step;
  [[maybe_unused]] const int64_t aux = s.aux;
  struct {
    double* re;
    int64_t* i;
  } out = {Reals(w.out), Integers(w.out)}, a = {Reals(w.a), Integers(w.a)}, b = {Reals(w.b), Integers(w.b)};
  switch (s.code) {
#define CODE(name, to, from, result)                           \
  case Code::name:                                             \
    for (int64_t k = 0; k < n; ++k) {                          \
      [[maybe_unused]] const auto x = a.from[k], y = b.from[k]; \
      out.to[k] = result;                                      \
    }                                                          \
    break;
#include "core/element/tape_codes.def"
    case Code::kSelect:
      for (int64_t k = 0; k < n; ++k) {
        const int from = a.i[k] ? w.b : w.c;
        out.i[k] = Integers(from)[k];
        out.re[k] = Reals(from)[k];
      }
      break;
    default: {
      const int arity = s.b == kNoNode ? 1 : 2;
      const bool real = IsFloat(s.input_type), makes_real = IsFloat(s.type);
      Scalar in[2];
      in[0].type = in[1].type = s.input_type;
      for (int64_t k = 0; k < n; ++k) {
        if (real) {
          in[0].re = a.re[k];
          in[1].re = b.re[k];
        } else {
          in[0].i = a.i[k];
          in[1].i = b.i[k];
        }
        const Scalar r = EvalScalarOp(s.op, s.type, s.aux, absl::MakeConstSpan(in, arity));
        if (makes_real) out.re[k] = r.re;
        else out.i[k] = r.i;
      }
    }
  }
}

// Row-major indices; 0 where the load is not wanted.
bool FoldBlock::FindLinear(const Work& w, int64_t n, int64_t* linear) {
  std::fill_n(linear, n, 0);
  bool wanted[kPoints];
  std::fill_n(wanted, n, true);
  for (const Guard& g : w.guards) {
    const int64_t* row = Integers(g.row);
    for (int64_t k = 0; k < n; ++k) wanted[k] = wanted[k] && (row[k] != 0) == g.taken;
  }
  for (size_t d = 0; d < w.indices.size(); ++d) {
    const int64_t *row = Integers(w.indices[d]), dim = w.load->dims[d], stride = w.load->strides[d];
    for (int64_t k = 0; k < n; ++k) {
      if (!wanted[k]) continue;
      if (row[k] < 0 || row[k] >= dim) {
        failure_ = absl::StrCat("element program: index ", row[k], " in dimension ", d, " of operand ", w.load->operand, " of shape ",
                                tape_.program.operands[w.load->operand].ToString(false), " is out of bounds");
        return false;
      }
      linear[k] += row[k] * stride;
    }
  }
  return true;
}

bool FoldBlock::RunLoad(const Work& w, int64_t n, const std::byte* base) {
  int64_t found[kPoints];
  const int64_t* linear = found;
  if (w.indices.empty() && w.load->linear != kNoNode) linear = Integers(w.a);
  else if (!FindLinear(w, n, found)) return false;
  double* re = Reals(w.out);
  int64_t* i = Integers(w.out);
  if (tape_.program.operands[w.load->operand].ElementCount() == 0) {  // then nobody wants it
    std::fill_n(re, n, 0.0);
    std::fill_n(i, n, 0);
    return true;
  }
  switch (w.load->type) {
    case ElementType::kF32:
      for (int64_t k = 0; k < n; ++k) re[k] = Widen(reinterpret_cast<const float*>(base)[linear[k]]);
      break;
    case ElementType::kF64:
      for (int64_t k = 0; k < n; ++k) re[k] = reinterpret_cast<const double*>(base)[linear[k]];
      break;
    case ElementType::kBF16:
      for (int64_t k = 0; k < n; ++k) re[k] = DecodeFloat(ElementType::kBF16, reinterpret_cast<const uint16_t*>(base)[linear[k]]);
      break;
    case ElementType::kS32:
      for (int64_t k = 0; k < n; ++k) i[k] = reinterpret_cast<const int32_t*>(base)[linear[k]];
      break;
    default: {
      const int bytes = StorageBytes(w.load->type);
      for (int64_t k = 0; k < n; ++k) {
        const Scalar x = LoadScalar(w.load->type, base + linear[k] * bytes);
        re[k] = x.re;
        i[k] = x.i;
      }
    }
  }
  return true;
}

}  // namespace hloscope::tape
