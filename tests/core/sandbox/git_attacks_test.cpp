// A command plants something for git, the user's own git comes along later, outside. What it would
// run leaves a marker behind.
#include <doctest/doctest.h>
#include <stdlib.h>

#include "tests/support/environment.h"
#include "tests/support/process.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::sandbox;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

struct Attack {
  const char* name;
  const char* before;                   // the user's doing, in the workspace
  std::vector<const char*> commands;    // the model's
  const char* after = "git status -s";  // the user's again
};

// HOOK: a hook's text. BAD: a setting that `git status` runs. MARK: the marker, outside.
const std::vector<Attack> attacks{
    {"a hook in the plain",
     "REPO",
     {"HOOK > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"},
     "COMMIT"},
    {"a setting in the plain", "REPO", {"git config BAD"}},
    {"HEAD moved away between two commands",
     "REPO",
     {"mv .git/HEAD .git/HEAD2",
      "HOOK > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; mv .git/HEAD2 .git/HEAD"},
     "COMMIT"},
    {"objects behind a link between two commands",
     "REPO",
     {"mv .git/objects .git/o; ln -s o .git/objects", "git config BAD"}},
    {"another common folder",
     "REPO",
     {"cp -r .git .x; git config -f .x/config BAD; echo ../.x > .git/commondir"}},
    {"the .git file of a work tree",
     "git init -q OUT/main; cd OUT/main; COMMIT; rmdir ROOT; git worktree add -q ROOT",
     {"git init -q .evil; git -C .evil config BAD; echo 'gitdir: .evil/.git' > .git"}},
    {"the .git file of a work tree replaced by a folder",
     "git init -q OUT/main; cd OUT/main; COMMIT; rmdir ROOT; git worktree add -q ROOT",
     {"rm .git; mv .git .g; git init -q .; git config BAD"}},
    {"the .git file of a submodule",
     "git init -q OUT/src; (cd OUT/src; COMMIT); REPO;"
     "git -c protocol.file.allow=always submodule --quiet add OUT/src sub; COMMIT -a",
     {"git init -q .evil; git -C .evil config BAD; echo 'gitdir: ../.evil/.git' > sub/.git"}},
    {"the configuration of a submodule",
     "git init -q OUT/src; (cd OUT/src; COMMIT); REPO;"
     "git -c protocol.file.allow=always submodule --quiet add OUT/src sub; COMMIT -a",
     {"mv .git/modules/sub/HEAD .git/H",
      "git config -f .git/modules/sub/config BAD;"
      "mv .git/H .git/modules/sub/HEAD"}},
    {"hooks that are a link",
     "REPO; mkdir common; rm -rf .git/hooks; ln -s ../common .git/hooks",
     {"rm .git/hooks; mkdir .git/hooks; HOOK > .git/hooks/pre-commit;"
      "chmod +x .git/hooks/pre-commit"},
     "COMMIT"},
    {"what the link of hooks leads to",
     "REPO; mkdir common; rm -rf .git/hooks; ln -s ../common .git/hooks",
     {"HOOK > common/pre-commit; chmod +x common/pre-commit"},
     "COMMIT"},
    {"a link on the way to the hooks",
     "REPO; mkdir real; ln -s real way; rm -rf .git/hooks; ln -s ../way .git/hooks",
     {"rm way; mkdir way; HOOK > way/pre-commit; chmod +x way/pre-commit"},
     "COMMIT"},
    {"core.hooksPath",
     "REPO; git config core.hooksPath tools/hooks; mkdir -p tools/hooks",
     {"HOOK > tools/hooks/pre-commit; chmod +x tools/hooks/pre-commit"},
     "COMMIT"},
    {"core.hooksPath to what is not there",
     "REPO; git config core.hooksPath .githooks",
     {"mkdir .githooks; HOOK > .githooks/pre-commit; chmod +x .githooks/pre-commit"},
     "COMMIT"},
    {"the folder of core.hooksPath replaced",
     "REPO; git config core.hooksPath tools/hooks; mkdir -p tools/hooks",
     {"mv tools t; mkdir -p tools/hooks; HOOK > tools/hooks/pre-commit;"
      "chmod +x tools/hooks/pre-commit"},
     "COMMIT"},
    {"an included file",
     "REPO; git config include.path ../common.cfg; touch common.cfg",
     {"git config -f common.cfg BAD"}},
    {"an included file that was not there",
     "REPO; git config include.path ../common.cfg",
     {"git config -f common.cfg BAD"}},
    {"the configuration of a work tree",
     "REPO; git config extensions.worktreeConfig true",
     {"git config --worktree BAD"}},
    {"a repository many folders down",
     "mkdir -p a/b/c/d/e/f/g/h; cd a/b/c/d/e/f/g/h; REPO",
     {"git -C a/b/c/d/e/f/g/h config BAD"},
     "git -C a/b/c/d/e/f/g/h status -s"},
    {"a repository made by the command", "true", {"git init -q; git config BAD"}},
    {"hooks of a repository made by the command",
     "true",
     {"git init -q; HOOK > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"},
     "COMMIT"},
    {"a repository made by one command, armed by the next",
     "true",
     {"git init -q n", "git -C n config BAD"},
     "git -C n status -s"},
    {"a repository made of parts that are none",
     "true",
     {"git init -q n; git -C n config BAD; mv n/.git n/parts; mv n/parts/HEAD n/parts/H",
      "mv n/parts n/.git; mv n/.git/H n/.git/HEAD"},
     "git -C n status -s"},
    {"the workspace as a bare repository",
     "true",
     {"git init -q --bare .; git config core.bare false; git config core.worktree .;"
      "git config BAD"}},
    {"a repository behind a new .git link",
     "true",
     {"git init -q .r; git -C .r config BAD; ln -s .r/.git .git"}},
    {"a plan that a rebase goes on with",
     "REPO; COMMIT",
     {"GIT_SEQUENCE_EDITOR='printf \"break\\nexec touch MARK\\n\" >' git rebase -q -i HEAD~1"},
     "git rebase --continue"},
    {"an alias that is run", "REPO", {"git config alias.st '!touch MARK'"}, "git st"},
    {"settings on one line, after a continued one",
     "REPO",
     {"printf '[user]\\n\\tname = a\\\\\\n[core] fsmonitor = \"touch MARK\"\\n[core] fsmonitor = "
      "\"touch MARK\"\\n' >> .git/config"}},
};

