// opencode's sessions: in a database, or in older versions in a tree of small files. One session of
// any container becomes entries here. For .cpp files only.
#pragma once

#include "core/import/source/foreign_json.h"

namespace skein::importers {

// The session itself, as its file or its row (put into the same form) has it. nullopt: it is none.
std::optional<ForeignSession> opencode_session(const Json& json);

struct OpencodePart {
  std::string id{};
  Json data{};
};

struct OpencodeMessage {
  std::string id{};
  std::int64_t time = 0;
  Json data{};
  std::vector<OpencodePart> parts{};
};

// Gives all messages of a session that was begun, and ends it. `revert`: what the user went back
// to; null: nothing.
void give_opencode_session(const ForeignSession& session, const Json& revert,
                           const std::vector<OpencodeMessage>& messages, const ReadOptions& options,
                           Receiver& receiver);

// A message of opencode 2 in the form of opencode 1's.
// `message` has no parts, and the data of a row with that type. nullopt: it says nothing.
std::optional<OpencodeMessage> as_first_opencode(OpencodeMessage message, const std::string& type);

}  // namespace skein::importers
