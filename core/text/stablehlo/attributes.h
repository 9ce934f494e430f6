// MLIR attributes as numbers and words, whichever of their spellings was used. Not for HLO's attributes (core/ir/attributes.h).
#ifndef HLOSCOPE_CORE_TEXT_STABLEHLO_ATTRIBUTES_H_
#define HLOSCOPE_CORE_TEXT_STABLEHLO_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/attributes.h"
#include "core/text/mlir/mlir.h"

namespace hloscope::stablehlo {

// Each returns nothing where the attribute has another kind.
std::optional<int64_t> IntOf(const mlir::Attr& a);
std::optional<double> NumberOf(const mlir::Attr& a);
// array<i64: 1, 2>, dense<[1, 2]>, [1, 2], array<i1: true>.
std::optional<std::vector<int64_t>> IntsOf(const mlir::Attr& a);
// dense<[[0, 1], [2, 3]]> : tensor<2x2xi64> and [[0, 1], [2, 3]], row by row.
std::optional<std::vector<std::vector<int64_t>>> RowsOf(const mlir::Attr& a);
// #stablehlo<fft_type RFFT>, "RFFT", RFFT.
std::string WordOf(const mlir::Attr& a);
// Each word of [#stablehlo<precision HIGHEST>, ...].
std::vector<std::string> WordsOf(const mlir::Attr& a);
std::vector<int64_t> IntsField(const mlir::Attr& a, absl::string_view field);  // empty when absent
int64_t IntField(const mlir::Attr& a, absl::string_view field, int64_t otherwise);
// #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]> or its raw form with named fields.
std::optional<ConvDimensionNumbers> ConvolutionOf(const mlir::Attr& a);
// Quoted as HLO text quotes.
std::string Quoted(absl::string_view text);
// {a = "x", b = "y"} as {a="x",b="y"}; values that are no strings as they were written.
std::string FrontendAttributes(const mlir::Attr& dictionary, const SourceText& source);
std::string WrittenText(const mlir::Attr& a, const SourceText& source);

}  // namespace hloscope::stablehlo

#endif  // HLOSCOPE_CORE_TEXT_STABLEHLO_ATTRIBUTES_H_
