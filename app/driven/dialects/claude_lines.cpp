#include "app/driven/dialects/claude_lines.h"

#include "app/driven/dialects/client_sessions.h"
#include "core/text/text.h"

namespace skein::app::driven::dialects {

using agent::TurnEnd;

namespace {

// All members of the SDK's type, as its readers may expect each.
Json usage_json(const model::Usage& usage) {
  return {{"input_tokens", usage.input},
          {"output_tokens", usage.output},
          {"output_tokens_details", {{"thinking_tokens", usage.reasoning}}},
          {"cache_creation_input_tokens", usage.cache_write},
          {"cache_read_input_tokens", usage.cache_read},
          {"cache_creation",
           {{"ephemeral_1h_input_tokens", 0}, {"ephemeral_5m_input_tokens", usage.cache_write}}},
          {"server_tool_use", {{"web_search_requests", 0}, {"web_fetch_requests", 0}}},
          {"fallback_credit", nullptr},
          {"inference_geo", ""},
          {"iterations", Json::array()},
          {"service_tier", "standard"},
          {"speed", "standard"}};
}

Json message_json(const std::string& id, const std::string& model, const Json& content,
                  const model::Usage& usage) {
  return {{"id", id},
          {"type", "message"},
          {"role", "assistant"},
          {"model", model},
          {"content", content},
          {"container", nullptr},
          {"context_management", nullptr},
          {"diagnostics", nullptr},
          {"stop_reason", nullptr},
          {"stop_sequence", nullptr},
          {"stop_details", nullptr},
          {"usage", usage_json(usage)}};
}

// In the result of a call that needed permission, when the client does not answer questions.
constexpr std::string_view not_asked = "there is no terminal to ask";

Json stop_reason_of(model::Stop stop) {
  switch (stop) {
    case model::Stop::stop: return "end_turn";
    case model::Stop::length: return "max_tokens";
    case model::Stop::tool_use: return "tool_use";
    case model::Stop::refusal: return "refusal";
    default: return nullptr;
  }
}

// The kind of a failure, by the words of the provider.
const char* error_kind(const std::string& why) {
  struct Row {
    std::string_view words;
    const char* kind;
  };
  static constexpr Row rows[] = {{"api key", "authentication_failed"},
                                 {"no key", "authentication_failed"},
                                 {"401", "authentication_failed"},
                                 {"403", "authentication_failed"},
                                 {"overloaded", "overloaded"},
                                 {"529", "overloaded"},
                                 {"429", "rate_limit"},
                                 {"rate limit", "rate_limit"},
                                 {"404", "model_not_found"},
                                 {"no model", "model_not_found"},
                                 {"400", "invalid_request"},
                                 {"500", "server_error"},
                                 {"503", "server_error"},
                                 {"402", "billing_error"}};
  const std::string text = lower(why);
  for (const Row& row : rows)
    if (text.find(row.words) != std::string::npos) return row.kind;
  return "unknown";
}

Json content_of(const model::ToolResult& result) {
  Json out = Json::array();
  for (const model::ResultBlock& block : result.content) {
    if (const auto* text = std::get_if<model::Text>(&block))
      out.push_back({{"type", "text"}, {"text", text->text}});
    if (const auto* image = std::get_if<model::Image>(&block))
      out.push_back({{"type", "text"}, {"text", "[" + image->mime_type + "]"}});
  }
  return out;
}

}  // namespace

Json servers_json(const session::Services& services) {
  Json out = Json::array();
  for (const mcp::Hub::Row& row : services.server_rows()) {
    out.push_back({{"name", row.name},
                   {"status", row.waiting               ? "pending"
                              : row.state == "disabled" ? "disabled"
                              : row.good                ? "connected"
                                                        : "failed"}});
    if (!row.good && !row.waiting) out.back()["error"] = row.state;
  }
  return out;
}

ClaudeLines::ClaudeLines(OutputLines& out, const Invocation& invocation)
    : out_(out),
      invocation_(invocation),
      states_(!env("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS").empty() ||
              !env("CLAUDE_CODE_SDK_READS_SESSION_STATE").empty()),
      uuid_(invocation.client_flags.session.empty() ? random_uuid()
                                                    : invocation.client_flags.session) {}

void ClaudeLines::enter(HeadlessSession& session, std::string uuid) {
  session_ = &session;
  uuid_ = std::move(uuid);
}

void ClaudeLines::send(Json line) {
  if (!line.contains("uuid")) line["uuid"] = random_uuid();
  line["session_id"] = uuid_;
  out_.send(printable_json(dump(line)));
}

void ClaudeLines::send_system(const char* subtype, Json members) {
  Json line = {{"type", "system"}, {"subtype", subtype}};
  line.update(members);
  send(std::move(line));
}

void ClaudeLines::state(const char* state) {
  if (states_) send_system("session_state_changed", {{"state", state}});
}

void ClaudeLines::informational(const std::string& text, const char* level) {
  send_system("informational", {{"content", text}, {"level", level}});
}

void ClaudeLines::init(const ClientPrompt& prompt) {
  prompt_id_ = prompt.id;
  calls_.clear();
  denials_ = Json::array();
  Application& application = session_->application();
  const session::Services services = application.services();
  std::vector<std::string> tools, commands, skills;
  for (const model::Tool& tool : application.tools())
    if (!tool.deferred) tools.push_back(hooks::claude_name(tool.name));
  for (const project::OwnCommand& each : services.program->own_commands())
    commands.push_back(each.name);
  for (const project::LoadedSkill& each : services.program->skills().all)
    skills.push_back(each.skill.name);
  send_system("init", {{"apiKeySource", "user"},
                       {"claude_code_version", claude_version},
                       {"skein_version", SKEIN_VERSION},
                       {"cwd", application.workspace()},
                       {"tools", tools},
                       {"mcp_servers", servers_json(services)},
                       {"model", model::to_string(session_->settings().model)},
                       {"permissionMode", permission::name(session_->settings().rules.mode)},
                       {"slash_commands", commands},
                       {"output_style", "default"},
                       {"skills", skills},
                       {"plugins", Json::array()},
                       {"capabilities", {"interrupt_receipt_v1", "interrupt_cancel_queued_v1"}}});
  state("running");
}

Json ClaudeLines::call_json(const model::ToolUse& call) const {
  const std::string& workspace = session_->application().workspace();
  return {{"name", hooks::claude_name(call.name)},
          {"input", parse_json(hooks::input_for_claude(call.name, call.input, workspace))
                        .value_or(Json::object())}};
}

void ClaudeLines::stream(Json event) {
  if (!invocation_.client_flags.partial) return;
  Json line = {
      {"type", "stream_event"}, {"event", std::move(event)}, {"parent_tool_use_id", nullptr}};
  if (!prompt_id_.empty()) line["user_message_uuid"] = prompt_id_;
  send(std::move(line));
}

void ClaudeLines::begin_message() {
  if (std::exchange(message_open_, true)) return;
  message_id_ = "msg_" + to_string(random_id());
  stream({{"type", "message_start"},
          {"message", message_json(message_id_, model::to_string(session_->settings().model),
                                   Json::array(), {})}});
}

void ClaudeLines::end_message(const model::Message* message) {
  if (!std::exchange(message_open_, false)) return;
  const model::Usage usage =
      message != nullptr ? message->usage.value_or(model::Usage{}) : model::Usage{};
  stream({{"type", "message_delta"},
          {"delta",
           {{"stop_reason", message != nullptr ? stop_reason_of(message->stop) : Json()},
            {"stop_sequence", nullptr},
            {"stop_details", nullptr},
            {"container", nullptr}}},
          {"context_management", nullptr},
          {"usage", usage_json(usage)}});
  stream({{"type", "message_stop"}});
}

void ClaudeLines::update(const Update& update) {
  if (const auto* block = std::get_if<BlockStarted>(&update)) {
    begin_message();
    Json content = block->kind == BlockKind::text
                       ? Json{{"type", "text"}, {"text", ""}, {"citations", nullptr}}
                   : block->kind == BlockKind::thinking
                       ? Json{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}
                       : Json{{"type", "tool_use"},
                              {"id", block->call},
                              {"name", hooks::claude_name(block->tool)},
                              {"input", Json::object()}};
    stream({{"type", "content_block_start"}, {"index", block->number}, {"content_block", content}});
  } else if (const auto* piece = std::get_if<BlockPiece>(&update)) {
    const Json delta = piece->kind == BlockKind::text
                           ? Json{{"type", "text_delta"}, {"text", piece->text}}
                       : piece->kind == BlockKind::thinking
                           ? Json{{"type", "thinking_delta"}, {"thinking", piece->text}}
                           : Json{{"type", "input_json_delta"}, {"partial_json", piece->text}};
    stream({{"type", "content_block_delta"}, {"index", piece->number}, {"delta", delta}});
  } else if (const auto* end = std::get_if<BlockEnded>(&update)) {
    stream({{"type", "content_block_stop"}, {"index", end->number}});
  } else if (const auto* entry = std::get_if<Saved>(&update)) {
    saved(*entry);
  } else if (const auto* call = std::get_if<model::ToolStarted>(&update)) {
    calls_[last_call_ = call->call.id] = call->call;
  } else if (const auto* notice = std::get_if<model::Notice>(&update)) {
    informational(notice->text, notice->level == model::Notice::Level::info ? "info" : "warning");
  } else if (const auto* retry = std::get_if<model::Retrying>(&update)) {
    end_message(nullptr);
    send_system("api_retry", {{"attempt", retry->attempt},
                              {"max_retries", std::max(retry->attempt, 10)},
                              {"retry_delay_ms", retry->wait.count()},
                              {"error_status", nullptr},
                              {"error", error_kind(retry->reason)}});
  }
}

void ClaudeLines::saved(const Saved& saved) {
  if (const auto summary = model::read_as<model::payload::CompactionSummary>(saved.entry))
    return send_system(
        "compact_boundary",
        {{"compact_metadata", {{"trigger", "auto"}, {"pre_tokens", summary->tokens_before}}}});
  if (!saved.message) return;
  if (saved.message->role == model::Role::assistant) return answer(saved.entry, *saved.message);
  if (saved.message->role == model::Role::tool) return results(saved.entry, *saved.message);
  const std::string id = client_id(saved.entry);
  if (id.empty() || !invocation_.client_flags.replay) return;
  Json line = {{"type", "user"},
               {"message", {{"role", "user"}, {"content", model::plain_text(*saved.message)}}},
               {"parent_tool_use_id", nullptr},
               {"isReplay", true},
               {"uuid", id}};
  send(std::move(line));
}

void ClaudeLines::answer(const model::Entry& entry, const model::Message& message) {
  begin_message();
  end_message(&message);
  const model::Usage usage = message.usage.value_or(model::Usage{});
  used_[message.provider + "/" + message.model] += usage;
  Json blocks = Json::array();
  for (const model::Block& block : message.content) {
    if (const auto* text = std::get_if<model::Text>(&block); text && !text->text.empty())
      blocks.push_back({{"type", "text"}, {"text", text->text}, {"citations", nullptr}});
    if (const auto* thinking = std::get_if<model::Thinking>(&block);
        thinking && !thinking->redacted)
      blocks.push_back({{"type", "thinking"}, {"thinking", thinking->thinking}, {"signature", ""}});
    if (const auto* call = std::get_if<model::ToolUse>(&block)) {
      Json use = {{"type", "tool_use"}, {"id", call->id}};
      use.update(call_json(*call));
      blocks.push_back(std::move(use));
      calls_[call->id] = *call;
    }
  }
  const bool failed = message.stop == model::Stop::error;
  if (failed) blocks.push_back({{"type", "text"}, {"text", message.error}, {"citations", nullptr}});
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Json line = {{"type", "assistant"},
                 {"message", message_json(message_id_, message.provider + "/" + message.model,
                                          Json::array({blocks[i]}), usage)},
                 {"parent_tool_use_id", nullptr}};
    // One id for the entry; those of its further blocks are as stable.
    line["uuid"] = uuid_of_entry(Id{entry.id.value + i});
    if (!prompt_id_.empty()) line["user_message_uuid"] = prompt_id_;
    if (failed) line["error"] = error_kind(message.error);
    if (message.stop == model::Stop::aborted) line["aborted"] = true;
    send(std::move(line));
  }
}

