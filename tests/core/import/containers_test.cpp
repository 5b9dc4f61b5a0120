#include <doctest/doctest.h>
#include <fcntl.h>

#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/import/source/database.h"
#include "core/import/source/source_file.h"
#include "core/text/base.h"
#include "core/text/module.h"
#include "tests/support/environment.h"
#include "tests/support/sample_database.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::importers;
namespace fs = std::filesystem;

namespace {

SourceFile opened(const fs::path& path) {
  auto file = SourceFile::open(path.string());
  REQUIRE_MESSAGE(std::holds_alternative<SourceFile>(file), std::get<std::string>(file));
  return std::get<SourceFile>(std::move(file));
}

std::string refused(const fs::path& path) {
  auto file = SourceFile::open(path.string());
  REQUIRE(std::holds_alternative<std::string>(file));
  return std::get<std::string>(file);
}

std::vector<std::string> names(Database& database, const std::string& table) {
  std::vector<std::string> out;
  CHECK(database.each_row({.table = table, .columns = {"name"}, .order = {"name"}},
                          [&](DatabaseRow row) {
                            out.emplace_back(row[0].bytes);
                            return true;
                          }));
  return out;
}

std::set<std::string> listing(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& each : fs::directory_iterator(folder)) out.insert(each.path().filename());
  return out;
}

}  // namespace

TEST_CASE("a module that is not there is named, and where it was looked for") {
  try {
    module_functions("skein_nothing", "imaginary");
    FAIL("it was found");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("the imaginary module skein_nothing.so cannot be"));
    CHECK(std::string(error.what()).find("not found near /") != std::string::npos);
  }
}

TEST_CASE("a database is read with what its program has not yet put into it") {
  const test::TempDir dir;
  test::SampleDatabase running(dir / "a.db");
  running.run(
      "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
      "CREATE TABLE t(name TEXT, n INTEGER, b BLOB);"
      "INSERT INTO t VALUES('one', 1, x'00ff'), ('two', NULL, NULL)");
  REQUIRE(fs::exists(dir / "a.db-wal"));
  const std::string before = test::read_file(dir / "a.db");
  const std::set<std::string> files = listing(dir.path());
  Database database(opened(dir / "a.db"));
  CHECK(names(database, "t") == std::vector<std::string>{"one", "two"});
  database.each_row(
      {.table = "t", .columns = {"n", "b", "missing"}, .where = "name", .equals = "one"},
      [&](DatabaseRow row) {
        REQUIRE(row.size() == 3);
        CHECK(row[0].integer == 1);
        CHECK(row[0].bytes.empty());
        CHECK(row[1].bytes == std::string_view("\0\xff", 2));
        CHECK(row[2].integer == 0);
        CHECK(row[2].bytes.empty());
        return true;
      });
  CHECK(test::read_file(dir / "a.db") == before);
  CHECK(listing(dir.path()) == files);
  running.run("INSERT INTO t VALUES('three', 3, NULL)");  // nobody holds a lock
}

TEST_CASE("the copy is private, and gone afterwards, even when an exception passes") {
  const test::TempDir dir, temporary;
  const test::Environment place("TMPDIR", temporary.path().c_str());
  test::SampleDatabase(dir / "a.db").run("CREATE TABLE t(name TEXT); INSERT INTO t VALUES('x')");
  const auto look = [&] {
    Database database(opened(dir / "a.db"));
    REQUIRE(listing(temporary.path()).size() == 1);
    const fs::path copy = temporary.path() / *listing(temporary.path()).begin();
    CHECK((fs::status(copy).permissions() & fs::perms::all) == fs::perms::owner_all);
    database.each_row({.table = "t", .columns = {"name"}},
                      [](DatabaseRow) -> bool { throw std::runtime_error("stop"); });
  };
  CHECK_THROWS_WITH(look(), "stop");
  CHECK(listing(temporary.path()).empty());
  test::write_file(dir / "b.db", "not a database, but long enough to be taken for one, it seems");
  CHECK_THROWS_AS(Database{opened(dir / "b.db")}, Error);
  CHECK(listing(temporary.path()).empty());
}

TEST_CASE("what only calls itself a table is not read") {
  const test::TempDir dir;
  test::SampleDatabase(dir / "a.db")
      .run(
          "CREATE TABLE real(name TEXT, made TEXT AS (hex(zeroblob(1000))) VIRTUAL);"
          "INSERT INTO real VALUES('x');"
          "CREATE VIEW message AS SELECT name FROM real;"
          "CREATE VIRTUAL TABLE part USING fts5(name);"
          "INSERT INTO part VALUES('y')");
  Database database(opened(dir / "a.db"));
  CHECK_FALSE(database.has("message"));
  CHECK_FALSE(database.has("part"));
  CHECK(database.columns("real") == std::vector<std::string>{"name"});
  CHECK(names(database, "real") == std::vector<std::string>{"x"});
  CHECK(names(database, "message").empty());
  CHECK_FALSE(database.has("a\" b; --"));
}

