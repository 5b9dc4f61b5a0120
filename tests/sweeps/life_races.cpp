// Appends against what moves or replaces a whole session, from another process: archiving, the
// trash and back, scrubbing, migrating. Whatever was acknowledged is there afterwards, once.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "core/store/home/file_backend.h"
#include "core/store/home/maintenance/scrub.h"
#include "core/store/home/migration.h"
#include "tests/support/homes.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

int complaints = 0;
void complain(const std::string& text) {
  if (complaints++ < 20) std::fprintf(stderr, "life_races: %s\n", text.c_str());
}

bool may_fail(const store::Failure& failure) {
  return failure.kind == store::Failure::Kind::gone || failure.kind == store::Failure::Kind::busy;
}

bool has_ended(pid_t process) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

struct Race {
  const char* name;
  // One round of the other process; throws Error if it goes wrong.
  void (*round)(store::home::Home& home, store::SessionStore& store, Id session, int number);
};

template <class Value>
void check(const store::Result<Value>& done) {
  if (!done && !may_fail(done.error())) throw Error(done.error().text);
}

constexpr Race races[] = {
    {"archive",
     [](store::home::Home&, store::SessionStore& store, Id session, int number) {
       check(number % 3 == 2 ? store.life_cycle().unarchive(session)
                             : store.life_cycle().archive(session));
     }},
    {"trash",
     [](store::home::Home&, store::SessionStore& store, Id session, int) {
       check(store.life_cycle().erase(session));
       check(store.life_cycle().restore(to_string(session)));
     }},
    {"scrub",
     [](store::home::Home& home, store::SessionStore& store, Id session, int number) {
       const Id leaked = numbered_id(1'000'000 + static_cast<std::uint64_t>(number));
       append(store, session,
              {user_says("tok_9f8e7d6c5b4aZQ31xY" + std::to_string(number), leaked)});
       value_of(store.mark(session, model::payload::Redaction{leaked, "leaked"}));
       value_of(store::home::maintenance::scrub(home, session, leaked));
     }},
};

// What each of the two has done, in memory both see.
struct Progress {
  std::atomic<int> rounds{0}, appends{0};
};
Progress& progress() {
  static auto* both = new (mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Progress;
  return *both;
}

// Appends until the other process has ended, a few times in each of its rounds, so that neither
// waits for the other all the time; every id that was acknowledged.
std::vector<Id> append_beside(const std::string& home, Id session, pid_t other) {
  store::SessionStore store = store_at(home);
  std::vector<Id> acknowledged;
  int round = -1, left = 0;
  for (std::uint64_t number = 1; !has_ended(other);) {
    if (const int now = progress().rounds; std::exchange(round, now) != now) left = 4;
    if (left-- <= 0) {
      sched_yield();
      continue;
    }
    ++number;
    const store::NewEntry entry = user_says("line " + std::to_string(number), numbered_id(number));
    const store::Result<store::AppendResult> outcome =
        store.append_session_entries(session, std::span(&entry, 1));
    ++progress().appends;
    if (outcome)
      acknowledged.push_back(entry.entry.id);
    else if (!may_fail(outcome.error()))
      complain("an append failed: " + outcome.error().text);
  }
  return acknowledged;
}

void check_all_there(store::SessionStore& store, Id session, const std::vector<Id>& acknowledged,
                     const std::string& where) {
  std::map<Id, int> there;
  for (const model::Entry& entry : entries_of(store, session)) ++there[entry.id];
  for (const Id id : acknowledged)
    if (there[id] != 1)
      complain(where + ": " + to_string(id) + " is there " + std::to_string(there[id]) + " times");
  if (const std::string damage = damage_in(store, session); !damage.empty())
    complain(where + ": the session has" + damage);
}

std::size_t run_race(const Race& race, int rounds) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  store::SessionStore store = store_at(home);
  const Id session = session_called(store, "main:cli:user");
  progress().rounds = progress().appends = 0;
  const pid_t other = start([&] {
    const auto opened = home_at(home);
    store::SessionStore own(std::make_unique<store::home::FileBackend>(opened));
    for (int number = 0; number < rounds; ++number) {
      const int before = progress().appends;
      race.round(*opened, own, session, number);
      ++progress().rounds;
      while (progress().appends == before) sched_yield();  // none is missed
    }
    return 0;
  });
  const std::vector<Id> acknowledged = append_beside(home, session, other);
  if (const int status = status_of(other); status != 0)
    complain(std::string(race.name) + ": the other process ended with " + std::to_string(status));
  store::SessionStore fresh = store_at(home);
  (void)fresh.life_cycle().restore(to_string(session));
  check_all_there(fresh, session, acknowledged, race.name);
  return acknowledged.size();
}

// Two at one session in an older form: one migrates it, the other appends and so migrates as well.
std::size_t race_migrations(int rounds) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  store_at(home);
  const auto session = [](int number) {
    return Id{0x4d16000000000000u + static_cast<unsigned>(number)};
  };
  for (int number = 0; number < rounds; ++number) {
    const std::string name = "home/transcripts/" + to_string(session(number));
    if (number % 2 == 0)
      write_file(dir / (name + ".json"), R"([{"role":"user","content":"old"}])");
    else
      write_file(dir / (name + ".jsonl"),
                 "{\"type\":\"session\",\"id\":\"0\",\"key\":\"main:flat:k" +
                     std::to_string(number) +
                     "\",\"created\":\"x\"}\n{\"type\":\"user\",\"content\":\"old\"}\n");
  }
  const pid_t other = start([&] {
    const auto own = home_at(home);
    for (int number = 0; number < rounds; ++number) {
      check(store::home::migrate(*own, session(number)));
    }
    return 0;
  });
  store::SessionStore store = store_at(home);
  std::vector<Id> acknowledged;
  for (int number = 0; number < rounds; ++number) {
    const store::NewEntry entry = user_says("new", numbered_id(static_cast<std::uint64_t>(number)));
    const store::Result<store::AppendResult> outcome =
        store.append_session_entries(session(number), std::span(&entry, 1));
    if (!outcome) {
      complain("an append to an older form failed: " + outcome.error().text);
      continue;
    }
    acknowledged.push_back(session(number));
    check_all_there(store, session(number), {entry.entry.id}, "migrate");
    if (entries_of(store, session(number)).size() != 2) complain("migrate: what was old is lost");
  }
  if (status_of(other) != 0) complain("migrate: the other process failed");
  store::SessionStore fresh = store_at(home);
  for (const Id each : acknowledged)
    if (entries_of(fresh, each).size() != 2) complain("migrate: an entry was lost");
  return acknowledged.size();
}

}  // namespace

int main(int argc, char** argv) {
  use_memory_disk();
  const int rounds = argc > 1 ? std::atoi(argv[1]) : long_run() ? 5'000 : 1'000;
  std::printf("life_races: %d rounds each:", rounds);
  for (const Race& race : races)
    std::printf(" %s beside %zu appends,", race.name, run_race(race, rounds));
  std::printf(" migrate beside %zu appends; %d complaints\n", race_migrations(rounds), complaints);
  return complaints == 0 ? 0 : 1;
}
