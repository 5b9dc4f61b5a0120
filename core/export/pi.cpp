// A session file of pi, version 3.

#include "core/export/exported_session.h"
#include "core/model/message.h"
#include "core/model/payloads.h"
#include "core/text/checksum.h"
#include "core/text/json.h"

namespace skein::exporters {

namespace {

namespace payload = model::payload;

// The id that pi gave; of "<id>/results" that of the line it came from.
std::string given_by_pi(const model::Entry& entry) {
  if (entry.meta.find("\"import\"") == std::string::npos) return {};
  const Json meta = parse_json(entry.meta).value_or(Json());
  const Json& import = at(meta, "import");
  const std::string id = string_at(import, "id");
  return string_at(import, "from") == "pi" ? id.substr(0, id.find('/')) : "";
}

// pi's ids of entries: eight hex digits. An entry that came from pi has the one it had there, so
// that reading it again gives the same.
class PiIds {
 public:
  // Looks through all entries once: no other entry gets an id that pi gave.
  explicit PiIds(const ExportedSession& session) {
    session.each_entry([&](const model::Entry& entry) {
      std::string& id = ids_[entry.id];
      if (std::string given = given_by_pi(entry); !given.empty() && taken_.insert(given).second)
        id = std::move(given);
    });
  }

  std::string of(Id entry) {
    std::string& id = ids_[entry];
    if (id.empty()) id = fresh(to_string(entry));
    return id;
  }
  // Another id for a further line of the same entry.
  std::string another(Id entry, std::size_t number) {
    return fresh(sha256_hex(to_string(entry) + "/" + std::to_string(number)));
  }
  bool knows(Id entry) const { return ids_.contains(entry); }

 private:
  std::string fresh(const std::string& wish) {
    std::string id = wish.substr(0, 8);
    for (std::size_t tries = 0; !taken_.insert(id).second; ++tries)
      id = sha256_hex(wish + std::to_string(tries)).substr(0, 8);
    return id;
  }

