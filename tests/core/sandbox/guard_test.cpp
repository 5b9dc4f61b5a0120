#include "core/sandbox/guard.h"
#include "core/text/io.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "core/process/private_temporary.h"
#include "tests/support/environment.h"
#include "tests/support/process.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::sandbox;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

// Both sandboxes, as far as this machine has them.
std::vector<Sandbox> sandboxes() {
  std::vector<Sandbox> found;
  if (bubblewrap_works()) found.push_back(Sandbox::bubblewrap);
  if (landlock_version() > 0) found.push_back(Sandbox::landlock);
  return found;
}

// The only bundle in a quarantine.
fs::path bundle_in(const fs::path& quarantine) {
  return fs::directory_iterator(quarantine)->path();
}

}  // namespace

TEST_CASE("what editors, direnv and husky run is put back as it was, and the user is told") {
  const Environment temporary("TMPDIR", "/var/tmp");
  for (const Sandbox sandbox : sandboxes()) {
    for (const char* command :
         {"echo x > .envrc", "echo x >> sub/.envrc", "rm .envrc", "mv .envrc e; echo x > .envrc",
          "mkdir .husky; echo x > .husky/pre-commit", "echo x > .vscode/tasks.json",
          "rm -rf .vscode; ln -s /tmp .vscode", "echo x > .vscode/deep/er", "chmod 0 .vscode",
          "mkdir .idea", "echo x > .devcontainer", "mkdir sub/.vscode; echo x > sub/.vscode/a",
          "mv sub s; mkdir sub; cp s/.envrc sub; echo x >> sub/.envrc; rm -rf s", "echo x > .ENVRC",
          "mkfifo sub/.idea", "ln -s ../.envrc .vscode/link"}) {
      CAPTURE(command);
      TestWorkspace bench;
      bench.settings.sandbox = sandbox;
      bench.settings.quarantine = bench.outside() / "quarantine";
      write_file(bench.root() / ".envrc", "export A=1\n");
      write_file(bench.root() / "sub/.envrc", "export B=1\n");
      write_file(bench.root() / ".vscode/settings.json", "{}");
      write_file(bench.root() / ".vscode/deep/er", "deep");
      const auto before = snapshot(bench.root());

      const model::ToolOutcome outcome = bench.call("bash", {{"command", command}});

      // Walled off or taken back: the command has failed, or the user knows.
      CHECK((outcome.is_error || !outcome.notice.empty()));
      CHECK((text_of(outcome).find(outcome.notice) != std::string::npos));
      auto after = snapshot(bench.root());
      after.erase("e");
      CHECK(after == before);
    }
  }
}

TEST_CASE("what is taken back is kept in quarantine") {
  const Environment temporary("TMPDIR", "/var/tmp");
  for (const char* folder : {"/var/tmp", "/dev/shm"}) {  // the same file system, and another
    if (sandboxes().empty() || access(folder, W_OK) != 0) continue;
    TestWorkspace bench;
    const Environment elsewhere("TMPDIR", folder);
    const TempDir quarantine;
    bench.settings.sandbox = sandboxes().front();
    bench.settings.quarantine = quarantine / "q";

    const model::ToolOutcome outcome = bench.call(
        "bash", {{"command", "mkdir -p .husky/_; echo hook > .husky/_/pre-commit; ln -s a .idea"}});

    const fs::path bundle = bundle_in(quarantine / "q");
    CHECK(outcome.notice ==
          "the command changed files that other programs run automatically, and skein restored "
          "them: .husky, .idea; what the command wrote is in " +
              bundle.string());
    CHECK(read_file(bundle / ".husky/_/pre-commit") == "hook\n");
    CHECK(fs::read_symlink(bundle / ".idea") == "a");
    CHECK(fs::is_empty(bench.root()));
  }
}

TEST_CASE("a file that says what the model is kept from is not called something that runs") {
  if (sandboxes().empty()) return;
  const Environment temporary("TMPDIR", "/var/tmp");
  const auto notice_of = [](const char* command) {
    TestWorkspace bench;
    bench.settings.sandbox = sandboxes().front();
    return bench.call("bash", {{"command", command}}).notice;
  };
  CHECK(notice_of("echo '!*' > .skeinignore")
            .starts_with("the command changed files that hide files from the model, and skein"));
  CHECK(notice_of("echo '!*' > .skeinignore; mkdir .husky; echo x > .husky/a")
            .starts_with("the command changed files that other programs run automatically or that "
                         "hide files from the model, and skein"));
}

