#include "core/debug/extract.h"

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/debug/ahead_together.h"
#include "core/debug/begin.h"
#include "core/debug/catch_commands.h"
#include "core/debug/catches.h"
#include "core/debug/compare_values.h"
#include "core/debug/devices.h"
#include "core/debug/file_words.h"
#include "core/debug/hand_sets.h"
#include "core/debug/program_inputs.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/exec/frame_history.h"
#include "core/ir/rewrite.h"
#include "core/ir/written_names.h"
#include "core/literal/npy.h"
#include "core/literal/relayout.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"
#include "core/ops/random_numbers.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

constexpr int64_t kLargestConstant = 32;  // elements; larger values go to the archive

// Its value depends on where in a run it stands, not on its operands alone.
bool IsRandom(const Instruction& i) { return DrawsRandomNumbers(i); }
bool IsHosted(const Instruction& i) { return Def(i).host != HostService::kNone; }

bool HasRandom(const Computation& c, absl::flat_hash_set<const Computation*>& seen) {
  if (!seen.insert(&c).second) return false;
  for (const Instruction* i : c.instructions) {
    if (IsRandom(*i) || IsHosted(*i)) return true;
    for (const Computation* called : i->CalledComputations()) {
      if (HasRandom(*called, seen)) return true;
    }
  }
  return false;
}

bool CallsRandom(const Instruction& i) {
  absl::flat_hash_set<const Computation*> seen;
  for (const Computation* called : i.CalledComputations()) {
    if (HasRandom(*called, seen)) return true;
  }
  return false;
}

bool IsDynamic(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() && shape.has_dynamic_dimension();
  return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), IsDynamic);
}

// What it gives depends on other devices, or on which one it runs.
bool IsExchanged(const Instruction& i) {
  if (ExchangeOf(i).role != ExchangeRole::kNone || CollectiveOf(i).collective != nullptr) return true;
  absl::flat_hash_set<const Computation*> seen;
  std::vector<const Computation*> todo;
  for (const Computation* called : i.CalledComputations()) todo.push_back(called);
  while (!todo.empty()) {
    const Computation& c = *todo.back();
    todo.pop_back();
    if (!seen.insert(&c).second) continue;
    for (const Instruction* inner : c.instructions) {
      if (ExchangeOf(*inner).role != ExchangeRole::kNone) return true;
      for (const Computation* called : inner->CalledComputations()) todo.push_back(called);
    }
  }
  return false;
}

// A part of a tuple that is cut off is given alone.
bool TakesElement(const Instruction& i) { return i.operands.size() == 1 && i.operands[0]->shape.IsTuple() && i.Has(AttrId::kIndex); }

int64_t Elements(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() ? shape.ElementCount() : 0;
  int64_t n = 0;
  for (const Shape& element : shape.tuple_shapes()) n += Elements(element);
  return n;
}

Value LeafOf(Value value, const std::vector<int64_t>& leaf) {
  for (int64_t k : leaf) {
    const Value element = value.elements()[k];
    value = element;
  }
  return value;
}

}  // namespace

