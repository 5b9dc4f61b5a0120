// An answer that is written down while it comes, and what a crash leaves of it.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/agent/agent.h"
#include "core/agent/delta_writer.h"
#include "core/model/entry.h"
#include "core/model/scrub.h"
#include "core/text/io.h"
#include "core/text/wait.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"
#include "tests/support/stage.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

using model::payload::MessageDeltaBatch;

model::Event says(const std::string& text) {
  return model::Streaming{model::delta::TextPiece{"", text}};
}
model::Event thinks(const std::string& text) {
  return model::Streaming{model::delta::ThinkingPiece{"", text}};
}

// A turn that was killed while its answer came.
struct Killed {
  Stage stage{"[]"};
  Conversation conversation = stage.conversation();
  Settings settings{.model = {"scripted", "x"}};
  model::Ports ports = stage.ports();
  Turn turn{conversation, settings, ports};
  Parts parts = agent_parts(stage.store, stage.tools, stage.model, [&](agent::Parts& with) {
    with.clean = [](std::string text) {
      const std::size_t at = text.find("sk-secret-key");
      return at == std::string::npos ? text : text.replace(at, 13, "[masked]");
    };
    with.keep_deltas_ms = 1;
  });

  Killed() { value_of(conversation.append({model::message_entry(model::user_message("go"))})); }
  void stream(const std::vector<model::Event>& events) {
    DeltaWriter keeper(turn, parts);
    for (const model::Event& event : events) {
      const auto since = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - since < std::chrono::milliseconds(2)) {
      }
      keeper.see(event);
    }
  }
  std::vector<MessageDeltaBatch> batches() {
    std::vector<MessageDeltaBatch> out;
    for (const model::Entry& entry : entries_of(stage.store, conversation.session()))
      if (auto batch = model::read_as<MessageDeltaBatch>(entry)) out.push_back(*batch);
    return out;
  }
  std::string kept() {
    std::string out;
    for (const MessageDeltaBatch& batch : batches())
      for (const MessageDeltaBatch::Piece& piece : batch.pieces) out += piece.text;
    return out;
  }
  Conversation reopened() { return {stage.store, conversation.session()}; }
};

}  // namespace

TEST_CASE("what came of an answer is there after a crash, as an answer that was cut short") {
  Killed killed;
  killed.stream({thinks("let me see. "), says("The answer "), says("is forty-"), says("two. And")});
  Conversation conversation = killed.reopened();
  CHECK(conversation.path().size() == 1);  // pieces are no part of the conversation
  CHECK(conversation.state().unfinished == killed.turn.answer);

  CHECK(test::recover(killed.stage.agent, conversation, killed.stage.ports()) == 0);
  CHECK(test::recover(killed.stage.agent, conversation, killed.stage.ports()) == 0);
  REQUIRE(conversation.path().size() == 2);
  const auto answer = model::message_of(conversation.path()[1]);
  REQUIRE(answer);
  CHECK(answer->stop == model::Stop::interrupted);
  CHECK(answer->model == "x");
  CHECK(model::plain_text(*answer) == "The answer is forty-two. ");
  CHECK(std::get<model::Thinking>(answer->content.front()).thinking == "let me see. ");
  CHECK_FALSE(conversation.state().unfinished.has_value());
}

TEST_CASE("once the message is there, its pieces count no more") {
  Killed killed;
  killed.stream({says("half of "), says("it ")});
  model::Message whole{.role = model::Role::assistant, .content = {model::Text{"all of it"}}};
  model::Entry entry = model::message_entry(whole);
  entry.id = killed.turn.answer;
  value_of(killed.conversation.append({entry}));
  Conversation conversation = killed.reopened();
  CHECK(test::recover(killed.stage.agent, conversation, killed.stage.ports()) == 0);
  REQUIRE(conversation.path().size() == 2);
  CHECK(conversation.path()[1].payload == entry.payload);
}

TEST_CASE("a try that failed leaves nothing of itself to the next one") {
  Killed killed;
  killed.stream(
      {says("wrong words "), model::Retrying{1, {}, "overloaded"}, says("right "), says("words ")});
  Conversation conversation = killed.reopened();
  test::recover(killed.stage.agent, conversation, killed.stage.ports());
  REQUIRE(conversation.path().size() == 2);
  CHECK(model::plain_text(*model::message_of(conversation.path()[1])) == "right words ");
}

