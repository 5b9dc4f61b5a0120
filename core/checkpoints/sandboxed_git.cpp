#include "core/checkpoints/sandboxed_git.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>

#include "core/text/io.h"
#include "core/text/small_file.h"
#include "core/tools/sandbox/environment.h"
#include "core/tools/sandbox/socket_filter.h"
#include "core/tools/workspace/real_place.h"

namespace skein::checkpoints {

namespace {

namespace fs = std::filesystem;
namespace sandbox = tools::sandbox;

std::string first_line(const fs::path& file) {
  const std::string text = file_beginning(file);
  return text.substr(0, text.find('\n'));
}

// Where a repository is kept whose .git is a file: a worktree's, a submodule's.
std::vector<std::string> kept_elsewhere(const std::string& top) {
  constexpr std::string_view opening = "gitdir: ";
  const std::string line = first_line(fs::path(top) / ".git");
  if (!line.starts_with(opening)) return {};
  const fs::path folder = fs::path(top) / line.substr(opening.size());
  std::vector<std::string> out{tools::workspace::real_place(folder.string())};
  if (const std::string common = first_line(folder / "commondir"); !common.empty())
    out.push_back(tools::workspace::real_place((folder / common).string()));
  return out;
}

// A pipe in some folder, or a filter, may keep git waiting for ever. It looks like a repository so
// large, or a disk so slow, that git needs longer. Where that has happened, less time is lost next.
constexpr std::chrono::seconds patience{60}, little_patience{3};
constexpr std::uint64_t most_memory = std::uint64_t{2} << 30;  // against files without an end

// Files that git reads whatever it is asked; those in the work tree not through a link.
constexpr const char* work_tree_files[] = {"/.gitattributes", "/.gitignore", "/.gitmodules"};
constexpr const char* git_files[] = {"/.git",
                                     "/.git/HEAD",
                                     "/.git/config",
                                     "/.git/index",
                                     "/.git/packed-refs",
                                     "/.git/commondir",
                                     "/.git/info/attributes",
                                     "/.git/info/exclude",
                                     "/.git/objects/info/alternates"};

// A pipe, a device, a socket, or far too large: no repository has so many files or refs.
bool keeps_git_busy(const std::string& path, Links links) {
  constexpr off_t largest = off_t{4} << 30;
  struct stat info {};
  const int flags = links == Links::followed ? 0 : AT_SYMLINK_NOFOLLOW;
  if (fstatat(AT_FDCWD, path.c_str(), &info, flags) != 0) return false;
  return S_ISREG(info.st_mode) ? info.st_size > largest
                               : !S_ISDIR(info.st_mode) && !S_ISLNK(info.st_mode);
}

// What is said on standard error would get between the records.
constexpr const char* git_script = "f=$2; shift 2; exec git \"$@\" <\"$f\" 2>/dev/null";
constexpr const char* settings_script =
    "printf '%s %s\\0' \"$(git --git-dir=\"$1\" config core.autocrlf)\" "
    "\"$(git --git-dir=\"$1\" config core.eol)\"; ";

constexpr const char* tracked_script =
    "git --no-optional-locks -c core.fsmonitor=false --git-dir=\"$1\" --work-tree=\"${1%/.git}\" "
    "ls-files -s -z -- . 2>/dev/null; ";

}  // namespace

SandboxedGit::SandboxedGit(const Root& root, Sandbox sandbox, const Stop& stop)
    : root_(root), sandbox_(sandbox), stop_(stop) {
  if (sandbox_ == Sandbox::none) return;
  std::error_code failed;
  for (fs::path at = root_.path();; at = at.parent_path()) {
    if (fs::exists(at / ".git", failed)) {
      top_ = at.string();
      break;
    }
    if (at == at.parent_path()) return;
  }
  prefix_ = root_.path().substr(std::min(root_.path().size(), top_.size() + (top_ == "/" ? 0 : 1)));
  if (!prefix_.empty()) prefix_ += '/';
  seen_too_ = kept_elsewhere(top_);
}

std::vector<std::string> SandboxedGit::words_of(const Asked& asked,
                                                const std::string& input) const {
  const std::string script = std::string(asked.settings_first ? settings_script : "") +
                             (asked.tracked_first ? tracked_script : "") + git_script;
  // The repository is named outright, so that no setting of it leads elsewhere.
  std::vector<std::string> words{"/bin/sh",
                                 "-c",
                                 script,
                                 "git",
                                 top_ + "/.git",
                                 input,
                                 "--no-optional-locks",
                                 "-c",
                                 "core.fsmonitor=false",
                                 "--git-dir=" + top_ + "/.git",
                                 "--work-tree=" + top_};
  if (asked.literal) words.emplace_back("--literal-pathspecs");
  words.insert(words.end(), asked.arguments.begin(), asked.arguments.end());
  return words;
}

std::optional<std::string> SandboxedGit::answer_to(sandbox::Program& program, const Asked& asked) {
  std::string out;
  bool too_much = false;
  sandbox::Watch watch;
  watch.time = timed_out_ ? little_patience : patience;
  watch.output = [&](std::string_view piece) {
    too_much = too_much || out.size() + piece.size() > asked.most_bytes;
    if (!too_much) out += piece;
  };
  watch.stopped = [&] { return too_much || stop_.asked(); };
  const sandbox::ProgramEnd end = sandbox::run_program(program, watch);
  if (!too_much) stop_.check();
  timed_out_ = end.cause == sandbox::ProgramEnd::Cause::timed_out;
  if (timed_out_)
    obstacle_ = "git does not answer in " + top_ + ": is some .gitignore or .gitattributes a pipe?";
  const bool done = end.cause == sandbox::ProgramEnd::Cause::exited && !too_much &&
                    (end.code == 0 || end.code == asked.also_good);
  return done ? std::optional(std::move(out)) : std::nullopt;
}

std::string SandboxedGit::find_obstacle() const {
  std::string found;
  const auto look_at = [&](const std::string& path, Links links) {
    if (keeps_git_busy(path, links)) found = path + " is not a file that git can read to its end";
  };
  for (const std::string& folder : {top_, root_.path()})
    for (const char* name : work_tree_files) look_at(folder + name, Links::refused);
  for (const char* name : git_files) look_at(top_ + name, Links::followed);
  constexpr std::string_view branch = "ref: ";
  if (const std::string head = first_line(top_ + "/.git/HEAD"); head.starts_with(branch))
    look_at(top_ + "/.git/" + head.substr(branch.size()), Links::followed);
  return found;
}

std::optional<std::string> SandboxedGit::ask(const Asked& asked) {
  if (top_.empty() || temporary_.path().empty()) return std::nullopt;
  stop_.check();
  if (obstacle_ = find_obstacle(); !obstacle_.empty()) return std::nullopt;
  const bool wrapped = sandbox_ == Sandbox::bubblewrap;
  // Under Landlock only the temporary folder can be written to, and everything is seen where it is.
  sandbox::SandboxSpec cell{.root = wrapped ? root_.path() : temporary_.path(),
                            .temporary = temporary_.path(),
                            .hidden = root_.forbidden(),
                            .network = false};
  if (!sandbox::settle_hidden(cell).empty()) return std::nullopt;
  const std::string input = temporary_.path() + "/asked";
  {
    const Fd file(open(input.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file || !write_all(file.get(), asked.input)) return std::nullopt;
  }
  sandbox::Program program{.arguments = {}, .environment = {}, .folder = root_.fd()};
  program.limits.memory = most_memory;
  Fd rules;
  if (wrapped) {
    cell.read_only = seen_too_;
    cell.read_only.push_back(top_);
    program.arguments = sandbox::bubblewrap_arguments(cell);
  } else {
    rules = sandbox::landlock_rules(cell);
    program.landlock = rules.get();
  }
  program.sockets = sandbox::sockets_for(sandbox_, cell.network);
  for (std::string& word : words_of(asked, wrapped ? "/tmp/asked" : input))
    program.arguments.push_back(std::move(word));
  program.environment = sandbox::command_environment(sandbox::own_environment(),
                                                     wrapped ? "/tmp" : temporary_.path());
  program.environment.push_back("GIT_OPTIONAL_LOCKS=0");
  return answer_to(program, asked);
}

}  // namespace skein::checkpoints
