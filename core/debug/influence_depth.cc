#include "core/debug/influence_depth.h"

#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/debug/text_util.h"

namespace hloscope {
namespace {

constexpr int kFar = std::numeric_limits<int>::max();

// What is made of each node: by device and node.
using Node = std::pair<int, int>;
using Users = std::vector<std::vector<std::vector<Node>>>;

Users UsersOf(absl::Span<const Influence> devices) {
  Users users;
  for (const Influence& influence : devices) users.emplace_back(influence.nodes.size());
  for (int d = 0; d < static_cast<int>(devices.size()); ++d) {
    const std::vector<InfluenceNode>& nodes = devices[d].nodes;
    for (int n = 0; n < static_cast<int>(nodes.size()); ++n) {
      for (const int from : nodes[n].from) users[d][from].push_back({d, n});
      for (const auto& [device, node] : nodes[n].received) users[device][node].push_back({d, n});
    }
  }
  return users;
}

// Hops to each node; the nearest first, and what is no further at once.
std::vector<std::vector<int>> HopsFrom(absl::Span<const Influence> devices, int from) {
  std::vector<std::vector<int>> hops;
  for (const Influence& influence : devices) hops.emplace_back(influence.nodes.size(), kFar);
  if (devices[from].nodes.empty()) return hops;
  const Users users = UsersOf(devices);
  std::deque<Node> open = {{from, 0}};
  hops[from][0] = 0;
  while (!open.empty()) {
    const Node at = open.front();
    open.pop_front();
    for (const Node& user : users[at.first][at.second]) {
      const InfluenceNode& node = devices[user.first].nodes[user.second];
      const bool near = node.moves || user.first != at.first;
      const int far = hops[at.first][at.second] + (near ? 0 : 1);
      if (far >= hops[user.first][user.second]) continue;
      hops[user.first][user.second] = far;
      near ? open.push_front(user) : open.push_back(user);
    }
  }
  return hops;
}

}  // namespace

void KeepHops(absl::Span<Influence> devices, int from, int hops) {
  const std::vector<std::vector<int>> far = HopsFrom(devices, from);
  std::vector<std::vector<int>> number;  // of the nodes that stay; -1: it does not
  int64_t left_out = 0;
  for (int d = 0; d < static_cast<int>(devices.size()); ++d) {
    number.emplace_back();
    int next = 0;
    for (const int h : far[d]) number.back().push_back(h <= hops ? next++ : -1);
  }
  for (int d = 0; d < static_cast<int>(devices.size()); ++d) {
    std::vector<InfluenceNode> kept;
    for (size_t n = 0; n < devices[d].nodes.size(); ++n) {
      InfluenceNode& node = devices[d].nodes[n];
      if (number[d][n] < 0) {
        if (!node.moves) ++left_out;
        continue;
      }
      std::vector<int> of;
      for (const int k : node.from) {
        if (number[d][k] >= 0) of.push_back(number[d][k]);
      }
      node.from = std::move(of);
      std::vector<std::pair<int, int>> received;
      for (const auto& [device, k] : node.received) {
        if (number[device][k] >= 0) received.push_back({device, number[device][k]});
      }
      node.received = std::move(received);
      kept.push_back(std::move(node));
    }
    devices[d].nodes = std::move(kept);
  }
  if (left_out > 0) {
    devices[from].notes.push_back(absl::StrCat(Count(left_out, "value"), left_out == 1 ? " is" : " are", " more than ", Count(hops, "hop"), " away and left out (/depth goes further)"));
  }
}

}  // namespace hloscope
