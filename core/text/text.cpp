#include "core/text/text.h"

#include <algorithm>
#include <cstdlib>

namespace skein {

std::string listed(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string fenced(std::string_view text, std::string_view language) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string end = text.empty() || text.ends_with('\n') ? "" : "\n";
  return fence + std::string(language) + "\n" + std::string(text) + end + fence + "\n";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

std::pair<std::string_view, std::string_view> first_word(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

// Tables of programs are searched with it for every command, so it makes no list of the words.
bool has_word(std::string_view list, std::string_view word) {
  if (word.empty() || word.find(' ') != word.npos) return false;
  for (std::size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

std::string user_home() { return env_path("HOME"); }

std::string with_user_home(std::string_view path) {
  if (path != "~" && !path.starts_with("~/")) return std::string(path);
  const std::string home = user_home();
  return home.empty() ? home : home + std::string(path.substr(1));
}

std::string temporary_folder() {
  const std::string chosen = env_path("TMPDIR");
  return chosen.empty() ? "/tmp" : chosen;
}

}  // namespace skein
