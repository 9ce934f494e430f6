#include "core/ops/device_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/ops/exchange_def.h"
#include "core/ops/transfers.h"

namespace hloscope {
namespace {

std::optional<std::vector<int64_t>> ReadNumbers(absl::string_view text) {
  std::vector<int64_t> numbers;
  for (absl::string_view word : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    int64_t n = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(word), &n) || static_cast<int64_t>(numbers.size()) >= kMostDevices) return std::nullopt;
    numbers.push_back(n);
  }
  return numbers;
}

// "[2,4]" off the front of the text.
std::optional<std::vector<int64_t>> TakeList(absl::string_view* text, char open, char close) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
  if (text->empty() || (*text)[0] != open) return std::nullopt;
  const size_t end = text->find(close);
  if (end == absl::string_view::npos) return std::nullopt;
  std::optional<std::vector<int64_t>> numbers = ReadNumbers(text->substr(1, end - 1));
  *text = text->substr(end + 1);
  return numbers;
}

int64_t ProductOf(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (int64_t d : dims) {
    if (d < 0 || (d > 0 && n > kMostDevices / d)) return -1;
    n *= d;
  }
  return n;
}

// The numbers from 0 on as an array of `dims`, transposed, and cut into groups.
std::optional<std::vector<std::vector<int64_t>>> ReadIota(absl::string_view text) {
  const std::optional<std::vector<int64_t>> shape = TakeList(&text, '[', ']');
  text = absl::StripLeadingAsciiWhitespace(text);
  if (!shape || shape->size() != 2 || !absl::ConsumePrefix(&text, "<=")) return std::nullopt;
  const std::optional<std::vector<int64_t>> dims = TakeList(&text, '[', ']');
  if (!dims || dims->empty()) return std::nullopt;
  std::vector<int64_t> order(dims->size());
  std::iota(order.begin(), order.end(), 0);
  text = absl::StripAsciiWhitespace(text);
  if (absl::ConsumePrefix(&text, "T")) {
    const std::optional<std::vector<int64_t>> written = TakeList(&text, '(', ')');
    if (!written || written->size() != order.size() || !std::is_permutation(written->begin(), written->end(), order.begin())) return std::nullopt;
    order = *written;
  }
  const int64_t total = ProductOf(*dims);
  if (!absl::StripAsciiWhitespace(text).empty() || total < 0 || ProductOf(*shape) != total) return std::nullopt;
  std::vector<int64_t> strides(dims->size(), 1);
  for (size_t d = dims->size() - 1; d-- > 0;) strides[d] = strides[d + 1] * (*dims)[d + 1];
  std::vector<std::vector<int64_t>> groups((*shape)[0]);
  std::vector<int64_t> at(dims->size(), 0);
  for (int64_t n = 0; n < total; ++n) {
    int64_t number = 0;
    for (size_t k = 0; k < order.size(); ++k) number += at[k] * strides[order[k]];
    groups[n / (*shape)[1]].push_back(number);
    for (size_t k = order.size(); k-- > 0;) {
      if (++at[k] < (*dims)[order[k]]) break;
      at[k] = 0;
    }
  }
  return groups;
}

// Of operations that exchange pairwise or move blocks a channel means partitions; of the others it joins the partitions of replicas.
bool ChannelMeansPartitions(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kAllToAll:
    case Opcode::kRaggedAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart: return true;
    default: return false;
  }
}

}  // namespace

std::optional<std::vector<std::vector<int64_t>>> ReadGroups(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (absl::StartsWith(text, "[")) return ReadIota(text);
  if (!absl::ConsumePrefix(&text, "{") || !absl::ConsumeSuffix(&text, "}")) return std::nullopt;
  std::vector<std::vector<int64_t>> groups;
  for (text = absl::StripAsciiWhitespace(text); !text.empty(); text = absl::StripAsciiWhitespace(text)) {
    std::optional<std::vector<int64_t>> group = TakeList(&text, '{', '}');
    if (!group) return std::nullopt;
    groups.push_back(*std::move(group));
    text = absl::StripLeadingAsciiWhitespace(text);
    if (!text.empty() && !absl::ConsumePrefix(&text, ",")) return std::nullopt;
  }
  return groups;
}

const std::vector<std::pair<int64_t, int64_t>>* PairsOf(const Instruction& i) {
  const Attribute* a = i.Find(AttrId::kSourceTargetPairs);
  return a == nullptr ? nullptr : std::get_if<std::vector<std::pair<int64_t, int64_t>>>(&a->value);
}

GroupMode GroupModeOf(const Instruction& i) {
  if (i.Int(AttrId::kChannelId) <= 0) return GroupMode::kReplicas;
  if (i.Bool(AttrId::kUseGlobalDeviceIds)) return GroupMode::kFlattened;
  return ChannelMeansPartitions(i) ? GroupMode::kPartitions : GroupMode::kReplicasTogether;
}

std::optional<int64_t> HeaderCount(const Instruction& i, absl::string_view key) {
  const std::string* text = i.parent != nullptr && i.parent->module != nullptr ? i.parent->module->FindHeader(key) : nullptr;
  int64_t n = 0;
  if (text == nullptr || !absl::SimpleAtoi(*text, &n) || n <= 0) return std::nullopt;
  return std::min(n, kMostDevices);
}

