// Repositories of every kind a workspace may lie in.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tests/support/environment.h"
#include "tests/support/file_scene.h"
#include "tests/support/homes.h"
#include "tests/support/own_mounts.h"

using namespace skein;
using namespace skein::test;
using Folder = FileScene::Folder;
using Files = std::map<std::string, std::string>;

namespace {

bool names(const std::vector<checkpoints::LeftAlone>& all, const std::string& path) {
  return std::ranges::find(all, path, &checkpoints::LeftAlone::path) != all.end();
}

bool told_of(const FileScene& scene, std::string_view what) {
  return std::ranges::any_of(scene.notices(), [&](const std::string& notice) {
    return notice.find(what) != std::string::npos;
  });
}

constexpr const char* committed =
    "git config user.name x; git config user.email x@y; git add -A; git commit -qm first";

void check_undone(FileScene& scene, const std::string& shell) {
  const Files before = scene.files();
  const Id prompt = scene.turn(shell);
  const Files repository = scene.repository();
  REQUIRE(scene.files() != before);
  const checkpoints::RestoreReport report = scene.restore(prompt);
  CHECK(scene.files() == before);
  CHECK(report.failed.empty());
  CHECK(scene.repository() == repository);
}

}  // namespace

TEST_CASE("what git converts is told of, put back from a copy, and never from a commit") {
  FileScene scene(Folder::repository);
  scene.by_hand(
      "printf 'a\\r\\nb\\r\\n' > crlf.txt; printf 'c\\r\\n' > other.txt; "
      "git config core.autocrlf true; git add -A; git commit -qm second; git status");
  const Id prompt = scene.begin("change it");
  scene.command("printf x > other.txt");
  CHECK(scene.write("crlf.txt", "y\n") == "");
  scene.end();
  CHECK(told_of(scene, "git converts files here"));
  const checkpoints::RestoreReport report = scene.restore(prompt);
  CHECK(read_file(scene / "crlf.txt") == "a\r\nb\r\n");
  CHECK(read_file(scene / "other.txt") == "x");
  CHECK(names(report.kept, "other.txt"));
}

TEST_CASE("a sparse checkout stays sparse") {
  FileScene scene(Folder::repository);
  scene.by_hand(
      "mkdir in out; echo 1 > in/a; echo 1 > out/b; git add -A; git commit -qm second; "
      "git branch -f other; git sparse-checkout set in src; test ! -e out");
  scene.by_hand("git checkout -q --detach; echo 2 > in/a; git commit -qam third");
  const Files before = scene.files();
  const Id prompt = scene.turn("git checkout -q other; echo x > new");
  scene.restore(prompt);
  CHECK(scene.files() == before);
}

TEST_CASE("a shallow clone has what it needs") {
  FileScene scene(Folder::plain);
  scene.by_hand("git init -q ../from; cd ../from; echo 1 > a; " + std::string(committed) +
                "; echo 2 > a; git commit -qam second; cd ../work; "
                "git clone -q --depth 1 file://$PWD/../from .");
  scene.reopen();
  check_undone(scene, "rm a; echo b > b");
}

TEST_CASE("submodules are told of and left alone") {
  FileScene scene(Folder::repository);
  scene.by_hand("git init -q ../part; (cd ../part; echo 1 > a; " + std::string(committed) +
                "); git -c protocol.file.allow=always submodule add -q file://$PWD/../part part; "
                "git commit -qm with");
  const Id prompt = scene.turn("echo 2 > part/a; echo 2 > kept.txt");
  CHECK(told_of(scene, "part"));
  scene.restore(prompt);
  CHECK(read_file(scene / "part/a") == "2\n");
  CHECK(read_file(scene / "kept.txt") == "as committed\n");
}

TEST_CASE("a worktree, whose .git is a file") {
  FileScene scene(Folder::plain);
  scene.by_hand("git init -q ../main; cd ../main; echo 1 > a; mkdir d; echo 2 > d/b; " +
                std::string(committed) + "; git worktree add -q --detach $OLDPWD");
  scene.reopen();
  const Files before = scene.files();
  const Id prompt = scene.turn("rm -r d; echo 3 > a; echo 4 > c");
  REQUIRE(scene.checkpoints().front().coverage == model::payload::Checkpoint::by_git);
  scene.restore(prompt);
  CHECK(scene.files() == before);
}

TEST_CASE("a repository without a commit, also once it has one") {
  for (const std::string also : {"true", committed}) {
    FileScene scene(Folder::plain);
    scene.by_hand("git init -q .; echo 1 > a; mkdir d; echo 2 > d/b");
    scene.reopen();
    check_undone(scene, "echo 3 > a; rm -r d; echo 4 > c; " + also);
  }
}

