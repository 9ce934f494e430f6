// Finding and showing the model's source; see the header. Going from line to line stands in step_line.cc.
#include "core/debug/source_view.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kLargestSource = int64_t{64} << 20;

bool IsFile(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= kLargestSource;
}

// Without the empty line after a last line break.
int LineCount(const SourceText& source) {
  const int lines = source.line_count();
  return lines > 1 && source.Line(lines).empty() ? lines - 1 : lines;
}

bool FileMatches(absl::string_view path, absl::string_view wanted) {
  return absl::EndsWith(path, wanted) && (path.size() == wanted.size() || path[path.size() - wanted.size() - 1] == '/');
}

// The file's name in the metadata for what a person typed, "" where no instruction has it.
absl::string_view NamedFile(const Module& module, absl::string_view typed) {
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      if (i->metadata.stack_frame_id == 0 && i->metadata.source_file.empty()) continue;
      for (const PythonFrame& frame : module.PythonFrames(*i)) {
        if (FileMatches(frame.file, typed)) return frame.file;
      }
    }
  }
  return "";
}

const Instruction* StopOf(const Session::State& s) {
  const Frame* frame = s.frame();
  if (frame == nullptr || frame->position >= static_cast<int>(frame->computation->schedule.size())) return nullptr;
  return frame->computation->schedule[frame->position];
}

// The line where the selected frame stands; an instruction without one belongs to the line before it in its computation.
SourceLine StopLine(const Session::State& s) {
  const Instruction* stop = StopOf(s);
  if (stop == nullptr) return {};
  for (int p = stop->index; p >= 0; --p) {
    const Instruction& i = *stop->parent->schedule[p];
    if (p < stop->index && Def(i).op_class == OpClass::kStructural) continue;
    if (const SourceLine line = SourceLineOf(*s.module, i); line.known()) return line;
  }
  return {};
}

void ListLines(Session::State& s, absl::string_view file, const SourceText& source, int first, int last) {
  SourceView& view = s.Extension<SourceView>();
  first = std::max(first, 1);
  last = std::min(last, LineCount(source));
  const SourceLine stop = StopLine(s);
  absl::flat_hash_set<int> marked;
  for (const auto& b : s.breakpoints) {
    for (const Location& location : b->locations) {
      if (const SourceLine at = SourceLineOf(*s.module, location.instruction()); b->enabled && at.file == file) marked.insert(at.line);
    }
  }
  const std::map<int, int>& counts = view.Counts(*s.module, file);
  std::string text = absl::StrCat(view.PlaceOf(*s.module, file), " (instructions of each line before the bar)\n");
  for (int line = first; line <= last; ++line) {
    const auto count = counts.find(line);
    absl::StrAppend(&text, stop.line == line && stop.file == file ? "=>" : "  ", marked.contains(line) ? "*" : " ",
                    absl::StrFormat("%-5d %5s | ", line, count != counts.end() ? absl::StrCat(count->second) : ""),
                    Cut(absl::StripTrailingAsciiWhitespace(source.Line(line)), 160));
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  s.Say(text);
  view.listed_file = std::string(file);
  s.list_first = first;
  s.list_last = last;
}

}  // namespace

SourceLine SourceLineOf(const Module& module, const Instruction& instruction) {
  if (instruction.metadata.stack_frame_id == 0 && instruction.metadata.source_file.empty()) return {};
  for (const PythonFrame& frame : module.PythonFrames(instruction)) return {frame.file, frame.line};
  return {};
}

std::string ToText(const SourceLine& line) { return absl::StrCat(Basename(line.file), ":", line.line); }

void SourceView::SetPath(absl::string_view path) {
  directories_.clear();
  for (absl::string_view directory : absl::StrSplit(path, ':', absl::SkipEmpty())) {
    directory = absl::StripAsciiWhitespace(directory);
    if (!directory.empty()) directories_.emplace_back(directory);
  }
  files_.clear();
  said.clear();
}

const SourceText* SourceView::Find(const Module& module, absl::string_view file) {
  if (file.empty()) return nullptr;
  auto known = files_.find(file);
  if (known != files_.end()) return known->second.text.get();
  File& found = files_[std::string(file)];
  std::vector<std::string> directories = directories_;
  if (module.source != nullptr) {
    const std::string& name = module.source->name();
    const size_t slash = name.rfind('/');
    directories.push_back(slash == std::string::npos ? "." : name.substr(0, std::max<size_t>(slash, 1)));
  }
  directories.push_back(".");
  std::vector<std::string> candidates;
  // A directory that a person named goes before what happens to lie at the path.
  for (size_t k = 0; k < directories.size(); ++k) {
    if (k == directories_.size()) candidates.emplace_back(file);
    absl::string_view part = absl::StripPrefix(file, "/");
    while (true) {
      candidates.push_back(absl::StrCat(directories[k], "/", part));
      const size_t slash = part.find('/');
      if (slash == absl::string_view::npos) break;
      part.remove_prefix(slash + 1);
    }
  }
  for (const std::string& candidate : candidates) {
    if (!IsFile(candidate)) continue;
    std::ifstream stream(candidate, std::ios::binary);
    std::stringstream bytes;
    bytes << stream.rdbuf();
    if (!stream) continue;
    found.place = candidate;
    found.text = std::make_unique<SourceText>(candidate, std::move(bytes).str());
    break;
  }
  return found.text.get();
}

