#include "visualizer/canvas/svg.h"

#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/markup.h"
#include "visualizer/canvas/image_file.h"
#include "visualizer/canvas/shapes.h"
#include "visualizer/canvas/typeface.h"

namespace hloscope {
namespace {

// Numbers with at most two places: "12.5", "-0.25", "3".
std::string N(float x) {
  const auto hundredths = static_cast<int64_t>(std::lround(x * 100));
  const int64_t size = std::abs(hundredths);
  std::string text = absl::StrCat(hundredths < 0 ? "-" : "", size / 100);
  if (const int64_t rest = size % 100; rest != 0) absl::StrAppend(&text, rest % 10 == 0 ? absl::StrFormat(".%d", rest / 10) : absl::StrFormat(".%02d", rest));
  return text;
}

constexpr const char* kNames[] = {"none",  "exact",  "window", "panel",  "raised", "sunken", "border", "hover",  "active", "text",   "dim",    "faint",  "amber", "red",
                                  "blue",  "teal",   "pink",   "green",  "violet", "orange", "group0", "group1", "group2", "group3", "group4", "group5", "group6", "group7"};

class SvgWriter {
 public:
  SvgWriter(const Drawing& drawing, const SvgOptions& options) : drawing_(drawing), options_(options) {}

  std::string Write() {
    for (const Drawn& item : drawing_.items()) std::visit([this](const auto& it) { Put(it); }, item);
    for (; open_clips_ > 0; --open_clips_) body_ += "</g>\n";
    if (options_.hints) PutHints();
    const float width = drawing_.whole_width(), height = drawing_.whole_height();
    std::string out = absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", N(width * options_.scale), "\" height=\"", N(height * options_.scale), "\" viewBox=\"0 0 ", N(width), " ",
                                   N(height), "\" role=\"img\">\n");
    if (!drawing_.title.empty()) absl::StrAppend(&out, "<title>", EscapeMarkup(drawing_.title), "</title>\n");
    if (!drawing_.description.empty()) absl::StrAppend(&out, "<desc>", EscapeMarkup(drawing_.description), "</desc>\n");
    // Kerning and ligatures would make text wider or narrower than it was measured.
    absl::StrAppend(&out, "<style>text{font-kerning:none;font-variant-ligatures:none;white-space:pre}.u,.s{font-family:", FontFamily(Face::kUi), "}.m,.b{font-family:", FontFamily(Face::kMono),
                    "}.s{font-weight:600}.b{font-weight:700}</style>\n");
    if (!defs_.empty()) absl::StrAppend(&out, "<defs>\n", defs_, "</defs>\n");
    if (options_.background) absl::StrAppend(&out, "<rect width=\"", N(width), "\" height=\"", N(height), "\"", Fill(Ink::kPanel), "/>\n");
    return absl::StrCat(out, body_, "</svg>\n");
  }

 private:
  std::string Color(const Paint& paint) const {
    if (paint.ink == Ink::kExact) return absl::StrFormat("#%06x", paint.rgb);
    if (options_.variables) return absl::StrCat("var(--hls-", kNames[static_cast<int>(paint.ink)], ")");
    return absl::StrFormat("#%06x", ColorOf(paint.ink, options_.scheme));
  }
  // A property of CSS where variables stand in it, which attributes do not take.
  std::string Property(absl::string_view name, const std::string& value) const { return absl::StrCat(" ", name, "=\"", value, "\""); }
  std::string Colored(absl::string_view name, const Paint& paint) const {
    if (paint.none()) return Property(name, "none");
    std::string text = options_.variables && paint.ink != Ink::kExact ? absl::StrCat(" style=\"", name, ":", Color(paint), "\"") : Property(name, Color(paint));
    if (paint.strength < 1) absl::StrAppend(&text, Property(absl::StrCat(name, "-opacity"), N(paint.strength)));
    return text;
  }
  std::string Fill(const Paint& paint) const { return Colored("fill", paint); }
  // Fill and line together; two styles in one element are one attribute.
  std::string FillAndLine(const Paint& fill, const Paint& line, float width) const {
    std::string text;
    if (line.none()) return Fill(fill);
    if (options_.variables) {
      const auto value = [this](const Paint& paint) { return paint.none() ? std::string("none") : Color(paint); };
      text = absl::StrCat(" style=\"fill:", value(fill), ";stroke:", value(line), "\"");
      if (!fill.none() && fill.strength < 1) absl::StrAppend(&text, Property("fill-opacity", N(fill.strength)));
      if (line.strength < 1) absl::StrAppend(&text, Property("stroke-opacity", N(line.strength)));
    } else {
      text = absl::StrCat(Fill(fill), Colored("stroke", line));
    }
    if (width != 1) absl::StrAppend(&text, Property("stroke-width", N(width)));
    return text;
  }

  static std::string Rect(const Box& box, float radius) {
    return absl::StrCat("<rect x=\"", N(box.x), "\" y=\"", N(box.y), "\" width=\"", N(box.width), "\" height=\"", N(box.height), "\"", radius > 0 ? absl::StrCat(" rx=\"", N(radius), "\"") : "");
  }

