// What happens to a session besides being written to: it is named, branched, marked, masked.
#include <algorithm>

#include "core/model/payloads.h"
#include "core/store/session_store.h"

namespace skein::store {

namespace {

// What a branch keeps of its source's state: how it looks, what it masks, how it is worked with.
// Not what tools may do unasked: that was granted there. What they may not do, they still may not.
std::vector<ForkExtra> taken_along(const model::SessionState& state) {
  std::vector<ForkExtra> out;
  for (const Id id : state.redacted)
    out.push_back(
        {model::make_entry(model::payload::Redaction{id, "redacted where it was branched from"}),
         id});
  for (const Id id : state.thinking_off)
    out.push_back({model::make_entry(model::payload::ThinkingOffBefore{id}), id});
  for (const auto& [name, id] : state.snapshots)
    out.push_back({model::make_entry(model::payload::Snapshot{name, id}), id});
  for (const auto& [id, text] : state.labels)
    out.push_back({model::make_entry(model::payload::Label{id, text}), id});
  if (const std::size_t slash = state.model.find('/'); slash != std::string::npos)
    out.push_back({model::make_entry(
        model::payload::ModelChange{state.model.substr(0, slash), state.model.substr(slash + 1)})});
  if (!state.thinking.empty())
    out.push_back({model::make_entry(model::payload::ThinkingLevelChange{state.thinking})});
  if (!state.system.empty())
    out.push_back({model::make_entry(model::payload::SystemPromptOverride{state.system})});
  if (!state.title.empty()) out.push_back({model::make_entry(model::payload::Title{state.title})});
  model::payload::Permissions denied;
  for (const std::string& rule : state.permissions)
    if (rule.starts_with('!')) denied.rules.push_back(rule);
  if (!denied.rules.empty()) out.push_back({model::make_entry(denied)});
  return out;
}

}  // namespace

Result<SessionHandle> SessionStore::branch_from_entry(Id session, Id entry,
                                                      const std::string& new_key,
                                                      const std::string& summary) {
  const Result<SessionRecord> opened = backend_->open(session);
  if (!opened) return opened.error();
  const SessionRecord& source = *opened;
  if (entry != source.state.head) {
    const Result<model::Entry> from = load_entry(session, entry);
    if (!from) return from.error();
    if (model::is_marginal(from->type))
      return Failure{Failure::Kind::refused, "entry " + to_string(entry) +
                                                 " is no part of the conversation; nothing can "
                                                 "branch off there"};
  }
  std::vector<ForkExtra> asides = taken_along(source.state);
  if (!summary.empty())
    asides.push_back({model::make_entry(model::payload::BranchSummary{session, entry, summary})});
  for (ForkExtra& aside : asides) aside.entry.parent = entry;

  SessionHeader header{.session = random_id(),
                       .key = new_key.empty() ? fresh_key("main:branch") : new_key,
                       .cwd = source.header.cwd,
                       .created_by = "skein " SKEIN_VERSION,
                       .created_at = now_utc(),
                       .parent_session = SessionHeader::Origin{session, entry}};
  const Result<Created> created = backend_->fork(header, asides);
  if (!created) return created.error();
  if (!created->made)
    return Failure{Failure::Kind::refused,
                   "there is a session " + header.key + " already; choose another key"};
  return SessionHandle{header.session, header.version};
}

Result<AppendResult> SessionStore::append_marker(Id session, model::Entry entry) {
  const NewEntry one{std::move(entry)};
  return backend_->append(session, std::span(&one, 1), {});
}

Result<AppendResult> SessionStore::rename(Id session, const std::string& title) {
  return append_marker(session, model::make_entry(model::payload::Title{title}));
}

Result<AppendResult> SessionStore::set_head(Id session, Id target) {
  const Result<model::Position> there = backend_->locate(session, target);
  if (!there) return there.error();
  return append_marker(session, model::make_entry(model::payload::Head{target}));
}

Result<AppendResult> SessionStore::snapshot(Id session, const std::string& name, Id target) {
  if (name.empty()) return Failure{Failure::Kind::refused, "a snapshot needs a name"};
  const Result<model::Entry> found = load_entry(session, target);
  if (!found) return found.error();
  if (model::is_marginal(found->type))
    return Failure{Failure::Kind::refused, "entry " + to_string(target) +
                                               " is no part of the conversation; nothing could "
                                               "follow it"};
  return append_marker(session, model::make_entry(model::payload::Snapshot{name, target}));
}

Result<Id> SessionStore::snapshot_called(Id session, const std::string& name) {
  const Result<SessionRecord> opened = backend_->open(session);
  if (!opened) return opened.error();
  const auto& snapshots = opened->state.snapshots;
  if (const auto found = snapshots.find(name); found != snapshots.end()) return found->second;
  return Failure{Failure::Kind::gone, "no snapshot '" + name + "' in this session"};
}

Result<AppendResult> SessionStore::delete_snapshot(Id session, const std::string& name) {
  const Result<Id> found = snapshot_called(session, name);
  if (!found) return found.error();
  return append_marker(session, model::make_entry(model::payload::Snapshot{name, std::nullopt}));
}

Result<AppendResult> SessionStore::rollback(Id session, const std::string& name) {
  const Result<Id> found = snapshot_called(session, name);
  if (!found) return found.error();
  // It was there when it was named: to look for it again would read all of a long session.
  return append_marker(session, model::make_entry(model::payload::Head{*found}));
}

Result<AppendResult> SessionStore::label(Id session, Id target, const std::string& text) {
  const Result<model::Position> there = backend_->locate(session, target);
  if (!there) return there.error();
  return append_marker(session, model::make_entry(model::payload::Label{target, text}));
}

Result<AppendResult> SessionStore::redact(Id session, Id target, const std::string& reason) {
  const Result<model::Entry> found = load_entry(session, target);
  if (!found) return found.error();
  const Result<SessionRecord> opened = backend_->open(session);
  if (!opened) return opened.error();
  std::vector<NewEntry> entries{{model::make_entry(model::payload::Redaction{target, reason})}};
  // A title made from the first prompt would go on telling what it said.
  const model::SessionState& state = opened->state;
  const model::Entry& entry = *found;
  if (!state.title.empty() && model::preview(entry, 60) == state.title)
    entries.push_back({model::make_entry(model::payload::Title{"[redacted]"})});
  return backend_->append(session, entries, {});
}

Result<Scrubbed> SessionStore::scrub(Id session, Id target, const std::string& reason,
                                     const ScrubWish& wish) {
  const Result<SessionRecord> opened = backend_->open(session);
  if (!opened) return opened.error();
  if (!opened->state.redacted.contains(target)) {
    const Result<AppendResult> redacted = redact(session, target, reason);
    if (!redacted) return redacted.error();
  }
  return backend_->scrub(session, target, wish);
}

std::vector<SessionRecord> SessionStore::unused_for(std::int64_t ms) {
  const std::string limit = utc_from_ms(now_ms() - ms);
  std::vector<SessionRecord> out = list();
  std::erase_if(out, [&](const SessionRecord& record) {
    const std::string& used =
        record.state.updated_at.empty() ? record.header.created_at : record.state.updated_at;
    // A time that cannot be understood is no reason to throw something away.
    return !ms_from_utc(used) || used >= limit;
  });
  std::ranges::reverse(out);
  return out;
}

}  // namespace skein::store
