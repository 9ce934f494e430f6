// Call, fusion, while, conditional: what they require of the computations they run. How they run: tests/exec.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

const char kComputations[] =
    "inc { x = s32[] parameter(0)\n one = s32[] constant(1)\n ROOT y = s32[] add(x, one) }\n"
    "twice { x = s32[] parameter(0)\n y = s32[] parameter(1)\n ROOT z = s32[] add(x, y) }\n"
    "float { x = f32[] parameter(0)\n ROOT y = f32[] negate(x) }\n"
    "tofloat { x = s32[] parameter(0)\n ROOT y = f32[] convert(x) }\n"
    "both { x = s32[] parameter(0)\n y = s32[] parameter(1)\n ROOT z = pred[] compare(x, y), direction=LT }\n"
    "toint { x = f32[] parameter(0)\n ROOT y = s32[] convert(x) }\n"
    "positive { x = s32[] parameter(0)\n zero = s32[] constant(0)\n ROOT y = pred[] compare(x, zero), direction=GT }\n";

std::string Main(const std::string& root) {
  return std::string(kComputations) + "ENTRY main {\nn = s32[] parameter(0)\nb = pred[] parameter(1)\nf = f32[] parameter(2)\nROOT r = " + root + "\n}\n";
}

TEST(Control, Accepted) {
  ExpectAccepted(Main("s32[] call(n), to_apply=inc"));
  ExpectAccepted(Main("s32[] call(n), to_apply=inc, is_composite=true"));
  ExpectAccepted(Main("s32[] fusion(n, n), kind=kLoop, calls=twice"));
  ExpectAccepted(Main("s32[] while(n), condition=positive, body=inc"));
  ExpectAccepted(Main("s32[] conditional(b, n, n), true_computation=inc, false_computation=inc"));
  ExpectAccepted(Main("s32[] conditional(n, n, n, n), branch_computations={inc, inc, inc}"));
  ExpectAccepted(Main("s32[] conditional(b, n, n), branch_computations={inc, inc}"));
}

TEST(Control, CallAndFusion) {
  ExpectError(Main("s32[] call(n), to_apply=twice"), "call.argument-count");
  ExpectError(Main("s32[] call(f), to_apply=inc"), "call.argument-type");
  ExpectError(Main("f32[] call(n), to_apply=inc"), "verify.shape-mismatch");
  ExpectError(Main("s32[] fusion(n), kind=kLoop, calls=twice"), "fusion.argument-count");
  ExpectError(Main("s32[] fusion(f), kind=kLoop, calls=inc"), "fusion.argument-type");
  ExpectError(Main("s32[] fusion(n), kind=kWild, calls=inc"), "fusion.kind");
}

TEST(Control, While) {
  ExpectError(Main("s32[] while(n), condition=both, body=inc"), "while.condition-parameters");
  ExpectError(Main("s32[] while(n), condition=positive, body=twice"), "while.body-parameters");
  ExpectError(Main("s32[] while(n), condition=positive, body=toint"), "while.body-type");
  ExpectError(Main("s32[] while(n), condition=inc, body=inc"), "while.condition-result");
  ExpectError(Main("s32[] while(n), condition=positive, body=tofloat"), "while.body-result");
  ExpectError(std::string(kComputations) + "yes { x = f32[] parameter(0)\n ROOT p = pred[] constant(true) }\nENTRY main {\nn = s32[] parameter(0)\n"
              "ROOT r = s32[] while(n), condition=yes, body=inc\n}\n", "while.condition-type");
}

TEST(Control, Conditional) {
  ExpectError(Main("s32[] conditional(f, n, n), branch_computations={inc, inc}"), "conditional.index");
  ExpectError(Main("s32[] conditional(b, n, n), true_computation=inc"), "conditional.branches");
  ExpectError(Main("s32[] conditional(n, n, n), true_computation=inc, false_computation=inc"), "conditional.pred");
  ExpectError(Main("s32[] conditional(b, n, n, n), branch_computations={inc, inc, inc}"), "conditional.branch-count");
  ExpectError(Main("s32[] conditional(b, n, n), true_computation=inc, false_computation=inc, branch_computations={inc, inc}"), "conditional.both-forms");
  ExpectError(Main("s32[] conditional(n, n), branch_computations={inc, inc}"), "conditional.operand-count");
  ExpectError(Main("s32[] conditional(n, n, n), branch_computations={inc, twice}"), "conditional.branch-parameters");
  ExpectError(Main("s32[] conditional(n, n, f), branch_computations={inc, inc}"), "conditional.branch-type");
  ExpectError(Main("s32[] conditional(n, n, n), branch_computations={inc, tofloat}"), "conditional.same-results");
}

}  // namespace
}  // namespace hloscope
