// The compile engine: a module and a context for each kernel, object code out of an LLVM TargetMachine, loading through LLJIT.
#include <sys/stat.h>

#include <cstring>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/lower/kernel_emitter.h"
#include "backends/jit_cpu/lower/lane_functions.h"
#include "backends/jit_cpu/lower/lower.h"
#include "core/base/vector_set.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

namespace hloscope {
namespace {

// Changes with everything that changes the code made from a program.
constexpr int kLoweringVersion = 21;
constexpr int kNodeBudget = 4000;
constexpr double kQuickNanoseconds = 40000;
constexpr char kMagic[] = "hloscope kernel 7\n";

absl::Status FromLlvm(llvm::Error error) { return absl::InternalError(llvm::toString(std::move(error))); }

std::string Hex(uint64_t v) { return absl::StrCat(absl::Hex(v, absl::kZeroPad16)); }
uint64_t Hash(absl::string_view text, uint64_t seed) {
  uint64_t h = seed;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h ^ h >> 29;
}

// Whether code may use a feature of the processor: those of wider vectors only where VectorSet() has them.
bool Kept(absl::string_view feature) {
  if (VectorSet() == 512) return true;
  for (absl::string_view wider : {"avx512", "avx10", "amx", "evex512"}) {
    if (absl::StartsWith(feature, wider)) return false;
  }
  return true;
}

struct Lowered {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  KernelInfo info;
};

// Cursor over the bytes of a saved kernel.
struct Reader {
  absl::string_view bytes;
  bool ok = true;
  int64_t Int() {
    int64_t v = 0;
    if (bytes.size() < 8) return ok = false, 0;
    std::memcpy(&v, bytes.data(), 8);
    bytes.remove_prefix(8);
    return v;
  }
  std::string Text() {
    const int64_t n = Int();
    if (n < 0 || n > static_cast<int64_t>(bytes.size())) return ok = false, "";
    std::string s(bytes.substr(0, n));
    bytes.remove_prefix(n);
    return s;
  }
};
void PutInt(std::string& out, int64_t v) { out.append(reinterpret_cast<const char*>(&v), 8); }
void PutText(std::string& out, absl::string_view s) {
  PutInt(out, static_cast<int64_t>(s.size()));
  out.append(s.data(), s.size());
}

}  // namespace

std::string Serialize(const KernelCode& code) {
  std::string body;
  PutInt(body, code.info.extent);
  PutInt(body, code.info.grain);
  PutInt(body, code.info.has_update);
  PutInt(body, code.info.update_extent);
  PutInt(body, code.info.listed_updates);
  PutInt(body, code.info.unit_bytes);
  PutInt(body, static_cast<int64_t>(code.info.may_alias.size()));
  for (bool b : code.info.may_alias) PutInt(body, b);
  PutInt(body, static_cast<int64_t>(code.info.starts_as.size()));
  for (int32_t v : code.info.starts_as) PutInt(body, v);
  PutText(body, code.info.summary);
  PutInt(body, code.watches);
  PutText(body, code.symbol);
  PutText(body, code.object);
  std::string out = kMagic;
  PutInt(out, static_cast<int64_t>(Hash(body, 14695981039346656037ull)));
  return out + body;
}

absl::StatusOr<KernelCode> DeserializeKernelCode(absl::string_view bytes) {
  const absl::string_view magic = kMagic;
  if (bytes.substr(0, magic.size()) != magic) return absl::DataLossError("not a saved kernel of this version");
  Reader r{bytes.substr(magic.size())};
  const auto sum = static_cast<uint64_t>(r.Int());
  if (!r.ok || sum != Hash(r.bytes, 14695981039346656037ull)) return absl::DataLossError("saved kernel is damaged");
  KernelCode code;
  code.info.extent = r.Int();
  code.info.grain = r.Int();
  code.info.has_update = r.Int() != 0;
  code.info.update_extent = r.Int();
  code.info.listed_updates = r.Int();
  code.info.unit_bytes = r.Int();
  for (int64_t n = r.Int(); n > 0 && r.ok; --n) code.info.may_alias.push_back(r.Int() != 0);
  for (int64_t n = r.Int(); n > 0 && r.ok; --n) code.info.starts_as.push_back(static_cast<int32_t>(r.Int()));
  code.info.summary = r.Text();
  code.watches = r.Int() != 0;
  code.symbol = r.Text();
  code.object = r.Text();
  if (!r.ok || !r.bytes.empty()) return absl::DataLossError("saved kernel is damaged");
  return code;
}

// Object code calls functions of this program, and another build of it may lower or compute differently: its size and time of writing
// tell builds apart, so that they can share a folder of kernels.
static std::string ProgramIdentity() {
  struct stat self {};
  if (stat("/proc/self/exe", &self) != 0) return "unknown";
  return absl::StrCat(self.st_size, ".", self.st_mtim.tv_sec, ".", self.st_mtim.tv_nsec);
}

struct Compiler::Impl {
  bool always_optimise = false;
  std::string target_key, cpu, features;
  llvm::Triple triple;
  const llvm::Target* target = nullptr;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::mutex mutex;  // of `loaded`
  absl::flat_hash_map<std::string, CompiledKernel> loaded;  // by symbol

