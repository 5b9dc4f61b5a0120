#include "core/store/home/index/index_text.h"

#include <simdjson.h>

#include "core/text/checksum.h"
#include "core/text/json.h"

namespace skein::store::home {

namespace {

// How an index and `last` end. They are believed where they fit the disk, so a changed byte must
// not look like a fact. `crc` is that of all before this.
constexpr std::size_t checksum_width = 19;
std::string checksum_member(std::uint32_t crc) {
  char out[32];
  std::snprintf(out, sizeof out, ",\"crc\":\"%08x\"}\n", crc);
  return out;
}

// The values of members, as they are written.
void print(std::string& out, const std::string& text) { append_quoted(out, text); }
void print(std::string& out, bool value) { out += value ? "true" : "false"; }
void print(std::string& out, Id id) { out += '"' + to_string(id) + '"'; }
void print(std::string& out, const model::Usage& usage);
template <std::integral Number>
void print(std::string& out, Number number) {
  out += std::to_string(number);
}
template <class Value>
void print(std::string& out, const std::optional<Value>& value) {
  value ? print(out, *value) : void(out += "null");
}
// {…} or […]
template <class Range>
  requires requires(const Range& all) { all.begin(); }
void print(std::string& out, const Range& all) {
  constexpr bool names = requires { typename Range::mapped_type; };
  out += names ? '{' : '[';
  for (char before = 0; const auto& each : all) {
    if (std::exchange(before, ',') != 0) out += ',';
    if constexpr (names) {
      print(out, each.first);
      print(out += ':', each.second);
    } else {
      print(out, each);
    }
  }
  out += names ? '}' : ']';
}

// On demand: a value is parsed when it is asked for, once, in the order of the text.
namespace json = simdjson::ondemand;
using Value = json::value&;

template <class Kind>
Kind got(Value value) {
  Kind out{};
  return value.get(out) == simdjson::SUCCESS ? out : Kind{};
}

template <class Object, class Visit>
void each_member(Object&& value, Visit visit) {
  json::object object;
  if (value.get(object) != simdjson::SUCCESS) return;
  for (auto each : object) {
    json::field field;
    std::string_view name;
    if (std::move(each).get(field) != simdjson::SUCCESS) return;
    if (field.unescaped_key().get(name) == simdjson::SUCCESS) visit(name, field.value());
  }
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

// The same values, as they are read. What is not an id is left out.
void read(std::string& to, Value value) { to = got<std::string_view>(value); }
void read(bool& to, Value value) { to = got<bool>(value); }
void read(std::optional<Id>& to, Value value) { to = parse_id(got<std::string_view>(value)); }
void read(model::Usage& to, Value value);
template <std::integral Number>
void read(Number& to, Value value) {
  to = static_cast<Number>(got<std::int64_t>(value));
}
template <class Kind>
void read(std::optional<Kind>& to, Value value) {
  read(to.emplace(), value);
}
template <class Kind>
std::optional<Kind> from_text(std::string_view text) {
  if constexpr (std::is_same_v<Kind, Id>)
    return parse_id(text);
  else
    return Kind(text);
}
template <class Range>
  requires requires(Range& all) { all.begin(); }
void read(Range& to, Value value) {
  to.clear();
  if constexpr (requires { typename Range::mapped_type; })
    each_member(value, [&](std::string_view name, Value each) {
      const auto key = from_text<typename Range::key_type>(name);
      if constexpr (std::is_same_v<typename Range::mapped_type, model::Usage>)
        read(to[*key], each);
      else if (const auto mapped =
                   from_text<typename Range::mapped_type>(got<std::string_view>(each));
               key && mapped)
        to[*key] = *mapped;
    });
  else
    each_element(value, [&](Value each) {
      using Element = std::remove_cvref_t<decltype(*to.begin())>;
      if (const auto element = from_text<Element>(got<std::string_view>(each))) {
        if constexpr (requires { to.push_back(*element); })
          to.push_back(*element);
        else
          to.insert(*element);
      }
    });
}

// A RowWriter and a RowReader are given the members of a record one after the other: what is
// written is what is read, in one order.
class RowWriter {
 public:
  static constexpr bool reads = false;
  explicit RowWriter(std::string& out) : out_(out), writer_(out) {}

  template <class Kind>
  void operator()(std::string_view name, const Kind& value, bool wanted = true) {
    if (!wanted) return;
    writer_.open(name);
    print(out_, value);
  }
  // Unless it says nothing.
  template <class Kind>
  void some(std::string_view name, const Kind& value) {
    (*this)(name, value, value != Kind{});
  }
  template <class Members>
  void record(std::string_view name, Members members) {
    writer_.open(name);
    write(out_, members);
  }
  template <class Members>
  static void write(std::string& out, Members members) {
    RowWriter writer(out);
    members(writer);
    writer.writer_.end();
  }

 private:
  std::string& out_;
  JsonWriter writer_;
};

// In one pass over the members of each session: ten thousand of them are six megabytes, and looking
// thirty members up by name would take longer than the rest.
class RowReader {
 public:
  static constexpr bool reads = true;

  template <class Kind>
  void operator()(std::string_view name, Kind& to, bool = true) {
    if (!is(name)) return;
    read(to, field_.value());
    next();
  }
  template <class Kind>
  void some(std::string_view name, Kind& to) {
    (*this)(name, to);
  }
  template <class Members>
  void record(std::string_view name, Members members) {
    if (!is(name)) return;
    read_all(field_.value(), members);
    next();
  }
  template <class Members>
  static void read_all(Value value, Members members) {
    json::object object;
    if (value.get(object) != simdjson::SUCCESS) return;
    for (RowReader reader(object); reader.there_;) {
      const std::size_t before = reader.passed_;
      members(reader);
      if (reader.passed_ == before) reader.next();  // no member of ours
    }
  }

 private:
  explicit RowReader(json::object& object) : at_(object.begin()), end_(object.end()) { load(); }
  bool is(std::string_view name) const { return there_ && field_.key().unsafe_is_equal(name); }
  void next() {
    ++passed_;
    ++at_;
    load();
  }
  void load() { there_ = at_ != end_ && (*at_).get(field_) == simdjson::SUCCESS; }

  simdjson::simdjson_result<json::object_iterator> at_, end_;
  json::field field_{};
  bool there_ = false;
  std::size_t passed_ = 0;
};

constexpr auto usage_members = [](auto& io, auto& usage) {
  io.some("input", usage.input);
  io.some("output", usage.output);
  io.some("cacheRead", usage.cache_read);
  io.some("cacheWrite", usage.cache_write);
  io.some("reasoning", usage.reasoning);
  io.some("longest", usage.longest);
};
void print(std::string& out, const model::Usage& usage) {
  RowWriter::write(out, [&](RowWriter& io) { usage_members(io, usage); });
}
void read(model::Usage& to, Value value) {
  RowReader::read_all(value, [&](RowReader& io) { usage_members(io, to); });
}

constexpr auto state_members = [](auto& io, auto& state) {
  // Most sessions never branched: then the head is the tail and the only leaf.
  const bool branched =
      !state.head || state.leaves.size() != 1 || state.leaves.front() != *state.head;
  io("entries", state.entries);
  io("tail", state.tail, state.tail != state.head);
  io("headAt", state.head_at);
  io("leaves", state.leaves, branched);
  io.some("titleGiven", state.title_given);
  io.some("key", state.key);
  io.some("origin", state.origin);
  io.some("importedAt", state.imported_at);
  io.some("thinking", state.thinking);
  io.some("system", state.system);
  io.some("runtimeInit", state.runtime_init);
  io.some("snapshots", state.snapshots);
  io.some("labels", state.labels);
  io.some("redacted", state.redacted);
  io.some("thinkingOff", state.thinking_off);
  io.some("permissions", state.permissions);
  io.some("ttl", state.ttl);
  io.some("pinned", state.pinned);
  io.some("unfinished", state.unfinished);
  io.some("usage", state.usage);
};

// What of an entry is written in another form than it is kept in.
struct Spelled {
  std::optional<Id> session{}, parent_session{}, parent_entry{};
  std::string updated_at{}, file{}, last_crc{};
  std::optional<std::string> header_key{};  // if it is another than the entry's
  std::size_t branches = 0;
  bool head_taken = false;
  model::Usage total{};
};

constexpr auto entry_members = [](auto& io, auto& entry, Spelled& spelled) {
  auto& [header, state, stat, end, last_crc, damage] = entry.memory;
  io("session_key", entry.key);
  io("session_id", spelled.session);
  io("created_at", header.created_at);
  io("updated_at", spelled.updated_at);
  io("message_count", state.messages);
  io("transcript_file", spelled.file);
  io.some("title", state.title);
  io("cwd", header.cwd);
  io.some("model", state.model);
  io("branches", spelled.branches);
  io.some("archived", entry.archived);
  io.record("stats", [&](auto& stats) {
    stats.some("input_tokens", spelled.total.input);
    stats.some("output_tokens", spelled.total.output);
    stats.some("cache_read_tokens", spelled.total.cache_read);
    stats.some("cache_write_tokens", spelled.total.cache_write);
    stats.some("tool_calls", state.tool_calls);
    stats.some("duration_ms", state.duration_ms);
  });
  io("size", stat.size);
  io("mtime_ns", stat.mtime_ns);
  io("device", stat.device);
  io("inode", stat.inode);
  io("committed_offset", end);
  io("last_crc", spelled.last_crc);
  io.some("altered", damage.altered);
  io.some("broken", damage.broken);
  io.some("gaps", damage.gaps);
  io.some("head", state.head);
  if constexpr (std::remove_cvref_t<decltype(io)>::reads)
    if (state.head && !std::exchange(spelled.head_taken, true)) {  // `state` may say more
      state.tail = state.head;
      state.leaves = {*state.head};
    }
  io("format", header.version);
  io.some("header_key", spelled.header_key);
  io.some("created_by", header.created_by);
  io.some("project", header.project);
  io.some("parent_session", spelled.parent_session);
  io.some("parent_entry", spelled.parent_entry);
  io.record("state", [&](auto& members) { state_members(members, state); });
};

void print_entry(std::string& out, const IndexEntry& entry) {
  const SessionHeader& header = entry.memory.header;
  const SessionState& state = entry.memory.state;
  char crc[9];
  std::snprintf(crc, sizeof crc, "%08x", entry.memory.last_crc);
  Spelled spelled{.session = header.session,
                  .updated_at = used_at(header, state),
                  .file = to_string(header.session) + (entry.archived ? ".jsonl.gz" : ".jsonl"),
                  .last_crc = crc,
                  .branches = state.leaves.size(),
                  .total = model::total_usage(state)};
  if (header.key != entry.key) spelled.header_key = header.key;
  if (const auto& parent = header.parent_session) {
    spelled.parent_session = parent->session;
    spelled.parent_entry = parent->entry;
  }
  RowWriter::write(out, [&](RowWriter& io) { entry_members(io, entry, spelled); });
}

bool read_entry(Value value, IndexEntry& into) {
  Spelled spelled;
  RowReader::read_all(value, [&](RowReader& io) { entry_members(io, into, spelled); });
  const std::optional<std::uint32_t> last_crc = parse_hex32(spelled.last_crc);
  if (!spelled.session || !last_crc) return false;
  SessionHeader& header = into.memory.header;
  header.session = *spelled.session;
  header.key = spelled.header_key.value_or(into.key);
  if (spelled.parent_session && spelled.parent_entry)
    header.parent_session = {*spelled.parent_session, *spelled.parent_entry};
  into.memory.last_crc = *last_crc;
  if (into.memory.state.entries > 0) into.memory.state.updated_at = spelled.updated_at;
  return true;
}

// Parses a text for `use`. It is copied, since the parser reads beyond its end; both buffers stay
// for the next one.
template <class Use>
bool with_value(std::string_view bytes, Use use) {
  thread_local std::string padded;
  thread_local json::parser parser;
  padded.reserve(bytes.size() + simdjson::SIMDJSON_PADDING);
  padded.assign(bytes);
  json::document document;
  json::value value;
  return parser.iterate(padded).get(document) == simdjson::SUCCESS &&
         document.get_value().get(value) == simdjson::SUCCESS && use(value);
}

// Visits the members of a text of this version.
template <class Visit>
bool each_member_of_text(std::string_view bytes, Visit visit) {
  return with_value(bytes, [&](Value whole) {
    std::int64_t version = 0;
    each_member(whole, [&](std::string_view name, Value value) {
      if (name == "version")
        read(version, value);
      else if (version == index_version)
        visit(name, value);
    });
    return version == index_version;
  });
}

// All of an index but its sessions. False: it is not an index of this version.
bool parse_frame(std::string_view bytes, Index& into) {
  return each_member_of_text(bytes, [&](std::string_view member, Value value) {
    if (member == "transcripts_mtime_ns") read(into.folder_mtime_ns, value);
    if (member == "boot") read(into.boot, value);
    if (member == "lost")
      each_member(value, [&](std::string_view, Value session) {
        IndexEntry entry;
        if (read_entry(session, entry)) into.lost[entry.memory.header.session] = std::move(entry);
      });
  });
}

JsonText with_checksum(std::string unclosed) {
  return unclosed += checksum_member(crc32c(0, unclosed));
}

// `read` is given a place for so many bytes, and where they begin.
template <class Read>
Result<Index> scan(std::uint64_t size, const Read& read, const VisitRow& visit,
                   const VisitFrame& begin) {
  // Small enough to stay in the processor's cache, and to cost few pages: getting those takes
  // longer than all that is done with the bytes.
  constexpr std::size_t scan_bytes = 128u << 10;
  const Failure not_an_index{Failure::Kind::refused, "not an index"};
  if (size > max_index_bytes || size < checksum_width) return not_an_index;
  Index index;
  bool began = false;
  std::string last;  // the line behind the sessions, with its newline
  const auto take = [&](std::string_view line) {
    if (!began) {
      began = parse_frame(std::string(line) + "}}", index);
      if (began && begin) begin(index);
      return began;
    }
    if (!last.empty()) return false;
    if (line.starts_with('}')) return !(last = std::string(line) + "\n").empty();
    if (line.ends_with(',')) line.remove_suffix(1);
    return line.starts_with('"') && visit({line, line.substr(1, line.find('"', 1) - 1)});
  };
  const std::uint64_t sealed = size - checksum_width;
  std::string block(std::min<std::uint64_t>(scan_bytes, size), '\0');
  std::uint32_t crc = 0;  // of all before the checksum
  std::size_t left = 0;
  for (std::uint64_t at = 0; at < size;) {
    if (left == block.size()) block.resize(2 * block.size());
    const std::size_t got = TRY(read(block.data() + left, block.size() - left, at));
    if (got == 0) return not_an_index;
    if (at < sealed)
      crc = crc32c(crc, {block.data() + left, std::min<std::uint64_t>(got, sealed - at)});
    at += got;
    std::string_view rest(block.data(), left + got);
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      if (!take(rest.substr(0, end))) return not_an_index;
      rest.remove_prefix(end + 1);
    }
    left = rest.size();
    std::memmove(block.data(), rest.data(), left);
  }
  if (left > 0 || !last.ends_with(checksum_member(crc))) return not_an_index;
  const bool plain = last.size() == checksum_width + 1;  // nothing but } and the checksum
  const std::string opening = "{\"version\":" + std::to_string(index_version);
  if (!plain && !parse_frame(opening + ",\"sessions\":{" + last, index)) return not_an_index;
  return index;
}

// All of an index; `scan` visits its rows.
template <class Scan>
Result<Index> with_sessions(const Scan& scan) {
  std::map<Id, IndexEntry> sessions;
  // Reads each row where it will stay: an entry is large, and its id is known only then.
  Index index = TRY(scan([&](const IndexRow& row) {
    std::map<Id, IndexEntry> one;
    auto node = one.extract(one.try_emplace(Id{}).first);
    if (!row.parse(node.mapped())) return true;
    node.key() = node.mapped().memory.header.session;
    sessions.insert(sessions.end(), std::move(node));
    return true;
  }));
  index.sessions = std::move(sessions);
  return index;
}

}  // namespace

// Any key, also one that a transcript from elsewhere has and that must be escaped.
bool IndexRow::parse(IndexEntry& into) const {
  const std::size_t behind_key = text.find(R"(":{"session_key":")");
  return behind_key != std::string_view::npos &&
         with_value(text.substr(behind_key + 2),
                    [&](Value value) { return read_entry(value, into); });
}

Result<Index> scan_index(files::Files& files, const VisitRow& visit, const VisitFrame& begin) {
  const auto file =
      TRY(files::open(files, "sessions.json", files::OpenAs::reader, "sessions.json"));
  const files::FileStat stat = TRY(file.stat());
  const auto read = [&](char* to, std::size_t count, std::uint64_t at) {
    return file.read(to, count, at);
  };
  return scan(stat.size, read, visit, begin);
}

Result<Index> read_index(files::Files& files) {
  return with_sessions([&](const VisitRow& visit) { return scan_index(files, visit); });
}

std::optional<Index> parse_index(std::string_view text) {
  const auto read = [&](char* to, std::size_t count, std::uint64_t at) -> Result<std::size_t> {
    return text.copy(to, count, at);
  };
  Result<Index> index =
      with_sessions([&](const VisitRow& visit) { return scan(text.size(), read, visit, {}); });
  return index ? std::optional(*std::move(index)) : std::nullopt;
}

JsonText print_index(const Index& index) {
  std::string out = "{\"version\":" + std::to_string(index_version) +
                    ",\"transcripts_mtime_ns\":" + std::to_string(index.folder_mtime_ns);
  if (!index.boot.empty()) append_quoted(out += ",\"boot\":", index.boot);
  out += ",\"sessions\":{";
  constexpr std::size_t usual_row = 600;
  out.reserve(out.size() + usual_row * (index.sessions.size() + 1));
  const auto print_rows = [&](const std::map<Id, IndexEntry>& rows, std::string_view before) {
    for (bool first = true; const auto& [session, entry] : rows) {
      if (!std::exchange(first, false)) out += ',';
      append_quoted(out += before, entry.key);
      print_entry(out += ':', entry);
    }
  };
  print_rows(index.sessions, "\n");
  out += "\n}";
  // Not on lines of their own: those are of sessions that are there.
  if (!index.lost.empty()) {
    out += ",\"lost\":{";
    print_rows(index.lost, "");
    out += '}';
  }
  return with_checksum(std::move(out));
}

JsonText print_last(const std::vector<LastUsed>& used) {
  std::string out = "{\"version\":" + std::to_string(index_version) + ",\"workspaces\":[";
  for (const LastUsed& each : used) {
    append_quoted(out += &each == &used.front() ? "\n{\"workspace\":" : ",\n{\"workspace\":",
                  each.workspace);
    print_entry(out += ",\"session\":", each.entry);
    out += '}';
  }
  return with_checksum(out + ']');
}

std::vector<LastUsed> parse_last(std::string_view bytes) {
  std::vector<LastUsed> out;
  const std::string_view sealed =
      bytes.substr(0, bytes.size() - std::min(bytes.size(), checksum_width));
  if (bytes.substr(sealed.size()) != checksum_member(crc32c(0, sealed))) return out;
  each_member_of_text(bytes, [&](std::string_view member, Value value) {
    if (member != "workspaces") return;
    each_element(value, [&](Value used) {
      LastUsed last;
      bool known = false;
      each_member(used, [&](std::string_view name, Value each) {
        if (name == "workspace") read(last.workspace, each);
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
