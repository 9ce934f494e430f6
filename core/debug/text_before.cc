#include "core/debug/text_before.h"

#include <map>
#include <utility>

#include "core/text/mlir/mlir.h"

namespace hloscope {
namespace {

// By program: State::Extension<TextsBefore>().
struct TextsBefore {
  std::map<const Module*, std::shared_ptr<const SourceText>> of;
};

bool IsStableHlo(const Module& module) { return module.source != nullptr && mlir::LooksLikeMlir(module.source->text()); }

}  // namespace

std::shared_ptr<const SourceText> StableHloText(Session::State& s) { return IsStableHlo(*s.module) ? s.module->source : StableHloBefore(s); }

std::shared_ptr<const SourceText> StableHloBefore(Session::State& s) {
  const auto& of = s.Extension<TextsBefore>().of;
  const auto found = IsStableHlo(*s.module) ? of.end() : of.find(s.module.get());
  return found == of.end() ? nullptr : found->second;
}

void KeepTextBefore(Session::State& s, std::shared_ptr<const SourceText> text) { s.Extension<TextsBefore>().of[s.module.get()] = std::move(text); }

}  // namespace hloscope
