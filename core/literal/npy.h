// NumPy's .npy files and .npz archives (zip, stored or deflated, zip64 where large), both ways.
// Not for choosing which array belongs to which parameter (core/debug/program_inputs.h).
//
// Types that NumPy has none for: bf16 is written as '<V2' (what ml_dtypes writes: view it as uint16 or as ml_dtypes.bfloat16), the f8 and f4
// types as '|u1' (their bits), s4 / u4 and narrower as '|i1' / '|u1' (their values). Reading takes all of these back when the wanted type is known.
#ifndef HLOSCOPE_CORE_LITERAL_NPY_H_
#define HLOSCOPE_CORE_LITERAL_NPY_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/literal/value.h"

namespace hloscope {

// `wanted` null: the type follows from the file ('<V2' is bf16). Otherwise the array must have its dimensions, and its type must be the
// wanted one, or its bits in an unsigned or void type, or (for float types that NumPy lacks) a float type, which is then rounded.
// InvalidArgument for a damaged file or another array, NotFound when it cannot be opened.
absl::StatusOr<Value> ReadNpy(const std::string& path, const Shape* wanted = nullptr, MemoryAccount* account = nullptr);
// `value` is an array. Overwrites.
absl::Status WriteNpy(const std::string& path, const Value& value);

class NpzReader {
 public:
  static absl::StatusOr<std::unique_ptr<NpzReader>> Open(const std::string& path);
  ~NpzReader();
  // Names without ".npy", in the archive's order.
  const std::vector<std::string>& names() const { return names_; }
  bool Has(absl::string_view name) const;
  absl::StatusOr<Value> Read(absl::string_view name, const Shape* wanted = nullptr, MemoryAccount* account = nullptr) const;

 private:
  struct Entry {
    uint64_t offset = 0, compressed = 0, size = 0;
    uint32_t crc = 0;
    int method = 0;
  };
  NpzReader() = default;
  absl::Status ReadDirectory();
  std::string path_;
  std::FILE* file_ = nullptr;
  uint64_t file_size_ = 0;
  std::vector<std::string> names_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<std::string, size_t> places_;  // the first of each name
};

// Arrays are stored without compression. Add them one by one, then Close.
class NpzWriter {
 public:
  static absl::StatusOr<std::unique_ptr<NpzWriter>> Create(const std::string& path);
  ~NpzWriter();
  absl::Status Add(absl::string_view name, const Value& array);
  absl::Status Close();

 private:
  struct Entry {
    std::string name;
    uint64_t offset = 0, size = 0;
    uint32_t crc = 0;
  };
  NpzWriter() = default;
  std::string path_;
  std::FILE* file_ = nullptr;
  std::vector<Entry> entries_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_NPY_H_
