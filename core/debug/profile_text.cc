// A profile's tables. A fused region's time is shared among its instructions by their estimated work where scopes and lines are told apart.
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/debug/profile.h"
#include "core/debug/source_view.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string ScopeOf(const Instruction& i) {
  const absl::string_view name = i.metadata.op_name;
  const size_t slash = name.rfind('/');
  if (name.empty()) return "(no scope)";
  return slash == absl::string_view::npos ? std::string(name) : std::string(name.substr(0, slash));
}

std::string LineText(const Module& module, const Instruction& i) {
  const SourceLine line = SourceLineOf(module, i);
  return line.known() ? absl::StrCat(line.file, ":", line.line) : "(no line)";
}

// Where work of this instruction is booked when it is told apart by `by`.
std::string KeyOf(const ProfileData& data, const Instruction& i, ProfileBy by) {
  if (by == ProfileBy::kScope) return ScopeOf(i);
  if (by == ProfileBy::kLine) return LineText(*data.program, i);
  return std::string(Name(i.opcode));
}

// Names of instructions; with the computation where another computation has an instruction of that name: "%body:dot.5".
class Names {
 public:
  explicit Names(const Module& module) {
    for (const Computation* computation : module.computations) {
      for (const Instruction* i : computation->instructions) {
        if (const auto [first, fresh] = home_.try_emplace(i->name, computation); !fresh && first->second != computation)
          first->second = nullptr;
      }
    }
  }
  std::string operator()(const Instruction& i) const {
    const auto home = home_.find(i.name);
    return absl::StrCat("%", home != home_.end() && home->second == nullptr ? absl::StrCat(i.parent->name, ":") : "", ShownName(i).substr(1));
  }

 private:
  absl::flat_hash_map<absl::string_view, const Computation*> home_;  // null: several
};

std::string RegionLabel(const Names& names, const RegionWork& region) {
  const Instruction& root = *region.root;
  return absl::StrCat(names(root), " ", Name(root.opcode), " ", Cut(root.shape.ToString(false), 60),
                      region.members.size() > 1 ? absl::StrCat(" (fused ", region.members.size(), ")") : "");
}

std::string Rate(double amount, double seconds) { return absl::StrFormat("%.2f", seconds > 0 ? amount / seconds * 1e-9 : 0); }

void AppendRow(const Work& work, const Work& total, absl::string_view what, std::string* text) {
  absl::StrAppendFormat(text, "%12.3f %6.1f%% %9lld %9s %8s %7.1f%%  %s\n", work.seconds * 1e3, Percent(work.seconds, total.seconds),
                        static_cast<long long>(work.times), Rate(work.flops, work.seconds), Rate(work.bytes, work.seconds),
                        Percent(work.roof_seconds, work.seconds), what);
}

absl::string_view Title(ProfileBy by) {
  switch (by) {
    case ProfileBy::kInstruction: return "instruction";
    case ProfileBy::kOperation: return "operation";
    case ProfileBy::kScope: return "scope";
    case ProfileBy::kLine: return "source line";
    case ProfileBy::kIteration: return "iteration";
  }
  return "";
}

}  // namespace

absl::StatusOr<ProfileBy> ParseProfileBy(absl::string_view text) {
  constexpr std::pair<const char*, ProfileBy> kWays[] = {{"instruction", ProfileBy::kInstruction}, {"operation", ProfileBy::kOperation}, {"scope", ProfileBy::kScope},
                                                         {"line", ProfileBy::kLine},               {"iteration", ProfileBy::kIteration}};
  for (const auto& [name, by] : kWays) {
    if (!text.empty() && absl::StartsWith(name, text)) return by;
  }
  return absl::InvalidArgumentError(absl::StrCat("by takes instruction, op, scope, line or iteration, not '", text, "'"));
}

std::vector<ProfileRow> ProfileRows(const ProfileData& data, ProfileBy by) {
  std::vector<ProfileRow> rows;
  const Names names(*data.program);
  if (by == ProfileBy::kInstruction) {
    for (const RegionWork& region : data.regions) rows.push_back({RegionLabel(names, region), region.work});
    return rows;
  }
  if (by == ProfileBy::kIteration) {
    for (const LoopWork& loop : data.loops) {
      for (const LoopWork::Iteration& each : loop.iterations) {
        rows.push_back({absl::StrCat(names(*loop.loop), " iteration ", absl::StrJoin(each.of, ",")), each.work});
      }
    }
  } else {
    std::map<std::string, Work> sums;
    for (const RegionWork& region : data.regions) {
      if (by == ProfileBy::kOperation || region.members.empty()) {  // as it ran: a fused region is its root
        sums[KeyOf(data, *region.root, by)].Add(region.work);
        continue;
      }
      for (size_t m = 0; m < region.members.size(); ++m) sums[KeyOf(data, *region.members[m], by)].Add(region.work, region.shares[m]);
    }
    for (auto& [what, work] : sums) rows.push_back({what, work});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) { return a.work.seconds > b.work.seconds; });
  return rows;
}

