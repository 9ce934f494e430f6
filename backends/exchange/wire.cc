#include "backends/exchange/wire.h"

#include "core/ops/rules.h"

namespace hloscope {
namespace {

enum class Kind : uint8_t { kNone, kArray, kBeside, kTuple, kToken };

constexpr int64_t kGoesBeside = 64 << 10;  // bytes: smaller ones are sooner copied than sent for themselves

}  // namespace

WireWriter& WireWriter::Text(absl::string_view text) { return Bytes(text.data(), static_cast<int64_t>(text.size())); }

WireWriter& WireWriter::Bytes(const void* bytes, int64_t size) {
  Put(size);
  if (size > 0) bytes_.append(static_cast<const char*>(bytes), static_cast<size_t>(size));
  return *this;
}

WireWriter& WireWriter::Status(const absl::Status& status) {
  Put(static_cast<int32_t>(status.code()));
  return Text(status.message());
}

WireWriter& WireWriter::Put(const Value& value) {
  if (!value.has_value()) return Put(Kind::kNone);
  const Shape& shape = value.shape();
  if (shape.IsTuple()) {
    Put(Kind::kTuple);
    return Put(std::vector<Value>(value.elements().begin(), value.elements().end()));
  }
  if (!shape.IsArray()) return Put(Kind::kToken);
  const int64_t bytes = shape.DenseByteSize();
  const bool beside = bytes >= kGoesBeside && value.IsDense();
  Put(beside ? Kind::kBeside : Kind::kArray).Put(shape.element_type()).Put(static_cast<int32_t>(shape.rank()));
  for (int d = 0; d < shape.rank(); ++d) Put(shape.dim(d)).Put(shape.is_dynamic(d));
  Put(bytes);
  if (beside) arrays_.push_back(value);
  else if (bytes > 0) bytes_.append(reinterpret_cast<const char*>(value.data()), static_cast<size_t>(bytes));
  return *this;
}

WireWriter& WireWriter::Put(const std::vector<Value>& values) {
  Put(static_cast<int64_t>(values.size()));
  for (const Value& value : values) Put(value);
  return *this;
}

bool WireReader::Has(size_t bytes) {
  ok_ = ok_ && bytes <= bytes_.size();
  return ok_;
}

std::string WireReader::Text() { return std::string(Bytes()); }

absl::string_view WireReader::Bytes() {
  const int64_t size = Get<int64_t>();
  if (size < 0 || !Has(static_cast<size_t>(size))) return "";
  const absl::string_view bytes = bytes_.substr(0, static_cast<size_t>(size));
  bytes_.remove_prefix(static_cast<size_t>(size));
  return bytes;
}

absl::Status WireReader::Status() {
  const auto code = static_cast<absl::StatusCode>(Get<int32_t>());
  return absl::Status(code, Text());
}

Value WireReader::GetValue(MemoryAccount* account) {
  const Kind kind = Get<Kind>();
  switch (kind) {
    case Kind::kNone: return Value();
    case Kind::kToken: return Value::Token();
    case Kind::kTuple: {
      std::vector<Value> elements = Values(account);
      std::vector<Shape> shapes;
      for (const Value& element : elements) shapes.push_back(element.shape());
      return Value::Tuple(Shape::Tuple(std::move(shapes)), std::move(elements));
    }
    case Kind::kBeside:
    case Kind::kArray: {
      const ElementType type = Get<ElementType>();
      DimensionList list;
      for (int32_t d = 0, rank = Get<int32_t>(); d < rank && ok_; ++d) {
        const int64_t size = Get<int64_t>();
        list.Add(size, Get<bool>());
      }
      const int64_t bytes = Get<int64_t>();
      if (kind == Kind::kBeside) {
        ok_ = ok_ && arrays_ != nullptr && next_array_ < arrays_->size() && (*arrays_)[next_array_] != nullptr && (*arrays_)[next_array_]->size() == bytes;
        return ok_ ? Value::OfBuffer(list.Build(type), std::move((*arrays_)[next_array_++])) : Value();
      }
      if (!ok_ || bytes < 0 || !Has(static_cast<size_t>(bytes))) return Value();
      const Shape shape = list.Build(type);
      Value value = Value::FromBytes(shape, absl::MakeConstSpan(reinterpret_cast<const std::byte*>(bytes_.data()), static_cast<size_t>(bytes)), account);
      bytes_.remove_prefix(static_cast<size_t>(bytes));
      return value;
    }
  }
  ok_ = false;
  return Value();
}

std::vector<Value> WireReader::Values(MemoryAccount* account) {
  std::vector<Value> values;
  for (int64_t k = 0, n = Get<int64_t>(); k < n && ok_; ++k) values.push_back(GetValue(account));
  return values;
}

}  // namespace hloscope
