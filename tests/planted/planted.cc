// Plants one nan, infinity or overflow into a program (any instruction, one element, any iteration of its loop) and demands that the catch
// names the planted instruction, the element and the iteration. Small programs of its own; with --count also the models of the corpus.
//
//   build/tests/planted                   a few cases in each small program, and in one model if the corpus is there
//   build/tests/planted --count 500       as many cases, most of them in five models
//   build/tests/planted --model NAME      only in that one; --seed N: other draws
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "core/debug/catches.h"
#include "core/exec/inputs.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

// Loops, a call, a branch, a fusion, elements that nobody reads, results that hide what is wrong, several types.
constexpr const char* kSmall[] = {
    R"(HloModule loops
halve {
  a = f32[6,5] parameter(0)
  h = f32[6,5] constant({{1,1,1,1,1},{1,1,1,1,1},{1,1,1,1,1},{1,1,1,1,1},{1,1,1,1,1},{1,1,1,1,1}})
  s = f32[6,5] add(a, h)
  ROOT m = f32[6,5] multiply(s, h)
}
body {
  t = (s32[], f32[6,5], bf16[40]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  v = f32[6,5] get-tuple-element(t), index=1
  b = bf16[40] get-tuple-element(t), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  th = f32[6,5] tanh(v)
  called = f32[6,5] call(th), to_apply=halve
  ex = f32[6,5] exponential(called)
  di = f32[6,5] divide(called, ex)
  sl = f32[4,3] slice(di), slice={[1:5], [1:4]}
  zero = f32[] constant(0)
  pd = f32[6,5] pad(sl, zero), padding=1_1x1_1
  lg = bf16[40] logistic(b)
  di2 = bf16[40] multiply(lg, b)
  ROOT r = (s32[], f32[6,5], bf16[40]) tuple(next, pd, di2)
}
cond {
  t = (s32[], f32[6,5], bf16[40]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(9)
  ROOT lt = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[6,5] parameter(0)
  y = bf16[40] parameter(1)
  c = s32[] constant(0)
  t = (s32[], f32[6,5], bf16[40]) tuple(c, x, y)
  w = (s32[], f32[6,5], bf16[40]) while(t), condition=cond, body=body
  o = f32[6,5] get-tuple-element(w), index=1
  ROOT q = f32[6,5] cosine(o)
})",
    R"(HloModule branches
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
f {
  a = f32[3,7] parameter(0)
  e = f32[3,7] exponential(a)
  ROOT n = f32[3,7] negate(e)
}
left {
  a = f32[3,7] parameter(0)
  ROOT s = f32[3,7] sine(a)
}
right {
  a = f32[3,7] parameter(0)
  c = f32[3,7] cosine(a)
  ROOT f = f32[3,7] fusion(c), kind=kLoop, calls=f
}
ENTRY main {
  x = f32[3,7] parameter(0)
  y = f32[7,4] parameter(1)
  yes = pred[] constant(false)
  b = f32[3,7] conditional(yes, x, x), true_computation=left, false_computation=right
  d = f32[3,4] dot(b, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[] constant(0)
  r = f32[3] reduce(d, z), dimensions={1}, to_apply=add
  rb = f32[3,4] broadcast(r), dimensions={0}
  p = pred[3,4] compare(d, rb), direction=GT
  g = f32[3,4] select(p, d, rb)
  h = f16[3,4] convert(g)
  hh = f16[3,4] multiply(h, h)
  k = f32[3,4] convert(hh)
  ix = s32[2,1] constant({{2},{0}})
  ga = f32[2,4] gather(k, ix), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
  i0 = s32[] constant(1)
  i1 = s32[] constant(0)
  u = f32[3,4] dynamic-update-slice(k, ga, i0, i1)
  tr = f32[4,3] transpose(u), dimensions={1,0}
  ROOT out = f32[4,3] abs(tr)
})"};

enum class Plant { kNan, kHiddenNan, kInf, kOverflow };
constexpr const char* kPlantNames[] = {"nan", "hidden nan", "inf", "overflow"};

struct Where {
  std::string computation, instruction;
  std::string shape;  // as the text has it
  std::vector<int64_t> dims;
  std::string counter;    // of the loop whose body this is; empty: no loop, or none that can be counted
  int64_t first = 0;      // of the counter
  int64_t iterations = 0; // that ran
};

std::unique_ptr<Module> Read(const std::string& name, const std::string& text) {
  DiagnosticSink sink;
  auto source = std::make_shared<SourceText>(name, text);
  std::unique_ptr<Module> module = ReadHloText(source, sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.severity == Severity::kError) std::fprintf(stderr, "%s", Render(d, *source).c_str());
  }
  return sink.error_count() == 0 ? std::move(module) : nullptr;
}

MachineOptions Options() {
  MachineOptions options;
  options.max_iterations = 5000;
  return options;
}

absl::Status Start(const Module& module, Machine& machine) {
  return machine.Start([&module, &machine](int number) { return MakeInput(module, number, Fill(), &machine.account()); });
}

// Lines of a computation, by the name it has.
class Text {
 public:
  explicit Text(const Module& module) {
    PrintOptions print;
    print.metadata = false;
    lines_ = absl::StrSplit(PrintHloText(module, print), '\n');
  }
  int Find(absl::string_view computation, absl::string_view instruction) const {
    bool inside = false;
    for (size_t k = 0; k < lines_.size(); ++k) {
      absl::string_view line = lines_[k];
      if (!line.empty() && line[0] != ' ' && line[0] != '}') {
        absl::ConsumePrefix(&line, "ENTRY ");
        absl::ConsumePrefix(&line, "%");
        inside = absl::ConsumePrefix(&line, computation) && (line.empty() || line[0] == ' ');
      }
      if (!inside) continue;
      line = absl::StripLeadingAsciiWhitespace(line);
      absl::ConsumePrefix(&line, "ROOT ");
      absl::ConsumePrefix(&line, "%");
      if (absl::ConsumePrefix(&line, instruction) && absl::StartsWith(line, " = ")) return static_cast<int>(k);
    }
    return -1;
  }
  std::vector<std::string> lines_;
};

std::string OfType(absl::string_view shape, absl::string_view type) { return absl::StrCat(type, shape.substr(shape.find('['))); }

// The text with the plant; empty: it cannot be put there.
std::string Planted(const Module& module, const Where& where, Plant plant, const std::vector<int64_t>& element, int64_t iteration) {
  Text text(module);
  const int at = text.Find(where.computation, where.instruction);
  if (at < 0) return "";
  std::string& line = text.lines_[at];
  const size_t equals = line.find(" = ");
  const std::string left = line.substr(0, equals);
  const bool root = absl::StrContains(left, "ROOT ");
  const std::string& shape = where.shape;
  const std::string type = shape.substr(0, shape.find('['));
  line = absl::StrCat("  planted.base", line.substr(equals));
  std::vector<std::string> add;
  const auto put = [&](const std::string& l) { add.push_back("  " + l); };
  const auto broadcast = [&](const std::string& name, const std::string& t, const std::string& value) {
    put(absl::StrCat(name, ".1 = ", t, "[] constant(", value, ")"));
    put(absl::StrCat(name, " = ", OfType(shape, t), " broadcast(", name, ".1), dimensions={}"));
  };
  broadcast("planted.mask", "pred", "true");
  std::string mask = "planted.mask";
  for (size_t d = 0; d < where.dims.size(); ++d) {
    const std::string n = absl::StrCat("planted.i", d);
    put(absl::StrCat(n, " = ", OfType(shape, "s32"), " iota(), iota_dimension=", d));
    broadcast(n + ".at", "s32", absl::StrCat(element[d]));
    put(absl::StrCat(n, ".is = ", OfType(shape, "pred"), " compare(", n, ", ", n, ".at), direction=EQ"));
    put(absl::StrCat(n, ".and = ", OfType(shape, "pred"), " and(", mask, ", ", n, ".is)"));
    mask = n + ".and";
  }
  if (!where.counter.empty()) {
    put(absl::StrCat("planted.k = s32[] constant(", where.first + iteration, ")"));
    put(absl::StrCat("planted.now = pred[] compare(", where.counter, ", planted.k), direction=EQ"));
    put(absl::StrCat("planted.nows = ", OfType(shape, "pred"), " broadcast(planted.now), dimensions={}"));
    put(absl::StrCat("planted.here = ", OfType(shape, "pred"), " and(", mask, ", planted.nows)"));
    mask = "planted.here";
  }
  const std::string from = plant == Plant::kOverflow ? "f32" : type;
  broadcast("planted.bad", from, plant == Plant::kInf ? "0" : plant == Plant::kOverflow ? "1e6" : "-1");
  broadcast("planted.good", from, "1");
  put(absl::StrCat("planted.x = ", OfType(shape, from), " select(", mask, ", planted.bad, planted.good)"));
  std::string result = "planted";
  if (plant == Plant::kOverflow) {
    put(absl::StrCat("planted = ", OfType(shape, "f16"), " convert(planted.x)"));
    put(absl::StrCat("planted.more = ", OfType(shape, "pred"), " compare(planted, planted), direction=LT"));
    put(absl::StrCat("planted.flat = ", shape, " convert(planted.more)"));
    result = "planted.flat";
  } else {
    put(absl::StrCat("planted = ", shape, " log(planted.x)"));
  }
  if (plant == Plant::kHiddenNan) {
    put(absl::StrCat("planted.more = ", OfType(shape, "pred"), " compare(planted, planted.good), direction=GT"));
    put(absl::StrCat("planted.flat = ", shape, " convert(planted.more)"));
    result = "planted.flat";
  }
  put(absl::StrCat(root ? "ROOT " : "", where.instruction, " = ", shape, " add(planted.base, ", result, ")"));
  // After the counter's definition too, whatever the order of the text was.
  size_t after = at;
  if (!where.counter.empty()) after = std::max<size_t>(after, text.Find(where.computation, where.counter));
  text.lines_.insert(text.lines_.begin() + static_cast<std::ptrdiff_t>(after) + 1, add.begin(), add.end());
  return absl::StrJoin(text.lines_, "\n");
}

// The counter of a loop's body: s32, a constant at first, one more each time.
void FindCounter(const Module& module, const Computation& body, Where& where) {
  for (const Computation* c : module.computations) {
    for (const Instruction* loop : c->schedule) {
      if (Def(*loop).control != ControlKind::kWhile || loop->Called(AttrId::kBody) != &body) continue;
      const Instruction* init = loop->operands[0];
      for (size_t k = 0; k < body.root->operands.size() && k < init->operands.size(); ++k) {
        const Instruction* next = body.root->operands[k];
        if (next->shape.ToString(false) != "s32[]" || Name(next->opcode) != "add" || init->operands[k]->literal == nullptr) continue;
        for (int side = 0; side < 2; ++side) {
          const Instruction* from = next->operands[side];
          const Instruction* one = next->operands[1 - side];
          if (Name(from->opcode) != "get-tuple-element" || from->Int(AttrId::kIndex) != static_cast<int64_t>(k) || one->literal == nullptr) continue;
          if (*one->literal->value.as<int32_t>() != 1) continue;
          where.counter = std::string(from->name);
          where.first = *init->operands[k]->literal->value.as<int32_t>();
          return;
        }
      }
    }
  }
}

struct Program {
  std::string name;
  std::string text;
  std::unique_ptr<Module> module;
  std::vector<Where> places;
  std::vector<Plant> plants;  // that do not come up by themselves
  double seconds = 0;
};

// What a kind of plant is caught by.
CatchKind KindOf(Plant plant) {
  return plant == Plant::kInf ? CatchKind::kInf : plant == Plant::kOverflow ? CatchKind::kOverflow : CatchKind::kNan;
}

bool Prepare(Program& p, Backend& backend) {
  p.module = Read(p.name, p.text);
  if (p.module == nullptr) return false;
  // What runs, and how often: places are drawn from that.
  std::map<const Computation*, int64_t> ran;
  Machine machine(*p.module, backend, Options());
  if (!Start(*p.module, machine).ok()) return false;
  machine.set_light_region_observer([&](const Frame& frame, const Region&, const Kernel*, absl::Span<const Value>, const Value&) {
    int64_t& most = ran[frame.computation];
    if (frame.kind != FrameKind::kElement) most = std::max(most, frame.kind == FrameKind::kWhileBody || frame.kind == FrameKind::kWhileCondition ? frame.iteration + 1 : 1);
    return absl::OkStatus();
  });
  const auto begin = std::chrono::steady_clock::now();
  if (machine.Run() != StopReason::kFinished) {
    std::printf("%s: does not run to its end: %s\n", p.name.c_str(), std::string(machine.status().message()).c_str());
    return false;
  }
  p.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const auto& [computation, iterations] : ran) {
    absl::flat_hash_set<const Instruction*> live = {computation->root};
    for (size_t k = computation->schedule.size(); k-- > 0;) {
      const Instruction* i = computation->schedule[k];
      if (live.contains(i) || HasSideEffect(*i)) live.insert(i->operands.begin(), i->operands.end());
    }
    Where of;
    FindCounter(*p.module, *computation, of);
    for (const Instruction* i : computation->schedule) {
      if (!live.contains(i) || !i->shape.IsArray() || i->shape.ElementCount() == 0 || i->parameter_number >= 0 || i->literal != nullptr) continue;
      const ElementType type = i->shape.element_type();
      if (type != ElementType::kF32 && type != ElementType::kBF16 && type != ElementType::kF16 && type != ElementType::kF64) continue;
      if (i->shape.has_dynamic_dimension() || Name(i->opcode) == "get-tuple-element" || Def(*i).movement == Movement::kCreate) continue;
      Where w = of;
      w.computation = std::string(computation->name);
      w.instruction = std::string(i->name);
      w.shape = i->shape.ToString(true);
      w.dims.assign(i->shape.dimensions().begin(), i->shape.dimensions().end());
      w.iterations = iterations;
      p.places.push_back(std::move(w));
    }
  }
  std::sort(p.places.begin(), p.places.end(), [](const Where& a, const Where& b) { return std::tie(a.computation, a.instruction) < std::tie(b.computation, b.instruction); });
  for (Plant plant : {Plant::kNan, Plant::kHiddenNan, Plant::kInf, Plant::kOverflow}) {
    Machine clean(*p.module, backend, Options());
    Catches catches(*p.module, backend);
    CatchRequest request;
    request.kind = KindOf(plant);
    catches.requests().push_back(request);
    catches.Attach(clean);
    if (Start(*p.module, clean).ok() && clean.Run() == StopReason::kFinished) p.plants.push_back(plant);
    else if (catches.caught().has_value()) std::printf("%s: %s\n", p.name.c_str(), CaughtHeadline(*p.module, *catches.caught()).c_str());
  }
  return !p.places.empty() && !p.plants.empty();
}

