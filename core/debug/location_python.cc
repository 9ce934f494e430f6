// Locations by where an instruction comes from: the scopes of op_name, and the files, lines and functions of its Python frames.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/location_kinds.h"
#include "core/ir/another_place.h"

namespace hloscope {
namespace {

// The part of `op_name` up to the end of the first scope that is called that way; empty: it is in none.
absl::string_view ScopeIn(absl::string_view op_name, absl::string_view scope) {
  for (size_t at = op_name.find(scope); at != absl::string_view::npos; at = op_name.find(scope, at + 1)) {
    const size_t end = at + scope.size();
    if ((at == 0 || op_name[at - 1] == '/') && (end == op_name.size() || op_name[end] == '/')) return op_name.substr(0, end);
  }
  return "";
}

// How many of `names` the pattern fits, each by its glob, the fewest; ** is any number of segments. -1: it does not fit.
int SegmentsMatched(absl::Span<const absl::string_view> names, absl::Span<const absl::string_view> pattern) {
  if (pattern.empty()) return 0;
  if (pattern[0] == "**") {
    for (size_t skip = 0; skip <= names.size(); ++skip) {
      if (const int more = SegmentsMatched(names.subspan(skip), pattern.subspan(1)); more >= 0) return static_cast<int>(skip) + more;
    }
    return -1;
  }
  if (names.empty() || !GlobMatches(names[0], pattern[0])) return -1;
  const int more = SegmentsMatched(names.subspan(1), pattern.subspan(1));
  return more < 0 ? -1 : more + 1;
}

absl::string_view GlobScopeIn(absl::string_view op_name, absl::Span<const absl::string_view> pattern) {
  const std::vector<absl::string_view> names = absl::StrSplit(op_name, '/');
  for (size_t first = 0; first < names.size(); ++first) {
    const int count = SegmentsMatched(absl::MakeConstSpan(names).subspan(first), pattern);
    if (count <= 0) continue;
    const absl::string_view last = names[first + count - 1];
    return op_name.substr(0, static_cast<size_t>(last.data() + last.size() - op_name.data()));
  }
  return "";
}

bool HasFrames(const Instruction& i) { return i.metadata.stack_frame_id != 0 || !i.metadata.source_file.empty(); }

// It says nothing about where the program is: it belongs to what is around it, as the broadcast of a number does.
bool SaysNothing(const Instruction& i) { return Def(i).op_class == OpClass::kStructural || (!HasFrames(i) && i.metadata.op_name.empty()); }

// Where a run of instructions for which `predicate` holds begins; handles that touch no element (parameters, tuples, constants) neither
// begin nor break a run.
template <typename Predicate>
Locations SelectEntries(const Module& module, Predicate predicate) {
  Locations found;
  for (const Computation* computation : module.computations) {
    bool inside = false;
    for (const Instruction* instruction : computation->schedule) {
      if (SaysNothing(*instruction)) continue;
      const bool now = predicate(*instruction);
      if (now && !inside) found.push_back({computation, instruction->index});
      inside = now;
    }
  }
  return found;
}

// Entries of what `predicate` says of a Python frame: of the innermost frame where some instruction has it there, else of any frame.
template <typename Predicate>
Locations SelectFrames(const Module& module, Predicate predicate) {
  for (const bool innermost : {true, false}) {
    Locations found = SelectEntries(module, [&](const Instruction& i) {
      if (!HasFrames(i)) return false;
      for (const PythonFrame& frame : module.PythonFrames(i)) {
        if (predicate(frame)) return true;
        if (innermost) break;
      }
      return false;
    });
    if (!found.empty()) return found;
  }
  return {};
}

// Calls `each` for what calls a computation, in program order.
template <typename Each>
void ForEachCall(const Module& module, Each each) {
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->schedule) {
      if (i->attributes.empty()) continue;
      for (const Computation* called : i->CalledComputations()) each(*i, *called);
    }
  }
}

bool SameFrame(const PythonFrame& a, const PythonFrame& b) { return a.file == b.file && a.function == b.function && a.line == b.line && a.column == b.column; }

