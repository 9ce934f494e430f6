// Messages between the processes of a run: any number of bytes, and arrays beside them that are copied nowhere on their way, from one to another, in
// order. A thread of its own sends and receives, so nobody waits for a message by waiting in here. Not for what the messages say (across.h).
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_PROCESS_LINK_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_PROCESS_LINK_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/exchange/mpi/abi.h"
#include "core/literal/value.h"

namespace hloscope {

class ProcessLink {
 public:
  // Through MPI, with the library beside the program. NotFound: this build has none; Unavailable: MPI does not start.
  static absl::StatusOr<std::unique_ptr<ProcessLink>> OpenMpi();
  // Sends what is left, and waits until the other processes close too.
  ~ProcessLink();

  int rank() const { return rank_; }
  int count() const { return count_; }
  // `arrays`: dense ones, whose bytes go too.
  void Send(int to, std::string message, std::vector<Value> arrays = {});
  using Arrays = std::vector<std::shared_ptr<Buffer>>;
  // Called on the link's thread with each message that comes from now on, and the bytes of its arrays; null: messages wait. `account`: where those
  // are booked.
  void Listen(std::function<void(int from, std::string message, Arrays arrays)> on_message, MemoryAccount* account = nullptr);
  // Calls it on the link's thread, soon.
  void Post(std::function<void()> work);

 private:
  ProcessLink() = default;
  void Serve();
  bool Receive();
  void Clean();

  const HloscopeMpi* mpi_ = nullptr;
  int rank_ = 0, count_ = 1;
  std::thread thread_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool open_ = false, closing_ = false;
  absl::Status opened_;
  struct Outgoing {
    int to;
    std::string message;
    std::vector<Value> arrays;
  };
  std::deque<Outgoing> outgoing_;
  std::deque<std::function<void()>> work_;
  std::function<void(int, std::string, Arrays)> on_message_;
  MemoryAccount* account_ = nullptr;
  std::mutex listening_;  // held while a message is told of
  // Of the thread.
  struct Sending {
    std::unique_ptr<std::string> message;
    Value array;  // instead
    void* handle;
  };
  std::deque<Sending> sending_;
  struct Coming {
    std::string message;
    int64_t wanted = 0;  // arrays that are still to come
    Arrays arrays;
  };
  std::vector<Coming> coming_;  // by process
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_PROCESS_LINK_H_
