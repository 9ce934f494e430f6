// A profile as JSON, and as the trace events that Perfetto and chrome://tracing read.
#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/debug/locations.h"
#include "core/debug/profile.h"
#include "core/debug/source_view.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

using nlohmann::ordered_json;

std::string Dump(const ordered_json& j, int indent) { return absl::StrCat(j.dump(indent, ' ', false, ordered_json::error_handler_t::replace), "\n"); }

void AddWork(const Work& work, const Work& total, ordered_json* j) {
  (*j)["times"] = work.times;
  (*j)["seconds"] = work.seconds;
  (*j)["share"] = total.seconds > 0 ? work.seconds / total.seconds : 0;
  (*j)["flops"] = work.flops;
  (*j)["transcendentals"] = work.transcendentals;
  (*j)["bytes"] = work.bytes;
  (*j)["roofline"] = work.seconds > 0 ? work.roof_seconds / work.seconds : 0;
}

ordered_json Rows(const ProfileData& data, ProfileBy by, const char* key) {
  ordered_json rows = ordered_json::array();
  for (const ProfileRow& row : ProfileRows(data, by)) {
    ordered_json j = {{key, row.what}};
    AddWork(row.work, data.total, &j);
    rows.push_back(std::move(j));
  }
  return rows;
}

}  // namespace

std::string ProfileJson(const ProfileData& data) {
  ordered_json j;
  j["module"] = data.module;
  j["backend"] = data.backend;
  j["run_seconds"] = data.run_seconds;
  j["total"] = ordered_json::object();
  AddWork(data.total, data.total, &j["total"]);
  j["machine"] = {{"memory_bytes_per_second", data.memory_rate},
                  {"cache_bytes_per_second", data.cache_rate},
                  {"flops_per_second", data.flop_rates},
                  {"faster_executions", data.beyond_roof}};
  j["instructions"] = ordered_json::array();
  for (const RegionWork& region : data.regions) {
    const Instruction& root = *region.root;
    ordered_json row = {{"instruction", NameInText(root)}, {"computation", std::string(root.parent->name)}, {"operation", std::string(Name(root.opcode))},
                        {"shape", root.shape.ToString(false)}};
    if (!root.metadata.op_name.empty()) row["op_name"] = std::string(root.metadata.op_name);
    if (const SourceLine line = SourceLineOf(*data.program, root); line.known()) row["line"] = absl::StrCat(line.file, ":", line.line);
    AddWork(region.work, data.total, &row);
    if (region.members.size() > 1) {
      for (size_t m = 0; m < region.members.size(); ++m) {
        row["fused"].push_back({{"instruction", NameInText(*region.members[m])}, {"share", region.shares[m]}});
      }
    }
    j["instructions"].push_back(std::move(row));
  }
  j["operations"] = Rows(data, ProfileBy::kOperation, "operation");
  j["scopes"] = Rows(data, ProfileBy::kScope, "scope");
  j["lines"] = Rows(data, ProfileBy::kLine, "line");
  j["loops"] = ordered_json::array();
  for (const LoopWork& loop : data.loops) {
    ordered_json iterations = ordered_json::array();
    for (const LoopWork::Iteration& each : loop.iterations) {
      ordered_json iteration = {{"iteration", each.of.back()}};
      if (each.of.size() > 1) iteration["around"] = std::vector<int64_t>(each.of.begin(), each.of.end() - 1);  // of the loops around, outer before inner
      AddWork(each.work, data.total, &iteration);
      iterations.push_back(std::move(iteration));
    }
    j["loops"].push_back({{"instruction", NameInText(*loop.loop)}, {"computation", std::string(loop.loop->parent->name)}, {"iterations", std::move(iterations)}});
  }
  ordered_json memory;
  memory["peak_bytes"] = data.peak_bytes;
  memory["owned_bytes"] = data.owned_bytes;
  memory["peak_at"] = data.peak_at != nullptr ? ordered_json(NameInText(*data.peak_at)) : ordered_json();
  memory["owners"] = ordered_json::array();
  for (const MemoryOwner& owner : data.owners) memory["owners"].push_back({{"value", owner.name}, {"shape", owner.shape}, {"bytes", owner.bytes}});
  memory["timeline"] = ordered_json::array();
  for (const auto& [seconds, bytes] : data.memory) memory["timeline"].push_back({seconds, bytes});
  j["memory"] = std::move(memory);
  return Dump(j, 1);
}

std::string TraceJson(const ProfileData& data) {
  // Put together by hand: there may be hundreds of thousands of events.
  const auto quoted = [](absl::string_view text) { return ordered_json(std::string(text)).dump(-1, ' ', false, ordered_json::error_handler_t::replace); };
  std::string out = absl::StrCat("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"events_dropped\":", data.events_dropped,
                                 "},\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":", quoted(absl::StrCat(data.module, " on ", data.backend)),
                                 "}},\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"program\"}}");
  absl::flat_hash_map<const Instruction*, std::string> heads, places;  // of an instruction, made once
  for (const ProfileData::Event& e : data.events) {
    const Instruction* i = e.instruction;
    std::string& head = heads[i];
    std::string& place = places[i];
    if (i != nullptr && head.empty()) {
      head = absl::StrCat("{\"name\":", quoted(NameInText(*i)), ",\"cat\":", quoted(Name(i->opcode)));
      place = absl::StrCat("\"computation\":", quoted(i->parent->name), ",\"shape\":", quoted(Cut(i->shape.ToString(false), 80)));
      if (!i->metadata.op_name.empty()) absl::StrAppend(&place, ",\"op_name\":", quoted(i->metadata.op_name));
      if (const SourceLine line = SourceLineOf(*data.program, *i); line.known()) absl::StrAppend(&place, ",\"line\":", quoted(absl::StrCat(line.file, ":", line.line)));
    }
    absl::StrAppend(&out, ",\n", e.is_frame || i == nullptr ? absl::StrCat("{\"name\":", quoted(e.label), ",\"cat\":\"frame\"") : head,
                    absl::StrFormat(",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f,\"args\":{", e.begin * 1e6, e.seconds * 1e6));
    if (!e.is_frame) {
      absl::StrAppend(&out, place, e.iteration >= 0 ? absl::StrCat(",\"iteration\":", e.iteration) : "", absl::StrFormat(",\"flops\":%.0f,\"bytes\":%.0f", e.flops, e.bytes));
    }
    out += "}}";
  }
  for (const auto& [seconds, bytes] : data.memory) {
    absl::StrAppend(&out, absl::StrFormat(",\n{\"name\":\"live memory\",\"ph\":\"C\",\"pid\":1,\"ts\":%.3f,\"args\":{\"bytes\":%d}}", seconds * 1e6, bytes));
  }
  return absl::StrCat(out, "\n]}\n");
}

}  // namespace hloscope
