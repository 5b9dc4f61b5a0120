// What every store promises, whatever it keeps sessions in: one table, run against all of them.
#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/store/session_store.h"
#include "core/text/checksum.h"
#include "tests/support/any_home.h"
#include "tests/support/homes.h"
#include "tests/support/postgres_server.h"
#include "tests/support/process.h"
#include "tests/support/store_samples.h"

using namespace skein;
using namespace skein::store;
using namespace skein::test;

namespace {

constexpr Id a{0xa}, b{0xb}, c{0xfedcba9876543210u};  // the last one is negative as a number
using Kind = Failure::Kind;
using Numbers = std::vector<std::uint64_t>;
using Keys = std::vector<std::string>;

Result<Created> make(StorageBackend& backend, Id session, const std::string& key) {
  return backend.create(header_of(session, key), {});
}
Result<AppendResult> add(StorageBackend& backend, Id session, const std::vector<NewEntry>& entries,
                         const AppendOptions& options = {}) {
  return backend.append(session, entries, options);
}
Numbers numbers(StorageBackend& backend, Id session) {
  Numbers out;
  for (const Id id : ids_of(backend, session)) out.push_back(id.value - entry_id(0).value);
  return out;
}
Keys keys(StorageBackend& backend, const ListFilter& filter = {}) {
  Keys out;
  for (const SessionRecord& each : value_of(backend.list(filter))) out.push_back(each.key);
  return out;
}
NewEntry says_at(const std::string& time, std::uint64_t number) {
  NewEntry entry = says(number);
  entry.entry.timestamp = time;
  return entry;
}

struct Contract {
  const char* sentence;
  void (*holds)(const AnyHome&);
};

const Contract contracts[] = {
    {"entries come back in the order they were written, to everybody",
     [](const AnyHome& home) {
       const auto one = home.open(), two = home.open();
       REQUIRE(value_of(make(*one, a, "main:cli:user")).made);
       CHECK(value_of(add(*one, a, {says(1), says(2)})).appended == 2);
       CHECK(numbers(*two, a) == Numbers{1, 2});
       CHECK(value_of(add(*two, a, {says(3)})).entries.at(0).parent == entry_id(2));
       CHECK(value_of(add(*one, a, {says(4)})).entries.at(0).parent == entry_id(3));
       CHECK(numbers(*two, a) == Numbers{1, 2, 3, 4});
       CHECK(value_of(two->open(a)).state.head == entry_id(4));
       CHECK(value_of(one->open(a)).state == value_of(two->open(a)).state);
     }},
    {"of two that create one key the second opens what the first made",
     [](const AnyHome& home) {
       const auto one = home.open(), two = home.open();
       CHECK(value_of(make(*one, a, "main:cli:user")).made);
       const Created second = value_of(make(*two, b, "main:cli:user"));
       CHECK(second.record.header.session == a);
       CHECK_FALSE(second.made);
       CHECK(two->open(b).error().kind == Kind::gone);
     }},
    {"a session is made with what it begins with, or not at all",
     [](const AnyHome& home) {
       const auto store = home.open();
       const std::vector<NewEntry> entries{says(1), says(2), says(1)};
       CHECK(store->create(header_of(a, "main:cli:a"), entries).error().kind == Kind::id_conflict);
       CHECK(store->find("main:cli:a").error().kind == Kind::gone);
       CHECK(value_of(store->create(header_of(a, "main:cli:a"), std::span(entries).first(2))).made);
       CHECK(numbers(*store, a) == Numbers{1, 2});
       CHECK(store->create(header_of(b, "no key"), {}).error().kind == Kind::refused);
     }},
    {"what names no session is gone",
     [](const AnyHome& home) {
       const auto store = home.open();
       CHECK(store->find("main:cli:user").error().kind == Kind::gone);
       CHECK(store->find(to_string(a)).error().kind == Kind::gone);
       CHECK(store->open(a).error().kind == Kind::gone);
       CHECK(add(*store, a, {says(1)}).error().kind == Kind::gone);
       CHECK(store->erase(a).error().kind == Kind::gone);
       CHECK(store->list()->empty());
       CHECK_FALSE(store->last_used("/w"));
     }},
    {"an expected tail that is not the tail is refused, with what arrived",
     [](const AnyHome& home) {
       const auto one = home.open(), two = home.open();
       value_of(make(*one, a, "main:cli:user"));
       value_of(add(*one, a, {says(1)}));
       value_of(add(*two, a, {says(2)}, {.expected_tail = entry_id(1)}));
       const auto late = add(*one, a, {says(3)}, {.expected_tail = entry_id(1)});
       REQUIRE_FALSE(late);
       CHECK(late.error().kind == Kind::conflict);
       CHECK(late.error().tail == entry_id(2));
       REQUIRE(late.error().arrived.size() == 1);
       CHECK(late.error().arrived[0].id == entry_id(2));
       CHECK(numbers(*one, a) == Numbers{1, 2});
       // A marginal entry moves no tail.
       value_of(add(*two, a, {notes(9, R"({"kind":"title","text":"x"})")}));
       CHECK(ok(add(*one, a, {says(3)}, {.expected_tail = entry_id(2)})));
     }},
    {"an id that is there is no second entry, and no other content",
     [](const AnyHome& home) {
       const auto one = home.open(), two = home.open();
       value_of(make(*one, a, "main:cli:user"));
       const std::vector<NewEntry> batch{says(1), says(2)};
       value_of(add(*one, a, batch));
       for (StorageBackend* store : {one.get(), two.get()}) {
         const AppendResult again = value_of(add(*store, a, batch, {.expected_tail = entry_id(7)}));
         CHECK(again.appended == 0);
         CHECK(again.last == entry_id(2));
         const auto other = add(*store, a, {says(2, "something else")});
         REQUIRE_FALSE(other);
         CHECK(other.error().kind == Kind::id_conflict);
       }
       CHECK(add(*two, a, {says(3), says(3)}).error().kind == Kind::id_conflict);
       // Of a batch that is partly there the rest is written.
       CHECK(value_of(add(*two, a, {says(2), says(3)})).appended == 1);
       CHECK(numbers(*one, a) == Numbers{1, 2, 3});
     }},
    {"a batch with one entry that is refused leaves nothing",
     [](const AnyHome& home) {
       const auto store = home.open();
       value_of(make(*store, a, "main:cli:user"));
       NewEntry bad = says(2);
       bad.entry.payload = "[1]";
       CHECK(add(*store, a, {says(1), bad}).error().kind == Kind::refused);
       CHECK(add(*store, a, {says(1), says_after(2, 77)}).error().kind == Kind::refused);
       value_of(add(*store, a, {notes(5, R"({"kind":"x"})"), says(6)}));
       CHECK(add(*store, a, {says_after(7, 5)}).error().kind == Kind::refused);
       CHECK(add(*home.open(), a, {says_after(7, 5)}).error().kind == Kind::refused);
       CHECK(numbers(*store, a) == Numbers{5, 6});
     }},
    {"an entry may follow any other that is there",
     [](const AnyHome& home) {
       const auto store = home.open();
       value_of(make(*store, a, "main:cli:user"));
       value_of(add(*store, a, {says(1), says(2), says(3)}));
       value_of(add(*home.open(), a, {says_after(4, 1)}));
       CHECK(value_of(store->open(a)).state.leaves.size() == 2);
       CHECK(value_of(store->open(a)).state.head == entry_id(4));
     }},
    {"a session is found by its key and by its id",
     [](const AnyHome& home) {
       const auto store = home.open();
       value_of(make(*store, c, "main:cli:user"));
       value_of(add(*store, c, {says(1)}));
       CHECK(value_of(store->find("main:cli:user")).header.session == c);
       CHECK(value_of(home.open()->find(to_string(c))).key == "main:cli:user");
       CHECK(value_of(store->find("main:cli:user")).header == header_of(c, "main:cli:user"));
     }},
    {"sessions are listed by their last use, of one folder, so many, unused since",
     [](const AnyHome& home) {
       const auto store = home.open();
       for (const auto& [session, key] :
            {std::pair{a, "main:cli:a"}, {b, "main:cli:b"}, {c, "main:cli:c"}}) {
         SessionHeader header = header_of(session, key);
         header.cwd = session == b ? "/elsewhere" : "/here";
         value_of(store->create(header, {}));
       }
       value_of(add(*store, a, {says_at("2030-01-02T03:04:05.678Z", 1)}));
       value_of(add(*store, b, {says_at("2030-01-02T03:04:06Z", 1)}));
       value_of(add(*store, c, {says_at("2030-01-02T03:04:05Z", 1)}));
       const auto other = home.open();
       CHECK(keys(*other) == Keys{"main:cli:b", "main:cli:a", "main:cli:c"});
       CHECK(keys(*other, {.limit = 2}) == Keys{"main:cli:b", "main:cli:a"});
       CHECK(keys(*other, {.cwd = "/here"}) == Keys{"main:cli:a", "main:cli:c"});
       CHECK(keys(*other, {.cwd = "/here", .limit = 1}) == Keys{"main:cli:a"});
       CHECK(keys(*other, {.unused_since = "2030-01-02T03:04:05.678Z"}) == Keys{"main:cli:c"});
       const SessionRecord listed = value_of(other->list()).at(1);
       CHECK(listed.state == value_of(other->open(a)).state);
       CHECK(listed.header == value_of(other->open(a)).header);
       CHECK(listed.bytes == value_of(other->open(a)).bytes);
     }},
    {"forward, backward, from a place and one alone: the same entries",
     [](const AnyHome& home) {
       const auto writer = home.open();
       value_of(make(*writer, a, "main:cli:user"));
       Numbers all;
       for (std::uint64_t number = 1; number <= 600; number += 3) {
         value_of(add(*writer, a,
                      {says(number), says(number + 1, std::string(number * 7, 'x')),
                       says(number + 2, "\u00e9\u4e2d \u2028\x01\"\\")}));
         for (std::uint64_t i = 0; i < 3; ++i) all.push_back(number + i);
       }
       const auto store = home.open();
       CHECK(numbers(*store, a) == all);
       std::vector<StoredEntry> backward;
       value_of(store->load_back(a, std::nullopt, [&](const StoredEntry& placed) {
         backward.push_back(placed);
         return true;
       }));
       REQUIRE(backward.size() == all.size() + 1);  // the header is the last
       CHECK(backward.back().entry.type == type::session_header);
       CHECK(backward.back().at == 0);
       const Position middle = value_of(store->locate(a, entry_id(301)));
       CHECK(value_of(store->load_at(a, middle)).entry.id == entry_id(301));
       std::size_t seen = 0;
       value_of(store->load(a, middle, [&](const StoredEntry& placed) {
         if (seen == 0) CHECK(placed.entry.id == entry_id(301));
         CHECK(placed.at >= middle);
         return ++seen < 5;
       }));
       CHECK(seen == 5);
       seen = 0;
       value_of(store->load_back(a, middle, [&](const StoredEntry& placed) {
         if (seen == 1) CHECK(placed.entry.id == entry_id(300));
         return ++seen < 3;
       }));
       CHECK(seen == 3);
       seen = 0;
       value_of(store->survey(a, [&](const EntryFacts&) { ++seen; }));
       CHECK(seen == all.size() + 1);
       CHECK(store->locate(a, entry_id(9999)).error().kind == Kind::gone);
       CHECK_FALSE(value_of(store->examine(a)).any());
     }},
    {"a place in a session is the same whatever it is kept in",
     [](const AnyHome& home) {
       const auto store = home.open();
       SessionHeader header = header_of(a, "main:cli:user");
       value_of(store->create(header, {}));
       value_of(add(*store, a, {says(1, "\u00e9"), says(2)}));
       StoredEntry first;
       value_of(store->load(a, 0, [&](const StoredEntry& placed) {
         first = placed;
         return false;
       }));
       const Position one = value_of(store->locate(a, entry_id(1))),
                      two = value_of(store->locate(a, entry_id(2)));
       CHECK(first.at == 0);
       CHECK(one > 100);
       CHECK(two > one + 100);
       CHECK(value_of(store->open(a)).bytes > two + 100);
     }},
    {"a fork begins with the path, and with what is about it",
     [](const AnyHome& home) {
       SessionStore store(home.open());
       const Id session = session_called(store, "main:cli:user");
       append(store, session, {says_after(1, std::nullopt), says(2), says(3), says_after(4, 2)});
       value_of(store.mark(session, payload::Label{entry_id(2), "here"}));
       value_of(store.mark(session, payload::Label{entry_id(3), "there"}));
       value_of(store.mark(session, payload::Redaction{entry_id(1), "secret"}));
       const Id made =
           value_of(store.branch_from_entry(session, entry_id(4), "main:cli:fork")).session_id;
       Numbers path;
       for (const Entry& entry : entries_of(store, made))
         if (entry.type == type::message) path.push_back(entry.id.value - entry_id(0).value);
       CHECK(path == Numbers{1, 2, 4});
       const SessionState state = store.open(made).state;
       CHECK(state.labels == std::map<Id, std::string>{{entry_id(2), "here"}});
       CHECK(state.redacted == std::set<Id>{entry_id(1)});
       CHECK(store.open(made).header.parent_session->entry == entry_id(4));
       CHECK_FALSE(value_of(store.transcripts().examine(made)).any());
       CHECK(store.branch_from_entry(session, entry_id(2), "main:cli:fork").error().kind ==
             Kind::refused);
       CHECK(store.branch_from_entry(session, entry_id(99)).error().kind == Kind::gone);
     }},
    {"what is thrown away comes back, the last one first, under a free key",
     [](const AnyHome& home) {
       const auto store = home.open();
       value_of(make(*store, a, "main:cli:user"));
       value_of(add(*store, a, {says(1)}));
       value_of(store->erase(a));
       CHECK(store->open(a).error().kind == Kind::gone);
       CHECK(add(*home.open(), a, {says(2)}).error().kind == Kind::gone);
       CHECK(store->list()->empty());
       value_of(make(*store, b, "main:cli:user"));
       value_of(store->erase(b));
       const auto trash = value_of(home.open()->trash());
       REQUIRE(trash.size() == 2);
       CHECK(trash[0].session == b);
       CHECK(trash[1].key == "main:cli:user");
       CHECK(trash[1].messages == 1);
       CHECK(trash[0].thrown_away_ms > trash[1].thrown_away_ms);
       CHECK(value_of(store->restore("main:cli:user")).header.session == b);
       const SessionRecord second = value_of(store->restore("main:cli:user"));
       CHECK(second.header.session == a);
       CHECK(second.key == "main:cli:user.2");
       CHECK(value_of(home.open()->open(a)).state.key == "main:cli:user.2");
       CHECK(value_of(home.open()->find("main:cli:user.2")).header.session == a);
       CHECK(store->restore("main:cli:user").error().kind == Kind::gone);
     }},
    {"a session that comes back brings those along that work for it, and no others",
     [](const AnyHome& home) {
       const auto store = home.open();
       value_of(make(*store, a, "main:cli:user"));
       value_of(make(*store, b, "main:cli:other"));
       const auto child = [&](Id session, const std::string& key, Id parent) {
         const SessionHeader header{.session = session,
                                    .key = key,
                                    .cwd = "/w",
                                    .created_by = "test",
                                    .created_at = "2026-01-01T00:00:00.000Z",
                                    .parent_session = SessionHeader::Origin{parent, parent}};
         value_of(store->create(header, {}));
         value_of(store->erase(session));
       };
       const Id own{0xa1}, others{0xb1}, branch{0xa2};
       child(own, "main:sub:00000000000000a1", a);
       child(others, "main:sub:00000000000000b1", b);
       child(branch, "main:cli:branch", a);
       value_of(store->erase(b));
       value_of(store->erase(a));

       CHECK(value_of(store->restore("main:cli:user")).header.session == a);

       const auto there = home.open();
       CHECK(value_of(there->list()).size() == 2);
       CHECK(value_of(there->open(own)).key == "main:sub:00000000000000a1");
       CHECK(value_of(there->trash()).size() == 3);
     }},
    {"an emptied trash is empty",
     [](const AnyHome& home) {
       const auto store = home.open();
       value_of(make(*store, a, "main:cli:user"));
       value_of(store->erase(a));
       const EmptiedTrash emptied = value_of(store->empty_trash());
       CHECK(emptied.sessions == 1);
       CHECK(emptied.bytes > 100);
       CHECK(value_of(store->trash()).empty());
       CHECK(store->restore(to_string(a)).error().kind == Kind::gone);
       CHECK(value_of(store->empty_trash()).sessions == 0);
     }},
    {"an archived session is read as before, and the next append unarchives it",
     [](const AnyHome& home) {
       const auto store = home.open();
       value_of(make(*store, a, "main:cli:user"));
       value_of(add(*store, a, {says(1)}));
       value_of(store->archive(a));
       const auto other = home.open();
       CHECK(value_of(other->open(a)).archived);
       CHECK(value_of(other->list()).at(0).archived);
       CHECK(numbers(*other, a) == Numbers{1});
       value_of(add(*other, a, {says(2)}));
       CHECK_FALSE(value_of(store->open(a)).archived);
       value_of(store->archive(a));
       value_of(store->unarchive(a));
       CHECK_FALSE(value_of(home.open()->open(a)).archived);
       CHECK(numbers(*store, a) == Numbers{1, 2});
     }},
    {"a blob comes back as it was, by its content's name",
     [](const AnyHome& home) {
       const auto store = home.open();
       std::string large(3'500'000, '\0');
       for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * i >> 3);
       for (const std::string& bytes : {std::string("x"), large}) {
         const std::string name = value_of(store->keep_blob(bytes));
         CHECK(name == sha256_hex(bytes));
         CHECK(value_of(store->keep_blob(bytes)) == name);
         CHECK(value_of(home.open()->load_blob(name)) == bytes);
       }
       CHECK_FALSE(store->load_blob(std::string(64, 'a')));
       CHECK(store->load_blob("../x").error().kind == Kind::refused);
     }},
    {"which session a workspace used last is known",
     [](const AnyHome& home) {
       const auto store = home.open();
       value_of(make(*store, a, "main:cli:a"));
       value_of(make(*store, b, "main:cli:b"));
       store->enter(a, "/w");
       CHECK(home.open()->last_used("/w") == a);
       (void)store->open(b);
       store->remember(b, "/w");
       CHECK(home.open()->last_used("/w") == b);
       CHECK_FALSE(home.open()->last_used("/v"));
       value_of(store->erase(b));
       CHECK_FALSE(home.open()->last_used("/w"));
     }},
    {"any number may be at work in a session, one alone only when nobody else is",
     [](const AnyHome& home) {
       const auto ours = home.open(), theirs = home.open();
       value_of(make(*ours, a, "main:cli:a"));
       value_of(make(*ours, c, "main:cli:c"));
       SessionLease first = value_of(ours->hold(c, LockMode::shared));
       CHECK(ok(theirs->hold(c, LockMode::shared)));
       CHECK(theirs->hold(c, LockMode::exclusive).error().kind == Kind::busy);
       CHECK(ours->hold(c, LockMode::exclusive).error().kind == Kind::busy);
       CHECK(ok(theirs->hold(a, LockMode::exclusive)));
       first.reset();
       bool free = false;  // a server notices a moment later that a connection was closed
       for (int tries = 0; !free && tries < 6000; ++tries)
         if (!(free = ok(theirs->hold(c, LockMode::exclusive)))) usleep(10'000);
       CHECK(free);
     }},
    {"who is at work can be seen by everybody",
     [](const AnyHome& home) {
       const auto ours = home.open(), theirs = home.open();
       value_of(make(*ours, a, "main:cli:a"));
       value_of(make(*ours, c, "main:cli:c"));
       const std::vector<Id> both{a, c};
       CHECK(theirs->at_work(both).empty());
       SessionLease lease = value_of(ours->hold(c, LockMode::shared));
       CHECK(theirs->at_work(both) == std::map<Id, std::string>{{c, who_we_are()}});
       CHECK(theirs->at_work(std::span(both).first(1)).empty());
       lease.reset();
       for (int tries = 0; !theirs->at_work(both).empty() && tries < 6000; ++tries) usleep(10'000);
       CHECK(theirs->at_work(both).empty());
     }},
    {"whoever watches a session is told of what is written to it, and of nothing else",
     [](const AnyHome& home) {
       const auto ours = home.open(), theirs = home.open();
       value_of(make(*ours, a, "main:cli:a"));
       value_of(make(*ours, b, "main:cli:b"));
       const auto watch = theirs->watch(a);
       REQUIRE(watch);
       const auto told = [&](int patience_ms) {
         pollfd fd{watch->descriptor(), POLLIN, 0};
         return poll(&fd, 1, patience_ms) == 1;
       };
       value_of(add(*ours, a, {says(1)}));
       CHECK(told(60'000));
       CHECK(watch->take());
       value_of(add(*ours, b, {says(2)}));
       CHECK((!told(300) || !watch->take()));
     }},
    {"a list has the sessions it was asked for, whatever is asked",
     [](const AnyHome& home) {
       SessionStore store(home.open(), [](const std::string& folder) {
         return folder == "/w" ? std::string("host/one") : std::string{};
       });
       const auto session = [&](const std::string& key, const std::string& folder) {
         return value_of(store.create_session({.key = key, .cwd = folder, .title = "about " + key}))
             .session_id;
       };
       session("main:cli:a", "/w");
       const Id second = session("main:cli:ab", "/v");
       session("main:cli:c", "/w");
       const auto backend = home.open();
       const auto listed = [&](const ListFilter& filter) {
         const Keys all = keys(*backend, filter);
         return std::set<std::string>(all.begin(), all.end());
       };
       using Set = std::set<std::string>;
       CHECK(listed({.cwd = "/v"}) == Set{"main:cli:ab"});
       CHECK(listed({.project = "host/one"}) == Set{"main:cli:a", "main:cli:c"});
       CHECK(listed({.project = "host/two"}).empty());
       CHECK(listed({.cwd = "/w", .limit = 1}).size() == 1);
       CHECK(listed({.unused_since = "2001-01-01T00:00:00.000Z"}).empty());
       CHECK(listed({.limit = 2}).size() == 2);
       // At least those it may name; one that names none has none to show.
       for (const std::string& name :
            {std::string("main:cli:ab"), to_string(second).substr(0, 9),
             std::string("about main:cli:ab"), std::string("main:cli:ab'--")}) {
         const SessionStore::ProjectOf none;
         SessionStore named(home.open(), none);
         const auto found = named.find(name);
         CHECK(bool(found) == (name != "main:cli:ab'--"));
         if (found) CHECK(found->header.session == second);
       }
     }},
    {"a session from elsewhere whose key is taken gets a number, if it may",
     [](const AnyHome& home) {
       const AnyHome elsewhere(AnyHome::Kind::folder);
       const auto from = elsewhere.open(), to = home.open();
       value_of(make(*from, a, "main:cli:user"));
       value_of(add(*from, a, {says(1)}));
       value_of(make(*to, b, "main:cli:user"));
       const auto lines = [&](const VisitText& visit) { return from->give_lines(a, 0, visit); };
       CHECK(to->import_lines(a, lines).error().kind == Kind::conflict);
       CHECK(value_of(to->import_lines(a, lines, TakenKey::numbered)).key == "main:cli:user.2");
       value_of(add(*to, a, {says(2)}));
       CHECK(value_of(home.open()->find("main:cli:user.2")).header.session == a);
       CHECK(value_of(home.open()->find("main:cli:user")).header.session == b);
     }},
    {"what a filter lets pass is found, and what is redacted is known",
     [](const AnyHome& home) {
       const auto store = home.open();
       value_of(make(*store, a, "main:cli:a"));
       value_of(add(*store, a, {says(1, "a needle"), says(2, "hay"), says(3, "needle too")}));
       value_of(add(*store, a, {{model::make_entry(payload::Redaction{entry_id(3), "x"})}}));
       ScanFilter filter;
       filter.next = [](std::string_view text, std::size_t from) {
         return text.find("needle", from);
       };
       std::vector<Id> found;
       const auto redacted =
           value_of(store->scan(value_of(store->list()).at(0), filter,
                                [&](const EntryFacts& facts) { found.push_back(facts.id); }));
       CHECK(found == std::vector{entry_id(1), entry_id(3)});
       CHECK(redacted == std::set<Id>{entry_id(3)});
     }},
    {"writers in several processes lose nothing and write nothing twice",
     [](const AnyHome& home) {
       value_of(make(*home.open(), a, "main:cli:a"));
       constexpr std::uint64_t writers = 4, batches = 40;
       std::vector<pid_t> processes;
       for (std::uint64_t writer = 0; writer < writers; ++writer)
         processes.push_back(start([&home, writer] {
           const auto store = home.open();
           for (std::uint64_t i = 0; i < batches; ++i) {
             const std::uint64_t number = 1000 * (writer + 1) + 2 * i;
             if (!add(*store, a, {says(number), says(number + 1)})) return 1;
           }
           return 0;
         }));
       for (const pid_t process : processes) CHECK(status_of(process) == 0);
       const Numbers there = numbers(*home.open(), a);
       CHECK(there.size() == writers * batches * 2);
       CHECK(std::set<std::uint64_t>(there.begin(), there.end()).size() == there.size());
       for (std::size_t i = 0; i + 1 < there.size(); i += 2) CHECK(there[i] + 1 == there[i + 1]);
       CHECK_FALSE(value_of(home.open()->examine(a)).any());
       CHECK(value_of(home.open()->open(a)).state.entries ==
             static_cast<std::int64_t>(there.size()));
     }},
    {"whatever a text holds, it comes back as it was",
     [](const AnyHome& home) {
       SessionStore store(home.open());
       const std::string nasty[] = {"'; drop table skein.session; --",
                                    "\\'; delete from skein.line; --",
                                    "$1 $2 $$ $q$ %s %n {} \\x00 \\",
                                    "\" or \"\"=\"",
                                    std::string("a\0b", 3),
                                    "\xff\xfe not utf8",
                                    "\u202e\u2066 \x1b[31m",
                                    std::string(100'000, '\'')};
       const Id session = session_called(store, "main:cli:user");
       std::vector<std::string> sent;
       for (const std::string& text : nasty) {
         const AppendResult done = append(store, session, {user_says(text)});
         sent.push_back(done.entries.at(0).payload);
         value_of(store.mark(session, payload::Title{text}));
         CHECK_FALSE(store.find(text + ":x:y"));
         store.presence().enter(session, "/" + text);
         if (is_valid_utf8(text) && text.find('\0') == std::string::npos)
           CHECK(store.presence().last_used("/" + text) == session);
       }
       std::vector<std::string> got;
       for (const Entry& entry : entries_of(store, session))
         if (entry.type == type::message) got.push_back(entry.payload);
       CHECK(got == sent);
       CHECK(store.list().size() == 1);
       SessionStore other(home.open());
       CHECK(other.open(session).state == store.open(session).state);
     }},
};

void check_all(AnyHome::Kind kind) {
  for (const Contract& contract : contracts) {
    CAPTURE(contract.sentence);
    const AnyHome home(kind);
    try {
      contract.holds(home);
    } catch (const Error& error) {
      FAIL_CHECK(contract.sentence << ": " << error.what());
    }
  }
}

}  // namespace

TEST_CASE("a folder keeps what every store promises") { check_all(AnyHome::Kind::folder); }

TEST_CASE("a database keeps what every store promises") {
  if (has_postgres()) check_all(AnyHome::Kind::database);
}