void ClaudeLines::results(const model::Entry& entry, const model::Message& message) {
  for (const model::Block& block : message.content) {
    const auto* result = std::get_if<model::ToolResult>(&block);
    if (result == nullptr) continue;
    Json content = {{"type", "tool_result"},
                    {"tool_use_id", result->tool_use_id},
                    {"content", content_of(*result)}};
    if (result->is_error) content["is_error"] = true;
    Json line = {{"type", "user"},
                 {"message", {{"role", "user"}, {"content", Json::array({content})}}},
                 {"parent_tool_use_id", nullptr}};
    line["uuid"] = uuid_of_entry(entry.id);
    const auto call = calls_.find(result->tool_use_id);
    if (call != calls_.end() && result->is_error &&
        model::plain_text(*result).find(not_asked) != std::string::npos)
      denials_.push_back(denial_of(call->second));
    if (call != calls_.end() && !result->is_error)
      line["tool_use_result"] =
          parse_json(hooks::response_for_claude(call->second.name, call->second.input,
                                                model::plain_text(*result),
                                                session_->application().workspace()))
              .value_or(Json());
    send(std::move(line));
  }
}

Json ClaudeLines::denial_of(const model::ToolUse& call) const {
  const Json there = call_json(call);
  return {{"tool_name", there["name"]}, {"tool_use_id", call.id}, {"tool_input", there["input"]}};
}

