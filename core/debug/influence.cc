// One pass over each computation in program order carries the sets along. Calls and branches are passes of their own, a loop one for each
// iteration, until nothing changes any more and nothing of the run was looked at. Of very long loops the later iterations are taken together:
// sets that hold whatever the run's values are there, and so may be too large.
#include "core/debug/influence.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/debug/influence_nodes.h"
#include "core/debug/influence_search.h"
#include "core/ir/written_names.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// Sets of one value's leaves; empty ones are not influenced.
using Leaves = std::vector<ElementSet>;

bool Any(const Leaves& leaves) { return AnyInfluence(leaves); }
Leaves NoneOf(const Shape& shape) { return NoInfluence(shape); }

class InfluenceBuilder {
 public:
  InfluenceBuilder(ElementReader& reader, const Machine& machine, int64_t most_steps, InfluenceWalk::Exchange exchange = nullptr)
      : reader_(reader), machine_(machine), most_steps_(most_steps), exchange_(std::move(exchange)) {}

  absl::StatusOr<Influence> Build(const ElementPlace& place) {
    influence_.place = place;
    Leaves leaves = NoneOf(place.instruction->shape);
    leaves[place.leaf].Add(place.linear, place.linear + 1);
    if (absl::Status status = From(place.frame, *place.instruction, std::move(leaves), /*asked=*/true); !status.ok()) return status;
    return Take();
  }
  Influence Take() { return std::move(influence_); }
  InfluenceNodes& nodes() { return nodes_; }

  absl::Status From(int at, const Instruction& instruction, Leaves leaves, bool asked) {
    FrameHistory::Place frame = reader_.history().place(at);
    Values values;
    int end = frame.live ? machine_.frames()[at].position : static_cast<int>(frame.computation->schedule.size());
    nodes_.Begin();
    Note(at, instruction, leaves, {});
    values[instruction.index] = leaves;
    absl::Status status = Propagate(at, *frame.computation, instruction.index + 1, end, &values);
    if (!status.ok()) return status;
    if (!frame.live && asked) {  // what later iterations make of it is a node of its own
      nodes_.Forget(at, instruction, leaves);
      nodes_.Begin();
    }
    while (!frame.live) {  // on to where it returned to
      const auto root = values.find(frame.computation->root->index);
      absl::StatusOr<Leaves> returned = Returned(at, root == values.end() ? NoneOf(frame.computation->root->shape) : root->second);
      if (!returned.ok()) return returned.status();
      const Instruction& caller = *frame.caller;
      at = frame.parent;
      frame = reader_.history().place(at);
      end = frame.live ? machine_.frames()[at].position : static_cast<int>(frame.computation->schedule.size());
      values.clear();
      if (frame.live && caller.index >= end) {  // it is being run, and has been told of as far as it got
        values.clear();
        break;
      }
      if (caller.index >= end || !Any(*returned)) continue;
      Note(at, caller, *returned, nodes_.SourcesOf(at, caller));
      values[caller.index] = *std::move(returned);
      status = Propagate(at, *frame.computation, caller.index + 1, end, &values);
      if (!status.ok()) return status;
    }
    if (frame.live && !values.empty()) {
      if (absl::Status inner = Inside(at, values); !inner.ok()) return inner;
    }
    const bool ended = end == static_cast<int>(frame.computation->schedule.size());
    const auto root = values.find(frame.computation->root->index);
    influence_.reaches_result |= ended && root != values.end() && Any(root->second);
    if (!ended || frame.kind != FrameKind::kEntry) {
      const std::string where = ended ? absl::StrCat("the frame of ", frame.computation->name, " has not returned yet")
                                      : absl::StrCat("the program has not gone further than ", ShownName(*frame.computation->schedule[end]));
      AddNote(absl::StrCat(where, "; what comes after it is not known (influence /to-end runs to the end first)"));
    }
    return absl::OkStatus();
  }

