// /edit at a terminal, and a terminal that tells when its window comes to the front and how light
// its background is.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/typed_run.h"

using namespace skein::test;

namespace {

constexpr const char* answers = R"(["answer one", "answer two", "answer three", "answer four"])";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// As the editor draws a line that it is given, behind the prompt.
std::string in_line(const std::string& text) { return "\x1b[3G" + text; }

}  // namespace

TEST_CASE("/edit opens an earlier message in the line, and Enter sends it as a branch") {
  TypedRun run;
  run.start({"-m", run.scripted(answers)});
  run.type({{"first\nof two lines\r", {"answer one"}},
            {"second\r", {"answer two"}},
            {"/edit 2\r", {"edit › ", "of two lines"}},
            {" changed\r", {"answer three"}},
            {"/tree\r", {"answer two", "you are here"}},
            {"q"},
            {"/history all\r", {"of two lines changed", "answer three"}}});
  run.leave();
}

TEST_CASE("Esc leaves the message that is edited as it was") {
  TypedRun run;
  run.start({"-m", run.scripted(answers)});
  run.type({{"/edit\r", {"nothing has been said yet"}},
            {"first\r", {"answer one"}},
            {"/edit\r", {"edit › "}},
            {" and more", {"and more"}},
            {"\x1b", {"nothing was changed"}},
            {"/edit 7\r", {"you have sent only 1 message here"}},
            {"/history\r", {"answer one"}},
            {"next\r", {"answer two"}}});
  run.leave();
}

TEST_CASE("reports of focus are no text, and are switched off in the end") {
  TypedRun run;
  run.start({"-m", run.scripted(answers)});
  CHECK(run.pty.shows("\x1b[?1004h"));
  run.type({{"a\x1b[Ib\x1b[Oc", {"abc"}}, {"\r", {"answer one"}}});
  run.leave();
  CHECK(run.pty.shows("\x1b[?1004l"));
}

TEST_CASE("a question notifies a user who looks elsewhere, with the user's own program too") {
  TypedRun run;
  const TempDir& dir = run.dir;
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
  run.start({"-m", run.scripted(script)});
  run.pty.type("\x1b[O");
  run.type({{"make it\r", {"yes, this once"}}});
  if (text_of(dir.path() / "config/skein/config.toml").find("osc9") != std::string::npos) {
    CHECK(run.pty.shows("\x1b]9;skein: make it: asks: "));
  } else {
    for (int i = 0; i < 3000 && text_of(told).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(text_of(told).find(R"("event":"question","title":"make it","text":"asks: )") !=
          std::string::npos);
    CHECK_FALSE(run.has_shown("\x1b]9;"));
  }
  run.type({{"y", {"done"}}});
  run.leave("/quit\r");  // files may still be saved: a line waits for that, Ctrl+D does not
}

TEST_CASE("a message that failed comes back into the line, and is sent once") {
  TypedRun run;
  run.start({"-m", run.scripted(R"([[{"error": "the key is wrong"}], "answer one"])")});
  run.type({{"hello", {"hello"}},
            {"\r", {"the key is wrong", in_line("hello")}},
            {" again\r", {"answer one"}},
            {"/history all\r", {"hello again", "answer one"}}});
  run.leave();
}

TEST_CASE("/undo and /retry pass over the output of the user's own commands") {
  TypedRun run;
  run.start({"-m", run.scripted(answers)});
  run.type({{"my question\r", {"answer one"}},
            {"!echo wal''rus\r", {"walrus"}},
            {"/retry\r", {"again: my question", "answer two"}},
            {"!echo sea''lion\r", {"sealion"}},
            {"/undo\r", {"went back to before: my question", in_line("my question")}},
            {", once more\r", {"answer three"}}});
  run.leave();
}

TEST_CASE("a program with a screen gets the terminal, and nothing of it reaches the model") {
  TypedRun run;
  const auto program = [&](const char* name, const char* text) {
    const std::filesystem::path file = run.dir.path() / name;
    std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  };
  const std::string less = program("less", "[ -t 0 ] && [ -t 1 ] && echo draws'-'here");
  const std::string other = program("other", "printf '\\033[?1049hdra''wn\\n'");
  run.start({"-m", run.scripted(answers)});
  run.type({{"!" + less + "\r", {"draws-here"}},
            {"!" + other + "\r", {"drawn"}},
            {"!" + less + " | cat; exit 3\r", {"exit status 3"}}});
  run.type({{"/history all\r", {"not recorded", "not recorded"}}});
  CHECK_FALSE(run.has_shown("draws-here"));
  CHECK_FALSE(run.has_shown("drawn\r"));
  run.leave();
}

TEST_CASE("/undo N goes back N messages") {
  TypedRun run;
  run.start({"-m", run.scripted(answers)});
  run.type({{"question one\r", {"answer one"}},
            {"question two\r", {"answer two"}},
            {"question three\r", {"answer three"}},
            {"/undo 4\r", {"you have sent only 3 messages here"}},
            {"/undo x\r", {"/undo takes a number"}},
            {"/undo 2\r", {"went back to before: question two", in_line("question two")}}});
  run.leave("\x15/quit\r");
}

TEST_CASE("a light background that the terminal reports gets the light theme") {
  TypedRun run;
  run.start({"-m", run.scripted(answers)});
  CHECK(run.has_shown("\x1b]11;?\x07"));
  CHECK(run.has_shown("\x1b[1;36m"));
  run.type({{"a\x1b]11;rgb:ffff/ffff/ffff\x07"
             "bc",
             {"abc", "\x1b[1;34m"}},
            {"\r", {"answer one"}}});
  CHECK_FALSE(run.has_shown("rgb:"));
  run.leave();
}

TEST_CASE("the background is not asked for without colours, and not where the theme is chosen") {
  TypedRun plain;
  plain.start({"-m", plain.scripted(answers), "--color", "never"});
  CHECK_FALSE(plain.has_shown("\x1b]11;"));
  plain.leave();
  TypedRun chosen;
  std::filesystem::create_directories(chosen.folder + "/config/skein");
  std::ofstream(chosen.folder + "/config/skein/config.toml") << "theme = \"light\"\n";
  chosen.start({"-m", chosen.scripted(answers)});
  CHECK_FALSE(chosen.has_shown("\x1b]11;"));
  CHECK(chosen.has_shown("\x1b[1;34m"));
  chosen.leave();
}
