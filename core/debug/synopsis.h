// How a command is written, as the tables say it ("[NAME] | compare A B [%x | inside]"), read as what may stand where: for completion.
// Small letters stand for themselves, everything else for something that has a list, or is free. Knows no command and no program.
#ifndef HLOSCOPE_CORE_DEBUG_SYNOPSIS_H_
#define HLOSCOPE_CORE_DEBUG_SYNOPSIS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hloscope {

struct SynopsisPlace {
  std::string what;  // "compare", "NAME", "%x"
  size_t begin = 0;  // the number of the word that it began with: less than how many there are where it may have several
};
// Does it stand for itself?
bool IsLiteral(absl::string_view what);
// What the word behind `words` could be.
std::vector<SynopsisPlace> PlacesBehind(absl::string_view synopsis, absl::Span<const std::string> words);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SYNOPSIS_H_
