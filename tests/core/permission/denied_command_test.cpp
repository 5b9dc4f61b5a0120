// A rule that forbids `git push`: what it leaves alone, and the ways to `git push` that it sees.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/permission/policy.h"
#include "core/text/json.h"
#include "core/tools/tools.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using permission::Mode;
using Verdict = permission::Decision::Verdict;
namespace fs = std::filesystem;

namespace {

model::ToolUse bash(const std::string& command) {
  return {"1", "bash", dump({{"command", command}})};
}

struct Project {
  TempDir dir{};
  model::Tools tools{};
  permission::Rules rules{.sandboxed = true};

  Project() {
    write_file(dir / "w/.git/config", "[core]\n\tbare = false\n");
    write_file(dir / "w/README.md", "read\n");
    write_file(dir / "w/data.json", "{}\n");
    write_file(dir / "w/src/lexer.cpp", "int lexer;\n");
    write_file(dir / "w/src/parser.cpp", "int parser;\n");
    write_file(dir / "w/list.txt", "src/lexer.cpp\n");
    const std::string root = (dir / "w").string();
    tools = tools::standard_tools(
        {.root = root,
         .sandbox = sandbox::Sandbox::none,
         .withheld =
             std::make_shared<const workspace::IgnoredPaths>(workspace::IgnoredPaths::Settings{
                 .workspace = fs::canonical(root).string(), .names = {".skeinignore"}})});
  }
  void deny(const char* text) { rules.deny = permission::parse_rules(text, tools); }
  Verdict verdict(const std::string& command, Mode mode = Mode::normal) {
    rules.mode = mode;
    return permission::decide(rules, tools, bash(command)).verdict;
  }
  std::vector<permission::Rule> always(const std::string& command) {
    rules.mode = Mode::normal;
    return permission::remember(rules, tools, bash(command));
  }
};

// Whatever the tests run on, jq may not be installed.
bool is_missing(const std::string& command) {
  return command.starts_with("jq") && !fs::exists("/usr/bin/jq");
}

constexpr const char* everyday[] = {
    "ls",
    "ls -la src",
    "pwd",
    "cat README.md",
    "cd src && ls",
    "cd src && cat lexer.cpp | head -5",
    "cd src; ls; pwd; wc -l *.cpp",
    "(cd src && ls)",
    "head -20 README.md",
    "tail -n 5 README.md | wc -l",
    "wc -l src/*.cpp",
    "grep -rn int src",
    "grep -c int src/lexer.cpp || echo none",
    "grep \"int$\" README.md",
    "git status",
    "git status --short && git diff --stat",
    "git log --oneline -5",
    "git --no-pager diff HEAD~1",
    "git show HEAD",
    "git branch -a",
    "find . -name '*.cpp' -type f",
    "find . -name \"*.cpp\" -exec wc -l {} +",
    "find src -type f -exec grep -l int {} \\;",
    "find . \\( -name '*.cpp' -o -name '*.md' \\)",
    "sed -n 1,5p src/lexer.cpp",
    "sed -n '/int/p' src/lexer.cpp",
    "sed 's/int/long/g' src/lexer.cpp",
    "awk '{print $1}' README.md",
    "awk -F: '$1 == \"a\" || NR > 3' README.md",
    "jq . data.json",
    "jq -r '.a | keys[]' data.json",
    "env",
    "env | sort",
    "env LC_ALL=C sort README.md",
    "printenv HOME",
    "ps aux",
    "ps -ef | grep skein",
    "test -f README.md && echo yes",
    "[ -d src ] && ls src || echo no",
    "[[ -f README.md && -d src ]] && echo both",
    "if [ -f README.md ]; then cat README.md; else echo none; fi",
    "for i in 1 2; do echo $i; done",
    "for f in src/*.cpp; do wc -l \"$f\"; done",
    "for f in lexer parser; do head -3 src/$f.cpp; done",
    "while read -r line; do echo \"$line\"; done < list.txt",
    "while IFS= read -r line; do echo \"$line\"; done < list.txt",
    "case x in a) ls ;; *) pwd ;; esac",
    "x=1; echo $x",
    "name=lexer; cat src/$name.cpp",
    "echo \"there are $(ls src | wc -l) files\"",
    "diff <(ls) <(ls src)",
    "diff -u src/lexer.cpp src/parser.cpp | head -40",
    "cat <<'EOF'\ngit push\nEOF",
    "bash -c \"ls\"",
    "sh -c 'cd src && ls'",
    "timeout 5 ls",
    "command -v git",
    "set -e; ls; git status",
    "{ ls; pwd; } 2>/dev/null",
    "count() { wc -l README.md; }; count",
    "sort README.md | uniq -c | sort -rn | head",
    "printf '%s\\n' \"$HOME\"",
    "which git; type ls; uname -a; date",
    "ls # git push",
    "echo 'git push'",
};

enum class Says { deny, ask, run };

struct Way {
  const char* command;
  Says by_default, bypassed;
};
constexpr Way ways[] = {
    {"git push", Says::deny, Says::deny},
    {"git push --force origin main", Says::deny, Says::deny},
    {"cd src && git push", Says::deny, Says::deny},
    {"ls; git push", Says::deny, Says::deny},
    {"ls | git push", Says::deny, Says::deny},
    {"true && git push || true", Says::deny, Says::deny},
    {"/usr/bin/git push", Says::deny, Says::deny},
    {"git -C src push", Says::deny, Says::deny},
    {"git -c a=b push", Says::deny, Says::deny},
    {"git --no-pager push", Says::deny, Says::deny},
    {"git --git-dir=.git push", Says::deny, Says::deny},
    {"'git' push", Says::deny, Says::deny},
    {"g\\it p\"us\"h", Says::deny, Says::deny},
    {"$'git' push", Says::deny, Says::deny},
    {"git push $branch", Says::deny, Says::deny},
    {"FOO=1 git push", Says::deny, Says::deny},
    {"sh -c 'git push'", Says::deny, Says::deny},
    {"bash -lc \"cd src && git push\"", Says::deny, Says::deny},
    {"env git push", Says::deny, Says::deny},
    {"env -i A=b git push", Says::deny, Says::deny},
    {"command git push", Says::deny, Says::deny},
    {"exec git push", Says::deny, Says::deny},
    {"nohup git push", Says::deny, Says::deny},
    {"timeout 60 git push", Says::deny, Says::deny},
    {"nice -n 5 git push", Says::deny, Says::deny},
    {"sudo -u me git push", Says::deny, Says::deny},
    {"time git push", Says::deny, Says::deny},
    {"busybox sh -c 'git push'", Says::deny, Says::deny},
    {"echo origin | xargs git push", Says::deny, Says::deny},
    {"find . -exec git push \\;", Says::deny, Says::deny},
    {"x=push; git $x", Says::deny, Says::deny},
    {"g=git; $g push", Says::deny, Says::deny},
    {"for c in status push; do git $c; done", Says::deny, Says::deny},
    {"while true; do git $x; x=push; done", Says::deny, Says::deny},
    {"if true; then git push; fi", Says::deny, Says::deny},
    {"(git push)", Says::deny, Says::deny},
    {"{ git push; }", Says::deny, Says::deny},
    {"git push &", Says::deny, Says::deny},
    {"echo $(git push)", Says::deny, Says::deny},
    {"echo `git push`", Says::deny, Says::deny},
    {"$(echo git) push", Says::deny, Says::deny},
    {"diff <(git push) README.md", Says::deny, Says::deny},
    {"p() { git push; }; p", Says::deny, Says::deny},
    {"eval 'git push'", Says::deny, Says::deny},
    {"trap 'git push' EXIT", Says::deny, Says::deny},
    {"echo git push | sh", Says::deny, Says::deny},
    {"sh <<'X'\ngit push\nX", Says::deny, Says::deny},
    {"bash <<< 'git push'", Says::deny, Says::deny},
    // Not seen.
    {"git $x", Says::ask, Says::run},
    {"$x", Says::ask, Says::run},
    {"alias p='git push'; p", Says::ask, Says::run},
    {"git -c alias.p=push p", Says::ask, Says::run},
    {"git p", Says::ask, Says::run},
    {"base64 -d <<< Z2l0IHB1c2g= | sh", Says::ask, Says::run},
    {"python3 -c 'import os; os.system(\"git push\")'", Says::ask, Says::run},
    {"awk 'BEGIN { system(\"git push\") }'", Says::ask, Says::run},
    {"make push", Says::ask, Says::run},
    {"npm test", Says::ask, Says::run},
    {"./push.sh", Says::ask, Says::run},
    {". ./push.sh", Says::ask, Says::run},
    {"ssh host git push", Says::ask, Says::run},
};

Verdict as_verdict(Says says) {
  return says == Says::deny ? Verdict::deny : says == Says::ask ? Verdict::ask : Verdict::allow;
}

}  // namespace

