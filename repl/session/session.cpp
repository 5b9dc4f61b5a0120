#include "repl/session/session.h"

#include "core/checkpoints/rewind.h"
#include "core/permission/shell_words.h"
#include "core/store/home/presence.h"
#include "core/store/session_name.h"
#include "core/text/text.h"
#include "repl/layout/width.h"
#include "repl/pick/session_picker.h"
#include "repl/session/path_view.h"
#include "repl/terminal/on_exit.h"

namespace skein::session {

using agent::Agent, agent::Conversation, model::Ports, model::Tool, store::SessionRecord,
    store::value_or_throw;

namespace {

namespace style = layout::style;

// What to do with running jobs and sub-agents when the user quits. An agent cannot outlive skein.
model::Inquiry question_on_leaving(std::size_t jobs, std::size_t agents, bool can_keep_jobs) {
  const std::size_t all = jobs + agents;
  std::string what = jobs > 0 ? counted(jobs, "job") : "";
  if (agents > 0) what += (what.empty() ? "" : " and ") + counted(agents, "agent");
  model::Inquiry out{
      .question = what + (all == 1 ? " is" : " are") + " still running; what should skein do?",
      .options = {{"stop", "and quit"}}};
  if (jobs > 0 && can_keep_jobs)
    out.options.push_back({"keep", agents == 0
                                       ? "running without skein, and quit"
                                       : std::string(jobs == 1 ? "the job" : "the jobs") +
                                             " running without skein, stop the " +
                                             (agents == 1 ? "agent" : "agents") + ", and quit"});
  out.options.push_back({"cancel", "and stay here"});
  return out;
}

struct ModeWord {
  permission::Mode mode;
  std::string_view word, says;
  const layout::Style* style;
};
constexpr ModeWord mode_words[] = {
    {permission::Mode::normal, "", "asks before changes", &style::prompt},
    {permission::Mode::plan, "plan", "plans, changes nothing", &style::heading},
    {permission::Mode::accept_edits, "edits", "edits without asking", &style::good},
    {permission::Mode::bypass, "yolo", "asks nothing", &style::bad}};
static_assert(std::ranges::is_sorted(mode_words, {}, &ModeWord::mode));

// "fix the lexer · main:cli:user · 14 min ago · anthropic/… · asks before changes": which session,
// how old, who answers, what is asked about.
std::string where_we_are(const SessionRecord& record, const model::ModelRef& model,
                         permission::Mode mode, bool kept) {
  std::string out = kept ? layout::fit(store::shown_name(record), 40) : "not saved";
  if (kept && !record.state.title.empty() && !store::is_made_up(record.key))
    out += " · " + record.key;
  if (const std::string old = pick::age(record.state.updated_at); old != "-" && old != "now")
    out += " · " + old + " ago";
  const ModeWord& row = mode_words[static_cast<std::size_t>(mode)];
  return out + " · " + model::to_string(model) + " · " + std::string(row.says);
}

}  // namespace

// If a signal ends skein or no user can answer, all work is stopped.
void Session::settle_work() {
  const Services& services = parts_.services;
  const std::size_t jobs = services.jobs != nullptr ? services.jobs->running() : 0;
  const std::size_t agents = services.agents != nullptr ? services.agents->working() : 0;
  if (jobs + agents == 0) return;
  std::optional<std::string> answer = "stop";
  if (parts_.input.can_ask() && !parts_.leave) {
    answer = parts_.input.inquire(question_on_leaving(jobs, agents, services.can_keep_jobs));
    // Lines that have ended cannot be asked again.
    if (!answer && keyboard() == nullptr) answer = "stop";
  }
  leaving_ = parts_.leave || answer == "stop" || answer == "keep";
  if (leaving_)
    parts_.screen.print_untrusted(services.program->leave_work(answer == "keep") + "\n");
}

void Session::before_model(const model::ModelRef& to, const std::vector<std::string>& losses) {
  begin_stoppable();
  const Ports asking = ports();
  agent::Turn outside{*conversation_, settings_, asking};
  if (const std::string why = parts_.agent.hooks().before_model(outside, to, losses); !why.empty())
    throw Error("the model was not changed: " + why);
}

void Session::after_model(const model::ModelRef& from, const std::vector<std::string>& losses) {
  const Ports asking = ports();
  agent::Turn outside{*conversation_, settings_, asking};
  parts_.agent.hooks().after_model(outside, from, losses);
}

const std::atomic<bool>& Session::begin_stoppable() {
  // In this order no signal is missed: an earlier one has set `leave`, a later one sets `stop`.
  parts_.stop = false;
  if (parts_.leave) parts_.stop = true;
  return parts_.stop;
}

std::function<bool()> Session::stop_check() {
  begin_stoppable();
  return [this] {
    if (keyboard() != nullptr && keyboard()->take_escape()) parts_.stop = true;
    return parts_.stop.load();
  };
}

checkpoints::WorkspaceFiles* Session::kept_files() {
  checkpoints::WorkspaceFiles* const files =
      parts_.services.checkpoints != nullptr ? &parts_.services.checkpoints->workspace() : nullptr;
  files_stop_.reset();
  if (files != nullptr) files_stop_.emplace(files->stop, stop_check());
  return files;
}

Ports Session::ports() {
  Ports ports{.sink = parts_.services.models->masking([this](const model::Event& event) {
                parts_.screen.show(event);
                // Only now is the prompt safe in the transcript.
                const auto* committed = std::get_if<model::Committed>(&event);
                if (committed == nullptr || !model::is_prompt(committed->entry)) return;
                parts_.input.delivered(committed->entry.id);
                parts_.input.keep_ahead();
              }),
              .stop = &parts_.stop,
              .stops = parts_.input.stops(),
              .to_background = &parts_.input.to_background(),
              .input = parts_.input.port()};
  if (!parts_.input.can_ask()) return ports;
  using Kind = terminal::Notifier::Question;
  ports.ask = [this](const model::Question& question) {
    parts_.notifier.question_waits(title(), question.text, Kind::common);
    return waited([&] { return parts_.input.ask(question); });
  };
  ports.ask_line = [this](const model::LineQuestion& question) {
    return waited([&] { return parts_.input.ask_line(question); });
  };
  ports.inquire = [this](const model::Inquiry& inquiry) {
    parts_.notifier.question_waits(title(), inquiry.question, Kind::rare);
    return waited([&] { return parts_.input.inquire(inquiry); });
  };
  ports.review = [this](const model::Plan& plan) {
    parts_.notifier.question_waits(title(), "approve this plan?", Kind::rare);
    return waited([&] { return parts_.input.review(plan); });
  };
  return ports;
}

agent::TurnEnd Session::work(const Work& turn) {
  agent::TurnEnd end = work_once(turn);
  if (!end.new_branch_prompt.empty()) begin_branch(end.new_branch_prompt, end.new_branch_meta);
  return end;
}

// The branches before it are kept, as all are.
void Session::begin_branch(const std::string& prompt, const JsonText& meta) {
  conversation_->begin_branch();
  parts_.screen.print("continuing in a branch with only the plan; /tree shows the others\n");
  send({model::user_message(prompt), meta, {}});
}

agent::TurnEnd Session::send(const Agent::Prompt& prompt) {
  return work([&](const Ports& ports) {
    return parts_.agent.run_turn(*conversation_, prompt, settings_, ports);
  });
}

agent::TurnEnd Session::work_once(const Work& turn) {
  parts_.store.presence().enter(conversation_->session(), parts_.workspace);
  begin_stoppable();
  parts_.input.begin_ahead(steering());
  const terminal::OnExit at_the_end([this] { parts_.input.end_ahead(); });
  parts_.notifier.turn_begins();
  parts_.screen.begin_turn();
  waited_ = {};
  const std::string since = now_utc();
  const auto begin = Clock::now();
  const agent::TurnEnd end = turn(ports());
  const auto worked = Clock::now() - begin - waited_;
  parts_.screen.end_turn(end.stop, end.error + (end.at_its_limit ? "; /continue resumes" : ""),
                         end.empty, worked);
  if (end.usage.input + end.usage.cache_write > 0) tell_misses(since);
  parts_.marks.done(end.stop != model::Stop::error);
  if (end.stop != model::Stop::aborted)  // a user who stops it is at the terminal
    parts_.notifier.turn_ends(title(), end.stop != model::Stop::error);
  show_title();  // the first prompt becomes the title
  return end;
}

// After a turn that began at this time: a line for every answer that missed much.
void Session::tell_misses(const std::string& since) {
  const std::optional<Id> head = conversation_->head();
  if (!head) return;
  for (insights::CacheUse& use :
       insights::uses_since(parts_.store, id(), *head, since, services().models->prices())) {
    if (insights::is_large_miss(use)) parts_.screen.note(insights::miss_text(use));
    if (use.cause) cache_miss_ = std::move(use);
  }
}

void Session::show_path(std::size_t entries) {
  show_end({parts_.store, *conversation_, parts_.screen}, entries);
}

// Shown like an answer, with what it cost behind it.
void Session::ask_aside(const std::string& question) {
  if (conversation_->state().messages == 0)
    throw Error("there is no conversation yet; /btw asks a side question about one");
  parts_.screen.note("side question:");
  model::Message reply;
  work_once([&](const Ports& ports) {
    reply = parts_.agent.ask_aside(*conversation_, question, settings_, ports);
    if (reply.usage || !reply.content.empty())
      ports.sink(model::Committed{model::message_entry(reply)});
    return agent::TurnEnd{.stop = reply.stop, .error = reply.error};
  });
  if (reply.stop != model::Stop::error && model::plain_text(reply).empty())
    parts_.screen.print(
        "the model gave no text answer; send the question as an ordinary message\n");
}

prompt::Steering Session::steering() {
  if (parts_.inbox == nullptr) return {};
  return {.hand_over = [this](const edit::Draft& line) -> std::optional<Id> {
            try {
              const model::Entry message = agent::steered(
                  with_its_files(edit::whole(line), line.text, When::during_turn).message);
              parts_.inbox->put(message);
              return message.id;
            } catch (const Error& error) {
              parts_.screen.show(model::Notice{model::Notice::Level::warning, error.what()});
              return std::nullopt;
            }
          },
          .take_back = [this](Id message) { return parts_.inbox->take_back(message); }};
}

// Files outside the workspace or denied by a rule need an answer each time.
bool Session::may_attach(const std::string& name, bool ask) {
  const permission::Decision decision =
      permission::decide_mention(settings_.rules, *parts_.services.tools, name);
  if (decision.verdict == permission::Decision::Verdict::allow) return true;
  if (ask && parts_.input.attended() &&
      confirm("@" + name + ": " + decision.reason + ". Send its contents to the model?"))
    return true;
  parts_.screen.print_untrusted("  " + name + " is not attached: " + decision.reason + "\n");
  return false;
}

std::optional<model::Fetched> Session::fetched(const std::string& name) {
  begin_stoppable();
  const Ports asking = ports();
  return parts_.services.program->fetch(name, {settings_.rules, asking, conversation_->session()});
}

model::PromptWithFiles Session::with_its_files(const std::string& prompt, std::string_view mentions,
                                               When when, const std::string& command) try {
  const Tool* reader = file_reader();
  if (reader == nullptr) return {model::user_message(prompt)};
  model::AttachPorts ports;
  ports.locate = reader->locate;
  const bool idle = when == When::idle;
  ports.may = [&](const std::string& name, const model::Located&) {
    return may_attach(name, idle);
  };
  ports.tell = [this](const std::string& remark) {
    parts_.screen.print_untrusted("  " + remark + "\n");
  };
  ports.keep_blob = [this](std::string_view bytes) {
    return value_or_throw(parts_.store.blobs().keep_blob(bytes));
  };
  if (reader->document_text)
    ports.document = [this, idle, reader](std::string_view bytes) {
      if (idle) begin_stoppable();
      return reader->document_text(bytes, [this] { return parts_.stop.load(); });
    };
  if (idle) ports.fetch = [this](const std::string& name) { return fetched(name); };
  model::PromptWithFiles out = model::with_files(prompt, mentions, ports);
  for (const model::Attachment& file : out.files)
    parts_.screen.print_untrusted("  + " + file.name + " (" + file.what + ")\n");
  const bool images = std::ranges::any_of(out.message.content, [](const model::Block& block) {
    return std::holds_alternative<model::Image>(block);
  });
  if (images && !parts_.services.models->target(settings_.model).takes_images)
    parts_.screen.print_untrusted("  " + model::to_string(settings_.model) +
                                  " does not accept images; it only sees that there is one\n");
  return out;
} catch (const Error&) {
  if (when == When::idle) parts_.input.put_back(command.empty() ? prompt : command);
  throw;
}

void Session::turn(const std::string& prompt) {
  const std::string& typed = parts_.input.typed();
  // Looking for agents reads folders: only for a line that may name one. A pasted one does not.
  const Tool* reader = file_reader();
  const auto is_file = [&](std::string_view name) {
    return reader != nullptr && reader->locate(name).exists;
  };
  const std::optional<subagents::Delegated> order =
      typed.starts_with('@')
          ? subagents::delegated(prompt, parts_.services.program->agents().all, is_file)
          : std::nullopt;
  if (!order) return turn(prompt, typed);
  turn(order->prompt, std::string_view(typed).substr(std::min(order->name_end, typed.size())));
}

const Tool* Session::file_reader() const {
  const Tool* reader =
      parts_.services.tools ? model::find_file_reader(*parts_.services.tools) : nullptr;
  return reader != nullptr && reader->locate ? reader : nullptr;
}

void Session::note(const std::string& words, std::string_view mentions) {
  tell(model::message_entry(with_its_files(words, mentions).message));
}

void Session::turn(const std::string& prompt, std::string_view mentions) {
  parts_.services.program->note_typed(id(), parts_.input.typed());
  const model::PromptWithFiles with = with_its_files(prompt, mentions);
  follow_shown();
  if (const std::string note = checkpoints::note_on_files(parts_.store.transcripts(), id());
      !note.empty())
    tell(note);
  const agent::TurnEnd end = send(with.message);
  if (end.not_sent || end.unanswered) put_back(prompt);
}

// What cannot be had is no reason not to answer.
model::ModelRef Session::wanted_model(const project::RenderedCommand& command) {
  model::ModelRef wanted = settings_.model;
  if (!command.model.empty() && command.model != "inherit") try {
      const model::ThinkingLevel thinking = wanted.thinking;
      wanted = parts_.services.models->parse(command.model);
      wanted.thinking = thinking;
    } catch (const Error& error) {
      parts_.screen.print_untrusted("  " + model::to_string(settings_.model) +
                                    " answers: " + error.what() + "\n");
    }
  if (const auto level = model::parse_thinking_level(command.effort)) wanted.thinking = *level;
  return wanted;
}

bool Session::turn_of(std::string_view name, std::string_view arguments) {
  begin_stoppable();
  const Ports asking = ports();
  CommandPorts about{settings_.rules, asking, conversation_->session()};
  if (parts_.input.attended())
    about.confirm = [this](const std::string& question) { return confirm(question); };
  parts_.services.program->note_typed(id(), parts_.input.typed());
  const auto rendered = parts_.services.program->render(name, arguments, about);
  if (!rendered) return false;
  parts_.screen.print_each(rendered->remarks, "  ");
  const std::string command = "/" + std::string(name) + " " + std::string(arguments);
  // What came through a pipe names no files.
  const std::string_view mentions =
      parts_.input.typed().empty() ? std::string_view{} : rendered->mentions;
  model::PromptWithFiles with = with_its_files(rendered->text, mentions, When::idle, command);
  for (const model::Image& image : rendered->images) with.message.content.emplace_back(image);
  follow_shown();
  const model::ModelRef usual = std::exchange(settings_.model, wanted_model(*rendered));
  const terminal::OnExit back_to_it([&] { settings_.model = usual; });
  const agent::TurnEnd end = send({with.message, rendered->meta, rendered->temporary_rules});
  if (end.not_sent || end.unanswered) put_back(command);
  return true;
}

void Session::go_on() {
  work([&](const Ports& ports) { return parts_.agent.go_on(*conversation_, settings_, ports); });
}

void Session::tell(const std::string& text) {
  follow_shown();
  parts_.agent.note(*conversation_, text, settings_, ports());
}

void Session::tell(const model::Entry& note) {
  follow_shown();
  parts_.agent.note(*conversation_, note, settings_, ports());
}

void Session::refresh_settings() {
  Agent::Settings fresh = parts_.settings_for(*conversation_);
  fresh.model = settings_.model;
  fresh.rules.mode = settings_.rules.mode;
  settings_ = std::move(fresh);
}

void Session::compact(const std::string& focus) {
  agent::Compacted compacted;
  work([&](const Ports& ports) {
    compacted = parts_.agent.compact(*conversation_, focus, settings_, ports);
    return agent::TurnEnd{};
  });
  if (!compacted.done) throw Error("nothing was summarized: " + compacted.why_not);
  parts_.screen.print("summarized: " + short_count(compacted.before) + " → " +
                      short_count(compacted.after) + " tokens; /undo reverts it\n");
}

void Session::drop_result(Id entry, const std::string& text) {
  parts_.agent.drop_result(*conversation_, entry, text, settings_, ports());
}

std::string Session::cycle_mode() {
  settings_.rules.mode = permission::next(settings_.rules.mode);
  return "permission mode " + std::string(permission::name(settings_.rules.mode)) + ": " +
         permission::describe(settings_.rules.mode);
}

Cost cost_of(const Services& services, const std::map<std::string, model::Usage>& usage) {
  Cost out;
  const insights::Prices prices = services.models->prices();
  for (const auto& [model, tokens] : usage) {
    const std::optional<Cost> cost = prices(model, tokens);
    out.at_least = out.at_least || !cost || cost->at_least;
    if (cost) out.dollars += cost->dollars;
  }
  return out;
}

Cost Session::cost() const {
  std::map<std::string, model::Usage> all = conversation_->state().usage;
  if (services().agents != nullptr)
    for (const auto& [model, usage] : services().agents->used_by(conversation_->session()))
      all[model] += usage;
  return cost_of(services(), all);
}

std::string prompt_text(permission::Mode mode, const layout::TerminalStyle& look) {
  const ModeWord& row = mode_words[static_cast<std::size_t>(mode)];
  const std::string word(row.word);
  if (look.labels) return word.empty() ? "you: " : "you (" + word + "): ";
  if (word.empty()) return layout::painted("› ", *row.style, look);
  return layout::painted(word + " › ", *row.style | style::strong, look);
}

void Session::open(Id session, std::optional<Id> shown) {
  const bool first = !conversation_;
  Conversation next(parts_.store, session);
  Agent::Settings settings = parts_.settings_for(next);
  if (conversation_) {
    // The permission mode belongs to this prompt, the model to the session.
    settings.rules.mode = settings_.rules.mode;
    if (auto changes = agent::changes_to(conversation_->state(), settings_.model); !changes.empty())
      value_or_throw(conversation_->append(std::move(changes)));
  }
  close(next.state().messages == 0 ? "new" : "switch");
  conversation_.emplace(std::move(next));
  std::string open_elsewhere;
  open_ = nullptr;
  if (const auto& home = parts_.services.home) {
    open_elsewhere = store::home::open_by(*home, session);
    open_ = store::home::keep_open(home, session);
  }
  looked_at_.reset();
  cache_miss_.reset();
  parts_.store.presence().enter(session, parts_.workspace);
  settings_ = std::move(settings);
  parts_.input.enter(session);
  parts_.screen.print_each(conversation_->notices());
  parts_.screen.print_each(settings_.notices);

  const model::SessionState& state = conversation_->state();
  if (const auto greeting = std::exchange(parts_.greeting, {}); greeting && state.messages == 0)
    parts_.screen.print(greeting());
  if (state.messages > 0) {
    parts_.screen.note(
        "Restored: " + counted(static_cast<std::size_t>(conversation_->turns()), "previous turn") +
        (first && parts_.unasked ? "; /new starts a new session" : ""));
    parts_.screen.separate();
    const PathView view{parts_.store, *conversation_, parts_.screen};
    shown ? show_around(view, *shown) : show_last(view);
  }
  const SessionRecord record = conversation_->record();
  if (state.messages > 0 && !record.header.cwd.empty() && record.header.cwd != parts_.workspace)
    parts_.screen.print_untrusted("This session was started in " + record.header.cwd +
                                  "; tools work in " + parts_.workspace + ".\n");
  parts_.screen.note(where_we_are(record, settings_.model, settings_.rules.mode, parts_.kept));
  if (first && settings_.rules.mode == permission::Mode::bypass)
    parts_.screen.show(model::Notice{model::Notice::Level::error,
                                     "everything runs without asking; Shift+Tab changes that"});
  show_title();
  Ports recovering = ports();
  if (tell_of_others(open_elsewhere))
    recovering.sink = [sink = std::move(recovering.sink)](const model::Event& event) {
      const auto* notice = std::get_if<model::Notice>(&event);
      if (notice == nullptr || notice->text != agent::other_at_work) sink(event);
    };
  const agent::Recovery::Recovered recovered =
      parts_.agent.recovery().recover(*conversation_, settings_, recovering);
  if (recovered.calls > 0)
    parts_.screen.print(counted(recovered.calls, "tool call was", "tool calls were") +
                        " interrupted; /continue resumes.\n");
  else if (parts_.agent.recovery().lacks_answer(*conversation_, ports()))
    parts_.screen.print("The last turn ended without an answer; /continue asks for it.\n");
  parts_.screen.print_each(parts_.services.program->take_up_work(*conversation_));
  if (!recovered.new_branch_prompt.empty())
    begin_branch(recovered.new_branch_prompt, recovered.new_branch_meta);
}

std::string Session::title() const {
  const SessionRecord& record = conversation_->record();
  if (!parts_.kept && record.state.title.empty()) return "not saved";
  return store::shown_name(record);
}

// What the other one writes is shown before our next prompt is answered; see agent::Turn.
bool Session::tell_of_others(const std::string& open_elsewhere) {
  const std::map<Id, std::string> at_work = parts_.store.presence().at_work(std::array{id()});
  const auto worker = at_work.find(id());
  const bool works = worker != at_work.end();
  if (!works && open_elsewhere.empty()) return false;
  const std::string who = open_elsewhere.empty() ? worker->second : open_elsewhere;
  parts_.screen.show(model::Notice{
      model::Notice::Level::warning,
      (works ? "Another skein is using this session (" : "Also open in another skein (") + who +
          "); /follow watches it"});
  return works;
}

void Session::close(std::string_view reason) {
  if (conversation_) {
    Ports unstopped = ports();  // what ends the program does not end the hooks that hear of it
    unstopped.stop = nullptr;
    agent::Turn last{*conversation_, settings_, unstopped};
    parts_.agent.hooks().session_ends(last, parts_.leave ? "signal" : reason);
    // The session used last was recorded when it was used; another terminal may have moved on.
    parts_.store.presence().remember(conversation_->session(), "");
  }
  conversation_.reset();
  open_.reset();
}

void Session::open_at(Id session, Id entry) {
  open(session, entry);
  if (entry == conversation_->head()) return;
  looked_at_ = {entry, conversation_->head()};
  parts_.screen.print("Your next message follows " + to_string(entry).substr(0, 8) +
                      " as a branch; until then nothing changes" +
                      (conversation_->head()
                           ? " (/branch " + to_string(*conversation_->head()).substr(0, 8) +
                                 " goes back to the end)\n"
                           : "\n"));
}

void Session::follow_shown() {
  const std::optional<LookedAt> there = std::exchange(looked_at_, std::nullopt);
  if (there && conversation_->head() == there->head) continue_from(there->entry);
}

void Session::continue_from(Id entry) {
  conversation_->move_head(entry);
  parts_.screen.print("the next message follows " + to_string(entry).substr(0, 8) +
                      "; the old branch is kept (/tree)\n");
}

std::string Session::farewell() const {
  if (!parts_.kept || !conversation_ || conversation_->state().messages == 0) return {};
  const SessionRecord& record = conversation_->record();
  const std::string& title = record.state.title;
  std::vector<SessionRecord> alike;
  if (!title.empty()) alike = parts_.store.list({.called = title});
  const std::string typed = store::typed_name(record, store::titles_of(alike));
  const std::string name = title.empty()    ? "here"
                           : typed == title ? "it"
                                            : "“" + layout::fit(title, 40) + "”";
  // No other has the end of a key that was made up: -r opens it at once.
  return "Saved. `skein -c` continues " + name + "; from other folders: skein " +
         (store::is_made_up(record.key) ? "-r " : "-s ") + permission::shell_quoted(typed) + "\n";
}

}  // namespace skein::session
