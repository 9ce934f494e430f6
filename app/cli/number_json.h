// Numbers as the JSON of the verbs has them: what JSON cannot hold (NaN, infinities, complex numbers) as text.
#ifndef HLOSCOPE_APP_CLI_NUMBER_JSON_H_
#define HLOSCOPE_APP_CLI_NUMBER_JSON_H_

#include <nlohmann/json.hpp>

#include "core/literal/scalar.h"

namespace hloscope::cli {

nlohmann::ordered_json Number(double x);
nlohmann::ordered_json Number(const Scalar& s);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_NUMBER_JSON_H_
