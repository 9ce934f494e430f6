// What why and influence claim of every operation, against what is measured. Each instruction is a program of its own: one element of one
// operand at a time is set to other values, and the reference runs it. An element of the result that changes must have been claimed; what
// is claimed and never changes, whatever the numbers, is allowed only to operations that say why they claim more (kMore).
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/debug/influence.h"
#include "core/debug/why.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"
#include "tests/random/instances.h"

namespace hloscope {
namespace {

constexpr absl::string_view kReadsNothing = "it reads nothing";
constexpr absl::string_view kOnlyTokens = "its result is a token";
constexpr absl::string_view kElsewhere = "what it moves is another instruction's, by the channel";
constexpr absl::string_view kCalls =
    "what the called computation reads need not show: compare(x, x), x * 0, an element that led for a while in an argmin";
constexpr absl::string_view kUpdates =
    "an update may be lost in those after it; an index counts for places where other numbers would send the update";
constexpr absl::string_view kSizes = "a size decides which elements there are: each is made from it, and has its number whatever it is";
constexpr absl::string_view kDevices = "who sends what is decided by the devices; the claim holds for any of them";

// Operations that no instance tests.
constexpr absl::string_view kNobodySends = "in its sample nobody sends: zeros arrive, whatever there is";
const std::map<absl::string_view, absl::string_view> kNotTested = {
    {"iota", kReadsNothing},
    {"constant", kReadsNothing},
    {"rng-get-and-update-state", kReadsNothing},
    {"replica-id", kReadsNothing},
    {"partition-id", kReadsNothing},
    {"after-all", kOnlyTokens},
    {"outfeed", kOnlyTokens},
    {"infeed", "it reads from outside of the program"},
    {"send", kElsewhere},
    {"send-done", kElsewhere},
    {"recv", kElsewhere},
    {"recv-done", kElsewhere},
    {"get-dimension-size", "it reads a size, and no element"},
    {"collective-permute-done", kNobodySends},
};

// Operations that claim elements which change nothing.
const std::map<absl::string_view, absl::string_view> kMore = {
    {"reduce", kCalls},
    {"reduce-window", kCalls},
    {"map", kCalls},
    {"call", kCalls},
    {"conditional", kCalls},
    {"while", kCalls},
    {"async-start", kCalls},
    {"scan",
     "a step may do without a part of its state or of its slice; steps that are no running fold of one operation are not looked into"},
    {"collective-permute-done", kNobodySends},
    {"scatter", kUpdates},
    {"select-and-scatter", kUpdates},
    {"sort", "what is compared may decide nothing beside the others of its line, of a type of few values"},
    {"topk", "what is compared may decide nothing beside the others of its line, of a type of few values"},
    {"ragged-dot",
     "in types of few values a product may lose an operand; group sizes decide for all rows behind them, and rows may be in no group"},
    {"set-dimension-size", kSizes},
    {"dynamic-reshape", kSizes},
    {"ragged-all-to-all", kDevices},
    {"collective-permute", kDevices},
    {"collective-permute-start", kDevices},
};

// An element of the operands (of a parameter of the instance), and one of the result.
using Pair = std::pair<std::pair<int, int64_t>, std::pair<int, int64_t>>;

struct ReadTally {
  int instances = 0;
  int64_t changes = 0, claimed = 0, loose = 0;
  std::string first_loose;
};

class Checker {
 public:
  explicit Checker(ReadTally* tally) : tally_(*tally), backend_(MakeReferenceBackend()) {}

  void Check(const Instance& instance) {
    SCOPED_TRACE(absl::StrCat(instance.origin, "\n", PrintHloText(*instance.module)));
    ++tally_.instances;
    claimed_.clear();
    changed_.clear();
    Look(instance, instance.parameters);
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      std::vector<Value> parameters = RedrawnParameters(instance, seed % 2 == 0 ? Inputs::kMixed : Inputs::kSmall, seed);
      if (seed > 3) MakeDiagonalsLarge(&parameters);
      Look(instance, parameters);
    }
    tally_.claimed += static_cast<int64_t>(claimed_.size());
    tally_.changes += static_cast<int64_t>(changed_.size());
    for (const Pair& pair : claimed_) {
      if (changed_.contains(pair)) continue;
      if (tally_.loose++ == 0) tally_.first_loose = absl::StrCat(instance.origin, ": ", TextOf(pair), "\n", PrintHloText(*instance.module));
    }
  }

 private:
  static std::string TextOf(const Pair& p) {
    return absl::StrCat("element ", p.first.second, " of parameter ", p.first.first, " and element ", p.second.second, " of leaf ",
                        p.second.first);
  }

