#include "core/search/search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "core/model/message.h"
#include "core/store/home/file_backend.h"
#include "core/store/home/index/transcript.h"
#include "core/store/log/log_reader.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::search;
using namespace skein::test;

namespace {

struct Place {
  TempDir dir{};
  std::string path = (dir / "home").string();
  store::SessionStore store = store_at(path);

  Id named(const std::string& key) { return session_called(store, key); }
  Id say(Id session, const model::Message& message) {
    const store::NewEntry entry{model::message_entry(message)};
    append(store, session, {entry});
    return entry.entry.id;
  }
  Id say(Id session, const std::string& text) { return say(session, model::user_message(text)); }
  std::filesystem::path transcript(Id session) const {
    return std::filesystem::path(path) / store::log::transcript_path(session);
  }

  Ranked ranked(const std::string& query, const Filter& filter = {}) {
    return search_ranked(store, {.query = parse_query(query), .filter = filter});
  }
  std::vector<Id> found(const std::string& query, const Filter& filter = {}) {
    std::vector<Id> out;
    for (const Hit& hit : ranked(query, filter).hits)
      if (hit.entry) out.push_back(*hit.entry);
    std::ranges::sort(out);
    return out;
  }
};

std::vector<Id> ids(std::initializer_list<Id> list) {
  std::vector<Id> out(list);
  std::ranges::sort(out);
  return out;
}

model::Message answer(std::vector<model::Block> blocks) {
  return {.role = model::Role::assistant,
          .content = std::move(blocks),
          .provider = "anthropic",
          .model = "claude-x",
          .stop = model::Stop::stop};
}

model::Message result(const std::string& id, const std::string& text, bool failed = false) {
  return {.role = model::Role::tool,
          .content = {model::ToolResult{id, {model::Text{text}}, failed}}};
}

// A prompt, an answer with thinking and two calls, their results.
struct Talk : Place {
  Id session = named("main:cli:user");
  Id prompt = say(session, "where is the walrus kept?");
  Id reply =
      say(session, answer({model::Thinking{"maybe the walrus sleeps"}, model::Text{"let me look"},
                           model::ToolUse{"c1", "bash", R"({"command":"ls walrus/src"})"},
                           model::ToolUse{"c2", "read", R"({"path":"docs/walrus.md"})"}}));
  Id listing = say(session, result("c1", "ls: no walrus here", true));
  Id page = say(session, result("c2", "# Walrus\nA walrus is large."));
  Id last = say(session, answer({model::Text{"The walrus is in docs."}}));
};

}  // namespace

TEST_CASE("titles, prompts, answers, thinking and tool output are found, best first") {
  Talk talk;
  CHECK(talk.ranked("walrus").hits.size() == 5);  // a title that is only the prompt's beginning
  value_of(talk.store.mark(talk.session, model::payload::Title{"About a Walrus"}));
  const Ranked all = talk.ranked("walrus");
  REQUIRE(all.hits.size() == 6);
  CHECK(all.outcome.found == 6);
  CHECK(all.outcome.sessions == 1);
  CHECK(all.outcome.complete);
  std::vector<Role> roles;
  for (const Hit& hit : all.hits) roles.push_back(hit.role);
  CHECK(roles == std::vector{Role::title, Role::user, Role::assistant, Role::thinking, Role::tool,
                             Role::tool});
  CHECK_FALSE(all.hits[0].entry);
  CHECK(all.hits[1].entry == talk.prompt);
  CHECK(all.hits[1].key == "main:cli:user");
  CHECK(all.hits[1].snippet.text == "where is the walrus kept?");
  CHECK(all.hits[1].snippet.offsets == std::vector<std::pair<std::size_t, std::size_t>>{{13, 19}});
  CHECK(all.hits[1].branch_active);
}

