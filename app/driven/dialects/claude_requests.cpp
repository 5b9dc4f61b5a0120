#include "app/driven/dialects/claude_requests.h"

#include "app/driven/dialects/claude_lines.h"
#include "app/driven/dialects/client_sessions.h"
#include "core/checkpoints/rewind.h"
#include "core/text/text.h"

namespace skein::app::driven::dialects {

namespace {

using Answer = Json (*)(const RequestScope& scope, const Json& request);

HeadlessSession& session_of(const RequestScope& scope) {
  HeadlessSession* const session = scope.driver.session();
  if (session == nullptr) throw Error("the session is not open yet");
  return *session;
}

session::Services services_of(const RequestScope& scope) {
  session_of(scope);
  return scope.driver.application().services();
}

constexpr const char* levels[] = {"low", "medium", "high", "xhigh", "max"};

// Those that can be used, in the form of the SDK.
Json models_of(const RequestScope& scope) {
  Json out = Json::array();
  const std::string current = model::to_string(session_of(scope).settings().model);
  constexpr std::size_t most = 60;
  const auto add = [&](const std::string& name, const std::string& description, bool thinks) {
    Json line = {{"value", name}, {"displayName", name}, {"description", description}};
    line["supportsEffort"] = thinks;
    if (thinks) line["supportedEffortLevels"] = levels;
    out.push_back(std::move(line));
  };
  bool has_current = false;
  for (const pick::ModelLine& each : services_of(scope).models->lines()) {
    if (!each.usable || out.size() >= most) continue;
    has_current = has_current || each.name == current;
    add(each.name, each.details, !each.thinks.empty());
  }
  if (!has_current) add(current, "the model of this session", false);
  return out;
}

Json commands_of(const RequestScope& scope) {
  Json out = Json::array();
  const session::Services services = services_of(scope);
  for (const project::OwnCommand& each : services.program->own_commands()) {
    const project::CommandWords words = project::words_of(each);
    out.push_back(
        {{"name", each.name}, {"description", words.description}, {"argumentHint", words.hint}});
  }
  return out;
}

Json initialize(const RequestScope& scope, const Json& request) {
  Json agents = Json::array(), parked = Json::object();
  for (const subagents::Definition& each : services_of(scope).program->agents().all)
    agents.push_back({{"name", each.name}, {"description", each.description}});
  for (const auto& [name, manifest] : at(request, "sdkMcpServerManifests").items())
    parked[name] = "not_honoured";
  return {{"commands", commands_of(scope)},
          {"agents", agents},
          {"output_style", "default"},
          {"available_output_styles", {"default"}},
          {"models", models_of(scope)},
          {"account", Json::object()},
          {"hooks_applied", true},
          {"hook_on_failure_supported", true},
          {"mcp_servers_applied", true},
          {"sdk_mcp_manifests_parked", parked},
          {"claude_code_version", claude_version}};
}

Json interrupt(const RequestScope& scope, const Json& request) {
  Driver& driver = scope.driver;
  driver.interrupt();
  const std::vector<std::string> queued = driver.queued();
  if (!bool_at(request, "cancel_queued")) return {{"still_queued", queued}};
  driver.cancel("");
  return {{"still_queued", Json::array()}, {"cancelled", queued}};
}

Json set_model(const RequestScope& scope, const Json& request) {
  session_of(scope);
  Application& application = scope.driver.application();
  std::string name = model_for_skein(string_at(request, "model"));
  if (name.empty()) name = application.config().model;
  if (name.empty()) name = application.models().default_name();
  scope.driver.change_model(
      [model = application.catalog().parse(name)](model::ModelRef& now) mutable {
        model.thinking = now.thinking;
        now = model;
      });
  return Json::object();
}

Json set_mode(const RequestScope& scope, const Json& request) {
  const std::string wanted = string_at(request, "mode");
  const auto name = mode_for_skein(wanted);
  const auto mode = name ? permission::parse_mode(*name) : std::nullopt;
  if (!mode) throw Error("there is no permission mode '" + wanted + "'");
  const ClientFlags& flags = scope.driver.invocation().client_flags;
  if (*mode == permission::Mode::bypass && !flags.may_bypass)
    throw Error("bypassPermissions needs --allow-dangerously-skip-permissions");
  // As with -y: a plan mode of the user's is left by name.
  if (*mode == permission::Mode::bypass && scope.driver.invocation().permission_mode.empty() &&
      scope.driver.application().config().rules.mode == permission::Mode::plan)
    throw Error("bypassPermissions does not override permission-mode = \"plan\" of the user");
  session_of(scope).settings().rules.mode = *mode;
  scope.asks = flags.asks && wanted != "dontAsk";
  return Json::object();
}

Json set_thinking(const RequestScope& scope, const Json& request) {
  const Json& tokens = at(request, "max_thinking_tokens");
  session_of(scope);
  if (!tokens.is_null() && !tokens.is_number_integer())
    throw Error("`max_thinking_tokens` must be a whole number");
  if (!tokens.is_null())
    scope.driver.change_model(
        [level = model::parse_thinking_level(thinking_for_tokens(tokens.get<std::int64_t>()))](
            model::ModelRef& now) { now.thinking = level.value_or(now.thinking); });
  return Json::object();
}

Json context_usage(const RequestScope& scope, const Json&) {
  HeadlessSession& session = session_of(scope);
  const context::BuiltContext built =
      scope.driver.application().agent().context(session.conversation(), session.settings());
  Json categories = Json::array();
  const auto add = [&](const char* name, std::int64_t tokens, const char* kind) {
    categories.push_back({{"name", name}, {"tokens", tokens}, {"color", "gray"}, {"kind", kind}});
  };
  add("System prompt", built.filling.system, "used");
  add("Tools", built.filling.tools, "used");
  add("Summary", built.filling.summary, "used");
  add("Messages", built.filling.messages, "used");
  add("Tool results", built.filling.results, "used");
  const std::int64_t total = built.filling.total(), window = built.window.tokens;
  add("Free space", std::max<std::int64_t>(0, window - total), "free");
  return {{"categories", categories},
          {"totalTokens", total},
          {"maxTokens", window},
          {"rawMaxTokens", window},
          {"percentage",
           window > 0 ? std::round(100.0 * static_cast<double>(total) / static_cast<double>(window))
                      : 0.0},
          {"gridRows", Json::array()},
          {"model", model::to_string(session.settings().model)},
          {"memoryFiles", Json::array()},
          {"mcpTools", Json::array()},
          {"agents", Json::array()},
          {"isAutoCompactEnabled", session.settings().compact_at > 0},
          {"apiUsage", nullptr}};
}

Json settings(const RequestScope& scope, const Json&) {
  const model::ModelRef& model = session_of(scope).settings().model;
  return {{"effective", Json::object()},
          {"sources", Json::array()},
          {"applied",
           {{"model", model::to_string(model)},
            {"effort", model.thinking == model::ThinkingLevel::off
                           ? Json()
                           : Json(skein::model::name(model.thinking))}}}};
}

Json mcp_status(const RequestScope& scope, const Json&) {
  return {{"mcpServers", servers_json(services_of(scope))}};
}

mcp::Client& server_of(const session::Services& services, const Json& request) {
  const std::string name = string_at(request, "serverName", string_at(request, "server_name"));
  mcp::Client* const found = services.servers != nullptr ? services.servers->find(name) : nullptr;
  if (found == nullptr) throw Error("there is no MCP server '" + name + "'");
  return *found;
}

Json mcp_reconnect(const RequestScope& scope, const Json& request) {
  const session::Services services = services_of(scope);
  services.servers->reconnect(server_of(services, request));
  return Json::object();
}

Json mcp_toggle(const RequestScope& scope, const Json& request) {
  const session::Services services = services_of(scope);
  services.servers->set_enabled(server_of(services, request), bool_at(request, "enabled", true));
  return Json::object();
}

// Only the files: the conversation stays where it is.
Json rewind_files(const RequestScope& scope, const Json& request) try {
  HeadlessSession& session = session_of(scope);
  if (scope.driver.running()) throw Error("a turn is running");
  checkpoints::Checkpointer* const kept = services_of(scope).checkpoints;
  if (kept == nullptr) throw Error("a session that is not saved has no checkpoints");
  const Id prompt = entry_of_uuid(session, string_at(request, "user_message_id"));
  const model::Entry entry =
      store::value_or_throw(session.application().store().load_entry(session.id(), prompt));
  checkpoints::WorkspaceFiles& files = kept->workspace();
  const checkpoints::RestorePlan plan =
      store::value_or_throw(checkpoints::plan_to(files, session.id(), entry.parent));
  const checkpoints::RestoreRequest wanted{.session = session.id(), .to = prompt};
  const checkpoints::RestoreReport report =
      bool_at(request, "dry_run")
          ? checkpoints::foresee(files, plan, wanted)
          : store::value_or_throw(checkpoints::restore(files, plan, wanted));
  std::vector<std::string> paths = report.changed;
  paths.insert(paths.end(), report.removed.begin(), report.removed.end());
  for (std::string& path : paths) path = scope.driver.application().workspace() + "/" + path;
  if (!bool_at(request, "dry_run")) session.conversation().reload();
  return {{"canRewind", true},
          {"filesChanged", paths},
          {"insertions", report.lines.added},
          {"deletions", report.lines.removed}};
} catch (const Error& error) {
  return {{"canRewind", false}, {"error", error.what()}};
}

Json list_models(const RequestScope& scope, const Json&) { return {{"models", models_of(scope)}}; }

Json rename_session(const RequestScope& scope, const Json& request) {
  const std::string title = string_at(request, "title");
  if (title.empty()) throw Error("`title` is missing");
  HeadlessSession& session = session_of(scope);
  store::value_or_throw(
      session.application().store().mark(session.id(), model::payload::Title{title}));
  return Json::object();
}

Json cancel_message(const RequestScope& scope, const Json& request) {
  const std::string id = string_at(request, "message_uuid");
  return {{"cancelled", !id.empty() && scope.driver.cancel(id)}};
}

Json version(const RequestScope&, const Json&) { return {{"version", claude_version}}; }

Json reload_skills(const RequestScope& scope, const Json&) {
  return {{"commands", commands_of(scope)}};
}

struct RequestRow {
  std::string_view subtype;
  Answer answer;
};
constexpr RequestRow rows[] = {{"initialize", initialize},
                               {"interrupt", interrupt},
                               {"set_model", set_model},
                               {"set_permission_mode", set_mode},
                               {"set_max_thinking_tokens", set_thinking},
                               {"get_context_usage", context_usage},
                               {"get_settings", settings},
                               {"mcp_status", mcp_status},
                               {"mcp_reconnect", mcp_reconnect},
                               {"mcp_toggle", mcp_toggle},
                               {"rewind_files", rewind_files},
                               {"list_models", list_models},
                               {"rename_session", rename_session},
                               {"cancel_async_message", cancel_message},
                               {"get_binary_version", version},
                               {"reload_skills", reload_skills}};

}  // namespace

Json answer_request(const RequestScope& scope, const Json& request) {
  const std::string subtype = string_at(request, "subtype");
  const auto row = std::ranges::find(rows, subtype, &RequestRow::subtype);
  if (row == std::end(rows)) throw Error("not supported by skein: " + subtype);
  return row->answer(scope, request);
}

}  // namespace skein::app::driven::dialects
