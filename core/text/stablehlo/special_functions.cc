#include "core/text/stablehlo/special_functions.h"

#include <cmath>
#include <limits>
#include <vector>

namespace hloscope::stablehlo {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Highest power first.
Ex Polynomial(const Ex& x, const std::vector<double>& coefficients) {
  Ex sum = x.Like(coefficients[0]);
  for (size_t k = 1; k < coefficients.size(); ++k) sum = sum * x + coefficients[k];
  return sum;
}

// The sum of c[k] T_k(x / 2), c[0] halved; highest k first (Clenshaw's recurrence).
Ex Chebyshev(const Ex& x, const std::vector<double>& coefficients) {
  Ex b0 = x.Like(0), b1 = b0, b2 = b0;
  for (double c : coefficients) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2 + c;
  }
  return (b0 - b2) * 0.5;
}

// Lanczos' approximation of gamma with g = 7 and nine terms.
constexpr double kLanczosG = 7;
constexpr double kLanczosBase = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {676.520368121885098567009190444019,  -1259.13921672240287047156078755283, 771.3234287776530788486528258894,
                               -176.61502916214059906584551354,     12.507343278686904814458936853,      -0.13857109526572011689554707,
                               9.984369578019570859563e-6,          1.50563273514931155834e-7};

// Log t and t for t = z + g + 1/2, accurately for small z.
std::pair<Ex, Ex> LanczosLog(const Ex& z) {
  const double shift = kLanczosG + 0.5;
  return {Log1p(z / shift) + std::log(shift), z + shift};
}

}  // namespace

Ex Erfc(const Ex& x) {
  // For 1 < |x|: exp(-x^2) times a ratio of polynomials (W. J. Cody's form, coefficients as in Cephes).
  const Ex a = Abs(x);
  const std::vector<double> p = {2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687, 4.86371970985681366614e1, 1.96520832956077098242e2,
                                 5.26445194995477358631e2,   9.34528527171957607540e2,  1.02755188689515710272e3, 5.57535335369399327526e2};
  const std::vector<double> q = {1, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2, 9.75708501743205489753e2,
                                 1.82390916687909736289e3, 2.24633760818710981792e3, 1.65666309194161350182e3, 5.57535340817727675546e2};
  const std::vector<double> r = {5.64189583547755073984e-1, 1.27536670759978104416, 5.01905042251180477414, 6.16021097993053585195, 7.40974269950448939160, 2.97886665372100240670};
  const std::vector<double> s = {1, 2.26052863220117276590, 9.39603524938001434673, 1.20489539808096656605e1, 1.70814450747565897222e1, 9.60896809063285878198, 3.36907645100081516050};
  // x^2 as the square of few bits, which is exact, and the rest: exp would magnify the rounding of x^2.
  const Ex few = {x.e, x.e->Add(Opcode::kReducePrecision, {a.i}, {IntAttribute(AttrId::kExponentBits, 11), IntAttribute(AttrId::kMantissaBits, 20)})};
  const Ex power = Exp(-(few * few)) * Exp(-((a - few) * (a + few)));
  const Ex ratio = Select(a < 8, Polynomial(a, p) / Polynomial(a, q), Polynomial(a, r) / Polynomial(a, s));
  const Ex tail = Select(a > 28, 0.0, power * ratio);
  const Ex large = Select(x < 0, 2.0 - tail, tail);
  return Select(a <= 1, 1.0 - Erf(x), Select(x != x, x, large));
}

Ex ErfInv(const Ex& x) {
  // M. Giles, "Approximating the erfinv function": polynomials in w = -log(1 - x^2).
  const Ex w = -Log1p(-(x * x));
  const Ex near = Polynomial(w - 3.125, {-3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17, -1.333171662854620906e-16,
                                         2.0972767875968561637e-17,  6.6376381343583238325e-15, -4.0545662729752068639e-14, -8.1519341976054721522e-14, 2.6335093153082322977e-12,
                                         -1.2975133253453532498e-11, -5.4154120542946279317e-11, 1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08,
                                         4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
                                         -0.0060336708714301490533,  0.24015818242558961693, 1.6536545626831027356});
  const Ex root = Sqrt(w);
  const Ex middle = Polynomial(root - 3.25, {2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08, 1.5027403968909827627e-06,
                                             -4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05, 6.8284851459573175448e-05,
                                             2.4031110387097893999e-05, -0.0003550375203628474796, 0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
                                             -0.0037512085075692412107, 0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635});
  const Ex far = Polynomial(root - 5.0, {-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09, -3.7894654401267369937e-09, 7.6157012080783393804e-09,
                                         -1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08, 2.2900482228026654717e-07, -9.9298272942317002539e-07,
                                         4.5260625972231537039e-06, -1.9681778105531670567e-05, 7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026,
                                         1.0103004648645343977, 4.8499064014085844221});
  return Select(Abs(x) == 1, x * kInfinity, Select(w < 6.25, near, Select(w < 16, middle, far)) * x);
}

