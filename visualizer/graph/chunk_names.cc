#include "visualizer/graph/chunk_names.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace hloscope {
namespace {

constexpr size_t kLeast = 3;     // names that are worth a group
constexpr size_t kMany = 24;     // in a group: it has groups of its own
constexpr size_t kLongest = 15;  // letters of a name in a title

// What `name` begins with, up to the end of that word; empty: it has fewer words.
absl::string_view Words(absl::string_view name, size_t count) {
  size_t at = 0;
  for (size_t k = 0; k < count; ++k) {
    if (at >= name.size()) return "";
    const size_t end = name.find_first_of("_./", k == 0 ? at : at + 1);
    at = end == absl::string_view::npos ? name.size() : end;
  }
  return name.substr(0, at);
}

std::vector<NameGroup> Group(const std::vector<std::string>& names, const std::vector<size_t>& of, size_t words) {
  std::map<absl::string_view, std::vector<size_t>> alike;
  for (const size_t k : of) {
    if (const absl::string_view begin = Words(names[k], words); !begin.empty()) alike[begin].push_back(k);
  }
  std::vector<NameGroup> groups;
  if (alike.size() == 1 && alike.begin()->second.size() == of.size()) return Group(names, of, words + 1);
  for (const size_t k : of) {
    const absl::string_view begin = Words(names[k], words);
    const auto it = begin.empty() ? alike.end() : alike.find(begin);
    if (it == alike.end() || it->second.size() < kLeast) {
      groups.push_back({k, "", {}});
    } else if (it->second.front() == k) {
      NameGroup group = {k, std::string(begin), {}};
      if (it->second.size() > kMany) {
        group.groups = Group(names, it->second, words + 1);
      } else {
        for (const size_t inside : it->second) group.groups.push_back({inside, "", {}});
      }
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

// "sharding_constraint.226" is "sharding….226": what tells it from others stays.
std::string Short(absl::string_view name) {
  if (name.size() <= kLongest) return std::string(name);
  const size_t dot = name.rfind('.');
  const absl::string_view number = dot == absl::string_view::npos || name.size() - dot > 7 ? "" : name.substr(dot);
  size_t keep = kLongest - 1 - number.size();
  while (keep > 0 && (static_cast<unsigned char>(name[keep]) & 0xc0) == 0x80) --keep;  // not within a letter
  return absl::StrCat(name.substr(0, keep), "\u2026", number);
}

}  // namespace

std::vector<NameGroup> GroupByWords(const std::vector<std::string>& names) {
  std::vector<size_t> all(names.size());
  for (size_t k = 0; k < all.size(); ++k) all[k] = k;
  return Group(names, all, 1);
}

ChunkName NameRange(const std::string& first, const std::string& last) {
  if (first == last) return {Short(first), first};
  return {absl::StrCat(Short(first), " \u2026 ", Short(last)), absl::StrCat(first, "..", last)};
}

ChunkName NameParameters(int first, int last) { return {absl::StrCat("parameters ", first, " \u2013 ", last), absl::StrCat("parameters-", first, "-", last)}; }

}  // namespace hloscope
