// The bytes of a message looked at before they are parsed: is the structure sound, where is it broken, what is it likely to be. protobuf's
// own parser says only yes or no.
#ifndef HLOSCOPE_CORE_TEXT_PROTO_WIRE_H_
#define HLOSCOPE_CORE_TEXT_PROTO_WIRE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class Descriptor;
}

namespace hloscope {

struct WireReport {
  bool ok = false;
  int64_t offset = 0;         // of the byte where the structure breaks
  std::string path;           // "hlo_module.computations[2].instructions[0].shape"
  std::string problem;        // "a field of 400 bytes begins where 12 are left"
  int64_t unknown_bytes = 0;  // in fields that the schema does not have
  int64_t messages = 0;       // how many there are inside
};

// Walks `bytes` as a message of type `type`, into every message inside it.
WireReport WalkWire(absl::string_view bytes, const google::protobuf::Descriptor& type);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_PROTO_WIRE_H_
