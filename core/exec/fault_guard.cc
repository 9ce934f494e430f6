// One handler for the process, a jump buffer and an alternate stack for each thread.
#include "core/exec/fault_guard.h"

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

struct Guard {
  sigjmp_buf jump;
  volatile int signal = 0;
  void* volatile address = nullptr;
};

thread_local Guard* active_guard = nullptr;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
struct sigaction previous_actions[65];

void OnFault(int signal, siginfo_t* info, void*) {
  Guard* guard = active_guard;
  if (guard != nullptr) {
    guard->signal = signal;
    guard->address = info->si_code > 0 ? info->si_addr : nullptr;  // none when it was sent, as by raise()
    siglongjmp(guard->jump, 1);
  }
  // Not ours: put the previous handling back and return, so that the instruction faults again under it.
  sigaction(signal, &previous_actions[signal], nullptr);
  if (info->si_code <= 0) raise(signal);  // sent: nothing would raise it again
}

void InstallHandlers() {
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  // SA_NODEFER: the handler leaves by a jump that does not restore the mask, so the signal must never be blocked by it.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (int signal : kSignals) sigaction(signal, &action, &previous_actions[signal]);
}

// A stack overflow inside a kernel can only be handled on another stack. Kept for the life of the thread.
struct AlternateStack {
  AlternateStack() {
    stack_t current = {};
    if (sigaltstack(nullptr, &current) == 0 && (current.ss_flags & SS_DISABLE) == 0) return;  // a sanitizer has one already
    constexpr size_t kSize = 64 << 10;
    memory = std::malloc(kSize);
    stack_t stack = {};
    stack.ss_sp = memory;
    stack.ss_size = kSize;
    sigaltstack(&stack, nullptr);
  }
  ~AlternateStack() {
    if (memory == nullptr) return;
    stack_t stack = {};
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, nullptr);
    std::free(memory);
  }
  void* memory = nullptr;
};

absl::Status Describe(const Guard& guard) {
  const char* what = guard.signal == SIGSEGV  ? "segmentation fault (SIGSEGV)"
                     : guard.signal == SIGBUS ? "bus error (SIGBUS)"
                     : guard.signal == SIGFPE ? "arithmetic fault, such as an integer division by zero (SIGFPE)"
                     : guard.signal == SIGILL ? "illegal instruction (SIGILL)"
                                              : "call of abort (SIGABRT)";
  std::string text = absl::StrCat("native code raised a ", what);
  if (guard.address != nullptr) absl::StrAppend(&text, " at address 0x", absl::Hex(reinterpret_cast<uintptr_t>(guard.address)));
  return absl::InternalError(text);
}

}  // namespace

absl::Status RunGuarded(absl::FunctionRef<void()> body) {
  static std::once_flag once;
  std::call_once(once, InstallHandlers);
  thread_local AlternateStack alternate_stack;
  Guard guard;
  Guard* const outer = active_guard;
  if (sigsetjmp(guard.jump, 0) != 0) {
    active_guard = outer;
    return Describe(guard);
  }
  active_guard = &guard;
  body();
  active_guard = outer;
  return absl::OkStatus();
}

}  // namespace hloscope
