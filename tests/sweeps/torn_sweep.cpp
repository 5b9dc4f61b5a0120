// Torn writes: a transcript cut at every byte, its last batch with every mixture of new and zero
// sectors, the index cut at every byte. What loads is what was committed, nothing more; then it is
// appended to, and nothing that was there is lost. Stale and garbage sectors as well, which no
// write of ours leaves: what they hold is at most told to be altered.
#include <algorithm>

#include "tests/support/long_run.h"
#include "tests/support/store_samples.h"
#include "tests/support/sweep.h"

using namespace skein;
using namespace skein::test;

namespace {

std::vector<model::Entry> first_lines(const Sample& sample, std::size_t count) {
  std::vector<model::Entry> out;
  for (std::size_t i = 1; i < count; ++i) out.push_back(sample.lines[i].entry);
  return out;
}

// How many lines a reader must see of the first `size` bytes when what lies below `acknowledged` is
// known to have been committed.
std::size_t visible_lines(const Sample& sample, std::uint64_t size, std::uint64_t acknowledged) {
  std::size_t count = 0;
  for (const Sample::Line& line : sample.lines) {
    if (size + 1 < line.end) break;  // a missing newline is no loss
    const bool whole_batch = size + 1 >= sample.borders[line.batch];
    if (!whole_batch && line.begin >= acknowledged) break;
    ++count;
  }
  return count;
}

store::log::LogMemory remembered(const Sample& sample, CrashDisk& disk, std::uint64_t end) {
  put_transcript(disk, std::string_view(sample.bytes).substr(0, end));
  const auto files = disk.process();
  store::log::LogWriter log(*files, sample_session);
  (void)log.refresh();
  return log.memory();
}

// The bytes that were there are all still there, in the file or set aside.
bool accounted(const CrashDisk& disk, const std::string& before, std::uint64_t kept) {
  const std::string after = disk.bytes(store::log::transcript_path(sample_session));
  if (!after.starts_with(before.substr(0, kept))) return false;
  const std::string torn = before.substr(kept);
  return torn.empty() || std::ranges::count(quarantined(disk), torn) > 0;
}

void append_and_reload(Sweep& sweep, CrashDisk& disk, const std::vector<model::Entry>& expected,
                       std::size_t batch_size, const store::log::LogMemory* memory,
                       const std::string& where) {
  const auto files = disk.process();
  const std::string before = disk.bytes(store::log::transcript_path(sample_session));
  const std::vector<store::NewEntry> batch =
      batch_size == 1 ? std::vector{says(900001, "after the crash")}
                      : std::vector{says(900001, "one"), says(900002, "two")};
  std::vector<model::Entry> all = expected;
  std::uint64_t kept = 0;
  {
    store::log::LogWriter log(*files, sample_session);
    if (!log.refresh(memory))
      return void(sweep.check(false, [&] { return where + ": no reopening"; }));
    kept = log.memory().end;
    const store::Result<store::AppendResult> appended = log.append(batch, {});
    if (!sweep.check(ok(appended), [&] { return where + ": the append failed"; })) return;
    for (const model::Entry& entry : appended->entries) all.push_back(entry);
  }
  store::log::LogWriter again(*files, sample_session);
  sweep.check(again.refresh() && entries_of(again) == all,
              [&] { return where + ": after an append something is missing"; });
  const store::Result<store::Damage> damage = again.examine();
  sweep.check(ok(damage) && damage->uncommitted.empty(),
              [&] { return where + ": a repair left something behind"; });
  sweep.check(accounted(disk, before, kept), [&] { return where + ": bytes were dropped"; });
}

// A1
void cut_everywhere(Sweep& sweep, const Sample& sample, std::uint64_t known_end,
                    std::size_t batch_size) {
  CrashDisk disk;
  std::optional<store::log::LogMemory> memory;
  if (known_end > 0) memory = remembered(sample, disk, known_end);
  known_end = memory ? memory->end : 0;  // a border between batches
  const std::uint64_t header_end = sample.borders.front();
  for (std::uint64_t size = 0; size <= sample.bytes.size(); ++size) {
    sweep.count();
    const auto where = [&] {
      return "cut " + sample.name + " at " + std::to_string(size) + ", known to " +
             std::to_string(known_end);
    };
    const std::string bytes = sample.bytes.substr(0, size);
    put_transcript(disk, bytes);
    const auto files = disk.process();
    store::log::LogWriter log(*files, sample_session);
    const bool opened = bool(log.refresh(memory ? &*memory : nullptr));
    sweep.check(disk.bytes(store::log::transcript_path(sample_session)) == bytes,
                [&] { return where() + ": reading modified it"; });
    if (size + 1 < header_end) {
      const store::NewEntry entry = says(900001);
      sweep.check(!opened, [&] { return where() + ": opened without a header"; });
      sweep.check(!ok(log.append(std::span(&entry, 1), {})) &&
                      disk.bytes(store::log::transcript_path(sample_session)) == bytes,
                  [&] { return where() + ": wrote to what is not a transcript"; });
      continue;
    }
    const std::vector<model::Entry> expected =
        first_lines(sample, visible_lines(sample, size, std::min(size, known_end)));
    sweep.check(opened && entries_of(log) == expected,
                [&] { return where() + ": not the committed prefix"; });
    append_and_reload(sweep, disk, expected, batch_size, memory ? &*memory : nullptr, where());
    for (const std::string& path : disk.paths("quarantine")) files->remove(path);
  }
}

// A1, the index: it is a cache, so nothing may be lost with it.
void cut_the_index(Sweep& sweep) {
  CrashDisk disk;
  const Id sessions[] = {Id{0x1111111111111111u}, Id{0x2222222222222222u}, Id{0x3333333333333333u}};
  {
    store::home::FileBackend backend(disk.process());
    for (const Id session : sessions) {
      (void)backend.create(header_of(session, "main:cli:" + to_string(session).substr(0, 4)), {});
      const store::NewEntry entry = says(session.value & 15);
      (void)backend.append(session, std::span(&entry, 1), {});
      backend.remember(session, "/w" + to_string(session).substr(0, 1));
    }
  }
  const DiskImage whole = disk.now();
  for (const char* name : {"sessions.json", "last"})
    for (std::size_t size = 0; size <= whole.files.at(name).bytes.size(); ++size) {
      sweep.count();
      DiskImage image = whole;
      image.files[name].bytes.resize(size);
      CrashDisk torn(image);
      store::home::FileBackend backend(torn.process());
      const auto where = [&] { return std::string("cut ") + name + " at " + std::to_string(size); };
      sweep.check(backend.list()->size() == 3, [&] { return where() + ": not all are listed"; });
      for (const Id session : sessions) {
        const store::NewEntry entry = says(77);
        sweep.check(ids_of(backend, session) == std::vector{entry_id(session.value & 15)} &&
                        ok(backend.append(session, std::span(&entry, 1), {})),
                    [&] { return where() + ": a session is not what it was"; });
        backend.last_used("/w" + to_string(session).substr(0, 1));
      }
    }
}

// One safe batch and `window` more, of so many lines and about so many bytes each.
Sample large_batches(std::size_t window, std::size_t lines, std::size_t bytes) {
  Batches batches;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i <= window; ++i) {
    batches.emplace_back();
    for (std::size_t line = 0; line < lines; ++line)
      batches.back().push_back(says(++number, std::string(bytes / lines - 200, 'y')));
  }
  return make_sample(std::to_string(lines) + " lines a batch", batches);
}

