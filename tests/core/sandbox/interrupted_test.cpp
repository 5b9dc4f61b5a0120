// Commands of a skein that was killed: what is on disk is enough to undo them.
#include "core/sandbox/interrupted.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tests/support/temp_dir.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::sandbox;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

struct Scene {
  TempDir dir{};
  fs::path root = dir / "root";
  std::string records = (dir / "records").string();

  Scene() {
    for (const char* folder : {"a/b/c", "sub", "plain", ".git/hooks", ".git/objects", ".git/refs"})
      fs::create_directories(root / folder);
    write_file(root / ".envrc", "export A=1\n");
    write_file(root / "sub/.envrc", "export B=1\n");
    write_file(root / ".vscode/settings.json", "{}");
    write_file(root / ".vscode/deep/er", "deep");
    write_file(root / ".git/HEAD", "ref: refs/heads/main\n");
    write_file(root / ".git/config", "[core]\n\tbare = false\n");
    write_file(root / ".git/hooks/pre-push", "exit 0\n");
  }

  std::unique_ptr<Guard> guard() const {
    return std::make_unique<Guard>(Guard::Settings{.areas = {fs::canonical(root).string()},
                                                   .quarantine = (dir / "quarantine").string(),
                                                   .records = records});
  }
  void run(const std::string& command) const {
    REQUIRE(std::system(("cd '" + root.string() + "' && " + command).c_str()) == 0);
  }
  std::size_t count() const {
    std::error_code error;
    std::size_t found = 0;
    for (fs::directory_iterator entry(records, error), end; !error && entry != end; ++entry)
      ++found;
    return found;
  }
};

constexpr const char* attacks[] = {
    "echo x > .envrc",
    "echo x >> sub/.envrc",
    "rm .envrc",
    "mv .envrc e; echo x > .envrc; rm e",
    "mkdir .husky; echo x > .husky/pre-commit",
    "echo x > .vscode/tasks.json",
    "rm -rf .vscode; ln -s /tmp .vscode",
    "echo x > .vscode/deep/er",
    "chmod 700 .vscode/deep",
    "mkdir sub/.vscode; echo x > sub/.vscode/a",
    "mv sub s; mkdir sub; cp s/.envrc sub; echo x >> sub/.envrc; rm -rf s",
    "rm -rf plain; mkdir plain; echo x > plain/.envrc; rmdir plain 2>/dev/null || true",
    "mkfifo a/b/.idea",
    "echo ../x > .git/commondir",
    "printf '[core]\\n\\tfsmonitor = x\\n' >> .git/config",
    "printf 'x\\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit",
    "rm .git/hooks/pre-push",
};

}  // namespace

TEST_CASE("what a command planted before skein was killed is undone from its record") {
  for (const char* attack : attacks)
    for (const bool after_others : {false, true}) {
      CAPTURE(attack);
      CAPTURE(after_others);
      const Scene scene;
      auto guard = scene.guard();
      if (after_others) {  // what the record says was written in several steps
        guard->record(Guard::Wall::none);
        CHECK(guard->finish() == "");
        scene.run(
            "mkdir -p more/and/more; echo y > more/.envrc; rm -rf a/b; mv .vscode/deep .vscode/d;"
            "mv .vscode/d .vscode/deep; echo '# mine' >> .envrc; mkdir -p a/b");
        guard->record(Guard::Wall::none);
        CHECK(guard->finish() == "");
        scene.run("rm -rf more/and; rm more/.envrc; mkdir more/.idea; echo 1 > more/.idea/x");
      }
      const auto before = snapshot(scene.root);
      guard->record(Guard::Wall::none);
      scene.run(attack);
      guard.reset();  // as if killed: nothing is undone, the record stays

      std::vector<InterruptedCommand> left = interrupted_commands(scene.records);
      REQUIRE(left.size() == 1);
      CHECK(left.front().report == "");
      CHECK_FALSE(left.front().changes.empty());
      CHECK(snapshot(scene.root) != before);  // listing them changes nothing
      CHECK(left.front().undo().find("skein restored them") != std::string::npos);
      left.front().forget();

      CHECK(snapshot(scene.root) == before);
      CHECK(scene.count() == 0);
    }
}

TEST_CASE("a record of a command that planted nothing is removed without a word") {
  const Scene scene;
  auto guard = scene.guard();
  guard->record(Guard::Wall::none);
  scene.run("mkdir -p new/.vscode; echo 1 > new/.vscode/a; mv sub sub2; echo x > plain/file");
  const auto after = snapshot(scene.root);
  guard.reset();

  CHECK(interrupted_commands(scene.records).empty());
  CHECK(snapshot(scene.root) == after);
  CHECK(scene.count() == 0);
}

TEST_CASE("the records of live processes are left alone, and go with them") {
  const Scene scene;
  auto guard = scene.guard();
  guard->record(Guard::Wall::none);
  scene.run("echo x > .envrc");
  CHECK(interrupted_commands(scene.records).empty());
  CHECK(scene.count() == 1);
  CHECK(guard->finish() != "");
  CHECK(scene.count() == 1);
  guard.reset();
  CHECK(scene.count() == 0);
}

TEST_CASE("what one command planted does not become another's to put back") {
  for (const char* plant : {"echo ../x > .git/commondir", "echo x >> .envrc", "rm sub/.envrc"}) {
    CAPTURE(plant);
    const Scene scene;
    auto before = snapshot(scene.root);
    auto first = scene.guard(), second = scene.guard();
    second->record(Guard::Wall::none);
    CHECK(second->finish() == "");
    scene.run("rm -rf .vscode/deep");  // by the user, when only the second had looked
    before = snapshot(scene.root);
    first->record(Guard::Wall::none);
    scene.run(plant);
    second->record(Guard::Wall::none);
    auto third = scene.guard();
    third->record(Guard::Wall::none);

    CHECK(first->finish() != "");
    CHECK(second->finish() == "");
    CHECK(third->finish() == "");

    CHECK(snapshot(scene.root) == before);
  }
}

TEST_CASE("with no other command at work what changes is the user's again") {
  const Scene scene;
  auto first = scene.guard(), second = scene.guard();
  first->record(Guard::Wall::none);
  second->record(Guard::Wall::none);
  CHECK(second->finish() == "");
  CHECK(first->finish() == "");
  scene.run("echo mine >> .envrc; mkdir .idea; echo 1 > .idea/x");
  const auto before = snapshot(scene.root);

  second->record(Guard::Wall::none);

  CHECK(second->finish() == "");
  CHECK(snapshot(scene.root) == before);
}

TEST_CASE("a record that is cut off anywhere is read as far as it is whole") {
  const Scene scene;
  auto guard = scene.guard();
  guard->record(Guard::Wall::none);
  const fs::path file = fs::directory_iterator(scene.records)->path();
  const std::string whole = read_file(file);
  guard.reset();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    write_file(file, whole.substr(0, size));
    for (InterruptedCommand& command : interrupted_commands(scene.records)) command.forget();
    CHECK(scene.count() == 0);
  }
}

TEST_CASE("a look that is stopped starts no command") {
  const Scene scene;
  CHECK_FALSE(scene.guard()->record(Guard::Wall::none, [] { return true; }));
}
