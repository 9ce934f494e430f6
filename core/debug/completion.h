// What could stand at the end of a console's line: of the tables of commands and topics, the program's names, functions of expressions,
// files.
#ifndef HLOSCOPE_CORE_DEBUG_COMPLETION_H_
#define HLOSCOPE_CORE_DEBUG_COMPLETION_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/ir/module.h"

namespace hloscope {

struct CompletionScope {
  const Module* module = nullptr;        // null: there is no program
  const Computation* current = nullptr;  // whose values are meant without a computation's name; null: the program does not run
};

// Letters that end a word of a line; what is completed begins behind the last of them.
inline constexpr char kWordBreaks[] = " \t\n\"\\'`@><=;|&{(,[";
size_t CompletionBegin(absl::string_view line);

// What the word at the end of the line may become, whole words.
std::vector<std::string> CompleteCommand(const CompletionScope& scope, absl::string_view line);

// The same where a table says how a command is written, and `words` are all behind its name, the one that is typed last. `own` offers words
// of what only the table's owner has lists of (PANEL); false: it has none.
using OwnPlaces = std::function<bool(absl::string_view what, const std::function<void(absl::string_view)>& offer)>;
std::vector<std::string> CompletePlaces(const CompletionScope& scope, absl::string_view synopsis, absl::Span<const std::string> words,
                                        const OwnPlaces& own = nullptr);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_COMPLETION_H_