// Python frames, the outermost first.
std::vector<PythonFrame> StackOf(const Module& module, const Instruction& i) {
  std::vector<PythonFrame> frames;
  if (HasFrames(i)) frames = module.PythonFrames(i);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

// How many more frames (those that `counts`) an instruction has than what calls its computation. Where JAX traces a loop, it has the frame that
// calls the loop once more in the stacks of what is inside: that is one entering of the function.
template <typename Predicate>
int MoreFrames(absl::Span<const PythonFrame> inside, absl::Span<const PythonFrame> caller, Predicate counts) {
  size_t common = 0;
  while (common < inside.size() && common < caller.size() && SameFrame(inside[common], caller[common])) ++common;
  const bool below = common == caller.size() && common > 0;  // the caller's whole stack is around it
  size_t begin = common;
  while (below && begin < inside.size() && SameFrame(inside[begin], caller.back())) ++begin;
  return static_cast<int>(std::count_if(inside.begin() + begin, inside.end(), counts)) - static_cast<int>(std::count_if(caller.begin() + common, caller.end(), counts));
}

// The place that calls the innermost frame that `is_it`, with all that called that, as a key; stacks that have such a frame only.
template <typename Predicate>
std::string CallingPlace(absl::Span<const PythonFrame> stack, Predicate is_it) {
  size_t own = stack.size();
  while (own > 0 && !is_it(stack[own - 1])) --own;
  std::string key;
  for (size_t k = 0; k + 1 < own; ++k) absl::StrAppend(&key, stack[k].file, "\n", stack[k].function, "\n", stack[k].line, ":", stack[k].column, "\n");
  return key;
}

// Where a function is entered: instructions with more frames of it (that `is_it`) than the one before them, and than what calls their
// computation, so that the iterations of a loop inside of it are no entries. A call that follows right behind another one is told by the
// place that it is called from; calls whose instructions take turns are entered once each.
template <typename Predicate>
Locations SelectEntered(const Module& module, Predicate is_it) {
  absl::flat_hash_map<const Computation*, std::vector<std::vector<PythonFrame>>> around;  // the stacks that a computation is called with
  ForEachCall(module, [&](const Instruction& caller, const Computation& called) { around[&called].push_back(StackOf(module, caller)); });
  Locations found;
  for (const Computation* computation : module.computations) {
    std::vector<std::vector<PythonFrame>>& callers = around[computation];
    if (callers.empty()) callers.emplace_back();  // nothing runs it, or it is the entry
    int before = 0;
    absl::flat_hash_set<std::string> calls;  // that were entered
    for (const Instruction* i : computation->schedule) {
      if (SaysNothing(*i)) continue;
      const std::vector<PythonFrame> stack = StackOf(module, *i);
      int now = 0;
      if (std::any_of(stack.begin(), stack.end(), is_it)) {
        for (const std::vector<PythonFrame>& caller : callers) now = std::max(now, MoreFrames(stack, caller, is_it));
      }
      const bool another = now > 0 && calls.insert(CallingPlace(stack, is_it)).second;
      if (now > before || (now == before && another)) found.push_back({computation, i->index});
      before = now;
    }
  }
  return found;
}

// Where a scope is entered: instructions in another scope (`scope_of`, empty: in none) than the one before them, unless all that calls their
// computation is in it already.
template <typename ScopeOf>
Locations SelectScopes(const Module& module, ScopeOf scope_of) {
  absl::flat_hash_map<const Computation*, absl::string_view> around;  // the scope that all calls of a computation are in
  ForEachCall(module, [&](const Instruction& caller, const Computation& called) {
    const absl::string_view scope = scope_of(caller);
    const auto [at, added] = around.try_emplace(&called, scope);
    if (!added && at->second != scope) at->second = "";
  });
  Locations found;
  for (const Computation* computation : module.computations) {
    const auto outside = around.find(computation);
    const absl::string_view home = outside == around.end() ? absl::string_view() : outside->second;
    absl::string_view before = home;
    for (const Instruction* i : computation->schedule) {
      if (SaysNothing(*i)) continue;
      const absl::string_view now = scope_of(*i);
      if (!now.empty() && now != before && now != home) found.push_back({computation, i->index});
      before = now;
    }
  }
  return found;
}

template <typename Each>
void ForEachFrame(const Module& module, Each each) {
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->schedule) {
      if (!HasFrames(*i)) continue;
      for (const PythonFrame& frame : module.PythonFrames(*i)) each(frame);
    }
  }
}

absl::Status NoFile(const Module& module, absl::string_view file) {
  bool any = false;
  int64_t budget = 1 << 22;
  NearestName nearest(file, &budget);
  std::vector<std::string> kept;  // what is offered has to live
  kept.reserve(1000);
  ForEachFrame(module, [&](const PythonFrame& frame) {
    any = true;
    if (kept.size() < 1000 && (kept.empty() || kept.back() != Basename(frame.file))) kept.push_back(std::string(Basename(frame.file)));
  });
  for (const std::string& name : kept) nearest.Offer(name);
  const std::string hint = nearest.Hint();
  return NoLocation(absl::StrCat("no instruction comes from a file ", file), !hint.empty() ? hint : any ? "info source shows an instruction's frames" : "this program's text names no source files");
}

}  // namespace

bool FileMatches(absl::string_view path, absl::string_view wanted) {
  return !wanted.empty() && absl::EndsWith(path, wanted) && (path.size() == wanted.size() || path[path.size() - wanted.size() - 1] == '/');
}

bool NamesSourceFile(const Module& module, absl::string_view file) {
  bool found = false;
  ForEachFrame(module, [&](const PythonFrame& frame) { found = found || FileMatches(frame.file, file); });
  return found;
}

