// A value kept on the heap, copied and compared like the value itself: what is large and rare costs the others around it a pointer.
#ifndef HLOSCOPE_CORE_BASE_BOXED_H_
#define HLOSCOPE_CORE_BASE_BOXED_H_

#include <memory>
#include <utility>

namespace hloscope {

template <typename T>
class Boxed {
 public:
  Boxed() : value_(std::make_unique<T>()) {}
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: a Boxed is meant to be made of its value
  Boxed(const Boxed& other) : value_(std::make_unique<T>(*other)) {}
  Boxed& operator=(const Boxed& other) {
    value_ = std::make_unique<T>(*other);
    return *this;
  }
  Boxed(Boxed&&) noexcept = default;  // what was moved from may only be assigned to or destroyed
  Boxed& operator=(Boxed&&) noexcept = default;

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  friend bool operator==(const Boxed& a, const Boxed& b) { return *a == *b; }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_BOXED_H_
