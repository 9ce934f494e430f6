// Pictures of meaning: one file for each kind, and its row in pictures.def. A picture is a function of an instruction, its values and a
// selection to a Drawing; it asks no session and draws no window. Live in the panel Picture, in lessons, and in files (hloscope export --picture).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_PICTURE_H_
#define HLOSCOPE_VISUALIZER_PICTURES_PICTURE_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "visualizer/canvas/drawing.h"
#include "visualizer/pictures/captions.h"

namespace hloscope {

// Cells of pictures (Cell::array): operand i is i, output (leaf) o is kResultArray + o. A picture's own arrays (linear memory, an
// intermediate step) are kOwnArray + n.
inline constexpr int kResultArray = 1000;
inline constexpr int kOwnArray = 2000;

// Data that a picture draws. Values are immutable and shared: taking one is cheap.
struct PictureData {
  const Instruction* instruction = nullptr;
  std::vector<Value> operands;     // one an operand; empty Values where the program has not come so far
  Value result;                    // empty: not there yet
  // Of a loop: what it carried at the start of each iteration, of long ones those from `first_iteration` on, and last its result. Empty elsewhere.
  std::vector<Value> iterations;
  int64_t first_iteration = 0;
  int64_t iteration_count = -1;    // how many there were; -1: as many as `iterations` says
  // Whether what makes the result adds in an order of its own (Kernel::library_order); null: it does not. May compile.
  std::function<bool()> library_order;
  // Of an exchange in a run on several devices: what each has, replica by replica; `operands` and `result` are those of the selected one.
  // Of what waits for an exchange, the operands are those of what began it (CollectiveOf).
  struct OfDevice {
    std::vector<Value> operands;
    Value result;
    // It takes part with another instruction than the one that is shown, of another function or branch, which brings and gives what has these
    // names; none: it has not come to it yet.
    bool other_instruction = false;
    std::vector<std::string> operand_names;
    std::string result_name;
    // Whether it has come to an exchange that others of its group have come to, and that is not made yet; none: it is made, or nobody has come.
    std::optional<bool> come;
    std::string stands;  // of one that has not: "is at %p in main, model.hlo:3"
  };
  std::vector<OfDevice> devices;
  // Of a send or receive, or what waits for one, in such a run: what goes over its channel. `devices` is empty.
  struct Transfer {
    int from = -1, to = -1;              // devices; -1: nobody has used this end yet
    const Instruction* sends = nullptr;  // null: not known
    const Instruction* takes = nullptr;  // the one that gives what has arrived
    Value sent, arrived;                 // the sender's operand; what `takes` gave
    bool unsent = false;                 // the sender has what it is to send, and stands before that
  };
  std::vector<Transfer> transfers;
  std::vector<std::string> faults;  // of devices that stand at the exchange: "replica 3 stopped with an error: ...", "replica 0 waits for ever ..."
  bool several = false;  // a run on so many devices:
  int64_t replicas = 1, partitions = 1;
  int selected = 0;  // of the devices
};

// What somebody looks at. A new one is a new drawing.
struct PictureSelection {
  std::optional<Cell> hovered;     // under the mouse
  std::optional<Cell> pinned;      // clicked
  const Cell* cell() const { return hovered ? &*hovered : pinned ? &*pinned : nullptr; }
  // First visible row, column and slice of an array that is too large to be shown whole.
  struct Window {
    std::vector<int64_t> first;    // by dimension
  };
  std::map<int, Window> windows;   // by Cell::array
  int step = -1;                   // of what has an order (Picture::steps); -1: all of it
  std::map<std::string, std::string> options;  // a picture's own: "minor_to_major" -> "1,0"
  bool live = false;               // somebody can click and hover: with buttons; without, as in a file
  Captions captions;               // the language of what it says
  float width = 900;               // that there is room for; a picture may be taller than what is seen
};

struct MadePicture {
  Drawing drawing;
  int steps = 0;                   // that can be walked through, one after the other; 0: nothing has an order
  std::string step_text;           // what happens in the step that is shown
  // Cells that belong to the selected one: on the other side of the operation. Told by the same relation that the element program has.
  std::vector<Cell> related;
  int64_t related_total = 0;       // also beyond what is listed
  int groups = 0;                  // of devices, of which the option `group` chooses one
  int members = 0;                 // of that group, of which the option `member` chooses the first that is drawn; of pairs among many: devices, of which it chooses one
  std::optional<Cell> selected;    // the selected cell, where the picture draws it as one of its own
};

// A row of pictures.def.
struct PictureRow {
  const char* id;     // "broadcast", for --picture and commands
  const char* title;  // "Broadcast"
  const char* help;   // one line
  // How well it tells this instruction's meaning: 0 not at all; the highest row is shown first.
  int (*suits)(const Instruction& instruction);
  absl::StatusOr<MadePicture> (*draw)(const PictureData& data, const PictureSelection& selection);
};
const std::vector<PictureRow>& PictureRows();
const PictureRow* FindPictureRow(absl::string_view id);
// Those that suit, best first; never empty for an instruction with an array in its operands or result.
std::vector<const PictureRow*> PicturesFor(const Instruction& instruction);

// What the picture of a broadcast begins with where a reshape that drops sizes of 1 stands before it; null elsewhere. An element of it is
// `of_operand` of the broadcast's own operand.
const Instruction* BroadcastSource(const Instruction& broadcast, absl::Span<const int64_t> index, std::vector<int64_t>* of_operand);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_PICTURE_H_
