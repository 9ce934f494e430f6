#include "visualizer/model/samples.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/base/threads.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

int KindOf(const Instruction& i) {
  const OpDef& def = Def(i);
  if (def.op_class == OpClass::kControl) return 4;
  if (def.op_class == OpClass::kStructural || def.movement == Movement::kCreate) return 0;
  if (def.movement == Movement::kMove) return 2;
  return i.CalledComputations().empty() ? 1 : 3;
}

// The comment that the text begins with: its first sentence.
std::string FirstSentence(absl::string_view text) {
  std::string comment;
  while (true) {
    text = absl::StripLeadingAsciiWhitespace(text);
    if (!absl::ConsumePrefix(&text, "//")) break;
    const size_t end = std::min(text.find('\n'), text.size());
    absl::StrAppend(&comment, comment.empty() ? "" : " ", absl::StripAsciiWhitespace(text.substr(0, end)));
    text = text.substr(end);
  }
  const size_t stop = comment.find(". ");
  if (stop != std::string::npos) comment.resize(stop + 1);
  return comment;
}

}  // namespace

Thumbnail MakeThumbnail(const Module& module, size_t most_blocks) {
  Thumbnail thumbnail;
  if (module.entry == nullptr) return thumbnail;
  absl::flat_hash_map<const Instruction*, int> depth, block;
  std::vector<std::vector<const Instruction*>> rows;
  for (const Instruction* i : module.entry->schedule) {
    if (block.size() >= most_blocks) break;
    int row = 0;
    for (const Instruction* operand : i->operands) {
      if (const auto it = depth.find(operand); it != depth.end()) row = std::max(row, it->second + 1);
    }
    depth[i] = row;
    block[i] = static_cast<int>(thumbnail.blocks.size());
    if (row >= static_cast<int>(rows.size())) rows.resize(row + 1);
    rows[row].push_back(i);
    thumbnail.blocks.push_back({0, 0, KindOf(*i)});
    for (const Instruction* operand : i->operands) {
      if (const auto it = block.find(operand); it != block.end()) thumbnail.edges.push_back({it->second, block[i]});
    }
  }
  thumbnail.rows = static_cast<int>(rows.size());
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t k = 0; k < rows[row].size(); ++k) {
      Thumbnail::Block& b = thumbnail.blocks[block[rows[row][k]]];
      b.x = (static_cast<float>(k) + 0.5f) / static_cast<float>(rows[row].size());
      b.y = (static_cast<float>(row) + 0.5f) / static_cast<float>(rows.size());
    }
  }
  return thumbnail;
}

Samples::Samples(const std::string& folder, Wiring wiring, std::function<void()> wake) {
  if (folder.empty()) return;
  TryStartThread(reader_, [this, folder, wiring = std::move(wiring), wake = std::move(wake)] {
    namespace fs = std::filesystem;
    for (const auto& [sub, group] : {std::pair("", "programs"), std::pair("/spec", "specification"), std::pair("/ops", "operations")}) {
      std::vector<std::string> paths;
      std::error_code error;
      for (fs::directory_iterator it(folder + sub, error), end; !error && it != end; it.increment(error)) {
        if (it->is_regular_file(error)) paths.push_back(it->path().string());
      }
      std::sort(paths.begin(), paths.end());
      for (const std::string& path : paths) {
        if (quitting_) return;
        const ReadProgram program = wiring.read_file(path);
        if (!program.ok()) continue;
        auto sample = std::make_shared<Sample>();
        sample->path = path;
        sample->title = absl::StrReplaceAll(fs::path(path).stem().string(), {{"_", " "}});
        sample->group = group;
        sample->note = program.source != nullptr ? FirstSentence(program.source->text()) : "";
        sample->instructions = program.module->instruction_count();
        sample->thumbnail = MakeThumbnail(*program.module);
        {
          std::lock_guard<std::mutex> lock(mutex_);
          samples_.push_back(std::move(sample));
        }
        if (group == std::string("programs")) wake();
      }
      wake();
    }
  });
}

Samples::~Samples() {
  quitting_ = true;
  if (reader_.joinable()) reader_.join();
}

std::vector<std::shared_ptr<const Sample>> Samples::all() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return samples_;
}

size_t Samples::count() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return samples_.size();
}

}  // namespace hloscope
