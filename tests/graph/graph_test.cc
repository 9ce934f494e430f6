// Hierarchies, layouts of levels, scenes, neighbourhoods and ways.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/graph/programs.h"
#include "visualizer/graph/scene.h"
#include "visualizer/graph/walk.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// A chain of `n` instructions without scopes.
std::string Chain(int n) {
  std::string text = "HloModule chain\nENTRY main {\n  v0 = f32[4] parameter(0)\n";
  for (int k = 1; k < n; ++k) text += "  " + std::string(k + 1 == n ? "ROOT " : "") + "v" + std::to_string(k) + " = f32[4] negate(v" + std::to_string(k - 1) + ")\n";
  return text + "}\n";
}

TEST(ScopesOf, CutsAtSlashesOutsideBrackets) {
  EXPECT_THAT(ScopesOf("jit(f)/a/b/mul"), ElementsAre("jit(f)", "a", "b"));
  EXPECT_THAT(ScopesOf("jit(f/g)/a[x/y]/mul"), ElementsAre("jit(f/g)", "a[x/y]"));
  EXPECT_TRUE(ScopesOf("mul").empty());
  EXPECT_TRUE(ScopesOf("").empty());
  EXPECT_THAT(ScopesOf("a//b)/c"), ElementsAre("a", "b)"));
}

TEST(Hierarchy, GroupsByScopeAndPutsLoneInstructionsUp) {
  const auto module = Read(kLoop);
  const auto h = HierarchyOf(module);
  const GraphNode& root = h->node(h->NodeOf(*module->entry));
  EXPECT_EQ(root.count, 7);
  ASSERT_EQ(root.children.size(), 3u);  // p, jit(f), zero: in program order by their first instruction
  std::vector<std::string> scopes;
  for (const int child : root.children) {
    if (h->node(child).kind == GraphNode::kScope) scopes.push_back(h->node(child).title);
  }
  EXPECT_THAT(scopes, ElementsAre("jit(f)"));
  const Instruction& sub = At(*module, "main", "s");
  EXPECT_EQ(h->node(h->node(h->NodeOf(sub)).parent).title, "head");
  // The only instruction of its scope stands in the scope around.
  EXPECT_EQ(h->node(h->node(h->NodeOf(At(*module, "main", "out"))).parent).title, "jit(f)");
}

TEST(Hierarchy, LeavesOutInsideALoopWhatTheLoopsScopesSay) {
  const auto module = Read(kLoop);
  const auto h = HierarchyOf(module);
  EXPECT_EQ(h->node(h->node(h->NodeOf(At(*module, "body", "y"))).parent).title, "body / inner");
  EXPECT_EQ(h->CallerOf(*module->FindComputation("body")).caller->name, "w");
  EXPECT_EQ(h->CallerOf(*module->entry).caller, nullptr);
}

TEST(Hierarchy, CutsWhatIsLargeAndFlatIntoChunks) {
  const auto module = Read(Chain(3000));
  const auto h = HierarchyOf(module);
  std::vector<int> open = {h->NodeOf(*module->entry)};
  int instructions = 0, depth = 0;
  while (!open.empty()) {
    std::vector<int> next;
    for (const int node : open) {
      EXPECT_LE(h->node(node).children.size(), 40u);
      instructions += h->node(node).instruction != nullptr;
      next.insert(next.end(), h->node(node).children.begin(), h->node(node).children.end());
      for (const int child : h->node(node).children) EXPECT_EQ(h->node(child).parent, node);
    }
    open = std::move(next);
    ++depth;
  }
  EXPECT_EQ(instructions, 3000);
  EXPECT_EQ(depth, 4);
  EXPECT_THAT(h->node(h->node(h->NodeOf(*module->entry)).children[1]).title, testing::MatchesRegex("v[0-9]+ \u2026 v[0-9]+"));
}

