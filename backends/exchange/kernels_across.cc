#include "backends/exchange/kernels_across.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "backends/exchange/across.h"
#include "backends/exchange/kernel_messages.h"
#include "core/exec/watch.h"
#include "core/text/hlo_text.h"

namespace hloscope {

// The other processes: one question to one of them at a time. Lives as long as any value that one of them has.
class KernelsAcross::Others : public std::enable_shared_from_this<KernelsAcross::Others> {
 public:
  explicit Others(ProcessLink& link) : link_(&link), forgotten_(link.count()), left_(link.count()) {
    link.Listen([this](int from, std::string message, ProcessLink::Arrays) {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!message.empty() && static_cast<KernelMessage>(message[0]) >= KernelMessage::kRan) {
        answer_ = std::move(message);
      } else if (message.empty() || static_cast<KernelMessage>(message[0]) != KernelMessage::kReady) {
        left_[from] = absl::UnavailableError(absl::StrCat("process ", from, " of ", left_.size(), " has left the session: ", AcrossProcesses::WhyItLeft(message)));
      }
      changed_.notify_all();
    });
  }

  void End() {
    link_->Listen(nullptr);
    for (int p = 1; p < link_->count(); ++p) link_->Send(p, WireWriter().Put(KernelMessage::kEnd).Take());
    std::lock_guard<std::mutex> asking(asking_);
    std::lock_guard<std::mutex> lock(mutex_);
    link_ = nullptr;
  }

  int count() const { return static_cast<int>(left_.size()); }
  uint64_t NewNumber() {
    std::lock_guard<std::mutex> lock(mutex_);
    return next_ += 2;
  }

  // For who asks more than once on end (messages before the question): nobody else asks meanwhile.
  std::unique_lock<std::mutex> Turn() { return std::unique_lock<std::mutex>(asking_); }
  void Tell(int process, std::string message) {
    if (link_ != nullptr) link_->Send(process, std::move(message));
  }
  // In one's turn. `cancel`, if it becomes true, ends the run that is asked for.
  absl::StatusOr<std::string> Ask(int process, std::string question, const std::atomic<bool>* cancel, uint64_t run) {
    if (link_ == nullptr) return absl::UnavailableError("the session with the other processes is over");
    SendForgotten(process);
    std::unique_lock<std::mutex> lock(mutex_);
    answer_.reset();
    if (!left_[process].ok()) return left_[process];
    link_->Send(process, std::move(question));
    const auto here = [&] { return answer_.has_value() || !left_[process].ok(); };
    bool cancelled = false;
    while (!changed_.wait_for(lock, std::chrono::milliseconds(20), here)) {
      if (cancelled || cancel == nullptr || !cancel->load()) continue;
      cancelled = true;
      link_->Send(process, WireWriter().Put(KernelMessage::kCancel).Put(run).Take());
    }
    if (!answer_.has_value()) return left_[process];
    return *std::exchange(answer_, std::nullopt);
  }

  struct Forgotten {
    std::vector<uint64_t> kernels, programs, values;
  };
  // Told with the next question.
  void Forget(int process, std::vector<uint64_t> Forgotten::*what, uint64_t number) {
    std::lock_guard<std::mutex> lock(mutex_);
    (forgotten_[process].*what).push_back(number);
  }
  absl::Status left(int process) {
    std::lock_guard<std::mutex> lock(mutex_);
    return left_[process];
  }
  std::atomic<int64_t> ran_here{0};    // kernels, in the first process
  std::atomic<int64_t> away_bytes{0};  // of values that the first process counts and has not

 private:
  void SendForgotten(int process) {
    Forgotten forgotten;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      std::swap(forgotten, forgotten_[process]);
    }
    WireWriter out;
    out.Put(KernelMessage::kForget);
    for (const std::vector<uint64_t>* numbers : {&forgotten.kernels, &forgotten.programs, &forgotten.values}) {
      out.Put(static_cast<int64_t>(numbers->size()));
      for (const uint64_t number : *numbers) out.Put(number);
    }
    if (forgotten.kernels.size() + forgotten.programs.size() + forgotten.values.size() > 0) link_->Send(process, out.Take());
  }

  ProcessLink* link_;
  std::mutex asking_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  std::optional<std::string> answer_;
  std::vector<Forgotten> forgotten_;  // by process
  std::vector<absl::Status> left_;    // by process
  uint64_t next_ = 1;                 // odd; handles that the others choose are even
};

// Whether the text of its program says all of a region: an instruction made for the sizes of one run calls computations of another program, and
// runs here.
static bool StandsAlone(const Computation& computation, const Region& region) {
  for (const int member : region.members) {
    for (const Computation* called : computation.schedule[member]->CalledComputations()) {
      if (called->module != computation.module) return false;
    }
  }
  return true;
}

