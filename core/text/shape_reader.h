// Text of shapes and layouts to Shape, with one handle for each distinct text. Not for checking shapes against each other.
#ifndef HLOSCOPE_CORE_TEXT_SHAPE_READER_H_
#define HLOSCOPE_CORE_TEXT_SHAPE_READER_H_

#include "core/base/name_map.h"
#include "core/shape/layout_map.h"
#include "core/shape/shape.h"
#include "core/text/scanner.h"

namespace hloscope {

class ShapeReader {
 public:
  explicit ShapeReader(Scanner& scanner) : s_(scanner) {}

  // Is there a shape at the scanner's place, rather than a name? "(..." and "word[..." are shapes.
  bool AtShape() const;
  // Reads the shape at the scanner's place. On failure it has been reported, and the scanner stands behind the shape where its end can be
  // seen.
  bool Read(Shape* shape);

 private:
  const char* FindEnd(const char* p) const;
  bool ReadTuple(Shape* shape, int depth);
  bool ReadArray(Shape* shape);
  bool ReadDimensions(std::vector<int64_t>& dimensions, std::vector<bool>& dynamic);
  bool ReadLayout(int rank, Layout& layout);
  bool Report(const LayoutProblem& problem, const char* start);
  bool ReadLayoutPart(int rank, Layout& layout);
  bool ReadIntegers(std::vector<int64_t>& values, absl::string_view what, bool allow_star);

  Scanner& s_;
  NameMap<Shape> cache_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_SHAPE_READER_H_
