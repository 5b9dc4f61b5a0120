#include "core/store/home/maintenance/repair.h"

#include "core/store/home/archive.h"
#include "core/store/home/migration.h"
#include "core/store/home/presence.h"
#include "core/store/log/new_transcript.h"
#include "core/text/json.h"
#include "core/text/log.h"

namespace skein::store::home::maintenance {

namespace {

constexpr std::int64_t hour_ms = 60 * 60 * 1000;

// Empty: it is a session.
std::string what_is_wrong(files::Files& files, const std::string& name) {
  std::string why =
      name.ends_with(".tmp") ? "left behind by a process that died" : "not a name that skein uses";
  if (const std::optional<Id> id = session_of_file(name)) {
    const Result<Transcript> opened = open_transcript(files, *id, "transcripts/" + name);
    if (opened) return {};
    why = opened.error().text;
  }
  const std::string form = older_form(files, name);
  if (form.empty()) return why;
  return "a session in an older format (" + form + "); `skein doctor --repair` migrates it";
}

Result<std::string> rebuild(files::Files& files, log::LogReader& log, const SessionHeader& header) {
  const std::string doing = "rebuilding " + described(header.session);
  const std::string aside =
      "quarantine/" + to_string(header.session) + "." + std::to_string(now_ms()) + ".jsonl";
  log::NewTranscript rebuilt(files, header, doing);
  TRY(log.each_line([&](const log::ScannedLine& found) {
    if (found.facts().type != type::session_header) rebuilt.add(found);
    return true;
  }));
  TRY(rebuilt.finish());
  // Both names of the old file before the new one gets its: at no moment is a byte without a name.
  TRY(files::link(files, log::transcript_path(header.session), aside, doing));
  TRY(files::sync_folder(files, "quarantine", doing));
  TRY(rebuilt.rename_into_place());
  return aside;
}

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

Result<std::vector<Stray>> strays(Home& home) {
  std::vector<Stray> out;
  if (const auto names = files::list(home.files(), "transcripts"))
    for (const std::string& name : *names)
      if (std::string why = what_is_wrong(home.files(), name); !why.empty())
        out.push_back({name, std::move(why)});
  // What stood there once is worth more than what can be seen now.
  Index* index = TRY(home.index().current());
  for (const auto& [session, entry] : index->lost) {
    const std::string name = to_string(session) + ".jsonl";
    const auto there = std::ranges::find_if(
        out, [&](const Stray& each) { return each.name == name || each.name == name + ".gz"; });
    Stray& stray = there == out.end() ? out.emplace_back(Stray{.name = name}) : *there;
    stray.why = home.index().lost(entry.key)->text;
  }
  return out;
}

Result<std::vector<std::string>> remove_leftovers(Home& home) {
  files::Files& files = home.files();
  const IndexChange change = TRY(home.index().change());
  std::vector<std::string> out;
  for (const std::string folder : {"", "transcripts", "trash", "quarantine", "blobs", "drafts"}) {
    const auto names = files::list(files, folder);
    if (!names && names.error().missing) continue;
    if (!names) return names.error();
    for (const std::string& name : *names) {
      if (!name.ends_with(".tmp")) continue;
      const std::string path = folder.empty() ? name : folder + "/" + name;
      const auto stat = files::stat(files, path);
      if (!stat || stat->kind != files::FileStat::Kind::file ||
          now_ms() - stat->mtime_ns / 1'000'000 < hour_ms)
        continue;
      TRY(files::remove(files, path));
      out.push_back(path);
    }
  }
  for (const std::string& path : notes_of_the_dead(files)) {
    TRY(files::remove(files, path));
    out.push_back(path);
  }
  return out;
}

Result<std::string> repair(Home& home, Id session) {
  IndexChange change = TRY(home.index().change());
  const files::OpenFile locked = TRY(home.lock(change, session));
  Transcript* found = TRY(home.transcript(session));
  const Transcript& transcript = *found;
  const Damage examined = TRY(transcript.log->examine());
  if (!examined.header_damaged) return std::string{};
  if (transcript.archived())
    return Failure{Failure::Kind::read_only,
                   described(session) + " is archived; unarchive it before it is repaired"};

  // What the damaged line still says, else what the index remembers.
  SessionHeader header = transcript.log->header();
  if (const IndexEntry* known = home.index().find(session); known != nullptr && header.key.empty())
    header = known->memory.header;
  if (header.version > format_version)
    return Failure{Failure::Kind::unsupported_version,
                   described(session) + " was written by a newer skein; it was not changed"};
  header.session = session;
  if (header.key.empty()) header.key = "main:recovered:" + to_string(session);
  std::string rebuilt = TRY(rebuild(home.files(), *transcript.log, header));
  log_warning("repair", {{"session", to_string(session)}, {"kept_as", rebuilt}});
  home.forget(session);
  TRY(change.finish());
  return rebuilt;
}

Result<std::size_t> rebuild_index(Home& home) {
  IndexChange change = TRY(home.index().change());
  home.index().forget_all();
  Index* index = TRY(change.refresh());
  TRY(change.save());
  log_warning("index rebuilt", {{"sessions", index->sessions.size()}});
  return index->sessions.size();
}

Result<std::vector<SetAside>> set_aside(Home& home, Id session) {
  std::vector<SetAside> out;
  const std::vector<std::string> names = fragments_of(home.files(), session);
  if (names.empty()) return out;
  Transcript* transcript = TRY(home.transcript(session));
  std::set<Id> there;
  TRY(transcript->log->survey([&](const EntryFacts& entry) { there.insert(entry.id); }));
  for (const std::string& name : names) {
    SetAside& aside = out.emplace_back(SetAside{.name = "quarantine/" + name});
    const auto bytes = TRY(files::read_whole(home.files(), aside.name, most_bytes));
    aside.bytes = bytes.size();
    for (Entry& entry : entries_in(bytes))
      if (there.insert(entry.id).second) aside.lacking.push_back(std::move(entry));
  }
  return out;
}

Result<std::size_t> bring_back(Home& home, Id session) {
  const std::vector<SetAside> looked = TRY(set_aside(home, session));
  if (std::ranges::all_of(looked, [](const SetAside& each) { return each.lacking.empty(); }))
    return std::size_t{0};
  Result<Transcript*> transcript = home.transcript(session);
  if (transcript && (*transcript)->archived()) {
    TRY(unarchive_session(home, session));
    transcript = home.transcript(session);
  }
  if (!transcript) return transcript.error();
  log::LogWriter& log = *(*transcript)->log;
  std::set<Id> parents;  // those an entry may follow
  TRY(log.survey([&](const EntryFacts& entry) {
    if (entry.type != type::session_header && !model::is_marginal(entry.type))
      parents.insert(entry.id);
  }));

  const std::optional<Id> head = log.state().head;
  std::vector<NewEntry> batch;
  std::optional<Id> before = head;
  for (const SetAside& aside : looked)
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
  TRY(log.append_all(batch, {.check_all_ids = true}));
  log_warning("brought back", {{"session", to_string(session)}, {"entries", count}});
  return count;
}

}  // namespace skein::store::home::maintenance