TEST(Hierarchy, ScopesAndParametersStayOutOfChunks) {
  std::string text = "HloModule many\nENTRY main {\n";
  for (int k = 0; k < 200; ++k) text += "  p" + std::to_string(k) + " = f32[4] parameter(" + std::to_string(k) + ")\n";
  text += "  a = f32[4] add(p0, p1), metadata={op_name=\"f/g/add\"}\n  ROOT b = f32[4] add(a, p2), metadata={op_name=\"f/g/add2\"}\n}\n";
  const auto module = Read(text);
  const auto h = HierarchyOf(module);
  const GraphNode& root = h->node(h->NodeOf(*module->entry));
  ASSERT_EQ(root.children.size(), 2u);
  EXPECT_EQ(h->node(root.children[0]).title, "parameters");
  EXPECT_EQ(h->node(root.children[0]).count, 200);
  EXPECT_EQ(h->node(root.children[1]).title, "f / g");
}

void ExpectApart(const LevelGraph& graph, const LevelLayout& layout) {
  ASSERT_EQ(layout.boxes.size(), graph.boxes.size());
  ASSERT_EQ(layout.curves.size(), graph.arrows.size());
  for (size_t a = 0; a < graph.boxes.size(); ++a) {
    EXPECT_GE(layout.boxes[a].x, -0.5f);
    EXPECT_GE(layout.boxes[a].y, -0.5f);
    EXPECT_LE(layout.boxes[a].x + graph.boxes[a].width, layout.width + 0.5f);
    EXPECT_LE(layout.boxes[a].y + graph.boxes[a].height, layout.height + 0.5f);
    for (size_t b = a + 1; b < graph.boxes.size(); ++b) {
      const bool apart = layout.boxes[a].x + graph.boxes[a].width <= layout.boxes[b].x || layout.boxes[b].x + graph.boxes[b].width <= layout.boxes[a].x ||
                         layout.boxes[a].y + graph.boxes[a].height <= layout.boxes[b].y || layout.boxes[b].y + graph.boxes[b].height <= layout.boxes[a].y;
      EXPECT_TRUE(apart) << a << " and " << b;
    }
  }
  for (size_t e = 0; e < graph.arrows.size(); ++e) {
    ASSERT_GE(layout.curves[e].size(), 4u);
    EXPECT_EQ(layout.curves[e].size() % 3, 1u);
    // Ends at the boxes' edges.
    const auto near = [&](Point p, int box) {
      const float left = layout.boxes[box].x - 6, top = layout.boxes[box].y - 6;
      return p.x >= left && p.y >= top && p.x <= left + graph.boxes[box].width + 12 && p.y <= top + graph.boxes[box].height + 12;
    };
    EXPECT_TRUE(near(layout.curves[e].front(), graph.arrows[e].from)) << e;
    EXPECT_TRUE(near(layout.curves[e].back(), graph.arrows[e].to)) << e;
  }
}

