#include "visualizer/model/picture_data.h"

#include <algorithm>

#include "core/debug/devices.h"
#include "core/debug/slice_command.h"
#include "core/exec/backend.h"
#include "core/exec/frame_history.h"
#include "core/literal/relayout.h"
#include "visualizer/model/device_pictures.h"
#include "visualizer/model/frame_moment.h"
#include "visualizer/model/value_view.h"

namespace hloscope {
namespace {

// What a loop carried is looked at in so many iterations, and no more bytes of it.
constexpr int64_t kMostIterations = 256;
constexpr int64_t kMostCarriedBytes = int64_t{64} << 20;

// What was gathered last, while the program stands where it stood.
struct GatheredPicture {
  const Module* module = nullptr;
  FrameMoment moment;
  const Instruction* of = nullptr;
  bool ahead = false;
  std::vector<int64_t> devices;  // of an exchange: how much each has executed
  std::shared_ptr<const PictureData> data;
};

// What a loop that has ended began each iteration with, of long loops those of the block round `wanted`, and its result.
void GatherIterations(Session::State& s, const Instruction& loop, int64_t wanted, PictureData& data) {
  const int depth = s.FrameThatShows(loop);
  if (depth < 0 || loop.Called(AttrId::kBody) == nullptr || loop.index >= s.machine->frames()[depth].position) return;
  FrameHistory history(*s.machine, kMostCarriedBytes, PastOf(s));
  const absl::StatusOr<int64_t> count = history.Iterations(depth, loop);
  if (!count.ok()) return;
  data.iteration_count = *count;
  const int64_t each = std::max<int64_t>(data.result.has_value() ? data.result.byte_size() : 1, 1),
                block = std::clamp<int64_t>(kMostCarriedBytes / each, 1, kMostIterations);
  // The result belongs to the last iteration's block.
  data.first_iteration = std::clamp<int64_t>(wanted, 0, std::max<int64_t>(*count - 1, 0)) / block * block;
  const int64_t end = std::min(*count, data.first_iteration + block);
  for (int64_t k = data.first_iteration; k <= end; ++k) {
    const bool last = k == end;
    // The result is known already; to make it again would be to go through all iterations.
    absl::StatusOr<Value> value = last && data.result.has_value() ? data.result : history.Carried(depth, loop, last ? *count : k);
    if (!value.ok()) {
      data.iterations.clear();  // half of them would end with what is not the result
      return;
    }
    data.iterations.push_back(*std::move(value));
  }
}

bool ShowsIteration(const PictureData& data, int64_t t) {
  const int64_t end = data.first_iteration + static_cast<int64_t>(data.iterations.size()) - 1;
  return data.iterations.empty() || (t >= data.first_iteration && t < end) || (t >= end && end == data.iteration_count);
}

}  // namespace

Value ValueFor(Session::State& s, const Instruction& instruction, bool ahead) {
  const int depth = s.FrameThatShows(instruction);
  Value value;
  if (depth >= 0) {
    const bool before = instruction.index >= s.machine->frames()[depth].position;
    if (!before || ahead || instruction.parameter_number >= 0) {
      absl::StatusOr<Value> made = before ? s.machine->ValueAhead(depth, instruction.index) : s.machine->ValueOf(depth, instruction.index);
      if (made.ok()) value = *std::move(made);
    }
  }
  if (!value.has_value() && instruction.literal != nullptr) value = instruction.literal->value;
  return value.has_value() ? ToDense(value) : value;
}

std::shared_ptr<const PictureData> DataOfPicture(Session::State& s, const Instruction& instruction, bool ahead, int64_t iteration) {
  GatheredPicture& kept = s.Extension<GatheredPicture>();
  GatheredPicture now{s.module.get(), FrameMomentOf(s, s.FrameThatShows(instruction)), &instruction, ahead};
  const bool devices = Several(s) && ExchangesWithOthers(instruction);
  if (devices) ForEachRun(s, [&](int) { now.devices.push_back(s.machine == nullptr ? -1 : s.machine->executed()); });
  const auto same = [&] {
    return kept.module == now.module && kept.moment == now.moment && kept.of == now.of && kept.ahead == now.ahead && kept.devices == now.devices;
  };
  if (kept.data != nullptr && same() && ShowsIteration(*kept.data, iteration)) return kept.data;
  kept = {};
  auto data = std::make_shared<PictureData>();
  data->instruction = &instruction;
  for (const Instruction* operand : instruction.operands) data->operands.push_back(ValueFor(s, *operand, ahead));
  data->result = ValueFor(s, instruction, ahead);
  data->library_order = [backend = s.backend.get(), &instruction] {
    const absl::StatusOr<std::shared_ptr<const Kernel>> kernel =
        backend->GetKernel(*instruction.parent, SingleRegion(*instruction.parent, instruction.index));
    return kernel.ok() && (*kernel)->library_order();
  };
  GatherIterations(s, instruction, iteration, *data);
  if (devices) GatherDevices(s, instruction, *data);
  now.data = std::move(data);
  kept = std::move(now);
  return kept.data;
}

}  // namespace hloscope
