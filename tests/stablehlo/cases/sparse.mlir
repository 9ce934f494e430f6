// sparse<indices, values>: what is not named is zero.
func.func @sparse_constants() {
  %a = stablehlo.constant sparse<[[0, 0], [1, 1]], [1.0, 2.0]> : tensor<2x2xf32>
  check.expect_eq_const %a, dense<[[1.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant sparse<[[0, 1], [1, 0]], 5> : tensor<2x2xi32>
  check.expect_eq_const %b, dense<[[0, 5], [5, 0]]> : tensor<2x2xi32>
  %c = stablehlo.constant sparse<1, 7> : tensor<3xi32>
  check.expect_eq_const %c, dense<[0, 7, 0]> : tensor<3xi32>
  %d = stablehlo.constant sparse<> : tensor<3xi32>
  check.expect_eq_const %d, dense<0> : tensor<3xi32>
  %e = stablehlo.constant sparse<[], []> : tensor<3xi32>
  check.expect_eq_const %e, dense<0> : tensor<3xi32>
  %f = stablehlo.constant sparse<[[2]], [(1.0, 2.0)]> : tensor<3xcomplex<f32>>
  check.expect_eq_const %f, dense<[(0.0,0.0), (0.0,0.0), (1.0,2.0)]> : tensor<3xcomplex<f32>>
  return
}
