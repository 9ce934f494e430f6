// A program as a tree for looking at: each computation's instructions by the scopes of their op_name, many parameters and many constants apart,
// levels that are large and flat grouped by what the names in them have in common, and under an instruction the computations that it calls. Made once for a program, off the window's thread; never changes.
// Not for what is drawn of it (scene.h).
#ifndef HLOSCOPE_VISUALIZER_GRAPH_HIERARCHY_H_
#define HLOSCOPE_VISUALIZER_GRAPH_HIERARCHY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/ir/module.h"

namespace hloscope {

struct GraphNode {
  enum Kind : uint8_t { kComputation, kScope, kChunk, kInstruction };
  Kind kind = kInstruction;
  int parent = -1;                           // in the same computation; -1: this is the computation
  const Computation* computation = nullptr;  // whose instructions lie within
  const Instruction* instruction = nullptr;  // kInstruction
  std::string title;                         // "attention / softmax"; of a chunk "conv2_block1", "parameters 0 – 34", "dot.5 … add.80"; the computation's name
  std::string path;                          // for commands: of a scope as in op_name, of a chunk its title without blanks
  std::string lone_in;                       // of an instruction that stands for the scope in which it was alone: that scope's title
  std::vector<int> children;                 // in program order
  int64_t count = 0;                         // instructions within, those of called computations not counted
  int first = 0;                             // smallest schedule position within
};

// A computation that an instruction calls, in the order of the attributes that name them.
struct CalledBy {
  const Instruction* caller = nullptr;
  int which = 0;
};

class Hierarchy {
 public:
  static constexpr int kMostChildren = 120;  // of one node; more are cut into chunks
  static constexpr int kChunk = 40;          // of what lies lowest

  static constexpr size_t kFew = 12;         // parameters or constants that stay as they are

  // `keep` holds the module as long as this lives.
  static std::shared_ptr<const Hierarchy> Make(const Module& module, std::shared_ptr<const void> keep);

  const Module& module() const { return *module_; }
  const GraphNode& node(int id) const { return nodes_[id]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  int NodeOf(const Computation& computation) const { return computation_node_[computation.id]; }
  int NodeOf(const Instruction& instruction) const { return instruction_node_[Number(instruction)]; }
  // The operand that a call, loop, conditional or fusion gives a parameter of the computation that it calls; -1: none is one (reducers: they are
  // given elements).
  static int GivenOperand(const Instruction& caller, int which, const Computation& called, int parameter);
  // Everything called, without what is not there.
  static std::vector<const Computation*> Called(const Instruction& instruction);
  // The first caller in program order; null for the entry and for what nobody calls.
  const CalledBy& CallerOf(const Computation& computation) const { return caller_[computation.id]; }
  const std::vector<CalledBy>& CallersOf(const Computation& computation) const { return callers_[computation.id]; }
  void ForEachInstruction(int node, const std::function<void(const Instruction&)>& each) const;

  // All instructions of the program have numbers, by computation and schedule position.
  int Number(const Instruction& instruction) const { return offset_[instruction.parent->id] + instruction.index; }
  const Instruction& At(int number) const { return *instructions_[number]; }
  int instruction_count() const { return static_cast<int>(instructions_.size()); }
  absl::Span<const int> Users(int number) const {
    return absl::Span<const int>(users_).subspan(user_begin_[number], user_begin_[number + 1] - user_begin_[number]);
  }

 private:
  int Add(GraphNode node);
  void AddComputation(const Computation& computation);
  void Tidy(int node);
  void Cut(int node);
  std::vector<int> ConstantsOf(const std::vector<int>& children) const;
  int AddChunk(int parent, std::string title, std::string path, std::vector<int> children);
  std::string ScopeOf(int child) const;
  std::vector<int> GroupsOf(int parent, const std::vector<int>& all);
  std::vector<int> Ranges(int parent, std::vector<int> all, size_t most);
  std::vector<int> Chunks(int parent, std::vector<int> all, size_t most);
  void Count(int node);

  const Module* module_ = nullptr;
  std::shared_ptr<const void> keep_;
  std::vector<GraphNode> nodes_;
  std::vector<int> computation_node_, instruction_node_, offset_;
  std::vector<const Instruction*> instructions_;
  std::vector<CalledBy> caller_;
  std::vector<std::vector<CalledBy>> callers_;
  std::vector<int> users_, user_begin_;
};

// The scopes of an op_name: "jit(f)/a/b/mul" is "jit(f)", "a", "b"; slashes within brackets do not count.
std::vector<absl::string_view> ScopesOf(absl::string_view op_name);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_HIERARCHY_H_
