#include "visualizer/panels/value_side.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/debug/file_words.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/literal/scalar.h"
#include "core/ops/leaf_flow.h"
#include "imgui.h"
#include "visualizer/model/range_text.h"
#include "visualizer/model/run_progress_text.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
// Several pieces of one line in colours of their own; goes on in a new line where there is no room.
class SideLine {
 public:
  explicit SideLine(ImFont* font = nullptr) : font_(font != nullptr ? font : ui::Type().ui), at_(ImGui::GetCursorScreenPos()), right_(at_.x + ImGui::GetContentRegionAvail().x), x_(at_.x), y_(at_.y) {}
  ~SideLine() { ImGui::Dummy({1, y_ + font_->FontSize + ui::Px(3) - at_.y}); }
  // After a dot, where it is not the first of its line. `dim` goes before the text, in a weaker colour.
  void Next(absl::string_view text, ImU32 color, absl::string_view dim = "") {
    constexpr char kDot[] = " \u00b7 ";
    const float width = ui::Measure(font_, absl::StrCat(dim, text)).x;
    if (x_ > at_.x && x_ + ui::Measure(font_, kDot).x + width > right_) {
      x_ = at_.x;
      y_ += font_->FontSize + ui::Px(5);
    } else if (x_ > at_.x) {
      Add(kDot, ui::Colors().faint);
    }
    if (!dim.empty()) Add(dim, ui::Colors().dim);
    Add(text, color);
  }
  void Add(absl::string_view text, ImU32 color, ImFont* font = nullptr) {
    if (font == nullptr) font = font_;
    const float width = ui::Measure(font, text).x;
    if (x_ > at_.x && x_ + width > right_) {
      x_ = at_.x;
      y_ += font_->FontSize + ui::Px(5);
      while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    }
    x_ += ui::DrawTextIn({x_, y_}, right_ - x_, color, font, text);
  }

 private:
  ImFont* font_;
  ImVec2 at_;
  float right_, x_, y_;
};

void ValueSide::Clear() {
  element_ = nullptr;
  refused_ = false;
  compare_.clear();
  typed_.clear();
  asked_.clear();
  refocus_ = false;
  why_shown_ = nullptr;
  why_key_.clear();
  want_why_ = false;
}

std::string ValueSide::Named(const SideInput& in) const {
  return absl::StrCat(CommandName(in.context.now, *in.name.instruction), LeafPathText(in.name.instruction->shape, in.name.leaf));
}

void ValueSide::Draw(const SideInput& in) {
  // In a low panel what can be done comes first.
  const float room = ImGui::GetWindowHeight();
  const bool low = room < ui::Px(190);
  if (low) {
    DrawButtons(in);
    ui::Gap(4);
    DrawElement(in);
    DrawWhy(in);
    ui::Gap(6);
  }
  const bool many = in.facts.shape.rank() > 0;  // one number says it all
  // What can be asked for is seen; what there is no room for then is a picture.
  const bool short_of_room = many && room < ui::Px(360);
  if (short_of_room) {
    SideLine line(ui::Type().small);
    line.Add(in.facts.shape.ToString(true), ui::Colors().teal, ui::Type().mono_small);
    DrawSize(in, line);
    if (!in.iteration.empty()) line.Next(in.iteration, ui::Colors().dim);
  } else {
    ui::TextCut(in.facts.shape.ToString(true), ui::Colors().teal, ui::Type().mono_small);
    if (!in.iteration.empty()) ui::TextCut(in.iteration, ui::Colors().dim, ui::Type().small);
  }
  ui::TagFact("iteration", in.iteration);
  ui::TagFact("shape", in.facts.shape.ToString(true));
  ui::Gap(room < ui::Px(300) ? 4 : 8);
  if (!low) DrawAsked(in);
  if (many) DrawStatistics(in, short_of_room);
  if (many && !short_of_room) DrawHistogram(in);
  if (many) ui::Gap(short_of_room ? 6 : 10);
  DrawCompare(in, short_of_room);
  if (short_of_room) DrawHistogram(in);
}

