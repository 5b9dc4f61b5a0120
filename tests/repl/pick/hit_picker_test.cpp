#include "repl/pick/picker.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/pty.h"

using namespace skein;
using namespace skein::pick;
using namespace skein::test;

namespace {

struct Desk {
  Desk() { terminal.set(terminal::Terminal::Mode::editing); }
  Pty pty{};
  terminal::Terminal terminal{pty.slave(), pty.slave()};
  terminal::Keyboard keyboard{terminal};

  HitChoice pick(const HitSearch& search) {
    return pick_hit(keyboard, search,
                    [](const search::Hit&) { return std::vector<std::string>{"all of it"}; });
  }
  // What was typed is read as soon as it has arrived.
  bool type(HitSink& sink, std::string_view keys, std::size_t looked_through) {
    pty.type(keys);
    for (int i = 0; i < 100; ++i)
      if (!sink.go_on(looked_through, 100)) return false;
    return true;
  }
};

HitRow row(std::uint64_t number) {
  return {
      "session " + std::to_string(number),
      {.session = Id{number}, .entry = Id{number}, .snippet = {"row " + std::to_string(number)}}};
}

}  // namespace

TEST_CASE("a list of hits grows while it is searched, and its keys work meanwhile") {
  Desk desk;
  const HitChoice choice = desk.pick([&](HitSink& sink) {
    CHECK(sink.go_on(1, 100));
    CHECK(desk.pty.shows("searching, 1 %"));
    for (std::uint64_t number = 1; number <= 3; ++number) sink.add(row(number));
    CHECK(desk.type(sink, "jj", 20));
    CHECK(desk.pty.shows("3 of 3"));
    sink.add(row(4));
    CHECK(sink.go_on(30, 100));
    CHECK(desk.pty.shows("3 of 4 · searching, 30 %"));
    CHECK_FALSE(desk.type(sink, "\r", 31));
    return false;
  });
  CHECK(choice.what == HitChoice::What::open);
  CHECK(choice.hit.session == Id{3});
}

TEST_CASE("Esc and ^C stop a search and keep what is there, a second one leaves") {
  for (const char* key : {"\x1b", "\x03"}) {
    Desk desk;
    bool stopped = false;
    const HitChoice choice = desk.pick([&](HitSink& sink) {
      sink.add(row(1));
      sink.add(row(2));
      desk.pty.type(key);
      for (int i = 0; i < 1000 && !stopped; ++i) stopped = !sink.go_on(40, 100);
      desk.pty.type("jb");
      return false;
    });
    CHECK(stopped);
    CHECK(desk.pty.shows("stopped at 40 %"));
    CHECK(choice.what == HitChoice::What::branch);
    CHECK(choice.hit.session == Id{2});
  }
  Desk desk;
  const HitChoice left = desk.pick([&](HitSink& sink) {
    sink.add(row(1));
    desk.pty.type("\x03\x03");
    while (sink.go_on(1, 100)) {
    }
    return false;
  });
  CHECK(left.what == HitChoice::What::nothing);
}

TEST_CASE("a search that finds nothing leaves no list behind") {
  Desk desk;
  CHECK(desk.pick([&](HitSink&) { return true; }).what == HitChoice::What::nothing);
}