// A program, and which of the others have its text.
class KernelsAcross::Program {
 public:
  Program(std::shared_ptr<Others> others, const Module& module) : others_(std::move(others)), number_(others_->NewNumber()), text_(PrintHloText(module)), has_(others_->count()) {}
  ~Program() {
    for (int p = 0; p < others_->count(); ++p) {
      if (has_[p]) others_->Forget(p, &Others::Forgotten::programs, number_);
    }
  }
  // In one's turn.
  uint64_t At(int process) {
    if (!has_[process]) others_->Tell(process, WireWriter().Put(KernelMessage::kProgram).Put(number_).Text(text_).Take());
    has_[process] = true;
    return number_;
  }

 private:
  const std::shared_ptr<Others> others_;
  const uint64_t number_;
  const std::string text_;
  std::vector<bool> has_;
};

// Where the bytes of a buffer are among the others.
class KernelsAcross::Copies : public Elsewhere {
 public:
  explicit Copies(std::shared_ptr<Others> others) : others_(std::move(others)) {}
  ~Copies() override {
    for (const auto& [process, handle] : at_) others_->Forget(process, &Others::Forgotten::values, handle);
    others_->away_bytes -= away_;
  }
  void Add(int process, uint64_t handle) { at_.push_back({process, handle}); }
  // So many bytes are not here.
  void Away(int64_t bytes) { others_->away_bytes += away_ = bytes; }
  uint64_t At(int process) const {
    for (const auto& [p, handle] : at_) {
      if (p == process) return handle;
    }
    return 0;
  }
  // It may be written over there: it is that run's now.
  void Give(int process) {
    at_.erase(std::remove_if(at_.begin(), at_.end(), [&](const auto& copy) { return copy.first == process; }), at_.end());
  }
  void Fetch(std::byte* to, int64_t size) override {
    const auto turn = others_->Turn();
    const auto [process, handle] = at_.front();
    absl::StatusOr<std::string> answer = others_->Ask(process, WireWriter().Put(KernelMessage::kFetch).Put(handle).Take(), nullptr, 0);
    absl::string_view bytes;
    if (answer.ok()) {
      WireReader in(*answer);
      in.Get<KernelMessage>();
      bytes = in.Bytes();
    }
    // Zeros where the process has left: what is run there next says so.
    std::memset(to, 0, static_cast<size_t>(size));
    std::memcpy(to, bytes.data(), std::min(bytes.size(), static_cast<size_t>(size)));
    others_->away_bytes -= std::exchange(away_, 0);
  }

 private:
  const std::shared_ptr<Others> others_;
  std::vector<std::pair<int, uint64_t>> at_;  // process, handle
  int64_t away_ = 0;
};

// A kernel that can run in each of the processes.
class KernelsAcross::Across : public Kernel {
 public:
  Across(std::shared_ptr<Others> others, std::shared_ptr<Program> program, int computation, const Region& region, std::shared_ptr<const Kernel> here, OverBackend& backend)
      : others_(std::move(others)), program_(std::move(program)), computation_(computation), region_(region), here_(std::move(here)), backend_(backend), number_(others_->NewNumber()),
        has_(others_->count()) {}
  ~Across() override {
    for (int p = 0; p < others_->count(); ++p) {
      if (has_[p]) others_->Forget(p, &Others::Forgotten::kernels, number_);
    }
  }
  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override;
  bool library_order() const override { return here_->library_order(); }
  bool library_wide_accumulation() const override { return here_->library_wide_accumulation(); }
  std::string description() const override { return here_->description(); }

 private:
  void TellOfIt(int process) const;
  void PutInput(WireWriter& out, int process, Value value, std::vector<Value>& arrays) const;
  absl::StatusOr<Value> GetResult(WireReader& in, int process, const std::vector<Value>& arrays, MemoryAccount* account) const;

  const std::shared_ptr<Others> others_;
  const std::shared_ptr<Program> program_;
  const int computation_;
  const Region region_;
  const std::shared_ptr<const Kernel> here_;
  OverBackend& backend_;
  const uint64_t number_;
  mutable std::vector<bool> has_;  // changed in one's turn
};

