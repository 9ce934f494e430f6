#include "core/ops/exchange_def.h"

#include <algorithm>
#include <array>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/ir/frontend_attributes.h"
#include "core/ops/collective_exchange.h"
#include "core/ops/collective_formula.h"

namespace hloscope {
namespace {

struct Row {
  Opcode opcode;
  ExchangeDef def;
};
constexpr bool kZeros = true, kOneSize = true, kBegins = true;
// ExchangeDef::gives
constexpr absl::string_view kSums = "each gets the arrays of all, reduced element by element in the order of the group";
constexpr absl::string_view kAll = "each gets the arrays of all, one behind the other in the order of the group";
constexpr absl::string_view kPart = "each gets its part, by its place in the group, of the arrays of all reduced element by element";
constexpr absl::string_view kBlocks = "the k-th gets the k-th block of each, one behind the other in the order of the group";
constexpr absl::string_view kRagged = "each gets the rows that the offsets and sizes of the others send to it";
constexpr absl::string_view kFirst = "each gets the array of the first of its group";
constexpr absl::string_view kSent = "each gets the array of the one that sends to it, and zeros where none does";
constexpr Row kRows[] = {
    {Opcode::kAllReduce, {ExchangeRole::kCollective, ExchangeAllReduce, !kZeros, !kOneSize, kSums, AllReduceFormula}},
    {Opcode::kAllReduceStart, {ExchangeRole::kCollective, ExchangeAllReduce, !kZeros, !kOneSize, kSums, AllReduceFormula, kBegins}},
    {Opcode::kAllGather, {ExchangeRole::kCollective, ExchangeAllGather, !kZeros, kOneSize, kAll, AllGatherFormula}},
    {Opcode::kAllGatherStart, {ExchangeRole::kCollective, ExchangeAllGatherStart, !kZeros, kOneSize, kAll, AllGatherFormula, kBegins}},
    {Opcode::kReduceScatter, {ExchangeRole::kCollective, ExchangeReduceScatter, !kZeros, kOneSize, kPart, ReduceScatterFormula}},
    {Opcode::kAllToAll, {ExchangeRole::kCollective, ExchangeAllToAll, !kZeros, kOneSize, kBlocks, AllToAllFormula}},
    {Opcode::kRaggedAllToAll, {ExchangeRole::kCollective, ExchangeRaggedAllToAll, !kZeros, kOneSize, kRagged, RaggedAllToAllFormula}},
    {Opcode::kCollectiveBroadcast, {ExchangeRole::kCollective, ExchangeBroadcast, kZeros, !kOneSize, kFirst, CollectiveBroadcastFormula}},
    {Opcode::kCollectivePermute, {ExchangeRole::kCollective, ExchangePermute, kZeros, !kOneSize, kSent, CollectivePermuteFormula}},
    {Opcode::kCollectivePermuteStart, {ExchangeRole::kCollective, ExchangePermuteStart, kZeros, !kOneSize, kSent, CollectivePermuteFormula, kBegins}},
    {Opcode::kReplicaId, {ExchangeRole::kReplicaId}},
    {Opcode::kPartitionId, {ExchangeRole::kPartitionId}},
    {Opcode::kSend, {ExchangeRole::kSend}},
    {Opcode::kSendDone, {ExchangeRole::kSendDone}},
    {Opcode::kRecv, {ExchangeRole::kReceive}},
    {Opcode::kRecvDone, {ExchangeRole::kReceiveDone}},
};

std::array<ExchangeDef, kOpcodeCount> ByOpcode() {
  std::array<ExchangeDef, kOpcodeCount> all{};
  for (const Row& row : kRows) all[static_cast<int>(row.opcode)] = row.def;
  return all;
}

}  // namespace

const ExchangeDef& ExchangeOf(Opcode opcode) {
  static const std::array<ExchangeDef, kOpcodeCount> all = ByOpcode();
  return all[static_cast<int>(opcode)];
}

namespace {

bool IsAmongDevices(const Instruction& i) {
  const ExchangeRole role = ExchangeOf(i).role;
  return role != ExchangeRole::kNone && role != ExchangeRole::kReplicaId && role != ExchangeRole::kPartitionId;
}

// The instruction that begins what `i` waits for or hands on; itself; null: that is not known.
const Instruction* StartOf(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
    case Opcode::kAllReduceDone:
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone: {
      const Instruction* start = &i;
      do {
        if (start->operands.size() != 1) return nullptr;
        start = start->operands[0];
      } while (start->opcode == Opcode::kAsyncUpdate);
      return start;
    }
    default: return &i;
  }
}

// Of an asynchronous start: a computation that makes what one collective takes, and ends with that.
CollectivePart Wrapped(const Instruction& start) {
  const Computation* wrapped = start.Called(AttrId::kCalls);
  const Instruction* root = wrapped != nullptr ? wrapped->root : nullptr;
  if (root == nullptr || ExchangeOf(*root).role != ExchangeRole::kCollective) return {};
  bool hands_on = root->operands.size() == start.operands.size();
  for (size_t k = 0; k < root->operands.size() && hands_on; ++k) hands_on = root->operands[k]->parameter_number == static_cast<int>(k);
  for (const Instruction* i : wrapped->schedule) {
    if (i == root) continue;
    const std::vector<Computation*> called = i->CalledComputations();
    if (IsAmongDevices(*i) || std::any_of(called.begin(), called.end(), [](const Computation* c) { return !ExchangesIn(*c).empty(); })) return {};
  }
  return {root, &start, hands_on ? &start : root};
}

}  // namespace

