// What went wrong inside of the scalar computation that an instruction calls (a reducer, a comparator, a combiner, a map's body): which of its
// instructions made a NaN or an infinity or had a hazard, in which call. Not for deciding whether the instruction itself made one.
#ifndef HLOSCOPE_CORE_OPS_INNER_BIRTH_H_
#define HLOSCOPE_CORE_OPS_INNER_BIRTH_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/element/hazard_program.h"
#include "core/element/program.h"
#include "core/ir/module.h"
#include "core/literal/scalar.h"
#include "core/literal/value.h"

namespace hloscope {

class CalledRun;
class ElementCalls;

struct InnerBirth {
  const Instruction* instruction = nullptr;  // in the called computation, or in what runs in there
  std::vector<std::pair<const Instruction*, int64_t>> loops;  // that run around it in there, and in which iteration; outermost first
  std::string why;                                            // of a hazard: "s32 300 has no place in s8"
  Scalar value;
  std::vector<std::pair<const Instruction*, Scalar>> read;  // its operands
  struct Argument {
    const Instruction* parameter = nullptr;
    Scalar value;
    int operand = -1;  // of the caller, with the element that it is; -1: what an earlier call returned
    int64_t linear = 0;
  };
  std::vector<Argument> arguments;  // of the call
  int64_t call = 0;                 // among those looked at
};

// Whether a NaN (or an infinity) may be made and lost again in there, so that the instruction's result does not have it.
bool CallsMayHide(const Instruction& instruction, const HazardQuery& query);

// Whether something in there may have it at all.
bool CallsMayHave(const Instruction& instruction, const HazardQuery& query);

// Whether in there a value is chosen by a select or a branch, or a loop runs: then a kernel need not make all that the calls make.
bool CallsChoose(const Instruction& instruction);
// Whether branches or loops in there decide what is made at all.
bool CallsBranch(const Instruction& instruction);

// Makes the calls of one execution of an instruction again, for one element after the other.
class InnerBirths {
 public:
  explicit InnerBirths(const HazardQuery& query);
  ~InnerBirths();
  // The first time that an instruction has what `query` asks for (as a NaN made from numbers that are none) in the calls for element `element`
  // of the result (of a sort: in the comparison of the elements that stand there and after it in the result, of the last one with the one
  // before it). None: there is none, or the calls cannot be followed.
  std::optional<InnerBirth> In(const Instruction& instruction, absl::Span<const Value> operands, const Value& result, int64_t element);
  // The same where elements that devices bring are combined: f(f(a, b), c). Arguments name no operands.
  std::optional<InnerBirth> InFold(const Computation& reducer, absl::Span<const Scalar> elements);
  // That were executed so far, by element of what they make; updates of a scatter that had to be passed over count too.
  int64_t operations() const;

 private:
  std::optional<InnerBirth> InComparison(const Instruction& sort, const Value& result, int64_t element);

  std::unique_ptr<CalledRun> run_;
  std::unique_ptr<ElementCalls> calls_;
  int64_t passed_over_ = 0;
};

// A sort's comparator asked about each two neighbours of the sorted result, as a program over the result's arrays (a pred by the place of the
// first of the two; the last of a line is asked about with the one before it). Nothing for other instructions, and where nothing is compared.
std::optional<Program> NeighbourProgram(const Instruction& sort);
// Of places in a sort's result: without the last ones of lines, whose comparisons are those of the ones before. Of other instructions: all.
void DropLastOfLines(const Instruction& instruction, std::vector<int64_t>& places);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_INNER_BIRTH_H_
