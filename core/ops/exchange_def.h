// What operations have to do with other devices, beside their OpDef: one row an operation (exchange_def.cc). A Machine that has an ExchangePort
// (core/exec/exchange.h) asks here; on one device nobody does, and operations are evaluated as their OpDef says.
#ifndef HLOSCOPE_CORE_OPS_EXCHANGE_DEF_H_
#define HLOSCOPE_CORE_OPS_EXCHANGE_DEF_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

enum class ExchangeRole : uint8_t {
  kNone,
  kCollective,   // the members of a group bring their operands; `results` makes what each gets
  kReplicaId,
  kPartitionId,
  kSend,
  kSendDone,
  kReceive,
  kReceiveDone,
};

// Handed to `results` of collectives, when all members of a group have come.
struct ExchangeContext {
  const Instruction& instruction;                // of the first member
  absl::Span<const std::vector<Value>> brought;  // by member and operand; dense
  absl::Span<const std::pair<int, int>> sends;   // of source_target_pairs: from which member to which
  MemoryAccount* account = nullptr;
  // Arrays of one shape, element by element, from the first to the last: f(f(a, b), c).
  std::function<absl::StatusOr<Value>(const Computation& reducer, std::vector<Value> arrays)> reduce = nullptr;
  std::function<std::string(int member)> name = [](int) { return std::string("the device"); };  // of a member's device, for messages
};

struct ExchangeDef {
  ExchangeRole role = ExchangeRole::kNone;
  // kCollective: the results of all members, dense, from what all of them brought (collective_exchange.h).
  absl::StatusOr<std::vector<Value>> (*results)(const ExchangeContext&) = nullptr;
  bool outsiders_get_zeros = false;  // kCollective: a device in no group gets zeros; else every device must be in one
  bool groups_of_one_size = false;   // kCollective: the result's size follows from the group's
  absl::string_view gives;           // kCollective: what each member of a group gets, in words
  std::string (*formula)(const Instruction&) = nullptr;  // kCollective: of the result, with real operands and groups (collective_formula.h)
  bool begins = false;               // kCollective: the program goes on while the others come; its done operation waits for them
};
const ExchangeDef& ExchangeOf(Opcode opcode);
inline const ExchangeDef& ExchangeOf(const Instruction& i) { return ExchangeOf(i.opcode); }

// What an instruction has to do with a collective: it is one, begins one beside the program, or waits for one that was begun.
struct CollectivePart {
  const Instruction* collective = nullptr;  // that has the attributes; null: nothing
  const Instruction* begins = nullptr;      // where it begins
  const Instruction* brings = nullptr;      // whose operands each device brings: that, or the collective where a computation makes them before it
};
CollectivePart CollectiveOf(const Instruction& i);
// Of an asynchronous call, what hands it on or awaits it, what begins it. Null: it is none.
const Instruction* AsyncStartOf(const Instruction& i);
// What exchanges with other devices in a computation and in all that it calls, in program order.
std::vector<const Instruction*> ExchangesIn(const Computation& computation);
// It begins a collective that something behind it in its computation waits for: between the two the program goes on.
bool RunsBeside(const Instruction& start);
// It reads what was begun so, and waits for it wherever its own value is used or not; or hands it on.
bool ReadsBegun(const Instruction& i);
// It hands on what was begun to others of its computation, and waits for nothing: they do.
bool HandsOnBegun(const Instruction& i);

// StableHLO's has_dynamic_root, which HLO text has as a frontend attribute: the last operand of a collective-broadcast names the member of the
// group that sends each of the others.
bool HasDynamicRoot(const Instruction& broadcast);
inline constexpr absl::string_view kDynamicRoot = "{has_dynamic_root=\"true\"}";
// StableHLO's split_count of an all-to-all whose group is that of all devices, which HLO text has as a frontend attribute. nullopt: it says none.
std::optional<int64_t> SplitCount(const Instruction& all_to_all);
std::string SplitCountText(int64_t count);
// InvalidArgument: the group has another number of devices than the blocks that it splits into.
absl::Status CheckSplitCount(const Instruction& all_to_all, int64_t devices);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_EXCHANGE_DEF_H_
