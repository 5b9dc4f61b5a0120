#include "app/print_mode.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <iterator>

#include "core/json.h"
#include "core/store/entry_text.h"
#include "repl/screen.h"

namespace skein {

namespace {

// stdout carries the answer or the events, nothing else. When nobody reads any more, the turn still
// goes on to its end: it is being saved.
void write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void say(const std::string& text) {
  std::fputs((harmless("skein: " + text) + "\n").c_str(), stderr);
}

Json usage_json(const Usage& usage) {
  return {{"input", usage.input},
          {"output", usage.output},
          {"cacheRead", usage.cache_read},
          {"cacheWrite", usage.cache_write},
          {"reasoning", usage.reasoning}};
}

const char* name(Notice::Level level) {
  return level == Notice::Level::info      ? "info"
         : level == Notice::Level::warning ? "warning"
                                           : "error";
}

// The events of --output-format stream-json: a stable contract.
struct EventWriter {
  static void line(const Json& event) { write_out(dump(event) + "\n"); }

  void operator()(const Streaming& event) const {
    if (const auto* text = std::get_if<delta::TextPiece>(&event.delta))
      line({{"type", "delta"}, {"kind", "text"}, {"text", text->text}});
    if (const auto* thinking = std::get_if<delta::ThinkingPiece>(&event.delta))
      line({{"type", "delta"}, {"kind", "thinking"}, {"text", thinking->text}});
    if (const auto* input = std::get_if<delta::ToolInput>(&event.delta))
      line({{"type", "delta"}, {"kind", "tool_input"}, {"text", input->json_piece}});
  }
  void operator()(const Committed& event) const {
    write_out("{\"type\":\"entry\",\"entry\":" + to_json(event.entry) + "}\n");
  }
  void operator()(const ToolStarted& event) const {
    line({{"type", "tool"},
          {"phase", "start"},
          {"id", event.call.id},
          {"name", event.call.name},
          {"title", event.title},
          {"input", parse_json(event.call.input).value_or(Json::object())}});
  }
  void operator()(const ToolOutput& event) const {
    line({{"type", "tool"},
          {"phase", "output"},
          {"id", event.call_id},
          {"text", valid_utf8(event.text)}});
  }
  void operator()(const ToolEnded& event) const {
    line({{"type", "tool"},
          {"phase", "end"},
          {"id", event.call_id},
          {"is_error", event.is_error},
          {"duration_ms", event.duration_ms}});
  }
  void operator()(const Notice& event) const {
    line({{"type", "notice"}, {"level", name(event.level)}, {"text", event.text}});
  }
  void operator()(const Retrying& event) const {
    line({{"type", "notice"},
          {"level", "warning"},
          {"text", event.reason},
          {"attempt", event.attempt},
          {"retry_ms", event.wait.count()}});
  }
};

// The prompt, with what is piped in behind it.
std::string whole_prompt(const Invocation& invocation) {
  std::string prompt = invocation.prompt;
  if (isatty(STDIN_FILENO)) return prompt;
  const std::string piped{std::istreambuf_iterator<char>(std::cin), {}};
  if (!piped.empty()) prompt += (prompt.empty() ? "" : "\n\n") + valid_utf8(piped);
  return prompt;
}

Json result_json(const TurnEnd& end, const SessionRecord& record, bool ok) {
  Json result = {{"type", "result"},
                 {"ok", ok},
                 {"session", to_string(record.header.session)},
                 {"key", record.key},
                 {"stop_reason", skein::name(end.stop)},
                 {"text", end.text},
                 {"usage", usage_json(end.usage)}};
  if (!end.error.empty()) result["error"] = end.error;
  return result;
}

int status_of(Stop stop) {
  if (stop == Stop::aborted) return 130;
  return stop == Stop::error || stop == Stop::interrupted || stop == Stop::refusal
             ? static_cast<int>(Trouble::turn)
             : 0;
}

}  // namespace

int print_mode(Workbench& bench, const Invocation& invocation) {
  const std::string prompt = whole_prompt(invocation);
  const bool go_on = prompt.find_first_not_of(" \t\r\n") == std::string::npos;
  if (go_on && !invocation.continue_last && invocation.session.empty())
    throw Error("nothing to say: give a prompt, or pipe one in", Trouble::usage);

  const ChosenSession chosen = choose_session(bench.store(), invocation, bench.workspace());
  Conversation conversation(bench.store(), chosen.session);
  Agent::Settings settings = bench.settings_for(conversation);
  const bool events = invocation.output_format == "stream-json";
  if (events)
    EventWriter::line({{"type", "init"},
                       {"version", 1},
                       {"session", to_string(chosen.session)},
                       {"key", conversation.record().key},
                       {"model", to_string(settings.model)},
                       {"cwd", bench.workspace()}});
  Ports ports;
  ports.stop = &stop_asked();
  ports.sink = [&](const Event& event) {
    if (events) return std::visit(EventWriter{}, event);
    if (const auto* notice = std::get_if<Notice>(&event); notice && !invocation.quiet)
      say(notice->text);
    if (const auto* retry = std::get_if<Retrying>(&event); retry && !invocation.quiet)
      say(retry->reason + "; trying again in " + std::to_string(retry->wait.count()) + " ms");
  };
  for (const std::string& text : conversation.notices())
    ports.sink(Notice{Notice::Level::warning, text});
  for (const std::string& text : bench.config().notices)
    ports.sink(Notice{Notice::Level::warning, text});

  bench.agent().recover(conversation, ports);
  if (go_on && conversation.path().empty())
    throw Error("there is nothing to continue", Trouble::usage);
  const TurnEnd end = go_on ? bench.agent().go_on(conversation, settings, ports)
                            : bench.agent().run_turn(conversation, prompt, settings, ports);
  const int status = status_of(end.stop);
  if (events || invocation.output_format == "json") {
    const Json result = result_json(end, conversation.record(), status == 0);
    if (events && status == 1) EventWriter::line({{"type", "error"}, {"text", end.error}});
    EventWriter::line(result);
  } else {
    if (!end.text.empty()) write_out(end.text + (end.text.ends_with('\n') ? "" : "\n"));
    if (status == 1) say(end.error.empty() ? "the answer was cut short" : end.error);
  }
  return status;
}

}  // namespace skein
