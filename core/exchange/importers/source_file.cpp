#include "core/exchange/importers/source_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/exchange/importers/zstd.h"
#include "core/text/base.h"

namespace skein::exchange::importers {

std::variant<SourceFile, std::string> SourceFile::open(const std::string& path) {
  SourceFile source;
  source.path_ = path;
  // Not blocking: a pipe without a writer would be waited for.
  source.file_ = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!source.file_ || fstat(source.file_.get(), &facts) != 0)
    return "cannot read " + path + ": " + std::strerror(errno);
  if (!S_ISREG(facts.st_mode)) return path + " is not a file";
  source.size_ = static_cast<std::uint64_t>(facts.st_size);
  if (is_zstd(source.read(0, 4))) return unpacked(std::move(source));
  return source;
}

std::variant<SourceFile, std::string> SourceFile::unpacked(SourceFile packed) {
  try {
    std::variant<Fd, std::string> content = unzstd_file(packed.file_.get());
    if (const auto* problem = std::get_if<std::string>(&content)) return packed.path_ + *problem;
    packed.file_ = std::move(std::get<Fd>(content));
  } catch (const Error& error) {  // no module
    return "cannot unpack " + packed.path_ + ": " + error.what();
  }
  struct stat facts {};
  if (fstat(packed.file_.get(), &facts) != 0)
    return "cannot read " + packed.path_ + ": " + std::strerror(errno);
  packed.size_ = static_cast<std::uint64_t>(facts.st_size);
  return packed;
}

SourceFile SourceFile::of_bytes(std::string path, std::string bytes) {
  SourceFile source;
  source.path_ = std::move(path);
  source.size_ = bytes.size();
  source.bytes_ = std::move(bytes);
  return source;
}

std::string SourceFile::name() const { return path_.substr(path_.rfind('/') + 1); }

std::string SourceFile::folder() const {
  const std::size_t slash = path_.rfind('/');
  return slash == std::string::npos ? "." : path_.substr(0, slash);
}

std::string SourceFile::read(std::uint64_t offset, std::size_t bytes) const {
  if (offset >= size_) return {};
  std::string out(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, size_ - offset)), '\0');
  if (!file_) {
    out.assign(bytes_, static_cast<std::size_t>(offset), out.size());
    return out;
  }
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        pread(file_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // it was cut meanwhile, or the disk fails: what there is, is what counts
    done += static_cast<std::size_t>(got);
  }
  out.resize(done);
  return out;
}

std::size_t SourceFile::lines(const std::function<bool(const Line&)>& each,
                              std::uint64_t from) const {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::string buffer;
  std::uint64_t buffer_at = from, read_to = from;
  std::size_t too_long = 0;
  bool skipping = false;  // a line that is too long, up to its end
  const auto give = [&](std::string_view text, std::uint64_t at, bool ended) {
    if (at == 0 && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text.empty() || each(Line{text, at, ended});
  };
  for (;;) {
    const std::string piece = read(read_to, piece_bytes);
    read_to += piece.size();
    const std::size_t searched = buffer.size();
    buffer += piece;
    std::size_t begin = 0;
    for (std::size_t end = buffer.find('\n', searched); end != std::string::npos;
         end = buffer.find('\n', begin)) {
      if (!std::exchange(skipping, false) &&
          !give(std::string_view(buffer).substr(begin, end - begin), buffer_at + begin, true))
        return too_long;
      begin = end + 1;
    }
    buffer.erase(0, begin);
    buffer_at += begin;
    if (piece.empty()) {
      if (!skipping && !buffer.empty()) give(buffer, buffer_at, false);
      return too_long;
    }
    if (buffer.size() > longest_line) {
      if (!std::exchange(skipping, true)) ++too_long;
      buffer_at += buffer.size();
      buffer.clear();
    }
  }
}

}  // namespace skein::exchange::importers
