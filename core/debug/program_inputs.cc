// Matching files with parameters; see the header.
#include "core/debug/program_inputs.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/parallel_main.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/ops/parallel_call.h"

namespace hloscope {
namespace {

absl::Status At(absl::string_view where, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
}

// The number that an archive's array names, or -1.
int NumberOf(absl::string_view name) {
  for (absl::string_view prefix : {"arr_", "arg_", "arg", "input_", "output_", "parameter_", "parameter."}) {
    if (absl::ConsumePrefix(&name, prefix)) break;
  }
  int number = -1;
  return absl::SimpleAtoi(name, &number) ? number : -1;
}

int64_t RoomOf(int64_t memory_limit) {
  return memory_limit > 0 ? memory_limit : static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

// Of a tuple those of its arrays.
int64_t BytesToMake(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() ? shape.ByteSize() : 0;
  int64_t bytes = 0;
  for (const Shape& element : shape.tuple_shapes()) bytes += BytesToMake(element);
  return bytes;
}

// What the program's header says that its infeed has (infeed={f, g}, as the reader of StableHLO writes it): the results of these.
absl::StatusOr<std::vector<Value>> InfeedOfHeader(const Module& program) {
  const std::string* header = program.FindHeader("infeed");
  if (header == nullptr) return std::vector<Value>();
  std::vector<Computation*> functions;
  for (absl::string_view name : absl::StrSplit(absl::StripPrefix(absl::StripSuffix(*header, "}"), "{"), ',', absl::SkipWhitespace())) {
    functions.push_back(program.FindComputation(absl::StripPrefix(absl::StripAsciiWhitespace(name), "%")));
    if (functions.back() == nullptr || functions.back()->root == nullptr)
      return absl::NotFoundError(absl::StrCat("infeed=", *header, " in the header: there is no computation ", absl::StripAsciiWhitespace(name)));
  }
  return ConstantsOf(functions);
}

// What the program brings for its infeed, or where its main runs functions on several devices, for that of each.
absl::StatusOr<std::vector<Value>> InfeedOf(const Module& program, const SessionOptions& options) {
  if (options.devices.of_main) {
    const ParallelMain main = FindParallelMain(program);
    if (main.followed() && !main.infeed.empty()) return ConstantsOf(main.infeed);
  }
  return InfeedOfHeader(program);
}

}  // namespace

absl::Status RoomForParameters(int64_t bytes, int64_t memory_limit, absl::string_view counted) {
  const int64_t room = RoomOf(memory_limit);
  if (bytes <= room) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the parameters alone take ", FormatByteCount(bytes), counted, ", and ",
      memory_limit > 0 ? "--memory-limit is " : "this machine has ", FormatByteCount(room),
      "; hloscope debug with the same options makes only those that it comes to, and extract cuts out a part that can be run"));
}

absl::StatusOr<std::unique_ptr<ProgramInputs>> ProgramInputs::Open(const Module& module, const SessionOptions& options) {
  std::unique_ptr<ProgramInputs> inputs(new ProgramInputs(module, options.fill, options.memory_limit));
  const size_t count = module.entry->parameters.size();
  inputs->sources_.resize(count);
  for (size_t i = 0; i < std::min(count, options.arguments.size()); ++i) inputs->sources_[i].value = options.arguments[i];
  if (!options.inputs_npz.empty()) {
    absl::StatusOr<std::unique_ptr<NpzReader>> npz = NpzReader::Open(options.inputs_npz);
    if (!npz.ok()) return At("--inputs", npz.status());
    inputs->npz_ = *std::move(npz);
    const absl::Status matched = inputs->MatchArchive();
    if (!matched.ok()) return At("--inputs", matched);
  }
  for (const auto& [number, path, option] : options.input_files) {
    if (number < 0 || number >= static_cast<int>(count)) {
      return absl::InvalidArgumentError(absl::StrCat(option, "=", path, ": the program has ", Count(count, "parameter"),
                                                     count == 0 ? "" : count == 1 ? ", number 0" : absl::StrCat(", 0 to ", count - 1)));
    }
    inputs->sources_[number] = {path, option, "", Value()};
  }
  if (options.infeed_npz.empty()) {
    absl::StatusOr<std::vector<Value>> brought = InfeedOf(module.program(), options);
    if (!brought.ok()) return brought.status();
    inputs->infeed_ = *std::move(brought);
  } else {
    absl::StatusOr<std::unique_ptr<NpzReader>> npz = NpzReader::Open(options.infeed_npz);
    if (!npz.ok()) return At(options.infeed_option, npz.status());
    for (const std::string& name : (*npz)->names()) {
      absl::StatusOr<Value> item = (*npz)->Read(name);
      if (!item.ok()) return At(options.infeed_option, item.status());
      inputs->infeed_.push_back(*std::move(item));
    }
  }
  for (const std::string& path : options.custom_call_libraries) {
    const absl::Status loaded = inputs->custom_calls_.Load(path);
    if (!loaded.ok()) return At("--custom-call", loaded);
  }
  // Files are read when first needed, but one that cannot be opened is said at once.
  for (const auto& [number, path, option] : options.input_files) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return absl::NotFoundError(absl::StrCat(option, ": cannot open ", path, ": ", std::strerror(errno)));
    std::fclose(file);
  }
  return inputs;
}

