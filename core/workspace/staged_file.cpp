#include "core/workspace/staged_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>

namespace skein::workspace {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_note_bytes = 64u << 20;  // of a note

// A row is its fields, each ended by a zero byte: names may hold anything else.
struct NoteRow {
  std::string root{}, temporary{}, place{};
  std::string versions{};  // that may be deleted, each with a blank after it; empty: any
};

std::string version_of(const struct stat& info) {
  std::string out;
  for (const auto number :
       {static_cast<std::int64_t>(info.st_dev), static_cast<std::int64_t>(info.st_ino),
        static_cast<std::int64_t>(info.st_mode), static_cast<std::int64_t>(info.st_size),
        static_cast<std::int64_t>(info.st_mtim.tv_sec),
        static_cast<std::int64_t>(info.st_mtim.tv_nsec)})
    out += std::to_string(number) + ":";
  return out + " ";
}

// The last row of each temporary file counts.
std::map<std::string, NoteRow> rows_in(std::string_view text) {
  std::map<std::string, NoteRow> out;
  for (;;) {
    std::array<std::string, 4> fields;
    for (std::string& field : fields) {
      const std::size_t end = text.find('\0');
      if (end == std::string_view::npos) return out;  // the end, or what was being written
      field = text.substr(0, end);
      text.remove_prefix(end + 1);
    }
    auto& [root, temporary, place, versions] = fields;
    out[root + "/" + temporary] = {root, temporary, place, versions};
  }
}

// A sentence if it was not deleted.
std::optional<std::string> clear_one(const NoteRow& row) {
  const Root root(row.root, {});
  const auto at = [&](const std::string& path) {
    return root.locate(path, Root::Missing::refuse, Root::Links::refuse);
  };
  const FilePlace temporary = at(row.temporary), place = at(row.place);
  if (!temporary || !place) return std::nullopt;
  const int folder = temporary.folder.get();
  struct stat left {
  }, there{};
  if (fstatat(folder, temporary.name.c_str(), &left, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  const bool taken =
      fstatat(place.folder.get(), place.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  const bool second_name = taken && left.st_dev == there.st_dev && left.st_ino == there.st_ino;
  if (row.versions.empty() || second_name ||
      row.versions.find(version_of(left)) != std::string::npos) {
    unlinkat(folder, temporary.name.c_str(), 0);
    return std::nullopt;
  }
  if (renameat2(folder, temporary.name.c_str(), place.folder.get(), place.name.c_str(),
                RENAME_NOREPLACE) == 0)
    return row.root + "/" + row.place + " was restored: another program had saved it";
  return "another program saved " + row.root + "/" + row.place +
         " just before skein was killed; what it saved is in " + set_aside(place, temporary.name);
}

std::optional<std::string> clear_if_possible(const NoteRow& row) {
  try {
    return clear_one(row);
  } catch (const Error&) {
    return std::nullopt;  // the workspace is gone, and all in it
  }
}

constexpr std::string_view was_changed = "another program has changed it; read it again";
constexpr std::string_view was_made = "another program has created it; read it first";

bool is_unsupported(int error) { return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP; }

constexpr std::string_view temporary_opening = ".skein-", temporary_ending = ".tmp";

std::string temporary_name() {
  return std::string(temporary_opening) + to_string(random_id()) + std::string(temporary_ending);
}

std::string path_next_to(const FilePlace& place, const std::string& name) {
  const std::size_t slash = place.below.rfind('/');
  return slash == std::string::npos ? name : place.below.substr(0, slash + 1) + name;
}

std::string refuse(const FilePlace& place, std::string_view why) {
  return place.name + ": " + std::string(why);
}

bool rename_to_free_name(int folder, const std::string& from, const std::string& to) {
  if (renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  return is_unsupported(errno) && linkat(folder, from.c_str(), folder, to.c_str(), 0) == 0 &&
         unlinkat(folder, from.c_str(), 0) == 0;
}

// The kernel grants no read lease on a file that is open for writing. A lease that is broken is
// announced by a signal, here by one that is ignored unless a program wants it.
bool has_writer(int fd) {
  fcntl(fd, F_SETSIG, SIGURG);
  return fcntl(fd, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
}

// With contents to compare, they decide: what is the same may be deleted whatever its number is,
// which changes on some overlays when a file is first renamed.
bool is_still(int folder, const std::string& name, const Expected& expected) {
  struct stat info {};
  if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (S_ISLNK(info.st_mode)) return same_version(info, expected.info);
  if (!S_ISREG(info.st_mode)) return false;
  const Fd file(
      openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  // In this order: without a writer nothing changes any more.
  if (!file || has_writer(file.get()) || fstat(file.get(), &info) != 0) return false;
  if (!expected.holds) return same_version(info, expected.info);
  return info.st_mode == expected.info.st_mode && expected.holds(file.get());
}

}  // namespace

Unfinished::~Unfinished() {
  if (note_) unlink(file_.c_str());
}

void Unfinished::note(const std::string& temporary, const std::string& place,
                      std::initializer_list<struct stat> deletable) {
  if (folder_.empty()) return;
  std::string versions;
  for (const struct stat& each : deletable) versions += version_of(each);
  // One that clears away may be quicker than our lock, and remove the empty note: then again.
  struct stat info {};
  for (int attempt = 0; attempt < 100 && !note_; ++attempt) {
    std::error_code failed;
    if (fs::create_directories(folder_, failed))
      fs::permissions(folder_, fs::perms::owner_all, failed);
    file_ = folder_ + "/" + to_string(random_id());
    Fd note(open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!note) return;
    if (flock(note.get(), LOCK_EX) == 0 && fstat(note.get(), &info) == 0 && info.st_nlink > 0)
      note_ = std::move(note);
  }
  write_all(note_.get(), root_ + '\0' + temporary + '\0' + place + '\0' + versions + '\0');
}

std::vector<std::string> Unfinished::clear(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code failed;
  for (fs::directory_iterator note(folder, failed), end; !failed && note != end;
       note.increment(failed)) {
    const Fd file(open(note->path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file || flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;  // its writer is alive
    const std::optional<std::string> text = read_all(file.get(), most_note_bytes);
    if (text)
      for (const auto& [path, row] : rows_in(*text))
        if (auto sentence = clear_if_possible(row)) out.push_back(*std::move(sentence));
    unlink(note->path().c_str());
  }
  return out;
}

bool is_temporary(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with(temporary_opening) || !name.ends_with(temporary_ending)) return false;
  name.remove_prefix(temporary_opening.size());
  return parse_id(name.substr(0, name.size() - temporary_ending.size())).has_value();
}

bool same_version(const struct stat& a, const struct stat& b) {
  return version_of(a) == version_of(b);
}

Holds holding(std::string_view bytes) {
  return [bytes](int fd) {
    std::string_view rest = bytes;
    const bool read = read_pieces(fd, bytes.size() + 1, [&](std::string_view piece) {
      const bool same = rest.starts_with(piece);
      if (same) rest.remove_prefix(piece.size());
      return same;
    });
    return read && rest.empty();
  };
}

std::string set_aside(const FilePlace& place, const std::string& temporary) {
  constexpr std::size_t longest = 230;  // of a name, so that there is room for what is added
  const std::string name = std::string(utf8_prefix(place.name, longest)) + ".saved-" +
                           to_string(random_id()).substr(0, 8);
  const bool renamed = rename_to_free_name(place.folder.get(), temporary, name);
  return path_next_to(place, renamed ? name : temporary);
}

std::string remove_expected(const FilePlace& place, const Expected& expected, Unfinished& notes) {
  const int folder = place.folder.get();
  const std::string aside = temporary_name();
  notes.note(path_next_to(place, aside), place.below, {expected.info});
  if (renameat(folder, place.name.c_str(), folder, aside.c_str()) != 0)
    return errno == ENOENT ? "" : refuse(place, std::strerror(errno));
  if (is_still(folder, aside, expected))
    return unlinkat(folder, aside.c_str(), 0) == 0 ? "" : refuse(place, std::strerror(errno));
  if (rename_to_free_name(folder, aside, place.name)) return refuse(place, was_changed);
  return refuse(place, was_changed) + "; what was saved before is in " + set_aside(place, aside);
}

StagedFile::~StagedFile() { delete_temporary(); }

std::string StagedFile::delete_temporary() {
  if (!temporary_.empty()) unlinkat(place_.folder.get(), temporary_.c_str(), 0);
  temporary_.clear();
  return {};
}

// Why the file that is there must not be replaced; empty: it may.
std::string StagedFile::objection() const {
  struct stat old {};
  if (fstatat(place_.folder.get(), place_.name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return std::strerror(errno);
    return expected_ ? "another program has removed it" : "";
  }
  if (S_ISDIR(old.st_mode)) return "is a folder";
  if (!S_ISREG(old.st_mode) && !S_ISLNK(old.st_mode)) return "is not a regular file";
  if (!expected_) return std::string(was_made);
  if (S_ISREG(old.st_mode) && old.st_nlink > 1)
    return "has " + std::to_string(old.st_nlink) +
           " hard links, and the others may be outside the workspace; replace the file with a copy "
           "first";
  return same_version(old, expected_->info) ? "" : std::string(was_changed);
}

// Empty: done; else what went wrong.
std::string StagedFile::write_file(const NewContents& file, Sync sync) const {
  const bool replaces_file = expected_ && S_ISREG(expected_->info.st_mode);
  const mode_t mode = replaces_file || file.mode ? 0600 : 0644;  // less the umask
  const Fd fd(openat(place_.folder.get(), temporary_.c_str(),
                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) return std::strerror(errno);
  if (replaces_file) {
    const struct stat& old = expected_->info;
    // Root editing a user's file must not take it away from them; others cannot and need not.
    const bool given = fchown(fd.get(), old.st_uid, old.st_gid) == 0;
    const mode_t kept = old.st_mode & (given ? 0777 : 0707);
    if (fchmod(fd.get(), old.st_gid == getegid() ? old.st_mode & 0777 : kept) != 0)
      return std::strerror(errno);
  }
  if (file.mode && fchmod(fd.get(), *file.mode & 0777) != 0) return std::strerror(errno);
  if (!write_all(fd.get(), file.bytes)) return std::strerror(errno);
  return sync == Sync::later || fsync(fd.get()) == 0 ? "" : std::strerror(errno);
}

std::string StagedFile::fill(const NewContents& file, Sync sync) {
  if (const std::string why = objection(); !why.empty()) return refuse(place_, why);
  const int folder = place_.folder.get();
  temporary_ = temporary_name();
  notes_.note(path_next_to(place_, temporary_), place_.below);
  std::string why;
  if (!file.is_link)
    why = write_file(file, sync);
  else if (symlinkat(std::string(file.bytes).c_str(), folder, temporary_.c_str()) != 0)
    why = std::strerror(errno);
  if (why.empty() && fstatat(folder, temporary_.c_str(), &staged_.info, AT_SYMLINK_NOFOLLOW) != 0)
    why = std::strerror(errno);
  return why.empty() ? "" : refuse(place_, why);
}

bool StagedFile::exchange() const {
  const int folder = place_.folder.get();
  return renameat2(folder, temporary_.c_str(), folder, place_.name.c_str(), RENAME_EXCHANGE) == 0;
}

std::string StagedFile::take_place(Holds filled) {
  if (!expected_) return appear();
  staged_.holds = std::move(filled);
  notes_.note(path_next_to(place_, temporary_), place_.below, {staged_.info, expected_->info});
  if (!exchange())
    return is_unsupported(errno) ? overwrite() : refuse(place_, std::strerror(errno));
  return is_still(place_.folder.get(), temporary_, *expected_) ? delete_temporary() : put_back();
}

std::string StagedFile::appear() {
  const int folder = place_.folder.get();
  const char *from = temporary_.c_str(), *to = place_.name.c_str();
  if (rename_to_free_name(folder, temporary_, place_.name)) {
    temporary_.clear();
    return {};
  }
  if (errno == EEXIST) return refuse(place_, was_made);
  // Neither that flag nor hard links: a look and a rename have to do.
  struct stat info {};
  if (fstatat(folder, to, &info, AT_SYMLINK_NOFOLLOW) == 0) return refuse(place_, was_made);
  if (renameat(folder, from, folder, to) != 0) return refuse(place_, std::strerror(errno));
  temporary_.clear();
  return {};
}

// For file systems that cannot exchange. The old file gets a second name for as long as it takes,
// so that what is written into it at the last moment is still found.
std::string StagedFile::overwrite() {
  const int folder = place_.folder.get();
  const std::string second = temporary_name();
  notes_.note(path_next_to(place_, second), place_.below, {expected_->info});
  const bool linked = linkat(folder, place_.name.c_str(), folder, second.c_str(), 0) == 0;
  std::string why;
  if (!is_still(folder, linked ? second : place_.name, *expected_))
    why = was_changed;
  else if (renameat(folder, temporary_.c_str(), folder, place_.name.c_str()) != 0)
    why = std::strerror(errno);
  if (why.empty()) temporary_.clear();
  if (linked && (!why.empty() || is_still(folder, second, *expected_)))
    unlinkat(folder, second.c_str(), 0);
  else if (linked)
    why = "another program wrote to it while it was replaced; what it wrote is in " +
          set_aside(place_, second);
  return why.empty() ? "" : refuse(place_, why);
}

// Until the exchange is undone, our file is in the place: another save may replace it or go into
// it. That is the newest one, and belongs there.
std::string StagedFile::put_back() {
  const int folder = place_.folder.get();
  if (exchange()) {
    if (is_still(folder, temporary_, staged_)) {
      delete_temporary();
      return refuse(place_, was_changed);
    }
    exchange();
  } else if (rename_to_free_name(folder, temporary_, place_.name)) {  // ours was removed
    temporary_.clear();
    return refuse(place_, was_changed);
  }
  return refuse(place_, was_changed) + "; what was saved before is in " +
         set_aside(place_, std::exchange(temporary_, {}));
}

std::string Root::replace(const FilePlace& place, std::string_view bytes,
                          const std::optional<Expected>& expected) const {
  Unfinished notes(path_, unfinished_);
  StagedFile file(place, expected, notes);
  const std::string why = file.fill({.bytes = bytes}, StagedFile::Sync::now);
  return why.empty() ? file.take_place(holding(bytes)) : why;
}

}  // namespace skein::workspace
