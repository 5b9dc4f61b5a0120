#include "core/store/session_store.h"

#include <algorithm>
#include <set>

#include "core/store/session_name.h"
#include "core/text/json.h"

namespace skein::store {

namespace {

Failure no_such_entry(std::string_view name) {
  return {Failure::Kind::gone, "no entry '" + std::string(name) + "' in this session"};
}

NewEntry custom(std::string_view kind, Json members) {
  Json payload = {{"kind", kind}};
  payload.update(members);
  return {model::make_entry(model::type::custom, dump(payload))};
}

}  // namespace

std::string fresh_key(std::string_view prefix) {
  // 2026-01-02T03:04:05.678Z → 20260102T030405.678-1f2e, all characters a key may have.
  std::string time = now_utc();
  std::erase_if(time, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  return std::string(prefix) + ":" + time + "-" + to_string(random_id()).substr(12);
}

Outcome<SessionHandle> SessionStore::create_session(const NewSession& session) {
  SessionHeader header{.session = random_id(),
                       .key = session.key,
                       .cwd = session.cwd,
                       .created_by = "skein " SKEIN_VERSION,
                       .created_at = now_utc()};
  std::vector<NewEntry> entries;
  if (!session.title.empty()) entries.push_back(custom("title", {{"text", session.title}}));
  bool made = false;
  const Outcome<SessionRecord> outcome = backend_->create(header, entries, made);
  if (const auto* failed = std::get_if<Failure>(&outcome)) return *failed;
  const SessionHeader& got = std::get<SessionRecord>(outcome).header;
  return SessionHandle{got.session, got.version};
}

Outcome<std::vector<model::Entry>> SessionStore::load_session_entries(Id session,
                                                                      const LoadOptions& options) {
  std::vector<model::Entry> all;
  if (options.branch) {
    Outcome<Path> found = path(session, *options.branch);
    if (const auto* failed = std::get_if<Failure>(&found)) return *failed;
    for (StoredEntry& placed : std::get<Path>(found).entries)
      all.push_back(std::move(placed.entry));
  }
  std::vector<model::Entry> out;
  bool inside = !options.from;
  const auto take = [&](const model::Entry& entry) {
    inside = inside || entry.id == options.from;
    if (inside) out.push_back(entry);
    return !(inside && entry.id == options.to) &&
           (options.limit == 0 || out.size() < options.limit);
  };
  if (options.branch) {
    for (const model::Entry& entry : all)
      if (!take(entry)) break;
  } else if (auto failed = backend_->load(
                 session, 0, [&](const StoredEntry& placed) { return take(placed.entry); })) {
    return *failed;
  }
  return out;
}

Outcome<AppendResult> SessionStore::append_session_entries(Id session,
                                                           std::span<const NewEntry> entries,
                                                           const AppendOptions& options) {
  return backend_->append(session, entries, options);
}

void SessionStore::close() { backend_.reset(); }

std::vector<SessionRecord> SessionStore::list() { return backend_->list(); }

Outcome<SessionRecord> SessionStore::find(std::string_view name) {
  // A whole key, as scripts name sessions, does not need them all.
  if (const auto exact = backend_->find_key(name)) {
    Outcome<SessionRecord> record = backend_->open(*exact);
    if (const auto* same = std::get_if<SessionRecord>(&record); same && same->key == name)
      return record;
  }
  const std::vector<SessionRecord> all = backend_->list();
  const Outcome<const SessionRecord*> found = session_called(all, name);
  if (const auto* failed = std::get_if<Failure>(&found)) {
    const std::optional<Failure> lost = backend_->lost(name);
    return lost ? *lost : *failed;
  }
  return *std::get<const SessionRecord*>(found);
}

Outcome<FoundSession> SessionStore::find_or_create(const std::string& name,
                                                   const std::function<std::string()>& workspace) {
  Outcome<SessionRecord> found = find(name);
  if (const auto* record = std::get_if<SessionRecord>(&found))
    return FoundSession{record->header.session, false};
  const Failure& failed = std::get<Failure>(found);
  if (failed.kind != Failure::Kind::gone || !is_whole_key(name)) return failed;
  const Outcome<SessionHandle> made = create_session({.key = name, .cwd = workspace()});
  if (const auto* refused = std::get_if<Failure>(&made)) return *refused;
  return FoundSession{std::get<SessionHandle>(made).session_id, true};
}

Outcome<Id> SessionStore::find_entry(Id session, std::string_view prefix) {
  if (const auto whole = parse_id(prefix)) {
    const Outcome<model::Position> at = backend_->locate(session, *whole);
    if (const auto* failed = std::get_if<Failure>(&at)) return *failed;
    return *whole;
  }
  if (prefix.size() < 2 || prefix.size() > 16) return no_such_entry(prefix);
  std::set<Id> found;
  const auto failed = backend_->survey(session, [&](const model::EntryFacts& entry) {
    if (to_string(entry.id).starts_with(prefix)) found.insert(entry.id);
  });
  if (failed) return *failed;
  if (found.size() == 1) return *found.begin();
  if (found.empty()) return no_such_entry(prefix);
  return Failure{Failure::Kind::gone, "'" + std::string(prefix) + "' could be any of " +
                                          std::to_string(found.size()) +
                                          " entries; give more of the id"};
}

Outcome<StoredEntry> SessionStore::load_placed(Id session, Id entry) {
  const Outcome<model::Position> at = backend_->locate(session, entry);
  if (const auto* failed = std::get_if<Failure>(&at)) return *failed;
  return backend_->load_at(session, std::get<model::Position>(at));
}

Outcome<model::Entry> SessionStore::load_entry(Id session, Id entry) {
  Outcome<StoredEntry> placed = load_placed(session, entry);
  if (const auto* failed = std::get_if<Failure>(&placed)) return *failed;
  return std::move(std::get<StoredEntry>(placed).entry);
}

Outcome<Path> SessionStore::path(Id session, Id leaf, std::size_t limit) {
  std::size_t count = 0;
  return path_until(session, leaf, [&](const model::Entry&) { return ++count == limit; });
}

Outcome<Path> SessionStore::path_until(Id session, Id leaf,
                                       const std::function<bool(const model::Entry&)>& enough) {
  const Outcome<model::Position> at = backend_->locate(session, leaf);
  if (const auto* failed = std::get_if<Failure>(&at)) return *failed;
  Path path;
  std::optional<Id> wanted = leaf;
  bool done = false;
  const auto failed =
      backend_->load_back(session, std::get<model::Position>(at), [&](const StoredEntry& placed) {
        if (placed.entry.id != wanted) return true;
        wanted = placed.entry.parent;
        path.entries.push_back(placed);
        done = enough(placed.entry);
        return wanted && !done;
      });
  if (failed) return *failed;
  path.whole = !wanted;
  // The file began before the path did: a parent is missing, or stands after its child.
  if (wanted && !done) return path_by_tree(session, leaf);
  std::ranges::reverse(path.entries);
  return path;
}

// All of it: where the trail was lost, only the whole tree knows how it goes on.
Outcome<Path> SessionStore::path_by_tree(Id session, Id leaf) {
  const Outcome<model::Tree> built = tree(session);
  if (const auto* failed = std::get_if<Failure>(&built)) return *failed;
  const model::Tree& whole = std::get<model::Tree>(built);
  Path path;
  for (const model::Tree::Node* node : whole.path(leaf)) {
    Outcome<StoredEntry> placed = backend_->load_at(session, node->at);
    auto* found = std::get_if<StoredEntry>(&placed);
    if (found == nullptr) continue;
    found->entry.parent.reset();
    if (!path.entries.empty()) found->entry.parent = path.entries.back().entry.id;
    path.entries.push_back(std::move(*found));
  }
  constexpr std::size_t most_told = 5;
  std::size_t odd_ones = 0;
  for (const model::Tree::Oddity& odd : whole.oddities()) {
    if (odd.kind == model::Tree::Oddity::Kind::duplicate || ++odd_ones > most_told) continue;
    path.notices.push_back((odd.kind == model::Tree::Oddity::Kind::orphan
                                ? "the transcript is damaged: the parent of entry " +
                                      to_string(odd.entry) + " is missing"
                                : "the transcript is damaged: the parents of entry " +
                                      to_string(odd.entry) + " run in a circle") +
                           "; it follows the entry before it");
  }
  if (odd_ones > most_told)
    path.notices.push_back("the same is true of " + std::to_string(odd_ones - most_told) +
                           " more entries; `skein doctor` lists them");
  return path;
}

Outcome<model::Tree> SessionStore::tree(Id session) {
  model::Tree::Builder tree;
  const auto failed = backend_->survey(session, [&](const model::EntryFacts& entry) {
    if (entry.type != model::type::session_header) tree.add(entry);
  });
  if (failed) return *failed;
  return std::move(tree).build();
}

Outcome<std::vector<Branch>> SessionStore::branches(Id session) {
  const Outcome<SessionRecord> opened = backend_->open(session);
  if (const auto* failed = std::get_if<Failure>(&opened)) return *failed;
  const std::set<Id>& redacted = std::get<SessionRecord>(opened).state.redacted;
  const Outcome<model::Tree> built = tree(session);
  if (const auto* failed = std::get_if<Failure>(&built)) return *failed;
  const model::Tree& whole = std::get<model::Tree>(built);
  const std::vector<std::size_t> depths = whole.depths();
  std::vector<Branch> out;
  for (const model::Tree::Node* leaf : whole.leaves()) {
    const Outcome<StoredEntry> placed = backend_->load_at(session, leaf->at);
    const auto* found = std::get_if<StoredEntry>(&placed);
    out.push_back({leaf->id, depths[static_cast<std::size_t>(leaf - whole.nodes().data())],
                   redacted.contains(leaf->id) ? "[redacted]"
                   : found                     ? model::preview(found->entry, 50)
                                               : std::string{}});
  }
  return out;
}

Outcome<std::vector<model::Entry>> EntryReader::next() {
  std::vector<model::Entry> out;
  more_ = false;
  const auto failed = backend_.load(session_, from_, [&](const StoredEntry& placed) {
    if (out.size() == batch_) {
      from_ = placed.at;
      more_ = true;
      return false;
    }
    out.push_back(placed.entry);
    return true;
  });
  if (failed) return *failed;
  return out;
}

void EntryReader::reset() {
  from_ = 0;
  more_ = true;
}

std::vector<model::ToolUse> unanswered_calls(std::span<const model::Entry> path) {
  std::vector<model::ToolUse> open;
  for (const model::Entry& entry : path) {
    if (entry.type != model::type::message) continue;
    const std::optional<model::Message> message = model::message_from_json(entry.payload);
    if (!message) continue;
    for (const model::Block& block : message->content) {
      if (const auto* call = std::get_if<model::ToolUse>(&block)) open.push_back(*call);
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        std::erase_if(open,
                      [&](const model::ToolUse& each) { return each.id == result->tool_use_id; });
    }
  }
  return open;
}

}  // namespace skein::store
