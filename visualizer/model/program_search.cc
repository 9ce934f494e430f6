#include "visualizer/model/program_search.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/ir/opcode.h"
#include "core/shape/element_type.h"
#include "visualizer/model/posix_pattern.h"
#include "visualizer/model/program_index.h"

namespace hloscope {
namespace {

constexpr size_t kMost = 100000;

bool Add(SearchResult& result, int64_t begin, int64_t end) {
  if (result.places.size() >= kMost) {
    result.cut = true;
    return false;
  }
  result.places.push_back({static_cast<int32_t>(begin), static_cast<int32_t>(end)});
  return true;
}

void SearchText(absl::string_view text, const SearchQuery& query, SearchResult& result) {
  const std::string& pattern = query.pattern;
  const char lower = absl::ascii_tolower(pattern[0]), upper = absl::ascii_toupper(pattern[0]);
  const auto equal = [&](const char* at) {
    if (query.match_case) return std::memcmp(at, pattern.data(), pattern.size()) == 0;
    for (size_t k = 1; k < pattern.size(); ++k) {
      if (absl::ascii_tolower(at[k]) != absl::ascii_tolower(pattern[k])) return false;
    }
    return true;
  };
  for (size_t k = 0; k + pattern.size() <= text.size(); ++k) {
    if (text[k] != lower && text[k] != upper) continue;
    if (!equal(text.data() + k)) continue;
    if (!Add(result, k, k + pattern.size())) return;
    k += pattern.size() - 1;
  }
}

void SearchRegex(absl::string_view text, const SearchQuery& query, SearchResult& result, const std::atomic<bool>& stop) {
  const PosixPattern pattern(query.pattern, query.match_case);
  result.error = pattern.error();
  if (!result.error.empty()) return;
  size_t line = 0;
  PosixPattern::Groups match;
  while (line < text.size() && !stop) {
    size_t end = text.find('\n', line);
    if (end == absl::string_view::npos) end = text.size();
    size_t at = line;
    while (at <= end && pattern.Find(text, at, end, at == line, &match)) {
      if (match[0].end > match[0].begin && !Add(result, match[0].begin, match[0].end)) return;
      at = std::max(match[0].end, match[0].begin + 1);
    }
    line = end + 1;
  }
}

bool StartsNoCase(absl::string_view text, absl::string_view prefix) {
  if (prefix.size() > text.size()) return false;
  for (size_t k = 0; k < prefix.size(); ++k) {
    if (absl::ascii_tolower(text[k]) != absl::ascii_tolower(prefix[k])) return false;
  }
  return true;
}

void SearchOpcode(absl::string_view text, const SearchQuery& query, SearchResult& result) {
  for (absl::string_view word = NextWord(text, 0); !word.empty();) {
    const size_t k = static_cast<size_t>(word.data() - text.data()), end = k + word.size();
    size_t dialect = 0;
    for (absl::string_view prefix : {"stablehlo.", "mhlo.", "chlo."}) {
      if (word.substr(0, prefix.size()) == prefix) dialect = prefix.size();
    }
    bool is = dialect > 0;
    if (!is && end < text.size() && text[end] == '(') {
      size_t before = k;
      while (before > 0 && text[before - 1] == ' ') --before;
      const char last = before > 0 ? text[before - 1] : 0;
      is = (last == ']' || last == '}' || last == ')' || last == '=') && OpcodeFromName(word).has_value();
    }
    if (is && StartsNoCase(word.substr(dialect), query.pattern) && !Add(result, k, end)) return;
    word = NextWord(text, end);
  }
}

// `*` stands for anything within a dimension; a pattern that does not end the brackets may go on.
bool ShapeMatches(absl::string_view shape, absl::string_view pattern) {
  if (pattern.empty()) return true;
  if (shape.empty()) return pattern == "*";
  if (pattern[0] == '*') {
    for (size_t k = 0;; ++k) {
      if (ShapeMatches(shape.substr(k), pattern.substr(1))) return true;
      if (k >= shape.size() || shape[k] == ',' || shape[k] == ']') return false;
    }
  }
  return absl::ascii_tolower(shape[0]) == absl::ascii_tolower(pattern[0]) && ShapeMatches(shape.substr(1), pattern.substr(1));
}

void SearchShape(absl::string_view text, const SearchQuery& query, SearchResult& result) {
  std::string pattern;
  for (char c : query.pattern) {
    if (c != ' ') pattern += c;
  }
  const bool dimensions_only = pattern[0] == '[';
  const auto offer = [&](const std::string& shape, size_t begin, size_t end) {
    absl::string_view subject = shape;
    if (dimensions_only) subject = subject.substr(subject.find('['));
    return !ShapeMatches(subject, pattern) || Add(result, begin, end);
  };
  for (absl::string_view word = NextWord(text, 0); !word.empty();) {
    const size_t k = static_cast<size_t>(word.data() - text.data());
    size_t end = k + word.size();
    if (end < text.size() && text[end] == '[' && ElementTypeFromName(word).has_value()) {
      const size_t close = text.find_first_of("]\n", end);
      if (close != absl::string_view::npos && text[close] == ']') {
        if (!offer(std::string(text.substr(k, close + 1 - k)), k, close + 1)) return;
        end = close + 1;
      }
    } else if (end < text.size() && text[end] == '<' && word == "tensor") {
      const size_t close = text.find_first_of(">,\n", end);
      if (close != absl::string_view::npos) {
        const absl::string_view inner = text.substr(end + 1, close - end - 1);
        const std::vector<std::string> parts = absl::StrSplit(inner, 'x');
        std::string shape = absl::StrCat(parts.back(), "[");
        for (size_t p = 0; p + 1 < parts.size(); ++p) absl::StrAppend(&shape, p > 0 ? "," : "", parts[p]);
        shape += ']';
        if (!offer(shape, k, close + (text[close] == '>' ? 1 : 0))) return;
        end = close;
      }
    }
    word = NextWord(text, end);
  }
}

}  // namespace

struct ProgramSearch::Job {
  std::mutex mutex;
  std::shared_ptr<const SearchResult> result;
  std::atomic<bool> stop{false}, done{false};
  std::thread thread;
};

SearchResult Search(absl::string_view text, const SearchQuery& query) {
  SearchResult result;
  static const std::atomic<bool> never{false};
  if (query.pattern.empty()) return result;
  switch (query.kind) {
    case SearchKind::kText: SearchText(text, query, result); break;
    case SearchKind::kRegex: SearchRegex(text, query, result, never); break;
    case SearchKind::kOpcode: SearchOpcode(text, query, result); break;
    case SearchKind::kShape: SearchShape(text, query, result); break;
  }
  return result;
}

ProgramSearch::~ProgramSearch() { Clear(); }

void ProgramSearch::Clear() {
  if (job_ != nullptr) {
    job_->stop = true;
    job_->thread.join();
  }
  job_ = nullptr;
  last_ = nullptr;
  query_ = SearchQuery();
  version_ = 0;
}

void ProgramSearch::Ask(const std::string& text, uint64_t version, const SearchQuery& query) {
  if (job_ != nullptr && version == version_ && query == query_) return;
  const std::shared_ptr<const SearchResult> before = result();
  if (text_ == nullptr || version != version_) text_ = std::make_shared<const std::string>(text);
  if (job_ != nullptr) {
    job_->stop = true;
    job_->thread.join();
  }
  version_ = version;
  query_ = query;
  last_ = before;
  auto job = std::make_shared<Job>();
  // The result of a short text is there at once.
  if (text_->size() < 200000) {
    job->result = std::make_shared<const SearchResult>(Search(*text_, query));
    job->done = true;
    job->thread = std::thread([] {});
  } else {
    job->thread = std::thread([j = job.get(), text = text_, query] {
      SearchResult found;
      if (!query.pattern.empty()) {
        if (query.kind == SearchKind::kRegex) {
          SearchRegex(*text, query, found, j->stop);
        } else {
          found = Search(*text, query);
        }
      }
      std::lock_guard<std::mutex> lock(j->mutex);
      j->result = std::make_shared<const SearchResult>(std::move(found));
      j->done = true;
    });
  }
  job_ = std::move(job);
}

bool ProgramSearch::busy() const { return job_ != nullptr && !job_->done; }

std::shared_ptr<const SearchResult> ProgramSearch::result() const {
  if (job_ == nullptr) return last_;
  std::lock_guard<std::mutex> lock(job_->mutex);
  return job_->done ? job_->result : last_;
}

}  // namespace hloscope