  void Note(int frame, const Instruction& i, const Leaves& leaves, const std::vector<std::vector<int>>& from) {
    nodes_.Note(frame, i, leaves, from, !state_.blind);
  }
  void AddNote(std::string note) {
    if (state_.blind) return;
    if (said_.insert(note).second) influence_.notes.push_back(std::move(note));
  }

 private:
  using Values = absl::flat_hash_map<int, Leaves>;  // by schedule position

  // What an ended frame's caller has of what the frame returned: through the iterations after it, as far as they have ended.
  absl::StatusOr<Leaves> Returned(int at, Leaves result) {
    const FrameHistory::Place p = reader_.history().place(at);
    const FrameHistory::Place around = reader_.history().place(p.parent);
    const bool running = around.live && machine_.frames()[p.parent].position <= p.caller->index;
    switch (p.kind) {
      case FrameKind::kCall:
      case FrameKind::kFusion: {
        const std::vector<LeafSource>& sources = reader_.LeavesOf(*p.caller);
        if (sources.empty()) return result;
        Leaves all = NoneOf(p.caller->shape);
        for (size_t l = 0; l < all.size(); ++l) {
          if (sources[l].operand == LeafSource::kCalled) all[l] = result[sources[l].leaf];
        }
        return all;
      }
      case FrameKind::kWhileBody:
        if (!running) return ThroughLoop(p.parent, *p.caller, std::move(result), p.iteration + 1);
        for (int64_t k = p.iteration + 1; k < machine_.frames()[p.parent + 1].iteration; ++k) {
          if (absl::StatusOr<Leaves> again = Called(reader_.history().EnterCondition(p.parent, *p.caller, k), {result}); !again.ok()) return again;
          absl::StatusOr<Leaves> next = Called(reader_.history().EnterBody(p.parent, *p.caller, k), {result});
          if (!next.ok()) return next;
          result = *std::move(next);
        }
        if (absl::Status now = PresentIteration(p.parent, result); !now.ok()) return now;
        return result;
      case FrameKind::kWhileCondition:
        if (!Any(result)) return NoneOf(p.caller->shape);
        AddNote(absl::StrCat("it decides how often ", ShownName(*p.caller), " runs"));
        return DecidedByIt(*p.caller, NoneOf(p.caller->shape));
      case FrameKind::kBranch:
      case FrameKind::kEntry:
      case FrameKind::kElement: break;
    }
    return result;
  }

  // ---- What is being run ----

  // The instruction that a live frame stands at, as far as it got: its operands' sets are in `values`.
  absl::Status Inside(int at, const Values& values) {
    if (at + 1 >= static_cast<int>(machine_.frames().size())) return Brought(at, values);
    const Instruction& caller = *machine_.frames()[at + 1].caller;
    std::vector<Leaves> arguments;
    bool touched = false;
    for (const Instruction* operand : caller.operands) {
      const auto it = values.find(operand->index);
      arguments.push_back(it == values.end() ? NoneOf(operand->shape) : it->second);
      touched = touched || Any(arguments.back());
    }
    if (!touched) return absl::OkStatus();
    const Frame& inner = machine_.frames()[at + 1];
    switch (inner.kind) {
      case FrameKind::kCall:
      case FrameKind::kFusion: return Live(at + 1, arguments);
      case FrameKind::kBranch:
        if (Any(arguments[0])) AddNote(absl::StrCat("it decides which branch ", ShownName(caller), " takes"));
        return Live(at + 1, {arguments[static_cast<size_t>(inner.branch) + 1]});
      case FrameKind::kWhileBody:
      case FrameKind::kWhileCondition: {
        Leaves carried = arguments[0];
        for (int64_t k = 0; k < inner.iteration; ++k) {
          if (absl::StatusOr<Leaves> again = Called(reader_.history().EnterCondition(at, caller, k), {carried}); !again.ok()) return again.status();
          absl::StatusOr<Leaves> next = Called(reader_.history().EnterBody(at, caller, k), {carried});
          if (!next.ok()) return next.status();
          carried = *std::move(next);
        }
        return PresentIteration(at, carried);
      }
      case FrameKind::kElement: AddNote(absl::StrCat(ShownName(caller), " is being computed element by element; what it influences there is not told")); break;
      case FrameKind::kEntry: break;
    }
    return absl::OkStatus();
  }

