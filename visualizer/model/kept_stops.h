// Stops, displays and bookmarks of a program as they lie on disk between starts. Several windows may have the same program: each brings
// only what changed in it since it looked last, so that none loses what another one has set, and what one has deleted stays deleted.
#ifndef HLOSCOPE_VISUALIZER_MODEL_KEPT_STOPS_H_
#define HLOSCOPE_VISUALIZER_MODEL_KEPT_STOPS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace hloscope {

struct KeptStops {
  std::vector<std::string> stops;                // each the commands that make it, a line each; the first line says which it is
  std::map<std::string, std::string> bookmarks;  // by name; marks as text (session_keeper.h)
  friend bool operator==(const KeptStops&, const KeptStops&) = default;
};

// `stored`, with what changed between `before` and `now` done to it. Bookmarks of one name that two windows have set are both kept, the
// later one as NAME-2.
KeptStops Merged(const KeptStops& before, const KeptStops& now, KeptStops stored);

// Of the program with that path; nothing where nothing is kept.
KeptStops ReadKeptStops(const std::string& folder, const std::string& path);
// What changed between `before` and `now` is written, while no other window writes.
absl::Status KeepStops(const std::string& folder, const std::string& path, const KeptStops& before, const KeptStops& now);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_KEPT_STOPS_H_
