// Dots and convolutions of a module: our kernel beside the library called alone on the same shapes, in one process.
//   library_ratio [--threads N] [--rounds N] FILE...
// "Alone" is oneDNN on dense arrays of the same sizes, in the module's own dimension order for convolutions (channels last or first),
// [batch, m, k] x [batch, k, n] for dots, with its own OpenMP threads, primitive made beforehand. Prints a row for each distinct
// instruction and the ratio of the sums, each weighted by how often the module has it. Not a test: nothing here passes or fails.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dnnl.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"

// Of the library of OpenMP that oneDNN calls: no header of it need be there.
extern "C" void omp_set_num_threads(int);
extern "C" int omp_get_num_procs();

namespace hloscope {
namespace {

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double Median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}

std::optional<dnnl::memory::data_type> DnnlType(ElementType type) {
  switch (type) {
    case ElementType::kF32: return dnnl::memory::data_type::f32;
    case ElementType::kBF16: return dnnl::memory::data_type::bf16;
    default: return std::nullopt;
  }
}

Value RandomValue(const Shape& shape) {
  Value v = Value::Allocate(shape);
  uint32_t state = 12345;
  auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / (1 << 24) - 0.5f;
  };
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    float f = next();
    if (shape.element_type() == ElementType::kF32) {
      v.mutable_as<float>()[i] = f;
    } else if (shape.element_type() == ElementType::kBF16) {
      uint32_t bits;
      memcpy(&bits, &f, 4);
      v.mutable_as<uint16_t>()[i] = static_cast<uint16_t>(bits >> 16);
    }
  }
  return v;
}

// One library call, ready to be repeated.
struct LibraryCall {
  dnnl::primitive primitive;
  std::unordered_map<int, dnnl::memory> arguments;
  std::string what;
};

