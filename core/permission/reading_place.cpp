#include "core/permission/reading_place.h"

#include <algorithm>
#include <utility>

#include "core/permission/rule_match.h"

namespace skein::permission {

namespace {

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
  return path.starts_with('/') ? std::string(path) : folder + "/" + std::string(path);
}

}  // namespace

ReadingPlace::ReadingPlace(Facts facts) : facts_(std::move(facts)) {
  if (facts_.locate) top_ = facts_.locate(".").absolute;
}

bool ReadingPlace::is_known() const {
  const model::Survey& survey = facts_.survey;
  return !top_.empty() && survey.installed && survey.glob && survey.secret_in &&
         survey.repository_risk;
}

bool ReadingPlace::move(std::vector<std::string> folders) {
  folders_ = std::move(folders);
  return std::ranges::none_of(
      folders_, [&](const std::string& folder) { return facts_.locate(folder).below.empty(); });
}

bool ReadingPlace::may_run(const SimpleCommand& command, const Reading& reading) const {
  for (std::size_t i = 0; i < command.size() && !reading.text; ++i)
    if ((i == 0 || i != reading.script) && !stays_inside(command[i], reading)) return false;
  if (reading.walks && !may_be_searched(reading.operands, reading.walks_all)) return false;
  return !reading.git || is_plain_repository(reading.contents);
}

bool ReadingPlace::stays_inside(const ShellWord& word, const Reading& reading) const {
  return std::ranges::all_of(possible_paths(word.text), [&](std::string_view path) {
    return path.empty() || (may_be_read(std::string(path), reading.contents) &&
                            !(reading.git && reading.contents && is_secret(path)));
  });
}

// A file may be called like an option, and there may be more of them than a program only reads.
std::optional<SimpleCommand> ReadingPlace::with_files(const SimpleCommand& command) const {
  SimpleCommand out;
  for (const ShellWord& word : command) {
    if (!is_glob(word)) {
      out.push_back(word);
      continue;
    }
    const auto files = found(word);
    if (!files || word.text[0] == '-') return std::nullopt;
    for (const std::string& file : *files) {
      if (!may_be_read(file, /*contents=*/false)) return std::nullopt;
      out.push_back({file, std::string(file.size(), 'q')});
    }
    if (files->empty()) out.push_back({word.text, std::string(word.text.size(), 'q')});
  }
  return out;
}

std::optional<std::vector<std::string>> ReadingPlace::found(const ShellWord& word) const {
  const std::string pattern = glob_pattern(word);
  if (pattern.empty()) return std::nullopt;
  std::vector<std::string> out;
  for (const std::string& folder : folders_) {
    const std::string start = glob_pattern({folder, std::string(folder.size(), 'q')});
    const auto files = facts_.survey.glob(joined(start, pattern));
    if (!files) return std::nullopt;
    const std::size_t before = pattern[0] == '/' ? 0 : folder.size() + 1;
    for (const std::string& file : *files) out.push_back(file.substr(before));
  }
  return out;
}

bool ReadingPlace::may_be_read(const std::string& path, bool contents) const {
  if (path == "/dev/null") return true;
  return std::ranges::all_of(folders_, [&](const std::string& folder) {
    const std::string there = joined(folder, path);
    if (is_outside(there, facts_.locate)) return false;
    const model::Located place = facts_.locate(there);
    return !contents || !place.exists || (place.secret.empty() && !facts_.forbidden(there));
  });
}

// Also of a file that is gone: git still has it.
bool ReadingPlace::is_secret(std::string_view path) const {
  return std::ranges::any_of(folders_, [&](const std::string& folder) {
    return !facts_.locate(joined(folder, path)).secret.empty();
  });
}

bool ReadingPlace::may_be_searched(const std::vector<std::string>& operands, bool all) const {
  if (facts_.some_forbidden) return false;
  return std::ranges::all_of(folders_, [&](const std::string& folder) {
    // The first one is the pattern, or everything is searched.
    if (operands.size() < 2 && !facts_.survey.secret_in(folder, all).empty()) return false;
    return std::ranges::all_of(operands, [&](const std::string& operand) {
      const std::string there = joined(folder, operand);
      return !facts_.locate(there).exists || facts_.survey.secret_in(there, all).empty();
    });
  });
}

bool ReadingPlace::is_plain_repository(bool contents) const {
  if (contents && facts_.some_forbidden) return false;
  return std::ranges::all_of(folders_, [&](const std::string& folder) {
    return facts_.survey.repository_risk(folder, contents).empty();
  });
}

}  // namespace skein::permission
