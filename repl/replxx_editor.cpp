// replxx behind the LineEditor interface; the only file that knows it.
//
// replxx crashes in its own history and completion-hint code when keys come in unlucky order, so no
// key that reaches that code keeps its binding, and history is not given to it.
#include <cerrno>
#include <replxx.hxx>

#include "repl/line_editor.h"

namespace skein {

namespace {

using replxx::Replxx;

int code_points(std::string_view text) {
  int count = 0;
  for (const char c : text) count += (c & 0xC0) != 0x80;
  return count;
}

class ReplxxEditor : public LineEditor {
 public:
  explicit ReplxxEditor(EditorHelp help) : help_(std::move(help)) {
    using K = Replxx::KEY;
    const auto ignore = [](char32_t) { return Replxx::ACTION_RESULT::CONTINUE; };
    for (const char32_t key : std::initializer_list<char32_t>{
             K::UP,           K::DOWN,          K::control('P'),   K::control('N'),
             K::meta(K::UP),  K::meta(K::DOWN), K::control(K::UP), K::control(K::DOWN),
             K::meta('<'),    K::meta('>'),     K::PAGE_UP,        K::PAGE_DOWN,
             K::meta('.'),    K::meta('y'),     K::meta('Y'),      K::meta('g'),
             K::control('G'), K::meta('p'),     K::meta('n'),      K::meta('P'),
             K::meta('N'),    K::control('R'),  K::control('S'),   K::meta('r')})
      editor_.bind_key(key, ignore);
    editor_.set_completion_callback(
        [this](const std::string& line, int& length) { return completions(line, length); });
    editor_.set_hint_callback([this](const std::string& line, int& length, Replxx::Color& color) {
      return hints(line, length, color);
    });
    editor_.set_unique_history(false);
    editor_.enable_bracketed_paste();
    editor_.install_window_change_handler();
  }
  ~ReplxxEditor() override { editor_.disable_bracketed_paste(); }

  Got read(const std::string& prompt, std::string& line) override {
    errno = 0;
    const char* text = editor_.input(prompt);
    if (text == nullptr) return errno == EAGAIN ? Got::interrupt : Got::end;
    line = text;
    return Got::line;
  }

 private:
  // A callback that throws looks like the end of input to replxx; these never do.
  Replxx::completions_t completions(const std::string& line, int& length) noexcept {
    Replxx::completions_t out;
    if (!help_.complete) return out;
    const std::size_t word = line.find_last_of(" \t\n") + 1;
    length = code_points(std::string_view(line).substr(word));
    for (std::string& each : help_.complete(line)) out.emplace_back(std::move(each));
    return out;
  }

  Replxx::hints_t hints(const std::string& line, int& length, Replxx::Color& color) noexcept {
    if (!help_.hint || line.empty()) return {};
    std::string rest = help_.hint(line);
    if (rest.empty()) return {};
    color = Replxx::Color::GRAY;
    length = 0;
    return {std::move(rest)};
  }

  EditorHelp help_;
  Replxx editor_{};
};

}  // namespace

std::unique_ptr<LineEditor> make_replxx_editor(EditorHelp help) {
  return std::make_unique<ReplxxEditor>(std::move(help));
}

}  // namespace skein
