#include "core/context/build_context.h"

#include <doctest/doctest.h>

#include <utility>

#include "core/model/provider.h"
#include "core/model/state.h"
#include "core/model/tree.h"
#include "core/text/json.h"
#include "tests/support/paths.h"

using namespace skein;
using namespace skein::context;
using namespace skein::test;

namespace {

const std::set<Id> nothing_redacted;
const std::string words(400, 'w');  // a hundred tokens

model::Entry summary_entry(const std::string& text, Id first) {
  return model::make_entry(model::type::compaction_summary,
                           dump({{"summary", text}, {"firstKeptEntryId", to_string(first)}}));
}

BuiltContext built(const std::vector<model::Entry>& path, Window window = {},
                   const std::set<Id>& redacted = nothing_redacted) {
  return build_context({.path = path,
                        .redacted = redacted,
                        .system = "be brief",
                        .tools = {{"read", "reads", "{}"}},
                        .model = {"anthropic", "claude"},
                        .window = window});
}

}  // namespace

TEST_CASE("without a window everything is sent") {
  const std::vector<model::Message> talk{model::user_message("a"), answers("b"),
                                         model::user_message("c")};
  const BuiltContext all = built(path_of(talk));
  CHECK(all.context.messages == talk);
  CHECK(all.context.system == "be brief");
  CHECK(all.context.tools.size() == 1);
  CHECK(all.fits());
  CHECK(all.whole == all.filling.total());
}

TEST_CASE("a summary stands for what came before the first kept entry") {
  std::vector<model::Entry> path =
      path_of({model::user_message("a"), answers("b"), model::user_message("c")});
  follow(path, summary_entry("they said hello", path[2].id));
  follow(path, model::message_entry(answers("d")));
  const auto messages = built(path).context.messages;
  REQUIRE(messages.size() == 3);
  CHECK(model::plain_text(messages[0]) == "Summary of the conversation so far:\n\nthey said hello");
  CHECK(messages[1] == model::user_message("c"));
  CHECK(messages[2] == answers("d"));
  // A path that was loaded from the first kept entry on says the same.
  CHECK(built({path.begin() + 2, path.end()}).context.messages == messages);
}

TEST_CASE("what is redacted is masked in messages and in both kinds of summary") {
  std::vector<model::Entry> path = path_of({model::user_message("secret"), answers("b")});
  follow(path, model::make_entry(model::type::branch_summary, dump({{"summary", "secret"}})));
  follow(path, summary_entry("secret", path[0].id));
  std::set<Id> redacted;
  for (const model::Entry& entry : path) redacted.insert(entry.id);
  for (const model::Message& message : built(path, {}, redacted).context.messages)
    CHECK(model::plain_text(message).find("secret") == std::string::npos);
}

