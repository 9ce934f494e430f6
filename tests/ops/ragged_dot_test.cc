// ragged-dot: result shapes of its modes, and each requirement.
#include "tests/ops/running.h"

namespace hloscope {
namespace {

TEST(RaggedDot, Requirements) {
  const std::string x =
      "  l = f32[11,5] parameter(0)\n  r = f32[3,5,7] parameter(1)\n  g = s32[3] parameter(2)\n  m = f32[11,7] parameter(3)\n  t = "
      "(f32[3]) parameter(4)\n  q = f32[4,5,7] parameter(5)\n  f = f32[3] parameter(6)\n  ROOT o = ";
  const std::string dims = "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}";
  ExpectAccepted(x + "f32[11,7] ragged-dot(l, r, g), " + dims + ", rhs_group_dims={0}");
  ExpectAccepted(x + "f32[3,5,7] ragged-dot(l, m, g), lhs_contracting_dims={0}, rhs_contracting_dims={0}, lhs_ragged_dims={0}");
  ExpectError(x + "f32[11,7] ragged-dot(t, r, g), " + dims + ", rhs_group_dims={0}", "ragged-dot.operand-arrays");
  ExpectError(x + "f32[11,7] ragged-dot(l, r, f), " + dims + ", rhs_group_dims={0}", "ragged-dot.group-sizes");
  ExpectError(
      x + "f32[11,7] ragged-dot(l, r, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0,1}, rhs_group_dims={0}",
      "ragged-dot.ragged-dimension");
  ExpectError(x + "f32[11,7] ragged-dot(l, r, g), " + dims + ", rhs_group_dims={3}", "ragged-dot.dimensions");
  ExpectError(
      x + "f32[11,7] ragged-dot(l, r, g), lhs_contracting_dims={1}, rhs_contracting_dims={2}, lhs_ragged_dims={0}, rhs_group_dims={0}",
      "ragged-dot.sizes");
  ExpectError(x + "f32[11,7] ragged-dot(l, q, g), " + dims + ", rhs_group_dims={0}", "ragged-dot.group-dimension");
  ExpectError("l = f32[4,2] parameter(0)\nm = f32[4,3] parameter(1)\ng = s32[3] parameter(2)\nROOT r = f32[3,2] ragged-dot(l, m, g), "
              "lhs_contracting_dims={0}, rhs_contracting_dims={0}, lhs_ragged_dims={0}, rhs_group_dims={1}",
              "ragged-dot.group-dimension");
  ExpectError("l = f32[4,2] parameter(0)\nm = s32[4,3] parameter(1)\ng = s32[3] parameter(2)\nROOT r = f32[3,2,3] ragged-dot(l, m, g), "
              "lhs_contracting_dims={0}, rhs_contracting_dims={0}, lhs_ragged_dims={0}",
              "ragged-dot.element-types");
  ExpectError("l = f32[4,2] parameter(0)\nm = f32[4,3] parameter(1)\ng = s32[3] parameter(2)\nROOT r = s32[3,2,3] ragged-dot(l, m, g), "
              "lhs_contracting_dims={0}, rhs_contracting_dims={0}, lhs_ragged_dims={0}",
              "ragged-dot.result-type");
  ExpectError("l = f32[4,2] parameter(0)\nm = f32[4,3] parameter(1)\ng = s32[5,3] parameter(2)\nROOT r = f32[3,2,3] ragged-dot(l, m, g), "
              "lhs_contracting_dims={0}, rhs_contracting_dims={0}, lhs_ragged_dims={0}",
              "ragged-dot.group-sizes-dimensions");
}

}  // namespace
}  // namespace hloscope
