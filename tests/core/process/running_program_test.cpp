
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "core/process/running_program.h"
#include "core/sandbox/sandbox.h"
#include "core/text/io.h"
#include "core/text/wait.h"
#include "tests/support/process.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::process;
using namespace skein::sandbox;
using namespace skein::test;

namespace {

std::vector<Sandbox> ways() {
  std::vector<Sandbox> all{Sandbox::none};
  if (bubblewrap_works()) all.push_back(Sandbox::bubblewrap);
  if (landlock_version() > 0) all.push_back(Sandbox::landlock);
  return all;
}

}  // namespace

TEST_CASE("what a command leaves in the background ends with it, in whatever session it is") {
  int number = 0;
  for (const Sandbox sandbox : ways())
    for (const char* start :
         {"setsid sleep N >/dev/null 2>&1 &",  //
          "setsid sh -c 'setsid sleep N & setsid sleep N & wait' &", "(setsid nohup sleep N &) &",
          "python3 -c 'import os\n"
          "if os.fork() == 0:\n os.setsid()\n"
          " if os.fork() == 0: os.execlp(\"sleep\", \"sleep\", \"N\")' &"}) {
      CAPTURE(name(sandbox));
      CAPTURE(start);
      TestWorkspace bench;
      bench.settings.sandbox = sandbox;
      const std::string word = std::to_string(100'000 + getpid()) + std::to_string(number++);
      std::string command = std::string(start) + " sleep 0.2; echo done";
      for (std::size_t at = 0; (at = command.find('N')) != std::string::npos;)
        command.replace(at, 1, word);

      CHECK(bench.result("bash", {{"command", command}}).ends_with("done\n"));
      CHECK_FALSE(is_running(word));
    }
}

TEST_CASE("a child of ours from before is none of the program's and lives on") {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const Program program{.arguments = {"/bin/sh", "-c", "setsid sleep 1000 &"},
                        .environment = {"PATH=/usr/bin:/bin"}};
  ProgramWatch watch;
  watch.time = std::chrono::seconds(20);

  CHECK(run_program(program, watch) == ProgramEnd{});

  CHECK(waitpid(child, nullptr, WNOHANG) == 0);
  kill(child, SIGKILL);
  CHECK(waitpid(child, nullptr, 0) == child);
}

TEST_CASE("the end of a program whose output has ended is noticed at any moment") {
  RunningProgram running({.arguments = {"/bin/sh", "-c", "exec >&- 2>&-; exec sleep 1000"},
                          .environment = {"PATH=/usr/bin:/bin"}});
  const Pipe silent = make_pipe();
  ProgramWatch watch;
  watch.time = std::chrono::seconds(40);
  watch.wake_fd = silent.read.get();
  // It is asked twice before the wait for the end of the output. The third time is after a look
  // for the end of the program and before the next wait: that is when the program ends here.
  watch.stopped = [&, asked = 0]() mutable {
    if (++asked == 3) {
      kill(running.supervisor().program(), SIGKILL);
      wait(running.supervisor().line(), no_deadline);
    }
    return false;
  };
  const auto began = std::chrono::steady_clock::now();

  CHECK(running.watch(watch) == ProgramEnd{ProgramEnd::Cause::signalled, SIGKILL});

  CHECK(std::chrono::steady_clock::now() - began < watch.time);
}

TEST_CASE("limits hold for a command and everything it starts") {
  for (const Sandbox sandbox : ways()) {
    CAPTURE(name(sandbox));
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;
    bench.settings.command_limits = {.processes = 700, .memory = 512u << 20};

    const std::string printed =
        bench.result("bash", {{"command", "bash -c 'ulimit -u; ulimit -d'"}});
    const long processes = std::atol(printed.c_str());  // those there are, and 700
    CHECK(processes > 700);
    CHECK(processes < 700 + 1'000'000);
    CHECK(printed.ends_with("\n524288\n"));
    CHECK(bench.result("bash", {{"command",
                                 "python3 -c 'bytearray(300 << 20); print(1); bytearray(900 << 20)'"
                                 " 2>&1 | grep -c -e ^1 -e ^MemoryError"}}) == "2\n");
  }
}
