// Names of parts of large levels, chosen instructions in the calls that they are done in, and slices as they ran.
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/graph/programs.h"
#include "visualizer/graph/chunk_names.h"
#include "visualizer/graph/scene.h"
#include "visualizer/graph/tint.h"
#include "visualizer/graph/walk.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;

TEST(ChunkNames, GroupsByWhatNamesBeginWith) {
  std::vector<std::string> names = {"pad", "", "pool_pad"};
  for (int block = 1; block <= 3; ++block) {
    for (int k = 0; k < 10; ++k) names.push_back(absl::StrCat("conv2_block", block, "_", k, "_conv"));
  }
  names.push_back("pool_max");
  const std::vector<NameGroup> groups = GroupByWords(names);
  ASSERT_EQ(groups.size(), 5u);  // pad, nameless, pool_pad, conv2, pool_max: two are no group
  EXPECT_EQ(groups[3].title, "conv2");
  ASSERT_EQ(groups[3].groups.size(), 3u);
  EXPECT_EQ(groups[3].groups[1].title, "conv2_block2");
  EXPECT_EQ(groups[3].groups[1].groups.size(), 10u);
  EXPECT_TRUE(groups[4].groups.empty());
  EXPECT_EQ(GroupByWords(std::vector<std::string>(50, "same")).size(), 50u);
}

TEST(ChunkNames, SayFromWhereToWhere) {
  EXPECT_EQ(NameRange("dot.5", "add.80").title, "dot.5 \u2026 add.80");
  EXPECT_EQ(NameRange("sharding_constraint.226", "add.80").title, "sharding_c\u2026.226 \u2026 add.80");
  EXPECT_EQ(NameRange("sharding_constraint.226", "add.80").path, "sharding_constraint.226..add.80");
  EXPECT_EQ(NameParameters(0, 34).title, "parameters 0 \u2013 34");
}

TEST(Hierarchy, LargeLevelsAreGroupedByLayersAndParametersByNumber) {
  std::string text = "HloModule layers\nENTRY main {\n";
  // In the order in which they are used, as dumps have them.
  for (int k = 0; k < 200; ++k) text += absl::StrCat("  p", k, " = f32[4] parameter(", 199 - k, ")\n");
  for (int k = 0; k < 180; ++k) {
    const std::string scope = absl::StrCat("jit(f)/conv", 1 + k / 60, "_block", 1 + k / 20 % 3, "_", k % 20, "_relu");
    text += absl::StrCat("  a", k, " = f32[4] add(p", k, k == 0 ? ", p1" : absl::StrCat(", b", k - 1), "), metadata={op_name=\"", scope, "/add\"}\n");
    text += absl::StrCat("  ", k == 179 ? "ROOT " : "", "b", k, " = f32[4] negate(a", k, "), metadata={op_name=\"", scope, "/neg\"}\n");
  }
  const auto module = Read(text + "}\n");
  const auto h = HierarchyOf(module);
  std::vector<std::string> titles;
  const auto down = [&](int node, absl::string_view title) {
    for (const int child : h->node(node).children) {
      if (h->node(child).title == title) return child;
    }
    return -1;
  };
  const int root = h->NodeOf(*module->entry), conv2 = down(down(root, "jit(f)"), "conv2"), parameters = down(root, "parameters");
  ASSERT_GE(conv2, 0);
  for (const int child : h->node(conv2).children) titles.push_back(h->node(child).title);
  EXPECT_THAT(titles, ElementsAre("conv2_block1", "conv2_block2", "conv2_block3"));
  EXPECT_EQ(h->node(conv2).count, 120);
  ASSERT_GE(parameters, 0);
  titles.clear();
  for (const int child : h->node(parameters).children) titles.push_back(h->node(child).title);
  EXPECT_THAT(titles, ElementsAre("parameters 0 \u2013 39", "parameters 40 \u2013 79", "parameters 80 \u2013 119", "parameters 120 \u2013 159", "parameters 160 \u2013 199"));
}

constexpr char kReduces[] = R"(HloModule reduces
plus {
  left = f32[] parameter(0)
  right = f32[] parameter(1)
  twice = f32[] add(right, right)
  ROOT sum = f32[] add(left, twice)
}
relu {
  x = f32[4] parameter(0)
  ROOT m = f32[4] negate(x)
}
ENTRY main {
  p = f32[4] parameter(0)
  zero = f32[] constant(0)
  q = f32[4] call(p), to_apply=relu
  s = f32[] reduce(q, zero), dimensions={0}, to_apply=plus
  ROOT out = f32[] negate(s)
}
)";

