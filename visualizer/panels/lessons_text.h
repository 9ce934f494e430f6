// Text to be read: paragraphs with code, bold words and links, headings, lists and tables, in lines of a given width. For the panel Lessons.
#ifndef HLOSCOPE_VISUALIZER_PANELS_LESSONS_TEXT_H_
#define HLOSCOPE_VISUALIZER_PANELS_LESSONS_TEXT_H_

#include <string>
#include <vector>

#include "imgui.h"
#include "visualizer/lessons/lesson.h"

namespace hloscope {

struct ReadingStyle {
  ImU32 color = 0;          // 0: the text's
  ImFont* font = nullptr;   // null: the window's
  float line = 1.5f;        // times the font's size
};

// At the cursor, at most `width` pixels wide; an item of its own. Returns the target of a link that was clicked, or "".
std::string ReadingText(const lessons::Spans& spans, float width, const ReadingStyle& style = {});
// A heading or a title, larger than the window's fonts.
void ReadingTitle(absl::string_view text, float size, float width);
// Items of a list, and a table.
std::string ReadingList(const std::vector<lessons::Spans>& items, bool numbered, float width);
std::string ReadingTable(const std::vector<std::vector<lessons::Spans>>& rows, float width);
// Text as it is.
void ReadingVerbatim(absl::string_view text, float width);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_LESSONS_TEXT_H_
