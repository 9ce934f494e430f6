// Computations are copied after those that they call; in all only what the result needs, and what stays.
#include "core/ir/rewrite.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace hloscope {
namespace {

class Rewriter {
 public:
  Rewriter(const Module& from, const Rewrite& rewrite) : from_(from), rewrite_(rewrite) {}

  absl::StatusOr<Rewritten> Run() {
    out_.module = std::make_unique<Module>();
    to_ = out_.module.get();
    to_->name = rewrite_.name.empty() ? from_.name : rewrite_.name;
    for (const auto& [key, value] : from_.header) {
      if (key == "replica_count" || key == "num_partitions") to_->header.emplace_back(key, value);
    }
    to_->frames = from_.frames;
    const Computation* entry = rewrite_.entry != nullptr ? rewrite_.entry : from_.entry;
    if (entry == nullptr) return absl::InvalidArgumentError("the module has no entry computation");
    root_ = rewrite_.root != nullptr ? rewrite_.root : entry->root;
    FindNeeded(*entry);
    for (const Instruction* i : entry->schedule) {
      if (needed_.contains(i) && !IsCut(*i)) {
        for (const Computation* called : i->CalledComputations()) CopyComputation(*called);
      }
    }
    CopyEntry(*entry);
    KeepUsedFrames();
    DiagnosticSink sink;
    to_->Finalize(sink);
    if (sink.error_count() > 0) return absl::InvalidArgumentError(sink.diagnostics().front().message);
    return std::move(out_);
  }

 private:
  const Instruction* Resolve(const Instruction* i) const {
    for (auto it = rewrite_.replaced.find(i); it != rewrite_.replaced.end(); it = rewrite_.replaced.find(i)) i = it->second;
    return i;
  }
  bool IsInput(const Instruction& i) const { return rewrite_.inputs.contains(&i); }
  bool IsCut(const Instruction& i) const { return IsInput(i) || rewrite_.constants.contains(&i); }

  bool Stays(const Instruction& i) const {
    return rewrite_.stays != nullptr && !IsCut(i) && !rewrite_.dropped.contains(&i) && !rewrite_.replaced.contains(&i) && rewrite_.stays(i);
  }

  void FindNeeded(const Computation& c) {
    std::vector<const Instruction*> roots = rewrite_.roots;
    if (roots.empty()) roots.push_back(root_);
    for (const Instruction* root : roots) needed_.insert(Resolve(root));
    for (const Instruction* i : c.schedule) {
      if (Stays(*i)) needed_.insert(i);
    }
    for (auto i = c.schedule.rbegin(); i != c.schedule.rend(); ++i) {
      if (!needed_.contains(*i) || IsCut(**i)) continue;
      AddNeeds(**i, &needed_);
    }
  }

  void AddNeeds(const Instruction& i, absl::flat_hash_set<const Instruction*>* needed) const {
    const auto kept = rewrite_.parts.find(&i);
    if (kept != rewrite_.parts.end() && i.opcode == Opcode::kTuple) {
      for (int64_t k : kept->second) needed->insert(Resolve(i.operands[k]));
      return;
    }
    for (const Instruction* operand : i.operands) needed->insert(Resolve(operand));
  }

  // `dimension`: the number of its first dimension, counted on.
  Shape Resize(const Instruction& of, const Shape& shape, int& dimension) const {
    if (rewrite_.size == nullptr) return shape;
    if (shape.IsTuple()) {
      std::vector<Shape> elements;
      for (const Shape& element : shape.tuple_shapes()) elements.push_back(Resize(of, element, dimension));
      return Shape::Tuple(std::move(elements));
    }
    if (!shape.IsArray()) return shape;
    std::vector<int64_t> dims(shape.dimensions().begin(), shape.dimensions().end());
    for (int64_t& d : dims) d = rewrite_.size(of, dimension++, d);
    return Shape::Array(shape.element_type(), dims, shape.layout() != nullptr ? std::make_optional(*shape.layout()) : std::nullopt, shape.dynamic_dimensions());
  }

  Shape Resize(const Instruction& i) const {
    int dimension = 0;
    return Resize(i, i.shape, dimension);
  }

  Shape ShapeOf(const Instruction& i) const {
    const Shape shape = Resize(i);
    const auto kept = rewrite_.parts.find(&i);
    if (kept == rewrite_.parts.end()) return shape;
    std::vector<Shape> elements;
    for (int64_t k : kept->second) elements.push_back(shape.tuple_shapes()[k]);
    return Shape::Tuple(std::move(elements));
  }

