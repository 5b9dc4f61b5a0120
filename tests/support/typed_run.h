// skein at a terminal, with a person who types: a table of what is typed and what must be shown.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/pty.h"
#include "tests/support/temp_dir.h"

namespace skein::test {

// What was shown before it is forgotten; then every one of `shown` must appear.
struct Exchange {
  std::string typed;
  std::vector<std::string> shown{};
};

class TypedRun {
 public:
  TypedRun() = default;
  // With the home and the workspace of another run, which must outlive this one.
  explicit TypedRun(std::string in) : folder(std::move(in)) {}

  // A model that says what a script says; see offline/scripted.h.
  std::string scripted(std::string_view script) const;
  // Starts skein and waits for the prompt, or for another text.
  void start(const std::vector<std::string>& words = {}, std::string_view ready = "› ");
  void type(const std::vector<Exchange>& exchanges);
  // Types that, by default Ctrl+D, which must end skein with that status.
  void leave(std::string_view last = "\x04", int status = 0);
  pid_t process() const { return skein_; }

  // Whether that is among what was shown since the last exchange began.
  bool has_shown(std::string_view text);

  TempDir dir{};
  std::string folder = dir.path().string();
  Pty pty{};

 private:
  pid_t skein_ = -1;
};

}  // namespace skein::test
