#include "core/store/postgres/outbox.h"

#include "core/store/entry_text.h"
#include "core/store/files/named_files.h"
#include "core/text/text.h"

namespace skein::store::postgres {

namespace {

constexpr std::string_view ending = ".parked";
constexpr std::size_t id_digits = 16;
constexpr std::uint64_t most_parked_bytes = std::uint64_t{64} << 20;

}  // namespace

Result<files::Files*> Outbox::opened() const try {
  if (!files_) files_ = files::real_files(folder_);
  return files_.get();
} catch (const Error& error) {
  return Failure{Failure::Kind::io, error.what()};
}

// <session>-<when, in ms>-<random>.parked: sorted, they are in the order they were parked.
std::vector<std::string> Outbox::names(std::optional<Id> session) const {
  std::error_code failed;
  if (!std::filesystem::is_directory(folder_, failed)) return {};
  const Result<files::Files*> there = opened();
  if (!there) return {};
  Result<std::vector<std::string>> all = files::list(**there, "");
  if (!all) return {};
  std::erase_if(*all, [&](const std::string& name) {
    return !name.ends_with(ending) || !parse_id(std::string_view(name).substr(0, id_digits)) ||
           (session && !name.starts_with(to_string(*session)));
  });
  return *std::move(all);
}

bool Outbox::has(Id session) const { return !names(session).empty(); }

std::vector<Id> Outbox::sessions() const {
  std::set<Id> out;
  for (const std::string& name : names(std::nullopt))
    out.insert(parse_id(std::string_view(name).substr(0, id_digits)).value());
  return {out.begin(), out.end()};
}

Result<void> Outbox::park(Id session, std::span<const NewEntry> entries) {
  std::string text;
  for (const NewEntry& each : entries) {
    if (each.follows)
      return Failure{Failure::Kind::refused, "an entry without its parent cannot be queued"};
    text += to_json(each.entry) + "\n";
  }
  files::Files* there = TRY(opened());
  // Later than all that are there, whatever the clock says.
  std::string when = std::to_string(now_ms());
  const std::vector<std::string> before = names(session);
  if (!before.empty()) {
    const std::string last = before.back().substr(id_digits + 1, when.size());
    if (last >= when) when = std::to_string(std::stoll(last) + 1);
  }
  return files::replace_file(*there,
                             to_string(session) + "-" + when + "-" +
                                 to_string(random_id()).substr(12) + std::string(ending),
                             text, "queueing entries");
}

Result<std::optional<Outbox::Batch>> Outbox::first(Id session) const {
  const std::vector<std::string> all = names(session);
  if (all.empty()) return std::optional<Batch>{};
  files::Files* there = TRY(opened());
  const std::string text = TRY(files::read_whole(*there, all.front(), most_parked_bytes));
  Batch batch{all.front()};
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    Result<NewEntry> entry = new_entry_from_json(line);
    if (!entry) return Failure{entry.error().kind, all.front() + ": " + entry.error().text};
    entry->follows = false;
    batch.entries.push_back(*std::move(entry));
  }
  return std::optional(std::move(batch));
}

Result<void> Outbox::remove(const Batch& batch) {
  files::Files* there = TRY(opened());
  return files::remove(*there, batch.name);
}

}  // namespace skein::store::postgres
