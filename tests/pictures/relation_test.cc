// What belongs together in pictures is what the element programs read: on random instances of every operation, in both directions.
#include "visualizer/pictures/relation.h"

#include <filesystem>
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "absl/strings/str_join.h"
#include "core/element/interpret.h"
#include "core/literal/relayout.h"
#include "core/ops/op.h"
#include "tests/pictures/random_programs.h"

namespace hloscope {
namespace {

using Place = std::pair<int, int64_t>;  // array, row-major place
constexpr int64_t kMost = 160;          // elements of an array that are asked one by one

std::string Text(const PictureScene& scene, const Place& place) {
  const PictureArray* array = scene.Find(place.first);
  std::vector<int64_t> index(array->shape.rank());
  DelinearizeIndex(array->shape.dimensions(), place.second, absl::MakeSpan(index));
  return absl::StrCat(array->name, IndexText(index));
}
std::set<Place> Places(const PictureScene& scene, const std::vector<Cell>& cells) {
  std::set<Place> places;
  for (const Cell& cell : cells) places.insert({cell.array, LinearIndex(scene.Find(cell.array)->shape.dimensions(), cell.index)});
  return places;
}
std::vector<int64_t> IndexOf(const Shape& shape, int64_t linear) {
  std::vector<int64_t> index(shape.rank());
  DelinearizeIndex(shape.dimensions(), linear, absl::MakeSpan(index));
  return index;
}

// Whether element `index` of an output is the same whatever stands at a place of the operands.
bool StaysWithout(const Program& program, int output, const std::vector<Value>& operands, const std::vector<int64_t>& index, const Place& place) {
  Program one = program;
  one.outputs = {program.outputs[output]};
  const auto element = [&](const std::vector<Value>& values) {
    std::vector<const Value*> pointers;
    for (const Value& v : values) pointers.push_back(&v);
    Interpreter interpreter(one, {.bounds = false});
    const auto made = interpreter.At(pointers, index);
    return made.ok() ? ToText((*made)[0].value) : std::string(made.status().message());
  };
  const std::string before = element(operands);
  const size_t k = static_cast<size_t>(place.first - OperandArray(0));
  const ElementType type = operands[k].shape().element_type();
  for (const double other : {0.0, 1.0, 2.0, -3.0, 100.0, 1e6}) {
    std::vector<Value> changed = operands;
    changed[k] = Value::FromBytes(operands[k].shape(), absl::MakeConstSpan(operands[k].data(), operands[k].byte_size()));
    StoreScalar(ConvertScalar(Scalar::Float(ElementType::kF64, other), type), changed[k].mutable_data() + place.second * StorageBytes(type));
    if (element(changed) != before) return false;
  }
  return true;
}

struct Tally {
  int64_t elements = 0, reverse = 0, pictures = 0, left_out = 0;
  std::map<std::string, int> operations;
};

// One instruction: every element's reads, as the relation and as the interpreter tell them; every operand element's readers.
void Check(const PictureData& data, Tally* tally) {
  const absl::StatusOr<PictureScene> scene = PictureScene::Make(data);
  ASSERT_TRUE(scene.ok()) << scene.status();
  const Relation relation(*scene);
  if (relation.tracer() == nullptr) return;
  const Instruction& i = scene->instruction();
  const Program& program = relation.tracer()->program();
  for (const PictureArray& array : scene->operands()) {
    if (array.shape.ElementCount() > kMost || !array.has_value()) return;
  }
  for (const PictureArray& array : scene->results()) {
    if (array.shape.ElementCount() > kMost) return;
  }
  ++tally->operations[std::string(Name(i.opcode))];
  std::vector<Value> dense;
  for (size_t k = 0; k < program.operands.size(); ++k) dense.push_back(CutTo(ToDense(data.operands[k]), program.operands[k], nullptr));
  std::vector<const Value*> operands;
  for (const Value& v : dense) operands.push_back(&v);
  std::map<Place, std::set<Place>> readers;
  for (const PictureArray& result : scene->results()) {
    const int leaf = result.id - kResultArray;
    for (int64_t e = 0; e < result.shape.ElementCount(); ++e) {
      const std::vector<int64_t> index = IndexOf(result.shape, e);
      const Related related = relation.Reads(leaf, index);
      ASSERT_TRUE(related.exact) << related.note;
      const std::set<Place> reads = Places(*scene, related.List(1 << 20));
      ASSERT_EQ(static_cast<int64_t>(reads.size()), related.total());
      for (const Place& place : reads) readers[place].insert({result.id, e});
      ++tally->elements;
      if (program.is_push) continue;  // the interpreter walks updates that do not hit, too
      // The interpreter evaluates all outputs at once.
      std::set<Place> loaded;
      for (size_t o = 0; o < program.outputs.size(); ++o) {
        Program one = program;
        one.outputs = {program.outputs[o]};
        if (static_cast<int>(o) != leaf) continue;
        Interpreter interpreter(one, {.bounds = false});
        interpreter.set_on_load([&](int operand, int64_t linear, const Scalar&) { loaded.insert({OperandArray(operand), linear}); });
        ASSERT_TRUE(interpreter.At(operands, index).ok());
      }
      if (program.outputs.size() > 1) {  // ... and all parts of a fold, whether this result is made from them or not: then it stays with other numbers there
        ASSERT_TRUE(std::includes(loaded.begin(), loaded.end(), reads.begin(), reads.end())) << i.name << " " << Text(*scene, {result.id, e});
        for (const Place& place : loaded) {
          if (reads.contains(place)) continue;
          ASSERT_TRUE(StaysWithout(program, leaf, dense, index, place)) << i.name << " " << Text(*scene, {result.id, e}) << " is made from " << Text(*scene, place);
          ++tally->left_out;
        }
        continue;
      }
      ASSERT_EQ(loaded, reads) << i.name << " " << Name(i.opcode) << " " << Text(*scene, {result.id, e});
    }
  }
  for (const PictureArray& operand : scene->operands()) {
    for (int64_t e = 0; e < operand.shape.ElementCount(); ++e) {
      const Related related = relation.Readers(operand.id, 0, IndexOf(operand.shape, e));
      ++tally->reverse;
      if (!related.exact) continue;
      ASSERT_EQ(Places(*scene, related.List(1 << 20)), (readers[{operand.id, e}])) << i.name << " " << Name(i.opcode) << " read from " << Text(*scene, {operand.id, e});
    }
  }
  // And the pictures say the same.
  for (const std::vector<PictureArray>* side : {&scene->operands(), &scene->results()}) {
    for (const PictureArray& array : *side) {
      if (array.shape.ElementCount() == 0) continue;
      PictureSelection selection;
      selection.pinned = {array.id, IndexOf(array.shape, (tally->elements * 7 + tally->pictures) % array.shape.ElementCount())};
      const std::set<Place> wanted = Places(*scene, relation.Of(*selection.pinned).List(1 << 20));
      for (const PictureRow* row : PicturesFor(*data.instruction)) {
        const absl::StatusOr<MadePicture> picture = row->draw(data, selection);
        ASSERT_TRUE(picture.ok()) << row->id << ": " << picture.status();
        std::set<Place> shown;
        for (const Cell& cell : picture->related) {
          if (cell.array < kOwnArray || cell.array >= kOperandLeaf) shown.merge(Places(*scene, {cell}));
        }
        ASSERT_EQ(shown, wanted) << row->id << " of " << i.name << " at " << Text(*scene, {array.id, LinearIndex(array.shape.dimensions(), selection.pinned->index)});
        ++tally->pictures;
      }
    }
  }
}

// Operations with an element program.
std::set<Opcode> WithElementProgram() {
  std::set<Opcode> operations;
  for (int k = 0; k < kOpcodeCount; ++k) {
    const OpDef& def = Def(static_cast<Opcode>(k));
    if (def.op_class == OpClass::kPull || def.op_class == OpClass::kPush) operations.insert(static_cast<Opcode>(k));
  }
  return operations;
}

// A random instance of an operation that random programs do not use: functions of one element in some type, and bitcast. False: it is none.
bool CheckInstance(Opcode operation, std::mt19937& random, Tally* tally) {
  std::vector<int> dims(1 + random() % 3);
  int elements = 1;
  for (int& d : dims) elements *= d = 1 + static_cast<int>(random() % 4);
  const std::string shape = absl::StrCat("[", absl::StrJoin(dims, ","), "]"), flat = absl::StrCat("[", elements, "]");
  const auto values = [&](absl::string_view type) { return absl::StrCat("n = ", type, flat, " iota(), iota_dimension=0\n x = ", type, shape, " reshape(n)\n"); };
  const std::string forms[] = {
      absl::StrCat(values("f32"), "ROOT r = f32", shape, " ", Name(operation), "(x)"),
      absl::StrCat(values("f32"), "c = c64", shape, " complex(x, x)\n ROOT r = f32", shape, " ", Name(operation), "(c)"),
      absl::StrCat(values("s32"), "ROOT r = s32", shape, " ", Name(operation), "(x, x)"),
      absl::StrCat(values("f32"), "ROOT r = f32", flat, " ", Name(operation), "(x)"),
  };
  for (const std::string& form : forms) {
    RunProgram run(form);
    if (!run.problems().empty()) continue;
    Check(run.DataOf(*run.module().entry->root), tally);
    return true;
  }
  return false;
}

TEST(Relation, PicturesTellWhatElementProgramsReadInRandomPrograms) {
  Tally tally;
  ForRandomPrograms(150, [&](RunProgram& run, const Instruction& i, const std::string&) { Check(run.DataOf(i), &tally); });
  if (HasFatalFailure()) return;
  EXPECT_GT(tally.operations.size(), 60u);
  std::mt19937 random(6);
  for (const Opcode operation : WithElementProgram()) {
    if (tally.operations.contains(std::string(Name(operation)))) continue;
    SCOPED_TRACE(Name(operation));
    for (int k = 0; k < 12; ++k) ASSERT_TRUE(CheckInstance(operation, random, &tally)) << "no random program and no form of CheckInstance has it";
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.elements, 20000);
  EXPECT_GT(tally.left_out, 100);  // loads of which a result of several is not made
  EXPECT_GT(tally.reverse, 20000);
}

// Each operation with an element program is among them: its sample is, if not a random program.
TEST(Relation, EveryOperationWithAnElementProgram) {
  Tally tally;
  std::set<std::string> wanted;
  for (const Opcode operation : WithElementProgram()) wanted.insert(std::string(Name(operation)));
  for (const auto& file : std::filesystem::directory_iterator("assets/samples/ops")) {
    RunProgram run(RunProgram::ReadFile(file.path().string()));
    if (!run.problems().empty()) continue;
    for (const Instruction* i : run.module().entry->schedule) {
      SCOPED_TRACE(file.path().string());
      Check(run.DataOf(*i), &tally);
      if (HasFatalFailure()) return;
    }
  }
  for (const std::string& operation : wanted) EXPECT_GT(tally.operations[operation], 0) << operation;
  EXPECT_GT(wanted.size(), 75u);
}

}  // namespace
}  // namespace hloscope
