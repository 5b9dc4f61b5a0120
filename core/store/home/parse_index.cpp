// In one pass over the members of each session: ten thousand of them are six megabytes, and looking
// thirty members up by name would take longer than the rest.
#include "core/store/home/parse_index.h"

#include <simdjson.h>

#include "core/text/json.h"

namespace skein::store::home {

namespace {

// On demand: a value is parsed when it is asked for, once, in the order of the text.
namespace json = simdjson::ondemand;
using Value = json::value&;

std::string_view text(Value value) {
  std::string_view out;
  return value.get(out) == simdjson::SUCCESS ? out : std::string_view{};
}
std::int64_t number(Value value) {
  std::int64_t out = 0;
  return value.get(out) == simdjson::SUCCESS ? out : 0;
}
std::uint64_t natural(Value value) { return static_cast<std::uint64_t>(number(value)); }
bool truth(Value value) {
  bool out = false;
  return value.get(out) == simdjson::SUCCESS && out;
}
std::optional<Id> id(Value value) { return parse_id(text(value)); }

template <class Object, class Visit>
void each_field(Object&& value, Visit visit) {
  json::object object;
  if (value.get(object) != simdjson::SUCCESS) return;
  for (auto each : object) {
    json::field field;
    if (std::move(each).get(field) != simdjson::SUCCESS) return;
    visit(field);
  }
}
template <class Object, class Visit>
void each_member(Object&& value, Visit visit) {
  each_field(value, [&](json::field& field) {
    std::string_view name;
    if (field.unescaped_key().get(name) == simdjson::SUCCESS) visit(name, field.value());
  });
}
template <class Visit>
void each_element(Value value, Visit visit) {
  json::array array;
  if (value.get(array) != simdjson::SUCCESS) return;
  for (auto each : array) {
    json::value element;
    if (std::move(each).get(element) != simdjson::SUCCESS) return;
    visit(element);
  }
}

template <class Record>
struct Member {
  std::string_view name;
  void (*read)(Record&, Value);
};

// The members stand in the order of their table, which is how they are written, so each is looked
// for from where the last one was found.
template <class Record, std::size_t count>
void read_members(Record& record, Value value, const Member<Record> (&table)[count]) {
  std::size_t at = 0;
  each_field(value, [&](json::field& field) {
    for (std::size_t tried = 0; tried < count; ++tried, at = at + 1 < count ? at + 1 : 0) {
      if (!field.key().unsafe_is_equal(table[at].name)) continue;
      return table[at].read(record, field.value());
    }
  });
}

constexpr Member<model::Usage> usage_members[] = {
    {"input", [](model::Usage& usage, Value value) { usage.input = number(value); }},
    {"output", [](model::Usage& usage, Value value) { usage.output = number(value); }},
    {"cacheRead", [](model::Usage& usage, Value value) { usage.cache_read = number(value); }},
    {"cacheWrite", [](model::Usage& usage, Value value) { usage.cache_write = number(value); }},
    {"reasoning", [](model::Usage& usage, Value value) { usage.reasoning = number(value); }},
    {"longest", [](model::Usage& usage, Value value) { usage.longest = number(value); }},
};

using State = SessionState;

void read_leaves(State& state, Value value) {
  state.leaves.clear();
  each_element(value, [&](Value each) {
    if (const auto leaf = id(each)) state.leaves.push_back(*leaf);
  });
}
void read_snapshots(State& state, Value value) {
  each_member(value, [&](std::string_view name, Value each) {
    if (const auto entry = id(each)) state.snapshots[std::string(name)] = *entry;
  });
}
void read_labels(State& state, Value value) {
  each_member(value, [&](std::string_view name, Value each) {
    if (const auto entry = parse_id(name)) state.labels[*entry] = text(each);
  });
}
void read_redacted(State& state, Value value) {
  each_element(value, [&](Value each) {
    if (const auto target = id(each)) state.redacted.insert(*target);
  });
}
void read_thinking_off(State& state, Value value) {
  each_element(value, [&](Value each) {
    if (const auto last = id(each)) state.thinking_off.insert(*last);
  });
}
void read_permissions(State& state, Value value) {
  each_element(value, [&](Value each) { state.permissions.emplace_back(text(each)); });
}
void read_usage(State& state, Value value) {
  each_member(value, [&](std::string_view model, Value each) {
    read_members(state.usage[std::string(model)], each, usage_members);
  });
}

constexpr Member<State> stats_members[] = {
    {"tool_calls", [](State& state, Value value) { state.tool_calls = number(value); }},
    {"duration_ms", [](State& state, Value value) { state.duration_ms = number(value); }},
};

constexpr Member<State> state_members[] = {
    {"entries", [](State& state, Value value) { state.entries = number(value); }},
    {"tail", [](State& state, Value value) { state.tail = id(value); }},
    {"headAt", [](State& state, Value value) { state.head_at = natural(value); }},
    {"leaves", read_leaves},
    {"titleGiven", [](State& state, Value value) { state.title_given = truth(value); }},
    {"key", [](State& state, Value value) { state.key = text(value); }},
    {"origin", [](State& state, Value value) { state.origin = text(value); }},
    {"importedAt", [](State& state, Value value) { state.imported_at = text(value); }},
    {"thinking", [](State& state, Value value) { state.thinking = text(value); }},
    {"system", [](State& state, Value value) { state.system = text(value); }},
    {"runtimeInit", [](State& state, Value value) { state.runtime_init = natural(value); }},
    {"snapshots", read_snapshots},
    {"labels", read_labels},
    {"redacted", read_redacted},
    {"thinkingOff", read_thinking_off},
    {"permissions", read_permissions},
    {"ttl", [](State& state, Value value) { state.ttl = text(value); }},
    {"pinned", [](State& state, Value value) { state.pinned = truth(value); }},
    {"unfinished", [](State& state, Value value) { state.unfinished = id(value); }},
    {"usage", read_usage},
};

// An entry while it is read.
struct Reading {
  IndexEntry& entry;
  std::optional<Id> session{}, parent_session{}, parent_entry{};
  std::optional<std::uint32_t> last_crc{};
  bool renamed = false;  // its header says another key

