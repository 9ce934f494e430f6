#include "core/ops/collective_exchange.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/rules.h"
#include "core/ops/typed.h"
#include "core/ops/zeros.h"

namespace hloscope {
namespace {

using Results = std::vector<Value>;

absl::Status NoMemory(const Shape& shape) { return absl::ResourceExhaustedError(absl::StrCat("no memory for ", TypeText(shape))); }

// An array cut around one dimension: `outer` runs of `run` bytes for each index of it.
struct Cut {
  int64_t outer = 1, run = 0;
};
Cut CutAt(const Shape& shape, int dim) {
  Cut cut{1, StorageBytes(shape.element_type())};
  for (int d = 0; d < dim; ++d) cut.outer *= shape.dim(d);
  for (int d = dim + 1; d < shape.rank(); ++d) cut.run *= shape.dim(d);
  return cut;
}

Shape Resized(const Shape& shape, int dim, int64_t size) {
  DimensionList list;
  for (int d = 0; d < shape.rank(); ++d) list.Add(d == dim ? size : shape.dim(d));
  return list.Build(shape.element_type());
}

// Some of the indices of one dimension of an array.
struct Piece {
  const Value* from;
  int64_t begin, count;
};

absl::StatusOr<Value> Concatenated(const std::vector<Piece>& pieces, int dim, MemoryAccount* account) {
  int64_t size = 0;
  for (const Piece& piece : pieces) size += piece.count;
  const Shape shape = Resized(pieces[0].from->shape(), dim, size);
  Value out = Value::Allocate(shape, account);
  if (!out.has_value()) return NoMemory(shape);
  if (out.element_count() == 0) return out;
  const Cut cut = CutAt(shape, dim);
  std::byte* to = out.mutable_data();
  for (int64_t o = 0; o < cut.outer; ++o) {
    for (const Piece& piece : pieces) {
      const int64_t bytes = piece.count * cut.run;
      std::memcpy(to, piece.from->data() + (o * piece.from->shape().dim(dim) + piece.begin) * cut.run, bytes);
      to += bytes;
    }
  }
  return out;
}

// One value, or a tuple of several; `tuple`: also of one.
Value Joined(std::vector<Value> values, bool tuple) {
  if (values.size() == 1 && !tuple) return std::move(values[0]);
  std::vector<Shape> shapes;
  for (const Value& v : values) shapes.push_back(v.shape());
  return Value::Tuple(Shape::Tuple(std::move(shapes)), std::move(values));
}

int DimensionOf(const ExchangeContext& c) {
  const absl::Span<const int64_t> dims = c.instruction.Ints(AttrId::kDimensions);
  return dims.empty() ? 0 : static_cast<int>(dims[0]);
}

// Every operand reduced over the members.
absl::StatusOr<std::vector<Value>> Reduced(const ExchangeContext& c) {
  std::vector<Value> reduced;
  for (size_t k = 0; k < c.brought[0].size(); ++k) {
    std::vector<Value> arrays;
    for (const std::vector<Value>& member : c.brought) arrays.push_back(member[k]);
    absl::StatusOr<Value> value = c.reduce(*c.instruction.Called(AttrId::kToApply), std::move(arrays));
    if (!value.ok()) return value.status();
    reduced.push_back(*std::move(value));
  }
  return reduced;
}

absl::StatusOr<std::vector<Value>> Gathered(const ExchangeContext& c) {
  const int dim = DimensionOf(c);
  std::vector<Value> gathered;
  for (size_t k = 0; k < c.brought[0].size(); ++k) {
    std::vector<Piece> pieces;
    for (const std::vector<Value>& member : c.brought) pieces.push_back({&member[k], 0, member[k].shape().dim(dim)});
    absl::StatusOr<Value> value = Concatenated(pieces, dim, c.account);
    if (!value.ok()) return value.status();
    gathered.push_back(*std::move(value));
  }
  return gathered;
}

// What start operations give: the operands, the result, and contexts as written.
Value Started(const ExchangeContext& c, Value operands, Value result) {
  std::vector<Value> elements = {std::move(operands), std::move(result)};
  const auto shapes = c.instruction.shape.tuple_shapes();
  for (size_t k = 2; k < shapes.size(); ++k) elements.push_back(Zeros(shapes[k], c.account));
  return Joined(std::move(elements), true);
}

bool IsTupleOfOne(const Shape& shape) { return shape.IsTuple() && shape.tuple_shapes().size() == 1; }

// What each member receives from its source, or zeros.
absl::StatusOr<Results> Permuted(const ExchangeContext& c, const Shape& result) {
  const auto& operands = c.instruction.operands;
  if (operands.size() > 1 && PermutesIntoBuffer(operands.size(), operands[1]->shape, result)) {
    return absl::UnimplementedError(absl::StrCat(Name(c.instruction.opcode), " into parts of a buffer (slice_sizes) is not executed; write it as dynamic-slice, ", Name(c.instruction.opcode), " and dynamic-update-slice"));
  }
  std::vector<int> source(c.brought.size(), -1);
  for (const auto& [from, to] : c.sends) source[to] = from;
  Results results;
  for (size_t m = 0; m < c.brought.size(); ++m) {
    std::vector<Value> values = c.brought[source[m] >= 0 ? source[m] : m];
    if (source[m] < 0) {
      for (Value& v : values) {
        v = Zeros(v.shape(), c.account);
        if (!v.has_value()) return NoMemory(c.instruction.shape);
      }
    }
    results.push_back(Joined(std::move(values), false));
  }
  return results;
}

}  // namespace

absl::StatusOr<Results> ExchangeAllReduce(const ExchangeContext& c) {
  absl::StatusOr<std::vector<Value>> reduced = Reduced(c);
  if (!reduced.ok()) return reduced.status();
  return Results(c.brought.size(), Joined(*std::move(reduced), IsTupleOfOne(c.instruction.shape)));  // one value that all of them hold
}

absl::StatusOr<Results> ExchangeAllGather(const ExchangeContext& c) {
  absl::StatusOr<std::vector<Value>> gathered = Gathered(c);
  if (!gathered.ok()) return gathered.status();
  return Results(c.brought.size(), Joined(*std::move(gathered), IsTupleOfOne(c.instruction.shape)));
}

absl::StatusOr<Results> ExchangeAllGatherStart(const ExchangeContext& c) {
  absl::StatusOr<std::vector<Value>> gathered = Gathered(c);
  if (!gathered.ok()) return gathered.status();
  const Value result = Joined(*std::move(gathered), IsTupleOfOne(c.instruction.shape.tuple_shapes()[1]));
  Results results;
  for (const std::vector<Value>& member : c.brought) results.push_back(Started(c, Joined(member, IsTupleOfOne(c.instruction.shape.tuple_shapes()[0])), result));
  return results;
}

absl::StatusOr<Results> ExchangeReduceScatter(const ExchangeContext& c) {
  absl::StatusOr<std::vector<Value>> reduced = Reduced(c);
  if (!reduced.ok()) return reduced.status();
  const int dim = DimensionOf(c);
  const int64_t count = static_cast<int64_t>(c.brought.size());
  Results results;
  for (int64_t m = 0; m < count; ++m) {
    std::vector<Value> blocks;
    for (const Value& whole : *reduced) {
      const int64_t size = whole.shape().dim(dim);
      if (size % count != 0) {
        return absl::InvalidArgumentError(absl::StrCat("dimension ", dim, " of ", TypeText(whole.shape()), " is not divisible by the ", count, " devices of the group"));
      }
      absl::StatusOr<Value> block = Concatenated({{&whole, m * (size / count), size / count}}, dim, c.account);
      if (!block.ok()) return block.status();
      blocks.push_back(*std::move(block));
    }
    results.push_back(Joined(std::move(blocks), IsTupleOfOne(c.instruction.shape)));
  }
  return results;
}

absl::StatusOr<Results> ExchangeAllToAll(const ExchangeContext& c) {
  const int64_t count = static_cast<int64_t>(c.brought.size());
  Results results;
  if (!c.instruction.Has(AttrId::kDimensions)) {  // the blocks are operands of their own
    if (static_cast<int64_t>(c.brought[0].size()) != count) {
      return absl::InvalidArgumentError(absl::StrCat("there are ", c.brought[0].size(), " operands, one for each device of a group, but the group has ", count, " devices"));
    }
    for (int64_t m = 0; m < count; ++m) {
      std::vector<Value> received;
      for (const std::vector<Value>& member : c.brought) received.push_back(member[m]);
      results.push_back(Joined(std::move(received), true));
    }
    return results;
  }
  if (absl::Status s = CheckSplitCount(c.instruction, count); !s.ok()) return s;
  const int dim = DimensionOf(c);
  for (int64_t m = 0; m < count; ++m) {
    std::vector<Value> received;
    for (size_t k = 0; k < c.brought[0].size(); ++k) {
      const int64_t size = c.brought[0][k].shape().dim(dim);
      if (size % count != 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("dimension ", dim, " of ", TypeText(c.brought[0][k].shape()), " is not divisible by the ", count, " devices of the group"));
      }
      std::vector<Piece> pieces;
      for (const std::vector<Value>& member : c.brought) pieces.push_back({&member[k], m * (size / count), size / count});
      absl::StatusOr<Value> value = Concatenated(pieces, dim, c.account);
      if (!value.ok()) return value.status();
      received.push_back(*std::move(value));
    }
    results.push_back(Joined(std::move(received), IsTupleOfOne(c.instruction.shape)));
  }
  return results;
}

