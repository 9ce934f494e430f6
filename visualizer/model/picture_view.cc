#include "visualizer/model/picture_view.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/picture_command.h"
#include "core/debug/session_state.h"
#include "core/debug/slice_command.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/ops/leaf_flow.h"
#include "visualizer/model/picture_data.h"
#include "visualizer/model/value_view.h"
#include "visualizer/pictures/picture_options.h"
#include "visualizer/pictures/scene.h"

namespace hloscope {
namespace {

std::string OptionsText(const std::map<std::string, std::string>& options) {
  return absl::StrJoin(options, ";", [](std::string* out, const auto& option) { absl::StrAppend(out, option.first, "=", option.second); });
}

std::string CellKey(const std::optional<Cell>& cell) { return cell.has_value() ? absl::StrCat(cell->array, "[", absl::StrJoin(cell->index, ","), "]") : "-"; }

std::string PicturesText(const Instruction& instruction) {
  return absl::StrJoin(PicturesFor(instruction), ", ", [](std::string* out, const PictureRow* row) { *out += row->id; });
}

}  // namespace

std::string PictureWish::Key() const {
  std::string key = absl::StrCat(reinterpret_cast<uintptr_t>(instruction), "|", id, "|", ahead ? "a" : "", "|", CellKey(selection.hovered), "|", CellKey(selection.pinned), "|", selection.step, "|", selection.width, "|", selection.captions.language(), "|",
                                 OptionsText(selection.options), "|");
  for (const auto& [array, window] : selection.windows) absl::StrAppend(&key, array, ":", absl::StrJoin(window.first, ","), ";");
  return key;
}

namespace {

// The iteration of a loop that is asked for: the step, or that of a selected cell.
int64_t IterationOf(const PictureSelection& selection) {
  if (selection.step >= 0) return selection.step;
  const std::optional<Cell>& cell = selection.pinned;
  if (!cell.has_value()) return 0;
  if (cell->array >= kOwnArray && cell->array < kOperandLeaf) return cell->index.empty() ? 0 : cell->index[0];
  return 0;
}

}  // namespace

absl::StatusOr<PictureShown> ShowPicture(Session::State& s, const PictureWish& wish) {
  const Instruction& instruction = *wish.instruction;
  PictureShown shown;
  shown.of = &instruction;
  const std::vector<const PictureRow*> suiting = PicturesFor(instruction);
  if (wish.id.empty()) {
    if (suiting.empty()) return absl::InvalidArgumentError(absl::StrCat(ShownName(instruction), " is ", ShapeText(instruction.shape), " without arrays round it: there is nothing to draw"));
    shown.row = suiting.front();
  } else {
    shown.row = FindPictureRow(wish.id);
    if (shown.row == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("there is no picture ", wish.id, "; ", ShownName(instruction), " has ", PicturesText(instruction)));
    }
    if (shown.row->suits(instruction) <= 0) {
      return absl::InvalidArgumentError(absl::StrCat("the picture ", wish.id, " is not for ", ShownName(instruction), " (", Name(instruction.opcode), "); it has ", PicturesText(instruction)));
    }
  }
  const std::shared_ptr<const PictureData> data = DataOfPicture(s, instruction, wish.ahead, IterationOf(wish.selection));
  shown.result_there = data->result.has_value();
  shown.operands = static_cast<int>(data->operands.size());
  for (const Value& operand : data->operands) shown.operands_there += operand.has_value();
  const Standing standing = StandingOf(s, instruction);
  if (instruction.literal == nullptr) shown.iteration = standing.iteration;
  if (!shown.result_there) {
    shown.why = standing.why.empty() ? "it has no value" : standing.why;
  }
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<MadePicture> made = shown.row->draw(*data, wish.selection);
  if (!made.ok()) return made.status();
  if (made->drawing.title.empty()) made->drawing.title = absl::StrCat(shown.row->title, " of ", ShownName(instruction));
  shown.made = std::make_shared<const MadePicture>(*std::move(made));
  shown.draw_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return shown;
}

