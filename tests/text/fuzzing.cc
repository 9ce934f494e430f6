#include "tests/text/fuzzing.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

const char* const kTokens[] = {
    "{", "}", "(", ")", "[", "]", ",", "=", "\"", ":", "%", "/*", "*/", "//", "\n", " ", "->", "...", "{...}", "ROOT ", "ENTRY ", "HloModule ",
    "f32[]", "f32[2]{0}", "bf16[2,3]{1,0:T(8,128)}", "(f32[], s32[])", "token[]", "pred[0]", "f32[<=2,?]", "f32[9223372036854775807,9]", "s4[", "nan",
    "-inf", "nan(0x1)", "0x", "-0", "1e400", "true", "9223372036854775808", "-1", "add(", "constant(", "parameter(", "custom-call-start(", "tuple()",
    "metadata={op_name=\"a\"}", "dimensions={0,1}", "to_apply=", "calls=", "window={size=1x2 pad=0_1x1_0}", "dim_labels=b0f_0io->b0f", "slice={[0:1:2]}",
    "padding=1_2_3", "source_target_pairs={{0,1}}", "control-predecessors={a}", "sharding={", "backend_config=", "frontend_attributes={a=\"b\"}",
    "FileNames\n1 \"a\"\n", "StackFrames\n1 {file_location_id=1}\n", "execution_thread=\"x\"", "\xef\xbb\xbf", "\xff", "\\", "\\\""};

void AddToHash(uint64_t* hash, absl::string_view text) {
  for (char c : text) *hash = (*hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
}

std::string CheckModule(const Module& module) {
  for (const Computation* c : module.computations) {
    if (c->module != &module) return "a computation of another module";
    for (const Instruction* i : c->instructions) {
      if (i->parent != c) return absl::StrCat("instruction ", i->name, " has another parent");
      if (i->operands.size() != i->operand_ranges.size()) return absl::StrCat("operand ranges of ", i->name);
      for (const Instruction* operand : i->operands) {
        if (operand == nullptr) return absl::StrCat("a null operand of ", i->name);
      }
      for (const Attribute& a : i->attributes) {
        if (auto* one = std::get_if<Computation*>(&a.value); one != nullptr && *one == nullptr) return absl::StrCat("a null computation of ", i->name);
      }
    }
  }
  return "";
}

}  // namespace

std::string CheckHloText(const std::string& text, HloTextReport* report) {
  auto source = std::make_shared<SourceText>("fuzz", text);
  DiagnosticSink sink;
  auto module = ReadHloText(source, sink);
  if (module == nullptr) return "no module";
  uint64_t hash = 14695981039346656037u;
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.range.begin < 0 || d.range.begin > d.range.end || d.range.end > static_cast<int32_t>(text.size())) {
      return absl::StrCat("the place of [", d.label, "] is outside the text: ", d.range.begin, "..", d.range.end);
    }
    AddToHash(&hash, d.label);
  }
  if (std::string problem = CheckModule(*module); !problem.empty()) return problem;
  auto printed = std::make_shared<SourceText>("printed", PrintHloText(*module));
  if (sink.error_count() == 0) hash ^= printed->text().size();
  const bool clean = sink.error_count() == 0;
  if (report != nullptr) *report = {hash, clean};
  DiagnosticSink again_sink;
  auto again = ReadHloText(printed, again_sink);
  if (!clean) {
    Verify(*module, sink);  // must come back, whatever is missing
    return "";
  }
  for (const Diagnostic& d : again_sink.diagnostics()) {
    if (d.severity == Severity::kError) return absl::StrCat("what was printed cannot be read:\n", Render(d, *printed));
  }
  std::string why;
  if (!ModulesEqual(*module, *again, &why)) return absl::StrCat("what was printed reads back different: ", why);
  return "";
}

HloTextFuzzer::HloTextFuzzer(std::vector<std::string> seeds, uint64_t random_seed) : clean_(std::move(seeds)), random_(random_seed) {
  if (clean_.empty()) clean_.push_back("e { a = f32[] parameter(0) }");
}

const std::string& HloTextFuzzer::SomeText() {
  if (damaged_.empty() || Below(3) != 0) return clean_[Below(clean_.size())];
  return damaged_[Below(damaged_.size())];
}

std::string HloTextFuzzer::SomeLine() {
  const std::string& text = SomeText();
  size_t begin = text.rfind('\n', Below(text.size()));
  begin = begin == std::string::npos ? 0 : begin + 1;
  size_t end = text.find('\n', begin);
  return text.substr(begin, end == std::string::npos ? end : end - begin + 1);
}

void HloTextFuzzer::Mutate(std::string& text) {
  const size_t at = Below(text.size() + 1);
  const size_t length = std::min(Below(1 + (Below(4) == 0 ? 200 : 8)), text.size() - at);
  switch (Below(11)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random_());
      return;
    case 1: text.erase(at, length); return;
    case 2: text.insert(at, kTokens[Below(std::size(kTokens))]); return;
    case 3: text.replace(at, length, kTokens[Below(std::size(kTokens))]); return;
    case 4: text.insert(at, text.substr(at, length)); return;
    case 5: text.insert(at, SomeLine()); return;
    case 6: {  // a whole line away
      size_t begin = text.rfind('\n', at);
      size_t end = text.find('\n', at);
      if (begin != std::string::npos && end != std::string::npos && begin < end) text.erase(begin, end - begin);
      return;
    }
    case 7: {  // a line in at a line's beginning
      size_t begin = text.find('\n', at);
      text.insert(begin == std::string::npos ? text.size() : begin + 1, SomeLine());
      return;
    }
    case 8: {  // another number
      size_t digit = text.find_first_of("0123456789", at);
      if (digit == std::string::npos) return;
      size_t end = text.find_first_not_of("0123456789", digit);
      static const char* const kNumbers[] = {"0", "1", "2", "-1", "7", "255", "65536", "2147483648", "9223372036854775807", "9223372036854775808", "1e9", "0x1f"};
      text.replace(digit, (end == std::string::npos ? text.size() : end) - digit, kNumbers[Below(std::size(kNumbers))]);
      return;
    }
    case 9: {  // the tail of another text
      const std::string& other = SomeText();
      text = text.substr(0, at) + other.substr(Below(other.size() + 1));
      return;
    }
    default: {  // the same thing many times
      std::string piece = text.substr(at, length);
      std::string many;
      for (size_t i = Below(300); i > 0 && many.size() < 4000; --i) many += piece;
      text.insert(at, many);
      return;
    }
  }
}

std::string HloTextFuzzer::Step() {
  last_ = SomeText();
  for (size_t n = 1 + Below(3); n > 0; --n) Mutate(last_);
  if (last_.size() > 20000) last_.resize(20000);
  HloTextReport report;
  std::string problem = CheckHloText(last_, &report);
  clean_steps_ += report.clean;
  std::vector<std::string>& pool = report.clean ? clean_ : damaged_;
  if (problem.empty() && last_.size() < 8000 && pool.size() < 3000 && seen_.insert(report.signature).second) pool.push_back(last_);
  return problem;
}

std::vector<std::string> LoadHloSeeds(const std::string& directory) {
  std::vector<std::string> seeds;
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".hlo") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return seeds;
}

}  // namespace hloscope
