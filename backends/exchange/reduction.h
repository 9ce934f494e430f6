// Reducing the arrays that the members of a group brought, element by element with the program's own reducer, as kernels of the run's backend.
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_REDUCTION_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_REDUCTION_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "core/exec/backend.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

class Reductions {
 public:
  Reductions(Backend& backend, MemoryAccount* account) : backend_(backend), account_(account) {}
  // f(f(a, b), c) for dense arrays of one shape, in their order. Thread-safe.
  absl::StatusOr<Value> Reduce(const Computation& reducer, std::vector<Value> arrays);

 private:
  struct Compiled {
    std::unique_ptr<Module> module;
    std::unique_ptr<Plan> plan;
    std::vector<std::shared_ptr<const Kernel>> kernels;  // by region; empty: the reducer is called element by element
  };
  absl::StatusOr<std::shared_ptr<const Compiled>> Get(const Computation& reducer, const Shape& shape, int count);
  absl::StatusOr<Value> Run(const Compiled& compiled, std::vector<Value> arrays);

  Backend& backend_;
  MemoryAccount* account_;
  std::mutex mutex_;
  std::map<std::tuple<const Computation*, std::string, int>, std::shared_ptr<const Compiled>> compiled_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_REDUCTION_H_
