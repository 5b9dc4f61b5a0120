// skein -p: one turn without a terminal, for scripts.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>

#include "app/application.h"
#include "app/print_status.h"
#include "app/session_choice.h"
#include "app/signals.h"
#include "core/checkpoints/rewind.h"
#include "core/model/attachments.h"
#include "core/model/usage_json.h"
#include "core/store/entry_text.h"
#include "core/text/amounts.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/request_text.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "repl/layout/sanitize.h"

namespace skein::app {

namespace delta = model::delta;
using agent::Agent, agent::TurnEnd, model::Notice, model::Ports, model::Retrying;
using permission::Decision;

namespace {

// stdout carries the answer or the events, nothing else. When it takes no more, the turn still goes
// on to its end: it is being saved.
class Output {
 public:
  void write(std::string_view bytes) {
    if (trouble_ == 0 && !write_all(STDOUT_FILENO, bytes)) trouble_ = errno;
  }
  void line(const JsonText& event) { write(printable_json(event) + "\n"); }
  void line(const Json& event) { line(dump(event)); }
  // A reader that has gone has had enough; a disk that is full has not.
  bool incomplete() const { return trouble_ != 0 && trouble_ != EPIPE; }

 private:
  int trouble_ = 0;
};

void say(const std::string& text) {
  std::fputs((layout::sanitized("skein: " + text) + "\n").c_str(), stderr);
}

const char* name(Notice::Level level) {
  return level == Notice::Level::info      ? "info"
         : level == Notice::Level::warning ? "warning"
                                           : "error";
}

// The events of --output-format stream-json: a stable contract.
class EventWriter {
 public:
  explicit EventWriter(Output& to) : out(to) {}

