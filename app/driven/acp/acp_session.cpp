#include "app/driven/acp/acp_session.h"

#include "app/driven/acp/prompt_content.h"
#include "core/store/session_name.h"
#include "core/text/request_text.h"
#include "core/text/text.h"

namespace skein::app::driven::acp {

namespace rpc = mcp::rpc;
using Choice = model::Answer::Choice;

namespace {

Control::Form request_form(const std::string& id_start) {
  return {id_start,
          [](const std::string& id, Json request) -> Json {
            Json line = {{"jsonrpc", "2.0"}, {"id", id}};
            line.update(request);
            return line;
          },
          [](const std::string& id) -> Json {
            return {{"jsonrpc", "2.0"},
                    {"method", "$/cancel_request"},
                    {"params", {{"requestId", id}}}};
          }};
}

Json option(std::string_view id, std::string_view name, std::string_view kind) {
  return {{"optionId", id}, {"name", name}, {"kind", kind}};
}

RequestError busy() { return {rpc::invalid_request, "busy: a turn is running in this session"}; }

// Editors have lines end with "\n" alone, and show no byte order mark.
std::string as_in_editor(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::erase(text, '\r');
  return text;
}

}  // namespace

AcpSession::AcpSession(Driver& driver, const AcpConnection& connection, const std::string& id_start)
    : driver_(driver),
      connection_(connection),
      control_(
          driver.in(), driver.out(), [&driver] { driver.serve(); }, request_form(id_start)),
      updates_(connection) {}

bool AcpSession::handles(std::string_view method) {
  return has_word("session/prompt session/set_mode session/set_config_option", method);
}

void AcpSession::take(const LineQueue::Line& line) {
  const Json json = parse_json(line.text).value_or(Json());  // the server has read it
  const std::string method = string_at(json, "method");
  const Json& params = at(json, "params");
  const Json& id = at(json, "id");
  if (method.empty()) {
    control_.answered(string_at(json, "id"), json);
    return;
  }
  if (method == "session/cancel") return cancel();
  if (method == "$/cancel_request") {
    if (!prompt_ || *prompt_ != at(params, "requestId")) return;
    prompt_cancelled_ = true;
    return cancel();
  }
  try {
    const bool opens = !handles(method);
    if (!opens && driver_.session() == nullptr)
      throw RequestError(rpc::no_such_resource, "the session could not be opened");
    if (method == "session/prompt") return take_prompt(id, params);
    answer(connection_.out, id,
           opens                          ? open(method, params)
           : method == "session/set_mode" ? set_mode(string_at(params, "modeId"))
                                          : set_option(params));
    if (!opens) return;
    updates_.send_commands();
    for (const std::string& each : connection_.notices)
      updates_.notice(model::Notice::Level::warning, each);
  } catch (const std::exception&) {
    refuse_by_exception(connection_.out, id);
    if (driver_.session() == nullptr) driver_.in().end();
  }
}

void AcpSession::input_ended() {
  control_.end();
  cancel();
}

Json AcpSession::open(const std::string& method, const Json& params) {
  if (driver_.session() == nullptr) {
    opening_ = string_at(params, "sessionId");
    if (connection_.client.reads_files) client_.hooks.push_back(unsaved_buffers_hook());
    driver_.invocation().client = &client_;
    driver_.open();
    connection_.opened(driver_.session()->id());
    updates_.enter(*driver_.session(), driver_.invocation());
  }
  if (method == "session/load") {
    if (driver_.running()) throw busy();
    updates_.replay();
  }
  Json out = {{"modes", updates_.modes()}, {"configOptions", updates_.options()}};
  if (method == "session/new") out["sessionId"] = updates_.session_id();
  return out;
}

ChosenSession AcpSession::choose(store::SessionStore& store) {
  Application& application = driver_.application();
  if (!opening_.empty()) return {store::value_or_throw(store.find(opening_)).header.session};
  if (application.config().model.empty() &&
      application.models().default_name() == application.models().built_in_name())
    throw RequestError(authentication_required,
                       "no provider has a key; run `skein login PROVIDER` in a terminal");
  return {store::value_or_throw(store.create_session({.key = store::fresh_key("main:acp"),
                                                      .cwd = application.workspace()}))
              .session_id};
}

void AcpSession::take_prompt(const Json& id, const Json& params) {
  if (prompt_) throw busy();
  ClientPrompt prompt = prompt_of(at(params, "prompt"));
  const Id session = driver_.session()->id();
  if (const auto others = driver_.application().store().presence().at_work({&session, 1});
      !others.empty())
    throw Error(others.begin()->second + " is working in this session; try again later");
  prompt_ = id;
  driver_.put(std::move(prompt));
}

void AcpSession::cancel() {
  if (!prompt_) return;
  if (driver_.running()) return driver_.interrupt();
  driver_.cancel("");  // it waits
  answer_prompt({{"stopReason", "cancelled"}});
}

void AcpSession::answer_prompt(const Json& result) {
  const Json id = *std::exchange(prompt_, std::nullopt);
  if (std::exchange(prompt_cancelled_, false))
    refuse(connection_.out, id, request_cancelled, "the request was cancelled");
  else
    answer(connection_.out, id, result);
}

void AcpSession::turn_begins(const ClientPrompt&) {
  updates_.forget_streamed();
  updates_.send_commands();
}

void AcpSession::turn_ended(const ClientPrompt&, const agent::TurnEnd& end, const Spent&) {
  using Stop = model::Stop;
  updates_.send_changes();
  if (!prompt_) return;
  const bool failed = end.stop == Stop::error || end.stop == Stop::interrupted;
  if (failed && !end.at_its_limit && !prompt_cancelled_)
    return refuse(connection_.out, *std::exchange(prompt_, std::nullopt), rpc::internal_error,
                  end.error.empty() ? "the answer was cut off" : end.error);
  Json result = {{"stopReason", end.stop == Stop::aborted   ? "cancelled"
                                : end.at_its_limit          ? "max_turn_requests"
                                : end.stop == Stop::length  ? "max_tokens"
                                : end.stop == Stop::refusal ? "refusal"
                                                            : "end_turn"}};
  if (!end.error.empty()) result["_meta"] = {{"skein", {{"error", end.error}}}};
  answer_prompt(result);
}

int AcpSession::failed(const Error& error) {
  tell_user(error.what());
  if (prompt_) refuse(connection_.out, *prompt_, rpc::internal_error, error.what());
  return static_cast<int>(ExitStatus::turn);
}

Json AcpSession::set_mode(const std::string& name) {
  const auto modes = updates_.modes();
  if (std::ranges::none_of(list_at(modes, "availableModes"),
                           [&](const Json& each) { return string_at(each, "id") == name; }))
    throw bad("there is no permission mode '" + name + "'");
  driver_.session()->settings().rules.mode = *permission::parse_mode(name);
  updates_.send_changes();
  return Json::object();
}

Json AcpSession::set_option(const Json& params) {
  const std::string option = string_at(params, "configId"), value = string_at(params, "value");
  if (option == "mode") {
    set_mode(value);
  } else if (option == "model") {
    driver_.change_model([model = model_named(value)](model::ModelRef& now) mutable {
      model.thinking = now.thinking;
      now = model;
    });
  } else if (const auto level = model::parse_thinking_level(value); option == "thinking" && level) {
    driver_.change_model([level = *level](model::ModelRef& now) { now.thinking = level; });
  } else {
    throw bad("there is no option '" + option + "' with the value '" + value + "'");
  }
  updates_.send_changes();
  return {{"configOptions", updates_.options()}};
}

model::ModelRef AcpSession::model_named(const std::string& name) const try {
  return driver_.application().catalog().parse(name);
} catch (const Error& error) {
  throw bad(error.what());
}

// A file that was changed in the editor and not saved is not overwritten.
hooks::HookDefinition AcpSession::unsaved_buffers_hook() {
  hooks::HookDefinition out{.event = hooks::Event::pre_tool_use,
                            .matcher = "write|edit",
                            .command = "unsaved changes in the editor",
                            .file = "the editor"};
  out.callback = [this](const JsonText& input, std::chrono::milliseconds,
                        const std::function<bool()>& stopped) {
    process::CommandEnd end;
    const Json said = parse_json(input).value_or(Json());
    end.errors = unsaved_change(string_at(at(said, "tool_input"), "path"), stopped);
    if (!end.errors.empty()) end.code = 2;  // the call is refused
    return end;
  };
  return out;
}

// Why the file must not be written; empty: it may be.
std::string AcpSession::unsaved_change(const std::string& path,
                                       const std::function<bool()>& stopped) {
  constexpr std::chrono::seconds patience{5};
  const std::optional<std::string> saved = updates_.file_at(path).text;
  if (!saved) return {};
  const std::optional<Json> answer = control_.ask(
      {{"method", "fs/read_text_file"},
       {"params", {{"sessionId", updates_.session_id()}, {"path", updates_.absolute(path)}}}},
      std::chrono::steady_clock::now() + patience, stopped);
  const Json said = answer.value_or(Json());
  const Json& content = at(at(said, "result"), "content");
  if (!content.is_string() || as_in_editor(content.get<std::string>()) == as_in_editor(*saved))
    return {};
  return "the editor has unsaved changes in " + path +
         "; ask the user to save or discard them, and read the file again";
}

std::optional<Json> AcpSession::ask_client(const char* method, Json params) {
  params["sessionId"] = updates_.session_id();
  const auto stopped = [this] { return driver_.stop().load(); };
  const std::optional<Json> answer =
      control_.ask({{"method", method}, {"params", std::move(params)}}, no_deadline, stopped);
  if (!answer || !answer->contains("result")) return std::nullopt;
  return at(*answer, "result");
}

std::string AcpSession::choose_option(Json call, Json options) {
  const Json known = options;
  const std::optional<Json> result =
      ask_client("session/request_permission",
                 {{"toolCall", std::move(call)}, {"options", std::move(options)}});
  const Json said = result.value_or(Json());
  const Json& outcome = at(said, "outcome");
  const std::string chosen = string_at(outcome, "optionId");
  const bool offered = std::ranges::any_of(
      elements(known), [&](const Json& each) { return string_at(each, "optionId") == chosen; });
  return string_at(outcome, "outcome") == "selected" && offered ? chosen : std::string{};
}

void AcpSession::add_questions(model::Ports& ports) {
  ports.ask = [this](const model::Question& question) { return ask(question); };
  ports.inquire = [this](const model::Inquiry& inquiry) { return inquire(inquiry); };
  ports.review = [this](const model::Plan& plan) { return review(plan); };
  if (connection_.client.has_forms)
    ports.ask_line = [this](const model::LineQuestion& question) { return ask_line(question); };
}

model::Answer AcpSession::ask(const model::Question& question) {
  if (!question.call) return {};  // the client is asked about calls alone
  Json call = updates_.call_json(*question.call);
  if (!call.contains("content") && !question.detail.empty())
    call["content"] = {content_json(text_json(question.detail))};
  Json options = {option("once", "Allow once", "allow_once")};
  if (!question.remember.empty()) {
    const std::string& scope = question.scope.empty() ? question.remember : question.scope;
    options.push_back(option("session", "Allow " + scope + " for this session", "allow_always"));
    options.push_back(
        option("always", "Always allow in this project: " + question.remember, "allow_always"));
  }
  options.push_back(option("no", "Reject", "reject_once"));
  const std::string chosen = choose_option(std::move(call), std::move(options));
  return {.choice = chosen == "once"      ? Choice::yes
                    : chosen == "session" ? Choice::always
                    : chosen == "always"  ? Choice::here
                                          : Choice::no};
}

std::optional<std::string> AcpSession::inquire(const model::Inquiry& inquiry) {
  if (!connection_.client.has_forms) {
    Json options = Json::array();
    for (const model::Inquiry::Option& each : inquiry.options)
      options.push_back(option(each.label, each.label, "allow_once"));
    options.push_back(option("", "No answer", "reject_once"));
    const std::string chosen = choose_option(
        {{"toolCallId", updates_.last_call()}, {"title", inquiry.question}}, std::move(options));
    return chosen.empty() ? std::nullopt : std::optional(chosen);
  }
  Json choices = Json::array();
  for (const model::Inquiry::Option& each : inquiry.options)
    choices.push_back(
        {{"const", each.label},
         {"title", each.label + (each.description.empty() ? "" : ": ") + each.description}});
  Json choice = inquiry.multiple ? Json{{"type", "array"}, {"items", {{"anyOf", choices}}}}
                                 : Json{{"type", "string"}, {"oneOf", choices}};
  choice["title"] = inquiry.header.empty() ? inquiry.question : inquiry.header;
  const std::optional<Json> result = ask_client(
      "elicitation/create",
      {{"mode", "form"},
       {"toolCallId", updates_.last_call()},
       {"message", inquiry.question},
       {"requestedSchema",
        {{"type", "object"},
         {"properties",
          {{"choice", choice}, {"other", {{"type", "string"}, {"title", "Another answer"}}}}}}}});
  if (string_at(result.value_or(Json()), "action") != "accept") return std::nullopt;
  const Json& content = at(*result, "content");
  if (std::string other = string_at(content, "other"); !is_blank(other)) return other;
  std::string chosen = string_at(content, "choice");
  for (const std::string& each : strings_in(at(content, "choice")))
    chosen += (chosen.empty() ? "" : ", ") + each;
  return chosen.empty() ? std::nullopt : std::optional(chosen);
}

std::optional<std::string> AcpSession::ask_line(const model::LineQuestion& question) {
  const std::optional<Json> result = ask_client(
      "elicitation/create",
      {{"mode", "form"},
       {"message", question.text},
       {"requestedSchema",
        {{"type", "object"},
         {"properties",
          {{"answer", {{"type", "string"}, {"title", "Answer"}, {"default", question.before}}}}},
         {"required", {"answer"}}}}});
  if (string_at(result.value_or(Json()), "action") != "accept") return std::nullopt;
  return string_at(at(*result, "content"), "answer");
}

model::PlanReview AcpSession::review(const model::Plan& plan) {
  using Verdict = model::PlanReview::Verdict;
  Json call = {{"toolCallId", updates_.last_call()},
               {"title", plan.title.empty() ? "Plan" : plan.title},
               {"kind", "switch_mode"},
               {"content", {content_json(text_json(plan.text))}}};
  const std::string chosen = choose_option(
      std::move(call), {option("yes", "Carry it out, and ask before edits", "allow_once"),
                        option("edits", "Carry it out, and allow edits", "allow_always"),
                        option("no", "Keep planning", "reject_once")});
  return {chosen == "edits" ? Verdict::accept_edits
          : chosen == "yes" ? Verdict::carry_out
                            : Verdict::not_yet,
          chosen.empty() || chosen == "no" ? "" : plan.text};
}

}  // namespace skein::app::driven::acp
