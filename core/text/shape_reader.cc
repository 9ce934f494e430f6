// Shapes: `f32[2,<=3,?]{1,0:T(8,128)S(1)}`, `(f32[], /*index=1*/s32[4])`, `token[]`. A module has few distinct shapes and many uses of
// them, so the first thing done with a shape is to find its end, cheaply, and to look its text up.
#include "core/text/shape_reader.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/nearest_name.h"
#include "core/shape/layout_map.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

constexpr int64_t kLongestCached = 1 << 16;

// A `{` behind a shape is its layout, or opens the body of a computation.
bool LayoutFollows(const char* p) {
  if (*p != '{') return false;
  ++p;
  while (*p == ' ') ++p;
  return IsClass(*p, char_class::kDigit) || *p == ':' || *p == '}';
}

}  // namespace

bool ShapeReader::AtShape() const {
  const char* p = s_.p;
  if (*p == '(') return true;
  if (!IsClass(*p, char_class::kAlpha)) return false;
  while (IsClass(*p, char_class::kAlpha | char_class::kDigit)) ++p;
  return *p == '[';
}

// Null when no end is in sight. May be wrong about odd comments: the reader then disagrees, and the text is not cached.
const char* ShapeReader::FindEnd(const char* p) const {
  const char* stop = s_.end() - p > kLongestCached ? p + kLongestCached : s_.end();
  if (*p == '(') {
    int depth = 0;
    for (; p < stop && IsClass(*p, char_class::kShape); ++p) {
      if (*p == '(') ++depth;
      if (*p == ')' && --depth == 0) return p + 1;
    }
    return nullptr;
  }
  while (IsClass(*p, char_class::kAlpha | char_class::kDigit)) ++p;
  if (*p != '[') return nullptr;
  ++p;
  while (p < stop && (IsClass(*p, char_class::kDigit) || *p == ',' || *p == ' ' || *p == '<' || *p == '=' || *p == '?')) ++p;
  if (p >= stop || *p != ']') return nullptr;
  ++p;
  if (!LayoutFollows(p)) return p;
  int depth = 0;
  for (; p < stop && IsClass(*p, char_class::kShape); ++p) {
    if (*p == '{') ++depth;
    if (*p == '}' && --depth == 0) return p + 1;
  }
  return nullptr;
}

bool ShapeReader::Read(Shape* shape) {
  const char* start = s_.p;
  const char* end = FindEnd(start);
  if (end != nullptr) {
    auto it = cache_.find(absl::string_view(start, end - start));
    if (it != cache_.end()) {
      *shape = it->second;
      s_.p = end;
      return true;
    }
  }
  if (!(*start == '(' ? ReadTuple(shape, 0) : ReadArray(shape))) {
    if (end != nullptr && absl::string_view(start, end - start).find('\n') == absl::string_view::npos) s_.p = end;
    return false;
  }
  if (s_.p == end) cache_.emplace(absl::string_view(start, end - start), *shape);
  return true;
}

bool ShapeReader::ReadTuple(Shape* shape, int depth) {
  const char* open = s_.p;
  if (depth >= s_.limits().max_depth) {
    return s_.Error(s_.Range(open, open + 1), HLO_LABEL("text.shape-depth"),
                    absl::StrCat("expected tuple shapes nested at most ", s_.limits().max_depth, " deep"));
  }
  ++s_.p;
  std::vector<Shape> elements;
  if (!s_.Take(')')) {
    do {
      s_.SkipSpace();
      Shape& element = elements.emplace_back();
      if (!(*s_.p == '(' ? ReadTuple(&element, depth + 1) : Read(&element))) return false;
    } while (s_.Take(','));
    if (!s_.Expect(')', "the last shape of a tuple")) return false;
  }
  *shape = Shape::Tuple(std::move(elements));
  return true;
}

