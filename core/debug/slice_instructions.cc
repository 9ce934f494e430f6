#include "core/debug/slice_instructions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/debug/last_slice.h"
#include "core/debug/slice_command.h"
#include "core/debug/slice_text.h"
#include "core/debug/subscript.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {
namespace {

constexpr absl::string_view kNoFiles = "a slice that is drawn takes no /json and no /graph";

using Look = absl::Status (*)(Session::State& s, ElementReader& reader, const SliceRequest& request, SliceParts* found);

Health HealthOf(const Scalar& value) { return value.IsNaN() ? Health::kNaN : value.IsFinite() ? Health::kFinite : Health::kInfinite; }

// Elements of one value, as one line.
class ElementsText {
 public:
  void Add(const SliceNode& node) {
    ++count_;
    if (count_ == 1) {
      const Shape& shape = LeafShape(node.place.instruction->shape, node.place.leaf);
      const bool indexed = shape.IsArray() && shape.rank() > 0;
      only_ = absl::StrCat(indexed ? absl::StrCat(IndexText(shape, node.place.linear), " = ") : "", node.known ? ToText(node.value) : "?");
    }
    if (!node.known) return;
    health_ = std::max(health_, HealthOf(node.value));
    if (node.value.IsNaN()) ++nan_;
    else if (IsComplex(node.value.type)) infinite_ += !node.value.IsFinite();
    else if (!node.value.IsFinite()) ++(node.value.re < 0 ? below_ : above_);
    if (!node.value.IsFinite() || IsComplex(node.value.type)) return;
    const auto order = [](const Scalar& s) { return IsFloat(s.type) ? s.re : static_cast<double>(s.i); };
    if (!low_ || order(node.value) < order(*low_)) low_ = node.value;
    if (!high_ || order(node.value) > order(*high_)) high_ = node.value;
  }
  std::string Text() const {
    if (count_ == 1) return only_;
    std::string text = Count(count_, "element");
    if (low_) absl::StrAppend(&text, ", ", ToText(*low_), ToText(*low_) == ToText(*high_) ? "" : absl::StrCat(" to ", ToText(*high_)));
    for (const auto& [count, what] : {std::pair(below_, " -inf"), std::pair(above_, " inf"), std::pair(infinite_, " infinite"), std::pair(nan_, " NaN")}) {
      if (count > 0) absl::StrAppend(&text, ", ", count, what);
    }
    return text;
  }
  Health health() const { return health_; }

