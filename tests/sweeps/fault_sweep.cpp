// Faults: every call of every verb fails once or for good with each of twelve errors; writes come
// short at every length; syncs fail. Afterwards the store is as before or as after the verb, what
// it acknowledged is safe, the verb can be done again, no handle and no lock is left.
#include <algorithm>
#include <cerrno>

#include "core/store/home/blobs.h"
#include "core/store/home/maintenance/repair.h"
#include "core/store/home/maintenance/scrub.h"
#include "core/store/home/migration.h"
#include "tests/support/long_run.h"
#include "tests/support/store_samples.h"
#include "tests/support/sweep.h"

using namespace skein;
using namespace skein::test;

namespace {

constexpr Id first{0xf1}, second{0xf2}, made_now{0xf3};
constexpr int errors[] = {ENOSPC, EIO,    EINTR, EDQUOT, EACCES, EROFS,
                          EFBIG,  ENOLCK, EBADF, ENOMEM, EMFILE, ESTALE};

using Home = std::map<Id, std::vector<Id>>;  // the sessions that are there and their entries

DiskImage base_home() {
  CrashDisk disk;
  store::home::FileBackend backend(disk.process());
  const std::vector<store::NewEntry> batch{says(1), says(2)};
  (void)backend.create(header_of(first, "main:cli:first"), batch);
  (void)backend.create(header_of(second, "main:cli:second"), batch);
  backend.remember(first, "/w");
  return disk.now();
}

DiskImage torn_home() {
  DiskImage image = base_home();
  image.files[store::log::transcript_path(first)].bytes += R"({"id":"0123)";
  return image;
}

DiskImage trashed_home() {
  CrashDisk disk(base_home());
  (void)store::home::FileBackend(disk.process()).erase(first);
  return disk.now();
}

DiskImage archived_home() {
  CrashDisk disk(base_home());
  (void)store::home::FileBackend(disk.process()).archive(first);
  return disk.now();
}

// Cut short, an archiving leaves both files.
DiskImage half_archived_home() {
  DiskImage image = archived_home();
  image.files[store::log::transcript_path(first)] =
      base_home().files[store::log::transcript_path(first)];
  return image;
}

DiskImage headless_home() {
  DiskImage image = base_home();
  image.files[store::log::transcript_path(first)].bytes[3] = '#';
  return image;
}

constexpr const char* secret = "tok_9f8e7d6c5b4aZQ31xY";

// In the session, in an archived one, in the trash, in a fragment.
DiskImage leaky_home() {
  CrashDisk disk(base_home());
  store::home::FileBackend backend(disk.process());
  const std::vector<store::NewEntry> batch{says(5, std::string("use ") + secret)};
  (void)backend.append(first, batch, {});
  (void)backend.append(second, batch, {});
  (void)backend.archive(second);
  disk.put("quarantine/00000000000000f1.9.frag", std::string("{\"text\":\"") + secret);
  return disk.now();
}

DiskImage legacy_home(const char* ending, const char* bytes) {
  CrashDisk disk(base_home());
  disk.put("transcripts/" + to_string(made_now) + ending, bytes);
  return disk.now();
}
DiskImage json_home() {
  return legacy_home(".json", R"([{"role":"user","content":"a"},{"role":"user","content":"b"}])");
}
DiskImage flat_home() {
  return legacy_home(".jsonl", R"({"type":"session","id":"0","key":"main:flat:one","created":"x"}
{"type":"user","content":"a","ts":1}
)");
}

DiskImage unindexed_home() {
  DiskImage image = base_home();
  image.files.erase("sessions.json");
  return image;
}

bool append_two(store::home::FileBackend& backend) {
  const std::vector<store::NewEntry> batch{says(11, "question"), says(12, "answer")};
  return ok(backend.append(first, batch, {.expected_tail = {}, .check_all_ids = true}));
}

