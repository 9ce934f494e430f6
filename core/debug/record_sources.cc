#include "core/debug/record_sources.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {

std::vector<RecordLevel> LevelsOf(absl::Span<const Frame> frames) {
  std::vector<RecordLevel> levels;
  for (size_t k = 1; k < frames.size(); ++k) levels.push_back({frames[k].kind, frames[k].caller, frames[k].computation, frames[k].iteration, frames[k].branch});
  return levels;
}

std::string PlaceOf(absl::Span<const RecordLevel> levels) {
  std::string place;
  for (const RecordLevel& level : levels) {
    absl::StrAppend(&place, level.caller == nullptr ? absl::string_view("?") : level.caller->name);
    switch (level.kind) {
      case FrameKind::kWhileBody: absl::StrAppend(&place, "[", level.iteration, "]"); break;
      case FrameKind::kWhileCondition: absl::StrAppend(&place, "[", level.iteration, "?]"); break;
      case FrameKind::kBranch: absl::StrAppend(&place, "{", level.branch, "}"); break;
      case FrameKind::kElement: absl::StrAppend(&place, "(", level.iteration, ")"); break;
      case FrameKind::kEntry:
      case FrameKind::kCall:
      case FrameKind::kFusion: break;
    }
    place += "/";
  }
  return place;
}

std::string LeafPlace(const Shape& shape, int leaf) { return absl::StrReplaceAll(LeafPathText(shape, leaf), {{"[", "{"}, {"]", "}"}}); }

