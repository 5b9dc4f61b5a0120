#include "core/jobs/jobs.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "core/sandbox/sandbox.h"
#include "tests/support/process.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::test;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

// The tools with jobs, in one session.
struct Bench {
  TempDir state;
  Id session = random_id();
  std::mutex mutex;  // jobs tell of their end until the last of them has gone
  std::vector<std::string> reports;
  std::vector<int> seen;
  std::shared_ptr<jobs::Jobs> jobs;
  TestWorkspace workspace;

  explicit Bench(sandbox::Sandbox sandbox = sandbox::best_sandbox()) {
    jobs = std::make_shared<jobs::Jobs>(
        jobs::Jobs::Settings{.folder = [this] { return state.path().string(); }});
    jobs->on_end([this](Id, const jobs::Record&, const std::string& report) {
      CHECK(jobs->any_runs());  // an idle prompt looks for reports while a job runs
      const std::lock_guard lock(mutex);
      reports.push_back(report);
    });
    jobs->on_seen([this](Id, int id) { seen.push_back(id); });
    workspace.settings.jobs = jobs;
    workspace.settings.sandbox = sandbox;
    workspace.settings.limits.job_look = 100ms;
  }
  model::ToolPorts ports() const {
    model::ToolPorts out;
    out.session = session;
    return out;
  }
  std::string call(std::string_view tool, Members members) {
    return text_of(workspace.call(tool, members, ports()));
  }
  std::string start(const std::string& command) {
    return call("bash", {{"command", command}, {"background", "=true"}});
  }
  std::size_t report_count() {
    const std::lock_guard lock(mutex);
    return reports.size();
  }
};

// A command that goes on until go_on().
std::string until_told(const std::string& before, const std::string& behind) {
  return before + "; until test -e go; do sleep 0.02; done" + behind;
}
void go_on(const Bench& bench) { write_file(bench.workspace.root() / "go", ""); }

std::vector<sandbox::Sandbox> ways() { return {sandbox::best_sandbox(), sandbox::Sandbox::none}; }

