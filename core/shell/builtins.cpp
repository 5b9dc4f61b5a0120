#include "core/shell/builtins.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/text/text.h"

namespace skein::shell {

std::string_view text_of(const ShellCall::Word& word) {
  const bool one = word.values.known && !word.glob && word.values.texts.size() == 1;
  return one ? std::string_view(word.values.texts[0]) : std::string_view{};
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals > 0 && equals != std::string_view::npos && word.find_first_of("/$-") > equals;
}

bool is_option(std::string_view options, std::string_view word) {
  if (word.size() > 2 && word[0] == '-' && word[1] != '-')
    return has_word(options, std::string("-") + word.back());
  return !word.empty() && has_word(options, word);
}

std::pair<std::string_view, ShellCall::Word> option_in(ShellWords words) {
  const std::string_view word = text_of(words[0]);
  const std::size_t equals = word.find('=');
  if (!word.starts_with("--") || equals == std::string_view::npos)
    return {word, words.size() > 1 ? words[1] : ShellCall::Word{}};
  const std::string value(word.substr(equals + 1));
  return {word.substr(0, equals), ShellCall::Word{.written = value, .values = {.texts = {value}}}};
}

std::vector<ShellCall::Word> filled_in(ShellWords words) {
  std::vector<ShellCall::Word> out(words.begin(), words.end());
  for (ShellCall::Word& word : out)
    if (text_of(word).find("{}") != std::string_view::npos) word.values = Values::unknown();
  return out;
}

void change_folder(ShellWords arguments, ShellScope& scope) {
  while (!arguments.empty() && has_word("-P -L -e -@ --", text_of(arguments[0])))
    arguments = arguments.subspan(1);
  if (!arguments.empty() && text_of(arguments[0]) == "-") return;  // it has been there
  Values to = arguments.empty() ? scope.variables["HOME"] : arguments[0].values;
  if (to.texts.empty() || (!arguments.empty() && arguments[0].glob)) to.known = false;
  Values folders = scope.folders;
  folders.known = folders.known && to.known;
  for (const std::string& text : to.texts)
    for (const std::string& from : scope.folders.texts) {
      const std::filesystem::path path = text.starts_with('/') ? text : from + "/" + text;
      std::string plain = path.lexically_normal().string();
      if (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
      folders.add({.texts = {plain}});
    }
  scope.folders = folders;
}

void set_variables(ShellWords arguments, ShellScope& scope) {
  for (const ShellCall::Word& word : arguments) {
    if (!is_assignment(word.written)) continue;
    const std::string name = word.written.substr(0, word.written.find('='));
    Values value = word.values;
    for (std::string& text : value.texts) text.erase(0, std::min(text.size(), name.size() + 1));
    scope.variables[name].add(value);
  }
}

void forget_variables(ShellWords arguments, ShellScope& scope) {
  for (const ShellCall::Word& word : arguments) {
    for (const std::string& name : word.values.texts) scope.variables[name].add(Values::unknown());
    if (word.values.known) continue;
    for (auto& [name, values] : scope.variables) values.known = false;
  }
}

void forget_arguments(ShellScope& scope) {
  for (char digit = '1'; digit <= '9'; ++digit)
    scope.variables[std::string(1, digit)].add(Values::unknown());
}

Values parent_folders(ShellWords arguments) {
  if (arguments.empty()) return Values::unknown();
  Values out = arguments.back().values;
  for (std::string& text : out.texts)
    text = text.find('/') == std::string::npos ? "." : text.substr(0, text.rfind('/'));
  return out;
}

Values words_printed(ShellWords arguments) {
  if (!arguments.empty() && text_of(arguments[0]) == "-n") arguments = arguments.subspan(1);
  if (!arguments.empty() && text_of(arguments[0]).starts_with('-')) return Values::unknown();
  Values out{.texts = {""}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) out = joined(out, {.texts = {" "}});
    out = joined(out, arguments[i].values);
    out.known = out.known && !arguments[i].glob;
  }
  return out;
}

}  // namespace skein::shell
