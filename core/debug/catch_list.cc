#include "core/debug/catch_list.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/debug/text_util.h"
#include "core/element/scalar_hazards.h"

namespace hloscope {
namespace {

std::string Usage() { return absl::StrCat("catch takes one of ", CatchKindNames(), " (after cancellation, how many bits)"); }

absl::Status TakeBits(absl::string_view text, CatchRequest* request) {
  if (request->kind != CatchKind::kCancellation) {
    return absl::InvalidArgumentError(absl::StrCat("a number of bits goes with cancellation only, as in cancellation:20, not with ", Name(request->kind)));
  }
  int bits = 0;
  if (!absl::SimpleAtoi(text, &bits) || bits < 1 || bits > kMostCancellationBits) {
    return absl::InvalidArgumentError(absl::StrCat("catch cancellation takes how many bits, 1 to ", kMostCancellationBits,
                                                   " (f64 has no more to lose, f32 24, bf16 8), not ", text));
  }
  request->bits = bits;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<CatchRequest>> ParseCatches(absl::string_view text) {
  std::vector<CatchRequest> all;
  for (const absl::string_view word : absl::StrSplit(text, absl::ByAnyChar(", \t"), absl::SkipEmpty())) {
    int number = 0;
    if (!all.empty() && all.back().bits == 0 && absl::SimpleAtoi(word, &number)) {
      if (absl::Status taken = TakeBits(word, &all.back()); !taken.ok()) return taken;
      continue;
    }
    const size_t colon = std::min(word.find(':'), word.size());
    const std::optional<CatchKind> kind = CatchKindOf(absl::AsciiStrToLower(word.substr(0, colon)));
    if (!kind.has_value()) return absl::InvalidArgumentError(absl::StrCat("there is nothing called '", word.substr(0, colon), "' to catch; ", Usage()));
    CatchRequest& request = all.emplace_back();
    request.kind = *kind;
    if (colon == word.size()) continue;
    if (absl::Status taken = TakeBits(word.substr(colon + 1), &request); !taken.ok()) return taken;
  }
  if (all.empty()) return absl::InvalidArgumentError(Usage());
  std::vector<CatchRequest> once;
  for (CatchRequest& request : all) {
    if (std::any_of(once.begin(), once.end(), [&](const CatchRequest& r) { return r.kind == request.kind && r.bits == request.bits; })) continue;
    request.number = static_cast<int>(once.size()) + 1;
    once.push_back(request);
  }
  return once;
}

std::string CatchText(CatchKind kind, int bits) { return absl::StrCat(Name(kind), bits > 0 ? absl::StrCat(" ", bits) : ""); }

std::string CatchDescription(CatchKind kind, int bits) {
  return absl::StrCat(Name(kind), bits > 0 ? absl::StrCat(" of ", Count(bits, "bit"), " or more") : "");
}

}  // namespace hloscope
