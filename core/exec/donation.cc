#include "core/exec/donation.h"

#include <cstring>
#include <map>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace hloscope {
namespace {

using Index = std::vector<int64_t>;  // of an array within a parameter

// Takes "(0, {1}" off the front of what follows the next parenthesis: the same in both attributes.
bool TakeEntry(absl::string_view& text, int64_t& number, Index& index) {
  const size_t open = text.find('(');
  if (open == absl::string_view::npos) return false;
  text.remove_prefix(open + 1);
  const size_t close = text.find(')');
  const absl::string_view entry = text.substr(0, close);
  text.remove_prefix(close == absl::string_view::npos ? text.size() : close + 1);
  number = -1;
  index.clear();
  const size_t comma = entry.find(',');
  if (!absl::SimpleAtoi(entry.substr(0, comma), &number)) number = -1;
  const size_t begin = entry.find('{'), end = entry.find('}');
  if (begin == absl::string_view::npos || end == absl::string_view::npos || end < begin) return true;
  for (absl::string_view part : absl::StrSplit(entry.substr(begin + 1, end - begin - 1), ',', absl::SkipWhitespace())) {
    int64_t at = -1;
    if (!absl::SimpleAtoi(part, &at)) number = -1;
    index.push_back(at);
  }
  return true;
}

// Null: there is no such part.
const Shape* PartOf(const Shape& shape, const Index& index) {
  const Shape* part = &shape;
  for (int64_t at : index) {
    if (!part->IsTuple() || at < 0 || at >= static_cast<int64_t>(part->tuple_shapes().size())) return nullptr;
    part = &part->tuple_shapes()[at];
  }
  return part;
}

void ArraysIn(const Shape& shape, const Index& at, std::set<Index>& arrays) {
  if (!shape.IsTuple()) {
    if (shape.IsArray()) arrays.insert(at);
    return;
  }
  for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
    Index inner = at;
    inner.push_back(static_cast<int64_t>(k));
    ArraysIn(shape.tuple_shapes()[k], inner, arrays);
  }
}

}  // namespace

Donation DonatedByHeader(const Module& module) {
  Donation donation;
  if (module.entry == nullptr) return donation;
  const std::vector<Instruction*>& parameters = module.entry->parameters;
  std::map<int64_t, std::set<Index>> named;
  for (absl::string_view key : {"input_output_alias", "buffer_donor"}) {
    const std::string* header = module.FindHeader(key);
    if (header == nullptr) continue;
    absl::string_view text = *header;
    int64_t number;
    Index index;
    while (TakeEntry(text, number, index)) {
      const bool known = number >= 0 && number < static_cast<int64_t>(parameters.size());
      const Shape* part = known ? PartOf(parameters[number]->shape, index) : nullptr;
      if (part == nullptr) {
        donation.notices.push_back(absl::StrCat(key, " names ", number < 0 ? "what is no parameter" : absl::StrCat("parameter ", number, " {", absl::StrJoin(index, ", "), "}"),
                                                ", and the program has none such; that is ignored"));
        continue;
      }
      ArraysIn(*part, index, named[number]);
    }
  }
  for (const auto& [number, arrays] : named) {
    std::set<Index> all;
    ArraysIn(parameters[number]->shape, {}, all);
    if (!all.empty() && arrays == all) donation.parameters.push_back(static_cast<int>(number));
  }
  return donation;
}

Value CopyOf(const Value& value, MemoryAccount* account) {
  if (value.shape().IsTuple()) {
    std::vector<Value> elements;
    for (const Value& element : value.elements()) {
      elements.push_back(CopyOf(element, account));
      if (!elements.back().has_value()) return Value();
    }
    return Value::Tuple(value.shape(), std::move(elements));
  }
  if (!value.shape().IsArray()) return value;
  Value copy = Value::AllocateInLayout(value.shape(), account);
  if (copy.has_value() && value.byte_size() > 0) std::memcpy(copy.mutable_physical_data(), value.physical_data(), value.byte_size());
  return copy;
}

}  // namespace hloscope
