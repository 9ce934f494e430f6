// Locations: where an operation came from.
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/text/mlir/reader.h"

namespace hloscope::mlir {

bool Reader::ReadTrailingLocation(Location* location) {
  if (!IsWord("loc")) return true;
  return ReadLocation(location);
}

bool Reader::ReadLocation(Location* location) {
  if (!TakeWord("loc")) return Unexpected("'loc'", "here");
  return Expect('(', "after 'loc'") && ReadLocationBody(location) && Expect(')', "at the end of a location");
}

bool Reader::ReadLocationAlias(Location* location, absl::string_view name, SourceRange range) {
  if (!location_aliases_.contains(name)) {
    IndexAliases();
    auto place = alias_places_.find(name);
    if (place == alias_places_.end() || aliases_in_progress_.contains(name)) {
      return Error(range, HLO_LABEL("mlir.undefined-alias"), absl::StrCat("the location ", name, " is not defined"),
                   absl::StrCat("write ", name, " = loc(...) on a line of its own"));
    }
    const int32_t back = token_.begin, last = last_end_;
    Seek(place->second);
    const bool ok = ReadAliasDefinition();
    Seek(back);
    last_end_ = last;
    if (!ok) return false;
  }
  auto found = location_aliases_.find(name);
  if (found == location_aliases_.end()) return Error(range, HLO_LABEL("mlir.location"), absl::StrCat(name, " is not a location"));
  *location = found->second;
  return true;
}

// What stands inside loc(...). `location` gets the innermost place and the outermost name.
bool Reader::ReadLocationBody(Location* location) {
  if (!Enter()) return false;
  auto read = [&]() -> bool {
    if (token_.kind == TokenKind::kHash) {
      const absl::string_view name = TokenText();
      const SourceRange range = TokenRange();
      if (scanner_.At(token_.end) == '<' || name.find('.') != absl::string_view::npos) {  // a dialect's own kind of location
        Attr attr;
        return ReadDialectAttr(&attr);
      }
      last_end_ = token_.end;
      Advance();
      return ReadLocationAlias(location, name, range);
    }
    if (TakeWord("unknown")) return true;
    if (IsWord("loc")) return ReadLocation(location);
    if (TakeWord("callsite")) {
      Location caller;
      return Expect('(', "after 'callsite'") && ReadLocationBody(location) &&
             (TakeWord("at") || Unexpected("'at'", "between the two places of a call")) && ReadLocationBody(&caller) &&
             Expect(')', "at the end of a call's location");
    }
    if (TakeWord("fused")) {
      if (Is('<')) {
        Attr metadata;
        if (!ReadDialectBody(&metadata)) return false;
      }
      if (!Expect('[', "after 'fused'")) return false;
      if (Take(']')) return true;
      do {
        Location part;
        if (!ReadLocationBody(&part)) return false;
        if (location->file.empty() && !part.file.empty()) {
          location->file = part.file;
          location->line = part.line;
          location->column = part.column;
        }
        if (location->name.empty()) location->name = part.name;
      } while (Take(','));
      return Expect(']', "at the end of fused locations");
    }
    if (token_.kind == TokenKind::kString) {
      const std::string text = Unescape(TokenText());
      last_end_ = token_.end;
      Advance();
      if (Take(':')) {
        auto number = [&](int* out) {
          int value = 0;
          if (token_.kind != TokenKind::kInteger || !absl::SimpleAtoi(TokenText(), &value)) {
            return Error(TokenRange(), HLO_LABEL("mlir.location"), absl::StrCat("expected a line or column, found ", Shown(token_)),
                         "a place is written \"file\":line:column");
          }
          *out = value;
          last_end_ = token_.end;
          Advance();
          return true;
        };
        location->file = text;
        if (!number(&location->line)) return false;
        if (Take(':') && !number(&location->column)) return false;
        if (TakeWord("to")) {  // the end of a range
          int ignored = 0;
          if (token_.kind == TokenKind::kInteger && !number(&ignored)) return false;
          if (Take(':') && !number(&ignored)) return false;
        }
        return true;
      }
      if (Take('(') && !(ReadLocationBody(location) && Expect(')', "after a named location"))) return false;
      location->name = text;
      return true;
    }
    if (token_.kind == TokenKind::kBad) return Unexpected("a location", "here");
    return Error(TokenRange(), HLO_LABEL("mlir.location"), absl::StrCat(Shown(token_), " begins no location"),
                 "write loc(unknown), loc(\"file\":line:column), loc(\"name\"(...)), loc(callsite(... at ...)) or loc(fused[...])");
  };
  const bool ok = read();
  Leave();
  return ok;
}

}  // namespace hloscope::mlir
