#include "core/sandbox/sandbox.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "core/process/child.h"
#include "core/process/running_program.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::sandbox;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

// A variable that has its old value again afterwards.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }

 private:
  const char* name_;
  std::string old_;
};

// What a command might try, with OUT (a folder outside) and SESSIONS (the session home, inside the
// workspace). None of it may change anything outside; the second list nothing protected inside.
const std::vector<std::string> outward{
    "echo x > OUT/secret",
    "echo x >> OUT/secret",
    "echo x > OUT/new",
    "mkdir OUT/d",
    "rm OUT/secret",
    "rm -rf OUT",
    "mv OUT/secret OUT/moved",
    "mv OUT OUT2",
    "mv OUT/secret .",
    "cp /bin/true OUT/true",
    "ln -s x OUT/link",
    "ln OUT/secret OUT/twin",
    "ln OUT/secret ./twin && echo x > ./twin",
    "ln -s OUT/secret l; echo x > l",
    "ln -s OUT d; echo x > d/new",
    "ln -s OUT d; rm -rf d/",
    "truncate -s 0 OUT/secret",
    "chmod 777 OUT/secret",
    "chown 1 OUT/secret",
    "touch OUT/secret",
    "touch -d 2001-01-01 OUT/secret",
    "dd if=/dev/zero of=OUT/secret count=1",
    "tee OUT/new < /dev/null",
    "sed -i s/t/x/ OUT/secret",
    "python3 -c 'open(\"OUT/new\",\"w\")'",
    "perl -e 'open F,\">OUT/new\"'",
    "cd OUT && echo x > new",
    "cd OUT/folder && rm secret",
    "mkfifo OUT/fifo",
    "mknod OUT/null c 1 3",
    "python3 -c 'import os; os.rename(\"OUT/secret\", \"OUT/gone\")'",
    "python3 -c 'import os; os.symlink(\"x\", \"OUT/s\")'",
    "python3 -c 'import os; os.link(\"OUT/secret\", \"OUT/h\")'",
    "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"OUT/sock\")'",
    "python3 -c 'import os; os.truncate(\"OUT/secret\", 0)'",
    "python3 -c 'import os; os.setxattr(\"OUT/secret\", \"user.a\", b\"b\")' && echo y",
    "echo x > /proc/self/cwd/../outside/new",
    "echo x > /proc/self/root/OUT/new",
    "echo x > /proc/1/rootOUT/new",
    "echo x > /proc/$PPID/root/OUT/new",
    "echo x > /dev/fd/../../../OUT/new",
    "tar -C OUT -xf <(tar -c /etc/hostname)",
    "install -D /bin/true OUT/a/b",
    "cp -r . OUT/copy",
    "git init OUT/repo",
    "git -C OUT init",
    "mount -t tmpfs none OUT",
    "mount --bind . OUT && touch OUT/new",
    "unshare -Ur mount -t tmpfs none OUT; echo x > OUT/new",
    "unshare -Urm sh -c 'mount -o remount,rw / ; echo x > OUT/new'",
    "unshare -Urm sh -c 'umount -l OUT; umount -l /; echo x > OUT/new'",
    "unshare -Ur sh -c 'echo x > OUT/new'",
    "chroot / sh -c 'echo x > OUT/new'",
    "nsenter -t 1 -m sh -c 'echo x > OUT/new'",
    "sudo -n sh -c 'echo x > OUT/new'",
    "su -c 'echo x > OUT/new'",
    "setsid sh -c 'echo x > OUT/new'",
    "(sleep 0.05; echo x > OUT/new) & disown",
    "nohup sh -c 'echo x > OUT/new' &",
    "bash -c 'exec 9>OUT/new'",
    "bwrap --bind / / sh -c 'echo x > OUT/new'",
    "systemd-run --user touch OUT/new",
    "at now <<< 'touch OUT/new'"};