absl::StatusOr<Extract> ExtractProgram(const Module& module, const Instruction& target, int64_t hops,
                                       const std::function<absl::StatusOr<Value>(const Instruction&)>& value, bool of_several,
                                       const absl::flat_hash_set<const Instruction*>& given) {
  Extract out;
  Rewrite rewrite;
  rewrite.name = absl::StrCat(module.name.empty() ? "program" : module.name, "_extract");
  rewrite.entry = target.parent;
  rewrite.root = &target;
  if (target.parameter_number >= 0) return absl::InvalidArgumentError(absl::StrCat(ShownName(target), " is a parameter: no instruction makes it; save writes its value"));
  const bool between_devices = of_several && IsExchanged(target) && !target.Bool(AttrId::kIsHostTransfer);
  if (IsHosted(target) && !between_devices) return absl::InvalidArgumentError(absl::StrCat(ShownName(target), " is a transfer with the host, which cannot be cut out"));
  if (between_devices) {
    return absl::InvalidArgumentError(absl::StrCat(ShownName(target), " (", Name(target.opcode), ") gives what it does only among all devices of this run, and a program for one is cut out; extract what it reads, or what reads it, "
                                                   "for which its value is given"));
  }
  if (IsRandom(target)) out.notes.push_back(absl::StrCat(ShownName(target), " makes random numbers, which depend on the place in a run: this program gives others"));

  // Hops from the target, walking back; what is cut off is an input.
  absl::flat_hash_map<const Instruction*, int64_t> distance = {{&target, 0}};
  absl::flat_hash_map<const Instruction*, Value> values;  // of what is cut off
  const std::vector<Instruction*>& schedule = target.parent->schedule;
  for (int p = target.index; p >= 0; --p) {
    const Instruction& i = *schedule[p];
    const auto found = distance.find(&i);
    if (found == distance.end()) continue;
    const int64_t far = found->second;
    const bool constant = i.literal != nullptr && i.literal->value.has_value() && !i.literal->elided && Elements(i.shape) <= kLargestConstant;
    const bool outside = hops >= 0 && far > hops && !constant;
    const auto is_given = [&](const Instruction& x) {
      return x.parameter_number >= 0 || (x.literal != nullptr && !constant) || (&x != &target && (IsRandom(x) || IsHosted(x) || CallsRandom(x) || (of_several && IsExchanged(x))));
    };
    const bool forced = is_given(i) || (&i != &target && (given.contains(&i) || (TakesElement(i) && is_given(*i.operands[0]))));
    // A size that is known only at run time cannot be given: such a value is made again.
    if (forced || (outside && !IsDynamic(i.shape))) {
      absl::StatusOr<Value> made = value(i);
      if (made.ok()) {
        values.emplace(&i, *std::move(made));
        if (&i != &target && (IsRandom(i) || CallsRandom(i)))
          out.notes.push_back(absl::StrCat(ShownName(i),
                                           IsRandom(i)
                                               ? " makes random numbers, which would be others: its value is given"
                                               : " takes random numbers or what is fed inside, which would be others: its value is given"));
        continue;
      }
      // What the run has not come to is made by the program that is written, from what there is.
      constexpr char kWritten[] = "what has not been executed yet has no value to give, so it is written too";
      if (out.notes.empty() || out.notes.back() != kWritten) out.notes.push_back(kWritten);
      if (i.operands.empty() || is_given(i)) return absl::Status(made.status().code(), absl::StrCat("the value of ", ShownName(i), " is needed: ", made.status().message()));
    }
    ++out.kept;
    if (&i != &target && CallsRandom(i)) out.notes.push_back(absl::StrCat(ShownName(i), " makes random numbers inside, which will be others"));
    for (const Instruction* operand : i.operands) {
      const auto [entry, fresh] = distance.try_emplace(operand, far + 1);
      if (!fresh) entry->second = std::min(entry->second, far + 1);
    }
  }
  if (CallsRandom(target)) out.notes.push_back(absl::StrCat(ShownName(target), " makes random numbers inside, which will be others"));
  for (const auto& [i, made] : values) {
    if (Elements(i->shape) <= kLargestConstant && !IsDynamic(i->shape)) {
      rewrite.constants.emplace(i, made);
    } else {
      rewrite.inputs.insert(i);
    }
  }
  absl::StatusOr<Rewritten> rewritten = RewriteModule(module, rewrite);
  if (!rewritten.ok()) return rewritten.status();
  DiagnosticSink sink;
  Verify(*rewritten->module, sink);
  if (sink.error_count() > 0) return absl::InternalError(absl::StrCat("what was cut out is no valid program: ", sink.diagnostics().front().message));
  for (const RewrittenInput& input : rewritten->inputs) out.parameters.push_back(LeafOf(values.at(input.original), input.leaf));
  out.module = std::move(rewritten->module);
  return out;
}

absl::Status WriteProgram(const Module& module, absl::Span<const Value> parameters, const std::string& path, std::string* archive) {
  archive->clear();
  std::ofstream file(path, std::ios::binary);
  file << PrintHloText(module);
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  if (parameters.empty()) return absl::OkStatus();
  *archive = absl::StrCat(absl::StripSuffix(absl::StripSuffix(path, ".hlo"), ".txt"), ".npz");
  absl::StatusOr<std::unique_ptr<NpzWriter>> writer = NpzWriter::Create(*archive);
  if (!writer.ok()) return writer.status();
  for (size_t k = 0; k < parameters.size(); ++k) {
    // A name that belongs to no other parameter's: numbers do, unless a parameter is called like one.
    const Value dense = ToDense(parameters[k]);
    const absl::Status added = (*writer)->Add(module.entry->parameters[k]->name, dense);
    if (!added.ok()) return added;
  }
  return (*writer)->Close();
}