namespace {

constexpr size_t kMostSources = 100'000;

template <typename T>
std::vector<T> Without(const std::vector<T>& all) {
  return std::vector<T>(all.begin(), all.end() - 1);
}

bool Has(const std::set<std::string>& places, const std::string& prefix) {
  const auto at = places.lower_bound(prefix);
  return at != places.end() && absl::StartsWith(*at, prefix);
}

// Of a loop that has run: the last iteration that something of the body is known of; -1: none.
int64_t LastIteration(const std::set<std::string>& places, const RecordLevel& body, const std::vector<RecordLevel>& outer) {
  std::vector<RecordLevel> levels = outer;
  levels.push_back(body);
  const auto has = [&](int64_t iteration) {
    levels.back().iteration = iteration;
    return Has(places, PlaceOf(levels));
  };
  if (!has(0)) return -1;
  int64_t low = 0, high = 1;
  while (has(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (has(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

void RecordSources::ExpandControl(const Source& source, std::vector<Source>* into) const {
  const Instruction& i = *source.instruction;
  const auto enter = [&](RecordLevel level) {
    std::vector<RecordLevel> levels = source.levels;
    levels.push_back(level);
    into->push_back({level.computation->root, std::move(levels), source.leaf});
  };
  switch (Def(i).control) {
    case ControlKind::kCall: {
      const std::vector<Computation*> called = i.CalledComputations();
      if (!called.empty()) enter({called[0]->is_fusion ? FrameKind::kFusion : FrameKind::kCall, &i, called[0], 0, -1});
      return;
    }
    case ControlKind::kWhile: {
      RecordLevel body{FrameKind::kWhileBody, &i, i.Called(AttrId::kBody), 0, -1};
      // How often it ran decides too: where the run and the record part, one of these two conditions told it.
      const int64_t last = LastIteration(met_, body, source.levels), recorded = LastIteration(names_, body, source.levels);
      for (const int64_t end : {last, recorded}) {
        std::vector<RecordLevel> levels = source.levels;
        levels.push_back({FrameKind::kWhileCondition, &i, i.Called(AttrId::kCondition), end + 1, -1});
        into->push_back({levels.back().computation->root, std::move(levels), 0});
        if (last == recorded) break;
      }
      body.iteration = last;
      if (last >= 0) return enter(body);
      into->push_back({i.operands[0], source.levels, source.leaf});
      return;
    }
    case ControlKind::kConditional: {
      into->push_back({i.operands[0], source.levels, 0});
      const std::vector<Computation*> branches = i.CalledComputations();
      bool any = false;
      for (size_t b = 0; b < branches.size(); ++b) {
        std::vector<RecordLevel> levels = source.levels;
        levels.push_back({FrameKind::kBranch, &i, branches[b], 0, static_cast<int>(b)});
        if (!Has(met_, PlaceOf(levels))) continue;
        any = true;
        enter(levels.back());
      }
      // Nothing of it was seen: whichever ran hands on what it was given.
      for (size_t b = 0; b < branches.size() && !any; ++b) enter({FrameKind::kBranch, &i, branches[b], 0, static_cast<int>(b)});
      return;
    }
    case ControlKind::kNone: return;
  }
}

void RecordSources::ExpandParameter(const Source& source, std::vector<Source>* into) const {
  const Instruction& i = *source.instruction;
  if (source.levels.empty()) return;
  RecordLevel level = source.levels.back();
  std::vector<RecordLevel> outer = Without(source.levels);
  switch (level.kind) {
    case FrameKind::kWhileCondition:
    case FrameKind::kWhileBody:
      if (level.iteration > 0) {
        RecordLevel before{FrameKind::kWhileBody, level.caller, level.caller->Called(AttrId::kBody), level.iteration - 1, -1};
        outer.push_back(before);
        into->push_back({before.computation->root, std::move(outer), source.leaf});
      } else {
        into->push_back({level.caller->operands[0], std::move(outer), source.leaf});
      }
      return;
    case FrameKind::kBranch:
      into->push_back({level.caller->operands[level.branch + 1], std::move(outer), source.leaf});
      return;
    case FrameKind::kEntry:
    case FrameKind::kCall:
    case FrameKind::kFusion:
    case FrameKind::kElement:
      if (i.parameter_number < static_cast<int>(level.caller->operands.size())) into->push_back({level.caller->operands[i.parameter_number], std::move(outer), source.leaf});
      return;
  }
}

// What the leaf is made from: where it is handed on, one leaf; else all that the instruction reads.
void RecordSources::Expand(const Source& source, std::vector<Source>* into) const {
  const Instruction& i = *source.instruction;
  if (i.parameter_number >= 0) return ExpandParameter(source, into);
  const std::vector<LeafSource> leaves = SourcesOfLeaves(i);
  if (source.leaf < static_cast<int>(leaves.size()) && leaves[source.leaf].operand != LeafSource::kNone) {
    const LeafSource from = leaves[source.leaf];
    if (from.operand >= 0) return into->push_back({i.operands[from.operand], source.levels, from.leaf});
    std::vector<RecordLevel> levels = source.levels;
    levels.push_back({FrameKind::kCall, &i, i.CalledComputations()[0], 0, -1});
    return into->push_back({levels.back().computation->root, std::move(levels), from.leaf});
  }
  if (Def(i).control != ControlKind::kNone) return ExpandControl(source, into);
  for (const Instruction* operand : i.operands) {
    for (int leaf = 0; leaf < LeafCountOf(operand->shape); ++leaf) into->push_back({operand, source.levels, leaf});
  }
}

RecordOrigin RecordSources::OriginOf(const Instruction& instruction, absl::Span<const RecordLevel> levels, int leaf) const {
  std::vector<Source> todo;
  Expand({&instruction, {levels.begin(), levels.end()}, leaf}, &todo);
  absl::flat_hash_set<std::string> seen;
  bool all_known = true;
  while (!todo.empty()) {
    const Source source = std::move(todo.back());
    todo.pop_back();
    const Instruction& i = *source.instruction;
    const std::string place = absl::StrCat(PlaceOf(source.levels), i.name, LeafPlace(i.shape, source.leaf));
    if (!seen.insert(place).second) continue;
    if (seen.size() > kMostSources) return RecordOrigin::kUnknown;
    const RecordedAs known = known_(i, place);
    if (known == RecordedAs::kOther) return RecordOrigin::kInherited;
    if (known == RecordedAs::kSame) continue;
    if (known == RecordedAs::kNothing && LeafShape(i.shape, source.leaf).IsArray()) {
      all_known = false;  // what that is made from may be another, and it the same
      continue;
    }
    if (i.literal == nullptr) Expand(source, &todo);
  }
  return all_known ? RecordOrigin::kOwn : RecordOrigin::kUnknown;
}

absl::string_view Name(RecordOrigin origin) {
  switch (origin) {
    case RecordOrigin::kOwn: return "own";
    case RecordOrigin::kInherited: return "inherited";
    case RecordOrigin::kUnknown: return "not known";
  }
  return "";
}

}  // namespace hloscope