const std::vector<std::string> inward{
    "echo x > .git/hooks/pre-commit",
    "touch .git/hooks/new",
    "rm -rf .git/hooks",
    "mv .git/hooks .git/h",
    "mv .git/hooks .git/h; mkdir .git/hooks; echo x > .git/hooks/pre-commit",
    "chmod +x .git/hooks/pre-commit.sample",
    "mv .git .git2; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
    "rm -rf .git",
    "cp -r .git .git3; rm -rf .git; mv .git3 .git",
    "echo '[core] hooksPath = /tmp' >> .git/config",
    "git config core.hooksPath evil",
    "git config alias.st '!touch pwned'",
    "rm .git/config; echo x > .git/config",
    "mv .git/config .git/c; echo x > .git/config",
    "ln -sf /tmp/x .git/config",
    "echo x > .git/config.lock && mv .git/config.lock .git/config",
    "echo x > sub/.git/hooks/post-checkout",
    "mv sub sub2; mkdir -p sub/.git/hooks; echo x > sub/.git/hooks/pre-commit",
    "echo x >> sub/.git/config",
    "echo x > deep/er/repo/.git/hooks/h",
    "mv deep d2; mkdir -p deep/er/repo/.git/hooks; touch deep/er/repo/.git/hooks/h",
    "echo x >> home/.bashrc",
    "echo x > home/.profile",
    "touch home/.bash_profile",
    "echo x > home/.zshenv",
    "rm home/.bashrc",
    "mv home/.bashrc home/b; echo x > home/.bashrc",
    "mv home h2; mkdir home; echo x > home/.bashrc",
    "ln -sf x home/.zshrc",
    "echo x > home/.gitconfig",
    "echo x > SESSIONS/transcripts/s.jsonl",
    "touch SESSIONS/new",
    "rm -rf SESSIONS",
    "mv SESSIONS s2",
    "mv SESSIONS s2; mkdir SESSIONS; touch SESSIONS/new",
    "mount --bind /tmp SESSIONS; touch SESSIONS/new",
    "umount SESSIONS; touch SESSIONS/new",
    "unshare -Urm sh -c 'umount SESSIONS; touch SESSIONS/new'",
    "unshare -Urm sh -c 'mount -o remount,rw SESSIONS; touch SESSIONS/new'",
    "unshare -Urm sh -c 'mount -o remount,rw,bind .git/hooks; touch .git/hooks/new'",
    "echo x > .skein/config.toml",
    "mkdir .skein2; mv .skein2 .skein"};

std::string expanded(std::string text, const TestWorkspace& bench) {
  const std::pair<std::string, std::string> words[] = {
      {"OUT", bench.outside()}, {"SESSIONS", fs::canonical(bench.root()) / ".sessions"}};
  for (const auto& [word, path] : words)
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += path.size())
      text.replace(at, word.size(), path);
  return text;
}

void furnish(TestWorkspace& bench) {
  for (const char* repository : {"", "sub/", "deep/er/repo/"}) {
    const fs::path git = bench.root() / repository / ".git";
    for (const char* folder : {"objects", "refs", "hooks"}) fs::create_directories(git / folder);
    write_file(git / "HEAD", "ref: refs/heads/main\n");
    write_file(git / "config", "[core]\n\trepositoryformatversion = 0\n");
    write_file(git / "hooks/pre-commit.sample", "#!/bin/sh\n");
  }
  write_file(bench.root() / "home/.bashrc", "# mine\n");
  write_file(bench.root() / ".sessions/transcripts/s.jsonl", "a conversation\n");
  write_file(bench.root() / ".skein/config.toml", "model = 1\n");
  bench.settings.forbidden = {bench.root() / ".sessions", bench.root() / ".skein"};
}

// Everything that must look the same afterwards.
std::map<std::string, std::string> guarded(const TestWorkspace& bench) {
  std::map<std::string, std::string> all;
  for (const char* name :
       {".git/hooks", "sub/.git/hooks", "deep/er/repo/.git/hooks", ".sessions", ".skein"})
    for (const auto& [file, bytes] : snapshot(bench.root() / name))
      all[std::string(name) + "/" + file] = bytes;
  for (const char* name : {".git/config", "sub/.git/config", "deep/er/repo/.git/config"})
    all[name] = read_file(bench.root() / name);
  for (const auto& [file, bytes] : snapshot(bench.root() / "home"))
    if (file.starts_with(".")) all["home/" + file] = bytes;
  return all;
}

