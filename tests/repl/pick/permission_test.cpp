#include "repl/pick/permission.h"

#include <doctest/doctest.h>

#include "repl/layout/width.h"
#include "tests/support/environment.h"
#include "tests/support/typist.h"

using namespace skein;
using namespace skein::pick;
using namespace skein::test;

namespace {

using Kind = model::Question::Kind;

model::Question command_question(std::string command) {
  return {.text = "Run this command?",
          .detail = command,
          .remember = "bash(make check)",
          .amendable = model::Question::Amendable{command, "bash.sh"},
          .kind = Kind::command,
          .request = "run this command",
          .scope = "every `make check`",
          .about = command,
          .note = "sandboxed"};
}

model::Question edit_question(std::size_t lines) {
  std::string diff = "--- a/src/lexer.cpp\n+++ b/src/lexer.cpp\n@@ -41,3 +41,4 @@\n int before;\n";
  for (std::size_t i = 0; i < lines; ++i) diff += "+int column_" + std::to_string(i) + " = 1;\n";
  diff += "-\tint column = 0;\n return column; // and a comment that is much too long for a line\n";
  return {.text = "Change src/lexer.cpp?",
          .detail = diff,
          .remember = "edit(src/**)",
          .kind = Kind::diff,
          .request = "change src/lexer.cpp",
          .scope = "all edits in src/",
          .about = "src/lexer.cpp"};
}

std::string text_of(const QuestionRows& drawn) {
  std::string out;
  for (const std::string& row : drawn.rows) out += layout::without_styles(row) + "\n";
  return out;
}

constexpr layout::TerminalStyle coloured{.live = true, .colour = true};

}  // namespace

TEST_CASE("a question is answered by one key, and Enter alone is no") {
  struct {
    std::string_view keys;
    model::Answer::Choice choice;
    std::string reason;
  } const cases[] = {
      {"y", model::Answer::Choice::yes, ""},
      {"s", model::Answer::Choice::always, ""},
      {"a", model::Answer::Choice::here, ""},
      {"\r", model::Answer::Choice::no, ""},
      {"\x1b", model::Answer::Choice::no, ""},
      {"nnot here\r", model::Answer::Choice::no, ""},
      {"wnot here\r", model::Answer::Choice::no, "not here"},
      {"w\r", model::Answer::Choice::no, ""},
      {"w\x1b", model::Answer::Choice::no, ""},
      {"x \ty", model::Answer::Choice::yes, ""},
      {"1", model::Answer::Choice::yes, ""},
      {"2", model::Answer::Choice::always, ""},
      {"3", model::Answer::Choice::here, ""},
      {"54", model::Answer::Choice::no, ""},
      {"\x1b[B\r", model::Answer::Choice::yes, ""},
      {"\x1b[B\x1b[B\r", model::Answer::Choice::always, ""},
      {"\x1b[A\r", model::Answer::Choice::here, ""},
      {"\x03", model::Answer::Choice::no, ""},
      {"\x1b[200~y\x1b[201~\r", model::Answer::Choice::no, ""},
  };
  for (const auto& each : cases) {
    Typist typist(each.keys);
    screen::Screen screen(screen::screen_parts(typist.pty.slave(), "auto", false));
    std::atomic<bool> stop{false};
    const model::Answer answer =
        ask_permission(typist.keyboard, screen, {"Allow?", "", "bash(git status)"}, stop);
    CAPTURE(std::string(each.keys));
    CHECK(answer.choice == each.choice);
    CHECK(answer.text == each.reason);
    CHECK(stop == (each.keys == "\x03"));
  }
}

TEST_CASE("a question has a bar, its detail and one line for each answer") {
  const std::string shown = text_of(question_rows(
      command_question("touch src/new.txt && make check"), 4, {80, 24}, true, coloured));
  CHECK(shown ==
        "\n"
        "▌ Run this command?\n"
        "▌\n"
        "▌   touch src/new.txt && make check\n"
        "▌   sandboxed\n"
        "▌\n"
        "▌   y  yes, this once\n"
        "▌   s  yes, every `make check` for this session\n"
        "▌   a  always in this project: bash(make check)\n"
        "▌   e  edit it first\n"
        "▌ › n  no (w: no, and say why)\n");
}

