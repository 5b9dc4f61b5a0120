// A folder that is gone when the test is over, and the two things tests do with files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace skein::test {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Empty if it cannot be read.
std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace skein::test
