// What happens to a session besides being written to: it is named, branched, marked, masked.
#include <algorithm>

#include "core/store/session_store.h"
#include "core/text/json.h"

namespace skein::store {

namespace {

model::Entry custom(std::string_view kind, Json members) {
  Json payload = {{"kind", kind}};
  payload.update(members);
  return model::make_entry(model::type::custom, dump(payload));
}

model::Entry redaction(Id target, const std::string& reason) {
  return model::make_entry(model::type::redaction,
                           dump({{"targetEntryId", to_string(target)}, {"reason", reason}}));
}

model::Entry snapshot_of(const std::string& name, Id target) {
  return custom("snapshot", {{"name", name}, {"entryId", to_string(target)}});
}

model::Entry label_of(Id target, const std::string& text) {
  return custom("label", {{"entryId", to_string(target)}, {"text", text}});
}

// What a branch keeps of its source's state: how it looks, what it masks, how it is worked with.
// Not what tools may do unasked: that was granted there. What they may not do, they still may not.
std::vector<ForkExtra> taken_along(const model::SessionState& state) {
  std::vector<ForkExtra> out;
  for (const Id id : state.redacted)
    out.push_back({redaction(id, "redacted where it was branched from"), id});
  for (const auto& [name, id] : state.snapshots) out.push_back({snapshot_of(name, id), id});
  for (const auto& [id, text] : state.labels) out.push_back({label_of(id, text), id});
  if (const std::size_t slash = state.model.find('/'); slash != std::string::npos)
    out.push_back({model::make_entry(model::type::model_change,
                                     dump({{"provider", state.model.substr(0, slash)},
                                           {"model", state.model.substr(slash + 1)}}))});
  if (!state.thinking.empty())
    out.push_back(
        {model::make_entry(model::type::thinking_level_change, dump({{"level", state.thinking}}))});
  if (!state.system.empty())
    out.push_back(
        {model::make_entry(model::type::system_prompt_override, dump({{"text", state.system}}))});
  if (!state.title.empty()) out.push_back({custom("title", {{"text", state.title}})});
  Json denied = Json::array();
  for (const std::string& rule : state.permissions)
    if (rule.starts_with('!')) denied.push_back(rule);
  if (!denied.empty()) out.push_back({custom("permissions", {{"rules", std::move(denied)}})});
  return out;
}

}  // namespace

Outcome<SessionHandle> SessionStore::branch_from_entry(Id session, Id entry,
                                                       const std::string& new_key,
                                                       const std::string& summary) {
  const Outcome<SessionRecord> opened = backend_->open(session);
  if (const auto* failed = std::get_if<Failure>(&opened)) return *failed;
  const SessionRecord& source = std::get<SessionRecord>(opened);
  if (entry != source.state.head) {
    const Outcome<model::Entry> from = load_entry(session, entry);
    if (const auto* failed = std::get_if<Failure>(&from)) return *failed;
    if (model::is_marginal(std::get<model::Entry>(from).type))
      return Failure{Failure::Kind::refused, "entry " + to_string(entry) +
                                                 " is no part of the conversation; nothing can "
                                                 "branch off there"};
  }
  std::vector<ForkExtra> asides = taken_along(source.state);
  if (!summary.empty())
    asides.push_back({model::make_entry(model::type::branch_summary,
                                        dump({{"sourceSessionId", to_string(session)},
                                              {"sourceEntryId", to_string(entry)},
                                              {"summary", summary}}))});
  for (ForkExtra& aside : asides) aside.entry.parent = entry;

  SessionHeader header{.session = random_id(),
                       .key = new_key.empty() ? fresh_key("main:branch") : new_key,
                       .cwd = source.header.cwd,
                       .created_by = "skein " SKEIN_VERSION,
                       .created_at = now_utc(),
                       .parent_session = SessionHeader::Origin{session, entry}};
  bool made = false;
  const Outcome<SessionRecord> outcome = backend_->fork(header, asides, made);
  if (const auto* failed = std::get_if<Failure>(&outcome)) return *failed;
  if (!made)
    return Failure{Failure::Kind::refused,
                   "there is a session " + header.key + " already; choose another key"};
  return SessionHandle{header.session, header.version};
}

Outcome<AppendResult> SessionStore::append_marker(Id session, model::Entry entry) {
  const NewEntry one{std::move(entry)};
  return backend_->append(session, std::span(&one, 1), {});
}

Outcome<AppendResult> SessionStore::rename(Id session, const std::string& title) {
  return append_marker(session, custom("title", {{"text", title}}));
}

Outcome<AppendResult> SessionStore::set_head(Id session, Id target) {
  const Outcome<model::Position> there = backend_->locate(session, target);
  if (const auto* failed = std::get_if<Failure>(&there)) return *failed;
  return append_marker(session, custom("head", {{"entryId", to_string(target)}}));
}

Outcome<AppendResult> SessionStore::snapshot(Id session, const std::string& name, Id target) {
  if (name.empty()) return Failure{Failure::Kind::refused, "a snapshot needs a name"};
  const Outcome<model::Entry> found = load_entry(session, target);
  if (const auto* failed = std::get_if<Failure>(&found)) return *failed;
  if (model::is_marginal(std::get<model::Entry>(found).type))
    return Failure{Failure::Kind::refused, "entry " + to_string(target) +
                                               " is no part of the conversation; nothing could "
                                               "follow it"};
  return append_marker(session, snapshot_of(name, target));
}

Outcome<Id> SessionStore::snapshot_called(Id session, const std::string& name) {
  const Outcome<SessionRecord> opened = backend_->open(session);
  if (const auto* failed = std::get_if<Failure>(&opened)) return *failed;
  const auto& snapshots = std::get<SessionRecord>(opened).state.snapshots;
  if (const auto found = snapshots.find(name); found != snapshots.end()) return found->second;
  return Failure{Failure::Kind::gone, "no snapshot '" + name + "' in this session"};
}

Outcome<AppendResult> SessionStore::delete_snapshot(Id session, const std::string& name) {
  const Outcome<Id> found = snapshot_called(session, name);
  if (const auto* failed = std::get_if<Failure>(&found)) return *failed;
  return append_marker(session, custom("snapshot", {{"name", name}, {"entryId", nullptr}}));
}

Outcome<AppendResult> SessionStore::rollback(Id session, const std::string& name) {
  const Outcome<Id> found = snapshot_called(session, name);
  if (const auto* failed = std::get_if<Failure>(&found)) return *failed;
  // It was there when it was named: to look for it again would read all of a long session.
  return append_marker(session, custom("head", {{"entryId", to_string(std::get<Id>(found))}}));
}

Outcome<AppendResult> SessionStore::label(Id session, Id target, const std::string& text) {
  const Outcome<model::Position> there = backend_->locate(session, target);
  if (const auto* failed = std::get_if<Failure>(&there)) return *failed;
  return append_marker(session, label_of(target, text));
}

Outcome<AppendResult> SessionStore::redact(Id session, Id target, const std::string& reason) {
  const Outcome<model::Entry> found = load_entry(session, target);
  if (const auto* failed = std::get_if<Failure>(&found)) return *failed;
  const Outcome<SessionRecord> opened = backend_->open(session);
  if (const auto* failed = std::get_if<Failure>(&opened)) return *failed;
  std::vector<NewEntry> entries{{redaction(target, reason)}};
  // A title made from the first prompt would go on telling what it said.
  const model::SessionState& state = std::get<SessionRecord>(opened).state;
  const model::Entry& entry = std::get<model::Entry>(found);
  if (!state.title.empty() && model::preview(entry, 60) == state.title)
    entries.push_back({custom("title", {{"text", "[redacted]"}})});
  return backend_->append(session, entries, {});
}

Outcome<Scrubbed> SessionStore::scrub(Id session, Id target, const std::string& reason,
                                      const ScrubWish& wish) {
  const Outcome<SessionRecord> opened = backend_->open(session);
  if (const auto* failed = std::get_if<Failure>(&opened)) return *failed;
  if (!std::get<SessionRecord>(opened).state.redacted.contains(target)) {
    const Outcome<AppendResult> redacted = redact(session, target, reason);
    if (const auto* failed = std::get_if<Failure>(&redacted)) return *failed;
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
