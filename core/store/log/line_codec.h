// How an entry becomes a line of a transcript and a line an entry again; nothing else knows what a
// line looks like. It is plain JSON whose last member, the seal, ties it to its batch and to the
// batch before: see FORMAT.md.
#pragma once

#include "core/model/entry.h"
#include "core/store/result.h"

namespace skein::store::log {

struct Seal {
  unsigned place = 0;          // in its batch, from 0
  unsigned count = 0;          // lines in the batch
  std::uint32_t previous = 0;  // the crc of the batch before
  std::uint32_t crc = 0;       // of the batch up to here, seeded with the session's id
};

// ,"seal":"iiii/nnnn:pppppppp:cccccccc"}
inline constexpr std::size_t seal_width = 9 + 9 + 1 + 8 + 1 + 8 + 2;

inline constexpr std::size_t max_line_bytes = 16u << 20;
inline constexpr std::size_t max_batch_bytes = 32u << 20;
inline constexpr std::size_t max_batch_entries = 4096;

// What the checksums of a session start from, so that no line verifies in another session's file.
std::uint32_t seal_seed(Id session);

// A batch as it is in the file, every line with its newline; `last_crc` is that of the batch's
// last line. Refused if a line or the batch is too large.
struct SealedBatch {
  std::string bytes;
  std::uint32_t last_crc = 0;
};
Result<SealedBatch> seal_batch(std::span<const Entry> entries, std::uint32_t seed,
                               std::uint32_t previous);

// What takes the place of the seal of a line in exactly our form, and of its newline, where the
// line becomes a single batch in another transcript.
struct NewSeal {
  char text[seal_width + 1];
  std::uint32_t crc = 0;
};
NewSeal seal_anew(std::string_view line, std::uint32_t seed, std::uint32_t previous);

// What a scan needs to know of a line, found by position, without parsing the payload.
struct Line {
  Id id{};
  std::optional<Id> parent{};
  std::string_view type{};
  std::string_view timestamp{};
  std::string_view body{};  // the payload's text and, if there is one, `,"meta":…` after it
  Seal seal{};
};

// Only lines in exactly the form seal_batch writes; `text` has no newline.
std::optional<Line> read_line(std::string_view text);
// The checksum of a line that starts a batch, or continues from the state after the line before.
std::uint32_t line_crc(std::uint32_t state, std::string_view text);
// The state after a whole line, newline included, whose own crc is `crc`.
std::uint32_t state_after(std::uint32_t crc, std::string_view text);

// The whole entry of a line in exactly our form.
Entry entry_of(std::string_view text, const Line& line);
// An entry from any JSON object with an id, a type and a payload, in whatever order and spacing:
// what hands or other programs made of a line. nullopt: no entry. A parent that cannot be read
// becomes an id that no entry has.
std::optional<Entry> entry_from_json(std::string_view text);

}  // namespace skein::store::log
