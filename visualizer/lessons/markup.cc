#include "visualizer/lessons/markup.h"

#include "absl/strings/str_cat.h"

namespace hloscope::lessons {
namespace {

void Append(Spans& spans, Span::Kind kind, absl::string_view text, absl::string_view target = "") {
  if (text.empty()) return;
  if (kind == Span::kPlain && !spans.empty() && spans.back().kind == Span::kPlain) {
    absl::StrAppend(&spans.back().text, text);
  } else {
    spans.push_back({kind, std::string(text), std::string(target)});
  }
}

}  // namespace

Spans ReadMarkup(absl::string_view text, std::string* problem) {
  Spans spans;
  size_t at = 0;
  const auto complain = [&](absl::string_view what) {
    if (problem != nullptr && problem->empty()) *problem = std::string(what);
  };
  while (at < text.size()) {
    if (text[at] == '`') {
      const size_t end = text.find('`', at + 1);
      if (end != absl::string_view::npos) {
        Append(spans, Span::kCode, text.substr(at + 1, end - at - 1));
        at = end + 1;
        continue;
      }
      complain("a ` is not closed");
    } else if (text.substr(at, 2) == "**") {
      const size_t end = text.find("**", at + 2);
      if (end != absl::string_view::npos) {
        Append(spans, Span::kStrong, text.substr(at + 2, end - at - 2));
        at = end + 2;
        continue;
      }
      complain("** is not closed");
    } else if (text[at] == '[') {
      const size_t middle = text.find("](", at), end = middle == absl::string_view::npos ? middle : text.find(')', middle);
      if (end != absl::string_view::npos && text.substr(at, middle - at).find('\n') == absl::string_view::npos) {
        Append(spans, Span::kLink, text.substr(at + 1, middle - at - 1), text.substr(middle + 2, end - middle - 2));
        at = end + 1;
        continue;
      }
    }
    Append(spans, Span::kPlain, text.substr(at, 1));
    ++at;
  }
  return spans;
}

std::string PlainText(const Spans& spans) {
  std::string text;
  for (const Span& span : spans) absl::StrAppend(&text, span.kind == Span::kCode ? "`" : "", span.text, span.kind == Span::kCode ? "`" : "");
  return text;
}

}  // namespace hloscope::lessons
