// Module::Finalize: what follows from a module's text once all of it is there: program order, names, parameters, the entry.
// Not for shapes and attributes: that is the verifier (core/ops/verifier.h).
#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/ir/frontend_attributes.h"
#include "core/ir/module.h"

namespace hloscope {
namespace {

// What a program of one replica sends to itself has been sent before it arrives: recv-done comes after the send of its channel in the same
// computation, the k-th receive of a channel after its k-th send, though no operand says so. Not where the send needs what is received.
// What a device sends to itself is received before the send is complete: send-done comes after that recv, where nothing says otherwise.
using Arrivals = absl::flat_hash_map<const Instruction*, Instruction*>;  // recv-done: its send; send-done: the recv of what is sent
bool DependsOn(const Instruction* from, const Instruction* on, const Arrivals& arrivals) {
  absl::flat_hash_set<const Instruction*> seen;
  std::vector<const Instruction*> work = {from};
  while (!work.empty()) {
    const Instruction* at = work.back();
    work.pop_back();
    if (at == on) return true;
    if (!seen.insert(at).second) continue;
    work.insert(work.end(), at->operands.begin(), at->operands.end());
    work.insert(work.end(), at->control_predecessors.begin(), at->control_predecessors.end());
    if (const auto arrives = arrivals.find(at); arrives != arrivals.end()) work.push_back(arrives->second);
  }
  return false;
}

// It names no pairs, or each of them is one device twice.
bool IsToItself(const Instruction& send) {
  if (const Attribute* written = send.Find(AttrId::kSourceTargetPairs)) {
    const auto* pairs = std::get_if<std::vector<std::pair<int64_t, int64_t>>>(&written->value);
    return pairs != nullptr && std::all_of(pairs->begin(), pairs->end(), [](const auto& pair) { return pair.first == pair.second; });
  }
  const std::optional<absl::string_view> text = FrontendAttribute(send.frontend_attributes, "_xla_send_recv_source_target_pairs");
  if (!text.has_value()) return true;
  std::vector<absl::string_view> numbers;
  for (absl::string_view part : absl::StrSplit(*text, absl::ByAnyChar("{}, \"'"), absl::SkipWhitespace())) numbers.push_back(part);
  for (size_t k = 0; k + 1 < numbers.size(); k += 2) {
    if (numbers[k] != numbers[k + 1]) return false;
  }
  return numbers.size() % 2 == 0;
}

void AddCompletions(const Computation& computation, Arrivals& arrivals) {
  absl::flat_hash_map<int64_t, std::vector<Instruction*>> receives;  // by channel, in text order
  for (Instruction* i : computation.instructions) {
    if (i->opcode == Opcode::kRecv) receives[i->Int(AttrId::kChannelId)].push_back(i);
  }
  if (receives.empty()) return;
  absl::flat_hash_map<int64_t, size_t> sends;
  absl::flat_hash_map<const Instruction*, Instruction*> received;  // send: the recv of what it sends
  for (const Instruction* i : computation.instructions) {
    if (i->opcode != Opcode::kSend) continue;
    const auto of_channel = receives.find(i->Int(AttrId::kChannelId));
    const size_t k = sends[i->Int(AttrId::kChannelId)]++;
    if (of_channel != receives.end() && k < of_channel->second.size() && IsToItself(*i)) received[i] = of_channel->second[k];
  }
  for (const Instruction* i : computation.instructions) {
    if (i->opcode != Opcode::kSendDone || i->operands.size() != 1) continue;
    const auto found = received.find(i->operands[0]);
    if (found != received.end() && !DependsOn(found->second, i, arrivals)) arrivals[i] = found->second;
  }
}

Arrivals FindArrivals(const Computation& computation) {
  Arrivals arrivals;
  absl::flat_hash_map<int64_t, std::vector<Instruction*>> sends;  // by channel, in text order
  for (Instruction* i : computation.instructions) {
    if (i->opcode == Opcode::kSend && !i->Bool(AttrId::kIsHostTransfer)) sends[i->Int(AttrId::kChannelId)].push_back(i);
  }
  if (sends.empty()) return arrivals;
  absl::flat_hash_map<int64_t, size_t> receives;
  absl::flat_hash_map<const Instruction*, size_t> number;  // of a recv on its channel
  for (const Instruction* i : computation.instructions) {
    if (i->opcode == Opcode::kRecv && !i->Bool(AttrId::kIsHostTransfer)) number[i] = receives[i->Int(AttrId::kChannelId)]++;
  }
  for (const Instruction* i : computation.instructions) {
    if (i->opcode != Opcode::kRecvDone || i->operands.size() != 1 || !number.contains(i->operands[0])) continue;
    const auto of_channel = sends.find(i->operands[0]->Int(AttrId::kChannelId));
    const size_t k = number[i->operands[0]];
    if (of_channel == sends.end() || k >= of_channel->second.size()) continue;
    if (Instruction* send = of_channel->second[k]; !DependsOn(send, i, arrivals)) arrivals[i] = send;
  }
  AddCompletions(computation, arrivals);
  return arrivals;
}

using Calls = std::vector<std::pair<Computation*, Instruction*>>;  // {called, caller}

// What Finalize asks of a computation's instructions, found in one walk over them: those of a large one have long left the caches.
struct Survey {
  std::vector<Instruction*> parameters;  // in text order
  bool sends = false;
  bool ordered = true;  // every operand and control predecessor stands before its user, as in all dumps: text order is program order
};

// Numbers the instructions, too. Appends the calls to `calls`.
Survey Walk(Computation& computation, Calls& calls) {
  Survey survey;
  const std::vector<Instruction*>& all = computation.instructions;
  const auto stands_later = [&](const Instruction& before, int32_t at) {
    if (before.parent != &computation) return false;
    return before.index < 0 || before.index >= at || all[before.index] != &before;  // numbered in this walk only where it is found there
  };
  for (size_t i = 0; i < all.size(); ++i) {
    Instruction& instruction = *all[i];
    const int32_t at = instruction.index = static_cast<int32_t>(i);
    for (const Instruction* operand : instruction.operands) survey.ordered &= !stands_later(*operand, at);
    for (const Instruction* before : instruction.control_predecessors) survey.ordered &= !stands_later(*before, at);
    if (instruction.parameter_number >= 0) survey.parameters.push_back(&instruction);
    survey.sends |= instruction.opcode == Opcode::kSend;
    for (const Attribute& attribute : instruction.attributes) {
      if (auto* one = std::get_if<Computation*>(&attribute.value)) {
        if (*one != nullptr) calls.emplace_back(*one, &instruction);
      } else if (auto* many = std::get_if<std::vector<Computation*>>(&attribute.value)) {
        for (Computation* c : *many) {
          if (c != nullptr) calls.emplace_back(c, &instruction);
        }
      }
    }
  }
  return survey;
}

// Nothing that a program sends itself has to arrive before it has been sent, or is complete before it is received.
bool ArriveInOrder(const Arrivals& arrivals) {
  return std::all_of(arrivals.begin(), arrivals.end(), [](const auto& arrival) { return arrival.second->index < arrival.first->index; });
}

// "%a -> %b -> %a", at most a few names long.
std::string DescribeCycle(const std::vector<Instruction*>& path, const Instruction* again) {
  auto from = std::find(path.begin(), path.end(), again);
  std::string text;
  int shown = 0;
  for (auto it = from; it != path.end(); ++it) {
    if (++shown > 8) {
      text += "... -> ";
      break;
    }
    absl::StrAppend(&text, "%", (*it)->name, " -> ");
  }
  return absl::StrCat(text, "%", again->name);
}

// Depth-first order, operands before users, text order where free; without recursion. Edges that close a cycle are reported and dropped.
void SortSchedule(Computation& computation, const Arrivals& arrivals, DiagnosticSink& sink) {
  enum : uint8_t { kNew, kOpen, kDone };
  size_t n = computation.instructions.size();
  std::vector<uint8_t> state(n, kNew);
  std::vector<Instruction*> path;
  std::vector<size_t> next_edge;
  computation.schedule.clear();
  auto edge = [&arrivals](const Instruction& i, size_t k) -> Instruction* {
    if (k < i.operands.size()) return i.operands[k];
    k -= i.operands.size();
    return k < i.control_predecessors.size() ? i.control_predecessors[k] : arrivals.at(&i);
  };
  for (Instruction* start : computation.instructions) {
    if (state[start->index] != kNew) continue;
    path.push_back(start);
    next_edge.push_back(0);
    state[start->index] = kOpen;
    while (!path.empty()) {
      Instruction* at = path.back();
      size_t k = next_edge.back()++;
      if (k == at->operands.size() + at->control_predecessors.size() + arrivals.count(at)) {
        state[at->index] = kDone;
        computation.schedule.push_back(at);
        path.pop_back();
        next_edge.pop_back();
        continue;
      }
      Instruction* before = edge(*at, k);
      if (before->parent != &computation || state[before->index] == kDone) continue;
      if (state[before->index] == kOpen) {
        sink.Error(at->range, HLO_LABEL("ir.operand-cycle"),
                   absl::StrCat("instructions depend on each other in a cycle: ", DescribeCycle(path, before)),
                   "an instruction can only use values that are computed before it; break the cycle");
        continue;
      }
      path.push_back(before);
      next_edge.push_back(0);
      state[before->index] = kOpen;
    }
  }
  for (size_t i = 0; i < computation.schedule.size(); ++i) computation.schedule[i]->index = static_cast<int32_t>(i);
}

void IndexNames(Computation& computation, DiagnosticSink& sink) {
  // A reader may leave the table with the first instruction of each name: then it lacks none where it is as long as the list.
  if (computation.by_name.size() == computation.instructions.size()) return;
  computation.by_name.clear();
  computation.by_name.reserve(computation.instructions.size());
  for (Instruction* instruction : computation.instructions) {
    auto [it, inserted] = computation.by_name.emplace(instruction->name, instruction);
    if (!inserted) {
      sink.Error(instruction->name_range, HLO_LABEL("ir.duplicate-instruction"),
                 absl::StrCat("the name %", instruction->name, " is already taken in computation ", computation.name),
                 "give each instruction of a computation its own name");
    }
  }
}

void CollectParameters(Computation& computation, const std::vector<Instruction*>& in_text_order, DiagnosticSink& sink) {
  const int64_t count = static_cast<int64_t>(in_text_order.size());
  computation.parameters.assign(count, nullptr);
  for (Instruction* instruction : in_text_order) {
    const int64_t number = instruction->parameter_number;
    if (number >= count) {
      if (computation.in_error) continue;  // the missing one may be what could not be read
      sink.Error(instruction->range, HLO_LABEL("ir.parameter-number"),
                 absl::StrCat("parameter number ", number, " in a computation of ", count, " parameters leaves a gap"),
                 absl::StrCat("number the parameters of ", computation.name, " from 0 to ", count - 1));
    } else if (computation.parameters[number] != nullptr) {
      sink.Error(instruction->range, HLO_LABEL("ir.duplicate-parameter"),
                 absl::StrCat("parameter number ", number, " is already %", computation.parameters[number]->name),
                 absl::StrCat("number the parameters of ", computation.name, " from 0 to ", count - 1));
    } else {
      computation.parameters[number] = instruction;
    }
  }
  if (std::find(computation.parameters.begin(), computation.parameters.end(), nullptr) != computation.parameters.end()) {
    computation.parameters.clear();  // reported above; nobody may index into a list with holes
  }
}

// A computation that calls itself, directly or not, cannot be run or inlined.
// `calls`: of all computations, those of computation c from begins[c] to begins[c + 1].
void CheckCallCycles(const Module& module, const Calls& calls, const std::vector<size_t>& begins, DiagnosticSink& sink) {
  enum : uint8_t { kNew, kOpen, kDone };
  struct Visit {
    Computation* computation;
    size_t next;  // in calls
  };
  std::vector<uint8_t> state(module.computations.size(), kNew);
  absl::flat_hash_set<std::pair<Computation*, Instruction*>> reported;  // a loop can name one as condition and body
  std::vector<Visit> stack;
  for (Computation* start : module.computations) {
    if (state[start->id] != kNew) continue;
    state[start->id] = kOpen;
    stack.push_back({start, begins[start->id]});
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (visit.next == begins[visit.computation->id + 1]) {
        state[visit.computation->id] = kDone;
        stack.pop_back();
        continue;
      }
      const auto [callee, caller] = calls[visit.next++];
      if (state[callee->id] == kOpen) {
        if (!reported.emplace(callee, caller).second) continue;
        sink.Error(caller->range, HLO_LABEL("ir.call-cycle"),
                   absl::StrCat("computation ", callee->name, " calls itself through %", caller->name),
                   "computations may not be recursive; use while for a loop");
      } else if (state[callee->id] == kNew) {
        state[callee->id] = kOpen;
        stack.push_back({callee, begins[callee->id]});
      }
    }
  }
}

}  // namespace

