#include "core/ops/called_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/element/element_trace.h"
#include "core/literal/element_at.h"
#include "core/literal/relayout.h"
#include "core/ops/branches.h"
#include "core/ops/element_calls.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"

namespace hloscope {

struct CalledRun::Search {
  std::optional<HazardQuery> query;
  int64_t left = std::numeric_limits<int64_t>::max();  // instructions; then nobody waits for it any longer
  int64_t operations = 0;
  std::vector<std::pair<const Instruction*, int64_t>> loops;
  std::optional<InnerBirth> birth;
};

struct CalledRun::Prepared {
  bool by_calls = false;  // made call by call, so that what the calls make is seen
  std::unique_ptr<Program> program;
  std::unique_ptr<Interpreter> interpreter;
};

namespace {

bool IsFloating(const Shape& shape) { return shape.IsArray() && (IsFloat(shape.element_type()) || IsComplex(shape.element_type())); }

bool IsInfinite(const Scalar& s) { return !s.IsNaN() && (std::isinf(s.re) || (IsComplex(s.type) && std::isinf(s.im))); }

// The first element that is NaN (or infinite); -1: none is.
int64_t FirstBad(const Value& value, bool infinity) {
  for (int64_t k = 0; IsFloating(value.shape()) && k < value.element_count(); ++k) {
    const Scalar s = ElementAt(value, k);
    if (infinity ? IsInfinite(s) : s.IsNaN()) return k;
  }
  return -1;
}
// Whether it comes from there: an infinity may also come of a NaN's other part.
bool BringsBad(const Value& value, bool infinity) { return FirstBad(value, false) >= 0 || (infinity && FirstBad(value, true) >= 0); }

// It is made from its operands alone.
bool IsRunHere(const Instruction& i) {
  const OpDef& def = Def(i);
  const bool draws = def.op_class == OpClass::kOpaque && def.movement == Movement::kCreate;
  return !draws && def.host == HostService::kNone && ExchangeOf(i).role == ExchangeRole::kNone && def.not_executed.empty() && i.opcode != Opcode::kCustomCall;
}

}  // namespace

CalledRun::CalledRun(std::optional<HazardQuery> query) : search_(std::make_shared<Search>()) {
  search_->query = std::move(query);
  Begin();
}
CalledRun::CalledRun(std::shared_ptr<Search> search) : search_(std::move(search)) {}
CalledRun::~CalledRun() = default;

void CalledRun::Begin() {
  search_->loops.clear();
  if (search_->query.has_value()) search_->left = 2'000'000;
}

int64_t CalledRun::operations() const { return search_->operations; }

std::optional<InnerBirth> CalledRun::TakeBirth() { return std::exchange(search_->birth, std::nullopt); }

std::optional<Value> CalledRun::Run(const Computation& computation, absl::Span<const Value> arguments) {
  std::vector<Value> values(computation.schedule.size());
  for (const Instruction* i : computation.schedule) {
    Value& value = values[i->index];
    if (i->parameter_number >= 0) {
      value = arguments[i->parameter_number];
      continue;
    }
    if (i->literal != nullptr) {
      if (!i->literal->value.has_value()) return std::nullopt;
      value = ToDense(i->literal->value);
      continue;
    }
    if (--search_->left < 0) return std::nullopt;
    search_->operations += i->shape.IsArray() ? std::max<int64_t>(1, i->shape.ElementCount()) : 1;
    std::vector<Value> operands;
    for (const Instruction* operand : i->operands) operands.push_back(values[operand->index]);
    const bool control = Def(*i).control != ControlKind::kNone;
    std::optional<Value> made = control ? Control(*i, operands) : Make(*i, operands);
    if (!made.has_value()) return std::nullopt;
    value = *std::move(made);
    if (!control && Found(*i, operands, value)) return std::nullopt;
  }
  return values[computation.root->index];
}

std::optional<Value> CalledRun::Inside(const Instruction& caller, const Computation& computation, absl::Span<const Value> arguments) {
  std::unique_ptr<CalledRun>& run = inside_[{&caller, &computation}];
  if (run == nullptr) run.reset(new CalledRun(search_));
  return run->Run(computation, arguments);
}

std::optional<Value> CalledRun::InsideLoop(const Instruction& loop, const Computation& computation, int64_t iteration, const Value& carried) {
  search_->loops.emplace_back(&loop, iteration);
  std::optional<Value> made = Inside(loop, computation, {carried});
  search_->loops.pop_back();
  return made;
}

std::optional<Value> CalledRun::Control(const Instruction& i, absl::Span<const Value> operands) {
  switch (Def(i).control) {
    case ControlKind::kCall:
      if (Def(i).evaluate != nullptr) return std::nullopt;  // it gives something around what is called
      return Inside(i, *i.CalledComputations()[0], operands);
    case ControlKind::kConditional: {
      const int branch = TakenBranch(i, operands[0]);
      return Inside(i, *BranchesOf(i)[branch], operands.subspan(branch + 1, 1));
    }
    case ControlKind::kWhile: {
      Value carried = operands[0];
      for (int64_t iteration = 0;; ++iteration) {
        const std::optional<Value> again = InsideLoop(i, *i.Called(AttrId::kCondition), iteration, carried);
        if (!again.has_value()) return std::nullopt;
        if (*again->as<uint8_t>() == 0) return carried;
        std::optional<Value> next = InsideLoop(i, *i.Called(AttrId::kBody), iteration, carried);
        if (!next.has_value()) return std::nullopt;
        carried = *std::move(next);
      }
    }
    case ControlKind::kNone: break;
  }
  return std::nullopt;
}

std::optional<Value> CalledRun::Make(const Instruction& i, absl::Span<const Value> operands) {
  std::unique_ptr<Prepared>& prepared = prepared_[&i];
  const OpDef& def = Def(i);
  if (prepared == nullptr) {
    if (!IsRunHere(i)) return std::nullopt;
    prepared = std::make_unique<Prepared>();
    prepared->by_calls = def.evaluate == nullptr && (!CallsAreExpressions(i) || (search_->query.has_value() && CallsMayHide(i, *search_->query)));
    if (def.evaluate == nullptr && !prepared->by_calls) {
      absl::StatusOr<Program> program = ElementProgram(i);
      if (!program.ok()) return std::nullopt;
      prepared->program = std::make_unique<Program>(*std::move(program));
      InterpretOptions options;
      options.bounds = false;
      prepared->interpreter = std::make_unique<Interpreter>(*prepared->program, options);
    }
  }
  if (prepared->interpreter != nullptr) {
    std::vector<const Value*> pointers;
    for (const Value& operand : operands) pointers.push_back(&operand);
    absl::StatusOr<std::vector<Value>> made = prepared->interpreter->All(pointers);
    if (!made.ok()) return std::nullopt;
    return i.shape.IsTuple() ? Value::Tuple(i.shape, *std::move(made)) : (*made)[0];
  }
  if (!prepared->by_calls && def.evaluate == nullptr) return std::nullopt;
  EvalContext context{i, operands};
  context.call = [this, &i](const Computation& computation, absl::Span<const Value> arguments) -> absl::StatusOr<Value> {
    std::optional<Value> made = Inside(i, computation, arguments);
    if (!made.has_value()) return absl::CancelledError("");
    return *std::move(made);
  };
  absl::StatusOr<Value> made = prepared->by_calls ? ElementCalls::Evaluate(context) : def.evaluate(context);
  if (!made.ok() || !made->has_value()) return std::nullopt;
  return *std::move(made);
}

// The first element at which an operation of the instruction's program has the hazard; -1: at none.
int64_t CalledRun::FirstHazard(const Instruction& i, absl::Span<const Value> operands, const Value& value, std::string* why) {
  const HazardQuery& query = *search_->query;
  const Program* program = prepared_.at(&i)->program.get();
  if (program == nullptr || program->is_push) return -1;
  ElementTrace trace(*program, operands);
  bool hit = false;
  trace.set_on_op([&](const Node& node, absl::Span<const Scalar> in, const Scalar& out, bool) { hit = hit || Has(*query.hazard, node.op, node.type, node.aux, in, out, query.bits, why); });
  std::vector<int64_t> index(i.shape.rank());
  for (int64_t k = 0; k < value.element_count(); ++k) {
    DelinearizeIndex(i.shape.dimensions(), k, absl::MakeSpan(index));
    trace.At(0, index);
    if (hit) return k;
  }
  return -1;
}

bool CalledRun::Found(const Instruction& i, absl::Span<const Value> operands, const Value& value) {
  if (!i.shape.IsArray() || !search_->query.has_value()) return false;
  const HazardQuery& query = *search_->query;
  InnerBirth birth;
  const int64_t born = query.hazard.has_value() ? FirstHazard(i, operands, value, &birth.why) : FirstBad(value, query.infinity);
  if (born < 0) return false;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].shape().IsArray()) return false;  // taken out of a tuple
    if (!query.hazard.has_value() && BringsBad(operands[k], query.infinity)) return false;
    const bool same = operands[k].shape().dimensions() == i.shape.dimensions();
    if (operands[k].element_count() > 0) birth.read.push_back({i.operands[k], ElementAt(operands[k], same ? born : 0)});
  }
  birth.instruction = &i;
  birth.value = ElementAt(value, born);
  birth.loops = search_->loops;
  search_->birth = std::move(birth);
  return true;
}

}  // namespace hloscope
