#include "app/driven/json_lines.h"

#include "core/text/std.h"

namespace skein::app::driven {

InputLines::InputLines(int input) : input_(input) {
  thread_ = quiet_thread([this] { run(); });
}

InputLines::~InputLines() {
  leave_.raise();
  thread_.join();
}

void InputLines::run() {
  std::array<char, 64 * 1024> buffer;
  std::string line;
  bool too_long = false;
  const auto add = [&](std::string_view piece) {
    too_long = too_long || line.size() + piece.size() > longest;
    if (too_long)
      line.clear();
    else
      line += piece;
  };
  const auto end_line = [&] { put({std::exchange(line, {}), std::exchange(too_long, false)}); };
  for (;;) {
    std::array<pollfd, 2> fds{{{input_, POLLIN, 0}, {leave_.fd(), POLLIN, 0}}};
    wait(fds, no_deadline);
    if (fds[1].revents != 0) return;
    if (fds[0].revents == 0) continue;
    const ssize_t got = ::read(input_, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    std::string_view piece(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t at = 0; (at = piece.find('\n')) != piece.npos; piece.remove_prefix(at + 1)) {
      add(piece.substr(0, at));
      end_line();
    }
    add(piece);
  }
  if (!line.empty() || too_long) end_line();
  end();
}

void LineQueue::put(Line line) {
  const std::lock_guard hold(lock_);
  lines_.push_back(std::move(line));
  ready_.raise();
}

void LineQueue::end() {
  const std::lock_guard hold(lock_);
  ended_ = true;
  ready_.raise();
}

std::optional<LineQueue::Line> LineQueue::next() {
  const std::lock_guard hold(lock_);
  if (lines_.empty()) {
    ready_.clear();
    return std::nullopt;
  }
  Line line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

bool LineQueue::ended() const {
  const std::lock_guard hold(lock_);
  return ended_ && lines_.empty();
}

OutputLines::OutputLines(int output) : output_(output) {
  thread_ = quiet_thread([this] { run(); });
}

OutputLines::~OutputLines() {
  {
    const std::lock_guard hold(lock_);
    leaving_ = true;
  }
  leave_.raise();
  changed_.notify_all();
  thread_.join();
}

void OutputLines::send(std::string line) {
  const std::lock_guard hold(lock_);
  if (broken_) return;
  lines_.push_back(std::move(line) + "\n");
  idle_ = false;
  changed_.notify_all();
}

bool OutputLines::broken() const {
  const std::lock_guard hold(lock_);
  return broken_;
}

// A pipe that is ready takes this much without blocking. False: no more can be written.
bool OutputLines::write_some(std::string_view& left) {
  std::array<pollfd, 2> fds{{{output_, POLLOUT, 0}, {leave_.fd(), POLLIN, 0}}};
  wait(fds, no_deadline);
  if (fds[1].revents != 0) return false;
  const ssize_t wrote = ::write(output_, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
  if (wrote < 0) return errno == EINTR || errno == EAGAIN;
  left.remove_prefix(static_cast<std::size_t>(wrote));
  const std::lock_guard hold(lock_);
  written_ += static_cast<std::size_t>(wrote);
  return true;
}

void OutputLines::run() {
  for (;;) {
    std::string line;
    {
      std::unique_lock hold(lock_);
      idle_ = lines_.empty();
      changed_.notify_all();
      changed_.wait(hold, [this] { return leaving_ || !lines_.empty(); });
      if (leaving_) return;
      line = std::move(lines_.front());
      lines_.pop_front();
    }
    for (std::string_view left = line; !left.empty();)
      if (!write_some(left)) {
        const std::lock_guard hold(lock_);
        broken_ = idle_ = true;
        lines_.clear();
        changed_.notify_all();
        return;
      }
  }
}

bool OutputLines::finish(std::chrono::milliseconds patience) {
  std::unique_lock hold(lock_);
  for (std::size_t before = written_ + 1; !idle_ && before != written_;) {
    before = written_;
    changed_.wait_for(hold, patience, [this] { return idle_; });
  }
  return idle_ && !broken_;
}

}  // namespace skein::app::driven