Ex Lgamma(const Ex& x) {
  // gamma(z + 1) = sqrt(2 pi) t^(z + 1/2) e^-t S(z), t = z + g + 1/2; below 1/2 by reflection.
  const Ex reflect = x < 0.5;
  const Ex z = Select(reflect, -x, x - 1.0);
  Ex sum = z.Like(kLanczosBase);
  for (size_t k = 0; k < std::size(kLanczos); ++k) sum = sum + kLanczos[k] / (z + static_cast<double>(k + 1));
  const auto [log_t, t] = LanczosLog(z);
  const Ex log_gamma = (z + 0.5 - t / log_t) * log_t + 0.91893853320467274178 + Log(sum);
  const Ex a = Abs(x);
  const Ex fraction = a - Floor(a);
  const Ex reduced = Select(fraction > 0.5, 1.0 - fraction, fraction);
  const Ex log_sine = Log(Sin(reduced * kPi));
  const Ex reflected = Select(IsFinite(log_sine), std::log(kPi) - log_sine - log_gamma, -log_sine);
  return Select(a == kInfinity, kInfinity, Select(reflect, reflected, log_gamma));
}

Ex Digamma(const Ex& x) {
  // The derivative of Lgamma's formula.
  const Ex reflect = x < 0.5;
  const Ex z = Select(reflect, -x, x - 1.0);
  Ex numerator = z.Like(0), denominator = z.Like(kLanczosBase);
  for (size_t k = 0; k < std::size(kLanczos); ++k) {
    const Ex d = z + static_cast<double>(k + 1);
    numerator = numerator - kLanczos[k] / (d * d);
    denominator = denominator + kLanczos[k] / d;
  }
  const auto [log_t, t] = LanczosLog(z);
  const Ex y = log_t + numerator / denominator - kLanczosG / t;
  const Ex reduced = (x + Abs(Floor(x + 0.5))) * kPi;
  const Ex reflected = y - kPi * Cos(reduced) / Sin(reduced);
  const Ex pole = (x <= 0) && (x == Floor(x));
  return Select(pole, kNaN, Select(x == -kInfinity, kNaN, Select(reflect, reflected, y)));
}

Ex Zeta(const Ex& x, const Ex& q) {
  // Euler and Maclaurin: ten terms, the integral of the rest, and corrections with the numbers (2k)! / B_2k.
  constexpr double kDivisors[] = {12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10, -2.950130727918164224e12, 1.1646782814350067249e14,
                                  -4.5979787224074726105e15, 1.8152105401943546773e17, -7.1661652561756670113e18};
  const Ex minus = -x;
  Ex sum = Pow(q, minus);
  Ex a = q, power = sum;
  for (int k = 1; k <= 9; ++k) {
    a = a + 1.0;
    power = Pow(a, minus);
    sum = sum + power;
  }
  sum = sum + power * a / (x - 1.0) - power * 0.5;
  Ex factor = x.Like(1), b = power;
  double k = 0;
  for (double divisor : kDivisors) {
    factor = factor * (x + k);
    b = b / a;
    sum = sum + factor * b / divisor;
    factor = factor * (x + (k + 1));
    b = b / a;
    k += 2;
  }
  const Ex whole_x = x == Floor(x);
  const Ex even = Floor(x * 0.5) == x * 0.5;
  const Ex pole = (q <= 0) && (q == Floor(q));
  const Ex undefined = (x < 1) || ((q <= 0) && !whole_x);
  // Far out the first term is all there is.
  const Ex result = Select(power == 0.0, Select(sum != sum, Pow(q, minus), sum), sum);
  return Select(undefined || (x != x) || (q != q), kNaN, Select(pole, Select(even, x.Like(kInfinity), kNaN), Select(x == 1, kInfinity, result)));
}

Ex Polygamma(const Ex& n, const Ex& x) {
  const Ex next = n + 1.0;
  const Ex odd = Floor(n * 0.5) != n * 0.5;
  const Ex value = Exp(Lgamma(next)) * Zeta(next, x);
  const Ex result = Select(n == 0, Digamma(x), Select(odd, value, -value));
  return Select((n < 0) || (n != Floor(n)), kNaN, result);
}

