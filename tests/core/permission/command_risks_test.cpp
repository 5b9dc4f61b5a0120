// Each program of the table, really made to do what it is feared for; and asked about under a rule
// that allows it with a wildcard.
#include "core/permission/command_risks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "core/permission/policy.h"
#include "core/text/json.h"
#include "tests/support/process.h"
#include "tests/support/rule_texts.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::permission;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

Decision::Verdict verdict(const std::string& allow, const std::string& line) {
  const Rules rules{.allow = parse_rules(allow), .sandboxed = true};
  const model::ToolUse call{"1", "bash", R"({"command":)" + json_string(line) + "}"};
  return decide(rules, bash_only(), call).verdict;
}

struct Proof {
  std::string row;   // of the table, or a launcher
  std::string line;  // makes the file P, in a folder laid out by `lay_out`
};
const std::vector<Proof>& proofs() {
  static const std::vector<Proof> list{
      {"cmake", "cmake -E touch P"},
      {"ctest", "ctest -S s.cmake"},
      {"curl", "curl -s -o P file:///etc/passwd"},
      {"dd", "dd if=README.md of=P status=none"},
      {"fd", "fd README -x touch P"},
      {"find", "find README.md -exec touch P ';'"},
      {"git", "git -c alias.x='!touch P' x"},
      {"git", "git grep --no-index -O./t x README.md"},
      {"git", "git rebase -x 'touch P' HEAD~1"},
      {"git clone", "git clone -u 'touch P;git-upload-pack' . x"},
      {"git clone", "git clone --upload-pack './t;git-upload-pack' . x"},
      {"gcc", "gcc -c -wrapper ./t x.c"},
      {"groff", "groff -U f.roff"},
      {"install", "install -s --strip-program=./t README.md out"},
      {"make", "make -E '$(shell touch P)'"},
      {"make", "make --eval='$(shell touch P)'"},
      {"make", "make 'CC=$(shell touch P)'"},
      {"make", "make MAKEFLAGS='--eval=$(shell touch P)'"},
      {"make", "make -f evil.mk"},
      {"ninja", "ninja -f evil.ninja"},
      {"npm", "npm exec -c 'touch P'"},
      {"patch", "patch -o P README.md fix.diff"},
      {"rg", "rg --pre ./t x README.md"},
      {"rsync", "rsync -e ./t README.md host:file"},
      {"sort", "sort -o P README.md"},
      {"split", "split --filter='touch P' README.md"},
      {"tar", "tar cIf 'touch P' x.tar README.md"},
      {"tar", "tar -c --checkpoint=1 --checkpoint-action=exec='touch P' -f x.tar README.md"},
      {"tee", "tee P"},
      {"test", "test -v 'a[$(touch P)]'"},
      {"[", "[ -v 'a[$(touch P)]' ]"},
      {"tree", "tree -o P"},
      {"wget", "wget -q --use-askpass=./t http://127.0.0.1:9/"},
      {"wget", "wget -q -e use_askpass=./t http://127.0.0.1:9/"},
      {"zip", "zip -q -T -TT 'touch P;true' x.zip README.md"},
      // launchers
      {"env", "env touch P"},
      {"xargs", "xargs touch P"},
      {"nice", "nice touch P"},
      {"timeout", "timeout 5 touch P"},
      {"setsid", "setsid -w touch P"},
      {"flock", "flock x touch P"},
      {"ssh-agent", "ssh-agent touch P"},
      {"ssh", "ssh -o ProxyCommand='touch P' x"},
      {"gdb", "gdb -batch -ex 'shell touch P'"},
      {"sed", "sed '1e touch P' README.md"},
      {"awk", "awk 'BEGIN{system(\"touch P\")}'"},
      {"perl", "perl -e 'open F,\">P\"'"},
      {"python3", "python3 -c 'open(\"P\",\"w\")'"},
      {"sqlite3", "sqlite3 :memory: '.shell touch P'"},
      {"vim", "vim -es -c '!touch P' -c q"},
      {"printf", "printf -v 'a[$(touch P)]' x"},
      {"eval", "eval touch P"},
      {"command", "command touch P"},
  };
  return list;
}

// What is feared of the rest needs a network, a project or rights that are not to be had here, or
// is no file: only the decision is seen.
const std::vector<Proof>& unproven() {
  static const std::vector<Proof> list{
      {"ack", "ack --pager=./t x"},
      {"ag", "ag --pager ./t x"},
      {"bat", "bat --pager ./t x"},
      {"bsdtar", "bsdtar --use-compress-program ./t -xf x"},
      {"cargo", "cargo --config 'build.rustc-wrapper=\"./t\"' build"},
      {"cpio", "cpio --rsh-command=./t -o"},
      {"date", "date -s tomorrow"},
      {"diff", "diff --to-file=/etc/shadow x"},
      {"fdfind", "fdfind -x touch P"},
      {"file", "file -C -m x"},
      {"git branch", "git branch -D main"},
      {"git branch", "git branch --delete main"},
      {"git", "git bisect run ./t"},
      {"git", "git submodule foreach ./t"},
      {"git", "git difftool -x ./t"},
      {"git", "git archive --exec=./t --remote=. HEAD"},
      {"git", "git --exec-path=. status"},
      {"gmake", "gmake CC=./t"},
      {"go", "go build --toolexec=./t"},
      {"go", "go build -toolexec ./t"},
      {"go", "go test --exec ./t"},
      {"go", "go vet --vettool=./t"},
      {"go", "go build -ldflags '-extld=./t'"},
      {"gradle", "gradle -I x.gradle"},
      {"hg", "hg --config alias.x='!./t' x"},
      {"ip", "ip netns exec x ./t"},
      {"latex", "latex --shell-escape x"},
      {"latexmk", "latexmk -e 'system(1)'"},
      {"lualatex", "lualatex -shell-escape x"},
      {"man", "man -P ./t ls"},
      {"mvn", "mvn -f x.xml"},
      {"nmap", "nmap --script x h"},
      {"openssl", "openssl req -engine ./t"},
      {"pandoc", "pandoc --filter ./t x"},
      {"pdflatex", "pdflatex -shell-escape x"},
      {"pip", "pip install ."},
      {"pip3", "pip3 install ."},
      {"pnpm", "pnpm dlx x"},
      {"pytest", "pytest -p evil"},
      {"ssh-keygen", "ssh-keygen -D ./t.so"},
      {"svn", "svn diff --diff-cmd ./t"},
      {"tcpdump", "tcpdump -z ./t"},
      {"wc", "wc --files0-from=/etc/x"},
      {"xelatex", "xelatex -shell-escape x"},
      {"yarn", "yarn dlx x"},
      {"gcc", "aarch64-linux-gnu-gcc-12 -B. x.c"},
      {"gcc", "clang++-16 -fplugin=./t.so x.c"},
      // launchers
      {"docker", "docker run x"},
      {"less", "less '+!touch P' x"},
      {"watch", "watch ls"},
      {"script", "script -c ls"},
      {"dc", "dc -e '!touch P'"},
      {"wait", "wait -p 'a[$(touch P)]'"},
  };
  return list;
}

