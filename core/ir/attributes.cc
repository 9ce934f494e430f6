#include "core/ir/attributes.h"

#include "core/base/name_map.h"

namespace hloscope {
namespace {

constexpr AttrInfo kAttributes[] = {
#define X(enumerator, text, kind) {text, AttrKind::kind},
#include "core/ir/attributes.def"
#undef X
    {"", AttrKind::Raw},
};

}  // namespace

const AttrInfo& Info(AttrId id) { return kAttributes[static_cast<int>(id)]; }

AttrId AttrIdFromName(absl::string_view name) {
  static const auto& table = *[] {
    auto* map = new NameMap<AttrId>;
    for (int i = 0; i < static_cast<int>(AttrId::kUnknown); ++i) map->emplace(kAttributes[i].name, static_cast<AttrId>(i));
    map->emplace("original_value", AttrId::kOriginalValue);  // its name before it was shortened; printed as it was written
    return map;
  }();
  auto it = table.find(name);
  return it == table.end() ? AttrId::kUnknown : it->second;
}

}  // namespace hloscope
