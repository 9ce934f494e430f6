// What the first process and one that runs kernels for it say to each other (kernels_across.h, kernel_service.h): a message is its kind and what
// is listed there. Values of the other process are named by handles; who makes a value says its handle.
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_KERNEL_MESSAGES_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_KERNEL_MESSAGES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "backends/exchange/wire.h"
#include "core/shape/shape.h"

namespace hloscope {

// AcrossProcesses' messages come on the same way and have smaller numbers.
enum class KernelMessage : uint8_t {
  // From the first process.
  kProgram = 64,  // number, HLO text
  kKernel,        // number, program's number, computation's id, region: root, members, inputs
  kForget,        // numbers of kernels, of programs, handles of values
  kRun,           // number of the run, kernel's number, seed of random streams, what is watched, inputs
  kFetch,         // handle
  kCancel,        // number of a run that is not wanted any more
  kFigures,
  kEnd,
  // To the first process, once.
  kReady,
  // Answers to kRun, kFetch and kFigures.
  kRan,       // status, whether something was watched and found, the result
  kFetched,   // bytes
  kHaveFigures,  // kernels that ran, bytes of values
};

// An array, a tuple's elements, and so on, of an input or a result.
enum class ValueForm : uint8_t {
  kNone,
  kToken,
  kTuple,   // shape, elements
  kHere,    // shape, handle under which the receiver keeps it (0: it does not), bytes
  kThere,   // shape, handle, bytes of the buffer; of an input whether the kernel may write over it
  kInput,   // shape, number among the arrays of the inputs: the result's bytes are that one's
};

// Shapes go as text; those that come again are not read again.
class ShapeTexts {
 public:
  static void Put(WireWriter& out, const Shape& shape) { out.Text(shape.ToString()); }
  Shape Get(WireReader& in);

 private:
  absl::flat_hash_map<std::string, Shape> known_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_KERNEL_MESSAGES_H_