// The element, and what can be done with it.
void ValueSide::DrawAsked(const SideInput& in) {
  // What is below stays where it is while the mouse comes and goes.
  const float top = ImGui::GetCursorPosY(), width = ImGui::GetContentRegionAvail().x;
  if (element_key_ != in.key || element_width_ != width) element_height_ = in.facts.shape.rank() > 0 ? ui::Px(76) : 0;
  element_key_ = in.key;
  element_width_ = width;
  DrawElement(in);
  element_height_ = std::max(element_height_, ImGui::GetCursorPosY() - top);
  ImGui::SetCursorPosY(top + element_height_);
  const float gap = ImGui::GetWindowHeight() < ui::Px(300) ? 5 : 10;
  ui::Gap(gap - 2);
  DrawButtons(in);
  DrawWhy(in);
  ui::Gap(gap);
}

void ValueSide::DrawElement(const SideInput& in) {
  const ui::Palette& c = ui::Colors();
  const bool scalar = in.facts.shape.rank() == 0;
  const std::vector<int64_t>& index = !in.hovered.empty() ? in.hovered : in.selected;
  if (index.empty() && !scalar) {
    ui::TextWrapped("Hover an element to read it, click to select it.", c.faint);
    element_ = nullptr;
    return;
  }
  const std::shared_ptr<const ElementFacts> facts =
      elements_.Get(in.context.engine, absl::StrCat(in.key, IndexText(index)), [name = in.name, index](Session::State& s) -> absl::StatusOr<ElementFacts> {
        const absl::StatusOr<Value> value = ValueOfLeaf(s, name);
        if (!value.ok()) return value.status();
        if (static_cast<int>(index.size()) != value->shape().rank()) return absl::InvalidArgumentError("another rank");
        for (size_t d = 0; d < index.size(); ++d) {
          if (index[d] < 0 || index[d] >= value->shape().dim(static_cast<int>(d))) return absl::OutOfRangeError("beyond the end");
        }
        return FactsOfElement(name, *value, index);
      });
  if (facts != nullptr && facts->of == in.name) element_ = facts;
  if (element_ == nullptr || !(element_->of == in.name)) {
    ui::Text(" ");
    return;
  }
  const ElementFacts& e = *element_;
  if (scalar) {
    ui::TextCut(e.text, std::isfinite(e.number) ? c.text : c.pink, ui::Type().title);
    ui::Gap(2);
  } else {
    SideLine line(ui::Type().mono);
    line.Add(e.index.empty() ? "" : absl::StrCat(IndexText(e.index), " = "), c.dim);
    line.Add(e.text, std::isfinite(e.number) ? c.text : c.pink, ui::Type().mono_strong);
  }
  DrawBits(e.bits);
  {
    SideLine line(ui::Type().mono_small);
    if (!e.bits.hex.empty()) line.Next(e.bits.hex, c.faint);
    const std::string& kind = e.bits.kind;
    if (!kind.empty() && kind != "normal") line.Add(absl::StrCat(" ", kind), kind == "NaN" || kind == "infinity" ? c.pink : c.dim);
    line.Next(absl::StrCat("linear ", e.linear), c.dim);
    if (e.physical != e.linear || e.bit != 0) line.Next(absl::StrCat("physical ", e.physical), c.dim);
    line.Next(absl::StrCat("byte ", e.byte, e.bit != 0 ? absl::StrCat(" bit ", e.bit) : ""), c.dim);
  }
  ui::TagFact("element", absl::StrCat(IndexText(e.index), " = ", e.text));
  ui::TagFact("place", absl::StrCat("linear ", e.linear, " physical ", e.physical, " byte ", e.byte));
}

