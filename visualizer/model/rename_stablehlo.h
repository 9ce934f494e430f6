// Names in StableHLO text: where a value (%x) or a function (@f) is made, all places that mean it, what it can be renamed to. Goes by the words and the brackets of the
// text, so that it is possible while the text has mistakes. Not for HLO text (build_edit.h).
#ifndef HLOSCOPE_VISUALIZER_MODEL_RENAME_STABLEHLO_H_
#define HLOSCOPE_VISUALIZER_MODEL_RENAME_STABLEHLO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/source.h"

namespace hloscope {

// The name at a place, with its % or @ and without the #1 of a pack; invalid: none.
SourceRange StableHloNameAt(absl::string_view text, int64_t offset);
// All places that mean what the name at `word` means, ascending. Blocks beside each other may have values of one name: those of the others are
// not among them.
std::vector<SourceRange> StableHloUses(absl::string_view text, SourceRange word);
// The one of them where it is made: the value's result or argument, the function's head; invalid: nowhere.
SourceRange StableHloDefinition(absl::string_view text, SourceRange word);
// The first place at `from` or behind it that bears a name, which has its % or @; invalid: none.
SourceRange StableHloNameFrom(absl::string_view text, int64_t from, absl::string_view name);
// Why a name cannot stand for the one at `word`; ok: it can. `name` with or without its % or @.
absl::Status CheckStableHloName(absl::string_view text, SourceRange word, absl::string_view name);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_RENAME_STABLEHLO_H_
