#include "app/driven/acp/acp_updates.h"

#include "app/setup/home.h"
#include "core/model/scrub.h"
#include "core/plan/todo_list.h"
#include "core/text/encoding.h"
#include "core/text/text.h"

namespace skein::app::driven::acp {

namespace {

constexpr std::size_t most_text = 1u << 20;     // bytes of one text
constexpr std::size_t most_output = 64u << 10;  // bytes of the output of a command that runs
constexpr std::chrono::milliseconds output_pause{100};
constexpr std::size_t most_models = 60;

struct KindRow {
  std::string_view tool, kind;
};
constexpr KindRow kinds[] = {{"read", "read"},          {"list", "search"},   {"grep", "search"},
                             {"write", "edit"},         {"edit", "edit"},     {"bash", "execute"},
                             {"web_fetch", "fetch"},    {"todo", "think"},    {"recall", "search"},
                             {"present_plan", "think"}, {"remember", "think"}};

std::string_view kind_of(std::string_view tool) {
  const auto* const row = std::ranges::find(kinds, tool, &KindRow::tool);
  return row == std::end(kinds) ? "other" : row->kind;
}

// The file that the call writes; empty: it writes none.
std::string written_path(const model::ToolUse& call) {
  if (kind_of(call.name) != "edit") return {};
  return string_at(parse_json(call.input).value_or(Json()), "path");
}

// The file that the input names once the call is done, if the tool replaces text in it.
std::optional<std::string> text_after(const model::ToolUse& call,
                                      const std::optional<std::string>& before) {
  const Json input = parse_json(call.input).value_or(Json());
  if (call.name == "write") return string_at(input, "content");
  const std::string old_text = string_at(input, "old_text"),
                    new_text = string_at(input, "new_text");
  if (!before || old_text.empty()) return std::nullopt;
  std::string out = *before;
  for (std::size_t at = out.find(old_text); at != out.npos;
       at = out.find(old_text, at + new_text.size())) {
    out.replace(at, old_text.size(), new_text);
    if (!bool_at(input, "replace_all")) break;
  }
  return out;
}

}  // namespace

Json text_json(std::string_view text) {
  std::string out(utf8_prefix(text, most_text));
  if (out.size() < text.size()) out += "\n[cut: " + with_separators(text.size()) + " bytes in all]";
  return {{"type", "text"}, {"text", out}};
}

Json content_json(Json block) { return {{"type", "content"}, {"content", std::move(block)}}; }

void AcpUpdates::enter(HeadlessSession& session, const Invocation& invocation) {
  session_ = &session;
  root_.emplace(session.application().workspace(), own_places(invocation));
  mode_ = mode_now();
  model_ = model_now();
  title_ = session.conversation().state().title;
}

void AcpUpdates::send(const char* kind, Json members) {
  Json update = {{"sessionUpdate", kind}};
  update.update(members);
  notify(connection_.out, "session/update",
         {{"sessionId", session_id()}, {"update", std::move(update)}});
}

void AcpUpdates::chunk(const char* kind, const Json& content) {
  if (message_.empty()) message_ = to_string(random_id());
  send(kind, {{"content", content}, {"messageId", message_}});
}

void AcpUpdates::notice(model::Notice::Level level, const std::string& text) {
  using Level = model::Notice::Level;
  if (!connection_.client.has_notices) return tell_user(text);
  send("notice", {{"severity", level == Level::info      ? "info"
                               : level == Level::warning ? "warning"
                                                         : "error"},
                  {"title", text}});
}

AcpUpdates::File AcpUpdates::file_at(const std::string& path) const {
  const auto further = session_->application().folders().roots()->find(path).root;
  const workspace::Root& root = further ? *further : *root_;
  const workspace::FilePlace place = root.locate(path);
  if (!place) return {.missing = place.missing};
  const workspace::OpenedFile file = root.open_file(place);
  if (!file) return {.missing = file.missing};
  std::optional<std::string> text = read_all(file.fd.get(), most_text);
  if (text && !is_valid_utf8(*text)) text.reset();
  return {.text = std::move(text)};
}

Json AcpUpdates::describe(const model::ToolUse& call) const {
  const Json input = parse_json(call.input).value_or(Json::object());
  Json out = {{"toolCallId", call.id},
              {"title", call.name},
              {"name", call.name},
              {"kind", kind_of(call.name)},
              {"rawInput", call.input.size() > most_text ? Json() : input}};
  const model::Tool* const tool = model::find_tool(session_->application().tools(), call.name);
  if (tool == nullptr) return out;
  out["title"] = tool->title(call.input);
  const std::string path = tool->argument.is_path() ? string_at(input, tool->argument.name) : "";
  if (!path.empty()) out["locations"] = {{{"path", absolute(path)}}};
  return out;
}

std::string AcpUpdates::absolute(const std::string& path) const {
  return path.starts_with('/') ? path : session_->application().workspace() + "/" + path;
}

std::optional<Json> AcpUpdates::diff_json(const Call& call,
                                          const std::optional<std::string>& after) const {
  const bool known = call.before.missing || call.before.text;
  if (call.path.empty() || !known || !after || after->size() > most_text) return std::nullopt;
  return Json{{"type", "diff"},
              {"path", absolute(call.path)},
              {"oldText", call.before.text ? Json(*call.before.text) : Json()},
              {"newText", *after}};
}

Json AcpUpdates::call_json(const model::ToolUse& use) {
  Json out = describe(use);
  const std::string path = written_path(use);
  if (path.empty()) return out;
  const Call call{.use = use, .path = path, .before = file_at(path)};
  if (const auto diff = diff_json(call, text_after(use, call.before.text)))
    out["content"] = Json::array({*diff});
  return out;
}

void AcpUpdates::forget_streamed() {
  message_.clear();
  streamed_ = false;
  calls_.clear();
}

void AcpUpdates::update(const Update& update) {
  if (const auto* block = std::get_if<BlockStarted>(&update)) {
    if (block->kind != BlockKind::tool_input || block->call.empty()) return;
    calls_[block->call].announced = true;
    send("tool_call", {{"toolCallId", block->call},
                       {"title", block->tool},
                       {"name", block->tool},
                       {"kind", kind_of(block->tool)},
                       {"status", "pending"}});
  } else if (const auto* piece = std::get_if<BlockPiece>(&update)) {
    if (piece->kind == BlockKind::tool_input) return;
    streamed_ = true;
    chunk(piece->kind == BlockKind::text ? "agent_message_chunk" : "agent_thought_chunk",
          {{"type", "text"}, {"text", piece->text}});
  } else if (const auto* entry = std::get_if<Saved>(&update)) {
    if (entry->message) saved(entry->entry, *entry->message);
    compaction(entry->entry);
    send_changes();
  } else if (const auto* call = std::get_if<model::ToolStarted>(&update)) {
    started(*call);
  } else if (const auto* output_of = std::get_if<model::ToolOutput>(&update)) {
    output(*output_of);
  } else if (const auto* said = std::get_if<model::Notice>(&update)) {
    notice(said->level, said->text);
  } else if (const auto* retry = std::get_if<model::Retrying>(&update)) {
    message_.clear();  // the answer begins again
    streamed_ = false;
    notice(
        model::Notice::Level::warning,
        "asking again in " + std::to_string(retry->wait.count() / 1000) + " s: " + retry->reason);
  }
}

void AcpUpdates::saved(const model::Entry& entry, const model::Message& message) {
  if (replays_) message_ = to_string(entry.id);
  if (message.role == model::Role::assistant) answer(message);
  if (message.role == model::Role::tool) results(message);
  if (message.role == model::Role::user && replays_ && !model::is_note(entry)) prompt(message);
  message_.clear();
  streamed_ = false;
}

void AcpUpdates::prompt(const model::Message& message) {
  for (const model::Block& block : message.content) {
    if (const auto* text = std::get_if<model::Text>(&block))
      chunk("user_message_chunk", text_json(text->text));
    if (const auto* image = std::get_if<model::Image>(&block))
      chunk("user_message_chunk", block_json(*image));
  }
}

void AcpUpdates::answer(const model::Message& message) {
  for (const model::Block& block : message.content) {
    if (const auto* text = std::get_if<model::Text>(&block); text && !streamed_)
      if (!text->text.empty()) chunk("agent_message_chunk", text_json(text->text));
    if (const auto* thought = std::get_if<model::Thinking>(&block); thought && !streamed_)
      if (!thought->redacted && !thought->thinking.empty())
        chunk("agent_thought_chunk", text_json(thought->thinking));
    const auto* use = std::get_if<model::ToolUse>(&block);
    if (use == nullptr) continue;
    Call& call = calls_[last_call_ = use->id];
    call.use = *use;
    Json described = describe(*use);
    described["status"] = "pending";
    send(std::exchange(call.announced, true) ? "tool_call_update" : "tool_call", described);
  }
  if (message.usage && !replays_) usage(*message.usage);
}

void AcpUpdates::usage(const model::Usage& usage) {
  Application& application = session_->application();
  const agent::ModelLimits limits = application.limits_of(session_->settings().model);
  Json out = {{"used", usage.input + usage.cache_read + usage.cache_write + usage.output},
              {"size", limits.window.tokens}};
  if (const auto cost = application.models().cost(session_->conversation().state()))
    out["cost"] = {{"amount", *cost}, {"currency", "USD"}};
  send("usage_update", std::move(out));
}

void AcpUpdates::started(const model::ToolStarted& event) {
  Call& call = calls_[last_call_ = event.call.id];
  call.use = event.call;
  call.path = written_path(event.call);
  if (!call.path.empty()) call.before = file_at(call.path);
  send("tool_call_update",
       {{"toolCallId", event.call.id}, {"status", "in_progress"}, {"title", event.title}});
}

void AcpUpdates::output(const model::ToolOutput& event) {
  Call& call = calls_[event.call_id];
  call.output += event.text;
  if (call.output.size() > 2 * most_output) call.output.erase(0, call.output.size() - most_output);
  const auto now = std::chrono::steady_clock::now();
  if (now - call.shown < output_pause) return;
  call.shown = now;
  const std::size_t from = call.output.size() - std::min(call.output.size(), most_output);
  send("tool_call_update",
       {{"toolCallId", event.call_id},
        {"content", {content_json(text_json(valid_utf8(call.output.substr(from))))}}});
}

Json AcpUpdates::block_json(const model::ResultBlock& block) const {
  if (const auto* text = std::get_if<model::Text>(&block)) return text_json(text->text);
  const auto& image = std::get<model::Image>(block);
  const auto bytes = session_->application().store().blobs().load_blob(image.blob);
  if (!bytes || bytes->size() > 4 * most_text) return text_json("[" + image.mime_type + "]");
  return {{"type", "image"}, {"data", base64(*bytes)}, {"mimeType", image.mime_type}};
}

void AcpUpdates::results(const model::Message& message) {
  for (const model::Block& block : message.content) {
    const auto* result = std::get_if<model::ToolResult>(&block);
    if (result == nullptr) continue;
    const Call& call = calls_[result->tool_use_id];
    Json content = Json::array();
    if (!call.path.empty() && !result->is_error)
      if (auto diff = diff_json(call, file_at(call.path).text)) content.push_back(*std::move(diff));
    if (content.empty())
      for (const model::ResultBlock& each : result->content)
        content.push_back(content_json(block_json(each)));
    send("tool_call_update", {{"toolCallId", result->tool_use_id},
                              {"status", result->is_error ? "failed" : "completed"},
                              {"content", std::move(content)}});
    if (call.use.name == plan::todo_tool && !result->is_error) {
      Json entries = Json::array();
      for (const plan::TodoItem& item : plan::read_todo(call.use.input).items)
        entries.push_back({{"content", item.text},
                           {"priority", "medium"},
                           {"status", item.state == plan::TodoItem::State::done    ? "completed"
                                      : item.state == plan::TodoItem::State::doing ? "in_progress"
                                                                                   : "pending"}});
      send("plan", {{"entries", std::move(entries)}});
    }
    calls_.erase(result->tool_use_id);
  }
}

void AcpUpdates::compaction(const model::Entry& entry) {
  const auto summary = model::read_as<model::payload::CompactionSummary>(entry);
  if (!summary || !connection_.client.has_compactions) return;
  send("compaction_update", {{"compactionId", to_string(entry.id)},
                             {"status", "completed"},
                             {"summary", {text_json(summary->summary)}}});
}

void AcpUpdates::replay() {
  forget_streamed();
  agent::Conversation& conversation = session_->conversation();
  if (!conversation.head()) return;
  replays_ = true;
  const std::vector<std::string> notices =
      store::value_or_throw(session_->application().store().visit_path(
          session_->id(), *conversation.head(), [&](const store::StoredEntry& placed) {
            const model::Entry entry = model::masked(placed.entry, conversation.state().redacted);
            if (const auto message = model::message_of(entry)) saved(entry, *message);
            compaction(entry);
            return true;
          }));
  for (const auto& [id, call] : calls_)  // which a crash left without a result
    send("tool_call_update", {{"toolCallId", id}, {"status", "failed"}});
  replays_ = false;
  forget_streamed();
  for (const std::string& each : notices) notice(model::Notice::Level::warning, each);
}

Json AcpUpdates::commands() const {
  Json out = Json::array();
  const session::Services services = session_->application().services();
  const auto add = [&](const std::string& name, const std::string& about, const std::string& hint) {
    out.push_back({{"name", name}, {"description", about}});
    if (!hint.empty()) out.back()["input"] = {{"hint", hint}};
  };
  for (const project::OwnCommand& each : services.program->own_commands()) {
    const project::CommandWords words = project::words_of(each);
    add(each.name, words.description, words.hint);
  }
  for (const mcp::PromptCommand& each : services.server_prompts())
    add(each.name, each.description, each.hint);
  return out;
}

void AcpUpdates::send_commands() {
  Json now = commands();
  if (now == commands_) return;
  commands_ = now;
  send("available_commands_update", {{"availableCommands", std::move(now)}});
}

Json AcpUpdates::modes() {
  using Mode = permission::Mode;
  Json all = Json::array();
  for (const Mode mode : {Mode::normal, Mode::accept_edits, Mode::plan, Mode::bypass})
    if (mode != Mode::bypass || session_->application().config().rules.mode == Mode::bypass)
      all.push_back({{"id", permission::name(mode)},
                     {"name", permission::name(mode)},
                     {"description", permission::describe(mode)}});
  return {{"currentModeId", mode_now()}, {"availableModes", std::move(all)}};
}

Json AcpUpdates::options() {
  Application& application = session_->application();
  const model::ModelRef& now = session_->settings().model;
  const std::string current = model::to_string(now);
  std::map<std::string, Json> groups;
  std::size_t count = 0;
  const auto add = [&](const std::string& name, const std::string& about) {
    Json option = {{"value", name}, {"name", name.substr(name.find('/') + 1)}};
    if (!about.empty()) option["description"] = about;
    groups[name.substr(0, name.find('/'))].push_back(std::move(option));
    ++count;
  };
  add(current, "");
  for (const pick::ModelLine& each : application.services().models->lines())
    if (each.usable && each.name != current && count < most_models) add(each.name, each.details);
  Json models = Json::array();
  for (auto& [provider, options] : groups)
    models.push_back({{"group", provider}, {"name", provider}, {"options", std::move(options)}});
  Json modes_of = Json::array(), levels = Json::array();
  const Json known_modes = modes();
  for (const Json& mode : list_at(known_modes, "availableModes"))
    modes_of.push_back({{"value", mode["id"]}, {"name", mode["name"]}});
  const model::ThinkingLevels taken = application.catalog().find_model(now).thinks;
  for (std::size_t i = 0; i < model::thinking_levels; ++i) {
    const auto level = static_cast<model::ThinkingLevel>(i);
    if (level == model::ThinkingLevel::off || level == now.thinking || taken.has(level))
      levels.push_back({{"value", model::name(level)}, {"name", model::name(level)}});
  }
  const auto select = [](const char* id, const char* name, const char* category,
                         std::string_view value, Json options) -> Json {
    return {{"id", id},         {"name", name},          {"category", category},
            {"type", "select"}, {"currentValue", value}, {"options", std::move(options)}};
  };
  return Json::array({select("mode", "Permissions", "mode", mode_now(), std::move(modes_of)),
                      select("model", "Model", "model", current, std::move(models)),
                      select("thinking", "Thinking", "thought_level", model::name(now.thinking),
                             std::move(levels))});
}

std::string AcpUpdates::mode_now() const {
  return std::string(permission::name(session_->settings().rules.mode));
}

std::string AcpUpdates::model_now() const {
  const model::ModelRef& now = session_->settings().model;
  return model::to_string(now) + " " + std::string(model::name(now.thinking));
}

void AcpUpdates::send_changes() {
  const std::string mode = mode_now(), model = model_now();
  const bool other_mode = std::exchange(mode_, mode) != mode;
  if (other_mode) send("current_mode_update", {{"currentModeId", mode}});
  if (std::exchange(model_, model) != model || other_mode)
    send("config_option_update", {{"configOptions", options()}});
  const model::SessionState& state = session_->conversation().state();
  if (std::exchange(title_, state.title) != state.title)
    send("session_info_update", {{"title", state.title}, {"updatedAt", state.updated_at}});
}

}  // namespace skein::app::driven::acp
