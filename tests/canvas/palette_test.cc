// The palette: the colours of groups can be told apart, also by eyes that see fewer colours.
#include "visualizer/canvas/palette.h"

#include <array>
#include <cmath>

#include "gtest/gtest.h"

namespace hloscope {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

Vector Times(const Matrix& m, const Vector& v) {
  Vector out{};
  for (int i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

// Machado, Oliveira and Fernandes (2009), at full severity, on linear RGB.
constexpr Matrix kEyes[] = {
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},   // protanopia
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},    // deuteranopia
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}};  // tritanopia

Vector Lab(uint32_t rgb, const Matrix& eye) {
  Vector linear{};
  for (int i = 0; i < 3; ++i) {
    const double c = (rgb >> (16 - 8 * i) & 0xff) / 255.0;
    linear[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  linear = Times(eye, linear);
  for (double& c : linear) c = std::fmin(1, std::fmax(0, c));
  Vector xyz = Times({{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}}, linear);
  const Vector white = {0.9505, 1, 1.089};
  for (int i = 0; i < 3; ++i) {
    const double t = xyz[i] / white[i];
    xyz[i] = t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116;
  }
  return {116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

TEST(Palette, GroupsAreToldApartByAllEyes) {
  for (const PaletteScheme scheme : {PaletteScheme::kDark, PaletteScheme::kLight}) {
    for (int a = 0; a < kGroupInks; ++a) {
      for (int b = a + 1; b < kGroupInks; ++b) {
        for (const Matrix& eye : kEyes) {
          const Vector x = Lab(ColorOf(GroupInk(a), scheme), eye), y = Lab(ColorOf(GroupInk(b), scheme), eye);
          EXPECT_GT(std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]), 20) << a << " and " << b;
        }
      }
    }
  }
}

TEST(Palette, TextStandsOutFromEachGround) {
  for (const PaletteScheme scheme : {PaletteScheme::kDark, PaletteScheme::kLight}) {
    const auto light = [scheme](Ink ink) { return Lab(ColorOf(ink, scheme), kEyes[0])[0]; };
    for (const Ink ground : {Ink::kWindow, Ink::kPanel, Ink::kRaised, Ink::kSunken}) {
      EXPECT_GT(std::abs(light(Ink::kText) - light(ground)), 60);
      EXPECT_GT(std::abs(light(Ink::kDim) - light(ground)), 40);
    }
  }
}

}  // namespace
}  // namespace hloscope
