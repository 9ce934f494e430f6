// Reading MLIR in tests: a text to its tree and problems.
#ifndef HLOSCOPE_TESTS_MLIR_READING_H_
#define HLOSCOPE_TESTS_MLIR_READING_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/text/mlir/mlir.h"

namespace hloscope::mlir {

struct Reading {
  explicit Reading(std::string text) : source(std::make_shared<SourceText>("<test>", std::move(text))), file(ReadMlir(source, sink)) {}

  // The labels of all problems, in the order of their places, with commas.
  std::string Labels() {
    sink.SortByPlace();
    std::string out;
    for (const Diagnostic& d : sink.diagnostics()) absl::StrAppend(&out, out.empty() ? "" : ",", d.label);
    return out;
  }
  std::string Problems() const {
    std::string out;
    for (const Diagnostic& d : sink.diagnostics()) out += Render(d, *source);
    return out;
  }
  // The operations of the first module; of the first function in it when `function`.
  const Region& Module(int part = 0) const { return *file.modules[part]->regions[0]; }
  const Op& First(int index = 0) const { return *Module().ops[index]; }

  DiagnosticSink sink;
  std::shared_ptr<const SourceText> source;
  File file;
};

}  // namespace hloscope::mlir

#endif  // HLOSCOPE_TESTS_MLIR_READING_H_
