#include "core/debug/slice_instructions.h"

#include "absl/strings/str_cat.h"
#include "core/debug/influence.h"
#include "core/debug/slice_command.h"
#include "core/debug/travel.h"
#include "core/debug/why.h"

namespace hloscope {
namespace {

using Look = absl::Status (*)(Session::State& s, ElementReader& reader, const SliceRequest& request, SliceInstructions* found);

absl::Status LookWhy(Session::State& s, ElementReader& reader, const SliceRequest& request, SliceInstructions* found) {
  WhyOptions options;
  if (request.depth > 0) options.depth = request.depth;
  if (request.top > 0) options.terms = request.top;
  if (request.all) options.depth = -1;
  options.control = request.control;
  absl::StatusOr<Slice> slice = BuildWhy(reader, request.place, options);
  if (!slice.ok()) return slice.status();
  for (const SliceNode& node : slice->nodes) {
    found->of.push_back(node.place.instruction);
    for (const SliceEdge& edge : node.edges) {
      if (edge.to >= 0) found->steps.emplace_back(slice->nodes[edge.to].place.instruction, node.place.instruction);
    }
  }
  for (const SliceBirth& birth : slice->births) {
    for (size_t k = 1; k < birth.path.size(); ++k) found->steps.emplace_back(slice->nodes[birth.path[k]].place.instruction, slice->nodes[birth.path[k - 1]].place.instruction);
  }
  return absl::OkStatus();
}

absl::Status LookInfluence(Session::State& s, ElementReader& reader, const SliceRequest& request, SliceInstructions* found) {
  absl::StatusOr<Influence> influence = BuildInfluence(reader, *s.machine, request.place, request.all ? 0 : kInfluenceSteps);
  if (!influence.ok()) return influence.status();
  for (const InfluenceNode& node : influence->nodes) {
    found->of.push_back(node.instruction);
    for (const int from : node.from) found->steps.emplace_back(influence->nodes[from].instruction, node.instruction);
  }
  return absl::OkStatus();
}

absl::StatusOr<SliceInstructions> Find(Session::State& s, absl::string_view command, absl::string_view text, Look look) {
  SliceInstructions found;
  const auto at = [&](absl::string_view expression) -> absl::Status {
    absl::StatusOr<SliceRequest> request = ParseSliceRequest(s, command, expression);
    if (!request.ok()) return request.status();
    if (!request->json.empty() || !request->graph.empty()) return absl::InvalidArgumentError("a slice that is drawn takes no /json and no /graph");
    s.machine->interrupt().store(false);
    ElementReader reader(*s.machine, s.options.retain_bytes, PastOf(s));
    found.asked = request->place.instruction;
    found.of.push_back(found.asked);
    return look(s, reader, *request, &found);
  };
  absl::string_view expression, moment;
  const absl::Status status = SplitMoment(text, &expression, &moment) ? LookBack(s, moment, expression, at) : at(text);
  if (!status.ok()) return status;
  return found;
}

}  // namespace

absl::StatusOr<SliceInstructions> InstructionsOfWhy(Session::State& s, absl::string_view expression) { return Find(s, "why", expression, LookWhy); }

absl::StatusOr<SliceInstructions> InstructionsOfInfluence(Session::State& s, absl::string_view expression) { return Find(s, "influence", expression, LookInfluence); }

}  // namespace hloscope
