#include "core/context.h"
#include "core/redaction.h"

#include <doctest/doctest.h>

#include "core/json.h"

using namespace skein;

namespace {

Entry user(const std::string& text) { return message_entry(user_message(text)); }
Entry compaction(const std::string& summary, Id kept) {
  return make_entry(type::compaction_summary,
                    dump({{"summary", summary}, {"firstKeptEntryId", to_string(kept)}}));
}
std::vector<std::string> texts(const std::vector<Message>& messages) {
  std::vector<std::string> out;
  for (const Message& message : messages) out.push_back(plain_text(message));
  return out;
}
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("only messages and summaries reach the model") {
  const std::vector<Entry> path{make_entry(type::runtime_init, R"({"system":"s"})"), user("a"),
                                make_entry("invented", R"({"text":"x"})"),
                                make_entry(type::branch_summary, R"({"summary":"tried b"})"),
                                user("c")};
  CHECK(texts(messages_of(path, {})) ==
        Lines{"a", "Summary of another branch of this conversation:\n\ntried b", "c"});
}

TEST_CASE("the last compaction stands for everything before what it kept") {
  std::vector<Entry> path{user("a"), user("b"), user("c")};
  path.push_back(compaction("first", path[1].id));
  path.push_back(user("d"));
  path.push_back(compaction("second", path[4].id));
  path.push_back(user("e"));
  CHECK(texts(messages_of(path, {})) ==
        Lines{"Summary of the conversation so far:\n\nsecond", "d", "e"});
}

TEST_CASE("a compaction whose kept entry is not on the path keeps what follows it") {
  const std::vector<Entry> path{user("a"), compaction("s", Id{77}), user("b")};
  CHECK(texts(messages_of(path, {})) == Lines{"Summary of the conversation so far:\n\ns", "b"});
}

TEST_CASE("what was redacted is masked in messages, summaries and whole entries") {
  const std::vector<Entry> path{user("secret"), compaction("secret too", Id{77}), user("open")};
  CHECK(texts(messages_of(path, {path[1].id})) ==
        Lines{"Summary of the conversation so far:\n\n[redacted]", "open"});
  const std::vector<Entry> plain{path[0], path[2]};
  CHECK(texts(messages_of(plain, {path[0].id})) == Lines{"[redacted]", "open"});

  const std::set<Id> redacted{path[0].id, path[1].id};
  for (const Entry& entry : path) {
    const bool hidden = redacted.contains(entry.id);
    CHECK((masked(entry, redacted) == entry) == !hidden);
    CHECK((masked(entry, redacted).payload.find("secret") == std::string::npos));
  }
}

TEST_CASE("a branch summary that was redacted says nothing") {
  const std::vector<Entry> path{make_entry(type::branch_summary, R"({"summary":"secret"})"),
                                user("b")};
  for (const std::string& text : texts(messages_of(path, {path[0].id})))
    CHECK(text.find("secret") == std::string::npos);
}

TEST_CASE("a masked call and its masked result still fit together and tell nothing") {
  Message call{.role = Role::assistant,
               .content = {Thinking{"secret", "sig"}, Text{"secret", R"({"id":"secret"})"},
                           ToolUse{"c1", "read", R"({"path":"secret"})", R"({"s":"secret"})"},
                           Image{"image/png", "secret"}, Opaque{"p", R"({"x":"secret"})"}},
               .error = "secret"};
  Message result{.role = Role::tool};
  result.content = {
      ToolResult{"c1", {Text{"secret"}, Image{"image/png", "secret"}}, true, "secret"}};

  CHECK(masked(call) ==
        Message{.role = Role::assistant, .content = {Text{"[redacted]"}, ToolUse{"c1", "read"}}});
  Message expected{.role = Role::tool};
  expected.content = {ToolResult{"c1", {Text{"[redacted]"}}, true}};
  CHECK(masked(result) == expected);
  CHECK(masked(Message{.role = Role::assistant, .content = {Thinking{"secret"}}}).content ==
        std::vector<Block>{Text{"[redacted]"}});
}
