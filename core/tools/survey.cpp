// survey: what a command that only reads could find in the workspace.
#include <glob.h>
#include <unistd.h>

#include "core/sandbox/git_config.h"
#include "core/text/io.h"
#include "core/text/pattern.h"
#include "core/text/text.h"
#include "core/tools/tools.h"
#include "core/workspace/real_place.h"
#include "core/workspace/tree_walk.h"

namespace skein::tools {

namespace {

namespace fs = std::filesystem;
using workspace::is_below, workspace::real_place, workspace::WalkControl, workspace::Walked;

constexpr std::size_t most_found = 2000;       // by one pattern
constexpr std::size_t most_entries = 100'000;  // looked at for one command
constexpr std::size_t most_bytes = 1u << 20;   // of a file of git's
constexpr std::string_view too_many = "too many files to look through";

bool is_machines_own(const Roots& roots, const std::string& program) {
  if (program.find('/') != std::string::npos) return false;
  const std::string path = env("PATH");
  for (const std::string_view folder : split(path, ':')) {
    if (!folder.starts_with('/')) return false;  // wherever the command happens to be
    const std::string file = std::string(folder) + "/" + program;
    if (access(file.c_str(), X_OK) != 0) continue;
    const std::string place = real_place(file);
    return !is_below(place, roots.workspace()->path()) &&
           !roots.of(place, Roots::Use::reads).further;
  }
  return false;
}

std::optional<std::vector<std::string>> files_found(const Root& root, const std::string& pattern) {
  const std::string whole =
      pattern.starts_with('/') ? pattern : glob_quoted(root.path() + "/") + pattern;
  glob_t found{};
  const int failed = glob(whole.c_str(), 0, nullptr, &found);
  const std::unique_ptr<glob_t, void (*)(glob_t*)> freed(&found, globfree);
  if (failed == GLOB_NOMATCH) return std::vector<std::string>{};
  if (failed != 0 || found.gl_pathc > most_found) return std::nullopt;
  return std::vector<std::string>(found.gl_pathv, found.gl_pathv + found.gl_pathc);
}

// Among all files, hidden ones and those that git ignores.
std::string secret_in_all(const Root& root, const std::string& folder) {
  std::error_code failed;
  std::size_t left = most_entries;
  for (fs::recursive_directory_iterator each(root.path() + "/" + folder, failed), end;
       !failed && each != end; each.increment(failed)) {
    if (left-- == 0) return std::string(too_many);
    const std::string below = each->path().lexically_normal().lexically_relative(root.path());
    if (!root.withheld()->secret(below).empty() && !each->is_directory(failed)) return below;
  }
  return failed ? failed.message() : "";
}

// Among those that a search shows which passes over hidden and ignored ones.
std::string secret_in_shown(const Root& root, const std::string& folder) {
  std::string secret;
  std::size_t left = most_entries;
  const std::string why =
      walk_tree(root, folder, root.locate(folder), {}, [&](const Walked& found) {
        const std::string_view name =
            std::string_view(found.path).substr(found.path.rfind('/') + 1);
        // These bring back what would be passed over.
        const bool unlocks = name == ".ignore" || name == ".rgignore";
        if (left-- == 0)
          secret = too_many;
        else if (unlocks || (found.kind != workspace::EntryKind::folder &&
                             !root.withheld()->secret(found.path).empty()))
          secret = found.path;
        return secret.empty() ? WalkControl::go_on : WalkControl::stop;
      });
  return secret.empty() ? why : secret;
}

std::string secret_in(const Root& root, const std::string& folder, bool all) {
  if (root.withheld() == nullptr) return {};
  const model::Located place = root.located(folder);
  if (place.below.empty()) return folder;
  std::error_code failed;
  if (!fs::is_directory(root.path() + "/" + place.below, failed))
    return place.secret.empty() ? "" : folder;
  return all ? secret_in_all(root, place.below) : secret_in_shown(root, place.below);
}

// The folder .git is, or that it names in a worktree; empty: it is not known.
std::string git_folder(const std::string& dot_git) {
  std::error_code failed;
  if (fs::is_directory(dot_git, failed)) return dot_git;
  constexpr std::string_view start = "gitdir: ";
  const std::optional<std::string> text = file_text(dot_git, most_bytes);
  if (!text || !text->starts_with(start)) return {};
  return fs::path(dot_git).parent_path() /
         trimmed(std::string_view(*text).substr(start.size()), "\n");
}

// Whether nothing in a configuration makes git run something. One that is not there is plain.
bool is_plain_configuration(const std::string& file, const Root& root) {
  std::error_code failed;
  if (!fs::exists(file, failed) && !failed) return true;
  const std::optional<std::string> text = file_text(file, most_bytes);
  const auto inside = [&](std::string_view path) {
    return is_below(real_place((fs::path(root.path()) / path).string()), root.path());
  };
  return text && sandbox::harmless_change("", *text, inside);
}

// git takes a folder for a repository that looks like one, whatever it is called.
bool looks_bare(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "HEAD", failed) && fs::exists(folder / "objects", failed) &&
         fs::exists(folder / "refs", failed);
}

std::string risk_of_repository(const std::string& dot_git, const Root& root) {
  std::string folder = git_folder(dot_git);
  if (folder.empty()) return ".git cannot be read";
  std::string common = folder;
  if (const auto text = file_text(folder + "/commondir", most_bytes))
    common = fs::path(folder) / trimmed(*text, "\n");
  if (!is_plain_configuration(common + "/config", root) ||
      !is_plain_configuration(folder + "/config.worktree", root))
    return "the repository's configuration may make git run programs";
  std::error_code failed;
  return fs::exists(common + "/modules", failed) ? "its submodules have their own configurations"
                                                 : "";
}

std::string repository_risk(const Root& root, const std::string& start, bool contents) {
  const model::Located place = root.located(start);
  if (place.below.empty()) return place.refusal;
  std::error_code failed;
  for (fs::path folder = place.below == "." ? root.path() : root.path() + "/" + place.below;;
       folder = folder.parent_path()) {
    if (looks_bare(folder)) return "a folder here looks like a repository itself";
    const bool above = !is_below(folder.string(), root.path());
    if (fs::exists(folder / ".git", failed)) {
      if (std::string risk = risk_of_repository(folder / ".git", root); !risk.empty()) return risk;
      if (!contents) return {};
      if (above) return "the repository holds more than the workspace";
      if (root.withheld() != nullptr && root.withheld()->has_patterns())
        return "the history may contain files that are hidden from the model";
      return secret_in(root, ".", false);
    }
    if (!folder.has_relative_path()) return {};  // in no repository git does nothing
  }
}

}  // namespace

// Only of the workspace: reading other places requires a question.
model::Survey survey_of(const Roots& roots) {
  const SharedRoot root = roots.workspace();
  return {
      .installed = [roots](const std::string& program) { return is_machines_own(roots, program); },
      .glob = [root](const std::string& pattern) { return files_found(*root, pattern); },
      .secret_in = [root](const std::string& folder,
                          bool all) { return secret_in(*root, folder, all); },
      .repository_risk = [root](const std::string& folder,
                                bool contents) { return repository_risk(*root, folder, contents); },
  };
}

}  // namespace skein::tools
