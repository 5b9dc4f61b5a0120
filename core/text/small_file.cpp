#include "core/text/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/text/fd.h"
#include "core/text/io.h"

namespace skein {

namespace fs = std::filesystem;

std::optional<std::string> file_text(const std::string& file, std::size_t most) {
  const Fd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  errno = EFBIG;  // a read that fails says why itself
  return read_all(fd.get(), most);
}

std::string read_small_file(const std::string& file, std::size_t most) {
  return file_text(file, most).value_or("");
}

bool replace_small_file(const std::string& file, std::string_view bytes, Lasting lasting) {
  std::error_code ignored;
  const fs::path folder = fs::path(file).parent_path();
  if (fs::create_directories(folder, ignored))
    fs::permissions(folder, fs::perms::owner_all, ignored);
  std::string name = file + ".XXXXXX";
  Fd fd(mkostemp(name.data(), O_CLOEXEC));  // 0600
  if (!fd) return false;
  const bool written =
      write_all(fd.get(), bytes) && (lasting == Lasting::no || fsync(fd.get()) == 0);
  fd.reset();
  if (written && rename(name.c_str(), file.c_str()) == 0) return true;
  const int error = errno;
  unlink(name.c_str());
  errno = error;
  return false;
}

}  // namespace skein
