#include "core/instructions/instructions.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "core/project/project_root.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::instructions;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

// A home with a repository in it, worked on in one of its folders.
struct Stand {
  TempDir dir{};
  std::string workspace{};

  explicit Stand(const std::string& folder = "repo") : workspace((dir / folder).string()) {
    fs::create_directories(dir / "repo/.git");
    fs::create_directories(workspace);
  }
  void write(const std::string& file, std::string_view text) const { write_file(dir / file, text); }
  Places places() const {
    return {.machine = (dir / "etc/AGENTS.md").string(),
            .own = {(dir / "config/AGENTS.md").string(), (dir / "home.md").string()},
            .folders = project::project_folders(workspace, dir.path().string()),
            .home = dir.path().string()};
  }
  Instructions read(std::size_t bytes = usual_bytes) const { return Instructions(places(), bytes); }
};

// "heading: text", a line each.
Lines told(const std::vector<Document>& documents) {
  Lines out;
  for (const Document& each : documents) out.push_back(each.heading + ": " + each.text);
  return out;
}
Lines told(const Instructions& instructions) { return told(instructions.documents()); }

Lines names(const std::vector<Document>& documents) {
  Lines out;
  for (const Document& each : documents) out.push_back(each.name);
  return out;
}

}  // namespace

TEST_CASE("instructions go from the general to the special") {
  const Stand stand("repo/packages/web");
  stand.write("etc/AGENTS.md", "machine");
  stand.write("home.md", "second choice");
  stand.write("config/AGENTS.md", "own");
  stand.write("repo/AGENTS.md", "root");
  stand.write("repo/packages/CLAUDE.md", "middle");
  stand.write("repo/packages/web/CLAUDE.md", "not read");
  stand.write("repo/packages/web/AGENTS.md", "not read either");
  stand.write("repo/packages/web/AGENTS.override.md", "near");
  stand.write("repo/packages/web/CLAUDE.local.md", "private");
  stand.write("AGENTS.md", "above the project");
  const Instructions instructions = stand.read();
  const std::string place = "~/";
  CHECK(told(instructions) == Lines{"AGENTS.md (~/etc): machine", "AGENTS.md (~/config): own",
                                    "AGENTS.md: root", "CLAUDE.md (packages): middle",
                                    "AGENTS.override.md (packages/web): near",
                                    "CLAUDE.local.md (packages/web): private"});
  CHECK(instructions.documents()[4].name == "AGENTS.override.md of this workspace");
  CHECK(instructions.remarks().empty());
}

TEST_CASE("a project's words are marked as its own, the user's are not") {
  const Stand stand;
  stand.write("config/AGENTS.md", "own");
  stand.write("repo/AGENTS.md", "theirs");
  const std::string text = prompt_text(stand.read().documents());
  const std::size_t mark = text.find("files of this project");
  REQUIRE(mark != std::string::npos);
  CHECK(text.find("# AGENTS.md (~/config)\n\nown") < mark);
  CHECK(text.find("# AGENTS.md\n\ntheirs") > mark);
  CHECK(text.find("files of this project", mark + 1) == std::string::npos);
  CHECK(prompt_text({}).empty());
}

TEST_CASE("a worktree, whose .git is a file, is a project; without one only the workspace counts") {
  Stand stand("repo/sub");
  fs::remove_all(stand.dir / "repo/.git");
  stand.write("repo/AGENTS.md", "root");
  stand.write("repo/sub/AGENTS.md", "sub");
  CHECK(told(stand.read()) == Lines{"AGENTS.md: sub"});
  stand.write("repo/.git", "gitdir: /elsewhere\n");
  CHECK(told(stand.read()) == Lines{"AGENTS.md: root", "AGENTS.md (sub): sub"});
}

TEST_CASE("a link counts only if it stays in the project") {
  const Stand stand;
  stand.write("repo/docs/agents.md", "inside");
  fs::create_symlink("docs/agents.md", stand.dir / "repo/AGENTS.md");
  CHECK(told(stand.read()) == Lines{"AGENTS.md: inside"});

  fs::remove(stand.dir / "repo/AGENTS.md");
  fs::create_symlink(stand.dir / "repo/docs/agents.md", stand.dir / "repo/AGENTS.md");
  CHECK(told(stand.read()) == Lines{"AGENTS.md: inside"});

  fs::remove(stand.dir / "repo/AGENTS.md");
  fs::create_symlink("/etc/passwd", stand.dir / "repo/AGENTS.md");
  stand.write("repo/CLAUDE.md", "the next one");
  const Instructions outside = stand.read();
  CHECK(told(outside) == Lines{"CLAUDE.md: the next one"});
  CHECK(outside.remarks() == Lines{"AGENTS.md is not read: it leads out of the project"});

  fs::remove(stand.dir / "repo/AGENTS.md");
  fs::create_symlink("AGENTS.md", stand.dir / "repo/AGENTS.md");
  CHECK(stand.read().remarks().size() == 1);

  fs::create_directory(stand.dir / "outside");
  stand.write("outside/CLAUDE.md", "outside");
  fs::remove(stand.dir / "repo/CLAUDE.md");
  fs::create_symlink("../outside", stand.dir / "repo/.claude");
  CHECK(told(stand.read()).empty());
}