TEST_CASE("where there is no quarantine a thing stays under a name that means nothing") {
  if (sandboxes().empty()) return;
  const Environment temporary("TMPDIR", "/var/tmp");
  TestWorkspace bench;
  bench.settings.sandbox = sandboxes().front();

  const model::ToolOutcome outcome = bench.call("bash", {{"command", "echo x > .envrc"}});

  CHECK(outcome.notice.find(".set-aside") != std::string::npos);
  CHECK_FALSE(fs::exists(bench.root() / ".envrc"));
  const auto left = snapshot(bench.root());
  REQUIRE(left.size() == 1);
  CHECK(left.begin()->first.starts_with(".envrc.set-aside-"));
}

TEST_CASE("a project that a command unpacks keeps its files") {
  const Environment temporary("TMPDIR", "/var/tmp");
  for (const Sandbox sandbox : sandboxes()) {
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;
    fs::create_directories(bench.root() / "node_modules/old");
    for (const char* command :
         {"mkdir -p new/.vscode; echo 1 > new/.vscode/a; echo 2 > new/.envrc",
          "echo 3 > new/.envrc; mkdir -p node_modules/old/.idea; mv new newer"}) {
      const model::ToolOutcome outcome = bench.call("bash", {{"command", command}});
      CHECK(text_of(outcome) == "[no output]");
      CHECK(outcome.notice == "");
    }
    CHECK(read_file(bench.root() / "newer/.envrc") == "3\n");
  }
}

TEST_CASE("a folder that a command renames is still the user's") {
  const Environment temporary("TMPDIR", "/var/tmp");
  for (const Sandbox sandbox : sandboxes()) {
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;
    bench.settings.quarantine = bench.outside() / "quarantine";
    write_file(bench.root() / "sub/.envrc", "mine");
    write_file(bench.root() / "plain/file", "");
    CHECK(bench.call("bash", {{"command", "mv sub sub2"}}).notice == "");
    CHECK(read_file(bench.root() / "sub2/.envrc") == "mine");

    CHECK(bench.call("bash", {{"command", "mv plain p; echo x > p/.envrc"}}).notice != "");
    CHECK(bench.call("bash", {{"command", "echo x > sub2/.envrc; mv sub2 sub3"}}).notice != "");

    CHECK_FALSE(fs::exists(bench.root() / "p/.envrc"));
    CHECK(read_file(bench.root() / "sub3/.envrc") == "mine");
  }
}

TEST_CASE("a trusted file is read-only to every command that starts after it was trusted") {
  if (!bubblewrap_works()) return;
  TestWorkspace bench;
  bench.settings.sandbox = Sandbox::bubblewrap;
  const std::string root = fs::canonical(bench.root()).string();
  const std::string script = root + "/tools/deep/h.sh", hook = root + "/hooks/pre-commit";
  write_file(script, "good");
  write_file(hook, "good");
  write_file(bench.root() / ".git/HEAD", "ref: refs/heads/main\n");
  write_file(bench.root() / ".git/objects/x", "");
  write_file(bench.root() / ".git/config", "[core]\n\thooksPath = hooks\n");
  std::vector<std::string> trusted;
  bench.settings.guarded = [&] { return trusted; };
  CHECK(bench.result("bash", {{"command", "echo good > tools/deep/h.sh && echo did"}}) == "did\n");
  trusted = {script, hook};
  for (const char* command :
       {"echo evil > tools/deep/h.sh", "echo evil > x; mv -f x tools/deep/h.sh",
        "rm -f tools/deep/h.sh", "mv tools/deep tools/other", "mv tools t",
        "ln tools/deep/h.sh other && echo evil > other", "echo evil > hooks/pre-commit",
        "mv hooks h", "echo evil > x; mv -f x hooks/pre-commit"}) {
    CAPTURE(command);
    CHECK(bench.call("bash", {{"command", command}}).is_error);
    CHECK(read_file(script).starts_with("good"));
    CHECK(read_file(hook) == "good");
  }
  CHECK(bench.result("bash", {{"command", "echo x > tools/deep/new && echo did"}}) == "did\n");
}

TEST_CASE("what changes between two commands is the user's") {
  if (sandboxes().empty()) return;
  const Environment temporary("TMPDIR", "/var/tmp");
  TestWorkspace bench;
  bench.settings.sandbox = sandboxes().front();
  write_file(bench.root() / ".envrc", "1");
  CHECK(bench.call("bash", {{"command", "true"}}).notice == "");
  write_file(bench.root() / ".envrc", "2");
  write_file(bench.root() / "new/.vscode/settings.json", "{}");
  write_file(bench.root() / "new/.git/hooks/pre-commit", "mine");
  const auto before = snapshot(bench.root());

  CHECK(bench.call("bash", {{"command", "true"}}).notice == "");

  CHECK(snapshot(bench.root()) == before);
}

