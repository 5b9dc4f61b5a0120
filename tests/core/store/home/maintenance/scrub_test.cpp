#include <doctest/doctest.h>

#include "core/model/scrub.h"
#include "core/store/home/blobs.h"
#include "core/store/home/file_backend.h"
#include "core/store/home/index/transcript.h"
#include "core/store/home/maintenance/scrub.h"
#include "core/store/log/log_writer.h"
#include "core/text/json.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store::home;
using namespace skein::store::home::maintenance;
using namespace skein::test;

namespace {

namespace fs = std::filesystem;

const std::string secret = "tok_9f8e7d6c5b4aZQ31xY";
const std::string said = "please log in with " + secret + "\nand then \"deploy\" it to the server";

// The files under the home in which a text stands, archives unpacked.
std::vector<std::string> holding(const std::string& home, const std::string& text) {
  const std::unique_ptr<store::files::Files> files = store::files::real_files(home);
  std::vector<std::string> out;
  for (const auto& each : fs::recursive_directory_iterator(home)) {
    if (!each.is_regular_file()) continue;
    const std::string path = fs::relative(each.path(), home).string();
    std::string bytes;
    const auto take = [&](std::string_view piece) { return !(bytes += piece).empty(); };
    REQUIRE(read_pieces(*files, path, take, path));
    if (bytes.find(text) != std::string::npos) out.push_back(path);
  }
  std::ranges::sort(out);
  return out;
}

struct Leaky {
  TempDir dir{};
  std::string path = (dir / "home").string();
  std::shared_ptr<store::home::Home> opened = home_at(path);
  store::SessionStore store{std::make_unique<FileBackend>(opened)};
  Id session = session_called(store, "main:cli:user");

  Leaky() {
    append(store, session, {user_says(said, numbered_id(1)), user_says("thanks", numbered_id(2))});
  }
  store::Result<Scrubbed> scrub(Id entry, const ScrubWish& wish = {}) {
    if (!store.open(session).state.redacted.contains(entry))
      value_of(store.mark(session, model::payload::Redaction{entry, "leaked"}));
    return maintenance::scrub(*opened, session, entry, wish);
  }
  Scrubbed scrub() { return value_of(scrub(numbered_id(1))); }
};

}  // namespace

TEST_CASE("a scrubbed entry keeps its place and its id, and its text is gone from every file") {
  Leaky home;
  append(home.store, home.session, {user_says("and more", numbered_id(3))});
  home.store.presence().remember(home.session, "/w");
  const auto inode = [&] {
    store::files::FileStat stat;
    store::files::real_files(home.path)->stat_path(store::log::transcript_path(home.session), stat);
    return stat.inode;
  };
  const std::uint64_t before = inode();
  REQUIRE(!holding(home.path, secret).empty());

  home.scrub();

  CHECK(inode() != before);
  CHECK(holding(home.path, secret).empty());
  CHECK(holding(home.path, "deploy").empty());
  CHECK(holding(home.path, "please log in").empty());  // it was the title, too
  store::SessionStore other = store_at(home.path);
  for (store::SessionStore* store : {&home.store, &other}) {
    const store::SessionRecord record = store->open(home.session);
    CHECK(record.state.redacted == std::set<Id>{numbered_id(1)});
    CHECK(record.state.title == "[redacted]");
    CHECK(record.state.head == numbered_id(3));
    CHECK(record.state.messages == 3);
    const model::Entry masked = value_of(store->load_entry(home.session, numbered_id(1)));
    CHECK(model::plain_text(*model::message_from_json(masked.payload)) == "[redacted]");
    CHECK(damage_in(*store, home.session).empty());
  }
  append(other, home.session, {user_says("on")});
  CHECK(value_of(home.store.path(home.session, numbered_id(3))).entries.size() == 3);
}

