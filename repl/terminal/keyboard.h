// Keys from the terminal, for its current user: the prompt, a list, a question or a running turn.
// Keys that one does not read wait for the next, so nothing typed is lost.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "repl/terminal/key_map.h"
#include "repl/terminal/keys.h"
#include "repl/terminal/terminal.h"

namespace skein::terminal {

class Keyboard {
 public:
  enum class KeyResult { key, pause, signal, hang_up };

  // `leaving`: the program was told to end; from then on the terminal counts as gone.
  explicit Keyboard(
      Terminal& terminal, std::function<bool()> leaving = [] { return false; },
      const KeyMap& keys = usual_keys());

  Terminal& terminal() { return terminal_; }
  const KeyMap& keys() const { return keys_; }
  // Waits for a key, at most for `pause`. `due`: as for Terminal::wait.
  KeyResult next(Key& key, std::optional<std::chrono::milliseconds> pause = {},
                 const std::function<bool()>& due = {});
  // The next key for a panel, which is drawn only when no more keys have arrived; nothing after a
  // hang-up.
  std::optional<Key> next_after(const std::function<void()>& draw);
  // A key that has already arrived.
  std::optional<Key> ready();
  // Whether there are keys that have not been read yet.
  bool typed_ahead();
  // For work that Esc ends and that reads no other key: whether it was pressed, or there is no
  // terminal any more. Keys that came before it are dropped with it, all others stay.
  bool take_escape();
  // For a turn, which waits elsewhere: reads what has arrived. While in_doubt(), an Esc may still
  // begin a sequence; settle() decides after KeyDecoder::pause_ms.
  void take_in();
  void put_back(char key) { decoder_.put_back(key); }  // is read again next
  bool in_doubt() const { return decoder_.waiting(); }
  std::optional<Key> settle() { return decoder_.flush(); }
  std::optional<bool> in_front() const { return decoder_.in_front(); }  // see KeyDecoder
  bool hung_up() const { return hung_up_ || leaving_(); }
  // Some of keys() cannot be told from others at this terminal, or it does not say that they can:
  // what to say about it, once.
  bool misses_keys() const { return misses_keys_; }
  std::string take_missing_keys();

 private:
  Terminal& terminal_;
  std::function<bool()> leaving_;
  KeyDecoder decoder_{};
  void hear(const Key& report);

  const KeyMap& keys_;
  bool hung_up_ = false;
  bool tells_keys_ = false;            // the terminal says that it can
  bool misses_keys_ = false;           // it has answered, and did not say so
  bool said_ = false, woken_ = false;  // of misses_keys_
};

}  // namespace skein::terminal