  // The sets of the operands (null: not influenced); none where no operand is influenced.
  static std::vector<const Leaves*> OperandsOf(const Instruction& i, const Values& values) {
    std::vector<const Leaves*> operands;
    bool touched = false;
    for (const Instruction* operand : i.operands) {
      const auto it = values.find(operand->index);
      operands.push_back(it == values.end() ? nullptr : &it->second);
      touched = touched || it != values.end();
    }
    if (!touched) operands.clear();
    return operands;
  }

  // A collective that the device stands at may be made already: the others have what it brought.
  absl::Status Brought(int at, const Values& values) {
    const Frame& frame = machine_.frames()[at];
    if (exchange_ == nullptr || frame.position >= static_cast<int>(frame.computation->schedule.size())) return absl::OkStatus();
    const Instruction& i = *frame.computation->schedule[frame.position];
    if (ExchangeOf(i).role != ExchangeRole::kCollective) return absl::OkStatus();
    const std::vector<const Leaves*> operands = OperandsOf(i, values);
    return operands.empty() ? absl::OkStatus() : exchange_(at, i, operands).status();
  }

  // The iteration that the loop run by frame `at` is in, as far as it got.
  absl::Status PresentIteration(int at, const Leaves& carried) {
    const Frame& inner = machine_.frames()[at + 1];
    if (!Any(carried)) return absl::OkStatus();
    if (inner.kind == FrameKind::kWhileBody) {
      absl::StatusOr<Leaves> again = Called(reader_.history().EnterCondition(at, *inner.caller, inner.iteration), {carried});
      if (!again.ok()) return again.status();
    }
    return Live(at + 1, {carried});
  }

  absl::Status Live(int at, const std::vector<Leaves>& arguments) {
    const Frame& frame = machine_.frames()[at];
    Values values;
    for (size_t k = 0; k < arguments.size() && k < frame.computation->parameters.size(); ++k) {
      if (!Any(arguments[k])) continue;
      Note(at, *frame.computation->parameters[k], arguments[k], nodes_.GivenTo(at, *frame.computation->parameters[k]));
      values[frame.computation->parameters[k]->index] = arguments[k];
    }
    if (absl::Status status = Propagate(at, *frame.computation, 0, frame.position, &values); !status.ok()) return status;
    return Inside(at, values);
  }

  absl::Status Propagate(int frame, const Computation& computation, int begin, int end, Values* values) {
    for (int p = begin; p < end; ++p) {
      const Instruction& i = *computation.schedule[p];
      if (values->contains(p)) continue;
      const std::vector<const Leaves*> operands = OperandsOf(i, *values);
      if (operands.empty()) continue;
      absl::StatusOr<Leaves> result = Through(frame, i, operands);
      if (!result.ok()) return result.status();
      AddSizes(i, operands, &*result);
      if (!state_.blind && i.shape.IsArray() && i.shape.has_dynamic_dimension()) {  // what the run's value has of it
        absl::StatusOr<Value> value = reader_.history().ValueOf(frame, i);
        if (!value.ok()) return value.status();
        const uint64_t sizes = (*result)[0].sizes;
        (*result)[0] = (*result)[0].WithSizes(value->shape()).WithSizes(i.shape);
        (*result)[0].sizes = sizes;
      }
      if (!state_.blind && Any(*result)) DropSet(frame, computation, i, &*result);
      if (!Any(*result)) continue;
      // What a conditional runs may be another branch each time.
      const bool told = GivenByExchange(i) || (Def(i).control == ControlKind::kNone && nodes_.SourcesAreKnown(frame, i, operands, *result));
      Note(frame, i, *result, told ? std::vector<std::vector<int>>() : nodes_.SourcesOf(frame, i));
      (*values)[p] = *std::move(result);
    }
    return absl::OkStatus();
  }

