#include <doctest/doctest.h>

#include <algorithm>

#include "core/store/home/file_backend.h"
#include "tests/support/file_scene.h"
#include "tests/support/homes.h"

using namespace skein;
using namespace skein::test;
using model::payload::Checkpoint;
using Folder = FileScene::Folder;

namespace {

std::vector<std::string> paths_of(const Checkpoint& checkpoint) {
  std::vector<std::string> out;
  for (const model::KeptFile& file : checkpoint.files) out.push_back(file.path);
  return out;
}

}  // namespace

TEST_CASE("a turn that changes nothing writes nothing") {
  FileScene scene(Folder::repository);
  scene.begin("only a question");
  scene.end();
  CHECK(scene.checkpoints().empty());
}

TEST_CASE(
    "a command in a clean repository costs one entry without files, and one if it changed some") {
  FileScene scene(Folder::repository);
  scene.turn("cat kept.txt");
  REQUIRE(scene.checkpoints().size() == 1);
  CHECK(scene.checkpoints()[0].coverage == Checkpoint::by_git);
  CHECK(scene.checkpoints()[0].files.empty());
  CHECK(scene.checkpoints()[0].git + "\n" == scene.git("rev-parse HEAD"));

  scene.turn("echo more >> kept.txt; touch new.txt; rm src/other.c; touch src/main.c");
  const std::vector<Checkpoint> all = scene.checkpoints();
  REQUIRE(all.size() == 3);
  CHECK(all[2].phase == Checkpoint::after);
  CHECK(paths_of(all[2]) == std::vector<std::string>{"kept.txt", "new.txt", "src/other.c"});
  CHECK_FALSE(all[2].files[2].exists());
}

TEST_CASE("only the first command of a turn is preceded by a look at everything") {
  FileScene scene(Folder::repository);
  scene.begin("two");
  scene.command("echo 1 > a");
  scene.command("echo 2 > b");
  CHECK(scene.checkpoints().size() == 1);
}

TEST_CASE("write keeps what it replaces, ignored files too, and asks no git") {
  FileScene scene(Folder::repository);
  scene.by_hand("mkdir ignored; echo old > ignored/x");
  scene.begin("write");
  CHECK(scene.write("ignored/x", "new\n") == "");
  CHECK(scene.write("made/here", "new\n") == "");
  scene.end();
  const std::vector<Checkpoint> all = scene.checkpoints();
  REQUIRE(all.size() == 3);
  CHECK(all[0].coverage == Checkpoint::by_tools);
  CHECK(value_of(scene.store.blobs().load_blob(*all[0].files.at(0).hash)) == "old\n");
  CHECK_FALSE(all[1].files.at(0).exists());
  CHECK(paths_of(all[2]) == std::vector<std::string>{"ignored/x", "made/here"});
}

TEST_CASE("without a repository every file is kept, within limits; beyond them it is said") {
  FileScene scene(Folder::plain, checkpoints::ScanLimits{.walk_files = 3});
  scene.by_hand("echo 1 > a; echo 2 > b; mkdir c; echo 3 > c/d");
  scene.turn("echo 4 > a");
  REQUIRE(scene.checkpoints().size() == 2);
  CHECK(scene.checkpoints()[0].coverage == Checkpoint::by_walk);
  CHECK(paths_of(scene.checkpoints()[0]) == std::vector<std::string>{"a", "b", "c/d"});
  CHECK(scene.notices().empty());

  scene.by_hand("echo 5 > e");
  scene.turn("echo 6 > a");
  CHECK(scene.checkpoints().size() == 2);
  REQUIRE(scene.notices().size() == 1);
  CHECK(scene.notices()[0].find("cannot be undone") != std::string::npos);
}

