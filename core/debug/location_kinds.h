// The forms of a location, one function each; locations.cc chooses among them. For locations.cc only.
#ifndef HLOSCOPE_CORE_DEBUG_LOCATION_KINDS_H_
#define HLOSCOPE_CORE_DEBUG_LOCATION_KINDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/debug/locations.h"
#include "core/ops/op.h"

namespace hloscope {

using Locations = std::vector<Location>;

template <typename Predicate>
Locations Select(const Module& module, Predicate predicate) {
  Locations found;
  for (const Computation* computation : module.computations) {
    for (const Instruction* instruction : computation->schedule) {
      if (predicate(*instruction)) found.push_back({computation, instruction->index});
    }
  }
  return found;
}

inline absl::Status NoLocation(absl::string_view what, absl::string_view hint = "") {
  return absl::NotFoundError(absl::StrCat(what, hint.empty() ? "" : "; ", hint));
}

// * any characters, ? one; without them: equal.
bool GlobMatches(absl::string_view text, absl::string_view pattern);
bool IsGlob(absl::string_view pattern);

// location_patterns.cc
absl::StatusOr<Locations> ByOperation(const Module& module, absl::string_view names);
absl::StatusOr<Locations> ByShape(const Module& module, absl::string_view pattern);
absl::StatusOr<Locations> ByCalled(const Module& module, absl::string_view name);
absl::StatusOr<Locations> ByRegex(const Module& module, absl::string_view pattern);
absl::StatusOr<Locations> ByWholeText(const Module& module, absl::string_view pattern);
// location_stablehlo.cc
// In a program read from StableHLO text: what its operations of that name have become, with or without the dialect; a glob. Else none.
Locations ByWrittenOperation(const Module& module, absl::string_view name);
bool IsStableHloOperation(absl::string_view name);
// location_python.cc
// What the text calls the function that a computation was made from, as @relu: without @ and quotes.
absl::string_view WrittenFunction(const Module& module, const Computation& computation);
absl::StatusOr<Locations> ByScope(const Module& module, absl::string_view scope);
absl::StatusOr<Locations> BySourceLine(const Module& module, absl::string_view file, int line);
absl::StatusOr<Locations> BySourceFile(const Module& module, absl::string_view file);
// Where the functions of the text (func.func @relu) or computations of that name begin, private ones too; a glob. `function`: with or without @.
Locations EntriesOf(const Module& module, absl::string_view function);
// `file` empty: in any file, and functions of the program's own text where no Python function has the name.
absl::StatusOr<Locations> ByFunction(const Module& module, absl::string_view file, absl::string_view function);
bool NamesSourceFile(const Module& module, absl::string_view file);
bool FileMatches(absl::string_view path, absl::string_view wanted);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOCATION_KINDS_H_
