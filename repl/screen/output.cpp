#include "repl/screen/output.h"

#include "core/text/std.h"

#include <unistd.h>

#include "core/text/wait.h"
#include "repl/layout/sanitize.h"

namespace skein::screen {

using layout::display_width, layout::fit, layout::sanitized, layout::sanitized_row,
    layout::without_styles;

namespace {

constexpr std::int64_t between_writes = 17;  // ms: 58 a second
constexpr std::size_t most_pending = 256 * 1024;

constexpr auto passes = [] {
  std::array<bool, 256> table{};
  for (unsigned i = 0x20; i < 256; ++i) table[i] = i != 0x7F && i != 0xC2;
  table['\n'] = table['\t'] = true;
  return table;
}();

std::string moved(std::size_t by, char direction) {
  return by == 0 ? std::string{} : "\033[" + std::to_string(by) + direction;
}

}  // namespace

// U+0080 … U+009F are C1 controls, and in UTF-8 all of them begin with C2.
std::string gated(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t run = at;
    while (run < bytes.size() && passes[static_cast<unsigned char>(bytes[run])]) ++run;
    if (run > at) {
      out += bytes.substr(at, run - at);
      at = run;
      continue;
    }
    const std::size_t ours = layout::own_sequence(bytes.substr(at));
    const std::size_t length = ours > 0 ? ours : bytes[at] == '\xC2' ? 2 : 1;
    const std::string_view piece = bytes.substr(at, length);
    out += ours > 0 ? std::string(piece) : sanitized(piece);
    at += piece.size();
  }
  return out;
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      wait({&ready, 1}, no_deadline);
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the reader is gone; the turn itself continues and is saved
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void TerminalOutput::add(std::string_view bytes) {
  if (bytes.empty()) return;
  pending_ += gated(bytes);
  added_ = true;
  at_line_start_ = pending_.back() == '\n';
  if (pending_.size() > most_pending) flush();
}

std::size_t TerminalOutput::column() const {
  const std::size_t columns = std::max<std::size_t>(1, width());
  return display_width(without_styles(row_)) % columns;
}

// Moves from the cursor's place in the live rows back to where the text continues. A narrower
// window may have wrapped each of them into several.
std::string TerminalOutput::erased() const {
  if (widths_.empty()) return {};
  const std::size_t columns = std::max<std::size_t>(1, width());
  const layout::Caret at =
      on_screen_.caret.value_or(layout::Caret{widths_.size() - 1, widths_.back()});
  std::size_t rows = at.column / columns;
  for (std::size_t i = 0; i < at.row; ++i) rows += layout::rows_taken(widths_[i], columns);
  return "\r" + moved(rows, 'A') + "\033[J" + (below_ ? moved(1, 'A') + moved(column(), 'C') : "");
}

std::string TerminalOutput::painted_live() {
  on_screen_ = {};
  widths_.clear();
  below_ = !row_.empty();
  const std::size_t columns = width();
  if (live_.rows.empty() || columns < 2) return {};
  // At the right edge the cursor is on two rows at once.
  if (below_ && column() == 0) return {};
  std::string out = below_ ? "\n" : "";
  for (const LiveRow& row : live_.rows) {
    const std::string text = fit(sanitized_row(row.text), columns - 1);
    const std::size_t used = display_width(text);
    const std::string aside =
        used + 1 < columns ? fit(sanitized_row(row.aside), columns - 1 - used) : "";
    if (!widths_.empty()) out += "\n";
    out += painted(text, row.style, look_) + painted(aside, style::dim, look_);
    widths_.push_back(used + display_width(aside));
  }
  on_screen_ = live_;
  if (!live_.caret) return out;
  out += "\r" + moved(widths_.size() - 1 - live_.caret->row, 'A');
  return out + moved(std::min(live_.caret->column, columns - 1), 'C');
}

void TerminalOutput::flush() {
  if (held_) return;
  std::string out;
  if (!pending_.empty() || live_ != on_screen_) {
    out = erased();
    out += pending_;
    if (look_.live) {
      const std::size_t end = pending_.rfind('\n');
      if (end != std::string::npos) row_.clear();
      row_ += end == std::string::npos ? pending_ : pending_.substr(end + 1);
    }
    pending_.clear();
    out += painted_live();
  }
  if (out.empty()) return;
  last_write_ = now();
  port_.write(out);
}

void TerminalOutput::flush_if_due() {
  if (!look_.live || now() - last_write_ >= between_writes) flush();
}

}  // namespace skein::screen
