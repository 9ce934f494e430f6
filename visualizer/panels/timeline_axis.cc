#include "visualizer/panels/timeline_axis.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/locations.h"
#include "core/ops/op.h"
#include "visualizer/model/run_progress_text.h"
#include "visualizer/panels/panel.h"

namespace hloscope {
namespace {

// What the compiler has written beside a loop: {"known_trip_count":{"n":"17"}}; 0: nothing.
int64_t WrittenTrips(const Instruction& loop) {
  absl::string_view text = loop.backend_config;
  const size_t at = text.find("known_trip_count");
  if (at == absl::string_view::npos) return 0;
  text.remove_prefix(at);
  const size_t begin = text.find_first_of("0123456789");
  if (begin == absl::string_view::npos) return 0;
  text.remove_prefix(begin);
  int64_t trips = 0;
  return absl::SimpleAtoi(text.substr(0, std::min(text.size(), text.find_first_not_of("0123456789"))), &trips) ? trips : 0;
}

}  // namespace

void TimelineAxis::Build(const Module& module, const std::vector<TripRow>& trips) {
  lanes_.clear();
  trips_.clear();
  first_.clear();
  loops_.clear();
  entry_ = module.entry;
  if (entry_ == nullptr) return;
  for (const TripRow& row : trips) trips_[row.loop] = row;
  Spread(*entry_, {0, 1}, false);
}

int64_t TimelineAxis::TripsOf(const Instruction& loop) const {
  const auto found = trips_.find(&loop);
  const int64_t written = WrittenTrips(loop);
  if (found != trips_.end()) return std::max<int64_t>(1, found->second.whole ? found->second.trips : std::max(found->second.trips, written));
  return std::max<int64_t>(1, written);
}

double TimelineAxis::WeightOf(const Instruction& instruction) {
  const OpDef& def = Def(instruction);
  switch (def.control) {
    case ControlKind::kNone: return def.op_class == OpClass::kStructural ? 0.1 : 1;
    case ControlKind::kWhile: {
      const Computation* body = instruction.Called(AttrId::kBody);
      return 1 + (body != nullptr ? LaneOf(*body).weight * static_cast<double>(TripsOf(instruction)) : 0);
    }
    case ControlKind::kCall:
    case ControlKind::kConditional: {
      double most = 0;
      for (const Computation* called : instruction.CalledComputations()) most = std::max(most, LaneOf(*called).weight);
      return 1 + most;
    }
  }
  return 1;
}

const TimelineAxis::Lane& TimelineAxis::LaneOf(const Computation& computation) {
  if (const auto found = lanes_.find(&computation); found != lanes_.end()) return found->second;
  lanes_[&computation] = Lane{{0, 1}, 1};  // whatever is wrong with a program, this ends
  std::vector<double> weights;
  double plain = 0, looping = 0;
  for (const Instruction* i : computation.schedule) {
    weights.push_back(WeightOf(*i));
    (Def(*i).control == ControlKind::kWhile ? looping : plain) += weights.back();
  }
  // Long loops leave room for the rest.
  const double most = 3 * std::max(plain, 8.0), shrink = looping > most ? most / looping : 1;
  Lane lane;
  double sum = 0;
  for (const Instruction* i : computation.schedule) {
    lane.at.push_back(sum);
    sum += weights[lane.at.size() - 1] * (Def(*i).control == ControlKind::kWhile ? shrink : 1);
  }
  lane.at.push_back(sum);
  lane.weight = std::max(sum, 1e-6);
  for (double& x : lane.at) x /= lane.weight;
  return lanes_[&computation] = std::move(lane);
}

TimelineAxis::Span TimelineAxis::Part(const Lane& lane, int position, Span of) {
  const int last = static_cast<int>(lane.at.size()) - 1;
  const double begin = lane.at[std::clamp(position, 0, last)], end = lane.at[std::clamp(position + 1, 0, last)];
  return {of.begin + of.width() * begin, of.begin + of.width() * end};
}

void TimelineAxis::Spread(const Computation& computation, Span span, bool in_loop) {
  if (!first_.emplace(&computation, span).second) return;
  LaneOf(computation);
  for (const Instruction* i : computation.schedule) {
    const ControlKind control = Def(*i).control;
    if (control == ControlKind::kNone) continue;
    Span part = Part(lanes_.at(&computation), i->index, span);
    if (control == ControlKind::kWhile) {
      const int64_t trips = TripsOf(*i);
      const auto found = trips_.find(i);
      if (!in_loop) loops_.push_back({i, part, trips, WrittenTrips(*i) > 0 || (found != trips_.end() && found->second.whole)});
      part.end = part.begin + part.width() / static_cast<double>(trips);
      if (const Computation* condition = i->Called(AttrId::kCondition)) LaneOf(*condition), first_.emplace(condition, Span{part.begin, part.begin});
      if (const Computation* body = i->Called(AttrId::kBody)) Spread(*body, part, true);
      continue;
    }
    for (const Computation* called : i->CalledComputations()) Spread(*called, part, in_loop);
  }
}

TimelineAxis::Place TimelineAxis::PlaceOf(const Mark& mark) const {
  Place place;
  place.mark = mark;
  place.span = {0, 1};
  const Computation* computation = entry_;
  for (size_t k = 0; k < mark.levels.size() && computation != nullptr; ++k) {
    const Mark::Level& level = mark.levels[k];
    const auto lane = lanes_.find(computation);
    const bool has_lane = lane != lanes_.end();
    if (has_lane) place.span = level.kind == FrameKind::kWhileCondition ? Span{place.span.begin, place.span.begin} : Part(lane->second, level.position, place.span);
    const bool inside = level.position >= 0 && level.position < static_cast<int>(computation->schedule.size());
    place.at = inside ? computation->schedule[level.position] : nullptr;
    if (k + 1 == mark.levels.size() || place.at == nullptr) break;
    const Mark::Level& next = mark.levels[k + 1];
    if (IsLoop(next.kind)) {
      place.loops.push_back(place.at);
      place.iterations.push_back(next.iteration);
      const double trips = static_cast<double>(TripsOf(*place.at)), width = place.span.width() / trips;
      const double begin = place.span.begin + width * std::min(static_cast<double>(next.iteration), trips);
      place.span = {begin, begin + width};
    }
    computation = ComputationInside(*place.at, next);
  }
  return place;
}

double TimelineAxis::At(const Mark& mark) const { return PlaceOf(mark).span.begin; }

double TimelineAxis::At(const Instruction& instruction) const {
  const auto span = first_.find(instruction.parent);
  const auto lane = lanes_.find(instruction.parent);
  if (span == first_.end() || lane == lanes_.end()) return -1;
  return Part(lane->second, instruction.index, span->second).begin;
}

TimelineAxis::Place TimelineAxis::Under(double x, double resolution) const {
  Place place;
  place.span = {0, 1};
  const Computation* computation = entry_;
  Mark::Level level;
  while (computation != nullptr && !computation->schedule.empty()) {
    const auto lane = lanes_.find(computation);
    if (lane == lanes_.end()) break;
    const std::vector<double>& at = lane->second.at;
    const double within = place.span.width() > 0 ? (x - place.span.begin) / place.span.width() : 0;
    const auto after = std::upper_bound(at.begin(), at.end() - 1, within);
    const int position = std::clamp<int>(static_cast<int>(after - at.begin()) - 1, 0, static_cast<int>(computation->schedule.size()) - 1);
    level.position = std::max(position, computation == entry_ ? FirstStop(*computation) : 0);
    place.mark.levels.push_back(level);
    if (level.position >= static_cast<int>(computation->schedule.size())) {
      place.at = nullptr;
      break;
    }
    place.at = computation->schedule[level.position];
    const Span part = Part(lane->second, level.position, place.span);
    const ControlKind control = Def(*place.at).control;
    place.span = part;
    if (control == ControlKind::kNone || x < part.begin) break;
    level = Mark::Level();
    if (control == ControlKind::kWhile) {
      const int64_t trips = TripsOf(*place.at);
      const double width = part.width() / static_cast<double>(trips);
      level.kind = FrameKind::kWhileBody;
      level.iteration = std::clamp<int64_t>(width > 0 ? static_cast<int64_t>((x - part.begin) / width) : 0, 0, trips - 1);
      place.loops.push_back(place.at);
      place.iterations.push_back(level.iteration);
      place.span = {part.begin + width * static_cast<double>(level.iteration), part.begin + width * static_cast<double>(level.iteration + 1)};
      computation = place.at->Called(AttrId::kBody);
      if (computation == nullptr) break;
      // Too narrow to point at its instructions: the iteration's beginning.
      if (place.span.width() < resolution * 4 || place.span.width() < resolution * static_cast<double>(computation->schedule.size()) / 4) {
        level.position = 0;
        place.mark.levels.push_back(level);
        place.at = level.position < static_cast<int>(computation->schedule.size()) ? computation->schedule[level.position] : nullptr;
        break;
      }
      continue;
    }
    // Which branch is taken is not known before; a call goes into what it calls.
    const std::vector<Computation*> called = place.at->CalledComputations();
    if (control == ControlKind::kConditional || called.empty() || part.width() < resolution * 4) break;
    level.kind = called.front()->is_fusion ? FrameKind::kFusion : FrameKind::kCall;
    computation = called.front();
  }
  if (x >= 1 && entry_ != nullptr) {
    place = Place();
    place.mark.levels.push_back({FrameKind::kEntry, 0, -1, static_cast<int>(entry_->schedule.size())});
    place.span = {1, 1};
  }
  return place;
}

std::vector<std::string> CommandsTo(const Snapshot& now, const TimelineAxis::Place& place) {
  std::vector<std::string> commands;
  if (now.phase == Phase::kReady) commands.push_back("start");
  if (place.at == nullptr && place.loops.empty()) {
    commands.push_back("goto end");
    return commands;
  }
  bool there = false;
  if (!place.loops.empty()) {
    const Instruction& loop = *place.loops.back();
    const Computation* body = loop.Called(AttrId::kBody);
    commands.push_back(absl::StrCat("goto iteration ", absl::StrJoin(place.iterations, ","), " in ", CommandName(now, loop)));
    there = place.at == nullptr || place.mark.levels.back().kind == FrameKind::kWhileCondition ||
            (body != nullptr && place.at->parent == body && place.at->index == 0);
    // Where the loop was left and another frame is selected, names are looked up from its body.
    if (!there) commands.push_back(absl::StrCat("goto before ", place.at->parent == body ? absl::StrCat("%", place.at->name) : CommandName(now, *place.at)));
    return commands;
  }
  commands.push_back(absl::StrCat("goto before ", CommandName(now, *place.at)));
  return commands;
}

}  // namespace hloscope