TEST_CASE("filters leave only what was asked for") {
  Talk talk;
  CHECK(talk.found("walrus", {.role = Role::user}) == ids({talk.prompt}));
  CHECK(talk.found("walrus", {.role = Role::thinking}) == ids({talk.reply}));
  CHECK(talk.found("walrus", {.role = Role::tool}) == ids({talk.reply, talk.listing, talk.page}));
  CHECK(talk.found("walrus", {.tool = "bash"}) == ids({talk.reply, talk.listing}));
  CHECK(talk.found("walrus", {.tool = "read"}) == ids({talk.reply, talk.page}));
  CHECK(talk.found("large", {.tool = "read"}) == ids({talk.page}));
  CHECK(talk.found("large", {.tool = "bash"}).empty());
  CHECK(talk.found("walrus", {.model = "claude"}) == ids({talk.reply, talk.last}));
  CHECK(talk.found("walrus", {.model = "gpt"}).empty());
  CHECK(talk.found("walrus", {.errors = true}) == ids({talk.listing}));
  CHECK(talk.found("path:docs") == ids({talk.reply}));
  CHECK(talk.found("walrus", {.except = talk.session}).empty());
  CHECK(talk.found("walrus", {.session = talk.session}).size() == 5);
  CHECK(talk.found("walrus", {.since = "2999-01-01T00:00:00.000Z"}).empty());
  CHECK(talk.found("walrus", {.since = "2000-01-01T00:00:00.000Z"}).size() == 5);
  CHECK(talk.found("walrus", {.until = "2000-01-01T00:00:00.000Z"}).empty());
}

TEST_CASE("the words of JSON itself are no matches") {
  Talk talk;
  for (const char* word : {"role", "tool_use_id", "claude-x", "assistant", "seal", "isError"})
    CHECK(talk.ranked(word).hits.empty());
}

TEST_CASE("a folder means the sessions made in it and below") {
  Place place;
  for (const std::string cwd : {"/a", "/a/b", "/ab"}) {
    const auto made = value_of(
        place.store.create_session({.key = "main:cli:x" + cwd.substr(1, 1) +
                                           std::to_string(cwd.size()) + std::string(1, cwd.back()),
                                    .cwd = cwd}));
    place.say(made.session_id, "walrus");
  }
  CHECK(place.ranked("walrus", {.cwd = "/a", .role = Role::user}).hits.size() == 2);
  CHECK(place.ranked("walrus", {.cwd = "/ab", .role = Role::user}).hits.size() == 1);
}

TEST_CASE("the newest session comes first, with its best and how many there are") {
  Place place;
  const Id old = place.named("main:cli:old"), young = place.named("main:cli:young");
  for (int i = 0; i < 5; ++i) place.say(old, "walrus " + std::to_string(i));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  place.say(young, "first");
  const Id last = place.say(young, "a walrus");
  std::vector<std::string> keys;
  std::vector<std::size_t> counts, shown;
  const Request request{
      .query = parse_query("walrus"), .filter = {.role = Role::user}, .per_session = 2};
  const Outcome outcome = search_newest(place.store, request, [&](const SessionHits& session) {
    keys.push_back(session.record->key);
    counts.push_back(session.count);
    shown.push_back(session.hits.size());
    if (keys.size() == 1) CHECK(session.hits[0].entry == last);
    return true;
  });
  CHECK(keys == std::vector<std::string>{"main:cli:young", "main:cli:old"});
  CHECK(counts == std::vector<std::size_t>{1, 5});
  CHECK(shown == std::vector<std::size_t>{1, 2});
  CHECK(outcome.found == 6);

  std::size_t sessions = 0;
  const Outcome cut = search_newest(place.store, request, [&](const SessionHits&) {
    ++sessions;
    return false;
  });
  CHECK(sessions == 1);
  CHECK_FALSE(cut.complete);
}