  Value CutValue(const Instruction& of, const Value& value, const Shape& shape) const {
    return rewrite_.cut == nullptr || !value.shape().IsArray() ? value : rewrite_.cut(of, value, shape);
  }

  std::string UniqueName(const std::string& wanted) {
    std::string name = wanted;
    for (int k = 1; !names_.insert(name).second; ++k) name = absl::StrCat(wanted, ".", k);
    return name;
  }

  Instruction* Add(Computation* c, Opcode opcode, absl::string_view name, const Shape& shape) {
    Instruction* i = to_->AddInstruction(c);
    i->opcode = opcode;
    i->name = to_->Intern(name);
    i->shape = shape;
    return i;
  }

  Instruction* AddConstant(Computation* c, const Instruction& original, absl::string_view name, const Shape& shape, const Value& value) {
    Instruction* i = Add(c, Opcode::kConstant, name, shape);
    i->literal = std::make_unique<ConstantLiteral>();
    i->literal->value = CutValue(original, value, shape);
    return i;
  }

  // In the place of `original`, or of a part of it: parameters, or constants where `value` is given.
  Instruction* Substitute(Computation* c, const Instruction& original, const std::string& name, const Shape& shape, const Value* value, std::vector<int64_t>& leaf) {
    if (shape.IsToken()) return Add(c, Opcode::kAfterAll, name, shape);
    if (!shape.IsTuple()) {
      if (value != nullptr) return AddConstant(c, original, name, shape, *value);
      Instruction* parameter = Add(c, Opcode::kParameter, name, shape);
      parameter->parameter_number = static_cast<int64_t>(out_.inputs.size());
      out_.inputs.push_back({&original, leaf, shape});
      return parameter;
    }
    std::vector<Instruction*> elements;
    for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
      leaf.push_back(static_cast<int64_t>(k));
      elements.push_back(Substitute(c, original, UniqueName(absl::StrCat(name, ".", k)), shape.tuple_shapes()[k], value != nullptr ? &value->elements()[k] : nullptr, leaf));
      leaf.pop_back();
    }
    Instruction* tuple = Add(c, Opcode::kTuple, name, shape);
    tuple->operands.assign(elements.begin(), elements.end());
    return tuple;
  }

  AttrValue CopyValue(const Instruction& of, const Attribute& attribute) {
    AttrValue value = attribute.value;
    if (auto* text = std::get_if<absl::string_view>(&value)) {
      const bool of_operand = attribute.id == AttrId::kOutfeedShape && rewrite_.size != nullptr && !of.operands.empty();
      *text = to_->Intern(of_operand ? Resize(*of.operands[0]).ToString(false) : *text);
    }
    if (auto* one = std::get_if<Computation*>(&value)) *one = *one == nullptr ? nullptr : computations_.at(*one);
    if (auto* many = std::get_if<std::vector<Computation*>>(&value)) {
      for (Computation*& c : *many) c = c == nullptr ? nullptr : computations_.at(c);
    }
    if (rewrite_.attribute_size == nullptr) return value;
    int dimension = 0;
    if (auto* slices = std::get_if<std::vector<SliceDimension>>(&value)) {
      for (SliceDimension& s : *slices) s.limit = rewrite_.attribute_size(of, dimension++, s.limit);
    }
    if (auto* window = std::get_if<Window>(&value)) {
      for (WindowDimension& w : *window) w.size = rewrite_.attribute_size(of, -1, w.size);
    }
    if (auto* ints = std::get_if<std::vector<int64_t>>(&value); ints != nullptr && (attribute.id == AttrId::kDynamicSliceSizes || attribute.id == AttrId::kSliceSizes)) {
      for (int64_t& n : *ints) n = rewrite_.attribute_size(of, dimension++, n);
    }
    return value;
  }

