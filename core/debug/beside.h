// The other devices of a run beside the session's own (watched_run.h): one device is watched, on a machine of the command's, and the others
// run, on machines of their own, whenever it waits for them, and only as far as it has to. Where the session's devices stand does not
// change.
#ifndef HLOSCOPE_CORE_DEBUG_BESIDE_H_
#define HLOSCOPE_CORE_DEBUG_BESIDE_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/session_state.h"
#include "core/exec/exchange.h"

namespace hloscope {

class Beside {
 public:
  // For the selected device. Null where the program runs on one.
  static absl::StatusOr<std::shared_ptr<Beside>> Open(Session::State& s);
  // Each device runs another program instead, by device, which takes the parameters as `given` makes them of those of the session's program.
  // They must live as long as the session's backend.
  using Given = std::function<Value(int device, int number, const Value& of_program)>;
  static absl::StatusOr<std::shared_ptr<Beside>> Open(Session::State& s, std::vector<const Module*> modules, Given given);
  ~Beside();

  // What the watched machine exchanges through (MachineOptions::exchange). Never tells it to wait: a wait that has no end is an error of
  // the exchange, and Ctrl-C meanwhile is Cancelled, with the interrupt of the watched machine set.
  ExchangePort* port();
  // All devices are at their beginning again: before the watched machine is started anew.
  absl::Status Restart();
  // That the others have run since then, in seconds, but for what they have made for the watched one.
  double seconds() const;

 private:
  class Port;
  Beside(Session::State& s, std::vector<const Module*> modules, Given given);
  absl::Status RunOthers();

  Session::State& s_;
  const std::vector<const Module*> modules_;  // by device
  const Given given_;  // null: as they are
  const int watched_;
  std::unique_ptr<ExchangeRoom> room_;
  std::unique_ptr<Port> port_;
  std::vector<std::unique_ptr<Machine>> machines_;  // by device; the watched one's is null
  std::vector<bool> waits_, ended_;
  double seconds_ = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_BESIDE_H_
