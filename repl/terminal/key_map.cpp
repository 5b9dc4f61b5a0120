#include "repl/terminal/key_map.h"

#include <algorithm>
#include <utility>

#include "core/text/base.h"
#include "core/text/spelling.h"
#include "core/text/text.h"

namespace skein::terminal {

namespace {

using Clock = std::chrono::steady_clock;
using A = Action;

// Esc also closes and stops; two of them mean something else only if they belong together.
constexpr std::chrono::milliseconds double_escape{600};

constexpr KeyRow action_rows[] = {
    {A::send, "send", "enter", Place::prompt, "send; during a turn: queue for later",
     "send, or queue it"},
    {A::newline, "newline", "ctrl+j, alt+enter", Place::prompt,
     "a new line; so does \\ before Enter", "a new line", true},
    {A::steer, "steer", "alt+enter", Place::turn,
     "during a turn: tell the model before its next step (/steer)", "tell it meanwhile"},
    {A::complete, "complete", "tab", Place::prompt,
     "take from the list below the line, as Down and Enter do; Esc closes it",
     "take from the list"},
    {A::none, "", "Up Down", Place::prompt,
     "move by line, then through the history; during a turn: take a line back", "lines, history"},
    {A::search_history, "search-history", "ctrl+r", Place::prompt, "search the history",
     "search the history"},
    {A::accept, "accept", "right, end, ctrl+f, ctrl+e", Place::prompt, "accept the grey text",
     "accept the grey text"},
    {A::accept_word, "accept-word", "alt+f", Place::prompt, "accept one word of it",
     "accept a word of it"},
    {A::editor, "editor", "ctrl+g, ctrl+x ctrl+e", Place::prompt, "open the line in your editor",
     "open in your editor"},
    {A::delete_word, "delete-word", "ctrl+w", Place::prompt, "delete a word", "delete a word",
     true},
    {A::delete_to_start, "delete-to-start", "ctrl+u", Place::prompt, "delete all before the cursor",
     "delete to the start", true},
    {A::delete_to_end, "delete-to-end", "ctrl+k", Place::prompt, "delete all behind it",
     "delete to the end", true},
    {A::put_back, "put-back", "ctrl+y", Place::prompt, "put back what was deleted", "put it back",
     true},
    {A::undo, "undo", "ctrl+_", Place::prompt, "undo", "undo", true},
    {A::none, "", "Ctrl+C", Place::prompt, "clear the line, stop a turn; twice: leave",
     "clear, stop, leave"},
    {A::stop, "stop", "esc", Place::turn, "stop a turn; what is sent then begins the next",
     "stop a turn"},
    {A::rewind, "rewind", "esc esc", Place::prompt, "on an empty line: /rewind",
     "go back (/rewind)"},
    {A::suspend, "suspend", "ctrl+z", Place::prompt, "put skein aside, at any time; fg comes back",
     "put skein aside"},
    {A::leave, "leave", "ctrl+d", Place::prompt, "leave, on an empty line", "leave"},
    {A::background, "background", "ctrl+b", Place::turn,
     "during a command, on an empty line: it goes on in the background", "to the background"},
    {A::clear_screen, "clear-screen", "ctrl+l", Place::prompt,
     "clear the screen, keep the scrollback", "clear the screen"},
    {A::unfold, "unfold", "ctrl+o", Place::prompt, "show the last folded output",
     "show what is folded"},
    {A::thinking, "thinking", "ctrl+t", Place::prompt,
     "on an empty line: all of the thinking, or one line", "show all thinking"},
    {A::mode, "mode", "shift+tab", Place::prompt, "change the permission mode", "permission mode"},
    {A::none, "", "@path", Place::prompt, "attach a file; images can be dropped here",
     "attach a file"},
    {A::none, "", "@agent-NAME task", Place::prompt, "at the beginning: have a sub-agent do it",
     "ask a sub-agent"},
    {A::none, "", "!command", Place::prompt, "run it and show the model its output",
     "run, and tell it"},
    {A::none, "", "!!command", Place::prompt, "run it without telling the model",
     "run, and do not"},
    {A::none, "", "/help", Place::prompt, "the commands", "the commands"},
};

std::vector<std::string> usual_chords(const KeyRow& row) {
  std::vector<std::string> out;
  for (const std::string_view each : split(row.chords, ',')) out.emplace_back(trimmed(each, " "));
  return out;
}

std::string hyphenated(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, ' ', '-');
  return out;
}

// One is the other, or begins it.
bool overlap(const Chord& a, const Chord& b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  return in_a == a.end() || in_b == b.end();
}

}  // namespace

std::span<const KeyRow> key_rows() { return action_rows; }

const KeyRow& row_of_action(std::string_view name) {
  const std::string wanted = hyphenated(name);
  std::vector<std::string_view> names;
  for (const KeyRow& row : action_rows) {
    if (row.action == A::none) continue;
    if (row.name == wanted) return row;
    names.push_back(row.name);
  }
  const std::string_view meant = nearest(wanted, names);
  throw Error(
      "there is no action " + std::string(name) + " for a key; " +
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
      throw Error("the keys of " + std::string(row.name) + " are given twice", ExitStatus::usage);
  }
  for (const KeyRow& row : action_rows) {
    if (row.action == A::none) continue;
    const auto own = chosen.find(row.action);
    give(row, own != chosen.end() ? own->second : usual_chords(row));
  }
  // Where a terminal cannot tell such a key from another, nothing could be sent any more.
  std::vector<Chord>& senders = chords_[static_cast<std::size_t>(A::send)];
  const Chord substitute{alt(Key::Code::enter)};
  const bool certain = std::ranges::any_of(
      senders, [](const Chord& chord) { return std::ranges::none_of(chord, needs_extended_keys); });
  if (!certain && find(Place::prompt, substitute) == A::none) senders.push_back(substitute);
  check_enter();
  check_shared();
  for (const KeyRow& row : action_rows)
    for (const std::string& text : row.edits ? usual_chords(row) : std::vector<std::string>{})
      if (const Chord chord = parse_chord(text); find(Place::prompt, chord) == A::none)
        free_.push_back(chord.front());
}

void KeyMap::give(const KeyRow& row, const std::vector<std::string>& chords) {
  for (const std::string& text : chords) {
    Chord chord = parse_chord(text);
    if (const std::string trouble = trouble_with(chord); !trouble.empty())
      throw Error("keys." + std::string(row.name) + ": " + trouble, ExitStatus::usage);
    chords_[static_cast<std::size_t>(row.action)].push_back(std::move(chord));
  }
}

void KeyMap::check_enter() const {
  if (chords(A::send).empty())
    throw Error("send has no key: nothing could be sent", ExitStatus::usage);
  if (find(Place::prompt, {key(Key::Code::enter)}) == A::none)
    throw Error("enter does nothing any more; say newline = \"enter\" as well", ExitStatus::usage);
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
        throw Error("\"" + written(chord) + "\" is given to two actions, " + first + " and " +
                        second + "; give one of them another key, or none: []",
                    ExitStatus::usage);
      throw Error("\"" + written(other->second) + "\" (" + first + ") and \"" + written(chord) +
                      "\" (" + second + ") begin alike; give one of them another key",
                  ExitStatus::usage);
    }
}

Action KeyMap::find(Place place, const Chord& chord) const {
  for (const KeyRow& row : action_rows)
    if (row.place == place && std::ranges::count(chords(row.action), chord) > 0) return row.action;
  return A::none;
}

bool KeyMap::begins(Place place, const Key& key) const {
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

}  // namespace skein::terminal
