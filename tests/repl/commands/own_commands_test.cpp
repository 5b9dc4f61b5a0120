// Commands of the project and the user's own at the prompt: /help, Tab, hints, "did you mean", and
// what is shown of them afterwards.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "repl/commands/table.h"
#include "repl/prompt/prompt_line.h"
#include "tests/support/prompt_scene.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

std::vector<project::OwnCommand> commands_in(const TempDir& dir) {
  std::vector<project::OwnCommand> all;
  for (const auto& file : std::filesystem::directory_iterator(dir.path()))
    all.push_back({.name = file.path().stem().string(), .path = file.path().string()});
  return all;
}

struct Added : session::Program {
  TempDir dir{};

  std::vector<project::OwnCommand> own_commands() override { return commands_in(dir); }
  session::Found<project::LoadedSkill> skills() override {
    return {{{.skill = {.name = "pdf", .description = "Reads it.", .bytes = 4000},
              .folder = "/none/pdf"}},
            {"2 skills are not trusted"}};
  }
  std::optional<project::RenderedCommand> render(std::string_view name, std::string_view arguments,
                                                 const session::CommandPorts&) override {
    const auto found = project::find_own(commands_in(dir), name);
    if (!found) return std::nullopt;
    return project::render(*found, project::read_markdown(found->path), arguments, {});
  }
};

struct Folder {
  Added added{};
};

struct Scene : Folder, DemoScene {
  Scene() : DemoScene(session::Services{.program = &added}) {
    add("review",
        "---\ndescription: \"Look \\e[31mclosely\"\nargument-hint: [since]\n---\nReview $1.");
    add("help", "never seen");
  }

  void add(const std::string& name, const std::string& text) const {
    write_file(added.dir / (name + ".md"), text);
  }
};

}  // namespace

TEST_CASE("own commands are in /help, safe to look at, and none hides a command of skein's") {
  Scene scene;
  CHECK(has(scene.shown("/help"), "/review"));
  const std::string help = scene.shown("/help all");
  CHECK(has(help, "Commands of this project and yours\n"));
  CHECK(has(help, "/review [since]"));
  CHECK(has(help, "closely (yours)"));
  CHECK(!has(help, "\x1b[31m"));
  CHECK(!has(help, "never seen"));
}

TEST_CASE("Tab, hints and guesses know own commands") {
  Scene scene;
  std::vector<std::string> names;
  for (const prompt::CompletionChoice& each : commands::complete(scene.session, "/rev").choices())
    names.push_back(each.text);
  CHECK(std::ranges::count(names, "/review ") == 1);
  CHECK(commands::hint_for(scene.session, "/review") == " [since]");
  CHECK(commands::hint_for(scene.session, "/rename") == " <title>");
  CHECK(commands::hint_for(scene.session, "/none").empty());
  CHECK(has(scene.shown("/reviw"), "did you mean /review?"));
  CHECK(has(scene.shown("/histor"), "did you mean /history?"));
  CHECK(has(scene.shown("/commit"), "no command /commit; /help lists them\n"));
}

TEST_CASE(
    "the names of other agents run a command, or say what to do; a command of one's own comes "
    "first") {
  Scene scene;
  CHECK(has(scene.shown("/settings"), "/settings is /config here\n"));
  CHECK(has(scene.shown("/theme"), "[colors] in config.toml\n"));
  CHECK(!has(scene.shown("/review"), "there is no /review"));
}

TEST_CASE("of commands that begin alike the usual comes first, and what destroys last") {
  Scene scene;
  const auto first = [&](std::string_view typed) {
    prompt::Popup popup(
        [&](std::string_view line) { return commands::complete(scene.session, line); });
    popup.refresh(typed);
    return popup.first() == nullptr ? "" : popup.first()->text;
  };
  CHECK(first("/re") == "/resume ");
  CHECK(first("/d") == "/diff ");
  CHECK(first("/q") == "/quit");
  CHECK(first("/red") == "/redo");
  CHECK(first("/reda") == "/redact ");
  CHECK(first("/bran") == "/branch ");
  CHECK(first("/rev") == "/review ");
  std::vector<std::string> names;
  for (const prompt::CompletionChoice& each : commands::complete(scene.session, "/").choices())
    names.push_back(each.letters);
  CHECK(names.back() == "rollback");
  for (const char* careful : {"archive", "delete", "redact"})
    CHECK(std::ranges::find(names, careful) >= names.end() - 4);
}

TEST_CASE("what a command becomes is sent, and shown as it was typed") {
  Scene scene;
  scene.shown("/review HEAD~3");
  const std::vector<model::Entry>& path = scene.session.conversation().path();
  const auto prompt = std::ranges::find_if(
      path, [](const model::Entry& entry) { return !model::typed_command(entry).empty(); });
  REQUIRE(prompt != path.end());
  CHECK(model::plain_text(*model::message_of(*prompt)) == "Review HEAD~3.");
  CHECK(scene.session.conversation().state().title == "/review HEAD~3");
  const std::string history = scene.shown("/history");
  CHECK(has(history, "/review HEAD~3 (1 line)"));
  CHECK(!has(history, "› Review"));
}

TEST_CASE("a command that cannot be read says why, and nothing is sent") {
  Scene scene;
  scene.add("bad", "---\na: &b c\n---\n");
  CHECK(has(scene.shown("/bad"), "line 2: anchors"));
  CHECK(scene.session.conversation().path().empty());
}

TEST_CASE("/skills lists them with what is wrong, and whether they were used") {
  Scene scene;
  const std::string list = scene.shown("/skills");
  CHECK(has(list, "pdf"));
  CHECK(has(list, "1.0k"));
  CHECK(has(list, "2 skills are not trusted"));
  CHECK(has(scene.shown("/skills none"), "there is no skill none"));
  CHECK(has(scene.shown("/skills pdf"), "pdf: Reads it."));
}