absl::Status ProgramInputs::MatchArchive() {
  for (const std::string& name : npz_->names()) {
    int number = -1;
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (module_.entry->parameters[i]->name == name) number = static_cast<int>(i);
    }
    if (number < 0) number = NumberOf(name);
    if (number < 0 || number >= static_cast<int>(sources_.size())) {
      std::vector<absl::string_view> known;
      for (const Instruction* parameter : module_.entry->parameters) known.push_back(parameter->name);
      return absl::InvalidArgumentError(absl::StrCat("the array ", name, " belongs to no parameter; they are ", Cut(absl::StrJoin(known, ", "), 200),
                                                     known.empty() ? "none" : " (numbers do as well)"));
    }
    if (!sources_[number].npz_entry.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("the arrays ", sources_[number].npz_entry, " and ", name, " are both parameter ", number));
    }
    sources_[number].npz_entry = name;
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> ProgramInputs::Parameter(int number, MemoryAccount* account) const {
  const Source& source = sources_[number];
  const Shape& shape = module_.entry->parameters[number]->shape;
  const std::string where = absl::StrCat("parameter ", number);
  if (source.npy.empty() && source.npz_entry.empty() && source.value.has_value()) return source.value;
  if (source.npy.empty() && source.npz_entry.empty()) {
    const int64_t bytes = BytesToMake(shape), live = account != nullptr ? account->live() : 0;
    if (const int64_t room = RoomOf(memory_limit_); live + bytes > room) {
      return absl::ResourceExhaustedError(
          absl::StrCat("there is no room for ", where, ", ", ShownName(*module_.entry->parameters[number]), " ", shape.ToString(false), " (",
                       FormatByteCount(bytes), "): ", live > 0 ? absl::StrCat(FormatByteCount(live), " are taken, and ") : "",
                       memory_limit_ > 0 ? "--memory-limit is " : "this machine has ", FormatByteCount(room)));
    }
    return MakeInput(module_, number, fill_, account);
  }
  const std::string given = absl::StrContains(source.option, ':') ? source.option : where;  // a device's own says whose it is
  if (!shape.IsArray()) return absl::InvalidArgumentError(absl::StrCat(given, " is ", shape.ToString(false), ", which no .npy array can give"));
  absl::StatusOr<Value> value = source.npy.empty() ? npz_->Read(source.npz_entry, &shape, account) : ReadNpy(source.npy, &shape, account);
  if (!value.ok()) return At(given, value.status());
  return value;
}

int64_t ProgramInputs::made_up_bytes() const {
  int64_t bytes = 0;
  for (size_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    if (source.npy.empty() && source.npz_entry.empty() && !source.value.has_value())
      bytes += BytesToMake(module_.entry->parameters[i]->shape);
  }
  return bytes;
}

absl::Status ProgramInputs::CheckRoom() const { return RoomForParameters(made_up_bytes(), memory_limit_); }

int ProgramInputs::from_files() const {
  int n = 0;
  for (const Source& source : sources_) n += !source.npy.empty() || !source.npz_entry.empty();
  return n;
}

int ProgramInputs::from_snapshot() const {
  int n = 0;
  for (const Source& source : sources_) n += source.npy.empty() && source.npz_entry.empty() && source.value.has_value();
  return n;
}

std::string ProgramInputs::Summary() const {
  const int files = from_files(), snapshot = from_snapshot(), made = parameter_count() - files - snapshot;
  std::vector<std::string> parts;
  const bool only = files == parameter_count() || snapshot == parameter_count() || made == parameter_count();
  const auto part = [&](int n, std::string from) {
    if (n > 0) parts.push_back(only ? from : absl::StrCat(n, " ", from));
  };
  part(files, "from files");
  part(snapshot, "from the snapshot");
  part(made, absl::StrCat("made up (", ToText(fill_), ")"));
  const std::string text = Count(parameter_count(), "parameter");
  if (parts.empty()) return text;
  if (only) return absl::StrCat(text, made > 0 ? ", " : " ", parts[0]);
  return absl::StrCat(text, ": ", absl::StrJoin(parts, ", "));
}

std::string ToText(const Fill& fill) {
  switch (fill.kind) {
    case Fill::kRandom: return absl::StrCat("random:", fill.seed);
    case Fill::kZeros: return "zeros";
    case Fill::kOnes: return "ones";
    case Fill::kIota: return "iota";
  }
  return "";
}

int CountElidedConstants(const Module& module) {
  int count = 0;
  for (const Computation* computation : module.computations) {
    for (const Instruction* instruction : computation->instructions) count += instruction->literal != nullptr && instruction->literal->elided;
  }
  return count;
}

std::string ElidedWarning(int count) {
  if (count == 0) return "";
  return absl::StrCat("warning: ", Count(count, "constant"), count == 1 ? " is" : " are",
                      " elided in the text ({...}) and made up here: THIS RUN IS NOT A REPRODUCTION; dump the program with --xla_dump_large_constants=true\n");
}

}  // namespace hloscope
