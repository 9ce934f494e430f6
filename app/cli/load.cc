#include "app/cli/load.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "app/cli/verb.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "core/text/mlir/mlir.h"
#include "core/text/proto/hlo_proto.h"

namespace hloscope::cli {
namespace {

// Room for a text of `bytes`. Touching memory for the first time costs more than filling it, so that of large texts is asked for in large
// pages: a multiple of their size, less what string and allocator add, is also put where they begin.
void Reserve(std::string& text, size_t bytes) {
  constexpr size_t kLargePage = size_t{1} << 21, kAdded = 64;
  const size_t pages = (bytes + kAdded + kLargePage - 1) / kLargePage;
  const bool large = bytes >= kLargePage / 2;
  text.reserve(large ? pages * kLargePage - kAdded : bytes);
#ifdef MADV_HUGEPAGE
  if (!large) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(text.data()) / 4096) * 4096;  // the allocator's, whose page it is, stands before the text
  madvise(reinterpret_cast<void*>(begin), pages * kLargePage, MADV_HUGEPAGE);  // a wish: without it all works as well
#endif
}

absl::Status ReadAll(const std::string& path, std::string& text) {
  const bool standard_input = path == "-";
  std::FILE* file = standard_input ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(absl::StrCat("cannot open ", path, ": ", std::strerror(errno)));
  struct stat info {};
  if (fstat(fileno(file), &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      if (!standard_input) std::fclose(file);
      return absl::NotFoundError(absl::StrCat("cannot open ", path, ": it is a folder; name a program in it"));
    }
    if (S_ISREG(info.st_mode)) Reserve(text, info.st_size + 1);
  }
  char buffer[64 << 10];
  size_t n = 0;
  while ((n = std::fread(buffer, 1, sizeof(buffer), file)) > 0) text.append(buffer, n);
  const bool failed = std::ferror(file) != 0;
  const int error = errno;
  if (!standard_input) std::fclose(file);
  if (failed) return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", std::strerror(error)));
  if (text.size() > INT32_MAX - 1) return absl::NotFoundError(absl::StrCat("cannot read ", path, ": texts beyond 2 GiB are not supported"));
  return absl::OkStatus();
}

constexpr absl::string_view kBytecode = "ML\xefR";

// MLIR bytecode is not read: who wrote it, and what makes text of it.
void ReportBytecode(Loaded& loaded) {
  constexpr SourceRange kBegin = {0, 1};  // there are no lines: the place is that of the file
  const absl::string_view text = loaded.source->text();
  const size_t at = text.find(kBytecode);
  if (at > 0) {
    loaded.sink.Error(kBegin, HLO_LABEL("load.bytecode"), absl::StrCat("this holds MLIR bytecode at byte ", at, ", as what jax.export serializes"),
                      "make text of it in Python: print(jax.export.deserialize(open(FILE, 'rb').read()).mlir_module())");
    return;
  }
  // Behind the first four bytes: the version, one byte so far, and who wrote it.
  const absl::string_view rest = text.substr(std::min(text.size(), kBytecode.size() + 1));
  const absl::string_view producer = rest.substr(0, std::min<size_t>(rest.find('\0'), 64));
  if (absl::StrContains(producer, "StableHLO")) {
    loaded.sink.Error(kBegin, HLO_LABEL("load.bytecode"), absl::StrCat("this is a portable artifact in MLIR bytecode, written by ", producer),
                      "make text of it: stablehlo-translate --deserialize FILE -o program.mlir");
    return;
  }
  loaded.sink.Error(kBegin, HLO_LABEL("load.bytecode"), "this is MLIR bytecode",
                    "make text of it: stablehlo-opt FILE -o program.mlir, or stablehlo-translate --deserialize FILE -o program.mlir for a portable artifact");
}

// Bytes that no text has.
bool IsBinary(absl::string_view text) {
  const absl::string_view head = text.substr(0, 4096);
  return std::any_of(head.begin(), head.end(), [](char c) {
    const unsigned char u = static_cast<unsigned char>(c);
    return u < 0x20 && u != '\n' && u != '\r' && u != '\t' && u != '\f' && u != '\v';
  });
}

std::string DetectFormat(absl::string_view text) {
  if (absl::StartsWith(text, kBytecode)) return "stablehlo bytecode";
  if (IsHloProto(text)) return "hlo proto";
  if (IsBinary(text) && absl::StrContains(text.substr(0, 1 << 16), kBytecode)) return "stablehlo bytecode";
  return mlir::LooksLikeMlir(text) ? "stablehlo text" : "hlo text";
}

void VerifyLoaded(Loaded& loaded) {
  const auto start = std::chrono::steady_clock::now();
  Verify(*loaded.module, loaded.sink);
  loaded.verify_ms = Milliseconds(start);
  loaded.sink.SortByPlace();
}

void LoadProto(const std::string& name, const std::string& bytes, Loaded& loaded) {
  ProtoProgram program = ReadHloProto(bytes, name, loaded.sink);
  loaded.format = std::move(program.format);
  loaded.source = std::move(program.source);
  loaded.module = std::move(program.module);
  loaded.arguments = std::move(program.arguments);
  loaded.expected = std::move(program.result);
}

}  // namespace

