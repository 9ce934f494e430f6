#include "core/debug/edit_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/debug/calls.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "core/text/mlir/mlir.h"
#include "core/text/stablehlo/stablehlo.h"

namespace hloscope {
namespace {

constexpr int64_t kMostText = 4096;  // elements of a constant that are written out in the text

// Values that the text leaves out, `{...}`: those of the same constants before.
void TakeOverLiterals(const Module& before, Module& after) {
  for (const Computation* computation : after.computations) {
    const Computation* old_computation = nullptr;
    for (Instruction* i : computation->instructions) {
      if (i->literal == nullptr || !i->literal->elided || i->literal->value.has_value()) continue;
      if (old_computation == nullptr) old_computation = before.FindComputation(computation->name);
      const Instruction* old = old_computation == nullptr ? nullptr : old_computation->FindInstruction(i->name);
      if (old == nullptr || old->literal == nullptr || !old->literal->value.has_value() || !Shape::Compatible(old->shape, i->shape)) continue;
      i->literal->value = old->literal->value;
      i->literal->elided = old->literal->elided;
    }
  }
}

// The names that a text of another language had, where that is HLO now: %0 of v0.
void TakeOverNames(const Module& before, Module& after) {
  for (const Computation* old : before.computations) {
    if (old->by_name.size() == old->instructions.size()) continue;
    Computation* computation = after.FindComputation(old->name);
    if (computation == nullptr) continue;
    for (const auto& [written, instruction] : old->by_name) {
      Instruction* now = written == instruction->name ? nullptr : computation->FindInstruction(instruction->name);
      if (now != nullptr) computation->by_name.emplace(after.Intern(written), now);
    }
  }
}

// With a warning inside of `written` nothing is made either: what was just written there would be ignored.
absl::StatusOr<std::unique_ptr<Module>> Read(const Module& before, std::string name, std::string text, SourceRange written = {}) {
  const auto source = std::make_shared<SourceText>(std::move(name), std::move(text));
  DiagnosticSink sink;
  const bool stablehlo = mlir::LooksLikeMlir(source->text());
  std::unique_ptr<Module> module = stablehlo ? ReadStableHlo(source, sink) : ReadHloText(source, sink);
  if (module != nullptr) Verify(*module, sink);
  const auto wrong = [&](const Diagnostic& d) {
    return d.severity == Severity::kError || (d.severity == Severity::kWarning && written.valid() && d.range.begin >= written.begin && d.range.begin < written.end);
  };
  if (std::none_of(sink.diagnostics().begin(), sink.diagnostics().end(), wrong) && module != nullptr && module->entry != nullptr) {
    TakeOverLiterals(before, *module);
    if (!stablehlo) TakeOverNames(before, *module);
    return module;
  }
  sink.SortByPlace();
  std::string problems;
  int shown = 0;
  for (const Diagnostic& d : sink.diagnostics()) {
    if (!wrong(d)) continue;
    if (++shown <= 5) absl::StrAppend(&problems, Render(d, *source));
  }
  if (shown > 5) absl::StrAppend(&problems, "and ", shown - 5, " more\n");
  if (problems.empty()) problems = "there is no entry computation\n";
  const bool ignored = module != nullptr && module->entry != nullptr && sink.error_count() == 0;
  return absl::InvalidArgumentError(absl::StrCat(problems, ignored ? "So the edit would change nothing; the program stays as it is." : "The edited program is wrong; the old one stays."));
}

// The module's program as HLO text with places: its own source where that is HLO text, else printed.
struct Text {
  const Module* module = nullptr;
  std::unique_ptr<Module> printed;
  const Instruction* Same(const Instruction& i) const {
    if (printed == nullptr) return &i;
    const Computation* computation = printed->FindComputation(i.parent->name);
    return computation == nullptr ? nullptr : computation->FindInstruction(i.name);
  }
  absl::string_view all() const { return module->source->text(); }
  std::string With(SourceRange range, absl::string_view text) const {
    return absl::StrCat(all().substr(0, range.begin), text, all().substr(range.end));
  }
};

bool IsOwnText(const Module& module, const Instruction& i) {
  if (module.source == nullptr || !i.range.valid() || i.range.end > static_cast<int64_t>(module.source->text().size())) return false;
  if (mlir::LooksLikeMlir(module.source->text())) return false;
  const absl::string_view own = module.source->text().substr(i.range.begin, i.range.end - i.range.begin);
  return absl::StrContains(own, i.name) && absl::StrContains(own, Name(i.opcode));
}

absl::StatusOr<Text> TextOf(const Module& module, const Instruction& i) {
  Text text;
  text.module = &module;
  if (IsOwnText(module, i)) return text;
  PrintOptions print;
  print.max_literal_elements = kMostText;
  DiagnosticSink sink;
  const std::string name = module.source != nullptr ? module.source->name() : std::string("<printed>");
  text.printed = ReadHloText(std::make_shared<SourceText>(absl::StrCat(name, ".hlo"), PrintHloText(module, print)), sink);
  if (sink.error_count() > 0) return absl::InternalError("the program's own text cannot be read back; edit a file instead");
  text.module = text.printed.get();
  return text;
}

absl::Status NotInText(const Instruction& i) { return absl::InternalError(absl::StrCat(ShownName(i), " is not found in the program's text; edit a file instead")); }

// Between the parentheses of constant(...).
absl::StatusOr<SourceRange> LiteralRange(const Text& text, const Instruction& i) {
  const absl::string_view own = text.all().substr(i.range.begin, i.range.end - i.range.begin);
  size_t open = own.find(absl::StrCat(" ", Name(i.opcode), "("));
  if (open == absl::string_view::npos) return NotInText(i);
  open = own.find('(', open);
  int depth = 0;
  for (size_t k = open; k < own.size(); ++k) {
    if (own[k] == '(') ++depth;
    if (own[k] == ')' && --depth == 0) return SourceRange{i.range.begin + static_cast<int32_t>(open) + 1, i.range.begin + static_cast<int32_t>(k)};
  }
  return NotInText(i);
}

absl::Status NeedConstant(const Module& module, const Instruction& i) {
  if (i.literal != nullptr) return absl::OkStatus();
  std::vector<std::string> elsewhere;  // as in StableHLO a value of a function is known by its name in the regions inside of it
  for (const Computation* c : module.computations) {
    const Instruction* same = c->FindInstruction(i.name);
    if (same != nullptr && same->literal != nullptr) elsewhere.push_back(absl::StrCat("%", c->name, ":", NameInText(*same)));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      ShownName(i), " is no constant in ", i.parent->name, " but ", Name(i.opcode), "; ",
      elsewhere.empty() ? "" : absl::StrCat(absl::StrJoin(elsewhere, " and "), elsewhere.size() == 1 ? " is one" : " are", " (edit ", elsewhere[0], " = VALUE); "), "edit ", ShownName(i),
      " ATTRIBUTE=VALUE changes an attribute, set ", ShownName(i), " = ... a value"));
}

}  // namespace

