#include "core/workspace/root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <climits>

#include "core/text/text.h"

namespace skein::workspace {

namespace {

namespace fs = std::filesystem;

std::string path_of(int fd) {  // empty: not known
  std::error_code failed;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(fd), failed).string();
}

std::string resolved(const fs::path& path) {
  std::error_code failed;
  const fs::path found = fs::weakly_canonical(path, failed);
  return failed || !found.is_absolute() ? std::string{} : found.string();
}

std::string from_home(const std::string& absolute) {
  const std::string home = user_home();
  if (home.empty()) return {};
  const std::string folder = resolved(home);
  if (absolute == folder) return "~";
  return absolute.starts_with(folder + "/") ? "~" + absolute.substr(folder.size()) : std::string{};
}

constexpr int folder_flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

int open_beneath(int root, const char* path, Root::Links links) {
  open_how how{};
  how.flags = folder_flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (links == Root::Links::refuse) how.resolve |= RESOLVE_NO_SYMLINKS;
  // EAGAIN: something was renamed while ".." was resolved and the kernel cannot vouch for it.
  for (int attempt = 0; attempt < 64; ++attempt) {
    const long fd = syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return static_cast<int>(fd);
  }
  return -1;
}

FileId id_of(const struct stat& info) { return {info.st_dev, info.st_ino}; }

std::optional<FileId> id_of(int folder, const char* name) {
  struct stat info {};
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return id_of(info);
}

std::vector<std::string> components(std::string_view path) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(path, '/'))
    if (!part.empty() && part != ".") parts.emplace_back(part);
  return parts;
}

// "a/b/c" is {"a/b", "c"}; what has no last name ("", ".", "a/..") is {path, "."}.
std::pair<std::string, std::string> folder_and_name(const std::string& path) {
  std::string trimmed = path;
  while (trimmed.size() > 1 && trimmed.back() == '/') trimmed.pop_back();
  const std::size_t slash = trimmed.rfind('/');
  const std::string last = slash == std::string::npos ? trimmed : trimmed.substr(slash + 1);
  if (last.empty() || last == "." || last == "..") return {trimmed.empty() ? "." : trimmed, "."};
  if (slash == 0) return {"/", last};
  return {slash == std::string::npos ? "." : trimmed.substr(0, slash), last};
}

std::string because(std::string_view what, int error) {
  return std::string(what) + ": " + std::strerror(error);
}

constexpr std::string_view leads_out = "outside the workspace";
constexpr std::string_view not_for_tools = "skein's own files are closed to tools";

}  // namespace

Resolver best_resolver() {
  const Fd root(open("/", folder_flags));
  const Fd found(open_beneath(root.get(), ".", Root::Links::follow));
  return found ? Resolver::kernel : Resolver::walk;
}

Root::Root(std::string folder, std::vector<std::string> forbidden, Resolver resolver,
           std::shared_ptr<const IgnoredPaths> withheld, std::string unfinished)
    : given_path_(std::move(folder)),
      forbidden_(std::move(forbidden)),
      resolver_(resolver),
      withheld_(std::move(withheld)),
      unfinished_(std::move(unfinished)) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(given_path_.c_str(), nullptr),
                                                         &std::free);
  if (real) fd_ = Fd(open(real.get(), folder_flags));
  const auto id = fd_ ? id_of(fd_.get(), ".") : std::nullopt;
  if (!id) throw Error("cannot open the workspace " + because(given_path_, errno));
  path_ = real.get();
  id_ = *id;
  for (std::string& closed : forbidden_) {
    if (!closed.starts_with('/'))
      closed = real_place(closed);  // while we know where it counts from
    closed_ = closed_ || is_below(path_, real_place(closed));
  }
}

