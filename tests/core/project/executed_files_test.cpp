#include "core/project/executed_files.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/environment.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using project::Author, project::ExecutedFiles;
namespace fs = std::filesystem;

namespace {

// A project with a script in it that does nothing, and one outside.
struct Scene {
  test::TempDir dir{};
  std::string top = fs::canonical(dir.path()).string(), ws = top + "/ws";
  project::Places places{};

  Scene() {
    fs::create_directories(ws + "/.git");
    write("scripts/h.sh", "#!/bin/sh\nexit 0\n");
    test::write_file(top + "/outside.sh", "exit 0\n");
    places = project::places_of(ws, top + "/user", top + "/config");
  }
  void write(const std::string& name, std::string_view text) const {
    test::write_file(ws + "/" + name, text);
  }
  ExecutedFiles find(const std::string& command, Author author = Author::project) const {
    return project::executed_files(command, places, author);
  }
  // The files from the workspace, with blanks between; "?" if some cannot be followed.
  std::string files(const std::string& command, Author author = Author::project) const {
    const ExecutedFiles found = find(command, author);
    std::string out;
    for (const std::string& file : found.files)
      out += (out.empty() ? "" : " ") +
             (file.starts_with(ws + "/") ? file.substr(ws.size() + 1) : file);
    if (!found.unseen.empty()) out += out.empty() ? "?" : " ?";
    return out;
  }
};

struct Row {
  const char* command;
  const char* files;
};

void check(const Scene& scene, const std::vector<Row>& rows) {
  for (const auto& [command, files] : rows) {
    CAPTURE(command);
    CHECK(scene.files(command) == files);
  }
}

}  // namespace

TEST_CASE("what a command runs of the project is found, however it is written") {
  const Scene scene;
  constexpr const char* h = "scripts/h.sh";
  check(scene, {{"./scripts/h.sh", h},
                {"scripts/h.sh --all 'a b'", h},
                {"exec scripts/h.sh", h},
                {". scripts/h.sh", h},
                {". ./scripts/h.sh; echo done", h},
                {"source scripts/h.sh", h},
                {"sh scripts/h.sh", h},
                {"bash -e -o pipefail scripts/h.sh x", h},
                {"bash -eo pipefail scripts/h.sh", h},
                {"sh < scripts/h.sh", h},
                {"cat | scripts/h.sh | tee /tmp/log", h},
                {"if true; then scripts/h.sh; fi", h},
                {"test -x scripts/h.sh && scripts/h.sh || exit 0", h},
                {"for i in 1 2; do scripts/h.sh $i; done", h},
                {"case \"$SKEIN_HOOK_EVENT\" in Stop) scripts/h.sh ;; *) true ;; esac", h},
                {"while read -r line; do scripts/h.sh \"$line\"; done", h},
                {"cd scripts && ./h.sh", h},
                {"cd scripts; sh h.sh", h},
                {"cd -- scripts\n./h.sh\n", h},
                {"sh -c \"cd scripts; ./h.sh\"", h},
                {"bash -lc 'cd scripts && exec ./h.sh'", h},
                {"(cd scripts && exec ./h.sh)", h},
                {"{ cd scripts; ./h.sh; }", h},
                {"env -C scripts ./h.sh", h},
                {"env --chdir=scripts FOO=1 ./h.sh", h},
                {"env -u HOME A=b scripts/h.sh", h},
                {"env -S 'sh scripts/h.sh'", h},
                {"FOO=1 scripts/h.sh", h},
                {"timeout 5 scripts/h.sh", h},
                {"timeout -k 2 -s KILL 5m scripts/h.sh", h},
                {"timeout --signal=KILL 5 sh scripts/h.sh", h},
                {"nice -n 5 scripts/h.sh", h},
                {"nohup nice scripts/h.sh", h},
                {"stdbuf -o L scripts/h.sh", h},
                {"time -p scripts/h.sh", h},
                {"setsid ionice -c 3 scripts/h.sh", h},
                {"flock -n /tmp/lock scripts/h.sh", h},
                {"flock /tmp/lock -c 'scripts/h.sh'", h},
                {"sudo -n -u nobody scripts/h.sh", h},
                {"command scripts/h.sh", h},
                {"echo a | xargs -n 1 scripts/h.sh", h},
                {"find . -name '*.c' -exec scripts/h.sh {} +", h},
                {"\"$PWD\"/scripts/h.sh", h},
                {"\"${PWD}/scripts/h.sh\"", h},
                {"$(pwd)/scripts/h.sh", h},
                {"\"`pwd`/scripts/h.sh\"", h},
                {"$SKEIN_PROJECT_DIR/scripts/h.sh", h},
                {"\"${CLAUDE_PROJECT_DIR}\"/scripts/h.sh", h},
                {"sh \"${CLAUDE_PROJECT_DIR:-.}/scripts/h.sh\"", h},
                {"\"$(git rev-parse --show-toplevel)/scripts/h.sh\"", h},
                {"dir=scripts; \"$dir/h.sh\"", h},
                {"export dir=$PWD/scripts && $dir/h.sh", h},
                {"x=$(scripts/h.sh); echo $x", h},
                {"[ \"$(scripts/h.sh)\" = ok ]", h},
                {"[[ $(scripts/h.sh) == ok ]]", h},
                {"diff <(scripts/h.sh) /dev/null", h},
                {"sh <<'X'\nscripts/h.sh\nX\n", h},
                {"run() { scripts/h.sh; }; run", h},
                {"eval 'scripts/h.sh'", h},
                {"trap 'scripts/h.sh' EXIT", h},
                {"scripts/h*.sh", h},
                {"scripts/?.sh", h},
                {"sh scripts/*.sh", h},
                {"scripts\\/h.sh", h},
                {"scr'ipts/'h.sh # and a comment", h},
                {"/usr/bin/env sh scripts/h.sh", h},
                {"echo scripts/h.sh | sh", h},
                {"for f in scripts/*.sh; do sh $f; done", h},
                {"x=true; while true; do $x; x=scripts/h.sh; done", h},
                {"x=true; f() { $x; }; x=scripts/h.sh; f", h},
                {"[[ '\"' == \"]]\" ]] ; scripts/h.sh #\"", h}});
}

