// The builder's data: constants as tables that can be typed into, and the program's inputs; from .npy files, made up, or cell by cell.
#ifndef HLOSCOPE_VISUALIZER_PANELS_BUILDER_DATA_H_
#define HLOSCOPE_VISUALIZER_PANELS_BUILDER_DATA_H_

#include <string>
#include <vector>

#include "visualizer/model/live.h"
#include "visualizer/panels/builder_form.h"

namespace hloscope {

class BuilderData {
 public:
  void Draw(BuilderScene& scene);
  void Choose(const std::string& name);  // a value that was made

 private:
  // The elements of what is chosen, as texts in row-major order.
  struct Table {
    std::vector<int64_t> dimensions;
    std::vector<std::string> elements;
    bool too_large = false;
  };
  void DrawNew(BuilderScene& scene);
  void DrawList(BuilderScene& scene);
  void DrawConstant(BuilderScene& scene, const Instruction& constant);
  void DrawInput(BuilderScene& scene, const Instruction& parameter);
  // Returns the index of a cell that was changed, and its text; -1: none.
  int64_t DrawTable(const Table& table, std::string* changed);
  void DrawSources(BuilderScene& scene, const std::string& command);

  std::string seen_;  // that was chosen and has been scrolled to
  std::string chosen_, shape_ = "f32[2,2]", name_, npy_, editing_;
  std::string table_of_;
  Table table_;
  std::vector<int64_t> slice_;
  int64_t active_cell_ = -1;
  bool focus_cell_ = false;
  int seed_ = 1;
  Live<Table> input_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_BUILDER_DATA_H_
