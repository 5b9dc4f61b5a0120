#include "repl/screen/screen.h"

#include <doctest/doctest.h>

#include "core/model/entry.h"
#include "tests/support/markdown_samples.h"
#include "tests/support/recorded_screen.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::screen;
using namespace skein::test;

namespace {

model::Message answer(std::string text) {
  model::Message message{.role = model::Role::assistant};
  message.content = {model::Text{std::move(text)}};
  message.provider = "p";
  message.model = "m";
  message.stop = model::Stop::stop;
  message.duration_ms = 2100;
  return message;
}

}  // namespace

TEST_CASE("a turn in a pipe is its words, without escapes and without anything that moves") {
  RecordedScreen screen(piped);
  screen->show(committed(model::user_message("hi")));
  screen->show(thinking_event("First.\nSecond."));
  screen->tick();
  screen->show(text_event("Hello **wor"));
  screen->show(text_event("ld**"));
  screen->show(committed(answer("Hello **world**")));
  screen->end_turn(model::Stop::stop, "");
  CHECK(screen.bytes() == "thinking: First.  … 2 lines\nHello **world**\nm · 2.1 s\n");
}

TEST_CASE("what happened looks the same when it is replayed, byte for byte") {
  for (const layout::TerminalStyle& look : {piped, at_terminal, no_colour}) {
    Stage stage(R"([[{"think": "Hm.\nYes."}, {"say": "Let me **look**:\n\n- one\n- two"},
                     {"call": {"id": "c1", "name": "look", "input": {"a": 1}}},
                     {"call": {"id": "c2", "name": "poke"}}],
                    "Done, see `x`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"])");
    stage.answer = model::Answer{model::Answer::Choice::yes};
    RecordedScreen live(look, 60, &stage.tools), again(look, 60, &stage.tools);
    stage.listener = [&](const model::Event& event) { live->show(event); };
    agent::Conversation conversation = stage.conversation();
    live->print(look.colour ? "\033[1;36m› \033[m\033[1mdo it\033[m\n"
                            : "› do it\n");  // as the editor leaves it
    const agent::TurnEnd end = stage.turn(conversation, "do it");
    live->end_turn(end.stop, end.error);

    for (const model::Entry& entry : stage.stored(conversation))
      if (entry.type == model::type::message) again->replay(entry);
    again->flush();
    CHECK(again.bytes() == live.bytes());
    CHECK(live.bytes().find("look") != std::string::npos);
  }
}

TEST_CASE("a turn that went wrong says so in a replay too") {
  model::Message cut = answer("part");
  cut.stop = model::Stop::interrupted;
  RecordedScreen screen(piped);
  screen->replay(model::message_entry(model::user_message("two\nlines")));
  screen->replay(model::message_entry(cut));
  CHECK(screen.bytes() ==
        "› two\n  lines\npart\nthe answer was cut short; /continue resumes\nm · 2.1 s\n");
}

TEST_CASE("an answer that is cut, refused or empty is told, live and in a replay") {
  struct Ending {
    model::Stop stop;
    const char *text, *told;
  };
  for (const Ending& ending :
       {Ending{model::Stop::length, "half",
               "half\nthe answer is not complete: the model reached its output limit; /continue "
               "resumes\n"},
        Ending{model::Stop::refusal, "I can",
               "I can\nthe answer was refused or filtered; /continue resumes\n"},
        Ending{model::Stop::stop, "", "the model sent an empty answer; /continue resumes\n"}}) {
    model::Message reply = answer(ending.text);
    reply.stop = ending.stop;
    RecordedScreen again(piped), live(piped);
    again->replay(model::message_entry(model::user_message("q")));
    again->replay(model::message_entry(reply));
    CHECK(again.bytes() == "› q\n" + std::string(ending.told) + "m · 2.1 s\n");
    live->show(committed(model::user_message("q")));
    live->show(committed(reply));
    live->end_turn(reply.stop, "", *ending.text == '\0');
    CHECK(live.bytes() == std::string(ending.told) + "m · 2.1 s\n");
  }
}

TEST_CASE("that the model was asked to go on is no prompt of the user's") {
  model::Message request = model::user_message("Go on.");
  request.continuation = true;
  RecordedScreen screen(piped);
  screen->replay(model::message_entry(request));
  CHECK(screen.bytes() == "(asked to continue)\n");
}

