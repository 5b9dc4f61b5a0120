#include "tests/support/large_home.h"

#include <cstdio>
#include <fstream>
#include <random>

#include "core/store/log/line_codec.h"
#include "core/store/log/log_reader.h"
#include "core/store/log/log_writer.h"
#include "core/text/checksum.h"

namespace skein::test {

namespace {

// Many entries, each a batch of its own as in a real conversation. Only the first is made as the
// store makes it; the others differ in their ids and their seals, so that a gigabyte takes seconds.
void fill(const std::filesystem::path& transcript, Id session, std::size_t entries,
          std::size_t bytes) {
  const std::string header = read_file(transcript);
  const std::uint32_t seed = store::log::seal_seed(session);
  std::uint32_t previous =
      store::log::read_line(std::string_view(header).substr(0, header.size() - 1))->seal.crc;
  const model::Entry first = entry_of_size(bytes).entry;
  const std::string made = store::log::seal_batch(std::span(&first, 1), seed, previous)->bytes;
  const std::size_t from = made.find(R"(,"type":)");
  const std::string body = made.substr(from, made.size() - 1 - store::log::seal_width - from);

  std::mt19937_64 random(1);
  std::ofstream out(transcript, std::ios::binary | std::ios::app);
  std::string text, parent = "null";
  for (std::size_t i = 0; i < entries; ++i) {
    const std::string id = to_string(Id{random()});
    const std::size_t begin = text.size();
    char hex[16];
    text.append(R"({"id":")").append(id).append(R"(","parentId":)").append(parent).append(body);
    std::snprintf(hex, sizeof hex, "%08x", previous);
    text.append(R"(,"seal":"0000/0001:)").append(hex).append(":");
    previous = crc32c(seed, std::string_view(text).substr(begin));
    std::snprintf(hex, sizeof hex, "%08x\"}\n", previous);
    text += hex;
    parent = '"' + id + '"';
    if (text.size() > (1u << 22) || i + 1 == entries) {
      out << text;
      text.clear();
    }
  }
}

void make_transcript(const std::filesystem::path& file, Id session, const std::string& key,
                     std::size_t entries, std::size_t bytes) {
  const model::Entry start = store::log::header_entry(
      {.session = session, .key = key, .cwd = "/tmp", .created_at = now_utc()});
  write_file(
      file, store::log::seal_batch(std::span(&start, 1), store::log::seal_seed(session), 0)->bytes);
  fill(file, session, entries, bytes);
}

}  // namespace

store::NewEntry entry_of_size(std::size_t bytes) {
  constexpr std::size_t around = 217;  // what a line has besides the text
  return {model::message_entry(
      model::user_message(std::string(std::max(bytes, around) - around, 'x')))};
}

LargeHome::LargeHome(std::size_t sessions, std::size_t entries, std::size_t bytes,
                     const std::string& key) {
  std::filesystem::create_directories(path / "transcripts");
  for (const auto& folder : {path, path / "transcripts"})
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  make_transcript(transcript(), session, key, entries, bytes);
  for (std::size_t i = 1; i < sessions; ++i) {
    const Id other = random_id();
    make_transcript(path / store::log::transcript_path(other), other,
                    "main:bench:" + std::to_string(i), 1, 700);
  }
}

std::filesystem::path LargeHome::transcript() const {
  return path / store::log::transcript_path(session);
}

}  // namespace skein::test
