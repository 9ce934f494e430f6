// CHLO operations. Written for this project; the numbers are those of the functions.
func.func @trigonometry() {
  %x_asin = stablehlo.constant dense<[0.0, 0.5, -0.75]> : tensor<3xf64>
  %y_asin = chlo.asin %x_asin : tensor<3xf64> -> tensor<3xf64>
  %e_asin = stablehlo.constant dense<[0.0, 0.5235987755982989, -0.848062078981481]> : tensor<3xf64>
  check.expect_close %y_asin, %e_asin, max_ulp_difference = 4 : tensor<3xf64>, tensor<3xf64>
  %x_acos = stablehlo.constant dense<[0.0, 0.5, -0.75]> : tensor<3xf64>
  %y_acos = chlo.acos %x_acos : tensor<3xf64> -> tensor<3xf64>
  %e_acos = stablehlo.constant dense<[1.5707963267948966, 1.0471975511965979, 2.4188584057763776]> : tensor<3xf64>
  check.expect_close %y_acos, %e_acos, max_ulp_difference = 4 : tensor<3xf64>, tensor<3xf64>
  %x_atan = stablehlo.constant dense<[0.0, 0.5, -3.0]> : tensor<3xf64>
  %y_atan = chlo.atan %x_atan : tensor<3xf64> -> tensor<3xf64>
  %e_atan = stablehlo.constant dense<[0.0, 0.4636476090008061, -1.2490457723982544]> : tensor<3xf64>
  check.expect_close %y_atan, %e_atan, max_ulp_difference = 4 : tensor<3xf64>, tensor<3xf64>
  %x_asinh = stablehlo.constant dense<[0.0, 0.5, -3.0]> : tensor<3xf64>
  %y_asinh = chlo.asinh %x_asinh : tensor<3xf64> -> tensor<3xf64>
  %e_asinh = stablehlo.constant dense<[0.0, 0.48121182505960347, -1.8184464592320668]> : tensor<3xf64>
  check.expect_close %y_asinh, %e_asinh, max_ulp_difference = 4 : tensor<3xf64>, tensor<3xf64>
  %x_acosh = stablehlo.constant dense<[1.0, 1.5, 30.0]> : tensor<3xf64>
  %y_acosh = chlo.acosh %x_acosh : tensor<3xf64> -> tensor<3xf64>
  %e_acosh = stablehlo.constant dense<[0.0, 0.9624236501192069, 4.0940666686320855]> : tensor<3xf64>
  check.expect_close %y_acosh, %e_acosh, max_ulp_difference = 4 : tensor<3xf64>, tensor<3xf64>
  %x_atanh = stablehlo.constant dense<[0.0, 0.5, -0.9]> : tensor<3xf64>
  %y_atanh = chlo.atanh %x_atanh : tensor<3xf64> -> tensor<3xf64>
  %e_atanh = stablehlo.constant dense<[0.0, 0.5493061443340548, -1.4722194895832204]> : tensor<3xf64>
  check.expect_close %y_atanh, %e_atanh, max_ulp_difference = 4 : tensor<3xf64>, tensor<3xf64>
  %x_sinh = stablehlo.constant dense<[0.0, 0.5, -3.0]> : tensor<3xf64>
  %y_sinh = chlo.sinh %x_sinh : tensor<3xf64> -> tensor<3xf64>
  %e_sinh = stablehlo.constant dense<[0.0, 0.5210953054937474, -10.017874927409903]> : tensor<3xf64>
  check.expect_close %y_sinh, %e_sinh, max_ulp_difference = 4 : tensor<3xf64>, tensor<3xf64>
  %x_cosh = stablehlo.constant dense<[0.0, 0.5, -3.0]> : tensor<3xf64>
  %y_cosh = chlo.cosh %x_cosh : tensor<3xf64> -> tensor<3xf64>
  %e_cosh = stablehlo.constant dense<[1.0, 1.1276259652063807, 10.067661995777765]> : tensor<3xf64>
  check.expect_close %y_cosh, %e_cosh, max_ulp_difference = 4 : tensor<3xf64>, tensor<3xf64>
  %x_tan = stablehlo.constant dense<[0.0, 0.5, -3.0]> : tensor<3xf64>
  %y_tan = chlo.tan %x_tan : tensor<3xf64> -> tensor<3xf64>
  %e_tan = stablehlo.constant dense<[0.0, 0.5463024898437905, 0.1425465430742778]> : tensor<3xf64>
  check.expect_close %y_tan, %e_tan, max_ulp_difference = 4 : tensor<3xf64>, tensor<3xf64>
  func.return
}