  // The sizes that the instruction makes of those of its operands; who hands leaves on hands their sizes on with them.
  void AddSizes(const Instruction& i, absl::Span<const Leaves* const> operands, Leaves* result) {
    if (Def(i).control != ControlKind::kNone || !reader_.LeavesOf(i).empty()) return;
    for (size_t l = 0; l < result->size(); ++l) {
      const Shape& shape = LeafShape(i.shape, static_cast<int>(l));
      for (int d = 0; shape.IsArray() && d < shape.rank() && d < 64; ++d) {
        if (!shape.is_dynamic(d)) continue;
        for (const SizeOrigin& origin : reader_.SizesOf(i, static_cast<int>(l), d)) {
          const Leaves* from = operands[origin.operand];
          if (from == nullptr || from->empty()) continue;
          const ElementSet& set = from->front();
          if (origin.is_value ? !set.empty() : (set.sizes >> origin.dimension & 1) != 0) (*result)[l].sizes |= uint64_t{1} << d;
        }
      }
    }
  }

  // What was set by hand is made from nothing; but who had read it before has what was computed.
  void DropSet(int frame, const Computation& computation, const Instruction& i, Leaves* leaves) {
    constexpr int64_t kMostLooked = 4096;
    const FrameHistory& history = reader_.history();
    std::vector<std::pair<size_t, int64_t>> set;
    for (size_t l = 0; l < leaves->size(); ++l) {
      if ((*leaves)[l].count() > kMostLooked) continue;
      for (const ElementSet::Run& run : (*leaves)[l].runs()) {
        for (int64_t e = run.begin; e < run.end; ++e) {
          if (history.SetByHand(frame, i, static_cast<int>(l), e)) set.emplace_back(l, e);
        }
      }
    }
    if (set.empty()) return;
    for (const Instruction* user : computation.schedule) {
      const bool reads = std::find(user->operands.begin(), user->operands.end(), &i) != user->operands.end();
      if (reads && history.Before(frame, i, user->index).has_value()) return;
    }
    for (const auto& [leaf, element] : set) (*leaves)[leaf].Remove(element);
  }

  // Which operands its elements were made from, of which device, is known to who joins the devices.
  bool GivenByExchange(const Instruction& i) const {
    const ExchangeRole role = ExchangeOf(i).role;
    return exchange_ != nullptr && (role == ExchangeRole::kCollective || role == ExchangeRole::kReceiveDone);
  }

