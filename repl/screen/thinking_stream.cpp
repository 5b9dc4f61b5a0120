#include "repl/screen/thinking_stream.h"

#include "repl/layout/width.h"
#include "repl/screen/turn_view.h"

namespace skein::screen {

namespace style = layout::style;

namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::size_t looked_at = 4096;  // bytes at the end that the last row is made of

layout::Style thinking_style() { return style::dim | style::emphasis; }

}  // namespace

void ThinkingStream::add_safe(std::string_view safe) {
  while (!safe.empty()) {
    const std::size_t lines = std::min(safe.find_first_not_of('\n'), safe.size());
    newlines_ += lines;
    safe.remove_prefix(lines);
    if (safe.empty()) return;
    for (; newlines_ > 0; --newlines_) flow_.end_line();
    const std::size_t end = std::min(safe.find('\n'), safe.size());
    flow_.add(safe.substr(0, end), thinking_style());
    safe.remove_prefix(end);
  }
}

std::string ThinkingStream::flow(std::size_t width) {
  flow_.set_width(width);
  if (!begun()) {
    const std::size_t from = text_.find_first_not_of(blanks);
    if (from == std::string::npos) return {};
    flow_.begin(layout::painted(thinking_mark(look_), thinking_style(), look_), "");
    shown_ = from;
  }
  std::string safe;
  sanitizer_.feed(std::string_view(text_).substr(shown_), safe);
  shown_ = text_.size();
  add_safe(safe);
  // The live line that may follow has its own style.
  flow_.close();
  return flow_.take();
}

std::string ThinkingStream::pause() {
  flow_.let_go();
  flow_.close();
  return flow_.take();
}

std::string ThinkingStream::interrupt() {
  std::string out = pause();
  flow_.interrupted();
  return out;
}

std::string ThinkingStream::end(std::size_t width) {
  std::string out = flow(width);
  if (begun()) {
    std::string rest;
    sanitizer_.end(rest);
    add_safe(rest);
    flow_.end_line();
    out += flow_.take();
  }
  clear();
  return out;
}

void ThinkingStream::clear() {
  flow_ = layout::Flow(look_);
  sanitizer_ = {};
  text_.clear();
  shown_ = newlines_ = 0;
}

std::string ThinkingStream::latest(std::size_t width) const {
  std::string_view tail = text_;
  tail = tail.substr(0, tail.find_last_not_of(blanks) + 1);  // npos + 1 is 0
  tail.remove_prefix(
      std::max(tail.find_last_of("\r\n") + 1, layout::left_of(tail.size(), looked_at)));
  // The end of a character that was cut in two is not of any use.
  while (!tail.empty() && (static_cast<unsigned char>(tail[0]) & 0xC0) == 0x80)
    tail.remove_prefix(1);
  std::string safe;
  layout::Sanitizer().feed(tail, safe);
  const std::string rows = layout::wrapped(layout::sanitized_row(safe), width);
  const std::string row = rows.substr(rows.rfind('\n') + 1);
  return row.substr(std::min(row.find_first_not_of(' '), row.size()));
}

}  // namespace skein::screen