CollectivePart CollectiveOf(const Instruction& i) {
  if (ExchangeOf(i).role == ExchangeRole::kCollective) return {&i, &i, &i};
  const Instruction* start = StartOf(i);
  if (start == nullptr) return {};
  if (start->opcode == Opcode::kAsyncStart) return Wrapped(*start);
  const CollectivePart part = start != &i ? CollectiveOf(*start) : CollectivePart();
  return part.begins == start ? part : CollectivePart();
}

const Instruction* AsyncStartOf(const Instruction& i) {
  const Instruction* start = StartOf(i);
  return start != nullptr && start->opcode == Opcode::kAsyncStart ? start : nullptr;
}

std::vector<const Instruction*> ExchangesIn(const Computation& computation) {
  std::vector<const Instruction*> all;
  for (const Instruction* i : computation.schedule) {
    if (IsAmongDevices(*i)) all.push_back(i);
    for (const Computation* called : i->CalledComputations()) {
      for (const Instruction* inside : ExchangesIn(*called)) {
        if (std::find(all.begin(), all.end(), inside) == all.end()) all.push_back(inside);
      }
    }
  }
  return all;
}

namespace {

bool BeginsCollective(const Instruction& i) {
  const CollectivePart part = CollectiveOf(i);
  return part.begins == &i && (part.collective != &i || ExchangeOf(i).begins);
}

}  // namespace

bool RunsBeside(const Instruction& start) {
  if (!BeginsCollective(start)) return false;
  const std::vector<Instruction*>& schedule = start.parent->schedule;
  return std::any_of(schedule.begin(), schedule.end(),
                     [&](const Instruction* i) { return i != &start && CollectiveOf(*i).begins == &start; });
}

bool ReadsBegun(const Instruction& i) {
  return std::any_of(i.operands.begin(), i.operands.end(), [](const Instruction* operand) { return BeginsCollective(*operand) || HandsOnBegun(*operand); });
}

bool HandsOnBegun(const Instruction& i) {
  if (i.opcode != Opcode::kAsyncUpdate || CollectiveOf(i).begins == nullptr || i.parent->root == &i) return false;
  const std::vector<Instruction*>& schedule = i.parent->schedule;
  return std::any_of(schedule.begin(), schedule.end(), [&](const Instruction* reader) {
    return std::find(reader->operands.begin(), reader->operands.end(), &i) != reader->operands.end();
  });
}

bool HasDynamicRoot(const Instruction& i) { return FrontendAttribute(i.frontend_attributes, "has_dynamic_root") == "true"; }

std::optional<int64_t> SplitCount(const Instruction& i) {
  const std::optional<absl::string_view> text = FrontendAttribute(i.frontend_attributes, "split_count");
  int64_t count = 0;
  return text.has_value() && absl::SimpleAtoi(*text, &count) ? std::optional<int64_t>(count) : std::nullopt;
}

std::string SplitCountText(int64_t count) { return absl::StrCat("{split_count=\"", count, "\"}"); }

absl::Status CheckSplitCount(const Instruction& i, int64_t devices) {
  const std::optional<int64_t> count = SplitCount(i);
  if (!count.has_value() || *count == devices) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("split_count is ", *count, ", but the group of all has ", devices, devices == 1 ? " device" : " devices",
                                                 ": every member of a group gets one block"));
}

}  // namespace hloscope
