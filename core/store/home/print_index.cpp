#include "core/store/home/print_index.h"

#include <cstdio>

#include "core/model/stats.h"
#include "core/text/json_writer.h"

namespace skein::store::home {

namespace {

// {…} or […], each of its parts by `print`.
template <class Range, class Print>
JsonText enclosed(std::string_view brackets, const Range& range, Print print) {
  std::string out(1, brackets[0]);
  for (const auto& each : range) {
    if (out.size() > 1) out += ',';
    print(out, each);
  }
  return out + brackets[1];
}

void print_id(std::string& out, Id id) { out += '"' + to_string(id) + '"'; }

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

JsonText print_state(const SessionState& state) {
  std::string out;
  JsonWriter writer(out);
  writer.number("entries", state.entries);
  // Most sessions never branched: then the head is the tail and the only leaf.
  if (state.tail != state.head) writer.id("tail", state.tail);
  writer.number("headAt", static_cast<std::int64_t>(state.head_at));
  if (!is_only_leaf(state.head, state.leaves))
    writer.raw("leaves", enclosed("[]", state.leaves, print_id));
  if (state.title_given) writer.raw("titleGiven", "true");
  writer.text_if("key", state.key);
  writer.text_if("origin", state.origin);
  writer.text_if("importedAt", state.imported_at);
  writer.text_if("thinking", state.thinking);
  writer.text_if("system", state.system);
  if (state.runtime_init)
    writer.number("runtimeInit", static_cast<std::int64_t>(*state.runtime_init));
  if (!state.snapshots.empty())
    writer.raw("snapshots", enclosed("{}", state.snapshots, [](std::string& to, const auto& each) {
                 append_quoted(to, each.first);
                 print_id(to += ':', each.second);
               }));
  if (!state.labels.empty())
    writer.raw("labels", enclosed("{}", state.labels, [](std::string& to, const auto& each) {
                 print_id(to, each.first);
                 append_quoted(to += ':', each.second);
               }));
  if (!state.redacted.empty()) writer.raw("redacted", enclosed("[]", state.redacted, print_id));
  if (!state.thinking_off.empty())
    writer.raw("thinkingOff", enclosed("[]", state.thinking_off, print_id));
  if (!state.permissions.empty())
    writer.raw("permissions",
               enclosed("[]", state.permissions,
                        [](std::string& to, const std::string& rule) { append_quoted(to, rule); }));
  writer.text_if("ttl", state.ttl);
  if (state.pinned) writer.truth("pinned", true);
  writer.id_if("unfinished", state.unfinished);
  if (!state.usage.empty())
    writer.raw("usage", enclosed("{}", state.usage, [](std::string& to, const auto& each) {
                 append_quoted(to, each.first);
                 to += ':' + print_usage(each.second);
               }));
  writer.end();
  return out;
}

JsonText print_stats(const SessionState& state) {
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
  const SessionState& state = entry.memory.state;
  char crc[9];
  std::snprintf(crc, sizeof crc, "%08x", entry.memory.last_crc);
  JsonWriter writer(out);
  writer.text("session_key", entry.key);
  writer.text("session_id", to_string(header.session));
  writer.text("created_at", header.created_at);
  writer.text("updated_at", used_at(header, state));
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
  writer.text_if("project", header.project);
  if (header.parent_session) {
    writer.text("parent_session", to_string(header.parent_session->session));
    writer.text("parent_entry", to_string(header.parent_session->entry));
  }
  writer.raw("state", print_state(state));
  writer.end();
}

}  // namespace

JsonText print_index(const Index& index) {
  std::string out = "{\"version\":" + std::to_string(index_version) +
                    ",\"transcripts_mtime_ns\":" + std::to_string(index.folder_mtime_ns);
  if (!index.boot.empty()) append_quoted(out += ",\"boot\":", index.boot);
  out += ",\"sessions\":{";
  constexpr std::size_t usual_row = 600;
  out.reserve(out.size() + usual_row * (index.sessions.size() + 1));
  bool first = true;
  for (const auto& [session, entry] : index.sessions) {
    out += first ? "\n" : ",\n";
    first = false;
    append_quoted(out, entry.key);
    print_entry(out += ':', entry);
  }
  out += "\n}";
  // Not on lines of their own: those are of sessions that are there.
  if (!index.lost.empty())
    out += ",\"lost\":" + enclosed("{}", index.lost, [](std::string& to, const auto& each) {
             append_quoted(to, each.second.key);
             print_entry(to += ':', each.second);
           });
  return with_checksum(std::move(out));
}

JsonText print_last(const std::vector<LastUsed>& used) {
  return with_checksum("{\"version\":" + std::to_string(index_version) + ",\"workspaces\":" +
                       enclosed("[]", used, [](std::string& out, const LastUsed& each) {
                         out += "\n{\"workspace\":";
                         append_quoted(out, each.workspace);
                         print_entry(out += ",\"session\":", each.entry);
                         out += '}';
                       }));
}

}  // namespace skein::store::home
