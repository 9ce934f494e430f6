#include "core/shape/layout.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace hloscope {
namespace {

absl::string_view Name(PaddingValue value) {
  switch (value) {
    case PaddingValue::kUnknown: return "unknown";
    case PaddingValue::kZero: return "zero";
    case PaddingValue::kOne: return "one";
    case PaddingValue::kLowest: return "lowest";
    case PaddingValue::kHighest: return "highest";
  }
  return "";
}

}  // namespace

Layout Layout::RowMajor(int rank) {
  Layout layout;
  layout.minor_to_major.resize(rank);
  for (int i = 0; i < rank; ++i) layout.minor_to_major[i] = rank - 1 - i;
  return layout;
}

bool Layout::IsPlainRowMajor() const { return *this == RowMajor(static_cast<int>(minor_to_major.size())); }

std::string Layout::ToString() const {
  std::string parts;
  if (!tiles.empty()) {
    absl::StrAppend(&parts, "T");
    for (const Tile& tile : tiles) {
      absl::StrAppend(&parts, "(", absl::StrJoin(tile.dimensions, ",", [](std::string* out, int64_t d) {
                        if (d == Tile::kCombine) {
                          out->push_back('*');
                        } else {
                          absl::StrAppend(out, d);
                        }
                      }),
                      ")");
    }
  }
  if (!padded_dimensions.empty()) {
    absl::StrAppend(&parts, "PAD(", absl::StrJoin(padded_dimensions, ","), ")=", Name(padding_value));
  }
  parts += other;
  if (element_size_in_bits != 0) absl::StrAppend(&parts, "E(", element_size_in_bits, ")");
  if (memory_space != 0) absl::StrAppend(&parts, "S(", memory_space, ")");
  return absl::StrCat("{", absl::StrJoin(minor_to_major, ","), parts.empty() ? "" : ":", parts, "}");
}

}  // namespace hloscope