std::optional<std::string> Root::inside(std::string_view path) const {
  if (path.find('\0') != std::string_view::npos) return std::nullopt;
  if (!path.starts_with('/')) return path.empty() ? "." : std::string(path);
  for (std::string_view base : {std::string_view(path_), std::string_view(given_path_)}) {
    while (base.size() > 1 && base.ends_with('/')) base.remove_suffix(1);
    if (base == path || base == "/")
      return "./" + std::string(path.substr(base == path ? path.size() : 0));
    if (path.starts_with(base) && path[base.size()] == '/')
      return "." + std::string(path.substr(base.size()));
  }
  return std::nullopt;
}

std::string Root::shown(std::string_view path) const {
  std::string text;
  const auto below = inside(path);
  if (!below) return std::string(path);
  for (const std::string& part : components(*below)) text = joined(text, part);
  return text.empty() ? "." : text;
}

Root::Folder Root::walk_to(const std::string& path, Links follow) const {
  std::vector<Fd> trail;  // the folders we came through, so that ".." never asks the file system
  std::vector<std::string> names;  // theirs
  const auto here = [&] { return trail.empty() ? fd_.get() : trail.back().get(); };
  std::vector<std::string> ahead = components(path);
  std::ranges::reverse(ahead);
  for (int links = 0; !ahead.empty();) {
    const std::string name = std::move(ahead.back());
    ahead.pop_back();
    if (name == "..") {
      if (trail.empty()) return {.error = EXDEV, .outside = true};
      trail.pop_back();
      names.pop_back();
      continue;
    }
    Fd next(openat(here(), name.c_str(), folder_flags | O_NOFOLLOW));
    if (next) {
      trail.push_back(std::move(next));
      names.push_back(name);
      continue;
    }
    const int error = errno;
    const auto target = read_link(here(), name);
    if (!target) return {.error = error};
    if (follow == Links::refuse) return {.error = ELOOP};
    if (target->starts_with('/')) return {.error = EXDEV, .outside = true};
    if (++links > max_links) return {.error = ELOOP};
    std::vector<std::string> detour = components(*target);
    ahead.insert(ahead.end(), detour.rbegin(), detour.rend());
  }
  std::string below;
  for (const std::string& name : names) below = joined(below, name);
  if (!trail.empty()) return {.fd = std::move(trail.back()), .below = std::move(below)};
  return {.fd = Fd(openat(fd_.get(), ".", folder_flags))};
}

Root::Folder Root::folder_at(const std::string& path, Links links) const {
  if (resolver_ == Resolver::walk) return walk_to(path, links);
  Fd fd(open_beneath(fd_.get(), path.c_str(), links));
  if (fd) {
    std::optional<std::string> below = path_below(fd.get());
    if (!below) return walk_to(path, links);  // without /proc the names are found on the way
    return {.fd = std::move(fd), .below = std::move(*below)};
  }
  return {.error = errno, .outside = errno == EXDEV};
}

// A forbidden path that does not exist is guarded as a name in its folder; if that is missing too,
// this is asked again once it is made. Links are followed each time, since they may change.
std::vector<Root::Barrier> Root::barriers() const {
  std::vector<Barrier> found;
  for (const std::string& path : forbidden_) {
    struct stat info {};
    if (stat(path.c_str(), &info) == 0) {
      found.push_back({id_of(info), ""});
      continue;
    }
    const auto [folder, name] = folder_and_name(real_place(path));
    if (stat(folder.c_str(), &info) == 0) found.push_back({id_of(info), name});
  }
  return found;
}

// Climbs from `folder` to the root by "..": a folder that has been moved out never gets there.
bool Root::is_forbidden(int folder, std::string_view name) const {
  if (closed_) return true;
  const std::vector<Barrier> walls = barriers();
  const auto blocked = [&](FileId id, std::string_view child) {
    return std::ranges::any_of(walls, [&](const Barrier& barrier) {
      return barrier.folder == id && (barrier.name.empty() || barrier.name == child);
    });
  };
  const auto here = id_of(folder, ".");
  const auto named = id_of(folder, std::string(name).c_str());
  if (!here || blocked(*here, name) || (named && blocked(*named, ""))) return true;
  Fd above;
  for (FileId id = *here; id != id_;) {
    Fd next(openat(above ? above.get() : folder, "..", folder_flags));
    const auto next_id = next ? id_of(next.get(), ".") : std::nullopt;
    if (!next_id || *next_id == id || blocked(*next_id, "")) return true;
    id = *next_id;
    above = std::move(next);
  }
  return false;
}