// One case; empty: as it should be.
std::string Try(const Program& p, Backend& backend, const Where& where, Plant plant, const std::vector<int64_t>& element, int64_t iteration) {
  const std::string text = Planted(*p.module, where, plant, element, iteration);
  if (text.empty()) return "the instruction is not found in the text";
  const std::unique_ptr<Module> module = Read(p.name, text);
  if (module == nullptr) return "the planted text does not verify";
  Machine machine(*module, backend, Options());
  Catches catches(*module, backend);
  CatchRequest request;
  request.kind = KindOf(plant);
  catches.requests().push_back(request);
  catches.Attach(machine);
  if (absl::Status started = Start(*module, machine); !started.ok()) return std::string(started.message());
  const StopReason reason = machine.Run();
  if (reason != StopReason::kCaught) return absl::StrCat("nothing was caught", reason == StopReason::kError ? absl::StrCat(": ", machine.status().message()) : "");
  const Caught& caught = *catches.caught();
  if (caught.instruction->name != "planted" || caught.instruction->parent->name != where.computation) return CaughtText(*module, caught);
  if (caught.finding.index != element) return absl::StrCat("another element: ", CaughtText(*module, caught));
  if (!where.counter.empty() && caught.frames.back().iteration != iteration) return absl::StrCat("another iteration: ", CaughtText(*module, caught));
  return "";
}

