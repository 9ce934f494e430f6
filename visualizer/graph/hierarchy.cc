#include "visualizer/graph/hierarchy.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "visualizer/graph/chunk_names.h"

namespace hloscope {

std::vector<absl::string_view> ScopesOf(absl::string_view op_name) {
  std::vector<absl::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t k = 0; k < op_name.size(); ++k) {
    const char c = op_name[k];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    if (c != '/' || depth > 0) continue;
    if (k > begin) parts.push_back(op_name.substr(begin, k - begin));
    begin = k + 1;
  }
  return parts;
}

int Hierarchy::GivenOperand(const Instruction& caller, int which, const Computation& called, int parameter) {
  int number = -1;
  switch (Def(caller).control) {
    case ControlKind::kWhile: number = 0; break;
    case ControlKind::kConditional: number = which + 1; break;
    case ControlKind::kCall: number = called.parameters.size() == caller.operands.size() ? parameter : -1; break;
    default: return -1;
  }
  return number < static_cast<int>(caller.operands.size()) ? number : -1;
}

std::vector<const Computation*> Hierarchy::Called(const Instruction& instruction) {
  std::vector<const Computation*> called;
  for (const Computation* c : instruction.CalledComputations()) {
    if (c != nullptr && c->id >= 0) called.push_back(c);
  }
  return called;
}

