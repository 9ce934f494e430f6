// Where the instructions of a program stand in a text that may have been edited since it was read, and which regions of it can be folded.
// Knows texts and modules, nothing of drawing. Not for values (line_values.h).
#ifndef HLOSCOPE_VISUALIZER_MODEL_PROGRAM_INDEX_H_
#define HLOSCOPE_VISUALIZER_MODEL_PROGRAM_INDEX_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "core/base/source.h"
#include "core/debug/renames.h"
#include "core/ir/module.h"
#include "visualizer/model/document.h"
#include "visualizer/model/snapshot.h"

namespace hloscope {

// From offsets in an older text to offsets in a newer one that differ in one stretch (or in what lies between the first and the last
// difference). Places within that stretch have no counterpart.
class TextMap {
 public:
  void Reset(absl::string_view older, absl::string_view newer);
  bool same() const { return old_end_ == begin_ && new_end_ == begin_; }
  // -1: gone.
  int64_t Newer(int64_t older) const { return older <= begin_ ? older : older >= old_end_ ? older + new_end_ - old_end_ : -1; }
  int64_t Older(int64_t newer) const { return newer <= begin_ ? newer : newer >= new_end_ ? newer + old_end_ - new_end_ : -1; }
  // The range in the newer text; invalid where some of it is gone.
  SourceRange Newer(SourceRange older) const;

 private:
  int64_t begin_ = 0, old_end_ = 0, new_end_ = 0;  // of the stretch
};

// What a place in the text means.
struct Symbol {
  const Instruction* instruction = nullptr;  // of the text's module (ProgramIndex::module)
  const Computation* computation = nullptr;  // where it is a computation's name
  SourceRange range;                         // the word, in the document
  bool definition = false;
  explicit operator bool() const { return instruction != nullptr || computation != nullptr; }
};

// A computation's body, or another region in braces that spans lines.
struct FoldRegion {
  int first = 0, last = 0;  // lines; the first stays visible when it is folded
  int depth = 0;
};

// The module that describes the document's text best: the running one while nothing was edited, else what was read last.
class ProgramIndex {
 public:
  // Call each frame; cheap where nothing changed.
  void Update(const Snapshot& now, const Document& document);
  const Module* module() const { return module_; }
  bool running_module() const { return module_ != nullptr && module_ == running_; }
  // The instruction of the running module that bears the same name in the computation of the same name, or was given another (renames.h);
  // null: there is none.
  const Instruction* Running(const Instruction* shown) const;
  // The other way round.
  const Instruction* Shown(const Instruction* running) const;

  // Is what the text says of it what ran? Else a value of the running one is not its value. False where nothing ran that it is.
  bool Ran(const Instruction* shown) const;
  // Is something that it is computed from not what ran? Then the value of the running one is that of the program before the edit.
  bool Stale(const Instruction* shown) const;

  // Ranges in the document; invalid where the text is gone.
  SourceRange RangeOf(const Instruction& shown) const { return map_.Newer(shown.range); }
  SourceRange NameRangeOf(const Instruction& shown) const { return map_.Newer(shown.name_range); }
  SourceRange Newer(SourceRange range) const { return map_.Newer(range); }
  // Instructions that begin within [begin, end) of the document, in text order.
  std::vector<const Instruction*> Beginning(int64_t begin, int64_t end) const;
  // The instruction, or the computation, around a place.
  const Instruction* At(int64_t offset) const;
  const Computation* ComputationAt(int64_t offset) const;
  Symbol SymbolAt(const Document& document, int64_t offset) const;
  // Line of the document, from 0; -1: not in it.
  int LineOf(const Document& document, const Instruction* running) const;
  // All places that name the instruction or computation, its definition first.
  std::vector<SourceRange> UsesOf(const Symbol& symbol) const;
  const std::vector<FoldRegion>& folds() const { return folds_; }
  // Diagnostics of the newest reading with their places in the document, by place.
  struct Problem {
    Diagnostic diagnostic;
    SourceRange range;
  };
  const std::vector<Problem>& problems() const { return problems_; }
  int errors() const { return errors_; }
  // Another number whenever something above has changed.
  uint64_t generation() const { return generation_; }
  std::shared_ptr<const Reading> reading() const { return reading_; }

 private:
  Symbol StableHloSymbolAt(const Document& document, int64_t offset, SourceRange word) const;
  bool SameAsRunning(const Instruction& shown, int depth) const;
  std::vector<const Instruction*> Edited() const;
  void Sort();
  void LeaveOutCopies();
  void FindFolds(const Document& document);

  const Module* module_ = nullptr;
  const Module* running_ = nullptr;
  std::shared_ptr<const SourceText> source_;  // of module_
  std::shared_ptr<const Reading> reading_;
  std::shared_ptr<Session> session_;  // keeps the running module
  TextMap map_;
  std::vector<const Instruction*> sorted_;      // by the place where they begin
  std::vector<const Computation*> computations_;
  std::vector<FoldRegion> folds_;
  std::vector<Problem> problems_;
  int errors_ = 0;
  uint64_t generation_ = 0, seen_version_ = 0, seen_program_ = 0;
  const Reading* seen_reading_ = nullptr;
  const Module* sorted_module_ = nullptr;
  Renames renames_;  // from what runs to what is shown
  mutable absl::flat_hash_map<const Instruction*, bool> ran_;  // what Ran has found of these two
  mutable std::optional<absl::flat_hash_set<const Instruction*>> stale_;  // of these two, once it was asked for
  const Module *renamed_module_ = nullptr, *renamed_running_ = nullptr;
};

// The word that a diagnostic's hint offers, "did you mean 'sum'?"; empty: none.
std::string SuggestedWord(absl::string_view hint);
bool IsNameLetter(char c);
// The next run of name letters of a text at `from` or behind it; empty: there is none.
absl::string_view NextWord(absl::string_view text, size_t from);
// The word of name letters around a place.
SourceRange WordAt(const Document& document, int64_t offset);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_PROGRAM_INDEX_H_
