// Loading user libraries and handing buffers to their functions.
#include "core/exec/custom_call.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "core/exec/fault_guard.h"

namespace hloscope {
namespace {

void CollectInputs(const Value& value, std::vector<void*>& buffers) {
  if (value.shape().IsTuple()) {
    for (const Value& element : value.elements()) CollectInputs(element, buffers);
  } else {
    buffers.push_back(const_cast<std::byte*>(value.physical_data()));
  }
}

absl::StatusOr<Value> MakeResult(const Shape& shape, MemoryAccount* account, std::vector<void*>& buffers) {
  if (shape.IsToken()) return Value::Token();
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      absl::StatusOr<Value> value = MakeResult(element, account, buffers);
      if (!value.ok()) return value.status();
      elements.push_back(*std::move(value));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  Value value = Value::AllocateInLayout(shape, account);
  if (!value.has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for a result of ", shape.ByteSize(), " bytes"));
  buffers.push_back(value.mutable_physical_data());
  return value;
}

}  // namespace

CustomCallLibrary::~CustomCallLibrary() {
  for (void* handle : handles_) dlclose(handle);
}

absl::Status CustomCallLibrary::Load(const std::string& path) {
  // dlopen searches the system's directories for a bare name; a user who writes `lib.so` means the file beside them.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return absl::NotFoundError(absl::StrCat("cannot load custom call library: ", dlerror()));
  handles_.push_back(handle);
  return absl::OkStatus();
}

void CustomCallLibrary::Register(std::string target, CustomCallFunction function) { registered_.emplace_back(std::move(target), function); }

CustomCallFunction CustomCallLibrary::Find(absl::string_view target) const {
  for (const auto& [name, function] : registered_) {
    if (name == target) return function;
  }
  std::string symbol(target);
  for (void* handle : handles_) {
    void* found = dlsym(handle, symbol.c_str());
    if (found == nullptr) continue;
    // dlsym also searches what the library depends on: a target called "free" must not find the C library's.
    Dl_info info;
    link_map* library = nullptr;
    if (dladdr(found, &info) != 0 && dlinfo(handle, RTLD_DI_LINKMAP, &library) == 0 && reinterpret_cast<uintptr_t>(info.dli_fbase) == library->l_addr) {
      return reinterpret_cast<CustomCallFunction>(found);
    }
  }
  return nullptr;
}

absl::StatusOr<Value> CustomCallLibrary::Call(CustomCallFunction function, const Instruction& instruction, absl::Span<const Value> operands,
                                              MemoryAccount* account) {
  std::vector<void*> in, out;
  for (const Value& operand : operands) CollectInputs(operand, in);
  absl::StatusOr<Value> result = MakeResult(instruction.shape, account, out);
  if (!result.ok()) return result;
  void* out_argument = instruction.shape.IsTuple() ? static_cast<void*>(out.data()) : (out.empty() ? nullptr : out[0]);
  absl::Status status = RunGuarded([&] { function(out_argument, in.data()); });
  if (!status.ok()) return absl::Status(status.code(), absl::StrCat("custom call target \"", instruction.Text(AttrId::kCustomCallTarget), "\": ", status.message()));
  return result;
}

}  // namespace hloscope