namespace {

// "[1][0][2,3]" in its parts. Nothing: it is not so written.
std::optional<std::vector<absl::string_view>> Bracketed(absl::string_view text) {
  std::vector<absl::string_view> parts;
  while (!text.empty()) {
    const size_t end = text.find(']');
    if (!absl::ConsumePrefix(&text, "[") || end == absl::string_view::npos) return std::nullopt;
    parts.push_back(text.substr(0, end - 1));
    text.remove_prefix(end);
  }
  return parts;
}

using CellParts = std::vector<absl::string_view>;

std::optional<std::vector<int64_t>> IndexOf(absl::string_view part) {
  std::vector<int64_t> index;
  for (absl::string_view word : absl::StrSplit(part, ',', absl::SkipWhitespace())) {
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(word), &index.emplace_back())) return std::nullopt;
  }
  return index;
}

// Of a tuple, as print and why read it: a bracket for each tuple on the way to an array, then the array's indices, which a scalar may go
// without. The leaf; `index` as it is left.
absl::StatusOr<int> LeafOfParts(const std::string& text, const Shape& tuple, const CellParts& parts, std::vector<int64_t>* index) {
  const Shape* within = &tuple;
  int leaf = 0;
  size_t used = 0;
  for (; within->IsTuple() && used < parts.size() && parts[used].find(',') == absl::string_view::npos; ++used) {
    int element = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(parts[used]), &element)) break;
    if (element < 0 || element >= static_cast<int>(within->tuple_shapes().size())) {
      return absl::InvalidArgumentError(absl::StrCat(text, ": ", ShapeText(*within), " has no element ", element));
    }
    leaf += FirstLeafOf(*within, element);
    within = &within->tuple_shapes()[static_cast<size_t>(element)];
  }
  if (within->IsTuple()) {
    const std::string name = text.substr(0, text.find('['));
    const std::string zeros = LeafCountOf(tuple) == 0 || !LeafShape(tuple, leaf).IsArray() || LeafShape(tuple, leaf).rank() == 0
                                  ? ""
                                  : absl::StrCat("[", absl::StrJoin(std::vector<int>(LeafShape(tuple, leaf).rank(), 0), ","), "]");
    return absl::InvalidArgumentError(absl::StrCat(text, ": the element of a tuple comes first, then the indices in it, as ", name, LeafPathText(tuple, leaf), zeros,
                                                   "; ", name, " is ", ShapeText(tuple)));
  }
  if (parts.size() > used + 1) {
    return absl::InvalidArgumentError(absl::StrCat(text, " goes on behind the indices of ", ShapeText(*within)));
  }
  index->clear();
  if (used < parts.size()) *index = IndexOf(parts[used]).value_or(std::vector<int64_t>());
  return leaf;
}

std::string IndexCount(size_t n) { return n == 1 ? "1 index" : absl::StrCat(n, " indices"); }
std::string DimensionCount(int n) { return n == 1 ? "1 dimension" : absl::StrCat(n, " dimensions"); }

}  // namespace

