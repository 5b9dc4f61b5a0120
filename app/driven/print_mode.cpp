// skein -p: one turn without a terminal, for scripts.
#include <sys/timerfd.h>
#include <unistd.h>

#include "app/driven/headless_session.h"
#include "app/driven/updates.h"
#include "app/invocation/signals.h"
#include "core/model/usage_json.h"
#include "core/store/entry_text.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/request_text.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/style.h"
#include "repl/screen/activity.h"
#include "repl/screen/screen.h"

namespace skein::app {

using agent::TurnEnd, model::Notice, model::Ports, model::Retrying;
using driven::HeadlessSession, driven::Spent, driven::Update, driven::Updates;

namespace {

constexpr long tick_ns = 100'000'000;
constexpr std::int64_t shown_after = 400;  // ms; what is over by then needs no status

// What `skein -p` is doing, on one line of the terminal that standard error is: painted over while
// the turn runs, and gone before anything else is written.
class PrintStatus {
 public:
  // `parts` are of standard error; where nothing can be painted over, nothing is written.
  PrintStatus(screen::Screen::Parts parts, bool wanted) : parts_(std::move(parts)) {
    if (!wanted || !parts_.look.live) return;
    timer_ = Fd(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    const itimerspec time{.it_interval = {0, tick_ns}, .it_value = {0, tick_ns}};
    timerfd_settime(timer_.get(), 0, &time, nullptr);
    begun_ = parts_.port.clock();
    activity_.begin(begun_);
  }
  PrintStatus(const PrintStatus&) = delete;
  PrintStatus& operator=(const PrintStatus&) = delete;
  ~PrintStatus() { erase(); }

  // Looked at while the turn waits; paints the line about ten times a second.
  model::Ports::Input input() {
    if (timer_.get() < 0) return {};
    return {.fd = timer_.get(), .on_ready = [this] {
              std::uint64_t times = 0;
              if (::read(timer_.get(), &times, sizeof times) > 0) paint();
            }};
  }

  void hear(const model::Event& event) {
    const std::int64_t now = parts_.port.clock();
    activity_.hear(event, now);
    if (const auto* committed = std::get_if<model::Committed>(&event))
      if (const auto message = model::message_of(committed->entry))
        activity_.hear(message->role, now);
  }

  void erase() {
    if (std::exchange(painted_, false)) parts_.port.write("\r\033[K");
  }

 private:
  void paint() {
    const std::int64_t now = parts_.port.clock();
    const std::size_t width = parts_.port.width();
    if (now - begun_ < shown_after || width < 2) return;
    screen::Status status = activity_.at(now);
    status.frame = frame_++;
    status.stop_key = "";
    parts_.port.write("\r\033[K" + layout::painted(screen::status_text(status, width - 1),
                                                   layout::style::dim, parts_.look));
    painted_ = true;
  }

  screen::Screen::Parts parts_;
  Fd timer_{};  // none: nothing is shown
  screen::Activity activity_{};
  std::int64_t begun_ = 0;
  unsigned frame_ = 0;
  bool painted_ = false;
};

// stdout carries the answer or the events, nothing else. When it takes no more, the turn still goes
// on to its end: it is being saved.
class Output {
 public:
  void write(std::string_view bytes) {
    if (trouble_ == 0 && !write_all(STDOUT_FILENO, bytes)) trouble_ = errno;
  }
  void line(const JsonText& event) { write(printable_json(event) + "\n"); }
  // A reader that closed its end does not want more; a full disk is an error.
  bool incomplete() const { return trouble_ != 0 && trouble_ != EPIPE; }

 private:
  int trouble_ = 0;
};

const char* name(Notice::Level level) {
  return level == Notice::Level::info      ? "info"
         : level == Notice::Level::warning ? "warning"
                                           : "error";
}

const char* name(driven::BlockKind kind) {
  return kind == driven::BlockKind::text       ? "text"
         : kind == driven::BlockKind::thinking ? "thinking"
                                               : "tool_input";
}

// The events of --output-format stream-json: a stable contract.
class EventWriter {
 public:
  explicit EventWriter(Output& out) : out_(out) {}

