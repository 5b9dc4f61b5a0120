// Folders that are open besides the workspace: first of all what stays out of reach.
#include "core/workspace/roots.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>

#include "core/model/tool.h"
#include "core/permission/policy.h"
#include "core/text/json.h"
#include "core/tools/tools.h"
#include "tests/support/environment.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::workspace;
using sandbox::Sandbox;
using Verdict = permission::Decision::Verdict;
namespace fs = std::filesystem;

namespace {

// Not below /tmp, which is private in bubblewrap.
struct Room {
  test::Environment elsewhere{"TMPDIR", "/var/tmp"};
  test::TempDir dir{};
  std::string top = fs::canonical(dir.path()).string();
  std::string ws = top + "/ws", lib = top + "/lib", docs = top + "/docs", own = top + "/own";
  test::Environment home{"HOME", top.c_str()};
  std::shared_ptr<AdditionalDirectories> further = std::make_shared<AdditionalDirectories>(
      AdditionalDirectories::Settings{ws, {own}, {.workspace = ws, .names = {".skeinignore"}}});
  std::optional<Sandbox> sandbox{};

  Room() {
    for (const std::string& file : {ws + "/src/a.c", lib + "/src/a.c", docs + "/a.md"})
      test::write_file(file, "words of " + fs::path(file).parent_path().string() + "\n");
    test::write_file(own + "/transcripts/s", "the treasure\n");
    test::write_file(top + "/beside/secret", "the treasure\n");
    test::write_file(lib + "/.git/config", "[core]\n");
    test::write_file(lib + "/.skeinignore", "private/\n");
    test::write_file(lib + "/private/plan", "the treasure\n");
    fs::create_symlink(top + "/beside/secret", lib + "/out");
    fs::create_symlink("../beside", lib + "/up");
    fs::create_symlink("../ws", lib + "/to_ws");
    fs::create_symlink(lib, ws + "/to_lib");
  }
  void open_both() { REQUIRE(further->set({{lib, false}, {docs, true}}).empty()); }
  model::Tools tools() const {
    return tools::standard_tools(
        {.root = ws, .forbidden = {own}, .sandbox = sandbox, .further = further});
  }
  model::ToolOutcome call(const char* tool, const Json& input,
                          const model::ToolPorts& ports = {}) const {
    return model::find_tool(tools(), tool)->run(dump(input), ports);
  }
  bool fails(const char* tool, const Json& input) const { return call(tool, input).is_error; }
  std::string text(const char* tool, const Json& input) const {
    std::string out;
    for (const model::ResultBlock& block : call(tool, input).content)
      if (const auto* piece = std::get_if<model::Text>(&block)) out += piece->text;
    return out;
  }
  permission::Decision decided(const char* tool, const Json& input,
                               permission::Rules rules = {}) const {
    rules.sandboxed = true;
    return permission::decide(rules, tools(), {"1", tool, dump(input)});
  }
  std::string refusal(const std::string& path) const {
    try {
      further->checked(path, false);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
};

}  // namespace

TEST_CASE("what must never be opened is refused") {
  Room room;
  CHECK(room.refusal("/").find("whole machine") != std::string::npos);
  CHECK(room.refusal("/proc/self").find("kernel") != std::string::npos);
  CHECK(room.refusal("/dev").find("kernel") != std::string::npos);
  CHECK(room.refusal(room.own).find("skein's own") != std::string::npos);
  CHECK(room.refusal(room.own + "/transcripts").find("skein's own") != std::string::npos);
  fs::create_symlink(room.own + "/transcripts", room.top + "/innocent");
  CHECK(room.refusal(room.top + "/innocent").find("skein's own") != std::string::npos);
  CHECK(room.refusal(room.top + "/lib/../own").find("skein's own") != std::string::npos);
  CHECK(room.refusal(room.ws).find("in the workspace") != std::string::npos);
  CHECK(room.refusal(room.ws + "/src").find("in the workspace") != std::string::npos);
  CHECK(room.refusal(room.lib + "/private").find("hidden from the model") != std::string::npos);
  CHECK(room.refusal(room.top + "/nowhere").find("does not exist") != std::string::npos);
  CHECK(room.refusal(room.lib + "/src/a.c").find("not a folder") != std::string::npos);
  CHECK_FALSE(room.refusal("").empty());
  CHECK(room.refusal(room.lib + "/.git").find("automatically") != std::string::npos);
  CHECK(room.further->checked(room.lib + "/.git", true).read_only);
  CHECK(room.refusal(room.lib).empty());
  CHECK(room.refusal("~/lib/").empty());
  room.open_both();
  CHECK(room.refusal(room.lib + "/src").find("open already") != std::string::npos);
  CHECK(room.refusal(room.top).find("holds") != std::string::npos);
}

TEST_CASE("the home folder is wide, and so is what holds it") {
  Room room;
  CHECK(AdditionalDirectories::is_wide({room.top}));
  CHECK(AdditionalDirectories::is_wide({fs::path(room.top).parent_path().string()}));
  CHECK_FALSE(AdditionalDirectories::is_wide({room.lib}));
}

TEST_CASE("a folder that is gone, or leads elsewhere by now, is named and left out") {
  Room room;
  fs::create_symlink(room.top + "/beside", room.top + "/moved");
  const auto left_out =
      room.further->set({{room.top + "/gone"}, {room.lib}, {room.top + "/moved"}, {room.own}});
  CHECK(left_out.size() == 3);
  CHECK(room.further->folders() == std::vector<AdditionalDirectory>{{room.lib}});
}

TEST_CASE("tools work in a further folder, and no link leads out of it or into it") {
  Room room;
  CHECK(room.fails("read", {{"path", room.lib + "/src/a.c"}}));
  room.open_both();
  CHECK(room.text("read", {{"path", room.lib + "/src/a.c"}}).starts_with("words of"));
  CHECK(room.text("list", {{"path", room.docs}}).find(room.docs) != std::string::npos);
  CHECK(room.text("grep", {{"path", room.lib}, {"pattern", "words"}}).find("src/a.c") !=
        std::string::npos);
  CHECK_FALSE(room.fails("write", {{"path", room.lib + "/new/b"}, {"content", "x"}}));
  CHECK(test::read_file(room.lib + "/new/b") == "x");
  for (const std::string& path :
       {room.lib + "/out", room.lib + "/up/secret", room.lib + "/../beside/secret",
        room.lib + "/src/../../beside/secret", room.lib + "/to_ws/src/a.c", room.lib + "x",
        room.top + "/beside/secret", room.own + "/transcripts/s",
        room.lib + "/../own/transcripts/s", room.ws + "/to_lib/src/a.c",
        std::string("to_lib/src/a.c"), room.lib + "/private/plan"}) {
    CAPTURE(path);
    CHECK(room.fails("read", {{"path", path}}));
    CHECK(room.fails("edit", {{"path", path}, {"old_text", "treasure"}, {"new_text", "x"}}));
    CHECK(room.fails("write", {{"path", path + "/x"}, {"content", "x"}}));
  }
  CHECK(room.text("grep", {{"path", room.lib}, {"pattern", "treasure"}}).find("treasure\n") ==
        std::string::npos);
  room.further->set({});
  CHECK(room.fails("read", {{"path", room.lib + "/src/a.c"}}));
}

TEST_CASE("what a repository keeps from the model is kept in a folder of it that is opened") {
  Room room;
  test::write_file(room.lib + "/.skeinignore", "private/\n/src/a.*\n");
  test::write_file(room.lib + "/src/b.c", "words\n");
  REQUIRE(room.further->set({{room.lib + "/src"}}).empty());
  CHECK(room.fails("read", {{"path", room.lib + "/src/a.c"}}));
  CHECK_FALSE(room.fails("read", {{"path", room.lib + "/src/b.c"}}));
}

TEST_CASE("a folder that may only be read is not changed, in no mode") {
  Room room;
  room.open_both();
  const std::string file = room.docs + "/a.md";
  CHECK_FALSE(room.fails("read", {{"path", file}}));
  CHECK(room.fails("write", {{"path", file}, {"content", "x"}}));
  CHECK(room.fails("edit", {{"path", file}, {"old_text", "words"}, {"new_text", "x"}}));
  CHECK(test::read_file(file).starts_with("words"));
  const permission::Rules edits{.mode = permission::Mode::accept_edits};
  CHECK(room.decided("write", {{"path", file}, {"content", "x"}}, edits).verdict == Verdict::deny);
  CHECK(room.decided("write", {{"path", file}, {"content", "x"}}, {.allow = {{"write"}}}).verdict ==
        Verdict::deny);
}

TEST_CASE("rules judge a further folder as they judge the workspace") {
  Room room;
  room.open_both();
  const Json file{{"path", room.lib + "/src/a.c"}};
  const Json write{{"path", room.lib + "/src/a.c"}, {"content", "x"}};
  const permission::Rules edits{.mode = permission::Mode::accept_edits};
  CHECK(room.decided("read", file).verdict == Verdict::allow);
  CHECK(room.decided("write", write).verdict == Verdict::ask);
  CHECK(room.decided("write", write, edits).verdict == Verdict::allow);
  CHECK(room.decided("write", write, {.allow = {{"write"}}}).verdict == Verdict::allow);
  CHECK(room.decided("write", write, {.allow = {{"write", "/" + room.lib + "/src/*"}}}).verdict ==
        Verdict::allow);
  // What allows a place in the workspace does not allow one of the same name here; what forbids it
  // does.
  CHECK(room.decided("write", write, {.allow = {{"write", "src/*"}}}).verdict == Verdict::ask);
  CHECK(room.decided("read", file, {.deny = {{"read", "src/*"}}}).verdict == Verdict::deny);
  CHECK(room.decided("read", file, {.deny = {{"read", "/" + room.lib + "/*"}}}).verdict ==
        Verdict::deny);
  // What runs by itself is asked about, and what is withheld is refused.
  for (const char* name : {"/.git/config", "/.claude/settings.json", "/.mcp.json", "/.skein/x"})
    CHECK(room.decided("write", {{"path", room.lib + name}, {"content", "x"}}, edits).verdict ==
          Verdict::ask);
  CHECK(room.decided("read", {{"path", room.lib + "/private/plan"}},
                     {.mode = permission::Mode::bypass})
            .verdict == Verdict::deny);
  CHECK(room.decided("read", {{"path", room.lib + "/key.pem"}}).verdict == Verdict::ask);
}

TEST_CASE("a search leaves out what a rule forbids in a further folder") {
  Room room;
  room.open_both();
  const Json search{{"path", room.lib}, {"pattern", "words"}};
  for (const std::string& pattern : {std::string("src/*"), "/" + room.lib + "/src/*"}) {
    CAPTURE(pattern);
    const permission::Rules rules{.deny = {{"read", pattern}}};
    const model::Tools tools = room.tools();
    model::ToolPorts ports;
    ports.denied = permission::denied_places(rules, tools, {"1", "grep", dump(search)});
    REQUIRE(ports.denied);
    const model::ToolOutcome found = model::find_tool(tools, "grep")->run(dump(search), ports);
    CHECK(std::get<model::Text>(found.content.at(0)).text.find("a.c:") == std::string::npos);
  }
}

TEST_CASE("what was judged in one folder is not done in another, and its files are not kept") {
  Room room;
  room.open_both();
  bool kept = false;
  model::ToolPorts ports;
  ports.before_write = [&](const model::FileBefore&) { return kept = true, std::string{}; };
  const Json write{{"path", room.lib + "/src/a.c"}, {"content", "x"}};
  for (const std::string& judged :
       {std::string("src/a.c"), model::further_place(room.docs, "src/a.c"), std::string{}}) {
    ports.judged = judged;
    CHECK(room.call("write", write, ports).is_error);
  }
  ports.judged = room.decided("write", write).place;
  CHECK(*ports.judged == model::further_place(room.lib, "src/a.c"));
  CHECK_FALSE(room.call("write", write, ports).is_error);
  CHECK_FALSE(kept);
}

TEST_CASE("commands can use a further folder, and get no further") {
  for (const Sandbox wall : {Sandbox::bubblewrap, Sandbox::landlock}) {
    if (wall == Sandbox::bubblewrap ? !sandbox::bubblewrap_works()
                                    : sandbox::landlock_version() < 3) {
      MESSAGE("SKIPPED: a sandbox this machine does not have");
      continue;
    }
    CAPTURE(sandbox::name(wall));
    Room room;
    room.sandbox = wall;
    const auto run = [&](const std::string& command) {
      return room.call("bash", {{"command", command}});
    };
    CHECK(run("echo x > " + room.lib + "/src/b").is_error);
    room.open_both();
    CHECK_FALSE(run("echo x > " + room.lib + "/src/b").is_error);
    CHECK(test::read_file(room.lib + "/src/b") == "x\n");
    CHECK_FALSE(run("cat " + room.docs + "/a.md").is_error);
    CHECK(run("echo x > " + room.docs + "/a.md").is_error);
    CHECK(run("rm -r " + room.docs + "/a.md").is_error);
    CHECK(run("echo x > " + room.top + "/beside/secret").is_error);
    CHECK(run("cat " + room.own + "/transcripts/s").is_error);
    if (wall == Sandbox::bubblewrap)  // Landlock cannot: there every command is asked about
      CHECK(run("cat " + room.lib + "/private/plan").is_error);
    // What other programs run by themselves is taken back.
    run("printf '[core]\\n\\tfsmonitor = evil\\n' > " + room.lib + "/.git/config; mkdir -p " +
        room.lib + "/.git/hooks; echo evil > " + room.lib + "/.git/hooks/pre-commit; echo x > " +
        room.lib + "/.skeinignore");
    CHECK(test::read_file(room.lib + "/.git/config") == "[core]\n");
    CHECK_FALSE(fs::exists(room.lib + "/.git/hooks/pre-commit"));
    CHECK(test::read_file(room.lib + "/.skeinignore") == "private/\n");
  }
}

TEST_CASE("a folder that holds skein's own files and the workspace opens neither") {
  Room room;
  REQUIRE(room.further->set({{room.top}}).empty());
  CHECK_FALSE(room.fails("read", {{"path", room.top + "/beside/secret"}}));
  CHECK(room.fails("read", {{"path", room.own + "/transcripts/s"}}));
  CHECK(room.fails("list", {{"path", room.own}}));
  CHECK(room.fails("write", {{"path", room.own + "/transcripts/t"}, {"content", "x"}}));
  CHECK(room.text("grep", {{"path", room.top}, {"pattern", "treasure"}}).find("transcripts/s:") ==
        std::string::npos);
  // The workspace is called as ever.
  CHECK(*room.decided("read", {{"path", room.ws + "/src/a.c"}}).place == "src/a.c");
  if (sandbox::best_sandbox() == Sandbox::none) return;
  CHECK(room.fails("bash", {{"command", "cat " + room.own + "/transcripts/s"}}));
  CHECK_FALSE(room.fails("bash", {{"command", "echo x > src/new"}}));
}

TEST_CASE("a program in a further folder is not the machine's own") {
  Room room;
  test::write_file(room.lib + "/bin/cat", "#!/bin/sh\n");
  fs::permissions(room.lib + "/bin/cat", fs::perms::owner_all);
  const test::Environment path("PATH", (room.lib + "/bin:/usr/bin:/bin").c_str());
  const auto own = [&] {
    const model::Tools tools = room.tools();
    return model::find_tool(tools, "bash")->survey.installed("cat");
  };
  CHECK(own());
  room.open_both();
  CHECK_FALSE(own());
}
