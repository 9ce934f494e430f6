// A computation that somebody chose by its name, in a text that is edited on: also after it is called otherwise, whoever renamed it, by what
// command, by hand or by undo. Not for instructions, whose forms follow them themselves.
#ifndef HLOSCOPE_VISUALIZER_MODEL_MEANT_COMPUTATION_H_
#define HLOSCOPE_VISUALIZER_MODEL_MEANT_COMPUTATION_H_

#include <string>
#include <vector>

#include "visualizer/model/document.h"

namespace hloscope::build {

class MeantComputation {
 public:
  // Empty: none.
  void Choose(std::string name) { name_ = std::move(name); }
  const std::string& name() const { return name_; }
  // In the text as it is read now; null: none is meant, or it is gone.
  const Computation* Find(const Reading& reading);

 private:
  std::string name_;
  std::vector<std::string> names_;  // of all computations, as they were read last
  uint64_t version_ = 0;            // of the text, then
};

}  // namespace hloscope::build

#endif  // HLOSCOPE_VISUALIZER_MODEL_MEANT_COMPUTATION_H_
