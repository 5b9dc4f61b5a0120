#include "repl/screen.h"

#include <unistd.h>

#include <cerrno>

#include "repl/width.h"

namespace skein {

Screen::Screen(int fd) : fd_(fd), live_(isatty(fd) == 1) {}

void Screen::write_all(std::string_view bytes) {
  if (!bytes.empty()) at_line_start_ = bytes.back() == '\n';
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // nobody reads any more; the turn itself goes on and is saved
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Screen::print(std::string_view text) {
  erase_status();
  write_all(text);
}

void Screen::print_untrusted(std::string_view text) { print(harmless(text)); }

void Screen::flush() {}

void Screen::start_line() {
  if (!at_line_start_) print("\n");
}

void Screen::show(const Event& event) {
  if (const auto* streaming = std::get_if<Streaming>(&event)) {
    if (const auto* piece = std::get_if<delta::TextPiece>(&streaming->delta))
      print_untrusted(piece->text);
  } else if (const auto* started = std::get_if<ToolStarted>(&event)) {
    start_line();
    print_untrusted("● " + started->title + "\n");
  } else if (const auto* output = std::get_if<ToolOutput>(&event)) {
    print_untrusted(output->text);
  } else if (const auto* notice = std::get_if<Notice>(&event)) {
    start_line();
    print_untrusted(notice->text + "\n");
  } else if (const auto* retry = std::get_if<Retrying>(&event)) {
    start_line();
    print_untrusted(retry->reason + "; trying again in " +
                    std::to_string((retry->wait.count() + 999) / 1000) + " s (Ctrl+C stops)\n");
  } else if (const auto* committed = std::get_if<Committed>(&event)) {
    const auto message = message_from_json(committed->entry.payload);
    if (message && message->role == Role::assistant) start_line();
  }
}

void Screen::end_turn(Stop stop, std::string_view error) {
  start_line();
  if (stop == Stop::aborted) print("■ stopped. The partial answer is kept.\n");
  if (stop == Stop::error) print_untrusted("error: " + std::string(error) + "\n");
  if (stop == Stop::interrupted)
    print("The answer was cut short; what arrived is kept. /continue goes on.\n");
  erase_status();
  turn_start_.reset();
}

void Screen::expand_last() {
  start_line();
  print_untrusted(folded_ + "\n");
}

void Screen::tick() {
  const auto now = std::chrono::steady_clock::now();
  if (!turn_start_) turn_start_ = now;
  if (!live_ || (!at_line_start_ && !status_shown_)) return;
  erase_status();
  constexpr std::string_view frames[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴"};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - *turn_start_);
  write_all(fit(std::string(frames[ticks_++ % std::size(frames)]) + " " +
                    std::to_string(seconds.count()) + " s · Esc or Ctrl+C stops › " +
                    harmless(draft_),
                79));
  status_shown_ = true;
}

void Screen::set_draft(std::string_view text) { draft_ = text; }

void Screen::erase_status() {
  if (!status_shown_) return;
  write_all("\r\033[K");
  status_shown_ = false;
  at_line_start_ = true;
}

void Screen::replay(const Entry& entry) {
  const auto message =
      entry.type == type::message ? message_from_json(entry.payload) : std::nullopt;
  if (!message) return print_untrusted("  [" + entry.type + "] " + preview(entry, 200) + "\n");
  if (message->role == Role::user) print_untrusted("› " + plain_text(*message) + "\n");
  if (message->role == Role::assistant) {
    if (const std::string text = plain_text(*message); !text.empty()) print_untrusted(text + "\n");
    for (const ToolUse* call : tool_uses(*message))
      print_untrusted("● " + call->name + " " + call->input + "\n");
  }
  if (message->role == Role::tool) {
    folded_ = preview(entry, 100'000);
    print_untrusted("  " + preview(entry, 200) + "\n");
  }
}

}  // namespace skein
