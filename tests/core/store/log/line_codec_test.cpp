#include "core/store/log/line_codec.h"

#include <doctest/doctest.h>

#include <random>

#include "core/text/checksum.h"
#include "core/text/json.h"
#include "tests/support/store_samples.h"

using namespace skein;
using namespace skein::store::log;
using namespace skein::test;

TEST_CASE("the checksum is CRC-32C") {
  CHECK(crc32c(0, "123456789") == 0xe3069283u);
  CHECK(crc32c_portable(0, "123456789") == 0xe3069283u);
  CHECK(crc32c(0, "") == 0);
  CHECK(crc32c(0, std::string(32, '\0')) == 0x8a9136aau);
  CHECK(crc32c(0, std::string(32, '\xff')) == 0x62a8ab43u);
}

TEST_CASE("the processor's checksum and ours agree at every alignment and length") {
  std::mt19937_64 random(7);
  std::string bytes(400, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (std::size_t from = 0; from < 16; ++from)
    for (std::size_t length = 0; length + from <= 300; ++length) {
      const std::string_view piece = std::string_view(bytes).substr(from, length);
      const auto start = static_cast<std::uint32_t>(random());
      REQUIRE(crc32c(start, piece) == crc32c_portable(start, piece));
    }
  // Long ones are gone through in stretches.
  std::string text(20'000, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  for (int i = 0; i < 300; ++i) {
    const auto part = std::string_view(text).substr(random() % 50, random() % 12'000);
    const auto start = static_cast<std::uint32_t>(random());
    REQUIRE(crc32c(start, part) == crc32c_portable(start, part));
  }
}

TEST_CASE("a checksum goes on from another") {
  CHECK(crc32c(crc32c(0, "1234"), "56789") == crc32c(0, "123456789"));
}

TEST_CASE("a line is written as the format says, member by member") {
  model::Entry entry{.id = Id{0x1},
                     .parent = Id{0xabcdef0123456789u},
                     .type = "message",
                     .timestamp = "2026-01-02T03:04:05.678Z",
                     .run_id = "r1",
                     .payload = R"({"a": 1})",
                     .meta = R"({"b":2})"};
  const std::uint32_t seed = seal_seed(Id{0x5e});
  const SealedBatch batch = *seal_batch(std::span(&entry, 1), seed, 0x9a1f77c2u);

  const std::string up_to_crc =
      R"({"id":"0000000000000001","parentId":"abcdef0123456789","type":"message",)"
      R"("timestamp":"2026-01-02T03:04:05.678Z","runId":"r1","payload":{"a":1},"meta":{"b":2},)"
      R"("seal":"0000/0001:9a1f77c2:)";
  CHECK(seed == crc32c(0, "000000000000005e"));
  char crc[9];
  std::snprintf(crc, sizeof crc, "%08x", crc32c(seed, up_to_crc));
  CHECK(batch.bytes == up_to_crc + crc + "\"}\n");
  CHECK(batch.last_crc == crc32c(seed, up_to_crc));
}

TEST_CASE("each line of a batch covers the whole lines before it") {
  const std::vector<model::Entry> entries{message_of(1, "one"), message_of(2, "two")};
  const std::uint32_t seed = seal_seed(sample_session);
  const std::string bytes = seal_batch(entries, seed, 0)->bytes;

  const std::size_t second = bytes.find('\n') + 1;
  CHECK(bytes.substr(second - 30, 9) == "0000/0002");
  CHECK(bytes.substr(bytes.size() - 30, 9) == "0001/0002");
  char crc[9];
  std::snprintf(crc, sizeof crc, "%08x",
                crc32c(seed, std::string_view(bytes).substr(0, bytes.size() - 11)));
  CHECK(bytes.substr(bytes.size() - 11) == std::string(crc) + "\"}\n");
}

TEST_CASE("a line comes back as the entry it was made from") {
  model::Entry entry = message_of(1, "text with \"quotes\", \\ and \u2028");
  entry.payload = json_line(entry.payload);
  entry.run_id = "run-1";
  entry.meta = R"({"x":{"y":[1,2.5,"\"}"]}})";
  const std::string bytes = seal_batch(std::span(&entry, 1), 1, 0)->bytes;
  const std::string text = bytes.substr(0, bytes.size() - 1);

  const auto line = read_line(text);
  REQUIRE(line);
  CHECK(entry_of(text, *line) == entry);
  CHECK(entry_from_json(text) == entry);
  CHECK(line_crc(1, text) == line->seal.crc);
}

TEST_CASE("only lines in exactly our form are read by position") {
  model::Entry entry = message_of(1, "hello");
  const std::string bytes = seal_batch(std::span(&entry, 1), 1, 0)->bytes;
  const std::string text = bytes.substr(0, bytes.size() - 1);

  CHECK(read_line(text));
  CHECK_FALSE(read_line(text + "\r"));
  CHECK_FALSE(read_line(" " + text));
  CHECK_FALSE(read_line(text.substr(1)));
  CHECK_FALSE(read_line(text.substr(0, text.size() - 1)));
  std::string upper = text;
  upper.replace(upper.size() - 10, 8, "ABCDEF01");
  CHECK_FALSE(read_line(upper));
  std::string place = text;
  place.replace(place.size() - 29, 4, "0001");
  CHECK_FALSE(read_line(place));  // the second of one
}

TEST_CASE("a batch that is too large is refused before anything is written") {
  model::Entry huge = message_of(1, std::string(max_line_bytes, 'x'));
  CHECK(seal_batch(std::span(&huge, 1), 0, 0).error().kind == store::Failure::Kind::refused);
  const std::vector<model::Entry> many(max_batch_entries + 1, message_of(1, "x"));
  CHECK(seal_batch(many, 0, 0).error().kind == store::Failure::Kind::refused);
}
