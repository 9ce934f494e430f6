module @loop {
  func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x2xf32>) -> tensor<3x2xf32> {
    %start = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %five = stablehlo.constant dense<5> : tensor<i32>
    %end:2 = stablehlo.while(%i = %zero, %acc = %start) : tensor<i32>, tensor<3x2xf32>
      cond {
        %more = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %squares = stablehlo.multiply %acc, %acc : tensor<3x2xf32>
        stablehlo.return %next, %squares : tensor<i32>, tensor<3x2xf32>
      }
    return %end#1 : tensor<3x2xf32>
  }
}
