// /edit at a terminal, and a terminal that tells when its window comes to the front.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/pty.h"
#include "tests/support/temp_dir.h"

using namespace skein::test;

namespace {

std::string model_that_says(const TempDir& dir, std::string_view script) {
  const std::string file = (dir.path() / "script.json").string();
  std::ofstream(file) << script;
  return "scripted/" + file;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// As the editor draws a line that it is given, behind the prompt.
std::string in_line(const std::string& text) { return "\x1b[3G" + text; }

}  // namespace

TEST_CASE("/edit opens an earlier message in the line, and Enter sends it as a branch") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(
      dir.path().string(),
      {"-m", model_that_says(dir, R"(["answer one", "answer two", "answer three"])")});
  REQUIRE(pty.shows("› "));
  pty.type("first\nof two lines\r");
  REQUIRE(pty.shows("answer one"));
  pty.type("second\r");
  REQUIRE(pty.shows("answer two"));
  pty.forget();
  pty.type("/edit 2\r");
  REQUIRE(pty.shows("edit › "));
  REQUIRE(pty.shows("of two lines"));
  pty.type(" changed\r");
  REQUIRE(pty.shows("answer three"));
  pty.forget();
  pty.type("/branches\r");
  CHECK(pty.shows("answer two"));
  CHECK(pty.shows("* "));
  pty.forget();
  pty.type("/history all\r");
  REQUIRE(pty.shows("of two lines changed"));
  REQUIRE(pty.shows("answer three"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("Esc leaves the message that is edited as it was") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(
      dir.path().string(), {"-m", model_that_says(dir, R"(["answer one", "answer two"])")});
  REQUIRE(pty.shows("› "));
  pty.type("/edit\r");
  REQUIRE(pty.shows("nothing has been said yet"));
  pty.type("first\r");
  REQUIRE(pty.shows("answer one"));
  pty.forget();
  pty.type("/edit\r");
  REQUIRE(pty.shows("edit › "));
  pty.type(" and more");
  REQUIRE(pty.shows("and more"));
  pty.type("\x1b");
  REQUIRE(pty.shows("nothing was changed"));
  pty.forget();
  pty.type("/edit 7\r");
  REQUIRE(pty.shows("there is only 1 message of yours here"));
  pty.forget();
  pty.type("/branches\r");
  REQUIRE(pty.shows("answer one"));
  pty.type("next\r");
  REQUIRE(pty.shows("answer two"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("reports of focus are no text, and are switched off in the end") {
  TempDir dir;
  Pty pty;
  const pid_t skein =
      pty.start_skein(dir.path().string(), {"-m", model_that_says(dir, R"(["answer one"])")});
  REQUIRE(pty.shows("\x1b[?1004h"));
  REQUIRE(pty.shows("› "));
  pty.type("a\x1b[Ib\x1b[Oc");
  REQUIRE(pty.shows("abc"));
  pty.type("\r");
  REQUIRE(pty.shows("answer one"));
  pty.forget();
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
  CHECK(pty.shows("\x1b[?1004l"));
}

TEST_CASE("a question calls whoever looks elsewhere, with the user's own program too") {
  TempDir dir;
  const std::string script =
      R"([[{"call": {"id": "c", "name": "bash", "input": {"command": "touch made"}}}], "done"])";
  const auto told = dir.path() / "told";
  std::filesystem::create_directories(dir.path() / "config/skein");
  SUBCASE("in a form that the user chose") {
    std::ofstream(dir.path() / "config/skein/config.toml") << "notify = \"osc9\"\n";
  }
  SUBCASE("with a program") {
    std::ofstream(dir.path() / "config/skein/config.toml")
        << "notify-command = \"tee '" << told.string() << "'\"\n";
  }
  Pty pty;
  const pid_t skein = pty.start_skein(dir.path().string(), {"-m", model_that_says(dir, script)});
  REQUIRE(pty.shows("› "));
  pty.type("\x1b[O");
  pty.type("make it\r");
  REQUIRE(pty.shows("[y]es"));
  if (text_of(dir.path() / "config/skein/config.toml").find("osc9") != std::string::npos) {
    CHECK(pty.shows("\x1b]9;skein: make it: asks: "));
  } else {
    for (int i = 0; i < 200 && text_of(told).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(text_of(told).find(R"("event":"question","title":"make it","text":"asks: )") !=
          std::string::npos);
    CHECK(pty.shown([](const std::string&) { return true; }).find("\x1b]9;") == std::string::npos);
  }
  pty.type("y");
  REQUIRE(pty.shows("done"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("a message that failed comes back into the line, and is sent once") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(
      dir.path().string(),
      {"-m", model_that_says(dir, R"([[{"error": "the key is wrong"}], "answer one"])")});
  REQUIRE(pty.shows("› "));
  pty.type("hello");
  REQUIRE(pty.shows("hello"));
  pty.forget();
  pty.type("\r");
  REQUIRE(pty.shows("the key is wrong"));
  REQUIRE(pty.shows(in_line("hello")));
  pty.forget();
  pty.type(" again\r");
  REQUIRE(pty.shows("answer one"));
  pty.forget();
  pty.type("/history all\r");
  REQUIRE(pty.shows("hello again"));
  REQUIRE(pty.shows("answer one"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("/undo and /retry pass over the output of the user's own commands") {
  TempDir dir;
  Pty pty;
  const pid_t skein = pty.start_skein(
      dir.path().string(),
      {"-m", model_that_says(dir, R"(["answer one", "answer two", "answer three"])")});
  REQUIRE(pty.shows("› "));
  pty.type("my question\r");
  REQUIRE(pty.shows("answer one"));
  pty.type("!echo wal''rus\r");
  REQUIRE(pty.shows("walrus"));
  pty.forget();
  pty.type("/retry\r");
  REQUIRE(pty.shows("again: my question"));
  REQUIRE(pty.shows("answer two"));
  pty.type("!echo sea''lion\r");
  REQUIRE(pty.shows("sealion"));
  pty.forget();
  pty.type("/undo\r");
  REQUIRE(pty.shows("went back to before: my question"));
  REQUIRE(pty.shows(in_line("my question")));
  pty.forget();
  pty.type(", once more\r");
  REQUIRE(pty.shows("answer three"));
  pty.type("\x04");
  CHECK(pty.status_of(skein) == 0);
}

TEST_CASE("/undo N goes back N messages") {
  TempDir dir;
  Pty pty;
  const pid_t skein =
      pty.start_skein(dir.path().string(),
                      {"-m", model_that_says(dir, R"(["answer one", "answer two", "answer three",
                                                          "answer four"])")});
  REQUIRE(pty.shows("› "));
  for (const char* number : {"one", "two", "three"}) {
    pty.type("question " + std::string(number) + "\r");
    REQUIRE(pty.shows("answer " + std::string(number)));
  }
  pty.type("/undo 4\r");
  REQUIRE(pty.shows("there are only 3 messages of yours here"));
  pty.type("/undo x\r");
  REQUIRE(pty.shows("/undo takes a number"));
  pty.type("/undo 2\r");
  REQUIRE(pty.shows("went back to before: question two"));
  REQUIRE(pty.shows(in_line("question two")));
  pty.type("\x15/quit\r");
  CHECK(pty.status_of(skein) == 0);
}
