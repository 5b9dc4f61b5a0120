#include "core/store/home/index/transcript.h"

#include <zlib.h>

namespace skein::store::home {

namespace {

constexpr std::size_t piece_bytes = 256u << 10;
constexpr int gzip_window = 15 + 16;  // the largest window, with gzip's header and checksum

// A stream through zlib, one way or the other.
class Stream {
 public:
  explicit Stream(bool packs) : packs_(packs) {
    broken_ = (packs ? deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8,
                                    Z_DEFAULT_STRATEGY)
                     : inflateInit2(&stream_, gzip_window)) != Z_OK;
  }
  ~Stream() { packs_ ? deflateEnd(&stream_) : inflateEnd(&stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // What becomes of `piece` is given to `each`; false if that wants no more, or it makes no sense.
  bool take(std::string_view piece, const files::Take& each, int flush = Z_NO_FLUSH) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      if (ended_ && stream_.avail_in > 0) broken_ = true;
      if (broken_ || ended_) return !broken_;
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int result = packs_ ? deflate(&stream_, flush) : inflate(&stream_, flush);
      broken_ = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
      ended_ = result == Z_STREAM_END;
      const std::string_view made(out_.data(), out_.size() - stream_.avail_out);
      if (broken_ || (!made.empty() && !each(made))) return false;
    } while (stream_.avail_in > 0 || stream_.avail_out == 0);
    return true;
  }
  bool broken() const { return broken_; }
  bool ended() const { return ended_; }

 private:
  const bool packs_;
  z_stream stream_{};
  bool broken_ = false, ended_ = false;
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

Result<void> read_pieces(files::Files& files, const std::string& path, const files::Take& take,
                         const std::string& name) {
  const files::OpenFile file = TRY(files::open(files, path, files::OpenAs::reader, name));
  if (!is_packed(path)) return file.read_all(take);
  Stream unpacking(false);
  bool wanted = true;
  const auto read = file.read_all([&](std::string_view piece) {
    return unpacking.take(piece, [&](std::string_view made) { return wanted = take(made); });
  });
  if (!read || !wanted || (unpacking.ended() && !unpacking.broken())) return read;
  return Failure{Failure::Kind::damaged, name + " is archived in a damaged file"};
}

Result<std::uint64_t> pack(const files::OpenFile& from, files::NewFile& to) {
  const files::Take write = [&](std::string_view piece) { return to.write(piece); };
  Stream packing(true);
  std::uint64_t bytes = 0;
  TRY(from.read_all([&](std::string_view piece) {
    bytes += piece.size();
    return packing.take(piece, write);
  }));
  packing.take({}, write, Z_FINISH);
  return bytes;
}

Result<void> unpack(files::Files& files, const std::string& from, files::NewFile& to,
                    const std::string& name) {
  const files::Take write = [&](std::string_view piece) { return to.write(piece); };
  return read_pieces(files, from, write, name);
}

Result<bool> begins_with_packed(files::Files& files, const files::OpenFile& file,
                                const std::string& packed) {
  std::uint64_t at = 0;
  std::string there;
  Result<bool> same = true;
  const auto compare = [&](std::string_view piece) {
    there.resize(piece.size());
    const Result<std::size_t> got = file.read(there.data(), there.size(), at);
    at += piece.size();
    same = got ? Result<bool>(*got == piece.size() && there == piece) : got.error();
    return same && *same;
  };
  const auto read = read_pieces(files, packed, compare, packed);
  return read ? same : read.error();
}

log::LogMemory Transcript::memory() const {
  log::LogMemory memory = log->memory();
  if (archived()) memory.stat = packed;
  return memory;
}

Result<void> Transcript::sync() const { return archived() ? Result<void>{} : log->sync(); }

Result<void> Transcript::refresh(files::Files& files) {
  if (!archived()) return log->refresh();
  const Id session = log->header().session;
  const TranscriptPlace place = transcript_place(files, session);
  if (!place.stat) return place.stat.error();
  if (is_packed(place.path) && place.stat->same_version(packed)) return {};
  return Failure{Failure::Kind::gone, described(session) + " is in another file now"};
}

Result<Transcript> open_transcript(files::Files& files, Id session, const std::string& path,
                                   const log::LogMemory* memory) {
  Transcript out;
  if (is_packed(path)) {
    const std::string name = described(session);
    out.packed = TRY(files::stat(files, path, name));
    out.copy = files::memory_files();
    out.copy->make_folder("transcripts");
    files::NewFile copy(*out.copy, log::transcript_path(session), name);
    TRY(unpack(files, path, copy, name));
    TRY(copy.link_into_place());
    out.log = std::make_unique<log::LogWriter>(*out.copy, session);
  } else {
    out.log = std::make_unique<log::LogWriter>(files, session, path);
  }
  TRY(out.log->refresh(memory));
  return out;
}

TranscriptPlace transcript_place(files::Files& files, Id session) {
  const std::string plain = log::transcript_path(session), packed = archive_path(session);
  const auto look = [&](const std::string& path) -> TranscriptPlace {
    return {path, files::stat(files, path, described(session))};
  };
  const auto missing = [](const TranscriptPlace& place) {
    return !place.stat && place.stat.error().missing;
  };
  TranscriptPlace place = look(plain);
  if (!missing(place)) return place;
  place = look(packed);
  return missing(place) ? look(plain) : place;  // one may become the other as we look
}

}  // namespace skein::store::home
