#include "core/text/stablehlo/attributes.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/literal/scalar.h"

namespace hloscope::stablehlo {

using mlir::Attr;

std::optional<int64_t> IntOf(const Attr& a) {
  switch (a.kind) {
    case Attr::Kind::kBool:
    case Attr::Kind::kInteger: return a.integer;
    case Attr::Kind::kUnit: return 1;
    case Attr::Kind::kElements:
    case Attr::Kind::kDenseArray:
    case Attr::Kind::kArray: {
      const auto all = IntsOf(a);
      return all && all->size() == 1 ? std::optional<int64_t>((*all)[0]) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

std::optional<double> NumberOf(const Attr& a) {
  if (a.kind == Attr::Kind::kFloat) return a.number;
  if (a.kind == Attr::Kind::kInteger) return static_cast<double>(a.integer);
  if (a.kind == Attr::Kind::kElements && a.value.has_value() && a.value.element_count() == 1) {
    const Scalar s = LoadScalar(a.value.shape().element_type(), a.value.data());
    return IsFloat(s.type) || IsComplex(s.type) ? s.re : static_cast<double>(s.i);
  }
  return std::nullopt;
}

std::optional<std::vector<int64_t>> IntsOf(const Attr& a) {
  switch (a.kind) {
    case Attr::Kind::kDenseArray: return a.integers;
    case Attr::Kind::kArray: {
      std::vector<int64_t> all;
      for (const Attr& element : a.array) {
        const auto one = IntOf(element);
        if (!one) return std::nullopt;
        all.push_back(*one);
      }
      return all;
    }
    case Attr::Kind::kElements: {
      if (!a.value.has_value()) return std::nullopt;
      const ElementType type = a.value.shape().element_type();
      if (!IsInteger(type) && !IsPred(type)) return std::nullopt;
      std::vector<int64_t> all(a.value.element_count());
      for (size_t k = 0; k < all.size(); ++k) all[k] = LoadScalar(type, a.value.data() + k * StorageBytes(type)).i;
      return all;
    }
    case Attr::Kind::kInteger:
    case Attr::Kind::kBool: return std::vector<int64_t>{a.integer};
    default: return std::nullopt;
  }
}

std::optional<std::vector<std::vector<int64_t>>> RowsOf(const Attr& a) {
  std::vector<std::vector<int64_t>> rows;
  if (a.kind == Attr::Kind::kArray) {
    for (const Attr& row : a.array) {
      auto ints = IntsOf(row);
      if (!ints) return std::nullopt;
      rows.push_back(*std::move(ints));
    }
    return rows;
  }
  const auto all = IntsOf(a);
  if (!all) return std::nullopt;
  if (a.kind != Attr::Kind::kElements || a.value.shape().rank() != 2) {
    if (all->empty()) return rows;
    return std::nullopt;
  }
  const int64_t n = a.value.shape().dim(0), width = a.value.shape().dim(1);
  for (int64_t r = 0; r < n; ++r) rows.emplace_back(all->begin() + r * width, all->begin() + (r + 1) * width);
  return rows;
}

std::string WordOf(const Attr& a) {
  if (!a.words.empty()) return a.words.back();
  if (!a.text.empty() && a.kind != Attr::Kind::kDialect) return a.text;
  std::string word = a.raw.empty() ? a.text : a.raw;
  const size_t space = word.find_last_of(" <.");
  if (space != std::string::npos) word = word.substr(space + 1);
  return std::string(absl::StripSuffix(word, ">"));
}

std::vector<std::string> WordsOf(const Attr& a) {
  std::vector<std::string> words;
  for (const Attr& element : a.array) words.push_back(WordOf(element));
  return words;
}

std::vector<int64_t> IntsField(const Attr& a, absl::string_view field) {
  const Attr* f = a.Field(field);
  if (f == nullptr) return {};
  return IntsOf(*f).value_or(std::vector<int64_t>());
}

int64_t IntField(const Attr& a, absl::string_view field, int64_t otherwise) {
  const Attr* f = a.Field(field);
  return f == nullptr ? otherwise : IntOf(*f).value_or(otherwise);
}

namespace {

// "[b, 0, 1, f]": the places of the two letters and of the numbers. Other letters (`?`) are dimensions of no meaning.
bool ReadSide(absl::string_view side, char first, char second, int64_t* first_at, int64_t* second_at, std::vector<int64_t>* spatial) {
  side = absl::StripAsciiWhitespace(side);
  if (!absl::ConsumePrefix(&side, "[") || !absl::ConsumeSuffix(&side, "]")) return false;
  *first_at = *second_at = -1;
  std::vector<std::pair<int64_t, int64_t>> numbered;
  int64_t at = 0;
  for (absl::string_view word : absl::StrSplit(side, ',')) {
    word = absl::StripAsciiWhitespace(word);
    int64_t number = 0;
    if (word.size() == 1 && word[0] == first) *first_at = at;
    else if (word.size() == 1 && word[0] == second) *second_at = at;
    else if (absl::SimpleAtoi(word, &number)) numbered.push_back({number, at});
    ++at;
  }
  spatial->assign(numbered.size(), -1);
  for (const auto& [number, place] : numbered) {
    if (number < 0 || number >= static_cast<int64_t>(numbered.size()) || (*spatial)[number] != -1) return false;
    (*spatial)[number] = place;
  }
  return *first_at >= 0 && *second_at >= 0;
}

}  // namespace

std::optional<ConvDimensionNumbers> ConvolutionOf(const Attr& a) {
  ConvDimensionNumbers n;
  if (a.Field("input_batch_dimension") != nullptr || a.Field("input_spatial_dimensions") != nullptr || a.Field("output_feature_dimension") != nullptr) {
    n.input_batch = IntField(a, "input_batch_dimension", 0);
    n.input_feature = IntField(a, "input_feature_dimension", 0);
    n.input_spatial = IntsField(a, "input_spatial_dimensions");
    n.kernel_input_feature = IntField(a, "kernel_input_feature_dimension", 0);
    n.kernel_output_feature = IntField(a, "kernel_output_feature_dimension", 0);
    n.kernel_spatial = IntsField(a, "kernel_spatial_dimensions");
    n.output_batch = IntField(a, "output_batch_dimension", 0);
    n.output_feature = IntField(a, "output_feature_dimension", 0);
    n.output_spatial = IntsField(a, "output_spatial_dimensions");
    return n;
  }
  absl::string_view text = absl::StripAsciiWhitespace(a.raw);
  absl::ConsumePrefix(&text, "raw");
  const size_t x = text.find("]x"), arrow = text.find("->");
  if (x == absl::string_view::npos || arrow == absl::string_view::npos || arrow < x) return std::nullopt;
  if (!ReadSide(text.substr(0, x + 1), 'b', 'f', &n.input_batch, &n.input_feature, &n.input_spatial) ||
      !ReadSide(text.substr(x + 2, arrow - x - 2), 'i', 'o', &n.kernel_input_feature, &n.kernel_output_feature, &n.kernel_spatial) ||
      !ReadSide(text.substr(arrow + 2), 'b', 'f', &n.output_batch, &n.output_feature, &n.output_spatial)) {
    return std::nullopt;
  }
  return n;
}

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", absl::CEscape(text), "\""); }

std::string WrittenText(const Attr& a, const SourceText& source) {
  if (!a.range.valid() || a.range.end > static_cast<int32_t>(source.text().size())) return a.raw;
  return std::string(source.text().substr(a.range.begin, a.range.end - a.range.begin));
}

std::string FrontendAttributes(const Attr& dictionary, const SourceText& source) {
  std::string text = "{";
  for (const mlir::NamedAttr& field : dictionary.fields) {
    if (text.size() > 1) text += ",";
    absl::StrAppend(&text, field.name, "=", Quoted(field.value.kind == Attr::Kind::kString ? field.value.text : WrittenText(field.value, source)));
  }
  return text + "}";
}

}  // namespace hloscope::stablehlo
