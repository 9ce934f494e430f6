// Where the moments of a run lie on a line from 0 to 1, and what lies under a point of it. The line is the entry computation's schedule;
// calls are as long as what they call, loops as all of their iterations. No ImGui.
#ifndef HLOSCOPE_VISUALIZER_PANELS_TIMELINE_AXIS_H_
#define HLOSCOPE_VISUALIZER_PANELS_TIMELINE_AXIS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "visualizer/model/snapshot.h"

namespace hloscope {

class TimelineAxis {
 public:
  struct Span {
    double begin = 0, end = 0;
    double width() const { return end - begin; }
  };
  // A loop that is not inside another one.
  struct Loop {
    const Instruction* loop = nullptr;
    Span span;
    int64_t trips = 1;
    bool known = false;  // how many
  };
  // What lies under a point: the moment there, its instruction, and the iterations of the loops around it, the outermost first.
  struct Place {
    Mark mark;
    const Instruction* at = nullptr;  // null: the end
    std::vector<const Instruction*> loops;
    std::vector<int64_t> iterations;
    Span span;
  };

  void Build(const Module& module, const std::vector<TripRow>& trips);
  bool empty() const { return entry_ == nullptr; }
  double At(const Mark& mark) const;
  // Where an instruction is executed first; negative: it has no place of its own.
  double At(const Instruction& instruction) const;
  // Goes into loops and calls as long as a step there is `resolution` long.
  Place Under(double x, double resolution) const;
  // The same of a moment: what is there and in which iterations.
  Place PlaceOf(const Mark& mark) const;
  const std::vector<Loop>& loops() const { return loops_; }
  int64_t TripsOf(const Instruction& loop) const;

 private:
  // Beginnings of a computation's instructions, from 0 to 1; one more than there are instructions.
  struct Lane {
    std::vector<double> at;
    double weight = 0;
  };
  const Lane& LaneOf(const Computation& computation);
  double WeightOf(const Instruction& instruction);
  void Spread(const Computation& computation, Span span, bool in_loop);
  static Span Part(const Lane& lane, int position, Span of);

  const Computation* entry_ = nullptr;
  absl::flat_hash_map<const Instruction*, TripRow> trips_;
  absl::flat_hash_map<const Computation*, Lane> lanes_;
  absl::flat_hash_map<const Computation*, Span> first_;  // where a computation is entered first
  std::vector<Loop> loops_;
};

// The commands that go to a place, as one would type them: "goto iteration 3 in %while.2", "goto before %x".
std::vector<std::string> CommandsTo(const Snapshot& now, const TimelineAxis::Place& place);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_TIMELINE_AXIS_H_