std::optional<LibraryCall> MakeDot(const Instruction& dot, const dnnl::engine& engine, Value& a, Value& b, Value& out) {
  const Shape& lhs = dot.operands[0]->shape;
  const Shape& rhs = dot.operands[1]->shape;
  auto type = DnnlType(lhs.element_type());
  auto out_type = DnnlType(dot.shape.element_type());
  if (!type || !out_type || lhs.element_type() != rhs.element_type()) return std::nullopt;
  int64_t batch = 1, k = 1;
  for (int64_t d : dot.Ints(AttrId::kLhsBatchDims)) batch *= lhs.dim(d);
  for (int64_t d : dot.Ints(AttrId::kLhsContractingDims)) k *= lhs.dim(d);
  if (batch == 0 || k == 0 || lhs.ElementCount() == 0 || rhs.ElementCount() == 0) return std::nullopt;
  int64_t m = lhs.ElementCount() / batch / k, n = rhs.ElementCount() / batch / k;
  using tag = dnnl::memory::format_tag;
  dnnl::memory::desc da({batch, m, k}, *type, tag::abc), db({batch, k, n}, *type, tag::abc), dc({batch, m, n}, *out_type, tag::abc);
  LibraryCall call;
  try {
    dnnl::matmul::primitive_desc pd(dnnl::matmul::desc(da, db, dc), engine);
    call.primitive = dnnl::matmul(pd);
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
  call.arguments = {{DNNL_ARG_SRC, dnnl::memory(da, engine, a.mutable_data())},
                    {DNNL_ARG_WEIGHTS, dnnl::memory(db, engine, b.mutable_data())},
                    {DNNL_ARG_DST, dnnl::memory(dc, engine, out.mutable_data())}};
  call.what = absl::StrCat("matmul ", batch, "x", m, "x", k, "x", n);
  return call;
}

std::optional<LibraryCall> MakeConvolution(const Instruction& conv, const dnnl::engine& engine, Value& a, Value& b, Value& out) {
  const Shape& lhs = conv.operands[0]->shape;
  const Shape& rhs = conv.operands[1]->shape;
  const ConvDimensionNumbers& labels = *conv.GetDimLabels();
  const Window* window = conv.GetWindow();
  auto type = DnnlType(lhs.element_type());
  auto out_type = DnnlType(conv.shape.element_type());
  if (!type || !out_type || conv.Int(AttrId::kBatchGroupCount, 1) != 1) return std::nullopt;
  int spatial = static_cast<int>(labels.input_spatial.size());
  if (spatial < 1 || spatial > 3) return std::nullopt;
  int64_t groups = conv.Int(AttrId::kFeatureGroupCount, 1);
  using dims = dnnl::memory::dims;
  // Descriptors in the library's order (n c spatial), strides of the module's own dimension order.
  auto strides_of = [](const Shape& s) { return RowMajorStrides(s.dimensions()); };
  std::vector<int64_t> ls = strides_of(lhs), rs = strides_of(rhs), os = strides_of(conv.shape);
  dims src{lhs.dim(labels.input_batch), lhs.dim(labels.input_feature)}, src_strides{ls[labels.input_batch], ls[labels.input_feature]};
  dims dst{conv.shape.dim(labels.output_batch), conv.shape.dim(labels.output_feature)},
      dst_strides{os[labels.output_batch], os[labels.output_feature]};
  dims weights, weights_strides;
  int64_t out_features = rhs.dim(labels.kernel_output_feature), in_features = rhs.dim(labels.kernel_input_feature);
  int64_t so = rs[labels.kernel_output_feature], si = rs[labels.kernel_input_feature];
  if (groups > 1) {
    weights = {groups, out_features / groups, in_features};
    weights_strides = {so * (out_features / groups), so, si};
  } else {
    weights = {out_features, in_features};
    weights_strides = {so, si};
  }
  dims stride, dilation, low, high;
  for (int i = 0; i < spatial; ++i) {
    const WindowDimension& w = (*window)[i];
    if (w.base_dilation != 1 || w.reversal) return std::nullopt;
    src.push_back(lhs.dim(labels.input_spatial[i]));
    src_strides.push_back(ls[labels.input_spatial[i]]);
    dst.push_back(conv.shape.dim(labels.output_spatial[i]));
    dst_strides.push_back(os[labels.output_spatial[i]]);
    weights.push_back(rhs.dim(labels.kernel_spatial[i]));
    weights_strides.push_back(rs[labels.kernel_spatial[i]]);
    stride.push_back(w.stride);
    dilation.push_back(w.window_dilation - 1);
    low.push_back(w.padding_low);
    high.push_back(w.padding_high);
  }
  LibraryCall call;
  try {
    dnnl::memory::desc ds(src, *type, src_strides), dw(weights, *type, weights_strides), dd(dst, *out_type, dst_strides);
    dnnl::convolution_forward::desc d(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, ds, dw, dd, stride, dilation,
                                      low, high);
    dnnl::convolution_forward::primitive_desc pd(d, engine);
    call.primitive = dnnl::convolution_forward(pd);
    call.arguments = {{DNNL_ARG_SRC, dnnl::memory(ds, engine, a.mutable_data())},
                      {DNNL_ARG_WEIGHTS, dnnl::memory(dw, engine, b.mutable_data())},
                      {DNNL_ARG_DST, dnnl::memory(dd, engine, out.mutable_data())}};
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
  call.what = absl::StrCat("convolution ", absl::StrJoin(src, "x"), " by ", absl::StrJoin(weights, "x"));
  return call;
}

struct Row {
  const Instruction* instruction;
  int count = 1;
  std::vector<double> ours;
};

int Measure(const std::string& file, int threads, int rounds) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>(file, text.str()), sink);
  Verify(*module, sink);
  if (sink.error_count() > 0) {
    fprintf(stderr, "%s: does not check\n", file.c_str());
    return 2;
  }
  BackendOptions options;
  options.threads = threads;
  absl::StatusOr<std::unique_ptr<Backend>> made = MakeJitCpuBackend(options);
  if (!made.ok()) {
    fprintf(stderr, "%s\n", made.status().ToString().c_str());
    return 2;
  }
  std::unique_ptr<Backend> backend = *std::move(made);
  std::map<std::string, Row> rows;
  for (const Computation* c : module->computations) {
    for (const Instruction* i : c->schedule) {
      bool conv = i->GetDimLabels() != nullptr;
      bool dot = i->Has(AttrId::kLhsContractingDims);
      if (!conv && !dot) continue;
      std::string key =
          absl::StrCat(i->operands[0]->shape.ToString(false), i->operands[1]->shape.ToString(false), i->shape.ToString(false));
      for (const Attribute& a : i->attributes) {
        if (a.id != AttrId::kToApply) {
          absl::string_view t = module->source->text().substr(a.range.begin, a.range.end - a.range.begin);
          absl::StrAppend(&key, ",", t);
        }
      }
      auto [it, inserted] = rows.emplace(key, Row{i, 1, {}});
      if (!inserted) ++it->second.count;
    }
  }
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  double ours_total = 0, library_total = 0;
  printf("%s\n%-52s %5s %10s %10s %6s\n", file.c_str(), "instruction", "times", "ours ms", "alone ms", "ratio");
  // Ours first, then the library: OpenMP's idle threads spin for a while after each call and would take a processor from our pool.
  for (int phase = 0; phase < 2; ++phase)
    for (auto& [key, row] : rows) {
      const Instruction& i = *row.instruction;
      Value a = RandomValue(i.operands[0]->shape), b = RandomValue(i.operands[1]->shape), out = Value::Allocate(i.shape);
      auto call = i.GetDimLabels() != nullptr ? MakeConvolution(i, engine, a, b, out) : MakeDot(i, engine, a, b, out);
      auto kernel = backend->GetKernel(*i.parent, SingleRegion(*i.parent, i.index));
      if (!kernel.ok()) {
        printf("%-52s %5d  %s\n", std::string(i.name).c_str(), row.count, std::string(kernel.status().message()).c_str());
        continue;
      }
      if (!call) {
        printf("%-52s %5d  (the library does not have it as it stands) %s\n", std::string(i.name).c_str(), row.count,
               i.shape.ToString(false).c_str());
        continue;
      }
      Region region = SingleRegion(*i.parent, i.index);
      std::vector<Value> inputs;
      for (int input : region.inputs) inputs.push_back(i.parent->schedule[input] == i.operands[0] ? a : b);
      std::vector<double> alone;
      if (phase == 0) {
        for (int r = 0; r <= 3 * rounds; ++r) {
          double begin = Seconds();
          auto result = (*kernel)->Run(RunContext{}, inputs);
          if (r > 0) row.ours.push_back(Seconds() - begin);
          if (!result.ok()) {
            printf("%s: %s\n", std::string(i.name).c_str(), std::string(result.status().message()).c_str());
            return 1;
          }
        }
        continue;
      }
      omp_set_num_threads(threads);
      for (int r = 0; r <= 3 * rounds; ++r) {
        double begin = Seconds();
        call->primitive.execute(stream, call->arguments);
        stream.wait();
        if (r > 0) alone.push_back(Seconds() - begin);
      }
      double o = Median(row.ours) * 1e3, l = Median(alone) * 1e3;
      ours_total += o * row.count;
      library_total += l * row.count;
      printf("%-52s %5d %10.4f %10.4f %6.2f  %s\n", call->what.c_str(), row.count, o, l, o / l, (*kernel)->description().c_str());
    }
  printf("%-52s %5s %10.3f %10.3f %6.3f\n\n", "sum over the module", "", ours_total, library_total,
         library_total > 0 ? ours_total / library_total : 0);
  return 0;
}

}  // namespace
}  // namespace hloscope

int main(int argc, char** argv) {
  int threads = omp_get_num_procs(), rounds = 9, status = 0;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--threads") && i + 1 < argc) {
      threads = atoi(argv[++i]);
    } else if (!strcmp(argv[i], "--rounds") && i + 1 < argc) {
      rounds = atoi(argv[++i]);
    } else {
      status = std::max(status, hloscope::Measure(argv[i], threads, rounds));
    }
  }
  return status;
}
