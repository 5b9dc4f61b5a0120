#include "repl/follow/at_terminal.h"

#include <array>
#include <memory>

#include "core/store/backend.h"
#include "core/text/wait.h"

namespace skein::follow {

Ports ports_at(terminal::Keyboard& keyboard, screen::Screen& screen,
               const std::atomic<bool>& stop) {
  Ports ports{.can_take_over = true};
  ports.show = [&screen](const store::StoredEntry& placed) {
    const std::string& type = placed.entry.type;
    if (type != model::type::message && type != model::type::compaction_summary) return;
    if (placed.altered) screen.print(std::string(store::altered_mark) + "\n");
    screen.replay(placed.entry);
    screen.flush();
  };
  ports.say = [&screen](const std::string& text) {
    screen.start_line();
    screen.print_untrusted(text);
    screen.flush();
  };
  // As long as it is followed, keys are keys; shared by the copies of the function.
  const auto mode = std::make_shared<terminal::TerminalMode>(keyboard.terminal(),
                                                             terminal::Terminal::Mode::editing);
  ports.wait = [&keyboard, &stop, mode](int descriptor, std::chrono::milliseconds pause) {
    const auto stopped = [&] { return stop.load() || keyboard.hung_up(); };
    if (!keyboard.typed_ahead()) {
      std::array<pollfd, 2> fds{pollfd{keyboard.terminal().in(), POLLIN, 0},
                                pollfd{descriptor, POLLIN, 0}};
      wait(fds, std::chrono::steady_clock::now() + pause, stopped);
    }
    keyboard.terminal().take_resize();
    Wish wish = stopped() ? Wish::leave : Wish::none;
    while (wish == Wish::none && keyboard.typed_ahead()) {
      terminal::Key key;
      const auto got = keyboard.next(key, std::chrono::milliseconds(0), stopped);
      if (got == terminal::Keyboard::KeyResult::hang_up) wish = Wish::leave;
      if (got != terminal::Keyboard::KeyResult::key) break;
      if (terminal::is_letter(key, 't')) wish = Wish::take_over;
      if (terminal::leaves(key)) wish = Wish::leave;
    }
    return wish;
  };
  return ports;
}

}  // namespace skein::follow