std::string expanded(std::string text, const TestWorkspace& bench) {
  const std::string mark = bench.outside() / "marker";
  const std::pair<std::string, std::string> words[] = {
      {"REPO", "git init -q .; COMMIT"},
      {"COMMIT", "git commit -q --allow-empty -m m"},
      {"HOOK", "printf '#!/bin/sh\\ntouch MARK\\n'"},
      {"BAD", "core.fsmonitor 'touch MARK'"},
      {"MARK", mark},
      {"OUT", bench.outside()},
      {"ROOT", bench.root()}};
  for (const auto& [word, meaning] : words)
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += meaning.size())
      text.replace(at, word.size(), meaning);
  return text;
}

// As the user does it: outside, with an identity and no configuration but the repository's.
Finished outside(const TestWorkspace& bench, const std::string& script) {
  const std::string environment =
      "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_EDITOR=true"
      " GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; cd ";
  return run({.words = {"/bin/bash", "-c",
                        environment + bench.root().string() + "; " + expanded(script, bench)}});
}

// The same identity for the commands.
constexpr const char* identity =
    "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; ";

bool works(Sandbox sandbox) {
  if (sandbox == Sandbox::bubblewrap) return bubblewrap_works();
  return sandbox == Sandbox::none || landlock_version() > 0;
}

bool carried_out(const Attack& attack, Sandbox sandbox) {
  TestWorkspace bench;
  bench.settings.sandbox = sandbox;
  bench.settings.quarantine = bench.outside() / "quarantine";
  outside(bench, attack.before);
  fs::create_directories(bench.root());
  bool told = false;
  for (const char* command : attack.commands)
    told |= !bench.call("bash", {{"command", identity + expanded(command, bench)}}).notice.empty();
  fs::remove(bench.outside() / "marker");  // without a sandbox a command may have run it itself
  outside(bench, attack.after);
  const bool marked = fs::exists(bench.outside() / "marker");
  if (sandbox == Sandbox::landlock) CHECK(told);
  return marked;
}

}  // namespace

