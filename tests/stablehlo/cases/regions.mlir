// Operations with regions. Written for this project.
func.func @reductions() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %sum, dense<[6, 15]> : tensor<2xi32>
  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %low = stablehlo.constant dense<-2147483648> : tensor<i32>
  %best:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%a: tensor<i32>, %v: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %more = stablehlo.compare GE, %a, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = stablehlo.select %more, %a, %v : tensor<i1>, tensor<i32>
    %n = stablehlo.select %more, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %m, %n : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %best#0, dense<[3, 6]> : tensor<2xi32>
  check.expect_eq_const %best#1, dense<[2, 2]> : tensor<2xi32>
  func.return
}

func.func @a_constant_from_outside() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %r = "stablehlo.reduce"(%x, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.multiply %b, %ten : tensor<i32>
    %s = stablehlo.add %a, %m : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<60> : tensor<i32>
  func.return
}

func.func @wider_sums() {
  %x = stablehlo.constant dense<[100, 100, 100]> : tensor<3xi8>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %r = "stablehlo.reduce"(%x, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<3xi8>, tensor<i8>) -> tensor<i32>
  check.expect_eq_const %r, dense<300> : tensor<i32>
  func.return
}

func.func @windows() {
  %x = stablehlo.constant dense<[10000, 1000, 100, 10, 1]> : tensor<5xi32>
  %high = stablehlo.constant dense<2147483647> : tensor<i32>
  %w = "stablehlo.reduce_window"(%x, %high) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.minimum %a, %b : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) {window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<5xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %w, dense<[1000, 10, 1]> : tensor<3xi32>
  %source = stablehlo.constant dense<[2, 6]> : tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %data = stablehlo.constant dense<[1, 2, 9, 3, 4]> : tensor<5xi32>
  %s = "stablehlo.select_and_scatter"(%data, %source, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %ge = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %ge : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {window_dimensions = array<i64: 3>, window_strides = array<i64: 2>} : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  check.expect_eq_const %s, dense<[0, 0, 8, 0, 0]> : tensor<5xi32>
  func.return
}

func.func @sorting() {
  %keys = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
  %values = stablehlo.constant dense<[30.0, 10.0, 20.0]> : tensor<3xf32>
  %s:2 = "stablehlo.sort"(%keys, %values) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %p: tensor<f32>, %q: tensor<f32>):
    %lt = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) {dimension = -1 : i64, is_stable = true} : (tensor<3xi32>, tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>)
  check.expect_eq_const %s#0, dense<[1, 2, 3]> : tensor<3xi32>
  check.expect_eq_const %s#1, dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  func.return
}

func.func @scattering() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %at = stablehlo.constant dense<[[1], [1], [9]]> : tensor<3x1xi64>
  %u = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %s = "stablehlo.scatter"(%x, %at, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
      indices_are_sorted = false, unique_indices = false} : (tensor<4xi32>, tensor<3x1xi64>, tensor<3xi32>) -> tensor<4xi32>
  check.expect_eq_const %s, dense<[1, 32, 3, 4]> : tensor<4xi32>
  func.return
}

func.func @mapping() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %m = "stablehlo.map"(%x, %x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.multiply %a, %b : tensor<i32>
    %q = stablehlo.add %p, %five : tensor<i32>
    stablehlo.return %q : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %m, dense<[6, 9, 14]> : tensor<3xi32>
  func.return
}

func.func @loops() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<5> : tensor<i32>
  %step = stablehlo.constant dense<[1, 10]> : tensor<2xi32>
  %start = stablehlo.constant dense<0> : tensor<2xi32>
  // The limit, the one and the step come from outside.
  %r:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<2xi32>
   cond {
    %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.add %x, %step : tensor<2xi32>
    stablehlo.return %n, %y : tensor<i32>, tensor<2xi32>
  }
  check.expect_eq_const %r#0, dense<5> : tensor<i32>
  check.expect_eq_const %r#1, dense<[5, 50]> : tensor<2xi32>
  %single = stablehlo.while(%i = %zero) : tensor<i32>
   cond {
    %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  check.expect_eq_const %single, dense<5> : tensor<i32>
  func.return
}

func.func @branches() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %r = "stablehlo.if"(%p) ({
    %a = stablehlo.add %x, %y : tensor<2xi32>
    stablehlo.return %a : tensor<2xi32>
  }, {
    stablehlo.return %y : tensor<2xi32>
  }) : (tensor<i1>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[4, 6]> : tensor<2xi32>
  %two = stablehlo.constant dense<7> : tensor<i32>
  %s:2 = "stablehlo.case"(%two) ({
    stablehlo.return %x, %p : tensor<2xi32>, tensor<i1>
  }, {
    %n = stablehlo.negate %x : tensor<2xi32>
    stablehlo.return %n, %p : tensor<2xi32>, tensor<i1>
  }) : (tensor<i32>) -> (tensor<2xi32>, tensor<i1>)
  check.expect_eq_const %s#0, dense<[-1, -2]> : tensor<2xi32>
  check.expect_eq_const %s#1, dense<true> : tensor<i1>
  func.return
}

func.func @scans() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %init = stablehlo.constant dense<[100, 200]> : tensor<2xi32>
  %r:2 = "chlo.scan"(%x, %init) <{dimension = 1 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    %s = stablehlo.add %a, %b : tensor<2xi32>
    stablehlo.return %b, %s : tensor<2xi32>, tensor<2xi32>
  }) : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[[105, 103, 100], [211, 206, 200]]> : tensor<2x3xi32>
  check.expect_eq_const %r#1, dense<[106, 215]> : tensor<2xi32>
  func.return
}

// A loop in a reducer: each element is added as often as a value from outside says.
func.func @loop_in_a_reducer() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %times = stablehlo.optimization_barrier %n : tensor<i32>
  %0 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r:2 = "stablehlo.while"(%z, %a) ({
    ^bb0(%i: tensor<i32>, %s: tensor<i32>):
      %c = stablehlo.compare LT, %i, %times : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%i: tensor<i32>, %s: tensor<i32>):
      %j = stablehlo.add %i, %one : tensor<i32>
      %t = stablehlo.add %s, %b : tensor<i32>
      stablehlo.return %j, %t : tensor<i32>, tensor<i32>
    }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    stablehlo.return %r#1 : tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[18, 45]> : tensor<2xi32>
  func.return
}

// The padding of a window and the holes of a dilated input hold the initial value and are folded like elements.
func.func @window_padding_holds_the_initial_value() {
  %x = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %one) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[12, 31, 51]> : tensor<3xi32>
  %1 = "stablehlo.reduce_window"(%x, %one) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>} : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %1, dense<[12, 22, 22, 32]> : tensor<4xi32>
  %2 = "stablehlo.reduce_window"(%x, %one) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.subtract %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %2, dense<[-10, -29, -49, -30]> : tensor<4xi32>
  func.return
}
