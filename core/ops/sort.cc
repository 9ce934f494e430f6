// sort: lines along one dimension, N arrays at once, ordered by a comparator. Always stable.
#include <algorithm>

#include "core/element/visit.h"
#include "core/ops/comparator.h"
#include "core/ops/merge_steps.h"
#include "core/ops/radix.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("sort.operand-arrays"))) return std::nullopt;
  const int n = c.operand_count();
  bool ok = true;
  for (int k = 1; k < n; ++k) {
    if (c.operand(k).dimensions() == c.operand(0).dimensions()) continue;
    c.FailOperand(k, HLO_LABEL("sort.same-dimensions"),
                  absl::StrCat("all arrays must have equal dimensions: operand 0 is ", TypeText(c.operand(0)), ", operand ", k, " is ",
                               TypeText(c.operand(k))));
    ok = false;
  }
  const auto dims = c.instruction().Ints(AttrId::kDimensions);
  const int rank = c.operand(0).rank();
  if (dims.size() > 1 || (dims.size() == 1 && (dims[0] < 0 || dims[0] >= std::max(rank, 1)))) {
    c.FailAttribute(AttrId::kDimensions, HLO_LABEL("sort.dimension"),
                    absl::StrCat("one dimension of ", TypeText(c.operand(0)), " is needed, not ", ListText(dims)));
    ok = false;
  }
  const Computation* f = c.instruction().Called(AttrId::kToApply);
  std::string why;
  if (f == nullptr || f->root == nullptr) {
    why = "a comparator is needed";
  } else if (static_cast<int>(f->parameters.size()) != 2 * n) {
    why = absl::StrCat("the comparator of ", n, " arrays takes ", 2 * n, " scalars, this one takes ", f->parameters.size());
  } else if (!f->root->shape.IsScalar() || !IsPred(f->root->shape.element_type())) {
    why = absl::StrCat("the comparator must return pred[], it returns ", TypeText(f->root->shape));
  } else {
    for (int p = 0; p < 2 * n && why.empty(); ++p) {
      const Shape& s = f->parameters[p]->shape;
      if (s.IsScalar() && s.element_type() == c.operand(p / 2).element_type()) continue;
      why = absl::StrCat("the comparator's parameter ", p, " must be ", Name(c.operand(p / 2).element_type()), "[], it is ", TypeText(s));
    }
  }
  if (!why.empty()) {
    c.FailAttribute(AttrId::kToApply, HLO_LABEL("sort.comparator-signature"), why);
    ok = false;
  }
  if (!ok) return std::nullopt;
  std::vector<Shape> shapes;
  for (int k = 0; k < n; ++k) shapes.push_back(c.operand(k).WithoutLayouts());
  return n == 1 ? shapes[0] : Shape::Tuple(shapes);
}

struct Keyed {
  uint64_t key;
  int64_t index;
};

// Counting passes over the bytes in which the keys differ; `b` is scratch of the same size.
void CountingSort(std::vector<Keyed>& a, std::vector<Keyed>& b) {
  const int64_t n = static_cast<int64_t>(a.size());
  int64_t counts[8][256] = {};
  for (const Keyed& e : a) {
    for (int byte = 0; byte < 8; ++byte) ++counts[byte][(e.key >> (8 * byte)) & 255];
  }
  for (int byte = 0; byte < 8; ++byte) {
    int64_t* count = counts[byte];
    if (count[(a[0].key >> (8 * byte)) & 255] == n) continue;
    int64_t at = 0;
    for (int v = 0; v < 256; ++v) {
      const int64_t here = count[v];
      count[v] = at;
      at += here;
    }
    for (const Keyed& e : a) b[count[(e.key >> (8 * byte)) & 255]++] = e;
    a.swap(b);
  }
}

// Scratch of one thread.
struct Scratch {
  std::vector<uint64_t> keys, words;
  std::vector<uint32_t> narrow_words;
  RadixScratch<uint64_t> wide_radix;
  RadixScratch<uint32_t> narrow_radix;
  std::vector<Keyed> wide, wide_other;
  std::vector<int64_t> order;
};

