// Constants and operations that move elements. Written for this project.
func.func @moving() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %t, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  %r = stablehlo.reshape %x : (tensor<2x3xi32>) -> tensor<6xi32>
  check.expect_eq_const %r, dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %v = stablehlo.reverse %x, dims = [1] : tensor<2x3xi32>
  check.expect_eq_const %v, dense<[[3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>
  %s = stablehlo.slice %x [0:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %s, dense<[[1, 3], [4, 6]]> : tensor<2x2xi32>
  %c = stablehlo.concatenate %x, %v, dim = 0 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
  check.expect_eq_const %c, dense<[[1, 2, 3], [4, 5, 6], [3, 2, 1], [6, 5, 4]]> : tensor<4x3xi32>
  %column = stablehlo.constant dense<[[10], [20]]> : tensor<2x1xi32>
  %b = stablehlo.broadcast_in_dim %column, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %b, dense<[[10, 10, 10], [20, 20, 20]]> : tensor<2x3xi32>
  %front = "stablehlo.broadcast"(%column) {broadcast_sizes = array<i64: 2>} : (tensor<2x1xi32>) -> tensor<2x2x1xi32>
  check.expect_eq_const %front, dense<[[[10], [20]], [[10], [20]]]> : tensor<2x2x1xi32>
  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
  check.expect_eq_const %i, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  func.return
}

func.func @padding() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.pad %x, %zero, low = [1], high = [-1], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  check.expect_eq_const %p, dense<[0, 1, 0, 2, 0]> : tensor<5xi32>
  func.return
}

func.func @dynamic_places() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]> : tensor<4x3xi32>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %s = stablehlo.dynamic_slice %x, %two, %one, sizes = [2, 2] : (tensor<4x3xi32>, tensor<i64>, tensor<i64>) -> tensor<2x2xi32>
  check.expect_eq_const %s, dense<[[7, 8], [10, 11]]> : tensor<2x2xi32>
  %u = stablehlo.constant dense<[[12, 13]]> : tensor<1x2xi32>
  %d = stablehlo.dynamic_update_slice %x, %u, %one, %one : (tensor<4x3xi32>, tensor<1x2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x3xi32>
  check.expect_eq_const %d, dense<[[0, 1, 2], [3, 12, 13], [6, 7, 8], [9, 10, 11]]> : tensor<4x3xi32>
  func.return
}

func.func @gathering() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %rows = stablehlo.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %g = "stablehlo.gather"(%x, %rows) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>, indices_are_sorted = false} : (tensor<3x2xi32>, tensor<2x1xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %g, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %dynamic = "stablehlo.dynamic_gather"(%x, %rows, %sizes) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} :
    (tensor<3x2xi32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %dynamic, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
  %columns = stablehlo.constant dense<[[1], [0], [1]]> : tensor<3x1xi64>
  %batched = "stablehlo.gather"(%x, %columns) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>} : (tensor<3x2xi32>, tensor<3x1xi64>) -> tensor<3xi32>
  check.expect_eq_const %batched, dense<[2, 3, 6]> : tensor<3xi32>
  %index = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %selected = "stablehlo.torch_index_select"(%x, %index) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<3x2xi32>, tensor<2xi64>) -> tensor<3x2xi32>
  check.expect_eq_const %selected, dense<[[2, 1], [4, 3], [6, 5]]> : tensor<3x2xi32>
  func.return
}

func.func @tuples_and_barriers() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %t = stablehlo.tuple %a, %b : tuple<tensor<2xi32>, tensor<f32>>
  %first = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xi32>, tensor<f32>>) -> tensor<2xi32>
  check.expect_eq %first, %a : tensor<2xi32>
  %k:2 = stablehlo.optimization_barrier %a, %b : tensor<2xi32>, tensor<f32>
  check.expect_eq %k#1, %b : tensor<f32>
  %alone = stablehlo.optimization_barrier %a : tensor<2xi32>
  check.expect_eq %alone, %a : tensor<2xi32>
  func.return
}

func.func @constants() {
  %splat = stablehlo.constant dense<2> : tensor<2x2xi32>
  check.expect_eq_const %splat, dense<[[2, 2], [2, 2]]> : tensor<2x2xi32>
  %hex = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
  check.expect_eq_const %hex, dense<[1.0, 2.0]> : tensor<2xf32>
  %wide = arith.constant dense<[1, 2]> : tensor<2xi64>
  check.expect_eq_const %wide, dense<[1, 2]> : tensor<2xi64>
  %narrow = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
  check.expect_eq_const %narrow, dense<[-8, 7]> : tensor<2xi4>
  %size = stablehlo.get_dimension_size %splat, dim = 1 : (tensor<2x2xi32>) -> tensor<i32>
  check.expect_eq_const %size, dense<2> : tensor<i32>
  func.return
}
