// Every picture against its text: tests/pictures/cases/*.picture. A case says what is drawn (program, instruction, picture, cell, step, option;
// "values: none" for shapes alone, "live: yes" as a panel shows it) and, after a line of dashes, the texts of the drawing as they stand, and what belongs to the cell. One case a
// picture says "golden: yes": the whole drawing is compared with golden/CASE.svg, byte for byte. HLOSCOPE_UPDATE=1 (run_cases --update) rewrites
// texts and drawings.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "tests/pictures/making.h"
#include "visualizer/canvas/svg.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

struct Case {
  fs::path file;
  std::string head, expected;
  std::map<std::string, std::string> words;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator("tests/pictures/cases")) {
    if (entry.path().extension() != ".picture") continue;
    Case c;
    c.file = entry.path();
    const std::string text = RunProgram::ReadFile(c.file.string());
    const size_t dashes = text.find("\n----\n");
    c.head = text.substr(0, dashes);
    if (dashes != std::string::npos) c.expected = text.substr(dashes + 6);
    for (absl::string_view line : absl::StrSplit(absl::string_view(c.head), '\n')) {
      const std::pair<absl::string_view, absl::string_view> pair = absl::StrSplit(line, absl::MaxSplits(": ", 1));
      c.words[std::string(pair.first)] = std::string(pair.second);
    }
    cases.push_back(std::move(c));
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.file < b.file; });
  return cases;
}

// "operand 0 [1,2]", "result [1]", "own 0 [3]".
Cell CellOfWords(const std::string& words) {
  Cell cell;
  const std::vector<std::string> parts = absl::StrSplit(absl::string_view(words), ' ');
  cell.array = parts[0] == "result" ? kResultArray : parts[0] == "own" ? kOwnArray : 0;
  for (size_t k = 1; k < parts.size(); ++k) {
    if (parts[k].empty()) continue;
    if (parts[k][0] != '[') {
      cell.array += std::stoi(parts[k]);
    } else if (parts[k] != "[]") {
      for (absl::string_view i : absl::StrSplit(absl::string_view(parts[k]).substr(1, parts[k].size() - 2), ',')) cell.index.push_back(std::stoll(std::string(i)));
    }
  }
  return cell;
}

fs::path GoldenOf(const Case& c) { return fs::path("tests/pictures/golden") / absl::StrCat(c.file.stem().string(), ".svg"); }

// The first line that differs tells more than two whole files.
void CompareGolden(const Case& c, const std::string& svg, bool update) {
  if (update) {
    std::ofstream(GoldenOf(c)) << svg;
    return;
  }
  const std::string wanted = RunProgram::ReadFile(GoldenOf(c).string());
  if (wanted == svg) return;
  const std::vector<std::string> now = absl::StrSplit(svg, '\n'), then = absl::StrSplit(wanted, '\n');
  size_t k = 0;
  while (k < std::min(now.size(), then.size()) && now[k] == then[k]) ++k;
  ADD_FAILURE() << GoldenOf(c) << ":" << k + 1 << ": the drawing differs. run_cases --update rewrites it; look at it.\n  there is  " << (k < now.size() ? now[k] : "")
                << "\n  expected  " << (k < then.size() ? then[k] : "");
}

TEST(Pictures, AreAsTheirCasesSay) {
  const bool update = std::getenv("HLOSCOPE_UPDATE") != nullptr;
  std::set<std::string> covered, golden, golden_files;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.file.string());
    const bool values = !c.words.count("values");
    RunProgram run(RunProgram::ReadFile(c.words.at("program")));
    if (values) ASSERT_EQ(run.problems(), "");
    const Instruction* instruction = c.words.count("at") ? run.Find(c.words.at("at")) : run.module().entry->root;
    ASSERT_NE(instruction, nullptr);
    PictureSelection selection;
    if (c.words.count("cell")) selection.pinned = CellOfWords(c.words.at("cell"));
    selection.live = c.words.count("live") > 0;
    if (c.words.count("step")) selection.step = std::stoi(c.words.at("step"));
    if (c.words.count("option")) {
      for (absl::string_view part : absl::StrSplit(absl::string_view(c.words.at("option")), ';')) {
        const std::pair<std::string, std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
        selection.options[pair.first] = pair.second;
      }
    }
    const PictureRow* row = c.words.count("picture") ? FindPictureRow(c.words.at("picture")) : PicturesFor(*instruction)[0];
    ASSERT_NE(row, nullptr);
    covered.insert(row->id);
    PictureData data;
    data.instruction = instruction;
    data.operands.resize(instruction->operands.size());
    if (values) data = run.DataOf(*instruction);
    const absl::StatusOr<MadePicture> picture = row->draw(data, selection);
    ASSERT_TRUE(picture.ok()) << picture.status();
    const std::string text = TextOf(*picture);
    EXPECT_EQ(CutText(picture->drawing), "");
    if (c.words.count("golden")) {
      EXPECT_TRUE(golden.insert(row->id).second) << "one golden drawing of " << row->id << " is enough";
      CompareGolden(c, WriteSvg(picture->drawing), update);
      golden_files.insert(GoldenOf(c).filename().string());
    }
    if (update) {
      std::ofstream(c.file) << c.head << "\n----\n" << text;
    } else {
      EXPECT_EQ(text, c.expected) << "HLOSCOPE_UPDATE=1 rewrites the cases";
    }
    EXPECT_NE(WriteSvg(picture->drawing).find("</svg>"), std::string::npos);
  }
  for (const PictureRow& row : PictureRows()) {
    EXPECT_TRUE(covered.count(row.id)) << "no case draws " << row.id;
    EXPECT_TRUE(golden.count(row.id)) << "no case with golden: yes draws " << row.id;
  }
  for (const auto& entry : fs::directory_iterator("tests/pictures/golden")) {
    EXPECT_TRUE(golden_files.count(entry.path().filename().string())) << entry.path() << " belongs to no case";
  }
}