TEST_CASE("a diff in a question has line numbers, signs and counts") {
  const std::string shown = text_of(question_rows(edit_question(1), 0, {80, 24}, true, coloured));
  for (const char* row :
       {"▌ Change src/lexer.cpp?  +1 −1\n", "▌   41   int before;\n",
        "▌   42 + int column_0 = 1;\n", "▌   42 -     int column = 0;\n", "▌ › y  yes, this once\n",
        "  s  yes, all edits in src/ for this session\n",
        "  a  always in this project: edit(src/**)\n"})
    CHECK(shown.find(row) != std::string::npos);
  CHECK(shown.find("@@") == std::string::npos);
}

TEST_CASE("a question is never wider or taller than the window") {
  std::vector<model::Question> all{command_question("make"), edit_question(2), edit_question(80),
                                   command_question(std::string(500, 'x') + " 漢字漢字漢字")};
  all.push_back(all[0]);
  all.back().text = "agent a-reviewer-with-a-long-name wants to run this command?";
  for (const model::Question& question : all)
    for (const std::size_t columns : {10u, 20u, 40u, 80u, 200u})
      for (const std::size_t rows : {2u, 6u, 12u, 24u, 60u})
        for (const bool with_detail : {true, false})
          for (std::size_t chosen = 0; chosen < offers_of(question, true).size(); ++chosen) {
            const QuestionRows drawn =
                question_rows(question, chosen, {columns, rows}, with_detail, coloured);
            CAPTURE(columns);
            CAPTURE(rows);
            CHECK(drawn.rows.size() < rows);
            REQUIRE(drawn.chosen < drawn.rows.size());
            CHECK(drawn.rows[drawn.chosen].find("›") != std::string::npos);
            for (const std::string& row : drawn.rows)
              CHECK(layout::display_width(layout::without_styles(row)) < columns);
          }
}

TEST_CASE("at 40 columns the answers still say what they allow") {
  const std::string shown = text_of(question_rows(edit_question(1), 0, {40, 24}, true, coloured));
  CHECK(shown.find("s  session: all edits in src/\n") != std::string::npos);
  CHECK(shown.find("a  always: edit(src/**)\n") != std::string::npos);
  CHECK(shown.find("↪ ") != std::string::npos);
  const std::string low = text_of(question_rows(edit_question(1), 0, {40, 12}, true, coloured));
  CHECK(low.find("42 + int column_0 = 1;\n") != std::string::npos);
}

TEST_CASE("Where long answers do not fit, each has one line, and they are above in full") {
  model::Question question = command_question("make check");
  question.remember = question.scope = std::string(40, 'a') + " " + std::string(120, 'b');
  const QuestionRows drawn = question_rows(question, 4, {40, 12}, true, coloured);
  CHECK(drawn.cut_offers);
  const std::string shown = text_of(drawn);
  CHECK(shown.find("y  yes, this once\n") != std::string::npos);
  CHECK(shown.find("s  session: aaaa") != std::string::npos);
  CHECK(shown.find("n  no") != std::string::npos);
  CHECK(!question_rows(question, 4, {40, 40}, true, coloured).cut_offers);
}

TEST_CASE("of a long diff the first lines are shown and v shows all, of a command all is shown") {
  CHECK(text_of(question_rows(edit_question(80), 0, {80, 24}, true, coloured))
            .find("(v shows all)") != std::string::npos);
  for (const bool diff : {true, false}) {
    std::string lines;
    for (int i = 0; i < 80; ++i) lines += "echo " + std::to_string(i) + "\n";
    Typist typist(diff ? "vy" : "y");
    screen::Screen screen(screen::screen_parts(typist.pty.slave(), "auto", false));
    std::atomic<bool> stop{false};
    ask_permission(typist.keyboard, screen, diff ? edit_question(80) : command_question(lines),
                   stop);
    typist.terminal.write("END");
    REQUIRE(typist.pty.shows("END"));
    const std::string all =
        layout::without_styles(typist.pty.shown([](const std::string&) { return true; }));
    CHECK(all.find(diff ? "column_79" : "79") != std::string::npos);
  }
}

