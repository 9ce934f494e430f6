// User functions for custom calls, from shared libraries that the user names (--custom-call LIB.so). Never loaded implicitly.
// Targets that pass their operand through (Sharding and its kin) are the operation's own business (core/ops), not this file's.
#ifndef HLOSCOPE_CORE_EXEC_CUSTOM_CALL_H_
#define HLOSCOPE_CORE_EXEC_CUSTOM_CALL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

// `out`: the result's buffer, or for a tuple result an array of its leaves' buffers, in order. `in`: the operands' buffers, tuples
// flattened to their leaves. Each lies as the layout of its shape says: dense and row-major where the program writes no other.
using CustomCallFunction = void (*)(void* out, void** in);

class CustomCallLibrary {
 public:
  CustomCallLibrary() = default;
  ~CustomCallLibrary();
  CustomCallLibrary(const CustomCallLibrary&) = delete;
  CustomCallLibrary& operator=(const CustomCallLibrary&) = delete;

  // Opens a shared library; later ones are searched after earlier ones.
  absl::Status Load(const std::string& path);
  // A function of this process, for tests.
  void Register(std::string target, CustomCallFunction function);
  // Null when no library has it.
  CustomCallFunction Find(absl::string_view target) const;
  bool empty() const { return handles_.empty() && registered_.empty(); }

  // Calls `function` for the instruction; faults inside are errors.
  static absl::StatusOr<Value> Call(CustomCallFunction function, const Instruction& instruction, absl::Span<const Value> operands, MemoryAccount* account);

 private:
  std::vector<void*> handles_;
  std::vector<std::pair<std::string, CustomCallFunction>> registered_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_CUSTOM_CALL_H_