// Calls sink(place, entry) with source's entries in ascending order of their bits in `mask`, equal ones as they come. Entries that are equal in
// `mask` but not otherwise must ascend with their number. False, with nothing sorted: usual(begin, end) is false of some of them.
template <typename Entry, typename Usual, typename Source, typename Sink>
bool SortEntries(const EvalContext& context, int64_t n, Entry mask, std::vector<Entry>& few, RadixScratch<Entry>& radix, Usual usual, Source source, Sink sink) {
  if (n >= kLeastRadix && n >> 32 == 0) {
    const RadixEnd end = RadixSort(context, n, mask, radix, usual, source, sink);
    if (end != RadixEnd::kNoMemory) return end == RadixEnd::kSorted;
  }
  if (!usual(0, n)) return false;
  few.resize(n);
  for (int64_t e = 0; e < n; ++e) few[e] = source(e);
  std::sort(few.begin(), few.end());
  for (int64_t e = 0; e < n; ++e) sink(e, few[e]);
  return true;
}

// Stable order of the keys.
void OrderByKeys(const EvalContext& context, Scratch& s) {
  const int64_t n = static_cast<int64_t>(s.keys.size());
  uint64_t any = static_cast<uint64_t>(n);
  for (uint64_t key : s.keys) any |= key;
  if (any >> 32 == 0) {  // key and index fit one word, which also makes equal keys differ
    SortEntries(
        context, n, ~uint64_t{0xffffffffu}, s.words, s.wide_radix, [](int64_t, int64_t) { return true; }, [&](int64_t e) { return s.keys[e] << 32 | static_cast<uint64_t>(e); },
        SortedInto{s.order.data(), kDense, [](uint64_t entry) { return static_cast<int64_t>(entry & 0xffffffffu); }});
    return;
  }
  s.wide.resize(n);
  for (int64_t e = 0; e < n; ++e) s.wide[e] = {s.keys[e], e};
  if (n < 1024) {
    std::stable_sort(s.wide.begin(), s.wide.end(), [](const Keyed& x, const Keyed& y) { return x.key < y.key; });
  } else {
    s.wide_other.resize(n);
    CountingSort(s.wide, s.wide_other);
  }
  for (int64_t e = 0; e < n; ++e) s.order[e] = s.wide[e].index;
}

// ---- One comparison of an operand's own elements. Keys are its bits, changed so that they ascend as unsigned numbers.

template <typename Word>
struct PlainKeys {
  static constexpr int kBits = 8 * sizeof(Word);
  static constexpr Word kTop = static_cast<Word>(Word{1} << (kBits - 1));
  Word top = 0;         // of signed numbers and floats
  Word negative = 0;    // what else to turn in negative numbers
  Word descending = 0;  // all ones: the other way round
  Word infinity = 0;    // of floats

  static std::optional<PlainKeys> Of(ElementType type, bool less) {
    PlainKeys k;
    k.descending = less ? 0 : static_cast<Word>(~Word{0});
    switch (type) {
      case ElementType::kF64: k.infinity = static_cast<Word>(uint64_t{0x7ff} << 52); break;
      case ElementType::kF32: k.infinity = static_cast<Word>(0x7f800000); break;
      case ElementType::kBF16: k.infinity = static_cast<Word>(0x7f80); break;
      case ElementType::kF16: k.infinity = static_cast<Word>(0x7c00); break;
      default:
        if (!IsInteger(type) || BitWidth(type) != kBits) return std::nullopt;
        if (IsSigned(type)) k.top = kTop;
        return k;
    }
    k.top = kTop;
    k.negative = static_cast<Word>(kTop - 1);
    return k;
  }
  bool is_float() const { return infinity != 0; }
  Word Key(Word w) const { return static_cast<Word>(w ^ top ^ (w & kTop ? negative : 0) ^ descending); }
  Word Element(Word key) const {
    const Word k = static_cast<Word>(key ^ descending);
    return static_cast<Word>(k ^ top ^ (k & kTop ? 0 : negative));
  }
};

struct Oddities {
  bool nan = false, negative_zero = false;
};
template <typename Word>
Oddities OdditiesOf(const PlainKeys<Word>& keys, const Word* line, int64_t n, int64_t stride) {
  Word nan = 0, zero = 0;
  for (int64_t e = 0; e < n; ++e) {
    const Word w = line[e * stride];
    nan |= static_cast<Word>((w & ~PlainKeys<Word>::kTop) > keys.infinity);
    zero |= static_cast<Word>(w == PlainKeys<Word>::kTop);
  }
  return {nan != 0, zero != 0};
}

template <typename Less>
absl::Status MergeOrder(absl::Span<int64_t> order, Less less) {
  MergeSteps steps(order);
  while (const auto asked = steps.Next()) {
    auto before = less(asked->first, asked->second);
    if (!before.ok()) return before.status();
    steps.Answer(*before);
  }
  return absl::OkStatus();
}

