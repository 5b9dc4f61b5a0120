// Decodes keys from the bytes a terminal sends. Pure: how the bytes are split makes no difference.
#pragma once

#include "core/text/std.h"

namespace skein::terminal {

struct Key {
  enum class Code {
    character,  // `point`; with ctrl the letter in lower case
    enter,
    tab,
    backspace,
    escape,
    up,
    down,
    left,
    right,
    home,
    end,
    page_up,
    page_down,
    insert,
    del,
    function,  // `point` is its number
    paste,     // `text`, exactly as it came
    report,    // an answer of the terminal: `point` is what it ends with, or the ] that an answer
               // about its background begins with; `text` the rest
    unknown,   // a sequence that means nothing to us: never text
  };
  Code code = Code::unknown;
  char32_t point = 0;
  bool ctrl = false, alt = false, shift = false;
  std::string text{};

  bool operator==(const Key&) const = default;
};

inline Key key(Key::Code code) { return {.code = code}; }
inline Key ctrl(Key::Code code) { return {.code = code, .ctrl = true}; }
inline Key alt(Key::Code code) { return {.code = code, .alt = true}; }
inline Key shift(Key::Code code) { return {.code = code, .shift = true}; }
inline Key character(char32_t point) { return {.code = Key::Code::character, .point = point}; }
inline Key ctrl(char letter) {
  return {.code = Key::Code::character, .point = static_cast<unsigned char>(letter), .ctrl = true};
}
inline Key alt(char letter) {
  return {.code = Key::Code::character, .point = static_cast<unsigned char>(letter), .alt = true};
}
// The same key in the form it always has here, whatever the terminal's way to say it.
Key normalized(Key key);
// A character without ctrl or alt: what it adds to a text, else nothing.
std::string typed(const Key& key);
bool is_letter(const Key& key, char letter);  // in either case; given in lower case
bool leaves(const Key& key);                  // what is shown: q, Esc, ^C, ^D

class KeyDecoder {
 public:
  void feed(std::string_view bytes) { bytes_ += bytes; }
  void put_back(char byte) { bytes_.insert(bytes_.begin(), byte); }
  bool empty() const { return bytes_.empty() && !pasting_; }
  // The next complete key.
  std::optional<Key> next();
  // A sequence is incomplete. If nothing more arrives for `pause_ms`, `flush` decides what it was:
  // a lone Esc is the Esc key. There is no time limit for the end of a paste, nor
  // for that of the answer about the terminal's background.
  bool waiting() const { return !bytes_.empty() && !pasting_ && !in_background(); }
  std::optional<Key> flush();
  static constexpr int pause_ms = 30;
  // Whether the terminal's window is in front, by its last report, which is no key; nullopt: none.
  std::optional<bool> in_front() const { return in_front_; }

 private:
  std::optional<Key> take(std::size_t bytes, Key key);
  std::optional<Key> paste();
  std::optional<Key> escape_sequence();
  std::optional<Key> control_sequence(std::size_t start, bool alt);
  std::optional<Key> device_string(std::size_t start);
  bool in_background() const;
  std::optional<Key> background();

  std::string bytes_{};
  bool pasting_ = false;
  std::optional<bool> in_front_{};
};

}  // namespace skein::terminal
