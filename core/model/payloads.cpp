#include "core/model/payloads.h"

#include "core/model/usage_json.h"
#include "core/text/checksum.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/utf8.h"

namespace skein::model {

namespace {

std::string hash_json(const std::optional<std::string>& hash) {
  return hash ? '"' + *hash + '"' : std::string("null");
}

std::optional<std::string> hash_from(const Json& value) {
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

// The fifth column, which older versions of skein read over: to them a link, and a file that is as
// in the commit, are files whose contents were not kept.
JsonText details_of(const KeptFile& file) {
  std::string out;
  const auto add = [&](std::string_view name, const std::string& value) {
    out += (out.empty() ? ",{\"" : ",\"") + std::string(name) + "\":" + value;
  };
  if (file.kind == FileKind::link) add("link", hash_json(file.hash));
  if (file.committed) add("committed", "true");
  if (file.changed_ns != 0) add("changed", std::to_string(file.changed_ns));
  if (const std::optional<Becomes>& next = file.becomes)
    add("becomes", "[" + std::to_string(next->mode) + "," + hash_json(next->hash) +
                       (next->kind == FileKind::link ? ",\"link\"]" : "]"));
  return out.empty() ? out : out + "}";
}

void take_details(const Json& details, KeptFile& file) {
  if (const std::string link = string_at(details, "link"); !link.empty()) {
    file.kind = FileKind::link;
    file.hash = link;
  }
  file.committed = bool_at(details, "committed");
  file.changed_ns = int_at(details, "changed");
  const Json& next = at(details, "becomes");
  if (!next.is_array() || next.size() < 2 || !next[0].is_number_unsigned()) return;
  file.becomes = {next[0].get<std::uint32_t>(), hash_from(next[1]),
                  next.size() > 2 ? FileKind::link : FileKind::file};
}

std::optional<KeptFile> file_from(const Json& row) {
  if (!row.is_array() || row.size() < 4 || !row[0].is_string()) return std::nullopt;
  if (!row[1].is_number_unsigned() || !row[3].is_number_unsigned()) return std::nullopt;
  if (!row[2].is_string() && !row[2].is_null()) return std::nullopt;
  KeptFile file{unescaped_path(row[0].get_ref<const std::string&>()), row[1].get<std::uint32_t>(),
                hash_from(row[2]), row[3].get<std::uint64_t>()};
  if (row.size() > 4) take_details(row[4], file);
  return file;
}

std::vector<KeptFile> files_from(const Json& rows) {
  std::vector<KeptFile> out;
  out.reserve(rows.size());
  for (const Json& row : rows)
    if (std::optional<KeptFile> file = file_from(row)) out.push_back(*std::move(file));
  return out;
}

}  // namespace

std::string escaped_path(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const Utf8Character next = first_character(path);
    if (next.good && next.point != '\\')
      out += path.substr(0, next.length);
    else
      for (const char byte : path.substr(0, next.length))
        out += "\\x" + hex(static_cast<unsigned char>(byte), 2);
    path.remove_prefix(next.length);
  }
  return out;
}

std::string unescaped_path(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* const digits = text.data() + at + 2;
    if (text.substr(at, 2) == "\\x" && at + 4 <= text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(value);
      at += 3;
    } else {
      out += text[at];
    }
  }
  return out;
}

JsonText files_json(std::span<const KeptFile> files) {
  std::string out = "[";
  for (const KeptFile& file : files) {
    out += out.size() > 1 ? ",[" : "[";
    append_quoted(out, escaped_path(file.path));
    out += "," + std::to_string(file.mode) + "," +
           (file.kind == FileKind::link ? "\"\"" : hash_json(file.hash)) + "," +
           std::to_string(file.size) + details_of(file) + "]";
  }
  return out + "]";
}

std::optional<std::vector<KeptFile>> files_from_json(std::string_view json) {
  const std::optional<Json> rows = parse_json(json);
  return rows && rows->is_array() ? std::optional(files_from(*rows)) : std::nullopt;
}

namespace payload {

namespace {

// members() names the members of each kind once; these write and read them. A member is always
// written, or only if_set (if it is not empty), or as null where it is empty.
class MemberWriter {
 public:
  static constexpr bool reads = false;
  explicit MemberWriter(Json& json) : json_(json) {}