void Module::Finalize(DiagnosticSink& sink) {
  computation_by_name_.clear();
  computation_by_name_.reserve(computations.size());
  Calls calls;
  const std::string* header = FindHeader("is_scheduled");
  const bool scheduled = header != nullptr && *header == "true";  // the text's order is the order
  std::vector<size_t> begins = {0};  // by computation
  for (size_t i = 0; i < computations.size(); ++i) {
    Computation& computation = *computations[i];
    computation.id = static_cast<int32_t>(i);
    if (!computation_by_name_.emplace(computation.name, &computation).second) {
      sink.Error(computation.name_range, HLO_LABEL("ir.duplicate-computation"),
                 absl::StrCat("the name ", computation.name, " is already taken by another computation"),
                 "give each computation of a module its own name");
    }
    IndexNames(computation, sink);
    const Survey survey = Walk(computation, calls);
    begins.push_back(calls.size());
    CollectParameters(computation, survey.parameters, sink);
    const Arrivals arrivals = survey.sends && !scheduled ? FindArrivals(computation) : Arrivals();
    if (survey.ordered && ArriveInOrder(arrivals)) {
      computation.schedule = computation.instructions;
    } else {
      SortSchedule(computation, arrivals, sink);
    }
    if (computation.root == nullptr && !computation.instructions.empty()) computation.root = computation.instructions.back();
  }
  for (Computation* computation : computations) {
    if (!computation->is_entry) continue;
    if (entry != nullptr && entry != computation) {
      sink.Error(computation->name_range, HLO_LABEL("ir.second-entry"),
                 absl::StrCat("computation ", computation->name, " is a second ENTRY; the first is ", entry->name),
                 "mark only one computation with ENTRY");
      continue;
    }
    entry = computation;
  }
  if (entry == nullptr && !computations.empty()) {
    entry = computations.back();
    entry->is_entry = true;
  }
  for (Computation* computation : computations) {
    if (!computation->instructions.empty() || computation->in_error) continue;
    sink.Error(computation->name_range, HLO_LABEL("ir.empty-computation"), absl::StrCat("computation ", computation->name, " has no instructions"),
               "a computation needs at least one, its root");
  }
  CheckCallCycles(*this, calls, begins, sink);
}

