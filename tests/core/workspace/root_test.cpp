#include "core/workspace/root.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "core/text/base.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::workspace;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

// Strings that mean "out of here" to somebody.
std::vector<std::string> traversals(const std::string& root, const std::string& outside) {
  std::vector<std::string> list;
  const std::vector<std::string> targets{"outside/secret", "outside/folder/secret", "outside/new",
                                         "outside"};
  const std::vector<std::string> ways{"../",
                                      "./../",
                                      "a/../../",
                                      "a/b/../../../",
                                      "../root/../",
                                      "..//",
                                      ".//..//",
                                      "a/./../../",
                                      "up/",
                                      "a/up/",
                                      "up/../",
                                      "a/b/up/../",
                                      "//..//../",
                                      "x/../../",
                                      "../../../../../../../..",
                                      "/../",
                                      "/proc/self/cwd/../",
                                      "/proc/self/root",
                                      "..\\",
                                      "%2e%2e/",
                                      "%2e%2e%2f",
                                      "..%2f",
                                      "..%c0%af",
                                      "\xc0\xae\xc0\xae/",
                                      "\xc0\xae./",
                                      "..\xc0\xaf",
                                      "\xe0\x80\xae./",
                                      "\xef\xbc\x8e\xef\xbc\x8e/",
                                      "..\xef\xbc\x8f",
                                      "\xe2\x80\xa4\xe2\x80\xa4/",
                                      "... /",
                                      "../ ",
                                      "~/../",
                                      "$PWD/../"};
  for (const std::string& way : ways)
    for (const std::string& target : targets) list.push_back(way + target);
  for (const char* name : {"secret", "new"}) list.push_back(outside + "/" + name);
  const std::string nul(1, '\0');
  list.insert(list.end(), {root + "/../outside/secret",
                           root + "x/../outside/secret",
                           "file://" + outside,
                           "CON",
                           "NUL",
                           "aux.txt",
                           "..",
                           "../",
                           "/",
                           "//",
                           "/etc/passwd",
                           "/etc/../etc/passwd",
                           "/proc/self/environ",
                           "/proc/1/root",
                           "/dev/null",
                           "/dev/mem",
                           "../outside/secret" + nul,
                           "a" + nul + "/../../outside/secret",
                           "../outside/secret.",
                           "../outside/secret ",
                           "../OUTSIDE/secret",
                           std::string(4096, 'a'),
                           std::string(300, 'b'),
                           std::string(2000, '.') + "/outside",
                           "a/../../outside/secret\n",
                           "up/secret",
                           "up"});
  return list;
}

}  // namespace

TEST_CASE("no path string leads a tool out of the workspace") {
  for (const Resolver resolver : {Resolver::kernel, Resolver::walk}) {
    TestWorkspace bench;
    fs::create_directories(bench.root() / "a/b");
    fs::create_symlink("..", bench.root() / "up");
    fs::create_symlink("../..", bench.root() / "a/up");
    fs::create_symlink("../../..", bench.root() / "a/b/up");
    write_file(bench.root() / "inside", "x");
    const auto root =
        std::make_shared<const Root>(bench.root(), std::vector<std::string>{}, resolver);
    const model::Tools tools{tools::read_tool(root, {}), tools::write_tool(root, {}),
                             tools::edit_tool(root, {}), tools::list_tool(root, {}),
                             tools::grep_tool(root, {})};
    const auto before = snapshot(bench.outside());
    const auto beside = snapshot(bench.root().parent_path()).size();

    const auto strings = traversals(bench.root(), bench.outside());
    CHECK(strings.size() >= 150);
    int tried = 0, written = 0;
    for (const std::string& path : strings) {
      const auto input = json_of({{"path", path},
                                  {"content", "pwned"},
                                  {"pattern", "treasure"},
                                  {"old_text", "treasure"},
                                  {"new_text", "pwned"}});
      for (const model::Tool& tool : tools) {
        CAPTURE(path);
        CAPTURE(tool.name);
        const model::ToolOutcome outcome = tool.run(input, {});
        CHECK(text_of(outcome).find(bench.secret) == std::string::npos);
        CHECK(tool.title(input).find('\n') == std::string::npos);
        written += tool.name == "write" && !outcome.is_error;
        ++tried;
        if (!tool.preview) continue;
        CHECK(tool.preview(input).text.find(bench.secret) == std::string::npos);
        ++tried;
      }
    }
    CHECK(tried >= 1050);
    CHECK(snapshot(bench.outside()) == before);
    // What was written (literal names such as %2e%2e) lies inside.
    std::size_t inside = snapshot(bench.root()).size();
    CHECK(snapshot(bench.root().parent_path()).size() - inside == beside - 6);
    CHECK(written > 0);
  }
}