  // Machines are made once and lent to one compilation at a time.
  struct Lend {
    const Impl* impl;
    std::unique_ptr<llvm::TargetMachine> machine;
    ~Lend() {
      std::lock_guard<std::mutex> lock(impl->machines_mutex);
      impl->machines.push_back(std::move(machine));
    }
    llvm::TargetMachine& operator*() const { return *machine; }
  };
  mutable std::mutex machines_mutex;
  mutable std::vector<std::unique_ptr<llvm::TargetMachine>> machines;

  Lend MakeMachine() const {
    {
      std::lock_guard<std::mutex> lock(machines_mutex);
      if (!machines.empty()) {
        std::unique_ptr<llvm::TargetMachine> machine = std::move(machines.back());
        machines.pop_back();
        return {this, std::move(machine)};
      }
    }
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    return {this, std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(triple.str(), cpu, features, options, llvm::Reloc::PIC_,
                                                                                   llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true))};
  }

  absl::StatusOr<Lowered> Lower(const Program& program, const std::string& symbol, llvm::TargetMachine& machine, Watch watch = Watch::kNone) const {
    if (program.outputs.empty()) return absl::UnimplementedError("a program without outputs");
    const LoopProgram loops = PrepareLoops(program);
    if (loops.graph->size() > 4 * kNodeBudget) return absl::UnimplementedError(absl::StrCat("a program of ", loops.graph->size(), " nodes is too large to compile"));
    Lowered r;
    r.context = std::make_unique<llvm::LLVMContext>();
    r.module = std::make_unique<llvm::Module>(symbol, *r.context);
    r.module->setTargetTriple(triple.str());
    r.module->setDataLayout(machine.createDataLayout());
    KernelEmitter emitter(loops, *r.module, symbol, watch);
    r.info = emitter.Emit();
    // A third of the time to compile, and code that runs a quarter slower: right for kernels that are done at once.
    machine.setOptLevel(!always_optimise && emitter.total_cost() < kQuickNanoseconds ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default);
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(*r.module, &stream)) return absl::InternalError("kernel IR is malformed: " + stream.str());
    Optimize(*r.module, machine, watch);
    return r;
  }

  static void Optimize(llvm::Module& module, llvm::TargetMachine& machine, Watch watch) {
    // Only the analyses that these passes ask for: a PassBuilder with all of them costs more than the passes.
    llvm::FunctionAnalysisManager fam;
    llvm::ModuleAnalysisManager mam;
    mam.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    mam.registerPass([] { return llvm::ProfileSummaryAnalysis(); });
    mam.registerPass([&] { return llvm::FunctionAnalysisManagerModuleProxy(fam); });
    fam.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(mam); });
    fam.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    fam.registerPass([&] { return machine.getTargetIRAnalysis(); });
    fam.registerPass([] { return llvm::TargetLibraryAnalysis(); });
    fam.registerPass([] { return llvm::AssumptionAnalysis(); });
    fam.registerPass([] { return llvm::DominatorTreeAnalysis(); });
    fam.registerPass([] { return llvm::LoopAnalysis(); });
    fam.registerPass([] { return llvm::OptimizationRemarkEmitterAnalysis(); });
    fam.registerPass([] { return llvm::BranchProbabilityAnalysis(); });
    fam.registerPass([] { return llvm::BlockFrequencyAnalysis(); });
    fam.registerPass([] { return llvm::PostDominatorTreeAnalysis(); });
    fam.registerPass([] { return llvm::AAManager(); });
    llvm::FunctionPassManager passes;
    if (watch != Watch::kNone) passes.addPass(llvm::PromotePass());  // what was seen stays in registers
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
    for (llvm::Function& f : module) {
      if (!f.isDeclaration()) passes.run(f, fam);
    }
  }

  static absl::StatusOr<std::string> Generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) return absl::InternalError("LLVM cannot make code for this host");
    passes.run(module);
    return std::string(bytes.data(), bytes.size());
  }
};

Compiler::Compiler() : impl_(std::make_unique<Impl>()) {}
Compiler::~Compiler() = default;
const std::string& Compiler::target_key() const { return impl_->target_key; }

