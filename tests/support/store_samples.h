// Small transcripts of every shape, made by the store itself, and the few things tests do to them.
#pragma once

#include <string>
#include <vector>

#include "core/store/home/file_backend.h"
#include "core/store/log/log_reader.h"
#include "tests/support/crash_disk.h"

namespace skein::test {

inline constexpr Id sample_session{0x5e55104e5e55104eu};

Id entry_id(std::uint64_t number);
model::Entry message_of(std::uint64_t number, const std::string& text);
store::NewEntry says(std::uint64_t number,
                     const std::string& text = "hello");  // follows what is there
store::NewEntry says_after(std::uint64_t number, std::optional<std::uint64_t> parent);
store::NewEntry notes(std::uint64_t number, JsonText payload);  // a marginal entry
store::SessionHeader header_of(Id session, const std::string& key = "main:cli:user");

// A transcript whose lines and batches are known.
struct Sample {
  struct Line {
    std::uint64_t begin = 0, end = 0;  // the newline included
    std::size_t batch = 0;
    model::Entry entry{};
  };
  std::string name{};
  std::string bytes{};
  std::vector<Line> lines{};             // the header is the first
  std::vector<std::uint64_t> borders{};  // where each batch ends
};
using Batches = std::vector<std::vector<store::NewEntry>>;
Sample make_sample(const std::string& name, const Batches& batches);
// Single lines; batches of several; branches and marginal entries; long lines; Unicode. `size` is
// about how many bytes each has.
std::vector<Sample> samples_of_every_shape(std::size_t size);

// A home with its folders and the one transcript.
void put_transcript(CrashDisk& disk, std::string_view bytes, Id session = sample_session);

std::vector<model::Entry> entries_of(store::log::LogReader& log);  // the header not counted
std::vector<Id> ids_of(store::StorageBackend& backend, Id session);
template <class Value>
bool ok(const store::Result<Value>& outcome) {
  return bool(outcome);
}
// Everything that was ever set aside, by repairs, from this disk.
std::vector<std::string> quarantined(const CrashDisk& disk);

}  // namespace skein::test
