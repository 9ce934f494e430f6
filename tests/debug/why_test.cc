// Slices against brute force: on small programs every element of every value is set to something else in turn, and what changes is compared
// with what why says was read and influence says is reached. Births of NaNs, long chains and long loops.
#include "core/debug/why.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/reference/backend.h"
#include "core/debug/influence.h"
#include "core/debug/slice_text.h"
#include "core/debug/timeline.h"
#include "core/exec/frame_history.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Finished {
 public:
  explicit Finished(const std::string& text, uint64_t seed = 1) {
    DiagnosticSink sink;
    module = ReadHloText(std::make_shared<SourceText>("test.hlo", text), sink);
    if (sink.error_count() == 0) Verify(*module, sink);
    EXPECT_EQ(sink.error_count(), 0) << text;
    absl::StatusOr<std::unique_ptr<Backend>> made = MakeReferenceBackend(BackendOptions());
    EXPECT_TRUE(made.ok());
    backend = *std::move(made);
    MachineOptions options;
    options.retain_bytes = int64_t{1} << 30;
    machine = std::make_unique<Machine>(*module, *backend, options);
    std::mt19937_64 random(seed);
    for (const Instruction* parameter : module->entry->parameters) parameters.push_back(Made(parameter->shape, random));
    Again(parameters);
  }

  static Value Made(const Shape& shape, std::mt19937_64& random) {
    if (shape.IsTuple()) {
      std::vector<Value> elements;
      for (const Shape& element : shape.tuple_shapes()) elements.push_back(Made(element, random));
      return Value::Tuple(shape, std::move(elements));
    }
    Value value = Value::Allocate(shape);
    const ElementType type = shape.element_type();
    for (int64_t k = 0; k < value.element_count(); ++k) {
      const int64_t n = static_cast<int64_t>(random() % 4000);
      const Scalar s = IsPred(type) ? Scalar::Int(type, n & 1) : IsInteger(type) ? Scalar::Int(type, n % 4) : Scalar::Float(type, n / 1000.0 + 0.25);
      StoreScalar(s, value.mutable_data() + k * StorageBytes(type));
    }
    return value;
  }

  void Again(std::vector<Value> with) {
    ASSERT_TRUE(machine->Start(std::move(with)).ok());
    const StopReason reason = machine->Run();
    ASSERT_EQ(reason, StopReason::kFinished) << machine->status().message();
  }

  ElementPlace Place(absl::string_view name, int64_t linear = 0, int leaf = 0) {
    const Instruction* found = module->entry->FindInstruction(name);
    EXPECT_NE(found, nullptr) << name;
    return {0, found, leaf, linear};
  }
  std::string Why(absl::string_view name, int64_t linear = 0, WhyOptions options = {}) {
    ElementReader reader(*machine, int64_t{1} << 28);
    absl::StatusOr<Slice> slice = BuildWhy(reader, Place(name, linear), options);
    if (!slice.ok()) return std::string(slice.status().message());
    return SliceText(*module, reader.history(), *slice, {});
  }

  std::unique_ptr<Module> module;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Machine> machine;
  std::vector<Value> parameters;
};

Value WithElement(const Value& value, int64_t linear) {
  const ElementType type = value.shape().element_type();
  Value changed = Value::FromBytes(value.shape(), absl::MakeConstSpan(value.data(), value.element_count() * StorageBytes(type)));
  std::byte* at = changed.mutable_data() + linear * StorageBytes(type);
  const Scalar before = LoadScalar(type, at);
  const Scalar after = IsPred(type) ? Scalar::Int(type, !before.i) : IsInteger(type) ? Scalar::Int(type, (before.i + 1) % 4) : Scalar::Float(type, before.re * 1.5 + 0.375);
  StoreScalar(after, at);
  return changed;
}

