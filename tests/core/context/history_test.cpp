#include "core/context/history.h"
#include "core/model/scrub.h"

#include <doctest/doctest.h>

#include "core/context/beginning.h"
#include "core/model/entry.h"
#include "core/model/payloads.h"
#include "core/text/json.h"

using namespace skein;
using namespace skein::context;

namespace {

model::Entry user(const std::string& text) {
  return model::message_entry(model::user_message(text));
}
model::Entry compaction(const std::string& summary, Id kept) {
  return model::make_entry(model::type::compaction_summary,
                           dump({{"summary", summary}, {"firstKeptEntryId", to_string(kept)}}));
}
std::vector<std::string> texts(const std::vector<model::Message>& messages) {
  std::vector<std::string> out;
  for (const model::Message& message : messages) out.push_back(model::plain_text(message));
  return out;
}
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("only messages and summaries reach the model") {
  const std::vector<model::Entry> path{
      model::make_entry(model::type::runtime_init, R"({"system":"s"})"), user("a"),
      model::make_entry("invented", R"({"text":"x"})"),
      model::make_entry(model::type::branch_summary, R"({"summary":"tried b"})"), user("c")};
  CHECK(texts(messages_of(path, {})) ==
        Lines{"a", "Summary of another branch of this conversation:\n\ntried b", "c"});
}

TEST_CASE("the last compaction stands for everything before what it kept") {
  std::vector<model::Entry> path{user("a"), user("b"), user("c")};
  path.push_back(compaction("first", path[1].id));
  path.push_back(user("d"));
  path.push_back(compaction("second", path[4].id));
  path.push_back(user("e"));
  CHECK(texts(messages_of(path, {})) ==
        Lines{"Summary of the conversation so far:\n\nsecond", "d", "e"});
}

TEST_CASE("a compaction whose kept entry is not on the path keeps what follows it") {
  const std::vector<model::Entry> path{user("a"), compaction("s", Id{77}), user("b")};
  CHECK(texts(messages_of(path, {})) == Lines{"Summary of the conversation so far:\n\ns", "b"});
}

TEST_CASE("what was redacted is masked in messages, summaries and whole entries") {
  const std::vector<model::Entry> path{user("secret"), compaction("secret too", Id{77}),
                                       user("open")};
  CHECK(texts(messages_of(path, {path[1].id})) ==
        Lines{"Summary of the conversation so far:\n\n[redacted]", "open"});
  const std::vector<model::Entry> plain{path[0], path[2]};
  CHECK(texts(messages_of(plain, {path[0].id})) == Lines{"[redacted]", "open"});

  const std::set<Id> redacted{path[0].id, path[1].id};
  for (const model::Entry& entry : path) {
    const bool hidden = redacted.contains(entry.id);
    CHECK((model::masked(entry, redacted) == entry) == !hidden);
    CHECK((model::masked(entry, redacted).payload.find("secret") == std::string::npos));
  }
}

TEST_CASE("a branch summary that was redacted says nothing") {
  const std::vector<model::Entry> path{
      model::make_entry(model::type::branch_summary, R"({"summary":"secret"})"), user("b")};
  for (const std::string& text : texts(messages_of(path, {path[0].id})))
    CHECK(text.find("secret") == std::string::npos);
}

TEST_CASE("a masked call and its masked result still fit together and tell nothing") {
  model::Message call{
      .role = model::Role::assistant,
      .content = {model::Thinking{"secret", "sig"}, model::Text{"secret", R"({"id":"secret"})"},
                  model::ToolUse{"c1", "read", R"({"path":"secret"})", R"({"s":"secret"})"},
                  model::Image{"image/png", "secret"}, model::Opaque{"p", R"({"x":"secret"})"}},
      .error = "secret"};
  model::Message result{.role = model::Role::tool};
  result.content = {model::ToolResult{
      "c1", {model::Text{"secret"}, model::Image{"image/png", "secret"}}, true, "secret"}};

  CHECK(model::masked(call) ==
        model::Message{.role = model::Role::assistant,
                       .content = {model::Text{"[redacted]"}, model::ToolUse{"c1", "read"}}});
  model::Message expected{.role = model::Role::tool};
  expected.content = {model::ToolResult{"c1", {model::Text{"[redacted]"}}, true}};
  CHECK(model::masked(result) == expected);
  CHECK(model::masked(
            model::Message{.role = model::Role::assistant, .content = {model::Thinking{"secret"}}})
            .content == std::vector<model::Block>{model::Text{"[redacted]"}});
}

namespace {

model::Entry reply_with_thinking() {
  return model::message_entry({.role = model::Role::assistant,
                               .content = {model::Thinking{"hm", "sig"}, model::Text{"b"}},
                               .provider = "anthropic",
                               .model = "claude"});
}

model::Entry beginning() {
  return model::make_entry(
      model::payload::RuntimeInit{.system = "s", .specs = std::vector<model::ToolSpec>{}});
}

std::vector<bool> moved(const std::vector<model::Entry>& path) {
  std::vector<bool> out;
  for (const model::Message& message : messages_of(path, {}))
    if (message.role == model::Role::assistant) out.push_back(message.seals == model::Seals::moved);
  return out;
}

}  // namespace

TEST_CASE("what was thought before a recorded step no longer counts") {
  std::vector<model::Entry> path{beginning(), user("a"), reply_with_thinking(), user("c")};
  CHECK(moved(path) == std::vector<bool>{false});
  SUBCASE("a summary") { path.push_back(compaction("s", path[1].id)); }
  SUBCASE("a new beginning") { path.push_back(beginning()); }
  SUBCASE("a beginning of an older version") {
    path.push_back(model::make_entry(model::type::runtime_init, R"({"system":"s"})"));
  }
  path.push_back(reply_with_thinking());
  CHECK(moved(path) == std::vector<bool>{true, false});
}

TEST_CASE("a change that was told is part of a later beginning and goes then") {
  std::vector<model::Entry> path{beginning(), user("a"),
                                 change_entry("it is now b", {{"it", "hash of b"}}), user("c")};
  CHECK(texts(messages_of(path, {})) == Lines{"a", "it is now b", "c"});
  CHECK(said_on(path) == Said{{"it", "hash of b"}});
  path.push_back(change_entry("it is gone", {{"it", ""}}));
  CHECK(said_on(path) == Said{});
  path.push_back(beginning());
  CHECK(texts(messages_of(path, {})) == Lines{"a", "c"});
  CHECK(model::preview(path[2], 60) == "(a note of what has changed)");
}

TEST_CASE("a cut is a summary that says nothing, and may shorten the results it keeps") {
  const std::string file(8000, 'f');
  std::vector<model::Entry> path{
      user("a"), user("b"),
      model::message_entry(
          {.role = model::Role::tool, .content = {model::ToolResult{"c1", {model::Text{file}}}}})};
  const auto bytes_of_result = [&] {
    for (const model::Message& message : messages_of(path, {}))
      if (message.role == model::Role::tool)
        return std::get<model::Text>(std::get<model::ToolResult>(message.content[0]).content[0])
            .text.size();
    return std::size_t{0};
  };
  CHECK(bytes_of_result() == 8000);
  path.push_back(model::make_entry(
      model::payload::CompactionSummary{.first_kept = path[1].id, .result_bytes = 1024}));
  path.push_back(user("d"));
  CHECK(texts(messages_of(path, {})).front() == "(older messages were left out to make room)");
  CHECK(texts(messages_of(path, {})).back() == "d");
  CHECK(bytes_of_result() > 1024);
  CHECK(bytes_of_result() < 1300);
  path.push_back(path[2]);  // what comes later stays whole
  CHECK(texts(messages_of(path, {})).size() == 5);
  CHECK(model::preview(path[3], 60) == "(older messages were left out)");
}
