#include "providers/catalog/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace skein::catalog {

namespace fs = std::filesystem;

namespace {

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string read_small_file(const std::string& file, std::size_t most) {
  std::error_code failed;
  if (const auto size = fs::file_size(file, failed); failed || size > most) return {};
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool replace_small_file(const std::string& file, const std::string& bytes) {
  std::error_code ignored;
  const fs::path folder = fs::path(file).parent_path();
  if (fs::create_directories(folder, ignored))
    fs::permissions(folder, fs::perms::owner_all, ignored);
  std::string name = file + ".XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);  // 0600
  if (fd < 0) return false;
  const bool written = write_all(fd, bytes);
  ::close(fd);
  if (written && ::rename(name.c_str(), file.c_str()) == 0) return true;
  ::unlink(name.c_str());
  return false;
}

}  // namespace skein::catalog