TEST_CASE("nothing is left out to make a request fit: it says that it does not") {
  std::vector<model::Message> talk;
  for (int i = 0; i < 50; ++i) {
    talk.push_back(model::user_message(std::to_string(i) + words));
    talk.push_back(answers(words));
  }
  const BuiltContext all = built(path_of(talk), {2000, 500});
  CHECK_FALSE(all.fits());
  CHECK(all.whole > 1500);
  CHECK(all.whole == all.filling.total());
  CHECK(all.context.messages == talk);
  CHECK(all.for_messages > 1000);
  CHECK(all.for_messages < 1500);
  CHECK(built(path_of(talk), {200'000, 500}).fits());
}

TEST_CASE("the last real cost on the path corrects the guess, in eighths") {
  model::Message reply = answers(words);
  reply.usage = model::Usage{.input = 100, .output = 100, .cache_read = 50};
  const std::vector<model::Message> talk{model::user_message(words), reply,
                                         model::user_message("c")};
  const std::int64_t guess = model::tokens_of("be brief") +
                             model::tokens_of(model::ToolSpec{"read", "reads", "{}"}) +
                             model::tokens_of(model::user_message(words));
  CHECK(guess == 121);
  CHECK(built(path_of(talk)).tokens_per_guess == 1.25);  // 150 / 121

  SUBCASE("another model's does not") {
    reply.model = "other";
    CHECK(built(path_of({model::user_message(words), reply})).tokens_per_guess == 1);
  }
  SUBCASE("what lies before a summary is known only as the summary tells it") {
    std::vector<model::Entry> path = path_of(talk);
    follow(path, summary_entry("s", path[1].id));
    CHECK(built(path).tokens_per_guess == 1);
    Json payload = *parse_json(path.back().payload);
    payload["tokensPerGuess"] = 1.5;
    path.back().payload = dump(payload);
    CHECK(built(path).tokens_per_guess == 1.5);
  }
  SUBCASE("one that filled half the room does not lower it: something may have been left out") {
    CHECK(built(path_of(talk), {310, 0}).tokens_per_guess == 1.25);
    CHECK(built(path_of(talk), {290, 0}).tokens_per_guess == 1.25);
    model::Message later = reply;
    later.usage = model::Usage{.input = 160};
    std::vector<model::Message> longer = talk;
    longer.push_back(later);
    CHECK(built(path_of(longer), {290, 0}).tokens_per_guess == 1.25);
    reply.usage = model::Usage{.input = 60};
    CHECK(built(path_of({model::user_message(words), reply}), {100, 0}).tokens_per_guess == 1);
  }
  SUBCASE("what a refusal has shown is the least it is worth") {
    const std::vector<model::Entry> path = path_of(talk);
    ContextSource source{.path = path,
                         .redacted = nothing_redacted,
                         .system = "be brief",
                         .tools = {{"read", "reads", "{}"}},
                         .model = {"anthropic", "claude"},
                         .tokens_per_guess = 4};
    CHECK(build_context(source).tokens_per_guess == 4);
    source.tokens_per_guess = 1;
    CHECK(build_context(source).tokens_per_guess == 1.25);
  }
  SUBCASE("nonsense is not believed") {
    reply.usage = model::Usage{.input = 1'000'000};
    CHECK(built(path_of({model::user_message(words), reply})).tokens_per_guess == 3);
    reply.usage = model::Usage{.input = 1};
    CHECK(built(path_of({model::user_message(words), reply})).tokens_per_guess == 0.75);
  }
}

TEST_CASE("only as much of a long path is read as could fit, and that it is not all is known") {
  std::vector<model::Message> talk;
  for (int i = 0; i < 1000; ++i) {
    talk.push_back(model::user_message(words));
    talk.push_back(answers(words));
  }
  const std::vector<model::Entry> path = path_of(talk);
  const ContextHistory telling = history_of(path, nothing_redacted, 10'000);
  CHECK(telling.said.size() < 100);
  CHECK(telling.said.size() + telling.unread == talk.size());
  CHECK_FALSE(built(path, {20'000, 500}).fits());
  CHECK(built(path, {20'000, 500}).unread > 0);
}

TEST_CASE("a long turn is found back to the user's words, and no result without its call") {
  std::vector<model::Message> talk{model::user_message("build it")};
  for (int i = 0; i < 200; ++i) {
    const std::string id = "c" + std::to_string(i);
    talk.push_back(answers(words, {{id, "read"}}));
    talk.push_back(result_of(id, words));
  }
  const ContextHistory telling = history_of(path_of(talk), nothing_redacted, 3'000);
  REQUIRE(telling.said.size() > 4);
  CHECK(telling.said[0].message == model::user_message("build it"));
  CHECK(telling.said[1].message.role == model::Role::assistant);
  CHECK(telling.said.size() + telling.unread == talk.size());
}

TEST_CASE("a request is built once for a leaf, and again when what it depends on changes") {
  const std::vector<model::Entry> path =
      path_of({model::user_message("a"), answers("b"), model::user_message("c")});
  std::set<Id> redacted;
  ContextSource source{.path = path,
                       .redacted = redacted,
                       .system = "be brief",
                       .tools = {{"read", "reads", "{}"}},
                       .model = {"anthropic", "claude"},
                       .window = {2000, 500}};
  ContextCache cache;
  CHECK(cache.get(source).context.messages == build_context(source).context.messages);
  cache.get(source);
  CHECK(cache.built() == 1);

  SUBCASE("a redaction") { redacted.insert(path[0].id); }
  SUBCASE("the system prompt") { source.system = "be long"; }
  SUBCASE("the tools") { source.tools[0].schema = R"({"type":"object"})"; }
  SUBCASE("the model") { source.model.model = "other"; }
  SUBCASE("the window") { source.window.tokens = 3000; }
  SUBCASE("the leaf") { source.path = std::span(path).first(2); }
  SUBCASE("how far back the path was read") { source.path = std::span(path).last(2); }
  CHECK(cache.get(source).context.messages == build_context(source).context.messages);
  CHECK(cache.built() == 2);
}

// ---- the contracts' worked examples

namespace {

model::Entry entry_called(std::uint64_t id, std::uint64_t parent, const model::Message& message) {
  model::Entry entry = model::message_entry(message);
  entry.id = Id{id};
  if (parent != 0) entry.parent = Id{parent};
  return entry;
}

std::vector<model::Entry> walk(const model::Tree& tree, const std::vector<model::Entry>& entries,
                               Id leaf) {
  std::vector<model::Entry> path;
  for (const model::Tree::Node* node : tree.path(leaf)) path.push_back(entries[node->at]);
  return path;
}

model::Tree tree_of(const std::vector<model::Entry>& entries) {
  model::Tree::Builder tree;
  for (std::size_t i = 0; i < entries.size(); ++i) tree.add(model::facts_of(entries[i], i));
  return std::move(tree).build();
}

std::vector<std::string> texts(const BuiltContext& context) {
  std::vector<std::string> out;
  for (const model::Message& message : context.context.messages)
    out.push_back(model::plain_text(message));
  return out;
}
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("history is the walk from a leaf to the root, root first") {  // A11, A12
  const std::vector<model::Entry> entries{
      entry_called(1, 0, model::user_message("1")), entry_called(2, 1, answers("2")),
      entry_called(3, 2, model::user_message("3")), entry_called(4, 2, model::user_message("4")),
      entry_called(5, 4, answers("5"))};
  const model::Tree tree = tree_of(entries);
  CHECK(texts(built(walk(tree, entries, Id{3}))) == Texts{"1", "2", "3"});
  CHECK(texts(built(walk(tree, entries, Id{5}))) == Texts{"1", "2", "4", "5"});
}

TEST_CASE("four messages, back to the second, two more: two branches of four") {  // A24
  const std::vector<model::Entry> entries{
      entry_called(1, 0, model::user_message("Hello")), entry_called(2, 1, answers("Hi there!")),
      entry_called(3, 2, model::user_message("A")),     entry_called(4, 3, answers("about A")),
      entry_called(5, 2, model::user_message("B")),     entry_called(6, 5, answers("about B"))};
  const model::Tree tree = tree_of(entries);
  CHECK(tree.leaves().size() == 2);
  CHECK(texts(built(walk(tree, entries, Id{4}))) == Texts{"Hello", "Hi there!", "A", "about A"});
  CHECK(texts(built(walk(tree, entries, Id{6}))) == Texts{"Hello", "Hi there!", "B", "about B"});
}

TEST_CASE("user, assistant with its calls and results reach the request in order") {  // D3
  const std::vector<model::Message> talk{model::user_message("list"),
                                         answers("so", {{"c1", "list", "{}"}}),
                                         result_of("c1", "a b"), answers("done")};
  const std::vector<model::Message> sent = built(path_of(talk)).context.messages;
  CHECK(sent == talk);
  CHECK(std::get<model::ToolResult>(sent[2].content[0]).tool_use_id == "c1");
  CHECK(built({}).context.messages.empty());
}
