// Frames of locations into tables; see the header.
#include "core/text/stablehlo/stack_frames.h"

#include "core/ir/another_place.h"

namespace hloscope::stablehlo {
namespace {

// In the tables ids begin with 1; 0 is no name.
int32_t TextId(const std::string& text, std::vector<std::string>* table, absl::flat_hash_map<std::string, int32_t>* known) {
  if (text.empty()) return 0;
  const auto [entry, fresh] = known->try_emplace(text, static_cast<int32_t>(table->size()) + 1);
  if (fresh) table->push_back(text);
  return entry->second;
}

}  // namespace

int32_t StackFrames::LocationId(const mlir::CallFrame& frame) {
  const std::string name = frame.another ? FunctionOfAnotherPlace(frame.function) : frame.function;
  const int32_t file = TextId(frame.file, &to_.file_names, &files_), function = TextId(name, &to_.function_names, &functions_);
  const auto [entry, fresh] = locations_.try_emplace({file, function, frame.line, frame.end_line, frame.column, frame.end_column},
                                                     static_cast<int32_t>(to_.file_locations.size()) + 1);
  if (fresh) to_.file_locations.push_back({file, function, frame.line, frame.end_line, frame.column, frame.end_column});
  return entry->second;
}

int32_t StackFrames::IdOf(const mlir::Location& location) {
  if (location.frame < 0 || (from_[location.frame].caller < 0 && from_[location.frame].function.empty())) return 0;
  std::vector<int32_t> fresh;
  int32_t at = location.frame;
  for (; at >= 0 && !frames_.contains(at); at = from_[at].caller) fresh.push_back(at);
  int32_t id = at >= 0 ? frames_[at] : 0;
  for (auto frame = fresh.rbegin(); frame != fresh.rend(); ++frame) {
    to_.stack_frames.push_back({LocationId(from_[*frame]), id + 1});  // a parent is written as its id plus one
    id = static_cast<int32_t>(to_.stack_frames.size());
    frames_[*frame] = id;
  }
  return id;
}

}  // namespace hloscope::stablehlo
