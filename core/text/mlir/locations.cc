// Locations: where an operation came from.
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
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
    if (!alias_places_.contains(name) || aliases_in_progress_.contains(name)) {
      return Error(range, HLO_LABEL("mlir.undefined-alias"), absl::StrCat("the location ", name, " is not defined"),
                   absl::StrCat("write ", name, " = loc(...) on a line of its own"));
    }
    const int32_t back = token_.begin, last = last_end_;
    const bool ok = ReadLaterAliases(name);
    Seek(back);
    last_end_ = last;
    if (!ok) return false;
  }
  auto found = location_aliases_.find(name);
  if (found == location_aliases_.end()) return Error(range, HLO_LABEL("mlir.location"), absl::StrCat(name, " is not a location"));
  *location = found->second;
  return true;
}

// The aliases on which `name` is built come first, so that a stack of calls of any depth, each caller an alias further on in the text, takes no more
// of this program's stack than one. False: the alias itself is not well-formed.
bool Reader::ReadLaterAliases(absl::string_view name) {
  std::vector<absl::string_view> todo = {name};
  absl::flat_hash_set<absl::string_view> opened;
  bool ok = true;
  while (!todo.empty()) {
    const absl::string_view next = todo.back();
    if (opened.insert(next).second) {
      const std::vector<absl::string_view> inner = LaterAliasesIn(next);
      todo.insert(todo.end(), inner.begin(), inner.end());
      continue;
    }
    todo.pop_back();
    if (location_aliases_.contains(next) || attr_aliases_.contains(next)) continue;
    Seek(alias_places_[next]);
    ok = ReadAliasDefinition();
  }
  return ok;
}

// The names of aliases in a location's definition that are defined and have not been read.
std::vector<absl::string_view> Reader::LaterAliasesIn(absl::string_view name) {
  std::vector<absl::string_view> found;
  Seek(alias_places_[name]);
  Advance();
  if (!Take('=') || !IsWord("loc")) return found;
  Advance();
  int open = 0;
  do {
    if (Is('(') || Is('[')) ++open;
    if (Is(')') || Is(']')) --open;
    if (token_.kind == TokenKind::kHash && !location_aliases_.contains(TokenText()) && !aliases_in_progress_.contains(TokenText()) && alias_places_.contains(TokenText())) found.push_back(TokenText());
    Advance();
  } while (open > 0 && token_.kind != TokenKind::kEnd);
  return found;
}

int32_t Reader::AddFrame(CallFrame frame) {
  const auto [known, fresh] = frame_numbers_.try_emplace(std::move(frame), static_cast<int32_t>(frames_.size()));
  if (fresh) frames_.push_back(known->first);
  return known->second;
}

// Now that it is known that the location is one of a stack of calls, or has an operation's name around it.
void Reader::NameFunction(Location* location) {
  if (!location->names_place) return;
  CallFrame frame = frames_[location->frame];
  frame.function = location->name;
  location->frame = AddFrame(std::move(frame));
  location->names_place = false;
}

// Whether the frame and its callers may be written once more, for others around them: aliases inside aliases could double them again and again. Where a text
// comes to too many, its further locations are the innermost ones, as the program itself does not depend on them.
bool Reader::TakeFrames(SourceRange range, int32_t frame) {
  for (; frame >= 0 && frame_budget_ >= 0; frame = frames_[frame].caller) --frame_budget_;
  if (frame_budget_ >= 0) return true;
  if (!frames_reported_ && quiet_ == 0) {
    frames_reported_ = true;
    sink_.Warning(range, HLO_LABEL("mlir.location-size"), "the calls in this text's locations expand to too much; from here on some callers are left out");
  }
  return false;
}

// callsite(f at callsite(g at h)): the callers of callers are read one after the other.
bool Reader::ReadCallSite(Location* location, SourceRange range) {
  std::vector<Location> callees;
  do {
    if (!(Expect('(', "after 'callsite'") && ReadLocationBody(&callees.emplace_back()) && (TakeWord("at") || Unexpected("'at'", "between the two places of a call")))) return false;
  } while (TakeWord("callsite"));
  Location around;
  if (!ReadLocationBody(&around)) return false;
  for (; !callees.empty(); callees.pop_back()) {
    if (!Expect(')', "at the end of a call's location")) return false;
    Called(&callees.back(), std::move(around), range);
    around = std::move(callees.back());
  }
  *location = std::move(around);
  return true;
}

