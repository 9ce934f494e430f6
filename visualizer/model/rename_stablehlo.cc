#include "visualizer/model/rename_stablehlo.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

bool InName(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == '-'; }

// Calls visit(begin, end) for each %name, @name and bare word of [from, to) outside strings and comments, until it is false.
template <typename Visit>
void ForEachWord(absl::string_view text, size_t from, size_t to, Visit visit) {
  for (size_t at = from; at < to;) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < to && text[at] != '"' && text[at] != '\n'; ++at) at += text[at] == '\\';
      ++at;
    } else if (c == '/' && at + 1 < to && text[at + 1] == '/') {
      at = std::min(text.find('\n', at), to);
    } else if (c == '%' || c == '@' || InName(c)) {
      size_t end = at + 1;
      while (end < to && InName(text[end]) && !(text[end] == '-' && end + 1 < to && text[end + 1] == '>')) ++end;
      if (!visit(at, end)) return;
      at = end;
    } else {
      ++at;
    }
  }
}

// The function around a place: from its head to the next one's.
std::pair<size_t, size_t> FunctionAround(absl::string_view text, size_t place) {
  std::pair<size_t, size_t> around = {0, text.size()};
  ForEachWord(text, 0, text.size(), [&](size_t begin, size_t end) {
    const absl::string_view word = text.substr(begin, end - begin);
    if (word != "func.func" && word != "func") return true;
    if (begin > place) {
      around.second = begin;
      return false;
    }
    around.first = begin;
    return true;
  });
  return around;
}

// What the names of values in a function mean: regions are scopes, so blocks beside each other may each have their own value of one name. Goes by
// the brackets and by where a name stands:
//   %a, %b = ...  %a:2 = ...        a value of the region that it is in
//   ^bb0(%a: T)                     likewise
//   func @f(%a: T)  reducer(%a: T)  of the regions that follow in this statement
//   while(%a = %b)                  %a likewise
class ValueNames {
 public:
  struct Place {
    SourceRange range;
    int scope = 0;         // where it stands
    bool defines = false;  // a value of `of`
    int of = 0;
  };

  ValueNames(absl::string_view text, size_t from, size_t to) : text_(text) {
    open_.push_back({0, -1, {}});
    for (size_t at = from; at < to;) at = Take(at, to);
    absl::flat_hash_map<absl::string_view, std::vector<int>> made;  // by name, the scopes that have a value of it
    for (const Place& place : places_) {
      if (place.defines) made[NameOf(place)].push_back(place.of);
    }
    for (Place& place : places_) {
      if (!place.defines) place.of = Resolve(place, made[NameOf(place)]);
    }
  }
  const std::vector<Place>& places() const { return places_; }
  // The place that begins there; null: none.
  const Place* At(int32_t begin) const {
    const auto at = std::find_if(places_.begin(), places_.end(), [begin](const Place& p) { return p.range.begin == begin; });
    return at != places_.end() ? &*at : nullptr;
  }
  absl::string_view NameOf(const Place& place) const { return text_.substr(place.range.begin, place.range.end - place.range.begin); }
  bool Within(int inner, int outer) const {
    for (; inner >= 0 && inner != outer; inner = parents_[inner]) {
    }
    return inner == outer;
  }

 private:
  struct Region {
    int scope = 0;
    int heads = -1;              // the scope of names that a statement has given to the regions that follow; -1: none
    std::vector<bool> brackets;  // round ones that are open in it: whether they are a block's
  };

  int NewScope(int parent) {
    parents_.push_back(parent);
    return static_cast<int>(parents_.size()) - 1;
  }

