// Looking into the tree, and telling MLIR from other texts.
#include "core/text/mlir/mlir.h"

#include "absl/strings/match.h"
#include "core/literal/scalar.h"
#include "core/text/mlir/reader.h"

namespace hloscope::mlir {
namespace {

const Attr* FindIn(const std::vector<NamedAttr>& fields, absl::string_view name) {
  for (const NamedAttr& field : fields) {
    if (field.name == name) return &field.value;
  }
  return nullptr;
}

}  // namespace

const Attr* Attr::Field(absl::string_view name) const { return FindIn(fields, name); }

const Attr* Op::Find(absl::string_view attribute) const { return FindIn(attributes, attribute); }

File ReadMlir(std::shared_ptr<const SourceText> source, DiagnosticSink& sink) { return Reader(std::move(source), sink).Read(); }

bool LooksLikeMlirBytecode(absl::string_view text) { return absl::StartsWith(text, "ML\xefR"); }

bool LooksLikeMlir(absl::string_view text) {
  Scanner scanner(text, 0, static_cast<int32_t>(text.size()));
  const Token first = scanner.Next();
  const absl::string_view word = text.substr(first.begin, first.end - first.begin);
  switch (first.kind) {
    case TokenKind::kIdentifier:
      // HLO text begins with HloModule or, for a lone computation, with a name and braces.
      return word == "module" || word == "builtin.module" || word == "func" || absl::StartsWith(word, "func.") ||
             absl::StartsWith(word, "stablehlo.");
    case TokenKind::kString: {
      const Token next = scanner.Next();
      return next.kind == TokenKind::kPunctuation && next.punctuation == '(' && absl::StrContains(word, '.');
    }
    case TokenKind::kHash:
    case TokenKind::kBang: {
      const Token next = scanner.Next();
      return next.kind == TokenKind::kPunctuation && next.punctuation == '=';
    }
    case TokenKind::kMetaOpen: return true;
    case TokenKind::kValue: {
      // %x = dialect.name or %x = "dialect.name", %x:2 = ...; in HLO a shape follows the `=`, or the line is a computation's head.
      Token token = scanner.Next();
      auto is = [&](char c) { return token.kind == TokenKind::kPunctuation && token.punctuation == c; };
      if (is(':')) {
        token = scanner.Next();
        if (token.kind != TokenKind::kInteger) return false;
        token = scanner.Next();
      }
      if (!is('=')) return false;
      token = scanner.Next();
      const absl::string_view name = text.substr(token.begin, token.end - token.begin);
      return token.kind == TokenKind::kString || (token.kind == TokenKind::kIdentifier && absl::StrContains(name, '.'));
    }
    default: return false;
  }
}

std::optional<std::vector<int64_t>> AsIntegers(const Attr& attr) {
  std::vector<int64_t> out;
  switch (attr.kind) {
    case Attr::Kind::kDenseArray:
      if (attr.integers.empty() && !attr.numbers.empty()) return std::nullopt;
      return attr.integers;
    case Attr::Kind::kInteger:
    case Attr::Kind::kBool: return std::vector<int64_t>{attr.integer};
    case Attr::Kind::kArray:
      for (const Attr& element : attr.array) {
        if (element.kind != Attr::Kind::kInteger && element.kind != Attr::Kind::kBool) return std::nullopt;
        out.push_back(element.integer);
      }
      return out;
    case Attr::Kind::kElements: {
      if (!attr.value.has_value() || !attr.value.shape().IsArray()) return std::nullopt;
      const ElementType type = attr.value.shape().element_type();
      if (!IsInteger(type) && !IsPred(type)) return std::nullopt;
      const int64_t count = attr.value.element_count();
      out.reserve(count);
      for (int64_t i = 0; i < count; ++i) out.push_back(LoadScalar(type, attr.value.data() + i * StorageBytes(type)).i);
      return out;
    }
    default: return std::nullopt;
  }
}

}  // namespace hloscope::mlir