  void operator()(const model::Streaming& event) {
    if (const auto* text = std::get_if<delta::TextPiece>(&event.delta)) piece("text", text->text);
    if (const auto* thinking = std::get_if<delta::ThinkingPiece>(&event.delta))
      piece("thinking", thinking->text);
    if (const auto* call = std::get_if<delta::ToolStart>(&event.delta))
      calls_.insert_or_assign(last_ = call->block, call->id);
    if (const auto* input = std::get_if<delta::ToolInput>(&event.delta))
      piece("tool_input", input->json_piece, calls_[input->block.empty() ? last_ : input->block]);
  }
  void operator()(const model::Committed& event) {
    calls_.clear();  // the next answer begins to count again
    out.line("{\"type\":\"entry\",\"entry\":" + store::to_json(event.entry) + "}");
  }
  void operator()(const model::ToolStarted& event) const {
    const model::ToolUse& call = event.call;
    const Json input = parse_json(call.input).value_or(Json::object());
    tool("start", call.id, {{"name", call.name}, {"title", event.title}, {"input", input}});
  }
  void operator()(const model::ToolOutput& event) const {
    tool("output", event.call_id, {{"text", valid_utf8(event.text)}});
  }
  void operator()(const model::ToolEnded& event) const {
    tool("end", event.call_id, {{"is_error", event.is_error}, {"duration_ms", event.duration_ms}});
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

 private:
  void line(const Json& event) const { out.line(event); }
  // Some servers begin a block with a piece of nothing. `id`: of the call it belongs to.
  void piece(const char* kind, const std::string& text, const std::string& id = {}) const {
    if (text.empty()) return;
    Json event{{"type", "delta"}, {"kind", kind}, {"text", text}};
    if (!id.empty()) event["id"] = id;
    line(event);
  }
  void tool(const char* phase, const std::string& id, const Json& more) const {
    Json event{{"type", "tool"}, {"phase", phase}, {"id", id}};
    event.update(more);
    line(event);
  }

  Output& out;
  std::map<std::string, std::string> calls_{};  // their ids, by the blocks of this answer
  std::string last_{};                          // the block that began last
};

// What is piped in.
std::string piped_text() {
  std::string piped;
  if (isatty(STDIN_FILENO)) return piped;
  char piece[65536];
  const auto stopped = [] { return stop_asked().load(); };
  for (ssize_t count = 1; count != 0 && !stopped();) {
    if (wait(STDIN_FILENO, no_deadline, stopped) == Wake::signal) continue;
    count = ::read(STDIN_FILENO, piece, sizeof piece);
    if (count > 0) piped.append(piece, static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) break;  // closed, or a folder: nothing was piped in
  }
  return valid_utf8(piped);
}

// What is said: the prompt, or what the command in it becomes.
struct Said {
  std::string prompt{};
  std::string mentions{};  // the part of it in which files can be named
  JsonText meta{};
  std::vector<std::string> lends{};
  std::vector<model::Image> images{};
  std::string model{}, effort{};  // that its file wants to be answered by
  std::vector<std::string> remarks{};
};

// "/name …" is a command of the project or the user's own, if there is one; else it is what it
// says. There is nobody to ask: what needs permission ends it.
Said said_by(Application& application, const Invocation& invocation) {
  Said plain{invocation.prompt, invocation.prompt};
  if (!invocation.prompt.starts_with('/')) return plain;
  const auto [name, arguments] = first_word(std::string_view(invocation.prompt).substr(1));
  Ports ports;
  ports.stop = &stop_asked();
  const auto rendered = application.rendered(name, trimmed(arguments, " "),
                                             {.rules = application.config().rules, .ports = ports});
  if (!rendered) return plain;
  return {rendered->text,   rendered->mentions, rendered->meta,   rendered->lends,
          rendered->images, rendered->model,    rendered->effort, rendered->remarks};
}

// A command may name who is to answer it. What cannot be had is no reason not to.
void take_wishes(const Application& application, const Said& said, Agent::Settings& settings,
                 std::vector<std::string>& remarks) {
  if (!said.model.empty() && said.model != "inherit") try {
      const model::ThinkingLevel thinking = settings.model.thinking;
      settings.model = application.catalog().parse(said.model);
      settings.model.thinking = thinking;
    } catch (const Error& error) {
      remarks.push_back(model::to_string(settings.model) + " answers: " + error.what());
    }
  if (const auto level = model::parse_thinking_level(said.effort)) settings.model.thinking = *level;
}

// What a turn took.
struct Spent {
  std::int64_t began = now_ms();
  screen::TurnSummary turn{};  // its cost is known only to the catalog

