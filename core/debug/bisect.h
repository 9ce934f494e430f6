// A folder of modules dumped before and after compiler passes, in order. Not for reading or running them (app/cli/bisect.cc).
#ifndef HLOSCOPE_CORE_DEBUG_BISECT_H_
#define HLOSCOPE_CORE_DEBUG_BISECT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hloscope {

struct DumpFile {
  std::string file;      // its name, without the folder
  std::string module;    // "module_0001.jit_f"; empty where names do not say
  int64_t step = -1;     // number of the dump; -1: none
  int rank = 0;          // within a step: before a pass, unknown, after it; of the whole: before and after all optimizations
  std::string pipeline;  // "simplification"
  std::string pass;      // what ran just before this dump: "algsimp"; empty: nothing is known to have
  std::string next;      // what runs just after it: "dce"; empty: that is not known
};

// What the names of two dumps that follow one another say of what ran between them, as a clause: "number 3 is missing"; empty: nothing.
std::string GapBetween(const DumpFile& before, const DumpFile& after);

// What a name says. False for a file that is no dump of a module (buffer assignments, LLVM code, options, pictures, ...).
//   module_0001.jit_f.before_optimizations.txt
//   module_0001.jit_f.0003.simplification.after_algsimp.before_dce.txt
//   module_0001.jit_f.0003.algsimp.after_pipeline.hlo
//   module_0001.jit_f.cpu_after_optimizations.txt
//   module_0001.jit_f.sm_8.0_gpu_after_optimizations.txt
bool ParseDumpName(absl::string_view file, DumpFile& dump);

// The dumps among `files`, in the order in which they were made, those of one module together. Of a step in several formats one is kept.
std::vector<DumpFile> OrderDumps(const std::vector<std::string>& files);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_BISECT_H_
