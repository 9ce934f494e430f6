// Where what an instruction of a recorded run reads comes from, over calls, branches and iterations of loops. For comparing with a record
// (record.h); what differs in value is found there.
#ifndef HLOSCOPE_CORE_DEBUG_RECORD_SOURCES_H_
#define HLOSCOPE_CORE_DEBUG_RECORD_SOURCES_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/exec/machine.h"

namespace hloscope {

// The part of a frame that names places. The entry is no level.
struct RecordLevel {
  FrameKind kind = FrameKind::kCall;
  const Instruction* caller = nullptr;
  const Computation* computation = nullptr;
  int64_t iteration = 0;
  int branch = -1;
};
std::vector<RecordLevel> LevelsOf(absl::Span<const Frame> frames);
// "while.3[17]/fusion.2/": where the innermost of them stands.
std::string PlaceOf(absl::Span<const RecordLevel> levels);
// "{1}{0}": of a tuple's leaf; "" of an array.
std::string LeafPlace(const Shape& shape, int leaf);

// What is known of a place ("while.3[17]/sort.2{0}").
enum class RecordedAs : uint8_t {
  kNothing,   // the record does not have it
  kHandedOn,  // nor would it: no instruction makes it here, it comes from others
  kSame,
  kOther,
};

// Why a value is another than in the record.
enum class RecordOrigin : uint8_t {
  kOwn,        // all that it is made from is in the record, and the same
  kInherited,  // something that it is made from is another
  kUnknown,    // the record does not have all that it is made from
};
absl::string_view Name(RecordOrigin origin);

class RecordSources {
 public:
  // `names`: all places of the record; `met`: all that the run has come by so far. `known` is asked of places, and of literals wherever they are.
  RecordSources(const std::set<std::string>& names, const std::set<std::string>& met, std::function<RecordedAs(const Instruction&, const std::string& place)> known)
      : names_(names), met_(met), known_(std::move(known)) {}

  // Of leaf `leaf` (core/ops/leaf_flow.h) of the instruction at that place, which is another than in the record. Where the record does not
  // have what it reads, that is not known, whatever that is made from, and so is what would take too long to find out.
  RecordOrigin OriginOf(const Instruction& instruction, absl::Span<const RecordLevel> levels, int leaf) const;

 private:
  struct Source {
    const Instruction* instruction;
    std::vector<RecordLevel> levels;
    int leaf = 0;
  };
  void Expand(const Source& source, std::vector<Source>* into) const;
  void ExpandControl(const Source& source, std::vector<Source>* into) const;
  void ExpandParameter(const Source& source, std::vector<Source>* into) const;

  const std::set<std::string>& names_;
  const std::set<std::string>& met_;
  const std::function<RecordedAs(const Instruction&, const std::string&)> known_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_RECORD_SOURCES_H_
