// The file is only ever appended to; its space is used again from the beginning when nothing in it is waiting any more.
#include "core/debug/spill.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/literal/relayout.h"

namespace hloscope {

Spill::~Spill() {
  if (file_ != nullptr) std::fclose(file_);
}

absl::Status Spill::Put(uint64_t key, const Value& value) {
  if (const auto old = waiting_.find(key); old != waiting_.end()) {
    if (old->second.offset < 0) bytes_ -= old->second.value.byte_size();
    waiting_.erase(old);
  }
  Entry entry;
  const int64_t size = value.byte_size();
  if (bytes_ == 0 || bytes_ + size <= limit_) {  // a single one may be of any size: whoever made it holds it, too
    entry.value = value;
    bytes_ += size;
    waiting_.emplace(key, std::move(entry));
    return absl::OkStatus();
  }
  if (file_ == nullptr) file_ = std::tmpfile();
  if (file_ == nullptr) return absl::UnavailableError(absl::StrCat("no temporary file for values that wait to be compared: ", std::strerror(errno)));
  entry.offset = end_;
  const Value dense = ToDense(value);
  entry.shape = dense.shape();
  if (fseeko(file_, end_, SEEK_SET) != 0) return absl::UnavailableError("the temporary file cannot be positioned");
  absl::Status written = Write(dense);
  if (!written.ok()) return written;
  end_ += dense.byte_size();
  spilled_ += dense.byte_size();
  waiting_.emplace(key, std::move(entry));
  return absl::OkStatus();
}

absl::Status Spill::Write(const Value& value) {
  if (value.shape().IsTuple()) {
    for (const Value& element : value.elements()) {
      absl::Status status = Write(element);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (!value.shape().IsArray()) return absl::OkStatus();
  const size_t size = static_cast<size_t>(value.byte_size());
  if (std::fwrite(value.data(), 1, size, file_) != size) return absl::UnavailableError(absl::StrCat("cannot write the temporary file: ", std::strerror(errno)));
  return absl::OkStatus();
}

absl::StatusOr<Value> Spill::Read(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      absl::StatusOr<Value> value = Read(element);
      if (!value.ok()) return value;
      elements.push_back(*std::move(value));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  if (!shape.IsArray()) return Value::Token();
  Value value = Value::Allocate(shape);
  if (!value.has_value()) return absl::ResourceExhaustedError("no memory for a value that waited to be compared");
  const size_t size = static_cast<size_t>(value.byte_size());
  if (std::fread(value.mutable_data(), 1, size, file_) != size) return absl::UnavailableError("the temporary file cannot be read back");
  return value;
}

absl::StatusOr<Value> Spill::Take(uint64_t key) {
  const auto found = waiting_.find(key);
  if (found == waiting_.end()) return absl::NotFoundError("nothing waits there");
  Entry entry = std::move(found->second);
  waiting_.erase(found);
  absl::StatusOr<Value> value = entry.value;
  if (entry.offset < 0) {
    bytes_ -= entry.value.byte_size();
  } else {
    if (fseeko(file_, entry.offset, SEEK_SET) != 0) return absl::UnavailableError("the temporary file cannot be positioned");
    value = Read(entry.shape);
  }
  if (waiting_.empty()) end_ = 0;
  return value;
}

}  // namespace hloscope
