// Compiled kernels on disk, one file a kernel, found by a hash of everything that its bytes depend on and compared with all of it.
// Safe for any number of processes: files appear whole by rename; damaged or foreign ones are ignored. Knows nothing of LLVM.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_DISK_CACHE_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_DISK_CACHE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace hloscope {

class DiskCache {
 public:
  explicit DiskCache(std::string directory);  // empty: nothing is kept
  std::optional<std::string> Load(absl::string_view key) const;
  // Failures are silent: a cache that cannot be written is only slower.
  void Store(absl::string_view key, absl::string_view bytes) const;
  std::string PathFor(absl::string_view key) const;

 private:
  std::string directory_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_DISK_CACHE_H_