TEST_CASE("the live line stays under the text and leaves nothing behind") {
  RecordedScreen screen(at_terminal, 40);
  screen->show(committed(model::user_message("hi")));
  screen->tick();
  CHECK(seen(screen.bytes(), 40) == "⠙ waiting for the mod…  0 s · Esc stops\n");
  screen.now += 2500;
  screen->show(text_event("Some words that flow over the edge of the "));
  CHECK(seen(screen.bytes(), 40) == "\nSome words that flow over the edge of\nthe\n");
  screen.now += 100;
  screen->set_input({.region = {.rows = {{"› next", layout::style::plain, {}}}, .caret = {{0, 6}}},
                     .used = true});
  screen.now += 100;
  screen->tick();
  CHECK(seen(screen.bytes(), 40) ==
        "\nSome words that flow over the edge of\nthe\n⠹ writing  2 s · Esc or Ctrl+C stops\n› "
        "next\n");
  screen.now += 100;
  screen->show(text_event("and then more\n"));
  CHECK(
      seen(screen.bytes(), 40) ==
      "\nSome words that flow over the edge of\nthe and then more\n⠹ writing  2 s · Esc or Ctrl+C "
      "stops\n› next\n");
  screen.now += 100;
  screen->end_turn(model::Stop::stop, "");
  CHECK(seen(screen.bytes(), 40) == "\nSome words that flow over the edge of\nthe and then more\n");
}

TEST_CASE("a window made smaller leaves nothing of the live line") {
  RecordedScreen screen(at_terminal, 60);
  screen->show(
      model::ToolStarted{{.id = "1", .name = "bash"}, "bash make all the things that there are"});
  screen->tick();
  const std::string before = seen(screen.bytes(), 60);
  CHECK(before.find("bash make all the things that there are") != std::string::npos);
  // The terminal folds what it has; then we write again.
  screen.writes.clear();
  screen.width = 30;
  screen.now += 1000;
  screen->end_turn(model::Stop::error, "the server hung up in the middle of it");
  CHECK(seen(before.substr(0, before.size() - 1) + screen.bytes(), 30) ==
        "error: the server hung up in\nthe middle of it\n");
}

TEST_CASE(
    "what is typed below a turn keeps its cursor, and leaves nothing when the window shrinks") {
  RecordedScreen screen(at_terminal, 60);
  screen->show(committed(model::user_message("hi")));
  screen->set_input(
      {.region = {.rows = {{"  1 queued · a line that waits for the end of it", {}, {}},
                           {"› and another that is being typed now", {}, {}}},
                  .caret = {{1, 5}}},
       .used = true});
  screen->tick();
  const std::string before = seen(screen.bytes(), 60);
  CHECK(before ==
        "⠋ waiting for the model  0 s · Esc or Ctrl+C stops\n"
        "  1 queued · a line that waits for the end of it\n"
        "› and another that is being typed now\n");
  CHECK(screen.bytes().ends_with("\r\033[5C"));
  // The terminal folds each row; the cursor stays in the first part of the last one.
  screen.writes.clear();
  screen.width = 30;
  screen.now += 1000;
  screen->end_turn(model::Stop::stop, "");
  const std::string folded = before.substr(0, before.size() - 1) + "\033[1A\r\033[5C";
  CHECK(seen(folded + screen.bytes(), 30) == "");
}

TEST_CASE("a word in the middle of a turn is shown where it is heard, and the turn goes on") {
  RecordedScreen screen(piped);
  screen->show(committed(model::user_message("go")));
  model::Entry word = model::message_entry(model::user_message("not that one"));
  word.meta = R"({"steered":true})";
  screen->show(model::Committed{word});
  CHECK(screen.bytes() == "› not that one\n");
}

TEST_CASE("a running tool shows its last lines, then one line and the end of its output") {
  std::string output;
  for (int i = 1; i <= 20; ++i) output += "line " + std::to_string(i) + "\n";
  model::Message result{.role = model::Role::tool};
  result.content = {model::ToolResult{"1", {model::Text{output}}}};
  result.duration_ms = 1500;
  const model::Tools tools = {shown_tool("bash", model::Effect::runs)};

  RecordedScreen screen(at_terminal, 60, &tools);
  screen->show(model::ToolStarted{{.id = "1", .name = "bash", .input = "count"}, "bash count"});
  screen->show(model::ToolOutput{"1", "line 1\nline 2\n"});
  screen.now += 100;
  screen->tick();
  CHECK(seen(screen.bytes(), 60) ==
        "⠙ bash count  0 s · Esc or Ctrl+C stops\n  │ line 1\n  │ line 2\n");
  screen->show(model::ToolEnded{"1", false, 1500});
  screen->show(committed(result));
  screen->end_turn(model::Stop::stop, "");
  const std::string shown = seen(screen.bytes(), 60);
  CHECK(shown ==
        "● bash count  20 lines · 1.5 s\n  … 14 more lines (Ctrl+O shows all)\n  line 15\n"
        "  line 16\n  line 17\n  line 18\n  line 19\n  line 20\n");
  screen->expand_last();
  CHECK(seen(screen.bytes(), 60) == shown + "▾ bash count\n" + output);
}

