#include "core/import/source/source_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "core/import/source/containers.h"
#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

constexpr std::string_view zstd_magic = "\x28\xB5\x2F\xFD";

// A file that never had a name, or not for long; none: errno says why.
Fd nameless_file() {
  const std::string place = temporary_folder();
  if (Fd file(open(place.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600)); file) return file;
  std::string name = place + "/skein-XXXXXX";
  Fd file(mkostemp(name.data(), O_CLOEXEC));
  if (file) unlink(name.c_str());
  return file;
}

// What went wrong; empty: nothing.
std::string unpack(const auto& source, const auto& sink) {
  Callbacks callback;
  std::string problem;
  module_functions<ContainersModule>().unpack(callback(source), callback(sink), into(problem));
  callback.rethrow();
  return problem;
}

}  // namespace

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
  if (source.read(0, zstd_magic.size()) != zstd_magic) return source;
  try {
    std::variant<Fd, std::string> content = unzstd_file(source.file_.get());
    if (const auto* problem = std::get_if<std::string>(&content)) return path + *problem;
    source.file_ = std::move(std::get<Fd>(content));
  } catch (const Error& error) {  // no module
    return "cannot unpack " + path + ": " + error.what();
  }
  if (fstat(source.file_.get(), &facts) != 0)
    return "cannot read " + path + ": " + std::strerror(errno);
  source.size_ = static_cast<std::uint64_t>(facts.st_size);
  return source;
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
    if (got <= 0) break;  // the file was cut, or the disk fails: give the bytes so far
    done += static_cast<std::size_t>(got);
  }
  out.resize(done);
  return out;
}

std::size_t SourceFile::lines(const std::function<bool(const Line&)>& each) const {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::string buffer;
  std::uint64_t buffer_at = 0, read_to = 0;
  std::size_t too_long = 0;
  bool skipping = false;  // a line that is too long, up to its end
  const auto give = [&](std::string_view text, std::uint64_t at, bool ended) {
    if (at == 0 && text.starts_with(byte_order_mark)) {
      text.remove_prefix(byte_order_mark.size());
      at += byte_order_mark.size();
    }
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

namespace fs = std::filesystem;

std::optional<std::string> read_plain_file(const std::string& folder, const std::string& name) {
  constexpr std::uint64_t most = std::uint64_t{64} << 20;
  if (folder.empty() || name.empty() || name.find('/') != std::string::npos) return std::nullopt;
  const std::string path = folder + "/" + name;
  std::error_code failed;
  // Neither the file nor its folder may be a symbolic link.
  if (fs::symlink_status(folder, failed).type() != fs::file_type::directory) return std::nullopt;
  if (fs::symlink_status(path, failed).type() != fs::file_type::regular) return std::nullopt;
  auto file = SourceFile::open(path);
  const auto* const source = std::get_if<SourceFile>(&file);
  if (source == nullptr || source->size() > most) return std::nullopt;
  return source->read(0, static_cast<std::size_t>(source->size()));
}

std::vector<std::string> files_in(const std::string& folder, std::string_view ending, int deepest) {
  std::vector<std::string> out;
  std::error_code failed;
  if (fs::symlink_status(folder, failed).type() != fs::file_type::directory) return out;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (at.depth() >= deepest) at.disable_recursion_pending();
    std::error_code unknown;
    if (at->path().native().ends_with(ending) &&
        at->symlink_status(unknown).type() == fs::file_type::regular)
      out.push_back(at->path().string());
  }
  std::ranges::sort(out);
  return out;
}

std::optional<std::string> unzstd(std::string_view packed, std::size_t most_bytes) {
  std::string out;
  bool too_long = false;
  const std::string problem = unpack(
      [&](char* buffer, std::size_t room) {
        const std::size_t size = packed.copy(buffer, room);
        packed.remove_prefix(size);
        return size;
      },
      [&](std::string_view piece) {
        too_long = piece.size() > most_bytes - out.size();
        if (!too_long) out += piece;
        return !too_long;
      });
  if (too_long || !problem.empty()) return std::nullopt;
  return out;
}

std::variant<Fd, std::string> unzstd_file(int packed, std::uint64_t most_bytes) {
  Fd file = nameless_file();
  if (!file) return " cannot be unpacked: " + std::string(std::strerror(errno));
  std::uint64_t offset = 0, written = 0;
  std::string trouble;
  const std::string problem = unpack(
      [&](char* buffer, std::size_t room) -> std::size_t {
        ssize_t got = 0;
        do got = pread(packed, buffer, room, static_cast<off_t>(offset));
        while (got < 0 && errno == EINTR);
        if (got <= 0) return 0;
        offset += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      },
      [&](std::string_view piece) {
        written += piece.size();
        if (written > most_bytes)
          trouble = " is too large: unpacked it has more than " + std::to_string(most_bytes >> 20) +
                    " MiB";
        else if (!write_all(file.get(), piece))
          trouble = " cannot be unpacked: " + std::string(std::strerror(errno));
        return trouble.empty();
      });
  if (!trouble.empty()) return trouble;
  if (!problem.empty()) return " is damaged: " + problem;
  return file;
}

}  // namespace skein::importers
