// Pictures (pictures/picture.h) of what a session is at, drawn on the engine's thread, for the panel and for the commands that write files.
// Not for the values that one draws (picture_data.h), nor for what a picture looks like.
#ifndef HLOSCOPE_VISUALIZER_MODEL_PICTURE_VIEW_H_
#define HLOSCOPE_VISUALIZER_MODEL_PICTURE_VIEW_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/debug/session.h"
#include "visualizer/canvas/paged.h"
#include "visualizer/pictures/picture.h"

namespace hloscope {

struct PictureWish {
  const Instruction* instruction = nullptr;
  std::string id;      // "": the one that suits best
  bool ahead = false;  // with values that the program has not come to yet, computed for the asker alone
  PictureSelection selection;
  // Different where another drawing is wished.
  std::string Key() const;
};

struct PictureShown {
  const Instruction* of = nullptr;
  const PictureRow* row = nullptr;
  std::shared_ptr<const MadePicture> made;
  bool result_there = false;
  int operands = 0, operands_there = 0;
  std::string why;     // the result is not there: "not executed yet"
  std::string iteration;  // of the loops that its frame is in: "iteration 3 of %while.2"; empty: outside of loops, and of constants
  double draw_ms = 0;  // what the drawing alone took
};

// InvalidArgument: no such picture, or it does not suit.
absl::StatusOr<PictureShown> ShowPicture(Session::State& s, const PictureWish& wish);

// Options of the command `picture`: "/step 3", "/light", "/dark", "/scale 2", "/width 1200", "/option k=v", "/ahead". Takes them off the front of `words`.
struct PictureFileOptions {
  PageOptions page;
  PictureSelection selection;
  bool ahead = false;
};
absl::Status TakePictureOptions(absl::string_view& words, PictureFileOptions* options);
// "result[0,1]", "1[3]" (of operand 1), "lhs[2,0]" (by an operand's name), "own0[2]", "[0,1]" (of the result). In a tuple first its element:
// "result[1][0,1]", "result[1]" of a scalar there. Also by the number of the leaf: "result1[0,1]", "0.1[2]".
absl::StatusOr<Cell> ParseCell(const Instruction& instruction, absl::string_view text);
std::string CellText(const Instruction& instruction, const Cell& cell);

// Draws into a file and says so.
absl::Status WritePicture(Session::State& s, const Instruction& instruction, absl::string_view id, const PictureFileOptions& options, const std::string& path);
// Gives the session's command `picture` the pictures.
void InstallPictures(Session& session);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_PICTURE_VIEW_H_
