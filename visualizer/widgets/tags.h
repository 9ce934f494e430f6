// Names of what can be clicked, for tests and scripts that drive the window: "toolbar/continue", "program/line:12/gutter".
// Whoever draws something that people use names it; the driver finds its place by the name. Costs nothing while nobody drives.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_TAGS_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_TAGS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "imgui.h"

namespace hloscope::ui {

struct TagRect {
  ImVec2 min, max;
};

class Tags {
 public:
  bool on = false;
  // Names of this frame begin anew; those of the frame before can be looked up until then.
  void BeginFrame();
  // Null: nothing of that name was drawn (and visible) in the last whole frame. `name` may end in `*`: the first that begins so.
  const TagRect* Find(absl::string_view name) const;
  // A fact that tests look at: "value/range" = "0 .. 0.52".
  const std::string* Fact(absl::string_view name) const;
  std::vector<std::string> Names() const;

  void Add(std::string name, ImVec2 min, ImVec2 max);
  void Say(std::string name, std::string text);
  std::vector<std::string> scopes;

 private:
  std::map<std::string, TagRect> now_, last_;
  std::map<std::string, std::string> facts_now_, facts_last_;
};
Tags& TheTags();

// Names the last item, or a rectangle; both are dropped where nothing of them is visible in the current clip rectangle.
void Tag(absl::string_view name);
void Tag(absl::string_view name, ImVec2 min, ImVec2 max);
// States a fact about what is shown, for tests.
void TagFact(absl::string_view name, absl::string_view text);

// Everything named within begins with "name/".
class TagScope {
 public:
  explicit TagScope(absl::string_view name) { TheTags().scopes.emplace_back(name); }
  ~TagScope() { TheTags().scopes.pop_back(); }
  TagScope(const TagScope&) = delete;
  TagScope& operator=(const TagScope&) = delete;
};

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_TAGS_H_