class KernelsAcross::OverBackend : public Backend {
 public:
  OverBackend(std::shared_ptr<Others> others, std::unique_ptr<Backend> here) : others_(std::move(others)), here_(std::move(here)) {}
  absl::string_view name() const override { return here_->name(); }
  absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const Computation& computation) override { return here_->MakePlan(computation); }
  absl::StatusOr<std::shared_ptr<const Kernel>> GetKernel(const Computation& computation, const Region& region) override {
    absl::StatusOr<std::shared_ptr<const Kernel>> kernel = here_->GetKernel(computation, region);
    if (!kernel.ok() || others_->count() == 1 || !StandsAlone(computation, region)) return kernel;
    return std::make_shared<Across>(others_, ProgramOf(*computation.module), computation.id, region, *std::move(kernel), *this);
  }
  void Prepare(const Computation& computation, absl::Span<const Region* const> regions) override { here_->Prepare(computation, regions); }
  absl::StatusOr<std::vector<Artifact>> Artifacts(const Computation& computation, const Region& region) override { return here_->Artifacts(computation, region); }
  BackendStats stats() const override { return here_->stats(); }

  std::atomic<Watch> watch{Watch::kNone};
  std::atomic<bool> watched{false}, found{false};  // in other processes
  std::mutex reading;                              // guards the shapes
  ShapeTexts shapes;

 protected:
  Backend& here() { return *here_; }

 private:
  std::shared_ptr<Program> ProgramOf(const Module& module) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<Program>& known = programs_[module.serial];
    std::shared_ptr<Program> program = known.lock();
    if (program == nullptr) known = program = std::make_shared<Program>(others_, module);
    return program;
  }

  const std::shared_ptr<Others> others_;
  const std::unique_ptr<Backend> here_;
  std::mutex mutex_;  // guards the rest
  absl::flat_hash_map<uint64_t, std::weak_ptr<Program>> programs_;  // by the module's serial number
};

class KernelsAcross::OverWatchingBackend : public OverBackend, public WatchingBackend {
 public:
  OverWatchingBackend(std::shared_ptr<Others> others, std::unique_ptr<Backend> here) : OverBackend(std::move(others), std::move(here)), watching_(dynamic_cast<WatchingBackend&>(this->here())) {}
  void SetWatch(Watch what) override {
    watching_.SetWatch(what);
    watch.store(what);
  }
  Seen TakeSeen() override {
    Seen seen = watching_.TakeSeen();
    seen.watched |= watched.exchange(false);
    seen.found |= found.exchange(false);
    return seen;
  }
  absl::StatusOr<std::shared_ptr<const Kernel>> KernelOf(const hloscope::Program& program) override { return watching_.KernelOf(program); }

 private:
  WatchingBackend& watching_;
};

// ---- A run in another process ----

// In one's turn.
void KernelsAcross::Across::TellOfIt(int process) const {
  if (has_[process]) return;
  has_[process] = true;
  const uint64_t program = program_->At(process);
  WireWriter out;
  out.Put(KernelMessage::kKernel).Put(number_).Put(program).Put(computation_).Put(region_.root);
  for (const std::vector<int>* positions : {&region_.members, &region_.inputs}) {
    out.Put(static_cast<int64_t>(positions->size()));
    for (const int position : *positions) out.Put(position);
  }
  others_->Tell(process, out.Take());
}

// `arrays` holds those whose bytes the result may share.
void KernelsAcross::Across::PutInput(WireWriter& out, int process, Value value, std::vector<Value>& arrays) const {
  if (!value.has_value()) {
    out.Put(ValueForm::kNone);
    return;
  }
  const Shape shape = value.shape();
  if (!shape.IsTuple() && !shape.IsArray()) {
    out.Put(ValueForm::kToken);
    return;
  }
  if (shape.IsTuple()) {
    ShapeTexts::Put(out.Put(ValueForm::kTuple), shape);
    for (Value& element : std::move(value).TakeElements()) PutInput(out, process, std::move(element), arrays);
    return;
  }
  const bool given = value.unique();  // the kernel may write over it, as nobody else has it
  auto* copies = static_cast<Copies*>(value.buffer()->elsewhere());
  const uint64_t handle = copies != nullptr ? copies->At(process) : 0;
  if (handle != 0) {
    ShapeTexts::Put(out.Put(ValueForm::kThere), shape);
    out.Put(handle).Put(given);
    if (given) copies->Give(process);
    arrays.push_back(given ? Value() : std::move(value));
    return;
  }
  const std::byte* bytes = value.physical_data();  // fetched from a third process, where it is there
  ShapeTexts::Put(out.Put(ValueForm::kHere), shape);
  const uint64_t kept = given ? 0 : others_->NewNumber();
  out.Put(kept).Bytes(bytes, value.buffer()->size());
  if (kept != 0) {
    if (copies == nullptr) {
      auto made = std::make_unique<Copies>(others_);
      copies = made.get();
      value.buffer()->AlsoAt(std::move(made));
    }
    copies->Add(process, kept);
  }
  arrays.push_back(given ? Value() : std::move(value));
}

