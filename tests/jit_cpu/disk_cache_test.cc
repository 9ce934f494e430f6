#include "backends/jit_cpu/disk_cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

class DiskCacheTest : public ::testing::Test {
 protected:
  DiskCacheTest()
      : directory_(absl::StrCat(::testing::TempDir(), "/kernels.", getpid(), ".",
                                ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(directory_);
  }
  ~DiskCacheTest() override { std::filesystem::remove_all(directory_); }
  std::string directory_;
};

TEST_F(DiskCacheTest, GivesBackWhatWasStored) {
  const DiskCache cache(directory_);
  EXPECT_FALSE(cache.Load("key").has_value());
  const std::string bytes("a\0b", 3);
  cache.Store("key", bytes);
  cache.Store("empty", "");
  EXPECT_EQ(cache.Load("key"), bytes);
  EXPECT_EQ(cache.Load("empty"), "");
  EXPECT_EQ(DiskCache(directory_).Load("key"), bytes);
  cache.Store("key", "new");
  EXPECT_EQ(cache.Load("key"), "new");
}

TEST_F(DiskCacheTest, NoDirectoryKeepsNothing) {
  const DiskCache cache("");
  cache.Store("key", "bytes");
  EXPECT_FALSE(cache.Load("key").has_value());
}

TEST_F(DiskCacheTest, IgnoresDamage) {
  const DiskCache cache(directory_);
  const std::string bytes(1000, 'x');
  const std::string path = cache.PathFor("key");
  cache.Store("key", bytes);
  const auto size = std::filesystem::file_size(path);
  for (uint64_t at : {uint64_t{0}, uint64_t{9}, uint64_t{20}, uint64_t{33}, static_cast<uint64_t>(size) - 1}) {
    cache.Store("key", bytes);
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const char was = static_cast<char>(file.get());
      file.seekp(static_cast<std::streamoff>(at));
      file.put(static_cast<char>(was ^ 0x41));
    }
    EXPECT_FALSE(cache.Load("key").has_value()) << "byte " << at;
  }
  for (uint64_t length : {uint64_t{0}, uint64_t{10}, static_cast<uint64_t>(size) - 1}) {
    cache.Store("key", bytes);
    std::filesystem::resize_file(path, length);
    EXPECT_FALSE(cache.Load("key").has_value()) << "length " << length;
  }
  cache.Store("key", bytes);
  EXPECT_EQ(cache.Load("key"), bytes) << "a damaged file is replaced";
}

TEST_F(DiskCacheTest, AFileOfAnotherKeyIsNotTaken) {
  const DiskCache cache(directory_);
  cache.Store("one", "bytes");
  std::filesystem::copy_file(cache.PathFor("one"), cache.PathFor("two"));
  EXPECT_FALSE(cache.Load("two").has_value());
}

TEST_F(DiskCacheTest, SeveralProcessesAtOnce) {
  const DiskCache cache(directory_);
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool ok = true;
      for (int i = 0; i < 200; ++i) {
        const std::string key = absl::StrCat("key", i % 10), bytes(1000 + i % 10, static_cast<char>('a' + i % 10));
        cache.Store(key, bytes);
        const std::optional<std::string> found = cache.Load(key);
        ok = ok && found == bytes;
      }
      _exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(directory_))
    EXPECT_EQ(entry.path().extension(), ".kernel") << "nothing half-written is left";
}

}  // namespace
}  // namespace hloscope