  Instruction* CopyInstruction(Computation* c, const Instruction& i) {
    Instruction* copy = Add(c, i.opcode, i.name, ShapeOf(i));
    const auto kept = rewrite_.parts.find(&i);
    if (kept != rewrite_.parts.end() && i.opcode == Opcode::kTuple) {
      for (int64_t k : kept->second) copy->operands.push_back(copies_.at(Resolve(i.operands[k])));
    } else {
      for (const Instruction* operand : i.operands) copy->operands.push_back(copies_.at(Resolve(operand)));
    }
    for (const Instruction* before : i.control_predecessors) {
      const auto found = copies_.find(before);
      if (found != copies_.end()) copy->control_predecessors.push_back(found->second);
    }
    for (const Attribute& attribute : i.attributes) copy->attributes.push_back({attribute.id, to_->Intern(attribute.name), CopyValue(i, attribute), SourceRange()});
    if (i.opcode == Opcode::kGetTupleElement) {
      if (const auto of = rewrite_.parts.find(i.operands[0]); of != rewrite_.parts.end()) {
        const int64_t index = std::find(of->second.begin(), of->second.end(), i.Int(AttrId::kIndex)) - of->second.begin();
        for (Attribute& attribute : copy->attributes) {
          if (attribute.id == AttrId::kIndex) attribute.value = index;
        }
      }
    }
    copy->metadata = i.metadata;
    copy->metadata.op_name = to_->Intern(i.metadata.op_name);
    copy->metadata.op_type = to_->Intern(i.metadata.op_type);
    copy->metadata.source_file = to_->Intern(i.metadata.source_file);
    copy->metadata.raw = to_->Intern(i.metadata.raw);
    copy->sharding = to_->Intern(i.sharding);
    copy->backend_config = to_->Intern(i.backend_config);
    copy->frontend_attributes = to_->Intern(i.frontend_attributes);
    if (i.literal != nullptr) {
      copy->literal = std::make_unique<ConstantLiteral>();
      copy->literal->value = i.literal->value.has_value() ? CutValue(i, i.literal->value, copy->shape) : Value();
      copy->literal->elided = !i.literal->value.has_value();
    }
    copy->parameter_number = i.parameter_number;
    return copy;
  }

  // Of a computation that is called: its parameters stay, what nothing needs goes.
  void CopyComputation(const Computation& c) {
    if (computations_.contains(&c)) return;
    absl::flat_hash_set<const Instruction*> needed = {Resolve(c.root)};
    for (const Instruction* i : c.schedule) {
      if (Stays(*i)) needed.insert(i);
    }
    for (auto i = c.schedule.rbegin(); i != c.schedule.rend(); ++i) {
      if (!needed.contains(*i) || rewrite_.constants.contains(*i)) continue;
      AddNeeds(**i, &needed);
    }
    for (const Instruction* i : c.schedule) {
      if (!needed.contains(i) || rewrite_.constants.contains(i)) continue;
      for (const Computation* called : i->CalledComputations()) CopyComputation(*called);
    }
    Computation* copy = to_->AddComputation(to_->Intern(c.name));
    computations_[const_cast<Computation*>(&c)] = copy;
    copy->execution_thread = to_->Intern(c.execution_thread);
    names_.clear();
    for (const Instruction* i : c.instructions) names_.insert(std::string(i->name));
    for (const Instruction* i : c.schedule) {
      if (!needed.contains(i) && i->parameter_number < 0) continue;
      const auto constant = rewrite_.constants.find(i);
      std::vector<int64_t> leaf;
      copies_[i] = constant != rewrite_.constants.end() && i->parameter_number < 0 ? Substitute(copy, *i, std::string(i->name), Resize(*i), &constant->second, leaf)
                                                                                : CopyInstruction(copy, *i);
    }
    copy->root = copies_.at(Resolve(c.root));
  }

  void CopyEntry(const Computation& c) {
    std::string name(c.name);
    while (to_->FindComputation(name) != nullptr) name += ".entry";
    Computation* copy = to_->AddComputation(to_->Intern(name));
    copy->is_entry = true;
    to_->entry = copy;
    names_.clear();
    for (const Instruction* i : c.instructions) names_.insert(std::string(i->name));
    for (const Instruction* i : c.schedule) {
      if (!needed_.contains(i)) continue;
      const auto constant = rewrite_.constants.find(i);
      std::vector<int64_t> leaf;
      if (constant != rewrite_.constants.end()) {
        copies_[i] = Substitute(copy, *i, std::string(i->name), Resize(*i), &constant->second, leaf);
      } else if (IsInput(*i) || i->parameter_number >= 0) {
        copies_[i] = Substitute(copy, *i, std::string(i->name), Resize(*i), nullptr, leaf);
      } else {
        copies_[i] = CopyInstruction(copy, *i);
      }
    }
    if (rewrite_.roots.empty()) {
      copy->root = copies_.at(Resolve(root_));
      return;
    }
    std::vector<Shape> shapes;
    std::vector<Instruction*> elements;
    for (const Instruction* root : rewrite_.roots) {
      elements.push_back(copies_.at(Resolve(root)));
      shapes.push_back(elements.back()->shape);
    }
    copy->root = Add(copy, Opcode::kTuple, UniqueName("results"), Shape::Tuple(std::move(shapes)));
    copy->root->operands.assign(elements.begin(), elements.end());
  }

