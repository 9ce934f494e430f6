// A synopsis becomes a small automaton, whose edges are words: what can follow is what leaves the states that the words lead to.
#include "core/debug/synopsis.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace hloscope {
namespace {

bool Numeric(absl::string_view what) {
  return what == "N" || what == "K" || what == "M" || what == "LINE" || what == "PERCENT" || what == "D" || what == "I" ||
         what == "NUMBER" || what == "COUNT" || what == "SIZE" || what == "BITS" || what == "LOW" || what == "HIGH";
}

// It may be written with spaces.
bool SeveralWords(absl::string_view what) {
  for (absl::string_view kind : {"EXPR", "TEXT", "MOMENT", "VALUE", "LITERAL"}) {
    if (absl::StartsWith(what, kind)) return true;
  }
  return false;
}

class Automaton {
 public:
  explicit Automaton(absl::string_view synopsis) {
    Split(synopsis);
    end_ = NewState();
    Either(0, end_);
  }

  std::vector<SynopsisPlace> Behind(absl::Span<const std::string> words) {
    std::vector<SynopsisPlace> found;
    std::vector<std::pair<int, size_t>> at = {{0, 0}};  // a state, and where the edge began that it is in the middle of
    for (size_t k = 0;; ++k) {
      Spread(at);
      std::vector<std::pair<int, size_t>> next;
      const auto go = [&](int state, size_t begin) {
        if (std::find(next.begin(), next.end(), std::make_pair(state, begin)) == next.end()) next.emplace_back(state, begin);
      };
      for (const auto& [state, begin] : at) {
        for (const Edge& edge : states_[state].edges) {
          if (edge.word.empty()) continue;
          const size_t from = edge.again ? begin : k;
          // The rest of the line is a command of its own.
          if (k == words.size() || edge.word == "COMMAND") found.push_back({edge.word, from});
          if (k < words.size() && Fits(edge.word, words[k])) go(edge.to, from);
        }
      }
      if (k == words.size()) return found;
      at = std::move(next);
    }
  }

 private:
  struct Edge {
    std::string word;  // empty: goes without one
    int to = 0;
    bool again = false;  // one more word of the same
  };
  struct State {
    std::vector<Edge> edges;
  };

  static bool Fits(absl::string_view what, absl::string_view word) {
    if (IsLiteral(what)) return what == word;
    if (Numeric(what)) return !word.empty() && (absl::ascii_isdigit(word[0]) || word[0] == '-' || word[0] == '[');
    if (absl::StartsWith(what, "%")) return !word.empty();
    return what != "COMMAND";
  }

  void Split(absl::string_view text) {
    while (!text.empty()) {
      if (absl::ascii_isspace(text[0])) {
        text.remove_prefix(1);
      } else if (absl::StartsWith(text, "[...]")) {
        text.remove_prefix(5);
      } else if (text[0] == '[' || text[0] == ']' || text[0] == '|') {
        tokens_.emplace_back(text.substr(0, 1));
        text.remove_prefix(1);
      } else {
        // A bracket in a word (%x[0,1]) is the word's, and so is what stands between its bars (dark|light).
        size_t end = 0;
        for (int depth = 0; end < text.size() && (depth > 0 || (!absl::ascii_isspace(text[end]) && text[end] != ']')); ++end) {
          depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
        }
        tokens_.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
      }
    }
  }

  int NewState() {
    states_.emplace_back();
    return static_cast<int>(states_.size()) - 1;
  }
  void Either(int from, int to) {
    while (true) {
      Sequence(from, to);
      if (next_ >= tokens_.size() || tokens_[next_] != "|") return;
      ++next_;
    }
  }
  void Sequence(int from, int to) {
    int at = from;
    while (next_ < tokens_.size() && tokens_[next_] != "|" && tokens_[next_] != "]") {
      const int behind = NewState();
      if (tokens_[next_] == "[") {
        ++next_;
        Either(at, behind);
        if (next_ < tokens_.size()) ++next_;
        states_[at].edges.push_back({"", behind});
      } else {
        Word(tokens_[next_++], at, behind);
      }
      at = behind;
    }
    states_[at].edges.push_back({"", to});
  }
  void Word(absl::string_view word, int from, int to) {
    if (absl::ConsumeSuffix(&word, "...")) states_[to].edges.push_back({"", from});
    absl::ConsumeSuffix(&word, ";");
    for (absl::string_view one : absl::StrSplit(word, '|')) {
      states_[from].edges.push_back({std::string(one), to});
      if (SeveralWords(one)) states_[to].edges.push_back({std::string(one), to, /*again=*/true});
    }
  }
  void Spread(std::vector<std::pair<int, size_t>>& at) const {
    for (size_t k = 0; k < at.size(); ++k) {
      for (const Edge& edge : states_[at[k].first].edges) {
        const std::pair<int, size_t> there = {edge.to, at[k].second};
        if (edge.word.empty() && std::find(at.begin(), at.end(), there) == at.end()) at.push_back(there);
      }
    }
  }

  std::vector<std::string> tokens_;
  size_t next_ = 0;
  std::vector<State> states_ = std::vector<State>(1);
  int end_ = 0;
};

}  // namespace

bool IsLiteral(absl::string_view what) {
  if (what == "@" || what == ":" || what == "=" || what == "+" || what == "-") return true;
  absl::ConsumePrefix(&what, "/");
  return !what.empty() &&
         std::all_of(what.begin(), what.end(), [](char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-'; });
}

std::vector<SynopsisPlace> PlacesBehind(absl::string_view synopsis, absl::Span<const std::string> words) {
  // What comes behind so many words is text.
  constexpr size_t kMost = 64;
  if (words.size() > kMost) return {};
  return Automaton(synopsis).Behind(words);
}

}  // namespace hloscope
