func.func @main() -> (tensor<4xi32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.constant dense<[9, 8, 7, 6]> : tensor<4xi32>
  %keys = stablehlo.constant dense<[3, 1, 4, 2]> : tensor<4xi32>
  %0:2 = "stablehlo.sort"(%keys, %a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>, %v: tensor<i32>, %w: tensor<i32>):
    %less = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  %i, %sum = stablehlo.while(%n = %zero, %s = %zero) : tensor<i32>, tensor<i32>
    cond {
      %five = stablehlo.constant dense<5> : tensor<i32>
      %more = stablehlo.compare LT, %n, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %n, %one : tensor<i32>
      %added = stablehlo.add %s, %n : tensor<i32>
      stablehlo.return %next, %added : tensor<i32>, tensor<i32>
    }
  %twice = stablehlo.add %0#0, %0#0 : tensor<4xi32>
  return %twice, %sum : tensor<4xi32>, tensor<i32>
}