absl::StatusOr<Value> KernelsAcross::Across::GetResult(WireReader& in, int process, const std::vector<Value>& arrays, MemoryAccount* account) const {
  const ValueForm form = in.Get<ValueForm>();
  if (form == ValueForm::kNone) return Value();
  if (form == ValueForm::kToken) return Value::Token();
  Shape shape;
  {
    std::lock_guard<std::mutex> lock(backend_.reading);
    shape = backend_.shapes.Get(in);
  }
  if (form == ValueForm::kTuple) {
    std::vector<Value> elements;
    for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
      absl::StatusOr<Value> element = GetResult(in, process, arrays, account);
      if (!element.ok()) return element;
      elements.push_back(*std::move(element));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  const auto unreadable = [process] { return absl::DataLossError(absl::StrCat("an answer of process ", process, " cannot be read")); };
  if (form == ValueForm::kInput) {
    const int32_t k = in.Get<int32_t>();
    if (!in.ok() || k < 0 || k >= static_cast<int32_t>(arrays.size()) || !arrays[k].has_value()) return unreadable();
    return arrays[k].PhysicalAs(shape);
  }
  const uint64_t handle = in.Get<uint64_t>();
  auto copies = std::make_unique<Copies>(others_);
  copies->Add(process, handle);
  if (form == ValueForm::kThere) {
    const int64_t size = in.Get<int64_t>();
    if (!in.ok() || size != shape.ByteSize()) return unreadable();
    copies->Away(size);
    return Value::OfBuffer(shape, Buffer::Of(size, std::move(copies), account));
  }
  const absl::string_view bytes = in.Bytes();
  if (!in.ok() || static_cast<int64_t>(bytes.size()) != shape.ByteSize()) return unreadable();
  Value value = Value::AllocateInLayout(shape, account);
  if (!value.has_value()) return Value();
  std::memcpy(value.mutable_physical_data(), bytes.data(), bytes.size());
  value.buffer()->AlsoAt(std::move(copies));
  return value;
}

absl::StatusOr<Value> KernelsAcross::Across::Run(const RunContext& context, std::vector<Value> inputs) const {
  const int process = context.process;
  if (process <= 0 || process >= others_->count()) {
    for (Value& input : inputs) {
      if (input.unique()) input.mutable_physical_data();  // may be written over, and what others have is not the same then
    }
    ++others_->ran_here;
    return here_->Run(context, std::move(inputs));
  }
  // What is in a third process comes here first: asking is one at a time.
  const uint64_t run = others_->NewNumber();
  WireWriter out;
  out.Put(KernelMessage::kRun).Put(run).Put(number_).Put(context.stream_seed).Put(backend_.watch.load()).Put(static_cast<int64_t>(inputs.size()));
  std::vector<Value> arrays;
  for (Value& input : inputs) PutInput(out, process, std::move(input), arrays);
  inputs.clear();
  const auto turn = others_->Turn();
  TellOfIt(process);
  const absl::StatusOr<std::string> answer = others_->Ask(process, out.Take(), context.cancel, run);
  if (!answer.ok()) return answer.status();
  WireReader in(*answer);
  in.Get<KernelMessage>();
  const absl::Status status = in.Status();
  if (in.Get<bool>()) backend_.watched.store(true);
  if (in.Get<bool>()) backend_.found.store(true);
  if (!status.ok()) return status;
  return GetResult(in, process, arrays, context.account);
}

// ---- The whole ----

KernelsAcross::KernelsAcross(ProcessLink& link) : others_(std::make_shared<Others>(link)) {}
KernelsAcross::~KernelsAcross() { others_->End(); }

std::unique_ptr<Backend> KernelsAcross::Over(std::unique_ptr<Backend> backend) {
  if (dynamic_cast<WatchingBackend*>(backend.get()) != nullptr) return std::make_unique<OverWatchingBackend>(others_, std::move(backend));
  return std::make_unique<OverBackend>(others_, std::move(backend));
}

std::vector<ProcessFigures> KernelsAcross::Figures(int64_t live_bytes) {
  std::vector<ProcessFigures> all(others_->count());
  all[0].kernels = others_->ran_here.load();
  all[0].value_bytes = std::max<int64_t>(0, live_bytes - others_->away_bytes.load());
  for (int p = 1; p < others_->count(); ++p) {
    const auto turn = others_->Turn();
    const absl::StatusOr<std::string> answer = others_->Ask(p, WireWriter().Put(KernelMessage::kFigures).Take(), nullptr, 0);
    all[p].status = answer.status();
    if (!answer.ok()) continue;
    WireReader in(*answer);
    in.Get<KernelMessage>();
    all[p].kernels = in.Get<int64_t>();
    all[p].value_bytes = in.Get<int64_t>();
  }
  return all;
}

}  // namespace hloscope
