#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>

#include "core/workspace/ignored_paths.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::tools;
using namespace skein::test;
namespace fs = std::filesystem;

TEST_CASE("a listing names folders, files and links in order") {
  TestWorkspace bench;
  write_file(bench.root() / "b.txt", "");
  write_file(bench.root() / "a/deep/er/file", "");
  write_file(bench.root() / ".git/config", "");
  fs::create_symlink("b.txt", bench.root() / "link");
  CHECK(bench.result("list", {}) == "a/\na/deep/\nb.txt\nlink@\n");
  CHECK(bench.result("list", {{"depth", "=1"}}) == "a/\nb.txt\nlink@\n");
  CHECK(bench.result("list", {{"path", "a"}, {"depth", "=9"}}) ==
        "a/deep/\na/deep/er/\na/deep/er/file\n");
  CHECK(bench.call("list", {{"path", "b.txt"}}).is_error);
  CHECK(bench.call("list", {{"path", "none"}}).is_error);
}

TEST_CASE("a long listing stays level and says what is left out") {
  TestWorkspace bench;
  bench.settings.limits.list_entries = 5;
  for (int i = 0; i < 9; ++i) write_file(bench.root() / "big" / std::to_string(i), "");
  write_file(bench.root() / "z", "");
  CHECK(bench.result("list", {}) ==
        "big/\nz\n[only 1 of 2 levels: the next has too many names; list a folder of it instead]");
  CHECK(bench.result("list", {{"path", "big"}}) ==
        "big/0\nbig/1\nbig/2\nbig/3\nbig/4\n[the first 5 names; there are more]");
}

TEST_CASE("forbidden folders are not listed and not searched") {
  TestWorkspace bench;
  write_file(bench.root() / ".sessions/s.jsonl", "treasure");
  write_file(bench.root() / "f", "treasure");
  bench.settings.forbidden = {bench.root() / ".sessions"};
  CHECK(bench.result("list", {{"depth", "=5"}}) == "f\n");
  CHECK(bench.result("grep", {{"pattern", "treasure"}}) == "f:1:treasure\n");
}

TEST_CASE("ignored files are those git itself ignores") {
  if (access("/usr/bin/git", X_OK) != 0) {
    MESSAGE("SKIPPED: there is no git to compare with");
    return;
  }
  TestWorkspace bench;
  write_file(
      bench.root() / ".gitignore",
      "# comment\n*.o\n!keep.o\n/top\nbuild/\ndoc/*.txt\n**/cache/**\nfoo/**/bar\n\\#odd\n\\!bang\n"
      "trail   \nsp\\ "
      "\n*.log\n!/logs/*.log\ndir\n!dir/inner\n[ab].c\n\r\nabc\r\n/x/y\nq/\n!q/keep\n");
  write_file(bench.root() / "sub/.gitignore", "!*.o\nlocal\n/anchored\nmore/*.tmp\n*.c\n!a.c\n");
  write_file(bench.root() / "sub/deep/.gitignore", "*\n!.gitignore\n!shown\n");
  write_file(bench.root() / ".git/info/exclude", "private\n");
  for (const char* name : {"a.o",
                           "keep.o",
                           "top",
                           "sub/top",
                           "build/x",
                           "sub/build/x",
                           "build.txt",
                           "doc/a.txt",
                           "doc/b/a.txt",
                           "cache/f",
                           "a/cache/b/f",
                           "foo/bar",
                           "foo/a/b/bar",
                           "foo/baz",
                           "#odd",
                           "!bang",
                           "trail",
                           "trail2",
                           "sp ",
                           "a.log",
                           "logs/a.log",
                           "logs/deep/a.log",
                           "dir/inner",
                           "dir2/inner",
                           "a.c",
                           "b.c",
                           "c.c",
                           "abc",
                           "x/y/z",
                           "sub/x/y",
                           "q/keep",
                           "sub/q",
                           "sub/a.o",
                           "sub/local",
                           "sub/more/local",
                           "sub/anchored",
                           "sub/more/anchored",
                           "sub/more/a.tmp",
                           "sub/a.tmp",
                           "sub/a.c",
                           "sub/b.c",
                           "sub/z.c",
                           "sub/deep/hidden",
                           "sub/deep/shown",
                           "sub/deep/more/shown",
                           "private",
                           "sub/private",
                           "plain",
                           "sub/plain",
                           "sub/keep.o",
                           "other/a.o"})
    write_file(bench.root() / name, "");
  const std::string quiet = "cd '" + bench.root().string() + "' && rm -rf .git/x && ";
  const std::string exclude = read_file(bench.root() / ".git/info/exclude");
  REQUIRE(std::system(
              (quiet + "git init -q . 2>/dev/null && printf '" + exclude + "' > .git/info/exclude")
                  .c_str()) == 0);
  bench.settings.sandbox = sandbox::Sandbox::none;
  const std::string git =
      bench.result("bash", {{"command",
                             "git -c core.quotePath=off ls-files --others --exclude-standard -z | "
                             "tr '\\0' '\\n' | LC_ALL=C sort"}});

  std::string ours;
  std::vector<std::string> files;
  const std::string listed = bench.result("list", {{"depth", "=9"}});
  for (std::size_t at = 0, end; (end = listed.find('\n', at)) != std::string::npos; at = end + 1)
    if (listed[end - 1] != '/') files.push_back(listed.substr(at, end - at));
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) ours += file + "\n";
  CHECK(files.size() > 15);
  CHECK(ours == git);
}

TEST_CASE("an ignored folder that is named is listed") {
  TestWorkspace bench;
  write_file(bench.root() / ".gitignore", "build/\n");
  write_file(bench.root() / "build/out/a", "needle");
  CHECK(bench.result("list", {}) == ".gitignore\n");
  CHECK(bench.result("list", {{"path", "build"}}) == "build/out/\nbuild/out/a\n");
  CHECK(bench.result("grep", {{"pattern", "needle"}, {"path", "build/out"}}) ==
        "build/out/a:1:needle\n");
}