namespace {

// exp(-x) I1(x), in wide arithmetic. Below 60 the series, whose terms are all positive; beyond, the expansion in 1 / x.
long double I1e(long double x) {
  if (x < 60) {
    const long double t = x * x / 4;
    long double term = x / 2, sum = 0;
    for (int k = 0; k < 400 && term > sum * 1e-25L; ++k) {
      sum += term;
      term *= t / (static_cast<long double>(k + 1) * (k + 2));
    }
    return sum * std::exp(-x);
  }
  long double term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    const long double next = term * -(4.0L - (2.0L * k - 1) * (2.0L * k - 1)) / (8.0L * k * x);
    if (std::abs(next) > std::abs(term)) break;
    term = next;
    sum += term;
  }
  return sum / std::sqrt(2 * 3.14159265358979323846264338327950288L * x);
}

// Chebyshev coefficients of f over [-2, 2], highest first.
template <typename F>
std::vector<double> ChebyshevCoefficients(int count, F f) {
  constexpr int kNodes = 64;
  constexpr long double kWidePi = 3.14159265358979323846264338327950288L;
  std::vector<long double> at(kNodes);
  for (int j = 0; j < kNodes; ++j) at[j] = f(2 * std::cos(kWidePi * (j + 0.5L) / kNodes));
  std::vector<double> coefficients(count);
  for (int k = 0; k < count; ++k) {
    long double sum = 0;
    for (int j = 0; j < kNodes; ++j) sum += at[j] * std::cos(kWidePi * k * (j + 0.5L) / kNodes);
    coefficients[count - 1 - k] = static_cast<double>(2 * sum / kNodes);
  }
  return coefficients;
}

}  // namespace

Ex BesselI1e(const Ex& x) {
  static const auto* const kNear = new std::vector<double>(ChebyshevCoefficients(30, [](long double y) {
    const long double v = 2 * y + 4;
    return v == 0 ? 0.5L : I1e(v) / v;
  }));
  static const auto* const kFar = new std::vector<double>(ChebyshevCoefficients(26, [](long double y) {
    const long double v = 32 / (y + 2);
    return I1e(v) * std::sqrt(v);
  }));
  const Ex a = Abs(x);
  const Ex near = a * Chebyshev(a * 0.5 - 2.0, *kNear);
  const Ex far = Chebyshev(32.0 / a - 2.0, *kFar) * Rsqrt(a);
  const Ex magnitude = Select(a <= 8, near, far);
  return Select(x < 0, -magnitude, magnitude);
}

Ex NextAfter(const Ex& x, const Ex& y) {
  const ElementType type = x.i->shape.element_type();
  const int bits = BitWidth(type);
  const ElementType integer = bits == 64 ? ElementType::kS64 : bits == 32 ? ElementType::kS32 : bits == 16 ? ElementType::kS16 : bits == 8 ? ElementType::kS8 : ElementType::kS4;
  const Shape as_integer = x.i->shape.WithoutLayouts().WithElementType(integer), as_float = x.i->shape.WithoutLayouts();
  const auto constant = [&](int64_t v) { return Ex{x.e, x.e->Splat(x.e->ScalarInt(integer, v), as_integer)}; };
  const int64_t sign_bit = bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (bits - 1));
  const Ex ix = {x.e, x.e->Add(Opcode::kBitcastConvert, {x.i}, {}, &as_integer)};
  const Ex iy = {x.e, x.e->Add(Opcode::kBitcastConvert, {y.i}, {}, &as_integer)};
  const Ex sign_x = ix && constant(sign_bit), sign_y = iy && constant(sign_bit);
  const Ex size_x = ix && constant(~sign_bit), size_y = iy && constant(~sign_bit);
  // From zero the smallest number on y's side; towards zero when the signs differ or x is the larger one.
  const Ex from_zero = sign_y || constant(1);
  const Ex shrink = (sign_x != sign_y) || Compare("GT", size_x, size_y);
  const Ex stepped = ix + Select(shrink, constant(-1), constant(1));
  const Ex moved = Select(size_x == constant(0), Select(size_y == constant(0), iy, from_zero), stepped);
  const Ex settled = Select(ix == iy, iy, moved);
  const Ex result = {x.e, x.e->Add(Opcode::kBitcastConvert, {settled.i}, {}, &as_float)};
  return Select((x != x) || (y != y), x + y, Select(x == y, y, result));
}

}  // namespace hloscope::stablehlo
