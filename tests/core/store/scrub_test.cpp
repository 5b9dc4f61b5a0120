#include <doctest/doctest.h>

#include "core/json.h"
#include "core/store/packed.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

namespace fs = std::filesystem;

const std::string secret = "tok_9f8e7d6c5b4aZQ31xY";
const std::string said = "please log in with " + secret + "\nand then \"deploy\" it to the server";

// The files under the home in which a text stands, archives unpacked.
std::vector<std::string> holding(const std::string& home, const std::string& text) {
  const std::unique_ptr<Files> files = real_files(home);
  std::vector<std::string> out;
  for (const auto& each : fs::recursive_directory_iterator(home)) {
    if (!each.is_regular_file()) continue;
    const std::string path = fs::relative(each.path(), home).string();
    std::string bytes;
    REQUIRE(read_pieces(*files, path, [&](std::string_view piece) {
              bytes += piece;
              return 0;
            }) == 0);
    if (bytes.find(text) != std::string::npos) out.push_back(path);
  }
  std::ranges::sort(out);
  return out;
}

struct Home {
  TempDir dir{};
  std::string path = (dir / "home").string();
  SessionStore store = store_at(path);
  Id session = session_called(store, "main:cli:user");

  Home() {
    append(store, session, {user_says(said, numbered_id(1)), user_says("thanks", numbered_id(2))});
  }
  Scrubbed scrub() { return value_of(store.scrub(session, numbered_id(1), "leaked")); }
};

}  // namespace

TEST_CASE("a scrubbed entry keeps its place and its id, and its text is gone from every file") {
  Home home;
  append(home.store, home.session, {user_says("and more", numbered_id(3))});
  home.store.remember(home.session, "/w");
  const auto inode = [&] {
    FileStat stat;
    real_files(home.path)->stat_path(transcript_path(home.session), stat);
    return stat.inode;
  };
  const std::uint64_t before = inode();
  REQUIRE(!holding(home.path, secret).empty());

  home.scrub();

  CHECK(inode() != before);
  CHECK(holding(home.path, secret).empty());
  CHECK(holding(home.path, "deploy").empty());
  CHECK(holding(home.path, "please log in").empty());  // it was the title, too
  SessionStore other = store_at(home.path);
  for (SessionStore* store : {&home.store, &other}) {
    const SessionRecord record = value_of(store->open(home.session));
    CHECK(record.state.redacted == std::set<Id>{numbered_id(1)});
    CHECK(record.state.title == "[redacted]");
    CHECK(record.state.head == numbered_id(3));
    CHECK(record.state.messages == 3);
    const Entry masked = value_of(store->load_entry(home.session, numbered_id(1)));
    CHECK(plain_text(*message_from_json(masked.payload)) == "[redacted]");
    CHECK(damage_in(*store, home.session).empty());
  }
  append(other, home.session, {user_says("on")});
  CHECK(value_of(home.store.path(home.session, numbered_id(3))).entries.size() == 3);
}

TEST_CASE("a secret is scrubbed wherever else it stands") {
  Home home;
  const Id fork = value_of(home.store.branch_from_entry(home.session, numbered_id(2))).session_id;
  const Id packed = value_of(home.store.branch_from_entry(home.session, numbered_id(1))).session_id;
  REQUIRE(!home.store.backend().archive(packed));
  const Id thrown = value_of(home.store.branch_from_entry(home.session, numbered_id(1))).session_id;
  REQUIRE(!home.store.erase(thrown));
  const Id unrelated = session_called(home.store, "main:cli:other");
  append(home.store, unrelated, {user_says("use " + secret + " here as well", numbered_id(7))});
  const std::string blob = value_of(home.store.backend().keep_blob("output: " + secret + "\n"));
  append(home.store, home.session,
         {{make_entry(type::compaction_summary,
                      dump({{"summary", "They said: " + said}, {"tokensBefore", 9}}))}});
  value_of(home.store.snapshot(home.session, "with " + secret, numbered_id(2)));
  const fs::path root = home.path;
  write_file(root / "quarantine" / "0000000000000001.12.frag", "\"text\":\"" + secret + "\nkept\n");
  fs::create_directories(root / "drafts");
  write_file(root / "drafts" / to_string(home.session), "a draft with " + secret);
  write_file(root / "history", "ls\nlog in with " + secret + "\npwd\n");
  write_file(root / "transcripts" / "0000000000000002.jsonl.00.tmp", "half of " + secret);

  const Scrubbed report = home.scrub();

  CHECK(holding(home.path, secret).empty());
  CHECK(holding(home.path, "and then").empty());
  CHECK(report.changed.size() == 10);
  CHECK(read_file(root / "history") == "ls\npwd\n");
  CHECK(read_file(root / "quarantine" / "0000000000000001.12.frag") == "kept\n");
  CHECK(preview(value_of(home.store.load_entry(unrelated, numbered_id(7))), 60) ==
        "use [redacted] here as well");
  CHECK(value_of(home.store.open(packed)).archived);
  CHECK(value_of(home.store.open(fork)).state.title == "[redacted]");
  CHECK(!fs::exists(root / "blobs" / blob));
  for (const Id session : {home.session, fork, packed, unrelated})
    CHECK(damage_in(home.store, session).empty());
  CHECK(value_of(home.store.restore(to_string(thrown))).state.entries > 0);
  CHECK(home.scrub().changed.empty());  // a second time there is nothing to do
}