// A bool that looks like a StatusOr, so that the quick comparator costs no status.
struct PlainBool {
  bool value;
  bool ok() const { return true; }
  bool operator*() const { return value; }
  absl::Status status() const { return absl::OkStatus(); }
};

template <typename T>
void Permute(const std::byte* from, std::byte* to, absl::Span<const int64_t> order, int64_t begin, int64_t end, int64_t stride) {
  const T* f = reinterpret_cast<const T*>(from);
  T* t = reinterpret_cast<T*>(to);
  for (int64_t e = begin; e < end; ++e) t[e * stride] = f[order[e] * stride];
}

struct Bytes16 {
  uint64_t half[2];
};

void PermuteLine(int bytes, const std::byte* from, std::byte* to, absl::Span<const int64_t> order, int64_t begin, int64_t end, int64_t stride) {
  switch (bytes) {
    case 1: return Permute<uint8_t>(from, to, order, begin, end, stride);
    case 2: return Permute<uint16_t>(from, to, order, begin, end, stride);
    case 4: return Permute<uint32_t>(from, to, order, begin, end, stride);
    case 8: return Permute<uint64_t>(from, to, order, begin, end, stride);
    case 16: return Permute<Bytes16>(from, to, order, begin, end, stride);
    default: return;
  }
}

Value ElementAt(const Value& v, int64_t linear) {
  const int bytes = StorageBytes(v.shape().element_type());
  return Value::FromBytes(Shape::Scalar(v.shape().element_type()), absl::MakeConstSpan(v.data() + linear * bytes, bytes));
}

struct Lines {
  const EvalContext& context;
  const Computation& comparator;
  std::vector<ElementType> types;
  std::vector<std::byte*> results;
  int64_t n = 0, stride = 1, count = 0;

  int64_t Base(int64_t line) const { return (line / stride) * n * stride + line % stride; }
  void Place(int64_t line, const std::vector<int64_t>& order) const {
    for (size_t k = 0; k < types.size(); ++k) {
      const int64_t at = Base(line) * StorageBytes(types[k]);
      context.ParallelFor(n, int64_t{1} << 16, [&](int64_t begin, int64_t end) {
        PermuteLine(StorageBytes(types[k]), context.operands[k].data() + at, results[k] + at, order, begin, end, stride);
      });
    }
  }
};

// The line's keys for a plain comparison of elements of so many bits. False: there are NaNs, which only the comparator itself can place.
template <typename Word>
bool FillKeys(const Lines& lines, int64_t line, const Comparator::Plain& plain, Scratch& s) {
  const ElementType type = lines.types[plain.operand];
  const std::optional<PlainKeys<Word>> keys = PlainKeys<Word>::Of(type, plain.less);
  if (!keys) return false;
  const Word* data = reinterpret_cast<const Word*>(lines.context.operands[plain.operand].data()) + lines.Base(line);
  if (keys->is_float() && !plain.total && OdditiesOf(*keys, data, lines.n, lines.stride).nan) return false;
  const bool one_zero = keys->is_float() && !plain.total;
  s.keys.resize(lines.n);
  for (int64_t e = 0; e < lines.n; ++e) {
    const Word w = data[e * lines.stride];
    s.keys[e] = keys->Key(one_zero && w == PlainKeys<Word>::kTop ? Word{0} : w);
  }
  return true;
}

// A single array whose elements are their own keys: no places need be remembered. False: equal elements of different bits, or NaNs.
template <typename Word, typename Entry>
bool SortWords(const Lines& lines, int64_t line, const Comparator::Plain& plain, std::vector<Entry>& few, RadixScratch<Entry>& radix) {
  const std::optional<PlainKeys<Word>> found = PlainKeys<Word>::Of(lines.types[0], plain.less);
  if (!found) return false;
  const PlainKeys<Word> keys = *found;
  const int64_t stride = lines.stride;
  const Word* data = reinterpret_cast<const Word*>(lines.context.operands[0].data()) + lines.Base(line);
  Word* result = reinterpret_cast<Word*>(lines.results[0]) + lines.Base(line);
  const auto usual = [keys, data, stride, any = !keys.is_float() || plain.total](int64_t begin, int64_t end) {
    if (any) return true;
    const Oddities odd = stride == 1 ? OdditiesOf(keys, data + begin, end - begin, 1) : OdditiesOf(keys, data + begin * stride, end - begin, stride);
    return !odd.nan && !odd.negative_zero;
  };
  const auto sort = [&](auto source, auto sink) {
    return SortEntries(lines.context, lines.n, static_cast<Entry>(static_cast<Word>(~Word{0})), few, radix, usual, source, sink);
  };
  if (stride == 1) {
    return sort([keys, data](int64_t e) { return static_cast<Entry>(keys.Key(data[e])); },
                SortedInto{result, kDense, [keys](Entry entry) { return keys.Element(static_cast<Word>(entry)); }});
  }
  return sort([keys, data, stride](int64_t e) { return static_cast<Entry>(keys.Key(data[e * stride])); },
              SortedInto{result, stride, [keys](Entry entry) { return keys.Element(static_cast<Word>(entry)); }});
}

