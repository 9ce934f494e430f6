// The graph outside of the window: DOT that Graphviz takes, the layout of every level, what a page knows, and which part is chosen.
#include <graphviz/gvc.h>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/graph/programs.h"
#include "visualizer/export/dot.h"
#include "visualizer/export/graph_choice.h"
#include "visualizer/export/graph_drawing.h"
#include "visualizer/export/levels.h"
#include "visualizer/export/page_data.h"

namespace hloscope {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// The loop of the graph's tests, with names of scopes that have to be escaped.
std::shared_ptr<const Hierarchy> Loop() {
  return HierarchyOf(Read(absl::StrReplaceAll(kLoop, {{"body/inner/", R"(body/\"in\\ner\"/)"}, {"out[axes=(0, 1)/2]", "out"}})));
}

// A chain of groups: `groups` scopes of `each` instructions.
std::string Chain(int groups, int each) {
  std::string text = "HloModule chain\nENTRY main {\n  x0 = f32[4] parameter(0)\n";
  const int n = groups * each;
  for (int k = 1; k <= n; ++k) {
    absl::StrAppend(&text, "  ", k == n ? "ROOT " : "", "x", k, " = f32[4] add(x", k - 1, ", x", k > 2 ? k - 2 : 0, "), metadata={op_name=\"jit(f)/g", (k - 1) / each, "/add\"}\n");
  }
  return text + "}\n";
}

struct Made {
  std::shared_ptr<const Scene> scene;
  SceneTints tints;
  ChosenGraph chosen;
};
Made Make(const std::shared_ptr<const Hierarchy>& h, const GraphChoice& choice) {
  absl::StatusOr<ChosenGraph> chosen = ChooseGraph(h, choice);
  EXPECT_TRUE(chosen.ok()) << chosen.status();
  SceneMaker maker;
  Made made = {maker.Make(chosen->wish), {}, *chosen};
  made.tints = PaintScene(*made.scene, GraphColour::kClass, {});
  return made;
}

TEST(Dot, IsTakenByGraphvizWithClustersAndQuotedTexts) {
  const auto h = Loop();
  GraphChoice choice;
  choice.depth = 4;
  const Made made = Make(h, choice);
  const std::string dot = WriteDot(*made.scene, made.tints, PaletteScheme::kLight, "a \"quoted\\ heading");
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_"));
  Agraph_t* graph = agmemread(dot.c_str());
  ASSERT_NE(graph, nullptr) << dot;
  int boxes = 0;
  for (const SceneBox& box : made.scene->boxes) boxes += box.parent >= 0 && !box.expanded;
  EXPECT_EQ(agnnodes(graph), boxes);
  EXPECT_GT(agnedges(graph), 8);
  GVC_t* context = gvContext();
  EXPECT_EQ(gvLayout(context, graph, "dot"), 0) << aglasterr();
  gvFreeLayout(context, graph);
  agclose(graph);
  gvFreeContext(context);
}

TEST(Choice, OpensNoMoreThanThereIsRoomFor) {
  const auto h = HierarchyOf(Read(Chain(12, 30)));
  GraphChoice choice;
  choice.depth = 9;
  choice.boxes = 60;
  const Made made = Make(h, choice);
  EXPECT_LE(made.scene->boxes.size(), 70u);
  EXPECT_THAT(made.chosen.note, HasSubstr("left closed"));
  choice.boxes = 1000;
  EXPECT_GT(Make(h, choice).scene->boxes.size(), 360u);
}

TEST(Choice, AllOfALevelIsOpenedWhereThereIsRoom) {
  const auto h = HierarchyOf(Read(Chain(12, 30)));
  GraphChoice choice;
  choice.boxes = 100;
  EXPECT_LT(Make(h, choice).scene->boxes.size(), 40u);
  choice.boxes = 1000;
  EXPECT_GT(Make(h, choice).scene->boxes.size(), 360u);
}

TEST(Choice, RunsOfASliceAreCutToTheNearest) {
  const auto h = Loop();
  const Instruction& y = *h->module().FindComputation("body")->FindInstruction("y");
  GraphChoice choice;
  choice.slice_text = "why %y";
  choice.slice.runs = true;
  for (int k = 0; k < 5; ++k) choice.slice.parts.push_back({&y, absl::StrCat("body, iteration ", 5 - k, " of %w"), "[0] = 1", Health::kFinite});
  choice.slice.parts[0].asked = true;
  for (int k = 1; k < 5; ++k) choice.slice.steps.push_back({k, k - 1, ""});
  choice.boxes = 3;
  const Made made = Make(h, choice);
  EXPECT_EQ(made.chosen.subject, "why %y, 5 results");
  EXPECT_THAT(made.chosen.note, HasSubstr("shows the nearest 3 of 5 results"));
  EXPECT_EQ(made.scene->arrows.size(), 2u);
  EXPECT_EQ(made.chosen.marked.size(), 1u);
}

TEST(Choice, ALongWayIsCutAroundItsEnd) {
  const auto h = HierarchyOf(Read(Chain(10, 30)));
  GraphChoice choice;
  choice.path = {"x1", "x290"};
  choice.boxes = 20;
  const Made made = Make(h, choice);
  EXPECT_EQ(made.chosen.wish.only.size(), 20u);
  EXPECT_THAT(made.chosen.note, HasSubstr("shows 20 of"));
}

TEST(Drawing, HasAPlaceForEveryBox) {
  const auto h = Loop();
  GraphChoice choice;
  choice.depth = 4;
  const Made made = Make(h, choice);
  const Drawing drawing = DrawGraph(*made.scene, made.tints, {.heading = "loop", .subject = "main"});
  size_t cards = 0;
  for (const SceneBox& box : made.scene->boxes) cards += box.parent >= 0 && !box.expanded;
  EXPECT_EQ(drawing.spots().size(), cards);
  for (const Spot& spot : drawing.spots()) {
    EXPECT_GE(spot.box.x, 0);
    EXPECT_LE(spot.box.right(), drawing.width());
    EXPECT_LE(spot.box.bottom(), drawing.height());
  }
}

TEST(Levels, BoxesOfALevelLieApartAndEveryArrowIsThere) {
  const auto h = HierarchyOf(Read(Chain(12, 30)));
  SceneWish wish;
  std::vector<SceneBox> boxes;
  for (int node = 0; node < h->size(); ++node) boxes.push_back(MakeSceneBox(*h, node, wish));
  const GraphLevels levels = MakeLevels(*h, boxes, 60);
  int looked = 0;
  for (int node = 0; node < h->size(); ++node) {
    if (levels.of_node[node] < 0) continue;
    const GraphLevel& level = levels.levels[levels.of_node[node]];
    ASSERT_EQ(level.layout.boxes.size(), h->node(node).children.size());
    ASSERT_EQ(level.layout.curves.size(), level.graph.arrows.size());
    for (size_t a = 0; a < level.layout.boxes.size(); ++a) {
      for (size_t b = a + 1; b < level.layout.boxes.size(); ++b) {
        const Point &p = level.layout.boxes[a], &q = level.layout.boxes[b];
        const LevelGraph::Box &s = level.graph.boxes[a], &t = level.graph.boxes[b];
        EXPECT_TRUE(p.x + s.width <= q.x + 0.5 || q.x + t.width <= p.x + 0.5 || p.y + s.height <= q.y + 0.5 || q.y + t.height <= p.y + 0.5) << node;
      }
    }
    for (size_t e = 0; e < level.graph.arrows.size(); ++e) EXPECT_EQ(level.layout.curves[e].empty(), level.minor[e] != 0);
    ++looked;
  }
  EXPECT_GT(looked, 10);
  // Groups are alike, so they are laid out once.
  EXPECT_LT(levels.levels.size(), static_cast<size_t>(looked));
  // The same arrows when time has run out.
  const GraphLevels hurried = MakeLevels(*h, boxes, -1);
  EXPECT_TRUE(hurried.hurried);
  EXPECT_EQ(hurried.levels.size(), levels.levels.size());
}

TEST(PageData, SaysThatTimeForLayingOutHasRunOut) {
  GraphPageInput input;
  input.hierarchy = Loop();
  EXPECT_THAT(PageJson(input), testing::Not(testing::HasSubstr("the fast way")));
  input.layout_seconds = 0;
  EXPECT_THAT(PageJson(input), testing::HasSubstr("is laid out the fast way"));
}

TEST(PageData, KnowsTheProgram) {
  GraphPageInput input;
  input.hierarchy = Loop();
  input.file = "loop.hlo";
  const json page = json::parse(PageJson(input));
  EXPECT_EQ(page["module"], "loop");
  const Module& module = input.hierarchy->module();
  const size_t n = static_cast<size_t>(input.hierarchy->instruction_count());
  for (const char* column : {"op", "shape", "scope", "source", "operands", "line"}) EXPECT_EQ(page[column].size(), n) << column;
  const Instruction& y = *module.FindComputation("body")->FindInstruction("y");
  const int number = input.hierarchy->Number(y);
  // Operands are told by how far back they are.
  for (const json& back : page["operands"][number]) EXPECT_EQ(number - back.get<int>(), input.hierarchy->Number(*y.operands[0]));
  EXPECT_EQ(page["ops"][page["op"][number].get<int>()], "multiply");
  EXPECT_EQ(page["called"].size(), 1u);
  EXPECT_EQ(page["nodes"]["kind"].get<std::string>().size(), static_cast<size_t>(input.hierarchy->size()));
  EXPECT_FALSE(page.contains("run"));
  EXPECT_THAT(page["formulas"][std::to_string(number)].get<std::string>(), HasSubstr("%x[i] * %x[i]"));
}

TEST(PageData, TellsTheRunsOfASliceApart) {
  GraphPageInput input;
  input.hierarchy = Loop();
  const Instruction& y = *input.hierarchy->module().FindComputation("body")->FindInstruction("y");
  SliceParts slice;
  slice.runs = true;
  slice.parts = {{&y, "body, iteration 2 of %w", "[0] = nan", Health::kNaN}, {&y, "body, iteration 1 of %w", "[0] = 1", Health::kFinite}};
  const CalledBy body = input.hierarchy->CallerOf(*y.parent);
  for (SlicePart& part : slice.parts) part.calls = {{body.caller, body.which}};
  input.marked = PlacesOf(*input.hierarchy, slice);
  ASSERT_EQ(input.marked.size(), 1u);  // iterations are one place
  input.slice = &slice;
  input.slice_from_causes = true;
  const json marked = json::parse(PageJson(input))["marked"];
  const int number = input.hierarchy->Number(y);
  EXPECT_EQ(marked["runs"], json({"body, iteration 1 of %w", "body, iteration 2 of %w"}));
  EXPECT_EQ(marked["parts"], json({{number, 0, "[0] = 1", 1, 0}, {number, 1, "[0] = nan", 3, 0}}));
  EXPECT_EQ(marked["of"], json::parse(absl::StrCat("[[", number, ",0]]")));
  EXPECT_EQ(marked["paths"], json::parse(absl::StrCat("[[[", input.hierarchy->Number(*body.caller), ",", body.which, "]]]")));
}

}  // namespace
}  // namespace hloscope
