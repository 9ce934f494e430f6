// Commands about values: print, display, expect, set, save. What a name in an expression means: value_names.cc.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/ahead_together.h"
#include "core/debug/devices.h"
#include "core/debug/edit_text.h"
#include "core/debug/expression_moment.h"
#include "core/debug/file_words.h"
#include "core/debug/hand_sets.h"
#include "core/debug/instruction_names.h"
#include "core/debug/moment_host.h"
#include "core/debug/session_state.h"
#include "core/debug/set_devices.h"
#include "core/debug/set_readers.h"
#include "core/debug/source_view.h"
#include "core/debug/stablehlo_origin.h"
#include "core/debug/subscript.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/debug/whatif_set.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/literal/npy.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"

namespace hloscope {

// -- print and display --

namespace {

enum class PrintHow { kPlain, kShape, kStatistics, kAll };

std::string StatisticsText(const Value& value) {
  if (!value.shape().IsArray()) {
    std::string text = value.shape().ToString(false);
    for (size_t i = 0; i < value.elements().size(); ++i) absl::StrAppend(&text, "\n  [", i, "] ", StatisticsText(value.elements()[i]));
    return text;
  }
  std::string text = absl::StrCat(value.shape().ToString(false), "  ", FormatStatistics(Summarize(value)));
  const int64_t few = std::min<int64_t>(value.element_count(), 8);
  if (few > 0) {
    const ElementType type = value.shape().element_type();
    absl::StrAppend(&text, "\n  first: ");
    for (int64_t i = 0; i < few; ++i) absl::StrAppend(&text, i > 0 ? ", " : "", ToText(LoadScalar(type, value.data() + i * StorageBytes(type))));
    if (few < value.element_count()) text += ", ...";
  }
  return text;
}

std::string ValueText(const Session::State& s, const Value& value, PrintHow how) {
  if (how == PrintHow::kShape) return value.shape().ToString(false);
  if (how == PrintHow::kStatistics) return StatisticsText(value);
  std::string text = FormatValue(value, {.elements = how == PrintHow::kAll ? 0 : s.print_elements, .edge = static_cast<int>(s.print_edge)});
  if (absl::StrContains(text, '\n')) text = absl::StrCat("\n", text);
  if (how == PrintHow::kPlain && value.shape().IsArray() && value.element_count() > s.print_elements) {
    absl::StrAppend(&text, "\n  ", FormatStatistics(Summarize(value)));
  }
  return absl::StrCat(value.shape().ToString(false), absl::StartsWith(text, "\n") ? "" : " ", text);
}

}  // namespace

absl::Status CommandPrint(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  // All of it is of the moment; else there may be moments in it (MomentHost).
  if (const std::optional<expression::OfMoment> whole = expression::FirstMoment(args); whole.has_value() && whole->is_all && whole->length == args.size()) {
    const std::string text(whole->expression);
    const AheadTogether together(s);
    return LookAtMoments(s, whole->moment, text, [&](const std::string& label) {
      if (!label.empty()) s.Say(label, ": ");
      return CommandPrint(s, text);
    });
  }
  PrintHow how = PrintHow::kPlain;
  if (absl::StartsWith(args, "/")) {
    const absl::string_view option = TakeWord(args);
    if (option == "/shape") how = PrintHow::kShape;
    else if (option == "/stats") how = PrintHow::kStatistics;
    else if (option == "/all") how = PrintHow::kAll;
    else return absl::InvalidArgumentError(absl::StrCat("print has no option ", option, "; it has /shape, /stats and /all"));
  }
  if (args.empty()) return absl::InvalidArgumentError("print takes a value or an expression, as: print %x[0:3, :]");
  if (how == PrintHow::kShape) {  // needs no value
    absl::string_view rest = args;
    const absl::StatusOr<Reference> reference = ParseReference(rest, s);
    if (reference.ok() && reference->subscripts.empty() && absl::StripAsciiWhitespace(rest).empty()) {
      const absl::StatusOr<Shape> shape = s.ShapeOf(reference->name);
      if (!shape.ok()) return shape.status();
      s.Say(args, " = ", shape->ToString(true), "\n");
      return absl::OkStatus();
    }
  }
  const absl::StatusOr<ExpressionResult> result = EvaluateExpression(args, MomentHost(s));
  if (!result.ok()) return WithMoment(result.status(), "print", args);
  if (result->kind == ExpressionResult::kValue) {
    s.Say(args, " = ", ValueText(s, result->value, how), "\n", SetMarksOfExpression(s, args));
    return absl::OkStatus();
  }
  const std::string text = ToText(*result, how == PrintHow::kAll ? 0 : s.print_elements);
  s.Say(args, " = ", absl::StrContains(text, '\n') ? "\n" : "", text, "\n", SetMarksOfExpression(s, args));
  return absl::OkStatus();
}

absl::Status CommandDisplay(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  if (!args.empty()) {
    const absl::Status known = s.CheckExpression(args);
    if (!known.ok()) return known;
    s.displays.push_back({s.next_display++, std::string(args)});
    if (!s.visible()) return absl::OkStatus();
  }
  s.ShowDisplays();
  return absl::OkStatus();
}

absl::Status CommandUndisplay(Session::State& s, absl::string_view args) {
  std::vector<int> numbers;
  for (absl::string_view word : absl::StrSplit(args, absl::ByAnyChar(" ,\t"), absl::SkipEmpty())) {
    int number = 0;
    const auto known = [&](const DisplayItem& item) { return item.number == number; };
    if (!absl::SimpleAtoi(word, &number) || std::none_of(s.displays.begin(), s.displays.end(), known)) {
      return absl::NotFoundError(absl::StrCat("there is no display ", word, "; info display lists them"));
    }
    numbers.push_back(number);
  }
  const auto goes = [&](const DisplayItem& item) { return numbers.empty() || std::find(numbers.begin(), numbers.end(), item.number) != numbers.end(); };
  s.displays.erase(std::remove_if(s.displays.begin(), s.displays.end(), goes), s.displays.end());
  return absl::OkStatus();
}

// -- expect --

namespace {

// Of several devices any may be the one that stopped with it.
absl::Status ExpectError(Session::State& s, absl::string_view args, ExpectRecord& record) {
  std::string wanted(args);
  if (absl::StartsWith(args, "\"")) {
    absl::StatusOr<std::string> quoted = TakeQuoted(args);
    if (quoted.ok() && !args.empty()) quoted = absl::InvalidArgumentError(absl::StrCat("expect error takes one text; behind it stands ", args));
    if (!quoted.ok()) return quoted.status();
    wanted = *std::move(quoted);
  }
  const std::vector<DeviceError> errors = ErrorsOfRuns(s);
  const auto contains = [&](const DeviceError& error) { return absl::StrContains(error.why, wanted); };
  record.passed = std::any_of(errors.begin(), errors.end(), contains);
  if (!record.passed && errors.empty()) record.detail = "the program did not stop with an error";
  for (const DeviceError& error : record.passed ? std::vector<DeviceError>() : errors)
    absl::StrAppend(&record.detail, record.detail.empty() ? "" : "; ", "the error", Several(s) ? absl::StrCat(" of ", s.options.devices.Name(error.device)) : "", " is: ", error.why);
  for (const DeviceError& error : errors) {
    const int selected = DevicesOf(s).selected;
    SwapTo(s, error.device);
    if (contains(error)) s.error_expected = true;
    SwapTo(s, selected);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CommandExpect(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  if (args.empty()) return absl::InvalidArgumentError("expect takes an expression, as: expect max(abs(%y)) < 1e3 (see: help expressions)");
  ExpectRecord record;
  record.text = Several(s) ? absl::StrCat(SelectedName(s), ": ", args) : std::string(args);
  absl::string_view rest = args;
  if (TakeWord(rest) == "error") {
    if (absl::Status expected = ExpectError(s, rest, record); !expected.ok()) return expected;
  } else {
    const absl::StatusOr<Claim> claim = EvaluateClaim(args, MomentHost(s));
    // What is no claim about this program is a mistake of whoever wrote it, and not the program's, also where a value is missing before that.
    const absl::Status form = claim.ok() ? absl::OkStatus() : s.CheckExpression(args, true);
    for (const absl::Status& mistake : {claim.status(), form}) {
      if (absl::IsInvalidArgument(mistake) || absl::IsNotFound(mistake)) return mistake;
    }
    record.passed = claim.ok() && claim->holds;
    record.detail = claim.ok() ? claim->detail : std::string(claim.status().message());
  }
  record.where = WhereAsked(s);
  record.script = s.script;
  record.line = s.script_line;
  if (record.passed) {
    s.Say("ok: ", args, "\n");
  } else {
    s.Say("FAILED: ", args, "\n", record.detail.empty() ? "" : absl::StrCat("  ", record.detail, "\n"), "  ", record.Place(), "\n");
  }
  s.expects.push_back(std::move(record));
  return absl::OkStatus();
}

// -- set, show, save --

namespace {

// A number that an integer type would cut, or a float type would make infinite, is refused; rounding to a float type is not.
absl::Status CheckFits(const ExpressionResult& number, absl::string_view text, ElementType type, const Scalar& wanted) {
  const Scalar given = number.kind == ExpressionResult::kValue ? LoadScalar(number.value.shape().element_type(), number.value.data())
                                                               : Scalar::Complex(ElementType::kC128, {number.re[0], number.im.empty() ? 0 : number.im[0]});
  const bool complex = IsComplex(given.type), unsigned_given = !complex && IsUnsigned(given.type);
  const double before = complex || IsFloat(given.type) ? given.re : unsigned_given ? static_cast<double>(given.u()) : static_cast<double>(given.i);
  const double after = IsFloat(type) || IsComplex(type) ? wanted.re : IsUnsigned(type) ? static_cast<double>(wanted.u()) : static_cast<double>(wanted.i);
  bool fits = !complex || given.im == 0 || IsComplex(type);
  if (IsFloat(type) || IsComplex(type)) {
    fits = fits && (std::isfinite(after) || !std::isfinite(before));
  } else if (IsInteger(given.type) && IsInteger(type)) {
    const bool negative = !unsigned_given && given.i < 0, turned = !IsUnsigned(type) && wanted.i < 0;
    fits = given.i == wanted.i && negative == turned;
  } else {
    fits = fits && before == after;
    // As doubles, 2^63 and 2^63 - 1 are the same; texts are read exactly where they can be.
    int64_t integer = 0;
    uint64_t natural = 0;
    const absl::string_view word = absl::StripAsciiWhitespace(text);
    if (fits && std::fabs(before) >= 9007199254740992.0 && number.kind == ExpressionResult::kNumbers) {
      fits = IsUnsigned(type) ? absl::SimpleAtoi(word, &natural) && natural == wanted.u() : absl::SimpleAtoi(word, &integer) && integer == wanted.i;
    }
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(Name(type), " cannot hold ", absl::StripAsciiWhitespace(text)));
}

// A number that is not 0, and a float type has nothing so small.
bool LostToZero(const ExpressionResult& number, const Scalar& wanted) {
  if (!IsFloat(wanted.type) || wanted.re != 0) return false;
  return number.kind == ExpressionResult::kNumbers ? number.re[0] != 0 : LoadScalar(number.value.shape().element_type(), number.value.data()).re != 0;
}

// What a tuple's subscripts lead to; `path` gets them. Those of arrays are left.
absl::StatusOr<Value> LeafOf(const Value& whole, const Reference& reference, std::vector<int64_t>* path) {
  Value leaf = whole;
  for (absl::string_view text : reference.subscripts) {
    if (!leaf.shape().IsTuple()) break;
    const absl::StatusOr<Subscript> subscript = ParseSubscript(text);
    if (!subscript.ok()) return subscript.status();
    const absl::StatusOr<Value> inner = ApplySubscript(leaf, *subscript);
    if (!inner.ok()) return inner.status();
    const int64_t k = (*subscript)[0].index, n = static_cast<int64_t>(leaf.elements().size());
    path->push_back(k < 0 ? k + n : k);
    leaf = *inner;
  }
  return leaf;
}

absl::Status SetElement(Session::State& s, absl::string_view target, absl::string_view text) {
  absl::string_view rest = target;
  absl::StatusOr<Reference> reference = ParseReference(rest, s);
  if (!reference.ok()) return reference.status();
  constexpr char kUsage[] = "set takes %x = NUMBER, %x[0,1] = NUMBER, %t[1][0] = NUMBER, %x[0:2, :] = EXPR or %x = FILE.npy";
  if (!absl::StripAsciiWhitespace(rest).empty()) return absl::InvalidArgumentError(kUsage);
  const absl::Status running = s.NeedRunning();  // after the end nothing would read it
  if (!running.ok()) return running;
  if (absl::Status outside = OutsideElements(*s.machine); !outside.ok()) return outside;
  const absl::StatusOr<std::pair<int, const Instruction*>> found = s.FindValue(reference->name);
  if (!found.ok()) return found.status();
  const absl::StatusOr<Value> whole = s.machine->ValueOf(found->first, found->second->index);
  if (!whole.ok()) return whole.status();
  std::vector<int64_t> path;
  absl::StatusOr<Value> before = LeafOf(*whole, *reference, &path);
  if (!before.ok()) return before.status();
  std::string name = absl::StrCat("%", reference->name, absl::StrJoin(reference->subscripts, ""));
  reference->subscripts.erase(reference->subscripts.begin(), reference->subscripts.begin() + path.size());
  if (reference->subscripts.size() > 1) return absl::InvalidArgumentError(kUsage);
  const Shape& shape = before->shape();
  if (!shape.IsArray()) return absl::InvalidArgumentError(absl::StrCat(name, " is ", shape.ToString(false), "; only elements of arrays can be set"));
  std::optional<Chosen> chosen;  // by a subscript; none: the whole
  int64_t first = 0, last = shape.ElementCount();
  if (!reference->subscripts.empty()) {
    absl::string_view subscript_text = reference->subscripts[0];
    const absl::StatusOr<Subscript> subscript = ParseSubscript(subscript_text);
    if (!subscript.ok()) return subscript.status();
    const absl::StatusOr<int64_t> at = ElementIndex(shape, *subscript);
    if (at.ok()) {
      first = *at;
      last = first + 1;
    } else {
      absl::StatusOr<Chosen> some = Choose(shape, *subscript);
      if (!some.ok()) return some.status();
      chosen = *std::move(some);
    }
  }
  const auto finish = [&](Value after, absl::string_view what) {
    HandSet made{s.machine->Where(), found->first, std::string(found->second->name), path, {}, after, name};
    if (chosen.has_value()) {
      made.places = chosen->places;
    } else if (first != 0 || last != shape.ElementCount()) {
      for (int64_t k = first; k < last; ++k) made.places.push_back(k);
    }
    const std::vector<HandSet> later = LaterSets(s);
    const absl::StatusOr<GoingAnew> going = PlanGoingAnew(s);
    if (!going.ok()) return going.status();
    GoAnew(s, *going);
    absl::Status set = s.machine->ValueOf(found->first, found->second->index).status();  // others may have to bring it first, now
    if (set.ok()) set = s.machine->SetValue(found->first, found->second->index, WithLeaf(*whole, path, std::move(after)), LeafNumber(found->second->shape, path), made.places);
    if (set.ok()) {
      NoteEdit(s, made);
      s.Say(name, " = ", what, "\n", ReadBeforeText(s, made));
      SendBack(s, *going);
      SetLaterAgain(s, made, later);
    } else if (going->plan.undoes) {
      SendBack(s, *going);
      AwaitSets(s, later);
    }
    if (const size_t copies = set.ok() ? CopiesOf(*s.module, *found->second, StableHloBefore(s)).size() : 0; copies > 0) {
      s.Say("  Regions that read it have ", copies == 1 ? "a copy" : "copies", " of this constant, as before: edit ", ShownName(*found->second), " = VALUE changes all\n");
    }
    return set;
  };
  const auto copy = [&] {
    Value after = Value::Allocate(shape, &s.machine->account());
    if (after.byte_size() > 0) std::memcpy(after.mutable_data(), before->data(), after.byte_size());
    return after;
  };
  // Element k of `from` goes to the k-th chosen place.
  const auto place = [&](const Value& from) {
    Value after = copy();
    const int64_t bytes = StorageBytes(shape.element_type());
    for (int64_t k = 0; k < from.element_count(); ++k) std::memcpy(after.mutable_data() + (chosen.has_value() ? chosen->places[k] : first + k) * bytes, from.data() + k * bytes, bytes);
    return after;
  };
  const Shape wanted_shape = chosen.has_value() ? chosen->shape : reference->subscripts.empty() ? shape : Shape::Array(shape.element_type(), {});
  if (NamesArrayFile(text)) {
    const absl::StatusOr<Value> read = ReadArrayFile(text, wanted_shape);
    if (!read.ok()) return read.status();
    const Value dense = ToDense(*read);
    return finish(place(dense), absl::StripAsciiWhitespace(text));
  }
  absl::StatusOr<ExpressionResult> number = EvaluateExpression(text, MomentHost(s));
  if (!number.ok()) return number.status();
  if (number->kind == ExpressionResult::kNumbers && number->value.has_value()) number->kind = ExpressionResult::kValue;  // integers, exactly
  Scalar wanted;
  const ElementType type = shape.element_type();
  if (number->kind == ExpressionResult::kNumbers && number->re.size() == 1) {
    const Scalar given = number->im.empty() ? Scalar::Float(ElementType::kF64, number->re[0]) : Scalar::Complex(ElementType::kC128, {number->re[0], number->im[0]});
    wanted = ConvertScalar(given, type);
  } else if (number->kind == ExpressionResult::kValue && number->value.shape().IsArray() && number->value.element_count() == 1) {
    wanted = ConvertScalar(LoadScalar(number->value.shape().element_type(), number->value.data()), type);
  } else {
    absl::StatusOr<Value> given = ToValue(*number);
    if (!given.ok()) return number->integers.empty() ? absl::InvalidArgumentError("the right side must be a number or an array") : given.status();
    absl::StatusOr<Value> converted = InTypeOf(*given, wanted_shape);
    if (!converted.ok()) return converted.status();
    return finish(place(*converted), absl::StripAsciiWhitespace(text));
  }
  const absl::Status fits = CheckFits(*number, text, type, wanted);
  if (!fits.ok()) return fits;
  Value after = copy();
  const int64_t bytes = StorageBytes(type);
  if (chosen.has_value()) {
    for (const int64_t i : chosen->places) StoreScalar(wanted, after.mutable_data() + i * bytes);
  } else {
    for (int64_t i = first; i < last; ++i) StoreScalar(wanted, after.mutable_data() + i * bytes);
  }
  const absl::Status set = finish(std::move(after), ToText(wanted));
  if (set.ok() && LostToZero(*number, wanted)) s.Say("  note: ", absl::StripAsciiWhitespace(text), " is too small for ", Name(type), ", which makes it 0\n");
  return set;
}

absl::Status SetNumber(absl::string_view text, int64_t& setting, int64_t least) {
  int64_t n = 0;
  if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(text), &n) || n < least) {
    return absl::InvalidArgumentError(absl::StrCat("a number of at least ", least, " is expected, not '", text, "'"));
  }
  setting = n;
  return absl::OkStatus();
}

absl::Status SetBytes(Session::State& s, absl::string_view text, int64_t& setting) {
  const absl::StatusOr<int64_t> bytes = ParseByteCount(text);
  if (!bytes.ok()) return bytes.status();
  setting = *bytes;
  if (s.started()) s.Say("This holds from the next run on.\n");
  return absl::OkStatus();
}

}  // namespace

absl::Status CommandSet(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  const size_t equals = args.find('=');
  if (equals != absl::string_view::npos && (args[0] == '%' || absl::StrContains(args.substr(0, equals), '[') || s.IsName(absl::StripAsciiWhitespace(args.substr(0, equals))))) {
    const absl::string_view what = absl::StripAsciiWhitespace(args.substr(0, equals)), value = absl::StripAsciiWhitespace(args.substr(equals + 1));
    if (value.empty()) return absl::InvalidArgumentError(absl::StrCat("set ", what, " = takes the new value after the =, as: set ", what, " = 2.5"));
    return SetElement(s, what, value);
  }
  absl::string_view rest = args;
  absl::string_view name = TakeWord(rest);
  if (name == "print") {
    name = TakeWord(rest);
    if (name == "elements") return SetNumber(rest, s.print_elements, 0);
    if (name == "edge") return SetNumber(rest, s.print_edge, 1);
    return absl::InvalidArgumentError("set print takes elements N or edge N");
  }
  if (name == "stop") return SetStop(s, rest);
  if (name == "list") return SetNumber(rest, s.list_size, 1);
  if (name == "source-path") return SetSourcePath(s, rest);
  if (name == "retain") return SetBytes(s, rest, s.options.retain_bytes);
  if (name == "memory-limit") return SetBytes(s, rest, s.options.memory_limit);
  if (name == "max-iterations") {
    const absl::Status done = SetNumber(rest, s.options.max_iterations, 0);
    if (done.ok() && s.started()) s.Say("This holds from the next run on.\n");
    return done;
  }
  return absl::InvalidArgumentError(absl::StrCat(name.empty() ? "set takes a value's element or a setting" : absl::StrCat("there is no setting '", name, "'"),
                                                 "; show lists the settings, and set %x[0,1] = 2.5 changes an element"));
}

absl::Status CommandShow(Session::State& s, absl::string_view args) {
  s.Say("print elements ", s.print_elements, "\nprint edge ", s.print_edge, "\nlist ", s.list_size, "\nretain ", FormatByteCount(s.options.retain_bytes),
        "\nmemory-limit ", s.options.memory_limit == 0 ? "none" : FormatByteCount(s.options.memory_limit), "\nmax-iterations ",
        s.options.max_iterations == 0 ? "none" : absl::StrCat(s.options.max_iterations), "\nfill ", ToText(s.options.fill), Several(s) ? absl::StrCat("\nstop ", DevicesOf(s).stop_one ? "one" : "all") : "",
        "\nsource-path ", s.Extension<SourceView>().path().empty() ? "none" : absl::StrJoin(s.Extension<SourceView>().path(), ":"), "\n");
  return absl::OkStatus();
}

absl::Status CommandSave(Session::State& s, absl::string_view args) {
  absl::string_view what = args;
  const absl::StatusOr<std::string> file = TakeLastFile(what);
  if (!file.ok()) return file.status();
  const std::string path = FileOfRun(s, *file);
  if (what.empty() || file->empty()) return absl::InvalidArgumentError("save takes a value and a file, as: save %x x.npy");
  if (absl::EndsWith(path, ".png")) return absl::InvalidArgumentError(absl::StrCat("save writes numbers, as .npy; a picture is drawn by: picture ", what, " ", FileWord(path)));
  const absl::StatusOr<ExpressionResult> result = EvaluateExpression(what, MomentHost(s));
  if (!result.ok()) return WithPathHint(result.status(), what);
  if (result->kind != ExpressionResult::kValue) return absl::InvalidArgumentError("save takes a value or a slice of one, as %x or %x[0:3]");
  const Value& value = result->value;
  if (value.shape().IsTuple()) return absl::InvalidArgumentError(absl::StrCat("this is a tuple of ", value.elements().size(), "; save one element, as: save %x[0] x.npy"));
  const absl::Status written = WriteNpy(path, value);
  if (written.ok()) s.Say("Saved ", value.shape().ToString(false), " in ", path, ".\n");
  return written;
}

}  // namespace hloscope
