#include "repl/terminal/terminal.h"

#include <doctest/doctest.h>

#include <map>

using namespace skein;
using namespace skein::terminal;

namespace {

Abilities with(std::map<std::string, std::string> variables) {
  return abilities_of([=](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string{} : found->second;
  });
}

}  // namespace

TEST_CASE("a terminal is asked for notices in the form it is known to take") {
  CHECK(with({{"TERM", "xterm-kitty"}}).notice == NoticeWay::osc99);
  CHECK(with({{"TERM_PROGRAM", "iTerm.app"}, {"TERM", "xterm-256color"}}).notice ==
        NoticeWay::osc9);
  CHECK(with({{"TERM_PROGRAM", "WezTerm"}}).notice == NoticeWay::osc9);
  CHECK(with({{"TERM_PROGRAM", "ghostty"}}).notice == NoticeWay::osc9);
  CHECK(with({{"ConEmuPID", "7"}}).notice == NoticeWay::osc9);
  CHECK(with({{"TERM", "foot"}}).notice == NoticeWay::osc777);
  CHECK(with({{"TERM", "foot-extra"}}).notice == NoticeWay::osc777);
  CHECK(with({{"TERM", "rxvt-unicode-256color"}}).notice == NoticeWay::osc777);
  CHECK(with({{"TERM", "xterm-256color"}}).notice == NoticeWay::bell);
  CHECK(with({}).notice == NoticeWay::bell);
}

TEST_CASE("inside of tmux the terminal around it counts") {
  const Abilities kitty =
      with({{"TMUX", "/tmp/x"}, {"TERM", "tmux-256color"}, {"KITTY_WINDOW_ID", "1"}});
  CHECK(kitty.in_tmux);
  CHECK(kitty.notice == NoticeWay::osc99);
  const Abilities unknown =
      with({{"TMUX", "/tmp/x"}, {"TERM", "tmux-256color"}, {"TERM_PROGRAM", "tmux"}});
  CHECK(unknown.in_tmux);
  CHECK(unknown.notice == NoticeWay::bell);
  CHECK(through_tmux("\x1b]9;hi\x1b\\") == "\x1bPtmux;\x1b\x1b]9;hi\x1b\x1b\\\x1b\\");
}

TEST_CASE("the console is not asked to report its focus") {
  CHECK(with({{"TERM", "xterm"}}).reports_focus);
  CHECK_FALSE(with({{"TERM", "linux"}}).reports_focus);
}
