// skein's own files are closed to every command, wherever they are and however they are named.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/sandbox/sandbox.h"
#include "core/workspace/real_place.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::sandbox;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

// Not below /tmp: that is private in bubblewrap, and hidden anyway.
class Elsewhere {
 public:
  Elsewhere() {
    if (const char* old = getenv("TMPDIR")) old_ = old;
    setenv("TMPDIR", "/var/tmp", 1);
  }
  ~Elsewhere() { old_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", old_.c_str(), 1); }

 private:
  std::string old_;
};

std::vector<Sandbox> walls() {
  std::vector<Sandbox> all;
  if (bubblewrap_works()) all.push_back(Sandbox::bubblewrap);
  if (landlock_version() >= 3) all.push_back(Sandbox::landlock);
  if (all.size() < 2) MESSAGE("SKIPPED: a sandbox this machine does not have");
  return all;
}

// Every way in there is, tried on HOME; it prints what it got. Then it goes on working.
constexpr std::string_view attempts =
    "cat HOME/transcripts/s; grep -r treasure HOME; cp -r HOME stolen; cat stolen/transcripts/s;"
    "cd HOME/transcripts && cat s; cd WORK; cat /proc/self/root/HOME/transcripts/s;"
    "echo x >> HOME/transcripts/s; echo x > HOME/new; rm -rf HOME/transcripts; mkdir HOME/d;"
    "mv HOME/transcripts WORK/sub/t; ln HOME/transcripts/s sub/twin; cat sub/twin;"
    "mv HOME WORK/sub/moved; echo '|'; cat sub/f";

std::string expanded(std::string text, const std::string& home, const std::string& work) {
  const std::pair<std::string_view, const std::string&> words[] = {{"HOME", home}, {"WORK", work}};
  for (const auto& [word, path] : words)
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += path.size())
      text.replace(at, word.size(), path);
  return text;
}

struct Way {
  const char* what;
  const char* home;   // where the files really are, beside or in the workspace "root"
  const char* named;  // how `forbidden` names them
};

constexpr Way ways[] = {
    {"outside the workspace", "data/skein", "data/skein"},
    {"in the workspace", "root/.sessions", "root/.sessions"},
    {"deep in the workspace", "root/a/b/.sessions", "root/a/b/.sessions"},
    {"through an absolute link", "data/skein", "absolute/skein"},
    {"through a relative link", "data/skein", "relative/skein"},
    {"a link itself", "data/skein", "itself"},
    {"through a link into the workspace", "root/a/skein", "into/skein"},
    {"by way of ..", "data/skein", "root/../data/skein"},
};

void furnish(const fs::path& top, const Way& way) {
  write_file(top / way.home / "transcripts/s", TestWorkspace::secret);
  write_file(top / "root/sub/f", "goes on");
  fs::create_directory_symlink(fs::canonical(top) / "data", top / "absolute");
  fs::create_directory_symlink("data", top / "relative");
  fs::create_directory_symlink("data/skein", top / "itself");
  fs::create_directory_symlink("root/a", top / "into");
}

}  // namespace

TEST_CASE("no command reads or changes skein's own files, wherever they are") {
  const Elsewhere elsewhere;
  for (const Sandbox sandbox : walls())
    for (const Way& way : ways) {
      CAPTURE(name(sandbox));
      CAPTURE(way.what);
      TestWorkspace bench;
      const fs::path top = bench.root().parent_path();
      furnish(top, way);
      bench.settings.sandbox = sandbox;
      bench.settings.forbidden = {top / way.named};
      const auto before = snapshot(top / way.home);

      for (const fs::path& named : {top / way.home, top / way.named}) {
        const std::string printed = bench.result(
            "bash", {{"command", expanded(std::string(attempts), named, bench.root())}});

        CHECK(printed.find("treasure") == std::string::npos);
        CHECK(printed.find("|\ngoes on") != std::string::npos);
        CHECK(snapshot(top / way.home) == before);
      }
    }
}

TEST_CASE("the same attempts reach them where nothing is forbidden") {
  // Otherwise the test above would prove nothing.
  const Elsewhere elsewhere;
  for (const Sandbox sandbox : walls()) {
    TestWorkspace bench;
    furnish(bench.root().parent_path(), ways[1]);
    bench.settings.sandbox = sandbox;
    CHECK(bench
              .result("bash", {{"command", expanded(std::string(attempts),
                                                    bench.root() / ".sessions", bench.root())}})
              .find("treasure") != std::string::npos);
    CHECK_FALSE(fs::exists(bench.root() / ".sessions"));
  }
}

