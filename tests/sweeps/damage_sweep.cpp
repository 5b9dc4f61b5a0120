// Damage: every byte of a transcript and of the index changed in seven ways. Nothing crashes,
// reading changes nothing, every byte has a standing, no entry is lost whose own line is whole,
// nothing is told as committed that was not written so, and the next append loses nothing either.
#include <algorithm>

#include "core/store/files/named_files.h"
#include "core/text/request_text.h"
#include "tests/support/long_run.h"
#include "tests/support/store_samples.h"
#include "tests/support/sweep.h"

using namespace skein;
using namespace skein::test;

namespace {

constexpr const char* mutations[] = {
    "flip a bit of", "zero", "put a newline at", "put a quote at", "delete", "duplicate", "swap"};

std::string mutate(const std::string& bytes, std::size_t at, std::size_t how) {
  std::string out = bytes;
  switch (how) {
    case 0: out[at] = static_cast<char>(out[at] ^ (1 << at % 8)); break;
    case 1: out[at] = '\0'; break;
    case 2: out[at] = '\n'; break;
    case 3: out[at] = '"'; break;
    case 4: out.erase(at, 1); break;
    case 5: out.insert(at, 1, out[at]); break;
    default:
      if (at + 1 < out.size()) std::swap(out[at], out[at + 1]);
  }
  return out;
}

// Whether the damage is exactly what a torn write leaves: the last line has lost its end, or the
// last batch its beginning or its end to a NUL.
bool looks_torn(const Sample& sample, std::size_t at, std::size_t how) {
  constexpr std::size_t zero = 1;
  const std::uint64_t batch = sample.borders[sample.borders.size() - 2];
  return how == zero &&
         (at + 1 == sample.bytes.size() ||
          std::ranges::count(sample.lines, at, &Sample::Line::begin) > 0) &&
         at >= batch;
}

// The entries a reader must find: those whose text still stands somewhere in the file as it was.
// Of a last batch that looks torn, and that no index knows, the lines may be missing.
std::vector<model::Entry> must_load(const Sample& sample, const std::string& damaged, bool torn,
                                    std::uint64_t known) {
  std::vector<model::Entry> out;
  std::size_t from = 0;
  for (const Sample::Line& line : sample.lines) {
    const std::string text = sample.bytes.substr(line.begin, line.end - line.begin - 1);
    const std::size_t found = damaged.find(text, from);
    if (found == std::string::npos) continue;
    from = found + text.size();
    if (line.entry.type == model::type::session_header) continue;
    if (line.end <= known || !torn || line.batch + 1 < sample.borders.size())
      out.push_back(line.entry);
  }
  return out;
}

bool contains(const std::vector<model::Entry>& all, const std::vector<model::Entry>& some) {
  std::size_t at = 0;
  for (const model::Entry& entry : all)
    if (at < some.size() && entry == some[at]) ++at;
  return at == some.size();
}

// Except in blank lines, which belong to nothing.
bool every_byte_has_a_standing(store::files::Files& files, std::string_view bytes,
                               std::uint64_t acknowledged) {
  const auto file = store::files::open(files, store::log::transcript_path(sample_session),
                                       store::files::OpenAs::reader, "the sample");
  std::uint64_t told = 0;
  bool contiguous = true;
  const store::Result<store::log::ScanEnd> end = store::log::scan(
      *file, {sample_session, 0, 0, acknowledged}, [&](const store::log::ScannedLine& found) {
        contiguous = contiguous && found.begin >= told && found.end > found.begin &&
                     is_blank(bytes.substr(told, found.begin - told));
        told = found.end;
      });
  return contiguous && is_blank(bytes.substr(told)) && end && end->size == bytes.size();
}

void damage_one(Sweep& sweep, CrashDisk& disk, const Sample& sample,
                const store::log::LogMemory* memory, std::size_t at, std::size_t how) {
  sweep.count();
  const auto where = [&] {
    return std::string(mutations[how]) + " byte " + std::to_string(at) + " of " + sample.name +
           (memory ? ", indexed to " + std::to_string(memory->end) : "");
  };
  const std::string bytes = mutate(sample.bytes, at, how);
  put_transcript(disk, bytes);
  const auto files = disk.process();
  store::log::LogWriter log(*files, sample_session);
  if (!sweep.check(bool(log.refresh(memory)), [&] { return where() + ": does not open"; })) return;

  std::vector<model::Entry> seen;
  bool honest = true;
  (void)log.each(0, [&](const store::StoredEntry& placed) {
    if (!placed.altered)
      honest = honest && std::ranges::count(sample.lines, placed.entry, &Sample::Line::entry) > 0;
    if (placed.entry.type != model::type::session_header) seen.push_back(placed.entry);
    return true;
  });
  sweep.check(contains(seen, must_load(sample, bytes, looks_torn(sample, at, how),
                                       memory ? memory->end : 0)),
              [&] { return where() + ": an untouched line is lost"; });
  sweep.check(honest, [&] { return where() + ": shows as committed what was not written"; });
  sweep.check(every_byte_has_a_standing(*files, bytes, memory ? memory->end : 0),
              [&] { return where() + ": a byte without a standing"; });
  sweep.check(disk.bytes(store::log::transcript_path(sample_session)) == bytes,
              [&] { return where() + ": reading modified it"; });

  if (at % 3 != how % 3) return;
  const store::NewEntry entry = says(900001, "afterwards");
  const std::uint64_t kept = log.memory().end;
  if (!ok(log.append(std::span(&entry, 1), {}))) {
    sweep.check(disk.bytes(store::log::transcript_path(sample_session)) == bytes,
                [&] { return where() + ": a refused append wrote"; });
    sweep.check(at < sample.borders.front(), [&] { return where() + ": cannot be appended to"; });
    return;
  }
  store::log::LogWriter again(*files, sample_session);
  (void)again.refresh();
  const std::vector<model::Entry> now = entries_of(again);
  sweep.check(now.size() == seen.size() + 1 && std::equal(seen.begin(), seen.end(), now.begin()),
              [&] { return where() + ": the append afterwards lost something"; });
  const std::string torn = bytes.substr(kept);
  sweep.check(
      disk.bytes(store::log::transcript_path(sample_session)).starts_with(bytes.substr(0, kept)) &&
          (is_blank(torn) || std::ranges::count(quarantined(disk), torn) > 0),
      [&] { return where() + ": bytes were dropped"; });
  for (const std::string& path : disk.paths("quarantine")) files->remove(path);
}

void damage_transcripts(Sweep& sweep, std::size_t size) {
  for (const Sample& sample : samples_of_every_shape(size)) {
    CrashDisk disk;
    const auto remembered = [&](std::uint64_t end) {
      put_transcript(disk, std::string_view(sample.bytes).substr(0, end));
      const auto files = disk.process();
      store::log::LogWriter log(*files, sample_session);
      (void)log.refresh();
      return log.memory();
    };
    const std::size_t count = sample.borders.size();
    const store::log::LogMemory memories[] = {remembered(sample.borders[count - 1]),
                                              remembered(sample.borders[count - 2]),
                                              remembered(sample.borders[count / 2])};
    for (std::size_t at = 0; at < sample.bytes.size(); ++at)
      for (std::size_t how = 0; how < std::size(mutations); ++how) {
        damage_one(sweep, disk, sample, nullptr, at, how);
        for (const store::log::LogMemory& memory : memories)
          damage_one(sweep, disk, sample, &memory, at, how);
      }
  }
}

// The index may say anything: the transcripts are the truth.
void damage_index(Sweep& sweep) {
  CrashDisk disk;
  constexpr Id sessions[] = {Id{0x1111111111111111u}, Id{0x2222222222222222u}};
  {
    store::home::FileBackend backend(disk.process());
    for (const Id session : sessions) {
      (void)backend.create(header_of(session, "main:cli:" + to_string(session).substr(0, 4)), {});
      const std::vector<store::NewEntry> batch{says(1), says(2)};
      (void)backend.append(session, batch, {});
      backend.remember(session, "/w");
    }
  }
  const DiskImage whole = disk.now();
  for (const char* name : {"sessions.json", "last"})
    for (std::size_t at = 0; at < whole.files.at(name).bytes.size(); ++at)
      for (std::size_t how = 0; how < std::size(mutations); ++how) {
        sweep.count();
        const auto where = [&] {
          return std::string(mutations[how]) + " byte " + std::to_string(at) + " of " + name;
        };
        DiskImage image = whole;
        image.files[name].bytes = mutate(whole.files.at(name).bytes, at, how);
        CrashDisk damaged(image);
        store::home::FileBackend backend(damaged.process());
        backend.last_used("/w");
        for (const Id session : sessions) {
          const store::NewEntry entry = says(77);
          sweep.check(ids_of(backend, session) == std::vector{entry_id(1), entry_id(2)},
                      [&] { return where() + ": a session is not what it was"; });
          const store::Result<store::AppendResult> appended =
              backend.append(session, std::span(&entry, 1), {});
          sweep.check(ok(appended) && appended->entries.at(0).parent == entry_id(2),
                      [&] { return where() + ": an append went astray"; });
        }
        sweep.check(backend.list()->size() == 2, [&] { return where() + ": not all are listed"; });
      }
}

}  // namespace

int main() {
  Sweep transcripts("damage_sweep, transcripts"), index("damage_sweep, index");
  damage_transcripts(transcripts, long_run() ? 20'000 : 3'000);
  damage_index(index);
  const int lines = transcripts.end("states"), caches = index.end("states");
  return lines != 0 || caches != 0;
}