TEST_CASE("a workspace inside a repository, whose other files are not its business") {
  FileScene scene(Folder::plain);
  scene.by_hand(
      "cd ..; git init -q .; echo 1 > outside; mkdir -p work/d; echo 2 > work/d/a; "
      "echo home > .gitignore; " +
      std::string(committed));
  scene.reopen();
  const Files before = scene.files();
  const Id prompt = scene.turn("echo x > ../outside; echo y > d/a; echo z > new");
  scene.restore(prompt);
  CHECK(scene.files() == before);
  CHECK(read_file(scene.work().parent_path() / "outside") == "x\n");
}

TEST_CASE("without git a repository is a folder like any other") {
  FileScene scene(Folder::repository);
  scene.by_hand(
      "mkdir ../bin; for each in rm mkdir touch; do ln -s $(command -v $each) ../bin; done");
  const Files before = scene.files();
  const std::string path = std::getenv("PATH");
  setenv("PATH", (scene.work().parent_path() / "bin").c_str(), 1);
  const Id prompt = scene.turn("rm -r src; echo x > kept.txt; mkdir n; touch n/m");
  const auto coverage = scene.checkpoints().front().coverage;
  scene.restore(prompt);
  setenv("PATH", path.c_str(), 1);
  CHECK(coverage == model::payload::Checkpoint::by_walk);
  CHECK(scene.files() == before);
}

TEST_CASE("what a repository makes git run writes nothing") {
  FileScene scene(Folder::repository);
  scene.by_hand(
      "printf '#!/bin/sh\\ntouch %s/pwned ../pwned /tmp/pwned-by-skein-test\\ncat\\n' \"$PWD\" > "
      "../run; "
      "chmod +x ../run; git config filter.x.clean $PWD/../run; git config core.fsmonitor "
      "$PWD/../run; "
      "echo '*.txt filter=x' > .git/info/attributes; sleep 0.02; touch kept.txt");
  std::filesystem::remove("/tmp/pwned-by-skein-test");
  const Id prompt = scene.turn("echo x > new.md");
  scene.restore(prompt);
  CHECK_FALSE(std::filesystem::exists(scene / "pwned"));
  CHECK_FALSE(std::filesystem::exists(scene.work().parent_path() / "pwned"));
  CHECK_FALSE(std::filesystem::exists("/tmp/pwned-by-skein-test"));
}

TEST_CASE("a commit that the user makes in between stays") {
  FileScene scene(Folder::repository);
  const Files before = scene.files();
  const Id prompt = scene.turn("echo model > kept.txt; rm src/main.c; echo new > new");
  scene.by_hand("git add -A; git commit -qm by-hand");
  const Files repository = scene.repository();
  scene.restore(prompt);
  CHECK(scene.files() == before);
  CHECK(scene.repository() == repository);
}

TEST_CASE("two sessions in one workspace: the other's work is kept") {
  FileScene scene(Folder::repository);
  const Id mine = scene.session;
  const Id first = scene.turn("echo mine > kept.txt; echo mine > src/main.c");
  scene.session = session_called(scene.store, "main:test:another");
  scene.turn("echo theirs > kept.txt");
  scene.session = mine;
  const checkpoints::RestoreReport report = scene.restore(first);
  CHECK(read_file(scene / "kept.txt") == "theirs\n");
  CHECK(names(report.kept, "kept.txt"));
  CHECK(report.changed == std::vector<std::string>{"src/main.c"});
}

// In a process of its own, whose disk is a small one.
TEST_CASE("a disk that is full when a file is to be kept: nothing is run, written or lost") {
  const TempDir home;
  const pid_t child = fork();
  if (child == 0) {
    constexpr int not_possible = 77;
    if (!enter_own_mounts() || !mount_memory(home.path().string(), "size=256k"))
      _exit(not_possible);
    FileScene scene(Folder::repository, store_at((home / "home").string()));
    scene.by_hand("head -c 400000 /dev/urandom > large; echo small > small");
    const Files before = scene.files();
    scene.begin("go");
    const bool told =
        scene.command("rm -r src").find("could not be saved first") != std::string::npos &&
        scene.write("large", "x").find("could not be saved first") != std::string::npos;
    const bool small = scene.write("small", "y").empty();
    scene.end();
    const std::string now = read_file(scene / "small");
    scene.by_hand("echo small > small");
    _exit(told && small && now == "y" && scene.files() == before ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77)
    MESSAGE("no mounts of one's own here");
  else
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("where nothing can be kept the command is not run, nor is the file written") {
  const TempDir home;
  FileScene scene(Folder::repository, store_at((home / "home").string()));
  write_file(home / "home" / "blobs", "in the way");
  scene.by_hand("echo dirty > kept.txt");
  scene.begin("go");
  CHECK(scene.command("rm -r src").find("could not be saved first") != std::string::npos);
  CHECK(scene.write("src/main.c", "x").find("could not be saved first") != std::string::npos);
  CHECK(read_file(scene / "src/main.c").starts_with("int main"));
}
