#include "app/driven/dialects/client_sessions.h"

#include "app/driven/driver.h"
#include "core/import/import_files.h"
#include "core/text/checksum.h"
#include "core/text/text.h"

namespace skein::app::driven::dialects {

using store::SessionRecord, store::value_or_throw;

namespace {

constexpr std::string_view key_start = "main:sdk:";

// Version 8, whose bits are free but for the version and the variant.
std::string uuid_from(std::string_view hex) {
  std::string out;
  std::size_t from = 0;
  for (const std::size_t length : {8, 4, 3, 3, 12}) {
    if (!out.empty()) out += length == 3 ? "-8" : "-";
    out += hex.substr(from, length);
    from += length;
  }
  return out;
}

}  // namespace

std::string random_uuid() { return uuid_from(to_string(random_id()) + to_string(random_id())); }

// xxxxxxxx-xxxx-8xxx-8x00-000000000000 with the 16 digits in their order.
std::string uuid_of_session(Id session) {
  return uuid_from(to_string(session) + std::string(16, '0'));
}

std::optional<Id> session_of_uuid(std::string_view uuid) {
  if (!is_uuid(uuid)) return std::nullopt;
  const std::string text = lower(uuid);
  const std::optional<Id> id =
      parse_id(text.substr(0, 8) + text.substr(9, 4) + text.substr(15, 3) + text.substr(20, 1));
  return id && uuid_of_session(*id) == text ? id : std::nullopt;
}

std::string uuid_of_entry(Id entry) { return uuid_from(sha256_hex("entry " + to_string(entry))); }

std::string key_of_uuid(std::string_view uuid) { return std::string(key_start) + lower(uuid); }

std::string wire_uuid(const std::string& key, Id session) {
  const std::string_view rest =
      std::string_view(key).substr(key.starts_with(key_start) ? key_start.size() : key.size());
  return is_uuid(rest) ? std::string(rest) : uuid_of_session(session);
}

namespace {

// Imports a session of Claude Code; none: it has no such session.
std::optional<Id> imported(store::SessionStore& store, const std::string& uuid) {
  const importers::ImportFormat* const format = importers::format_named("claude-code");
  if (format == nullptr || !is_uuid(uuid)) return std::nullopt;
  for (const importers::ImportSource& source : importers::usual_sources({.format = format}))
    if (std::filesystem::path(source.path).stem() == uuid)
      for (const auto& session : importers::import_file(store, source, {}))
        if (session.trouble.empty()) return session.session;
  return std::nullopt;
}

ClientSession resumed(store::SessionStore& store, const std::string& uuid) {
  const std::optional<Id> id = session_of_uuid(uuid);
  for (const std::string& name :
       {key_of_uuid(uuid), id ? to_string(*id) : std::string(), is_uuid(uuid) ? "" : uuid})
    if (!name.empty())
      if (const auto found = store.find(name)) return {{found->header.session}};
  if (const auto session = imported(store, uuid)) return {{*session}, uuid};
  throw Error("No conversation found with session ID: " + uuid, ExitStatus::no_session);
}

Id made(store::SessionStore& store, const std::string& key, const std::string& workspace) {
  return value_or_throw(store.create_session({.key = key, .cwd = workspace})).session_id;
}

}  // namespace

ClientSession client_session(store::SessionStore& store, const Invocation& invocation) {
  const ClientFlags& flags = invocation.client_flags;
  const std::string workspace = workspace_folder(invocation);
  if (!flags.session.empty() && !is_uuid(flags.session))
    throw UsageError("the session ID is not a UUID: " + flags.session);
  const std::string key =
      flags.session.empty() ? store::fresh_key("main:sdk") : key_of_uuid(flags.session);
  const bool goes_on = !flags.resume.empty() || invocation.continue_last;
  if (!flags.session.empty() && store.find(key))
    throw Error("Session ID " + flags.session + " is already in use.");
  if (!goes_on) {
    if (!invocation.no_session) return {{made(store, key, workspace)}};
    return {{made(store, key, workspace), false}};
  }
  ClientSession found;
  if (flags.resume.empty()) {
    Invocation last = invocation;
    last.fork = false;
    found.chosen = choose_session(store, last, workspace);
  } else {
    found = resumed(store, flags.resume);
  }
  if (!invocation.fork) return found;
  const SessionRecord record = store.open(found.chosen.session);
  if (!record.state.head) return {{made(store, key, workspace)}};
  return {{value_or_throw(store.branch_from_entry(found.chosen.session, *record.state.head, key))
               .session_id}};
}

Id entry_of_uuid(HeadlessSession& session, const std::string& uuid) {
  std::optional<Id> found;
  session.conversation().path_until([&](const model::Entry& entry) {
    const auto message = model::message_of(entry);
    if (!message) return false;
    bool is_it = client_id(entry) == uuid;
    // An answer has a line for each of its blocks.
    for (std::size_t i = 0; i <= message->content.size() && !is_it; ++i)
      is_it = uuid_of_entry(Id{entry.id.value + i}) == uuid;
    if (is_it) found = entry.id;
    return is_it;
  });
  if (!found) throw Error("there is no message " + uuid + " in this session");
  return *found;
}

}  // namespace skein::app::driven::dialects
