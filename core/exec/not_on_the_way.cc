#include "core/exec/not_on_the_way.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

constexpr char kMark[] = "hloscope/not-on-the-way";

}  // namespace

absl::Status NotOnTheWay(absl::string_view why) {
  absl::Status status = absl::NotFoundError(absl::StrCat("that moment is not on the way: ", why));
  status.SetPayload(kMark, absl::Cord());
  return status;
}

bool IsNotOnTheWay(const absl::Status& status) { return status.GetPayload(kMark).has_value(); }

}  // namespace hloscope