namespace {

// A block of rows that one member sends to another in a ragged exchange: what its entries of the four vectors say.
struct Block {
  int from, to;
  int64_t entry;  // of the sender's vectors
  int64_t first, rows, target;
  int64_t awaited;  // rows, by the receiver's sizes
};

// A number of a member's vector, as its type has it.
std::string NumberText(const ExchangeContext& c, int member, int operand, int64_t value) {
  return c.brought[member][operand].shape().element_type() == ElementType::kU64 ? absl::StrCat(static_cast<uint64_t>(value)) : absl::StrCat(value);
}

// "entry 1 of %sizes on replica 0 is 2"
std::string EntryText(const ExchangeContext& c, int member, int operand, int64_t entry, int64_t value) {
  return absl::StrCat("entry ", entry, " of ", ShownName(*c.instruction.operands[operand]), " on ", c.name(member), " is ", NumberText(c, member, operand, value));
}

// The rows have to lie inside both arrays, and be as many as the receiver waits for.
absl::Status CheckBlock(const ExchangeContext& c, const Block& b) {
  if (b.rows < 0) return absl::InvalidArgumentError(absl::StrCat(EntryText(c, b.from, 3, b.entry, b.rows), ", which is no number of rows that can be sent"));
  const int64_t has = c.brought[b.from][0].shape().dim(0), room = c.brought[b.to][1].shape().dim(0);
  const std::string in = ShownName(*c.instruction.operands[0]), out = ShownName(*c.instruction.operands[1]);
  const auto count = [](int64_t n) { return absl::StrCat(n, n == 1 ? " row" : " rows"); };
  const auto fault = [&](auto... what) {
    return absl::InvalidArgumentError(absl::StrCat(c.name(b.from), " sends ", count(b.rows), " of ", in, " to ", b.from == b.to ? "itself" : c.name(b.to), ", ", what...));
  };
  if (b.rows > 0 && (b.first < 0 || b.first > has - b.rows)) {
    return fault("from row ", NumberText(c, b.from, 2, b.first), " on, but ", in, " has ", count(has), ": ", EntryText(c, b.from, 2, b.entry, b.first));
  }
  if (b.rows > 0 && (b.target < 0 || b.target > room - b.rows)) {
    return fault("into ", out, " from row ", NumberText(c, b.from, 4, b.target), " on, but ", out, " has ", count(room), ": ", EntryText(c, b.from, 4, b.entry, b.target));
  }
  if (b.awaited == b.rows) return absl::OkStatus();
  const int64_t entries = c.brought[b.to][5].element_count() / static_cast<int64_t>(c.brought.size());
  return fault("which waits for ", NumberText(c, b.to, 5, b.awaited), ": ", EntryText(c, b.from, 3, b.entry, b.rows), ", ",
               EntryText(c, b.to, 5, b.from * entries + b.entry % entries, b.awaited));
}

// Of all that one member receives: no row is written twice, as either might be the one that stays.
absl::Status CheckApart(const ExchangeContext& c, std::vector<Block> blocks) {
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.target < b.target; });
  const Block* last = nullptr;  // that reaches furthest
  for (const Block& b : blocks) {
    if (last != nullptr && b.target < last->target + last->rows) {
      const std::string whom = b.from == last->from ? absl::StrCat(c.name(b.from), " writes row ", b.target, " of ", ShownName(*c.instruction.operands[1]), " on ", b.from == b.to ? "itself" : c.name(b.to), " twice")
                                                    : absl::StrCat(c.name(last->from), " and ", c.name(b.from), " both write row ", b.target, " of ", ShownName(*c.instruction.operands[1]), " on ", c.name(b.to));
      const auto entry = [&](const Block& of) { return absl::StrCat(EntryText(c, of.from, 4, of.entry, of.target), of.rows > 1 ? absl::StrCat(" with ", of.rows, " rows") : ""); };
      return absl::InvalidArgumentError(absl::StrCat(whom, ": ", entry(*last), ", ", entry(b)));
    }
    if (last == nullptr || b.target + b.rows > last->target + last->rows) last = &b;
  }
  return absl::OkStatus();
}

}  // namespace

