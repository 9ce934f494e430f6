// What the builder's edits are made of: looking at a text that was read, its lines, uses and headers, and one instruction by itself. For
// build_edit.cc, build_check.cc and build_lines.cc only; panels see build_edit.h.
#ifndef HLOSCOPE_VISUALIZER_MODEL_BUILD_PARTS_H_
#define HLOSCOPE_VISUALIZER_MODEL_BUILD_PARTS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "visualizer/model/build_edit.h"
#include "visualizer/model/build_text.h"

namespace hloscope::build {

inline constexpr char kParameter[] = "parameter", kConstant[] = "constant";

// -- build_lines.cc: the text --
absl::string_view TextOfReading(const Reading& reading);
absl::Status Unread();
bool InText(const Reading& reading, SourceRange range);
// Stands in the text as a statement of its own: not made by the reader, not written inside another instruction.
bool IsStatement(const Reading& reading, const Instruction& i);
// Names are written with a percent sign there; null: in the program.
bool PercentStyle(const Reading& reading, const Computation* computation);
std::string FreeName(const Computation* computation, absl::string_view wanted);
const Computation* EntryOf(const Reading& reading);
TextEdit Joined(Patches& patches, int64_t focus, std::string name);
bool RootIsWritten(const Reading& reading, const Instruction& i);
void TakeRootAway(const Reading& reading, const Instruction& i, Patches& patches);

// What the header of a computation promises, after an edit: parameters by number, and the result.
struct Promise {
  std::vector<std::pair<std::string, std::string>> parameters;  // name, shape
  std::string result;
  bool operator==(const Promise&) const = default;
};
Promise PromiseOf(const Computation& computation);
// Writes the headers anew that say what parameters and result are: the computation's own, and the program's where it is the entry.
void MendHeaders(const Reading& reading, const Computation& computation, const Promise& promise, Patches& patches);
// `line` behind an instruction, or as the first of a computation; `at` is where it stands.
void InsertLine(const Reading& reading, const Computation& computation, const Instruction* after, const std::string& line, Patches& patches, int64_t* at);
// Takes an instruction's text away, with its line where it stands alone there.
void RemoveLine(const Reading& reading, const Instruction& i, Patches& patches);
// Every place where an instruction of the same computation names `of` as an operand or waits for it.
void ReplaceUses(const Reading& reading, const Instruction& of, absl::string_view name, Patches& patches);

// -- build_check.cc: one instruction --
using ShapeOf = std::function<Shape(const Instruction&)>;
// As Check, with other shapes of what it reads.
Verdict CheckWith(const Reading& reading, const Computation& computation, const Draft& draft, const Instruction* self, const ShapeOf& shape_of);
// The layout that was written stays where it still fits.
std::string ShapeText(const Shape& inferred, const Shape* before);
// After `changed` has another shape: those that depend on it, as far as theirs can be inferred.
void FollowShapes(const Reading& reading, const Instruction& changed, const Shape& shape, Patches& patches, Promise& promise);

}  // namespace hloscope::build

#endif  // HLOSCOPE_VISUALIZER_MODEL_BUILD_PARTS_H_
