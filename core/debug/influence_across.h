// What an element goes on to influence on all devices of a run: the forward slice of each (influence.h), joined by what they exchanged.
#ifndef HLOSCOPE_CORE_DEBUG_INFLUENCE_ACROSS_H_
#define HLOSCOPE_CORE_DEBUG_INFLUENCE_ACROSS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/device_readers.h"
#include "core/debug/influence.h"
#include "core/debug/slice_parts.h"

namespace hloscope {

// By device. As far as each has come.
absl::StatusOr<std::vector<Influence>> BuildInfluenceAcross(Session::State& s, DeviceReaders& readers, const ElementPlace& place);

std::string InfluenceTextAcross(Session::State& s, DeviceReaders& readers, const std::vector<Influence>& all_devices, bool all);
std::string InfluenceJsonAcross(Session::State& s, DeviceReaders& readers, const std::vector<Influence>& all_devices);
// A part for each instruction of a device, by run, with which of its elements are influenced, and steps between them; added to those that there are.
void AddInfluenceParts(Session::State& s, DeviceReaders& readers, const std::vector<Influence>& all_devices, SliceParts* parts);
// A cluster for each device; what one got from another with a thicker edge.
std::string InfluenceDotAcross(Session::State& s, DeviceReaders& readers, const std::vector<Influence>& all_devices);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_INFLUENCE_ACROSS_H_