TEST_CASE("everyday commands that only read run unasked, whatever another program is forbidden") {
  REQUIRE(std::size(everyday) >= 60);
  Project project;
  for (const char* rule : {"", "bash(git push *)"}) {
    project.deny(rule);
    for (const char* command : everyday) {
      if (is_missing(command)) continue;
      CAPTURE(std::string(rule));
      CAPTURE(std::string(command));
      CHECK(project.verdict(command) == Verdict::allow);
      CHECK(project.verdict(command, Mode::bypass) == Verdict::allow);
      CHECK(project.verdict(command, Mode::plan) == Verdict::allow);
    }
  }
}

TEST_CASE("every way to a forbidden program is denied if it is seen, else asked about") {
  REQUIRE(std::size(ways) >= 40);
  Project project;
  project.deny("bash(git push *)");
  for (const Way& way : ways) {
    CAPTURE(std::string(way.command));
    CHECK(project.verdict(way.command) == as_verdict(way.by_default));
    CHECK(project.verdict(way.command, Mode::bypass) == as_verdict(way.bypassed));
  }
}

TEST_CASE("what is asked about because it may be forbidden can be allowed for good") {
  Project project;
  project.deny("bash(git push *)");
  for (const Way& way : ways) {
    if (way.by_default != Says::ask) continue;
    CAPTURE(std::string(way.command));
    const std::vector<permission::Rule> offered = project.always(way.command);
    REQUIRE_FALSE(offered.empty());
    // As they are stored and read again.
    Project later;
    later.deny("bash(git push *)");
    std::vector<std::string> texts;
    for (const permission::Rule& rule : offered) texts.push_back(to_string(rule));
    permission::add_rules_here(later.rules, later.tools, texts);
    CHECK(later.verdict(way.command) == Verdict::allow);
    CHECK(later.verdict(std::string(way.command) + " more") == Verdict::ask);
    later.deny("bash(git push *),bash(ssh *),bash(make),bash(npm)");
    CHECK(later.verdict("make push; git push") == Verdict::deny);
  }
}