  // The next thing of the text; where it ends.
  size_t Take(size_t at, size_t to) {
    const char c = text_[at];
    Region& region = open_.back();
    if (c == '{') {
      open_.push_back({NewScope(region.heads >= 0 ? region.heads : region.scope), -1, {}});
    } else if (c == '}') {
      if (open_.size() > 1) open_.pop_back();
    } else if (c == '(') {
      region.brackets.push_back(AfterBlockName(at));
    } else if (c == ')') {
      if (!region.brackets.empty()) region.brackets.pop_back();
    } else {
      size_t end = at + 1;
      // A word, or what holds none: strings and comments.
      ForEachWord(text_, at, to, [&](size_t begin, size_t word_end) {
        end = begin == at ? word_end : at + 1;
        if (begin == at && c == '%' && word_end > begin + 1) TakeName(begin, word_end);
        return false;
      });
      if (c == '"' || (c == '/' && at + 1 < to && text_[at + 1] == '/')) end = SkipSilent(at, to);
      return end;
    }
    return at + 1;
  }

  size_t SkipSilent(size_t at, size_t to) const {
    if (text_[at] == '/') return std::min(text_.find('\n', at), to);
    for (++at; at < to && text_[at] != '"' && text_[at] != '\n'; ++at) at += text_[at] == '\\';
    return std::min(at + 1, to);
  }

  size_t SkipBlank(size_t at) const {
    while (at < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at]))) ++at;
    return at;
  }
  char After(size_t at) const { return SkipBlank(at) < text_.size() ? text_[SkipBlank(at)] : '\0'; }
  char Before(size_t at) const {
    while (at > 0 && absl::ascii_isspace(static_cast<unsigned char>(text_[at - 1]))) --at;
    return at > 0 ? text_[at - 1] : '\0';
  }
  bool AfterBlockName(size_t at) const {
    while (at > 0 && InName(text_[at - 1])) --at;
    return at > 0 && text_[at - 1] == '^';
  }
  // "%a = ", and "%a:2 = ".
  bool IsSet(size_t end) const {
    size_t at = SkipBlank(end);
    if (at < text_.size() && text_[at] == ':') {
      at = SkipBlank(at + 1);
      while (at < text_.size() && absl::ascii_isdigit(static_cast<unsigned char>(text_[at]))) ++at;
    }
    return After(at) == '=';
  }

  void TakeName(size_t begin, size_t end) {
    Region& region = open_.back();
    Place place;
    place.range = {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
    place.scope = place.of = region.scope;
    const char before = Before(begin);
    if (region.brackets.empty()) {
      place.defines = IsSet(end);
      if (place.defines) {
        region.heads = -1;  // another statement
        // "%a, %b = ": those before it too.
        for (size_t k = places_.size(), left = begin; k > 0 && Before(left) == ','; --k) {
          Place& other = places_[k - 1];
          if (other.scope != region.scope || After(static_cast<size_t>(other.range.end)) != ',') break;
          other.defines = true;
          left = static_cast<size_t>(other.range.begin);
        }
      }
    } else if ((before == '(' || before == ',') && (After(end) == ':' || After(end) == '=')) {
      place.defines = true;
      if (!region.brackets.back()) {
        if (region.heads < 0) region.heads = NewScope(region.scope);
        place.of = region.heads;
      }
    }
    places_.push_back(place);
  }

  // The innermost of the scopes that have it, from where it stands.
  int Resolve(const Place& place, const std::vector<int>& made) const {
    for (int scope = place.scope; scope >= 0; scope = parents_[scope]) {
      if (std::find(made.begin(), made.end(), scope) != made.end()) return scope;
    }
    return 0;
  }

  absl::string_view text_;
  std::vector<int> parents_ = {-1};
  std::vector<Region> open_;
  std::vector<Place> places_;
};

}  // namespace