TEST_CASE("what is no file of text is left alone, and nothing waits for it") {
  const Stand stand;
  REQUIRE(mkfifo((stand.dir / "repo/AGENTS.md").c_str(), 0600) == 0);
  fs::create_directory(stand.dir / "repo/CLAUDE.md");
  stand.write("repo/.claude/CLAUDE.md", std::string_view("\0\1", 2));
  const Instructions instructions = stand.read();
  CHECK(told(instructions).empty());
  CHECK(instructions.remarks() == Lines{"AGENTS.md is not read: is not a regular file",
                                        "CLAUDE.md is not read: is a folder",
                                        ".claude/CLAUDE.md is not read: it is not text"});
}

TEST_CASE("of a huge file the first lines are read, and it costs no more than a small one") {
  const Stand stand;
  stand.write("repo/AGENTS.md", "line\n");
  fs::resize_file(stand.dir / "repo/AGENTS.md", 0);
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += "a line of twenty bytes\n";
  stand.write("repo/AGENTS.md", lines);
  fs::resize_file(stand.dir / "repo/AGENTS.md", 4'000'000'000);  // a hole
  const std::clock_t started = std::clock();  // of the processor, which others use too
  const Instructions instructions = stand.read();
  CHECK(std::clock() - started < CLOCKS_PER_SEC / 5);
  REQUIRE(instructions.documents().size() == 1);
  const std::string& text = instructions.documents()[0].text;
  CHECK(text.size() < 33'000);
  CHECK(text.ends_with("a line of twenty bytes\n[cut here: the file has 4,000,000,000 bytes]\n"));
  CHECK(instructions.remarks() == Lines{"AGENTS.md is cut: it has 4,000,000,000 bytes"});
}

TEST_CASE("when there is too much in all, what is far away is cut first") {
  const Stand stand("repo/a/b");
  stand.write("config/AGENTS.md", std::string(900, 'o') + "\n");
  stand.write("repo/AGENTS.md", std::string(900, 'r') + "\n");
  stand.write("repo/a/AGENTS.md", std::string(499, 'a') + "\n" + std::string(499, 'x') + "\n");
  stand.write("repo/a/b/AGENTS.md", std::string(900, 'b') + "\n");
  const Instructions instructions = stand.read(2'400);
  REQUIRE(instructions.documents().size() == 3);
  CHECK(instructions.documents()[0].text.size() == 901);
  CHECK(instructions.documents()[1].text ==
        std::string(499, 'a') + "\n[cut here: 500 more bytes]\n");
  CHECK(instructions.documents()[2].text.size() == 901);
  CHECK(instructions.remarks() ==
        Lines{"AGENTS.md (a) is cut: instructions are too long in total",
              "AGENTS.md is left out: instructions are too long in total"});
  CHECK(stand.read(0).documents().empty());
}

TEST_CASE("CRLF, a byte order mark and broken UTF-8 are put right") {
  const Stand stand;
  stand.write("repo/AGENTS.md",
              "\xEF\xBB\xBF"
              "a\r\n<!-- x -->\r\nb\xFF\r\n");
  CHECK(told(stand.read()) == Lines{"AGENTS.md: a\nb\xEF\xBF\xBD\n"});
}

TEST_CASE("imports follow the file that names them, each once, four deep") {
  const Stand stand;
  stand.write("repo/AGENTS.md",
              "see @docs/1.md and @missing.md and @param\n```\n@docs/code.md\n```\n");
  stand.write("repo/docs/1.md", "@2.md @../AGENTS.md");
  stand.write("repo/docs/2.md", "@3.md @1.md");
  stand.write("repo/docs/3.md", "@4.md");
  stand.write("repo/docs/4.md", "@5.md");
  stand.write("repo/docs/5.md", "too deep");
  stand.write("repo/docs/code.md", "in code");
  const Instructions instructions = stand.read();
  REQUIRE(instructions.documents().size() == 5);
  CHECK(instructions.documents()[0].text.starts_with("see @docs/1.md"));
  CHECK(instructions.documents()[1].heading == "docs/1.md (imported by AGENTS.md)");
  CHECK(instructions.documents()[4].heading == "docs/4.md (imported by docs/3.md)");
  CHECK(instructions.documents()[4].name == "the file docs/4.md");
}

TEST_CASE("a project imports nothing from elsewhere, the user's own file may") {
  const Stand stand;
  stand.write("secret.md", "secret");
  stand.write("repo/.git/config", "token");
  fs::create_symlink("../secret.md", stand.dir / "repo/link.md");
  stand.write("repo/AGENTS.md", "@../secret.md @~/secret.md @/etc/passwd @link.md @.git/config");
  const Instructions instructions = stand.read();
  CHECK(instructions.documents().size() == 1);
  CHECK(instructions.remarks().size() == 4);

  stand.write("config/AGENTS.md", "@~/secret.md");
  fs::remove(stand.dir / "repo/AGENTS.md");
  CHECK(told(stand.read()) == Lines{"AGENTS.md (~/config): @~/secret.md",
                                    "~/secret.md (imported by ~/config/AGENTS.md): secret"});
}

TEST_CASE("what is kept from the model is not imported") {
  const Stand stand;
  stand.write("repo/AGENTS.md", "@.env @ok.md");
  stand.write("repo/.env", "TOKEN=1");
  stand.write("repo/ok.md", "ok");
  const Instructions instructions(stand.places(), usual_bytes,
                                  [](const std::string& below) { return below == ".env"; });
  CHECK(names(instructions.documents()) == Lines{"AGENTS.md of this workspace", "the file ok.md"});
  CHECK(instructions.remarks() == Lines{".env is not read: it is hidden from the model"});
}

TEST_CASE("a change, a new file and one that is gone are noticed") {
  const Stand stand;
  Instructions instructions = stand.read();
  CHECK_FALSE(instructions.refresh());
  stand.write("repo/AGENTS.md", "one @x.md");
  CHECK(instructions.refresh());
  CHECK(told(instructions) == Lines{"AGENTS.md: one @x.md"});
  CHECK_FALSE(instructions.refresh());
  stand.write("repo/AGENTS.md", "two, longer");
  CHECK(instructions.refresh());
  CHECK(told(instructions) == Lines{"AGENTS.md: two, longer"});
  fs::remove(stand.dir / "repo/AGENTS.md");
  CHECK(instructions.refresh());
  CHECK(told(instructions).empty());
}

TEST_CASE("folders further down have their say when a file in them is used") {
  const Stand stand("repo/packages");
  stand.write("repo/packages/AGENTS.md", "packages");
  stand.write("repo/packages/web/AGENTS.md", "web @rules.md");
  stand.write("repo/packages/web/rules.md", "imported");
  stand.write("repo/packages/web/src/CLAUDE.md", "src");
  stand.write("repo/packages/api/AGENTS.md", "api");
  const Instructions instructions = stand.read();
  CHECK(told(instructions) == Lines{"AGENTS.md (packages): packages"});
  CHECK(names(instructions.nearby("web/src/main.ts")) ==
        Lines{"web/AGENTS.md", "web/rules.md", "web/src/CLAUDE.md"});
  CHECK(instructions.nearby("main.ts").empty());
  CHECK(names(instructions.nearby("web/src/CLAUDE.md")) == Lines{"web/AGENTS.md", "web/rules.md"});
  CHECK(instructions.nearby("docs/x.md").empty());
  CHECK(Instructions(stand.places(), 0).nearby("web/src/main.ts").empty());
}

TEST_CASE("rules without paths always hold, the others when a file fits") {
  const Stand stand("repo/web");
  stand.write("repo/.claude/rules/all.md", "always");
  stand.write("repo/.claude/rules/ts.md", "---\npaths:\n  - \"web/**/*.{ts,tsx}\"\n---\nno any\n");
  stand.write("repo/web/.skein/rules/md.md", "---\npaths: docs/*.md\n---\nshort lines\n");
  stand.write("repo/.claude/rules/bad.md", "---\npaths: {a: {b: c}}\n---\nx\n");
  const Instructions instructions = stand.read();
  CHECK(told(instructions) == Lines{".claude/rules/all.md: always"});
  REQUIRE(instructions.path_rules().size() == 2);
  CHECK(instructions.path_rules()[0].why == "rule for web/**/*.{ts,tsx}");
  CHECK(names(instructions.nearby("src/a.tsx")) == Lines{"../.claude/rules/ts.md"});
  CHECK(names(instructions.nearby("b.ts")) == Lines{"../.claude/rules/ts.md"});
  CHECK(names(instructions.nearby("docs/x.md")) == Lines{".skein/rules/md.md"});
  CHECK(instructions.nearby("x.js").empty());
  CHECK(instructions.remarks().size() == 1);
}
