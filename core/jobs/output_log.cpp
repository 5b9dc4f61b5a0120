#include "core/jobs/output_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "core/text/base.h"

namespace skein::jobs {

namespace {

constexpr int open_flags[] = {O_RDWR | O_CREAT | O_TRUNC, O_RDWR, O_RDONLY};  // by OutputLog::Use

// All of it by `call`: pread or pwrite. False: it could not be done to the end.
bool transfer(auto call, int file, auto* bytes, std::size_t length, std::uint64_t at) {
  while (length > 0) {
    const ssize_t done = call(file, bytes, length, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    length -= static_cast<std::size_t>(done);
    at += static_cast<std::uint64_t>(done);
  }
  return true;
}

// The number of bytes that were printed, as the file itself tells it.
std::uint64_t printed_in(int file, const OutputLog::Size& size) {
  struct stat info {};
  if (fstat(file, &info) != 0) return 0;
  const auto length = static_cast<std::uint64_t>(info.st_size);
  std::uint64_t count = 0;
  if (length <= size.whole ||
      !transfer(pread, file, reinterpret_cast<char*>(&count), sizeof count, size.whole))
    return std::min(length, size.whole);
  return count;
}

}  // namespace

OutputLog::OutputLog(const std::string& path, Use use, Size size)
    : file_(open(path.c_str(), open_flags[static_cast<std::size_t>(use)] | O_CLOEXEC | O_NOFOLLOW,
                 0600)),
      size_(size),
      use_(use) {
  if (!file_) throw Error("cannot open " + path + ": " + std::strerror(errno));
  printed_ = printed_in(file_.get(), size_);
}

std::uint64_t OutputLog::printed() const {
  return use_ == Use::read ? printed_in(file_.get(), size_) : printed_.load();
}

std::uint64_t OutputLog::place_of(std::uint64_t byte) const {
  return byte < size_.head ? byte : size_.head + (byte - size_.head) % ring();
}

void OutputLog::add(std::string_view piece) {
  std::uint64_t printed = printed_;
  while (!piece.empty() && !full_) {
    const std::uint64_t at = place_of(printed);
    const std::uint64_t room = (printed < size_.head ? size_.head : size_.whole) - at;
    const std::string_view part = piece.substr(0, static_cast<std::size_t>(room));
    full_ = !transfer(pwrite, file_.get(), part.data(), part.size(), at);
    if (full_) break;
    printed += part.size();
    piece.remove_prefix(part.size());
  }
  if (printed > size_.whole)
    transfer(pwrite, file_.get(), reinterpret_cast<const char*>(&printed), sizeof printed,
             size_.whole);
  printed_ = printed;
}

OutputLog::Piece OutputLog::read(std::uint64_t since, std::size_t most) const {
  const std::uint64_t all = printed();
  std::uint64_t from = std::min(since, all);
  const std::uint64_t oldest = all > size_.whole ? all - ring() : 0;  // behind the beginning
  if (from >= size_.head) from = std::max(from, oldest);
  std::uint64_t edge = all;
  if (from < size_.head && oldest > size_.head) edge = size_.head;  // a gap follows
  // With what follows, so that the end of the piece cuts no character.
  const std::uint64_t end = std::min(edge, from + most), further = std::min(edge, end + 3);
  std::string bytes;
  for (std::uint64_t at = from; at < further;) {
    const std::uint64_t place = place_of(at), turn = at < size_.head ? size_.head : size_.whole;
    const auto length = static_cast<std::size_t>(std::min(further - at, turn - place));
    const std::size_t before = bytes.size();
    bytes.resize(before + length);
    if (!transfer(pread, file_.get(), bytes.data() + before, length, place)) {
      bytes.resize(before);
      break;
    }
    at += length;
  }
  const std::string_view piece = utf8_prefix(bytes, static_cast<std::size_t>(end - from));
  return {from, from + piece.size(), valid_utf8(piece)};
}

OutputLog::Piece OutputLog::tail(std::size_t lines, std::size_t most) const {
  const std::uint64_t all = printed();
  Piece piece = read(all > most ? all - most : 0, most);
  if (piece.next < all) piece = read(piece.next, most);  // it began in the beginning
  std::string_view text = piece.text;
  std::size_t at = text.size() - (text.ends_with('\n') ? 1 : 0);
  for (std::size_t count = 0; count < lines && at != std::string_view::npos && at > 0; ++count)
    at = text.rfind('\n', at - 1);
  const bool cut = at != std::string_view::npos && at > 0;
  if (lines == 0)
    piece.text.clear();
  else if (cut)
    piece.text.erase(0, at + 1);
  return piece;
}

}  // namespace skein::jobs
