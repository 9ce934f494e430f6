#include "visualizer/panels/iteration_rows.h"

#include <chrono>
#include <functional>

#include "absl/strings/str_cat.h"
#include "core/debug/stops.h"
#include "core/debug/ways.h"

namespace hloscope {
namespace {

// What goto takes for the iteration of the loop in which the program stands.
std::string LoopMoment(Session::State& s, const Instruction& loop) {
  const std::vector<Frame>& frames = s.machine->frames();
  size_t depth = frames.size();
  while (depth > 0 && frames[depth - 1].caller != &loop) --depth;
  return MomentName(*s.module, CallsOf(s), PastFramesOf(absl::MakeConstSpan(frames).first(depth)));
}

}  // namespace

LoopValue MadeBy(const Instruction& result, int leaf) {
  LoopValue at{&result, leaf};
  while (at.instruction->shape.IsTuple()) {
    const std::vector<LeafSource> sources = SourcesOfLeaves(*at.instruction);
    if (static_cast<size_t>(at.leaf) >= sources.size() || sources[static_cast<size_t>(at.leaf)].operand < 0) break;
    const LeafSource& source = sources[static_cast<size_t>(at.leaf)];
    at = {at.instruction->operands[static_cast<size_t>(source.operand)], source.leaf};
  }
  return at;
}

void LookAtRows(Session::State& s, const LoopValue& value, const InLoopPlace& place, int64_t first, int64_t limit, IterationRows* made) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  bool enough = false;
  const absl::StatusOr<std::vector<const Instruction*>> loops = LoopsAround(s, place);
  if (loops.ok()) made->loops = *loops;
  made->next = first;
  const absl::Status looked = AtIterations(s, place, first, limit - 1, [&](absl::Span<const int64_t> around) -> absl::Status {
    const int depth = static_cast<int>(s.machine->frames().size()) - 1;
    const absl::StatusOr<Value> there = s.machine->ValueAhead(depth, value.instruction->index);
    if (!there.ok()) return there.status();
    if (made->rows.empty()) {
      made->around.assign(around.begin(), around.end());
      made->moment = LoopMoment(s, *place.loop);
    }
    const int64_t k = around.back();
    made->rows.push_back({k, Summarize(LeafOf(*there, value.leaf))});
    made->next = k + 1;
    if (made->rows.size() == 1 && seconds() > 0.6) made->slow = true;
    enough = seconds() > 0.08 && k + 1 < limit;
    return enough ? absl::OutOfRangeError("enough for now") : absl::OkStatus();
  });
  if (enough) return;
  if (looked.ok()) {
    made->whole = made->next < limit;
  } else if (absl::IsNotFound(looked)) {
    made->whole = true;  // the loop has ended just before
  } else {
    made->error = std::string(looked.message());
  }
}

}  // namespace hloscope