// A3: `window` batches at the end, each sector of which is one of four things.
void tear_sectors(Sweep& sweep, const Sample& sample, std::size_t window, std::size_t sector,
                  std::size_t limit) {
  const std::uint64_t safe = sample.borders[sample.borders.size() - 1 - window];
  const std::string& whole = sample.bytes;
  const std::size_t first = safe / sector, sectors = (whole.size() - 1) / sector - first + 1;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < sectors && combinations < limit * 4; ++i) combinations *= 4;
  // Stale: what another session once had on those sectors.
  std::string stale;
  while (stale.size() < whole.size())
    for (const Sample::Line& line : sample.lines)
      stale += store::log::seal_batch(std::span(&line.entry, 1), store::log::seal_seed(Id{42}), 7)
                   ->bytes;
  std::uint64_t random = 88172645463325252u;
  CrashDisk disk;
  for (std::size_t n = 0; n < std::min(combinations, limit); ++n) {
    sweep.count();
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    std::uint64_t choice = combinations <= limit ? n : random;
    const std::uint64_t chosen = choice;
    std::string bytes = whole;
    bool foreign = false;
    for (std::size_t i = 0; i < sectors; ++i, choice >>= 2) {
      foreign = foreign || (choice & 3) >= 2;
      const std::size_t from = std::max<std::size_t>((first + i) * sector, safe);
      const std::size_t to = std::min((first + i + 1) * sector, whole.size());
      for (std::size_t at = from; at < to; ++at)
        bytes[at] = (choice & 3) == 0   ? whole[at]
                    : (choice & 3) == 1 ? '\0'
                    : (choice & 3) == 2 ? stale[at]
                                        : static_cast<char>(at * 2654435761u >> 11);
    }
    const auto where = [&] {
      return "tear " + sample.name + ", last " + std::to_string(window) + " in sectors of " +
             std::to_string(sector) + ", choice " + std::to_string(chosen);
    };
    put_transcript(disk, bytes);
    const auto files = disk.process();
    store::log::LogWriter log(*files, sample_session);
    if (!sweep.check(bool(log.refresh()), [&] { return where() + ": does not open"; })) continue;
    // What was acknowledged is there; of the rest only whole batches, or lines told to be altered.
    std::vector<model::Entry> seen;
    std::map<std::size_t, std::size_t> whole_lines;
    bool invented = false;
    (void)log.each(0, [&](const store::StoredEntry& placed) {
      if (placed.entry.type == model::type::session_header) return true;
      seen.push_back(placed.entry);
      const auto line = std::ranges::find(sample.lines, placed.at, &Sample::Line::begin);
      const bool written = line != sample.lines.end() && line->entry == placed.entry;
      if (!placed.altered && !written) invented = true;
      if (!placed.altered && written) ++whole_lines[line->batch];
      if (window == 1 && !foreign && placed.at >= safe && placed.altered) invented = true;
      return true;
    });
    const std::vector<model::Entry> acknowledged =
        first_lines(sample, visible_lines(sample, safe, 0));
    bool there = seen.size() >= acknowledged.size() &&
                 std::equal(acknowledged.begin(), acknowledged.end(), seen.begin());
    if (window == 1 && !foreign)
      there = there && (seen.size() == acknowledged.size() ||
                        seen == first_lines(sample, sample.lines.size()));
    sweep.check(there, [&] { return where() + ": an acknowledged entry is lost"; });
    sweep.check(!invented, [&] { return where() + ": shows what was never committed"; });
    if (n % 4 == 0) append_and_reload(sweep, disk, seen, 1, nullptr, where());
    for (const std::string& path : disk.paths("quarantine")) files->remove(path);
  }
}

}  // namespace

int main() {
  const std::size_t scale = long_run() ? 4 : 1;
  Sweep cut("torn_sweep, cuts");
  for (const Sample& sample : samples_of_every_shape(3'000 * scale)) {
    // With no index, and with one that knows the session up to each of its borders.
    std::vector<std::uint64_t> known{0, 0, 0};
    for (const std::uint64_t border : sample.borders) known.push_back(border);
    while (known.size() < 14) known.push_back(sample.lines[known.size() % sample.lines.size()].end);
    for (std::size_t i = 0; i < 18; ++i)
      cut_everywhere(cut, sample, known[i % known.size()], 1 + i % 2);
  }
  cut_the_index(cut);
  Sweep torn("torn_sweep, sectors");
  for (std::size_t window = 1; window <= 4; ++window)
    for (const std::size_t lines : {1u, 3u, 8u}) {
      tear_sectors(torn, large_batches(window, lines, 2'200), window, 512, 19'000 * scale);
      tear_sectors(torn, large_batches(window, lines, 10'000), window, 4096, 2'000 * scale);
    }
  const int cuts = cut.end("states"), sectors = torn.end("states");
  return cuts != 0 || sectors != 0;
}
