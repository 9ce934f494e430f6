// Sizes that constants decide. Written for this project.
func.func @operands_hold_sizes() {
  %x = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6]]> : tensor<1x6xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %a = stablehlo.reshape %two : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.reshape %three : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r = stablehlo.dynamic_reshape %x, %shape : (tensor<1x6xi32>, tensor<2xi32>) -> tensor<?x?xi32>
  %s = stablehlo.add %r, %r : tensor<?x?xi32>
  %t = stablehlo.transpose %s, dims = [1, 0] : (tensor<?x?xi32>) -> tensor<?x?xi32>
  %s1_ = tensor.cast %t : tensor<?x?xi32> to tensor<3x2xi32>
  check.expect_eq_const %s1_, dense<[[2, 8], [4, 10], [6, 12]]> : tensor<3x2xi32>
  %n = stablehlo.get_dimension_size %t, dim = 0 : (tensor<?x?xi32>) -> tensor<i32>
  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %i = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %s2_ = tensor.cast %i : tensor<?xi32> to tensor<3xi32>
  check.expect_eq_const %s2_, dense<[0, 1, 2]> : tensor<3xi32>
  %shape2 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %w = stablehlo.dynamic_broadcast_in_dim %i, %shape2, dims = [0] : (tensor<?xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  %s3_ = tensor.cast %w : tensor<?x?xi32> to tensor<3x2xi32>
  check.expect_eq_const %s3_, dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi32>
  func.return
}
func.func @windows_and_padding() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %low = stablehlo.constant dense<1> : tensor<1xi64>
  %none = stablehlo.constant dense<0> : tensor<1xi64>
  %p = stablehlo.dynamic_pad %x, %zero, %low, %none, %none : (tensor<4xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  %s4_ = tensor.cast %p : tensor<?xi32> to tensor<5xi32>
  check.expect_eq_const %s4_, dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %limit = stablehlo.constant dense<4> : tensor<1xi64>
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %s = stablehlo.real_dynamic_slice %p, %low, %limit, %two : (tensor<?xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  %s5_ = tensor.cast %s : tensor<?xi32> to tensor<2xi32>
  check.expect_eq_const %s5_, dense<[1, 3]> : tensor<2xi32>
  func.return
}
// Called with sizes that differ: a computation for each.
func.func private @twice(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?x?xf32> {
  %one = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %other = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %one, %other, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %c = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%b, %shape) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  func.return %c : tensor<?x?xf32>
}
func.func @calls() {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<4.0> : tensor<1xf32>
  %a = func.call @twice(%two, %x) : (tensor<i32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %a, dense<[[1.0, 2.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %b = func.call @twice(%three, %y) : (tensor<i32>, tensor<1xf32>) -> tensor<3x1xf32>
  check.expect_eq_const %b, dense<4.0> : tensor<3x1xf32>
  func.return
}
func.func @other_dialects() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = arith.constant 1 : index
  %n = "tensor.dim"(%x, %one) : (tensor<2x3xi32>, index) -> index
  %twice = "arith.addi"(%n, %n) : (index, index) -> index
  %two = "arith.subi"(%n, %one) : (index, index) -> index
  %six = "arith.muli"(%two, %n) : (index, index) -> index
  %most = "arith.maxsi"(%six, %two) : (index, index) -> index
  %least = "arith.minsi"(%most, %twice) : (index, index) -> index
  %shape = "tensor.from_elements"(%least) : (index) -> tensor<1xindex>
  %flat = "stablehlo.dynamic_reshape"(%x, %shape) : (tensor<2x3xi32>, tensor<1xindex>) -> tensor<?xi32>
  %s6_ = tensor.cast %flat : tensor<?xi32> to tensor<6xi32>
  check.expect_eq_const %s6_, dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %sizes = "shape.shape_of"(%x) : (tensor<2x3xi32>) -> tensor<2xindex>
  %rows = "tensor.extract"(%sizes, %one) : (tensor<2xindex>, index) -> index
  %i = "arith.index_cast"(%rows) : (index) -> i64
  %v = "tensor.from_elements"(%i) : (i64) -> tensor<1xi64>
  check.expect_eq_const %v, dense<3> : tensor<1xi64>
  %same = "sdy.sharding_constraint"(%x) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %again = "sdy.reshard"(%same) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %barrier = "sdy.propagation_barrier"(%again) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  "sdy.sharding_group"(%barrier) : (tensor<2x3xi32>) -> ()
  %cast = "builtin.unrealized_conversion_cast"(%barrier) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq %cast, %x : tensor<2x3xi32>
  func.return
}

func.func @dynamic_calls() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %sizes = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %strides = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %ones = stablehlo.constant dense<1> : tensor<2xi64>
  %padding = stablehlo.constant dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, %sizes, %strides, %ones, %ones, %padding) {called_computations = [@window_sum]}
    : (tensor<3x2xi32>, tensor<i32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2x2xi64>) -> tensor<?x?xi32>
  %1 = tensor.cast %0 : tensor<?x?xi32> to tensor<2x2xi32>
  check.expect_eq_const %1, dense<[[1, 2], [8, 10]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[3, 1, 4, 1, 5]> : tensor<5xi32>
  %k = stablehlo.constant dense<2> : tensor<i64>
  %values, %places = stablehlo.custom_call @stablehlo.dynamic_top_k(%y, %k) : (tensor<5xi32>, tensor<i64>) -> (tensor<?xi32>, tensor<?xi32>)
  %v = tensor.cast %values : tensor<?xi32> to tensor<2xi32>
  %p = tensor.cast %places : tensor<?xi32> to tensor<2xi32>
  check.expect_eq_const %v, dense<[5, 4]> : tensor<2xi32>
  check.expect_eq_const %p, dense<[4, 2]> : tensor<2xi32>
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %three = stablehlo.constant dense<3> : tensor<1xi64>
  %s, %bits = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %three) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi64>) -> (tensor<2xui64>, tensor<?xui32>)
  %next, %same = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %b = tensor.cast %bits : tensor<?xui32> to tensor<3xui32>
  check.expect_eq %b, %same : tensor<3xui32>
  check.expect_eq %s, %next : tensor<2xui64>
  %wide = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %i = stablehlo.custom_call @stablehlo.dynamic_iota(%wide) {iota_dimension = 1 : i64} : (tensor<2xi64>) -> tensor<?x?xi32>
  %j = tensor.cast %i : tensor<?x?xi32> to tensor<2x3xi32>
  check.expect_eq_const %j, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  func.return
}

func.func private @window_sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %a, %b : tensor<i32>
  func.return %0 : tensor<i32>
}

// The size of a value that only a run knows stands in its type.
func.func @size_in_a_type() {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %x = stablehlo.optimization_barrier %c : tensor<4xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4xf32>) -> tensor<i32>
  %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.dynamic_broadcast_in_dim %two, %shape, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = tensor.cast %0 : tensor<?xf32> to tensor<4xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<4xf32>
  check.expect_almost_eq_const %2, dense<[2.0, 4.0, 6.0, 8.0]> : tensor<4xf32>
  func.return
}
