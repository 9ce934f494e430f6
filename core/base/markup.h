// Text in HTML, SVG and XML.
#ifndef HLOSCOPE_CORE_BASE_MARKUP_H_
#define HLOSCOPE_CORE_BASE_MARKUP_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hloscope {

// Between tags, and in an attribute between double quotes. Control characters but line ends and tabs, and bytes that are no UTF-8, become U+FFFD each:
// XML holds neither, whatever a program's names hold.
std::string EscapeMarkup(absl::string_view text);
// The same where line ends and tabs in an attribute are to be kept: readers of XML make spaces of them.
std::string EscapeAttribute(absl::string_view text);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_MARKUP_H_
