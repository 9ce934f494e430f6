// Literals of constants: text to Value, straight into the buffer, and back. Not for the display of values (core/literal/format.h).
#ifndef HLOSCOPE_CORE_TEXT_LITERAL_TEXT_H_
#define HLOSCOPE_CORE_TEXT_LITERAL_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/ir/module.h"
#include "core/text/scanner.h"

namespace hloscope {

// Reads the literal at the scanner's place as a value of `shape`. On failure it has been reported.
bool ReadLiteral(Scanner& s, const Shape& shape, ConstantLiteral* literal);

// One element as text: shortest decimals, `nan(0x..)` where the payload is not the usual one. `in_array`: pred as 1 and 0.
void AppendElement(ElementType type, const std::byte* storage, bool in_array, std::string* out);

// The number that begins at `p`: letters, digits, dots, and signs where a number can have them.
absl::string_view NumberToken(const char* p);
// A whole token as a double: decimal, hexadecimal, inf, nan.
bool ParseDouble(absl::string_view token, double* value);
void AppendDouble(double value, std::string* out);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_LITERAL_TEXT_H_
