#include "core/debug/completion.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/command_table.h"
#include "core/debug/expression_functions.h"
#include "core/debug/session.h"
#include "core/debug/synopsis.h"
#include "core/ir/written_names.h"
#include "core/ir/opcode.h"

namespace hloscope {
namespace {

constexpr size_t kMost = 500;

// One word that is being completed: from its last break on, with what it is a part of.
class Offers {
 public:
  Offers(const CompletionScope& scope, absl::string_view word) : scope_(scope), whole_(word), word_(word.substr(CompletionBegin(word))) {}

  std::vector<std::string> Take() { return std::move(found_); }

  void Offer(absl::string_view candidate) {
    if (found_.size() >= kMost || !absl::StartsWith(candidate, word_) || !seen_.emplace(candidate).second) return;
    found_.emplace_back(candidate);
  }

  void Place(absl::string_view what, const OwnPlaces& own) {
    const bool inside = word_.size() < whole_.size();  // behind a bracket or a sign
    if (IsLiteral(what)) {
      if (!inside) Offer(what);
    } else if (own != nullptr && own(what, [this](absl::string_view candidate) { Offer(candidate); })) {
    } else if (const absl::string_view stem = what.substr(0, what.find('.'));
               stem == "FILE" || stem == "OUT" || stem == "RECORD" || stem == "DIR") {
      Files(stem == "DIR", what.substr(stem.size()));
    } else if (absl::StartsWith(what, "LOCATION") || what == "WHICH") {
      Places();
    } else if (absl::StartsWith(what, "EXPR")) {
      Values();
      for (const expression::Function& function : expression::Functions()) {
        if (!word_.empty()) Offer(absl::StrCat(function.name, "("));
      }
    } else if (absl::StartsWith(what, "%")) {
      Values();
    } else if (what == "COMPUTATION") {
      if (scope_.module == nullptr) return;
      for (const Computation* computation : scope_.module->computations) Offer(computation->name);
    } else if (what == "OPERATION") {
      for (int k = 0; k < kOpcodeCount && !word_.empty(); ++k) Offer(Name(static_cast<Opcode>(k)));
    }
  }

 private:
  // Names, with or without %: of the frame where one runs, and everywhere of the computation that is named before a colon.
  void Names(bool computations, bool everywhere) {
    if (scope_.module == nullptr || word_.empty()) return;
    absl::string_view name = word_;
    const absl::string_view before = absl::ConsumePrefix(&name, "%") ? "%" : "";
    if (const size_t colon = name.find(':'); colon != absl::string_view::npos) {
      const Computation* computation = scope_.module->FindComputation(name.substr(0, colon));
      if (computation != nullptr) NamesOf(*computation, absl::StrCat(before, computation->name, ":"));
      return;
    }
    for (const Computation* computation : scope_.module->computations) {
      if (computations) Offer(absl::StrCat(before, computation->name));
      if (everywhere || computation == scope_.current) NamesOf(*computation, before);
    }
  }
  void NamesOf(const Computation& computation, absl::string_view before) {
    for (const Instruction* i : computation.instructions) {
      if (found_.size() >= kMost) return;
      if (absl::StartsWith(i->name, absl::string_view(word_).substr(std::min(word_.size(), before.size()))))
        Offer(absl::StrCat(before, i->name));
    }
    for (absl::string_view written : WrittenNames(computation)) Offer(absl::StrCat(before, written));
  }
  void Values() { Names(false, scope_.current == nullptr); }

  void Places() {
    if (absl::StartsWith(word_, "op:")) {
      absl::flat_hash_set<Opcode> used;
      for (const Computation* computation : Computations()) {
        for (const Instruction* i : computation->instructions) {
          if (used.insert(i->opcode).second) Offer(absl::StrCat("op:", Name(i->opcode)));
        }
      }
    } else if (absl::StartsWith(word_, "call:")) {
      for (const Computation* computation : Computations()) Offer(absl::StrCat("call:", computation->name));
    } else {
      for (const char* kind : {"op:", "shape:", "call:", "scope:", "file:", "function:", "re:/"}) {
        if (!word_.empty()) Offer(kind);
      }
      Names(true, true);
    }
  }
  absl::Span<Computation* const> Computations() const {
    return scope_.module != nullptr ? absl::MakeConstSpan(scope_.module->computations) : absl::Span<Computation* const>();
  }

  // Of the folder that the word names so far. Folders end in a slash: there is more behind them.
  void Files(bool folders, absl::string_view ending) {
    constexpr int kLooked = 20000;
    const size_t slash = word_.rfind('/');
    const std::string folder(slash == absl::string_view::npos ? "" : word_.substr(0, slash + 1));
    const absl::string_view leaf = slash == absl::string_view::npos ? word_ : word_.substr(slash + 1);
    std::vector<std::string> names;
    std::error_code error;
    int looked = 0;
    for (std::filesystem::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end && ++looked < kLooked;
         it.increment(error)) {
      std::string name = it->path().filename().string();
      if (!absl::StartsWith(name, leaf) || (leaf.empty() && name[0] == '.') || name.find(' ') != std::string::npos) continue;
      std::error_code ignored;
      if (it->is_directory(ignored))
        names.push_back(name + "/");
      else if (!folders && absl::EndsWith(name, ending))
        names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) Offer(absl::StrCat(folder, name));
  }

  const CompletionScope& scope_;
  const absl::string_view whole_, word_;
  std::vector<std::string> found_;
  absl::flat_hash_set<std::string> seen_;
};

// How what stands behind the command's name is written. Topics of info have a table of their own.
std::string SynopsisOf(const CommandRow& command) {
  if (absl::string_view(command.name) != "info") return command.synopsis;
  return absl::StrJoin(InfoTopics(), " | ",
                       [](std::string* out, const InfoTopic& topic) { absl::StrAppend(out, topic.name, " ", topic.arguments); });
}

}  // namespace

size_t CompletionBegin(absl::string_view line) {
  const size_t last = line.find_last_of(kWordBreaks);
  return last == absl::string_view::npos ? 0 : last + 1;
}

std::vector<std::string> CompletePlaces(const CompletionScope& scope, absl::string_view synopsis, absl::Span<const std::string> words,
                                        const OwnPlaces& own) {
  const absl::Span<const std::string> before = words.first(words.size() - 1);
  Offers offers(scope, words.back());
  for (const SynopsisPlace& place : PlacesBehind(synopsis, before)) {
    if (place.what != "COMMAND") {
      offers.Place(place.what, own);
      continue;
    }
    for (const std::string& found : CompleteCommand(scope, absl::StrJoin(words.subspan(place.begin), " "))) offers.Offer(found);
  }
  return offers.Take();
}

std::vector<std::string> CompleteCommand(const CompletionScope& scope, absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  const size_t space = line.find(' ');
  if (space == absl::string_view::npos) {
    Offers offers(scope, line);
    for (const CommandRow& command : Commands()) offers.Offer(command.name);
    return offers.Take();
  }
  const CommandRow* command = CommandOfLine(line);
  if (command == nullptr) return {};
  std::vector<std::string> words = absl::StrSplit(line.substr(space + 1), ' ', absl::SkipEmpty());
  if (words.empty() || line.back() == ' ') words.emplace_back();
  return CompletePlaces(scope, SynopsisOf(*command), words);
}

}  // namespace hloscope