  void hear(const model::Event& event) {
    const auto* committed = std::get_if<model::Committed>(&event);
    const auto message = committed ? model::message_of(committed->entry) : std::nullopt;
    if (message) screen::add(turn, *message);
  }
};

Json result_json(const TurnEnd& end, const Spent& spent, const store::SessionRecord& record,
                 bool ok) {
  Json result = {{"type", "result"},
                 {"ok", ok},
                 {"session", to_string(record.header.session)},
                 {"key", record.key},
                 {"stop_reason", skein::model::name(end.stop)},
                 {"text", end.text},
                 {"usage", model::usage_json(end.usage)},
                 {"turns", end.calls},
                 {"duration_ms", now_ms() - spent.began}};
  if (spent.turn.cost_usd) result["cost_usd"] = *spent.turn.cost_usd;
  if (!end.error.empty()) result["error"] = end.error;
  return result;
}

// For a script the answer as it is; a person at a terminal is shown it, and the terminal kept safe.
std::string answer_text(const screen::Screen::Parts& screen, const std::string& text, bool raw) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  if (raw || (!terminal && !screen.look.colour))
    return (terminal ? layout::sanitized(text) : text) + (text.ends_with('\n') ? "" : "\n");
  screen::markdown::Markdown markdown(screen.look, screen.look.live ? screen.port.width() : 0);
  std::string out = markdown.feed(layout::sanitized(text));
  return out += markdown.end();
}

// What went wrong, and how to go on where that makes sense; empty: nothing did.
std::string trouble_with(const TurnEnd& end, const std::string& key, bool saved) {
  const model::Ending ending = agent::ending_of(end);
  if (!ending.can_go_on || !saved) return ending.text;
  return ending.text + "; `skein -p --continue -s " + key + "` goes on";
}

// Only files named on the command line are attached: what a pipe mentions was not chosen by the
// user. There is no one to ask either, so what needs permission is left out.
model::PromptWithFiles with_named_files(Application& application, const std::string& prompt,
                                        const std::string& words, const permission::Rules& rules,
                                        std::vector<std::string>& remarks) {
  remarks.clear();
  model::AttachPorts ports;
  const model::Tool& reader = *model::find_file_reader(application.tools());
  ports.locate = reader.locate;
  ports.may = [&](const std::string& name, const model::Located& place) {
    const Decision decision = permission::decide_mention(rules, application.tools(), name);
    if (decision.verdict == Decision::Verdict::allow) return true;
    remarks.push_back(
        name + " is not attached: " + decision.reason +
        (decision.verdict == Decision::Verdict::ask && place.below.empty()
             ? " (--allowed-tools '" + reader.name + "(/" + place.absolute + ")' would allow it)"
             : ""));
    return false;
  };
  ports.tell = [&](const std::string& remark) { remarks.push_back(remark); };
  ports.keep_blob = [&](std::string_view bytes) {
    return store::value_or_throw(application.store().keep_blob(bytes));
  };
  Ports asking;
  asking.stop = &stop_asked();
  ports.fetch = [&](const std::string& name) {
    return application.fetched(name, {.rules = rules, .ports = asking});
  };
  return model::with_files(prompt, words, ports);
}

// One turn, or the rest of one, and how it ended.
TurnEnd one_turn(Application& application, agent::Conversation& conversation,
                 Agent::Settings& settings, const Agent::Prompt& prompt, const Ports& ports) {
  application.agent().recover(conversation, settings, ports);
  if (!is_blank(model::plain_text(prompt.message))) {
    if (const std::string note =
            checkpoints::note_on_files(application.store(), conversation.session());
        !note.empty())
      application.agent().note(conversation, note, settings, ports);
    if (const std::string note = application.folders().told(conversation.session()); !note.empty())
      application.agent().note(conversation, agent::news(note, "folder"), settings, ports);
    return application.agent().run_turn(conversation, prompt, settings, ports);
  }
  if (conversation.path().empty()) throw Error("there is nothing to continue", ExitStatus::usage);
  return application.agent().go_on(conversation, settings, ports);
}

}  // namespace

int print_mode(Application& application, const Invocation& invocation) {
  const std::string piped = piped_text();
  if (stop_asked()) return interrupted_status;
  const Said said = said_by(application, invocation);
  const std::string prompt =
      said.prompt + (said.prompt.empty() || piped.empty() ? "" : "\n\n") + piped;
  if (is_blank(prompt) && !invocation.continue_last && invocation.session.empty())
    throw Error("nothing to say: give a prompt, or pipe one in", ExitStatus::usage);
  // What cannot be attached is said before a session is made.
  std::vector<std::string> remarks;
  model::PromptWithFiles with =
      with_named_files(application, prompt, said.mentions, application.config().rules, remarks);

  const ChosenSession chosen =
      choose_session(application.store(), invocation, application.workspace());
  agent::Conversation conversation(application.store(), chosen.session);
  if (chosen.remember) application.store().enter(chosen.session, application.workspace());
  application.note_typed(chosen.session, invocation.prompt);
  Agent::Settings settings = application.settings_for(conversation);
  if (settings.rules.deny != application.config().rules.deny)
    with = with_named_files(application, prompt, said.mentions, settings.rules, remarks);
  for (const model::Image& image : said.images) with.message.content.emplace_back(image);
  take_wishes(application, said, settings, remarks);
  const bool events = invocation.output_format == "stream-json";
  const bool json = events || invocation.output_format == "json";
  Output out;
  std::vector<std::string> instructions;
  for (const instructions::Document& each : application.instructions().documents())
    instructions.push_back(each.file);
  if (events)
    out.line({{"type", "init"},
              {"version", 1},
              {"session", to_string(chosen.session)},
              {"key", conversation.record().key},
              {"model", model::to_string(settings.model)},
              {"cwd", application.workspace()},
              {"instructions", instructions}});
  const screen::Screen::Parts screen = application.screen_parts();
  const config::Config& config = application.config();
  const bool quiet = config.quiet;
  PrintStatus status_line(
      screen::screen_parts(STDERR_FILENO, config.color.empty() ? "auto" : config.color,
                           config.screen_reader),
      !events && !quiet);
  EventWriter writer(out);
  Spent spent;
  Ports ports;
  ports.stop = &stop_asked();
  ports.stops = &stop_count();
  ports.input = status_line.input();
  ports.sink = application.models().masking([&](const model::Event& event) {
    spent.hear(event);
    if (events) return std::visit(writer, event);
    status_line.hear(event);
    if (const auto* notice = std::get_if<Notice>(&event); notice && !quiet)
      status_line.erase(), say(notice->text);
    if (const auto* retry = std::get_if<Retrying>(&event); retry && !quiet)
      status_line.erase(),
          say(retry->reason + "; trying again in " + short_duration(retry->wait.count()));
  });
  for (const std::string& text : conversation.notices())
    ports.sink(Notice{Notice::Level::warning, text});
  for (const std::vector<std::string>& texts :
       {application.config().notices, application.notices(), settings.notices, said.remarks,
        remarks, application.project().skills().remarks()})
    for (const std::string& text : texts) ports.sink(Notice{Notice::Level::warning, text});
  for (const model::Attachment& file : with.files)
    ports.sink(Notice{Notice::Level::info, "attached " + file.name + " (" + file.what + ")"});

  const auto conclude = [&](const TurnEnd& end, bool ok) {
    status_line.erase();
    screen.account(spent.turn);
    if (events && !end.error.empty()) out.line({{"type", "error"}, {"text", end.error}});
    out.line(result_json(end, spent, conversation.record(), ok));
  };
  for (const std::string& line : application.take_up_work(conversation))
    ports.sink(Notice{Notice::Level::info, line});
  TurnEnd end;
  try {
    end =
        one_turn(application, conversation, settings, {with.message, said.meta, said.lends}, ports);
  } catch (const Error& error) {  // the turn ends here, and a reader of events waits for a result
    if (json) conclude({.stop = model::Stop::error, .error = error.what()}, false);
    throw;
  }
  status_line.erase();
  if (const std::string left = application.leave_work(false); !left.empty())
    say(left + ": nothing goes on in the background after `skein -p`");
  Ports unstopped = ports;
  unstopped.stop = nullptr;
  unstopped.input = {};
  agent::Turn last{conversation, settings, unstopped};
  application.agent().hooks().session_ends(last, stop_asked() ? "signal" : "other");
  if (chosen.remember) application.store().remember(chosen.session, "");
  end.error = trouble_with(end, conversation.record().key, !invocation.no_session);
  const int status = end.stop == model::Stop::aborted ? interrupted_status
                     : end.error.empty()              ? 0
                                                      : static_cast<int>(ExitStatus::turn);
  if (json) {
    conclude(end, status == 0);
  } else {
    if (!end.text.empty()) out.write(answer_text(screen, end.text, invocation.raw));
    if (!end.error.empty()) say(end.error);
  }
  if (out.incomplete())
    throw Error("the answer could not be written; it is kept in " + conversation.record().key,
                ExitStatus::storage);
  return status;
}

}  // namespace skein::app
