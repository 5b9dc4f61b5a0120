// The store's part: append, open, search, list.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "app/bench/workload.h"
#include "app/signals.h"
#include "core/search/search.h"
#include "core/text/amounts.h"
#include "core/text/fd.h"
#include "core/text/io.h"

namespace skein::bench {

using store::value_or_throw;

namespace {

namespace fs = std::filesystem;

Error disk_trouble(const fs::path& file) {
  return Error(file.string() + ": " + std::strerror(errno), ExitStatus::storage);
}

Fd open_or_throw(const fs::path& file, int flags) {
  Fd fd(::open(file.c_str(), flags | O_CLOEXEC, 0600));
  if (!fd) throw disk_trouble(file);
  return fd;
}

// The last `bytes` of a file, with one read.
void read_end(const fs::path& file, std::size_t bytes) {
  const Fd fd = open_or_throw(file, O_RDONLY);
  std::string buffer(bytes, '\0');
  const off_t end = lseek(fd.get(), 0, SEEK_END);
  const off_t from = std::max<off_t>(0, end - static_cast<off_t>(bytes));
  if (pread(fd.get(), buffer.data(), bytes, from) < 0) throw disk_trouble(file);
}

// How often `word` stands in a file, found in pieces of a megabyte.
std::size_t count_word(const fs::path& file, std::string_view word) {
  const Fd fd = open_or_throw(file, O_RDONLY);
  std::vector<char> buffer(1 << 20);
  std::size_t found = 0;
  for (ssize_t count; (count = read(fd.get(), buffer.data(), buffer.size())) > 0;) {
    const char* at = buffer.data();
    const char* const end = at + count;
    while (at < end) {
      const void* hit = memmem(at, static_cast<std::size_t>(end - at), word.data(), word.size());
      if (hit == nullptr) break;
      ++found;
      at = static_cast<const char*>(hit) + word.size();
    }
  }
  return found;
}

}  // namespace

Measured measure_append(const SampleHome& home) {
  store::SessionStore store = home.open();
  const fs::path bare = home.folder() / "bare";
  const Fd file = open_or_throw(bare, O_WRONLY | O_CREAT | O_APPEND);
  std::size_t number = 0;
  const auto before = fs::file_size(home.transcript(home.short_one()));
  value_or_throw(store.append_session_entries(home.short_one(), std::vector{sample_entry(number)}));
  // What the store wrote for one entry is what is written without it.
  const std::string bytes(fs::file_size(home.transcript(home.short_one())) - before, 'x');
  const Middles took = in_turns(
      home, 1000,
      [&] {
        const store::NewEntry entry = sample_entry(++number);
        value_or_throw(store.append_session_entries(home.short_one(), std::span(&entry, 1)));
      },
      [&] {
        if (!write_all(file.get(), bytes) || fdatasync(file.get()) != 0) throw disk_trouble(bare);
      });
  return {took.ours, took.raw, std::to_string(bytes.size()) + " bytes, on disk when it returns",
          "writing and syncing them"};
}

Measured measure_open(const SampleHome& home) {
  constexpr std::size_t shown = 50;
  const fs::path file = home.transcript(home.long_one());
  const std::size_t bytes = fs::file_size(file) / (home.size().entries + 1) * shown;
  const Middles took = in_turns(
      home, 101,
      [&] {
        store::SessionStore store = home.open();
        const Id session = store.last_used(home.workspace().string()).value();
        const store::SessionRecord record = value_or_throw(store.open(session));
        value_or_throw(store.path(session, record.state.head.value(), shown));
      },
      [&] { read_end(file, bytes); });
  return {took.ours, took.raw,
          "the last " + std::to_string(shown) + " of " + with_separators(home.size().entries) +
              " entries, " + short_bytes(fs::file_size(file)),
          "reading their bytes"};
}

Measured measure_search(const SampleHome& home) {
  std::vector<fs::path> files;
  std::uint64_t bytes = 0;
  for (const auto& each : fs::directory_iterator(home.path() / "transcripts")) {
    files.push_back(each.path());
    bytes += each.file_size();
  }
  store::SessionStore store = home.open();
  const search::Request request{.query = search::parse_query(rare_word, search::Accents::kept),
                                .stop = &app::stop_asked()};
  std::size_t found = 0, counted_bare = 0;
  const Middles took = in_turns(
      home, 21, [&] { found = search::search_ranked(store, request).outcome.found; },
      [&] {
        counted_bare = 0;
        for (const fs::path& file : files) counted_bare += count_word(file, rare_word);
      });
  if (found == 0 && !app::stop_asked())
    throw Error("the bench searched for a word that is there and did not find it");
  return {took.ours, took.raw,
          "a rare word in " + counted(files.size(), "session") + ", " + short_bytes(bytes),
          "reading the files and looking for its letters"};
}

Measured measure_list(const SampleHome& home) {
  const fs::path index = home.path() / "sessions.json";
  std::vector<fs::path> files;
  for (const auto& each : fs::directory_iterator(home.path() / "transcripts"))
    files.push_back(each.path());
  std::uint64_t bytes = 0;
  const Middles took = in_turns(
      home, 101,
      [&] {
        store::SessionStore store = home.open();
        store.list();
      },
      [&] {
        read_end(index, fs::file_size(index));
        for (const fs::path& file : files) bytes += fs::file_size(file);
      });
  return {took.ours, took.raw, counted(files.size(), "session"),
          "reading the index and asking for each file's size"};
}

}  // namespace skein::bench
