#include "core/store/session_store.h"

#include "core/model/scrub.h"
#include "core/store/session_name.h"

namespace skein::store {

namespace {

Failure no_such_entry(std::string_view name) {
  return {Failure::Kind::gone, "no entry '" + std::string(name) + "' in this session"};
}

// What a branch keeps of its source's state: how it looks, what it masks, how it is worked with.
// Not what tools may do unasked: that was granted there. What they may not do, they still may not.
std::vector<ForkExtra> taken_along(const SessionState& state) {
  std::vector<ForkExtra> out;
  for (const Id id : state.redacted)
    out.push_back(
        {model::make_entry(payload::Redaction{id, "redacted where it was branched from"}), id});
  for (const Id id : state.thinking_off)
    out.push_back({model::make_entry(payload::ThinkingOffBefore{id}), id});
  for (const auto& [name, id] : state.snapshots)
    out.push_back({model::make_entry(payload::Snapshot{name, id}), id});
  for (const auto& [id, text] : state.labels)
    out.push_back({model::make_entry(payload::Label{id, text}), id});
  if (const std::size_t slash = state.model.find('/'); slash != std::string::npos)
    out.push_back({model::make_entry(
        payload::ModelChange{state.model.substr(0, slash), state.model.substr(slash + 1)})});
  if (!state.thinking.empty())
    out.push_back({model::make_entry(payload::ThinkingLevelChange{state.thinking})});
  if (!state.system.empty())
    out.push_back({model::make_entry(payload::SystemPromptOverride{state.system})});
  if (!state.title.empty()) out.push_back({model::make_entry(payload::Title{state.title})});
  payload::Permissions denied;
  for (const std::string& rule : state.permissions)
    if (rule.starts_with('!')) denied.rules.push_back(rule);
  if (!denied.rules.empty()) out.push_back({model::make_entry(denied)});
  return out;
}

// How a session in an older form looks to a backend.
bool may_be_older(const Failure& failure) {
  return failure.kind == Failure::Kind::damaged || failure.kind == Failure::Kind::gone;
}

// The conversation continues only behind entries that are part of it.
Failure no_part(Id entry, std::string_view result) {
  return {Failure::Kind::refused, "entry " + to_string(entry) +
                                      " is not part of the conversation; nothing " +
                                      std::string(result)};
}

Failure no_snapshot(const std::string& name) {
  return {Failure::Kind::gone, "no snapshot '" + name + "' in this session"};
}

}  // namespace

Result<std::vector<Id>> entries_repeating(SessionStore& store, Id session, const Entry& target) {
  const SessionRecord opened = TRY(store.sessions().open(session));
  std::vector<Id> out;
  if (!opened.state.head) return out;
  const model::Scrubbing what = model::scrubbing_of(target, {});
  TRY(store.visit_path(session, *opened.state.head, [&](const StoredEntry& placed) {
    const Entry& entry = placed.entry;
    if (entry.id != target.id && entry.type == type::message &&
        !opened.state.redacted.contains(entry.id) && model::gives_away(entry.payload, what))
      out.push_back(entry.id);
    return true;
  }));
  return out;
}

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
                       .created_at = now_utc(),
                       .project = project_of_ ? project_of_(session.cwd) : ""};
  std::vector<NewEntry> entries;
  if (!session.title.empty()) entries.push_back({model::make_entry(payload::Title{session.title})});
  const Created created = TRY(backend_->create(header, entries));
  const SessionHeader& got = created.record.header;
  return SessionHandle{got.session, got.version};
}

Result<std::vector<Entry>> SessionStore::load_session_entries(Id session,
                                                              const LoadOptions& options) {
  std::vector<Entry> out;
  bool inside = !options.from;
  const VisitEntry take = [&](const StoredEntry& placed) {
    inside = inside || placed.entry.id == options.from;
    if (inside) out.push_back(placed.entry);
    return !(inside && placed.entry.id == options.to) &&
           (options.limit == 0 || out.size() < options.limit);
  };
  if (options.branch) {
    const Path found = TRY(path(session, *options.branch));
    (void)std::ranges::all_of(found.entries, take);
  } else if (const auto done = backend_->load(session, 0, take); !done) {
    return done.error();
  }
  return out;
}

Result<AppendResult> SessionStore::append_session_entries(Id session,
                                                          std::span<const NewEntry> entries,
                                                          const AppendOptions& options) {
  Result<AppendResult> appended = backend_->append(session, entries, options);
  if (appended || !may_be_older(appended.error())) return appended;
  TRY(migrate_session(session));
  return backend_->append(session, entries, options);
}

Result<MigrationResult> SessionStore::migrate_session(Id session) {
  const Result<SessionRecord> opened = backend_->open(session);
  if (opened) return MigrationResult{session};
  if (!may_be_older(opened.error())) return opened.error();
  Result<MigrationResult> migrated = backend_->migrate(session);
  if (!migrated && migrated.error().kind == Failure::Kind::gone) return opened.error();
  return migrated;
}

