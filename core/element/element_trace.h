// Single elements of element programs on values that are at hand, with every load and every scalar operation told on the way: for finding the
// element, and the operation, where something went wrong. The evaluation is ElementTracer's (trace.h).
#ifndef HLOSCOPE_CORE_ELEMENT_ELEMENT_TRACE_H_
#define HLOSCOPE_CORE_ELEMENT_ELEMENT_TRACE_H_

#include <functional>

#include "absl/types/span.h"
#include "core/element/trace.h"
#include "core/literal/value.h"

namespace hloscope {

class ElementTrace {
 public:
  // `operands` are dense, by the program's operands; what has no value counts as zero. They outlive the trace.
  ElementTrace(const Program& program, absl::Span<const Value> operands) : tracer_(program) {
    load_ = [this, operands](int k, int64_t linear) -> absl::StatusOr<Scalar> {
      const ElementType type = tracer_.program().operands[k].element_type();
      if (!operands[k].has_value() || linear >= operands[k].element_count()) {
        Scalar nothing;
        nothing.type = type;
        return nothing;
      }
      const Scalar s = LoadScalar(type, operands[k].data() + linear * StorageBytes(type));
      if (on_load_) on_load_(k, linear, s);
      return s;
    };
  }
  ElementTrace(const ElementTrace&) = delete;

  using OnLoad = std::function<void(int operand, int64_t linear, const Scalar& value)>;
  void set_on_load(OnLoad f) { on_load_ = std::move(f); }
  void set_on_op(ElementTracer::OnOp f) { tracer_.set_on_op(std::move(f)); }

  // Output `o` at `index`; of push programs what it starts as.
  Scalar At(int o, absl::Span<const int64_t> index) { return tracer_.Start(o, index, load_); }
  // Push programs: see ElementTracer::Updates.
  void Updates(const std::function<bool(int64_t target)>& each) { tracer_.Updates(load_, each); }

 private:
  ElementTracer tracer_;
  ElementLoader load_;
  OnLoad on_load_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_ELEMENT_TRACE_H_