bool ShapeReader::ReadArray(Shape* shape) {
  const char* start = s_.p;
  absl::string_view word = s_.Word();
  if (word.empty() || *s_.p != '[') {
    s_.p = start;
    return s_.Error(s_.Here(), HLO_LABEL("text.expected-shape"), absl::StrCat("expected a shape, found ", s_.Found()),
                    "a shape looks like f32[2,3]{1,0}, s32[] or (f32[2], pred[])");
  }
  std::optional<ElementType> type = ElementTypeFromName(word);
  if (!type || *type == ElementType::kTuple) {
    int64_t budget = 10000;
    NearestName nearest(word, &budget);
    for (const ElementTypeInfo& info : kElementTypeInfo) {
      if (info.kind != TypeKind::Tuple) nearest.Offer(info.name);
    }
    return s_.Error(s_.Range(word), HLO_LABEL("text.element-type"), absl::StrCat("expected an element type, found '", word, "'"),
                    nearest.Hint());
  }
  std::vector<int64_t> dimensions;
  std::vector<bool> dynamic;
  const char* open = s_.p;
  if (!ReadDimensions(dimensions, dynamic)) return false;
  if (!IsArrayType(*type)) {
    if (!dimensions.empty()) {
      return s_.Error(s_.Range(open, s_.p), HLO_LABEL("text.dimension"),
                      absl::StrCat("expected no dimensions for ", word, ", found ", dimensions.size()));
    }
    *shape = *type == ElementType::kToken ? Shape::Token() : Shape::Opaque();
    return true;
  }
  std::optional<Layout> layout;
  if (LayoutFollows(s_.p)) {
    layout.emplace();
    const char* start = s_.p;
    if (!ReadLayout(static_cast<int>(dimensions.size()), *layout)) return false;
    if (std::optional<LayoutProblem> problem = FindLayoutProblem(*type, dimensions, *layout)) return Report(*problem, start);
    if (dimensions.empty() && *layout == Layout()) layout.reset();  // f32[]{} says nothing
  }
  *shape = Shape::Array(*type, dimensions, std::move(layout), std::move(dynamic));
  return true;
}

// The order has been reported where its entries are read.
bool ShapeReader::Report(const LayoutProblem& problem, const char* start) {
  const SourceRange range = s_.Range(start, s_.p);
  switch (problem.part) {
    case LayoutProblem::Part::kOrder:
      break;
    case LayoutProblem::Part::kPadding:
      return s_.Error(range, HLO_LABEL("text.layout-padding"), problem.message.ToString(), "padding makes a dimension larger in memory: PAD(3,5)=zero for f32[2,3]");
    case LayoutProblem::Part::kTile:
      return s_.Error(range, HLO_LABEL("text.layout-tile"), problem.message.ToString(), "a tile says how many elements of the most minor dimensions lie together: T(8,128)");
    case LayoutProblem::Part::kElementSize:
      return s_.Error(range, HLO_LABEL("text.layout-element-size"), problem.message.ToString(), "E(n) says how many bits an element takes in memory");
  }
  return s_.Error(range, HLO_LABEL("text.layout-order"), problem.message.ToString());
}

bool ShapeReader::ReadDimensions(std::vector<int64_t>& dimensions, std::vector<bool>& dynamic) {
  ++s_.p;  // [
  if (s_.Take(']')) return true;
  do {
    s_.SkipSpace();
    const char* start = s_.p;
    int64_t size = 0;
    bool is_dynamic = true;
    if (*s_.p == '?') {
      ++s_.p;
      size = Shape::kUnbounded;
    } else {
      is_dynamic = *s_.p == '<';
      if (is_dynamic) {
        if (s_.p[1] != '=') {
          return s_.Error(s_.Range(s_.p, s_.p + 1), HLO_LABEL("text.dimension"), "expected '<=' before the bound of a dynamic dimension");
        }
        s_.p += 2;
      }
      if (!s_.Integer(&size, "a dimension")) return false;
      if (size < 0) {
        return s_.Error(s_.Range(start, s_.p), HLO_LABEL("text.dimension"),
                        absl::StrCat("expected a dimension of at least 0, found ", size),
                        "a size that is not known is written '?', or '<=n' when it has a bound");
      }
    }
    dimensions.push_back(size);
    dynamic.push_back(is_dynamic);
  } while (s_.Take(','));
  return s_.Expect(']', "the last dimension");
}

bool ShapeReader::ReadIntegers(std::vector<int64_t>& values, absl::string_view what, bool allow_star) {
  ++s_.p;  // (
  if (s_.Take(')')) return true;
  do {
    s_.SkipSpace();
    int64_t value = Tile::kCombine;
    if (allow_star && *s_.p == '*') {
      ++s_.p;
    } else if (!s_.Integer(&value, what)) {
      return false;
    }
    values.push_back(value);
  } while (s_.Take(','));
  return s_.Expect(')', what);
}

