#include "core/debug/unchanged.h"

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/base/hash.h"
#include "core/ops/op.h"
#include "core/ops/random_numbers.h"
#include "core/text/attribute_text.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

uint64_t HashOf(absl::string_view text) { return HashBytes(text.data(), text.size()); }

class Cones {
 public:
  // Nothing: never the same as another.
  struct Hash {
    bool same = true;     // false: talks to the outside
    bool random = false;  // depends on where it stands
    uint64_t value = 0;
  };

  // By schedule position.
  std::vector<Hash> Of(const Computation& computation) {
    std::vector<Hash> hashes(computation.schedule.size());
    for (const Instruction* i : computation.schedule) hashes[i->index] = Of(*i, hashes);
    return hashes;
  }

 private:
  Hash Of(const Instruction& i, const std::vector<Hash>& before) {
    Hash hash;
    uint64_t h = MixHash(static_cast<uint64_t>(i.opcode), HashOf(i.shape.ToString(true)));
    hash.same = Def(i).host == HostService::kNone && !HasSideEffect(i);
    hash.random = DrawsRandomNumbers(i);
    for (const Instruction* operand : i.operands) {
      const Hash& o = before[operand->index];
      hash.same = hash.same && o.same;
      h = MixHash(h, o.value);
    }
    uint64_t attributes = 0;  // in any order
    for (const Attribute& attribute : i.attributes) {
      const absl::string_view name = attribute.name.empty() ? Info(attribute.id).name : attribute.name;
      uint64_t a = HashOf(name);
      if (const auto* called = std::get_if<Computation*>(&attribute.value)) {
        a = MixHash(a, Called(**called, hash));
      } else if (const auto* many = std::get_if<std::vector<Computation*>>(&attribute.value)) {
        for (const Computation* c : *many) a = MixHash(a, Called(*c, hash));
      } else {
        std::string text;
        TextOf(Info(attribute.id).kind).print(attribute.value, PrintOptions(), &text);
        a = MixHash(a, HashOf(text));
      }
      attributes += a;
    }
    h = MixHash(MixHash(h, attributes), HashOf(i.backend_config));
    h = MixHash(h, static_cast<uint64_t>(i.parameter_number + 1));
    if (i.literal != nullptr) h = MixHash(h, LiteralOf(i));
    if (hash.random) h = MixHash(h, (static_cast<uint64_t>(i.parent->id) << 32) | static_cast<uint32_t>(i.index));
    hash.value = h;
    return hash;
  }

  uint64_t LiteralOf(const Instruction& i) {
    const Value& value = i.literal->value;
    if (!value.has_value()) return HashOf(absl::StrCat("elided ", i.parent->name, "/", i.name));
    if (!value.shape().IsArray()) return HashOf(PrintLiteral(value));
    return HashBytes(value.physical_data(), static_cast<size_t>(value.byte_size()));
  }

  uint64_t Called(const Computation& computation, Hash& caller) {
    const auto found = called_.find(&computation);
    Hash hash;
    if (found != called_.end()) {
      hash = found->second;
    } else {
      hash.value = computation.root != nullptr ? static_cast<uint64_t>(computation.root->index) : 0;
      for (const Hash& h : Of(computation)) {
        hash.same = hash.same && h.same;
        hash.random = hash.random || h.random;
        hash.value = MixHash(hash.value, h.value);
      }
      called_[&computation] = hash;
    }
    caller.same = caller.same && hash.same;
    caller.random = caller.random || hash.random;
    return hash.value;
  }

  absl::flat_hash_map<const Computation*, Hash> called_;
};

}  // namespace

std::vector<int> UnchangedInstructions(const Module& before, const Module& after, const std::vector<bool>& preferred) {
  const std::vector<Cones::Hash> olds = Cones().Of(*before.entry), news = Cones().Of(*after.entry);
  absl::flat_hash_map<uint64_t, int> by_hash;
  for (size_t p = 0; p < olds.size(); ++p) {
    if (!olds[p].same) continue;
    const auto [at, added] = by_hash.try_emplace(olds[p].value, static_cast<int>(p));
    if (!added && !preferred[at->second] && preferred[p]) at->second = static_cast<int>(p);
  }
  std::vector<int> found(news.size(), -1);
  for (size_t p = 0; p < news.size(); ++p) {
    // At its own place first: parameters that nobody tells apart, equal constants.
    if (!news[p].same) continue;
    if (p < olds.size() && olds[p].same && olds[p].value == news[p].value && preferred[p]) {
      found[p] = static_cast<int>(p);
    } else if (const auto at = by_hash.find(news[p].value); at != by_hash.end()) {
      found[p] = at->second;
    }
  }
  return found;
}

}  // namespace hloscope