// Elements of entry parameters that the whole slice of an element has.
std::set<std::pair<int, int64_t>> Sources(Finished& run, const ElementPlace& place) {
  ElementReader reader(*run.machine, int64_t{1} << 28);
  WhyOptions options;
  options.depth = -1;
  options.terms = -1;
  options.control = true;
  options.births = false;
  options.nodes = 1 << 20;
  absl::StatusOr<Slice> slice = BuildWhy(reader, place, options);
  EXPECT_TRUE(slice.ok()) << slice.status().message();
  std::set<std::pair<int, int64_t>> sources;
  if (!slice.ok()) return sources;
  EXPECT_FALSE(slice->cut);
  for (const SliceNode& node : slice->nodes) {
    if (node.kind == SliceNode::kParameter) sources.insert({static_cast<int>(node.place.instruction->parameter_number), node.place.linear});
  }
  return sources;
}

// Changes each element of each parameter: outputs that change have it among their sources and are in its influence. `tight`: and the slice of
// each output has nothing that no path of loads explains, by the count of sources.
void CheckAgainstPerturbation(const std::string& text, uint64_t seed = 1) {
  SCOPED_TRACE(text);
  Finished run(text, seed);
  const Instruction* root = run.module->entry->root;
  ASSERT_TRUE(root->shape.IsArray());
  const Value result = run.machine->result();
  std::vector<std::set<std::pair<int, int64_t>>> sources;
  for (int64_t e = 0; e < result.element_count(); ++e) sources.push_back(Sources(run, {0, root, 0, e}));
  const ElementType type = result.shape().element_type();
  const int bytes = StorageBytes(type);
  int64_t changes = 0;
  for (size_t p = 0; p < run.parameters.size(); ++p) {
    for (int64_t e = 0; e < run.parameters[p].element_count(); ++e) {
      ElementReader reader(*run.machine, int64_t{1} << 28);
      absl::StatusOr<Influence> influence = BuildInfluence(reader, *run.machine, {0, run.module->entry->parameters[p], 0, e});
      ASSERT_TRUE(influence.ok()) << influence.status().message();
      ElementSet reached(root->shape);
      for (const InfluenceNode& node : influence->nodes) {
        if (node.instruction == root) reached = node.set;
      }
      std::vector<Value> changed = run.parameters;
      changed[p] = WithElement(changed[p], e);
      run.Again(changed);
      const Value& now = run.machine->result();
      for (int64_t o = 0; o < result.element_count(); ++o) {
        const bool source = sources[o].count({static_cast<int>(p), e}) > 0;
        if (std::memcmp(now.data() + o * bytes, result.data() + o * bytes, bytes) != 0) {
          ++changes;
          EXPECT_TRUE(source) << "output " << o << " changes with parameter " << p << " element " << e << ", which is not in its slice";
          EXPECT_TRUE(reached.Contains(o)) << "output " << o << " changes with parameter " << p << " element " << e << ", which does not influence it";
        }
        if (source && reached.exact) {
          EXPECT_TRUE(reached.Contains(o)) << "parameter " << p << " element " << e << " is in the slice of output " << o << ", but not the other way round";
        }
      }
      run.Again(run.parameters);
    }
  }
  EXPECT_GT(changes, 0);
}

constexpr char kAdd[] = R"(
sum {
  sa = f32[] parameter(0)
  sb = f32[] parameter(1)
  ROOT ss = f32[] add(sa, sb)
}
most {
  ma = f32[] parameter(0)
  mb = f32[] parameter(1)
  ROOT mm = f32[] maximum(ma, mb)
}
second {
  qa = f32[] parameter(0)
  ROOT qb = f32[] parameter(1)
}
less {
  la = f32[] parameter(0)
  lb = f32[] parameter(1)
  ROOT ll = pred[] compare(la, lb), direction=LT
}
)";

std::string Entry(absl::string_view body) { return absl::StrCat("HloModule t\n", kAdd, "ENTRY main {\n", body, "}\n"); }