  // Matrices that have factors and can be solved.
  static void MakeDiagonalsLarge(std::vector<Value>* parameters) {
    for (Value& value : *parameters) {
      const Shape& shape = value.shape();
      const int64_t n = shape.rank() < 2 ? 0 : shape.dim(shape.rank() - 1);
      const ElementType type = shape.element_type();
      if (n == 0 || shape.dim(shape.rank() - 2) != n || !(IsFloat(type) || IsComplex(type))) continue;
      for (int64_t e = 0; e < value.element_count(); ++e) {
        const double large = 30 + static_cast<double>(e);
        if (e % n == e / n % n)
          StoreScalar(IsFloat(type) ? Scalar::Float(type, large) : Scalar::Complex(type, large),
                      value.mutable_data() + e * StorageBytes(type));
      }
    }
  }

  // The place in the shape as it is written of one in an array of the sizes of this run.
  static int64_t PlaceIn(const Shape& written, const Shape& actual, int64_t linear) {
    std::vector<int64_t> index(actual.rank());
    DelinearizeIndex(actual.dimensions(), linear, absl::MakeSpan(index));
    return LinearIndex(written.dimensions(), index);
  }

  // With these operands: what is claimed in both directions, and what changes.
  void Look(const Instance& instance, const std::vector<Value>& parameters) {
    const Instruction* root = instance.module->entry->root;
    MachineOptions options;
    options.retain_bytes = int64_t{1} << 26;
    options.max_iterations = 100;
    Machine machine(*instance.module, *backend_, options);
    if (!machine.Start(parameters).ok() || machine.Run() != StopReason::kFinished) return;  // these numbers have no result
    const absl::StatusOr<Value> before = ResultOf(instance, *backend_, parameters);
    ASSERT_TRUE(before.ok());
    ElementReader reader(machine, int64_t{1} << 26);
    std::set<Pair> backward, forward;
    std::set<std::pair<int, int64_t>> there;  // with the sizes of this run
    for (int leaf = 0; leaf < LeafCountOf(root->shape); ++leaf) {
      const Shape actual = LeafOf(*before, leaf).shape();
      for (int64_t k = 0; actual.IsArray() && k < actual.ElementCount(); ++k) {
        const int64_t e = PlaceIn(LeafShape(root->shape, leaf), actual, k);
        there.insert({leaf, e});
        const absl::StatusOr<Slice> slice =
            BuildWhy(reader, {0, root, leaf, e}, {.depth = -1, .terms = -1, .nodes = 1 << 20, .control = true, .births = false});
        ASSERT_TRUE(slice.ok()) << slice.status().message();
        for (const SliceNode& node : slice->nodes) {
          if (node.kind == SliceNode::kParameter)
            backward.insert({{static_cast<int>(node.place.instruction->parameter_number), node.place.linear}, {leaf, e}});
        }
      }
    }
    for (size_t p = 0; p < parameters.size(); ++p) {
      const Instruction* parameter = instance.module->entry->parameters[p];
      for (int64_t k = 0; k < parameters[p].element_count(); ++k) {
        const int64_t e = PlaceIn(parameter->shape, parameters[p].shape(), k);
        const absl::StatusOr<Influence> influence = BuildInfluence(reader, machine, {0, parameter, 0, e});
        ASSERT_TRUE(influence.ok()) << influence.status().message();
        std::set<std::pair<int, int64_t>> reached;
        for (const InfluenceNode& node : influence->nodes) {
          if (node.instruction != root) continue;
          for (const ElementSet::Run& run : node.set.runs()) {
            for (int64_t o = run.begin; o < run.end; ++o) {
              reached.insert({node.leaf, o});
              if (node.set.exact && there.contains({node.leaf, o})) forward.insert({{static_cast<int>(p), e}, {node.leaf, o}});
            }
          }
        }
        for (const std::pair<int, int64_t>& o : Changed(instance, parameters, static_cast<int>(p), k, *before)) {
          const Pair pair = {{static_cast<int>(p), e}, o};
          changed_.insert(pair);
          EXPECT_TRUE(reached.contains(o)) << "influence does not say it: " << TextOf(pair);
          // What decides where an update of a scatter goes belongs to those that it goes to.
          if (Def(*root).op_class != OpClass::kPush) EXPECT_TRUE(backward.contains(pair)) << "why does not say it: " << TextOf(pair);
        }
      }
    }
    claimed_.insert(backward.begin(), backward.end());
    claimed_.insert(forward.begin(), forward.end());
  }

