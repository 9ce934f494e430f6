// A session of the debugger on a program of a test that runs on several devices.
#ifndef HLOSCOPE_TESTS_EXCHANGE_DEBUGGED_H_
#define HLOSCOPE_TESTS_EXCHANGE_DEBUGGED_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/exchange/in_process.h"
#include "core/debug/devices.h"
#include "core/debug/parallel_main.h"
#include "core/debug/session_state.h"
#include "core/ops/exchange_def.h"
#include "tests/debug/opened.h"

namespace hloscope {

struct Debugged {
  std::string said;
  std::unique_ptr<Session> session;
  Session::State& s() { return session->state(); }
  void Do(const std::string& line) {
    said.clear();
    EXPECT_TRUE(session->Execute(line).ok) << line << "\n" << said;
  }
};

inline std::unique_ptr<Debugged> Open(const std::string& text, int64_t replicas, bool reference = true) {
  SessionOptions options;
  options.fill = *ParseFill("iota");
  options.devices.replicas = replicas;
  DiagnosticSink sink;
  const std::unique_ptr<Module> program = ReadHloText(std::make_shared<SourceText>("test.hlo", text), sink);
  options.devices.of_main = FindParallelMain(*program).followed();
  if (options.devices.of_main) {
    Verify(*program, sink);
    const std::unique_ptr<Backend> backend = MakeReferenceBackend({});
    if (absl::Status given = GiveParallelArguments(*program, *backend, options); !given.ok()) ADD_FAILURE() << given;
  }
  options.devices.make_room = [replicas](std::vector<const Computation*> entries, Backend& backend, MemoryAccount* account) -> std::unique_ptr<ExchangeRoom> {
    return std::make_unique<InProcessExchange>(replicas, 1, std::move(entries), backend, account);
  };
  auto debugged = std::make_unique<Debugged>();
  Debugged* d = debugged.get();
  debugged->session = OpenSession(text, reference, options, [d](absl::string_view said) { d->said.append(said.data(), said.size()); });
  return debugged;
}

inline void Append(const Value& value, std::string& bits) {
  for (const Value& element : value.elements()) Append(element, bits);
  if (value.shape().IsArray()) bits.append(reinterpret_cast<const char*>(value.data()), value.byte_size());
}

// All values that the innermost frame has there, but of collectives that run beside the program: when those come is not a matter of the moment.
inline std::string BitsOf(Machine& machine) {
  std::string bits;
  const int depth = static_cast<int>(machine.frames().size()) - 1;
  for (int p = 0; p < machine.top().position; ++p) {
    if (RunsBeside(*machine.top().computation->schedule[p])) continue;
    const absl::StatusOr<Value> value = machine.ValueOf(depth, p);
    EXPECT_TRUE(value.ok()) << value.status();
    if (value.ok()) Append(*value, bits);
  }
  return bits;
}
inline std::string BitsHere(Session::State& s) { return BitsOf(*s.machine); }

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_EXCHANGE_DEBUGGED_H_
