#include "core/agent/conversation.h"

#include <doctest/doctest.h>

#include "core/store/log/log_writer.h"
#include "core/text/json.h"
#include "tests/support/homes.h"
#include "tests/support/stage.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

// Two processes on one home, in the same session.
struct Pair {
  TempDir dir{};
  Stage ours, theirs;
  Id session;
  explicit Pair(const JsonText& script)
      : ours(script, store_at((dir / "home").string())),
        theirs(script, store_at((dir / "home").string())),
        session(session_called(ours.store, "main:test:one")) {}
};

Lines without_surroundings(Lines lines) {
  std::erase_if(lines, [](const std::string& line) {
    return line == "runtime_init" || line == "model_change";
  });
  return lines;
}

}  // namespace

TEST_CASE("a prompt follows what another process wrote meanwhile, after it has been shown") {
  Pair pair(R"(["one", "two", "three"])");
  Conversation ours(pair.ours.store, pair.session);
  pair.ours.turn(ours, "first");
  Conversation theirs(pair.theirs.store, pair.session);
  pair.theirs.turn(theirs, "theirs");
  pair.ours.events.clear();

  pair.ours.turn(ours, "ours");

  const Lines together{"user: first",  "assistant: one -> stop",
                       "user: theirs", "assistant: two -> stop",
                       "user: ours",   "assistant: three -> stop"};
  CHECK(without_surroundings(lines_of(ours.path())) == together);
  CHECK(pair.ours.committed() ==
        Lines{"user: theirs", "assistant: two -> stop", "user: ours", "assistant: three -> stop"});
  CHECK(pair.ours.notices().size() == 2);
  CHECK(pair.ours.notices().back() == "› theirs");
  CHECK(pair.ours.contexts.back().messages.size() == 5);
  CHECK(ours.state().leaves.size() == 1);
}

TEST_CASE("a turn that is running goes on as a branch of its own and sees nothing of the other") {
  Pair pair(R"([[{"call": {"name": "look"}}], "one", "two", "three"])");
  Conversation ours(pair.ours.store, pair.session);
  bool intruded = false;
  pair.ours.listener = [&](const model::Event& event) {
    if (!std::holds_alternative<model::ToolStarted>(event) || intruded) return;
    intruded = true;
    Conversation theirs(pair.theirs.store, pair.session);
    value_of(theirs.append({model::message_entry(model::user_message("in between"))}));
  };

  pair.ours.turn(ours, "first");

  const Lines own = without_surroundings(lines_of(ours.path()));
  CHECK(own.size() == 4);
  CHECK(own.back() == "assistant: one -> stop");
  CHECK(ours.state().leaves.size() == 2);

  // The next prompt stays where this conversation is: what grew elsewhere is not its business.
  Conversation theirs(pair.theirs.store, pair.session);
  value_of(theirs.append({model::message_entry(model::user_message("after it"))}));
  pair.ours.turn(ours, "second");
  CHECK(without_surroundings(lines_of(ours.path())).size() == 7);
}

TEST_CASE("a branch that grew elsewhere does not carry a prompt away from its own") {
  Pair pair(R"(["one", "two", "three", "four"])");
  Conversation ours(pair.ours.store, pair.session);
  pair.ours.turn(ours, "root");
  Conversation theirs(pair.theirs.store, pair.session);
  value_of(ours.append({model::message_entry(model::user_message("our branch"))}));
  value_of(theirs.append(
      {model::message_entry(model::user_message("their branch"))}));  // from the old head
  value_of(ours.append({model::message_entry(model::user_message("our branch 2"))}));
  value_of(theirs.append({model::message_entry(model::user_message("their branch 2"))}));

  std::vector<model::Entry> arrived;
  value_of(
      ours.append_prompt({model::message_entry(model::user_message("our branch 3"))}, arrived));

  CHECK(arrived.empty());
  const Lines path = lines_of(ours.path());
  CHECK(Lines(path.end() - 3, path.end()) ==
        Lines{"user: our branch", "user: our branch 2", "user: our branch 3"});
}