TEST_CASE("a secret is scrubbed wherever else it stands") {
  Leaky home;
  const Id fork = value_of(home.store.branch_from_entry(home.session, numbered_id(2))).session_id;
  const Id packed = value_of(home.store.branch_from_entry(home.session, numbered_id(1))).session_id;
  REQUIRE(home.store.life_cycle().archive(packed));
  const Id thrown = value_of(home.store.branch_from_entry(home.session, numbered_id(1))).session_id;
  REQUIRE(home.store.life_cycle().erase(thrown));
  const Id unrelated = session_called(home.store, "main:cli:other");
  append(home.store, unrelated, {user_says("use " + secret + " here as well", numbered_id(7))});
  const std::string blob = value_of(home.store.blobs().keep_blob("output: " + secret + "\n"));
  append(home.store, home.session,
         {{model::make_entry(model::type::compaction_summary,
                             dump({{"summary", "They said: " + said}, {"tokensBefore", 9}}))}});
  value_of(
      home.store.mark(home.session, model::payload::Snapshot{"with " + secret, numbered_id(2)}));
  const fs::path root = home.path;
  write_file(root / "quarantine" / "0000000000000001.12.frag", "\"text\":\"" + secret + "\nkept\n");
  fs::create_directories(root / "drafts");
  write_file(root / "drafts" / to_string(home.session), "a draft with " + secret);
  fs::create_directories(root / "memory");
  write_file(root / "memory" / "global.md", "- log in with " + secret + "\n- be brief\n");
  write_file(root / "history", "ls\nlog in with " + secret + "\npwd\n");
  write_file(root / "transcripts" / "0000000000000002.jsonl.00.tmp", "half of " + secret);

  const Scrubbed report = home.scrub();

  CHECK(holding(home.path, secret).empty());
  CHECK(holding(home.path, "and then").empty());
  CHECK(report.changed.size() == 11);
  CHECK(read_file(root / "history") == "ls\npwd\n");
  CHECK(read_file(root / "memory" / "global.md") == "- be brief\n");
  CHECK(read_file(root / "quarantine" / "0000000000000001.12.frag") == "kept\n");
  CHECK(model::preview(value_of(home.store.load_entry(unrelated, numbered_id(7))), 60) ==
        "use [redacted] here as well");
  CHECK(home.store.open(packed).archived);
  CHECK(home.store.open(fork).state.title == "[redacted]");
  CHECK(!fs::exists(root / "blobs" / blob));
  for (const Id session : {home.session, fork, packed, unrelated})
    CHECK(damage_in(home.store, session).empty());
  CHECK(value_of(home.store.life_cycle().restore(to_string(thrown))).state.entries > 0);
  CHECK(home.scrub().changed.empty());  // a second time there is nothing to do
}

TEST_CASE("the same text goes from every session, the same few words stay and are named") {
  Leaky home;
  append(home.store, home.session, {user_says("hunter2 it is", numbered_id(3))});
  const Id other = session_called(home.store, "main:cli:other");
  append(home.store, other,
         {user_says("hunter2 it is", numbered_id(9)), user_says(" " + said + " ", numbered_id(10)),
          user_says("and then \"deploy\" it to the server, please", numbered_id(11))});
  const auto other_says = [&](std::uint64_t number) {
    return model::preview(value_of(home.store.load_entry(other, numbered_id(number))), 60);
  };

  const std::vector<std::string> line_of_it{"main:cli:other " + to_string(numbered_id(11))};
  CHECK(home.scrub().repeats == line_of_it);
  CHECK(other_says(10) == "[redacted]");
  CHECK(other_says(11) == "and then \"deploy\" it to the server, please");

  const std::vector<std::string> same_words{"main:cli:other " + to_string(numbered_id(9))};
  CHECK(value_of(home.scrub(numbered_id(3))).repeats == same_words);
  CHECK(other_says(9) == "hunter2 it is");

  value_of(home.scrub(numbered_id(3), {.named = {"hunter2"}}));
  CHECK(other_says(9) == "[redacted] it is");
}

TEST_CASE("what a killed archiving left beside the transcript is scrubbed as well") {
  Leaky home;
  const Id fork = value_of(home.store.branch_from_entry(home.session, numbered_id(2))).session_id;
  const fs::path root = home.path, packed = root / archive_path(fork);
  REQUIRE(home.store.life_cycle().archive(fork));
  const std::string archive = read_file(packed);
  REQUIRE(home.store.life_cycle().unarchive(fork));
  write_file(packed, archive);  // its removal was lost
  write_file(packed.string() + ".0123456789abcdef.tmp", archive);
  write_file(root / "transcripts" / "0000000000000003.jsonl.gz.0123456789abcdef.tmp",
             archive.substr(0, archive.size() / 2));
  // As an earlier version left it: text under the name of an archive.
  const fs::path misnamed = root / "transcripts" / "0000000000000003.jsonl.gz.0123456789abcdef.";
  write_file(misnamed, "kept\n" + said + "\n");

  home.scrub();

  CHECK(holding(home.path, secret).empty());
  CHECK(holding(home.path, "and then").empty());
  CHECK(!fs::exists(packed));
  CHECK(read_file(misnamed) == "kept\n");
  value_of(prune_blobs(*home.opened, false));
  CHECK(home.scrub().changed.empty());
}

TEST_CASE("an archive that an earlier scrubbing spared is found by the entry's id") {
  Leaky home;
  const Id fork = value_of(home.store.branch_from_entry(home.session, numbered_id(2))).session_id;
  REQUIRE(home.store.life_cycle().archive(fork));
  const fs::path packed = fs::path(home.path) / archive_path(fork);
  const std::string archive = read_file(packed);
  home.scrub();
  REQUIRE(home.store.life_cycle().unarchive(fork));
  write_file(packed, archive);  // beside a transcript that has nothing of it any more

  home.scrub();

  CHECK(holding(home.path, secret).empty());
  CHECK(holding(home.path, "thanks").size() >= 2);
}

