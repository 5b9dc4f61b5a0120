#include "repl/terminal/key_map.h"

#include "core/text/base.h"
#include "core/text/text.h"
#include "core/text/utf8.h"
#include "repl/layout/width.h"

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
    char32_t number = 0;
    for (const std::string_view name :
         {"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"})
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

std::string capitalized(std::string text) {
  bool first = true;
  for (char& c : text) {
    if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    first = c == '+' || c == ' ';
  }
  return text;
}

using Clock = std::chrono::steady_clock;
using A = Action;

// Esc also closes and stops; two of them mean something else only if they belong together.
constexpr std::chrono::milliseconds double_escape{600};

constexpr KeyRow action_rows[] = {
    {A::send, "send", "enter", "send; during a turn: queue for later", "send, or queue it"},
    {A::newline, "newline", "ctrl+j, alt+enter", "a new line; so does \\ before Enter",
     "a new line", true},
    {A::steer, "steer", "alt+enter", "during a turn: tell the model before its next step (/steer)",
     "steer the model", false, KeyContext::turn},
    {A::complete, "complete", "tab",
     "complete from the list below the line, as Down and Enter do; Esc closes it", "complete"},
    {A::none, "", "Up Down",
     "move by line, then through the history; during a turn: edit a queued line", "lines, history"},
    {A::search_history, "search-history", "ctrl+r", "search the history", "search the history"},
    {A::accept, "accept", "right, end, ctrl+f, ctrl+e", "accept the grey text",
     "accept the grey text"},
    {A::accept_word, "accept-word", "alt+f", "accept one word of the grey text", "accept one word"},
    {A::editor, "editor", "ctrl+g, ctrl+x ctrl+e", "open the line in your editor",
     "open in your editor"},
    {A::delete_word, "delete-word", "ctrl+w", "delete a word", "delete a word", true},
    {A::delete_to_start, "delete-to-start", "ctrl+u", "delete everything before the cursor",
     "delete to the start", true},
    {A::delete_to_end, "delete-to-end", "ctrl+k", "delete everything after the cursor",
     "delete to the end", true},
    {A::put_back, "put-back", "ctrl+y", "insert the deleted text again", "insert deleted text",
     true},
    {A::undo, "undo", "ctrl+_", "undo", "undo", true},
    {A::none, "", "Ctrl+C", "clear the line, stop a turn; twice: quit", "clear, stop, quit"},
    {A::stop, "stop", "esc", "stop a turn; your next message starts a new one", "stop a turn",
     false, KeyContext::turn},
    {A::rewind, "rewind", "esc esc", "on an empty line: /rewind", "go back (/rewind)"},
    {A::suspend, "suspend", "ctrl+z", "suspend skein, at any time; fg resumes it", "suspend skein"},
    {A::leave, "leave", "ctrl+d", "on an empty line: quit", "quit"},
    {A::background, "background", "ctrl+b",
     "on an empty line: move the running command to the background", "to the background", false,
     KeyContext::turn},
    {A::clear_screen, "clear-screen", "ctrl+l", "clear the screen, keep the scrollback",
     "clear the screen"},
    {A::unfold, "unfold", "ctrl+o", "show the last folded output", "show folded output"},
    {A::thinking, "thinking", "ctrl+t", "on an empty line: show all thinking, or one line of it",
     "show all thinking"},
    {A::mode, "mode", "shift+tab", "change the permission mode", "permission mode"},
    {A::none, "", "@path", "attach a file; images can be dropped here", "attach a file"},
    {A::none, "", "@agent-NAME task", "at the beginning: give the task to a sub-agent",
     "ask a sub-agent"},
    {A::none, "", "!command", "run it and show the model its output", "run, model sees it"},
    {A::none, "", "!!command", "run it without showing the model", "run, only for you"},
    {A::none, "", "/help", "list the commands", "list the commands"},
};

std::vector<std::string> usual_chords(const KeyRow& row) {
  std::vector<std::string> out;
  for (const std::string_view each : split(row.chords, ',')) out.emplace_back(trimmed(each, " "));
  return out;
}

// One is the other, or begins it.
bool overlap(const Chord& a, const Chord& b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  return in_a == a.end() || in_b == b.end();
}

constexpr std::size_t side_by_side = 76;  // columns from which two rows fit side by side
constexpr std::size_t widest_key = 18, widest_words = 20;

// One of its keys is enough to remember.
std::string one_key_of(const KeyMap& keys, const KeyRow& row) {
  if (row.action == Action::none) return std::string(row.chords);
  const std::string first = keys.first_shown(row.action);
  return first.empty() ? "-" : first;
}

}  // namespace