TEST_CASE("an absolute path inside the workspace is as good as a relative one") {
  TestWorkspace bench;
  write_file(bench.root() / "a/b", "text");
  const Root root(bench.root(), {});

  CHECK(root.open_file(root.locate((bench.root() / "a/b").string())));
  CHECK(root.open_folder(root.locate(bench.root().string())));
  CHECK(root.shown((bench.root() / "a/b").string()) == "a/b");
  CHECK(root.shown("./a//b") == "a/b");
  CHECK_FALSE(root.locate(bench.root().string() + "x/b"));
}

TEST_CASE("a workspace reached through a link is the folder behind it") {
  TestWorkspace bench;
  write_file(bench.root() / "a", "text");
  fs::create_symlink(bench.root(), bench.root().parent_path() / "alias");
  const std::string alias = bench.root().parent_path() / "alias";
  const Root root(alias, {});

  CHECK(root.path() == fs::canonical(bench.root()));
  CHECK(root.open_file(root.locate(alias + "/a")));
}

TEST_CASE("forbidden folders are closed by every name, before and after they exist") {
  for (const Resolver resolver : {Resolver::kernel, Resolver::walk}) {
    TestWorkspace bench;
    write_file(bench.root() / "home/transcripts/s", bench.secret.data());
    write_file(bench.root() / "config.toml", "x");
    fs::create_symlink("home", bench.root() / "alias");
    fs::create_symlink("home/transcripts/s", bench.root() / "deep");
    const Root root(
        bench.root(),
        {bench.root() / "home", bench.root() / "later/inner", bench.root() / "config.toml"},
        resolver);

    for (const char* path : {"home", "home/transcripts", "home/transcripts/s", "alias", "deep",
                             "alias/transcripts/s", "home/new", "config.toml", "home/../home/x"}) {
      CAPTURE(path);
      const FilePlace place = root.locate(path, Root::Missing::make_folders);
      CHECK_FALSE((place && (root.open_file(place) || root.open_folder(place))));
      CHECK_FALSE((place && root.replace(place, "x").empty()));
    }
    CHECK_FALSE(root.locate("later/inner/x", Root::Missing::make_folders));
    CHECK_FALSE(fs::exists(bench.root() / "later/inner"));
    CHECK(root.locate("later/other/x", Root::Missing::make_folders));
    fs::create_directories(bench.root() / "later/inner");
    CHECK_FALSE(root.locate("later/inner/x"));
    CHECK(root.locate("home2/x", Root::Missing::make_folders));
  }
}

TEST_CASE("devices, pipes and sockets are refused without waiting") {
  TestWorkspace bench;
  const Root root(bench.root(), {});
  REQUIRE(mkfifo((bench.root() / "fifo").c_str(), 0600) == 0);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string name = bench.root() / "socket";
  name.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  close(fd);

  for (const char* path : {"fifo", "socket"}) {
    CHECK(root.open_file(root.locate(path)).refusal ==
          std::string(path) + ": is not a regular file");
    CHECK(root.replace(root.locate(path), "x") == std::string(path) + ": is not a regular file");
  }
}

TEST_CASE("a replaced file keeps its mode and a new one takes 0644 less the umask") {
  TestWorkspace bench;
  write_file(bench.root() / "tool", "old");
  chmod((bench.root() / "tool").c_str(), 0751);
  const Root root(bench.root(), {});
  const mode_t before = umask(0027);

  const FilePlace tool = root.locate("tool");
  CHECK(root.replace(tool, "new", Expected{root.open_file(tool).info}) == "");
  CHECK(root.replace(root.locate("sub/fresh", Root::Missing::make_folders), "x") == "");
  umask(before);

  struct stat info {};
  REQUIRE(stat((bench.root() / "tool").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0751);
  REQUIRE(stat((bench.root() / "sub/fresh").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0640);
  CHECK(read_file(bench.root() / "tool") == "new");
  CHECK(snapshot(bench.root()).size() == 3);  // no temporary file stays
}

TEST_CASE("a file with a second hard link is not written") {
  TestWorkspace bench;
  fs::create_hard_link(bench.outside() / "secret", bench.root() / "twin");
  const Root root(bench.root(), {});

  const FilePlace twin = root.locate("twin");
  const std::string refusal = root.replace(twin, "x", Expected{root.open_file(twin).info});

  CHECK(refusal.starts_with("twin: has 2 hard links"));
  CHECK(read_file(bench.outside() / "secret") == bench.secret);
}

TEST_CASE("a file that changed since it was read is left alone") {
  TestWorkspace bench;
  write_file(bench.root() / "f", "one");
  const Root root(bench.root(), {});
  const FilePlace place = root.locate("f");
  const OpenedFile file = root.open_file(place);
  write_file(bench.root() / "f", "somebody else's");

  CHECK(root.replace(place, "mine", Expected{file.info}) ==
        "f: another program has changed it; read it again");
  CHECK(read_file(bench.root() / "f") == "somebody else's");
}

TEST_CASE("a workspace that is not there is an error with its name") {
  CHECK_THROWS_AS(Root("/no/such/folder", {}), Error);
}