  std::set<std::pair<int, int64_t>> Changed(const Instance& instance, const std::vector<Value>& parameters, int p, int64_t e,
                                            const Value& before) {
    std::set<std::pair<int, int64_t>> changed;
    const Shape& written = instance.module->entry->root->shape;
    for (const Scalar& s : Others(parameters, p, e)) {
      std::vector<Value> with = parameters;
      with[p] = Value::FromBytes(with[p].shape(), absl::MakeConstSpan(with[p].data(), with[p].byte_size()));
      StoreScalar(s, with[p].mutable_data() + e * StorageBytes(s.type));
      const absl::StatusOr<Value> now = ResultOf(instance, *backend_, with);
      if (!now.ok()) continue;
      for (int leaf = 0; leaf < LeafCountOf(before.shape()); ++leaf) {
        const Value &was = LeafOf(before, leaf), &is = LeafOf(*now, leaf);
        if (!was.shape().IsArray() || was.shape().dimensions() != is.shape().dimensions()) continue;
        const int bytes = StorageBytes(was.shape().element_type());
        for (int64_t o = 0; o < was.element_count(); ++o) {
          if (std::memcmp(was.data() + o * bytes, is.data() + o * bytes, bytes) != 0)
            changed.insert({leaf, PlaceIn(LeafShape(written, leaf), was.shape(), o)});
        }
      }
    }
    return changed;
  }

  // Values to try in the place of an element: plain ones, extreme ones, and those that other operands have in that place.
  static std::vector<Scalar> Others(const std::vector<Value>& parameters, int p, int64_t e) {
    const ElementType type = parameters[p].shape().element_type();
    std::vector<Scalar> others;
    if (IsPred(type)) return {Scalar::Int(type, 0), Scalar::Int(type, 1)};
    for (const double x : {0.0, 1.0, 2.0, 3.0, -1.0, 5.5, -1000.0, 1e6, 0.11, HUGE_VAL, std::nan("")}) {
      if (IsInteger(type)) {
        if (std::isfinite(x) && x == std::floor(x)) others.push_back(Scalar::Int(type, static_cast<int64_t>(x)));
      } else if (IsComplex(type)) {
        others.push_back(Scalar::Complex(type, {x, 0.5}));
        others.push_back(Scalar::Complex(type, {1.5, x}));
      } else {
        others.push_back(Scalar::Float(type, x));
      }
    }
    for (int64_t place = 4; IsInteger(type) && parameters[p].element_count() == 1 && place < 16; ++place)
      others.push_back(Scalar::Int(type, place));
    for (size_t k = 0; k < parameters.size(); ++k) {
      const Value& other = parameters[k];
      if (static_cast<int>(k) == p || other.shape().element_type() != type || other.element_count() == 0) continue;
      others.push_back(LoadScalar(type, other.data() + e % other.element_count() * StorageBytes(type)));
    }
    return others;
  }

  ReadTally& tally_;
  std::unique_ptr<Backend> backend_;
  std::set<Pair> claimed_, changed_;
};

TEST(ReadsTest, EveryOperationClaimsWhatChangesIt) {
  std::map<Opcode, ReadTally> tallies;
  EachInstance(InstanceOptions(), "assets/samples/ops",
               [&](const Instance& instance) { Checker(&tallies[instance.operation]).Check(instance); });
  for (int k = 0; k < kOpcodeCount; ++k) {
    const Opcode opcode = static_cast<Opcode>(k);
    const absl::string_view name = Name(opcode);
    const auto not_tested = kNotTested.find(name), more = kMore.find(name);
    const auto found = tallies.find(opcode);
    const ReadTally tally = found == tallies.end() ? ReadTally() : found->second;
    const bool tested = tally.changes > 0;
    EXPECT_EQ(tested, not_tested == kNotTested.end())
        << name
        << (tested ? " is tested: leave it out of kNotTested" : " has no instance in which anything changes, and no reason in kNotTested");
    EXPECT_EQ(tally.loose > 0, more != kMore.end())
        << name << ": of " << tally.claimed << " that are claimed " << tally.loose << " change nothing; " << tally.first_loose;
    if (!tested)
      std::cout << name << ": not tested" << (not_tested == kNotTested.end() ? "" : absl::StrCat(": ", not_tested->second)) << " ("
                << tally.instances << " instances)\n";
  }
  for (const auto& [name, reason] : kMore) std::cout << name << ": claims more than changes: " << reason << "\n";
}

}  // namespace
}  // namespace hloscope
