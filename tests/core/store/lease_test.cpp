// Telling work that is under way from what a crash left behind.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include "core/store/home/file_backend.h"
#include "core/store/home/presence.h"
#include "tests/support/homes.h"
#include "tests/support/process.h"
#include "tests/support/stage.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

bool can(SessionStore& store, Id session, LockMode company) {
  return bool(store.presence().hold(session, company));
}

constexpr const char* one_call = R"([[{"call": {"id": "c1", "name": "poke"}}], "done"])";

}  // namespace

TEST_CASE("any number may be at work in a session, one alone only when nobody else is") {
  const TempDir dir;
  SessionStore ours = store_at(dir.path().string()), theirs = store_at(dir.path().string());
  const Id session = session_called(ours, "main:test:one"),
           other = session_called(ours, "main:test:two");

  SessionLease first = value_of(ours.presence().hold(session, LockMode::shared));
  CHECK(can(theirs, session, LockMode::shared));
  CHECK(!can(theirs, session, LockMode::exclusive));
  CHECK(!can(ours, session, LockMode::exclusive));
  CHECK(can(theirs, other, LockMode::exclusive));

  first.reset();
  SessionLease alone = value_of(theirs.presence().hold(session, LockMode::exclusive));
  CHECK(!can(ours, session, LockMode::shared));
  alone.reset();
  CHECK(can(ours, session, LockMode::shared));
}

TEST_CASE("whoever has a session open is known to others, until it is closed") {
  const TempDir dir;
  SessionStore store = store_at(dir.path().string());
  const Id session = session_called(store, "main:test:one"),
           other = session_called(store, "main:test:two");
  const std::shared_ptr<files::Files> folder = value_of(files::files_beneath(dir.path().string()));
  CHECK(home::open_by(*folder, session).empty());

  SessionLease first = home::keep_open(folder, session);
  REQUIRE(first);
  const std::string who = home::open_by(*folder, session);
  CHECK(who.ends_with("process " + std::to_string(getpid())));
  CHECK(home::open_by(*folder, other).empty());
  CHECK(can(store, session, LockMode::exclusive));  // nobody is kept out

  first.reset();
  CHECK(home::open_by(*folder, session).empty());
  std::vector<std::string> notes;
  folder->list("open", notes);
  CHECK(notes.empty());
}

TEST_CASE("whoever dies at work is not at work any more, and its children never were") {
  const TempDir dir;
  SessionStore store = store_at(dir.path().string());
  const Id session = session_called(store, "main:test:one");
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t worker = start([&] {
    SessionStore own = store_at(dir.path().string());
    const SessionLease hold = value_of(own.presence().hold(session, LockMode::shared));
    const pid_t child = fork();
    if (child == 0) execlp("sleep", "sleep", "60", nullptr);
    if (write(ready[1], &child, sizeof child) != sizeof child) return 1;
    pause();
    return 0;
  });
  pid_t child = 0;
  REQUIRE(read(ready[0], &child, sizeof child) == sizeof child);
  CHECK(!can(store, session, LockMode::exclusive));

  kill(worker, SIGKILL);
  status_of(worker);
  // Until its exec the child holds what was open when it was made.
  bool free = false;
  for (int tries = 0; !free && tries < 6000; ++tries) {
    free = can(store, session, LockMode::exclusive);
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
  ours.settings.rules.mode = permission::Mode::bypass;
  agent::Conversation working = ours.conversation();
  std::size_t recovered = 99;
  ours.listener =
      [&](const model::Event& event) {  // the other one opens the session while ours runs
        if (!std::holds_alternative<model::ToolStarted>(event)) return;
        agent::Conversation opened(theirs.store, working.session());
        recovered = test::recover(theirs.agent, opened, theirs.ports());
      };

  ours.turn(working, "go");

  CHECK(recovered == 0);
  CHECK(theirs.notices() ==
        Lines{"another process is using this session; skein leaves its unfinished calls alone"});
  CHECK(lines_of(ours.stored(working)) == Lines{"runtime_init", "model_change", "user: go",
                                                "assistant: [poke c1] -> tool_use",
                                                "result c1: done", "assistant: done -> stop"});
}

TEST_CASE("what came to its end while a session was being opened is not marked interrupted") {
  const TempDir dir;
  Stage ours(one_call, store_at(dir.path().string()));
  Stage theirs("[]", store_at(dir.path().string()));
  ours.settings.rules.mode = permission::Mode::bypass;
  agent::Conversation working = ours.conversation();
  std::optional<agent::Conversation> opened;
  ours.listener = [&](const model::Event& event) {
    if (std::holds_alternative<model::ToolStarted>(event))
      opened.emplace(theirs.store, working.session());
  };
  ours.turn(working, "go");
  REQUIRE(unanswered_calls(opened->path()).size() == 1);

  CHECK(test::recover(theirs.agent, *opened, theirs.ports()) == 0);

  CHECK(opened->head() == working.head());
  CHECK(ours.stored(working).size() == 6);
}