std::string SourceView::PlaceOf(const Module& module, absl::string_view file) { return Find(module, file) != nullptr ? files_.find(file)->second.place : ""; }

std::string SourceView::TextOf(const Module& module, const SourceLine& line) {
  const SourceText* source = line.known() ? Find(module, line.file) : nullptr;
  return source == nullptr ? "" : std::string(absl::StripAsciiWhitespace(source->Line(line.line)));
}

const std::map<int, int>& SourceView::Counts(const Module& module, absl::string_view file) {
  if (counts_.empty()) {
    for (const Computation* computation : module.computations) {
      for (const Instruction* i : computation->instructions) {
        if (const SourceLine line = SourceLineOf(module, *i); line.known()) ++counts_[std::string(line.file)][line.line];
      }
    }
  }
  return counts_[std::string(file)];
}

std::string SourceMissingText(absl::string_view file) { return absl::StrCat(file, " is not here; set source-path DIR[:DIR] says where to look"); }

std::string PythonFramesWithSource(Session::State& s, const Instruction& instruction, absl::string_view indent) {
  std::string text;
  if (instruction.metadata.stack_frame_id == 0 && instruction.metadata.source_file.empty()) return text;
  SourceView& view = s.Extension<SourceView>();
  for (const PythonFrame& frame : s.module->PythonFrames(instruction)) {
    absl::StrAppend(&text, indent, frame.function.empty() ? "" : absl::StrCat(frame.function, " at "), frame.file, ":", frame.line, "\n");
    const std::string line = view.TextOf(*s.module, {frame.file, frame.line});
    if (!line.empty()) absl::StrAppend(&text, indent, "    ", Cut(line, 140), "\n");
  }
  return text;
}

bool ListSource(Session::State& s, absl::string_view args, absl::Status* status) {
  SourceView& view = s.Extension<SourceView>();
  *status = absl::OkStatus();
  const int size = static_cast<int>(s.list_size);
  const bool on = args.empty() && s.list_last > 0, back = args == "-";
  if (on || back) {
    const SourceText* source = view.listed_file.empty() ? nullptr : view.Find(*s.module, view.listed_file);
    if (source == nullptr) return false;
    const std::string file = view.listed_file;
    if (back && s.list_first <= 1) {
      *status = absl::OutOfRangeError("the file begins here");
    } else if (on && s.list_last >= LineCount(*source)) {
      *status = absl::OutOfRangeError(absl::StrCat("the file ends here; it has ", Count(LineCount(*source), "line")));
    } else if (back) {
      ListLines(s, file, *source, s.list_first - size, s.list_first - 1);
    } else {
      ListLines(s, file, *source, s.list_last + 1, s.list_last + size);
    }
    return true;
  }
  view.listed_file.clear();
  SourceLine at;
  int to = 0;  // the last line that is asked for; 0: as many as ever
  if (args.empty() || args == "source") {
    at = StopLine(s);
    if (!at.known()) {
      if (args.empty()) return false;
      *status = s.visible() ? absl::NotFoundError("the text names no source line here") : s.NeedFrames();
      return true;
    }
  } else {
    const size_t colon = args.rfind(':');
    if (colon == absl::string_view::npos) return false;
    absl::string_view lines = args.substr(colon + 1);
    if (const size_t comma = lines.find(','); comma != absl::string_view::npos) {  // FILE:FIRST,LAST
      if (!absl::SimpleAtoi(lines.substr(comma + 1), &to) || to < 1) return false;
      lines = lines.substr(0, comma);
    }
    if (!absl::SimpleAtoi(lines, &at.line) || at.line < 1) return false;
    if (s.module->source != nullptr && FileMatches(s.module->source->name(), args.substr(0, colon))) return false;
    at.file = NamedFile(*s.module, args.substr(0, colon));
    if (at.file.empty()) return false;
  }
  const SourceText* source = view.Find(*s.module, at.file);
  if (source == nullptr) {
    if (args == "source") {
      *status = absl::NotFoundError(SourceMissingText(at.file));
      return true;
    }
    bool& said = view.said[std::string(at.file)];
    if (!said) s.Say("(", SourceMissingText(at.file), "; this is the program's text)\n");
    said = true;
    return false;
  }
  if (at.line > LineCount(*source)) {
    *status = absl::OutOfRangeError(absl::StrCat(view.PlaceOf(*s.module, at.file), " has ", Count(LineCount(*source), "line"), ", and line ", at.line,
                                                 " is wanted; it may not be the file that the program was made from"));
    return true;
  }
  const int first = to > 0 ? at.line : std::max(1, at.line - size / 2);
  ListLines(s, at.file, *source, first, to > 0 ? std::max(first, to) : first + size - 1);
  return true;
}