enum class Furnished { yes, no };

int try_all(Sandbox sandbox, const std::vector<std::string>& commands,
            Furnished furnished = Furnished::yes) {
  int tried = 0;
  for (const std::string& command : commands) {
    CAPTURE(command);
    // Not below /tmp: that is private in the sandbox, and everything outside would be safe anyway.
    const Variable temporary("TMPDIR", "/var/tmp");
    TestWorkspace bench;
    furnish(bench);
    if (furnished == Furnished::no) bench.settings.forbidden.clear();
    const Variable home("HOME", bench.root() / "home");
    bench.settings.sandbox = sandbox;
    bench.settings.quarantine = bench.root() / "quarantine";
    const auto outside = snapshot(bench.outside());
    const auto inside = guarded(bench);
    const auto sessions = snapshot(bench.root() / ".sessions");
    const auto configuration = snapshot(bench.root() / ".skein");

    const std::string printed = bench.result(
        "bash", {{"command", "echo in; " + expanded(command, bench)}, {"timeout_ms", "=5000"}});

    CHECK(printed.starts_with("in\n"));  // the sandbox itself did start

    CHECK(snapshot(bench.outside()) == outside);
    CHECK_FALSE(fs::exists(bench.outside().string() + "2"));
    if (sandbox == Sandbox::bubblewrap) CHECK(guarded(bench) == inside);
    if (furnished == Furnished::yes) {
      CHECK(snapshot(bench.root() / ".sessions") == sessions);
      CHECK(snapshot(bench.root() / ".skein") == configuration);
    }
    ++tried;
  }
  return tried;
}

}  // namespace

TEST_CASE("no command changes anything outside or protected in bubblewrap") {
  if (!bubblewrap_works()) {
    MESSAGE("SKIPPED: bubblewrap does not work on this machine");
    return;
  }
  CHECK(try_all(Sandbox::bubblewrap, outward) + try_all(Sandbox::bubblewrap, inward) >= 100);
}

TEST_CASE("no command changes anything outside or hidden under Landlock") {
  if (landlock_version() < 3) {
    MESSAGE("SKIPPED: this kernel's Landlock cannot guard against truncation, or there is none");
    return;
  }
  // Modes, owners, times and attributes are beyond Landlock.
  std::vector<std::string> expressible;
  std::ranges::copy_if(outward, std::back_inserter(expressible), [](const std::string& command) {
    return !command.starts_with("ch") && !command.starts_with("touch -d") &&
           command.find("setxattr") == std::string::npos;
  });
  // Nothing hidden in the workspace: it would take no new names, and most attempts begin with one.
  CHECK(try_all(Sandbox::landlock, expressible, Furnished::no) +
            try_all(Sandbox::landlock, inward) >=
        95);
}

TEST_CASE("the same attempts succeed without a sandbox") {
  // Otherwise the tests above would prove nothing.
  TestWorkspace bench;
  furnish(bench);
  bench.settings.sandbox = Sandbox::none;
  bench.call("bash",
             {{"command", expanded("echo x > OUT/new; echo x > .git/hooks/pre-commit", bench)}});
  CHECK(read_file(bench.outside() / "new") == "x\n");
  CHECK(read_file(bench.root() / ".git/hooks/pre-commit") == "x\n");
}

TEST_CASE("in the sandbox work goes on as usual") {
  for (const Sandbox sandbox : {Sandbox::bubblewrap, Sandbox::landlock}) {
    if (sandbox == Sandbox::bubblewrap && !bubblewrap_works()) continue;
    if (sandbox == Sandbox::landlock && landlock_version() == 0) continue;
    const Variable temporary("TMPDIR", "/var/tmp");
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;

    CHECK(bench.result(
              "bash", {{"command",
                        "set -e; mkdir -p a/b; echo hi > a/b/f; mv a/b/f g; ln -s g l; cat l;"
                        "echo t > $TMPDIR/t; cat $TMPDIR/t; echo n > /dev/null;"
                        "git init -q r; cd r; echo 1 > f; git add f;"
                        "git -c user.name=a -c user.email=b commit -qm m; git log --format=%s"}}) ==
          "hi\nt\nm\n");
    CHECK(read_file(bench.root() / "g") == "hi\n");
  }
}

