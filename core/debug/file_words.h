// Names of files as commands take them: a word, or in quotes where there is a space in it. Not for reading or writing the files.
#ifndef HLOSCOPE_CORE_DEBUG_FILE_WORDS_H_
#define HLOSCOPE_CORE_DEBUG_FILE_WORDS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hloscope {

// In quotes, with \" \\ \n \t in it.
std::string InQuotes(absl::string_view text);
// A file's name as a command takes it: in quotes where it would not be one word.
std::string FileWord(absl::string_view path);

// What stands in quotes at the beginning of `text`, which `what` names where its closing quote is missing; takes it off.
absl::StatusOr<std::string> TakeQuoted(absl::string_view& text, absl::string_view what = "text");
// The first word of `text`, or what stands in quotes there; takes it off. Empty: there is none.
absl::StatusOr<std::string> TakeFile(absl::string_view& text);
// The same at the end of `text`.
absl::StatusOr<std::string> TakeLastFile(absl::string_view& text);
// Why what stands before a file's name is no expression, where it looks as if the name began in it.
absl::Status WithPathHint(absl::Status status, absl::string_view before);
// All of `text` is the name: spaces in it may stand without quotes.
absl::StatusOr<std::string> WholeFile(absl::string_view text);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_FILE_WORDS_H_
