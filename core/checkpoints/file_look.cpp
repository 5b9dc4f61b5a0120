#include "core/checkpoints/file_look.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "core/text/io.h"
#include "core/text/sha256.h"
#include "core/tools/workspace/staged_file.h"

namespace skein::checkpoints {

namespace {

constexpr std::uint64_t batch_bytes = 32u << 20;
constexpr std::size_t batch_files = 500;

// none: it is not a link, or cannot be read.
std::optional<std::string> link_target(const Place& place) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length =
      readlinkat(place.folder.get(), place.name.c_str(), target.data(), target.size());
  if (length < 0) return std::nullopt;
  target.resize(static_cast<std::size_t>(length));
  return target;
}

}  // namespace

FileLook::~FileLook() {
  if (memory_.empty() || !learned_) return;
  LookedAtFiles looks;
  for (auto& [path, file] : known_)
    if (!file.look.hash.empty()) looks.emplace(path, std::move(file.look));
  save_looks(memory_, looks);
}

FileLook::Known& FileLook::known(const std::string& path) {
  const auto [at, is_new] = known_.try_emplace(path);
  if (!is_new || memory_.empty()) return at->second;
  if (!remembered_) remembered_ = load_looks(memory_);
  if (auto row = remembered_->extract(path)) at->second.look = std::move(row.mapped());
  return at->second;
}

bool FileLook::is_kept(Known& file) const {
  if (!file.kept) file.kept = contents_.holds(file.look.hash, file.look.size);
  return file.kept;
}

store::Result<SeenFile> FileLook::look(const std::string& path, Contents contents,
                                       std::uint64_t most) {
  using enum SeenFile::Kind;
  const Place place = root_.locate(path, Root::Missing::refuse, Root::Links::refuse);
  if (!place)
    return SeenFile{place.missing  ? none
                    : place.closed ? own
                                   : other,
                    {.path = path},
                    {},
                    place.refusal};
  if (place.below != path) return SeenFile{other, {.path = path}, {}, "its name is not a path"};
  return look(path, place, contents, most);
}

store::Result<SeenFile> FileLook::look(const std::string& path, const Place& place,
                                       Contents contents, std::uint64_t most) {
  stop_.check();
  SeenFile seen{.file = {.path = path}};
  if (tools::workspace::is_temporary(path)) {
    seen.kind = SeenFile::Kind::own;
    return seen;
  }
  const int found =
      fstatat(place.folder.get(), place.name.c_str(), &seen.info, AT_SYMLINK_NOFOLLOW);
  if (found == 0 ? S_ISDIR(seen.info.st_mode) : errno == ENOENT) {
    known_.erase(path);
    return seen;
  }
  seen.kind = SeenFile::Kind::other;
  store::Result<void> done;
  if (found != 0)
    seen.why = std::strerror(errno);
  else if (S_ISREG(seen.info.st_mode))
    done = take_in(seen, place, contents, most);
  else if (S_ISLNK(seen.info.st_mode))
    done = take_in_link(seen, place, contents);
  else
    seen.why = "it is not a regular file";
  if (!done) return done.error();
  // So that it can be said later whether it is another one.
  if (!seen.file.contents_kept())
    seen.file.changed_ns = tools::sandbox::stamp_of(seen.info).changed_ns;
  return seen;
}

store::Result<void> FileLook::take_in_link(SeenFile& seen, const Place& place, Contents contents) {
  std::optional<std::string> target = link_target(place);
  if (!target) {
    seen.why = "it cannot be read";
    return {};
  }
  seen.kind = SeenFile::Kind::file;
  seen.file = {.path = seen.file.path,
               .mode = 0777,
               .hash = sha256_hex(*target),
               .size = target->size(),
               .kind = FileKind::link};
  if (contents == Contents::hashed || contents_.holds(*seen.file.hash, seen.file.size)) return {};
  return keep_later(*std::move(target), seen.file.path);
}

store::Result<void> FileLook::take_in(SeenFile& seen, const Place& place, Contents contents,
                                      std::uint64_t most) {
  const auto describe = [&] {
    seen.file.mode = seen.info.st_mode & 0777;
    seen.file.size = static_cast<std::uint64_t>(seen.info.st_size);
  };
  describe();
  Known& before = known(seen.file.path);
  const LookedAt& look = before.look;
  const bool same = !look.hash.empty() && look.size == seen.file.size &&
                    surely_unchanged(look.stamp, tools::sandbox::stamp_of(seen.info));
  if (same && (contents == Contents::hashed || is_kept(before))) {
    seen.kind = SeenFile::Kind::file;
    seen.file.hash = look.hash;
    return {};
  }
  if (seen.file.size > most) {
    seen.kind = SeenFile::Kind::file;
    seen.file.hash = "";
    return {};
  }
  const tools::workspace::Opened opened = root_.open_file(place);
  std::optional<std::string> bytes;
  if (opened) bytes = bytes_of(opened, most);
  if (!bytes) {
    seen.why = opened ? "it cannot be read" : opened.refusal;
    return {};
  }
  // As it was when it was opened: a change while it was read shows at the next look.
  seen.info = opened.info;
  describe();
  seen.kind = SeenFile::Kind::file;
  seen.file.size = bytes->size();
  seen.file.hash = sha256_hex(*bytes);
  before = {{tools::sandbox::stamp_of(opened.info), seen.file.size, *seen.file.hash}, false};
  learned_ = true;
  return contents == Contents::hashed ? store::Result<void>{}
                                      : keep_later(*std::move(bytes), seen.file.path);
}

store::Result<void> FileLook::keep_later(std::string bytes, const std::string& path) {
  pending_bytes_ += bytes.size();
  pending_.push_back(std::move(bytes));
  pending_paths_.push_back(path);
  if (pending_bytes_ >= batch_bytes || pending_.size() >= batch_files) return flush();
  return {};
}

// None: it cannot be read, or is larger than that.
std::optional<std::string> FileLook::bytes_of(const tools::workspace::Opened& file,
                                              std::uint64_t most) const {
  std::string bytes;
  const bool read = read_pieces(file.fd.get(), most + 1, [&](std::string_view piece) {
    stop_.check();
    bytes += piece;
    return true;
  });
  return read && bytes.size() <= most ? std::optional(std::move(bytes)) : std::nullopt;
}

store::Result<std::string> FileLook::keep(std::string_view bytes) { return contents_.keep(bytes); }

store::Result<std::string> FileLook::read(const std::string& path, const std::string& hash) {
  const Place place = root_.locate(path, Root::Missing::refuse, Root::Links::refuse);
  std::optional<std::string> bytes;
  if (place && place.below == path) {
    bytes = link_target(place);
    if (!bytes)
      if (const tools::workspace::Opened opened = root_.open_file(place))
        bytes = read_all(opened.fd.get(), most_kept_bytes);
  }
  if (bytes && sha256_hex(*bytes) == hash) return *std::move(bytes);
  return store::Failure{store::Failure::Kind::gone, "what was in it is not kept"};
}

store::Result<void> FileLook::flush() {
  if (pending_.empty()) return {};
  const store::Result<std::vector<std::string>> names = contents_.keep_all(pending_);
  if (names)
    for (std::size_t i = 0; i < pending_paths_.size(); ++i) {
      Known& file = known_[pending_paths_[i]];
      file.kept = file.look.hash == (*names)[i];
    }
  pending_.clear();
  pending_paths_.clear();
  pending_bytes_ = 0;
  if (!names) return names.error();
  return {};
}

}  // namespace skein::checkpoints
