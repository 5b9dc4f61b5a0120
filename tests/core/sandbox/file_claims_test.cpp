#include "core/sandbox/file_claims.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "core/sandbox/sandbox.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::test;
using namespace skein::sandbox;
namespace fs = std::filesystem;

namespace {

const auto at_once = [] { return true; };  // nothing is waited for

struct Scene {
  TempDir dir{};
  FileClaims claims{(dir / "state/claims").string()};

  FileClaims::Claim command(const FileClaims::Reach& reach) const {
    return claims.by_command(reach, at_once);
  }
  int hook_error(const std::vector<std::string>& paths) const {
    return claims.by_hook(paths).error;
  }
};

}  // namespace

TEST_CASE("a hook does not begin while a command can replace its file") {
  const Scene scene;
  CHECK(scene.hook_error({"/w/scripts/h.sh"}) == 0);
  {
    const FileClaims::Claim command = scene.command({.areas = {"/w"}});
    CHECK(command.error == 0);
    CHECK(scene.hook_error({"/w/scripts/h.sh"}) == EAGAIN);
    CHECK(scene.hook_error({"/w"}) == EAGAIN);
    CHECK(scene.hook_error({"/v/scripts/h.sh"}) == 0);
    CHECK(scene.hook_error({"/v/a", "/w/b"}) == EAGAIN);
  }
  CHECK(scene.hook_error({"/w/scripts/h.sh"}) == 0);
}

TEST_CASE("a file that is read-only to a command is not claimed by it") {
  const Scene scene;
  const std::vector<std::string> trusted = {"/w/scripts/h.sh", "/w/.claude/hooks/x.py",
                                            "/w/late.sh"};
  const FileClaims::Claim command = scene.command(
      {.areas = {"/w", "/v"}, .read_only = {"/w/.claude", "/w/scripts/h.sh"}, .trusted = trusted});
  CHECK(scene.hook_error({"/w/scripts/h.sh"}) == 0);
  CHECK(scene.hook_error({"/w/scripts"}) == EAGAIN);  // another file can be made there
  CHECK(scene.hook_error({"/w/.claude/hooks/x.py", "/w/.claude/hooks"}) == 0);
  CHECK(scene.hook_error({"/w/late.sh"}) == EAGAIN);
  // An area around it: the folders between can be renamed.
  const FileClaims::Claim wide = scene.command(
      {.areas = {"/w/scripts", "/w"}, .read_only = {"/w/scripts/h.sh"}, .trusted = trusted});
  CHECK(scene.hook_error({"/w/scripts/h.sh"}) == EAGAIN);
}

TEST_CASE("a command does not begin while a hook runs a file that it could replace") {
  const Scene scene;
  const FileClaims::Claim hook = scene.claims.by_hook({"/w/scripts/h.sh"});
  CHECK(scene.hook_error({"/w/scripts/h.sh"}) == 0);  // hooks do not mind each other
  CHECK(scene.command({.areas = {"/w"}}).error == EAGAIN);
  CHECK(scene.command({.areas = {"/v"}}).error == 0);
  CHECK(scene
            .command(
                {.areas = {"/w"}, .read_only = {"/w/scripts/h.sh"}, .trusted = {"/w/scripts/h.sh"}})
            .error == 0);
}

TEST_CASE("claims are known to other processes and end with them") {
  const Scene scene;
  int ready[2], release[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(release) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const FileClaims::Claim command = scene.command({.areas = {"/w"}});
    char byte = command.error == 0 ? 'y' : 'n';
    if (write(ready[1], &byte, 1) != 1 || read(release[0], &byte, 1) < 0) _exit(1);
    _exit(0);
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  CHECK(byte == 'y');
  CHECK(scene.hook_error({"/w/h.sh"}) == EAGAIN);
  REQUIRE(write(release[1], &byte, 1) == 1);
  waitpid(child, nullptr, 0);
  CHECK(scene.hook_error({"/w/h.sh"}) == 0);
  for (const int fd : {ready[0], ready[1], release[0], release[1]}) close(fd);
}

TEST_CASE("without a file for claims there are none, and the error says why") {
  CHECK(FileClaims("").by_hook({"/w/h.sh"}).error == ENOENT);
  CHECK(FileClaims("/dev/null/claims").by_command({.areas = {"/w"}}, at_once).error == ENOTDIR);
}

TEST_CASE("a command that runs claims what its sandbox lets it replace") {
  for (const Sandbox sandbox : {Sandbox::bubblewrap, Sandbox::landlock, Sandbox::none}) {
    if (sandbox == Sandbox::bubblewrap && !bubblewrap_works()) continue;
    if (sandbox == Sandbox::landlock && landlock_version() == 0) continue;
    CAPTURE(name(sandbox));
    TestWorkspace bench;
    const std::string root = fs::canonical(bench.root()).string();
    const std::string trusted = root + "/scripts/h.sh", other = root + "/scripts/other.sh";
    write_file(trusted, "exit 0\n");
    write_file(other, "exit 0\n");
    const FileClaims claims((bench.outside() / "claims").string());
    bench.settings.sandbox = sandbox;
    bench.settings.claims = (bench.outside() / "claims").string();
    bench.settings.guarded = [&] { return std::vector{trusted}; };
    std::vector<int> errors;
    model::ToolPorts ports;
    ports.output = [&](std::string_view) {
      // The command has ended by then. What it changed is undone only after its output.
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      if (errors.empty()) errors = {claims.by_hook({trusted}).error, claims.by_hook({other}).error};
    };
    bench.call("bash", {{"command", "echo x"}}, ports);
    const int walled = sandbox == Sandbox::landlock ? EAGAIN : 0;
    const int open = sandbox == Sandbox::none ? 0 : EAGAIN;
    CHECK(errors == std::vector{walled, open});
    CHECK(claims.by_hook({trusted, other}).error == 0);

    // A hook that runs such a file keeps the command from starting.
    const FileClaims::Claim hook = claims.by_hook({other});
    // Stopped while it waits for the hook, not before: it looks at a few folders first.
    ports.stopped = [asked = 0]() mutable { return ++asked > 20; };
    const std::string text = text_of(bench.call("bash", {{"command", "echo x"}}, ports));
    CHECK((text.find("a hook runs files of the workspace") != std::string::npos) ==
          (sandbox != Sandbox::none));
  }
}
