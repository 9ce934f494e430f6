#include "visualizer/export/graph_choice.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/locations.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "visualizer/export/graph_drawing.h"
#include "visualizer/graph/marked_places.h"
#include "visualizer/graph/walk.h"

namespace hloscope {
namespace {

absl::StatusOr<const Instruction*> Named(const Module& module, const std::string& name) {
  absl::StatusOr<std::vector<Location>> found = ResolveLocations(module, name, module.entry);
  if (!found.ok()) return found.status();
  return &found->front().instruction();
}

absl::StatusOr<const Computation*> ComputationNamed(const Module& module, absl::string_view name) {
  absl::ConsumePrefix(&name, "%");
  if (const Computation* found = module.FindComputation(name)) return found;
  std::string known;
  size_t listed = 0;
  for (const Computation* c : module.computations) {
    if (listed++ < 8) absl::StrAppend(&known, known.empty() ? "" : ", ", c->name);
  }
  if (module.computations.size() > 8) absl::StrAppend(&known, ", ... (", module.computations.size(), ")");
  return absl::NotFoundError(absl::StrCat("there is no computation ", name, "; there are ", known));
}

// Drawn one by one, so many at most.
void Limit(const Hierarchy& h, const GraphChoice& choice, ChosenGraph* out) {
  std::vector<const Instruction*>& only = out->wish.only;
  if (static_cast<int>(only.size()) <= choice.boxes) return;
  if (!out->note.empty()) out->note += "; ";
  absl::StrAppend(&out->note, "shows ", choice.boxes, " of ", Count(static_cast<int64_t>(only.size()), "instruction"), "; --boxes N shows more");
  const Instruction* keep = out->here;
  std::sort(only.begin(), only.end(), [&](const Instruction* a, const Instruction* b) { return h.Number(*a) < h.Number(*b); });
  // The nearest in program order.
  const auto at = std::find(only.begin(), only.end(), keep);
  const size_t middle = at == only.end() ? only.size() : static_cast<size_t>(at - only.begin());
  const size_t most = static_cast<size_t>(choice.boxes);
  const size_t first = std::min(middle > most / 2 ? middle - most / 2 : 0, only.size() - most);
  only = std::vector<const Instruction*>(only.begin() + static_cast<long>(first), only.begin() + static_cast<long>(first + most));
}

// What of its causes a slice has not got: how far back it goes, and how many of the terms of a fold it has.
std::string LeftOutText(const SliceParts& slice) {
  bool cut = false;
  int64_t least = 0, most = 0, of_least = 0, of_most = 0;  // terms that are there, and of how many
  for (const SlicePart& part : slice.parts) {
    cut = cut || part.cut;
    if (part.terms_left == 0) continue;
    const int64_t kept = part.terms - part.terms_left;
    least = most == 0 ? kept : std::min(least, kept);
    most = std::max(most, kept);
    of_least = of_most == 0 ? part.terms : std::min(of_least, part.terms);
    of_most = std::max(of_most, part.terms);
  }
  if (!slice.birth.empty())
    return absl::StrCat(", back to where the ", slice.birth, " was born",
                        cut && slice.depth > 0 ? absl::StrCat(", elsewhere ", Count(slice.depth, "step"), " back") : "");
  std::string text = cut && slice.depth > 0 ? absl::StrCat(", ", Count(slice.depth, "step"), " back") : "";
  if (most > 0) absl::StrAppend(&text, ", the ", least == most ? absl::StrCat(most) : absl::StrCat(least, " to ", most), " largest of ", of_least == of_most ? "" : absl::StrCat(of_least, " to "), Count(of_most, "term"));
  return text;
}

std::string MomentsText(const SliceParts& slice) {
  if (slice.moments < 2) return "";
  return absl::StrCat(slice.more_moments ? ", the first " : ", ", Count(slice.moments, "moment"));
}

// A computation that is called several times is opened in each call that has parts, while there is room.
void ChoosePlaces(const Hierarchy& h, const GraphChoice& choice, ChosenGraph* out) {
  const std::vector<MarkedPlace> places = PlacesOf(h, choice.slice);
  const absl::flat_hash_set<const Instruction*> drawn(out->wish.only.begin(), out->wish.only.end());
  if (drawn.size() < out->marked.size()) return;
  for (const MarkedPlace& place : places) {
    for (const CalledBy& call : place.path) {
      if (!drawn.contains(call.caller)) return;  // it would stand nowhere
    }
  }
  if (static_cast<int>(places.size()) > choice.boxes) {
    absl::StrAppend(&out->note, out->note.empty() ? "" : "; ", "a computation that is called several times is opened in one call only; --boxes ", places.size(),
                    " opens it in all");
    return;
  }
  for (const MarkedPlace& place : places) out->wish.places.insert(KeyOf(FrameOf(h, place.path), h.NodeOf(*place.instruction)));
}

void ChooseSlice(const Hierarchy& h, const GraphChoice& choice, ChosenGraph* out) {
  const SliceParts& slice = choice.slice;
  const size_t all = slice.parts.size(), most = static_cast<size_t>(choice.boxes);
  out->subject = absl::StrCat(choice.slice_text, MomentsText(slice), ", ", Count(static_cast<int64_t>(all), "result"), LeftOutText(slice));
  const auto asked = std::find_if(slice.parts.begin(), slice.parts.end(), [](const SlicePart& part) { return part.asked; });
  if (asked != slice.parts.end()) out->here = asked->instruction;
  absl::flat_hash_set<const Instruction*> seen;
  for (size_t k = 0; k < all; ++k) {
    const SlicePart& part = slice.parts[k];
    if (seen.insert(part.instruction).second) out->marked.push_back(part.instruction);
    if (k >= most || !slice.runs) continue;
    out->wish.parts.push_back({part.instruction, part.where, PartText(part), static_cast<int>(part.health), part.asked});
  }
  if (!slice.runs) {
    out->wish.only = out->marked;
    out->subject =
        absl::StrCat(choice.slice_text, MomentsText(slice), ", ", Count(static_cast<int64_t>(out->marked.size()), "instruction"));
    Limit(h, choice, out);
    ChoosePlaces(h, choice, out);
    if (!slice.choose.empty()) out->note = absl::StrCat(slice.choose, out->note.empty() ? "" : "; ", out->note);
    return;
  }
  for (const SliceStep& step : slice.steps) {
    if (std::max(step.from, step.to) < static_cast<int>(out->wish.parts.size())) out->wish.steps.push_back({step.from, step.to, step.label});
  }
  std::vector<std::string> notes;
  if (!slice.choose.empty()) notes.push_back(slice.choose);
  if (all > most) notes.push_back(absl::StrCat("shows the nearest ", most, " of ", Count(static_cast<int64_t>(all), "result"), "; --boxes N shows more"));
  const auto any = [&](auto&& is) { return std::any_of(slice.parts.begin(), slice.parts.end(), is); };
  if (!slice.birth.empty()) {
    notes.push_back(absl::StrCat("goes only to where the ", slice.birth,
                                 " was born; '/depth N ELEMENT' and '/all ELEMENT' go to all that it was made from"));
  }
  if (slice.full) notes.push_back("'/nodes N ELEMENT' takes more elements");
  if (slice.depth > 0 && any([](const SlicePart& part) { return part.cut; })) notes.push_back("'/depth N ELEMENT' goes further back");
  if (any([](const SlicePart& part) { return part.terms_left > 0; })) notes.push_back("'/top N ELEMENT' follows more terms");
  out->note = absl::StrJoin(notes, "; ");
}

// The calls that the instruction is done in, as far as there is one only, so that frames say where it is.
void AddAround(const Hierarchy& h, const Instruction& of, SceneWish* wish) {
  absl::flat_hash_set<const Computation*> seen;
  for (const Computation* c = of.parent; c != h.module().entry && seen.insert(c).second;) {
    const auto in = wish->seen_in.find(c);
    const std::vector<CalledBy>& callers = h.CallersOf(*c);
    const Instruction* caller = in != wish->seen_in.end() ? in->second : callers.size() == 1 ? callers[0].caller : nullptr;
    if (caller == nullptr) return;  // it is shown for all of its calls
    if (std::find(wish->only.begin(), wish->only.end(), caller) == wish->only.end()) wish->only.push_back(caller);
    c = caller->parent;
  }
}

}  // namespace

std::string PartText(const SlicePart& part) {
  return absl::StrCat(part.value,
                      part.terms_left > 0 ? absl::StrCat(", ", part.terms - part.terms_left, " of ", Count(part.terms, "term")) : "",
                      part.cut ? ", goes on" : "");
}

std::string SubjectOf(const Scene& scene, const Computation& root) {
  const Hierarchy& h = *scene.hierarchy;
  absl::flat_hash_set<const Instruction*> drawn;
  absl::flat_hash_set<int> folded;
  int64_t count = 0;
  for (const SceneBox& box : scene.boxes) {
    if (box.instruction != nullptr) {
      drawn.insert(box.instruction);
    } else if (!box.expanded && box.node >= 0 && folded.insert(box.node).second) {
      count += h.node(box.node).count;
    }
  }
  count += static_cast<int64_t>(drawn.size());
  const int64_t all = h.module().instruction_count();
  return absl::StrCat(root.name, ", ", Count(count, "instruction"), count < all ? absl::StrCat(" of ", all) : "");
}

absl::StatusOr<ChosenGraph> ChooseGraph(std::shared_ptr<const Hierarchy> hierarchy, const GraphChoice& choice) {
  const Module& module = hierarchy->module();
  ChosenGraph out;
  out.wish.hierarchy = hierarchy;
  out.wish.spell_counts = true;
  out.wish.most_arrows = std::numeric_limits<size_t>::max();  // a file is to be complete
  out.wish.only_boxes = choice.boxes;
  MeasureLetters(&out.wish);
  if (!choice.slice.parts.empty()) {
    ChooseSlice(*hierarchy, choice, &out);
    return out;
  }
  if (!choice.around.empty()) {
    absl::StatusOr<const Instruction*> of = Named(module, choice.around);
    if (!of.ok()) return of.status();
    out.here = out.wish.about = *of;
    Neighbours near = Neighbourhood(*hierarchy, **of, choice.hops, static_cast<size_t>(choice.boxes));
    out.wish.only = std::move(near.found);
    out.wish.seen_in = std::move(near.seen_in);
    const auto found = static_cast<int64_t>(out.wish.only.size());
    AddAround(*hierarchy, **of, &out.wish);
    // The drawing goes without the note to who gets it: it says itself that there is more.
    const bool full = found >= choice.boxes;
    out.subject = absl::StrCat(Count(choice.hops, "hop"), " around ", ShownName(*(*of)), full ? ", the nearest " : ", ", Count(found, "instruction"));
    if (full) out.note = absl::StrCat("shows the nearest ", choice.boxes, " instructions; --boxes N shows more");
    return out;
  }
  if (!choice.path.empty()) {
    const Instruction* ends[2];
    for (int k = 0; k < 2; ++k) {
      absl::StatusOr<const Instruction*> end = Named(module, choice.path[static_cast<size_t>(k)]);
      if (!end.ok()) return end.status();
      ends[k] = *end;
    }
    WayKind kind{};
    out.wish.only = ShortestPath(*hierarchy, *ends[0], *ends[1], &kind);
    if (out.wish.only.empty()) return absl::NotFoundError(absl::StrCat("nothing leads from ", ShownName(*ends[0]), " to ", ShownName(*ends[1])));
    out.marked = out.wish.only;
    out.here = ends[1];
    if (kind == WayKind::kAgainst) out.note = absl::StrCat("values flow the other way, from ", ShownName(*ends[1]), " to ", ShownName(*ends[0]));
    const std::string neither = absl::StrCat("no value of ", ShownName(*ends[0]), " reaches ", ShownName(*ends[1]), ", nor the other way: ");
    if (kind == WayKind::kOtherParts) out.note = absl::StrCat(neither, "where the way goes through a tuple, it comes out of another part of it than it goes in");
    if (kind == WayKind::kMixed) out.note = absl::StrCat(neither, "parts of the way go against the flow of values");
    out.wish.hops = HopsOf(*hierarchy, out.wish.only);
    out.subject = absl::StrCat(ShortestWayFrom(kind), " ", ShownName(*ends[0]), " to ", ShownName(*ends[1]), ", ",
                               Count(static_cast<int64_t>(out.wish.hops.size()), "hop"));
    Limit(*hierarchy, choice, &out);
    return out;
  }
  const Computation* root = module.entry;
  if (!choice.computation.empty()) {
    absl::StatusOr<const Computation*> found = ComputationNamed(module, choice.computation);
    if (!found.ok()) return found.status();
    root = *found;
  }
  if (root == nullptr) return absl::InvalidArgumentError("the program has no entry computation; --computation NAME names another one");
  out.wish.root = root;
  if (choice.depth < 0) {
    out.wish.expanded = FirstExpansion(*hierarchy, choice.boxes, root);
    ExpandLevels(*hierarchy, *root, choice.boxes, &out.wish.expanded);
  } else {
    const DeepExpansion deep = ExpansionToDepth(*hierarchy, *root, choice.depth, choice.boxes);
    out.wish.expanded = deep.expanded;
    if (deep.left_closed > 0) out.note = absl::StrCat(deep.left_closed, " of the scopes and calls within depth ", choice.depth, " left closed; --boxes N opens more");
    if (deep.too_deep > 0)
      absl::StrAppend(&out.note, out.note.empty() ? "" : "; ", deep.too_deep, " left closed, for boxes lie at most ", kMostSceneDepth,
                      " deep in boxes; --computation NAME begins further down");
  }
  const GraphNode& top = hierarchy->node(hierarchy->NodeOf(*root));
  if (static_cast<int>(top.children.size()) > choice.boxes) {
    absl::StrAppend(&out.note, out.note.empty() ? "" : "; ", "the top level by itself has ", top.children.size(), " boxes, more than --boxes ", choice.boxes, "; --around, --path and --slice show less");
  }
  out.subject = absl::StrCat(root->name, ", ", Count(top.count, "instruction"));
  return out;
}

}  // namespace hloscope