TEST_CASE("a restart lands where the head was moved to") {
  Stage stage(R"(["1", "2"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "a");
  const Id back = *conversation.head();
  stage.turn(conversation, "b");

  conversation.move_head(back);
  CHECK(conversation.head() == back);
  CHECK(lines_of(conversation.path()).back() == "assistant: 1 -> stop");

  Conversation again(stage.store, conversation.session());
  CHECK(again.head() == back);
  CHECK(again.path() == conversation.path());
  CHECK(stage.stored(again).size() == 7);  // nothing was taken away
}

TEST_CASE("of a compacted session only what was kept and what came later is read") {
  Stage stage(R"(["1", "2", "3"])");
  Conversation conversation = stage.conversation();
  stage.turn(conversation, "a");
  stage.turn(conversation, "b");
  const Id kept = conversation.path()[3].id;  // "user: b"
  value_of(conversation.append({model::make_entry(
      model::type::compaction_summary,
      dump({{"summary", "a was said"}, {"firstKeptEntryId", to_string(kept)}}))}));

  Conversation again(stage.store, conversation.session());
  CHECK(lines_of(again.path()) == Lines{"user: b", "assistant: 2 -> stop", "compaction_summary"});
  stage.turn(again, "c");
  CHECK(model::plain_text(stage.contexts.back().messages.front()).ends_with("a was said"));
}

TEST_CASE("a long path is read from its end, and further back only when it is asked for") {
  Stage stage("[]");
  const Id session = session_called(stage.store, "main:test:long");
  const std::size_t count = 600;
  for (std::size_t i = 0; i < count; ++i)
    append(stage.store, session, {user_says(std::to_string(i) + std::string(1000, 'x'))});

  Conversation conversation(stage.store, session);
  const std::size_t first = conversation.path().size();
  CHECK(first < count / 2);
  conversation.read_at_least(400'000);
  CHECK(conversation.path().size() > first);
  CHECK(conversation.path().size() < count);
  REQUIRE(conversation.read_further());
  CHECK(conversation.path().size() == count);
  CHECK_FALSE(conversation.read_further());

  std::size_t seen = 0;
  CHECK(conversation.path_until([&](const model::Entry&) { return ++seen == 3; }).size() == 3);
}

TEST_CASE("a session that is not there is an error with a sentence") {
  Stage stage("[]");
  CHECK_THROWS_AS(Conversation(stage.store, Id{1}), Error);
}

TEST_CASE("an altered entry is told when the session is opened") {
  TempDir dir;
  const std::string home = (dir / "home").string();
  Id session;
  {
    store::SessionStore store = store_at(home);
    session = session_called(store, "main:test:one");
    append(store, session, {user_says("pay 100 euro")});
    append(store, session, {user_says("thanks")});
    CHECK(Conversation(store, session).notices().empty());
  }
  const std::filesystem::path file =
      std::filesystem::path(home) / store::log::transcript_path(session);
  std::string bytes = read_file(file);
  bytes.replace(bytes.find("pay 100"), 7, "pay 900");
  write_file(file, bytes);

  store::SessionStore store = store_at(home);
  const Conversation conversation(store, session);
  REQUIRE(conversation.notices().size() == 1);
  CHECK(conversation.notices()[0].find("damaged: 1 entry was altered") != std::string::npos);
  // The index remembers it, however little is read the next time.
  store.presence().remember(session, "/w");
  store::SessionStore later = store_at(home);
  CHECK(later.open(session).damage == store::DamageCount{.altered = 1});
}

TEST_CASE("only the turns of the path are counted as turns of the conversation") {
  Stage stage("[]");
  const Id session = session_called(stage.store, "main:test:one");
  const model::Entry root = user_says("one").entry;
  append(stage.store, session, {{root}, user_says("two"), user_says("three")});
  Conversation conversation(stage.store, session);
  CHECK(conversation.turns() == 3);
  conversation.move_head(root.id);
  CHECK(conversation.turns() == 1);
}

TEST_CASE("two processes on an empty session continue one another") {
  Pair pair(R"(["one", "two"])");
  Conversation ours(pair.ours.store, pair.session);
  Conversation theirs(pair.theirs.store, pair.session);
  pair.ours.turn(ours, "my name is Ada");
  pair.theirs.turn(theirs, "what is my name?");

  CHECK(without_surroundings(lines_of(theirs.path())) ==
        Lines{"user: my name is Ada", "assistant: one -> stop", "user: what is my name?",
              "assistant: two -> stop"});
  CHECK(pair.theirs.contexts.back().messages.size() == 3);
  CHECK(theirs.state().leaves.size() == 1);
}
