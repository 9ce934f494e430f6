// Messages between the processes of a run: any number of bytes, from one to another, in order. A thread of its own sends and receives, so nobody
// waits for a message by waiting in here. Not for what the messages say (across.h).
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

#include "absl/status/statusor.h"
#include "backends/exchange/mpi/abi.h"

namespace hloscope {

class ProcessLink {
 public:
  // Through MPI, with the library beside the program. NotFound: this build has none; Unavailable: MPI does not start.
  static absl::StatusOr<std::unique_ptr<ProcessLink>> OpenMpi();
  // Sends what is left, and waits until the other processes close too.
  ~ProcessLink();

  int rank() const { return rank_; }
  int count() const { return count_; }
  void Send(int to, std::string message);
  // Called on the link's thread with each message that comes from now on; null: messages wait.
  void Listen(std::function<void(int from, std::string message)> on_message);
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
  std::deque<std::pair<int, std::string>> outgoing_;
  std::deque<std::function<void()>> work_;
  std::function<void(int, std::string)> on_message_;
  std::mutex listening_;  // held while a message is told of
  // Of the thread.
  struct Sending {
    std::unique_ptr<std::string> message;
    void* handle;
  };
  std::deque<Sending> sending_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_PROCESS_LINK_H_
