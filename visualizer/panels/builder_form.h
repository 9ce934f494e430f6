// The builder's form of one instruction: operands, attributes, shape, name, and what shape inference says of it. It acts through the
// builder's commands.
#ifndef HLOSCOPE_VISUALIZER_PANELS_BUILDER_FORM_H_
#define HLOSCOPE_VISUALIZER_PANELS_BUILDER_FORM_H_

#include <optional>
#include <string>
#include <vector>

#include "visualizer/model/build_edit.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/icons.h"

namespace hloscope {

struct BuilderScene {
  PanelContext& context;
  const Reading& reading;
  const Computation* home = nullptr;  // the computation that is built; null: the program is empty
};

// What is wrong with a new name of an instruction of `home` (null: an empty program); empty: nothing.
std::string NameMistake(const Computation* home, const std::string& name);
// The same of the name in the field that was drawn last, below it; true: nothing is wrong. `own`: the name that it has.
bool DrawNameMistake(const Computation* home, const std::string& name, const std::string& own = "");

class BuilderForm {
 public:
  std::string name;  // of the instruction that is being changed
  int armed = -1;    // the operand that waits for a value; -1: none
  bool sent = false; // its command is on the way: done where that succeeds

  bool open() const { return !draft_.opcode.empty(); }
  const std::string& opcode() const { return draft_.opcode; }
  void Open(const std::string& opcode);
  void OpenFor(const Reading& reading, const Instruction& instruction);
  void Close();
  // Gives the armed operand its value and arms the next empty one.
  void Connect(const std::string& value);

  void DrawAdd(BuilderScene& scene);
  void DrawChange(BuilderScene& scene, const Instruction& of);
  // Making it the result, deleting it.
  void DrawActions(BuilderScene& scene, const Instruction& of);

 private:
  void DrawTitle() const;
  void DrawOperands(BuilderScene& scene, const Instruction* self);
  struct Offers {
    std::vector<const Instruction*> values;
    bool filtered = false;  // by what was typed
  };
  Offers OffersFor(const BuilderScene& scene, const Instruction* self, int slot);
  void Take(int slot, const Offers& offers);
  void DrawValues(BuilderScene& scene, const Offers& offers, int slot, float field_top);
  void DrawAttributes(BuilderScene& scene);
  void DrawAttribute(BuilderScene& scene, const AttrInfo& info, bool required);
  void DrawLiteral(BuilderScene& scene);
  void DrawShapeAndName(BuilderScene& scene);
  struct Line {
    ui::Icon icon;
    ImU32 color;
    std::string text, hint;
  };
  std::vector<Line> VerdictLines() const;
  float FooterHeight() const;
  void BeginFields();
  void EndFields();
  void EndForm();
  void DrawInsert(BuilderScene& scene);
  void DrawApply(BuilderScene& scene, const Instruction& of);
  void DrawVerdict() const;
  void DrawUsers(BuilderScene& scene, const Instruction& of);
  void FindUsers(const BuilderScene& scene, const Instruction& of);
  static std::string CommandNameOf(const BuilderScene& scene, const Instruction& of);
  void Propose(const BuilderScene& scene, const Computation& home);
  void Judge(const BuilderScene& scene, const Instruction* self);
  int FirstRank(const BuilderScene& scene) const;

  build::Draft draft_, original_;
  std::string adopted_;  // the text that `original_` was made from: when it changes, the form follows
  build::Verdict verdict_;
  std::string judged_;   // what the verdict is about
  int root_ = 0;         // 0 as it comes, 1 yes, 2 no
  bool all_attributes_ = false;
  bool opened_ = false;  // just now: what is to be filled in first takes the keyboard
  bool suggest_ = false; // what follows from the operands is proposed,
  std::optional<std::string> proposed_for_;  // for these operands, with their shapes,
  build::Draft proposed_;                    // so: attributes and perhaps the shape
  int to_field_ = -1;    // the operand whose field takes the keyboard next; -1: none
  std::string npy_, grid_open_, armed_text_;
  int armed_before_ = -1, reveal_ = 0;
  float fields_height_ = 0;
  bool together_ = false;  // in this frame: fields, verdict and buttons scroll as one
  std::string users_of_;  // what `users_` is about
  std::vector<std::string> users_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_BUILDER_FORM_H_
