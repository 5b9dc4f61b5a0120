// Lines of JSON on standard input and output, for programs that drive skein. Each side has a
// thread: reading does not wait for a turn, and a turn does not wait for a reader that is slow.
#pragma once

#include "core/text/std.h"

#include "core/text/io.h"
#include "core/text/wait.h"

namespace skein::app::driven {

inline constexpr const char* no_descriptor = "cannot wait for lines: too many open files?";

// Lines that have come and were not taken yet.
class LineQueue {
 public:
  struct Line {
    std::string text{};
    bool too_long = false;  // then the text is empty
  };

  LineQueue() = default;
  LineQueue(const LineQueue&) = delete;
  LineQueue& operator=(const LineQueue&) = delete;

  int fd() const { return ready_.fd(); }  // readable while there may be lines, or the input ended
  std::optional<Line> next();             // clears fd() when there is none
  bool ended() const;                     // and every line was taken

  // From any thread.
  void put(Line line);
  void end();

 private:
  Signal ready_{no_descriptor};
  mutable std::mutex lock_{};
  std::deque<Line> lines_{};
  bool ended_ = false;
};

class InputLines : public LineQueue {
 public:
  static constexpr std::size_t longest = 64u << 20;  // bytes of a line

  explicit InputLines(int input);
  ~InputLines();

 private:
  void run();

  const int input_;
  Signal leave_{no_descriptor};
  std::thread thread_{};  // last: it uses all the others
};

class OutputLines {
 public:
  explicit OutputLines(int output);
  ~OutputLines();  // what is not written by then is dropped
  OutputLines(const OutputLines&) = delete;
  OutputLines& operator=(const OutputLines&) = delete;

  void send(std::string line);  // from any thread; never waits
  bool broken() const;          // the reader has closed its end
  // Until everything is written, the reader has gone, or it took nothing for so long. False: not
  // everything was written.
  bool finish(std::chrono::milliseconds patience);

 private:
  void run();
  bool write_some(std::string_view& left);

  const int output_;
  Signal leave_{no_descriptor};
  mutable std::mutex lock_{};
  std::condition_variable changed_{};
  std::deque<std::string> lines_{};
  std::size_t written_ = 0;  // bytes
  bool idle_ = true, broken_ = false, leaving_ = false;
  std::thread thread_{};  // last: it uses all the others
};

}  // namespace skein::app::driven
