#include "visualizer/pictures/picture_options.h"

#include <set>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/ir/written_names.h"
#include "core/ops/leaf_flow.h"
#include "visualizer/pictures/scene.h"

namespace hloscope {
namespace {

enum class Takes : uint8_t { kWords, kNumber, kNumbers, kHex, kMove };

struct OptionRow {
  const char* name;     // with ':' at its end: an array's number follows
  const char* picture;  // nullptr: every one
  Takes takes;
  const char* words;    // of kWords; of kNumbers and kHex one that may stand there instead
};
constexpr OptionRow kRows[] = {
    {"cells", nullptr, Takes::kWords, "numbers colours"},
    {"window:", nullptr, Takes::kNumbers, ""},
    {"memory:", nullptr, Takes::kNumber, ""},
    {"of", "layout", Takes::kNumber, ""},
    {"minor_to_major", "layout", Takes::kNumbers, ""},
    {"move", "layout", Takes::kMove, ""},
    {"pad", "layout", Takes::kNumbers, ""},
    {"pad_value", "layout", Takes::kWords, "zero one lowest highest unknown"},
    {"tile", "layout", Takes::kNumbers, "none"},
    {"bits", "numbers", Takes::kHex, ""},
    {"group", "collective", Takes::kNumber, ""},
    {"member", "collective", Takes::kNumber, ""},
};

const OptionRow* Find(const PictureRow& picture, absl::string_view name) {
  for (const OptionRow& row : kRows) {
    const absl::string_view own = row.name;
    int array = 0;
    const bool numbered = absl::EndsWith(own, ":");
    const bool same = numbered ? absl::StartsWith(name, own) && absl::SimpleAtoi(name.substr(own.size()), &array) : name == own;
    if (same && (row.picture == nullptr || row.picture == absl::string_view(picture.id))) return &row;
  }
  return nullptr;
}

bool AreNumbers(absl::string_view text) {
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(part, &number)) return false;
  }
  return true;
}

bool IsTaken(const OptionRow& row, absl::string_view value) {
  int64_t number = 0;
  uint64_t bits = 0;
  if (*row.words != '\0') {
    for (const absl::string_view word : absl::StrSplit(row.words, ' ')) {
      if (value == word) return true;
    }
  }
  switch (row.takes) {
    case Takes::kWords: return false;
    case Takes::kNumber: return absl::SimpleAtoi(value, &number) && number >= 0;
    case Takes::kNumbers: return AreNumbers(value);
    case Takes::kHex: return value.empty() || absl::SimpleHexAtoi(value, &bits);
    case Takes::kMove: {
      const std::vector<absl::string_view> parts = absl::StrSplit(value, '>');
      return value.empty() || (parts.size() == 2 && AreNumbers(value.substr(0, value.find('>'))) && AreNumbers(parts[1]));
    }
  }
  return false;
}

std::string TakesText(const OptionRow& row) {
  const std::string words = absl::StrJoin(absl::StrSplit(row.words, ' '), ", ");
  switch (row.takes) {
    case Takes::kWords: return words;
    case Takes::kNumber: return "a number from 0";
    case Takes::kNumbers: return absl::StrCat("numbers with commas between (1,0)", words.empty() ? "" : absl::StrCat(", or ", words));
    case Takes::kHex: return "bits as 0x3f800000";
    case Takes::kMove: return "a dimension and its new place (0>2)";
  }
  return "";
}

// The array whose layout is drawn: that of the option `of` where it is given, else the first of the result's, else of the operands'. Null: there is none.
const Shape* LaidOut(const Instruction& instruction, const std::map<std::string, std::string>& options) {
  const auto array = [](const Shape& whole, int leaf) -> const Shape* {
    return leaf >= 0 && leaf < LeafCountOf(whole) && LeafShape(whole, leaf).IsArray() ? &LeafShape(whole, leaf) : nullptr;
  };
  int id = 0;
  if (const auto of = options.find("of"); of != options.end() && absl::SimpleAtoi(of->second, &id)) {
    if (id >= kResultArray && id < kOwnArray) return array(instruction.shape, id - kResultArray);
    const size_t operand = static_cast<size_t>(id % kOperandLeaf);
    return operand < instruction.operands.size() ? array(instruction.operands[operand]->shape, id / kOperandLeaf) : nullptr;
  }
  std::vector<const Shape*> wholes = {&instruction.shape};
  for (const Instruction* operand : instruction.operands) wholes.push_back(&operand->shape);
  for (const Shape* whole : wholes) {
    for (int leaf = 0; leaf < LeafCountOf(*whole); ++leaf) {
      if (const Shape* found = array(*whole, leaf)) return found;
    }
  }
  return nullptr;
}

