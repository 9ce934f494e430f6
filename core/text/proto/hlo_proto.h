// XLA's binary dumps, both ways: HloProto, a bare HloModuleProto, HloSnapshot and HloUnoptimizedSnapshot (protobuf on the wire).
//
// A dump is read by way of HLO text: the messages are written out as text, and the text is read as any other. So a program from a dump
// has a text that can be listed and pointed at, and goes through the same checks. Large literals do not take that way: the text elides
// them, and their elements are put in afterwards. Not for MLIR bytecode.
#ifndef HLOSCOPE_CORE_TEXT_PROTO_HLO_PROTO_H_
#define HLOSCOPE_CORE_TEXT_PROTO_HLO_PROTO_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/base/diagnostic.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

// What a dump brings.
struct ProtoProgram {
  std::string format;                         // "hlo proto", "hlo module proto", "hlo snapshot", "hlo unoptimized snapshot"
  std::shared_ptr<const SourceText> source;   // the program as text; empty when there is no module
  std::unique_ptr<Module> module;             // finalized, not verified; null when the bytes cannot be read
  std::vector<Value> arguments;               // of a snapshot, by parameter number
  Value result;                               // of a snapshot; may have no value
};

// Can the bytes be one of the four messages? Text never is.
bool IsHloProto(absl::string_view bytes);

// Reads one of the four messages, found out from the bytes. Problems go to `sink`: those of the bytes without a place in the text but with
// the offset of the byte in the message (labels proto.*), those of the program with a place in the text that is made.
ProtoProgram ReadHloProto(absl::string_view bytes, const std::string& name, DiagnosticSink& sink);

// The bytes of an HloProto. `module` has all its shapes (is verified). What XLA's messages have no field for is kept in fields of our own.
std::string WriteHloProto(const Module& module);
// The bytes of an HloSnapshot: program, arguments and, where it has a value, the result.
std::string WriteHloSnapshot(const Module& module, absl::Span<const Value> arguments, const Value& result);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_PROTO_HLO_PROTO_H_
