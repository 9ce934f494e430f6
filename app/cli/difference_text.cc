#include "app/cli/difference_text.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "app/cli/number_json.h"
#include "core/debug/locations.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;

constexpr size_t kShown = 50;  // changes listed

const char* NameOf(StructuralChange::Kind kind) {
  switch (kind) {
    case StructuralChange::kRemoved: return "removed";
    case StructuralChange::kAdded: return "added";
    case StructuralChange::kChanged: return "changed";
    case StructuralChange::kRenamed: return "renamed";
    case StructuralChange::kMoved: return "moved";
  }
  return "";
}

ordered_json InstructionJson(const Module& module, const Instruction* i) {
  if (i == nullptr) return nullptr;
  return {{"name", NameInText(*i)}, {"opcode", std::string(Name(i->opcode))}, {"shape", i->shape.ToString(false)}, {"computation", std::string(i->parent->name)},
          {"line", LineOf(module, *i)}, {"op_name", std::string(i->metadata.op_name)}};
}

std::string Names(const std::vector<const Instruction*>& list) {
  std::vector<std::string> names;
  for (size_t k = 0; k < list.size() && k < 5; ++k) names.push_back(ShownName(*list[k]));
  if (list.size() > 5) names.push_back("...");
  return absl::StrJoin(names, ", ");
}

// Computations that nothing calls are not compared: they never run.
struct Uncalled {
  int64_t computations = 0, instructions = 0;
};

Uncalled UncalledOf(const Module& module) {
  absl::flat_hash_set<const Computation*> called = {module.entry};
  std::vector<const Computation*> todo = {module.entry};
  while (!todo.empty()) {
    const Computation* computation = todo.back();
    todo.pop_back();
    for (const Instruction* i : computation->instructions) {
      for (const Computation* next : i->CalledComputations()) {
        if (called.insert(next).second) todo.push_back(next);
      }
    }
  }
  Uncalled uncalled;
  for (const Computation* computation : module.computations) {
    if (called.contains(computation)) continue;
    ++uncalled.computations;
    uncalled.instructions += static_cast<int64_t>(computation->instructions.size());
  }
  return uncalled;
}

std::string UncalledText(absl::string_view side, const Module& module) {
  const Uncalled uncalled = UncalledOf(module);
  if (uncalled.computations == 0) return "";
  return absl::StrCat("not compared: ", Count(uncalled.instructions, "instruction"), " of ", side, " in ", Count(uncalled.computations, "computation"), " that nothing calls\n");
}

}  // namespace

MachineOptions MachineOptionsOf(const SessionOptions& session, const ProgramInputs& inputs) {
  MachineOptions options;
  options.memory_limit = session.memory_limit;
  options.max_iterations = session.max_iterations;
  options.seed = session.fill.seed;
  options.fill = session.fill;
  options.custom_calls = &inputs.custom_calls();
  options.infeed = inputs.infeed();
  return options;
}

std::string DifferenceText::Place(const Module& module, const Instruction& instruction) const {
  const int line = LineOf(module, instruction);
  const std::string& file = &module == &a ? name_a : name_b;
  return absl::StrCat("in ", instruction.parent->name, line > 0 ? absl::StrCat(", ", Basename(file), ":", line) : "");
}

// Of a change in a function of which b has another copy without it.
std::string DifferenceText::AsItWas(const StructuralChange& change) const {
  if (change.as_it_was == nullptr) return "";
  const absl::string_view name = change.a->parent->name, now = change.as_it_was->name;
  return absl::StrCat("; b has ", name, " as it was", name == now ? "" : absl::StrCat(", named ", now), ", the change is ", Place(b, *change.b));
}