absl::StatusOr<Cell> ParseCell(const Instruction& instruction, absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  const std::string usage = absl::StrCat("a cell is result[0,1], 0[2] (of operand 0) or NAME[2] (of the operand NAME), in a tuple first its element, as result[1][0,1], not ", text);
  const size_t bracket = text.find('[');
  absl::string_view name = text.substr(0, bracket);
  CellParts parts;
  const std::string shown = absl::StrCat(bracket == 0 ? ShownName(instruction) : "", text);
  if (bracket != absl::string_view::npos) {
    std::optional<CellParts> written = Bracketed(text.substr(bracket));
    if (!written) return absl::InvalidArgumentError(usage);
    parts = *std::move(written);
  }
  Cell cell;
  for (const absl::string_view part : parts) {  // the last part is the index, but of tuples
    std::optional<std::vector<int64_t>> index = IndexOf(part);
    if (!index) return absl::InvalidArgumentError(usage);
    cell.index = *std::move(index);
  }
  int number = 0, leaf = 0;
  bool names_leaf = false;  // by its number
  absl::ConsumePrefix(&name, "%");
  if (name.empty() || name == "result") {
    cell.array = kResultArray;
  } else if (absl::ConsumePrefix(&name, "result") && absl::SimpleAtoi(name, &number)) {
    cell.array = kResultArray + number;
    names_leaf = true;
  } else if (absl::ConsumePrefix(&name, "own") && absl::SimpleAtoi(name, &number)) {
    cell.array = kOwnArray + number;
  } else if (absl::SimpleAtoi(name, &number)) {
    cell.array = number;
  } else if (const size_t dot = name.find('.'); dot != absl::string_view::npos && absl::SimpleAtoi(name.substr(0, dot), &number) && absl::SimpleAtoi(name.substr(dot + 1), &leaf)) {
    cell.array = OperandArray(number, leaf);
    names_leaf = true;
  } else {
    const auto operand = std::find_if(instruction.operands.begin(), instruction.operands.end(), [&](const Instruction* o) { return o->name == name; });
    std::vector<int64_t> of_operand;
    const Instruction* written = BroadcastSource(instruction, cell.index, &of_operand);
    if (written != nullptr && written->name == name) cell.array = 0;
    else if (operand != instruction.operands.end()) cell.array = static_cast<int>(operand - instruction.operands.begin());
    else if (name == instruction.name) cell.array = kResultArray;
    else return absl::InvalidArgumentError(usage);
  }
  const bool of_operand = cell.array < kResultArray || cell.array >= kOperandLeaf;
  // Of what the picture of a broadcast begins with.
  std::vector<int64_t> of_reshape;
  if (const Instruction* written = cell.array == 0 ? BroadcastSource(instruction, cell.index, &of_reshape) : nullptr; written != nullptr && cell.index.size() != of_reshape.size()) {
    if (static_cast<int>(cell.index.size()) != written->shape.rank()) return absl::InvalidArgumentError(absl::StrCat(shown, " has ", IndexCount(cell.index.size()), ", but ", ShapeText(written->shape), " has ", DimensionCount(written->shape.rank())));
    for (int d = 0; d < written->shape.rank(); ++d) {
      if (cell.index[d] < 0 || cell.index[d] >= written->shape.dim(d)) return absl::InvalidArgumentError(absl::StrCat(shown, " is outside of ", ShapeText(written->shape)));
    }
    cell.index = of_reshape;
  }
  if (cell.array < 0 || (of_operand && cell.array % kOperandLeaf >= static_cast<int>(instruction.operands.size()))) {
    return absl::InvalidArgumentError(absl::StrCat(ShownName(instruction), " has no operand ", cell.array % kOperandLeaf));
  }
  // An element of an operand or of the result, where that is an array.
  const bool own = cell.array >= kOwnArray && cell.array < kOperandLeaf;
  const Shape* whole = own ? nullptr : of_operand ? &instruction.operands[cell.array % kOperandLeaf]->shape : &instruction.shape;
  int of_leaf = of_operand ? cell.array / kOperandLeaf : cell.array - kResultArray;
  if (whole != nullptr && whole->IsTuple() && !names_leaf) {
    const absl::StatusOr<int> found = LeafOfParts(shown, *whole, parts, &cell.index);
    if (!found.ok()) return found.status();
    of_leaf = *found;
    cell.array = of_operand ? OperandArray(cell.array % kOperandLeaf, of_leaf) : kResultArray + of_leaf;
  } else if (parts.size() > 1) {
    return absl::InvalidArgumentError(usage);
  }
  if (whole != nullptr && of_leaf >= LeafCountOf(*whole)) return absl::InvalidArgumentError(absl::StrCat(shown, ": ", ShapeText(*whole), " has ", LeafCountOf(*whole), " arrays, counted from 0"));
  const Shape* shape = whole == nullptr ? nullptr : &LeafShape(*whole, of_leaf);
  if (shape != nullptr && shape->IsArray()) {
    const bool fits = static_cast<int>(cell.index.size()) == shape->rank();
    for (int d = 0; d < shape->rank() && fits; ++d) {
      if (cell.index[d] < 0 || cell.index[d] >= shape->dim(d)) return absl::InvalidArgumentError(absl::StrCat(shown, " is outside of ", ShapeText(*shape)));
    }
    if (!fits) return absl::InvalidArgumentError(absl::StrCat(shown, " has ", IndexCount(cell.index.size()), ", but ", ShapeText(*shape), " has ", DimensionCount(shape->rank())));
  }
  return cell;
}

