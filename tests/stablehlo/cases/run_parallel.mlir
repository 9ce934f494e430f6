// Programs of several devices: every collective, each way of naming groups, channels. Values by hand from the StableHLO specification.
module @collectives {
  func.func private @all_gather(%x: tensor<1x2xi64>) -> tensor<2x2xi64> {
    %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<1x2xi64>) -> tensor<2x2xi64>
    return %r : tensor<2x2xi64>
  }
  func.func @gathers() {
    %a = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi64>
    %b = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi64>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@all_gather], [@all_gather]]} : (tensor<1x2xi64>, tensor<1x2xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>)
    check.expect_eq_const %r#0, dense<[[3, 4], [1, 2]]> : tensor<2x2xi64>
    check.expect_eq_const %r#1, dense<[[3, 4], [1, 2]]> : tensor<2x2xi64>
    func.return
  }
  func.func private @gather_together(%x: tensor<1xi64>) -> tensor<4xi64> {
    %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<1xi64>) -> tensor<4xi64>
    return %r : tensor<4xi64>
  }
  func.func @gathers_replicas_with_their_partitions() {
    %a = stablehlo.constant dense<1> : tensor<1xi64>
    %b = stablehlo.constant dense<2> : tensor<1xi64>
    %c = stablehlo.constant dense<3> : tensor<1xi64>
    %d = stablehlo.constant dense<4> : tensor<1xi64>
    %r:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@gather_together, @gather_together], [@gather_together, @gather_together]]}
      : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %r#0, dense<[1, 3, 2, 4]> : tensor<4xi64>
    check.expect_eq_const %r#3, dense<[1, 3, 2, 4]> : tensor<4xi64>
    func.return
  }
  func.func private @all_reduce(%x: tensor<2xi64>) -> tensor<2xi64> {
    %r = "stablehlo.all_reduce"(%x) ({
    ^bb0(%p: tensor<i64>, %q: tensor<i64>):
      %s = stablehlo.add %p, %q : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) {replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xi64>) -> tensor<2xi64>
    return %r : tensor<2xi64>
  }
  func.func @reduces_flattened() {
    %a = stablehlo.constant dense<[1, 10]> : tensor<2xi64>
    %b = stablehlo.constant dense<[2, 20]> : tensor<2xi64>
    %c = stablehlo.constant dense<[3, 30]> : tensor<2xi64>
    %d = stablehlo.constant dense<[4, 40]> : tensor<2xi64>
    %r:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@all_reduce, @all_reduce], [@all_reduce, @all_reduce]]}
      : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[5, 50]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<[5, 50]> : tensor<2xi64>
    func.return
  }
  func.func private @reduce_scatter(%x: tensor<2x4xi64>) -> tensor<2x2xi64> {
    %r = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%p: tensor<i64>, %q: tensor<i64>):
      %s = stablehlo.add %p, %q : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xi64>) -> tensor<2x2xi64>
    return %r : tensor<2x2xi64>
  }
  func.func @scatters() {
    %a = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
    %b = stablehlo.constant dense<[[9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<2x4xi64>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@reduce_scatter], [@reduce_scatter]]} : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>)
    check.expect_eq_const %r#0, dense<[[10, 12], [18, 20]]> : tensor<2x2xi64>
    check.expect_eq_const %r#1, dense<[[14, 16], [22, 24]]> : tensor<2x2xi64>
    func.return
  }
  func.func private @all_to_all(%x: tensor<2x4xi64>) -> tensor<4x2xi64> {
    %r = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
      : (tensor<2x4xi64>) -> tensor<4x2xi64>
    return %r : tensor<4x2xi64>
  }
  func.func @scatters_and_gathers() {
    %a = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
    %b = stablehlo.constant dense<[[9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<2x4xi64>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@all_to_all], [@all_to_all]]} : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<4x2xi64>, tensor<4x2xi64>)
    check.expect_eq_const %r#0, dense<[[1, 2], [5, 6], [9, 10], [13, 14]]> : tensor<4x2xi64>
    check.expect_eq_const %r#1, dense<[[3, 4], [7, 8], [11, 12], [15, 16]]> : tensor<4x2xi64>
    func.return
  }
  func.func private @permute(%x: tensor<2x2xi64>) -> tensor<2x2xi64> {
    %r = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>}
      : (tensor<2x2xi64>) -> tensor<2x2xi64>
    return %r : tensor<2x2xi64>
  }
  func.func @permutes() {
    %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    %b = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
    %c = stablehlo.constant dense<[[9, 10], [11, 12]]> : tensor<2x2xi64>
    %r:3 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@permute], [@permute], [@permute]]}
      : (tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>)
    check.expect_eq_const %r#0, dense<0> : tensor<2x2xi64>
    check.expect_eq_const %r#1, dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    check.expect_eq_const %r#2, dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
    func.return
  }
  func.func private @ids() -> (tensor<ui32>, tensor<ui32>) {
    %r = stablehlo.replica_id : tensor<ui32>
    %p = stablehlo.partition_id : tensor<ui32>
    return %r, %p : tensor<ui32>, tensor<ui32>
  }
  func.func @numbers() {
    %r:8 = "interpreter.run_parallel"() {programs = [[@ids, @ids], [@ids, @ids]]}
      : () -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %r#2, dense<0> : tensor<ui32>
    check.expect_eq_const %r#3, dense<1> : tensor<ui32>
    check.expect_eq_const %r#4, dense<1> : tensor<ui32>
    check.expect_eq_const %r#5, dense<0> : tensor<ui32>
    func.return
  }
  // Different programs that exchange with each other.
  func.func private @double_and_reduce(%x: tensor<2xi64>) -> tensor<2xi64> {
    %d = stablehlo.add %x, %x : tensor<2xi64>
    %r = "stablehlo.all_reduce"(%d) ({
    ^bb0(%p: tensor<i64>, %q: tensor<i64>):
      %s = stablehlo.add %p, %q : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
    return %r : tensor<2xi64>
  }
  func.func private @reduce(%x: tensor<2xi64>) -> tensor<2xi64> {
    %r = "stablehlo.all_reduce"(%x) ({
    ^bb0(%p: tensor<i64>, %q: tensor<i64>):
      %s = stablehlo.add %p, %q : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
    return %r : tensor<2xi64>
  }
  func.func @different_programs() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %r:2 = "interpreter.run_parallel"(%a, %a) {programs = [[@double_and_reduce], [@reduce]]} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[3, 6]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<[3, 6]> : tensor<2xi64>
    func.return
  }
}
