#include "core/text/outfeed_shape.h"

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/text/hlo_text.h"

namespace hloscope {

void CheckOutfeedShapes(const Module& module, DiagnosticSink& sink) {
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      const Attribute* attribute = i->Find(AttrId::kOutfeedShape);
      if (attribute == nullptr || i->in_error || i->operands.empty()) continue;
      const absl::StatusOr<Shape> written = ParseShape(i->Text(AttrId::kOutfeedShape));
      if (!written.ok()) {
        sink.Error(attribute->range, HLO_LABEL("text.outfeed-shape"),
                   absl::StrCat("expected a shape, as outfeed_shape=f32[2]: ", written.status().message()));
        continue;
      }
      const Instruction& given = *i->operands[0];
      if (given.in_error || given.shape_omitted || Shape::Compatible(*written, given.shape)) continue;
      sink.Error(attribute->range, HLO_LABEL("text.outfeed-shape"),
                 absl::StrCat("outfeed_shape is ", written->ToString(false), ", but ", ShownName(given), ", which is handed out, is ",
                              given.shape.ToString(false)));
    }
  }
}

}  // namespace hloscope
