#include "core/debug/readers.h"

#include <algorithm>

#include "core/debug/edit_text.h"

namespace hloscope {

Readers ReadersOf(const Module& module, const Instruction& instruction) {
  std::vector<const Instruction*> read = {&instruction};
  if (instruction.literal != nullptr) {
    const std::vector<const Instruction*> copies = CopiesOf(module, instruction, nullptr);
    read.insert(read.end(), copies.begin(), copies.end());
  }
  Readers readers;
  for (const Instruction* one : read) {
    for (const Instruction* other : one->parent->schedule) {
      if (std::find(other->operands.begin(), other->operands.end(), one) != other->operands.end()) readers.users.push_back(other);
    }
    if (one->parent->root == one) readers.result_of.push_back(one->parent);
  }
  return readers;
}

}  // namespace hloscope
