// Choosing a distribution by following a value to its uses, and filling buffers from a counter-based generator.
#include "core/exec/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/clones.h"
#include "core/base/threads.h"
#include "core/literal/scalar.h"
#include "core/ops/op.h"
#include "core/ops/operand_role.h"

namespace hloscope {
namespace {

// ---- Following a value to its uses ----

struct Uses {
  bool positive = false;
  bool divisor = false;
  int64_t fan_in = 0;        // the largest; 0: not contracted
  int64_t index_limit = 0;   // the smallest; 0: not an index
};

class Tracer {
 public:
  explicit Tracer(const Module& module) : module_(module) {}

  Uses Trace(const Instruction& start, absl::Span<const int64_t> element) {
    uses_ = Uses();
    work_.clear();
    visited_.clear();
    Visit(&start, std::vector<int64_t>(element.begin(), element.end()), 0);
    constexpr int kMostVisits = 20000;  // bounded work: what lies further decides little
    for (int k = 0; k < kMostVisits && !work_.empty(); ++k) {
      State state = std::move(work_.front());
      work_.pop_front();
      Follow(state);
    }
    return uses_;
  }

 private:
  struct State {
    const Instruction* at;
    std::vector<int64_t> path;  // where in a tuple, outermost first
    int arithmetic;             // arithmetic operations passed
  };
  struct Use {
    const Instruction* user;
    int operand;
  };
  using Users = std::vector<std::vector<Use>>;

  const Users& UsersOf(const Computation& computation) {
    Users& users = users_[&computation];
    if (users.size() != computation.schedule.size()) {
      users.clear();
      users.resize(computation.schedule.size());
      for (const Instruction* user : computation.schedule) {
        for (size_t k = 0; k < user->operands.size(); ++k) users[user->operands[k]->index].push_back({user, static_cast<int>(k)});
      }
    }
    return users;
  }

  const std::vector<const Instruction*>& CallersOf(const Computation& computation) {
    if (callers_.size() != module_.computations.size()) {
      callers_.assign(module_.computations.size(), {});
      for (const Computation* c : module_.computations) {
        for (const Instruction* i : c->instructions) {
          if (i->attributes.empty() || Def(*i).control == ControlKind::kNone) continue;
          for (const Computation* called : i->CalledComputations()) callers_[called->id].push_back(i);
        }
      }
    }
    return callers_[computation.id];
  }

  void Visit(const Instruction* at, std::vector<int64_t> path, int arithmetic) {
    uint64_t key = reinterpret_cast<uintptr_t>(at) * 31 + static_cast<uint64_t>(arithmetic);
    for (int64_t p : path) key = key * 1000003 + static_cast<uint64_t>(p) + 7;
    if (visited_.insert(key).second) work_.push_back({at, std::move(path), arithmetic});
  }

  void Follow(const State& state) {
    const Computation& computation = *state.at->parent;
    for (const Use& use : UsersOf(computation)[state.at->index]) FollowUse(state, *use.user, use.operand);
    if (computation.root == state.at && &computation != module_.entry) {
      for (const Instruction* caller : CallersOf(computation)) {
        if (caller->Called(AttrId::kCondition) == &computation) continue;
        Visit(caller, state.path, state.arithmetic);
      }
    }
  }

  void FollowUse(const State& state, const Instruction& user, int operand) {
    const OpDef& def = Def(user);
    switch (def.control) {
      case ControlKind::kCall:
        for (const Computation* called : user.CalledComputations()) Enter(*called, operand, state);
        return;
      case ControlKind::kWhile:
        for (const Computation* called : user.CalledComputations()) Enter(*called, 0, state);
        Visit(&user, state.path, state.arithmetic);  // what the loop does not change comes out again
        return;
      case ControlKind::kConditional: {
        std::vector<Computation*> called = user.CalledComputations();
        if (operand > 0 && operand <= static_cast<int>(called.size())) Enter(*called[operand - 1], 0, state);
        return;
      }
      case ControlKind::kNone:
        break;
    }
    if (user.shape.IsTuple() && def.op_class == OpClass::kStructural && !state.at->shape.IsTuple() && user.operands.size() == user.shape.tuple_shapes().size()) {
      std::vector<int64_t> path = {operand};
      path.insert(path.end(), state.path.begin(), state.path.end());
      return Visit(&user, std::move(path), state.arithmetic);
    }
    if (state.at->shape.IsTuple()) {
      if (user.Has(AttrId::kIndex) && !state.path.empty()) {
        if (user.Int(AttrId::kIndex) == state.path[0]) Visit(&user, std::vector<int64_t>(state.path.begin() + 1, state.path.end()), state.arithmetic);
      } else if (Shape::Compatible(user.shape, state.at->shape)) {
        Visit(&user, state.path, state.arithmetic);
      }
      return;
    }
    if (!user.CalledComputations().empty() && user.shape.IsTuple()) return;
    Note(state, user, operand);
  }