// The place `location` in a function that is called at `caller`.
void Reader::Called(Location* location, Location caller, SourceRange range) {
  NameFunction(location);
  NameFunction(&caller);
  if (caller.frame < 0) return;
  if (location->frame < 0) {  // the nearest place that is known
    location->frame = caller.frame;
    location->file = caller.file;
    location->line = caller.line;
    location->column = caller.column;
    return;
  }
  if (frames_[location->frame].caller >= 0 && !TakeFrames(range, location->frame)) return;
  std::vector<int32_t> callee;
  for (int32_t f = location->frame; f >= 0; f = frames_[f].caller) callee.push_back(f);
  int32_t around = caller.frame;
  for (auto f = callee.rbegin(); f != callee.rend(); ++f) {
    CallFrame frame = frames_[*f];
    frame.caller = around;
    around = AddFrame(std::move(frame));
  }
  location->frame = around;
}

// The first place is the location's own. The frames of the further ones that are not among those before follow it, the innermost of each marked.
bool Reader::ReadFusedLocations(Location* location, SourceRange range) {
  if (Is('<')) {
    Attr metadata;
    if (!ReadDialectBody(&metadata)) return false;
  }
  if (!Expect('[', "after 'fused'")) return false;
  if (Take(']')) return true;
  std::vector<CallFrame> places;
  absl::flat_hash_set<CallFrame> known;
  int parts = 0;
  do {
    Location part;
    if (!ReadLocationBody(&part)) return false;
    if (location->name.empty()) location->name = part.name;
    if (part.frame < 0) continue;
    if (parts++ == 0) {
      location->file = part.file;
      location->line = part.line;
      location->column = part.column;
      location->frame = part.frame;
    }
    const size_t before = places.size();
    if (!TakeFrames(range, part.frame)) continue;
    for (int32_t f = part.frame; f >= 0; f = frames_[f].caller) {
      CallFrame place = frames_[f];
      place.caller = -1;
      CallFrame itself = place;
      itself.another = false;
      if (parts > 1 && known.contains(itself)) continue;
      place.another |= parts > 1 && places.size() == before;
      places.push_back(std::move(place));
    }
    for (size_t k = before; k < places.size(); ++k) {
      CallFrame itself = places[k];
      itself.another = false;
      known.insert(std::move(itself));
    }
  } while (Take(','));
  if (!Expect(']', "at the end of fused locations")) return false;
  if (parts < 2 || places.empty()) return true;
  int32_t around = -1;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    place->caller = around;
    around = AddFrame(std::move(*place));
  }
  location->frame = around;
  return true;
}

bool Reader::ReadFilePlace(Location* location, std::string file) {
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
  CallFrame frame;
  if (!number(&frame.line)) return false;
  if (Take(':') && !number(&frame.column)) return false;
  frame.end_line = frame.line;
  frame.end_column = frame.column;
  if (TakeWord("to")) {  // the end of a range
    if (token_.kind == TokenKind::kInteger && !number(&frame.end_line)) return false;
    if (Take(':') && !number(&frame.end_column)) return false;
  }
  location->file = frame.file = std::move(file);
  location->line = frame.line;
  location->column = frame.column;
  location->frame = AddFrame(std::move(frame));
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
    const SourceRange range = TokenRange();
    if (TakeWord("callsite")) return ReadCallSite(location, range);
    if (TakeWord("fused")) return ReadFusedLocations(location, range);
    if (token_.kind == TokenKind::kString) {
      const std::string text = Unescape(TokenText());
      last_end_ = token_.end;
      Advance();
      if (Take(':')) return ReadFilePlace(location, text);
      if (Take('(') && !(ReadLocationBody(location) && Expect(')', "after a named location"))) return false;
      NameFunction(location);
      location->names_place = location->name.empty() && location->frame >= 0 && frames_[location->frame].caller < 0;
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
