// What the window draws from: an immutable picture of the session at one moment, made by the engine's thread after each command.
// Plain data and pointers into the program, which the snapshot keeps alive. Values are not in it: panels ask for those (live.h).
#ifndef HLOSCOPE_VISUALIZER_MODEL_SNAPSHOT_H_
#define HLOSCOPE_VISUALIZER_MODEL_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/source.h"
#include "core/debug/session.h"
#include "core/debug/slice_parts.h"
#include "core/exec/machine.h"
#include "core/ir/module.h"

namespace hloscope {

// A frame of the stack; the outermost (the entry's) first, as Machine::frames().
struct FrameRow {
  FrameKind kind = FrameKind::kEntry;
  const Computation* computation = nullptr;
  int position = 0;                 // of the next instruction in the schedule
  const Instruction* at = nullptr;  // that instruction; null at the end of the computation
  const Instruction* caller = nullptr;
  int64_t iteration = 0;
  int branch = -1;
  std::string text;  // "%dot.5 in body (loop body of %while.3, iteration 4)"
};

// A breakpoint, logpoint, watch or catch.
struct StopRow {
  enum Kind : uint8_t { kBreak, kLog, kWatch, kCatch };
  Kind kind = kBreak;
  int number = 0;
  std::string what;       // the location as typed, the watched expression, the kind of catch
  std::string condition;  // empty: none
  std::string text;       // of a logpoint
  bool enabled = true, temporary = false, from_program = false;
  int64_t hits = 0, ignore = 0;
  std::vector<const Instruction*> at;  // of a breakpoint or logpoint
};

struct DisplayRow {
  int number = 0;
  std::string expression;
};

// A moment that can be named on the timeline.
struct MomentRow {
  enum Kind : uint8_t { kBookmark, kKept };
  Kind kind = kBookmark;
  std::string name;
  Mark mark;
};

// Where the program has stopped, in this session: what is still set, each place once.
struct EventRow {
  StopRow::Kind kind = StopRow::kBreak;
  int number = 0;    // of the breakpoint, watch or catch
  Mark mark;
  std::string text;  // the first line that was said
};

// How often a loop goes round, as far as it is known.
struct TripRow {
  const Instruction* loop = nullptr;
  int64_t trips = 0;
  bool whole = false;  // it was run to its end; else it has come so far
};

enum class Phase : uint8_t {
  kEmpty,     // no program
  kBroken,    // the program cannot be read; problems say why
  kReady,     // read, not started
  kStopped,   // started; the machine stands somewhere
  kFinished,
  kError,     // stopped: an instruction failed
};

struct Snapshot {
  uint64_t generation = 0;          // of this snapshot
  uint64_t program_generation = 0;  // changes when the program does
  uint64_t moment_generation = 0;   // changes when the program moved or a value was set: values asked for before may be old
  Phase phase = Phase::kEmpty;
  std::string path;    // of the program's file; empty: none
  std::string format;  // "hlo text", ...
  std::shared_ptr<Session> session;            // keeps the module alive. Only the engine's thread may call it.
  std::shared_ptr<const Module> broken;        // a module that was read with errors, for looking at only
  const Module* module = nullptr;              // what the selected device runs; null: there is none. Literals of elided constants must not be looked at.
  std::shared_ptr<const SourceText> source;    // the text that the module's ranges point into; null for built modules
  std::vector<Diagnostic> problems;            // of reading
  std::string error;                           // of a kError stop
  std::vector<FrameRow> frames;                // the entry's first; empty before the start
  int selected_frame = 0;                      // index into frames
  std::vector<StopRow> stops;
  bool collecting = false;                     // the lines that are typed now are a breakpoint's commands
  std::vector<DisplayRow> displays;
  std::vector<MomentRow> moments;
  std::vector<EventRow> events;                // in the order in which they happened
  std::vector<TripRow> trips;                  // by computation and position
  Mark mark;                                   // where the program stands; empty before the start
  int64_t executed = 0;                        // instructions since the start
  const Instruction* caught = nullptr;         // what a catch stopped for; null: none did
  std::vector<int64_t> caught_element;         // of it; may be empty
  std::vector<const Instruction*> slice;       // what the last why or influence found; of this module
  std::shared_ptr<const SliceParts> slice_parts;  // the same with the runs that it is of; null: not told apart
  uint64_t slice_generation = 0;               // changes with each answer
  int slice_device = 0;                        // of an influence over several devices: of which device `slice` is
  int device = 0;                              // the selected one of several
  std::string device_name;                     // "replica 1"; empty: there is one
  double command_ms = 0;                       // that the last command took that moved the program
  // The file holds bytes that are no text and no program: there is nothing to edit.
  bool unreadable = false;
  bool from_file = false;                      // the program is as its file was read; else it is an edit of it, or a text without a file
  bool fresh = false;                          // a new program without anything in it
  int64_t memory_bytes = 0;
  bool stoppable() const { return phase == Phase::kStopped; }
  const FrameRow* frame() const { return selected_frame < static_cast<int>(frames.size()) ? &frames[selected_frame] : nullptr; }
  // The instruction that is executed next in the innermost frame; null when there is none.
  const Instruction* here() const { return frames.empty() ? nullptr : frames.back().at; }
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_SNAPSHOT_H_