std::string DifferenceText::Structure(const ProgramMatch& match) const {
  using Kind = StructuralChange::Kind;
  std::string text = absl::StrCat("a: ", name_a, " (", a.name, "), ", Count(a.instruction_count(), "instruction"), "\nb: ", name_b, " (", b.name, "), ",
                                  Count(b.instruction_count(), "instruction"), "\nstructure: ", match.matched, " matched (", match.identical, " identical), ",
                                  match.Count(Kind::kRemoved), " removed, ", match.Count(Kind::kAdded), " added, ", match.Count(Kind::kChanged), " changed, ",
                                  match.Count(Kind::kRenamed), " renamed, ", match.Count(Kind::kMoved), " moved",
                                  match.layouts > 0 ? absl::StrCat(", ", match.layouts, " of another layout") : "", "\n", UncalledText("a", a), UncalledText("b", b));
  size_t shown = 0, left = 0;
  for (const StructuralChange& c : match.changes) {
    const bool few = match.Count(c.kind) <= 10;
    if (!verbose && !few && (c.kind == Kind::kRenamed || c.kind == Kind::kMoved)) continue;
    if (!verbose && shown >= kShown) {
      ++left;
      continue;
    }
    ++shown;
    switch (c.kind) {
      case Kind::kRemoved: absl::StrAppend(&text, "  - ", Brief(*c.a), ", ", Place(a, *c.a), "\n"); break;
      case Kind::kAdded: absl::StrAppend(&text, "  + ", Brief(*c.b), ", ", Place(b, *c.b), "\n"); break;
      case Kind::kChanged:
        absl::StrAppend(&text, "  ~ ", ShownName(*c.a), ShownName(*c.a) == ShownName(*c.b) ? "" : absl::StrCat(" (", ShownName(*c.b), ")"), ": ",
                        absl::StrJoin(c.what, "; "), ", ", Place(a, *c.a),
                        AsItWas(c), "\n");
        break;
      case Kind::kRenamed: absl::StrAppend(&text, "  = ", ShownName(*c.a), " is now ", ShownName(*c.b), ", ", Place(a, *c.a), "\n"); break;
      case Kind::kMoved: absl::StrAppend(&text, "  > ", ShownName(*c.a), " stands elsewhere, ", Place(a, *c.a), "; ", Place(b, *c.b), "\n"); break;
    }
  }
  if (left > 0) absl::StrAppend(&text, "  ", Count(static_cast<int64_t>(left), "more change"), " (--verbose lists all)\n");
  return text;
}

std::string DifferenceText::Text(const Divergence& d) const {
  std::string text;
  if (d.result) {
    absl::StrAppend(&text, "the result", d.output >= 0 ? absl::StrCat(", output ", d.output) : "", ", of ", ShownName(*d.a));
  } else {
    absl::StrAppend(&text, ShownName(*d.a), ShownName(*d.a) == ShownName(*d.b) ? "" : absl::StrCat(" (", ShownName(*d.b), " in b)"), " ", Name(d.a->opcode), " ", ShapeText(d.shape));
    if (d.output >= 0) absl::StrAppend(&text, ", element ", d.output);
  }
  absl::StrAppend(&text, ", ", Place(a, *d.a), d.where.empty() ? "" : absl::StrCat(", ", d.where), "\n  ", d.sizes.empty() ? ToText(d.difference, d.shape) : d.sizes, "\n");
  if (!d.changed.empty()) absl::StrAppend(&text, "  changed: ", absl::StrJoin(d.changed, "; "), "\n");
  if (!d.only_a.empty()) absl::StrAppend(&text, "  reads through ", Names(d.only_a), ", only in a\n");
  if (!d.only_b.empty()) absl::StrAppend(&text, "  reads through ", Names(d.only_b), ", only in b\n");
  const std::vector<PythonFrame> frames = a.PythonFrames(*d.a);
  if (!frames.empty() && !frames[0].file.empty()) absl::StrAppend(&text, "  ", frames[0].file, ":", frames[0].line, frames[0].function.empty() ? "" : absl::StrCat(" (", frames[0].function, ")"), "\n");
  if (!d.a->metadata.op_name.empty() && !d.result) absl::StrAppend(&text, "  ", d.a->metadata.op_name, "\n");
  return text;
}

// "written otherwise, and what is made of it agrees: %c (constant 4 -> 0.25)".
static std::string RewrittenText(const LockstepReport& r) {
  constexpr size_t kTold = 8;
  std::vector<std::string> told;
  absl::flat_hash_set<std::pair<const Instruction*, const Instruction*>> once;
  for (const Divergence& d : r.rewritten) {
    if (once.insert({d.a, d.b}).second && once.size() <= kTold) told.push_back(absl::StrCat(ShownName(*d.a), d.changed.empty() ? "" : absl::StrCat(" (", absl::StrJoin(d.changed, "; "), ")")));
  }
  if (once.size() > kTold) told.push_back(absl::StrCat(once.size() - kTold, " more"));
  return absl::StrCat("written otherwise, and what is made of ", once.size() == 1 ? "it" : "them", " agrees: ", absl::StrJoin(told, ", "));
}

