// The reference backend: every instruction by itself, its element program interpreted. The meaning, slowly; no dependencies.
#ifndef HLOSCOPE_BACKENDS_REFERENCE_BACKEND_H_
#define HLOSCOPE_BACKENDS_REFERENCE_BACKEND_H_

#include <memory>

#include "core/exec/backend.h"

namespace hloscope {

// Thread-safe. Kernels point into the module they were made for. `options` are ignored: it runs on the caller's thread, caches nothing.
std::unique_ptr<Backend> MakeReferenceBackend(const BackendOptions& options = {});

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_REFERENCE_BACKEND_H_