// The numbers of the arrays whose layout can be drawn, with what they are: "0 (operand %x), 1000 (result)".
std::string ArraysText(const Instruction& instruction) {
  constexpr size_t kMost = 8;
  std::vector<std::string> known;
  const auto add = [&](const Shape& whole, int first, int apart, absl::string_view what) {
    for (int leaf = 0; leaf < LeafCountOf(whole); ++leaf) {
      if (LeafShape(whole, leaf).IsArray()) known.push_back(absl::StrCat(first + leaf * apart, " (", what, LeafPathText(whole, leaf), ")"));
    }
  };
  for (size_t k = 0; k < instruction.operands.size() && k < kResultArray; ++k) {
    add(instruction.operands[k]->shape, OperandArray(static_cast<int>(k)), kOperandLeaf, absl::StrCat("operand ", ShownName(*instruction.operands[k])));
  }
  add(instruction.shape, kResultArray, 1, "result");
  const size_t all = known.size();
  known.resize(std::min(all, kMost));
  return absl::StrCat(absl::StrJoin(known, ", "), all > kMost ? absl::StrCat(", ... (", all, ")") : "");
}

absl::Status CheckArray(const Instruction& instruction, const std::map<std::string, std::string>& options) {
  const auto of = options.find("of");
  if (of == options.end() || LaidOut(instruction, options) != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the option of takes the number of an array, ", ArraysText(instruction), ", not ", of->second));
}

// "minor_to_major has each of 0 to 1 once, not 0,0".
absl::Status CheckOrder(const Instruction& instruction, const std::map<std::string, std::string>& options) {
  const auto order = options.find("minor_to_major");
  const Shape* shape = order == options.end() ? nullptr : LaidOut(instruction, options);
  if (shape == nullptr || shape->rank() == 0) return absl::OkStatus();
  std::set<int64_t> dims;
  const std::vector<absl::string_view> parts = absl::StrSplit(order->second, ',');
  for (const absl::string_view part : parts) {
    int64_t d = -1;
    if (absl::SimpleAtoi(part, &d) && d >= 0 && d < shape->rank()) dims.insert(d);
  }
  const size_t rank = static_cast<size_t>(shape->rank());
  if (parts.size() == rank && dims.size() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the option minor_to_major takes each dimension of ", shape->ToString(false), " once, 0 to ", rank - 1, " in any order, not ", order->second));
}

absl::Status CheckGroup(const Instruction& instruction, const MadePicture& made, const std::map<std::string, std::string>& options) {
  const auto group = options.find("group");
  int64_t number = 0;
  if (group == options.end() || (absl::SimpleAtoi(group->second, &number) && number < made.groups)) return absl::OkStatus();
  if (made.groups == 0) return absl::InvalidArgumentError(absl::StrCat(ShownName(instruction), " has no groups of devices, for the option group to choose one"));
  return absl::InvalidArgumentError(absl::StrCat("there is no group ", group->second, ": ", ShownName(instruction), " has ", made.groups == 1 ? "only group 0" : absl::StrCat("groups 0 to ", made.groups - 1)));
}

absl::Status CheckMember(const Instruction& instruction, const MadePicture& made, const std::map<std::string, std::string>& options) {
  const auto member = options.find("member");
  int64_t number = 0;
  if (member == options.end() || (absl::SimpleAtoi(member->second, &number) && number < made.members)) return absl::OkStatus();
  if (made.members == 0) return absl::InvalidArgumentError(absl::StrCat(ShownName(instruction), " has no groups of devices, nor pairs among more than eight, for the option member to choose one of them"));
  if (made.groups == 0) return absl::InvalidArgumentError(absl::StrCat("there is no device ", member->second, ": ", ShownName(instruction), " is among devices 0 to ", made.members - 1));
  return absl::InvalidArgumentError(absl::StrCat("there is no member ", member->second, ": the group has ", made.members == 1 ? "only member 0" : absl::StrCat("members 0 to ", made.members - 1)));
}

}  // namespace

absl::Status CheckPictureOptions(const PictureRow& picture, const Instruction& instruction, const MadePicture& made, const std::map<std::string, std::string>& options) {
  for (const auto& [name, value] : options) {
    const OptionRow* row = Find(picture, name);
    if (row == nullptr) {
      std::vector<std::string> known;
      for (const OptionRow& each : kRows) {
        if (each.picture == nullptr || each.picture == absl::string_view(picture.id)) known.push_back(absl::StrCat(each.name, absl::EndsWith(each.name, ":") ? "N" : ""));
      }
      return absl::InvalidArgumentError(absl::StrCat("the picture ", picture.id, " has no option ", name, "; it has ", absl::StrJoin(known, ", ")));
    }
    if (!IsTaken(*row, value)) return absl::InvalidArgumentError(absl::StrCat("the option ", name, " takes ", TakesText(*row), ", not ", value));
  }
  if (const absl::Status group = CheckGroup(instruction, made, options); !group.ok()) return group;
  if (const absl::Status member = CheckMember(instruction, made, options); !member.ok()) return member;
  if (const absl::Status array = CheckArray(instruction, options); !array.ok()) return array;
  return CheckOrder(instruction, options);
}

}  // namespace hloscope
