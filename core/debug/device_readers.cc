#include "core/debug/device_readers.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/debug/device_names.h"
#include "core/debug/devices.h"
#include "core/debug/slice_command.h"
#include "core/literal/relayout.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr size_t kKept = 4;  // labels are as large as what is exchanged

}  // namespace

DeviceReaders::DeviceReaders(Session::State& s) : s_(s), selected_(Several(s) ? DevicesOf(s).selected : 0) {}

ElementReader& DeviceReaders::of(int device) {
  std::unique_ptr<ElementReader>& reader = readers_[device];
  if (reader != nullptr) return *reader;
  if (!Several(s_)) return *(reader = std::make_unique<ElementReader>(*s_.machine, s_.options.retain_bytes, PastOf(s_)));
  const int before = DevicesOf(s_).selected;
  SwapTo(s_, device);
  if (device != selected_) s_.machine->interrupt().store(false);
  reader = std::make_unique<ElementReader>(*s_.machine, s_.options.retain_bytes / s_.options.devices.count(), PastOf(s_));
  SwapTo(s_, before);
  reader->SetDevice(device, [this](const ElementPlace& place) { return Exchanged(place); });
  return *reader;
}

const Machine& DeviceReaders::machine(int device) {
  if (!Several(s_)) return *s_.machine;
  const int before = DevicesOf(s_).selected;
  SwapTo(s_, device);
  const Machine& machine = *s_.machine;
  SwapTo(s_, before);
  return machine;
}

SliceFrames DeviceReaders::frames() {
  const auto history = [this](int device) -> const FrameHistory& { return of(device).history(); };
  if (!Several(s_)) return SliceFrames(history, nullptr);
  return SliceFrames(history, [this](int device) { return s_.options.devices.Name(device); });
}

std::optional<int> DeviceReaders::FrameOf(const ExchangePast::Member& member) {
  if (machine(member.device).Where() < member.mark) return std::nullopt;
  return of(member.device).history().FrameAt(member.mark);
}

absl::StatusOr<Value> DeviceReaders::Brought(const ExchangePast::Member& member, int operand) {
  const std::optional<int> frame = FrameOf(member);
  if (!frame.has_value()) return absl::FailedPreconditionError(absl::StrCat(s_.options.devices.Name(member.device), " has gone back to before it came to this exchange"));
  absl::StatusOr<Value> value = of(member.device).SeenBy(*member.instruction, *frame, *member.instruction->operands[operand]);
  return value.ok() ? ToDense(*value) : value;
}

absl::StatusOr<std::shared_ptr<const ExchangeOrigins>> DeviceReaders::OriginsOf(const ExchangePast& past, const Instruction& instruction, int member) {
  if (past.outsider) member = -1;
  const bool fixed = ExchangeOrigins::IsFixed(instruction);
  const OriginsKey key(&instruction, member, past.members.size(), past.sends);
  if (const auto known = origins_.find(key); fixed && known != origins_.end()) return known->second;
  const auto value = [&](int m, int operand) { return Brought(past.members[m], operand); };
  absl::StatusOr<std::shared_ptr<const ExchangeOrigins>> made = ExchangeOrigins::Of(instruction, static_cast<int>(past.members.size()), member, past.sends, value);
  if (!made.ok() || !fixed) return made;
  if (origins_.size() >= kKept) origins_.clear();
  return origins_[key] = *std::move(made);
}

