// One array in the format of .npy, in a stream of bytes: for the files of one array (npy.cc) and for archives of many (npz.cc).
#ifndef HLOSCOPE_CORE_LITERAL_NPY_FORMAT_H_
#define HLOSCOPE_CORE_LITERAL_NPY_FORMAT_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/literal/byte_source.h"
#include "core/literal/value.h"

namespace hloscope {

// The magic, the version and the dictionary of a dense array of that shape; its bytes follow.
std::string NpyHeader(const Shape& shape);
// Reads both. `wanted`: see ReadNpy. InvalidArgument: not an array, or another one.
absl::StatusOr<Value> ReadNpyArray(ByteSource& source, const Shape* wanted, MemoryAccount* account);

// With what the system says of it.
absl::Status CannotOpen(const std::string& path);
absl::Status CannotWrite(const std::string& path);
uint64_t FileSize(std::FILE* file);  // and goes to its beginning
absl::Status WithPath(const absl::Status& status, absl::string_view path);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_NPY_FORMAT_H_
