// The one place that knows what programs can be made to do by their arguments.
#include "core/permission/command_risks.h"

#include "core/text/std.h"

#include "core/shell/known_programs.h"
#include "core/text/text.h"

namespace skein::permission {

namespace {

// Programs that run what their arguments say or have a language of their own, and builtins that
// change what the following commands mean.
constexpr std::string_view launchers[] = {
    // shells
    "sh bash dash zsh ksh mksh fish csh tcsh rbash busybox toybox pwsh nu",
    // what starts another program
    "env xargs sudo su doas pkexec runuser setpriv chroot unshare nsenter bwrap firejail "
    "fakeroot proot nohup nice ionice chrt taskset numactl prlimit choom setarch linux32 "
    "linux64 i386 x86_64 timeout stdbuf setsid script scriptreplay watch parallel sem strace "
    "ltrace gdb lldb valgrind perf rr catchsegv entr at batch crontab systemd-run "
    "systemd-nspawn start-stop-daemon run-parts screen tmux dtach flock time expect unbuffer "
    "rlwrap faketime xvfb-run dbus-run-session ssh-agent direnv",
    // over the network, or in a container
    "ssh autossh sshpass mosh rsh scp sftp ftp lftp telnet socat nc ncat docker podman nerdctl "
    "buildah kubectl lxc incus vagrant",
    // languages, and editors and viewers with a language
    "awk gawk mawk nawk original-awk sed perl python python2 python3 pypy pypy3 ipython ruby "
    "irb node nodejs deno bun php lua luajit tclsh wish osascript guile racket sbcl clisp ocaml "
    "julia R Rscript octave gnuplot java jshell groovy scala ghci runghc erl escript elixir iex "
    "swift raku dc ed ex red vi vim view vimdiff nvim nano pico emacs emacsclient m4 less more "
    "most pg sqlite3 mysql psql npx pnpx bunx uvx pipx tsx ts-node",
    // mail and desktop programs that run a program that is named to them
    "mail mailx sendmail xdg-open open sensible-editor sensible-browser sensible-pager",
    // builtins
    ". source eval exec command builtin alias hash enable trap export declare typeset set shopt "
    "unset local readonly let read mapfile readarray bind complete compgen compopt printf "
    "unalias coproc pushd popd cd wait getopts fc history",
};

// How a program takes its options.
enum class OptionStyle {
  letters,  // -x among others behind one dash (-vx), --long also in part (--exec-p) or with =value
  words,    // -word or --word, also with =value: find, go, gcc
  begins,   // as `words`, and the value may follow at once: -B/usr, -fplugin=x
  old,      // as `letters`, and the first argument is letters without a dash: tar
};

using enum OptionStyle;

struct Risks {
  std::string_view programs;  // with commas between; or program and subcommand
  OptionStyle style;
  // Arguments. One that ends in `=` begins so; `?=` is any assignment; one without a dash is a
  // subcommand or operand. None: the program itself.
  std::string_view words;
};
constexpr Risks table[] = {
    {"ack,ag", letters, "--pager"},
    {"bat", letters, "--pager --diff"},
    {"cargo", letters, "--config -Z run install rustc rustdoc +nightly +stable +beta r"},
    {"cmake", letters, "-E -P -C --toolchain --workflow -D -- --open --debugger"},
    {"cpio", letters, "--rsh-command"},
    {"ctest", words,
     "-S -SP -D -T -M --script --script-new-process --dashboard --build-and-test --launch "
     "--build-command --build-makeprogram --build-generator --test-command --test-action "
     "--test-model"},
    {"curl", letters,
     "-o --output -O --remote-name --remote-name-all -J --remote-header-name -K --config -D "
     "--dump-header -c --cookie-jar --trace --trace-ascii --libcurl --stderr --engine "
     "--output-dir --etag-save --hsts --alt-svc"},
    {"date", letters, "-s --set -f --file"},
    {"dd", letters, "of="},
    {"diff", letters, "--to-file --from-file"},
    {"fd,fdfind", letters, "-x -X --exec --exec-batch"},
    {"file", letters, "-f -m -C"},
    {"find", words,
     "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from"},
    {"git", letters,
     "-c --config-env --exec-path --git-dir --work-tree --upload-pack --receive-pack --exec "
     "-x --ext-diff --textconv --filters --open-files-in-pager -O --output -o --extcmd --tool "
     "--gpg-sign --template --namespace -C --remote --run foreach difftool mergetool bisect "
     "filter-branch filter-repo config submodule submodule--helper alias credential hook "
     "daemon shell instaweb gui citool web--browse remote-ext remote-fd upload-pack "
     "receive-pack upload-archive http-backend send-email svn p4 cvsimport cvsserver "
     "maintenance"},
    {"git branch", letters,
     "-d -D -m -M -c -C -f -u --delete --move --copy --force --edit-description "
     "--set-upstream-to --unset-upstream"},
    {"git clone", letters, "-u --upload-pack -c --config --template"},
    {"go", words,
     "-exec -toolexec -vettool -o -overlay -modfile -pkgdir -ldflags -gcflags -asmflags "
     "-gccgoflags -compiler generate run tool env install get"},
    {"gradle", letters,
     "-I --init-script -b --build-file -c --settings-file -D -P --include-build"},
    {"groff", letters, "-U -X -P"},
    {"hg", letters, "--config --debugger --pager bisect -R --repository --cwd"},
    {"install", letters, "-s --strip --strip-program"},
    {"ip", letters, "exec -b -batch"},
    {"latex", words, "-shell-escape -enable-write18 -shell-restricted"},
    {"latexmk", begins, "-e -r -pdflatex -latex -usepretex -shell-escape"},
    {"lualatex,pdflatex,xelatex", words, "-shell-escape -enable-write18"},
    {"make,gmake", letters, "-f --file --makefile -E --eval ?="},
    {"man", letters, "-P --pager -H --html -C --config-file -p --preprocessor"},
    {"mvn", letters, "-f --file -D -s --settings -P"},
    {"ninja", letters, "-f -t"},
    {"nmap", letters, "--script --datadir"},
    {"npm", letters,
     "exec x explore init create config set edit --script-shell --prefix -C -c --call "
     "--node-options --userconfig --globalconfig"},
    {"openssl", words, "-engine -provider -provider-path"},
    {"pandoc", letters, "-F --filter -L --lua-filter --pdf-engine -t --to -w --write -o --output"},
    {"patch", letters, "-e --ed -o --output"},
    {"pip,pip3", letters, "install download wheel"},
    {"pnpm", letters, "exec dlx create x --script-shell -C --dir"},
    {"pytest", letters, "-c -p -o --override-ini --rootdir --confcutdir --pdbcls"},
    {"rg", letters, "--pre --hostname-bin --search-zip -z"},
    {"rsync", letters, "-e --rsh --rsync-path -M --remote-option --config"},
    {"sort", letters, "-o --output --compress-program -T --temporary-directory"},
    {"split", letters, "--filter"},
    {"ssh-keygen", letters, "-D -w"},
    {"svn", letters, "--editor-cmd --diff-cmd --diff3-cmd --config-option --config-dir"},
    {"tar", old,
     "--to-command --checkpoint-action -I --use-compress-program --rmt-command --rsh-command "
     "-F --info-script --new-volume-script"},
    {"bsdtar", old, "--use-compress-program"},
    {"tcpdump", letters, "-z -w"},
    {"tee", letters, ""},
    {"test,[", words, "-v -R"},
    {"tree", letters, "-o"},
    {"wc", letters, "--files0-from"},
    {"wget", letters,
     "--use-askpass -e --execute -O --output-document -o --output-file -a --append-output "
     "--config --post-file --body-file -P --directory-prefix"},
    {"yarn", letters, "exec dlx create --cwd"},
    {"zip", letters, "-T --test --unzip-command"},
};

// Compilers go by many names: gcc-12, aarch64-linux-gnu-g++, clang++-16.
constexpr std::string_view compiler_words =
    "-wrapper -B -specs -fplugin -iplugindir -Wl, -Xlinker -fuse-ld --config -load -plugin "
    "-Xclang -Wp, -Wa, -x";
bool is_compiler(std::string_view program) {
  constexpr std::string_view names[] = {"gcc",     "g++", "cc",       "c++", "clang",
                                        "clang++", "cpp", "gfortran", "ld"};
  while (!program.empty() &&
         (program.back() == '.' || program.back() == '-' || is_digit(program.back())))
    program.remove_suffix(1);
  return std::ranges::any_of(names, [&](std::string_view name) {
    return program == name ||
           (program.ends_with(name) && program[program.size() - name.size() - 1] == '-');
  });
}

// Only what looks and cannot be made to run anything: everything else is remembered as it is.
constexpr std::string_view lookers =
    "ls cat head tail wc grep file stat du df pwd echo which diff cmp tree uname";
constexpr std::string_view git_lookers =
    "status diff log show blame ls-files rev-parse describe shortlog";

bool is_long_option(std::string_view argument, std::string_view risky) {
  const std::string_view name = argument.substr(0, argument.find('='));
  return name.size() > 2 && name.starts_with("--") && risky.starts_with(name);
}

// Whether `argument` is `risky`, or has it in it, in a program's way of taking options.
bool is_risky(std::string_view argument, std::string_view risky, OptionStyle style) {
  if (risky == "?=") return !argument.starts_with('-') && argument.find('=') < argument.size();
  if (risky == "--") return argument == risky;
  if (risky.ends_with('=')) return argument.starts_with(risky);
  if (!risky.starts_with('-')) return argument == risky;
  const bool by_words = style == words || style == begins;
  if (by_words && argument.starts_with("--") && !risky.starts_with("--")) argument.remove_prefix(1);
  if (style == begins && argument.starts_with(risky)) return true;
  if (risky.starts_with("--")) return is_long_option(argument, risky);
  if (by_words || risky.size() > 2) return argument.substr(0, argument.find('=')) == risky;
  return argument.size() > 1 && argument[0] == '-' && argument[1] != '-' &&
         argument.find(risky[1]) != std::string_view::npos;
}

bool has_risk(const SimpleCommand& command, std::string_view words, OptionStyle style) {
  for (std::size_t i = 1; i < command.size(); ++i) {
    std::string argument = command[i].text;
    if (style == old && i == 1 && !argument.starts_with('-')) argument.insert(0, "-");
    for (const std::string_view risky : split(words, ' '))
      if (is_risky(argument, risky, style)) return true;
  }
  return false;
}

bool is_launcher(std::string_view program) {
  if (program.starts_with("python3.") || program.starts_with("ld-linux") ||
      program.starts_with("ld.so"))
    return true;
  return std::ranges::any_of(launchers,
                             [&](std::string_view row) { return has_word(row, program); });
}

// "git clone" for `git --no-pager clone x`.
std::string with_subcommand(std::string_view program, const SimpleCommand& command) {
  for (std::size_t i = 1; i < command.size(); ++i)
    if (!command[i].text.starts_with('-')) return std::string(program) + " " + command[i].text;
  return std::string(program);
}

}  // namespace

std::string_view risk_of(const SimpleCommand& command) {
  constexpr std::string_view by_argument =
      "one of its arguments can run other commands or write elsewhere";
  const std::string_view program = shell::last_name(command[0].text);
  if (is_launcher(program)) return "it runs other commands or changes the shell";
  if (is_compiler(program) && has_risk(command, compiler_words, begins)) return by_argument;
  const std::string both = with_subcommand(program, command);
  for (const Risks& row : table) {
    const auto names = split(row.programs, ',');
    if (std::ranges::find(names, program) == names.end() && row.programs != both) continue;
    if (row.words.empty()) return "it writes files";
    if (has_risk(command, row.words, row.style)) return by_argument;
  }
  return "";
}

bool steers_programs(std::string_view assignment) {
  constexpr std::string_view whole =
      "PATH IFS ENV BASH_ENV SHELLOPTS BASHOPTS PS4 HOME CDPATH CLASSPATH MAKEFLAGS MAKEFILES "
      "EDITOR VISUAL BROWSER SHELL LOCPATH GCONV_PATH NLSPATH TERMINFO";
  constexpr std::string_view beginnings[] = {"LD_",  "DYLD_", "GIT_",  "BASH_", "PYTHON",
                                             "PERL", "RUBY",  "NODE_", "npm_",  "LUA_"};
  constexpr std::string_view endings[] = {"PAGER",   "_COMMAND", "_OPTIONS", "_PRELOAD",
                                          "_EDITOR", "OPEN",     "OPTS",     "_WRAPPER"};
  const std::string_view name = assignment.substr(0, assignment.find('='));
  return has_word(whole, name) ||
         std::ranges::any_of(beginnings, [&](auto part) { return name.starts_with(part); }) ||
         std::ranges::any_of(endings, [&](auto part) { return name.ends_with(part); });
}

std::size_t subcommand_word_count(const SimpleCommand& command) {
  if (has_word(lookers, command[0].text)) return 1;
  const bool looks =
      command[0].text == "git" && command.size() > 1 && has_word(git_lookers, command[1].text);
  return looks ? 2 : 0;
}

std::vector<std::string_view> programs_with_risky_arguments() {
  std::vector<std::string_view> out;
  for (const Risks& row : table)
    for (const std::string_view program : split(row.programs, ',')) out.push_back(program);
  return out;
}

}  // namespace skein::permission
