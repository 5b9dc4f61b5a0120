#include "core/export/session_source.h"

#include <doctest/doctest.h>

#include "core/model/payloads.h"
#include "tests/support/exported_sample.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::exporters;
using namespace skein::test;
using exporters::ExportedSession;

namespace {

struct Bench {
  TempDir home{};
  store::SessionStore store = store_at(home.path());
  Id session = session_called(store, "main:t:one");

  Id say(const std::string& text, std::optional<Id> after = {}) {
    store::NewEntry entry = user_says(text);
    if (after) entry.entry.parent = after, entry.follows = false;
    append(store, session, {entry});
    return entry.entry.id;
  }
  ExportedSession read(const Selection& selection = {}, SecretMask* mask = nullptr) {
    return exported_session(store, store.open(session), selection, mask);
  }
};

std::vector<Id> ids_of(const ExportedSession& session) {
  std::vector<Id> out;
  session.each_entry([&](const model::Entry& entry) { out.push_back(entry.id); });
  return out;
}

std::string payloads_of(const ExportedSession& session) {
  std::string out;
  session.each_entry([&](const model::Entry& entry) { out += entry.payload + "\n"; });
  return out;
}

}  // namespace

TEST_CASE("a path has what is on it and what was noted along it, a tree has all") {
  Bench bench;
  const Id one = bench.say("one"), two = bench.say("two");
  value_of(bench.store.mark(bench.session, model::payload::Title{"named"}));
  value_of(bench.store.mark(bench.session, model::payload::Label{two, "a label"}));
  const Id other = bench.say("other", one);
  const ExportedSession path = bench.read();
  CHECK(ids_of(path) == std::vector<Id>{one, other});
  CHECK(path.leaf == other);
  CHECK(path.leaves == std::vector<Id>{other});
  CHECK(path.title == "named");
  CHECK(path.seal == "intact");
  CHECK(ids_of(bench.read({.branch = two})).size() == 4);
  const ExportedSession all = bench.read({.all_branches = true});
  CHECK(ids_of(all).size() == 5);
  CHECK(all.leaves == std::vector<Id>{two, other});
  // It may be read again.
  CHECK(ids_of(all).size() == 5);
}

TEST_CASE("what is redacted appears nowhere, not even as a title") {
  Bench bench;
  const Id said = bench.say("my telephone number");
  CHECK(bench.read().title == "my telephone number");
  // By another program, which leaves the title as it is.
  append(bench.store, bench.session,
         {{model::make_entry(model::payload::Redaction{said, "private"})}});
  const ExportedSession session = bench.read({.all_branches = true});
  CHECK(session.title.empty());
  CHECK(payloads_of(session).find("telephone") == std::string::npos);
}

TEST_CASE("a secret is masked before it was said to be one, and in what was kept apart") {
  Bench bench;
  const std::string secret = "Zk3" + std::string("v9Qx7Lw2Rt5Yb8Nc4");
  bench.say("what is " + secret + " for?");
  bench.say("password=" + secret);
  const std::string blob = value_of(bench.store.blobs().keep_blob("it is " + secret + "\n"));
  append(bench.store, bench.session,
         {{model::message_entry(
             {.role = model::Role::tool,
              .content = {model::ToolResult{
                  .tool_use_id = "c", .content = {model::Text{"cut"}}, .blob = blob}}})}});
  SecretMask mask;
  const ExportedSession session = bench.read({}, &mask);
  REQUIRE(mask.found().size() == 1);
  CHECK(mask.found()[0].place.ends_with(" user"));
  const std::string payloads = payloads_of(session);
  CHECK(payloads.find(secret) == std::string::npos);
  CHECK(payloads.find("what is ‹secret 1› for?") != std::string::npos);
  CHECK(session.blob(blob) == "it is ‹secret 1›\n");
  CHECK(session.title == "what is ‹secret 1› for?");
  // An image is not text.
  const std::string image = value_of(bench.store.blobs().keep_blob(tiny_png + secret));
  CHECK(session.blob(image) == tiny_png + secret);
}

TEST_CASE("an empty session can be exported, and damage is told") {
  Bench bench;
  CHECK(ids_of(bench.read()).empty());
  CHECK(seal_verdict({.altered = {{0, 1}}, .gaps = {1, 2}}) ==
        "changed since it was written: 1 section altered, 2 batches missing");
}