namespace {

const Instruction* Named(const Module& module, absl::string_view computation, absl::string_view name) {
  const Computation* home = module.FindComputation(computation);
  return home == nullptr ? nullptr : home->FindInstruction(name);
}

absl::StatusOr<std::unique_ptr<Module>> WithOneConstantText(const Module& module, const Instruction& constant, absl::string_view value) {
  if (absl::Status status = NeedConstant(module, constant); !status.ok()) return status;
  const absl::StatusOr<Text> text = TextOf(module, constant);
  if (!text.ok()) return text.status();
  const Instruction* i = text->Same(constant);
  if (i == nullptr) return NotInText(constant);
  const absl::StatusOr<SourceRange> range = LiteralRange(*text, *i);
  if (!range.ok()) return range.status();
  return Read(module, text->module->source->name(), text->With(*range, value));
}

absl::StatusOr<std::unique_ptr<Module>> WithOneConstant(const Module& module, const Instruction& constant, const Value& value) {
  const bool large = value.element_count() > kMostText;
  absl::StatusOr<std::unique_ptr<Module>> made = WithOneConstantText(module, constant, large ? std::string("{...}") : PrintLiteral(value));
  if (!made.ok()) return made;
  const Computation* computation = (*made)->FindComputation(constant.parent->name);
  Instruction* i = computation == nullptr ? nullptr : computation->FindInstruction(constant.name);
  if (i == nullptr || i->literal == nullptr) return NotInText(constant);
  i->literal->value = value;  // every bit of it
  i->literal->elided = false;
  return made;
}

// The constant and its copies changed, one after the other.
absl::StatusOr<std::unique_ptr<Module>> WithAll(const Module& module, const Instruction& constant, const Module* origin,
                                                const std::function<absl::StatusOr<std::unique_ptr<Module>>(const Module&, const Instruction&)>& change) {
  std::vector<std::pair<std::string, std::string>> copies;  // computation, name: they stay when a program is read again
  for (const Instruction* copy : CopiesOf(module, constant, origin)) copies.emplace_back(copy->parent->name, copy->name);
  absl::StatusOr<std::unique_ptr<Module>> made = change(module, constant);
  for (const auto& [computation, name] : copies) {
    if (!made.ok()) return made;
    const Instruction* copy = Named(**made, computation, name);
    if (copy == nullptr) return NotInText(constant);
    made = change(**made, *copy);
  }
  return made;
}

std::vector<const Instruction*> FromTheSamePlace(const Module& module, const Instruction& constant) {
  std::vector<const Instruction*> copies;
  if (!constant.range.valid()) return copies;
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      const bool same = i != &constant && i->literal != nullptr && i->range.begin == constant.range.begin && i->range.end == constant.range.end;
      if (same) copies.push_back(i);
    }
  }
  return copies;
}

}  // namespace

