#include "core/instructions/loader.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ranges>
#include <utility>

#include "core/instructions/markdown.h"
#include "core/project/front_matter.h"
#include "core/text/base.h"
#include "core/text/text.h"
#include "core/tools/workspace/real_place.h"

namespace skein::instructions {

namespace {

namespace fs = std::filesystem;
using Author = Document::Author;

constexpr const char* shared_names[] = {"AGENTS.override.md", "AGENTS.md", "CLAUDE.md",
                                        ".claude/CLAUDE.md"};
constexpr const char* private_names[] = {"AGENTS.local.md", "CLAUDE.local.md"};
constexpr const char* rule_folders[] = {".skein/rules", ".claude/rules"};
constexpr int deepest_import = 4;

std::string cut_mark(const SourceText& source) {
  return "[cut here: the file has " + with_separators(source.size) + " bytes]\n";
}

std::string parent_of(const std::string& file) { return fs::path(file).parent_path().string(); }

}  // namespace

// From the project's root, as people write it; in full if it lies elsewhere.
std::string Loader::shown(const std::string& file) const {
  if (tools::workspace::is_below(file, places_.project()))
    return fs::path(file).lexically_relative(places_.project()).string();
  if (!places_.home.empty() && tools::workspace::is_below(file, places_.home))
    return "~/" + fs::path(file).lexically_relative(places_.home).string();
  return file;
}

// True: there is such a file, whatever came of it.
bool Loader::add(Wanted wanted) {
  Document& document = wanted.document;
  document.shown = shown(document.file);
  const std::optional<SourceText> source =
      document.is_of_project() ? source_.of_project(document.file) : source_.of_user(document.file);
  if (!source) return false;
  if (std::ranges::find(read_, source->id) != read_.end()) return true;
  read_.push_back(source->id);
  std::string_view text = source->text;
  if (document.author == Author::rule) {
    const project::FrontMatter front = project::read_front_matter(text);
    if (front.fault) {
      source_.remark(document.heading + ":" + std::to_string(front.fault->line) +
                     " is not understood, so the rule does not count: " + front.fault->reason);
      return true;
    }
    text.remove_prefix(front.body);
    document.paths = front.list("paths");
    if (!document.paths.empty()) document.why = "rule for " + listed(document.paths);
  }
  document.text = without_comments(text);
  if (source->cut) {
    document.text += cut_mark(*source);
    source_.remark(document.heading + " is cut: it has " + with_separators(source->size) +
                   " bytes");
  }
  if (trimmed(document.text).empty()) return true;
  (document.paths.empty() ? documents : path_rules).push_back(document);
  if (wanted.depth < deepest_import && document.paths.empty())
    add_imports(document, wanted.depth + 1);
  return true;
}

// What a project's file names must lie in the project; what the user's own names may be anywhere.
// A word after an @ that names no file is just a word.
void Loader::add_imports(const Document& of, int depth) {
  const bool own = !of.is_of_project();
  for (const std::string& mention : mentions_in(of.text)) {
    if (mentions_left_-- <= 0) return;
    const bool from_home = mention.starts_with("~/");
    if (from_home && (!own || places_.home.empty())) continue;
    const fs::path file = from_home ? fs::path(places_.home) / mention.substr(2)
                                    : fs::path(parent_of(of.file)) / mention;
    const std::string path = file.lexically_normal().string();
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) continue;
    if (!own && (!tools::workspace::is_below(path, places_.project()) ||
                 *fs::path(shown(path)).begin() == ".git")) {
      source_.remark(of.heading + " imports " + mention +
                     ", which is not of the project; left out");
      continue;
    }
    Document document{.file = path,
                      .heading = shown(path) + " (imported by " + shown(of.file) + ")",
                      .name = "the file " + shown(path),
                      .why = "imported by " + shown(of.file),
                      .author = of.author == Author::rule ? Author::project : of.author};
    add({std::move(document), depth});
  }
}

void Loader::add_user_files() {
  const auto document = [&](const std::string& file, Author author, const char* why) {
    const std::string name =
        fs::path(file).filename().string() + " (" + shown(parent_of(file)) + ")";
    return Wanted{{.file = file, .heading = name, .name = name, .why = why, .author = author}};
  };
  if (!places_.machine.empty())
    add(document(places_.machine, Author::machine, "for everyone on this machine"));
  for (const std::string& file : places_.own)
    if (add(document(file, Author::user, "your own"))) break;
}

void Loader::add_folder(const std::string& folder) {
  const std::string place = folder == places_.project() ? "" : shown(folder);
  const bool here = folder == places_.workspace();
  const auto first_of = [&](const auto& names, const std::string& why) {
    for (const char* name : names) {
      const std::string heading = std::string(name) + (place.empty() ? "" : " (" + place + ")");
      const std::string known_as = here            ? std::string(name) + " of this workspace"
                                   : place.empty() ? std::string(name) + " of the project"
                                                   : heading;
      if (add({{.file = folder + "/" + name, .heading = heading, .name = known_as, .why = why}}))
        return;
    }
  };
  const std::string where = here ? "workspace" : place.empty() ? "project" : "folder " + place;
  first_of(shared_names, where);
  first_of(private_names, where + ", private");
}

void Loader::add_rules(const std::string& folder) {
  for (const char* name : rule_folders)
    for (const std::string& file : source_.names_in(folder + "/" + name, ".md")) {
      const std::string path = folder + "/" + name + "/" + file;
      add({{.file = path,
            .heading = shown(path),
            .name = "the rule " + shown(path),
            .why = "rule",
            .author = Author::rule,
            .base = folder}});
    }
}

void Loader::load() {
  add_user_files();
  for (const std::string& folder : places_.folders | std::views::reverse) add_folder(folder);
  for (const std::string& folder : places_.folders | std::views::reverse) add_rules(folder);
}

void Loader::load_folder(const std::string& folder) { add_folder(folder); }

}  // namespace skein::instructions
