// Searching a program beside the window's thread: for text, a regular expression, an opcode, a shape.
#ifndef HLOSCOPE_VISUALIZER_MODEL_PROGRAM_SEARCH_H_
#define HLOSCOPE_VISUALIZER_MODEL_PROGRAM_SEARCH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/source.h"

namespace hloscope {

enum class SearchKind : uint8_t { kText, kRegex, kOpcode, kShape };

struct SearchQuery {
  SearchKind kind = SearchKind::kText;
  std::string pattern;
  bool match_case = false;
  friend bool operator==(const SearchQuery&, const SearchQuery&) = default;
};

struct SearchResult {
  std::vector<SourceRange> places;  // of the text that was searched, ascending
  std::string error;                // "a bracket is not closed"
  bool cut = false;                 // there are more
};

// Looks through everything; takes a while for megabytes. In texts opcodes and shapes are found as words at their places.
SearchResult Search(absl::string_view text, const SearchQuery& query);

// One search at a time, on a thread of its own.
class ProgramSearch {
 public:
  ~ProgramSearch();
  // Asks for a search of this text (copied when it is new); the same question again asks nothing. `version`: of the text.
  void Ask(const std::string& text, uint64_t version, const SearchQuery& query);
  bool busy() const;
  // Of the last question that was answered; null before the first.
  std::shared_ptr<const SearchResult> result() const;
  uint64_t version() const { return version_; }
  void Clear();

 private:
  struct Job;
  std::shared_ptr<Job> job_;
  std::shared_ptr<const std::string> text_;
  mutable std::shared_ptr<const SearchResult> last_;
  uint64_t version_ = 0;
  SearchQuery query_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_PROGRAM_SEARCH_H_
