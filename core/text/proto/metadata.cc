// Metadata, attributes of the frontend, statistics and configurations: the parts of an instruction that say nothing about its result.
#include <algorithm>

#include "absl/strings/escaping.h"
#include "core/text/proto/convert.h"
#include "core/text/proto/raw_cursor.h"

namespace hloscope {
namespace {

// {...} with balanced brackets and strings, and nothing behind: can stand in text as it is.
bool IsDictionary(absl::string_view bytes) {
  if (bytes.empty() || bytes[0] != '{') return false;
  std::string open;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const unsigned char c = bytes[i];
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
    if (c == '/' && i + 1 < bytes.size() && (bytes[i + 1] == '/' || bytes[i + 1] == '*')) return false;  // a comment, to a reader of text
    if (c == '"') {
      for (++i; i < bytes.size() && bytes[i] != '"'; ++i) {
        if (bytes[i] == '\\') ++i;
      }
      if (i >= bytes.size()) return false;
    } else if (c == '{' || c == '[' || c == '(') {
      open.push_back(c == '{' ? '}' : c == '[' ? ']' : ')');
    } else if (c == '}' || c == ']' || c == ')') {
      if (open.empty() || open.back() != static_cast<char>(c)) return false;
      open.pop_back();
      if (open.empty()) return i + 1 == bytes.size();
    }
  }
  return false;
}

std::string Quote(absl::string_view text) { return absl::StrCat("\"", absl::CEscape(text), "\""); }

}  // namespace

std::string MetadataText(const pb::OpMetadata& m) {
  if (m.has_other_text()) return absl::StrCat("{", m.other_text(), "}");
  std::vector<std::string> parts;
  const auto text = [&](absl::string_view name, const std::string& value) {
    if (!value.empty()) parts.push_back(absl::StrCat(name, "=", Quote(value)));
  };
  const auto number = [&](absl::string_view name, int64_t value) {
    if (value != 0) parts.push_back(absl::StrCat(name, "=", value));
  };
  text("op_type", m.op_type());
  text("op_name", m.op_name());
  text("source_file", m.source_file());
  number("source_line", m.source_line());
  number("source_end_line", m.source_end_line());
  number("source_column", m.source_column());
  number("source_end_column", m.source_end_column());
  if (m.profile_type_size() > 0) parts.push_back(absl::StrCat("profile_type=", ListText(m.profile_type())));
  text("deduplicated_name", m.deduplicated_name());
  number("size_of_generated_code_in_bytes", m.size_of_generated_code_in_bytes());
  number("size_of_memory_working_set_in_bytes", m.size_of_memory_working_set_in_bytes());
  number("stack_frame_id", m.stack_frame_id());
  text("scheduling_name", m.scheduling_name());
  return absl::StrCat("{", absl::StrJoin(parts, " "), "}");
}

bool ParseMetadata(absl::string_view inside, pb::OpMetadata* m) {
  RawCursor c(inside);
  while (!c.AtEnd()) {
    if (c.Take(",")) continue;
    const absl::string_view name = c.Word();
    if (!c.Take("=")) return false;
    std::string text;
    int64_t number = 0;
    if (c.Peek() == '{') {
      if (name != "profile_type" || !c.Integers("{", "}", m->mutable_profile_type())) return false;
      continue;
    }
    const bool quoted = c.Peek() == '"';
    if (quoted ? !c.Quoted(&text) : !c.Integer(&number)) return false;
    if (quoted) {
      if (name == "op_type") m->set_op_type(text);
      else if (name == "op_name") m->set_op_name(text);
      else if (name == "source_file") m->set_source_file(text);
      else if (name == "deduplicated_name") m->set_deduplicated_name(text);
      else if (name == "scheduling_name") m->set_scheduling_name(text);
      else return false;
      continue;
    }
    const int32_t small = static_cast<int32_t>(number);
    if (name == "size_of_generated_code_in_bytes") m->set_size_of_generated_code_in_bytes(number);
    else if (name == "size_of_memory_working_set_in_bytes") m->set_size_of_memory_working_set_in_bytes(number);
    else if (small != number) return false;
    else if (name == "source_line") m->set_source_line(small);
    else if (name == "source_end_line") m->set_source_end_line(small);
    else if (name == "source_column") m->set_source_column(small);
    else if (name == "source_end_column") m->set_source_end_column(small);
    else if (name == "stack_frame_id") m->set_stack_frame_id(small);
    else return false;
  }
  return true;
}

std::string FrontendAttributesText(const pb::FrontendAttributes& attributes) {
  std::vector<std::pair<std::string, std::string>> sorted;
  for (const pb::MapEntry& entry : attributes.map()) sorted.emplace_back(entry.key(), entry.value());
  std::sort(sorted.begin(), sorted.end());
  return absl::StrCat("{", absl::StrJoin(sorted, ",", [](std::string* out, const auto& entry) {
                        absl::StrAppend(out, entry.first, "=", ConfigText(entry.second));
                      }),
                      "}");
}

bool ParseFrontendAttributes(absl::string_view text, pb::FrontendAttributes* attributes) {
  RawCursor c(text);
  if (!c.Take("{")) return false;
  if (c.Take("}")) return c.AtEnd();
  do {
    pb::MapEntry* entry = attributes->add_map();
    Set(entry->mutable_key(), c.Word());
    if (entry->key().empty() || !c.Take("=")) return false;
    absl::string_view value;
    if (c.Peek() == '{') {
      if (!c.Balanced(&value)) return false;
      Set(entry->mutable_value(), value);
    } else if (!c.Quoted(entry->mutable_value())) {
      return false;
    }
  } while (c.Take(","));
  return c.Take("}") && c.AtEnd();
}

std::string StatisticsText(const pb::StatisticsViz& statistics) {
  std::string text = absl::StrCat("{visualizing_index=", statistics.stat_index_to_visualize());
  for (const pb::Statistic& s : statistics.statistics()) absl::StrAppend(&text, ",", s.stat_name(), "=", s.stat_val());
  return text + "}";
}

bool ParseStatistics(absl::string_view text, pb::StatisticsViz* statistics) {
  RawCursor c(text);
  int64_t index;
  if (!c.Take("{") || c.Word() != "visualizing_index" || !c.Take("=") || !c.Integer(&index)) return false;
  statistics->set_stat_index_to_visualize(index);
  while (c.Take(",")) {
    pb::Statistic* s = statistics->add_statistics();
    Set(s->mutable_stat_name(), c.Word());
    double value;
    if (!c.Take("=") || !c.Number(&value)) return false;
    s->set_stat_val(value);
  }
  return c.Take("}") && c.AtEnd();
}

std::string ConfigText(absl::string_view bytes) { return IsDictionary(bytes) ? std::string(bytes) : Quote(bytes); }

bool ParseConfig(absl::string_view text, std::string* bytes) {
  if (!text.empty() && text[0] == '{') {
    Set(bytes, text);
    return true;
  }
  RawCursor c(text);
  return c.Quoted(bytes) && c.AtEnd();
}

}  // namespace hloscope
