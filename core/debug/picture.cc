// The command picture, and a small writer of PNG files: one filter, one chunk of zlib's.
#include "core/debug/picture.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/devices.h"
#include "core/debug/file_words.h"
#include "core/debug/picture_command.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

void AppendBig(uint32_t x, std::string* out) {
  for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<char>(x >> shift & 0xff));
}

void AppendChunk(const char* kind, const std::string& data, std::string* out) {
  AppendBig(static_cast<uint32_t>(data.size()), out);
  const size_t begin = out->size();
  out->append(kind, 4);
  out->append(data);
  AppendBig(static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(out->data() + begin), static_cast<uInt>(out->size() - begin))), out);
}

Picture Magnify(Picture picture, int factor_x, int factor_y) {
  if (factor_x <= 1 && factor_y <= 1) return picture;
  Picture larger;
  larger.width = picture.width * factor_x;
  larger.height = picture.height * factor_y;
  larger.pixels.resize(static_cast<size_t>(larger.width) * larger.height);
  for (int y = 0; y < larger.height; ++y) {
    for (int x = 0; x < larger.width; ++x) {
      larger.pixels[static_cast<size_t>(y) * larger.width + x] = picture.pixels[static_cast<size_t>(y / factor_y) * picture.width + x / factor_x];
    }
  }
  return larger;
}

// A pixel that stands for several elements stands for as many down as across, so that the picture keeps its proportions, unless that left
// fewer than `least` pixels along the edge that needs it less.
PlaneWindow SquareCells(PlaneWindow window, int64_t least) {
  const auto follow = [least](int64_t size, int64_t step, int64_t* own) {
    while (*own < step && size / (2 * *own) >= least) *own *= 2;
  };
  follow(window.rows, window.column_step, &window.row_step);
  follow(window.columns, window.row_step, &window.column_step);
  return window;
}

uint32_t Byte(double x, double low, double high) {
  return static_cast<uint32_t>(std::lround(ShareBetween(x, low, high) * 255));
}

}  // namespace

int ChannelDimension(const Shape& array) {
  const auto fits = [&](int d) { return array.dim(d) == 3 || array.dim(d) == 4; };
  const int rank = array.rank();
  if (rank < 3) return -1;
  if (fits(rank - 1)) return rank - 1;
  if (fits(rank - 3)) return rank - 3;
  return -1;
}

void ImageRange(ElementType type, double* low, double* high) {
  if (IsInteger(type) && *low >= 0 && *high <= 255) {
    *low = 0;
    *high = 255;
  } else if (*low >= 0 && *high <= 1) {
    *low = 0;
    *high = 1;
  }
}

