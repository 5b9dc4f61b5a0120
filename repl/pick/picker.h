// Choosing from a list by typing a few letters: sessions, earlier lines, completions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/event.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

struct PickList {
  std::string title{};
  std::vector<std::string> lines{};       // as shown, best first
  std::vector<std::string> texts{};       // the texts to search; none: the lines themselves
  std::string query{};                    // at first
  std::string keys{};                     // help on the further keys
  std::vector<terminal::Key> further{};   // keys that leave the list and are returned
  std::vector<terminal::Key> switches{};  // the same, also if nothing fits
  std::size_t chosen = 0;                 // among the matches, at first
  std::function<std::vector<std::string>(std::size_t)> preview{};  // a few lines about one
  // Work that goes on while the list is open, for example asking for more lines. It watches the
  // keyboard through the ports and must end soon once they are stopped. True: it has changed lines
  // and texts of the list it was given.
  std::function<bool(PickList&, const model::Ports&)> refresh{};
};

struct Picked {
  std::optional<std::size_t> index{};  // of PickList::lines; none: nothing was chosen
  terminal::Key key{};                 // Enter, or one of the further keys
  std::string query{};                 // what had been typed
  std::size_t chosen = 0;
};

// Draws below what is on the screen and erases itself.
Picked pick(terminal::Keyboard& keyboard, const PickList& list);

}  // namespace skein::pick