func.func @error_and_gamma() {
  %x_erf = stablehlo.constant dense<[0.0, 0.25, -0.9, 2.5]> : tensor<4xf64>
  %y_erf = chlo.erf %x_erf : tensor<4xf64> -> tensor<4xf64>
  %e_erf = stablehlo.constant dense<[0.0, 0.2763263901682369, -0.7969082124228322, 0.999593047982555]> : tensor<4xf64>
  check.expect_close %y_erf, %e_erf, max_ulp_difference = 4 : tensor<4xf64>, tensor<4xf64>
  %x_erfc = stablehlo.constant dense<[0.0, 0.25, -0.9, 2.5, 5.0, 9.5, 20.0]> : tensor<7xf64>
  %y_erfc = chlo.erfc %x_erfc : tensor<7xf64> -> tensor<7xf64>
  %e_erfc = stablehlo.constant dense<[1.0, 0.7236736098317631, 1.7969082124228322, 0.0004069520174449589, 1.5374597944280351e-12, 3.76921448565488e-41, 5.3958656116079005e-176]> : tensor<7xf64>
  check.expect_close %y_erfc, %e_erfc, max_ulp_difference = 8 : tensor<7xf64>, tensor<7xf64>
  %x_lgamma = stablehlo.constant dense<[0.75, 5.5, 30.25, -2.5]> : tensor<4xf64>
  %y_lgamma = chlo.lgamma %x_lgamma : tensor<4xf64> -> tensor<4xf64>
  %e_lgamma = stablehlo.constant dense<[0.203280951431295, 3.9578139676187165, 72.104204742008, -0.05624371649767457]> : tensor<4xf64>
  check.expect_close %y_lgamma, %e_lgamma, max_ulp_difference = 64 : tensor<4xf64>, tensor<4xf64>
  func.return
}

func.func @special() {
  %x_erf_inv = stablehlo.constant dense<[0.0, 0.5, -0.9, 0.999]> : tensor<4xf64>
  %y_erf_inv = chlo.erf_inv %x_erf_inv : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %y_erf_inv, dense<[-7.46761833343337e-60, 0.4769362762044699, -1.1630871536766745, 2.326753765513513]> : tensor<4xf64> {tolerance = 1.0e-6 : f64}
  %x_digamma = stablehlo.constant dense<[0.5, 1.0, 10.25, -1.5]> : tensor<4xf64>
  %y_digamma = chlo.digamma %x_digamma : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %y_digamma, dense<[-1.9635100260214213, -0.5772156649015314, 2.2777047906867236, 0.7031566406452453]> : tensor<4xf64> {tolerance = 1.0e-6 : f64}
  %x_bessel_i1e = stablehlo.constant dense<[0.0, 0.5, -3.0, 7.5, 30.0]> : tensor<5xf32>
  %y_bessel_i1e = chlo.bessel_i1e %x_bessel_i1e : tensor<5xf32> -> tensor<5xf32>
  check.expect_almost_eq_const %y_bessel_i1e, dense<[0.0, 0.1564208031848717, -0.19682671329730086, 0.13804121154855423, 0.07191633059864756]> : tensor<5xf32> {tolerance = 1.0e-6 : f64}
  func.return
}

