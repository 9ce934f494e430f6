// Shardings: {replicated}, {maximal device=1}, {devices=[2,1,4]<=[8] last_tile_dim_replicate}, {{..}, {..}} of tuples, and those over the
// axes of a mesh, {mesh['x'=2,'y'=4], [{'x'}, {}]} (written out, not taken apart).
#include "core/text/proto/convert.h"
#include "core/text/proto/raw_cursor.h"

namespace hloscope {
namespace {

constexpr int kMaxDepth = 64;
constexpr absl::string_view kTypes[] = {"replicated", "maximal", "tuple", "other", "manual", "unknown", "unreduced"};

absl::string_view TypeName(int type) { return type >= 0 && type < 7 ? kTypes[type] : "unknown"; }

int TypeNumber(absl::string_view name) {
  for (int i = 0; i < 7; ++i) {
    if (kTypes[i] == name && i != 2 && i != 3) return i;
  }
  return -1;
}

template <typename Field>
std::string MetadataListText(const Field& metadata) {
  if (metadata.empty()) return "";
  if (metadata.size() == 1) return absl::StrCat(" metadata=", MetadataText(metadata.Get(0)));
  std::vector<std::string> texts;
  for (const pb::OpMetadata& m : metadata) texts.push_back(MetadataText(m));
  return absl::StrCat(" metadata={", absl::StrJoin(texts, ", "), "}");
}

std::string GroupText(const pb::OpSharding& s) {
  if (!s.is_shard_group()) return "";
  return absl::StrCat(s.shard_group_type() == 0 ? " shard_as " : " shard_like ", s.shard_group_id());
}

std::string TilesText(const pb::OpSharding& s) {
  std::string text = absl::StrCat("{devices=[", absl::StrJoin(s.tile_assignment_dimensions(), ","), "]");
  if (s.iota_reshape_dims_size() > 0) {
    absl::StrAppend(&text, "<=[", absl::StrJoin(s.iota_reshape_dims(), ","), "]");
    if (s.iota_reshape_dims_size() > 1) absl::StrAppend(&text, "T(", absl::StrJoin(s.iota_transpose_perm(), ","), ")");
  } else {
    absl::StrAppend(&text, absl::StrJoin(s.tile_assignment_devices(), ","));
  }
  if (s.replicate_on_last_tile_dim()) text += " last_tile_dim_replicate";
  if (s.last_tile_dims_size() > 0) {
    std::vector<absl::string_view> names;
    for (int type : s.last_tile_dims()) names.push_back(TypeName(type));
    absl::StrAppend(&text, " last_tile_dims={", absl::StrJoin(names, ", "), "}");
  }
  return absl::StrCat(text, GroupText(s), MetadataListText(s.metadata()), "}");
}

std::string NamedText(const pb::NamedShardingProto& s, int depth) {
  if (depth > kMaxDepth) return "{unknown}";
  if (s.tuple_shardings_size() > 0) {
    std::vector<std::string> parts;
    for (const pb::NamedShardingProto& part : s.tuple_shardings()) parts.push_back(NamedText(part, depth + 1));
    return absl::StrCat("{", absl::StrJoin(parts, ", "), "}");
  }
  std::vector<std::string> dimensions;
  for (const pb::NamedShardingProto::DimensionSharding& d : s.dim_shardings()) {
    std::string axes = AxesText(d.axes(), s.mesh());
    if (!d.is_closed()) axes.insert(axes.size() - 1, d.axes_size() > 0 ? ", ?" : "?");
    dimensions.push_back(std::move(axes));
  }
  std::string text = absl::StrCat("{", MeshText(s.mesh()), ", [", absl::StrJoin(dimensions, ", "), "]");
  if (s.replicated_axes_size() > 0) absl::StrAppend(&text, ", replicated=", AxesText(s.replicated_axes(), s.mesh()));
  if (s.unreduced_axes_size() > 0) absl::StrAppend(&text, ", unreduced=", AxesText(s.unreduced_axes(), s.mesh()));
  return absl::StrCat(text, MetadataListText(s.metadata()), "}");
}

bool ParseTiles(RawCursor& c, pb::OpSharding* s) {
  s->set_type(3);
  if (!c.Integers("[", "]", s->mutable_tile_assignment_dimensions())) return false;
  if (!c.Take("<=")) {
    int64_t device;
    do {
      if (!c.Integer(&device)) return false;
      s->add_tile_assignment_devices(device);
    } while (c.Take(","));
    return true;
  }
  if (!c.Integers("[", "]", s->mutable_iota_reshape_dims())) return false;
  if (c.Take("T")) return c.Integers("(", ")", s->mutable_iota_transpose_perm());
  if (s->iota_reshape_dims_size() == 1) s->add_iota_transpose_perm(0);
  return true;
}

bool ParseLastTileDims(RawCursor& c, pb::OpSharding* s) {
  if (!c.Take("{")) return false;
  do {
    const int type = TypeNumber(c.Word());
    if (type < 0) return false;
    s->add_last_tile_dims(type);
  } while (c.Take(","));
  return c.Take("}");
}

bool ParseOne(RawCursor& c, pb::OpSharding* s, int depth);

bool ParseTuple(RawCursor& c, pb::OpSharding* s, int depth) {
  s->set_type(2);
  do {
    if (!ParseOne(c, s->add_tuple_shardings(), depth + 1)) return false;
  } while (c.Take(","));
  return c.Take("}");
}

bool ParseMetadataList(RawCursor& c, pb::OpSharding* s) {
  absl::string_view text;
  if (!c.Balanced(&text)) return false;
  RawCursor list(text.substr(1));
  if (list.Peek() != '{') return ParseMetadata(text.substr(1, text.size() - 2), s->add_metadata());
  do {
    if (!list.Balanced(&text) || !ParseMetadata(text.substr(1, text.size() - 2), s->add_metadata())) return false;
  } while (list.Take(","));
  return true;
}

bool ParseOne(RawCursor& c, pb::OpSharding* s, int depth) {
  if (depth > kMaxDepth || !c.Take("{")) return false;
  if (c.Peek() == '{') return ParseTuple(c, s, depth);
  bool known = false;
  while (!c.Take("}")) {
    const absl::string_view word = c.Word();
    if (word == "devices") {
      known = true;
      if (!c.Take("=") || !ParseTiles(c, s)) return false;
    } else if (word == "device") {
      int64_t device;
      if (!c.Take("=") || !c.Integer(&device)) return false;
      s->add_tile_assignment_devices(device);
      if (s->tile_assignment_dimensions_size() == 0) s->add_tile_assignment_dimensions(1);
    } else if (word == "last_tile_dim_replicate") {
      s->set_replicate_on_last_tile_dim(true);
    } else if (word == "last_tile_dims") {
      if (!c.Take("=") || !ParseLastTileDims(c, s)) return false;
    } else if (word == "shard_as" || word == "shard_like") {
      int64_t id;
      if (!c.Integer(&id)) return false;
      s->set_is_shard_group(true);
      s->set_shard_group_id(id);
      s->set_shard_group_type(word == "shard_like");
    } else if (word == "metadata") {
      if (!c.Take("=") || !ParseMetadataList(c, s)) return false;
    } else {
      const int type = TypeNumber(word);
      if (type < 0) return false;
      known = true;
      s->set_type(type);
    }
  }
  return known;
}

}  // namespace

std::string ShardingText(const pb::OpSharding& s, int depth) {
  if (depth > kMaxDepth) return "{unknown}";
  if (s.has_named_sharding()) return NamedText(s.named_sharding(), 0);
  switch (s.type()) {
    case 1: {
      const int64_t device = s.tile_assignment_devices_size() > 0 ? s.tile_assignment_devices(0) : 0;
      return absl::StrCat("{maximal device=", device, GroupText(s), MetadataListText(s.metadata()), "}");
    }
    case 2: {
      std::vector<std::string> parts;
      for (const pb::OpSharding& part : s.tuple_shardings()) parts.push_back(ShardingText(part, depth + 1));
      return absl::StrCat("{", absl::StrJoin(parts, ", "), "}");
    }
    case 3: return TilesText(s);
    default: return absl::StrCat("{", TypeName(s.type()), GroupText(s), MetadataListText(s.metadata()), "}");
  }
}

bool ParseSharding(absl::string_view text, pb::OpSharding* sharding) {
  RawCursor c(text);
  return ParseOne(c, sharding, 0) && c.AtEnd();
}

}  // namespace hloscope
