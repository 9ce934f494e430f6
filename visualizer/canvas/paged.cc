#include "visualizer/canvas/paged.h"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <mutex>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "visualizer/canvas/image_file.h"
#include "visualizer/canvas/shapes.h"
#include "visualizer/canvas/svg.h"
#include "visualizer/canvas/typeface.h"

namespace hloscope {
namespace {

// Cairo's own limit of an image's edge.
constexpr float kMostPixels = 32767;

cairo_status_t TakeBytes(void* to, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

// The fonts as Cairo takes them; for the whole time of the process. Drawn by one thread at a time.
struct PageFonts {
  std::mutex mutex;
  cairo_font_face_t* faces[kFontFiles] = {};
  PageFonts() {
    FT_Library library = nullptr;
    if (FT_Init_FreeType(&library) != 0) return;
    for (int i = 0; i < kFontFiles; ++i) {
      FT_Face face = nullptr;
      if (FT_New_Face(library, FontFile(i), 0, &face) == 0) faces[i] = cairo_ft_font_face_create_for_ft_face(face, FT_LOAD_NO_HINTING);
    }
  }
};
PageFonts& ThePageFonts() {
  static PageFonts& fonts = *new PageFonts;
  return fonts;
}

class Painter {
 public:
  Painter(cairo_t* cr, PaletteScheme scheme, float scale, bool selectable) : cr_(cr), scheme_(scheme), scale_(scale), selectable_(selectable) {}

  void Draw(const Drawing& drawing) {
    for (const Drawn& item : drawing.items()) std::visit([this](const auto& it) { Put(it); }, item);
    for (; open_clips_ > 0; --open_clips_) cairo_restore(cr_);
  }

 private:
  void Use(const Paint& paint) {
    const uint32_t rgb = paint.ink == Ink::kExact ? paint.rgb : ColorOf(paint.ink, scheme_);
    const auto part = [rgb](int shift) { return static_cast<double>(rgb >> shift & 0xff) / 255; };
    cairo_set_source_rgba(cr_, part(16), part(8), part(0), paint.strength);
  }

  void BoxPath(const Box& box, float radius) {
    const double r = std::min({radius, box.width / 2, box.height / 2});
    cairo_new_path(cr_);
    if (r <= 0) {
      cairo_rectangle(cr_, box.x, box.y, box.width, box.height);
      return;
    }
    cairo_arc(cr_, box.right() - r, box.y + r, r, -M_PI / 2, 0);
    cairo_arc(cr_, box.right() - r, box.bottom() - r, r, 0, M_PI / 2);
    cairo_arc(cr_, box.x + r, box.bottom() - r, r, M_PI / 2, M_PI);
    cairo_arc(cr_, box.x + r, box.y + r, r, M_PI, 3 * M_PI / 2);
    cairo_close_path(cr_);
  }

  void Put(const DrawnBox& it) {
    const Box box = SnapBox(it.box, it.line.none() ? 0 : it.line_width, scale_);
    if (!it.fill.none()) {
      BoxPath(box, it.radius);
      Use(it.fill);
      cairo_fill(cr_);
    }
    if (it.line.none()) return;
    if (it.hatched) {
      cairo_save(cr_);
      BoxPath(box, it.radius);
      cairo_clip(cr_);
      cairo_new_path(cr_);
      // Lines x + y = k, the same in neighbouring boxes.
      const float step = kHatchStep * std::sqrt(2.0f);
      for (float k = std::ceil((box.x + box.y) / step) * step; k < box.right() + box.bottom(); k += step) {
        cairo_move_to(cr_, k - box.y, box.y);
        cairo_line_to(cr_, k - box.bottom(), box.bottom());
      }
      Use(it.line);
      cairo_set_line_width(cr_, 1);
      cairo_stroke(cr_);
      cairo_restore(cr_);
    }
    BoxPath(box, it.radius);
    Use(it.line);
    cairo_set_line_width(cr_, it.line_width);
    cairo_stroke(cr_);
  }

  void Put(const DrawnLine& it) {
    std::vector<Place> points = SnapLine(it, scale_);
    const std::optional<ArrowHead> head = it.style.arrow ? HeadOf(points, it.style.width) : std::nullopt;
    if (head.has_value()) points.back() = head->line_end;
    cairo_new_path(cr_);
    cairo_move_to(cr_, points[0].x, points[0].y);
    if (it.curve) {
      for (size_t i = 1; i + 2 < points.size(); i += 3) cairo_curve_to(cr_, points[i].x, points[i].y, points[i + 1].x, points[i + 1].y, points[i + 2].x, points[i + 2].y);
    } else {
      for (size_t i = 1; i < points.size(); ++i) cairo_line_to(cr_, points[i].x, points[i].y);
    }
    if (it.closed) {
      cairo_close_path(cr_);
      if (!it.fill.none()) {
        Use(it.fill);
        cairo_fill_preserve(cr_);
      }
    }
    if (!it.style.paint.none()) {
      constexpr double kDashes[] = {4, 3}, kDots[] = {0.1, 3};
      cairo_save(cr_);
      if (it.style.kind == LineKind::kDashed) cairo_set_dash(cr_, kDashes, 2, 0);
      if (it.style.kind == LineKind::kDotted) {
        cairo_set_dash(cr_, kDots, 2, 0);
        cairo_set_line_cap(cr_, CAIRO_LINE_CAP_ROUND);
      }
      Use(it.style.paint);
      cairo_set_line_width(cr_, it.style.width);
      cairo_stroke(cr_);
      cairo_restore(cr_);
    }
    cairo_new_path(cr_);
    if (!head.has_value()) return;
    cairo_move_to(cr_, head->tip.x, head->tip.y);
    cairo_line_to(cr_, head->left.x, head->left.y);
    cairo_line_to(cr_, head->right.x, head->right.y);
    cairo_close_path(cr_);
    Use(it.style.paint);
    cairo_fill(cr_);
  }

  // Runs of one font, each letter at the place that was measured.
  void Put(const DrawnText& it) {
    const float width = TextWidth(it.text, it.style.face, it.style.size);
    float x = it.style.align == Align::kLeft ? it.at.x : it.style.align == Align::kRight ? it.at.x - width : it.at.x - width / 2;
    Use(it.style.paint);
    absl::string_view rest = it.text;
    std::vector<cairo_glyph_t> glyphs;
    std::vector<cairo_text_cluster_t> clusters;
    int font = -1;
    absl::string_view run = rest;
    const auto flush = [&] {
      if (!glyphs.empty() && font >= 0 && ThePageFonts().faces[font] != nullptr) {
        cairo_set_font_face(cr_, ThePageFonts().faces[font]);
        cairo_set_font_size(cr_, it.style.size);
        if (selectable_) {
          cairo_show_text_glyphs(cr_, run.data(), static_cast<int>(rest.data() - run.data()), glyphs.data(), static_cast<int>(glyphs.size()), clusters.data(), static_cast<int>(clusters.size()), {});
        } else {
          cairo_show_glyphs(cr_, glyphs.data(), static_cast<int>(glyphs.size()));
        }
      }
      glyphs.clear();
      clusters.clear();
      run = rest;
    };
    while (!rest.empty()) {
      absl::string_view after = rest;
      const uint32_t c = TakeCharacter(after);
      const GlyphName name = GlyphOf(it.style.face, c);
      if (name.font != font) {
        flush();
        font = name.font;
      }
      glyphs.push_back({name.glyph, x, it.at.y});
      clusters.push_back({static_cast<int>(rest.size() - after.size()), 1});
      x += Advance(it.style.face, c) * it.style.size;
      rest = after;
    }
    flush();
  }

  void Put(const DrawnImage& it) {
    if (it.width <= 0 || it.height <= 0) return;
    const std::vector<uint32_t> pixels = CairoPixels(it);
    cairo_surface_t* image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, it.width, it.height);
    cairo_surface_flush(image);
    for (int y = 0; y < it.height; ++y) {
      std::memcpy(cairo_image_surface_get_data(image) + static_cast<ptrdiff_t>(y) * cairo_image_surface_get_stride(image), &pixels[static_cast<size_t>(y) * it.width], static_cast<size_t>(it.width) * 4);
    }
    cairo_surface_mark_dirty(image);
    cairo_save(cr_);
    cairo_translate(cr_, it.box.x, it.box.y);
    cairo_scale(cr_, it.box.width / static_cast<float>(it.width), it.box.height / static_cast<float>(it.height));
    cairo_set_source_surface(cr_, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr_), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr_, 0, 0, it.width, it.height);
    cairo_fill(cr_);
    cairo_restore(cr_);
    cairo_surface_destroy(image);
  }

