// What is drawn can be read: no text lies on another one or under something, none is cut, and all of it stands inside of its margins. Of all
// samples, of random programs, and of programs with awkward attributes.
#include <filesystem>
#include <map>
#include <set>

#include "tests/pictures/making.h"
#include "tests/random/generate.h"

namespace hloscope {
namespace {

// Every picture of an instruction: as it is, at a step, with a selected element of an operand and of the result, and narrow.
void Look(const PictureData& data, const std::string& what, std::map<std::string, std::vector<std::string>>* faults, int* drawn) {
  std::vector<PictureSelection> selections(3);
  selections[1].step = 1;
  selections[2].width = 560;
  const absl::StatusOr<PictureScene> scene = PictureScene::Make(data);
  if (!scene.ok()) return;
  for (const std::vector<PictureArray>* side : {&scene->operands(), &scene->results()}) {
    if (side->empty() || side->front().shape.ElementCount() == 0) continue;
    std::vector<int64_t> index(side->front().shape.rank());
    DelinearizeIndex(side->front().shape.dimensions(), side->front().shape.ElementCount() / 2, absl::MakeSpan(index));
    selections.emplace_back();
    selections.back().pinned = Cell{side->front().id, index};
  }
  for (const PictureRow* row : PicturesFor(*data.instruction)) {
    for (const PictureSelection& selection : selections) {
      const absl::StatusOr<MadePicture> made = row->draw(data, selection);
      if (!made.ok()) continue;
      ++*drawn;
      const std::string fault = UnreadableText(made->drawing);
      const std::string how = absl::StrCat(row->id, selection.step >= 0 ? " step" : "", selection.width < 900 ? " narrow" : "", selection.pinned ? absl::StrCat(" ", selection.pinned->array, IndexText(selection.pinned->index)) : "");
      if (!fault.empty()) (*faults)[row->id].push_back(absl::StrCat(what, " %", data.instruction->name, " ", how, ": ", fault));
    }
  }
}

void ExpectNone(const std::map<std::string, std::vector<std::string>>& faults) {
  for (const auto& [picture, of_it] : faults) {
    std::string some;
    for (size_t k = 0; k < std::min<size_t>(of_it.size(), 12); ++k) absl::StrAppend(&some, "\n  ", of_it[k]);
    ADD_FAILURE() << of_it.size() << " of " << picture << ":" << some;
  }
}

TEST(Looks, OfSamples) {
  std::map<std::string, std::vector<std::string>> faults;
  int drawn = 0;
  for (const char* folder : {"assets/samples/ops", "assets/samples/spec", "tests/pictures/programs"}) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".hlo") continue;
      RunProgram run(RunProgram::ReadFile(file.path().string()));
      if (!run.problems().empty()) continue;
      for (const Instruction* i : run.module().entry->schedule) Look(run.DataOf(*i), file.path().filename().string(), &faults, &drawn);
    }
  }
  EXPECT_GT(drawn, 1000);
  ExpectNone(faults);
}

TEST(Looks, OfRandomPrograms) {
  std::map<std::string, std::vector<std::string>> faults;
  int drawn = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Prog program = Generate(seed);
    std::string problems;
    const std::string text = hloscope::Text(program);
    const std::unique_ptr<Module> module = ReadProgram(text, &problems);
    ASSERT_NE(module, nullptr) << problems;
    RunProgram run(text, ArgumentsOf(program, *module));
    if (!run.problems().empty()) continue;
    for (const Instruction* i : run.module().entry->schedule) Look(run.DataOf(*i), absl::StrCat("seed ", seed), &faults, &drawn);
  }
  EXPECT_GT(drawn, 1000);
  ExpectNone(faults);
}

}  // namespace
}  // namespace hloscope
