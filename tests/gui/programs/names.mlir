module @m {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<4xf32>
    %2 = stablehlo.log %1 : tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %3:2 = stablehlo.while(%i = %c, %x = %2) : tensor<i32>, tensor<4xf32>
    cond {
      %4 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %5 = stablehlo.add %i, %one : tensor<i32>
      %6 = stablehlo.multiply %x, %arg0 : tensor<4xf32>
      stablehlo.return %5, %6 : tensor<i32>, tensor<4xf32>
    }
    %7 = stablehlo.sqrt %3#1 : tensor<4xf32>
    return %7 : tensor<4xf32>
  }
}
