#include "core/permission/read_only.h"

#include <algorithm>

#include "core/permission/command_risks.h"
#include "core/permission/reading_programs.h"
#include "core/permission/rule_match.h"
#include "core/text/text.h"

namespace skein::permission {

namespace {

// Part of the shell itself; every other program is looked up.
constexpr std::string_view builtins = "pwd echo true false";

// Variables that change how something is shown and nothing else.
bool is_harmless_variable(std::string_view assignment) {
  const std::string_view name = assignment.substr(0, assignment.find('='));
  const std::string_view value = assignment.substr(name.size() + 1);
  if (value.starts_with('/') || value.find("..") != std::string_view::npos) return false;
  return name.starts_with("LC_") || has_word("LANG TZ COLUMNS LINES NO_COLOR", name);
}

bool is_glob(const ShellWord& word) {
  for (std::size_t i = 0; i < word.text.size(); ++i)
    if (word.literal[i] == '.' && std::string_view("*?[").find(word.text[i]) < 3) return true;
  return false;
}

// As Survey::glob takes it; empty: it has more in it than * and ?.
std::string glob_pattern(const ShellWord& word) {
  std::string out;
  for (std::size_t i = 0; i < word.text.size(); ++i) {
    const char c = word.text[i];
    const bool wild = word.literal[i] == '.' && (c == '*' || c == '?');
    if (word.literal[i] == '.' && c == '[') return {};
    if (!wild && std::string_view("*?[\\").find(c) < 4) out += '\\';
    out += c;
  }
  return out;
}

std::string joined(const std::string& folder, std::string_view path) {
  if (folder == "." || path.starts_with('/')) return std::string(path);
  return folder + "/" + std::string(path);
}

}  // namespace

bool ReadOnlyLine::next(const SimpleCommand& command, const CommandSetting& setting) {
  if (!lost_ && setting.empty() && command[0].text == "cd") return moves(command);
  if (!lost_ && only_reads(command, setting)) return true;
  lost_ = lost_ || !risk_of(command).empty();
  return false;
}

// Whether it gets there cannot be told, so what follows is judged for both. Behind a link `..` is
// not the folder above.
bool ReadOnlyLine::moves(const SimpleCommand& command) {
  lost_ = true;
  if (command.size() != 2 || command[1].text.starts_with('-') || is_glob(command[1]) ||
      command[1].text.find("..") != std::string::npos)
    return false;
  std::vector<std::string> folders = folders_;
  for (const std::string& folder : folders_) {
    const std::string there = joined(folder, command[1].text);
    const model::Located place = place_.locate ? place_.locate(there) : model::Located{};
    if (place.below.empty()) return false;
    folders.push_back(place.below);
  }
  std::ranges::sort(folders);
  folders.erase(std::ranges::unique(folders).begin(), folders.end());
  constexpr std::size_t most_folders = 8;
  if (folders.size() > most_folders) return false;
  folders_ = std::move(folders);
  lost_ = false;
  return true;
}

bool ReadOnlyLine::only_reads(const SimpleCommand& command, const CommandSetting& setting) const {
  const auto& [locate, survey, forbidden, some_forbidden] = place_;
  if (!locate || !survey.installed || !survey.glob || !survey.secret_in || !survey.repository_risk)
    return false;
  if (!std::ranges::all_of(setting.variables, is_harmless_variable)) return false;
  const std::optional<Reading> reading = reading_of(command);
  if (!reading) return false;
  if (!has_word(builtins, command[0].text) && !survey.installed(command[0].text)) return false;
  for (const auto& redirection : setting.redirections)
    if (redirection.writes() || !may_be_read(redirection.file, true)) return false;
  for (const ShellWord& word : command)
    if (!(reading->text && !is_glob(word)) && !stays_inside(word, *reading)) return false;
  if (reading->walks && (std::ranges::any_of(command, is_glob) ||
                         !may_be_searched(reading->operands, reading->walks_all)))
    return false;
  return !reading->git || is_plain_repository(reading->contents);
}

bool ReadOnlyLine::stays_inside(const ShellWord& word, const Reading& reading) const {
  if (!is_glob(word))
    return std::ranges::all_of(possible_paths(word.text), [&](std::string_view path) {
      return path.empty() || (may_be_read(std::string(path), reading.contents) &&
                              !(reading.git && reading.contents && is_secret(path)));
    });
  const std::string pattern = glob_pattern(word);
  if (pattern.empty()) return false;
  for (const std::string& folder : folders_) {
    const auto found = place_.survey.glob(joined(folder, pattern));
    if (!found) return false;
    for (const std::string& path : *found)
      if (const model::Located place = place_.locate(path);
          place.below.empty() ||
          (reading.contents && (!place.secret.empty() || place_.forbidden(path))))
        return false;
  }
  return true;
}

bool ReadOnlyLine::may_be_read(const std::string& path, bool contents) const {
  if (path == "/dev/null") return true;
  return std::ranges::all_of(folders_, [&](const std::string& folder) {
    const std::string there = joined(folder, path);
    if (is_outside(there, place_.locate)) return false;
    const model::Located place = place_.locate(there);
    return !contents || !place.exists || (place.secret.empty() && !place_.forbidden(there));
  });
}

// Also of a file that is gone: git still has it.
bool ReadOnlyLine::is_secret(std::string_view path) const {
  return std::ranges::any_of(folders_, [&](const std::string& folder) {
    return !place_.locate(joined(folder, path)).secret.empty();
  });
}

bool ReadOnlyLine::may_be_searched(const std::vector<std::string>& operands, bool all) const {
  if (place_.some_forbidden) return false;
  return std::ranges::all_of(folders_, [&](const std::string& folder) {
    // The first one is the pattern, or everything is searched.
    if (operands.size() < 2 && !place_.survey.secret_in(folder, all).empty()) return false;
    return std::ranges::all_of(operands, [&](const std::string& operand) {
      const std::string there = joined(folder, operand);
      return !place_.locate(there).exists || place_.survey.secret_in(there, all).empty();
    });
  });
}

bool ReadOnlyLine::is_plain_repository(bool contents) const {
  if (contents && place_.some_forbidden) return false;
  return std::ranges::all_of(folders_, [&](const std::string& folder) {
    return place_.survey.repository_risk(folder, contents).empty();
  });
}

}  // namespace skein::permission
