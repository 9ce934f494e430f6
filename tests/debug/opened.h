// A session of the debugger on a program of a test, on either backend.
#ifndef HLOSCOPE_TESTS_DEBUG_OPENED_H_
#define HLOSCOPE_TESTS_DEBUG_OPENED_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "backends/reference/backend.h"
#include "core/debug/session_state.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"
#ifdef HLOSCOPE_JIT
#include "backends/jit_cpu/jit_cpu.h"
#endif

namespace hloscope {

// Null, and a failure, where the text has mistakes. Without the JIT in the build the reference backend runs it in any case.
inline std::unique_ptr<Session> OpenSession(const std::string& text, bool reference, const SessionOptions& options,
                                            std::function<void(absl::string_view)> out) {
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("test.hlo", text), sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  EXPECT_EQ(sink.error_count(), 0) << text;
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeReferenceBackend(BackendOptions());
#ifdef HLOSCOPE_JIT
  if (!reference) backend = MakeJitCpuBackend(BackendOptions());
#endif
  EXPECT_TRUE(backend.ok());
  if (sink.error_count() > 0 || !backend.ok()) return nullptr;
  return std::make_unique<Session>(std::move(module), *std::move(backend), options, std::move(out));
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_DEBUG_OPENED_H_