// Loops that run another number of iterations in b, but for the one that the first divergence tells of.
std::string DifferenceText::Loops(const LockstepReport& r) const {
  const Divergence* first = r.divergences.empty() || r.divergences[0].result ? nullptr : &r.divergences[0];
  std::string text;
  size_t shown = 0;
  for (const UnequalLoops& loops : r.loops) {
    if (first != nullptr && first->a == loops.a && first->b == loops.b) continue;
    if (!verbose && ++shown > kShown) continue;
    absl::StrAppend(&text, ShownName(*loops.a), ShownName(*loops.a) == ShownName(*loops.b) ? "" : absl::StrCat(" (", ShownName(*loops.b), " in b)"), " runs ",
                    Count(loops.iterations_a, "iteration"), " in a and ", loops.iterations_b, " in b, ", Place(a, *loops.a), loops.where.empty() ? "" : absl::StrCat(", ", loops.where), "\n");
  }
  if (shown > kShown) absl::StrAppend(&text, Count(static_cast<int64_t>(shown - kShown), "more loop"), " with another number of iterations in b (--verbose lists all)\n");
  return text;
}

std::string DifferenceText::Values(const LockstepReport& r) const {
  std::string text = absl::StrCat("values: ", Count(r.pairs, "pair"), " compared (", Count(r.elements, "element"), ")");
  if (r.unlike > 0) absl::StrAppend(&text, ", ", r.unlike, " of other dimensions not compared");
  if (r.only_a + r.only_b > 0) {
    const auto of = [](int64_t count, absl::string_view program) { return count == 0 ? std::string() : absl::StrCat(count, " of ", program, " alone"); };
    absl::StrAppend(&text, ", ", of(r.only_a, "a"), r.only_a > 0 && r.only_b > 0 ? " and " : "", of(r.only_b, "b"), " not compared");
  }
  if (r.without_partner > 0) absl::StrAppend(&text, ", ", Count(r.without_partner, "array"), " in tuples without a partner in the other program not compared");
  if (const int64_t within = r.other_bits - r.diverging - r.rewritten_pairs; within > 0) absl::StrAppend(&text, ", ", within, " with other bits within the budget (at most ", FormatDouble(r.worst_ulp, 4), " ulp", r.worst == nullptr ? "" : absl::StrCat(", ", ShownName(*r.worst)), ")");
  text += "\n";
  for (const std::string& note : r.notes) absl::StrAppend(&text, "note: ", note, "\n");
  text += Loops(r);
  if (!r.error_a.empty()) absl::StrAppend(&text, "a stopped with an error ", r.error_a, "\n");
  if (!r.error_b.empty()) absl::StrAppend(&text, "b stopped with an error ", r.error_b, "\n");
  if (!r.rewritten.empty()) absl::StrAppend(&text, RewrittenText(r), "\n");
  if (r.divergences.empty()) {
    if (r.results_compared) absl::StrAppend(&text, "no divergence: the results agree\n");
    else if (!r.results_why.empty()) absl::StrAppend(&text, "the results were not compared: ", r.results_why, "\n");
    return text;
  }
  absl::StrAppend(&text, "first divergence: ", Text(r.divergences[0]));
  const absl::string_view results = r.results_agree ? "the results agree all the same\n" : "";
  if (r.divergences.size() < 2) return absl::StrCat(text, results);
  // A loop's instruction is told once, with how often.
  const auto again = [&](const Divergence& d) -> std::string {
    const auto found = r.telling.find({d.a, d.b});
    if (verbose || found == r.telling.end() || found->second.all < 2) return "";
    const int64_t times = found->second.all - 1, inherit = times - (found->second.own - d.own);
    const std::string some = inherit == times ? "where it" : absl::StrCat("in ", inherit, " of which it");
    return absl::StrCat("  and ", Count(times, "more time"), !d.own || inherit == 0 ? "" : absl::StrCat(", ", some, " inherits as well"),
                        "\n");
  };
  absl::StrAppend(&text, again(r.divergences[0]));
  absl::StrAppend(&text, Count(r.diverging, "pair"), " differ: ", r.own, " of their own, ", r.diverging - r.own, " inherited",
                  r.besides > 0 ? absl::StrCat(" (", r.besides, " of them changed besides)") : "", "\n");
  absl::flat_hash_set<std::pair<const Instruction*, const Instruction*>> told = {{r.divergences[0].a, r.divergences[0].b}};
  size_t shown = 0, more = 0;
  for (size_t k = 1; k < r.divergences.size(); ++k) {
    const Divergence& d = r.divergences[k];
    if ((!d.own && !d.besides()) || (!verbose && !told.insert({d.a, d.b}).second)) continue;
    if (!verbose && ++shown > 20) {
      ++more;
      continue;
    }
    absl::StrAppend(&text, d.own ? "another of its own: " : "inherits, and is changed besides: ", Text(d), again(d));
  }
  if (more > 0) absl::StrAppend(&text, "and ", more, more == 1 ? " further instruction" : " further instructions", " of their own, or changed besides; -v tells of each\n");
  return absl::StrCat(text, results);
}

