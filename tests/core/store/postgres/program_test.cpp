// skein itself on a home in a database.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/store/postgres/database_backend.h"
#include "core/store/session_store.h"
#include "core/text/checksum.h"
#include "core/text/json.h"
#include "tests/support/postgres_server.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

struct Desk {
  TempDir dir{};
  std::string folder = (dir / "home").string();

  Desk() {
    std::filesystem::create_directories(dir / "ws/.skein");
    std::filesystem::create_directories(dir / "config/skein");
  }
  Finished skein(const std::vector<std::string>& words, const std::string& home = "") const {
    std::vector<std::string> all{skein_executable()};
    if (!home.empty()) all.insert(all.end(), {"--home", home});
    all.insert(all.end(), words.begin(), words.end());
    return run({all, "", 60'000, [this] {
                  unsetenv("SKEIN_HOME");
                  unsetenv("SKEIN_CONFIG");
                  setenv("XDG_CONFIG_HOME", (dir / "config").c_str(), 1);
                  setenv("XDG_STATE_HOME", (dir / "state").c_str(), 1);
                  setenv("XDG_DATA_HOME", (dir / "data").c_str(), 1);
                  setenv("XDG_CACHE_HOME", (dir / "cache").c_str(), 1);
                  setenv("SKEIN_MODEL", "offline/demo", 1);
                  setenv("SKEIN_DEMO_PACE", "0", 1);
                  if (chdir((dir / "ws").c_str()) != 0) _exit(126);
                }});
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a home in a database is prepared, used, and moved from and to") {
  if (!has_postgres()) return;
  const Desk desk;
  PostgresServer& server = PostgresServer::shared();
  server.run_sql("postgres", "create database desk owner alice");
  const std::string home = server.address("desk");

  const Finished early = desk.skein({"sessions"}, home);
  CHECK(early.status == 3);
  CHECK(has(early.err, "skein admin init-db"));
  CHECK(desk.skein({"admin", "init-db"}, home).status == 2);  // nobody to ask
  CHECK(desk.skein({"admin", "init-db", "--yes"}, home).status == 0);
  CHECK(has(desk.skein({"admin", "init-db", "--yes"}, home).out, "nothing was changed"));

  CHECK(desk.skein({"-p", "-s", "main:cli:user", "hello there"}, home).status == 0);
  CHECK(has(desk.skein({"sessions"}, home).out, "main:cli:user"));
  CHECK(has(desk.skein({"search", "hello"}, home).out, "hello there"));
  CHECK(has(desk.skein({"doctor"}, home).out, "no damage"));
  const std::vector<std::vector<std::string>> on_files{{"doctor", "--repair"},
                                                       {"doctor", "--rebuild-index"}};
  for (const std::vector<std::string>& words : on_files) {
    const Finished refused = desk.skein(words, home);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "works only with a home folder"));
  }

  const std::vector<std::string> pull{"sessions", "pull", "--all", "--from", home};
  CHECK(has(desk.skein(pull, desk.folder).out, "copied"));
  CHECK(has(desk.skein(pull, desk.folder).out, "nothing new"));
  CHECK(desk.skein({"-p", "-s", "main:cli:user", "more"}, desk.folder).status == 0);
  const Finished pushed =
      desk.skein({"sessions", "push", "main:cli:user", "--to", home}, desk.folder);
  CHECK(pushed.status == 0);
  CHECK(has(pushed.out, " more"));
  CHECK(desk.skein({"sessions", "push", "--to", home}, desk.folder).status == 2);
  const std::string other = (desk.dir / "other").string();
  CHECK(desk.skein({"-p", "-s", "main:cli:user", "another"}, other).status == 0);
  const Finished taken = desk.skein({"sessions", "push", "--all", "--to", home}, other);
  CHECK(taken.status == 5);
  CHECK(has(taken.err, "another session there has the key main:cli:user"));
}

TEST_CASE("what was in files is kept here, not in the database, and put back from here") {
  if (!has_postgres()) return;
  const Desk desk;
  PostgresServer& server = PostgresServer::shared();
  const std::string home = server.address(server.make_database());
  write_file(desk.dir / "ws/notes", "what nobody else may read\n");
  write_file(
      desk.dir / "script",
      R"([[{"call": {"name": "write", "input": {"path": "notes", "content": "x"}}}], "ok"])");
  const std::vector<std::string> talk{
      "-p",      "-y", "-m", "scripted/" + (desk.dir / "script").string(), "-s", "main:cli:user",
      "write it"};
  REQUIRE(desk.skein(talk, home).status == 0);
  REQUIRE(read_file(desk.dir / "ws/notes") == "x");
  const std::string blob = sha256_hex("what nobody else may read\n");
  CHECK(store::postgres::DatabaseBackend(home).load_blob(blob).error().missing);
  std::size_t found = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(desk.dir / "state"))
    found += each.path().filename() == blob;
  CHECK(found == 1);

  const std::string shown = desk.skein({"sessions", "show", "main:cli:user", "--json"}, home).out;
  const Json path = parse_json(shown).value().at("path");
  std::string prompt;
  for (const Json& entry : path)
    if (prompt.empty() && string_at(entry, "type") == "message") prompt = string_at(entry, "id");
  CHECK(desk.skein({"rewind", "main:cli:user", "--to", prompt, "--files"}, home).status == 0);
  CHECK(read_file(desk.dir / "ws/notes") == "what nobody else may read\n");
  CHECK(has(desk.skein({"sessions", "prune-blobs"}, home).out, "removed 0 blobs"));
}