std::string ProfileTable(const ProfileData& data, ProfileBy by, size_t most) {
  const std::vector<ProfileRow> rows = ProfileRows(data, by);
  if (rows.empty()) return by == ProfileBy::kIteration ? "No loop ran.\n" : "Nothing ran.\n";
  std::string text = absl::StrFormat("%12s %7s %9s %9s %8s %8s  %s\n", "ms", "share", "times", "GFLOP/s", "GB/s", "of roof", Title(by));
  for (size_t k = 0; k < std::min(rows.size(), most); ++k) AppendRow(rows[k].work, data.total, rows[k].what, &text);
  if (rows.size() > most) absl::StrAppend(&text, "(", rows.size() - most, " more)\n");
  return text;
}

std::string ProfileSummary(const ProfileData& data) {
  std::string rates;
  for (const auto& [type, rate] : data.flop_rates) absl::StrAppendFormat(&rates, ", %.1f GFLOP/s in %s", rate * 1e-9, type);
  std::string text = absl::StrFormat("%s on %s: %.3f ms, of them %.3f ms in %s of %s\n", data.module, data.backend, data.run_seconds * 1e3, data.total.seconds * 1e3,
                                     Count(data.total.times, "execution"), Count(static_cast<int64_t>(data.regions.size()), "region"));
  absl::StrAppendFormat(&text, "%.4g GFLOP (%.4g G functions), %s moved; %s GFLOP/s, %s GB/s, %.1f%% of the roofline\n",
                        data.total.flops * 1e-9, data.total.transcendentals * 1e-9, FormatByteCount(static_cast<int64_t>(data.total.bytes)),
                        Rate(data.total.flops, data.total.seconds), Rate(data.total.bytes, data.total.seconds),
                        Percent(data.total.roof_seconds, data.total.seconds));
  absl::StrAppendFormat(&text, "this machine, measured: %.1f GB/s from memory, %.1f GB/s in cache%s", data.memory_rate * 1e-9,
                        data.cache_rate * 1e-9, rates);
  if (data.beyond_roof > 0) {
    absl::StrAppendFormat(&text,
                          "; %s faster than that (%%%s %.1f times), which counts as 100%%: the machine was busy when it was measured, or "
                          "they stay closer in the cache",
                          Count(data.beyond_roof, "execution"), data.furthest_beyond->name, data.furthest);
  }
  return text + "\n";
}

std::string MemoryText(const ProfileData& data) {
  std::string text = absl::StrCat("peak ", FormatByteCount(data.peak_bytes), " of values and scratch");
  if (data.peak_at != nullptr) {
    absl::StrAppend(&text, data.owned_bytes == data.peak_bytes ? ", " : absl::StrCat("; ", FormatByteCount(data.owned_bytes), " of them "),
                    "while ", ShownName(*data.peak_at), " in ", data.peak_at->parent->name, " ran");
  }
  text += "\n";
  constexpr size_t kRows = 12, kWidth = 40;
  if (!data.memory.empty()) {
    const double end = std::max(data.memory.back().first, 1e-9);
    std::vector<int64_t> highest(kRows, 0);
    for (const auto& [seconds, bytes] : data.memory) {
      int64_t& slot = highest[std::min<size_t>(kRows - 1, static_cast<size_t>(seconds / end * kRows))];
      slot = std::max(slot, bytes);
    }
    const int64_t top = std::max<int64_t>(1, *std::max_element(highest.begin(), highest.end()));
    text += "live memory over time:\n";
    for (size_t k = 0; k < kRows; ++k) {
      if (highest[k] == 0) continue;
      absl::StrAppendFormat(&text, "%10.3f ms  %-40s %s\n", end * 1e3 * static_cast<double>(k) / kRows, std::string(std::max<size_t>(1, highest[k] * kWidth / top), '#'),
                            FormatByteCount(highest[k]));
    }
  }
  if (!data.owners.empty()) text += "owners at the peak:\n";
  for (size_t k = 0; k < std::min<size_t>(10, data.owners.size()); ++k) {
    const MemoryOwner& owner = data.owners[k];
    absl::StrAppendFormat(&text, "%12s  %s %s\n", FormatByteCount(owner.bytes), owner.name, Cut(owner.shape, 80));
  }
  return text;
}

}  // namespace hloscope
