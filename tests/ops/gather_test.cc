// Gather: the specification's shapes, clamping, batching dimensions, and each requirement.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

std::string Gather(const std::string& result, const std::string& operand, const std::string& indices, const std::string& attributes) {
  return "p = " + operand + " parameter(0)\ni = " + indices + " parameter(1)\nROOT r = " + result + " gather(p, i), " + attributes;
}

TEST(Gather, ShapesOfTheSpecification) {
  ExpectAccepted(Gather("f32[5,8,6]", "f32[16,11]", "s64[5,2]",
                        "offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,6}"));
  ExpectAccepted(Gather("f32[4,5,8,6]", "f32[16,11]", "s64[4,5,2]",
                        "offset_dims={2,3}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=2, slice_sizes={8,6}"));
  ExpectAccepted(Gather("f32[4,5,11]", "f32[16,11]", "s64[4,5,1]",
                        "offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,11}"));
  ExpectAccepted(Gather("f32[4,5,11]", "f32[16,11]", "s64[4,5]",
                        "offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,11}"));
  ExpectAccepted(Gather("f32[8,5,6]", "f32[16,11]", "s64[5,2]",
                        "offset_dims={0,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,6}"));
}

const char kMatrix[] = "c = s32[3,4] constant({{0,1,2,3},{10,11,12,13},{20,21,22,23}})\n";

TEST(Gather, Rows) {
  ExpectValue(std::string(kMatrix) + "i = s32[2] constant({2,0})\nROOT r = s32[2,4] gather(c, i), offset_dims={1}, collapsed_slice_dims={0}, "
              "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}",
              "s32[2,4] constant({{20,21,22,23},{0,1,2,3}})");
}

TEST(Gather, StartsAreClampedSoThatTheSliceFits) {
  ExpectValue(std::string(kMatrix) + "i = s32[2,2] constant({{9,9},{-5,1}})\nROOT r = s32[2,2,2] gather(c, i), offset_dims={1,2}, collapsed_slice_dims={}, "
              "start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,2}",
              "s32[2,2,2] constant({{{12,13},{22,23}},{{1,2},{11,12}}})");
  ExpectValue(std::string(kMatrix) + "i = u64[1] constant({18446744073709551615})\nROOT r = s32[1,4] gather(c, i), offset_dims={1}, "
              "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}",
              "s32[1,4] constant({{20,21,22,23}})");
}

TEST(Gather, StartIndexMapPermutes) {
  ExpectValue(std::string(kMatrix) + "i = s32[2,1] constant({{3},{1}})\nROOT r = s32[1] gather(c, i), offset_dims={}, collapsed_slice_dims={0,1}, "
              "start_index_map={1,0}, index_vector_dim=0, slice_sizes={1,1}",
              "s32[1] constant({13})");
}

TEST(Gather, IndexVectorInTheMiddle) {
  // i[b, k, c]: component k of batch (b, c).
  ExpectValue(std::string(kMatrix) + "i = s32[1,2,2] constant({{{0,2},{1,3}}})\nROOT r = s32[1,2] gather(c, i), offset_dims={}, collapsed_slice_dims={0,1}, "
              "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}",
              "s32[1,2] constant({{1,23}})");
}

TEST(Gather, BatchingDimensions) {
  // Row b takes its own columns.
  ExpectValue(std::string(kMatrix) + "i = s32[3,2,1] constant({{{0},{3}},{{1},{1}},{{2},{9}}})\nROOT r = s32[3,2] gather(c, i), offset_dims={}, "
              "collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}",
              "s32[3,2] constant({{0,3},{11,11},{22,23}})");
  // The batching dimension of the indices comes after the index vector.
  ExpectValue(std::string(kMatrix) + "i = s32[1,3] constant({{3,2,1}})\nROOT r = s32[3] gather(c, i), offset_dims={}, collapsed_slice_dims={1}, "
              "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={1}, index_vector_dim=0, slice_sizes={1,1}",
              "s32[3] constant({3,12,21})");
}

TEST(Gather, Requirements) {
  const std::string m = "f32[16,11]", i = "s64[5,2]", r = "f32[5,8,6]";
  auto with = [&](const std::string& attributes, const std::string& label) { ExpectError(Gather(r, m, i, attributes), label); };
  ExpectError("t = token[] after-all()\ni = s64[5,2] parameter(0)\nROOT r = f32[5] gather(t, i), offset_dims={}, collapsed_slice_dims={}, "
              "start_index_map={0,1}, index_vector_dim=1, slice_sizes={}", "gather.array");
  ExpectError(Gather(r, m, "f32[5,2]", "offset_dims={1,2}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,6}"), "gather.index-type");
  with("offset_dims={1,2}, start_index_map={0,1}, index_vector_dim=3, slice_sizes={8,6}", "gather.index-vector-dim");
  with("offset_dims={2,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,6}", "gather.offset-dims-order");
  with("offset_dims={1,3}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,6}", "gather.offset-dims-range");
  with("offset_dims={1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,6}", "gather.offset-dims-count");
  with("offset_dims={1,2}, collapsed_slice_dims={2}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,6}", "gather.collapsed-range");
  with("offset_dims={1,2}, collapsed_slice_dims={1,0}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,6}", "gather.collapsed-order");
  with("offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,6}", "gather.collapsed-size");
  with("offset_dims={1,2}, start_index_map={0,2}, index_vector_dim=1, slice_sizes={8,6}", "gather.start-index-map-range");
  with("offset_dims={1,2}, start_index_map={0,0}, index_vector_dim=1, slice_sizes={8,6}", "gather.start-index-map-repeated");
  with("offset_dims={1,2}, start_index_map={0}, index_vector_dim=1, slice_sizes={8,6}", "gather.start-index-map-size");
  with("offset_dims={1,2}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8}", "gather.slice-size-count");
  with("offset_dims={1,2}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={8,12}", "gather.slice-sizes");

  const std::string rest = ", index_vector_dim=2, slice_sizes={1,1}";
  auto batched = [&](const std::string& indices, const std::string& attributes, const std::string& label) {
    ExpectError(Gather("f32[16,5]", m, indices, "offset_dims={}, " + attributes + rest), label);
  };
  const std::string ok = "s64[16,5,1]", common = "collapsed_slice_dims={1}, start_index_map={1}, ";
  batched(ok, common + "operand_batching_dims={2}, start_indices_batching_dims={0}", "gather.operand-batching-range");
  batched(ok, common + "operand_batching_dims={0,0}, start_indices_batching_dims={0,1}", "gather.operand-batching-order");
  batched(ok, common + "operand_batching_dims={0}, start_indices_batching_dims={3}", "gather.indices-batching-range");
  batched(ok, common + "operand_batching_dims={0,1}, start_indices_batching_dims={0,0}", "gather.indices-batching-repeated");
  batched(ok, common + "operand_batching_dims={0}, start_indices_batching_dims={}", "gather.batching-count");
  batched(ok, common + "operand_batching_dims={1}, start_indices_batching_dims={0}", "gather.batching-overlap");
  batched("s64[15,5,1]", common + "operand_batching_dims={0}, start_indices_batching_dims={0}", "gather.batching-sizes");
}

}  // namespace
}  // namespace hloscope
