// Places in a program, as people name them: for break, tbreak, until, list and `stopped at`.
#ifndef HLOSCOPE_CORE_DEBUG_LOCATIONS_H_
#define HLOSCOPE_CORE_DEBUG_LOCATIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/ir/module.h"
#include "core/ir/opcode.h"

namespace hloscope {

struct Location {
  const Computation* computation = nullptr;
  int position = 0;  // in its schedule
  friend bool operator==(const Location&, const Location&) = default;
  const Instruction& instruction() const { return *computation->schedule[position]; }
};

// The places that `spec` names, in program order, at least one:
//   dot.5, %dot.5           instructions of that name (in `current` first, if it is there)
//   body, %body             a computation: its first instruction that is no parameter
//   body:dot.5, %dot.5 in body   an instruction of a computation
//   op:dot,all-*            every instruction of these operations; op:stablehlo.dot_general, op:dot_general as StableHLO calls them
//   shape:bf16[*,4096]      every instruction of such a shape: type and dimensions may be *, `...` is any number of dimensions, >=8 a
//   bound;
//                           shape:f32 any f32 array, shape:(s32[], ...) a tuple
//   call:body               every instruction that calls that computation
//   /regex/                 every instruction whose name has a match
//   re:/regex/              every instruction whose whole text has a match
//   scope:jit(f)/attention  where the program enters that scope of op_name; also scope:layer_*/**/mlp
//   model.py:142            where the program enters that line of its source (a whole path, or its end)
//   model.py, file:model.py where it enters that file
//   function:attend, model.py:attend   where it enters that Python function
//   function:relu, @relu    where a function of StableHLO (or a computation) of that name begins
//   142, model.hlo:142      the instructions on that line of the text, where model.hlo is its file
//   %dot.5,%body:dot.6      several by name
// NotFound with the nearest names where there is none.
absl::StatusOr<std::vector<Location>> ResolveLocations(const Module& module, absl::string_view spec, const Computation* current);

// The line of the text that is named so: by its number, or with the text's own file before it.
std::optional<int> TextLineOf(const Module& module, absl::string_view spec);
// An operation by HLO's name or by StableHLO's, as stablehlo.dot_general, dot_general.
std::optional<Opcode> OpcodeFromAnyName(absl::string_view name);
// "%dot.5 in body, model.hlo:12".
std::string Describe(const Module& module, const Location& location);
// 1-based line in the text; 0: none.
int LineOf(const Module& module, const Instruction& instruction);
// The file's name without directories.
absl::string_view Basename(absl::string_view path);
// The first instruction that is no parameter (or the last one).
int FirstStop(const Computation& computation);
// Where a run of it begins, for who moves through time: at its first instruction; of the module's entry behind the parameters, as start does,
// for they are no steps.
inline int BeginningOf(const Module& module, const Computation& computation) { return &computation == module.entry ? FirstStop(computation) : 0; }

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOCATIONS_H_
