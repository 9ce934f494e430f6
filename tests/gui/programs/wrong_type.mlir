func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %t = "stablehlo.transpose"(%x) {permutaton = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %s = stablehlo.add %t, %t : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %u = stablehlo.add %t, %t : tensor<2x2xf32>
  return %u : tensor<3x2xf32>
}
