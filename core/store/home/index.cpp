#include "core/store/home/index.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>

#include "core/store/log/crc32c.h"
#include "core/text/json.h"
#include "core/text/json_writer.h"

namespace skein::store::home {

namespace {

template <class Range, class Print>
JsonText array_of(const Range& range, Print print) {
  std::string out = "[";
  for (const auto& each : range) {
    if (out.size() > 1) out += ',';
    print(out, each);
  }
  return out + "]";
}

template <class Range, class Print>
JsonText object_of(const Range& range, Print print) {
  std::string out = "{";
  for (const auto& each : range) {
    if (out.size() > 1) out += ',';
    print(out, each);
  }
  return out + "}";
}

std::string quoted(Id id) { return '"' + to_string(id) + '"'; }
void print_id(std::string& out, Id id) { out += quoted(id); }

JsonText with_checksum(std::string unclosed) { return unclosed += index_checksum(unclosed); }

JsonText print_usage(const model::Usage& usage) {
  std::string out;
  JsonWriter writer(out);
  writer.number_if("input", usage.input);
  writer.number_if("output", usage.output);
  writer.number_if("cacheRead", usage.cache_read);
  writer.number_if("cacheWrite", usage.cache_write);
  writer.number_if("reasoning", usage.reasoning);
  writer.number_if("longest", usage.longest);
  writer.end();
  return out;
}

bool is_only_leaf(const std::optional<Id>& head, const model::Leaves& leaves) {
  return head && leaves.size() == 1 && leaves.front() == *head;
}

JsonText print_state(const model::SessionState& state) {
  std::string out;
  JsonWriter writer(out);
  writer.number("entries", state.entries);
  // Most sessions never branched: then the head is the tail and the only leaf.
  if (state.tail != state.head) writer.raw("tail", state.tail ? quoted(*state.tail) : "null");
  writer.number("headAt", static_cast<std::int64_t>(state.head_at));
  if (!is_only_leaf(state.head, state.leaves))
    writer.raw("leaves", array_of(state.leaves, print_id));
  if (state.title_given) writer.raw("titleGiven", "true");
  writer.text_if("key", state.key);
  writer.text_if("thinking", state.thinking);
  writer.text_if("system", state.system);
  if (state.runtime_init)
    writer.number("runtimeInit", static_cast<std::int64_t>(*state.runtime_init));
  if (!state.snapshots.empty())
    writer.raw("snapshots", object_of(state.snapshots, [](std::string& to, const auto& each) {
                 append_quoted(to, each.first);
                 to += ':';
                 print_id(to, each.second);
               }));
  if (!state.labels.empty())
    writer.raw("labels", object_of(state.labels, [](std::string& to, const auto& each) {
                 print_id(to, each.first);
                 to += ':';
                 append_quoted(to, each.second);
               }));
  if (!state.redacted.empty()) writer.raw("redacted", array_of(state.redacted, print_id));
  if (!state.thinking_off.empty())
    writer.raw("thinkingOff", array_of(state.thinking_off, print_id));
  if (!state.permissions.empty())
    writer.raw("permissions",
               array_of(state.permissions,
                        [](std::string& to, const std::string& rule) { append_quoted(to, rule); }));
  if (!state.usage.empty())
    writer.raw("usage", object_of(state.usage, [](std::string& to, const auto& each) {
                 append_quoted(to, each.first);
                 to += ':';
                 to += print_usage(each.second);
               }));
  writer.end();
  return out;
}

JsonText print_stats(const model::SessionState& state) {
  const model::Usage total = model::total_usage(state);
  std::string out;
  JsonWriter writer(out);
  writer.number_if("input_tokens", total.input);
  writer.number_if("output_tokens", total.output);
  writer.number_if("cache_read_tokens", total.cache_read);
  writer.number_if("cache_write_tokens", total.cache_write);
  writer.number_if("tool_calls", state.tool_calls);
  writer.number_if("duration_ms", state.duration_ms);
  writer.end();
  return out;
}

void print_entry(std::string& out, const IndexEntry& entry) {
  const SessionHeader& header = entry.memory.header;
  const model::SessionState& state = entry.memory.state;
  char crc[9];
  std::snprintf(crc, sizeof crc, "%08x", entry.memory.last_crc);
  JsonWriter writer(out);
  writer.text("session_key", entry.key);
  writer.text("session_id", to_string(header.session));
  writer.text("created_at", header.created_at);
  writer.text("updated_at", state.updated_at.empty() ? header.created_at : state.updated_at);
  writer.number("message_count", state.messages);
  writer.text("transcript_file",
              to_string(header.session) + (entry.archived ? ".jsonl.gz" : ".jsonl"));
  writer.text_if("title", state.title);
  writer.text("cwd", header.cwd);
  writer.text_if("model", state.model);
  writer.number("branches", static_cast<std::int64_t>(state.leaves.size()));
  if (entry.archived) writer.raw("archived", "true");
  writer.raw("stats", print_stats(state));
  writer.number("size", static_cast<std::int64_t>(entry.memory.stat.size));
  writer.number("mtime_ns", entry.memory.stat.mtime_ns);
  writer.number("device", static_cast<std::int64_t>(entry.memory.stat.device));
  writer.number("inode", static_cast<std::int64_t>(entry.memory.stat.inode));
  writer.number("committed_offset", static_cast<std::int64_t>(entry.memory.end));
  writer.text("last_crc", crc);
  writer.number_if("altered", entry.memory.damage.altered);
  writer.number_if("broken", entry.memory.damage.broken);
  writer.number_if("gaps", entry.memory.damage.gaps);
  writer.id_if("head", state.head);
  writer.number("format", header.version);
  if (header.key != entry.key) writer.text("header_key", header.key);
  writer.text_if("created_by", header.created_by);
  if (header.parent_session) {
    writer.text("parent_session", to_string(header.parent_session->session));
    writer.text("parent_entry", to_string(header.parent_session->entry));
  }
  writer.raw("state", print_state(state));
  writer.end();
}

// 2026-01-02T03:04:05.678Z → 20260102030405678: a time as a number that sorts as it does.
std::uint64_t digits_of(std::string_view timestamp) {
  constexpr int most = 17;
  std::uint64_t out = 0;
  int count = 0;
  for (const char c : timestamp)
    if (c >= '0' && c <= '9' && count < most)
      out = out * 10 + static_cast<unsigned>(c - '0'), ++count;
  for (; count < most; ++count) out *= 10;
  return out;
}

}  // namespace

std::string index_checksum(std::string_view text) {
  char out[32];
  std::snprintf(out, sizeof out, ",\"crc\":\"%08x\"}\n", log::crc32c(0, text));
  return out;
}

JsonText print_index(const Index& index) {
  std::string out = "{\"version\":" + std::to_string(index_version) +
                    ",\"transcripts_mtime_ns\":" + std::to_string(index.folder_mtime_ns) +
                    ",\"sessions\":{";
  constexpr std::size_t usual_row = 600;
  out.reserve(out.size() + usual_row * (index.sessions.size() + 1));
  bool first = true;
  for (const auto& [session, entry] : index.sessions) {
    out += first ? "\n" : ",\n";
    first = false;
    append_quoted(out, entry.key);
    out += ':';
    print_entry(out, entry);
  }
  out += "\n}";
  // Not on lines of their own: those are of sessions that are there.
  if (!index.lost.empty())
    out += ",\"lost\":" + object_of(index.lost, [](std::string& to, const auto& each) {
             append_quoted(to, each.second.key);
             to += ':';
             print_entry(to, each.second);
           });
  return with_checksum(std::move(out));
}

JsonText print_last(const std::vector<LastUsed>& used) {
  return with_checksum("{\"version\":" + std::to_string(index_version) + ",\"workspaces\":" +
                       array_of(used, [](std::string& out, const LastUsed& each) {
                         out += "\n{\"workspace\":";
                         append_quoted(out, each.workspace);
                         out += ",\"session\":";
                         print_entry(out, each.entry);
                         out += '}';
                       }));
}

std::vector<const IndexEntry*> newest_first(const Index& index) {
  // By number: a time is a string elsewhere, and a sort looks at each two dozen times.
  struct Used {
    std::uint64_t time;
    Id session;
    const IndexEntry* entry;
  };
  std::vector<Used> order;
  order.reserve(index.sessions.size());
  for (const auto& [session, entry] : index.sessions) {
    const log::LogMemory& memory = entry.memory;
    order.push_back({digits_of(memory.state.updated_at.empty() ? memory.header.created_at
                                                               : memory.state.updated_at),
                     session, &entry});
  }
  std::ranges::sort(order, [](const Used& a, const Used& b) {
    return std::tie(b.time, b.session) < std::tie(a.time, a.session);
  });
  std::vector<const IndexEntry*> out;
  out.reserve(order.size());
  for (const Used& each : order) out.push_back(each.entry);
  return out;
}

std::string effective_key(const log::LogMemory& memory) {
  if (!memory.state.key.empty()) return memory.state.key;
  if (!memory.header.key.empty()) return memory.header.key;
  return "main:recovered:" + to_string(memory.header.session);  // the header is lost
}

void settle_keys(Index& index) {
  // Who has its key already keeps it: a file that turns up later may say that it is older.
  struct Claim {
    bool newcomer;
    std::string own;
    IndexEntry* entry;
  };
  std::vector<Claim> claims;
  claims.reserve(index.sessions.size());
  for (auto& [session, entry] : index.sessions) {
    std::string own = effective_key(entry.memory);
    const bool newcomer = entry.key != own;
    claims.push_back({newcomer, std::move(own), &entry});
  }
  std::ranges::sort(claims, {}, [](const Claim& claim) {
    const SessionHeader& header = claim.entry->memory.header;
    return std::tie(claim.newcomer, header.created_at, header.session);
  });
  std::set<std::string> taken;
  std::map<std::string, int> last;  // the suffix a key was given last
  for (const Claim& claim : claims) {
    std::string key = claim.own;
    while (!taken.insert(key).second)
      key = claim.own + "." + std::to_string(++last.try_emplace(claim.own, 1).first->second);
    claim.entry->key = key;
  }
}

bool is_foreign_index(std::string_view text) {
  const std::optional<Json> json = parse_json(text);
  return json && json->is_structured() && !json->empty() && !json->contains("crc") &&
         !(json->contains("version") && json->contains("sessions"));
}

}  // namespace skein::store::home
