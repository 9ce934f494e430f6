#include "core/debug/known_values.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "core/debug/catch_commands.h"
#include "core/debug/catches.h"
#include "core/debug/travel.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"
#include "core/literal/statistics_scan.h"

namespace hloscope {
namespace {

constexpr int64_t kAtOnce = 1 << 18;  // elements: well below a millisecond
constexpr int64_t kPart = 1 << 20;    // looked at between two looks at the clock
constexpr size_t kMost = 4096;
constexpr int64_t kPrinted = 64;

struct Entry {
  StatisticsScan scan;
  bool whole = false;
  Statistics all;  // if whole
  int64_t below = 0;
  uint64_t print = 0;
};

// A run is deterministic: what a frame's path and an instruction name is one value, wherever its bytes lie, until something is set by hand.
// Buffers are no names: they are freed, reused and updated in place.
using Key = std::tuple<uint64_t, const Instruction*, int64_t>;

struct KnownValues {
  static constexpr bool kOfRun = true;
  const Machine* machine = nullptr;
  absl::flat_hash_map<Key, Entry> of;
};

// Some bits of the array, in case that it is another one all the same.
uint64_t PrintOf(const Value& array) {
  const int64_t count = array.element_count(), bytes = StorageBytes(array.shape().element_type());
  uint64_t print = static_cast<uint64_t>(count);
  for (int64_t k = 0; k < kPrinted; ++k) {
    uint64_t word = 0;
    std::memcpy(&word, array.data() + (count - 1) * k / (kPrinted - 1) * bytes, static_cast<size_t>(std::min<int64_t>(8, bytes)));
    print = (print ^ word) * 1099511628211u;
    print ^= print >> 29;
  }
  return print;
}

Entry& EntryOf(Session::State& s, int depth, const Instruction& instruction, const Value& array) {
  KnownValues& known = s.Extension<KnownValues>();
  if (known.machine != s.machine.get() || known.of.size() > kMost) known.of.clear();
  known.machine = s.machine.get();
  const Timeline* timeline = s.Extension<Travel>().timeline.get();
  const Key key = {s.machine->frames()[depth].path, &instruction, timeline != nullptr ? timeline->last_edit() : 0};
  const uint64_t print = PrintOf(array);
  Entry& entry = known.of[key];
  if (entry.print != print) entry = Entry();
  entry.print = print;
  return entry;
}

}  // namespace

KnownValue KnowAll(const Value& array) {
  if (!array.IsDense()) return KnowAll(ToDense(array));
  KnownValue known;
  known.whole = true;
  StatisticsScan scan;
  scan.Advance(array, array.element_count());
  known.statistics = scan.statistics();
  known.negative_inf = scan.negative_inf();
  return known;
}

KnownValue LookOn(Session::State& s, int depth, const Instruction& instruction, const Value& array, KnowUntil until) {
  const int64_t count = array.element_count();
  // The frames of a walk through a reducer have no path of their own, and small values.
  if (count <= kAtOnce || !array.IsDense() || s.machine->frames()[depth].kind == FrameKind::kElement) return KnowAll(array);
  Entry& entry = EntryOf(s, depth, instruction, array);
  if (!entry.whole) {
    do {
      entry.scan.Advance(array, kPart);
    } while (entry.scan.looked() < count && std::chrono::steady_clock::now() < until);
    entry.all = entry.scan.statistics();
    entry.below = entry.scan.negative_inf();
    entry.whole = entry.scan.looked() == count;
  }
  KnownValue known = {entry.all, entry.below, entry.whole};
  if (!known.whole) {
    // What the program was stopped for is known already.
    const Caught* caught = CaughtHere(s);
    const bool it = caught != nullptr && caught->instruction == &instruction && caught->finding.has_value && caught->finding.output < 0 && depth + 1 == static_cast<int>(s.machine->frames().size());
    if (it && caught->finding.value.IsNaN() && known.statistics.nan == 0) known.statistics.nan = 1;
  }
  return known;
}

void Remember(Session::State& s, int depth, const Instruction& instruction, const Value& array, const Statistics& statistics) {
  // Of infinities the sign is to be known too.
  if (!s.visible() || depth < 0 || depth >= static_cast<int>(s.machine->frames().size()) || statistics.inf > 0 || statistics.count != array.element_count()) return;
  if (array.element_count() <= kAtOnce || !array.IsDense() || s.machine->frames()[depth].kind == FrameKind::kElement) return;
  Entry& entry = EntryOf(s, depth, instruction, array);
  entry.whole = true;
  entry.all = statistics;
  entry.below = 0;
}

void ForgetKnownValues(Session::State& s) { s.Extension<KnownValues>() = KnownValues(); }

}  // namespace hloscope