TEST_CASE("a diff is coloured, and not shown twice when it was asked about") {
  const model::Tools tools = {shown_tool("edit", model::Effect::writes, [](const JsonText&) {
    return "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n+new\n";
  })};
  model::Message result{.role = model::Role::tool};
  result.content = {model::ToolResult{"1", {model::Text{"changed f at line 1"}}}};
  RecordedScreen screen(at_terminal, 60, &tools);
  screen->show(model::ToolStarted{{.id = "1", .name = "edit", .input = "f"}, "edit f"});
  screen->show(committed(result));
  screen->flush();
  CHECK(screen.bytes() ==
        "\033[32m● \033[medit f  \033[2m+1 −1\033[m\n"
        "  \033[31m-old\033[m\n  \033[32m+new\033[m\n");

  RecordedScreen asked(at_terminal, 60, &tools);
  asked->show(model::ToolStarted{{.id = "1", .name = "edit", .input = "f"}, "edit f"});
  asked->show(model::Question{"Allow edit f?", "-old\n+new", ""});
  asked->show(committed(result));
  asked->flush();
  CHECK(layout::without_styles(asked.bytes()) == "-old\n+new\nAllow edit f?\n● edit f  +1 −1\n");
}

TEST_CASE("an edit shows whole lines with their numbers, as its result has them") {
  const model::Tools tools = {shown_tool("edit", model::Effect::writes, [](const JsonText&) {
    return "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-b\n+c\n";
  })};
  model::Message result{.role = model::Role::tool};
  result.content = {model::ToolResult{"1", {model::Text{"changed f at line 8"}}}};
  model::Entry entry = model::message_entry(result);
  entry.meta = model::diff_meta("--- a/f\n+++ b/f\n@@ -8,2 +8,2 @@\n-a + b\n+a + c\n d\n");
  RecordedScreen screen(no_colour, 60, &tools);
  screen->show(model::ToolStarted{{.id = "1", .name = "edit", .input = "f"}, "edit f"});
  screen->show(model::Committed{entry});
  screen->flush();
  const std::string shown = "● edit f  +1 −1\n   8 - a + b\n   8 + a + c\n   9   d\n";
  CHECK(screen.bytes() == shown);
  CHECK(model::diff_meta(std::string(30'000, 'x')).empty());
}

TEST_CASE("at a terminal one blank line is between the text of an answer and its tool lines") {
  const auto shown_at = [](const layout::TerminalStyle& look) {
    const auto result = [](const char* id) {
      model::Message out{.role = model::Role::tool};
      out.content = {model::ToolResult{id, {model::Text{"fine"}}}};
      return committed(out);
    };
    RecordedScreen screen(look, 60);
    screen->begin_turn();
    screen->show(thinking_event("Hm."));
    screen->show(text_event("\n\nI look.\n\n"));
    for (const char* id : {"1", "2"}) {
      screen->show(text_event("\n"));
      screen->show(model::ToolStarted{{.id = id, .name = "look", .input = "{}"}, "look {}"});
      screen->show(result(id));
    }
    screen->show(text_event("\nDone.\n\n"));
    screen->note("a note");
    screen->show(text_event("Really."));
    screen->end_turn(model::Stop::stop, "");
    return look.live ? seen(screen.bytes(), 60) : screen.bytes();
  };
  const std::string tools = "● look {}  1 line\n  fine\n● look {}  1 line\n  fine\n";
  CHECK(shown_at(at_terminal) ==
        "\n∴ Hm.\n\nI look.\n\n" + tools + "\nDone.\n\na note\n\nReally.\n");
  CHECK(shown_at(piped) == "thinking: Hm.\nI look.\n" + tools + "Done.\na note\n\nReally.\n");
}

TEST_CASE("a screen reader hears who speaks and what a tool does, as it does it") {
  model::Message result{.role = model::Role::tool};
  result.content = {model::ToolResult{"1", {model::Text{"no such file"}}, true}};
  RecordedScreen screen(screen_reader);
  screen->replay(model::message_entry(model::user_message("read it")));
  screen->show(model::ToolStarted{{.id = "1", .name = "read", .input = "{}"}, "read x"});
  screen->tick();
  screen->show(committed(result));
  screen->end_turn(model::Stop::stop, "");
  CHECK(screen.bytes() == "you: read it\ntool: read {}\nfailed: read {}  failed\n  no such file\n");
}

TEST_CASE("a word that nothing follows is shown after a while, and goes on where it was") {
  RecordedScreen screen(at_terminal, 40);
  screen->show(text_event("Hello wor"));
  CHECK(seen(screen.bytes(), 40) == "Hello\n");
  screen.now += 1500;
  screen->tick();
  CHECK(seen(screen.bytes(), 40) == "Hello wor\n⠙ writing  1 s · Esc or Ctrl+C stops\n");
  screen.now += 100;
  screen->show(text_event("ld, how"));
  screen->end_turn(model::Stop::stop, "");
  CHECK(seen(screen.bytes(), 40) == "Hello world, how\n");
}

TEST_CASE("a notice in the middle of a paragraph stands on a line of its own") {
  RecordedScreen screen(at_terminal, 40);
  screen->show(text_event("one two "));
  screen->show(model::Notice{model::Notice::Level::warning, "careful"});
  screen->show(text_event("three four\n"));
  screen->end_turn(model::Stop::stop, "");
  CHECK(seen(screen.bytes(), 40) == "one two\ncareful\n three four\n");
}

TEST_CASE("retries are counted down in the live line, and leave one line behind") {
  const auto retrying = [](int attempt, int seconds) {
    return model::Retrying{attempt, std::chrono::seconds(seconds), "overloaded"};
  };
  RecordedScreen screen(at_terminal, 60);
  screen->show(retrying(1, 1));
  screen->show(retrying(2, 2));
  screen->tick();
  CHECK(seen(screen.bytes(), 60).find("trying again in 2 s: overloaded") != std::string::npos);
  screen->show(text_event("Hello\n"));
  screen->end_turn(model::Stop::stop, "");
  CHECK(seen(screen.bytes(), 60) == "overloaded; answered after 2 retries\nHello\n");

  RecordedScreen reader(screen_reader);
  reader->show(retrying(1, 1));
  reader->show(text_event("Hello\n"));
  reader->flush();
  CHECK(reader.bytes().find("overloaded; trying again in 1 s") != std::string::npos);
  CHECK(reader.bytes().find("retries") == std::string::npos);
}

TEST_CASE("at a terminal there are at most 60 writes a second, and few bytes more than the text") {
  RecordedScreen screen(at_terminal, 80);
  const std::string text = plain_prose(60'000);
  std::size_t at = 0;
  constexpr std::int64_t seconds = 10;
  for (std::int64_t ms = 0; ms < 1000 * seconds; ++ms, ++screen.now) {
    if (at < text.size()) screen->show(text_event(text.substr(at, 7)));
    at += 7;
    if (ms % 100 == 0) screen->tick();
  }
  screen->end_turn(model::Stop::stop, "");
  CHECK(screen.writes.size() <= 60 * seconds);
  CHECK(screen.writes.size() > 10 * seconds);
  CHECK(screen.bytes().size() < text.size() + text.size() / 2);
}

TEST_CASE("one more escape is not ours and does not pass, whoever prints it") {
  RecordedScreen screen(at_terminal);
  screen->print("safe \033[1mbold\033[m, not \033[2J\033]0;x\a\r\u009B31m\n");
  CHECK(screen.bytes() == "safe \033[1mbold\033[m, not ␛[2J␛]0;x␇␍<U+009B>31m\n");
}

TEST_CASE("a turn without a prompt of its own is summed up too") {
  RecordedScreen screen(piped);
  screen->begin_turn();
  screen->show(committed(answer("Again.")));
  screen->end_turn(model::Stop::stop, "");
  CHECK(screen.bytes() == "Again.\nm · 2.1 s\n");
}

TEST_CASE("a stop speaks of a partial answer only if there is one") {
  RecordedScreen nothing(piped), something(piped);
  nothing->begin_turn();
  nothing->end_turn(model::Stop::aborted, "");
  CHECK(nothing.bytes() == "■ stopped.\n");

  model::Message half = answer("Half an");
  half.stop = model::Stop::aborted;
  something->begin_turn();
  something->show(committed(half));
  something->end_turn(model::Stop::aborted, "");
  CHECK(something.bytes() == "Half an\n■ stopped. The partial answer is kept.\nm · 2.1 s\n");
}
