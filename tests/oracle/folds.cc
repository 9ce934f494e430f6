// Operations of the oracle that call a computation on elements: reduce, reduce-window, select-and-scatter, sort, map, scan; and topk.
//
// A float sum or product may be taken in any order: its bound says how far orders can lie apart, and is zero where all of them are exact.
// Every other computation is folded one element after the other, the last dimension fastest.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "tests/oracle/arrays.h"
#include "tests/oracle/scalars.h"

namespace hloscope::oracle {
namespace {

// The exponent of the lowest set bit.
int LowestBit(double x) {
  int e;
  double m = std::frexp(std::abs(x), &e);
  while (m != std::trunc(m)) m *= 2, --e;
  return e;
}
// Significant bits.
int Width(double x) {
  int e;
  std::frexp(x, &e);
  return x == 0 ? 0 : e - LowestBit(x);
}

enum class Plain { kNone, kSum, kProduct };
// Is the computation one addition or multiplication of its two parameters, in floats?
Plain PlainCombiner(const Computation& computation) {
  const Instruction& root = *computation.root;
  if (root.operands.size() != 2 || !root.shape.IsArray()) return Plain::kNone;
  if (!IsFloat(root.shape.element_type()) && !IsComplex(root.shape.element_type())) return Plain::kNone;
  const int64_t a = root.operands[0]->parameter_number, b = root.operands[1]->parameter_number;
  if (a + b != 1 || a < 0 || b < 0) return Plain::kNone;
  if (root.opcode == Opcode::kAdd) return Plain::kSum;
  return root.opcode == Opcode::kMultiply ? Plain::kProduct : Plain::kNone;
}

std::vector<Array> ToParts(Array result) {
  if (!result.shape.IsTuple()) return {std::move(result)};
  return std::move(result.parts);
}

// Folds rows of elements (one row an operand) into the inits.
absl::StatusOr<std::vector<Number>> Fold(const Computation& computation, const std::vector<ElementType>& types, std::vector<Number> inits,
                                         const std::vector<std::vector<Number>>& rows, Caller& caller) {
  const size_t n = inits.size();
  const Plain plain = n == 1 ? PlainCombiner(computation) : Plain::kNone;
  if (plain != Plain::kNone && !rows[0].empty()) {
    std::vector<Number> terms = {inits[0]};
    terms.insert(terms.end(), rows[0].begin(), rows[0].end());
    return std::vector<Number>{plain == Plain::kSum ? SumInAnyOrder(types[0], terms) : ProductInAnyOrder(types[0], terms)};
  }
  for (size_t e = 0; e < rows[0].size(); ++e) {
    std::vector<Array> arguments;
    for (size_t k = 0; k < n; ++k) arguments.push_back(ScalarArray(types[k], inits[k]));
    for (size_t k = 0; k < n; ++k) arguments.push_back(ScalarArray(types[k], rows[k][e]));
    absl::StatusOr<Array> result = caller.Call(computation, std::move(arguments));
    if (!result.ok()) return result.status();
    std::vector<Array> parts = ToParts(*std::move(result));
    for (size_t k = 0; k < n; ++k) inits[k] = parts[k].elements[0];
  }
  return inits;
}

Array Results(const Instruction& instruction, std::vector<Array> out) {
  if (instruction.shape.IsTuple()) return MakeTuple(instruction.shape, std::move(out));
  return std::move(out[0]);
}
std::vector<Array> ResultArrays(const Instruction& instruction) {
  if (instruction.shape.IsTuple()) return Array(instruction.shape).parts;
  return {Array(instruction.shape)};
}

absl::StatusOr<Array> Reduce(const Instruction& instruction, Operands operands, Caller& caller) {
  const size_t n = operands.size() / 2;
  const auto reduced = instruction.Ints(AttrId::kDimensions);
  const Shape& in = operands[0]->shape;
  Index kept, reduced_sizes, reduced_dims;
  for (int d = 0; d < in.rank(); ++d) {
    if (Contains(reduced, d)) {
      reduced_dims.push_back(d);
      reduced_sizes.push_back(in.dim(d));
    } else {
      kept.push_back(d);
    }
  }
  std::vector<ElementType> types;
  std::vector<Number> inits;
  for (size_t k = 0; k < n; ++k) {
    types.push_back(operands[n + k]->type());
    inits.push_back(operands[n + k]->elements[0]);
  }
  std::vector<Array> out = ResultArrays(instruction);
  absl::Status status;
  ForEach(out[0].shape.dimensions(), [&](const Index& o) {
    if (!status.ok()) return;
    std::vector<std::vector<Number>> rows(n);
    ForEach(reduced_sizes, [&](const Index& r) {
      Index at(in.rank());
      for (size_t d = 0; d < kept.size(); ++d) at[kept[d]] = o[d];
      for (size_t d = 0; d < r.size(); ++d) at[reduced_dims[d]] = r[d];
      for (size_t k = 0; k < n; ++k) rows[k].push_back(operands[k]->at(at));
    });
    auto result = Fold(*instruction.Called(AttrId::kToApply), types, inits, rows, caller);
    if (!result.ok()) {
      status = result.status();
      return;
    }
    for (size_t k = 0; k < n; ++k) out[k].at(o) = (*result)[k];
  });
  if (!status.ok()) return status;
  return Results(instruction, std::move(out));
}

// Where the element `w` of the window at `o` lies in the operand; false: in the padding or between elements.
bool WindowElement(const Window& window, const Shape& operand, const Index& o, const Index& w, Index& at) {
  at.resize(w.size());
  for (size_t d = 0; d < w.size(); ++d) {
    const WindowDimension& dim = window[d];
    int64_t x = o[d] * dim.stride + w[d] * dim.window_dilation - dim.padding_low;
    if (x < 0 || x % dim.base_dilation != 0) return false;
    x /= dim.base_dilation;
    if (x >= operand.dim(static_cast<int>(d))) return false;
    at[d] = x;
  }
  return true;
}
Window WindowOf(const Instruction& instruction, int rank) {
  if (instruction.GetWindow() != nullptr && static_cast<int>(instruction.GetWindow()->size()) == rank) return *instruction.GetWindow();
  return Window(rank);
}
Index Sizes(const Window& window) {
  Index sizes;
  for (const WindowDimension& d : window) sizes.push_back(d.size);
  return sizes;
}

absl::StatusOr<Array> ReduceWindow(const Instruction& instruction, Operands operands, Caller& caller) {
  const size_t n = operands.size() / 2;
  const Shape& in = operands[0]->shape;
  const Window window = WindowOf(instruction, in.rank());
  std::vector<ElementType> types;
  std::vector<Number> inits;
  for (size_t k = 0; k < n; ++k) {
    types.push_back(operands[n + k]->type());
    inits.push_back(operands[n + k]->elements[0]);
  }
  std::vector<Array> out = ResultArrays(instruction);
  absl::Status status;
  ForEach(out[0].shape.dimensions(), [&](const Index& o) {
    if (!status.ok()) return;
    std::vector<std::vector<Number>> rows(n);
    Index at;
    ForEach(Sizes(window), [&](const Index& w) {
      if (!WindowElement(window, in, o, w, at)) return;
      for (size_t k = 0; k < n; ++k) rows[k].push_back(operands[k]->at(at));
    });
    auto result = Fold(*instruction.Called(AttrId::kToApply), types, inits, rows, caller);
    if (!result.ok()) {
      status = result.status();
      return;
    }
    for (size_t k = 0; k < n; ++k) out[k].at(o) = (*result)[k];
  });
  if (!status.ok()) return status;
  return Results(instruction, std::move(out));
}

absl::StatusOr<Array> SelectAndScatter(const Instruction& instruction, Operands operands, Caller& caller) {
  const Array& operand = *operands[0];
  const Array& source = *operands[1];
  const Window window = WindowOf(instruction, operand.shape.rank());
  Array out(instruction.shape);
  std::vector<std::vector<Number>> terms(out.elements.size());
  absl::Status status;
  bool lost = false;
  ForEach(source.shape.dimensions(), [&](const Index& s) {
    int64_t selected = -1;
    Index at;
    ForEach(Sizes(window), [&](const Index& w) {
      if (!status.ok() || lost || !WindowElement(window, operand.shape, s, w, at)) return;
      const int64_t candidate = operand.Position(at);
      if (selected < 0) {
        selected = candidate;
        return;
      }
      auto keep = caller.Call(*instruction.Called(AttrId::kSelect), {ScalarArray(operand.type(), operand.elements[selected]),
                                                                    ScalarArray(operand.type(), operand.elements[candidate])});
      if (!keep.ok()) {
        status = keep.status();
      } else if (keep->elements[0].unknown()) {
        lost = true;
      } else if (keep->elements[0].i == 0) {
        selected = candidate;
      }
    });
    if (selected >= 0) terms[selected].push_back(source.at(s));
  });
  if (!status.ok()) return status;
  for (int64_t e = 0; e < out.size(); ++e) {
    auto result = Fold(*instruction.Called(AttrId::kScatter), {out.type()}, {operands[2]->elements[0]}, {terms[e]}, caller);
    if (!result.ok()) return result.status();
    out.elements[e] = (*result)[0];
  }
  if (lost) SetUnknown(out);
  return out;
}

// A stable merge of insertion: simple, and it calls the comparator only as less(a, b).
absl::StatusOr<Array> Sort(const Instruction& instruction, Operands operands, Caller& caller) {
  const size_t n = operands.size();
  const Shape& shape = operands[0]->shape;
  const int64_t dimension = instruction.Has(AttrId::kDimensions) && !instruction.Ints(AttrId::kDimensions).empty()
                                ? instruction.Ints(AttrId::kDimensions)[0] : shape.rank() - 1;
  std::vector<Array> out = ResultArrays(instruction);
  absl::Status status;
  bool lost = false;
  Index lines = Dims(shape);
  const int64_t length = lines[dimension];
  if (length != 0) lines[dimension] = 1;
  ForEach(lines, [&](const Index& line) {
    auto position = [&](int64_t e) {
      Index at = line;
      at[dimension] = e;
      return operands[0]->Position(at);
    };
    auto less = [&](int64_t a, int64_t b) {
      std::vector<Array> arguments;
      for (size_t k = 0; k < n; ++k) {
        arguments.push_back(ScalarArray(operands[k]->type(), operands[k]->elements[position(a)]));
        arguments.push_back(ScalarArray(operands[k]->type(), operands[k]->elements[position(b)]));
      }
      auto r = caller.Call(*instruction.Called(AttrId::kToApply), std::move(arguments));
      if (!r.ok()) {
        status = r.status();
        return false;
      }
      if (r->elements[0].unknown()) lost = true;
      return r->elements[0].i != 0;
    };
    std::vector<int64_t> order;
    for (int64_t e = 0; e < length && status.ok() && !lost; ++e) {
      size_t low = 0, high = order.size();  // after all that are not greater
      while (low < high) {
        const size_t middle = (low + high) / 2;
        if (less(e, order[middle])) high = middle;
        else low = middle + 1;
      }
      order.insert(order.begin() + static_cast<int64_t>(low), e);
    }
    if (!status.ok() || lost) return;
    for (int64_t e = 0; e < length; ++e) {
      for (size_t k = 0; k < n; ++k) out[k].elements[position(e)] = operands[k]->elements[position(order[e])];
    }
  });
  if (!status.ok()) return status;
  for (Array& a : out) {
    if (lost) SetUnknown(a);
  }
  return Results(instruction, std::move(out));
}

absl::StatusOr<Array> Map(const Instruction& instruction, Operands operands, Caller& caller) {
  Array out(instruction.shape);
  for (int64_t e = 0; e < out.size(); ++e) {
    std::vector<Array> arguments;
    for (const Array* operand : operands) arguments.push_back(ScalarArray(operand->type(), operand->elements[e]));
    auto r = caller.Call(*instruction.Called(AttrId::kToApply), std::move(arguments));
    if (!r.ok()) return r.status();
    out.elements[e] = r->elements[0];
  }
  return out;
}

// The slice of `a` at `at` along `dimension`; and its place in a result.
Array TakeSlice(const Array& a, int64_t dimension, int64_t at, const Shape& shape) {
  Array slice(shape);
  ForEach(slice.shape.dimensions(), [&](const Index& i) {
    Index from = i;
    from.insert(from.begin() + dimension, at);
    slice.at(i) = a.at(from);
  });
  return slice;
}
void PutSlice(Array& a, int64_t dimension, int64_t at, const Array& slice) {
  ForEach(slice.shape.dimensions(), [&](const Index& i) {
    Index to = i;
    to.insert(to.begin() + dimension, at);
    a.at(to) = slice.at(i);
  });
}

// m inputs, then k states; the computation gives n outputs and the k new states. One of scalars runs for each element of a slice.
absl::StatusOr<Array> Scan(const Instruction& instruction, Operands operands, Caller& caller) {
  const int64_t dimension = instruction.Ints(AttrId::kDimensions)[0];
  const Computation& step = *instruction.Called(AttrId::kToApply);
  if (!instruction.Has(AttrId::kNumCarries)) return absl::UnimplementedError("a scan without num_carries");
  const size_t k = static_cast<size_t>(instruction.Int(AttrId::kNumCarries)), m = operands.size() - k;
  std::vector<Array> out = ResultArrays(instruction);
  const size_t n = out.size() - k;
  for (size_t s = 0; s < k; ++s) out[n + s] = *operands[m + s];
  const int64_t length = m > 0 ? operands[0]->shape.dim(static_cast<int>(dimension)) : n > 0 ? out[0].shape.dim(static_cast<int>(dimension)) : 0;
  const bool reverse = instruction.Bool(AttrId::kIsScan);
  const auto without = [&](const Shape& s) {
    Index dims = Dims(s);
    dims.erase(dims.begin() + dimension);
    return Shape::Array(s.element_type(), dims);
  };
  for (int64_t t = 0; t < length; ++t) {
    const int64_t at = reverse ? length - 1 - t : t;
    std::vector<Array> arguments;
    for (size_t i = 0; i < m; ++i) arguments.push_back(TakeSlice(*operands[i], dimension, at, without(operands[i]->shape)));
    for (size_t s = 0; s < k; ++s) arguments.push_back(out[n + s]);
    std::vector<Array> results;
    const bool scalars = !arguments.empty() && step.parameters[0]->shape.rank() == 0 && arguments[0].shape.rank() > 0;
    if (!scalars) {
      auto r = caller.Call(step, std::move(arguments));
      if (!r.ok()) return r;
      results = ToParts(*std::move(r));
    } else {
      for (size_t o = 0; o < n; ++o) results.emplace_back(without(out[o].shape));
      for (size_t s = 0; s < k; ++s) results.push_back(out[n + s]);
      for (int64_t e = 0; e < arguments[0].size(); ++e) {
        std::vector<Array> elements;
        for (const Array& a : arguments) elements.push_back(ScalarArray(a.type(), a.elements[e]));
        auto r = caller.Call(step, std::move(elements));
        if (!r.ok()) return r;
        const std::vector<Array> parts = ToParts(*std::move(r));
        for (size_t p = 0; p < parts.size(); ++p) results[p].elements[e] = parts[p].elements[0];
      }
    }
    for (size_t o = 0; o < n; ++o) PutSlice(out[o], dimension, at, results[o]);
    for (size_t s = 0; s < k; ++s) out[n + s] = results[n + s];
  }
  return Results(instruction, std::move(out));
}

}  // namespace

Array TopK(const Instruction& instruction, const Array& operand, int64_t k, bool largest) {
  Array out(instruction.shape);
  Index lines = Dims(operand.shape);
  const int64_t length = lines.back();
  lines.pop_back();
  bool lost = false;
  for (const Number& x : operand.elements) lost |= x.error != 0;
  ForEach(lines, [&](const Index& line) {
    std::vector<int64_t> order(length);
    std::iota(order.begin(), order.end(), 0);
    Index at = line;
    at.push_back(0);
    const int64_t base = operand.Position(at);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const int c = TotalOrder(operand.type(), operand.elements[base + a], operand.elements[base + b]);
      return largest ? c > 0 : c < 0;
    });
    for (int64_t e = 0; e < k; ++e) {
      at.back() = e;
      out.parts[0].at(at) = operand.elements[base + order[e]];
      out.parts[1].at(at) = Int(order[e]);
    }
  });
  if (lost) SetUnknown(out);
  return out;
}

