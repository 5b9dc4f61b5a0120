// The UUIDs by which the Claude Agent SDK knows sessions and messages, and what they refer to.
#pragma once

#include "app/driven/headless_session.h"
#include "app/invocation/cli.h"
#include "app/session_choice.h"
#include "core/store/session_store.h"

namespace skein::app::driven::dialects {

std::string random_uuid();

// A session's id as a UUID, and back. nullopt: it is not one that was made so.
std::string uuid_of_session(Id session);
std::optional<Id> session_of_uuid(std::string_view uuid);

// The UUID of a saved entry, always the same, also in a fork of its session.
std::string uuid_of_entry(Id entry);

// The key of the session that a client has given this UUID.
std::string key_of_uuid(std::string_view uuid);
// The UUID of a session: the client's own if its key has one.
std::string wire_uuid(const std::string& key, Id session);

struct ClientSession {
  ChosenSession chosen{};
  std::string uuid{};  // by which the client knows it; empty: that of its key or id
};

// Makes, continues or forks the session that the flags name; a session of Claude Code is imported.
// Throws Error.
ClientSession client_session(store::SessionStore& store, const Invocation& invocation);

// The entry on the path whose message has this UUID. Throws Error if there is none.
Id entry_of_uuid(HeadlessSession& session, const std::string& uuid);

}  // namespace skein::app::driven::dialects