  void Enter(const Computation& called, int parameter, const State& state) {
    if (parameter < static_cast<int>(called.parameters.size())) Visit(called.parameters[parameter], state.path, state.arithmetic);
  }

  void Note(const State& state, const Instruction& user, int operand) {
    constexpr int kMostArithmetic = 4;
    RoleOfOperand role = RoleOf(user, operand);
    switch (role.role) {
      case OperandRole::kData:
        return;
      case OperandRole::kThrough:
        return Visit(&user, state.path, state.arithmetic);
      case OperandRole::kArithmetic:
        if (state.arithmetic < kMostArithmetic) Visit(&user, state.path, state.arithmetic + 1);
        return;
      case OperandRole::kWeights:
        if (state.arithmetic == 0) uses_.fan_in = std::max(uses_.fan_in, role.extent);
        return;
      case OperandRole::kIndex:
        uses_.index_limit = uses_.index_limit == 0 ? role.extent : std::min(uses_.index_limit, role.extent);
        return;
      case OperandRole::kPositive:
        uses_.positive = true;
        return;
      case OperandRole::kDivisor:
        uses_.divisor = true;
        return;
    }
  }

  const Module& module_;
  absl::flat_hash_map<const Computation*, Users> users_;
  std::vector<std::vector<const Instruction*>> callers_;
  Uses uses_;
  std::deque<State> work_;
  absl::flat_hash_set<uint64_t> visited_;
};

// The one of the program that this thread asked about last. Callers come for one parameter or constant after the other, and who uses what is
// looked up once for all of them: else programs with thousands of parameters would be looked through thousands of times.
Tracer& TracerOf(const Module& module) {
  struct Last {
    uint64_t serial = 0;
    std::unique_ptr<Tracer> tracer;
  };
  thread_local Last last;
  if (last.tracer == nullptr || last.serial != module.serial) last = {module.serial, std::make_unique<Tracer>(module)};
  return *last.tracer;
}

// ---- The generator ----

// A bijection of 32 bits that scatters neighbours; a function of the counter alone, so any part of a buffer can be made by any thread.
inline uint32_t Scatter(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

uint64_t HashText(absl::string_view text, uint64_t seed) {
  uint64_t h = seed ^ 0xcbf29ce484222325ull;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  h ^= h >> 32;
  return h * 0x9e3779b97f4a7c15ull ^ (h >> 29);
}

HLOSCOPE_CLONES void FillUniformF32(float* out, int64_t count, uint32_t first, uint32_t key, float low, float width) {
  for (int64_t k = 0; k < count; ++k) {
    uint32_t h = Scatter((first + static_cast<uint32_t>(k)) ^ key);
    out[k] = low + width * (static_cast<float>(static_cast<int32_t>(h >> 8)) * 0x1p-24f);
  }
}

template <typename T>
HLOSCOPE_INLINE void FillFrom(T* out, int64_t count, uint32_t first, uint32_t key, const T* table) {
  for (int64_t k = 0; k < count; ++k) out[k] = table[Scatter((first + static_cast<uint32_t>(k)) ^ key) >> 20];
}
HLOSCOPE_CLONES void FillFromTable(uint8_t* out, int64_t count, uint32_t first, uint32_t key, const uint8_t* table) { FillFrom(out, count, first, key, table); }
HLOSCOPE_CLONES void FillFromTable(uint16_t* out, int64_t count, uint32_t first, uint32_t key, const uint16_t* table) { FillFrom(out, count, first, key, table); }
HLOSCOPE_CLONES void FillFromTable(uint32_t* out, int64_t count, uint32_t first, uint32_t key, const uint32_t* table) { FillFrom(out, count, first, key, table); }
HLOSCOPE_CLONES void FillFromTable(uint64_t* out, int64_t count, uint32_t first, uint32_t key, const uint64_t* table) { FillFrom(out, count, first, key, table); }
void FillFromTable(std::complex<double>* out, int64_t count, uint32_t first, uint32_t key, const std::complex<double>* table) { FillFrom(out, count, first, key, table); }

constexpr int kTableSize = 4096;

// Calls fill(begin, count, key) over blocks, on two threads when there is much to do. The key changes every 2^32 elements.
template <typename F>
void InBlocks(int64_t count, uint64_t seed, const F& fill) {
  constexpr int64_t kBlock = int64_t{1} << 20;
  auto run = [&](int64_t from, int64_t step) {
    for (int64_t begin = from * kBlock; begin < count; begin += step * kBlock) {
      uint32_t key = static_cast<uint32_t>(seed) ^ static_cast<uint32_t>((seed >> 32) * static_cast<uint64_t>((begin >> 32) + 1));
      fill(begin, std::min(kBlock, count - begin), key);
    }
  };
  if (count <= 4 * kBlock) return run(0, 1);
  std::thread other;
  if (!TryStartThread(other, [&] { run(1, 2); })) return run(0, 1);
  run(0, 2);
  other.join();
}

struct Distribution {
  double low = -1, high = 1;            // floats: uniform
  int64_t int_low = 0, int_count = 10;  // integers: int_low .. int_low + int_count - 1
};

Distribution Choose(const Uses& uses) {
  Distribution d;
  if (uses.fan_in > 0) {
    double bound = std::sqrt(3.0 / static_cast<double>(uses.fan_in));  // uniform of standard deviation 1 / sqrt(fan_in)
    d.low = -bound;
    d.high = bound;
  } else if (uses.positive || uses.divisor) {
    d.low = 0.5;
    d.high = 1.5;
  }
  if (uses.index_limit > 0) {
    d.int_count = uses.index_limit;
    if (uses.fan_in == 0 && !uses.positive) {  // floats compared with an iota, or converted to indices
      d.low = 0;
      d.high = static_cast<double>(uses.index_limit);
    }
  } else if (uses.divisor) {
    d.int_low = 1;
    d.int_count = 9;
  }
  return d;
}

Scalar Pick(ElementType type, const Distribution& d, uint32_t hash) {
  if (IsPred(type)) return Scalar::Int(type, hash & 1);
  if (IsFloat(type)) return Scalar::Float(type, d.low + (d.high - d.low) * (hash * 0x1p-32));
  if (IsComplex(type)) {
    return Scalar::Complex(type, {d.low + (d.high - d.low) * (hash * 0x1p-32), d.low + (d.high - d.low) * (Scatter(hash ^ 0x5bd1e995u) * 0x1p-32)});
  }
  // A narrow type cannot hold every position; keep below its largest value.
  int bits = BitWidth(type) - (IsSigned(type) ? 1 : 0);
  int64_t count = bits >= 62 ? d.int_count : std::min(d.int_count, int64_t{1} << bits);
  if (count <= 1) return Scalar::Int(type, 0);
  return Scalar::Int(type, std::min(d.int_low, count - 1) + static_cast<int64_t>((static_cast<unsigned __int128>(hash) * static_cast<uint64_t>(count)) >> 32) % count);
}

template <typename T>
void FillTyped(Value& value, uint64_t seed, const std::vector<std::byte>& table) {
  T* out = value.mutable_as<T>();
  const T* entries = reinterpret_cast<const T*>(table.data());
  InBlocks(value.element_count(), seed,
           [&](int64_t begin, int64_t count, uint32_t key) { FillFromTable(out + begin, count, static_cast<uint32_t>(begin), key, entries); });
}

void FillRandom(Value& value, const Distribution& d, uint64_t seed) {
  const ElementType type = value.shape().element_type();
  const int bytes = StorageBytes(type);
  const int64_t count = value.element_count();
  if (type == ElementType::kF32) {
    float low = static_cast<float>(d.low), width = static_cast<float>(d.high - d.low);
    InBlocks(count, seed, [&](int64_t begin, int64_t n, uint32_t key) { FillUniformF32(value.mutable_as<float>() + begin, n, static_cast<uint32_t>(begin), key, low, width); });
    return;
  }
  if (!IsPred(type) && !IsFloat(type) && !IsComplex(type) && d.int_count > kTableSize) {  // positions must all be possible
    InBlocks(count, seed, [&](int64_t begin, int64_t n, uint32_t key) {
      for (int64_t k = begin; k < begin + n; ++k) StoreScalar(Pick(type, d, Scatter(static_cast<uint32_t>(k) ^ key)), value.mutable_data() + k * bytes);
    });
    return;
  }
  // Other types draw from a table of encoded values: encoding costs more than everything else.
  std::vector<std::byte> table(static_cast<size_t>(kTableSize) * bytes + 16);
  for (int k = 0; k < kTableSize; ++k) {
    uint32_t hash = IsPred(type) ? static_cast<uint32_t>(k) : IsComplex(type) ? Scatter(static_cast<uint32_t>(k)) : (static_cast<uint32_t>(k) << 20) | 0x80000u;
    StoreScalar(Pick(type, d, hash), table.data() + static_cast<size_t>(k) * bytes);
  }
  switch (bytes) {
    case 1: return FillTyped<uint8_t>(value, seed, table);
    case 2: return FillTyped<uint16_t>(value, seed, table);
    case 4: return FillTyped<uint32_t>(value, seed, table);
    case 8: return FillTyped<uint64_t>(value, seed, table);
    case 16: return FillTyped<std::complex<double>>(value, seed, table);
    default: break;
  }
}

void FillPlain(Value& value, Fill::Kind kind) {
  const ElementType type = value.shape().element_type();
  const int bytes = StorageBytes(type);
  std::byte* out = value.mutable_data();
  auto scalar = [&](int64_t v) {
    return IsFloat(type) ? Scalar::Float(type, static_cast<double>(v)) : IsComplex(type) ? Scalar::Complex(type, {static_cast<double>(v), 0}) : Scalar::Int(type, v);
  };
  if (kind == Fill::kZeros) {
    memset(out, 0, value.byte_size());
    return;
  }
  const int64_t count = value.element_count();
  for (int64_t k = 0; k < count; ++k) StoreScalar(scalar(kind == Fill::kOnes ? 1 : k), out + k * bytes);
}

absl::StatusOr<Value> MakeValue(Tracer& tracer, const Instruction& from, const Shape& shape, std::vector<int64_t>& path, const Fill& fill, uint64_t seed,
                                MemoryAccount* account) {
  if (shape.IsToken()) return Value::Token();
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
      path.push_back(static_cast<int64_t>(k));
      absl::StatusOr<Value> element = MakeValue(tracer, from, shape.tuple_shapes()[k], path, fill, HashText(absl::StrCat(k), seed), account);
      path.pop_back();
      if (!element.ok()) return element;
      elements.push_back(*std::move(element));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  if (!shape.IsArray()) return absl::InvalidArgumentError(absl::StrCat("a value of shape ", shape.ToString(false), " cannot be made up"));
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == Shape::kUnbounded) return absl::InvalidArgumentError(absl::StrCat("a value of unbounded shape ", shape.ToString(false), " cannot be made up: give it as an input"));
  }
  // Of a bounded size: the bound.
  Value value = Value::Allocate(shape.has_dynamic_dimension() ? Shape::Array(shape.element_type(), shape.dimensions()) : shape, account);
  if (!value.has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for ", shape.ByteSize(), " bytes of ", shape.ToString(false)));
  if (fill.kind != Fill::kRandom) {
    FillPlain(value, fill.kind);
  } else {
    FillRandom(value, Choose(tracer.Trace(from, path)), seed);
  }
  return value;
}

}  // namespace

absl::StatusOr<Fill> ParseFill(absl::string_view text) {
  Fill fill;
  if (text == "zeros") fill.kind = Fill::kZeros;
  else if (text == "ones") fill.kind = Fill::kOnes;
  else if (text == "iota") fill.kind = Fill::kIota;
  else if (text == "random") fill.kind = Fill::kRandom;
  else if (text.substr(0, 7) != "random:" || !absl::SimpleAtoi(text.substr(7), &fill.seed)) {
    return absl::InvalidArgumentError(absl::StrCat("`", text, "` is no fill: use random:SEED, zeros, ones or iota"));
  }
  return fill;
}

absl::StatusOr<Value> MakeInput(const Module& module, int number, const Fill& fill, MemoryAccount* account) {
  if (module.entry == nullptr || number < 0 || number >= static_cast<int>(module.entry->parameters.size())) {
    return absl::InvalidArgumentError(absl::StrCat("there is no parameter ", number));
  }
  const Instruction& parameter = *module.entry->parameters[number];
  std::vector<int64_t> path;
  return MakeValue(TracerOf(module), parameter, parameter.shape, path, fill, HashText(absl::StrCat("parameter ", number), fill.seed), account);
}

absl::Status FillElidedConstant(const Instruction& constant, const Fill& fill, MemoryAccount* account) {
  if (constant.literal == nullptr || !constant.literal->elided || constant.literal->value.has_value()) return absl::OkStatus();
  std::vector<int64_t> path;
  uint64_t seed = HashText(absl::StrCat(absl::string_view(constant.parent->name), "/", absl::string_view(constant.name)), fill.seed);
  absl::StatusOr<Value> value = MakeValue(TracerOf(*constant.parent->module), constant, constant.shape, path, fill, seed, account);
  if (!value.ok()) return value.status();
  constant.literal->value = *std::move(value);
  return absl::OkStatus();
}

int FillElidedConstants(Module& module, const Fill& fill, MemoryAccount* account) {
  int count = 0;
  for (const Computation* computation : module.computations) {
    for (const Instruction* instruction : computation->instructions) {
      if (instruction->literal == nullptr || !instruction->literal->elided) continue;
      ++count;
      FillElidedConstant(*instruction, fill, account).IgnoreError();
    }
  }
  return count;
}

}  // namespace hloscope
