// .npy and .npz: what is written reads back, what NumPy writes is read, and damaged files are errors.
#include "core/literal/npy.h"

#include <zlib.h>

#include <cstdio>
#include <cstring>
#include <fstream>

#include "core/literal/scalar.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/literal/counting.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Temporary(const std::string& name) { return testing::TempDir() + "/npy_test_" + name; }

std::string ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void WriteBytes(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// An .npy file as NumPy lays it out.
std::string Npy(const std::string& dictionary, const std::string& data) {
  std::string header = dictionary + "\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

TEST(Npy, EveryTypeReadsBack) {
  const std::string path = Temporary("types.npy");
  for (int t = 0; t < kElementTypeCount; ++t) {
    const ElementType type = static_cast<ElementType>(t);
    if (!IsArrayType(type)) continue;
    const Value value = Counting(type, {3, 2});
    ASSERT_TRUE(WriteNpy(path, value).ok());
    const absl::StatusOr<Value> back = ReadNpy(path, &value.shape());
    ASSERT_TRUE(back.ok()) << Name(type) << ": " << back.status();
    EXPECT_TRUE(Value::BitEqual(value, *back)) << Name(type);
  }
}

TEST(Npy, ShapesOfEveryRank) {
  const std::string path = Temporary("ranks.npy");
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{}, {5}, {1, 7}, {2, 3, 4}, {0}, {3, 0, 2}}) {
    const Value value = Counting(ElementType::kF32, dims);
    ASSERT_TRUE(WriteNpy(path, value).ok());
    const absl::StatusOr<Value> back = ReadNpy(path);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(Value::BitEqual(value, *back)) << value.shape().ToString();
  }
}

TEST(Npy, HeaderIsWhatNumPyWrites) {
  const std::string path = Temporary("header.npy");
  ASSERT_TRUE(WriteNpy(path, Counting(ElementType::kS32, {5})).ok());
  const std::string bytes = ReadBytes(path);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_THAT(bytes, HasSubstr("{'descr': '<i4', 'fortran_order': False, 'shape': (5,), }"));
  EXPECT_EQ((bytes.size() - 5 * 4) % 64, 0u);
  ASSERT_TRUE(WriteNpy(path, Counting(ElementType::kBF16, {2, 2})).ok());
  EXPECT_THAT(ReadBytes(path), HasSubstr("'<V2'"));
  ASSERT_TRUE(WriteNpy(path, Counting(ElementType::kF8E4M3FN, {})).ok());
  EXPECT_THAT(ReadBytes(path), HasSubstr("'|u1', 'fortran_order': False, 'shape': ()"));
}

TEST(Npy, FortranOrderAndBigEndian) {
  const std::string path = Temporary("order.npy");
  // [[1, 2, 3], [4, 5, 6]] column by column.
  WriteBytes(path, Npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }", std::string("\x01\x04\x02\x05\x03\x06", 6)));
  absl::StatusOr<Value> value = ReadNpy(path);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_THAT(std::vector<int8_t>(value->as<int8_t>(), value->as<int8_t>() + 6), ElementsAre(1, 2, 3, 4, 5, 6));
  WriteBytes(path, Npy("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", std::string("\x00\x00\x01\x02", 4)));
  value = ReadNpy(path);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->as<int32_t>()[0], 0x102);
}

