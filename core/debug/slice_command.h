// What the commands why and influence share: their options and the element that they are asked about.
#ifndef HLOSCOPE_CORE_DEBUG_SLICE_COMMAND_H_
#define HLOSCOPE_CORE_DEBUG_SLICE_COMMAND_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/debug/session_state.h"
#include "core/debug/slice.h"
#include "core/debug/slice_parts.h"
#include "core/debug/why.h"

namespace hloscope {

struct SliceRequest {
  ElementPlace place;
  bool first_nonfinite = false;  // no element was named; this is the first one that is not finite
  bool all = false, control = false;
  bool to_end = false;      // of influence: the program is run to its end first
  int depth = 0, top = 0, nodes = 0;  // 0: not given
  std::string json, graph;  // files; "-": the console
};
// The element of "/depth 5 /json - %x[0,1]", without the options before it.
absl::string_view ElementOf(absl::string_view args);
// "/depth 5 /json - %x[0,1]"; `command`: why or influence, or the program's option that takes the same ("--slice", "--influence").
absl::StatusOr<SliceRequest> ParseSliceRequest(Session::State& s, absl::string_view command, absl::string_view args);
// Of a NaN or an infinity it goes straight to the birth, unless it is said how far to go.
WhyOptions OptionsOfWhy(const SliceRequest& request);
// The command influence, typed as `command`.
absl::Status ShowInfluenceAs(Session::State& s, absl::string_view command, absl::string_view args);
// The moments that the session's history holds.
FrameHistory::Past PastOf(Session::State& s);
// After LastSlice::Begin. Of an answer for several moments each has a file of its own, numbered from the second on; which, is said.
absl::Status WriteSlice(Session::State& s, const std::string& file, const std::string& text);

// Who has drawings of slices puts them in here: State::Extension<SliceDrawings>().
struct SliceDrawings {
  // Draws the slice and says so. `what`: "why %y[3]"; `causes`: it leads to what was asked for, not away from it. Null: there are no drawings.
  std::function<absl::Status(Session::State& s, const SliceParts& slice, const std::string& what, bool causes, const std::string& path)> write;
};
// The same of a graph: a drawing where the file's name ends so (.svg, .png, .pdf, .html), else `dot`, which is Graphviz's text. `place`: what was asked of.
absl::Status WriteSliceGraph(Session::State& s, const std::string& file, const SliceParts& slice, const ElementPlace& place, bool causes, const std::function<std::string()>& dot);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SLICE_COMMAND_H_
