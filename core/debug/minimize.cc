// Delta debugging over copies of the module. An instruction that is dropped leaves its value behind, as an input, so what follows computes
// what it did; then inputs become constants or go, called computations lose instructions to their operands, results of the program go, and
// sizes shrink where everything still fits together.
#include "core/debug/minimize.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "core/debug/flatten.h"
#include "core/debug/hand_sets.h"
#include "core/debug/minimize_budget.h"
#include "core/debug/minimize_loops.h"
#include "core/debug/minimize_sizes.h"
#include "core/debug/program_run.h"
#include "core/debug/text_util.h"
#include "core/exec/frame_history.h"
#include "core/exec/machine.h"
#include "core/ir/rewrite.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"

namespace hloscope {
namespace {

constexpr int64_t kSmallValue = 16;         // elements that are written as a constant
constexpr int64_t kKeptBytes = int64_t{1} << 30;
constexpr int64_t kSmallZeros = 256;        // elements of a constant of zeros in a called computation

using OfDevices = std::vector<Value>;  // one value, by device

class Minimizer {
 public:
  Minimizer(Backend& backend, const RunSettings& run, const FailurePredicate& fails, const MinimizeOptions& options)
      : backend_(backend), run_(run), fails_(fails), options_(options), budget_(options) {}

  absl::StatusOr<Minimized> Run(const Module& module, const DeviceValues& parameters) {
    out_.instructions_before = module.instruction_count();
    out_.computations_before = static_cast<int64_t>(module.computations.size());
    absl::StatusOr<Failing> failing = fails_(module, parameters);
    if (!failing.ok()) return budget_.Cancelled() ? budget_.Interrupted() : failing.status();
    if (const absl::Status why = budget_.WhyNothing("the program had run once, so whether it fails is not known"); !failing->fails && !why.ok()) return why;
    moment_ = std::move(failing->moment);
    if (!failing->fails) return absl::FailedPreconditionError(absl::StrCat("the program does not fail, so there is nothing to make smaller", failing->why.empty() ? "" : "; ", failing->why));
    source_ = &module;
    Give(parameters);
    // The copy from which all goes on: what nothing needs is gone. Where even that changes the failure, there is nothing to be done.
    if (!Try(Rewrite()) && !TryFailingAsResult()) {
      if (const absl::Status why = budget_.WhyNothing("a smaller program was found"); !why.ok()) return why;
      return !error_.ok() ? error_ : absl::FailedPreconditionError("the failure goes away when the program is copied without what its result does not need; nothing was made smaller");
    }
    for (bool smaller = true; smaller && !Spent();) {
      const int64_t before = Size();
      Descend();
      CutRoots();
      Descend();  // a loop's part may be the result now
      CutInputs();
      ReplaceByOperands();
      TakeParts();
      DropUnread();
      ShrinkCalled();
      ShrinkLoops();
      ShrinkSizes();
      SimplifyInputs();
      smaller = Size() < before;
    }
    if (budget_.Cancelled()) return budget_.Interrupted();
    if (!error_.ok()) return error_;
    out_.module = std::move(owned_);
    out_.parameters = Given();
    out_.out_of_budget = Spent();
    out_.seconds = budget_.Seconds();
    out_.steps = budget_.steps();
    return std::move(out_);
  }

 private:
  bool Spent() const { return !error_.ok() || budget_.Spent(); }
  const Module& module() const { return *source_; }
  const Computation& entry() const { return *source_->entry; }

  // Fewer instructions, then smaller values.
  int64_t Size() const {
    int64_t elements = 0;
    for (const Computation* c : module().computations) {
      for (const Instruction* i : c->instructions) elements = std::min<int64_t>(int64_t{1} << 40, elements + Elements(i->shape));
    }
    return module().instruction_count() * (int64_t{1} << 20) + elements / 16;
  }

