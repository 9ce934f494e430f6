module @two {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %both = stablehlo.add %x, %x : tensor<4xf32>
    %more = call @twice(%both) : (tensor<4xf32>) -> tensor<4xf32>
    return %more : tensor<4xf32>
  }
  func.func private @twice(%y: tensor<4xf32>) -> tensor<4xf32> {
    %both = stablehlo.add %y, %y : tensor<4xf32>
    return %both : tensor<4xf32>
  }
}
