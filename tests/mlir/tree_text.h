// A tree as generic-form-like text, so that tests can compare whole operations. Types are as written; attributes are reduced to what the
// tree has.
#ifndef HLOSCOPE_TESTS_MLIR_TREE_TEXT_H_
#define HLOSCOPE_TESTS_MLIR_TREE_TEXT_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/literal/scalar.h"
#include "core/text/mlir/mlir.h"

namespace hloscope::mlir {

inline std::string TextOf(const Value& value) {
  if (!value.has_value()) return "missing";
  std::string out = value.shape().ToString(false);
  for (int64_t i = 0; i < value.element_count(); ++i) {
    const ElementType type = value.shape().element_type();
    absl::StrAppend(&out, i == 0 ? " " : ",", ToText(LoadScalar(type, value.data() + i * StorageBytes(type))));
  }
  return out;
}

inline std::string TextOf(const Attr& attr) {
  auto fields = [&] {
    return absl::StrJoin(attr.fields, ", ",
                         [](std::string* out, const NamedAttr& f) { absl::StrAppend(out, f.name, "=", TextOf(f.value)); });
  };
  switch (attr.kind) {
    case Attr::Kind::kUnit: return "unit";
    case Attr::Kind::kBool: return attr.integer != 0 ? "true" : "false";
    case Attr::Kind::kInteger: return attr.integer == Shape::kUnbounded ? "?" : absl::StrCat(attr.integer, ":", attr.type.text);
    case Attr::Kind::kFloat: return absl::StrCat(attr.number, ":", attr.type.text);
    case Attr::Kind::kString: return absl::StrCat("\"", attr.text, "\"");
    case Attr::Kind::kSymbol: return absl::StrCat("@", attr.text);
    case Attr::Kind::kType: return attr.type.text;
    case Attr::Kind::kArray:
      return absl::StrCat("[", absl::StrJoin(attr.array, ", ", [](std::string* out, const Attr& a) { out->append(TextOf(a)); }), "]");
    case Attr::Kind::kDenseArray:
      return absl::StrCat("array<", attr.type.text, ":", absl::StrJoin(attr.integers, ","), absl::StrJoin(attr.numbers, ","), ">");
    case Attr::Kind::kDictionary: return absl::StrCat("{", fields(), "}");
    case Attr::Kind::kElements: return absl::StrCat("dense<", TextOf(attr.value), ">");
    case Attr::Kind::kDialect:
      return absl::StrCat("#", attr.text, "<",
                          !attr.fields.empty()  ? fields()
                          : !attr.words.empty() ? absl::StrJoin(attr.words, " ")
                                                : attr.raw,
                          ">");
    case Attr::Kind::kOther: return absl::StrCat("'", attr.raw, "'");
  }
  return "";
}

inline std::string TextOf(const Region& region);

inline std::string TextOf(const Op& op) {
  std::string out =
      absl::StrJoin(op.results, ", ", [](std::string* o, const auto& r) { absl::StrAppend(o, r->name.empty() ? "_" : r->name); });
  if (!out.empty()) out += " = ";
  absl::StrAppend(&out, op.name, "(", absl::StrJoin(op.operands, ", ", [](std::string* o, const SsaValue* v) { o->append(v->name); }), ")");
  if (!op.attributes.empty()) {
    absl::StrAppend(
        &out, " {",
        absl::StrJoin(op.attributes, ", ", [](std::string* o, const NamedAttr& f) { absl::StrAppend(o, f.name, "=", TextOf(f.value)); }),
        "}");
  }
  for (const auto& region : op.regions) absl::StrAppend(&out, " ", TextOf(*region));
  absl::StrAppend(&out, " -> ", absl::StrJoin(op.results, ", ", [](std::string* o, const auto& r) { o->append(r->type.text); }));
  return out;
}

inline std::string TextOf(const Region& region) {
  std::string out = "(";
  out += absl::StrJoin(region.arguments, ", ", [](std::string* o, const auto& a) { absl::StrAppend(o, a->name, ":", a->type.text); });
  out += "){";
  out += absl::StrJoin(region.ops, "; ", [](std::string* o, const auto& op) { o->append(TextOf(*op)); });
  return out + "}";
}

}  // namespace hloscope::mlir

#endif  // HLOSCOPE_TESTS_MLIR_TREE_TEXT_H_
