#include "core/store/session_name.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "core/store/home/file_backend.h"
#include "core/store/session_store.h"
#include "tests/support/homes.h"

using namespace skein;
using namespace skein::store;
using namespace skein::test;

namespace {

SessionRecord record(std::uint64_t id, const std::string& key, const std::string& title) {
  SessionRecord out{.key = key};
  out.header.session = Id{id};
  out.state.title = title;
  return out;
}

// Keys of few letters, so that many begin with others.
std::string some_key(std::mt19937& random) {
  const auto part = [&] {
    std::string out;
    for (std::size_t left = 1 + random() % 3; left > 0; --left) out += random() % 2 ? 'a' : '4';
    return out;
  };
  const std::string kinds[] = {"direct", "group", "channel"};
  std::string key = part() + ":" + part() + ":" + part();
  if (random() % 4 == 0)
    key = "agent:" + part() + ":" + part() + ":" + kinds[random() % 3] + ":" + part();
  if (key.starts_with("agent:") && random() % 2) key += ":thread:" + part();
  return key;
}

std::string called(std::span<const SessionRecord> all, std::string_view name) {
  const Result<const SessionRecord*> found = session_called(all, name);
  return found ? (*found)->key : "";
}

}  // namespace

TEST_CASE("a whole key means its session or none, whatever other keys and titles there are") {
  std::mt19937 random(7);
  for (int set = 0; set < 2'000; ++set) {
    std::vector<SessionRecord> all;
    std::set<std::string> keys;
    for (std::size_t count = random() % 8; count > 0; --count)
      if (const std::string key = some_key(random); keys.insert(key).second)
        all.push_back(record(random(), key, random() % 2 ? some_key(random) : "a title"));
    for (int asked = 0; asked < 50; ++asked) {
      const std::string key = some_key(random);
      const std::string found = called(all, key);
      if (found == (keys.contains(key) ? key : "")) continue;
      FAIL(key << " is taken for " << found);
    }
    // In the trash likewise.
    for (const SessionRecord& each : all) {
      const std::string key = some_key(random);
      if (means(key, each.key, each.header.session, each.state.title) == (key == each.key))
        continue;
      FAIL(key << " is taken for " << each.key << ", called " << each.state.title);
    }
  }
}

TEST_CASE("every door of the store gives a whole key its own session") {
  std::mt19937 random(11);
  for (int set = 0; set < 40; ++set) {
    SessionStore store(std::make_unique<store::home::FileBackend>(store::files::memory_files()));
    std::set<std::string> keys;
    for (int step = 0; step < 25; ++step) {
      const std::string key = some_key(random);
      const bool there = keys.contains(key);
      const Result<SessionRecord> found = store.find(key);
      CHECK(bool(found) == there);
      if (there) CHECK(value_of(store.find(key)).key == key);
      const FoundSession made = value_of(store.find_or_create(key, [] { return "/w"; }));
      CHECK(made.made == !there);
      CHECK(store.open(made.session).key == key);
      keys.insert(key);
      if (step % 3 == 0) value_of(store.mark(made.session, payload::Title{some_key(random)}));
      if (step % 5 == 4) {
        CHECK(store.life_cycle().erase(made.session));
        keys.erase(key);
        const std::string other = some_key(random);
        if (other != key) CHECK(!store.life_cycle().restore(other));
      }
    }
    std::set<std::string> listed;
    for (const SessionRecord& each : store.list()) listed.insert(each.key);
    CHECK(listed == keys);
  }
}

TEST_CASE("what is no whole key may be an id, a title, or the beginning of a key or an id") {
  const std::vector<SessionRecord> all{
      record(0x1234000000000000u, "main:cli:user", "fix the lexer"),
      record(0x5678000000000000u, "main:bot:42", "main:cli:new"),
      record(0x5679000000000000u, "main:bot:7", "")};
  CHECK(called(all, "1234000000000000") == "main:cli:user");
  CHECK(called(all, "12") == "main:cli:user");
  CHECK(called(all, "fix the lexer") == "main:cli:user");
  CHECK(called(all, "main:cli") == "main:cli:user");
  CHECK(called(all, "main:cli:") == "main:cli:user");
  CHECK(called(all, "567") == "");
  CHECK(called(all, "main:bot:4") == "");
  CHECK(called(all, "main:cli:new") == "");
  CHECK(called(all, "") == "");
}

TEST_CASE("a key has three parts, five or seven, and the reason it is none is told") {
  for (const char* key : {"main:cli:user", "a:b:c.2", "agent:x:tg:direct:1", "agent:x:tg:group:a@b",
                          "agent:x:tg:channel:1:thread:9"})
    CHECK_MESSAGE(is_whole_key(key), key);
  for (const char* key : {"", "main", "a:b", "a::c", "a:b:c:d", "a:b:c:d:e", "agent:x:tg:dm:1",
                          "agent:x:tg:direct:1:2", "agent:x:tg:direct:1:branch:9", "main:cli:a b",
                          "main:cli:\xC3\xBC"})
    CHECK_MESSAGE(!is_whole_key(key), key);
  const Result<const SessionRecord*> none = session_called({}, "main:cli:a b");
  CHECK(none.error().text.find("may only have letters, digits and ._@+-") != std::string::npos);
}

TEST_CASE("a key that was made up is no name for people, its end tells it from others") {
  CHECK(is_made_up(fresh_key("main:cli")));
  CHECK(is_made_up("main:print:20261115T192603.090"));
  for (const char* const key : {"main:cli:user", "main:cli:20261115", "main:cli:20261115T1926", ""})
    CHECK_FALSE(is_made_up(key));
  const std::string made_up = "main:cli:20261115T192603.090-76c7";
  CHECK(shown_name(record(1, made_up, "fix the lexer")) == "fix the lexer");
  CHECK(shown_name(record(1, made_up, "")) == "new session");
  CHECK(shown_name(record(1, "main:cli:user", "")) == "main:cli:user");
  CHECK(key_tail(made_up) == "192603.090-76c7");
  CHECK(key_tail("main:cli:user") == "main:cli:user");
  CHECK(means("192603.090-76c7", made_up, Id{}, "a title"));
  CHECK(means("a title", made_up, Id{}, "a title"));
  CHECK_FALSE(means("192603.090-76c8", made_up, Id{}, "a title"));
  CHECK_FALSE(means("user", "main:cli:user", Id{}, "a title"));
}

TEST_CASE("a session is typed by its title if the title means it, else by the end of its key") {
  const std::string made = "main:cli:20260102T030405.678-1f2";
  const std::vector<SessionRecord> all{
      record(1, made + "a", "fix the lexer"),
      record(2, made + "b", "fix the lexer now"),
      record(3, made + "c", "twice"),
      record(4, made + "d", "twice"),
      record(5, made + "e", ""),
      record(6, made + "f", "-x"),
      record(7, made + "0", "main:cli:mine"),
      record(8, made + "1", "00000000000000aa"),
      record(9, made + "2", "two\nlines"),
      record(10, "main:cli:mine", "chosen"),
  };
  const char* const names[] = {"fix the lexer",   "fix the lexer now", "030405.678-1f2c",
                               "030405.678-1f2d", "030405.678-1f2e",   "030405.678-1f2f",
                               "030405.678-1f20", "030405.678-1f21",   "030405.678-1f22",
                               "main:cli:mine"};
  const Titles titles = titles_of(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(all[i].state.title);
    CHECK(typed_name(all[i], titles) == names[i]);
    if (names[i] == all[i].state.title) CHECK(called(all, names[i]) == all[i].key);
  }
}
