// Where a program's parameters come from: .npy files, a .npz archive, a snapshot, or made up. Also its infeed and its user functions.
// Shared by the session and by `run`. Parameters are made one by one when asked for, not for keeping them.
#ifndef HLOSCOPE_CORE_DEBUG_PROGRAM_INPUTS_H_
#define HLOSCOPE_CORE_DEBUG_PROGRAM_INPUTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/session.h"
#include "core/exec/custom_call.h"
#include "core/ir/module.h"
#include "core/literal/npy.h"

namespace hloscope {

class ProgramInputs {
 public:
  // Opens what the options name and matches it with the parameters: an archive's array belongs to the parameter whose name or number it
  // has ("p.1", "0", "arr_0", "arg_0", "input_0", "output_0"). Errors: unreadable files, arrays that belong nowhere.
  static absl::StatusOr<std::unique_ptr<ProgramInputs>> Open(const Module& module, const SessionOptions& options);

  absl::StatusOr<Value> Parameter(int number, MemoryAccount* account) const;
  int parameter_count() const { return static_cast<int>(sources_.size()); }
  int64_t made_up_bytes() const;
  // ResourceExhausted: those that are made up do not fit into the memory limit, or without one into the machine; nothing is made for it.
  absl::Status CheckRoom() const;
  int from_files() const;
  int from_snapshot() const;
  const std::vector<Value>& infeed() const { return infeed_; }
  const CustomCallLibrary& custom_calls() const { return custom_calls_; }
  // "2 parameters: 1 from files, 1 made up (random:0)".
  std::string Summary() const;

 private:
  struct Source {
    std::string npy;        // a file
    std::string option;     // that named it
    std::string npz_entry;  // or an array of the archive
    Value value;            // or a value that came with the program; none of them: made up
  };
  ProgramInputs(const Module& module, Fill fill, int64_t memory_limit) : module_(module), fill_(fill), memory_limit_(memory_limit) {}
  absl::Status MatchArchive();

  const Module& module_;
  Fill fill_;
  int64_t memory_limit_ = 0;     // 0: none
  std::vector<Source> sources_;  // by parameter number
  std::unique_ptr<NpzReader> npz_;
  std::vector<Value> infeed_;
  CustomCallLibrary custom_calls_;
};

// ResourceExhausted: parameters of so many bytes do not fit. `counted`: ", how they were counted", or nothing.
absl::Status RoomForParameters(int64_t bytes, int64_t memory_limit, absl::string_view counted = "");

std::string ToText(const Fill& fill);
// Constants that the text elides, `constant({...})`: a run that reads them is no reproduction.
int CountElidedConstants(const Module& module);
std::string ElidedWarning(int count);  // empty when 0

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PROGRAM_INPUTS_H_
