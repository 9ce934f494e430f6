// A place in a program where something is planted, and the text that plants it. For the programs of this folder.
#ifndef HLOSCOPE_TESTS_PLANTED_PLACE_H_
#define HLOSCOPE_TESTS_PLANTED_PLACE_H_

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"

namespace hloscope {

struct Where {
  std::string computation, instruction;
  std::string shape;  // as the text has it
  std::vector<int64_t> dims;
  std::string counter;    // of the loop whose body this is; empty: no loop, or none that can be counted
  int64_t first = 0;      // of the counter
  int64_t iterations = 0; // that ran
};

inline std::unique_ptr<Module> Read(const std::string& name, const std::string& text) {
  DiagnosticSink sink;
  auto source = std::make_shared<SourceText>(name, text);
  std::unique_ptr<Module> module = ReadHloText(source, sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.severity == Severity::kError) std::fprintf(stderr, "%s", Render(d, *source).c_str());
  }
  return sink.error_count() == 0 ? std::move(module) : nullptr;
}

// Lines of a computation, by the name it has.
class Text {
 public:
  explicit Text(const Module& module) {
    PrintOptions print;
    print.metadata = false;
    lines_ = absl::StrSplit(PrintHloText(module, print), '\n');
  }
  int Find(absl::string_view computation, absl::string_view instruction) const {
    bool inside = false;
    for (size_t k = 0; k < lines_.size(); ++k) {
      absl::string_view line = lines_[k];
      if (!line.empty() && line[0] != ' ' && line[0] != '}') {
        absl::ConsumePrefix(&line, "ENTRY ");
        absl::ConsumePrefix(&line, "%");
        inside = absl::ConsumePrefix(&line, computation) && (line.empty() || line[0] == ' ');
      }
      if (!inside) continue;
      line = absl::StripLeadingAsciiWhitespace(line);
      absl::ConsumePrefix(&line, "ROOT ");
      absl::ConsumePrefix(&line, "%");
      if (absl::ConsumePrefix(&line, instruction) && absl::StartsWith(line, " = ")) return static_cast<int>(k);
    }
    return -1;
  }
  // After line `at`, and after the counter's definition too, whatever the order of the text was.
  void Insert(const Where& where, int at, const std::vector<std::string>& add) {
    size_t after = at;
    if (!where.counter.empty()) after = std::max<size_t>(after, Find(where.computation, where.counter));
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(after) + 1, add.begin(), add.end());
  }
  std::vector<std::string> lines_;
};

inline std::string OfType(absl::string_view shape, absl::string_view type) { return absl::StrCat(type, shape.substr(shape.find('['))); }

// The counter of a loop's body: s32, a constant at first, one more each time.
inline void FindCounter(const Module& module, const Computation& body, Where& where) {
  for (const Computation* c : module.computations) {
    for (const Instruction* loop : c->schedule) {
      if (Def(*loop).control != ControlKind::kWhile || loop->Called(AttrId::kBody) != &body) continue;
      const Instruction* init = loop->operands[0];
      for (size_t k = 0; k < body.root->operands.size() && k < init->operands.size(); ++k) {
        const Instruction* next = body.root->operands[k];
        if (next->shape.ToString(false) != "s32[]" || Name(next->opcode) != "add" || init->operands[k]->literal == nullptr) continue;
        for (int side = 0; side < 2; ++side) {
          const Instruction* from = next->operands[side];
          const Instruction* one = next->operands[1 - side];
          if (Name(from->opcode) != "get-tuple-element" || from->Int(AttrId::kIndex) != static_cast<int64_t>(k) || one->literal == nullptr) continue;
          if (*one->literal->value.as<int32_t>() != 1) continue;
          where.counter = std::string(from->name);
          where.first = *init->operands[k]->literal->value.as<int32_t>();
          return;
        }
      }
    }
  }
}