// Whatever there is to draw: every instruction of every sample, with and without values, selected or not.
TEST(Pictures, OfEverySampleInstruction) {
  int drawn = 0;
  for (const char* folder : {"assets/samples/ops", "assets/samples/spec"}) {
    for (const auto& file : fs::directory_iterator(folder)) {
      RunProgram run(RunProgram::ReadFile(file.path().string()));
      const bool ran = run.problems().empty();  // not what needs the world outside
      for (const Instruction* i : run.module().entry->schedule) {
        EXPECT_FALSE(PicturesFor(*i).empty()) << file.path().string() << " " << i->name;
        PictureData data, nothing;
        if (ran) data = run.DataOf(*i);
        nothing.instruction = i;
        nothing.operands.resize(i->operands.size());
        for (const PictureRow* row : PicturesFor(*i)) {
          SCOPED_TRACE(absl::StrCat(file.path().string(), " ", absl::string_view(i->name), " ", row->id));
          for (const PictureData* d : {&data, &nothing}) {
            if (d->instruction == nullptr) continue;
            for (const int step : {-1, 0, 1, 1000}) {
              PictureSelection selection;
              selection.step = step;
              const absl::StatusOr<MadePicture> whole = row->draw(*d, selection);
              ASSERT_TRUE(whole.ok()) << whole.status();
              ASSERT_GT(whole->drawing.width(), 0);
              ASSERT_EQ(CutText(whole->drawing), "");
              ++drawn;
              // Hovering what is there, and what is not.
              const std::vector<Spot>& spots = whole->drawing.spots();
              for (size_t k = 0; k < spots.size(); k += std::max<size_t>(1, spots.size() / 4)) {
                if (!spots[k].is_cell) continue;
                selection.hovered = spots[k].cell;
                ASSERT_TRUE(row->draw(*d, selection).ok());
              }
              for (const Cell& cell : {Cell{0, {99}}, Cell{7, {}}, Cell{kResultArray, {-1, -1}}, Cell{kResultArray + 5, {0}}, Cell{kOwnArray + 3, {5, 5}}}) {
                selection.hovered = cell;
                ASSERT_TRUE(row->draw(*d, selection).ok());
                selection.pinned = cell;
                selection.hovered.reset();
                ASSERT_TRUE(row->draw(*d, selection).ok());
                selection.pinned.reset();
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(drawn, 1500);
}

struct Large {
  const char* what;
  const char* text;
};

// Quick at any size; the shapes here have no values, which is how an instruction looks before the program has come to it.
TEST(Pictures, OfArraysOfAnyRankAndSize) {
  const Large programs[] = {
      {"a convolution of ResNet",
       "x = f32[32,56,56,64] parameter(0)\nk = f32[3,3,64,64] parameter(1)\nROOT r = f32[32,56,56,64] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
      {"a large dot", "x = f32[4096,8192] parameter(0)\ny = f32[8192,4096] parameter(1)\nROOT r = f32[4096,4096] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"a reduction of much", "add { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT c = f32[] add(a, b) }\nENTRY main { x = f32[8192,8192] parameter(0)\nz = f32[] parameter(1)\nROOT r = f32[] reduce(x, z), dimensions={0,1}, to_apply=add }"},
      {"rank 5", "x = bf16[7,6,5,4,3] parameter(0)\nROOT r = bf16[3,4,5,6,7] transpose(x), dimensions={4,3,2,1,0}"},
      {"rank 0", "x = f64[] parameter(0)\nROOT r = f64[] negate(x)"},
      {"no elements", "x = s32[3,0,2] parameter(0)\ny = s32[] parameter(1)\nROOT r = s32[3,2,4] pad(x, y), padding=0_0x1_1x1_1"},
      {"a long vector", "x = f32[100000000] parameter(0)\nROOT r = f32[10000,10000] reshape(x)"},
      {"many operands of a tuple", "x = f32[3] parameter(0)\ny = s8[2,2] parameter(1)\nROOT r = (f32[3], s8[2,2], f32[3]) tuple(x, y, x)"},
      {"bounds", "x = f32[<=8,3] parameter(0)\nROOT r = f32[<=8,3] exponential(x)"},
  };
  for (const Large& program : programs) {
    SCOPED_TRACE(program.what);
    std::string text = program.text;
    if (text.find("ENTRY") == std::string::npos) text = "ENTRY main {\n" + text + "\n}\n";
    const auto source = std::make_shared<const SourceText>("<test>", "HloModule large\n\n" + text);
    DiagnosticSink sink;
    const std::unique_ptr<Module> module = ReadHloText(source, sink);
    if (sink.error_count() == 0) Verify(*module, sink);
    ASSERT_EQ(sink.error_count(), 0) << Render(sink.diagnostics()[0], *source);
    PictureData data;
    data.instruction = module->entry->root;
    data.operands.resize(data.instruction->operands.size());
    for (const PictureRow* row : PicturesFor(*data.instruction)) {
      for (const int array : {0, kResultArray}) {
        PictureSelection selection;
        const Shape& shape = array == 0 ? data.instruction->operands[0]->shape : data.instruction->shape;
        if (shape.IsArray() && shape.ElementCount() > 0) {
          selection.pinned.emplace();
          selection.pinned->array = array;
          for (int64_t d : shape.dimensions()) selection.pinned->index.push_back(d / 2);
        }
        const auto begin = std::chrono::steady_clock::now();
        const absl::StatusOr<MadePicture> picture = row->draw(data, selection);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        ASSERT_TRUE(picture.ok()) << picture.status();
        EXPECT_LT(seconds, 2.0) << row->id;  // 0.2 on a machine that does nothing else, without sanitizers
        EXPECT_LT(picture->drawing.spots().size(), 8000u) << row->id;
        // The selected element is visible, but on the card that draws no elements, and in pictures of the result alone.
        const absl::string_view id = row->id;
        const bool of_result_alone = id == "layout" || id == "numbers";
        if (selection.pinned && id != "operation" && !(of_result_alone && array == 0)) {
          bool found = false;
          for (const Spot& spot : picture->drawing.spots()) found = found || (spot.is_cell && spot.cell == *selection.pinned);
          EXPECT_TRUE(found) << row->id << " array " << array;
        }
      }
    }
  }
}

// Arrows go along the lines between cells.
TEST(Pictures, ArrowsCrossNoNumber) {
  const char* programs[] = {
      "x = s32[4,5] iota(), iota_dimension=1\nROOT r = s32[4,5] reverse(x), dimensions={0,1}",
      "x = s32[4,5] iota(), iota_dimension=1\ny = s32[] constant(88)\nROOT r = s32[7,7] pad(x, y), padding=1_2x1_1",
      "x = s32[4,3] iota(), iota_dimension=1\ny = s32[4,3] iota(), iota_dimension=0\nROOT r = s32[8,3] concatenate(x, y), dimensions={0}",
      "x = s32[4,3] iota(), iota_dimension=1\ny = s32[4,3] iota(), iota_dimension=0\nROOT r = s32[4,3] multiply(x, y)",
      "x = s32[3,4] iota(), iota_dimension=1\nROOT r = s32[4,3] transpose(x), dimensions={1,0}",
      "x = s32[2,3,4] iota(), iota_dimension=1\nROOT r = s32[2,2,2] slice(x), slice={[0:2], [1:3], [0:4:2]}",
      "x = s32[6,4] iota(), iota_dimension=1\ni = s32[3] constant({4, 0, 2})\nROOT r = s32[3,4] gather(x, i), offset_dims={1}, "
      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}",
      "plus {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT s = s32[] add(a, b)\n}\nENTRY main {\nx = s32[4] iota(), "
      "iota_dimension=0\ni = s32[3] constant({3, 0, 3})\nu = s32[3] constant({10, 20, 30})\nROOT r = s32[4] scatter(x, i, u), "
      "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=plus\n}",
      "plus {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT s = s32[] add(a, b)\n}\nENTRY main {\nx = s32[4,3] iota(), "
      "iota_dimension=0\ni = s32[2] constant({2, 0})\nu = s32[2,3] iota(), iota_dimension=1\nROOT r = s32[4,3] scatter(x, i, u), "
      "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=plus\n}",
      // Below each other, with another array and words between.
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\nENTRY main {\nx = f32[4,8] iota(), iota_dimension=1\n"
      "e = f32[4,8] exponential(x)\nz = f32[] constant(0)\nt = f32[4] reduce(e, z), dimensions={1}, to_apply=sum\ntotals = f32[4,8] broadcast(t), "
      "dimensions={0}\nROOT r = f32[4,8] divide(e, totals)\n}",
  };
  int arrows = 0;
  for (const char* program : programs) {
    SCOPED_TRACE(program);
    RunProgram run(program);
    ASSERT_EQ(run.problems(), "");
    const Instruction& root = *run.module().entry->root;
    const PictureData data = run.DataOf(root);
    for (int array = -1; array < static_cast<int>(root.operands.size()); ++array) {
      const Shape& shape = array < 0 ? root.shape : root.operands[array]->shape;
      std::vector<int64_t> index(shape.rank());
      for (int64_t e = 0; e < shape.ElementCount(); ++e) {
        DelinearizeIndex(shape.dimensions(), e, absl::MakeSpan(index));
        PictureSelection selection;
        selection.pinned = Cell{array < 0 ? kResultArray : OperandArray(array), index};
        const absl::StatusOr<MadePicture> made = PicturesFor(root)[0]->draw(data, selection);
        ASSERT_TRUE(made.ok());
        int of_it = 0;
        ASSERT_EQ(CrossedNumber(made->drawing, &of_it), "") << "element " << e << " of array " << array;
        arrows += of_it;
      }
    }
  }
  EXPECT_GT(arrows, 100);
}

// Where arrays stand below each other, arrows go round titles, numbers of rows and scales of colours.
TEST(Pictures, ArrowsInLittleRoomCrossNoWord) {
  RunProgram run("x = f32[300,400] iota(), iota_dimension=0\ni = s32[50,1] iota(), iota_dimension=0\nROOT g = f32[50,400] gather(x, i), offset_dims={1}, "
                 "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,400}");
  ASSERT_EQ(run.problems(), "");
  const PictureData data = run.DataOf(*run.module().entry->root);
  int arrows = 0;
  for (const float width : {320.0f, 420.0f, 520.0f, 600.0f, 760.0f, 900.0f, 1400.0f}) {
    for (int64_t e = 0; e < 50; e += 7) {
      PictureSelection selection;
      selection.width = width;
      selection.pinned = Cell{kResultArray, {e, e * 8}};
      const absl::StatusOr<MadePicture> made = PicturesFor(*run.module().entry->root)[0]->draw(data, selection);
      ASSERT_TRUE(made.ok());
      int of_it = 0;
      EXPECT_EQ(CrossedNumber(made->drawing, &of_it, true), "") << "element " << e << " with room for " << width;
      arrows += of_it;
    }
  }
  EXPECT_GE(arrows, 100);
}

// Every element of an array can be reached by what is clicked on.
TEST(Pictures, ScrollToAnyElement) {
  RunProgram run("ROOT r = s32[9,40,60] iota(), iota_dimension=2");
  ASSERT_EQ(run.problems(), "");
  const PictureData data = run.DataOf(*run.module().entry->root);
  const PictureRow* row = FindPictureRow("index-map");
  PictureSelection selection;
  selection.live = true;
  std::set<std::string> seen = {""};
  std::vector<std::string> todo = {""};
  std::set<std::vector<int64_t>> cells;
  while (!todo.empty() && seen.size() < 4000) {
    const std::string window = todo.back();
    todo.pop_back();
    selection.options.clear();
    if (!window.empty()) selection.options["window:1000"] = window;
    const absl::StatusOr<MadePicture> picture = row->draw(data, selection);
    ASSERT_TRUE(picture.ok());
    for (const Spot& spot : picture->drawing.spots()) {
      if (spot.is_cell) cells.insert(spot.cell.index);
      if (spot.action.rfind("window:1000=", 0) == 0 && seen.insert(spot.action.substr(12)).second) todo.push_back(spot.action.substr(12));
    }
  }
  EXPECT_EQ(cells.size(), 9u * 40 * 60);
}

}  // namespace
}  // namespace hloscope
