// How many devices a collective joins, for its shape rule. Not for who they are (device_groups.h).
#ifndef HLOSCOPE_CORE_OPS_COLLECTIVES_H_
#define HLOSCOPE_CORE_OPS_COLLECTIVES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/ir/module.h"

namespace hloscope {

// How many devices one group of `replica_groups` has: "{{0,1},{2,3}}" 2, "[2,8]<=[16]" 8, "{}" 0 (one group of all), -1 when the text
// cannot be read or the groups differ in size.
int64_t GroupSizeOf(absl::string_view replica_groups);
// How many devices take part with this one: the group's size; for an empty list all that the module's header asks for.
int64_t ParticipantCount(const Instruction& instruction);
// The same for shape rules: 0 when it cannot be known from the instruction and its module.
int64_t KnownGroupSize(const Instruction& instruction);
// The end of what is said where a run of one device comes to an exchange; who takes one device only says something else there.
inline constexpr absl::string_view kSayOtherwise = ", --replicas and --partitions say otherwise";
inline constexpr absl::string_view kSayReplicas = ", --replicas says otherwise";
// The first instruction, of those of the entry that its result needs, that exchanges data among several devices by groups: a run on one device ends
// there. Null: none, though loops and calls may have one.
const Instruction* FirstExchange(const Module& module);
// What gives a run the devices that its groups name: "--replicas 2 --partitions 8".
std::string OptionsForDevices(const Instruction& exchange);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_COLLECTIVES_H_
