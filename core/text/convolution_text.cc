// Windows, dimension labels and paddings, both ways.
#include "core/text/convolution_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/nearest_name.h"

namespace hloscope {
namespace {

// 3x4 or 1_1x0_2 or 0_1_0x2_3: groups joined by x, numbers joined by _, each group of `least` to `most` numbers.
template <typename Group>
bool ReadGroups(AttributeReading& r, absl::string_view what, int least, int most, Group group) {
  do {
    const char* start = r.s.p;
    int64_t numbers[3] = {0, 0, 0};
    int count = 0;
    do {
      if (count == most) {
        return r.s.Error(r.s.Range(start, r.s.p), HLO_LABEL("text.window-numbers"),
                         absl::StrCat("expected at most ", most, " numbers a dimension in ", what));
      }
      if (!r.s.Integer(&numbers[count++], what)) return false;
    } while (*r.s.p == '_' && ++r.s.p);
    if (count < least) {
      return r.s.Error(r.s.Range(start, r.s.p), HLO_LABEL("text.window-numbers"),
                       absl::StrCat("expected ", least, " numbers a dimension in ", what, ", joined by '_', found ", count));
    }
    group(numbers);
  } while (*r.s.p == 'x' && ++r.s.p);
  return true;
}

struct WindowField {
  absl::string_view name;
  int numbers;
  void (*set)(WindowDimension& d, const int64_t* v);
  bool (*is_default)(const WindowDimension& d);
  void (*print)(const WindowDimension& d, std::string* out);
};

// In the order in which they are printed.
constexpr WindowField kFields[] = {
    {"size", 1, [](WindowDimension& d, const int64_t* v) { d.size = v[0]; }, [](const WindowDimension& d) { return false; },
     [](const WindowDimension& d, std::string* out) { absl::StrAppend(out, d.size); }},
    {"stride", 1, [](WindowDimension& d, const int64_t* v) { d.stride = v[0]; }, [](const WindowDimension& d) { return d.stride == 1; },
     [](const WindowDimension& d, std::string* out) { absl::StrAppend(out, d.stride); }},
    {"pad", 2,
     [](WindowDimension& d, const int64_t* v) {
       d.padding_low = v[0];
       d.padding_high = v[1];
     },
     [](const WindowDimension& d) { return d.padding_low == 0 && d.padding_high == 0; },
     [](const WindowDimension& d, std::string* out) { absl::StrAppend(out, d.padding_low, "_", d.padding_high); }},
    {"lhs_dilate", 1, [](WindowDimension& d, const int64_t* v) { d.base_dilation = v[0]; },
     [](const WindowDimension& d) { return d.base_dilation == 1; },
     [](const WindowDimension& d, std::string* out) { absl::StrAppend(out, d.base_dilation); }},
    {"rhs_dilate", 1, [](WindowDimension& d, const int64_t* v) { d.window_dilation = v[0]; },
     [](const WindowDimension& d) { return d.window_dilation == 1; },
     [](const WindowDimension& d, std::string* out) { absl::StrAppend(out, d.window_dilation); }},
    {"rhs_reversal", 1, [](WindowDimension& d, const int64_t* v) { d.reversal = v[0] != 0; },
     [](const WindowDimension& d) { return !d.reversal; },
     [](const WindowDimension& d, std::string* out) { absl::StrAppend(out, d.reversal ? 1 : 0); }},
};

bool ReadWindowField(AttributeReading& r, Window& window, bool& sized, unsigned& seen) {
  absl::string_view name = r.s.Word();
  const auto* field = std::find_if(std::begin(kFields), std::end(kFields), [&](const WindowField& f) { return f.name == name; });
  if (field == std::end(kFields)) {
    int64_t budget = 10000;
    NearestName nearest(name, &budget);
    for (const WindowField& f : kFields) nearest.Offer(f.name);
    SourceRange range = name.empty() ? r.s.Here() : r.s.Range(name);
    return r.s.Error(range, HLO_LABEL("text.window-field"),
                     absl::StrCat("expected size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal, found ",
                                  name.empty() ? r.s.Found() : absl::StrCat("'", name, "'")),
                     nearest.Hint());
  }
  const unsigned bit = 1u << (field - kFields);
  if (seen & bit) return r.s.Error(r.s.Range(name), HLO_LABEL("text.window-field"), absl::StrCat("expected ", name, " once in a window"));
  seen |= bit;
  if (!r.s.Expect('=', name)) return false;
  r.s.SkipSpace();
  const char* start = r.s.p;
  size_t count = 0;
  bool ok = ReadGroups(r, name, field->numbers, field->numbers, [&](const int64_t* v) {
    if (!sized) window.emplace_back();
    if (count < window.size()) field->set(window[count], v);
    ++count;
  });
  if (!ok) return false;
  if (sized && count != window.size()) {
    return r.s.Error(r.s.Range(start, r.s.p), HLO_LABEL("text.window-rank"),
                     absl::StrCat("expected ", window.size(), " dimensions in ", name, " as in the fields before it, found ", count));
  }
  sized = true;
  return true;
}

bool BadLabels(AttributeReading& r, const char* from, const char* to, std::string message) {
  return r.s.Error(r.s.Range(from, to), HLO_LABEL("text.dim-labels"), std::move(message), "dimension labels look like b01f_01io->b01f");
}

// One of the three parts: two letters and the spatial digits, each once.
bool ReadLabels(AttributeReading& r, absl::string_view part, char first_letter, char second_letter, int64_t* first, int64_t* second,
                std::vector<int64_t>* spatial) {
  *first = *second = -1;
  const char* from = part.data();
  const char* to = from + part.size();
  int digits = 0;
  for (char c : part) digits += IsClass(c, char_class::kDigit);
  spatial->assign(digits, -1);
  for (int64_t i = 0; i < static_cast<int64_t>(part.size()); ++i) {
    char c = part[i];
    int64_t* slot = nullptr;
    if (c == '?') continue;
    if (c == first_letter) slot = first;
    if (c == second_letter) slot = second;
    if (IsClass(c, char_class::kDigit) && c - '0' < digits) slot = &(*spatial)[c - '0'];
    if (slot == nullptr || *slot != -1) {
      return BadLabels(r, from, to,
                       absl::StrCat("expected '", std::string(1, first_letter), "', '", std::string(1, second_letter),
                                    "' and the digits from 0, each once, in the dimension labels, found '", part, "'"));
    }
    *slot = i;
  }
  if (*first >= 0 && *second >= 0) return true;
  return BadLabels(r, from, to,
                   absl::StrCat("expected both '", std::string(1, first_letter), "' and '", std::string(1, second_letter),
                                "' in the dimension labels, found '", part, "'"));
}

std::string Labels(char first_letter, int64_t first, char second_letter, int64_t second, const std::vector<int64_t>& spatial) {
  int64_t rank = std::max(first, second) + 1;
  for (int64_t s : spatial) rank = std::max(rank, s + 1);
  std::string text(rank, '?');
  text[first] = first_letter;
  text[second] = second_letter;
  for (size_t i = 0; i < spatial.size(); ++i) text[spatial[i]] = static_cast<char>('0' + i);
  return text;
}

}  // namespace

bool ReadWindow(AttributeReading& r, AttrValue& value) {
  Window& window = value.emplace<Window>();
  if (*r.s.p != '{') {
    return r.s.Error(r.s.Here(), HLO_LABEL("text.window-field"),
                     absl::StrCat("expected a window such as {size=3x3 pad=1_1x1_1}, found ", r.s.Found()));
  }
  ++r.s.p;
  bool sized = false;
  unsigned seen = 0;
  while (!r.s.Take('}')) {
    if (!ReadWindowField(r, window, sized, seen)) return false;
  }
  return true;
}

void PrintWindow(const AttrValue& value, const PrintOptions&, std::string* out) {
  const Window& window = std::get<Window>(value);
  out->push_back('{');
  bool first = true;
  for (const WindowField& field : kFields) {
    if (std::all_of(window.begin(), window.end(), field.is_default)) continue;
    absl::StrAppend(out, first ? "" : " ", field.name, "=");
    first = false;
    for (size_t i = 0; i < window.size(); ++i) {
      if (i > 0) out->push_back('x');
      field.print(window[i], out);
    }
  }
  out->push_back('}');
}

bool ReadDimLabels(AttributeReading& r, AttrValue& value) {
  auto& labels = *value.emplace<Boxed<ConvDimensionNumbers>>();
  const char* start = r.s.p;
  while (IsClass(*r.s.p, char_class::kAlpha | char_class::kDigit) || *r.s.p == '?' || *r.s.p == '-' || *r.s.p == '>') ++r.s.p;
  absl::string_view text(start, r.s.p - start);
  size_t underscore = text.find('_');
  size_t arrow = text.find("->");
  if (underscore == absl::string_view::npos || arrow == absl::string_view::npos || arrow < underscore) {
    return BadLabels(r, start, std::max(r.s.p, std::min(start + 1, r.s.end())), "expected dimension labels of the form lhs_rhs->output");
  }
  if (!ReadLabels(r, text.substr(0, underscore), 'b', 'f', &labels.input_batch, &labels.input_feature, &labels.input_spatial) ||
      !ReadLabels(r, text.substr(underscore + 1, arrow - underscore - 1), 'i', 'o', &labels.kernel_input_feature,
                  &labels.kernel_output_feature, &labels.kernel_spatial) ||
      !ReadLabels(r, text.substr(arrow + 2), 'b', 'f', &labels.output_batch, &labels.output_feature, &labels.output_spatial)) {
    return false;
  }
  if (labels.input_spatial.size() == labels.kernel_spatial.size() && labels.input_spatial.size() == labels.output_spatial.size())
    return true;
  return BadLabels(r, start, r.s.p, "expected as many spatial digits in the three parts of the dimension labels");
}

void PrintDimLabels(const AttrValue& value, const PrintOptions&, std::string* out) {
  const ConvDimensionNumbers& d = *std::get<Boxed<ConvDimensionNumbers>>(value);
  absl::StrAppend(out, Labels('b', d.input_batch, 'f', d.input_feature, d.input_spatial), "_",
                  Labels('i', d.kernel_input_feature, 'o', d.kernel_output_feature, d.kernel_spatial), "->",
                  Labels('b', d.output_batch, 'f', d.output_feature, d.output_spatial));
}

bool ReadPadding(AttributeReading& r, AttrValue& value) {
  auto& padding = value.emplace<std::vector<PaddingDimension>>();
  if (!IsClass(*r.s.p, char_class::kDigit) && *r.s.p != '-') return true;  // of a scalar: padding= with nothing behind
  return ReadGroups(r, r.name, 2, 3, [&](const int64_t* v) { padding.push_back({v[0], v[1], v[2]}); });
}

void PrintPadding(const AttrValue& value, const PrintOptions&, std::string* out) {
  bool first = true;
  for (const PaddingDimension& d : std::get<std::vector<PaddingDimension>>(value)) {
    absl::StrAppend(out, first ? "" : "x", d.low, "_", d.high);
    if (d.interior != 0) absl::StrAppend(out, "_", d.interior);
    first = false;
  }
}

}  // namespace hloscope
