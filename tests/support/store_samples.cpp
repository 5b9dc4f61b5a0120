#include "tests/support/store_samples.h"

#include "core/text/json.h"

namespace skein::test {

Id entry_id(std::uint64_t number) { return Id{0xabcdef0000000000u + number}; }

model::Entry message_of(std::uint64_t number, const std::string& text) {
  model::Entry entry = model::message_entry(model::user_message(text));
  entry.id = entry_id(number);
  entry.timestamp = "2026-01-02T03:04:05.678Z";
  return entry;
}

store::NewEntry says(std::uint64_t number, const std::string& text) {
  return {message_of(number, text)};
}

store::NewEntry says_after(std::uint64_t number, std::optional<std::uint64_t> parent) {
  store::NewEntry out{message_of(number, "branch"), false};
  if (parent) out.entry.parent = entry_id(*parent);
  return out;
}

store::NewEntry notes(std::uint64_t number, JsonText payload) {
  model::Entry entry = model::make_entry(model::type::custom, std::move(payload));
  entry.id = entry_id(number);
  entry.timestamp = "2026-01-02T03:04:05.678Z";
  return {entry};
}

store::SessionHeader header_of(Id session, const std::string& key) {
  return {.session = session,
          .key = key,
          .cwd = "/home/ada/project",
          .created_by = "skein test",
          .created_at = "2026-01-02T03:04:05.678Z"};
}

Sample make_sample(const std::string& name, const Batches& batches) {
  Sample sample{.name = name};
  const std::uint32_t seed = store::log::seal_seed(sample_session);
  std::uint32_t previous = 0;
  std::optional<Id> head;
  const auto add = [&](std::vector<model::Entry> entries) {
    const store::log::SealedBatch sealed = *store::log::seal_batch(entries, seed, previous);
    previous = sealed.last_crc;
    std::size_t at = 0;
    for (model::Entry& entry : entries) {
      const std::size_t end = sealed.bytes.find('\n', at) + 1;
      sample.lines.push_back({sample.bytes.size() + at, sample.bytes.size() + end,
                              sample.borders.size(), std::move(entry)});
      at = end;
    }
    sample.bytes += sealed.bytes;
    sample.borders.push_back(sample.bytes.size());
  };
  model::Entry header = store::log::header_entry(header_of(sample_session));
  header.id = entry_id(0);
  add({header});
  for (const std::vector<store::NewEntry>& batch : batches) {
    std::vector<model::Entry> entries;
    for (const store::NewEntry& each : batch) {
      model::Entry entry = each.entry;
      if (each.follows) entry.parent = head;
      entry.payload = json_line(entry.payload);
      if (!model::is_marginal(entry.type)) head = entry.id;
      entries.push_back(std::move(entry));
    }
    add(std::move(entries));
  }
  return sample;
}

std::vector<Sample> samples_of_every_shape(std::size_t size) {
  std::uint64_t number = 0;
  const auto batches = [&](std::size_t batch_bytes, auto make) {
    Batches out;
    for (std::size_t bytes = 0; bytes < size; bytes += batch_bytes) out.push_back(make());
    return out;
  };
  std::vector<Sample> out;
  out.push_back(make_sample("single", batches(260, [&] { return std::vector{says(++number)}; })));
  out.push_back(make_sample("several", batches(1040, [&] {
                              return std::vector{says(number + 1, "run it"), says(number + 2, "{}"),
                                                 says(number + 3, "\"},{\""), says(number += 4)};
                            })));
  std::uint64_t root = 0;
  out.push_back(make_sample(
      "branches", batches(1250, [&] {
        const std::uint64_t first = number + 1;
        std::vector<store::NewEntry> batch{
            says_after(first, root ? std::optional(root) : std::nullopt), says(first + 1),
            notes(first + 2, R"({"kind":"title","text":"a title"})"), says_after(first + 3, first),
            notes(first + 4,
                  R"({"kind":"head","entryId":")" + to_string(entry_id(first + 1)) + "\"}")};
        root = first;
        number += 5;
        return batch;
      })));
  out.push_back(make_sample("long", batches(3200, [&] {
                              ++number;
                              return std::vector{says(number, std::string(1500, 'x')),
                                                 says(++number, std::string(1200, '{'))};
                            })));
  out.push_back(make_sample("unicode", batches(420, [&] {
                              return std::vector{says(
                                  ++number, "\u00e9\u4e2d\U0001F600 \u2028\uFEFF\x01\x7f\n\t\"")};
                            })));
  return out;
}

void put_transcript(CrashDisk& disk, std::string_view bytes, Id session) {
  const auto files = disk.process();
  for (const char* folder : {"transcripts", "quarantine", "trash"}) files->make_folder(folder);
  disk.put(store::log::transcript_path(session), bytes);
}

std::vector<model::Entry> entries_of(store::log::LogReader& log) {
  std::vector<model::Entry> out;
  (void)log.each(0, [&](const store::StoredEntry& placed) {
    if (placed.entry.type != model::type::session_header) out.push_back(placed.entry);
    return true;
  });
  return out;
}

std::vector<Id> ids_of(store::StorageBackend& backend, Id session) {
  std::vector<Id> out;
  (void)backend.load(session, 0, [&](const store::StoredEntry& placed) {
    if (placed.entry.type != model::type::session_header) out.push_back(placed.entry.id);
    return true;
  });
  return out;
}

std::vector<std::string> quarantined(const CrashDisk& disk) {
  std::vector<std::string> out;
  for (const std::string& path : disk.paths("quarantine"))
    if (path.ends_with(".frag")) out.push_back(disk.bytes(path));
  return out;
}

}  // namespace skein::test
