// Why an element has the value that it has: the backward slice from it, as data (slice.h). Not for printing (slice_text.h) and not for what
// an element goes on to do (influence.h).
#ifndef HLOSCOPE_CORE_DEBUG_WHY_H_
#define HLOSCOPE_CORE_DEBUG_WHY_H_

#include "absl/status/statusor.h"
#include "core/debug/element_reads.h"
#include "core/debug/slice.h"

namespace hloscope {

struct WhyOptions {
  int depth = 3;               // steps of computation from the element asked for; -1: to parameters and constants
  int terms = 4;               // of a reduction, dot or convolution: the largest ones; -1: all
  int64_t nodes = 5000;
  bool control = false;        // follow what decides places, orders and branches too
  bool births = true;          // of a NaN or an infinity: straight to where it first appears
};

// Of several devices: the reader of each, made when first asked for.
using ReaderOf = std::function<ElementReader&(int device)>;
absl::StatusOr<Slice> BuildWhy(const ReaderOf& readers, const ElementPlace& place, const WhyOptions& options);
absl::StatusOr<Slice> BuildWhy(ElementReader& reader, const ElementPlace& place, const WhyOptions& options);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_WHY_H_
