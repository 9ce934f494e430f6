// Forms with regions or words of their own: constant, while, reduce, scan, func, module, and two of the sharding dialect.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/text/mlir/reader.h"

namespace hloscope::mlir {
namespace {

Attr String(absl::string_view text, SourceRange range) {
  Attr attr;
  attr.kind = Attr::Kind::kString;
  attr.text = std::string(text);
  attr.range = range;
  return attr;
}

Attr SegmentSizes(std::vector<int64_t> sizes) {
  Attr attr;
  attr.kind = Attr::Kind::kDenseArray;
  attr.type.kind = Type::Kind::kScalar;
  attr.type.shape = Shape::Scalar(ElementType::kS32);
  attr.type.text = "i32";
  attr.integers = std::move(sizes);
  return attr;
}

}  // namespace

bool Reader::ReadSpecial(Op* op, const PrettyForm& form) {
  switch (form.special) {
    case SpecialForm::kNone: break;
    case SpecialForm::kConstant: return ReadConstant(op, form);
    case SpecialForm::kWhile: return ReadWhile(op);
    case SpecialForm::kReduce: return ReadReduce(op);
    case SpecialForm::kScan: return ReadScan(op);
    case SpecialForm::kFunction: return ReadFunction(op);
    case SpecialForm::kModule: return ReadModule(op);
    case SpecialForm::kMesh: return ReadMesh(op);
    case SpecialForm::kManualComputation: return ReadManualComputation(op);
  }
  return true;
}

// constant {a = 1} dense<...> : type, or constant() {value = dense<...> : type} : () -> type.
bool Reader::ReadConstant(Op* op, const PrettyForm& form) {
  Draft draft;
  draft.form = &form;
  const bool parens = Take('(');
  if (parens && !Expect(')', "in a constant, which has no operands")) return false;
  if (Take('<') && !(ReadDictionary(&op->attributes) && Expect('>', "after the properties"))) return false;
  if (!ReadOptionalDictionary(op)) return false;
  if (parens || Is(':')) return ReadSignature(op, draft);
  Attr value;
  if (!ReadAttr(&value)) return false;
  draft.constant = static_cast<int>(op->attributes.size());
  AddAttribute(op, "value", std::move(value));
  if (pending_results_ == 0) pending_results_ = 1;
  return ReadSignature(op, draft);
}

// while(%arg = %init, ...) : types [attributes {...}] cond {...} do {...}. Both regions have the same arguments.
bool Reader::ReadWhile(Op* op) {
  if (!Expect('(', "after 'while'")) return false;
  std::vector<std::pair<Written, Type>> arguments;
  if (!Take(')')) {
    do {
      if (token_.kind != TokenKind::kValue) return Unexpected("an argument", "of a while");
      arguments.push_back({{TokenText(), TokenRange()}, Type()});
      Advance();
      if (!Expect('=', "after a while's argument") || !ReadOperand(op)) return false;
    } while (Take(','));
    if (!Expect(')', "after a while's arguments")) return false;
  }
  std::vector<Type> types;
  const int32_t begin = token_.begin;
  if (Take(':')) {
    do {
      types.emplace_back();
      if (!ReadType(&types.back())) return false;
    } while (Take(','));
  }
  if (types.size() != arguments.size()) {
    return Error(RangeFrom(begin), HLO_LABEL("mlir.type-count"),
                 absl::StrCat("this while has ", arguments.size(), " arguments and ", types.size(), " types"),
                 "write one type an argument");
  }
  CheckOperandTypes(op, types, RangeFrom(begin));
  for (size_t i = 0; i < types.size(); ++i) arguments[i].second = types[i];
  SetResultTypes(op, std::move(types));
  if (!ReadOptionalDictionary(op)) return false;
  if (!TakeWord("cond")) return Unexpected("'cond'", "before the condition of a while");
  if (!ReadRegion(op, false, arguments, false)) return false;
  if (!TakeWord("do")) return Unexpected("'do'", "before the body of a while");
  return ReadRegion(op, false, std::move(arguments), false);
}

// reduce(%x init: %i), (%y init: %j) applies stablehlo.add across dimensions = [0] : (types) -> types, or without `applies` and
// with reducer(%a: t, %b: t) (%c: t, %d: t) {...} at the end.
bool Reader::ReadReduce(Op* op) {
  std::vector<SsaValue*> inits;
  std::vector<SourceRange> init_ranges;
  int pairs = 0;
  do {
    if (!Expect('(', "before the operand of a reduce") || !ReadOperand(op)) return false;
    if (!TakeWord("init")) return Unexpected("'init'", "after the operand of a reduce");
    if (!Expect(':', "after 'init'")) return false;
    const size_t before = op->operands.size();
    if (!ReadOperand(op)) return false;
    if (op->operands.size() > before) {
      inits.push_back(op->operands.back());
      init_ranges.push_back(op->operand_ranges.back());
      op->operands.pop_back();
      op->operand_ranges.pop_back();
    }
    if (!Expect(')', "after the initial value of a reduce")) return false;
    ++pairs;
  } while (Take(','));
  op->operands.insert(op->operands.end(), inits.begin(), inits.end());
  op->operand_ranges.insert(op->operand_ranges.end(), init_ranges.begin(), init_ranges.end());

  std::string combiner;
  SourceRange combiner_range;
  if (TakeWord("applies")) {
    if (token_.kind != TokenKind::kIdentifier && token_.kind != TokenKind::kString)
      return Unexpected("an operation's name", "after 'applies'");
    combiner = token_.kind == TokenKind::kString ? Unescape(TokenText()) : std::string(TokenText());
    combiner_range = TokenRange();
    last_end_ = token_.end;
    Advance();
  }
  if (!TakeWord("across")) return Unexpected("'across'", "before the dimensions of a reduce");
  if (!TakeWord("dimensions")) return Unexpected("'dimensions'", "after 'across'");
  if (!Expect('=', "after 'dimensions'")) return false;
  Attr dimensions;
  const int32_t begin = token_.begin;
  if (!ReadIntegers(&dimensions)) return false;
  dimensions.range = RangeFrom(begin);
  AddAttribute(op, "dimensions", std::move(dimensions));
  if (!ReadOptionalDictionary(op)) return false;
  if (!Expect(':', "and types after the dimensions of a reduce")) return false;
  Type type;
  const int32_t type_begin = token_.begin;
  if (!ReadFunctionType(&type)) return false;
  ApplyFunctionType(op, 2 * pairs, type.elements, type.results, RangeFrom(type_begin));
  if (!combiner.empty()) {
    Type init = type.elements.empty() ? Type() : type.elements.back();
    op->regions.push_back(std::make_unique<Region>());
    Region* region = op->regions.back().get();
    region->parent = op;
    SsaValue* lhs = AddArgument(region, "", init, {});
    SsaValue* rhs = AddArgument(region, "", init, {});
    lhs->name = "%lhs";
    rhs->name = "%rhs";
    auto inner = std::make_unique<Op>();
    inner->name = combiner;
    inner->operands = {lhs, rhs};
    inner->operand_ranges = {combiner_range, combiner_range};
    inner->range = inner->name_range = combiner_range;
    inner->parent = region;
    SetResultTypes(inner.get(), {init});
    inner->results[0]->name = "%result";
    auto last = std::make_unique<Op>();
    last->name = absl::StartsWith(op->name, "mhlo.") ? "mhlo.return" : "stablehlo.return";
    last->operands = {inner->results[0].get()};
    last->operand_ranges = {combiner_range};
    last->range = last->name_range = combiner_range;
    last->parent = region;
    region->ops.push_back(std::move(inner));
    region->ops.push_back(std::move(last));
    return true;
  }
  if (Is('{')) return ReadRegion(op, false);
  if (!TakeWord("reducer")) return Unexpected("'reducer' or, before 'across', 'applies'", "for the body of a reduce");
  std::vector<std::pair<Written, Type>> arguments;
  std::vector<Location> locations;
  return ReadReducerArguments(pairs, &arguments, &locations) && ReadRegion(op, false, std::move(arguments), false) &&
         ((op->regions.back()->argument_locations = std::move(locations)), true);
}

// (%a: t, %b: t) (%c: t, %d: t): pairs of what came so far and what is new; the block has first all of the one kind, then all of the other.
bool Reader::ReadReducerArguments(int count, std::vector<std::pair<Written, Type>>* arguments, std::vector<Location>* locations) {
  std::vector<std::pair<Written, Type>> left, right;
  std::vector<Location> left_locations, right_locations;
  const int32_t begin = token_.begin;
  while (Take('(')) {
    for (int side = 0; side < 2; ++side) {
      if (side == 1 && !Expect(',', "between the arguments of a reducer")) return false;
      if (token_.kind != TokenKind::kValue) return Unexpected("an argument", "of a reducer");
      const Written written = {TokenText(), TokenRange()};
      Advance();
      Type type;
      Location location;
      if (!Expect(':', "after a reducer's argument") || !ReadType(&type) || !ReadTrailingLocation(&location)) return false;
      (side == 0 ? left : right).push_back({written, std::move(type)});
      (side == 0 ? left_locations : right_locations).push_back(std::move(location));
    }
    if (!Expect(')', "after the arguments of a reducer")) return false;
  }
  if (static_cast<int>(left.size()) != count) {
    return Error(RangeFrom(begin), HLO_LABEL("mlir.operand-count"),
                 absl::StrCat("this reduce has ", count, " operands, but its reducer has arguments for ", left.size()),
                 "write (%accumulator: type, %element: type) once for each operand");
  }
  Location ignored;
  if (!ReadTrailingLocation(&ignored)) return false;
  *arguments = std::move(left);
  arguments->insert(arguments->end(), std::make_move_iterator(right.begin()), std::make_move_iterator(right.end()));
  *locations = std::move(left_locations);
  locations->insert(locations->end(), std::make_move_iterator(right_locations.begin()), std::make_move_iterator(right_locations.end()));
  return true;
}

// scan(%x) inits(%i) dimension=0 [attributes {...}] {...} : (types) -> types
bool Reader::ReadScan(Op* op) {
  auto operands = [&](int64_t* count) {
    if (!Expect('(', "before the operands of a scan")) return false;
    if (Take(')')) return true;
    do {
      if (!ReadOperand(op)) return false;
      ++*count;
    } while (Take(','));
    return Expect(')', "after the operands of a scan");
  };
  int64_t inputs = 0, inits = 0;
  if (!operands(&inputs)) return false;
  if (!TakeWord("inits")) return Unexpected("'inits'", "after the inputs of a scan");
  if (!operands(&inits)) return false;
  for (;;) {
    Take(',');
    if (token_.kind != TokenKind::kIdentifier || IsWord("attributes")) break;
    const Token word = token_;
    Advance();
    Attr attr;
    if (!Expect('=', "after a word of a scan") || !ReadAttr(&attr, kUntyped)) return false;
    AddAttribute(op, Text(word), std::move(attr));
  }
  AddAttribute(op, "operandSegmentSizes", SegmentSizes({inputs, inits}));
  if (!ReadOptionalDictionary(op) || !ReadRegion(op, false) || !ReadOptionalDictionary(op)) return false;
  if (!Expect(':', "and types at the end of a scan")) return false;
  Type type;
  const int32_t begin = token_.begin;
  if (!ReadFunctionType(&type)) return false;
  // The final carries come last; as many as there are initial values.
  AddAttribute(op, "resultSegmentSizes", SegmentSizes({static_cast<int64_t>(type.results.size()) - inits, inits}));
  return ApplyFunctionType(op, static_cast<int>(inputs + inits), type.elements, type.results, RangeFrom(begin));
}

// func [visibility] @name(parameters) [-> results] [attributes {...}] [{body}]
bool Reader::ReadFunction(Op* op) {
  Attr visibility;
  if (token_.kind == TokenKind::kIdentifier) {
    if (scanner_.At(token_.end) != '(' && !IsWord("public") && !IsWord("private") && !IsWord("nested")) {
      return Error(TokenRange(), HLO_LABEL("mlir.keyword"), absl::StrCat("a function is not ", Shown(token_)),
                   "it is public, private or nested");
    }
    if (scanner_.At(token_.end) == '(') return Unexpected("@ and the function's name", "after 'func.func'");
    AddAttribute(op, "sym_visibility", String(TokenText(), TokenRange()));
    Advance();
  }
  if (token_.kind != TokenKind::kSymbol) return Unexpected("@ and the function's name", "after 'func.func'");
  Attr name;
  const SourceRange name_range = TokenRange();
  if (!ReadSymbol(&name)) return false;
  AddAttribute(op, "sym_name", String(name.text, name_range));
  std::vector<std::pair<Written, Type>> parameters;
  std::vector<Attr> argument_attributes, result_attributes;
  std::vector<Location> locations;
  Attr type;
  type.kind = Attr::Kind::kType;
  type.type.kind = Type::Kind::kFunction;
  const int32_t begin = token_.begin;
  if (!ReadFunctionParameters(&parameters, &argument_attributes, &locations)) return false;
  for (const auto& parameter : parameters) type.type.elements.push_back(parameter.second);
  if (token_.kind == TokenKind::kArrow) {
    Advance();
    if (!ReadFunctionResults(&type.type.results, &result_attributes)) return false;
  }
  type.range = RangeFrom(begin);
  type.type.text = std::string(Text(begin, last_end_));
  AddAttribute(op, "function_type", std::move(type));
  for (auto& [attribute, list] : {std::pair("arg_attrs", &argument_attributes), std::pair("res_attrs", &result_attributes)}) {
    Attr attr;
    attr.kind = Attr::Kind::kArray;
    attr.array = std::move(*list);
    AddAttribute(op, attribute, std::move(attr));
  }
  if (IsWord("attributes") && !ReadOptionalDictionary(op)) return false;
  if (!Is('{')) return true;
  const bool ok = ReadRegion(op, true, std::move(parameters), true);
  Region* body = op->regions.back().get();
  if (body->argument_locations.empty()) body->argument_locations = std::move(locations);
  return ok;
}

bool Reader::ReadFunctionParameters(std::vector<std::pair<Written, Type>>* parameters, std::vector<Attr>* attributes,
                                    std::vector<Location>* locations) {
  if (!Expect('(', "before a function's parameters")) return false;
  if (Take(')')) return true;
  do {
    if (token_.kind == TokenKind::kEllipsis) {
      Advance();
      break;
    }
    Written written;
    if (token_.kind == TokenKind::kValue) {
      written = {TokenText(), TokenRange()};
      Advance();
      if (!Expect(':', "after a parameter's name")) return false;
    }
    Type type;
    Location location;
    Attr attr;
    attr.kind = Attr::Kind::kDictionary;
    if (!ReadType(&type) || (Is('{') && !ReadDictionary(&attr.fields)) || !ReadTrailingLocation(&location)) return false;
    parameters->push_back({written, std::move(type)});
    attributes->push_back(std::move(attr));
    locations->push_back(std::move(location));
  } while (Take(','));
  return Expect(')', "after a function's parameters");
}

bool Reader::ReadFunctionResults(std::vector<Type>* types, std::vector<Attr>* attributes) {
  auto result = [&] {
    types->emplace_back();
    attributes->emplace_back();
    attributes->back().kind = Attr::Kind::kDictionary;
    return ReadType(&types->back());
  };
  if (!Take('(')) return result();  // attributes need parentheses: what follows may be the body
  if (Take(')')) return true;
  do {
    if (!result() || (Is('{') && !ReadDictionary(&attributes->back().fields))) return false;
  } while (Take(','));
  return Expect(')', "after a function's results");
}

bool Reader::ReadModule(Op* op) {
  if (token_.kind == TokenKind::kSymbol) {
    Attr name;
    const SourceRange range = TokenRange();
    if (!ReadSymbol(&name)) return false;
    AddAttribute(op, "sym_name", String(name.text, range));
  }
  if (IsWord("attributes") && !ReadOptionalDictionary(op)) return false;
  return ReadRegion(op, true);
}

// mesh @name = <["x"=2]>
bool Reader::ReadMesh(Op* op) {
  if (token_.kind != TokenKind::kSymbol) return Unexpected("@ and the mesh's name", "after 'sdy.mesh'");
  Attr name, mesh;
  const SourceRange range = TokenRange();
  if (!ReadSymbol(&name) || !Expect('=', "after a mesh's name") || !ReadAttr(&mesh, kUntyped)) return false;
  if (mesh.text.empty()) mesh.text = "sdy.mesh";
  AddAttribute(op, "sym_name", String(name.text, range));
  AddAttribute(op, "mesh", std::move(mesh));
  return ReadOptionalDictionary(op);
}

// manual_computation(%x) in_shardings=[...] out_shardings=[...] manual_axes={...} (%arg: type) {...} : (types) -> types
bool Reader::ReadManualComputation(Op* op) {
  if (!Expect('(', "before the operands")) return false;
  int written = 0;
  while (!Take(')')) {
    if (!ReadOperand(op)) return false;
    ++written;
    if (!Take(',') && !Is(')')) return Unexpected("')'", "after the operands");
  }
  while (token_.kind == TokenKind::kIdentifier) {
    const Token word = token_;
    Advance();
    Attr attr;
    if (!Expect('=', "after a word of a manual computation") || !ReadAttr(&attr, kUntyped)) return false;
    AddAttribute(op, Text(word), std::move(attr));
  }
  std::vector<std::pair<Written, Type>> arguments;
  std::vector<Attr> attributes;
  std::vector<Location> locations;
  if (!ReadFunctionParameters(&arguments, &attributes, &locations) || !ReadRegion(op, false, std::move(arguments), false)) return false;
  op->regions.back()->argument_locations = std::move(locations);
  if (!ReadOptionalDictionary(op) || !Expect(':', "and types after the region")) return false;
  Type type;
  const int32_t begin = token_.begin;
  return ReadFunctionType(&type) && ApplyFunctionType(op, written, type.elements, type.results, RangeFrom(begin));
}

}  // namespace hloscope::mlir
