#include "app/cli/bench_programs.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace hloscope::cli {
namespace {

constexpr absl::string_view kReducers = R"(
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
most { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
)";

constexpr absl::string_view kLoop = R"(HloModule loop
body {
  p = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[16] get-tuple-element(p), index=1
  one = s32[] constant(1)
  half = f32[] constant(0.5)
  halves = f32[16] broadcast(half), dimensions={}
  y = f32[16] multiply(x, halves)
  z = f32[16] add(y, halves)
  next = s32[] add(i, one)
  ROOT out = (s32[], f32[16]) tuple(next, z)
}
condition {
  p = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  most = s32[] constant(20000)
  ROOT go = pred[] compare(i, most), direction=LT
}
ENTRY main {
  x = f32[16] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[16]) tuple(zero, x)
  ROOT loop = (s32[], f32[16]) while(start), condition=condition, body=body
}
)";

// An entry computation with these lines; `header`: what follows the module's name.
BenchProgram Entry(absl::string_view name, absl::string_view lines, absl::string_view header = "") {
  return {std::string(name), absl::StrCat("HloModule ", name, header, "\n", kReducers, "ENTRY main {\n", lines, "\n}\n")};
}

}  // namespace

std::vector<BenchProgram> BenchPrograms() {
  return {
      Entry("dot", R"(a = f32[768,768] parameter(0)
        b = f32[768,768] parameter(1)
        ROOT c = f32[768,768] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})"),
      Entry("dot_bf16", R"(a = bf16[768,768] parameter(0)
        b = bf16[768,768] parameter(1)
        ROOT c = bf16[768,768] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})"),
      Entry("dots", R"(a = f32[24,96,64] parameter(0)
        b = f32[24,64,96] parameter(1)
        ROOT c = f32[24,96,96] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1})"),
      Entry("convolution", R"(x = f32[2,28,28,128] parameter(0)
        w = f32[3,3,128,128] parameter(1)
        ROOT y = f32[2,28,28,128] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f)"),
      Entry("pointwise", R"(x = f32[4194304] parameter(0)
        y = f32[4194304] parameter(1)
        t = f32[4194304] tanh(x)
        e = f32[4194304] exponential(y)
        p = f32[4194304] multiply(t, e)
        ROOT z = f32[4194304] add(p, x))"),
      Entry("softmax", R"(x = f32[2048,768] parameter(0)
        low = f32[] constant(-inf)
        m = f32[2048] reduce(x, low), dimensions={1}, to_apply=most
        mm = f32[2048,768] broadcast(m), dimensions={0}
        d = f32[2048,768] subtract(x, mm)
        e = f32[2048,768] exponential(d)
        zero = f32[] constant(0)
        s = f32[2048] reduce(e, zero), dimensions={1}, to_apply=sum
        ss = f32[2048,768] broadcast(s), dimensions={0}
        ROOT y = f32[2048,768] divide(e, ss))"),
      Entry("sum_rows", R"(x = f32[4096,2048] parameter(0)
        zero = f32[] constant(0)
        ROOT s = f32[4096] reduce(x, zero), dimensions={1}, to_apply=sum)"),
      Entry("sum_columns", R"(x = f32[4096,2048] parameter(0)
        zero = f32[] constant(0)
        ROOT s = f32[2048] reduce(x, zero), dimensions={0}, to_apply=sum)"),
      Entry("running_sums", R"(x = f32[2048,1024] parameter(0)
        zero = f32[] constant(0)
        ROOT s = f32[2048,1024] reduce-window(x, zero), window={size=1x1024 pad=0_0x1023_0}, to_apply=sum)"),
      Entry("transpose", R"(x = f32[2048,2048] parameter(0)
        ROOT t = f32[2048,2048] transpose(x), dimensions={1,0})"),
      Entry("gather", R"(x = f32[50000,128] parameter(0)
        i = s32[50000] parameter(1)
        ROOT r = f32[50000,128] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,128})"),
      Entry("scatter_in_place", R"(x = f32[50000,128] parameter(0)
        i = s32[50000] parameter(1)
        u = f32[50000,128] parameter(2)
        ROOT r = f32[50000,128] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum)",
            ", input_output_alias={ {}: (0, {}, may-alias) }"),
      Entry("sort", R"(x = f32[500000] parameter(0)
        ROOT s = f32[500000] sort(x), dimensions={0}, to_apply=less)"),
      {"loop", std::string(kLoop)},
  };
}

}  // namespace hloscope::cli