TEST_CASE("a key is masked in the pieces, however it was cut") {
  Killed killed;
  killed.stream({says("use sk-sec"), says("ret-key now "), says("or never ")});
  CHECK(killed.kept() == "use [masked] now or never ");
}

TEST_CASE("where the head was moved since, nothing is put behind it") {
  Killed killed;
  const Id first = *killed.conversation.head();
  value_of(killed.conversation.append({model::message_entry(model::user_message("more"))}));
  killed.stream({says("half of "), says("it ")});
  value_of(killed.stage.store.mark(killed.conversation.session(), model::payload::Head{first}));
  Conversation conversation = killed.reopened();
  test::recover(killed.stage.agent, conversation, killed.stage.ports());
  CHECK(conversation.path().size() == 1);
}

TEST_CASE("by default nothing is written while an answer comes, and never what is sent") {
  Stage plain(R"(["a b c d"])");
  Conversation conversation = plain.conversation();
  plain.turn(conversation, "go");
  const std::vector<model::Entry> entries = plain.stored(conversation);
  CHECK(std::ranges::none_of(entries, [](const model::Entry& entry) {
    return entry.type == model::type::message_delta_batch;
  }));
}

TEST_CASE("who redacts or scrubs an answer does so to its pieces") {
  Killed killed;
  killed.stream({says("the password "), says("is xyzzy "), says("ok ")});
  Conversation conversation = killed.reopened();
  test::recover(killed.stage.agent, conversation, killed.stage.ports());
  const model::Entry answer = conversation.path()[1];
  const model::Scrubbing what = model::scrubbing_of(answer, {});
  std::size_t pieces = 0;
  for (const model::Entry& entry : entries_of(killed.stage.store, conversation.session())) {
    if (entry.type != model::type::message_delta_batch) continue;
    ++pieces;
    CHECK(model::masked(entry, {answer.id}).payload == R"({"redacted":true})");
    CHECK(model::masked(entry, {}).payload == entry.payload);
    const auto scrubbed = model::scrubbed(entry, what);
    REQUIRE(scrubbed);
    const auto batch = model::read_as<MessageDeltaBatch>(*scrubbed);
    REQUIRE(batch);
    CHECK(batch->message == answer.id);
    for (const MessageDeltaBatch::Piece& piece : batch->pieces) CHECK(piece.text == "[redacted]");
  }
  CHECK(pieces > 0);
}

TEST_CASE("what came last is written though nothing more comes") {
  Killed killed;
  DeltaWriter keeper(killed.turn, killed.parts);
  const model::Ports::Input none{};
  const model::Ports::Input watched = keeper.watch(none);
  REQUIRE(watched.fd >= 0);
  keeper.see(says("One sentence."));
  while (killed.kept() != "One sentence.") {
    REQUIRE(wait(watched.fd, std::chrono::steady_clock::now() + std::chrono::seconds(60)) ==
            Wake::ready);
    watched.on_ready();
  }
}

TEST_CASE("the input is heard while an answer is kept") {
  Killed killed;
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const Fd reader(ends[0]), writer(ends[1]);
  int heard = 0;
  const model::Ports::Input input{reader.get(), [&] { ++heard; }};
  DeltaWriter keeper(killed.turn, killed.parts);
  const model::Ports::Input watched = keeper.watch(input);
  CHECK_FALSE(is_readable(watched.fd));
  REQUIRE(write(writer.get(), "x", 1) == 1);
  CHECK(is_readable(watched.fd));
  watched.on_ready();
  CHECK(heard == 1);
}

TEST_CASE("a word that may be the beginning of a key waits, other words do not") {
  const auto kept = [](const std::string& text) {
    Killed killed;
    DeltaWriter keeper(killed.turn, killed.parts);
    const model::Ports::Input none{};
    const model::Ports::Input watched = keeper.watch(none);
    keeper.see(says(text));
    while (wait(watched.fd, std::chrono::steady_clock::now() + std::chrono::milliseconds(50)) ==
           Wake::ready)
      watched.on_ready();
    return killed.kept();
  };
  CHECK(kept("use sk-sec") == "use ");
  CHECK(kept("use a1b2.") == "use ");
  CHECK(kept("it is **Ada**") == "it is **Ada**");
  CHECK(kept("我在看。") == "我在看。");
}
