#include "repl/terminal/chord.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/text/base.h"
#include "core/text/spelling.h"
#include "core/text/text.h"
#include "core/text/utf8.h"

namespace skein::terminal {

namespace {

using Code = Key::Code;

struct KeyName {
  std::string_view name;
  Key key;
};

// The first name of a key is the one that is written.
const std::vector<KeyName>& key_names() {
  static const std::vector<KeyName> table = [] {
    std::vector<KeyName> names{
        {"enter", key(Code::enter)},    {"return", key(Code::enter)},
        {"tab", key(Code::tab)},        {"esc", key(Code::escape)},
        {"escape", key(Code::escape)},  {"backspace", key(Code::backspace)},
        {"up", key(Code::up)},          {"down", key(Code::down)},
        {"left", key(Code::left)},      {"right", key(Code::right)},
        {"home", key(Code::home)},      {"end", key(Code::end)},
        {"pageup", key(Code::page_up)}, {"pagedown", key(Code::page_down)},
        {"insert", key(Code::insert)},  {"delete", key(Code::del)},
        {"del", key(Code::del)},        {"space", character(' ')},
        {"plus", character('+')},
    };
    static constexpr std::string_view functions[] = {"f1", "f2", "f3", "f4",  "f5",  "f6",
                                                     "f7", "f8", "f9", "f10", "f11", "f12"};
    char32_t number = 0;
    for (const std::string_view name : functions)
      names.push_back({name, {.code = Code::function, .point = ++number}});
    return names;
  }();
  return table;
}

struct Modifier {
  std::string_view name;
  bool Key::*member;
};
constexpr Modifier modifiers[] = {{"ctrl", &Key::ctrl},  {"control", &Key::ctrl},
                                  {"alt", &Key::alt},    {"meta", &Key::alt},
                                  {"option", &Key::alt}, {"shift", &Key::shift}};

[[noreturn]] void no_such_key(std::string_view text, std::string_view word, bool modifier) {
  std::vector<std::string_view> names;
  if (modifier)
    for (const Modifier& each : modifiers) names.push_back(each.name);
  else
    for (const KeyName& each : key_names()) names.push_back(each.name);
  const std::string_view meant = nearest(word, names);
  std::string better(text);
  if (!meant.empty()) better.replace(better.find(word), word.size(), meant);
  throw Error("there is no key '" + std::string(word) + "' in \"" + std::string(text) + "\"; " +
                  (meant.empty() ? "`skein keys --test` shows how keys are written"
                                 : "did you mean \"" + better + "\"?"),
              ExitStatus::usage);
}

std::optional<Key> key_named(std::string_view name) {
  const auto found = std::ranges::find(key_names(), name, &KeyName::name);
  if (found != key_names().end()) return found->key;
  if (name.empty()) return std::nullopt;
  const Utf8Character first = first_character(name);
  const bool one = first.good && first.length == name.size();
  if (!one || first.point <= ' ' || first.point == 0x7F) return std::nullopt;
  return character(first.point);
}

Key parse_key(std::string_view text, std::string_view word) {
  const std::vector<std::string_view> parts = split(word, '+');
  std::optional<Key> out = key_named(parts.back());
  if (!out) no_such_key(text, parts.back().empty() ? word : parts.back(), false);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const auto found = std::ranges::find(modifiers, parts[i], &Modifier::name);
    if (found == std::end(modifiers)) no_such_key(text, parts[i].empty() ? word : parts[i], true);
    (*out).*(found->member) = true;
  }
  return normalized(*out);
}

bool is_text(const Key& key) { return !typed(key).empty(); }

std::string capitalized(std::string text) {
  bool first = true;
  for (char& c : text) {
    if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    first = c == '+' || c == ' ';
  }
  return text;
}

}  // namespace

Chord parse_chord(std::string_view text) {
  const std::string small = lower(text);
  Chord out;
  for (const std::string_view word : split(small, ' '))
    if (!word.empty()) out.push_back(parse_key(small, word));
  if (out.empty()) throw Error("\"\" is no key", ExitStatus::usage);
  if (out.size() > 2)
    throw Error("\"" + small + "\" is more than two keys, one after the other", ExitStatus::usage);
  return out;
}

std::string written(const Key& key) {
  Key bare{.code = key.code, .point = key.point};
  std::string name;
  const bool capital =
      key.alt && !key.ctrl && key.code == Code::character && key.point >= 'A' && key.point <= 'Z';
  if (capital) bare.point += 'a' - 'A';
  const auto found = std::ranges::find(key_names(), bare, &KeyName::key);
  if (found != key_names().end())
    name = found->name;
  else
    name = typed(bare);
  if (name.empty()) return {};
  return std::string(key.ctrl ? "ctrl+" : "") + (key.alt ? "alt+" : "") +
         (key.shift || capital ? "shift+" : "") + name;
}

std::string written(const Chord& chord) {
  std::string out;
  for (const Key& each : chord) out += (out.empty() ? "" : " ") + written(each);
  return out;
}

std::string shown(const Chord& chord) { return capitalized(written(chord)); }

std::string trouble_with(const Chord& chord) {
  const Key& first = chord.front();
  const std::string name = "\"" + written(chord) + "\"";
  if (is_text(first)) return name + " begins with text; a key here has ctrl or alt, or a name";
  if (std::ranges::count(chord, ctrl('c')) > 0)
    return "ctrl+c always clears the line, stops and leaves; " + name + " cannot be given away";
  return {};
}

bool needs_extended_keys(const Key& key) {
  switch (key.code) {
    case Code::enter:
    case Code::escape:
    case Code::backspace: return key.ctrl || key.shift;
    case Code::tab: return key.ctrl;
    case Code::character: {
      if (!key.ctrl) return false;
      if (key.shift) return true;
      const bool letter = key.point >= 'a' && key.point <= 'z';
      return !letter && std::u32string_view(U" @\\]^_").find(key.point) == std::u32string::npos;
    }
    default: return false;
  }
}

Key plain_form(const Key& key) {
  Key out = key;
  out.shift = false;
  if (needs_extended_keys(out)) out.ctrl = false;
  return out;
}

}  // namespace skein::terminal