TEST_CASE("the session home cannot be read in bubblewrap, and its absence leaves no trace") {
  if (!bubblewrap_works()) return;
  const Variable temporary("TMPDIR", "/var/tmp");
  TestWorkspace bench;
  furnish(bench);
  bench.settings.sandbox = Sandbox::bubblewrap;
  const Variable home("HOME", bench.root() / "home");

  CHECK(bench
            .result("bash",
                    {{"command", "cat .sessions/transcripts/s.jsonl; ls -A .sessions .skein"}})
            .find("conversation") == std::string::npos);
  CHECK(snapshot(bench.root() / "home").size() == 1);  // no empty .profile is left behind
}

TEST_CASE("processes outside cannot be seen or signalled from bubblewrap") {
  if (!bubblewrap_works()) return;
  TestWorkspace bench;
  bench.settings.sandbox = Sandbox::bubblewrap;
  const std::string us = std::to_string(getpid());
  CHECK(bench.result("bash", {{"command", "kill -0 " + us + " 2>/dev/null || echo no"}}) == "no\n");
  CHECK(bench.result("bash", {{"command", "cat /proc/*/cmdline | tr '\\0' ' '"}})
            .find("unit_tests") == std::string::npos);
  CHECK(bench.result(
            "bash", {{"command", "grep -E 'NoNewPrivs|CapEff' /proc/self/status | tr -d '\\t'"}}) ==
        "CapEff:0000000000000000\nNoNewPrivs:1\n");
}

TEST_CASE("signals to processes outside are refused under Landlock") {
  if (landlock_version() < 6) return;
  TestWorkspace bench;
  bench.settings.sandbox = Sandbox::landlock;
  CHECK(bench.result("bash", {{"command", "kill -0 " + std::to_string(getpid()) +
                                              " 2>/dev/null || echo no"}}) == "no\n");
}

TEST_CASE("a command under Landlock has no capability, and reads no other process's environment") {
  if (landlock_version() == 0) {
    MESSAGE("SKIPPED: this kernel has no Landlock");
    return;
  }
  TestWorkspace bench;
  bench.settings.sandbox = Sandbox::landlock;
  CHECK(bench.result("bash", {{"command",
                               "grep -E '^Cap(Inh|Prm|Eff|Amb)|NoNewPrivs' "
                               "/proc/self/status | tr -d '\\t'"}}) ==
        "CapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\n"
        "CapAmb:0000000000000000\nNoNewPrivs:1\n");
  // Our own environment: as root it could be read with CAP_PERFMON, whatever Landlock forbids.
  CHECK(bench.result("bash", {{"command", "cat /proc/" + std::to_string(getpid()) +
                                              "/environ 2>/dev/null || echo no"}}) == "no\n");
}

TEST_CASE("the network is there unless it is turned off") {
  if (!bubblewrap_works()) return;
  for (const bool network : {true, false}) {
    TestWorkspace bench;
    bench.settings.sandbox = Sandbox::bubblewrap;
    bench.settings.network = network;
    const std::string host = fs::read_symlink("/proc/self/ns/net").string();
    CHECK((bench.result("bash", {{"command", "readlink /proc/self/ns/net"}}) == host + "\n") ==
          network);
  }
}

TEST_CASE("the network is closed without bubblewrap too, down to the last kind of socket") {
  if (!process::socket_filter_works()) {
    MESSAGE("SKIPPED: this kernel filters no system calls");
    return;
  }
  constexpr const char* kinds =
      "import socket as s, ctypes\n"
      "for f, t in ((s.AF_INET, s.SOCK_STREAM), (s.AF_INET, s.SOCK_DGRAM), (s.AF_INET6, "
      "s.SOCK_DGRAM),"
      " (s.AF_NETLINK, s.SOCK_RAW), (s.AF_UNIX, s.SOCK_STREAM)):\n"
      " try: s.socket(f, t); print('open', end=' ')\n"
      " except PermissionError: print('closed', end=' ')\n"
      "s.socketpair()\n"
      "print(ctypes.CDLL(None, use_errno=True).syscall(425, 1, 0), ctypes.get_errno())";
  for (const Sandbox sandbox : {Sandbox::landlock, Sandbox::none}) {
    if (sandbox == Sandbox::landlock && landlock_version() == 0) continue;
    for (const bool network : {true, false}) {
      TestWorkspace bench;
      write_file(bench.root() / "kinds.py", kinds);
      bench.settings.sandbox = sandbox;
      bench.settings.network = network;
      const std::string printed = bench.result("bash", {{"command", "python3 kinds.py"}});
      if (network)
        CHECK(printed.starts_with("open open open open open "));
      else
        CHECK(printed == "closed closed closed closed open -1 1\n");
    }
  }
}

