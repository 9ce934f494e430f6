#include "visualizer/panels/program_syntax.h"

#include "visualizer/widgets/theme.h"

namespace hloscope {

ImU32 ColorOf(SyntaxInk ink) {
  const ui::Palette& c = ui::Colors();
  switch (ink) {
    case SyntaxInk::kText: return c.text;
    case SyntaxInk::kName: return c.text;
    case SyntaxInk::kShape: return c.teal;
    case SyntaxInk::kOpcode: return c.blue;
    case SyntaxInk::kAttribute: return c.violet;
    case SyntaxInk::kNumber: return c.text;
    case SyntaxInk::kString: return c.green;
    case SyntaxInk::kComment: return c.faint;
    case SyntaxInk::kKeyword: return ui::Mix(c.orange, c.text, 0.15f);
    case SyntaxInk::kQuiet: return c.faint;
  }
  return c.text;
}

}  // namespace hloscope
