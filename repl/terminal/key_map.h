// What keys do, at the prompt and while a turn runs: one table of actions with their default keys,
// and what a user has changed in it. The prompt, turns, `?` and `skein keys` all read it.
#pragma once

#include "core/text/std.h"

#include "repl/layout/style.h"
#include "repl/terminal/keys.h"

namespace skein::terminal {

// A key, or two one after the other, as people write them: "alt+enter", "ctrl+x ctrl+e".
using Chord = std::vector<Key>;

// Throws Error that says what is wrong, and what was probably meant.
Chord parse_chord(std::string_view text);
// As parse_chord reads it; of a key that has no name, nothing.
std::string written(const Key& key);
std::string written(const Chord& chord);
// The same for people: "Ctrl+X Ctrl+E".
std::string shown(const Chord& chord);
// Whether it could be given to an action; empty, or why not.
std::string trouble_with(const Chord& chord);
// Most terminals send the same for it as for another key, unless they are asked not to.
bool needs_extended_keys(const Key& key);
// What it is taken for where the terminal cannot tell: enter for ctrl+enter.
Key plain_form(const Key& key);

enum class Action {
  none,
  send,
  newline,
  steer,
  complete,
  search_history,
  accept,
  accept_word,
  editor,
  delete_word,
  delete_to_start,
  delete_to_end,
  put_back,
  undo,
  stop,
  rewind,
  suspend,
  leave,
  background,
  clear_screen,
  unfold,
  thinking,
  mode,
  // No key of the table leads to these.
  abort,     // ^C: the line goes to the history
  announce,  // something has happened in the background
  redraw,    // the rows above the prompt have changed
};
inline constexpr std::size_t action_count = static_cast<std::size_t>(Action::mode) + 1;

// While a turn runs, what is done there comes first; then what is done at the prompt.
enum class KeyContext { prompt, turn };

// A row of the overview. One without an action says what cannot be changed.
struct KeyRow {
  Action action;
  std::string_view name;    // as in the configuration: "search-history"
  std::string_view chords;  // the usual ones, with commas; of a row without an action what is shown
  std::string_view words;   // what it does
  std::string_view brief;   // the same in at most 20 columns
  bool edits = false;       // the line alone; a key that is taken away from it does nothing then
  KeyContext place = KeyContext::prompt;
};
std::span<const KeyRow> key_rows();
// The row of an action; spaces count as hyphens. Throws Error that names the nearest.
const KeyRow& row_of_action(std::string_view name);

class KeyMap {
 public:
  // Chords by the names of actions, as they are written.
  using Given = std::map<std::string, std::vector<std::string>>;
  KeyMap() : KeyMap(Given{}) {}
  // Throws Error: a chord that makes no sense, or that two actions have.
  explicit KeyMap(const Given& given);

  // Of the key, or of the two keys one after the other.
  Action find(KeyContext place, const Chord& chord) const;
  // Whether it is the first key of two.
  bool begins(KeyContext place, const Key& key) const;
  // An editing key by default that does nothing now.
  bool taken_away(const Key& key) const;

  const std::vector<Chord>& chords(Action action) const {
    return chords_[static_cast<std::size_t>(action)];
  }
  std::string shown(const KeyRow& row) const;  // "Ctrl+G, Ctrl+X Ctrl+E"; "-": none
  std::string first_shown(Action action) const;
  // Those the user chose that a terminal may not tell from others.
  std::vector<Chord> uncertain() const;

 private:
  void check_shared() const;

  std::array<std::vector<Chord>, action_count> chords_{};
  std::vector<Key> free_{};  // see taken_away
};

const KeyMap& usual_keys();

// Follows the keys in one place: which action the newest one, maybe as the second of two, means.
class ChordReader {
 public:
  ChordReader(const KeyMap& map, KeyContext place) : map_(map), place_(place) {}

  void forget() { before_.reset(); }
  Action read(const Key& key);
  // The last key read may be the first of two.
  bool begun() const { return before_.has_value(); }

 private:
  const KeyMap& map_;
  KeyContext place_;
  std::optional<Key> before_{};
  std::chrono::steady_clock::time_point at_{};
};

// The keys, for `?`: in short, side by side where there is room. `width` 0: in full.
std::string key_help(const KeyMap& keys, std::size_t width, const layout::TerminalStyle& look);

}  // namespace skein::terminal
