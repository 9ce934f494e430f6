// Slices against brute force: on small programs every element of every value is set to something else in turn, and what changes is compared
// with what why says was read and influence says is reached.
#include <cstring>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "core/debug/influence.h"
#include "core/exec/frame_history.h"
#include "gtest/gtest.h"
#include "tests/debug/finished_run.h"

namespace hloscope {
namespace {

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

}  // namespace
}  // namespace hloscope
