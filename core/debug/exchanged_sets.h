// What was set by hand on one of several devices, and comes to others by what these exchange: of each exchange, which sets are in what its members
// brought. By what the program says, as SetFlow, and by which instructions of the devices have exchanged with one another. Not for elements
// (device_readers.h).
#ifndef HLOSCOPE_CORE_DEBUG_EXCHANGED_SETS_H_
#define HLOSCOPE_CORE_DEBUG_EXCHANGED_SETS_H_

#include <map>
#include <set>
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
  // Of what was set on all devices, up to where each stands. Numbers of sets begin at `first`.
  ExchangedSets(Session::State& s, int first);

  // For who follows the selected device: what the exchange brings it; nothing is noted of what is brought to it.
  SetNumbers Exchange(const Instruction& exchange, const SetNumbers& brought) override;
  // "%x[0] on replica 1", "%x[0]" of the selected device.
  const std::string& name(int number) const { return names_[static_cast<size_t>(number - first_)]; }

 private:
  // All executions of an exchange, on one device.
  using End = std::pair<const Instruction*, int>;
  // Notes from which ends each one has got something.
  void FindGivers();

  Session::State& s_;
  const int first_;
  std::vector<std::string> names_;
  int device_ = 0;       // that is being followed
  bool notes_ = true;
  bool grown_ = false;   // something more is brought than was known
  std::map<End, SetNumbers> brought_;
  std::map<End, std::set<End>> givers_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_EXCHANGED_SETS_H_
