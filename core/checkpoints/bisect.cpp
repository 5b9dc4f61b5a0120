#include "core/checkpoints/bisect.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "core/checkpoints/restore.h"
#include "core/text/text.h"

namespace skein::checkpoints {

namespace {

namespace fs = std::filesystem;
using workspace::nanoseconds;
using Stamps = std::unordered_map<std::string, CopiedFileStamp>;

constexpr std::int64_t coarsest_clock_ns = 2'000'000'000;  // of any file system

CopiedFileStamp stamp_of(const fs::path& file) {
  struct stat info {};
  if (lstat(file.c_str(), &info) != 0) return {};
  return {info.st_ino, static_cast<std::uint64_t>(info.st_size), info.st_mode,
          nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)};
}

// Whether a write from now on gives the file another time.
bool shows_writes(const CopiedFileStamp& stamp) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return stamp.modified_ns < nanoseconds(now) - coarsest_clock_ns;
}

bool copy_bytes(int from, int to) {
  if (ioctl(to, FICLONE, from) == 0) return true;  // both files share the blocks
  bool written = true;
  return read_pieces(from, std::string::npos,
                     [&](std::string_view piece) { return written = write_all(to, piece); }) &&
         written;
}

// Makes one folder the same as another and keeps the files' times: builds compare them.
struct Mirror {
  const std::vector<std::string>& leave_out;
  Stamps& untouched;

  void folder(const fs::path& from, const fs::path& to) {
    if (!fs::is_directory(fs::symlink_status(to))) {
      process::remove_tree(to);
      fs::create_directory(to);
    }
    fs::permissions(to, fs::perms::owner_all, fs::perm_options::add);
    std::set<fs::path> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(from))
      if (is_wanted(entry)) names.insert(entry.path().filename());
    for (const fs::directory_entry& entry : fs::directory_iterator(to))
      if (!names.contains(entry.path().filename())) process::remove_tree(entry.path());
    for (const fs::path& name : names) {
      const fs::file_status status = fs::symlink_status(from / name);
      if (fs::is_directory(status))
        folder(from / name, to / name);
      else
        fs::is_symlink(status) ? link(from / name, to / name) : file(from / name, to / name);
    }
    fs::permissions(to, fs::status(from).permissions());
  }

 private:
  bool is_wanted(const fs::directory_entry& entry) const {
    return (entry.is_symlink() || entry.is_directory() || entry.is_regular_file()) &&
           !std::ranges::binary_search(leave_out, entry.path().string());
  }

  static void link(const fs::path& from, const fs::path& to) {
    if (fs::is_symlink(to) && fs::read_symlink(to) == fs::read_symlink(from)) return;
    process::remove_tree(to);
    fs::copy_symlink(from, to);
  }

  void file(const fs::path& from, const fs::path& to) {
    const auto known = untouched.find(to.string());
    if (known != untouched.end() && known->second == stamp_of(to)) return;
    process::remove_tree(to);
    untouched.erase(to.string());
    const Fd source(open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!source && errno == ENOENT) return;  // removed since it was listed
    const Fd copy(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    struct stat info {};
    if (!source || !copy || fstat(source.get(), &info) != 0 ||
        !copy_bytes(source.get(), copy.get()) || fchmod(copy.get(), info.st_mode & 0777) != 0)
      throw Error("cannot copy " + from.string() + " to " + to.string() + ": " +
                  std::strerror(errno));
    const timespec times[] = {info.st_atim, info.st_mtim};
    futimens(copy.get(), times);
    if (const CopiedFileStamp stamp = stamp_of(to); shows_writes(stamp))
      untouched.emplace(to.string(), stamp);
  }
};

void mirror(const std::string& from, const std::string& to,
            const std::vector<std::string>& leave_out, Stamps& untouched) try {
  Mirror{leave_out, untouched}.folder(from, to);
} catch (const fs::filesystem_error& error) {
  throw Error(std::string("cannot copy the workspace: ") + error.what());
}

// It may be large: on a disk, unless the user says otherwise.
std::string place_of_copies() {
  if (std::string chosen = env_path("TMPDIR"); !chosen.empty()) return chosen;
  return fs::is_directory("/var/tmp") ? "/var/tmp" : "/tmp";
}

// The untested state between two that is nearest to the middle; `bad`: there is none.
std::size_t next_between(std::size_t good, std::size_t bad, const std::set<std::size_t>& skipped) {
  const std::size_t middle = good + (bad - good) / 2;
  for (std::size_t away = 0; away < bad - good; ++away) {
    if (middle + away < bad && middle + away > good && !skipped.contains(middle + away))
      return middle + away;
    if (middle >= away && middle - away > good && !skipped.contains(middle - away))
      return middle - away;
  }
  return bad;
}

}  // namespace

Bisected bisect(std::size_t states, const std::function<Verdict(std::size_t)>& test) {
  Bisected out{.good = 0, .bad = states - 1};
  const auto tried = [&](std::size_t state) {
    ++out.tests;
    return test(state);
  };
  using enum Bisected::Kind;
  const auto ended = [&](Verdict verdict, Bisected::Kind kind) {
    out.kind = verdict == Verdict::skip ? unclear : kind;
    return out;
  };
  if (const Verdict end = tried(out.bad); end != Verdict::bad) return ended(end, good_at_end);
  if (const Verdict start = tried(out.good); start != Verdict::good)
    return ended(start, bad_at_start);
  std::set<std::size_t> skipped;
  for (std::size_t next; (next = next_between(out.good, out.bad, skipped)) != out.bad;) {
    switch (tried(next)) {
      case Verdict::good: out.good = next; break;
      case Verdict::bad: out.bad = next; break;
      case Verdict::skip: skipped.insert(next); break;
    }
  }
  return ended(Verdict::bad, found);
}

EarlierStates::EarlierStates(WorkspaceFiles& workspace, Id session,
                             const std::vector<std::string>& own_places, Sandbox sandbox)
    : workspace_(workspace),
      session_(session),
      sandbox_(workspace.repository.is_there() ? sandbox : Sandbox::none),
      place_(place_of_copies(), "skein-scratch-") {
  if (place_.path().empty()) throw Error("cannot make a scratch folder in " + place_of_copies());
  // A command may need the whole repository around the workspace.
  const std::string& top =
      workspace.repository.is_there() ? workspace.repository.top() : workspace.root.path();
  original_ = place_.path() + "/original";
  copy_ = place_.path() + "/copy";
  folder_ = copy_ + workspace.root.path().substr(top.size());
  std::vector<std::string> out{place_.path()};  // it may be in the folder
  for (const std::string& place : own_places) out.push_back(workspace::real_place(place));
  std::ranges::sort(out);
  Stamps none;
  mirror(top, original_, out, none);
}

// Always from the present: a checkpoint of one turn says of other files that they are as now.
store::Result<std::vector<LeftAlone>> EarlierStates::show(const std::optional<Id>& prompt) {
  mirror(original_, copy_, {}, untouched_);
  if (!prompt) return std::vector<LeftAlone>{};
  const CheckpointLog log = TRY(read_log(workspace_, session_, prompt));
  // Opened each time: what was tested last may have replaced the folder.
  WorkspaceFiles files(workspace_.store, workspace_.contents, folder_, {}, sandbox_);
  const RestorePlan plan = TRY(plan_restore(files, log.checkpoints));
  RestoreReport done = TRY(restore(
      files, plan, {.session = session_, .to = *prompt, .overwrite = true, .recorded = false}));
  done.kept.insert(done.kept.end(), done.failed.begin(), done.failed.end());
  return std::move(done.kept);
}

}  // namespace skein::checkpoints
