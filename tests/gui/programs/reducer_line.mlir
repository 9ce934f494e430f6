func.func @main() -> tensor<3xi1> {
  %x = stablehlo.constant dense<[[1.0, 5.0], [7.0, 3.0], [2.0, 4.0]]> : tensor<3x2xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
  %t = stablehlo.constant dense<[6.0, 6.0, 6.0]> : tensor<3xf32>
  %p = stablehlo.compare GT, %0, %t : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %p : tensor<3xi1>
}
