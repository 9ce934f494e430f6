// The house, checked from its sources: who includes whom, where opcodes may be named, that tables and files agree, that every
// diagnostic has a case. Not for behaviour: that is in the rooms' own tests.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/ops/op.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> Sources(const std::vector<std::string>& folders) {
  std::vector<fs::path> files;
  for (const std::string& folder : folders) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      std::string extension = entry.path().extension().string();
      if (entry.is_regular_file() && (extension == ".cc" || extension == ".h" || extension == ".def")) files.push_back(entry.path());
    }
  }
  return files;
}

// What each room may include, besides itself. Keys are path prefixes; the longest match is the room.
const std::map<std::string, std::set<std::string>>& Arrows() {
  static const auto& arrows = *new std::map<std::string, std::set<std::string>>{
      {"core/base", {}},
      {"core/shape", {"core/base"}},
      {"core/literal", {"core/base", "core/shape"}},
      {"core/ir", {"core/base", "core/shape", "core/literal"}},
      {"core/element", {"core/base", "core/shape", "core/literal"}},
      {"core/ops", {"core/base", "core/shape", "core/literal", "core/ir", "core/element"}},
      {"core/ops/builder", {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops"}},
      {"core/text", {"core/base", "core/shape", "core/literal", "core/ir"}},
      {"core/text/mlir", {"core/base", "core/shape", "core/literal"}},
      {"core/text/stablehlo",
       {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops", "core/ops/builder", "core/text",
        "core/text/mlir"}},
      {"core/text/proto", {"core/base", "core/shape", "core/literal", "core/ir", "core/text"}},
      {"core/exec", {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops"}},
      {"core/debug",
       {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops", "core/text",
        "core/text/mlir", "core/text/stablehlo", "core/exec"}},
      {"backends/reference", {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops", "core/exec"}},
      {"backends/jit_cpu", {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops", "core/exec"}},
      {"backends/exchange", {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops", "core/text", "core/exec"}},
      {"visualizer/model", {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops", "core/text", "core/text/mlir", "core/text/stablehlo", "core/exec", "core/debug", "visualizer/canvas", "visualizer/pictures"}},
      {"visualizer/canvas", {"core/base"}},
      {"visualizer/pictures", {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops", "core/text", "core/exec", "visualizer/canvas"}},
      {"visualizer/lessons", {"core/base", "core/shape", "core/literal", "core/ir", "core/ops", "core/text", "core/exec", "core/debug", "visualizer/model", "visualizer/canvas", "visualizer/pictures"}},
      {"visualizer/widgets", {"core/base", "visualizer/canvas"}},
      {"visualizer/graph", {"core/base", "core/shape", "core/literal", "core/ir", "core/ops", "core/debug", "visualizer/canvas"}},
      {"visualizer/export", {"core/base", "core/shape", "core/literal", "core/ir", "core/ops", "core/exec", "core/debug", "visualizer/canvas", "visualizer/graph"}},
      {"visualizer/panels", {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops", "core/text", "core/text/mlir", "core/exec", "core/debug", "visualizer/model", "visualizer/canvas", "visualizer/pictures", "visualizer/lessons", "visualizer/widgets", "visualizer/graph"}},
      {"visualizer/shell", {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops", "core/text", "core/exec", "core/debug", "visualizer/model", "visualizer/widgets", "visualizer/panels"}},
      {"app/gui",
       {"core/base", "core/literal", "core/ir", "core/ops", "core/debug", "core/exec", "app", "backends/reference", "visualizer/graph", "visualizer/export", "visualizer/model", "visualizer/canvas", "visualizer/pictures", "visualizer/lessons", "visualizer/widgets", "visualizer/panels", "visualizer/shell"}},
      {"app",
       {"core/base", "core/shape", "core/literal", "core/ir", "core/element", "core/ops", "core/ops/builder", "core/text",
        "core/text/mlir", "core/text/stablehlo", "core/text/proto", "core/exec", "core/debug", "backends/reference", "backends/jit_cpu", "backends/exchange"}},
  };
  return arrows;
}

std::string RoomOf(const std::string& path) {
  std::string best;
  for (const auto& [room, allowed] : Arrows()) {
    if (path.rfind(room + "/", 0) == 0 && room.size() > best.size()) best = room;
  }
  return best;
}

TEST(Architecture, RoomsIncludeOnlyRoomsBelow) {
  std::regex include("#include \"([^\"]+)\"");
  int seen = 0;
  for (const fs::path& file : Sources({"app", "core", "backends", "visualizer"})) {
    std::string room = RoomOf(file.generic_string());
    EXPECT_FALSE(room.empty()) << file << " lies in no room";
    std::string text = ReadFile(file);
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
      std::string target = RoomOf((*it)[1]);
      if (target.empty() || target == room) continue;
      ++seen;
      EXPECT_TRUE(Arrows().at(room).count(target)) << file << " includes " << (*it)[1] << ", but " << room << " may not see " << target;
    }
  }
  EXPECT_GT(seen, 50) << "the test must run in the root of the sources";
}

// The oracle is worth something only while it says everything again: it sees values, shapes and modules, and nothing that says what an
// operation means. (Its tests, which compare it with the backends, see all.)
TEST(Architecture, TheOracleIsIndependent) {
  std::regex include("#include \"([^\"]+)\"");
  int seen = 0;
  for (const fs::path& file : Sources({"tests/oracle"})) {
    const std::string path = file.generic_string();
    if (path.size() > 8 && path.substr(path.size() - 8) == "_test.cc") continue;
    ++seen;
    std::string text = ReadFile(file);
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
      const std::string target = (*it)[1];
      const bool allowed = target.rfind("absl/", 0) == 0 || target.rfind("tests/oracle/", 0) == 0 || target.rfind("core/ir/", 0) == 0 ||
                           target.rfind("core/shape/", 0) == 0 || target == "core/literal/value.h";
      EXPECT_TRUE(allowed) << path << " includes " << target;
    }
  }
  EXPECT_GT(seen, 5);
}

TEST(Architecture, CoreSeesNoLibraryOfTheBackendsOrTheWindow) {
  // What each part of the house must not see.
  const std::map<std::string, std::string> foreign = {
      {"core", "llvm|imgui|GLFW|graphviz|dnnl|oneapi|cblas"},  {"app/cli", "llvm|imgui|GLFW|graphviz|dnnl|oneapi|cblas"},
      {"app/gui", "llvm|graphviz|dnnl|oneapi|cblas"},          {"visualizer/graph", "llvm|imgui|GLFW|dnnl|oneapi|cblas"},
      {"visualizer/export", "llvm|imgui|GLFW|graphviz|dnnl|oneapi|cblas"},
      {"visualizer/model", "llvm|imgui|GLFW|graphviz|dnnl|oneapi|cblas"}, {"visualizer/widgets", "llvm|graphviz|dnnl|oneapi|cblas"},
      {"visualizer/canvas", "llvm|imgui|GLFW|graphviz|dnnl|oneapi|cblas"}, {"visualizer/pictures", "llvm|imgui|GLFW|graphviz|dnnl|oneapi|cblas"}, {"visualizer/lessons", "llvm|imgui|GLFW|graphviz|dnnl|oneapi|cblas"},
      {"visualizer/panels", "llvm|GLFW|graphviz|dnnl|oneapi|cblas"},      {"visualizer/shell", "llvm|GLFW|graphviz|dnnl|oneapi|cblas"}};
  for (const auto& [folder, names] : foreign) {
    const std::regex include("#include [<\"](" + names + ")");
    for (const fs::path& file : Sources({folder})) EXPECT_FALSE(std::regex_search(ReadFile(file), include)) << file;
  }
}

TEST(Architecture, OpcodesAreNamedOnlyWhereTheyAreDefinedReadOrMatched) {
  for (const fs::path& file : Sources({"app", "core", "backends", "visualizer"})) {
    std::string path = file.generic_string();
    bool allowed = path.rfind("core/ir/", 0) == 0 || path.rfind("core/ops/", 0) == 0 || path.rfind("core/text/", 0) == 0 ||
                   path.rfind("backends/jit_cpu/kernels/", 0) == 0 || path.rfind("visualizer/pictures/", 0) == 0;
    if (allowed) continue;
    EXPECT_EQ(ReadFile(file).find("Opcode::k"), std::string::npos) << path << " names an opcode; ask its OpDef instead";
  }
}

TEST(Architecture, EveryFileSaysWhatItIsFor) {
  for (const fs::path& file : Sources({"core", "backends", "app"})) {
    std::string path = file.generic_string();
    if (file.extension() != ".h" && file.extension() != ".def") continue;
    EXPECT_EQ(ReadFile(file).rfind("//", 0), 0u) << path << " does not open with a comment";
  }
}

TEST(Architecture, OperationTableAndDefinitionsAgree) {
  std::set<std::string> named, listed;
  std::string rows = ReadFile("core/ir/operations.def");
  std::regex row("\nX\\((\\w+), \"([^\"]+)\", (\\w+)\\)");
  for (std::sregex_iterator it(rows.begin(), rows.end(), row), end; it != end; ++it) named.insert((*it)[3]);
  std::string definitions = ReadFile("core/ops/definitions.def");
  std::regex definition("\nX\\((\\w+)\\)");
  for (std::sregex_iterator it(definitions.begin(), definitions.end(), definition), end; it != end; ++it) {
    EXPECT_TRUE(listed.insert((*it)[1]).second) << (*it)[1] << " is listed twice";
  }
  EXPECT_EQ(named, listed);
}

TEST(Architecture, EveryOperationIsDefinedAndDocumented) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    Opcode opcode = static_cast<Opcode>(i);
    const OpDef& def = Def(opcode);
    EXPECT_NE(def.infer, nullptr) << Name(opcode) << " has no shape rule";
    EXPECT_FALSE(def.summary.empty()) << Name(opcode) << " has no summary";
    EXPECT_FALSE(def.doc.empty()) << Name(opcode) << " has no doc";
    EXPECT_FALSE(def.formula.empty()) << Name(opcode) << " has no formula";
    EXPECT_FALSE(def.requirements.empty()) << Name(opcode) << " does not say what it requires";
    EXPECT_FALSE(def.spec.empty()) << Name(opcode) << " names no section of the specification";
    if (!def.not_executed.empty()) continue;
    switch (def.op_class) {
      case OpClass::kPull:
      case OpClass::kPush: EXPECT_NE(def.program, nullptr) << Name(opcode); break;
      case OpClass::kOpaque: EXPECT_FALSE(def.opaque_reason.empty()) << Name(opcode) << " is opaque without a reason"; break;
      case OpClass::kControl: EXPECT_NE(def.control, ControlKind::kNone) << Name(opcode); break;
      case OpClass::kStructural: break;
    }
  }
}

TEST(Architecture, PrintOpaqueOperations) {
  int opaque = 0;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpDef& def = Def(static_cast<Opcode>(i));
    if (def.op_class != OpClass::kOpaque) continue;
    ++opaque;
    std::cout << "  opaque " << Name(static_cast<Opcode>(i)) << ": " << def.opaque_reason << "\n";
  }
  EXPECT_LT(opaque, 40) << "operations should have element programs";
}

TEST(Architecture, EveryDiagnosticHasACase) {
  std::regex label("HLO_LABEL\\(\\s*\"([^\"]+)\"");
  std::set<std::string> labels;
  for (const fs::path& file : Sources({"app", "core", "backends"})) {
    std::string text = ReadFile(file);
    for (std::sregex_iterator it(text.begin(), text.end(), label), end; it != end; ++it) labels.insert((*it)[1]);
  }
  EXPECT_GT(labels.size(), 50u);
  std::string all_tests;
  for (const auto& entry : fs::recursive_directory_iterator("tests")) {
    std::string path = entry.path().generic_string();
    if (entry.is_regular_file() && path.find("/architecture/") == std::string::npos) all_tests += ReadFile(entry.path());
  }
  for (const std::string& l : labels) EXPECT_NE(all_tests.find(l), std::string::npos) << "no test provokes [" << l << "]";
}

TEST(Architecture, NoPathsOfThisMachineAndNoUnfinishedMarks) {
  std::regex bad("/(work|home)/[a-z]|/root/\\w+/|TO" "DO|FIX" "ME|X" "XX\\b");
  for (const fs::path& file : Sources({"app", "core", "backends", "visualizer"})) {
    std::string text = ReadFile(file);
    std::smatch match;
    EXPECT_FALSE(std::regex_search(text, match, bad)) << file << ": " << match.str();
  }
}

// Two types of one name in one namespace break any program that links both files, and nothing says so. Tests are linked with everything;
// only files of tests with different folders never meet.
TEST(Architecture, TypesHaveOneDefinition) {
  const std::regex type("(?:struct|class|enum class|enum|union) (\\w+)[^;:(<]*(?: : [^;(]*)?\\{.*");
  const std::regex space("namespace ([\\w:]*) ?\\{.*");
  std::map<std::string, std::vector<std::string>> places;
  for (const fs::path& file : Sources({"app", "core", "backends", "visualizer", "tests"})) {
    const std::string path = file.generic_string();
    std::vector<std::string> spaces;
    std::istringstream text(ReadFile(file));
    for (std::string line; std::getline(text, line);) {
      std::smatch match;
      if (std::regex_match(line, match, space)) {
        spaces.push_back(match[1].str().empty() ? "(" + path + ")" : match[1].str());  // nameless: the file's own
      } else if (line.rfind("}  // namespace", 0) == 0 && !spaces.empty()) {
        spaces.pop_back();
      } else if (std::regex_match(line, match, type)) {
        std::string name;
        for (const std::string& part : spaces) name += part + "::";
        places[name + match[1].str()].push_back(path);
      }
    }
  }
  EXPECT_GT(places.size(), 500u) << "nothing was read";
  const auto apart = [](const std::string& a, const std::string& b) {
    if (a.rfind("tests/", 0) != 0 || b.rfind("tests/", 0) != 0) return false;
    return a.substr(0, a.find('/', 6)) != b.substr(0, b.find('/', 6));
  };
  for (const auto& [name, files] : places) {
    for (size_t k = 1; k < files.size(); ++k) {
      EXPECT_TRUE(apart(files[k - 1], files[k])) << name << " is defined in " << files[k - 1] << " and in " << files[k] << ": give one another name";
    }
  }
}

}  // namespace
}  // namespace hloscope
