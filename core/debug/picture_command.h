// The command `picture` for pictures of operations: the session's only way to them. Who has pictures puts them in here; without, there are
// those of values (picture.h).
#ifndef HLOSCOPE_CORE_DEBUG_PICTURE_COMMAND_H_
#define HLOSCOPE_CORE_DEBUG_PICTURE_COMMAND_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/debug/session.h"

namespace hloscope {

// State::Extension<PictureLink>().
struct PictureLink {
  // There is a picture of this name.
  std::function<bool(absl::string_view id)> has;
  // `words`: options and what is drawn ("/step 3 %x[0,1]"); `id` empty: the best. Null: there are no pictures.
  std::function<absl::Status(Session::State& s, absl::string_view words, absl::string_view id, const std::string& path)> draw;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PICTURE_COMMAND_H_