  void Put(const DrawnClip& it) {
    if (it.end) {
      if (open_clips_ == 0) return;
      --open_clips_;
      cairo_restore(cr_);
      return;
    }
    cairo_save(cr_);
    ++open_clips_;
    BoxPath(it.box, 0);
    cairo_clip(cr_);
    cairo_new_path(cr_);
  }

  cairo_t* cr_;
  PaletteScheme scheme_;
  float scale_;
  bool selectable_;
  int open_clips_ = 0;
};

// `edge`: the surface's units for one of the drawing.
absl::Status PaintSurface(cairo_surface_t* surface, const Drawing& drawing, const PageOptions& options, float edge, bool selectable) {
  std::lock_guard<std::mutex> lock(ThePageFonts().mutex);
  cairo_t* cr = cairo_create(surface);
  cairo_scale(cr, edge, edge);
  if (options.background) {
    const uint32_t rgb = ColorOf(Ink::kPanel, options.scheme);
    cairo_set_source_rgb(cr, static_cast<double>(rgb >> 16) / 255, static_cast<double>(rgb >> 8 & 0xff) / 255, static_cast<double>(rgb & 0xff) / 255);
    cairo_paint(cr);
  }
  cairo_font_options_t* font = cairo_font_options_create();
  cairo_font_options_set_hint_style(font, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(font, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(font, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cr, font);
  cairo_font_options_destroy(font);
  Painter(cr, options.scheme, selectable ? 1 : options.scale, selectable).Draw(drawing);
  const cairo_status_t status = cairo_status(cr);
  cairo_destroy(cr);
  if (status != CAIRO_STATUS_SUCCESS) return absl::InternalError(absl::StrCat("the drawing failed: ", cairo_status_to_string(status)));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> PngBytes(const Drawing& drawing, const PageOptions& options) {
  const float width = std::max(1.0f, std::ceil(drawing.whole_width() * options.scale)), height = std::max(1.0f, std::ceil(drawing.whole_height() * options.scale));
  if (!(width <= kMostPixels && height <= kMostPixels)) {
    return absl::InvalidArgumentError(absl::StrCat("the picture would be ", static_cast<int64_t>(width), " by ", static_cast<int64_t>(height), " pixels; a smaller --scale, or .svg or .pdf"));
  }
  cairo_surface_t* surface = cairo_image_surface_create(options.background ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, static_cast<int>(width), static_cast<int>(height));
  std::string out;
  absl::Status status = PaintSurface(surface, drawing, options, options.scale, false);
  if (status.ok() && cairo_surface_write_to_png_stream(surface, TakeBytes, &out) != CAIRO_STATUS_SUCCESS) status = absl::InternalError("the picture could not be packed");
  cairo_surface_destroy(surface);
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<std::string> PdfBytes(const Drawing& drawing, const PageOptions& options) {
  constexpr float kPoint = 0.75f;  // a pixel is 1/96 inch, a point 1/72
  std::string out;
  const float edge = kPoint * options.scale;
  cairo_surface_t* surface = cairo_pdf_surface_create_for_stream(TakeBytes, &out, std::max(1.0f, drawing.whole_width()) * edge, std::max(1.0f, drawing.whole_height()) * edge);
  if (!drawing.title.empty()) cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, drawing.title.c_str());
  if (!drawing.description.empty()) cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, drawing.description.c_str());
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "hloscope");
  const absl::Status status = PaintSurface(surface, drawing, options, edge, true);
  cairo_surface_finish(surface);
  cairo_surface_destroy(surface);
  if (!status.ok()) return status;
  return out;
}

absl::Status WriteDrawing(const std::string& path, const Drawing& drawing, const PageOptions& options) {
  absl::StatusOr<std::string> bytes = absl::InvalidArgumentError(absl::StrCat("cannot write ", path, ": a picture's file ends in .svg, .png or .pdf"));
  if (absl::EndsWith(path, ".svg")) bytes = WriteSvg(drawing, {.scheme = options.scheme, .scale = options.scale, .background = options.background});
  if (absl::EndsWith(path, ".png")) bytes = PngBytes(drawing, options);
  if (absl::EndsWith(path, ".pdf")) bytes = PdfBytes(drawing, options);
  if (!bytes.ok()) return bytes.status();
  std::ofstream file(path, std::ios::binary);
  file << *bytes;
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
  return absl::OkStatus();
}

}  // namespace hloscope