std::string ShellWord(absl::string_view word) {
  const auto plain = [](char c) { return absl::ascii_isalnum(c) || absl::StrContains("_-./=:,@%+", absl::string_view(&c, 1)); };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

std::string RunArguments(const std::string& archive, absl::string_view backend, const SessionOptions& options) {
  std::string text;
  if (!archive.empty()) absl::StrAppend(&text, " --inputs ", ShellWord(archive));
  if (backend != "jit") absl::StrAppend(&text, " --backend ", backend);
  if (options.fill.kind != Fill::kRandom || options.fill.seed != 0) absl::StrAppend(&text, " --fill ", ToText(options.fill));
  if (options.max_iterations > 0) absl::StrAppend(&text, " --max-iterations ", options.max_iterations);
  for (const std::string& library : options.custom_call_libraries) absl::StrAppend(&text, " --custom-call ", ShellWord(library));
  return text;
}

namespace {

struct Wanted {
  std::string path;
  absl::string_view name;  // empty: where the program stands
  int64_t hops = 0;
};

absl::StatusOr<Wanted> ParseExtract(absl::string_view args) {
  Wanted wanted;
  if (absl::StartsWith(absl::StripAsciiWhitespace(args), "\"")) {
    absl::StatusOr<std::string> file = TakeFile(args);
    if (!file.ok()) return file.status();
    wanted.path = *std::move(file);
  }
  for (absl::string_view word = TakeWord(args); !word.empty(); word = TakeWord(args)) {
    if (word == "/slice") {
      wanted.hops = -1;
    } else if (absl::StartsWith("/neighbourhood", word) && word.size() > 1) {
      const absl::StatusOr<int64_t> hops = ParseCount(TakeWord(args), -1);
      if (!hops.ok() || *hops < 0) return absl::InvalidArgumentError("/neighbourhood takes a number of hops");
      wanted.hops = *hops;
    } else if (absl::StartsWith(word, "/") && wanted.path.size() > 0) {
      return absl::InvalidArgumentError(absl::StrCat("extract has no option ", word, "; it has /neighbourhood N and /slice"));
    } else if (wanted.path.empty()) {
      wanted.path = std::string(word);
    } else if (wanted.name.empty()) {
      wanted.name = word;
    } else {
      return absl::InvalidArgumentError(absl::StrCat("extract takes one file and one instruction, and '", word, "' is left over"));
    }
  }
  if (absl::StartsWith(wanted.path, "%")) return absl::InvalidArgumentError(absl::StrCat("the file comes first, as: extract small.hlo ", wanted.path));
  if (wanted.path.empty()) return absl::InvalidArgumentError("extract takes a file to write, as: extract small.hlo %x /slice");
  if (absl::EndsWith(wanted.path, ".mlir")) {
    return absl::InvalidArgumentError(
        absl::StrCat("what is cut out is written as HLO text, also of StableHLO, which is read but not written: name it ",
                     absl::StripSuffix(wanted.path, ".mlir"), ".hlo"));
  }
  return wanted;
}

// What the program that was cut out gives.
absl::StatusOr<Value> RunAgain(Session::State& s, const Extract& extract) {
  MachineOptions options;
  options.memory_limit = s.options.memory_limit;
  options.max_iterations = s.options.max_iterations;
  options.seed = s.options.fill.seed;
  options.fill = s.options.fill;
  if (s.inputs != nullptr) options.custom_calls = &s.inputs->custom_calls();
  AllowParallel(s, options);
  Machine machine(*extract.module, *s.backend, std::move(options));
  const absl::Status started = machine.Start(extract.parameters);
  if (!started.ok()) return started;
  if (machine.Run() != StopReason::kFinished) return machine.status();
  return machine.result();
}

// Any NaN is NaN: which one it is may depend on how instructions were fused.
bool SameNumbers(const Value& a, const Value& b) {
  if (!Shape::Compatible(a.shape(), b.shape())) return false;
  if (a.shape().IsTuple()) return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(), b.elements().end(), SameNumbers);
  return !a.shape().IsArray() || CompareArrays(a, b, Budget()).other_bits == 0;
}

}  // namespace

// Of what was set by hand in the frame of the target, what cannot be computed in a program of its own.
struct SetInFrame {
  absl::flat_hash_set<const Instruction*> given;
  absl::flat_hash_map<const Instruction*, Value> read;  // by the target, where that is not the value's present one
  std::string note;                                     // the target itself
};
SetInFrame FindSetInFrame(Session::State& s, int depth, const Instruction& target) {
  SetInFrame found;
  absl::flat_hash_map<const Instruction*, int> read_from;  // by what was set: who reads it as it is now
  for (const HandSet& set : SetsOfFrame(s, depth)) {
    const Instruction* i = target.parent->FindInstruction(set.instruction);
    if (i != nullptr) read_from[i] = std::max(read_from[i], ReadFrom(set));
  }
  FrameHistory history(*s.machine, int64_t{1} << 28);
  for (const Instruction* i : target.parent->schedule) {
    bool given = read_from.contains(i);
    for (const Instruction* operand : i->operands) {
      const auto set = read_from.find(operand);
      if (set == read_from.end() || i->index >= set->second) continue;
      given = true;
      if (i != &target) continue;
      Value before = history.Before(depth, *operand, i->index);
      if (before.has_value()) found.read.emplace(operand, std::move(before));
    }
    const bool inside = !i->CalledComputations().empty() && !SetsOfFrame(s, depth, i).empty();
    if (given || inside) found.given.insert(i);
    if (i != &target) continue;
    if (read_from.contains(i)) found.note = absl::StrCat(ShownName(*i), " was set by hand; this program computes it");
    if (inside) found.note = absl::StrCat("something was set by hand inside of ", ShownName(*i), ", which this program does without");
  }
  return found;
}

