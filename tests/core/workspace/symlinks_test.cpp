// Forty ways to lay links, each tried by read, write, edit, list and grep through both resolvers.
#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::workspace;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

struct Layout {
  const char* link;     // made in the workspace …
  const char* target;   // … leading there; OUT and ROOT stand for the absolute folders
  const char* path;     // what a tool is asked for
  bool inside = false;  // whether it stays inside and so may work
};

const Layout layouts[] = {
    // the last component
    {"l", "../outside/secret", "l"},
    {"l", "OUT/secret", "l"},
    {"l", "../outside", "l"},
    {"l", "OUT", "l"},
    {"a/l", "../../outside/secret", "a/l"},
    {"l", "a/../../outside/secret", "l"},
    {"l", "./../outside/secret", "l"},
    {"l", "../root/../outside/secret", "l"},
    {"l", "//OUT/secret", "l"},
    {"l", "/", "l"},
    // a middle component
    {"l", "../outside", "l/secret"},
    {"l", "OUT", "l/secret"},
    {"l", "../outside", "l/folder/secret"},
    {"l", "..", "l/outside/secret"},
    {"a/l", "../..", "a/l/outside/secret"},
    {"l", "../outside/folder", "l/../secret"},
    {"l", "/", "l/etc/passwd"},
    {"l", "a/../..", "l/outside/secret"},
    {"a/b/l", "../../..", "a/b/l/outside/secret"},
    {"l", ".", "l/l/l/../outside/secret"},
    // dangling, and parents that are missing
    {"l", "../outside/new", "l"},
    {"l", "OUT/new", "l"},
    {"l", "../outside/newdir", "l/file"},
    {"l", "OUT/newdir", "l/sub/file"},
    {"l", "../outside/x/y/z", "l"},
    {"l", "../new", "l"},
    {"l", "nowhere/../../outside/secret", "l"},
    {"a/l", "../../new/deep", "a/l/file"},
    // loops
    {"l", "l", "l"},
    {"l", "l", "l/secret"},
    {"l", "l/../../outside/secret", "l"},
    {"l", "./l", "l/../../outside/secret"},
    // magic links
    {"l", "/proc/self/cwd", "l/secret"},
    {"l", "/proc/self/root", "l/etc/passwd"},
    {"l", "/proc/self/fd/0", "l"},
    {"l", "/proc/self/exe", "l"},
    {"l", "/dev/stdin", "l"},
    // an absolute way back in is refused as well: by then it is the link's word, not ours
    {"l", "ROOT/../outside/secret", "l"},
    {"l", "ROOTx/secret", "l"},
    {"l", "../root/../outside", "l/secret"},
    // inside: these work
    {"l", "a/file", "l", true},
    {"a/b/l", "../file", "a/b/l", true},
    {"l", "a", "l/file", true},
    {"l", "a/b/..", "l/file", true},
};

std::string expanded(std::string text, const TestWorkspace& bench) {
  const std::pair<std::string, std::string> words[] = {{"ROOT", bench.root()},
                                                       {"OUT", bench.outside()}};
  for (const auto& [word, path] : words)
    if (const std::size_t at = text.find(word); at != std::string::npos)
      text.replace(at, word.size(), path);
  return text;
}

}  // namespace

TEST_CASE("no layout of links leads a tool out of the workspace") {
  int refused = 0, worked = 0;
  for (const Resolver resolver : {Resolver::kernel, Resolver::walk}) {
    for (const Layout& layout : layouts) {
      TestWorkspace bench;
      fs::create_directories(bench.root() / "a/b");
      fs::create_symlink(expanded(layout.target, bench), bench.root() / layout.link);
      const auto before = snapshot(bench.outside());
      for (const char* name : {"read", "write", "edit", "list", "grep"}) {
        write_file(bench.root() / "a/file", "the treasure is a file");
        const auto root =
            std::make_shared<const Root>(bench.root(), std::vector<std::string>{}, resolver);
        const model::Tools tools{tools::read_tool(root, {}), tools::write_tool(root, {}),
                                 tools::edit_tool(root, {}), tools::list_tool(root, {}),
                                 tools::grep_tool(root, {})};
        CAPTURE(layout.target);
        CAPTURE(layout.path);
        CAPTURE(name);

        const model::ToolOutcome outcome = model::find_tool(tools, name)
                                               ->run(json_of({{"path", layout.path},
                                                              {"content", "new"},
                                                              {"pattern", "treasure"},
                                                              {"old_text", "treasure"},
                                                              {"new_text", "new"}}),
                                                     {});

        CHECK(text_of(outcome).find(bench.secret) == std::string::npos);
        CHECK(snapshot(bench.outside()) == before);
        CHECK(snapshot(bench.root().parent_path()).size() <= 12);
        CHECK(fs::is_symlink(bench.root() / layout.link));
        const bool is_file_tool = std::string_view(name) != "list";
        if (layout.inside && is_file_tool) CHECK_FALSE(outcome.is_error);
        if (!layout.inside) CHECK(outcome.is_error);
        (outcome.is_error ? refused : worked) += 1;
      }
    }
  }
  CHECK(refused >= 2 * 40 * 5);
  CHECK(worked == 2 * 4 * 4);
}

TEST_CASE("a hard link to a file outside is not written or edited") {
  for (const char* name : {"write", "edit"}) {
    TestWorkspace bench;
    fs::create_hard_link(bench.outside() / "secret", bench.root() / "twin");

    const model::ToolOutcome outcome = bench.call(
        name, {{"path", "twin"}, {"content", "x"}, {"old_text", "treasure"}, {"new_text", "x"}});

    CHECK(outcome.is_error);
    CHECK(read_file(bench.outside() / "secret") == bench.secret);
  }
}
