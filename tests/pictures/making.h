// For the tests of pictures: a program run on the reference backend, the data of its instructions, and a picture as text.
#ifndef HLOSCOPE_TESTS_PICTURES_MAKING_H_
#define HLOSCOPE_TESTS_PICTURES_MAKING_H_

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/exec/frame_history.h"
#include "core/exec/machine.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "core/text/stablehlo/stablehlo.h"
#include "gtest/gtest.h"
#include "visualizer/pictures/scene.h"

namespace hloscope {

// A module and the values of its entry. The module is read from HLO text, which may be only the entry's instructions, or from StableHLO.
class RunProgram {
 public:
  explicit RunProgram(std::string text, std::vector<Value> arguments = {}) {
    const bool stablehlo = text.find("func.func") != std::string::npos;
    if (!stablehlo && text.find("ENTRY") == std::string::npos) text = "ENTRY main {\n" + text + "\n}\n";
    if (!stablehlo && text.find("HloModule") == std::string::npos) text = "HloModule test\n\n" + text;
    source_ = std::make_shared<const SourceText>("<test>", text);
    DiagnosticSink sink;
    module_ = stablehlo ? ReadStableHlo(source_, sink) : ReadHloText(source_, sink);
    if (sink.error_count() == 0) Verify(*module_, sink);
    for (const Diagnostic& d : sink.diagnostics()) {
      if (d.severity == Severity::kError) problems_ += Render(d, *source_);
    }
    if (problems_.empty()) Start(std::move(arguments));
  }
  static std::string ReadFile(const std::string& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  const std::string& problems() const { return problems_; }
  const Module& module() const { return *module_; }
  const Instruction* Find(absl::string_view name) const { return module_->entry->FindInstruction(name); }
  Value ValueOf(const Instruction& instruction) {
    const absl::StatusOr<Value> value = machine_->ValueAhead(0, instruction.index);
    return value.ok() ? *value : Value();
  }
  PictureData DataOf(const Instruction& instruction) {
    PictureData data;
    data.instruction = &instruction;
    for (const Instruction* operand : instruction.operands) data.operands.push_back(ValueOf(*operand));
    data.result = ValueOf(instruction);
    if (instruction.Called(AttrId::kBody) == nullptr) return data;
    // Of a loop that has run, in a frame that went on after it.
    FrameHistory history(*machine_, int64_t{1} << 26);
    const absl::StatusOr<int64_t> count = history.Iterations(0, instruction);
    for (int64_t k = 0; count.ok() && k <= *count; ++k) {
      const absl::StatusOr<Value> carried = history.Carried(0, instruction, k);
      if (carried.ok()) data.iterations.push_back(*carried);
    }
    return data;
  }

 private:
  void Start(std::vector<Value> arguments) {
    backend_ = MakeReferenceBackend();
    MachineOptions options;
    options.retain_bytes = int64_t{1} << 30;
    machine_ = std::make_unique<Machine>(*module_, *backend_, options);
    const absl::Status started = machine_->Start(std::move(arguments));
    if (!started.ok()) problems_ = started.ToString();
    if (started.ok() && machine_->RunTo(0, static_cast<int>(module_->entry->schedule.size()) - 1) == StopReason::kError) problems_ = machine_->status().ToString();
  }
  std::shared_ptr<const SourceText> source_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Machine> machine_;
  std::string problems_;
};

// Where a text stands: its letters, from a little above the middle of the tall ones down to the baseline.
inline Box BoxOfText(const DrawnText& t) {
  const float w = TextWidth(t.text, t.style.face, t.style.size);
  const float x = t.at.x - (t.style.align == Align::kCenter ? w / 2 : t.style.align == Align::kRight ? w : 0);
  return {x, t.at.y - t.style.size * 0.7f, w, t.style.size * 0.7f};
}

// A text that reaches over an edge of its drawing; "" where none does.
inline std::string CutText(const Drawing& drawing) {
  for (const Drawn& item : drawing.items()) {
    const auto* t = std::get_if<DrawnText>(&item);
    if (t == nullptr) continue;
    const Box box = BoxOfText(*t);
    if (box.x < -0.5f || box.right() > drawing.whole_width() + 0.5f || box.y < -0.5f || box.bottom() > drawing.whole_height() + 0.5f) return t->text;
  }
  return "";
}

// A text that lies on another one, under something that was drawn later, outside of the drawing or without the margin at its right; "" where all
// can be read. What is clipped away does not count.
inline std::string UnreadableText(const Drawing& drawing) {
  struct Seen {
    const DrawnText* text;
    Box box;
  };
  constexpr float kTouch = 0.75f;
  const auto meet = [](const Box& a, const Box& b) {
    return std::min(a.right(), b.right()) - std::max(a.x, b.x) > kTouch && std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y) > kTouch;
  };
  if (const std::string cut = CutText(drawing); !cut.empty()) return absl::StrCat("'", cut, "' is cut");
  std::vector<Seen> seen;
  std::vector<Box> clips;
  for (const Drawn& item : drawing.items()) {
    if (const auto* clip = std::get_if<DrawnClip>(&item)) {
      if (clip->end) clips.pop_back();
      else clips.push_back(clip->box);
    } else if (const auto* t = std::get_if<DrawnText>(&item)) {
      const Box box = BoxOfText(*t);
      if (std::any_of(clips.begin(), clips.end(), [&](const Box& clip) { return !meet(clip, box); })) continue;
      if (box.right() > drawing.whole_width() - 5) return absl::StrCat("'", t->text, "' has no margin");
      for (const Seen& other : seen) {
        if (meet(other.box, box)) return absl::StrCat("'", t->text, "' on '", other.text->text, "' at ", box.x, ",", box.y);
      }
      seen.push_back({t, box});
    } else if (const auto* b = std::get_if<DrawnBox>(&item)) {
      if (b->fill.none() || b->fill.strength < 0.8f) continue;
      for (const Seen& other : seen) {
        if (meet(other.box, b->box)) return absl::StrCat("'", other.text->text, "' is covered at ", b->box.x, ",", b->box.y);
      }
    }
  }
  return "";
}

// What a drawing asks somebody to do, who cannot in a file; "" where it asks for nothing.
inline std::string AsksForHands(const Drawing& drawing) {
  std::vector<std::string> said;
  for (const Spot& spot : drawing.spots()) {
    said.push_back(spot.hint);
    if (!spot.drag.empty() || !spot.drop.empty()) return absl::StrCat("something to drag: ", spot.hint);
  }
  for (const Drawn& item : drawing.items()) {
    if (const auto* t = std::get_if<DrawnText>(&item)) said.push_back(t->text);
  }
  for (const std::string& text : said) {
    for (const char* word : {"click", "Click", "drag", "Drag", "wheel", "PageUp", "over a cell", "Hover", "undo"}) {
      if (text.find(word) != std::string::npos) return text;
    }
  }
  return "";
}

// A number in a cell, or a title of an array, that a curved arrow goes through; "" where none does. Counts the arrows.
inline std::string CrossedNumber(const Drawing& drawing, int* arrows, bool labels = false) {
  std::vector<const DrawnText*> numbers;
  for (const Drawn& item : drawing.items()) {
    const auto* t = std::get_if<DrawnText>(&item);
    if (t == nullptr) continue;
    const bool title = t->style.face == Face::kMonoStrong && t->style.size == 13,
               type = t->style.face == Face::kMono && t->style.size == 12;
    const bool label = labels && t->style.face == Face::kUi && t->style.size == 10;  // of rows, columns and scales
    if (label || title || type || (t->style.face == Face::kMono && t->style.size >= 11 && t->style.align == Align::kCenter)) numbers.push_back(t);
  }
  for (const Drawn& item : drawing.items()) {
    const auto* line = std::get_if<DrawnLine>(&item);
    if (line == nullptr || !line->style.arrow || !line->curve) continue;
    ++*arrows;
    for (size_t k = 0; k + 3 < line->points.size(); k += 3) {
      const Place* p = &line->points[k];
      for (float t = 0; t <= 1; t += 0.05f) {
        const float u = 1 - t;
        const auto at = [&](float a, float b, float c, float d) { return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d; };
        const Place on{at(p[0].x, p[1].x, p[2].x, p[3].x), at(p[0].y, p[1].y, p[2].y, p[3].y)};
        for (const DrawnText* number : numbers) {
          if (BoxOfText(*number).Has(on)) return absl::StrCat(number->text, " at ", on.x, ",", on.y);
        }
      }
    }
  }
  return "";
}

// The texts of a drawing as they stand, line by line; then what belongs to the selected cell.
inline std::string TextOf(const MadePicture& picture) {
  struct Piece {
    float x, y;
    std::string text;
  };
  std::vector<Piece> pieces;
  for (const Drawn& item : picture.drawing.items()) {
    if (const auto* t = std::get_if<DrawnText>(&item)) {
      float x = t->at.x;
      const float w = TextWidth(t->text, t->style.face, t->style.size);
      if (t->style.align == Align::kCenter) x -= w / 2;
      if (t->style.align == Align::kRight) x -= w;
      pieces.push_back({x, t->at.y, t->text});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.y < b.y; });
  std::string text;
  for (size_t k = 0; k < pieces.size();) {
    size_t end = k;
    while (end < pieces.size() && pieces[end].y < pieces[k].y + 5) ++end;
    std::stable_sort(pieces.begin() + static_cast<int64_t>(k), pieces.begin() + static_cast<int64_t>(end), [](const Piece& a, const Piece& b) { return a.x < b.x; });
    for (size_t p = k; p < end; ++p) absl::StrAppend(&text, p == k ? "" : " ", pieces[p].text);
    text += "\n";
    k = end;
  }
  if (picture.related_total > 0) {
    absl::StrAppend(&text, "related ", picture.related_total, ":");
    for (size_t k = 0; k < std::min<size_t>(picture.related.size(), 12); ++k) {
      absl::StrAppend(&text, " ", picture.related[k].array, "[");
      for (size_t d = 0; d < picture.related[k].index.size(); ++d) absl::StrAppend(&text, d == 0 ? "" : ",", picture.related[k].index[d]);
      text += "]";
    }
    text += "\n";
  }
  if (picture.steps > 0) absl::StrAppend(&text, "steps ", picture.steps, picture.step_text.empty() ? "" : ": ", picture.step_text, "\n");
  return text;
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_PICTURES_MAKING_H_
