// Telling work that is under way from what a crash left behind.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include "core/store/file_backend.h"
#include "tests/support/homes.h"
#include "tests/support/process.h"
#include "tests/support/stage.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

bool can(SessionStore& store, Id session, Company company) {
  return std::holds_alternative<Hold>(store.hold(session, company));
}

constexpr const char* one_call = R"([[{"call": {"id": "c1", "name": "poke"}}], "done"])";

}  // namespace

TEST_CASE("any number may be at work in a session, one alone only when nobody else is") {
  const TempDir dir;
  SessionStore ours = store_at(dir.path().string()), theirs = store_at(dir.path().string());
  const Id session = session_called(ours, "main:test:one"),
           other = session_called(ours, "main:test:two");

  Hold first = value_of(ours.hold(session, Company::others));
  CHECK(can(theirs, session, Company::others));
  CHECK(!can(theirs, session, Company::nobody));
  CHECK(!can(ours, session, Company::nobody));
  CHECK(can(theirs, other, Company::nobody));

  first.reset();
  Hold alone = value_of(theirs.hold(session, Company::nobody));
  CHECK(!can(ours, session, Company::others));
  alone.reset();
  CHECK(can(ours, session, Company::others));
}

TEST_CASE("whoever dies at work is not at work any more, and its children never were") {
  const TempDir dir;
  SessionStore store = store_at(dir.path().string());
  const Id session = session_called(store, "main:test:one");
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t worker = start([&] {
    SessionStore own = store_at(dir.path().string());
    const Hold hold = value_of(own.hold(session, Company::others));
    const pid_t child = fork();
    if (child == 0) execlp("sleep", "sleep", "60", nullptr);
    if (write(ready[1], &child, sizeof child) != sizeof child) return 1;
    pause();
    return 0;
  });
  pid_t child = 0;
  REQUIRE(read(ready[0], &child, sizeof child) == sizeof child);
  CHECK(!can(store, session, Company::nobody));

  kill(worker, SIGKILL);
  status_of(worker);
  // Until its exec the child holds what was open when it was made.
  bool free = false;
  for (int tries = 0; !free && tries < 1000; ++tries) {
    free = can(store, session, Company::nobody);
    if (!free) usleep(10'000);
  }
  CHECK(free);
  CHECK(kill(child, SIGKILL) == 0);  // it was there all the time
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("a call another process is about to answer is not taken for a crash") {
  const TempDir dir;
  Stage ours(one_call, store_at(dir.path().string()));
  Stage theirs("[]", store_at(dir.path().string()));
  ours.settings.rules.mode = Mode::bypass;
  Conversation working = ours.conversation();
  std::size_t recovered = 99;
  ours.listener = [&](const Event& event) {  // the other one opens the session while ours runs
    if (!std::holds_alternative<ToolStarted>(event)) return;
    Conversation opened(theirs.store, working.session());
    recovered = theirs.agent.recover(opened, theirs.ports());
  };

  ours.turn(working, "go");

  CHECK(recovered == 0);
  CHECK(theirs.notices() ==
        Lines{"another process is at work in this session; what it began is left to it"});
  CHECK(lines_of(ours.stored(working)) == Lines{"runtime_init", "model_change", "user: go",
                                                "assistant: [poke c1] -> tool_use",
                                                "result c1: done", "assistant: done -> stop"});
}

TEST_CASE("what came to its end while a session was being opened is not marked interrupted") {
  const TempDir dir;
  Stage ours(one_call, store_at(dir.path().string()));
  Stage theirs("[]", store_at(dir.path().string()));
  ours.settings.rules.mode = Mode::bypass;
  Conversation working = ours.conversation();
  std::optional<Conversation> opened;
  ours.listener = [&](const Event& event) {
    if (std::holds_alternative<ToolStarted>(event)) opened.emplace(theirs.store, working.session());
  };
  ours.turn(working, "go");
  REQUIRE(unanswered_calls(opened->path()).size() == 1);

  CHECK(theirs.agent.recover(*opened, theirs.ports()) == 0);

  CHECK(opened->head() == working.head());
  CHECK(ours.stored(working).size() == 6);
}
