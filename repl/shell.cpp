#include "repl/shell.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/model/redaction.h"
#include "core/model/turns.h"
#include "core/store/damage_text.h"
#include "core/text/amounts.h"
#include "repl/commands/completion.h"
#include "repl/commands/table.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/pick/session_rows.h"
#include "repl/shell_escape.h"

namespace skein::repl {

namespace {

constexpr std::chrono::seconds second_press{2};

bool is_prompt(const model::Event& event) {
  const auto* committed = std::get_if<model::Committed>(&event);
  if (committed == nullptr || committed->entry.type != model::type::message) return false;
  const auto message = model::message_from_json(committed->entry.payload);
  return message && model::is_prompt(*message);
}

// "main:cli:user · fix the lexer · 14 min ago · anthropic/…": which session, how old, who answers.
std::string where_we_are(const store::SessionRecord& record, const model::ModelRef& model,
                         bool kept) {
  std::string out = kept ? record.key : "nothing is kept";
  if (!record.state.title.empty()) out += " · " + layout::fit(record.state.title, 40);
  if (const std::string old = pick::age(record.state.updated_at); old != "-" && old != "now")
    out += " · " + old + " ago";
  return out + " · " + model::to_string(model);
}

}  // namespace

void Shell::open(Id session) {
  agent::Conversation next(parts_.store, session);
  agent::Agent::Settings settings = parts_.settings_for(next);
  if (conversation_) {
    // How much may be done unasked is what the user decided at this prompt, whatever is talked
    // about; who answers is the session's own affair.
    settings.rules.mode = settings_.rules.mode;
    if (auto changes = agent::changes_to(conversation_->state(), settings_.model); !changes.empty())
      store::value_or_throw(conversation_->append(std::move(changes)));
  }
  close();
  conversation_.emplace(std::move(next));
  parts_.store.enter(session, parts_.workspace);
  settings_ = std::move(settings);
  draft_ = parts_.drafts.load(session);
  for (const std::vector<std::string>& texts : {conversation_->notices(), settings_.notices})
    for (const std::string& text : texts) parts_.screen.print_untrusted(text + "\n");

  const model::SessionState& state = conversation_->state();
  if (const auto greeting = std::exchange(parts_.greeting, {}); greeting && state.messages == 0)
    parts_.screen.print_untrusted(greeting());
  if (state.messages > 0) {
    parts_.screen.print(
        "Restored: " + counted(static_cast<std::size_t>(conversation_->turns()), "previous turn") +
        "\n");
    show_path(4);
  }
  const store::SessionRecord record = conversation_->record();
  if (state.messages > 0 && record.header.cwd != parts_.workspace)
    parts_.screen.print_untrusted("This session was begun in " + record.header.cwd +
                                  "; tools work in " + parts_.workspace + ".\n");
  parts_.screen.print_untrusted(where_we_are(record, settings_.model, parts_.kept) + "\n");
  tell_title();
  if (const std::size_t open_calls = parts_.agent.recover(*conversation_, ports(), settings_.rules);
      open_calls > 0)
    parts_.screen.print(counted(open_calls, "tool call was", "tool calls were") +
                        " interrupted; /continue lets the model go on.\n");
  else if (parts_.agent.lacks_answer(*conversation_, ports()))
    parts_.screen.print("The last turn ended without an answer; /continue asks for it.\n");
}

void Shell::tell_title() {
  const store::SessionRecord& record = conversation_->record();
  const std::string& title = conversation_->state().title;
  const std::string untitled = parts_.kept ? record.key : "nothing is kept";
  parts_.marks.title("skein: " + (title.empty() ? untitled : title));
}

void Shell::close() {
  // Which one was used last has been written down when it was; another terminal may have gone on.
  if (conversation_) parts_.store.remember(conversation_->session(), "");
  conversation_.reset();
}

void Shell::show_path(std::size_t entries) {
  const auto is_shown = [](const model::Entry& entry) {
    return entry.type == model::type::message || entry.type == model::type::compaction_summary;
  };
  if (!conversation_->head()) return;
  const auto show = [&](const store::StoredEntry& placed) {
    if (placed.altered)
      parts_.screen.print(std::string(store::altered_mark) +
                          " this is not as it was written, entry " +
                          to_string(placed.entry.id).substr(0, 6) + ":\n");
    parts_.screen.replay(model::masked(placed.entry, conversation_->state().redacted));
  };
  // Back to the prompt the first of them answers: an answer without its question says little.
  std::size_t count = 0;
  std::vector<store::StoredEntry> path =
      store::value_or_throw(
          parts_.store.path_until(conversation_->session(), *conversation_->head(),
                                  [&](const model::Entry& each) {
                                    if (is_shown(each)) ++count;
                                    return entries > 0 && count >= entries &&
                                           (model::is_prompt(each) || !each.parent);
                                  }))
          .entries;
  std::erase_if(path, [&](const store::StoredEntry& each) { return !is_shown(each.entry); });
  const std::size_t first = entries == 0 || path.size() <= entries ? 0 : path.size() - entries;
  if (first > 0) show(path.front());
  if (first > 1)
    parts_.screen.print("… " + counted(first - 1, "entry", "entries") +
                        " in between; /history all shows everything\n");
  for (std::size_t i = first; i < path.size(); ++i) show(path[i]);
  parts_.screen.flush();
}

void Shell::run() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point never = Clock::now() - 2 * second_press;
  Clock::time_point warned = never;
  while (!leaving_ && !parts_.leave) {
    if (!queued_.empty()) {
      const edit::Draft next = std::move(queued_.front());
      queued_.erase(queued_.begin());
      editor_->remember(next);
      send(next);
      continue;
    }
    parts_.stop = false;
    edit::Draft draft = std::exchange(draft_, {});
    parts_.screen.flush();
    parts_.marks.prompt();
    switch (editor_->read("› ", draft)) {
      case prompt::LineEditor::ReadResult::end: leaving_ = true; break;
      case prompt::LineEditor::ReadResult::interrupt:
        if (parts_.leave || Clock::now() - warned < second_press) {
          leaving_ = true;
          break;
        }
        warned = Clock::now();
        parts_.screen.print("Press Ctrl+C again or Ctrl+D to leave.\n");
        break;
      case prompt::LineEditor::ReadResult::line:
        warned = never;
        parts_.marks.sent();
        sent_ = draft;
        handle(edit::whole(draft), parts_.piped ? "" : draft.text);
        if (queued_.empty()) keep_draft(draft_);
        break;
    }
  }
  parts_.marks.leave();
  if (parts_.attended && parts_.kept && conversation_ && conversation_->state().messages > 0)
    parts_.screen.print_untrusted("Saved. `skein -c` goes on here; elsewhere: skein -s " +
                                  conversation_->record().key + "\n");
}

