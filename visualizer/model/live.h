// A question that a panel keeps asking the session: the last answer is there at once, a new one comes when the key has changed.
// Put in the key what the answer depends on, usually with now.moment_generation. A panel that is not drawn asks nothing.
#ifndef HLOSCOPE_VISUALIZER_MODEL_LIVE_H_
#define HLOSCOPE_VISUALIZER_MODEL_LIVE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "visualizer/model/engine.h"

namespace hloscope {

template <typename T>
class Live {
 public:
  // The newest answer, perhaps to an older key (see fresh()); null before the first one, and when the newest answer is an error.
  std::shared_ptr<const T> Get(Engine& engine, absl::string_view key, std::function<absl::StatusOr<T>(Session::State&)> make) {
    std::lock_guard<std::mutex> lock(slot_->mutex);
    if (slot_->asked != key) {
      slot_->asked = std::string(key);
      std::weak_ptr<Slot> weak = slot_;
      engine.Ask(absl::StrCat("live:", reinterpret_cast<uintptr_t>(slot_.get())), [weak, wanted = std::string(key), make = std::move(make)](Session::State& s) {
        const std::shared_ptr<Slot> slot = weak.lock();
        if (slot == nullptr) return;
        {
          std::lock_guard<std::mutex> lock(slot->mutex);
          if (slot->asked != wanted) return;  // asked anew meanwhile
        }
        absl::StatusOr<T> answer = make(s);
        std::lock_guard<std::mutex> lock(slot->mutex);
        slot->answered = wanted;
        slot->status = answer.status();
        slot->value = answer.ok() ? std::make_shared<const T>(*std::move(answer)) : nullptr;
      });
    }
    fresh_ = slot_->asked == slot_->answered;
    status_ = slot_->status;
    return slot_->value;
  }
  // Of what Get has returned last, though a newer answer may have come in the moment since: it is to the key that was asked then.
  bool fresh() const { return fresh_; }
  const absl::Status& status() const { return status_; }
  void Forget() {
    slot_ = std::make_shared<Slot>();
    fresh_ = true;
    status_ = absl::OkStatus();
  }

 private:
  struct Slot {
    std::mutex mutex;
    std::string asked, answered;
    absl::Status status = absl::OkStatus();
    std::shared_ptr<const T> value;
  };
  std::shared_ptr<Slot> slot_ = std::make_shared<Slot>();
  bool fresh_ = true;  // nothing is asked
  absl::Status status_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_LIVE_H_
