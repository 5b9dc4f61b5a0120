// Lines from a pipe or a dumb terminal.
#include <unistd.h>

#include "core/text/wait.h"
#include "repl/prompt/line_editor.h"

namespace skein::prompt {

namespace {

class PlainEditor : public LineEditor {
 public:
  PlainEditor(int fd, bool show_prompt, std::function<bool()> stopped)
      : fd_(fd), show_prompt_(show_prompt), stopped_(std::move(stopped)) {}

  // A draft cannot be put into such a line; it waits for a better terminal.
  ReadResult read(const std::string& prompt, edit::Draft& draft) override {
    std::string& line = draft.text;
    draft = {};
    if (show_prompt_ && ::write(STDOUT_FILENO, prompt.data(), prompt.size()) < 0)
      return ReadResult::end;
    for (;;) {
      if (const std::size_t newline = buffer_.find('\n'); newline != std::string::npos) {
        line = buffer_.substr(0, newline);
        buffer_.erase(0, newline + 1);
        if (line.ends_with('\r')) line.pop_back();
        return ReadResult::line;
      }
      if (wait(fd_, no_deadline, stopped_) == Wake::signal) return ReadResult::interrupt;
      char piece[4096];
      const ssize_t count = ::read(fd_, piece, sizeof piece);
      if (count < 0 && errno == EINTR) return ReadResult::interrupt;
      if (count <= 0) return last_line(line);
      buffer_.append(piece, static_cast<std::size_t>(count));
    }
  }

 private:
  // The last line counts even if it has no newline.
  ReadResult last_line(std::string& line) {
    line = std::move(buffer_);
    buffer_.clear();
    return line.empty() ? ReadResult::end : ReadResult::line;
  }

  int fd_;
  bool show_prompt_;
  std::function<bool()> stopped_;
  std::string buffer_{};
};

}  // namespace

std::unique_ptr<LineEditor> make_plain_editor(int fd, bool show_prompt,
                                              std::function<bool()> stopped) {
  return std::make_unique<PlainEditor>(fd, show_prompt, std::move(stopped));
}

}  // namespace skein::prompt