void Shell::handle(const std::string& line, const std::string& typed) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string::npos) return;
  typed_ = typed;
  const std::string_view rest = std::string_view(line).substr(start);
  try {
    if (rest.front() == '/' || rest.front() == '!' || rest == "?") {
      keep_draft({});  // a prompt stays a draft until it is saved; these are no prompts
      rest.front() == '/' ? dispatch(rest.substr(1)) : aside(*this, rest);
      tell_title();  // a command may have given another
    } else {
      turn(line, typed);
    }
  } catch (const Error& error) {
    parts_.screen.end_turn(model::Stop::error, error.what());
  }
}

void Shell::send(const edit::Draft& draft) {
  parts_.screen.print_untrusted("› " + draft.text + "\n");
  sent_ = draft;
  handle(edit::whole(draft), draft.text);
}

void Shell::dispatch(std::string_view command_line) {
  const std::size_t end = std::min(command_line.find(' '), command_line.size());
  const std::string_view name = command_line.substr(0, end);
  std::string_view argument = command_line.substr(end);
  while (argument.starts_with(' ')) argument.remove_prefix(1);
  while (argument.ends_with(' ')) argument.remove_suffix(1);

  if (const commands::Command* command = commands::find_command(name))
    return command->run(*this, argument);
  parts_.screen.print_untrusted("no command /" + std::string(name) + "; did you mean /" +
                                std::string(commands::nearest_command(name).name) + "?\n");
}

