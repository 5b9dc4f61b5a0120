#include "core/store/home/gzip.h"

#include <zlib.h>

#include <cerrno>

#include "core/store/log/log.h"

namespace skein::store::home {

namespace {

constexpr std::size_t piece_bytes = 256u << 10;
constexpr int gzip_window = 15 + 16;  // the largest window, with gzip's header and checksum

class Deflater {
 public:
  Deflater() {
    ready_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8,
                          Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  int take(std::string_view piece, bool last, const files::Take& each) {
    if (!ready_) return -ENOMEM;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      const std::string_view made(out_.data(), out_.size() - stream_.avail_out);
      if (const int failed = made.empty() ? 0 : each(made); failed < 0) return failed;
    } while (stream_.avail_out == 0);
    return 0;
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
  std::string out_ = std::string(piece_bytes, '\0');
};

class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, gzip_window) == Z_OK; }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool ended() const { return ended_; }
  int take(std::string_view piece, const files::Take& each) {
    if (!ready_) return -ENOMEM;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      if (ended_) return stream_.avail_in > 0 ? -EILSEQ : 0;
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return -EILSEQ;
      ended_ = result == Z_STREAM_END;
      const std::string_view made(out_.data(), out_.size() - stream_.avail_out);
      if (const int failed = made.empty() ? 0 : each(made); failed < 0) return failed;
    } while (stream_.avail_in > 0 || stream_.avail_out == 0);
    return 0;
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
  bool ended_ = false;
  std::string out_ = std::string(piece_bytes, '\0');
};

}  // namespace

std::string archive_path(Id session) { return log::transcript_path(session) + ".gz"; }

// Of a temporary file as well, so that it can be read back before it gets its name.
bool is_packed(std::string_view path) {
  return path.ends_with(".jsonl.gz") ||
         (path.ends_with(".tmp") && path.find(".jsonl.gz.") != std::string_view::npos);
}

std::optional<Id> session_of_file(std::string_view name) {
  if (is_packed(name)) name.remove_suffix(3);
  if (name.size() != 16 + 6 || !name.ends_with(".jsonl")) return std::nullopt;
  return parse_id(name.substr(0, 16));
}

std::optional<Id> session_of_trashed(std::string_view name) {
  if (is_packed(name)) name.remove_suffix(3);
  if (name.size() < 16 + 1 + 6 || name[16] != '.' || !name.ends_with(".jsonl")) return std::nullopt;
  return parse_id(name.substr(0, 16));
}

int read_pieces(files::Files& files, const std::string& path, const files::Take& take) {
  const int handle = files.open(path, files::OpenAs::reader);
  if (handle < 0) return handle;
  const files::OpenFile file(files, handle);
  files::FileStat stat;
  if (const int failed = files.stat(handle, stat); failed < 0) return failed;
  if (stat.kind != files::FileStat::Kind::file) return -EISDIR;
  if (!is_packed(path)) return files::read_all(files, handle, take);
  Inflater inflater;
  const int read = files::read_all(
      files, handle, [&](std::string_view piece) { return inflater.take(piece, take); });
  return read == 0 && !inflater.ended() ? -EILSEQ : read;
}

std::int64_t pack(files::Files& files, files::Files::Handle from, files::NewFile& to) {
  const files::Take write = [&](std::string_view piece) { return to.write(piece); };
  Deflater deflater;
  std::int64_t bytes = 0;
  int failed = files::read_all(files, from, [&](std::string_view piece) {
    bytes += static_cast<std::int64_t>(piece.size());
    return deflater.take(piece, false, write);
  });
  if (failed == 0) failed = deflater.take({}, true, write);
  return failed < 0 ? failed : bytes;
}

int unpack(files::Files& files, const std::string& from, files::NewFile& to) {
  return read_pieces(files, from, [&](std::string_view piece) { return to.write(piece); });
}

int begins_with_packed(files::Files& files, const std::string& path, const std::string& packed) {
  const int handle = files.open(path, files::OpenAs::reader);
  if (handle < 0) return handle;
  const files::OpenFile file(files, handle);
  std::uint64_t at = 0;
  std::string there;
  constexpr int differs = -EEXIST;
  const int read = read_pieces(files, packed, [&](std::string_view piece) {
    there.resize(piece.size());
    for (std::size_t have = 0; have < piece.size();) {
      const std::int64_t got =
          files.read(handle, there.data() + have, piece.size() - have, at + have);
      if (got == -EINTR) continue;
      if (got < 0) return static_cast<int>(got);
      if (got == 0) return differs;
      have += static_cast<std::size_t>(got);
    }
    at += piece.size();
    return there == piece ? 0 : differs;
  });
  if (read == differs) return 0;
  return read < 0 ? read : 1;
}

}  // namespace skein::store::home