struct Verb {
  const char* name;
  DiskImage (*from)();
  bool (*run)(store::home::FileBackend&);
  bool may_double = false;
  bool once = false;           // what is done cannot be done again
  const char* gone = nullptr;  // a text that stands nowhere when it is done
};
constexpr Verb verbs[] = {
    {"append", base_home, append_two},
    {"append after a torn write", torn_home, append_two},
    {"append without an index", unindexed_home, append_two},
    {"append what is there", base_home,
     [](store::home::FileBackend& backend) {
       const std::vector<store::NewEntry> batch{says(1), says(2)};
       return ok(backend.append(first, batch, {}));
     }},
    {"create", base_home,
     [](store::home::FileBackend& backend) {
       const std::vector<store::NewEntry> batch{says(21), says(22)};
       return ok(backend.create(header_of(made_now, "main:cli:third"), batch));
     }},
    {"create what is there", unindexed_home,
     [](store::home::FileBackend& backend) {
       const auto created = backend.create(header_of(made_now, "main:cli:second"), {});
       return created && !created->made;
     },
     true},
    {"trash", base_home,
     [](store::home::FileBackend& backend) { return bool(backend.erase(first)); }, false, true},
    {"restore", trashed_home,
     [](store::home::FileBackend& backend) { return ok(backend.restore(to_string(first))); }, false,
     true},
    {"archive", base_home,
     [](store::home::FileBackend& backend) { return bool(backend.archive(first)); }},
    {"archive with a torn write", torn_home,
     [](store::home::FileBackend& backend) { return bool(backend.archive(first)); }},
    {"archive what was half archived", half_archived_home,
     [](store::home::FileBackend& backend) { return bool(backend.archive(first)); }},
    {"unarchive", archived_home,
     [](store::home::FileBackend& backend) { return bool(backend.unarchive(first)); }},
    {"append to an archive", archived_home, append_two},
    {"append to half an archive", half_archived_home, append_two},
    {"trash an archive", archived_home,
     [](store::home::FileBackend& backend) { return bool(backend.erase(first)); }, false, true},
    {"empty the trash", trashed_home,
     [](store::home::FileBackend& backend) { return ok(backend.empty_trash()); }},
    {"fork", base_home,
     [](store::home::FileBackend& backend) {
       store::SessionHeader header = header_of(made_now, "main:cli:fork");
       header.parent_session = {first, entry_id(2)};
       const std::vector<store::ForkExtra> asides{{message_of(31, "summary"), {}}};
       return ok(backend.fork(header, asides));
     }},
    {"scrub", leaky_home,
     [](store::home::FileBackend& backend) {
       return ok(store::home::maintenance::scrub(backend.home(), first, entry_id(5)));
     },
     false, false, secret},
    {"migrate one file", json_home,
     [](store::home::FileBackend& backend) {
       return ok(store::home::migrate(backend.home(), made_now));
     }},
    {"migrate flat lines", flat_home,
     [](store::home::FileBackend& backend) {
       return ok(store::home::migrate(backend.home(), made_now));
     }},
    {"repair a header", headless_home,
     [](store::home::FileBackend& backend) {
       return ok(store::home::maintenance::repair(backend.home(), first));
     }},
    {"keep a blob", base_home,
     [](store::home::FileBackend& backend) {
       const store::Result<std::string> name = backend.keep_blob("large");
       return ok(name) && ok(backend.load_blob(*name));
     }},
    {"prune blobs", base_home,
     [](store::home::FileBackend& backend) {
       return ok(store::home::prune_blobs(backend.home(), false));
     }},
    {"list", unindexed_home,
     [](store::home::FileBackend& backend) {
       const auto listed = backend.list();
       return listed && listed->size() == 2;
     }},
    {"remember", unindexed_home,
     [](store::home::FileBackend& backend) {
       (void)backend.open(first);
       backend.remember(first, "/w");
       return true;
     }},
    {"rebuild the index", base_home,
     [](store::home::FileBackend& backend) {
       const auto count = store::home::maintenance::rebuild_index(backend.home());
       return count && *count == 2;
     }},
    {"examine", torn_home,
     [](store::home::FileBackend& backend) {
       const store::Result<store::Damage> damage = backend.examine(first);
       return ok(damage) && damage->uncommitted.size() == 1;
     }},
    {"load", base_home,
     [](store::home::FileBackend& backend) {
       std::size_t count = 0;
       const auto each = [&](const store::StoredEntry&) { return ++count > 0; };
       return ok(backend.load(first, 0, each)) &&
              ok(backend.load_back(second, std::nullopt, each)) && count == 6;
     }},
};