  MemberWriter& operator()(const char* name, const auto& value) {
    json_[name] = form(value);
    return *this;
  }
  template <class Value>
  MemberWriter& if_set(const char* name, const Value& value) {
    return value != Value{} ? (*this)(name, value) : *this;
  }
  template <class Value>
  MemberWriter& or_null(const char* name, const Value& value) {
    return (*this)(name, value == Value{} ? Json() : form(value));
  }
  MemberWriter& about(const char* name, Id id) { return (*this)(name, id); }
  MemberWriter& path(const char* name, const std::string& path) {
    return (*this)(name, escaped_path(path));
  }

 private:
  static Json form(const auto& value) { return value; }
  static Json form(Id id) { return to_string(id); }
  static Json form(const Usage& usage) { return usage_json(usage); }
  static Json form(const MessageDeltaBatch::Piece& piece) {
    return {{piece.thinking ? "thinking" : "text", piece.text}};
  }
  // A schema is kept as text: parsed and written again, its bytes might be others.
  static Json form(const ToolSpec& spec) {
    return {{"name", spec.name}, {"description", spec.description}, {"schema", spec.schema}};
  }
  static Json form(const Checkpoint::Modes& modes) {
    return Json::array({modes.file, modes.program});
  }
  static Json form(const std::vector<KeptFile>& files) {
    return parse_json(files_json(files)).value_or(Json::array());
  }
  template <class Value>
  static Json form(const std::optional<Value>& value) {
    return value ? form(*value) : Json();
  }
  template <class Value>
  static Json form(const std::vector<Value>& values) {
    Json out = Json::array();
    for (const Value& value : values) out.push_back(form(value));
    return out;
  }

  Json& json_;
};

class MemberReader {
 public:
  static constexpr bool reads = true;
  explicit MemberReader(const Json& json) : json_(json) {}

  MemberReader& operator()(const char* name, auto& value) {
    take(at(json_, name), value);
    return *this;
  }
  MemberReader& if_set(const char* name, auto& value) { return (*this)(name, value); }
  MemberReader& or_null(const char* name, auto& value) { return (*this)(name, value); }
  MemberReader& about(const char* name, Id& id) {
    complete_ = complete_ && parse_id(string_at(json_, name));
    return (*this)(name, id);
  }
  MemberReader& path(const char* name, std::string& path) {
    path = unescaped_path(string_at(json_, name));
    return *this;
  }
  bool complete() const { return complete_; }  // it has the ids it is about

 private:
  static void take(const Json& json, std::string& text) {
    text = json.is_string() ? json.get<std::string>() : "";
  }
  static void take(const Json& json, bool& value) { value = json.is_boolean() && json.get<bool>(); }
  static void take(const Json& json, std::int64_t& value) {
    value = json.is_number_integer() ? json.get<std::int64_t>() : 0;
  }
  static void take(const Json& json, double& value) {
    value = json.is_number() ? json.get<double>() : 0;
  }
  static void take(const Json& json, std::optional<Id>& id) {
    id = json.is_string() ? parse_id(json.get_ref<const std::string&>()) : std::nullopt;
  }
  static void take(const Json& json, Id& id) {
    std::optional<Id> read;
    take(json, read);
    id = read.value_or(Id{});
  }
  static void take(const Json& json, std::vector<std::string>& texts) {
    for (const Json& each : json)
      if (each.is_string()) texts.push_back(each.get<std::string>());
  }
  static void take(const Json& json, std::vector<Id>& ids) {
    for (const Json& each : json)
      if (std::optional<Id> id; take(each, id), id) ids.push_back(*id);
  }
  static void take(const Json& json, std::map<std::string, std::string>& texts) {
    if (json.is_object())
      for (const auto& [name, text] : json.items())
        if (text.is_string()) texts[name] = text.get<std::string>();
  }
  static void take(const Json& json, std::vector<MessageDeltaBatch::Piece>& pieces) {
    for (const Json& piece : json) {
      const bool thinking = at(piece, "thinking").is_string();
      pieces.push_back({thinking, string_at(piece, thinking ? "thinking" : "text")});
    }
  }
  static void take(const Json& json, std::optional<std::vector<ToolSpec>>& specs) {
    if (!json.is_array()) return;
    specs.emplace();
    for (const Json& spec : json)
      specs->push_back(
          {string_at(spec, "name"), string_at(spec, "description"), string_at(spec, "schema")});
  }
  static void take(const Json& json, std::optional<Checkpoint::Modes>& modes) {
    if (json.is_array() && json.size() == 2 && json[0].is_number_unsigned() &&
        json[1].is_number_unsigned())
      modes = {json[0].get<std::uint32_t>(), json[1].get<std::uint32_t>()};
  }
  static void take(const Json& json, std::vector<KeptFile>& files) {
    if (json.is_array()) files = files_from(json);
  }
  static void take(const Json& json, std::optional<Usage>& usage) { usage = usage_from(json); }

