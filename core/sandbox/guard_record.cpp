#include "core/sandbox/guard_record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/text/base.h"
#include "core/text/checksum.h"

namespace skein::sandbox {

namespace {

namespace fs = std::filesystem;

// The state follows; then come batches: their size, the checksum of their bytes, their bytes.
constexpr std::string_view first_words = "skein guard 1 ";
constexpr std::size_t state_at = first_words.size(), batches_at = state_at + 1;
constexpr std::string_view ending = ".guard";

std::string name_of(int fd) {
  std::error_code error;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string();
}

}  // namespace

void Packer::number(std::uint64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void Packer::text(std::string_view text) {
  number(text.size());
  bytes_ += text;
}

std::string_view Unpacker::bytes(std::size_t size) {
  ok_ = ok_ && size <= rest_.size();
  if (!ok_) return {};
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::uint64_t Unpacker::number() {
  std::uint64_t value = 0;
  const std::string_view packed = bytes(sizeof value);
  if (ok_) std::memcpy(&value, packed.data(), sizeof value);
  return value;
}

std::string Unpacker::text() { return std::string(bytes(number())); }

GuardRecord::GuardRecord(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {
  struct stat info {};
  if (fstat(fd_.get(), &info) == 0) size_ = static_cast<std::size_t>(info.st_size);
}

GuardRecord GuardRecord::create(const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  const std::string path = folder + "/" + to_string(random_id()) + std::string(ending);
  // Without its name first: another process must not find it before it is locked and begun.
  Fd fd(open((path + ".tmp").c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const std::string head = std::string(first_words) + static_cast<char>(State::idle);
  if (!fd) return {};
  const bool made = flock(fd.get(), LOCK_EX) == 0 && write_all(fd.get(), head) &&
                    rename((path + ".tmp").c_str(), path.c_str()) == 0;
  if (!made) unlink((path + ".tmp").c_str());
  return made ? GuardRecord(std::move(fd), path) : GuardRecord();
}

GuardRecord GuardRecord::inherited(int fd) { return {Fd(fd), name_of(fd)}; }

GuardRecord::Others GuardRecord::others(const std::string& folder, const GuardRecord* own) {
  Others found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path();
    if (!path.ends_with(ending) || (own != nullptr && path == own->path_)) continue;
    Fd fd(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!fd) continue;
    // Shared, so that two who look do not take each other for the owner.
    const bool orphaned = flock(fd.get(), LOCK_SH | LOCK_NB) == 0;
    GuardRecord record(std::move(fd), path);
    if (orphaned)
      found.orphaned.push_back(std::move(record));
    else if (record.state() == State::running)
      found.running.push_back(std::move(record));
  }
  return found;
}

bool GuardRecord::claim() const { return flock(fd_.get(), LOCK_EX | LOCK_NB) == 0; }

bool GuardRecord::is_removed() const {
  struct stat info {};
  return fstat(fd_.get(), &info) != 0 || info.st_nlink == 0;
}

GuardRecord::State GuardRecord::state() const {
  char state = 0;
  if (pread(fd_.get(), &state, 1, state_at) != 1) return State::idle;
  return static_cast<State>(state);
}

void GuardRecord::set(State state) const {
  const char byte = static_cast<char>(state);
  [[maybe_unused]] const ssize_t written = pwrite(fd_.get(), &byte, 1, state_at);
}

bool GuardRecord::add(std::string_view batch) {
  Packer head;
  head.number(batch.size());
  head.number(crc32c(0, batch));
  lseek(fd_.get(), static_cast<off_t>(size_), SEEK_SET);
  if (!write_all(fd_.get(), head.bytes()) || !write_all(fd_.get(), batch)) return false;
  size_ += head.bytes().size() + batch.size();
  return true;
}

std::vector<std::string> GuardRecord::batches() const {
  std::vector<std::string> found;
  const auto read = [&](std::size_t size, std::size_t at) {
    std::string bytes(size, '\0');
    std::size_t got = 0;
    for (ssize_t piece = 1; got < size && piece > 0; got += static_cast<std::size_t>(piece))
      piece = std::max<ssize_t>(
          0, pread(fd_.get(), bytes.data() + got, size - got, static_cast<off_t>(at + got)));
    return got == size ? bytes : std::string();
  };
  if (read(first_words.size(), 0) != first_words) return found;
  constexpr std::size_t head_size = 2 * sizeof(std::uint64_t);
  for (std::size_t at = batches_at;;) {
    const std::string packed = read(head_size, at);
    Unpacker head(packed);
    const std::uint64_t size = head.number(), sum = head.number();
    if (!head.ok() || size > size_ - at) break;
    std::string bytes = read(size, at + head_size);
    if (bytes.size() != size || crc32c(0, bytes) != sum) break;
    found.push_back(std::move(bytes));
    at += head_size + size;
  }
  return found;
}

void GuardRecord::remove() {
  unlink(path_.c_str());
  fd_.reset();
}

}  // namespace skein::sandbox
