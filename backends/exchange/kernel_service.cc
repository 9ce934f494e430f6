#include "backends/exchange/kernel_service.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "backends/exchange/kernel_messages.h"
#include "core/exec/fault_guard.h"
#include "core/exec/watch.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"

namespace hloscope {

Shape ShapeTexts::Get(WireReader& in) {
  const std::string text = in.Text();
  const auto [entry, fresh] = known_.try_emplace(text);
  if (fresh) {
    absl::StatusOr<Shape> shape = ParseShape(text);
    if (shape.ok()) entry->second = *std::move(shape);
  }
  return entry->second;
}

namespace {

constexpr int64_t kComesAlong = 4096;  // bytes: results up to this size are sent at once, as they may well be asked for

class Service {
 public:
  Service(ProcessLink& link, Backend& backend, const Fill& fill) : link_(link), backend_(backend), watching_(dynamic_cast<WatchingBackend*>(&backend)), fill_(fill) {}

  bool Serve() {
    link_.Listen([this](int from, std::string message, ProcessLink::Arrays) {
      if (from != 0) return;
      std::lock_guard<std::mutex> lock(mutex_);
      if (!message.empty() && static_cast<KernelMessage>(message[0]) == KernelMessage::kCancel) {
        WireReader in(message);
        in.Get<KernelMessage>();
        cancelled_ = in.Get<uint64_t>();
        if (cancelled_ == running_) cancel_.store(true);
        return;
      }
      messages_.push_back(std::move(message));
      changed_.notify_all();
    });
    link_.Send(0, WireWriter().Put(KernelMessage::kReady).Take());
    while (true) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return !messages_.empty(); });
      const std::string message = std::move(messages_.front());
      messages_.pop_front();
      lock.unlock();
      if (Obey(message)) continue;
      link_.Listen(nullptr);
      return !message.empty() && static_cast<KernelMessage>(message[0]) == KernelMessage::kEnd && messages_.empty();
    }
  }

 private:
  struct Made {
    uint64_t program = 0;
    const Computation* computation = nullptr;
    Region region;
    std::shared_ptr<const Kernel> kernel;
  };

  bool Obey(const std::string& message) {
    WireReader in(message);
    switch (in.Get<KernelMessage>()) {
      case KernelMessage::kProgram: ReadProgram(in); return true;
      case KernelMessage::kKernel: ReadKernel(in); return true;
      case KernelMessage::kForget:
        for (int64_t k = 0, n = in.Get<int64_t>(); k < n && in.ok(); ++k) kernels_.erase(in.Get<uint64_t>());
        for (int64_t k = 0, n = in.Get<int64_t>(); k < n && in.ok(); ++k) programs_.erase(in.Get<uint64_t>());
        for (int64_t k = 0, n = in.Get<int64_t>(); k < n && in.ok(); ++k) values_.erase(in.Get<uint64_t>());
        return true;
      case KernelMessage::kRun: Run(in); return true;
      case KernelMessage::kFetch: {
        const auto value = values_.find(in.Get<uint64_t>());
        WireWriter out;
        out.Put(KernelMessage::kFetched);
        if (value != values_.end()) out.Bytes(value->second.physical_data(), value->second.buffer()->size());
        link_.Send(0, out.Take());
        return true;
      }
      case KernelMessage::kFigures: link_.Send(0, WireWriter().Put(KernelMessage::kHaveFigures).Put(ran_).Put(account_.live()).Take()); return true;
      default: return false;  // kEnd, or the first process has left before it began
    }
  }

  void ReadProgram(WireReader& in) {
    const uint64_t number = in.Get<uint64_t>();
    DiagnosticSink sink;
    std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("program", in.Text()), sink);
    Verify(*module, sink);
    if (sink.error_count() == 0) programs_[number] = std::move(module);
  }

  void ReadKernel(WireReader& in) {
    Made& made = kernels_[in.Get<uint64_t>()];
    made.program = in.Get<uint64_t>();
    const int id = in.Get<int>();
    made.region.root = in.Get<int>();
    for (int64_t k = 0, n = in.Get<int64_t>(); k < n && in.ok(); ++k) made.region.members.push_back(in.Get<int>());
    for (int64_t k = 0, n = in.Get<int64_t>(); k < n && in.ok(); ++k) made.region.inputs.push_back(in.Get<int>());
    const auto program = programs_.find(made.program);
    if (program == programs_.end() || id < 0 || id >= static_cast<int>(program->second->computations.size())) return;
    const Computation& computation = *program->second->computations[id];
    if (made.region.root < static_cast<int>(computation.schedule.size())) made.computation = &computation;
  }

  absl::StatusOr<const Kernel*> KernelOf(Made& made) {
    if (made.kernel != nullptr) return made.kernel.get();
    if (made.computation == nullptr) return absl::InternalError("this process does not know the program");
    for (int member : made.region.members) {
      const Instruction& i = *made.computation->schedule[member];
      if (i.literal == nullptr || i.literal->value.has_value()) continue;
      if (absl::Status filled = FillElidedConstant(i, fill_, nullptr); !filled.ok()) return filled;
    }
    absl::StatusOr<std::shared_ptr<const Kernel>> kernel = backend_.GetKernel(*made.computation, made.region);
    if (!kernel.ok()) return kernel.status();
    made.kernel = *std::move(kernel);
    return made.kernel.get();
  }

  // `arrays`: those that stay known by their handle. What may be written over is held by nobody else then.
  Value GetInput(WireReader& in, std::vector<const Buffer*>& arrays) {
    const ValueForm form = in.Get<ValueForm>();
    if (form == ValueForm::kToken) return Value::Token();
    if (form == ValueForm::kNone) return Value();
    const Shape shape = shapes_.Get(in);
    if (form == ValueForm::kTuple) {
      std::vector<Value> elements;
      for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) elements.push_back(GetInput(in, arrays));
      return Value::Tuple(shape, std::move(elements));
    }
    const uint64_t handle = in.Get<uint64_t>();
    Value value;
    bool stays = handle != 0;
    if (form == ValueForm::kHere) {
      const absl::string_view bytes = in.Bytes();
      value = Value::AllocateInLayout(shape, &account_);
      if (value.has_value() && static_cast<int64_t>(bytes.size()) == value.buffer()->size()) std::memcpy(value.mutable_physical_data(), bytes.data(), bytes.size());
      if (handle != 0) values_[handle] = value;
    } else {
      const bool given = in.Get<bool>();
      stays = !given;
      const auto at = values_.find(handle);
      if (at != values_.end()) {
        value = given ? std::move(at->second) : at->second;
        if (given) values_.erase(at);
        value = std::move(value).PhysicalAs(shape);
      }
    }
    arrays.push_back(stays ? value.buffer() : nullptr);
    return value;
  }

  void PutResult(WireWriter& out, const Value& value, const std::vector<const Buffer*>& arrays) {
    if (!value.has_value()) {
      out.Put(ValueForm::kNone);
      return;
    }
    const Shape& shape = value.shape();
    if (!shape.IsTuple() && !shape.IsArray()) {
      out.Put(ValueForm::kToken);
      return;
    }
    if (shape.IsTuple()) {
      ShapeTexts::Put(out.Put(ValueForm::kTuple), shape);
      for (const Value& element : value.elements()) PutResult(out, element, arrays);
      return;
    }
    for (size_t k = 0; k < arrays.size(); ++k) {
      if (arrays[k] == nullptr || arrays[k] != value.buffer()) continue;
      ShapeTexts::Put(out.Put(ValueForm::kInput), shape);
      out.Put(static_cast<int32_t>(k));
      return;
    }
    const uint64_t handle = next_ += 2;
    values_[handle] = value;
    const bool here = value.buffer()->size() <= kComesAlong;
    ShapeTexts::Put(out.Put(here ? ValueForm::kHere : ValueForm::kThere), shape);
    out.Put(handle);
    if (here) out.Bytes(value.physical_data(), value.buffer()->size());
    else out.Put(value.buffer()->size());
  }

  void Run(WireReader& in) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      running_ = in.Get<uint64_t>();
      cancel_.store(cancelled_ == running_);
    }
    const auto made = kernels_.find(in.Get<uint64_t>());
    RunContext context;
    context.account = &account_;
    context.cancel = &cancel_;
    context.stream_seed = in.Get<uint64_t>();
    const Watch watch = in.Get<Watch>();
    std::vector<Value> inputs;
    std::vector<const Buffer*> arrays;
    for (int64_t k = 0, n = in.Get<int64_t>(); k < n && in.ok(); ++k) inputs.push_back(GetInput(in, arrays));
    absl::StatusOr<Value> result = absl::InternalError("a message to this process cannot be read");
    WatchingBackend::Seen seen;
    if (in.ok() && made != kernels_.end()) {
      const absl::StatusOr<const Kernel*> kernel = KernelOf(made->second);
      if (kernel.ok()) {
        if (watching_ != nullptr) watching_->SetWatch(watch);
        const absl::Status fault = RunGuarded([&] { result = (*kernel)->Run(context, std::move(inputs)); });
        if (!fault.ok()) result = fault;
        if (watching_ != nullptr) seen = watching_->TakeSeen();
        ++ran_;
      } else {
        result = kernel.status();
      }
    }
    WireWriter out;
    out.Put(KernelMessage::kRan).Status(result.status()).Put(seen.watched).Put(seen.found);
    if (result.ok()) PutResult(out, *result, arrays);
    link_.Send(0, out.Take());
  }

  ProcessLink& link_;
  Backend& backend_;
  WatchingBackend* const watching_;
  const Fill fill_;
  MemoryAccount account_;
  ShapeTexts shapes_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Module>> programs_;
  absl::flat_hash_map<uint64_t, Made> kernels_;
  absl::flat_hash_map<uint64_t, Value> values_;
  uint64_t next_ = 0;  // even; those that the first process chooses are odd
  int64_t ran_ = 0;
  std::atomic<bool> cancel_{false};
  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  std::deque<std::string> messages_;
  uint64_t running_ = 0, cancelled_ = 0;
};

}  // namespace

bool ServeKernels(ProcessLink& link, Backend& backend, const Fill& fill) { return Service(link, backend, fill).Serve(); }

}  // namespace hloscope
