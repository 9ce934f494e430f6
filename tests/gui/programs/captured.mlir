module @m {
  func.func @main(%x: tensor<4x6xf32>, %i: tensor<3x1xi64>) -> (tensor<4x6xf32>, tensor<3x6xf32>, tensor<4xf32>) {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>, indices_are_sorted = false} : (tensor<4x6xf32>, tensor<3x1xi64>) -> tensor<3x6xf32>
    %n = stablehlo.constant dense<5> : tensor<i32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %2:2 = stablehlo.while(%k = %z, %v = %x) : tensor<i32>, tensor<4x6xf32>
      cond {
        %p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %k2 = stablehlo.add %k, %one : tensor<i32>
        %v2 = stablehlo.multiply %v, %v : tensor<4x6xf32>
        stablehlo.return %k2, %v2 : tensor<i32>, tensor<4x6xf32>
      }
    return %2#1, %1, %0 : tensor<4x6xf32>, tensor<3x6xf32>, tensor<4xf32>
  }
}
