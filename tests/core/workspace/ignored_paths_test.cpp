#include "core/workspace/ignored_paths.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::workspace;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

struct Patterns {
  TempDir dir{};

  Patterns() { fs::create_directories(dir / "w"); }
  void write(const std::string& file, std::string_view text) const { write_file(dir / file, text); }
  IgnoredPaths read(const std::string& workspace = "w", const std::string& project = "w") const {
    return IgnoredPaths({.workspace = fs::canonical(dir / workspace).string(),
                         .project = fs::canonical(dir / project).string(),
                         .own_file = (dir / "own").string(),
                         .names = {".skeinignore", ".aiignore"}});
  }
};

}  // namespace

TEST_CASE("a pattern withholds what it names, and says where it is written") {
  const Patterns files;
  files.write("w/.skeinignore", "# secrets\n\n*.secret\nkeys/\n/top.txt\n!open.secret\n");
  const IgnoredPaths withheld = files.read();
  CHECK(withheld.by("a/b.secret", EntryKind::file) == ".skeinignore:3");
  CHECK(withheld.by("keys", EntryKind::folder) == ".skeinignore:4");
  CHECK(withheld.by("keys", EntryKind::file).empty());
  CHECK(withheld.by("a/keys/x/y", EntryKind::file) == ".skeinignore:4");
  CHECK(withheld.by("top.txt", EntryKind::file) == ".skeinignore:5");
  CHECK(withheld.by("a/top.txt", EntryKind::file).empty());
  CHECK(withheld.by("open.secret", EntryKind::file).empty());
  CHECK(withheld.by(".", EntryKind::folder).empty());
  CHECK(withheld.has_patterns());
  CHECK_FALSE(Patterns{}.read().has_patterns());
}

TEST_CASE("a project's files add to the user's own, and open nothing") {
  const Patterns files;
  files.write("own", "*.private\n!.env\n");
  files.write("w/.skeinignore", "!x.private\n!id_rsa\n*.log\n");
  files.write("w/.aiignore", "!*.log\n");
  const IgnoredPaths withheld = files.read();
  CHECK(withheld.by("x.private", EntryKind::file).ends_with("own:1"));
  CHECK(withheld.by("a.log", EntryKind::file) == ".skeinignore:3");
  CHECK(withheld.secret("id_rsa") == "id_rsa");
  CHECK(withheld.secret(".env").empty());
}

TEST_CASE("folders further down and up to the project's root have a say") {
  const Patterns files;
  fs::create_directories(files.dir / "w/sub/deep");
  files.write("w/.skeinignore", "*.top\nsub/here\n");
  files.write("w/sub/deep/.skeinignore", "/local\n!x.top\n");
  const IgnoredPaths withheld = files.read("w/sub", "w");
  CHECK(withheld.by("a.top", EntryKind::file) == "../.skeinignore:1");
  CHECK(withheld.by("here", EntryKind::file) == "../.skeinignore:2");
  CHECK(withheld.by("deep/local", EntryKind::file) == "deep/.skeinignore:1");
  CHECK(withheld.by("local", EntryKind::file).empty());
  CHECK(withheld.by("deep/x.top", EntryKind::file).empty());
}

TEST_CASE("what looks like a secret is known by its name") {
  const IgnoredPaths withheld = Patterns{}.read();
  for (const char* name :
       {".env", ".env.local", "a/.env", "x.pem", "a/b.key", "id_rsa", "id_ed25519", ".netrc",
        ".npmrc", ".pypirc", ".aws/credentials", "home/.kube/config", "p.kdbx"}) {
    CAPTURE(name);
    CHECK_FALSE(withheld.secret(name).empty());
  }
  for (const char* name : {".env.example", ".env.sample", "a/.env.template", "env", "key",
                           "id_rsa.pub", "credentials", "config", ".env/bin/python"}) {
    CAPTURE(name);
    CHECK(withheld.secret(name).empty());
  }
}

TEST_CASE("everything withheld is found: folders whole, links by what they lead to") {
  const Patterns files;
  files.write("w/.skeinignore", "*.secret\nkeys/\nalias\n");
  files.write("w/a/b.secret", "x");
  files.write("w/keys/deep/x", "x");
  files.write("w/real.txt", "x");
  fs::create_symlink("real.txt", files.dir / "w/alias");
  fs::create_symlink("/etc", files.dir / "w/out.secret");
  const std::string top = fs::canonical(files.dir / "w").string() + "/";
  const IgnoredPaths::Found found = files.read().find();
  CHECK(found.complete);
  CHECK(found.places ==
        std::vector<std::string>{top + "a/b.secret", top + "keys", top + "real.txt"});
}

TEST_CASE("another name of a withheld file is withheld too") {
  const Patterns files;
  files.write("w/.skeinignore", "keys/\n");
  files.write("w/keys/x", "x");
  files.write("w/free", "x");
  fs::create_hard_link(files.dir / "w/keys/x", files.dir / "w/harmless");
  fs::create_hard_link(files.dir / "w/free", files.dir / "w/free too");
  const IgnoredPaths withheld = files.read();
  const auto id_of = [&](const char* name) {
    struct stat info {};
    REQUIRE(stat((files.dir / "w" / name).c_str(), &info) == 0);
    return FileId{info.st_dev, info.st_ino};
  };
  CHECK(withheld.by_other_name(id_of("harmless")) == ".skeinignore:1");
  CHECK(withheld.by_other_name(id_of("free")).empty());
}

TEST_CASE("a new pattern counts a moment later") {
  const Patterns files;
  const IgnoredPaths withheld = files.read();
  CHECK(withheld.by("x", EntryKind::file).empty());
  files.write("w/.skeinignore", "x\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  CHECK(withheld.by("x", EntryKind::file) == ".skeinignore:1");
}

TEST_CASE("ten thousand patterns and as many questions take no time to speak of") {
  const Patterns files;
  std::string text;
  for (int i = 0; i < 10'000; ++i)
    text += (i % 2 == 0 ? "name" : "*.kind") + std::to_string(i) + "\n";
  files.write("w/.skeinignore", text);
  const IgnoredPaths withheld = files.read();
  const std::clock_t started = std::clock();  // of the processor, which others use too
  for (int i = 0; i < 2'000; ++i)
    withheld.by("folder/file" + std::to_string(i) + ".cpp", EntryKind::file);
  CHECK(withheld.by("a/name4242", EntryKind::file) == ".skeinignore:4243");
  CHECK(withheld.by("x.kind9999", EntryKind::file) == ".skeinignore:10000");
  CHECK(std::clock() - started < 5 * CLOCKS_PER_SEC);
}

TEST_CASE("what is no file of patterns says nothing") {
  const Patterns files;
  REQUIRE(mkfifo((files.dir / "w/.skeinignore").c_str(), 0600) == 0);
  fs::create_directory(files.dir / "w/.aiignore");
  CHECK(files.read().by("x", EntryKind::file).empty());
}
