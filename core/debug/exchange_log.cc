#include "core/debug/exchange_log.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

constexpr int64_t kInMemory = int64_t{256} << 20;  // bytes, of a device

}  // namespace

class ExchangeLog::Kept : public ExchangePort {
 public:
  Kept(ExchangePort& others, Spill& given) : others_(others), given_(given) {}
  Device device() const override { return others_.device(); }
  int process() const override { return others_.process(); }
  double elsewhere() const override { return others_.elsewhere(); }
  double making() const override { return others_.making(); }
  std::optional<Value> Look(uint64_t key) const override { return others_.Look(key); }
  absl::StatusOr<std::optional<Value>> Exchange(const ExchangeCall& call) override {
    absl::StatusOr<std::optional<Value>> made = others_.Exchange(call);
    if (!made.ok() || !made->has_value()) return made;
    if (absl::Status put = given_.Put(call.key, **made); !put.ok()) return put;
    return made;
  }

 private:
  ExchangePort& others_;
  Spill& given_;
};

class ExchangeLog::Again : public ExchangePort {
 public:
  Again(Device device, Spill& given) : device_(device), given_(given) {}
  Device device() const override { return device_; }
  absl::StatusOr<std::optional<Value>> Exchange(const ExchangeCall& call) override {
    if (call.phase == ExchangePhase::kBegin) return std::optional<Value>();  // asked for where it is read
    if (!given_.Has(call.key))
      return absl::InternalError(absl::StrCat(ShownName(call.instruction), " is an exchange that was not made before"));
    absl::StatusOr<Value> value = given_.Take(call.key);
    if (!value.ok()) return value.status();
    return std::optional<Value>(*std::move(value));
  }

 private:
  const Device device_;
  Spill& given_;
};

ExchangeLog::ExchangeLog(ExchangePort& others)
    : given_(kInMemory),
      kept_(std::make_unique<Kept>(others, given_)),
      again_(std::make_unique<Again>(others.device(), given_)) {}
ExchangeLog::~ExchangeLog() = default;

}  // namespace hloscope
