#include "visualizer/export/graph_page.h"

#include <zlib.h>

#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/base/markup.h"
#include "visualizer/canvas/svg.h"
#include "visualizer/export/page_files.h"

namespace hloscope {
namespace {

// As DecompressionStream('deflate') takes it, in letters.
std::string Packed(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string bytes(size, '\0');
  compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size(), 6);
  bytes.resize(size);
  return absl::Base64Escape(bytes);
}

}  // namespace

std::string WriteGraphPage(const GraphPageInput& input, std::optional<PaletteScheme> scheme) {
  const std::string dark = SvgColors(PaletteScheme::kDark), light = SvgColors(PaletteScheme::kLight);
  const std::vector<std::pair<absl::string_view, std::string>> parts = {
      {"@THEME@", !scheme.has_value() ? "" : *scheme == PaletteScheme::kDark ? " data-theme=\"dark\"" : " data-theme=\"light\""},
      {"@VERSION@", EscapeMarkup(input.version)},
      {"@TITLE@", EscapeMarkup(absl::StrCat(input.hierarchy->module().name, " - hloscope"))},
      {"@COLORS@", absl::StrCat(":root { color-scheme: dark; ", dark, " }\n:root[data-theme=light] { color-scheme: light; ", light, " }")},
      {"@STYLE@", kPageStyle},
      {"@DATA@", Packed(PageJson(input))},
      {"@SCRIPT@", kPageScript},
  };
  // In one go, so that nothing that is put in is looked through again.
  std::string out;
  absl::string_view rest = kPageHtml;
  for (const auto& [name, text] : parts) {
    const size_t at = rest.find(name);
    absl::StrAppend(&out, rest.substr(0, at), text);
    rest = rest.substr(at + name.size());
  }
  return absl::StrCat(out, rest);
}

}  // namespace hloscope
