// The programs of the corpus are read without a diagnostic, and print back to text that reads back equal.
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

std::filesystem::path CorpusDirectory() {
  const char* from_environment = std::getenv("HLOSCOPE_CORPUS");
  return std::filesystem::path(from_environment != nullptr ? from_environment : "../shared/corpus") / "models";
}

std::vector<std::filesystem::path> CorpusFiles() {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(CorpusDirectory(), error)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream buffer;
  buffer << in.rdbuf();
  return buffer.str();
}

std::string Problems(const DiagnosticSink& sink, const SourceText& source) {
  std::string text;
  int shown = 0;
  for (const Diagnostic& d : sink.diagnostics()) {
    if (++shown > 5) break;
    text += Render(d, source);
  }
  return text;
}

TEST(Corpus, ReadsAndPrintsBack) {
  std::vector<std::filesystem::path> files = CorpusFiles();
  if (files.empty()) GTEST_SKIP() << "no corpus at " << CorpusDirectory();
  for (const auto& path : files) {
    SCOPED_TRACE(path.filename().string());
    auto source = std::make_shared<SourceText>(path.string(), ReadFile(path));
    DiagnosticSink sink;
    auto module = ReadHloText(source, sink);
    EXPECT_TRUE(sink.diagnostics().empty()) << Problems(sink, *source);
    EXPECT_GT(module->instruction_count(), 0);
    ASSERT_NE(module->entry, nullptr);

    auto printed = std::make_shared<SourceText>("printed", PrintHloText(*module));
    DiagnosticSink again_sink;
    auto again = ReadHloText(printed, again_sink);
    EXPECT_TRUE(again_sink.diagnostics().empty()) << Problems(again_sink, *printed);
    std::string why;
    EXPECT_TRUE(ModulesEqual(*module, *again, &why)) << why;
    EXPECT_EQ(PrintHloText(*again), printed->text());

    PrintOptions dump{.percent = true, .operand_shapes = true};
    auto dumped = std::make_shared<SourceText>("dumped", PrintHloText(*module, dump));
    DiagnosticSink dump_sink;
    auto from_dump = ReadHloText(dumped, dump_sink);
    EXPECT_TRUE(dump_sink.diagnostics().empty()) << Problems(dump_sink, *dumped);
    EXPECT_TRUE(ModulesEqual(*module, *from_dump, &why)) << why;
  }
}

// Not a limit that a loaded machine would trip over: only against reading in quadratic time.
TEST(Corpus, ReadsLargeModulesQuickly) {
  auto path = CorpusDirectory() / "hlo_mixtral_8x7b_bf16_2x8.hlo";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  auto source = std::make_shared<SourceText>(path.string(), ReadFile(path));
  double best = 1e9;
  int64_t count = 0;
  for (int i = 0; i < 7; ++i) {
    std::clock_t begin = std::clock();  // processor time
    DiagnosticSink sink;
    auto module = ReadHloText(source, sink);
    best = std::min(best, 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    count = module->instruction_count();
  }
  std::cout << "  read " << count << " instructions of " << source->text().size() << " bytes in " << best << " ms\n";
  EXPECT_LT(best, 2000);
}

}  // namespace
}  // namespace hloscope