TEST_CASE("without a network bubblewrap leaves only sockets that cannot leave the namespace") {
  if (!bubblewrap_works() || !process::socket_filter_works()) {
    MESSAGE("SKIPPED: bubblewrap does not work here, or this kernel filters no system calls");
    return;
  }
  constexpr int vsock = 40, alg = 38;
  TestWorkspace bench;
  write_file(bench.root() / "kinds.py",
             "import socket as s, ctypes\n"
             "for f in (" +
                 std::to_string(vsock) + ", " + std::to_string(alg) +
                 "):\n"
                 " try: s.socket(f, s.SOCK_STREAM); print('open')\n"
                 " except OSError as e: print(type(e).__name__)\n"
                 "print(ctypes.CDLL(None, use_errno=True).syscall(425, 1, 0), ctypes.get_errno())\n"
                 "server = s.create_server(('127.0.0.1', 0))\n"
                 "client = s.create_connection(server.getsockname())\n"
                 "server.accept()[0].sendall(b'loopback')\n"
                 "print(client.recv(8).decode())\n");
  bench.settings.sandbox = Sandbox::bubblewrap;
  bench.settings.network = false;
  CHECK(bench.result("bash", {{"command", "python3 kinds.py"}}) ==
        "PermissionError\nPermissionError\n-1 1\nloopback\n");
}

TEST_CASE("whether the network is open to commands is said") {
  const std::string wanted = "open to commands (`sandbox-network = false` closes it)";
  for (const Sandbox sandbox : {Sandbox::bubblewrap, Sandbox::landlock, Sandbox::none}) {
    CHECK(describe_network(sandbox, true) == wanted);
    CHECK(describe_network(sandbox, false).starts_with("closed to commands") ==
          (sandbox == Sandbox::bubblewrap || process::socket_filter_works()));
  }
}

TEST_CASE("what an old Landlock lets pass is said") {
  CHECK(landlock_weakness(6).empty());
  CHECK(landlock_weakness(5) ==
        "; this kernel's Landlock still lets them signal your other processes and talk to their "
        "abstract sockets");
  CHECK(landlock_weakness(1).starts_with(
      "; this kernel's Landlock still lets them empty files elsewhere, control devices, "));
}

TEST_CASE("limits are described as they are set") {
  CHECK(describe(process::ProgramLimits{}) ==
        "a command may start any number of processes, each with any amount of memory");
  CHECK(describe(process::ProgramLimits{.processes = 7, .memory = 3u << 20}) ==
        "a command may start about 7 processes (the kernel does not hold root to it), each with 3 "
        "MiB of memory");
}

TEST_CASE("each sandbox is described by a sentence of its own") {
  CHECK(name(Sandbox::landlock) == "landlock");
  for (const Sandbox sandbox : {Sandbox::landlock, Sandbox::none}) {
    const auto says = [text = describe(sandbox)](const char* words) {
      return text.find(words) != std::string::npos;
    };
    const bool installed = fs::exists("/usr/bin/bwrap");
    CHECK(says("; install bubblewrap") == !installed);
    CHECK(says("; bubblewrap works here") == bubblewrap_works());
    CHECK(says("; bubblewrap is installed, but") == (installed && !bubblewrap_works()));
  }
  CHECK(describe(Sandbox::bubblewrap) != describe(Sandbox::landlock));
}

TEST_CASE("a process that hides its memory cannot be dumped") {
  const pid_t child = fork();
  if (child == 0) {
    hide_process_memory();
    _exit(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
