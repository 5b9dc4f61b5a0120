// Flipped bits: every single one of a small transcript, with an index that is right, one that is
// old, and none. Every entry whose own line is whole stays on the active path; what was
// acknowledged is never told to be whole, and never to be a write that was cut short.
#include <algorithm>

#include "core/store/session_store.h"
#include "tests/support/store_samples.h"
#include "tests/support/sweep.h"

using namespace skein;
using namespace skein::test;

namespace {

enum class Known { right, old, nothing };
constexpr std::pair<Known, const char*> index_states[] = {{Known::right, "an index that is right"},
                                                          {Known::old, "an old index"},
                                                          {Known::nothing, "no index"}};

// A home with the transcript as far as `end`, and an index of that.
DiskImage home_of(const Sample& sample, std::uint64_t end) {
  CrashDisk disk;
  put_transcript(disk, std::string_view(sample.bytes).substr(0, end));
  store::home::FileBackend backend(disk.process());
  (void)backend.list();
  return disk.now();
}

DiskImage home_with(const Sample& sample, Known known) {
  const std::size_t batches = sample.borders.size();
  DiskImage image = home_of(sample, sample.borders[batches - (known == Known::old ? 2 : 1)]);
  if (known == Known::nothing) image.files.erase("sessions.json");
  return image;
}

void flip(Sweep& sweep, const Sample& sample, const DiskImage& home, const char* state,
          std::size_t at, int bit) {
  sweep.count();
  const auto where = [&] {
    return "bit " + std::to_string(bit) + " of byte " + std::to_string(at) + " of " + sample.name +
           ", with " + state;
  };
  DiskImage image = home;
  std::string& bytes = image.files.at(store::log::transcript_path(sample_session)).bytes;
  bytes = sample.bytes;
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
  CrashDisk disk(image);
  store::SessionStore store(std::make_unique<store::home::FileBackend>(disk.process()));

  const store::Result<store::SessionRecord> opened = store.sessions().open(sample_session);
  if (!sweep.check(ok(opened), [&] { return where() + ": does not open"; })) return;
  const std::optional<Id> head = opened->state.head;
  const store::Result<store::Path> read =
      head ? store.path(sample_session, *head) : store::Result<store::Path>(store::Path{});
  if (!sweep.check(ok(read), [&] { return where() + ": has no path"; })) return;
  const store::Path& path = *read;
  for (const Sample::Line& line : sample.lines) {
    const bool touched = line.begin <= at && at < line.end;
    if (touched || model::is_marginal(line.entry.type) ||
        line.entry.type == model::type::session_header)
      continue;
    sweep.check(
        std::ranges::count(path.entries, line.entry.id,
                           [](const store::StoredEntry& each) { return each.entry.id; }) == 1,
        [&] { return where() + ": " + to_string(line.entry.id) + " is not on the path"; });
  }
  // What is read on the way is told at once.
  if (at >= sample.borders.front())
    sweep.check(!path.notices.empty() || store.open(sample_session).damage.any(),
                [&] { return where() + ": nobody is told"; });
  const store::Result<store::Damage> examined = store.transcripts().examine(sample_session);
  sweep.check(ok(examined) && examined->any(), [&] { return where() + ": it is called whole"; });
  sweep.check(ok(examined) && examined->uncommitted.empty(),
              [&] { return where() + ": it is called a write that was cut short"; });

  // The next append sets nothing aside that was acknowledged.
  if (at % 7 != 0) return;
  const store::NewEntry entry = says(900001, "afterwards");
  if (ok(store.append_session_entries(sample_session, std::span(&entry, 1))))
    sweep.check(disk.paths("quarantine").empty(), [&] { return where() + ": it was set aside"; });
}

}  // namespace

int main() {
  Sweep sweep("flip_sweep");
  // Ids that no flipped bit turns into another's.
  const auto said = [](std::uint64_t number, const std::string& text = "hello") {
    return says(number * 0x9e3779b9, text);
  };
  const store::NewEntry title = notes(90, R"({"kind":"title","text":"a title"})");
  const Sample samples[] = {
      make_sample(
          "a batch at the end",
          {{said(1)}, {said(2, "a b c"), title, said(3)}, {said(4, "Jazz * Jam"), said(5)}}),
      make_sample("a line at the end", {{said(1), said(2)}, {said(3)}, {said(4, "pay 100 J * @")}}),
  };
  for (const Sample& sample : samples)
    for (const auto& [known, state] : index_states) {
      const DiskImage home = home_with(sample, known);
      for (std::size_t at = 0; at < sample.bytes.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) flip(sweep, sample, home, state, at, bit);
    }
  return sweep.end("states");
}
