// Keys from the terminal, for its current user: the prompt, a list, a question or a running turn.
// Keys that one does not read wait for the next, so nothing typed is lost.
#pragma once

#include "core/text/std.h"

#include "repl/terminal/key_map.h"
#include "repl/terminal/keys.h"
#include "repl/terminal/terminal.h"

namespace skein::terminal {

class Keyboard {
 public:
  enum class KeyResult { key, pause, signal, hang_up };

  // `leaving`: the program was asked to end; from then on the terminal counts as gone.
  explicit Keyboard(
      Terminal& terminal, std::function<bool()> leaving = [] { return false; },
      const KeyMap& keys = usual_keys());

  // Waits for an answer to ask_background() that is due.
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  Terminal& terminal() { return terminal_; }
  const KeyMap& keys() const { return keys_; }
  // Waits for a key, at most for `pause`. `due`: as for Terminal::wait.
  KeyResult next(Key& key, std::optional<std::chrono::milliseconds> pause = {},
                 const std::function<bool()>& due = {});
  // The next key, whatever signals come; Esc once the terminal is gone or a signal asked to stop.
  // `redraw` is called when the terminal may have another size.
  Key next_key(const std::atomic<bool>* stop, const std::function<void()>& redraw = {});
  // The same for a panel, which is drawn only when no more keys have arrived.
  Key next_after(const std::function<void()>& draw);
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
  std::optional<Key> settle();
  std::optional<bool> in_front() const { return decoder_.in_front(); }  // see KeyDecoder
  // Asks the terminal for the colour of its background, and waits for nothing.
  void ask_background();
  // Whether that is light, by an answer that was among the keys; nullopt: there was none.
  std::optional<bool> light() const { return light_; }
  // Takes the answer if it has arrived, and no keys.
  void look_for_background();
  bool hung_up() const { return hung_up_ || leaving_(); }
  // To be called when keys() have changed.
  void check_keys();
  // The terminal cannot distinguish some of keys(), or does not say so: the warning, once.
  bool misses_keys() const { return misses_keys_; }
  std::string take_missing_keys();

 private:
  void hear(const Key& report);
  void hear_background(const Key& report);

  Terminal& terminal_;
  std::function<bool()> leaving_;
  KeyDecoder decoder_{};
  const KeyMap& keys_;
  bool hung_up_ = false;
  bool tells_keys_ = false;   // the terminal says that it can
  bool misses_keys_ = false;  // it has answered, and did not say so
  bool said_ = false;         // of misses_keys_
  bool woken_ = false;        // next() is to return, for an answer has come
  std::optional<bool> light_{};
  std::chrono::steady_clock::time_point answer_due_{};  // none: not asked, or answered
};

}  // namespace skein::terminal
