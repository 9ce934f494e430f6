#include "visualizer/widgets/theme.h"

#include <cmath>
#include <cstdio>

#include "visualizer/canvas/palette.h"
#include "visualizer/canvas/typeface.h"
#include "visualizer/widgets/letters.h"

namespace hloscope::ui {
namespace {

constexpr ImU32 Rgb(uint32_t hex, uint32_t alpha = 0xff) {
  return ((hex >> 16) & 0xff) | (hex & 0xff00) | ((hex & 0xff) << 16) | (alpha << 24);
}

// Named colours are the palette's (canvas/palette.h); what is behind text is one of them, thin.
Palette Named(PaletteScheme scheme) {
  const auto ink = [scheme](Ink ink, uint32_t alpha = 0xff) { return Rgb(ColorOf(ink, scheme), alpha); };
  Palette p{};
  p.window = ink(Ink::kWindow);
  p.panel = ink(Ink::kPanel);
  p.raised = ink(Ink::kRaised);
  p.sunken = ink(Ink::kSunken);
  p.border = ink(Ink::kBorder);
  p.hover = ink(Ink::kHover);
  p.active = ink(Ink::kActive);
  p.text = ink(Ink::kText);
  p.dim = ink(Ink::kDim);
  p.faint = ink(Ink::kFaint);
  p.amber = ink(Ink::kAmber);
  p.red = ink(Ink::kRed);
  p.blue = ink(Ink::kBlue);
  p.teal = ink(Ink::kTeal);
  p.pink = ink(Ink::kPink);
  p.green = ink(Ink::kGreen);
  p.violet = ink(Ink::kViolet);
  p.orange = ink(Ink::kOrange);
  if (scheme == PaletteScheme::kDark) {
    p.amber_fill = ink(Ink::kAmber, 0x2c);
    p.red_fill = ink(Ink::kRed, 0x30);
    p.blue_fill = ink(Ink::kBlue, 0x30);
    p.pink_fill = ink(Ink::kPink, 0x2c);
    p.green_fill = Rgb(0x2e7d4f, 0x70);
    p.shadow = Rgb(0x000000, 0x80);
  } else {
    p.amber_fill = Rgb(0xf5bf4f, 0x58);
    p.red_fill = Rgb(0xff5f57, 0x30);
    p.blue_fill = ink(Ink::kBlue, 0x26);
    p.pink_fill = ink(Ink::kPink, 0x20);
    p.green_fill = Rgb(0x37b26c, 0x50);
    p.shadow = Rgb(0x000000, 0x30);
  }
  return p;
}

// Latin, Greek, and the signs that formulas and texts use.
constexpr ImWchar kRanges[] = {0x20, 0xff, 0x391, 0x3c9, 0x2010, 0x2026, 0x2070, 0x209c, 0x2190, 0x2195, 0x2200, 0x22ff, 0x2713, 0x2717, 0x25a0, 0x25ff, 0};

ImFont* Load(Face face, float size, const char** missing) {
  ImGuiIO& io = ImGui::GetIO();
  const char* path = FontPath(face);
  if (std::FILE* file = std::fopen(path, "rb")) {
    std::fclose(file);
    ImFontConfig config;
    config.OversampleH = 2;
    config.OversampleV = 1;
    config.PixelSnapH = size < 24;
    config.RasterizerMultiply = 1.1f;
    if (ImFont* font = io.Fonts->AddFontFromFileTTF(path, size, &config, kRanges)) {
      AddLetters(font, face, size);
      return font;
    }
  }
  *missing = path;
  ImFontConfig config;
  config.SizePixels = size;
  return io.Fonts->AddFontDefault(&config);
}

ImVec4 Float(ImU32 color) { return ImGui::ColorConvertU32ToFloat4(color); }

}  // namespace

float Look::px(float at_scale_1) const { return std::round(at_scale_1 * scale); }

Look& TheLook() {
  static Look look;
  return look;
}

void LoadFonts(float scale, const char** missing) {
  ImGuiIO& io = ImGui::GetIO();
  io.Fonts->Clear();
  ForgetPlaces();
  Fonts& font = TheLook().font;
  *missing = nullptr;
  // Inter's letters are large for their size beside other typefaces': 14 of the file's units are the 13 px that people expect.
  font.ui = Load(Face::kUi, std::round(15 * scale), missing);
  font.strong = Load(Face::kStrong, std::round(15 * scale), missing);
  font.small = Load(Face::kUi, std::round(13 * scale), missing);
  font.title = Load(Face::kStrong, std::round(20 * scale), missing);
  font.mono = Load(Face::kMono, std::round(16 * scale), missing);
  font.mono_strong = Load(Face::kMonoStrong, std::round(16 * scale), missing);
  font.mono_small = Load(Face::kMono, std::round(13 * scale), missing);
  io.FontDefault = font.ui;
  PaintLetters();
}

void Apply(Scheme scheme, float scale) {
  Look& look = TheLook();
  look.scheme = scheme;
  look.scale = scale;
  look.color = Named(scheme == Scheme::kDark ? PaletteScheme::kDark : PaletteScheme::kLight);
  const Palette& p = look.color;
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  style.WindowPadding = {look.px(8), look.px(8)};
  style.FramePadding = {look.px(8), look.px(4)};
  style.ItemSpacing = {look.px(8), look.px(4)};
  style.ItemInnerSpacing = {look.px(4), look.px(4)};
  style.CellPadding = {look.px(8), look.px(3)};
  style.IndentSpacing = look.px(16);
  style.ScrollbarSize = look.px(10);
  style.GrabMinSize = look.px(20);
  style.WindowRounding = style.PopupRounding = look.px(6);
  style.FrameRounding = style.GrabRounding = look.px(4);
  style.ScrollbarRounding = look.px(5);
  style.ChildRounding = 0;
  style.WindowBorderSize = style.PopupBorderSize = 1;
  style.ChildBorderSize = 0;
  style.DisabledAlpha = 0.45f;
  style.AntiAliasedLinesUseTex = true;
  ImVec4* c = style.Colors;
  c[ImGuiCol_Text] = Float(p.text);
  c[ImGuiCol_TextDisabled] = Float(p.faint);
  c[ImGuiCol_WindowBg] = Float(p.window);
  c[ImGuiCol_ChildBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_PopupBg] = Float(p.panel);
  c[ImGuiCol_Border] = Float(p.border);
  c[ImGuiCol_FrameBg] = Float(p.sunken);
  c[ImGuiCol_FrameBgHovered] = Float(p.hover);
  c[ImGuiCol_FrameBgActive] = Float(p.sunken);
  c[ImGuiCol_MenuBarBg] = Float(p.window);
  c[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_ScrollbarGrab] = Float(Fade(p.faint, 0.4f));
  c[ImGuiCol_ScrollbarGrabHovered] = Float(Fade(p.faint, 0.7f));
  c[ImGuiCol_ScrollbarGrabActive] = Float(p.faint);
  c[ImGuiCol_CheckMark] = c[ImGuiCol_SliderGrab] = c[ImGuiCol_SliderGrabActive] = Float(p.blue);
  c[ImGuiCol_Button] = Float(p.raised);
  c[ImGuiCol_ButtonHovered] = Float(p.hover);
  c[ImGuiCol_ButtonActive] = Float(p.active);
  c[ImGuiCol_Header] = Float(p.blue_fill);
  c[ImGuiCol_HeaderHovered] = Float(p.hover);
  c[ImGuiCol_HeaderActive] = Float(p.active);
  c[ImGuiCol_Separator] = Float(p.border);
  c[ImGuiCol_SeparatorHovered] = c[ImGuiCol_SeparatorActive] = Float(p.blue);
  c[ImGuiCol_Tab] = Float(p.panel);
  c[ImGuiCol_TabHovered] = Float(p.hover);
  c[ImGuiCol_TabActive] = Float(p.raised);
  c[ImGuiCol_TableHeaderBg] = Float(p.panel);
  c[ImGuiCol_TableBorderStrong] = c[ImGuiCol_TableBorderLight] = Float(p.border);
  c[ImGuiCol_TableRowBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_TableRowBgAlt] = Float(Fade(p.raised, 0.35f));
  c[ImGuiCol_TextSelectedBg] = Float(p.blue_fill);
  c[ImGuiCol_NavHighlight] = Float(p.blue);
  c[ImGuiCol_ModalWindowDimBg] = Float(p.shadow);
}

ImU32 Fade(ImU32 color, float strength) {
  const ImU32 alpha = static_cast<ImU32>(static_cast<float>(color >> 24) * strength + 0.5f);
  return (color & 0x00ffffff) | (alpha << 24);
}

ImU32 Mix(ImU32 a, ImU32 b, float t) {
  ImU32 out = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const float x = static_cast<float>((a >> shift) & 0xff), y = static_cast<float>((b >> shift) & 0xff);
    out |= static_cast<ImU32>(x + (y - x) * t + 0.5f) << shift;
  }
  return out;
}

}  // namespace hloscope::ui
