#include "backends/exchange/process_link.h"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

std::string LibraryPath() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  std::string text = size > 0 ? std::string(path, static_cast<size_t>(size)) : "";
  return absl::StrCat(text.substr(0, text.rfind('/') + 1), "libhloscope_mpi.so");
}

}  // namespace

absl::StatusOr<std::unique_ptr<ProcessLink>> ProcessLink::OpenMpi() {
  const std::string path = LibraryPath();
  if (access(path.c_str(), R_OK) != 0)
    return absl::NotFoundError(absl::StrCat("there is no ", path,
                                            ", which comes with the program: this build found no MPI (Debian's libopenmpi-dev; install it "
                                            "and build again), or the program was moved without it"));
  // What MPI itself loads finds its symbols.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return absl::UnavailableError(absl::StrCat("MPI cannot be loaded: ", dlerror()));
  const auto symbol = reinterpret_cast<const HloscopeMpi* (*)()>(dlsym(library, "hloscope_mpi"));
  if (symbol == nullptr) return absl::UnavailableError(absl::StrCat(path, " is not the program's library for MPI"));
  std::unique_ptr<ProcessLink> link(new ProcessLink());
  link->mpi_ = symbol();
  link->thread_ = std::thread([l = link.get()] { l->Serve(); });
  std::unique_lock<std::mutex> lock(link->mutex_);
  link->changed_.wait(lock, [&] { return link->open_ || !link->opened_.ok(); });
  if (link->opened_.ok()) return link;
  const absl::Status why = link->opened_;
  lock.unlock();
  return why;
}

ProcessLink::~ProcessLink() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ProcessLink::Send(int to, std::string message, std::vector<Value> arrays) {
  const int64_t count = static_cast<int64_t>(arrays.size());
  message.append(reinterpret_cast<const char*>(&count), sizeof(count));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    outgoing_.push_back({to, std::move(message), std::move(arrays)});
  }
  changed_.notify_all();
}

void ProcessLink::Post(std::function<void()> work) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    work_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void ProcessLink::Listen(std::function<void(int from, std::string message, Arrays arrays)> on_message, MemoryAccount* account) {
  std::lock_guard<std::mutex> told(listening_);  // nobody is told any more when this returns
  std::lock_guard<std::mutex> lock(mutex_);
  on_message_ = std::move(on_message);
  account_ = account;
}

bool ProcessLink::Receive() {
  std::lock_guard<std::mutex> told(listening_);
  std::function<void(int, std::string, Arrays)> listener;
  MemoryAccount* account;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    listener = on_message_;
    account = account_;
  }
  if (!listener) return false;
  int from = 0;
  const long long bytes = mpi_->probe(&from);
  if (bytes < 0) return false;
  Coming& coming = coming_[from];
  if (coming.wanted > 0) {
    std::shared_ptr<Buffer> array = Buffer::Allocate(bytes, account);
    if (array == nullptr) {
      std::fprintf(stderr, "hloscope: no memory for %lld bytes that process %d sends\n", bytes, from);
      std::exit(1);
    }
    mpi_->receive(from, array->mutable_data(), bytes);
    coming.arrays.push_back(std::move(array));
    --coming.wanted;
  } else {
    coming.message.assign(static_cast<size_t>(bytes), '\0');
    mpi_->receive(from, coming.message.data(), bytes);
    const size_t text = coming.message.size() - sizeof(coming.wanted);
    std::memcpy(&coming.wanted, coming.message.data() + text, sizeof(coming.wanted));
    coming.message.resize(text);
  }
  if (coming.wanted == 0) listener(from, std::move(coming.message), std::exchange(coming.arrays, {}));
  return true;
}

void ProcessLink::Clean() {
  while (!sending_.empty() && mpi_->sent(sending_.front().handle) != 0) sending_.pop_front();
}

// MPI has no way to wait for a message and for work of this process at once: it is asked again after a while, which grows as nothing comes for
// longer than an answer takes.
void ProcessLink::Serve() {
  char why[256] = {};
  const bool opened = mpi_->open(&rank_, &count_, why, sizeof(why)) == 0;
  std::unique_lock<std::mutex> lock(mutex_);
  open_ = opened;
  coming_.resize(opened ? count_ : 0);
  if (!opened) opened_ = absl::UnavailableError(why);
  changed_.notify_all();
  if (!opened) return;
  constexpr std::chrono::microseconds kShortest(20), kLongest(1000), kAnswer(5000);
  std::chrono::microseconds pause = kShortest;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
  while (true) {
    bool busy = !outgoing_.empty() || !work_.empty();
    std::deque<Outgoing> outgoing = std::exchange(outgoing_, {});
    std::deque<std::function<void()>> work = std::exchange(work_, {});
    const bool closing = closing_;
    lock.unlock();
    for (Outgoing& each : outgoing) {
      sending_.push_back({std::make_unique<std::string>(std::move(each.message)), Value(), nullptr});
      sending_.back().handle = mpi_->send(each.to, sending_.back().message->data(), static_cast<long long>(sending_.back().message->size()));
      for (Value& array : each.arrays) {
        sending_.push_back({nullptr, std::move(array), nullptr});
        sending_.back().handle = mpi_->send(each.to, sending_.back().array.data(), sending_.back().array.byte_size());
      }
    }
    for (const std::function<void()>& each : work) each();
    while (Receive()) busy = true;
    Clean();
    if (closing && !busy && sending_.empty()) break;
    // A large message goes in pieces, each of which wants this side's help: while one is on its way there is no pause.
    if (!sending_.empty()) std::this_thread::yield();
    lock.lock();
    if (!sending_.empty()) continue;
    const std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
    if (busy) last = now;
    pause = now - last < kAnswer ? kShortest : std::min(2 * pause, kLongest);
    changed_.wait_for(lock, pause, [&] { return !outgoing_.empty() || !work_.empty(); });
  }
  mpi_->close();
}

}  // namespace hloscope