bool SortedWithoutOrder(const Lines& lines, int64_t line, const Comparator::Plain& plain, Scratch& s) {
  if (lines.types.size() != 1) return false;
  switch (StorageBytes(lines.types[0])) {
    case 1: return SortWords<uint8_t>(lines, line, plain, s.narrow_words, s.narrow_radix);
    case 2: return SortWords<uint16_t>(lines, line, plain, s.narrow_words, s.narrow_radix);
    case 4: return SortWords<uint32_t>(lines, line, plain, s.narrow_words, s.narrow_radix);
    case 8: return SortWords<uint64_t>(lines, line, plain, s.words, s.wide_radix);
    default: return false;
  }
}

bool FilledKeys(const Lines& lines, int64_t line, const Comparator::Plain& plain, Scratch& s) {
  switch (StorageBytes(lines.types[plain.operand])) {
    case 1: return FillKeys<uint8_t>(lines, line, plain, s);
    case 2: return FillKeys<uint16_t>(lines, line, plain, s);
    case 4: return FillKeys<uint32_t>(lines, line, plain, s);
    case 8: return FillKeys<uint64_t>(lines, line, plain, s);
    default: return false;
  }
}

// Sorts a line with the quick comparator.
void SortLine(const Lines& lines, int64_t line, Comparator& comparator, Scratch& s) {
  const std::optional<Comparator::Plain> plain = comparator.plain();
  if (plain && SortedWithoutOrder(lines, line, *plain, s)) return;
  s.order.resize(lines.n);
  if (plain && FilledKeys(lines, line, *plain, s)) {
    OrderByKeys(lines.context, s);
    return lines.Place(line, s.order);
  }
  std::vector<const std::byte*> data;
  for (size_t k = 0; k < lines.types.size(); ++k)
    data.push_back(lines.context.operands[k].data() + lines.Base(line) * StorageBytes(lines.types[k]));
  comparator.Load(data, lines.n, lines.stride);
  const auto less = [&](int64_t a, int64_t b) { return PlainBool{comparator.Less(a, b)}; };
  bool whole = false;
  if (!comparator.Keys(&s.keys, &whole)) {
    for (int64_t e = 0; e < lines.n; ++e) s.order[e] = e;
    MergeOrder(absl::MakeSpan(s.order), less).IgnoreError();
    return lines.Place(line, s.order);
  }
  OrderByKeys(lines.context, s);
  for (int64_t begin = 0, end; !whole && begin < lines.n; begin = end) {
    for (end = begin + 1; end < lines.n && s.keys[s.order[end]] == s.keys[s.order[begin]]; ++end) {
    }
    if (end - begin > 1) MergeOrder(absl::MakeSpan(s.order).subspan(begin, end - begin), less).IgnoreError();
  }
  lines.Place(line, s.order);
}

