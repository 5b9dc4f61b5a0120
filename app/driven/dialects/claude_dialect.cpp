#include "app/driven/dialects/claude_dialect.h"

#include "app/driven/dialects/claude_requests.h"
#include "app/driven/dialects/client_channel.h"
#include "app/driven/dialects/client_sessions.h"
#include "app/invocation/signals.h"
#include "core/permission/claude_rules.h"
#include "core/text/request_text.h"
#include "core/text/text.h"
#include "core/tools/documents.h"

namespace skein::app::driven::dialects {

using Choice = model::Answer::Choice;

namespace {

bool is_stopped() { return stop_asked(); }

// "bash(git *)" as {toolName, ruleContent}.
Json rule_json(const std::string& rule) {
  const std::size_t open = rule.find('(');
  Json out = {{"toolName", hooks::claude_name(rule.substr(0, open))}};
  if (open != std::string::npos && rule.ends_with(')'))
    out["ruleContent"] = rule.substr(open + 1, rule.size() - open - 2);
  return out;
}

// The rules of an update of permissions, as settings of Claude Code name them.
std::vector<std::string> rules_of(const Json& update) {
  std::vector<std::string> out;
  for (const Json& rule : list_at(update, "rules")) {
    const std::string content = string_at(rule, "ruleContent");
    out.push_back(string_at(rule, "toolName") + (content.empty() ? "" : "(" + content + ")"));
  }
  return out;
}

// Clients write members in another order, and null for those that are missing.
bool is_same_update(const Json& a, const Json& b) {
  for (const char* member : {"type", "behavior", "destination"})
    if (string_at(a, member) != string_at(b, member)) return false;
  return rules_of(a) == rules_of(b);
}

bool is_same(const Json& a, const Json& b) {
  if (a.is_array() && b.is_array()) return std::ranges::equal(elements(a), elements(b), is_same);
  if (!a.is_object() || !b.is_object() || a.size() != b.size()) return a == b;
  for (const auto& [name, value] : a.items())
    if (!b.contains(name) || !is_same(value, at(b, name))) return false;
  return true;
}

// The SDK for Python lists the servers that it runs itself among the others. Removes them.
std::vector<std::string> take_own_servers(std::vector<std::string>& configs) {
  std::vector<std::string> names;
  for (std::string& text : configs) {
    const Json config = parse_json(text).value_or(Json());  // null: it is the name of a file
    Json others = Json::object();
    const std::size_t before = names.size();
    for (const auto& [name, server] : at(config, "mcpServers").items())
      if (string_at(server, "type") == "sdk")
        names.push_back(name);
      else
        others[name] = server;
    if (names.size() > before) text = dump({{"mcpServers", others}});
  }
  return names;
}

Control::Form control_form() {
  return {
      "skein-",
      [](const std::string& id, Json request) -> Json {
        return {{"type", "control_request"}, {"request_id", id}, {"request", std::move(request)}};
      },
      [](const std::string& id) -> Json {
        return {{"type", "control_cancel_request"}, {"request_id", id}};
      }};
}

Json suggestions_for(const std::vector<std::string>& rules) {
  Json list = Json::array(), out = Json::array();
  for (const std::string& rule : rules) list.push_back(rule_json(rule));
  for (const char* destination : {"session", "localSettings"})
    if (!list.empty())
      out.push_back({{"type", "addRules"},
                     {"rules", list},
                     {"behavior", "allow"},
                     {"destination", destination}});
  return out;
}

}  // namespace

ClaudeDialect::ClaudeDialect(Driver& driver)
    : driver_(driver),
      control_(
          driver.in(), driver.out(), [&driver] { driver.serve(); }, control_form()),
      lines_(driver.out(), driver.invocation()),
      asks_(driver.invocation().client_flags.asks && !driver.invocation().client_flags.dont_ask),
      awaits_initialize_(env("CLAUDE_CODE_ENTRYPOINT").starts_with("sdk") ||
                         !env("CLAUDE_AGENT_SDK_VERSION").empty()) {
  for (const std::string& each : driver.invocation().client_flags.warnings)
    tell_user("ignored: " + each);
}

// A client need not read standard error: what is written must fit into a pipe.
void ClaudeDialect::remark(const std::string& text) {
  constexpr std::size_t most = 200, bytes = 150;
  if (++remarks_ <= most) tell_user(utf8_prefix(text, bytes));
}

void ClaudeDialect::take(const InputLines::Line& line) {
  if (line.too_long) return remark("a line of more than 64 MiB was skipped");
  if (is_blank(line.text)) return;
  const std::optional<Json> json = parse_json(valid_utf8(line.text));
  if (!json || !json->is_object()) return remark("a line that is not a JSON object was skipped");
  const std::string type = string_at(*json, "type");
  if (type == "user") return take_prompt(*json);
  if (type == "control_request") return take_request(*json);
  if (type == "control_response") {
    const Json& response = at(*json, "response");
    if (!control_.answered(string_at(response, "request_id"), response))
      remark("an answer was skipped, because its request is not open");
    return;
  }
  if (!has_word("keep_alive control_cancel_request", type))
    remark("a line of unknown type was skipped: " + type);
}

void ClaudeDialect::take_block(const Json& block, ClientPrompt& prompt) {
  const std::string type = string_at(block, "type");
  const Json& source = at(block, "source");
  const auto add_text = [&](const std::string& text) {
    prompt.text += (prompt.text.empty() ? "" : "\n\n") + text;
  };
  if (type == "text") return add_text(string_at(block, "text"));
  const std::optional<std::string> bytes =
      string_at(source, "type") == "base64" ? from_base64(string_at(source, "data")) : std::nullopt;
  if (type == "image" && bytes) {
    prompt.images.push_back({.mime_type = string_at(source, "media_type"), .bytes = *bytes});
    return;
  }
  if (type == "document" && string_at(source, "type") == "text")
    return add_text(string_at(source, "data"));
  if (type == "document" && bytes) try {
      return add_text(tools::document_text(*bytes, is_stopped));
    } catch (const Error& error) {
      return add_text(std::string("[a document that cannot be read: ") + error.what() + "]");
    }
  lines_.informational("a block of type '" + type + "' was left out of the message", "warning");
}

// A message that has no UUID gets one, by which the client may restore files later.
void ClaudeDialect::take_prompt(const Json& line) {
  ClientPrompt prompt{.id = string_at(line, "uuid", random_uuid()),
                      .expands = !bool_at(line, "client_composed"),
                      .asks = bool_at(line, "shouldQuery", true),
                      .typed = !bool_at(line, "isSynthetic") && at(line, "origin").is_null()};
  const std::string priority = string_at(line, "priority", "next");
  if (priority == "now") prompt.when = ClientPrompt::When::now;
  if (priority == "later") prompt.when = ClientPrompt::When::later;
  const Json& content = at(at(line, "message"), "content");
  if (content.is_string())
    prompt.text = content.get<std::string>();
  else if (content.is_array())
    for (const Json& block : content) take_block(block, prompt);
  if (is_blank(prompt.text) && prompt.images.empty())
    return lines_.informational("a message without text or images was skipped", "warning");
  driver_.put(std::move(prompt));
}

void ClaudeDialect::take_request(const Json& line) {
  const Json& request = at(line, "request");
  const bool initializes = string_at(request, "subtype") == "initialize";
  Json response = {{"subtype", "success"}, {"request_id", string_at(line, "request_id")}};
  std::exception_ptr failure;
  try {
    if (initializes && !initialized_) initialize(request);
    response["response"] = answer_request({driver_, asks_}, request);
    if (initializes) {
      response["pending_permission_requests"] = Json::array();
      response["pending_user_dialog_requests"] = Json::array();
    }
  } catch (const Error& error) {
    response["subtype"] = "error";
    response["error"] = error.what();
    // A session that cannot be opened ends the process.
    if (initializes && driver_.session() == nullptr) failure = std::current_exception();
  }
  driver_.out().send(printable_json(dump({{"type", "control_response"}, {"response", response}})));
  if (failure) std::rethrow_exception(failure);
}

hooks::HookDefinition ClaudeDialect::hook(hooks::Event event, const Json& group,
                                          const std::string& id) {
  hooks::HookDefinition out{.event = event,
                            .matcher = string_at(group, "matcher"),
                            .command = id,
                            .block_on_failure = string_at(group, "onFailure") == "block",
                            .for_claude = true,
                            .file = "the program that drives skein"};
  if (const Json& seconds = at(group, "timeout"); seconds.is_number())
    out.time = std::chrono::milliseconds(
        static_cast<std::int64_t>(std::clamp(seconds.get<double>(), 0.001, 3'600.0) * 1000));
  out.callback = [this, id, event](const JsonText& input, std::chrono::milliseconds time,
                                   const std::function<bool()>& stop) {
    process::CommandEnd end;
    Json said = parse_json(input).value_or(Json::object());
    Json request = {{"subtype", "hook_callback"}, {"callback_id", id}};
    if (const std::string call = string_at(said, "tool_use_id"); !call.empty())
      request["tool_use_id"] = call;
    said["session_id"] = lines_.uuid();
    request["input"] = std::move(said);
    const auto answer =
        control_.ask(std::move(request), std::chrono::steady_clock::now() + time, stop);
    if (!answer && event == hooks::Event::pre_tool_use && control_.ended()) {
      end.code = 2;  // a client that cannot forbid the call any more
      end.errors = "the program that drives skein closed its input";
    } else if (!answer) {
      end.cause =
          stop() ? process::CommandEnd::Cause::stopped : process::CommandEnd::Cause::timed_out;
    } else if (string_at(*answer, "subtype") == "success") {
      end.output = dump(at(*answer, "response"));
    } else {
      end.code = 1;
      end.errors = string_at(*answer, "error");
    }
    return end;
  };
  return out;
}

void ClaudeDialect::initialize(const Json& request) {
  // What the client forbids would not count.
  if (driver_.session() != nullptr) throw Error("`initialize` must come before the first message");
  initialized_ = true;
  Invocation& invocation = driver_.invocation();
  for (const auto& [name, groups] : at(request, "hooks").items()) {
    const auto event = hooks::parse_event(name);
    if (!event) {
      remark("skein has no hook event " + name);
      continue;
    }
    for (const Json& group : groups)
      for (const std::string& id : strings_in(at(group, "hookCallbackIds")))
        client_.hooks.push_back(hook(*event, group, id));
  }
  client_.servers = strings_in(at(request, "sdkMcpServers"));
  client_.open_server = client_channels(control_);
  if (const Json& servers = at(request, "mcpServers"); servers.is_object() && !servers.empty())
    invocation.mcp_config.push_back(dump({{"mcpServers", servers}}));
  for (std::string& name : take_own_servers(invocation.mcp_config))
    client_.servers.push_back(std::move(name));
  if (const Json& agents = at(request, "agents"); agents.is_object() && !agents.empty())
    invocation.agents = dump(agents);
  if (const Json& schema = at(request, "jsonSchema"); !schema.is_null())
    invocation.json_schema = dump(schema);
  if (const Json& parts = at(request, "systemPrompt"); parts.is_array() && !parts.empty()) {
    std::string text;
    for (const std::string& part : strings_in(parts))
      if (!part.empty()) text += (text.empty() ? "" : "\n\n") + part;
    invocation.system_prompt = text.empty() ? no_system_prompt : text;
  }
  if (const std::string more = string_at(request, "appendSystemPrompt"); !more.empty())
    invocation.append_system_prompt = more;
  invocation.client = &client_;
  driver_.open();
  if (const std::string title = string_at(request, "title"); !title.empty())
    store::value_or_throw(
        driver_.application().store().mark(driver_.session()->id(), model::payload::Title{title}));
}

ChosenSession ClaudeDialect::choose(store::SessionStore& store) {
  ClientSession found = client_session(store, driver_.invocation());
  resumed_uuid_ = std::move(found.uuid);
  return found.chosen;
}

void ClaudeDialect::opened() {
  HeadlessSession& session = *driver_.session();
  lines_.enter(session, resumed_uuid_.empty()
                            ? wire_uuid(session.conversation().record().key, session.id())
                            : resumed_uuid_);
  if (const std::string& at_message = driver_.invocation().client_flags.resume_at;
      !at_message.empty())
    session.conversation().move_head(entry_of_uuid(session, at_message));
}

void ClaudeDialect::turn_ended(const ClientPrompt&, const agent::TurnEnd& end, const Spent& spent) {
  lines_.result(end, spent, driver_.queued().size(), driver_.calls_running());
}

int ClaudeDialect::failed(const Error& error) {
  tell_user(error.what());
  lines_.failed(error.what());
  return static_cast<int>(ExitStatus::turn);
}

std::optional<Json> ClaudeDialect::ask_client(Json request) {
  lines_.state("requires_action");
  std::optional<Json> answer = control_.ask(std::move(request), no_deadline, is_stopped);
  lines_.state("running");
  if (!answer || string_at(*answer, "subtype") != "success") return std::nullopt;
  return at(*answer, "response");
}

void ClaudeDialect::add_questions(model::Ports& ports) {
  if (!asks_) return;
  ports.ask = [this](const model::Question& question) { return ask(question); };
  ports.inquire = [this](const model::Inquiry& inquiry) { return inquire(inquiry); };
  ports.review = [this](const model::Plan& plan) { return review(plan); };
}

model::Answer ClaudeDialect::ask(const model::Question& question) {
  if (!question.call) return {};  // the client can only be asked about calls
  Json asked = {{"subtype", "can_use_tool"}};
  const Json there = lines_.call_json(*question.call);
  asked["tool_name"] = there["name"];
  asked["display_name"] = there["name"];
  asked["input"] = there["input"];
  asked["tool_use_id"] = question.call->id;
  asked["title"] = question.text;
  asked["description"] = question.about;
  asked["permission_suggestions"] = suggestions_for(question.rules);
  const Json answer = ask_client(asked).value_or(Json());
  model::Answer out{.text = string_at(answer, "message")};
  if (string_at(answer, "behavior") == "allow") out = allowed(question, asked, answer);
  if (out.choice != Choice::no) return out;
  lines_.denied(*question.call, out.text);
  if (bool_at(answer, "interrupt")) driver_.interrupt();
  return out;
}

// Rules that the client adds count if skein suggested them, or if they forbid.
model::Answer ClaudeDialect::allowed(const model::Question& question, const Json& asked,
                                     const Json& answer) {
  model::Answer out{.choice = Choice::yes};
  if (const Json& input = at(answer, "updatedInput");
      input.is_object() && !is_same(input, asked["input"]))
    out.input = hooks::input_from_claude(question.call->name, dump(input));
  for (const Json& update : list_at(answer, "updatedPermissions")) {
    if (std::ranges::any_of(list_at(asked, "permission_suggestions"), [&](const Json& suggested) {
          return is_same_update(suggested, update);
        })) {
      const bool here = string_at(update, "destination") == "localSettings";
      out.choice = here || out.choice == Choice::here ? Choice::here : Choice::always;
    } else if (string_at(update, "type") == "addRules" && string_at(update, "behavior") == "deny") {
      const auto read = permission::read_claude_permissions(
          dump({{"permissions", {{"deny", rules_of(update)}}}}), driver_.application().workspace(),
          tools::tool_table());
      permission::Rules& now = driver_.session()->settings().rules;
      now.deny.insert(now.deny.end(), read.deny.begin(), read.deny.end());
      now.ask.insert(now.ask.end(), read.ask.begin(), read.ask.end());
      if (!read.asked_instead.empty())
        return {.text = "skein does not understand the rule " + listed(read.asked_instead)};
    } else {
      lines_.informational("a permission update that skein did not suggest was ignored", "warning");
    }
  }
  return out;
}

std::optional<std::string> ClaudeDialect::inquire(const model::Inquiry& inquiry) {
  Json options = Json::array();
  for (const model::Inquiry::Option& each : inquiry.options)
    options.push_back({{"label", each.label}, {"description", each.description}});
  const Json question = {{"question", inquiry.question},
                         {"header", inquiry.header},
                         {"options", options},
                         {"multiSelect", inquiry.multiple}};
  const auto answer = ask_client({{"subtype", "can_use_tool"},
                                  {"tool_name", "AskUserQuestion"},
                                  {"input", {{"questions", Json::array({question})}}},
                                  {"tool_use_id", lines_.last_call()}});
  if (!answer || string_at(*answer, "behavior") != "allow") return std::nullopt;
  const Json& answers = at(at(*answer, "updatedInput"), "answers");
  const std::string chosen = string_at(answers, inquiry.question);
  return chosen.empty() ? std::nullopt : std::optional(chosen);
}

model::PlanReview ClaudeDialect::review(const model::Plan& plan) {
  using Verdict = model::PlanReview::Verdict;
  const auto answer = ask_client({{"subtype", "can_use_tool"},
                                  {"tool_name", "ExitPlanMode"},
                                  {"input", {{"plan", plan.text}}},
                                  {"tool_use_id", lines_.last_call()}});
  if (!answer || string_at(*answer, "behavior") != "allow")
    return {Verdict::not_yet, answer ? string_at(*answer, "message") : ""};
  const bool edits =
      std::ranges::any_of(list_at(*answer, "updatedPermissions"), [](const Json& each) {
        return string_at(each, "type") == "setMode" && string_at(each, "mode") == "acceptEdits";
      });
  return {edits ? Verdict::accept_edits : Verdict::carry_out,
          string_at(at(*answer, "updatedInput"), "plan", plan.text)};
}

}  // namespace skein::app::driven::dialects

namespace skein::app {

int driven_mode(const Invocation& invocation, const project::Places& places) {
  constexpr std::chrono::seconds patience{5};  // with a client that reads nothing any more
  driven::InputLines in(STDIN_FILENO);
  driven::OutputLines out(STDOUT_FILENO);
  driven::Driver driver(invocation, places, {in, out});
  driven::dialects::ClaudeDialect dialect(driver);
  const int status = driver.run(dialect);
  const bool written = out.finish(patience);
  return status == 0 && !written ? static_cast<int>(ExitStatus::turn) : status;
}

}  // namespace skein::app