namespace {
// "[1]" of an array in a tuple; "" of an array, and where there is none such.
std::string PathOf(const Shape& shape, int leaf) { return shape.IsTuple() && leaf < LeafCountOf(shape) ? LeafPathText(shape, leaf) : ""; }
}  // namespace

std::string CellText(const Instruction& instruction, const Cell& cell) {
  const std::string index = absl::StrCat("[", absl::StrJoin(cell.index, ","), "]");
  if (cell.array >= kOwnArray && cell.array < kOperandLeaf) return absl::StrCat("own", cell.array - kOwnArray, index);
  if (cell.array >= kResultArray && cell.array < kOwnArray) return absl::StrCat("result", PathOf(instruction.shape, cell.array - kResultArray), index);
  const int operand = cell.array % kOperandLeaf, leaf = cell.array / kOperandLeaf;
  return absl::StrCat(operand, operand < static_cast<int>(instruction.operands.size()) ? PathOf(instruction.operands[operand]->shape, leaf) : "", index);
}

absl::Status TakePictureOptions(absl::string_view& words, PictureFileOptions* options) {
  words = absl::StripLeadingAsciiWhitespace(words);
  while (absl::StartsWith(words, "/")) {
    const absl::string_view option = TakeWord(words);
    const auto number = [&](auto* to) -> absl::Status {
      const absl::string_view word = TakeWord(words);
      float x = 0;
      if (!absl::SimpleAtof(word, &x)) return absl::InvalidArgumentError(absl::StrCat(option, " takes a number, not ", word));
      *to = static_cast<std::remove_pointer_t<decltype(to)>>(x);
      return absl::OkStatus();
    };
    absl::Status status;
    if (option == "/light") options->page.scheme = PaletteScheme::kLight;
    else if (option == "/dark") options->page.scheme = PaletteScheme::kDark;
    else if (option == "/ahead") options->ahead = true;
    else if (option == "/scale") status = number(&options->page.scale);
    else if (option == "/step") status = number(&options->selection.step);
    else if (option == "/width") status = number(&options->selection.width);
    else if (option == "/option") {
      const std::pair<std::string, std::string> pair = absl::StrSplit(TakeWord(words), absl::MaxSplits('=', 1));
      options->selection.options[pair.first] = pair.second;
    } else {
      return absl::InvalidArgumentError(absl::StrCat("picture has no option ", option, "; it has /step N, /option NAME=VALUE, /light, /dark, /scale N, /width N and /ahead for pictures of operations"));
    }
    if (!status.ok()) return status;
    if (!(options->page.scale >= 0.1f && options->page.scale <= 16) || !(options->selection.width >= 100 && options->selection.width <= 20000)) {
      return absl::InvalidArgumentError("/scale goes from 0.1 to 16, /width from 100 to 20000");
    }
    words = absl::StripLeadingAsciiWhitespace(words);
  }
  return absl::OkStatus();
}