// Line by line, calling the comparator's computation for each comparison.
absl::Status SortByCalls(const Lines& lines) {
  const EvalContext& c = lines.context;
  if (!c.call) {
    return absl::UnimplementedError(
        absl::StrCat("sort ", c.instruction.name, ": comparator ", lines.comparator.name, " does not inline and nothing can call it here"));
  }
  std::vector<int64_t> order(lines.n);
  for (int64_t line = 0; line < lines.count; ++line) {
    for (int64_t e = 0; e < lines.n; ++e) order[e] = e;
    const int64_t base = lines.Base(line);
    const absl::Status status = MergeOrder(absl::MakeSpan(order), [&](int64_t a, int64_t b) -> absl::StatusOr<bool> {
      std::vector<Value> arguments;
      for (const Value& operand : c.operands) {
        arguments.push_back(ElementAt(operand, base + a * lines.stride));
        arguments.push_back(ElementAt(operand, base + b * lines.stride));
      }
      auto r = c.call(lines.comparator, arguments);
      if (!r.ok()) return r.status();
      return *r->as<uint8_t>() != 0;
    });
    if (!status.ok()) return status;
    lines.Place(line, order);
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) {
  const Instruction& i = c.instruction;
  const int count = static_cast<int>(c.operands.size());
  const Shape& shape = c.operands[0].shape();
  const auto dims = i.Ints(AttrId::kDimensions);
  const int dim = dims.empty() ? shape.rank() - 1 : static_cast<int>(dims[0]);
  Lines lines{c, *i.Called(AttrId::kToApply)};
  std::vector<Value> results;
  for (int k = 0; k < count; ++k) {
    lines.types.push_back(c.operands[k].shape().element_type());
    results.push_back(Value::Allocate(count == 1 ? i.shape : i.shape.tuple_shapes()[k], c.account));
    lines.results.push_back(results.back().mutable_data());
  }
  lines.n = shape.rank() == 0 ? 1 : shape.dim(dim);
  for (int d = dim + 1; d < shape.rank(); ++d) lines.stride *= shape.dim(d);
  lines.count = lines.n == 0 ? 0 : shape.ElementCount() / lines.n;
  const std::optional<Comparator> quick = Comparator::Make(lines.comparator, lines.types);
  if (!quick) {
    if (absl::Status status = SortByCalls(lines); !status.ok()) return status;
  } else {
    c.ParallelFor(lines.count, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, lines.n)), [&](int64_t begin, int64_t end) {
      Comparator mine = *quick;
      Scratch scratch;
      for (int64_t line = begin; line < end; ++line) SortLine(lines, line, mine, scratch);
    });
  }
  return count == 1 ? results[0] : Value::Tuple(i.shape, std::move(results));
}

// Whether what the comparator returns is made from an element of the operand.
bool ComparesBy(const Computation& comparator, int operand) {
  ExprGraph graph;
  const int32_t id = graph.NewFoldId();
  std::vector<NodeId> arguments;
  for (const Instruction* p : comparator.parameters) arguments.push_back(graph.Accumulator(id, static_cast<int>(arguments.size()), p->shape.element_type()));
  const absl::StatusOr<std::vector<NodeId>> inlined = InlineScalarComputation(graph, comparator, arguments);
  if (!inlined.ok()) return true;  // not an expression: it may
  return !VisitNodes(graph, *inlined, [&](NodeId, const Node& node) {
    return node.kind == NodeKind::kAccumulator && node.var == id && node.part / 2 == operand ? Visit::kEnd : Visit::kInto;
  });
}

// What is sorted by decides about all arrays alike; each of them gives the elements of its own result.
std::vector<Reach> ReachOfSort(const ReachQuestion& q) {
  const auto dims = q.instruction.Ints(AttrId::kDimensions);
  const int along = dims.empty() ? q.from.rank() - 1 : static_cast<int>(dims[0]);
  const bool decides = ComparesBy(*q.instruction.Called(AttrId::kToApply), q.operand);
  if (q.operand != q.leaf && !decides) return {};
  return {q.Line(along, q.operand != q.leaf ? Reach::Kind::kDecides : decides ? Reach::Kind::kOrdered : Reach::Kind::kCopy)};
}

}  // namespace

void DefineSort(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kSort);
  d.op_class = OpClass::kOpaque;
  d.min_operands = 1;
  d.max_operands = -1;
  d.attributes = {{AttrId::kDimensions}, {AttrId::kToApply, true}, {AttrId::kIsStable}};
  d.infer = Infer;
  d.evaluate = Evaluate;
  d.reach = ReachOfSort;
  d.size_source = [](const Instruction&, int) { return SizeSource{0, false}; };
  d.opaque_reason = "where an element goes depends on all the others of its line";
  d.summary = "orders lines along one dimension by a comparator, N arrays at once";
  d.doc =
      "Each line along the dimension (the last when none is given) is ordered by the comparator, which takes the left and right element "
      "of every array in turn and says whether the left stands before the right. All arrays are rearranged alike. The order is stable "
      "whether "
      "`is_stable` says so or not. NaNs stand where the comparator puts them; under a plain `<`, which leaves them unordered, the result "
      "is some fixed "
      "rearrangement.";
  d.spec = "operations.md: Reductions, windows, sorting";
}

}  // namespace hloscope