func.func @two_arguments() {
  %x = stablehlo.constant dense<[2.0, 3.5, 1.5]> : tensor<3xf64>
  %q = stablehlo.constant dense<[1.0, 0.5, 4.0]> : tensor<3xf64>
  %z = chlo.zeta %x, %q : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %z, dense<[1.6449340668482293, 11.620804663441868, 1.0663718683623393]> : tensor<3xf64>
  %n = stablehlo.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf64>
  %p = chlo.polygamma %n, %x : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %p, dense<[0.42278433509846713, 0.3303577561002335, -0.8287966442343198]> : tensor<3xf64>
  func.return
}

func.func @classification() {
  %x = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.0]> : tensor<4xf32>
  %a = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %a, dense<[true, true, false, false]> : tensor<4xi1>
  %b = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %b, dense<[true, false, false, false]> : tensor<4xi1>
  %c = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %c, dense<[false, true, false, false]> : tensor<4xi1>
  func.return
}

func.func @neighbours() {
  %x = stablehlo.constant dense<[0.0, 1.0, 1.0, -1.0]> : tensor<4xf32>
  %y = stablehlo.constant dense<[1.0, 2.0, 0.0, -1.0]> : tensor<4xf32>
  %n = chlo.next_after %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  check.expect_eq_const %n, dense<[0x00000001, 0x3F800001, 0x3F7FFFFF, -1.0]> : tensor<4xf32>
  func.return
}