TEST_CASE("what was decided replaces the question") {
  for (const auto& [keys, line] : std::vector<std::pair<std::string, std::string>>{
           {"y", "✓ allowed once: make"},
           {"s", "✓ allowed for this session: every `make check`"},
           {"a", "✓ always allowed in this project: bash(make check)"},
           {"n", "✗ not allowed: make"},
           {"wnot now\r", "✗ not allowed: make (not now)"}}) {
    Typist typist(keys);
    screen::Screen screen(screen::screen_parts(typist.pty.slave(), "auto", false));
    std::atomic<bool> stop{false};
    ask_permission(typist.keyboard, screen, command_question("make"), stop);
    typist.terminal.write("END");
    REQUIRE(typist.pty.shows("END"));
    const std::string all = typist.pty.shown([](const std::string&) { return true; });
    const std::size_t erased = all.rfind("\x1b[J");
    REQUIRE(erased != std::string::npos);
    CAPTURE(keys);
    CHECK(layout::without_styles(all.substr(erased)).find(line + "\r\nEND") != std::string::npos);
  }
}

TEST_CASE("a question cannot drive the terminal") {
  model::Question question = command_question("x\x1b]0;title\x07\x1b[2Jy\r\n");
  question.text = question.remember = question.scope = question.note = question.detail;
  for (const Kind kind : {Kind::text, Kind::command, Kind::diff}) {
    question.kind = kind;
    const QuestionRows drawn = question_rows(question, 0, {80, 24}, true, {.live = true});
    for (const std::string& row : drawn.rows)
      for (const char c : row) CHECK(static_cast<unsigned char>(c) >= 0x20);
  }
}

TEST_CASE("a line answers a permission question where there are no keys") {
  using Choice = model::Answer::Choice;
  const model::Question question = command_question("make");
  struct {
    const char* line;
    Choice choice;
    std::string reason;
  } const cases[] = {{"y", Choice::yes, ""},      {"yes", Choice::yes, ""},
                     {"1", Choice::yes, ""},      {"s", Choice::always, ""},
                     {"2", Choice::always, ""},   {"always", Choice::here, ""},
                     {"3", Choice::here, ""},     {"4", Choice::no, ""},
                     {"", Choice::no, ""},        {"n not now", Choice::no, "not now"},
                     {"e", Choice::no, "e"},      {"use ninja", Choice::no, "use ninja"},
                     {"w why", Choice::no, "why"}};
  for (const auto& each : cases) {
    CAPTURE(each.line);
    CHECK(permission_in(question, each.line).choice == each.choice);
    CHECK(permission_in(question, each.line).text == each.reason);
  }
  CHECK(permission_in({.text = "Allow?"}, "s").choice == Choice::no);
}

TEST_CASE("always is not taken where it is not offered") {
  Typist typist("a\r");
  screen::Screen screen(screen::screen_parts(typist.pty.slave(), "auto", false));
  std::atomic<bool> stop{false};
  CHECK(ask_permission(typist.keyboard, screen, {"Allow?", "", ""}, stop).choice ==
        model::Answer::Choice::no);
}

TEST_CASE("what is asked about can be edited first, and what did not change is asked again") {
  struct {
    const char* editor;
    std::string_view text, keys;
    model::Answer::Choice choice;
    std::string_view changed;
  } const cases[] = {
      {"printf 'make test\\n' >", "make", "e", model::Answer::Choice::amend, "make test"},
      {"printf 'one\\ntwo\\n' >", "one\n", "e", model::Answer::Choice::amend, "one\ntwo\n"},
      {": >", "make", "e", model::Answer::Choice::amend, ""},
      {"true", "make", "ey", model::Answer::Choice::yes, ""},
      {"false", "make", "en", model::Answer::Choice::no, ""},
  };
  for (const auto& each : cases) {
    CAPTURE(each.editor);
    const Environment visual("VISUAL", each.editor);
    Typist typist(each.keys);
    screen::Screen screen(screen::screen_parts(typist.pty.slave(), "auto", false));
    std::atomic<bool> stop{false};
    const model::Answer answer = ask_permission(
        typist.keyboard, screen,
        {.text = "Allow?", .amendable = model::Question::Amendable{std::string(each.text), "a.sh"}},
        stop);
    CHECK(answer.choice == each.choice);
    CHECK(answer.text == each.changed);
  }
}
