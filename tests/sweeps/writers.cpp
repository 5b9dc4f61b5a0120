// Many processes at once. On one session: every append is there, in one line, in one chain. On many
// sessions that are made, thrown away and restored meanwhile: nothing acknowledged is lost.
#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
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

int complaints = 0;
void complain(const std::string& text) {
  if (complaints++ < 20) std::fprintf(stderr, "%s\n", text.c_str());
}

std::string by(int worker, int number) {
  return "worker " + std::to_string(worker) + " number " + std::to_string(number);
}

// Now and then one insists on the tail it knows, and on a conflict takes the one it is told.
int append_many(const std::string& home, Id session, int worker, int count) {
  store::SessionStore store = store_at(home);
  std::optional<Id> tail = store.open(session).state.tail;
  for (int number = 0; number < count;) {
    const std::vector<store::NewEntry> one{user_says(by(worker, number))};
    store::AppendOptions options;
    if (worker % 2 == 1 && number % 20 == 0 && tail) options.expected_tail = tail;
    const store::Result<store::AppendResult> outcome =
        store.append_session_entries(session, one, options);
    if (!outcome) {
      if (outcome.error().kind != store::Failure::Kind::conflict) throw Error(outcome.error().text);
      tail = outcome.error().tail;
      continue;
    }
    tail = one.front().entry.id;
    ++number;
  }
  return 0;
}

std::size_t one_session(int workers, int each) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  store::SessionStore store = store_at(home);
  const Id session = session_called(store, "main:cli:user");
  std::vector<pid_t> children;
  for (int worker = 0; worker < workers; ++worker)
    children.push_back(start([&] { return append_many(home, session, worker, each); }));
  const std::string where = std::to_string(workers) + " x " + std::to_string(each) + ": ";
  for (const pid_t child : children)
    if (const int status = status_of(child); status != 0)
      complain(where + "a writer ended with " + std::to_string(status));

  store::SessionStore fresh = store_at(home);
  const std::vector<model::Entry> entries = entries_of(fresh, session);
  if (entries.size() != static_cast<std::size_t>(workers * each))
    complain(where + std::to_string(entries.size()) + " entries");
  std::optional<Id> previous;
  std::map<std::string, int> seen;
  for (const model::Entry& entry : entries) {
    if (entry.parent != previous) complain(where + "the chain breaks at " + to_string(entry.id));
    previous = entry.id;
    ++seen[model::preview(entry, 60)];
  }
  for (int worker = 0; worker < workers; ++worker)
    for (int number = 0; number < each; ++number)
      if (seen[by(worker, number)] != 1)
        complain(where + by(worker, number) + " is there " +
                 std::to_string(seen[by(worker, number)]) + " times");
  const store::Damage damage = value_of(fresh.transcripts().examine(session));
  if (damage.any()) complain(where + "the transcript is damaged");
  return entries.size();
}

// What workers were told is safe, in memory that outlives them.
struct Acknowledged {
  static constexpr std::size_t most = 400'000;
  std::atomic<std::size_t> count{0};
  struct {
    std::atomic<std::uint64_t> session, entry;
  } all[most];
  std::atomic<std::size_t> done[6];
  void add(Id session, Id entry) {
    const std::size_t at = count++;
    if (at >= most) return;
    all[at].session = session.value;
    all[at].entry = entry.value;
  }
};

// What may happen to one who works on a session that others throw away and bring back.
bool expected(const store::Failure& failure) {
  return failure.kind == store::Failure::Kind::gone ||
         failure.kind == store::Failure::Kind::refused ||
         failure.kind == store::Failure::Kind::busy;
}

