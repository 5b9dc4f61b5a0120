#include "core/checkpoints/blame.h"

#include <doctest/doctest.h>

#include "core/text/json.h"
#include "tests/support/file_scene.h"
#include "tests/support/homes.h"

using namespace skein;
using namespace skein::test;
using checkpoints::FileHistory, checkpoints::FileVersion, checkpoints::LineOrigin;
using By = FileVersion::By;
using Folder = FileScene::Folder;

namespace {

struct Traced {
  FileVersion version{};
  LineOrigin origin{};
};

Traced trace(FileScene& scene, const std::string& path, std::size_t line) {
  const std::filesystem::path file = std::filesystem::canonical(scene / path);
  checkpoints::WorkspaceFiles folder(scene.store, scene.contents(), file.parent_path().string(), {},
                                     sandbox::best_sandbox());
  const FileHistory history(folder, file.filename().string());
  const LineOrigin origin = checkpoints::origin_of_line(
      history.versions, line, [&](const FileVersion& each) { return history.text(each); });
  return {history.versions.at(origin.version), origin};
}

void check_turn(const Traced& found, Id prompt) {
  CHECK(found.version.by == By::turn);
  CHECK(found.version.seen.checkpoint.prompt == prompt);
}

}  // namespace

TEST_CASE("each line is traced to the turn that wrote it, through later ones that moved it") {
  FileScene scene(Folder::repository);
  const Id first = scene.turn("printf 'one\\ntwo\\n' >> src/other.c");
  const Id second = scene.begin("write");
  scene.write("src/other.c", "new top\nint other;\none\ntwo changed\n");
  scene.end();
  scene.turn("sed -i '1i above' src/other.c");

  CHECK(trace(scene, "src/other.c", 3).version.by == By::first);  // "int other;" was committed
  check_turn(trace(scene, "src/other.c", 2), second);
  check_turn(trace(scene, "src/other.c", 4), first);
  check_turn(trace(scene, "src/other.c", 5), second);
  CHECK(trace(scene, "src/other.c", 4).origin.lost == 0);
}

TEST_CASE("what changed between turns, or since, was changed by hand") {
  FileScene scene(Folder::repository);
  scene.turn("echo model >> kept.txt");
  scene.by_hand("echo hand >> kept.txt");
  const Id second = scene.turn("echo again >> kept.txt");
  scene.by_hand("echo late >> kept.txt");
  CHECK(trace(scene, "kept.txt", 3).version.by == By::outside);
  CHECK_FALSE(trace(scene, "kept.txt", 3).version.seen.time.empty());
  check_turn(trace(scene, "kept.txt", 4), second);
  const Traced late = trace(scene, "kept.txt", 5);
  CHECK(late.version.by == By::outside);
  CHECK(late.version.seen.time.empty());
  CHECK_FALSE(late.version.since.empty());
}

TEST_CASE("a new file is its turn's, in a repository, a plain folder and ignored") {
  for (const Folder folder : {Folder::repository, Folder::plain}) {
    FileScene scene(folder);
    const Id prompt = scene.turn("echo new > new.txt");
    check_turn(trace(scene, "new.txt", 1), prompt);
  }
  FileScene scene(Folder::repository);
  const Id prompt = scene.begin("write");
  scene.write("ignored/x", "new\n");
  scene.end();
  check_turn(trace(scene, "ignored/x", 1), prompt);
}

TEST_CASE("what a restore or the user put back is its first author's") {
  FileScene scene(Folder::repository);
  const Id first = scene.turn("echo one >> kept.txt");
  const Id second = scene.turn("echo two > kept.txt");
  scene.restore(second);
  check_turn(trace(scene, "kept.txt", 2), first);
  scene.by_hand("cp kept.txt ../copy; echo away > kept.txt");
  scene.turn("echo x > other.txt");
  scene.by_hand("cp ../copy kept.txt");
  check_turn(trace(scene, "kept.txt", 2), first);
}

TEST_CASE("all sessions count, and a file no checkpoint has seen says so") {
  FileScene scene(Folder::repository);
  const Id first = scene.turn("echo one >> kept.txt");
  scene.session = session_called(scene.store, "main:test:another");
  const Id second = scene.turn("echo two >> kept.txt");
  check_turn(trace(scene, "kept.txt", 2), first);
  check_turn(trace(scene, "kept.txt", 3), second);
  scene.by_hand("mkdir -p ignored; echo x > ignored/y");
  const Traced unseen = trace(scene, "ignored/y", 1);
  CHECK(unseen.version.by == By::first);
  CHECK(unseen.version.seen.time.empty());
}

TEST_CASE("versions that are not kept make it less certain, never wrong") {
  const std::vector<FileVersion> versions{
      {.hash = "a"}, {.hash = "b", .by = By::turn}, {.hash = "c", .by = By::turn}};
  const auto text = [](const FileVersion& each) -> std::optional<std::string> {
    if (each.hash == "b") return std::nullopt;
    return each.hash == "a" ? "old\n" : "old\nnew\n";
  };
  const LineOrigin is_new = checkpoints::origin_of_line(versions, 2, text);
  CHECK(is_new.version == 2);
  CHECK(is_new.lost == 1);
  CHECK(checkpoints::origin_of_line(versions, 1, text).version == 0);
}

TEST_CASE("the author is the last call that fits, with its model and prompt") {
  FileScene scene(Folder::repository);
  const auto answer = [&](const std::string& name, const Json& input) {
    model::Message message{.role = model::Role::assistant, .provider = "lab", .model = "m1"};
    message.content.emplace_back(model::ToolUse{"call", name, input.dump()});
    model::Entry entry = model::message_entry(message);
    const Id id = entry.id;
    append(scene.store, scene.session, {{std::move(entry)}});
    return id;
  };
  const Id prompt = scene.begin("go");
  answer("write", {{"path", "kept.txt"}, {"content", "first\n"}});
  scene.write("kept.txt", "first\n");
  const Id edit = answer("edit", {{"path", "./kept.txt"}, {"new_text", "first\nsecond"}});
  scene.write("kept.txt", "first\nsecond\n");
  answer("write", {{"path", "src/main.c"}, {"content", "second\n"}});
  scene.write("src/main.c", "second\n");
  scene.end();
  const Traced found = trace(scene, "kept.txt", 2);
  const auto author = value_of(
      checkpoints::author_of(scene.store, found.version,
                             std::filesystem::canonical(scene / "kept.txt").string(), "second"));
  CHECK(author.prompt.id == prompt);
  REQUIRE(author.entry);
  CHECK(author.entry->id == edit);
  CHECK(author.call == "edit ./kept.txt");
  CHECK(author.model == "lab/m1");
}
