#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "core/process/environment.h"
#include "core/text/base.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::tools;
using namespace skein::test;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

// Memory of our own (resident less shared pages), in bytes.
std::size_t own_memory() {
  std::size_t size = 0, resident = 0, shared = 0;
  std::ifstream("/proc/self/statm") >> size >> resident >> shared;
  return (resident - std::min(shared, resident)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

struct Run {
  model::ToolOutcome outcome{};
  std::string live{};  // the first bytes that came while it ran
  std::size_t live_bytes = 0;
  std::size_t kept_bytes = 0;
  std::size_t growth = 0;  // of memory, at its highest
  milliseconds took{};
};

// `stop_after`: bytes of output after which the user presses ^C.
Run run(TestWorkspace& bench, Members members, std::size_t stop_after = SIZE_MAX) {
  Run run;
  bench.tools();
  const std::size_t before = own_memory();
  const auto look = [&] {
    const std::size_t now = own_memory();  // once: it moves between two looks
    if (now > before) run.growth = std::max(run.growth, now - before);
  };
  bool stop = false;
  Clock::time_point stopped_at{}, start = Clock::now();
  model::ToolPorts ports;
  ports.output = [&](std::string_view piece) {
    if (run.live.size() < 1000) run.live += piece;
    run.live_bytes += piece.size();
    if (run.live_bytes >= stop_after && !stop) {
      stop = true;
      stopped_at = Clock::now();
    }
    if (run.live_bytes % 64 == 0) look();
  };
  ports.stopped = [&] { return stop; };
  ports.keep_blob = [&](std::string_view bytes) {
    run.kept_bytes = bytes.size();
    look();
    return "blob";
  };
  run.outcome = bench.call("bash", members, ports);
  look();
  run.took = std::chrono::duration_cast<milliseconds>(Clock::now() - (stop ? stopped_at : start));
  return run;
}

constexpr std::size_t mebibyte = 1024 * 1024;
// How long one may have to wait on a busy machine. What does not end takes much longer.
constexpr milliseconds slack{10'000}, far_too_long{60'000};

// Everything below is tried with the sandbox this machine has and without one.
std::vector<sandbox::Sandbox> ways() { return {sandbox::best_sandbox(), sandbox::Sandbox::none}; }

}  // namespace

TEST_CASE("a command's output and exit status are told") {
  for (const sandbox::Sandbox sandbox : ways()) {
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;
    write_file(bench.root() / "f", "text");

    CHECK(bench.result("bash", {{"command", "cat f; echo; echo err >&2; pwd"}}) ==
          "text\nerr\n" + fs::canonical(bench.root()).string() + "\n");
    const model::ToolOutcome failed = bench.call("bash", {{"command", "echo a; exit 3"}});
    CHECK(failed.is_error);
    CHECK(text_of(failed) == "a\n[exit status 3]");
    CHECK(bench.result("bash", {{"command", "true"}}) == "[no output]");
    CHECK(bench.result("bash", {{"command", "cat"}}) == "[no output]");  // nothing to read
    CHECK(bench.call("bash", {{"command", "=\"a\\u0000b\""}}).is_error);
    CHECK(bench.call("bash", {{"command", "=7"}}).is_error);
    const bool wrapped = sandbox == sandbox::Sandbox::bubblewrap;
    CHECK(bench.result("bash", {{"command", "kill -9 $$"}}) ==
          (wrapped ? "[exit status 137]" : "[ended by signal 9, Killed]"));
  }
}

TEST_CASE("a command has no terminal, so its keys cannot be read or faked") {
  TestWorkspace bench;
  bench.settings.sandbox = sandbox::Sandbox::none;
  CHECK(bench.result("bash", {{"command", "(exec 3</dev/tty) 2>/dev/null || echo none"}}) ==
        "none\n");
  CHECK(bench.result("bash", {{"command", "ps -o sid= -p $$ | tr -d ' '; echo $$"}}).size() > 2);
}

TEST_CASE("keys are not in a command's environment") {
  const char* keys[] = {"ANTHROPIC_API_KEY",
                        "OPENAI_API_KEY",
                        "GEMINI_API_KEY",
                        "GOOGLE_API_KEY",
                        "AWS_SECRET_ACCESS_KEY",
                        "GITHUB_TOKEN",
                        "GH_TOKEN",
                        "HF_TOKEN",
                        "NPM_TOKEN",
                        "SSH_AUTH_SOCK",
                        "DATABASE_URL",
                        "PGPASSWORD",
                        "SKEIN_HOME",
                        "BASH_ENV",
                        "LD_PRELOAD",
                        "BASH_FUNC_x%%",
                        "LC_API_KEY",
                        "HTTPS_PROXY",
                        "MY_SERVICE",
                        "PROMPT_COMMAND"};
  for (const sandbox::Sandbox sandbox : ways()) {
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;
    for (const char* key : keys) setenv(key, "http://user:sk-12345@host", 1);
    setenv("BASH_ENV", "", 1);
    setenv("LD_PRELOAD", "", 1);
    const std::string printed = bench.result(
        "bash",
        {{"command", "env; cat /proc/self/environ /proc/*/environ 2>/dev/null | tr '\\0' '\\n'"}});
    for (const char* key : keys) unsetenv(key);

    CHECK(printed.find("PATH=") != std::string::npos);
    CHECK(printed.find("sk-12345") == std::string::npos);
  }
  const std::vector<std::string> own{
      "PATH=/bin",  "OPENAI_API_KEY=k",         "LC_ALL=C",
      "LC_TOKEN=t", "HTTPS_PROXY=http://u:p@h", "HTTP_PROXY=http://h"};
  const auto passed = process::command_environment(own, "/tmp");
  CHECK(std::vector(passed.begin(), passed.begin() + 3) ==
        std::vector<std::string>{"PATH=/bin", "LC_ALL=C", "HTTP_PROXY=http://h"});
}

TEST_CASE("a proxy's password does not reach a command, however the proxy is named") {
  for (const std::string name : {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
                                 "all_proxy", "ALL_PROXY", "ftp_proxy", "Ftp_Proxy"})
    for (const std::string value :
         {"user:secret@host:3128", "http://user:secret@host", "user:sec@ret@host", "secret@host",
          "//user:secret@host", "socks5h://u:secret@h", "host:1/?secret@"}) {
      CAPTURE(name + "=" + value);
      for (const std::string& passed : process::command_environment({name + "=" + value}, ""))
        CHECK(!passed.starts_with(name));
    }
  CHECK(process::command_environment({"http_proxy=host:3128"}, "")[0] == "http_proxy=host:3128");
}

TEST_CASE("a command out of time ends with everything it started") {
  for (const sandbox::Sandbox sandbox : ways()) {
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;
    bench.settings.limits.grace = far_too_long;
    const auto start = Clock::now();
    const model::ToolOutcome outcome = bench.call(
        "bash", {{"command", "sleep 1000 & sleep 1000 | cat; echo never"}, {"timeout_ms", "=300"}});

    CHECK(outcome.is_error);
    CHECK(text_of(outcome) == "[timed out after 300 ms]");
    CHECK(Clock::now() - start < milliseconds(300) + slack);
  }
}

TEST_CASE("a command that heeds SIGTERM may tidy up, one that ignores it is killed") {
  for (const sandbox::Sandbox sandbox : ways()) {
    TestWorkspace patient, impatient;
    patient.settings.sandbox = impatient.settings.sandbox = sandbox;
    patient.settings.limits.grace = far_too_long;
    impatient.settings.limits.grace = milliseconds(400);
    const Run tidy = run(
        patient,
        {{"command", "trap 'echo tidy; exit 5' TERM; echo ready; while :; do sleep 0.01; done"}},
        1);
    // bash may tell of the sleep that was ended as well.
    CHECK(text_of(tidy.outcome).starts_with("ready\n"));
    CHECK(text_of(tidy.outcome).ends_with("tidy\n[stopped by the user]"));
    CHECK(tidy.took < slack);

    const Run stubborn =
        run(impatient, {{"command", "trap '' TERM; echo ready; while :; do sleep 0.01; done"}}, 1);
    CHECK(text_of(stubborn.outcome) == "ready\n[stopped by the user]");
    CHECK(stubborn.took >= milliseconds(400));
    CHECK(stubborn.took < milliseconds(400) + slack);
  }
}

TEST_CASE("a daemon that keeps the pipe open holds nobody up") {
  for (const sandbox::Sandbox sandbox : ways()) {
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;
    for (const char* command :
         {"sleep 60 & echo started", "setsid sleep 60 & echo started",
          "(setsid sh -c 'sleep 60' &) ; echo started",
          "nohup sh -c 'while :; do echo x; sleep 1; done' & disown; echo started"}) {
      const Run done = run(bench, {{"command", command}});
      CHECK(text_of(done.outcome).find("started") != std::string::npos);
      CHECK(done.took < slack);
    }
  }
}

TEST_CASE("a flood of output takes little memory and is kept up to the limit") {
  for (const char* command :
       {"head -c 104857600 /dev/zero | tr '\\0' 'x'", "head -c 104857600 /dev/urandom",
        "yes | head -c 104857600", "yes $'\\e[31mred\\e[0m\\e]52;c;x\\a' | head -c 104857600",
        "yes 😀 | head -c 104857600"}) {
    CAPTURE(command);
    TestWorkspace bench;
    const Run flood = run(bench, {{"command", command}});

    CHECK(flood.live_bytes == 104857600);
    CHECK(flood.kept_bytes == 64 * mebibyte);
    CHECK(flood.outcome.blob == "blob");
    CHECK(flood.growth < 64 * mebibyte);
    CHECK(text_of(flood.outcome).size() < 3 * bench.settings.limits.result_bytes);
    CHECK(is_valid_utf8(text_of(flood.outcome)));
    MESSAGE("memory grew by " << flood.growth / 1024 << " KiB in " << flood.took.count() << " ms");
  }
}

TEST_CASE("a command that prints for ever can be stopped at once") {
  for (const sandbox::Sandbox sandbox : ways()) {
    TestWorkspace bench;
    bench.settings.sandbox = sandbox;
    bench.settings.limits.grace = far_too_long;
    const Run endless = run(bench, {{"command", "yes"}}, 20 * mebibyte);

    CHECK(endless.took < slack);
    CHECK(endless.growth < 64 * mebibyte);
    CHECK(text_of(endless.outcome).ends_with("y\n[stopped by the user]"));
  }
}

TEST_CASE(
    "a readable wake descriptor ends the wait for a silent command, and is no reason to spin") {
  TestWorkspace bench;
  bench.settings.limits.grace = far_too_long;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(write(ends[1], "x", 1) == 1);  // readable from the start, and nobody reads it
  Clock::time_point stopped_at = Clock::time_point::max();
  int asked = 0;
  model::ToolPorts ports;
  ports.wake_fd = ends[0];
  ports.stopped = [&] { return ++asked, stopped_at != Clock::time_point::max(); };
  ports.output = [&](std::string_view) { stopped_at = Clock::now(); };

  const model::ToolOutcome outcome =
      bench.call("bash", {{"command", "sleep 0.2; echo ready; exec sleep 100"}}, ports);

  CHECK(text_of(outcome) == "ready\n[stopped by the user]");
  CHECK(Clock::now() - stopped_at < slack);
  CHECK(asked < 1000);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("output that is not text comes as a hex dump, cut characters are replaced") {
  TestWorkspace bench;
  const Run binary = run(bench, {{"command", "printf 'ELF\\0\\1\\2'"}});
  CHECK(text_of(binary.outcome) ==
        "[binary output, 6 bytes; it begins with]\n0000  45 4c 46 00 01 02  ELF...\n");
  CHECK(binary.kept_bytes == 6);
  CHECK(bench.result("bash", {{"command", "printf 'a\\xff\\xe2\\x82b'"}}) == "a\uFFFD\uFFFDb");
}

TEST_CASE("a long output shows its beginning and its end") {
  TestWorkspace bench;
  bench.settings.limits.result_bytes = 100;
  CHECK(bench.result("bash", {{"command", "seq 1 1000"}}).starts_with("1\n2\n"));
  CHECK(bench.result("bash", {{"command", "seq 1 1000"}}).ends_with("999\n1000\n"));
  CHECK(bench.result("bash", {{"command", "seq 1 1000"}}).find("of 3,893 bytes left out") !=
        std::string::npos);
}

TEST_CASE("live pieces never cut a character") {
  TestWorkspace bench;
  std::vector<std::string> pieces;
  model::ToolPorts ports;
  ports.output = [&](std::string_view piece) { pieces.emplace_back(piece); };
  bench.call(
      "bash",
      {{"command", "printf '\\xf0\\x9f'; sleep 0.05; printf '\\x98'; sleep 0.05; printf '\\x80!'"}},
      ports);
  for (const std::string& piece : pieces) CHECK(is_valid_utf8(piece));
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  CHECK(all == "😀!");
}

TEST_CASE("commands share a temporary folder that goes with the tools") {
  std::string seen;
  fs::path folder;
  {
    TestWorkspace bench;
    bench.settings.sandbox = sandbox::Sandbox::none;
    bench.result("bash", {{"command", "echo 1 > $TMPDIR/x"}});
    CHECK(bench.result("bash", {{"command", "cat $TMPDIR/x"}}) == "1\n");
    seen = bench.result("bash", {{"command", "printf %s $TMPDIR"}});
    CHECK(fs::exists(seen));
  }
  CHECK_FALSE(fs::exists(seen));
}