// The scene of chosen instructions, and whether an arrow leads from one to another.
struct Chosen {
  std::shared_ptr<const Scene> scene;
  const SceneBox& BoxOf(const Instruction& i) const { return scene->boxes[scene->Find(i)]; }
  bool Leads(const Instruction& from, const Instruction& to) const {
    return std::any_of(scene->arrows.begin(), scene->arrows.end(), [&](const SceneArrow& a) { return a.from == scene->Find(from) && a.to == scene->Find(to); });
  }
};
Chosen Choose(std::shared_ptr<const Hierarchy> h, std::vector<const Instruction*> only) {
  SceneMaker maker;
  SceneWish wish;
  wish.hierarchy = std::move(h);
  wish.only = std::move(only);
  return {maker.Make(wish)};
}

TEST(Walk, ReducersAreNotGivenOperands) {
  const auto module = Read(kReduces);
  const auto h = HierarchyOf(module);
  for (const Instruction* i : Neighbourhood(*h, At(*module, "main", "s"), 9, 100).found) EXPECT_NE(i->parent->name, "plus") << i->name;
  // From inside of one the way leads out.
  const std::vector<const Instruction*> near = Neighbourhood(*h, At(*module, "plus", "sum"), 1, 100).found;
  EXPECT_THAT(near, testing::Contains(&At(*module, "main", "s")));
  const Chosen shown = Choose(h, near);
  // Inside of the reduction, whose operands do not arrive at the reducer's parameters.
  EXPECT_TRUE(shown.BoxOf(At(*module, "main", "s")).expanded);
  EXPECT_EQ(shown.BoxOf(At(*module, "plus", "left")).parent, shown.scene->Find(At(*module, "main", "s")));
  EXPECT_TRUE(shown.Leads(At(*module, "plus", "left"), At(*module, "plus", "sum")));
}

TEST(Walk, AComputationIsLeftByTheCallThatItWasEnteredBy) {
  const auto module = Read(R"(HloModule shared
inner { t = f32[] parameter(0)  ROOT u = f32[] negate(t) }
outer { p = f32[] parameter(0)  ROOT c = f32[] call(p), to_apply=inner }
ENTRY main {
  x = f32[] parameter(0)
  a = f32[] call(x), to_apply=outer
  y = f32[] cosine(a)
  b = f32[] call(y), to_apply=outer
  z = f32[] sine(b)
  d = f32[] call(z), to_apply=inner
  ROOT w = f32[] tanh(d)
})");
  const auto h = HierarchyOf(module);
  const auto around = [&](const char* computation, const char* of, int hops, const SeenIn& in = {}) {
    std::vector<std::string> names;
    for (const Instruction* i : Neighbourhood(*h, At(*module, computation, of), hops, 100, in).found) names.emplace_back(i->name);
    return names;
  };
  // Inside of b: not a, though the root of outer is its value too, and not d, which calls inner as well.
  EXPECT_THAT(around("main", "b", 1), testing::UnorderedElementsAre("b", "y", "z", "c"));
  EXPECT_THAT(around("main", "w", 3), testing::UnorderedElementsAre("w", "d", "z", "u", "b", "t"));
  // From inside all calls, or the one that is known.
  const Instruction &a = At(*module, "main", "a"), &b = At(*module, "main", "b"), &c = At(*module, "outer", "c");
  EXPECT_THAT(around("outer", "c", 1), testing::UnorderedElementsAre("c", "p", "u", "a", "b"));
  EXPECT_THAT(around("outer", "c", 1, {{c.parent, &b}}), testing::UnorderedElementsAre("c", "p", "u", "b"));
  const Neighbours near = Neighbourhood(*h, c, 1, 100, {{c.parent, &a}});
  EXPECT_THAT(near.found, testing::Contains(&a));
  EXPECT_THAT(near.found, testing::Not(testing::Contains(&b)));
  EXPECT_EQ(near.seen_in.at(At(*module, "inner", "u").parent), &c);
}

