#include "core/shape/layout_map.h"

#include <cassert>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hloscope {
namespace {

int64_t Times(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

int64_t SizeOf(absl::Span<const int64_t> dimensions) {
  int64_t size = 1;
  for (int64_t d : dimensions) {
    if (d == 0) return 0;
    size = Times(size, d);
  }
  return size;
}

int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// The fewest bits that hold every value of the type: one for pred, whose storage has eight.
int64_t LeastBits(ElementType type) { return IsPred(type) ? 1 : BitWidth(type); }

int64_t Linearize(absl::Span<const int64_t> dimensions, absl::Span<const int64_t> index) {
  int64_t linear = 0;
  for (size_t d = 0; d < dimensions.size(); ++d) linear = linear * dimensions[d] + index[d];
  return linear;
}

void Delinearize(absl::Span<const int64_t> dimensions, int64_t linear, absl::Span<int64_t> index) {
  for (size_t d = dimensions.size(); d-- > 0;) {
    const int64_t size = dimensions[d] > 0 ? dimensions[d] : 1;
    index[d] = linear % size;
    linear /= size;
  }
}

template <typename... Arguments>
std::optional<LayoutProblem> Problem(LayoutProblem::Part part, absl::string_view text, const Arguments&... arguments) {
  return LayoutProblem{part, {text, {absl::StrCat(arguments)...}}};
}

std::optional<LayoutProblem> OrderProblem(int64_t rank, const std::vector<int64_t>& order) {
  using Part = LayoutProblem::Part;
  if (static_cast<int64_t>(order.size()) != rank) {
    return Problem(Part::kOrder, HLO_MESSAGE("expected $0 dimension numbers in the layout, found $1"), rank, order.size());
  }
  std::vector<bool> seen(rank, false);
  for (int64_t d : order) {
    if (d < 0 || d >= rank) return Problem(Part::kOrder, HLO_MESSAGE("expected dimension numbers below $0 in the layout, found $1"), rank, d);
    if (seen[d]) return Problem(Part::kOrder, HLO_MESSAGE("expected each dimension number once in the layout, found $0 again"), d);
    seen[d] = true;
  }
  return std::nullopt;
}

std::optional<LayoutProblem> TileProblem(const std::vector<Tile>& tiles) {
  using Part = LayoutProblem::Part;
  for (const Tile& tile : tiles) {
    for (size_t i = 0; i < tile.dimensions.size(); ++i) {
      const int64_t d = tile.dimensions[i];
      if (d == Tile::kCombine) {
        if (i + 1 == tile.dimensions.size()) return Problem(Part::kTile, HLO_MESSAGE("a tile's last entry has no more minor dimension to be joined to by *"));
      } else if (d < 1) {
        return Problem(Part::kTile, HLO_MESSAGE("expected tile sizes of at least 1, found $0"), d);
      }
    }
  }
  return std::nullopt;
}

std::optional<LayoutProblem> ElementProblem(ElementType type, int64_t bits) {
  using Part = LayoutProblem::Part;
  if (bits == 0) return std::nullopt;
  if (bits < LeastBits(type)) {
    return Problem(Part::kElementSize, HLO_MESSAGE("an element of $0 takes at least $1 bits, not $2"), Name(type), LeastBits(type), bits);
  }
  const bool fits = bits < 8 ? (bits & (bits - 1)) == 0 : bits % 8 == 0;
  if (!fits) return Problem(Part::kElementSize, HLO_MESSAGE("expected 1, 2, 4 or a multiple of 8 bits for an element, found $0"), bits);
  if (bits > 1024) return Problem(Part::kElementSize, HLO_MESSAGE("expected at most 1024 bits for an element, found $0"), bits);
  return std::nullopt;
}

}  // namespace

std::optional<LayoutProblem> FindLayoutProblem(ElementType type, absl::Span<const int64_t> dimensions, const Layout& layout) {
  using Part = LayoutProblem::Part;
  const int64_t rank = static_cast<int64_t>(dimensions.size());
  if (std::optional<LayoutProblem> problem = OrderProblem(rank, layout.minor_to_major)) return problem;
  const std::vector<int64_t>& padded = layout.padded_dimensions;
  if (!padded.empty() && static_cast<int64_t>(padded.size()) != rank) {
    return Problem(Part::kPadding, HLO_MESSAGE("expected $0 padded sizes, found $1"), rank, padded.size());
  }
  for (size_t d = 0; d < padded.size(); ++d) {
    if (padded[d] >= dimensions[d] && padded[d] >= 0) continue;
    return Problem(Part::kPadding, HLO_MESSAGE("expected dimension $0 of size $1 to be padded to at least that, found $2"), d, dimensions[d], padded[d]);
  }
  if (std::optional<LayoutProblem> problem = TileProblem(layout.tiles)) return problem;
  return ElementProblem(type, layout.element_size_in_bits);
}

std::optional<LayoutProblem> FindLayoutProblem(const Shape& shape) {
  for (const Shape& element : shape.tuple_shapes()) {
    if (std::optional<LayoutProblem> problem = FindLayoutProblem(element)) return problem;
  }
  if (!shape.IsArray() || shape.layout() == nullptr) return std::nullopt;
  return FindLayoutProblem(shape.element_type(), shape.dimensions(), *shape.layout());
}

LayoutMap::LayoutMap(const Shape& shape)
    : LayoutMap(shape.element_type(), shape.dimensions(), shape.layout() != nullptr ? *shape.layout() : Layout::RowMajor(shape.rank())) {}

LayoutMap::LayoutMap(ElementType type, absl::Span<const int64_t> dimensions, const Layout& layout)
    : dimensions_(dimensions.begin(), dimensions.end()) {
  assert(!FindLayoutProblem(type, dimensions, layout).has_value());
  storage_bits_ = 8 * int64_t{StorageBytes(type)};
  element_bits_ = layout.element_size_in_bits != 0 ? layout.element_size_in_bits : storage_bits_;
  major_to_minor_.assign(layout.minor_to_major.rbegin(), layout.minor_to_major.rend());
  const std::vector<int64_t>& padded = layout.padded_dimensions.empty() ? dimensions_ : layout.padded_dimensions;
  for (int64_t d : major_to_minor_) linear_dimensions_.push_back(padded[d]);
  physical_dimensions_ = linear_dimensions_;
  for (const Tile& tile : layout.tiles) {
    if (!tile.dimensions.empty()) AddTile(tile);
  }
  linear_size_ = SizeOf(linear_dimensions_);
  physical_size_ = SizeOf(physical_dimensions_);
}

void LayoutMap::AddTile(const Tile& tile) {
  Stage stage;
  const int reach = static_cast<int>(tile.dimensions.size());
  stage.before = physical_dimensions_;
  if (static_cast<int>(stage.before.size()) < reach) {
    stage.added = reach - static_cast<int>(stage.before.size());
    stage.before.insert(stage.before.begin(), stage.added, 1);
  }
  stage.kept = static_cast<int>(stage.before.size()) - reach;
  Stage::Group group;
  group.first = stage.kept;
  group.count = 0;
  for (int i = 0; i < reach; ++i) {
    group.size = Times(group.size, stage.before[stage.kept + i]);
    ++group.count;
    if (tile.dimensions[i] == Tile::kCombine) continue;
    group.tile = tile.dimensions[i];
    group.tiles = CeilDiv(group.size, group.tile);
    stage.groups.push_back(group);
    group = Stage::Group();
    group.first = stage.kept + i + 1;
    group.count = 0;
  }
  physical_dimensions_.assign(stage.before.begin(), stage.before.begin() + stage.kept);
  for (const Stage::Group& g : stage.groups) physical_dimensions_.push_back(g.tiles);
  for (const Stage::Group& g : stage.groups) physical_dimensions_.push_back(g.tile);
  stages_.push_back(std::move(stage));
}

int64_t LayoutMap::ByteSize() const {
  const int64_t bits = Times(physical_size_, element_bits_);
  return bits == std::numeric_limits<int64_t>::max() ? bits : CeilDiv(bits, 8);
}

bool LayoutMap::HasPadding() const { return physical_size_ != SizeOf(dimensions_); }

bool LayoutMap::IsDenseInElements() const {
  if (HasPadding()) return false;
  if (physical_size_ <= 1) return true;
  int64_t last = -1;  // of the dimensions that are more than a place holder, in order
  for (int64_t d : major_to_minor_) {
    if (dimensions_[d] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  // Without padding a tile moves nothing when one dimension is split and every more minor one lies whole in the tile.
  for (const Stage& stage : stages_) {
    bool split = false;
    for (size_t g = stage.groups.size(); g-- > 0;) {
      const Stage::Group& group = stage.groups[g];
      if (group.tile == 1) {
        split = split || group.tiles > 1;
        continue;
      }
      if (split) return false;
      split = group.tiles > 1;
    }
  }
  return true;
}

bool LayoutMap::IsDense() const { return element_bits_ == storage_bits_ && IsDenseInElements(); }

int64_t LayoutMap::LinearOf(absl::Span<const int64_t> index) const {
  int64_t linear = 0;
  for (size_t k = 0; k < major_to_minor_.size(); ++k) linear = linear * linear_dimensions_[k] + index[major_to_minor_[k]];
  return linear;
}

// `position` in the linear dimensions.
int64_t LayoutMap::Tiled(std::vector<int64_t>& position) const {
  std::vector<int64_t> next;
  for (const Stage& stage : stages_) {
    position.insert(position.begin(), stage.added, 0);
    next.assign(position.begin(), position.begin() + stage.kept);
    next.resize(stage.kept + 2 * stage.groups.size());
    for (size_t g = 0; g < stage.groups.size(); ++g) {
      const Stage::Group& group = stage.groups[g];
      const int64_t joined = Linearize(absl::MakeConstSpan(stage.before).subspan(group.first, group.count),
                                       absl::MakeConstSpan(position).subspan(group.first, group.count));
      next[stage.kept + g] = joined / group.tile;
      next[stage.kept + stage.groups.size() + g] = joined % group.tile;
    }
    position.swap(next);
  }
  return Linearize(physical_dimensions_, position);
}

int64_t LayoutMap::PhysicalOf(absl::Span<const int64_t> index) const {
  if (stages_.empty()) return LinearOf(index);
  std::vector<int64_t> position;
  for (int64_t d : major_to_minor_) position.push_back(index[d]);
  return Tiled(position);
}

std::optional<int64_t> LayoutMap::PhysicalOfLinear(int64_t linear) const {
  if (linear < 0 || linear >= linear_size_) return std::nullopt;
  if (stages_.empty()) return linear;
  std::vector<int64_t> position(linear_dimensions_.size());
  Delinearize(linear_dimensions_, linear, absl::MakeSpan(position));
  return Tiled(position);
}

std::optional<int64_t> LayoutMap::LinearOfPhysical(int64_t physical) const {
  if (physical < 0 || physical >= physical_size_) return std::nullopt;
  if (stages_.empty()) return physical;
  std::vector<int64_t> position(physical_dimensions_.size());
  Delinearize(physical_dimensions_, physical, absl::MakeSpan(position));
  for (size_t s = stages_.size(); s-- > 0;) {
    const Stage& stage = stages_[s];
    std::vector<int64_t> before(position.begin(), position.begin() + stage.kept);
    before.resize(stage.before.size());
    for (size_t g = 0; g < stage.groups.size(); ++g) {
      const Stage::Group& group = stage.groups[g];
      const int64_t joined = position[stage.kept + g] * group.tile + position[stage.kept + stage.groups.size() + g];
      if (joined >= group.size) return std::nullopt;
      Delinearize(absl::MakeConstSpan(stage.before).subspan(group.first, group.count), joined,
                  absl::MakeSpan(before).subspan(group.first, group.count));
    }
    position.assign(before.begin() + stage.added, before.end());
  }
  return Linearize(linear_dimensions_, position);
}

std::optional<LayoutMap::Index> LayoutMap::LogicalOfLinear(int64_t linear) const {
  if (linear < 0 || linear >= linear_size_) return std::nullopt;
  Index index(dimensions_.size());
  for (size_t k = major_to_minor_.size(); k-- > 0;) {
    const int64_t d = major_to_minor_[k];
    index[d] = linear % linear_dimensions_[k];
    linear /= linear_dimensions_[k];
    if (index[d] >= dimensions_[d]) return std::nullopt;
  }
  return index;
}

std::optional<LayoutMap::Index> LayoutMap::LogicalOfPhysical(int64_t physical) const {
  std::optional<int64_t> linear = LinearOfPhysical(physical);
  return linear.has_value() ? LogicalOfLinear(*linear) : std::nullopt;
}

std::optional<LayoutMap::Index> LayoutMap::LogicalOfBit(int64_t bit) const {
  return bit < 0 ? std::nullopt : LogicalOfPhysical(bit / element_bits_);
}

}  // namespace hloscope
