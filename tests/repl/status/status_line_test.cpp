#include "repl/status/status_line.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::status;
using namespace std::chrono_literals;

namespace {

// A status line whose command says what it is told to, and a clock that stands still.
struct Desk {
  explicit Desk(bool command, std::chrono::milliseconds refresh = 0ms)
      : line({.facts = [this] { return facts; },
              .items = usual_items(),
              .look = {.live = true},
              .run = command ? StatusLine::Run(
                                   [this](const std::string& input, const std::atomic<bool>&, int) {
                                     ++runs;
                                     told = input;
                                     return says;
                                   })
                             : StatusLine::Run{},
              .refresh = refresh,
              .tell = [this](const std::string& text) { troubles.push_back(text); },
              .now = [this] { return clock; }}) {}

  // As the editor does while the prompt waits.
  bool wait() {
    for (int i = 0; i < 30'000; ++i) {
      if (!line.look_again()) return false;
      if (line.changed()) {
        line.tell();
        return true;
      }
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }
  std::string shown(std::size_t columns = 80) {
    std::string out;
    for (const RowsAbove::Row& row : line.rows(columns)) out += row.text + "\n";
    return out;
  }

  StatusFacts facts{.folder = "/srv", .model = {.provider = "p", .model = "m"}};
  StatusLine::End says{.output = "first\n"};
  std::atomic<int> runs{0};
  std::string told{};
  std::vector<std::string> troubles{};
  StatusLine::Clock::time_point clock{StatusLine::Clock::now()};
  StatusLine line;
};

}  // namespace

TEST_CASE("without a command the facts are the line, and nothing is waited for") {
  Desk desk(false);
  CHECK(desk.shown() == "/srv\n");
  CHECK_FALSE(desk.line.look_again());
  CHECK_FALSE(desk.line.changed());
  desk.facts.git = "main";
  CHECK(desk.shown() == "git main · /srv\n");
}

TEST_CASE("nothing stands above a prompt that cannot be redrawn") {
  StatusLine line({.facts = [] { return StatusFacts{.folder = "/srv"}; }, .items = usual_items()});
  CHECK(line.rows(80).empty());
  StatusLine none({.facts = [] { return StatusFacts{.folder = "/srv"}; }, .look = {.live = true}});
  CHECK(none.rows(80).empty());
}

TEST_CASE("a command's lines come when it has ended, and again when something has changed") {
  Desk desk(true);
  CHECK(desk.shown().empty());
  CHECK(desk.wait());
  CHECK(desk.shown() == "first\n");
  CHECK(desk.told.find("\"cwd\":\"/srv\"") != std::string::npos);
  CHECK_FALSE(desk.line.look_again());  // nothing to look for
  CHECK(desk.runs == 1);

  desk.says.output = "second\n";
  desk.facts.git = "main";
  CHECK(desk.shown() == "first\n");
  const auto soon = desk.line.look_again();  // not at once: it has only just run
  REQUIRE(soon);
  CHECK(desk.runs == 1);
  desk.clock += *soon;
  CHECK(desk.wait());
  CHECK(desk.shown() == "second\n");
}

TEST_CASE("a command is run again after a while if that is wanted") {
  Desk desk(true, 10s);
  desk.shown();
  CHECK(desk.wait());
  CHECK(desk.line.look_again() == 10s);
  desk.clock += 10s;
  desk.says.output = "later\n";
  CHECK(desk.wait());
  CHECK(desk.shown() == "later\n");
  CHECK(desk.runs == 2);
}

TEST_CASE("what goes wrong is told once, and the last good lines stay") {
  Desk desk(true, 1s);
  desk.shown();
  CHECK(desk.wait());
  for (const StatusLine::End& bad :
       {StatusLine::End{"", "it took too long"}, StatusLine::End{"", ""},
        StatusLine::End{"\033[2J\033[H", ""}}) {
    desk.says = bad;
    desk.clock += 1s;
    while (desk.line.look_again() == 50ms)
      if (desk.line.changed()) desk.line.tell();
    CHECK(desk.shown() == "first\n");
  }
  CHECK(desk.troubles == std::vector<std::string>{"it took too long"});
}

TEST_CASE("a command that still runs is ended with the line") {
  std::atomic<bool> ended{false};
  {
    StatusLine line({.facts = [] { return StatusFacts{}; },
                     .look = {.live = true},
                     .run =
                         [&](const std::string&, const std::atomic<bool>& stop, int) {
                           while (!stop) std::this_thread::sleep_for(1ms);
                           ended = true;
                           return StatusLine::End{};
                         }});
    line.rows(80);
    CHECK(line.look_again());
  }
  CHECK(ended);
}
