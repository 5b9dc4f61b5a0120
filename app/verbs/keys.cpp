// skein keys: which key does what, and what the terminal sends for a key.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "app/home.h"
#include "app/load_config.h"
#include "app/signals.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/terminal/key_map.h"
#include "repl/terminal/keys.h"
#include "repl/terminal/terminal.h"

namespace skein::verbs {

namespace {

using terminal::Key, terminal::KeyMap, terminal::KeyRow;

constexpr std::size_t name_columns = 17, key_columns = 24;

Json chords_json(const std::vector<terminal::Chord>& chords) {
  Json out = Json::array();
  for (const terminal::Chord& each : chords) out.push_back(terminal::written(each));
  return out;
}

void print_keys_json(const KeyMap& keys) {
  Json out = Json::array();
  for (const KeyRow& row : terminal::key_rows())
    if (row.action != terminal::Action::none)
      out.push_back({{"action", row.name},
                     {"keys", chords_json(keys.chords(row.action))},
                     {"default", chords_json(terminal::usual_keys().chords(row.action))},
                     {"during", row.place == terminal::Place::turn ? "turn" : "prompt"},
                     {"does", row.words}});
  print_json(dump(out));
}

void print_keys(const KeyMap& keys) {
  for (const KeyRow& row : terminal::key_rows()) {
    if (row.action == terminal::Action::none) continue;
    const bool changed = keys.chords(row.action) != terminal::usual_keys().chords(row.action);
    print_line(layout::padded(std::string(row.name), name_columns) +
               layout::padded(keys.shown(row), key_columns) + "  " + std::string(row.words) +
               (changed ? " (yours)" : ""));
  }
  print_line("");
  const std::string file = app::user_config_file();
  print_line("[keys] in " + (file.empty() ? "your configuration" : file) +
             " changes them: search-history = \"f3\"");
}

// As a shell's $'…' takes them.
std::string visible(std::string_view bytes) {
  std::string out;
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0x1B)
      out += "\\e";
    else if (byte > ' ' && byte < 0x7F && byte != '\\')
      out += c;
    else
      out += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
  }
  return out;
}

// Shows every key until q, ^C twice or the end of the terminal.
class KeyTest {
 public:
  explicit KeyTest(const KeyMap& keys) : keys_(keys) {}

  void run() {
    terminal_.set(terminal::Terminal::Mode::editing);
    say("Press keys to see how they are written; q or Ctrl+C twice ends.");
    if (!terminal_.ask_for_extended_keys()) say("This terminal cannot tell Ctrl+Enter from Enter.");
    while (!done_ && !app::leave_asked()) {
      const Wake wake = decoder_.waiting()
                            ? terminal_.wait(std::chrono::milliseconds(Decoder::pause_ms))
                            : terminal_.wait({}, [] { return app::leave_asked().load(); });
      if (wake == Wake::signal) terminal_.take_resize();
      if (wake == Wake::ready) take_in();
      if (wake == Wake::deadline)
        if (const auto key = decoder_.flush()) show(*key);
    }
    terminal_.set(terminal::Terminal::Mode::found);
  }

 private:
  using Decoder = terminal::KeyDecoder;

  void say(const std::string& line) { terminal_.write(layout::sanitized(line) + "\r\n"); }

  // One byte at a time, so that it is known which of them make a key.
  void take_in() {
    const std::string bytes = terminal_.read();
    done_ = done_ || bytes.empty();
    for (const char byte : bytes) {
      bytes_ += byte;
      decoder_.feed({&byte, 1});
      while (const auto key = decoder_.next()) show(*key);
    }
  }

  void show(const Key& key) {
    const std::string bytes = std::exchange(bytes_, {});
    const bool again = std::exchange(interrupted_, key == terminal::ctrl('c'));
    done_ = done_ || (again && interrupted_) || terminal::typed(key) == "q";
    if (key.code == Key::Code::report) return hear(key);
    if (key.code == Key::Code::paste)
      return say("a paste of " + std::to_string(key.text.size()) + " bytes");
    const std::string name = terminal::written(key);
    if (name.empty()) return say("nothing that skein knows  " + visible(bytes));
    say(layout::padded(name, name_columns) + layout::padded(visible(bytes), name_columns) +
        meaning(key));
  }

  std::string meaning(const Key& key) const {
    std::string out;
    for (const terminal::Place place : {terminal::Place::prompt, terminal::Place::turn}) {
      const terminal::Action action = keys_.find(place, {key});
      for (const KeyRow& row : terminal::key_rows())
        if (action != terminal::Action::none && row.action == action)
          out += (out.empty() ? "" : ", ") + std::string(row.name);
      if (keys_.begins(place, key)) out += (out.empty() ? "" : ", ") + std::string("begins two");
    }
    const std::string trouble = terminal::trouble_with({key});
    return !out.empty() ? out : trouble.empty() ? "free" : "cannot be given to an action";
  }

  void hear(const Key& report) {
    if (report.point == 'c' && !tells_)
      say("This terminal does not say that it can tell Ctrl+Enter from Enter; try it.");
    const bool tells = (report.point == 'u' && report.text.starts_with('?')) ||
                       (report.point == 'm' && report.text.starts_with(">4;"));
    if (tells && !std::exchange(tells_, true)) say("This terminal can tell Ctrl+Enter from Enter.");
  }

  const KeyMap& keys_;
  terminal::Terminal terminal_{STDIN_FILENO, STDOUT_FILENO};
  Decoder decoder_{};
  std::string bytes_{};
  bool done_ = false, interrupted_ = false, tells_ = false;
};

}  // namespace

int show_keys(const app::Invocation& invocation) {
  catalog::Catalog catalog;
  const KeyMap keys(app::load_config(invocation, app::workspace_folder(invocation), catalog).keys);
  if (!invocation.has("--test")) {
    invocation.has("--json") ? print_keys_json(keys) : print_keys(keys);
    return 0;
  }
  if (!app::attended()) throw Error("keys --test needs a terminal", ExitStatus::usage);
  app::catch_signals();
  KeyTest(keys).run();
  return 0;
}

}  // namespace skein::verbs
