#include "core/debug/stablehlo_origin.h"

#include <map>
#include <utility>

#include "core/text/mlir/mlir.h"
#include "core/text/stablehlo/stablehlo.h"

namespace hloscope {
namespace {

// By program: State::Extension<Origins>().
struct Origins {
  std::map<const Module*, std::shared_ptr<StableHloOrigin>> of;
};

bool IsStableHlo(const Module& module) { return module.source != nullptr && mlir::LooksLikeMlir(module.source->text()); }

}  // namespace

std::shared_ptr<StableHloOrigin> OriginOf(Session::State& s) {
  if (IsStableHlo(*s.module)) return std::make_shared<StableHloOrigin>(StableHloOrigin{s.module->source, nullptr});
  const auto& of = s.Extension<Origins>().of;
  const auto found = of.find(s.module.get());
  return found == of.end() ? nullptr : found->second;
}

void KeepOrigin(Session::State& s, std::shared_ptr<StableHloOrigin> origin) { s.Extension<Origins>().of[s.module.get()] = std::move(origin); }

const Module* StableHloBefore(Session::State& s) {
  const std::shared_ptr<StableHloOrigin> origin = IsStableHlo(*s.module) ? nullptr : OriginOf(s);
  if (origin == nullptr) return nullptr;
  if (origin->program == nullptr) {
    DiagnosticSink sink;
    std::unique_ptr<Module> program = ReadStableHlo(origin->text, sink);
    if (sink.error_count() == 0) origin->program = std::move(program);
  }
  return origin->program.get();
}

}  // namespace hloscope
