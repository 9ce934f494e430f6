#include "core/debug/edit_sets.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_join.h"
#include "core/debug/hand_sets.h"
#include "core/debug/travel.h"
#include "core/ops/op.h"
#include "core/text/attribute_text.h"

namespace hloscope {

std::string AttributesText(const Instruction& i) {
  std::vector<std::string> texts;
  for (const Attribute& attribute : i.attributes) {
    const bool called = std::holds_alternative<Computation*>(attribute.value) || std::holds_alternative<std::vector<Computation*>>(attribute.value);
    std::string text(attribute.name.empty() ? Info(attribute.id).name : attribute.name);
    if (!called) TextOf(Info(attribute.id).kind).print(attribute.value, PrintOptions(), &text);
    texts.push_back(std::move(text));
  }
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, ", ");
}

std::vector<std::string> KeepBookmarks(Session::State& s, const Module& before, const Renames& renames, const std::map<std::string, Mark>& bookmarks) {
  std::vector<std::string> lost;
  for (const auto& [name, mark] : bookmarks) {
    if (const std::optional<Mark> now = MomentIn(before, *s.module, renames, mark)) {
      s.Extension<Travel>().bookmarks[name] = *now;
    } else {
      lost.push_back(name);
    }
  }
  return lost;
}

void SayLostBookmarks(Session::State& s, const std::vector<std::string>& lost) {
  if (!lost.empty()) s.Say("Bookmarks of moments that this program does not have are gone: ", absl::StrJoin(lost, ", "), "\n");
}

bool SameLine(const Instruction& a, const Instruction& b, const Renames& renames) {
  if (a.opcode != b.opcode || a.operands.size() != b.operands.size() || AttributesText(a) != AttributesText(b)) return false;
  for (size_t k = 0; k < a.operands.size(); ++k) {
    if (renames.Now(*a.operands[k]) != b.operands[k]) return false;
  }
  if ((a.literal == nullptr) != (b.literal == nullptr)) return false;
  if (a.literal == nullptr || !a.literal->value.has_value() || !b.literal->value.has_value()) return true;
  return Value::BitEqual(a.literal->value, b.literal->value);
}

std::optional<Mark> MomentIn(const Module& from, const Module& to, const Renames& renames, Mark mark, std::vector<const Computation*>* computations) {
  const Computation *old = from.entry, *now = to.entry;
  for (size_t k = 0; k < mark.levels.size(); ++k) {
    if (computations != nullptr) computations->push_back(now);
    Mark::Level& level = mark.levels[k];
    const bool last = k + 1 == mark.levels.size();
    if (level.position >= static_cast<int>(old->schedule.size())) {
      level.position = static_cast<int>(now->schedule.size());
      return last ? std::make_optional(mark) : std::nullopt;
    }
    const Instruction& before = *old->schedule[level.position];
    const Instruction* after = now->FindInstruction(before.name);
    if (after == nullptr) after = renames.Now(before);
    if (after == nullptr || after->parent != now) return std::nullopt;
    level.position = after->index;
    if (last) return mark;
    // Into what it runs: the same one of its computations.
    if (before.opcode != after->opcode) return std::nullopt;
    old = RunBy(before, mark.levels[k + 1]);
    now = RunBy(*after, mark.levels[k + 1]);
    if (old == nullptr || now == nullptr) return std::nullopt;
  }
  return std::nullopt;
}

