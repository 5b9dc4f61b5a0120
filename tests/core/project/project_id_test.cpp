#include "core/project/project_root.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

using namespace skein::project;
using namespace skein::test;

TEST_CASE("one repository has many addresses") {
  for (const char* url :
       {"git@github.com:owner/name.git", "https://github.com/owner/name",
        "https://user:token@GitHub.com/owner/name.git/", "ssh://git@github.com/owner/name.git"}) {
    CAPTURE(url);
    CHECK(plain_address(url) == "github.com/owner/name");
  }
  CHECK(plain_address("ssh://host:2222/a/b") == "host:2222/a/b");
  CHECK(plain_address("/srv/git/a.git") == "/srv/git/a");
  CHECK(plain_address("https://host/a@b/c") == "host/a@b/c");
}

TEST_CASE("origin is the remote that counts") {
  CHECK(
      remote_in("[core]\nurl = no\n[remote \"up\"]\n\turl = a\n[remote \"origin\"]\n\turl = b\n") ==
      "b");
  CHECK(remote_in("[remote \"up\"]\n\turl = a\n\tpushurl = c\n") == "a");
  CHECK(remote_in("[core]\n\tbare = false\n").empty());
}

TEST_CASE("clones and worktrees are one project, other folders are others") {
  TempDir dir;
  const std::string config = "[remote \"origin\"]\n\turl = https://host/x.git\n";
  write_file(dir / "one/.git/config", config);
  write_file(dir / "two/.git/config", config);
  write_file(dir / "one/.git/worktrees/w/commondir", "../..\n");
  write_file(dir / "tree/.git", "gitdir: " + (dir / "one/.git/worktrees/w").string() + "\n");
  write_file(dir / "plain/x", "");
  const auto id = [&](const char* name) { return project_id((dir / name).string()); };
  CHECK(id("one") == id("two"));
  CHECK(id("one") == id("tree"));
  CHECK(id("one") != id("plain"));
  CHECK(id("one").size() == 16);
}
