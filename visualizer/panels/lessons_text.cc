#include "visualizer/panels/lessons_text.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "visualizer/canvas/drawing.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/drawing_view.h"

namespace hloscope {
namespace {

using lessons::Span;
using lessons::Spans;

// A piece of a line: words of one span.
struct Piece {
  const Span* span = nullptr;
  std::string text;
  float x = 0, width = 0;
  int line = 0;
  float left = 0;  // free before the text: of the box round code
};

ImFont* FontOf(const Span& span, ImFont* font) {
  switch (span.kind) {
    case Span::kCode: return ui::Type().mono_small;
    case Span::kStrong: return ui::Type().strong;
    case Span::kPlain:
    case Span::kLink: return font;
  }
  return font;
}

// Words into lines. A word may go over several spans ("`c`," is one), and is never broken between them.
class Flow {
 public:
  Flow(float width, ImFont* font) : width_(width), font_(font) {}

  void Add(const Spans& spans) {
    for (const Span& span : spans) {
      const std::vector<absl::string_view> words = absl::StrSplit(span.text, ' ');
      const float pad = span.kind == Span::kCode ? ui::Px(3) : 0;
      for (size_t k = 0; k < words.size(); ++k) {
        if (k > 0) Space(span);
        if (words[k].empty()) continue;
        const float left = k == 0 ? pad : 0, right = k + 1 == words.size() ? pad : 0;
        word_.push_back({&span, std::string(words[k]), 0, left + ui::Measure(FontOf(span, font_), words[k]).x + right, 0, left});
      }
    }
    FlushWord();
  }
  std::vector<Piece> pieces;
  int lines() const { return line_ + 1; }

 private:
  void Space(const Span& span) {
    FlushWord();
    spaces_ = ui::Measure(FontOf(span, font_), " ").x;
  }
  void FlushWord() {
    if (word_.empty()) return;
    float total = 0;
    for (const Piece& p : word_) total += p.width;
    if (x_ > 0 && x_ + spaces_ + total > width_) {
      ++line_;
      x_ = 0;
    } else if (x_ > 0) {
      x_ += spaces_;
    }
    for (Piece& p : word_) {
      p.x = x_;
      p.line = line_;
      x_ += p.width;
      // Words of the same code or link on one line are one piece.
      if (!pieces.empty() && pieces.back().span == p.span && pieces.back().line == p.line && &p == &word_.front()) {
        absl::StrAppend(&pieces.back().text, " ", p.text);
        pieces.back().width = p.x + p.width - pieces.back().x;
      } else {
        pieces.push_back(std::move(p));
      }
    }
    word_.clear();
    spaces_ = 0;
  }
  const float width_;
  ImFont* const font_;
  std::vector<Piece> word_;
  float x_ = 0, spaces_ = 0;
  int line_ = 0;
};

std::string ShowPieces(const std::vector<Piece>& pieces, ImVec2 at, float line_height, ImFont* font, ImU32 color) {
  const ui::Palette& c = ui::Colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool hovered = ImGui::IsWindowHovered();
  std::string clicked;
  for (const Piece& piece : pieces) {
    ImFont* own = FontOf(*piece.span, font);
    const ImVec2 min = {std::floor(at.x + piece.x), std::floor(at.y + line_height * static_cast<float>(piece.line))};
    const float y = min.y + std::floor((line_height - own->FontSize) / 2);
    switch (piece.span->kind) {
      case Span::kPlain: ui::DrawText({min.x, y}, color, own, piece.text); break;
      case Span::kStrong: ui::DrawText({min.x, y}, c.text, own, piece.text); break;
      case Span::kCode:
        list->AddRectFilled({min.x, y - ui::Px(1)}, {min.x + piece.width, y + own->FontSize + ui::Px(2)}, c.raised, ui::Px(3));
        ui::DrawText({min.x + piece.left, y}, c.text, own, piece.text);
        break;
      case Span::kLink: {
        const ImVec2 max = {min.x + piece.width, min.y + line_height};
        const bool over = hovered && ImGui::IsMouseHoveringRect(min, max);
        ui::DrawText({min.x, y}, c.blue, own, piece.text);
        list->AddLine({min.x, y + own->FontSize}, {max.x, y + own->FontSize}, ui::Fade(c.blue, over ? 1.0f : 0.4f));
        ui::Tag(absl::StrCat("link:", piece.span->target), min, max);
        if (over) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        if (over && ImGui::IsMouseClicked(0)) clicked = piece.span->target;
        break;
      }
    }
  }
  return clicked;
}

}  // namespace

std::string ReadingText(const Spans& spans, float width, const ReadingStyle& style) {
  ImFont* font = style.font != nullptr ? style.font : ui::Type().ui;
  Flow flow(width, font);
  flow.Add(spans);
  const float line_height = std::floor(font->FontSize * style.line);
  const float height = line_height * static_cast<float>(flow.lines());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  std::string clicked;
  if (ImGui::IsRectVisible({width, height})) clicked = ShowPieces(flow.pieces, at, line_height, font, style.color != 0 ? style.color : ui::Colors().text);
  ImGui::Dummy({width, height});
  return clicked;
}

void ReadingTitle(absl::string_view text, float size, float width) {
  Drawing drawing;
  TextStyle style;
  style.size = size;
  style.face = Face::kStrong;
  const float scale = ui::TheLook().scale;
  const float height = drawing.AddParagraph({0, 0}, width / scale, text, style);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::DrawDrawing(ImGui::GetWindowDrawList(), drawing, at, scale, nullptr);
  ImGui::Dummy({width, std::floor(height * scale)});
}

std::string ReadingList(const std::vector<Spans>& items, bool numbered, float width) {
  std::string clicked;
  int number = 0;
  for (const Spans& item : items) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float indent = ui::Px(24), line = std::floor(ui::Type().ui->FontSize * 1.5f);
    ++number;
    if (numbered) {
      ui::DrawText({at.x + ui::Px(4), at.y + std::floor((line - ui::Type().ui->FontSize) / 2)}, ui::Colors().dim, ui::Type().ui, absl::StrCat(number, "."));
    } else {
      ImGui::GetWindowDrawList()->AddCircleFilled({at.x + ui::Px(10), at.y + line / 2}, ui::Px(2.5f), ui::Colors().dim);
    }
    ImGui::SetCursorScreenPos({at.x + indent, at.y});
    const std::string link = ReadingText(item, width - indent);
    if (!link.empty()) clicked = link;
  }
  return clicked;
}