  void operator()(const driven::BlockStarted&) const {}
  void operator()(const driven::BlockEnded&) const {}
  void operator()(const driven::BlockPiece& piece) const {
    Json event{{"type", "delta"}, {"kind", name(piece.kind)}, {"text", piece.text}};
    if (!piece.call.empty()) event["id"] = piece.call;
    out_.line(dump(event));
  }
  void operator()(const driven::Saved& saved) const {
    out_.line("{\"type\":\"entry\",\"entry\":" + store::to_json(saved.entry) + "}");
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
    out_.line(dump({{"type", "notice"}, {"level", name(event.level)}, {"text", event.text}}));
  }
  void operator()(const model::Retrying& event) const {
    out_.line(dump({{"type", "notice"},
                    {"level", "warning"},
                    {"text", event.reason},
                    {"attempt", event.attempt},
                    {"retry_ms", event.wait.count()}}));
  }

 private:
  void tool(const char* phase, const std::string& id, const Json& more) const {
    Json event{{"type", "tool"}, {"phase", phase}, {"id", id}};
    event.update(more);
    out_.line(dump(event));
  }

  Output& out_;
};

JsonText init_line(HeadlessSession& session) {
  std::vector<std::string> instructions;
  for (const instructions::Document& each : session.application().documents())
    instructions.push_back(each.file);
  return dump({{"type", "init"},
               {"version", 1},
               {"session", to_string(session.id())},
               {"key", session.conversation().record().key},
               {"model", model::to_string(session.settings().model)},
               {"cwd", session.application().workspace()},
               {"instructions", instructions}});
}

JsonText result_line(const agent::TurnEnd& end, const Spent& spent, HeadlessSession& session,
                     bool ok) {
  const store::SessionRecord& record = session.conversation().record();
  Json result = {{"type", "result"},
                 {"ok", ok},
                 {"session", to_string(record.header.session)},
                 {"key", record.key},
                 {"stop_reason", skein::model::name(end.stop)},
                 {"text", end.text},
                 {"usage", model::usage_json(end.usage)},
                 {"turns", end.calls},
                 {"duration_ms", now_ms() - spent.began}};
  if (const auto cost = spent.turn.cost_usd; cost && (*cost > 0 || !spent.turn.at_least))
    result[spent.turn.at_least ? "cost_usd_at_least" : "cost_usd"] = *cost;
  if (StructuredAnswer* answer = session.application().structured(); answer && answer->answer())
    result["structured_output"] = parse_json(*answer->answer()).value_or(Json());
  if (!end.error.empty()) result["error"] = end.error;
  return dump(result);
}

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

// For a script the answer as it is; a person at a terminal is shown it, and the terminal kept safe.
std::string answer_text(const screen::Screen::Parts& screen, const std::string& text, bool raw) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  if (raw || (!terminal && !screen.look.colour))
    return (terminal ? layout::sanitized(text) : text) + (text.ends_with('\n') ? "" : "\n");
  screen::markdown::Markdown markdown(screen.look, screen.look.live ? screen.port.width() : 0);
  std::string out = markdown.feed(layout::sanitized(text));
  return out += markdown.end();
}

// The prompt, with what was piped in behind it.
std::string whole_prompt(const Invocation& invocation, const project::RenderedCommand& said,
                         const std::string& piped) {
  std::string prompt = said.text + (said.text.empty() || piped.empty() ? "" : "\n\n") + piped;
  if (is_blank(prompt) && !invocation.continue_last && invocation.session.empty())
    throw UsageError("no prompt: give one as an argument or on standard input");
  return prompt;
}

// One turn of `skein -p`: its session, its prompt, and where what happens is written.
class PrintedTurn {
 public:
  PrintedTurn(Application& application, const Invocation& invocation, const std::string& piped)
      : application_(application),
        invocation_(invocation),
        said_(driven::rendered_prompt(application, invocation.prompt, application.config().rules,
                                      stop_asked())),
        prompt_(whole_prompt(invocation, said_, piped)),
        // What cannot be attached is said before a session is made.
        with_(attached(application.config().rules)),
        session_(application,
                 choose_session(application.store(), invocation, application.workspace())) {}

