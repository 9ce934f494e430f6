#include "app/cli/number_json.h"

#include <cmath>

#include "core/literal/format.h"

namespace hloscope::cli {

using nlohmann::ordered_json;

ordered_json Number(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(FormatDouble(x)); }

ordered_json Number(const Scalar& s) {
  if (IsFloat(s.type) && s.IsFinite()) return s.re;
  if (IsFloat(s.type) || IsComplex(s.type)) return ToText(s);
  return IsUnsigned(s.type) ? ordered_json(s.u()) : ordered_json(s.i);
}

}  // namespace hloscope::cli