void ClaudeLines::denied(const model::ToolUse& call, const std::string& why) {
  denials_.push_back(denial_of(call));
  send_system("permission_denied", {{"tool_name", hooks::claude_name(call.name)},
                                    {"tool_use_id", call.id},
                                    {"message", why.empty() ? "denied" : why}});
}

Json ClaudeLines::usage_of_models() const {
  Json out = Json::object();
  for (const auto& [name, usage] : used_) {
    const catalog::Catalog& catalog = session_->application().catalog();
    const std::size_t slash = name.find('/');
    const catalog::ModelRow row =
        catalog.find_model({name.substr(0, slash), name.substr(slash + 1)});
    const auto cost = catalog.cost(name, usage);
    out[name] = {{"inputTokens", usage.input},
                 {"outputTokens", usage.output},
                 {"cacheReadInputTokens", usage.cache_read},
                 {"cacheCreationInputTokens", usage.cache_write},
                 {"webSearchRequests", 0},
                 {"costUSD", cost ? cost->dollars : 0},
                 {"contextWindow", row.window},
                 {"maxOutputTokens", row.max_output}};
    out[name]["costBasis"] = cost ? "list" : "unknown";
  }
  return out;
}

Json ClaudeLines::result_base(const char* subtype, bool is_error) {
  Json line = {{"type", "result"},
               {"subtype", subtype},
               {"is_error", is_error},
               {"duration_ms", 0},
               {"duration_api_ms", 0},
               {"num_turns", 0},
               {"stop_reason", nullptr},
               {"total_cost_usd", 0},
               {"usage", usage_json({})},
               {"modelUsage", usage_of_models()},
               {"permission_denials", denials_},
               {"result_index", results_++}};
  if (!prompt_id_.empty()) line["user_message_uuid"] = prompt_id_;
  return line;
}

