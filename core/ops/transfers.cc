#include "core/ops/transfers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ir/frontend_attributes.h"
#include "core/ops/device_groups.h"

namespace hloscope {
namespace {

constexpr absl::string_view kFrontendPairs = "_xla_send_recv_source_target_pairs";

constexpr int kMostSteps = 200;  // back to what began a transfer

const Instruction* StartOf(const Instruction* value, std::vector<int64_t> path, int steps);

// A parameter is what calls the computation hand over; the first that leads to a start counts.
const Instruction* StartOfParameter(const Instruction& parameter, const std::vector<int64_t>& path, int steps) {
  for (const Computation* c : parameter.parent->module->computations) {
    for (const Instruction* i : c->schedule) {
      if (i->attributes.empty()) continue;
      const std::vector<Computation*> called = i->CalledComputations();
      const auto at = std::find(called.begin(), called.end(), parameter.parent);
      if (at == called.end()) continue;
      const size_t operand = i->opcode == Opcode::kWhile         ? 0
                             : i->opcode == Opcode::kConditional ? 1 + static_cast<size_t>(at - called.begin())
                                                                 : static_cast<size_t>(parameter.parameter_number);
      if (operand >= i->operands.size()) continue;
      if (const Instruction* start = StartOf(i->operands[operand], path, steps); start != nullptr) return start;
    }
  }
  return nullptr;
}

// What began the transfer that element `path` of a value is, outermost index first: through tuples, loops, calls and branches, as they have it where
// transfers of an iteration are waited for in the next one. Null: it is not to be seen.
const Instruction* StartOf(const Instruction* value, std::vector<int64_t> path, int steps) {
  for (; steps > 0; --steps) {
    const Instruction& i = *value;
    if (path.empty() && IsTransfer(i)) return &i;
    switch (i.opcode) {
      case Opcode::kTuple:
        if (path.empty() || path[0] >= static_cast<int64_t>(i.operands.size())) return nullptr;
        value = i.operands[path[0]];
        path.erase(path.begin());
        continue;
      case Opcode::kGetTupleElement: path.insert(path.begin(), i.Int(AttrId::kIndex)); break;
      case Opcode::kCopy:
      case Opcode::kOptBarrier: break;
      case Opcode::kWhile:
        if (const Instruction* before = StartOf(i.operands[0], path, steps / 2); before != nullptr) return before;
        value = i.Called(AttrId::kBody)->root;
        steps /= 2;
        continue;
      case Opcode::kCall: value = i.CalledComputations()[0]->root; continue;
      case Opcode::kParameter: return StartOfParameter(i, path, steps / 2);
      default: return nullptr;
    }
    value = i.operands[0];
  }
  return nullptr;
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

const Instruction* TakenBy(const Instruction& receive) {
  if (ExchangeOf(receive).role != ExchangeRole::kReceive) return nullptr;
  for (const Instruction* i : receive.parent->schedule) {
    if (ExchangeOf(*i).role == ExchangeRole::kReceiveDone && &TransferStart(*i) == &receive) return i;
  }
  return nullptr;
}

const Instruction* CompletedBeforeReceive(const Instruction& send) {
  const auto alike = [&](const Instruction* i, ExchangeRole role) { return ExchangeOf(*i).role == role && ChannelOf(*i) == ChannelOf(send); };
  const auto& schedule = send.parent->schedule;
  int64_t number = std::count_if(schedule.begin(), schedule.begin() + send.index, [&](const Instruction* i) { return alike(i, ExchangeRole::kSend); });
  const Instruction* done = nullptr;
  for (const Instruction* i : schedule) {
    if (alike(i, ExchangeRole::kSendDone) && &TransferStart(*i) == &send) done = i;
    if (alike(i, ExchangeRole::kReceive) && number-- == 0) return done;
  }
  return nullptr;
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
  std::optional<std::vector<std::pair<int64_t, int64_t>>> pairs;
  if (const auto* written = PairsOf(i)) {
    pairs = *written;
  } else if (const std::optional<absl::string_view> text = PairsText(i)) {
    const auto rows = ReadGroups(*text);
    const bool fits = rows && std::all_of(rows->begin(), rows->end(), [](const auto& row) { return row.size() == 2; });
    if (!fits) return absl::InvalidArgumentError(absl::StrCat(kFrontendPairs, "=", *text, " cannot be read; write pairs of device numbers, {{0,1},{1,2}}"));
    pairs.emplace();
    for (const auto& row : *rows) pairs->push_back({row[0], row[1]});
  }
  const ExchangeRole role = ExchangeOf(i).role;
  const bool done = role == ExchangeRole::kSendDone || role == ExchangeRole::kReceiveDone;
  if (const Instruction* start = pairs || !done || i.operands.size() != 1 ? nullptr : StartOf(i.operands[0], {}, kMostSteps); start != nullptr) return TransferPairs(*start);
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
