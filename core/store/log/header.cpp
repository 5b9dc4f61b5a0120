#include "core/store/log/header.h"

#include "core/text/json.h"

namespace skein::store::log {

Entry header_entry(const SessionHeader& header) {
  Json payload = {{"version", header.version},
                  {"sessionId", to_string(header.session)},
                  {"key", header.key},
                  {"cwd", header.cwd},
                  {"createdBy", header.created_by}};
  if (header.parent_session)
    payload["parentSession"] = {{"sessionId", to_string(header.parent_session->session)},
                                {"entryId", to_string(header.parent_session->entry)}};
  if (!header.project.empty()) payload["project"] = header.project;
  Entry entry = model::make_entry(type::session_header, dump(payload));
  if (!header.created_at.empty()) entry.timestamp = header.created_at;
  return entry;
}

std::optional<SessionHeader> header_from(const Entry& entry) {
  if (entry.type != type::session_header) return std::nullopt;
  const std::optional<Json> payload = parse_json(entry.payload);
  if (!payload) return std::nullopt;
  const std::optional<Id> session = parse_id(string_at(*payload, "sessionId"));
  const std::int64_t version = int_at(*payload, "version");
  if (!session || version < 1) return std::nullopt;
  SessionHeader header{.version = static_cast<int>(version),
                       .session = *session,
                       .key = string_at(*payload, "key"),
                       .cwd = string_at(*payload, "cwd"),
                       .created_by = string_at(*payload, "createdBy"),
                       .created_at = entry.timestamp};
  header.project = string_at(*payload, "project");
  const Json& parent = at(*payload, "parentSession");
  const auto parent_id = parse_id(string_at(parent, "sessionId"));
  const auto entry_id = parse_id(string_at(parent, "entryId"));
  if (parent_id && entry_id) header.parent_session = {*parent_id, *entry_id};
  return header;
}

}  // namespace skein::store::log
