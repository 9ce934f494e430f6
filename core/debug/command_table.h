// The handlers behind the rows of commands.def. For session.cc; the rows themselves are Commands() in session.h.
#ifndef HLOSCOPE_CORE_DEBUG_COMMAND_TABLE_H_
#define HLOSCOPE_CORE_DEBUG_COMMAND_TABLE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/debug/session.h"

namespace hloscope {

using CommandHandler = absl::Status (*)(Session::State&, absl::string_view);
// Of Commands()[row].
CommandHandler HandlerOf(int row);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_COMMAND_TABLE_H_
