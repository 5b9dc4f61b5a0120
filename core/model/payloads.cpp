#include "core/model/payloads.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/model/usage_json.h"
#include "core/text/json.h"
#include "core/text/sha256.h"

namespace skein::model {

namespace payload {

namespace {

using Read = std::optional<Payload>;

std::optional<Id> id_at(const Json& json, std::string_view key) {
  return parse_id(string_at(json, key));
}

std::vector<std::string> strings_at(const Json& json, std::string_view key) {
  std::vector<std::string> out;
  for (const Json& each : at(json, key))
    if (each.is_string()) out.push_back(each.get<std::string>());
  return out;
}

void write(Json& json, const Head& head) { json["entryId"] = to_string(head.entry); }
Read read_head(const Json& json) {
  const std::optional<Id> entry = id_at(json, "entryId");
  return entry ? Read(Head{*entry}) : std::nullopt;
}

void write(Json& json, const Title& title) { json["text"] = title.text; }
Read read_title(const Json& json) { return Title{string_at(json, "text")}; }

void write(Json& json, const Key& key) { json["key"] = key.key; }
Read read_key(const Json& json) { return Key{string_at(json, "key")}; }

void write(Json& json, const Label& label) {
  json["entryId"] = to_string(label.entry);
  json["text"] = label.text;
}
Read read_label(const Json& json) {
  const std::optional<Id> entry = id_at(json, "entryId");
  return entry ? Read(Label{*entry, string_at(json, "text")}) : std::nullopt;
}

void write(Json& json, const Snapshot& snapshot) {
  json["name"] = snapshot.name;
  json["entryId"] = snapshot.entry ? Json(to_string(*snapshot.entry)) : Json();
}
Read read_snapshot(const Json& json) {
  return Snapshot{string_at(json, "name"), id_at(json, "entryId")};
}

void write(Json& json, const Ttl& ttl) { json["age"] = ttl.age.empty() ? Json() : Json(ttl.age); }
Read read_ttl(const Json& json) { return Ttl{string_at(json, "age")}; }

void write(Json& json, const Pin& pin) { json["pinned"] = pin.pinned; }
Read read_pin(const Json& json) { return Pin{bool_at(json, "pinned")}; }

void write(Json& json, const MessageDeltaBatch& batch) {
  json["messageId"] = to_string(batch.message);
  json["provider"] = batch.provider;
  json["model"] = batch.model;
  json["pieces"] = Json::array();
  for (const MessageDeltaBatch::Piece& piece : batch.pieces)
    json["pieces"].push_back({{piece.thinking ? "thinking" : "text", piece.text}});
}
Read read_message_delta_batch(const Json& json) {
  const std::optional<Id> message = id_at(json, "messageId");
  if (!message) return std::nullopt;
  MessageDeltaBatch batch{*message, string_at(json, "provider"), string_at(json, "model")};
  for (const Json& piece : at(json, "pieces")) {
    const bool thinking = at(piece, "thinking").is_string();
    batch.pieces.push_back({thinking, string_at(piece, thinking ? "thinking" : "text")});
  }
  return batch;
}

void write(Json& json, const Permissions& permissions) { json["rules"] = permissions.rules; }
Read read_permissions(const Json& json) { return Permissions{strings_at(json, "rules")}; }

void write(Json& json, const ThinkingOffBefore& off) { json["entryId"] = to_string(off.entry); }
Read read_thinking_off_before(const Json& json) {
  const std::optional<Id> entry = id_at(json, "entryId");
  return entry ? Read(ThinkingOffBefore{*entry}) : std::nullopt;
}

void write(Json& json, const Import& import) {
  json["from"] = import.from;
  json["session"] = import.session;
  json["file"] = import.file;
  json["at"] = import.at;
  if (import.parent) json["parent"] = to_string(*import.parent);
  if (import.spawned) json["spawned"] = true;
}
Read read_import(const Json& json) {
  return Import{string_at(json, "from"), string_at(json, "session"), string_at(json, "file"),
                string_at(json, "at"),   id_at(json, "parent"),      bool_at(json, "spawned")};
}

void write(Json& json, const ImportContext& context) {
  json["label"] = context.label;
  json["text"] = context.text;
}
Read read_import_context(const Json& json) {
  return ImportContext{string_at(json, "label"), string_at(json, "text")};
}

void write(Json& json, const ModelChange& change) {
  json["provider"] = change.provider;
  json["model"] = change.model;
  if (!change.reason.empty()) json["reason"] = change.reason;
}
Read read_model_change(const Json& json) {
  return ModelChange{string_at(json, "provider"), string_at(json, "model"),
                     string_at(json, "reason")};
}

void write(Json& json, const ThinkingLevelChange& change) { json["level"] = change.level; }
Read read_thinking_level_change(const Json& json) {
  return ThinkingLevelChange{string_at(json, "level")};
}

void write(Json& json, const SystemPromptOverride& system) { json["text"] = system.text; }
Read read_system_prompt_override(const Json& json) {
  return SystemPromptOverride{string_at(json, "text")};
}

void write(Json& json, const Redaction& redaction) {
  json["targetEntryId"] = to_string(redaction.target);
  json["reason"] = redaction.reason;
}
Read read_redaction(const Json& json) {
  const std::optional<Id> target = id_at(json, "targetEntryId");
  return target ? Read(Redaction{*target, string_at(json, "reason")}) : std::nullopt;
}

// A schema is kept as text: parsed and written again, its bytes might be others.
void write(Json& json, const RuntimeInit& init) {
  json["system"] = init.system;
  json["tools"] = init.tools;
  if (!init.specs) return;
  Json specs = Json::array();
  for (const ToolSpec& spec : *init.specs)
    specs.push_back(
        {{"name", spec.name}, {"description", spec.description}, {"schema", spec.schema}});
  json["toolSpecs"] = std::move(specs);
  json["hash"] = init.hash;
  json["provider"] = init.provider;
  if (init.overridden) json["overridden"] = true;
  json["said"] = Json::object();
  for (const auto& [name, hash] : init.said) json["said"][name] = hash;
  for (const auto& [name, what] : init.servers) json["servers"][name] = what;
  if (init.masked.empty()) return;
  Json masked = Json::array();
  for (const Id id : init.masked) masked.push_back(to_string(id));
  json["masked"] = std::move(masked);
}
Read read_runtime_init(const Json& json) {
  RuntimeInit init{.system = string_at(json, "system"), .tools = strings_at(json, "tools")};
  const Json& specs = at(json, "toolSpecs");
  if (!specs.is_array()) return init;
  init.specs.emplace();
  for (const Json& spec : specs)
    init.specs->push_back(
        {string_at(spec, "name"), string_at(spec, "description"), string_at(spec, "schema")});
  init.hash = string_at(json, "hash");
  init.provider = string_at(json, "provider");
  init.overridden = bool_at(json, "overridden");
  for (const auto& [member, into] :
       {std::pair("said", &init.said), std::pair("servers", &init.servers)})
    if (const Json& texts = at(json, member); texts.is_object())
      for (const auto& [name, text] : texts.items())
        if (text.is_string()) (*into)[name] = text.get<std::string>();
  for (const std::string& id : strings_at(json, "masked"))
    if (const std::optional<Id> parsed = parse_id(id)) init.masked.push_back(*parsed);
  return init;
}

void write(Json& json, const BranchSummary& branch) {
  json["sourceSessionId"] = to_string(branch.source_session);
  json["sourceEntryId"] = to_string(branch.source_entry);
  json["summary"] = branch.summary;
}
Read read_branch_summary(const Json& json) {
  return BranchSummary{id_at(json, "sourceSessionId").value_or(Id{}),
                       id_at(json, "sourceEntryId").value_or(Id{}), string_at(json, "summary")};
}

void write(Json& json, const CompactionSummary& compaction) {
  json["summary"] = compaction.summary;
  if (compaction.first_kept) json["firstKeptEntryId"] = to_string(*compaction.first_kept);
  json["tokensBefore"] = compaction.tokens_before;
  json["tokensPerGuess"] = compaction.tokens_per_guess;
  json["filesRead"] = compaction.files_read;
  json["filesChanged"] = compaction.files_changed;
  if (!compaction.last_prompt.empty()) json["lastPrompt"] = compaction.last_prompt;
  if (compaction.result_bytes > 0) json["resultBytes"] = compaction.result_bytes;
  if (!compaction.usage) return;
  json["provider"] = compaction.provider;
  json["model"] = compaction.model;
  json["usage"] = usage_json(*compaction.usage);
}
Read read_compaction_summary(const Json& json) {
  const Json& per_guess = at(json, "tokensPerGuess");
  return CompactionSummary{.summary = string_at(json, "summary"),
                           .first_kept = id_at(json, "firstKeptEntryId"),
                           .tokens_before = int_at(json, "tokensBefore"),
                           .tokens_per_guess = per_guess.is_number() ? per_guess.get<double>() : 0,
                           .files_read = strings_at(json, "filesRead"),
                           .files_changed = strings_at(json, "filesChanged"),
                           .last_prompt = string_at(json, "lastPrompt"),
                           .result_bytes = int_at(json, "resultBytes"),
                           .provider = string_at(json, "provider"),
                           .model = string_at(json, "model"),
                           .usage = usage_in(json)};
}

void write(Json& json, const Checkpoint& checkpoint) {
  if (checkpoint.prompt) json["promptId"] = to_string(*checkpoint.prompt);
  json["phase"] = checkpoint.phase;
  json["root"] = escaped_path(checkpoint.root);
  json["coverage"] = checkpoint.coverage;
  if (!checkpoint.git.empty()) json["git"] = checkpoint.git;
  if (checkpoint.modes) json["modes"] = {checkpoint.modes->file, checkpoint.modes->program};
  if (checkpoint.list.empty())
    json["files"] = parse_json(files_json(checkpoint.files)).value_or(Json::array());
  else
    json["list"] = checkpoint.list;
  if (checkpoint.left_out > 0) json["leftOut"] = checkpoint.left_out;
}
Read read_checkpoint(const Json& json) {
  Checkpoint out{.prompt = id_at(json, "promptId"),
                 .phase = string_at(json, "phase"),
                 .root = unescaped_path(string_at(json, "root")),
                 .coverage = string_at(json, "coverage"),
                 .git = string_at(json, "git")};
  if (const Json& modes = at(json, "modes"); modes.is_array() && modes.size() == 2 &&
                                             modes[0].is_number_unsigned() &&
                                             modes[1].is_number_unsigned())
    out.modes = {modes[0].get<std::uint32_t>(), modes[1].get<std::uint32_t>()};
  out.files = files_from_json(text_at(json, "files")).value_or(std::vector<KeptFile>{});
  out.list = string_at(json, "list");
  out.left_out = int_at(json, "leftOut");
  return out;
}

void write(Json& json, const Restore& restore) {
  json["to"] = to_string(restore.to);
  if (restore.before) json["before"] = to_string(*restore.before);
  if (restore.head) json["head"] = to_string(*restore.head);
  if (restore.redo) json["redo"] = true;
  json["changed"] = restore.changed;
  json["kept"] = restore.kept;
  json["failed"] = restore.failed;
}
Read read_restore(const Json& json) {
  const std::optional<Id> to = id_at(json, "to");
  if (!to) return std::nullopt;
  return Restore{.to = *to,
                 .before = id_at(json, "before"),
                 .head = id_at(json, "head"),
                 .redo = bool_at(json, "redo"),
                 .changed = int_at(json, "changed"),
                 .kept = int_at(json, "kept"),
                 .failed = int_at(json, "failed")};
}

void write(Json& json, const HookRun& run) {
  json["event"] = run.event;
  json["command"] = run.command;
  json["source"] = run.source;
  json["exit"] = run.exit;
  json["ms"] = run.ms;
  const std::pair<const char*, const std::string&> rest[] = {
      {"decision", run.decision}, {"reason", run.reason},     {"callId", run.call},
      {"input", run.input},       {"original", run.original}, {"blob", run.blob}};
  for (const auto& [name, text] : rest)
    if (!text.empty()) json[name] = text;
}
Read read_hook_run(const Json& json) {
  return HookRun{.event = string_at(json, "event"),
                 .command = string_at(json, "command"),
                 .source = string_at(json, "source"),
                 .exit = string_at(json, "exit"),
                 .ms = int_at(json, "ms"),
                 .decision = string_at(json, "decision"),
                 .reason = string_at(json, "reason"),
                 .call = string_at(json, "callId"),
                 .input = string_at(json, "input"),
                 .original = string_at(json, "original"),
                 .blob = string_at(json, "blob")};
}

void write(Json& json, const SubAgent& agent) {
  json["name"] = agent.name;
  json["parentCall"] = agent.call;
}
Read read_sub_agent(const Json& json) {
  return SubAgent{.name = string_at(json, "name"), .call = string_at(json, "parentCall")};
}

// In the order of Payload's alternatives, so that a payload's index finds its row.
struct Form {
  std::string_view type, kind;
  Read (*read)(const Json&);
};
constexpr Form forms[] = {
    {type::custom, "head", read_head},
    {type::custom, "title", read_title},
    {type::custom, "key", read_key},
    {type::custom, "label", read_label},
    {type::custom, "snapshot", read_snapshot},
    {type::custom, "permissions", read_permissions},
    {type::custom, "thinking_off_before", read_thinking_off_before},
    {type::custom, "import", read_import},
    {type::custom, "import_context", read_import_context},
    {type::model_change, "", read_model_change},
    {type::thinking_level_change, "", read_thinking_level_change},
    {type::system_prompt_override, "", read_system_prompt_override},
    {type::redaction, "", read_redaction},
    {type::runtime_init, "", read_runtime_init},
    {type::branch_summary, "", read_branch_summary},
    {type::compaction_summary, "", read_compaction_summary},
    {type::custom, "ttl", read_ttl},
    {type::custom, "pin", read_pin},
    {type::message_delta_batch, "", read_message_delta_batch},
    {type::custom, "checkpoint", read_checkpoint},
    {type::custom, "restore", read_restore},
    {type::custom, "hook", read_hook_run},
    {type::custom, "agent", read_sub_agent},
};
static_assert(std::size(forms) == std::variant_size_v<Payload>);

}  // namespace

// Lengths stand before the texts, so that no two beginnings look alike.
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

Entry make_entry(const Payload& payload) {
  const payload::Form& form = payload::forms[payload.index()];
  Json json = Json::object();
  if (!form.kind.empty()) json["kind"] = form.kind;
  std::visit([&](const auto& each) { payload::write(json, each); }, payload);
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