  // What the present program's parameters are, by device.
  DeviceValues Given() const {
    DeviceValues parameters(run_.devices());
    for (const Instruction* parameter : entry().parameters) {
      const OfDevices& values = given_.at(parameter);
      for (int d = 0; d < run_.devices(); ++d) parameters[d].push_back(values[d]);
    }
    return parameters;
  }
  void Give(const DeviceValues& parameters) {
    given_.clear();
    for (size_t k = 0; k < entry().parameters.size(); ++k) {
      OfDevices& values = given_[entry().parameters[k]];
      for (int d = 0; d < run_.devices(); ++d) values.push_back(parameters[d][k]);
    }
  }

  // The values of the present program, as far as it runs; made when first asked for after a change.
  absl::StatusOr<OfDevices> ValueOf(const Instruction& i) {
    if (i.literal != nullptr && i.literal->value.has_value()) return OfDevices(run_.devices(), i.literal->value);
    if (const auto found = given_.find(&i); found != given_.end()) return found->second;
    if (absl::Status executed = Execute(); !executed.ok()) return executed;
    OfDevices values;
    for (int d = 0; d < run_.devices(); ++d) {
      absl::StatusOr<Value> value = present_->machine(d).ValueOf(0, i.index);
      if (!value.ok()) return value.status();
      values.push_back(*std::move(value));
    }
    return values;
  }

  absl::Status Execute() {
    if (present_ == nullptr) {
      present_ = std::make_unique<ProgramRun>(module(), backend_, keeping_);
      if (absl::Status begun = present_->Begin(Given()); !begun.ok()) {
        present_ = nullptr;
        return begun;
      }
      present_->Run();
    }
    for (int d = 0; d < run_.devices(); ++d) {
      if (present_->machine(d).frames().empty()) return absl::FailedPreconditionError("nothing was computed");
    }
    return absl::OkStatus();
  }

  // What devices do with one another goes only where that is tried.
  absl::StatusOr<Rewritten> Copy(Rewrite rewrite) const {
    if (run_.several()) KeepExchanges(module(), &rewrite);
    return RewriteModule(module(), rewrite);
  }

  // Makes the candidate the present program if it still fails.
  bool Try(const Rewrite& rewrite) {
    if (Spent()) return false;
    absl::StatusOr<Rewritten> candidate = Copy(rewrite);
    if (!candidate.ok()) return false;
    DiagnosticSink sink;
    Verify(*candidate->module, sink);
    if (sink.error_count() > 0) return false;
    DeviceValues parameters(run_.devices());
    for (const RewrittenInput& input : candidate->inputs) {
      const auto argument = arguments_.find(input.original);
      absl::StatusOr<OfDevices> values = argument != arguments_.end() ? argument->second : ValueOf(*input.original);
      if (!values.ok()) return false;
      for (int d = 0; d < run_.devices(); ++d) {
        Value leaf = LeafOf((*values)[d], input.leaf);
        if (rewrite.cut != nullptr) leaf = rewrite.cut(*input.original, leaf, input.shape);
        if (!Shape::Compatible(leaf.shape(), input.shape)) return false;
        parameters[d].push_back(std::move(leaf));
      }
    }
    return Ask(std::move(candidate->module), parameters);
  }

  bool Ask(std::unique_ptr<Module> candidate, const DeviceValues& parameters) {
    budget_.Step();
    absl::StatusOr<Failing> failing = fails_(*candidate, parameters);
    if (!failing.ok()) {
      error_ = failing.status();
      return false;
    }
    if (!failing->fails || only_asked_) return failing->fails;
    ++out_.accepted;
    moment_ = std::move(failing->moment);
    present_.reset();
    owned_ = std::move(candidate);
    source_ = owned_.get();
    Give(parameters);
    if (options_.progress) {
      options_.progress(absl::StrCat("minimizing: ", Count(source_->instruction_count(), "instruction"), " left after ", Count(budget_.steps(), "step")));
    }
    return true;
  }

