#include "core/store/session_store.h"

#include <algorithm>
#include <set>

#include "core/model/payloads.h"
#include "core/store/session_name.h"

namespace skein::store {

namespace {

Failure no_such_entry(std::string_view name) {
  return {Failure::Kind::gone, "no entry '" + std::string(name) + "' in this session"};
}

}  // namespace

std::string fresh_key(std::string_view prefix) {
  // 2026-01-02T03:04:05.678Z → 20260102T030405.678-1f2e, all characters a key may have.
  std::string time = now_utc();
  std::erase_if(time, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  return std::string(prefix) + ":" + time + "-" + to_string(random_id()).substr(12);
}

Result<SessionHandle> SessionStore::create_session(const NewSession& session) {
  SessionHeader header{.session = random_id(),
                       .key = session.key,
                       .cwd = session.cwd,
                       .created_by = "skein " SKEIN_VERSION,
                       .created_at = now_utc()};
  std::vector<NewEntry> entries;
  if (!session.title.empty())
    entries.push_back({model::make_entry(model::payload::Title{session.title})});
  const Result<Created> created = backend_->create(header, entries);
  if (!created) return created.error();
  const SessionHeader& got = created->record.header;
  return SessionHandle{got.session, got.version};
}

Result<std::vector<model::Entry>> SessionStore::load_session_entries(Id session,
                                                                     const LoadOptions& options) {
  std::vector<model::Entry> all;
  if (options.branch) {
    Result<Path> found = path(session, *options.branch);
    if (!found) return found.error();
    for (StoredEntry& placed : found->entries) all.push_back(std::move(placed.entry));
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
  } else if (const auto done = backend_->load(
                 session, 0, [&](const StoredEntry& placed) { return take(placed.entry); });
             !done) {
    return done.error();
  }
  return out;
}

Result<AppendResult> SessionStore::append_session_entries(Id session,
                                                          std::span<const NewEntry> entries,
                                                          const AppendOptions& options) {
  return backend_->append(session, entries, options);
}

void SessionStore::close() { backend_.reset(); }

std::vector<SessionRecord> SessionStore::list() { return value_or_throw(backend_->list()); }

Result<SessionRecord> SessionStore::find(std::string_view name) {
  // A whole key, as scripts name sessions, does not need them all.
  if (const auto exact = backend_->find_key(name)) {
    Result<SessionRecord> record = backend_->open(*exact);
    if (record && record->key == name) return record;
  }
  const Result<std::vector<SessionRecord>> all = backend_->list();
  if (!all) return all.error();
  const Result<const SessionRecord*> found = session_called(*all, name);
  if (!found) return backend_->lost(name).value_or(found.error());
  return **found;
}

Result<FoundSession> SessionStore::find_or_create(const std::string& name,
                                                  const std::function<std::string()>& workspace) {
  Result<SessionRecord> found = find(name);
  if (found) return FoundSession{found->header.session, false};
  const Failure& failed = found.error();
  if (failed.kind != Failure::Kind::gone || !is_whole_key(name)) return failed;
  const Result<SessionHandle> made = create_session({.key = name, .cwd = workspace()});
  if (!made) return made.error();
  return FoundSession{made->session_id, true};
}

Result<Id> SessionStore::find_entry(Id session, std::string_view prefix) {
  if (const auto whole = parse_id(prefix)) {
    const Result<model::Position> at = backend_->locate(session, *whole);
    if (!at) return at.error();
    return *whole;
  }
  if (prefix.size() < 2 || prefix.size() > 16) return no_such_entry(prefix);
  std::set<Id> found;
  const auto done = backend_->survey(session, [&](const model::EntryFacts& entry) {
    if (to_string(entry.id).starts_with(prefix)) found.insert(entry.id);
  });
  if (!done) return done.error();
  if (found.size() == 1) return *found.begin();
  if (found.empty()) return no_such_entry(prefix);
  return Failure{Failure::Kind::gone, "'" + std::string(prefix) + "' could be any of " +
                                          std::to_string(found.size()) +
                                          " entries; give more of the id"};
}

Result<StoredEntry> SessionStore::load_placed(Id session, Id entry) {
  const Result<model::Position> at = backend_->locate(session, entry);
  if (!at) return at.error();
  return backend_->load_at(session, *at);
}

Result<model::Entry> SessionStore::load_entry(Id session, Id entry) {
  Result<StoredEntry> placed = load_placed(session, entry);
  if (!placed) return placed.error();
  return std::move(placed->entry);
}

Result<Path> SessionStore::path(Id session, Id leaf, std::size_t limit) {
  std::size_t count = 0;
  return path_until(session, leaf, [&](const model::Entry&) { return ++count == limit; });
}

Result<Path> SessionStore::path_until(Id session, Id leaf,
                                      const std::function<bool(const model::Entry&)>& enough) {
  const Result<model::Position> at = backend_->locate(session, leaf);
  if (!at) return at.error();
  Path path;
  std::optional<Id> wanted = leaf;
  bool done = false;
  const auto loaded = backend_->load_back(session, *at, [&](const StoredEntry& placed) {
    if (placed.entry.id != wanted) return true;
    wanted = placed.entry.parent;
    path.entries.push_back(placed);
    done = enough(placed.entry);
    return wanted && !done;
  });
  if (!loaded) return loaded.error();
  path.whole = !wanted;
  // The file began before the path did: a parent is missing, or stands after its child.
  if (wanted && !done) return path_by_tree(session, leaf);
  std::ranges::reverse(path.entries);
  return path;
}

// All of it: where the trail was lost, only the whole tree knows how it goes on.
Result<Path> SessionStore::path_by_tree(Id session, Id leaf) {
  const Result<model::Tree> built = tree(session);
  if (!built) return built.error();
  const model::Tree& whole = *built;
  Path path;
  for (const model::Tree::Node* node : whole.path(leaf)) {
    Result<StoredEntry> placed = backend_->load_at(session, node->at);
    if (!placed) continue;
    placed->entry.parent.reset();
    if (!path.entries.empty()) placed->entry.parent = path.entries.back().entry.id;
    path.entries.push_back(*std::move(placed));
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

Result<model::Tree> SessionStore::tree(Id session) {
  model::Tree::Builder tree;
  const auto done = backend_->survey(session, [&](const model::EntryFacts& entry) {
    if (entry.type != model::type::session_header) tree.add(entry);
  });
  if (!done) return done.error();
  return std::move(tree).build();
}

Result<std::vector<Branch>> SessionStore::branches(Id session) {
  const Result<SessionRecord> opened = backend_->open(session);
  if (!opened) return opened.error();
  const std::set<Id>& redacted = opened->state.redacted;
  const Result<model::Tree> built = tree(session);
  if (!built) return built.error();
  const model::Tree& whole = *built;
  const std::vector<std::size_t> depths = whole.depths();
  std::vector<Branch> out;
  for (const model::Tree::Node* leaf : whole.leaves()) {
    const Result<StoredEntry> placed = backend_->load_at(session, leaf->at);
    out.push_back({leaf->id, depths[static_cast<std::size_t>(leaf - whole.nodes().data())],
                   redacted.contains(leaf->id) ? "[redacted]"
                   : placed                    ? model::preview(placed->entry, 50)
                                               : std::string{}});
  }
  return out;
}

Result<std::vector<model::Entry>> EntryReader::next() {
  std::vector<model::Entry> out;
  more_ = false;
  const auto done = backend_.load(session_, from_, [&](const StoredEntry& placed) {
    if (out.size() == batch_) {
      from_ = placed.at;
      more_ = true;
      return false;
    }
    out.push_back(placed.entry);
    return true;
  });
  if (!done) return done.error();
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
    if (message->role != model::Role::tool) open.clear();
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