TEST_CASE("what is scrubbed stands in no row any more, and what cannot be reached is named") {
  if (!has_postgres()) return;
  const Desk desk;
  PostgresServer& server = PostgresServer::shared();
  const std::string database = server.make_database(), home = server.address(database);
  const std::string secret = "the password is correct horse battery staple";
  CHECK(desk.skein({"-p", "-s", "main:cli:one", secret}, home).status == 0);
  CHECK(desk.skein({"-p", "-s", "main:cli:two", "something else"}, home).status == 0);
  const std::string shown = desk.skein({"sessions", "show", "main:cli:one", "--json"}, home).out;
  const auto prompt = [&] {
    // The entry that says it.
    const std::size_t at = shown.find(R"("role":"user")");
    const std::size_t id = shown.rfind(R"("id":")", at);
    return shown.substr(id + 6, 16);
  }();
  CHECK(desk.skein({"branch", "main:cli:one", "--from", prompt, "--new-key", "main:cli:fork"}, home)
            .status == 0);
  CHECK(desk.skein({"sessions", "delete", "main:cli:fork"}, home).status == 0);
  const std::string count =
      "select count(*) from skein.line where position(convert_to('correct horse','UTF8') in "
      "line)>0";
  const std::string records =
      "select count(*) from skein.session where position('correct horse' in record) > 0";
  CHECK(server.ask(database, count) != "0");
  CHECK(server.ask(database, records) != "0");
  const Finished scrubbed = desk.skein({"redact", "main:cli:one", prompt, "--scrub"}, home);
  CHECK(scrubbed.status == 3);
  CHECK(has(scrubbed.out, "session main:cli:one: "));
  CHECK(has(scrubbed.out, "session main:cli:fork: "));
  CHECK_FALSE(has(scrubbed.out, "session main:cli:two: "));
  CHECK(has(scrubbed.out, "write-ahead log, standbys and backups"));
  CHECK(server.ask(database, count) == "0");
  CHECK(server.ask(database, records) == "0");
  CHECK(has(desk.skein({"doctor"}, home).out, "no damage"));
  CHECK(desk.skein({"-p", "-s", "main:cli:one", "and on"}, home).status == 0);
  CHECK(has(desk.skein({"sessions", "show", "main:cli:one"}, home).out, "and on"));
}

TEST_CASE("two folders are synced, and what is thrown away does not come back") {
  const Desk desk;
  const std::string other = (desk.dir / "other").string();
  CHECK(desk.skein({"-p", "-s", "main:cli:user", "from here"}, desk.folder).status == 0);
  CHECK(desk.skein({"-p", "-s", "main:cli:user", "from there"}, other).status == 0);
  const Finished first = desk.skein({"sync", other}, desk.folder);
  CHECK(first.status == 0);
  CHECK(has(first.out, "2 sessions compared, 2 changed"));
  for (const std::string& home : {desk.folder, other}) {
    const std::string all = desk.skein({"sessions"}, home).out;
    CHECK(has(all, "main:cli:user.2"));
    CHECK(has(desk.skein({"search", "from"}, home).out, "from here"));
  }
  CHECK(has(desk.skein({"sync", other}, desk.folder).out, "2 sessions compared, nothing new"));
  CHECK(desk.skein({"sessions", "delete", "main:cli:user.2"}, desk.folder).status == 0);
  CHECK(has(desk.skein({"sync", other}, desk.folder).out, "1 not synced"));
  CHECK(desk.skein({"sync", desk.folder}, desk.folder).status == 2);
  const Finished far = desk.skein({"sync", "me@host:skein"}, desk.folder);
  CHECK(far.status == 2);
  CHECK(has(far.err, "sshfs"));
}

TEST_CASE("a home comes from the user's configuration, never from a workspace's") {
  if (!has_postgres()) return;
  const Desk desk;
  PostgresServer& server = PostgresServer::shared();
  const std::string line = "home = \"" + server.address(server.make_database()) + "\"\n";
  write_file(desk.dir / "ws/.skein/config.toml", line);
  CHECK(desk.skein({"-p", "-s", "main:cli:folder", "hello"}).status == 0);
  CHECK(std::filesystem::exists(desk.dir / "data/skein/transcripts"));
  std::filesystem::remove(desk.dir / "ws/.skein/config.toml");
  write_file(desk.dir / "config/skein/config.toml", line);
  const Finished listed = desk.skein({"sessions"});
  CHECK(listed.status == 0);
  CHECK(!has(listed.out, "main:cli:folder"));
  CHECK(has(desk.skein({"sessions"}, (desk.dir / "data/skein").string()).out, "main:cli:folder"));
}

TEST_CASE("no connection is told at once, with the host") {
  const Desk desk;
  const Finished finished = desk.skein({"-p", "hello"}, "postgresql://nobody@127.0.0.1:1/x");
  CHECK(finished.status == 3);
  CHECK(has(finished.err, "127.0.0.1:1"));
}

TEST_CASE("a home in a folder loads nothing of PostgreSQL") {
  const Desk desk;
  const Finished finished =
      run({{"env", "LD_DEBUG=files", skein_executable(), "--home", desk.folder, "sessions"}});
  CHECK(has(finished.err, "libc.so"));  // it does tell what is loaded
  CHECK(!has(finished.err, "libpq"));
  CHECK(!has(finished.err, "skein_postgres"));
}
