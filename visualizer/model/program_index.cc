#include "visualizer/model/program_index.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "absl/strings/ascii.h"
#include "core/debug/edit_sets.h"
#include "visualizer/model/build_edit.h"
#include "visualizer/model/edit_reach.h"
#include "visualizer/model/rename_stablehlo.h"

namespace hloscope {
namespace {

constexpr int64_t kBlock = 4096;

int64_t CommonPrefix(absl::string_view a, absl::string_view b) {
  const int64_t size = static_cast<int64_t>(std::min(a.size(), b.size()));
  int64_t n = 0;
  while (n + kBlock <= size && std::memcmp(a.data() + n, b.data() + n, kBlock) == 0) n += kBlock;
  while (n < size && a[n] == b[n]) ++n;
  return n;
}

int64_t CommonSuffix(absl::string_view a, absl::string_view b, int64_t limit) {
  int64_t n = 0;
  const char* a_end = a.data() + a.size();
  const char* b_end = b.data() + b.size();
  while (n + kBlock <= limit && std::memcmp(a_end - n - kBlock, b_end - n - kBlock, kBlock) == 0) n += kBlock;
  while (n < limit && a_end[-n - 1] == b_end[-n - 1]) ++n;
  return n;
}

}  // namespace

bool IsNameLetter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '$' || c == '@' || c == '~' || static_cast<unsigned char>(c) >= 0x80;
}

absl::string_view NextWord(absl::string_view text, size_t from) {
  while (from < text.size() && !IsNameLetter(text[from])) ++from;
  size_t end = from;
  while (end < text.size() && IsNameLetter(text[end])) ++end;
  return text.substr(std::min(from, text.size()), end - from);
}

std::string SuggestedWord(absl::string_view hint) {
  constexpr absl::string_view kBefore = "did you mean '";
  const size_t at = hint.find(kBefore);
  if (at == absl::string_view::npos) return "";
  const absl::string_view rest = hint.substr(at + kBefore.size());
  const size_t end = rest.find('\'');
  return end == absl::string_view::npos ? "" : std::string(rest.substr(0, end));
}

