#include "repl/screen/output.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/text/text.h"
#include "core/text/wait.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::screen {

using layout::display_width, layout::fit, layout::sanitized, layout::without_styles;

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
    if (run == at) {
      const bool latin = bytes[at] == '\xC2';
      const std::size_t ours = layout::own_sequence(bytes.substr(at));
      run = std::min(bytes.size(), at + (ours > 0 ? ours : latin ? 2 : 1));
      if (ours == 0) {
        out += sanitized(bytes.substr(at, run - at));
        at = run;
        continue;
      }
    }
    out += bytes.substr(at, run - at);
    at = run;
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
  at_line_start_ = pending_.back() == '\n';
  if (pending_.size() > most_pending) flush();
}

std::size_t TerminalOutput::column() const {
  const std::size_t columns = std::max<std::size_t>(1, width());
  return display_width(without_styles(row_)) % columns;
}

// Moves from the end of the status back to where the text continues. A narrower window may have
// wrapped a row of it into several.
std::string TerminalOutput::erased() const {
  if (on_screen_.empty()) return {};
  if (!look_.colour) return "\r" + std::string(display_width(on_screen_), ' ') + "\r";
  std::size_t rows = 0;
  for (const std::string_view row : split(on_screen_, '\n'))
    rows +=
        (std::max<std::size_t>(1, display_width(row)) - 1) / std::max<std::size_t>(1, width()) + 1;
  return "\r" + moved(rows - 1, 'A') + "\033[J" +
         (below_ ? moved(1, 'A') + moved(column(), 'C') : "");
}

std::string TerminalOutput::painted_status() {
  on_screen_.clear();
  below_ = !row_.empty();
  const std::size_t columns = width();
  if (status_.empty() || columns < 2) return {};
  // At the right edge the cursor is on two rows at once; and without escapes there is no way back.
  if (below_ && (!look_.colour || column() == 0)) return {};
  for (const std::string_view row : split(status_, '\n')) {
    if (!on_screen_.empty() && !look_.colour) break;
    on_screen_ += (on_screen_.empty() ? "" : "\n") + fit(row, columns - 1);
  }
  return (below_ ? "\n" : "") + painted(on_screen_, style::dim, look_);
}

void TerminalOutput::flush() {
  std::string out;
  if (!pending_.empty() || status_ != on_screen_) {
    out = erased();
    out += pending_;
    if (look_.live) {
      const std::size_t end = pending_.rfind('\n');
      if (end != std::string::npos) row_.clear();
      row_ += end == std::string::npos ? pending_ : pending_.substr(end + 1);
    }
    pending_.clear();
    out += painted_status();
  }
  if (out.empty()) return;
  last_write_ = now();
  port_.write(out);
}

void TerminalOutput::flush_if_due() {
  if (!look_.live || now() - last_write_ >= between_writes) flush();
}

}  // namespace skein::screen