std::vector<const Instruction*> CopiesOf(const Module& module, const Instruction& constant, const Module* origin) {
  if (origin == nullptr || constant.literal == nullptr) return FromTheSamePlace(module, constant);
  const Instruction* first = Named(*origin, constant.parent->name, constant.name);
  std::vector<const Instruction*> copies;
  if (first == nullptr) return copies;  // an edit has made it
  for (const Instruction* copy : FromTheSamePlace(*origin, *first)) {
    const Instruction* now = Named(module, copy->parent->name, copy->name);
    if (now != nullptr && now->literal != nullptr && now->shape == constant.shape) copies.push_back(now);
  }
  return copies;
}

namespace {

// StableHLO's sizes that are values become part of the shapes when the text is read; a constant that only they were made from is read by nobody.
absl::Status NeedReader(const Module& module, const Instruction& constant) {
  if (constant.literal == nullptr || module.source == nullptr || !mlir::LooksLikeMlir(module.source->text()) || IsUsed(constant))
    return absl::OkStatus();
  for (const Instruction* copy : FromTheSamePlace(module, constant)) {
    if (IsUsed(*copy)) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("nothing reads ", ShownName(constant), " when the program runs: sizes were made from it when the text was read; change it in the file, and edit FILE reads that"));
}

// An integer constant of StableHLO is changed in that text, which is then read anew: shapes and attributes may be made from it. Nothing: it is
// not written there as dense<...>. What does not fit the types that the text gives is told as of a file.
std::optional<absl::StatusOr<std::unique_ptr<Module>>> WithDense(const Module& module, const Instruction& constant, absl::string_view text) {
  if (constant.literal == nullptr || module.source == nullptr || !constant.range.valid() || !mlir::LooksLikeMlir(module.source->text())) return std::nullopt;
  const ElementType type = constant.shape.element_type();
  const absl::string_view all = module.source->text();
  if ((!IsInteger(type) && !IsPred(type)) || constant.range.end > static_cast<int64_t>(all.size())) return std::nullopt;
  const absl::string_view own = all.substr(constant.range.begin, constant.range.end - constant.range.begin);
  const size_t open = own.find("dense<"), begin = open + 6;
  const size_t end = open == absl::string_view::npos ? open : own.find('>', begin);
  if (end == absl::string_view::npos || !absl::StrContains(own.substr(0, open), "constant")) return std::nullopt;
  const std::string written = absl::StrReplaceAll(text, {{"{", "["}, {"}", "]"}});
  const auto at = static_cast<size_t>(constant.range.begin);
  return Read(module, module.source->name(), absl::StrCat(all.substr(0, at + begin), written, all.substr(at + end)),
              {static_cast<int32_t>(at + begin), static_cast<int32_t>(at + begin + written.size())});
}

}  // namespace