TEST_CASE("what cannot be followed to files is said") {
  const Scene scene;
  check(scene, {{"make -C scripts", "?"},
                {"cd scripts && make", "?"},
                {"npm run lint", "?"},
                {"npx prettier --write .", "?"},
                {"/usr/bin/make", "?"},
                {"python3 -m pytest", "?"},
                {"$x", "?"},
                {"\"$tool\" --fix", "?"},
                {"sh \"$1\"", "?"},
                {"cd \"$x\" && ./h.sh", "?"},
                {"sh -c \"$x\"", "?"},
                {"eval \"$x\"", "?"},
                {"curl -s https://h.org/x | sh", "?"},
                {"cat scripts/h.sh | sh", "?"},
                {"echo scripts/h.sh | xargs sh", "?"},
                {"find scripts -exec sh {} \\;", "?"},
                {"find scripts -execdir ./h.sh \\;", "?"},
                {"PATH=scripts:$PATH h.sh", "?"},
                {"export PYTHONPATH=scripts; true", "?"},
                {"git -c core.pager=scripts/h.sh log", "?"},
                {"tar xf a.tar --to-command=scripts/h.sh", "?"},
                {"awk 'BEGIN { system(\"scripts/h.sh\") }'", "?"},
                {"some-program-of-the-project", "?"},
                {"sh -c 'unfinished", "?"},
                {"echo ${x:-unfinished\\", "?"},
                {"echo $'\\'' ; scripts/h.sh #'", "?"},
                {"cat <<E\nfoo\\\nE\necho '\nE\nscripts/h.sh\n#'", "?"},
                {"./scripts/h.sh && make", "scripts/h.sh ?"}});
  CHECK(scene.find("make -C scripts").unseen == std::vector<std::string>{"`make`"});
}

TEST_CASE("commands that run nothing of the project are known") {
  const Scene scene;
  for (const char* command :
       {"touch ../ran", "cat > ../seen; env > ../env; echo 'not that' >&2; exit 2",
        "jq -r '.tool_input.file_path' | xargs -r clang-format -i", "ls scripts",
        "notify-send skein \"$(date)\"", "git diff scripts/h.sh", "cat scripts/h.sh | wc",
        "grep -q 'make' <<< \"$x\" && exit 2", "git diff --stat",
        "test -e ../once || { touch ../once; echo go on >&2; exit 2; }", "true", "exit 0",
        "python3 -c 'import json, sys; print(json.load(sys.stdin)[\"cwd\"])'",
        "python3 -m json.tool", "perl -pe 's/a/b/'", "awk '{print $1}'", "command -v make",
        "i=0; ((i++)); echo $((i + 1))"}) {
    CAPTURE(command);
    CHECK(scene.files(command).empty());
  }
}

TEST_CASE("only files of the project count, and a link that leads out of it") {
  const Scene scene;
  fs::create_symlink(scene.top + "/outside.sh", scene.ws + "/scripts/link.sh");
  fs::create_symlink("scripts", scene.ws + "/other");
  CHECK(scene.files("scripts/link.sh") == "scripts/link.sh");
  CHECK(scene.files("sh " + scene.top + "/outside.sh").empty());
  CHECK(scene.files("sh ../outside.sh").empty());
  CHECK(scene.files("scripts/missing.sh").empty());
  const ExecutedFiles found = scene.find("other/h.sh");
  CHECK(found.files == std::vector{scene.ws + "/scripts/h.sh"});
  CHECK(found.names == std::vector{scene.ws + "/other/h.sh"});
}