  const Json& json_;
  bool complete_ = true;
};

void members(auto& io, Head& head) { io.about("entryId", head.entry); }
void members(auto& io, Title& title) { io("text", title.text); }
void members(auto& io, Key& key) { io("key", key.key); }
void members(auto& io, Label& label) { io.about("entryId", label.entry)("text", label.text); }
void members(auto& io, Snapshot& snapshot) {
  io("name", snapshot.name).or_null("entryId", snapshot.entry);
}
void members(auto& io, Ttl& ttl) { io.or_null("age", ttl.age); }
void members(auto& io, Pin& pin) { io("pinned", pin.pinned); }
void members(auto& io, MessageDeltaBatch& batch) {
  io.about("messageId", batch.message)("provider", batch.provider)("model", batch.model)(
      "pieces", batch.pieces);
}
void members(auto& io, Permissions& permissions) { io("rules", permissions.rules); }
void members(auto& io, ThinkingOffBefore& off) { io.about("entryId", off.entry); }
void members(auto& io, Import& import) {
  io("from", import.from)("session", import.session)("file", import.file)("at", import.at)
      .if_set("parent", import.parent)
      .if_set("spawned", import.spawned);
}
void members(auto& io, ImportContext& context) { io("label", context.label)("text", context.text); }
void members(auto& io, ModelChange& change) {
  io("provider", change.provider)("model", change.model).if_set("reason", change.reason);
}
void members(auto& io, ThinkingLevelChange& change) { io("level", change.level); }
void members(auto& io, SystemPromptOverride& system) { io("text", system.text); }
void members(auto& io, Redaction& redaction) {
  io.about("targetEntryId", redaction.target)("reason", redaction.reason);
}
void members(auto& io, RuntimeInit& init) {
  io("system", init.system)("tools", init.tools).if_set("toolSpecs", init.specs);
  if (!init.specs) return;
  io("hash", init.hash)("provider", init.provider)
      .if_set("overridden", init.overridden)("said", init.said)
      .if_set("servers", init.servers)
      .if_set("masked", init.masked)
      .if_set("dropped", init.dropped);
}
void members(auto& io, BranchSummary& branch) {
  io("sourceSessionId", branch.source_session)("sourceEntryId", branch.source_entry)(
      "summary", branch.summary);
}
template <class Io>
void members(Io& io, CompactionSummary& compaction) {
  io("summary", compaction.summary)
      .if_set("firstKeptEntryId", compaction.first_kept)("tokensBefore", compaction.tokens_before)(
          "tokensPerGuess", compaction.tokens_per_guess)("filesRead", compaction.files_read)(
          "filesChanged", compaction.files_changed)
      .if_set("lastPrompt", compaction.last_prompt)
      .if_set("resultBytes", compaction.result_bytes);
  if (!Io::reads && !compaction.usage) return;
  io("provider", compaction.provider)("model", compaction.model)("usage", compaction.usage);
}
void members(auto& io, Checkpoint& checkpoint) {
  io.if_set("promptId", checkpoint.prompt)("phase", checkpoint.phase)
      .path("root", checkpoint.root)("coverage", checkpoint.coverage)
      .if_set("git", checkpoint.git)
      .if_set("modes", checkpoint.modes);
  if (checkpoint.list.empty()) io("files", checkpoint.files);
  io.if_set("list", checkpoint.list).if_set("leftOut", checkpoint.left_out);
}
void members(auto& io, Restore& restore) {
  io.about("to", restore.to)
      .if_set("before", restore.before)
      .if_set("head", restore.head)
      .if_set("redo", restore.redo)("changed", restore.changed)("kept", restore.kept)(
          "failed", restore.failed);
}
void members(auto& io, HookRun& run) {
  io("event", run.event)("command", run.command)("source", run.source)("exit", run.exit)("ms",
                                                                                         run.ms)
      .if_set("decision", run.decision)
      .if_set("reason", run.reason)
      .if_set("callId", run.call)
      .if_set("input", run.input)
      .if_set("original", run.original)
      .if_set("blob", run.blob);
}
void members(auto& io, SubAgent& agent) { io("name", agent.name)("parentCall", agent.call); }

template <class Kind>
std::optional<Payload> read(const Json& json) {
  Kind kind{};
  MemberReader reader(json);
  members(reader, kind);
  return reader.complete() ? std::optional<Payload>(std::move(kind)) : std::nullopt;
}

// In the order of Payload's alternatives, so that a payload's index finds its row.
struct Form {
  std::string_view type, kind;
  std::optional<Payload> (*read)(const Json&);
};
constexpr Form forms[] = {
    {type::custom, "head", read<Head>},
    {type::custom, "title", read<Title>},
    {type::custom, "key", read<Key>},
    {type::custom, "label", read<Label>},
    {type::custom, "snapshot", read<Snapshot>},
    {type::custom, "permissions", read<Permissions>},
    {type::custom, "thinking_off_before", read<ThinkingOffBefore>},
    {type::custom, "import", read<Import>},
    {type::custom, "import_context", read<ImportContext>},
    {type::model_change, "", read<ModelChange>},
    {type::thinking_level_change, "", read<ThinkingLevelChange>},
    {type::system_prompt_override, "", read<SystemPromptOverride>},
    {type::redaction, "", read<Redaction>},
    {type::runtime_init, "", read<RuntimeInit>},
    {type::branch_summary, "", read<BranchSummary>},
    {type::compaction_summary, "", read<CompactionSummary>},
    {type::custom, "ttl", read<Ttl>},
    {type::custom, "pin", read<Pin>},
    {type::message_delta_batch, "", read<MessageDeltaBatch>},
    {type::custom, "checkpoint", read<Checkpoint>},
    {type::custom, "restore", read<Restore>},
    {type::custom, "hook", read<HookRun>},
    {type::custom, "agent", read<SubAgent>},
};
static_assert(std::size(forms) == std::variant_size_v<Payload>);

}  // namespace

// Lengths precede the texts, so that no two beginnings look alike.
std::string hash_of(const RuntimeInit& init) {
  std::string all;
  const auto add = [&all](std::string_view text) {
    all += std::to_string(text.size()) + ":";
    all += text;
  };
  add(init.system);
  for (const ToolSpec& spec : init.specs.value_or(std::vector<ToolSpec>{})) {
    add(spec.name);
    add(spec.description);
    add(spec.schema);
  }
  return sha256_hex(all);
}

}  // namespace payload

Entry make_entry(Payload payload) {
  const payload::Form& form = payload::forms[payload.index()];
  Json json = Json::object();
  if (!form.kind.empty()) json["kind"] = form.kind;
  payload::MemberWriter writer(json);
  std::visit([&](auto& each) { payload::members(writer, each); }, payload);
  return make_entry(form.type, dump(json));
}

std::optional<Payload> read_payload(std::string_view type, std::string_view json) {
  // Most entries are messages: those are not parsed to be turned down.
  if (std::ranges::find(payload::forms, type, &payload::Form::type) == std::end(payload::forms))
    return std::nullopt;
  const std::optional<Json> parsed = parse_json(json);
  if (!parsed) return std::nullopt;
  const std::string kind = type == type::custom ? string_at(*parsed, "kind") : "";
  for (const payload::Form& form : payload::forms)
    if (form.type == type && form.kind == kind) return form.read(*parsed);
  return std::nullopt;
}

}  // namespace skein::model
