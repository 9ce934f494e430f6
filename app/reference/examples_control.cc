// Examples of calls, loops, tuples, tokens, the world outside and other replicas.
#include "app/reference/examples.h"
#include "app/reference/short.h"

namespace hloscope {

using namespace examples;  // NOLINT

namespace {

Computation* Double(B* b) {
  return b->Sub("double", {A(S32, {2})}, [](B*, Ops p) { return p[0] + p[0]; });
}
// What is sent on a channel arrives at the recv of that channel.
Op ToItself(B* b, Row<float> values) {
  Op x = F(b, "x", values), token = AfterAll(b, {});
  Op received = RecvWithToken(token, x.shape(), 1), sent = SendWithToken(x, token, 1);
  Op data = RecvDone(received);
  SendDone(sent);
  return GetTupleElement(data, 0);
}
constexpr char kQueue[] = "It takes its data from a queue: hloscope run FILE --infeed ITEMS.npz.";
const std::vector<std::vector<int64_t>> kAlone = {{0}};

}  // namespace

std::vector<Example> ControlExamples() {
  return {
      {"parameter",
       "An input of the program. `hloscope run` makes one up, or takes --input 0=FILE.npy; the result is whether it equals itself.",
       [](B* b) {
         Op x = Parameter(b, 0, A(S32, {3}), "x");
         return Eq(x, x);
       },
       "pred[3] [true, true, true]"},
      {"constant", "A value that the text itself holds.",
       [](B* b) {
         return I2(b, "x", {{1, 2}, {3, 4}});
       },
       "s32[2,2] [[1, 2],\n [3, 4]]"},
      {"tuple", "Values of different shapes as one; tuples nest.",
       [](B* b) {
         Op x = I(b, "x", {1, 2}), y = F(b, "y", 0.5f);
         Op inner = Tuple(b, {y});
         return Tuple(b, {x, inner});
       },
       "(s32[2], (f32[])) ([1, 2],\n (0.5))"},
      {"get-tuple-element", "Element 1 of a tuple.",
       [](B* b) {
         Op x = I(b, "x", {1, 2}), y = F(b, "y", 0.5f);
         return GetTupleElement(Tuple(b, {x, y}), 1);
       },
       "f32[] 0.5"},
      {"opt-barrier", "Hands on what it gets, after all of it is there.",
       [](B* b) {
         Op x = I(b, "x", {1, 2}), y = F(b, "y", 0.5f);
         return OptimizationBarrier(Tuple(b, {x, y}));
       },
       "(s32[2], f32[]) ([1, 2],\n 0.5)"},
      {"after-all", "A token orders operations with effects; here there are none to wait for.",
       [](B* b) {
         Op t = AfterAll(b, {});
         Op u = AfterAll(b, {t, t});
         Op x = I(b, "x", 1);
         return AddDependency(x, u);
       },
       "s32[] 1"},
      {"add-dependency", "The value, once the token is there.",
       [](B* b) {
         Op x = I(b, "x", {1, 2}), t = AfterAll(b, {});
         return AddDependency(x, t);
       },
       "s32[2] [1, 2]"},
      {"domain", "Marks where a sharding changes; hands its operand on.",
       [](B* b) {
         return Domain(I(b, "x", {1, 2}), "{kind=\"sharding\", entry={replicated}, exit={maximal device=0}}");
       },
       "s32[2] [1, 2]"},
      {"call", "Step into it to see its instructions.",
       [](B* b) {
         Computation* f = Double(b);
         return Call(b, f, {I(b, "x", {1, 2})});
       },
       "s32[2] [2, 4]"},
      {"conditional", "Index 7 is past the branches: the last one runs.",
       [](B* b) {
         const Shape s = Shape::Scalar(S32);
         Computation* plus = b->Sub("plus", {s}, [](B*, Ops p) { return p[0] + 1; });
         Computation* minus = b->Sub("minus", {s}, [](B*, Ops p) { return p[0] - 1; });
         Op index = I(b, "index", 7), x = I(b, "x", 10), y = I(b, "y", 20);
         return Conditional(index, {plus, minus}, {x, y});
       },
       "s32[] 19"},
      {"while", "Adds a vector until the counter reaches 10: break in the body, and look at the state.",
       [](B* b) {
         const Shape state = Shape::Tuple({A(S32, {}), A(S32, {3})});
         Computation* condition = b->Sub("condition", {state}, [](B* c, Ops p) {
           Op i = GetTupleElement(p[0], 0);
           return Lt(i, I(c, "limit", 10));
         });
         Computation* body = b->Sub("body", {state}, [](B* c, Ops p) {
           Op i = GetTupleElement(p[0], 0), x = GetTupleElement(p[0], 1);
           Op next = i + 1, sum = x + I(c, "step", {1, 2, 3});
           return Tuple(c, {next, sum});
         });
         Op zero = I(b, "zero", 0);
         return While(condition, body, Tuple(b, {zero, Broadcast(zero, {3})}));
       },
       "(s32[], s32[3]) (10,\n [10, 20, 30])"},
      {"fusion", "A computation that was meant to be one kernel; to us it is a call.",
       [](B* b) {
         Computation* f = Double(b);
         return Fusion(b, {I(b, "x", {1, 2})}, "kLoop", f);
       },
       "s32[2] [2, 4]"},
      {"custom-call", "An annotation: it hands its operand on. Other targets come from a library: hloscope run FILE --custom-call LIB.so.",
       [](B* b) {
         return CustomCall(b, "Sharding", {I(b, "x", {1, 2})}, A(S32, {2}));
       },
       "s32[2] [1, 2]"},
      {"infeed", "Takes the next item of a queue and adds 1.", [](B* b) { return Infeed(b, A(F32, {2})) + 1; }, "", kQueue},
      {"outfeed", "Hands two numbers to the world outside.",
       [](B* b) {
         return Outfeed(I(b, "x", {1, 2}));
       },
       "token[] token"},
      {"async-start", "A call begun here and waited for later.",
       [](B* b) {
         Computation* f = Double(b);
         Op s = AsyncStart(b, {I(b, "x", {1, 2})}, f);
         return AsyncDone(s);
       },
       "s32[2] [2, 4]"},
      {"async-update", "A point in time between start and done.",
       [](B* b) {
         Computation* f = Double(b);
         Op s = AsyncStart(b, {I(b, "x", {1, 2})}, f);
         return AsyncDone(AsyncUpdate(s));
       },
       "s32[2] [2, 4]"},
      {"async-done", "Waits for the call and gives its result.",
       [](B* b) {
         Computation* f = Double(b);
         Op s = AsyncStart(b, {I(b, "x", {3, 4})}, f);
         return AsyncDone(s);
       },
       "s32[2] [6, 8]"},
      {"copy-start", "Begins a copy between memories: destination, source, context.",
       [](B* b) {
         return CopyDone(CopyStart(I(b, "x", {1, 2})));
       },
       "s32[2] [1, 2]"},
      {"copy-done", "Waits for the copy.",
       [](B* b) {
         return CopyDone(CopyStart(I(b, "x", {3, 4})));
       },
       "s32[2] [3, 4]"},
      {"all-gather", "In a group of one it is the identity; with N replicas the blocks stand one after the other.",
       [](B* b) {
         return AllGather(F(b, "x", {1, 2.5f}), 0, 1, kAlone);
       },
       "f32[2] [1, 2.5]"},
      {"all-gather-start", "Begins an all-gather.",
       [](B* b) {
         return AllGatherDone(AllGatherStart(F(b, "x", {1, 2.5f}), 0, 1, kAlone));
       },
       "f32[2] [1, 2.5]"},
      {"all-gather-done", "Waits for an all-gather.",
       [](B* b) {
         return AllGatherDone(AllGatherStart(F(b, "x", {3, 5.25f}), 0, 1, kAlone));
       },
       "f32[2] [3, 5.25]"},
      {"all-reduce", "The sum over the group's replicas; here the group has one.",
       [](B* b) {
         return CrossReplicaSum(F(b, "x", {1, 2.5f}), kAlone);
       },
       "f32[2] [1, 2.5]"},
      {"all-reduce-start", "Begins an all-reduce.",
       [](B* b) {
         Op x = F(b, "x", {1, 2.5f});
         return AllReduceDone(AllReduceStart(x, CreateScalarAddComputation(F32, b), kAlone));
       },
       "f32[2] [1, 2.5]"},
      {"all-reduce-done", "Waits for an all-reduce.",
       [](B* b) {
         Op x = F(b, "x", {3, 5.25f});
         return AllReduceDone(AllReduceStart(x, CreateScalarMaxComputation(F32, b), kAlone));
       },
       "f32[2] [3, 5.25]"},
      {"all-to-all", "Each replica sends block j to replica j; alone it keeps its one block.",
       [](B* b) {
         return AllToAll(F2(b, "x", {{1, 2}, {3, 4}}), 1, 0, 1, kAlone);
       },
       "f32[2,2] [[1, 2],\n [3, 4]]"},
      {"ragged-all-to-all", "Blocks of different sizes: two elements from place 1 go to place 0 of the output.",
       [](B* b) {
         Op x = F(b, "input", {1, 2, 3}), y = F(b, "output", {0, 0, 0, 0}), from = I(b, "input_offsets", {1}), n = I(b, "send_sizes", {2}),
            to = I(b, "output_offsets", {0}), r = I(b, "recv_sizes", {2});
         return RaggedAllToAll(x, y, from, n, to, r, kAlone);
       },
       "f32[4] [2, 3, 0, 0]"},
      {"collective-permute", "Replica 0 sends to itself; a replica that is no target gets zeros.",
       [](B* b) {
         const std::pair<int64_t, int64_t> self[] = {{0, 0}};
         return CollectivePermute(F(b, "x", {1, 2.5f}), self);
       },
       "f32[2] [1, 2.5]"},
      {"collective-permute-start", "Begins a collective-permute.",
       [](B* b) {
         const std::pair<int64_t, int64_t> self[] = {{0, 0}};
         return CollectivePermuteDone(CollectivePermuteStart(F(b, "x", {1, 2.5f}), self));
       },
       "f32[2] [1, 2.5]"},
      {"collective-permute-done", "Waits for a collective-permute; nobody sends here, so zeros arrive.",
       [](B* b) {
         return CollectivePermuteDone(CollectivePermuteStart(F(b, "x", {1, 2.5f}), {}));
       },
       "f32[2] [0, 0]"},
      {"collective-broadcast", "The first of the group sends to the others.",
       [](B* b) {
         return CollectiveBroadcast(F(b, "x", {1, 2.5f}), kAlone);
       },
       "f32[2] [1, 2.5]"},
      {"reduce-scatter", "An all-reduce of which each replica keeps its block; alone it keeps all.",
       [](B* b) {
         Op x = F(b, "x", {1, 2.25f});
         return ReduceScatter(x, CreateScalarAddComputation(F32, b), 0, 1, kAlone);
       },
       "f32[2] [1, 2.25]"},
      {"replica-id", "Which replica this is.", [](B* b) { return ReplicaId(b); }, "u32[] 0"},
      {"partition-id", "Which partition this is.", [](B* b) { return PartitionId(b); }, "u32[] 0"},
      {"send", "Receive, send, and wait for both: alone, a program can only send to itself.",
       [](B* b) {
         return ToItself(b, {1, 2});
       },
       "f32[2] [1, 2]"},
      {"send-done", "Waits until the value is on its way.",
       [](B* b) {
         return ToItself(b, {3, 4});
       },
       "f32[2] [3, 4]"},
      {"recv", "Asks for a value on channel 1, which is sent there further down.",
       [](B* b) {
         return ToItself(b, {5, 6});
       },
       "f32[2] [5, 6]"},
      {"recv-done", "The value that came on channel 1.",
       [](B* b) {
         return ToItself(b, {7, 8});
       },
       "f32[2] [7, 8]"},
  };
}

}  // namespace hloscope
