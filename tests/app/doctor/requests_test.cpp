#include "app/doctor/requests.h"

#include <doctest/doctest.h>

#include "core/agent/agent.h"
#include "core/context/sent_request.h"
#include "core/store/home/file_backend.h"
#include "providers/request.h"
#include "providers/wire/codecs.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"
#include "tests/support/random_session.h"

using namespace skein;
using namespace skein::test;
using Result = doctor::RequestCheck::Result;

namespace {

const model::ModelRef asked{"anthropic", "claude-opus-5-5"};

store::SessionStore store_in_memory() {
  return store::SessionStore(
      std::make_unique<store::home::FileBackend>(store::files::memory_files()));
}

// Answers every request, and tells of it as the provider behind HTTP does.
class Speaker : public model::Provider {
 public:
  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports&) override {
    const catalog::ProviderRow& row = *catalog_.find_provider(model.provider);
    const catalog::ModelRow known = catalog_.find_model(model);
    if (context.on_sent)
      context.on_sent(providers::sent_request(
          providers::make_request(context, model, row, known).wire.body, model, row, known));
    return {.role = model::Role::assistant,
            .content = {model::Text{"so it is"}},
            .provider = model.provider,
            .model = model.model,
            .stop = model::Stop::stop};
  }

 private:
  const catalog::Catalog catalog_{};
};

struct Talk {
  store::SessionStore store = store_in_memory();
  Speaker speaker{};
  model::Tools tools{};
  Id session = session_called(store, "main:test:talk");

  explicit Talk(const std::vector<std::string>& prompts) {
    agent::Agent agent(agent_parts(store, tools, speaker));
    agent::Conversation conversation(store, session);
    agent::Settings settings{.model = asked, .system = "be brief"};
    for (const std::string& prompt : prompts)
      agent.run_turn(conversation, model::user_message(prompt), settings, {});
  }
};

std::string replaced(std::string in, std::string_view text, std::string_view instead) {
  for (std::size_t at = 0; (at = in.find(text, at)) != std::string::npos; at += instead.size())
    in.replace(at, text.size(), instead);
  return in;
}

// The checks of a copy of the talk in which one text has taken the place of another. The store
// writes and seals every line of the copy, so the log itself is in order.
std::vector<doctor::RequestCheck> checks_of_copy(Talk& talk, std::string_view text,
                                                 std::string_view instead,
                                                 const catalog::Catalog& catalog = {}) {
  store::SessionStore copies = store_in_memory();
  const Id copy = session_called(copies, "main:test:copy");
  for (model::Entry entry : entries_of(talk.store, talk.session)) {
    entry.payload = replaced(std::move(entry.payload), text, instead);
    entry.meta = replaced(std::move(entry.meta), text, instead);
    append(copies, copy, {{std::move(entry), false}});
  }
  CHECK(damage_in(copies, copy).empty());
  return doctor::check_requests(copies, copy, catalog);
}

std::vector<Result> results_of(const std::vector<doctor::RequestCheck>& checks) {
  std::vector<Result> out;
  for (const doctor::RequestCheck& check : checks) out.push_back(check.result);
  return out;
}

}  // namespace

TEST_CASE("the requests of a random session can be built again from its log, byte for byte") {
  const catalog::Catalog catalog;
  std::size_t same = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto look = [&](store::SessionStore& store, Id session) {
      for (const doctor::RequestCheck& check : doctor::check_requests(store, session, catalog)) {
        CAPTURE(to_string(check.answer));
        CAPTURE(check.note);
        CHECK(check.result != Result::differs);
        if (check.result == Result::unknown) CHECK(check.note.starts_with("no hash was recorded"));
        same += check.result == Result::same;
      }
    };
    CHECK(play_random_session(seed, SeededBug::none, look).trouble.empty());
  }
  CHECK(same > 200);
}