absl::StatusOr<Locations> ByScope(const Module& module, absl::string_view scope) {
  while (absl::ConsumeSuffix(&scope, "/")) {
  }
  if (scope.empty()) return absl::InvalidArgumentError("scope: takes a part of op_name, as scope:jit(f)/attention or scope:layer_*/mlp");
  const std::vector<absl::string_view> pattern = absl::StrSplit(scope, '/');
  const bool glob = IsGlob(scope);
  Locations found = SelectScopes(module, [&](const Instruction& i) {
    return glob ? GlobScopeIn(i.metadata.op_name, pattern) : ScopeIn(i.metadata.op_name, scope);
  });
  if (!found.empty()) return found;
  bool any = false;
  int64_t budget = 20 << 20;
  const absl::string_view last = pattern.back();
  NearestName nearest(last, &budget);
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->schedule) {
      any |= !i->metadata.op_name.empty();
      for (absl::string_view segment : absl::StrSplit(i->metadata.op_name, '/')) nearest.Offer(segment);
    }
  }
  const std::string hint = nearest.best() == last ? "" : nearest.Hint();
  return NoLocation(absl::StrCat("no instruction's op_name is in the scope '", scope, "'"),
                    !any ? "this program has no op_names" : hint.empty() ? "info op shows an instruction's op_name" : hint);
}

absl::StatusOr<Locations> BySourceLine(const Module& module, absl::string_view file, int line) {
  Locations found = SelectFrames(module, [&](const PythonFrame& frame) { return frame.line == line && FileMatches(frame.file, file); });
  if (!found.empty()) return found;
  int nearest = 0;
  bool known = false;
  ForEachFrame(module, [&](const PythonFrame& frame) {
    if (!FileMatches(frame.file, file)) return;
    if (!known || std::abs(frame.line - line) < std::abs(nearest - line)) nearest = frame.line;
    known = true;
  });
  if (known) return NoLocation(absl::StrCat("no instruction comes from ", file, ":", line), absl::StrCat("the nearest line is ", nearest));
  return NoFile(module, file);
}

absl::StatusOr<Locations> BySourceFile(const Module& module, absl::string_view file) {
  Locations found = SelectFrames(module, [&](const PythonFrame& frame) { return FileMatches(frame.file, file) || (IsGlob(file) && GlobMatches(Basename(frame.file), file)); });
  if (found.empty()) return NoFile(module, file);
  return found;
}

absl::string_view WrittenFunction(const Module& module, const Computation& computation) {
  if (module.source == nullptr || !computation.name_range.valid()) return "";
  absl::string_view name = module.source->text().substr(computation.name_range.begin, computation.name_range.end - computation.name_range.begin);
  absl::ConsumePrefix(&name, "@");
  if (absl::ConsumePrefix(&name, "\"")) absl::ConsumeSuffix(&name, "\"");
  return name;
}

Locations EntriesOf(const Module& module, absl::string_view function) {
  absl::ConsumePrefix(&function, "@");
  Locations found;
  for (const Computation* computation : module.computations) {  // one function may have become several, one for each shape of its arguments
    if (computation->schedule.empty() || (!GlobMatches(computation->name, function) && !GlobMatches(WrittenFunction(module, *computation), function))) continue;
    found.push_back({computation, FirstStop(*computation)});
  }
  return found;
}

absl::StatusOr<Locations> ByFunction(const Module& module, absl::string_view file, absl::string_view function) {
  function = absl::StripPrefix(function, "@");
  const auto in_file = [&](const PythonFrame& frame) { return file.empty() || FileMatches(frame.file, file); };
  // Functions are written with the classes and functions that they are in, or without.
  const auto is_it = [&](absl::string_view name) {
    return GlobMatches(name, function) || (name.size() > function.size() && absl::EndsWith(name, function) && name[name.size() - function.size() - 1] == '.');
  };
  Locations found = SelectEntered(module, [&](const PythonFrame& frame) { return in_file(frame) && is_it(FunctionItself(frame.function)); });
  if (!found.empty()) return found;
  if (file.empty()) found = EntriesOf(module, function);
  if (!found.empty()) return found;
  int64_t budget = 1 << 22;
  NearestName nearest(function, &budget);
  bool any = false;
  if (file.empty()) {
    for (const Computation* computation : module.computations) nearest.Offer(computation->name);
  }
  ForEachFrame(module, [&](const PythonFrame& frame) {
    const absl::string_view name = FunctionItself(frame.function);
    any |= !name.empty();
    if (!in_file(frame)) return;
    nearest.Offer(name);
    nearest.Offer(name.substr(name.rfind('.') + 1));
  });
  const std::string where = file.empty() ? "" : absl::StrCat(" of ", file);
  const std::string hint = nearest.Hint();
  return NoLocation(absl::StrCat("no instruction comes from a function ", function, where),
                    !any && hint.empty() ? "this program's text names no such function" : hint.empty() ? "info source shows an instruction's frames" : hint);
}

}  // namespace hloscope