int64_t NumbersOf(GroupMode mode, int64_t replicas, int64_t partitions) {
  switch (mode) {
    case GroupMode::kReplicas:
    case GroupMode::kReplicasTogether: return replicas;
    case GroupMode::kPartitions: return partitions;
    case GroupMode::kFlattened: return replicas * partitions;
  }
  return 0;
}

int64_t DevicesOf(GroupMode mode, int64_t numbers, int64_t partitions) { return mode == GroupMode::kReplicasTogether ? numbers * partitions : numbers; }

int DeviceGroups::GroupOf(const Device& device) const {
  for (size_t g = 0; g < groups.size(); ++g) {
    if (std::find(groups[g].begin(), groups[g].end(), device) != groups[g].end()) return static_cast<int>(g);
  }
  return -1;
}

namespace {

// `replicas` 0: as the header says.
DeviceGroups MakeGroups(const Instruction& i, int64_t replicas, int64_t partitions) {
  DeviceGroups g;
  g.mode = GroupModeOf(i);
  const bool transfer = IsTransfer(i);
  if (transfer) g.mode = GroupMode::kFlattened;
  const auto* pairs = PairsOf(i);
  std::optional<std::vector<std::pair<int64_t, int64_t>>> of_transfer;
  if (transfer) {
    auto read = TransferPairs(i);
    g.readable = read.ok();
    if (read.ok()) of_transfer = *std::move(read);
    pairs = of_transfer.has_value() ? &*of_transfer : nullptr;
  }
  if (const absl::string_view text = i.Text(AttrId::kReplicaGroups); pairs == nullptr && !absl::StripAsciiWhitespace(text).empty()) {
    std::optional<std::vector<std::vector<int64_t>>> read = ReadGroups(text);
    g.readable = read.has_value();
    if (read) g.written = *std::move(read);
  }
  g.written.erase(std::remove_if(g.written.begin(), g.written.end(), [](const auto& group) { return group.empty(); }), g.written.end());
  int64_t largest = -1;
  for (const auto& group : g.written) {
    for (int64_t n : group) largest = std::max(largest, n);
  }
  if (pairs != nullptr) {
    for (const auto& [from, to] : *pairs) largest = std::max({largest, from, to});
  }
  largest = std::min(largest, kMostDevices - 1);
  const std::optional<int64_t> known_replicas = replicas > 0 ? replicas : HeaderCount(i, "replica_count");
  const std::optional<int64_t> known_partitions = replicas > 0 ? partitions : HeaderCount(i, "num_partitions");
  const bool replicas_known = known_replicas.has_value(), partitions_known = known_partitions.has_value();
  g.replicas = known_replicas.value_or(0);
  g.partitions = known_partitions.value_or(0);
  g.counts_known = replicas_known || partitions_known;
  if (!partitions_known) g.partitions = g.mode == GroupMode::kPartitions ? largest + 1 : 1;
  g.partitions = std::max<int64_t>(g.partitions, 1);
  if (!replicas_known) {
    g.replicas = g.mode == GroupMode::kPartitions ? 1 : g.mode == GroupMode::kFlattened ? (largest + g.partitions) / g.partitions : g.counts_known && largest < 0 ? 1 : largest + 1;
  }
  g.replicas = std::clamp<int64_t>(g.replicas, 1, kMostDevices / g.partitions + 1);
  const int64_t numbers = NumbersOf(g.mode, g.replicas, g.partitions);
  g.pairwise = pairs != nullptr || transfer;
  if (transfer && pairs == nullptr) return g;  // the run says who meets whom
  g.all = pairs == nullptr && g.written.empty() && g.readable;
  if (g.all) {
    g.written.emplace_back(numbers);
    std::iota(g.written[0].begin(), g.written[0].end(), 0);
  }
  // The devices that a number stands for, in one copy of the exchange.
  const int64_t copies = g.mode == GroupMode::kReplicas ? g.partitions : g.mode == GroupMode::kPartitions ? g.replicas : 1;
  const auto device = [&](int64_t copy, int64_t n) -> Device {
    if (g.mode == GroupMode::kPartitions) return {copy, n};
    if (g.mode == GroupMode::kFlattened) return {n / g.partitions, n % g.partitions};
    return {n, copy};
  };
  const auto exists = [&](int64_t n) {
    if (n >= 0 && n < numbers) return true;
    if (std::find(g.beyond.begin(), g.beyond.end(), n) == g.beyond.end()) g.beyond.push_back(n);
    return false;
  };
  if (pairs != nullptr) {
    for (int64_t copy = 0; copy < copies; ++copy) {
      for (const auto& [from, to] : *pairs) {
        const bool has_from = exists(from), has_to = exists(to);  // each notes what is beyond
        if (has_from && has_to) g.pairs.push_back({device(copy, from), device(copy, to)});
      }
    }
    return g;
  }
  std::set<int64_t> seen;
  for (const auto& group : g.written) {
    for (int64_t n : group) {
      if (exists(n) && !seen.insert(n).second) g.twice.push_back(n);
    }
  }
  for (int64_t copy = 0; copy < copies; ++copy) {
    for (const auto& group : g.written) {
      std::vector<Device> members;
      if (g.mode == GroupMode::kReplicasTogether) {
        for (int64_t p = 0; p < g.partitions; ++p) {
          for (int64_t n : group) {
            if (exists(n)) members.push_back({n, p});
          }
        }
      } else {
        for (int64_t n : group) {
          if (exists(n)) members.push_back(device(copy, n));
        }
      }
      g.groups.push_back(std::move(members));
    }
  }
  for (int64_t n = 0; n < numbers && g.readable; ++n) {
    if (seen.contains(n)) continue;
    for (int64_t copy = 0; copy < copies; ++copy) {
      if (g.mode == GroupMode::kReplicasTogether) {
        for (int64_t p = 0; p < g.partitions; ++p) g.missing.push_back({n, p});
      } else {
        g.missing.push_back(device(copy, n));
      }
    }
  }
  return g;
}

}  // namespace

