// What repairs set aside: looked through, and brought back where somebody asks for it.
#include <algorithm>
#include <set>

#include "core/model/payloads.h"
#include "core/store/home/file_backend.h"
#include "core/store/log/seal.h"
#include "core/text/json.h"
#include "core/text/log.h"

namespace skein::store::home {

namespace {

constexpr std::uint64_t most_bytes = 4 * log::max_batch_bytes;

// Every entry that can be read in a piece of a transcript.
std::vector<model::Entry> entries_in(std::string_view bytes) {
  std::vector<model::Entry> out;
  for (std::size_t at = bytes.find('{'); at < bytes.size();) {
    const std::string_view line = bytes.substr(at, bytes.find('\n', at) - at);
    const std::size_t length = bracketed_length(line);
    std::optional<model::Entry> entry =
        length > 0 ? log::entry_from_json(line.substr(0, length)) : std::nullopt;
    at = bytes.find('{', at + (entry ? length : 1));
    if (entry && entry->type != model::type::session_header) out.push_back(std::move(*entry));
  }
  return out;
}

// <session id>.<offset>[.<n>].frag, by what stood first.
std::vector<std::string> fragments_of(files::Files& files, Id session) {
  std::vector<std::string> names;
  files.list("quarantine", names);
  std::erase_if(names, [start = to_string(session) + "."](const std::string& name) {
    return !name.starts_with(start) || !name.ends_with(".frag");
  });
  std::ranges::sort(names, {}, [](const std::string& name) {
    return std::pair(std::strtoull(name.c_str() + 17, nullptr, 10), name);
  });
  return names;
}

}  // namespace

Result<std::vector<StorageBackend::SetAside>> FileBackend::set_aside(Id session) {
  std::vector<SetAside> out;
  const std::vector<std::string> names = fragments_of(*files_, session);
  if (names.empty()) return out;
  std::set<Id> there;
  if (const auto done =
          survey(session, [&](const model::EntryFacts& entry) { there.insert(entry.id); });
      !done)
    return done.error();
  for (const std::string& name : names) {
    SetAside& aside = out.emplace_back(SetAside{.name = "quarantine/" + name});
    std::string bytes;
    if (const int read = files::read_whole(*files_, aside.name, bytes, most_bytes); read < 0)
      return failure_from_errno(read, aside.name);
    aside.bytes = bytes.size();
    for (model::Entry& entry : entries_in(bytes))
      if (there.insert(entry.id).second) aside.lacking.push_back(std::move(entry));
  }
  return out;
}

Result<std::size_t> FileBackend::bring_back(Id session) {
  const Result<std::vector<SetAside>> looked = set_aside(session);
  if (!looked) return looked.error();
  std::set<Id> parents;  // those an entry may follow
  if (const auto done =
          survey(session,
                 [&](const model::EntryFacts& entry) {
                   if (entry.type != model::type::session_header && !model::is_marginal(entry.type))
                     parents.insert(entry.id);
                 });
      !done)
    return done.error();
  const Result<SessionRecord> opened = open(session);
  if (!opened) return opened.error();
  const std::optional<Id> head = opened->state.head;

  std::vector<NewEntry> batch;
  std::optional<Id> before = head;
  for (const SetAside& aside : *looked)
    for (const model::Entry& entry : aside.lacking) {
      batch.push_back({entry, false});
      std::optional<Id>& parent = batch.back().entry.parent;
      if (parent && !parents.contains(*parent)) parent = before;
      if (model::is_marginal(entry.type)) continue;
      parents.insert(entry.id);
      before = entry.id;
    }
  if (batch.empty()) return std::size_t{0};
  const std::size_t count = batch.size();
  if (head) batch.push_back({model::make_entry(model::payload::Head{*head})});
  // One batch, unless they are more than one may hold.
  for (std::span<const NewEntry> left = batch; !left.empty();) {
    std::size_t entries = 0, bytes = 0;
    while (entries < std::min(left.size(), log::max_batch_entries) &&
           bytes < log::max_batch_bytes / 4)
      bytes += left[entries++].entry.payload.size();
    const Result<AppendResult> appended =
        append(session, left.first(entries), {.check_all_ids = true});
    if (!appended) return appended.error();
    left = left.subspan(entries);
  }
  log_warning("brought back", {{"session", to_string(session)}, {"entries", count}});
  return count;
}

}  // namespace skein::store::home
