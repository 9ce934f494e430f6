// Small programs run whole, with every value of the entry computation kept: for what lessons show and ask. Off the window's thread.
// Not the debugger: no stops, no time.
#ifndef HLOSCOPE_VISUALIZER_LESSONS_RUN_H_
#define HLOSCOPE_VISUALIZER_LESSONS_RUN_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/diagnostic.h"
#include "core/exec/backend.h"
#include "core/exec/machine.h"
#include "core/ir/module.h"

namespace hloscope::lessons {

using BackendMaker = std::function<std::unique_ptr<Backend>()>;
using Index = std::vector<int64_t>;

struct ProgramRun {
  std::shared_ptr<const SourceText> source;
  std::unique_ptr<Module> module;    // never null
  std::vector<Diagnostic> problems;  // of reading and verifying
  absl::Status status = absl::OkStatus();  // of running; not OK also where there are problems
  std::vector<Value> values;         // of the entry, by position; dense; empty where it did not come so far
  Value stored;                      // the result as it lies in memory
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Machine> machine;  // for whoever runs programs only

  bool ok() const { return status.ok(); }
  const Instruction* Find(absl::string_view name) const;  // of the entry; with % or without; null
  const Instruction* root() const { return module->entry != nullptr ? module->entry->root : nullptr; }
  Value ValueOf(const Instruction& instruction) const;    // of the entry; empty where there is none
  // The first problem in one line, "line 3: ..."; or what stopped it.
  std::string FirstProblem() const;
  std::pair<int, std::string> FirstProblemAndLine() const;  // line 0: it was read, and did not run
};

// `cancel` may be null.
std::shared_ptr<const ProgramRun> RunProgram(const std::string& name, const std::string& text, const BackendMaker& backend, const std::atomic<bool>* cancel = nullptr);

// Elements of `source` that element `index` of `of` is made from, through all instructions between, in row-major order, each once.
absl::StatusOr<std::vector<Index>> ReadsOf(const ProgramRun& run, const Instruction& of, const Index& index, const Instruction& source);
// Elements of `target` that read element `index` of `of`.
absl::StatusOr<std::vector<Index>> ReadersOf(const ProgramRun& run, const Instruction& of, const Index& index, const Instruction& target);

// "%y[1,2]": a name and perhaps an index.
struct ElementName {
  std::string name;
  bool has_index = false;
  Index index;
};
absl::StatusOr<ElementName> ParseElementName(absl::string_view text);
// The instruction and the element, checked against its shape.
struct FoundElement {
  const Instruction* instruction = nullptr;
  bool has_index = false;
  Index index;
};
absl::StatusOr<FoundElement> FindElement(const ProgramRun& run, absl::string_view text);

std::string IndexText(const Index& index);  // "[1,2]"
// "%y = f32[3,2] [[1, 2], ...]", on as many lines as it needs.
std::string ValueText(const Instruction& instruction, const Value& value);

}  // namespace hloscope::lessons

#endif  // HLOSCOPE_VISUALIZER_LESSONS_RUN_H_
