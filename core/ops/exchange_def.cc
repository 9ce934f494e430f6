#include "core/ops/exchange_def.h"

#include <array>

#include "absl/strings/match.h"
#include "core/ops/collective_exchange.h"

namespace hloscope {
namespace {

struct Row {
  Opcode opcode;
  ExchangeDef def;
};
constexpr bool kZeros = true, kOneSize = true;
constexpr Row kRows[] = {
    {Opcode::kAllReduce, {ExchangeRole::kCollective, ExchangeAllReduce}},
    {Opcode::kAllReduceStart, {ExchangeRole::kCollective, ExchangeAllReduce}},
    {Opcode::kAllGather, {ExchangeRole::kCollective, ExchangeAllGather, !kZeros, kOneSize}},
    {Opcode::kAllGatherStart, {ExchangeRole::kCollective, ExchangeAllGatherStart, !kZeros, kOneSize}},
    {Opcode::kReduceScatter, {ExchangeRole::kCollective, ExchangeReduceScatter, !kZeros, kOneSize}},
    {Opcode::kAllToAll, {ExchangeRole::kCollective, ExchangeAllToAll, !kZeros, kOneSize}},
    {Opcode::kRaggedAllToAll, {ExchangeRole::kCollective, ExchangeRaggedAllToAll, !kZeros, kOneSize}},
    {Opcode::kCollectiveBroadcast, {ExchangeRole::kCollective, ExchangeBroadcast, kZeros}},
    {Opcode::kCollectivePermute, {ExchangeRole::kCollective, ExchangePermute, kZeros}},
    {Opcode::kCollectivePermuteStart, {ExchangeRole::kCollective, ExchangePermuteStart, kZeros}},
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

bool HasDynamicRoot(const Instruction& i) { return absl::StrContains(i.frontend_attributes, kDynamicRoot.substr(1, kDynamicRoot.size() - 2)); }

}  // namespace hloscope