int Hierarchy::Add(GraphNode node) {
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

void Hierarchy::AddComputation(const Computation& computation) {
  GraphNode root;
  root.kind = GraphNode::kComputation;
  root.computation = &computation;
  root.title = std::string(computation.name);
  const int root_id = Add(std::move(root));
  computation_node_[computation.id] = root_id;
  // What the caller's scopes say already is not said again inside it.
  const Instruction* caller = caller_[computation.id].caller;
  const std::string known_text = caller != nullptr ? absl::StrCat(caller->metadata.op_name, "/") : "";
  const std::vector<absl::string_view> known = ScopesOf(known_text);
  absl::flat_hash_map<std::string, int> scopes;
  for (const Instruction* i : computation.schedule) {
    std::vector<absl::string_view> parts = ScopesOf(i->metadata.op_name);
    size_t same = 0;
    while (same < parts.size() && same < known.size() && parts[same] == known[same]) ++same;
    int parent = root_id;
    std::string path;
    for (size_t k = 0; k < parts.size(); ++k) {
      absl::StrAppend(&path, k == 0 ? "" : "/", parts[k]);
      if (k < same) continue;
      const auto [it, fresh] = scopes.try_emplace(path, 0);
      if (fresh) {
        GraphNode scope;
        scope.kind = GraphNode::kScope;
        scope.parent = parent;
        scope.computation = &computation;
        scope.title = std::string(parts[k]);
        scope.path = path;
        it->second = Add(std::move(scope));
        nodes_[parent].children.push_back(it->second);
      }
      parent = it->second;
    }
    GraphNode node;
    node.parent = parent;
    node.computation = &computation;
    node.instruction = i;
    const int id = Add(std::move(node));
    nodes_[parent].children.push_back(id);
    instruction_node_[Number(*i)] = id;
  }
  Tidy(root_id);
  Count(root_id);
  Cut(root_id);
}

// A scope with a single child is no level of its own: two scopes become one, a lone instruction goes up.
void Hierarchy::Tidy(int id) {
  for (size_t k = 0; k < nodes_[id].children.size(); ++k) {
    int child = nodes_[id].children[k];
    while (nodes_[child].kind == GraphNode::kScope && nodes_[child].children.size() == 1) {
      const int only = nodes_[child].children[0];
      if (nodes_[only].kind == GraphNode::kScope) nodes_[only].title = absl::StrCat(nodes_[child].title, " / ", nodes_[only].title);
      else nodes_[only].lone_in = nodes_[child].title;
      nodes_[only].parent = id;
      nodes_[child].children.clear();
      nodes_[child].parent = -1;
      nodes_[id].children[k] = only;
      child = only;
    }
    Tidy(child);
  }
}

void Hierarchy::Count(int id) {
  GraphNode& node = nodes_[id];
  if (node.kind == GraphNode::kInstruction) {
    node.count = 1;
    node.first = node.instruction->index;
    return;
  }
  node.count = 0;
  node.first = INT32_MAX;
  for (const int child : node.children) {
    Count(child);
    nodes_[id].count += nodes_[child].count;
    nodes_[id].first = std::min(nodes_[id].first, nodes_[child].first);
  }
  if (node.children.empty()) node.first = 0;
}

// Of the instructions among children, in program order: constants, and what only moves one of them. A picture full of them says little.
std::vector<int> Hierarchy::ConstantsOf(const std::vector<int>& children) const {
  absl::flat_hash_set<const Instruction*> seen;
  std::vector<int> found;
  for (const int child : children) {
    const Instruction* i = nodes_[child].instruction;
    if (i == nullptr || i->parameter_number >= 0 || i == i->parent->root || !Called(*i).empty() || !i->control_predecessors.empty()) continue;
    const OpDef& def = Def(*i);
    const bool made = i->operands.empty() && (def.op_class == OpClass::kStructural || def.movement == Movement::kCreate);
    const bool moved = i->operands.size() == 1 && def.movement == Movement::kMove && seen.contains(i->operands[0]);
    if (!made && !moved) continue;
    seen.insert(i);
    found.push_back(child);
  }
  return found;
}

// Many parameters go into a chunk of their own, and many constants. What still has too many children is cut: loose instructions into chunks in
// program order; scopes stay as they are while there are not too many of them.
void Hierarchy::Cut(int id) {
  for (size_t k = 0; k < nodes_[id].children.size(); ++k) Cut(nodes_[id].children[k]);
  const auto by_order = [this](int a, int b) { return nodes_[a].first < nodes_[b].first; };
  std::stable_sort(nodes_[id].children.begin(), nodes_[id].children.end(), by_order);
  const size_t count = nodes_[id].children.size();
  const bool large = count > kMostChildren;
  const std::vector<int> constants = ConstantsOf(nodes_[id].children);
  const bool apart = constants.size() > kFew && constants.size() < count;
  const absl::flat_hash_set<int> constant(constants.begin(), apart ? constants.end() : constants.begin());
  std::vector<int> scopes, parameters, others;
  for (const int child : nodes_[id].children) {
    const Instruction* i = nodes_[child].instruction;
    if (!constant.contains(child)) (i == nullptr ? scopes : i->parameter_number >= 0 ? parameters : others).push_back(child);
  }
  std::stable_sort(parameters.begin(), parameters.end(), [this](int a, int b) { return nodes_[a].instruction->parameter_number < nodes_[b].instruction->parameter_number; });
  const bool many_parameters = parameters.size() > kFew && (large || parameters.size() < count);
  if (!large && !apart && !many_parameters) return;
  std::vector<int> now;
  if (large && scopes.size() > kMostChildren / 2) {
    others.insert(others.end(), scopes.begin(), scopes.end());
    std::stable_sort(others.begin(), others.end(), by_order);
  } else {
    now = std::move(scopes);
  }
  const auto put = [&](const char* name, const std::vector<int>& of) {
    const int all = AddChunk(id, name, name, of);
    const std::vector<int> within = Chunks(all, of, kMostChildren);
    for (const int child : within) nodes_[child].parent = all;
    nodes_[all].children = within;
    now.push_back(all);
  };
  if (many_parameters) put("parameters", parameters);
  else now.insert(now.end(), parameters.begin(), parameters.end());
  if (apart) put("constants", constants);
  const std::vector<int> rest = Chunks(id, std::move(others), large && count - constant.size() > kMostChildren ? kChunk : kMostChildren);
  now.insert(now.end(), rest.begin(), rest.end());
  std::stable_sort(now.begin(), now.end(), by_order);
  nodes_[id].children = std::move(now);
}

int Hierarchy::AddChunk(int parent, std::string title, std::string path, std::vector<int> children) {
  GraphNode chunk;
  chunk.kind = GraphNode::kChunk;
  chunk.parent = parent;
  chunk.computation = nodes_[parent].computation;
  chunk.title = std::move(title);
  chunk.path = std::move(path);
  chunk.first = nodes_[children[0]].first;
  for (const int child : children) {
    chunk.first = std::min(chunk.first, nodes_[child].first);
    chunk.count += nodes_[child].count;
  }
  chunk.children = std::move(children);
  const int made = Add(std::move(chunk));
  for (const int child : nodes_[made].children) nodes_[child].parent = made;
  return made;
}

// The scope that a child is, or in which it was alone; empty: none.
std::string Hierarchy::ScopeOf(int child) const {
  const GraphNode& node = nodes_[child];
  const std::string& title = node.instruction != nullptr ? node.lone_in : node.title;
  return title.substr(0, title.find(" / "));
}

// Groups of those whose scopes begin with the same words.
std::vector<int> Hierarchy::GroupsOf(int parent, const std::vector<int>& all) {
  std::vector<std::string> scopes;
  for (const int child : all) scopes.push_back(ScopeOf(child));
  const std::function<std::vector<int>(const std::vector<NameGroup>&)> make = [&](const std::vector<NameGroup>& groups) {
    std::vector<int> made;
    for (const NameGroup& group : groups) {
      if (group.groups.empty()) made.push_back(all[group.name]);
      else made.push_back(AddChunk(parent, group.title, group.title, Ranges(parent, make(group.groups), kMostChildren)));
    }
    return made;
  };
  return make(GroupByWords(scopes));
}

// What stands for `all` in `parent`: themselves, or chunks of them, and of those, until there are no more than `most`.
std::vector<int> Hierarchy::Chunks(int parent, std::vector<int> all, size_t most) {
  return all.size() > most ? Ranges(parent, GroupsOf(parent, all), most) : all;
}

std::vector<int> Hierarchy::Ranges(int parent, std::vector<int> all, size_t most) {
  std::vector<int> now = std::move(all);
  std::vector<std::pair<int, int>> range(now.size());  // the first and the last of the original ones
  for (size_t k = 0; k < now.size(); ++k) range[k] = {now[k], now[k]};
  const auto name = [&](int id) {
    const std::string scope = ScopeOf(id);
    return scope.empty() && nodes_[id].instruction != nullptr ? NameInText(*nodes_[id].instruction) : scope;
  };
  while (now.size() > most) {
    const size_t groups = (now.size() + kChunk - 1) / kChunk;
    std::vector<int> next;
    std::vector<std::pair<int, int>> next_range;
    for (size_t g = 0; g < groups; ++g) {
      const size_t begin = now.size() * g / groups, end = now.size() * (g + 1) / groups;
      const int from = range[begin].first, to = range[end - 1].second;
      const Instruction *first = nodes_[from].instruction, *last = nodes_[to].instruction;
      const bool parameters = first != nullptr && last != nullptr && first->parameter_number >= 0 && last->parameter_number >= 0;
      const ChunkName named = parameters ? NameParameters(first->parameter_number, last->parameter_number) : NameRange(name(from), name(to));
      next.push_back(AddChunk(parent, named.title, named.path, std::vector<int>(now.begin() + begin, now.begin() + end)));
      next_range.push_back({from, to});
    }
    now = std::move(next);
    range = std::move(next_range);
  }
  return now;
}

void Hierarchy::ForEachInstruction(int id, const std::function<void(const Instruction&)>& each) const {
  std::vector<int> open = {id};
  while (!open.empty()) {
    const GraphNode& node = nodes_[open.back()];
    open.pop_back();
    if (node.instruction != nullptr) each(*node.instruction);
    open.insert(open.end(), node.children.rbegin(), node.children.rend());
  }
}

std::shared_ptr<const Hierarchy> Hierarchy::Make(const Module& module, std::shared_ptr<const void> keep) {
  const auto made = std::make_shared<Hierarchy>();
  Hierarchy& h = *made;
  h.module_ = &module;
  h.keep_ = std::move(keep);
  const size_t computations = module.computations.size();
  h.computation_node_.assign(computations, -1);
  h.offset_.assign(computations, 0);
  h.caller_.resize(computations);
  h.callers_.resize(computations);
  for (const Computation* c : module.computations) {
    h.offset_[c->id] = static_cast<int>(h.instructions_.size());
    h.instructions_.insert(h.instructions_.end(), c->schedule.begin(), c->schedule.end());
    for (const Instruction* i : c->schedule) {
      int which = 0;
      for (const Computation* called : Called(*i)) h.callers_[called->id].push_back({i, which++});
    }
  }
  for (size_t k = 0; k < computations; ++k) {
    if (!h.callers_[k].empty()) h.caller_[k] = h.callers_[k].front();
  }
  h.instruction_node_.assign(h.instructions_.size(), -1);
  h.nodes_.reserve(h.instructions_.size() * 5 / 4 + computations);
  for (const Computation* c : module.computations) h.AddComputation(*c);
  // Users, by counting.
  h.user_begin_.assign(h.instructions_.size() + 1, 0);
  const auto each_operand = [&](const auto& f) {
    for (const Instruction* i : h.instructions_) {
      for (const Instruction* operand : i->operands) {
        if (operand != nullptr && operand->parent == i->parent && operand->index >= 0) f(h.Number(*operand), h.Number(*i));
      }
      for (const Instruction* before : i->control_predecessors) {
        if (before != nullptr && before->parent == i->parent && before->index >= 0) f(h.Number(*before), h.Number(*i));
      }
    }
  };
  each_operand([&](int from, int to) { ++h.user_begin_[from + 1]; });
  for (size_t k = 0; k + 1 < h.user_begin_.size(); ++k) h.user_begin_[k + 1] += h.user_begin_[k];
  h.users_.resize(h.user_begin_.back());
  std::vector<int> at(h.user_begin_.begin(), h.user_begin_.end() - 1);
  each_operand([&](int from, int to) { h.users_[at[from]++] = to; });
  return made;
}

}  // namespace hloscope
