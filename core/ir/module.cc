#include "core/ir/module.h"

#include <algorithm>
#include <atomic>

namespace hloscope {
namespace {

template <typename T>
const T* Get(const Instruction& instruction, AttrId id) {
  const Attribute* attribute = instruction.Find(id);
  return attribute == nullptr ? nullptr : std::get_if<T>(&attribute->value);
}

std::atomic<uint64_t> modules{0};

}  // namespace

Module::Module() : serial(++modules) {}
Module::~Module() = default;

std::shared_ptr<Module> Module::WithEntry(std::shared_ptr<const Module> program, Computation* entry) {
  auto module = std::make_shared<Module>();
  module->name = program->name;
  module->source = program->source;
  module->header = program->header;
  module->frames = program->frames;
  module->computations = program->computations;
  module->computation_by_name_ = program->computation_by_name_;
  module->entry = entry;
  if (entry == program->entry) module->entry_result = program->entry_result;
  module->program_ = std::move(program);
  return module;
}

const Attribute* Instruction::Find(AttrId id) const {
  for (const Attribute& attribute : attributes) {
    if (attribute.id == id) return &attribute;
  }
  return nullptr;
}

int64_t Instruction::Int(AttrId id, int64_t otherwise) const {
  const int64_t* v = Get<int64_t>(*this, id);
  return v == nullptr ? otherwise : *v;
}

double Instruction::Float(AttrId id, double otherwise) const {
  const double* v = Get<double>(*this, id);
  return v == nullptr ? otherwise : *v;
}

absl::string_view Instruction::Text(AttrId id) const {
  const absl::string_view* v = Get<absl::string_view>(*this, id);
  return v == nullptr ? absl::string_view() : *v;
}

absl::Span<const int64_t> Instruction::Ints(AttrId id) const {
  const std::vector<int64_t>* v = Get<std::vector<int64_t>>(*this, id);
  return v == nullptr ? absl::Span<const int64_t>() : absl::Span<const int64_t>(*v);
}

const Window* Instruction::GetWindow() const { return Get<Window>(*this, AttrId::kWindow); }

const ConvDimensionNumbers* Instruction::GetDimLabels() const {
  const auto* v = Get<Boxed<ConvDimensionNumbers>>(*this, AttrId::kDimLabels);
  return v == nullptr ? nullptr : &**v;
}

absl::Span<const PaddingDimension> Instruction::GetPadding() const {
  const auto* v = Get<std::vector<PaddingDimension>>(*this, AttrId::kPadding);
  return v == nullptr ? absl::Span<const PaddingDimension>() : absl::Span<const PaddingDimension>(*v);
}

absl::Span<const SliceDimension> Instruction::GetSlices() const {
  const auto* v = Get<std::vector<SliceDimension>>(*this, AttrId::kSlice);
  return v == nullptr ? absl::Span<const SliceDimension>() : absl::Span<const SliceDimension>(*v);
}

Computation* Instruction::Called(AttrId id) const {
  Computation* const* v = Get<Computation*>(*this, id);
  return v == nullptr ? nullptr : *v;
}

std::vector<Computation*> Instruction::CalledComputations() const {
  std::vector<Computation*> called;
  for (const Attribute& attribute : attributes) {
    if (auto* one = std::get_if<Computation*>(&attribute.value)) {
      if (*one != nullptr) called.push_back(*one);
    } else if (auto* many = std::get_if<std::vector<Computation*>>(&attribute.value)) {
      for (Computation* c : *many) {
        if (c != nullptr) called.push_back(c);
      }
    }
  }
  return called;
}

Instruction* Computation::FindInstruction(absl::string_view wanted) const {
  const auto it = by_name.find(wanted);
  return it == by_name.end() ? nullptr : it->second;
}

Computation* Module::AddComputation(absl::string_view computation_name) {
  Computation& computation = computation_storage_.Add();
  computation.name = computation_name;
  computation.module = this;
  computation.id = static_cast<int32_t>(computations.size());
  computations.push_back(&computation);
  return &computation;
}

Instruction* Module::AddInstruction(Computation* parent) {
  Instruction& instruction = instruction_storage_.Add();
  instruction.parent = parent;
  parent->instructions.push_back(&instruction);
  return &instruction;
}

absl::string_view Module::Intern(absl::string_view text) {
  if (text.empty()) return {};
  return strings_.emplace_back(text.data(), text.size());
}

Computation* Module::FindComputation(absl::string_view wanted) const {
  auto it = computation_by_name_.find(wanted);
  if (it != computation_by_name_.end()) return it->second;
  if (!computation_by_name_.empty()) return nullptr;
  for (Computation* c : computations) {  // before Finalize
    if (c->name == wanted) return c;
  }
  return nullptr;
}

int64_t Module::instruction_count() const {
  int64_t count = 0;
  for (const Computation* c : computations) count += static_cast<int64_t>(c->instructions.size());
  return count;
}

const std::string* Module::FindHeader(absl::string_view key) const {
  for (const auto& [name, value] : header) {
    if (name == key) return &value;
  }
  return nullptr;
}

}  // namespace hloscope