LevelGraph Diamonds(int n) {
  LevelGraph graph;
  for (int k = 0; k < n; ++k) graph.boxes.push_back({80.0f + static_cast<float>(k % 7) * 12, k % 5 == 0 ? 26.0f : 44.0f});
  for (int k = 1; k < n; ++k) {
    graph.arrows.push_back({(k - 1) / 2, k, 1});
    if (k % 3 == 0 && k > 4) graph.arrows.push_back({k - 4, k, 1});
  }
  std::sort(graph.arrows.begin(), graph.arrows.end(), [](const auto& a, const auto& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  graph.arrows.erase(std::unique(graph.arrows.begin(), graph.arrows.end(), [](const auto& a, const auto& b) { return a.from == b.from && a.to == b.to; }), graph.arrows.end());
  return graph;
}

TEST(LevelLayout, BothWaysKeepBoxesApartAndJoinThem) {
  LevelGraph graph = Diamonds(40);
  graph.arrows.push_back({39, 3, 1});  // against the order
  ExpectApart(graph, LayOutGraphviz(graph));
  ExpectApart(graph, LayOutLayered(graph));
}

TEST(LevelLayout, BoxesWithoutArrowsStandInRows) {
  LevelGraph graph;
  for (int k = 0; k < 30; ++k) graph.boxes.push_back({100, 44});
  graph.arrows.push_back({3, 4, 1});
  const LevelLayout layout = LayOut(graph);
  ExpectApart(graph, layout);
  EXPECT_LT(layout.width, 1200);
  EXPECT_LT(layout.height, 1200);
}

TEST(LevelLayout, EmptyAndSingle) {
  EXPECT_EQ(LayOut({}).boxes.size(), 0u);
  LevelGraph one;
  one.boxes.push_back({100, 44});
  const LevelLayout layout = LayOut(one);
  EXPECT_FLOAT_EQ(layout.width, 100);
  EXPECT_FLOAT_EQ(layout.height, 44);
}

// No label lies over a box, a title or another label, and boxes that are not within each other lie apart.
void ExpectNothingCovered(const Scene& scene, const SceneWish& wish) {
  std::vector<Area> taken;
  for (const SceneBox& box : scene.boxes) {
    if (box.node >= 0 && box.parent >= 0) taken.push_back({box.x + 0.3f, box.y + 0.3f, box.x + box.width - 0.3f, box.y + (box.expanded ? 24 : box.height) - 0.3f});
  }
  size_t covered = 0;
  for (size_t a = 0; a < taken.size(); ++a) {
    for (size_t b = a + 1; b < taken.size(); ++b) covered += taken[a].Meets(taken[b]);
  }
  EXPECT_EQ(covered, 0u) << "boxes";
  for (const SceneArrow& arrow : scene.arrows) {
    if (!arrow.labelled) continue;
    const float width = static_cast<float>(arrow.label.size()) * wish.small_letter * 0.9f;
    const Area area = {arrow.label_at.x - width / 2, arrow.label_at.y - 6, arrow.label_at.x + width / 2, arrow.label_at.y + 6};
    for (const Area& other : taken) EXPECT_FALSE(area.Meets(other)) << arrow.label;
    taken.push_back(area);
  }
  // Nor does an arrow run behind a box.
  for (const SceneArrow& arrow : scene.arrows) {
    for (size_t k = 0; k < scene.boxes.size(); ++k) {
      const SceneBox& box = scene.boxes[k];
      if (box.expanded || static_cast<int>(k) == arrow.from || static_cast<int>(k) == arrow.to) continue;
      EXPECT_FALSE(RunsThrough(arrow.curve, {box.x + 3, box.y + 3, box.x + box.width - 3, box.y + box.height - 3}))
          << (arrow.minor ? "minor " : "") << scene.boxes[arrow.from].name << " to " << scene.boxes[arrow.to].name << " behind " << box.name;
    }
  }
}

TEST(NestedLayout, BoxesLieInBoxesLabelsHaveRoomAndArrowsLeadDown) {
  // 0 is open with 1, 2 and an open 3 with 4; 5 stands outside, and is between 2 and 4.
  NestedGraph graph;
  graph.boxes = {{-1, true, 150, 30}, {0, false, 100, 44}, {0, false, 90, 26}, {0, true, 120, 30}, {3, false, 100, 44}, {-1, false, 110, 44}};
  graph.arrows = {{1, 2, 1, 60}, {2, 5, 1, 50}, {5, 4, 1, 0}, {1, 3, 1, 0}};
  NestedLayout layout;
  ASSERT_TRUE(LayOutNested(graph, &layout));
  ASSERT_EQ(layout.boxes.size(), 6u);
  ASSERT_EQ(layout.curves.size(), 4u);
  const auto within = [&](int inner, int outer) {
    EXPECT_GE(layout.boxes[inner].x, layout.boxes[outer].x) << inner;
    EXPECT_GE(layout.boxes[inner].y, layout.boxes[outer].y + 24) << inner;
    EXPECT_LE(layout.boxes[inner].x + layout.sizes[inner].width, layout.boxes[outer].x + layout.sizes[outer].width) << inner;
    EXPECT_LE(layout.boxes[inner].y + layout.sizes[inner].height, layout.boxes[outer].y + layout.sizes[outer].height) << inner;
  };
  for (const auto& [inner, outer] : {std::pair(1, 0), std::pair(2, 0), std::pair(3, 0), std::pair(4, 3)}) within(inner, outer);
  EXPECT_GE(layout.sizes[0].width, 150);
  const bool outside = layout.boxes[5].x + 110 <= layout.boxes[0].x || layout.boxes[5].x >= layout.boxes[0].x + layout.sizes[0].width;
  EXPECT_TRUE(outside);
  for (const auto& curve : layout.curves) {
    EXPECT_EQ(curve.size() % 3, 1u);
    EXPECT_LT(curve.front().y, curve.back().y);
  }
  // The arrow to the open box ends at its edge.
  EXPECT_LE(layout.curves[3].back().y, layout.boxes[3].y + 8);
  EXPECT_GE(layout.labels[0].x, 0);
  EXPECT_LT(layout.labels[2].x, 0);
  NestedLayout again;
  ASSERT_TRUE(LayOutNested(graph, &again));
  EXPECT_EQ(again.boxes[4].x, layout.boxes[4].x);
}

TEST(NestedLayout, ManySourcesStandInAFewRows) {
  NestedGraph graph;
  for (int k = 0; k < 20; ++k) graph.boxes.push_back({-1, false, 100, 26});
  graph.boxes.push_back({-1, false, 100, 44});
  for (int k = 0; k < 20; ++k) graph.arrows.push_back({k, 20, 1, 0});
  NestedLayout layout;
  ASSERT_TRUE(LayOutNested(graph, &layout));
  EXPECT_LT(layout.width, 1400);
}

TEST(Hierarchy, ManyConstantsStandApart) {
  std::string text = "HloModule many\nENTRY main {\n  p = f32[4] parameter(0)\n";
  std::string last = "p";
  for (int k = 0; k < 10; ++k) {
    const std::string n = std::to_string(k);
    text += "  c" + n + " = f32[] constant(" + n + ")\n  b" + n + " = f32[4] broadcast(c" + n + "), dimensions={}\n  " + (k == 9 ? "ROOT " : "") + "a" + n + " = f32[4] add(" + last + ", b" + n + ")\n";
    last = "a" + n;
  }
  const auto module = Read(text + "}\n");
  const auto h = HierarchyOf(module);
  const GraphNode& root = h->node(h->NodeOf(*module->entry));
  ASSERT_EQ(root.children.size(), 12u);
  const GraphNode& constants = h->node(root.children[1]);
  EXPECT_EQ(constants.title, "constants");
  EXPECT_EQ(constants.count, 20);
  EXPECT_EQ(h->node(h->NodeOf(At(*module, "main", "b3"))).parent, root.children[1]);
}

TEST(Scene, ExpandedLoopsTakeArrowsToTheirParametersAndFromTheirRoots) {
  const auto module = Read(kLoop);
  const auto h = HierarchyOf(module);
  SceneMaker maker;
  SceneWish wish;
  wish.hierarchy = h;
  wish.expanded = FirstExpansion(*h);
  const auto first = maker.Make(wish);
  const int loop = first->Find(At(*module, "main", "w"));
  ASSERT_GE(loop, 0);
  EXPECT_TRUE(first->boxes[loop].expandable);
  EXPECT_FALSE(first->boxes[loop].expanded);
  // What lies inside is shown by what it is folded into.
  EXPECT_EQ(first->Find(At(*module, "body", "y")), loop);
  for (const BoxKey key : Expansion(*h, first->boxes[loop])) wish.expanded.insert(key);
  const auto second = maker.Make(wish);
  const int y = second->Find(At(*module, "body", "y"));
  ASSERT_GE(y, 0);
  EXPECT_EQ(second->boxes[y].title, "body / inner");  // the scope is still folded
  const int parameter = second->Find(At(*module, "body", "b")), tuple = second->Find(At(*module, "main", "t"));
  const int root = second->Find(At(*module, "body", "r")), out = second->Find(At(*module, "main", "out"));
  const auto leads = [&](int from, int to) { return std::any_of(second->arrows.begin(), second->arrows.end(), [&](const SceneArrow& a) { return a.from == from && a.to == to; }); };
  EXPECT_TRUE(leads(tuple, parameter));
  EXPECT_TRUE(leads(root, out));
  // Boxes lie in the boxes around them.
  for (const SceneBox& box : second->boxes) {
    if (box.parent < 0) continue;
    const SceneBox& around = second->boxes[box.parent];
    EXPECT_GE(box.x, around.x - 0.5f);
    EXPECT_LE(box.x + box.width, around.x + around.width + 0.5f);
    EXPECT_LE(box.y + box.height, around.y + around.height + 0.5f);
  }
}

TEST(Scene, ConstantsSayTheirNumber) {
  const auto module = Read(kLoop);
  SceneMaker maker;
  SceneWish wish;
  wish.hierarchy = HierarchyOf(module);
  wish.expanded = FirstExpansion(*wish.hierarchy);
  const auto scene = maker.Make(wish);
  EXPECT_EQ(scene->boxes[scene->Find(At(*module, "main", "zero"))].title, "0");
}

TEST(Walk, NeighbourhoodGrowsByHopsAndEntersComputations) {
  const auto module = Read(kLoop);
  const auto h = HierarchyOf(module);
  const auto names = [](const std::vector<const Instruction*>& of) {
    std::vector<std::string> all;
    for (const Instruction* i : of) all.push_back(std::string(i->name));
    return all;
  };
  EXPECT_THAT(names(Neighbourhood(*h, At(*module, "main", "s"), 1, 100).found), UnorderedElementsAre("s", "a", "p", "t"));
  EXPECT_THAT(names(Neighbourhood(*h, At(*module, "main", "s"), 0, 100).found), ElementsAre("s"));
  EXPECT_EQ(Neighbourhood(*h, At(*module, "main", "w"), 9, 5).found.size(), 5u);
  WayKind kind{};
  EXPECT_THAT(names(ShortestPath(*h, At(*module, "main", "p"), At(*module, "body", "y"), &kind)), ElementsAre("p", "s", "t", "w", "b", "x", "y"));
  EXPECT_EQ(kind, WayKind::kAlong);
  EXPECT_THAT(names(ShortestPath(*h, At(*module, "main", "t"), At(*module, "main", "a"), &kind)), ElementsAre("t", "s", "a"));
  EXPECT_EQ(kind, WayKind::kAgainst);
  EXPECT_THAT(names(ShortestPath(*h, At(*module, "main", "zero"), At(*module, "main", "p"), &kind)), ElementsAre("zero", "t", "s", "p"));
  EXPECT_EQ(kind, WayKind::kMixed);
}

// A computation that two calls share: a way does not go in by one call and come out by the other.
TEST(Walk, AWayComesOutWhereItWentIn) {
  const auto module = Read(R"(HloModule shared
relu { x = f32[4] parameter(0) ROOT m = f32[4] negate(x) }
ENTRY main {
  a = f32[4] parameter(0)
  first = f32[4] call(a), to_apply=relu
  b = f32[4] exponential(first)
  c = f32[4] tanh(b)
  d = f32[4] sine(c)
  second = f32[4] call(d), to_apply=relu
  ROOT e = f32[4] cosine(second)
})");
  const auto h = HierarchyOf(module);
  WayKind kind = WayKind::kMixed;
  std::vector<std::string> names;
  for (const Instruction* i : ShortestPath(*h, At(*module, "main", "a"), At(*module, "main", "e"), &kind)) names.push_back(std::string(i->name));
  EXPECT_THAT(names, ElementsAre("a", "first", "b", "c", "d", "second", "e"));
  EXPECT_EQ(kind, WayKind::kAlong);
  names.clear();
  for (const Instruction* i : ShortestPath(*h, At(*module, "relu", "x"), At(*module, "main", "b"), &kind)) names.push_back(std::string(i->name));
  EXPECT_THAT(names, ElementsAre("x", "m", "first", "b"));
}

// Who takes one part of a tuple reads nothing of the others, also through a loop and into its next iteration.
TEST(Walk, AWayGoesThroughThePartsOfTuples) {
  const auto module = Read(R"(HloModule parts
body {
  s = (f32[2], f32[2], (f32[2], f32[2])) parameter(0)
  one = f32[2] get-tuple-element(s), index=0
  two = f32[2] get-tuple-element(s), index=1
  in = (f32[2], f32[2]) get-tuple-element(s), index=2
  deep = f32[2] get-tuple-element(in), index=1
  n = f32[2] negate(two)
  ROOT r = (f32[2], f32[2], (f32[2], f32[2])) tuple(n, one, in)
}
cond { c = (f32[2], f32[2], (f32[2], f32[2])) parameter(0) ROOT f = pred[] constant(false) }
ENTRY main {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  t = (f32[2], f32[2]) tuple(a, b)
  g = f32[2] get-tuple-element(t), index=1
  m = f32[2] negate(g)
  i = (f32[2], f32[2], (f32[2], f32[2])) tuple(b, a, t)
  ROOT w = (f32[2], f32[2], (f32[2], f32[2])) while(i), condition=cond, body=body
})");
  const auto h = HierarchyOf(module);
  const auto way = [&](const char* from_in, const char* from, const char* to_in, const char* to) {
    WayKind kind{};
    std::string text;
    for (const Instruction* i : ShortestPath(*h, At(*module, from_in, from), At(*module, to_in, to), &kind)) absl::StrAppend(&text, i->name, " ");
    return absl::StrCat(text, kind == WayKind::kAlong ? "along" : kind == WayKind::kAgainst ? "against" : kind == WayKind::kOtherParts ? "other parts" : "mixed");
  };
  EXPECT_EQ(way("main", "b", "main", "m"), "b t g m along");
  EXPECT_EQ(way("main", "m", "main", "b"), "m g t b against");
  EXPECT_EQ(way("main", "a", "main", "m"), "a t g m other parts");
  EXPECT_EQ(way("main", "b", "body", "one"), "b i w s one along");
  EXPECT_EQ(way("main", "b", "body", "n"), "b i w s one r s two n along");
  EXPECT_EQ(way("main", "a", "body", "deep"), "a i w s in deep other parts");
  EXPECT_EQ(way("main", "b", "body", "deep"), "b t i w s in deep along");
}

constexpr char kBranches[] = R"(HloModule branches
left {
  l = f32[4] parameter(0)
  ROOT l2 = f32[4] negate(l)
}
right {
  r = f32[2] parameter(0)
  ROOT r2 = f32[4] broadcast(s), dimensions={}
  s = f32[] constant(2)
}
ENTRY main {
  which = pred[] parameter(0)
  a = f32[4] parameter(1)
  b = f32[2] parameter(2)
  ROOT c = f32[4] conditional(which, a, b), true_computation=left, false_computation=right
}
)";

TEST(Scene, EachBranchHasItsOperand) {
  const auto module = Read(kBranches);
  const auto h = HierarchyOf(module);
  SceneMaker maker;
  SceneWish wish;
  wish.hierarchy = h;
  wish.expanded = FirstExpansion(*h);
  auto scene = maker.Make(wish);
  for (const BoxKey key : Expansion(*h, scene->boxes[scene->Find(At(*module, "main", "c"))])) wish.expanded.insert(key);
  scene = maker.Make(wish);
  const int a = scene->Find(At(*module, "main", "a")), b = scene->Find(At(*module, "main", "b")), l = scene->Find(At(*module, "left", "l")), r = scene->Find(At(*module, "right", "r"));
  const auto leads = [&](int from, int to) { return std::any_of(scene->arrows.begin(), scene->arrows.end(), [&](const SceneArrow& x) { return x.from == from && x.to == to; }); };
  EXPECT_TRUE(leads(a, l));
  EXPECT_TRUE(leads(b, r));
  EXPECT_FALSE(leads(a, r));
  EXPECT_TRUE(leads(scene->Find(At(*module, "main", "which")), scene->Find(At(*module, "main", "c"))));
  WayKind kind{};
  EXPECT_EQ(ShortestPath(*h, At(*module, "main", "a"), At(*module, "left", "l2"), &kind).size(), 4u);
  EXPECT_TRUE(ShortestPath(*h, At(*module, "left", "l"), At(*module, "main", "b"), &kind).size() > 2u);
  EXPECT_EQ(kind, WayKind::kMixed);
}

// Every program of the corpus: the first scene, and scenes with some boxes expanded, soon enough.
TEST(Corpus, LargeProgramsOpenSoon) {
  const char* from = std::getenv("HLOSCOPE_CORPUS");
  const std::string folder = std::string(from != nullptr ? from : "../shared/corpus") + "/models/";
  int seen = 0;
  for (const char* name : {"hlo_mixtral_8x7b_bf16_2x8.hlo", "gemma3_1b_flax_call.hlo", "resnet50_training_module_1654.hlo", "colabfold_inference_1gpu_module_0200.hlo", "mobilenet_v2.hlo", "resnet50_keras_jax_f32.hlo", "detr_inference_1gpu_module_0468.hlo",
                           "diffrax.b380012920.hlo"}) {
    std::ifstream in(folder + name, std::ios::binary);
    if (!in) continue;
    std::stringstream text;
    text << in.rdbuf();
    const auto module = Read(text.str());
    if (module == nullptr) continue;
    ++seen;
    const auto since = [](std::chrono::steady_clock::time_point t) { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t).count(); };
    const auto t0 = std::chrono::steady_clock::now();
    const auto h = HierarchyOf(module);
    const double hierarchy_ms = since(t0);
    SceneMaker maker;
    SceneWish wish;
    wish.hierarchy = h;
    wish.expanded = FirstExpansion(*h);
    auto scene = maker.Make(wish);
    std::cout << name << ": hierarchy " << hierarchy_ms << " ms, first scene " << scene->milliseconds << " ms, " << scene->boxes.size() << " boxes, " << scene->arrows.size() << " arrows\n";
    EXPECT_LE(scene->boxes.size(), 150u);
    ExpectNothingCovered(*scene, wish);
    EXPECT_LT(hierarchy_ms + scene->milliseconds, 5000);  // on a machine that does other things too; it is a tenth of that
    // Down into what is largest.
    for (int deep = 0; deep < 6; ++deep) {
      int best = -1;
      for (size_t k = 0; k < scene->boxes.size(); ++k) {
        if (!scene->boxes[k].expandable || scene->boxes[k].expanded) continue;
        if (best < 0 || h->node(scene->boxes[k].node).count > h->node(scene->boxes[best].node).count) best = static_cast<int>(k);
      }
      if (best < 0) break;
      for (const BoxKey key : Expansion(*h, scene->boxes[best])) wish.expanded.insert(key);
      scene = maker.Make(wish);
      ExpectNothingCovered(*scene, wish);
      std::cout << "  expanded: " << scene->milliseconds << " ms, " << scene->boxes.size() << " boxes, " << scene->arrows.size() << " arrows\n";
    }
  }
  if (seen == 0) GTEST_SKIP() << "the corpus is not here";
}

