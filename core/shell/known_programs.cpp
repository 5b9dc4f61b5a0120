#include "core/shell/known_programs.h"

#include "core/text/std.h"

#include "core/text/text.h"

namespace skein::shell {

namespace {

using enum KnownProgram::Runs;

constexpr KnownProgram table[] = {
    {"env", program, {"-u --unset", "-S --split-string", "", "-C --chdir"}},
    {"timeout", program, {"-s --signal -k --kill-after"}, 1},
    {"nice", program, {"-n --adjustment"}},
    {"ionice", program, {"-c --class -n --classdata"}},
    {"chrt", program, {"-T -P -D --sched-runtime --sched-period --sched-deadline"}, 1},
    {"taskset", program, {}, 1},
    {"stdbuf", program, {"-i --input -o --output -e --error"}},
    {"time", program, {"-f --format -o --output"}},
    {"exec", program, {"-a"}},
    {"flock", program, {"-w --wait --timeout -E --conflict-exit-code", "-c --command"}, 1},
    {"sudo doas",
     program,
     {"-u --user -g --group -h --host -p --prompt -C --close-from -T --command-timeout -r --role "
      "-t --type",
      "", "", "-D --chdir"}},
    {"xargs",
     program_for_each,
     {"-a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s "
      "--max-chars"}},
    {"command", program, {"", "", "", "", "-v -V"}},
    {"builtin coproc nohup setsid chronic unbuffer busybox", program},
    {"su", program, {"-s --shell -g --group", "-c --command"}, 1},
    {"strace ltrace", program, {"-e -o -p -s -u -E -P -I -O -S -a -X -b"}},
    {"find", found},
    {"eval", shell_text},
    {"trap", trap},
    {". source", sourced},

    {"sh bash dash ash ksh mksh zsh rbash", shell, {"-o +o -O +O", "-c", "--rcfile --init-file"}},
    {"python python2 python3 pypy pypy3", python, {"-W -X -Q --check-hash-based-pycs", "-c"}},
    {"node nodejs",
     node,
     {"-C --conditions --title --input-type --env-file", "-e --eval -p --print",
      "-r --require --import --loader --experimental-loader"}},
    {"perl ruby php lua luajit tclsh Rscript guile julia fish pwsh",
     script,
     {"", "-e -E -r", "-f"}},
    {"awk gawk mawk nawk", awk, {"-F --field-separator -v --assign", "", "-f --file"}},
    {"git", git, {"-C -c --git-dir --work-tree --namespace --config-env --super-prefix"}},

    {"cd pushd popd", folder},
    {"export declare typeset local readonly", variables},
    {"read mapfile readarray getopts printf unset", forgets},
    {"set shift", forgets_arguments},
    {"pwd", prints_folder},
    {"dirname", prints_parent},
    {"realpath readlink", prints_path},
    {"echo", prints_words},

    {"make gmake bmake ninja cmake ctest meson bazel bazelisk buck buck2 scons just task rake "
     "npm npx pnpm pnpx yarn bun bunx deno tsx ts-node lerna nx turbo gulp grunt jest vitest mocha "
     "eslint prettier webpack vite rollup husky lefthook lint-staged pre-commit "
     "cargo go gradle gradlew mvn mvnw ant sbt lein mill dotnet swift mix rebar3 stack cabal dune "
     "pytest tox nox hatch poetry pdm uv uvx pipenv pip pip3 invoke fab unittest mypy pylint "
     "bundle composer phpunit rspec docker docker-compose podman vagrant ansible-playbook "
     "terraform "
     "nix direnv mise asdf",
     project},

    // The shell's own, and what is on every machine.
    {"- : [ [[ alias basename bg break case cat chgrp chmod chown cksum clear cmp column comm "
     "continue "
     "cp csplit cut date dd df diff dircolors dirs disown du egrep exit expand expr factor "
     "false fg fgrep file fmt fold free grep groups hash head help hexdump hostname iconv id "
     "install jobs join kill killall last let link ln logger logname ls lsof md5sum mkdir mkfifo "
     "mktemp mv nl nproc od paste pathchk pgrep pkill pr printenv ps rev return rm rmdir "
     "sed seq sha1sum sha224sum sha256sum sha384sum sha512sum shasum shopt shred shuf sleep sort "
     "split stat strings stty sum suspend sync tac tail tar tee test times touch tr true truncate "
     "tsort tty type ulimit umask unalias uname unexpand uniq unlink unzip uptime users vmstat "
     "wait wc which who whoami xxd yes zcat zgrep gzip gunzip bzip2 xz zip zstd base64 base32 "
     "json.tool py_compile compileall",
     nothing},
    // Requests, data and messages.
    {"curl wget jq yq xmllint notify-send osascript terminal-notifier afplay aplay paplay "
     "pw-play say spd-say tput wall write xdotool wmctrl tmux ntfy mail sqlite3 gh glab",
     nothing},
    // Formatters and checkers that read files and run none of them.
    {"black isort ruff autopep8 yapf flake8 pyflakes gofmt goimports gofumpt rustfmt clang-format "
     "shfmt shellcheck hadolint yamllint markdownlint taplo stylua xmlformat tidy biome typos "
     "codespell actionlint gitleaks",
     nothing},
};

constexpr std::string_view search_paths =
    "PATH ENV BASH_ENV PYTHONPATH PYTHONHOME PYTHONSTARTUP NODE_PATH NODE_OPTIONS RUBYLIB RUBYOPT "
    "PERL5LIB PERL5OPT LUA_PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT GIT_EXEC_PATH GIT_SSH "
    "GIT_SSH_COMMAND CDPATH";

// Of git, and of any program.
constexpr std::string_view running_in_git =
    "-c --config-env --exec-path --upload-pack --receive-pack --extcmd -x --exec foreach bisect "
    "filter-branch difftool mergetool";
constexpr std::string_view running_anywhere =
    "--to-command --checkpoint-action --filter --use-compress-program --compress-program "
    "--strip-program";

}  // namespace

bool runs_by_argument(std::string_view program, std::string_view argument) {
  const std::string_view word = argument.substr(0, argument.find('='));
  return has_word(running_anywhere, word) || (program == "git" && has_word(running_in_git, word));
}

bool is_search_path(std::string_view variable) { return has_word(search_paths, variable); }

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

const KnownProgram* known_program(std::string_view name) {
  while (name.starts_with("python") && !name.empty() &&
         std::string_view(".0123456789").find(name.back()) != std::string_view::npos)
    name.remove_suffix(1);
  const auto* found = std::ranges::find_if(
      table, [&](const KnownProgram& row) { return has_word(row.names, name); });
  return found == std::end(table) ? nullptr : found;
}

const KnownProgram* interpreter_of(std::string_view script) {
  if (!script.starts_with("#!")) return known_program("sh");
  for (std::string_view word : split(trimmed(script.substr(2, script.find('\n') - 2)), ' ')) {
    word = last_name(word);  // "#!/usr/bin/env -S python3 -u"
    if (!word.starts_with('-') && word != "env") return known_program(word);
  }
  return nullptr;
}

}  // namespace skein::shell
