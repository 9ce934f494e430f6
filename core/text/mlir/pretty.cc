// Pretty forms by the table: operands, fields and types in the order in which they are written.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/nearest_name.h"
#include "core/text/mlir/reader.h"

namespace hloscope::mlir {
// At an identifier.
bool Reader::ReadPretty(Op* op) {
  const absl::string_view written = TokenText();
  const absl::string_view full = FullOperationName(written);
  if (full.empty() && !absl::StrContains(written, '.')) {
    return Error(TokenRange(), HLO_LABEL("mlir.operation-name"), absl::StrCat("'", written, "' is no operation's name"),
                 "operations are named dialect.name: stablehlo.add, func.func");
  }
  op->name = std::string(full.empty() ? written : full);
  ReportVhlo(op->name);
  if (absl::StartsWith(op->name, "vhlo.")) return false;
  last_end_ = token_.end;
  Advance();
  Draft draft;
  draft.form = FindPrettyForm(op->name);
  if (draft.form != nullptr) {
    if (draft.form->special != SpecialForm::kNone) return ReadSpecial(op, *draft.form);
    draft.filled.resize(draft.form->fields.size());
  }
  if (!ReadItems(op, &draft) || !ReadOptionalDictionary(op)) return false;
  // A region of an operation that the table does not know.
  while (draft.form == nullptr && Is('{')) {
    if (!ReadRegion(op, false)) return false;
  }
  return ReadSignature(op, draft) && ReadOptionalDictionary(op);
}

// [attributes] {...}, if it is one.
bool Reader::ReadOptionalDictionary(Op* op) {
  if (IsWord("attributes")) {
    Advance();
    if (!Is('{')) return Unexpected("'{'", "after 'attributes'");
  } else if (!Is('{') || !LooksLikeDictionary()) {
    return true;
  }
  return ReadDictionary(&op->attributes);
}

bool Reader::ReadItems(Op* op, Draft* draft) {
  bool stop = false;
  while (!stop) {
    if (!ReadItem(op, draft, &stop)) return false;
  }
  if (draft->parens > 0) return Unexpected("')'", "after the operands");
  return true;
}

bool Reader::ReadItem(Op* op, Draft* draft, bool* stop) {
  switch (token_.kind) {
    case TokenKind::kValue: {
      // On a new line it may be the next operation's result.
      if (draft->parens == 0 && token_.after_newline && AfterResultNames(token_.begin) >= 0) {
        *stop = true;
        return true;
      }
      if (!ReadOperand(op)) return false;
      ++draft->written_operands;
      break;
    }
    case TokenKind::kIdentifier: {
      int32_t after = token_.end;
      while (scanner_.At(after) == ' ' || scanner_.At(after) == '\t') ++after;
      if (scanner_.At(after) == '=') return ReadKeyword(op, draft);
      const absl::string_view word = TokenText();
      if (word == "attributes" || (word == "loc" && scanner_.At(token_.end) == '(')) {
        *stop = true;
        return true;
      }
      const int field = FindPositional(*draft);
      if (field >= 0) return ReadField(op, draft, field);
      if (draft->form == nullptr && !token_.after_newline && !absl::StrContains(word, '.')) {
        // A word of a form that is not known: kept as it stands.
        const bool literal = word == "dense" || word == "dense_resource" || word == "array" || word == "true" || word == "false";
        Attr attr;
        attr.range = TokenRange();
        const std::string name = literal ? "value" : std::string(word);
        if (literal) {
          if (!ReadAttr(&attr)) return false;
        } else {
          last_end_ = token_.end;
          Advance();
        }
        AddAttribute(op, name, std::move(attr));
        break;
      }
      *stop = true;
      return true;
    }
    case TokenKind::kInteger:
    case TokenKind::kFloat:
    case TokenKind::kHash:
    case TokenKind::kString:
    case TokenKind::kSymbol: {
      const int field = FindPositional(*draft);
      if (field >= 0) return ReadField(op, draft, field);
      if (draft->form != nullptr || token_.after_newline) {
        *stop = true;
        return true;
      }
      const absl::string_view name = token_.kind == TokenKind::kSymbol ? "symbol" : "value";
      Attr attr;
      if (!ReadAttr(&attr)) return false;
      AddAttribute(op, name, std::move(attr));
      break;
    }
    case TokenKind::kPunctuation:
      switch (token_.punctuation) {
        case '(':
          ++draft->parens;
          Take('(');
          return true;
        case ')':
          if (draft->parens == 0) return Unexpected("':' and types", absl::StrCat("after ", op->name));
          --draft->parens;
          Take(')');
          return true;
        case ',': Take(','); return true;
        case '[':
        case '<':
        case '-': {
          const int field = FindPositional(*draft);
          if (field >= 0) return ReadField(op, draft, field);
          if (draft->form == nullptr && Is('[')) return ReadBracket(op, draft);
          *stop = true;
          return true;
        }
        default: *stop = true; return true;
      }
    default: *stop = true; return true;
  }
  return true;
}

// [%i, %j] or [1, 2] in a form that is not known.
bool Reader::ReadBracket(Op* op, Draft* draft) {
  const Token open = token_;
  Take('[');
  if (token_.kind != TokenKind::kValue && !Is(']')) {
    Seek(open.begin);
    Attr attr;
    if (!ReadAttr(&attr)) return false;
    AddAttribute(op, "value", std::move(attr));
    return true;
  }
  while (!Is(']')) {
    if (!ReadOperand(op)) return false;
    ++draft->written_operands;
    if (!Take(',')) break;
  }
  return Expect(']', "after the operands");
}

// The first field without a keyword that is still to come and that may begin with the current token.
int Reader::FindPositional(const Draft& draft) const {
  if (draft.form == nullptr) return -1;
  const bool punctuation = token_.kind == TokenKind::kPunctuation;
  for (size_t i = 0; i < draft.form->fields.size(); ++i) {
    const FieldForm& field = draft.form->fields[i];
    if (draft.filled[i]) continue;
    if (field.keyword == "[") {
      if (punctuation && token_.punctuation == '[') return static_cast<int>(i);
      continue;
    }
    if (!field.keyword.empty()) continue;
    bool fits = false;
    switch (field.kind) {
      case FieldKind::kEnum:
        fits = (token_.kind == TokenKind::kIdentifier && !absl::StrContains(TokenText(), '.')) || token_.kind == TokenKind::kHash;
        break;
      case FieldKind::kString: fits = token_.kind == TokenKind::kString; break;
      case FieldKind::kSymbol: fits = token_.kind == TokenKind::kSymbol; break;
      case FieldKind::kSymbolAsString: fits = token_.kind == TokenKind::kSymbol || token_.kind == TokenKind::kString; break;
      case FieldKind::kDialect: fits = (punctuation && token_.punctuation == '<') || token_.kind == TokenKind::kHash; break;
      case FieldKind::kConstant:
        fits = token_.kind == TokenKind::kInteger || token_.kind == TokenKind::kFloat || token_.kind == TokenKind::kHash ||
               (punctuation && token_.punctuation == '-') ||
               (token_.kind == TokenKind::kIdentifier && !absl::StrContains(TokenText(), '.') && FullOperationName(TokenText()).empty());
        break;
      default: break;
    }
    if (fits) return static_cast<int>(i);
  }
  return -1;
}

// At `keyword =`.
bool Reader::ReadKeyword(Op* op, Draft* draft) {
  const Token word = token_;
  Advance();
  Advance();
  if (draft->form == nullptr) {
    Attr attr;
    if (!ReadAttr(&attr, kUntyped)) return false;
    AddAttribute(op, Text(word), std::move(attr));
    return true;
  }
  std::vector<absl::string_view> keywords;
  for (size_t i = 0; i < draft->form->fields.size(); ++i) {
    const absl::string_view keyword = draft->form->fields[i].keyword;
    if (keyword == Text(word)) return ReadField(op, draft, static_cast<int>(i));
    if (!keyword.empty() && keyword != "[") keywords.push_back(keyword);
  }
  NearestName nearest(Text(word), &suggestion_budget_);
  for (absl::string_view keyword : keywords) nearest.Offer(keyword);
  std::string hint = nearest.Hint();
  for (absl::string_view keyword : keywords) absl::StrAppend(&hint, hint.empty() ? "it has: " : hint.back() == '?' ? " It has: " : ", ", keyword);
  return Error({word.begin, word.end}, HLO_LABEL("mlir.keyword"), absl::StrCat(op->name, " has no '", Text(word), " ='"), hint);
}

// `: types` at the end, in whichever of its forms.
bool Reader::ReadSignature(Op* op, const Draft& draft) {
  if (!Is(':')) {
    const TypeRule rule = draft.form == nullptr ? TypeRule::kDefault : draft.form->types;
    if (rule == TypeRule::kFromConstant && draft.constant >= 0) {
      const Type type = op->attributes[draft.constant].value.type;
      if (draft.written_operands > 0) {
        CheckOperandTypes(op, std::vector<Type>(draft.written_operands, type), op->attributes[draft.constant].value.range);
      }
      SetResultTypes(op, std::vector<Type>(pending_results_, type));
      return true;
    }
    if (draft.written_operands == 0 && pending_results_ == 0) return true;
    return Unexpected("':' and types", absl::StrCat("after ", op->name));
  }
  Take(':');
  const int32_t begin = token_.begin;
  std::vector<Type> types(1);
  if (!ReadType(&types[0])) return false;
  while (Take(',')) {
    types.emplace_back();
    if (!ReadType(&types.back())) return false;
  }
  if (token_.kind == TokenKind::kArrow || IsWord("to")) {  // operand types without parentheses
    Advance();
    std::vector<Type> results;
    if (Take('(')) {
      if (!ReadTypeList(')', &results)) return false;
    } else {
      do {
        results.emplace_back();
        if (!ReadType(&results.back())) return false;
      } while (Take(','));
    }
    return ApplyFunctionType(op, draft.written_operands, types, results, RangeFrom(begin));
  }
  return SpreadTypes(op, draft, std::move(types), RangeFrom(begin));
}

bool Reader::SpreadTypes(Op* op, const Draft& draft, std::vector<Type> types, SourceRange range) {
  const size_t operands = draft.written_operands;
  const TypeRule rule = draft.form == nullptr ? TypeRule::kDefault : draft.form->types;
  if (types.size() == 1 && types[0].kind == Type::Kind::kFunction && rule != TypeRule::kOperands) {
    return ApplyFunctionType(op, draft.written_operands, types[0].elements, types[0].results, range);
  }
  auto miscounted = [&](absl::string_view wanted) {
    return Error(range, HLO_LABEL("mlir.type-count"), absl::StrCat(op->name, " has ", operands, " operands and ", types.size(), " types"),
                 absl::StrCat("write ", wanted));
  };
  switch (rule) {
    case TypeRule::kOperands:
      if (types.size() == 1 && operands > 1 && !absl::EndsWith(op->name, "return")) types.resize(operands, types[0]);
      if (types.size() != operands) return miscounted("one type an operand");
      CheckOperandTypes(op, types, range);
      SetResultTypes(op, {});
      return true;
    case TypeRule::kComplex: {
      if (types.size() != 1) return miscounted("the type of the result, or (operands) -> result");
      Type part = types[0];
      if (IsComplex(part.shape.element_type())) {
        part.shape = part.shape.WithElementType(RealTypeOf(part.shape.element_type()));
        part.text.clear();
        part.range = {};  // which is that of the complex one
        if (op->operands.size() == operands && operands > 0) part.text = op->operands[0]->type.text;
      }
      CheckOperandTypes(op, std::vector<Type>(operands, part), range);
      SetResultTypes(op, std::move(types));
      return true;
    }
    case TypeRule::kSelect: {
      if (types.size() != 2 || operands == 0) return miscounted("the predicate's type and that of the others, or (operands) -> result");
      std::vector<Type> all(operands, types[1]);
      all[0] = types[0];
      CheckOperandTypes(op, all, range);
      SetResultTypes(op, {types[1]});
      return true;
    }
    case TypeRule::kTuple:
      if (types.size() != 1 || types[0].kind != Type::Kind::kTuple) return miscounted("the type of the tuple");
      if (types[0].elements.size() != operands) return miscounted("a tuple type with one element an operand");
      CheckOperandTypes(op, types[0].elements, range);
      SetResultTypes(op, std::move(types));
      return true;
    case TypeRule::kFromConstant:
      if (types.size() != 1) return miscounted("the type of the constant");
      CheckOperandTypes(op, std::vector<Type>(operands, types[0]), range);
      SetResultTypes(op, std::vector<Type>(pending_results_, types[0]));
      return true;
    case TypeRule::kDefault: break;
  }
  const size_t results = pending_results_;
  if (types.size() == 1) {
    CheckOperandTypes(op, std::vector<Type>(operands, types[0]), range);
    // A result need not be named; operations without results have a rule of their own.
    const bool unnamed = results == 0 && (draft.form != nullptr || absl::StartsWith(op->name, "stablehlo.") ||
                                          absl::StartsWith(op->name, "mhlo.") || absl::StartsWith(op->name, "chlo."));
    SetResultTypes(op, std::vector<Type>(unnamed ? 1 : results, types[0]));
    return true;
  }
  if (types.size() == operands) {
    CheckOperandTypes(op, types, range);
    SetResultTypes(op, results == types.size() ? std::move(types) : std::vector<Type>());
    return true;
  }
  if (types.size() == results) {
    SetResultTypes(op, std::move(types));
    return true;
  }
  return miscounted("(operands) -> results");
}

}  // namespace hloscope::mlir
