// What one of several devices was given by its exchanges in a run, kept so that the device can run again alone: beside another program that
// all devices run meanwhile (twin.h). In memory up to a limit, beyond it in a temporary file. Not for going back within a run, which a
// Machine remembers itself.
#ifndef HLOSCOPE_CORE_DEBUG_EXCHANGE_LOG_H_
#define HLOSCOPE_CORE_DEBUG_EXCHANGE_LOG_H_

#include <memory>

#include "core/debug/spill.h"
#include "core/exec/exchange.h"

namespace hloscope {

class ExchangeLog {
 public:
  // `others`: the device's end of the exchange, which must live as long as kept() is used.
  explicit ExchangeLog(ExchangePort& others);
  ~ExchangeLog();

  // As `others`, and what it gives is kept.
  ExchangePort& kept() { return *kept_; }
  // Gives the same again, each once, to a Machine that executes the same exchanges.
  ExchangePort& again() { return *again_; }

 private:
  class Kept;
  class Again;
  Spill given_;  // by ExchangeCall::key
  std::unique_ptr<ExchangePort> kept_, again_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_EXCHANGE_LOG_H_
