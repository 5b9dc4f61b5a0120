#include "repl/session/session.h"

#include <algorithm>
#include <utility>

#include "core/checkpoints/rewind.h"
#include "core/model/turns.h"
#include "core/store/backend.h"
#include "core/text/amounts.h"
#include "repl/session/delegation.h"
#include "repl/session/leaving.h"
#include "repl/session/model_for_a_turn.h"
#include "repl/session/path_view.h"
#include "repl/session/prompt_text.h"

namespace skein::session {

using agent::Agent, model::Ports, model::Tool;
using store::value_or_throw;

namespace {

bool is_prompt(const model::Event& event) {
  const auto* committed = std::get_if<model::Committed>(&event);
  return committed != nullptr && model::is_prompt(committed->entry);
}

}  // namespace

void Session::settle_work() {
  const Leaving leaving(parts_.services, parts_.input, parts_.screen);
  leaving_ = leaving.settle(parts_.leave);
}

void Session::before_model(const model::ModelRef& to, const std::vector<std::string>& losses) {
  begin_stoppable();
  const Ports asking = ports();
  agent::Turn outside{*conversation_, settings_, asking};
  if (const std::string why = parts_.agent.hooks().before_model(outside, to, losses); !why.empty())
    throw Error("the model stays: " + why);
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
  checkpoints::WorkspaceFiles* const files = parts_.services.kept_files();
  files_stop_.reset();
  if (files != nullptr) files_stop_.emplace(files->stop, stop_check());
  return files;
}

Ports Session::ports() {
  Ports ports{.sink = parts_.masking([this](const model::Event& event) {
                parts_.screen.show(event);
                // Only now is the prompt safe in the transcript.
                if (!is_prompt(event)) return;
                parts_.input.delivered(std::get<model::Committed>(event).entry.id);
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
    return parts_.input.ask(question);
  };
  ports.ask_line = [this](const model::LineQuestion& question) {
    return parts_.input.ask_line(question);
  };
  ports.inquire = [this](const model::Inquiry& inquiry) {
    parts_.notifier.question_waits(title(), inquiry.question, Kind::rare);
    return parts_.input.inquire(inquiry);
  };
  ports.review = [this](const model::Plan& plan) {
    parts_.notifier.question_waits(title(), "is this plan good?", Kind::rare);
    return parts_.input.review(plan);
  };
  return ports;
}

agent::TurnEnd Session::work(const Work& turn) {
  agent::TurnEnd end = work_once(turn);
  if (!end.anew.empty()) begin_anew(end.anew, end.anew_meta);
  return end;
}

// The branches before it are kept, as all are.
void Session::begin_anew(const std::string& prompt, const JsonText& meta) {
  conversation_->begin_anew();
  parts_.screen.print("going on in a branch that has only the plan; /tree shows the others\n");
  work([&](const Ports& ports) {
    return parts_.agent.run_turn(*conversation_, {model::user_message(prompt), meta, {}}, settings_,
                                 ports);
  });
}

agent::TurnEnd Session::work_once(const Work& turn) {
  parts_.store.enter(conversation_->session(), parts_.workspace);
  begin_stoppable();
  const TypedInput::Ahead ahead(parts_.input, steering());
  parts_.notifier.turn_begins();
  parts_.screen.begin_turn();
  const agent::TurnEnd end = turn(ports());
  parts_.screen.end_turn(end.stop, end.error + (end.out_of_calls ? "; /continue goes on" : ""),
                         end.empty);
  parts_.marks.done(end.stop != model::Stop::error);
  if (end.stop != model::Stop::aborted)  // whoever stops it is there
    parts_.notifier.turn_ends(title(), end.stop != model::Stop::error);
  show_title();  // the first prompt becomes the title
  return end;
}

void Session::show_path(std::size_t entries) {
  PathView(parts_.store, *conversation_, parts_.screen).show_end(entries);
}

// Shown as an answer is, though it is none: what it took stands behind it.
void Session::ask_aside(const std::string& question) {
  if (conversation_->state().messages == 0)
    throw Error("nothing has been said yet; /btw asks something beside a conversation");
  parts_.screen.note("beside the conversation:");
  model::Message reply;
  work_once([&](const Ports& ports) {
    reply = parts_.agent.ask_aside(*conversation_, question, settings_, ports);
    if (reply.usage || !reply.content.empty())
      ports.sink(model::Committed{model::message_entry(reply)});
    return agent::TurnEnd{.stop = reply.stop, .error = reply.error};
  });
  if (reply.stop != model::Stop::error && model::plain_text(reply).empty())
    parts_.screen.print("there is no answer in words; ask it as a message of its own\n");
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
  return parts_.services.fetch(name, {settings_.rules, asking, conversation_->session()});
}

model::PromptWithFiles Session::with_its_files(const std::string& prompt, std::string_view mentions,
                                               When when) try {
  const Tool* reader =
      parts_.services.tools ? model::find_file_reader(*parts_.services.tools) : nullptr;
  if (reader == nullptr || !reader->locate) return {model::user_message(prompt)};
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
    return value_or_throw(parts_.store.keep_blob(bytes));
  };
  if (idle) ports.fetch = [this](const std::string& name) { return fetched(name); };
  model::PromptWithFiles out = model::with_files(prompt, mentions, ports);
  for (const model::Attachment& file : out.files)
    parts_.screen.print_untrusted("  + " + file.name + " (" + file.what + ")\n");
  const bool images = std::ranges::any_of(out.message.content, [](const model::Block& block) {
    return std::holds_alternative<model::Image>(block);
  });
  if (images && parts_.services.target && !parts_.services.target(settings_.model).takes_images)
    parts_.screen.print_untrusted("  " + model::to_string(settings_.model) +
                                  " does not accept images; it is told that there is one\n");
  return out;
} catch (const Error&) {
  if (when == When::idle) parts_.input.put_back(prompt);
  throw;
}

void Session::turn(const std::string& prompt) {
  const std::string& typed = parts_.input.typed();
  // Looking for agents reads folders: only for a line that may name one. A pasted one does not.
  const std::optional<Delegated> order =
      typed.starts_with('@') ? delegated(prompt, parts_.services.known_agents(),
                                         [this](std::string_view name) { return is_file(name); })
                             : std::nullopt;
  if (!order) return turn(prompt, typed);
  turn(order->prompt, std::string_view(typed).substr(std::min(order->name_end, typed.size())));
}

bool Session::is_file(std::string_view name) const {
  const Tool* reader =
      parts_.services.tools ? model::find_file_reader(*parts_.services.tools) : nullptr;
  return reader != nullptr && reader->locate && reader->locate(name).exists;
}

void Session::note(const std::string& words, std::string_view mentions) {
  tell(model::message_entry(with_its_files(words, mentions).message));
}

void Session::turn(const std::string& prompt, std::string_view mentions) {
  parts_.services.typed(id(), parts_.input.typed());
  const model::PromptWithFiles with = with_its_files(prompt, mentions);
  follow_shown();
  if (const std::string note = checkpoints::note_on_files(parts_.store, id()); !note.empty())
    tell(note);
  const agent::TurnEnd end = work([&](const Ports& ports) {
    return parts_.agent.run_turn(*conversation_, with.message, settings_, ports);
  });
  if (end.not_sent || end.unanswered) put_back(prompt);
}

// What cannot be had is no reason not to answer.
model::ModelRef Session::wanted_model(const project::RenderedCommand& command) {
  model::ModelRef wanted = settings_.model;
  if (!command.model.empty() && command.model != "inherit") try {
      const model::ThinkingLevel thinking = wanted.thinking;
      wanted = parts_.services.model(command.model);
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
  parts_.services.typed(id(), parts_.input.typed());
  const auto rendered = parts_.services.render(name, arguments, about);
  if (!rendered) return false;
  for (const std::string& remark : rendered->remarks)
    parts_.screen.print_untrusted("  " + remark + "\n");
  // What came through a pipe names no files.
  model::PromptWithFiles with = [&] {
    try {
      return with_its_files(rendered->text,
                            parts_.input.typed().empty() ? std::string_view{} : rendered->mentions);
    } catch (const Error&) {  // what was typed, not what it became
      parts_.input.put_back("/" + std::string(name) + " " + std::string(arguments));
      throw;
    }
  }();
  for (const model::Image& image : rendered->images) with.message.content.emplace_back(image);
  follow_shown();
  const ModelForATurn other(settings_.model, wanted_model(*rendered));
  const agent::TurnEnd end = work([&](const Ports& ports) {
    return parts_.agent.run_turn(*conversation_, {with.message, rendered->meta, rendered->lends},
                                 settings_, ports);
  });
  if (end.not_sent || end.unanswered)
    put_back("/" + std::string(name) + " " + std::string(arguments));
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

void Session::catch_up() {
  if (parts_.services.catch_up()) refresh_settings();
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

std::string Session::prompt() const {
  return prompt_text(settings_.rules.mode, parts_.screen.look());
}

std::string Session::cycle_mode() {
  settings_.rules.mode = permission::next(settings_.rules.mode);
  return "permission mode " + std::string(permission::name(settings_.rules.mode)) + ": " +
         permission::describe(settings_.rules.mode);
}

}  // namespace skein::session
