// Keys from the terminal, for whoever has it at the moment: the prompt, a list, a question, a
// running turn. What has arrived and was not asked for waits for the next one, so nothing typed is
// lost.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "repl/terminal/keys.h"
#include "repl/terminal/terminal.h"

namespace skein::terminal {

class Keyboard {
 public:
  enum class KeyResult { key, pause, signal, hang_up };

  // `leaving`: somebody told the program to end; from then on it is as if the terminal were gone.
  explicit Keyboard(
      Terminal& terminal, std::function<bool()> leaving = [] { return false; })
      : terminal_(terminal), leaving_(std::move(leaving)) {}

  Terminal& terminal() { return terminal_; }
  // Waits for a key, at most for `pause`. `due`: as for Terminal::wait.
  KeyResult next(Key& key, std::optional<std::chrono::milliseconds> pause = {},
                 const std::function<bool()>& due = {});
  // A key that is there already.
  std::optional<Key> ready() { return decoder_.next(); }
  // Whether keys were typed that nobody has asked for yet.
  bool typed_ahead();
  // For a turn, which waits elsewhere: takes in what has arrived, and tells when a lone Esc is
  // still a riddle, to be solved by `settle` after KeyDecoder::pause_ms.
  void take_in();
  void put_back(char key) { decoder_.put_back(key); }  // the next key, once more
  bool in_doubt() const { return decoder_.waiting(); }
  std::optional<Key> settle() { return decoder_.flush(); }
  bool hung_up() const { return hung_up_ || leaving_(); }

 private:
  Terminal& terminal_;
  std::function<bool()> leaving_;
  KeyDecoder decoder_{};
  bool hung_up_ = false;
};

}  // namespace skein::terminal
