// Readers of elements on all devices of a run, for slices that go from one to another through what they exchanged. Of one device there is one.
#ifndef HLOSCOPE_CORE_DEBUG_DEVICE_READERS_H_
#define HLOSCOPE_CORE_DEBUG_DEVICE_READERS_H_

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/debug/element_reads.h"
#include "core/debug/session_state.h"
#include "core/exec/exchange.h"
#include "core/ops/exchange_origin.h"

namespace hloscope {

// Good until a machine of the session moves on. Places have the numbers of their devices.
class DeviceReaders {
 public:
  explicit DeviceReaders(Session::State& s);
  ElementReader& of(int device);
  const Machine& machine(int device);
  int selected() const { return selected_; }
  SliceFrames frames();
  // The frame in which it came to the exchange. Nothing: it has gone back to before that.
  std::optional<int> FrameOf(const ExchangePast::Member& member);
  // What it brought to the exchange, dense; whatever was set since. FailedPrecondition: it has gone back to before that.
  absl::StatusOr<Value> Brought(const ExchangePast::Member& member, int operand);
  // Where what a member of a collective got comes from.
  absl::StatusOr<std::shared_ptr<const ExchangeOrigins>> OriginsOf(const ExchangePast& past, const Instruction& instruction, int member);

 private:
  absl::StatusOr<ElementReads> Exchanged(const ElementPlace& place);

  Session::State& s_;
  const int selected_;
  std::map<int, std::unique_ptr<ElementReader>> readers_;
  // What fixed origins depend on: the groups of an instruction may differ in size and in who sends to whom.
  using OriginsKey = std::tuple<const Instruction*, int /* member */, size_t /* members */, std::vector<std::pair<int, int>> /* sends */>;
  std::map<OriginsKey, std::shared_ptr<const ExchangeOrigins>> origins_;  // that are fixed
};

// Where the selected device has executed the collective that `part` is of: a frame on its stack, or one that ended, of what a frame there began or
// called.
std::optional<int> FrameOfExchange(const Session::State& s, FrameHistory& history, const CollectivePart& part, const Instruction& collective);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_DEVICE_READERS_H_
