// What send, recv and their done operations say about where data goes. Not for exchanging it (backends/exchange).
#ifndef HLOSCOPE_CORE_OPS_TRANSFERS_H_
#define HLOSCOPE_CORE_OPS_TRANSFERS_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/ops/exchange_def.h"

namespace hloscope {

// A send, a receive, or what waits for one.
bool IsTransfer(const Instruction& i);
// What began the transfer that a done operation waits for; itself where that is not known, and of what begins one.
const Instruction& TransferStart(const Instruction& transfer);
// What gives that which a receive takes, in its computation; null where that comes out of a loop, and of what is no receive.
const Instruction* TakenBy(const Instruction& receive);
// What completes a send before its computation begins to receive it: the two wait for each other. Null: nothing does, or it is not received there.
const Instruction* CompletedBeforeReceive(const Instruction& send);
// The channel of a transfer, which its done operation need not name again.
int64_t ChannelOf(const Instruction& transfer);
// Has the computation an instruction of this role on the channel? Transfers with the host do not count.
bool HasTransfer(const Computation& computation, ExchangeRole role, int64_t channel);
// The text of the frontend attribute that has pairs; nullopt: there is none.
std::optional<absl::string_view> PairsText(const Instruction& transfer);
// Who sends to whom, by flattened device numbers (replica * partitions + partition): source_target_pairs, or the frontend attribute
// _xla_send_recv_source_target_pairs; of a done operation that has neither, those of what began it, also through loops. nullopt: nothing is written. InvalidArgument: it
// cannot be read, two pairs share a source or a target, or a number is none of a device.
absl::StatusOr<std::optional<std::vector<std::pair<int64_t, int64_t>>>> TransferPairs(const Instruction& transfer);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_TRANSFERS_H_
