// Short ways to named constants, for the examples.
#ifndef HLOSCOPE_APP_REFERENCE_SHORT_H_
#define HLOSCOPE_APP_REFERENCE_SHORT_H_

#include <initializer_list>

#include "core/ops/builder/constants.h"

namespace hloscope::examples {

using namespace hlo;  // NOLINT: the examples are about it
using B = Builder;
template <typename T>
using Row = std::initializer_list<T>;

inline Op F(B* b, const char* name, float x) { return ConstantR0<float>(b, x).Named(name); }
inline Op I(B* b, const char* name, int32_t x) { return ConstantR0<int32_t>(b, x).Named(name); }
inline Op F(B* b, const char* name, Row<float> x) { return ConstantR1<float>(b, x).Named(name); }
inline Op I(B* b, const char* name, Row<int32_t> x) { return ConstantR1<int32_t>(b, x).Named(name); }
inline Op P(B* b, const char* name, Row<bool> x) { return ConstantR1<bool>(b, x).Named(name); }
inline Op F2(B* b, const char* name, Row<Row<float>> x) { return ConstantR2<float>(b, x).Named(name); }
inline Op I2(B* b, const char* name, Row<Row<int32_t>> x) { return ConstantR2<int32_t>(b, x).Named(name); }
inline Shape A(ElementType type, std::vector<int64_t> dims) { return Shape::Array(type, dims); }

}  // namespace hloscope::examples

#endif  // HLOSCOPE_APP_REFERENCE_SHORT_H_
