#include "core/store/index.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <tuple>

#include "core/json.h"
#include "core/store/crc32c.h"

namespace skein {

namespace {

// Written by hand rather than through a DOM: ten thousand sessions are six megabytes.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) { out_ += '{'; }
  void raw(std::string_view key, std::string_view json) {
    open(key);
    out_ += json;
  }
  void text(std::string_view key, std::string_view value) {
    open(key);
    append_quoted(out_, value);
  }
  void number(std::string_view key, std::int64_t value) { raw(key, std::to_string(value)); }
  void text_if(std::string_view key, std::string_view value) {
    if (!value.empty()) text(key, value);
  }
  void id_if(std::string_view key, const std::optional<Id>& id) {
    if (id) text(key, to_string(*id));
  }
  void open(std::string_view key) {
    if (out_.back() != '{') out_ += ',';
    append_quoted(out_, key);
    out_ += ':';
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
};

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

// Both files are believed where they fit the disk, so a changed byte must not look like a fact.
std::string checksum_of(std::string_view text) {
  char out[32];
  std::snprintf(out, sizeof out, ",\"crc\":\"%08x\"}\n", crc32c(0, text));
  return out;
}
JsonText with_checksum(std::string unclosed) { return unclosed += checksum_of(unclosed); }
bool checksum_fits(std::string_view text) {
  constexpr std::size_t width = 8 + 8 + 3;
  return text.size() > width &&
         text.substr(text.size() - width) == checksum_of(text.substr(0, text.size() - width));
}

void print_id(std::string& out, Id id) { append_quoted(out, to_string(id)); }

JsonText print_usage(const Usage& usage) {
  std::string out;
  Writer writer(out);
  writer.number("input", usage.input);
  writer.number("output", usage.output);
  writer.number("cacheRead", usage.cache_read);
  writer.number("cacheWrite", usage.cache_write);
  writer.number("reasoning", usage.reasoning);
  writer.end();
  return out;
}

JsonText print_state(const SessionState& state) {
  std::string out;
  Writer writer(out);
  writer.number("entries", state.entries);
  writer.id_if("tail", state.tail);
  writer.number("headAt", static_cast<std::int64_t>(state.head_at));
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

JsonText print_stats(const SessionState& state) {
  const Usage total = total_usage(state);
  std::string out;
  Writer writer(out);
  writer.number("input_tokens", total.input);
  writer.number("output_tokens", total.output);
  writer.number("cache_read_tokens", total.cache_read);
  writer.number("cache_write_tokens", total.cache_write);
  writer.number("tool_calls", state.tool_calls);
  writer.number("duration_ms", state.duration_ms);
  writer.end();
  return out;
}

JsonText print_entry(const IndexEntry& entry) {
  const SessionHeader& header = entry.memory.header;
  const SessionState& state = entry.memory.state;
  char crc[9];
  std::snprintf(crc, sizeof crc, "%08x", entry.memory.last_crc);
  std::string out;
  Writer writer(out);
  writer.text("session_key", entry.key);
  writer.text("session_id", to_string(header.session));
  writer.text("created_at", header.created_at);
  writer.text("updated_at", state.updated_at.empty() ? header.created_at : state.updated_at);
  writer.number("message_count", state.messages);
  writer.text("transcript_file",
              to_string(header.session) + (entry.archived ? ".jsonl.gz" : ".jsonl"));
  writer.text("title", state.title);
  writer.text("cwd", header.cwd);
  writer.text("model", state.model);
  writer.number("branches", static_cast<std::int64_t>(state.leaves.size()));
  writer.raw("archived", entry.archived ? "true" : "false");
  writer.raw("stats", print_stats(state));
  writer.number("size", static_cast<std::int64_t>(entry.memory.stat.size));
  writer.number("mtime_ns", entry.memory.stat.mtime_ns);
  writer.number("device", static_cast<std::int64_t>(entry.memory.stat.device));
  writer.number("inode", static_cast<std::int64_t>(entry.memory.stat.inode));
  writer.number("committed_offset", static_cast<std::int64_t>(entry.memory.end));
  writer.text("last_crc", crc);
  writer.id_if("head", state.head);
  writer.number("format", header.version);
  writer.text("header_key", header.key);
  writer.text_if("created_by", header.created_by);
  if (header.parent_session) {
    writer.text("parent_session", to_string(header.parent_session->session));
    writer.text("parent_entry", to_string(header.parent_session->entry));
  }
  writer.raw("state", print_state(state));
  writer.end();
  return out;
}

using Element = simdjson::dom::element;

std::string text(Element object, const char* key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string{};
}
std::int64_t number(Element object, const char* key) {
  std::int64_t value = 0;
  return object[key].get(value) == simdjson::SUCCESS ? value : 0;
}
bool truth(Element object, const char* key) {
  bool value = false;
  return object[key].get(value) == simdjson::SUCCESS && value;
}
std::optional<Id> id(Element object, const char* key) { return parse_id(text(object, key)); }

template <class Visit>
void for_each_member(Element object, const char* key, Visit visit) {
  simdjson::dom::object members;
  if (object[key].get(members) == simdjson::SUCCESS)
    for (const auto& [name, value] : members) visit(name, value);
}
template <class Visit>
void for_each_string(Element object, const char* key, Visit visit) {
  simdjson::dom::array values;
  std::string_view value;
  if (object[key].get(values) == simdjson::SUCCESS)
    for (const Element each : values)
      if (each.get(value) == simdjson::SUCCESS) visit(value);
}

SessionState read_state(Element entry) {
  SessionState state;
  state.title = text(entry, "title");
  state.model = text(entry, "model");
  state.messages = number(entry, "message_count");
  state.updated_at = text(entry, "updated_at");
  state.head = id(entry, "head");
  Element stats;
  if (entry["stats"].get(stats) == simdjson::SUCCESS) {
    state.tool_calls = number(stats, "tool_calls");
    state.duration_ms = number(stats, "duration_ms");
  }
  Element rest;
  if (entry["state"].get(rest) != simdjson::SUCCESS) return state;
  state.entries = number(rest, "entries");
  if (state.entries == 0) state.updated_at.clear();
  state.tail = id(rest, "tail");
  state.head_at = static_cast<Position>(number(rest, "headAt"));
  state.title_given = truth(rest, "titleGiven");
  state.key = text(rest, "key");
  state.thinking = text(rest, "thinking");
  state.system = text(rest, "system");
  if (const std::int64_t at = number(rest, "runtimeInit"))
    state.runtime_init = static_cast<Position>(at);
  for_each_string(rest, "leaves", [&](std::string_view each) {
    if (const auto leaf = parse_id(each)) state.leaves.push_back(*leaf);
  });
  for_each_string(rest, "redacted", [&](std::string_view each) {
    if (const auto target = parse_id(each)) state.redacted.insert(*target);
  });
  for_each_string(rest, "permissions",
                  [&](std::string_view rule) { state.permissions.emplace_back(rule); });
  for_each_member(rest, "snapshots", [&](std::string_view name, Element value) {
    std::string_view target;
    if (value.get(target) == simdjson::SUCCESS)
      if (const auto entry_id = parse_id(target)) state.snapshots[std::string(name)] = *entry_id;
  });
  for_each_member(rest, "labels", [&](std::string_view name, Element value) {
    std::string_view label;
    if (const auto entry_id = parse_id(name); entry_id && value.get(label) == simdjson::SUCCESS)
      state.labels[*entry_id] = label;
  });
  for_each_member(rest, "usage", [&](std::string_view model, Element usage) {
    state.usage[std::string(model)] = {number(usage, "input"), number(usage, "output"),
                                       number(usage, "cacheRead"), number(usage, "cacheWrite"),
                                       number(usage, "reasoning")};
  });
  return state;
}

std::optional<IndexEntry> read_entry(Element element) {
  const std::optional<Id> session = id(element, "session_id");
  const std::string crc = text(element, "last_crc");
  if (!session || crc.size() != 8) return std::nullopt;
  IndexEntry entry;
  entry.key = text(element, "session_key");
  entry.archived = truth(element, "archived");
  LogMemory& memory = entry.memory;
  memory.header = {.version = static_cast<int>(number(element, "format")),
                   .session = *session,
                   .key = text(element, "header_key"),
                   .cwd = text(element, "cwd"),
                   .created_by = text(element, "created_by"),
                   .created_at = text(element, "created_at")};
  const auto parent = id(element, "parent_session"), parent_entry = id(element, "parent_entry");
  if (parent && parent_entry) memory.header.parent_session = {*parent, *parent_entry};
  memory.state = read_state(element);
  memory.stat.size = static_cast<std::uint64_t>(number(element, "size"));
  memory.stat.mtime_ns = number(element, "mtime_ns");
  memory.stat.device = static_cast<std::uint64_t>(number(element, "device"));
  memory.stat.inode = static_cast<std::uint64_t>(number(element, "inode"));
  memory.end = static_cast<std::uint64_t>(number(element, "committed_offset"));
  memory.last_crc = static_cast<std::uint32_t>(std::strtoul(crc.c_str(), nullptr, 16));
  return entry;
}

}  // namespace

JsonText print_index(const Index& index) {
  std::string out = "{\"version\":" + std::to_string(index_version) +
                    ",\"transcripts_mtime_ns\":" + std::to_string(index.folder_mtime_ns) +
                    ",\"sessions\":{";
  bool first = true;
  for (const auto& [session, entry] : index.sessions) {
    out += first ? "\n" : ",\n";
    first = false;
    append_quoted(out, entry.key);
    out += ':';
    out += print_entry(entry);
  }
  return with_checksum(out + "\n}");
}

std::optional<Index> parse_index(std::string_view bytes) {
  if (!checksum_fits(bytes)) return std::nullopt;
  simdjson::dom::parser parser;
  Element root;
  if (parser.parse(simdjson::padded_string(bytes)).get(root) != simdjson::SUCCESS)
    return std::nullopt;
  if (number(root, "version") != index_version) return std::nullopt;
  simdjson::dom::object sessions;
  if (root["sessions"].get(sessions) != simdjson::SUCCESS) return std::nullopt;
  Index index{.folder_mtime_ns = number(root, "transcripts_mtime_ns")};
  for (const auto& [key, value] : sessions)
    if (auto entry = read_entry(value))
      index.sessions[entry->memory.header.session] = std::move(*entry);
  return index;
}

JsonText print_last(const std::vector<LastUsed>& used) {
  return with_checksum("{\"version\":" + std::to_string(index_version) + ",\"workspaces\":" +
                       array_of(used, [](std::string& out, const LastUsed& each) {
                         out += "\n{\"workspace\":";
                         append_quoted(out, each.workspace);
                         out += ",\"session\":" + print_entry(each.entry) + "}";
                       }));
}

std::vector<LastUsed> parse_last(std::string_view bytes) {
  std::vector<LastUsed> out;
  simdjson::dom::parser parser;
  Element root;
  simdjson::dom::array workspaces;
  if (!checksum_fits(bytes) ||
      parser.parse(simdjson::padded_string(bytes)).get(root) != simdjson::SUCCESS ||
      number(root, "version") != index_version ||
      root["workspaces"].get(workspaces) != simdjson::SUCCESS)
    return out;
  for (const Element each : workspaces) {
    Element session;
    if (each["session"].get(session) != simdjson::SUCCESS) continue;
    if (auto entry = read_entry(session))
      out.push_back({text(each, "workspace"), entry->memory.header.session, std::move(*entry)});
  }
  return out;
}

std::string effective_key(const LogMemory& memory) {
  if (!memory.state.key.empty()) return memory.state.key;
  if (!memory.header.key.empty()) return memory.header.key;
  return "main:recovered:" + to_string(memory.header.session);  // the header is lost
}

void settle_keys(Index& index) {
  std::vector<IndexEntry*> entries;
  for (auto& [session, entry] : index.sessions) entries.push_back(&entry);
  std::ranges::sort(entries, {}, [](const IndexEntry* entry) {
    return std::tie(entry->memory.header.created_at, entry->memory.header.session);
  });
  std::set<std::string> taken;
  std::map<std::string, int> last;  // the suffix a key was given last
  for (IndexEntry* entry : entries) {
    const std::string own = effective_key(entry->memory);
    std::string key = own;
    while (!taken.insert(key).second)
      key = own + "." + std::to_string(++last.try_emplace(own, 1).first->second);
    entry->key = key;
  }
}

}  // namespace skein