TEST_CASE("a relative path of skein's own files counts from the folder it was given in") {
  const Elsewhere elsewhere;
  for (const Sandbox sandbox : walls()) {
    TestWorkspace bench;
    const fs::path top = bench.root().parent_path(), before = fs::current_path();
    furnish(top, ways[0]);
    bench.settings.sandbox = sandbox;
    bench.settings.forbidden = {"data/skein"};
    fs::current_path(top);
    bench.tools();
    fs::current_path(before);

    CHECK(bench.result("bash", {{"command", "cat ../data/skein/transcripts/s || cat sub/f"}})
              .ends_with("goes on"));
  }
}

TEST_CASE("what is not there yet cannot be planted by a command") {
  const Elsewhere elsewhere;
  for (const Sandbox sandbox : walls()) {
    TestWorkspace bench;
    write_file(bench.root() / "sub/f", "goes on");
    bench.settings.sandbox = sandbox;
    bench.settings.forbidden = {bench.root() / ".config/skein",
                                bench.root().parent_path() / "none/skein"};

    CHECK(bench
              .result("bash", {{"command",
                                "mkdir -p .config/skein; echo x > .config/skein/config.toml;"
                                "mv .config c; mkdir -p .config/skein && echo x > "
                                ".config/skein/config.toml; cat sub/f"}})
              .find("goes on") != std::string::npos);

    CHECK(snapshot(bench.root() / ".config/skein").empty());
    struct stat info {};
    REQUIRE(stat((bench.root() / ".config/skein").c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0700);
    CHECK_FALSE(fs::exists(bench.root().parent_path() / "none"));  // out of reach, so left alone
  }
}

TEST_CASE("one of skein's own folders may lie in another") {
  const Elsewhere elsewhere;
  for (const Sandbox sandbox : walls()) {
    TestWorkspace bench;
    write_file(bench.root() / "home/config/skein/config.toml", bench.secret);
    bench.settings.sandbox = sandbox;
    bench.settings.forbidden = {bench.root() / "home/config/skein", bench.root() / "home",
                                bench.root() / "home/"};
    CHECK(bench.result("bash", {{"command",
                                 "cat home/config/skein/config.toml 2>&- || echo no"}}) == "no\n");
  }
}

TEST_CASE("in a workspace inside skein's own files nothing runs, and the reason is told") {
  const Elsewhere elsewhere;
  for (const Sandbox sandbox : walls()) {
    TestWorkspace bench;
    write_file(bench.root() / "transcripts/s", bench.secret);
    bench.settings.root = bench.root() / "transcripts";
    bench.settings.sandbox = sandbox;
    bench.settings.forbidden = {bench.root()};
    const std::string home = fs::canonical(bench.root());

    const model::ToolOutcome outcome = bench.call("bash", {{"command", "cat s"}});

    CHECK(outcome.is_error);
    CHECK(text_of(outcome) ==
          "commands do not run in " + home + "/transcripts, because it is in " + home +
              ", where skein keeps its own files; choose another workspace (-C)");
    CHECK(bench.result("read", {{"path", "s"}}) == "s: skein's own files are closed to tools");
    CHECK(bench.call("list", {}).is_error);
    CHECK(bench.call("write", {{"path", "new"}, {"content", "x"}}).is_error);
  }
}

TEST_CASE("a place that cannot be closed stops the command with a sentence") {
  const Elsewhere elsewhere;
  for (const Sandbox sandbox : walls()) {
    TestWorkspace bench;
    write_file(bench.root() / "file", "");
    bench.settings.sandbox = sandbox;
    bench.settings.forbidden = {bench.root() / "file/skein"};
    const std::string place = fs::canonical(bench.root()) / "file/skein";

    CHECK(bench.result("bash", {{"command", "echo ran"}}) ==
          "commands do not run, because " + place +
              ", where skein keeps its own files, cannot be closed to them: Not a directory");
  }
}

TEST_CASE(
    "under Landlock the folder around something protected takes no new names, and it is said") {
  if (landlock_version() < 3) {
    MESSAGE("SKIPPED: no Landlock, or an old one");
    return;
  }
  const Elsewhere elsewhere;
  TestWorkspace bench;
  write_file(bench.root() / ".sessions/s", bench.secret);
  write_file(bench.root() / "sub/f", "old\n");
  write_file(bench.root() / "g", "old\n");
  bench.settings.sandbox = Sandbox::landlock;
  bench.settings.forbidden = {bench.root() / ".sessions"};
  const std::string gap =
      "[under Landlock commands cannot create, rename or remove anything directly in " +
      fs::canonical(bench.root()).string();

  const std::string refused = bench.result("bash", {{"command", "echo x > new; rm g; ls"}});
  CHECK(refused.find(gap) != std::string::npos);
  CHECK(refused.find("g\nsub\n") != std::string::npos);  // and nothing new
  CHECK(bench.result("bash", {{"command",
                               "echo new > g && echo new > sub/f && echo x > sub/h && "
                               "cat g sub/f sub/h"}}) == "new\nnew\nx\n");
  CHECK(bench.result("bash", {{"command", "echo Permission; exit 1"}}) ==
        "Permission\n[exit status 1]");
}