std::string ReadingTable(const std::vector<std::vector<Spans>>& rows, float width) {
  if (rows.empty()) return "";
  const size_t columns = rows.front().size();
  // As wide as the widest cell, the last column taking what is left.
  std::vector<float> widths(columns, 0);
  for (const auto& row : rows) {
    for (size_t k = 0; k < std::min(columns, row.size()); ++k) {
      Flow flow(1e6f, ui::Type().ui);
      flow.Add(row[k]);
      for (const Piece& piece : flow.pieces) widths[k] = std::max(widths[k], piece.x + piece.width);
    }
  }
  float left = width;
  for (size_t k = 0; k < columns; ++k) {
    widths[k] = std::min(widths[k] + ui::Px(24), k + 1 == columns ? std::max(ui::Px(60), left) : width * 0.6f);
    left -= widths[k];
  }
  std::string clicked;
  const ui::Palette& c = ui::Colors();
  for (size_t r = 0; r < rows.size(); ++r) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    float x = at.x, bottom = at.y;
    for (size_t k = 0; k < std::min(columns, rows[r].size()); ++k) {
      ImGui::SetCursorScreenPos({x, at.y + ui::Px(4)});
      ReadingStyle style;
      if (r == 0) {
        style.color = c.dim;
        style.font = ui::Type().strong;
      }
      const std::string link = ReadingText(rows[r][k], widths[k] - ui::Px(16), style);
      if (!link.empty()) clicked = link;
      bottom = std::max(bottom, ImGui::GetItemRectMax().y);
      x += widths[k];
    }
    ImGui::GetWindowDrawList()->AddLine({at.x, bottom + ui::Px(4)}, {x - ui::Px(8), bottom + ui::Px(4)}, c.border);
    ImGui::SetCursorScreenPos({at.x, bottom + ui::Px(5)});
  }
  ImGui::Dummy({width, 1});
  return clicked;
}

void ReadingVerbatim(absl::string_view text, float width) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  ImFont* font = ui::Type().mono_small;
  const float line = std::floor(font->FontSize * 1.4f), pad = ui::Px(12);
  const ImVec2 at = ImGui::GetCursorScreenPos(), end = {at.x + width, at.y + line * static_cast<float>(lines.size()) + ui::Px(16)};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, end, ui::Colors().sunken, ui::Px(6));
  list->AddRect(at, end, ui::Colors().border, ui::Px(6));
  float y = at.y + ui::Px(8);
  for (const std::string& one : lines) {
    ui::DrawTextIn({at.x + pad, y}, width - 2 * pad, ui::Colors().dim, font, one);
    y += line;
  }
  ImGui::Dummy({width, end.y - at.y});
}

}  // namespace hloscope
