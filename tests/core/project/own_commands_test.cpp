#include "core/project/own_commands.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "core/model/entry.h"
#include "core/project/markdown_files.h"
#include "core/text/checksum.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using project::OwnCommand, project::RenderedCommand, project::ShellRun;
namespace fs = std::filesystem;

namespace {

struct Tree {
  test::TempDir dir{};
  std::string home = fs::canonical(dir.path()).string();
  std::string root = home + "/repo";
  Tree() { fs::create_directories(root + "/.git"); }

  std::string put(const std::string& path, const std::string& text) const {
    const std::string file = home + "/" + path;
    fs::create_directories(fs::path(file).parent_path());
    test::write_file(file, text);
    return file;
  }
  project::Places places(const std::string& below = "") const {
    return project::places_of(root + below, home, home + "/config");
  }
  std::string names(const std::string& below = "") const {
    std::string out;
    for (const project::CommandFile& file : project::find_commands(places(below)))
      out += (out.empty() ? "" : " ") + file.name + (file.of_project ? "" : "*");
    return out;
  }
};

RenderedCommand rendered(const std::string& text, const std::string& arguments,
                         std::vector<std::string>* runs = nullptr, ShellRun result = {true, "out"},
                         bool trusted = true) {
  project::MarkdownFile file{.text = text};
  file.front = project::read_front_matter(file.text);
  const OwnCommand command{.name = "x", .path = "/p/x.md", .of_project = true, .trusted = trusted};
  return project::render(command, file, arguments,
                         {.run =
                              [&](const std::string& line, const std::vector<std::string>&) {
                                if (runs != nullptr) runs->push_back(line);
                                return result;
                              },
                          .session = "s",
                          .project_folder = "/p"});
}

}  // namespace

TEST_CASE("commands are Markdown files, folders are namespaces, the nearest come first") {
  const Tree tree;
  fs::create_directories(tree.root + "/sub");
  tree.put("repo/.skein/commands/review.md", "x");
  tree.put("repo/.claude/commands/git/commit.md", "x");
  tree.put("repo/sub/.claude/commands/near.md", "x");
  tree.put("config/commands/mine.md", "x");
  tree.put(".claude/commands/old.md", "x");
  tree.put("repo/.skein/commands/not a name.md", "x");
  tree.put("repo/.skein/commands/notes.txt", "x");
  CHECK(tree.names() == "review git:commit mine* old*");
  CHECK(tree.names("/sub") == "near review git:commit mine* old*");
}

TEST_CASE("a project's commands lead nowhere outside of it") {
  const Tree tree;
  const std::string secret = tree.put("secret.md", "key");
  const std::string theirs = tree.put(".claude/commands/own.md", "x");
  tree.put("repo/.skein/commands/a.md", "x");
  tree.put("elsewhere/commands/evil.md", "x");
  fs::create_symlink(secret, tree.root + "/.skein/commands/leak.md");
  fs::create_symlink(theirs, tree.root + "/.skein/commands/linked.md");
  fs::create_directory_symlink(tree.home + "/elsewhere", tree.root + "/.claude");
  CHECK(tree.names() == "a linked own*");
}

TEST_CASE("in the home folder what is there is the user's own") {
  const Tree tree;
  tree.put(".claude/commands/old.md", "x");
  const auto found = project::find_commands(project::places_of(tree.home, tree.home, ""));
  REQUIRE(found.size() == 1);
  CHECK(!found[0].of_project);
}

TEST_CASE("who hides whom: what is trusted before what is not, skills before files") {
  const std::vector<OwnCommand> all = {
      {.name = "a", .path = "strange", .of_project = true, .trusted = false},
      {.name = "a", .path = "mine"},
      {.name = "b", .path = "theirs", .of_project = true},
      {.name = "b", .path = "mine"},
      {.name = "c", .path = "file", .of_project = true},
      {.name = "c", .path = "skill", .skill_folder = "/s"}};
  const std::vector<OwnCommand> shown = project::by_name(all);
  REQUIRE(shown.size() == 3);
  CHECK(shown[0].path == "mine");
  CHECK(shown[1].path == "theirs");
  CHECK(shown[2].path == "skill");
  CHECK(project::find_own(all, "a")->path == "mine");
  CHECK(project::find_own(all, "project:a")->path == "strange");
  CHECK(project::find_own(all, "user:b")->path == "mine");
  CHECK(project::find_own(all, "project:c")->path == "file");
  CHECK(!project::find_own(all, "d"));
}