// For a sleep that no other test has.
std::string unique_time() {
  static int number = 0;
  return std::to_string(200'000 + getpid()) + std::to_string(number++);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what is written down of jobs is removed, unless one was kept and runs") {
  const TempDir dir;
  const std::string folder = (dir / "jobs").string();
  std::filesystem::create_directories(folder);
  CHECK(jobs::remove_records((dir / "none").string()));
  jobs::Record record{.id = 1,
                      .command = "sleep 1",
                      .kept = true,
                      .watcher = getpid(),
                      .born = jobs::process_birth(getpid())};
  REQUIRE(jobs::save_record(folder + "/1.json", record));
  CHECK_FALSE(jobs::remove_records(folder));
  CHECK(std::filesystem::exists(folder + "/1.json"));
  record.state = jobs::Record::State::ended;
  REQUIRE(jobs::save_record(folder + "/1.json", record));
  CHECK(jobs::remove_records(folder));
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("a job answers at once, prints into its log and is told of when it ends") {
  for (const sandbox::Sandbox sandbox : ways()) {
    Bench bench(sandbox);
    bench.workspace.settings.limits.job_look = 2s;  // it has printed something by then
    const auto begun = Clock::now();
    const std::string started = bench.start(until_told("echo first", "; echo second; exit 3"));
    CHECK(started.starts_with("[job 1: started"));
    CHECK(has(started, "first"));

    go_on(bench);
    const std::string ended = bench.call("job_output", {{"job", "=1"}, {"wait", "=60"}});
    const std::string heading = "[job 1 ended, exit status 3, after ";
    REQUIRE(ended.starts_with(heading));
    const double took = std::stod(ended.substr(heading.size()));
    CHECK(took >= 2);
    CHECK(took <= std::chrono::duration<double>(Clock::now() - begun).count());
    CHECK(has(ended, "first\nsecond\n"));
    CHECK(bench.seen == std::vector{1});
    REQUIRE(bench.report_count() == 1);
    CHECK(has(bench.reports[0], "[job 1 has ended: ended, exit status 3"));
    CHECK(has(bench.reports[0], "second"));
    CHECK(bench.start("sleep 100").starts_with("[job 2: started"));
  }
}

TEST_CASE("what ends at once is answered as any other command and is no job") {
  Bench bench;
  CHECK(bench.start("echo hello") == "hello\n");
  CHECK(bench.jobs->list(bench.session).empty());
}

TEST_CASE("new output is read from where the last answer ended") {
  Bench bench(sandbox::Sandbox::none);
  const auto shows = [&](Members members, std::string_view part) {  // sooner or later
    for (int tries = 0; tries < 3000; ++tries) {
      if (has(bench.call("job_output", members), part)) return true;
      std::this_thread::sleep_for(20ms);
    }
    return false;
  };
  bench.start(until_told("echo one", "; echo two; sleep 100"));
  CHECK(shows({{"job", "=1"}}, "next byte 4]\none\n"));
  go_on(bench);
  CHECK(shows({{"job", "=1"}, {"since", "=4"}}, "next byte 8]\ntwo\n"));
  CHECK(has(bench.call("job_output", {{"job", "=1"}, {"since", "=8"}}), "[nothing new"));
  CHECK(has(bench.call("job_output", {{"job", "=1"}, {"tail", "=1"}}), "]\ntwo\n"));
}

TEST_CASE("job_stop ends a job with everything it started, in whatever session that is") {
  for (const sandbox::Sandbox sandbox : ways()) {
    Bench bench(sandbox);
    const std::string one = unique_time(), other = unique_time();
    bench.start("(setsid sleep " + other + " &) ; sleep " + one);
    CHECK(is_running(one));
    CHECK(bench.call("job_stop", {{"job", "=1"}}).starts_with("[job 1 stopped after"));
    CHECK_FALSE(is_running(one));
    CHECK_FALSE(is_running(other));
    CHECK(bench.call("job_stop", {{"job", "=7"}}) == "there is no job 7; there is 1");
  }
}

TEST_CASE("a command out of time goes on as a job, and is not killed") {
  for (const sandbox::Sandbox sandbox : ways()) {
    Bench bench(sandbox);
    const std::string moved = bench.call(
        "bash", {{"command", until_told("echo begun", "; echo over")}, {"timeout_ms", "=2000"}});
    CHECK(moved.starts_with("[job 1: moved to the background after 2,000 ms"));
    CHECK(has(moved, "begun"));
    go_on(bench);
    CHECK(has(bench.call("job_output", {{"job", "=1"}, {"wait", "=60"}}), "begun\nover\n"));
  }
}

TEST_CASE("what is out of time is ended if it only sleeps or works on a repository") {
  Bench bench;
  for (const char* command : {"sleep 100", "cat < <(git log; sleep 100)"}) {
    CHECK(has(bench.call("bash", {{"command", command}, {"timeout_ms", "=200"}}),
              "[timed out after"));
  }
}

TEST_CASE("the user moves a command that runs, and a wish from before it does not count") {
  Bench bench;
  std::atomic<bool> wish{true};
  model::ToolPorts ports = bench.ports();
  ports.to_background = [&] { return wish.exchange(false); };
  CHECK(text_of(bench.workspace.call("bash", {{"command", "sleep 0.3; echo done"}}, ports)) ==
        "done\n");
  ports.output = [&](std::string_view) { wish = true; };
  const std::string moved = text_of(
      bench.workspace.call("bash", {{"command", "echo begun; sleep 100; echo never"}}, ports));
  CHECK(moved.starts_with("[job 1: the user moved it to the background"));
  CHECK(bench.jobs->running() == 1);
}

TEST_CASE("a ninth job is refused, and a command out of time is then ended") {
  Bench bench(sandbox::Sandbox::none);
  bench.workspace.settings.limits.job_look = 10ms;
  for (int i = 0; i < 8; ++i) CHECK(bench.start("sleep 100").starts_with("[job "));
  CHECK(bench.start("sleep 100").starts_with("8 jobs are already running"));
  CHECK(has(bench.call("bash", {{"command", "cat < <(sleep 100)"}, {"timeout_ms", "=100"}}),
            "[timed out after"));
  bench.jobs->stop_all();
  CHECK(bench.jobs->running() == 0);
  CHECK(bench.start("sleep 100").starts_with("[job 9: started"));
}

TEST_CASE("a flood of output takes neither memory nor disk for ever") {
  Bench bench;
  bench.start("yes | head -c 200000000; echo; echo the end");
  bench.call("job_output", {{"job", "=1"}, {"wait", "=60"}});  // a busy machine may need longer
  const std::string end =
      bench.call("job_output", {{"job", "=1"}, {"wait", "=60"}, {"tail", "=1"}});
  CHECK(has(end, "exit status 0"));
  CHECK(has(end, "the end\n"));
  CHECK(std::filesystem::file_size(bench.state.path() / to_string(bench.session) / "1.log") <=
        (64u << 20) + 8);
  CHECK(has(bench.call("job_output", {{"job", "=1"}, {"since", "=2000000"}}),
            "are no longer stored"));
}

TEST_CASE("jobs end with the tools that started them") {
  const std::string one = unique_time();
  {
    Bench bench;
    bench.start("sleep " + one);
    CHECK(is_running(one));
  }
  CHECK_FALSE(is_running(one));
}

TEST_CASE("a job's guard takes back what would run by itself, however long after its call") {
  Bench bench;
  if (bench.workspace.settings.sandbox == sandbox::Sandbox::none) return;
  bench.start(
      until_told("mkdir -p sub/.git/hooks; git init -q sub; echo 'touch /tmp/x' > "
                 "sub/.git/hooks/post-checkout; chmod +x sub/.git/hooks/post-checkout",
                 ""));
  go_on(bench);
  bench.call("job_output", {{"job", "=1"}, {"wait", "=60"}});
  CHECK_FALSE(std::filesystem::exists(bench.workspace.root() / "sub/.git/hooks/post-checkout"));
  CHECK(has(bench.reports.at(0), "post-checkout"));
}

TEST_CASE("after a crash the session hears once what became of its jobs") {
  Bench bench;
  // What a skein that was killed leaves behind.
  const std::string folder = bench.state.path() / to_string(bench.session);
  jobs::Record record{.id = 2, .command = "make", .started = 1, .watcher = 999'999'999, .born = 1};
  REQUIRE(jobs::save_record(folder + "/2.json", record));
  { jobs::OutputLog(folder + "/2.log", jobs::OutputLog::Use::create).add("half done\n"); }

  const jobs::Jobs::Left left = bench.jobs->take_up(bench.session, [](int) { return false; });
  REQUIRE(left.ended.size() == 1);
  CHECK(left.ended[0].state == jobs::Record::State::lost);
  CHECK(has(left.reports[0], "[job 2 has ended: ended together with skein]"));
  CHECK(has(left.reports[0], "half done"));
  CHECK(left.running.empty());

  CHECK(bench.jobs->take_up(bench.session, [](int) { return true; }).ended.empty());
  CHECK_FALSE(std::filesystem::exists(folder + "/2.log"));
  CHECK(bench.start("sleep 100").starts_with("[job 3: started"));
}

TEST_CASE("an entry tells of the end of a job if its meta does") {
  jobs::Record record{.id = 3};
  CHECK_FALSE(jobs::tells_end(jobs::meta_of(record), 3));
  record.state = jobs::Record::State::ended;
  CHECK(jobs::tells_end(jobs::meta_of(record), 3));
  CHECK_FALSE(jobs::tells_end(jobs::meta_of(record), 4));
  CHECK_FALSE(jobs::tells_end("", 3));
  CHECK_FALSE(jobs::tells_end("{\"job\":", 3));
}