TEST_CASE("a wildcard that allows a program does not allow what options may hide") {
  Project project;
  project.rules.allow = permission::parse_rules("bash(aws *)", project.tools);
  CHECK(project.verdict("aws --profile x s3 rm y") == Verdict::allow);
  project.deny("bash(aws s3 rm *)");
  CHECK(project.verdict("aws --profile x s3 rm y") == Verdict::ask);
  CHECK(project.verdict("aws --profile x s3 ls") == Verdict::allow);
  CHECK(project.verdict("aws --profile x s3 rm y", Mode::bypass) == Verdict::allow);
  project.rules.allow = project.always("aws --profile x s3 rm y");
  REQUIRE(project.rules.allow.size() == 1);
  CHECK(to_string(project.rules.allow[0]) == "bash(aws --profile x s3 rm y)");
  CHECK(project.verdict("aws --profile x s3 rm y") == Verdict::allow);
}

TEST_CASE("a line that can be read in two ways is not taken for one that only reads") {
  Project project;
  write_file(project.dir / "outside/key", "KEY\n");
  fs::create_symlink("../outside", project.dir / "w/out");
  write_file(project.dir / "w/-oREADME.md", "");
  write_file(project.dir / "w/.env", "KEY=1\n");
  for (const char* command :
       {// quotes that end elsewhere
        "echo $'\\'' ; rm x #'", "cat $\"/etc/passwd\"", "[[ '\"' == \"]]\" ]] ; rm x #\"",
        "echo ${x:-'}'} ; rm x #'}", "echo \"`echo \\\"`; rm x; echo `\\\"`\"",
        "cat <<E\nfoo\\\nE\necho '\nE\nrm x\n#'", "echo $(cat <<E)\nrm x\nE",
        "cat <<E; echo \"a\nb\"; rm x\nE", "[[ a =~ #b ]]; rm x\n]]", "ls \\\n; rm x",
        "echo $\\\n(rm x)", "x=a; xy=/etc/passwd; cat \"$x\\\ny\"",
        // values that come later, or from elsewhere
        "x=a; f() { cat $x; }; x=/etc/passwd; f", "x=a; while true; do cat $x; x=/etc/passwd; done",
        "x=a; (while true; do cat $x; x=/etc/passwd; done)",
        "while true; do cat key; cd ../outside; done", "cat ${HOME:-x}/.ssh/id_rsa",
        "cat .env$(false && echo x)", "cat \"$(echo /etc/passwd)\"", "cat $(ls)", "cat $x",
        "x=; : ${x:=/etc/passwd}; cat \"$x\"", "cat gi{t..t}", "cat {/etc/passwd,x}",
        "cat a=~/.ssh/id_rsa", "cat ~/.ssh/id_rsa", "read x < list.txt; cat $x",
        "for f in /etc/*; do cat $f; done", "for x in hosts passwd; do cat /etc/$x; done",
        "cd out && ls", "cd src; cat ../../outside/key", "cd $x && ls", "cd && ls", "cd - && ls",
        // values that are run
        "x='a[$(rm y)]'; echo $((x))", "x='a[$(rm y)]'; echo $[x]", "x='a[$(rm y)]'; ((x))",
        "x='a[$(rm y)]'; [[ $x -eq 0 ]]", "x='a[$(rm y)]'; echo ${y:x}", "echo ${a[$x]}",
        "x='$(rm y)'; echo \"${x@P}\"", "x='a[$(rm y)]'; echo ${!x}", "[ -v \"$x\" ]", "[ $x ]",
        "[ \"$x\" \"$y\" ]", "printf -v PATH x", "printf \"$x\"", "let x=1",
        // variables that programs see
        "PATH=.; ls", "for PATH in .; do ls; done", "read PATH; ls", "export LD_PRELOAD=x; ls",
        "IFS=/; ls", "env PATH=. ls", "env LD_PRELOAD=./x ls", "PATH=. if", "HOME=/tmp; ls",
        "RANDOM='a[$(rm y)]'", "read OPTIND < list.txt", "PWD=/etc; cat $PWD/passwd",
        "_=a; ls .env; cat $_", "REPLY=a; read < list.txt; cat $REPLY",
        "x=a; read \"x\" < list.txt; cat $x", "read 'a[$(rm y)]'", "declare -x A=1", "local x",
        // files that are written
        "{ ls; } > x", "for i in 1; do ls; done >> x", "> x", "ls &> x", "ls >& x", "ls <> x",
        "ls >| x", "if true; then ls; fi 2> x", "while true; do ls; done > src/lexer.cpp",
        // programs that do more
        "awk 'BEGIN { system(\"rm x\") }'", "awk '{ print > \"x\" }' README.md",
        "awk '\"date\" | getline' x", "awk -f x README.md", "awk 'BEGIN { @f(1) }'",
        "awk 'BEGIN { ARGV[1] = \"/etc/passwd\" } 1' README.md", "awk 1 /etc/passwd",
        "sed -i s/a/b/ README.md", "sed s/a/b/w README.md", "sed s/a/b/e README.md",
        "sed -n '1w x' README.md", "sed '1e rm' README.md", "sed -f x README.md", "sed p .env",
        "jq -", "jq - /etc/passwd", "jq -- -r", "jq -f x data.json",
        "jq 'include \"x\"; .' data.json", "jq . /etc/passwd", "ps auxe", "ps e", "xxd README.md x",
        "hostname evil", "env -S 'rm x'", "env rm x", "xargs cat", "ls | xargs cat",
        "timeout 5 rm x", "time -o x ls", "sh -c 'rm x'", "sh -c \"$x\"",
        "sh -c '[[ a > README.md ]]'", "sh -c '((1>2))'", "echo touch | xargs -I echo echo x",
        "sh README.md", "bash -c 'cat /etc/passwd'", "command rm x", "exec ls", "eval ls",
        "uniq src/*.cpp", "sort -*", "ls out/*", "echo /etc/*", "sort *", "find . -exec rm {} +",
        "find . -exec cat {} +", "find . -type f -exec cat {} +",
        "find . -exec cat + /etc/passwd \\;", "find . -execdir ls {} +", "find . -exec sh {} \\;",
        "find / -exec wc -l {} +", "find . -ok ls {} \\;", "diff <(rm x) README.md",
        "diff <(cat /etc/passwd) README.md", "ls >(rm x)", "ls() { rm x; }; ls",
        "cd() { ls; }; cd .. && cat x", "trap ls EXIT", "set -x; ls", "source README.md",
        "ls; unknown-program", "$(ls)", "coproc ls"}) {
    CAPTURE(std::string(command));
    CHECK(project.verdict(command) != Verdict::allow);
    CHECK(project.verdict(command, Mode::plan) == Verdict::deny);
  }
}

TEST_CASE("a rule for a whole line covers that line and no other") {
  Project project;
  const std::string line = "for f in *.o; do rm $f, x; done";
  project.rules.allow = permission::parse_allow_rules("bash(= " + line + ")", project.tools);
  CHECK(project.verdict(line) == Verdict::allow);
  CHECK(project.verdict("  " + line + "\n") == Verdict::allow);
  CHECK(project.verdict(line + "; ls") == Verdict::ask);
  CHECK(project.verdict("rm a.o") == Verdict::ask);
  project.rules.allow = permission::parse_allow_rules("bash(= rm *.o)", project.tools);
  CHECK(project.verdict("rm *.o") == Verdict::allow);
  CHECK(project.verdict("rm a.o") == Verdict::ask);
  CHECK_THROWS(permission::parse_rules("bash(=)", project.tools));
}