model::Ports Shell::ports() {
  model::Ports ports{.sink = parts_.masking([this](const model::Event& event) {
                       parts_.screen.show(event);
                       // Only now is it safe elsewhere.
                       if (is_prompt(event)) keep_draft(typing_ ? typing_->all() : edit::Draft{});
                     }),
                     .stop = &parts_.stop};
  if (parts_.attended && editor_ != nullptr)
    ports.ask = [this](const model::Question& question) { return ask(question); };
  if (typing_) ports.input = typing_->input();
  return ports;
}

// Enter alone is no.
model::Answer Shell::ask(const model::Question& question) {
  if (typing_) typing_->let_typing_pause();
  parts_.screen.show(question);
  if (parts_.keyboard)
    return pick::ask_permission(*parts_.keyboard, parts_.screen, question, parts_.stop);
  parts_.screen.print_untrusted(pick::choices_of(
      {.text = question.text, .remember = question.remember}));  // nothing to edit with
  std::string line;
  if (!read_line(line)) return {};
  const std::string first = line.substr(0, line.find(' '));
  if (first == "y" || first == "yes") return {model::Answer::Choice::yes};
  if ((first == "a" || first == "always") && !question.remember.empty())
    return {model::Answer::Choice::always};
  const bool plain_no = first == "n" || first == "no";
  return {model::Answer::Choice::no,
          plain_no ? line.substr(std::min(line.size(), first.size() + 1)) : line};
}

bool Shell::confirm(const std::string& question) {
  if (editor_ == nullptr) return false;
  if (parts_.keyboard) return pick::ask_yes(*parts_.keyboard, parts_.screen, question);
  parts_.screen.print_untrusted(question + " [y/N] › ");
  std::string line;
  return read_line(line) && (line == "y" || line == "yes");
}

bool Shell::read_line(std::string& line) {
  edit::Draft draft;
  parts_.screen.flush();
  if (editor_->read("", draft) != prompt::LineEditor::ReadResult::line) return false;
  line = edit::whole(draft);
  return true;
}

// What was typed while the turn ran: queued lines come next, unless the turn was stopped; then all
// of it is in the line again.
void Shell::take_over_typing() {
  if (!typing_) return;
  if (parts_.stop) {
    draft_ = typing_->all();
  } else {
    queued_.insert(queued_.end(), typing_->queued().begin(), typing_->queued().end());
    draft_ = typing_->draft();
  }
  typing_.reset();
  parts_.screen.set_draft("");
}

void Shell::work(const std::function<agent::TurnEnd(const model::Ports&)>& turn) {
  parts_.store.enter(conversation_->session(), parts_.workspace);
  // In this order no signal is missed: one that came before has set `leave`, a later one sets
  // `stop`.
  parts_.stop = false;
  if (parts_.leave) parts_.stop = true;
  struct TakeOver {
    Shell& shell;
    ~TakeOver() { shell.take_over_typing(); }
  } const at_the_end{*this};
  if (parts_.keyboard)
    typing_.emplace(*parts_.keyboard, parts_.screen, parts_.stop,
                    [this](const edit::Draft& draft) { keep_draft(draft); });
  const std::int64_t started = now_ms();
  parts_.screen.begin_turn();
  const agent::TurnEnd end = turn(ports());
  parts_.screen.end_turn(end.stop, end.error + (end.out_of_calls ? "; /continue goes on" : ""),
                         end.empty);
  parts_.marks.done(end.stop != model::Stop::error, now_ms() - started);
  tell_title();  // the first prompt gives one
}

// What lies outside the workspace or under a rule that forbids it is asked about, each time.
bool Shell::may_come_along(const std::string& name) {
  const permission::Decision decision =
      permission::decide_mention(settings_.rules, *parts_.desk.tools, name);
  if (decision.verdict == permission::Decision::Verdict::allow) return true;
  if (parts_.attended &&
      confirm("@" + name + ": " + decision.reason + ". Send its contents to the model?"))
    return true;
  parts_.screen.print_untrusted("  " + name + " does not come along: " + decision.reason + "\n");
  return false;
}

