// Power cuts: after every change a verb of the store makes to the disk, everything a power cut
// could leave is built and opened. What was acknowledged is there, what was under way is there
// whole or not at all, and the next append finds a store in order.
#include <algorithm>
#include <cerrno>

#include "core/store/home/index/transcript.h"
#include "core/store/home/maintenance/scrub.h"
#include "tests/support/long_run.h"
#include "tests/support/store_samples.h"
#include "tests/support/sweep.h"

using namespace skein;
using namespace skein::test;

namespace {

constexpr Id first_session{0xa11ce}, second_session{0xb0b}, branch_session{0xb4a9c4},
    empty_session{0xe};
constexpr Id all_sessions[] = {first_session, second_session, branch_session, empty_session};

// What a session should be: its entries, and whether it lies in the trash. None: it is not there.
struct Expected {
  std::vector<Id> entries{};
  bool trashed = false;
  bool operator==(const Expected&) const = default;
};
using Home = std::map<Id, Expected>;

struct Run {
  explicit Run(CrashDisk& on) : disk(on), backend(disk.process()) {}

  bool append(Id session, const std::vector<store::NewEntry>& batch, Home& home) {
    if (!ok(backend.append(session, batch, {}))) return false;
    for (const store::NewEntry& each : batch) home[session].entries.push_back(each.entry.id);
    return true;
  }
  std::vector<store::NewEntry> batch(std::size_t size) {
    std::vector<store::NewEntry> out;
    while (out.size() < size) out.push_back(says(++number, std::string(60 * out.size(), 'w')));
    return out;
  }

  CrashDisk& disk;
  store::home::FileBackend backend;
  std::uint64_t number = 0;
};

// Each changes what is expected only if it reports success; what it meant to do goes to `meant`.
struct Verb {
  const char* name;
  bool (*run)(Run&, Home& meant);
  bool in_doubt = false;  // it fails and cannot take back what it did: only ever the last one
};

bool create(Run& run, Home& meant) {
  const std::vector<store::NewEntry> batch = run.batch(1);
  const auto created = run.backend.create(header_of(second_session, "main:cli:second"), batch);
  if (!created) return false;
  if (created->made) meant[second_session] = {{batch[0].entry.id}};
  return true;
}

bool create_empty(Run& run, Home& meant) {
  const auto created = run.backend.create(header_of(empty_session, "main:cli:empty"), {});
  if (!created) return false;
  if (created->made) meant[empty_session] = {};
  return true;
}

bool branch(Run& run, Home& meant) {
  store::SessionHeader header = header_of(branch_session, "main:branch:one");
  header.parent_session = {first_session, entry_id(2)};
  const std::vector<store::ForkExtra> asides{{run.batch(1)[0].entry, {}}};
  const auto created = run.backend.fork(header, asides);
  if (!created) return false;
  if (created->made) meant[branch_session] = {{entry_id(1), entry_id(2), asides[0].entry.id}};
  return true;
}

// A process that died in the middle of a write, some time ago: the bytes are on the disk.
constexpr std::string_view torn_bytes = R"({"id":"00000000000000aa","parentId":null,"type":"mess)";

bool tear(Run& run, Home&) {
  const auto files = run.disk.process();
  const int handle =
      files->open(store::log::transcript_path(first_session), store::files::OpenAs::appender);
  if (handle < 0) return false;
  files->write(handle, torn_bytes);
  files->sync(handle);
  files->close(handle);
  return true;
}

bool append_through(Run& run, Home& meant, const std::function<int(const char*)>& fault) {
  run.disk.fault = fault;
  const bool appended = run.append(first_session, run.batch(2), meant);
  run.disk.fault = {};
  return appended;
}

constexpr Verb verbs[] = {
    {"create", create},
    {"create-empty", create_empty},
    {"branch", branch},
    {"append",
     [](Run& run, Home& meant) { return run.append(first_session, run.batch(1), meant); }},
    {"append-batch",
     [](Run& run, Home& meant) { return run.append(first_session, run.batch(3), meant); }},
    {"append-other",
     [](Run& run, Home& meant) { return run.append(second_session, run.batch(1), meant); }},
    {"tear", tear},
    {"trash",
     [](Run& run, Home& meant) {
       if (!run.backend.erase(first_session)) return false;
       meant[first_session].trashed = true;
       return true;
     }},
    {"restore",
     [](Run& run, Home& meant) {
       if (!ok(run.backend.restore(to_string(first_session)))) return false;
       meant[first_session].trashed = false;
       return true;
     }},
    {"archive", [](Run& run, Home&) { return bool(run.backend.archive(first_session)); }},
    {"unarchive", [](Run& run, Home&) { return bool(run.backend.unarchive(first_session)); }},
    {"scrub",
     [](Run& run, Home&) {
       return ok(store::home::maintenance::scrub(run.backend.home(), first_session, entry_id(1)));
     }},
    {"list",
     [](Run& run, Home&) {
       (void)run.backend.list();
       return true;
     }},
    {"remember",
     [](Run& run, Home&) {
       (void)run.backend.open(first_session);
       run.backend.remember(first_session, "/w");
       return true;
     }},
    {"append-sync-fails-once",
     [](Run& run, Home& meant) {
       bool failed = false;
       return append_through(run, meant, [failed](const char* call) mutable {
         const bool fails = !failed && std::string_view(call) == "sync";
         failed = failed || fails;
         return fails ? EIO : 0;
       });
     }},
    {"append-sync-and-truncate-fail-once",
     [](Run& run, Home& meant) {
       int failed = 0;
       return append_through(run, meant, [failed](const char* call) mutable {
         const bool fails = (failed == 0 && std::string_view(call) == "sync") ||
                            (failed == 1 && std::string_view(call) == "truncate");
         failed += fails;
         return fails ? EIO : 0;
       });
     },
     true},
};

