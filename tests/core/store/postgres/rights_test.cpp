// Who may see and do what, by the rules of the database itself.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/store/postgres/connection.h"
#include "core/store/postgres/database_backend.h"
#include "core/store/postgres/schema.h"
#include "tests/support/homes.h"
#include "tests/support/postgres_server.h"
#include "tests/support/store_samples.h"

using namespace skein;
using namespace skein::store;
using namespace skein::test;
using postgres::DatabaseBackend;
using Kind = Failure::Kind;

namespace {

constexpr Id a{0xa}, b{0xb};

// What a user's own program could send; the reason it was refused, or "".
std::string by_hand(PostgresServer& server, const std::string& database, const std::string& user,
                    const std::string& sql) {
  const auto link = value_of(postgres::open_link(server.address(database, user)));
  return link->run_script(sql).state;
}

constexpr const char* not_permitted = "42501";

struct Shared {
  PostgresServer& server = PostgresServer::shared();
  std::string database = server.make_database();
  DatabaseBackend alice{server.address(database, "alice")}, bob{server.address(database, "bob")};
  std::string blob;

  Shared() {
    value_of(alice.create(header_of(a), {}));
    blob = value_of(alice.keep_blob("a secret"));
    const std::vector<NewEntry> entries{says(1),
                                        notes(2, R"({"kind":"x","blob":")" + blob + "\"}")};
    value_of(alice.append(a, entries, {}));
  }
  Result<AppendResult> append(DatabaseBackend& by, std::uint64_t number) {
    const NewEntry entry = says(number);
    return by.append(a, std::span(&entry, 1), {});
  }
  std::string as_bob(const std::string& sql) { return by_hand(server, database, "bob", sql); }
};

}  // namespace

TEST_CASE("who has no rights sees nothing, not even that there is something") {
  if (!has_postgres()) return;
  Shared home;
  CHECK(value_of(home.bob.list()).empty());
  CHECK(value_of(home.bob.trash()).empty());
  CHECK(home.bob.find(to_string(a)).error().kind == Kind::gone);
  CHECK(home.bob.find("main:cli:user").error().kind == Kind::gone);
  CHECK(home.bob.open(a).error().kind == Kind::gone);
  CHECK(home.append(home.bob, 9).error().kind == Kind::gone);
  CHECK(home.bob.erase(a).error().kind == Kind::gone);
  CHECK(home.bob.archive(a).error().kind == Kind::gone);
  CHECK(home.bob.load_blob(home.blob).error().kind == Kind::gone);
  CHECK(home.as_bob("insert into skein.line values (10, 999, 999, '')") == not_permitted);
  CHECK(home.as_bob("insert into skein.share (session, reader) values (10, 'bob')") ==
        not_permitted);
  CHECK(
      home.as_bob("insert into skein.session (id, owner, key, cwd, used, record, bytes, last_crc) "
                  "values (99, 'alice', 'k', '', 0, '', 0, 0)") == not_permitted);
  CHECK(home.as_bob("do $$ begin if (select count(*) from skein.session) + (select count(*) from "
                    "skein.line) + (select count(*) from skein.blob) > 0 then raise 'seen'; end "
                    "if; end $$") == "");
  // Everybody has a main:cli:user.
  CHECK(value_of(home.bob.create(header_of(b), {})).made);
  CHECK(value_of(home.alice.find("main:cli:user")).header.session == a);
  CHECK(value_of(home.bob.find("main:cli:user")).header.session == b);
  // A blob cannot be claimed by its name.
  const NewEntry claim = notes(3, R"({"kind":"x","blob":")" + home.blob + "\"}");
  value_of(home.bob.append(b, std::span(&claim, 1), {}));
  CHECK(home.bob.load_blob(home.blob).error().kind == Kind::gone);
  // An id that somebody else has is not told whose it is.
  CHECK(home.bob.create(header_of(a, "main:cli:x"), {}).error().kind == Kind::refused);
}

TEST_CASE("whoever a session is shared with reads it, and writes only if that was said") {
  if (!has_postgres()) return;
  Shared home;
  const std::string share = "insert into skein.share (session, reader, writes) values (10, 'bob', ";
  REQUIRE(by_hand(home.server, home.database, "alice", share + "false)") == "");
  CHECK(value_of(home.bob.list()).size() == 1);
  CHECK(ids_of(home.bob, a).size() == 2);
  CHECK(value_of(home.bob.load_blob(home.blob)) == "a secret");
  CHECK_FALSE(ok(home.append(home.bob, 9)));
  CHECK_FALSE(ok(home.bob.erase(a)));

  REQUIRE(by_hand(home.server, home.database, "alice",
                  "delete from skein.share; " + share + "true)") == "");
  CHECK(ok(home.append(home.bob, 9)));
  CHECK(ids_of(home.alice, a).size() == 3);
  CHECK_FALSE(ok(home.bob.erase(a)));
  CHECK(home.as_bob("update skein.line set line = ''") == not_permitted);
  // Whoever may scrub a session may remove lines of it; nobody else's go.
  (void)home.as_bob("select set_config('skein.scrubs', '10', false); delete from skein.line");
  CHECK(ids_of(home.alice, a).size() == 3);
  CHECK(home.as_bob("update skein.session set owner = 'bob'") == not_permitted);
  CHECK(home.as_bob("update skein.session set deleted = 1") == not_permitted);
  CHECK(home.as_bob("insert into skein.share (session, reader) values (10, 'postgres')") ==
        not_permitted);
  // Not even who made the tables changes a line: no rule lets anybody but one who scrubs.
  (void)by_hand(home.server, home.database, "alice", "update skein.line set line = ''");
  (void)by_hand(home.server, home.database, "alice", "delete from skein.line");
  CHECK(ids_of(home.alice, a).size() == 3);
  CHECK_FALSE(value_of(home.alice.examine(a)).any());
  CHECK(value_of(home.alice.list()).size() == 1);
}

