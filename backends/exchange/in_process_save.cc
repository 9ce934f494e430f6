// What all devices have exchanged, as a moment that can be come back to. Lines, routes and sites stay where they are, as others point to them;
// meetings are made anew. Not for one device's way back, which remembers what it was given itself.
#include "backends/exchange/in_process.h"

namespace hloscope {

struct InProcessExchange::Saved : Present {
  struct OfLine {
    std::vector<Meeting> meetings;
    int64_t first = 0;
    std::vector<int64_t> next;
  };
  // Which meeting of its line something belongs to; -1: none.
  static int64_t NumberOf(const Line* line, const Meeting* meeting) {
    for (size_t k = 0; line != nullptr && k < line->meetings.size(); ++k) {
      if (line->meetings[k].get() == meeting) return static_cast<int64_t>(k);
    }
    return -1;
  }

  std::map<std::pair<int64_t, std::vector<int>>, OfLine> lines;
  std::map<std::tuple<int64_t, int, int>, Route> routes;
  std::vector<Waiting> waiting;
  std::vector<int64_t> waiting_meeting;  // by device
  std::vector<absl::flat_hash_map<uint64_t, std::pair<Line*, int64_t>>> begun;
  std::vector<absl::flat_hash_map<int64_t, const Instruction*>> on_channel;
  std::vector<absl::flat_hash_map<uint64_t, std::shared_ptr<const ExchangePast>>> past;
};

std::unique_ptr<ExchangeRoom::Present> InProcessExchange::Save() const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto saved = std::make_unique<Saved>();
  for (const auto& [key, line] : lines_) {
    Saved::OfLine& of = saved->lines[key];
    for (const auto& meeting : line->meetings) of.meetings.push_back(*meeting);
    of.first = line->first;
    of.next = line->next;
  }
  for (const auto& [key, route] : routes_) saved->routes.emplace(key, *route);
  saved->waiting = waiting_;
  for (const Waiting& waiting : waiting_) saved->waiting_meeting.push_back(Saved::NumberOf(waiting.line, waiting.meeting));
  saved->begun.resize(begun_.size());
  for (size_t d = 0; d < begun_.size(); ++d) {
    for (const auto& [key, begun] : begun_[d]) saved->begun[d].emplace(key, std::make_pair(begun.line, Saved::NumberOf(begun.line, begun.meeting)));
  }
  saved->on_channel = on_channel_;
  saved->past = past_;
  return saved;
}

void InProcessExchange::Load(const Present& present) {
  const Saved& saved = static_cast<const Saved&>(present);
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [key, line] : lines_) {
    line->meetings.clear();
    const auto of = saved.lines.find(key);
    line->first = of == saved.lines.end() ? 0 : of->second.first;
    line->next = of == saved.lines.end() ? std::vector<int64_t>(line->devices.size(), 0) : of->second.next;
    for (size_t k = 0; of != saved.lines.end() && k < of->second.meetings.size(); ++k)
      line->meetings.push_back(std::make_unique<Meeting>(of->second.meetings[k]));
  }
  std::erase_if(routes_, [&](const auto& route) { return !saved.routes.contains(route.first); });
  for (const auto& [key, route] : saved.routes) *routes_.at(key) = route;
  const auto meeting_of = [](const Line* line, int64_t number) { return number < 0 ? nullptr : line->meetings[number].get(); };
  waiting_ = saved.waiting;
  for (size_t d = 0; d < waiting_.size(); ++d) waiting_[d].meeting = meeting_of(waiting_[d].line, saved.waiting_meeting[d]);
  begun_.assign(begun_.size(), {});
  for (size_t d = 0; d < begun_.size(); ++d) {
    for (const auto& [key, begun] : saved.begun[d]) begun_[d].emplace(key, Begun{begun.first, meeting_of(begun.first, begun.second)});
  }
  on_channel_ = saved.on_channel;
  past_ = saved.past;
}

}  // namespace hloscope