TEST(Scene, WhatIsChosenIsOpenedInEveryChosenCall) {
  const auto module = Read(R"(HloModule shared
inner { t = f32[] parameter(0)  ROOT u = f32[] negate(t) }
outer { p = f32[] parameter(0)  c = f32[] call(p), to_apply=inner  ROOT e = f32[] call(c), to_apply=inner }
ENTRY main {
  x = f32[] parameter(0)
  a = f32[] call(x), to_apply=outer
  b = f32[] call(a), to_apply=outer
  ROOT w = f32[] tanh(b)
})");
  const auto h = HierarchyOf(module);
  const Instruction &a = At(*module, "main", "a"), &b = At(*module, "main", "b"), &c = At(*module, "outer", "c"), &e = At(*module, "outer", "e"),
                    &u = At(*module, "inner", "u");
  const auto count = [](const Chosen& shown, const Instruction& i) {
    return std::count_if(shown.scene->boxes.begin(), shown.scene->boxes.end(), [&](const SceneBox& box) { return box.instruction == &i; });
  };
  const Chosen shown = Choose(h, {&a, &b, &c, &e, &u});
  EXPECT_EQ(count(shown, c), 2);
  EXPECT_EQ(count(shown, u), 4);
  EXPECT_FALSE(shown.scene->one_call);
  // The box in the calls that one asks for.
  const int in_b = shown.scene->Find({{&b, 0}, {&e, 0}}, u);
  const SceneBox& around = shown.scene->boxes[shown.scene->boxes[in_b].parent];
  EXPECT_EQ(around.instruction, &e);
  EXPECT_EQ(shown.scene->boxes[around.parent].instruction, &b);
  EXPECT_EQ(shown.scene->by_key.size() + 1, shown.scene->boxes.size());
  // In calls that are not chosen it is not opened, and where the call is known, only in that one.
  EXPECT_EQ(count(Choose(h, {&b, &c, &e, &u}), u), 2);
  SceneMaker maker;
  SceneWish wish;
  wish.hierarchy = h;
  wish.only = {&a, &b, &c, &e, &u};
  wish.seen_in = {{c.parent, &b}, {u.parent, &e}};
  const Chosen one = {maker.Make(wish)};
  EXPECT_EQ(count(one, u), 1);
  EXPECT_TRUE(one.BoxOf(b).expanded);
  EXPECT_FALSE(one.BoxOf(a).expanded);
}

TEST(Scene, ChosenCallsOfCallsDoNotMultiplyWithoutEnd) {
  std::string text = "HloModule deep\nf0 { p0 = f32[] parameter(0)  ROOT n0 = f32[] negate(p0) }\n";
  for (int k = 1; k < 20; ++k)
    absl::StrAppend(&text, "f", k, " { p", k, " = f32[] parameter(0)  q", k, " = f32[] call(p", k, "), to_apply=f", k - 1, "  ROOT r", k, " = f32[] call(q", k, "), to_apply=f", k - 1, " }\n");
  absl::StrAppend(&text, "ENTRY main { x = f32[] parameter(0)  ROOT y = f32[] call(x), to_apply=f19 }");
  const auto module = Read(text);
  std::vector<const Instruction*> all;
  for (const Computation* c : module->computations) all.insert(all.end(), c->instructions.begin(), c->instructions.end());
  const Chosen shown = Choose(HierarchyOf(module), all);
  EXPECT_TRUE(shown.scene->one_call);
  EXPECT_EQ(shown.scene->boxes.size(), all.size() + 1);
}

TEST(Scene, WhatIsChosenOfAnotherComputationHasAFrame) {
  const auto module = Read(kReduces);
  const auto h = HierarchyOf(module);
  const Chosen shown = Choose(h, {&At(*module, "main", "out"), &At(*module, "plus", "left"), &At(*module, "plus", "sum")});
  const SceneBox& frame = shown.scene->boxes[shown.BoxOf(At(*module, "plus", "left")).parent];
  EXPECT_EQ(frame.title, "plus");
  EXPECT_EQ(frame.detail, "called by %s");
  EXPECT_EQ(shown.BoxOf(At(*module, "main", "out")).parent, 0);
}

TEST(Scene, AWayIntoAComputationIsInOnePiece) {
  const auto module = Read(kReduces);
  const auto h = HierarchyOf(module);
  WayKind kind{};
  const Instruction &p = At(*module, "main", "p"), &q = At(*module, "main", "q"), &x = At(*module, "relu", "x"), &m = At(*module, "relu", "m"), &s = At(*module, "main", "s");
  const std::vector<const Instruction*> in = ShortestPath(*h, p, m, &kind), out = ShortestPath(*h, x, s, &kind);
  EXPECT_THAT(in, ElementsAre(&p, &q, &x, &m));
  EXPECT_THAT(out, ElementsAre(&x, &m, &q, &s));
  const Chosen inwards = Choose(h, in), outwards = Choose(h, out);
  EXPECT_TRUE(inwards.Leads(p, x));
  EXPECT_EQ(inwards.BoxOf(m).parent, inwards.scene->Find(q));
  EXPECT_TRUE(outwards.Leads(m, s));
}