namespace {

// A literal as StableHLO writes it, dense<[1, 2]> : tensor<2xi32>, as HLO does: {1, 2}.
std::string LiteralText(absl::string_view text) {
  absl::string_view inside = text;
  const size_t end = text.rfind('>', text.rfind("> :"));
  if (!absl::ConsumePrefix(&inside, "dense<") || end == absl::string_view::npos) return std::string(text);
  inside = text.substr(6, end - 6);
  return absl::StrReplaceAll(inside, {{"[", "{"}, {"]", "}"}});
}

// The same but for the values of these constants.
bool SameButFor(const Module& a, const Module& b, const absl::flat_hash_set<std::string>& constants) {
  const auto same = [&](const Instruction* x, const Instruction* y) {
    const bool changed = x->literal != nullptr && constants.contains(absl::StrCat(x->parent->name, ":", x->name));
    if (changed) return y->literal != nullptr && x->name == y->name && x->shape.ToString(true) == y->shape.ToString(true);
    return PrintInstruction(*x, PrintOptions()) == PrintInstruction(*y, PrintOptions());
  };
  return std::equal(a.computations.begin(), a.computations.end(), b.computations.begin(), b.computations.end(),
                    [&](const Computation* x, const Computation* y) {
                      return x->name == y->name &&
                             std::equal(x->schedule.begin(), x->schedule.end(), y->schedule.begin(), y->schedule.end(), same);
                    });
}

// One number for an array: each element is that. Nothing: it is no number.
std::optional<Value> Splat(const Shape& shape, absl::string_view text) {
  if (!shape.IsArray() || shape.rank() == 0 || text.find_first_of("{}[]()") != absl::string_view::npos) return std::nullopt;
  const std::string one = absl::StrCat("HloModule one ENTRY e { ROOT c = ", Name(shape.element_type()), "[] constant(", text, ") }");
  DiagnosticSink sink;
  const std::unique_ptr<Module> read = ReadHloText(std::make_shared<SourceText>("one", one), sink);
  if (read == nullptr || sink.error_count() > 0 || read->entry == nullptr || read->entry->root->literal == nullptr) return std::nullopt;
  const Value& number = read->entry->root->literal->value;
  Value all = Value::Allocate(Shape::Array(shape.element_type(), shape.dimensions()), nullptr);
  if (!all.has_value() || !number.has_value()) return std::nullopt;
  const int64_t bytes = StorageBytes(shape.element_type());
  for (int64_t k = 0; k < all.element_count(); ++k) std::copy_n(number.data(), bytes, all.mutable_data() + k * bytes);
  return all;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> WithConstantText(const Module& module, const Instruction& constant, absl::string_view written,
                                                         const Module* origin) {
  const std::string text = LiteralText(written);
  if (auto dense = WithDense(module, constant, text); dense.has_value()) return *std::move(dense);
  if (constant.literal != nullptr) {
    if (const std::optional<Value> all = Splat(constant.shape, text); all.has_value()) return WithConstant(module, constant, *all, origin);
  }
  if (absl::Status read = NeedReader(module, constant); !read.ok()) return read;
  return WithAll(module, constant, origin, [text](const Module& m, const Instruction& c) { return WithOneConstantText(m, c, text); });
}

// What the change would make of the StableHLO text must be a change of the value alone.
absl::Status NeedValueAlone(const Module* origin, const Instruction& constant, absl::string_view written) {
  if (origin == nullptr || constant.literal == nullptr) return absl::OkStatus();
  const std::string text = LiteralText(written);
  const Instruction* first = Named(*origin, constant.parent->name, constant.name);
  if (first == nullptr) return absl::OkStatus();  // an edit has made it
  auto changed = WithDense(*origin, *first, text);
  if (!changed.has_value()) return absl::OkStatus();
  absl::flat_hash_set<std::string> constants = {absl::StrCat(constant.parent->name, ":", constant.name)};
  for (const Instruction* copy : FromTheSamePlace(*origin, *first)) constants.insert(absl::StrCat(copy->parent->name, ":", copy->name));
  if (changed->ok() && SameButFor(*origin, ***changed, constants)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("sizes or attributes were made from ", ShownName(constant),
                   " when the StableHLO text was read, and the program is HLO since it was edited: only the value would change. Edit %",
                   constant.name, " before other things, or change it in the file (edit FILE)"));
}

absl::StatusOr<std::unique_ptr<Module>> WithConstant(const Module& module, const Instruction& constant, const Value& value,
                                                     const Module* origin) {
  if (value.element_count() <= kMostText) {
    if (auto dense = WithDense(module, constant, PrintLiteral(value)); dense.has_value()) return *std::move(dense);
  }
  if (absl::Status read = NeedReader(module, constant); !read.ok()) return read;
  return WithAll(module, constant, origin, [&value](const Module& m, const Instruction& c) { return WithOneConstant(m, c, value); });
}

absl::StatusOr<std::unique_ptr<Module>> WithAttribute(const Module& module, const Instruction& instruction, absl::string_view attribute) {
  const absl::StatusOr<Text> text = TextOf(module, instruction);
  if (!text.ok()) return text.status();
  const Instruction* i = text->Same(instruction);
  if (i == nullptr) return NotInText(instruction);
  const absl::string_view name = absl::StripAsciiWhitespace(attribute.substr(0, attribute.find('=')));
  const auto with = [&](SourceRange range, std::string words) {
    const SourceRange written = {range.begin, range.begin + static_cast<int32_t>(words.size())};
    return Read(module, text->module->source->name(), text->With(range, words), written);
  };
  for (const Attribute& each : i->attributes) {
    if ((each.name.empty() ? Info(each.id).name : each.name) == name && each.range.valid()) return with(each.range, std::string(attribute));
  }
  if (AttrIdFromName(name) == AttrId::kUnknown) return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no attribute that instructions have; explain ", ShownName(*i), " lists them"));
  return with({i->range.end, i->range.end}, absl::StrCat(", ", attribute));
}

absl::StatusOr<std::unique_ptr<Module>> ReadEdited(const Module& module, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot open ", path, ": ", std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  return Read(module, path, text.str());
}

}  // namespace hloscope
