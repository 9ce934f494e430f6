// Operations: result names, the generic form, regions, the scopes of values, and how reading goes on after a problem.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/nearest_name.h"
#include "core/text/mlir/reader.h"

namespace hloscope::mlir {

// --- values ---

void Reader::Define(absl::string_view name, SsaValue* value, SourceRange range) {
  if (scope_.try_emplace(name, value).second) {
    defined_.push_back(name);
  } else {
    Error(range, HLO_LABEL("mlir.redefined-value"), absl::StrCat("the value ", name, " is defined twice"), "give one of them another name");
  }
}

SsaValue* Reader::Lookup(absl::string_view name) {
  auto found = scope_.find(name);
  if (found == scope_.end() && absl::EndsWith(name, "#0")) found = scope_.find(name.substr(0, name.size() - 2));
  return found == scope_.end() ? nullptr : found->second;
}

SsaValue* Reader::AddArgument(Region* region, absl::string_view name, Type type, SourceRange range) {
  auto value = std::make_unique<SsaValue>();
  value->name = std::string(name);
  value->type = std::move(type);
  value->region = region;
  value->number = static_cast<int>(region->arguments.size());
  region->arguments.push_back(std::move(value));
  SsaValue* argument = region->arguments.back().get();
  if (!name.empty()) Define(name, argument, range);
  return argument;
}

// At %name. A name that is not known is reported once; the operation is then without that operand.
bool Reader::ReadOperand(Op* op) {
  if (token_.kind != TokenKind::kValue) return Unexpected("an operand", "here");
  const absl::string_view name = TokenText();
  if (SsaValue* value = Lookup(name)) {
    op->operands.push_back(value);
    op->operand_ranges.push_back(TokenRange());
  } else {
    problem_in_op_ = true;
    if (reported_undefined_.insert(name).second) {
      const size_t pack = name.find('#');
      if (pack != absl::string_view::npos && scope_.contains(name.substr(0, pack))) {
        Error(TokenRange(), HLO_LABEL("mlir.undefined-value"), absl::StrCat(name.substr(0, pack), " has no result ", name.substr(pack + 1)),
              "results are numbered from 0");
      } else {
        NearestName nearest(name.substr(1), &suggestion_budget_);
        for (const absl::string_view other : defined_) nearest.Offer(other.substr(1));
        const std::string hint = nearest.Hint("%");
        Error(TokenRange(), HLO_LABEL("mlir.undefined-value"), absl::StrCat("the value ", name, " is not defined before this place"),
              hint.empty() ? "values are visible in their region and the ones inside it; functions see only their own" : hint);
      }
    }
  }
  last_end_ = token_.end;
  Advance();
  return true;
}

void Reader::SetResultTypes(Op* op, std::vector<Type> types) {
  op->results.clear();
  for (Type& type : types) {
    auto value = std::make_unique<SsaValue>();
    value->type = std::move(type);
    value->op = op;
    value->number = static_cast<int>(op->results.size());
    op->results.push_back(std::move(value));
  }
}

// Whether the type of operand `i` could be written where types[i] is: nothing else stands there, or only operands of that type.
static bool IsOfOneType(const Op& op, const std::vector<Type>& types, size_t i) {
  const Type& has = op.operands[i]->type;
  if (!types[i].range.valid() || has.text.empty()) return false;
  for (size_t j = 0; j < types.size(); ++j) {
    if (types[j].range.begin == types[i].range.begin && !SameType(op.operands[j]->type, has)) return false;
  }
  return true;
}

bool Reader::CheckOperandTypes(Op* op, const std::vector<Type>& types, SourceRange range) {
  if (op->operands.size() != types.size()) return true;  // one of them is not defined, which was reported
  for (size_t i = 0; i < types.size(); ++i) {
    const Type& has = op->operands[i]->type;
    if (has.kind == Type::Kind::kNone || types[i].kind == Type::Kind::kNone || SameType(has, types[i])) continue;
    const bool own = IsOfOneType(*op, types, i);
    return Error(
        own ? types[i].range : op->operand_ranges[i], HLO_LABEL("mlir.operand-type"),
        absl::StrCat(op->operands[i]->name, " has the type ", TypeText(has), ", but ", op->name, " takes it as ", TypeText(types[i])),
        own ? absl::StrCat("did you mean '", has.text, "'?") : "write the type that the value was defined with");
  }
  return true;
}

bool Reader::ApplyFunctionType(Op* op, int written_operands, const std::vector<Type>& operands, const std::vector<Type>& results,
                               SourceRange range) {
  SetResultTypes(op, results);
  if (static_cast<int>(operands.size()) != written_operands) {
    Error(range, HLO_LABEL("mlir.operand-count"),
          absl::StrCat(op->name, " has ", written_operands, " operands, but its type lists ", operands.size()));
    return true;
  }
  CheckOperandTypes(op, operands, range);
  return true;
}

// --- statements ---

// From a result name (`%a`, `%a:2, %b`) to the `=` after the last, or -1.
int32_t Reader::AfterResultNames(int32_t position) const {
  const int32_t end = scanner_.end();
  auto skip = [&](int32_t i) {
    while (i < end && (text_[i] == ' ' || text_[i] == '\t')) ++i;
    return i;
  };
  for (int32_t i = position;;) {
    if (i >= end || text_[i] != '%') return -1;
    for (++i; i < end && (IsNameCharacter(text_[i]) || text_[i] == '-'); ++i) {
    }
    i = skip(i);
    if (i < end && text_[i] == ':') {
      i = skip(i + 1);
      if (i >= end || !IsDigit(text_[i])) return -1;
      while (i < end && IsDigit(text_[i])) ++i;
      i = skip(i);
    }
    if (i < end && text_[i] == '=') return i;
    if (i >= end || text_[i] != ',') return -1;
    i = skip(i + 1);
    if (i < end && text_[i] == '\n') i = skip(i + 1);
  }
}

// Whether an operation or an alias seems to begin at this first character of a line.
bool Reader::StartsStatement(int32_t i) const {
  const int32_t end = scanner_.end();
  if (i >= end) return true;
  const char c = text_[i];
  if (c == '%') return AfterResultNames(i) >= 0;
  if (c == '"') {
    for (++i; i < end && IsNameCharacter(text_[i]); ++i) {
    }
    return i + 1 < end && text_[i] == '"' && text_[i + 1] == '(';
  }
  if (c == '#' || c == '!') {
    for (++i; i < end && IsNameCharacter(text_[i]); ++i) {
    }
    while (i < end && text_[i] == ' ') ++i;
    return i < end && text_[i] == '=';
  }
  if (c == '{') return absl::StartsWith(text_.substr(i, end - i), "{-#");
  if (!IsNameStart(c)) return false;
  const int32_t begin = i;
  while (i < end && IsNameCharacter(text_[i])) ++i;
  const absl::string_view word = Text(begin, i);
  if (!absl::StrContains(word, '.') && FullOperationName(word).empty()) return false;
  while (i < end && text_[i] == ' ') ++i;
  return i >= end || text_[i] != '=';
}

// After a problem in the statement that begins at `begin`: to the next line that begins a statement, past whole regions, or to the '}' that
// ends this one. A '{' at the end of its line opens a region or a long list of attributes; one inside a line may have lost its '}'.
void Reader::Recover(int32_t begin) {
  const int32_t end = scanner_.end();
  const int32_t problem = token_.begin;
  if (token_.kind == TokenKind::kEnd) return;
  int regions = 0, lists = 0;
  auto blank_after = [&](int32_t i) {
    while (i < end && (text_[i] == ' ' || text_[i] == '\t' || text_[i] == '\r')) ++i;
    return i >= end || text_[i] == '\n';
  };
  int32_t i = begin;
  for (; i < end; ++i) {
    const char c = text_[i];
    if (i == problem && regions == 0 && i > begin && token_.after_newline && StartsStatement(i)) break;
    if (c == '"') {
      int32_t j = i + 1;
      while (j < end && text_[j] != '"' && text_[j] != '\n') j += text_[j] == '\\' && j + 1 < end && text_[j + 1] != '\n' ? 2 : 1;
      i = j < end && text_[j] == '"' ? j : j - 1;
    } else if (c == '/' && i + 1 < end && text_[i + 1] == '/') {
      while (i + 1 < end && text_[i + 1] != '\n') ++i;
    } else if (c == '{') {
      ++(blank_after(i + 1) ? regions : lists);
    } else if (c == '}') {
      if (lists > 0 && !(regions == 0 && blank_after(i + 1) && i >= problem)) {
        --lists;
      } else if (regions > 0) {
        --regions;
      } else if (i >= problem) {
        break;
      }
    } else if (c == '\n' && i >= problem) {
      int32_t j = i + 1;
      while (j < end && (text_[j] == ' ' || text_[j] == '\t')) ++j;
      const absl::string_view rest = text_.substr(j, std::min(end - j, 9));
      if ((regions == 0 && StartsStatement(j)) || rest == "func.func" || absl::StartsWith(rest, "module ")) {
        i = j;
        break;
      }
    }
  }
  Seek(std::max(i, problem));
}

void Reader::ReadStatement(Region* region) {
  const int32_t begin = token_.begin;
  if (!ReadOp(region)) Recover(begin);
}

bool Reader::ReadResultNames(std::vector<ResultName>* names) {
  do {
    if (token_.kind != TokenKind::kValue) return Unexpected("a result's name", "before '='");
    ResultName result;
    result.name = TokenText();
    result.range = TokenRange();
    last_end_ = token_.end;
    Advance();
    if (Take(':')) {
      if (token_.kind != TokenKind::kInteger || !absl::SimpleAtoi(TokenText(), &result.count) || result.count < 1 ||
          result.count > 1 << 20) {
        return Error(TokenRange(), HLO_LABEL("mlir.result-count"), absl::StrCat("expected a number of results, found ", Shown(token_)),
                     "several results are named %name:count");
      }
      last_end_ = token_.end;
      Advance();
    }
    names->push_back(result);
  } while (Take(','));
  return Expect('=', "after the results' names");
}

bool Reader::CheckResultCount(Op* op, const std::vector<ResultName>& names, SourceRange range) {
  if (names.empty()) return true;
  size_t count = 0;
  for (const ResultName& name : names) count += name.count;
  if (count == op->results.size()) return true;
  return Error(range, HLO_LABEL("mlir.result-count"),
               absl::StrCat(count, count == 1 ? " result is" : " results are", " named, but ", op->name, " has ", op->results.size()),
               op->results.size() > 1 ? absl::StrCat("name them all: ", names[0].name, ":", op->results.size()) : "");
}

void Reader::DefineResults(Op* op, const std::vector<ResultName>& names) {
  size_t number = 0;
  for (const ResultName& name : names) {
    for (int i = 0; i < name.count; ++i, ++number) {
      if (number == op->results.size()) {
        if (number > 4096) return;  // a count that was mistyped
        op->results.push_back(std::make_unique<SsaValue>());
        op->results.back()->op = op;
        op->results.back()->number = static_cast<int>(number);
      }
      SsaValue* value = op->results[number].get();
      value->name = name.count == 1 ? std::string(name.name) : absl::StrCat(name.name, "#", i);
      if (i == 0) {
        Define(name.name, value, name.range);
      } else {
        Define(value->name, value, name.range);
      }
    }
  }
}

bool Reader::ReadOp(Region* region) {
  if (!Enter()) {
    // Past what is too deep, or past everything when even that has no end.
    const int32_t close = SkipBalanced(token_.begin, '}');
    Seek(close < 0 ? scanner_.end() : close);
    return true;
  }
  const bool outer_problem = problem_in_op_;
  const int outer_results = pending_results_;
  const int32_t begin = token_.begin;
  problem_in_op_ = false;
  auto owned = std::make_unique<Op>();
  Op* op = owned.get();
  op->parent = region;
  std::vector<ResultName> names;
  bool ok = true;
  if (token_.kind == TokenKind::kValue) {
    ok = ReadResultNames(&names);
    if (!ok) names.clear();
  }
  pending_results_ = 0;
  for (const ResultName& name : names) pending_results_ += name.count;
  if (ok) {
    op->name_range = TokenRange();
    if (token_.kind == TokenKind::kString) {
      ok = ReadGeneric(op);
    } else if (token_.kind == TokenKind::kIdentifier) {
      ok = ReadPretty(op);
    } else {
      ok = Unexpected("an operation", "here");
    }
    if (ok) ok = ReadTrailingLocation(&op->location);
  }
  op->range = RangeFrom(begin);
  if (ok) CheckResultCount(op, names, names.empty() ? op->name_range : names[0].range);
  DefineResults(op, names);
  op->in_error = !ok || problem_in_op_;
  problem_in_op_ = outer_problem;
  pending_results_ = outer_results;
  if (!op->name.empty() || !op->results.empty()) region->ops.push_back(std::move(owned));
  Leave();
  return ok;
}

// VHLO is StableHLO as it is kept between versions; one of its operations means that all are. Told once.
void Reader::ReportVhlo(absl::string_view name) {
  if (vhlo_reported_ || !absl::StartsWith(name, "vhlo.")) return;
  vhlo_reported_ = true;
  Error(TokenRange(), HLO_LABEL("mlir.vhlo"), "this is VHLO, the form in which StableHLO is exchanged between versions",
        "convert it: stablehlo-opt --vhlo-to-version=target=current --vhlo-legalize-to-stablehlo, or stablehlo-translate --deserialize for "
        "an artifact");
}

// "name"(operands) <{properties}> ({regions}) {attributes} : (types) -> types
bool Reader::ReadGeneric(Op* op) {
  op->name = Unescape(TokenText());
  if (op->name.empty()) return Error(TokenRange(), HLO_LABEL("mlir.operation-name"), "an operation has a name");
  ReportVhlo(op->name);
  last_end_ = token_.end;
  Advance();
  if (!Expect('(', "before the operands")) return false;
  int written = 0;
  if (!Take(')')) {
    do {
      if (!ReadOperand(op)) return false;
      ++written;
    } while (Take(','));
    if (!Expect(')', "after the operands")) return false;
  }
  if (Is('[')) {
    return Error(TokenRange(), HLO_LABEL("mlir.several-blocks"), "operations with successor blocks are not read",
                 "StableHLO programs have regions of one block");
  }
  if (Take('<')) {
    if (!ReadDictionary(&op->attributes) || !Expect('>', "after the properties")) return false;
  }
  const bool isolated = op->name == "func.func" || op->name == "builtin.module";
  if (Take('(')) {
    do {
      if (!ReadRegion(op, isolated)) return false;
    } while (Take(','));
    if (!Expect(')', "after the regions")) return false;
  }
  if (Is('{') && !ReadDictionary(&op->attributes)) return false;
  if (!Expect(':', "and a function type at the end of the generic form")) return false;
  Type type;
  const int32_t begin = token_.begin;
  if (!ReadFunctionType(&type)) return false;
  return ApplyFunctionType(op, written, type.elements, type.results, RangeFrom(begin));
}

// --- regions ---

// At '{'. `arguments` are those that the operation's own form names; a generic region has them in its block's label.
bool Reader::ReadRegion(Op* op, bool isolated, std::vector<std::pair<Written, Type>> arguments, bool may_have_label) {
  if (!Is('{')) return Unexpected("'{'", "before a region");
  op->regions.push_back(std::make_unique<Region>());
  Region* region = op->regions.back().get();
  region->parent = op;
  Scope outer_scope;
  std::vector<absl::string_view> outer_defined;
  if (isolated) {
    outer_scope.swap(scope_);
    outer_defined.swap(defined_);
  }
  const size_t mark = defined_.size();
  for (auto& [written, type] : arguments) AddArgument(region, written.name, std::move(type), written.range);
  last_end_ = token_.end;
  Advance();
  const bool ok = ReadBody(region, may_have_label);
  while (defined_.size() > mark) {
    scope_.erase(defined_.back());
    defined_.pop_back();
  }
  if (isolated) {
    outer_scope.swap(scope_);
    outer_defined.swap(defined_);
  }
  return ok;
}

// ^bb0(%a: tensor<f32> loc(...), ...):
bool Reader::ReadBlockLabel(Region* region) {
  last_end_ = token_.end;
  Advance();
  if (Take('(') && !Take(')')) {
    do {
      if (token_.kind != TokenKind::kValue) return Unexpected("an argument", "in a block's label");
      const Token name = token_;
      Advance();
      Type type;
      Location location;
      if (!Expect(':', "after an argument's name") || !ReadType(&type) || !ReadTrailingLocation(&location)) return false;
      AddArgument(region, Text(name), std::move(type), {name.begin, name.end});
      region->argument_locations.push_back(std::move(location));
    } while (Take(','));
    if (!Expect(')', "after a block's arguments")) return false;
  }
  return Expect(':', "after a block's label");
}

bool Reader::ReadBody(Region* region, bool may_have_label) {
  const int32_t begin = last_end_;
  if (may_have_label && token_.kind == TokenKind::kBlock && !ReadBlockLabel(region)) Recover(token_.begin);
  while (!Take('}')) {
    if (token_.kind == TokenKind::kEnd) {
      if (unclosed_reported_) return false;  // the ones around it are not closed either
      unclosed_reported_ = true;
      return Error({begin - 1, begin}, HLO_LABEL("mlir.syntax"), "this region is not closed before the end of the text", "write the '}'");
    }
    if (token_.kind == TokenKind::kBlock) {
      Error(TokenRange(), HLO_LABEL("mlir.several-blocks"), "a region has only one block here",
            "StableHLO programs have regions of one block");
      const int32_t close = SkipBalanced(token_.begin, '}');
      if (close < 0) return false;
      Seek(close);
      continue;
    }
    const int32_t before = token_.begin;
    if (token_.kind == TokenKind::kHash || token_.kind == TokenKind::kBang) {  // aliases stand outside; read them all the same
      if (!ReadAliasDefinition()) Recover(before);
    } else {
      ReadStatement(region);
    }
    if (token_.begin == before && token_.kind != TokenKind::kEnd && !Is('}')) Advance();
  }
  return true;
}

}  // namespace hloscope::mlir