absl::StatusOr<ElementReads> DeviceReaders::Exchanged(const ElementPlace& place) {
  const Instruction& i = *place.instruction;
  const ExchangeDef& def = ExchangeOf(i);
  ElementReads result;
  if (def.role == ExchangeRole::kReplicaId || def.role == ExchangeRole::kPartitionId) {
    result.kind = SliceNode::kCreated;
    return result;
  }
  const auto unknown = [&](std::string note) {
    result.kind = SliceNode::kUnknown;
    result.note = std::move(note);
    return result;
  };
  const std::shared_ptr<const ExchangePast> past = DevicesOf(s_).room->Past(place.device, of(place.device).history().ExchangeKey(place.frame, i));
  if (past == nullptr) {
    const absl::StatusOr<Scalar> value = of(place.device).Element(place);
    if (!value.ok()) return value.status();
    return unknown("no other device gave anything for it");
  }
  std::vector<std::string> gone;
  const auto add = [&](const ExchangePast::Member& member, int operand, int leaf, int64_t linear, ReadRole role = ReadRole::kValue) {
    const std::optional<int> frame = FrameOf(member);
    if (frame.has_value()) {
      result.reads.push_back({{*frame, member.instruction->operands[operand], leaf, linear, member.device}, role, member.instruction});
    } else {
      gone.push_back(s_.options.devices.Name(member.device));
    }
    ++result.total;
  };
  if (past->transfer) {
    if (place.leaf < LeafCountOf(past->members[0].instruction->operands[0]->shape)) add(past->members[0], 0, place.leaf, place.linear);
    result.note = absl::StrCat("sent by ", s_.options.devices.Name(past->members[0].device));
  } else {
    const auto own = std::find_if(past->members.begin(), past->members.end(), [&](const ExchangePast::Member& m) { return m.device == place.device; });
    absl::StatusOr<std::shared_ptr<const ExchangeOrigins>> origins = OriginsOf(*past, i, static_cast<int>(own - past->members.begin()));
    if (!origins.ok()) return unknown(std::string(origins.status().message()));
    const std::vector<ExchangeOrigin> made_from = (*origins)->At(place.leaf, place.linear);
    for (const ExchangeOrigin& origin : made_from) add(past->members[origin.member], origin.operand, 0, origin.linear);
    if (i.Called(AttrId::kToApply) != nullptr && result.total > 1) {
      result.note = absl::StrCat("of ", result.total, " devices, combined with ", i.Called(AttrId::kToApply)->name, " in the order of the group");
    } else if (result.total == 0) {
      result.note = "a zero: no device gave anything for it";
    }
    if (!past->outsider) {
      const int member = static_cast<int>(own - past->members.begin());
      for (const ExchangeOrigin& decides : ExchangeOrigins::DecidedBy(i, static_cast<int>(past->members.size()), member, place.leaf, made_from))
        add(past->members[decides.member], decides.operand, 0, decides.linear, ReadRole::kIndex);
    }
  }
  if (!gone.empty()) absl::StrAppend(&result.note, result.note.empty() ? "" : "; ", ListOfNames(gone), gone.size() == 1 ? " has" : " have", " gone back to before it");
  if (result.reads.empty()) result.kind = gone.empty() ? SliceNode::kCreated : SliceNode::kUnknown;
  return result;
}

namespace {

// The one call of the computation in the innermost frame, of the selected and those around it, that has any. Null: there is none, or several.
const Instruction* OnlyCall(const Session::State& s, const Computation& computation) {
  const Instruction* only = nullptr;
  for (int f = s.selected; f >= 0 && only == nullptr; --f) {
    for (const Instruction* i : s.machine->frames()[f].computation->schedule) {
      const std::vector<Computation*> called = i->CalledComputations();
      if (Def(*i).control != ControlKind::kCall || std::find(called.begin(), called.end(), &computation) == called.end()) continue;
      if (only != nullptr) return nullptr;
      only = i;
    }
  }
  return only;
}

}  // namespace

std::optional<int> FrameOfExchange(const Session::State& s, FrameHistory& history, const CollectivePart& part, const Instruction& collective) {
  if (const int frame = s.FrameThatShows(collective); frame >= 0) return frame;
  const bool wrapped = part.begins != nullptr && part.begins != &collective;
  const Instruction* caller = wrapped ? part.begins : OnlyCall(s, *collective.parent);
  const int around = caller != nullptr ? s.FrameThatShows(*caller) : -1;
  if (around < 0 || history.live_position(around) <= caller->index) return std::nullopt;
  return history.EnterCall(around, *caller);
}

}  // namespace hloscope
