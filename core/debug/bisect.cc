// Names of dumps: dot-separated words, in which numbers and after_ and before_ say where they belong.
#include "core/debug/bisect.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace hloscope {
namespace {

bool IsNumber(absl::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }); }

// Files that stand beside a module's dump.
bool StandsBeside(absl::string_view stem) {
  static constexpr absl::string_view kParts[] = {"buffer-assignment", "buffer_assignment", "memory-usage-report", "live-range", "live_range", "execution_options", "debug_options", "autotune", "thunk_sequence",
                                                 "thunk-sequence", "thunks", "ir-with-opt", "ir-no-opt", "hlo_profile", "hlo-profile", "gpu_target_config", "compile_options", "config", "flags", "heap-simulator", "schedule-trace",
                                                 "obj-file", "sharding-report", "metadata"};
  for (const absl::string_view part : kParts) {
    // As the last word, or behind a dash: -buffer-assignment.
    if (absl::EndsWith(stem, part)) return true;
  }
  return false;
}

// Text before numbers by value: step2 before step10.
bool NaturalLess(absl::string_view a, absl::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (std::isdigit(static_cast<unsigned char>(a[i])) && std::isdigit(static_cast<unsigned char>(b[j]))) {
      size_t p = i, q = j;
      while (p < a.size() && a[p] == '0') ++p;
      while (q < b.size() && b[q] == '0') ++q;
      size_t p_end = p, q_end = q;
      while (p_end < a.size() && std::isdigit(static_cast<unsigned char>(a[p_end]))) ++p_end;
      while (q_end < b.size() && std::isdigit(static_cast<unsigned char>(b[q_end]))) ++q_end;
      if (p_end - p != q_end - q) return p_end - p < q_end - q;
      const int order = a.substr(p, p_end - p).compare(b.substr(q, q_end - q));
      if (order != 0) return order < 0;
      i = p_end;
      j = q_end;
      continue;
    }
    if (a[i] != b[j]) return a[i] < b[j];
    ++i;
    ++j;
  }
  return a.size() - i < b.size() - j;
}

// Which format of a dump is read where there are several.
int FormatRank(absl::string_view file) {
  if (absl::EndsWith(file, ".txt")) return 0;
  if (absl::EndsWith(file, ".hlo")) return 1;
  if (absl::EndsWith(file, ".mlir")) return 2;
  return 3;
}

std::string StemOf(absl::string_view file) {
  for (const absl::string_view ending : {".hlo.pb", ".hlo.txt", ".pb", ".txt", ".hlo", ".mlir"}) {
    if (absl::ConsumeSuffix(&file, ending)) break;
  }
  return std::string(file);
}

}  // namespace

