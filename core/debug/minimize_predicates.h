// What a failure can be, and whether a program has it: for making it smaller (minimize.h). Not for the smaller programs themselves.
#ifndef HLOSCOPE_CORE_DEBUG_MINIMIZE_PREDICATES_H_
#define HLOSCOPE_CORE_DEBUG_MINIMIZE_PREDICATES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/catch_find.h"
#include "core/debug/minimize.h"

namespace hloscope {

// The expectation does not hold at the end of a program that ends, on that device, or (-1) on any. What it names must still be computed by an
// operation of the kind that computed it in the first program that is asked about, so that a constant that fails it too is no smaller program.
// Those in which it cannot be told are errors in the first program, and do not fail later.
FailurePredicate ExpectFails(Backend& backend, const RunSettings& run, const std::string& text, int device);
// A sampled element differs from the reference.
FailurePredicate Mismatches(Backend& backend, const RunSettings& run);
// A catch stops it first at the operation at which it stopped the first program, so that a constant of NaN is no smaller program that makes one.
FailurePredicate CatchStops(Backend& backend, const RunSettings& run, std::vector<CatchRequest> requests);
// It stops with an error of the same kind as the first program: what the message says but for names, numbers and shapes, at the same operation.
// Devices that wait for ever for others are one, too.
FailurePredicate StopsWithError(Backend& backend, const RunSettings& run);

// How a program runs when nothing stops it.
struct PlainRun {
  bool ended = false;
  int64_t iterations = 0;  // the most of one loop
  double seconds = 0;
};
PlainRun RunPlainly(const Module& module, const DeviceValues& parameters, Backend& backend, const RunSettings& run, double most_seconds);
// A program that ends by itself must not become one that does not; what fails in it may well come before that shows.
FailurePredicate EndingToo(FailurePredicate fails, Backend& backend, const RunSettings& run, double most_seconds);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MINIMIZE_PREDICATES_H_