  // Of the tables of frames, what some instruction still names, numbered anew.
  void KeepUsedFrames() {
    const SourceFrames& all = from_.frames;
    if (all.empty()) return;
    SourceFrames kept;
    absl::flat_hash_map<int32_t, int32_t> frames, locations, files, functions;
    const auto string_id = [](int32_t id, const std::vector<std::string>& from, std::vector<std::string>* to, absl::flat_hash_map<int32_t, int32_t>* known) -> int32_t {
      if (id < 1 || id > static_cast<int32_t>(from.size())) return 0;
      const auto [entry, fresh] = known->try_emplace(id, static_cast<int32_t>(to->size()) + 1);
      if (fresh) to->push_back(from[id - 1]);
      return entry->second;
    };
    const auto location_id = [&](int32_t id) -> int32_t {
      if (id < 1 || id > static_cast<int32_t>(all.file_locations.size())) return 0;
      const auto [entry, fresh] = locations.try_emplace(id, static_cast<int32_t>(kept.file_locations.size()) + 1);
      if (!fresh) return entry->second;
      FileLocation location = all.file_locations[id - 1];
      location.file_name_id = string_id(location.file_name_id, all.file_names, &kept.file_names, &files);
      location.function_name_id = string_id(location.function_name_id, all.function_names, &kept.function_names, &functions);
      kept.file_locations.push_back(location);
      return static_cast<int32_t>(kept.file_locations.size());
    };
    const int32_t count = static_cast<int32_t>(all.stack_frames.size());
    for (Computation* c : to_->computations) {
      for (Instruction* i : c->instructions) {
        const int32_t wanted = i->metadata.stack_frame_id;
        if (wanted < 1 || wanted > count) continue;
        // The frame and those that called it; a damaged table could link in a circle, which ends where one is known.
        std::vector<int32_t> fresh;
        for (int32_t id = wanted; id >= 1 && id <= count; id = all.stack_frames[id - 1].parent_frame_id - 1) {
          if (!frames.try_emplace(id, static_cast<int32_t>(kept.stack_frames.size()) + 1).second) break;
          kept.stack_frames.push_back({location_id(all.stack_frames[id - 1].file_location_id), 1});
          fresh.push_back(id);
        }
        for (int32_t id : fresh) {
          const auto parent = frames.find(all.stack_frames[id - 1].parent_frame_id - 1);
          kept.stack_frames[frames[id] - 1].parent_frame_id = parent != frames.end() ? parent->second + 1 : 1;
        }
        i->metadata.stack_frame_id = frames[wanted];
        i->metadata.raw = to_->Intern(WithFrame(i->metadata.raw, frames[wanted]));
      }
    }
    to_->frames = std::move(kept);
  }

  static std::string WithFrame(absl::string_view raw, int32_t id) {
    constexpr absl::string_view kKey = "stack_frame_id=";
    for (size_t at = raw.find(kKey); at != absl::string_view::npos; at = raw.find(kKey, at + 1)) {
      if (at > 0 && raw[at - 1] != ' ' && raw[at - 1] != ',') continue;
      size_t end = at + kKey.size();
      while (end < raw.size() && absl::ascii_isdigit(raw[end])) ++end;
      return absl::StrCat(raw.substr(0, at), kKey, id, raw.substr(end));
    }
    return std::string(raw);
  }

  const Module& from_;
  const Rewrite& rewrite_;
  Rewritten out_;
  Module* to_ = nullptr;
  const Instruction* root_ = nullptr;
  absl::flat_hash_set<const Instruction*> needed_;  // in the entry
  absl::flat_hash_set<std::string> names_;          // of the computation that is copied
  absl::flat_hash_map<const Instruction*, Instruction*> copies_;
  absl::flat_hash_map<Computation*, Computation*> computations_;
};

}  // namespace

absl::StatusOr<Rewritten> RewriteModule(const Module& module, const Rewrite& rewrite) { return Rewriter(module, rewrite).Run(); }

}  // namespace hloscope