TEST_CASE("a changed character is found, and the entries it may be in are named") {
  Talk talk({"first", "second", "third"});
  const std::vector<Result> clean(3, Result::same);
  CHECK(results_of(checks_of_copy(talk, "second", "second")) == clean);

  const std::vector<doctor::RequestCheck> checks = checks_of_copy(talk, "second", "secend");
  CHECK(results_of(checks) == std::vector{Result::same, Result::differs, Result::differs});
  REQUIRE(checks.size() == 3);
  // What changed keeps its length. The first answer and what follows it are in no request that is
  // the same.
  const std::string first = to_string(checks[0].answer) + " (assistant), ";
  CHECK(checks[1].note.find("; the cause is in " + first) != std::string::npos);
  CHECK(checks[1].note.ends_with(" (user)"));
  CHECK(checks[2].note.ends_with("the request of " + to_string(checks[1].answer) +
                                 " differs already"));
  CHECK(results_of(checks_of_copy(talk, "be brief", "be Brief")) ==
        std::vector<Result>(3, Result::differs));
}

TEST_CASE("what cannot be compared is not called different") {
  Talk talk({"first", "second"});
  const auto note_of_second = [&](const std::vector<doctor::RequestCheck>& checks) {
    REQUIRE(checks.size() == 2);
    CHECK(checks[1].result == Result::unknown);
    return checks[1].note;
  };
  CHECK(note_of_second(checks_of_copy(talk, "second", "[redacted]"))
            .find("; text was removed from ") != std::string::npos);
  CHECK(note_of_second(checks_of_copy(talk, "\"request\":", "\"requests\":"))
            .starts_with("no hash was recorded"));
  CHECK(note_of_second(checks_of_copy(talk, "\"provider\":\"anthropic\"",
                                      "\"provider\":\"gone\"")) == "no provider is called gone");
}

TEST_CASE("another version of the wire formats counts only if the bytes differ") {
  const std::string ours = "\"wire\":" + std::to_string(wire::request_version) + ",";
  Talk talk({"first", "second"});
  CHECK(results_of(checks_of_copy(talk, ours, "\"wire\":0,")) ==
        std::vector{Result::same, Result::same});
  Talk changed({"first"});
  const auto entries = entries_of(changed.store, changed.session);
  const auto sent = context::request_in_meta(entries.back());
  REQUIRE(sent);
  const std::string recorded = sent->sha256 + R"(","bytes":)" + std::to_string(sent->bytes) + ",";
  const auto checks =
      checks_of_copy(changed, recorded + ours, std::string(64, '0') + R"(","bytes":1,"wire":0,)");
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].result == Result::unknown);
  CHECK(checks[0].note == "version 0 of the wire formats sent it");
}

TEST_CASE("a model of which other things are known now cannot be checked") {
  Talk talk({"first"});
  catalog::Catalog catalog;
  catalog.learn("anthropic", {{.name = "claude-opus-5-5", .max_output = 1234}});
  const auto checks = doctor::check_requests(talk.store, talk.session, catalog);
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].result == Result::unknown);
  CHECK(checks[0].note == "the settings of anthropic/claude-opus-5-5 have changed since");
}

TEST_CASE("images, thinking and messages sent during a turn are part of the request") {
  Talk talk(std::vector<std::string>{});
  const std::string blob = value_of(talk.store.blobs().keep_blob("not really a picture"));
  agent::Inbox inbox;
  agent::Agent agent(agent_parts(talk.store, talk.tools, talk.speaker,
                                 [&](agent::Parts& with) { with.inbox = &inbox; }));
  agent::Conversation conversation(talk.store, talk.session);
  agent::Settings settings{.model = asked, .system = "be brief"};
  settings.model.thinking = model::ThinkingLevel::high;
  model::Message picture = model::user_message("what is this?");
  picture.content.emplace_back(model::Image{"image/png", blob});
  agent.run_turn(conversation, picture, settings, {});
  inbox.put(agent::steered(model::user_message("wait")), talk.session);
  agent.run_turn(conversation, model::user_message("and now?"), settings, {});
  CHECK(results_of(doctor::check_requests(talk.store, talk.session, {})) ==
        std::vector{Result::same, Result::same});

  // The copy is in a home that has no blobs.
  for (const doctor::RequestCheck& check : checks_of_copy(talk, "wait", "wait")) {
    CHECK(check.result == Result::unknown);
    CHECK(check.note == "an image in it is gone");
  }
}
