// Writers are killed with SIGKILL again and again while others write and lock-free readers read:
// what was acknowledged stays, batches are whole or not there, what a reader has seen does not
// vanish. Then the same for the index: afterwards it says what a scan says.
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <random>
#include <set>

#include "core/store/home/file_backend.h"
#include "core/store/home/maintenance/repair.h"
#include "tests/support/homes.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t writers = 6, batch_size = 3;

// Outlives every process that is killed.
struct Shared {
  static constexpr std::size_t most = 4'000'000;
  std::atomic<std::size_t> acknowledged{0}, read{0}, saved{0};
  std::atomic<int> complaints{0};
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> first_ids[most];  // of acknowledged batches
};
Shared* shared = nullptr;

std::size_t slots_taken() { return std::min<std::size_t>(shared->acknowledged, Shared::most); }

void complain(const std::string& text) {
  if (shared->complaints++ < 20) std::fprintf(stderr, "%s\n", text.c_str());
}

void nap(long microseconds) {
  const timespec time{0, microseconds * 1000};
  nanosleep(&time, nullptr);
}

// The ids of a batch follow one another; the first is divisible by sixteen.
std::vector<store::NewEntry> batch_of(std::mt19937_64& random) {
  const std::uint64_t first = random() / 16 * 16;
  // A large batch is one that a kill can tear.
  const std::size_t length = random() % 200 == 0 ? 150'000 : 20 + random() % 200;
  std::vector<store::NewEntry> out;
  for (std::size_t i = 0; i < batch_size; ++i)
    out.push_back(user_says(std::string(length, 'x'), Id{first + i}));
  return out;
}

int write_until_killed(const std::string& home, Id session, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  store::SessionStore store = store_at(home);
  for (;;) {
    const std::vector<store::NewEntry> batch = batch_of(random);
    append(store, session, batch);
    const std::size_t at = shared->acknowledged++;
    if (at < Shared::most) shared->first_ids[at] = batch.front().entry.id.value;
  }
}

// The first ids of the batches that are there; complains of any that is not whole.
std::set<std::uint64_t> batches_in(store::SessionStore& store, Id session) {
  std::map<std::uint64_t, std::size_t> counts;
  for (const model::Entry& entry : entries_of(store, session)) ++counts[entry.id.value / 16 * 16];
  std::set<std::uint64_t> out;
  for (const auto& [first, count] : counts) {
    if (count != batch_size) complain("a batch is there by " + std::to_string(count) + " entries");
    out.insert(first);
  }
  return out;
}

int read_until_over(const std::string& home, Id session) {
  store::SessionStore store = store_at(home);
  std::set<std::uint64_t> seen;
  while (!shared->over) {
    // Acknowledged before the reading began, so it must be in it.
    const std::set<std::uint64_t> now = batches_in(store, session);
    for (const std::uint64_t first : seen)
      if (!now.contains(first)) complain("a batch that was read is not there any more");
    seen = now;
    ++shared->read;
    nap(5000);  // two readers that never rest would leave the writers no processor
  }
  return 0;
}

// Kills one after the other of a crew and puts another in its place.
std::size_t storm(std::size_t crew, std::size_t kills, Clock::duration at_most,
                  const std::function<int(std::uint64_t)>& work) {
  std::mt19937_64 random(crew);
  std::vector<pid_t> running, killed;
  std::uint64_t number = 1;
  for (std::size_t i = 0; i < crew; ++i)
    running.push_back(start([&, seed = number++] { return work(seed * 7919); }));
  const auto end = Clock::now() + at_most;
  std::size_t done = 0;
  for (; done < kills && Clock::now() < end; ++done) {
    nap(static_cast<long>(random() % 2500));
    pid_t& victim = running[random() % crew];
    kill(victim, SIGKILL);
    killed.push_back(victim);
    victim = start([&, seed = number++] { return work(seed * 7919); });
  }
  for (const pid_t each : running) {
    kill(each, SIGKILL);
    killed.push_back(each);
  }
  // Not one by one as they are killed: dying takes a processor, for which all of them wait.
  for (const pid_t each : killed)
    if (const int status = status_of(each); status != 137)
      complain("a process ended by itself with " + std::to_string(status));
  return done + crew;
}