Home home_of(CrashDisk& disk) {
  store::home::FileBackend backend(disk.process());
  Home home;
  for (const Id session : {first, second, made_now})
    if (ok(backend.open(session))) home[session] = ids_of(backend, session);
  return home;
}

bool stands_in(const DiskImage& image, const char* text) {
  return text != nullptr && std::ranges::any_of(image.files, [&](const auto& each) {
           return each.second.bytes.find(text) != std::string::npos;
         });
}

// A verb that throws has said that it is not done.
template <class Verb>
bool attempt(const Verb& verb, store::home::FileBackend& backend) {
  try {
    return verb.run(backend);
  } catch (const Error&) {
    return false;
  }
}

std::size_t listed(CrashDisk& disk) {
  return store::home::FileBackend(disk.process()).list()->size();
}

// Fails the n-th call, or every one from there on. Interruptions end some time.
std::function<int(const char*)> failing(std::size_t n, int error, bool lasting) {
  return [=, count = std::size_t{0}](const char*) mutable {
    ++count;
    const std::size_t last = !lasting ? n : error == EINTR ? n + 20 : SIZE_MAX;
    return count >= n && count <= last ? error : 0;
  };
}

void fail_every_call(Sweep& sweep, const Verb& verb) {
  const DiskImage image = verb.from();
  CrashDisk before_disk(image), after_disk(image);
  const Home before = home_of(before_disk);
  std::size_t calls = 0;
  {
    store::home::FileBackend backend(after_disk.process());
    calls = after_disk.calls();
    sweep.check(verb.run(backend), [&] { return std::string(verb.name) + " fails by itself"; });
    calls = after_disk.calls() - calls;
  }
  const Home after = home_of(after_disk);
  for (std::size_t n = 1; n <= calls + 4; ++n)
    for (const int error : errors)
      for (const bool lasting : {false, true}) {
        // A session we may not read keeps nobody from making another, whatever its key.
        if (verb.may_double && (error == EACCES || error == EROFS)) continue;
        sweep.count();
        const auto where = [&] {
          return std::string(verb.name) + ", call " + std::to_string(n) + " fails with " +
                 std::to_string(error) + (lasting ? " for good" : " once");
        };
        CrashDisk disk(image);
        {
          store::home::FileBackend backend(disk.process());
          disk.fault = failing(n, error, lasting);
          const bool done = attempt(verb, backend);
          disk.fault = {};
          const Home now = home_of(disk);
          sweep.check(now == after || (!done && now == before),
                      [&] { return where() + ": neither as before nor as after"; });
          if (done)
            disk.crash_images(6, n, [&](const DiskImage& left) {
              CrashDisk cut(left);
              return sweep.check(home_of(cut) == after && !stands_in(left, verb.gone),
                                 [&] { return where() + ": acknowledged but not safe"; });
            });
          const bool again = attempt(verb, backend);
          if (again)
            disk.crash_images(4, n, [&](const DiskImage& left) {
              CrashDisk cut(left);
              return sweep.check(home_of(cut) == after && !stands_in(left, verb.gone),
                                 [&] { return where() + ": done again but not safe"; });
            });
          sweep.check((again || verb.once) && home_of(disk) == after,
                      [&] { return where() + ": cannot be finished afterwards"; });
          sweep.check(backend.list()->size() == after.size() && listed(disk) == after.size(),
                      [&] { return where() + ": a session is hidden"; });
        }
        sweep.check(disk.open_handles() == 0, [&] { return where() + ": a handle leaked"; });
      }
}

