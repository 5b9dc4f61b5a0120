#include "repl/terminal/requests.h"

#include <doctest/doctest.h>

#include "repl/layout/width.h"
#include "tests/support/hostile_texts.h"

using namespace skein;
using namespace skein::terminal;
using Way = Notifier::Way;
using Question = Notifier::Question;

namespace {

// A terminal that remembers, a clock that is set, and a window that is in front or not.
struct Desk {
  explicit Desk(Way way, Abilities abilities = {})
      : notifier({.way = way,
                  .abilities = abilities,
                  .write = [this](std::string_view bytes) { told += bytes; },
                  .in_front = [this] { return in_front; },
                  .run = [this](const Notification& notice) { run += notice.text + "|"; },
                  .clock = [this] { return now; }}) {}

  std::string turn_of(std::int64_t ms, bool well = true) {
    told.clear();
    notifier.turn_begins();
    now += ms;
    notifier.turn_ends("fix the lexer", well);
    return told;
  }

  std::string told{}, run{};
  std::optional<bool> in_front{};
  std::int64_t now = 1000;
  Notifier notifier;
};

}  // namespace

TEST_CASE("a turn calls the user after ten seconds, unless the terminal is in front") {
  Desk desk(Way::bell);
  CHECK(desk.turn_of(9'999).empty());
  CHECK(desk.turn_of(10'000) == "\a");
  desk.in_front = true;
  CHECK(desk.turn_of(100'000).empty());
  desk.in_front = false;
  CHECK(desk.turn_of(9'999).empty());
  CHECK(desk.turn_of(10'000) == "\a");
}

TEST_CASE("each form says which session it is and how long it took") {
  CHECK(Desk(Way::osc9).turn_of(192'000) == "\x1b]9;skein: fix the lexer: done in 3 min 12 s\a");
  CHECK(Desk(Way::osc777).turn_of(12'000, false) ==
        "\x1b]777;notify;fix the lexer;failed after 12 s\a");
  CHECK(Desk(Way::osc99).turn_of(12'000) ==
        "\x1b]99;i=skein:d=0;fix the lexer\x1b\\\x1b]99;i=skein:p=body;done in 12 s\x1b\\");
  CHECK(Desk(Way::off).turn_of(12'000).empty());
}

TEST_CASE("auto is what the terminal takes, through tmux with a bell for tmux itself") {
  CHECK(Desk(Way::automatic).turn_of(12'000) == "\a");
  CHECK(Desk(Way::automatic, {.notice = Way::osc9}).turn_of(12'000) ==
        "\x1b]9;skein: fix the lexer: done in 12 s\a");
  CHECK(Desk(Way::automatic, {.notice = Way::osc9, .in_tmux = true}).turn_of(12'000) ==
        "\x1bPtmux;\x1b\x1b]9;skein: fix the lexer: done in 12 s\a\x1b\\\a");
  CHECK(Desk(Way::automatic, {.in_tmux = true}).turn_of(12'000) == "\a");
}

TEST_CASE("a question calls the user who looks elsewhere at once") {
  Desk desk(Way::osc9);
  desk.notifier.turn_begins();
  desk.in_front = false;
  desk.notifier.question_waits("t", "bash make", Question::common);
  CHECK(desk.told == "\x1b]9;skein: t: asks: bash make\a");
  desk.told.clear();
  desk.in_front = true;
  desk.notifier.question_waits("t", "bash make", Question::rare);
  CHECK(desk.told.empty());
}

TEST_CASE("where nobody knows what is in front, only a rare question calls at once") {
  Desk desk(Way::bell);
  desk.notifier.turn_begins();
  desk.notifier.question_waits("t", "bash make", Question::common);
  CHECK(desk.told.empty());
  desk.notifier.question_waits("t", "which of these?", Question::rare);
  CHECK(desk.told == "\a");
  desk.now += 10'000;
  desk.notifier.question_waits("t", "bash make", Question::common);
  CHECK(desk.told == "\a\a");
}

TEST_CASE("a program of the user's is run instead of the terminal being told") {
  Desk desk(Way::command);
  CHECK(desk.turn_of(12'000).empty());
  CHECK(desk.run == "done in 12 s|");
}

TEST_CASE("no notice drives a terminal or is longer than 80 columns") {
  for (const Way form : {Way::osc9, Way::osc777, Way::osc99})
    for (const std::string& text : test::hostile_texts()) {
      Desk desk(Way::automatic, {.notice = form});
      desk.in_front = false;
      desk.notifier.question_waits(text, text + std::string(500, 'x') + ";\x1b]0;x\a",
                                   Question::common);
      std::string inside = desk.told;
      for (const std::string_view ours : {"\x1b]9;", "\x1b]777;notify;", "\x1b]99;i=skein:d=0;",
                                          "\x1b]99;i=skein:p=body;", "\x1b\\"})
        for (std::size_t at = 0; (at = inside.find(ours)) != std::string::npos;)
          inside.erase(at, ours.size());
      if (inside.ends_with('\a')) inside.pop_back();
      CAPTURE(inside);
      for (const char c : inside) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7F));
      CHECK(layout::display_width(inside) <= 80 + std::string_view("skein: ").size());
    }
}

TEST_CASE("ways have names") {
  CHECK(parse_way("auto") == Way::automatic);
  CHECK(parse_way("off") == Way::off);
  CHECK_FALSE(parse_way("loud").has_value());
}