void ValueSide::DrawBits(const NumberBits& bits) {
  const ui::Palette& c = ui::Colors();
  ImFont* font = ui::Type().mono_small;
  const float letter = ui::Measure(font, "0").x, gap = ui::Px(5), room = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  float x = at.x, y = at.y + ui::Px(2);
  const float height = font->FontSize + ui::Px(4);
  std::string all;
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const BitGroup& group : bits.groups) {
    const ImU32 color = group.kind == BitGroup::kSign ? c.orange : group.kind == BitGroup::kExponent ? c.violet : group.kind == BitGroup::kMantissa ? c.blue : c.text;
    absl::StrAppend(&all, all.empty() ? "" : " ", group.bits);
    const float width = letter * static_cast<float>(group.bits.size());
    if (x > at.x && x + width > at.x + room) {
      x = at.x;
      y += height + ui::Px(2);
    }
    // A long mantissa goes on below.
    size_t done = 0;
    while (done < group.bits.size()) {
      const size_t fits = std::max<size_t>(1, static_cast<size_t>((at.x + room - x) / letter));
      const std::string piece = group.bits.substr(done, fits);
      const float w = letter * static_cast<float>(piece.size());
      list->AddRectFilled({x - 1, y}, {x + w + 1, y + height}, ui::Fade(color, 0.16f), ui::Px(2));
      ui::DrawText({x, y + ui::Px(2)}, color, font, piece);
      done += piece.size();
      x += w + gap;
      if (done < group.bits.size()) {
        x = at.x;
        y += height + ui::Px(2);
      }
    }
  }
  ImGui::Dummy({1, y + height + ui::Px(3) - at.y});
  {
    SideLine line(ui::Type().small);
    for (size_t k = 0; k < bits.groups.size(); ++k) {
      const BitGroup& group = bits.groups[k];
      const ImU32 color = group.kind == BitGroup::kSign ? c.orange : group.kind == BitGroup::kExponent ? c.violet : group.kind == BitGroup::kMantissa ? c.blue : c.dim;
      const absl::string_view name = group.kind == BitGroup::kSign ? "sign " : group.kind == BitGroup::kExponent ? "exponent " : group.kind == BitGroup::kMantissa ? "mantissa " : "";
      if (!group.meaning.empty()) line.Add(absl::StrCat(k > 0 ? "  " : "", name, group.meaning), color);
    }
  }
  ui::TagFact("bits", all);
  ui::TagFact("kind", bits.kind);
}

// How much it is.
void ValueSide::DrawSize(const SideInput& in, SideLine& line) {
  line.Next(absl::StrCat(GroupedCount(in.facts.statistics.count), in.facts.statistics.count == 1 ? " element" : " elements"), ui::Colors().dim);
  line.Next(FormatByteCount(in.facts.bytes), ui::Colors().dim);
  ui::TagFact("count", absl::StrCat(in.facts.statistics.count));
}

namespace {

std::string ZerosText(const Statistics& s) {
  const std::string signs = s.minus_zeros == 0         ? ""
                            : s.minus_zeros == s.zeros ? " (all -0)"
                                                       : absl::StrCat(" (", GroupedCount(s.minus_zeros), " of them -0)");
  return absl::StrCat(GroupedCount(s.zeros), " zero", signs);
}

}  // namespace

