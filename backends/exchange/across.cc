#include "backends/exchange/across.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/exchange/wire.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

enum class Message : uint8_t {
  kBegin,  // a process begins a run: its id
  kCall,   // a device brings operands to an exchange
  kGiven,  // what the exchange gives to it, or why it cannot be
  kEnd,    // a device has ended
  kLeave,  // a process has ended without running: why
  kOver,   // the run is over: AcrossProcesses::finished, everyone, and which is the first device that waits for ever, and why
};

void PutInstruction(WireWriter& out, const Instruction* i) {
  out.Put(i == nullptr ? -1 : i->parent->id).Put(i == nullptr ? 0 : i->index);
}

const Instruction* GetInstruction(WireReader& in, const Module& program) {
  const auto id = in.Get<decltype(Computation::id)>();
  const auto index = in.Get<decltype(Instruction::index)>();
  for (const Computation* computation : program.computations) {
    if (computation->id == id && index >= 0 && index < static_cast<int>(computation->schedule.size())) return computation->schedule[index];
  }
  return nullptr;
}

void PutLoops(WireWriter& out, const std::vector<LoopPlace>& loops) {
  out.Put(static_cast<int64_t>(loops.size()));
  for (const LoopPlace& loop : loops) {
    PutInstruction(out, loop.loop);
    out.Put(loop.iteration).Put(loop.condition);
  }
}

std::vector<LoopPlace> GetLoops(WireReader& in, const Module& program) {
  std::vector<LoopPlace> loops;
  for (int64_t k = 0, n = in.Get<int64_t>(); k < n && in.ok(); ++k) {
    LoopPlace loop;
    loop.loop = GetInstruction(in, program);
    loop.iteration = in.Get<int64_t>();
    loop.condition = in.Get<bool>();
    if (loop.loop != nullptr) loops.push_back(loop);
  }
  return loops;
}

}  // namespace

class AcrossProcesses::Port : public ExchangePort {
 public:
  Port(AcrossProcesses& all, int number) : all_(all), number_(number) {}
  Device device() const override { return all_.room_.port(number_).device(); }
  absl::StatusOr<std::optional<Value>> Exchange(const ExchangeCall& call) override { return all_.Exchange(number_, call); }
  double making() const override { return all_.first() ? all_.room_.port(number_).making() : all_.making_[number_]; }

 private:
  AcrossProcesses& all_;
  const int number_;
};

AcrossProcesses::AcrossProcesses(ProcessLink& link, int64_t replicas, int64_t partitions, const Module& program, uint64_t id, Backend& backend, MemoryAccount* account)
    : link_(link), device_count_(static_cast<int>(replicas * partitions)), program_(program), id_(id), account_(account),
      room_(replicas, partitions, std::vector<const Computation*>(replicas * partitions, program.entry), backend, account) {
  for (int d = 0; d < device_count_; ++d) ports_.push_back(std::make_unique<Port>(*this, d));
  // The room's lock is held here: devices of other processes are answered later, on the link's thread.
  room_.set_wake([this](int device) {
    if (!IsHere(device)) {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        ++in_hand_;
      }
      link_.Post([this, device] { Answer(device); });
      return;
    }
    wake_(device);
    std::lock_guard<std::mutex> lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  });
}

AcrossProcesses::~AcrossProcesses() { link_.Listen(nullptr); }

ExchangePort& AcrossProcesses::port(int device) { return *ports_[device]; }

void AcrossProcesses::Begin() {
  link_.Listen(nullptr);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    woken_ = over_ = finished_ = false;
    in_hand_ = 0;
    stuck_ = {};
    remote_.assign(device_count_, {});
    ends_.assign(device_count_, {});
    given_.assign(device_count_, std::nullopt);
    asked_.assign(device_count_, false);
    making_.assign(device_count_, 0);
    given_making_.assign(device_count_, 0);
  }
  if (first()) room_.Reset();
  if (!first()) link_.Send(0, WireWriter().Put(Message::kBegin).Put(id_).Take());
  link_.Listen([this](int from, const std::string& message, ProcessLink::Arrays arrays) { OnMessage(from, message, std::move(arrays)); }, account_);
}

// ---- A device's call ----