  std::unordered_map<Id, std::string> ids_{};
  std::unordered_set<std::string> taken_{};
};

// Of all calls so far, the tool's name by the call's id: pi's results repeat it.
using ToolNames = std::map<std::string, std::string>;

Json text_content(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

Json image_content(const ExportedSession& session, const model::Image& image) {
  LoadedImage loaded = load_image(session, image);
  if (!loaded.there()) return text_content(missing_image);
  return {{"type", "image"}, {"data", loaded.base64}, {"mimeType", loaded.mime_type}};
}

Json call_content(const model::ToolUse& call) {
  Json out{{"type", "toolCall"},
           {"id", call.id},
           {"name", call.name},
           {"arguments", parse_json(call.input).value_or(Json::object())}};
  const Json data = parse_json(call.provider_data).value_or(Json());
  if (std::string signature = string_at(data, "thoughtSignature"); !signature.empty())
    out["thoughtSignature"] = std::move(signature);
  return out;
}

Json thinking_content(const model::Thinking& block) {
  Json out{{"type", "thinking"}, {"thinking", block.thinking}};
  if (!block.signature.empty()) out["thinkingSignature"] = block.signature;
  if (block.redacted) out["redacted"] = true;
  return out;
}

// Which of pi's APIs a provider speaks.
std::string_view api_of(std::string_view provider) {
  return provider == "anthropic"          ? "anthropic-messages"
         : provider == "google"           ? "google-generative-ai"
         : provider == "openai"           ? "openai-responses"
         : provider == "openai-responses" ? "openai-responses"
                                          : "openai-completions";
}

std::string_view stop_reason(model::Stop stop) {
  switch (stop) {
    case model::Stop::length: return "length";
    case model::Stop::tool_use: return "toolUse";
    case model::Stop::aborted:
    case model::Stop::interrupted: return "aborted";
    case model::Stop::error: return "error";
    default: return "stop";
  }
}

Json pi_usage(const model::Usage& usage) {
  Json out = {{"input", usage.input},
              {"output", usage.output},
              {"cacheRead", usage.cache_read},
              {"cacheWrite", usage.cache_write}};
  if (usage.reasoning > 0) out["reasoning"] = usage.reasoning;
  out["totalTokens"] = model::whole_input(usage) + usage.output;
  out["cost"] = {{"input", 0}, {"output", 0}, {"cacheRead", 0}, {"cacheWrite", 0}, {"total", 0}};
  return out;
}

Json answer(const model::Message& message, std::int64_t time_ms, ToolNames& names) {
  Json content = Json::array();
  for (const model::Block& block : message.content) {
    if (const auto* text = std::get_if<model::Text>(&block))
      content.push_back(text_content(text->text));
    if (const auto* thinking = std::get_if<model::Thinking>(&block))
      content.push_back(thinking_content(*thinking));
    if (const auto* call = std::get_if<model::ToolUse>(&block)) {
      content.push_back(call_content(*call));
      names[call->id] = call->name;
    }
  }
  Json out{{"role", "assistant"},
           {"content", std::move(content)},
           {"api", api_of(message.provider)},
           {"provider", message.provider},
           {"model", message.model},
           {"usage", pi_usage(message.usage.value_or(model::Usage{}))},
           {"stopReason", stop_reason(message.stop)}};
  if (!message.error.empty()) out["errorMessage"] = message.error;
  if (message.stop == model::Stop::refusal) out["rawStopReason"] = "refusal";
  out["timestamp"] = time_ms;
  return out;
}

Json result(const ExportedSession& session, const model::ToolResult& block, std::int64_t time_ms,
            const ToolNames& names) {
  Json content = Json::array();
  for (const model::ResultBlock& part : block.content) {
    if (const auto* text = std::get_if<model::Text>(&part))
      content.push_back(text_content(text->text));
    if (const auto* image = std::get_if<model::Image>(&part))
      content.push_back(image_content(session, *image));
  }
  const auto name = names.find(block.tool_use_id);
  return {{"role", "toolResult"},
          {"toolCallId", block.tool_use_id},
          {"toolName", name == names.end() ? "unknown" : name->second},
          {"content", std::move(content)},
          {"isError", block.is_error},
          {"timestamp", time_ms}};
}

// The message entries that one message becomes: each result becomes one.
std::vector<Json> pi_messages(const ExportedSession& session, const model::Message& message,
                              std::int64_t time_ms, ToolNames& names) {
  if (message.role == model::Role::assistant) return {answer(message, time_ms, names)};
  std::vector<Json> out;
  Json content = Json::array();
  for (const model::Block& block : message.content) {
    if (const auto* tool = std::get_if<model::ToolResult>(&block))
      out.push_back(result(session, *tool, time_ms, names));
    if (const auto* text = std::get_if<model::Text>(&block))
      content.push_back(text_content(text->text));
    if (const auto* image = std::get_if<model::Image>(&block))
      content.push_back(image_content(session, *image));
  }
  if (!content.empty() || out.empty())
    out.push_back({{"role", "user"}, {"content", std::move(content)}, {"timestamp", time_ms}});
  return out;
}

// The beginning of requests as a system message; `before` is the one it takes the place of.
Json pi_system_message(const model::payload::RuntimeInit& init,
                       const model::payload::RuntimeInit* before, std::int64_t time_ms) {
  Json added = Json::array(), removed = Json::array();
  for (const model::ToolSpec& spec : init.specs.value_or(std::vector<model::ToolSpec>{}))
    added.push_back({{"name", spec.name},
                     {"description", spec.description},
                     {"parameters", parse_json(spec.schema).value_or(Json::object())}});
  if (before != nullptr)
    for (const std::string& name : before->tools)
      if (std::ranges::find(init.tools, name) == init.tools.end())
        removed.push_back({{"name", name}});
  // As a section: one that comes later takes its place, where a content would be added to it.
  Json out{{"role", "system"}, {"content", ""}, {"sections", {{"prompt", init.system}}}};
  if (!added.empty()) out["toolsAdded"] = std::move(added);
  if (!removed.empty()) out["toolsRemoved"] = std::move(removed);
  out["timestamp"] = time_ms;
  return out;
}

// Its sessions are named by UUIDs: one that is always the same for the same session.
std::string uuid_of(Id session) {
  std::string hex = sha256_hex("pi:" + to_string(session)).substr(0, 32);
  hex[12] = '8';  // a version for ids that are made of something else
  hex[16] = 'a';
  for (const std::size_t at : {8u, 13u, 18u, 23u}) hex.insert(at, 1, '-');
  return hex;
}

// Everything in pi's tree is on a path, also what is marginal here: a change of model is followed
// by what was said after it.
class PiWriter {
 public:
  PiWriter(const ExportedSession& session, const Sink& sink)
      : session_(session), sink_(sink), ids_(session) {}

  void add(const model::Entry& entry) {
    if (const auto message = model::message_of(entry)) return add_message(entry, *message);
    const auto known = model::read_payload(entry.type, entry.payload);
    if (known)
      std::visit([&](const auto& each) { add_payload(entry, each); }, *known);
    else if (entry.type != model::type::session_header)
      write(entry, {{"type", "custom"},
                    {"customType", "skein." + entry.type},
                    {"data", parse_json(entry.payload).value_or(Json::object())}});
  }

  // It opens a file at its last entry.
  void end() {
    if (!session_.leaf || last_path_entry_ == session_.leaf || !ids_.knows(*session_.leaf)) return;
    line({{"type", "custom"}, {"customType", "skein.head"}, {"data", Json::object()}},
         ids_.another(*session_.leaf, 0), end_of(session_.leaf), session_.updated_at);
  }

 private:
  void add_message(const model::Entry& entry, const model::Message& message) {
    const std::int64_t time = ms_from_utc(entry.timestamp).value_or(0);
    if (message.continuation)
      return write(entry, {{"type", "custom_message"},
                           {"customType", "skein.continuation"},
                           {"content", model::plain_text(message)},
                           {"display", false}});
    for (Json& each : pi_messages(session_, message, time, names_))
      write(entry, {{"type", "message"}, {"message", std::move(each)}});
  }

  void add_payload(const model::Entry& entry, const payload::ModelChange& change) {
    write(entry,
          {{"type", "model_change"}, {"provider", change.provider}, {"modelId", change.model}});
  }
  void add_payload(const model::Entry& entry, const payload::ThinkingLevelChange& change) {
    write(entry, {{"type", "thinking_level_change"}, {"thinkingLevel", change.level}});
  }
  void add_payload(const model::Entry& entry, const payload::Title& title) {
    write(entry, {{"type", "session_info"}, {"name", title.text}});
  }
  void add_payload(const model::Entry& entry, const payload::Label& label) {
    if (!ids_.knows(label.entry)) return;
    Json out{{"type", "label"}, {"targetId", ids_.of(label.entry)}};
    if (!label.text.empty()) out["label"] = label.text;
    write(entry, std::move(out));
  }
  void add_payload(const model::Entry& entry, const payload::RuntimeInit& init) {
    const std::int64_t time = ms_from_utc(entry.timestamp).value_or(0);
    write(entry, {{"type", "message"},
                  {"message", pi_system_message(init, init_ ? &*init_ : nullptr, time)}});
    init_ = init;
  }
  void add_payload(const model::Entry& entry, const payload::CompactionSummary& summary) {
    const bool kept = summary.first_kept && ids_.knows(*summary.first_kept);
    Json out{
        {"type", "compaction"},
        {"summary", summary.summary.empty() ? "(older messages were left out)" : summary.summary},
        {"firstKeptEntryId", ids_.of(kept ? *summary.first_kept : entry.id)},
        {"tokensBefore", summary.tokens_before},
        {"details", {{"readFiles", summary.files_read}, {"modifiedFiles", summary.files_changed}}}};
    if (summary.usage) out["usage"] = pi_usage(*summary.usage);
    write(entry, std::move(out));
  }
  void add_payload(const model::Entry& entry, const payload::BranchSummary& branch) {
    write(entry, {{"type", "branch_summary"},
                  {"fromId", ids_.knows(branch.source_entry)
                                 ? ids_.of(branch.source_entry)
                                 : to_string(branch.source_entry).substr(0, 8)},
                  {"summary", branch.summary}});
  }
  // What only skein acts on: the head, its key, its rules, and what it masked.
  template <class Other>
  void add_payload(const model::Entry&, const Other&) {}

  // The entry of pi's that what follows `entry` comes after; what follows nothing comes after
  // what was noted before the first message.
  std::optional<std::string> end_of(const std::optional<Id>& entry) const {
    if (!entry) return before_all_;
    const auto last = last_of_.find(*entry);
    return last == last_of_.end() ? std::nullopt : std::optional(last->second);
  }

  void write(const model::Entry& entry, Json what) {
    const bool marginal = model::is_marginal(entry.type);
    const bool further = std::exchange(last_written_, entry.id) == entry.id;
    const std::string id = further ? ids_.another(entry.id, ++lines_) : ids_.of(entry.id);
    const std::optional<Id> after = further && !marginal ? entry.id : entry.parent;
    line(std::move(what), id, end_of(after), entry.timestamp);
    // Later children of the place where a marginal entry was written come after it.
    if (!marginal)
      last_of_[entry.id] = id;
    else if (entry.parent)
      last_of_[*entry.parent] = id;
    else
      before_all_ = id;
    if (!marginal) last_path_entry_ = entry.id;
  }

  void line(Json what, const std::string& id, const std::optional<std::string>& parent,
            const std::string& timestamp) {
    Json out{{"type", what["type"]},
             {"id", id},
             {"parentId", parent ? Json(*parent) : Json()},
             {"timestamp", timestamp}};
    what.erase("type");
    for (auto& [name, value] : what.items()) out[name] = std::move(value);
    sink_(dump(out) + "\n");
  }

  const ExportedSession& session_;
  const Sink& sink_;
  PiIds ids_;
  ToolNames names_{};
  std::optional<payload::RuntimeInit> init_{};
  std::unordered_map<Id, std::string> last_of_{};
  std::optional<std::string> before_all_{};
  std::optional<Id> last_written_{}, last_path_entry_{};
  std::size_t lines_ = 0;
};

}  // namespace

void write_pi(const ExportedSession& session, const Sink& sink) {
  sink(dump({{"type", "session"},
             {"version", 3},
             {"id", session.imported_from == "pi" ? session.imported_as : uuid_of(session.id)},
             {"timestamp", session.created_at},
             {"cwd", session.cwd}}) +
       "\n");
  PiWriter writer(session, sink);
  session.each_entry([&](const model::Entry& entry) { writer.add(entry); });
  writer.end();
}

}  // namespace skein::exporters
