// A command changes names as fast as the kernel allows, to be in the way when walls are built and
// when things are put back, while the user's own git replaces its configuration. When the command
// is over nothing may be left that git or a shell would run, and nothing outside may have changed.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/support/long_run.h"
#include "tests/support/sweep.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* evil = "[core]\n\tfsmonitor = touch marker\n";
constexpr const char* plain = "[core]\n\tbare = false\n";
constexpr const char* hook = "#!/bin/sh\n# mine\n";

void put_file(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0755);
  if (fd < 0) return;
  if (write(fd, text, std::string_view(text).size()) < 0) std::perror(path);
  close(fd);
}

void exchange(const char* a, const char* b) {
  renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

// What runs in the sandbox: one attempt after the other, in two processes at once; the second one
// is still at it when the command ends.
int attack(int attempts, const std::string& outside) {
  fs::create_directories("e/hooks");
  fs::create_directories("e/objects");
  put_file("e/HEAD", "ref: refs/heads/main\n");
  put_file("e/config", evil);
  put_file("e/hooks/pre-commit", evil);
  std::error_code ignored;
  fs::create_symlink(outside, "out", ignored);
  const bool second = fork() == 0;
  for (int i = 0; second || i < attempts; ++i) {
    switch ((i + (second ? 5 : 0)) % 10) {
      case 0: exchange(".git", "e"); break;
      case 1: exchange(".git/config", "e/config"); break;
      case 2: exchange(".git/hooks", "e/hooks"); break;
      case 3: put_file(".git/config", evil); break;
      case 4: put_file(".git/hooks/pre-commit", evil); break;
      case 5: put_file(".git/commondir", "../e\n"); break;
      case 6: exchange(".git/hooks", "out"); break;
      case 7: exchange("sub", "out"); break;
      case 8: put_file("sub/.envrc", evil); break;
      default: put_file(".envrc", evil); break;
    }
  }
  _exit(0);
}

class HostGit {
 public:
  explicit HostGit(const fs::path& git)
      : thread_([this, git] {
          for (; !done_; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
            const std::string draft = git / "config.lock";
            put_file(draft.c_str(), plain);
            rename(draft.c_str(), (git / "config").c_str());
          }
        }) {}
  ~HostGit() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

std::string first_wrong(const TestWorkspace& bench) {
  const fs::path root = bench.root();
  // Every file that git or a shell would take for its own.
  for (const auto& [file, bytes] : snapshot(root)) {
    const fs::path path = file;
    const std::string name = path.filename();
    // The user's folder is known by the file in it; the command's own are its own affair.
    const bool users = path.parent_path().empty() || fs::exists(root / path.parent_path() / "file");
    const bool run = (name == ".envrc" && users) ||
                     (name == "config" && path.parent_path() == ".git") ||
                     (path.parent_path() == ".git/hooks" && name == "pre-commit");
    if (run && bytes.find("fsmonitor") != std::string::npos) return file;
  }
  if (fs::exists(root / ".git/commondir")) return ".git/commondir";
  return "";
}

void furnish(TestWorkspace& bench) {
  const fs::path git = bench.root() / ".git";
  fs::create_directories(git / "objects");
  fs::create_directories(git / "refs");
  write_file(git / "HEAD", "ref: refs/heads/main\n");
  write_file(git / "config", plain);
  write_file(git / "hooks/pre-commit", hook);
  write_file(bench.root() / ".envrc", "export A=1\n");
  write_file(bench.root() / "sub/file", "");
  bench.settings.quarantine = bench.outside().string() + "-quarantine";
}

}  // namespace

int main(int count, char** words) {
  if (count == 3) return attack(std::atoi(words[1]), words[2]);
  setenv("TMPDIR", "/var/tmp", 1);  // not the /tmp that is private in the sandbox
  const int rounds = long_run() ? 100 : 4, attempts = long_run() ? 1000 : 100;
  Sweep sweep("guard race");
  for (const sandbox::Sandbox sandbox :
       {sandbox::Sandbox::bubblewrap, sandbox::Sandbox::landlock}) {
    if (sandbox == sandbox::Sandbox::bubblewrap ? !sandbox::bubblewrap_works()
                                                : sandbox::landlock_version() == 0)
      continue;
    for (int round = 0; round < rounds; ++round) {
      TestWorkspace bench;
      furnish(bench);
      bench.settings.sandbox = sandbox;
      const auto outside = snapshot(bench.outside());
      const std::string command = fs::canonical("/proc/self/exe").string() + " " +
                                  std::to_string(attempts) + " " + bench.outside().string();
      {
        const HostGit host(bench.root() / ".git");
        bench.call("bash", {{"command", command}});
      }
      sweep.check(first_wrong(bench).empty(), [&] { return first_wrong(bench); });
      sweep.check(snapshot(bench.outside()) == outside, [] { return "changed outside"; });
      sweep.count(static_cast<std::size_t>(attempts));
    }
  }
  return sweep.end("attempts");
}
