#include "core/export/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "core/text/base.h"

namespace skein::exporters {

namespace {

constexpr std::size_t buffered = 256 << 10;

// What a link leads to is replaced, not the link.
std::string behind_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

OutputFile::OutputFile(std::string path, Existing existing)
    : path_(behind_links(path)), existing_(existing) {
  struct stat there {};
  const bool exists = ::stat(path_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) fail(EISDIR);
  if (exists && existing_ == Existing::keep) fail(EEXIST);
  if (exists && !S_ISREG(there.st_mode)) {
    file_ = Fd(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  } else {
    temporary_ = path_ + "." + to_string(random_id()) + ".tmp";
    file_ =
        Fd(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  }
  if (!file_) {
    temporary_.clear();
    fail(errno);
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(int error) const {
  throw Error("cannot write " + path_ + ": " +
                  (error == EEXIST ? "it exists already; name the file explicitly to replace it"
                                   : std::strerror(error)),
              ExitStatus::storage);
}

void OutputFile::write(std::string_view bytes) {
  bytes_ += bytes.size();
  buffer_ += bytes;
  if (buffer_.size() >= buffered) flush();
}

void OutputFile::flush() {
  if (!write_all(file_.get(), buffer_)) fail(errno);
  buffer_.clear();
}

void OutputFile::finish() {
  flush();
  if (temporary_.empty()) return;
  if (::fsync(file_.get()) != 0) fail(errno);
  const bool placed = existing_ == Existing::replace
                          ? ::rename(temporary_.c_str(), path_.c_str()) == 0
                          : ::link(temporary_.c_str(), path_.c_str()) == 0;
  if (!placed) fail(errno);
  if (existing_ == Existing::keep) ::unlink(temporary_.c_str());
  temporary_.clear();
}

}  // namespace skein::exporters
