#include "core/workspace/roots.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "core/text/json.h"
#include "core/tools/tools.h"
#include "tests/support/temp_dir.h"

using namespace skein;
namespace fs = std::filesystem;

namespace {

struct Room {
  test::TempDir dir{};
  std::string top = fs::canonical(dir.path()).string(), skill = top + "/own/skills/pdf";
  std::shared_ptr<workspace::ReadableFolders> readable =
      std::make_shared<workspace::ReadableFolders>();

  Room() {
    fs::create_directories(top + "/ws");
    fs::create_directories(skill + "/references");
    test::write_file(skill + "/references/a.md", "the words\n");
    test::write_file(top + "/own/secret", "the key\n");
    fs::create_symlink(top + "/own/secret", skill + "/link");
    readable->set({skill}, {top + "/own/skills"});
  }

  model::ToolOutcome call(const char* tool, const Json& input) const {
    const model::Tools all = tools::standard_tools(
        {.root = top + "/ws", .forbidden = {top + "/own"}, .readable = readable});
    return model::find_tool(all, tool)->run(dump(input), {});
  }
  std::string text(const char* tool, const Json& input) const {
    const model::ToolOutcome outcome = call(tool, input);
    return (outcome.is_error ? "failed: " : "") + std::get<model::Text>(outcome.content.at(0)).text;
  }
};

}  // namespace

TEST_CASE("a skill's folder can be read, listed and searched, wherever it lies") {
  const Room room;
  CHECK(room.text("read", {{"path", room.skill + "/references/a.md"}}) == "the words\n");
  CHECK(room.text("list", {{"path", room.skill}}).find("references") != std::string::npos);
  CHECK(room.text("grep", {{"path", room.skill}, {"pattern", "words"}}).find("the words") !=
        std::string::npos);
}

TEST_CASE("nothing beside a skill's folder can be read, and nothing in it written") {
  const Room room;
  for (const std::string& path : {room.top + "/own/secret", room.skill + "/../../secret",
                                  room.skill + "/link", room.top + "/own/skills/pdfx"}) {
    CAPTURE(path);
    CHECK(room.call("read", {{"path", path}}).is_error);
  }
  const std::string file = room.skill + "/references/a.md";
  CHECK(room.call("write", {{"path", file}, {"content", "x"}}).is_error);
  CHECK(room.call("edit", {{"path", file}, {"old_text", "words"}, {"new_text", "x"}}).is_error);
  CHECK(test::read_file(file) == "the words\n");
}

TEST_CASE("a command sees a skill's folder, and nothing else of what is hidden") {
  const Room room;
  if (sandbox::best_sandbox() == sandbox::Sandbox::none) return;
  CHECK(room.text("bash", {{"command", "cat " + room.skill + "/references/a.md"}}) ==
        "the words\n");
  CHECK(room.call("bash", {{"command", "cat " + room.top + "/own/secret"}}).is_error);
  CHECK(room.call("bash", {{"command", "echo x > " + room.skill + "/references/a.md"}}).is_error);
  CHECK(test::read_file(room.skill + "/references/a.md") == "the words\n");
}

TEST_CASE("what the model is kept from it is kept from in a skill's folder too") {
  const Room room;
  test::write_file(room.skill + "/.skeinignore", "references/b.md\n");
  test::write_file(room.skill + "/references/b.md", "not for models\n");
  test::write_file(room.top + "/own/.skeinignore", "c.md\n");
  test::write_file(room.skill + "/c.md", "nor this\n");
  const auto refused = [&](const char* name) {
    const model::Tools all = tools::standard_tools(
        {.root = room.top + "/ws", .forbidden = {room.top + "/own"}, .readable = room.readable});
    return !model::find_tool(all, "read")->locate(room.skill + name).withheld.empty();
  };
  CHECK(!refused("/references/b.md"));
  room.readable->withhold(
      {.workspace = room.top + "/ws", .project = room.top + "/ws", .names = {".skeinignore"}});
  CHECK(refused("/references/b.md"));
  CHECK(!refused("/references/a.md"));
  CHECK(!refused("/c.md"));
  CHECK(room.call("read", {{"path", room.skill + "/references/b.md"}}).is_error);
  CHECK(room.text("read", {{"path", room.skill + "/references/a.md"}}) == "the words\n");
  // A skill of the project is a part of it.
  room.readable->withhold(
      {.workspace = room.top + "/own/ws", .project = room.top + "/own", .names = {".skeinignore"}});
  CHECK(refused("/c.md"));
}