TEST_CASE("what is merely said again elsewhere stays, and what the user names goes") {
  Home home;
  append(home.store, home.session, {user_says("hunter2 it is", numbered_id(3))});
  const Id other = session_called(home.store, "main:cli:other");
  append(home.store, other, {user_says("hunter2 it is", numbered_id(9))});

  value_of(home.store.scrub(home.session, numbered_id(3), ""));
  CHECK(preview(value_of(home.store.load_entry(other, numbered_id(9))), 60) == "hunter2 it is");

  const std::vector<std::string> named{"hunter2"};
  value_of(home.store.scrub(home.session, numbered_id(3), "", named));
  CHECK(preview(value_of(home.store.load_entry(other, numbered_id(9))), 60) == "[redacted] it is");
}

TEST_CASE("an entry of another session that has the same id by chance is not touched") {
  Home home;
  const Id other = session_called(home.store, "main:cli:other");
  append(home.store, other, {user_says("something else", numbered_id(1))});
  home.scrub();
  CHECK(preview(value_of(home.store.load_entry(other, numbered_id(1))), 60) == "something else");
}

TEST_CASE("a summary that may retell what was scrubbed is named") {
  Home home;
  const Id summary =
      *append(home.store, home.session,
              {{make_entry(type::compaction_summary, dump({{"summary", "they logged in"}}))}})
           .last;
  CHECK(home.scrub().summaries == std::vector<Id>{summary});
}

TEST_CASE("a torn write that holds the text goes with it, another is set aside") {
  for (const std::string& torn : {"{\"id\":\"00\",\"x\":\"" + secret, std::string("harmless")}) {
    Home fresh;
    const fs::path transcript = fs::path(fresh.path) / transcript_path(fresh.session);
    write_file(transcript, read_file(transcript) + torn);
    value_of(fresh.store.backend().scrub(fresh.session, numbered_id(1), {}));
    CHECK(holding(fresh.path, secret).empty());
    CHECK(holding(fresh.path, "harmless").size() == (torn == "harmless" ? 1 : 0));
  }
}

TEST_CASE("a session another process has open goes on after it was scrubbed") {
  Home home;
  SessionStore other = store_at(home.path);
  append(other, home.session, {user_says("mine", numbered_id(5))});
  home.scrub();
  append(other, home.session, {user_says("on", numbered_id(6))});
  CHECK(value_of(home.store.path(home.session, numbered_id(6))).entries.size() == 4);
  CHECK(holding(home.path, secret).empty());
}

TEST_CASE("a file that cannot be read stops the scrubbing before the text is forgotten") {
  Home home;
  write_file(fs::path(home.path) / "transcripts" / "00000000000000aa.jsonl.gz", "not gzip");
  const Outcome<Scrubbed> outcome = home.store.scrub(home.session, numbered_id(1), "");
  REQUIRE(std::holds_alternative<Failure>(outcome));
  const fs::path transcript = fs::path(home.path) / transcript_path(home.session);
  CHECK(read_file(transcript).find(secret) != std::string::npos);
  fs::remove(fs::path(home.path) / "transcripts" / "00000000000000aa.jsonl.gz");
  home.scrub();
  CHECK(holding(home.path, secret).empty());
}
