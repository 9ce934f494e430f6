module {
  func.func @main() -> tensor<2x3x4xf32> {
    %a = stablehlo.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
    %b = stablehlo.broadcast_in_dim %a, dims = [2, 1] : (tensor<1x3xf32>) -> tensor<2x3x4xf32>
    %c = stablehlo.constant dense<[[10.0], [20.0], [30.0]]> : tensor<3x1xf32>
    %d = chlo.broadcast_add %c, %b : (tensor<3x1xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %d : tensor<2x3x4xf32>
  }
}