absl::StatusOr<std::unique_ptr<Compiler>> Compiler::Create(bool always_optimise) {
  static const bool initialised = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    // The emitter hoists what is worth it. LLVM's own pass would also take every constant of a polynomial out of the loop, into more registers
    // than there are, and copies between them then take more time than the arithmetic; read in place a constant costs nothing.
    auto& options = llvm::cl::getRegisteredOptions();
    if (const auto it = options.find("disable-machine-licm"); it != options.end()) it->second->addOccurrence(0, "disable-machine-licm", "true");
    return true;
  }();
  (void)initialised;
  std::unique_ptr<Compiler> compiler(new Compiler());
  Impl& impl = *compiler->impl_;
  impl.always_optimise = always_optimise;
  impl.triple = llvm::Triple(llvm::sys::getProcessTriple());
  impl.cpu = llvm::sys::getHostCPUName().str();
  std::vector<std::string> features;
  for (const auto& f : llvm::sys::getHostCPUFeatures()) features.push_back((f.second && Kept(f.first().str()) ? "+" : "-") + f.first().str());
  std::sort(features.begin(), features.end());
  // Twice the rounding unit's cost for nothing: vectors of 512 bits are what kernels are made of.
  for (const std::string& f : features) impl.features += (impl.features.empty() ? "" : ",") + f;
  std::string error;
  impl.target = llvm::TargetRegistry::lookupTarget(impl.triple.str(), error);
  if (impl.target == nullptr) return absl::UnavailableError("LLVM has no target for this host: " + error);
  impl.target_key = absl::StrCat("llvm ", LLVM_VERSION_STRING, " lowering ", kLoweringVersion, " program ", ProgramIdentity(), " ", impl.cpu, " ", impl.features);
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(impl.triple));
  builder.setObjectLinkingLayerCreator([](llvm::orc::ExecutionSession& session, const llvm::Triple&) {
    return std::make_unique<llvm::orc::ObjectLinkingLayer>(session);
  });
  auto jit = builder.create();
  if (!jit) return FromLlvm(jit.takeError());
  impl.jit = std::move(*jit);
  llvm::orc::JITDylib& main = impl.jit->getMainJITDylib();
  llvm::orc::SymbolMap symbols;
  for (const auto& [name, address] : LaneFunctionSymbols()) {
    symbols[impl.jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  }
  if (llvm::Error e = main.define(llvm::orc::absoluteSymbols(std::move(symbols)))) return FromLlvm(std::move(e));
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(impl.jit->getDataLayout().getGlobalPrefix());
  if (!process) return FromLlvm(process.takeError());
  main.addGenerator(std::move(*process));
  return compiler;
}

absl::StatusOr<KernelCode> Compiler::Compile(const Program& program, Watch watch) const {
  std::string text = CanonicalText(program);
  if (watch != Watch::kNone) absl::StrAppend(&text, "\nwatch ", static_cast<int>(watch));
  KernelCode code;
  code.symbol = absl::StrCat("k", Hex(Hash(text, 14695981039346656037ull)), Hex(Hash(text, 0x9e3779b97f4a7c15ull)));
  const Impl::Lend machine = impl_->MakeMachine();
  absl::StatusOr<Lowered> lowered = impl_->Lower(program, code.symbol, *machine, watch);
  if (!lowered.ok()) return lowered.status();
  code.info = lowered->info;
  code.watches = watch != Watch::kNone;
  absl::StatusOr<std::string> object = Impl::Generate(*lowered->module, *machine, llvm::CodeGenFileType::ObjectFile);
  if (!object.ok()) return object.status();
  code.object = *std::move(object);
  return code;
}

absl::StatusOr<CompiledKernel> Compiler::Load(const KernelCode& code) {
  std::lock_guard<std::mutex> lock(impl_->mutex);
  if (auto it = impl_->loaded.find(code.symbol); it != impl_->loaded.end()) return it->second;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(code.object.data(), code.object.size()), code.symbol);
  if (llvm::Error e = impl_->jit->addObjectFile(std::move(buffer))) return FromLlvm(std::move(e));
  CompiledKernel kernel;
  kernel.info = code.info;
  kernel.watches = code.watches;
  const auto look = [&](const std::string& symbol, CompiledKernel::Fn& function) -> absl::Status {
    auto found = impl_->jit->lookup(symbol);
    if (!found) return FromLlvm(found.takeError());
    function = found->toPtr<CompiledKernel::Fn>();
    return absl::OkStatus();
  };
  absl::Status status = look(code.symbol, kernel.fn);
  if (code.info.has_update) status.Update(look(code.symbol + ".update", kernel.update));
  if (code.info.listed_updates > 0) status.Update(look(code.symbol + ".targets", kernel.targets));
  if (!status.ok()) return status;
  impl_->loaded[code.symbol] = kernel;
  return kernel;
}

absl::StatusOr<CompiledKernel> Compiler::CompileAndLoad(const Program& program, Watch watch) {
  absl::StatusOr<KernelCode> code = Compile(program, watch);
  if (!code.ok()) return code.status();
  return Load(*code);
}

absl::StatusOr<KernelText> Compiler::Text(const Program& program) const {
  const Impl::Lend machine = impl_->MakeMachine();
  absl::StatusOr<Lowered> lowered = impl_->Lower(program, "kernel", *machine);
  if (!lowered.ok()) return lowered.status();
  KernelText text;
  llvm::raw_string_ostream stream(text.ir);
  lowered->module->print(stream, nullptr);
  stream.flush();
  absl::StatusOr<std::string> assembly = Impl::Generate(*lowered->module, *machine, llvm::CodeGenFileType::AssemblyFile);
  if (!assembly.ok()) return assembly.status();
  text.assembly = *std::move(assembly);
  return text;
}

}  // namespace hloscope
