// The command why: reads the line, finds the element, and writes the slice where it is wanted.
#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/ahead_together.h"
#include "core/debug/device_readers.h"
#include "core/debug/devices.h"
#include "core/debug/file_words.h"
#include "core/debug/last_slice.h"
#include "core/debug/session_state.h"
#include "core/debug/slice_command.h"
#include "core/debug/slice_instructions.h"
#include "core/debug/slice_text.h"
#include "core/debug/subscript.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/literal/scalar.h"
#include "core/literal/statistics.h"

namespace hloscope {

absl::string_view ElementOf(absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  while (absl::StartsWith(args, "/")) {
    const absl::string_view option = TakeWord(args);
    if (option != "/all" && option != "/control" && option != "/to-end") (void)TakeFile(args);  // its number or file
  }
  return args;
}

absl::StatusOr<SliceRequest> ParseSliceRequest(Session::State& s, absl::string_view command, absl::string_view args) {
  SliceRequest request;
  const bool influence = absl::EndsWith(command, "influence");
  const auto as = [&](absl::string_view rest) { return AsTyped(command, rest); };
  args = absl::StripAsciiWhitespace(args);
  while (absl::StartsWith(args, "/")) {
    const absl::string_view option = TakeWord(args);
    if (option == "/all") {
      request.all = true;
    } else if (option == "/control") {
      request.control = true;
    } else if (option == "/to-end" && influence) {
      request.to_end = true;
    } else if (option == "/depth" || ((option == "/top" || option == "/nodes") && !influence)) {
      const absl::string_view word = TakeWord(args);
      int number = 0;
      if (!absl::SimpleAtoi(word, &number) || number < 1)
        return absl::InvalidArgumentError(absl::StrCat(option, " takes a number from 1, as: ", as(absl::StrCat(option, " 5 %x[0]"))));
      (option == "/depth" ? request.depth : option == "/top" ? request.top : request.nodes) = number;
    } else if (option == "/json" || option == "/graph") {
      const absl::StatusOr<std::string> named = TakeFile(args);
      if (!named.ok()) return named.status();
      const std::string& file = *named;
      if (file.empty() || file[0] == '%')
        return absl::InvalidArgumentError(absl::StrCat(option, " takes a file, or - for the console, as: ",
                                                       as(absl::StrCat(option, " slice", option == "/json" ? ".json" : ".dot", " %x[0]"))));
      (option == "/json" ? request.json : request.graph) = file;
    } else {
      return absl::InvalidArgumentError(absl::StrCat(command, " has no option ", option, "; it has ",
                                                     influence ? "/depth N, /to-end, /all" : "/depth N, /top N, /nodes N, /all, /control",
                                                     ", /json FILE, /graph FILE"));
    }
  }
  if (args.empty()) return absl::InvalidArgumentError(absl::StrCat(command, " takes an element, as: ", as("%x[0,1]")));
  absl::string_view rest = args;
  absl::StatusOr<Reference> reference = ParseReference(rest, s);
  if (!reference.ok()) return reference.status();
  if (!absl::StripAsciiWhitespace(rest).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(command, " takes one element, as %x[0,1]; '", absl::StripAsciiWhitespace(rest), "' is too much"));
  }
  if (reference->name == "$result") {
    if (!s.Finished()) return absl::FailedPreconditionError("$result is there when the program has finished");
    request.place.frame = 0;
    request.place.instruction = s.module->entry->root;
  } else {
    absl::StatusOr<std::pair<int, const Instruction*>> found = s.FindValue(reference->name);
    if (!found.ok()) return WithMoment(found.status(), command, args);
    request.place.frame = found->first;
    request.place.instruction = found->second;
  }
  // Subscripts go into the tuple first.
  const Shape* shape = &request.place.instruction->shape;
  size_t next = 0;
  for (; shape->IsTuple(); ++next) {
    if (next >= reference->subscripts.size()) {
      return absl::InvalidArgumentError(absl::StrCat(args, " is ", ShapeText(request.place.instruction->shape), "; name an element of an array in it, as ", args, "[0]"));
    }
    absl::string_view text = reference->subscripts[next];
    absl::StatusOr<Subscript> subscript = ParseSubscript(text);
    if (!subscript.ok()) return subscript.status();
    const int64_t count = static_cast<int64_t>(shape->tuple_shapes().size());
    if (subscript->size() != 1 || (*subscript)[0].kind != SubscriptItem::kIndex) return absl::InvalidArgumentError("a tuple takes one index");
    int64_t element = (*subscript)[0].index;
    if (element < 0) element += count;
    if (element < 0 || element >= count) return absl::OutOfRangeError(absl::StrCat("the tuple has ", Count(count, "element")));
    request.place.leaf += FirstLeafOf(*shape, static_cast<int>(element));
    shape = &shape->tuple_shapes()[element];
  }
  if (!shape->IsArray()) return absl::InvalidArgumentError(absl::StrCat(args, " is a ", shape->ToString(false), ", which has no elements"));
  if (reference->subscripts.size() > next + 1) return absl::InvalidArgumentError(absl::StrCat("one element is wanted of ", shape->ToString(false)));
  if (next < reference->subscripts.size()) {
    absl::string_view text = reference->subscripts[next];
    absl::StatusOr<Subscript> subscript = ParseSubscript(text);
    if (!subscript.ok()) return subscript.status();
    absl::StatusOr<int64_t> linear = ElementIndex(*shape, *subscript);
    if (!linear.ok()) return linear.status();
    request.place.linear = *linear;
    return request;
  }
  if (shape->ElementCount() == 0) return absl::InvalidArgumentError(absl::StrCat(args, " is ", shape->ToString(false), ", which has no elements"));
  if (shape->ElementCount() == 1) return request;
  request.first_nonfinite = true;  // of a whole array: the first element that is not finite
  absl::StatusOr<Value> value = s.machine->ValueOf(request.place.frame, request.place.instruction->index);
  if (!value.ok()) return value.status();
  const Value& array = LeafOf(*value, request.place.leaf);
  const ElementType type = array.shape().element_type();
  for (int64_t k = 0; (IsFloat(type) || IsComplex(type)) && k < array.element_count(); ++k) {
    if (LoadScalar(type, array.data() + k * StorageBytes(type)).IsFinite()) continue;
    request.place.linear = k;
    return request;
  }
  return absl::InvalidArgumentError(absl::StrCat("name one element of ", shape->ToString(false),
                                                 ", as: ", as(absl::StrCat(args, "[", absl::StrJoin(std::vector<int>(shape->rank(), 0), ","), "]")),
                                                 IsFloat(type) ? "; all are finite" : ""));
}