TEST_CASE("start-up files in a home that is the workspace need no placeholders") {
  const Environment temporary("TMPDIR", "/var/tmp");
  for (const Sandbox sandbox : sandboxes()) {
    TestWorkspace bench, other;
    const Environment home("HOME", bench.root().c_str());
    bench.settings.sandbox = other.settings.sandbox = sandbox;
    bench.settings.quarantine = bench.outside() / "quarantine";
    other.settings = bench.settings;  // a second skein in the same folder
    write_file(bench.root() / ".bashrc", "# mine\n");
    const auto before = snapshot(bench.root());
    std::map<std::string, std::string> meanwhile;
    model::ToolPorts ports;
    ports.output = [&](std::string_view text) {
      if (text != "ready\n") return;
      meanwhile = snapshot(bench.root());
      CHECK(other.call("bash", {{"command", "true"}}).notice == "");
      write_file(bench.root() / "go", "");
    };

    const model::ToolOutcome outcome =
        bench.call("bash",
                   {{"command",
                     "echo ready; until test -e go; do sleep 0.01; done; rm go; echo x > .zshenv;"
                     "mkdir -p .config/git; echo x > .config/git/config; echo x >> .bashrc; echo x "
                     "> .profile"}},
                   ports);

    CHECK(meanwhile == before);
    CHECK(outcome.notice.find(".zshenv") != std::string::npos);
    auto after = snapshot(bench.root());
    after.erase(".config");
    CHECK(after == before);
  }
}

TEST_CASE("a folder that became a link on the way is not followed when things are put back") {
  if (landlock_version() == 0) return;
  const Environment temporary("TMPDIR", "/var/tmp");
  TestWorkspace bench;
  bench.settings.sandbox = Sandbox::landlock;
  write_file(bench.root() / "sub/.envrc", "1");
  const auto outside = snapshot(bench.outside());

  bench.call("bash", {{"command", "mv sub s; ln -s " + bench.outside().string() + " sub"}});

  CHECK(snapshot(bench.outside()) == outside);
}

TEST_CASE("a command ends with a skein that is killed, and leaves only what the next one removes") {
  if (!is_installed("flock")) return;
  for (const Sandbox sandbox : sandboxes()) {
    TempDir dir;
    const fs::path workspace = dir / "workspace";
    fs::create_directories(workspace);
    fs::create_directories(dir / "tmp");
    write_file(workspace / "lock", "");
    const Environment temporary("TMPDIR", (dir / "tmp").c_str());
    const Environment home("HOME", workspace.c_str());
    const pid_t process = start([&] {
      tools::ToolSettings settings{.root = workspace, .sandbox = sandbox};
      const model::Tools tools = tools::standard_tools(settings);
      model::find_tool(tools, "bash")
          ->run(json_of({{"command", "exec 9<lock; flock 9; touch ready; sleep 1000"}}), {});
      return 0;
    });
    const auto until = [](auto condition) {
      for (int i = 0; i < 12'000 && !condition(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return condition();
    };
    REQUIRE(until([&] { return fs::exists(workspace / "ready"); }));
    CHECK(snapshot(workspace).size() == 2);

    kill(process, SIGKILL);
    status_of(process);

    const Fd lock(open((workspace / "lock").c_str(), O_RDONLY | O_CLOEXEC));
    CHECK(until([&] { return flock(lock.get(), LOCK_EX | LOCK_NB) == 0; }));
    CHECK(snapshot(workspace).size() == 2);
    CHECK(std::distance(fs::directory_iterator(dir / "tmp"), fs::directory_iterator()) == 1);
    {  // the supervisor holds on to it until everything has ended
      const fs::path left = fs::directory_iterator(dir / "tmp")->path();
      const Fd folder(open(left.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      CHECK(until([&] { return flock(folder.get(), LOCK_EX | LOCK_NB) == 0; }));
    }
    process::PrivateTemporary next, another;
    CHECK(fs::is_directory(next.path()));
    CHECK(fs::is_directory(another.path()));
    CHECK(fs::is_directory(next.path()));  // its owner lives
    CHECK(std::distance(fs::directory_iterator(dir / "tmp"), fs::directory_iterator()) == 2);
  }
}
