// Looks for what one executed instruction introduced: a NaN or an infinity that none of the elements it read has, an overflow, cancellation,
// an index out of bounds, a promise broken. Not for choosing when to look (catches.h), nor for words (catch_text.h).
#ifndef HLOSCOPE_CORE_DEBUG_CATCH_FIND_H_
#define HLOSCOPE_CORE_DEBUG_CATCH_FIND_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/debug/constant_flow.h"
#include "core/element/hazard_program.h"
#include "core/element/program.h"
#include "core/exec/backend.h"
#include "core/ir/module.h"
#include "core/literal/scalar.h"
#include "core/literal/value.h"
#include "core/ops/inner_birth.h"

namespace hloscope {

enum class CatchKind : uint8_t { kNan, kInf, kOverflow, kDenormal, kCancellation, kIndex, kDuplicate, kUnsorted, kIntegerOverflow, kUnsignedWrap, kDivision };
// "nan", "integer-overflow".
absl::string_view Name(CatchKind kind);
// By name or a prefix that only it has; nullopt: none.
std::optional<CatchKind> CatchKindOf(absl::string_view name);
std::string CatchKindNames();  // "nan, inf, overflow, ..."

struct CatchRequest {
  CatchKind kind{};
  int number = 0;  // as breakpoints have
  int bits = 0;    // kCancellation: how many; 0: three quarters of the type's digits
  bool enabled = true;
};

struct CaughtRead {
  const Instruction* instruction = nullptr;
  std::vector<int64_t> index;
  Scalar value;
  std::string device;  // where it is another one than the catch is on
};

struct Finding {
  int output = -1;             // leaf of a tuple result; -1: the result is an array
  std::vector<int64_t> index;  // of the element; of the index vector in the indices for kIndex, kDuplicate, kUnsorted
  Scalar value;                // of the element; unset for those
  bool has_value = false;
  std::string why;             // "s32 300 has no place in s8"; may be empty
  std::vector<CaughtRead> read;  // the elements that it was made from, the telling ones if there are many
  int64_t read_more = 0;          // and as many more
  int64_t further = 0;            // other elements of the same instruction that it introduced now
  int64_t inherited = 0;          // elements that have it from an operand
  const Instruction* constant = nullptr;  // nan, inf: taken from this constant
  std::optional<InnerBirth> inner;        // made in the computation that the instruction calls (not of index, duplicate, unsorted)
  bool hidden = false;                    // ... and lost again there: the result does not have it
};

// What is known of a module's instructions; makes element programs once.
class CatchFinder {
 public:
  CatchFinder(const Module& module, Backend& backend) : module_(module), backend_(backend) {}

  // Whether the instruction can introduce it, by what it is.
  bool Concerns(const CatchRequest& request, const Instruction& instruction);
  // What the computation that it calls makes may not be seen in the result.
  bool MayHide(const CatchRequest& request, const Instruction& instruction);
  // Certain: no operation of the region, fused as it ran, has it. For the kinds that single operations have; `inputs` are dense.
  bool IsClean(const CatchRequest& request, const Computation& computation, const Region& region, absl::Span<const Value> inputs);
  // `operands`: by the instruction's operands, dense; empty where the value is gone (updated in place). `result`: dense. `frames`: the
  // stack, up to the instruction's. `clean`: nothing of that kind has come up in this run.
  std::optional<Finding> Find(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands, const Value& result,
                              absl::Span<const Frame> frames, bool clean);
  // What was not looked at, said once of an instruction; cleared by the taker.
  std::vector<std::string> TakeNotices() { return std::exchange(notices_, {}); }
  // A run begins, in which it is said again.
  void Restarted() { said_.clear(); }