TEST_CASE("what is redacted never matches, not even its title, nor in an archive") {
  Talk talk;
  value_of(talk.store.mark(talk.session, model::payload::Redaction{talk.prompt, "secret"}));
  CHECK(talk.found("walrus") == ids({talk.reply, talk.listing, talk.page, talk.last}));
  CHECK(talk.ranked("walrus", {.role = Role::user}).outcome.found == 0);
  CHECK(talk.ranked("kept").hits.empty());
  value_of(talk.store.life_cycle().archive(talk.session));
  CHECK(talk.found("walrus") == ids({talk.reply, talk.listing, talk.page, talk.last}));
}

TEST_CASE("an entry that is redacted while it is searched does not match") {
  Talk talk;
  store::SessionStore other = store_at(talk.path);
  for (const bool archived : {false, true}) {
    CAPTURE(archived);
    if (archived) value_of(talk.store.life_cycle().archive(talk.session));
    const Id secret = archived ? talk.page : talk.prompt;
    const store::SessionRecord listed = talk.store.list().front();
    bool done = false;
    std::vector<Id> met;
    const store::ScanFilter filter{
        .next = [](std::string_view text,
                   std::size_t from) { return from < text.size() ? from : std::string_view::npos; },
        .begin = [&] { met.clear(); }};
    const auto redacted =
        talk.store.transcripts().scan(listed, filter, [&](const model::EntryFacts& facts) {
          met.push_back(facts.id);
          if (facts.id == secret && !done) {
            done = true;
            value_of(other.mark(talk.session, model::payload::Redaction{secret, "now"}));
          }
        });
    REQUIRE(redacted);
    CHECK(redacted->contains(secret));
    CHECK(std::ranges::count(met, secret) == 1);
  }
}

TEST_CASE("archives are searched like transcripts") {
  Talk talk;
  const std::vector<Id> before = talk.found("walrus");
  value_of(talk.store.life_cycle().archive(talk.session));
  CHECK(talk.found("walrus") == before);
}

TEST_CASE(
    "an entry written since the list was made, and a torn tail, are seen as opening sees them") {
  Talk talk;
  const store::SessionRecord listed = talk.store.list().front();
  const Id later = talk.say(talk.session, "one more walrus");
  std::vector<Id> met;
  const store::ScanFilter every{
      .next = [](std::string_view text,
                 std::size_t from) { return from < text.size() ? from : std::string_view::npos; },
      .begin = [&] { met.clear(); }};
  REQUIRE(talk.store.transcripts().scan(
      listed, every, [&](const model::EntryFacts& facts) { met.push_back(facts.id); }));
  CHECK(std::ranges::count(met, later) == 1);

  // Half of a batch of two: it was never acknowledged.
  const std::size_t whole = std::filesystem::file_size(talk.transcript(talk.session));
  append(talk.store, talk.session, {user_says("torn walrus"), user_says("its end")});
  const std::string bytes = read_file(talk.transcript(talk.session));
  std::filesystem::resize_file(talk.transcript(talk.session), bytes.find('\n', whole) + 1);
  store::SessionStore fresh = store_at(talk.path);
  const Ranked found = search_ranked(fresh, {.query = parse_query("torn")});
  CHECK(found.hits.empty());
}

TEST_CASE("a damaged session gives what can still be read of it, and the others all") {
  Talk talk;
  const Id other = talk.named("main:cli:other");
  const Id there = talk.say(other, "another walrus");
  std::string bytes = read_file(talk.transcript(talk.session));
  const std::size_t at = bytes.find("where is the walrus");
  bytes.replace(at, 5, "\"\"{{,");  // cannot be read any more
  const std::size_t altered = bytes.find("The walrus is in docs");
  bytes.replace(altered, 3, "Our");  // still parses
  write_file(talk.transcript(talk.session), bytes);
  store::SessionStore fresh = store_at(talk.path);
  const Ranked found = search_ranked(fresh, {.query = parse_query("walrus")});
  std::vector<Id> met;
  for (const Hit& hit : found.hits)
    if (hit.entry) met.push_back(*hit.entry);
  CHECK(std::ranges::count(met, there) == 1);
  CHECK(std::ranges::count(met, talk.prompt) == 0);
  CHECK(std::ranges::count(met, talk.page) == 1);
  CHECK(std::ranges::count(met, talk.last) == 1);
}