std::vector<SessionRecord> SessionStore::list(const ListFilter& filter) {
  return value_or_throw(backend_->list(filter));
}

SessionRecord SessionStore::open(Id session) { return value_or_throw(backend_->open(session)); }

Result<SessionRecord> SessionStore::find(std::string_view name) {
  const bool key = is_whole_key(name);
  if (key || parse_id(name)) {
    Result<SessionRecord> exact = backend_->find(name);
    if (exact || exact.error().kind != Failure::Kind::gone) return exact;
  }
  const std::vector<SessionRecord> all =
      TRY(key ? std::vector<SessionRecord>{} : backend_->list({.called = std::string(name)}));
  const SessionRecord* found = TRY(session_called(all, name));
  return *found;
}

Result<FoundSession> SessionStore::find_or_create(const std::string& name,
                                                  const std::function<std::string()>& workspace) {
  Result<SessionRecord> found = find(name);
  if (found) return FoundSession{found->header.session, false};
  const Failure& failed = found.error();
  if (failed.kind != Failure::Kind::gone || !is_whole_key(name)) return failed;
  const SessionHandle made = TRY(create_session({.key = name, .cwd = workspace()}));
  return FoundSession{made.session_id, true};
}

Result<Id> SessionStore::find_entry(Id session, std::string_view prefix) {
  if (const auto whole = parse_id(prefix)) {
    TRY(backend_->locate(session, *whole));
    return *whole;
  }
  if (prefix.size() < 2 || prefix.size() > 16) return no_such_entry(prefix);
  std::set<Id> found;
  TRY(backend_->survey(session, [&](const EntryFacts& entry) {
    if (to_string(entry.id).starts_with(prefix)) found.insert(entry.id);
  }));
  if (found.size() == 1) return *found.begin();
  if (found.empty()) return no_such_entry(prefix);
  return Failure{Failure::Kind::gone, "'" + std::string(prefix) + "' could be any of " +
                                          std::to_string(found.size()) +
                                          " entries; give more of the id"};
}

Result<StoredEntry> SessionStore::load_placed(Id session, Id entry) {
  const Position at = TRY(backend_->locate(session, entry));
  return backend_->load_at(session, at);
}

Result<Entry> SessionStore::load_entry(Id session, Id entry) {
  StoredEntry placed = TRY(load_placed(session, entry));
  return std::move(placed.entry);
}

Result<Path> SessionStore::path(Id session, Id leaf, std::size_t limit) {
  std::size_t count = 0;
  return path_until(session, leaf, [&](const Entry&) { return ++count == limit; });
}

Result<Path> SessionStore::path_until(Id session, Id leaf,
                                      const std::function<bool(const Entry&)>& enough) {
  const Position at = TRY(backend_->locate(session, leaf));
  Path path;
  std::optional<Id> wanted = leaf;
  bool done = false;
  TRY(backend_->load_back(session, at, [&](const StoredEntry& placed) {
    if (placed.entry.id != wanted) return true;
    wanted = placed.entry.parent;
    path.entries.push_back(placed);
    done = enough(placed.entry);
    return wanted && !done;
  }));
  path.whole = !wanted;
  // The file began before the path did: a parent is missing, or comes after its child.
  if (wanted && !done) return path_by_tree(session, leaf);
  std::ranges::reverse(path.entries);
  return path;
}

Result<std::vector<std::string>> SessionStore::visit_path(Id session, Id leaf,
                                                          const VisitEntry& visit) {
  const Position at = TRY(backend_->locate(session, leaf));
  // Stretches of the transcript in which every entry that is not marginal is on the path.
  struct Stretch {
    Position first = 0, last = 0;
  };
  std::vector<Stretch> stretches;  // the last one first
  std::optional<Id> wanted = leaf;
  bool apart = true;  // an entry of another branch was met
  TRY(backend_->load_back(session, at, [&](const StoredEntry& placed) {
    if (placed.entry.id != wanted) {
      apart = apart || !model::is_marginal(placed.entry.type);
      return true;
    }
    if (std::exchange(apart, false)) stretches.push_back({placed.at, placed.at});
    stretches.back().first = placed.at;
    wanted = placed.entry.parent;
    return wanted.has_value();
  }));
  if (wanted) {
    const Path path = TRY(path_by_tree(session, leaf));
    (void)std::ranges::all_of(path.entries, visit);
    return path.notices;
  }
  TRY(backend_->load(session, stretches.back().first, [&](const StoredEntry& placed) {
    while (!stretches.empty() && stretches.back().last < placed.at) stretches.pop_back();
    if (stretches.empty()) return false;
    const bool on_path =
        placed.at >= stretches.back().first && !model::is_marginal(placed.entry.type);
    return !on_path || visit(placed);
  }));
  return std::vector<std::string>{};
}

// All of it: where the trail was lost, only the whole tree knows what follows.
Result<Path> SessionStore::path_by_tree(Id session, Id leaf) {
  const model::Tree whole = TRY(tree(session));
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
                                      to_string(odd.entry) + " form a circle") +
                           "; it follows the entry before it");
  }
  if (odd_ones > most_told)
    path.notices.push_back("the same applies to " + std::to_string(odd_ones - most_told) +
                           " more entries; `skein doctor` lists them");
  return path;
}

