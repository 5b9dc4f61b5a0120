#include "app/config/rows.h"
#include "repl/terminal/key_map.h"

namespace skein::config::rows {

namespace {

// Each by itself; that no key is given twice is checked when all have been read.
bool set_chords(Target& to, const Item& item) {
  const terminal::KeyRow& row = terminal::row_of_action(item.owner);
  for (const std::string& text : item.list)
    if (const std::string trouble = terminal::trouble_with(terminal::parse_chord(text));
        !trouble.empty())
      throw Error("keys." + item.owner + ": " + trouble, ExitStatus::usage);
  to.config.keys[std::string(row.name)] = item.list;
  return true;
}

constexpr Key chord_table[] = {
    {"keys", "", chords, "see `skein keys`", Key::Workspace::never, "",
     "what an action is done with: send = \"ctrl+enter\", newline = \"enter\", editor = [\"f4\", "
     "\"ctrl+x ctrl+e\"]; []: with nothing",
     set_chords},
};

}  // namespace

std::span<const Key> chord_rows() { return chord_table; }

}  // namespace skein::config::rows
