#include "visualizer/panels/builder_palette.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// Which family (the third column of the operation table) belongs to which group; families that are not named are in the last.
struct Family {
  const char* definition;
  int group;
};
enum Group { kMake, kPairs, kSingles, kMove, kReduce, kAlgebra, kControl, kHost };
constexpr Family kFamilies[] = {
    {"Parameter", kMake},  {"Constant", kMake},        {"Iota", kMake},       {"Rng", kMake},          {"RngBitGenerator", kMake},  {"Broadcast", kMove},       {"Reshape", kMove},
    {"Bitcast", kMove},    {"Transpose", kMove},       {"Reverse", kMove},    {"Slice", kMove},        {"DynamicSlice", kMove},     {"DynamicUpdateSlice", kMove}, {"Concatenate", kMove},
    {"Pad", kMove},        {"Gather", kMove},          {"Scatter", kMove},    {"DynamicSize", kMove},  {"Reduce", kReduce},         {"ReduceWindow", kReduce},  {"SelectAndScatter", kReduce},
    {"Sort", kReduce},     {"TopK", kReduce},          {"Map", kReduce},      {"Scan", kReduce},       {"Dot", kAlgebra},           {"RaggedDot", kAlgebra},    {"Convolution", kAlgebra},
    {"BatchNorm", kAlgebra}, {"Cholesky", kAlgebra},   {"TriangularSolve", kAlgebra}, {"Fft", kAlgebra}, {"Tuple", kControl},       {"GetTupleElement", kControl}, {"OptBarrier", kControl},
    {"AfterAll", kControl}, {"AddDependency", kControl}, {"Domain", kControl}, {"Call", kControl},     {"Conditional", kControl},   {"While", kControl},        {"Fusion", kControl},
    {"CustomCall", kControl},
};

int GroupOf(absl::string_view definition, const OpDef& def) {
  if (definition == "Pointwise") return def.max_operands == 1 ? kSingles : kPairs;
  for (const Family& family : kFamilies) {
    if (definition == family.definition) return family.group;
  }
  return kHost;
}

}  // namespace

const std::vector<std::string>& PaletteGroups() {
  static const auto& groups = *new std::vector<std::string>{
      "values", "element by element, of several", "element by element, of one", "shapes and moving", "reductions, windows, sorting", "linear algebra", "tuples, calls, loops", "other devices and the host"};
  return groups;
}

const std::vector<PaletteOperation>& PaletteOperations() {
  static const auto& operations = *[] {
    auto* made = new std::vector<PaletteOperation>;
    const auto add = [made](absl::string_view text, absl::string_view definition) {
      const OpDef& def = Def(*OpcodeFromName(text));
      made->push_back({std::string(text), std::string(def.summary), GroupOf(definition, def)});
    };
#define X(enumerator, text, definition) add(text, #definition);
#include "core/ir/operations.def"
#undef X
    std::stable_sort(made->begin(), made->end(), [](const PaletteOperation& a, const PaletteOperation& b) { return a.group < b.group; });
    return made;
  }();
  return operations;
}

std::vector<const PaletteOperation*> FindOperations(absl::string_view letters) {
  const std::string wanted = absl::AsciiStrToLower(absl::StripAsciiWhitespace(letters));
  std::vector<std::pair<int, const PaletteOperation*>> found;
  for (const PaletteOperation& operation : PaletteOperations()) {
    int rank = 0;
    if (!wanted.empty()) {
      if (operation.name == wanted) {
        rank = 0;
      } else if (absl::StartsWith(operation.name, wanted)) {
        rank = 1;
      } else if (absl::StrContains(operation.name, wanted)) {
        rank = 2;
      } else if (absl::StrContains(absl::AsciiStrToLower(operation.summary), wanted)) {
        rank = 3;
      } else {
        continue;
      }
    }
    found.push_back({rank, &operation});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const PaletteOperation*> result;
  for (const auto& [rank, operation] : found) result.push_back(operation);
  return result;
}

}  // namespace hloscope
