#include "repl/terminal/keyboard.h"

namespace skein::terminal {

void Keyboard::take_in() {
  const std::string bytes = terminal_.read();
  hung_up_ = hung_up_ || bytes.empty();
  decoder_.feed(bytes);
}

bool Keyboard::typed_ahead() {
  if (terminal_.wait(std::chrono::milliseconds(0)) == Wake::ready) take_in();
  return !decoder_.empty();
}

Keyboard::KeyResult Keyboard::next(Key& key, std::optional<std::chrono::milliseconds> pause,
                                   const std::function<bool()>& due) {
  const auto got = [&](std::optional<Key> found) {
    if (found) key = std::move(*found);
    return found.has_value();
  };
  const auto woken = [&] { return leaving_() || (due && due()); };
  while (!got(decoder_.next())) {
    if (hung_up()) return KeyResult::hang_up;
    const bool doubt = decoder_.waiting();
    constexpr std::chrono::milliseconds short_pause{KeyDecoder::pause_ms};
    switch (terminal_.wait(doubt ? short_pause : pause, woken)) {
      case Wake::ready: take_in(); break;
      case Wake::signal: return leaving_() ? KeyResult::hang_up : KeyResult::signal;
      case Wake::deadline:
        if (!doubt) return KeyResult::pause;
        if (got(decoder_.flush())) return KeyResult::key;
    }
  }
  return KeyResult::key;
}

std::optional<Key> Keyboard::next_after(const std::function<void()>& draw) {
  for (;;) {
    if (std::optional<Key> key = ready()) return key;
    draw();
    Key key;
    const KeyResult result = next(key);
    if (result == KeyResult::key) return key;
    if (result == KeyResult::hang_up) return std::nullopt;
    terminal_.take_resize();
  }
}

}  // namespace skein::terminal