// Lines that make a predicate which is true for one element in one iteration; its name. `broadcast` puts a filled array.
inline std::string PutMask(const Where& where, const std::vector<int64_t>& element, int64_t iteration, const std::function<void(const std::string&)>& put,
                           const std::function<void(const std::string& name, const std::string& type, const std::string& value)>& broadcast) {
  const std::string& shape = where.shape;
  broadcast("planted.mask", "pred", "true");
  std::string mask = "planted.mask";
  for (size_t d = 0; d < where.dims.size(); ++d) {
    const std::string n = absl::StrCat("planted.i", d);
    put(absl::StrCat(n, " = ", OfType(shape, "s32"), " iota(), iota_dimension=", d));
    broadcast(n + ".at", "s32", absl::StrCat(element[d]));
    put(absl::StrCat(n, ".is = ", OfType(shape, "pred"), " compare(", n, ", ", n, ".at), direction=EQ"));
    put(absl::StrCat(n, ".and = ", OfType(shape, "pred"), " and(", mask, ", ", n, ".is)"));
    mask = n + ".and";
  }
  if (!where.counter.empty()) {
    put(absl::StrCat("planted.k = s32[] constant(", where.first + iteration, ")"));
    put(absl::StrCat("planted.now = pred[] compare(", where.counter, ", planted.k), direction=EQ"));
    put(absl::StrCat("planted.nows = ", OfType(shape, "pred"), " broadcast(planted.now), dimensions={}"));
    put(absl::StrCat("planted.here = ", OfType(shape, "pred"), " and(", mask, ", planted.nows)"));
    mask = "planted.here";
  }
  return mask;
}

// Loops, a call, a branch, a fusion, elements that nobody reads, results that hide what is wrong, several types.
inline constexpr const char* kSmall[] = {
    R"(HloModule loops
halve {
  a = f32[6,5] parameter(0)
  h = f32[6,5] constant({{1,1,1,1,1},{1,1,1,1,1},{1,1,1,1,1},{1,1,1,1,1},{1,1,1,1,1},{1,1,1,1,1}})
  s = f32[6,5] add(a, h)
  ROOT m = f32[6,5] multiply(s, h)
}
body {
  t = (s32[], f32[6,5], bf16[40]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  v = f32[6,5] get-tuple-element(t), index=1
  b = bf16[40] get-tuple-element(t), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  th = f32[6,5] tanh(v)
  called = f32[6,5] call(th), to_apply=halve
  ex = f32[6,5] exponential(called)
  di = f32[6,5] divide(called, ex)
  sl = f32[4,3] slice(di), slice={[1:5], [1:4]}
  zero = f32[] constant(0)
  pd = f32[6,5] pad(sl, zero), padding=1_1x1_1
  lg = bf16[40] logistic(b)
  di2 = bf16[40] multiply(lg, b)
  ROOT r = (s32[], f32[6,5], bf16[40]) tuple(next, pd, di2)
}
cond {
  t = (s32[], f32[6,5], bf16[40]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(9)
  ROOT lt = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[6,5] parameter(0)
  y = bf16[40] parameter(1)
  c = s32[] constant(0)
  t = (s32[], f32[6,5], bf16[40]) tuple(c, x, y)
  w = (s32[], f32[6,5], bf16[40]) while(t), condition=cond, body=body
  o = f32[6,5] get-tuple-element(w), index=1
  ROOT q = f32[6,5] cosine(o)
})",
    R"(HloModule branches
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
f {
  a = f32[3,7] parameter(0)
  e = f32[3,7] exponential(a)
  ROOT n = f32[3,7] negate(e)
}
left {
  a = f32[3,7] parameter(0)
  ROOT s = f32[3,7] sine(a)
}
right {
  a = f32[3,7] parameter(0)
  c = f32[3,7] cosine(a)
  ROOT f = f32[3,7] fusion(c), kind=kLoop, calls=f
}
ENTRY main {
  x = f32[3,7] parameter(0)
  y = f32[7,4] parameter(1)
  yes = pred[] constant(false)
  b = f32[3,7] conditional(yes, x, x), true_computation=left, false_computation=right
  d = f32[3,4] dot(b, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[] constant(0)
  r = f32[3] reduce(d, z), dimensions={1}, to_apply=add
  rb = f32[3,4] broadcast(r), dimensions={0}
  p = pred[3,4] compare(d, rb), direction=GT
  g = f32[3,4] select(p, d, rb)
  h = f16[3,4] convert(g)
  hh = f16[3,4] multiply(h, h)
  k = f32[3,4] convert(hh)
  ix = s32[2,1] constant({{2},{0}})
  ga = f32[2,4] gather(k, ix), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
  i0 = s32[] constant(1)
  i1 = s32[] constant(0)
  u = f32[3,4] dynamic-update-slice(k, ga, i0, i1)
  tr = f32[4,3] transpose(u), dimensions={1,0}
  ROOT out = f32[4,3] abs(tr)
})"};

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_PLANTED_PLACE_H_
