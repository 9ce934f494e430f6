// What sessions of the console get from the window's rooms.
#include "app/cli/verb.h"
#include "visualizer/model/picture_view.h"

namespace hloscope::cli {

void EquipSession(Session& session) { InstallPictures(session); }

}  // namespace hloscope::cli