  // What the instruction makes of its operands' sets (null: not influenced).
  absl::StatusOr<Leaves> Through(int frame, const Instruction& i, absl::Span<const Leaves* const> operands) {
    ++steps_;
    const OpDef& def = Def(i);
    if (exchange_ != nullptr && ExchangeOf(i).role != ExchangeRole::kNone) {
      state_.looked = true;
      return exchange_(frame, i, operands);
    }
    if (def.control != ControlKind::kNone) return ThroughControl(frame, i, operands);
    Leaves result = NoneOf(i.shape);
    if (def.gives_size) {  // which follows from the array's size, not from its elements
      const auto dimension = static_cast<int>(i.Ints(AttrId::kDimensions)[0]);
      const bool other = operands[0] != nullptr && dimension < 64 && ((*operands[0])[0].sizes >> dimension & 1) != 0;
      return other ? AllInfluence(i.shape) : result;
    }
    if (const std::vector<LeafSource>& sources = reader_.LeavesOf(i); !sources.empty()) {
      for (size_t l = 0; l < result.size(); ++l) {
        if (sources[l].operand >= 0 && operands[sources[l].operand] != nullptr) result[l] = (*operands[sources[l].operand])[sources[l].leaf];
      }
      return result;
    }
    if (const ElementReader::Prepared* prepared = reader_.ProgramOf(i)) {
      if (state_.blind) return ThroughProgram(frame, i, *prepared, operands);
      const absl::StatusOr<const ElementReader::Prepared*> sized = reader_.ProgramIn(frame, i);
      if (!sized.ok()) return sized.status();
      state_.looked = state_.looked || (*sized)->sized != nullptr;
      return ThroughProgram(frame, i, **sized, operands);
    }
    if (def.op_class == OpClass::kPull && def.evaluate != nullptr) {  // tuples copied or chosen between
      const bool chooses = i.operands.size() == 3;
      if (chooses && operands[0] != nullptr) return AllInfluence(i.shape);
      size_t from = 0;
      if (chooses && state_.blind) {
        for (int k : {1, 2}) {
          if (operands[k] != nullptr) UniteInfluence(*operands[k], &result);
        }
        return result;
      }
      if (chooses) {
        absl::StatusOr<Scalar> pred = reader_.Element({frame, i.operands[0], 0, 0});
        if (!pred.ok()) return pred.status();
        state_.looked = true;
        from = pred->i != 0 ? 1 : 2;
      }
      if (operands[from] != nullptr) result = *operands[from];
      return result;
    }
    for (size_t l = 0; l < result.size(); ++l) {
      if (!LeafShape(i.shape, static_cast<int>(l)).IsArray()) continue;
      for (size_t k = 0; k < operands.size(); ++k) {
        if (operands[k] == nullptr) continue;
        for (size_t leaf = 0; leaf < operands[k]->size(); ++leaf) {
          const ElementSet& set = (*operands[k])[leaf];
          if (set.empty()) continue;
          if (!set.exact) result[l].exact = false;
          SearchOpaque(reader_, frame, i, static_cast<int>(l), static_cast<int>(k), static_cast<int>(leaf), set, &result[l], &state_);
        }
      }
    }
    return result;
  }