Root::Folder Root::folder_or_missing(const std::string& path, Missing how, Links links) const {
  Folder found = folder_at(path, links);
  if (how == Missing::refuse || found.fd || found.error != ENOENT) return found;
  const auto [above, name] = folder_and_name(path);
  if (name == ".") return found;
  Folder parent = folder_or_missing(above, how, links);
  if (!parent.fd) return parent;
  if (!parent.imagined && is_forbidden(parent.fd.get(), name)) return {.error = EPERM};
  parent.below = joined(parent.below, name);
  parent.imagined = how == Missing::imagine;
  if (parent.imagined) return parent;
  if (mkdirat(parent.fd.get(), name.c_str(), 0777) != 0 && errno != EEXIST) return {.error = errno};
  parent.fd = Fd(openat(parent.fd.get(), name.c_str(), folder_flags | O_NOFOLLOW));
  parent.error = errno;
  return parent;
}

// By where it leads, and by the words it is called.
std::string Root::withheld_by(std::string_view path, const FilePlace& place) const {
  if (!withheld_) return {};
  struct stat info {};
  const bool there = !place.missing && fstatat(place.folder.get(), place.name.c_str(), &info,
                                               AT_SYMLINK_NOFOLLOW) == 0;
  const EntryKind kind = there && S_ISDIR(info.st_mode) ? EntryKind::folder : EntryKind::file;
  if (std::string by = withheld_->by(place.below, kind); !by.empty()) return by;
  if (const std::string plain = shown(path); inside(path) && plain != place.below)
    if (std::string by = withheld_->by(plain, kind); !by.empty()) return by;
  return there && S_ISREG(info.st_mode) && info.st_nlink > 1 ? withheld_->by_other_name(id_of(info))
                                                             : std::string{};
}

FilePlace Root::locate(std::string_view path, Missing folders, Links links) const {
  // Nothing is made on the way to an ignored path.
  if (withheld_ && folders == Missing::make_folders)
    if (FilePlace there = locate(path, Missing::imagine, links); !there && !there.missing)
      return there;
  FilePlace place = locate_anyway(path, folders, links);
  if (const std::string by = place ? withheld_by(path, place) : ""; !by.empty())
    return {.refusal = shown(path) + ": hidden from the model by " + by};
  return place;
}

FilePlace Root::locate_anyway(std::string_view path, Missing folders, Links links) const {
  const auto refuse = [&](std::string_view why) {
    return FilePlace{.refusal = shown(path) + ": " + std::string(why),
                     .closed = why == not_for_tools};
  };
  const auto is_missing = [&](int error) {
    return error == ENOENT || (links == Links::refuse && (error == ELOOP || error == ENOTDIR));
  };
  auto relative = inside(path);
  if (!relative) return refuse(leads_out);
  for (int followed = 0; followed <= max_links; ++followed) {
    const auto [above, name] = folder_and_name(*relative);
    Folder folder = folder_or_missing(above, folders, links);
    if (folder.outside) return refuse(leads_out);
    if (!folder.fd)
      return {.refusal = because(shown(path), folder.error), .missing = is_missing(folder.error)};
    const std::string below =
        name == "." ? (folder.below.empty() ? "." : folder.below) : joined(folder.below, name);
    if (folder.imagined) return {std::move(folder.fd), name, "", below, true};
    if (is_forbidden(folder.fd.get(), name)) return refuse(not_for_tools);
    const auto target = links == Links::follow ? read_link(folder.fd.get(), name) : std::nullopt;
    if (!target) return {.folder = std::move(folder.fd), .name = name, .below = below};
    if (target->starts_with('/')) return refuse(leads_out);
    *relative = above + "/" + *target;
    if (relative->size() >= PATH_MAX) break;
  }
  return {.refusal = because(shown(path), ELOOP)};
}

