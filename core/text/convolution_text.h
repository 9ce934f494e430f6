// Attributes with a notation of their own: window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, padding=0_1_0x2_3.
#ifndef HLOSCOPE_CORE_TEXT_CONVOLUTION_TEXT_H_
#define HLOSCOPE_CORE_TEXT_CONVOLUTION_TEXT_H_

#include <string>

#include "core/ir/attributes.h"
#include "core/text/attribute_text.h"

namespace hloscope {

bool ReadWindow(AttributeReading& r, AttrValue& value);
void PrintWindow(const AttrValue& value, const PrintOptions& options, std::string* out);
bool ReadDimLabels(AttributeReading& r, AttrValue& value);
void PrintDimLabels(const AttrValue& value, const PrintOptions& options, std::string* out);
bool ReadPadding(AttributeReading& r, AttrValue& value);
void PrintPadding(const AttrValue& value, const PrintOptions& options, std::string* out);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_CONVOLUTION_TEXT_H_
