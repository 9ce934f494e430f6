#include "visualizer/widgets/theme.h"

#include <cmath>
#include <cstdio>

namespace hloscope::ui {
namespace {

constexpr ImU32 Rgb(uint32_t hex, uint32_t alpha = 0xff) {
  return ((hex >> 16) & 0xff) | (hex & 0xff00) | ((hex & 0xff) << 16) | (alpha << 24);
}

Palette Dark() {
  Palette p{};
  p.window = Rgb(0x14161b);
  p.panel = Rgb(0x1b1e25);
  p.raised = Rgb(0x262a33);
  p.sunken = Rgb(0x15171c);
  p.border = Rgb(0x2c313b);
  p.hover = Rgb(0x2b303b);
  p.active = Rgb(0x343b49);
  p.text = Rgb(0xdfe2e9);
  p.dim = Rgb(0x989fae);
  p.faint = Rgb(0x6b7280);
  p.amber = Rgb(0xf5bf4f);
  p.red = Rgb(0xff5f57);
  p.blue = Rgb(0x5ea9ff);
  p.teal = Rgb(0x4fd1bd);
  p.pink = Rgb(0xff78cf);
  p.green = Rgb(0x5fd38d);
  p.violet = Rgb(0xb48cff);
  p.orange = Rgb(0xf79a5c);
  p.amber_fill = Rgb(0xf5bf4f, 0x2c);
  p.red_fill = Rgb(0xff5f57, 0x30);
  p.blue_fill = Rgb(0x5ea9ff, 0x30);
  p.pink_fill = Rgb(0xff78cf, 0x2c);
  p.green_fill = Rgb(0x2e7d4f, 0x70);
  p.shadow = Rgb(0x000000, 0x80);
  return p;
}

Palette Light() {
  Palette p{};
  p.window = Rgb(0xe9ebf0);
  p.panel = Rgb(0xffffff);
  p.raised = Rgb(0xeff1f5);
  p.sunken = Rgb(0xf5f6f9);
  p.border = Rgb(0xd5d9e1);
  p.hover = Rgb(0xe8ecf3);
  p.active = Rgb(0xd9e0ec);
  p.text = Rgb(0x1d2129);
  p.dim = Rgb(0x565e6c);
  p.faint = Rgb(0x868e9c);
  p.amber = Rgb(0xa86500);
  p.red = Rgb(0xcf2f28);
  p.blue = Rgb(0x1763c6);
  p.teal = Rgb(0x00796b);
  p.pink = Rgb(0xb8198a);
  p.green = Rgb(0x1b7f45);
  p.violet = Rgb(0x6a3fc4);
  p.orange = Rgb(0xb4560f);
  p.amber_fill = Rgb(0xf5bf4f, 0x58);
  p.red_fill = Rgb(0xff5f57, 0x30);
  p.blue_fill = Rgb(0x1763c6, 0x26);
  p.pink_fill = Rgb(0xb8198a, 0x20);
  p.green_fill = Rgb(0x37b26c, 0x50);
  p.shadow = Rgb(0x000000, 0x30);
  return p;
}

constexpr char kInter[] = "/usr/share/fonts/opentype/inter/Inter-Regular.otf";
constexpr char kInterStrong[] = "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf";
constexpr char kMono[] = "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf";
constexpr char kMonoStrong[] = "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Bold.ttf";

// Latin, Greek, and the signs that formulas and texts use.
constexpr ImWchar kRanges[] = {0x20, 0xff, 0x391, 0x3c9, 0x2010, 0x2026, 0x2070, 0x209c, 0x2190, 0x2195, 0x2200, 0x22ff, 0x2713, 0x2717, 0x25a0, 0x25ff, 0};

ImFont* Load(const char* path, float size, const char** missing) {
  ImGuiIO& io = ImGui::GetIO();
  if (std::FILE* file = std::fopen(path, "rb")) {
    std::fclose(file);
    ImFontConfig config;
    config.OversampleH = 2;
    config.OversampleV = 1;
    config.PixelSnapH = size < 24;
    config.RasterizerMultiply = 1.1f;
    if (ImFont* font = io.Fonts->AddFontFromFileTTF(path, size, &config, kRanges)) return font;
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
  Fonts& font = TheLook().font;
  *missing = nullptr;
  // Inter's letters are large for their size beside other typefaces': 14 of the file's units are the 13 px that people expect.
  font.ui = Load(kInter, std::round(15 * scale), missing);
  font.strong = Load(kInterStrong, std::round(15 * scale), missing);
  font.small = Load(kInter, std::round(13 * scale), missing);
  font.title = Load(kInterStrong, std::round(20 * scale), missing);
  font.mono = Load(kMono, std::round(16 * scale), missing);
  font.mono_strong = Load(kMonoStrong, std::round(16 * scale), missing);
  font.mono_small = Load(kMono, std::round(13 * scale), missing);
  io.FontDefault = font.ui;
}

void Apply(Scheme scheme, float scale) {
  Look& look = TheLook();
  look.scheme = scheme;
  look.scale = scale;
  look.color = scheme == Scheme::kDark ? Dark() : Light();
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
