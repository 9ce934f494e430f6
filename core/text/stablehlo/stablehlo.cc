#include "core/text/stablehlo/stablehlo.h"

#include <algorithm>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ops/verifier.h"
#include "core/text/stablehlo/convert.h"
#include "core/text/stablehlo/signatures.h"

namespace hloscope {
namespace {

using mlir::Attr;
using mlir::Op;
using stablehlo::Converter;
using stablehlo::SymbolOf;

bool IsPrivate(const Op& function) {
  const Attr* visibility = function.Find("sym_visibility");
  return visibility != nullptr && visibility->text != "public";
}

// What a function says that matters for tests: its assertions, whom it calls, how many devices it runs.
struct Summary {
  bool asserts = false;
  int replicas = 1, partitions = 1;
  std::vector<std::string> calls;
};

void CollectSymbols(const Attr& a, std::vector<std::string>& symbols) {
  if (a.kind == Attr::Kind::kSymbol) symbols.push_back(a.text);
  for (const Attr& element : a.array) CollectSymbols(element, symbols);
}

void Summarize(const mlir::Region& region, Summary& s) {
  for (const auto& op : region.ops) {
    if (absl::StartsWith(op->name, "check.")) s.asserts = true;
    const Attr* target = op->Find("call_target_name");
    if (target != nullptr && absl::StartsWith(target->text, "check.")) s.asserts = true;
    if (const Attr* programs = op->Find("programs"); programs != nullptr && op->name == "interpreter.run_parallel") {
      s.replicas = std::max(s.replicas, static_cast<int>(programs->array.size()));
      for (const Attr& row : programs->array) s.partitions = std::max(s.partitions, static_cast<int>(row.array.size()));
    }
    for (const mlir::NamedAttr& attribute : op->attributes) CollectSymbols(attribute.value, s.calls);
    for (const auto& inner : op->regions) Summarize(*inner, s);
  }
}

struct Functions {
  std::vector<Summary> summaries;
  absl::flat_hash_set<std::string> called;
  absl::flat_hash_map<std::string, size_t> by_name;
};

Functions Describe(const std::vector<const Op*>& functions) {
  Functions all;
  for (size_t k = 0; k < functions.size(); ++k) {
    all.summaries.emplace_back();
    all.by_name.emplace(SymbolOf(*functions[k]), k);
    for (const auto& region : functions[k]->regions) Summarize(*region, all.summaries.back());
    for (const std::string& callee : all.summaries.back().calls) all.called.insert(callee.substr(callee.rfind(':') == std::string::npos ? 0 : callee.rfind(':') + 1));
  }
  return all;
}

// Each name stands for one thing in its module.
void ReportRepeatedNames(const mlir::Region& region, DiagnosticSink& sink) {
  absl::flat_hash_set<std::string> names;
  for (const auto& op : region.ops) {
    const std::string name = SymbolOf(*op);
    if (!name.empty() && !names.insert(name).second) {
      sink.Error(stablehlo::PlaceOf(*op), HLO_LABEL("stablehlo.repeated-name"), absl::StrCat("there is another @", name, " before this one"),
                 "a call could mean either; give one of them another name");
    }
    if (op->name == "builtin.module") {
      for (const auto& inner : op->regions) ReportRepeatedNames(*inner, sink);
    }
  }
}

void ReportRepeatedNames(const Op& root, DiagnosticSink& sink) {
  for (const auto& region : root.regions) ReportRepeatedNames(*region, sink);
}

bool HasStaticArguments(const Op& function) {
  const auto& arguments = function.regions[0]->arguments;
  return std::all_of(arguments.begin(), arguments.end(), [](const auto& a) { return stablehlo::StaticShape(a->type).has_value(); });
}

// Whether a function, or one that it calls, has assertions; and its largest number of devices.
void ReachFrom(const Functions& all, size_t at, absl::flat_hash_set<size_t>& seen, Summary& total) {
  std::vector<size_t> open = {at};
  while (!open.empty()) {
    const size_t k = open.back();
    open.pop_back();
    if (!seen.insert(k).second) continue;
    const Summary& s = all.summaries[k];
    total.asserts |= s.asserts;
    total.replicas = std::max(total.replicas, s.replicas);
    total.partitions = std::max(total.partitions, s.partitions);
    for (const std::string& callee : s.calls) {
      const auto found = all.by_name.find(callee.substr(callee.rfind(':') == std::string::npos ? 0 : callee.rfind(':') + 1));
      if (found != all.by_name.end()) open.push_back(found->second);
    }
  }
}

// Functions from which all those are reached that are not in `seen`: first what nobody calls, then one on each cycle of calls.
std::vector<size_t> RootsOfTheRest(const Functions& all, const std::vector<const Op*>& functions, absl::flat_hash_set<size_t> seen) {
  std::vector<size_t> roots;
  for (const bool called : {false, true}) {
    for (size_t k = 0; k < functions.size(); ++k) {
      if (seen.contains(k) || all.called.contains(SymbolOf(*functions[k])) != called) continue;
      Summary ignored;
      ReachFrom(all, k, seen, ignored);
      roots.push_back(k);
    }
  }
  return roots;
}

const Op* ChooseEntry(const std::vector<const Op*>& functions) {
  const Op* only_public = nullptr;
  int publics = 0;
  for (const Op* function : functions) {
    if (SymbolOf(*function) == "main") return function;
    if (IsPrivate(*function)) continue;
    ++publics;
    only_public = function;
  }
  return publics == 1 ? only_public : functions.empty() ? nullptr : functions[0];
}

// Which parameter's memory a result may take, as the header says it.
void AddAliases(const Op& function, Module& module) {
  const Attr* all = function.Find("arg_attrs");
  if (all == nullptr) return;
  const Attr* results = function.Find("function_type");
  const bool single = results != nullptr && results->type.results.size() == 1;
  std::string text;
  for (size_t i = 0; i < all->array.size(); ++i) {
    const Attr* output = all->array[i].Field("tf.aliasing_output");
    if (output != nullptr) absl::StrAppend(&text, text.empty() ? " " : ", ", single ? "{}" : absl::StrCat("{", output->integer, "}"), ": (", i, ", {}, may-alias)");
  }
  if (!text.empty()) module.header.emplace_back("input_output_alias", absl::StrCat("{", text, " }"));
}

// The functions whose results the program itself finds in its infeed are named in the header: infeed={f, g}. They are computations, too.
void NameInfeed(Converter& converter, Module& module) {
  std::vector<absl::string_view> names;
  for (const std::string& name : converter.infeed()) {
    const Op* function = converter.FindFunction(name);
    const Computation* made = function == nullptr ? nullptr : converter.ConvertEntry(*function);
    if (made != nullptr) names.push_back(made->name);
  }
  if (!names.empty()) module.header.emplace_back("infeed", absl::StrCat("{", absl::StrJoin(names, ", "), "}"));
}

}  // namespace

std::unique_ptr<Module> ReadStableHlo(std::shared_ptr<const SourceText> source, DiagnosticSink& sink) {
  const mlir::File file = mlir::ReadMlir(source, sink);
  auto module = std::make_unique<Module>();
  module->source = source;
  bool first = true;
  for (const auto& part : file.modules) {
    // The first part with functions is the program; the others are only looked through for problems.
    auto other = std::make_unique<Module>();
    other->source = source;
    Module& target = first ? *module : *other;
    Converter converter(file, *part, target, sink);
    if (converter.functions().empty()) {
      target.header.clear();
      continue;
    }
    ReportRepeatedNames(*part, sink);
    stablehlo::CheckSignatures(converter, sink);
    const Op* entry = ChooseEntry(converter.functions());
    Computation* computation = converter.ConvertEntry(*entry);
    // Functions that the entry does not reach are computations too, where their types stand alone.
    const Functions all = Describe(converter.functions());
    absl::flat_hash_set<size_t> seen;
    Summary total;
    ReachFrom(all, std::find(converter.functions().begin(), converter.functions().end(), entry) - converter.functions().begin(), seen, total);
    NameInfeed(converter, target);
    for (size_t k : RootsOfTheRest(all, converter.functions(), seen)) {
      if (HasStaticArguments(*converter.functions()[k])) converter.ConvertEntry(*converter.functions()[k]);
    }
    if (first) AddAliases(*entry, target);
    converter.Finish(computation);
    if (!first && sink.error_count() == 0) Verify(target, sink);
    first = false;
  }
  if (first) {
    if (sink.error_count() == 0) {
      sink.Error(SourceRange{0, 1}, HLO_LABEL("stablehlo.no-function"), "the file has no function with a body", "a program is a module with func.func @main");
    }
    module->Finalize(sink);
  }
  return module;
}

std::vector<StableHloTest> ReadStableHloTests(std::shared_ptr<const SourceText> source, DiagnosticSink& sink) {
  const mlir::File file = mlir::ReadMlir(source, sink);
  std::vector<StableHloTest> tests;
  std::multiset<std::string> names;
  for (size_t part = 0; part < file.modules.size(); ++part) {
    // A function that asserts and takes nothing, and that nobody else calls, is a test; so is one that merely runs.
    Module scratch;
    DiagnosticSink ignored;
    const Converter look(file, *file.modules[part], scratch, ignored);
    const Functions all = Describe(look.functions());
    ReportRepeatedNames(*file.modules[part], sink);
    stablehlo::CheckSignatures(look, sink);
    absl::flat_hash_set<size_t> reached;
    for (size_t k = 0; k < look.functions().size(); ++k) {
      const Op& function = *look.functions()[k];
      if (!function.regions[0]->arguments.empty() || all.called.contains(SymbolOf(function))) continue;
      Summary total;
      absl::flat_hash_set<size_t> seen;
      ReachFrom(all, k, seen, total);
      if (!total.asserts && IsPrivate(function)) continue;
      reached.insert(seen.begin(), seen.end());
      StableHloTest test;
      test.name = SymbolOf(function);
      test.part = static_cast<int>(part);
      test.num_replicas = total.replicas;
      test.num_partitions = total.partitions;
      test.asserts = total.asserts;
      test.range = stablehlo::PlaceOf(function);
      test.module = std::make_unique<Module>();
      test.module->source = source;
      Converter converter(file, *file.modules[part], *test.module, sink);
      Computation* entry = converter.ConvertEntry(function);
      for (const std::string& name : converter.infeed()) {
        // These functions are made of constants, so their results are known now.
        const Op* item = converter.FindFunction(name);
        const Computation* made = item == nullptr ? nullptr : converter.ConvertEntry(*item);
        if (const Value* value = made == nullptr ? nullptr : converter.folder().Fold(made->root)) test.infeed.push_back(*value);
      }
      converter.Finish(entry);
      names.insert(test.name);
      tests.push_back(std::move(test));
    }
    // What no test reaches is not run, but its errors are errors: a call of itself among them.
    for (size_t k : RootsOfTheRest(all, look.functions(), reached)) {
      const Op& function = *look.functions()[k];
      if (!HasStaticArguments(function)) continue;
      StableHloTest test;
      test.name = SymbolOf(function);
      test.part = static_cast<int>(part);
      test.asserts = test.reached = false;
      test.range = stablehlo::PlaceOf(function);
      test.module = std::make_unique<Module>();
      test.module->source = source;
      const int errors = sink.error_count();
      Converter converter(file, *file.modules[part], *test.module, sink);
      converter.Finish(converter.ConvertEntry(function));
      if (sink.error_count() == errors) Verify(*test.module, sink);
      if (sink.error_count() > errors || test.module->entry == nullptr || test.module->entry->in_error) tests.push_back(std::move(test));
    }
  }
  for (StableHloTest& test : tests) {
    if (file.modules.size() > 1 && names.count(test.name) > 1) absl::StrAppend(&test.name, "#", test.part);
  }
  return tests;
}

}  // namespace hloscope