absl::StatusOr<std::optional<Value>> AcrossProcesses::Exchange(int device, const ExchangeCall& call) {
  if (first()) return room_.port(device).Exchange(call);
  std::unique_lock<std::mutex> lock(mutex_);
  if (given_[device].has_value()) {
    absl::StatusOr<Value> given = *std::move(given_[device]);
    given_[device].reset();
    making_[device] = given_making_[device];
    asked_[device] = false;
    if (!given.ok()) return given.status();
    return std::optional<Value>(*std::move(given));
  }
  if (asked_[device]) return std::optional<Value>();
  asked_[device] = call.phase != ExchangePhase::kBegin;
  lock.unlock();
  WireWriter out;
  out.Put(Message::kCall).Put(device);
  PutInstruction(out, &call.instruction);
  PutLoops(out, call.loops);
  out.Put(call.key).Put(call.phase);
  PutInstruction(out, call.reader);
  PutInstruction(out, call.within);
  out.Put(executed_(device));
  out.Put(std::vector<Value>(call.operands.begin(), call.operands.end()));
  link_.Send(0, out.Take(), out.TakeArrays());
  return std::optional<Value>();
}

// On the first process, for a device of another one.
void AcrossProcesses::OnCall(WireReader& in) {
  const int device = in.Get<int>();
  if (device < 0 || device >= device_count_ || remote_[device].state == State::kEnded) return;  // of a process that was let go
  Remote& remote = remote_[device];
  remote.instruction = GetInstruction(in, program_);
  remote.loops = GetLoops(in, program_);
  remote.key = in.Get<uint64_t>();
  remote.phase = in.Get<ExchangePhase>();
  remote.reader = GetInstruction(in, program_);
  remote.within = GetInstruction(in, program_);
  remote.executed = in.Get<int64_t>();
  remote.operands = in.Values(account_);
  if (remote.instruction == nullptr || !in.ok()) return LetGo(ProcessOf(device), absl::DataLossError("a message of it cannot be read"));
  if (remote.phase == ExchangePhase::kBegin) {  // the device goes on
    absl::StatusOr<std::optional<Value>> made = CallRoom(device);
    if (!made.ok()) remote.given.insert_or_assign(remote.key, made.status());
    else if (made->has_value()) remote.given.insert_or_assign(remote.key, **std::move(made));
    remote.operands.clear();
    return;
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    remote.state = State::kWaits;
    ++in_hand_;
  }
  Answer(device);
}

absl::StatusOr<std::optional<Value>> AcrossProcesses::CallRoom(int device) {
  const Remote& remote = remote_[device];
  return room_.port(device).Exchange({*remote.instruction, remote.operands, remote.loops, remote.key, Mark(), remote.phase, remote.reader, remote.within});
}

void AcrossProcesses::Answer(int device) {
  Remote& remote = remote_[device];
  absl::StatusOr<std::optional<Value>> made = std::optional<Value>();
  if (remote.state == State::kWaits) {
    const auto given = remote.given.find(remote.key);
    if (remote.phase == ExchangePhase::kFinish && given != remote.given.end()) {
      made = given->second.ok() ? absl::StatusOr<std::optional<Value>>(*given->second) : given->second.status();
      remote.given.erase(given);
    } else {
      made = CallRoom(device);
    }
  }
  if (!made.ok() || made->has_value()) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      remote.state = State::kRuns;
    }
    remote.operands.clear();
    WireWriter out;
    out.Put(Message::kGiven).Put(device).Status(made.status());
    if (made.ok()) out.Put(room_.MakingOf(device)).Put(ToDense(**made, account_));
    link_.Send(ProcessOf(device), out.Take(), out.TakeArrays());
  }
  std::lock_guard<std::mutex> lock(mutex_);
  --in_hand_;
  changed_.notify_all();
}

// ---- The end ----

void AcrossProcesses::Ended(int device, DeviceEnd end) {
  end.ended = true;
  if (first()) {
    std::lock_guard<std::mutex> lock(mutex_);
    ends_[device] = std::move(end);
    return;
  }
  WireWriter out;
  out.Put(Message::kEnd).Put(device).Status(end.status);
  PutInstruction(out, end.at.instruction);
  PutLoops(out, end.at.loops);
  out.Put(end.result.has_value() ? ToDense(end.result, account_) : Value());
  std::vector<Value> outfeed;
  for (const Value& item : end.outfeed) outfeed.push_back(ToDense(item, account_));
  out.Put(outfeed).Put(end.executed).Put(end.peak_bytes).Put(static_cast<int64_t>(end.notices.size()));
  for (const std::string& notice : end.notices) out.Text(notice);
  out.Text(end.report);
  link_.Send(0, out.Take(), out.TakeArrays());
}

void AcrossProcesses::OnEnd(WireReader& in) {
  const int device = in.Get<int>();
  if (device < 0 || device >= device_count_ || remote_[device].state == State::kEnded) return;
  DeviceEnd end;
  end.ended = true;
  end.status = in.Status();
  end.at.instruction = GetInstruction(in, program_);
  end.at.loops = GetLoops(in, program_);
  end.result = in.GetValue(account_);
  end.outfeed = in.Values(account_);
  end.executed = in.Get<int64_t>();
  end.peak_bytes = in.Get<int64_t>();
  for (int64_t k = 0, n = in.Get<int64_t>(); k < n && in.ok(); ++k) end.notices.push_back(in.Text());
  end.report = in.Text();
  std::lock_guard<std::mutex> lock(mutex_);
  remote_[device].state = State::kEnded;
  ends_[device] = std::move(end);
  changed_.notify_all();
}

