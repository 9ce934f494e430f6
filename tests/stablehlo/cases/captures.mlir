// Computations of regions that use scalars which are computed outside of them: what the compiler cannot know is passed on. An optimization
// barrier keeps each of them from being folded to a constant.

func.func @map() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %c = stablehlo.constant dense<10> : tensor<i32>
  %k = stablehlo.optimization_barrier %c : tensor<i32>
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<i32>):
    %m = stablehlo.multiply %a, %k : tensor<i32>
    %s = stablehlo.add %m, %c : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[20, 30], [40, 50]]> : tensor<2x2xi32>
  func.return
}

func.func @reduce() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %c = stablehlo.constant dense<2> : tensor<i32>
  %k = stablehlo.optimization_barrier %c : tensor<i32>
  %p = stablehlo.constant dense<100> : tensor<i32>
  %q = stablehlo.optimization_barrier %p : tensor<i32>
  %0 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %d = stablehlo.multiply %a, %k : tensor<i32>
    %s = stablehlo.add %d, %b : tensor<i32>
    %l = stablehlo.minimum %s, %q : tensor<i32>
    stablehlo.return %l : tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[11, 32]> : tensor<2xi32>
  %1:2 = "stablehlo.reduce"(%x, %x, %z, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %e: tensor<i32>, %f: tensor<i32>):
    %s = stablehlo.add %a, %e : tensor<i32>
    %d = stablehlo.multiply %f, %k : tensor<i32>
    %t = stablehlo.add %b, %d : tensor<i32>
    stablehlo.return %s, %t : tensor<i32>, tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
  check.expect_eq_const %1#0, dense<[5, 7, 9]> : tensor<3xi32>
  check.expect_eq_const %1#1, dense<[10, 14, 18]> : tensor<3xi32>
  func.return
}

func.func @reduce_nothing() {
  %x = stablehlo.constant dense<> : tensor<0x2xi32>
  %z = stablehlo.constant dense<7> : tensor<i32>
  %k = stablehlo.optimization_barrier %z : tensor<i32>
  %0 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %d = stablehlo.multiply %a, %k : tensor<i32>
    stablehlo.return %d : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<0x2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<7> : tensor<2xi32>
  func.return
}

func.func @reduce_window() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %c = stablehlo.constant dense<3> : tensor<i32>
  %k = stablehlo.optimization_barrier %c : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    %l = stablehlo.minimum %s, %k : tensor<i32>
    stablehlo.return %l : tensor<i32>
  }) {window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[1, 3, 3, 3]> : tensor<4xi32>
  func.return
}

// Ascending by the distance from a value that is computed.
func.func @sort() {
  %x = stablehlo.constant dense<[1, 9, 4, 6]> : tensor<4xi32>
  %c = stablehlo.constant dense<5> : tensor<i32>
  %k = stablehlo.optimization_barrier %c : tensor<i32>
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %d = stablehlo.subtract %a, %k : tensor<i32>
    %e = stablehlo.subtract %b, %k : tensor<i32>
    %f = stablehlo.abs %d : tensor<i32>
    %g = stablehlo.abs %e : tensor<i32>
    %l = stablehlo.compare LT, %f, %g : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[4, 6, 1, 9]> : tensor<4xi32>
  func.return
}

func.func @scatter() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %i = stablehlo.constant dense<[[1], [3], [1]]> : tensor<3x1xi32>
  %u = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %c = stablehlo.constant dense<2> : tensor<i32>
  %k = stablehlo.optimization_barrier %c : tensor<i32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %d = stablehlo.multiply %b, %k : tensor<i32>
    %s = stablehlo.add %a, %d : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[1, 82, 3, 44]> : tensor<4xi32>
  func.return
}

// The nearest to 5 in each window of two takes the source's element, doubled.
func.func @select_and_scatter() {
  %x = stablehlo.constant dense<[[1, 9, 4, 6], [5, 2, 8, 3]]> : tensor<2x4xi32>
  %s = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %z = stablehlo.constant dense<100> : tensor<i32>
  %c = stablehlo.constant dense<5> : tensor<i32>
  %k = stablehlo.optimization_barrier %c : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %t = stablehlo.optimization_barrier %two : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %d = stablehlo.subtract %a, %k : tensor<i32>
    %e = stablehlo.subtract %b, %k : tensor<i32>
    %f = stablehlo.abs %d : tensor<i32>
    %g = stablehlo.abs %e : tensor<i32>
    %l = stablehlo.compare LE, %f, %g : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %d = stablehlo.multiply %b, %t : tensor<i32>
    %e = stablehlo.add %a, %d : tensor<i32>
    stablehlo.return %e : tensor<i32>
  }) {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>} : (tensor<2x4xi32>, tensor<2x2xi32>, tensor<i32>) -> tensor<2x4xi32>
  check.expect_eq_const %0, dense<[[102, 100, 104, 100], [106, 100, 100, 108]]> : tensor<2x4xi32>
  func.return
}

// Padding is never selected; windows of padding alone scatter nowhere.
func.func @select_and_scatter_padded() {
  %x = stablehlo.constant dense<[-3, -1, -2]> : tensor<3xi32>
  %s = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %k = stablehlo.optimization_barrier %z : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %d = stablehlo.add %a, %k : tensor<i32>
    %l = stablehlo.compare GE, %d, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %e = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %e : tensor<i32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[2, 1]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[0, 2, 3]> : tensor<3xi32>
  func.return
}

func.func @branches_and_loops() {
  %c = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %k = stablehlo.optimization_barrier %c : tensor<2xi32>
  %t = stablehlo.constant dense<true> : tensor<i1>
  %p = stablehlo.optimization_barrier %t : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %s = stablehlo.add %k, %k : tensor<2xi32>
    stablehlo.return %s : tensor<2xi32>
  }, {
    stablehlo.return %k : tensor<2xi32>
  }) : (tensor<i1>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[6, 8]> : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %i = stablehlo.optimization_barrier %one : tensor<i32>
  %1 = "stablehlo.case"(%i) ({
    stablehlo.return %k : tensor<2xi32>
  }, {
    %m = stablehlo.multiply %k, %0 : tensor<2xi32>
    stablehlo.return %m : tensor<2xi32>
  }) : (tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<[18, 32]> : tensor<2xi32>
  func.return
}