// B3
void write_in_pieces(Sweep& sweep, std::size_t lengths) {
  const DiskImage image = torn_home();
  CrashDisk whole(image);
  append_two(*std::make_unique<store::home::FileBackend>(whole.process()));
  for (std::size_t length = 1; length <= lengths; ++length)
    for (const bool interrupted : {false, true}) {
      sweep.count();
      CrashDisk disk(image);
      store::home::FileBackend backend(disk.process());
      disk.shorten = [&](std::size_t count) { return std::min(count, length); };
      std::size_t count = 0;
      if (interrupted)
        disk.fault = [&](const char* call) {
          const std::string_view name(call);
          return (name == "write" || name == "read") && ++count % 3 != 0 ? EINTR : 0;
        };
      sweep.check(append_two(backend) && disk.bytes(store::log::transcript_path(first)) ==
                                             whole.bytes(store::log::transcript_path(first)),
                  [&] { return "writes of " + std::to_string(length) + " bytes"; });
    }
  // The disk is full after so many bytes of the batch.
  for (std::size_t room = 0; room <= lengths; ++room)
    for (const bool stuck : {false, true}) {
      sweep.count();
      CrashDisk disk(base_home());
      const std::string before = disk.bytes(store::log::transcript_path(first));
      store::home::FileBackend backend(disk.process());
      std::size_t left = room;
      disk.shorten = [&](std::size_t count) {
        const std::size_t taken = std::min(count, left);
        left -= taken;
        return taken;
      };
      disk.fault = [&](const char* call) {
        if (std::string_view(call) == "write" && left == 0) return ENOSPC;
        return stuck && std::string_view(call) == "truncate" ? EIO : 0;
      };
      const bool done = append_two(backend);
      const auto where = [&] { return "room for " + std::to_string(room) + " bytes"; };
      if (!done && !stuck)
        sweep.check(disk.bytes(store::log::transcript_path(first)) == before,
                    [&] { return where() + ": half a batch was left"; });
      disk.fault = {};
      disk.shorten = {};
      const std::vector<Id> expected{entry_id(1), entry_id(2), entry_id(11), entry_id(12)};
      sweep.check(append_two(backend) && home_of(disk)[first] == expected,
                  [&] { return where() + ": cannot go on when there is room again"; });
    }
}

// B7
void fail_syncs(Sweep& sweep) {
  for (const Verb& verb : verbs)
    for (const int error : {EIO, ENOSPC, EDQUOT})
      for (std::size_t times = 1; times <= 4; ++times) {
        sweep.count();
        const auto where = [&] {
          return std::string(verb.name) + " with " + std::to_string(times) + " failing syncs";
        };
        CrashDisk disk(verb.from());
        const Home before = home_of(disk);
        store::home::FileBackend backend(disk.process());
        std::size_t failed = 0;
        disk.fault = [&](const char* call) {
          return std::string_view(call) == "sync" && failed < times ? ++failed, error : 0;
        };
        const bool done = attempt(verb, backend);
        disk.fault = {};
        sweep.check(disk.syncs_of_failed_handles() == 0,
                    [&] { return where() + ": a second sync on the handle that failed"; });
        // Tried again, unless it was what comes before the append: quarantining, unpacking.
        if (verb.run == append_two && error == EIO && times == 1 && verb.from != torn_home &&
            verb.from != archived_home)
          sweep.check(done, [&] { return where() + ": one failed sync ended the append"; });
        const Home now = home_of(disk);
        if (!done && verb.run == append_two)
          sweep.check(now == before, [&] { return where() + ": a failed append is there"; });
        if (done)
          disk.crash_images(6, times, [&](const DiskImage& left) {
            CrashDisk cut(left);
            return sweep.check(home_of(cut) == now,
                               [&] { return where() + ": acknowledged but not safe"; });
          });
      }
}

}  // namespace

int main() {
  Sweep calls("fault_sweep, calls"), pieces("fault_sweep, short writes"),
      syncs("fault_sweep, syncs");
  for (const Verb& verb : verbs) fail_every_call(calls, verb);
  write_in_pieces(pieces, long_run() ? 20'000 : 1'300);
  fail_syncs(syncs);
  const int a = calls.end("faults"), b = pieces.end("states"), c = syncs.end("states");
  return a != 0 || b != 0 || c != 0;
}
