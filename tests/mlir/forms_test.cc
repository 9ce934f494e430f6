// Pretty forms of every kind come out as their generic forms do.
#include <gtest/gtest.h>

#include "tests/mlir/reading.h"
#include "tests/mlir/tree_text.h"

namespace hloscope::mlir {
namespace {

// Values that the forms below use.
constexpr absl::string_view kPrelude =
    "func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %p: tensor<2x3xi1>, %s: tensor<f32>, %i: tensor<i32>, %c: "
    "tensor<2x3xcomplex<f32>>,\n"
    "             %t: !stablehlo.token, %u: tuple<tensor<f32>, tensor<i32>>, %v: tensor<6xf32>, %n: tensor<2xi64>) {\n";

std::string Last(const std::string& text) {
  Reading reading(absl::StrCat(kPrelude, text, "\n}\n"));
  EXPECT_EQ(reading.Problems(), "");
  if (reading.file.modules.empty() || reading.Module().ops.empty() || reading.First().regions.empty()) return "nothing";
  const auto& ops = reading.First().regions[0]->ops;
  if (ops.empty()) return "nothing";
  EXPECT_FALSE(ops.back()->in_error);
  return TextOf(*ops.back());
}

void Same(const std::string& pretty, const std::string& generic) { EXPECT_EQ(Last(pretty), Last(generic)) << pretty; }

TEST(MlirForms, Elementwise) {
  EXPECT_EQ(Last("%0 = stablehlo.add %x, %y : tensor<2x3xf32>"), "%0 = stablehlo.add(%x, %y) -> tensor<2x3xf32>");
  Same("%0 = stablehlo.add %x, %y {a.b} : tensor<2x3xf32>",
       "%0 = \"stablehlo.add\"(%x, %y) {a.b} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>");
  Same("%0 = stablehlo.abs %c : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>",
       "%0 = \"stablehlo.abs\"(%c) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>");
  Same("%0 = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>",
       "%0 = \"stablehlo.clamp\"(%s, %x, %s) : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>");
  Same("%0 = stablehlo.select %p, %x, %y : tensor<2x3xi1>, tensor<2x3xf32>",
       "%0 = \"stablehlo.select\"(%p, %x, %y) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>");
  Same("%0 = stablehlo.select %p, %x, %y : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
       "%0 = \"stablehlo.select\"(%p, %x, %y) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>");
  Same("%0 = stablehlo.complex %x, %y : tensor<2x3xcomplex<f32>>",
       "%0 = \"stablehlo.complex\"(%x, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>");
  Same("%0 = stablehlo.compare  GE, %x, %y,  TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
       "%0 = \"stablehlo.compare\"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = "
       "#stablehlo<comparison_type TOTALORDER>}> : "
       "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>");
  Same("%0 = stablehlo.compare EQ, %x, %y {k = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
       "%0 = \"stablehlo.compare\"(%x, %y) {comparison_direction = #stablehlo<comparison_direction EQ>, k = 1 : i64} : (tensor<2x3xf32>, "
       "tensor<2x3xf32>) -> tensor<2x3xi1>");
  Same(
      "%0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<2x3xf32>",
      "%0 = \"stablehlo.reduce_precision\"(%x) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>");
  Same(
      "%0 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = "
      "#stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>",
      "%0 = \"stablehlo.exponential\"(%x) {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = "
      "#stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2x3xf32>) -> tensor<2x3xf32>");
}

TEST(MlirForms, DataMovement) {
  Same("%0 = stablehlo.iota dim = 1 : tensor<2x3xf32>", "%0 = \"stablehlo.iota\"() {iota_dimension = 1 : i64} : () -> tensor<2x3xf32>");
  Same("%0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>",
       "%0 = \"stablehlo.dynamic_iota\"(%n) {iota_dimension = 0 : i64} : (tensor<2xi64>) -> tensor<?x?xf32>");
  Same("%0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>",
       "%0 = \"stablehlo.broadcast_in_dim\"(%s) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>");
  Same(
      "%0 = stablehlo.dynamic_broadcast_in_dim %s, %n, dims = [] {known_expanding_dimensions = array<i64>} : (tensor<f32>, tensor<2xi64>) "
      "-> tensor<?x?xf32>",
      "%0 = \"stablehlo.dynamic_broadcast_in_dim\"(%s, %n) {broadcast_dimensions = array<i64>, known_expanding_dimensions = array<i64>} : "
      "(tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>");
  Same("%0 = stablehlo.broadcast %s, sizes = [1, 2] : (tensor<f32>) -> tensor<1x2xf32>",
       "%0 = \"stablehlo.broadcast\"(%s) {broadcast_sizes = array<i64: 1, 2>} : (tensor<f32>) -> tensor<1x2xf32>");
  Same("%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
       "%0 = \"stablehlo.transpose\"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>");
  Same("%0 = stablehlo.reverse %x, dims = [1] : tensor<2x3xf32>",
       "%0 = \"stablehlo.reverse\"(%x) {dimensions = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>");
  Same("%0 = stablehlo.slice %x [0:2, 1:3:2] : (tensor<2x3xf32>) -> tensor<2x1xf32>",
       "%0 = \"stablehlo.slice\"(%x) {start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 2>} : "
       "(tensor<2x3xf32>) -> tensor<2x1xf32>");
  Same("%0 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>",
       "%0 = \"stablehlo.slice\"(%s) {start_indices = array<i64>, limit_indices = array<i64>, strides = array<i64>} : (tensor<f32>) -> "
       "tensor<f32>");
  Same("%0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>",
       "%0 = \"stablehlo.dynamic_slice\"(%x, %i, %i) {slice_sizes = array<i64: 1, 2>} : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> "
       "tensor<1x2xf32>");
  Same("%0 = stablehlo.pad %x, %s, low = [0, -1], high = [1, 2], interior = [0, 1]\n  : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>",
       "%0 = \"stablehlo.pad\"(%x, %s) {edge_padding_low = array<i64: 0, -1>, edge_padding_high = array<i64: 1, 2>, interior_padding = "
       "array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>");
  Same("%0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>",
       "%0 = \"stablehlo.concatenate\"(%x, %y) {dimension = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>");
  Same("%0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>",
       "%0 = \"stablehlo.get_dimension_size\"(%x) {dimension = 1 : i64} : (tensor<2x3xf32>) -> tensor<i32>");
  Same("%0 = stablehlo.set_dimension_size %x, %i, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>",
       "%0 = \"stablehlo.set_dimension_size\"(%x, %i) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, "
       "#stablehlo.bounds<?, 3>>");
  Same("%0 = stablehlo.torch_index_select %x, %i, dim = 1, batch_dims = 0 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2xf32>",
       "%0 = \"stablehlo.torch_index_select\"(%x, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<i32>) -> "
       "tensor<2xf32>");
  Same("%0 = stablehlo.get_tuple_element %u[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>",
       "%0 = \"stablehlo.get_tuple_element\"(%u) {index = 1 : i32} : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>");
  Same("%0 = stablehlo.tuple %s, %i : tuple<tensor<f32>, tensor<i32>>",
       "%0 = \"stablehlo.tuple\"(%s, %i) : (tensor<f32>, tensor<i32>) -> tuple<tensor<f32>, tensor<i32>>");
}

TEST(MlirForms, Products) {
  Same("%0 = stablehlo.dot %x, %y, precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
       "%0 = \"stablehlo.dot\"(%x, %y) {precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : "
       "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>");
  Same(
      "%0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : "
      "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>",
      "%0 = \"stablehlo.dot_general\"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], "
      "rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], "
      "rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : "
      "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>");
  Same(
      "%0 = stablehlo.dot_general %x, %y, contracting_dims = [] x [], algorithm = <lhs_precision_type = tf32, rhs_precision_type = bf16, "
      "accumulation_type = f32, lhs_component_count = 1, "
      "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<2x3xf32>) "
      "-> tensor<2x3x2x3xf32>",
      "%0 = \"stablehlo.dot_general\"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], "
      "rhs_batching_dimensions = [], lhs_contracting_dimensions = [], "
      "rhs_contracting_dimensions = []>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = bf16, "
      "accumulation_type = f32, lhs_component_count = 1, "
      "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<2x3xf32>) "
      "-> tensor<2x3x2x3xf32>");
  Same(
      "%0 = stablehlo.convolution(%x, %y) dim_numbers = [b, f]x[o, i]->[b, f], window = {} {batch_group_count = 1 : i64} : "
      "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
      "%0 = \"stablehlo.convolution\"(%x, %y) {dimension_numbers = #stablehlo.conv<[b, f]x[o, i]->[b, f]>, batch_group_count = 1 : i64} : "
      "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>");
  Same(
      "%0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], "
      "[-2, 0]], lhs_dilate = [1, 1], "
      "rhs_dilate = [3, 1], reverse = [true, false]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
      "%0 = \"stablehlo.convolution\"(%x, %y) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
      "window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [-2, 0]]> : "
      "tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 3, 1>, window_reversal = array<i1: true, false>} : "
      "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>");
  Same("%0 = stablehlo.einsum %x, %y, config = \"ab,bc->ac\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
       "%0 = \"stablehlo.einsum\"(%x, %y) {einsum_config = \"ab,bc->ac\"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>");
}

TEST(MlirForms, Others) {
  Same("%0 = stablehlo.fft %c, type =  FFT, length = [3] : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>",
       "%0 = \"stablehlo.fft\"(%c) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 3>} : (tensor<2x3xcomplex<f32>>) -> "
       "tensor<2x3xcomplex<f32>>");
  Same("%0 = stablehlo.cholesky %x, lower = true : tensor<2x3xf32>",
       "%0 = \"stablehlo.cholesky\"(%x) {lower = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>");
  Same("%0 = stablehlo.rng %s, %s, %n, distribution =  UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x2xf32>",
       "%0 = \"stablehlo.rng\"(%s, %s, %n) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, "
       "tensor<2xi64>) -> tensor<2x2xf32>");
  Same("%0, %1 = stablehlo.rng_bit_generator %n, algorithm =  THREE_FRY : (tensor<2xi64>) -> (tensor<2xi64>, tensor<2xui32>)",
       "%0, %1 = \"stablehlo.rng_bit_generator\"(%n) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xi64>) -> "
       "(tensor<2xi64>, tensor<2xui32>)");
  Same(
      "%0:2 = stablehlo.custom_call @\"x.y\"(%x, %s) {api_version = 2 : i32} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<f32>, "
      "tensor<f32>)",
      "%0:2 = \"stablehlo.custom_call\"(%x, %s) {call_target_name = \"x.y\", api_version = 2 : i32} : (tensor<2x3xf32>, tensor<f32>) -> "
      "(tensor<f32>, tensor<f32>)");
  Same("stablehlo.custom_call @check.eq(%x, %y) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()",
       "\"stablehlo.custom_call\"(%x, %y) {call_target_name = \"check.eq\", has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) "
       "-> ()");
  Same(
      "%0 = stablehlo.composite \"a.b\" %x, %y {decomposition = @d, version = 1 : i32, composite_attributes = {k = 1 : i64}} : "
      "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>",
      "%0 = \"stablehlo.composite\"(%x, %y) {name = \"a.b\", decomposition = @d, version = 1 : i32, composite_attributes = {k = 1 : i64}} "
      ": (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>");
  Same("%0:2 = stablehlo.optimization_barrier %x, %s : tensor<2x3xf32>, tensor<f32>",
       "%0:2 = \"stablehlo.optimization_barrier\"(%x, %s) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<f32>)");
  EXPECT_EQ(Last("stablehlo.optimization_barrier ()"), "stablehlo.optimization_barrier() -> ");
  Same("%0 = stablehlo.after_all %t, %t : !stablehlo.token",
       "%0 = \"stablehlo.after_all\"(%t, %t) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token");
  Same("%0 = stablehlo.after_all : !stablehlo.token", "%0 = \"stablehlo.after_all\"() : () -> !stablehlo.token");
  Same("%0 = stablehlo.create_token : !stablehlo.token", "%0 = \"stablehlo.create_token\"() : () -> !stablehlo.token");
  Same("%0 = stablehlo.partition_id : tensor<ui32>", "%0 = \"stablehlo.partition_id\"() : () -> tensor<ui32>");
  Same("%0 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:-3>>",
       "%0 = \"stablehlo.uniform_quantize\"(%x) : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:-3>>");
  Same(
      "%0 = stablehlo.real_dynamic_slice %x, %n, %n, %n : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> "
      "tensor<?x?xf32>",
      "%0 = \"stablehlo.real_dynamic_slice\"(%x, %n, %n, %n) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> "
      "tensor<?x?xf32>");
  Same("stablehlo.trace %x, \"tag\" : tensor<2x3xf32>", "\"stablehlo.trace\"(%x) {tag = \"tag\"} : (tensor<2x3xf32>) -> ()");
  Same("stablehlo.return %x, %s : tensor<2x3xf32>, tensor<f32>", "\"stablehlo.return\"(%x, %s) : (tensor<2x3xf32>, tensor<f32>) -> ()");
  Same("stablehlo.return", "\"stablehlo.return\"() : () -> ()");
  Same("%0 = call @g(%x) {k} : (tensor<2x3xf32>) -> tensor<f32>",
       "%0 = \"func.call\"(%x) {callee = @g, k} : (tensor<2x3xf32>) -> tensor<f32>");
  Same("func.call @g() : () -> ()", "\"func.call\"() {callee = @g} : () -> ()");
  Same("return %x : tensor<2x3xf32>", "\"func.return\"(%x) : (tensor<2x3xf32>) -> ()");
  Same("%0 = mhlo.compare LT, %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
       "%0 = \"mhlo.compare\"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
       "tensor<2x3xi1>");
  Same("%0 = arith.constant 5 : i32", "%0 = \"arith.constant\"() {value = 5 : i32} : () -> i32");
  Same("%0 = tensor.empty() : tensor<2xf32>", "%0 = \"tensor.empty\"() : () -> tensor<2xf32>");
  Same("%0 = sdy.sharding_constraint %x <@mesh, [{\"a\"}, {}]> : tensor<2x3xf32>",
       "%0 = \"sdy.sharding_constraint\"(%x) {sharding = #sdy.sharding<@mesh, [{\"a\"}, {}]>} : (tensor<2x3xf32>) -> tensor<2x3xf32>");
  Same("%0 = builtin.unrealized_conversion_cast %i : tensor<i32> to tensor<ui32>",
       "%0 = \"builtin.unrealized_conversion_cast\"(%i) : (tensor<i32>) -> tensor<ui32>");
  Same("%0 = a.b %x[%i, %i] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> f32",
       "%0 = \"a.b\"(%x, %i, %i) : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> f32");
  Same("%0 = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>",
       "%0 = \"complex.constant\"() {value = [1.0 : f32, 2.0 : f32]} : () -> complex<f32>");
  // An operation without types, and the next one.
  EXPECT_EQ(Last("\"a.b\"() : () -> ()\nx.done\n%0 = stablehlo.abs %x : tensor<2x3xf32>"), "%0 = stablehlo.abs(%x) -> tensor<2x3xf32>");
}

TEST(MlirForms, Chlo) {
  Same("%0 = chlo.acos %x : tensor<2x3xf32> -> tensor<2x3xf32>", "%0 = \"chlo.acos\"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>");
  Same("%0 = chlo.next_after %x, %y : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>",
       "%0 = \"chlo.next_after\"(%x, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>");
  Same("%0 = chlo.broadcast_add %x, %s {broadcast_dimensions = array<i64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>",
       "%0 = \"chlo.broadcast_add\"(%x, %s) {broadcast_dimensions = array<i64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>");
  Same("%0 = chlo.broadcast_select %p, %x, %s : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>",
       "%0 = \"chlo.broadcast_select\"(%p, %x, %s) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>");
  Same("%values, %indices = chlo.top_k(%x, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)",
       "%values, %indices = \"chlo.top_k\"(%x) {k = 2 : i64} : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)");
  Same("%0 = chlo.constant dense<1> : tensor<2xi8>", "%0 = \"chlo.constant\"() {value = dense<1> : tensor<2xi8>} : () -> tensor<2xi8>");
  Same(
      "%0:2 = chlo.scan(%x) inits(%v) dimension=1 attributes {is_reverse = true} {\n^bb0(%a: tensor<2xf32>, %b: tensor<6xf32>):\n "
      "stablehlo.return %a, %b : tensor<2xf32>, tensor<6xf32>\n} : (tensor<2x3xf32>, tensor<6xf32>) -> (tensor<2x3xf32>, tensor<6xf32>)",
      "%0:2 = \"chlo.scan\"(%x, %v) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, is_reverse = true, resultSegmentSizes = "
      "array<i32: 1, 1>}> ({\n^bb0(%a: tensor<2xf32>, %b: tensor<6xf32>):\n stablehlo.return %a, %b : tensor<2xf32>, tensor<6xf32>\n}) : "
      "(tensor<2x3xf32>, tensor<6xf32>) -> (tensor<2x3xf32>, tensor<6xf32>)");
}

TEST(MlirForms, Check) {
  Same("check.expect_eq %x, %y : tensor<2x3xf32>", "\"check.expect_eq\"(%x, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()");
  Same("check.expect_eq_const %s, dense<1.5> : tensor<f32>",
       "\"check.expect_eq_const\"(%s) {value = dense<1.5> : tensor<f32>} : (tensor<f32>) -> ()");
  Same("check.expect_eq_const(%s, dense<1.5> : tensor<f32>) : tensor<f32>",
       "\"check.expect_eq_const\"(%s) {value = dense<1.5> : tensor<f32>} : (tensor<f32>) -> ()");
  Same("check.expect_almost_eq %x, %y, tolerance = 0.1 : tensor<2x3xf32>",
       "\"check.expect_almost_eq\"(%x, %y) {tolerance = 0.1 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()");
  Same("check.expect_almost_eq_const %s, dense<5.1> : tensor<f32> {tolerance = 0.1 : f64}",
       "\"check.expect_almost_eq_const\"(%s) {value = dense<5.1> : tensor<f32>, tolerance = 0.1 : f64} : (tensor<f32>) -> ()");
  Same("check.expect_close %x, %y, max_ulp_difference = 3 : tensor<2x3xf32>, tensor<2x3xf32>",
       "\"check.expect_close\"(%x, %y) {max_ulp_difference = 3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()");
}

TEST(MlirForms, Reduce) {
  const std::string body =
      "({\n^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):\n  %result = stablehlo.add %lhs, %rhs : tensor<f32>\n  stablehlo.return %result : "
      "tensor<f32>\n})";
  Same(
      "%0 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1] {k = 1 : i64} : (tensor<2x3xf32>, tensor<f32>) -> "
      "tensor<2xf32>",
      "%0 = \"stablehlo.reduce\"(%x, %s) <{dimensions = array<i64: 1>, k = 1 : i64}> " + body +
          " : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>");
  Same(
      "%0 = stablehlo.reduce(%x init: %s) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>\n reducer(%lhs: "
      "tensor<f32>, %rhs: tensor<f32>)  {\n"
      "  %result = stablehlo.add %lhs, %rhs : tensor<f32>\n  stablehlo.return %result : tensor<f32>\n}",
      "%0 = \"stablehlo.reduce\"(%x, %s) <{dimensions = array<i64: 0, 1>}> " + body + " : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>");
  // Pairs of arguments are taken apart: all of the left, then all of the right.
  Same(
      "%0:2 = stablehlo.reduce(%x init: %s), (%v init: %i) across dimensions = [0] : (tensor<2x3xf32>, tensor<6xf32>, tensor<f32>, "
      "tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)\n"
      " reducer(%a: tensor<f32>, %c0: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>)  {\n stablehlo.return %a, %b : tensor<f32>, "
      "tensor<i32>\n}",
      "%0:2 = \"stablehlo.reduce\"(%x, %v, %s, %i) <{dimensions = array<i64: 0>}> ({\n^bb0(%a: tensor<f32>, %b: tensor<i32>, %c0: "
      "tensor<f32>, %d: tensor<i32>):\n stablehlo.return %a, %b : tensor<f32>, "
      "tensor<i32>\n}) : (tensor<2x3xf32>, tensor<6xf32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)");
}

TEST(MlirForms, While) {
  Same(
      "%0:2 = stablehlo.while(%a = %i, %b = %s) : tensor<i32>, tensor<f32> attributes {k}\n cond {\n %q = stablehlo.compare LT, %a, %i : "
      "(tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %q : tensor<i1>\n"
      "} do {\n stablehlo.return %a, %b : tensor<i32>, tensor<f32>\n}",
      "%0:2 = \"stablehlo.while\"(%i, %s) ({\n^bb0(%a: tensor<i32>, %b: tensor<f32>):\n %q = stablehlo.compare LT, %a, %i : (tensor<i32>, "
      "tensor<i32>) -> tensor<i1>\n stablehlo.return %q : tensor<i1>\n}, {\n"
      "^bb0(%a: tensor<i32>, %b: tensor<f32>):\n stablehlo.return %a, %b : tensor<i32>, tensor<f32>\n}) {k} : (tensor<i32>, tensor<f32>) "
      "-> (tensor<i32>, tensor<f32>)");
}

TEST(MlirForms, Functions) {
  Reading reading(R"(module @jit_f attributes {mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf32> {mhlo.sharding = "{replicated}"} loc("x"), %arg1: tensor<?xi8>) -> (tensor<2xf32> {jax.result_info = ""}, tensor<?xi8>) attributes {k = 1 : i64} {
    return %arg0, %arg1 : tensor<2xf32>, tensor<?xi8> loc("file.py":3:4)
  }
  func.func private @declared(tensor<2xf32>, i32) -> tensor<2xf32>
  "func.func"() <{sym_name = "generic", function_type = (tensor<f32>) -> tensor<f32>}> ({
  ^bb0(%arg0: tensor<f32>):
    "func.return"(%arg0) : (tensor<f32>) -> ()
  }) : () -> ()
}
)");
  ASSERT_EQ(reading.Problems(), "");
  const Op& module = *reading.file.modules[0];
  EXPECT_EQ(module.Find("sym_name")->text, "jit_f");
  EXPECT_EQ(module.Find("mhlo.num_replicas")->integer, 1);
  const Op& main = reading.First(0);
  EXPECT_EQ(TextOf(main),
            "func.func() {sym_visibility=\"public\", sym_name=\"main\", function_type=(%arg0: tensor<2xf32> {mhlo.sharding = "
            "\"{replicated}\"} loc(\"x\"), %arg1: tensor<?xi8>) -> (tensor<2xf32> {jax.result_info = "
            "\"\"}, tensor<?xi8>), arg_attrs=[{mhlo.sharding=\"{replicated}\"}, {}], res_attrs=[{jax.result_info=\"\"}, {}], k=1:i64} "
            "(%arg0:tensor<2xf32>, %arg1:tensor<?xi8>){func.return(%arg0, %arg1) -> } -> ");
  EXPECT_EQ(main.Find("function_type")->type.results.size(), 2u);
  EXPECT_EQ(main.regions[0]->argument_locations[0].name, "x");
  EXPECT_EQ(main.regions[0]->ops[0]->location.line, 3);
  const Op& declared = reading.First(1);
  EXPECT_TRUE(declared.regions.empty());
  EXPECT_EQ(declared.Find("function_type")->type.elements.size(), 2u);
  const Op& generic = reading.First(2);
  EXPECT_EQ(generic.Find("sym_name")->text, "generic");
  EXPECT_EQ(generic.regions[0]->arguments.size(), 1u);
}