WhyOptions OptionsOfWhy(const SliceRequest& request) {
  WhyOptions options;
  if (request.depth > 0) options.depth = request.depth;
  if (request.top > 0) options.terms = request.top;
  if (request.nodes > 0) options.nodes = request.nodes;
  if (request.all) options.depth = -1;
  options.control = request.control;
  options.births = !request.all && request.depth == 0;
  return options;
}

FrameHistory::Past PastOf(Session::State& s) {
  FrameHistory::Past past;
  const Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr) return past;
  for (const Timeline::Moment& moment : timeline->moments()) past.push_back(moment.snapshot);
  return past;
}

namespace {

// "slice.json" of the first moment, "slice-2.json" of the second.
std::string FileOfMoment(const std::string& file, int moment) {
  if (moment < 2) return file;
  const size_t dot = file.rfind('.'), slash = file.rfind('/'), begin = slash == std::string::npos ? 0 : slash + 1;
  const size_t stem = dot == std::string::npos || dot <= begin ? file.size() : dot;
  return absl::StrCat(file.substr(0, stem), "-", moment, file.substr(stem));
}

}  // namespace

absl::Status WriteSlice(Session::State& s, const std::string& asked, const std::string& text) {
  if (asked == "-") {
    s.Say(text);
    return absl::OkStatus();
  }
  const std::string file = FileOfMoment(FileOfRun(s, asked), s.Extension<LastSlice>().moment);
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) return absl::InternalError(absl::StrCat("cannot write ", file, ": ", std::strerror(errno)));
  s.Say("wrote ", file, "\n");
  return absl::OkStatus();
}

absl::Status WriteSliceGraph(Session::State& s, const std::string& file, const SliceParts& slice, const ElementPlace& place, bool causes, const std::function<std::string()>& dot) {
  const bool drawn = absl::EndsWith(file, ".svg") || absl::EndsWith(file, ".png") || absl::EndsWith(file, ".pdf") || absl::EndsWith(file, ".html");
  if (!drawn) return WriteSlice(s, file, dot());
  const SliceDrawings& drawings = s.Extension<SliceDrawings>();
  if (!drawings.write) return absl::FailedPreconditionError("this build draws no graphs (HLOSCOPE_WINDOW=OFF); Graphviz makes a picture of a .dot file");
  const std::string of = absl::StrCat(PlaceText(place), Several(s) ? absl::StrCat(" on ", SelectedName(s)) : "");
  return drawings.write(s, slice, causes ? absl::StrCat("why ", of) : absl::StrCat("what ", of, " influences"), causes, FileOfMoment(FileOfRun(s, file), s.Extension<LastSlice>().moment));
}

absl::Status CommandWhy(Session::State& s, absl::string_view args) {
  if (absl::string_view expression, moment; SplitMoment(args, &expression, &moment)) {
    const OneAnswer one(s.Extension<LastSlice>());
    const std::string text(expression);
    const AheadTogether together(s);
    return LookBack(s, moment, ElementOf(text), [&](absl::string_view) { return CommandWhy(s, text); });
  }
  absl::StatusOr<SliceRequest> request = ParseSliceRequest(s, "why", args);
  if (!request.ok()) return request.status();
  s.machine->interrupt().store(false);
  DeviceReaders readers(s);
  request->place.device = readers.selected();
  absl::StatusOr<Slice> slice =
      BuildWhy([&readers](int device) -> ElementReader& { return readers.of(device); }, request->place, OptionsOfWhy(*request));
  if (!slice.ok()) return slice.status();
  LastSlice& last = s.Extension<LastSlice>();
  last.Begin(*s.module);
  for (const SliceNode& node : slice->nodes) last.Add(node.place.instruction);
  AddPartsOfWhy(readers.frames(), *slice, *request, OptionsOfWhy(*request).depth, &last.parts);
  if (!request->json.empty()) {
    absl::Status status = WriteSlice(s, request->json, SliceJson(*s.module, readers.frames(), *slice));
    if (!status.ok()) return status;
  }
  if (!request->graph.empty()) {
    SliceParts parts;  // of this moment
    AddPartsOfWhy(readers.frames(), *slice, *request, OptionsOfWhy(*request).depth, &parts);
    absl::Status status = WriteSliceGraph(s, request->graph, parts, request->place, true, [&] { return SliceDot(*s.module, readers.frames(), *slice); });
    if (!status.ok()) return status;
  }
  if (request->json.empty() && request->graph.empty()) {
    s.Say(SliceText(*s.module, readers.frames(), *slice, {.lines = request->all ? 0 : 60}));
  }
  return absl::OkStatus();
}

}  // namespace hloscope