Home found_on(CrashDisk& disk, store::home::FileBackend& backend) {
  Home home;
  for (const Id session : all_sessions) {
    if (ok(backend.open(session))) home[session] = {ids_of(backend, session)};
    for (const std::string& path : disk.paths("trash")) {
      if (!path.starts_with("trash/" + to_string(session)) || path.ends_with(".tmp")) continue;
      const auto files = disk.process();
      const store::Result<store::home::Transcript> trashed =
          store::home::open_transcript(*files, session, path);
      if (!ok(trashed)) continue;
      home[session].trashed = true;
      for (const model::Entry& entry : entries_of(*trashed->log))
        home[session].entries.push_back(entry.id);
    }
  }
  return home;
}

std::string shown(const Home& home) {
  std::string out;
  for (const auto& [session, each] : home)
    out += " " + to_string(session).substr(10) + (each.trashed ? "(trash)" : "") + "=" +
           std::to_string(each.entries.size());
  return out;
}

// Also where they were packed.
bool holds_torn_bytes(const DiskImage& image) {
  CrashDisk disk(image);
  const std::unique_ptr<store::files::Files> files = disk.process();
  return std::ranges::any_of(image.files, [&](const auto& each) {
    std::string bytes = each.second.bytes;
    if (store::home::is_packed(each.first)) {
      bytes.clear();
      const auto take = [&](std::string_view piece) { return !(bytes += piece).empty(); };
      (void)store::home::read_pieces(*files, each.first, take, each.first);
    }
    return bytes.find(torn_bytes) != std::string::npos;
  });
}

void verify(Sweep& sweep, const DiskImage& image, const Home& before, const Home& after,
            const std::string& where) {
  sweep.count();
  CrashDisk disk(image);
  std::size_t live = 0;
  {
    store::home::FileBackend backend(disk.process());
    const Home found = found_on(disk, backend);
    if (!sweep.check(found == before || found == after, [&] {
          return where + ": found" + shown(found) + ", expected" + shown(before) + " or" +
                 shown(after);
        }))
      return;
    live = static_cast<std::size_t>(
        std::ranges::count_if(found, [](const auto& each) { return !each.second.trashed; }));
    sweep.check(backend.list()->size() == live, [&] { return where + ": the list is wrong"; });
    for (const auto& [session, each] : found) {
      if (each.trashed) continue;
      const std::vector<Id> there = ids_of(backend, session);
      const store::NewEntry entry = says(555);
      sweep.check(ok(backend.append(session, std::span(&entry, 1), {})),
                  [&] { return where + ": no append afterwards"; });
      std::vector<Id> more = there;
      more.push_back(entry.entry.id);
      store::home::FileBackend other(disk.process());
      sweep.check(ids_of(other, session) == more,
                  [&] { return where + ": the append afterwards lost something"; });
    }
  }
  sweep.check(disk.open_handles() == 0, [&] { return where + ": a handle leaked"; });
}

void run_sequence(Sweep& sweep, const std::vector<const Verb*>& sequence, std::size_t limit) {
  CrashDisk disk;
  Run run(disk);
  Home before;
  (void)run.backend.create(header_of(first_session, "main:cli:first"), {});
  before[first_session] = {};
  run.append(first_session, run.batch(2), before);
  std::string name;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    name += std::string(name.empty() ? "" : ",") + sequence[i]->name;
    if (i + 1 == sequence.size()) break;
    if (sequence[i]->in_doubt) return;
    sequence[i]->run(run, before);
  }
  // The last one is watched. Its result is known in advance from a run of its own.
  Home after = before;
  std::size_t point = 0;
  const bool torn = holds_torn_bytes(disk.now());
  const auto look = [&](const DiskImage& image, const Home& least, const Home& most,
                        const std::string& where) {
    verify(sweep, image, least, most, where);
    sweep.check(!torn || holds_torn_bytes(image),
                [&] { return where + ": what a dead writer left was dropped"; });
    return true;
  };
  const std::uint64_t number = run.number;
  {
    CrashDisk rehearsal(disk.now());
    Run again(rehearsal);
    again.number = number;
    if (!sequence.back()->run(again, after) && sequence.back()->in_doubt)
      for (std::uint64_t n = number + 1; n <= again.number; ++n)
        if (after.contains(first_session) && !after[first_session].trashed)
          after[first_session].entries.push_back(entry_id(n));
  }
  disk.changed = [&] {
    ++point;
    disk.crash_images(limit, point * 7919, [&](const DiskImage& image) {
      return look(image, before, after, name + " at change " + std::to_string(point));
    });
  };
  Home acknowledged = before;
  const bool done = sequence.back()->run(run, acknowledged);
  disk.changed = {};
  disk.crash_images(limit, 1, [&](const DiskImage& image) {
    return look(image, done ? acknowledged : before, done ? acknowledged : after,
                name + " when it returned");
  });
}

}  // namespace

int main() {
  Sweep sweep("power_sweep");
  const std::size_t scale = long_run() ? 20 : 1;
  for (const Verb& last : verbs) run_sequence(sweep, {&last}, 2000 * scale);
  for (const Verb& first : verbs)
    for (const Verb& last : verbs) {
      run_sequence(sweep, {&first, &last}, 300 * scale);
      for (const Verb& second : verbs) run_sequence(sweep, {&first, &second, &last}, 60 * scale);
    }
  if (long_run())
    for (const Verb& a : verbs)
      for (const Verb& b : verbs)
        for (const Verb& c : verbs)
          for (const Verb& d : verbs) run_sequence(sweep, {&a, &b, &c, &d}, 40);
  return sweep.end("crash states");
}