void ValueSide::DrawStatistics(const SideInput& in, bool short_of_room) {
  const ui::Palette& c = ui::Colors();
  const Statistics& s = in.facts.statistics;
  const ElementType type = in.facts.shape.element_type();
  if (in.facts.shape.rank() > 0 && type == ElementType::kPred) {
    SideLine line;
    const std::string share = absl::StrCat(GroupedCount(s.count - s.zeros), " true, ", GroupedCount(s.zeros), " false");
    line.Next(share, c.text);
    if (s.count > 0) line.Next(absl::StrFormat("%.3g%% true", s.mean * 100), c.text);
    ui::TagFact("range", share);
  } else if (in.facts.shape.rank() > 0) {
    SideLine line;
    // Of complex numbers it is said what was taken of them.
    const std::string of = IsComplex(type) ? absl::StrCat(SignOf(in.facts.part), " ") : "";
    const bool one = s.min == s.max && std::signbit(s.min) == std::signbit(s.max);
    const char* const all = s.finite == s.count ? "all " : "all finite ";
    const std::string range = s.finite == 0 ? "no finite element" : one ? ExactText(type, s.min) : EndsText(type, s.min, s.max);
    line.Next(range, c.text, s.finite == 0 ? "" : absl::StrCat(of, one ? all : "range "));
    if (s.finite > 0 && !one) line.Next(MeanText(type, s), c.text, absl::StrCat(of, "mean "));
    ui::TagFact("range", absl::StrCat(of, one && s.finite > 0 ? all : "", range));
    ui::TagFact("mean", MeanText(type, s));
  }
  if (IsFloat(type) || IsComplex(type)) {
    SideLine line;
    const int64_t nan = in.facts.nan, inf = in.facts.inf;
    line.Next(nan == 0 ? "no NaN" : absl::StrCat("\u25a0 ", GroupedCount(nan), " NaN"), nan == 0 ? c.green : c.pink);
    line.Next(inf == 0 ? "no Inf" : absl::StrCat("\u25b2 ", GroupedCount(inf), " Inf"), inf == 0 ? c.green : c.pink);
    line.Next(Count(s.denormals, "denormal"), s.denormals == 0 ? c.dim : c.orange);
    if (short_of_room && s.zeros > 0) line.Next(ZerosText(s), c.dim);
  }
  ui::TagFact("nan", absl::StrCat(in.facts.nan));
  ui::TagFact("inf", absl::StrCat(in.facts.inf));
  if (in.facts.shape.rank() > 0 && !short_of_room) {
    SideLine line;
    if (s.zeros > 0 && type != ElementType::kPred) line.Next(ZerosText(s), c.dim);
    DrawSize(in, line);
  }
  // Where the trouble is: one click away.
  const auto go = [&](const char* name, absl::string_view label, int64_t linear) {
    if (linear < 0) return;
    const std::vector<int64_t> index = [&] {
      std::vector<int64_t> made(in.facts.shape.rank());
      DelinearizeIndex(in.facts.shape.dimensions(), linear, absl::MakeSpan(made));
      return made;
    }();
    if (index == in.selected) return;
    if (ui::Link(name, absl::StrCat(label, " ", IndexText(index)))) in.context.select_in(in.name.instruction, in.name.leaf, index);
  };
  go("first-nan", "first NaN", in.facts.first_nan);
  go("first-inf", "first Inf", in.facts.first_inf);
}

void ValueSide::DrawHistogram(const SideInput& in) {
  const Histogram& h = in.facts.histogram;
  if (in.facts.shape.rank() == 0 || h.looked == 0 || h.bins.empty()) return;
  const ui::Palette& c = ui::Colors();
  ui::Gap(6);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::min(ImGui::GetContentRegionAvail().x, ui::Px(360)), height = ui::Px(52);
  ImGui::InvisibleButton("histogram", {width, height});
  ui::Tag("histogram");
  const bool hovered = ImGui::IsItemHovered();
  if (ImGui::IsItemClicked()) log_count_ = !log_count_;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine({at.x, at.y + height}, {at.x + width, at.y + height}, c.border);
  const int64_t most = *std::max_element(h.bins.begin(), h.bins.end());
  const auto tall = [&](int64_t n) { return n == 0 ? 0.0 : log_count_ ? std::log1p(static_cast<double>(n)) / std::log1p(static_cast<double>(most)) : static_cast<double>(n) / static_cast<double>(most); };
  const float step = std::min(width / static_cast<float>(h.bins.size()), ui::Px(24));
  int at_bin = -1;
  if (hovered) at_bin = static_cast<int>((ImGui::GetIO().MousePos.x - at.x) / step);
  for (size_t k = 0; k < h.bins.size(); ++k) {
    if (h.bins[k] == 0) continue;
    const float tall_px = std::max(1.0f, height * static_cast<float>(tall(h.bins[k])));
    const float left = at.x + step * static_cast<float>(k);
    list->AddRectFilled({left, at.y + height - tall_px}, {std::max(left + 1, left + step - (step > 3 ? 1 : 0)), at.y + height}, static_cast<int>(k) == at_bin ? c.text : ui::Fade(c.blue, 0.85f));
  }
  std::string text = absl::StrCat(log_count_ ? "log count" : "count", h.sampled ? ", of a sample" : "");
  if (at_bin >= 0 && at_bin < static_cast<int>(h.bins.size())) {
    const double low = h.BinLow(static_cast<size_t>(at_bin)), high = h.BinLow(static_cast<size_t>(at_bin) + 1);
    const bool truth = in.facts.shape.element_type() == ElementType::kPred;
    text = h.whole ? absl::StrCat(truth ? (low != 0 ? "true" : "false") : ShortText(low), ": ", GroupedCount(h.bins[at_bin])) : absl::StrCat(ShortText(low), " .. ", ShortText(high), ": ", GroupedCount(h.bins[at_bin]));
  }
  ui::Gap(3);
  ui::TextCut(text, c.faint, ui::Type().small);
  ui::TagFact("bins", absl::StrCat(h.bins.size()));
}