Number SumInAnyOrder(ElementType type, const std::vector<Number>& terms) {
  const ElementType r = IsComplex(type) ? RealTypeOf(type) : type;
  if (IsComplex(type)) {
    std::vector<Number> re, im;
    double error = 0;
    for (const Number& t : terms) {
      if (t.unknown()) return Unknown();
      error += t.error;
      re.push_back(Real(t.re));
      im.push_back(Real(t.im));
    }
    const Number a = SumInAnyOrder(r, re), b = SumInAnyOrder(r, im);
    return Complex(a.re, b.re, a.error + b.error + error);
  }
  double sequential = 0, magnitude = 0, error = 0;
  bool nan = false, up = false, down = false, first = true;
  int quantum = INT32_MAX;
  for (const Number& t : terms) {
    if (t.unknown()) return Unknown();
    sequential = first ? t.re : r == ElementType::kF64 ? sequential + t.re : Round(r, sequential + t.re);
    first = false;
    error += t.error;
    if (!std::isfinite(t.re)) {
      nan |= std::isnan(t.re);
      (t.re > 0 ? up : down) = true;
      continue;
    }
    magnitude += std::abs(t.re);
    if (t.re != 0) quantum = std::min(quantum, LowestBit(t.re));
  }
  if (nan || (up && down)) return SomeNaN();
  if (magnitude + error > MaxFinite(r) * (1 - static_cast<double>(terms.size()) * Unit(r))) return Unknown();
  if (up || down) return error == 0 ? Real(up ? INFINITY : -INFINITY) : Unknown();
  const bool exact = quantum == INT32_MAX || std::ldexp(magnitude, -quantum) <= std::ldexp(1.0, FormatOf(r).mantissa_bits + 1);
  if (exact && error == 0 && FormatOf(r).zero) return Real(sequential);
  const double n = static_cast<double>(terms.size());
  return Real(sequential, error + 2 * n * Unit(r) * (magnitude + error) + n * Ulp(r, 0));
}

