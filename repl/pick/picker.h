// Choosing from a list by typing a few letters of it: sessions, earlier lines, completions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "repl/terminal/keyboard.h"

namespace skein::pick {

struct PickList {
  std::string title{};
  std::vector<std::string> lines{};      // as they are shown, the best first
  std::vector<std::string> texts{};      // what is searched; none: the lines themselves
  std::string query{};                   // to begin with
  std::string keys{};                    // which further keys there are, for the reader
  std::vector<terminal::Key> further{};  // keys that leave the list and are told to the caller
  std::size_t chosen = 0;                // of those that fit, to begin with
  std::function<std::vector<std::string>(std::size_t)> preview{};  // a few lines about one
};

struct Picked {
  std::optional<std::size_t> index{};  // of PickList::lines; none: nothing was chosen
  terminal::Key key{};                 // Enter, or one of the further keys
  std::string query{};                 // what was typed by then
  std::size_t chosen = 0;
};

// Draws below what is on the screen and erases itself.
Picked pick(terminal::Keyboard& keyboard, const PickList& list);

}  // namespace skein::pick
