// One device alone: what collectives, tokens and calls mean there. Written for this project.
func.func @collectives() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %r, %x : tensor<2x2xi32>
  %g = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %g, %x : tensor<2x2xi32>
  %s = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %t = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %s, %x : tensor<2x2xi32>
  %t = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %t, %x : tensor<2x2xi32>
  %p = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %p, %x : tensor<2x2xi32>
  %b = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %b, %x : tensor<2x2xi32>
  %c = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %c, %x : tensor<2x2xi32>
  %i = stablehlo.partition_id : tensor<ui32>
  %j = stablehlo.replica_id : tensor<ui32>
  check.expect_eq %i, %j : tensor<ui32>
  func.return
}
func.func @tokens() {
  %a = stablehlo.after_all : !stablehlo.token
  %b = stablehlo.create_token : !stablehlo.token
  %c = stablehlo.after_all %a, %b : !stablehlo.token
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %out = "stablehlo.outfeed"(%x, %c) {outfeed_config = "here"} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  check.expect_eq_const %x, dense<[1, 2]> : tensor<2xi32>
  func.return
}
func.func private @add_one(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<i1>) {
  %one = stablehlo.constant dense<1> : tensor<2xi32>
  %y = stablehlo.add %x, %one : tensor<2xi32>
  %t = stablehlo.constant dense<true> : tensor<i1>
  func.return %y, %t : tensor<2xi32>, tensor<i1>
}
func.func private @assert_in_a_call(%x: tensor<2xi32>) {
  check.expect_eq_const %x, dense<[2, 3]> : tensor<2xi32>
  func.return
}
func.func @calls() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y:2 = func.call @add_one(%x) : (tensor<2xi32>) -> (tensor<2xi32>, tensor<i1>)
  check.expect_eq_const %y#0, dense<[2, 3]> : tensor<2xi32>
  check.expect_eq_const %y#1, dense<true> : tensor<i1>
  call @assert_in_a_call(%y#0) : (tensor<2xi32>) -> ()
  %z:2 = stablehlo.composite "my.increment" %x {composite_attributes = {step = 1 : i32}, decomposition = @add_one, version = 2 : i32} : (tensor<2xi32>) -> (tensor<2xi32>, tensor<i1>)
  check.expect_eq %z#0, %y#0 : tensor<2xi32>
  %w = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{replicated}", operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq %w, %x : tensor<2xi32>
  func.return
}
func.func private @alone(%x: tensor<2xi32>) -> tensor<2xi32> {
  func.return %x : tensor<2xi32>
}
func.func @one_program() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = "interpreter.run_parallel"(%x) {programs = [[@alone]]} : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq %y, %x : tensor<2xi32>
  func.return
}
func.func @close_values() {
  %x = stablehlo.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %y = stablehlo.constant dense<[0x3F800002, 0x7FC00000]> : tensor<2xf32>
  check.expect_close %x, %y, max_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>
  check.expect_almost_eq %x, %y : tensor<2xf32>
  stablehlo.custom_call @check.expect_close(%x, %y) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  func.return
}
func.func private @feed(%t: !stablehlo.token) -> (tensor<2xi32>, tensor<i1>, !stablehlo.token) {
  %r:3 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<2xi32>, tensor<i1>, !stablehlo.token)
  func.return %r#0, %r#1, %r#2 : tensor<2xi32>, tensor<i1>, !stablehlo.token
}
func.func private @queue() -> (tensor<2xi32>, tensor<i1>) {
  %x = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %p = stablehlo.constant dense<true> : tensor<i1>
  func.return %x, %p : tensor<2xi32>, tensor<i1>
}
func.func @fed_program() {
  %t = stablehlo.after_all : !stablehlo.token
  %r:3 = "interpreter.run_parallel"(%t) {infeed = [@queue], programs = [[@feed]]} : (!stablehlo.token) -> (tensor<2xi32>, tensor<i1>, !stablehlo.token)
  "interpreter.print"(%r#0) : (tensor<2xi32>) -> ()
  check.expect_eq_const %r#0, dense<[7, 8]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<true> : tensor<i1>
  func.return
}
