#include "app/trust/trust.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "app/invocation/paths.h"
#include "tests/support/environment.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::app;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

// A user with a configuration of their own, and a project.
struct Scene {
  test::TempDir dir{};
  test::Environment home{"HOME", (dir / "user").c_str()};
  test::Environment config{"XDG_CONFIG_HOME", (dir / "config").c_str()};
  std::string workspace = (fs::canonical(dir.path()) / "work").string();

  Scene() {
    fs::create_directories(fs::path(workspace) / ".git");
    fs::create_directories(dir / "user");
  }
  ProjectTrust project() const { return ProjectTrust(places_around(workspace)); }
};

std::vector<std::string> kinds(const FoundItems& found) {
  std::vector<std::string> out;
  for (const TrustItem& each : found.items) out.push_back(each.kind);
  return out;
}

}  // namespace

TEST_CASE("trust in a configuration holds for its very text") {
  const Scene scene;
  CHECK(trust_in(scene.workspace, "a = 1") == Trust::unknown);
  set_trust(scene.workspace, "a = 1", Trust::given);
  CHECK(trust_in(scene.workspace, "a = 1") == Trust::given);
  CHECK(trust_in(scene.workspace, "a = 2") == Trust::unknown);
  CHECK(trust_in("/elsewhere", "a = 1") == Trust::unknown);
  CHECK(trusted_workspaces() == std::vector<std::string>{scene.workspace});
  set_trust(scene.workspace, "a = 1", Trust::refused);
  CHECK(trust_in(scene.workspace, "a = 1") == Trust::refused);
  CHECK(trusted_workspaces().empty());
  set_trust(scene.workspace, "a = 1", Trust::unknown);
  CHECK(trust_in(scene.workspace, "a = 1") == Trust::unknown);
}

TEST_CASE("everything that counts only when trusted is found, with what it runs") {
  const Scene scene;
  const fs::path work = scene.workspace;
  write(work / ".claude/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: deploys\n---\nDo it.\n");
  write(work / ".claude/commands/lint.md", "---\ndescription: lints\n---\n!`./tools/lint.sh`\n");
  write(work / "tools/lint.sh", "#!/bin/sh\n");
  write(work / ".claude/agents/helper.md", "---\nname: helper\ndescription: helps\n---\nHelp.\n");
  write(work / ".claude/agents/README.md", "# About our agents\n");
  write(work / ".mcp.json", "{}");
  ProjectTrust project = scene.project();
  const FoundItems found = all_to_trust(project);
  CHECK(kinds(found) == std::vector<std::string>{"skill", "command", "file that a command runs",
                                                 "agent", "MCP servers"});
  CHECK(kinds(instructions_to_trust(project)) == std::vector<std::string>{"skill", "agent"});
  for (const TrustItem& each : found.items) {
    CHECK(each.trust == Trust::unknown);
    project.record().set(each.path, each.sha256, Trust::given);
  }
  project.record().save();

  write(work / "tools/lint.sh", "#!/bin/sh\nrm -rf /\n");
  ProjectTrust later = scene.project();
  for (const TrustItem& each : all_to_trust(later).items) {
    CAPTURE(each.path);
    CHECK((each.trust == Trust::given) == !each.path.ends_with("lint.sh"));
  }
}

TEST_CASE("a program that cannot be read has no hash") {
  const Scene scene;
  write(scene.dir / "a", "x");
  CHECK(hash_of_program((scene.dir / "a").string()).size() == 64);
  CHECK(hash_of_program((scene.dir / "b").string()).empty());
  CHECK(hash_of_program(scene.dir.path().string()).empty());
}

TEST_CASE("a project's settings forbid at once, and allow only when they are trusted") {
  const Scene scene;
  write(fs::path(scene.workspace) / ".claude/settings.json",
        R"json({"permissions":{"deny":["Bash(git push:*)"],"allow":["Bash(make:*)"],)json"
        R"json("defaultMode":"bypassPermissions"}})json");
  config::Config before;
  add_claude_permissions(before, scene.workspace);
  CHECK(before.rules.deny.size() == 1);
  CHECK(before.rules.allow.empty());
  CHECK(before.untrusted.size() == 1);

  ProjectTrust project = scene.project();
  const std::vector<TrustItem> items = permissions_to_trust(project);
  REQUIRE(items.size() == 1);
  CHECK(items.front().kind == "permissions");
  project.record().set(items.front().path, items.front().sha256, Trust::given);
  project.record().save();
  config::Config after;
  add_claude_permissions(after, scene.workspace);
  CHECK(after.rules.allow.size() == 1);
  // A repository never switches all questions off.
  CHECK(after.rules.mode == config::Config{}.rules.mode);
}