PlacedSet PlaceSet(const Module& from, const Module& to, const Renames& renames, const HandSet& set) {
  PlacedSet placed;
  placed.was = set;
  const size_t depth = static_cast<size_t>(set.depth);
  const Computation* computation = from.entry;
  for (size_t k = 1; k <= depth; ++k) computation = RunBy(*computation->schedule[set.mark.levels[k - 1].position], set.mark.levels[k]);
  const Instruction& old = *computation->FindInstruction(set.instruction);
  const std::vector<Instruction*>& olds = computation->schedule;
  // The frame, and the instruction in it.
  Mark mark = set.mark;
  mark.levels.resize(depth + 1);
  mark.levels[depth].position = old.index;
  std::vector<const Computation*> computations;
  const std::optional<Mark> found = MomentIn(from, to, renames, mark, &computations);
  if (!found.has_value()) return placed;
  const Computation& there = *computations[depth];
  const Instruction& instruction = *there.schedule[found->levels[depth].position];
  placed.redefined = !SameLine(old, instruction, renames);
  if (placed.redefined || !Shape::Compatible(old.shape, instruction.shape)) return placed;

  const auto now = [&](const Instruction& i) -> const Instruction* {
    const Instruction* n = renames.Now(i);
    return n != nullptr && n->parent == &there ? n : nullptr;
  };
  const int size = static_cast<int>(there.schedule.size()), from_position = ReadFrom(set);
  int least = instruction.parameter_number >= 0 ? 0 : instruction.index + 1;
  absl::flat_hash_set<const Instruction*> had_read;
  for (int p = 0; p < from_position && p < static_cast<int>(olds.size()); ++p) {
    const Instruction* reader = Reads(*olds[p], old, set.path) ? now(*olds[p]) : nullptr;
    if (reader == nullptr) continue;
    had_read.insert(reader);
    least = std::max(least, reader->index + 1);
  }
  int stop = size;  // where the program stood; what follows if that is gone
  bool same_stop = set.mark.levels[depth].position >= static_cast<int>(olds.size());
  for (int p = set.mark.levels[depth].position; p < static_cast<int>(olds.size()); ++p) {
    if (const Instruction* n = now(*olds[p])) {
      stop = n->index;
      same_stop = p == set.mark.levels[depth].position;
      break;
    }
  }
  int reader = least;  // the first that had not
  while (reader < size && (!Reads(*there.schedule[reader], instruction, set.path) || had_read.contains(there.schedule[reader]))) ++reader;

  placed.now = set;
  placed.now->instruction = std::string(instruction.name);
  placed.now->name = renames.Rewritten(set.name, computation);
  placed.now->mark = *found;
  placed.now->mark.levels[depth].position = std::max(least, std::min(stop, reader));
  const bool inner = set.mark.levels.size() > depth + 1;
  if (inner && same_stop && reader > stop && least <= stop + 1) {
    if (const std::optional<Mark> whole = MomentIn(from, to, renames, set.mark)) placed.now->mark = *whole;
  }
  return placed;
}

void KeepWithSets(const Module& from, const Module& to, const std::vector<PlacedSet>& sets, std::vector<int>* old_position, std::vector<bool>* executes) {
  const std::vector<Instruction*>&olds = from.entry->schedule, &news = to.entry->schedule;
  executes->assign(news.size(), false);
  if (sets.empty()) return;
  // By position in the entry: the sets of its value, or inside of what it runs.
  std::vector<std::vector<const PlacedSet*>> of_old(olds.size()), of_new(news.size());
  const auto place = [](const HandSet& set, const Module& module) {
    return set.depth > 0 ? set.mark.levels[0].position : module.entry->FindInstruction(set.instruction)->index;
  };
  for (const PlacedSet& set : sets) {
    of_old[place(set.was, from)].push_back(&set);
    if (set.now.has_value()) of_new[place(*set.now, to)].push_back(&set);
  }
  std::vector<bool> touched(olds.size(), false), doubtful(news.size(), false);
  for (size_t p = 0; p < olds.size(); ++p) {
    touched[p] = !of_old[p].empty();
    for (const Instruction* operand : olds[p]->operands) touched[p] = touched[p] || touched[operand->index];
  }
  for (size_t p = 0; p < news.size(); ++p) {
    int& old = (*old_position)[p];
    bool same = old >= 0 && of_old[old] == of_new[p];
    for (size_t k = 0; same && k < news[p]->operands.size(); ++k) {
      const int operand = olds[old]->operands[k]->index, now = news[p]->operands[k]->index;
      if (!touched[operand] && !doubtful[now]) continue;
      same = (*old_position)[now] == operand;
      for (const PlacedSet* set : of_old[operand]) {
        same = same && (set->was.depth > 0 || (old < ReadFrom(set->was)) == (static_cast<int>(p) < ReadFrom(*set->now)));
      }
    }
    (*executes)[p] = !of_new[p].empty();
    doubtful[p] = !of_new[p].empty() || (old >= 0 && !same);
    if (!same) old = -1;
  }
}

}  // namespace hloscope
