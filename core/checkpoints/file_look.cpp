#include "core/checkpoints/file_look.h"

#include <fcntl.h>

#include "core/text/checksum.h"
#include "core/workspace/staged_file.h"

namespace skein::checkpoints {

namespace {

constexpr std::string_view opening = "skein looks 2 ";
constexpr std::size_t hash_digits = 64;
constexpr std::size_t most_bytes = 16u << 20;

constexpr std::uint64_t batch_bytes = 32u << 20;
constexpr std::size_t batch_files = 500;

}  // namespace

LookedAtFiles load_looks(const std::string& file) {
  LookedAtFiles out;
  const std::string text = file.empty() ? "" : read_small_file(file, most_bytes);
  if (!text.starts_with(opening)) return out;
  std::string_view rest = std::string_view(text).substr(opening.size());
  if (rest.size() <= hash_digits ||
      sha256_hex(rest.substr(hash_digits)) != rest.substr(0, hash_digits))
    return out;
  for (sandbox::Unpacker in(rest.substr(hash_digits)); !in.at_end();) {
    LookedAt look;
    look.stamp.fresh = false;
    look.stamp.id = {in.number(), in.number()};
    look.stamp.changed_ns = static_cast<std::int64_t>(in.number());
    look.size = in.number();
    look.hash = in.text();
    out.insert_or_assign(in.text(), std::move(look));
    if (!in.ok()) return {};
  }
  return out;
}

void save_looks(const std::string& file, const LookedAtFiles& looks) {
  if (file.empty()) return;
  sandbox::Packer rows;
  for (const auto& [path, look] : looks) {
    if (look.stamp.fresh || look.hash.empty()) continue;
    for (const std::uint64_t number :
         {look.stamp.id.device, look.stamp.id.inode,
          static_cast<std::uint64_t>(look.stamp.changed_ns), look.size})
      rows.number(number);
    rows.text(look.hash);
    rows.text(path);
    if (rows.bytes().size() > most_bytes - 1024) return;
  }
  replace_small_file(file, std::string(opening) + sha256_hex(rows.bytes()) + rows.bytes());
}

FileLook::~FileLook() {
  if (learned_) save_looks(memory_, known_);
}

LookedAt& FileLook::known(const std::string& path) {
  const auto [at, is_new] = known_.try_emplace(path);
  if (!is_new || memory_.empty()) return at->second;
  if (!remembered_) remembered_ = load_looks(memory_);
  if (auto row = remembered_->extract(path)) at->second = std::move(row.mapped());
  return at->second;
}

FilePlace exact_place(const Root& root, const std::string& path, Root::Missing folders) {
  FilePlace place = root.locate(path, folders, Root::Links::refuse);
  if (place && place.below != path) return {.refusal = "its name is not a path"};
  return place;
}

store::Result<SeenFile> FileLook::look(const std::string& path, Contents contents,
                                       std::uint64_t most) {
  using enum SeenFile::Kind;
  const FilePlace place = exact_place(root_, path);
  if (place) return look(path, place, contents, most);
  const SeenFile::Kind kind = place.missing ? none : place.closed ? own : other;
  return SeenFile{kind, {.path = path}, {}, place.refusal};
}

store::Result<SeenFile> FileLook::look(const std::string& path, const FilePlace& place,
                                       Contents contents, std::uint64_t most) {
  stop_.check();
  SeenFile seen{.file = {.path = path}};
  if (workspace::is_temporary(path)) {
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
  if (found != 0)
    seen.why = std::strerror(errno);
  else if (S_ISREG(seen.info.st_mode))
    TRY(take_in(seen, place, contents, most));
  else if (S_ISLNK(seen.info.st_mode))
    TRY(take_in_link(seen, place, contents));
  else
    seen.why = "it is not a regular file";
  // So that it can be said later whether it is another one.
  if (!seen.file.contents_kept()) seen.file.changed_ns = sandbox::stamp_of(seen.info).changed_ns;
  return seen;
}

store::Result<void> FileLook::take_in_link(SeenFile& seen, const FilePlace& place,
                                           Contents contents) {
  std::optional<std::string> target = workspace::read_link(place.folder.get(), place.name);
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
  if (contents == Contents::hashed || contents_->holds_blob(*seen.file.hash, seen.file.size))
    return {};
  return keep_later(*std::move(target), seen.file.path);
}

store::Result<void> FileLook::take_in(SeenFile& seen, const FilePlace& place, Contents contents,
                                      std::uint64_t most) {
  seen.file.mode = seen.info.st_mode & 0777;
  seen.file.size = static_cast<std::uint64_t>(seen.info.st_size);
  LookedAt& before = known(seen.file.path);
  const bool same = !before.hash.empty() && before.size == seen.file.size &&
                    surely_unchanged(before.stamp, sandbox::stamp_of(seen.info));
  if (same && contents == Contents::kept && !before.kept)
    before.kept = contents_->holds_blob(before.hash, before.size);
  const bool known = same && (contents == Contents::hashed || before.kept);
  if (known || seen.file.size > most) {
    seen.kind = SeenFile::Kind::file;
    seen.file.hash = known ? before.hash : "";
    return {};
  }
  const workspace::OpenedFile opened = root_.open_file(place);
  std::string bytes;
  const bool read = opened && read_pieces(opened.fd.get(), most + 1, [&](std::string_view piece) {
                      stop_.check();
                      bytes += piece;
                      return true;
                    });
  if (!read || bytes.size() > most) {
    seen.why = opened ? "it cannot be read" : opened.refusal;
    return {};
  }
  // As it was when it was opened: a change while it was read shows at the next look.
  seen.info = opened.info;
  seen.file.mode = seen.info.st_mode & 0777;
  seen.kind = SeenFile::Kind::file;
  seen.file.size = bytes.size();
  seen.file.hash = sha256_hex(bytes);
  before = {sandbox::stamp_of(opened.info), seen.file.size, *seen.file.hash};
  learned_ = true;
  return contents == Contents::hashed ? store::Result<void>{}
                                      : keep_later(std::move(bytes), seen.file.path);
}

store::Result<void> FileLook::keep_later(std::string bytes, const std::string& path) {
  pending_bytes_ += bytes.size();
  pending_.push_back(std::move(bytes));
  pending_paths_.push_back(path);
  if (pending_bytes_ >= batch_bytes || pending_.size() >= batch_files) return flush();
  return {};
}

store::Result<std::string> FileLook::read(const std::string& path, const std::string& hash) {
  std::optional<std::string> bytes;
  if (const FilePlace place = exact_place(root_, path)) {
    bytes = workspace::read_link(place.folder.get(), place.name);
    if (!bytes)
      if (const workspace::OpenedFile opened = root_.open_file(place))
        bytes = read_all(opened.fd.get(), most_kept_bytes);
  }
  if (bytes && sha256_hex(*bytes) == hash) return *std::move(bytes);
  return store::Failure{store::Failure::Kind::gone, "its earlier contents are not saved"};
}

store::Result<void> FileLook::flush() {
  if (pending_.empty()) return {};
  const store::Result<std::vector<std::string>> names = contents_->keep_blobs(pending_);
  if (names)
    for (std::size_t i = 0; i < pending_paths_.size(); ++i) {
      LookedAt& file = known_[pending_paths_[i]];
      file.kept = file.hash == (*names)[i];
    }
  pending_.clear();
  pending_paths_.clear();
  pending_bytes_ = 0;
  return names ? store::Result<void>{} : names.error();
}

}  // namespace skein::checkpoints