TEST(Scene, LeavesOutArrowsOfWhatItIsAboutLast) {
  std::string text = "HloModule hub\nENTRY main {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n";
  for (int k = 0; k < 12; ++k) text += "  a" + std::to_string(k) + " = f32[4] add(x, y)\n";
  const auto module = Read(text + "  ROOT r = f32[4] negate(a11)\n}\n");
  SceneWish wish;
  wish.hierarchy = HierarchyOf(module);
  for (const Instruction* i : module->entry->schedule) wish.only.push_back(i);
  const Instruction &x = At(*module, "main", "x"), &a5 = At(*module, "main", "a5");
  const auto minor = [&] {
    SceneMaker maker;
    const auto scene = maker.Make(wish);
    for (const SceneArrow& arrow : scene->arrows) {
      if (scene->boxes[arrow.from].instruction == &x && scene->boxes[arrow.to].instruction == &a5) return arrow.minor;
    }
    ADD_FAILURE() << "no arrow";
    return true;
  };
  EXPECT_TRUE(minor());
  wish.about = &a5;
  EXPECT_FALSE(minor());
}

TEST(Scene, IsGivenUpWhenAskedTo) {
  const std::shared_ptr<const Module> module = Read(kLoop);
  SceneMaker maker;
  SceneWish wish;
  wish.hierarchy = HierarchyOf(module);
  std::atomic<bool> stop{true};
  EXPECT_EQ(maker.Make(wish, &stop), nullptr);
  stop = false;
  EXPECT_NE(maker.Make(wish, &stop), nullptr);
}

}  // namespace
}  // namespace hloscope