  // The frame of the present program's run that `enter` finds becomes the program, with the arguments that it had on each device; its result
  // is `root`, or null: its own, or a tuple of `roots`. `enter` gives -1 where there is none.
  bool TryFrame(const std::function<int(FrameHistory&)>& enter, const Instruction* root = nullptr, std::vector<const Instruction*> roots = {}) {
    Rewrite rewrite;
    rewrite.root = root;
    rewrite.roots = std::move(roots);
    arguments_.clear();
    bool known = Execute().ok();
    for (int d = 0; known && d < run_.devices(); ++d) {
      FrameHistory history(present_->machine(d), kKeptBytes / run_.devices());
      const int frame = enter(history);
      known = frame > 0 && (d == 0 || rewrite.entry == history.place(frame).computation);
      if (known) rewrite.entry = history.place(frame).computation;
      for (size_t k = 0; known && k < rewrite.entry->parameters.size(); ++k) {
        const Instruction& parameter = *rewrite.entry->parameters[k];
        absl::StatusOr<Value> value = history.ValueOf(frame, parameter);
        known = value.ok() && Shape::Compatible(value->shape(), parameter.shape);
        if (known) arguments_[&parameter].push_back(*std::move(value));
      }
    }
    const bool failed = known && TryCalled(rewrite);
    arguments_.clear();
    return failed;
  }

  // With another computation as the entry: its arguments given as parameters; else, where a script gives all parameters values of its
  // own, the small ones as constants.
  bool TryCalled(Rewrite& rewrite) {
    if (Try(rewrite)) return true;
    if (!options_.other_parameters) return false;
    for (const auto& [parameter, values] : arguments_) {
      if (Elements(parameter->shape) <= kSmallValue && AllSame(values)) rewrite.constants.emplace(parameter, values[0]);
    }
    return !rewrite.constants.empty() && Try(rewrite);
  }

  // The result may not need what fails (the reference executes that all the same): then what fails is the result.
  bool TryFailingAsResult() {
    for (Mark moment = moment_; !moment.levels.empty() && !Spent(); moment.levels.pop_back()) {
      const bool inside = moment.levels.size() > 1;
      const Computation* computation = inside ? ComputationAt(module(), moment) : module().entry;
      for (const int p : {moment.levels.back().position - 1, moment.levels.back().position}) {  // it stands behind what it has executed, or before what stopped it
        if (computation == nullptr || p < 0 || p >= static_cast<int>(computation->schedule.size())) continue;
        Rewrite rewrite;
        rewrite.root = computation->schedule[p];
        if (inside ? TryFrame([&](FrameHistory& history) { return history.FrameAt(moment); }, rewrite.root) : Try(rewrite)) return true;
      }
    }
    return false;
  }

  // What fails in the entry is the result, and what ran only for the others is gone, though that alone may have needed it.
  bool TryFailingAsResultWithout(Rewrite rewrite) {
    if (moment_.levels.size() != 1 || rewrite.dropped.empty()) return false;
    for (const int p : {moment_.levels[0].position - 1, moment_.levels[0].position}) {
      if (p < 0 || p >= static_cast<int>(entry().schedule.size())) continue;
      rewrite.root = entry().schedule[p];
      if (Try(rewrite)) return true;
    }
    return false;
  }

  // The frame in which it fails, or one around it.
  bool DescendToFailure() {
    for (Mark moment = moment_; moment.levels.size() > 1 && !Spent(); moment.levels.pop_back()) {
      if (TryFrame([&](FrameHistory& history) { return history.FrameAt(moment); })) return true;
    }
    return false;
  }

  // What the loop's body makes the program's result of, where that, or each part of it, is a part of what the loop returns; else nothing.
  std::vector<const Instruction*> ResultsInBody(const Instruction& loop) const {
    if (const Instruction* whole = PartInBody(loop, *entry().root)) return {whole};
    std::vector<const Instruction*> parts;
    for (const Instruction* operand : BuildsTuple(*entry().root) ? entry().root->operands : decltype(entry().root->operands)()) {
      parts.push_back(PartInBody(loop, *operand));
      if (parts.back() == nullptr) return {};
    }
    return parts;
  }

