// What the builder proposes: first values for required attributes, words to choose from, and literals made up, typed in a table or read
// from files.
#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/literal/npy.h"
#include "core/ops/op.h"
#include "core/text/hlo_text.h"
#include "core/text/literal_text.h"
#include "core/text/mlir/mlir.h"
#include "visualizer/model/build_edit.h"

namespace hloscope::build {
namespace {

std::string Braces(const std::vector<int64_t>& list) { return absl::StrCat("{", absl::StrJoin(list, ","), "}"); }

std::vector<int64_t> Range(int from, int to) {
  std::vector<int64_t> list;
  for (int k = from; k < to; ++k) list.push_back(k);
  return list;
}

std::string Repeat(const std::string& part, int times) {
  std::vector<std::string> parts(std::max(0, times), part);
  return absl::StrJoin(parts, "x");
}

// dim_labels of an array of this rank, features last.
std::string DimLabelsOf(int rank) {
  std::string space;
  for (int k = 0; k + 2 < rank; ++k) absl::StrAppend(&space, k);
  return absl::StrCat("b", space, "f_", space, "io->b", space, "f");
}

// How a gather or scatter by these indices takes one window for each of them: an index vector names the first dimensions of the operand, each a
// single place, and the others are taken whole.
struct Indexed {
  int64_t named = 1, batch = 0, vector_dim = 0;  // dimensions that a vector names, dimensions of the indices beside it, and where it lies
};
Indexed IndexedBy(const Shape& operand, const Shape& indices) {
  const int64_t rank = indices.rank(), last = rank > 0 ? indices.dim(static_cast<int>(rank) - 1) : 0;
  if (rank > 1 && last >= 1 && last <= operand.rank()) return {last, rank - 1, rank - 1};
  return {1, rank, rank};  // each element is an index
}

// First values to try, the likely ones first; `operands` are the shapes of the operands.
std::vector<std::string> Proposals(const Reading& reading, const Computation& computation, const AttrInfo& info, const std::vector<Shape>& operands) {
  const auto shape_of = [&](size_t k) { return k < operands.size() ? operands[k] : Shape::Scalar(ElementType::kF32); };
  const Shape first = absl::StartsWith(info.name, "rhs_") ? shape_of(1) : shape_of(0);
  const int rank = first.IsArray() ? first.rank() : 0;
  std::vector<std::string> proposals = ChoicesOf(info.name);
  const auto add = [&proposals](std::string text) {
    if (std::find(proposals.begin(), proposals.end(), text) == proposals.end()) proposals.push_back(std::move(text));
  };
  std::optional<Indexed> indexed;
  if (operands.size() > 1 && rank > 0 && shape_of(1).IsArray() && IsInteger(shape_of(1).element_type())) indexed = IndexedBy(first, shape_of(1));
  switch (info.kind) {
    case AttrKind::Ints: {
      if (indexed.has_value()) {
        const auto named = static_cast<int>(indexed->named), batch = static_cast<int>(indexed->batch);
        static const auto& of_named = *new std::set<absl::string_view>{"collapsed_slice_dims", "start_index_map", "inserted_window_dims", "scatter_dims_to_operand_dims"};
        if (of_named.contains(info.name)) add(Braces(Range(0, named)));
        if (info.name == "offset_dims" || info.name == "update_window_dims") add(Braces(Range(batch, batch + rank - named)));
        if (info.name == "slice_sizes") {
          std::vector<int64_t> sizes(named, 1);
          for (int k = named; k < rank; ++k) sizes.push_back(first.dim(k));
          add(Braces(sizes));
        }
      }
      if (absl::StrContains(info.name, "size")) {
        std::vector<int64_t> sizes;
        for (int k = 0; k < rank; ++k) sizes.push_back(first.dim(k));
        add(Braces(sizes));
        if (!sizes.empty()) sizes[0] = 1;
        add(Braces(sizes));
      }
      if (absl::StrContains(info.name, "length") && rank > 0) add(Braces({first.dim(rank - 1)}));
      if (absl::StrContains(info.name, "batch")) add("{}");
      if (absl::StartsWith(info.name, "rhs_") && rank > 0) add(Braces({0}));
      if (rank > 0) add(Braces({rank - 1}));
      std::vector<int64_t> reversed = Range(0, rank);
      std::reverse(reversed.begin(), reversed.end());
      add(Braces(reversed));
      add(Braces(Range(0, rank)));
      add(Braces({0}));
      add("{}");
      for (int k = 1; k < rank; ++k) add(Braces(Range(0, k)));
      break;
    }
    case AttrKind::Int:
      if (info.name == "exponent_bits") add("8");
      if (info.name == "mantissa_bits") add("7");
      if (absl::StrContains(info.name, "index_vector") && indexed.has_value()) add(absl::StrCat(indexed->vector_dim));
      if (absl::StrContains(info.name, "index_vector") && operands.size() > 1) add(absl::StrCat(shape_of(1).rank() - 1));
      add("0");
      add("1");
      if (rank > 0) add(absl::StrCat(rank - 1));
      break;
    case AttrKind::Float: add("0.001"); break;
    case AttrKind::Bool:
      add("false");
      add("true");
      break;
    case AttrKind::Computation:
    case AttrKind::Computations:
      if (reading.module != nullptr) {
        std::vector<const Computation*> sorted(reading.module->computations.begin(), reading.module->computations.end());
        std::stable_sort(sorted.begin(), sorted.end(), [](const Computation* a, const Computation* b) { return a->instructions.size() < b->instructions.size(); });
        for (const Computation* c : sorted) {
          if (c != &computation && !c->is_entry && !c->name.empty() && proposals.size() < 24) add(info.kind == AttrKind::Computation ? std::string(c->name) : absl::StrCat("{", c->name, "}"));
        }
      }
      break;
    case AttrKind::Window: {
      const Shape kernel = shape_of(1);
      if (operands.size() > 1 && kernel.IsArray() && kernel.rank() == rank && rank > 2) {
        std::vector<std::string> sizes;
        for (int k = 0; k + 2 < rank; ++k) sizes.push_back(absl::StrCat(kernel.dim(k)));
        add(absl::StrCat("{size=", absl::StrJoin(sizes, "x"), "}"));
      }
      add(absl::StrCat("{size=", rank > 0 ? Repeat("2", rank) : "1", "}"));
      add(absl::StrCat("{size=", rank > 0 ? Repeat("1", rank) : "1", "}"));
      break;
    }
    case AttrKind::DimLabels: add(DimLabelsOf(rank)); break;
    case AttrKind::Padding: add(rank > 0 ? Repeat("0_0", rank) : "0_0"); break;
    case AttrKind::Slices: {
      std::vector<std::string> parts;
      for (int k = 0; k < rank; ++k) parts.push_back(absl::StrCat("[0:", first.dim(k), "]"));
      add(absl::StrCat("{", absl::StrJoin(parts, ", "), "}"));
      break;
    }
    case AttrKind::Pairs: add("{{0,0}}"); break;
    case AttrKind::String: add("\"name\""); break;
    case AttrKind::Word: break;
    case AttrKind::Raw: add("{}"); break;
  }
  return proposals;
}

bool Acceptable(const Verdict& verdict) {
  if (verdict.ok) return true;
  return std::all_of(verdict.findings.begin(), verdict.findings.end(), [](const Finding& f) { return f.severity != Severity::kError || f.label == "verify.shape-needed"; });
}

}  // namespace

bool IsHloText(absl::string_view text) { return !mlir::LooksLikeMlir(text.substr(0, 1 << 16)); }

std::string NewProgramText() { return "HloModule untitled\n\nENTRY main {\n}\n"; }

std::vector<std::string> ChoicesOf(absl::string_view attribute) {
  static const auto& choices = *new std::map<std::string, std::vector<std::string>, std::less<>>{
      {"direction", {"LT", "LE", "GT", "GE", "EQ", "NE"}},
      {"type", {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
      {"fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}},
      {"distribution", {"rng_uniform", "rng_normal"}},
      {"algorithm", {"rng_default", "rng_three_fry", "rng_philox"}},
      {"transpose_a", {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
      {"kind", {"kLoop", "kInput", "kOutput", "kCustom"}},
  };
  const auto it = choices.find(std::string(attribute));
  return it != choices.end() ? it->second : std::vector<std::string>();
}

std::string ExampleOf(absl::string_view attribute) {
  switch (Info(AttrIdFromName(attribute)).kind) {
    case AttrKind::Int: return "0";
    case AttrKind::Float: return "0.001";
    case AttrKind::Bool: return "true";
    case AttrKind::String: return "\"text\"";
    case AttrKind::Word: return ChoicesOf(attribute).empty() ? "WORD" : ChoicesOf(attribute).front();
    case AttrKind::Ints: return "{0,1}";
    case AttrKind::Computation: return "a computation";
    case AttrKind::Computations: return "{a, b}";
    case AttrKind::Window: return "{size=3x3 stride=2x2 pad=1_1x1_1}";
    case AttrKind::DimLabels: return "b01f_01io->b01f";
    case AttrKind::Padding: return "low_high_interior, x between dimensions: 0_1x2_2";
    case AttrKind::Slices: return "{[0:4], [1:8:2]}";
    case AttrKind::Pairs: return "{{0,1},{1,0}}";
    case AttrKind::Raw: return "{...}";
  }
  return "";
}

void Suggest(const Reading& reading, const Computation& computation, Draft* draft, const Instruction* self) {
  const std::optional<Opcode> opcode = OpcodeFromName(draft->opcode);
  if (!opcode.has_value() || reading.module == nullptr) return;
  std::vector<Shape> operands;
  for (const std::string& operand : draft->operands) {
    const Instruction* found = computation.FindInstruction(operand);
    operands.push_back(found != nullptr ? found->shape : Shape::Scalar(ElementType::kF32));
  }
  struct Open {
    std::string name;
    std::vector<std::string> proposals;
  };
  std::vector<Open> open;
  for (const AttrSpec& spec : Def(*opcode).attributes) {
    const AttrInfo& info = Info(spec.id);
    // A dot without contracted dimensions is an outer product, a window of no dimensions goes over a scalar, a gathered slice that keeps its
    // dimensions of one is clumsy: seldom meant.
    const bool wanted = spec.required || info.name == "collapsed_slice_dims" || info.name == "inserted_window_dims" || absl::StrContains(info.name, "contracting") || info.kind == AttrKind::Window || info.kind == AttrKind::DimLabels;
    if (!wanted || draft->Find(info.name) != nullptr) continue;
    std::vector<std::string> proposals = Proposals(reading, computation, info, operands);
    if (!proposals.empty()) open.push_back({std::string(info.name), std::move(proposals)});
  }
  Draft best = *draft;
  for (const Open& o : open) best.Set(o.name, o.proposals.front());
  // All of them together, the last one turning fastest, until the verifier is content.
  std::vector<size_t> at(open.size(), 0);
  for (int tries = 0; tries < 300 && !open.empty(); ++tries) {
    Draft trial = *draft;
    for (size_t k = 0; k < open.size(); ++k) trial.Set(open[k].name, open[k].proposals[at[k]]);
    if (Acceptable(Check(reading, computation, trial, self))) {
      best = std::move(trial);
      break;
    }
    size_t k = open.size();
    while (k > 0 && ++at[k - 1] == open[k - 1].proposals.size()) at[--k] = 0;
    if (k == 0) break;
  }
  if (best.shape.empty() && Check(reading, computation, best, self).shape_needed) {
    best.shape = !operands.empty() && operands.front().IsArray() ? operands.front().ToString(false) : "f32[4]";
  }
  *draft = std::move(best);
}

std::string LiteralText(absl::Span<const int64_t> dimensions, const std::vector<std::string>& elements) {
  if (dimensions.empty()) return elements.empty() ? "0" : elements.front();
  size_t next = 0;
  std::string out;
  const auto write = [&](auto& self, size_t depth) -> void {
    if (depth == dimensions.size()) {
      out += next < elements.size() ? elements[next] : "0";
      ++next;
      return;
    }
    out += '{';
    for (int64_t k = 0; k < dimensions[depth]; ++k) {
      if (k > 0) out += ", ";
      self(self, depth + 1);
    }
    out += '}';
  };
  write(write, 0);
  return out;
}

std::vector<std::string> ElementTexts(const Value& value) {
  std::vector<std::string> texts;
  if (!value.has_value() || !value.shape().IsArray() || !value.IsDense()) return texts;
  const int size = StorageBytes(value.shape().element_type());
  for (int64_t k = 0; k < value.element_count(); ++k) AppendElement(value.shape().element_type(), value.data() + k * size, true, &texts.emplace_back());
  return texts;
}

absl::StatusOr<std::string> MadeUpLiteral(const Shape& shape, absl::string_view how) {
  if (!shape.IsArray()) return absl::InvalidArgumentError(absl::StrCat("values of ", shape.ToString(false), " cannot be made up; arrays can"));
  constexpr int64_t kMost = 1 << 20;
  if (shape.ElementCount() > kMost) return absl::OutOfRangeError(absl::StrCat(shape.ToString(false), " is too large for a literal: write a parameter, and give it a file"));
  int64_t seed = 0;
  const bool random = absl::StartsWith(how, "random");
  if (how.size() > 7 && random && !absl::SimpleAtoi(how.substr(7), &seed)) return absl::InvalidArgumentError("random takes a number: random:1");
  if (!random && how != "zeros" && how != "ones" && how != "iota") return absl::InvalidArgumentError(absl::StrCat("'", how, "': zeros, ones, iota, random or random:SEED"));
  std::mt19937_64 generator(static_cast<uint64_t>(seed) + 1);
  const ElementType type = shape.element_type();
  const auto number = [&](int64_t k) -> std::string {
    if (how == "zeros" || how == "ones") return how == "ones" ? "1" : "0";
    if (how == "iota") return absl::StrCat(type == ElementType::kPred ? k % 2 : IsInteger(type) && BitWidth(type) < 32 ? k % (int64_t{1} << (BitWidth(type) - 1)) : k);
    if (type == ElementType::kPred) return absl::StrCat(generator() % 2);
    if (IsInteger(type)) return absl::StrCat(generator() % (BitWidth(type) < 8 ? uint64_t{1} << (BitWidth(type) - 1) : uint64_t{10}));
    return absl::StrFormat("%.4g", static_cast<double>(generator() >> 11) / 4503599627370496.0 - 1.0);
  };
  std::vector<std::string> elements;
  for (int64_t k = 0; k < shape.ElementCount(); ++k) {
    elements.push_back(IsComplex(type) ? absl::StrCat("(", number(k), ", ", random ? number(k) : "0", ")") : number(k));
  }
  return LiteralText(shape.dimensions(), elements);
}

absl::StatusOr<std::string> LiteralFromFile(const std::string& path, std::string* shape) {
  absl::StatusOr<Value> value = absl::UnknownError("");
  if (shape->empty()) {
    value = ReadNpy(path);
  } else {
    const absl::StatusOr<Shape> wanted = ParseShape(*shape);
    if (!wanted.ok()) return wanted.status();
    value = ReadNpy(path, &*wanted);
  }
  if (!value.ok()) return value.status();
  if (value->element_count() > (1 << 20)) return absl::OutOfRangeError(absl::StrCat(path, " has ", value->element_count(), " elements, too many for a literal: write a parameter, and give it the file"));
  *shape = value->shape().ToString(false);
  return PrintLiteral(*value);
}

}  // namespace hloscope::build