  int run() {
    open();
    if (events_) out_.line(init_line(session_));
    show_notices();
    TurnEnd end;
    try {
      session_.recover(ports_);
      end = session_.take_turn({with_.message, said_.meta, said_.temporary_rules}, ports_);
    } catch (const Error& error) {  // the turn ends here, and a reader of events waits for a result
      if (json_) print_result({.stop = model::Stop::error, .error = error.what()}, false);
      throw;
    }
    status_line_.erase();
    if (const std::string left = session_.leave(ports_); !left.empty())
      tell_user(left + ": nothing runs in the background after `skein -p`");
    return print_end(std::move(end));
  }

 private:
  model::PromptWithFiles attached(const permission::Rules& rules) {
    return driven::with_named_files(application_, prompt_, said_.mentions, rules, stop_asked(),
                                    remarks_);
  }

  void open() {
    application_.note_typed(session_.id(), invocation_.prompt);
    const permission::Rules& rules = session_.settings().rules;
    if (rules.deny != application_.config().rules.deny) with_ = attached(rules);
    for (const model::Image& image : said_.images) with_.message.content.emplace_back(image);
    session_.take_wishes(said_, remarks_);
    ports_.stop = &stop_asked();
    ports_.stops = &stop_count();
    ports_.input = status_line_.input();
    ports_.sink = application_.models().masking([this](const model::Event& event) { hear(event); });
  }

  void hear(const model::Event& event) {
    spent_.hear(event);
    if (events_) return updates_.hear(event);
    status_line_.hear(event);
    if (quiet_) return;
    if (const auto* notice = std::get_if<Notice>(&event)) {
      status_line_.erase();
      tell_user(notice->text);
    }
    if (const auto* retry = std::get_if<Retrying>(&event)) {
      status_line_.erase();
      tell_user(retry->reason + "; trying again in " + short_duration(retry->wait.count()));
    }
  }

  void show_notices() {
    std::vector<std::string> warnings = said_.remarks, infos;
    warnings.insert(warnings.end(), remarks_.begin(), remarks_.end());
    for (const model::Attachment& file : with_.files)
      infos.push_back("attached " + file.name + " (" + file.what + ")");
    session_.show_notices(ports_, warnings, infos);
  }

  void print_result(const TurnEnd& end, bool ok) {
    status_line_.erase();
    spent_.turn.live = true;
    screen_.account(spent_.turn);
    if (events_ && !end.error.empty()) out_.line(dump({{"type", "error"}, {"text", end.error}}));
    out_.line(result_line(end, spent_, session_, ok));
  }

  int print_end(TurnEnd end) {
    const std::string& key = session_.conversation().record().key;
    end.error = driven::trouble_with(
        end, invocation_.no_session ? "" : "`skein -p --continue -s " + key + "` continues");
    const int status = end.stop == model::Stop::aborted ? interrupted_status
                       : end.error.empty()              ? 0
                                                        : static_cast<int>(ExitStatus::turn);
    if (json_) {
      print_result(end, status == 0);
    } else {
      if (!end.text.empty()) out_.write(answer_text(screen_, end.text, invocation_.raw));
      if (!end.error.empty()) tell_user(end.error);
    }
    if (out_.incomplete())
      throw Error("the answer could not be written; it is saved in " + key, ExitStatus::storage);
    return status;
  }

  Application& application_;
  const Invocation& invocation_;
  const bool events_ = invocation_.output_format == "stream-json";
  const bool json_ = events_ || invocation_.output_format == "json";
  const bool quiet_ = application_.config().quiet;
  project::RenderedCommand said_;
  std::string prompt_;
  std::vector<std::string> remarks_{};  // on files that are not attached
  model::PromptWithFiles with_;
  HeadlessSession session_;
  const screen::Screen::Parts screen_ = application_.screen_parts();
  PrintStatus status_line_{
      screen::screen_parts(
          STDERR_FILENO, application_.config().color.empty() ? "auto" : application_.config().color,
          application_.config().screen_reader),
      !events_ && !quiet_};
  Output out_{};
  Updates updates_{[this](const Update& update) { std::visit(EventWriter(out_), update); }};
  Spent spent_{};
  Ports ports_{};
};

}  // namespace

int print_mode(Application& application, const Invocation& invocation) {
  const std::string piped = piped_text();
  if (stop_asked()) return interrupted_status;
  return PrintedTurn(application, invocation, piped).run();
}

}  // namespace skein::app