TEST_CASE("a database is prepared once, and only by who may") {
  if (!has_postgres()) return;
  PostgresServer& server = PostgresServer::shared();
  const std::string database = server.make_database();
  CHECK(value_of(postgres::prepare_database(server.address(database))) ==
        postgres::Prepared::before);
  server.run_sql("postgres", "create database foreign_one");
  CHECK_FALSE(ok(postgres::prepare_database(server.address("foreign_one", "bob"))));
  CHECK_THROWS_AS(DatabaseBackend(server.address("foreign_one")), Error);
  server.run_sql(database, "update skein.meta set value = '99'");
  CHECK_THROWS_WITH_AS(DatabaseBackend(server.address(database)),
                       doctest::Contains("of a newer skein"), Error);
}

TEST_CASE(
    "a database of an older skein is upgraded when that is asked for, and keeps what it has") {
  if (!has_postgres()) return;
  PostgresServer& server = PostgresServer::shared();
  const std::string database = server.make_database();
  {
    DatabaseBackend now(server.address(database));
    value_of(now.create(header_of(a), {}));
    const NewEntry entry = says(1);
    value_of(now.append(a, std::span(&entry, 1), {}));
  }
  // As format 1 was.
  server.run_sql(database,
                 "alter table skein.session drop column project, drop column edition; "
                 "drop policy scrubbed on skein.line; drop policy scrubbed on skein.blob; "
                 "revoke delete on skein.line, skein.blob from public; "
                 "update skein.meta set value = '1'");
  CHECK_THROWS_WITH_AS(DatabaseBackend(server.address(database)),
                       doctest::Contains("upgrade it with `skein admin init-db`"), Error);
  CHECK(value_of(postgres::prepare_database(server.address(database))) ==
        postgres::Prepared::upgraded);
  CHECK(value_of(postgres::prepare_database(server.address(database))) ==
        postgres::Prepared::before);
  DatabaseBackend after(server.address(database));
  CHECK(ids_of(after, a).size() == 1);
  const NewEntry entry = says(2);
  CHECK(ok(after.append(a, std::span(&entry, 1), {})));
}

TEST_CASE("a user above the rules is warned, and a database that may forget is refused") {
  if (!has_postgres()) return;
  PostgresServer& server = PostgresServer::shared();
  const std::string database = server.make_database();
  std::vector<std::string> told;
  const auto tell = [&](const std::string& what) { told.push_back(what); };
  DatabaseBackend plain(server.address(database), tell);
  CHECK(told.empty());
  DatabaseBackend above(server.address(database, "postgres"), tell);
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("bypasses row security") != std::string::npos);
  CHECK_THROWS_WITH_AS(
      DatabaseBackend(server.address(database) + "?options=-csynchronous_commit%3Doff"),
      doctest::Contains("synchronous_commit"), Error);
  CHECK_THROWS_WITH_AS(DatabaseBackend("postgresql://alice:pw@127.0.0.1/x"),
                       doctest::Contains("holds a password"), Error);
  CHECK_THROWS_WITH_AS(DatabaseBackend("postgresql://alice@127.0.0.1:1/x"),
                       doctest::Contains("127.0.0.1:1"), Error);
  // The first of several hosts that can be written to.
  DatabaseBackend second(
      "postgresql://alice@127.0.0.1:1,127.0.0.1:" + std::to_string(server.port()) + "/" + database);
  CHECK(value_of(second.list()).empty());
  DatabaseBackend by_socket(server.socket_address(database));
  CHECK(value_of(by_socket.list()).empty());
}

TEST_CASE("what is tampered with in the database is noticed") {
  if (!has_postgres()) return;
  Shared home;
  home.server.run_sql(home.database,
                      "update skein.line set line = convert_to(replace(convert_from(line, 'UTF8'), "
                      "'hello', 'jello'), 'UTF8') where at > 0");
  CHECK(value_of(DatabaseBackend(home.server.address(home.database)).examine(a)).altered.size() ==
        1);
  home.server.run_sql(home.database, "update skein.session set record = 'nonsense'");
  DatabaseBackend again(home.server.address(home.database));
  const auto listed = value_of(again.list());
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].state.entries == 2);
  CHECK(listed[0].damage.altered == 1);
  home.server.run_sql(home.database,
                      "delete from skein.line where at = (select min(at) from "
                      "skein.line where at > 0)");
  CHECK(value_of(DatabaseBackend(home.server.address(home.database)).examine(a)).any());
}
