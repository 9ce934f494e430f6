// Elementwise operations, one function each. Written for this project.
func.func @arithmetic() {
  %a = stablehlo.constant dense<[7, -7, 5, 0]> : tensor<4xi32>
  %b = stablehlo.constant dense<[2, 2, 0, 3]> : tensor<4xi32>
  %add = stablehlo.add %a, %b : tensor<4xi32>
  check.expect_eq_const %add, dense<[9, -5, 5, 3]> : tensor<4xi32>
  %sub = stablehlo.subtract %a, %b : tensor<4xi32>
  check.expect_eq_const %sub, dense<[5, -9, 5, -3]> : tensor<4xi32>
  %mul = stablehlo.multiply %a, %b : tensor<4xi32>
  check.expect_eq_const %mul, dense<[14, -14, 0, 0]> : tensor<4xi32>
  %div = stablehlo.divide %a, %b : tensor<4xi32>
  check.expect_eq_const %div, dense<[3, -3, -1, 0]> : tensor<4xi32>
  %rem = stablehlo.remainder %a, %b : tensor<4xi32>
  check.expect_eq_const %rem, dense<[1, -1, 5, 0]> : tensor<4xi32>
  %max = stablehlo.maximum %a, %b : tensor<4xi32>
  check.expect_eq_const %max, dense<[7, 2, 5, 3]> : tensor<4xi32>
  %min = stablehlo.minimum %a, %b : tensor<4xi32>
  check.expect_eq_const %min, dense<[2, -7, 0, 0]> : tensor<4xi32>
  %pow = stablehlo.power %b, %b : tensor<4xi32>
  check.expect_eq_const %pow, dense<[4, 4, 1, 27]> : tensor<4xi32>
  %neg = stablehlo.negate %a : tensor<4xi32>
  check.expect_eq_const %neg, dense<[-7, 7, -5, 0]> : tensor<4xi32>
  %abs = stablehlo.abs %a : tensor<4xi32>
  check.expect_eq_const %abs, dense<[7, 7, 5, 0]> : tensor<4xi32>
  %sign = stablehlo.sign %a : tensor<4xi32>
  check.expect_eq_const %sign, dense<[1, -1, 1, 0]> : tensor<4xi32>
  func.return
}

func.func @bits() {
  %a = stablehlo.constant dense<[12, 255, 1]> : tensor<3xui8>
  %b = stablehlo.constant dense<[10, 1, 9]> : tensor<3xui8>
  %and = stablehlo.and %a, %b : tensor<3xui8>
  check.expect_eq_const %and, dense<[8, 1, 1]> : tensor<3xui8>
  %or = stablehlo.or %a, %b : tensor<3xui8>
  check.expect_eq_const %or, dense<[14, 255, 9]> : tensor<3xui8>
  %xor = stablehlo.xor %a, %b : tensor<3xui8>
  check.expect_eq_const %xor, dense<[6, 254, 8]> : tensor<3xui8>
  %not = stablehlo.not %a : tensor<3xui8>
  check.expect_eq_const %not, dense<[243, 0, 254]> : tensor<3xui8>
  %left = stablehlo.shift_left %a, %b : tensor<3xui8>
  check.expect_eq_const %left, dense<[0, 254, 0]> : tensor<3xui8>
  %right = stablehlo.shift_right_logical %a, %b : tensor<3xui8>
  check.expect_eq_const %right, dense<[0, 127, 0]> : tensor<3xui8>
  %signed = stablehlo.constant dense<[-128, 64, -1]> : tensor<3xi8>
  %two = stablehlo.constant dense<[2, 2, 100]> : tensor<3xi8>
  %arithmetic = stablehlo.shift_right_arithmetic %signed, %two : tensor<3xi8>
  check.expect_eq_const %arithmetic, dense<[-32, 16, -1]> : tensor<3xi8>
  %count = stablehlo.popcnt %a : tensor<3xui8>
  check.expect_eq_const %count, dense<[2, 8, 1]> : tensor<3xui8>
  %zeros = stablehlo.count_leading_zeros %a : tensor<3xui8>
  check.expect_eq_const %zeros, dense<[4, 0, 7]> : tensor<3xui8>
  func.return
}