ordered_json DifferenceText::Json(const Divergence& d) const {
  ordered_json j;
  j["instruction"] = NameInText(*d.a);
  j["a"] = InstructionJson(a, d.a);
  j["b"] = InstructionJson(b, d.b);
  j["kind"] = d.own ? "own" : "inherited";
  j["of_result"] = d.result;
  j["output"] = d.output < 0 ? ordered_json() : ordered_json(d.output);
  j["where"] = d.where;
  j["elements"] = d.difference.elements;
  j["differing"] = d.difference.beyond;
  if (!d.sizes.empty()) j["sizes"] = d.sizes;
  j["index"] = d.sizes.empty() ? ordered_json(IndexOf(d.shape, d.difference.first)) : ordered_json();
  j["expected"] = Number(d.difference.expected);
  j["got"] = Number(d.difference.got);
  j["ulp"] = Number(d.difference.ulp);
  j["bound"] = Number(d.difference.bound);
  if (d.sizes.empty()) j["worst"] = {{"index", IndexOf(d.shape, d.difference.worst)}, {"expected", Number(d.difference.worst_expected)}, {"got", Number(d.difference.worst_got)}, {"ulp", Number(d.difference.worst_ulp)}};
  j["changed"] = d.changed;
  for (const auto& [key, list] : {std::pair("only_a", &d.only_a), std::pair("only_b", &d.only_b)}) {
    j[key] = ordered_json::array();
    for (const Instruction* i : *list) j[key].push_back(NameInText(*i));
  }
  return j;
}

ordered_json DifferenceText::Json(const ProgramMatch& match, const LockstepReport* values, bool equal) const {
  ordered_json j;
  j["a"] = {{"file", name_a}, {"module", a.name}, {"instructions", a.instruction_count()}, {"uncalled", UncalledOf(a).instructions}};
  j["b"] = {{"file", name_b}, {"module", b.name}, {"instructions", b.instruction_count()}, {"uncalled", UncalledOf(b).instructions}};
  j["equal"] = equal;
  ordered_json structure = {{"same", match.SameStructure()}, {"matched", match.matched}, {"identical", match.identical}, {"layouts", match.layouts}};
  for (const auto kind : {StructuralChange::kRemoved, StructuralChange::kAdded, StructuralChange::kChanged, StructuralChange::kRenamed, StructuralChange::kMoved}) {
    ordered_json list = ordered_json::array();
    for (const StructuralChange& c : match.changes) {
      if (c.kind != kind) continue;
      ordered_json item = {{"a", InstructionJson(a, c.a)}, {"b", InstructionJson(b, c.b)}};
      if (kind == StructuralChange::kChanged) item["what"] = c.what;
      list.push_back(std::move(item));
    }
    structure[NameOf(kind)] = std::move(list);
  }
  j["structure"] = std::move(structure);
  if (values == nullptr) return j;
  ordered_json v = {{"compared", values->pairs}, {"elements", values->elements}, {"other_bits", values->other_bits}, {"not_compared", values->unlike}, {"only_a", values->only_a}, {"only_b", values->only_b}, {"without_partner", values->without_partner},
                    {"diverging", values->diverging}, {"own", values->own}, {"inherited", values->diverging - values->own}, {"results_compared", values->results_compared},
                    {"results_agree", values->results_compared ? ordered_json(values->results_agree) : ordered_json()},
                    {"spilled_bytes", values->spilled_bytes}, {"peak_bytes", values->peak_bytes}};
  if (!values->results_why.empty()) v["results_why"] = values->results_why;
  if (!values->error_a.empty()) v["error_a"] = values->error_a;
  if (!values->error_b.empty()) v["error_b"] = values->error_b;
  j["values"] = std::move(v);
  j["loops"] = ordered_json::array();
  for (const UnequalLoops& loops : values->loops)
    j["loops"].push_back({{"a", InstructionJson(a, loops.a)}, {"b", InstructionJson(b, loops.b)}, {"where", loops.where}, {"iterations_a", loops.iterations_a}, {"iterations_b", loops.iterations_b}});
  j["first_divergence"] = values->divergences.empty() ? ordered_json() : Json(values->divergences[0]);
  for (const auto& [key, list] : {std::pair("divergences", &values->divergences), std::pair("rewritten", &values->rewritten)}) {
    j[key] = ordered_json::array();
    for (const Divergence& d : *list) j[key].push_back(Json(d));
  }
  return j;
}

}  // namespace hloscope::cli
