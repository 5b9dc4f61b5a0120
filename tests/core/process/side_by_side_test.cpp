#include "core/process/side_by_side.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::process;
using namespace skein::test;
using Cause = CommandEnd::Cause;
using std::chrono::milliseconds;

namespace {

UserCommand shell(const std::string& command, milliseconds time = milliseconds{60'000}) {
  return {.arguments = {"/bin/sh", "-c", command},
          .environment = {"PATH=/usr/bin:/bin"},
          .folder = "/",
          .input = "{\"a\":1}\n",
          .time = time};
}

CommandEnd run_one(const UserCommand& order) { return run_all(std::vector{order}, {}).front(); }

std::int64_t ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("a hook reads its input to the end, and output and errors are told apart") {
  const CommandEnd end = run_one(shell("cat; echo oops >&2; exit 3"));
  CHECK(end.cause == Cause::exited);
  CHECK(end.code == 3);
  CHECK(end.output == "{\"a\":1}\n");
  CHECK(end.errors == "oops\n");
}

TEST_CASE("a hook that never reads its input, or closes it at once, is no trouble") {
  UserCommand order = shell("exec 0<&-; echo fine");
  order.input = std::string(8u << 20, 'x');
  const CommandEnd end = run_one(order);
  CHECK(end.code == 0);
  CHECK(end.output == "fine\n");
}

TEST_CASE("of what a hook prints only the beginning is kept, and it is not held up") {
  const CommandEnd end = run_one(shell("head -c 50000000 /dev/zero; echo x >&2"));
  CHECK(end.cause == Cause::exited);
  CHECK(end.code == 0);
  CHECK(end.output.size() == most_output);
  CHECK(end.cut);
  CHECK(end.errors == "x\n");
}

TEST_CASE("a hook that takes too long is ended, and so is what it started") {
  TempDir dir;
  const auto start = std::chrono::steady_clock::now();
  const CommandEnd end =
      run_one(shell("sh -c 'echo $$ > " + (dir / "pid").string() + "; exec sleep 60' & wait",
                    milliseconds{3000}));
  CHECK(end.cause == Cause::timed_out);
  CHECK(ms_since(start) < 30'000);
  const int child = std::stoi(read_file(dir / "pid"));
  for (int i = 0; i < 1000 && kill(child, 0) == 0; ++i)
    std::this_thread::sleep_for(milliseconds{20});
  CHECK(kill(child, 0) != 0);
}

TEST_CASE("a hook that does not listen to SIGTERM is ended a second later") {
  const auto start = std::chrono::steady_clock::now();
  const CommandEnd end =
      run_one(shell("trap '' TERM; while :; do sleep 0.05; done", milliseconds{2000}));
  CHECK(end.cause == Cause::timed_out);
  CHECK(ms_since(start) >= 3'000);
  CHECK(ms_since(start) < 30'000);
}

TEST_CASE("a child that keeps the pipes open delays nothing") {
  const auto start = std::chrono::steady_clock::now();
  const CommandEnd end = run_one(shell("setsid sleep 60 & sleep 60 & echo done"));
  CHECK(end.code == 0);
  CHECK(end.output == "done\n");
  CHECK(ms_since(start) < 30'000);
}

TEST_CASE("a crash, a missing program and a missing folder are told as what they are") {
  const CommandEnd crash = run_one(shell("kill -SEGV $$"));
  CHECK(crash.cause == Cause::signalled);
  CHECK(crash.code == SIGSEGV);
  UserCommand missing = shell("");
  missing.arguments = {"/nowhere/at/all"};
  CHECK(run_one(missing).cause == Cause::not_started);
  CHECK(run_one(missing).code == ENOENT);
  UserCommand elsewhere = shell("true");
  elsewhere.folder = "/nowhere";
  CHECK(run_one(elsewhere).cause == Cause::not_started);
}

TEST_CASE("hooks run side by side, and their results come in their order") {
  // The first two wait for each other, the third for nobody.
  const TempDir dir;
  const auto meets = [&](const char* own, const char* other) {
    return shell("touch " + (dir / own).string() + "; until test -e " + (dir / other).string() +
                 "; do sleep 0.02; done; echo " + own);
  };
  const std::vector<CommandEnd> ends =
      run_all(std::vector{meets("1", "2"), meets("2", "1"), shell("echo 3")}, {});
  REQUIRE(ends.size() == 3);
  CHECK(ends[0].output + ends[1].output + ends[2].output == "1\n2\n3\n");
}

TEST_CASE("stopping the turn stops its hooks") {
  std::atomic<bool> stop{false};
  model::Ports ports;
  ports.stop = &stop;
  const auto start = std::chrono::steady_clock::now();
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds{200});
    stop = true;
  });
  // A signal would end the wait at once; without one it is the next output that does.
  const CommandEnd end =
      run_all(std::vector{shell("while :; do echo x; sleep 0.05; done")}, ports).front();
  later.join();
  CHECK(end.cause == Cause::stopped);
  CHECK(ms_since(start) < 20'000);
}

TEST_CASE("a key that stops the turn is read while a hook runs") {
  std::atomic<bool> stop{false};
  int keys[2];
  REQUIRE(pipe(keys) == 0);
  model::Ports ports;
  ports.stop = &stop;
  ports.input = {keys[0], [&] {
                   char key = 0;
                   if (read(keys[0], &key, 1) == 1) stop = true;
                 }};
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds{200});
    CHECK(write(keys[1], "x", 1) == 1);
  });
  const auto start = std::chrono::steady_clock::now();
  const CommandEnd end = run_all(std::vector{shell("sleep 30")}, ports).front();
  later.join();
  close(keys[0]);
  close(keys[1]);
  CHECK(end.cause == Cause::stopped);
  CHECK(ms_since(start) < 20'000);
}

TEST_CASE("a hook has no terminal, a group of its own and the environment it was given") {
  const CommandEnd end =
      run_one(shell("env | sort; test \"$(ps -o pgid= -p $$ | tr -d ' ')\" = $$ "
                    "&& echo leader; (: < /dev/tty) 2>/dev/null || echo blind"));
  CHECK(end.output.find("PATH=/usr/bin:/bin") != std::string::npos);
  CHECK(end.output.find("HOME=") == std::string::npos);
  CHECK(end.output.find("blind") != std::string::npos);
}
