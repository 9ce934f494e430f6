#include "core/ops/transfers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ir/frontend_attributes.h"
#include "core/ops/device_groups.h"

namespace hloscope {
namespace {

constexpr absl::string_view kFrontendPairs = "_xla_send_recv_source_target_pairs";

// The loop of which the computation is the body or the condition; null: there is none.
const Instruction* LoopOf(const Computation& computation) {
  for (const Computation* c : computation.module->computations) {
    for (const Instruction* i : c->schedule) {
      if (i->opcode == Opcode::kWhile && (i->Called(AttrId::kBody) == &computation || i->Called(AttrId::kCondition) == &computation)) return i;
    }
  }
  return nullptr;
}

// What is element `k` of a tuple as it is made, where a loop carries it as it was made before the loop or in it; null: that is not to be seen.
const Instruction* ElementOf(const Instruction& tuple, int64_t k) {
  if (tuple.opcode == Opcode::kTuple) return k < static_cast<int64_t>(tuple.operands.size()) ? tuple.operands[k] : nullptr;
  if (tuple.parameter_number >= 0) {
    const Instruction* loop = LoopOf(*tuple.parent);
    return loop == nullptr ? nullptr : ElementOf(*loop->operands[0], k);
  }
  if (tuple.opcode != Opcode::kWhile) return nullptr;
  const Instruction* made = ElementOf(*tuple.Called(AttrId::kBody)->root, k);
  const bool handed_on = made != nullptr && made->opcode == Opcode::kGetTupleElement && made->operands[0]->parameter_number >= 0;
  return made == nullptr || handed_on ? ElementOf(*tuple.operands[0], k) : made;
}

// What began the transfer that a done operation waits for, also where loops carry it, as they do where transfers of an iteration are waited for in
// the next one. Null: it is not to be seen.
const Instruction* StartThroughLoops(const Instruction& done) {
  const Instruction* i = done.operands.size() == 1 ? done.operands[0] : nullptr;
  for (int step = 0; i != nullptr && !IsTransfer(*i) && step < 100; ++step)
    i = i->opcode == Opcode::kCopy ? i->operands[0] : i->opcode == Opcode::kGetTupleElement ? ElementOf(*i->operands[0], i->Int(AttrId::kIndex)) : nullptr;
  return i != nullptr && IsTransfer(*i) ? i : nullptr;
}

}  // namespace

bool IsTransfer(const Instruction& i) {
  switch (ExchangeOf(i).role) {
    case ExchangeRole::kSend:
    case ExchangeRole::kSendDone:
    case ExchangeRole::kReceive:
    case ExchangeRole::kReceiveDone: return true;
    case ExchangeRole::kNone:
    case ExchangeRole::kCollective:
    case ExchangeRole::kReplicaId:
    case ExchangeRole::kPartitionId: return false;
  }
  return false;
}

const Instruction& TransferStart(const Instruction& i) {
  const ExchangeRole role = ExchangeOf(i).role;
  const bool done = role == ExchangeRole::kSendDone || role == ExchangeRole::kReceiveDone;
  return done && i.operands.size() == 1 && IsTransfer(*i.operands[0]) ? *i.operands[0] : i;
}

int64_t ChannelOf(const Instruction& i) {
  if (i.Has(AttrId::kChannelId) || i.operands.empty()) return i.Int(AttrId::kChannelId);
  return i.operands[0]->Int(AttrId::kChannelId);
}

bool HasTransfer(const Computation& computation, ExchangeRole role, int64_t channel) {
  return std::any_of(computation.schedule.begin(), computation.schedule.end(),
                     [&](const Instruction* i) { return ExchangeOf(*i).role == role && ChannelOf(*i) == channel && !i->Bool(AttrId::kIsHostTransfer); });
}

std::optional<absl::string_view> PairsText(const Instruction& i) { return FrontendAttribute(i.frontend_attributes, kFrontendPairs); }

absl::StatusOr<std::optional<std::vector<std::pair<int64_t, int64_t>>>> TransferPairs(const Instruction& i) {
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  std::optional<Pairs> pairs;
  if (const Attribute* a = i.Find(AttrId::kSourceTargetPairs); a != nullptr && std::holds_alternative<Pairs>(a->value)) {
    pairs = std::get<Pairs>(a->value);
  } else if (const std::optional<absl::string_view> text = PairsText(i)) {
    const auto rows = ReadGroups(*text);
    const bool fits = rows && std::all_of(rows->begin(), rows->end(), [](const auto& row) { return row.size() == 2; });
    if (!fits) return absl::InvalidArgumentError(absl::StrCat(kFrontendPairs, "=", *text, " cannot be read; write pairs of device numbers, {{0,1},{1,2}}"));
    pairs.emplace();
    for (const auto& row : *rows) pairs->push_back({row[0], row[1]});
  }
  const ExchangeRole role = ExchangeOf(i).role;
  const bool done = role == ExchangeRole::kSendDone || role == ExchangeRole::kReceiveDone;
  if (const Instruction* start = pairs || !done ? nullptr : StartThroughLoops(i); start != nullptr) return TransferPairs(*start);
  for (size_t a = 0; pairs && a < pairs->size(); ++a) {
    if (const int64_t lower = std::min((*pairs)[a].first, (*pairs)[a].second); lower < 0)
      return absl::InvalidArgumentError(absl::StrCat("pairs name devices, and there is no device ", lower));
    for (size_t b = 0; b < a; ++b) {
      const bool source = (*pairs)[a].first == (*pairs)[b].first;
      if (!source && (*pairs)[a].second != (*pairs)[b].second) continue;
      return absl::InvalidArgumentError(absl::StrCat("no two pairs may share a ", source ? "source" : "target", ", device ", source ? (*pairs)[a].first : (*pairs)[a].second, " is there twice"));
    }
  }
  return pairs;
}

}  // namespace hloscope