  // The iteration of a loop after which what it has made so far fails first; the last one, where it fails from the beginning.
  bool DescendToIteration(const Instruction& loop) {
    if (!Execute().ok() || !present_->machine(0).finished()) return false;
    int64_t iterations = 0, wanted = -1;  // -1: the last
    const auto enter = [&](FrameHistory& history) {
      const absl::StatusOr<int64_t> ran = history.Iterations(0, loop);
      iterations = ran.value_or(0);
      return iterations > 0 ? history.EnterBody(0, loop, wanted < 0 ? iterations - 1 : std::min(wanted, iterations - 1)) : -1;
    };
    const std::vector<const Instruction*> results = ResultsInBody(loop);
    const bool parts = !results.empty() && results[0] != loop.Called(AttrId::kBody)->root, several = parts && BuildsTuple(*entry().root);
    const auto whole = [&] { return TryFrame(enter); };
    const auto part = [&] { return parts && (several ? TryFrame(enter, nullptr, results) : TryFrame(enter, results[0])); };
    for (const std::function<bool()>& fails : {std::function<bool()>(whole), std::function<bool()>(part)}) {
      wanted = -1;
      if (!WouldFail(fails)) continue;
      wanted = FirstFailing(iterations - 1, [&](int64_t iteration) {
        wanted = iteration;
        return WouldFail(fails);
      });
      if (fails()) return true;
    }
    return false;
  }

  bool WouldFail(const std::function<bool()>& fails) {
    only_asked_ = true;
    const bool failed = fails();
    only_asked_ = false;
    return failed;
  }

  // A computation that is called becomes the program: with the arguments that it has where it fails; else with those that it first gets, or
  // a loop's body gets in the iteration that makes it fail.
  void Descend() {
    for (bool again = true; again && !Spent();) {
      if ((again = DescendToFailure())) continue;
      for (const Instruction* i : entry().schedule) {
        const ControlKind control = Def(*i).control;
        if (control == ControlKind::kNone) continue;
        const std::vector<Computation*> called = i->CalledComputations();
        for (size_t c = 0; c < called.size() && !again && !Spent(); ++c) {
          arguments_.clear();
          bool known = true;
          for (const Instruction* parameter : called[c]->parameters) {
            const size_t k = control == ControlKind::kCall ? static_cast<size_t>(parameter->parameter_number) : control == ControlKind::kConditional ? c + 1 : 0;
            absl::StatusOr<OfDevices> values = k < i->operands.size() ? ValueOf(*i->operands[k]) : absl::NotFoundError("");
            known = known && values.ok() && Shape::Compatible((*values)[0].shape(), parameter->shape);
            if (known) arguments_.emplace(parameter, *std::move(values));
          }
          Rewrite rewrite;
          rewrite.entry = called[c];
          again = known && TryCalled(rewrite);
          arguments_.clear();
        }
        again = again || (control == ControlKind::kWhile && DescendToIteration(*i));
        if (again) break;
      }
    }
  }