func.func @functions() {
  %x = stablehlo.constant dense<[0.5, 1.0, 2.0]> : tensor<3xf64>
  %exp = stablehlo.exponential %x : tensor<3xf64>
  check.expect_almost_eq_const %exp, dense<[1.6487212707001282, 2.7182818284590451, 7.3890560989306504]> : tensor<3xf64>
  %expm1 = stablehlo.exponential_minus_one %x : tensor<3xf64>
  check.expect_almost_eq_const %expm1, dense<[0.6487212707001282, 1.7182818284590451, 6.3890560989306504]> : tensor<3xf64>
  %log = stablehlo.log %x : tensor<3xf64>
  check.expect_almost_eq_const %log, dense<[-0.69314718055994529, 0.0, 0.69314718055994529]> : tensor<3xf64>
  %log1p = stablehlo.log_plus_one %x : tensor<3xf64>
  check.expect_almost_eq_const %log1p, dense<[0.40546510810816438, 0.69314718055994529, 1.0986122886681098]> : tensor<3xf64>
  %sqrt = stablehlo.sqrt %x : tensor<3xf64>
  check.expect_almost_eq_const %sqrt, dense<[0.70710678118654757, 1.0, 1.4142135623730951]> : tensor<3xf64>
  %rsqrt = stablehlo.rsqrt %x : tensor<3xf64>
  check.expect_almost_eq_const %rsqrt, dense<[1.4142135623730951, 1.0, 0.70710678118654757]> : tensor<3xf64>
  %cbrt = stablehlo.cbrt %x : tensor<3xf64>
  check.expect_almost_eq_const %cbrt, dense<[0.79370052598409979, 1.0, 1.2599210498948732]> : tensor<3xf64>
  %sine = stablehlo.sine %x : tensor<3xf64>
  check.expect_almost_eq_const %sine, dense<[0.47942553860420301, 0.8414709848078965, 0.90929742682568171]> : tensor<3xf64>
  %cosine = stablehlo.cosine %x : tensor<3xf64>
  check.expect_almost_eq_const %cosine, dense<[0.87758256189037276, 0.54030230586813977, -0.41614683654714241]> : tensor<3xf64>
  %tan = stablehlo.tan %x : tensor<3xf64>
  check.expect_almost_eq_const %tan, dense<[0.54630248984379048, 1.5574077246549023, -2.1850398632615189]> : tensor<3xf64>
  %tanh = stablehlo.tanh %x : tensor<3xf64>
  check.expect_almost_eq_const %tanh, dense<[0.46211715726000973, 0.76159415595576485, 0.9640275800758169]> : tensor<3xf64>
  %logistic = stablehlo.logistic %x : tensor<3xf64>
  check.expect_almost_eq_const %logistic, dense<[0.62245933120185459, 0.7310585786300049, 0.88079707797788231]> : tensor<3xf64>
  %one = stablehlo.constant dense<1.0> : tensor<3xf64>
  %atan2 = stablehlo.atan2 %x, %one : tensor<3xf64>
  check.expect_almost_eq_const %atan2, dense<[0.46364760900080609, 0.78539816339744828, 1.1071487177940904]> : tensor<3xf64>
  func.return
}

func.func @rounding() {
  %x = stablehlo.constant dense<[-2.5, -0.5, 0.5, 1.5, 2.25]> : tensor<5xf32>
  %ceil = stablehlo.ceil %x : tensor<5xf32>
  check.expect_eq_const %ceil, dense<[-2.0, -0.0, 1.0, 2.0, 3.0]> : tensor<5xf32>
  %floor = stablehlo.floor %x : tensor<5xf32>
  check.expect_eq_const %floor, dense<[-3.0, -1.0, 0.0, 1.0, 2.0]> : tensor<5xf32>
  %away = stablehlo.round_nearest_afz %x : tensor<5xf32>
  check.expect_eq_const %away, dense<[-3.0, -1.0, 1.0, 2.0, 2.0]> : tensor<5xf32>
  %even = stablehlo.round_nearest_even %x : tensor<5xf32>
  check.expect_eq_const %even, dense<[-2.0, -0.0, 0.0, 2.0, 2.0]> : tensor<5xf32>
  %reduced = stablehlo.reduce_precision %x, format = e5m1 : tensor<5xf32>
  check.expect_eq_const %reduced, dense<[-2.0, -0.5, 0.5, 1.5, 2.0]> : tensor<5xf32>
  func.return
}

