#include "core/store/home/grants.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store::home;
using namespace skein::test;

TEST_CASE("a rule counts for the session and the workspace it was given in") {
  TempDir dir;
  const std::string file = (dir / "state/grants.json").string();
  const Id one = random_id(), other = random_id();

  CHECK(Grants(file, "/w").give(one, "bash(ls *)") == "");

  CHECK(Grants(file, "/w").has(one, "bash(ls *)"));
  CHECK_FALSE(Grants(file, "/w").has(one, "bash(rm *)"));
  CHECK_FALSE(Grants(file, "/w").has(other, "bash(ls *)"));
  CHECK_FALSE(Grants(file, "/elsewhere").has(one, "bash(ls *)"));
  struct stat info {};
  REQUIRE(stat(file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  // What a rule says may have to be scrubbed from everywhere.
  CHECK(read_file(file).find("ls") == std::string::npos);

  CHECK(Grants(file, "/w").take_back(one, "bash(ls *)") == "");
  CHECK_FALSE(Grants(file, "/w").has(one, "bash(ls *)"));
}

TEST_CASE("a damaged file grants nothing, is told of, and does not stay so") {
  for (const char* bytes : {"", "{", "[]", "{\"version\":1}", "{\"sessions\":7}", "\xff\xfe"}) {
    CAPTURE(bytes);
    TempDir dir;
    const std::string file = (dir / "grants.json").string();
    write_file(file, bytes);
    const Id one = random_id();
    Grants grants(file, "/w");
    CHECK_FALSE(grants.has(one, "edit"));
    CHECK(grants.damage().find("is damaged") != std::string::npos);
    CHECK(grants.give(one, "edit") == "");
    Grants again(file, "/w");
    CHECK(again.has(one, "edit"));
    CHECK(again.damage() == "");
  }
  // Odd things inside of it are passed over.
  TempDir dir;
  const std::string file = (dir / "grants.json").string();
  write_file(file, R"({"sessions":{"x":7,"y":{"z":"w"},"v":{"u":[7,null]}}})");
  Grants grants(file, "/w");
  CHECK_FALSE(grants.has(random_id(), "edit"));
  CHECK(grants.damage() == "");
}

TEST_CASE("without a place to write, a rule holds for this process and the reason is told") {
  TempDir dir;
  write_file(dir / "file", "");
  const Id one = random_id();
  Grants grants((dir / "file/grants.json").string(), "/w");
  CHECK(grants.give(one, "edit").find("cannot write") != std::string::npos);
  CHECK(grants.has(one, "edit"));
  Grants in_memory;
  CHECK(in_memory.give(one, "edit") == "");
  CHECK(in_memory.has(one, "edit"));
}

TEST_CASE("rules given by many processes at once are all kept") {
  TempDir dir;
  const std::string file = (dir / "grants.json").string();
  const Id one = random_id();
  CHECK(complaints_of(32, 4, [&](std::size_t i) {
          return Grants(file, "/w").give(one, "bash(x" + std::to_string(i) + ")");
        }) == 0);
  Grants grants(file, "/w");
  for (int i = 0; i < 32; ++i) CHECK(grants.has(one, "bash(x" + std::to_string(i) + ")"));
}