SourceRange WordAt(const Document& document, int64_t offset) {
  const std::string& text = document.text();
  const int64_t size = static_cast<int64_t>(text.size());
  offset = std::clamp<int64_t>(offset, 0, size);
  int64_t begin = offset, end = offset;
  while (begin > 0 && IsNameLetter(text[begin - 1])) --begin;
  while (end < size && IsNameLetter(text[end])) ++end;
  return {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
}

void TextMap::Reset(absl::string_view older, absl::string_view newer) {
  begin_ = CommonPrefix(older, newer);
  const int64_t limit = static_cast<int64_t>(std::min(older.size(), newer.size())) - begin_;
  const int64_t tail = CommonSuffix(older, newer, limit);
  old_end_ = static_cast<int64_t>(older.size()) - tail;
  new_end_ = static_cast<int64_t>(newer.size()) - tail;
}

SourceRange TextMap::Newer(SourceRange older) const {
  if (!older.valid()) return {};
  const int64_t begin = Newer(older.begin), end = Newer(older.end);
  if (begin < 0 || end < begin) return {};
  return {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
}

void ProgramIndex::Update(const Snapshot& now, const Document& document) {
  const std::shared_ptr<const Reading> reading = document.reading();
  if (document.version() == seen_version_ && now.program_generation == seen_program_ && reading.get() == seen_reading_) return;
  const bool new_text = document.version() != seen_version_ || now.program_generation != seen_program_;
  seen_version_ = document.version();
  seen_program_ = now.program_generation;
  seen_reading_ = reading.get();
  ++generation_;
  running_ = now.module;
  session_ = now.session;
  // The reading is of this document where its text agrees but for a stretch; one of the program before is of no use.
  reading_ = reading;
  const bool running_fits = now.module != nullptr && now.source != nullptr && !document.changed() && now.source->text() == document.text();
  if (running_fits) {
    module_ = now.module;
    source_ = now.source;
    map_ = TextMap();
    map_.Reset("", "");
  } else if (reading != nullptr && reading->module != nullptr && reading->source != nullptr) {
    module_ = reading->module.get();
    source_ = reading->source;
  } else {
    module_ = nullptr;
    source_ = nullptr;
  }
  if (source_ != nullptr) map_.Reset(source_->text(), document.text());
  if (module_ != sorted_module_) Sort();
  const bool differ = module_ != nullptr && running_ != nullptr && module_ != running_;
  if (!differ || renamed_module_ != module_ || renamed_running_ != running_) {
    ran_.clear();
    stale_.reset();
  }
  if (!differ) {
    renames_ = Renames();
  } else if (renamed_module_ != module_ || renamed_running_ != running_) {
    renames_ = Renames(*running_, *module_);
  }
  renamed_module_ = differ ? module_ : nullptr;
  renamed_running_ = differ ? running_ : nullptr;
  if (new_text) FindFolds(document);
  problems_.clear();
  errors_ = 0;
  if (reading != nullptr && reading->source != nullptr && !reading->problems.empty()) {
    TextMap map;
    map.Reset(reading->source->text(), document.text());
    for (const Diagnostic& d : reading->problems) {
      const SourceRange range = map.Newer(d.range);
      if (d.range.valid() && !range.valid()) continue;
      errors_ += d.severity == Severity::kError;
      problems_.push_back({d, range});
    }
    std::stable_sort(problems_.begin(), problems_.end(), [](const Problem& a, const Problem& b) { return a.range.begin < b.range.begin; });
  }
}

void ProgramIndex::Sort() {
  sorted_module_ = module_;
  sorted_.clear();
  computations_.clear();
  if (module_ == nullptr) return;
  for (const Computation* computation : module_->computations) {
    if (computation->range.valid()) computations_.push_back(computation);
    for (const Instruction* instruction : computation->instructions) {
      if (instruction->range.valid()) sorted_.push_back(instruction);
    }
  }
  const auto earlier = [](const auto* a, const auto* b) { return a->range.begin < b->range.begin; };
  std::stable_sort(sorted_.begin(), sorted_.end(), earlier);
  LeaveOutCopies();
  std::stable_sort(computations_.begin(), computations_.end(), earlier);
}

// What a region of StableHLO captures has a copy in it that is written where the original is: a line means what stands in its own computation.
void ProgramIndex::LeaveOutCopies() {
  const auto at_home = [](const Instruction* i) {
    const SourceRange& of = i->parent->range;
    return !of.valid() || (i->range.begin >= of.begin && i->range.begin < of.end);
  };
  absl::flat_hash_set<std::pair<int64_t, absl::string_view>> home;
  for (const Instruction* i : sorted_) {
    if (at_home(i)) home.insert({i->range.begin, i->name});
  }
  sorted_.erase(std::remove_if(sorted_.begin(), sorted_.end(), [&](const Instruction* i) { return !at_home(i) && home.contains({i->range.begin, i->name}); }), sorted_.end());
}

void ProgramIndex::FindFolds(const Document& document) {
  folds_.clear();
  std::vector<int> open;
  const int lines = document.line_count();
  for (int k = 0; k < lines; ++k) {
    const absl::string_view line = document.line(k);
    size_t first = 0;
    while (first < line.size() && (line[first] == ' ' || line[first] == '\t')) ++first;
    if (first == line.size() || line.substr(first, 2) == "//") continue;
    if (line[first] == '}' && !open.empty()) {
      FoldRegion& region = folds_[open.back()];
      region.last = k;
      open.pop_back();
    }
    size_t last = line.size();
    while (last > first && (line[last - 1] == ' ' || line[last - 1] == '\t')) --last;
    if (line[last - 1] == '{') {
      open.push_back(static_cast<int>(folds_.size()));
      folds_.push_back({k, -1, static_cast<int>(open.size()) - 1});
    }
  }
  folds_.erase(std::remove_if(folds_.begin(), folds_.end(), [](const FoldRegion& r) { return r.last <= r.first; }), folds_.end());
}

const Instruction* ProgramIndex::Running(const Instruction* shown) const {
  if (shown == nullptr || running_ == nullptr || running_ == module_) return shown != nullptr && running_ == module_ ? shown : nullptr;
  return renames_.Before(*shown);
}

namespace {

// As it is written, with what stands inside it; empty: it has no text.
absl::string_view WrittenText(const Module& module, const Instruction& instruction) {
  if (module.source == nullptr || !instruction.range.valid()) return "";
  const absl::string_view text = module.source->text();
  const int64_t size = static_cast<int64_t>(text.size()), begin = std::min<int64_t>(instruction.range.begin, size);
  return text.substr(begin, std::clamp<int64_t>(instruction.range.end, begin, size) - begin);
}

}  // namespace

bool ProgramIndex::SameAsRunning(const Instruction& shown, int depth) const {
  const Instruction* running = Running(&shown);
  if (running == nullptr || !Shape::Compatible(running->shape, shown.shape)) return false;
  const absl::string_view text = WrittenText(*module_, shown);
  if (!text.empty() && text == WrittenText(*running_, *running)) return true;
  if (running->opcode != shown.opcode) return false;
  const bool elided = shown.literal != nullptr && shown.literal->elided, was_elided = running->literal != nullptr && running->literal->elided;
  if (elided || was_elided) return elided == was_elided;  // what stands for such a constant is the engine's
  if (!SameLine(*running, shown, renames_)) return false;
  const std::vector<Computation*> called = running->CalledComputations(), now = shown.CalledComputations();
  if (called.size() != now.size()) return false;
  for (size_t k = 0; k < called.size(); ++k) {
    if (called[k] == nullptr || renames_.Now(*called[k]) != now[k]) return false;
  }
  // An operation of StableHLO may be several instructions: what it is made of stands at the same place.
  for (const Instruction* operand : shown.operands) {
    const bool inside = operand != nullptr && operand->range.valid() && operand->range.begin == shown.range.begin;
    if (inside && (depth == 0 || !SameAsRunning(*operand, depth - 1))) return false;
  }
  return true;
}

bool ProgramIndex::Ran(const Instruction* shown) const {
  if (shown == nullptr || Running(shown) == nullptr) return false;
  if (running_ == module_) return true;
  const auto [found, fresh] = ran_.try_emplace(shown, false);
  if (fresh) found->second = SameAsRunning(*shown, 6);
  return found->second;
}

// Instructions that are not what ran. Where the texts are the same they are, so only what lies between is looked at.
std::vector<const Instruction*> ProgramIndex::Edited() const {
  std::vector<const Instruction*> edited;
  if (module_->source == nullptr || running_->source == nullptr) return edited;
  TextMap map;
  map.Reset(running_->source->text(), module_->source->text());
  for (const Instruction* instruction : sorted_) {
    const SourceRange range = instruction->range;
    const bool outside = map.Older(range.begin) >= 0 && map.Older(range.end) >= 0 &&
                         map.Older(range.end) - map.Older(range.begin) == range.end - range.begin;
    if (!outside && !Ran(instruction)) edited.push_back(instruction);
  }
  return edited;
}

bool ProgramIndex::Stale(const Instruction* shown) const {
  if (shown == nullptr || module_ == nullptr || running_ == nullptr || running_ == module_) return false;
  if (!stale_.has_value()) stale_ = ReachedByEdit(*module_, Edited());
  return stale_->contains(shown);
}

const Instruction* ProgramIndex::Shown(const Instruction* running) const {
  if (running == nullptr || module_ == nullptr || running_ == module_) return running != nullptr && running_ == module_ ? running : nullptr;
  return renames_.Now(*running);
}

std::vector<const Instruction*> ProgramIndex::Beginning(int64_t begin, int64_t end) const {
  std::vector<const Instruction*> found;
  // Places of the document grow with those of the source, but for the ones that are gone.
  auto it = std::partition_point(sorted_.begin(), sorted_.end(), [&](const Instruction* i) {
    const int64_t at = map_.Newer(i->range.begin);
    if (at >= 0) return at < begin;
    return map_.Newer(i->range.end) >= 0 ? map_.Newer(i->range.end) < begin : map_.Older(begin) >= 0 && i->range.begin < map_.Older(begin);
  });
  for (; it != sorted_.end() && found.size() < 256; ++it) {
    const int64_t at = map_.Newer((*it)->range.begin);
    if (at < 0) continue;
    if (at >= end) break;
    if (at >= begin) found.push_back(*it);
  }
  return found;
}

const Instruction* ProgramIndex::At(int64_t offset) const {
  const int64_t at = map_.Older(offset);
  if (at < 0) return nullptr;
  auto it = std::partition_point(sorted_.begin(), sorted_.end(), [&](const Instruction* i) { return i->range.begin <= at; });
  // Instructions may stand inside others (computations in place, operands in place): the innermost is the last that holds the place.
  for (int tries = 0; it != sorted_.begin() && tries < 64; ++tries) {
    --it;
    if (at <= (*it)->range.end) return *it;
  }
  return nullptr;
}

const Computation* ProgramIndex::ComputationAt(int64_t offset) const {
  const int64_t at = map_.Older(offset);
  if (at < 0) return nullptr;
  auto it = std::partition_point(computations_.begin(), computations_.end(), [&](const Computation* c) { return c->range.begin <= at; });
  for (int tries = 0; it != computations_.begin() && tries < 64; ++tries) {
    --it;
    if (at <= (*it)->range.end) return *it;
  }
  return nullptr;
}

// A value of StableHLO by its name: all operands of an operation have the operation's place there.
Symbol ProgramIndex::StableHloSymbolAt(const Document& document, int64_t offset, SourceRange word) const {
  Symbol symbol;
  const absl::string_view text = document.text();
  SourceRange name = {word.begin + 1, word.end};
  const auto at = [&](int32_t place) { return static_cast<size_t>(place) < text.size() ? text[static_cast<size_t>(place)] : '\0'; };
  if (at(name.end) == '#') {
    do ++name.end;
    while (absl::ascii_isdigit(static_cast<unsigned char>(at(name.end))));
  }
  const Instruction* line = At(offset);
  const Computation* home = line != nullptr ? line->parent : ComputationAt(offset);
  if (home == nullptr) return symbol;
  symbol.instruction = home->FindInstruction(text.substr(static_cast<size_t>(name.begin), static_cast<size_t>(name.end - name.begin)));
  if (symbol.instruction == nullptr) return symbol;
  symbol.range = name;
  const SourceRange operation = line != nullptr ? map_.Newer(line->name_range) : SourceRange();
  symbol.definition = line == nullptr ? symbol.instruction->parameter_number >= 0 : symbol.instruction->range.begin == line->range.begin && word.begin < operation.begin;
  return symbol;
}

Symbol ProgramIndex::SymbolAt(const Document& document, int64_t offset) const {
  Symbol symbol;
  if (module_ == nullptr) return symbol;
  const bool hlo = build::IsHloText(document.text());
  if (!hlo) {
    const SourceRange name = StableHloNameAt(document.text(), offset);
    if (name.valid() && document.text()[static_cast<size_t>(name.begin)] == '%') return StableHloSymbolAt(document, offset, name);
  }
  const SourceRange word = WordAt(document, offset);
  if (word.end <= word.begin) return symbol;
  symbol.range = word;
  const absl::string_view text = absl::string_view(document.text()).substr(word.begin, word.end - word.begin);
  const auto holds = [&](SourceRange range) {
    range = map_.Newer(range);
    return range.valid() && range.begin <= word.end && range.end >= word.begin && offset >= range.begin && offset <= range.end;
  };
  const Instruction* instruction = At(offset);
  if (instruction != nullptr) {
    if (holds(instruction->name_range)) {
      symbol.instruction = instruction;
      symbol.definition = true;
      return symbol;
    }
    for (size_t k = 0; hlo && k < instruction->operand_ranges.size() && k < instruction->operands.size(); ++k) {
      if (instruction->operands[k] == nullptr || !holds(instruction->operand_ranges[k])) continue;
      symbol.instruction = instruction->operands[k];
      return symbol;
    }
    for (const Attribute& attribute : instruction->attributes) {
      if (!holds(attribute.range)) continue;
      const auto named = [&](const Computation* c) { return c != nullptr && (c->name == text || (text.size() > 0 && text[0] == '@' && c->name == text.substr(1))); };
      if (const auto* one = std::get_if<Computation*>(&attribute.value); one != nullptr && named(*one)) symbol.computation = *one;
      if (const auto* many = std::get_if<std::vector<Computation*>>(&attribute.value)) {
        for (const Computation* c : *many) {
          if (named(c)) symbol.computation = c;
        }
      }
      if (symbol.computation != nullptr) return symbol;
    }
    for (const Instruction* other : instruction->control_predecessors) {
      if (other->name != text) continue;
      symbol.instruction = other;
      return symbol;
    }
    return symbol;
  }
  if (const Computation* computation = ComputationAt(offset); computation != nullptr && holds(computation->name_range)) {
    symbol.computation = computation;
    symbol.definition = true;
  }
  return symbol;
}

int ProgramIndex::LineOf(const Document& document, const Instruction* running) const {
  const Instruction* shown = Shown(running);
  if (shown == nullptr) return -1;
  SourceRange range = map_.Newer(shown->name_range);
  if (!range.valid()) range = map_.Newer(SourceRange{shown->range.begin, shown->range.begin});
  return range.valid() ? document.LineAt(range.begin) : -1;
}

std::vector<SourceRange> ProgramIndex::UsesOf(const Symbol& symbol) const {
  std::vector<SourceRange> found;
  const auto add = [&](SourceRange range) {
    range = map_.Newer(range);
    if (range.valid()) found.push_back(range);
  };
  if (symbol.instruction != nullptr) {
    add(symbol.instruction->name_range);
    for (const Instruction* other : symbol.instruction->parent->instructions) {
      for (size_t k = 0; k < other->operands.size() && k < other->operand_ranges.size(); ++k) {
        if (other->operands[k] == symbol.instruction) add(other->operand_ranges[k]);
      }
    }
  } else if (symbol.computation != nullptr && module_ != nullptr) {
    add(symbol.computation->name_range);
    for (const Computation* computation : module_->computations) {
      for (const Instruction* other : computation->instructions) {
        for (const Attribute& attribute : other->attributes) {
          const auto* one = std::get_if<Computation*>(&attribute.value);
          const auto* many = std::get_if<std::vector<Computation*>>(&attribute.value);
          if (one != nullptr ? *one == symbol.computation : many != nullptr && std::find(many->begin(), many->end(), symbol.computation) != many->end()) add(attribute.range);
        }
      }
    }
  }
  return found;
}

}  // namespace hloscope