Result<model::Tree> SessionStore::tree(Id session) {
  model::Tree::Builder tree;
  TRY(backend_->survey(session, [&](const EntryFacts& entry) {
    if (entry.type != type::session_header) tree.add(entry);
  }));
  return std::move(tree).build();
}

Result<SessionHandle> SessionStore::branch_from_entry(Id session, Id entry,
                                                      const std::string& new_key,
                                                      const std::string& summary) {
  const SessionRecord source = TRY(backend_->open(session));
  if (entry != source.state.head) {
    const Entry from = TRY(load_entry(session, entry));
    if (model::is_marginal(from.type)) return no_part(entry, "can branch off there");
  }
  std::vector<ForkExtra> asides = taken_along(source.state);
  if (!summary.empty())
    asides.push_back({model::make_entry(payload::BranchSummary{session, entry, summary})});
  for (ForkExtra& aside : asides) aside.entry.parent = entry;

  SessionHeader header{.session = random_id(),
                       .key = new_key.empty() ? fresh_key("main:branch") : new_key,
                       .cwd = source.header.cwd,
                       .created_by = "skein " SKEIN_VERSION,
                       .created_at = now_utc(),
                       .parent_session = SessionHeader::Origin{session, entry},
                       .project = source.header.project};
  const Created created = TRY(backend_->fork(header, asides));
  if (!created.made)
    return Failure{Failure::Kind::refused,
                   "there is a session " + header.key + " already; choose another key"};
  return SessionHandle{header.session, header.version};
}

Result<AppendResult> SessionStore::mark(Id session, const Mark& mark) {
  std::vector<NewEntry> entries{
      {std::visit([](const auto& each) { return model::make_entry(each); }, mark)}};
  if (const auto* head = std::get_if<payload::Head>(&mark)) {
    // A snapshot's entry was there when it got its name. To locate it would read all of a long
    // session.
    const SessionRecord opened = TRY(backend_->open(session));
    if (!std::ranges::any_of(opened.state.snapshots | std::views::values,
                             [&](Id each) { return each == head->entry; }))
      TRY(backend_->locate(session, head->entry));
  } else if (const auto* label = std::get_if<payload::Label>(&mark)) {
    TRY(backend_->locate(session, label->entry));
  } else if (const auto* snapshot = std::get_if<payload::Snapshot>(&mark)) {
    if (snapshot->entry) {
      if (snapshot->name.empty()) return Failure{Failure::Kind::refused, "a snapshot needs a name"};
      const Entry found = TRY(load_entry(session, *snapshot->entry));
      if (model::is_marginal(found.type)) return no_part(found.id, "could follow it");
    } else {
      const SessionRecord opened = TRY(backend_->open(session));
      if (!opened.state.snapshots.contains(snapshot->name)) return no_snapshot(snapshot->name);
    }
  } else if (const auto* redaction = std::get_if<payload::Redaction>(&mark)) {
    const Entry found = TRY(load_entry(session, redaction->target));
    const SessionRecord opened = TRY(backend_->open(session));
    // A title made from the first prompt would still say what the entry says.
    const std::string& title = opened.state.title;
    if (!title.empty() && model::preview(found, 60) == title)
      entries.push_back({model::make_entry(payload::Title{"[redacted]"})});
  }
  return append_session_entries(session, entries);
}

Result<AppendResult> rollback(SessionStore& store, Id session, const std::string& snapshot) {
  const SessionRecord opened = TRY(store.sessions().open(session));
  const auto found = opened.state.snapshots.find(snapshot);
  if (found == opened.state.snapshots.end()) return no_snapshot(snapshot);
  return store.mark(session, payload::Head{found->second});
}

std::map<Id, std::string> at_work(SessionStore& store, std::span<const SessionRecord> sessions) {
  std::vector<Id> ids;
  for (const SessionRecord& record : sessions) ids.push_back(record.header.session);
  return store.presence().at_work(ids);
}

// Whatever is not a result ends the wait for those before it: only the end of the path is read.
std::vector<model::ToolUse> unanswered_calls(std::span<const Entry> path) {
  std::vector<model::Message> last;
  for (const Entry& entry : path | std::views::reverse) {
    if (entry.type != type::message) continue;
    if (auto message = model::message_from_json(entry.payload)) last.push_back(*std::move(message));
    if (!last.empty() && last.back().role != model::Role::tool) break;
  }
  std::vector<model::ToolUse> open;
  for (const model::Message& message : last | std::views::reverse)
    for (const model::Block& block : message.content) {
      if (const auto* call = std::get_if<model::ToolUse>(&block)) open.push_back(*call);
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        std::erase_if(open,
                      [&](const model::ToolUse& each) { return each.id == result->tool_use_id; });
    }
  return open;
}

}  // namespace skein::store