Number ProductInAnyOrder(ElementType type, const std::vector<Number>& terms) {
  const ElementType r = IsComplex(type) ? RealTypeOf(type) : type;
  Number product = terms[0];
  int width = 0;
  double exponents = 0, relative = 0;
  bool special = false;
  for (size_t k = 0; k < terms.size(); ++k) {
    const Number& t = terms[k];
    if (t.unknown()) return Unknown();
    if (k != 0) product = Binary(Opcode::kMultiply, type, product, t);
    const double m = static_cast<double>(std::abs(t.c()));
    if (m == 0 || !std::isfinite(m)) {
      special = true;
      continue;
    }
    width += IsComplex(type) ? Width(t.re) + Width(t.im) + 1 : Width(t.re) - (Width(t.re) == 1);
    exponents += std::abs(std::log2(m)) + 1;
    relative += t.error / m;
  }
  // Where every partial product is exact, and none leaves the range, the order is free.
  const int reach = -std::ilogb(Ulp(r, 0)) - FormatOf(r).mantissa_bits - 2;
  const double top = std::ilogb(MaxFinite(r));
  if (exponents >= std::min<double>(reach, top)) return Unknown();
  if (special) return std::isnan(product.re) && !IsComplex(type) ? SomeNaN() : relative == 0 && product.error == 0 ? product : Unknown();
  if (width < FormatOf(r).mantissa_bits + 1 && relative == 0 && !IsComplex(type)) return product;
  const double m = static_cast<double>(std::abs(product.c()));
  const double error = product.error + m * 8 * static_cast<double>(terms.size()) * Unit(r) + 2 * m * relative;
  if (relative > 0.1) return Unknown();
  product.error = error;
  return product;
}

absl::StatusOr<Array> FoldData(const Instruction& instruction, Operands operands, Caller& caller) {
  switch (instruction.opcode) {
    case Opcode::kReduce: return Reduce(instruction, operands, caller);
    case Opcode::kReduceWindow: return ReduceWindow(instruction, operands, caller);
    case Opcode::kSelectAndScatter: return SelectAndScatter(instruction, operands, caller);
    case Opcode::kSort: return Sort(instruction, operands, caller);
    case Opcode::kTopk: return TopK(instruction, *operands[0], instruction.Int(AttrId::kK), instruction.Bool(AttrId::kLargest, true));
    case Opcode::kMap: return Map(instruction, operands, caller);
    case Opcode::kScan: return Scan(instruction, operands, caller);
    default: return absl::NotFoundError("no fold");
  }
}

}  // namespace hloscope::oracle