namespace {

// Reads `text`, whose format is known by its content.
void Read(const std::string& name, std::string text, std::vector<StableHloTest>* tests, Loaded& loaded) {
  const auto start = std::chrono::steady_clock::now();
  loaded.format = DetectFormat(text);
  if (loaded.format == "hlo proto") {
    LoadProto(name, text, loaded);
    loaded.load_ms += Milliseconds(start);
    if (loaded.module != nullptr) VerifyLoaded(loaded);
    return;
  }
  loaded.source = std::make_shared<SourceText>(name, std::move(text));
  const bool stablehlo = loaded.format == "stablehlo text";
  if (loaded.format == "stablehlo bytecode") {
    ReportBytecode(loaded);
  } else if (stablehlo && tests != nullptr) {
    *tests = ReadStableHloTests(loaded.source, loaded.sink);
  } else {
    loaded.module = stablehlo ? ReadStableHlo(loaded.source, loaded.sink) : ReadHloText(loaded.source, loaded.sink);
  }
  loaded.load_ms += Milliseconds(start);
  if (loaded.module != nullptr) VerifyLoaded(loaded);
}

}  // namespace

Loaded Load(const std::string& path, std::vector<StableHloTest>* tests) {
  Loaded loaded;
  const auto start = std::chrono::steady_clock::now();
  std::string text;
  loaded.open = ReadAll(path, text);
  if (!loaded.open.ok()) return loaded;
  loaded.load_ms = Milliseconds(start);
  Read(path == "-" ? "<stdin>" : path, std::move(text), tests, loaded);
  return loaded;
}

Loaded LoadText(const std::string& name, std::string text) {
  Loaded loaded;
  Read(name, std::move(text), nullptr, loaded);
  return loaded;
}

std::string ProblemsText(const Loaded& loaded) {
  if (!loaded.open.ok()) return absl::StrCat("hloscope: ", loaded.open.message(), "\n");
  std::string all;
  for (const Diagnostic& diagnostic : loaded.sink.diagnostics()) all += Render(diagnostic, *loaded.source);
  return all;
}

void ReportProblems(const Loaded& loaded) {
  const std::string all = ProblemsText(loaded);
  std::fwrite(all.data(), 1, all.size(), stderr);
}

std::unique_ptr<Module> LoadOrReport(const std::string& path, Loaded& loaded, int& status) {
  loaded = Load(path);
  if (loaded.ok() && loaded.module->entry == nullptr) loaded.open = absl::NotFoundError(absl::StrCat(path, " has no computation to run"));
  ReportProblems(loaded);
  if (loaded.ok()) return std::move(loaded.module);
  status = kUsage;
  return nullptr;
}

}  // namespace hloscope::cli
