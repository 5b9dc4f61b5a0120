#include "core/project/found_files.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "core/shell/known_programs.h"
#include "core/text/base.h"
#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::project {

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string plain_path(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

bool is_program(const std::string& path) {
  constexpr std::string_view script_endings =
      ".sh .bash .py .js .mjs .cjs .ts .rb .pl .php .lua .fish";
  const std::string_view name = shell::last_name(path);
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  return has_word(script_endings, name.substr(dot)) || access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> script_text(const std::string& path) {
  constexpr std::size_t most_bytes = 1u << 20;
  constexpr std::string_view machine_code = "\177ELF";
  // What was a file a moment ago may be a pipe by now.
  const Fd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  std::array<char, machine_code.size()> start{};
  if (!fd) return std::nullopt;
  if (pread(fd.get(), start.data(), start.size(), 0) == static_cast<ssize_t>(start.size()) &&
      std::string_view(start.data(), start.size()) == machine_code)
    return "";
  return read_all(fd.get(), most_bytes);
}

FoundFiles::FoundFiles(const Places& places, Author author) : places_(places) {
  if (author == Author::project) return;
  if (!places.config.empty()) own_.push_back(places.config + "/");
  if (!places.home.empty() && places.workspace == places.home)
    own_.push_back(places.home + "/.claude/");
}

bool FoundFiles::is_inside(const std::string& path) const {
  return path.starts_with(places_.root() + "/") &&
         std::ranges::none_of(own_, [&](const std::string& own) { return path.starts_with(own); });
}

std::optional<std::string> FoundFiles::add(const std::string& path) {
  const std::string named = plain_path(path);
  std::string real = followed(named, places_);
  if (!real.empty() && real != named && is_inside(named)) found_.names.push_back(named);
  // A link that leads out of the project is trusted by its own name, with what it leads to.
  if (real.empty()) real = named;
  struct stat info {};
  if (!is_inside(real) || stat(real.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return std::nullopt;
  found_.files.push_back(real);
  return real;
}

void FoundFiles::add_folder(const std::string& path) {
  const std::string plain = plain_path(path + "/.");
  struct stat info {};
  if (is_inside(plain) && stat(plain.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    found_.names.push_back(folder_of(plain));
}

std::vector<std::string> FoundFiles::add_matches(const std::string& folder,
                                                 const std::string& pattern) {
  const std::string from = pattern.starts_with('/') ? "" : folder + "/";
  add_folder(folder_of(from + pattern.substr(0, pattern.find_first_of("*?["))));
  std::string whole;
  for (const char c : from) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) whole += '\\';
    whole += c;
  }
  whole += pattern;
  std::vector<std::string> out;
  glob_t found{};
  if (::glob(whole.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return out;
}

void FoundFiles::cannot_follow(std::string_view what) {
  found_.unseen.push_back(
      "`" + std::string(utf8_prefix(what, 80)) + "`" +
      (script_.empty() ? "" : " in " + script_.substr(places_.root().size() + 1)));
}

std::string FoundFiles::read_from(std::string script) {
  return std::exchange(script_, std::move(script));
}

ExecutedFiles FoundFiles::result() {
  for (std::vector<std::string>* list : {&found_.files, &found_.names, &found_.unseen}) {
    std::ranges::sort(*list);
    const auto repeated = std::ranges::unique(*list);
    list->erase(repeated.begin(), repeated.end());
  }
  return std::move(found_);
}

}  // namespace skein::project