namespace {

// A file has no buttons to see from what there is: nonsense is refused.
absl::Status CheckChosen(const PictureShown& shown, const PictureSelection& selection) {
  if (const absl::Status known = CheckPictureOptions(*shown.row, *shown.of, *shown.made, selection.options); !known.ok()) return known;
  // A cell that nobody sees is not selected. One may have been scrolled away.
  if (const Cell* cell = selection.cell(); cell != nullptr) {
    const Cell& drawn = shown.made->selected.value_or(*cell);
    const std::vector<Spot>& spots = shown.made->drawing.spots();
    const bool scrolled = std::any_of(selection.options.begin(), selection.options.end(), [](const auto& option) { return absl::StartsWith(option.first, "window:"); });
    if (!scrolled && std::none_of(spots.begin(), spots.end(), [&](const Spot& spot) { return spot.is_cell && spot.cell == drawn; })) {
      return absl::InvalidArgumentError(absl::StrCat("the picture ", shown.row->id, " of ", ShownName(*shown.of), " draws no element ", CellText(*shown.of, *cell), " that could be selected"));
    }
  }
  const int steps = shown.made->steps;
  if (selection.step < steps || selection.step < 0) return absl::OkStatus();
  return absl::InvalidArgumentError(steps == 0 ? absl::StrCat("the picture ", shown.row->id, " of ", ShownName(*shown.of), " has no steps") : absl::StrCat("there is no step ", selection.step, ": the picture ", shown.row->id, " of ", ShownName(*shown.of), " has steps 0 to ", steps - 1));
}

}  // namespace

absl::Status WritePicture(Session::State& s, const Instruction& instruction, absl::string_view id, const PictureFileOptions& options, const std::string& path) {
  PictureWish wish;
  wish.instruction = &instruction;
  wish.id = std::string(id);
  wish.ahead = options.ahead;
  wish.selection = options.selection;
  const absl::StatusOr<PictureShown> shown = ShowPicture(s, wish);
  if (!shown.ok()) return shown.status();
  if (const absl::Status chosen = CheckChosen(*shown, options.selection); !chosen.ok()) return chosen;
  if (const absl::Status written = WriteDrawing(path, shown->made->drawing, options.page); !written.ok()) return written;
  s.Say("Drew the picture ", shown->row->id, " of ", ShownName(instruction), " in ", path, shown->result_there ? "" : absl::StrCat(" (without its value: ", shown->why, ")"), ".\n");
  return absl::OkStatus();
}

void InstallPictures(Session& session) {
  PictureLink& link = session.state().Extension<PictureLink>();
  link.has = [](absl::string_view id) { return FindPictureRow(id) != nullptr; };
  link.draw = [](Session::State& s, absl::string_view words, absl::string_view id, const std::string& path) -> absl::Status {
    PictureFileOptions options;
    if (const absl::Status taken = TakePictureOptions(words, &options); !taken.ok()) return taken;
    // "%x", or "%x[0,1]": with this element selected; "%x(1[3])": with an operand's.
    const size_t bracket = words.find_first_of("[(");
    // A word that is no picture's name stands there as part of the instruction's.
    const absl::string_view name = words.substr(0, std::min(bracket, words.find(' ')));
    const absl::StatusOr<const Instruction*> instruction = s.FindInstruction(name);
    if (!instruction.ok()) return instruction.status();
    if (const size_t space = words.find_last_of(" ])"); space != absl::string_view::npos && words[space] == ' ') {
      return absl::InvalidArgumentError(absl::StrCat("there is no picture ", words.substr(space + 1), "; ", name, " has ", PicturesText(**instruction)));
    }
    if (bracket != absl::string_view::npos) {
      absl::string_view cell_text = words.substr(bracket);
      if (absl::ConsumePrefix(&cell_text, "(")) absl::ConsumeSuffix(&cell_text, ")");
      const absl::StatusOr<Cell> cell = ParseCell(**instruction, cell_text);
      if (!cell.ok()) return cell.status();
      options.selection.pinned = *cell;
    }
    return WritePicture(s, **instruction, id, options, path);
  };
}

}  // namespace hloscope