absl::StatusOr<Picture> DrawValue(const Value& drawn, const PictureOptions& options) {
  const bool complex = drawn.shape().IsArray() && IsComplex(drawn.shape().element_type());
  if (!complex && options.part != ComplexPart::kMagnitude) return absl::InvalidArgumentError(absl::StrCat("/", SignOf(options.part), " is of complex numbers, not of ", ShapeText(drawn.shape())));
  const Value array = complex && options.part != ComplexPart::kMagnitude ? PartOfComplex(drawn, options.part) : drawn;
  const Shape& shape = array.shape();
  if (!shape.IsArray()) return absl::InvalidArgumentError(absl::StrCat("a picture is of an array, not of ", ShapeText(shape)));
  if (shape.ElementCount() == 0) return absl::InvalidArgumentError(absl::StrCat(ShapeText(shape), " has no elements to draw"));
  PlaneAxes axes = StandardAxes(shape);
  const int channels = options.rgb ? ChannelDimension(shape) : -1;
  if (options.rgb && channels < 0) return absl::InvalidArgumentError(absl::StrCat("/rgb takes an array whose last dimension (or the third from the end) has 3 or 4 channels, not ", ShapeText(shape)));
  if (channels == shape.rank() - 1) {
    axes.rows = shape.rank() - 3;
    axes.columns = shape.rank() - 2;
  }
  if (options.transpose) std::swap(axes.rows, axes.columns);
  axes = FitAxes(shape, axes);
  const PlaneWindow window = SquareCells(WholePlane(shape, axes, options.most, options.most), options.least / 2);
  Picture picture;
  picture.width = static_cast<int>(window.cell_columns());
  picture.height = static_cast<int>(window.cell_rows());
  if (channels >= 0) {
    std::vector<Plane> planes;
    double low = 0, high = 0;
    for (int k = 0; k < 3; ++k) {
      axes.at[channels] = k;
      planes.push_back(MakePlane(array, axes, window));
      low = k == 0 ? planes[k].low : std::min(low, planes[k].low);
      high = k == 0 ? planes[k].high : std::max(high, planes[k].high);
    }
    ImageRange(shape.element_type(), &low, &high);
    if (options.range.has_value()) std::tie(low, high) = *options.range;
    for (size_t k = 0; k < planes[0].cells.size(); ++k) {
      uint32_t pixel = 0xff000000u;
      for (int c = 0; c < 3; ++c) pixel |= Byte(planes[c].cells[k].mean, low, high) << 8 * c;
      picture.pixels.push_back(planes[0].cells[k].nan + planes[1].cells[k].nan + planes[2].cells[k].nan > 0 ? kNanColor : pixel);
    }
  } else {
    const Plane plane = MakePlane(array, axes, window);
    ColorScale scale = options.range.has_value() ? FitScale(options.range->first, options.range->second) : FitScale(plane.low, plane.high);
    scale.log = options.log;
    scale.least = options.floor > 0 ? options.floor : scale.log ? LeastSize(array) : 0;
    const double top = std::max(std::fabs(scale.low), std::fabs(scale.high));
    if (scale.log && scale.least > 0 && top > 0) picture.sizes.emplace(std::min(scale.least, top), top);
    scale.dark = options.dark;
    if (options.gray) scale.ramp = ColorRamp::kGray;
    if (options.diverging) scale.ramp = ColorRamp::kDiverging;
    if (options.sequential) scale.ramp = ColorRamp::kSequential;
    for (PlaneCell cell : plane.cells) {
      if (options.shows != PictureOptions::kMean) cell.mean = options.shows == PictureOptions::kLeast ? cell.low : cell.high;
      picture.pixels.push_back(scale.ColorOf(cell));
    }
  }
  const int factor = std::max(1, options.least / std::max(picture.width, picture.height));
  // A single row would be a line.
  const auto sizes = picture.sizes;
  Picture magnified = Magnify(std::move(picture), factor, axes.rows < 0 ? std::max(factor, 32) : factor);
  magnified.sizes = sizes;
  return magnified;
}

std::string EncodePng(const Picture& picture) {
  std::string rows;
  rows.reserve(static_cast<size_t>(picture.height) * (picture.width * 3 + 1));
  for (int y = 0; y < picture.height; ++y) {
    rows.push_back(0);  // no filter
    for (int x = 0; x < picture.width; ++x) {
      const uint32_t pixel = picture.pixels[static_cast<size_t>(y) * picture.width + x];
      for (int c = 0; c < 3; ++c) rows.push_back(static_cast<char>(pixel >> 8 * c & 0xff));
    }
  }
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()), static_cast<uLong>(rows.size()), 6);
  packed.resize(size);
  std::string out("\x89PNG\r\n\x1a\n", 8), header;
  AppendBig(static_cast<uint32_t>(picture.width), &header);
  AppendBig(static_cast<uint32_t>(picture.height), &header);
  header.append("\x08\x02\0\0\0", 5);  // 8 bits, red green blue
  AppendChunk("IHDR", header, &out);
  AppendChunk("IDAT", packed, &out);
  AppendChunk("IEND", "", &out);
  return out;
}

absl::Status WritePng(const std::string& path, const Picture& picture) {
  std::ofstream file(path, std::ios::binary);
  file << EncodePng(picture);
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
  return absl::OkStatus();
}