// Entries of the vectors that a member has for another one: the vectors are cut into as many equal runs as there are members.
absl::StatusOr<Results> ExchangeRaggedAllToAll(const ExchangeContext& c) {
  const int count = static_cast<int>(c.brought.size());
  const int64_t entries = c.brought[0][2].element_count() / count;
  if (entries * count != c.brought[0][2].element_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("offsets and sizes are ", TypeText(c.brought[0][2].shape()), ", which cannot be shared out to the ", count, " devices of the group"));
  }
  const auto at = [&](int member, int operand, int64_t entry) {
    const Value& v = c.brought[member][operand];
    return LoadIntAt(v.shape().element_type(), v.data(), entry);
  };
  Results results;
  for (int to = 0; to < count; ++to) {
    const Value& output = c.brought[to][1];
    Value out = Value::Allocate(output.shape(), c.account);
    if (!out.has_value()) return NoMemory(output.shape());
    std::copy_n(output.data(), output.byte_size(), out.mutable_data());
    const int64_t row = CutAt(output.shape(), 0).run;
    std::vector<Block> written;
    for (int from = 0; from < count; ++from) {
      for (int64_t k = 0; k < entries; ++k) {
        const int64_t e = to * entries + k;
        const Block block{from, to, e, at(from, 2, e), at(from, 3, e), at(from, 4, e), at(to, 5, from * entries + k)};
        if (absl::Status s = CheckBlock(c, block); !s.ok()) return s;
        if (block.rows > 0) written.push_back(block);
        if (block.rows > 0) std::copy_n(c.brought[from][0].data() + block.first * row, block.rows * row, out.mutable_data() + block.target * row);
      }
    }
    if (absl::Status s = CheckApart(c, std::move(written)); !s.ok()) return s;
    results.push_back(std::move(out));
  }
  return results;
}