model::PromptWithFiles Shell::with_its_files(const std::string& prompt,
                                             const std::string& typed) try {
  const model::Tool* reader =
      parts_.desk.tools ? model::find_file_reader(*parts_.desk.tools) : nullptr;
  if (reader == nullptr || !reader->locate) return {model::user_message(prompt)};
  model::AttachPorts ports;
  ports.locate = reader->locate;
  ports.may = [this](const std::string& name, const model::Located&) {
    return may_come_along(name);
  };
  ports.tell = [this](const std::string& remark) {
    parts_.screen.print_untrusted("  " + remark + "\n");
  };
  ports.keep_blob = [this](std::string_view bytes) {
    return store::value_or_throw(parts_.store.keep_blob(bytes));
  };
  model::PromptWithFiles out = model::with_files(prompt, typed, ports);
  for (const model::Attachment& file : out.files)
    parts_.screen.print_untrusted("  + " + file.name + " (" + file.what + ")\n");
  const bool images = std::ranges::any_of(out.message.content, [](const model::Block& block) {
    return std::holds_alternative<model::Image>(block);
  });
  if (images && parts_.desk.target && !parts_.desk.target(settings_.model).takes_images)
    parts_.screen.print_untrusted("  " + model::to_string(settings_.model) +
                                  " takes no images: it is told that there is one\n");
  return out;
} catch (const Error&) {
  // Nothing was sent: it is in the line again, and what was pasted into it still is pasted.
  draft_ = edit::whole(sent_) == prompt ? sent_ : edit::Draft{prompt};
  throw;
}

void Shell::turn(const std::string& prompt, const std::string& typed) {
  const model::PromptWithFiles with = with_its_files(prompt, typed);
  work([&](const model::Ports& ports) {
    return parts_.agent.run_turn(*conversation_, with.message, settings_, ports);
  });
}

void Shell::go_on() {
  work([&](const model::Ports& ports) {
    return parts_.agent.go_on(*conversation_, settings_, ports);
  });
}

void Shell::tell(const std::string& text) {
  parts_.agent.note(*conversation_, text, settings_, ports());
}

void Shell::keep_draft(const edit::Draft& draft) {
  if (conversation_) parts_.drafts.keep(conversation_->session(), draft);
}

void Shell::refresh_settings() {
  agent::Agent::Settings fresh = parts_.settings_for(*conversation_);
  fresh.model = settings_.model;
  fresh.rules.mode = settings_.rules.mode;
  settings_ = std::move(fresh);
}

void Shell::compact(const std::string& focus) {
  agent::Compacted compacted;
  work([&](const model::Ports& ports) {
    compacted = parts_.agent.compact(*conversation_, focus, settings_, ports);
    return agent::TurnEnd{};
  });
  if (!compacted.done) throw Error("nothing was summed up: " + compacted.why_not);
  parts_.screen.print("summed up: " + short_count(compacted.before) + " → " +
                      short_count(compacted.after) + " tokens; /undo takes it back\n");
}

std::string Shell::cycle_mode() {
  settings_.rules.mode = permission::next(settings_.rules.mode);
  return "permission mode " + std::string(permission::name(settings_.rules.mode)) + ": " +
         permission::describe(settings_.rules.mode);
}

prompt::EditorHelp Shell::editor_help() {
  return {.complete = [this](std::string_view line) { return commands::complete(*this, line); },
          .hint = commands::hint_for,
          .keep = [this](const edit::Draft& draft) { keep_draft(draft); },
          .expand = [this] { parts_.screen.expand_last(); },
          .show_thinking = [this] { parts_.screen.change_thinking(); },
          .cycle_mode = [this] { parts_.screen.print(cycle_mode() + "\n"); },
          .stopped = [this] { return parts_.stop.load(); }};
}

}  // namespace skein::repl