std::string program_of(const std::string& line) { return line.substr(0, line.find(' ')); }

void lay_out(const fs::path& folder) {
  write_file(folder / "README.md", "x\n");
  write_file(folder / "t", "#!/bin/sh\ntouch P\n");
  fs::permissions(folder / "t", fs::perms::owner_all);
  write_file(folder / "x.c", "int x;\n");
  write_file(folder / "Makefile", "all:\n\t@echo $(CC)\n");
  write_file(folder / "evil.mk", "all:\n\ttouch P\n");
  write_file(folder / "evil.ninja", "rule r\n  command = touch P\nbuild P: r\n");
  write_file(folder / "s.cmake", "file(WRITE P \"\")\n");
  write_file(folder / "f.roff", ".sy touch P\n");
  write_file(folder / "fix.diff", "--- README.md\n+++ README.md\n@@ -1 +1 @@\n-x\n+y\n");
}

void run_in(const fs::path& folder, const std::string& line) {
  const std::string setup =
      "export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "
      "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n";
  const std::string repository = line.starts_with("git ")
                                     ? "git init -q . && git commit -q --allow-empty -m one && "
                                       "git commit -q --allow-empty -m two\n"
                                     : "";
  run({.words = {"bash", "-c", "cd " + folder.string() + "\n" + setup + repository + line}});
}

}  // namespace

TEST_CASE("a risky argument is asked about under a wildcard, and it really is risky") {
  for (const Proof& proof : proofs()) {
    CAPTURE(proof.line);
    const std::string program = program_of(proof.line);
    CHECK(verdict("bash,bash(*),bash(" + program + " *)", proof.line) == Decision::Verdict::ask);
    const bool builtin = program == "printf" || program == "eval" || program == "command";
    if (!builtin && !is_installed(program)) {
      MESSAGE("skipped: there is no " << program);
      continue;
    }
    const TempDir folder;
    lay_out(folder.path());
    run_in(folder.path(), proof.line);
    CHECK(fs::exists(folder / "P"));
  }
}

TEST_CASE("what cannot be shown here is asked about all the same") {
  for (const Proof& proof : unproven()) {
    CAPTURE(proof.line);
    CHECK(verdict("bash,bash(*),bash(" + program_of(proof.line) + " *)", proof.line) ==
          Decision::Verdict::ask);
  }
}

TEST_CASE("every row of the table has its line above") {
  std::set<std::string, std::less<>> shown;
  for (const auto* list : {&proofs(), &unproven()})
    for (const Proof& proof : *list) shown.insert(proof.row);
  for (const std::string_view row : programs_with_risky_arguments()) {
    CAPTURE(row);
    CHECK(shown.contains(row));
  }
}

TEST_CASE("plain arguments of the same programs are covered by a wildcard") {
  for (const char* line : {"make test",
                           "make -j4 all",
                           "ninja -C build",
                           "go test ./...",
                           "go build -race",
                           "git clone https://h/x",
                           "git branch --list",
                           "git push -u origin main",
                           "git add -u",
                           "tar cf x.tar a",
                           "tar xzf x.tgz",
                           "test -f x",
                           "gcc -O2 -c x.c",
                           "zip -r x.zip a",
                           "cargo test --release",
                           "npm run build",
                           "cmake --build build -j4",
                           "find . -name x",
                           "ctest --test-dir build -R lexer",
                           "split -l 5 x",
                           "curl -s https://h",
                           "pytest -q tests"}) {
    CAPTURE(line);
    CHECK(verdict("bash(" + program_of(line) + " *)", line) == Decision::Verdict::allow);
  }
}

TEST_CASE("always offers a wildcard only for what cannot run anything") {
  for (const char* line :
       {"make test", "ninja", "go build ./...", "git branch", "cargo test", "npm test",
        "find . -name x", "ctest", "cmake --build x", "rg x", "unheard-of --of", "pytest -q"}) {
    CAPTURE(line);
    const model::ToolUse call{"1", "bash", R"({"command":)" + json_string(line) + "}"};
    const std::vector<Rule> offered = remember({.sandboxed = true}, bash_only(), call);
    REQUIRE(offered.size() == 1);
    CHECK(to_string(offered[0]) == "bash(" + std::string(line) + ")");
  }
}
