// Opening a session and leaving it: what is told of it, to the user and to others.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/agent/other_at_work.h"
#include "core/permission/shell_words.h"
#include "core/store/backend.h"
#include "core/store/session_name.h"
#include "core/text/amounts.h"
#include "repl/layout/width.h"
#include "repl/pick/session_picker.h"
#include "repl/session/path_view.h"
#include "repl/session/session.h"

namespace skein::session {

using agent::Agent, agent::Conversation, model::Ports, store::SessionRecord, store::value_or_throw;

namespace {

// "fix the lexer · main:cli:user · 14 min ago · anthropic/…": which session, how old, who answers.
std::string where_we_are(const SessionRecord& record, const model::ModelRef& model, bool kept) {
  std::string out = kept ? layout::fit(store::shown_name(record), 40) : "nothing is kept";
  if (kept && !record.state.title.empty() && !store::is_made_up(record.key))
    out += " · " + record.key;
  if (const std::string old = pick::age(record.state.updated_at); old != "-" && old != "now")
    out += " · " + old + " ago";
  return out + " · " + model::to_string(model);
}

}  // namespace

void Session::open(Id session) {
  const bool first = !conversation_;
  Conversation next(parts_.store, session);
  Agent::Settings settings = parts_.settings_for(next);
  if (conversation_) {
    // The permission mode was chosen for this prompt, whichever session is open; the model belongs
    // to the session.
    settings.rules.mode = settings_.rules.mode;
    if (auto changes = agent::changes_to(conversation_->state(), settings_.model); !changes.empty())
      value_or_throw(conversation_->append(std::move(changes)));
  }
  close(next.state().messages == 0 ? "new" : "switch");
  conversation_.emplace(std::move(next));
  const std::string open_elsewhere = parts_.services.open_by(session);
  open_ = parts_.services.keep_open(session);
  looked_at_.reset();
  parts_.store.enter(session, parts_.workspace);
  settings_ = std::move(settings);
  parts_.input.enter(session);
  for (const std::vector<std::string>& texts : {conversation_->notices(), settings_.notices})
    for (const std::string& text : texts) parts_.screen.print_untrusted(text + "\n");

  const model::SessionState& state = conversation_->state();
  if (const auto greeting = std::exchange(parts_.greeting, {}); greeting && state.messages == 0)
    parts_.screen.print_untrusted(greeting());
  if (state.messages > 0) {
    parts_.screen.note(
        "Restored: " + counted(static_cast<std::size_t>(conversation_->turns()), "previous turn") +
        (first && parts_.unasked ? "; /new starts afresh" : ""));
    const PathView view(parts_.store, *conversation_, parts_.screen);
    shown_first_ ? view.show_around(*shown_first_) : view.show_last();
  }
  const SessionRecord record = conversation_->record();
  if (state.messages > 0 && !record.header.cwd.empty() && record.header.cwd != parts_.workspace)
    parts_.screen.print_untrusted("This session was started in " + record.header.cwd +
                                  "; tools work in " + parts_.workspace + ".\n");
  parts_.screen.note(where_we_are(record, settings_.model, parts_.kept));
  if (first && settings_.rules.mode == permission::Mode::bypass)
    parts_.screen.show(model::Notice{model::Notice::Level::error,
                                     "everything runs unasked; Shift+Tab changes that"});
  show_title();
  Ports recovering = ports();
  if (tell_of_others(open_elsewhere))
    recovering.sink = [sink = std::move(recovering.sink)](const model::Event& event) {
      const auto* notice = std::get_if<model::Notice>(&event);
      if (notice == nullptr || notice->text != agent::other_at_work) sink(event);
    };
  const Agent::Recovery recovered = parts_.agent.recover(*conversation_, settings_, recovering);
  if (recovered.calls > 0)
    parts_.screen.print(counted(recovered.calls, "tool call was", "tool calls were") +
                        " interrupted; /continue resumes.\n");
  else if (parts_.agent.lacks_answer(*conversation_, ports()))
    parts_.screen.print("The last turn ended without an answer; /continue asks for it.\n");
  for (const std::string& line : parts_.services.take_up_work(*conversation_))
    parts_.screen.print_untrusted(line + "\n");
  if (!recovered.anew.empty()) begin_anew(recovered.anew, recovered.anew_meta);
}

std::string Session::title() const {
  const SessionRecord& record = conversation_->record();
  if (!parts_.kept && record.state.title.empty()) return "nothing is kept";
  return store::shown_name(record);
}

// What the other one writes is shown before our next prompt is answered; see agent::Turn.
bool Session::tell_of_others(const std::string& open_elsewhere) {
  const std::map<Id, std::string> at_work = parts_.store.at_work(std::array{id()});
  const auto worker = at_work.find(id());
  const bool works = worker != at_work.end();
  if (!works && open_elsewhere.empty()) return false;
  const std::string who = open_elsewhere.empty() ? worker->second : open_elsewhere;
  parts_.screen.show(
      model::Notice{model::Notice::Level::warning,
                    (works ? "Another skein is at work here (" : "Also open in another skein (") +
                        who + "); /follow watches it"});
  return works;
}

void Session::show_title() { parts_.marks.title("skein: " + title()); }

void Session::close(std::string_view reason) {
  if (conversation_) {
    Ports unstopped = ports();  // what ends the program does not end the hooks that hear of it
    unstopped.stop = nullptr;
    agent::Turn last{*conversation_, settings_, unstopped};
    parts_.agent.hooks().session_ends(last, parts_.leave ? "signal" : reason);
    // The session used last was recorded when it was used; another terminal may have moved on.
    parts_.store.remember(conversation_->session(), "");
  }
  conversation_.reset();
  open_.reset();
}

void Session::open_at(Id session, Id entry) {
  shown_first_ = entry;
  try {
    open(session);
  } catch (const Error&) {
    shown_first_.reset();
    throw;
  }
  shown_first_.reset();
  if (entry == conversation_->head()) return;
  looked_at_ = {entry, conversation_->head()};
  parts_.screen.print("What you say next follows " + to_string(entry).substr(0, 8) +
                      ", as a branch; until then nothing is changed" +
                      (conversation_->head()
                           ? " (/branch " + to_string(*conversation_->head()).substr(0, 8) +
                                 " goes back to the end)\n"
                           : "\n"));
}

void Session::follow_shown() {
  const std::optional<LookedAt> there = std::exchange(looked_at_, std::nullopt);
  if (!there || conversation_->head() != there->head) return;
  conversation_->move_head(there->entry);
  parts_.screen.print("the next message follows " + to_string(there->entry).substr(0, 8) +
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
  return "Saved. `skein -c` continues " + name + "; from elsewhere: skein " +
         (store::is_made_up(record.key) ? "-r " : "-s ") + permission::shell_quoted(typed) + "\n";
}

}  // namespace skein::session
