// Names that operations had before: OpcodeFromName knows them, and nothing prints them.
#ifndef HLOSCOPE_CORE_IR_OLD_OPCODES_H_
#define HLOSCOPE_CORE_IR_OLD_OPCODES_H_

#include "absl/strings/string_view.h"

namespace hloscope {

// The all-reduce, before it took a computation: where it has none, it adds.
inline constexpr absl::string_view kCrossReplicaSum = "cross-replica-sum";

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_IR_OLD_OPCODES_H_
