#include "backends/jit_cpu/region_key.h"

#include <type_traits>
#include <variant>

#include "absl/strings/string_view.h"

namespace hloscope {
namespace {

class KeyWriter {
 public:
  explicit KeyWriter(std::string& out) : out_(out) {}

  void Int(int64_t v) {
    // One byte for the common small ones.
    if (v >= 0 && v < 250) {
      out_.push_back(static_cast<char>(v));
    } else {
      out_.push_back(static_cast<char>(250));
      out_.append(reinterpret_cast<const char*>(&v), sizeof(v));
    }
  }
  void Text(absl::string_view text) {
    Int(static_cast<int64_t>(text.size()));
    out_.append(text.data(), text.size());
  }
  void Write(const Shape& shape) {
    Int(static_cast<int64_t>(shape.element_type()));
    if (shape.IsTuple()) {
      Int(static_cast<int64_t>(shape.tuple_shapes().size()));
      for (const Shape& s : shape.tuple_shapes()) Write(s);
      return;
    }
    Int(shape.rank());
    for (int d = 0; d < shape.rank(); ++d) {
      Int(shape.dim(d));
      if (shape.has_dynamic_dimension()) Int(shape.is_dynamic(d));
    }
    const Layout* layout = shape.layout();
    if (layout == nullptr || layout->IsPlainRowMajor()) return Int(0);
    Text(layout->ToString());
  }
  void Write(const AttrValue& value) {
    Int(static_cast<int64_t>(value.index()));
    std::visit([this](const auto& v) { Value(v); }, value);
  }
  void Write(const Instruction& i) {
    Int(static_cast<int64_t>(i.opcode));
    Write(i.shape);
    Int(static_cast<int64_t>(i.attributes.size()));
    for (const Attribute& a : i.attributes) {
      Int(static_cast<int64_t>(a.id));
      if (a.id == AttrId::kUnknown) Text(a.name);
      Write(a.value);
    }
    if (i.literal == nullptr || !i.literal->value.has_value()) return Int(0);
    Int(1);
    const hloscope::Value& literal = i.literal->value;
    if (literal.shape().IsArray()) Text(absl::string_view(reinterpret_cast<const char*>(literal.data()), literal.byte_size()));
  }
  // A called computation, by what it does.
  void Write(const Computation* computation) {
    if (computation == nullptr) return Int(0);
    Int(static_cast<int64_t>(computation->schedule.size()) + 1);
    for (const Instruction* i : computation->schedule) {
      Write(*i);
      Int(i->parameter_number + 1);
      Int(static_cast<int64_t>(i->operands.size()));
      for (const Instruction* operand : i->operands) Int(operand->index);
    }
    Int(computation->root == nullptr ? -1 : computation->root->index);
  }

 private:
  void Value(int64_t v) { Int(v); }
  void Value(double v) { out_.append(reinterpret_cast<const char*>(&v), sizeof(v)); }
  void Value(absl::string_view v) { Text(v); }
  void Value(const Computation* v) { Write(v); }
  void Value(Computation* v) { Write(v); }
  void Value(const WindowDimension& w) {
    for (int64_t v : {w.size, w.stride, w.padding_low, w.padding_high, w.base_dilation, w.window_dilation, int64_t{w.reversal}}) Int(v);
  }
  void Value(const Boxed<ConvDimensionNumbers>& boxed) {
    const ConvDimensionNumbers& d = *boxed;
    for (int64_t v : {d.input_batch, d.input_feature, d.kernel_input_feature, d.kernel_output_feature, d.output_batch, d.output_feature})
      Int(v);
    Value(d.input_spatial);
    Value(d.kernel_spatial);
    Value(d.output_spatial);
  }
  void Value(const PaddingDimension& p) {
    for (int64_t v : {p.low, p.high, p.interior}) Int(v);
  }
  void Value(const SliceDimension& s) {
    for (int64_t v : {s.start, s.limit, s.stride}) Int(v);
  }
  void Value(const std::pair<int64_t, int64_t>& p) {
    Int(p.first);
    Int(p.second);
  }
  template <typename T>
  void Value(const std::vector<T>& list) {
    Int(static_cast<int64_t>(list.size()));
    for (const T& v : list) Value(v);
  }

  std::string& out_;
};

int Find(const std::vector<int>& list, int position) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == position) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::string RegionKey(const Computation& computation, const Region& region) {
  std::string key;
  key.reserve(64 + 48 * region.members.size());
  KeyWriter writer(key);
  writer.Int(static_cast<int64_t>(region.inputs.size()));
  for (int input : region.inputs) writer.Write(computation.schedule[input]->shape);
  for (int member : region.members) {
    const Instruction& instruction = *computation.schedule[member];
    writer.Write(instruction);
    writer.Int(static_cast<int64_t>(instruction.operands.size()));
    for (const Instruction* operand : instruction.operands) {
      // Inputs first, as FuseRegion does. Members are ascending, so a binary search would do; lists are short.
      const int input = Find(region.inputs, operand->index);
      writer.Int(input >= 0 ? input : static_cast<int64_t>(region.inputs.size()) + Find(region.members, operand->index));
    }
  }
  return key;
}

}  // namespace hloscope
