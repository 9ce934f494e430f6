// Which elements of a result read an element of a set: index maps turned round, by halving the result as long as a part may read the set.
#ifndef HLOSCOPE_CORE_DEBUG_INFLUENCE_SEARCH_H_
#define HLOSCOPE_CORE_DEBUG_INFLUENCE_SEARCH_H_

#include "core/debug/element_reads.h"
#include "core/debug/element_set.h"

namespace hloscope {

struct SearchState {
  bool looked = false;  // values of the run were looked at (indices, predicates), so that another iteration may find something else
  bool blind = false;   // they may not be looked at: what is found holds whatever they are, and may be too much
};

// Adds to `result` the elements of output `output` of a program that load an element of `set` from `operand`. Sets are of the program's
// sizes.
void SearchReaders(ElementReader& reader, int frame, const Instruction& instruction, const ElementReader::Prepared& prepared, int output,
                   int operand, const ElementSet& set, ElementSet* result, SearchState* state);

// The same for programs that walk over updates: what every output's set becomes.
void SearchUpdates(ElementReader& reader, int frame, const Instruction& instruction, const ElementReader::Prepared& prepared,
                   absl::Span<const ElementSet* const> operands, std::vector<ElementSet>* results, SearchState* state);

// The same for operations without program, from what they say they can read.
void SearchOpaque(ElementReader& reader, int frame, const Instruction& instruction, int leaf, int operand, int operand_leaf, const ElementSet& set, ElementSet* result,
                  SearchState* state);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_INFLUENCE_SEARCH_H_