TEST_CASE("an archive that cannot be unpacked is told of, and the others are searched") {
  Talk talk;
  const Id other = talk.named("main:cli:other");
  talk.say(other, "another walrus");
  value_of(talk.store.life_cycle().archive(talk.session));
  (void)talk.store.list();
  const std::filesystem::path packed =
      std::filesystem::path(talk.path) / store::home::archive_path(talk.session);
  const std::string bytes = read_file(packed);
  const auto written = std::filesystem::last_write_time(packed);
  std::string broken = bytes;
  for (std::size_t i = broken.size() / 2; i < broken.size() / 2 + 20; ++i) broken[i] = '!';
  write_file(packed, broken);
  std::filesystem::last_write_time(packed, written);  // so that the list does not notice
  const Ranked found = talk.ranked("walrus", {.role = Role::user});
  CHECK(found.hits.size() == 1);
  CHECK(found.outcome.trouble.size() == 1);
}

TEST_CASE("all branches are searched, and each hit says on which it is") {
  Place place;
  const Id session = place.named("main:cli:user");
  const Id root = place.say(session, "root");
  const Id first = place.say(session, "walrus one");
  value_of(place.store.mark(session, model::payload::Head{root}));
  const Id second = place.say(session, "walrus two");
  const Ranked all = place.ranked("walrus", {.role = Role::user});
  REQUIRE(all.hits.size() == 2);
  for (const Hit& hit : all.hits) {
    CHECK(hit.branches == 2);
    CHECK(hit.branch == (hit.entry == first ? 1 : 2));
    CHECK(hit.branch_active == (hit.entry == second));
  }
  CHECK(place.found("walrus", {.active_branch = true}) == ids({second}));
  value_of(place.store.mark(session, model::payload::Head{first}));
  CHECK(place.found("walrus", {.active_branch = true}) == ids({first}));
}

TEST_CASE("large outputs are searched when they are asked for") {
  Place place;
  const Id session = place.named("main:cli:user");
  const std::string blob =
      value_of(place.store.blobs().keep_blob("begin\nwalrus at the \"end\"\n"));
  const Id cut = place.say(
      session, {.role = model::Role::tool,
                .content = {model::ToolResult{"c1", {model::Text{"begin"}}, false, blob}}});
  CHECK(place.found("walrus").empty());
  const Ranked found = place.ranked("walrus", {.blobs = true});
  REQUIRE(found.hits.size() == 1);
  CHECK(found.hits[0].entry == cut);
  CHECK(found.hits[0].snippet.text == "begin walrus at the \"end\" ");
}

TEST_CASE("queries of every kind find what was said just so") {
  Place place;
  const Id session = place.named("main:cli:user");
  const std::string lengthy(10'000, 'q');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"he said \"stop\" twice", "\"\\\"stop\\\"\""},
      {"C:\\Users\\me", "\"C:\\\\Users\""},
      {"line one\nline two", "\"one\nline\""},
      {"party 🎉 time", "🎉"},
      {"会话搜索很快", "搜索"},
      {"e\xCC\x81te\xCC\x81", "été"},
      {"colour \x1b[31mred", "re:\\[31m"},
      {lengthy, lengthy},
      {"tab\there", "\"tab here\""},
      {"a\x7f\u0085b zebra", "zebra"},
      {"merhaba İstanbul", "İstanbul"},
      {"merhaba \"İzmir\"", "\"İzmir\""},
      {"I\u0307\u011fne", "İğne"},
      {"Maſſe", "maſſe"},
      {"273 \u212A", "\u212A"},
      {"\u212Aelvin", "\"\u212Aelvin\""},
      {"STRAẞE", "straße"},
      {"ȺB", "ⱥb"},
  };
  for (const auto& [said, query] : cases) {
    CAPTURE(said);
    CAPTURE(query);
    const Id entry = place.say(session, said);
    CHECK(place.found(query, {.role = Role::user}) == ids({entry}));
  }
  // Many words: all must be there.
  std::string many;
  for (int i = 0; i < 1500; ++i) many += "w" + std::to_string(i) + " ";
  const Id entry = place.say(session, many);
  CHECK(place.found(many, {.role = Role::user}) == ids({entry}));
  CHECK(place.found(many + " missing").empty());
}

