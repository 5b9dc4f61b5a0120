#include "core/exchange/importers/private_copy.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::exchange::importers {

namespace {

std::uint64_t copy_bytes(const SourceFile& from, const std::string& to) {
  const Fd file(open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  std::uint64_t done = 0;
  for (;;) {
    const std::string piece = from.read(done, std::size_t{1} << 20);
    if (!file || !write_all(file.get(), piece))
      throw Error("cannot copy " + from.path() + " to " + to + ": " + std::strerror(errno));
    if (piece.empty()) return done;
    done += piece.size();
  }
}

// What changes when a checkpoint moves the log into the database, or the log begins anew.
struct Standing {
  std::uint64_t size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  std::string log_begins{};
  bool operator==(const Standing&) const = default;
};

std::string beginning_of(const std::string& path) {
  constexpr std::size_t header_bytes = 32;
  const auto file = SourceFile::open(path);
  const auto* opened = std::get_if<SourceFile>(&file);
  return opened != nullptr ? opened->read(0, header_bytes) : std::string();
}

Standing standing_of(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return {};
  return {static_cast<std::uint64_t>(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec,
          beginning_of(path + "-wal")};
}

}  // namespace

PrivateCopy::PrivateCopy() {
  std::string name = temporary_folder() + "/skein-XXXXXX";
  if (mkdtemp(name.data()) == nullptr)  // 0700
    throw Error("cannot make a folder in " + temporary_folder() + ": " + std::strerror(errno));
  folder_ = name;
}

PrivateCopy::PrivateCopy(const SourceFile& database) : PrivateCopy() {
  constexpr int tries = 3;  // a copy that was disturbed each time is read for what it is
  for (int i = 0; i < tries && !copy_once(database); ++i) continue;
}

PrivateCopy::~PrivateCopy() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

bool PrivateCopy::copy_once(const SourceFile& database) {
  const Standing before = standing_of(database.path());
  const std::string log = path() + "-wal";
  size_ = copy_bytes(database, path());
  const auto from = SourceFile::open(database.path() + "-wal");
  if (const auto* opened = std::get_if<SourceFile>(&from))
    size_ += copy_bytes(*opened, log);
  else
    unlink(log.c_str());
  return standing_of(database.path()) == before;
}

Fd nameless_file() {
  const std::string place = temporary_folder();
  if (Fd file(open(place.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600)); file) return file;
  std::string name = place + "/skein-XXXXXX";
  Fd file(mkostemp(name.data(), O_CLOEXEC));
  if (file) unlink(name.c_str());
  return file;
}

}  // namespace skein::exchange::importers
