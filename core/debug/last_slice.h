// The instructions that the last why or influence found, for who lights them up: State::Extension<LastSlice>().
#ifndef HLOSCOPE_CORE_DEBUG_LAST_SLICE_H_
#define HLOSCOPE_CORE_DEBUG_LAST_SLICE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/debug/slice_parts.h"
#include "core/ir/module.h"

namespace hloscope {

struct LastSlice {
  // An instruction in one of the calls that lead to it.
  struct Place {
    const Instruction* instruction = nullptr;
    std::vector<SliceCall> calls;
  };
  uint64_t generation = 0;  // another one for each answer
  const Module* program = nullptr;
  std::vector<const Instruction*> instructions;  // without repeats, the one asked for first
  std::vector<Place> places;                     // of an influence, the same
  SliceParts parts;                              // of a why, and of an influence over several devices, the same, told apart by device and run
  std::shared_ptr<const SliceParts> shared;      // what PartsOf has made of these
  std::vector<std::vector<const Instruction*>> of_device;  // the instructions by device, of such an influence; else empty
  void Begin(const Module& of) {
    ++generation;
    shared = nullptr;
    program = &of.program();
    ++moment;
    if (several && begun) return;
    begun = true;
    moment = 1;
    instructions.clear();
    places.clear();
    parts = {};
    of_device.clear();
    seen_places.clear();
    seen.clear();
  }
  void Add(const Instruction* instruction) {
    if (instruction != nullptr && seen.insert(instruction).second) instructions.push_back(instruction);
  }
  void Add(const Instruction* instruction, std::vector<SliceCall> calls) {
    Add(instruction);
    if (instruction != nullptr && seen_places.insert({instruction, calls}).second) places.push_back({instruction, std::move(calls)});
  }
  // Found on that device.
  void AddOn(int device, const Instruction* instruction) {
    if (of_device.size() <= static_cast<size_t>(device)) of_device.resize(static_cast<size_t>(device) + 1);
    std::vector<const Instruction*>& there = of_device[static_cast<size_t>(device)];
    if (instruction != nullptr && std::find(there.begin(), there.end(), instruction) == there.end()) there.push_back(instruction);
  }
  absl::flat_hash_set<const Instruction*> seen;
  std::set<std::pair<const Instruction*, std::vector<SliceCall>>> seen_places;
  bool several = false, begun = false;
  int moment = 0;  // of an answer for several moments: which one this is, from 1
};

// While it lives, what is found adds up: the answers for several moments are one answer.
class OneAnswer {
 public:
  explicit OneAnswer(LastSlice& last) : last_(last) {
    last_.several = true;
    last_.begun = false;
  }
  ~OneAnswer() { last_.several = false; }
  OneAnswer(const OneAnswer&) = delete;
  OneAnswer& operator=(const OneAnswer&) = delete;

 private:
  LastSlice& last_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LAST_SLICE_H_
