#include "core/store/session_store.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "core/model/payloads.h"
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
                       .created_at = now_utc(),
                       .project = project_of_ ? project_of_(session.cwd) : ""};
  std::vector<NewEntry> entries;
  if (!session.title.empty()) entries.push_back({model::make_entry(payload::Title{session.title})});
  const Result<Created> created = backend_->create(header, entries);
  if (!created) return created.error();
  const SessionHeader& got = created->record.header;
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
    const Result<Path> found = path(session, *options.branch);
    if (!found) return found.error();
    (void)std::ranges::all_of(found->entries, take);
  } else if (const auto done = backend_->load(session, 0, take); !done) {
    return done.error();
  }
  return out;
}

Result<SessionRecord> SessionStore::find(std::string_view name) {
  const bool key = is_whole_key(name);
  if (key || parse_id(name)) {
    Result<SessionRecord> exact = backend_->find(name);
    if (exact || exact.error().kind != Failure::Kind::gone) return exact;
  }
  const Result<std::vector<SessionRecord>> all =
      key ? std::vector<SessionRecord>{} : backend_->list({.called = std::string(name)});
  if (!all) return all.error();
  const Result<const SessionRecord*> found = session_called(*all, name);
  if (!found) return found.error();
  return **found;
}

std::map<Id, std::string> SessionStore::at_work(const std::vector<SessionRecord>& sessions) {
  std::vector<Id> ids;
  for (const SessionRecord& record : sessions) ids.push_back(record.header.session);
  return at_work(ids);
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
  if (const auto whole = parse_id(prefix))
    return backend_->locate(session, *whole).and_then([&](Position) -> Result<Id> {
      return *whole;
    });
  if (prefix.size() < 2 || prefix.size() > 16) return no_such_entry(prefix);
  std::set<Id> found;
  const auto done = backend_->survey(session, [&](const EntryFacts& entry) {
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
  return backend_->locate(session, entry).and_then([&](Position at) {
    return backend_->load_at(session, at);
  });
}

Result<Entry> SessionStore::load_entry(Id session, Id entry) {
  return load_placed(session, entry).and_then([](StoredEntry placed) -> Result<Entry> {
    return std::move(placed.entry);
  });
}

Result<Path> SessionStore::path(Id session, Id leaf, std::size_t limit) {
  std::size_t count = 0;
  return path_until(session, leaf, [&](const Entry&) { return ++count == limit; });
}

Result<Path> SessionStore::path_until(Id session, Id leaf,
                                      const std::function<bool(const Entry&)>& enough) {
  const Result<Position> at = backend_->locate(session, leaf);
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

Result<std::vector<std::string>> SessionStore::visit_path(Id session, Id leaf,
                                                          const VisitEntry& visit) {
  const Result<Position> at = backend_->locate(session, leaf);
  if (!at) return at.error();
  // Stretches of the transcript in which every entry that is not marginal is on the path.
  struct Stretch {
    Position first = 0, last = 0;
  };
  std::vector<Stretch> stretches;  // the last one first
  std::optional<Id> wanted = leaf;
  bool apart = true;  // an entry of another branch was met
  const auto loaded = backend_->load_back(session, *at, [&](const StoredEntry& placed) {
    if (placed.entry.id != wanted) {
      apart = apart || !model::is_marginal(placed.entry.type);
      return true;
    }
    if (std::exchange(apart, false)) stretches.push_back({placed.at, placed.at});
    stretches.back().first = placed.at;
    wanted = placed.entry.parent;
    return wanted.has_value();
  });
  if (!loaded) return loaded.error();
  if (wanted) {
    const Result<Path> path = path_by_tree(session, leaf);
    if (!path) return path.error();
    (void)std::ranges::all_of(path->entries, visit);
    return path->notices;
  }
  const Result<void> done =
      backend_->load(session, stretches.back().first, [&](const StoredEntry& placed) {
        while (!stretches.empty() && stretches.back().last < placed.at) stretches.pop_back();
        if (stretches.empty()) return false;
        const bool on_path =
            placed.at >= stretches.back().first && !model::is_marginal(placed.entry.type);
        return !on_path || visit(placed);
      });
  if (!done) return done.error();
  return std::vector<std::string>{};
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
  const auto done = backend_->survey(session, [&](const EntryFacts& entry) {
    if (entry.type != type::session_header) tree.add(entry);
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

Result<SessionHandle> SessionStore::branch_from_entry(Id session, Id entry,
                                                      const std::string& new_key,
                                                      const std::string& summary) {
  const Result<SessionRecord> opened = backend_->open(session);
  if (!opened) return opened.error();
  const SessionRecord& source = *opened;
  if (entry != source.state.head) {
    const Result<Entry> from = load_entry(session, entry);
    if (!from) return from.error();
    if (model::is_marginal(from->type))
      return Failure{Failure::Kind::refused, "entry " + to_string(entry) +
                                                 " is no part of the conversation; nothing can "
                                                 "branch off there"};
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
  const Result<Created> created = backend_->fork(header, asides);
  if (!created) return created.error();
  if (!created->made)
    return Failure{Failure::Kind::refused,
                   "there is a session " + header.key + " already; choose another key"};
  return SessionHandle{header.session, header.version};
}

template <class Payload>
Result<AppendResult> SessionStore::append_marker(Id session, const Payload& payload) {
  const NewEntry one{model::make_entry(payload)};
  return backend_->append(session, std::span(&one, 1), {});
}

Result<AppendResult> SessionStore::rename(Id session, const std::string& title) {
  return append_marker(session, payload::Title{title});
}

Result<AppendResult> SessionStore::set_ttl(Id session, const std::string& age) {
  return append_marker(session, payload::Ttl{age});
}

Result<AppendResult> SessionStore::pin(Id session, bool pinned) {
  return append_marker(session, payload::Pin{pinned});
}

Result<AppendResult> SessionStore::set_head(Id session, Id target) {
  return backend_->locate(session, target).and_then([&](Position) {
    return append_marker(session, payload::Head{target});
  });
}

Result<AppendResult> SessionStore::snapshot(Id session, const std::string& name, Id target) {
  if (name.empty()) return Failure{Failure::Kind::refused, "a snapshot needs a name"};
  const Result<Entry> found = load_entry(session, target);
  if (!found) return found.error();
  if (model::is_marginal(found->type))
    return Failure{Failure::Kind::refused, "entry " + to_string(target) +
                                               " is no part of the conversation; nothing could "
                                               "follow it"};
  return append_marker(session, payload::Snapshot{name, target});
}

Result<Id> SessionStore::snapshot_called(Id session, const std::string& name) {
  const Result<SessionRecord> opened = backend_->open(session);
  if (!opened) return opened.error();
  const auto& snapshots = opened->state.snapshots;
  if (const auto found = snapshots.find(name); found != snapshots.end()) return found->second;
  return Failure{Failure::Kind::gone, "no snapshot '" + name + "' in this session"};
}

Result<AppendResult> SessionStore::delete_snapshot(Id session, const std::string& name) {
  return snapshot_called(session, name).and_then([&](Id) {
    return append_marker(session, payload::Snapshot{name, std::nullopt});
  });
}

Result<AppendResult> SessionStore::rollback(Id session, const std::string& name) {
  // It was there when it was named: to look for it again would read all of a long session.
  return snapshot_called(session, name).and_then([&](Id entry) {
    return append_marker(session, payload::Head{entry});
  });
}

Result<AppendResult> SessionStore::label(Id session, Id target, const std::string& text) {
  return backend_->locate(session, target).and_then([&](Position) {
    return append_marker(session, payload::Label{target, text});
  });
}

Result<AppendResult> SessionStore::redact(Id session, Id target, const std::string& reason) {
  const Result<Entry> found = load_entry(session, target);
  if (!found) return found.error();
  const Result<SessionRecord> opened = backend_->open(session);
  if (!opened) return opened.error();
  std::vector<NewEntry> entries{{model::make_entry(payload::Redaction{target, reason})}};
  // A title made from the first prompt would go on telling what it said.
  const std::string& title = opened->state.title;
  if (!title.empty() && model::preview(*found, 60) == title)
    entries.push_back({model::make_entry(payload::Title{"[redacted]"})});
  return backend_->append(session, entries, {});
}

std::vector<SessionRecord> SessionStore::unused_for(std::int64_t ms) {
  const std::string limit = utc_from_ms(now_ms() - ms);
  std::vector<SessionRecord> out = list({.unused_since = limit});
  // A time that cannot be understood is no reason to throw something away.
  std::erase_if(out, [](const SessionRecord& record) { return !ms_from_utc(record.used_at()); });
  std::ranges::reverse(out);
  return out;
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