absl::Status SetSourcePath(Session::State& s, absl::string_view path) {
  SourceView& view = s.Extension<SourceView>();
  path = absl::StripAsciiWhitespace(path);
  for (absl::string_view directory : absl::StrSplit(path, ':', absl::SkipEmpty())) {
    struct stat info {};
    const std::string name(absl::StripAsciiWhitespace(directory));
    if (stat(name.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return absl::NotFoundError(absl::StrCat("source-path: there is no directory ", name));
  }
  view.SetPath(path);
  s.list_first = s.list_last = 0;  // list begins where the program stands, in what is found now
  std::map<std::string, bool> files;
  for (const Computation* computation : s.module->computations) {
    for (const Instruction* i : computation->instructions) {
      if (const SourceLine line = SourceLineOf(*s.module, *i); line.known()) files[std::string(line.file)] = false;
    }
  }
  if (files.empty()) {
    s.Say("This program's text names no source files.\n");
    return absl::OkStatus();
  }
  int found = 0;
  for (auto& [file, is_found] : files) found += is_found = view.Find(*s.module, file) != nullptr;
  s.Say(found, " of ", Count(static_cast<int64_t>(files.size()), "source file"), " found\n");
  int shown = 0;
  for (const auto& [file, is_found] : files) {
    if (is_found || ++shown > 5) continue;
    s.Say("  not ", file, "\n");
  }
  return absl::OkStatus();
}

absl::Status InfoLine(Session::State& s, absl::string_view args) {
  SourceView& view = s.Extension<SourceView>();
  const Module& module = *s.module;
  args = absl::StripAsciiWhitespace(args);
  SourceLine at;
  const size_t colon = args.rfind(':');
  if (args.empty()) {
    const absl::Status running = s.NeedFrames();
    if (!running.ok()) return running;
    at = StopLine(s);
    if (!at.known()) return absl::NotFoundError("the text names no source line here; info line FILE:N takes any");
  } else if (absl::SimpleAtoi(args, &at.line)) {
    at.file = StopLine(s).file;
    if (at.file.empty()) return absl::InvalidArgumentError(absl::StrCat("which file? info line FILE:", at.line));
  } else if (colon != absl::string_view::npos && absl::SimpleAtoi(args.substr(colon + 1), &at.line)) {
    at.file = NamedFile(module, args.substr(0, colon));
    if (at.file.empty()) return absl::NotFoundError(absl::StrCat("no instruction comes from a file ", args.substr(0, colon), "; info source shows an instruction's frames"));
  } else {
    const absl::StatusOr<const Instruction*> found = s.FindInstruction(args);
    if (!found.ok()) return found.status();
    at = SourceLineOf(module, **found);
    if (!at.known()) return absl::NotFoundError(absl::StrCat("the text names no source line for ", ShownName(**found)));
  }
  std::vector<const Instruction*> own, through;
  int nearest = 0;
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->schedule) {
      if (i->metadata.stack_frame_id == 0 && i->metadata.source_file.empty()) continue;
      bool innermost = true;
      for (const PythonFrame& frame : module.PythonFrames(*i)) {
        if (frame.file == at.file && (nearest == 0 || std::abs(frame.line - at.line) < std::abs(nearest - at.line))) nearest = frame.line;
        if (frame.file == at.file && frame.line == at.line) {
          (innermost ? own : through).push_back(i);
          break;
        }
        innermost = false;
      }
    }
  }
  if (own.empty() && through.empty()) {
    return absl::NotFoundError(absl::StrCat("no instruction comes from ", ToText(at), nearest > 0 ? absl::StrCat("; the nearest line is ", nearest) : ""));
  }
  const std::string text = view.TextOf(module, at);
  s.Say(at.file, ":", at.line, text.empty() ? "" : "  ", text, "\n");
  if (view.Find(module, at.file) == nullptr) s.Say("(", SourceMissingText(at.file), ")\n");
  constexpr size_t kMost = 100;
  const auto list = [&](const std::vector<const Instruction*>& instructions, absl::string_view what) {
    if (instructions.empty()) return;
    s.Say(Count(static_cast<int64_t>(instructions.size()), "instruction"), " ", what, "\n");
    for (size_t k = 0; k < std::min(instructions.size(), kMost); ++k) {
      const Instruction& i = *instructions[k];
      s.Say("  ", Describe(module, {i.parent, i.index}), "  ", ShapeText(i.shape), " ", Name(i.opcode), "\n");
    }
    if (instructions.size() > kMost) s.Say("  (", instructions.size() - kMost, " more)\n");
  };
  list(own, "of this line");
  list(through, "of what it calls");
  return absl::OkStatus();
}

}  // namespace hloscope
