// The table of pictures.
#include <algorithm>

#include "visualizer/pictures/picture.h"

namespace hloscope {

#define X(id, title, help, Name)               \
  int Suits##Name(const Instruction& instruction); \
  absl::StatusOr<MadePicture> Draw##Name(const PictureData& data, const PictureSelection& selection);
#include "visualizer/pictures/pictures.def"
#undef X

const std::vector<PictureRow>& PictureRows() {
  static const auto& rows = *new std::vector<PictureRow>{
#define X(id, title, help, Name) {id, title, help, Suits##Name, Draw##Name},
#include "visualizer/pictures/pictures.def"
#undef X
  };
  return rows;
}

const PictureRow* FindPictureRow(absl::string_view id) {
  for (const PictureRow& row : PictureRows()) {
    if (id == row.id) return &row;
  }
  return nullptr;
}

std::vector<const PictureRow*> PicturesFor(const Instruction& instruction) {
  std::vector<std::pair<int, const PictureRow*>> found;
  for (const PictureRow& row : PictureRows()) {
    if (const int how_well = row.suits(instruction); how_well > 0) found.emplace_back(-how_well, &row);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const PictureRow*> rows;
  for (const auto& [order, row] : found) rows.push_back(row);
  return rows;
}

}  // namespace hloscope
