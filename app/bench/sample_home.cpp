#include "app/bench/sample_home.h"

#include <fstream>

#include "app/signals.h"
#include "core/model/entry.h"
#include "core/store/home/file_backend.h"
#include "core/store/log/header.h"
#include "core/store/log/line_codec.h"
#include "core/store/log/log_reader.h"

namespace skein::bench {

namespace {

namespace fs = std::filesystem;

std::string folder_beside(const std::string& home) {
  std::error_code ignored;
  fs::path above = fs::absolute(home, ignored).lexically_normal();
  if (!above.has_filename()) above = above.parent_path();  // it ended in a slash
  do above = above.parent_path();
  while (above.has_relative_path() && !fs::is_directory(above, ignored));
  return above.string();
}

// Words that are in every entry, in many and in few.
std::string prose(std::size_t number) {
  constexpr std::string_view words[] = {
      "the",  "lexer", "counts", "a",      "tab", "as",   "one",   "column", "which", "the",
      "test", "does",  "not",    "expect", "and", "file", "error", "return", "const", "string"};
  std::string out = "entry " + std::to_string(number);
  if (number % 1000 == 500) out += " " + std::string(rare_word);
  for (std::size_t state = number * 2654435761u + 1; out.size() < 480;
       state = state * 6364136223846793005u + 1442695040888963407u)
    out += " " + std::string(words[(state >> 33) % std::size(words)]);
  return out;
}

}  // namespace

store::NewEntry sample_entry(std::size_t number) {
  return {model::message_entry(model::user_message(prose(number)))};
}

SampleHome::SampleHome(const std::string& real_home, const SampleSize& size)
    : size_(size), temporary_(folder_beside(real_home), ".skein-bench-") {
  folder_ = temporary_.path();
  if (folder_.empty())
    throw Error("cannot make a folder in " + folder_beside(real_home) +
                    ", where the bench would run; --home names another place",
                ExitStatus::storage);
  for (const fs::path& each : {path(), path() / "transcripts", workspace()}) {
    fs::create_directory(each);
    fs::permissions(each, fs::perms::owner_all);
  }
  write_session(long_, key(), size_.entries);
  write_session(short_, "main:bench:short", 10);
  for (std::size_t i = 2; i < size_.sessions && !app::stop_asked(); ++i)
    write_session(random_id(), "main:bench:" + std::to_string(i), 1);
  store::SessionStore store = open();
  if (app::stop_asked()) return;
  store.list();  // makes the index
  store::value_or_throw(store.open(long_));
  store.remember(long_, workspace().string());
}

// The files themselves, as the store writes them but without a sync for each entry, which would
// take minutes.
void SampleHome::write_session(Id session, const std::string& key, std::size_t entries) const {
  const std::uint32_t seed = store::log::seal_seed(session);
  std::uint32_t previous = 0;
  std::ofstream out(transcript(session), std::ios::binary);
  const auto add = [&](const model::Entry& entry) {
    const auto sealed =
        store::value_or_throw(store::log::seal_batch(std::span(&entry, 1), seed, previous));
    out << sealed.bytes;
    previous = sealed.last_crc;
  };
  add(store::log::header_entry(
      {.session = session, .key = key, .cwd = workspace().string(), .created_at = now_utc()}));
  std::optional<Id> parent;
  for (std::size_t i = 0; i < entries && !app::stop_asked(); ++i) {
    model::Entry entry = sample_entry(i).entry;
    entry.parent = parent;
    parent = entry.id;
    add(entry);
  }
  if (!out.flush())
    throw Error("cannot write to " + folder_.string() + ": is the disk full?", ExitStatus::storage);
  fs::permissions(transcript(session), fs::perms::owner_read | fs::perms::owner_write);
}

fs::path SampleHome::transcript(Id session) const {
  return path() / store::log::transcript_path(session);
}

store::SessionStore SampleHome::open() const {
  return store::SessionStore(
      std::make_unique<store::home::FileBackend>(store::files::real_files(path().string())));
}

}  // namespace skein::bench
