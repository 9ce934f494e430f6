// Squares, three times.
module @uneven{
func.func @main(%x:tensor<4xf32>)->tensor<4xf32>{
%zero=stablehlo.constant dense<0>:tensor<i32> // the count
   %five = stablehlo.constant dense<3> : tensor<i32>
%end:2 = stablehlo.while(%i = %zero, %acc = %x) : tensor<i32>, tensor<4xf32>
cond { %more = stablehlo.compare  LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %more : tensor<i1> } do {
%one = stablehlo.constant dense<1> : tensor<i32>
// on
%next = stablehlo.add %i, %one : tensor<i32>
%squares = stablehlo.multiply %acc, %acc : tensor<4xf32>
stablehlo.return %next, %squares : tensor<i32>, tensor<4xf32>
}
return %end#1 : tensor<4xf32>
}}
