// Where a line comes from: the interface over replxx at a terminal and over plain lines everywhere
// else (pipes, TERM=dumb, screen readers).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

// What the editor asks the shell: the possible endings of a line, and a hint for the rest of it.
struct EditorHelp {
  std::function<std::vector<std::string>(std::string_view before_cursor)> complete{};
  std::function<std::string(std::string_view line)> hint{};
};

class LineEditor {
 public:
  enum class Got { line, interrupt, end };  // interrupt: ^C, end: ^D or end of input
  virtual ~LineEditor() = default;
  virtual Got read(const std::string& prompt, std::string& line) = 0;
};

std::unique_ptr<LineEditor> make_replxx_editor(EditorHelp help);
std::unique_ptr<LineEditor> make_plain_editor(int fd, bool show_prompt);

}  // namespace skein