 private:
  // A program that says which elements may have something.
  struct Suspects {
    bool never = false;
    std::optional<Program> program;
    std::shared_ptr<const Kernel> kernel;
  };
  // Of a region, or of what leads to one of its members.
  struct RegionSuspects {
    Suspects suspects;
    std::optional<Program> folding;  // instead, where it folds: whether it can have any is asked of its numbers
    std::vector<int> inputs;       // into the region's inputs: the program's first operands
    std::vector<Value> constants;  // the others
    bool known() const { return suspects.program.has_value() || folding.has_value(); }
  };
  struct Known {
    bool program_made = false;
    absl::StatusOr<Program> program;
    std::vector<int8_t> concerns = std::vector<int8_t>(16, -1);
    int hides[2] = {-1, -1};  // its calls may make a NaN (an infinity) and lose it
    int by_calls = -1;
    std::optional<std::optional<Program>> neighbours;  // of a sort
    std::map<int, Suspects> suspects;  // by what is looked for
  };
  Known& Of(const Instruction& instruction);
  // It calls scalar computations that no expression can be made of: what they make is looked for call by call.
  bool ByCalls(const Instruction& instruction);
  const Program* ProgramOf(const Instruction& instruction);
  bool MayHaveByProgram(const CatchRequest& request, const Instruction& instruction);
  std::optional<Finding> FindNonFinite(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands, const Value& result,
                                       absl::Span<const Frame> frames, bool clean);
  std::optional<Finding> FindByOperations(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands, const Value& result);
  std::optional<Finding> FindByIndices(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands);
  // Of whose elements not all may be computed where the region runs as one: what others leave unread or choose among.
  std::vector<int> PartlyRead(const Computation& computation, const Region& region);
  RegionSuspects SuspectsUpTo(int root, const HazardQuery& query, const Computation& computation, const Region& region);
  Suspects& SuspectsOf(const Instruction& instruction, const Program& program, const HazardQuery& query);
  absl::StatusOr<std::vector<std::vector<int64_t>>> RunSuspects(Suspects& suspects, absl::Span<const Value> operands);
  std::optional<std::vector<std::vector<int64_t>>> Suspicious(const CatchRequest& request, const Instruction& instruction, const Program& program,
                                                              absl::Span<const Value> operands, absl::Span<const Value> results);
  // An element program of the instruction, and what it reads: its own over its operands, or of a sort the comparator's over each two neighbours
  // of the result. Null: it has none.
  const Program* ProgramWithCalls(const Instruction& instruction);
  std::vector<int64_t> AllCalled(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands, const Value& result);
  void SayGaveUp(const CatchRequest& request, const Instruction& instruction, int64_t looked_at, size_t of);
  std::vector<int64_t> HiddenSuspects(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands,
                                      const Value& result, bool* rough);
  void LookInside(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands, const Value& result, int64_t operations,
                  std::optional<Finding>* found);
  std::vector<bool> Cleaned(const CatchRequest& request, const Instruction& instruction, absl::Span<const Value> operands,
                            absl::Span<const Instruction* const> constants, int output);
  ConstantFlow& FlowOf(CatchKind kind);
  // By operand: the constant that it was moved from, if that has what is looked for; null: it counts as data.
  std::vector<const Instruction*> ConstantsOf(CatchKind kind, const Instruction& instruction, absl::Span<const Value> operands,
                                              absl::Span<const Frame> frames, bool clean);

  const Module& module_;
  Backend& backend_;
  std::vector<std::string> notices_;
  std::set<std::tuple<const Instruction*, CatchKind, bool>> said_;  // not all of its calls were looked at; nor what selects pass over (true)
  std::map<CatchKind, std::unique_ptr<ConstantFlow>> flows_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Known>> known_;
  std::map<std::tuple<const Instruction*, size_t, int>, std::vector<RegionSuspects>> regions_;  // by root, members and what is looked for
};

// Some element is NaN (kNan) or an infinity (kInf); tuples: in some leaf.
bool HasAny(CatchKind kind, const Value& value);
// The elements that have it; and whether what is made from such an element inherits it.
std::vector<int64_t> AllBad(CatchKind kind, const Value& array);
bool IsSource(CatchKind kind, const Scalar& s);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_CATCH_FIND_H_