TEST_CASE("only the best are kept of very many, and all are counted") {
  Place place;
  const Id session = place.named("main:cli:user");
  std::vector<store::NewEntry> entries;
  for (int i = 0; i < 500; ++i)
    entries.push_back({model::message_entry(result("c", "walrus " + std::to_string(i)))});
  entries.push_back({model::message_entry(model::user_message("my walrus"))});
  for (int i = 0; i < 500; ++i)
    entries.push_back({model::message_entry(result("c", "walrus " + std::to_string(i)))});
  append(place.store, session, entries);
  const Ranked found = place.ranked("walrus", {.since = "2000-01-01T00:00:00.000Z"});
  CHECK(found.hits.size() == 20);
  CHECK(found.outcome.found == 1001);
  CHECK(found.hits.front().role == Role::user);
}

TEST_CASE("what is only counted is counted as if it were read") {
  Place place;
  const Id session = place.named("main:cli:user");
  for (int i = 0; i < 100; ++i) place.say(session, "walrus " + std::to_string(i));
  // Once there are better ones these are not read to their end.
  const std::vector<model::Message> yes = {
      result("c", "a walrus"), result("c", "x\nwalrus"), result("c", "notawalrus, walrus"),
      answer({model::Text{"one"}, model::Text{"walrus"}}),
      answer({model::ToolUse{"w", "bash", R"({"a":{"b":["walrus"]}})"}})};
  const std::vector<model::Message> no = {
      result("c", "notawalrus"),
      result("walrus", "id only"),
      answer({model::Thinking{"x", "walrus"}, model::Text{"only in the signature"}}),
      answer({model::ToolUse{"c", "bash", R"({"walrus":"only a key"})"}}),
      {.role = model::Role::user, .content = {model::Text{"walrus"}}, .continuation = true}};
  for (const model::Message& message : yes) place.say(session, message);
  CHECK(place.ranked("walrus").outcome.found == 100 + yes.size());
  for (const model::Message& message : no) place.say(session, message);
  CHECK(place.ranked("walrus").outcome.found == 100 + yes.size());
  CHECK(place.ranked("\"walrus\" re:.").outcome.found >= 100 + yes.size());
}

TEST_CASE("a search that is stopped ends") {
  Talk talk;
  const std::atomic<bool> stop{true};
  const Ranked found = search_ranked(talk.store, {.query = parse_query("walrus"), .stop = &stop});
  CHECK(found.hits.empty());
  CHECK_FALSE(found.outcome.complete);
}

TEST_CASE("sessions that are kept in memory only are searched too") {
  store::SessionStore store(
      std::make_unique<store::home::FileBackend>(store::files::memory_files()));
  const Id session = session_called(store, "main:cli:user");
  append(store, session, {user_says("a walrus in memory")});
  CHECK(search_ranked(store, {.query = parse_query("walrus"), .filter = {.role = Role::user}})
            .hits.size() == 1);
}

TEST_CASE("a capital I with a dot is not every i") {
  Place place;
  const Id session = place.named("main:cli:user");
  place.say(session, "it is in his list");
  const Id dotted = place.say(session, "\u0130");
  CHECK(place.found("\"\u0130\"", {.role = Role::user}) == ids({dotted}));
  CHECK(place.found("\u0130", {.role = Role::user}) == ids({dotted}));
}
