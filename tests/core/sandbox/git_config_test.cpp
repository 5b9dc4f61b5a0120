#include "core/sandbox/git_config.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::sandbox;

namespace {

bool inside(std::string_view path) { return path == "../../sub"; }

constexpr std::string_view plain =
    "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
    "[remote \"origin\"]\n\turl = git@host:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
    "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";

}  // namespace

TEST_CASE("what git writes for a new repository is harmless") {
  CHECK(harmless_change("", plain, inside));
  CHECK(harmless_part(plain, inside) == plain);
  CHECK(harmless_change(plain, std::string(plain) + "# mine\n[user]\n\tname = A B\n", inside));
  CHECK(harmless_change("", "[core]\n\tworktree = ../../sub\n", inside));
}

TEST_CASE("whatever could run something or lead elsewhere is no harmless change") {
  for (const char* added : {"[core]\n\tfsmonitor = x\n",
                            "[core]\n\thooksPath = x\n",
                            "[CORE]\n\tSSHCommand = x\n",
                            "[alias]\n\tst = !x\n",
                            "[include]\n\tpath = x\n",
                            "[includeIf \"gitdir:/\"]\n\tpath = x\n",
                            "[filter \"a\"]\n\tclean = x\n",
                            "[diff \"a\"]\n\ttextconv = x\n",
                            "[gpg]\n\tprogram = x\n",
                            "[credential]\n\thelper = x\n",
                            "[remote \"o\"]\n\turl = ext::sh -c x\n",
                            "[remote \"o\"]\n\tuploadpack = x\n",
                            "[submodule \"s\"]\n\tupdate = !x\n",
                            "[core]\n\tworktree = ../../elsewhere\n",
                            "[core] fsmonitor = x\n",
                            "[core]fsmonitor=x\n",
                            "[user]\n\tname = a\\\n[core]\n",
                            "[core.x]\n\tbare = true\n",
                            "[user]\r\n\tname = x\r\n",
                            "\xef\xbb\xbf[user]\n",
                            "[user\n",
                            "[user]\n\tname x = y\n",
                            "[url \"x\"]\n\tinsteadOf = y\n"}) {
    CAPTURE(added);
    CHECK_FALSE(harmless_change("", added, inside));
    CHECK_FALSE(harmless_change(plain, std::string(plain) + added, inside));
    CHECK(harmless_change("", harmless_part(added, inside), inside));
  }
}

TEST_CASE("what a configuration already runs may stay, but not move or go") {
  const std::string own = std::string(plain) + "[core]\n\teditor = vim\n\tpager = less\n";
  CHECK(harmless_change(own, own + "[user]\n\tname = x\n", inside));
  CHECK_FALSE(harmless_change(own, plain, inside));
  CHECK_FALSE(harmless_change(own, std::string(plain) + "[core]\n\tpager = less\n\teditor = vim\n",
                              inside));
}

TEST_CASE("the files a configuration names are found however it is written") {
  const NamedFiles files = files_named_in(
      "[core] hooksPath = \".githooks\"\n[core]\n\tHOOKSPATH=a/b\r\n[include]\n path = ../x\n"
      "[includeIf \"gitdir:~/\"]path=~/y\n");
  CHECK(files.hook_folders == std::vector<std::string>{".githooks", "a/b"});
  CHECK(files.includes == std::vector<std::string>{"../x", "~/y"});
}