TEST(Npy, BitsOrRoundedValuesForTypesThatNumPyLacks) {
  const std::string path = Temporary("bf16.npy");
  const Shape wanted = Shape::Array(ElementType::kBF16, {2});
  WriteBytes(path, Npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }", std::string("\x80\x3f\x00\xc0", 4)));
  absl::StatusOr<Value> value = ReadNpy(path, &wanted);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(LoadScalar(ElementType::kBF16, value->data()).re, 1.0);
  EXPECT_EQ(LoadScalar(ElementType::kBF16, value->data() + 2).re, -2.0);
  const float floats[2] = {1.00390625f * 3, 0.1f};
  WriteBytes(path, Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", std::string(reinterpret_cast<const char*>(floats), 8)));
  value = ReadNpy(path, &wanted);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(LoadScalar(ElementType::kBF16, value->data() + 2).re, Scalar::Float(ElementType::kBF16, 0.1f).re);
}

TEST(Npy, AnotherShapeOrTypeIsRefused) {
  const std::string path = Temporary("refused.npy");
  ASSERT_TRUE(WriteNpy(path, Counting(ElementType::kF64, {2})).ok());
  const Shape f32 = Shape::Array(ElementType::kF32, {2}), other = Shape::Array(ElementType::kF64, {3});
  EXPECT_THAT(std::string(ReadNpy(path, &f32).status().message()), HasSubstr("float64[2], wanted is f32[2]"));
  EXPECT_THAT(std::string(ReadNpy(path, &other).status().message()), HasSubstr("wanted is f64[3]"));
  EXPECT_EQ(ReadNpy("/nothing/here.npy").status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(WriteNpy(path, Value::Tuple(Shape::Tuple({}), {})).ok());
}

TEST(Npy, DamagedFilesAreErrors) {
  const std::string path = Temporary("damaged.npy");
  const std::string good = Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", std::string(8, 'x'));
  for (size_t length = 0; length < good.size(); ++length) {  // cut anywhere
    WriteBytes(path, good.substr(0, length));
    EXPECT_FALSE(ReadNpy(path).ok()) << length;
  }
  WriteBytes(path, good + "more");
  EXPECT_THAT(std::string(ReadNpy(path).status().message()), HasSubstr("4 bytes follow the array"));
  for (const char* dictionary :
       {"{'descr': '<f4', 'fortran_order': False}", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904)}", "{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|O8', 'fortran_order': False, 'shape': (1,)}", "{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", "{'descr': '"}) {
    WriteBytes(path, Npy(dictionary, std::string(64, 'x')));
    EXPECT_FALSE(ReadNpy(path).ok()) << dictionary;
  }
}

TEST(Npz, SeveralArraysReadBack) {
  const std::string path = Temporary("several.npz");
  const Value a = Counting(ElementType::kF32, {2, 2}), b = Counting(ElementType::kC64, {3}), c = Counting(ElementType::kPred, {});
  {
    absl::StatusOr<std::unique_ptr<NpzWriter>> writer = NpzWriter::Create(path);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Add("a", a).ok());
    ASSERT_TRUE((*writer)->Add("b", b).ok());
    ASSERT_TRUE((*writer)->Add("c", c).ok());
    EXPECT_FALSE((*writer)->Add("d", Value::Token()).ok());
    ASSERT_TRUE((*writer)->Close().ok());
  }
  const absl::StatusOr<std::unique_ptr<NpzReader>> reader = NpzReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_THAT((*reader)->names(), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(Value::BitEqual(a, *(*reader)->Read("a")));
  EXPECT_TRUE(Value::BitEqual(b, *(*reader)->Read("b")));
  EXPECT_TRUE(Value::BitEqual(c, *(*reader)->Read("c")));
  EXPECT_TRUE((*reader)->Has("b"));
  EXPECT_THAT(std::string((*reader)->Read("z").status().message()), HasSubstr("it has a, b, c"));
}

void Put(std::string& to, uint64_t v, int n) {
  for (int i = 0; i < n; ++i) to += static_cast<char>(v >> (8 * i));
}

// One deflated member, sizes in zip64 extra fields when `zip64`.
std::string DeflatedZip(const std::string& name, const std::string& data, bool zip64) {
  std::string packed(compressBound(data.size()), '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = data.size();
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = packed.size();
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  std::string extra;
  if (zip64) {
    Put(extra, 1, 2);
    Put(extra, 16, 2);
    Put(extra, data.size(), 8);
    Put(extra, packed.size(), 8);
  }
  const auto sizes = [&](std::string& to) {
    Put(to, crc32(0, reinterpret_cast<const Bytef*>(data.data()), data.size()), 4);
    Put(to, zip64 ? 0xffffffffu : packed.size(), 4);
    Put(to, zip64 ? 0xffffffffu : data.size(), 4);
    Put(to, name.size(), 2);
    Put(to, extra.size(), 2);
  };
  std::string zip;
  Put(zip, 0x04034b50, 4);
  Put(zip, 45, 2);
  Put(zip, 0, 2);
  Put(zip, 8, 2);
  Put(zip, 0, 4);
  sizes(zip);
  zip += name + extra + packed;
  const size_t directory = zip.size();
  Put(zip, 0x02014b50, 4);
  Put(zip, 45, 2);
  Put(zip, 45, 2);
  Put(zip, 0, 2);
  Put(zip, 8, 2);
  Put(zip, 0, 4);
  sizes(zip);
  Put(zip, 0, 2);
  Put(zip, 0, 2);
  Put(zip, 0, 2);
  Put(zip, 0, 4);
  Put(zip, 0, 4);  // offset
  zip += name + extra;
  const size_t size = zip.size() - directory;
  Put(zip, 0x06054b50, 4);
  Put(zip, 0, 4);
  Put(zip, 1, 2);
  Put(zip, 1, 2);
  Put(zip, size, 4);
  Put(zip, directory, 4);
  Put(zip, 0, 2);
  return zip;
}

TEST(Npz, DeflatedAndZip64) {
  const std::string npy = Npy("{'descr': '<i4', 'fortran_order': False, 'shape': (4096,), }", std::string(4 * 4096, '\7'));
  const std::string path = Temporary("deflated.npz");
  for (const bool zip64 : {false, true}) {
    WriteBytes(path, DeflatedZip("x.npy", npy, zip64));
    const absl::StatusOr<std::unique_ptr<NpzReader>> reader = NpzReader::Open(path);
    ASSERT_TRUE(reader.ok()) << reader.status();
    const absl::StatusOr<Value> value = (*reader)->Read("x");
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(value->as<int32_t>()[4095], 0x07070707);
  }
}

TEST(Npz, TheChecksumIsChecked) {
  const std::string path = Temporary("checksum.npz");
  {
    absl::StatusOr<std::unique_ptr<NpzWriter>> writer = NpzWriter::Create(path);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Add("x", Counting(ElementType::kF32, {2, 3})).ok());
    ASSERT_TRUE((*writer)->Close().ok());
  }
  std::string bytes;
  {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  const size_t newline = bytes.find('\n');  // the header's; the data follows
  ASSERT_NE(newline, std::string::npos);
  bytes[newline + 7] = static_cast<char>(bytes[newline + 7] ^ 0x55);
  WriteBytes(path, bytes);
  const absl::StatusOr<std::unique_ptr<NpzReader>> reader = NpzReader::Open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_THAT(std::string((*reader)->Read("x").status().message()), HasSubstr("checksum"));
}

TEST(Npz, DamagedArchivesAreErrors) {
  const std::string path = Temporary("damaged.npz");
  const std::string good = DeflatedZip("x.npy", Npy("{'descr': '<i4', 'fortran_order': False, 'shape': (8,), }", std::string(32, '\7')), false);
  const auto try_read = [&](const std::string& bytes) {
    WriteBytes(path, bytes);
    const absl::StatusOr<std::unique_ptr<NpzReader>> reader = NpzReader::Open(path);
    return reader.ok() ? (*reader)->Read("x").status() : reader.status();
  };
  ASSERT_TRUE(try_read(good).ok());
  for (size_t length = 0; length < good.size(); ++length) EXPECT_FALSE(try_read(good.substr(0, length)).ok()) << length;
  // Any byte may be wrong; nothing may crash or allocate what is not there.
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(~bytes[at]);
    (void)try_read(bytes);
  }
}

}  // namespace
}  // namespace hloscope