int Main(int argc, char** argv) {
  int64_t count = 0, seed = 1;
  std::string only;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string option = argv[k];
    if (option == "--count") (void)absl::SimpleAtoi(argv[k + 1], &count);
    if (option == "--seed") (void)absl::SimpleAtoi(argv[k + 1], &seed);
    if (option == "--model") only = argv[k + 1];
  }
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeJitCpuBackend(BackendOptions());
  if (!backend.ok()) return 2;
  std::vector<Program> programs;
  for (const char* text : kSmall) {
    Program p;
    p.name = std::string(text).substr(10, std::string(text).find('\n') - 10);
    p.text = text;
    if (only.empty()) programs.push_back(std::move(p));
  }
  const char* corpus = std::getenv("HLOSCOPE_CORPUS");
  const std::filesystem::path models = std::filesystem::path(corpus != nullptr ? corpus : "../shared/corpus") / "models";
  std::vector<std::string> names = {"mha_block_1x12x128x64_bf16.hlo", "layer_norm_1x4096x768_bf16.hlo", "depthwise_conv_3x3_1x256x56x56_bf16.hlo", "bench_scan_N2000_M3.hlo",
                                    "dlrm_keras_jax_f32_train_step.hlo"};
  if (!only.empty()) names = {only};
  else if (count == 0) names.resize(1);
  for (const std::string& name : names) {
    std::ifstream file(models / name, std::ios::binary);
    if (!file) continue;
    std::stringstream text;
    text << file.rdbuf();
    Program p;
    p.name = name;
    p.text = text.str();
    programs.push_back(std::move(p));
  }
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  int64_t failed = 0, passed = 0;
  const int64_t per = std::max<int64_t>(count == 0 ? 12 : 1, (count + static_cast<int64_t>(programs.size()) - 1) / static_cast<int64_t>(programs.size()));
  for (Program& p : programs) {
    if (!Prepare(p, **backend)) continue;
    const auto begin = std::chrono::steady_clock::now();
    int64_t here = 0;
    for (int64_t n = 0; n < per; ++n) {
      const Where& where = p.places[random() % p.places.size()];
      const Plant plant = p.plants[random() % p.plants.size()];
      std::vector<int64_t> element;
      for (int64_t d : where.dims) element.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(d)));
      const int64_t iteration = where.counter.empty() ? 0 : static_cast<int64_t>(random() % static_cast<uint64_t>(where.iterations));
      const std::string why = Try(p, **backend, where, plant, element, iteration);
      if (why.empty()) {
        ++passed;
        ++here;
        continue;
      }
      ++failed;
      std::printf("FAILED %s: %s at %%%s[%s] of %s, iteration %ld:\n  %s\n", p.name.c_str(), kPlantNames[static_cast<int>(plant)], where.instruction.c_str(),
                  absl::StrJoin(element, ",").c_str(), where.computation.c_str(), static_cast<long>(iteration), why.c_str());
    }
    std::printf("%s: %ld of %ld, %zu places, a plain run %.0f ms, a case %.0f ms\n", p.name.c_str(), static_cast<long>(here), static_cast<long>(per), p.places.size(), p.seconds * 1e3,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() * 1e3 / static_cast<double>(per));
    p.module.reset();
  }
  std::printf("%ld named, %ld not\n", static_cast<long>(passed), static_cast<long>(failed));
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hloscope

int main(int argc, char** argv) { return hloscope::Main(argc, argv); }
