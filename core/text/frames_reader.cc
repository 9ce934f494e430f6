// The tables at the head of newer dumps: FileNames, FunctionNames, FileLocations, StackFrames. One row a line: an id, then a string or
// {field=number ...}.
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/text/module_reader.h"

namespace hloscope {
namespace {

std::string Unescaped(absl::string_view text) {
  std::string result;
  if (text.find('\\') == absl::string_view::npos || !absl::CUnescape(text, &result)) return std::string(text);
  return result;
}

int32_t* FieldOf(FileLocation& l, absl::string_view name) {
  if (name == "file_name_id") return &l.file_name_id;
  if (name == "function_name_id") return &l.function_name_id;
  if (name == "line") return &l.line;
  if (name == "end_line") return &l.end_line;
  if (name == "column") return &l.column;
  if (name == "end_column") return &l.end_column;
  return nullptr;
}

int32_t* FieldOf(StackFrame& f, absl::string_view name) {
  if (name == "file_location_id") return &f.file_location_id;
  if (name == "parent_frame_id") return &f.parent_frame_id;
  return nullptr;
}

template <typename Row>
bool ReadFields(Scanner& s, Row& row) {
  if (!s.Expect('{', "the id of a row")) return false;
  while (!s.Take('}')) {
    absl::string_view name = s.Word();
    int32_t* field = FieldOf(row, name);
    if (field == nullptr) {
      SourceRange range = name.empty() ? s.Here() : s.Range(name);
      return s.Error(
          range, HLO_LABEL("text.table-field"),
          absl::StrCat("expected the name of a field of this table, found ", name.empty() ? s.Found() : absl::StrCat("'", name, "'")));
    }
    if (!s.Expect('=', name)) return false;
    s.SkipSpace();
    const char* start = s.p;
    int64_t value;
    if (!s.Integer(&value, name)) return false;
    if (value < INT32_MIN || value > INT32_MAX) {
      return s.Error(s.Range(start, s.p), HLO_LABEL("text.table-field"),
                     absl::StrCat("expected ", name, " to fit in 32 bits, found ", value));
    }
    *field = static_cast<int32_t>(value);
    s.SkipSpace();
  }
  return true;
}

}  // namespace

// Behind the name of the table, at its first row.
bool ModuleReader::ReadTable(absl::string_view name) {
  const int table = name == "FileNames" ? 0 : name == "FunctionNames" ? 1 : name == "FileLocations" ? 2 : 3;
  while (s_.SkipSpace(), IsClass(*s_.p, char_class::kDigit)) {
    const char* start = s_.p;
    if (!ReadTableRow(table)) {
      if (s_.p == start || *s_.p != '\n') SkipLine();
      if (s_.stopped()) return false;
    }
  }
  return true;
}

bool ModuleReader::ReadTableRow(int table) {
  const char* start = s_.p;
  int64_t id;
  if (!s_.Integer(&id, "the id of a row")) return false;
  SourceFrames& f = module_->frames;
  const size_t sizes[] = {f.file_names.size(), f.function_names.size(), f.file_locations.size(), f.stack_frames.size()};
  if (id != static_cast<int64_t>(sizes[table]) + 1) {
    s_.Error(s_.Range(start, s_.p), HLO_LABEL("text.table-id"), absl::StrCat("expected id ", sizes[table] + 1, " for this row, found ", id),
             "the rows of a table are numbered 1, 2, 3 and so on");
  }
  s_.SkipSpace();
  if (table == 2) return ReadFields(s_, f.file_locations.emplace_back());
  if (table == 3) return ReadFields(s_, f.stack_frames.emplace_back());
  std::string& text = (table == 0 ? f.file_names : f.function_names).emplace_back();
  if (*s_.p != '"') {
    return s_.Error(s_.Here(), HLO_LABEL("text.table-field"), absl::StrCat("expected a string in quotes, found ", s_.Found()));
  }
  absl::string_view inside;
  if (!s_.Quoted(&inside)) return false;
  text = Unescaped(inside);
  return true;
}

}  // namespace hloscope
