#include "repl/terminal/keyboard.h"

#include "repl/terminal/requests.h"

namespace skein::terminal {

using std::chrono::steady_clock, std::chrono::milliseconds;

constexpr milliseconds short_pause{KeyDecoder::pause_ms};

Keyboard::Keyboard(Terminal& terminal, std::function<bool()> leaving, const KeyMap& keys)
    : terminal_(terminal), leaving_(std::move(leaving)), keys_(keys) {
  check_keys();
}

void Keyboard::check_keys() {
  misses_keys_ = !keys_.uncertain().empty() && !terminal_.ask_for_extended_keys();
}

// The answer would be text for the shell if it came after us.
Keyboard::~Keyboard() {
  for (Key unread; steady_clock::now() < answer_due_;) {
    const auto left = std::chrono::ceil<milliseconds>(answer_due_ - steady_clock::now());
    const KeyResult result = next(unread, left);
    if (result == KeyResult::signal || result == KeyResult::hang_up) return;
  }
}

void Keyboard::ask_background() {
  constexpr milliseconds time_to_answer{200};
  terminal_.write(background_request);
  answer_due_ = steady_clock::now() + time_to_answer;
}

void Keyboard::look_for_background() {
  if (answer_due_ == steady_clock::time_point{}) return;
  typed_ahead();
  KeyDecoder arrived = decoder_;
  while (const std::optional<Key> key = arrived.next())
    if (key->code == Key::Code::report) hear_background(*key);
}

void Keyboard::hear_background(const Key& report) {
  if (report.point != ']') return;
  answer_due_ = {};
  const std::optional<double> found = luminance(report.text);
  if (!found) return;
  woken_ = woken_ || !light_;
  light_ = is_light(*found);
}

std::optional<Key> Keyboard::settle() {
  if (std::optional<Key> key = ready()) return key;
  return decoder_.flush();
}

std::optional<Key> Keyboard::ready() {
  while (std::optional<Key> key = decoder_.next()) {
    if (key->code != Key::Code::report) return key;
    hear(*key);
  }
  return std::nullopt;
}

// Of the questions asked, every terminal answers at least the last one: what it is.
void Keyboard::hear(const Key& report) {
  hear_background(report);
  const bool kitty = report.point == 'u' && report.text.starts_with('?');
  const bool xterm = report.point == 'm' && report.text.starts_with(">4;") && report.text != ">4;0";
  tells_keys_ = tells_keys_ || kitty || xterm;
  if (report.point != 'c' || tells_keys_ || keys_.uncertain().empty()) return;
  misses_keys_ = woken_ = !said_;
}

std::string Keyboard::take_missing_keys() {
  if (!std::exchange(misses_keys_, false) || std::exchange(said_, true)) return {};
  const Chord first = keys_.uncertain().front();
  Chord plain;
  for (const Key& key : first) plain.push_back(plain_form(key));
  const bool sends = keys_.find(KeyContext::prompt, first) == Action::send;
  return "This terminal does not report whether it can tell " + shown(first) + " from " +
         shown(plain) + (sends ? "; Alt+Enter also sends" : "") +
         ". `skein keys --test` shows what it sends.\n";
}

void Keyboard::take_in() {
  const std::string bytes = terminal_.read();
  hung_up_ = hung_up_ || bytes.empty();
  decoder_.feed(bytes);
}

bool Keyboard::typed_ahead() {
  if (terminal_.wait(std::chrono::milliseconds(0)) == Wake::ready) take_in();
  return !decoder_.empty();
}

bool Keyboard::take_escape() {
  typed_ahead();
  KeyDecoder rest = decoder_;
  std::optional<Key> key;
  do key = rest.next();
  while (key && key->code != Key::Code::escape);
  if (!key && rest.waiting() && terminal_.wait(short_pause) == Wake::deadline) key = rest.flush();
  if (key && key->code == Key::Code::escape) decoder_ = std::move(rest);
  return hung_up() || (key && key->code == Key::Code::escape);
}

Keyboard::KeyResult Keyboard::next(Key& key, std::optional<std::chrono::milliseconds> pause,
                                   const std::function<bool()>& due) {
  const auto got = [&](std::optional<Key> found) {
    if (found) key = std::move(*found);
    return found.has_value();
  };
  const auto woken = [&] { return leaving_() || (due && due()); };
  while (!got(ready())) {
    if (std::exchange(woken_, false)) return KeyResult::pause;
    if (hung_up()) return KeyResult::hang_up;
    const bool doubt = decoder_.waiting();
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

Key Keyboard::next_key(const std::atomic<bool>* stop, const std::function<void()>& redraw) {
  const auto stopped = [stop] { return stop != nullptr && stop->load(); };
  for (Key got;;) {
    const KeyResult result = next(got, {}, stopped);
    if (result == KeyResult::key) return got;
    if (result == KeyResult::hang_up || (result == KeyResult::signal && stopped()))
      return key(Key::Code::escape);
    terminal_.take_resize();
    if (redraw) redraw();
  }
}

Key Keyboard::next_after(const std::function<void()>& draw) {
  if (std::optional<Key> key = ready()) return *std::move(key);
  draw();
  return next_key(nullptr, draw);
}

}  // namespace skein::terminal
