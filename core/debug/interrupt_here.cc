#include "core/debug/interrupt_here.h"

namespace hloscope {

InterruptHere::InterruptHere(Session::State* around, std::atomic<bool>& flag) : around_(around) {
  if (around_ == nullptr) return;
  inner_before_ = around_->inner.exchange(nullptr);
  flag_before_ = around_->interrupt.exchange(&flag);
  if (around_->interrupted.load()) flag.store(true);  // it came between
}

InterruptHere::InterruptHere(Session::State* around, Session& inner) : around_(around) {
  if (around_ == nullptr) return;
  flag_before_ = around_->interrupt.exchange(nullptr);
  inner_before_ = around_->inner.exchange(&inner);
  if (around_->interrupted.load()) inner.Interrupt();
}

InterruptHere::~InterruptHere() {
  if (around_ == nullptr) return;
  around_->interrupt.store(flag_before_);
  around_->inner.store(inner_before_);
}

}  // namespace hloscope