// Its devices will do nothing any more.
void AcrossProcesses::LetGo(int process, const absl::Status& why) {
  std::lock_guard<std::mutex> lock(mutex_);
  everyone_ = false;
  for (int d = 0; d < device_count_; ++d) {
    if (ProcessOf(d) != process || remote_[d].state == State::kEnded) continue;
    remote_[d].state = State::kEnded;
    ends_[d].ended = true;
    ends_[d].status = absl::Status(why.code(), absl::StrCat("process ", process, " of ", link_.count(), " has left the run: ", why.message()));
  }
  changed_.notify_all();
}

void AcrossProcesses::OnMessage(int from, const std::string& message, ProcessLink::Arrays arrays) {
  WireReader in(message, &arrays);
  switch (in.Get<Message>()) {
    case Message::kBegin:
      if (in.Get<uint64_t>() != id_)
        LetGo(from, absl::FailedPreconditionError("it has another program, another number of replicas or partitions, or other options"));
      return;
    case Message::kCall: return OnCall(in);
    case Message::kEnd: return OnEnd(in);
    case Message::kLeave:
      if (first()) return LetGo(from, absl::UnavailableError(in.Text()));
      [[fallthrough]];
    case Message::kOver: {
      std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
      left_ |= static_cast<Message>(message[0]) == Message::kLeave;
      finished_ = !left_ && in.Get<bool>();
      everyone_ = !left_ && in.Get<bool>();
      if (!left_) {
        stuck_.device = in.Get<int>();
        stuck_.why = in.Text();
      }
      changed_.notify_all();
      return;
    }
    case Message::kGiven: {
      const int device = in.Get<int>();
      const absl::Status status = in.Status();
      {
        std::lock_guard<std::mutex> lock(mutex_);
        if (status.ok()) given_making_[device] = in.Get<double>();
        given_[device] = status.ok() ? absl::StatusOr<Value>(in.GetValue(account_)) : status;
      }
      wake_(device);
      std::lock_guard<std::mutex> lock(mutex_);
      woken_ = true;
      changed_.notify_all();
      return;
    }
  }
  // None of these: it was started as something else, a debugger's session say (kernel_messages.h).
  if (first()) return LetGo(from, absl::FailedPreconditionError("it does not run the program, but debugs it: start the same command in all processes"));
  std::lock_guard<std::mutex> lock(mutex_);
  over_ = true;
  everyone_ = false;
  changed_.notify_all();
}

bool AcrossProcesses::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto stands = [&] {  // on the first process: nobody anywhere can go on
    if (in_hand_ > 0) return false;
    for (int d = 0; d < device_count_; ++d) {
      if (!IsHere(d) && remote_[d].state == State::kRuns) return false;
    }
    return true;
  };
  changed_.wait(lock, [&] { return woken_ || over_ || left_ || (first() && stands()); });
  if (std::exchange(woken_, false) && !left_) return true;
  over_ = true;
  if (first()) finished_ = std::all_of(ends_.begin(), ends_.end(), [](const DeviceEnd& end) { return end.ended && end.status.ok(); });
  std::vector<bool> ended;
  for (int d = 0; d < device_count_; ++d) {
    if (first() && !ends_[d].ended) ends_[d].executed = remote_[d].executed;
    ended.push_back(ends_[d].ended);
  }
  lock.unlock();
  link_.Listen(nullptr);  // what comes from now on is of the next run
  if (!first()) return false;
  stuck_ = room_.Explain(ended);
  finished_ &= stuck_.device < 0 && !room_.TooManyAtOneEnd().has_value();
  for (int process = 1; process < link_.count(); ++process)
    link_.Send(process, WireWriter().Put(Message::kOver).Put(finished_).Put(everyone_).Put(stuck_.device).Text(stuck_.why).Take());
  return false;
}

std::string AcrossProcesses::WhyItLeft(const std::string& message) {
  WireReader in(message);
  return in.Get<Message>() == Message::kLeave ? in.Text() : "it is in another run";
}

void AcrossProcesses::Leave(ProcessLink& link, const std::string& why) {
  for (int process = 0; process < link.count(); ++process) {
    if (process == link.rank() || (link.rank() != 0 && process != 0)) continue;
    link.Send(process, WireWriter().Put(Message::kLeave).Text(why).Take());
  }
}

}  // namespace hloscope