int work_on_many(const std::string& home, int worker, int operations, int keys, Acknowledged& log) {
  store::SessionStore store = store_at(home);
  std::mt19937 random(static_cast<unsigned>(worker));
  std::map<std::string, Id> known;
  for (int done = 0; done < operations; ++done) {
    const std::string key =
        "main:many:k" + std::to_string(random() % static_cast<std::size_t>(keys));
    const auto dice = random() % 100;
    const std::size_t kind = dice < 2 || !known.contains(key) ? 0
                             : dice < 91                      ? 1
                             : dice < 94                      ? 2
                             : dice < 97                      ? 3
                                                              : 4;
    store::Result<void> went;
    if (kind == 0) {
      const store::Result<store::SessionHandle> made =
          store.create_session({.key = key, .cwd = "/"});
      if (made)
        known[key] = made->session_id;
      else
        went = made.error();
    } else if (kind == 1) {
      const std::vector<store::NewEntry> batch{user_says(by(worker, done)), user_says("and more")};
      const store::Result<store::AppendResult> outcome =
          store.append_session_entries(known[key], batch);
      if (outcome)
        for (const store::NewEntry& each : batch) log.add(known[key], each.entry.id);
      else
        went = outcome.error();
    } else if (kind == 2) {
      went = store.life_cycle().erase(known[key]);
    } else if (kind == 3) {
      const store::Result<store::SessionRecord> restored =
          store.life_cycle().restore(to_string(known[key]));
      if (!restored) went = restored.error();
    } else {
      store.list();
    }
    ++log.done[kind];
    if (!went && went.error().kind == store::Failure::Kind::busy) ++log.done[5];
    if (!went && !expected(went.error()))
      throw Error("kind " + std::to_string(kind) + ": " + went.error().text);
  }
  return 0;
}

void many_sessions(int workers, int operations, int keys, Acknowledged& log) {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  std::vector<pid_t> children;
  for (int worker = 0; worker < workers; ++worker)
    children.push_back(start([&] { return work_on_many(home, worker, operations, keys, log); }));
  for (const pid_t child : children)
    if (const int status = status_of(child); status != 0)
      complain("a worker on many sessions ended with " + std::to_string(status));

  store::SessionStore store = store_at(home);
  if (const std::vector<std::string> listed = listing(store); true) {
    store::SessionStore other = store_at(home);
    value_of(store::home::maintenance::rebuild_index(*home_at(home)));
    if (listed != listing(other)) complain("the list is not what a rebuilt index says");
  }
  for (const auto& file : std::filesystem::directory_iterator(dir / "home" / "trash"))
    (void)store.life_cycle().restore(file.path().filename().string().substr(0, 16));
  std::map<Id, std::set<Id>> there;
  std::set<std::string> keys_seen;
  for (const store::SessionRecord& each : store.list()) {
    if (!keys_seen.insert(each.key).second) complain("two sessions are called " + each.key);
    for (const model::Entry& entry : entries_of(store, each.header.session))
      there[each.header.session].insert(entry.id);
    if (const std::string damage = damage_in(store, each.header.session); !damage.empty())
      complain(each.key + " has" + damage);
  }
  for (std::size_t i = 0; i < log.count; ++i)
    if (!there[Id{log.all[i].session}].contains(Id{log.all[i].entry}))
      complain("an acknowledged entry is not there: " + to_string(Id{log.all[i].entry}));
}

}  // namespace

int main() {
  use_memory_disk();
  const int more = long_run() ? 10 : 1;
  std::size_t appends = 0;
  for (const auto& [workers, each] : {std::pair{2, 2000}, {4, 1250}, {8, 625}, {16, 1000}})
    appends += one_session(workers, each * more);

  void* place = mmap(nullptr, sizeof(Acknowledged), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* log = new (place) Acknowledged;
  std::printf("writers: %zu appends to one session\n", appends);
  many_sessions(16, 1250 * more, 200, *log);
  std::printf(
      "writers: %zu appends to one session; 20000 x %d operations on many (%zu made or found, %zu "
      "appends, %zu deleted, %zu restored, %zu listed, %zu busy, %zu entries acknowledged), %d "
      "complaints\n",
      appends, more, log->done[0].load(), log->done[1].load(), log->done[2].load(),
      log->done[3].load(), log->done[4].load(), log->done[5].load(), log->count.load(), complaints);
  return complaints == 0 ? 0 : 1;
}