SourceRange StableHloNameAt(absl::string_view text, int64_t offset) {
  size_t line = offset <= 0 ? absl::string_view::npos : text.rfind('\n', static_cast<size_t>(offset) - 1);
  line = line == absl::string_view::npos ? 0 : line + 1;
  SourceRange found;
  ForEachWord(text, line, std::min(text.find('\n', static_cast<size_t>(offset)), text.size()), [&](size_t begin, size_t end) {
    const bool name = (text[begin] == '%' || text[begin] == '@') && end > begin + 1;
    if (name && begin <= static_cast<size_t>(offset) && static_cast<size_t>(offset) <= end) {
      found = {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
    }
    return !found.valid() && begin <= static_cast<size_t>(offset);
  });
  return found;
}

std::vector<SourceRange> StableHloUses(absl::string_view text, SourceRange word) {
  const absl::string_view name = text.substr(word.begin, word.end - word.begin);
  std::vector<SourceRange> uses;
  if (name[0] == '%') {
    const auto [from, to] = FunctionAround(text, word.begin);
    const ValueNames names(text, from, to);
    const ValueNames::Place* meant = names.At(word.begin);
    for (const ValueNames::Place& place : names.places()) {
      if (meant != nullptr && place.of == meant->of && names.NameOf(place) == name) uses.push_back(place.range);
    }
    return uses;
  }
  ForEachWord(text, 0, text.size(), [&](size_t begin, size_t end) {
    if (text.substr(begin, end - begin) == name) uses.push_back({static_cast<int32_t>(begin), static_cast<int32_t>(end)});
    return true;
  });
  return uses;
}

SourceRange StableHloDefinition(absl::string_view text, SourceRange word) {
  const absl::string_view name = text.substr(word.begin, word.end - word.begin);
  if (name[0] == '%') {
    const auto [from, to] = FunctionAround(text, word.begin);
    const ValueNames names(text, from, to);
    const ValueNames::Place* meant = names.At(word.begin);
    for (const ValueNames::Place& place : names.places()) {
      if (meant != nullptr && place.defines && place.of == meant->of && names.NameOf(place) == name) return place.range;
    }
    return {};
  }
  SourceRange made;
  bool head = false;
  ForEachWord(text, 0, text.size(), [&](size_t begin, size_t end) {
    const absl::string_view part = text.substr(begin, end - begin);
    if (head && part == name) made = {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
    head = part == "func.func" || part == "func" || (head && (part == "private" || part == "public" || part == "nested"));
    return !made.valid();
  });
  return made;
}

SourceRange StableHloNameFrom(absl::string_view text, int64_t from, absl::string_view name) {
  SourceRange found;
  ForEachWord(text, static_cast<size_t>(std::max<int64_t>(0, from)), text.size(), [&](size_t begin, size_t end) {
    if (text.substr(begin, end - begin) == name) found = {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
    return !found.valid();
  });
  return found;
}

absl::Status CheckStableHloName(absl::string_view text, SourceRange word, absl::string_view name) {
  const std::string sign(1, text[word.begin]);
  if (!name.empty() && name[0] == sign[0]) name.remove_prefix(1);
  const bool number = !name.empty() && absl::ascii_isdigit(static_cast<unsigned char>(name[0]));
  const bool good = !name.empty() && (number ? sign == "%" && std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); })
                                             : std::all_of(name.begin(), name.end(), InName));
  if (!good) return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no name in StableHLO: letters, digits, _, $, . and -, or a number"));
  const std::string whole = absl::StrCat(sign, name);
  if (whole == text.substr(word.begin, word.end - word.begin)) return absl::InvalidArgumentError(absl::StrCat("it is called ", whole, " already"));
  bool taken = false;
  if (sign == "%") {
    const auto [from, to] = FunctionAround(text, word.begin);
    const ValueNames names(text, from, to);
    const ValueNames::Place* meant = names.At(word.begin);
    // One that can be seen where this one is, or the other way round.
    for (const ValueNames::Place& place : names.places()) {
      taken |= names.NameOf(place) == whole && (meant == nullptr || names.Within(place.of, meant->of) || names.Within(meant->of, place.of));
    }
  } else {
    ForEachWord(text, 0, text.size(), [&](size_t begin, size_t end) { return !(taken = text.substr(begin, end - begin) == whole); });
  }
  if (taken) return absl::AlreadyExistsError(absl::StrCat("there is a ", whole, " already", sign == "%" ? " in this function" : ""));
  return absl::OkStatus();
}

}  // namespace hloscope