// All members of a group name the same root of an operand.
static absl::Status CheckSameRoot(const ExchangeContext& c, int64_t entry, int64_t root) {
  const int operand = static_cast<int>(c.brought[0].size()) - 1;
  for (int m = 1; m < static_cast<int>(c.brought.size()); ++m) {
    const Value& roots = c.brought[m].back();
    const int64_t other = LoadIntAt(roots.shape().element_type(), roots.data(), entry);
    if (other != root)
      return absl::InvalidArgumentError(absl::StrCat("the members of a group name different roots: ", EntryText(c, 0, operand, entry, root), ", and on ", c.name(m), " ", NumberText(c, m, operand, other)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Results> ExchangeBroadcast(const ExchangeContext& c) {
  const bool dynamic = HasDynamicRoot(c.instruction);
  const size_t arrays = c.brought[0].size() - (dynamic ? 1 : 0);
  std::vector<Value> sent;
  for (size_t k = 0; k < arrays; ++k) {
    int64_t root = 0;
    if (dynamic) {
      const Value& roots = c.brought[0].back();
      root = LoadIntAt(roots.shape().element_type(), roots.data(), static_cast<int64_t>(k));
      if (root < 0 || root >= static_cast<int64_t>(c.brought.size())) {
        return absl::InvalidArgumentError(absl::StrCat("the root of operand ", k, " is member ", root, " of a group of ", c.brought.size()));
      }
      if (absl::Status same = CheckSameRoot(c, static_cast<int64_t>(k), root); !same.ok()) return same;
    }
    sent.push_back(c.brought[root][k]);
  }
  return Results(c.brought.size(), Joined(std::move(sent), IsTupleOfOne(c.instruction.shape)));
}

bool PermutesIntoBuffer(size_t operand_count, const Shape& second_operand, const Shape& result) {
  return operand_count == 4 && result.IsTuple() == second_operand.IsTuple();
}

absl::StatusOr<Results> ExchangePermute(const ExchangeContext& c) { return Permuted(c, c.instruction.shape); }

absl::StatusOr<Results> ExchangePermuteStart(const ExchangeContext& c) {
  absl::StatusOr<Results> received = Permuted(c, c.instruction.shape.tuple_shapes()[1]);
  if (!received.ok()) return received.status();
  Results results;
  for (size_t m = 0; m < c.brought.size(); ++m) results.push_back(Started(c, Joined(c.brought[m], false), std::move((*received)[m])));
  return results;
}

absl::StatusOr<Value> OutsiderValue(const Instruction& instruction, absl::Span<const Value> operands, MemoryAccount* account) {
  Value value = Zeros(instruction.shape.WithoutLayouts(), account);
  if (!value.has_value()) return NoMemory(instruction.shape);
  // A start operation gives its operands back beside the result.
  if (ExchangeOf(instruction).results == ExchangePermuteStart) {
    std::vector<Value> elements(value.elements().begin(), value.elements().end());
    elements[0] = Joined(std::vector<Value>(operands.begin(), operands.end()), false);
    return Joined(std::move(elements), true);
  }
  return value;
}

std::unique_ptr<Module> ReductionModule(const Computation& reducer, const Shape& shape, int count) {
  auto module = std::make_unique<Module>();
  module->name = "reduction";
  Computation* computation = module->AddComputation("reduction");
  module->entry = computation;
  computation->is_entry = true;
  const auto add = [&](Opcode opcode, std::string name) {
    Instruction* i = module->AddInstruction(computation);
    i->opcode = opcode;
    i->name = module->Intern(name);
    i->shape = shape;
    i->index = static_cast<int32_t>(computation->schedule.size());
    computation->schedule.push_back(i);
    computation->by_name[i->name] = i;
    return i;
  };
  for (int k = 0; k < count; ++k) {
    Instruction* parameter = add(Opcode::kParameter, absl::StrCat("p", k));
    parameter->parameter_number = k;
    computation->parameters.push_back(parameter);
  }
  Instruction* total = computation->parameters[0];
  for (int k = 1; k < count; ++k) {
    Instruction* next = add(Opcode::kMap, absl::StrCat("m", k));
    next->operands = {total, computation->parameters[k]};
    Attribute to_apply;
    to_apply.id = AttrId::kToApply;
    to_apply.name = Info(AttrId::kToApply).name;
    to_apply.value = const_cast<Computation*>(&reducer);
    next->attributes.push_back(std::move(to_apply));
    total = next;
  }
  computation->root = total;
  computation->id = 0;
  return module;
}

}  // namespace hloscope