TEST_CASE("a file that is too large is left out, told once, and listed as there") {
  FileScene scene(Folder::repository, checkpoints::ScanLimits{.untracked_bytes = 10});
  scene.turn("head -c 1000 /dev/zero > large; echo small > small");
  const Checkpoint after = scene.checkpoints().back();
  CHECK(after.left_out == 1);
  REQUIRE(paths_of(after) == std::vector<std::string>{"large", "small"});
  CHECK(after.files[0].hash == "");
  scene.turn("echo x > small");
  REQUIRE(scene.notices().size() == 1);
  CHECK(scene.notices()[0].find("large") != std::string::npos);
}

TEST_CASE("many files are listed in a blob") {
  FileScene scene(Folder::repository);
  scene.turn("for i in $(seq 2100); do echo $i > f$i; done");
  const Checkpoint after = scene.checkpoints().back();
  CHECK(after.files.empty());
  const auto listed = model::files_from_json(value_of(scene.store.blobs().load_blob(after.list)));
  REQUIRE(listed);
  CHECK(listed->size() == 2100);
  CHECK(value_of(scene.store.blobs().load_blob(*listed->back().hash)) == "999\n");
}

TEST_CASE("names of any bytes come back as they were") {
  for (const std::string path : {"a\nb", "-rf", "caf\xe9", "back\\slash", "\\x41", "日本", "nnn"})
    CHECK(model::unescaped_path(model::escaped_path(path)) == path);
  CHECK(model::escaped_path("caf\xe9\\") == "caf\\xe9\\x5c");
  const model::KeptFile file{"caf\xe9", 0644, "", 3};
  const auto read = model::files_from_json(model::files_json(std::vector{file}));
  REQUIRE(read);
  CHECK(read->at(0) == file);
}

TEST_CASE("where a file would keep git waiting the folder is walked, and that is said") {
  for (const char* name : {".gitattributes", ".gitignore", ".gitmodules", ".git/info/exclude"}) {
    CAPTURE(name);
    FileScene scene(Folder::repository);
    scene.by_hand("rm -f " + std::string(name) + "; mkfifo " + name);
    const Id prompt = scene.turn("echo changed > kept.txt");
    REQUIRE(scene.checkpoints().size() == 2);
    CHECK(scene.checkpoints()[0].coverage == Checkpoint::by_walk);
    CHECK(scene.notices().at(0).find(std::string(name) + " is not a file that git can read") !=
          std::string::npos);
    CHECK(scene.restore(prompt).changed == std::vector<std::string>{"kept.txt"});
    CHECK(read_file(scene / "kept.txt") == "as committed\n");
  }
}

TEST_CASE("a look that is stopped is never taken for a whole one") {
  for (const Folder folder : {Folder::repository, Folder::plain}) {
    FileScene scene(folder);
    scene.by_hand("echo old > kept.txt; echo old > other.txt");
    for (const int most : {0, 1, 3}) {  // while files are counted, and while they are read
      int asked = 0;
      scene.stopped = [&] { return ++asked > most; };
      scene.begin("stopped before");
      CHECK(scene.command("echo never > kept.txt") == "cancelled by the user");
      CHECK(read_file(scene / "kept.txt") == "old\n");
      CHECK(scene.checkpoints().empty());
    }

    // What a tool wrote is recorded all the same.
    scene.stopped = [] { return false; };
    const Id prompt = scene.begin("stopped after");
    CHECK(scene.command("echo changed > kept.txt").empty());
    CHECK(scene.write("other.txt", "written\n") == "");
    scene.stopped = [] { return true; };
    scene.end();
    CHECK(scene.notices().back() ==
          "the state of the files after this turn could not be saved: stopped");
    CHECK(scene.checkpoints().back().phase == Checkpoint::after);
    CHECK(paths_of(scene.checkpoints().back()) == std::vector<std::string>{"other.txt"});

    const checkpoints::StopRequest::By user(scene.workspace().stop, [] { return true; });
    CHECK_THROWS_AS(scene.plan(prompt), checkpoints::StopRequest::Stopped);
  }
}
