// einsum and unary_einsum: products, diagonals, sums, transposes, batches and the ellipsis.

func.func @product() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %r = stablehlo.einsum %0, %1, config = "ab,bc->ac" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[19, 22], [43, 50]]> : tensor<2x2xi32>
  func.return
}

func.func @transposed() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %r = stablehlo.einsum %0, %1, config = "ab,bc->ca" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[19, 43], [22, 50]]> : tensor<2x2xi32>
  func.return
}

func.func @inner() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %r = stablehlo.einsum %0, %1, config = "ab,ab->" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<i32>
  check.expect_eq_const %r, dense<70> : tensor<i32>
  func.return
}

func.func @elementwise() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %r = stablehlo.einsum %0, %1, config = "ab, ab -> ab" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[5, 12], [21, 32]]> : tensor<2x2xi32>
  func.return
}

func.func @outer() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.constant dense<[3, 4, 5]> : tensor<3xi32>
  %r = stablehlo.einsum %0, %1, config = "a,b->ab" : (tensor<2xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[3, 4, 5], [6, 8, 10]]> : tensor<2x3xi32>
  func.return
}

func.func @diagonal_in_a_product() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %r = stablehlo.einsum %0, %1, config = "aa,ab->b" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[33, 38]> : tensor<2xi32>
  func.return
}

func.func @summed_first() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<[3, 4, 5]> : tensor<3xi32>
  %r = stablehlo.einsum %0, %1, config = "ab,c->c" : (tensor<2x2xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[30, 40, 50]> : tensor<3xi32>
  func.return
}

func.func @ellipsis_broadcasts() {
  %0 = stablehlo.constant dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi32>
  %1 = stablehlo.constant dense<[[[5], [6]]]> : tensor<1x2x1xi32>
  %r = stablehlo.einsum %0, %1, config = "...ab,...bc->...ac" : (tensor<2x1x2xi32>, tensor<1x2x1xi32>) -> tensor<2x1x1xi32>
  check.expect_eq_const %r, dense<[[[17]], [[39]]]> : tensor<2x1x1xi32>
  func.return
}

func.func @ellipsis_on_one_side() {
  %0 = stablehlo.constant dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi32>
  %1 = stablehlo.constant dense<[[5], [6]]> : tensor<2x1xi32>
  %r = stablehlo.einsum %0, %1, config = "...ab,bc->...ac" : (tensor<2x1x2xi32>, tensor<2x1xi32>) -> tensor<2x1x1xi32>
  check.expect_eq_const %r, dense<[[[17]], [[39]]]> : tensor<2x1x1xi32>
  func.return
}

func.func @batches() {
  %0 = stablehlo.constant dense<[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]> : tensor<2x2x2xi32>
  %1 = stablehlo.constant dense<[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]> : tensor<2x2x2xi32>
  %r = stablehlo.einsum %0, %1, config = "bij,bjk->bik" : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) -> tensor<2x2x2xi32>
  check.expect_eq_const %r, dense<[[[2, 3], [6, 11]], [[46, 55], [66, 79]]]> : tensor<2x2x2xi32>
  func.return
}

func.func @diagonal() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r = stablehlo.unary_einsum %0, config = "aa->a" : (tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[1, 4]> : tensor<2xi32>
  func.return
}

func.func @trace() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r = "stablehlo.unary_einsum"(%0) {einsum_config = "aa->"} : (tensor<2x2xi32>) -> tensor<i32>
  check.expect_eq_const %r, dense<5> : tensor<i32>
  func.return
}

func.func @transpose() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r = stablehlo.unary_einsum %0, config = "ab->ba" : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[1, 3], [2, 4]]> : tensor<2x2xi32>
  func.return
}

func.func @column_sums() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r = stablehlo.unary_einsum %0, config = "ab->b" : (tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[4, 6]> : tensor<2xi32>
  func.return
}

func.func @identity() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r = stablehlo.unary_einsum %0, config = "...->..." : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  func.return
}

func.func @ellipsis_kept() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r = stablehlo.unary_einsum %0, config = "a...->..." : (tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[4, 6]> : tensor<2xi32>
  func.return
}

func.func @apart() {
  %0 = stablehlo.constant dense<[[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]> : tensor<2x3x2xi32>
  %r = stablehlo.unary_einsum %0, config = "aba->b" : (tensor<2x3x2xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[7, 11, 15]> : tensor<3xi32>
  func.return
}

func.func @apart_kept() {
  %0 = stablehlo.constant dense<[[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]> : tensor<2x3x2xi32>
  %r = stablehlo.unary_einsum %0, config = "aba->ba" : (tensor<2x3x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[0, 7], [2, 9], [4, 11]]> : tensor<3x2xi32>
  func.return
}

func.func @three_of_one_letter() {
  %0 = stablehlo.constant dense<[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]> : tensor<2x2x2xi32>
  %r = stablehlo.unary_einsum %0, config = "aaa->a" : (tensor<2x2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[0, 7]> : tensor<2xi32>
  func.return
}
