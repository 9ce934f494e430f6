#include "core/debug/expression_literals.h"

#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "core/debug/expression_integers.h"

namespace hloscope::expression {

void TakeAsPrinted(absl::string_view text, const ExpressionResult& other, ExpressionResult* side) {
  if (other.kind != ExpressionResult::kValue || other.unknown || !other.value.shape().IsArray()) return;
  const ElementType type = other.value.shape().element_type();
  if (!IsFloat(type) || BitWidth(type) > 32) return;
  double number = 0;
  const bool alone = absl::SimpleAtod(absl::StripAsciiWhitespace(text), &number);
  if (!alone || side->kind != ExpressionResult::kNumbers || side->unknown || side->re.size() != 1 || !side->im.empty() || AreIntegers(*side)) return;
  if (const float printed = static_cast<float>(number); std::isfinite(printed)) side->re[0] = printed;
}

}  // namespace hloscope::expression
