// Small things done to text everywhere. Some are inline for the network's module, which links
// nothing of skein.
#pragma once

#include <concepts>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skein {

std::string listed(std::span<const std::string> words);  // "a, b, c"

// A code block of Markdown, in a fence longer than any run of backticks in `text`; ends in a
// newline.
std::string fenced(std::string_view text, std::string_view language = {});

inline std::string env(const char* variable) {  // empty: not set
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}
// The path that a variable names. Empty if it is not set or not absolute: a relative one would name
// files of the current folder, which is not the user's to trust.
inline std::string env_path(const char* variable) {
  std::string path = env(variable);
  return path.starts_with('/') ? path : "";
}
std::string user_home();  // $HOME; empty: there is none
// "~" and "~/x" as they are meant; empty if there is no home. Everything else stays as it is.
std::string with_user_home(std::string_view path);
std::string temporary_folder();  // $TMPDIR, else /tmp

inline std::string_view trimmed(std::string_view text, std::string_view what = " \t\r\n") {
  const std::size_t from = text.find_first_not_of(what);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(what) - from + 1);
}

// The pieces between separators; one at the end makes no empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split(Temporary&& text,
                                    char separator) = delete;  // nothing would last

// The text before the first blank, and the text after it.
std::pair<std::string_view, std::string_view> first_word(std::string_view text);

// Whether `word` is one of a list that is written with blanks between.
bool has_word(std::string_view list, std::string_view word);

// ASCII letters in lower case, other bytes as they are.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

}  // namespace skein