TEST_CASE("a command becomes a message, with what was typed beside it") {
  std::vector<std::string> runs;
  const RenderedCommand out = rendered(
      "---\nallowed-tools: Bash(git diff:*), Read\narguments: [what]\n---\nLook at $what:\n"
      "!`git diff $what`\nand @notes.md\n",
      "HEAD~3", &runs, {true, "!`reboot` @/etc/passwd $1"});
  CHECK(runs == std::vector<std::string>{"git diff 'HEAD~3'"});
  CHECK(out.text == "Look at HEAD~3:\n!`reboot` @/etc/passwd $1\nand @notes.md");
  CHECK(out.mentions == "Look at HEAD~3:\n\n\nand @notes.md");
  CHECK(out.temporary_rules == std::vector<std::string>{"Bash(git diff:*)", "Read"});
  CHECK(model::typed_command(out.meta) == "/x HEAD~3");
  CHECK(out.meta.find(R"("source":"/p/x.md")") != std::string::npos);
}

TEST_CASE("a command that fails ends it, but for those that may say no") {
  CHECK_THROWS_AS(rendered("!`git diff`", "", nullptr, {true, "fatal", 128}), Error);
  CHECK_THROWS_AS(rendered("!`git diff`", "", nullptr, {true, "no", 1}), Error);
  CHECK_THROWS_AS(rendered("!`grep x y`", "", nullptr, {true, "no file", 2}), Error);
  CHECK(rendered("!`git diff | grep x`", "", nullptr, {true, "none", 1}).text == "none");
  try {
    rendered("!`make`", "", nullptr, {false, "a rule forbids it"});
    FAIL("it was sent");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "nothing was sent: `make` was not run: a rule forbids it");
  }
}

TEST_CASE("what is not trusted is text: nothing runs and no rule is added") {
  std::vector<std::string> runs;
  CHECK(
      rendered("---\nallowed-tools: Bash\n---\nhi", "", &runs, {}, false).temporary_rules.empty());
  CHECK_THROWS_AS(rendered("!`date`", "", &runs, {true, ""}, false), Error);
  CHECK(runs.empty());
}

TEST_CASE("what a command prints is cut") {
  const std::string out = rendered("!`yes`", "", nullptr, {true, std::string(50'000, 'y')}).text;
  CHECK(out.size() < 30'100);
  CHECK(out.ends_with("\n[cut after 30,000 characters]"));
}

TEST_CASE("a command says what it is for, and what it takes") {
  const auto words = [](const std::string& text) {
    project::MarkdownFile file{.text = text};
    file.front = project::read_front_matter(file.text);
    return project::words_of(file);
  };
  CHECK(words("---\ndescription: Does it\nargument-hint: [file]\n---\nbody").hint == "[file]");
  CHECK(words("---\nargument-hint: [a] [b]\n---\nbody").hint == "[a] [b]");
  CHECK(words("# Title\n\nFirst words\nand more.\n\nOther.").description ==
        "First words and more.");
}

TEST_CASE("files that are too large, no files or links to nowhere are refused, not read") {
  const Tree tree;
  const std::string large = tree.put("large.md", std::string((1u << 20) + 1, 'x'));
  CHECK(project::read_markdown(large).refusal == "it is larger than 1 MiB");
  CHECK(project::read_markdown(tree.home).refusal == "it is not a file");
  CHECK(!project::read_markdown("/dev/zero").refusal.empty());
  CHECK(!project::read_markdown(tree.home + "/none").refusal.empty());
  CHECK(project::read_markdown(tree.put("open.md", "---\na: b\n")).refusal ==
        "line 1: the front matter is never closed with ---");
}

TEST_CASE("a command with hooks in its front matter is used, and says that they do not run") {
  const RenderedCommand plan = rendered(
      "---\ndescription: plans\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n"
      "          command: x\n---\nPlan $1.",
      "it");
  CHECK(plan.text == "Plan it.");
  CHECK(plan.remarks ==
        std::vector<std::string>{"/x has hooks in its front matter, which do not run"});
  CHECK(rendered("Plan $1.", "it").remarks.empty());
}

TEST_CASE("Markdown files are found in folders below, and no link to a folder is followed") {
  const Tree tree;
  for (const char* name : {"b/two.md", "one.md", "a/deep/er/three.3.md", "b/notes.txt"})
    tree.put(std::string("repo/.claude/agents/") + name, "x");
  fs::create_directory_symlink("..", tree.root + "/.claude/agents/loop");
  std::vector<std::string> names;
  for (const project::FoundMarkdown& file :
       project::markdown_files({tree.root + "/.claude/agents", true}, tree.places()))
    names.push_back(file.below);
  CHECK(names == std::vector<std::string>{"a/deep/er/three.3.md", "b/two.md", "one.md"});
}
