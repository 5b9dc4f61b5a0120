#include "core/store/backend.h"

#include <unistd.h>

#include "core/text/text.h"

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
        return complaint + "its parts may only have letters, digits and ._@+-";
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
  add(damage.altered, "entry was altered after it was written and is used in its altered form",
      "entries were altered after they were written and are used in their altered form");
  add(damage.broken, "section is unreadable and left out", "sections are unreadable and left out");
  add(damage.gaps, "section is missing", "sections are missing");
  return "the transcript of " + key + " is damaged: " + what + ". `skein doctor " + key +
         "` shows where, and changes nothing";
}

Result<std::set<Id>> StorageBackend::scan(const SessionRecord& session, const ScanFilter& filter,
                                          const VisitFacts& visit) {
  const Id id = session.header.session;
  filter.begin();
  TRY(load(id, 0, [&](const StoredEntry& placed) {
    if (placed.entry.type != type::session_header &&
        filter.next(placed.entry.payload, 0) != std::string_view::npos)
      visit(model::facts_of(placed.entry, placed.at));
    return filter.keep_going();
  }));
  const SessionRecord now = TRY(open(id));
  return now.state.redacted;
}

Result<std::vector<std::string>> Blobs::keep_blobs(std::span<const std::string> all) {
  std::vector<std::string> names;
  for (const std::string& bytes : all) {
    std::string name = TRY(keep_blob(bytes));
    names.push_back(std::move(name));
  }
  return names;
}

std::string described(Id session) { return "session " + to_string(session); }

Result<MigrationResult> Sessions::migrate(Id session) {
  return Failure{Failure::Kind::gone, described(session) + " is not in an older format"};
}

Result<SessionRecord> Transfer::replace(Id session, Position, const GiveLines&) {
  return Failure{Failure::Kind::damaged,
                 described(session) + " is damaged, and this home cannot replace it"};
}

std::string who_we_are() {
  std::array<char, 256> name{};
  std::string host = "localhost";
  if (gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0') host = name.data();
  constexpr std::string_view devices = "/dev/";
  for (const int fd : {STDIN_FILENO, STDERR_FILENO})
    if (ttyname_r(fd, name.data(), name.size()) == 0) {
      const std::string_view tty = name.data();
      return host + " " + std::string(tty.starts_with(devices) ? tty.substr(devices.size()) : tty);
    }
  return host + " process " + std::to_string(getpid());
}

}  // namespace skein::store