bool ShapeReader::ReadLayout(int rank, Layout& layout) {
  const char* open = s_.p++;
  std::vector<bool> seen(rank);
  s_.SkipSpace();
  while (*s_.p != '}' && *s_.p != ':') {
    const char* start = s_.p;
    int64_t dimension;
    if (!s_.Integer(&dimension, "a layout's dimension number")) return false;
    if (dimension < 0 || dimension >= rank || seen[dimension]) {
      return s_.Error(s_.Range(start, s_.p), HLO_LABEL("text.layout-order"),
                      dimension < 0 || dimension >= rank
                          ? absl::StrCat("expected dimension numbers below ", rank, " in the layout, found ", dimension)
                          : absl::StrCat("expected each dimension number once in the layout, found ", dimension, " again"),
                      absl::StrCat("the layout of ", rank, " dimensions is an ordering of their numbers, the most minor first"));
    }
    seen[dimension] = true;
    layout.minor_to_major.push_back(dimension);
    if (!s_.Take(',')) break;
    s_.SkipSpace();
  }
  if (static_cast<int>(layout.minor_to_major.size()) != rank) {
    return s_.Error(s_.Range(open, s_.p), HLO_LABEL("text.layout-order"),
                    absl::StrCat("expected ", rank, " dimension numbers in the layout, found ", layout.minor_to_major.size()));
  }
  if (s_.Take(':')) {
    while (s_.SkipSpace(), *s_.p != '}') {
      if (!ReadLayoutPart(rank, layout)) return false;
    }
  }
  return s_.Expect('}', "the layout");
}

bool ShapeReader::ReadLayoutPart(int rank, Layout& layout) {
  const char* start = s_.p;
  if (*s_.p == '#' || *s_.p == '*') {
    ++s_.p;
  } else {
    s_.Word();
  }
  absl::string_view name(start, s_.p - start);
  if (name.empty() || *s_.p != '(') {
    return s_.Error(s_.Here(), HLO_LABEL("text.layout-part"),
                    absl::StrCat("expected a part of a layout such as T(8,128) or S(1), found ", s_.Found()));
  }
  if (name == "T") {
    while (*s_.p == '(') {
      if (!ReadIntegers(layout.tiles.emplace_back().dimensions, "a tile's size", true)) return false;
    }
    return true;
  }
  if (name == "E" || name == "S") {
    std::vector<int64_t> value;
    if (!ReadIntegers(value, name == "E" ? "an element size in bits" : "a memory space", false)) return false;
    if (value.size() != 1) {
      return s_.Error(s_.Range(start, s_.p), HLO_LABEL("text.layout-part"),
                      absl::StrCat("expected one number in ", name, "(..), found ", value.size()));
    }
    (name == "E" ? layout.element_size_in_bits : layout.memory_space) = value[0];
    return true;
  }
  if (name == "PAD") {
    if (!ReadIntegers(layout.padded_dimensions, "a padded size", false)) return false;
    if (static_cast<int>(layout.padded_dimensions.size()) != rank) {
      return s_.Error(s_.Range(start, s_.p), HLO_LABEL("text.layout-padding"),
                      absl::StrCat("expected ", rank, " padded sizes, found ", layout.padded_dimensions.size()));
    }
    if (!s_.Take('=')) return true;
    s_.SkipSpace();
    absl::string_view value = s_.Word();
    static constexpr absl::string_view kNames[] = {"unknown", "zero", "one", "lowest", "highest"};
    // The next part may follow at once, as in `zeroE(4)`.
    const auto* found = std::find_if(std::begin(kNames), std::end(kNames), [&](absl::string_view n) {
      if (!absl::StartsWith(value, n)) return false;
      const absl::string_view rest = value.substr(n.size());
      return rest.empty() || std::all_of(rest.begin(), rest.end(), absl::ascii_isupper);
    });
    if (found != std::end(kNames)) s_.p -= value.size() - found->size();
    if (found == std::end(kNames)) {
      s_.p -= value.size();
      return s_.Error(s_.Here(), HLO_LABEL("text.layout-part"),
                      absl::StrCat("expected unknown, zero, one, lowest or highest as the padding's value, found ", s_.Found()));
    }
    if (rank > 0) layout.padding_value = static_cast<PaddingValue>(found - std::begin(kNames));
    return true;
  }
  while (*s_.p == '(') {
    if (!s_.SkipBalanced()) return false;
  }
  layout.other.append(start, s_.p - start);
  return true;
}

absl::StatusOr<Shape> ParseShape(absl::string_view text) {
  std::string copy(text.data(), text.size());  // the scanner wants a zero byte at the end
  DiagnosticSink sink;
  Scanner scanner(copy, sink, TextLimits());
  ShapeReader reader(scanner);
  scanner.SkipSpace();
  Shape shape;
  if (reader.Read(&shape)) {
    scanner.SkipSpace();
    if (scanner.AtEnd() && sink.error_count() == 0) return shape;
    scanner.Error(scanner.Here(), HLO_LABEL("text.expected-shape"),
                  absl::StrCat("expected nothing more after the shape, found ", scanner.Found()));
  }
  const Diagnostic& first = sink.diagnostics().front();
  return absl::InvalidArgumentError(absl::StrCat("column ", first.range.begin + 1, ": ", first.message));
}

}  // namespace hloscope
