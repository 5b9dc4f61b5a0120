// A process that is stopped while it holds a lock: others say so after ten seconds, take nothing
// from it, and go on when it goes on. And a process that was started meanwhile does not keep the
// lock of one that died.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "core/store/home/file_backend.h"
#include "core/store/log/log_writer.h"
#include "tests/support/homes.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

using Clock = std::chrono::steady_clock;
const std::string main_key = "main:cli:user";
const std::string line = R"({"type":"message","payload":{"role":"user","content":[]}})";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Holds the lock of `path` until it is told to go on, then lets go and ends.
pid_t stopped_holder(const std::string& path) {
  const pid_t child = start([&] {
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX) < 0) return 1;
    raise(SIGSTOP);
    return 0;
  });
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  return child;
}

struct Waiting {
  const char* held;  // which lock: of the session's transcript or of the index
  std::vector<std::string> words;
  int status;  // while it is held
};
const Waiting waits[] = {
    {"session", {"append", main_key}, 3},
    {"session", {"sessions", "rename", main_key, "title"}, 3},
    {"session", {"sessions", "delete", main_key}, 3},
    {"session", {"sessions", "list"}, 0},
    {"session", {"sessions", "show", main_key}, 0},
    {"session", {"doctor"}, 0},
    {"index", {"append", "main:new:one"}, 3},
    {"index", {"branch", main_key, "--new-key", "main:new:two"}, 3},
    {"index", {"sessions", "delete", main_key}, 3},
    {"index", {"sessions", "restore", main_key}, 3},
    {"index", {"doctor", "--rebuild-index"}, 3},
    {"index", {"sessions", "list"}, 0},
    {"index", {"sessions", "show", main_key}, 0},
    {"index", {"append", main_key}, 0},
};

std::string wait_in_vain(const Waiting& each) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  Id session;
  {
    store::SessionStore store = store_at(home);
    session = session_called(store, main_key);
    append(store, session, {user_says("one")});
  }
  const std::string transcript = home + "/" + store::log::transcript_path(session);
  const std::string before = read_file(transcript);
  const bool of_session = std::string_view(each.held) == "session";
  const pid_t holder = stopped_holder(of_session ? transcript : home + "/index.lock");

  std::string what = std::string("with the lock of the ") + each.held + " held, `";
  for (const std::string& word : each.words) what += word + " ";
  const auto begin = Clock::now();
  const Finished finished = run(skein_command(home, each.words, line));
  const double took = seconds_since(begin);
  const bool waits_for_it = each.status == 3;
  std::string trouble;
  if (finished.status != each.status)
    trouble = "ended with " + std::to_string(finished.status) + ": " + finished.err;
  else if (waits_for_it ? took < 9.5 || took > 19 : took > 9)  // the machine may be busy
    trouble = "took " + std::to_string(took) + " seconds";
  else if (waits_for_it && finished.err.find("lock") == std::string::npos)
    trouble = "does not say why: " + finished.err;
  else if (waits_for_it && read_file(transcript) != before)
    trouble = "changed the transcript without the lock";
  kill(holder, SIGCONT);
  status_of(holder);
  if (trouble.empty() && waits_for_it && each.words[1] != "restore")
    if (const Finished after = run(skein_command(home, each.words, line)); after.status != 0)
      trouble = "fails when the lock is free again: " + after.err;
  return trouble.empty() ? "" : what + "` " + trouble;
}

// One that waits goes on as soon as the holder does.
std::string wait_with_success() {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  store::SessionStore store = store_at(home);
  const Id session = session_called(store, main_key);
  const pid_t holder = stopped_holder(home + "/" + store::log::transcript_path(session));
  const pid_t waiter = start([&] {
    return run(skein_command(home, {"append", main_key}, line)).status;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const bool early = !entries_of(store, session).empty();
  kill(holder, SIGCONT);
  status_of(holder);
  const int status = status_of(waiter);
  if (early) return "an append went past a held lock";
  return status == 0 && entries_of(store, session).size() == 1 ? "" : "a waiting append failed";
}

// A real writer, stopped wherever it happens to be.
std::string stop_a_writer(std::size_t number) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  store::SessionStore store = store_at(home);
  const Id session = session_called(store, main_key);
  const pid_t writer = start([&] {
    store::SessionStore mine = store_at(home);
    for (int i = 0; i < 400; ++i) append(mine, session, {user_says(std::string(20'000, 'x'))});
    return 0;
  });
  std::this_thread::sleep_for(std::chrono::microseconds(3000 + number * 97 % 5000));
  kill(writer, SIGSTOP);
  const std::size_t seen = entries_of(store, session).size();
  if (const std::string damage = damage_in(store, session); !damage.empty())
    return "beside a stopped writer a reader sees" + damage;
  kill(writer, SIGCONT);
  append(store, session, {user_says("mine")});
  const int status = status_of(writer);
  const std::size_t there = entries_of(store, session).size();
  if (status != 0 || seen > 400 || there != 401)
    return "a stopped writer left " + std::to_string(there) + " entries, status " +
           std::to_string(status);
  return {};
}

// The writer starts programs from a second thread all the time; they must not inherit the lock.
std::string die_with_children(std::size_t number) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  store::SessionStore store = store_at(home);
  const Id session = session_called(store, main_key);
  const pid_t writer = start([&] {
    setpgid(0, 0);
    std::thread starts_programs([] {
      for (int i = 0; i < 20; ++i) {
        char name[] = "sleep", time[] = "20";
        char* argv[] = {name, time, nullptr};
        pid_t ignored = 0;
        posix_spawnp(&ignored, "sleep", nullptr, nullptr, argv, environ);
      }
    });
    store::SessionStore mine = store_at(home);
    for (;;) append(mine, session, {user_says(std::string(50'000, 'x'))});
    return 0;
  });
  std::this_thread::sleep_for(std::chrono::microseconds(4000 + number * 131 % 9000));
  kill(writer, SIGKILL);
  status_of(writer);
  const auto begin = Clock::now();
  append(store, session, {user_says("mine")});
  const double took = seconds_since(begin);
  kill(-writer, SIGKILL);  // the programs it started
  return took < 9 ? "" : "a child kept the lock for " + std::to_string(took) + " seconds";
}

template <class Test>
std::string told(const Test& test) {
  try {
    return test();
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

int main() {
  use_memory_disk();
  const std::size_t more = long_run() ? 10 : 1, waiting = std::size(waits);
  // All at once: each waits for ten seconds and does nothing else.
  std::size_t complaints = complaints_of(waiting + 1, static_cast<int>(waiting) + 1, [](auto i) {
    return told(
        [&] { return i < std::size(waits) ? wait_in_vain(waits[i]) : wait_with_success(); });
  });
  complaints +=
      complaints_of(50 * more, 2, [](auto i) { return told([&] { return stop_a_writer(i); }); });
  complaints += complaints_of(100 * more, 2,
                              [](auto i) { return told([&] { return die_with_children(i); }); });
  std::printf(
      "held_locks: %zu held locks, %zu writers stopped, %zu writers killed with children running, "
      "%zu complaints\n",
      waiting + 1, 50 * more, 100 * more, complaints);
  return complaints == 0 ? 0 : 1;
}