TEST_CASE("what a script runs or loads in turn belongs to it") {
  const Scene scene;
  scene.write("scripts/all.sh",
              "#!/bin/bash\nset -eu\nDIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\n"
              "main() {\n  . \"$DIR/lib.sh\"\n  check \"$@\"\n}\nmain \"$@\"\n");
  scene.write("scripts/lib.sh", "check() { cat | jq . ; \"${0%/*}\"/h.sh; }\n");
  CHECK(scene.files("scripts/all.sh") == "scripts/all.sh scripts/h.sh scripts/lib.sh");
  CHECK(scene.files("cd scripts && bash ./all.sh") == "scripts/all.sh scripts/h.sh scripts/lib.sh");

  scene.write("scripts/made.sh", "npx eslint .\n");
  CHECK(scene.find("scripts/made.sh").unseen ==
        std::vector<std::string>{"`npx` in scripts/made.sh"});
  scene.write("scripts/by_argument.sh", "sh \"$1\"\n");
  CHECK(scene.files("scripts/by_argument.sh scripts/h.sh") ==
        "scripts/by_argument.sh scripts/h.sh");

  CHECK(
      scene.files("scripts/by_argument.sh scripts/made.sh; scripts/by_argument.sh scripts/h.sh") ==
      "scripts/by_argument.sh scripts/h.sh scripts/made.sh ?");
  scene.write("scripts/by_variable.sh", "sh \"$SCRIPT\"\n");
  CHECK(scene.files("SCRIPT=scripts/h.sh scripts/by_variable.sh") ==
        "scripts/by_variable.sh scripts/h.sh");
  CHECK(scene.files("scripts/by_variable.sh") == "scripts/by_variable.sh ?");
  CHECK(scene.files("SCRIPT=scripts/h.sh scripts/by_variable.sh && SCRIPT=scripts/lib.sh "
                    "scripts/by_variable.sh") ==
        "scripts/by_variable.sh scripts/h.sh scripts/lib.sh");
  scene.write("scripts/large.sh", std::string(2u << 20, '#'));
  CHECK(scene.files("scripts/large.sh") == "scripts/large.sh ?");
  fs::copy_file("/proc/self/exe", scene.ws + "/scripts/program");
  CHECK(scene.files("scripts/program") == "scripts/program");

  scene.write("scripts/h.py", "#!/usr/bin/env python3\nimport os, helper\nfrom pkg import deep\n");
  scene.write("scripts/helper.py", "import subprocess\nsubprocess.run([\"./scripts/h.sh\"])\n");
  scene.write("scripts/pkg/__init__.py", "");
  scene.write("scripts/pkg/deep.py", "from . import near\n");
  scene.write("scripts/pkg/near.py", "");
  const std::string python =
      "scripts/h.py scripts/h.sh scripts/helper.py scripts/pkg/__init__.py scripts/pkg/deep.py "
      "scripts/pkg/near.py";
  CHECK(scene.files("python3 -u scripts/h.py") == python);
  CHECK(scene.files("scripts/h.py") == python);
  CHECK(scene.files("python3 -m scripts.pkg.near") ==
        "scripts/pkg/__init__.py scripts/pkg/near.py");
  CHECK(scene.files("python3 -c 'from scripts.pkg import near'") ==
        "scripts/pkg/__init__.py scripts/pkg/near.py");

  scene.write("scripts/h.js", "const fs = require('fs');\nimport x from './lib/x'\n");
  scene.write("scripts/lib/x.js", "");
  CHECK(scene.files("node scripts/h.js") == "scripts/h.js scripts/lib/x.js");
  scene.write("scripts/h.js", "require('left-pad')\n");
  CHECK(scene.files("node scripts/h.js") == "scripts/h.js ?");
  scene.write("scripts/h.pl", "#!/usr/bin/perl\nuse X;\n");
  CHECK(scene.files("scripts/h.pl") == "scripts/h.pl ?");
}

TEST_CASE("a script that calls itself, or a text that does, comes to an end") {
  const Scene scene;
  scene.write("scripts/loop.sh", "sh scripts/loop.sh\nx='eval \"$x\"'\neval \"$x\"\n");
  CHECK(scene.files("scripts/loop.sh") == "scripts/loop.sh ?");
  std::string deep = "true";
  for (int i = 0; i < 200; ++i) deep = "(" + deep + ")";
  CHECK(scene.files(deep) == "?");
}

TEST_CASE("folders in which another file would be run are named") {
  const Scene scene;
  using Names = std::vector<std::string>;
  CHECK(scene.find("scripts/h*.sh").names == Names{scene.ws + "/scripts"});
  CHECK(scene.find("python3 -c 'import json'").names == Names{scene.ws});
  CHECK(scene.find("scripts/h.sh").names.empty());
  const test::Environment path("PATH", (scene.ws + "/scripts:/usr/bin:/bin").c_str());
  CHECK(scene.files("h.sh") == "scripts/h.sh");
  CHECK(scene.find("true").names == Names{scene.ws + "/scripts"});
}

TEST_CASE("the user's own command may run programs that are not known, but not the project's") {
  const Scene scene;
  CHECK(scene.files("my-own-hook", Author::user).empty());
  CHECK(scene.files(scene.top + "/user/bin/hook --x", Author::user).empty());
  CHECK(scene.files("~/bin/hook", Author::user).empty());
  CHECK(scene.files("make lint", Author::user) == "?");
  CHECK(scene.files("scripts/h.sh", Author::user) == "scripts/h.sh");
  scene.write("scripts/other.sh", "some-program-of-the-project\n");
  CHECK(scene.files("scripts/other.sh", Author::user) == "scripts/other.sh ?");
}
