// What a command that only reads would come across in the workspace.
#include <glob.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "core/text/base.h"
#include "core/text/small_file.h"
#include "core/text/text.h"
#include "core/tools/sandbox/git_config.h"
#include "core/tools/tools.h"
#include "core/tools/workspace/real_place.h"
#include "core/tools/workspace/tree_walk.h"

namespace skein::tools {

namespace {

namespace fs = std::filesystem;
using workspace::is_below, workspace::real_place, workspace::WalkControl, workspace::Walked;

constexpr std::size_t most_found = 2000;       // by one pattern
constexpr std::size_t most_entries = 100'000;  // looked at for one command
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
  std::string whole = pattern;
  if (!pattern.starts_with('/')) {
    whole.clear();
    for (const char c : root.path() + "/") {
      if (std::string_view("*?[\\").find(c) < 4) whole += '\\';
      whole += c;
    }
    whole += pattern;
  }
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

std::optional<std::string> text_of_file(const std::string& path) {
  return file_text(path, 1u << 20);
}

// The folder .git is, or that it names in a worktree; empty: it cannot be told.
std::string git_folder(const std::string& dot_git) {
  std::error_code failed;
  if (fs::is_directory(dot_git, failed)) return dot_git;
  constexpr std::string_view start = "gitdir: ";
  const std::optional<std::string> text = text_of_file(dot_git);
  if (!text || !text->starts_with(start)) return {};
  const std::string named(trimmed(std::string_view(*text).substr(start.size()), "\n"));
  return named.starts_with('/') ? named : fs::path(dot_git).parent_path().string() + "/" + named;
}

// Whether nothing in a configuration makes git run something. One that is not there is plain.
bool is_plain_configuration(const std::string& file, const Root& root) {
  std::error_code failed;
  if (!fs::exists(file, failed) && !failed) return true;
  const std::optional<std::string> text = text_of_file(file);
  const auto inside = [&](std::string_view path) {
    return is_below(real_place(path.starts_with('/') ? std::string(path)
                                                     : root.path() + "/" + std::string(path)),
                    root.path());
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
  if (const auto text = text_of_file(folder + "/commondir"))
    common = text->starts_with('/') ? std::string(trimmed(*text, "\n"))
                                    : folder + "/" + std::string(trimmed(*text, "\n"));
  if (!is_plain_configuration(common + "/config", root) ||
      !is_plain_configuration(folder + "/config.worktree", root))
    return "the repository's configuration may make git run programs";
  std::error_code failed;
  return fs::exists(common + "/modules", failed) ? "its submodules have configurations of their own"
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
        return "the history may hold what is kept from the model";
      return secret_in(root, ".", false);
    }
    if (!folder.has_relative_path()) return {};  // in no repository git does nothing
  }
}

}  // namespace

// Only of the workspace: what is further away is looked at with a question.
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