// A round has its own home, so that transcripts stay short enough to be read again and again.
std::size_t storm_on_transcripts(std::size_t kills) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  std::vector<Id> sessions;
  {
    store::SessionStore store = store_at(home);
    for (const char* key : {"main:storm:a", "main:storm:b"})
      sessions.push_back(session_called(store, key));
  }
  shared->over = false;
  // A writer killed between taking a slot and filling it must not leave an id of the last round.
  for (std::size_t i = 0; i < slots_taken(); ++i) shared->first_ids[i] = 0;
  shared->acknowledged = 0;
  std::vector<pid_t> readers;
  for (const Id session : sessions)
    readers.push_back(start([&, session] { return read_until_over(home, session); }));
  const std::size_t done = storm(writers, kills, std::chrono::seconds(60), [&](std::uint64_t seed) {
    return write_until_killed(home, sessions[seed % sessions.size()], seed ^ kills);
  });
  shared->over = true;
  for (const pid_t reader : readers)
    if (status_of(reader) != 0) complain("a reader failed");

  store::SessionStore store = store_at(home);
  std::set<std::uint64_t> there;
  for (const Id session : sessions) {
    there.merge(batches_in(store, session));
    if (const std::string damage = damage_in(store, session); !damage.empty())
      complain("a transcript has" + damage);
  }
  for (std::size_t i = 0; i < slots_taken(); ++i)
    if (const std::uint64_t first = shared->first_ids[i]; first != 0 && !there.contains(first))
      complain("an acknowledged batch is lost: " + to_string(Id{first}));
  return done;
}

int write_index_until_killed(const std::string& home, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  store::SessionStore store = store_at(home);
  for (;;) {
    const std::string key = "main:index:k" + std::to_string(random() % 40);
    const store::Result<store::SessionHandle> made = store.create_session({.key = key, .cwd = "/"});
    if (!made) throw Error(made.error().text);
    const Id session = made->session_id;
    const std::vector<store::NewEntry> one{user_says("x")};
    const store::Result<store::AppendResult> appended = store.append_session_entries(session, one);
    if (random() % 3 == 0)
      (void)store.life_cycle().erase(session);
    else if (random() % 2 == 0)
      store.presence().remember(session, "/workspace" + std::to_string(random() % 60));
    else
      store.list();
    ++shared->saved;
  }
}

std::size_t storm_on_index(std::size_t kills) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  const std::size_t done = storm(8, kills, std::chrono::seconds(60), [&](std::uint64_t seed) {
    return write_index_until_killed(home, seed);
  });
  store::SessionStore store = store_at(home);
  const std::vector<std::string> listed = listing(store);
  store::SessionStore other = store_at(home);
  value_of(store::home::maintenance::rebuild_index(*home_at(home)));
  if (listed != listing(other)) complain("the index is not what a scan says");
  return done;
}

}  // namespace

int main() {
  use_memory_disk();
  void* place =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared = new (place) Shared;
  const std::size_t rounds = long_run() ? 200 : 20;
  std::size_t kills = 0, acknowledged = 0, index_kills = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    kills += storm_on_transcripts(300 + round);
    acknowledged += shared->acknowledged;
  }
  for (std::size_t round = 0; round < rounds; ++round) index_kills += storm_on_index(30);
  std::printf(
      "kill_storm: %zu kills of writers, %zu batches acknowledged, %zu readings; %zu kills of "
      "index "
      "writers, %zu rounds of theirs finished, %d complaints\n",
      kills, acknowledged, shared->read.load(), index_kills, shared->saved.load(),
      shared->complaints.load());
  return shared->complaints == 0 && kills >= 6000 ? 0 : 1;
}
