// Random collectives on random grids, compared with plain loops over devices (tests/oracle/exchange.h).
#include <numeric>
#include <random>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tests/exchange/devices.h"
#include "tests/oracle/exchange.h"

namespace hloscope {
namespace {

using oracle::Grouping;
using oracle::PlainArray;

double Plus(double a, double b) { return a + b; }
double Minus(double a, double b) { return a - b; }

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
  std::string text;                              // instructions of an entry, or a whole module
  std::vector<std::vector<PlainArray>> brought;  // by device and parameter
  std::vector<PlainArray> wanted;
};

enum class Kind { kAllReduce, kAllGather, kReduceScatter, kAllToAll, kAllToAllOfOperands, kRagged, kBroadcast, kPermute, kSendReceive };
constexpr int kKinds = 9;

// What is the same for all kinds: the grid, what numbers mean, the groups.
struct Setting {
  Kind kind;
  Grouping grouping = Grouping::kReplicas;
  std::string channel;
  int numbers = 0;
  std::vector<std::vector<int>> rows, groups;  // as written; of devices
  int size() const { return static_cast<int>(groups[0].size()); }
  std::string GroupText() const { return absl::StrCat(", replica_groups=", TextOf(rows), channel); }
};

Setting MakeSetting(Maker& m, Case& c) {
  c.replicas = m.Pick(1, 4);
  c.partitions = m.Pick(1, 3);
  if (c.replicas * c.partitions == 1) c.replicas = 2;
  Setting s;
  s.kind = static_cast<Kind>(m.Pick(0, kKinds - 1));
  switch (s.kind == Kind::kSendReceive ? 2 : m.Pick(0, 2)) {
    case 0: break;
    case 1:
      s.grouping = s.kind <= Kind::kReduceScatter ? Grouping::kReplicasTogether : Grouping::kPartitions;
      s.channel = ", channel_id=3";
      break;
    case 2:
      s.grouping = Grouping::kFlattened;
      s.channel = ", channel_id=3, use_global_device_ids=true";
      break;
  }
  s.numbers = s.grouping == Grouping::kPartitions ? c.partitions : s.grouping == Grouping::kFlattened ? c.replicas * c.partitions : c.replicas;
  s.rows = m.Rows(s.numbers, s.kind == Kind::kBroadcast);
  if (m.Pick(0, 2) == 0) s.rows.clear();
  s.groups = oracle::PlainGroups(s.grouping, s.rows, c.replicas, c.partitions);
  return s;
}

PlainArray RandomArray(Maker& m, const std::vector<int64_t>& dims) {
  PlainArray x{dims, {}};
  int64_t count = 1;
  for (int64_t n : dims) count *= n;
  for (int64_t e = 0; e < count; ++e) x.elements.push_back(m.Pick(-1000, 1000));
  return x;
}

// Pairs of numbers; each copy of them is a group of two in the plain loops.
std::vector<std::vector<int>> RandomPairs(Maker& m, const Setting& s, const Case& c, std::vector<std::pair<int, int>>* sends) {
  const std::vector<int> from = m.Rows(s.numbers, false)[0], to = m.Rows(s.numbers, false)[0];
  std::vector<std::vector<int>> pairs;
  for (size_t k = 0; k < std::min(from.size(), to.size()); ++k) {
    pairs.push_back({from[k], to[k]});
    for (const std::vector<int>& g : oracle::PlainGroups(s.grouping, {{from[k], to[k]}}, c.replicas, c.partitions)) sends->push_back({g[0], g[1]});
  }
  return pairs;
}

// The collectives of one array that give one array. In an operation of its own beside the program, sometimes.
void MakeOfOneArray(Maker& m, const Setting& s, Case& c) {
  const int rank = m.Pick(1, 3), dim = m.Pick(0, rank - 1);
  std::vector<int64_t> dims;
  for (int d = 0; d < rank; ++d) dims.push_back(m.Pick(1, 3));
  if (s.kind == Kind::kReduceScatter || s.kind == Kind::kAllToAll) dims[dim] *= s.size();
  std::vector<PlainArray> x;
  for (int d = 0; d < c.replicas * c.partitions; ++d) {
    x.push_back(RandomArray(m, dims));
    c.brought.push_back({x.back()});
  }
  const bool minus = m.Pick(0, 1) == 1;
  const auto f = minus ? Minus : Plus;
  const std::string reducer = minus ? "sub" : "sum";
  std::vector<int64_t> result = dims;
  std::string operation;
  if (s.kind == Kind::kAllReduce) {
    operation = absl::StrCat("all-reduce(x), to_apply=", reducer, s.GroupText());
    c.wanted = oracle::PlainAllReduce(s.groups, x, f);
  } else if (s.kind == Kind::kAllGather) {
    result[dim] *= s.size();
    operation = absl::StrCat("all-gather(x), dimensions={", dim, "}", s.GroupText());
    c.wanted = oracle::PlainAllGather(s.groups, x, dim);
  } else if (s.kind == Kind::kReduceScatter) {
    result[dim] /= s.size();
    operation = absl::StrCat("reduce-scatter(x), dimensions={", dim, "}, to_apply=", reducer, s.GroupText());
    c.wanted = oracle::PlainReduceScatter(s.groups, x, dim, f);
  } else if (s.kind == Kind::kAllToAll) {
    operation = absl::StrCat("all-to-all(x), dimensions={", dim, "}", s.GroupText());
    c.wanted = oracle::PlainAllToAll(s.groups, x, dim);
  } else if (s.kind == Kind::kBroadcast) {
    operation = absl::StrCat("collective-broadcast(x)", s.GroupText());
    c.wanted = oracle::PlainBroadcast(s.groups, x);
  } else {
    std::vector<std::pair<int, int>> sends;
    const std::vector<std::vector<int>> pairs = RandomPairs(m, s, c, &sends);
    operation = absl::StrCat("collective-permute(x), source_target_pairs=", TextOf(pairs), s.channel);
    c.wanted = oracle::PlainPermute(sends, x);
  }
  const std::string parameter = absl::StrCat("  x = ", TypeOf(dims), " parameter(0)\n"), type = TypeOf(result);
  c.text = absl::StrCat(parameter, "  ROOT r = ", type, " ", operation);
  if (m.Pick(0, 2) > 0) return;
  const std::string started = absl::StrCat("((", TypeOf(dims), "), ", type, ", u32[])");
  c.text = WholeModule(absl::StrCat(parameter, "  s = ", started, " async-start(x), calls=beside\n  u = ", started, " async-update(s)\n  ROOT r = ", type, " async-done(u)"));
  c.text = absl::StrReplaceAll(c.text, {{"ENTRY", absl::StrCat("beside {\n", parameter, "  ROOT r = ", type, " ", operation, "\n}\n\nENTRY")}});
}

// The blocks are operands of their own.
void MakeOfOperands(Maker& m, const Setting& s, Case& c) {
  const int64_t block = m.Pick(1, 3), width = m.Pick(1, 3);
  const std::vector<int64_t> dims = {block * s.size(), width};
  std::vector<PlainArray> x;
  for (int d = 0; d < c.replicas * c.partitions; ++d) {
    x.push_back(RandomArray(m, dims));
    c.brought.push_back({x.back()});
  }
  c.wanted = oracle::PlainAllToAll(s.groups, x, 0);
  c.text = absl::StrCat("  x = ", TypeOf(dims), " parameter(0)\n");
  const std::string type = TypeOf({block, width});
  std::vector<std::string> names;
  for (int k = 0; k < s.size(); ++k) {
    names.push_back(absl::StrCat("s", k));
    absl::StrAppend(&c.text, "  ", names.back(), " = ", type, " slice(x), slice={[", k * block, ":", (k + 1) * block, "], [0:", width, "]}\n");
  }
  absl::StrAppend(&c.text, "  ROOT r = (", absl::StrJoin(std::vector<std::string>(names.size(), type), ", "), ") all-to-all(", absl::StrJoin(names, ", "), ")", s.GroupText());
}

PlainArray Vector(const std::vector<int64_t>& numbers) { return {{static_cast<int64_t>(numbers.size())}, std::vector<double>(numbers.begin(), numbers.end())}; }

// Blocks of 0 to 3 rows, several for each pair of devices; a receiver has them one behind the other, with rows of its own between.
void MakeRagged(Maker& m, const Setting& s, Case& c) {
  const int devices = c.replicas * c.partitions, entries = m.Pick(1, 2), length = s.size() * entries;
  const int64_t width = m.Pick(1, 2), rows = 3 + m.Pick(0, 2), out_rows = static_cast<int64_t>(length) * 4 + 1;
  std::vector<oracle::PlainRaggedOperands> x(devices);
  std::vector<std::vector<int64_t>> received(devices);
  for (oracle::PlainRaggedOperands& of : x) {
    of = {RandomArray(m, {rows, width}), RandomArray(m, {out_rows, width}), std::vector<int64_t>(length), std::vector<int64_t>(length), std::vector<int64_t>(length)};
  }
  for (const std::vector<int>& group : s.groups) {
    for (size_t to = 0; to < group.size(); ++to) {
      int64_t next = m.Pick(0, 1);
      for (int from : group) {
        for (size_t b = to * entries; b < (to + 1) * entries; ++b) {
          const int size = m.Pick(0, 3);
          x[from].send_sizes[b] = size;
          x[from].input_offsets[b] = m.Pick(0, static_cast<int>(rows) - size);
          x[from].output_offsets[b] = next;
          received[group[to]].push_back(size);
          next += size + m.Pick(0, 1);
        }
      }
    }
  }
  for (int d = 0; d < devices; ++d) {
    c.brought.push_back({x[d].input, x[d].output, Vector(x[d].input_offsets), Vector(x[d].send_sizes), Vector(x[d].output_offsets), Vector(received[d])});
  }
  c.wanted = oracle::PlainRaggedAllToAll(s.groups, x, entries);
  const std::string out = TypeOf({out_rows, width});
  c.text = absl::StrCat("  x = ", TypeOf({rows, width}), " parameter(0)\n  y = ", out, " parameter(1)\n");
  for (int k = 2; k < 6; ++k) absl::StrAppend(&c.text, "  v", k, " = s32[", length, "] parameter(", k, ")\n");
  absl::StrAppend(&c.text, "  ROOT r = ", out, " ragged-all-to-all(x, y, v2, v3, v4, v5)", s.GroupText());
}

// Pairs as an attribute, or as the frontend writes them: with quotes or without.
void MakeSendReceive(Maker& m, const Setting& s, Case& c) {
  const std::vector<int64_t> dims = {m.Pick(1, 4)};
  std::vector<PlainArray> x;
  for (int d = 0; d < c.replicas * c.partitions; ++d) {
    x.push_back(RandomArray(m, dims));
    c.brought.push_back({x.back()});
  }
  std::vector<std::pair<int, int>> sends;
  std::string pairs = TextOf(RandomPairs(m, s, c, &sends));
  switch (m.Pick(0, 2)) {
    case 0: pairs = absl::StrCat("source_target_pairs=", pairs); break;
    case 1: pairs = absl::StrCat("frontend_attributes={_xla_send_recv_source_target_pairs=", pairs, "}"); break;
    case 2: pairs = absl::StrCat("frontend_attributes={a=\"x,y\",_xla_send_recv_source_target_pairs=\"", pairs, "\"}"); break;
  }
  c.wanted = oracle::PlainPermute(sends, x);
  const std::string type = TypeOf(dims);
  c.text = absl::StrCat("  x = ", type, " parameter(0)\n  t = token[] after-all()\n  q = (", type, ", u32[], token[]) recv(t), channel_id=3, ", pairs, "\n  s = (", type,
                        ", u32[], token[]) send(x, t), channel_id=3, ", pairs, "\n  d = (", type, ", token[]) recv-done(q), channel_id=3\n  e = token[] send-done(s), channel_id=3\n",
                        "  ROOT r = ", type, " get-tuple-element(d), index=0");
}

Case MakeCase(uint32_t seed) {
  Maker m(seed);
  Case c;
  const Setting s = MakeSetting(m, c);
  switch (s.kind) {
    case Kind::kAllToAllOfOperands: MakeOfOperands(m, s, c); break;
    case Kind::kRagged: MakeRagged(m, s, c); break;
    case Kind::kSendReceive: MakeSendReceive(m, s, c); break;
    default: MakeOfOneArray(m, s, c);
  }
  // The header may say how many devices there are, and the rules of shapes then know it too.
  if (m.Pick(0, 1) == 0) c.text = absl::StrReplaceAll(WholeModule(c.text), {{"HloModule m\n", absl::StrCat("HloModule m, replica_count=", c.replicas, ", num_partitions=", c.partitions, "\n")}});
  return c;
}

TEST(RandomExchange, AgreesWithPlainLoops) {
  for (uint32_t seed = 0; seed < 2500; ++seed) {
    const Case c = MakeCase(seed);
    const std::string what = absl::StrCat("seed ", seed, ", ", c.replicas, " replicas, ", c.partitions, " partitions:\n", c.text);
    const DevicesResult got = RunOn(c.replicas, c.partitions, c.text, [&](int d, int k, const Shape& shape) {
      Value v = Value::Allocate(shape);
      const std::vector<double>& numbers = c.brought[d][k].elements;
      for (size_t e = 0; e < numbers.size(); ++e) {
        if (shape.element_type() == ElementType::kF32) v.mutable_as<float>()[e] = static_cast<float>(numbers[e]);
        else v.mutable_as<int32_t>()[e] = static_cast<int32_t>(numbers[e]);
      }
      return v;
    });
    ASSERT_EQ(got.problems, "") << what;
    for (size_t d = 0; d < got.results.size(); ++d) ASSERT_EQ(Numbers(got.results[d]), c.wanted[d].elements) << what << "\ndevice " << d;
  }
}

}  // namespace
}  // namespace hloscope