std::vector<PythonFrame> Module::PythonFrames(const Instruction& instruction) const {
  std::vector<PythonFrame> result;
  int32_t id = instruction.metadata.stack_frame_id;
  auto text = [](const std::vector<std::string>& table, int32_t one_based) {
    return one_based >= 1 && one_based <= static_cast<int32_t>(table.size()) ? absl::string_view(table[one_based - 1]) : absl::string_view();
  };
  // A damaged table could link in a circle: never more frames than the table has.
  for (size_t steps = 0; id >= 1 && id <= static_cast<int32_t>(frames.stack_frames.size()) && steps <= frames.stack_frames.size(); ++steps) {
    const StackFrame& frame = frames.stack_frames[id - 1];
    PythonFrame python;
    if (frame.file_location_id >= 1 && frame.file_location_id <= static_cast<int32_t>(frames.file_locations.size())) {
      const FileLocation& location = frames.file_locations[frame.file_location_id - 1];
      python = {text(frames.file_names, location.file_name_id), text(frames.function_names, location.function_name_id), location.line,
                location.column};
    }
    result.push_back(python);
    id = frame.parent_frame_id - 1;  // written as the parent's id plus one; 1 means none
  }
  if (result.empty() && !instruction.metadata.source_file.empty()) {
    result.push_back({instruction.metadata.source_file, {}, instruction.metadata.source_line, 0});
  }
  return result;
}

}  // namespace hloscope
