// What sessions of the console get from the window's rooms.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "app/cli/verb.h"
#include "core/debug/slice_command.h"
#include "visualizer/export/chosen_file.h"
#include "visualizer/model/picture_view.h"

namespace hloscope::cli {

namespace {

void InstallSliceDrawings(Session& session) {
  session.state().Extension<SliceDrawings>().write = [](Session::State& s, const SliceParts& slice, const std::string& what, bool causes, const std::string& path) -> absl::Status {
    const absl::StatusOr<std::string> note = WriteSliceFile({s.module.get(), slice, what, causes, HLOSCOPE_VERSION}, path);
    if (!note.ok()) return note.status();
    s.Say("wrote ", path, "\n");
    if (!note->empty()) s.Say("note: ", *note, absl::StrContains(*note, "--boxes") ? absl::StrCat(", of hloscope export ", causes ? "--slice" : "--influence") : "", "\n");
    return absl::OkStatus();
  };
}

}  // namespace

void EquipSession(Session& session) {
  InstallPictures(session);
  InstallSliceDrawings(session);
}

}  // namespace hloscope::cli
