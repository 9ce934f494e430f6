// What was set by hand on one of several devices, and comes to others by what these exchange: of each exchange, which sets are in what its members
// brought, and since which iteration. By what the program says, as SetFlow, and by which executions of the devices' instructions have exchanged
// with one another. Not for elements (device_readers.h).
#ifndef HLOSCOPE_CORE_DEBUG_EXCHANGED_SETS_H_
#define HLOSCOPE_CORE_DEBUG_EXCHANGED_SETS_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/debug/session_state.h"
#include "core/debug/set_flow.h"

namespace hloscope {

// Something was set on some device.
bool AnySets(Session::State& s);

class ExchangedSets : public SetFlow::Exchanges {
 public:
  // Of what was set on all devices, up to where each stands. What was set on the selected one has the numbers of AllSets; others follow.
  explicit ExchangedSets(Session::State& s);

  // For who follows the selected device: what the exchange brings it; nothing is noted of what is brought to it.
  SetNumbers Exchange(const Instruction& exchange, const SetNumbers& brought) override;
  // Of another device's: "%x[0] on replica 1".
  const std::string& name(int number) const { return names_[static_cast<size_t>(number - first_)]; }

 private:
  // All executions of an exchange, on one device.
  using End = std::pair<const Instruction*, int>;
  // Exchanges of the same ends, in order of time: when each was, by end.
  struct Made {
    std::vector<End> ends;
    std::vector<std::pair<int, int>> gives;  // from which end to which
    std::vector<std::vector<Since>> when;
    bool ordered = true;  // for every end; not where one computation is run by several loops
  };
  void FindMade();
  // Since when `to` has what `from` has since then; nothing: they have not exchanged any more.
  static std::optional<Since> Given(const Made& made, size_t from, size_t to, const Since& since);

  Session::State& s_;
  int first_ = 0;
  std::vector<std::string> names_;
  int device_ = 0;       // that is being followed
  bool notes_ = true;
  bool grown_ = false;   // something more is brought than was known, or earlier
  std::map<End, SetNumbers> brought_;
  std::vector<Made> made_;
  std::map<End, std::vector<std::pair<size_t, std::pair<int, int>>>> given_to_;  // by who gets it: which of made_, and from which end to which
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_EXCHANGED_SETS_H_