  void Put(const DrawnBox& it) {
    const Box box = SnapBox(it.box, it.line.none() ? 0 : it.line_width, 1);
    absl::StrAppend(&body_, Rect(box, it.radius), FillAndLine(it.fill, it.line, it.line_width), "/>\n");
    if (!it.hatched || it.line.none()) return;
    const std::string key = absl::StrCat(Color(it.line), N(it.line.strength));
    const auto [at, is_new] = hatches_.try_emplace(key, absl::StrCat("h", hatches_.size()));
    if (is_new) {
      absl::StrAppend(&defs_, "<pattern id=\"", Id(at->second), "\" width=\"", N(kHatchStep), "\" height=\"", N(kHatchStep),
                      "\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path d=\"M0 0V", N(kHatchStep), "\"", FillAndLine({}, it.line, 1.5f), "/></pattern>\n");
    }
    absl::StrAppend(&body_, Rect(box, it.radius), " fill=\"url(#", Id(at->second), ")\"/>\n");
  }

  void Put(const DrawnLine& it) {
    std::vector<Place> points = SnapLine(it, 1);
    const std::optional<ArrowHead> head = it.style.arrow ? HeadOf(points, it.style.width) : std::nullopt;
    if (head.has_value()) points.back() = head->line_end;
    std::string path = absl::StrCat("M", N(points[0].x), " ", N(points[0].y));
    for (size_t i = 1; i < points.size(); ++i) {
      if (it.curve && i % 3 == 1) path += 'C';
      if (!it.curve) path += 'L';
      else if (i % 3 != 1) path += ' ';
      absl::StrAppend(&path, N(points[i].x), " ", N(points[i].y));
    }
    if (it.closed) path += 'Z';
    absl::StrAppend(&body_, "<path d=\"", path, "\"", FillAndLine(it.closed ? it.fill : Paint(), it.style.paint, it.style.width));
    if (it.style.kind == LineKind::kDashed) body_ += " stroke-dasharray=\"4 3\"";
    if (it.style.kind == LineKind::kDotted) body_ += " stroke-dasharray=\"0.1 3\" stroke-linecap=\"round\"";
    body_ += "/>\n";
    if (!head.has_value()) return;
    absl::StrAppend(&body_, "<path d=\"M", N(head->tip.x), " ", N(head->tip.y), "L", N(head->left.x), " ", N(head->left.y), "L", N(head->right.x), " ", N(head->right.y), "Z\"",
                    Fill(it.style.paint), "/>\n");
  }

  void Put(const DrawnText& it) {
    constexpr const char* kClasses[] = {"u", "s", "m", "b"};
    const float width = TextWidth(it.text, it.style.face, it.style.size);
    absl::StrAppend(&body_, "<text class=\"", kClasses[static_cast<int>(it.style.face)], "\" x=\"", N(it.at.x), "\" y=\"", N(it.at.y), "\" font-size=\"", N(it.style.size), "\"");
    if (it.style.align == Align::kCenter) body_ += " text-anchor=\"middle\"";
    if (it.style.align == Align::kRight) body_ += " text-anchor=\"end\"";
    // Another program with another font still keeps to the place that was measured.
    if (it.text.size() > 1) absl::StrAppend(&body_, " textLength=\"", N(width), "\" lengthAdjust=\"spacingAndGlyphs\"");
    absl::StrAppend(&body_, Fill(it.style.paint), ">", EscapeMarkup(it.text), "</text>\n");
  }

  void Put(const DrawnImage& it) {
    absl::StrAppend(&body_, "<image x=\"", N(it.box.x), "\" y=\"", N(it.box.y), "\" width=\"", N(it.box.width), "\" height=\"", N(it.box.height),
                    "\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64,", absl::Base64Escape(PngOf(it)), "\"/>\n");
  }

  void Put(const DrawnClip& it) {
    if (it.end) {
      if (open_clips_ == 0) return;
      --open_clips_;
      body_ += "</g>\n";
      return;
    }
    const std::string id = Id(absl::StrCat("c", clips_++));
    absl::StrAppend(&defs_, "<clipPath id=\"", id, "\">", Rect(it.box, 0), "/></clipPath>\n");
    absl::StrAppend(&body_, "<g clip-path=\"url(#", id, ")\">\n");
    ++open_clips_;
  }

  void PutHints() {
    for (const Spot& spot : drawing_.spots()) {
      if (!spot.hint.empty()) absl::StrAppend(&body_, Rect(spot.box, 0), " fill=\"#000\" fill-opacity=\"0\"><title>", EscapeMarkup(spot.hint), "</title></rect>\n");
    }
  }

  // Several drawings in one page have one room of names.
  std::string Id(const std::string& name) {
    if (prefix_.empty()) {
      size_t hash = std::hash<std::string>()(absl::StrCat(drawing_.title, "|", drawing_.description, "|", drawing_.items().size(), "|", drawing_.width(), "|", drawing_.height()));
      prefix_ = options_.variables ? absl::StrFormat("p%06x-", hash & 0xffffff) : "-";
    }
    return prefix_ == "-" ? name : absl::StrCat(prefix_, name);
  }

  const Drawing& drawing_;
  const SvgOptions& options_;
  std::string body_, defs_, prefix_;
  std::map<std::string, std::string> hatches_;
  int clips_ = 0, open_clips_ = 0;
};

}  // namespace

std::string WriteSvg(const Drawing& drawing, const SvgOptions& options) { return SvgWriter(drawing, options).Write(); }

std::string SvgColors(PaletteScheme scheme) {
  std::string text;
  for (int i = static_cast<int>(Ink::kWindow); i <= static_cast<int>(Ink::kGroup7); ++i) {
    absl::StrAppend(&text, text.empty() ? "" : " ", "--hls-", kNames[i], ": ", absl::StrFormat("#%06x", ColorOf(static_cast<Ink>(i), scheme)), ";");
  }
  return text;
}

}  // namespace hloscope
