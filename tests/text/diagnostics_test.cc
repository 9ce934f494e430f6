// Every diagnostic of the readers of HLO text: its label, its exact place, and what it says. The place is marked @<so>@ in the text.
#include "absl/strings/str_cat.h"
#include "core/text/hlo_text.h"
#include "core/text/module_reader.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

struct Case {
  const char* label;
  const char* text;     // with the place marked
  const char* message;  // a part of it
  const char* hint;     // a part of it
};

// Takes the marks out; returns the place.
SourceRange TakeMarks(std::string& text) {
  SourceRange range;
  size_t begin = text.find("@<");
  if (begin == std::string::npos) return range;
  text.erase(begin, 2);
  size_t end = text.find(">@", begin);
  text.erase(end, 2);
  return {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
}

std::string Describe(const DiagnosticSink& sink, const SourceText& source) {
  std::string all;
  for (const Diagnostic& d : sink.diagnostics()) all += Render(d, source);
  return all;
}

const Case kCases[] = {
    // The module and what stands around computations.
    {"text.empty", "@<>@// only a comment\n", "found nothing", ""},
    {"text.unexpected", "HloModule m\n@<=>@ what\nENTRY e { a = f32[] parameter(0) }",
     "expected HloModule, a computation or an instruction, found '='", ""},
    {"text.unexpected", "@<lorem>@ ipsum\ndolor sit\n", "found 'lorem'", ""},
    {"text.outside-computation", "HloModule m\n@<a>@ = f32[] parameter(0)\n b = f32[] negate(a) }\nENTRY e { c = f32[] parameter(0) }",
     "it stands outside of all, and a } follows in line 3", "write NAME {"},
    {"text.outside-computation", "HloModule m\n@<ROOT b>@ = f32[] negate(p) }\nENTRY e { c = f32[] parameter(0) }", "before this instruction", "ENTRY NAME {"},
    {"text.outside-computation", "HloModule m\n@<a>@ = f32[] parameter(0)\nENTRY e { c = f32[] parameter(0) }", "the program has an ENTRY", ""},
    {"text.second-module", "HloModule a\n@<HloModule>@ b\n", "found a second HloModule", "a file of its own"},
    {"text.expected-name", "HloModule @<,>@ is_scheduled=true\ne { a = f32[] parameter(0) }", "name of the module", ""},
    {"text.expected-name", "HloModule m, @<=>@5\ne { a = f32[] parameter(0) }", "name of an attribute", ""},
    {"text.expected-value", "HloModule m, a=@<,>@ b=2\ne { a = f32[] parameter(0) }", "expected a value, found ','", ""},
    {"text.unterminated-comment", "HloModule m\n@</*>@ and so on", "'*/'", ""},
    {"text.unterminated-string", "HloModule m, a=@<\">@and so on", "to end the string", ""},
    {"text.unclosed-bracket", "HloModule m, a=@<{>@{1}, b", "expected '}' to close the '{'", ""},
    {"text.table-id", "FileNames\n1 \"a\"\n@<3>@ \"b\"\n\ne { a = f32[] parameter(0) }", "expected id 2", "1, 2, 3"},
    {"text.table-field", "FileLocations\n1 {file_name_id=1 @<row>@=2}\n\ne { a = f32[] parameter(0) }", "found 'row'", ""},
    {"text.table-field", "FileNames\n1 @<a>@\n\ne { a = f32[] parameter(0) }", "expected a string in quotes, found 'a'", ""},
    {"text.table-field", "StackFrames\n1 {file_location_id=@<99999999999>@}\n\ne { a = f32[] parameter(0) }", "32 bits", ""},
    {"text.entry-layout-parameters", "HloModule m, entry_computation_layout={(f32[2]{0}, f32[])->f32[2]{0}}\nENTRY @<e>@ { ROOT a = f32[2] parameter(0) }",
     "promises 2 parameters, the entry e takes 1", ""},
    {"text.entry-layout-parameter", "HloModule m, entry_computation_layout={(f32[3]{0})->f32[2]{0}}\nENTRY e { ROOT @<a>@ = f32[2] parameter(0) }",
     "promises f32[3] for parameter 0", ""},
    {"text.entry-layout-result", "HloModule m, entry_computation_layout={(f32[2]{0})->(f32[2]{0})}\nENTRY e { ROOT @<a>@ = f32[2] parameter(0) }",
     "promises the result (f32[2])", ""},
    {"text.outfeed-shape", "ENTRY e { x = f32[2] constant({1, 2})\n t = token[] after-all()\n ROOT o = token[] outfeed(x, t), @<outfeed_shape=f32[3]>@ }",
     "outfeed_shape is f32[3], but %x, which is handed out, is f32[2]", ""},
    {"text.outfeed-shape", "ENTRY e { x = f32[2] constant({1, 2})\n t = token[] after-all()\n ROOT o = token[] outfeed(x, t), @<outfeed_shape=f99[3]>@ }",
     "expected a shape, as outfeed_shape=f32[2]", ""},
    // Computations.
    {"text.unclosed-computation", "@<e>@ {\n  a = f32[] parameter(0)\n", "expected '}' to close computation e, found the end of the text",
     ""},
    {"text.unclosed-computation", "@<f>@ {\n  a = f32[] parameter(0)\n\nENTRY e (b: f32[]) -> f32[] {\n  b = f32[] parameter(0)\n}\n",
     "found 'ENTRY'", ""},
    {"text.expected-name", "ENTRY @<{>@ a = f32[] parameter(0) }", "name of a computation", ""},
    {"text.expected-name", "e (a: f32[], @<=>@) -> f32[] {\n a = f32[] parameter(0) }", "name of a parameter", ""},
    {"text.expected-punctuation", "e (a @<f32>@[]) -> f32[] {\n a = f32[] parameter(0) }",
     "expected ':' after the name of a parameter, found 'f32'", ""},
    {"text.expected-name", "e { a = f32[] parameter(0) }, @<=>@", "name of an attribute", ""},
    {"text.result-shape", "e (a: f32[2]) -> @<f32[3]>@ {\n  a = f32[2] parameter(0)\n}",
     "expected the shape of the root %a, f32[2], found f32[3]", "root"},
    {"text.parameter-shape", "e (a: @<f32[3]>@) -> f32[2] {\n  a = f32[2] parameter(0)\n}", "says f32[3] for parameter 0", ""},
    {"text.parameter-count", "@<e>@ (a: f32[]) -> f32[] {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n}", "lists 1 parameters",
     ""},
    {"text.unknown-computation", "f { p = f32[] parameter(0) }\nENTRY e { a = f32[] parameter(0) b = f32[] call(a), to_apply=@<%ff>@ }",
     "expected a computation of the module, found 'ff'", "did you mean 'f'?"},
    // Instructions.
    {"text.expected-name", "e { @<=>@ f32[] parameter(0)\n}", "name of an instruction", ""},
    {"text.expected-punctuation", "e { a @<f32>@[] parameter(0)\n}", "expected '=' after the name of an instruction, found 'f32'",
     "looks like"},
    {"text.expected-punctuation", "e { a = f32[] parameter@<[>@0]\n}", "expected '(' after the opcode parameter, found '['", ""},
    // What is missing at the end of a line is wrong there, not on the next one.
    {"text.metadata", "e {\n a = f32[] parameter(0), metadata@<=>@\n b = f32[] negate(a)\n}", "expected metadata such as {op_name=\"..\"}, found the end of the line", ""},
    {"text.attribute-list", "e {\n a = f32[2] parameter(0)\n b = f32[2,2] broadcast(a), dimensions@<=>@\n c = f32[2,2] negate(b)\n}", "found the end of the line", ""},
    {"text.expected-name", "e {\n a = f32[] parameter(0)@<,>@\n b = f32[] negate(a)\n}", "expected the name of an attribute, found the end of the line", ""},
    {"text.expected-punctuation", "e {\n a = f32[] parameter(0), met@<a>@\n b = f32[] negate(a)\n}", "expected '=' after the attribute meta, found the end of the line", ""},
    {"text.expected-punctuation", "e { a = f32[] parameter(0) b = f32[2] broadcast(a) @<dimensions>@={}\n}",
     "expected ',' before the attribute dimensions", ""},
    {"text.second-root", "e { ROOT a = f32[] parameter(0)\n  @<ROOT>@ b = f32[] negate(a)\n}", "a is ROOT already", ""},
    {"text.expected-opcode", "e { a = f32[] @<=>@ \n}", "expected an opcode, found '='", ""},
    {"text.expected-opcode", "e { a = @<,>@ \n}", "expected a shape or an opcode, found ','", ""},
    {"text.unknown-opcode", "e { a = f32[] parameter(0)\n b = f32[] @<subtrat>@(a, a)\n}", "found 'subtrat'", "did you mean 'subtract'?"},
    {"text.sum-shape", "e { a = f32[] parameter(0)\n b = cosine(a)\n @<c>@ = cross-replica-sum(b)\n}", "expected the shape of a cross-replica-sum", "s = f32[2] cross-replica-sum(x)"},
    {"text.expected-operand", "e { a = f32[] parameter(0)\n b = f32[] add(a, @<,>@ a)\n}", "name of an operand", ""},
    {"text.expected-operand", "e { a = f32[] parameter(0)\n b = f32[] negate(a), control-predecessors={@<=>@}\n}", "name of an instruction",
     ""},
    {"text.unknown-operand", "e { alpha = f32[] parameter(0)\n b = f32[] negate(@<%alhpa>@)\n}",
     "expected an instruction of computation e, found 'alhpa'", "did you mean 'alpha'?"},
    {"text.unknown-operand", "e { a = f32[] parameter(0)\n b = f32[] negate(a), control-predecessors={@<zebra>@}\n}", "found 'zebra'", ""},
    {"text.operand-shape", "e { a = f32[2] parameter(0)\n b = f32[3] negate(f32[3] @<%a>@)\n}",
     "the shape of %a, f32[2], before its name, found f32[3]", ""},
    {"text.operand-shape", "e { b = f32[3] negate(f32[3] @<a>@)\n a = f32[2] parameter(0)\n}", "the shape of %a", ""},
    {"text.parameter-number", "e { a = f32[] parameter(@<-1>@)\n b = f32[] parameter(1)\n}", "at least 0, found -1", ""},
    {"text.constant-shape", "e { @<c>@ = constant(1)\n}", "expected the shape of a constant", "constant({1, 2})"},
    // Computations inside attributes.
    {"text.unknown-operand", "e { a = f32[] parameter(0)\n b = f32[] call(a), to_apply={ c = f32[] negate(@<a>@) }\n}",
     "expected an instruction of computation b.to_apply, found 'a'", ""},
    {"text.unknown-opcode", "e { a = f32[] parameter(0)\n b = f32[] call(a), to_apply={ c = f32[] @<negat>@(d) d = f32[] parameter(0) }\n}",
     "found 'negat'", "did you mean 'negate'?"},
    {"text.expected-punctuation", "e { a = f32[] parameter(0)\n b = f32[] call(a), to_apply={ c @<f32>@[] parameter(0) }\n}", "expected '='", ""},
    {"text.expected-integer", "e { a = f32[] parameter(0)\n b = f32[@<x>@ call(a), to_apply={\n c = f32[] parameter(0)\n}\n d = f32[] copy(a)\n}",
     "", ""},
    {"text.unknown-computation", "e { a = f32[] parameter(0)\n b = f32[] call(a), to_apply={ c = f32[] call(d), to_apply=@<b.to_apply>@ d = f32[] parameter(0) }\n}",
     "found 'b.to_apply'", ""},
    {"text.attribute-computation", "e { a = f32[] parameter(0)\n b = f32[] call(a), to_apply={@<}>@\n}", "the name of a computation", ""},
    // Bytes.
    {"text.control-byte", "HloModule m // a \"@<\x01\x02>@\ne { a = f32[] parameter(0), metadata={op_name=\"\x01\"} }", "of value 1", "damaged"},
    {"text.control-byte", "HloModule m, a={@<\x7f>@}\ne { a = f32[] parameter(0) }", "of value 127", ""},
    // Shapes.
    {"text.expected-shape", "e { a = (@<,>@) parameter(0)\n}", "expected a shape, found ','", "f32[2,3]{1,0}"},
    {"text.expected-shape", "e { a = @<f32>@ parameter(0)\n}", "found only the element type f32", "f32[]"},
    {"text.element-type", "e { a = @<f23>@[2] parameter(0)\n}", "found 'f23'", "did you mean 'f32'?"},
    {"text.dimension", "e { a = f32[@<-2>@] parameter(0)\n}", "at least 0, found -2", "'?'"},
    {"text.dimension", "e { a = f32[@<<>@2] parameter(0)\n}", "'<='", ""},
    {"text.dimension", "e { a = token@<[2]>@ parameter(0)\n}", "no dimensions for token", ""},
    {"text.integer-range", "e { a = f32[@<9223372036854775808>@] parameter(0)\n}", "64 bits", "9223372036854775807"},
    {"text.expected-integer", "e { a = f32[@<two>@] parameter(0)\n}", "expected an integer for a dimension, found 'two'", ""},
    {"text.layout-order", "e { a = f32[2,3]{1,@<2>@} parameter(0)\n}", "below 2 in the layout, found 2", "minor first"},
    {"text.layout-order", "e { a = f32[2,3]{1,@<1>@} parameter(0)\n}", "found 1 again", ""},
    {"text.layout-order", "e { a = f32[2,3]@<{1>@} parameter(0)\n}", "expected 2 dimension numbers in the layout, found 1", ""},
    {"text.layout-part", "e { a = f32[2]{0:@<=>@} parameter(0)\n}", "expected a part of a layout", ""},
    {"text.layout-part", "e { a = f32[2]{0:@<S(1,2)>@} parameter(0)\n}", "expected one number in S(..), found 2", ""},
    {"text.layout-padding", "e { a = f32[2]{0:@<PAD(3,5)>@=zero} parameter(0)\n}", "expected 1 padded sizes, found 2", ""},
    {"text.layout-padding", "e { a = f32[2,3]@<{1,0:PAD(3,2)=one}>@ parameter(0)\n}", "dimension 1 of size 3 to be padded to at least that, found 2", "PAD(3,5)"},
    {"text.layout-padding", "e { a = f32[2,3]@<{1,0:PAD(-3,3)}>@ parameter(0)\n}", "found -3", ""},
    {"text.layout-tile", "e { a = f32[2,3]@<{1,0:T(2,0)}>@ parameter(0)\n}", "expected tile sizes of at least 1, found 0", "T(8,128)"},
    {"text.layout-tile", "e { a = f32[2,3]@<{1,0:T(2,*)}>@ parameter(0)\n}", "joined to by *", ""},
    {"text.layout-element-size", "e { a = s4[2]@<{0:E(2)}>@ parameter(0)\n}", "an element of s4 takes at least 4 bits, not 2", "E(n)"},
    {"text.layout-element-size", "e { a = f32[2]@<{0:E(16)}>@ parameter(0)\n}", "at least 32 bits, not 16", ""},
    {"text.layout-element-size", "e { a = s2[2]@<{0:E(3)}>@ parameter(0)\n}", "1, 2, 4 or a multiple of 8", ""},
    {"text.layout-element-size", "e { a = s2[2]@<{0:E(4096)}>@ parameter(0)\n}", "at most 1024", ""},
    {"text.layout-part", "e { a = f32[2]{0:PAD(3)=@<two>@} parameter(0)\n}", "padding's value, found 'two'", ""},
    // Literals.
    {"text.literal-element", "e { c = f32[2] constant({1, @<x>@})\n}", "expected a number of type f32, found 'x'", ""},
    {"text.literal-element", "e { c = pred[] constant(@<2>@)\n}", "expected true, false, 1 or 0", ""},
    {"text.literal-element", "e { c = s32[] constant(@<1.5>@)\n}", "expected an integer of type s32, found '1.5'", ""},
    {"text.literal-range", "e { c = s8[] constant(@<128>@)\n}", "fits s8, found 128", ""},
    {"text.literal-range", "e { c = u4[] constant(@<-1>@)\n}", "fits u4", ""},
    {"text.literal-range", "e { c = f32[] constant(@<1e39>@)\n}", "fits f32", ""},
    {"text.literal-range", "e { c = f16[] constant(@<65520>@)\n}", "fits f16", ""},
    {"text.literal-range", "e { c = f4e2m1fn[] constant(@<nan>@)\n}", "fits f4e2m1fn", ""},
    {"text.literal-range", "e { c = f8e4m3fn[] constant(@<inf>@)\n}", "fits f8e4m3fn", ""},
    {"text.literal-shape", "e { c = f32[2] constant(@<1>@)\n}", "expected '{' to begin a literal of f32[2], found '1'", ""},
    {"text.literal-shape", "e { c = f32[3] constant(@<{1, 2}>@)\n}", "expected 3 entries in dimension 0 of a literal of f32[3], found 2",
     ""},
    {"text.literal-shape", "e { c = f32[2,2] constant({ {1, 2}, @<{3}>@ })\n}", "expected 2 entries in dimension 1", ""},
    {"text.literal-shape", "e { c = f32[2,2] constant(@<{1, 2, 3}>@)\n}", "expected 4 elements for f32[2,2], found 3", ""},
    {"text.literal-shape", "e { c = f32[2] constant({@<{>@1}, {2}})\n}", "nested 1 deep", ""},
    {"text.literal-shape", "e { c = f32[2,1] constant({ {1}, @<2>@ })\n}", "expected '{' at depth 2", ""},
    {"text.literal-shape", "e { c = f32[9999999999,9999999999] constant(@<{1}>@)\n}", "expected 9223372036854775807 elements", ""},
    {"text.literal-shape", "e { c = f32[1000000000] constant(@<{1, 2}>@)\n}", "expected 1000000000 entries in dimension 0", ""},
    {"text.literal-type", "e { c = token[] constant(@<1>@)\n}", "found token[]", ""},
    {"text.literal-type", "e { c = f32[<=2] constant(@<{>@1, 2})\n}", "of known size, found f32[<=2]", ""},
    {"text.nan-payload", "e { c = f32[] constant(@<nan(0x800000)>@)\n}", "between 1 and 0x7fffff for f32", ""},
    {"text.nan-payload", "e { c = f32[] constant(@<nan(>@))\n}", "nan(0x400000)", ""},
    {"text.nan-payload", "e { c = f8e4m3fnuz[] constant(@<nan(1)>@)\n}", "without a payload", ""},
    // Attributes.
    {"text.expected-name", "e { a = f32[] parameter(0), @<{>@}\n}", "name of an attribute", ""},
    {"text.duplicate-attribute", "e { a = f32[] parameter(0)\n b = f32[2] broadcast(a), dimensions={}, @<dimensions>@={}\n}", "once", ""},
    {"text.duplicate-attribute", "e { a = f32[] parameter(0), sharding={replicated}, @<sharding>@={}\n}", "once", ""},
    {"text.attribute-list", "e { a = f32[] parameter(0)\n b = f32[2] broadcast(a), dimensions=@<0>@\n}",
     "such as {0,1} as the value of dimensions, found '0'", ""},
    {"text.attribute-number", "e { a = f32[] parameter(0), epsilon=@<much>@\n}", "expected a number as the value of epsilon, found 'much'",
     ""},
    {"text.attribute-bool", "e { a = f32[] parameter(0), is_stable=@<yes>@\n}", "true or false", ""},
    {"text.attribute-string", "e { a = f32[] custom-call(), custom_call_target=@<foo>@\n}", "a string in quotes", ""},
    {"text.attribute-word", "e { a = f32[] parameter(0), direction=@<{>@LT}\n}", "a word", ""},
    {"text.attribute-computation", "e { a = f32[] parameter(0), to_apply=@<=>@\n}", "the name of a computation", ""},
    {"text.attribute-slice", "e { a = f32[4] parameter(0)\n b = f32[2] slice(a), slice={@<0>@:2}\n}", "such as [0:4:2]", ""},
    {"text.attribute-pair", "e { a = f32[4] parameter(0), source_target_pairs={@<0>@,1}\n}", "such as {0,1}", ""},
    {"text.expected-integer", "e { a = f32[] parameter(0), index=@<one>@\n}", "expected an integer for index, found 'one'", ""},
    {"text.window-field", "e { a = f32[] parameter(0), window={size=3 @<strude>@=2}\n}", "found 'strude'", "did you mean 'stride'?"},
    {"text.window-field", "e { a = f32[] parameter(0), window={size=3 @<size>@=2}\n}", "size once", ""},
    {"text.window-field", "e { a = f32[] parameter(0), window=@<3>@\n}", "expected a window", ""},
    {"text.window-rank", "e { a = f32[] parameter(0), window={size=3x3 stride=@<2>@}\n}", "expected 2 dimensions in stride", ""},
    {"text.window-numbers", "e { a = f32[] parameter(0), window={size=3 pad=@<1>@}\n}", "expected 2 numbers a dimension in pad", ""},
    {"text.window-numbers", "e { a = f32[] parameter(0), padding=@<1_2_3_>@4\n}", "at most 3 numbers", ""},
    {"text.dim-labels", "e { a = f32[] parameter(0), dim_labels=@<b01f>@\n}", "lhs_rhs->output", "b01f_01io->b01f"},
    {"text.dim-labels", "e { a = f32[] parameter(0), dim_labels=@<b02f>@_01io->b01f\n}", "found 'b02f'", ""},
    {"text.dim-labels", "e { a = f32[] parameter(0), dim_labels=b01f_@<01i>@->b01f\n}", "both 'i' and 'o'", ""},
    {"text.dim-labels", "e { a = f32[] parameter(0), dim_labels=@<b01f_0io->b01f>@\n}", "as many spatial digits", ""},
    {"text.dim-labels", "a = f32[] parameter(0), dim_labels=@<>@", "lhs_rhs->output", ""},
    {"text.metadata", "e { a = f32[] parameter(0), metadata={op_name=\"a\" @<=>@}\n}", "expected a field", ""},
    {"text.metadata", "e { a = f32[] parameter(0), metadata=@<5>@\n}", "expected metadata", ""},
};

TEST(Diagnostics, LabelPlaceAndMessage) {
  for (const Case& c : kCases) {
    std::string text = c.text;
    SourceRange place = TakeMarks(text);
    SCOPED_TRACE(text);
    auto source = std::make_shared<SourceText>("t", text);
    DiagnosticSink sink;
    auto module = ReadHloText(source, sink);
    ASSERT_NE(module, nullptr);
    ASSERT_FALSE(sink.diagnostics().empty());
    const Diagnostic& first = sink.diagnostics().front();
    EXPECT_EQ(sink.diagnostics().size(), 1u) << Describe(sink, *source);
    EXPECT_EQ(first.label, c.label) << Describe(sink, *source);
    EXPECT_EQ(first.range.begin, place.begin) << Describe(sink, *source);
    EXPECT_EQ(first.range.end, place.end) << Describe(sink, *source);
    EXPECT_NE(first.message.find(c.message), std::string::npos) << first.message;
    EXPECT_NE(first.hint.find(c.hint), std::string::npos) << first.hint;
  }
}

std::vector<std::string> Labels(const std::string& text, TextLimits limits = {}) {
  DiagnosticSink sink;
  ModuleReader(std::make_shared<SourceText>("t", text), sink, limits).Read();
  std::vector<std::string> labels;
  for (const Diagnostic& d : sink.diagnostics()) labels.push_back(d.label);
  return labels;
}

using Strings = std::vector<std::string>;

TEST(Diagnostics, SeveralInOneRun) {
  EXPECT_EQ(Labels(R"(HloModule m
f {
  a = f32[2 parameter(0)
  b = f32[2] broadcst(a), dimensions={x}, nonsense={1}
  c = s8[2] constant({1, 300})
  d = f32[2] add(a, zz)
  e f32[2] add(a, b)
  ROOT g = f32[2] add(e, d), to_apply=q
}
ENTRY main {
  a = f32[] parameter(zero)
}
)"),
            (Strings{"text.expected-punctuation", "text.unknown-opcode", "text.expected-integer", "text.literal-range",
                     "text.expected-punctuation", "text.unknown-operand", "text.expected-integer", "text.unknown-computation"}));
}

TEST(Diagnostics, AnUnknownOpcodeOfANumberIsOneProblem) {
  for (const char* body : {"a = f32[] paramter(0)", "a = f32[2] constnt({1, 2})", "a = f32[] konstant(-1)", "a = f32[] konstant( 1)"}) {
    DiagnosticSink sink;
    auto source = std::make_shared<const SourceText>("t", std::string("ENTRY e {\n  ROOT ") + body + "\n}\n");
    ReadHloText(source, sink);
    ASSERT_EQ(sink.error_count(), 1) << Describe(sink, *source);
    EXPECT_EQ(sink.diagnostics()[0].label, "text.unknown-opcode");
  }
}

// What is typed in a window is damaged most of the time: one bracket too few or too many is one problem (or two true ones), told at its
// place.
TEST(Diagnostics, OneBracketIsOneProblem) {
  struct Damage {
    absl::string_view statement;
    std::vector<std::string> places;  // column and what is said
    bool before_brace = true;         // else a brace on the next line would belong to it
  };
  const Damage kDamages[] = {
      {"y = f32[4 add(e, e)", {"13: expected ']' after the last dimension, found 'add'"}},
      {"y = f32[4 add(e,",
       {"13: expected ']' after the last dimension, found 'add'", "18: expected the name of an operand, found the end of the line"}},
      {"y = f32[4] add(e, ", {"19: expected the name of an operand, found the end of the line"}},
      {"y = f32[4] add(", {"17: expected the name of an operand, found the end of the line"}},
      {"y = f32[4] reduce(x, c, dimensions={1}, to_apply=s", {"27: expected ')' after the operands, found 'dimensions'"}},
      {"y = f32[4] reduce(x, c)), dimensions={1}, to_apply=s", {"26: expected ',' or the end of the instruction, found ')'"}},
      {"y = f32[4] reduce(x, c), dimensions={1, to_apply=s", {"43: expected an integer for dimensions, found 'to_apply'"}},
      {"y = f32[4] reduce(x, c), dimensions={1}}, to_apply=s", {"42: expected ',' or the end of the instruction, found '}'"}},
      {"y = f32[4] reduce(x, c), dimensions={", {"39: expected an integer for dimensions, found the end of the line"}, false},
      {"y = f32[4] negate(e), metadata={op_name=\"a\"",
       {"45: expected a field such as op_name=\"..\" in metadata, found the end of the line"},
       false},
      {"y = f32[4] negate(e), sharding={replicated", {"34: expected '}' to close the '{' that opens here"}, false},
      {"y = f32[4] negate(e), nonsense={1", {"34: expected '}' to close the '{' that opens here"}, false},
      {"y = f32[4] negate(e) nonsense", {"24: expected ',' or the end of the instruction, found 'nonsense'"}},
      {"y = ", {"5: expected a shape or an opcode, found the end of the line"}, false},
      {"y", {"3: expected '=' after the name of an instruction, found the end of the line"}, false},
  };
  for (const Damage& damage : kDamages) {
    for (const bool last : {false, true}) {  // before another instruction, and before the brace
      SCOPED_TRACE(damage.statement);
      const std::string text = absl::StrCat(
          "s { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\nENTRY main {\n  x = f32[4,8] parameter(0)\n"
          "  c = f32[] constant(0)\n  e = f32[4] parameter(1)\n  ",
          damage.statement, last ? "\n}\n" : "\n  z = f32[4] negate(y)\n}\n");
      if (last && !damage.before_brace) continue;
      DiagnosticSink sink;
      auto source = std::make_shared<const SourceText>("t", text);
      ReadHloText(source, sink);
      ASSERT_EQ(sink.diagnostics().size(), damage.places.size()) << Describe(sink, *source);
      for (size_t i = 0; i < damage.places.size(); ++i) {
        const Diagnostic& d = sink.diagnostics()[i];
        const LineColumn place = source->Locate(d.range.begin);
        const std::string told = absl::StrCat(place.column, ": ", d.message);
        EXPECT_EQ(place.line, 8) << Describe(sink, *source);
        EXPECT_EQ(told, damage.places[i]);
      }
    }
  }
}

TEST(Diagnostics, AttributesBehindABodyAreTheComputations) {
  EXPECT_EQ(Labels("e {\n  a = f32[] parameter(0)\n}, metadata={op_name=\"x\"}\n"), Strings{});
  EXPECT_EQ(Labels("e {\n  a = f32[] parameter(0)\n}, metadata={op_name=\"x\"} nonsense\n"), Strings{"text.unexpected"});
}

TEST(Diagnostics, OnOneLine) {
  // The closing brace still closes, though everything stands on a line and a bracket is missing.
  EXPECT_EQ(Labels("f { a = f32[2 parameter(0) } ENTRY e { b = s32[] parameter(0) }"), Strings{"text.expected-punctuation"});
}

TEST(Diagnostics, UsesOfWhatCouldNotBeReadAreNotReportedAgain) {
  EXPECT_EQ(Labels("e {\n  a f32[] parameter(0)\n  b = f32[] negate(a)\n  c = f32[] add(b, a)\n}\n"), Strings{"text.expected-punctuation"});
}

TEST(Diagnostics, TheSameOfTheSamePlaceIsSaidOnce) {
  EXPECT_EQ(Labels("e { a = f32[] parameter(0)\n ROOT b = f32[] while(a), condition=e, body=e\n}"), Strings{"ir.call-cycle"});
}

TEST(Diagnostics, ZeroBytesAreReported) {
  EXPECT_EQ(Labels(std::string("HloModule m, a={\0}\ne { a = f32[] parameter(0) }\n", 48)), Strings{"text.control-byte"});
  // Three, and how many more there are.
  EXPECT_EQ(Labels("HloModule m, a={\x7f,\x7f,\x7f,\x7f,\x7f,\x7f}\ne { a = f32[] parameter(0) }\n"), Strings(4, "text.control-byte"));
}

TEST(Diagnostics, UnclosedComputationInsideAnAttribute) {
  EXPECT_EQ(Labels("e { a = f32[] parameter(0)\n b = f32[] call(a), to_apply={ c = f32[] parameter(0)\n}\n"), Strings{"text.unclosed-computation"});
  std::string deep = "e { ";
  for (int i = 0; i < 3; ++i) deep += "a = f32[] call(), to_apply={ ";
  EXPECT_EQ(Labels(deep + "a = f32[] parameter(0) }}} }", {.max_depth = 2}), Strings{"text.nesting-depth"});
}

// What stands behind it is read as what it is, so that it is one mistake.
TEST(Diagnostics, UnclosedComputationInsideAnAttributeEndsBeforeTheNextStatement) {
  const std::string head = "HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  z = f32[] constant(0)\n  r = f32[] reduce(x, z), dimensions={0}, to_apply={";
  const std::string tail = "  y = f32[] negate(r)\n  ROOT w = f32[] add(y, y)\n}\n";
  const std::string another = "\nother {\n  ROOT v = f32[] parameter(0)\n}\n";
  const std::string line = " a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b)";
  const std::string lines = "\n    a = f32[] parameter(0)\n    b = f32[] parameter(1)\n    ROOT s = f32[] add(a, b)";
  const std::string unindented = "\na = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT s = f32[] add(a, b)";
  for (const std::string& body : {line, lines}) {
    EXPECT_EQ(Labels(head + body + "\n" + tail), Strings{"text.unclosed-computation"}) << body;
    EXPECT_EQ(Labels(head + body + "\n" + tail + another), Strings{"text.unclosed-computation"}) << body;
  }
  // Where no brace is missing, the columns say nothing.
  for (const std::string& body : {line, lines, unindented}) EXPECT_EQ(Labels(head + body + "\n}\n" + tail + another), Strings{}) << body;
}

TEST(Diagnostics, UnresolvedNamesLeaveNoNulls) {
  DiagnosticSink sink;
  auto source = std::make_shared<SourceText>(
      "t", "e {\n a = f32[] parameter(0)\n b = f32[] add(no, a), to_apply=no, branch_computations={no, e}\n}\n");
  auto module = ReadHloText(source, sink);
  EXPECT_EQ(sink.error_count(), 4) << Describe(sink, *source);  // three names, and e calls itself
  const Instruction* b = module->entry->FindInstruction("b");
  ASSERT_NE(b, nullptr);
  ASSERT_EQ(b->operands.size(), 1u);
  EXPECT_EQ(b->operands[0]->name, "a");
  EXPECT_EQ(b->operand_ranges.size(), 1u);
  EXPECT_FALSE(b->Has(AttrId::kToApply));
  EXPECT_EQ(b->CalledComputations().size(), 1u);
}

TEST(Diagnostics, Limits) {
  EXPECT_EQ(Labels("e { a = f32[] parameter(0) }", {.max_bytes = 10}), Strings{"text.too-large"});
  Strings many = Labels("e {\n= 1\n%a = ,\n%b = ,\n%c = ,\n%d = ,\n}", {.max_errors = 3});
  EXPECT_EQ(many, (Strings{"text.expected-name", "text.expected-opcode", "text.expected-opcode", "text.too-many-errors"}));
  EXPECT_EQ(Labels("e { a = (((f32[]))) parameter(0)\n}", {.max_depth = 2}), Strings{"text.shape-depth"});
  EXPECT_EQ(Labels("e { a = ((f32[])) parameter(0)\n}", {.max_depth = 2}), Strings{});
  EXPECT_EQ(Labels("e { a = add(add(add(b)))\n b = f32[] parameter(0)\n}", {.max_depth = 1}), Strings{"text.nesting-depth"});
  EXPECT_EQ(Labels("e { a = add(add(b))\n b = f32[] parameter(0)\n}", {.max_depth = 1}), Strings{});
}

TEST(Diagnostics, DamageIsReadInLinearTime) {
  constexpr int kBytes = 1 << 18;
  auto repeat = [](absl::string_view unit) {
    std::string text;
    while (text.size() < kBytes) text.append(unit.data(), unit.size());
    return text;
  };
  // All would take many minutes if reading were quadratic, or overflow the stack if it were recursive.
  for (absl::string_view unit : {"(",
                                 "{",
                                 "[",
                                 "\"",
                                 "e {\n",
                                 "a = (\n",
                                 "a = f32[] add(\n",
                                 "a = f32[] add(b), x={\n",
                                 "a = f32[] add(b), to_apply={\n",
                                 "a = f32[ add(b), to_apply={a=",
                                 "a(\n",
                                 "a(b: (",
                                 "a = add(add(add(",
                                 "x = f32[] add(negate(",
                                 "ENTRY ",
                                 "/*",
                                 "\\",
                                 "x = f32[2]{0:T(",
                                 "{ x = s32[1] constant({",
                                 "HloModule m, a={",
                                 "\x01\xff",
                                 "a=",
                                 "%",
                                 "FileNames\n1 "}) {
    SCOPED_TRACE(unit);
    for (absl::string_view before :
         {"", "HloModule m\ne {\n", "e { c = f32[1,1,1,1] constant(", "e { a = ", "e { a = f32[] parameter(0), x="}) {
      Strings labels = Labels(std::string(before) + repeat(unit));
      EXPECT_FALSE(labels.empty());
    }
  }
  Strings labels = Labels("e {\n" + repeat("  a = f32[] parameter(0), x={\n"));
  EXPECT_NE(std::find(labels.begin(), labels.end(), "text.too-damaged"), labels.end());
}

TEST(Diagnostics, ManyErrorsWithSuggestionsStayCheap) {
  std::string text = "e {\n";
  for (int i = 0; i < 20000; ++i) text += "  name_of_instruction_" + std::to_string(i) + " = f32[] parameter(" + std::to_string(i) + ")\n";
  for (int i = 0; i < 900; ++i) text += "  user_" + std::to_string(i) + " = f32[] negate(name_of_instructoin_" + std::to_string(i) + ")\n";
  Strings labels = Labels(text + "}\n");
  EXPECT_EQ(labels.size(), 900u);
}

TEST(Diagnostics, ParseShape) {
  EXPECT_EQ(ParseShape(" f32[2,3]{0,1} ")->ToString(), "f32[2,3]{0,1}");
  EXPECT_EQ(ParseShape("f32[2,]").status().message(), "column 7: expected an integer for a dimension, found ']'");
  EXPECT_EQ(ParseShape("f32[2] x").status().message(), "column 8: expected nothing more after the shape, found 'x'");
  EXPECT_EQ(ParseShape("").status().message(), "column 1: expected a shape, found the end of the text");
}

}  // namespace
}  // namespace hloscope
