// What is fused, what is not, and how uses are counted.
#include "backends/jit_cpu/plan.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/region_key.h"
#include "core/exec/fuse.h"
#include "tests/jit_cpu/support.h"

namespace hloscope {
namespace {

struct Planned {
  std::unique_ptr<Module> module;
  std::unique_ptr<Plan> plan;

  // Names of the members of the region rooted at `root`, sorted; "-" when nothing is rooted there.
  std::string Members(const std::string& root) const { return Names(root, true); }
  std::string Inputs(const std::string& root) const { return Names(root, false); }
  std::string Names(const std::string& root, bool members) const {
    const int at = plan->region_at[At(*module, root)];
    if (at < 0) return "-";
    std::vector<std::string> names;
    for (int m : members ? plan->regions[at].members : plan->regions[at].inputs) names.emplace_back(module->entry->schedule[m]->name);
    if (members) std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string& name : names) absl::StrAppend(&text, text.empty() ? "" : " ", name);
    return text;
  }
};

constexpr char kSum[] = "sum {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT z = f32[] add(x, y)\n}\n";

// The invariants of every plan (core/exec/backend.h).
void Check(const Plan& plan) {
  const Computation& computation = *plan.computation;
  std::vector<int> uses(computation.schedule.size(), 0);
  int last = -1;
  for (size_t r = 0; r < plan.regions.size(); ++r) {
    const Region& region = plan.regions[r];
    EXPECT_GT(region.root, last) << "regions stand in the order of their roots";
    last = region.root;
    EXPECT_EQ(plan.region_at[region.root], static_cast<int>(r));
    EXPECT_EQ(region.members.back(), region.root);
    EXPECT_TRUE(std::is_sorted(region.members.begin(), region.members.end()));
    EXPECT_EQ(std::adjacent_find(region.members.begin(), region.members.end()), region.members.end());
    for (int input : region.inputs) {
      ++uses[input];
      EXPECT_GE(plan.region_at[input], 0) << "an input is some region's root";
      EXPECT_LT(input, region.root);
      EXPECT_FALSE(std::binary_search(region.members.begin(), region.members.end(), input));
    }
    const std::set<int> inputs(region.inputs.begin(), region.inputs.end());
    EXPECT_EQ(inputs.size(), region.inputs.size());
    for (int member : region.members) {
      for (const Instruction* operand : computation.schedule[member]->operands) {
        EXPECT_NE(inputs.count(operand->index) == 1, std::binary_search(region.members.begin(), region.members.end(), operand->index));
      }
    }
  }
  ++uses[computation.root->index];
  EXPECT_EQ(uses, plan.use_count);
  EXPECT_GE(plan.region_at[computation.root->index], 0);
}

Planned MakePlanned(const std::string& body, const std::string& before = "") {
  Planned p;
  p.module = ParseEntry(body, before);
  if (p.module != nullptr) {
    p.plan = MakeFusedPlan(*p.module->entry);
    Check(*p.plan);
  }
  return p;
}

TEST(FusedPlan, ChainOfPointwiseOperationsIsOneRegion) {
  const Planned p = MakePlanned(
      "a = f32[64] parameter(0)\nb = f32[64] parameter(1)\nc = f32[] constant(2)\nd = f32[64] broadcast(c), dimensions={}\n"
      "e = f32[64] multiply(a, d)\nf = f32[64] exponential(e)\nROOT g = f32[64] add(f, b)");
  EXPECT_EQ(p.Members("g"), "c d e f g");
  EXPECT_EQ(p.Inputs("g"), "a b");
  EXPECT_EQ(p.Members("e"), "-");
  EXPECT_EQ(p.Members("d"), "-") << "a broadcast constant is never materialised";
  EXPECT_EQ(p.plan->use_count[At(*p.module, "a")], 1);
}

TEST(FusedPlan, ValueOfTwoRegionsIsARootAndCheapOnesAreCopied) {
  const Planned p = MakePlanned(
      "a = f32[64] parameter(0)\nc = f32[] constant(2)\nd = f32[64] broadcast(c), dimensions={}\ni = s32[64] iota(), iota_dimension=0\nj = "
      "f32[64] convert(i)\n"
      "e = f32[64] exponential(a)\nf = f32[64] multiply(e, d)\ng = f32[64] subtract(e, d)\nh = f32[64] add(g, j)\nk = f32[64] add(f, j)\n"
      "ROOT t = (f32[64], f32[64]) tuple(h, k)");
  EXPECT_EQ(p.Members("e"), "e");
  EXPECT_EQ(p.Members("h"), "c d g h i j");
  EXPECT_EQ(p.Members("k"), "c d f i j k");
  EXPECT_EQ(p.plan->use_count[At(*p.module, "e")], 2);
  EXPECT_EQ(p.Members("t"), "t");
}

TEST(FusedPlan, ProducersEnterReductionsAndReductionsEnterNothing) {
  const Planned p = MakePlanned(
      "a = f32[8,64] parameter(0)\nz = f32[] constant(0)\ne = f32[8,64] multiply(a, a)\nr = f32[8] reduce(e, z), dimensions={1}, "
      "to_apply=sum\n"
      "s = f32[8] sqrt(r)\nb = f32[8,64] broadcast(s), dimensions={0}\nROOT q = f32[8,64] divide(a, b)",
      kSum);
  EXPECT_EQ(p.Members("r"), "e r z");
  EXPECT_EQ(p.Members("s"), "s") << "a square root asked for 64 times is computed once";
  EXPECT_EQ(p.Members("q"), "b q");
}

TEST(FusedPlan, FoldsOfManyLongRowsEnterWhatUsesThemByRow) {
  const auto normalised = [](const std::string& dims, const std::string& rows, const std::string& operation) {
    return absl::StrCat("a = f32", dims, " parameter(0)\nz = f32[] constant(0)\ne = f32", dims, " ", operation, "\nr = f32", rows,
                        " reduce(e, z), dimensions={1}, to_apply=sum\ns = f32", rows, " sqrt(r)\nb = f32", dims, " broadcast(s), dimensions={0}\nROOT q = f32", dims,
                        " divide(e, b)");
  };
  const Planned cheap = MakePlanned(normalised("[512,256]", "[512]", "multiply(a, a)"), kSum);
  EXPECT_EQ(cheap.Members("q"), "b e q r s z");
  const Planned dear = MakePlanned(normalised("[512,256]", "[512]", "exponential(a)"), kSum);
  EXPECT_EQ(dear.Members("q"), "b e q r s z") << "code keeps the row";
  const Planned wide = MakePlanned(normalised("[512,32768]", "[512]", "exponential(a)"), kSum);
  EXPECT_EQ(wide.Members("e"), "e") << "too long to be kept, and a function is computed once";
  EXPECT_EQ(wide.Members("q"), "b q r s z");
  const Planned few = MakePlanned(normalised("[8,4096]", "[8]", "multiply(a, a)"), kSum);
  EXPECT_EQ(few.Members("r"), "r z") << "each row is for more than one thread";
  const Planned across = MakePlanned(
      "a = f32[512,512] parameter(0)\nz = f32[] constant(0)\nr = f32[512] reduce(a, z), dimensions={1}, to_apply=sum\n"
      "b = f32[512,512] broadcast(r), dimensions={1}\nROOT q = f32[512,512] divide(a, b)",
      kSum);
  EXPECT_EQ(across.Members("r"), "r z") << "wanted for each column, not once a row";
  const Planned twice = MakePlanned(
      "a = f32[512,256] parameter(0)\nz = f32[] constant(0)\nr = f32[512] reduce(a, z), dimensions={1}, to_apply=sum\n"
      "b = f32[512,256] broadcast(r), dimensions={0}\nq = f32[512,256] divide(a, b)\nROOT t = (f32[512,256], f32[512]) tuple(q, r)",
      kSum);
  EXPECT_EQ(twice.Members("r"), "r z") << "others want it too";
}

TEST(FusedPlan, DeadInstructionsHaveNoRegion) {
  const Planned p = MakePlanned("a = f32[64] parameter(0)\nd = f32[64] exponential(a)\ndd = f32[64] negate(d)\nROOT g = f32[64] negate(a)");
  EXPECT_EQ(p.Members("d"), "-");
  EXPECT_EQ(p.Members("dd"), "-");
  EXPECT_EQ(p.plan->use_count[At(*p.module, "d")], 0);
}

TEST(FusedPlan, LargeDotsAndTransposesStandAlone) {
  const Planned p = MakePlanned(
      "a = f32[64,64] parameter(0)\nb = f32[64,64] parameter(1)\ne = f32[64,64] exponential(a)\n"
      "d = f32[64,64] dot(e, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\nn = f32[64,64] negate(d)\n"
      "w = f32[256,256] parameter(2)\nv = f32[256,256] tanh(w)\nt = f32[256,256] transpose(v), dimensions={1,0}\nu = f32[256,256] "
      "negate(t)\n"
      "ROOT r = (f32[64,64], f32[256,256]) tuple(n, u)");
  EXPECT_EQ(p.Members("d"), "d");
  EXPECT_EQ(p.Members("e"), "e");
  EXPECT_EQ(p.Members("n"), "n");
  EXPECT_EQ(p.Members("t"), "t");
  EXPECT_EQ(p.Members("v"), "v");
}

TEST(FusedPlan, TwoIndexMapsOfOneValueAreNotComputedTwice) {
  const Planned p = MakePlanned(
      "a = f32[64] parameter(0)\ne = f32[64] exponential(a)\ns = f32[32] slice(e), slice={[0:32]}\nt = f32[32] slice(e), "
      "slice={[16:48]}\nROOT g = f32[32] add(s, t)");
  EXPECT_EQ(p.Members("e"), "e");
  EXPECT_EQ(p.Members("g"), "g s t");
}

TEST(FusedPlan, InputsAreNotKeptAliveAcrossOtherWork) {
  // e = a + b would keep a and b (two values for one) until the end, beyond the large dots between.
  const std::string n = "[2048,2048]";
  const Planned p = MakePlanned(
      absl::StrCat("x = f32", n, " parameter(0)\na = f32", n, " dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\nb = f32", n,
                   " dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\ne = f32", n, " add(a, b)\nc = f32", n,
                   " dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\nd = f32", n,
                   " dot(c, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\nROOT g = f32", n, " add(e, d)"));
  EXPECT_EQ(p.Members("e"), "e");
  EXPECT_EQ(p.Members("g"), "g");
}

TEST(FusedPlan, LongChainsAreCutAndPlannedInLinearTime) {
  std::string body = "a0 = f32[64] parameter(0)\n";
  constexpr int kLength = 40000;
  for (int i = 1; i <= kLength; ++i) absl::StrAppend(&body, i == kLength ? "ROOT " : "", "a", i, " = f32[64] add(a", i - 1, ", a0)\n");
  std::unique_ptr<Module> module = ParseEntry(body);
  ASSERT_NE(module, nullptr);
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<Plan> plan = MakeFusedPlan(*module->entry);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(seconds, 0.5);
  EXPECT_LT(plan->regions.size(), 200u);
  for (const Region& region : plan->regions) EXPECT_LE(region.members.size(), 300u);
  Check(*plan);
}

TEST(FusedPlan, ControlFlowIsARegionOfOne) {
  const Planned p =
      MakePlanned("a = f32[64] parameter(0)\nb = f32[64] negate(a)\nc = f32[64] call(b), to_apply=f\nROOT d = f32[64] negate(c)",
                  "f {\n p = f32[64] parameter(0)\n ROOT q = f32[64] exponential(p)\n}\n");
  EXPECT_EQ(p.Members("b"), "b");
  EXPECT_EQ(p.Members("c"), "c");
  EXPECT_EQ(p.Members("d"), "d");
}

// Plans of real modules keep the contract, and every region's program can be made.
TEST(FusedPlan, RealModules) {
  const char* root = std::getenv("HLOSCOPE_CORPUS");
  const std::filesystem::path directory = std::filesystem::path(root != nullptr ? root : "../shared/corpus") / "models";
  if (!std::filesystem::exists(directory)) GTEST_SKIP() << "no corpus";
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".hlo") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    std::unique_ptr<Module> module = Parse(text.str());
    ASSERT_NE(module, nullptr);
    absl::flat_hash_set<std::string> seen;
    for (const Computation* computation : module->computations) {
      std::unique_ptr<Plan> plan = MakeFusedPlan(*computation);
      Check(*plan);
      for (const Region& region : plan->regions) {
        const OpClass op_class = Def(*computation->schedule[region.root]).op_class;
        if (op_class != OpClass::kPull && op_class != OpClass::kPush) {
          EXPECT_EQ(region.members.size(), 1u);
          continue;
        }
        if (!seen.insert(RegionKey(*computation, region)).second) continue;
        absl::StatusOr<Program> program = FuseRegion(*computation, region);
        EXPECT_TRUE(program.ok()) << DescribeRegion(*computation, region) << ": " << program.status();
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// Whatever the names, equal regions have equal keys, and a changed attribute, constant, shape or operand order changes the key.
TEST(RegionKeys, SayWhatARegionComputes) {
  const auto key = [](const std::string& body) {
    std::unique_ptr<Module> module = ParseEntry(body, kSum);
    if (module == nullptr) return std::string();
    std::unique_ptr<Plan> plan = MakeFusedPlan(*module->entry);
    return RegionKey(*module->entry, plan->regions.back());
  };
  const std::string base =
      key("a = f32[8,4] parameter(0)\nb = f32[8,4] parameter(1)\nc = f32[8,4] subtract(a, b)\nROOT s = f32[8,4] slice(c), slice={[0:8], "
          "[0:4]}");
  EXPECT_EQ(base, key("x = f32[8,4] parameter(0)\ny = f32[8,4] parameter(1)\nz = f32[8,4] subtract(x, y)\nROOT w = f32[8,4] slice(z), "
                      "slice={[0:8], [0:4]}"));
  const std::string others[] = {
      "a = f32[8,4] parameter(0)\nb = f32[8,4] parameter(1)\nc = f32[8,4] add(a, b)\nROOT s = f32[8,4] slice(c), slice={[0:8], [0:4]}",
      "a = f32[8,4] parameter(0)\nb = f32[8,4] parameter(1)\nc = f32[8,4] subtract(a, a)\nROOT s = f32[8,4] slice(c), slice={[0:8], [0:4]}",
      "a = f32[8,4] parameter(0)\nb = f32[8,4] parameter(1)\nc = f32[8,4] subtract(a, b)\nROOT s = f32[4,4] slice(c), slice={[0:8:2], "
      "[0:4]}",
      "a = f32[8,4] parameter(0)\nb = f32[8,4] parameter(1)\nc = f32[8,4] subtract(a, b)\nROOT s = f32[4,4] slice(c), slice={[1:8:2], "
      "[0:4]}",
      "a = f64[8,4] parameter(0)\nb = f64[8,4] parameter(1)\nc = f64[8,4] subtract(a, b)\nROOT s = f64[8,4] slice(c), slice={[0:8], [0:4]}",
      "a = f32[8,4] parameter(0)\nk = f32[] constant(1)\nb = f32[8,4] broadcast(k), dimensions={}\nROOT c = f32[8,4] subtract(a, b)",
      "a = f32[8,4] parameter(0)\nk = f32[] constant(2)\nb = f32[8,4] broadcast(k), dimensions={}\nROOT c = f32[8,4] subtract(a, b)",
      "a = f32[8,4] parameter(0)\nk = f32[] constant(0)\nROOT c = f32[8] reduce(a, k), dimensions={1}, to_apply=sum",
  };
  std::set<std::string> keys = {base};
  for (const std::string& body : others) EXPECT_TRUE(keys.insert(key(body)).second) << body;
}

TEST(FusedPlan, DescribesRegions) {
  const Planned p = MakePlanned("a = f32[64] parameter(0)\nb = f32[64] negate(a)\nROOT c = f32[64] exponential(b)");
  const Region& region = p.plan->regions[p.plan->region_at[At(*p.module, "c")]];
  EXPECT_EQ(DescribeRegion(*p.module->entry, region), "%c = f32[64] exponential: fuses b; reads a");
}

}  // namespace
}  // namespace hloscope