  SessionHeader& header() { return entry.memory.header; }
  SessionState& state() { return entry.memory.state; }
  files::FileStat& stat() { return entry.memory.stat; }
  DamageCount& damage() { return entry.memory.damage; }
};

constexpr Member<Reading> entry_members[] = {
    {"session_key", [](Reading& to, Value value) { to.entry.key = text(value); }},
    {"session_id", [](Reading& to, Value value) { to.session = id(value); }},
    {"created_at", [](Reading& to, Value value) { to.header().created_at = text(value); }},
    {"updated_at", [](Reading& to, Value value) { to.state().updated_at = text(value); }},
    {"message_count", [](Reading& to, Value value) { to.state().messages = number(value); }},
    {"transcript_file", [](Reading&, Value) {}},  // says what the id says
    {"title", [](Reading& to, Value value) { to.state().title = text(value); }},
    {"cwd", [](Reading& to, Value value) { to.header().cwd = text(value); }},
    {"model", [](Reading& to, Value value) { to.state().model = text(value); }},
    {"branches", [](Reading&, Value) {}},  // as many as there are leaves
    {"archived", [](Reading& to, Value value) { to.entry.archived = truth(value); }},
    {"stats", [](Reading& to, Value value) { read_members(to.state(), value, stats_members); }},
    {"size", [](Reading& to, Value value) { to.stat().size = natural(value); }},
    {"mtime_ns", [](Reading& to, Value value) { to.stat().mtime_ns = number(value); }},
    {"device", [](Reading& to, Value value) { to.stat().device = natural(value); }},
    {"inode", [](Reading& to, Value value) { to.stat().inode = natural(value); }},
    {"committed_offset", [](Reading& to, Value value) { to.entry.memory.end = natural(value); }},
    {"last_crc", [](Reading& to, Value value) { to.last_crc = parse_hex32(text(value)); }},
    {"altered", [](Reading& to, Value value) { to.damage().altered = number(value); }},
    {"broken", [](Reading& to, Value value) { to.damage().broken = number(value); }},
    {"gaps", [](Reading& to, Value value) { to.damage().gaps = number(value); }},
    {"head",
     [](Reading& to, Value value) {
       to.state().head = to.state().tail = id(value);  // unless `state` says more
       if (to.state().head) to.state().leaves = {*to.state().head};
     }},
    {"format",
     [](Reading& to, Value value) { to.header().version = static_cast<int>(number(value)); }},
    {"header_key",
     [](Reading& to, Value value) {
       to.header().key = text(value);
       to.renamed = true;
     }},
    {"created_by", [](Reading& to, Value value) { to.header().created_by = text(value); }},
    {"project", [](Reading& to, Value value) { to.header().project = text(value); }},
    {"parent_session", [](Reading& to, Value value) { to.parent_session = id(value); }},
    {"parent_entry", [](Reading& to, Value value) { to.parent_entry = id(value); }},
    {"state", [](Reading& to, Value value) { read_members(to.state(), value, state_members); }},
};

bool read_entry(Value value, IndexEntry& into) {
  Reading reading{into};
  read_members(reading, value, entry_members);
  if (!reading.session || !reading.last_crc) return false;
  reading.header().session = *reading.session;
  if (!reading.renamed) reading.header().key = into.key;
  if (reading.parent_session && reading.parent_entry)
    reading.header().parent_session = {*reading.parent_session, *reading.parent_entry};
  into.memory.last_crc = *reading.last_crc;
  if (reading.state().entries == 0) reading.state().updated_at.clear();
  return true;
}

// Ends where what follows tells nothing of the name: that is four fifths of an entry.
IndexName read_name(Value value) {
  IndexName name;
  json::object object;
  if (value.get(object) != simdjson::SUCCESS) return name;
  for (auto each : object) {
    json::field field;
    if (std::move(each).get(field) != simdjson::SUCCESS) return name;
    const auto is = [&](const char* member) { return field.key().unsafe_is_equal(member); };
    if (is("session_key")) name.key = text(field.value());
    if (is("session_id")) name.session = id(field.value()).value_or(Id{});
    if (is("updated_at")) name.used_at = text(field.value());
    if (is("message_count")) name.messages = number(field.value());
    if (is("title")) name.title = text(field.value());
    if (is("archived")) name.archived = truth(field.value());
    if (is("stats") || is("size")) break;
  }
  return name;
}

// Its checksum fits.
bool is_as_written(std::string_view text) {
  constexpr std::size_t width = 8 + 8 + 3;
  return text.size() > width &&
         text.substr(text.size() - width) == index_checksum(text.substr(0, text.size() - width));
}

// Visits the members of a text of this version.
template <class Visit>
bool each_member_of_text(std::string bytes, Visit visit) {
  // A parser's buffers cost more than a short text; those of a long one are not kept.
  constexpr std::size_t short_text = 64u << 10;
  thread_local json::parser for_short;
  json::parser for_long;
  bytes.reserve(bytes.size() + simdjson::SIMDJSON_PADDING);
  json::parser& parser = bytes.size() <= short_text ? for_short : for_long;
  json::document document;
  std::int64_t version = 0;
  if (parser.iterate(bytes).get(document) != simdjson::SUCCESS) return false;
  each_member(document, [&](std::string_view name, Value value) {
    if (name == "version")
      version = number(value);
    else if (version == index_version)
      visit(name, value);
  });
  return version == index_version;
}

}  // namespace

std::optional<Index> parse_unchecked(std::string bytes) {
  Index index;
  const bool read =
      each_member_of_text(std::move(bytes), [&](std::string_view member, Value value) {
        if (member == "transcripts_mtime_ns") index.folder_mtime_ns = number(value);
        if (member == "boot") index.boot = text(value);
        if (member != "sessions" && member != "lost") return;
        auto& into = member == "lost" ? index.lost : index.sessions;
        each_member(value, [&](std::string_view, Value session) {
          // Read where it will stay: an entry is large, and its id is known only then.
          decltype(index.sessions) one;
          auto node = one.extract(one.try_emplace(Id{}).first);
          if (!read_entry(session, node.mapped())) return;
          node.key() = node.mapped().memory.header.session;
          into.insert(into.end(), std::move(node));
        });
      });
  return read ? std::optional(std::move(index)) : std::nullopt;
}

std::optional<Index> parse_index(std::string bytes) {
  return is_as_written(bytes) ? parse_unchecked(std::move(bytes)) : std::nullopt;
}

std::optional<IndexEntry> parse_index_row(std::string_view row) {
  std::optional<Index> index = parse_unchecked("{\"version\":" + std::to_string(index_version) +
                                               ",\"sessions\":{" + std::string(row) + "}}");
  if (!index || index->sessions.size() != 1) return std::nullopt;
  return std::move(index->sessions.begin()->second);
}

std::optional<std::int64_t> visit_index_names(std::string bytes,
                                              const std::function<void(const IndexName&)>& visit) {
  if (!is_as_written(bytes)) return std::nullopt;
  std::int64_t folder_mtime_ns = 0;
  const bool read =
      each_member_of_text(std::move(bytes), [&](std::string_view member, Value value) {
        if (member == "transcripts_mtime_ns") folder_mtime_ns = number(value);
        if (member == "sessions")
          each_member(value, [&](std::string_view, Value session) { visit(read_name(session)); });
      });
  return read ? std::optional(folder_mtime_ns) : std::nullopt;
}

std::vector<LastUsed> parse_last(std::string bytes) {
  std::vector<LastUsed> out;
  if (!is_as_written(bytes)) return out;
  each_member_of_text(std::move(bytes), [&](std::string_view member, Value value) {
    if (member != "workspaces") return;
    each_element(value, [&](Value used) {
      LastUsed last;
      bool known = false;
      each_member(used, [&](std::string_view name, Value each) {
        if (name == "workspace") last.workspace = text(each);
        if (name == "session") known = read_entry(each, last.entry);
      });
      if (!known) return;
      last.session = last.entry.memory.header.session;
      out.push_back(std::move(last));
    });
  });
  return out;
}

bool is_foreign_index(std::string_view text) {
  const std::optional<Json> json = parse_json(text);
  return json && json->is_structured() && !json->empty() && !json->contains("crc") &&
         !(json->contains("version") && json->contains("sessions"));
}

}  // namespace skein::store::home