void ValueSide::DrawCompare(const SideInput& in, bool short_of_room) {
  const ui::Palette& c = ui::Colors();
  if (!short_of_room) ui::Text("Compare with", c.dim, ui::Type().small);
  bool entered = false;
  // Not from another field that is typed into meanwhile.
  if (std::exchange(refocus_, false) && !ImGui::IsAnyItemActive()) ui::FocusNext();
  ui::Field("compare", &typed_, short_of_room ? "compare with %other" : "%other, or an expression", 0, &entered, true);
  if (entered) {
    asked_ = std::string(absl::StripAsciiWhitespace(typed_));
    in.context.run(absl::StrCat("window value compare ", asked_));
  }
  if (compare_.empty()) answered_.clear();
  if (compare_.empty()) return;
  const std::shared_ptr<const ComparisonFacts> facts =
      comparison_.Get(in.context.engine, absl::StrCat(in.key, compare_), [name = in.name, text = compare_](Session::State& s) -> absl::StatusOr<ComparisonFacts> {
        const absl::StatusOr<Value> value = ValueOfLeaf(s, name);
        if (!value.ok()) return value.status();
        const absl::StatusOr<Value> other = ValueOfExpression(s, text);
        if (!other.ok()) return other.status();
        return CompareWith(*value, *other, text);
      });
  if (!comparison_.fresh()) {
    ui::Gap(4);
    ui::TextCut("comparing", c.faint, ui::Type().small);
    return;
  }
  refused_ = facts == nullptr;
  const std::string answer = absl::StrCat(in.name.instruction->name, ",", compare_);
  const bool unseen = std::exchange(answered_, answer) != answer;
  const bool answers_field = compare_ == asked_;
  if (answers_field) asked_.clear();
  ui::Gap(4);
  if (facts == nullptr) {
    ui::TextWrapped(comparison_.status().message(), c.red, ui::Type().small);
    ui::TagFact("compared", "refused");
    if (unseen || answers_field) ImGui::SetScrollHereY(1);
    refocus_ = answers_field;
    if (refocus_) ui::WantFrame();
    return;
  }
  int chosen = static_cast<int>(*in.what);
  if (ui::Segments("of", {"Value", "Difference", "ULP"}, &chosen)) {
    static constexpr const char* kWords[] = {"value", "difference", "ulp"};
    in.context.run(absl::StrCat("window value ", kWords[chosen]));
  }
  ui::Gap(4);
  const std::string text = facts->different == 0 ? absl::StrCat("all ", GroupedCount(facts->elements), " elements are the same") : absl::StrCat(GroupedCount(facts->different), " of ", GroupedCount(facts->elements), " differ");
  const std::string zeros = facts->zero_signs == 0 ? "" : facts->zero_signs == facts->different ? "by the sign of zero alone" : absl::StrCat(GroupedCount(facts->zero_signs), " by the sign of zero alone");
  ui::TextCut(text, facts->different == 0 ? c.green : c.orange);
  ui::TagFact("compared", absl::StrCat(facts->different, " of ", facts->elements));
  if (!zeros.empty()) ui::TextCut(zeros, c.dim);
  ui::TagFact("zeros", zeros);
  if (facts->different > 0) {
    // How far apart they are, with the element that is: often one has most ULP, and another the largest difference.
    const auto element = [&](absl::string_view name, const std::string& by, const std::vector<int64_t>& index, const std::string& here, const std::string& there) {
      ui::TextCut(by, c.dim);
      ui::TagFact(name, absl::StrCat(by, " ", IndexText(index)));
      if (here.empty()) return;
      if (ui::Link(name, absl::StrCat("at ", IndexText(index)))) in.context.select_in(in.name.instruction, in.name.leaf, index);
      ui::TextCut(absl::StrCat(here, " beside ", there), c.dim, ui::Type().mono_small);
    };
    const bool finite = std::isfinite(facts->worst_ulp), apart = !facts->largest_at.empty();
    const std::string difference = std::isfinite(facts->largest) ? absl::StrCat("by ", ShortText(facts->largest), " at most") : absl::StrCat("by more than ", ShortText(std::numeric_limits<double>::max())), ulp = absl::StrCat(ShortText(facts->worst_ulp), " ULP");
    if (apart) element("largest", absl::StrCat(finite ? "" : "finite ones ", difference), facts->largest_at, facts->largest_here, facts->largest_there);
    element("worst", !finite ? "not finite in both" : apart ? absl::StrCat("in ULP by ", ShortText(facts->worst_ulp), " at most") : absl::StrCat(difference, ", ", ulp), facts->worst, facts->worst_here, facts->worst_there);
  }
  if (ui::Button("compare-end", "End comparing", ui::Icon::kClose, ui::ButtonKind::kQuiet)) in.context.run("window value compare");
  if (unseen) ImGui::SetScrollHereY(1);
}