TEST_CASE("files that are no transcripts keep what does not give it away") {
  Leaky home;
  const fs::path root = home.path;
  fs::create_directories(root / "drafts");
  write_file(root / "drafts" / "1", dump({{"text", "see " + secret}, {"pasted", {"mine"}}}));
  const auto told = [](const std::string& text) {
    return R"([{"role":"user","content":)" + dump(text) + R"(},{"role":"user","content":"other"}])";
  };
  write_file(root / "transcripts" / "old.json", told(said));

  home.scrub();

  CHECK(read_file(root / "drafts" / "1") == R"({"text":"see [redacted]","pasted":["mine"]})"
                                            "\n");
  CHECK(read_file(root / "transcripts" / "old.json") == told("[redacted]") + "\n");
}

TEST_CASE("what lies outside the home is dealt with while the text is known, or nothing is lost") {
  Leaky home;
  const auto still_there = [&] {
    return read_file(fs::path(home.path) / store::log::transcript_path(home.session))
               .find(secret) != std::string::npos;
  };
  ScrubWish wish;
  wish.elsewhere = [&](const model::Scrubbing& what, Scrubbed& report) {
    CHECK(still_there());
    CHECK(model::without(
              "ls\nplease log in with " + secret + "\\nand then \"deploy\" it to the server\n",
              what) == "ls\n");
    report.unreached.emplace_back("/state/history: locked away");
  };
  const store::Result<Scrubbed> outcome = home.scrub(numbered_id(1), wish);
  REQUIRE(!outcome);
  CHECK(outcome.error().text.find("/state/history: locked away") != std::string::npos);
  CHECK(still_there());
  home.scrub();
  CHECK(holding(home.path, secret).empty());
}

TEST_CASE("an entry of another session that has the same id by chance is not touched") {
  Leaky home;
  const Id other = session_called(home.store, "main:cli:other");
  append(home.store, other, {user_says("something else", numbered_id(1))});
  home.scrub();
  CHECK(model::preview(value_of(home.store.load_entry(other, numbered_id(1))), 60) ==
        "something else");
}

TEST_CASE("a summary that may retell what was scrubbed is named") {
  Leaky home;
  const Id summary = *append(home.store, home.session,
                             {{model::make_entry(model::type::compaction_summary,
                                                 dump({{"summary", "they logged in"}}))}})
                          .last;
  CHECK(home.scrub().summaries == std::vector<Id>{summary});
}

TEST_CASE("a torn write that holds the text goes with it, another is set aside") {
  for (const std::string& torn : {"{\"id\":\"00\",\"x\":\"" + secret, std::string("harmless")}) {
    Leaky fresh;
    const fs::path transcript = fs::path(fresh.path) / store::log::transcript_path(fresh.session);
    write_file(transcript, read_file(transcript) + torn);
    value_of(maintenance::scrub(*fresh.opened, fresh.session, numbered_id(1)));
    CHECK(holding(fresh.path, secret).empty());
    CHECK(holding(fresh.path, "harmless").size() == (torn == "harmless" ? 1 : 0));
  }
}

TEST_CASE("a session another process has open goes on after it was scrubbed") {
  Leaky home;
  store::SessionStore other = store_at(home.path);
  append(other, home.session, {user_says("mine", numbered_id(5))});
  home.scrub();
  append(other, home.session, {user_says("on", numbered_id(6))});
  CHECK(value_of(home.store.path(home.session, numbered_id(6))).entries.size() == 4);
  CHECK(holding(home.path, secret).empty());
}

TEST_CASE("a file that cannot be read stops the scrubbing before the text is forgotten") {
  Leaky home;
  write_file(fs::path(home.path) / "transcripts" / "00000000000000aa.jsonl.gz", "not gzip");
  write_file(fs::path(home.path) / "history", secret);
  const store::Result<Scrubbed> outcome = home.scrub(numbered_id(1));
  REQUIRE(!outcome);
  CHECK(outcome.error().text.find("transcripts/00000000000000aa.jsonl.gz: a damaged") !=
        std::string::npos);
  CHECK(!fs::exists(fs::path(home.path) / "history"));  // the rest was done all the same
  const fs::path transcript = fs::path(home.path) / store::log::transcript_path(home.session);
  CHECK(read_file(transcript).find(secret) != std::string::npos);
  fs::remove(fs::path(home.path) / "transcripts" / "00000000000000aa.jsonl.gz");
  home.scrub();
  CHECK(holding(home.path, secret).empty());
}