constexpr char kWays[] = R"(HloModule ways
left { p = f32[4] parameter(0)  ROOT q = f32[4] negate(p) }
right { k = f32[4] parameter(0)  e = f32[4] exponential(k)  ROOT g = f32[4] abs(e) }
plus { u = f32[] parameter(0)  v = f32[] parameter(1)  ROOT sum = f32[] add(u, v) }
cond { d = (s32[], f32[4]) parameter(0)  m = s32[] get-tuple-element(d), index=0  three = s32[] constant(3)  ROOT l = pred[] compare(m, three), direction=LT }
body {
  c = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  j = s32[] add(i, i)
  x = f32[4] get-tuple-element(c), index=1
  y = f32[4] call(x), to_apply=right
  ROOT t = (s32[], f32[4]) tuple(j, y)
}
ENTRY main {
  a = f32[4] parameter(0)
  f = pred[] parameter(1)
  o = f32[4] conditional(f, a, a), branch_computations={left, right}
  zero = s32[] constant(0)
  init = (s32[], f32[4]) tuple(zero, o)
  w = (s32[], f32[4]) while(init), condition=cond, body=body
  n = f32[4] get-tuple-element(w), index=1
  z = f32[] constant(0)
  ROOT h = f32[] reduce(n, z), dimensions={0}, to_apply=plus
}
)";

// From everything to everything, in whatever direction.
TEST(Scene, EveryHopOfAWayIsDrawn) {
  for (const char* text : {kWays, kLoop, kReduces}) {
    const auto module = Read(text);
    const auto h = HierarchyOf(module);
    for (int from = 0; from < h->instruction_count(); ++from) {
      for (int to = 0; to < h->instruction_count(); ++to) {
        WayKind kind{};
        SceneMaker maker;
        SceneWish wish;
        wish.hierarchy = h;
        wish.only = ShortestPath(*h, h->At(from), h->At(to), &kind);
        wish.hops = HopsOf(*h, wish.only);
        if (wish.only.empty()) continue;
        const Chosen shown = {maker.Make(wish)};
        std::string way = absl::StrCat(h->At(from).name, " to ", h->At(to).name, ": ");
        for (const Instruction* i : wish.only) absl::StrAppend(&way, i->name, " ");
        EXPECT_EQ(wish.hops.empty(), from == to) << way;
        for (const SceneHop& hop : wish.hops) EXPECT_TRUE(shown.Leads(*hop.from, *hop.to)) << way << ": " << hop.from->name << " -> " << hop.to->name;
        // From end to end.
        for (size_t k = 0; k + 1 < wish.hops.size(); ++k) {
          const SceneHop &one = wish.hops[k], &next = wish.hops[k + 1];
          EXPECT_TRUE(one.to == next.from || one.from == next.to || one.to == next.to || one.from == next.from) << way;
        }
      }
    }
  }
}

// Those beyond the thickest are not drawn, but there, and counted at both of their ends.
TEST(Scene, ThinArrowsAreCountedWhereThereAreTooMany) {
  const auto module = Read(kWays);
  SceneMaker maker;
  SceneWish wish;
  wish.hierarchy = HierarchyOf(module);
  const std::shared_ptr<const Scene> all = maker.Make(wish);
  wish.most_arrows = 3;
  const std::shared_ptr<const Scene> few = maker.Make(wish);
  ASSERT_EQ(few->arrows.size(), all->arrows.size());
  int64_t thinnest_drawn = std::numeric_limits<int64_t>::max(), thickest_left = 0;
  size_t drawn = 0;
  for (const SceneArrow& a : few->arrows) {
    drawn += !a.minor;
    if (a.minor) thickest_left = std::max(thickest_left, a.bytes);
    else thinnest_drawn = std::min(thinnest_drawn, a.bytes);
  }
  EXPECT_EQ(drawn, 3u);
  EXPECT_LE(thickest_left, thinnest_drawn);
  int in = 0, out = 0;
  for (const SceneBox& box : few->boxes) in += box.more_in, out += box.more_out;
  EXPECT_EQ(static_cast<size_t>(in), few->arrows.size() - drawn);
  EXPECT_EQ(in, out);
}

TEST(Walk, AWayGoesOnInTheNextIteration) {
  const auto module = Read(kWays);
  const auto h = HierarchyOf(module);
  const auto way = [&](const Instruction& from, const Instruction& to) {
    WayKind kind = WayKind::kMixed;
    std::string text;
    for (const Instruction* i : ShortestPath(*h, from, to, &kind)) absl::StrAppend(&text, i->name, " ");
    EXPECT_EQ(kind, WayKind::kAlong) << text;
    return text;
  };
  EXPECT_EQ(way(At(*module, "body", "y"), At(*module, "body", "x")), "y t c x ");
  EXPECT_EQ(way(At(*module, "body", "j"), At(*module, "cond", "l")), "j t w d m l ");
}