  // In the program's sizes, which are those of the run.
  Leaves ThroughProgram(int frame, const Instruction& i, const ElementReader::Prepared& prepared,
                        absl::Span<const Leaves* const> operands) {
    const bool sized = prepared.sized != nullptr;
    std::vector<ElementSet> own(operands.size());
    std::vector<const ElementSet*> sets(operands.size(), nullptr);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] == nullptr) continue;
      sets[k] = &(*operands[k])[0];
      if (!sized) continue;
      own[k] = sets[k]->WithSizes(prepared.program.operands[k]);
      sets[k] = &own[k];
    }
    Leaves result;
    for (const Program::Output& output : prepared.program.outputs) result.emplace_back(output.shape);
    if (prepared.program.is_push) {
      SearchUpdates(reader_, frame, i, prepared, sets, &result, &state_);
    } else {
      for (size_t l = 0; l < result.size(); ++l) {
        for (size_t k = 0; k < sets.size(); ++k) {
          if (sets[k] == nullptr || sets[k]->empty()) continue;
          if (!sets[k]->exact) result[l].exact = false;
          SearchReaders(reader_, frame, i, prepared, static_cast<int>(l), static_cast<int>(k), *sets[k], &result[l], &state_);
        }
      }
    }
    for (size_t l = 0; sized && l < result.size(); ++l) result[l] = result[l].WithSizes(LeafShape(i.shape, static_cast<int>(l)));
    return result;
  }

  absl::StatusOr<Leaves> Called(int frame, const std::vector<Leaves>& arguments) {
    const Computation& computation = *reader_.history().place(frame).computation;
    Values values;
    for (size_t k = 0; k < arguments.size(); ++k) {
      if (!Any(arguments[k])) continue;
      Note(frame, *computation.parameters[k], arguments[k], nodes_.GivenTo(frame, *computation.parameters[k]));
      values[computation.parameters[k]->index] = arguments[k];
    }
    absl::Status status = Propagate(frame, computation, 0, static_cast<int>(computation.schedule.size()), &values);
    if (!status.ok()) return status;
    const auto root = values.find(computation.root->index);
    return root == values.end() ? NoneOf(computation.root->shape) : root->second;
  }

  absl::StatusOr<Leaves> ThroughControl(int frame, const Instruction& i, absl::Span<const Leaves* const> operands) {
    std::vector<Leaves> arguments;
    for (size_t k = 0; k < operands.size(); ++k) arguments.push_back(operands[k] == nullptr ? NoneOf(i.operands[k]->shape) : *operands[k]);
    switch (Def(i).control) {
      case ControlKind::kCall: {
        absl::StatusOr<Leaves> result = Called(reader_.history().EnterCall(frame, i), arguments);
        const std::vector<LeafSource>& sources = reader_.LeavesOf(i);
        if (!result.ok() || sources.empty()) return result;
        Leaves around = NoneOf(i.shape);
        for (size_t l = 0; l < around.size(); ++l) {
          if (sources[l].operand == LeafSource::kCalled) around[l] = (*result)[sources[l].leaf];
          if (sources[l].operand >= 0) around[l] = arguments[sources[l].operand][sources[l].leaf];
        }
        return around;
      }
      case ControlKind::kConditional: {
        if (state_.blind) return ThroughAnyBranch(frame, i, arguments);
        absl::StatusOr<int> branch = reader_.history().EnterBranch(frame, i);
        if (!branch.ok()) return branch.status();
        state_.looked = true;
        absl::StatusOr<Leaves> result = Called(*branch, {arguments[reader_.history().place(*branch).branch + 1]});
        if (!result.ok() || !Any(arguments[0])) return result;
        AddNote(absl::StrCat("it decides which branch ", ShownName(i), " takes"));
        return AllInfluence(i.shape);
      }
      case ControlKind::kWhile: return ThroughLoop(frame, i, arguments[0]);
      case ControlKind::kNone: break;
    }
    return absl::InternalError("not a control instruction");
  }

  absl::StatusOr<Leaves> ThroughAnyBranch(int frame, const Instruction& conditional, const std::vector<Leaves>& arguments) {
    if (Any(arguments[0])) return AllInfluence(conditional.shape);
    Leaves result = NoneOf(conditional.shape);
    for (int branch : reader_.history().EnterAllBranches(frame, conditional)) {
      absl::StatusOr<Leaves> one = Called(branch, {arguments[reader_.history().place(branch).branch + 1]});
      if (!one.ok()) return one;
      UniteInfluence(*one, &result);
    }
    return result;
  }

  // Any number of iterations from `first` on, whatever the run's values are there: the smallest sets that an iteration does not leave.
  absl::StatusOr<Leaves> ThroughTheRest(int frame, const Instruction& loop, Leaves carried, int64_t first, bool* decides) {
    constexpr int kRounds = 24;  // then what still grows is taken whole
    const bool before = state_.blind;
    state_.blind = true;
    for (int round = 0;; ++round) {
      absl::StatusOr<Leaves> again = Called(reader_.history().EnterCondition(frame, loop, first), {carried});
      if (!again.ok()) return again;
      *decides = *decides || Any(*again);
      absl::StatusOr<Leaves> next = Called(reader_.history().EnterBody(frame, loop, first), {carried});
      if (!next.ok()) return next;
      Leaves grown = carried;
      UniteInfluence(*next, &grown);
      if (grown == carried) break;
      if (round >= kRounds) {
        const Leaves all = AllInfluence(loop.shape);
        for (size_t l = 0; l < grown.size(); ++l) {
          if (!(grown[l] == carried[l])) grown[l] = all[l];
        }
      }
      carried = std::move(grown);
    }
    state_.blind = before;
    for (ElementSet& leaf : carried) leaf.exact = leaf.exact && leaf.empty();
    return carried;
  }

  absl::StatusOr<Leaves> ThroughLoop(int frame, const Instruction& loop, Leaves carried, int64_t first = 0) {
    bool decides = false;
    if (state_.blind) {
      absl::StatusOr<Leaves> rest = ThroughTheRest(frame, loop, std::move(carried), 0, &decides);
      if (!rest.ok() || !decides) return rest;
      return DecidedByIt(loop, *rest);
    }
    absl::StatusOr<int64_t> count = reader_.history().Iterations(frame, loop);
    if (!count.ok()) return count.status();
    for (int64_t k = first; k <= *count; ++k) {
      if (k > first + 1 && k < *count && most_steps_ > 0 && steps_ > most_steps_) {
        absl::StatusOr<Leaves> rest = ThroughTheRest(frame, loop, std::move(carried), k, &decides);
        if (!rest.ok()) return rest;
        carried = *std::move(rest);
        nodes_.RaiseLast(frame, loop, k, *count - 1);
        AddNote(absl::StrCat("of ", ShownName(loop), " iterations from ", k, " on are told together: sets there are at most what is influenced (/all takes them one by one)"));
        break;
      }
      state_.looked = false;
      absl::StatusOr<Leaves> again = Called(reader_.history().EnterCondition(frame, loop, k), {carried});
      if (!again.ok()) return again.status();
      decides = decides || Any(*again);
      if (k == *count) break;
      absl::StatusOr<Leaves> next = Called(reader_.history().EnterBody(frame, loop, k), {carried});
      if (!next.ok()) return next.status();
      const bool same = *next == carried;
      carried = *std::move(next);
      if (same && !state_.looked) {  // so are all iterations after it
        nodes_.RaiseLast(frame, loop, k, *count - 1);
        break;
      }
    }
    state_.looked = true;  // how often it ran
    if (!decides) return carried;
    AddNote(absl::StrCat("it decides how often ", ShownName(loop), " runs"));
    return DecidedByIt(loop, carried);
  }

  // The result of a loop that might have run another number of times.
  Leaves DecidedByIt(const Instruction& loop, const Leaves& carried) {
    Leaves all = AllInfluence(loop.shape);
    for (size_t l = 0; l < all.size(); ++l) {
      if (reader_.IsPassedThrough(loop, static_cast<int>(l))) all[l] = carried[l];
    }
    return all;
  }

  ElementReader& reader_;
  const Machine& machine_;
  Influence influence_;
  InfluenceNodes nodes_{reader_, influence_.nodes};
  SearchState state_;
  const int64_t most_steps_;  // 0: as many as it takes
  const InfluenceWalk::Exchange exchange_;  // null: there is one device
  int64_t steps_ = 0;
  std::set<std::string> said_;
};

}  // namespace

