#include "repl/screen.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace skein {

namespace {

// The code point at the start of valid UTF-8, and its length.
char32_t code_point(std::string_view text, std::size_t& length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t point = length == 1 ? lead : lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) point = point << 6 | (byte(i) & 0x3Fu);
  return point;
}

bool is_bidi_control(char32_t c) {
  return c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string harmless(std::string_view raw) {
  const std::string text = valid_utf8(raw);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0, length = 0; i < text.size(); i += length) {
    const char32_t c = code_point(std::string_view(text).substr(i), length);
    if (c == '\n' || c == '\t') {
      out += static_cast<char>(c);
    } else if (c < 0x20) {  // U+2400 … are the pictures of the control characters
      out += "\xE2\x90";
      out += static_cast<char>(0x80 + c);
    } else if (c == 0x7F) {
      out += "\u2421";
    } else if ((c >= 0x80 && c < 0xA0) || is_bidi_control(c) || c == 0x2028 || c == 0x2029 ||
               c == 0xFEFF) {
      char code[16];
      std::snprintf(code, sizeof code, "<U+%04X>", static_cast<unsigned>(c));
      out += code;
    } else {
      out.append(text, i, length);
    }
  }
  return out;
}

void Screen::write_all(std::string_view bytes) {
  if (!bytes.empty()) at_line_start_ = bytes.back() == '\n';
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // nobody reads any more; the turn itself goes on and is saved
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Screen::print(std::string_view text) { write_all(text); }

void Screen::print_untrusted(std::string_view text) { write_all(harmless(text)); }

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
  if (message->role == Role::tool) print_untrusted("  " + preview(entry, 200) + "\n");
}

}  // namespace skein