TEST_CASE("what a command plants for git is not run by the user's git") {
  if (!is_installed("git")) {
    MESSAGE("SKIPPED: there is no git");
    return;
  }
  // Not below /tmp: that is private in the sandbox.
  const Environment temporary("TMPDIR", "/var/tmp");
  for (const Attack& attack : attacks) {
    CAPTURE(attack.name);
    CHECK(carried_out(attack, Sandbox::none));  // else the rest would prove nothing
    for (const Sandbox sandbox : {Sandbox::bubblewrap, Sandbox::landlock})
      if (works(sandbox)) CHECK_FALSE(carried_out(attack, sandbox));
  }
}

TEST_CASE("a setting written after the user's git has replaced the file is taken back") {
  if (!is_installed("git")) return;
  const Environment temporary("TMPDIR", "/var/tmp");
  for (const Sandbox sandbox : {Sandbox::bubblewrap, Sandbox::landlock}) {
    if (!works(sandbox)) continue;
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;
    outside(bench, "REPO");
    model::ToolPorts ports;
    bool replaced = false;
    ports.output = [&](std::string_view) {
      if (std::exchange(replaced, true)) return;
      outside(bench, "git config user.name somebody; touch go");
    };

    const model::ToolOutcome outcome = bench.call(
        "bash",
        {{"command", expanded("echo ready; until test -e go; do sleep 0.01; done;"
                              "printf '[core]\\nfsmonitor = \"touch MARK\"\\n' >> .git/config",
                              bench)}},
        ports);

    outside(bench, "git status");
    CHECK(replaced);
    CHECK_FALSE(fs::exists(bench.outside() / "marker"));
    CHECK(outcome.notice.find(".git/config") != std::string::npos);
  }
}

TEST_CASE("what the user sets while a command runs is kept") {
  if (!is_installed("git") || !bubblewrap_works()) return;
  const Environment temporary("TMPDIR", "/var/tmp");
  TestWorkspace bench;
  bench.settings.sandbox = Sandbox::bubblewrap;
  outside(bench, "REPO; mkdir .vscode; echo 1 > .vscode/settings.json");
  model::ToolPorts ports;
  ports.output = [&](std::string_view) {
    outside(bench, "git config user.name somebody; echo 2 > .vscode/settings.json; touch go");
  };

  const model::ToolOutcome outcome =
      bench.call("bash", {{"command", "echo ready; until test -e go; do sleep 0.01; done"}}, ports);

  CHECK(outcome.notice == "");
  CHECK(outside(bench, "git config user.name").out == "somebody\n");
  CHECK(read_file(bench.root() / ".vscode/settings.json") == "2\n");
}

TEST_CASE("git works in the sandbox as it does outside, and nothing is taken back") {
  if (!is_installed("git")) return;
  const Environment temporary("TMPDIR", "/var/tmp");
  for (const Sandbox sandbox : {Sandbox::bubblewrap, Sandbox::landlock}) {
    if (!works(sandbox)) continue;
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;
    outside(bench, "REPO; echo 1 > f; git add f; COMMIT; HOOK > .git/hooks/pre-push");
    for (const char* command :
         {"echo 2 > f; git add f; git commit -qm two", "git branch topic; git checkout -q topic",
          "echo 3 > f; git stash -q; git stash pop -q; git commit -qam three",
          "git checkout -q -; git merge -q topic; git tag t; git rebase -q HEAD~1",
          "git clone -q . copy; cd copy; git config user.name x; echo 4 > f; git commit -qam four",
          "cd copy; git config user.email y; git checkout -q -b b; git commit -q --allow-empty -m "
          "m",
          "git init -q new; cd new; git commit -q --allow-empty -m m",
          "git worktree add -q tree; cd tree; git commit -q --allow-empty -m m",
          "git clone -q --bare . bare.git; git clone -q bare.git again; cd again;"
          "git commit -q --allow-empty -m m; git push -q"}) {
      CAPTURE(command);
      const model::ToolOutcome outcome =
          bench.call("bash", {{"command", std::string("set -e;") + identity + command}});
      CHECK(text_of(outcome) == "[no output]");
      CHECK(outcome.notice == "");
    }
    CHECK(outside(bench, "git fsck --no-dangling; git status -s; git log --format=%s -1").out ==
          "?? again/\n?? bare.git/\n?? copy/\n?? new/\n?? tree/\nthree\n");
    CHECK(outside(bench, "test -f .git/hooks/pre-push").status == 0);
  }
}