void ClaudeLines::failed(const std::string& why) {
  Json line = result_base("error_during_execution", true);
  line["errors"] = {why};
  line["terminal_reason"] = "turn_setup_failed";
  send(std::move(line));
}

void ClaudeLines::result(const TurnEnd& end, const Spent& spent, std::size_t queued, bool in_call) {
  end_message(nullptr);
  const bool aborted = end.stop == model::Stop::aborted;
  const bool failed = !end.error.empty() || aborted;
  const bool no_answer = end.error == no_structured_answer;
  const bool many_calls = end.at_its_limit && end.error.find("model calls") != std::string::npos;
  const char* const subtype = !failed            ? "success"
                              : no_answer        ? "error_max_structured_output_retries"
                              : many_calls       ? "error_max_turns"
                              : end.at_its_limit ? "error_max_budget_usd"
                                                 : "error_during_execution";
  Json line = result_base(subtype, failed);
  line["duration_ms"] = now_ms() - spent.began;
  line["duration_api_ms"] = spent.turn.duration_ms;
  line["num_turns"] = end.calls;
  line["total_cost_usd"] = spent.all_turns_usd;
  line["stop_reason"] = stop_reason_of(end.stop);
  line["usage"] = usage_json(end.usage);
  line["queued_turn_count"] = queued;
  line["terminal_reason"] = aborted            ? (in_call ? "aborted_tools" : "aborted_streaming")
                            : no_answer        ? "structured_output_retry_exhausted"
                            : many_calls       ? "max_turns"
                            : end.at_its_limit ? "budget_exhausted"
                            : failed           ? "api_error"
                                               : "completed";
  if (failed)
    line["errors"] = {end.error.empty() ? "the turn was interrupted" : end.error};
  else
    line["result"] = end.text;
  StructuredAnswer* const structured = session_->application().structured();
  if (!failed && structured != nullptr && structured->answer())
    line["structured_output"] = parse_json(*structured->answer()).value_or(Json());
  send(std::move(line));
  prompt_id_.clear();
}

}  // namespace skein::app::driven::dialects