TEST(Scene, SaysWhatOfTheChosenLiesTooDeep) {
  constexpr int kLevels = kMostSceneDepth + 30;
  std::string text = "HloModule deep\nf0 {\n  p = f32[] parameter(0)\n  ROOT r = f32[] negate(p)\n}\n";
  for (int k = 1; k < kLevels; ++k) absl::StrAppend(&text, "f", k, " {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=f", k - 1, "\n}\n");
  absl::StrAppend(&text, "ENTRY main {\n  x = f32[] parameter(0)\n  ROOT r = f32[] call(x), to_apply=f", kLevels - 1, "\n}\n");
  const auto module = Read(text);
  std::vector<const Instruction*> all, outer;
  for (const Computation* c : module->computations) {
    for (const Instruction* i : c->schedule) all.push_back(i);
  }
  const Chosen shown = Choose(HierarchyOf(module), all);
  const auto boxes = std::count_if(shown.scene->boxes.begin(), shown.scene->boxes.end(), [](const SceneBox& box) { return box.instruction != nullptr; });
  EXPECT_GT(shown.scene->not_drawn, 0);
  EXPECT_EQ(shown.scene->not_drawn + boxes, static_cast<int64_t>(all.size()));
  for (const Instruction* i : module->entry->schedule) outer.push_back(i);
  EXPECT_EQ(Choose(HierarchyOf(module), outer).scene->not_drawn, 0);
}

TEST(Scene, PartsOfASliceStandInTheirIterations) {
  const auto module = Read(kLoop);
  SceneMaker maker;
  SceneWish wish;
  wish.hierarchy = HierarchyOf(module);
  const Instruction& y = At(*module, "body", "y");
  wish.parts = {{&y, "body, iteration 2 of %w", "[0] = nan", 3, true}, {&y, "body, iteration 1 of %w", "[0] = 2", 1, false}, {&At(*module, "main", "s"), "", "[0] = 3", 1, false}};
  wish.steps = {{1, 0, "through %r"}, {2, 1, ""}, {1, 0, "again"}};
  const auto scene = maker.Make(wish);
  std::vector<int> at;
  for (size_t k = 0; k < scene->boxes.size(); ++k) {
    if (scene->boxes[k].node >= 0) at.push_back(static_cast<int>(k));
  }
  ASSERT_EQ(at.size(), 3u);
  EXPECT_NE(scene->boxes[at[0]].parent, scene->boxes[at[1]].parent);
  EXPECT_EQ(scene->boxes[at[2]].parent, 0);
  ASSERT_EQ(scene->arrows.size(), 2u);
  EXPECT_EQ(scene->arrows[0].from, at[1]);
  EXPECT_EQ(scene->arrows[0].to, at[0]);
  EXPECT_EQ(scene->arrows[0].label, "through %r");
  // Its own health, not that of all of its runs.
  CallFigures health;
  health.of[{health.tree.Add(CallTree::kEntry, At(*module, "main", "w"), 1), &y}] = 3;
  TintFigures figures;
  figures.by_call = &health;
  const SceneTints tints = PaintScene(*scene, GraphColour::kHealth, figures);
  EXPECT_FALSE(tints.boxes[at[0]].bar == tints.boxes[at[1]].bar);
  EXPECT_TRUE(tints.boxes[at[1]].bar == tints.boxes[at[2]].bar);
}

TEST(Tint, MemoryHasNumbers) {
  const auto module = Read(kLoop);
  SceneMaker maker;
  SceneWish wish;
  wish.hierarchy = HierarchyOf(module);
  const auto scene = maker.Make(wish);
  const SceneTints tints = PaintScene(*scene, GraphColour::kMemory, {});
  ASSERT_EQ(tints.legend.size(), 2u);
  EXPECT_EQ(tints.legend[0].text, "20 B, the largest value; of a closed box its largest value counts");
  for (size_t k = 1; k < scene->boxes.size(); ++k) EXPECT_THAT(tints.boxes[k].note, testing::HasSubstr(" B")) << scene->boxes[k].title;
  EXPECT_EQ(tints.boxes[scene->Find(At(*module, "main", "s"))].note, "largest 20 B");  // in jit(f), which is closed
}

}  // namespace
}  // namespace hloscope
