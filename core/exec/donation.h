// Which parameters a program may write over: what its header says in input_output_alias and buffer_donor. Not for what becomes of them
// (Machine::Start).
#ifndef HLOSCOPE_CORE_EXEC_DONATION_H_
#define HLOSCOPE_CORE_EXEC_DONATION_H_

#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

struct Donation {
  std::vector<int> parameters;       // numbers, ascending; a tuple is among them when the header names all its arrays
  std::vector<std::string> notices;  // what the header says that cannot be
};
Donation DonatedByHeader(const Module& module);

// An array or a tuple of them in memory of their own, booked on `account`. No value: out of memory.
Value CopyOf(const Value& value, MemoryAccount* account);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_DONATION_H_
