// Random programs as text, see program.h.
#include "tests/random/program.h"

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

bool Mentions(const std::string& attributes, const std::string& name) {
  for (size_t at = attributes.find(name); at != std::string::npos; at = attributes.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool starts = at > 0 && !isalnum(attributes[at - 1]);
    if (starts && (end == attributes.size() || !isalnum(attributes[end]))) return true;
  }
  return false;
}

std::string NameOf(const Comp& comp, int k, bool entry) {
  const ProgNode& node = comp.nodes[k];
  if (entry && node.op == "parameter") return absl::StrCat("p", node.id);
  return absl::StrCat("v", k);
}

}  // namespace

std::string Text(const Prog& program) {
  std::string text = "HloModule random\n\n";
  for (size_t c = 0; c < program.computations.size(); ++c) {
    const Comp& comp = program.computations[c];
    const bool entry = c + 1 == program.computations.size();
    absl::StrAppend(&text, entry ? "ENTRY " : "", comp.name, " {\n");
    int parameters = 0;
    for (size_t k = 0; k < comp.nodes.size(); ++k) {
      const ProgNode& node = comp.nodes[k];
      absl::StrAppend(&text, "  ", static_cast<int>(k) == comp.root ? "ROOT " : "", NameOf(comp, static_cast<int>(k), entry), " = ",
                      node.shape.ToString(), " ", node.op, "(");
      if (node.op == "parameter") {
        absl::StrAppend(&text, entry ? absl::StrCat(parameters++) : node.literal);
      } else if (node.op == "constant") {
        absl::StrAppend(&text, node.literal);
      }
      for (size_t o = 0; o < node.operands.size(); ++o) absl::StrAppend(&text, o == 0 ? "" : ", ", NameOf(comp, node.operands[o], entry));
      absl::StrAppend(&text, ")", node.attributes, "\n");
    }
    absl::StrAppend(&text, "}\n\n");
  }
  return text;
}

Prog WithoutDeadCode(const Prog& program) {
  Prog out = program;
  for (size_t c = 0; c < out.computations.size(); ++c) {
    Comp& comp = out.computations[c];
    const bool entry = c + 1 == out.computations.size();
    std::vector<char> live(comp.nodes.size(), 0);
    live[comp.root] = 1;
    for (int k = static_cast<int>(comp.nodes.size()) - 1; k >= 0; --k) {
      if (!entry && comp.nodes[k].op == "parameter") live[k] = 1;
      if (!live[k]) continue;
      for (int o : comp.nodes[k].operands) live[o] = 1;
    }
    std::vector<int> moved(comp.nodes.size(), -1);
    std::vector<ProgNode> nodes;
    for (size_t k = 0; k < comp.nodes.size(); ++k) {
      if (!live[k]) continue;
      moved[k] = static_cast<int>(nodes.size());
      nodes.push_back(comp.nodes[k]);
      for (int& o : nodes.back().operands) o = moved[o];
    }
    comp.root = moved[comp.root];
    comp.nodes = std::move(nodes);
  }
  // Callers come after what they call, so one pass from the end finds every computation that is needed.
  std::vector<Comp> needed;
  for (size_t c = out.computations.size(); c-- > 0;) {
    bool called = c + 1 == out.computations.size();
    for (const Comp& caller : needed) {
      for (const ProgNode& node : caller.nodes) called |= Mentions(node.attributes, out.computations[c].name);
    }
    if (called) needed.push_back(out.computations[c]);
  }
  out.computations.assign(needed.rbegin(), needed.rend());
  return out;
}

std::vector<Value> ArgumentsOf(const Prog& program, const Module& module) {
  std::vector<Value> values;
  for (const Instruction* p : module.entry->parameters) {
    const int id = std::atoi(std::string(p->name.substr(1)).c_str());
    values.push_back(MakeValue(p->shape, program.inputs, program.seed * 31 + static_cast<uint64_t>(id)));
  }
  return values;
}

}  // namespace hloscope