func.func @complex_numbers() {
  %z = stablehlo.constant dense<[(3.0, 4.0), (0.0, -1.0)]> : tensor<2xcomplex<f32>>
  %c = chlo.conj %z : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  check.expect_eq_const %c, dense<[(3.0, -4.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>
  %s = chlo.square %z : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  check.expect_eq_const %s, dense<[(-7.0, 24.0), (-1.0, 0.0)]> : tensor<2xcomplex<f32>>
  %x = stablehlo.real %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %r = chlo.square %x : tensor<2xf32> -> tensor<2xf32>
  check.expect_eq_const %r, dense<[9.0, 0.0]> : tensor<2xf32>
  %k = "chlo._asin_acos_kernel"(%z) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %kr = stablehlo.real %k : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %angle = stablehlo.atan2 %x, %kr : tensor<2xf32>
  %asin = chlo.asin %z : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %asin_r = stablehlo.real %asin : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_almost_eq %angle, %asin_r : tensor<2xf32>
  func.return
}

func.func @broadcasting() {
  %a = stablehlo.constant dense<[[7], [12]]> : tensor<2x1xi32>
  %b = stablehlo.constant dense<[2, 5, 3]> : tensor<3xi32>
  %row = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %add = chlo.broadcast_add %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %add, dense<[[9, 12, 10], [14, 17, 15]]> : tensor<2x3xi32>
  %subtract = chlo.broadcast_subtract %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %subtract, dense<[[5, 2, 4], [10, 7, 9]]> : tensor<2x3xi32>
  %multiply = chlo.broadcast_multiply %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %multiply, dense<[[14, 35, 21], [24, 60, 36]]> : tensor<2x3xi32>
  %divide = chlo.broadcast_divide %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %divide, dense<[[3, 1, 2], [6, 2, 4]]> : tensor<2x3xi32>
  %remainder = chlo.broadcast_remainder %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %remainder, dense<[[1, 2, 1], [0, 2, 0]]> : tensor<2x3xi32>
  %maximum = chlo.broadcast_maximum %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %maximum, dense<[[7, 7, 7], [12, 12, 12]]> : tensor<2x3xi32>
  %minimum = chlo.broadcast_minimum %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %minimum, dense<[[2, 5, 3], [2, 5, 3]]> : tensor<2x3xi32>
  %and = chlo.broadcast_and %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %and, dense<[[2, 5, 3], [0, 4, 0]]> : tensor<2x3xi32>
  %or = chlo.broadcast_or %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %or, dense<[[7, 7, 7], [14, 13, 15]]> : tensor<2x3xi32>
  %xor = chlo.broadcast_xor %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %xor, dense<[[5, 2, 4], [14, 9, 15]]> : tensor<2x3xi32>
  %power = chlo.broadcast_power %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %power, dense<[[49, 16807, 343], [144, 248832, 1728]]> : tensor<2x3xi32>
  %shift_left = chlo.broadcast_shift_left %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %shift_left, dense<[[28, 224, 56], [48, 384, 96]]> : tensor<2x3xi32>
  %shift_right_arithmetic = chlo.broadcast_shift_right_arithmetic %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %shift_right_arithmetic, dense<[[1, 0, 0], [3, 0, 1]]> : tensor<2x3xi32>
  %shift_right_logical = chlo.broadcast_shift_right_logical %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %shift_right_logical, dense<[[1, 0, 0], [3, 0, 1]]> : tensor<2x3xi32>
  %lt = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi1>
  check.expect_eq_const %lt, dense<false> : tensor<2x3xi1>
  %placed = "chlo.broadcast_add"(%row, %b) {broadcast_dimensions = array<i64: 0>} : (tensor<3x2xi32>, tensor<3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %placed, dense<[[3, 4], [8, 9], [8, 9]]> : tensor<3x2xi32>
  %p = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %sel = chlo.broadcast_select %p, %a, %b : (tensor<3xi1>, tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %sel, dense<[[7, 5, 7], [12, 5, 12]]> : tensor<2x3xi32>
  func.return
}

func.func @broadcasting_floats() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %c = chlo.broadcast_complex %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %c, dense<[(1.0, 1.0), (2.0, 1.0)]> : tensor<2xcomplex<f32>>
  %d = chlo.broadcast_atan2 %b, %a : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %d, dense<[0.78539816, 0.46364761]> : tensor<2xf32>
  %e = chlo.broadcast_next_after %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %e, dense<[1.0, 0x3FFFFFFF]> : tensor<2xf32>
  %x = stablehlo.constant dense<2.0> : tensor<f32>
  %z = chlo.broadcast_zeta %x, %a : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %z, dense<[1.6449340668482293, 0.6449340668482225]> : tensor<2xf32>
  %g = chlo.broadcast_polygamma %b, %a : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %g, dense<[1.6449340668482293, 0.6449340668482225]> : tensor<2xf32>
  func.return
}

func.func @others() {
  %x = stablehlo.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
  %v, %i = chlo.top_k(%x, k = 2) : tensor<3xf32> -> (tensor<2xf32>, tensor<2xi32>)
  check.expect_eq_const %v, dense<[3.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %i, dense<[0, 2]> : tensor<2xi32>
  %like = "chlo.constant_like"(%x) {value = 2.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %like, dense<2.5> : tensor<3xf32>
  %c = chlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %c, dense<[1, 2]> : tensor<2xi32>
  %m = stablehlo.constant dense<[1073741824, -5]> : tensor<2xi32>
  %eight = stablehlo.constant dense<8> : tensor<2xi32>
  %h = chlo.mulhi %m, %eight : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  check.expect_eq_const %h, dense<[2, -1]> : tensor<2xi32>
  %shape = stablehlo.constant dense<[3, 1]> : tensor<2xi64>
  %r = "chlo.dynamic_reshape"(%x, %shape) : (tensor<3xf32>, tensor<2xi64>) -> tensor<3x1xf32>
  check.expect_eq_const %r, dense<[[3.0], [1.0], [2.0]]> : tensor<3x1xf32>
  %t:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 1 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  check.expect_eq_const %t#0, dense<3.0> : tensor<1xf32>
  %f = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  %g = chlo.erf %x : tensor<3xf32> -> tensor<3xf32>
  check.expect_eq %f, %g : tensor<3xf32>
  func.return
}

func.func @ragged_product() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %b = stablehlo.constant dense<[[[1.0], [0.0]], [[0.0], [1.0]]]> : tensor<2x2x1xf32>
  %sizes = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %d = "chlo.ragged_dot"(%a, %b, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  check.expect_eq_const %d, dense<[[1.0], [3.0], [6.0]]> : tensor<3x1xf32>
  func.return
}