OpenedFile Root::open_file(const FilePlace& place) const {
  const int folder = place.folder.get();
  OpenedFile file;
  const auto refuse = [&](std::string why, bool missing = false) -> OpenedFile {
    return {.refusal = place.name + ": " + why, .missing = missing};
  };
  // Looked at before it is opened: opening some devices already does something.
  if (fstatat(folder, place.name.c_str(), &file.info, AT_SYMLINK_NOFOLLOW) != 0)
    return refuse(std::strerror(errno), errno == ENOENT);
  if (S_ISDIR(file.info.st_mode)) return refuse("is a folder");
  if (!S_ISREG(file.info.st_mode)) return refuse("is not a regular file");
  file.fd = Fd(openat(folder, place.name.c_str(),
                      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.fd || fstat(file.fd.get(), &file.info) != 0) return refuse(std::strerror(errno));
  if (!S_ISREG(file.info.st_mode)) return refuse("is not a regular file");
  for (const Barrier& barrier : barriers())
    if (barrier.name.empty() && barrier.folder == id_of(file.info))
      return refuse(std::string(not_for_tools));
  if (withheld_ && file.info.st_nlink > 1)
    if (const std::string by = withheld_->by_other_name(id_of(file.info)); !by.empty())
      return refuse("hidden from the model by " + by);
  return file;
}

OpenedFile Root::open_folder(const FilePlace& place) const {
  OpenedFile folder;
  folder.fd = Fd(openat(place.folder.get(), place.name.c_str(),
                        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!folder.fd || fstat(folder.fd.get(), &folder.info) != 0)
    return {.refusal = because(place.name, errno)};
  if (is_forbidden(folder.fd.get(), "."))
    return {.refusal = place.name + ": " + std::string(not_for_tools)};
  return folder;
}

std::optional<std::string> Root::path_below(int folder) const {
  const std::string here = path_of(folder), root = path_of(fd_.get());
  if (here.empty() || root.empty() || !is_below(here, root)) return std::nullopt;
  return here.substr(std::min(here.size(), root == "/" ? 1 : root.size() + 1));
}

model::Located Root::located(std::string_view path) const {
  model::Located out;
  if (path.find('\0') != std::string_view::npos) return {.refusal = "a path cannot hold a NUL"};
  const FilePlace place = locate_anyway(path, Missing::imagine, Links::follow);
  out.refusal = place.refusal;
  if (const std::string name = shown(path) + ": "; out.refusal.starts_with(name))
    out.refusal.erase(0, name.size());
  if (place) {
    out.below = place.below;
    out.absolute = out.below == "." ? path_ : (path_ == "/" ? "" : path_) + "/" + out.below;
    struct stat info {};
    if (!place.missing &&
        fstatat(place.folder.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      out.exists = true;
      out.many_names = S_ISREG(info.st_mode) && info.st_nlink > 1;
    }
    out.withheld = withheld_by(path, place);
    if (withheld_ && !S_ISDIR(info.st_mode)) {
      out.secret = withheld_->secret(out.below);
      if (out.secret.empty()) out.secret = withheld_->secret(shown(path));
    }
  } else {
    out.absolute = resolved(fs::path(path_) / fs::path(path));
    // An absolute link leads nowhere for tools, even if it leads back in.
    if (out.absolute != path && inside(out.absolute)) {
      model::Located real = located(out.absolute);
      real.refusal = real.below.empty() ? real.refusal : std::string{};
      return real;
    }
    std::error_code ignored;
    out.exists = !out.absolute.empty() && fs::exists(out.absolute, ignored);
  }
  out.from_home = from_home(out.absolute);
  return out;
}

}  // namespace skein::workspace