TEST_CASE("a database is told by its tables, or by its name") {
  const test::TempDir dir;
  for (const char* name : {"a.db", "usual.db", "usual-two.db"})
    test::SampleDatabase(dir / name).run("CREATE TABLE `part`(a); CREATE TABLE parts_of(b)");
  const auto is = [&](const char* name, const char* table) {
    return is_database_with(opened(dir / name), table, "usual.db");
  };
  CHECK(is("a.db", "part"));
  CHECK(is("a.db", "parts_of"));
  CHECK_FALSE(is("a.db", "parts"));
  CHECK(is("usual.db", "other"));
  CHECK(is("usual-two.db", "other"));
  test::write_file(dir / "usual.db", "CREATE TABLE part(a)");
  CHECK_FALSE(is("usual.db", "part"));
}

TEST_CASE("a database gives no more than it can hold") {
  const test::TempDir dir;
  test::SampleDatabase(dir / "a.db")
      .run(
          "CREATE TABLE t(name TEXT, long BLOB);"
          "INSERT INTO t VALUES('x', zeroblob(1000000))");
  Database database(opened(dir / "a.db"));
  int given = 0;
  bool whole = true;
  for (; whole && given < 1000; ++given)
    whole =
        database.each_row({.table = "t", .columns = {"long"}}, [](DatabaseRow) { return true; });
  CHECK(given > 8);
  CHECK(given < 100);
}

TEST_CASE("a damaged database gives what it can, and says that it is") {
  const test::TempDir dir;
  {
    test::SampleDatabase made(dir / "a.db");
    made.run("CREATE TABLE t(name TEXT, long TEXT)");
    for (int i = 0; i < 200; ++i)
      made.run("INSERT INTO t VALUES('" + std::to_string(i) + "', '" + std::string(500, 'x') +
               "')");
  }
  std::string bytes = test::read_file(dir / "a.db");
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 8192; ++i) bytes[i] = '\x7f';
  test::write_file(dir / "a.db", bytes);
  Database database(opened(dir / "a.db"));
  int rows = 0;
  CHECK_FALSE(database.each_row({.table = "t", .columns = {"name"}}, [&](DatabaseRow) {
    ++rows;
    return true;
  }));
  CHECK(rows > 10);
  CHECK(rows < 200);
}

TEST_CASE("a compressed file reads as its content") {
  const test::TempDir dir;
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string packed = test::zstd_packed(text);
  test::write_file(dir / "a.jsonl.zst", packed + test::zstd_packed("another frame\n"));
  const SourceFile file = opened(dir / "a.jsonl.zst");
  CHECK(file.name() == "a.jsonl.zst");
  CHECK(file.size() == text.size() + 14);
  CHECK(file.read(0, text.size()) == text);
  int lines = 0;
  file.lines([&](const SourceFile::Line&) { return ++lines > 0; });
  CHECK(lines == 50'001);

  test::write_file(dir / "torn.zst", packed.substr(0, packed.size() - 10));
  CHECK(refused(dir / "torn.zst") ==
        (dir / "torn.zst").string() + " is damaged: its end is missing");
  std::string wrong = packed;
  for (std::size_t i = 30; i < 200; ++i) wrong[i] = static_cast<char>(i * 7);
  test::write_file(dir / "wrong.zst", wrong);
  CHECK(refused(dir / "wrong.zst").find(" is damaged: ") != std::string::npos);
}

TEST_CASE("what unpacks to more than is allowed is refused") {
  const std::string bomb = test::zstd_packed(std::string(3 << 20, 'x'));
  CHECK(bomb.size() < 1000);
  CHECK(unzstd(bomb, 3 << 20) == std::string(3 << 20, 'x'));
  CHECK_FALSE(unzstd(bomb, (3 << 20) - 1).has_value());
  CHECK_FALSE(unzstd("no frame at all", 100).has_value());
  CHECK_FALSE(unzstd(std::string_view(bomb).substr(0, 50), 3 << 20).has_value());
  const test::TempDir dir;
  test::write_file(dir / "bomb.zst", bomb);
  const Fd file(open((dir / "bomb.zst").c_str(), O_RDONLY | O_CLOEXEC));
  const auto unpacked = unzstd_file(file.get(), 2 << 20);
  REQUIRE(std::holds_alternative<std::string>(unpacked));
  CHECK(std::get<std::string>(unpacked) == " is too large: unpacked it has more than 2 MiB");
}

TEST_CASE("what a callback of the module throws comes out of the call") {
  const std::string packed = test::zstd_packed("content");
  Callbacks callback;
  std::string problem;
  int asked = 0;
  module_functions<ContainersModule>().unpack(
      callback([&](char* buffer, std::size_t room) {
        return ++asked > 1 ? 0 : packed.copy(buffer, room);
      }),
      callback([](Bytes) -> bool { throw std::runtime_error("stop"); }), into(problem));
  CHECK_THROWS_WITH(callback.rethrow(), "stop");
  CHECK(asked == 1);
  CHECK(problem.empty());
}
