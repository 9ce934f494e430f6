// Copies of a module with parts of it left out or replaced: for cutting a program out of a larger one and for making a failing one smaller.
// The copy stands alone. Not for changing a module in place, and not for choosing what to leave out (core/debug/extract.h, minimize.h).
#ifndef HLOSCOPE_CORE_IR_REWRITE_H_
#define HLOSCOPE_CORE_IR_REWRITE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "core/ir/module.h"

namespace hloscope {

struct Rewrite {
  std::string name;                      // of the module; empty: as it was
  const Computation* entry = nullptr;    // what becomes the entry; null: the module's
  const Instruction* root = nullptr;     // its result; null: the computation's
  std::vector<const Instruction*> roots; // not empty: the result is a new tuple of these
  // In any computation: a constant of this value in the instruction's place. Tuples become tuples of constants.
  absl::flat_hash_map<const Instruction*, Value> constants;
  // In the entry: given from outside. Tuples become tuples of parameters; tokens are made on the spot.
  absl::flat_hash_set<const Instruction*> inputs;
  // In any computation: another one of the same shape, which stands before it.
  absl::flat_hash_map<const Instruction*, const Instruction*> replaced;
  // Stays, and what it needs, though nothing reads its result: for what it does to others. Null: nothing does. But for these.
  std::function<bool(const Instruction&)> stays;
  absl::flat_hash_set<const Instruction*> dropped;
  // Of a value that is a tuple, the parts that stay; who takes parts of it must be among what is kept. The caller says it of all that
  // hand such a tuple on: a loop's, of its initial value, itself, the parameters of its computations, and the body's result.
  absl::flat_hash_map<const Instruction*, std::vector<int64_t>> parts;
  // Other sizes, of an instruction before: of its dimensions (of a tuple one array's after the other's), and of attributes that are sizes of
  // a dimension (-1: of a window's, which may be any) of its result or of its first operand. Null: as they are.
  std::function<int64_t(const Instruction& of, int dimension, int64_t size)> size, attribute_size;
  std::function<Value(const Instruction& of, const Value&, const Shape&)> cut;  // of an instruction before: its value, or a part of it
};

// An array that a parameter of the copy stands for.
struct RewrittenInput {
  const Instruction* original = nullptr;
  std::vector<int64_t> leaf;  // which part of a tuple
  Shape shape;                // in the copy
};

struct Rewritten {
  std::unique_ptr<Module> module;
  std::vector<RewrittenInput> inputs;  // by parameter number
};

// What the result and what stays need, in program order, and what that calls; parameters of the entry that nothing needs are gone and the others
// are numbered anew (a tuple becomes one parameter for each of its arrays). The copy is finalized, not verified. InvalidArgument where
// the parts do not fit together.
absl::StatusOr<Rewritten> RewriteModule(const Module& module, const Rewrite& rewrite);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_IR_REWRITE_H_