Chord parse_chord(std::string_view text) {
  const std::string small = lower(text);
  Chord out;
  for (const std::string_view word : split(small, ' '))
    if (!word.empty()) out.push_back(parse_key(small, word));
  if (out.empty()) throw Error("\"\" is not a key", ExitStatus::usage);
  if (out.size() > 2)
    throw Error("\"" + small + "\" is more than two keys, one after the other", ExitStatus::usage);
  return out;
}

std::string written(const Key& key) {
  Key bare{.code = key.code, .point = key.point};
  const bool capital =
      key.alt && !key.ctrl && key.code == Code::character && key.point >= 'A' && key.point <= 'Z';
  if (capital) bare.point += 'a' - 'A';
  const auto found = std::ranges::find(key_names(), bare, &KeyName::key);
  const std::string name = found != key_names().end() ? std::string(found->name) : typed(bare);
  if (name.empty()) return {};
  return std::string(key.ctrl ? "ctrl+" : "") + (key.alt ? "alt+" : "") +
         (key.shift || capital ? "shift+" : "") + name;
}

std::string written(const Chord& chord) {
  return listed(chord, " ", [](const Key& each) { return written(each); });
}

std::string shown(const Chord& chord) { return capitalized(written(chord)); }

std::string trouble_with(const Chord& chord) {
  const Key& first = chord.front();
  const std::string name = "\"" + written(chord) + "\"";
  if (!typed(first).empty())
    return name + " is ordinary text; use a key with ctrl or alt, or a named key";
  if (std::ranges::count(chord, ctrl('c')) > 0)
    return "ctrl+c always clears the line, stops and quits; " + name + " cannot be assigned";
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

std::span<const KeyRow> key_rows() { return action_rows; }

const KeyRow& row_of_action(std::string_view name) {
  std::string wanted(name);
  std::ranges::replace(wanted, ' ', '-');
  std::vector<std::string_view> names;
  for (const KeyRow& row : action_rows) {
    if (row.action == A::none) continue;
    if (row.name == wanted) return row;
    names.push_back(row.name);
  }
  const std::string_view meant = nearest(wanted, names);
  throw Error(
      "there is no action " + std::string(name) + "; " +
          (meant.empty() ? "`skein keys` lists them" : "did you mean " + std::string(meant) + "?"),
      ExitStatus::usage);
}

const KeyMap& usual_keys() {
  static const KeyMap usual;
  return usual;
}

KeyMap::KeyMap(const Given& given) {
  std::map<Action, std::vector<std::string>> chosen;
  for (const auto& [name, chords] : given) {
    const KeyRow& row = row_of_action(name);
    if (!chosen.emplace(row.action, chords).second)
      throw Error("the keys of " + std::string(row.name) + " are set twice", ExitStatus::usage);
  }
  for (const KeyRow& row : action_rows) {
    if (row.action == A::none) continue;
    const auto own = chosen.find(row.action);
    for (const std::string& text : own != chosen.end() ? own->second : usual_chords(row)) {
      Chord chord = parse_chord(text);
      if (const std::string trouble = trouble_with(chord); !trouble.empty())
        throw Error("keys." + std::string(row.name) + ": " + trouble, ExitStatus::usage);
      chords_[static_cast<std::size_t>(row.action)].push_back(std::move(chord));
    }
  }
  // Where a terminal cannot tell such a key from another, nothing could be sent any more.
  std::vector<Chord>& senders = chords_[static_cast<std::size_t>(A::send)];
  const Chord substitute{alt(Key::Code::enter)};
  const bool certain = std::ranges::any_of(
      senders, [](const Chord& chord) { return std::ranges::none_of(chord, needs_extended_keys); });
  if (!certain && find(KeyContext::prompt, substitute) == A::none) senders.push_back(substitute);
  if (senders.empty()) throw Error("send has no key, so nothing could be sent", ExitStatus::usage);
  if (find(KeyContext::prompt, {key(Key::Code::enter)}) == A::none)
    throw Error("enter has no action; also set newline = \"enter\"", ExitStatus::usage);
  check_shared();
  for (const KeyRow& row : action_rows)
    for (const std::string& text : row.edits ? usual_chords(row) : std::vector<std::string>{})
      if (const Chord chord = parse_chord(text); find(KeyContext::prompt, chord) == A::none)
        free_.push_back(chord.front());
}

void KeyMap::check_shared() const {
  std::vector<std::pair<const KeyRow*, Chord>> seen;
  for (const KeyRow& row : action_rows)
    for (const Chord& chord : chords(row.action)) {
      const auto other = std::ranges::find_if(seen, [&](const auto& each) {
        return each.first->place == row.place && overlap(each.second, chord);
      });
      if (other == seen.end()) {
        seen.emplace_back(&row, chord);
        continue;
      }
      const std::string first(other->first->name), second(row.name);
      if (other->second == chord)
        throw Error("\"" + written(chord) + "\" is assigned to two actions, " + first + " and " +
                        second + "; give one of them another key, or none: []",
                    ExitStatus::usage);
      throw Error("\"" + written(other->second) + "\" (" + first + ") and \"" + written(chord) +
                      "\" (" + second + ") begin with the same key; give one of them another key",
                  ExitStatus::usage);
    }
}

Action KeyMap::find(KeyContext place, const Chord& chord) const {
  for (const KeyRow& row : action_rows)
    if (row.place == place && std::ranges::count(chords(row.action), chord) > 0) return row.action;
  return A::none;
}

bool KeyMap::begins(KeyContext place, const Key& key) const {
  return std::ranges::any_of(action_rows, [&](const KeyRow& row) {
    return row.place == place && std::ranges::any_of(chords(row.action), [&](const Chord& chord) {
             return chord.size() > 1 && chord.front() == key;
           });
  });
}

bool KeyMap::taken_away(const Key& key) const { return std::ranges::count(free_, key) > 0; }

std::string KeyMap::shown(const KeyRow& row) const {
  if (row.action == A::none) return std::string(row.chords);
  const std::vector<Chord>& all = chords(row.action);
  const bool commas = std::ranges::any_of(all, [](const Chord& each) { return each.size() > 1; });
  std::string out;
  for (const Chord& each : all)
    out += (out.empty() ? "" : commas ? ", " : " ") + terminal::shown(each);
  return out.empty() ? "-" : out;
}

std::string KeyMap::first_shown(Action action) const {
  return chords(action).empty() ? std::string{} : terminal::shown(chords(action).front());
}

std::vector<Chord> KeyMap::uncertain() const {
  std::vector<Chord> out;
  for (const std::vector<Chord>& of_action : chords_)
    for (const Chord& chord : of_action)
      if (std::ranges::any_of(chord, needs_extended_keys)) out.push_back(chord);
  return out;
}

Action ChordReader::read(const Key& key) {
  const auto now = Clock::now();
  const std::optional<Key> before = std::exchange(before_, std::nullopt);
  const bool late = before && before->code == Key::Code::escape && now - at_ > double_escape;
  if (before && !late)
    if (const Action both = map_.find(place_, {*before, key}); both != A::none) return both;
  if (map_.begins(place_, key)) before_ = key;
  at_ = now;
  return map_.find(place_, {key});
}

std::string key_help(const KeyMap& keys, std::size_t width, const layout::TerminalStyle& look) {
  std::string out;
  if (look.labels || width == 0) {
    for (const KeyRow& row : key_rows())
      out += (look.labels ? keys.shown(row) + ": "
                          : "  " + layout::padded(keys.shown(row), 24) + "  ") +
             std::string(row.words) + "\n";
    return out;
  }
  std::size_t names = 0;
  for (const KeyRow& row : key_rows())
    names = std::max(names, layout::display_width(one_key_of(keys, row)));
  names = std::min(names, widest_key);
  const std::size_t columns = width >= side_by_side ? 2 : 1;
  const std::size_t cell =
      std::min(layout::left_of(width, 2) / columns, names + 2 + widest_words + 4);
  const auto drawn = [&](const KeyRow& row, bool last) {
    const std::string key = layout::padded(layout::fit(one_key_of(keys, row), names), names) + "  ";
    const std::size_t room = layout::left_of(cell, names + 2);
    std::string words = layout::fit(row.brief, last ? room : room - 1);
    if (!last) words = layout::padded(std::move(words), room);
    return painted(key, layout::style::code, look) + words;
  };
  const std::span<const KeyRow> rows = key_rows();
  const std::size_t height = (rows.size() + columns - 1) / columns;
  for (std::size_t i = 0; i < height; ++i) {
    const bool alone = columns == 1 || i + height >= rows.size();
    out += "  " + drawn(rows[i], alone) + (alone ? "" : drawn(rows[i + height], true)) + "\n";
  }
  return out + painted("  /help keys explains each", layout::style::dim, look) + "\n";
}

}  // namespace skein::terminal