  // Another result: an earlier instruction, a part of a tuple, fewer parts.
  void CutRoots() {
    for (bool again = true; again && !Spent();) {
      again = false;
      const int root = entry().root->index;
      std::set<int> places;
      for (const Instruction* operand : entry().root->operands) places.insert(operand->index);
      for (int part = 1; part < 16; ++part) places.insert(static_cast<int>(static_cast<int64_t>(root) * part / 16));
      if (places.size() > 64) places.clear();  // a long tuple loses its parts below
      for (int place : places) {
        const Instruction& i = *entry().schedule[place];
        if (place >= root || i.parameter_number >= 0 || i.literal != nullptr) continue;
        Rewrite rewrite;
        rewrite.root = &i;
        if ((again = Try(rewrite))) break;
      }
    }
    if (!entry().root->shape.IsTuple() || Def(*entry().root).op_class != OpClass::kStructural || entry().root->operands.size() < 2) return;
    for (size_t chunk = entry().root->operands.size() / 2; chunk >= 1 && !Spent(); chunk /= 2) {
      for (size_t first = 0; first < entry().root->operands.size() && entry().root->operands.size() > 1 && !Spent();) {
        Rewrite rewrite;
        const auto& operands = entry().root->operands;
        for (size_t k = 0; k < operands.size(); ++k) {
          if (k < first || k >= first + chunk) rewrite.roots.push_back(operands[k]);
        }
        const bool stays = options_.result_parts_stay && first + chunk < operands.size();
        if (stays || rewrite.roots.empty() || !Try(rewrite)) first += chunk;
      }
    }
  }

  // Instructions of the entry whose value can stand in for them.
  std::vector<const Instruction*> Droppable() const {
    std::vector<const Instruction*> found;
    for (const Instruction* i : entry().schedule) {
      if (i != entry().root && i->parameter_number < 0 && i->literal == nullptr && Def(*i).op_class != OpClass::kStructural) found.push_back(i);
    }
    return found;
  }

  Rewrite Without(absl::Span<const Instruction* const> instructions) {
    Rewrite rewrite;
    for (const Instruction* i : instructions) {
      const absl::StatusOr<OfDevices> values = ValueOf(*i);
      if (!values.ok()) continue;
      if (Elements(i->shape) <= kSmallValue && AllSame(*values)) {
        rewrite.constants.emplace(i, (*values)[0]);
      } else {
        rewrite.inputs.insert(i);
      }
    }
    return rewrite;
  }

  // Chunks from the end first: what lies before them goes with them.
  void CutInputs() {
    std::vector<const Instruction*> all = Droppable();
    for (size_t chunk = std::max<size_t>(1, all.size() / 2); chunk >= 1 && !Spent(); chunk /= 2) {
      for (size_t end = all.size(); end > 0 && !Spent();) {
        const size_t begin = end > chunk ? end - chunk : 0;
        const Rewrite rewrite = Without(absl::MakeConstSpan(all).subspan(begin, end - begin));
        if ((!rewrite.inputs.empty() || !rewrite.constants.empty()) && Try(rewrite)) {
          // What is left before the chunk keeps its order, and nothing after it came back.
          const size_t after = all.size() - end;
          all = Droppable();
          end = all.size() > after ? all.size() - after : 0;
        } else {
          end = begin;
        }
      }
      if (chunk == 1) break;
    }
  }

  void ReplaceByOperands() {
    for (int p = static_cast<int>(entry().schedule.size()) - 1; p >= 0 && !Spent(); --p) {
      p = std::min(p, static_cast<int>(entry().schedule.size()) - 1);
      const Instruction& i = *entry().schedule[p];
      if (i.parameter_number >= 0 || i.literal != nullptr) continue;
      for (const Instruction* operand : i.operands) {
        if (operand->shape != i.shape) continue;
        Rewrite rewrite;
        rewrite.replaced[&i] = operand;
        if (Try(rewrite)) break;
      }
    }
  }

  // Of tuples, the parts that are taken are used as they were before; all at once in a computation, or one at a time.
  void TakeParts() {
    for (size_t c = 0; c < module().computations.size() && !Spent(); ++c) {
      Rewrite all;
      for (const Instruction* i : module().computations[c]->schedule) {
        if (const Instruction* maker = MakerOfPart(*i)) all.replaced[i] = maker;
      }
      if (all.replaced.empty() || Try(all)) continue;
      for (size_t p = 0; c < module().computations.size() && p < module().computations[c]->schedule.size() && !Spent(); ++p) {
        Rewrite one;
        const Instruction* i = module().computations[c]->schedule[p];
        if (const Instruction* maker = MakerOfPart(*i)) one.replaced[i] = maker;
        if (!one.replaced.empty()) (void)Try(one);
      }
    }
  }