 private:
  int64_t count_ = 0, nan_ = 0, below_ = 0, above_ = 0, infinite_ = 0;
  std::string only_;
  std::optional<Scalar> low_, high_;
  Health health_ = Health::kUnknown;
};

std::string LabelOf(const SliceEdge& edge) {
  if (edge.moves == 0 || edge.through.empty()) return "";
  // In the direction of the data: an edge tells them from its reader on.
  const std::string &first = edge.through.back(), &last = edge.through.front();
  return absl::StrCat("through ", first, edge.through.size() == 1 ? "" : absl::StrCat(edge.moves > 2 ? " \u2026 " : ", ", last));
}

// More lies behind the element, and is not in the slice.
bool EndsForItsDepth(const SliceNode& node) { return !node.expanded && node.kind == SliceNode::kComputed; }

// Of a sum's terms, those that are not followed. Padding reads nothing.
int64_t LeftOut(const SliceNode& node) {
  return node.expanded ? std::max<int64_t>(0, node.term_count - node.padding_terms - static_cast<int64_t>(node.terms.size())) : 0;
}

absl::Status LookWhy(Session::State& s, ElementReader& reader, const SliceRequest& request, SliceParts* found) {
  const WhyOptions options = OptionsOfWhy(request);
  absl::StatusOr<Slice> slice = BuildWhy(reader, request.place, options);
  if (!slice.ok()) return slice.status();
  found->runs = true;
  absl::flat_hash_map<std::pair<int, const Instruction*>, int> known;
  std::vector<int> part_of;
  std::vector<ElementsText> texts;
  absl::flat_hash_set<int> followed;  // straight to a birth, however far that is
  for (const SliceBirth& birth : slice->births) followed.insert(birth.path.begin(), birth.path.end());
  for (const SliceNode& node : slice->nodes) {
    const auto [it, fresh] = known.try_emplace({node.place.frame, node.place.instruction}, static_cast<int>(found->parts.size()));
    if (fresh) {
      found->parts.push_back({node.place.instruction, FrameText(reader.history(), node.place.frame), ""});
      texts.emplace_back();
    }
    part_of.push_back(it->second);
    texts[static_cast<size_t>(it->second)].Add(node);
    SlicePart& part = found->parts[static_cast<size_t>(it->second)];
    part.cut = part.cut || (EndsForItsDepth(node) && !followed.contains(static_cast<int>(part_of.size()) - 1));
    const int64_t left = LeftOut(node);
    if (left > part.terms_left) {
      part.terms_left = left;
      part.terms = static_cast<int64_t>(node.terms.size()) + left;
    }
  }
  if (!slice->births.empty()) found->birth = slice->births.front().nan ? "NaN" : "infinity";
  if (!request.all && slice->births.empty()) found->depth = options.depth;
  found->full = slice->cut;
  for (size_t k = 0; k < texts.size(); ++k) {
    found->parts[k].value = texts[k].Text();
    found->parts[k].health = texts[k].health();
  }
  const auto step = [&](int from, int to, std::string label) {
    if (part_of[static_cast<size_t>(from)] != part_of[static_cast<size_t>(to)]) found->steps.push_back({part_of[static_cast<size_t>(from)], part_of[static_cast<size_t>(to)], std::move(label)});
  };
  for (size_t n = 0; n < slice->nodes.size(); ++n) {
    for (const SliceEdge& edge : slice->nodes[n].edges) {
      if (edge.to >= 0) step(edge.to, static_cast<int>(n), LabelOf(edge));
    }
  }
  for (const SliceBirth& birth : slice->births) {
    for (size_t k = 1; k < birth.path.size(); ++k) step(birth.path[k], birth.path[k - 1], "");
  }
  found->asked = slice->nodes.empty() ? -1 : part_of[0];
  return absl::OkStatus();
}

absl::StatusOr<SliceParts> Find(Session::State& s, absl::string_view command, absl::string_view text, Look look) {
  SliceParts found;
  const auto at = [&](absl::string_view expression) -> absl::Status {
    absl::StatusOr<SliceRequest> request = ParseSliceRequest(s, command, expression);
    if (!request.ok()) return request.status();
    if (!request->json.empty() || !request->graph.empty()) return absl::InvalidArgumentError(kNoFiles);
    s.machine->interrupt().store(false);
    ElementReader reader(*s.machine, s.options.retain_bytes, PastOf(s));
    return look(s, reader, *request, &found);
  };
  absl::string_view expression, moment;
  const absl::Status status = SplitMoment(text, &expression, &moment) ? LookBack(s, moment, expression, at) : at(text);
  if (!status.ok()) return status;
  return found;
}

}  // namespace

absl::StatusOr<SliceParts> PartsOfWhy(Session::State& s, absl::string_view expression) { return Find(s, "--slice", expression, LookWhy); }

// As the command finds it: also from a moment of the past on, through all that was executed since.
absl::StatusOr<SliceParts> PartsOfInfluence(Session::State& s, absl::string_view expression) {
  for (const absl::string_view word : absl::StrSplit(expression, ' ')) {
    if (word == "/json" || word == "/graph") return absl::InvalidArgumentError(kNoFiles);
  }
  const std::function<void(absl::string_view)> out = s.out;
  s.out = [](absl::string_view) {};
  const absl::Status status = ShowInfluenceAs(s, "--influence", expression);
  s.out = out;
  if (!status.ok()) return status;
  SliceParts found;
  for (const Instruction* i : s.Extension<LastSlice>().instructions) found.parts.push_back({i, "", ""});
  found.asked = found.parts.empty() ? -1 : 0;
  return found;
}

}  // namespace hloscope