namespace {

// "[OPTIONS] %x [ID] FILE" of an operation's picture: there is an ID, or a file that values are not drawn in. Nothing: it is a value's.
std::optional<absl::Status> DrawOperation(Session::State& s, absl::string_view args) {
  absl::string_view words = args;
  const absl::StatusOr<std::string> file = TakeLastFile(words);
  if (!file.ok()) return file.status();
  const std::string& path = *file;
  if (words.empty()) return std::nullopt;
  const size_t before = words.rfind(' ');
  absl::string_view id = before == absl::string_view::npos ? "" : words.substr(before + 1);
  const PictureLink& link = s.Extension<PictureLink>();
  const bool known = link.has && link.has(id);
  // "%x word": no expression is written so.
  const bool misnamed = !known && link.draw && !id.empty() && absl::c_all_of(id, [](char c) { return absl::ascii_islower(c) || c == '-'; }) &&
                        s.FindInstruction(absl::StripAsciiWhitespace(words.substr(0, before))).ok();
  if (!known) id = "";
  const bool drawing = absl::EndsWith(path, ".svg") || absl::EndsWith(path, ".pdf");
  if (id.empty() && !drawing && !misnamed) return std::nullopt;
  if (!link.draw) return absl::FailedPreconditionError("this build has no pictures of operations (HLOSCOPE_WINDOW=OFF); picture %x x.png draws a value");
  if (!id.empty()) words = absl::StripTrailingAsciiWhitespace(words.substr(0, before));
  return WithPathHint(link.draw(s, words, id, FileOfRun(s, path)), words);
}

}  // namespace

absl::Status CommandPicture(Session::State& s, absl::string_view args) {
  constexpr char kUsage[] = "picture takes a value and a file, as: picture %x x.png; with /log, /gray, /range LOW HIGH and others (help picture) before them; or an instruction, a picture and a file: picture %x layout x.svg";
  PictureOptions options;
  args = absl::StripAsciiWhitespace(args);
  if (std::optional<absl::Status> drawn = DrawOperation(s, args)) return *std::move(drawn);
  while (absl::StartsWith(args, "/")) {
    const absl::string_view option = TakeWord(args);
    if (option == "/log") options.log = true;
    else if (option == "/gray") options.gray = true;
    else if (option == "/diverging") options.diverging = true;
    else if (option == "/sequential") options.sequential = true;
    else if (option == "/dark") options.dark = true;
    else if (option == "/rgb") options.rgb = true;
    else if (option == "/transpose") options.transpose = true;
    else if (option == "/least") options.shows = PictureOptions::kLeast;
    else if (option == "/greatest") options.shows = PictureOptions::kGreatest;
    else if (option == "/re" || option == "/im" || option == "/angle") options.part = *ParseComplexPart(option.substr(1));
    else if (option == "/range") {
      double low = 0, high = 0;
      if (!absl::SimpleAtod(TakeWord(args), &low) || !absl::SimpleAtod(TakeWord(args), &high) || !(low <= high)) return absl::InvalidArgumentError("/range takes the least and the greatest number of the scale, as: picture /range 0 1 %x x.png");
      options.range.emplace(low, high);
    } else if (option == "/floor") {
      if (!absl::SimpleAtod(TakeWord(args), &options.floor) || !(options.floor > 0)) return absl::InvalidArgumentError("/floor takes a size above 0, which a logarithmic scale begins at");
    } else {
      return absl::InvalidArgumentError(absl::StrCat("picture has no option ", option, "; it has /log, /floor SIZE, /range LOW HIGH, /gray, /sequential, /diverging, /dark, /least, /greatest, /re, /im, /angle, /transpose and /rgb"));
    }
  }
  const absl::StatusOr<std::string> file = TakeLastFile(args);
  if (!file.ok()) return file.status();
  const std::string path = FileOfRun(s, *file);
  if (args.empty()) return absl::InvalidArgumentError(kUsage);
  if (!absl::EndsWith(path, ".png")) return absl::InvalidArgumentError(absl::StrCat("picture writes .png, not ", path));
  absl::StatusOr<ExpressionResult> result = EvaluateExpression(args, s);
  if (!result.ok()) return WithPathHint(result.status(), args);
  absl::StatusOr<Value> value = ToValue(*std::move(result));
  if (!value.ok()) return value.status();
  if (value->shape().IsTuple()) return absl::InvalidArgumentError(absl::StrCat("this is a tuple of ", value->elements().size(), "; draw one element, as: picture %x[0] x.png"));
  const absl::StatusOr<Picture> picture = DrawValue(ToDense(*value), options);
  if (!picture.ok()) return picture.status();
  const absl::Status written = WritePng(path, *picture);
  if (written.ok()) s.Say("Drew ", ShapeText(value->shape()), " in ", path, ", ", picture->width, " by ", picture->height, " pixels", picture->sizes.has_value() ? absl::StrCat("; the colours are logarithmic, of sizes from ", FormatDouble(picture->sizes->first, 4), " to ", FormatDouble(picture->sizes->second, 4)) : "", ".\n");
  return written;
}

}  // namespace hloscope