void ValueSide::DrawButtons(const SideInput& in) {
  const bool has_element = !in.selected.empty() || HasElementToAskOf(in.facts);
  if (ui::Button("why", "why?", ui::Icon::kNone, ui::ButtonKind::kLink, has_element ? "What made the selected element (W)" : "Click an element first: why is asked of one (W)", has_element)) want_why_ = true;
  ImGui::SameLine(0, ui::Px(6));
  if (ui::Button("copy", "Copy", ui::Icon::kNone, ui::ButtonKind::kPlain, "Rows and columns that the picture stands for, as text"))
    in.context.run("window value copy");
  ImGui::SameLine(0, ui::Px(6));
  if (ui::Button("save", "Save...", ui::Icon::kNone, ui::ButtonKind::kPlain, !in.name.moment.empty() ? absl::StrCat("Go there to save it: goto ", in.name.moment) : "As .npy for NumPy, or as a picture", in.name.moment.empty())) {
    path_ = std::string(in.name.instruction->name);
    std::replace(path_.begin(), path_.end(), '/', '_');
    // Beside the program.
    std::error_code error;
    const std::filesystem::path program = std::filesystem::absolute(in.context.document.file().path(), error);
    path_ = ((error || program.empty() ? std::filesystem::current_path(error) : program.parent_path()) / path_).string();
    ImGui::OpenPopup("save popup");
  }
  DrawSave(in);
  if (copy_wanted_ != copied_) {
    const std::shared_ptr<const std::string> text = copy_.Get(in.context.engine, absl::StrCat(in.key, IndexText(in.axes.at), ",", in.axes.rows, ",", in.axes.columns, ",copy", copy_wanted_), [name = in.name, axes = in.axes](Session::State& s) -> absl::StatusOr<std::string> {
      const absl::StatusOr<Value> value = ValueOfLeaf(s, name);
      if (!value.ok()) return value.status();
      return PlaneText(*value, FitAxes(value->shape(), axes), 100000);
    });
    if (copy_.fresh()) {
      copied_ = copy_wanted_;
      if (text != nullptr) ImGui::SetClipboardText(text->c_str());
    }
  }
  if (copied_ > 0) ui::TagFact("copied", absl::StrCat(copied_));
}

