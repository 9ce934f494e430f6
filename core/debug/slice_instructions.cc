#include "core/debug/slice_instructions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/debug/device_readers.h"
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

// The parts of one slice or of several, each of another moment: what several have is one part.
class PartsGatherer {
 public:
  explicit PartsGatherer(SliceParts* found) : found_(*found), elements_(found->parts.size()) {
    found_.runs = true;
    for (size_t k = 0; k < found_.parts.size(); ++k) known_[{found_.parts[k].where, found_.parts[k].instruction}] = static_cast<int>(k);
  }

  void Add(const SliceFrames& frames, const Slice& slice, const SliceRequest& request, int depth) {
    absl::flat_hash_set<int> followed;  // straight to a birth, however far that is
    for (const SliceBirth& birth : slice.births) followed.insert(birth.path.begin(), birth.path.end());
    std::vector<int> part_of;
    for (const SliceNode& node : slice.nodes) {
      part_of.push_back(PartOf(frames, node));
      AddNode(part_of.back(), node, EndsForItsDepth(node) && !followed.contains(static_cast<int>(part_of.size()) - 1));
    }
    if (!slice.births.empty() && found_.birth != "NaN") found_.birth = slice.births.front().nan ? "NaN" : "infinity";
    if (!request.all && slice.births.empty()) found_.depth = depth;
    found_.full = found_.full || slice.cut;
    AddSteps(slice, part_of);
    if (!slice.nodes.empty()) found_.parts[static_cast<size_t>(part_of[0])].asked = true;
  }

  void Finish() {
    for (size_t k = 0; k < elements_.size(); ++k) {
      if (elements_[k].goes_on.empty()) continue;  // it was there, and nothing was added
      SlicePart& part = found_.parts[k];
      part.value = elements_[k].text.Text();
      part.health = elements_[k].text.health();
      part.cut = std::any_of(elements_[k].goes_on.begin(), elements_[k].goes_on.end(), [](const auto& element) { return element.second; });
    }
  }

 private:
  struct Elements {
    ElementsText text;
    absl::flat_hash_map<std::pair<int, int64_t>, bool> goes_on;  // by leaf and position: no slice has what it was made from
  };

  // By the text of its frame: the history of another moment numbers the frames in another way.
  int PartOf(const SliceFrames& frames, const SliceNode& node) {
    std::string where = FrameText(frames.of(node.place.device), node.place.frame);
    if (frames.name != nullptr) where = absl::StrCat(frames.name(node.place.device), where.empty() ? "" : ": ", where);
    const auto [it, fresh] = known_.try_emplace({where, node.place.instruction}, static_cast<int>(found_.parts.size()));
    if (fresh) {
      found_.parts.push_back({node.place.instruction, std::move(where), ""});
      found_.parts.back().calls = CallsTo(frames.of(node.place.device), node.place.frame);
      elements_.emplace_back();
    }
    return it->second;
  }

  void AddNode(int at, const SliceNode& node, bool ends) {
    Elements& elements = elements_[static_cast<size_t>(at)];
    const auto [element, fresh] = elements.goes_on.try_emplace({node.place.leaf, node.place.linear}, ends);
    if (fresh) elements.text.Add(node);
    element->second = element->second && ends;
    SlicePart& part = found_.parts[static_cast<size_t>(at)];
    const int64_t left = LeftOut(node);
    if (left <= part.terms_left) return;
    part.terms_left = left;
    part.terms = static_cast<int64_t>(node.terms.size()) + left;
  }

  void AddSteps(const Slice& slice, const std::vector<int>& part_of) {
    const auto step = [&](int from, int to, std::string label) {
      const int of = part_of[static_cast<size_t>(from)], in = part_of[static_cast<size_t>(to)];
      if (of != in) found_.steps.push_back({of, in, std::move(label)});
    };
    for (size_t n = 0; n < slice.nodes.size(); ++n) {
      for (const SliceEdge& edge : slice.nodes[n].edges) {
        if (edge.to >= 0) step(edge.to, static_cast<int>(n), LabelOf(edge));
      }
    }
    for (const SliceBirth& birth : slice.births) {
      for (size_t k = 1; k < birth.path.size(); ++k) step(birth.path[k], birth.path[k - 1], "");
    }
  }

  SliceParts& found_;
  absl::flat_hash_map<std::pair<std::string, const Instruction*>, int> known_;
  std::vector<Elements> elements_;
};

// Of several moments: how many they are, and how one is chosen.
void TellMoments(Session::State& s, SliceParts* found) {
  const LookedAt& looked = s.Extension<Travel>().looked;
  if (looked.moments < 2) return;
  found->moments = looked.moments;
  found->more_moments = looked.more;
  found->choose = looked.choose;
}

}  // namespace

absl::StatusOr<SliceParts> PartsOfWhy(Session::State& s, absl::string_view text) {
  SliceParts found;
  PartsGatherer gatherer(&found);
  const auto at = [&](absl::string_view expression) -> absl::Status {
    absl::StatusOr<SliceRequest> request = ParseSliceRequest(s, "--slice", expression);
    if (!request.ok()) return request.status();
    if (!request->json.empty() || !request->graph.empty()) return absl::InvalidArgumentError(kNoFiles);
    s.machine->interrupt().store(false);
    DeviceReaders readers(s);
    request->place.device = readers.selected();
    const WhyOptions options = OptionsOfWhy(*request);
    absl::StatusOr<Slice> slice =
        BuildWhy([&readers](int device) -> ElementReader& { return readers.of(device); }, request->place, options);
    if (!slice.ok()) return slice.status();
    gatherer.Add(readers.frames(), *slice, *request, options.depth);
    return absl::OkStatus();
  };
  absl::string_view expression, moment;
  const bool back = SplitMoment(text, &expression, &moment);
  const absl::Status status =
      back ? LookBack(s, moment, ElementOf(expression), [&](absl::string_view) { return at(expression); }) : at(text);
  if (!status.ok()) return status;
  gatherer.Finish();
  if (back) TellMoments(s, &found);
  return found;
}

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
  SliceParts found = *PartsOf(s.Extension<LastSlice>());
  if (absl::string_view element, moment; SplitMoment(expression, &element, &moment)) TellMoments(s, &found);
  return found;
}

void AddPartsOfWhy(const SliceFrames& frames, const Slice& slice, const SliceRequest& request, int depth, SliceParts* parts) {
  PartsGatherer gatherer(parts);
  gatherer.Add(frames, slice, request, depth);
  gatherer.Finish();
}

std::shared_ptr<const SliceParts> PartsOf(LastSlice& last) {
  if (last.shared != nullptr) return last.shared;
  SliceParts found = last.parts;  // none of an influence on one device
  for (const LastSlice::Place& place : last.places) {
    if (found.runs) break;
    found.parts.push_back({place.instruction, "", ""});
    found.parts.back().calls = place.calls;
  }
  if (!found.runs && !found.parts.empty()) found.parts.front().asked = true;
  last.shared = std::make_shared<const SliceParts>(std::move(found));
  return last.shared;
}

}  // namespace hloscope
