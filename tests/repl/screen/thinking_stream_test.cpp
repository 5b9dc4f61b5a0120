#include "repl/screen/thinking_stream.h"

#include <doctest/doctest.h>

#include "tests/support/recorded_screen.h"

using namespace skein;
using namespace skein::screen;
using namespace skein::test;

namespace {

// As a terminal shows it after this much thinking, with the live line painted.
std::string seen_after_tick(RecordedScreen& screen) {
  screen.now += 100;
  screen->tick();
  return seen(screen.bytes(), screen.width);
}

}  // namespace

TEST_CASE("folded thinking is seen while it lasts: its last row, below the status") {
  RecordedScreen screen(no_colour, 40);
  screen->show(committed(model::user_message("hi")));
  screen->show(thinking_event("First I look at the le"));
  CHECK(seen_after_tick(screen).ends_with("\n  thinking: First I look at the le\n"));
  screen->show(thinking_event("xer, then at the parser."));
  CHECK(seen_after_tick(screen).ends_with("\n  thinking: then at the parser.\n"));
  screen->show(thinking_event("\n\nSec\x1b[2J"));
  CHECK(seen_after_tick(screen).ends_with("\n  thinking: Sec␛[2J\n"));
  screen->show(thinking_event("\n\n"));  // until the next line begins, the last one stays
  CHECK(seen_after_tick(screen).ends_with("\n  thinking: Sec␛[2J\n"));
  screen->show(text_event("Done."));
  screen->end_turn(model::Stop::stop, "");
  CHECK(seen(screen.bytes(), 40) == "\nthinking: Firs…  … 4 lines, Ctrl+O shows\n\nDone.\n");
}

TEST_CASE("thinking that is shown whole comes word by word, and breaks between words") {
  RecordedScreen screen(no_colour, 30);
  screen->change_thinking();
  screen->show(thinking_event("\n\nOne two thr"));
  screen->flush();
  CHECK(seen(screen.bytes(), 30) == "showing all thinking\nthinking: One two\n");
  screen->show(thinking_event("ee four fi"));
  screen->flush();
  CHECK(seen(screen.bytes(), 30) == "showing all thinking\nthinking: One two three four\n");
  screen.now += 2000;  // after a silence everything that came can be read
  screen->tick();
  CHECK(seen(screen.bytes(), 30).find("\nthinking: One two three four\nfi\n") != std::string::npos);
  screen->show(thinking_event("ve.\n\nSix"));
  screen->show(model::Notice{model::Notice::Level::info, "by the way"});
  screen->show(thinking_event("teen."));
  screen->show(text_event("Hello"));
  screen->end_turn(model::Stop::stop, "");
  CHECK(seen(screen.bytes(), 30) ==
        "showing all thinking\nthinking: One two three four\nfive.\n\nSix\nby the way\n"
        "teen.\nHello\n");
}

TEST_CASE("thinking in a pipe is shown as it comes, once that is wanted") {
  RecordedScreen screen(piped);
  screen->change_thinking();
  screen->show(thinking_event("\n\nFirst.\n\nSec"));
  CHECK(screen.bytes() == "showing all thinking\nthinking: First.\n\nSec");
  screen->show(thinking_event("ond\x1b[2J."));
  screen->show(text_event("Hello"));
  screen->end_turn(model::Stop::stop, "");
  CHECK(screen.bytes() == "showing all thinking\nthinking: First.\n\nSecond␛[2J.\nHello\n");
}

TEST_CASE("thinking that is wanted in the middle comes from its beginning, and is not said twice") {
  RecordedScreen screen(piped);
  screen->show(thinking_event("First.\nSecond.\nThi"));
  screen->change_thinking();
  screen->show(thinking_event("rd."));
  screen->change_thinking();
  screen->show(text_event("Hello"));
  screen->end_turn(model::Stop::stop, "");
  CHECK(screen.bytes() ==
        "showing all thinking\nthinking: First.\nSecond.\nThird.\nshowing one line of "
        "thinking\nHello\n");
}

TEST_CASE("thinking whose end was hidden can still be unfolded, and wraps between words") {
  RecordedScreen screen(no_colour, 30);
  screen->change_thinking();
  screen->show(thinking_event("One "));
  screen->change_thinking();
  screen->show(thinking_event("two three four five several more."));
  screen->show(text_event("Hello"));
  screen->end_turn(model::Stop::stop, "");
  const std::string before = seen(screen.bytes(), 30);
  screen->expand_last();
  CHECK(seen(screen.bytes(), 30) ==
        before + "▾ thinking\nOne two three four five\nseveral more.\n");
}

TEST_CASE("whoever has it read out is told of a command that unfolds") {
  RecordedScreen screen(screen_reader);
  screen->show(thinking_event("First.\nSecond."));
  screen->show(text_event("Hello"));
  screen->end_turn(model::Stop::stop, "");
  CHECK(screen.bytes() == "thinking: First.  … 2 lines, /expand shows\nassistant: Hello\n");
}
