// What an edited program calls otherwise than the one before it did, so that stops, watches and bookmarks follow a name that was changed.
// Not for comparing programs (match.h): all that bears the same name is the same here, whatever it computes.
#ifndef HLOSCOPE_CORE_DEBUG_RENAMES_H_
#define HLOSCOPE_CORE_DEBUG_RENAMES_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/ir/module.h"

namespace hloscope {

class Renames {
 public:
  Renames() = default;
  // An instruction whose name is gone is the one of the same operation, shape and operands whose name is new. Both modules stay.
  Renames(const Module& before, const Module& after);
  bool any() const { return !instructions_.empty() || !computations_.empty(); }
  // In the program after; null: it is gone.
  const Computation* Now(const Computation& before) const;
  const Instruction* Now(const Instruction& before) const;
  // In the program before; null: it is new.
  const Instruction* Before(const Instruction& now) const;
  // An expression that names what stands in the program before, with the names of the one after; in a place (`break e`) names stand without %
  // too. `home`: of the program before, whose names are meant.
  std::string Rewritten(absl::string_view text, const Computation* home, bool place = false) const;

 private:
  void Pair(const Computation& before, const Computation& after);

  const Module *before_ = nullptr, *after_ = nullptr;
  // What has another name.
  absl::flat_hash_map<const Instruction*, const Instruction*> instructions_, were_;
  absl::flat_hash_map<const Computation*, const Computation*> computations_, computations_were_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_RENAMES_H_