  // What runs though nothing reads it, with what is there for it alone: all of it at once, or one after the other.
  void DropUnread() {
    if (!run_.several()) return;
    Rewrite all;
    for (const Computation* c : module().computations) {
      for (const Instruction* i : c->schedule) AddUnread(*i, &all.dropped);
    }
    if (TryFailingAsResultWithout(all) || all.dropped.empty() || Try(all)) return;
    for (size_t c = 0; c < module().computations.size() && !Spent(); ++c) {
      for (int p = static_cast<int>(module().computations[c]->schedule.size()) - 1; p >= 0 && !Spent(); --p) {
        if (c >= module().computations.size()) break;
        p = std::min(p, static_cast<int>(module().computations[c]->schedule.size()) - 1);
        Rewrite one;
        AddUnread(*module().computations[c]->schedule[p], &one.dropped);
        if (!one.dropped.empty()) (void)Try(one);
      }
    }
  }

  // In called computations: an instruction gives way to an operand, or to zeros.
  void ShrinkCalled() {
    for (size_t c = 0; c < module().computations.size() && !Spent(); ++c) {
      if (module().computations[c] == module().entry) continue;
      for (int p = static_cast<int>(module().computations[c]->schedule.size()) - 1; p >= 0 && !Spent(); --p) {
        if (c >= module().computations.size() || p >= static_cast<int>(module().computations[c]->schedule.size())) break;
        const Instruction& i = *module().computations[c]->schedule[p];
        if (i.parameter_number >= 0 || i.literal != nullptr) continue;
        bool done = false;
        for (const Instruction* operand : i.operands) {
          if (operand->shape != i.shape) continue;
          Rewrite rewrite;
          rewrite.replaced[&i] = operand;
          if ((done = Try(rewrite))) break;  // `i` is of a program that is gone
        }
        if (done || !i.shape.IsArray() || i.shape.ElementCount() > kSmallZeros) continue;
        Rewrite rewrite;
        rewrite.constants.emplace(&i, Filled(i.shape, 0));
        Try(rewrite);
      }
    }
  }

  // Parts of a loop's value that nothing but themselves depends on.
  void ShrinkLoops() {
    for (size_t c = 0; c < module().computations.size() && !Spent(); ++c) {
      for (size_t p = 0; c < module().computations.size() && p < module().computations[c]->schedule.size() && !Spent(); ++p) {
        Rewrite all;
        if (DeadParts(*module().computations[c]->schedule[p], -1, &all) && Try(all)) continue;
        for (int64_t part = 0; !Spent(); ++part) {  // or one at a time
          if (c >= module().computations.size() || p >= module().computations[c]->schedule.size()) break;
          const Instruction& loop = *module().computations[c]->schedule[p];
          if (Def(loop).control != ControlKind::kWhile || part >= static_cast<int64_t>(loop.shape.tuple_shapes().size())) break;
          Rewrite one;
          if (DeadParts(loop, part, &one) && Try(one)) --part;
        }
      }
    }
  }

  // One size at a time, everywhere, and with it its multiples; then only some dimensions of that size; then with sizes that follow from theirs.
  void ShrinkSizes() {
    constexpr size_t kMost = 64;
    std::vector<int64_t> sizes = SizesIn(module());
    if (sizes.size() > kMost) sizes.resize(kMost);
    for (int64_t now : sizes) {
      while (now > 1 && !Spent()) {
        const int64_t to = ShrinkSize(now, nullptr, 0);
        if (to == now) break;
        now = to;
      }
    }
    for (const bool follow : {false, true}) {
      for (size_t k = 0; k < kMost && !Spent();) {
        const auto classes = std::make_shared<const DimensionClasses>(module());
        const std::vector<std::pair<int, int64_t>> all = classes->All(!follow);
        if (k >= all.size()) break;
        if (ShrinkSize(all[k].second, classes, all[k].first, follow) == all[k].second) ++k;
      }
    }
  }

