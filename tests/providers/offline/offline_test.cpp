#include "providers/offline/offline.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::offline;
using namespace std::chrono_literals;

namespace {

model::Context talk(std::vector<model::Message> messages) {
  model::Context context{.messages = std::move(messages)};
  for (const char* name : {"read", "write", "edit", "list", "grep", "bash"})
    context.tools.push_back({name, "", "{}"});
  return context;
}

model::Context asked(const std::string& prompt) { return talk({model::user_message(prompt)}); }

std::string call_for(const std::string& prompt) {
  const RuleReply reply = reply_by_rule(asked(prompt));
  return reply.calls.size() == 1 ? reply.calls[0].name + reply.calls[0].input : "";
}

model::Message answer(std::vector<model::Block> content) {
  return {.role = model::Role::assistant, .content = std::move(content)};
}

model::Message result(const std::string& id, const std::string& text, bool is_error = false) {
  return {.role = model::Role::tool,
          .content = {model::ToolResult{
              .tool_use_id = id, .content = {model::Text{text}}, .is_error = is_error}}};
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("plain requests become calls of the right tool") {
  CHECK(call_for("list files") == R"(list{"path":"."})");
  CHECK(call_for("List the files in src?") == R"(list{"path":"src"})");
  CHECK(call_for("ls docs/api") == R"(list{"path":"docs/api"})");
  CHECK(call_for("what's in this directory?") == R"(list{"path":"."})");
  CHECK(call_for("read README.md") == R"(read{"path":"README.md"})");
  CHECK(call_for("Please show me `src/main.cpp`.") == R"(read{"path":"src/main.cpp"})");
  CHECK(call_for("run git status") == R"(bash{"command":"git status"})");
  CHECK(call_for("run echo \"a b\"") == R"(bash{"command":"echo \"a b\""})");
  CHECK(call_for("create notes.txt with Hello, World") ==
        R"(write{"path":"notes.txt","content":"Hello, World\n"})");
  CHECK(call_for("create a file called a/b.txt containing \"x\"") ==
        R"(write{"path":"a/b.txt","content":"x\n"})");
  CHECK(call_for("write hello to notes.txt") == R"(write{"path":"notes.txt","content":"hello\n"})");
  CHECK(call_for("find main") == R"(grep{"pattern":"main","path":"."})");
  CHECK(call_for("search for 'int main' in src") == R"(grep{"pattern":"int main","path":"src"})");
  CHECK(call_for("replace hello with good bye in notes.txt") ==
        R"(edit{"path":"notes.txt","old_text":"hello","new_text":"good bye"})");
}

TEST_CASE("what only looks like a request is answered in words") {
  for (const char* prompt : {"read", "read my mind", "run ", "create", "create something nice",
                             "replace it", "show", "find ", "", "why?", "listening is hard in"}) {
    CAPTURE(std::string(prompt));
    const RuleReply reply = reply_by_rule(asked(prompt));
    CHECK_FALSE(reply.text.empty());
    CHECK(reply.calls.empty());
  }
}

TEST_CASE("without the tool it says which one is missing") {
  const model::Context bare{.messages = {model::user_message("read README.md")}};
  const RuleReply reply = reply_by_rule(bare);
  CHECK(reply.calls.empty());
  CHECK(contains(reply.text, "`read`"));
}

TEST_CASE("it is honest about what it is") {
  CHECK(contains(reply_by_rule(asked("prove Fermat")).text, "I answer by fixed rules"));
  CHECK(contains(reply_by_rule(asked("help")).text, "do not understand text"));
  CHECK(contains(reply_by_rule(asked("what can you do?")).text, "list files"));
}

TEST_CASE("a result is used to finish the answer") {
  const model::Block call =
      model::ToolUse{.id = "demo_1", .name = "read", .input = R"({"path":"a.cpp"})"};
  const RuleReply reply = reply_by_rule(talk({model::user_message("read a.cpp"), answer({call}),
                                              result("demo_1", "int a;\n```\nint b;\n")}));
  CHECK(reply.calls.empty());
  CHECK(reply.text == "`a.cpp`, 3 lines:\n\n````cpp\nint a;\n```\nint b;\n````\n");
}

TEST_CASE("a long result is cut and says by how much") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "line\n";
  const model::Block call =
      model::ToolUse{.id = "demo_1", .name = "bash", .input = R"({"command":"x"})"};
  const RuleReply reply =
      reply_by_rule(talk({model::user_message("run x"), answer({call}), result("demo_1", text)}));
  CHECK(contains(reply.text, "(60 more lines)"));
}

