#include "repl/pick/list_keys.h"

#include <algorithm>
#include <string>

namespace skein::pick {

bool leaves_list(terminal::Keyboard& keyboard, const terminal::Key& key) {
  const std::string letter = terminal::typed(key);
  if (letter == "/") keyboard.put_back('/');
  return letter == "/" || letter == "q" || key == terminal::ctrl('c') ||
         key == terminal::ctrl('d') || key.code == terminal::Key::Code::escape;
}

std::size_t chosen_after(const terminal::Key& key, std::size_t chosen, std::size_t lines,
                         std::size_t page) {
  using Code = terminal::Key::Code;
  const std::string letter = terminal::typed(key);
  const std::size_t last = lines - 1;
  if (key.code == Code::up || letter == "k") return chosen - std::min<std::size_t>(chosen, 1);
  if (key.code == Code::down || letter == "j") return std::min(chosen + 1, last);
  if (key.code == Code::page_up) return chosen - std::min(chosen, page);
  if (key.code == Code::page_down) return std::min(chosen + page, last);
  if (key.code == Code::home) return 0;
  if (key.code == Code::end) return last;
  return chosen;
}

}  // namespace skein::pick