struct InfluenceWalk::Builder : InfluenceBuilder {
  using InfluenceBuilder::InfluenceBuilder;
};
// Long loops are taken iteration by iteration: each has exchanges of its own.
InfluenceWalk::InfluenceWalk(ElementReader& reader, const Machine& machine, Exchange exchange)
    : builder_(std::make_unique<Builder>(reader, machine, 0, std::move(exchange))) {}
InfluenceWalk::~InfluenceWalk() = default;
absl::Status InfluenceWalk::From(int frame, const Instruction& instruction, std::vector<ElementSet> leaves, bool asked) {
  return builder_->From(frame, instruction, std::move(leaves), asked);
}
int InfluenceWalk::PathOf(int frame) { return builder_->nodes().Path(frame); }
int InfluenceWalk::NodeAt(int path, const Instruction& instruction, int leaf) const { return builder_->nodes().NodeAt(path, instruction, leaf); }
void InfluenceWalk::Say(std::string note) { builder_->AddNote(std::move(note)); }
Influence InfluenceWalk::Take() { return builder_->Take(); }

absl::StatusOr<Influence> BuildInfluence(ElementReader& reader, const Machine& machine, const ElementPlace& place, int64_t most_steps) {
  absl::StatusOr<Scalar> value = reader.Element(place);  // it has been executed
  if (!value.ok()) return value.status();
  return InfluenceBuilder(reader, machine, most_steps).Build(place);
}

}  // namespace hloscope
