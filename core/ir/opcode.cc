#include "core/ir/opcode.h"

#include <utility>

#include "core/base/name_map.h"
#include "core/ir/old_opcodes.h"

namespace hloscope {
namespace {

constexpr absl::string_view kNames[] = {
#define X(enumerator, text, definition) text,
#include "core/ir/operations.def"
#undef X
};

// What operations were called before.
constexpr std::pair<absl::string_view, Opcode> kOldNames[] = {{kCrossReplicaSum, Opcode::kAllReduce}};

}  // namespace

absl::string_view Name(Opcode opcode) { return kNames[static_cast<int>(opcode)]; }

std::optional<Opcode> OpcodeFromName(absl::string_view name) {
  static const auto& table = *[] {
    auto* map = new NameMap<Opcode>;
    for (int i = 0; i < kOpcodeCount; ++i) map->emplace(kNames[i], static_cast<Opcode>(i));
    for (const auto& [name, opcode] : kOldNames) map->emplace(name, opcode);
    return map;
  }();
  auto it = table.find(name);
  if (it == table.end()) return std::nullopt;
  return it->second;
}

}  // namespace hloscope