absl::Status CommandExtract(Session::State& s, absl::string_view args) {
  if (absl::string_view what, moment; SplitMoment(args, &what, &moment)) {
    const absl::StatusOr<Wanted> wanted = ParseExtract(what);
    if (!wanted.ok()) return wanted.status();
    if (wanted->name.empty()) return absl::InvalidArgumentError("name an instruction before @, as: extract small.hlo %x @ iteration 17");
    const AheadTogether together(s);
    const absl::StatusOr<Mark> one = ParseMoment(s, moment, wanted->name);
    if (!one.ok()) return one.status();
    const std::string text(what);
    return LookBack(s, moment, wanted->name, [&](absl::string_view) { return CommandExtract(s, text); });
  }
  absl::StatusOr<Wanted> wanted = ParseExtract(args);
  if (!wanted.ok()) return wanted.status();
  wanted->path = FileOfRun(s, wanted->path);
  const absl::Status running = s.NeedFrames();
  if (!running.ok()) return running;
  int depth = s.selected;
  const Instruction* target = nullptr;
  const Frame& selected = *s.frame();
  if (wanted->name == "$result" || (wanted->name.empty() && selected.position >= static_cast<int>(selected.computation->schedule.size()))) {
    if (!wanted->name.empty()) depth = 0;
    target = s.machine->frames()[depth].computation->root;
  } else if (wanted->name.empty()) {
    // After a catch it is what was caught, which stands behind the program.
    const Caught* caught = depth + 1 == static_cast<int>(s.machine->frames().size()) ? CaughtHere(s) : nullptr;
    const absl::StatusOr<const Instruction*> here = s.FindInstruction("");
    if (!here.ok()) return here.status();
    target = caught != nullptr && caught->instruction->parent == selected.computation ? caught->instruction : *here;
  } else {
    const absl::StatusOr<std::pair<int, const Instruction*>> found = s.FindValue(absl::StripPrefix(wanted->name, "%"));
    if (!found.ok()) return found.status();
    depth = found->first;
    target = found->second;
  }
  const SetInFrame set = FindSetInFrame(s, depth, *target);
  absl::StatusOr<Extract> extract =
      ExtractProgram(*s.module, *target, wanted->hops, [&](const Instruction& i) -> absl::StatusOr<Value> {
        if (const auto read = set.read.find(&i); read != set.read.end()) return read->second;
        if (set.given.contains(&i)) return s.machine->ValueOf(depth, i.index);
        if (i.literal != nullptr) {
          const absl::Status filled = i.literal->value.has_value() ? absl::OkStatus() : FillElidedConstant(i, s.options.fill, nullptr);
          if (!filled.ok()) return filled;
          return i.literal->value;
        }
        return s.machine->ValueOf(depth, i.index);
      }, Several(s), set.given);
  if (!extract.ok()) return extract.status();
  if (!set.note.empty()) extract->notes.push_back(set.note);
  std::string archive;
  const absl::Status written = WriteProgram(*extract->module, extract->parameters, wanted->path, &archive);
  if (!written.ok()) return written;
  s.Say("Wrote ", ShownName(*target), wanted->hops == 0 ? " alone" : absl::StrCat(" with ", Count(extract->kept - 1, "instruction"), " before it"), " to ", wanted->path);
  if (!archive.empty()) {
    int64_t bytes = 0;
    for (const Value& value : extract->parameters) bytes += value.byte_size();
    s.Say(", ", Count(static_cast<int64_t>(extract->parameters.size()), "value"), " (", FormatByteCount(bytes), ") to ", archive);
  }
  s.Say(".\n");
  for (const std::string& note : extract->notes) s.Say("note: ", note, "\n");
  const absl::StatusOr<Value> again = RunAgain(s, *extract);
  const absl::StatusOr<Value> before = target->index < s.machine->frames()[depth].position ? s.machine->ValueOf(depth, target->index) : absl::UnavailableError("");
  if (!again.ok()) {
    s.Say("It stops with an error", again.status().message() == s.machine->status().message() ? ", the same" : "", ": ", again.status().message(), "\n");
  } else if (before.ok()) {
    s.Say(Value::BitEqual(*again, *before) ? "It gives the same value, bit for bit.\n"
          : SameNumbers(*again, *before)   ? "It gives the same value, bit for bit but for the sign or payload of NaNs.\n"
                                           : "WARNING: it gives another value than the program did.\n");
  }
  s.Say("run it:   hloscope run ", ShellWord(wanted->path), RunArguments(archive, s.backend->name(), s.options), "\n");
  return absl::OkStatus();
}

}  // namespace hloscope
