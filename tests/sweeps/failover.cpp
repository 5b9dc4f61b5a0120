// Eight writers on four sessions while the primary is killed and its standby promoted. With a
// synchronous standby every acknowledged entry is there afterwards, whole batches only, none twice.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/store/postgres/database_backend.h"
#include "tests/support/homes.h"
#include "tests/support/long_run.h"
#include "tests/support/postgres_server.h"
#include "tests/support/process.h"
#include "tests/support/store_samples.h"
#include "tests/support/sweep.h"

using namespace skein;
using namespace skein::test;
namespace postgres = store::postgres;

namespace {

constexpr int writers = 8, sessions = 4;
constexpr std::size_t most_batches = 20'000;  // of one writer in a round

// What the writers have been told, in memory that outlives them.
struct Told {
  std::atomic<std::uint32_t> batches[writers];
  std::atomic<bool> enough;
};

Id session_of(int writer) { return Id{0x500u + static_cast<std::uint64_t>(writer % sessions)}; }

// Batches of one to four entries, each known by its writer, its number and its place.
Id id_of(int writer, std::size_t batch, std::size_t place) {
  return Id{static_cast<std::uint64_t>(writer + 1) << 40 | batch << 4 | place};
}
std::size_t entries_in(std::size_t batch) { return 1 + batch % 4; }

int write_on(const std::string& address, int writer, Told& told) {
  postgres::DatabaseBackend backend(address);
  for (std::size_t batch = 0; batch < most_batches && !told.enough; ++batch) {
    std::vector<store::NewEntry> entries;
    for (std::size_t place = 0; place < entries_in(batch); ++place) {
      store::NewEntry entry = user_says("hello");
      entry.entry.id = id_of(writer, batch, place);
      entries.push_back(entry);
    }
    if (const auto done = backend.append(session_of(writer), entries, {}); !done) {
      std::fprintf(stderr, "writer %d: %s\n", writer, done.error().text.c_str());
      return told.enough ? 0 : 1;
    }
    told.batches[writer] = static_cast<std::uint32_t>(batch + 1);
  }
  return 0;
}

void wait_for(const PostgresServer& primary, const std::string& state) {
  for (int tries = 0; tries < 300; ++tries) {
    if (primary.ask("postgres", "select max(sync_state) from pg_stat_replication") == state) return;
    usleep(100'000);
  }
  throw Error("the standby does not follow");
}

struct Round {
  std::size_t acknowledged = 0, lost = 0, halves = 0, twice = 0, failed = 0;
};

Round one_round(bool synchronous) {
  const std::vector<std::string> settings{"fsync=off", "wal_level=replica"};
  auto primary = std::make_unique<PostgresServer>(settings);
  PostgresServer standby(*primary, settings);
  if (synchronous) {
    primary->run_sql("postgres", "alter system set synchronous_standby_names = '*'");
    primary->run_sql("postgres", "select pg_reload_conf()");
  }
  wait_for(*primary, synchronous ? "sync" : "async");
  const std::string database = primary->make_database();
  const std::string address = "postgresql://alice@127.0.0.1:" + std::to_string(primary->port()) +
                              ",127.0.0.1:" + std::to_string(standby.port()) + "/" + database;
  {
    postgres::DatabaseBackend backend(address);
    for (int i = 0; i < sessions; ++i)
      value_of(backend.create(header_of(session_of(i), "main:cli:s" + std::to_string(i)), {}));
  }
  void* memory =
      mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Told& told = *new (memory) Told{};
  std::vector<pid_t> processes;
  for (int writer = 0; writer < writers; ++writer)
    processes.push_back(start([&] { return write_on(address, writer, told); }));
  sleep(3);
  primary->kill_at_once();
  standby.promote();
  // Else its commits wait for a standby that it does not have.
  standby.run_sql("postgres", "alter system set synchronous_standby_names = ''");
  standby.run_sql("postgres", "select pg_reload_conf()");
  sleep(3);
  told.enough = true;
  Round round;
  for (const pid_t process : processes) round.failed += status_of(process) != 0;

  postgres::DatabaseBackend backend(standby.address(database));
  std::map<Id, int> there;
  for (int i = 0; i < sessions; ++i) {
    for (const Id id : ids_of(backend, session_of(i))) ++there[id];
    if (value_of(backend.examine(session_of(i))).any()) ++round.halves;
  }
  for (const auto& [id, count] : there) round.twice += count > 1;
  for (int writer = 0; writer < writers; ++writer) {
    const std::size_t batches = told.batches[writer];
    for (std::size_t batch = 0; batch <= batches; ++batch) {
      std::size_t found = 0;
      for (std::size_t place = 0; place < entries_in(batch); ++place)
        found += there.contains(id_of(writer, batch, place));
      if (batch < batches) {
        round.acknowledged += entries_in(batch);
        round.lost += entries_in(batch) - found;
      }
      round.halves += found != 0 && found != entries_in(batch);
    }
  }
  munmap(memory, sizeof(Told));
  return round;
}

}  // namespace

int main() {
  if (PostgresServer::programs().empty()) {
    std::printf("failover: skipped, there is no PostgreSQL server on this machine\n");
    return 0;
  }
  Sweep sweep("failover");
  for (int i = 0; i < (long_run() ? 20 : 2); ++i) {
    const Round round = one_round(true);
    sweep.count(round.acknowledged);
    sweep.check(round.lost + round.halves + round.twice + round.failed == 0, [&] {
      return std::to_string(round.lost) + " lost, " + std::to_string(round.halves) +
             " half batches, " + std::to_string(round.twice) + " twice, " +
             std::to_string(round.failed) + " writers gave up";
    });
  }
  if (long_run()) {
    // That the sweep can fail: an asynchronous standby may lack what was acknowledged.
    std::size_t lost = 0;
    for (int i = 0; i < 10 && lost == 0; ++i) lost = one_round(false).lost;
    sweep.check(lost > 0, [] { return "an asynchronous standby lost nothing in ten rounds"; });
  }
  return sweep.end("acknowledged entries through a failover");
}
