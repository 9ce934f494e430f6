// Random collectives on random grids, compared with plain loops over devices (tests/oracle/exchange.h).
#include <numeric>
#include <random>

#include "absl/strings/str_join.h"
#include "tests/exchange/devices.h"
#include "tests/oracle/exchange.h"

namespace hloscope {
namespace {

using oracle::Grouping;
using oracle::PlainArray;

double Add(double a, double b) { return a + b; }
double Subtract(double a, double b) { return a - b; }

struct Maker {
  explicit Maker(uint32_t seed) : random(seed) {}
  std::mt19937 random;
  int Pick(int low, int high) { return low + static_cast<int>(random() % (high - low + 1)); }

  // All of [0, n) in groups of one size, in any order; `some`: perhaps not all of them, in groups of any size.
  std::vector<std::vector<int>> Rows(int n, bool some) {
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), random);
    std::vector<std::vector<int>> rows;
    if (some) {
      all.resize(Pick(1, n));
      for (size_t at = 0; at < all.size();) {
        const size_t size = std::min<size_t>(Pick(1, 3), all.size() - at);
        rows.emplace_back(all.begin() + at, all.begin() + at + size);
        at += size;
      }
      return rows;
    }
    std::vector<int> sizes;
    for (int s = 1; s <= n; ++s) {
      if (n % s == 0) sizes.push_back(s);
    }
    const int size = sizes[Pick(0, static_cast<int>(sizes.size()) - 1)];
    for (int at = 0; at < n; at += size) rows.emplace_back(all.begin() + at, all.begin() + at + size);
    return rows;
  }
};

std::string TextOf(const std::vector<std::vector<int>>& rows) {
  return absl::StrCat("{", absl::StrJoin(rows, ",", [](std::string* out, const std::vector<int>& row) { absl::StrAppend(out, "{", absl::StrJoin(row, ","), "}"); }), "}");
}
std::string TypeOf(const std::vector<int64_t>& dims) { return absl::StrCat("f32[", absl::StrJoin(dims, ","), "]"); }

struct Case {
  int replicas, partitions;
  std::string text;
  std::vector<PlainArray> brought, wanted;
};

Case MakeCase(uint32_t seed) {
  Maker m(seed);
  Case c;
  c.replicas = m.Pick(1, 4);
  c.partitions = m.Pick(1, 3);
  if (c.replicas * c.partitions == 1) c.replicas = 2;
  const int kind = m.Pick(0, 5);  // all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, permute
  const bool together = kind < 3;
  Grouping grouping = Grouping::kReplicas;
  std::string channel;
  switch (m.Pick(0, 2)) {
    case 0: break;
    case 1:
      grouping = together ? Grouping::kReplicasTogether : Grouping::kPartitions;
      channel = ", channel_id=3";
      break;
    case 2:
      grouping = Grouping::kFlattened;
      channel = ", channel_id=3, use_global_device_ids=true";
      break;
  }
  const int numbers = grouping == Grouping::kPartitions ? c.partitions : grouping == Grouping::kFlattened ? c.replicas * c.partitions : c.replicas;
  std::vector<std::vector<int>> rows = m.Rows(numbers, kind == 4);
  if (kind != 4 && kind != 5 && m.Pick(0, 3) == 0) rows.clear();
  const std::vector<std::vector<int>> groups = oracle::PlainGroups(grouping, rows, c.replicas, c.partitions);
  const int size = static_cast<int>(groups[0].size());

  const int rank = m.Pick(1, 3), dim = m.Pick(0, rank - 1);
  std::vector<int64_t> dims;
  for (int d = 0; d < rank; ++d) dims.push_back(m.Pick(1, 3));
  if (kind == 2 || kind == 3) dims[dim] *= size;
  for (int d = 0; d < c.replicas * c.partitions; ++d) {
    PlainArray x{dims, {}};
    int64_t count = 1;
    for (int64_t n : dims) count *= n;
    for (int64_t e = 0; e < count; ++e) x.elements.push_back(m.Pick(-1000, 1000));
    c.brought.push_back(std::move(x));
  }
  const bool minus = m.Pick(0, 1) == 1;
  const auto f = minus ? Subtract : Add;
  const std::string reducer = minus ? "sub" : "sum", group_text = absl::StrCat(", replica_groups=", TextOf(rows), channel);
  std::vector<int64_t> result = dims;
  std::string operation;
  switch (kind) {
    case 0:
      operation = absl::StrCat("all-reduce(x), to_apply=", reducer, group_text);
      c.wanted = oracle::PlainAllReduce(groups, c.brought, f);
      break;
    case 1:
      result[dim] *= size;
      operation = absl::StrCat("all-gather(x), dimensions={", dim, "}", group_text);
      c.wanted = oracle::PlainAllGather(groups, c.brought, dim);
      break;
    case 2:
      result[dim] /= size;
      operation = absl::StrCat("reduce-scatter(x), dimensions={", dim, "}, to_apply=", reducer, group_text);
      c.wanted = oracle::PlainReduceScatter(groups, c.brought, dim, f);
      break;
    case 3:
      operation = absl::StrCat("all-to-all(x), dimensions={", dim, "}", group_text);
      c.wanted = oracle::PlainAllToAll(groups, c.brought, dim);
      break;
    case 4:
      operation = absl::StrCat("collective-broadcast(x)", group_text);
      c.wanted = oracle::PlainBroadcast(groups, c.brought);
      break;
    default: {
      // Pairs of numbers; each copy of them is a group of two in the plain loops.
      const std::vector<int> from = m.Rows(numbers, false)[0], to = m.Rows(numbers, false)[0];
      std::vector<std::vector<int>> pairs;
      std::vector<std::pair<int, int>> sends;
      for (size_t k = 0; k < std::min(from.size(), to.size()); ++k) {
        pairs.push_back({from[k], to[k]});
        for (const std::vector<int>& g : oracle::PlainGroups(grouping, {{from[k], to[k]}}, c.replicas, c.partitions)) sends.push_back({g[0], g[1]});
      }
      operation = absl::StrCat("collective-permute(x), source_target_pairs=", TextOf(pairs), channel);
      c.wanted = oracle::PlainPermute(sends, c.brought);
      break;
    }
  }
  c.text = absl::StrCat("  x = ", TypeOf(dims), " parameter(0)\n  ROOT r = ", TypeOf(result), " ", operation);
  return c;
}

TEST(RandomExchange, AgreesWithPlainLoops) {
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    const Case c = MakeCase(seed);
    const std::string what = absl::StrCat("seed ", seed, ", ", c.replicas, " replicas, ", c.partitions, " partitions:\n", c.text);
    const DevicesResult got = RunOn(c.replicas, c.partitions, c.text, [&](int d, int, const Shape& shape) {
      Value v = Value::Allocate(shape);
      for (size_t e = 0; e < c.brought[d].elements.size(); ++e) v.mutable_as<float>()[e] = static_cast<float>(c.brought[d].elements[e]);
      return v;
    });
    ASSERT_EQ(got.problems, "") << what;
    for (size_t d = 0; d < got.results.size(); ++d) ASSERT_EQ(Numbers(got.results[d]), c.wanted[d].elements) << what << "\ndevice " << d;
  }
}

}  // namespace
}  // namespace hloscope
