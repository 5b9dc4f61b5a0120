#include "core/command_risks.h"

#include <algorithm>
#include <array>

namespace skein {

namespace {

// Programs that run what stands in their arguments, or in a language of their own, and builtins
// that change what the following commands mean.
constexpr auto launchers = std::to_array<std::string_view>(
    {// shells and what starts programs
     "sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "rbash", "busybox", "env", "xargs",
     "sudo", "su", "doas", "pkexec", "runuser", "setpriv", "chroot", "unshare", "nsenter", "bwrap",
     "nohup", "nice", "ionice", "chrt", "taskset", "timeout", "stdbuf", "setsid", "script", "watch",
     "parallel", "strace", "ltrace", "gdb", "lldb", "valgrind", "perf", "entr", "at", "batch",
     "crontab", "systemd-run", "screen", "tmux", "ssh", "rsh", "scp", "sftp", "socat", "nc", "ncat",
     "expect", "flock", "time",
     // languages
     "awk", "gawk", "mawk", "nawk", "sed", "perl", "python", "python2", "python3", "ruby", "node",
     "deno", "bun", "php", "lua", "tclsh", "osascript", "ed", "ex", "vi", "vim", "nvim", "emacs",
     "m4",
     // builtins
     ".", "source", "eval", "exec", "command", "builtin", "alias", "hash", "enable", "trap",
     "export", "declare", "typeset", "set", "shopt", "unset", "local", "readonly", "let", "read",
     "mapfile", "readarray", "bind", "complete", "compgen", "printf", "unalias", "coproc", "pushd",
     "popd", "cd"});

struct Options {
  std::string_view program;
  std::string_view words;  // long options also in part (--exec-p), and all of them with =value
};
constexpr std::array risky_options{
    Options{"find",
            "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from"},
    Options{"fd", "-x -X --exec --exec-batch"},
    Options{"git",
            "-c --config-env --exec-path --git-dir --work-tree --upload-pack --receive-pack --exec "
            "-x --ext-diff --textconv --open-files-in-pager -O --output -o --extcmd "
            "--tool --gpg-sign --template --namespace -C --remote --run foreach difftool mergetool "
            "bisect filter-branch config submodule alias credential hook daemon shell instaweb"},
    Options{"rg", "--pre --hostname-bin --search-zip -z"},
    Options{"sort", "-o --output --compress-program -T --temporary-directory"},
    Options{"tar",
            "--to-command --checkpoint-action -I --use-compress-program --rmt-command "
            "--rsh-command -F --info-script --new-volume-script"},
    Options{"rsync", "-e --rsh --rsync-path"},
    Options{"make", "-f --file --makefile --eval SHELL="},
    Options{"cmake", "-E -P -C --toolchain --workflow -D"},
    Options{"ctest", "-S -SP -D --build-and-test --launch -T -M"},
    Options{"cargo", "--config -Z"},
    Options{"npm", "exec x explore --script-shell --prefix -c --call"},
    Options{"go", "-exec -toolexec -o generate run -vettool -overlay"},
    Options{"man", "-P --pager -H --html"},
    Options{"less", "-o -O -k --lesskey-file"},
    Options{"date", "-s --set -f --file"},
    Options{"tree", "-o"},
    Options{"file", "-f -m -C"},
    Options{"diff", "--to-file --from-file"},
    Options{"wc", "--files0-from"},
    Options{"tee", ""},
};

struct Telling {
  std::string_view program;
  std::string_view second;  // words that may follow; empty: the program alone says it
};
constexpr std::array telling{
    Telling{"ls", ""},
    Telling{"cat", ""},
    Telling{"head", ""},
    Telling{"tail", ""},
    Telling{"wc", ""},
    Telling{"grep", ""},
    Telling{"rg", ""},
    Telling{"file", ""},
    Telling{"stat", ""},
    Telling{"du", ""},
    Telling{"df", ""},
    Telling{"pwd", ""},
    Telling{"echo", ""},
    Telling{"which", ""},
    Telling{"diff", ""},
    Telling{"cmp", ""},
    Telling{"tree", ""},
    Telling{"uname", ""},
    Telling{"ctest", ""},
    Telling{"ninja", ""},
    Telling{"make", ""},
    Telling{"pytest", ""},
    Telling{"find", ""},
    Telling{"git", "status diff log show blame branch ls-files rev-parse describe shortlog"},
    Telling{"cmake", "--build"},
    Telling{"cargo", "test build check clippy fmt doc"},
    Telling{"npm", "test"},
    Telling{"go", "test build vet"},
};

// Calls `use` with each word of a list written with blanks; true as soon as one call says so.
template <class Use>
bool any_word(std::string_view list, Use use) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (end > 0 && use(list.substr(0, end))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// Whether `argument` is `risky`, or an abbreviation of it, or has it among letters in a bunch.
bool is_option(std::string_view argument, std::string_view risky) {
  const bool long_option = risky.starts_with("--");
  if (risky.ends_with('=')) return argument.starts_with(risky);
  if (!risky.starts_with('-')) return argument == risky;
  if (long_option) {
    const std::string_view name = argument.substr(0, argument.find('='));
    return name.size() > 2 && name.starts_with("--") && risky.starts_with(name);
  }
  if (risky.size() > 2) return argument == risky || argument.starts_with(std::string(risky) + "=");
  return argument.size() > 1 && argument[0] == '-' && argument[1] != '-' &&
         argument.find(risky[1]) != std::string_view::npos;
}

bool is_launcher(std::string_view program) {
  return std::ranges::count(launchers, program) > 0 || program.starts_with("python3.");
}

}  // namespace

std::string_view hidden_power(const SimpleCommand& command) {
  const std::string_view path = command[0].text;
  const std::string_view program = path.substr(path.rfind('/') + 1);
  if (is_launcher(program)) return "it runs other commands or changes the shell";
  for (const Options& row : risky_options) {
    if (row.program != program) continue;
    if (row.words.empty()) return "it writes files";
    for (std::size_t i = 1; i < command.size(); ++i)
      if (any_word(row.words,
                   [&](std::string_view risky) { return is_option(command[i].text, risky); }))
        return "one of its arguments can run other commands or write elsewhere";
  }
  return "";
}

std::size_t telling_words(const SimpleCommand& command) {
  for (const Telling& row : telling) {
    if (row.program != command[0].text) continue;
    if (row.second.empty()) return 1;
    if (command.size() > 1 &&
        any_word(row.second, [&](std::string_view word) { return word == command[1].text; }))
      return 2;
  }
  return 0;
}

}  // namespace skein