// What the picture on the screen is drawn with, as the command's options.
std::string ValueSide::PictureOptionsOf(const SideInput& in) {
  const ColorScale& scale = in.scale;
  std::string options;
  const auto add = [&](bool wanted, absl::string_view option) {
    if (wanted) absl::StrAppend(&options, option, " ");
  };
  const ElementType type = in.facts.shape.element_type();
  add(in.channel >= 0, "/rgb");
  add(in.channel < 0 && scale.ramp == ColorRamp::kGray, "/gray");
  add(in.channel < 0 && scale.ramp == ColorRamp::kDiverging && !(scale.low < 0 && scale.high > 0), "/diverging");
  add(in.channel < 0 && scale.ramp == ColorRamp::kSequential && scale.low < 0 && scale.high > 0, "/sequential");
  add(in.channel < 0 && scale.ramp == ColorRamp::kDiverging && scale.dark, "/dark");
  add(in.channel < 0 && scale.log, "/log");
  if (in.channel < 0 && scale.log && scale.least > 0) absl::StrAppend(&options, absl::StrFormat("/floor %.9g ", scale.least));
  if (*in.what == PlaneOf::kValue) absl::StrAppend(&options, absl::StrFormat("/range %.9g %.9g ", scale.low, scale.high));
  add(in.shows == CellShows::kLow, "/least");
  add(in.shows == CellShows::kHigh, "/greatest");
  add(in.channel < 0 && in.axes.rows > in.axes.columns, "/transpose");
  if (IsComplex(type) && in.facts.part != ComplexPart::kMagnitude) absl::StrAppend(&options, "/", SignOf(in.facts.part), " ");
  return options;
}

