// Commands that only read in the workspace run unasked; whatever may do more is asked about.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "core/permission/policy.h"
#include "core/text/base.h"
#include "core/text/json.h"
#include "core/tools/tools.h"
#include "tests/support/environment.h"
#include "tests/support/rule_texts.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using Verdict = permission::Decision::Verdict;
namespace fs = std::filesystem;

namespace {

struct Project {
  TempDir dir{};
  permission::Rules rules{.sandboxed = true};
  model::Tools tools{};

  Project() {
    write_file(dir / "w/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
    write_file(dir / "w/.gitignore", ".env\n");
    write_file(dir / "w/README.md", "read\n");
    write_file(dir / "w/src/main.cpp", "int main;\n");
    write_file(dir / "w/src/util.cpp", "int util;\n");
    write_file(dir / "outside/key", "KEY\n");
    fs::create_symlink("../outside", dir / "w/out");
    fs::create_directories(dir / "w/linked");
    fs::create_symlink("../../outside/key", dir / "w/linked/a.txt");
    reopen();
  }
  void reopen() {
    const std::string root = (dir / "w").string();
    tools = tools::standard_tools(
        {.root = root,
         .sandbox = sandbox::Sandbox::none,
         .withheld =
             std::make_shared<const workspace::IgnoredPaths>(workspace::IgnoredPaths::Settings{
                 .workspace = fs::canonical(root).string(), .names = {".skeinignore"}})});
  }
  bool runs(const std::string& command) const {
    return permission::decide(rules, tools, {"1", "bash", dump({{"command", command}})}).verdict ==
           Verdict::allow;
  }
  std::string always(const std::string& command) const {
    std::string out;
    for (const permission::Rule& rule :
         permission::remember(rules, tools, {"1", "bash", dump({{"command", command}})}))
      out += (out.empty() ? "" : ",") + to_string(rule);
    return out;
  }
};

}  // namespace

TEST_CASE("what only reads in the workspace runs unasked in a sandbox") {
  const Project project;
  for (const char* command : {"ls",
                              "ls -la",
                              "ls -la src",
                              "pwd",
                              "cat README.md",
                              "cat ./src/main.cpp",
                              "cd src && ls",
                              "cd src && cat main.cpp",
                              "head -20 README.md",
                              "tail -n 5 README.md",
                              "wc -l src/*.cpp",
                              "cat src/*.cpp",
                              "grep -n main src/main.cpp",
                              "grep -rn main src",
                              "git status",
                              "git status --short",
                              "git diff",
                              "git diff --stat HEAD~1",
                              "git --no-pager log --oneline -5",
                              "git log -p",
                              "git show HEAD",
                              "git branch -a",
                              "find . -name '*.cpp' -type f",
                              "sed -n 1,20p README.md",
                              "wc -l < README.md",
                              "LC_ALL=C ls",
                              "ls | head -3 2>/dev/null",
                              "echo done",
                              "ls src && cat README.md"}) {
    CAPTURE(std::string(command));
    CHECK(project.runs(command));
  }
}

TEST_CASE("what may do more than read in the workspace is asked about") {
  const Project project;
  for (const char* command :
       {// elsewhere
        "cat /etc/passwd", "ls /", "ls ..", "cat out/key", "ls out", "cat linked/a.txt",
        "cat linked/*", "ls out/*", "cd out && ls", "cd .. && ls",
        "cd src && cat ../../outside/key", "cd / && cat etc/passwd", "wc -l < ../outside/key",
        "find / -name x", "cat src/[m]*",
        // variables
        "LD_PRELOAD=./x.so ls", "PATH=. ls", "GIT_EXTERNAL_DIFF=./x git diff", "FOO=1 ls",
        "LC_ALL=/tmp/x ls", "PAGER=./x git log", "RIPGREP_CONFIG_PATH=x grep a README.md",
        // options that run, write, follow or wait
        "git -c core.pager=./x log", "git -C src status", "git --git-dir=x status",
        "git diff --ext-diff", "git diff --textconv", "git diff --output=x",
        "git diff --no-index a b", "git log --show-signature", "git log --format=%G?",
        "git branch new", "git tag v1", "git remote add x y", "git grep -Osh main",
        "git status --no-such", "rg --pre sh x", "rg -z x", "rg -L x", "rg --hostname-bin x",
        "find . -exec rm {} +", "find . -delete", "find . -fprint x", "find -L .",
        "sort -o x README.md", "sort --compress-program=x README.md", "uniq README.md x",
        "tree -o x", "tree -l", "grep -R main", "grep -f x README.md", "tail -f README.md",
        "date -s tomorrow", "date 01020304", "sed -n 1e README.md", "sed -i s/a/b/ README.md",
        "diff --to-file=x", "wc --files0-from=x", "file -f x", "ls -LR",
        // writing, and what is no reader at all
        "ls > x", "cat README.md >> x", "echo x > src/main.cpp", "rm README.md", "./ls", "src/ls",
        "ls && rm README.md", "set -x; ls", "ls; ./run"}) {
    CAPTURE(std::string(command));
    CHECK_FALSE(project.runs(command));
  }
}

TEST_CASE("in plan mode a command that only reads runs, every other is refused") {
  Project project;
  project.rules.mode = permission::Mode::plan;
  CHECK(project.runs("git status && cat README.md"));
  const auto refused =
      permission::decide(project.rules, project.tools, {"1", "bash", R"({"command":"ls; make"})"});
  CHECK(refused.verdict == Verdict::deny);
  project.rules.allow = permission::parse_rules("bash(make *)", project.tools);
  CHECK_FALSE(project.runs("make"));
  project.rules.sandboxed = false;
  CHECK_FALSE(project.runs("ls"));
}

TEST_CASE("without a sandbox even ls is asked about") {
  Project project;
  project.rules.sandboxed = false;
  CHECK_FALSE(project.runs("ls"));
}

TEST_CASE("secrets are asked about, whether they are named or found") {
  Project project;
  write_file(project.dir / "w/.env", "KEY=1\n");
  CHECK_FALSE(project.runs("cat .env"));
  CHECK_FALSE(project.runs("grep KEY .env"));
  CHECK_FALSE(project.runs("grep -r KEY ."));
  CHECK_FALSE(project.runs("cat < .env"));
  CHECK(project.runs("ls -la"));
  CHECK(project.runs("grep -r main src"));
  CHECK(project.runs("git diff"));  // git ignores it
  CHECK_FALSE(project.runs("git show HEAD~5:.env"));
  fs::remove(project.dir / "w/.env");
  CHECK_FALSE(project.runs("git show HEAD~5:.env"));
  CHECK_FALSE(project.runs("git log -p -- .env"));
  CHECK(project.runs("git log --oneline -- .env"));
  write_file(project.dir / "w/deploy.pem", "KEY\n");
  CHECK_FALSE(project.runs("cat ./*"));
  CHECK_FALSE(project.runs("git diff"));
  CHECK(project.runs("git status"));
}

TEST_CASE("what a rule forbids to read is not read by a command either") {
  Project project;
  project.rules.deny = permission::parse_rules("read(src/*)", project.tools);
  CHECK_FALSE(project.runs("cat src/main.cpp"));
  CHECK_FALSE(project.runs("cat src/*.cpp"));
  CHECK_FALSE(project.runs("grep -r main ."));
  CHECK_FALSE(project.runs("git diff"));
  CHECK(project.runs("cat README.md"));
  CHECK(project.runs("ls src"));
}

TEST_CASE("a repository that makes git run programs is asked about") {
  for (const char* config : {"[core]\n\tfsmonitor = ./x\n", "[diff \"a\"]\n\ttextconv = ./x\n",
                             "[core]\n\tpager = ./x\n", "[diff]\n\texternal = ./x\n",
                             "[include]\n\tpath = /tmp/x\n", "[alias]\n\tst = !x\n"}) {
    CAPTURE(std::string(config));
    Project project;
    write_file(project.dir / "w/.git/config", config);
    CHECK_FALSE(project.runs("git status"));
    CHECK_FALSE(project.runs("git diff"));
    CHECK(project.runs("ls"));
  }
  Project nested;
  write_file(nested.dir / "w/sub/HEAD", "");
  fs::create_directories(nested.dir / "w/sub/objects");
  fs::create_directories(nested.dir / "w/sub/refs");
  CHECK_FALSE(nested.runs("cd sub && git status"));
}

TEST_CASE("a program from the workspace is not the one of that name") {
  const Project project;
  write_file(project.dir / "w/bin/ls", "#!/bin/sh\n");
  fs::permissions(project.dir / "w/bin/ls", fs::perms::owner_all);
  const std::string usual = std::string(std::getenv("PATH"));
  const Environment path("PATH", ((project.dir / "w/bin").string() + ":" + usual).c_str());
  CHECK_FALSE(project.runs("ls"));
  CHECK(project.runs("cat README.md"));
}

TEST_CASE("always covers variables and redirections where that can be proven") {
  Project project;
  CHECK(project.always("FOO=1 make") == "bash(FOO=1 make)");
  CHECK(project.always("FOO='a b' make -j") == "bash(FOO='a b' make -j)");
  CHECK(project.always("echo hi > x") == "bash(echo hi > x)");
  CHECK(project.always("make 2> log.txt") == "bash(make 2> log.txt)");
  for (const char* command :
       {"LD_PRELOAD=./x.so make", "PATH=. make", "BASH_ENV=x make", "echo hi > ../x",
        "echo hi > .git/config", "echo hi > /tmp/x", "echo hi > out/x", "cd src && echo hi > x"}) {
    CAPTURE(std::string(command));
    CHECK(project.always(command) == "");
  }
  // What cannot be taken apart is remembered as a whole.
  for (const char* command :
       {"echo hi > $X", "make 3> x", "make <> x", "for f in *; do rm $f; done"}) {
    CAPTURE(std::string(command));
    CHECK(project.always(command) == "bash(= " + std::string(command) + ")");
  }
  project.rules.allow =
      permission::parse_allow_rules("bash(FOO=1 make),bash(echo hi > x)", project.tools);
  CHECK(project.runs("FOO=1 make"));
  CHECK(project.runs("echo hi > x"));
  for (const char* command : {"make", "FOO=2 make", "FOO=1 BAR=1 make", "FOO=1 make x", "echo hi",
                              "echo hi >> x", "echo hi > y", "echo hi 2> x", "FOO=1 make > x"}) {
    CAPTURE(std::string(command));
    CHECK(project.runs(command) == (std::string_view(command) == "echo hi"));
  }
  project.rules.deny = permission::parse_rules("bash(make *)", project.tools);
  CHECK_FALSE(project.runs("FOO=1 make"));
  CHECK_THROWS_AS(permission::parse_rules("bash(FOO=1 make *)", project.tools), Error);
}

TEST_CASE("a rule for this project holds like one of the session, and says where it is from") {
  Project project;
  permission::add_rules_here(project.rules, project.tools, {"bash(make test)", "no such(rule"});
  REQUIRE(project.rules.allow.size() == 1);
  CHECK(permission::name(project.rules.allow[0].origin) == "always here");
  CHECK(project.runs("make test"));
  CHECK_FALSE(project.runs("make install"));
}
