#include "core/store/backend.h"

#include <algorithm>
#include <vector>

#include "core/text/amounts.h"

namespace skein::store {

std::optional<std::string> key_problem(std::string_view key) {
  const std::string complaint =
      "'" + std::string(utf8_prefix(key, 200)) + "' is not a session key: ";
  if (key.size() >= 200) return complaint + "it is longer than 199 bytes";
  std::vector<std::string_view> segments;
  for (std::size_t at = 0; at <= key.size();) {
    const std::size_t end = std::min(key.find(':', at), key.size());
    const std::string_view segment = segments.emplace_back(key.substr(at, end - at));
    if (segment.empty() || segment.size() > 64)
      return complaint + "each of its parts (agent:channel:peer) has 1 to 64 characters";
    for (const char c : segment)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
          std::string_view("._@+-").find(c) == std::string_view::npos)
        return complaint + "only letters, digits and ._@+- stand in its parts";
    at = end + 1;
  }
  const auto is = [&](std::size_t at, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, segments[at]) != words.end();
  };
  if (segments.size() == 3) return std::nullopt;
  if ((segments.size() == 5 || segments.size() == 7) && is(0, {"agent"}) &&
      is(3, {"direct", "group", "channel"}) && (segments.size() == 5 || is(5, {"thread"})))
    return std::nullopt;
  return complaint +
         "it has the form agent:channel:peer or "
         "agent:<id>:<channel>:<direct|group|channel>:<peer>[:thread:<id>], where the first word "
         "of "
         "the longer form is agent";
}

std::string damage_notice(const DamageCount& damage, const std::string& key) {
  if (!damage.any()) return {};
  std::string what;
  const auto add = [&](std::int64_t count, const char* one, const char* many) {
    if (count > 0)
      what += (what.empty() ? "" : "; ") + counted(static_cast<std::size_t>(count), one, many);
  };
  add(damage.altered, "entry was altered since it was written, and is used as it stands now",
      "entries were altered since they were written, and are used as they stand now");
  add(damage.broken, "place cannot be read any more, and what stood there is left out",
      "places cannot be read any more, and what stood there is left out");
  add(damage.gaps, "place where something is missing", "places where something is missing");
  return "the transcript of " + key + " is damaged: " + what + ". `skein doctor " + key +
         "` shows where, and changes nothing";
}

// For a store that has no faster way: entry by entry.
Result<std::set<Id>> StorageBackend::sift(const SessionRecord& session, const Sieve& sieve,
                                          const VisitFacts& visit) {
  const Id id = session.header.session;
  sieve.begin();
  const auto loaded = load(id, 0, [&](const StoredEntry& placed) {
    if (placed.entry.type != type::session_header &&
        sieve.next(placed.entry.payload, 0) != std::string_view::npos)
      visit(model::facts_of(placed.entry, placed.at));
    return sieve.go_on();
  });
  if (!loaded) return loaded.error();
  const Result<SessionRecord> now = open(id);
  if (!now) return now.error();
  return now->state.redacted;
}

Result<std::vector<std::string>> StorageBackend::keep_blobs(std::span<const std::string> all) {
  std::vector<std::string> names;
  for (const std::string& bytes : all) {
    Result<std::string> name = keep_blob(bytes);
    if (!name) return name.error();
    names.push_back(*std::move(name));
  }
  return names;
}

std::string described(Id session) { return "session " + to_string(session); }

Result<MigrationResult> StorageBackend::migrate(Id session) {
  return open(session).and_then(
      [&](const SessionRecord&) -> Result<MigrationResult> { return MigrationResult{session}; });
}

Result<SessionRecord> StorageBackend::replace(Id session, Position, const GiveLines&) {
  return Failure{Failure::Kind::damaged,
                 described(session) + " is damaged where no file can be set aside"};
}

}  // namespace skein::store