  // The size that was tried with success, or `now`.
  int64_t ShrinkSize(int64_t now, const std::shared_ptr<const DimensionClasses>& classes, int of_class, bool follow = false) {
    const bool multiples = classes == nullptr && HasMultiple(module(), now);
    std::set<std::pair<int64_t, bool>> invalid;  // whichever elements stay, there is no such program
    for (const SizeCut& cut : SizeCuts(module(), now, classes, of_class, follow)) {
      for (int with = 0; with <= (multiples ? 1 : 0); ++with) {
        if (Spent()) return now;
        if (invalid.contains({cut.to, with != 0})) continue;
        Rewrite rewrite;
        cut.ApplyTo(&rewrite, with != 0);
        const int64_t asked = budget_.steps();
        if (Try(rewrite)) return cut.to;
        if (budget_.steps() == asked) invalid.insert({cut.to, with != 0});
      }
    }
    return now;
  }

  // Parameters of simple values, and constants in the place of small ones.
  void SimplifyInputs() {
    for (size_t k = 0; k < entry().parameters.size() && !Spent(); ++k) {
      const Instruction& parameter = *entry().parameters[k];
      const OfDevices values = given_.at(&parameter);
      if (Elements(parameter.shape) <= kSmallValue && AllSame(values)) {
        Rewrite rewrite;
        rewrite.constants.emplace(&parameter, values[0]);
        if (Try(rewrite)) {
          --k;
          continue;
        }
      }
      OfDevices simpler = {Filled(parameter.shape, 0), Filled(parameter.shape, 1)};
      if (!AllSame(values)) simpler.push_back(values[0]);
      for (const Value& one : simpler) {
        if (AllSame(values) && Value::BitEqual(one, values[0])) break;
        DeviceValues parameters = Given();
        for (std::vector<Value>& of : parameters) of[k] = one;
        if (WithParameters(parameters)) {
          if (!AllSame(values)) --k;  // a constant, perhaps, now that all have the same
          break;
        }
      }
    }
  }

  // The present program with other values.
  bool WithParameters(const DeviceValues& parameters) {
    absl::StatusOr<Rewritten> copy = Copy(Rewrite());
    if (!copy.ok()) return false;
    DiagnosticSink sink;
    Verify(*copy->module, sink);
    return sink.error_count() == 0 && copy->inputs.size() == parameters[0].size() && Ask(std::move(copy->module), parameters);
  }

  static RunSettings Keeping(RunSettings run) {
    run.machine.retain_bytes = kKeptBytes;
    return run;
  }

  Backend& backend_;
  const RunSettings& run_;
  const RunSettings keeping_ = Keeping(run_);  // and values are kept
  const FailurePredicate& fails_;
  Mark moment_;  // at which the present program fails, where that is known
  const MinimizeOptions& options_;
  MinimizeBudget budget_;
  Minimized out_;
  bool only_asked_ = false;  // what is tried does not become the present program
  absl::Status error_;
  const Module* source_ = nullptr;
  std::unique_ptr<Module> owned_;
  absl::flat_hash_map<const Instruction*, OfDevices> given_;  // of the present program's parameters
  absl::flat_hash_map<const Instruction*, OfDevices> arguments_;  // of a computation that is tried as the program
  std::unique_ptr<ProgramRun> present_;  // the present program, run to its end
};

}  // namespace

absl::StatusOr<Minimized> MinimizeProgram(const Module& module, const DeviceValues& parameters, Backend& backend, const RunSettings& run,
                                          const FailurePredicate& fails, const MinimizeOptions& options) {
  return Minimizer(backend, run, fails, options).Run(module, parameters);
}

}  // namespace hloscope
