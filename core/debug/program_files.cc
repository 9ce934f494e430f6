#include "core/debug/program_files.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/debug/extract.h"
#include "core/debug/text_util.h"
#include "core/literal/npy.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

std::string Stem(absl::string_view program) { return std::string(absl::StripSuffix(absl::StripSuffix(program, ".hlo"), ".txt")); }

// As options name a device.
std::string OptionOf(int device, const SessionDevices& devices) {
  if (devices.partitions == 1) return absl::StrCat(device);
  return absl::StrCat(device / devices.partitions, ".", device % devices.partitions);
}

}  // namespace

std::string ProgramFiles::InputOptions() const {
  std::string text;
  if (!archive.empty()) absl::StrAppend(&text, " --inputs ", ShellWord(archive));
  for (const auto& [of, file] : own) absl::StrAppend(&text, " --input ", ShellWord(absl::StrCat(of, "=", file)));
  return text.empty() ? text : text.substr(1);
}

std::string ProgramFiles::Text(int64_t values) const {
  std::string text = absl::StrCat(Count(values, "value"), " to ", archive);
  if (!own.empty()) absl::StrAppend(&text, " and ", own.size(), " of single devices to ", own.front().second, own.size() > 1 ? ", ..." : "");
  return text;
}

bool HasOwn(const DeviceValues& parameters) {
  return std::any_of(parameters.begin(), parameters.end(), [&](const std::vector<Value>& of) {
    return !std::equal(of.begin(), of.end(), parameters[0].begin(), [](const Value& a, const Value& b) { return Value::BitEqual(a, b); });
  });
}

absl::Status WriteProgramFiles(const Module& module, const DeviceValues& parameters, const SessionDevices& devices, const std::string& path,
                               ProgramFiles* files) {
  files->program = path;
  files->own.clear();
  if (absl::Status written = WriteProgram(module, parameters[0], path, &files->archive); !written.ok()) return written;
  for (int d = 1; d < static_cast<int>(parameters.size()); ++d) {
    for (size_t k = 0; k < parameters[d].size(); ++k) {
      if (Value::BitEqual(parameters[d][k], parameters[0][k])) continue;
      const std::string device = absl::StrReplaceAll(devices.Name(d), {{", ", "_"}, {" ", "_"}});
      const std::string file = absl::StrCat(Stem(path), "_", device, "_", k, ".npy");
      if (absl::Status written = WriteNpy(file, ToDense(parameters[d][k])); !written.ok()) return written;
      files->own.emplace_back(absl::StrCat(OptionOf(d, devices), ":", k), file);
    }
  }
  return absl::OkStatus();
}

absl::Status NeedArchive(ProgramFiles* files) {
  if (!files->archive.empty()) return absl::OkStatus();
  files->archive = absl::StrCat(Stem(files->program), ".npz");
  absl::StatusOr<std::unique_ptr<NpzWriter>> writer = NpzWriter::Create(files->archive);
  return writer.ok() ? (*writer)->Close() : writer.status();
}

std::string DeviceOptions(const Module& module, const SessionDevices& devices) {
  const auto says = [&module](absl::string_view header, int64_t count) {
    const std::string* text = module.FindHeader(header);
    return (text == nullptr ? "1" : *text) == absl::StrCat(count);
  };
  std::string text;
  if (devices.several() || !says("replica_count", devices.replicas)) absl::StrAppend(&text, " --replicas ", devices.replicas);
  if (devices.partitions > 1 || !says("num_partitions", devices.partitions)) absl::StrAppend(&text, " --partitions ", devices.partitions);
  return text;
}

}  // namespace hloscope
