// What pictures say, in a language. English stands in the pictures' code, as `tr("Place $0 of $1.", k, n)`; another language is a file with the
// same messages, assets/lessons/captions.LANG.txt:
//
//   = Place $0 of $1.
//   Lugar $0 de $1.
//
// Lines that begin with # are for who edits it. What stands for $0, $1, ... is what the program says (names, numbers, types) or another message.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_CAPTIONS_H_
#define HLOSCOPE_VISUALIZER_PICTURES_CAPTIONS_H_

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/message.h"
#include "core/base/source.h"

namespace hloscope {

// A message that a picture hands to its captions from a table or a function: tests look for it here.
#define HLO_CAPTION(text) text

class Captions {
 public:
  using Texts = std::map<std::string, std::string>;  // by the English message
  Captions() = default;                              // English
  Captions(std::string language, Texts texts) : language_(std::move(language)), texts_(std::make_shared<const Texts>(std::move(texts))) {}

  const std::string& language() const { return language_; }
  const Texts* texts() const { return texts_.get(); }  // null: English
  // The message in this language (in English where the language does not say it), with its arguments.
  template <typename... Arguments>
  std::string operator()(absl::string_view english, const Arguments&... arguments) const {
    return FillPlaceholders(Find(english), std::vector<std::string>{absl::StrCat(arguments)...});
  }
  std::string operator()(const Message& message) const { return FillPlaceholders(Find(message.text), message.arguments); }
  // Of so many things: `one` of a single one, else `many`; $0 is the number.
  template <typename... Arguments>
  std::string Counted(int64_t n, absl::string_view one, absl::string_view many, const Arguments&... arguments) const {
    return (*this)(n == 1 ? one : many, n, arguments...);
  }
  // "a, b and c".
  std::string And(const std::vector<std::string>& words) const;

 private:
  absl::string_view Find(absl::string_view english) const;
  std::string language_ = "en";
  std::shared_ptr<const Texts> texts_;
};

// A file of captions. Problems are rendered with their places ("FILE:LINE:COLUMN: error: ...") and left out of the texts: a message that is said
// twice or has no text, and placeholders that are not those of the English message.
Captions ReadCaptions(const SourceText& source, const std::string& language, std::vector<std::string>* problems);
// captions.LANG.txt of a folder. "en" needs none. NotFound: there is no such file; the languages that there are are said.
absl::StatusOr<Captions> LoadCaptions(const std::string& folder, const std::string& language, std::vector<std::string>* problems);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_CAPTIONS_H_
