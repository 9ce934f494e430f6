#include "tests/oracle/exchange.h"

namespace hloscope::oracle {
namespace {

using Groups = std::vector<std::vector<int>>;
using Arrays = std::vector<PlainArray>;

int64_t Count(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

std::vector<int64_t> IndexOf(int64_t linear, const std::vector<int64_t>& dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = linear % dims[d];
    linear /= dims[d];
  }
  return index;
}

int64_t LinearOf(const std::vector<int64_t>& index, const std::vector<int64_t>& dims) {
  int64_t linear = 0;
  for (size_t d = 0; d < dims.size(); ++d) linear = linear * dims[d] + index[d];
  return linear;
}

double At(const PlainArray& a, const std::vector<int64_t>& index) { return a.elements[LinearOf(index, a.dims)]; }

// An array of `dims` whose element at an index is what `make` says.
template <typename Make>
PlainArray Filled(const std::vector<int64_t>& dims, Make make) {
  PlainArray a{dims, {}};
  for (int64_t e = 0; e < Count(dims); ++e) a.elements.push_back(make(IndexOf(e, dims)));
  return a;
}

}  // namespace

Groups PlainGroups(Grouping grouping, const Groups& rows, int replicas, int partitions) {
  Groups named = rows;
  if (named.empty()) {
    named.emplace_back();
    const int all = grouping == Grouping::kPartitions ? partitions : grouping == Grouping::kFlattened ? replicas * partitions : replicas;
    for (int n = 0; n < all; ++n) named[0].push_back(n);
  }
  Groups groups;
  switch (grouping) {
    case Grouping::kReplicas:
      for (int p = 0; p < partitions; ++p) {
        for (const std::vector<int>& row : named) {
          groups.emplace_back();
          for (int r : row) groups.back().push_back(r * partitions + p);
        }
      }
      break;
    case Grouping::kPartitions:
      for (int r = 0; r < replicas; ++r) {
        for (const std::vector<int>& row : named) {
          groups.emplace_back();
          for (int p : row) groups.back().push_back(r * partitions + p);
        }
      }
      break;
    case Grouping::kReplicasTogether:
      for (const std::vector<int>& row : named) {
        groups.emplace_back();
        for (int p = 0; p < partitions; ++p) {
          for (int r : row) groups.back().push_back(r * partitions + p);
        }
      }
      break;
    case Grouping::kFlattened: groups = named; break;
  }
  return groups;
}

Arrays PlainAllReduce(const Groups& groups, const Arrays& x, double (*f)(double, double)) {
  Arrays out(x.size());
  for (const std::vector<int>& group : groups) {
    for (int to : group) {
      out[to] = x[group[0]];
      for (size_t m = 1; m < group.size(); ++m) {
        for (size_t e = 0; e < out[to].elements.size(); ++e) out[to].elements[e] = f(out[to].elements[e], x[group[m]].elements[e]);
      }
    }
  }
  return out;
}

Arrays PlainAllGather(const Groups& groups, const Arrays& x, int dim) {
  Arrays out(x.size());
  for (const std::vector<int>& group : groups) {
    for (int to : group) {
      std::vector<int64_t> dims = x[to].dims;
      const int64_t size = dims[dim];
      dims[dim] *= static_cast<int64_t>(group.size());
      out[to] = Filled(dims, [&](std::vector<int64_t> index) {
        const int from = group[index[dim] / size];
        index[dim] %= size;
        return At(x[from], index);
      });
    }
  }
  return out;
}

Arrays PlainReduceScatter(const Groups& groups, const Arrays& x, int dim, double (*f)(double, double)) {
  const Arrays reduced = PlainAllReduce(groups, x, f);
  Arrays out(x.size());
  for (const std::vector<int>& group : groups) {
    for (size_t m = 0; m < group.size(); ++m) {
      std::vector<int64_t> dims = x[group[m]].dims;
      dims[dim] /= static_cast<int64_t>(group.size());
      out[group[m]] = Filled(dims, [&](std::vector<int64_t> index) {
        index[dim] += static_cast<int64_t>(m) * dims[dim];
        return At(reduced[group[m]], index);
      });
    }
  }
  return out;
}

Arrays PlainAllToAll(const Groups& groups, const Arrays& x, int dim) {
  Arrays out(x.size());
  for (const std::vector<int>& group : groups) {
    for (size_t m = 0; m < group.size(); ++m) {
      const std::vector<int64_t>& dims = x[group[m]].dims;
      const int64_t block = dims[dim] / static_cast<int64_t>(group.size());
      out[group[m]] = Filled(dims, [&](std::vector<int64_t> index) {
        const int from = group[index[dim] / block];
        index[dim] = static_cast<int64_t>(m) * block + index[dim] % block;
        return At(x[from], index);
      });
    }
  }
  return out;
}

Arrays PlainBroadcast(const Groups& groups, const Arrays& x) {
  Arrays out(x.size());
  for (size_t d = 0; d < x.size(); ++d) out[d] = Filled(x[d].dims, [](const std::vector<int64_t>&) { return 0.0; });
  for (const std::vector<int>& group : groups) {
    for (int to : group) out[to] = x[group[0]];
  }
  return out;
}

Arrays PlainRaggedAllToAll(const Groups& groups, const std::vector<PlainRaggedOperands>& x, int entries) {
  Arrays out(x.size());
  for (const std::vector<int>& group : groups) {
    for (size_t m = 0; m < group.size(); ++m) {
      PlainArray& to = out[group[m]];
      to = x[group[m]].output;
      const int64_t row = Count(to.dims) / to.dims[0];
      for (int sender : group) {
        const PlainRaggedOperands& from = x[sender];
        for (int64_t b = static_cast<int64_t>(m) * entries; b < (static_cast<int64_t>(m) + 1) * entries; ++b) {
          for (int64_t e = 0; e < from.send_sizes[b] * row; ++e) {
            to.elements[from.output_offsets[b] * row + e] = from.input.elements[from.input_offsets[b] * row + e];
          }
        }
      }
    }
  }
  return out;
}

Arrays PlainPermute(const std::vector<std::pair<int, int>>& sends, const Arrays& x) {
  Arrays out(x.size());
  for (size_t d = 0; d < x.size(); ++d) out[d] = Filled(x[d].dims, [](const std::vector<int64_t>&) { return 0.0; });
  for (const auto& [from, to] : sends) out[to] = x[from];
  return out;
}

}  // namespace hloscope::oracle
