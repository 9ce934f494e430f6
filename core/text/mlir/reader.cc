// Parts of a file, aliases, resources, and how problems are reported. Operations are read in operations.cc.
#include "core/text/mlir/reader.h"

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hloscope::mlir {
namespace {

constexpr int kDeepest = 200;
constexpr int kMostProblems = 100;
constexpr int64_t kMostAliasNodes = int64_t{1} << 20;
constexpr int64_t kMostRepeatedFrames = int64_t{1} << 21;
constexpr int64_t kMostConstantBytes = int64_t{4} << 30;
constexpr int64_t kMostSuggesting = int64_t{1} << 24;  // character comparisons, of all searches for what was meant

}  // namespace

Reader::Reader(std::shared_ptr<const SourceText> source, DiagnosticSink& sink)
    : source_(std::move(source)), text_(source_->text()), sink_(sink), scanner_(text_, 0, 0) {}

void Reader::Seek(int32_t position) {
  scanner_.Seek(position);
  last_end_ = position;
  Advance();
}

bool Reader::Take(char punctuation) {
  if (!Is(punctuation)) return false;
  last_end_ = token_.end;
  Advance();
  return true;
}

bool Reader::TakeWord(absl::string_view word) {
  if (!IsWord(word)) return false;
  last_end_ = token_.end;
  Advance();
  return true;
}

bool Reader::Expect(char punctuation, absl::string_view where) {
  if (Take(punctuation)) return true;
  return Unexpected(absl::StrCat("'", absl::string_view(&punctuation, 1), "'"), where);
}

bool Reader::ExpectArrow(absl::string_view where) {
  if (token_.kind != TokenKind::kArrow) return Unexpected("'->'", where);
  last_end_ = token_.end;
  Advance();
  return true;
}

bool Reader::Error(SourceRange range, absl::string_view label, std::string message, std::string hint) {
  if (quiet_ == 0) {
    problem_in_op_ = true;
    if (sink_.error_count() < kMostProblems) sink_.Error(range, label, std::move(message), std::move(hint));
  }
  return false;
}

std::string Reader::Shown(const Token& token) const {
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  absl::string_view text = Text(token);
  if (token.kind == TokenKind::kBad && text.size() == 1 &&
      (static_cast<unsigned char>(text[0]) < 32 || static_cast<unsigned char>(text[0]) > 126)) {
    return absl::StrCat("the byte 0x", absl::Hex(static_cast<unsigned char>(text[0]), absl::kZeroPad2));
  }
  if (text.size() > 40) return absl::StrCat("'", text.substr(0, 37), "...'");
  return absl::StrCat("'", text, "'");
}

bool Reader::Unexpected(absl::string_view wanted, absl::string_view where) {
  if (token_.kind == TokenKind::kBad) {
    if (absl::StrContains(TokenText(), '"')) {
      return Error(TokenRange(), HLO_LABEL("mlir.string"), "this string has no closing quote on its line", "write the closing \"");
    }
    return Error(TokenRange(), HLO_LABEL("mlir.character"), absl::StrCat(Shown(token_), " begins nothing in MLIR text"), "delete it");
  }
  return Error(TokenRange(), HLO_LABEL("mlir.syntax"), absl::StrCat("expected ", wanted, " ", where, ", found ", Shown(token_)));
}

bool Reader::Enter() {
  if (++depth_ <= kDeepest) return true;
  --depth_;
  Error(TokenRange(), HLO_LABEL("mlir.nesting"), absl::StrCat("this is nested more than ", kDeepest, " levels deep"),
        "name inner types and attributes with aliases");
  return false;
}

// C-like escapes of MLIR: \\ \" \n \t and two hexadecimal digits.
std::string Reader::Unescape(absl::string_view quoted) const {
  absl::string_view in = quoted.substr(1, quoted.size() - 2);
  if (!absl::StrContains(in, '\\')) return std::string(in);
  auto digit = [](char c) { return IsDigit(c) ? c - '0' : (c | 32) - 'a' + 10; };
  std::string out;
  out.reserve(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] != '\\' || i + 1 >= in.size()) {
      out.push_back(in[i]);
      continue;
    }
    const char c = in[++i];
    if (c == 'n') {
      out.push_back('\n');
    } else if (c == 't') {
      out.push_back('\t');
    } else if (i + 1 < in.size() && IsHexDigit(c) && IsHexDigit(in[i + 1])) {
      out.push_back(static_cast<char>(digit(c) * 16 + digit(in[++i])));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

// From just inside an opening bracket to the bracket that closes it. Knows strings, comments and arrows. Brackets of other kinds must
// match; angle brackets count only inside angle brackets, where `<=` is not one.
int32_t Reader::SkipBalanced(int32_t position, char close) const {
  std::vector<char> open = {close};
  const int32_t end = scanner_.end();
  for (int32_t i = position; i < end; ++i) {
    const char c = text_[i];
    switch (c) {
      case '"':
        for (++i; i < end && text_[i] != '"'; ++i) {
          if (text_[i] == '\\') ++i;
          if (i < end && text_[i] == '\n') return -1;
        }
        break;
      case '/':
        if (i + 1 < end && text_[i + 1] == '/') {
          while (i + 1 < end && text_[i + 1] != '\n') ++i;
        }
        break;
      case '(': open.push_back(')'); break;
      case '[': open.push_back(']'); break;
      case '{': open.push_back('}'); break;
      case '<':
        if (open.back() == '>' || i == position || !IsSpace(text_[i - 1])) {
          if (!(i + 1 < end && text_[i + 1] == '=')) open.push_back('>');
        }
        break;
      case '>':
        if ((i > 0 && text_[i - 1] == '-') || open.back() != '>') break;  // -> and, in other brackets, > and >=
        open.pop_back();
        break;
      case ')':
      case ']':
      case '}':
        if (open.back() != c) return -1;
        open.pop_back();
        break;
      default: break;
    }
    if (open.empty()) return i;
    if (open.size() > 4 * kDeepest) return -1;
  }
  return -1;
}

// Where each alias is defined, for those that are used before (locations at the end of the text, mostly).
void Reader::IndexAliases() {
  if (aliases_indexed_) return;
  aliases_indexed_ = true;
  for (int32_t i = part_begin_; i < part_end_;) {
    int32_t j = i;
    while (j < part_end_ && (text_[j] == ' ' || text_[j] == '\t')) ++j;
    if (j < part_end_ && (text_[j] == '#' || text_[j] == '!')) {
      int32_t k = j + 1;
      while (k < part_end_ && IsNameCharacter(text_[k])) ++k;
      int32_t after = k;
      while (after < part_end_ && (text_[after] == ' ' || text_[after] == '\t')) ++after;
      if (k > j + 1 && after < part_end_ && text_[after] == '=') alias_places_.try_emplace(Text(j, k), j);
    }
    const size_t newline = text_.substr(0, part_end_).find('\n', i);
    if (newline == absl::string_view::npos) break;
    i = static_cast<int32_t>(newline) + 1;
  }
}

// At #name or !name that is followed by `=`.
bool Reader::ReadAliasDefinition() {
  const absl::string_view name = TokenText();
  const SourceRange range = TokenRange();
  const bool is_type = token_.kind == TokenKind::kBang;
  last_end_ = token_.end;
  Advance();
  if (!Expect('=', "after an alias's name")) return false;
  const bool is_location = IsWord("loc");
  const bool defined = type_aliases_.contains(name) || attr_aliases_.contains(name) || location_aliases_.contains(name);
  if (defined && alias_places_.contains(name) && alias_places_[name] == range.begin) {
    // Read already, when it was used before this place; once more to get past it.
    ++quiet_;
    Attr ignored;
    Type ignored_type;
    Location ignored_location;
    const bool ok = is_type ? ReadType(&ignored_type) : is_location ? ReadLocation(&ignored_location) : ReadAttr(&ignored);
    --quiet_;
    return ok;
  }
  if (defined) {
    return Error(range, HLO_LABEL("mlir.redefined-alias"), absl::StrCat("the alias ", name, " is defined twice"),
                 "give one of them another name");
  }
  if (!aliases_in_progress_.insert(name).second) {
    return Error(range, HLO_LABEL("mlir.undefined-alias"), absl::StrCat("the alias ", name, " is defined by itself"));
  }
  bool ok;
  if (is_type) {
    Type type;
    ok = ReadType(&type);
    if (ok) {
      alias_sizes_.emplace(name, SizeOf(type));
      type_aliases_.emplace(name, std::move(type));
    }
  } else if (is_location) {
    Location location;
    ok = ReadLocation(&location);
    if (ok) location_aliases_.emplace(name, std::move(location));
  } else {
    Attr attr;
    ok = ReadAttr(&attr);
    if (ok) {
      alias_sizes_.emplace(name, SizeOf(attr));
      attr_aliases_.emplace(name, std::move(attr));
    }
  }
  aliases_in_progress_.erase(name);
  // What could not be read counts as defined, so that its uses are not reported as well.
  if (!ok && is_type) type_aliases_.try_emplace(name);
  if (!ok && is_location) location_aliases_.try_emplace(name);
  if (!ok && !is_type && !is_location) attr_aliases_.try_emplace(name);
  return ok;
}

// {-# dialect_resources: { builtin: { name: "0x..." } } #-}. Only the places of the blobs are noted.
bool Reader::ReadResources() {
  last_end_ = token_.end;
  Advance();
  while (token_.kind != TokenKind::kMetaClose) {
    if (token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kBad) return Unexpected("'#-}'", "at the end of the resources");
    const Token name = token_;
    Advance();
    if ((name.kind == TokenKind::kIdentifier || name.kind == TokenKind::kString) && Is(':')) {
      Advance();
      if (token_.kind == TokenKind::kString) {
        const std::string key = name.kind == TokenKind::kString ? Unescape(Text(name)) : std::string(Text(name));
        resources_[key] = TokenRange();
      }
    }
  }
  last_end_ = token_.end;
  Advance();
  return true;
}

void Reader::ReadTopLevel(Region* region) {
  while (token_.kind != TokenKind::kEnd) {
    const int32_t before = token_.begin;
    bool ok = true;
    if (token_.kind == TokenKind::kHash || token_.kind == TokenKind::kBang) {
      ok = ReadAliasDefinition();
    } else if (token_.kind == TokenKind::kMetaOpen) {
      ok = ReadResources();
    } else if (Is('}')) {
      ok = Unexpected("an operation", "at the top level");
      Advance();
      continue;
    } else {
      ReadStatement(region);
    }
    if (!ok) Recover(before);
    if (token_.begin == before && token_.kind != TokenKind::kEnd) Advance();
  }
}

void Reader::ReadPart(int32_t begin, int32_t end, File* file) {
  part_begin_ = begin;
  part_end_ = end;
  attr_aliases_.clear();
  alias_sizes_.clear();
  type_aliases_.clear();
  location_aliases_.clear();
  alias_places_.clear();
  aliases_in_progress_.clear();
  resources_.clear();
  aliases_indexed_ = resources_indexed_ = unclosed_reported_ = false;
  scope_.clear();
  defined_.clear();
  reported_undefined_.clear();
  suggestion_budget_ = kMostSuggesting;
  alias_budget_ = kMostAliasNodes;
  scanner_ = Scanner(text_, begin, end);
  Seek(begin);

  auto module = std::make_unique<Op>();
  module->name = "builtin.module";
  module->regions.push_back(std::make_unique<Region>());
  Region* body = module->regions[0].get();
  body->parent = module.get();
  ReadTopLevel(body);
  if (body->ops.size() == 1 && body->ops[0]->name == "builtin.module") {
    std::unique_ptr<Op> only = std::move(body->ops[0]);
    only->parent = nullptr;
    file->modules.push_back(std::move(only));
    return;
  }
  module->range = body->ops.empty() ? SourceRange{begin, begin} : SourceRange{body->ops.front()->range.begin, body->ops.back()->range.end};
  file->modules.push_back(std::move(module));
}

File Reader::Read() {
  File file;
  file.source = source_;
  constant_budget_ = kMostConstantBytes;
  frame_budget_ = kMostRepeatedFrames;
  if (LooksLikeMlirBytecode(text_)) {
    Error({0, 4}, HLO_LABEL("mlir.bytecode"), "this is MLIR bytecode, not text",
          "convert it: stablehlo-translate --deserialize (a portable artifact) or stablehlo-opt (any bytecode) prints the text");
    return file;
  }
  // A line that begins with `// -----` ends a part.
  const int32_t size = static_cast<int32_t>(text_.size());
  int32_t part = 0;
  for (int32_t line = 0; line < size;) {
    const size_t newline = text_.find('\n', line);
    const int32_t next = newline == absl::string_view::npos ? size : static_cast<int32_t>(newline) + 1;
    int32_t first = line;
    while (first < next && (text_[first] == ' ' || text_[first] == '\t')) ++first;
    if (absl::StartsWith(text_.substr(first), "// -----")) {
      ReadPart(part, line, &file);
      part = next;
    }
    line = next;
  }
  ReadPart(part, size, &file);
  file.frames = std::move(frames_);
  return file;
}

}  // namespace hloscope::mlir
