// Where the elements that a collective gives to a member of a group come from: elements of what the members brought. Found by exchanging labels
// instead of numbers (ExchangeDef::results), so nothing is defined twice. Not for transfers, which hand on what was sent.
#ifndef HLOSCOPE_CORE_OPS_EXCHANGE_ORIGIN_H_
#define HLOSCOPE_CORE_OPS_EXCHANGE_ORIGIN_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/ops/exchange_def.h"

namespace hloscope {

struct ExchangeOrigin {
  int member = 0, operand = 0;
  int64_t linear = 0;  // row-major
  friend bool operator==(const ExchangeOrigin&, const ExchangeOrigin&) = default;
};

class ExchangeOrigins {
 public:
  // What `member` gets of a group of `members`; -1: what the only one gets, which is in no group. `value` gives what a member brought as an
  // operand, dense; asked for operands that say where elements go (offsets, roots) and for those of bounded sizes. ResourceExhausted: there
  // are too many elements.
  static absl::StatusOr<std::shared_ptr<const ExchangeOrigins>> Of(const Instruction& instruction, int members, int member, absl::Span<const std::pair<int, int>> sends,
                                                                   const std::function<absl::StatusOr<Value>(int member, int operand)>& value);
  // It depends on the instruction and the group alone, and not on values.
  static bool IsFixed(const Instruction& instruction);
  // How many operands hold what is exchanged; those behind them say where it goes.
  int array_operands() const { return bases_.empty() ? 0 : static_cast<int>(bases_[0].size()); }
  // What decides where the elements of a leaf come from that `member` gets: of the operands behind those, of what each member brought, the entries for
  // it. `made_from`: At of the element; where no other member's rows were written there, all that could have written some decide.
  static std::vector<ExchangeOrigin> DecidedBy(const Instruction& instruction, int members, int member, int leaf, absl::Span<const ExchangeOrigin> made_from);
  // Of an element of a leaf (core/ops/leaf_flow.h), in the order in which they are reduced. None: it is a zero.
  std::vector<ExchangeOrigin> At(int leaf, int64_t linear) const;

 private:
  struct Reduction {
    int64_t base = 0;  // the label of its first element
    std::vector<Value> arrays;
  };
  ExchangeOrigin Decode(int64_t label) const;
  Value labels_;
  std::vector<std::vector<int64_t>> bases_;  // by member and operand: the label of its first element
  std::vector<Reduction> reductions_;        // ascending
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_EXCHANGE_ORIGIN_H_
