#include "core/store/home/maintenance/quarantine.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/store/files/named_files.h"
#include "core/store/home/archive.h"
#include "core/text/json.h"
#include "core/text/log.h"

namespace skein::store::home::maintenance {

namespace {

constexpr std::uint64_t most_bytes = 4 * log::max_batch_bytes;

// Every entry that can be read in a piece of a transcript.
std::vector<Entry> entries_in(std::string_view bytes) {
  std::vector<Entry> out;
  for (std::size_t at = bytes.find('{'); at < bytes.size();) {
    const std::string_view line = bytes.substr(at, bytes.find('\n', at) - at);
    const std::size_t length = bracketed_length(line);
    std::optional<Entry> entry =
        length > 0 ? log::entry_from_json(line.substr(0, length)) : std::nullopt;
    at = bytes.find('{', at + (entry ? length : 1));
    if (entry && entry->type != type::session_header) out.push_back(std::move(*entry));
  }
  return out;
}

// <session id>.<offset>[.<n>].frag, by what stood first.
std::vector<std::string> fragments_of(files::Files& files, Id session) {
  const auto listed = files::list(files, "quarantine");
  std::vector<std::string> names = listed ? *listed : std::vector<std::string>{};
  std::erase_if(names, [start = to_string(session) + "."](const std::string& name) {
    return !name.starts_with(start) || !name.ends_with(".frag");
  });
  std::ranges::sort(names, {}, [](const std::string& name) {
    return std::pair(std::strtoull(name.c_str() + 17, nullptr, 10), name);
  });
  return names;
}

}  // namespace

Result<std::vector<SetAside>> set_aside(Home& home, Id session) {
  std::vector<SetAside> out;
  const std::vector<std::string> names = fragments_of(home.files(), session);
  if (names.empty()) return out;
  const Result<Transcript*> transcript = home.transcript(session);
  if (!transcript) return transcript.error();
  std::set<Id> there;
  const auto done =
      (*transcript)->log->survey([&](const EntryFacts& entry) { there.insert(entry.id); });
  if (!done) return done.error();
  for (const std::string& name : names) {
    SetAside& aside = out.emplace_back(SetAside{.name = "quarantine/" + name});
    const auto bytes = files::read_whole(home.files(), aside.name, most_bytes);
    if (!bytes) return bytes.error();
    aside.bytes = bytes->size();
    for (Entry& entry : entries_in(*bytes))
      if (there.insert(entry.id).second) aside.lacking.push_back(std::move(entry));
  }
  return out;
}

Result<std::size_t> bring_back(Home& home, Id session) {
  const Result<std::vector<SetAside>> looked = set_aside(home, session);
  if (!looked) return looked.error();
  if (std::ranges::all_of(*looked, [](const SetAside& each) { return each.lacking.empty(); }))
    return std::size_t{0};
  Result<Transcript*> transcript = home.transcript(session);
  if (transcript && (*transcript)->archived()) {
    if (const auto done = unarchive_session(home, session); !done) return done.error();
    transcript = home.transcript(session);
  }
  if (!transcript) return transcript.error();
  log::LogWriter& log = *(*transcript)->log;
  std::set<Id> parents;  // those an entry may follow
  const auto surveyed = log.survey([&](const EntryFacts& entry) {
    if (entry.type != type::session_header && !model::is_marginal(entry.type))
      parents.insert(entry.id);
  });
  if (!surveyed) return surveyed.error();

  const std::optional<Id> head = log.state().head;
  std::vector<NewEntry> batch;
  std::optional<Id> before = head;
  for (const SetAside& aside : *looked)
    for (const Entry& entry : aside.lacking) {
      batch.push_back({entry, false});
      std::optional<Id>& parent = batch.back().entry.parent;
      if (parent && !parents.contains(*parent)) parent = before;
      if (model::is_marginal(entry.type)) continue;
      parents.insert(entry.id);
      before = entry.id;
    }
  const std::size_t count = batch.size();
  if (head) batch.push_back({model::make_entry(payload::Head{*head})});
  const auto appended = log.append_all(batch, {.check_all_ids = true});
  if (!appended) return appended.error();
  log_warning("brought back", {{"session", to_string(session)}, {"entries", count}});
  return count;
}

}  // namespace skein::store::home::maintenance