func.func @comparisons() {
  %a = stablehlo.constant dense<[1.0, 0x7FC00000, 0.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[2.0, 0x7FC00000, -0.0]> : tensor<3xf32>
  %lt = stablehlo.compare LT, %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %lt, dense<[true, false, false]> : tensor<3xi1>
  %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %eq, dense<[false, false, true]> : tensor<3xi1>
  %total = stablehlo.compare GE, %a, %b, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %total, dense<[false, true, true]> : tensor<3xi1>
  %finite = stablehlo.is_finite %a : (tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %finite, dense<[true, false, true]> : tensor<3xi1>
  %select = stablehlo.select %lt, %a, %b : tensor<3xi1>, tensor<3xf32>
  check.expect_eq_const %select, dense<[1.0, 0x7FC00000, -0.0]> : tensor<3xf32>
  func.return
}

func.func @clamping() {
  %low = stablehlo.constant dense<0> : tensor<i32>
  %high = stablehlo.constant dense<6> : tensor<i32>
  %x = stablehlo.constant dense<[-1, 5, 9]> : tensor<3xi32>
  %clamped = stablehlo.clamp %low, %x, %high : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %clamped, dense<[0, 5, 6]> : tensor<3xi32>
  func.return
}

func.func @conversions() {
  %x = stablehlo.constant dense<[-1.5, 3.7, 300.0]> : tensor<3xf32>
  %integer = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi8>
  check.expect_eq_const %integer, dense<[-1, 3, 127]> : tensor<3xi8>
  %bits = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3x4xui8>
  %back = stablehlo.bitcast_convert %bits : (tensor<3x4xui8>) -> tensor<3xf32>
  check.expect_eq %back, %x : tensor<3xf32>
  %re = stablehlo.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %im = stablehlo.constant dense<[4.0, -1.0]> : tensor<2xf32>
  %z = stablehlo.complex %re, %im : tensor<2xcomplex<f32>>
  %abs = stablehlo.abs %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq_const %abs, dense<[5.0, 1.0]> : tensor<2xf32>
  %real = stablehlo.real %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq %real, %re : tensor<2xf32>
  %imag = stablehlo.imag %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq %imag, %im : tensor<2xf32>
  check.expect_eq_const %z, dense<[(3.0, 4.0), (0.0, -1.0)]> : tensor<2xcomplex<f32>>
  func.return
}

func.func @bits_of_predicates_and_complex_numbers() {
  %x = stablehlo.constant dense<5> : tensor<1xui8>
  %bits = stablehlo.bitcast_convert %x : (tensor<1xui8>) -> tensor<1x8xi1>
  check.expect_eq_const %bits, dense<[[true, false, true, false, false, false, false, false]]> : tensor<1x8xi1>
  %back = stablehlo.bitcast_convert %bits : (tensor<1x8xi1>) -> tensor<1xui8>
  check.expect_eq %back, %x : tensor<1xui8>
  %z = stablehlo.constant dense<[(1.5, -2.0), (1.5, 3.0)]> : tensor<2xcomplex<f64>>
  %halves = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f64>>) -> tensor<2x2xcomplex<f32>>
  %whole = stablehlo.bitcast_convert %halves : (tensor<2x2xcomplex<f32>>) -> tensor<2xcomplex<f64>>
  check.expect_eq %whole, %z : tensor<2xcomplex<f64>>
  %swapped = stablehlo.reverse %z, dims = [0] : tensor<2xcomplex<f64>>
  %least = stablehlo.minimum %z, %swapped : tensor<2xcomplex<f64>>
  check.expect_eq_const %least, dense<(1.5, -2.0)> : tensor<2xcomplex<f64>>
  %less = stablehlo.compare LE, %z, %swapped : (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>) -> tensor<2xi1>
  check.expect_eq_const %less, dense<[true, false]> : tensor<2xi1>
  %real = stablehlo.convert %z : (tensor<2xcomplex<f64>>) -> tensor<2xf32>
  check.expect_eq_const %real, dense<1.5> : tensor<2xf32>
  func.return
}
