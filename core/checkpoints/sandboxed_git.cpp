#include "core/checkpoints/sandboxed_git.h"

#include <fcntl.h>

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

// What is said on standard error would get between the records.
constexpr const char* git_script = "f=$2; shift 2; exec git \"$@\" <\"$f\" 2>/dev/null";
constexpr const char* settings_script =
    "printf '%s %s\\0' \"$(git --git-dir=\"$1\" config core.autocrlf)\" "
    "\"$(git --git-dir=\"$1\" config core.eol)\"; ";

}  // namespace

SandboxedGit::SandboxedGit(const Root& root, Sandbox sandbox) : root_(root), sandbox_(sandbox) {
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
  const std::string script =
      (asked.settings_first ? settings_script : "") + std::string(git_script);
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

std::optional<std::string> SandboxedGit::answer_to(sandbox::Program& program,
                                                   const Asked& asked) const {
  std::string out;
  bool too_much = false;
  sandbox::Watch watch;
  watch.time = std::chrono::hours(1);  // against a filter that hangs; what is slow is waited for
  watch.output = [&](std::string_view piece) {
    too_much = too_much || out.size() + piece.size() > asked.most_bytes;
    if (!too_much) out += piece;
  };
  watch.stopped = [&] { return too_much || asked.stopped(); };
  const sandbox::ProgramEnd end = sandbox::run_program(program, watch);
  const bool done = end.cause == sandbox::ProgramEnd::Cause::exited && !too_much &&
                    (end.code == 0 || end.code == asked.also_good);
  return done ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::string> SandboxedGit::ask(const Asked& asked) {
  if (top_.empty() || temporary_.path().empty()) return std::nullopt;
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
