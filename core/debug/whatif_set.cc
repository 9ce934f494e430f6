#include "core/debug/whatif_set.h"
#include "core/debug/file_words.h"

#include <cmath>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/literal/npy.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

std::string DimensionsText(const Shape& shape) { return absl::StrCat("[", absl::StrJoin(shape.dimensions(), ","), "]"); }

double AsNumber(const Scalar& s) { return IsFloat(s.type) || IsComplex(s.type) ? s.re : IsUnsigned(s.type) ? static_cast<double>(s.u()) : static_cast<double>(s.i); }

}  // namespace

absl::StatusOr<Chosen> Choose(const Shape& shape, const Subscript& subscript) {
  // Subscripts are applied to an array of places, so that they mean here what they mean in print.
  Shape places = Shape::Array(ElementType::kS64, shape.dimensions());
  Value numbered = Value::Allocate(places, nullptr);
  if (!numbered.has_value()) return absl::ResourceExhaustedError("there is no memory for the places of so many elements");
  int64_t* at = reinterpret_cast<int64_t*>(numbered.mutable_data());
  for (int64_t k = 0; k < numbered.element_count(); ++k) at[k] = k;
  const absl::StatusOr<Value> picked = ApplySubscript(numbered, subscript);
  if (!picked.ok()) return picked.status();
  const Value dense = ToDense(*picked);
  Chosen chosen;
  chosen.shape = Shape::Array(shape.element_type(), dense.shape().dimensions());
  const int64_t* from = reinterpret_cast<const int64_t*>(dense.data());
  chosen.places.assign(from, from + dense.element_count());
  return chosen;
}

bool NamesArrayFile(absl::string_view text) {
  text = absl::StripSuffix(absl::StripAsciiWhitespace(text), "\"");
  return absl::EndsWith(text, ".npy") || absl::EndsWith(text, ".npz") || absl::StrContains(text, ".npz:");
}

absl::StatusOr<Value> ReadArrayFile(absl::string_view given, const Shape& wanted) {
  const absl::StatusOr<std::string> file = WholeFile(given);
  if (!file.ok()) return file.status();
  const absl::string_view text = *file;
  const size_t archive = text.rfind(".npz:");
  if (archive == absl::string_view::npos) {
    if (absl::EndsWith(text, ".npz")) return absl::InvalidArgumentError(absl::StrCat(text, " is an archive; say which of its arrays is meant, as: ", text, ":x"));
    return ReadNpy(std::string(text), &wanted);
  }
  const std::string path(text.substr(0, archive + 4));
  const absl::string_view name = text.substr(archive + 5);
  const absl::StatusOr<std::unique_ptr<NpzReader>> reader = NpzReader::Open(path);
  if (!reader.ok()) return reader.status();
  if (!(*reader)->Has(name)) return absl::NotFoundError(absl::StrCat(path, " has no array '", name, "'; it has ", absl::StrJoin((*reader)->names(), ", ")));
  return (*reader)->Read(name, &wanted);
}

absl::StatusOr<Value> InTypeOf(const Value& given, const Shape& wanted) {
  if (!given.shape().IsArray()) return absl::InvalidArgumentError(absl::StrCat("the right side is ", given.shape().ToString(false), ", and ", wanted.ToString(false), " is wanted"));
  if (given.shape().dimensions() != wanted.dimensions()) {
    return absl::InvalidArgumentError(absl::StrCat("the right side has dimensions ", DimensionsText(given.shape()), ", and ", DimensionsText(wanted), " are wanted (or one number)"));
  }
  const Value dense = ToDense(given);
  const ElementType from = given.shape().element_type(), to = wanted.element_type();
  Value made = Value::Allocate(Shape::Array(to, wanted.dimensions()), nullptr);
  if (!made.has_value() || !dense.has_value()) return absl::ResourceExhaustedError("there is no memory for the new value");
  if (from == to) {
    if (made.byte_size() > 0) std::memcpy(made.mutable_data(), dense.data(), made.byte_size());
    return made;
  }
  if (IsComplex(from) && !IsComplex(to)) return absl::InvalidArgumentError(absl::StrCat(Name(to), " cannot hold complex numbers"));
  for (int64_t k = 0; k < dense.element_count(); ++k) {
    const Scalar before = LoadScalar(from, dense.data() + k * StorageBytes(from));
    const Scalar after = ConvertScalar(before, to);
    const bool whole = !IsFloat(to) && !IsComplex(to);
    if (whole ? AsNumber(before) != AsNumber(after) : !std::isfinite(AsNumber(after)) && std::isfinite(AsNumber(before))) {
      return absl::InvalidArgumentError(absl::StrCat(Name(to), " cannot hold ", ToText(before), ", element ", IndexText(given.shape(), k), " of the right side"));
    }
    StoreScalar(after, made.mutable_data() + k * StorageBytes(to));
  }
  return made;
}

}  // namespace hloscope