bool ParseDumpName(absl::string_view file, DumpFile& dump) {
  dump = DumpFile();
  dump.file = std::string(file);
  if (absl::StartsWith(file, ".")) return false;
  const std::string stem = StemOf(file);
  if (stem == file || StandsBeside(stem)) return false;
  const std::vector<absl::string_view> words = absl::StrSplit(stem, '.');
  // The step: the last word that is a number, with words behind it that name passes; the module's own name may hold numbers, too.
  int number = -1;
  for (int k = static_cast<int>(words.size()) - 1; k >= 0 && number < 0; --k) {
    if (IsNumber(words[k]) && absl::SimpleAtoi(words[k], &dump.step)) number = k;
  }
  int first = static_cast<int>(words.size());  // of the words that speak of passes
  bool before = false, after = false;
  absl::string_view after_name, before_name;
  for (int k = 0; k < static_cast<int>(words.size()); ++k) {
    absl::string_view word = words[k];
    const bool all_before = absl::EndsWith(word, "before_optimizations"), all_after = absl::EndsWith(word, "after_optimizations");
    if (all_before || all_after) {
      dump.step = -1;
      dump.rank = all_before ? -100 : 100;
      dump.pass = all_after ? "optimizations" : "";
      // The processor's version holds a dot: sm_8.0_gpu_after_optimizations.
      const bool version = k > 1 && std::isdigit(static_cast<unsigned char>(word[0])) && absl::StartsWith(words[k - 1], "sm_");
      dump.module = absl::StrJoin(words.begin(), words.begin() + k - version, ".");
      return true;
    }
    if (absl::ConsumePrefix(&word, "after_")) {
      after = true;
      after_name = word;
      first = std::min(first, k);
    } else if (absl::ConsumePrefix(&word, "before_")) {
      before = true;
      before_name = word;
      first = std::min(first, k);
    } else if (word == "before" || word == "after") {
      (word == "before" ? before : after) = true;
      first = std::min(first, k);
    }
  }
  if (number < 0 || number > first) {
    number = -1;
    for (int k = first - 1; k >= 0; --k) {
      if (IsNumber(words[k]) && absl::SimpleAtoi(words[k], &dump.step)) {
        number = k;
        break;
      }
    }
  }
  if (number < 0) dump.step = -1;
  const int own = number >= 0 ? number : std::max(0, first - 1);
  dump.module = absl::StrJoin(words.begin(), words.begin() + own, ".");
  // Between the number and after_: the pipeline, or where after_ only says "pipeline", the pass.
  const int behind = number >= 0 ? number + 1 : own;
  if (behind < first && behind < static_cast<int>(words.size())) dump.pipeline = absl::StrJoin(words.begin() + behind, words.begin() + std::min<int>(first, static_cast<int>(words.size())), ".");
  dump.rank = after ? 1 : before ? -1 : 0;
  if (!absl::StartsWith(before_name, "pipeline")) dump.next = std::string(before_name);
  if (after && !after_name.empty() && !absl::StartsWith(after_name, "pipeline")) {
    dump.pass = std::string(after_name);
  } else if (after_name == "pipeline-start" || (before && !after)) {
    dump.pass = "";
  } else {
    dump.pass = dump.pipeline;
  }
  return true;
}

std::string GapBetween(const DumpFile& before, const DumpFile& after) {
  std::vector<std::string> said;
  const int64_t missing = before.step >= 0 && after.step >= 0 ? after.step - before.step - 1 : 0;
  if (missing == 1) said.push_back(absl::StrCat("number ", after.step - 1, " is missing"));
  if (missing > 1) said.push_back(absl::StrCat("numbers ", before.step + 1, " to ", after.step - 1, " are missing"));
  // XLA dumps what a pass changed, and with a filter what it names.
  if (!before.next.empty() && !after.pass.empty() && before.next != after.pass && before.next != after.pipeline) {
    said.push_back(absl::StrCat(before.next, ", which comes next by the name of the one before, left no dump: it changed nothing, or was not to be dumped"));
  }
  return absl::StrJoin(said, ", and ");
}

std::vector<DumpFile> OrderDumps(const std::vector<std::string>& files) {
  std::vector<DumpFile> dumps;
  for (const std::string& file : files) {
    DumpFile dump;
    if (ParseDumpName(file, dump)) dumps.push_back(std::move(dump));
  }
  // Before all optimizations, by step, without a number by name, after all optimizations.
  const auto part = [](const DumpFile& d) { return d.rank == -100 ? 0 : d.rank == 100 ? 3 : d.step >= 0 ? 1 : 2; };
  std::stable_sort(dumps.begin(), dumps.end(), [&](const DumpFile& a, const DumpFile& b) {
    if (a.module != b.module) return NaturalLess(a.module, b.module);
    if (part(a) != part(b)) return part(a) < part(b);
    if (a.step != b.step) return a.step < b.step;
    if (a.step < 0 && a.pipeline != b.pipeline) return NaturalLess(a.pipeline, b.pipeline);
    if (a.rank != b.rank) return a.rank < b.rank;
    const std::string x = StemOf(a.file), y = StemOf(b.file);
    if (x != y) return NaturalLess(x, y);
    return FormatRank(a.file) < FormatRank(b.file);
  });
  const auto same = [](const DumpFile& a, const DumpFile& b) { return StemOf(a.file) == StemOf(b.file); };
  dumps.erase(std::unique(dumps.begin(), dumps.end(), same), dumps.end());
  return dumps;
}

}  // namespace hloscope