TEST_CASE("a refused or failed call is reported as such") {
  const model::Block call =
      model::ToolUse{.id = "demo_1", .name = "bash", .input = R"({"command":"x"})"};
  const RuleReply reply = reply_by_rule(talk({model::user_message("run x"), answer({call}),
                                              result("demo_1", "refused by the user", true)}));
  CHECK(reply.text == "That did not work:\n\n```\nrefused by the user\n```\n");
}

TEST_CASE("exploring takes two calls, with ids that differ") {
  const model::Block call =
      model::ToolUse{.id = "demo_1", .name = "list", .input = R"({"path":"."})"};
  std::vector<model::Message> messages{model::user_message("explore"), answer({call}),
                                       result("demo_1", "README.md\nsrc/\n")};
  const RuleReply second = reply_by_rule(talk(messages));
  REQUIRE(second.calls.size() == 1);
  CHECK(second.calls[0].id == "demo_2");
  CHECK(second.calls[0].name == "read");

  messages.push_back(answer({second.calls[0]}));
  messages.push_back(result("demo_2", "# Title\n"));
  CHECK(reply_by_rule(talk(messages)).calls.empty());
}

TEST_CASE("it answers from history") {
  std::vector<model::Message> messages{
      model::user_message("My name is Ada, by the way"), answer({model::Text{"ok"}}),
      model::user_message("list files"), answer({model::Text{"ok"}})};
  const auto ask = [&](const char* prompt) {
    std::vector<model::Message> all = messages;
    all.push_back(model::user_message(prompt));
    return reply_by_rule(talk(all)).text;
  };
  CHECK(contains(ask("What did I say first?"), "> My name is Ada"));
  CHECK(contains(ask("what was my last question?"), "> list files"));
  CHECK(ask("what is my name?") == "You said it is Ada.\n");
  CHECK(contains(ask("summarize"), "1. My name is Ada, by the way\n2. list files\n3. summarize\n"));
  CHECK(contains(reply_by_rule(asked("what did i say first")).text, "This is the first thing"));
}

TEST_CASE("what is streamed is what comes back, and is the same every time") {
  const model::Context context = asked("help");
  const auto run = [&](model::ThinkingLevel level) {
    std::string streamed;
    model::Ports ports;
    ports.sink = [&](const model::Event& event) {
      if (const auto* piece =
              std::get_if<model::delta::TextPiece>(&std::get<model::Streaming>(event).delta))
        streamed += piece->text;
    };
    model::Message message =
        OfflineProvider(0ms).stream(context, {"offline", "demo", level}, ports);
    CHECK(model::plain_text(message) == streamed);
    CHECK(message.stop == model::Stop::stop);
    CHECK(message.usage->input > 0);
    CHECK(message.usage->output > 0);
    message.duration_ms = 0;
    return message;
  };
  CHECK(run(model::ThinkingLevel::off) == run(model::ThinkingLevel::off));
  CHECK(std::holds_alternative<model::Text>(run(model::ThinkingLevel::off).content.front()));
  CHECK(std::holds_alternative<model::Thinking>(run(model::ThinkingLevel::low).content.front()));
}

TEST_CASE("a call it makes is whole and asks to be run") {
  const model::Message message =
      OfflineProvider(0ms).stream(asked("list files"), {"offline", "demo"}, {});
  CHECK(message.stop == model::Stop::tool_use);
  CHECK(*model::tool_uses(message).front() ==
        model::ToolUse{.id = "demo_1", .name = "list", .input = R"({"path":"."})"});
}

TEST_CASE("a stop ends it within milliseconds and keeps what was said") {
  std::atomic<bool> stop{false};
  std::chrono::steady_clock::time_point stopped;
  model::Ports ports;
  ports.stop = &stop;
  ports.sink = [&](const model::Event&) {
    stop = true;
    stopped = std::chrono::steady_clock::now();
  };
  const model::Message message =
      OfflineProvider(60s).stream(asked("help"), {"offline", "demo"}, ports);
  CHECK(std::chrono::steady_clock::now() - stopped < 20s);
  CHECK(message.stop == model::Stop::aborted);
  CHECK(model::plain_text(message) == "I ");
}