TEST(MlirForms, PartsAndModules) {
  Reading reading("func.func @a() {\n  return\n}\n// -----\nmodule @b {\n}\n  // -----\nmodule @c {\n}\nmodule @d {\n}\n");
  ASSERT_EQ(reading.Problems(), "");
  ASSERT_EQ(reading.file.modules.size(), 3u);
  EXPECT_EQ(TextOf(*reading.file.modules[0]->regions[0]->ops[0]),
            "func.func() {sym_name=\"a\", function_type=(), arg_attrs=[], res_attrs=[]} (){func.return() -> } -> ");
  EXPECT_EQ(reading.file.modules[1]->Find("sym_name")->text, "b");
  EXPECT_EQ(reading.Module(2).ops.size(), 2u);
}

TEST(MlirForms, ShardingModules) {
  Reading reading(R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
)");
  ASSERT_EQ(reading.Problems(), "");
  EXPECT_EQ(reading.First(0).Find("mesh")->raw, "[\"x\"=2, \"y\"=4]");
  EXPECT_EQ(reading.First(1).regions[0]->ops[0]->regions[0]->arguments[0]->type.text, "tensor<4xf32>");
}

TEST(MlirForms, TellsMlirFromOtherTexts) {
  for (const char* text : {"module {", "// c\n module @m", "func.func @f", "#loc = loc(unknown)", "!t = i32", "\"builtin.module\"() ({",
                           "func @main", "%0 = stablehlo.add", "%a:2 = \"x.y\"(", "{-# "}) {
    EXPECT_TRUE(LooksLikeMlir(text)) << text;
  }
  for (const char* text :
       {"HloModule m", "", "ENTRY main {", "%add (a: f32[]) -> f32[] {", "%x = f32[2] parameter(0)", "add {", "// nothing", "123"})
    EXPECT_FALSE(LooksLikeMlir(text)) << text;
  EXPECT_TRUE(LooksLikeMlirBytecode("ML\xefR\x06"));
  EXPECT_FALSE(LooksLikeMlirBytecode("MLIR"));
}

}  // namespace
}  // namespace hloscope::mlir