void ValueSide::DrawSave(const SideInput& in) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(12), ui::Px(10)});
  if (ImGui::BeginPopup("save popup")) {
    ui::TagScope scope("save");
    int kind = save_picture_ ? 1 : 0;
    ui::Text("Save the value", ui::Colors().dim, ui::Type().small);
    // The ending that was typed says what is meant, until another one is chosen.
    static constexpr const char* kEndings[] = {".npy", ".png"};
    if (ui::Segments("kind", {kEndings[0], kEndings[1]}, &kind)) path_ = std::string(absl::StripSuffix(path_, kEndings[1 - kind]));
    ui::Gap(6);
    bool entered = false;
    ui::Field("path", &path_, "file", 320, &entered, true);
    for (const int k : {0, 1}) {
      if (absl::EndsWith(path_, kEndings[k])) kind = k;
    }
    save_picture_ = kind == 1;
    ui::Gap(6);
    const bool browse = ui::Button("browse", "Browse...", ui::Icon::kOpen, ui::ButtonKind::kPlain, "Choose the folder and the name in the file dialog");
    ImGui::SameLine(0, ui::Px(6));
    if (browse || ui::Button("write", "Save", ui::Icon::kSave, ui::ButtonKind::kPrimary, "", !path_.empty()) || entered) {
      const absl::string_view suffix = kEndings[kind];
      const std::string path = absl::EndsWith(path_, suffix) ? path_ : absl::StrCat(path_, suffix);
      std::string slice;
      if (save_picture_ && in.facts.shape.rank() > 2) {
        // The plane that is seen, where it is one of the last two dimensions.
        for (int d = 0; d < in.facts.shape.rank(); ++d) absl::StrAppend(&slice, slice.empty() ? "[" : ",", d == in.axes.rows || d == in.axes.columns || d == in.channel ? std::string(":") : absl::StrCat(in.axes.at[d]));
        absl::StrAppend(&slice, "]");
      }
      const std::string command = save_picture_ ? absl::StrCat("picture ", PictureOptionsOf(in), Named(in), slice) : absl::StrCat("save ", Named(in));
      in.context.run(browse ? absl::StrCat("window ask-file ", FileWord(std::filesystem::path(path).filename().string()), " ", command) : absl::StrCat(command, " ", FileWord(path)));
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

void ValueSide::DrawWhy(const SideInput& in) {
  const ui::Palette& c = ui::Colors();
  if (want_why_) {
    want_why_ = false;
    std::vector<int64_t> index = in.selected;
    if (const int64_t trouble = in.facts.first_nan >= 0 ? in.facts.first_nan : in.facts.first_inf; index.empty() && in.facts.shape.rank() > 0 && trouble >= 0) {
      index.resize(in.facts.shape.rank());
      DelinearizeIndex(in.facts.shape.dimensions(), trouble, absl::MakeSpan(index));
    }
    if (!index.empty() || in.facts.shape.rank() == 0) {
      in.context.run(absl::StrCat("why ", Named(in), IndexText(index), in.name.moment.empty() ? "" : absl::StrCat(" @ ", in.name.moment)));
      why_of_ = in.name;
      why_iteration_ = in.iteration;
      why_index_ = index;
      why_key_ = absl::StrCat(in.key, IndexText(index), ",why");
      why_shown_ = nullptr;
    }
  }
  if (why_key_.empty()) return;
  const std::shared_ptr<const WhyRows> rows =
      why_.Get(in.context.engine, why_key_, [name = why_of_, index = why_index_](Session::State& s) -> absl::StatusOr<WhyRows> { return AskWhy(s, name, index); });
  ui::Gap(8);
  const std::string asked = absl::StrCat("Why ", ShownName(*why_of_.instruction), LeafPathText(why_of_.instruction->shape, why_of_.leaf), IndexText(why_index_),
                                         !why_of_.moment.empty() ? absl::StrCat(" @ ", why_of_.moment) : why_iteration_.empty() ? "" : absl::StrCat(", ", why_iteration_));
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  ui::TextCut(asked, c.dim, ui::Type().small, ImGui::GetContentRegionAvail().x - ui::Px(28));
  ImGui::SameLine();
  ImGui::SetCursorScreenPos({right - ui::Px(24), ImGui::GetCursorScreenPos().y - ui::Px(6)});
  if (ui::IconButton("why-close", ui::Icon::kClose, "Forget it")) {
    why_key_.clear();
    why_shown_ = nullptr;
    in.context.selection.slice.clear();
    in.context.selection.slice_parts = nullptr;
    return;
  }
  if (!why_.fresh()) {
    ui::Spinner(14);
    return;
  }
  if (rows == nullptr) {
    ui::TextWrapped(why_.status().message(), c.dim, ui::Type().small);
    return;
  }
  if (why_shown_ != rows) {
    why_shown_ = rows;
    in.context.selection.slice = rows->slice;
    in.context.selection.slice_parts = rows->parts;
  }
  for (size_t k = 0; k < rows->rows.size(); ++k) {
    const WhyRow& row = rows->rows[k];
    ImGui::PushID(static_cast<int>(k));
    const bool two = !row.formula.empty() || !row.note.empty();
    const ui::RowState state = ui::Row(absl::StrCat("why:", k), two ? 38 : 22, in.context.selection.instruction == row.instruction && in.context.selection.element == row.index);
    ImGui::PopID();
    const float indent = ui::Px(4) + ui::Px(10) * static_cast<float>(std::min(row.depth, 8)), width = state.max.x - state.min.x - indent - ui::Px(4);
    const ImVec2 at = {state.min.x + indent, state.min.y + ui::Px(3)};
    const ImU32 color = row.birth ? c.pink : c.text;
    float x = at.x;
    if (row.birth) {
      ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kWarning, {x, at.y + ui::Px(1)}, ui::Px(12), c.pink);
      x += ui::Px(16);
    }
    const float value_width = std::min(ui::Measure(ui::Type().mono_small, row.value).x, width * 0.45f);
    bool cut = false;
    ui::DrawNameIn({x, at.y}, at.x + width - value_width - ui::Px(8) - x, c.blue, ui::Type().mono_small, row.place, &cut);
    ui::DrawTextIn({at.x + width - value_width, at.y}, value_width + 1, color, ui::Type().mono_small, row.value);
    if (two) ui::DrawTextIn({at.x, at.y + ui::Px(17)}, width, c.faint, ui::Type().small, row.formula.empty() ? row.note : row.formula);
    if (two || cut) ui::Tooltip(absl::StrCat(row.place, " = ", row.value, row.formula.empty() ? "" : absl::StrCat("\n", row.formula), row.note.empty() ? "" : absl::StrCat("\n", row.note)));
    if (state.hovered) in.context.selection.hover_next = row.instruction;
    if (state.clicked) in.context.select(row.instruction, row.index);
  }
  if (rows->cut) ui::TextCut("... and more", c.faint, ui::Type().small);
  ui::TagFact("why", absl::StrCat(rows->rows.size()));
  ui::TagFact("why-asked", asked);
  if (!rows->rows.empty()) ui::TagFact("why-last", absl::StrCat(rows->rows.back().place, " = ", rows->rows.back().value));
  for (const WhyRow& row : rows->rows) {
    if (row.birth) ui::TagFact("birth", absl::StrCat(row.place, " = ", row.value));
  }
}

}  // namespace hloscope
