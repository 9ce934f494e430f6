#include "core/text/proto/wire.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"

namespace hloscope {
namespace {

namespace pb = google::protobuf;

constexpr int kMaxDepth = 90;  // protobuf's parser stops at 100

enum WireType { kVarint = 0, kFixed64 = 1, kLength = 2, kGroupBegin = 3, kGroupEnd = 4, kFixed32 = 5 };

int WireTypeOf(const pb::FieldDescriptor& field) {
  switch (field.type()) {
    case pb::FieldDescriptor::TYPE_DOUBLE:
    case pb::FieldDescriptor::TYPE_FIXED64:
    case pb::FieldDescriptor::TYPE_SFIXED64: return kFixed64;
    case pb::FieldDescriptor::TYPE_FLOAT:
    case pb::FieldDescriptor::TYPE_FIXED32:
    case pb::FieldDescriptor::TYPE_SFIXED32: return kFixed32;
    case pb::FieldDescriptor::TYPE_STRING:
    case pb::FieldDescriptor::TYPE_BYTES:
    case pb::FieldDescriptor::TYPE_MESSAGE: return kLength;
    default: return kVarint;
  }
}

class Walker {
 public:
  explicit Walker(absl::string_view bytes) : bytes_(bytes) {}

  WireReport Walk(const pb::Descriptor& type) {
    report_.ok = Message(0, static_cast<int64_t>(bytes_.size()), type, 0);
    if (!report_.ok) report_.path = PathText();
    return std::move(report_);
  }

 private:
  struct Step {
    const pb::FieldDescriptor* field;
    int64_t index;
  };

  bool Break(int64_t offset, std::string problem) {
    report_.offset = offset;
    report_.problem = std::move(problem);
    return false;
  }

  bool Varint(int64_t& at, int64_t end, uint64_t* value) {
    *value = 0;
    const int64_t begin = at;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at >= end) return Break(begin, "a number is cut off");
      const uint8_t byte = static_cast<uint8_t>(bytes_[at++]);
      if (shift < 64) *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return Break(begin, "a number is longer than ten bytes");
  }

  bool Message(int64_t begin, int64_t end, const pb::Descriptor& type, int depth) {
    ++report_.messages;
    if (depth > kMaxDepth) return Break(begin, "messages are nested too deeply");
    std::vector<int64_t> seen(type.field_count(), 0);
    int64_t at = begin;
    while (at < end) {
      const int64_t start = at;
      uint64_t tag;
      if (!Varint(at, end, &tag)) return false;
      const uint64_t number = tag >> 3;
      const int wire = static_cast<int>(tag & 7);
      if (number == 0 || number > 536870911) return Break(start, absl::StrCat("no field has the number ", number));
      const pb::FieldDescriptor* field = type.FindFieldByNumber(static_cast<int>(number));
      if (field != nullptr) path_.push_back({field, seen[field->index()]++});
      const int64_t value = at;
      int64_t length = 0;
      switch (wire) {
        case kVarint: {
          uint64_t ignored;
          if (!Varint(at, end, &ignored)) return false;
          break;
        }
        case kFixed64:
        case kFixed32:
          length = wire == kFixed64 ? 8 : 4;
          if (end - at < length) return Break(value, absl::StrCat("a number of ", length, " bytes begins where ", end - at, " are left"));
          at += length;
          break;
        case kLength: {
          uint64_t size;
          if (!Varint(at, end, &size)) return false;
          if (size > static_cast<uint64_t>(end - at)) {
            return Break(value, absl::StrCat("a field of ", size, " bytes begins where ", end - at, " are left"));
          }
          length = static_cast<int64_t>(size);
          break;
        }
        default: return Break(start, absl::StrCat("no field has the wire type ", wire));
      }
      if (field == nullptr) {
        if (wire == kLength) at += length;
        report_.unknown_bytes += at - start;
        continue;
      }
      const int expected = WireTypeOf(*field);
      const bool packed = wire == kLength && expected != kLength && field->is_repeated();
      if (wire != expected && !packed) return Break(start, absl::StrCat("the field has wire type ", wire, " instead of ", expected));
      if (packed && !Packed(at, at + length, expected)) return false;
      if (wire == kLength && field->name() == "name" && !Name(value, at, length)) return false;
      if (expected == kLength && field->message_type() != nullptr && !Message(at, at + length, *field->message_type(), depth + 1)) return false;
      if (wire == kLength) at += length;
      path_.pop_back();
    }
    return true;
  }

  bool Packed(int64_t begin, int64_t end, int wire) {
    if (wire != kVarint) {
      const int64_t size = wire == kFixed64 ? 8 : 4;
      if ((end - begin) % size == 0) return true;
      return Break(begin, absl::StrCat("a list of numbers of ", size, " bytes has ", end - begin, " bytes"));
    }
    uint64_t ignored;
    while (begin < end) {
      if (!Varint(begin, end, &ignored)) return false;
    }
    return true;
  }

  // What tells a name from a message.
  bool Name(int64_t field, int64_t begin, int64_t length) {
    for (int64_t i = begin; i < begin + length; ++i) {
      const unsigned char c = static_cast<unsigned char>(bytes_[i]);
      if (c < 0x20 || c == 0x7f) return Break(field, "a name has control characters");
    }
    return true;
  }

  std::string PathText() const {
    std::string text;
    for (const Step& step : path_) {
      absl::StrAppend(&text, text.empty() ? "" : ".", step.field->name());
      if (step.field->is_repeated()) absl::StrAppend(&text, "[", step.index, "]");
    }
    return text;
  }

  absl::string_view bytes_;
  WireReport report_;
  std::vector<Step> path_;
};

}  // namespace

WireReport WalkWire(absl::string_view bytes, const pb::Descriptor& type) { return Walker(bytes).Walk(type); }

}  // namespace hloscope