TEST(SliceAgainstPerturbation, Movement) {
  CheckAgainstPerturbation(Entry(R"(
  x = f32[2,3] parameter(0)
  t = f32[3,2] transpose(x), dimensions={1,0}
  r = f32[6] reshape(t)
  s = f32[2] slice(r), slice={[1:5:2]}
  b = f32[2,2] broadcast(s), dimensions={1}
  v = f32[2,2] reverse(b), dimensions={1}
  c = f32[2,4] concatenate(v, b), dimensions={1}
  z = f32[] parameter(1)
  ROOT p = f32[4,9] pad(c, z), padding=1_1_0x0_2_1
)"));
}

TEST(SliceAgainstPerturbation, PointwiseAndChoices) {
  CheckAgainstPerturbation(Entry(R"(
  x = f32[2,3] parameter(0)
  y = f32[2,3] parameter(1)
  p = pred[2,3] compare(x, y), direction=GT
  e = f32[2,3] exponential(x)
  s = f32[2,3] select(p, e, y)
  h = bf16[2,3] convert(s)
  w = f32[2,3] convert(h)
  m = f32[2,3] maximum(w, y)
  ROOT c = f32[2,3] add(m, x)
)"));
}

TEST(SliceAgainstPerturbation, SumsAndProducts) {
  CheckAgainstPerturbation(Entry(R"(
  x = f32[2,3] parameter(0)
  y = f32[3,2] parameter(1)
  i = f32[] parameter(2)
  d = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = f32[2] reduce(d, i), dimensions={0}, to_apply=sum
  m = f32[3] reduce(x, i), dimensions={0}, to_apply=most
  mb = f32[2,3] broadcast(m), dimensions={1}
  sb = f32[2,3] broadcast(s), dimensions={0}
  a = f32[2,3] add(mb, sb)
  ROOT w = f32[2,2] reduce-window(a, i), window={size=1x2}, to_apply=sum
)"));
}

TEST(SliceAgainstPerturbation, Convolution) {
  CheckAgainstPerturbation(Entry(R"(
  x = f32[1,4,4,2] parameter(0)
  k = f32[3,3,2,2] parameter(1)
  ROOT c = f32[1,2,4,2] convolution(x, k), window={size=3x3 stride=2x1 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
)"));
}

TEST(SliceAgainstPerturbation, GatherScatterAndDynamicSlices) {
  CheckAgainstPerturbation(Entry(R"(
  x = f32[4,2] parameter(0)
  i = s32[3,1] parameter(1)
  u = f32[3,2] parameter(2)
  at = s32[] parameter(3)
  g = f32[3,2] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}
  a = f32[3,2] multiply(g, u)
  s = f32[4,2] scatter(x, i, a), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
  z = s32[] constant(0)
  d = f32[2,2] dynamic-slice(s, at, z), dynamic_slice_sizes={2,2}
  ROOT o = f32[4,2] dynamic-update-slice(x, d, at, z)
)"));
}

TEST(SliceAgainstPerturbation, ScatterThatReplaces) {
  CheckAgainstPerturbation(Entry(R"(
  x = f32[4,2] parameter(0)
  u = f32[3,2] parameter(1)
  i = s32[3,1] constant({{2},{0},{2}})
  ROOT s = f32[4,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second
)"));
}

TEST(SliceAgainstPerturbation, OpaqueOperations) {
  CheckAgainstPerturbation(Entry(R"(
  x = f32[2,4] parameter(0)
  s = f32[2,4] sort(x), dimensions={1}, to_apply=less
  c = c64[2,4] convert(s)
  f = c64[2,4] fft(c), fft_type=FFT, fft_length={4}
  ROOT r = f32[2,4] real(f)
)"));
  CheckAgainstPerturbation(Entry(R"(
  x = f32[2,2,2] parameter(0)
  b = f32[2,2,2] parameter(1)
  ROOT r = f32[2,2,2] triangular-solve(x, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
)"));
}

TEST(SliceAgainstPerturbation, CallsBranchesAndLoops) {
  const std::string program = R"(HloModule t
square {
  q = f32[3] parameter(0)
  ROOT s = f32[3] multiply(q, q)
}
same {
  ROOT q = f32[3] parameter(0)
}
body {
  p = (s32[], f32[3], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[3] get-tuple-element(p), index=1
  w = f32[3] get-tuple-element(p), index=2
  k = f32[3] get-tuple-element(p), index=3
  one = s32[] constant(1)
  next = s32[] add(i, one)
  piece = f32[1] dynamic-slice(k, i), dynamic_slice_sizes={1}
  put = f32[3] dynamic-update-slice(w, piece, i)
  turned = f32[3] reverse(v), dimensions={0}
  ROOT carry = (s32[], f32[3], f32[3], f32[3]) tuple(next, turned, put, k)
}
condition {
  p = (s32[], f32[3], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant(2)
  ROOT less = pred[] compare(i, limit), direction=LT
}
ENTRY main {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  g = s32[] parameter(2)
  zero = s32[] constant(0)
  init = (s32[], f32[3], f32[3], f32[3]) tuple(zero, x, y, x)
  loop = (s32[], f32[3], f32[3], f32[3]) while(init), condition=condition, body=body
  a = f32[3] get-tuple-element(loop), index=1
  b = f32[3] get-tuple-element(loop), index=2
  called = f32[3] call(b), to_apply=square
  branched = f32[3] conditional(g, a, y), branch_computations={square, same}
  ROOT r = f32[3] add(called, branched)
}
)";
  for (uint64_t seed = 1; seed < 5; ++seed) CheckAgainstPerturbation(program, seed);
}

// Chains of operations drawn by chance.
TEST(SliceAgainstPerturbation, RandomChains) {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    std::mt19937_64 random(seed);
    std::string body = "  v0 = f32[2,3] parameter(0)\n  v1 = f32[2,3] parameter(1)\n  z = f32[] constant(0)\n";
    int count = 2;
    for (int step = 0; step < 6; ++step) {
      const int a = static_cast<int>(random() % count), b = static_cast<int>(random() % count);
      switch (random() % 9) {
        case 0: absl::StrAppend(&body, "  v", count, " = f32[2,3] add(v", a, ", v", b, ")\n"); break;
        case 1: absl::StrAppend(&body, "  v", count, " = f32[2,3] reverse(v", a, "), dimensions={", random() % 2, "}\n"); break;
        case 2:
          absl::StrAppend(&body, "  c", count, " = pred[2,3] compare(v", a, ", v", b, "), direction=LT\n");
          absl::StrAppend(&body, "  v", count, " = f32[2,3] select(c", count, ", v", a, ", v", b, ")\n");
          break;
        case 3:
          absl::StrAppend(&body, "  t", count, " = f32[3,2] transpose(v", a, "), dimensions={1,0}\n");
          absl::StrAppend(&body, "  v", count, " = f32[2,3] reshape(t", count, ")\n");
          break;
        case 4:
          absl::StrAppend(&body, "  r", count, " = f32[3] reduce(v", a, ", z), dimensions={0}, to_apply=", random() % 2 ? "sum" : "most", "\n");
          absl::StrAppend(&body, "  v", count, " = f32[2,3] broadcast(r", count, "), dimensions={1}\n");
          break;
        case 5:
          absl::StrAppend(&body, "  s", count, " = f32[1,3] slice(v", a, "), slice={[1:2], [0:3]}\n");
          absl::StrAppend(&body, "  v", count, " = f32[2,3] concatenate(s", count, ", s", count, "), dimensions={0}\n");
          break;
        case 6: absl::StrAppend(&body, "  v", count, " = f32[2,3] reduce-window(v", a, ", z), window={size=1x2 pad=0_0x1_0}, to_apply=sum\n"); break;
        case 7: absl::StrAppend(&body, "  v", count, " = f32[2,3] sort(v", a, "), dimensions={", random() % 2, "}, to_apply=less\n"); break;
        case 8:
          absl::StrAppend(&body, "  d", count, " = f32[2,2] dot(v", a, ", v", b, "), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n");
          absl::StrAppend(&body, "  v", count, " = f32[2,3] pad(d", count, ", z), padding=0_0x0_1\n");
          break;
      }
      ++count;
    }
    absl::StrAppend(&body, "  o = f32[2,3] add(v", count - 1, ", v0)\n  ROOT out = f32[2,3] multiply(o, v1)\n");
    CheckAgainstPerturbation(Entry(body), seed);
  }
}

TEST(WhyTest, TermsOfASumAreTheLargest) {
  Finished run(Entry(R"(
  x = f32[4] constant({1, -8, 2, 4})
  y = f32[4] constant({1, 1, 1, 1})
  ROOT d = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
)"));
  WhyOptions options;
  options.terms = 2;
  const std::string text = run.Why("d", 0, options);
  EXPECT_THAT(text, HasSubstr("term [1] -8 = %x[1] * %y[1] = (-8) * 1   (53.3 %)"));
  EXPECT_THAT(text, HasSubstr("term [3] 4"));
  EXPECT_THAT(text, HasSubstr("2 more terms, together 3"));
}

TEST(WhyTest, TheInitialValueIsATermWhereItIsNotNeutral) {
  Finished run(Entry(R"(
  x = f32[4] constant({1, -8, 2, 4})
  zero = f32[] constant(0)
  h = f32[] constant(15)
  a = f32[] reduce(x, h), dimensions={0}, to_apply=sum
  b = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
  ROOT t = (f32[], f32[]) tuple(a, b)
)"));
  ElementReader reader(*run.machine, 1 << 20);
  WhyOptions options;
  options.terms = 8;
  for (const char* name : {"a", "b"}) {
    const absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place(name), options);
    ASSERT_TRUE(slice.ok());
    const std::vector<SliceTerm>& terms = slice->nodes[0].terms;
    EXPECT_EQ(std::count_if(terms.begin(), terms.end(), [](const SliceTerm& term) { return term.initial; }), name[0] == 'a' ? 1 : 0);
    if (name[0] != 'a') continue;
    EXPECT_TRUE(terms[0].initial);
    EXPECT_EQ(terms[0].value.re, 15);
    EXPECT_EQ(terms[0].share, 0.5);
  }
}

TEST(WhyTest, SortSaysWhereAnElementCameFrom) {
  Finished run(Entry(R"(
  x = f32[5] constant({5, 1, 4, 1, 3})
  e = f32[5] exponential(x)
  ROOT s = f32[5] sort(e), dimensions={0}, to_apply=less
)"));
  EXPECT_THAT(run.Why("s", 2), HasSubstr("%e[4]"));
  EXPECT_THAT(run.Why("s", 1), HasSubstr("%e[3]"));  // the later one of two equal elements
  EXPECT_THAT(run.Why("s", 1), HasSubstr("placed by the order of 5 elements of %e"));
}

TEST(WhyTest, ANaNGoesStraightToItsBirth) {
  Finished run(Entry(R"(
  x = f32[3] constant({1, 0, 2})
  y = f32[3] constant({1, 0, 0})
  q = f32[3] divide(x, y)
  n = f32[3] negate(q)
  r = f32[1,3] reshape(n)
  z = f32[] constant(0)
  s = f32[1] reduce(r, z), dimensions={1}, to_apply=sum
  ROOT o = f32[1] exponential(s)
)"));
  ElementReader reader(*run.machine, 1 << 20);
  absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("o"), {});
  ASSERT_TRUE(slice.ok());
  ASSERT_EQ(slice->births.size(), 1u);
  const SliceNode& birth = slice->nodes[slice->births[0].path.back()];
  EXPECT_EQ(birth.place.instruction->name, "q");
  EXPECT_THAT(birth.index, ElementsAre(1));
  EXPECT_EQ(slice->births[0].hops, 3);
  EXPECT_EQ(birth.numbers, "0 / 0");
}

TEST(WhyTest, ANaNMadeFromInfinitiesNamesTheirBirthToo) {
  Finished run(Entry(R"(
  x = f32[2] constant({1, 100})
  e = f32[2] exponential(x)
  d = f32[2] copy(e)
  m = f32[2] subtract(e, d)
  ROOT o = f32[2] negate(m)
)"));
  ElementReader reader(*run.machine, 1 << 20);
  absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("o", 1), {});
  ASSERT_TRUE(slice.ok());
  ASSERT_EQ(slice->births.size(), 2u);
  EXPECT_EQ(slice->nodes[slice->births[0].path.back()].place.instruction->name, "m");
  EXPECT_EQ(slice->nodes[slice->births[1].path.back()].place.instruction->name, "e");
  EXPECT_FALSE(slice->births[1].nan);
}

TEST(WhyTest, ANaNThatWasGivenIsSaidToBe) {
  Finished run(Entry(R"(
  x = f32[2] constant({1, nan})
  ROOT o = f32[2] negate(x)
)"));
  EXPECT_THAT(run.Why("o", 1), HasSubstr("the NaN comes with %x[1]"));
}

TEST(WhyTest, AThousandOperationsInUnderASecond) {
  std::string body = "  v0 = f32[4] parameter(0)\n  w = f32[4] parameter(1)\n";
  for (int k = 1; k <= 2000; ++k) {
    absl::StrAppend(&body, "  v", k, k % 3 == 0 ? absl::StrCat(" = f32[4] reverse(v", k - 1, "), dimensions={0}\n") : k % 3 == 1 ? absl::StrCat(" = f32[4] add(v", k - 1, ", w)\n") : absl::StrCat(" = f32[4] sine(v", k - 1, ")\n"));
  }
  absl::StrAppend(&body, "  ROOT out = f32[4] copy(v2000)\n");
  Finished run(Entry(body));
  const auto begin = std::chrono::steady_clock::now();
  WhyOptions options;
  options.depth = -1;
  ElementReader reader(*run.machine, 1 << 28);
  absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("out", 1), options);
  ASSERT_TRUE(slice.ok());
  EXPECT_GT(slice->nodes.size(), 1300u);
  absl::StatusOr<Influence> influence = BuildInfluence(reader, *run.machine, run.Place("v0", 1));
  ASSERT_TRUE(influence.ok());
  EXPECT_TRUE(influence->reaches_result);
  EXPECT_EQ(influence->nodes.back().set.count(), 1);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(seconds, 4.0);  // generous: machines are shared
  RecordProperty("seconds", absl::StrCat(seconds));
}

constexpr char kCounting[] = R"(HloModule t
body {
  p = (s32[], f32[2], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[2] get-tuple-element(p), index=1
  w = f32[1000] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  half = f32[] constant(0.5)
  halves = f32[2] broadcast(half), dimensions={}
  m = f32[2] multiply(v, halves)
  a = f32[2] add(m, halves)
  s = f32[1] slice(a), slice={[0:1]}
  u = f32[1000] dynamic-update-slice(w, s, i)
  ROOT carry = (s32[], f32[2], f32[1000]) tuple(next, a, u)
}
condition {
  p = (s32[], f32[2], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant(1000)
  ROOT less = pred[] compare(i, limit), direction=LT
}
ENTRY main {
  x = f32[2] parameter(0)
  z = f32[1000] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[2], f32[1000]) tuple(zero, x, z)
  loop = (s32[], f32[2], f32[1000]) while(init), condition=condition, body=body
  v = f32[2] get-tuple-element(loop), index=1
  ROOT w = f32[1000] get-tuple-element(loop), index=2
}
)";

TEST(WhyTest, ThroughAThousandIterations) {
  Finished run(kCounting);
  ElementReader reader(*run.machine, 1 << 28);
  WhyOptions options;
  options.depth = -1;
  // Written in iteration 17 and carried to the end: one hop.
  absl::StatusOr<Slice> stored = BuildWhy(reader, run.Place("w", 17), WhyOptions{.depth = 1});
  ASSERT_TRUE(stored.ok()) << stored.status().message();
  ASSERT_EQ(stored->nodes[0].edges.size(), 1u);
  const SliceEdge& edge = stored->nodes[0].edges[0];
  EXPECT_EQ(stored->nodes[edge.to].place.instruction->name, "a");
  EXPECT_EQ(reader.history().place(stored->nodes[edge.to].place.frame).iteration, 17);
  EXPECT_EQ(edge.iterations_first, 999);
  EXPECT_EQ(edge.iterations_last, 17);
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("v", 1), options);
  ASSERT_TRUE(slice.ok()) << slice.status().message();
  EXPECT_GT(slice->nodes.size(), 2000u);
  EXPECT_TRUE(std::any_of(slice->nodes.begin(), slice->nodes.end(), [](const SliceNode& n) { return n.kind == SliceNode::kParameter && n.place.linear == 1; }));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 4.0);
}

TEST(WhyTest, LittleMemoryGivesTheSameSlice) {
  Finished run(kCounting);
  std::string texts[2];
  for (int k = 0; k < 2; ++k) {
    ElementReader reader(*run.machine, k == 0 ? int64_t{1} << 28 : 20000);  // a few carried values
    absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("v", 0), WhyOptions{.depth = 60});
    ASSERT_TRUE(slice.ok());
    texts[k] = SliceText(*run.module, reader.history(), *slice, {.lines = 0});
  }
  EXPECT_EQ(texts[0], texts[1]);
}

// Earlier iterations are made again from moments of the run where there are any, near or far, and from its beginning where there are none.
TEST(WhyTest, MomentsOfTheRunGiveTheSameSlice) {
  Finished run(kCounting);
  ASSERT_TRUE(run.machine->Start(run.parameters).ok());
  Timeline timeline(*run.machine, {.interval_seconds = 0});
  ASSERT_EQ(run.machine->Run(), StopReason::kFinished);
  ASSERT_GT(timeline.moments().size(), 100u);
  std::vector<std::string> texts;
  for (const size_t step : {size_t{0}, size_t{1}, size_t{37}}) {
    FrameHistory::Past past;
    for (size_t k = 0; step > 0 && k < timeline.moments().size(); k += step) past.push_back(timeline.moments()[k].snapshot);
    for (const int64_t budget : {int64_t{1} << 28, int64_t{20000}}) {
      ElementReader reader(*run.machine, budget, past);
      absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("v", 0), WhyOptions{.depth = 60});
      ASSERT_TRUE(slice.ok()) << slice.status().message();
      texts.push_back(SliceText(*run.module, reader.history(), *slice, {.lines = 0}));
    }
  }
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

TEST(InfluenceTest, OverAThousandIterations) {
  Finished run(kCounting);
  ElementReader reader(*run.machine, 1 << 28);
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<Influence> influence = BuildInfluence(reader, *run.machine, run.Place("x", 0));
  ASSERT_TRUE(influence.ok()) << influence.status().message();
  EXPECT_TRUE(influence->reaches_result);
  EXPECT_EQ(influence->nodes.back().set.count(), 1000);
  absl::StatusOr<Influence> other = BuildInfluence(reader, *run.machine, run.Place("x", 1));
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE(other->reaches_result);  // the second element is never stored
  absl::StatusOr<Influence> overwritten = BuildInfluence(reader, *run.machine, run.Place("z", 5));
  ASSERT_TRUE(overwritten.ok());
  EXPECT_FALSE(overwritten->reaches_result);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 8.0);
}

// Iterations that are taken together may be said to reach more, never less, and say so.
TEST(InfluenceTest, IterationsTakenTogetherLeaveNothingOut) {
  Finished run(kCounting);
  for (const Instruction* start : run.module->entry->schedule) {
    if (!start->shape.IsArray() || start->parent->root == start) continue;
    const absl::string_view name = start->name;
    for (int64_t element = 0; element < std::min<int64_t>(start->shape.ElementCount(), 3); ++element) {
      ElementReader exact_reader(*run.machine, 1 << 28), reader(*run.machine, 1 << 28);
      absl::StatusOr<Influence> exact = BuildInfluence(exact_reader, *run.machine, run.Place(name, element));
      absl::StatusOr<Influence> together = BuildInfluence(reader, *run.machine, run.Place(name, element), 1);
      ASSERT_TRUE(exact.ok() && together.ok());
      std::map<std::pair<const Instruction*, int>, const InfluenceNode*> found;
      for (const InfluenceNode& node : together->nodes) found[{node.instruction, node.leaf}] = &node;
      for (const InfluenceNode& node : exact->nodes) {
        const auto at = found.find({node.instruction, node.leaf});
        ASSERT_NE(at, found.end()) << node.instruction->name;
        for (const ElementSet::Run& part : node.set.runs()) {
          for (int64_t e = part.begin; e < part.end; ++e) EXPECT_TRUE(at->second->set.Contains(e)) << node.instruction->name << " " << e;
        }
        if (at->second->set.exact) EXPECT_EQ(at->second->set.count(), node.set.count()) << node.instruction->name;
      }
      EXPECT_EQ(together->reaches_result || !exact->reaches_result, true);
    }
  }
}

TEST(InfluenceTest, LargeResultsTakeNoWalkOverTheirElements) {
  Finished run(Entry(R"(
  x = f32[128,128] parameter(0)
  t = f32[128,128] transpose(x), dimensions={1,0}
  d = f32[128,128] dot(t, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[8,128,128] broadcast(t), dimensions={1,2}
  r = f32[4,2,128,128] reshape(b)
  s = f32[128,128] slice(x), slice={[0:128], [0:128]}
  ROOT o = (f32[128,128], f32[4,2,128,128]) tuple(s, r)
)"));
  ElementReader reader(*run.machine, 1 << 28);
  absl::StatusOr<Influence> influence = BuildInfluence(reader, *run.machine, run.Place("x", 128 * 3 + 7));
  ASSERT_TRUE(influence.ok());
  std::map<std::string, int64_t> counts;
  for (const InfluenceNode& node : influence->nodes) {
    EXPECT_TRUE(node.set.exact) << node.instruction->name;
    counts[std::string(node.instruction->name)] = node.set.count();
  }
  EXPECT_EQ(counts["t"], 1);
  EXPECT_EQ(counts["d"], 128 + 128 - 1);
  EXPECT_EQ(counts["b"], 8);
  EXPECT_EQ(counts["r"], 8);
}

TEST(ElementSetTest, RunsBoxesAndRemovals) {
  const Shape shape = Shape::Array(ElementType::kF32, {4, 5});
  ElementSet set(shape);
  set.AddBox({1, 1}, {2, 3});
  EXPECT_EQ(set.count(), 6);
  ASSERT_EQ(set.Boxes().size(), 1u);
  EXPECT_THAT(set.Boxes()[0].low, ElementsAre(1, 1));
  EXPECT_THAT(set.Boxes()[0].high, ElementsAre(2, 3));
  EXPECT_EQ(Describe(set, shape), "6 of 20, [1,1] to [2,3]");
  set.Remove(6);
  EXPECT_EQ(set.count(), 5);
  EXPECT_FALSE(set.Contains(6));
  EXPECT_TRUE(set.Contains(7));
  EXPECT_EQ(Describe(ElementSet::All(shape), shape), "all 20");
  set.Add(0, 20);
  EXPECT_EQ(set.Boxes().size(), 1u);
}

TEST(ElementSetTest, BoxesAndBoundsCoverWhatIsInRandomSets) {
  std::mt19937_64 random(7);
  const std::vector<std::vector<int64_t>> dims = {{12}, {6, 4}, {3, 4, 5}, {2, 3, 2, 4}};
  for (int round = 0; round < 400; ++round) {
    const Shape shape = Shape::Array(ElementType::kF32, dims[round % dims.size()]);
    ElementSet set(shape);
    std::set<int64_t> in;
    for (int k = 0; k < 6; ++k) {
      std::vector<int64_t> low, high;
      for (int64_t extent : shape.dimensions()) {
        low.push_back(static_cast<int64_t>(random() % extent));
        high.push_back(low.back() + static_cast<int64_t>(random() % (extent - low.back())));
        if (random() % 3 == 0) high.back() = low.back();
      }
      set.AddBox(low, high);
      for (int64_t e = 0; e < shape.ElementCount(); ++e) {
        const std::vector<int64_t> at = IndexOfPlace(shape, e);
        bool inside = true;
        for (size_t d = 0; d < at.size(); ++d) inside = inside && low[d] <= at[d] && at[d] <= high[d];
        if (inside) in.insert(e);
      }
      ASSERT_EQ(set.count(), static_cast<int64_t>(in.size()));
      std::set<int64_t> boxed;
      ElementSet::Box bounds;
      for (int64_t e = 0; e < shape.ElementCount(); ++e) {
        const std::vector<int64_t> at = IndexOfPlace(shape, e);
        for (const ElementSet::Box& box : set.Boxes()) {
          bool inside = true;
          for (size_t d = 0; d < at.size(); ++d) inside = inside && box.low[d] <= at[d] && at[d] <= box.high[d];
          if (inside) boxed.insert(e);
        }
        if (!in.contains(e)) continue;
        if (bounds.low.empty()) bounds = {at, at};
        for (size_t d = 0; d < at.size(); ++d) {
          bounds.low[d] = std::min(bounds.low[d], at[d]);
          bounds.high[d] = std::max(bounds.high[d], at[d]);
        }
      }
      EXPECT_EQ(boxed, in);
      EXPECT_EQ(set.Bounds().low, bounds.low);
      EXPECT_EQ(set.Bounds().high, bounds.high);
    }
  }
}

}  // namespace
}  // namespace hloscope