DeviceGroups GroupsOf(const Instruction& i) { return MakeGroups(i, 0, 0); }
DeviceGroups GroupsOf(const Instruction& i, int64_t replicas, int64_t partitions) { return MakeGroups(i, replicas, partitions); }

std::string DeviceText(const Device& device, int64_t replicas, int64_t partitions) {
  if (replicas <= 1 && partitions <= 1) return "the program";
  if (partitions <= 1) return absl::StrCat("replica ", device.replica);
  if (replicas <= 1) return absl::StrCat("partition ", device.partition);
  return absl::StrCat("replica ", device.replica, ", partition ", device.partition);
}

namespace {

absl::string_view NumbersMean(GroupMode mode) {
  switch (mode) {
    case GroupMode::kReplicas:
    case GroupMode::kReplicasTogether: return "replica";
    case GroupMode::kPartitions: return "partition";
    case GroupMode::kFlattened: return "device";
  }
  return "";
}

std::string RunText(int64_t replicas, int64_t partitions) {
  return absl::StrCat("this run has ", replicas, replicas == 1 ? " replica" : " replicas", " and ", partitions, partitions == 1 ? " partition" : " partitions");
}

// Devices that pairs join, directly or through others, each set a group.
std::vector<ExchangeGroup> JoinedByPairs(const std::vector<std::pair<Device, Device>>& pairs) {
  std::map<Device, Device> leader;
  const auto find = [&](Device d) {
    while (!(leader.at(d) == d)) d = leader.at(d);
    return d;
  };
  for (const auto& [from, to] : pairs) {
    leader.emplace(from, from);
    leader.emplace(to, to);
    leader[find(to)] = find(from);
  }
  std::map<Device, ExchangeGroup> groups;
  for (const auto& [device, ignored] : leader) groups[find(device)].members.push_back(device);
  for (const auto& [from, to] : pairs) {
    ExchangeGroup& group = groups[find(from)];
    const auto at = [&](const Device& d) { return static_cast<int>(std::lower_bound(group.members.begin(), group.members.end(), d) - group.members.begin()); };
    group.sends.push_back({at(from), at(to)});
  }
  std::vector<ExchangeGroup> all;
  for (auto& [ignored, group] : groups) all.push_back(std::move(group));
  return all;
}

}  // namespace

absl::StatusOr<std::vector<ExchangeGroup>> ExchangeGroups(const Instruction& i, int64_t replicas, int64_t partitions) {
  const DeviceGroups g = GroupsOf(i, replicas, partitions);
  const ExchangeDef& def = ExchangeOf(i);
  const bool paired = i.Has(AttrId::kSourceTargetPairs);
  const absl::string_view attribute = paired ? "source_target_pairs" : "replica_groups";
  if (!g.readable) return absl::InvalidArgumentError(absl::StrCat(attribute, "=", i.Text(AttrId::kReplicaGroups), " cannot be read; write it as {{0,1},{2,3}} or [2,2]<=[4]"));
  if (!g.beyond.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(attribute, " names ", NumbersMean(g.mode), " ", g.beyond[0], ", but ", RunText(replicas, partitions)));
  }
  if (paired) return JoinedByPairs(g.pairs);
  if (!g.twice.empty()) return absl::InvalidArgumentError(absl::StrCat(attribute, " names ", NumbersMean(g.mode), " ", g.twice[0], " twice"));
  if (!g.missing.empty() && !def.outsiders_get_zeros) {
    return absl::InvalidArgumentError(absl::StrCat(DeviceText(g.missing[0], replicas, partitions), " is in no group of ", attribute, ", but every device has to take part; ", RunText(replicas, partitions)));
  }
  std::vector<ExchangeGroup> all;
  for (const std::vector<Device>& members : g.groups) {
    if (def.groups_of_one_size && members.size() != g.groups[0].size()) {
      return absl::InvalidArgumentError(absl::StrCat(attribute, " has groups of ", g.groups[0].size(), " and of ", members.size(), " devices; groups of one size are needed"));
    }
    all.push_back({members, {}});
  }
  return all;
}

}  // namespace hloscope
